/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* What answers cost: memory that is bounded or refused before it is taken, and time that inputs take, not pairs. */

#include "reference.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- The memory of the host ---- */

static _Atomic int64_t live, peak;

static void note(int64_t bytes) {
  const int64_t now = atomic_fetch_add(&live, bytes) + bytes;
  int64_t seen = atomic_load(&peak);
  while (seen < now && !atomic_compare_exchange_weak(&peak, &seen, now))
    continue;
}

/* The size is kept in front of the memory. */
#define HEAD 16

static void *allocate(void *user, size_t size) {
  (void)user;
  char *memory = malloc(size + HEAD);
  if (!memory)
    return NULL;
  memcpy(memory, &size, sizeof size);
  note((int64_t)size);
  return memory + HEAD;
}

static void release(void *user, void *memory) {
  (void)user;
  size_t size = 0;
  if (!memory)
    return;
  memcpy(&size, (char *)memory - HEAD, sizeof size);
  note(-(int64_t)size);
  free((char *)memory - HEAD);
}

static void *reallocate(void *user, void *old, size_t size) {
  void *memory = allocate(user, size);
  size_t before = 0;
  if (!memory || !old)
    return memory;
  memcpy(&before, (char *)old - HEAD, sizeof before);
  memcpy(memory, old, before < size ? before : size);
  release(user, old);
  return memory;
}

static const rdx_allocator allocator = {allocate, reallocate, release, NULL};

/* The same device with a limit of memory. */
static rdx_device *open_limited(uint64_t limit) {
  rdx_device *device = NULL;
  OK(rdx_device_open(rdx_device_get_info(test_device)->name, &(rdx_device_params){.memory_limit = limit}, &device,
                     err));
  return device;
}

/* ---- Columns with many equal keys ---- */

typedef struct keys {
  rdx_column view;
  uint32_t values[40000];
} keys;

static keys *make_keys(uint64_t rows, uint32_t different) {
  keys *k = malloc(sizeof *k);
  assert_non_null(k);
  assert_true(rows <= COUNT(k->values));
  for (uint64_t i = 0; i < rows; i++)
    k->values[i] = (uint32_t)(i * 7919 % different);
  k->view = (rdx_column){.type = RDX_TYPE_U32, .rows = rows, .values = k->values};
  return k;
}

static uint64_t scale(uint64_t rows) {
  return test_is_slow() ? rows / 10 : rows;
}

/* ---- Costs of repeated keys ---- */

static double milliseconds_of(const rdx_column *left, const rdx_column *right, const rdx_join_params *params,
                              rdx_join_view *view) {
  rdx_join_result *join = NULL;
  rdx_join_stats stats;
  OK(rdx_join_equal(test_device, left, right, params, &join, err));
  OK(rdx_join_result_view(join, view, err));
  rdx_join_result_get_stats(join, &stats);
  view->left_rows = view->right_rows = NULL;
  rdx_join_result_destroy(&join);
  return stats.total_ms;
}

/* All keys of both sides are equal: as many pairs as rows times rows, of which no join of these kinds may look at each.
 * A pair takes a nanosecond at the least. */
static void test_equal_keys(void **state) {
  (void)state;
  const uint64_t rows = scale(40000);
  keys *k = make_keys(rows, 1);
  rdx_join_view v;
  for (rdx_index_method method = RDX_INDEX_RX; method < RDX_INDEX_METHODS; method++) {
    for (int mapping = RDX_JOIN_MAPPING_DIRECT; test_can(method) && mapping <= RDX_JOIN_MAPPING_INVERSE; mapping++) {
      double ms = 0;
      for (rdx_join_kind join = RDX_JOIN_INNER; join <= RDX_JOIN_ANTI; join++) {
        const uint64_t expected[] = {rows * rows, rows * rows, rows, 0};
        rdx_join_params p = {
            .kind = join, .result = RDX_JOIN_COUNT, .mapping = (rdx_join_mapping)mapping, .index.method = method};
        ms += milliseconds_of(&k->view, &k->view, &p, &v);
        assert_int_equal(v.count, expected[join]);
        p.result = RDX_JOIN_PAIRS;
        if (join >= RDX_JOIN_SEMI)
          ms += milliseconds_of(&k->view, &k->view, &p, &v);
        assert_int_equal(v.count, expected[join]);
      }
      if (!test_is_slow() && ms > (double)rows * (double)rows * 1e-6)
        fail_msg("%s: %f ms", rdx_index_method_name(method), ms);
    }
  }
  free(k);
}

