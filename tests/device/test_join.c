/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Joins against comparing every left row with every right row. */

#include "reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The expected rows of a join. */
typedef struct expected {
  uint32_t *left, *right;
  uint64_t count, pairs;
  int64_t sum;
} expected;

static void add(expected *e, uint64_t left, uint64_t right) {
  e->left[e->count] = (uint32_t)left;
  e->right[e->count++] = (uint32_t)right;
}

/* `values` are of right rows, or with `upper` of left ones. */
static expected expect(const rdx_column *left, const rdx_column *lower, const rdx_column *upper, rdx_join_kind kind,
                       const int32_t *values) {
  const uint64_t max = left->rows * (lower->rows + 1) + 1;
  expected e = {.left = malloc(max * 4), .right = malloc(max * 4)};
  assert_non_null(e.left);
  assert_non_null(e.right);
  for (uint64_t i = 0; i < left->rows; i++) {
    uint64_t found = 0;
    for (uint64_t j = 0; j < lower->rows; j++) {
      if (!column_matches(left, i, lower, upper, j))
        continue;
      found++;
      e.sum += values[upper ? i : j];
      if (kind == RDX_JOIN_INNER || kind == RDX_JOIN_LEFT)
        add(&e, i, j);
    }
    e.pairs += found;
    if ((kind == RDX_JOIN_LEFT || kind == RDX_JOIN_ANTI) && found == 0)
      add(&e, i, RDX_NO_ROW);
    if (kind == RDX_JOIN_LEFT && found == 0 && upper) { /* the pair has a value: that of the left row */
      e.sum += values[i];
      e.pairs++;
    }
    if (kind == RDX_JOIN_SEMI && found > 0)
      add(&e, i, RDX_NO_ROW);
  }
  return e;
}

static void check_rows(rdx_join_result *join, const expected *e, rdx_join_kind kind) {
  rdx_join_view v;
  OK(rdx_join_result_view(join, &v, err));
  assert_int_equal(v.count, e->count);
  assert_int_equal(v.kind, kind);
  assert_memory_equal(v.left_rows, e->left, e->count * 4);
  if (kind == RDX_JOIN_INNER || kind == RDX_JOIN_LEFT)
    assert_memory_equal(v.right_rows, e->right, e->count * 4);
  else
    assert_null(v.right_rows);
}

static rdx_status run(const rdx_column *left, const rdx_column *lower, const rdx_column *upper,
                      const rdx_join_params *params, rdx_join_result **out, rdx_error *err) {
  return upper ? rdx_join_between(test_device, left, lower, upper, params, out, err)
               : rdx_join_equal(test_device, left, lower, params, out, err);
}

static void check_join(const rdx_column *left, const rdx_column *lower, const rdx_column *upper,
                       rdx_join_params params) {
  static int32_t values[2000];
  for (size_t i = 0; i < COUNT(values); i++)
    values[i] = (int32_t)(i * 7919 % 1000) - 500;
  const rdx_column value_column = {.type = RDX_TYPE_I32, .rows = upper ? left->rows : lower->rows, .values = values};
  expected e = expect(left, lower, upper, params.kind, values);
  rdx_join_result *join = NULL;
  rdx_join_view v;
  params.result = RDX_JOIN_PAIRS;
  OK(run(left, lower, upper, &params, &join, err));
  check_rows(join, &e, params.kind);
  rdx_join_result_destroy(&join);
  assert_null(join);
  params.result = RDX_JOIN_COUNT;
  OK(run(left, lower, upper, &params, &join, err));
  OK(rdx_join_result_view(join, &v, err));
  assert_int_equal(v.count, e.count);
  assert_null(v.left_rows);
  rdx_join_result_destroy(&join);
  params.result = RDX_JOIN_SUM;
  params.values = &value_column;
  if (params.kind > RDX_JOIN_LEFT) {
    FAILS(RDX_ERROR_ARGUMENT, run(left, lower, upper, &params, &join, err));
  } else if (upper && params.mapping == RDX_JOIN_MAPPING_DIRECT) {
    FAILS(RDX_ERROR_UNSUPPORTED, run(left, lower, upper, &params, &join, err));
  } else {
    OK(run(left, lower, upper, &params, &join, err));
    OK(rdx_join_result_view(join, &v, err));
    assert_int_equal(v.sum_i64, e.sum);
    assert_int_equal(v.sum_is_null, e.pairs == 0);
    rdx_join_result_destroy(&join);
  }
  free(e.left);
  free(e.right);
}

