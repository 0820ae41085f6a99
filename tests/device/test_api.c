/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The public interface as users get it wrong, and its handles: device columns, updates, threads. */

#include "reference.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const int32_t numbers[] = {5, 3, 9, 3, -7, 100, 0, 3};
static const rdx_column keys = {.type = RDX_TYPE_I32, .rows = 8, .values = numbers};

static bool traces(void) {
  return rdx_device_get_info(test_device)->tracing != RDX_TRACING_NONE;
}

static rdx_index *new_index(rdx_index_kind kind, const rdx_column *column) {
  rdx_index *index = NULL;
  OK(rdx_index_create(test_device, column, &(rdx_index_params){.kind = kind}, &index, err));
  return index;
}

/* ---- Misuse ---- */

static void test_devices_by_name(void **state) {
  (void)state;
  rdx_device *device = NULL;
  FAILS(RDX_ERROR_NOT_FOUND, rdx_device_open("no such device", NULL, &device, err));
  FAILS(RDX_ERROR_NOT_FOUND, rdx_device_open("999", NULL, &device, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_device_open("cpu", NULL, NULL, err));
  assert_null(device);
  rdx_device_close(&device);
  rdx_device_close(NULL);
  uint32_t count = 0;
  OK(rdx_device_count(&count, err));
  assert_true(count >= 1);
  rdx_device_info info;
  OK(rdx_device_describe(0, &info, err));
  assert_string_equal(info.name, "cpu");
  FAILS(RDX_ERROR_NOT_FOUND, rdx_device_describe(count, &info, err));
  OK(rdx_device_open("0", NULL, &device, err));
  assert_string_equal(rdx_device_get_info(device)->name, "cpu");
  rdx_device_close(&device);
  assert_null(device);
}

static void test_bad_columns(void **state) {
  (void)state;
  rdx_index *index = NULL;
  rdx_column c = keys;
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_create(test_device, NULL, NULL, &index, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_create(NULL, &c, NULL, &index, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_create(test_device, &c, NULL, NULL, err));
  c.values = NULL;
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_create(test_device, &c, NULL, &index, err));
  c.values = (const char *)numbers + 1;
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_create(test_device, &c, NULL, &index, err));
  c = keys;
  c.type = (rdx_type)99;
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_create(test_device, &c, NULL, &index, err));
  c.type = RDX_TYPE_NONE;
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_create(test_device, &c, NULL, &index, err));
  c.type = RDX_TYPE_I32;
  c.scale = 3;
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_create(test_device, &c, NULL, &index, err));
  const uint64_t offsets[] = {0, 2, 1};
  c = (rdx_column){.type = RDX_TYPE_STRING, .rows = 2, .values = "abc", .offsets = offsets};
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_create(test_device, &c, NULL, &index, err));
  c.offsets = NULL;
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_create(test_device, &c, NULL, &index, err));
  const rdx_index_params unknown = {.kind = (rdx_index_kind)77};
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_create(test_device, &keys, &unknown, &index, err));
  assert_null(index);
}

static void test_bad_options(void **state) {
  (void)state;
  if (!traces())
    return;
  static const struct {
    rdx_rx_params rx;
    rdx_status status;
  } cases[] = {
      {{.key_mode = (rdx_rx_key_mode)9}, RDX_ERROR_ARGUMENT},
      {{.primitive = (rdx_rx_primitive)9}, RDX_ERROR_ARGUMENT},
      {{.build = (rdx_build_preference)9}, RDX_ERROR_ARGUMENT},
      {{.point_ray = (rdx_rx_ray)9}, RDX_ERROR_ARGUMENT},
      {{.range_ray = RDX_RX_RAY_PERPENDICULAR}, RDX_ERROR_ARGUMENT},
      {{.x_bits = 24, .y_bits = 8}, RDX_ERROR_ARGUMENT},
      {{.key_mode = RDX_RX_KEY_EXTENDED, .primitive = RDX_RX_SPHERE}, RDX_ERROR_UNSUPPORTED},
      {{.key_mode = RDX_RX_KEY_EXTENDED, .range_ray = RDX_RX_RAY_PARALLEL_FROM_OFFSET}, RDX_ERROR_UNSUPPORTED},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    rdx_index *index = NULL;
    const rdx_index_params params = {.kind = RDX_INDEX_RX, .rx = cases[i].rx};
    FAILS(cases[i].status, rdx_index_create(test_device, &keys, &params, &index, err));
    assert_null(index);
  }
}

