/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* A star of tables by the names of their columns is the star that its arrays would say. */

#include <stdio.h>
#include <string.h>

#include "support.h"

#define SALES 500
#define SHOPS 20

typedef struct tables {
  rdx_table *sales, *shops;
  int64_t sums[4]; /* of amounts from 50 on, by size; of shops that there are */
} tables;

static rdx_table *parse(const char *text) {
  rdx_table *table = NULL;
  OK(rdx_table_parse_csv("text", text, strlen(text), NULL, &table, err));
  return table;
}

/* Some sales are of shops that there are not. */
static tables make_tables(void) {
  static char sales[SALES * 24 + 32], shops[SHOPS * 24 + 32];
  uint32_t sizes[SHOPS];
  tables t = {0};
  int at = sprintf(shops, "id,size\n");
  for (uint32_t i = 0; i < SHOPS; i++) {
    sizes[i] = (uint32_t)(test_random() % 4);
    at += sprintf(shops + at, "%u,%u\n", 100 + i, sizes[i]);
  }
  at = sprintf(sales, "shop,amount\n");
  for (uint32_t i = 0; i < SALES; i++) {
    const uint32_t shop = (uint32_t)(test_random() % (SHOPS + 3)), amount = (uint32_t)(test_random() % 100);
    at += sprintf(sales + at, "%u,%u\n", 100 + shop, amount);
    if (shop < SHOPS && amount >= 50)
      t.sums[sizes[shop]] += amount;
  }
  t.sales = parse(sales);
  t.shops = parse(shops);
  return t;
}

static void check_sums(const rdx_relation *relation, const tables *t) {
  uint32_t size = 0;
  rdx_expression amount = {.kind = RDX_EXPRESSION_ATTRIBUTE};
  const rdx_aggregate sum = {RDX_AGGREGATE_SUM, &amount};
  rdx_query query = {.group_by = &size, .group_count = 1, .aggregates = &sum, .aggregate_count = 1};
  rdx_condition *condition = NULL;
  rdx_star *star = NULL;
  rdx_query_result *result = NULL;
  OK(rdx_relation_find(relation, "size", &size, err));
  OK(rdx_relation_find(relation, "amount", &amount.attribute, err));
  OK(rdx_condition_parse("amount >= 50 AND size >= 0", &condition, err));
  OK(rdx_condition_bind_relation(condition, relation, &query.where, err));
  OK(rdx_star_create(test_device, relation, NULL, &star, err));
  OK(rdx_star_run(star, &query, NULL, &result, err));
  const rdx_query_view view = test_view(result);
  uint64_t groups = 0;
  for (int i = 0; i < 4; i++)
    groups += t->sums[i] > 0;
  assert_int_equal(view.rows, groups);
  for (uint64_t i = 0; i < view.rows; i++)
    assert_true(((const int64_t *)view.columns[1].values)[i] == t->sums[((const int32_t *)view.columns[0].values)[i]]);
  rdx_query_result_destroy(&result);
  rdx_star_destroy(&star);
  rdx_condition_destroy(&condition);
}

static void tables_make_a_star(void **state) {
  (void)state;
  static const char *const names[] = {"size", "amount"};
  tables t = make_tables();
  const rdx_table_dimension shops = {t.shops, "shop", "id"};
  rdx_relation *relation = NULL;
  OK(rdx_relation_from_tables(t.sales, &shops, 1, NULL, 0, &relation, err));
  assert_int_equal(relation->attribute_count, 4);
  check_sums(relation, &t);
  rdx_relation_destroy(&relation);
  assert_null(relation);
  OK(rdx_relation_from_tables(t.sales, &shops, 1, names, 2, &relation, err));
  assert_int_equal(relation->attribute_count, 2);
  assert_string_equal(relation->attributes[0].name, "size");
  check_sums(relation, &t);
  rdx_relation_destroy(&relation);
  rdx_table_destroy(&t.sales);
  rdx_table_destroy(&t.shops);
}

static void what_names_no_column_is_refused(void **state) {
  (void)state;
  static const char *const unknown[] = {"colour"}, *const twice[] = {"size"};
  tables t = make_tables();
  const rdx_table_dimension shops = {t.shops, "shop", "id"}, wrong = {t.shops, "id", "id"};
  const rdx_table_dimension same[] = {{t.shops, "shop", "id"}, {t.shops, "shop", "id"}};
  rdx_relation *relation = NULL;
  rdx_condition *condition = NULL;
  const rdx_predicate *predicate = NULL;
  uint32_t number = 0;
  FAILS(RDX_ERROR_NOT_FOUND, rdx_relation_from_tables(t.sales, &shops, 1, unknown, 1, &relation, err));
  FAILS(RDX_ERROR_NOT_FOUND, rdx_relation_from_tables(t.sales, &wrong, 1, NULL, 0, &relation, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_relation_from_tables(t.sales, same, 2, twice, 1, &relation, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_relation_from_tables(t.sales, NULL, 1, NULL, 0, &relation, err));
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_relation_from_tables(t.sales, same, 9, NULL, 0, &relation, err));
  assert_null(relation);
  OK(rdx_relation_from_tables(t.sales, &shops, 1, NULL, 0, &relation, err));
  FAILS(RDX_ERROR_NOT_FOUND, rdx_relation_find(relation, "colour", &number, err));
  OK(rdx_condition_parse("colour = 3", &condition, err));
  FAILS(RDX_ERROR_NOT_FOUND, rdx_condition_bind_relation(condition, relation, &predicate, err));
  rdx_condition_destroy(&condition);
  rdx_relation_destroy(&relation);
  rdx_table_destroy(&t.sales);
  rdx_table_destroy(&t.shops);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(tables_make_a_star),
                                     cmocka_unit_test(what_names_no_column_is_refused)};
  return TEST_MAIN(tests);
}