static void test_equal(void **state) {
  (void)state;
  static const rdx_type types[] = {RDX_TYPE_I32, RDX_TYPE_U64, RDX_TYPE_F64, RDX_TYPE_STRING, RDX_TYPE_DECIMAL};
  static const test_shape shapes[] = {SHAPE_FEW, SHAPE_SKEWED, SHAPE_DENSE, SHAPE_EMPTY, SHAPE_ONE, SHAPE_EQUAL};
  for (size_t t = 0; t < COUNT(types); t++) {
    for (size_t s = 0; s < COUNT(shapes); s++) {
      for (int mapping = 0; mapping < 3; mapping++) {
        test_column left = column_make(types[t], shapes[s], SOME_NULLS, 60 + test_random() % 60);
        test_column right = column_probes(&left, 1 + test_random() % 120, SOME_NULLS);
        rdx_index_method method = (rdx_index_method)(RDX_INDEX_RX + test_random() % (RDX_INDEX_METHODS - 1));
        method = test_can(method) ? method : RDX_INDEX_TREE;
        for (rdx_join_kind join = RDX_JOIN_INNER; join <= RDX_JOIN_ANTI; join++)
          check_join(&left.view, &right.view, NULL,
                     (rdx_join_params){.kind = join,
                                       .mapping = (rdx_join_mapping)mapping,
                                       .index.method = method,
                                       .sort_probes = test_random() % 3 == 0});
        column_free(&left);
        column_free(&right);
      }
    }
  }
}

/* A hash table for each of 256 and of 65,536 partitions: all kinds of joins over all shapes of keys. */
static void test_radix_hash(void **state) {
  (void)state;
  static const rdx_type types[] = {RDX_TYPE_U32, RDX_TYPE_I64, RDX_TYPE_F32, RDX_TYPE_STRING};
  for (size_t t = 0; t < COUNT(types); t++) {
    for (test_shape shape = 0; shape < SHAPE_COUNT; shape++) {
      const rdx_index_params index = {.method = RDX_INDEX_RADIX_HASH, .radix_hash.bits = (t + shape) % 4 ? 8 : 16};
      test_column left = column_make(types[t], shape, (t + shape) % 2 ? SOME_NULLS : NO_NULLS, 90);
      test_column right = column_probes(&left, 100, shape % 2 ? NO_NULLS : SOME_NULLS);
      for (rdx_join_kind join = RDX_JOIN_INNER; join <= RDX_JOIN_ANTI; join++)
        check_join(&left.view, &right.view, NULL,
                   (rdx_join_params){.kind = join, .mapping = (rdx_join_mapping)(test_random() % 3), .index = index});
      column_free(&left);
      column_free(&right);
    }
  }
}

