/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Error texts, names, the thread pool, and the order of key codes. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <raydex/raydex.h>

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/base.h"
#include "index/keys.h"

static void test_names(void **state) {
  (void)state;
  assert_string_equal(rdx_version(), "0.1.0");
  for (int i = RDX_OK; i <= RDX_ERROR_INTERNAL; i++)
    assert_true(strlen(rdx_status_name((rdx_status)i)) > 1);
  assert_non_null(rdx_status_name((rdx_status)1000));
  for (int i = RDX_TYPE_BOOL; i <= RDX_TYPE_STRING; i++) {
    rdx_type type = RDX_TYPE_NONE;
    rdx_error err;
    assert_int_equal(rdx_type_from_name(rdx_type_name((rdx_type)i), &type, &err), RDX_OK);
    assert_int_equal(type, i);
  }
  rdx_type type = RDX_TYPE_NONE;
  rdx_error err = {""};
  assert_int_equal(rdx_type_from_name("int", &type, &err), RDX_ERROR_NOT_FOUND);
  assert_non_null(strstr(err.text, "i32"));
  rdx_index_kind kind = RDX_INDEX_AUTO;
  assert_int_equal(rdx_index_kind_from_name("rx", &kind, &err), RDX_OK);
  assert_int_equal(kind, RDX_INDEX_RX);
  assert_int_equal(rdx_index_kind_from_name("btree", &kind, &err), RDX_ERROR_NOT_FOUND);
  assert_non_null(strstr(err.text, "sorted_array"));
}

static void test_errors(void **state) {
  (void)state;
  char long_text[4000];
  memset(long_text, 'x', sizeof long_text - 1);
  long_text[sizeof long_text - 1] = '\0';
  rdx_error err;
  assert_int_equal(rdx_fail(&err, RDX_ERROR_IO, "%s", long_text), RDX_ERROR_IO);
  assert_true(strlen(err.text) < sizeof err.text);
  assert_int_equal(rdx_fail(NULL, RDX_ERROR_IO, "%s", "no one listens"), RDX_ERROR_IO);
  void *memory = NULL;
  assert_int_equal(rdx_alloc(SIZE_MAX / 2, 4, "too much", &memory, &err), RDX_ERROR_MEMORY);
  char text[32];
  assert_string_equal(rdx_format_bytes(0, text), "0 B");
  assert_string_equal(rdx_format_bytes(1536, text), "1.5 KiB");
}

typedef struct sum {
  _Atomic uint64_t total;
  _Atomic uint32_t most_worker;
} sum;

static void add_up(void *context, uint64_t begin, uint64_t end, uint32_t worker) {
  sum *s = context;
  uint64_t part = 0;
  for (uint64_t i = begin; i < end; i++)
    part += i;
  atomic_fetch_add(&s->total, part);
  if (worker > atomic_load(&s->most_worker))
    atomic_store(&s->most_worker, worker);
}

static void test_pool(void **state) {
  (void)state;
  for (uint32_t threads = 1; threads <= 5; threads += 2) {
    rdx_pool *pool = NULL;
    rdx_error err;
    assert_int_equal(rdx_pool_create(threads, &pool, &err), RDX_OK);
    assert_int_equal(rdx_pool_threads(pool), threads);
    static const uint64_t counts[] = {0, 1, 7, 1000, 100001};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
      sum s = {0, 0};
      rdx_pool_run(pool, counts[i], 16, add_up, &s);
      assert_int_equal(s.total, counts[i] * (counts[i] - (counts[i] > 0)) / 2);
      assert_true(s.most_worker < threads);
    }
    rdx_pool_destroy(&pool);
  }
}

/* Codes of ascending values ascend. */
static void check_order(rdx_type type, const void *values, uint64_t rows, uint64_t equal_to_next) {
  const rdx_column c = {.type = type, .rows = rows, .values = values};
  uint64_t codes[32] = {0};
  assert_true(rows <= 32);
  rdx_keys_encode(&c, 0, rows, codes);
  for (uint64_t i = 0; i + 1 < rows; i++) {
    const uint64_t a = rdx_key_bits(type) == 64 ? codes[i] : ((uint32_t *)codes)[i];
    const uint64_t b = rdx_key_bits(type) == 64 ? codes[i + 1] : ((uint32_t *)codes)[i + 1];
    if (i == equal_to_next)
      assert_true(a == b);
    else
      assert_true(a < b);
  }
}

static void test_order_of_codes(void **state) {
  (void)state;
  const int8_t i8[] = {INT8_MIN, -1, 0, 1, INT8_MAX};
  const int64_t i64[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX};
  const uint64_t u64[] = {0, 1, INT64_MAX, UINT64_MAX};
  const float f32[] = {-INFINITY, -3e38f, -1, -1e-45f, -0.0f, 0.0f, 1e-45f, 1, 3e38f, INFINITY, NAN};
  const double f64[] = {-INFINITY, -1e308, -1, -5e-324, -0.0, 0.0, 5e-324, 1, 1e308, INFINITY, NAN};
  check_order(RDX_TYPE_I8, i8, 5, 99);
  check_order(RDX_TYPE_I64, i64, 6, 99);
  check_order(RDX_TYPE_TIMESTAMP, i64, 6, 99);
  check_order(RDX_TYPE_U64, u64, 4, 99);
  check_order(RDX_TYPE_F32, f32, 11, 4);
  check_order(RDX_TYPE_F64, f64, 11, 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_errors),
      cmocka_unit_test(test_pool),
      cmocka_unit_test(test_order_of_codes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
