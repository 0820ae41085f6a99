/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Indexes over several columns, compared with looking at every row. */

#include "reference.h"

#include <stdlib.h>
#include <string.h>

#define MAX 3
#define PROBES 60

typedef struct set {
  test_column columns[MAX], lower[MAX], upper[MAX];
  rdx_column keys[MAX], low[MAX], high[MAX];
  uint32_t count;
  uint64_t rows;
} set;

static const rdx_type types[] = {RDX_TYPE_U8,   RDX_TYPE_I16,     RDX_TYPE_I32,   RDX_TYPE_I64,
                                 RDX_TYPE_U64,  RDX_TYPE_F32,     RDX_TYPE_F64,   RDX_TYPE_BOOL,
                                 RDX_TYPE_DATE, RDX_TYPE_DECIMAL, RDX_TYPE_STRING};
static const test_shape shapes[] = {SHAPE_FEW, SHAPE_DENSE, SHAPE_EQUAL, SHAPE_EXTREMES, SHAPE_SKEWED, SHAPE_RANDOM};

static uint64_t pick(uint64_t count) {
  return test_random() % count;
}

static test_nulls some(uint64_t chance) {
  const uint64_t dice = pick(100);
  return dice < chance ? SOME_NULLS : dice == 99 ? ALL_NULLS : NO_NULLS;
}

static void make_set(set *s, uint32_t count, uint64_t rows) {
  *s = (set){.count = count, .rows = rows};
  for (uint32_t k = 0; k < count; k++) {
    const rdx_type type = types[pick(sizeof types / sizeof *types)];
    const test_shape shape = pick(3) ? SHAPE_FEW : shapes[pick(sizeof shapes / sizeof *shapes)];
    s->columns[k] = column_make(type, rows == 0 ? SHAPE_EMPTY : shape, some(40), rows);
    s->lower[k] = column_probes(&s->columns[k], PROBES, some(20));
    s->upper[k] = column_probes(&s->columns[k], PROBES, some(20));
    s->keys[k] = s->columns[k].view;
    s->low[k] = s->lower[k].view;
    s->high[k] = s->upper[k].view;
  }
}

static void free_set(set *s) {
  for (uint32_t k = 0; k < s->count; k++) {
    column_free(&s->columns[k]);
    column_free(&s->lower[k]);
    column_free(&s->upper[k]);
  }
}

/* The order of a row, whose NULLs are above all values, and a tuple. */
static int compare(const set *s, uint64_t row, const rdx_column *tuples, uint32_t count, uint64_t i) {
  for (uint32_t k = 0; k < count; k++) {
    if (!column_has(&s->keys[k], row))
      return 1;
    const int order = column_compare(&s->keys[k], row, &tuples[k], i);
    if (order != 0)
      return order;
  }
  return 0;
}

static bool has_all(const rdx_column *tuples, uint32_t count, uint64_t i) {
  bool has = true;
  for (uint32_t k = 0; k < count; k++)
    has &= column_has(&tuples[k], i);
  return has;
}

/* `high` NULL: points. */
static bool matches(const set *s, uint64_t row, const rdx_column *low, const rdx_column *high, uint32_t count,
                    uint64_t i) {
  if (!column_has(&s->keys[0], row) || !has_all(low, count, i) || (high && !has_all(high, count, i)))
    return false;
  const int below = compare(s, row, low, count, i);
  return high ? below >= 0 && compare(s, row, high, count, i) <= 0 : below == 0;
}

static void check(const set *s, const rdx_index *index, const rdx_column *low, const rdx_column *high, uint32_t count) {
  const rdx_lookup_params params = {.result = RDX_LOOKUP_ROWS};
  rdx_lookup_result *result = NULL;
  rdx_lookup_view view;
  if (high)
    OK(rdx_index_range_columns(index, low, high, count, &params, &result, err));
  else
    OK(rdx_index_lookup_columns(index, low, count, &params, &result, err));
  OK(rdx_lookup_result_view(result, &view, err));
  for (uint64_t i = 0; i < PROBES; i++) {
    uint64_t at = view.offsets[i];
    for (uint64_t row = 0; row < s->rows; row++) {
      if (!matches(s, row, low, high, count, i))
        continue;
      assert_true(at < view.offsets[i + 1]);
      assert_int_equal(view.rows[at++], row);
    }
    assert_int_equal(at, view.offsets[i + 1]);
  }
  rdx_lookup_result_destroy(&result);
}

/* Some tuples of the rows themselves, so that points find some, and bounds that differ in the last column alone. */
static void take_rows(set *s, uint32_t count) {
  for (uint64_t i = 0; i < PROBES && s->rows > 0; i++) {
    const uint64_t row = pick(s->rows);
    for (uint32_t k = 0; k < count && i % 3; k++) {
      const size_t size = rdx_type_size(s->keys[k].type);
      if (s->keys[k].type == RDX_TYPE_STRING)
        continue;
      memcpy((char *)(uintptr_t)s->low[k].values + i * size, (const char *)s->keys[k].values + row * size, size);
      if (k + 1 < count)
        memcpy((char *)(uintptr_t)s->high[k].values + i * size, (const char *)s->keys[k].values + row * size, size);
    }
  }
}