/* Keys that all fall into one partition, or are all equal but for a few, take as long and as much as others. */
static void test_skew(void **state) {
  (void)state;
  const uint64_t rows = test_is_slow() ? 5000 : 100000;
  uint32_t *left = malloc(rows * sizeof *left), *right = malloc(rows * sizeof *right);
  assert_true(left && right);
  for (int max = 0; max < 2; max++) {
    uint64_t pairs = 0, equal = 0;
    for (uint64_t i = 0; i < rows; i++) {
      left[i] = i % 1000 > 0 || max ? 7 : (uint32_t)i;
      right[i] = i % 500 > 0 || max ? 7 : (uint32_t)i;
      equal += right[i] == 7;
    }
    for (uint64_t i = 0; i < rows; i++)
      pairs += left[i] == 7 ? equal : 1;
    const rdx_column l = {.type = RDX_TYPE_U32, .rows = rows, .values = left};
    const rdx_column r = {.type = RDX_TYPE_U32, .rows = rows, .values = right};
    const rdx_join_params params = {.result = RDX_JOIN_COUNT, .index.method = RDX_INDEX_RADIX_HASH};
    rdx_join_result *join = NULL;
    rdx_join_view v;
    rdx_join_stats stats;
    OK(rdx_join_equal(test_device, &l, &r, &params, &join, err));
    OK(rdx_join_result_view(join, &v, err));
    rdx_join_result_get_stats(join, &stats);
    assert_int_equal(v.count, pairs);
    assert_true(stats.index.bytes_peak <= rows * 36 + 4096);
    rdx_join_result_destroy(&join);
  }
  free(left);
  free(right);
}

static void test_between(void **state) {
  (void)state;
  static const rdx_type types[] = {RDX_TYPE_I16, RDX_TYPE_U64, RDX_TYPE_DATE, RDX_TYPE_F32};
  for (size_t t = 0; t < COUNT(types); t++) {
    for (rdx_index_method method = RDX_INDEX_AUTO; method < RDX_INDEX_METHODS; method++) {
      if (!rdx_index_method_abilities(method).ranges || !test_can(method))
        continue;
      test_column left = column_make(types[t], t % 2 ? SHAPE_SKEWED : SHAPE_RANDOM, SOME_NULLS, 90);
      test_column lower = column_probes(&left, 40, SOME_NULLS), upper = column_probes(&left, 40, SOME_NULLS);
      for (rdx_join_kind join = RDX_JOIN_INNER; join <= RDX_JOIN_ANTI; join++)
        check_join(&left.view, &lower.view, &upper.view, (rdx_join_params){.kind = join, .index.method = method});
      column_free(&left);
      column_free(&lower);
      column_free(&upper);
    }
  }
}

/* Points among sorted ranges: ranges that hold each other, overlap, touch, are empty or NULL; and many of each. */
static void test_between_ranges(void **state) {
  (void)state;
  static const rdx_type types[] = {RDX_TYPE_I8, RDX_TYPE_U32, RDX_TYPE_I64, RDX_TYPE_F64, RDX_TYPE_DECIMAL};
  for (size_t t = 0; t < COUNT(types); t++) {
    for (test_shape shape = 0; shape < SHAPE_COUNT; shape++) {
      test_column left = column_make(types[t], shape, shape % 2 ? SOME_NULLS : NO_NULLS, 70);
      const uint64_t ranges = shape % 3 == 0 ? 1 + test_random() % 20 : test_is_slow() ? 100 : 700;
      test_column lower = column_probes(&left, ranges, SOME_NULLS), upper = column_probes(&left, ranges, NO_NULLS);
      for (rdx_join_kind join = RDX_JOIN_INNER; join <= RDX_JOIN_ANTI; join++)
        check_join(&left.view, &lower.view, &upper.view,
                   (rdx_join_params){.kind = join, .mapping = RDX_JOIN_MAPPING_DIRECT});
      check_join(&left.view, &lower.view, &upper.view, (rdx_join_params){.kind = RDX_JOIN_LEFT});
      column_free(&left);
      column_free(&lower);
      column_free(&upper);
    }
  }
}

