/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Scans against evaluating every predicate for every row, in three-valued logic, on the values themselves. */

#include "predicates.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MAX_COLUMNS 6

/* What every test runs on, all but AUTO: list_methods(). */
static rdx_scan_method methods[RDX_SCAN_METHODS - 1];

static void list_methods(void) {
  for (size_t m = 0; m < COUNT(methods); m++)
    methods[m] = (rdx_scan_method)(m + 1);
}

static const rdx_type types[] = {RDX_TYPE_BOOL, RDX_TYPE_I8,   RDX_TYPE_I16,       RDX_TYPE_I32,     RDX_TYPE_I64,
                                 RDX_TYPE_U8,   RDX_TYPE_U16,  RDX_TYPE_U32,       RDX_TYPE_U64,     RDX_TYPE_F32,
                                 RDX_TYPE_F64,  RDX_TYPE_DATE, RDX_TYPE_TIMESTAMP, RDX_TYPE_DECIMAL, RDX_TYPE_STRING};

/* ---- Tables ---- */

typedef struct table {
  uint32_t count;
  uint64_t rows;
  test_column columns[MAX_COLUMNS];
  rdx_column views[MAX_COLUMNS];
} table;

static table make_table(uint32_t count, uint64_t rows) {
  static const test_nulls nulls[] = {NO_NULLS, NO_NULLS, SOME_NULLS, SOME_NULLS, ALL_NULLS};
  static const test_shape shapes[] = {SHAPE_RANDOM, SHAPE_DENSE, SHAPE_SORTED,   SHAPE_REVERSED, SHAPE_EQUAL,
                                      SHAPE_FEW,    SHAPE_FEW,   SHAPE_EXTREMES, SHAPE_EDGES,    SHAPE_SKEWED};
  table t = {.count = count, .rows = rows};
  for (uint32_t i = 0; i < count; i++) {
    t.columns[i] = column_make(types[test_random() % COUNT(types)], shapes[test_random() % COUNT(shapes)],
                               nulls[test_random() % COUNT(nulls)], rows);
    t.views[i] = t.columns[i].view;
  }
  return t;
}

static void free_table(table *t) {
  for (uint32_t i = 0; i < t->count; i++)
    column_free(&t->columns[i]);
}

/* ---- Checking ---- */

/* What must come out, as a bitmap and as row numbers. */
typedef struct expected {
  uint32_t *bitmap, *rows;
  uint64_t count;
} expected;

static expected expect(const table *t, const rdx_predicate *p) {
  expected e = {.bitmap = calloc(t->rows / 32 + 1, 4), .rows = calloc(t->rows + 1, 4)};
  assert_true(e.bitmap && e.rows);
  for (uint64_t row = 0; row < t->rows; row++) {
    uint64_t rows[MAX_COLUMNS];
    for (uint32_t i = 0; i < t->count; i++)
      rows[i] = row;
    if (!predicate_holds(t->views, rows, p))
      continue;
    e.bitmap[row / 32] |= 1u << row % 32;
    e.rows[e.count++] = (uint32_t)row;
  }
  return e;
}

static void free_expected(expected *e) {
  free(e->bitmap);
  free(e->rows);
}

static void check_run(const rdx_scan *scan, const table *t, const rdx_predicate *p, const expected *e,
                      rdx_scan_result_kind kind) {
  rdx_scan_result *result = NULL;
  rdx_scan_view v;
  const rdx_scan_run_params params = {.result = kind, .stats = test_random() % 8 == 0};
  OK(rdx_scan_run(scan, p, &params, &result, err));
  for (int again = 0; again < 2; again++)
    OK(rdx_scan_result_view(result, &v, err));
  bool same = v.count == e->count && v.kind == kind && v.rows == t->rows;
  if (same && kind == RDX_SCAN_BITMAP)
    same = memcmp(v.bitmap, e->bitmap, (t->rows + 31) / 32 * 4) == 0;
  if (same && kind == RDX_SCAN_ROWS)
    same = memcmp(v.row, e->rows, v.count * 4) == 0;
  if (!same) {
    rdx_scan_stats stats;
    rdx_scan_get_stats(scan, &stats);
    for (uint32_t i = 0; i < t->count; i++)
      printf("column %u: %s\n", i, rdx_type_name(t->views[i].type));
    predicate_print(p, 0);
    fail_msg("%s, %llu rows, result kind %d: %llu rows instead of %llu, or others", rdx_scan_method_name(stats.method),
             (unsigned long long)t->rows, (int)kind, (unsigned long long)v.count, (unsigned long long)e->count);
  }
  assert_true((v.bitmap != NULL) == (kind == RDX_SCAN_BITMAP));
  assert_true((v.row != NULL) == (kind == RDX_SCAN_ROWS));
  rdx_scan_result_destroy(&result);
  assert_null(result);
}

static void create_all(const table *t, rdx_scan *scans[COUNT(methods)]) {
  for (size_t m = 0; m < COUNT(methods); m++) {
    rdx_scan_stats stats;
    scans[m] = NULL;
    OK(rdx_scan_create(test_device, t->views, t->count, &(rdx_scan_params){.method = methods[m]}, &scans[m], err));
    rdx_scan_get_stats(scans[m], &stats);
    assert_int_equal(stats.method, methods[m]);
    assert_int_equal(stats.rows, t->rows);
    assert_int_equal(stats.columns, t->count);
    assert_true(stats.bytes_peak >= stats.bytes_resident);
  }
}