static void test_sums_of_equal_keys(void **state) {
  (void)state;
  const uint64_t rows = scale(40000);
  keys *k = make_keys(rows, 1), *values = make_keys(rows, 1000);
  int64_t sum = 0;
  rdx_join_view v;
  for (uint64_t i = 0; i < rows; i++)
    sum += values->values[i];
  for (rdx_index_method method = RDX_INDEX_RX; method < RDX_INDEX_METHODS; method++) {
    const rdx_join_params p = {.result = RDX_JOIN_SUM, .values = &values->view, .index.method = method};
    if (!test_can(method))
      continue;
    const double ms = milliseconds_of(&k->view, &k->view, &p, &v);
    assert_int_equal(v.sum_u64, (uint64_t)sum * rows);
    if (!test_is_slow() && ms > (double)rows * (double)rows * 1e-6)
      fail_msg("%s: %f ms", rdx_index_method_name(method), ms);
  }
  free(k);
  free(values);
}

/* The answers of probes that are looked up once for each of their keys: every kind of result, NULLs among keys, probes
 * and values, sums that are wide, floats, probes with other keys. */
static void test_repeated_probes(void **state) {
  (void)state;
  static const rdx_type types[] = {RDX_TYPE_U32, RDX_TYPE_I64, RDX_TYPE_F64, RDX_TYPE_STRING};
  static const rdx_type value_types[] = {RDX_TYPE_I32, RDX_TYPE_I64, RDX_TYPE_F64, RDX_TYPE_U64};
  const uint64_t rows = test_is_slow() ? 600 : 2000;
  for (rdx_index_method method = RDX_INDEX_RX; method < RDX_INDEX_METHODS; method++) {
    for (size_t t = 0; test_can(method) && t < COUNT(types); t++) {
      test_column column = column_make(types[t], t % 2 ? SHAPE_FEW : SHAPE_EQUAL, t % 2 ? SOME_NULLS : NO_NULLS, rows);
      test_column probes = column_probes(&column, rows, t % 2 ? NO_NULLS : SOME_NULLS);
      test_column values =
          column_make(value_types[t], value_types[t] == RDX_TYPE_I64 ? SHAPE_DENSE : SHAPE_SKEWED, SOME_NULLS, rows);
      rdx_index *index = NULL;
      rdx_index_stats stats;
      OK(rdx_index_create(test_device, &column.view, &(rdx_index_params){.method = method}, &index, err));
      rdx_index_get_stats(index, &stats);
      assert_true(stats.long_runs || types[t] == RDX_TYPE_STRING);
      check_lookups(index, &column.view, &probes.view, NULL, &values.view);
      rdx_index_destroy(&index);
      column_free(&column);
      column_free(&probes);
      column_free(&values);
    }
  }
}

/* The statistics count what all probes find, and an error names a probe. */
static void test_stats_of_repeated_probes(void **state) {
  (void)state;
  enum { ROWS = 200 };
  keys *k = make_keys(ROWS, 2);
  uint64_t large[ROWS];
  for (uint32_t i = 0; i < ROWS; i++)
    large[i] = k->values[i] == 1 ? UINT64_MAX / 64 : 1;
  const rdx_column values = {.type = RDX_TYPE_U64, .rows = ROWS, .values = large};
  rdx_index *index = NULL;
  rdx_lookup_result *result = NULL;
  rdx_lookup_stats stats;
  rdx_error failed = {""};
  OK(rdx_index_create(test_device, &k->view, NULL, &index, err));
  OK(rdx_index_lookup(index, &k->view, &(rdx_lookup_params){.result = RDX_LOOKUP_FIRST, .stats = true}, &result, err));
  rdx_lookup_result_get_stats(result, &stats);
  assert_int_equal(stats.hits, (uint64_t)ROWS * ROWS / 2);
  rdx_lookup_result_destroy(&result);
  const rdx_lookup_params sum = {.result = RDX_LOOKUP_SUM, .values = &values};
  assert_int_equal(rdx_index_lookup(index, &k->view, &sum, &result, &failed), RDX_ERROR_OVERFLOW);
  unsigned long long named = 0;
  assert_int_equal(sscanf(failed.text, "the sum of probe %llu does not fit", &named), 1);
  assert_true(named < ROWS && k->values[named] == 1);
  rdx_index_destroy(&index);
  free(k);
}

