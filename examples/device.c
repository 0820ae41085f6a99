/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Add up what customers of one region bought. All that is between the calls stays on the device: only the total is
 * copied to the host. The argument is the device's name. */

#include <raydex/raydex.h>

#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Customers, and what they bought. */
static const uint32_t ids[] = {11, 12, 13, 14, 15}, regions[] = {1, 2, 1, 1, 2};
static const uint32_t buyers[] = {13, 12, 11, 15, 13, 12, 14, 13};
static const int64_t cents[] = {1250, 499, 2000, 10000, 75, 1, 330, 600};

static rdx_column column_of(rdx_type type, const void *values, uint64_t rows) {
  return (rdx_column){.type = type, .rows = rows, .values = values};
}

/* The ids of a region's customers; those of others are NULL. */
static rdx_status find_customers(rdx_device *device, uint32_t region, rdx_device_column **out, rdx_error *err) {
  const rdx_column column = column_of(RDX_TYPE_U32, regions, COUNT(regions));
  const rdx_column all = column_of(RDX_TYPE_U32, ids, COUNT(ids));
  const rdx_predicate predicate = {.kind = RDX_PREDICATE_EQ, .values = column_of(RDX_TYPE_U32, &region, 1)};
  rdx_scan *scan = NULL;
  rdx_scan_result *found = NULL;
  rdx_status status = rdx_scan_create(device, &column, 1, NULL, &scan, err);
  if (status == RDX_OK)
    status = rdx_scan_run(scan, &predicate, &(rdx_scan_run_params){.result = RDX_SCAN_BITMAP}, &found, err);
  if (status == RDX_OK)
    status = rdx_scan_result_filter(found, &all, out, err);
  rdx_scan_result_destroy(&found);
  rdx_scan_destroy(&scan);
  return status;
}

/* What each of them bought; NULL where that is nothing. */
static rdx_status find_sums(rdx_device *device, const rdx_device_column *customers, rdx_device_column **out,
                            rdx_error *err) {
  const rdx_column keys = column_of(RDX_TYPE_U32, buyers, COUNT(buyers));
  const rdx_column values = column_of(RDX_TYPE_I64, cents, COUNT(cents));
  const rdx_column probes = rdx_device_column_view(customers);
  rdx_index *index = NULL;
  rdx_lookup_result *sums = NULL;
  rdx_status status = rdx_index_create(device, &keys, NULL, &index, err);
  if (status == RDX_OK)
    status =
        rdx_index_lookup(index, &probes, &(rdx_lookup_params){.result = RDX_LOOKUP_SUM, .values = &values}, &sums, err);
  if (status == RDX_OK)
    status = rdx_lookup_result_column(sums, RDX_LOOKUP_SUM, out, err);
  rdx_lookup_result_destroy(&sums);
  rdx_index_destroy(&index);
  return status;
}

static rdx_status print_total(rdx_device *device, const rdx_device_column *sums, rdx_error *err) {
  const rdx_attribute attribute = {.name = "sum", .column = rdx_device_column_view(sums)};
  const rdx_relation relation = {.rows = attribute.column.rows, .attributes = &attribute, .attribute_count = 1};
  const rdx_expression sum = {.kind = RDX_EXPRESSION_ATTRIBUTE};
  const rdx_aggregate total = {.kind = RDX_AGGREGATE_SUM, .expression = &sum};
  rdx_star *star = NULL;
  rdx_query_result *result = NULL;
  rdx_query_view view;
  rdx_status status =
      rdx_star_create(device, &relation, &(rdx_star_params){.method = RDX_STAR_COLUMN_ENGINE}, &star, err);
  if (status == RDX_OK)
    status = rdx_star_run(star, &(rdx_query){.aggregates = &total, .aggregate_count = 1}, NULL, &result, err);
  if (status == RDX_OK)
    status = rdx_query_result_view(result, &view, err);
  if (status == RDX_OK)
    printf("total: %lld cents\n", (long long)((const int64_t *)view.columns[0].values)[0]);
  rdx_query_result_destroy(&result);
  rdx_star_destroy(&star);
  return status;
}

int main(int argc, char **argv) {
  rdx_error err;
  rdx_device *device = NULL;
  rdx_device_column *customers = NULL, *sums = NULL;

  rdx_status status = rdx_device_open(argc > 1 ? argv[1] : "cpu", NULL, &device, &err);
  if (status == RDX_OK)
    status = find_customers(device, 1, &customers, &err);
  if (status == RDX_OK)
    status = find_sums(device, customers, &sums, &err);
  if (status == RDX_OK)
    status = print_total(device, sums, &err);
  if (status != RDX_OK)
    fprintf(stderr, "%s: %s\n", rdx_status_name(status), err.text);

  rdx_device_column_destroy(&sums);
  rdx_device_column_destroy(&customers);
  rdx_device_close(&device);
  return status == RDX_OK ? 0 : 1;
}