static void check_methods(set *s) {
  static const rdx_index_method methods[] = {RDX_INDEX_TREE, RDX_INDEX_RX, RDX_INDEX_CGRX, RDX_INDEX_BTREE,
                                             RDX_INDEX_HASH};
  const rdx_index_method method = methods[pick(sizeof methods / sizeof *methods)];
  rdx_index *index = NULL;
  rdx_error why = {""};
  if (!test_can(method))
    return;
  const rdx_status status =
      rdx_index_create_columns(test_device, s->keys, s->count, &(rdx_index_params){.method = method}, &index, &why);
  if (status == RDX_ERROR_UNSUPPORTED) { /* more than 64 bits */
    assert_non_null(strstr(why.text, "bits"));
    return;
  }
  assert_int_equal(status, RDX_OK);
  take_rows(s, s->count);
  check(s, index, s->low, NULL, s->count);
  for (uint32_t count = 1; count <= s->count && rdx_index_method_abilities(method).ranges; count++) {
    check(s, index, s->low, NULL, count);
    check(s, index, s->low, s->high, count);
  }
  rdx_index_destroy(&index);
}

static void test_tuples(void **state) {
  (void)state;
  const uint32_t rounds = test_is_slow() ? 60 : 400;
  for (uint32_t i = 0; i < rounds; i++) {
    set s;
    make_set(&s, 1 + (uint32_t)pick(MAX), pick(20) ? 1 + pick(300) : 0);
    check_methods(&s);
    free_set(&s);
  }
}

/* Two columns of 64 bits fit by their distinct values; bounds beyond all of them, and between them. */
static void test_dictionaries(void **state) {
  (void)state;
  const uint64_t a[] = {0, UINT64_MAX, UINT64_MAX, 5}, b[] = {UINT64_MAX, 0, 7, UINT64_MAX};
  const int64_t low_b[] = {-1}, high_b[] = {INT64_MAX};
  const uint64_t low_a[] = {1}, high_a[] = {UINT64_MAX};
  const rdx_column keys[] = {{.type = RDX_TYPE_U64, .rows = 4, .values = a},
                             {.type = RDX_TYPE_U64, .rows = 4, .values = b}};
  const rdx_column low[] = {{.type = RDX_TYPE_U64, .rows = 1, .values = low_a},
                            {.type = RDX_TYPE_I64, .rows = 1, .values = low_b}};
  const rdx_column high[] = {{.type = RDX_TYPE_U64, .rows = 1, .values = high_a},
                             {.type = RDX_TYPE_I64, .rows = 1, .values = high_b}};
  rdx_index *index = NULL;
  rdx_lookup_result *result = NULL;
  rdx_lookup_view view;
  rdx_index_stats stats;
  OK(rdx_index_create_columns(test_device, keys, 2, NULL, &index, err));
  rdx_index_get_stats(index, &stats);
  assert_int_equal(stats.key_bits, 32);
  OK(rdx_index_range_columns(index, low, high, 2, NULL, &result, err));
  OK(rdx_lookup_result_view(result, &view, err));
  assert_int_equal(view.count[0], 3);
  rdx_lookup_result_destroy(&result);
  rdx_index_destroy(&index);
}

static void test_refusals(void **state) {
  (void)state;
  static uint64_t wide[3][200000];
  rdx_column keys[9];
  for (uint32_t k = 0; k < 9; k++)
    keys[k] = (rdx_column){.type = RDX_TYPE_U64, .rows = 200000, .values = wide[k % 3]};
  for (uint32_t i = 0; i < 200000; i++)
    for (uint32_t k = 0; k < 3; k++)
      wide[k][i] = test_random() ^ test_random() << 32;
  rdx_index *index = NULL;
  rdx_lookup_result *result = NULL;
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_create_columns(test_device, keys, 0, NULL, &index, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_create_columns(test_device, keys, 9, NULL, &index, err));
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_index_create_columns(test_device, keys, 4, NULL, &index, err)); /* 72 bits */
  keys[1].rows = 5;
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_create_columns(test_device, keys, 2, NULL, &index, err));
  keys[0].rows = 5;
  OK(rdx_index_create_columns(test_device, keys, 2, NULL, &index, err));
  const rdx_column text = {.type = RDX_TYPE_STRING, .rows = 1, .values = "a", .offsets = (const uint64_t[]){0, 1}};
  const rdx_column mixed[] = {keys[0], keys[3]};
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_lookup_columns(index, &text, 1, NULL, &result, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_lookup_columns(index, keys, 3, NULL, &result, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_lookup_columns(index, keys, 0, NULL, &result, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_lookup_columns(index, mixed, 2, NULL, &result, err));
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_index_lookup(index, &keys[0], NULL, &result, err));
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_index_range(index, &keys[0], &keys[0], NULL, &result, err));
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_index_update(index, &keys[0], RDX_UPDATE_REBUILD, err));
  rdx_index_destroy(&index);
  OK(rdx_index_create(test_device, &keys[0], NULL, &index, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_lookup_columns(index, keys, 1, NULL, &result, err));
  rdx_index_destroy(&index);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_tuples), cmocka_unit_test(test_dictionaries),
                                     cmocka_unit_test(test_refusals)};
  return TEST_MAIN(tests);
}
