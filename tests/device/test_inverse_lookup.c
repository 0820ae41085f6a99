/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Lookups by an index over the probes, against looking at every row. */

#include "reference.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const rdx_type key_types[] = {RDX_TYPE_U32, RDX_TYPE_I16,  RDX_TYPE_I64,     RDX_TYPE_U64,
                                     RDX_TYPE_F32, RDX_TYPE_DATE, RDX_TYPE_DECIMAL, RDX_TYPE_STRING};
static const rdx_type sum_types[] = {RDX_TYPE_BOOL, RDX_TYPE_I32, RDX_TYPE_I64,    RDX_TYPE_U8,
                                     RDX_TYPE_U64,  RDX_TYPE_F64, RDX_TYPE_DECIMAL};

static void test_every_method(void **state) {
  (void)state;
  for (rdx_index_method method = RDX_INDEX_AUTO; method < RDX_INDEX_METHODS; method++) {
    for (test_shape shape = 0; shape < SHAPE_COUNT && test_can(method); shape++) {
      const rdx_index_params params = {.method = method};
      const rdx_type type = key_types[(shape + method) % COUNT(key_types)];
      const test_nulls nulls = test_random() % 2 ? SOME_NULLS : NO_NULLS;
      test_column keys = column_make(type, shape, nulls, 120);
      test_column probes = column_probes(&keys, 1 + test_random() % 90, test_random() % 2 ? SOME_NULLS : NO_NULLS);
      test_column values = column_make(sum_types[test_random() % COUNT(sum_types)],
                                       test_random() % 2 ? SHAPE_SKEWED : SHAPE_RANDOM, nulls, keys.view.rows + 1);
      values.view.rows = keys.view.rows;
      check_inverse_lookups(&params, &keys.view, &probes.view, &values.view);
      column_free(&keys);
      column_free(&probes);
      column_free(&values);
    }
  }
}

/* As published: the optimized RX over sorted queries, of which many are equal. */
static void test_published(void **state) {
  (void)state;
  static const test_shape shapes[] = {SHAPE_FEW, SHAPE_EQUAL, SHAPE_DENSE, SHAPE_SKEWED};
  const rdx_index_params params = {.method = RDX_INDEX_RX_OPTIMIZED, .rx_optimized.published = true};
  if (!test_can(params.method))
    return;
  for (size_t k = 0; k < COUNT(shapes); k++) {
    test_column keys = column_make(RDX_TYPE_U32, shapes[k], NO_NULLS, 1500);
    test_column probes = column_probes(&keys, 400, SOME_NULLS);
    test_column values = column_make(RDX_TYPE_U32, SHAPE_RANDOM, SOME_NULLS, keys.view.rows);
    check_inverse_lookups(&params, &keys.view, &probes.view, &values.view);
    column_free(&keys);
    column_free(&probes);
    column_free(&values);
  }
}

/* Nothing on either side; and all NULL. */
static void test_nothing(void **state) {
  (void)state;
  test_column some = column_make(RDX_TYPE_I32, SHAPE_FEW, NO_NULLS, 20);
  test_column nulls = column_make(RDX_TYPE_I32, SHAPE_FEW, ALL_NULLS, 20);
  test_column values = column_make(RDX_TYPE_I32, SHAPE_FEW, NO_NULLS, 20);
  rdx_column none = some.view, no_values = values.view;
  none.rows = no_values.rows = 0;
  none.validity = NULL;
  check_inverse_lookups(NULL, &some.view, &none, &values.view);
  check_inverse_lookups(NULL, &none, &some.view, &no_values);
  check_inverse_lookups(NULL, &nulls.view, &some.view, &values.view);
  check_inverse_lookups(NULL, &some.view, &nulls.view, &values.view);
  column_free(&some);
  column_free(&nulls);
  column_free(&values);
}

