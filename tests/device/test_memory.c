/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Allocations that fail, each in turn: an error, no leak, and everything still works afterwards. */

#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/failing_memory.h"

/* A job that stops at the first error and leaves nothing. */
typedef rdx_status (*job)(rdx_error *err);

static rdx_status index_job(rdx_index_method method, rdx_lookup_result_kind result_kind, const rdx_column *keys,
                            const rdx_column *values, rdx_error *err) {
  rdx_index *index = NULL;
  rdx_lookup_result *result = NULL;
  rdx_lookup_view view;
  const rdx_index_params params = {.method = method, .rx.updatable = method == RDX_INDEX_RX};
  const rdx_lookup_params lookup = {.result = result_kind, .values = values, .stats = true};
  rdx_status status = rdx_index_create(test_device, keys, &params, &index, err);
  if (status == RDX_OK && !rdx_index_method_abilities(method).ranges)
    status = rdx_index_lookup(index, keys, &lookup, &result, err);
  else if (status == RDX_OK)
    status = rdx_index_range(index, keys, keys, &lookup, &result, err);
  if (status == RDX_OK)
    status = rdx_lookup_result_view(result, &view, err);
  if (status == RDX_OK)
    status = rdx_index_update(index, keys, RDX_UPDATE_REBUILD, err);
  rdx_lookup_result_destroy(&result);
  rdx_index_destroy(&index);
  return status;
}

static const int64_t numbers[] = {5, 1, 5, -3, 1ll << 50, 0};
static const uint8_t bits[] = {0x2f};
static const rdx_column int_keys = {.type = RDX_TYPE_I64, .rows = 6, .values = numbers, .validity = bits};

static rdx_status rx_rows(rdx_error *err) {
  return index_job(RDX_INDEX_RX, RDX_LOOKUP_ROWS, &int_keys, NULL, err);
}

static rdx_status rx_sum(rdx_error *err) {
  return index_job(RDX_INDEX_RX, RDX_LOOKUP_SUM, &int_keys, &int_keys, err);
}

static rdx_status array_float_sum(rdx_error *err) {
  static const double reals[] = {1, 2, 3, 4, 5, 6};
  const rdx_column values = {.type = RDX_TYPE_F64, .rows = 6, .values = reals};
  return index_job(RDX_INDEX_SORTED_ARRAY, RDX_LOOKUP_SUM, &int_keys, &values, err);
}

static rdx_status hash_rows(rdx_error *err) {
  return index_job(RDX_INDEX_HASH, RDX_LOOKUP_ROWS, &int_keys, NULL, err);
}

static rdx_status radix_hash_rows(rdx_error *err) {
  return index_job(RDX_INDEX_RADIX_HASH, RDX_LOOKUP_ROWS, &int_keys, NULL, err);
}

static rdx_status radix_hash_sum(rdx_error *err) {
  return index_job(RDX_INDEX_RADIX_HASH, RDX_LOOKUP_SUM, &int_keys, &int_keys, err);
}

/* Probes in another order than given, some of them NULL, and their answers brought back. */
static rdx_status sorted_probes(rdx_error *err) {
  rdx_index *index = NULL;
  rdx_lookup_result *results[2] = {NULL, NULL};
  const rdx_index_params params = {.method = RDX_INDEX_SORTED_ARRAY};
  const rdx_lookup_params rows = {.result = RDX_LOOKUP_ROWS, .sort_probes = true};
  const rdx_lookup_params sum = {.result = RDX_LOOKUP_SUM, .values = &int_keys, .sort_probes = true};
  rdx_status status = rdx_index_create(test_device, &int_keys, &params, &index, err);
  if (status == RDX_OK)
    status = rdx_index_range(index, &int_keys, &int_keys, &rows, &results[0], err);
  if (status == RDX_OK)
    status = rdx_index_lookup(index, &int_keys, &sum, &results[1], err);
  rdx_lookup_result_destroy(&results[0]);
  rdx_lookup_result_destroy(&results[1]);
  rdx_index_destroy(&index);
  return status;
}

static rdx_status join_job(rdx_join_result_kind result, rdx_error *err) {
  rdx_join_result *join = NULL;
  const rdx_join_params params = {.kind = RDX_JOIN_LEFT,
                                  .result = result,
                                  .index.method = RDX_INDEX_RADIX_HASH,
                                  .mapping = RDX_JOIN_MAPPING_DIRECT};
  const rdx_status status = rdx_join_equal(test_device, &int_keys, &int_keys, &params, &join, err);
  rdx_join_result_destroy(&join);
  return status;
}

/* Probes and keys, some of them NULL, that look each other up the other way round; of strings by codes of both. */
static rdx_status inverse_job(const rdx_column *keys, const rdx_column *probes, const rdx_lookup_params *params,
                              rdx_error *err) {
  rdx_lookup_result *result = NULL;
  rdx_lookup_view view;
  rdx_status status = rdx_lookup_inverse(test_device, keys, probes, NULL, params, NULL, &result, err);
  if (status == RDX_OK)
    status = rdx_lookup_result_view(result, &view, err);
  else
    assert_null(result);
  rdx_lookup_result_destroy(&result);
  return status;
}

static rdx_status inverse_rows(rdx_error *err) {
  return inverse_job(&int_keys, &int_keys, &(rdx_lookup_params){.result = RDX_LOOKUP_ROWS, .stats = true}, err);
}

static rdx_status inverse_sum(rdx_error *err) {
  return inverse_job(&int_keys, &int_keys, &(rdx_lookup_params){.result = RDX_LOOKUP_SUM, .values = &int_keys}, err);
}

static rdx_status inverse_float_sum(rdx_error *err) {
  static const double reals[] = {1, 2, 3, 4, 5, 6};
  const rdx_column values = {.type = RDX_TYPE_F64, .rows = 6, .values = reals};
  return inverse_job(&int_keys, &int_keys, &(rdx_lookup_params){.result = RDX_LOOKUP_SUM, .values = &values}, err);
}

