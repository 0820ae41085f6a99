/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Buffers beyond 4 GiB of each system, on devices and hosts that have room for them; elsewhere all is skipped. Values
 * follow from the row, so that each answer is known without a second copy. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

#define GIB ((uint64_t)1 << 30)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A permutation of 0 .. 2^bits - 1: the key of a row. Multiplying by an odd number can be undone. */
#define FACTOR 2654435761u
static uint32_t inverse; /* FACTOR * inverse = 1 modulo 2^32 */

static uint32_t key_of(uint64_t row, uint32_t bits) {
  return (uint32_t)(row * FACTOR) & (uint32_t)(((uint64_t)1 << bits) - 1);
}

static uint32_t row_of(uint32_t key, uint32_t bits) {
  return key * inverse & (uint32_t)(((uint64_t)1 << bits) - 1);
}

static bool has_memory(void) {
  const rdx_device_info *info = rdx_device_get_info(test_device);
  const uint64_t host = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
  return info->backend == RDX_BACKEND_VULKAN && !info->emulated && info->memory >= 70 * GIB && host >= 60 * GIB;
}

static void need_memory(void) {
  if (!has_memory())
    skip();
}

/* Say what took how long: a step takes seconds, and a test minutes. */
static void took(const char *step) {
  static struct timespec before;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (before.tv_sec != 0)
    fprintf(stderr, "%8.1f s  %s\n",
            (double)(now.tv_sec - before.tv_sec) + (double)(now.tv_nsec - before.tv_nsec) * 1e-9, step);
  before = now;
}

static void *allocate(uint64_t bytes) {
  void *memory = malloc(bytes);
  assert_non_null(memory);
  return memory;
}

static uint32_t *make_keys(uint64_t rows, uint32_t bits) {
  uint32_t *keys = allocate(rows * sizeof *keys);
  for (uint64_t row = 0; row < rows; row++)
    keys[row] = key_of(row, bits);
  return keys;
}

static rdx_column u32_column(const uint32_t *values, uint64_t rows) {
  return (rdx_column){.type = RDX_TYPE_U32, .rows = rows, .values = values};
}

static rdx_device_column *upload(const uint32_t *values, uint64_t rows) {
  const rdx_column column = u32_column(values, rows);
  rdx_device_column *out = NULL;
  OK(rdx_device_column_create(test_device, &column, &out, err));
  return out;
}

/* ---- Lookups ---- */

/* Probe every row's key, the last probes being those of the first rows again: results pass 4 GiB where there are more
 * than 2^30 probes. */
static void check_points(const rdx_index *index, const rdx_device_column *probes, uint64_t count, uint32_t bits) {
  const rdx_column view = rdx_device_column_view(probes);
  rdx_lookup_result *result = NULL;
  rdx_lookup_view found;
  OK(rdx_index_lookup(index, &view, &(rdx_lookup_params){.result = RDX_LOOKUP_FIRST}, &result, err));
  took("lookup");
  OK(rdx_lookup_result_view(result, &found, err));
  took("result read");
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < count; i++)
    wrong += found.first[i] != (uint32_t)(i & (((uint64_t)1 << bits) - 1));
  assert_int_equal(wrong, 0);
  took("result checked");
  rdx_lookup_result_destroy(&result);
}

/* A range of all keys but the largest: its rows pass 4 GiB where there are more than 2^30. */
static void check_range(const rdx_index *index, uint64_t rows, uint32_t bits) {
  const uint32_t low = 0, high = (uint32_t)(rows - 2);
  const rdx_column lower = u32_column(&low, 1), upper = u32_column(&high, 1);
  rdx_lookup_result *result = NULL;
  rdx_lookup_view found;
  OK(rdx_index_range(index, &lower, &upper, &(rdx_lookup_params){.result = RDX_LOOKUP_ROWS}, &result, err));
  took("range lookup");
  OK(rdx_lookup_result_view(result, &found, err));
  took("result read");
  assert_int_equal(found.offsets[1], rows - 1);
  uint64_t sum = 0, squares = 0, all = 0, all_squares = 0;
  for (uint64_t row = 0; row < rows; row++) {
    all += row;
    all_squares += row * row;
  }
  for (uint64_t i = 0; i < rows - 1; i++) {
    sum += found.rows[i];
    squares += (uint64_t)found.rows[i] * found.rows[i];
  }
  const uint64_t last = row_of((uint32_t)(rows - 1), bits);
  assert_true(sum == all - last && squares == all_squares - last * last);
  took("result checked");
  rdx_lookup_result_destroy(&result);
}