static void destroy_all(rdx_scan *scans[COUNT(methods)]) {
  for (size_t m = 0; m < COUNT(methods); m++)
    rdx_scan_destroy(&scans[m]);
}

static void check_table(const table *t, uint32_t predicates) {
  rdx_scan *scans[COUNT(methods)];
  create_all(t, scans);
  for (uint32_t k = 0; k < predicates; k++) {
    static tree predicate;
    tree_make(t->views, t->count, &predicate);
    expected e = expect(t, predicate.nodes);
    for (size_t m = 0; m < COUNT(methods); m++)
      check_run(scans[m], t, predicate.nodes, &e, (rdx_scan_result_kind)(test_random() % 3));
    free_expected(&e);
    tree_free(&predicate);
  }
  destroy_all(scans);
}

static void test_random_trees(void **state) {
  (void)state;
  static const uint64_t sizes[] = {0, 1, 31, 32, 33, 63, 64, 65, 100, 127, 300, 1000, 4095, 4096, 4097, 9000};
  const uint32_t tables = test_is_slow() ? 24 : 320, predicates = test_is_slow() ? 8 : 32;
  for (uint32_t i = 0; i < tables; i++) {
    const uint64_t rows = i % 2 ? sizes[test_random() % COUNT(sizes)] : test_random() % 500;
    table t = make_table(1 + (uint32_t)(test_random() % MAX_COLUMNS), rows);
    check_table(&t, predicates);
    free_table(&t);
  }
}

static void test_large(void **state) {
  (void)state;
  const uint64_t sizes[] = {test_is_slow() ? 40000 : 1000000, test_is_slow() ? 20003 : 262147};
  for (size_t i = 0; i < COUNT(sizes); i++) {
    table t = make_table(4, sizes[i]);
    check_table(&t, test_is_slow() ? 3 : 12);
    free_table(&t);
  }
}

/* Random predicates over a table, by a scan with these params. */
static void check_predicates(const table *t, const rdx_scan_params *params) {
  rdx_scan *scan = NULL;
  OK(rdx_scan_create(test_device, t->views, t->count, params, &scan, err));
  for (uint32_t k = 0; k < 20; k++) {
    static tree predicate;
    tree_make(t->views, t->count, &predicate);
    expected e = expect(t, predicate.nodes);
    check_run(scan, t, predicate.nodes, &e, RDX_SCAN_BITMAP);
    free_expected(&e);
    tree_free(&predicate);
  }
  rdx_scan_destroy(&scan);
}

/* What the methods' options change. */
static void test_options(void **state) {
  (void)state;
  static const rdx_scan_params variants[] = {
      {.method = RDX_SCAN_BINDEX, .bindex.vectors = 4},
      {.method = RDX_SCAN_BINDEX, .bindex.vectors = 1024},
      {.method = RDX_SCAN_BTREE, .btree.published = true},
      {.method = RDX_SCAN_RTC1, .rtc1 = {.rays = 13, .build = RDX_BUILD_FAST_BUILD}},
      {.method = RDX_SCAN_RTC3, .rtc3 = {.group = 2, .rays = 13, .rows_per_box = 1}},
      {.method = RDX_SCAN_RTSCAN, .rtscan = {.vectors = 4, .group = 2, .rows_per_box = 1, .cube_width = 11}},
      {.method = RDX_SCAN_RTSCAN, .rtscan = {.vectors = 6, .interval_percent = 70, .spacing_percent = 60}},
      {.method = RDX_SCAN_RTSCAN, .rtscan = {.vectors = 1, .group = 1, .spaced = RDX_SWITCH_OFF, .ray_length = 9}},
      {.method = RDX_SCAN_RTSCAN, .rtscan = {.negative = RDX_SWITCH_OFF, .build = RDX_BUILD_LOW_MEMORY}},
      {.method = RDX_SCAN_RTSCAN, .rtscan = {.vectors = 1, .planes = 1}},
      {.method = RDX_SCAN_RTSCAN, .rtscan = {.vectors = 2, .planes = 2, .negative = RDX_SWITCH_OFF}},
      {.method = RDX_SCAN_RTSCAN, .rtscan = {.vectors = 3, .planes = 6}},
      {.method = RDX_SCAN_RTSCAN, .rtscan = {.vectors = 128, .derived = RDX_SWITCH_OFF}},
      {.method = RDX_SCAN_RTSCAN, .rtscan = {.vectors = 5, .encoding = RDX_SWITCH_OFF}},
      {.method = RDX_SCAN_RTSCAN, .rtscan = {.encoding = RDX_SWITCH_OFF, .group = 2, .negative = RDX_SWITCH_OFF}},
      {.method = RDX_SCAN_RTC1, .rtc1.published = true},
      {.method = RDX_SCAN_RTINDEX, .rtc1.published = true},
      {.method = RDX_SCAN_RTC3, .rtc3.published = true},
      {.method = RDX_SCAN_RTSCAN, .rtscan.published = true},
      {.method = RDX_SCAN_RTSCAN, .rtscan = {.published = true, .group = 1, .vectors = 3}},
      {.method = RDX_SCAN_RTSCAN, .rtscan = {.published = true, .group = 2, .vectors = 4, .cube_width = 7}},
      {.method = RDX_SCAN_RTSCAN, .rtscan = {.published = true, .encoding = RDX_SWITCH_OFF, .vectors = 2, .planes = 1}},
  };
  for (size_t i = 0; i < COUNT(variants) * (test_is_slow() ? 1 : 6); i++) {
    table t = make_table(1 + (uint32_t)(test_random() % MAX_COLUMNS), 1 + test_random() % 700);
    check_predicates(&t, &variants[i % COUNT(variants)]);
    free_table(&t);
  }
}