static rdx_status inverse_strings(rdx_error *err) {
  static const uint64_t offsets[] = {0, 1, 3, 4, 6};
  const rdx_column texts = {.type = RDX_TYPE_STRING, .rows = 4, .values = "abbabb", .offsets = offsets};
  return inverse_job(&texts, &texts, &(rdx_lookup_params){.result = RDX_LOOKUP_FIRST}, err);
}

static rdx_status join_ranges(rdx_error *err) {
  rdx_join_result *join = NULL;
  const rdx_join_params params = {.mapping = RDX_JOIN_MAPPING_DIRECT};
  const rdx_status status = rdx_join_between(test_device, &int_keys, &int_keys, &int_keys, &params, &join, err);
  rdx_join_result_destroy(&join);
  return status;
}

/* Results as columns of the device: of a scan, a lookup and a join, and rows of these. */
static rdx_status result_columns(rdx_error *err) {
  const rdx_predicate all = {.kind = RDX_PREDICATE_IS_NOT_NULL};
  rdx_scan *scan = NULL;
  rdx_scan_result *found = NULL;
  rdx_index *index = NULL;
  rdx_lookup_result *sums = NULL, *firsts = NULL;
  rdx_join_result *pairs = NULL;
  rdx_join_view view;
  rdx_device_column *columns[6] = {NULL};
  rdx_status status = rdx_scan_create(test_device, &int_keys, 1, NULL, &scan, err);
  if (status == RDX_OK)
    status = rdx_scan_run(scan, &all, &(rdx_scan_run_params){.result = RDX_SCAN_BITMAP}, &found, err);
  if (status == RDX_OK)
    status = rdx_scan_result_filter(found, &int_keys, &columns[0], err);
  if (status == RDX_OK)
    status = rdx_index_create(test_device, &int_keys, &(rdx_index_params){.method = RDX_INDEX_HASH}, &index, err);
  const rdx_column probes = columns[0] ? rdx_device_column_view(columns[0]) : int_keys;
  const rdx_lookup_params sum = {.result = RDX_LOOKUP_SUM, .values = &int_keys}, first = {.result = RDX_LOOKUP_FIRST};
  if (status == RDX_OK)
    status = rdx_index_lookup(index, &probes, &sum, &sums, err);
  if (status == RDX_OK)
    status = rdx_lookup_result_column(sums, RDX_LOOKUP_SUM, &columns[1], err);
  if (status == RDX_OK)
    status = rdx_index_lookup(index, &probes, &first, &firsts, err);
  if (status == RDX_OK)
    status = rdx_lookup_result_column(firsts, RDX_LOOKUP_FIRST, &columns[2], err);
  if (status == RDX_OK)
    status = rdx_device_column_gather(columns[1], columns[2], &columns[3], err);
  if (status == RDX_OK)
    status = rdx_join_equal(test_device, &int_keys, &int_keys, &(rdx_join_params){.mapping = RDX_JOIN_MAPPING_DIRECT},
                            &pairs, err);
  if (status == RDX_OK)
    status = rdx_join_result_column(pairs, RDX_JOIN_SIDE_LEFT, &columns[4], err);
  if (status == RDX_OK)
    status = rdx_join_result_view(pairs, &view, err);
  if (status == RDX_OK)
    status = rdx_join_result_column(pairs, RDX_JOIN_SIDE_RIGHT, &columns[5], err);
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
    rdx_device_column_destroy(&columns[i]);
  rdx_join_result_destroy(&pairs);
  rdx_lookup_result_destroy(&sums);
  rdx_lookup_result_destroy(&firsts);
  rdx_index_destroy(&index);
  rdx_scan_result_destroy(&found);
  rdx_scan_destroy(&scan);
  return status;
}

static rdx_status join_pairs(rdx_error *err) {
  return join_job(RDX_JOIN_PAIRS, err);
}

static rdx_status join_count(rdx_error *err) {
  return join_job(RDX_JOIN_COUNT, err);
}

static rdx_status hash_distinct(rdx_error *err) {
  const rdx_column keys = {.type = RDX_TYPE_I64, .rows = 2, .values = numbers};
  return index_job(RDX_INDEX_HASH, RDX_LOOKUP_SUM, &keys, &keys, err);
}

static rdx_status columns_job(rdx_error *err) {
  static const uint64_t wide[] = {0, UINT64_MAX, 7, 1, 9, 2};
  const rdx_column keys[] = {{.type = RDX_TYPE_U64, .rows = 3, .values = wide},
                             {.type = RDX_TYPE_STRING, .rows = 3, .values = "abc", .offsets = (uint64_t[]){0, 1, 2, 3}},
                             {.type = RDX_TYPE_U64, .rows = 3, .values = wide, .validity = bits}};
  rdx_index *index = NULL;
  rdx_lookup_result *result = NULL;
  rdx_status status = rdx_index_create_columns(test_device, keys, 3, NULL, &index, err);
  if (status == RDX_OK)
    status = rdx_index_range_columns(index, keys, keys, 2, NULL, &result, err);
  rdx_lookup_result_destroy(&result);
  rdx_index_destroy(&index);
  return status;
}