/* The side that a join takes by itself. */
static void test_many_points(void **state) {
  (void)state;
  test_column left = column_make(RDX_TYPE_I64, SHAPE_RANDOM, SOME_NULLS, 400);
  test_column lower = column_probes(&left, 5, NO_NULLS), upper = column_probes(&left, 5, NO_NULLS);
  for (rdx_join_kind kind = RDX_JOIN_INNER; kind <= RDX_JOIN_ANTI; kind++) {
    rdx_join_result *join = NULL;
    rdx_join_stats stats;
    const rdx_join_params params = {.kind = kind, .result = RDX_JOIN_COUNT};
    check_join(&left.view, &lower.view, &upper.view, (rdx_join_params){.kind = kind});
    OK(rdx_join_between(test_device, &left.view, &lower.view, &upper.view, &params, &join, err));
    rdx_join_result_get_stats(join, &stats);
    assert_false(stats.inverse);
    rdx_join_result_destroy(&join);
  }
  column_free(&left);
  column_free(&lower);
  column_free(&upper);
}

/* Few ranges that hold much among many that do not, so that the search passes over whole nodes of its tree. */
static void test_far_ranges(void **state) {
  (void)state;
  enum { RANGES = 5000 };
  static uint32_t lower[RANGES], upper[RANGES];
  static const uint32_t points[] = {0, 1, 2500, 4998, 4999, 5000, 10000, UINT32_MAX};
  for (uint32_t i = 0; i < RANGES; i++) {
    lower[i] = i;
    upper[i] = i % 1777 == 0 ? UINT32_MAX : i % 3;
  }
  const rdx_column left = {.type = RDX_TYPE_U32, .rows = COUNT(points), .values = points};
  const rdx_column low = {.type = RDX_TYPE_U32, .rows = RANGES, .values = lower};
  const rdx_column high = {.type = RDX_TYPE_U32, .rows = RANGES, .values = upper};
  check_join(&left, &low, &high, (rdx_join_params){.mapping = RDX_JOIN_MAPPING_DIRECT});
}

static void test_text_ranges(void **state) {
  (void)state;
  static const uint64_t few[] = {0, 2, 2, 5}, many[] = {0, 12, 24, 26};
  const rdx_column shorts = {.type = RDX_TYPE_STRING, .rows = 3, .values = "abxyz", .offsets = few};
  const rdx_column longs = {
      .type = RDX_TYPE_STRING, .rows = 3, .values = "long-text-01long-text-02ab", .offsets = many};
  const rdx_join_params params = {.mapping = RDX_JOIN_MAPPING_DIRECT};
  rdx_join_result *join = NULL;
  check_join(&shorts, &longs, &shorts, params);
  check_join(&shorts, &shorts, &longs, params);
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_join_between(test_device, &longs, &shorts, &shorts, &params, &join, err));
  assert_null(join);
}

#define TEXT_ROWS 90

typedef struct texts {
  char bytes[TEXT_ROWS * 24];
  uint64_t offsets[TEXT_ROWS + 1];
  uint8_t validity[TEXT_ROWS / 8 + 1];
  rdx_column view;
} texts;

/* Strings that begin alike, many of them several times, short and empty ones, and NULLs. */
static void make_texts(texts *t, uint64_t rows, uint32_t distinct) {
  *t = (texts){.view = {.type = RDX_TYPE_STRING, .rows = rows}};
  for (uint64_t i = 0; i < rows; i++) {
    const uint32_t number = (uint32_t)(test_random() % distinct);
    const int length = number == 0   ? 0
                       : number == 1 ? sprintf(t->bytes + t->offsets[i], "Customer")
                                     : sprintf(t->bytes + t->offsets[i], "Customer#%09u", number);
    t->offsets[i + 1] = t->offsets[i] + (uint64_t)length;
    t->validity[i / 8] |= (uint8_t)((test_random() % 9 > 0) << i % 8);
  }
  t->view.values = t->bytes;
  t->view.offsets = t->offsets;
  t->view.validity = t->validity;
}