/* ---- Rows in parts ---- */

typedef struct parts {
  const rdx_lookup_view *whole;
  uint64_t probes, rows, calls, stop_after;
} parts;

static bool compare_part(void *user, uint64_t first, const rdx_lookup_view *part) {
  parts *p = user;
  assert_int_equal(first, p->probes);
  for (uint64_t i = 0; i < part->probes; i++)
    assert_int_equal(part->offsets[i + 1] - part->offsets[i],
                     p->whole->offsets[first + i + 1] - p->whole->offsets[first + i]);
  assert_memory_equal(part->rows, p->whole->rows + p->rows, part->offsets[part->probes] * sizeof *part->rows);
  p->probes += part->probes;
  p->rows += part->offsets[part->probes];
  return ++p->calls == p->stop_after;
}

static void check_parts(rdx_index_method method, const rdx_column *column, const rdx_column *probes) {
  rdx_device *small = open_limited(1u << 22);
  rdx_index *index = NULL, *limited = NULL;
  rdx_lookup_result *whole = NULL, *result = NULL;
  rdx_lookup_view view;
  OK(rdx_index_create(test_device, column, &(rdx_index_params){.method = method}, &index, err));
  OK(rdx_index_lookup(index, probes, &(rdx_lookup_params){.result = RDX_LOOKUP_ROWS}, &whole, err));
  OK(rdx_lookup_result_view(whole, &view, err));
  parts p = {.whole = &view};
  rdx_lookup_params params = {.result = RDX_LOOKUP_ROWS, .each = compare_part, .each_user = &p};
  OK(rdx_index_create(small, column, &(rdx_index_params){.method = method}, &limited, err));
  OK(rdx_index_lookup(limited, probes, &params, &result, err));
  assert_int_equal(p.probes, probes->rows);
  assert_int_equal(p.rows, view.offsets[probes->rows]);
  rdx_lookup_view nothing;
  FAILS(RDX_ERROR_ARGUMENT, rdx_lookup_result_view(result, &nothing, err));
  rdx_lookup_result_destroy(&result);
  if (p.calls > 1) { /* what comes in several parts is stopped after the first */
    p = (parts){.whole = &view, .stop_after = 1};
    FAILS(RDX_ERROR_CANCELLED, rdx_index_lookup(limited, probes, &params, &result, err));
    assert_int_equal(p.calls, 1);
  }
  params.result = RDX_LOOKUP_COUNT;
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_lookup(limited, probes, &params, &result, err));
  rdx_lookup_result_destroy(&whole);
  rdx_index_destroy(&index);
  rdx_index_destroy(&limited);
  rdx_device_close(&small);
}

static void test_rows_in_parts(void **state) {
  (void)state;
  static const rdx_index_method kinds[] = {RDX_INDEX_TREE, RDX_INDEX_HASH, RDX_INDEX_RADIX_HASH,
                                           RDX_INDEX_SORTED_ARRAY};
  static const test_nulls nulls[] = {NO_NULLS, SOME_NULLS};
  for (size_t i = 0; i < COUNT(kinds); i++) {
    for (size_t n = 0; n < COUNT(nulls); n++) {
      test_column column = column_make(RDX_TYPE_I32, SHAPE_FEW, nulls[n], 400);
      test_column probes = column_probes(&column, 500, nulls[n]);
      check_parts(kinds[i], &column.view, &probes.view);
      column_free(&column);
      column_free(&probes);
    }
  }
}

/* ---- Pairs in parts ---- */

typedef struct pairs {
  const rdx_join_view *whole;
  uint64_t count, calls;
} pairs;

static bool compare_pairs(void *user, const uint32_t *left, const uint32_t *right, uint64_t count) {
  pairs *p = user;
  assert_true(p->count + count <= p->whole->count);
  assert_memory_equal(left, p->whole->left_rows + p->count, count * sizeof *left);
  if (p->whole->right_rows)
    assert_memory_equal(right, p->whole->right_rows + p->count, count * sizeof *right);
  else
    assert_null(right);
  p->count += count;
  p->calls++;
  return false;
}

static rdx_status join(rdx_device *device, const rdx_column *left, const rdx_column *lower, const rdx_column *upper,
                       const rdx_join_params *params, rdx_join_result **out, rdx_error *err) {
  return upper ? rdx_join_between(device, left, lower, upper, params, out, err)
               : rdx_join_equal(device, left, lower, params, out, err);
}