/* A batch of which some cancels, onto an index and onto one without keys. */
static rdx_status changes_job_of(const rdx_index_params *params, rdx_error *err) {
  static const int64_t inserted[] = {5, 5, 7, 1, 9, 2};
  const rdx_column inserts = {.type = RDX_TYPE_I64, .rows = 6, .values = inserted, .validity = bits};
  const rdx_lookup_params lookup = {.result = RDX_LOOKUP_ROWS, .stats = true};
  rdx_index *index = NULL;
  rdx_lookup_result *result = NULL;
  rdx_status status = rdx_index_create(test_device, &int_keys, params, &index, err);
  if (status == RDX_OK)
    status = rdx_index_apply(index, &(rdx_index_changes){&inserts, &int_keys}, err);
  if (status == RDX_OK)
    status = rdx_index_apply(index, &(rdx_index_changes){NULL, &inserts}, err);
  if (status == RDX_OK)
    status = rdx_index_apply(index, &(rdx_index_changes){&int_keys, NULL}, err);
  if (status == RDX_OK && params->method == RDX_INDEX_CGRX_UPDATABLE)
    status = rdx_index_rebuild(index, err);
  if (status == RDX_OK)
    status = rdx_index_range(index, &int_keys, &int_keys, &lookup, &result, err);
  rdx_lookup_result_destroy(&result);
  rdx_index_destroy(&index);
  return status;
}

static rdx_status changes_job(rdx_error *err) {
  return changes_job_of(&(rdx_index_params){.method = RDX_INDEX_BTREE, .btree.fill_percent = 10}, err);
}

/* The first batch links new nodes; or, where chains may not grow, rebuilds. */
static rdx_status chains_job(rdx_error *err) {
  return changes_job_of(
      &(rdx_index_params){.method = RDX_INDEX_CGRX_UPDATABLE,
                          .cgrx_updatable = {.node_size = 4, .fill_percent = 100, .longest_chain = 100}},
      err);
}

static rdx_status rebuilds_job(rdx_error *err) {
  return changes_job_of(
      &(rdx_index_params){.method = RDX_INDEX_CGRX_UPDATABLE, .cgrx_updatable = {.node_size = 4, .longest_chain = 1}},
      err);
}

static rdx_status strings(rdx_error *err) {
  static const uint64_t offsets[] = {0, 12, 24, 26};
  const rdx_column keys = {
      .type = RDX_TYPE_STRING, .rows = 3, .values = "long-text-01long-text-02ab", .offsets = offsets};
  return index_job(RDX_INDEX_SORTED_ARRAY, RDX_LOOKUP_COUNT, &keys, NULL, err);
}

static rdx_status long_strings(rdx_error *err) {
  static const uint64_t offsets[] = {0, 12, 24, 26};
  const rdx_column keys = {
      .type = RDX_TYPE_STRING, .rows = 3, .values = "long-text-01long-text-02ab", .offsets = offsets};
  const rdx_column values = {.type = RDX_TYPE_I64, .rows = 3, .values = numbers};
  return index_job(test_traces() ? RDX_INDEX_RX : RDX_INDEX_SORTED_ARRAY, RDX_LOOKUP_SUM, &keys, &values, err);
}

/* Everything in a device column, and a refit. */
static rdx_status device_columns(rdx_error *err) {
  rdx_device_column *keys = NULL, *values = NULL;
  rdx_column key_view = {0}, value_view = {0};
  rdx_index *index = NULL;
  rdx_lookup_result *result = NULL;
  rdx_lookup_view view;
  const rdx_index_params params = {.method = test_traces() ? RDX_INDEX_RX : RDX_INDEX_SORTED_ARRAY,
                                   .rx.updatable = test_traces()};
  rdx_status status = rdx_device_column_create(test_device, &int_keys, &keys, err);
  if (status == RDX_OK)
    status = rdx_device_column_create(test_device, &int_keys, &values, err);
  if (status == RDX_OK) {
    key_view = rdx_device_column_view(keys);
    value_view = rdx_device_column_view(values);
    status = rdx_index_create(test_device, &key_view, &params, &index, err);
  }
  const rdx_lookup_params lookup = {.result = RDX_LOOKUP_SUM, .values = &value_view};
  if (status == RDX_OK)
    status = rdx_index_lookup(index, &key_view, &lookup, &result, err);
  if (status == RDX_OK)
    status = rdx_lookup_result_view(result, &view, err);
  if (status == RDX_OK && test_traces())
    status = rdx_index_update(index, &key_view, RDX_UPDATE_REFIT, err);
  rdx_lookup_result_destroy(&result);
  rdx_index_destroy(&index);
  rdx_device_column_destroy(&keys);
  rdx_device_column_destroy(&values);
  return status;
}

/* Terms of several columns, a list that is searched, NULLs, OR and every kind of result. */
static rdx_status scan_job(const rdx_scan_params *method, rdx_error *err) {
  static const uint64_t offsets[] = {0, 1, 3, 3, 4, 6, 7};
  static const int64_t list[] = {5, 1, -3, 0, 77, 100, 9, 12};
  const rdx_column columns[] = {int_keys,
                                {.type = RDX_TYPE_STRING, .rows = 6, .values = "abcdefg", .offsets = offsets}};
  const rdx_column literals = {.type = RDX_TYPE_I64, .rows = 8, .values = list};
  const rdx_column text = {.type = RDX_TYPE_STRING, .rows = 1, .values = "abcdefg", .offsets = offsets};
  const rdx_predicate leaves[] = {{.kind = RDX_PREDICATE_IN, .values = literals},
                                  {.kind = RDX_PREDICATE_GE, .column = 1, .values = text},
                                  {.kind = RDX_PREDICATE_IS_NULL}};
  const rdx_predicate both[] = {{.kind = RDX_PREDICATE_AND, .children = leaves, .child_count = 2}, leaves[2]};
  const rdx_predicate predicate = {.kind = RDX_PREDICATE_OR, .children = both, .child_count = 2};
  rdx_scan *scan = NULL;
  rdx_status status = rdx_scan_create(test_device, columns, 2, method, &scan, err);
  for (rdx_scan_result_kind kind = RDX_SCAN_COUNT; kind <= RDX_SCAN_BITMAP && status == RDX_OK; kind++) {
    rdx_scan_result *result = NULL;
    rdx_scan_view view = {0};
    const rdx_scan_run_params params = {.result = kind, .stats = true};
    status = rdx_scan_run(scan, &predicate, &params, &result, err);
    if (status == RDX_OK)
      status = rdx_scan_result_view(result, &view, err);
    if (status == RDX_OK)
      assert_int_equal(view.count, 5);
    rdx_scan_result_destroy(&result);
  }
  rdx_scan_destroy(&scan);
  return status;
}