static void test_long_strings(void **state) {
  (void)state;
  static texts left, right;
  static const uint64_t sizes[][2] = {{TEXT_ROWS, TEXT_ROWS}, {TEXT_ROWS, 7}, {5, TEXT_ROWS}, {0, 9}, {9, 0}, {1, 1}};
  for (size_t i = 0; i < COUNT(sizes); i++)
    for (int mapping = 0; mapping < 3; mapping++)
      for (rdx_join_kind kind = RDX_JOIN_INNER; kind <= RDX_JOIN_ANTI; kind++) {
        rdx_device_column *uploaded = NULL;
        make_texts(&left, sizes[i][0], 40);
        make_texts(&right, sizes[i][1], mapping == 0 ? 2000 : 30);
        const rdx_join_params params = {.kind = kind, .mapping = (rdx_join_mapping)mapping};
        check_join(&left.view, &right.view, NULL, params);
        OK(rdx_device_column_create(test_device, &left.view, &uploaded, err));
        const rdx_column on_device = rdx_device_column_view(uploaded);
        expected e = expect(&left.view, &right.view, NULL, kind, (const int32_t[TEXT_ROWS]){0});
        rdx_join_result *join = NULL;
        rdx_join_view v;
        OK(rdx_join_equal(test_device, &on_device, &right.view,
                          &(rdx_join_params){.kind = kind, .result = RDX_JOIN_COUNT}, &join, err));
        OK(rdx_join_result_view(join, &v, err));
        assert_int_equal(v.count, e.count);
        rdx_join_result_destroy(&join);
        rdx_device_column_destroy(&uploaded);
        free(e.left);
        free(e.right);
      }
}

static void test_sides(void **state) {
  (void)state;
  static const int32_t few[] = {1, 2, 3};
  static const int64_t many[] = {3, 3, 1, 9, 1ll << 40};
  const rdx_column left = {.type = RDX_TYPE_I32, .rows = 3, .values = few};
  const rdx_column right = {.type = RDX_TYPE_I64, .rows = 5, .values = many};
  rdx_join_result *join = NULL;
  rdx_join_view v;
  rdx_join_stats stats;
  for (int swap = 0; swap < 2; swap++) { /* the smaller side gets the index, and types may differ */
    OK(rdx_join_equal(test_device, swap ? &right : &left, swap ? &left : &right, NULL, &join, err));
    OK(rdx_join_result_view(join, &v, err));
    rdx_join_result_get_stats(join, &stats);
    assert_int_equal(stats.inverse, !swap);
    assert_int_equal(stats.index.rows, 3);
    assert_int_equal(v.count, 3);
    rdx_join_result_destroy(&join);
  }
}

/* Sums of right values by an index over the left side: each right value counts for each left row that is equal. */
static void test_inverse_sums(void **state) {
  (void)state;
  const uint32_t left[] = {7, 7, 9, 4}, right[] = {7, 9, 9, 5, 7};
  const uint8_t some = 0x1b; /* the third value is NULL */
  const int64_t whole[] = {-5, 1000000000000, 3, 11, 8};
  const uint64_t large[] = {UINT64_MAX, 1, 1, 1, 1};
  const bool flags[] = {true, true, false, true, false};
  const double floats[] = {1, 2, 3, 4, 5};
  const rdx_column l = {.type = RDX_TYPE_U32, .rows = 4, .values = left},
                   r = {.type = RDX_TYPE_U32, .rows = 5, .values = right};
  const rdx_column decimals = {.type = RDX_TYPE_DECIMAL, .scale = 2, .rows = 5, .values = whole, .validity = &some};
  const rdx_column bools = {.type = RDX_TYPE_BOOL, .rows = 5, .values = flags};
  rdx_join_params params = {.result = RDX_JOIN_SUM, .mapping = RDX_JOIN_MAPPING_INVERSE, .values = &decimals};
  rdx_join_result *join = NULL;
  rdx_join_view v;
  rdx_device_column *on_device = NULL;
  OK(rdx_device_column_create(test_device, &decimals, &on_device, err));
  const rdx_column device_decimals = rdx_device_column_view(on_device);
  for (int k = 0; k < 2; k++) {
    params.values = k ? &device_decimals : &decimals;
    OK(rdx_join_equal(test_device, &l, &r, &params, &join, err));
    OK(rdx_join_result_view(join, &v, err));
    assert_int_equal(v.sum_type, RDX_TYPE_DECIMAL);
    assert_int_equal(v.sum_scale, 2);
    assert_int_equal(v.sum_i64, 2 * -5 + 1000000000000 + 2 * 8);
    assert_int_equal(v.count, 5);
    rdx_join_result_destroy(&join);
  }
  rdx_device_column_destroy(&on_device);
  params.values = &bools;
  OK(rdx_join_equal(test_device, &l, &r, &params, &join, err));
  OK(rdx_join_result_view(join, &v, err));
  assert_int_equal(v.sum_i64, 3);
  rdx_join_result_destroy(&join);
  params.values = &(rdx_column){.type = RDX_TYPE_U64, .rows = 5, .values = large};
  FAILS(RDX_ERROR_OVERFLOW, rdx_join_equal(test_device, &l, &r, &params, &join, err));
  params.values = &(rdx_column){.type = RDX_TYPE_F64, .rows = 5, .values = floats};
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_join_equal(test_device, &l, &r, &params, &join, err));
  params.values = &(rdx_column){.type = RDX_TYPE_U64, .rows = 4, .values = large};
  FAILS(RDX_ERROR_ARGUMENT, rdx_join_equal(test_device, &l, &r, &params, &join, err));
  assert_null(join);
}

