/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The public interface as users get it wrong, and its handles: columns on devices, results. */

#include "reference.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const int32_t numbers[] = {5, 3, 9, 3, -7, 100, 0, 3};
static const rdx_column keys = {.type = RDX_TYPE_I32, .rows = 8, .values = numbers};

static rdx_index *new_index(rdx_index_method method, const rdx_column *column) {
  rdx_index *index = NULL;
  OK(rdx_index_create(test_device, column, &(rdx_index_params){.method = method}, &index, err));
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
  c = (rdx_column){.type = RDX_TYPE_STRING}; /* no rows: offsets are of no use, but their first may be asked for */
  rdx_error error = {""};
  const rdx_status status = rdx_index_create(test_device, &c, NULL, &index, &error);
  assert_true(status == RDX_OK || status == RDX_ERROR_ARGUMENT);
  rdx_index_destroy(&index);
  c = (rdx_column){.type = RDX_TYPE_DECIMAL, .scale = 19, .rows = 1, .values = (const int64_t[]){0}};
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_create(test_device, &c, NULL, &index, err));
  const rdx_index_params unknown = {.method = (rdx_index_method)77};
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_create(test_device, &keys, &unknown, &index, err));
  assert_null(index);
}

static void test_bad_options(void **state) {
  (void)state;
  if (!test_traces())
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
      {{.range_ray = (rdx_rx_ray)9}, RDX_ERROR_ARGUMENT},
      {{.x_bits = 24, .y_bits = 8}, RDX_ERROR_ARGUMENT},
      {{.x_bits = 8, .y_bits = 8, .z_bits = 255}, RDX_ERROR_ARGUMENT},
      {{.key_mode = RDX_RX_KEY_EXTENDED, .primitive = RDX_RX_SPHERE}, RDX_ERROR_UNSUPPORTED},
      {{.key_mode = RDX_RX_KEY_EXTENDED, .range_ray = RDX_RX_RAY_PARALLEL_FROM_OFFSET}, RDX_ERROR_UNSUPPORTED},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    rdx_index *index = NULL;
    const rdx_index_params params = {.method = RDX_INDEX_RX, .rx = cases[i].rx};
    FAILS(cases[i].status, rdx_index_create(test_device, &keys, &params, &index, err));
    assert_null(index);
  }
  static const rdx_hash_params hashes[] = {
      {.load_percent = 9}, {.load_percent = 96}, {.lanes = 3}, {.lanes = 32}, {.build = RDX_HASH_BUILD_INSERT + 1}};
  for (size_t i = 0; i < COUNT(hashes); i++) {
    rdx_index *index = NULL;
    const rdx_index_params params = {.method = RDX_INDEX_HASH, .hash = hashes[i]};
    FAILS(RDX_ERROR_ARGUMENT, rdx_index_create(test_device, &keys, &params, &index, err));
    assert_null(index);
  }
  static const uint8_t lanes[] = {3, 33, 64};
  for (size_t i = 0; i < COUNT(lanes); i++) {
    rdx_index *index = NULL;
    const rdx_index_params params = {.method = RDX_INDEX_SORTED_ARRAY, .sorted_array.lanes = lanes[i]};
    FAILS(RDX_ERROR_ARGUMENT, rdx_index_create(test_device, &keys, &params, &index, err));
    assert_null(index);
  }
}