/* Groups as given, which overlap, leave columns out, or are those of a workload: with lines beside them and without. */
static void test_groups(void **state) {
  (void)state;
  enum { COLUMNS = 5 };
  static const uint64_t asked[] = {0x3, 0x18, 0x3, 0x1f, 0x10, 0x18};
  static const uint64_t chosen[RDX_SCAN_GROUPS] = {0x7, 0x18};
  rdx_scan_params forms[] = {
      {.method = RDX_SCAN_RTSCAN, .rtscan = {.vectors = 3, .groups = {0x9, 0x13, 0x1a}}},
      {.method = RDX_SCAN_RTSCAN, .rtscan = {.vectors = 5, .group = 2, .groups = {0x7, 0xe}}},
      {.method = RDX_SCAN_RTSCAN,
       .rtscan = {.vectors = 2, .group = 3, .groups = {0x11, 0x1}, .encoding = RDX_SWITCH_OFF}},
      {.method = RDX_SCAN_RTSCAN, .rtscan = {.vectors = 4, .group = 1}},
  };
  if (!test_traces())
    skip();
  rdx_scan_choose_groups(asked, COUNT(asked), forms[3].rtscan.groups);
  assert_memory_equal(forms[3].rtscan.groups, chosen, sizeof chosen);
  for (size_t i = 0; i < COUNT(forms) * (test_is_slow() ? 1 : 8); i++) {
    table t = make_table(COLUMNS, 1 + test_random() % 900);
    check_predicates(&t, &forms[i % COUNT(forms)]);
    free_table(&t);
  }
}

/* By their text. */
static void test_group_options(void **state) {
  (void)state;
  static const char *const bad[] = {"", "0+", "0+1+2+3", "0+0", "64", "0//1", "x", "0+1/", "-1", "0/1/2/3/4/5/6/7/8"};
  rdx_scan_params p = {.method = RDX_SCAN_RTSCAN};
  OK(rdx_scan_params_set(&p, "groups", "0+1+2/1+63", err));
  assert_true(p.rtscan.groups[0] == 7 && p.rtscan.groups[1] == (1ull << 63 | 2) && p.rtscan.groups[2] == 0);
  for (size_t i = 0; i < COUNT(bad); i++)
    FAILS(RDX_ERROR_ARGUMENT, rdx_scan_params_set(&p, "groups", bad[i], err));
  assert_true(p.rtscan.groups[0] == 7);
}

/* BinDex on CPUs of few threads, which take slices of the rows, and of many. */
static void test_slices(void **state) {
  (void)state;
  static const uint32_t threads[] = {1, 3, 16, 17};
  if (rdx_device_get_info(test_device)->backend != RDX_BACKEND_CPU)
    skip();
  for (size_t i = 0; i < COUNT(threads); i++) {
    rdx_device *device = NULL;
    rdx_scan *scan = NULL;
    table t = make_table(3, 30000 + test_random() % 200000);
    OK(rdx_device_open("cpu", &(rdx_device_params){.threads = threads[i]}, &device, err));
    OK(rdx_scan_create(device, t.views, t.count, &(rdx_scan_params){.method = RDX_SCAN_BINDEX}, &scan, err));
    for (uint32_t k = 0; k < 12; k++) {
      static tree predicate;
      tree_make(t.views, t.count, &predicate);
      expected e = expect(&t, predicate.nodes);
      check_run(scan, &t, predicate.nodes, &e, (rdx_scan_result_kind)(k % 3));
      free_expected(&e);
      tree_free(&predicate);
    }
    rdx_scan_destroy(&scan);
    rdx_device_close(&device);
    free_table(&t);
  }
}

/* Several methods: whatever is chosen is right, and the one that is expected to take least. */
static void test_choice(void **state) {
  (void)state;
  const bool rays = test_traces();
  const rdx_scan_params params = {
      .among = {.bindex = true, .btree = true, .rtindex = rays, .rtc1 = rays, .rtc3 = rays, .rtscan = rays}};
  table t = make_table(3, test_is_slow() ? 3000 : 30000);
  rdx_scan *scan = NULL;
  rdx_scan_stats built;
  OK(rdx_scan_create(test_device, t.views, t.count, &params, &scan, err));
  rdx_scan_get_stats(scan, &built);
  assert_int_equal(built.method, RDX_SCAN_AUTO);
  for (uint32_t k = 0; k < 40; k++) {
    static tree predicate;
    rdx_scan_result *result = NULL;
    rdx_scan_run_stats stats;
    tree_make(t.views, t.count, &predicate);
    expected e = expect(&t, predicate.nodes);
    check_run(scan, &t, predicate.nodes, &e, RDX_SCAN_BITMAP);
    OK(rdx_scan_run(scan, predicate.nodes, &(rdx_scan_run_params){.stats = true}, &result, err));
    rdx_scan_result_get_stats(result, &stats);
    rdx_scan_result_destroy(&result);
    assert_true((stats.methods != 0) == (stats.predicted_ms[RDX_SCAN_COLUMN] > 0));
    const bool single = predicate.nodes[0].child_count == 0 && predicate.nodes[0].kind != RDX_PREDICATE_IN;
    for (uint32_t m = 0; m < RDX_SCAN_METHODS; m++) /* one alone was taken: the column scan could have been */
      for (uint32_t other = 0; other < RDX_SCAN_METHODS && stats.methods == 1u << m; other++)
        if (other == RDX_SCAN_COLUMN || (single && stats.predicted_ms[other] > 0))
          assert_true(stats.predicted_ms[m] <= stats.predicted_ms[other]);
    free_expected(&e);
    tree_free(&predicate);
  }
  rdx_scan_destroy(&scan);
  free_table(&t);
}