static void check_index(rdx_index_params params, uint32_t bits, uint64_t probes, bool range) {
  const uint64_t rows = (uint64_t)1 << bits;
  took("before");
  uint32_t *keys = make_keys(rows > probes ? rows : probes, bits);
  took("keys made");
  rdx_device_column *column = upload(keys, rows), *wanted = upload(keys, probes);
  free(keys);
  took("uploaded");
  const rdx_column view = rdx_device_column_view(column);
  rdx_index *index = NULL;
  OK(rdx_index_create(test_device, &view, &params, &index, err));
  took("index built");
  check_points(index, wanted, probes, bits);
  if (range)
    check_range(index, rows, bits);
  rdx_index_destroy(&index);
  rdx_device_column_destroy(&column);
  rdx_device_column_destroy(&wanted);
}

static void test_tree(void **state) {
  (void)state;
  need_memory();
  check_index((rdx_index_params){.method = RDX_INDEX_TREE}, 31, GIB + (1 << 24), true);
}

static void test_hash(void **state) {
  (void)state;
  need_memory();
  check_index((rdx_index_params){.method = RDX_INDEX_HASH}, 30, GIB + (1 << 24), false);
}

static void test_sorted_array(void **state) {
  (void)state;
  need_memory();
  check_index((rdx_index_params){.method = RDX_INDEX_SORTED_ARRAY}, 31, 1 << 28, false);
}

static void test_btree(void **state) {
  (void)state;
  need_memory();
  check_index((rdx_index_params){.method = RDX_INDEX_BTREE}, 30, 1 << 28, false);
}

static void test_cgrx(void **state) {
  (void)state;
  need_memory();
  check_index((rdx_index_params){.method = RDX_INDEX_CGRX}, 31, 1 << 27, false);
  check_index((rdx_index_params){.method = RDX_INDEX_CGRX_UPDATABLE}, 29, 1 << 27, false);
}

static void test_rx(void **state) {
  (void)state;
  need_memory();
  check_index((rdx_index_params){.method = RDX_INDEX_RX}, 28, 1 << 27, false);
  check_index((rdx_index_params){.method = RDX_INDEX_RX_OPTIMIZED}, 28, 1 << 27, false);
}

/* ---- Scans ---- */

/* Two columns: key < limit and group = 3, on rows whose keys are a permutation. */
static void check_scan(rdx_scan_method method, uint32_t bits) {
  const uint64_t rows = (uint64_t)1 << bits;
  const uint32_t limit = (uint32_t)(rows / 16 * 15), three = 3;
  uint32_t *keys = make_keys(rows, bits), *groups = allocate(rows * sizeof *groups);
  for (uint64_t row = 0; row < rows; row++)
    groups[row] = (uint32_t)(row % 5);
  const rdx_column columns[] = {u32_column(keys, rows), u32_column(groups, rows)};
  const rdx_predicate leaves[] = {{.kind = RDX_PREDICATE_LT, .column = 0, .values = u32_column(&limit, 1)},
                                  {.kind = RDX_PREDICATE_EQ, .column = 1, .values = u32_column(&three, 1)}};
  const rdx_predicate both = {.kind = RDX_PREDICATE_AND, .children = leaves, .child_count = 2};
  rdx_scan *scan = NULL;
  rdx_scan_result *result = NULL;
  rdx_scan_view found;
  took("columns made");
  OK(rdx_scan_create(test_device, columns, 2, &(rdx_scan_params){.method = method}, &scan, err));
  took(rdx_scan_method_name(method));
  OK(rdx_scan_run(scan, &both, &(rdx_scan_run_params){.result = RDX_SCAN_BITMAP}, &result, err));
  OK(rdx_scan_result_view(result, &found, err));
  took("scanned and read");
  uint64_t wrong = 0, count = 0;
  for (uint64_t row = 0; row < rows; row++) {
    const bool holds = keys[row] < limit && row % 5 == 3;
    count += holds;
    wrong += (found.bitmap[row / 32] >> row % 32 & 1) != holds;
  }
  assert_int_equal(wrong, 0);
  assert_int_equal(found.count, count);
  rdx_scan_result_destroy(&result);
  rdx_scan_destroy(&scan);
  free(keys);
  free(groups);
}

static void test_scans(void **state) {
  (void)state;
  need_memory();
  check_scan(RDX_SCAN_COLUMN, 31);
  check_scan(RDX_SCAN_BINDEX, 29);
  check_scan(RDX_SCAN_BTREE, 28);
  check_scan(RDX_SCAN_RTSCAN, 29);
  check_scan(RDX_SCAN_RTC3, 28);
  check_scan(RDX_SCAN_RTC1, 27);
  check_scan(RDX_SCAN_RTINDEX, 27);
}

/* ---- Star queries ---- */