static void test_bad_lookups(void **state) {
  (void)state;
  rdx_index *index = new_index(RDX_INDEX_SORTED_ARRAY, &keys);
  rdx_lookup_result *result = NULL;
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
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_range(index, NULL, &two, NULL, &result, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_range(NULL, &two, &two, NULL, &result, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_range(index, &two, &two, NULL, NULL, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_range(index, &two, &floats, NULL, &result, err));
  const rdx_column misaligned = {.type = RDX_TYPE_I32, .rows = 2, .values = (const char *)numbers + 2};
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_lookup(index, &misaligned, NULL, &result, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_range(index, &two, &misaligned, NULL, &result, err));
  const rdx_lookup_params no_values = {.result = RDX_LOOKUP_SUM}, unknown = {.result = (rdx_lookup_result_kind)9};
  const rdx_lookup_params short_values = {.result = RDX_LOOKUP_SUM, .values = &two};
  const rdx_lookup_params of_strings = {.result = RDX_LOOKUP_SUM, .values = &strings};
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_lookup(index, &two, &no_values, &result, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_lookup(index, &two, &unknown, &result, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_lookup(index, &two, &short_values, &result, err));
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_index_lookup(index, &two, &of_strings, &result, err));
  assert_null(result);
  rdx_index_destroy(&index);
  rdx_index_destroy(&index);
  rdx_index_destroy(NULL);
  rdx_lookup_result_destroy(NULL);
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
    for (rdx_index_method method = RDX_INDEX_RX; method < RDX_INDEX_METHODS; method++) {
      if (!test_can(method))
        continue;
      rdx_index *index = new_index(method, &view[0]);
      for (rdx_lookup_result_kind r = RDX_LOOKUP_COUNT; r <= RDX_LOOKUP_ROWS; r++) { /* as from host columns */
        for (int range = 0; range < (!rdx_index_method_abilities(method).ranges ? 1 : 2); range++) {
          const rdx_lookup_params a = {.result = r, .values = r == RDX_LOOKUP_SUM ? &view[1] : NULL};
          const rdx_lookup_params b = {.result = r, .values = r == RDX_LOOKUP_SUM ? &values.view : NULL};
          rdx_lookup_result *device_result = NULL, *host_result = NULL;
          rdx_lookup_view x, y;
          if (range) {
            OK(rdx_index_range(index, &view[2], &view[3], &a, &device_result, err));
            OK(rdx_index_range(index, &points.view, &upper.view, &b, &host_result, err));
          } else {
            OK(rdx_index_lookup(index, &view[2], &a, &device_result, err));
            OK(rdx_index_lookup(index, &points.view, &b, &host_result, err));
          }
          OK(rdx_lookup_result_view(device_result, &x, err));
          OK(rdx_lookup_result_view(host_result, &y, err));
          if (x.count)
            assert_memory_equal(x.count, y.count, 40 * sizeof *x.count);
          if (x.first)
            assert_memory_equal(x.first, y.first, 40 * sizeof *x.first);
          if (x.sum_u64)
            assert_memory_equal(x.sum_u64, y.sum_u64, 40 * sizeof *x.sum_u64);
          if (x.rows && x.offsets[40] > 0)
            assert_memory_equal(x.rows, y.rows, x.offsets[40] * sizeof *x.rows);
          rdx_lookup_result_destroy(&device_result);
          rdx_lookup_result_destroy(&host_result);
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

/* A column lies on its device, and nowhere else. */
static void test_columns_of_other_devices(void **state) {
  (void)state;
  rdx_device *other = NULL;
  rdx_device_column *there = NULL, *twice = NULL;
  rdx_index *index = new_index(RDX_INDEX_SORTED_ARRAY, &keys), *none = NULL;
  rdx_lookup_result *result = NULL;
  OK(rdx_device_open("cpu", &(rdx_device_params){.threads = 1}, &other, err));
  OK(rdx_device_column_create(other, &keys, &there, err));
  const rdx_column view = rdx_device_column_view(there);
  assert_int_equal(view.rows, keys.rows);
  assert_int_equal(view.type, keys.type);
  assert_null(view.values);
  const rdx_lookup_params sum = {.result = RDX_LOOKUP_SUM, .values = &view};
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_create(test_device, &view, NULL, &none, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_update(index, &view, RDX_UPDATE_REBUILD, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_lookup(index, &view, NULL, &result, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_range(index, &keys, &view, NULL, &result, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_lookup(index, &keys, &sum, &result, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_device_column_create(other, &view, &twice, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_device_column_create(NULL, &keys, &twice, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_device_column_create(other, NULL, &twice, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_device_column_create(other, &keys, NULL, err));
  assert_null(twice);
  assert_null(result);
  assert_null(none);
  rdx_device_column_destroy(&there);
  assert_null(there);
  rdx_device_column_destroy(&there);
  rdx_device_column_destroy(NULL);
  rdx_device_close(&other);
  rdx_index_destroy(&index);
}

/* More rows than can be numbered are refused before any is read: there are none. */
static void test_too_many_rows(void **state) {
  (void)state;
  rdx_column many = keys;
  rdx_index *index = new_index(RDX_INDEX_SORTED_ARRAY, &keys), *none = NULL;
  rdx_scan *scan = NULL;
  rdx_device_column *copy = NULL;
  rdx_lookup_result *result = NULL;
  rdx_join_result *joined = NULL;
  many.rows = (uint64_t)1 << 32;
  const rdx_lookup_params sum = {.result = RDX_LOOKUP_SUM, .values = &many};
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_index_create(test_device, &many, NULL, &none, err));
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_index_create_columns(test_device, &many, 1, NULL, &none, err));
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_index_update(index, &many, RDX_UPDATE_REBUILD, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_include(index, &many, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_lookup(index, &keys, &sum, &result, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_lookup_inverse(test_device, &keys, &keys, NULL, &sum, NULL, &result, err));
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_lookup_inverse(test_device, &many, &keys, NULL, NULL, NULL, &result, err));
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_join_equal(test_device, &many, &keys, NULL, &joined, err));
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_join_between(test_device, &keys, &many, &many, NULL, &joined, err));
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_scan_create(test_device, &many, 1, NULL, &scan, err));
  many.rows = UINT64_MAX;
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_lookup(index, &many, NULL, &result, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_device_column_create(test_device, &many, &copy, err));
  many = (rdx_column){.type = RDX_TYPE_STRING, .rows = UINT64_MAX, .values = "", .offsets = (const uint64_t[]){0}};
  FAILS(RDX_ERROR_ARGUMENT, rdx_device_column_create(test_device, &many, &copy, err));
  rdx_index_destroy(&index);
}

/* A byte of a bool column that is neither 0 nor 1 is refused, unless it is that of a NULL. */
static void test_other_bools(void **state) {
  (void)state;
  rdx_column bools = {.type = RDX_TYPE_BOOL, .rows = 3, .values = (const uint8_t[]){0, 1, 2}};
  rdx_index *index = NULL;
  rdx_scan *scan = NULL;
  rdx_device_column *copy = NULL;
  rdx_join_result *joined = NULL;
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_create(test_device, &bools, NULL, &index, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_scan_create(test_device, &bools, 1, NULL, &scan, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_device_column_create(test_device, &bools, &copy, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_join_equal(test_device, &bools, &bools, NULL, &joined, err));
  bools.validity = (const uint8_t[]){3};
  OK(rdx_index_create(test_device, &bools, NULL, &index, err));
  rdx_index_destroy(&index);
}

/* A view of a device column that says something else than the column is refused. */
static void test_changed_views(void **state) {
  (void)state;
  rdx_device_column *column = NULL;
  rdx_index *index = new_index(RDX_INDEX_SORTED_ARRAY, &keys), *none = NULL;
  rdx_lookup_result *result = NULL;
  rdx_join_result *joined = NULL;
  rdx_scan *scan = NULL;
  OK(rdx_device_column_create(test_device, &keys, &column, err));
  for (int i = 0; i < 3; i++) {
    rdx_column view = rdx_device_column_view(column);
    view.rows += i == 0 ? 100 : 0;
    view.rows -= i == 1;
    view.type = i == 2 ? RDX_TYPE_U64 : view.type;
    FAILS(RDX_ERROR_ARGUMENT, rdx_index_create(test_device, &view, NULL, &none, err));
    FAILS(RDX_ERROR_ARGUMENT, rdx_index_update(index, &view, RDX_UPDATE_REBUILD, err));
    FAILS(RDX_ERROR_ARGUMENT, rdx_index_include(index, &view, err));
    FAILS(RDX_ERROR_ARGUMENT, rdx_index_lookup(index, &view, NULL, &result, err));
    FAILS(RDX_ERROR_ARGUMENT, rdx_index_range(index, &view, &view, NULL, &result, err));
    FAILS(RDX_ERROR_ARGUMENT, rdx_lookup_inverse(test_device, &keys, &view, NULL, NULL, NULL, &result, err));
    FAILS(RDX_ERROR_ARGUMENT, rdx_join_equal(test_device, &keys, &view, NULL, &joined, err));
    FAILS(RDX_ERROR_ARGUMENT, rdx_join_between(test_device, &keys, &keys, &view, NULL, &joined, err));
    FAILS(RDX_ERROR_ARGUMENT, rdx_scan_create(test_device, &view, 1, NULL, &scan, err));
  }
  rdx_device_column_destroy(&column);
  rdx_index_destroy(&index);
}

/* A device column of another type is refused, even of another integer type. */
static void test_types_of_device_probes(void **state) {
  (void)state;
  const int64_t wide[] = {5, 3};
  const rdx_column probes = {.type = RDX_TYPE_I64, .rows = 2, .values = wide};
  rdx_device_column *on_device = NULL;
  rdx_index *index = new_index(RDX_INDEX_SORTED_ARRAY, &keys);
  rdx_lookup_result *result = NULL;
  OK(rdx_device_column_create(test_device, &probes, &on_device, err));
  const rdx_column view = rdx_device_column_view(on_device);
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_lookup(index, &view, NULL, &result, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_range(index, &view, &probes, NULL, &result, err));
  assert_null(result);
  rdx_device_column_destroy(&on_device);
  rdx_index_destroy(&index);
}

/* ---- Results ---- */

static void test_no_probes(void **state) {
  (void)state;
  const rdx_column none = {.type = RDX_TYPE_I32}, no_keys = none;
  for (rdx_index_method method = RDX_INDEX_RX; method < RDX_INDEX_METHODS; method++) {
    for (int empty = 0; empty < 2; empty++) {
      if (!test_can(method))
        continue;
      rdx_index *index = new_index(method, empty ? &no_keys : &keys);
      for (rdx_lookup_result_kind r = RDX_LOOKUP_COUNT; r <= RDX_LOOKUP_ROWS; r++) {
        const rdx_lookup_params params = {.result = r,
                                          .values = r != RDX_LOOKUP_SUM ? NULL
                                                    : empty             ? &no_keys
                                                                        : &keys,
                                          .stats = true};
        rdx_lookup_result *result = NULL;
        rdx_lookup_view view = {.probes = 7};
        rdx_lookup_stats stats = {.probes = 7};
        OK(rdx_index_lookup(index, &none, &params, &result, err));
        OK(rdx_lookup_result_view(result, &view, err));
        rdx_lookup_result_get_stats(result, &stats);
        assert_int_equal(view.kind, r);
        assert_int_equal(view.probes, 0);
        assert_int_equal(stats.probes, 0);
        assert_int_equal(stats.hits, 0);
        assert_int_equal(stats.rays, 0);
        if (r == RDX_LOOKUP_ROWS)
          assert_int_equal(view.offsets[0], 0);
        rdx_lookup_result_destroy(&result);
        if (rdx_index_method_abilities(method).ranges)
          OK(rdx_index_range(index, &none, &none, &params, &result, err));
        rdx_lookup_result_destroy(&result); /* unread */
      }
      rdx_index_destroy(&index);
    }
  }
}

static rdx_status status_of_range(const rdx_index *index, const rdx_column *bounds) {
  rdx_error err = {""};
  rdx_lookup_result *result = NULL;
  const rdx_lookup_params params = {.result = RDX_LOOKUP_COUNT};
  const rdx_status status = rdx_index_range(index, bounds, bounds, &params, &result, &err);
  rdx_lookup_result_destroy(&result);
  return status;
}

static void abilities_are_what_methods_do(void **state) {
  rdx_error error = {""};
  (void)state;
  int32_t ascending[100];
  const rdx_column many = {.type = RDX_TYPE_I32, .rows = COUNT(ascending), .values = ascending};
  for (int32_t i = 0; i < (int32_t)COUNT(ascending); i++)
    ascending[i] = i;
  for (rdx_index_method method = RDX_INDEX_AUTO; method < RDX_INDEX_METHODS; method++) {
    const rdx_index_abilities can = rdx_index_method_abilities(method);
    const rdx_lookup_params params = {.result = RDX_LOOKUP_COUNT, .stats = true};
    const rdx_index_changes none = {0};
    if (can.traces && !test_traces()) {
      rdx_index *index = NULL;
      FAILS(RDX_ERROR_UNSUPPORTED,
            rdx_index_create(test_device, &many, &(rdx_index_params){.method = method}, &index, err));
      continue;
    }
    rdx_index *index = new_index(method, &many);
    rdx_lookup_result *result = NULL;
    rdx_lookup_stats stats = {0};
    OK(rdx_index_lookup(index, &many, &params, &result, err));
    rdx_lookup_result_get_stats(result, &stats);
    assert_int_equal(stats.rays > 0, can.traces);
    rdx_lookup_result_destroy(&result);
    assert_int_equal(status_of_range(index, &many), can.ranges ? RDX_OK : RDX_ERROR_UNSUPPORTED);
    assert_int_equal(rdx_index_include(index, &many, &error), can.includes ? RDX_OK : RDX_ERROR_UNSUPPORTED);
    assert_int_equal(rdx_index_apply(index, &none, &error), can.changes ? RDX_OK : RDX_ERROR_UNSUPPORTED);
    rdx_index_destroy(&index);
  }
  const rdx_index_abilities unknown = rdx_index_method_abilities(RDX_INDEX_METHODS);
  assert_false(unknown.traces || unknown.ranges || unknown.includes || unknown.changes);
}

/* A result can be read again and again, and outlives its probes. */
static void test_reading_twice(void **state) {
  (void)state;
  rdx_index *index = new_index(RDX_INDEX_SORTED_ARRAY, &keys);
  int32_t *own = malloc(2 * sizeof *own);
  assert_non_null(own);
  own[0] = 3;
  own[1] = 4;
  rdx_column probes = {.type = RDX_TYPE_I32, .rows = 2, .values = own};
  rdx_lookup_result *result = NULL;
  rdx_lookup_view first, second;
  OK(rdx_index_lookup(index, &probes, &(rdx_lookup_params){.result = RDX_LOOKUP_ROWS, .stats = true}, &result, err));
  free(own);
  OK(rdx_lookup_result_view(result, &first, err));
  OK(rdx_lookup_result_view(result, &second, err));
  assert_ptr_equal(first.rows, second.rows);
  assert_ptr_equal(first.offsets, second.offsets);
  assert_null(first.count);
  assert_null(first.first);
  assert_null(first.sum_i64);
  assert_null(first.sum_u64);
  assert_null(first.sum_f64);
  assert_int_equal(first.sum_type, RDX_TYPE_NONE);
  assert_memory_equal(first.offsets, ((const uint64_t[]){0, 3, 3}), 24);
  assert_memory_equal(first.rows, ((const uint32_t[]){1, 3, 7}), 12);
  rdx_lookup_stats stats;
  rdx_lookup_result_get_stats(result, &stats);
  assert_int_equal(stats.probes, 2);
  assert_int_equal(stats.hits, 3);
  assert_true(stats.bytes_uploaded >= 8 && stats.bytes_result >= 12);
  assert_true(stats.total_ms >= stats.device_ms && stats.device_ms >= 0);
  FAILS(RDX_ERROR_ARGUMENT, rdx_lookup_result_view(NULL, &first, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_lookup_result_view(result, NULL, err));
  rdx_lookup_result_destroy(&result);
  rdx_lookup_result_destroy(&result);
  rdx_index_destroy(&index);
}

/* Rays are counted where they are cast: one for each point, none for an empty range. */
static void test_stats_of_rays(void **state) {
  (void)state;
  if (!test_traces())
    return;
  rdx_index *index = new_index(RDX_INDEX_RX, &keys);
  const int32_t low[] = {3, 9, 200}, high[] = {5, 3, 300};
  const rdx_column lower = {.type = RDX_TYPE_I32, .rows = 3, .values = low};
  const rdx_column upper = {.type = RDX_TYPE_I32, .rows = 3, .values = high};
  for (int with_stats = 0; with_stats < 2; with_stats++) {
    rdx_lookup_result *result = NULL;
    rdx_lookup_stats stats;
    OK(rdx_index_lookup(index, &keys, &(rdx_lookup_params){.stats = with_stats}, &result, err));
    rdx_lookup_result_get_stats(result, &stats);
    assert_int_equal(stats.rays, with_stats ? 8 : 0);
    assert_int_equal(stats.hits, with_stats ? 3 * 3 + 5 : 0);
    rdx_lookup_result_destroy(&result);
    OK(rdx_index_range(index, &lower, &upper, &(rdx_lookup_params){.stats = with_stats}, &result, err));
    rdx_lookup_result_get_stats(result, &stats);
    assert_int_equal(stats.hits, with_stats ? 4 : 0);
    assert_true(with_stats ? stats.rays >= 1 : stats.rays == 0);
    rdx_lookup_result_destroy(&result);
  }
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
    rdx_lookup_result *result = NULL;
    rdx_lookup_view view;
    const rdx_lookup_params params = {.result = RDX_LOOKUP_SUM, .values = values[i]};
    const rdx_column two = {.type = RDX_TYPE_I32, .rows = 1, .values = &same[2]};
    OK(rdx_index_lookup(index, &two, &params, &result, err));
    OK(rdx_lookup_result_view(result, &view, err));
    assert_true(i == 0 ? view.sum_u64[0] == 5 : view.sum_i64[0] == 5);
    rdx_lookup_result_destroy(&result);
    rdx_error error = {""};
    rdx_status status = rdx_index_lookup(index, &column, &params, &result, &error);
    if (status == RDX_OK)
      status = rdx_lookup_result_view(result, &view, &error);
    assert_int_equal(status, RDX_ERROR_OVERFLOW);
    rdx_lookup_result_destroy(&result);
  }
  rdx_index_destroy(&index);
}

/* ---- Cancelling ---- */

static bool cancel(void *user, const char *stage, uint64_t done, uint64_t total) {
  (void)stage;
  (void)done;
  (void)total;
  return (*(int *)user)-- <= 0;
}

/* A column that an index includes, by the rules. */
static void test_including(void **state) {
  (void)state;
  static const float real[8] = {0};
  static const uint64_t large[] = {UINT64_MAX, 1, 2, 3, 4, 5, 6, 7};
  const rdx_column floats = {.type = RDX_TYPE_F32, .rows = 8, .values = real};
  const rdx_column seven = {.type = RDX_TYPE_I32, .rows = 7, .values = numbers};
  const rdx_column of_large = {.type = RDX_TYPE_U64, .rows = 8, .values = large};
  const rdx_lookup_params sum = {.result = RDX_LOOKUP_SUM};
  rdx_lookup_result *result = NULL;
  rdx_index *index = new_index(RDX_INDEX_TREE, &keys), *hash = new_index(RDX_INDEX_HASH, &keys);
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_include(NULL, &keys, err));
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_index_include(hash, &keys, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_lookup(index, &keys, &sum, &result, err)); /* of nothing */
  OK(rdx_index_include(index, &keys, err));
  check_included_lookups(index, &keys, &keys, NULL, &keys);
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_include(index, &seven, err));
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_index_include(index, &floats, err));
  check_included_lookups(index, &keys, &keys, &keys, &keys); /* still */
  OK(rdx_index_include(index, &of_large, err));
  check_included_lookups(index, &keys, &keys, NULL, &of_large);
  check_included_lookups(index, &keys, &keys, &keys, &of_large);
  check_lookups(index, &keys, &keys, NULL, &keys); /* another column all the same */
  OK(rdx_index_update(index, &keys, RDX_UPDATE_REBUILD, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_lookup(index, &keys, &sum, &result, err));
  assert_null(result);
  rdx_index_destroy(&index);
  rdx_index_destroy(&hash);
}

static void test_cancel(void **state) {
  (void)state;
  int left = 0;
  rdx_index *index = NULL;
  rdx_set_progress(cancel, &left);
  rdx_error error = {""};
  const rdx_index_params params = {.method = test_traces() ? RDX_INDEX_RX : RDX_INDEX_SORTED_ARRAY};
  const rdx_status status = rdx_index_create(test_device, &keys, &params, &index, &error);
  rdx_set_progress(NULL, NULL);
  assert_true(status == RDX_ERROR_CANCELLED || (status == RDX_OK && left == 0));
  rdx_index_destroy(&index);
}

static bool cancel_lookup(void *user, const char *stage, uint64_t done, uint64_t total) {
  *(bool *)user |= strcmp(stage, "lookup") == 0;
  (void)done, (void)total;
  return strcmp(stage, "lookup") == 0;
}

/* Each range holds each row, and no two are equal: that would take seconds. */
static void test_cancelled_lookup(void **state) {
  (void)state;
  enum { ROWS = 30000 };
  if (rdx_device_get_info(test_device)->backend != RDX_BACKEND_CPU)
    skip();
  uint32_t *same = calloc(ROWS, sizeof *same), *upper = calloc(ROWS, sizeof *upper);
  assert_non_null(same);
  assert_non_null(upper);
  for (uint32_t i = 0; i < ROWS; i++)
    upper[i] = i;
  const rdx_column many = {.type = RDX_TYPE_U32, .rows = ROWS, .values = same},
                   above = {.type = RDX_TYPE_U32, .rows = ROWS, .values = upper},
                   one = {.type = RDX_TYPE_U32, .rows = 1, .values = same};
  const rdx_lookup_params params = {.result = RDX_LOOKUP_COUNT};
  rdx_index *index = new_index(RDX_INDEX_RX, &many);
  rdx_lookup_result *result = NULL;
  rdx_lookup_view view;
  bool asked = false;
  rdx_set_progress(cancel_lookup, &asked);
  FAILS(RDX_ERROR_CANCELLED, rdx_index_range(index, &many, &above, &params, &result, err));
  rdx_set_progress(NULL, NULL);
  assert_true(asked);
  assert_null(result);
  OK(rdx_index_lookup(index, &one, &params, &result, err));
  OK(rdx_lookup_result_view(result, &view, err));
  assert_int_equal(view.count[0], ROWS);
  rdx_lookup_result_destroy(&result);
  rdx_index_destroy(&index);
  free(same);
  free(upper);
}

/* ---- Options of other methods ---- */

static void wrong_options_are_refused(void **state) {
  (void)state;
  static const uint32_t ones[] = {1, 2, 3};
  const rdx_column column = {.type = RDX_TYPE_U32, .rows = 3, .values = ones};
  const rdx_attribute attribute = {"a", column, 0};
  const rdx_relation relation = {.rows = 3, .attributes = &attribute, .attribute_count = 1};
  const rdx_index_params indexes[] = {
      {.method = RDX_INDEX_TREE, .hash.load_percent = 50},
      {.method = RDX_INDEX_HASH, .tree.lanes = 2},
      {.method = RDX_INDEX_RX, .cgrx.bucket_size = 16},
      {.method = RDX_INDEX_CGRX, .cgrx_updatable.compaction = RDX_SWITCH_ON},
      {.tree.lanes = 2}, /* the default may be another */
      {.method = RDX_INDEX_RX_OPTIMIZED, .rx_optimized.compression = (rdx_switch)9},
  };
  const rdx_scan_params scans[] = {
      {.method = RDX_SCAN_COLUMN, .bindex.vectors = 8},
      {.method = RDX_SCAN_BINDEX, .among.bindex = true},
      {.method = RDX_SCAN_RTINDEX, .rtc1.rays = 8},
      {.among.bindex = true, .rtscan.planes = 2},
      {.rtc3.insist = true},
      {.method = RDX_SCAN_RTSCAN, .rtscan.derived = (rdx_switch)9},
      {.method = RDX_SCAN_RTSCAN, .rtscan.negative = (rdx_switch)9},
  };
  const rdx_star_params stars[] = {
      {.method = RDX_STAR_COARSE_CUBE, .rt_cube.leg_x = 4},
      {.method = RDX_STAR_SORTED_CUBE, .coarse_cube.block_rows = 8},
      {.rt_cube.insist = true},
      {.method = RDX_STAR_RT_CUBE, .rt_cube.mapping = (rdx_rt_cube_mapping)9},
  };
  rdx_index *index = NULL;
  rdx_scan *scan = NULL;
  rdx_star *star = NULL;
  rdx_join_result *join = NULL;
  for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++) {
    FAILS(RDX_ERROR_ARGUMENT, rdx_index_create(test_device, &column, &indexes[i], &index, err));
    FAILS(RDX_ERROR_ARGUMENT,
          rdx_join_equal(test_device, &column, &column, &(rdx_join_params){.index = indexes[i]}, &join, err));
  }
  for (size_t i = 0; i < sizeof scans / sizeof *scans; i++)
    FAILS(RDX_ERROR_ARGUMENT, rdx_scan_create(test_device, &column, 1, &scans[i], &scan, err));
  for (size_t i = 0; i < sizeof stars / sizeof *stars; i++)
    FAILS(RDX_ERROR_ARGUMENT, rdx_star_create(test_device, &relation, &stars[i], &star, err));
  OK(rdx_scan_create(test_device, &column, 1, &(rdx_scan_params){.among.bindex = true, .bindex.vectors = 8}, &scan,
                     err)); /* it is among those that AUTO chooses from */
  rdx_scan_destroy(&scan);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_devices_by_name),
      cmocka_unit_test(test_bad_columns),
      cmocka_unit_test(test_bad_options),
      cmocka_unit_test(wrong_options_are_refused),
      cmocka_unit_test(test_bad_lookups),
      cmocka_unit_test(test_device_columns),
      cmocka_unit_test(test_columns_of_other_devices),
      cmocka_unit_test(test_other_bools),
      cmocka_unit_test(test_too_many_rows),
      cmocka_unit_test(test_changed_views),
      cmocka_unit_test(test_types_of_device_probes),
      cmocka_unit_test(test_no_probes),
      cmocka_unit_test(test_reading_twice),
      cmocka_unit_test(abilities_are_what_methods_do),
      cmocka_unit_test(test_stats_of_rays),
      cmocka_unit_test(test_sums_that_overflow),
      cmocka_unit_test(test_including),
      cmocka_unit_test(test_cancel),
      cmocka_unit_test(test_cancelled_lookup),
  };
  return TEST_MAIN(tests);
}