static void test_bad_options(void **state) {
  (void)state;
  static const rdx_scan_params bad[] = {
      {.method = RDX_SCAN_BINDEX, .bindex.vectors = 1025},
      {.method = RDX_SCAN_RTINDEX, .rtc1.build = (rdx_build_preference)9},
      {.method = RDX_SCAN_RTC1, .rtc1.rays = 1u << 21},
      {.method = RDX_SCAN_RTC3, .rtc3.group = 4},
      {.method = RDX_SCAN_RTC3, .rtc3.rows_per_box = 257},
      {.method = RDX_SCAN_RTSCAN, .rtscan.vectors = 1025},
      {.method = RDX_SCAN_RTSCAN, .rtscan.planes = 7},
      {.method = RDX_SCAN_RTSCAN, .rtscan.group = 4},
      {.method = RDX_SCAN_RTSCAN, .rtscan.groups = {2}},
      {.method = RDX_SCAN_RTSCAN, .rtscan.interval_percent = 101},
      {.method = RDX_SCAN_RTSCAN, .rtscan.spacing_percent = 101},
      {.method = RDX_SCAN_RTSCAN, .rtscan.build = (rdx_build_preference)9},
  };
  static const int32_t values[] = {1, 2, 3};
  const rdx_column column = {.type = RDX_TYPE_I32, .rows = 3, .values = values};
  for (size_t i = 0; i < COUNT(bad); i++) {
    rdx_scan *scan = NULL;
    FAILS(RDX_ERROR_ARGUMENT, rdx_scan_create(test_device, &column, 1, &bad[i], &scan, err));
    assert_null(scan);
  }
}

/* ---- Counts that the papers give (RTScan, sections 4.3.3 and 5.2), for fewer rows ---- */