static rdx_status column_scan(rdx_error *err) {
  return scan_job(&(rdx_scan_params){.method = RDX_SCAN_COLUMN}, err);
}

static rdx_status bindex_scan(rdx_error *err) {
  return scan_job(&(rdx_scan_params){.method = RDX_SCAN_BINDEX}, err);
}

static rdx_status btree_scan(rdx_error *err) {
  return scan_job(&(rdx_scan_params){.method = RDX_SCAN_BTREE}, err);
}

static rdx_status rtc1_scan(rdx_error *err) {
  return scan_job(&(rdx_scan_params){.method = RDX_SCAN_RTC1}, err);
}

static rdx_status rtc3_scan(rdx_error *err) {
  return scan_job(&(rdx_scan_params){.method = RDX_SCAN_RTC3}, err);
}

static rdx_status scan_choice(rdx_error *err) {
  return scan_job(&(rdx_scan_params){.among = {.bindex = true, .rtscan = true}}, err);
}

static rdx_status rtscan_scan(rdx_error *err) {
  return scan_job(&(rdx_scan_params){.method = RDX_SCAN_RTSCAN}, err);
}

/* A star whose dimension has text keys. Groups that have slots, then so many that rows are sorted by them. */
static rdx_status star_job(rdx_star_params params, rdx_error *err) {
  static const uint64_t offsets[] = {0, 10, 20, 30, 40, 50, 60}, first[] = {0, 10};
  static const char text[] = "customer#1customer#2customer#3customer#1customer#1customer#4";
  static const uint32_t groups[] = {0, 1, 0, 0, 0, 0, 0, 0};
  const rdx_column keys = {.type = RDX_TYPE_STRING, .rows = 3, .values = text, .offsets = offsets};
  const rdx_column foreign = {.type = RDX_TYPE_STRING, .rows = 6, .values = text, .offsets = offsets};
  static const double weights[] = {0.5, -1e30, NAN};
  const rdx_attribute attributes[] = {
      {"number", int_keys, 0}, {"name", keys, 1}, {"weight", {.type = RDX_TYPE_F64, .rows = 3, .values = weights}, 1}};
  const rdx_dimension dimension = {foreign, keys};
  const rdx_relation relation = {
      .rows = 6, .attributes = attributes, .attribute_count = 3, .dimensions = &dimension, .dimension_count = 1};
  const rdx_predicate leaves[] = {
      {.kind = RDX_PREDICATE_IS_NULL},
      {.kind = RDX_PREDICATE_GE, .column = 1, .values = {RDX_TYPE_STRING, 0, 1, text, first, NULL, NULL, NULL}}};
  const rdx_predicate either = {.kind = RDX_PREDICATE_OR, .children = leaves, .child_count = 2};
  const rdx_expression number = {.kind = RDX_EXPRESSION_ATTRIBUTE},
                       name = {RDX_EXPRESSION_ATTRIBUTE, 1, 0, 0, NULL, NULL},
                       weight = {RDX_EXPRESSION_ATTRIBUTE, 2, 0, 0, NULL, NULL},
                       twice = {.kind = RDX_EXPRESSION_ADD, .left = &number, .right = &number};
  const rdx_aggregate aggregates[] = {
      {RDX_AGGREGATE_SUM, &twice}, {RDX_AGGREGATE_MIN, &name}, {RDX_AGGREGATE_SUM, &weight}};
  const rdx_order order = {.column = 1, .descending = true};
  const uint32_t counts[] = {2, 8};
  rdx_star *star = NULL;
  rdx_status status = rdx_star_create(test_device, &relation, &params, &star, err);
  for (int i = 0; i < 2 && status == RDX_OK; i++) {
    const rdx_query query = {.where = &either,
                             .group_by = groups,
                             .group_count = counts[i],
                             .aggregates = aggregates,
                             .aggregate_count = 3,
                             .having = leaves + 1, /* a name, too */
                             .order_by = &order,
                             .order_count = 1};
    rdx_query_result *result = NULL;
    status = rdx_star_prepare(star, &query, 1, err);
    if (status == RDX_OK)
      status = rdx_star_run(star, &query, NULL, &result, err);
    if (status == RDX_OK)
      assert_int_equal(test_view(result).rows, 5);
    rdx_query_result_destroy(&result);
  }
  rdx_star_destroy(&star);
  return status;
}

/* One for which there is no memory does without a cube. */
static rdx_status auto_star(rdx_error *err) {
  return star_job((rdx_star_params){.method = RDX_STAR_AUTO}, err);
}

static rdx_status column_engine(rdx_error *err) {
  return star_job((rdx_star_params){.method = RDX_STAR_COLUMN_ENGINE}, err);
}

static rdx_status sorted_cube(rdx_error *err) {
  return star_job((rdx_star_params){.method = RDX_STAR_SORTED_CUBE}, err);
}

static rdx_status coarse_cube(rdx_error *err) {
  return star_job((rdx_star_params){.method = RDX_STAR_COARSE_CUBE, .coarse_cube.block_rows = 1}, err);
}

