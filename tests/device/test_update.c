/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Updates by rebuild and by refit, and those that fail and leave the old keys. */

#include "reference.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static rdx_index *new_index(rdx_device *device, const rdx_column *column, const rdx_index_params *params) {
  rdx_index *index = NULL;
  OK(rdx_index_create(device, column, params, &index, err));
  return index;
}

static bool has_twins(const rdx_column *c) {
  for (uint64_t i = 0; i < c->rows; i++)
    for (uint64_t j = 0; j < i; j++)
      if (column_has(c, i) && column_has(c, j) && column_compare(c, i, c, j) == 0)
        return true;
  return false;
}

/* The index answers from `column`, and its stats are about it. */
static void check_holds(const rdx_index *index, const test_column *column) {
  test_column values = column_make(RDX_TYPE_I32, SHAPE_RANDOM, SOME_NULLS, column->view.rows + 1);
  values.view.rows = column->view.rows;
  test_column points = column_probes(column, 30, NO_NULLS), upper = column_probes(column, 30, NO_NULLS);
  rdx_index_stats stats;
  rdx_index_get_stats(index, &stats);
  check_lookups(index, &column->view, &points.view, NULL, &values.view);
  if (rdx_index_method_abilities(stats.method).ranges)
    check_lookups(index, &column->view, &points.view, &upper.view, &values.view);
  column_free(&values);
  column_free(&points);
  column_free(&upper);
  uint64_t present = 0;
  for (uint64_t i = 0; i < column->view.rows; i++)
    present += column_has(&column->view, i);
  assert_int_equal(stats.rows, column->view.rows);
  assert_int_equal(stats.keys, present);
  assert_int_equal(stats.key_type, column->view.type);
  if (column->view.type != RDX_TYPE_STRING) /* of some strings it is not known */
    assert_int_equal(stats.distinct, !has_twins(&column->view));
  else
    assert_true(!stats.distinct || !has_twins(&column->view));
}

/* ---- Rebuilding ---- */

static void test_rebuild(void **state) {
  (void)state;
  static const rdx_type types[] = {RDX_TYPE_I8, RDX_TYPE_U32, RDX_TYPE_F64, RDX_TYPE_DECIMAL, RDX_TYPE_STRING};
  static const test_shape shapes[] = {SHAPE_DENSE, SHAPE_EQUAL,    SHAPE_EMPTY, SHAPE_RANDOM,
                                      SHAPE_ONE,   SHAPE_EXTREMES, SHAPE_FEW,   SHAPE_EDGES};
  for (rdx_index_method method = RDX_INDEX_RX; method < RDX_INDEX_METHODS; method++) {
    if (!test_can(method))
      continue;
    for (size_t t = 0; t < COUNT(types); t++) {
      test_column column = column_make(types[t], SHAPE_SKEWED, NO_NULLS, 60);
      rdx_index *index = new_index(test_device, &column.view, &(rdx_index_params){.method = method});
      for (size_t s = 0; s < COUNT(shapes); s++) {
        column_free(&column); /* the index needs it no longer */
        column = column_make(types[t], shapes[s], s == 6 ? ALL_NULLS : s % 2 ? SOME_NULLS : NO_NULLS, 40 + 20 * s);
        OK(rdx_index_update(index, &column.view, RDX_UPDATE_REBUILD, err));
        check_holds(index, &column);
      }
      rdx_index_destroy(&index);
      column_free(&column);
    }
  }
}

static void test_update_from_device_column(void **state) {
  (void)state;
  test_column before = column_make(RDX_TYPE_I64, SHAPE_DENSE, NO_NULLS, 70);
  test_column after = column_make(RDX_TYPE_I64, SHAPE_SKEWED, NO_NULLS, 70);
  for (rdx_update_mode mode = RDX_UPDATE_REBUILD; mode <= RDX_UPDATE_REFIT; mode++) {
    if (!test_traces())
      continue;
    const rdx_index_params params = {.method = RDX_INDEX_RX, .rx.updatable = true};
    rdx_index *index = new_index(test_device, &before.view, &params);
    rdx_device_column *on_device = NULL;
    OK(rdx_device_column_create(test_device, &after.view, &on_device, err));
    const rdx_column view = rdx_device_column_view(on_device);
    OK(rdx_index_update(index, &view, mode, err));
    check_holds(index, &after);
    OK(rdx_index_update(index, &view, mode, err)); /* the column is as it was */
    check_holds(index, &after);
    rdx_device_column_destroy(&on_device);
    check_holds(index, &after);
    rdx_index_destroy(&index);
  }
  column_free(&before);
  column_free(&after);
}