static int compare_u32(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

/* The stats of `value < the quantile` on three columns, checked against how many rows there are. */
static rdx_scan_run_stats run_quantile(const rdx_scan *scan, uint32_t *const data[3], uint32_t *const sorted[3],
                                       uint32_t rows, double selectivity) {
  uint32_t bounds[3];
  rdx_predicate terms[3];
  uint64_t count = 0;
  for (uint32_t i = 0; i < 3; i++) {
    bounds[i] = sorted[i][(uint32_t)(rows * selectivity)];
    terms[i] = (rdx_predicate){
        .kind = RDX_PREDICATE_LT, .column = i, .values = {.type = RDX_TYPE_U32, .rows = 1, .values = &bounds[i]}};
  }
  for (uint32_t i = 0; i < rows; i++)
    count += data[0][i] < bounds[0] && data[1][i] < bounds[1] && data[2][i] < bounds[2];
  const rdx_predicate all = {.kind = RDX_PREDICATE_AND, .children = terms, .child_count = 3};
  rdx_scan_result *result = NULL;
  rdx_scan_run_stats stats;
  rdx_scan_view v;
  OK(rdx_scan_run(scan, &all, &(rdx_scan_run_params){.stats = true}, &result, err));
  OK(rdx_scan_result_view(result, &v, err));
  assert_int_equal(v.count, count);
  rdx_scan_result_get_stats(result, &stats);
  rdx_scan_result_destroy(&result);
  return stats;
}

/* Sieving leaves about N / 4K rows of a predicate; each is met once, with few others. Skew (here by the square of the
 * inverse) changes nothing. */
static void test_counts(void **state) {
  (void)state;
  enum { ROWS = 300000, VECTORS = 128 };
  const uint32_t rows = test_is_slow() ? ROWS / 10 : ROWS;
  uint32_t *data[3], *sorted[3];
  rdx_column columns[3];
  for (uint32_t i = 0; i < 3; i++) {
    data[i] = malloc(rows * sizeof(uint32_t));
    sorted[i] = malloc(rows * sizeof(uint32_t));
    assert_true(data[i] && sorted[i]);
    for (uint32_t k = 0; k < rows; k++) {
      const uint64_t x = test_random() % 60000 + 1;
      data[i][k] = i == 1 ? (uint32_t)test_random() : (uint32_t)(3600000000ull / (x * x));
    }
    memcpy(sorted[i], data[i], rows * sizeof(uint32_t));
    qsort(sorted[i], rows, sizeof(uint32_t), compare_u32);
    columns[i] = (rdx_column){.type = RDX_TYPE_U32, .rows = rows, .values = data[i]};
  }
  const rdx_scan_method sieving[] = {RDX_SCAN_BINDEX, RDX_SCAN_RTSCAN};
  for (size_t m = 0; m < (test_traces() ? 2 : 1); m++) {
    rdx_scan *scan = NULL;
    uint64_t refined = 0;
    const uint32_t queries = 60;
    OK(rdx_scan_create(test_device, columns, 3, &(rdx_scan_params){.method = sieving[m]}, &scan, err));
    for (uint32_t q = 0; q < queries; q++) {
      const double selectivity = (double)(test_random() % 1000) / 1000;
      const rdx_scan_run_stats s = run_quantile(scan, data, sorted, rows, selectivity);
      refined += s.refined;
      assert_true(s.refined <= 3 * (rows / (2 * VECTORS) + 512));
      if (sieving[m] != RDX_SCAN_RTSCAN)
        continue;
      assert_true(s.rays_hit <= s.rays && s.rays_hit <= s.hits);
      /* Slabs as wide as a cube at least, which is two fifths of the distance of rows: a 166th of the space here. */
      assert_true(s.hits <= 3 * (s.refined + rows / (test_is_slow() ? 50 : 120)));
    }
    const double mean = (double)refined / queries / 3;
    assert_true(mean < 1.3 * rows / (4 * VECTORS) + 64);
    rdx_scan_destroy(&scan);
  }
  for (uint32_t i = 0; i < 3; i++) {
    free(data[i]);
    free(sorted[i]);
  }
}

/* Borders are where values change; more of them leave less to refine; a run that counts tells what its stages took. */
static void test_stages(void **state) {
  (void)state;
  const uint32_t rows = test_is_slow() ? 20000 : 100000;
  uint32_t *data[3], *sorted[3];
  rdx_column columns[3];
  if (!test_traces())
    skip();
  for (uint32_t i = 0; i < 3; i++) {
    data[i] = malloc(rows * sizeof(uint32_t));
    sorted[i] = malloc(rows * sizeof(uint32_t));
    assert_true(data[i] && sorted[i]);
    for (uint32_t k = 0; k < rows; k++)
      data[i][k] = (uint32_t)test_random() % (i == 0 ? 50000 : UINT32_MAX);
    memcpy(sorted[i], data[i], rows * sizeof(uint32_t));
    qsort(sorted[i], rows, sizeof(uint32_t), compare_u32);
    columns[i] = (rdx_column){.type = RDX_TYPE_U32, .rows = rows, .values = data[i]};
  }
  const rdx_scan_params forms[] = {{.method = RDX_SCAN_RTSCAN, .rtscan = {.published = true, .vectors = 8}},
                                   {.method = RDX_SCAN_RTSCAN, .rtscan = {.published = true}},
                                   {.method = RDX_SCAN_RTSCAN, .rtscan = {.published = true, .group = 2}},
                                   {.method = RDX_SCAN_RTSCAN}};
  static const uint32_t max[] = {8, 128, 128, 62 * 16 - 1};
  double reduced[COUNT(forms)] = {0};
  for (size_t f = 0; f < COUNT(forms); f++) {
    rdx_scan *scan = NULL;
    rdx_scan_stats built;
    const uint32_t *borders = NULL;
    OK(rdx_scan_create(test_device, columns, 3, &forms[f], &scan, err));
    rdx_scan_get_stats(scan, &built);
    assert_true(built.bytes_vectors + built.bytes_scene <= built.bytes_resident && built.bytes_table > 0);
    assert_true(built.table_ms > 0 && built.vectors_ms > 0 && built.scene_ms > 0);
    for (uint32_t i = 0; i < 3; i++) {
      const uint32_t count = rdx_scan_borders(scan, i, &borders);
      assert_true(count <= max[f] && count > max[f] / 2);
      for (uint32_t k = 0; k < count; k++)
        assert_true(borders[k] > 0 && borders[k] < rows && sorted[i][borders[k] - 1] < sorted[i][borders[k]]);
    }
    assert_int_equal(rdx_scan_borders(scan, 3, &borders), 0);
    for (uint32_t q = 0; q < 12; q++) {
      const rdx_scan_run_stats s = run_quantile(scan, data, sorted, rows, 0.31 + 0.013 * q);
      assert_true(s.transform_ms > 0 && s.sieve_ms > 0 && s.reduced > 0 && s.reduced <= 1);
      assert_true(s.transform_ms < 60000); /* by either form: no clock's reading */
      assert_true((s.rays > 0) == (s.reduced < 1));
      assert_true(s.refine_ms > 0 || s.rays == 0);
      assert_true(s.merge_ms > 0 || !forms[f].rtscan.published);
      assert_true(s.group == (f == 2 ? 2u : 3u) || (f == 3 && s.group == 1));
      reduced[f] += s.reduced / 12;
    }
    rdx_scan_destroy(&scan);
  }
  assert_true(reduced[0] < reduced[1]);
  for (uint32_t i = 0; i < 3; i++) {
    free(data[i]);
    free(sorted[i]);
  }
}

static rdx_predicate compare_with(rdx_predicate_kind kind, const int64_t *values, uint64_t count) {
  return (rdx_predicate){.kind = kind, .values = {.type = RDX_TYPE_I64, .rows = count, .values = values}};
}

/* Disjunctions of up to six conjunctions of up to three ranges, more than a call takes among them; some columns have
 * NULLs, and some conjunctions name a column that others do not. */
static void test_disjunctions(void **state) {
  (void)state;
  enum { MAX = 6, COLUMNS = 4 };
  static const rdx_scan_params forms[] = {
      {.method = RDX_SCAN_RTSCAN, .rtscan = {.group = 3, .vectors = 5, .derived = RDX_SWITCH_OFF}},
      {.method = RDX_SCAN_RTSCAN, .rtscan = {.group = 2, .vectors = 2, .planes = 2, .rows_per_box = 1}},
      {.method = RDX_SCAN_RTSCAN, .rtscan = {.group = 1, .vectors = 6}},
      {.method = RDX_SCAN_RTSCAN},
      {.method = RDX_SCAN_RTSCAN, .rtscan.published = true},
      {.method = RDX_SCAN_RTSCAN, .rtscan = {.encoding = RDX_SWITCH_OFF, .vectors = 3}},
  };
  for (size_t f = 0; f < COUNT(forms); f++) {
    table t = {.count = COLUMNS, .rows = test_is_slow() ? 700 : 5000};
    rdx_scan *scan = NULL;
    for (uint32_t i = 0; i < COLUMNS; i++) {
      t.columns[i] = column_make(RDX_TYPE_U8, SHAPE_RANDOM, i % 2 ? SOME_NULLS : NO_NULLS, t.rows);
      t.views[i] = t.columns[i].view;
    }
    OK(rdx_scan_create(test_device, t.views, t.count, &forms[f], &scan, err));
    for (uint32_t q = 0; q < (test_is_slow() ? 6 : 40); q++) {
      int64_t bounds[MAX][3][2];
      rdx_predicate leaves[MAX][3], ands[MAX];
      const uint32_t count = 2 + (uint32_t)(test_random() % (MAX - 1));
      for (uint32_t k = 0; k < count; k++) {
        const uint32_t terms = 1 + (uint32_t)(test_random() % 3), first = (uint32_t)test_random() % COLUMNS;
        for (uint32_t i = 0; i < terms; i++) {
          bounds[k][i][0] = (int64_t)(test_random() % 200);
          bounds[k][i][1] = bounds[k][i][0] + (int64_t)(test_random() % 150);
          leaves[k][i] = compare_with(RDX_PREDICATE_BETWEEN, bounds[k][i], 2);
          leaves[k][i].column = (first + i) % COLUMNS;
        }
        ands[k] = (rdx_predicate){.kind = RDX_PREDICATE_AND, .children = leaves[k], .child_count = terms};
      }
      const rdx_predicate any = {.kind = RDX_PREDICATE_OR, .children = ands, .child_count = count};
      expected e = expect(&t, &any);
      check_run(scan, &t, &any, &e, RDX_SCAN_BITMAP);
      free_expected(&e);
    }
    rdx_scan_destroy(&scan);
    free_table(&t);
  }
}

/* Every type in every shape, by itself, with all kinds of NULLs and of comparisons. */
static void test_types(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(types); i++) {
    for (test_shape shape = 0; shape < SHAPE_COUNT; shape++) {
      if (test_is_slow() && (i + shape) % 5 != 0)
        continue;
      const test_nulls nulls = (test_nulls)(shape % 3);
      table t = {.count = 1, .columns = {column_make(types[i], shape, nulls, 200)}};
      t.views[0] = t.columns[0].view;
      t.rows = t.views[0].rows;
      check_table(&t, 20);
      free_table(&t);
    }
  }
}