/* A coarse cube that keeps what runs of rows come to. */
static rdx_status coarse_runs(rdx_error *err) {
  static uint32_t values[96];
  for (uint32_t i = 0; i < 96; i++)
    values[i] = i / 32;
  const rdx_attribute attribute = {"a", {.type = RDX_TYPE_U32, .rows = 96, .values = values}, 0};
  const rdx_relation relation = {.rows = 96, .attributes = &attribute, .attribute_count = 1};
  const rdx_star_params params = {.method = RDX_STAR_COARSE_CUBE, .coarse_cube.block_rows = 24};
  const rdx_expression a = {.kind = RDX_EXPRESSION_ATTRIBUTE};
  const rdx_aggregate sum = {RDX_AGGREGATE_SUM, &a};
  const uint32_t group = 0, two = 2;
  const rdx_predicate where = {.kind = RDX_PREDICATE_LT, .values = {.type = RDX_TYPE_U32, .rows = 1, .values = &two}};
  const rdx_query query = {
      .where = &where, .group_by = &group, .group_count = 1, .aggregates = &sum, .aggregate_count = 1};
  rdx_star *star = NULL;
  rdx_query_result *result = NULL;
  rdx_status status = rdx_star_create(test_device, &relation, &params, &star, err);
  if (status == RDX_OK)
    status = rdx_star_prepare(star, &query, 1, err);
  if (status == RDX_OK)
    status = rdx_star_run(star, &query, NULL, &result, err);
  if (status == RDX_OK)
    assert_int_equal(test_view(result).rows, 2);
  rdx_query_result_destroy(&result);
  rdx_star_destroy(&star);
  return status;
}

/* Averages of products of so many bits that there are more numbers of a row than are taken at a time, and extremes. */
static rdx_status wide_job(rdx_star_method method, rdx_error *err) {
  static const double far[] = {0x1p1000, 0x1p-1000, 1, 0x1p500, 0x1p-500, INFINITY};
  const rdx_attribute attributes[] = {{"number", int_keys, 0},
                                      {"far", {.type = RDX_TYPE_F64, .rows = 6, .values = far}, 0}};
  const rdx_relation relation = {.rows = 6, .attributes = attributes, .attribute_count = 2};
  const rdx_expression large = {.kind = RDX_EXPRESSION_CONSTANT, .value = INT64_MAX},
                       weight = {RDX_EXPRESSION_ATTRIBUTE, 1, 0, 0, NULL, NULL};
  rdx_expression products[5] = {{.kind = RDX_EXPRESSION_ATTRIBUTE}};
  for (uint32_t i = 1; i < 5; i++)
    products[i] = (rdx_expression){.kind = RDX_EXPRESSION_MULTIPLY, .left = &products[i - 1], .right = &large};
  const rdx_expression none = {.kind = RDX_EXPRESSION_SUBTRACT, .left = &products[2], .right = &products[2]};
  const rdx_aggregate aggregates[] = {{RDX_AGGREGATE_AVG, &products[1]}, {RDX_AGGREGATE_AVG, &products[2]},
                                      {RDX_AGGREGATE_AVG, &products[3]}, {RDX_AGGREGATE_AVG, &products[4]},
                                      {RDX_AGGREGATE_SUM, &weight},      {RDX_AGGREGATE_MAX, &none}};
  const uint32_t group = 0;
  const rdx_query query = {.group_by = &group, .group_count = 1, .aggregates = aggregates, .aggregate_count = 6};
  rdx_star *star = NULL;
  rdx_query_result *result = NULL;
  rdx_status status = rdx_star_create(test_device, &relation, &(rdx_star_params){.method = method}, &star, err);
  if (status == RDX_OK)
    status = rdx_star_prepare(star, &query, 1, err);
  if (status == RDX_OK)
    status = rdx_star_run(star, &query, NULL, &result, err);
  rdx_query_result_destroy(&result);
  rdx_star_destroy(&star);
  return status;
}

static rdx_status wide_column(rdx_error *err) {
  return wide_job(RDX_STAR_COLUMN_ENGINE, err);
}

static rdx_status wide_cube(rdx_error *err) {
  return wide_job(RDX_STAR_SORTED_CUBE, err);
}

static rdx_status split_rt_cube(rdx_error *err) {
  return star_job((rdx_star_params){.method = RDX_STAR_RT_CUBE,
                                    .rt_cube = {.operators = RDX_RT_CUBE_SPLIT_SCAN, .leg_x = 2, .leg_y = 2}},
                  err);
}

static rdx_status published_rt_cube(rdx_error *err) {
  return star_job((rdx_star_params){.method = RDX_STAR_RT_CUBE,
                                    .rt_cube = {.mapping = RDX_RT_CUBE_PUBLISHED,
                                                .operators = RDX_RT_CUBE_SPLIT_GROUP,
                                                .rows = RDX_RT_CUBE_Z_ORDER}},
                  err);
}

static rdx_status separate_rt_cube(rdx_error *err) {
  return star_job((rdx_star_params){.method = RDX_STAR_RT_CUBE, .rt_cube.operators = RDX_RT_CUBE_SEPARATE_SCAN}, err);
}

/* Literals of all kinds, more names than there is room for at first, a sign that needs a copy. */
static rdx_status condition(rdx_error *err) {
  static const char text[] =
      "a = 'x' AND b < -(2.5) AND c IN (1, NULL, 99) AND d IS NOT TRUE AND e BETWEEN 1 AND 2 AND "
      "f > 0 AND g > 0 AND h > 0 AND NOT i >= '2024-01-01'::date";
  rdx_condition *made = NULL;
  const rdx_predicate *predicate = NULL;
  rdx_column columns[9];
  for (int i = 0; i < 9; i++)
    columns[i] = (rdx_column){.type = RDX_TYPE_I8};
  columns[0].type = RDX_TYPE_STRING;
  columns[3].type = RDX_TYPE_BOOL;
  columns[4].type = RDX_TYPE_F64;
  columns[8].type = RDX_TYPE_TIMESTAMP;
  rdx_status status = rdx_condition_parse(text, &made, err);
  if (status == RDX_OK)
    status = rdx_condition_bind(made, columns, NULL, &predicate, err);
  rdx_condition_destroy(&made);
  return status;
}