static void check_pairs(const rdx_column *left, const rdx_column *lower, const rdx_column *upper,
                        rdx_join_params params) {
  rdx_device *small = open_limited(1u << 22);
  rdx_join_result *whole = NULL, *streamed = NULL;
  rdx_join_view view, count;
  OK(join(test_device, left, lower, upper, &params, &whole, err));
  OK(rdx_join_result_view(whole, &view, err));
  pairs p = {.whole = &view};
  params.each = compare_pairs;
  params.each_user = &p;
  OK(join(small, left, lower, upper, &params, &streamed, err));
  OK(rdx_join_result_view(streamed, &count, err));
  assert_int_equal(p.count, view.count);
  assert_int_equal(count.count, view.count);
  assert_null(count.left_rows);
  rdx_join_result_destroy(&streamed);
  rdx_join_result_destroy(&whole);
  rdx_device_close(&small);
}

static void test_pairs_in_parts(void **state) {
  (void)state;
  static const rdx_type types[] = {RDX_TYPE_I32, RDX_TYPE_STRING, RDX_TYPE_F64, RDX_TYPE_U64};
  for (size_t t = 0; t < COUNT(types); t++) {
    test_column left = column_make(types[t], SHAPE_FEW, t % 2 ? SOME_NULLS : NO_NULLS, 300 + 200 * (t % 2));
    test_column right = column_probes(&left, 400, t / 2 ? SOME_NULLS : NO_NULLS);
    for (rdx_join_kind kind = RDX_JOIN_INNER; kind <= RDX_JOIN_ANTI; kind++)
      for (int mapping = 0; mapping < 3; mapping++)
        check_pairs(&left.view, &right.view, NULL,
                    (rdx_join_params){.kind = kind, .mapping = (rdx_join_mapping)mapping});
    column_free(&left);
    column_free(&right);
  }
}

static void test_ranges_in_parts(void **state) {
  (void)state;
  static const rdx_type types[] = {RDX_TYPE_I32, RDX_TYPE_F64};
  for (size_t t = 0; t < COUNT(types); t++) {
    test_column left = column_make(types[t], SHAPE_FEW, t ? SOME_NULLS : NO_NULLS, 400);
    test_column lower = column_probes(&left, 300, SOME_NULLS), upper = column_probes(&left, 300, NO_NULLS);
    for (rdx_join_kind kind = RDX_JOIN_INNER; kind <= RDX_JOIN_ANTI; kind++)
      for (int mapping = 0; mapping < 3; mapping++)
        check_pairs(&left.view, &lower.view, &upper.view,
                    (rdx_join_params){.kind = kind, .mapping = (rdx_join_mapping)mapping});
    column_free(&left);
    column_free(&lower);
    column_free(&upper);
  }
}

/* ---- Limits ---- */

static bool add_pairs(void *user, const uint32_t *left, const uint32_t *right, uint64_t count) {
  (void)left, (void)right;
  *(uint64_t *)user += count;
  return false;
}

/* 1.6 * 10^9 pairs (on slow devices 1.6 * 10^7) are refused with what they would take, at once; in parts they take
 * memory that depends on the limit alone. */
static void test_pairs_beyond_the_limit(void **state) {
  (void)state;
  const uint64_t rows = test_is_slow() ? 4000 : 20000, limit = 32u << 20;
  keys *k = make_keys(rows, 1);
  rdx_device *device = open_limited(limit);
  rdx_join_result *join = NULL;
  char expected[128];
  snprintf(expected, sizeof expected, "the %llu rows that match take", (unsigned long long)(rows * rows));
  for (int mapping = RDX_JOIN_MAPPING_DIRECT; mapping <= RDX_JOIN_MAPPING_INVERSE; mapping++) {
    rdx_error refused = {""};
    uint64_t count = 0;
    rdx_join_params params = {.mapping = (rdx_join_mapping)mapping};
    assert_int_equal(rdx_join_equal(device, &k->view, &k->view, &params, &join, &refused), RDX_ERROR_MEMORY);
    if (!strstr(refused.text, expected) || !strstr(refused.text, "(memory limit)"))
      fail_msg("%s", refused.text);
    params.each = add_pairs;
    params.each_user = &count;
    const int64_t before = live;
    peak = before;
    OK(rdx_join_equal(device, &k->view, &k->view, &params, &join, err));
    assert_int_equal(count, rows * rows);
    assert_true(peak - before < (int64_t)limit);
    rdx_join_result_destroy(&join);
  }
  rdx_device_close(&device);
  free(k);
}