/* ---- Cases by hand ---- */

static const int8_t bytes[] = {-128, -5, 0, 3, 3, 100, 127};
static const uint8_t some[] = {0x7d}; /* row 1 is NULL */
static const rdx_column small = {.type = RDX_TYPE_I8, .rows = 7, .values = bytes, .validity = some};

static uint64_t count_rows(const rdx_scan *scan, const rdx_predicate *p) {
  rdx_scan_result *result = NULL;
  rdx_scan_view v;
  OK(rdx_scan_run(scan, p, NULL, &result, err));
  OK(rdx_scan_result_view(result, &v, err));
  rdx_scan_result_destroy(&result);
  return v.count;
}

/* Literals that the column cannot represent keep their meaning. */
static void test_literals_out_of_range(void **state) {
  (void)state;
  static const int64_t above[] = {1000}, below[] = {-1000}, both[] = {-1000, 1000}, reversed[] = {100, -100};
  static const struct {
    rdx_predicate_kind kind;
    const int64_t *values;
    uint64_t literals, rows;
  } cases[] = {
      {RDX_PREDICATE_LT, above, 1, 6},     {RDX_PREDICATE_GT, above, 1, 0},         {RDX_PREDICATE_EQ, above, 1, 0},
      {RDX_PREDICATE_NE, above, 1, 6},     {RDX_PREDICATE_GE, below, 1, 6},         {RDX_PREDICATE_LT, below, 1, 0},
      {RDX_PREDICATE_BETWEEN, both, 2, 6}, {RDX_PREDICATE_BETWEEN, reversed, 2, 0}, {RDX_PREDICATE_IN, both, 2, 0},
  };
  for (size_t m = 0; m < COUNT(methods); m++) {
    rdx_scan *scan = NULL;
    OK(rdx_scan_create(test_device, &small, 1, &(rdx_scan_params){.method = methods[m]}, &scan, err));
    for (size_t i = 0; i < COUNT(cases); i++) {
      const rdx_predicate p = compare_with(cases[i].kind, cases[i].values, cases[i].literals);
      assert_int_equal(count_rows(scan, &p), cases[i].rows);
    }
    rdx_scan_destroy(&scan);
    assert_null(scan);
  }
}