static rdx_status parse(const char *text, const rdx_csv_params *params, rdx_error *err) {
  rdx_table *table = NULL;
  const rdx_status status = rdx_table_parse_csv("test", text, strlen(text), params, &table, err);
  rdx_table_destroy(&table);
  return status;
}

static rdx_status csv(rdx_error *err) {
  return parse("a,b,c\n1,x,\n2,\"y \"\"q\"\"\",2.5\n99999999999,z,1e9\n", NULL, err);
}

/* Types that widen late, with overrides and a choice of columns. */
static rdx_status wide_csv(rdx_error *err) {
  static char text[40000];
  size_t length = (size_t)sprintf(text, "a,b,c\n");
  for (int i = 0; i < 2500; i++)
    length += (size_t)sprintf(text + length, "%d,%s,%d\n", i, i == 2400 ? "late" : "", i % 7);
  static const rdx_csv_type types[] = {{"c", RDX_TYPE_U8, 0}};
  static const char *const names[] = {"b", "c"};
  const rdx_csv_params params = {.types = types, .type_count = 1, .columns = names, .column_count = 2};
  return parse(text, &params, err);
}

/* A table file: a block in the spill file, a dictionary, NULLs; written and opened. */
static rdx_status table_file(rdx_error *err) {
  enum { ROWS = 70000 };
  static uint32_t values[ROWS];
  static uint64_t offsets[ROWS + 1];
  static uint8_t validity[ROWS / 8 + 1] = {1};
  for (uint32_t i = 0; i < ROWS; i++) {
    values[i] = i;
    offsets[i + 1] = i % 3;
    if (offsets[i + 1] < offsets[i])
      offsets[i + 1] = offsets[i];
  }
  static const rdx_field fields[] = {{"number", RDX_TYPE_U32, 0}, {"text", RDX_TYPE_STRING, 0}};
  const rdx_column in[] = {{.type = RDX_TYPE_U32, .rows = ROWS, .values = values, .validity = validity},
                           {.type = RDX_TYPE_STRING, .rows = ROWS, .values = "ab", .offsets = offsets}};
  char path[] = "/tmp/raydex-memory-XXXXXX";
  close(mkstemp(path));
  rdx_table_writer *writer = NULL;
  rdx_table *table = NULL;
  rdx_status status = rdx_table_writer_create(path, fields, 2, &writer, err);
  if (status == RDX_OK)
    status = rdx_table_writer_append(writer, in, err);
  if (status == RDX_OK)
    status = rdx_table_writer_finish(writer, err);
  rdx_table_writer_destroy(&writer);
  if (status == RDX_OK)
    status = rdx_table_open(path, &table, err);
  rdx_table_destroy(&table);
  assert_int_equal(unlink(path), 0);
  return status;
}

/* Threads read the pieces of a file, one record of which is bad, and has lines that would be good ones; then back to
 * text, and to Arrow and back. */
static rdx_status import_and_export(rdx_error *err) {
  char csv[] = "/tmp/raydex-memory-XXXXXX", path[] = "/tmp/raydex-memory-XXXXXX";
  static char text[] = "a,b,c,d\n1,x,true,\n2,\"y \"\"q\"\"\",false,1.5\n"
                       "bad,\"q\"\"\n7,z,,\n9,\"\"\",,2\n3,z,,2024\n";
  static const rdx_csv_type types[] = {{"a", RDX_TYPE_I32, 0}};
  const rdx_import_params params = {.csv = {.types = types, .type_count = 1}, .threads = 2, .max_rejects = 5};
  rdx_import_stats stats;
  struct ArrowSchema schema = {0};
  struct ArrowArray array = {0};
  rdx_table *table = NULL, *again = NULL;
  const int file = mkstemp(csv);
  assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
  close(file);
  close(mkstemp(path));
  rdx_status status = rdx_table_import_csv(csv, path, &params, &stats, err);
  if (status == RDX_OK)
    assert_int_equal(stats.rows, 3);
  if (status == RDX_OK)
    status = rdx_table_read(path, NULL, &table, err);
  if (status == RDX_OK)
    status = rdx_table_write_csv(table, csv, 0, true, err);
  if (status == RDX_OK)
    status = rdx_table_to_arrow(table, &schema, &array, err);
  if (status == RDX_OK)
    status = rdx_table_from_arrow(&schema, &array, &again, err);
  if (schema.release)
    schema.release(&schema);
  if (array.release)
    array.release(&array);
  rdx_table_destroy(&table);
  rdx_table_destroy(&again);
  unlink(csv);
  unlink(path);
  return status;
}

static rdx_status flat_table(rdx_error *err) {
  static const int32_t foreign[] = {3, 1, 2, 9}, keys[] = {1, 2, 3};
  static const uint64_t offsets[] = {0, 1, 2, 3};
  const rdx_dimension dimension = {{.type = RDX_TYPE_I32, .rows = 4, .values = foreign},
                                   {.type = RDX_TYPE_I32, .rows = 3, .values = keys}};
  const rdx_attribute attributes[] = {
      {"number", {.type = RDX_TYPE_I32, .rows = 4, .values = foreign}, 0},
      {"text", {.type = RDX_TYPE_STRING, .rows = 3, .values = "abc", .offsets = offsets}, 1}};
  const rdx_relation star = {
      .rows = 4, .attributes = attributes, .attribute_count = 2, .dimensions = &dimension, .dimension_count = 1};
  char path[] = "/tmp/raydex-memory-XXXXXX";
  close(mkstemp(path));
  const rdx_status status = rdx_relation_flatten(test_device, &star, path, err);
  assert_int_equal(unlink(path), 0);
  return status;
}

#define CHECK_JOB(run) check_job(#run, run)

