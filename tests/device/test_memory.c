/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Allocations that fail, each in turn: an error, no leak, and everything still works afterwards. */

#include "support.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Atomic int64_t countdown; /* allocations until one fails; far away: none does */
static _Atomic int64_t live;

static bool fails_now(void) {
  return atomic_fetch_sub(&countdown, 1) == 0;
}

static void *allocate(void *user, size_t size) {
  (void)user;
  void *memory = fails_now() ? NULL : malloc(size);
  live += memory != NULL;
  return memory;
}

static void *reallocate(void *user, void *old, size_t size) {
  (void)user;
  if (fails_now())
    return NULL;
  void *memory = realloc(old, size);
  live += old == NULL && memory != NULL;
  return memory;
}

static void release(void *user, void *memory) {
  (void)user;
  live -= memory != NULL;
  free(memory);
}

static const rdx_allocator allocator = {allocate, reallocate, release, NULL};

/* A job that stops at the first error and leaves nothing. */
typedef rdx_status (*job)(rdx_error *err);

static rdx_status index_job(rdx_index_kind kind, rdx_result_kind result_kind, const rdx_column *keys,
                            const rdx_column *values, rdx_error *err) {
  rdx_index *index = NULL;
  rdx_result *result = NULL;
  rdx_result_view view;
  const rdx_index_params params = {.kind = kind, .rx.updatable = true};
  const rdx_lookup_params lookup = {.result = result_kind, .values = values, .stats = true};
  rdx_status status = rdx_index_create(test_device, keys, &params, &index, err);
  if (status == RDX_OK)
    status = rdx_index_range(index, keys, keys, &lookup, &result, err);
  if (status == RDX_OK)
    status = rdx_result_read(result, &view, err);
  if (status == RDX_OK)
    status = rdx_index_update(index, keys, RDX_UPDATE_REBUILD, err);
  rdx_result_destroy(&result);
  rdx_index_destroy(&index);
  return status;
}

static const int64_t numbers[] = {5, 1, 5, -3, 1ll << 50, 0};
static const uint8_t bits[] = {0x2f};
static const rdx_column int_keys = {.type = RDX_TYPE_I64, .rows = 6, .values = numbers, .validity = bits};

static rdx_status rx_rows(rdx_error *err) {
  return index_job(RDX_INDEX_RX, RDX_RESULT_ROWS, &int_keys, NULL, err);
}

static rdx_status rx_sum(rdx_error *err) {
  return index_job(RDX_INDEX_RX, RDX_RESULT_SUM, &int_keys, &int_keys, err);
}

static rdx_status array_float_sum(rdx_error *err) {
  static const double reals[] = {1, 2, 3, 4, 5, 6};
  const rdx_column values = {.type = RDX_TYPE_F64, .rows = 6, .values = reals};
  return index_job(RDX_INDEX_SORTED_ARRAY, RDX_RESULT_SUM, &int_keys, &values, err);
}

static rdx_status strings(rdx_error *err) {
  static const uint64_t offsets[] = {0, 12, 24, 26};
  const rdx_column keys = {
      .type = RDX_TYPE_STRING, .rows = 3, .values = "long-text-01long-text-02ab", .offsets = offsets};
  return index_job(RDX_INDEX_SORTED_ARRAY, RDX_RESULT_COUNT, &keys, NULL, err);
}

static rdx_status csv(rdx_error *err) {
  static const char text[] = "a,b,c\n1,x,\n2,\"y \"\"q\"\"\",2.5\n99999999999,z,1e9\n";
  rdx_table *table = NULL;
  const rdx_status status = rdx_table_parse_csv("test", text, sizeof text - 1, NULL, &table, err);
  rdx_table_destroy(&table);
  return status;
}

static void check_job(job run) {
  countdown = INT64_MAX;
  OK(run(err)); /* what lives as long as the device is made now */
  const int64_t before = live;
  for (int64_t k = 0;; k++) {
    rdx_error err = {""};
    countdown = k;
    const rdx_status status = run(&err);
    const bool reached = countdown < 0;
    countdown = INT64_MAX;
    assert_int_equal(live, before);
    if (!reached) {
      assert_int_equal(status, RDX_OK);
      assert_true(k > 3);
      return;
    }
    if (status != RDX_OK) { /* or it did without */
      assert_int_equal(status, RDX_ERROR_MEMORY);
      assert_true(strlen(err.text) > 0);
    }
    assert_true(k < 5000);
  }
}

static void test_failing_allocations(void **state) {
  (void)state;
  if (rdx_device_get_info(test_device)->tracing != RDX_TRACING_NONE) {
    check_job(rx_rows);
    check_job(rx_sum);
  }
  check_job(array_float_sum);
  check_job(strings);
  check_job(csv);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_failing_allocations)};
  countdown = INT64_MAX;
  rdx_set_allocator(&allocator);
  const int result = TEST_MAIN(tests);
  rdx_set_allocator(NULL);
  return result;
}