static void test_bad_predicates(void **state) {
  (void)state;
  static const int64_t one[] = {1, 2};
  static const uint64_t offsets[] = {0, 1};
  rdx_scan *scan = NULL;
  rdx_scan_result *result = NULL;
  OK(rdx_scan_create(test_device, &small, 1, NULL, &scan, err));
  rdx_predicate p = compare_with(RDX_PREDICATE_EQ, one, 1);
  p.column = 1;
  FAILS(RDX_ERROR_ARGUMENT, rdx_scan_run(scan, &p, NULL, &result, err));
  p = compare_with(RDX_PREDICATE_EQ, one, 2);
  FAILS(RDX_ERROR_ARGUMENT, rdx_scan_run(scan, &p, NULL, &result, err));
  p = compare_with(RDX_PREDICATE_BETWEEN, one, 1);
  FAILS(RDX_ERROR_ARGUMENT, rdx_scan_run(scan, &p, NULL, &result, err));
  p.values = (rdx_column){.type = RDX_TYPE_STRING, .rows = 1, .values = "x", .offsets = offsets};
  p.kind = RDX_PREDICATE_EQ;
  FAILS(RDX_ERROR_ARGUMENT, rdx_scan_run(scan, &p, NULL, &result, err));
  p = (rdx_predicate){.kind = (rdx_predicate_kind)99};
  FAILS(RDX_ERROR_ARGUMENT, rdx_scan_run(scan, &p, NULL, &result, err));
  p = (rdx_predicate){.kind = RDX_PREDICATE_NOT};
  FAILS(RDX_ERROR_ARGUMENT, rdx_scan_run(scan, &p, NULL, &result, err));
  p = (rdx_predicate){.kind = RDX_PREDICATE_AND, .child_count = 1};
  FAILS(RDX_ERROR_ARGUMENT, rdx_scan_run(scan, &p, NULL, &result, err));
  static rdx_predicate deep[100000];
  for (size_t i = 0; i + 1 < COUNT(deep); i++)
    deep[i] = (rdx_predicate){.kind = RDX_PREDICATE_NOT, .children = &deep[i + 1], .child_count = 1};
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_scan_run(scan, deep, NULL, &result, err));
  assert_int_equal(count_rows(scan, &deep[COUNT(deep) - 101]), 7);
  assert_null(result);
  rdx_scan_destroy(&scan);
}