/* Lookups and scans say so, too, and a result that was read counts until it is destroyed. */
static void test_rows_beyond_the_limit(void **state) {
  (void)state;
  const uint64_t rows = 40000;
  keys *k = make_keys(rows, 1);
  const uint32_t zeros[100] = {0};
  const rdx_column probes = {.type = RDX_TYPE_U32, .rows = COUNT(zeros), .values = zeros};
  rdx_device *device = open_limited(8u << 20);
  rdx_index *index = NULL;
  rdx_lookup_result *result = NULL, *first = NULL;
  rdx_lookup_view view;
  rdx_error refused = {""};
  OK(rdx_index_create(device, &k->view, NULL, &index, err));
  const rdx_lookup_params params = {.result = RDX_LOOKUP_ROWS};
  assert_int_equal(rdx_index_lookup(index, &probes, &params, &result, &refused), RDX_ERROR_MEMORY);
  if (!strstr(refused.text, "the 4000000 rows that match take 15.3 MiB of host memory, of whose 8.0 MiB "))
    fail_msg("%s", refused.text);
  const rdx_column few = {.type = RDX_TYPE_U32, .rows = 20, .values = zeros};
  OK(rdx_index_lookup(index, &few, &params, &first, err));
  OK(rdx_lookup_result_view(first, &view, err));
  assert_int_equal(view.offsets[20], 20 * rows);
  FAILS(RDX_ERROR_MEMORY, rdx_index_lookup(index, &(rdx_column){.type = RDX_TYPE_U32, .rows = 40, .values = zeros},
                                           &params, &result, err));
  rdx_lookup_result_destroy(&first);
  rdx_index_destroy(&index);
  rdx_device_close(&device);
  free(k);
}

/* ---- Wishes ---- */

/* A scan whose options make far more rays than there are rows is refused; with as many as usual it is answered. */
static void test_rays_beyond_reason(void **state) {
  (void)state;
  if (!test_traces())
    skip();
  enum { ROWS = 300 };
  static uint32_t values[2][ROWS];
  for (uint32_t i = 0; i < ROWS; i++) {
    values[0][i] = i * 9973u % 100000;
    values[1][i] = i * 7919u % 100000;
  }
  const rdx_column columns[] = {{.type = RDX_TYPE_U32, .rows = ROWS, .values = values[0]},
                                {.type = RDX_TYPE_U32, .rows = ROWS, .values = values[1]}};
  rdx_condition *condition = NULL;
  const rdx_predicate *predicate = NULL;
  OK(rdx_condition_parse("a > 100 AND b > 100", &condition, err));
  OK(rdx_condition_bind(condition, columns, NULL, &predicate, err));
  for (uint32_t rays = 100; rays <= 20000; rays *= 200) {
    const rdx_scan_params params = {.method = RDX_SCAN_RTC3, .rtc3.rays = rays};
    rdx_scan *scan = NULL;
    rdx_scan_result *result = NULL;
    rdx_error refused = {""};
    OK(rdx_scan_create(test_device, columns, 2, &params, &scan, err));
    assert_int_equal(rdx_scan_run(scan, predicate, NULL, &result, &refused),
                     rays == 100 ? RDX_OK : RDX_ERROR_UNSUPPORTED);
    if (rays > 100 && !strstr(refused.text, "rays for 300 rows: lower rays (rtc3)"))
      fail_msg("%s", refused.text);
    rdx_scan_result_destroy(&result);
    rdx_scan_destroy(&scan);
  }
  rdx_condition_destroy(&condition);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_equal_keys),
      cmocka_unit_test(test_sums_of_equal_keys),
      cmocka_unit_test(test_repeated_probes),
      cmocka_unit_test(test_stats_of_repeated_probes),
      cmocka_unit_test(test_rows_in_parts),
      cmocka_unit_test(test_pairs_in_parts),
      cmocka_unit_test(test_ranges_in_parts),
      cmocka_unit_test(test_pairs_beyond_the_limit),
      cmocka_unit_test(test_rows_beyond_the_limit),
      cmocka_unit_test(test_rays_beyond_reason),
  };
  rdx_set_allocator(&allocator);
  const int result = TEST_MAIN(tests);
  rdx_set_allocator(NULL);
  return result;
}