/* Rows with a day, a shop and an amount: the amounts by shop on some days. Cubes keep 8 bytes a row while they sort. */
static void check_star(rdx_star_method method, uint64_t rows) {
  enum { DAYS = 1000, SHOPS = 7 };
  uint32_t *values[3];
  uint64_t sums[SHOPS] = {0}, counts[SHOPS] = {0};
  const uint32_t days[] = {100, 119}, group = 1;
  for (size_t k = 0; k < COUNT(values); k++)
    values[k] = allocate(rows * sizeof *values[k]);
  for (uint64_t row = 0; row < rows; row++) {
    const uint32_t day = values[0][row] = (uint32_t)(row * FACTOR >> 8) % DAYS;
    const uint32_t shop = values[1][row] = (uint32_t)(row % SHOPS);
    const uint32_t amount = values[2][row] = (uint32_t)(row % 1000003);
    if (day >= days[0] && day <= days[1]) {
      sums[shop] += amount;
      counts[shop]++;
    }
  }
  const rdx_attribute attributes[] = {{"day", u32_column(values[0], rows), 0},
                                      {"shop", u32_column(values[1], rows), 0},
                                      {"amount", u32_column(values[2], rows), 0}};
  const rdx_relation relation = {.rows = rows, .attributes = attributes, .attribute_count = COUNT(attributes)};
  const rdx_expression amount = {.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = 2};
  const rdx_aggregate aggregates[] = {{RDX_AGGREGATE_SUM, &amount}, {RDX_AGGREGATE_COUNT, &amount}};
  const rdx_predicate where = {.kind = RDX_PREDICATE_BETWEEN, .column = 0, .values = u32_column(days, 2)};
  const rdx_query query = {
      .where = &where, .group_by = &group, .group_count = 1, .aggregates = aggregates, .aggregate_count = 2};
  rdx_star *star = NULL;
  rdx_query_result *result = NULL;
  took("relation made");
  OK(rdx_star_create(test_device, &relation, &(rdx_star_params){.method = method}, &star, err));
  OK(rdx_star_prepare(star, &query, 1, err));
  took(rdx_star_method_name(method));
  OK(rdx_star_run(star, &query, NULL, &result, err));
  took("query");
  assert_int_equal(test_view(result).rows, SHOPS);
  for (uint32_t i = 0; i < SHOPS; i++) {
    const uint32_t shop = ((const uint32_t *)test_view(result).columns[0].values)[i];
    assert_true(((const uint64_t *)test_view(result).columns[1].values)[i] == sums[shop]);
    assert_true(((const uint64_t *)test_view(result).columns[2].values)[i] == counts[shop]);
  }
  rdx_query_result_destroy(&result);
  rdx_star_destroy(&star);
  for (size_t k = 0; k < COUNT(values); k++)
    free(values[k]);
}

static void test_stars(void **state) {
  (void)state;
  need_memory();
  check_star(RDX_STAR_COLUMN_ENGINE, 2 * GIB + 12345);
  check_star(RDX_STAR_SORTED_CUBE, GIB / 2 + 12345678);
  check_star(RDX_STAR_COARSE_CUBE, GIB / 2 + 12345678);
  check_star(RDX_STAR_RT_CUBE, GIB / 8 + 12345678);
}

/* ---- Joins ---- */

static void test_join(void **state) {
  (void)state;
  need_memory();
  const uint64_t rows = GIB + (1 << 24);
  uint32_t *keys = make_keys(rows, 31);
  rdx_device_column *left = upload(keys, rows), *right = upload(keys, GIB / 4);
  free(keys);
  const rdx_column left_view = rdx_device_column_view(left), right_view = rdx_device_column_view(right);
  rdx_join_result *join = NULL;
  rdx_join_view found;
  OK(rdx_join_equal(test_device, &left_view, &right_view, &(rdx_join_params){.result = RDX_JOIN_COUNT}, &join, err));
  OK(rdx_join_result_view(join, &found, err));
  assert_int_equal(found.count, GIB / 4);
  rdx_join_result_destroy(&join);
  rdx_device_column_destroy(&left);
  rdx_device_column_destroy(&right);
}

/* With an argument only the tests that it names: "test_r*". */
int main(int argc, char **argv) {
  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tree),  cmocka_unit_test(test_hash),  cmocka_unit_test(test_sorted_array),
      cmocka_unit_test(test_btree), cmocka_unit_test(test_cgrx),  cmocka_unit_test(test_rx),
      cmocka_unit_test(test_scans), cmocka_unit_test(test_stars), cmocka_unit_test(test_join),
  };
  inverse = 1;
  for (uint32_t bits = 1; bits < 32; bits *= 2) /* each step doubles the bits that are right */
    inverse *= 2 - FACTOR * inverse;
  return TEST_MAIN(tests);
}