static void test_bad_scans(void **state) {
  (void)state;
  rdx_scan *scan = NULL;
  rdx_column columns[] = {small, small};
  FAILS(RDX_ERROR_ARGUMENT, rdx_scan_create(test_device, columns, 0, NULL, &scan, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_scan_create(test_device, NULL, 1, NULL, &scan, err));
  FAILS(RDX_ERROR_ARGUMENT,
        rdx_scan_create(test_device, columns, 1, &(rdx_scan_params){.method = (rdx_scan_method)99}, &scan, err));
  columns[1].rows = 6;
  FAILS(RDX_ERROR_ARGUMENT, rdx_scan_create(test_device, columns, 2, NULL, &scan, err));
  columns[1].type = RDX_TYPE_NONE;
  FAILS(RDX_ERROR_ARGUMENT, rdx_scan_create(test_device, columns, 2, NULL, &scan, err));
  assert_null(scan);
}

/* More columns than memory: an estimate, before anything is made. */
static void test_memory_limit(void **state) {
  (void)state;
  rdx_device *device = NULL;
  rdx_device_usage usage;
  test_column column = column_make(RDX_TYPE_U32, SHAPE_RANDOM, NO_NULLS, 100000);
  const char *name = rdx_device_get_info(test_device)->name;
  OK(rdx_device_open(name, &(rdx_device_params){.memory_limit = 1000000}, &device, err));
  const rdx_column columns[] = {column.view, column.view, column.view};
  for (size_t m = 0; m < COUNT(methods); m++) {
    const rdx_scan_params params = {.method = methods[m]};
    rdx_scan *scan = NULL;
    FAILS(RDX_ERROR_DEVICE_MEMORY, rdx_scan_create(device, columns, 3, &params, &scan, err));
    FAILS(RDX_ERROR_DEVICE_MEMORY, rdx_scan_create(device, columns, 2, &params, &scan, err));
    assert_null(scan);
    rdx_device_get_usage(device, &usage);
    assert_int_equal(usage.memory_used, 0);
  }
  rdx_device_close(&device);
  column_free(&column);
}

static rdx_status try_boxes(rdx_device *device, const rdx_column *columns, rdx_scan_method method,
                            uint32_t rows_per_box, rdx_error *err) {
  rdx_scan_params params = {.method = method};
  *(method == RDX_SCAN_RTC3 ? &params.rtc3.rows_per_box : &params.rtscan.rows_per_box) = rows_per_box;
  rdx_scan *scan = NULL;
  const rdx_status status = rdx_scan_create(device, columns, 3, &params, &scan, err);
  rdx_scan_destroy(&scan);
  return status;
}

/* Rows share boxes by themselves where only that fits. */
static void test_shared_boxes(void **state) {
  (void)state;
  static const rdx_scan_method boxed[] = {RDX_SCAN_RTC3, RDX_SCAN_RTSCAN};
  const rdx_device_info *info = rdx_device_get_info(test_device);
  const uint32_t usual = info->backend == RDX_BACKEND_CPU ? 4 : 1;
  test_column column = column_make(RDX_TYPE_U32, SHAPE_RANDOM, NO_NULLS, 20000);
  const rdx_column columns[] = {column.view, column.view, column.view};
  for (size_t m = 0; m < COUNT(boxed) && test_traces(); m++) {
    bool fits = false;
    for (uint64_t limit = 500000; !fits; limit += limit / 16) {
      rdx_device *device = NULL;
      OK(rdx_device_open(info->name, &(rdx_device_params){.memory_limit = limit}, &device, err));
      fits = try_boxes(device, columns, boxed[m], 32, NULL) == RDX_OK;
      if (fits) {
        FAILS(RDX_ERROR_DEVICE_MEMORY, try_boxes(device, columns, boxed[m], usual, err));
        OK(try_boxes(device, columns, boxed[m], 0, err));
      }
      rdx_device_close(&device);
    }
  }
  column_free(&column);
}

/* Device columns, and scans that outlive what they were made from. */
static void test_device_columns(void **state) {
  (void)state;
  table t = make_table(4, 3000);
  rdx_device_column *copies[MAX_COLUMNS] = {0};
  rdx_column views[MAX_COLUMNS];
  for (uint32_t i = 0; i < t.count; i++) {
    OK(rdx_device_column_create(test_device, &t.views[i], &copies[i], err));
    views[i] = rdx_device_column_view(copies[i]);
  }
  rdx_scan *scans[COUNT(methods)] = {0};
  for (size_t m = 0; m < COUNT(methods); m++)
    OK(rdx_scan_create(test_device, views, t.count, &(rdx_scan_params){.method = methods[m]}, &scans[m], err));
  for (uint32_t i = 0; i < t.count; i++)
    rdx_device_column_destroy(&copies[i]);
  for (uint32_t k = 0; k < 20; k++) {
    static tree predicate;
    tree_make(t.views, t.count, &predicate);
    expected e = expect(&t, predicate.nodes);
    for (size_t m = 0; m < COUNT(methods); m++)
      check_run(scans[m], &t, predicate.nodes, &e, RDX_SCAN_BITMAP);
    free_expected(&e);
    tree_free(&predicate);
  }
  destroy_all(scans);
  free_table(&t);
}

static void test_names(void **state) {
  (void)state;
  rdx_scan_method method;
  for (size_t m = 0; m < COUNT(methods); m++) {
    OK(rdx_scan_method_from_name(rdx_scan_method_name(methods[m]), &method, err));
    assert_int_equal(method, methods[m]);
  }
  OK(rdx_scan_method_from_name("auto", &method, err));
  assert_int_equal(method, RDX_SCAN_AUTO);
  FAILS(RDX_ERROR_NOT_FOUND, rdx_scan_method_from_name("zonemap", &method, err));
  assert_string_equal(rdx_scan_method_name((rdx_scan_method)99), "unknown");
}

/* ---- Threads ---- */

typedef struct job {
  const rdx_scan *scan;
  const rdx_predicate *predicate;
  uint64_t count;
  bool good;
} job;

static void *run_job(void *argument) {
  job *j = argument;
  j->good = true;
  for (int i = 0; i < (test_is_slow() ? 6 : 50); i++) {
    rdx_scan_result *result = NULL;
    rdx_scan_view v;
    const rdx_scan_run_params params = {.result = (rdx_scan_result_kind)(i % 3)};
    if (rdx_scan_run(j->scan, j->predicate, &params, &result, NULL) != RDX_OK ||
        rdx_scan_result_view(result, &v, NULL) != RDX_OK || v.count != j->count)
      j->good = false;
    rdx_scan_result_destroy(&result);
  }
  return NULL;
}

/* Runs of one scan at the same time. */
static void test_threads(void **state) {
  (void)state;
  table t = make_table(3, 5000);
  rdx_scan *scans[COUNT(methods)];
  static tree predicates[4];
  create_all(&t, scans);
  for (size_t i = 0; i < COUNT(predicates); i++)
    tree_make(t.views, t.count, &predicates[i]);
  for (size_t m = 0; m < COUNT(methods); m++) {
    pthread_t threads[COUNT(predicates)];
    job jobs[COUNT(predicates)];
    for (size_t i = 0; i < COUNT(predicates); i++) {
      jobs[i] = (job){scans[m], predicates[i].nodes, count_rows(scans[m], predicates[i].nodes), false};
      assert_int_equal(pthread_create(&threads[i], NULL, run_job, &jobs[i]), 0);
    }
    for (size_t i = 0; i < COUNT(predicates); i++) {
      pthread_join(threads[i], NULL);
      assert_true(jobs[i].good);
    }
  }
  destroy_all(scans);
  for (size_t i = 0; i < COUNT(predicates); i++)
    tree_free(&predicates[i]);
  free_table(&t);
}

int main(void) {
  list_methods();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_trees),   cmocka_unit_test(test_large),
      cmocka_unit_test(test_types),          cmocka_unit_test(test_literals_out_of_range),
      cmocka_unit_test(test_bad_predicates), cmocka_unit_test(test_bad_scans),
      cmocka_unit_test(test_memory_limit),   cmocka_unit_test(test_device_columns),
      cmocka_unit_test(test_names),          cmocka_unit_test(test_threads),
      cmocka_unit_test(test_options),        cmocka_unit_test(test_bad_options),
      cmocka_unit_test(test_counts),         cmocka_unit_test(test_shared_boxes),
      cmocka_unit_test(test_choice),         cmocka_unit_test(test_groups),
      cmocka_unit_test(test_group_options),  cmocka_unit_test(test_slices),
      cmocka_unit_test(test_stages),         cmocka_unit_test(test_disjunctions),
  };
  return TEST_MAIN(tests);
}