/* ---- Refitting ---- */

/* Distinct keys become equal ones and distinct again, near ones far, all under one tree. */
static void check_refits(rdx_type type, const rdx_rx_params *rx, test_nulls nulls, const test_shape *shapes,
                         size_t count) {
  const uint64_t rows = test_is_slow() ? 80 : 200;
  test_column first = column_make(type, SHAPE_DENSE, nulls, rows);
  rdx_index *index = new_index(test_device, &first.view, &(rdx_index_params){.method = RDX_INDEX_RX, .rx = *rx});
  check_holds(index, &first);
  for (size_t s = 0; s < count; s++) {
    test_column next = column_make(type, shapes[s], NO_NULLS, rows);
    next.view.validity = first.view.validity;
    OK(rdx_index_update(index, &next.view, RDX_UPDATE_REFIT, err));
    check_holds(index, &next);
    next.view.validity = NULL;
    column_free(&next);
  }
  rdx_index_destroy(&index);
  column_free(&first);
}

static void test_refit(void **state) {
  (void)state;
  static const test_shape shapes[] = {SHAPE_EQUAL, SHAPE_RANDOM,   SHAPE_REVERSED, SHAPE_FEW,
                                      SHAPE_EDGES, SHAPE_EXTREMES, SHAPE_DENSE};
  static const rdx_rx_params options[] = {
      {.updatable = true},
      {.updatable = true, .primitive = RDX_RX_BOX, .partitions = 3},
      {.updatable = true, .point_ray = RDX_RX_RAY_PARALLEL_FROM_ZERO},
      {.updatable = true, .primitive = RDX_RX_SPHERE, .build = RDX_BUILD_FAST_BUILD},
      {.updatable = true, .partitions = 7, .always_any_hit = true, .build = RDX_BUILD_LOW_MEMORY},
  };
  static const rdx_type types[] = {RDX_TYPE_U32, RDX_TYPE_F64, RDX_TYPE_TIMESTAMP, RDX_TYPE_U16};
  if (!test_traces())
    return;
  for (size_t i = 0; i < COUNT(options); i++)
    check_refits(types[i % COUNT(types)], &options[i], i % 2 ? SOME_NULLS : NO_NULLS, shapes, COUNT(shapes));
}

/* Keys that fit naive and extended mode. */
static void test_refit_small_keys(void **state) {
  (void)state;
  static const test_shape shapes[] = {SHAPE_EQUAL, SHAPE_FEW, SHAPE_SORTED, SHAPE_DENSE};
  static const rdx_rx_params options[] = {
      {.updatable = true, .key_mode = RDX_RX_KEY_NAIVE},
      {.updatable = true, .key_mode = RDX_RX_KEY_EXTENDED, .primitive = RDX_RX_BOX},
  };
  if (!test_traces())
    return;
  for (size_t i = 0; i < COUNT(options); i++)
    check_refits(RDX_TYPE_I32, &options[i], i % 2 ? NO_NULLS : SOME_NULLS, shapes, COUNT(shapes));
}

/* ---- Failures ---- */