/* Semi and anti joins look for a first match only: all forms of methods, few and many equal rows, with and without
 * NULLs. */
static void test_first_matches(void **state) {
  (void)state;
  static const rdx_index_params forms[] = {
      {.method = RDX_INDEX_RX, .rx = {.always_any_hit = true}},
      {.method = RDX_INDEX_RX, .rx = {.primitive = RDX_RX_BOX}},
      {.method = RDX_INDEX_RX, .rx = {.primitive = RDX_RX_SPHERE, .point_ray = RDX_RX_RAY_PARALLEL_FROM_ZERO}},
      {.method = RDX_INDEX_RX, .rx = {.point_ray = RDX_RX_RAY_PARALLEL_FROM_OFFSET}},
      {.method = RDX_INDEX_RX, .rx = {.published = true}},
      {.method = RDX_INDEX_RX_OPTIMIZED, .rx_optimized = {.published = true}},
      {.method = RDX_INDEX_RX_OPTIMIZED, .rx_optimized = {.primitive = RDX_RX_BOX, .compression = RDX_SWITCH_OFF}},
      {.method = RDX_INDEX_CGRX, .cgrx = {.published = true, .bucket_size = 3}},
      {.method = RDX_INDEX_CGRX, .cgrx = {.bucket_size = 5, .layout = RDX_CGRX_LAYOUT_ROW_PACKED}},
      {.method = RDX_INDEX_CGRX_NAIVE, .cgrx = {.published = true, .bucket_size = 2}},
      {.method = RDX_INDEX_CGRX_UPDATABLE, .cgrx_updatable = {.node_size = 4}},
      {.method = RDX_INDEX_SORTED_ARRAY, .sorted_array.lanes = 8},
      {.method = RDX_INDEX_TREE, .tree.lanes = 4},
      {.method = RDX_INDEX_BTREE, .btree.fill_percent = 100},
      {.method = RDX_INDEX_HASH, .hash.lanes = 4},
      {.method = RDX_INDEX_RADIX_HASH, .radix_hash.bits = 8},
  };
  static const rdx_type types[] = {RDX_TYPE_U32, RDX_TYPE_I64};
  static const test_shape shapes[] = {SHAPE_FEW, SHAPE_DENSE, SHAPE_EQUAL, SHAPE_EXTREMES};
  for (size_t k = 0; k < COUNT(forms) * COUNT(shapes); k++) {
    const rdx_index_params index = params_here(&forms[k / COUNT(shapes)]);
    if (!test_can(index.method))
      continue;
    const test_nulls nulls = test_random() % 2 ? SOME_NULLS : NO_NULLS;
    test_column right = column_make(types[test_random() % 2], shapes[k % COUNT(shapes)], nulls, 150);
    test_column left = column_probes(&right, 80, test_random() % 2 ? SOME_NULLS : NO_NULLS);
    for (rdx_join_kind kind = RDX_JOIN_SEMI; kind <= RDX_JOIN_ANTI; kind++)
      check_join(
          &left.view, &right.view, NULL,
          (rdx_join_params){
              .kind = kind, .mapping = RDX_JOIN_MAPPING_DIRECT, .index = index, .sort_probes = test_random() % 3 == 0});
    column_free(&left);
    column_free(&right);
  }
}

