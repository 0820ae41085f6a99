/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* What stars and their queries are refused for, and what is said then. */
#include "flat_star.h"
#include "queries.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void test_bad_queries(void **state) {
  (void)state;
  const rdx_aggregate count = {0}, unknown = {(rdx_aggregate_kind)9, &number}, none = {RDX_AGGREGATE_SUM, NULL},
                      text = {RDX_AGGREGATE_SUM, &letter}, one = {RDX_AGGREGATE_MIN, &number};
  const rdx_expression half = {.kind = RDX_EXPRESSION_ADD, .left = &number}, strange = {.kind = (rdx_expression_kind)9},
                       missing = {.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = 2};
  const rdx_aggregate of_half = {RDX_AGGREGATE_SUM, &half}, of_strange = {RDX_AGGREGATE_SUM, &strange},
                      of_missing = {RDX_AGGREGATE_MIN, &missing};
  rdx_expression deep[100];
  for (size_t i = 0; i < COUNT(deep); i++)
    deep[i] = (rdx_expression){
        .kind = RDX_EXPRESSION_ADD, .left = i + 1 < COUNT(deep) ? &deep[i + 1] : &number, .right = &deep[i + 1]};
  deep[COUNT(deep) - 1] = number;
  const rdx_aggregate of_deep = {RDX_AGGREGATE_SUM, deep};
  const rdx_order order = {.column = 1};
  const uint32_t second = 2;
  const struct {
    rdx_query query;
    rdx_status status;
  } cases[] = {
      {{0}, RDX_ERROR_ARGUMENT},
      {{.aggregates = &unknown, .aggregate_count = 1}, RDX_ERROR_ARGUMENT},
      {{.aggregates = &none, .aggregate_count = 1}, RDX_ERROR_ARGUMENT},
      {{.aggregates = &text, .aggregate_count = 1}, RDX_ERROR_ARGUMENT},
      {{.aggregates = &of_half, .aggregate_count = 1}, RDX_ERROR_ARGUMENT},
      {{.aggregates = &of_strange, .aggregate_count = 1}, RDX_ERROR_ARGUMENT},
      {{.aggregates = &of_missing, .aggregate_count = 1}, RDX_ERROR_ARGUMENT},
      {{.aggregates = &of_deep, .aggregate_count = 1}, RDX_ERROR_UNSUPPORTED},
      {{.aggregates = &one, .aggregate_count = 9}, RDX_ERROR_ARGUMENT},
      {{.aggregate_count = 1}, RDX_ERROR_ARGUMENT},
      {{.group_by = &second, .group_count = 1}, RDX_ERROR_ARGUMENT},
      {{.group_count = 1}, RDX_ERROR_ARGUMENT},
      {{.aggregates = &count, .aggregate_count = 1, .order_by = &order, .order_count = 1}, RDX_ERROR_ARGUMENT},
      {{.aggregates = &count, .aggregate_count = 1, .order_count = 1}, RDX_ERROR_ARGUMENT},
  };
  for (size_t m = 0; m < RDX_STAR_METHODS; m++) {
    rdx_star *star = NULL;
    rdx_query_result *result = NULL;
    OK(rdx_star_create(test_device, &flat, &(rdx_star_params){.method = (rdx_star_method)m}, &star, err));
    for (size_t i = 0; i < COUNT(cases); i++)
      FAILS(cases[i].status, rdx_star_run(star, &cases[i].query, NULL, &result, err));
    FAILS(RDX_ERROR_ARGUMENT, rdx_star_run(star, NULL, NULL, &result, err));
    FAILS(RDX_ERROR_ARGUMENT, rdx_star_run(NULL, &cases[0].query, NULL, &result, err));
    assert_null(result);
    rdx_star_destroy(&star);
  }
}

static void refuse(const rdx_relation *relation, rdx_status status) {
  rdx_star *star = NULL;
  FAILS(status, rdx_star_create(test_device, relation, NULL, &star, err));
  assert_null(star);
}