/* Keys of another integer type than the probes, some beyond it. */
static void test_types(void **state) {
  (void)state;
  static const int64_t keys[] = {1, 1, 1ll << 32 | 2, -1, 2};
  static const uint32_t probes[] = {2, 1, UINT32_MAX, 0};
  static const int32_t values[] = {10, -20, 30, 40, 50};
  const rdx_column k = {.type = RDX_TYPE_I64, .rows = 5, .values = keys},
                   p = {.type = RDX_TYPE_U32, .rows = 4, .values = probes},
                   v = {.type = RDX_TYPE_I32, .rows = 5, .values = values};
  const rdx_lookup_params params = {.result = RDX_LOOKUP_SUM, .values = &v, .stats = true};
  const int64_t sums[] = {50, -10, 0, 0};
  const uint32_t counts[] = {1, 2, 0, 0};
  rdx_lookup_result *result = NULL;
  rdx_lookup_view view;
  rdx_index_stats stats;
  rdx_lookup_stats lookup;
  OK(rdx_lookup_inverse(test_device, &k, &p, NULL, &params, &stats, &result, err));
  OK(rdx_lookup_result_view(result, &view, err));
  assert_memory_equal(view.sum_i64, sums, sizeof sums);
  assert_memory_equal(view.count, counts, sizeof counts);
  assert_int_equal(stats.method, RDX_INDEX_HASH);
  assert_int_equal(stats.rows, 4);
  rdx_lookup_result_get_stats(result, &lookup);
  assert_int_equal(lookup.probes, 4);
  rdx_lookup_result_destroy(&result);
}

static bool take_rows(void *user, uint64_t first, const rdx_lookup_view *part) {
  (void)user, (void)first, (void)part;
  return false;
}

static void test_misuse(void **state) {
  (void)state;
  static const uint32_t numbers[] = {1, 2, 3};
  static const uint64_t large[] = {UINT64_MAX, UINT64_MAX, 1};
  static const uint32_t equal[] = {7, 7, 7};
  const rdx_column c = {.type = RDX_TYPE_U32, .rows = 3, .values = numbers},
                   two = {.type = RDX_TYPE_U32, .rows = 2, .values = numbers},
                   wide = {.type = RDX_TYPE_U64, .rows = 3, .values = large},
                   same = {.type = RDX_TYPE_U32, .rows = 3, .values = equal},
                   floats = {.type = RDX_TYPE_F32, .rows = 3, .values = numbers};
  const rdx_lookup_params sum = {.result = RDX_LOOKUP_SUM}, unknown = {.result = (rdx_lookup_result_kind)9},
                          few = {.result = RDX_LOOKUP_SUM, .values = &two},
                          overflow = {.result = RDX_LOOKUP_SUM, .values = &wide},
                          parts = {.result = RDX_LOOKUP_ROWS, .each = take_rows};
  rdx_lookup_result *result = NULL;
  FAILS(RDX_ERROR_ARGUMENT, rdx_lookup_inverse(NULL, &c, &c, NULL, NULL, NULL, &result, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_lookup_inverse(test_device, NULL, &c, NULL, NULL, NULL, &result, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_lookup_inverse(test_device, &c, NULL, NULL, NULL, NULL, &result, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_lookup_inverse(test_device, &c, &c, NULL, NULL, NULL, NULL, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_lookup_inverse(test_device, &c, &c, NULL, &sum, NULL, &result, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_lookup_inverse(test_device, &c, &c, NULL, &unknown, NULL, &result, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_lookup_inverse(test_device, &c, &c, NULL, &few, NULL, &result, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_lookup_inverse(test_device, &c, &floats, NULL, NULL, NULL, &result, err));
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_lookup_inverse(test_device, &c, &c, NULL, &parts, NULL, &result, err));
  FAILS(RDX_ERROR_OVERFLOW, rdx_lookup_inverse(test_device, &same, &same, NULL, &overflow, NULL, &result, err));
  assert_null(result);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_method), cmocka_unit_test(test_published),
                                     cmocka_unit_test(test_nothing), cmocka_unit_test(test_types),
                                     cmocka_unit_test(test_misuse)};
  return TEST_MAIN(tests);
}