static void test_refused_updates(void **state) {
  (void)state;
  if (!test_traces())
    return;
  test_column before = column_make(RDX_TYPE_DECIMAL, SHAPE_SKEWED, SOME_NULLS, 90);
  test_column plain = column_make(RDX_TYPE_DECIMAL, SHAPE_SKEWED, NO_NULLS, 90);
  test_column longer = column_make(RDX_TYPE_DECIMAL, SHAPE_SKEWED, NO_NULLS, 91);
  test_column integers = column_make(RDX_TYPE_I64, SHAPE_SKEWED, NO_NULLS, 90);
  const rdx_index_params params = {.method = RDX_INDEX_RX, .rx.updatable = true};
  rdx_index *index = new_index(test_device, &before.view, &params);
  for (rdx_update_mode mode = RDX_UPDATE_REBUILD; mode <= RDX_UPDATE_REFIT; mode++) {
    FAILS(RDX_ERROR_ARGUMENT, rdx_index_update(NULL, &plain.view, mode, err));
    FAILS(RDX_ERROR_ARGUMENT, rdx_index_update(index, NULL, mode, err));
    FAILS(RDX_ERROR_ARGUMENT, rdx_index_update(index, &integers.view, mode, err));
    rdx_column other = plain.view;
    other.scale = 3;
    FAILS(RDX_ERROR_ARGUMENT, rdx_index_update(index, &other, mode, err));
    other = plain.view;
    other.values = NULL;
    FAILS(RDX_ERROR_ARGUMENT, rdx_index_update(index, &other, mode, err));
  }
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_update(index, &plain.view, (rdx_update_mode)2, err));
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_index_update(index, &plain.view, RDX_UPDATE_REFIT, err)); /* other NULLs */
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_index_update(index, &longer.view, RDX_UPDATE_REFIT, err));
  uint8_t *moved = malloc(12); /* as many NULLs as before, elsewhere */
  assert_non_null(moved);
  uint64_t one = UINT64_MAX, zero = UINT64_MAX;
  memcpy(moved, before.view.validity, 12);
  for (uint64_t i = 0; i < 90; i++)
    *(column_has(&before.view, i) ? &one : &zero) = i;
  moved[one / 8] ^= (uint8_t)(1u << one % 8);
  moved[zero / 8] ^= (uint8_t)(1u << zero % 8);
  rdx_column elsewhere = plain.view;
  elsewhere.validity = moved;
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_index_update(index, &elsewhere, RDX_UPDATE_REFIT, err));
  check_holds(index, &before);
  free(moved);
  rdx_index_destroy(&index);
  column_free(&before);
  column_free(&plain);
  column_free(&longer);
  column_free(&integers);
}

static void test_refit_needs_updatable(void **state) {
  (void)state;
  test_column column = column_make(RDX_TYPE_I32, SHAPE_SKEWED, NO_NULLS, 50);
  for (rdx_index_method method = RDX_INDEX_RX; method < RDX_INDEX_METHODS; method++) {
    if (!test_can(method))
      continue;
    rdx_index *index = new_index(test_device, &column.view, &(rdx_index_params){.method = method});
    FAILS(RDX_ERROR_UNSUPPORTED, rdx_index_update(index, &column.view, RDX_UPDATE_REFIT, err));
    check_holds(index, &column);
    rdx_index_destroy(&index);
  }
  column_free(&column);
}

/* Keys that the key mode cannot represent, in either way of updating. */
static void test_keys_beyond_the_mode(void **state) {
  (void)state;
  static const rdx_rx_params options[] = {{.updatable = true, .key_mode = RDX_RX_KEY_NAIVE},
                                          {.updatable = true, .key_mode = RDX_RX_KEY_EXTENDED},
                                          {.updatable = true, .x_bits = 10, .y_bits = 5}};
  if (!test_traces())
    return;
  for (size_t i = 0; i < COUNT(options); i++) {
    test_column before = column_make(RDX_TYPE_U32, SHAPE_DENSE, NO_NULLS, 60);
    test_column after = column_make(RDX_TYPE_U32, SHAPE_REVERSED, NO_NULLS, 60);
    ((uint32_t *)(uintptr_t)after.view.values)[59] = 1u << 29;
    const rdx_index_params params = {.method = RDX_INDEX_RX, .rx = options[i]};
    rdx_index *index = new_index(test_device, &before.view, &params);
    FAILS(RDX_ERROR_RANGE, rdx_index_update(index, &after.view, RDX_UPDATE_REBUILD, err));
    check_holds(index, &before);
    FAILS(RDX_ERROR_RANGE, rdx_index_update(index, &after.view, RDX_UPDATE_REFIT, err));
    check_holds(index, &before);
    rdx_index_destroy(&index);
    column_free(&before);
    column_free(&after);
  }
}

