/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Ask a fact table and a dimension, without a join: what was sold in each city of a region. */

#include <raydex/raydex.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char shops[] = "shop,city,region\n1,Lyon,south\n2,Paris,north\n3,Nice,south\n4,Lyon,south\n";
static const char sales[] = "shop_sold_at,amount\n1,10\n3,25\n2,99\n4,7\n3,5\n1,1\n";

static rdx_status print_groups(const rdx_star *star, const rdx_query *query, rdx_error *err) {
  rdx_query_result *result = NULL;
  rdx_query_view view;
  rdx_status status = rdx_star_run(star, query, NULL, &result, err);
  if (status == RDX_OK)
    status = rdx_query_result_view(result, &view, err);
  for (uint64_t row = 0; status == RDX_OK && row < view.rows; row++) {
    uint64_t length = 0;
    const char *city = rdx_column_string(&view.columns[0], row, &length);
    printf("%.*s: %" PRId64 "\n", (int)length, city, ((const int64_t *)view.columns[1].values)[row]);
  }
  rdx_query_result_destroy(&result);
  return status;
}

/* SELECT city, sum(amount) FROM sales JOIN shops ON shop_sold_at = shop WHERE region = 'south' GROUP BY city */
static rdx_status ask(rdx_device *device, const rdx_relation *relation, rdx_error *err) {
  uint32_t city = 0;
  rdx_expression amount = {.kind = RDX_EXPRESSION_ATTRIBUTE};
  const rdx_aggregate sum = {.kind = RDX_AGGREGATE_SUM, .expression = &amount};
  rdx_query query = {.group_by = &city, .group_count = 1, .aggregates = &sum, .aggregate_count = 1};
  rdx_condition *condition = NULL;
  rdx_star *star = NULL;
  rdx_status status = rdx_relation_find(relation, "city", &city, err);
  if (status == RDX_OK)
    status = rdx_relation_find(relation, "amount", &amount.attribute, err);
  if (status == RDX_OK)
    status = rdx_condition_parse("region = 'south'", &condition, err);
  if (status == RDX_OK)
    status = rdx_condition_bind_relation(condition, relation, &query.where, err);
  if (status == RDX_OK)
    status = rdx_star_create(device, relation, NULL, &star, err);
  if (status == RDX_OK)
    status = print_groups(star, &query, err);
  rdx_star_destroy(&star);
  rdx_condition_destroy(&condition);
  return status;
}

int main(void) {
  rdx_error err;
  rdx_device *device = NULL;
  rdx_table *fact = NULL, *dimension = NULL;
  rdx_relation *relation = NULL;

  rdx_status status = rdx_device_open("cpu", NULL, &device, &err);
  if (status == RDX_OK) /* rdx_table_open() opens table files in the same way */
    status = rdx_table_parse_csv("sales", sales, strlen(sales), NULL, &fact, &err);
  if (status == RDX_OK)
    status = rdx_table_parse_csv("shops", shops, strlen(shops), NULL, &dimension, &err);
  if (status == RDX_OK) {
    const rdx_table_dimension of_shops = {.table = dimension, .foreign_key = "shop_sold_at", .key = "shop"};
    status = rdx_relation_from_tables(fact, &of_shops, 1, NULL, 0, &relation, &err);
  }
  if (status == RDX_OK)
    status = ask(device, relation, &err);
  if (status != RDX_OK)
    fprintf(stderr, "%s: %s\n", rdx_status_name(status), err.text);

  rdx_relation_destroy(&relation);
  rdx_table_destroy(&dimension);
  rdx_table_destroy(&fact);
  rdx_device_close(&device);
  return status == RDX_OK ? 0 : 1;
}