static void test_bad_lookups(void **state) {
  (void)state;
  rdx_index *index = new_index(RDX_INDEX_SORTED_ARRAY, &keys);
  rdx_result *result = NULL;
  const double real[] = {1.5};
  const rdx_column floats = {.type = RDX_TYPE_F64, .rows = 1, .values = real};
  const rdx_column two = {.type = RDX_TYPE_I32, .rows = 2, .values = numbers};
  const rdx_column strings = {.type = RDX_TYPE_STRING, .rows = 8, .values = "", .offsets = (uint64_t[9]){0}};
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_lookup(NULL, &two, NULL, &result, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_lookup(index, NULL, NULL, &result, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_lookup(index, &two, NULL, NULL, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_lookup(index, &floats, NULL, &result, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_lookup(index, &strings, NULL, &result, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_range(index, &two, &keys, NULL, &result, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_range(index, &two, NULL, NULL, &result, err));
  const rdx_lookup_params no_values = {.result = RDX_RESULT_SUM}, unknown = {.result = (rdx_result_kind)9};
  const rdx_lookup_params short_values = {.result = RDX_RESULT_SUM, .values = &two};
  const rdx_lookup_params of_strings = {.result = RDX_RESULT_SUM, .values = &strings};
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_lookup(index, &two, &no_values, &result, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_lookup(index, &two, &unknown, &result, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_lookup(index, &two, &short_values, &result, err));
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_index_lookup(index, &two, &of_strings, &result, err));
  assert_null(result);
  rdx_index_destroy(&index);
  rdx_index_destroy(&index);
  rdx_index_destroy(NULL);
  rdx_result_destroy(NULL);
}

/* ---- Device columns ---- */

static void test_device_columns(void **state) {
  (void)state;
  static const rdx_type types[] = {RDX_TYPE_U32, RDX_TYPE_I64, RDX_TYPE_F32, RDX_TYPE_STRING};
  for (size_t t = 0; t < COUNT(types); t++) {
    test_column column = column_make(types[t], SHAPE_SKEWED, SOME_NULLS, 100);
    test_column values = column_make(RDX_TYPE_U16, SHAPE_RANDOM, SOME_NULLS, 100);
    test_column points = column_probes(&column, 40, SOME_NULLS), upper = column_probes(&column, 40, NO_NULLS);
    rdx_device_column *on_device[4] = {NULL};
    const rdx_column *const host[4] = {&column.view, &values.view, &points.view, &upper.view};
    rdx_column view[4];
    for (int i = 0; i < 4; i++) {
      OK(rdx_device_column_create(test_device, host[i], &on_device[i], err));
      view[i] = rdx_device_column_view(on_device[i]);
    }
    for (rdx_index_kind kind = RDX_INDEX_RX; kind <= RDX_INDEX_SORTED_ARRAY; kind++) {
      if (kind == RDX_INDEX_RX && !traces())
        continue;
      rdx_index *index = new_index(kind, &view[0]);
      for (rdx_result_kind r = RDX_RESULT_COUNT; r <= RDX_RESULT_ROWS; r++) { /* as from host columns */
        for (int range = 0; range < 2; range++) {
          const rdx_lookup_params a = {.result = r, .values = r == RDX_RESULT_SUM ? &view[1] : NULL};
          const rdx_lookup_params b = {.result = r, .values = r == RDX_RESULT_SUM ? &values.view : NULL};
          rdx_result *device_result = NULL, *host_result = NULL;
          rdx_result_view x, y;
          if (range) {
            OK(rdx_index_range(index, &view[2], &view[3], &a, &device_result, err));
            OK(rdx_index_range(index, &points.view, &upper.view, &b, &host_result, err));
          } else {
            OK(rdx_index_lookup(index, &view[2], &a, &device_result, err));
            OK(rdx_index_lookup(index, &points.view, &b, &host_result, err));
          }
          OK(rdx_result_read(device_result, &x, err));
          OK(rdx_result_read(host_result, &y, err));
          if (x.count)
            assert_memory_equal(x.count, y.count, 40 * sizeof *x.count);
          if (x.first)
            assert_memory_equal(x.first, y.first, 40 * sizeof *x.first);
          if (x.sum_u64)
            assert_memory_equal(x.sum_u64, y.sum_u64, 40 * sizeof *x.sum_u64);
          if (x.rows && x.offsets[40] > 0)
            assert_memory_equal(x.rows, y.rows, x.offsets[40] * sizeof *x.rows);
          rdx_result_destroy(&device_result);
          rdx_result_destroy(&host_result);
        }
      }
      rdx_index_destroy(&index);
    }
    for (int i = 0; i < 4; i++)
      rdx_device_column_destroy(&on_device[i]);
    column_free(&column);
    column_free(&values);
    column_free(&points);
    column_free(&upper);
  }
}

/* ---- Updates ---- */

static void check_all(const rdx_index *index, const test_column *column) {
  test_column values = column_make(RDX_TYPE_I32, SHAPE_RANDOM, NO_NULLS, column->view.rows + 1);
  values.view.rows = column->view.rows;
  test_column points = column_probes(column, 40, NO_NULLS), upper = column_probes(column, 40, NO_NULLS);
  check_lookups(index, &column->view, &points.view, NULL, &values.view);
  check_lookups(index, &column->view, &points.view, &upper.view, &values.view);
  column_free(&values);
  column_free(&points);
  column_free(&upper);
}

static void test_updates(void **state) {
  (void)state;
  static const rdx_rx_params options[] = {{.updatable = true},
                                          {.updatable = true, .primitive = RDX_RX_BOX, .partitions = 3},
                                          {.updatable = true, .point_ray = RDX_RX_RAY_PARALLEL_FROM_ZERO}};
  if (!traces())
    return;
  for (size_t i = 0; i < COUNT(options); i++) {
    test_column before = column_make(RDX_TYPE_U64, SHAPE_DENSE, SOME_NULLS, 120);
    test_column after = column_make(RDX_TYPE_U64, SHAPE_SKEWED, NO_NULLS, 120);
    test_column longer = column_make(RDX_TYPE_U64, SHAPE_RANDOM, NO_NULLS, 133);
    test_column other = column_make(RDX_TYPE_I32, SHAPE_RANDOM, NO_NULLS, 120);
    rdx_index *index = NULL;
    const rdx_index_params params = {.kind = RDX_INDEX_RX, .rx = options[i]};
    OK(rdx_index_create(test_device, &before.view, &params, &index, err));
    FAILS(RDX_ERROR_UNSUPPORTED, rdx_index_update(index, &after.view, RDX_UPDATE_REFIT, err)); /* other NULLs */
    FAILS(RDX_ERROR_UNSUPPORTED, rdx_index_update(index, &longer.view, RDX_UPDATE_REFIT, err));
    FAILS(RDX_ERROR_ARGUMENT, rdx_index_update(index, &other.view, RDX_UPDATE_REBUILD, err));
    FAILS(RDX_ERROR_ARGUMENT, rdx_index_update(index, &after.view, (rdx_update_mode)5, err));
    check_all(index, &before);
    after.view.validity = before.view.validity;
    OK(rdx_index_update(index, &after.view, RDX_UPDATE_REFIT, err));
    check_all(index, &after);
    OK(rdx_index_update(index, &longer.view, RDX_UPDATE_REBUILD, err));
    check_all(index, &longer);
    rdx_index_destroy(&index);
    after.view.validity = NULL;
    column_free(&before);
    column_free(&after);
    column_free(&longer);
    column_free(&other);
  }
}

static void test_updates_of_strings(void **state) {
  (void)state;
  test_column before = column_make(RDX_TYPE_STRING, SHAPE_FEW, NO_NULLS, 60);
  test_column after = column_make(RDX_TYPE_STRING, SHAPE_RANDOM, SOME_NULLS, 80);
  rdx_index *index = new_index(RDX_INDEX_SORTED_ARRAY, &before.view);
  check_all(index, &before);
  OK(rdx_index_update(index, &after.view, RDX_UPDATE_REBUILD, err));
  check_all(index, &after);
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_index_update(index, &after.view, RDX_UPDATE_REFIT, err));
  rdx_index_destroy(&index);
  column_free(&before);
  column_free(&after);
}

static void test_refit_needs_updatable(void **state) {
  (void)state;
  if (!traces())
    return;
  rdx_index *index = new_index(RDX_INDEX_RX, &keys);
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_index_update(index, &keys, RDX_UPDATE_REFIT, err));
  rdx_index_destroy(&index);
}

/* ---- Sums ---- */

static void test_sums_that_overflow(void **state) {
  (void)state;
  const uint64_t large[] = {UINT64_MAX, 1, 5};
  const int64_t small[] = {INT64_MIN, -1, 5};
  const int32_t same[] = {1, 1, 2};
  const rdx_column column = {.type = RDX_TYPE_I32, .rows = 3, .values = same};
  const rdx_column u64 = {.type = RDX_TYPE_U64, .rows = 3, .values = large};
  const rdx_column i64 = {.type = RDX_TYPE_I64, .rows = 3, .values = small};
  rdx_index *index = new_index(RDX_INDEX_AUTO, &column);
  const rdx_column *const values[] = {&u64, &i64};
  for (int i = 0; i < 2; i++) {
    rdx_result *result = NULL;
    rdx_result_view view;
    const rdx_lookup_params params = {.result = RDX_RESULT_SUM, .values = values[i]};
    const rdx_column two = {.type = RDX_TYPE_I32, .rows = 1, .values = &same[2]};
    OK(rdx_index_lookup(index, &two, &params, &result, err));
    OK(rdx_result_read(result, &view, err));
    assert_true(i == 0 ? view.sum_u64[0] == 5 : view.sum_i64[0] == 5);
    rdx_result_destroy(&result);
    rdx_error error = {""};
    rdx_status status = rdx_index_lookup(index, &column, &params, &result, &error);
    if (status == RDX_OK)
      status = rdx_result_read(result, &view, &error);
    assert_int_equal(status, RDX_ERROR_OVERFLOW);
    rdx_result_destroy(&result);
  }
  rdx_index_destroy(&index);
}

/* ---- Threads ---- */

typedef struct worker {
  const rdx_index *index;
  const test_column *points;
  const uint32_t *expected;
  bool right;
} worker;

static void *look_up(void *argument) {
  worker *w = argument;
  w->right = true;
  for (int i = 0; i < 8; i++) {
    rdx_result *result = NULL;
    rdx_result_view view;
    w->right &= rdx_index_lookup(w->index, &w->points->view, NULL, &result, NULL) == RDX_OK &&
                rdx_result_read(result, &view, NULL) == RDX_OK &&
                memcmp(view.count, w->expected, w->points->view.rows * sizeof *w->expected) == 0;
    rdx_result_destroy(&result);
  }
  return NULL;
}

static void test_threads(void **state) {
  (void)state;
  test_column column = column_make(RDX_TYPE_U32, SHAPE_SKEWED, NO_NULLS, 500);
  test_column points = column_probes(&column, 100, NO_NULLS);
  uint32_t expected[100] = {0};
  for (uint64_t i = 0; i < 100; i++)
    for (uint64_t row = 0; row < 500; row++)
      expected[i] += column_compare(&column.view, row, &points.view, i) == 0;
  for (rdx_index_kind kind = RDX_INDEX_RX; kind <= RDX_INDEX_SORTED_ARRAY; kind++) {
    if (kind == RDX_INDEX_RX && !traces())
      continue;
    rdx_index *index = new_index(kind, &column.view);
    pthread_t threads[4];
    worker workers[4];
    for (int i = 0; i < 4; i++) {
      workers[i] = (worker){index, &points, expected, false};
      assert_int_equal(pthread_create(&threads[i], NULL, look_up, &workers[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
      pthread_join(threads[i], NULL);
      assert_true(workers[i].right);
    }
    rdx_index_destroy(&index);
  }
  column_free(&column);
  column_free(&points);
}

/* ---- Cancelling ---- */

static bool cancel(void *user, const char *stage, uint64_t done, uint64_t total) {
  (void)stage;
  (void)done;
  (void)total;
  return (*(int *)user)-- <= 0;
}

static void test_cancel(void **state) {
  (void)state;
  int left = 0;
  rdx_index *index = NULL;
  rdx_set_progress(cancel, &left);
  rdx_error error = {""};
  const rdx_index_params params = {.kind = traces() ? RDX_INDEX_RX : RDX_INDEX_SORTED_ARRAY};
  const rdx_status status = rdx_index_create(test_device, &keys, &params, &index, &error);
  rdx_set_progress(NULL, NULL);
  assert_true(status == RDX_ERROR_CANCELLED || (status == RDX_OK && left == 0));
  rdx_index_destroy(&index);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_devices_by_name),
      cmocka_unit_test(test_bad_columns),
      cmocka_unit_test(test_bad_options),
      cmocka_unit_test(test_bad_lookups),
      cmocka_unit_test(test_device_columns),
      cmocka_unit_test(test_updates),
      cmocka_unit_test(test_updates_of_strings),
      cmocka_unit_test(test_refit_needs_updatable),
      cmocka_unit_test(test_sums_that_overflow),
      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_cancel),
  };
  return TEST_MAIN(tests);
}