/* A device with room for a small index, but not for a large one. */
static void test_rebuild_without_memory(void **state) {
  (void)state;
  rdx_device *device = NULL;
  const rdx_device_params limits = {.memory_limit = 4 << 20};
  OK(rdx_device_open(rdx_device_get_info(test_device)->name, &limits, &device, err));
  test_column before = column_make(RDX_TYPE_U64, SHAPE_SKEWED, SOME_NULLS, 100);
  test_column large = column_make(RDX_TYPE_U64, SHAPE_DENSE, NO_NULLS, 250000);
  for (rdx_index_method method = RDX_INDEX_RX; method < RDX_INDEX_METHODS; method++) {
    if (!test_can(method))
      continue;
    rdx_index *index = new_index(device, &before.view, &(rdx_index_params){.method = method});
    rdx_device_usage then, now;
    rdx_device_get_usage(device, &then);
    FAILS(RDX_ERROR_DEVICE_MEMORY, rdx_index_update(index, &large.view, RDX_UPDATE_REBUILD, err));
    rdx_device_get_usage(device, &now);
    assert_int_equal(now.memory_used, then.memory_used);
    check_holds(index, &before);
    rdx_index_destroy(&index);
    rdx_device_get_usage(device, &now);
    assert_int_equal(now.memory_used, 0);
  }
  rdx_device_close(&device);
  column_free(&before);
  column_free(&large);
}

static bool cancel_at(void *user, const char *stage, uint64_t done, uint64_t total) {
  (void)done;
  (void)total;
  assert_non_null(stage);
  return (*(int *)user)-- == 0;
}

/* Cancelled at each of its reports in turn, an update leaves the index as it was. */
static void check_cancelled(const rdx_index_params *params, rdx_update_mode mode, const test_column *before,
                            const test_column *after) {
  rdx_index *index = new_index(test_device, &before->view, params);
  rdx_status status = RDX_ERROR_CANCELLED;
  for (int k = 0; status == RDX_ERROR_CANCELLED; k++) {
    int left = k;
    rdx_error err = {""};
    rdx_set_progress(cancel_at, &left);
    status = rdx_index_update(index, &after->view, mode, &err);
    rdx_set_progress(NULL, NULL);
    assert_true(status == RDX_ERROR_CANCELLED || (status == RDX_OK && (left >= 0 || k > 0)));
    check_holds(index, status == RDX_OK ? after : before);
    assert_true(k < 1000);
  }
  rdx_index_destroy(&index);
}

static void test_cancelled_updates(void **state) {
  (void)state;
  test_column before = column_make(RDX_TYPE_I32, SHAPE_FEW, SOME_NULLS, 64);
  test_column after = column_make(RDX_TYPE_I32, SHAPE_RANDOM, NO_NULLS, 99);
  test_column there = column_make(RDX_TYPE_I32, SHAPE_RANDOM, NO_NULLS, 3000);
  test_column moved = column_make(RDX_TYPE_I32, SHAPE_RANDOM, NO_NULLS, 3000);
  for (rdx_index_method method = RDX_INDEX_RX; method < RDX_INDEX_METHODS; method++)
    if (test_can(method))
      check_cancelled(&(rdx_index_params){.method = method}, RDX_UPDATE_REBUILD, &before, &after);
  for (rdx_rx_primitive p = RDX_RX_TRIANGLE; p <= RDX_RX_BOX && test_traces(); p++)
    check_cancelled(&(rdx_index_params){.method = RDX_INDEX_RX, .rx = {.updatable = true, .primitive = p}},
                    RDX_UPDATE_REFIT, &there, &moved);
  column_free(&before);
  column_free(&after);
  column_free(&there);
  column_free(&moved);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rebuild),
      cmocka_unit_test(test_update_from_device_column),
      cmocka_unit_test(test_refit),
      cmocka_unit_test(test_refit_small_keys),
      cmocka_unit_test(test_refused_updates),
      cmocka_unit_test(test_refit_needs_updatable),
      cmocka_unit_test(test_keys_beyond_the_mode),
      cmocka_unit_test(test_rebuild_without_memory),
      cmocka_unit_test(test_cancelled_updates),
  };
  return TEST_MAIN(tests);
}