static void test_bad_relations(void **state) {
  (void)state;
  static const int32_t keys[] = {1, 2, 2}, foreign[ROWS] = {1, 2, 1, 2, 1, 2};
  static const uint8_t some[] = {3};
  rdx_dimension dimension = {{.type = RDX_TYPE_I32, .rows = ROWS, .values = foreign},
                             {.type = RDX_TYPE_I32, .rows = 3, .values = keys}};
  rdx_relation r = {
      .rows = ROWS, .attributes = attributes, .attribute_count = 2, .dimensions = &dimension, .dimension_count = 1};
  refuse(&r, RDX_ERROR_ARGUMENT); /* a key twice */
  dimension.key.validity = some;
  refuse(&r, RDX_ERROR_ARGUMENT); /* a key that is NULL */
  dimension.key = (rdx_column){.type = RDX_TYPE_F64, .rows = 1, .values = large};
  refuse(&r, RDX_ERROR_ARGUMENT); /* another type */
  dimension.key = (rdx_column){.type = RDX_TYPE_I32, .rows = 2, .values = keys};
  dimension.foreign_key.rows = 5;
  refuse(&r, RDX_ERROR_ARGUMENT);
  r.dimension_count = 9;
  refuse(&r, RDX_ERROR_ARGUMENT);
  r = flat;
  r.rows = ROWS - 1;
  refuse(&r, RDX_ERROR_ARGUMENT);
  r.rows = UINT32_MAX;
  refuse(&r, RDX_ERROR_UNSUPPORTED);
  rdx_attribute bad = attributes[0];
  r = (rdx_relation){.rows = ROWS, .attributes = &bad, .attribute_count = 1};
  bad.dimension = 1;
  refuse(&r, RDX_ERROR_ARGUMENT);
  bad = (rdx_attribute){NULL, attributes[0].column, 0};
  refuse(&r, RDX_ERROR_ARGUMENT);
  refuse(NULL, RDX_ERROR_ARGUMENT);
  rdx_star *star = NULL;
  FAILS(RDX_ERROR_ARGUMENT,
        rdx_star_create(test_device, &flat, &(rdx_star_params){.method = (rdx_star_method)99}, &star, err));
  OK(rdx_star_create(test_device, &flat, &(rdx_star_params){.method = RDX_STAR_COLUMN_ENGINE}, &star, err));
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_star_add_cube(star, &(rdx_cube_spec){0}, err)); /* columns need none */
  rdx_star_destroy(&star);
}

static void fails_saying(const rdx_star *star, const rdx_query *q, const char *text) {
  rdx_query_result *result = NULL;
  rdx_error why = {""};
  assert_int_equal(rdx_star_run(star, q, NULL, &result, &why), RDX_ERROR_UNSUPPORTED);
  assert_non_null(strstr(why.text, text));
  assert_null(result);
}

/* A query that no cube serves is refused with all that the nearest one lacks. */
static void test_no_cube(void **state) {
  (void)state;
  static const uint32_t scan[] = {0};
  const rdx_predicate five = {.kind = RDX_PREDICATE_GT,
                              .values = {.type = RDX_TYPE_I64, .rows = 1, .values = &large[5]}};
  const rdx_aggregate sum = {RDX_AGGREGATE_SUM, &number};
  const rdx_query q = {
      .where = &five, .group_by = by_letter, .group_count = 1, .aggregates = &sum, .aggregate_count = 1};
  rdx_star *star = NULL;
  OK(rdx_star_create(test_device, &flat, &(rdx_star_params){.method = RDX_STAR_SORTED_CUBE}, &star, err));
  fails_saying(star, &q, "no cube yet");
  OK(rdx_star_add_cube(star, &(rdx_cube_spec){0}, err));
  fails_saying(star, &q, "the only one lacks to scan number, to group by letter, an expression of its aggregates");
  OK(rdx_star_add_cube(star, &(rdx_cube_spec){.scan = scan, .scan_count = 1}, err));
  OK(rdx_star_add_cube(star, &(rdx_cube_spec){0}, err));
  fails_saying(star, &q, "the nearest lacks to group by letter, an expression of its aggregates");
  const rdx_aggregate sums[] = {sum, {RDX_AGGREGATE_MAX, &letter}};
  fails_saying(star, &(rdx_query){.aggregates = sums, .aggregate_count = 2}, "lacks expressions of its aggregates");
  rdx_star_destroy(&star);
  rdx_attribute many[8]; /* the list is whole, however long it is */
  uint32_t all[COUNT(many)];
  for (uint32_t i = 0; i < COUNT(many); i++) {
    all[i] = i;
    many[i] = (rdx_attribute){"a name of forty letters, and all are said", attributes[0].column, 0};
  }
  const rdx_relation wide = {.rows = ROWS, .attributes = many, .attribute_count = COUNT(many)};
  OK(rdx_star_create(test_device, &wide, &(rdx_star_params){.method = RDX_STAR_SORTED_CUBE}, &star, err));
  OK(rdx_star_add_cube(star, &(rdx_cube_spec){0}, err));
  const rdx_query long_q = {.group_by = all, .group_count = COUNT(all), .aggregates = &sum, .aggregate_count = 1};
  fails_saying(star, &long_q, "an expression of its aggregates");
  rdx_star_destroy(&star);
}

static void test_names(void **state) {
  (void)state;
  rdx_star_method method;
  for (size_t m = 0; m < RDX_STAR_METHODS; m++) {
    OK(rdx_star_method_from_name(rdx_star_method_name((rdx_star_method)m), &method, err));
    assert_int_equal(method, m);
  }
  FAILS(RDX_ERROR_NOT_FOUND, rdx_star_method_from_name("hypercube", &method, err));
  assert_string_equal(rdx_star_method_name((rdx_star_method)99), "unknown");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bad_queries),
      cmocka_unit_test(test_bad_relations),
      cmocka_unit_test(test_no_cube),
      cmocka_unit_test(test_names),
  };
  return TEST_MAIN(tests);
}