static void test_misuse(void **state) {
  (void)state;
  static const int32_t numbers[] = {1, 2, 3};
  const rdx_column c = {.type = RDX_TYPE_I32, .rows = 3, .values = numbers},
                   two = {.type = RDX_TYPE_I32, .rows = 2, .values = numbers};
  const rdx_join_params kind = {.kind = (rdx_join_kind)9}, result = {.result = (rdx_join_result_kind)9};
  const rdx_join_params mapping = {.mapping = (rdx_join_mapping)9}, no_values = {.result = RDX_JOIN_SUM};
  const rdx_join_params direct = {.mapping = RDX_JOIN_MAPPING_DIRECT, .index.method = RDX_INDEX_TREE};
  const rdx_join_params sum = {.mapping = RDX_JOIN_MAPPING_DIRECT, .result = RDX_JOIN_SUM, .values = &c};
  const rdx_join_params hash = {.index.method = RDX_INDEX_HASH};
  const rdx_join_params radix = {.index.method = RDX_INDEX_RADIX_HASH};
  const rdx_join_params bits = {.index = {.method = RDX_INDEX_RADIX_HASH, .radix_hash.bits = 9}};
  rdx_join_result *join = NULL;
  FAILS(RDX_ERROR_ARGUMENT, rdx_join_equal(NULL, &c, &c, NULL, &join, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_join_equal(test_device, NULL, &c, NULL, &join, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_join_equal(test_device, &c, NULL, NULL, &join, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_join_equal(test_device, &c, &c, NULL, NULL, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_join_equal(test_device, &c, &c, &kind, &join, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_join_equal(test_device, &c, &c, &result, &join, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_join_equal(test_device, &c, &c, &mapping, &join, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_join_equal(test_device, &c, &c, &no_values, &join, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_join_between(test_device, &c, &c, &two, NULL, &join, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_join_between(test_device, &c, &c, NULL, NULL, &join, err));
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_join_between(test_device, &c, &c, &c, &direct, &join, err));
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_join_between(test_device, &c, &c, &c, &sum, &join, err));
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_join_between(test_device, &c, &c, &c, &hash, &join, err));
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_join_between(test_device, &c, &c, &c, &radix, &join, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_join_equal(test_device, &c, &c, &bits, &join, err));
  assert_null(join);
  rdx_join_result_destroy(&join);
  rdx_join_result_destroy(NULL);
}

/* Sums of all pairs that fit where those of some rows do not; and such as do not. */
static void test_wide_sums(void **state) {
  (void)state;
  enum { RIGHT = 7 };
  static const int64_t keys[] = {1, 2, 3}, right_keys[RIGHT] = {1, 1, 2, 2, 3, 3, 9};
  static const int64_t values[RIGHT] = {INT64_MAX, INT64_MAX, INT64_MIN, INT64_MIN, 5, 7, INT64_MAX};
  static const uint64_t unsigned_values[RIGHT] = {1ull << 63, 1ull << 62, 1, 2, 3, 4, UINT64_MAX};
  static const uint8_t some[] = {0x77}, none[] = {0};
  static const char text[] =
      "a long key, 1a long key, 1a long key, 2a long key, 2a long key, 3a long key, 3a long key, 9";
  static const uint64_t offsets[] = {0, 13, 26, 39, 52, 65, 78, 91};
  static const char left_text[] = "a long key, 1a long key, 1a long key, 2a long key, 2a long key, 3";
  const rdx_column left[] = {{.type = RDX_TYPE_I64, .rows = 3, .values = keys},
                             {.type = RDX_TYPE_STRING, .rows = 5, .values = left_text, .offsets = offsets}};
  const rdx_column right[] = {{.type = RDX_TYPE_I64, .rows = RIGHT, .values = right_keys},
                              {.type = RDX_TYPE_STRING, .rows = RIGHT, .values = text, .offsets = offsets}};
  const rdx_column wide = {.type = RDX_TYPE_DECIMAL, .scale = 2, .rows = RIGHT, .values = values},
                   without = {.type = RDX_TYPE_I64, .rows = RIGHT, .values = values, .validity = some},
                   no_value = {.type = RDX_TYPE_I64, .rows = RIGHT, .values = values, .validity = none},
                   natural = {.type = RDX_TYPE_U64, .rows = RIGHT, .values = unsigned_values};
  for (rdx_index_method method = RDX_INDEX_RX; method < RDX_INDEX_METHODS; method++) {
    if (!test_can(method))
      continue;
    for (uint32_t k = 0; k < 2; k++) {
      rdx_join_result *join = NULL;
      rdx_join_view v;
      rdx_device_column *on_device = NULL;
      rdx_join_params params = {.result = RDX_JOIN_SUM, .values = &wide, .index.method = method};
      OK(rdx_join_equal(test_device, &left[k], &right[k], &params, &join, err));
      OK(rdx_join_result_view(join, &v, err));
      assert_int_equal(v.sum_type, RDX_TYPE_DECIMAL);
      assert_int_equal(v.sum_scale, 2);
      assert_int_equal(v.count, k ? 10 : 6);
      assert_int_equal(v.sum_i64, k ? 8 : 10); /* -2 twice, or once, and 12 */
      rdx_join_result_destroy(&join);
      OK(rdx_device_column_create(test_device, &without, &on_device, err)); /* not the second of the smallest */
      const rdx_column view = rdx_device_column_view(on_device);
      params.values = &view;
      FAILS(RDX_ERROR_OVERFLOW, rdx_join_equal(test_device, &left[k], &right[k], &params, &join, err));
      rdx_device_column_destroy(&on_device);
      params.values = &no_value;
      OK(rdx_join_equal(test_device, &left[k], &right[k], &params, &join, err));
      OK(rdx_join_result_view(join, &v, err));
      assert_true(v.sum_is_null);
      rdx_join_result_destroy(&join);
      params.values = &natural;
      if (k) {
        FAILS(RDX_ERROR_OVERFLOW, rdx_join_equal(test_device, &left[k], &right[k], &params, &join, err));
        continue;
      }
      OK(rdx_join_equal(test_device, &left[k], &right[k], &params, &join, err));
      OK(rdx_join_result_view(join, &v, err));
      assert_true(v.sum_u64 == (1ull << 63) + (1ull << 62) + 10);
      rdx_join_result_destroy(&join);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_equal),         cmocka_unit_test(test_radix_hash),     cmocka_unit_test(test_skew),
      cmocka_unit_test(test_between),       cmocka_unit_test(test_between_ranges), cmocka_unit_test(test_many_points),
      cmocka_unit_test(test_far_ranges),    cmocka_unit_test(test_text_ranges),    cmocka_unit_test(test_long_strings),
      cmocka_unit_test(test_sides),         cmocka_unit_test(test_wide_sums),      cmocka_unit_test(test_inverse_sums),
      cmocka_unit_test(test_first_matches), cmocka_unit_test(test_misuse)};
  return TEST_MAIN(tests);
}