static void check_job(const char *name, job run) {
  requests_left = INT64_MAX;
  OK(run(err)); /* what lives as long as the device is made now */
  const int64_t before = live;
  for (int64_t k = 0;; k++) {
    rdx_error err = {""};
    requests_left = k;
    const rdx_status status = run(&err);
    const bool reached = requests_left < 0;
    requests_left = INT64_MAX;
    if (live != before)
      fail_msg("%s, allocation %d: %d are left", name, (int)k, (int)(live - before));
    if (!reached) {
      assert_int_equal(status, RDX_OK);
      assert_true(k > 3);
      return;
    }
    if (status != RDX_OK) { /* or it did without */
      assert_int_equal(status, RDX_ERROR_MEMORY);
      assert_true(strlen(err.text) > 0);
    }
    assert_true(k < 5000);
  }
}

static void test_failing_allocations(void **state) {
  (void)state;
  if (test_traces()) {
    CHECK_JOB(rx_rows);
    CHECK_JOB(rx_sum);
    CHECK_JOB(chains_job);
    CHECK_JOB(rebuilds_job);
    CHECK_JOB(rtscan_scan);
    CHECK_JOB(coarse_cube);
    CHECK_JOB(coarse_runs);
    CHECK_JOB(split_rt_cube);
  }
  if (test_traces() && !test_is_slow()) {
    CHECK_JOB(rtc1_scan);
    CHECK_JOB(rtc3_scan);
    CHECK_JOB(separate_rt_cube);
    CHECK_JOB(published_rt_cube);
  }
  CHECK_JOB(array_float_sum);
  CHECK_JOB(hash_rows);
  CHECK_JOB(columns_job);
  CHECK_JOB(hash_distinct);
  CHECK_JOB(radix_hash_rows);
  CHECK_JOB(radix_hash_sum);
  CHECK_JOB(sorted_probes);
  CHECK_JOB(inverse_rows);
  CHECK_JOB(inverse_sum);
  CHECK_JOB(inverse_float_sum);
  CHECK_JOB(inverse_strings);
  CHECK_JOB(join_ranges);
  CHECK_JOB(join_pairs);
  CHECK_JOB(result_columns);
  CHECK_JOB(join_count);
  CHECK_JOB(strings);
  CHECK_JOB(long_strings);
  CHECK_JOB(device_columns);
  CHECK_JOB(changes_job);
  CHECK_JOB(column_scan);
  CHECK_JOB(bindex_scan);
  CHECK_JOB(btree_scan);
  if (test_traces() && !test_is_slow())
    CHECK_JOB(scan_choice); /* after those it chooses among: time decides, and new kernels stay */
  CHECK_JOB(column_engine);
  CHECK_JOB(wide_column);
  CHECK_JOB(sorted_cube);
  CHECK_JOB(wide_cube);
  CHECK_JOB(condition);
  CHECK_JOB(csv);
  CHECK_JOB(wide_csv);
  CHECK_JOB(table_file);
  CHECK_JOB(import_and_export);
  CHECK_JOB(flat_table);
}

/* Device memory is given back, too. */
static void test_device_memory_of_failures(void **state) {
  (void)state;
  static const job jobs[] = {inverse_rows, inverse_sum,    inverse_float_sum, inverse_strings, array_float_sum,
                             hash_rows,    hash_distinct,  radix_hash_rows,   sorted_probes,   join_ranges,
                             join_pairs,   result_columns, strings,           long_strings,    device_columns,
                             changes_job,  column_scan,    bindex_scan,       btree_scan,      column_engine,
                             flat_table,   auto_star,      wide_column,       wide_cube,       sorted_cube,
                             coarse_cube,  coarse_runs,    split_rt_cube};
  const size_t tracing = test_traces() ? 0 : 3; /* the last jobs */
  for (size_t i = 0; i < sizeof jobs / sizeof *jobs - tracing; i++) {
    for (int64_t k = 0; k < 200; k++) {
      rdx_device_usage before, after;
      rdx_device_get_usage(test_device, &before);
      const int64_t allocated = live;
      requests_left = k;
      const rdx_status status = jobs[i](NULL);
      requests_left = INT64_MAX;
      assert_true(status == RDX_OK || status == RDX_ERROR_MEMORY);
      assert_int_equal(live, allocated);
      rdx_device_get_usage(test_device, &after);
      assert_int_equal(after.memory_used, before.memory_used);
    }
  }
}

/* ---- What stays usable ---- */

static void check_answers(const rdx_index *index) {
  static const uint32_t expected[] = {2, 1, 2, 1, 0, 1}; /* of int_keys in int_keys: row 4 is NULL */
  rdx_lookup_result *result = NULL;
  rdx_lookup_view view;
  OK(rdx_index_lookup(index, &int_keys, NULL, &result, err));
  OK(rdx_lookup_result_view(result, &view, err));
  assert_memory_equal(view.count, expected, sizeof expected);
  rdx_lookup_result_destroy(&result);
}

/* Failing lookups, reads and updates, after each of which the index answers as before. */
static void test_index_after_failures(void **state) {
  (void)state;
  static const int64_t other_numbers[] = {7, 8, 9, 7, 8, 9};
  const rdx_column others = {.type = RDX_TYPE_I64, .rows = 6, .values = other_numbers, .validity = bits};
  for (rdx_index_method method = RDX_INDEX_RX; method < RDX_INDEX_METHODS; method++) {
    if (!test_can(method))
      continue;
    const rdx_index_params params = {.method = method, .rx.updatable = method == RDX_INDEX_RX};
    rdx_index *index = NULL;
    OK(rdx_index_create(test_device, &int_keys, &params, &index, err));
    for (rdx_update_mode mode = RDX_UPDATE_REBUILD; mode <= RDX_UPDATE_REFIT; mode++) {
      rdx_status status = method == RDX_INDEX_RX || mode == RDX_UPDATE_REBUILD ? RDX_ERROR_MEMORY : RDX_OK;
      for (int64_t k = 0; status != RDX_OK; k++) {
        requests_left = k;
        status = rdx_index_update(index, &others, mode, NULL);
        requests_left = INT64_MAX;
        assert_true(status == RDX_OK || status == RDX_ERROR_MEMORY);
        if (status == RDX_OK)
          OK(rdx_index_update(index, &int_keys, mode, err));
        check_answers(index);
        assert_true(k < 5000);
      }
    }
    rdx_index_destroy(&index);
  }
}

