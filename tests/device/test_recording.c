/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Recordings tell the scene that was built, the rays that were cast and what they hit. */

#include <stdlib.h>

#include "support.h"

#include <raydex/recording.h>

#define KEYS 32

static bool is_cpu(void) {
  return rdx_device_get_info(test_device)->backend == RDX_BACKEND_CPU;
}

static void test_other_devices(void **state) {
  (void)state;
  rdx_recording *recording = NULL;
  if (is_cpu())
    skip();
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_recording_start(test_device, &recording, err));
  assert_null(recording);
}

/* A range of RX: a triangle at each key, and hits at those of the range alone. */
static void test_index(void **state) {
  (void)state;
  uint32_t keys[KEYS], lower = 5, upper = 9, met[KEYS] = {0};
  rdx_recording *recording = NULL, *second = NULL;
  rdx_index *index = NULL;
  rdx_lookup_result *result = NULL;
  if (!is_cpu())
    skip();
  for (uint32_t i = 0; i < KEYS; i++)
    keys[i] = (i * 5) % KEYS;
  const rdx_column column = {.type = RDX_TYPE_U32, .rows = KEYS, .values = keys};
  const rdx_column from = {.type = RDX_TYPE_U32, .rows = 1, .values = &lower},
                   to = {.type = RDX_TYPE_U32, .rows = 1, .values = &upper};
  OK(rdx_recording_start(test_device, &recording, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_recording_start(test_device, &second, err));
  OK(rdx_index_create(test_device, &column, &(rdx_index_params){.method = RDX_INDEX_RX}, &index, err));
  OK(rdx_index_range(index, &from, &to, NULL, &result, err));
  const rdx_recording_view v = rdx_recording_get(recording);
  assert_int_equal(v.scene_count, 1);
  assert_int_equal(v.scenes[0].count, KEYS);
  assert_false(v.scenes[0].boxes || v.incomplete);
  assert_true(v.ray_count >= 1);
  for (uint64_t i = 0; i < v.hit_count; i++) {
    const float *corners = v.scenes[0].coordinates + 9 * v.hits[i].primitive;
    const uint32_t x = (uint32_t)((corners[0] + corners[3] + corners[6]) / 3 + 0.5f);
    assert_true(v.hits[i].ray < v.ray_count && x < KEYS);
    met[x]++;
  }
  for (uint32_t i = 0; i < KEYS; i++)
    assert_int_equal(met[i], i >= lower && i <= upper);
  rdx_recording_forget_rays(recording);
  assert_int_equal(rdx_recording_get(recording).ray_count, 0);
  assert_int_equal(rdx_recording_get(recording).scene_count, 1);
  rdx_lookup_result_destroy(&result);
  rdx_index_destroy(&index);
  rdx_recording_stop(&recording);
  rdx_recording_stop(&recording);
}

/* Rays through boxes: what the scan counts is what was recorded. */
static void test_scan(void **state) {
  (void)state;
  enum { ROWS = 400 };
  uint32_t values[3][ROWS], bounds[3] = {150, 200, 310};
  rdx_column columns[3];
  rdx_predicate terms[3];
  rdx_recording *recording = NULL;
  rdx_scan *scan = NULL;
  rdx_scan_result *result = NULL;
  rdx_scan_run_stats stats;
  if (!is_cpu())
    skip();
  for (uint32_t c = 0; c < 3; c++) {
    for (uint32_t i = 0; i < ROWS; i++)
      values[c][i] = (uint32_t)test_random() % ROWS;
    columns[c] = (rdx_column){.type = RDX_TYPE_U32, .rows = ROWS, .values = values[c]};
    terms[c] = (rdx_predicate){
        .kind = RDX_PREDICATE_LT, .column = c, .values = {.type = RDX_TYPE_U32, .rows = 1, .values = &bounds[c]}};
  }
  const rdx_predicate all = {.kind = RDX_PREDICATE_AND, .children = terms, .child_count = 3};
  const rdx_scan_params params = {.method = RDX_SCAN_RTSCAN,
                                  .rtscan = {.vectors = 3, .derived = RDX_SWITCH_OFF, .group = 3, .rows_per_box = 1}};
  OK(rdx_recording_start(test_device, &recording, err));
  OK(rdx_scan_create(test_device, columns, 3, &params, &scan, err));
  OK(rdx_scan_run(scan, &all, &(rdx_scan_run_params){.stats = true}, &result, err));
  rdx_scan_result_get_stats(result, &stats);
  const rdx_recording_view v = rdx_recording_get(recording);
  assert_int_equal(v.scene_count, 1);
  assert_true(v.scenes[0].boxes);
  assert_int_equal(v.scenes[0].count, ROWS);
  assert_true(stats.hits > 0);
  assert_int_equal(v.ray_count, 2 * stats.rays); /* it runs twice to count */
  assert_int_equal(v.hit_count, 2 * stats.hits);
  rdx_scan_result_destroy(&result);
  rdx_scan_destroy(&scan);
  rdx_recording_stop(&recording);
}

/* More rays than there is room for are left out, and that is said; answers stay right. */
static void test_too_much(void **state) {
  (void)state;
  enum { ROWS = RDX_RECORDING_MAX + 1000 };
  rdx_recording *recording = NULL;
  rdx_index *index = NULL;
  rdx_lookup_result *result = NULL;
  rdx_lookup_view found;
  if (!is_cpu())
    skip();
  uint32_t *keys = malloc(ROWS * sizeof *keys);
  assert_non_null(keys);
  for (uint32_t i = 0; i < ROWS; i++)
    keys[i] = i;
  rdx_column column = {.type = RDX_TYPE_U32, .rows = RDX_RECORDING_MAX, .values = keys};
  OK(rdx_index_create(test_device, &column, &(rdx_index_params){.method = RDX_INDEX_RX}, &index, err));
  OK(rdx_recording_start(test_device, &recording, err));
  column.rows = ROWS;
  OK(rdx_index_lookup(index, &column, NULL, &result, err));
  OK(rdx_lookup_result_view(result, &found, err));
  assert_int_equal(rdx_recording_get(recording).ray_count, RDX_RECORDING_MAX);
  assert_true(rdx_recording_get(recording).incomplete);
  assert_int_equal(rdx_recording_get(recording).hit_count, 0); /* the scene was built before */
  for (uint32_t i = 0; i < ROWS; i++)
    assert_int_equal(found.count[i], i < RDX_RECORDING_MAX);
  rdx_lookup_result_destroy(&result);
  rdx_recording_stop(&recording);
  rdx_index_destroy(&index);
  free(keys);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_other_devices),
      cmocka_unit_test(test_index),
      cmocka_unit_test(test_scan),
      cmocka_unit_test(test_too_much),
  };
  return TEST_MAIN(tests);
}