/* A batch that fails leaves the keys as they were, and says so. */
static void check_failing_changes(const rdx_index_params *params) {
  static const int64_t other_numbers[] = {7, 8, 9, 7, 8, 9};
  const rdx_column others = {.type = RDX_TYPE_I64, .rows = 6, .values = other_numbers, .validity = bits};
  rdx_index *index = NULL;
  rdx_status status = RDX_ERROR_MEMORY;
  OK(rdx_index_create(test_device, &int_keys, params, &index, err));
  for (int64_t k = 0; status != RDX_OK; k++) {
    rdx_error err = {""};
    check_answers(index);
    requests_left = k;
    status = rdx_index_apply(index, &(rdx_index_changes){&others, &int_keys}, &err);
    requests_left = INT64_MAX;
    assert_true(status == RDX_OK || (status == RDX_ERROR_MEMORY && strstr(err.text, "the index is as it was before")));
    assert_true(k < 5000);
  }
  OK(rdx_index_apply(index, &(rdx_index_changes){&int_keys, &others}, err));
  check_answers(index);
  rdx_index_destroy(&index);
}

/* Nor does a rebuild that fails lose any. */
static void check_failing_rebuild(void) {
  rdx_index *index = NULL;
  rdx_status status = RDX_ERROR_MEMORY;
  const rdx_index_params params = {.method = RDX_INDEX_CGRX_UPDATABLE};
  OK(rdx_index_create(test_device, &int_keys, &params, &index, err));
  for (int64_t k = 0; status != RDX_OK; k++) {
    requests_left = k;
    status = rdx_index_rebuild(index, NULL);
    requests_left = INT64_MAX;
    assert_true(status == RDX_OK || status == RDX_ERROR_MEMORY);
    check_answers(index);
    assert_true(k < 5000);
  }
  rdx_index_destroy(&index);
}

static void test_index_after_failing_changes(void **state) {
  (void)state;
  check_failing_changes(&(rdx_index_params){.method = RDX_INDEX_BTREE});
  if (!test_traces())
    return;
  for (uint32_t chain = 1; chain <= 9; chain += 8)
    check_failing_changes(
        &(rdx_index_params){.method = RDX_INDEX_CGRX_UPDATABLE,
                            .cgrx_updatable = {.node_size = 4, .fill_percent = 100, .longest_chain = chain}});
  check_failing_rebuild();
}

/* A result that could not be read for want of memory can be read afterwards. */
static void test_result_after_failures(void **state) {
  (void)state;
  rdx_index *index = NULL;
  OK(rdx_index_create(test_device, &int_keys, NULL, &index, err));
  for (rdx_lookup_result_kind kind = RDX_LOOKUP_COUNT; kind <= RDX_LOOKUP_ROWS; kind++) {
    const rdx_lookup_params params = {.result = kind, .values = kind == RDX_LOOKUP_SUM ? &int_keys : NULL};
    rdx_lookup_result *result = NULL;
    rdx_lookup_view view;
    rdx_status status = RDX_ERROR_MEMORY;
    OK(rdx_index_lookup(index, &int_keys, &params, &result, err));
    for (int64_t k = 0; status != RDX_OK; k++) {
      requests_left = k;
      status = rdx_lookup_result_view(result, &view, NULL);
      requests_left = INT64_MAX;
      assert_true(status == RDX_OK || status == RDX_ERROR_MEMORY);
      assert_true(k < 100);
    }
    if (kind == RDX_LOOKUP_ROWS) {
      static const uint32_t rows[] = {0, 2, 1, 0, 2, 3, 5};
      assert_memory_equal(view.rows, rows, sizeof rows);
    } else if (kind == RDX_LOOKUP_SUM) {
      static const int64_t sums[] = {10, 1, 10, -3, 0, 0};
      assert_memory_equal(view.sum_i64, sums, sizeof sums);
    }
    rdx_lookup_result_destroy(&result);
  }
  rdx_index_destroy(&index);
}

/* Opening a device, and closing what was half open. */
static void test_opening(void **state) {
  (void)state;
  const char *name = rdx_device_get_info(test_device)->name;
  rdx_status status = RDX_ERROR_MEMORY;
  for (int64_t k = 0; status != RDX_OK; k++) {
    const int64_t before = live;
    rdx_device *device = NULL;
    rdx_error err = {""};
    requests_left = k;
    status = rdx_device_open(name, NULL, &device, &err);
    const bool reached = requests_left < 0;
    requests_left = INT64_MAX;
    if (status != RDX_OK)
      assert_int_equal(status, RDX_ERROR_MEMORY);
    else
      assert_true(!reached || device);
    rdx_device_close(&device);
    assert_int_equal(live, before);
    assert_true(k < 1000);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_failing_allocations),   cmocka_unit_test(test_device_memory_of_failures),
      cmocka_unit_test(test_index_after_failures),  cmocka_unit_test(test_index_after_failing_changes),
      cmocka_unit_test(test_result_after_failures), cmocka_unit_test(test_opening),
  };
  requests_left = INT64_MAX;
  rdx_set_allocator(&failing_memory);
  const int result = TEST_MAIN(tests);
  rdx_set_allocator(NULL);
  return result;
}
