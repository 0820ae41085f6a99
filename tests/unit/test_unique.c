/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* A column is a key exactly if no two of its rows are equal, however its values lie and many threads look. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <raydex/raydex.h>

#include "base/base.h"
#include "catalog/unique.h"
#include "random.h"

static rdx_device *device;

static bool is_unique(const rdx_column *column) {
  rdx_error err = {""};
  bool unique = false;
  const rdx_status status = rdx_column_is_unique(device, column, &unique, &err);
  if (status != RDX_OK)
    fail_msg("%s", err.text);
  return unique;
}

static void shuffle(uint64_t *numbers, uint64_t count) {
  for (uint64_t i = count; i-- > 1;) {
    const uint64_t k = next_random() % (i + 1), number = numbers[i];
    numbers[i] = numbers[k];
    numbers[k] = number;
  }
}

static void check_as(rdx_type type, const void *values, uint64_t rows, bool unique) {
  const rdx_column column = {.type = type, .rows = rows, .values = values};
  assert_int_equal(is_unique(&column), unique);
}

/* Numbers `step` apart from `from` on, in ascending order, shuffled, and with one of them twice. */
static void check_numbers(uint64_t rows, uint64_t from, uint64_t step) {
  uint64_t *wide = calloc(rows + 1, sizeof *wide);
  uint32_t *narrow = calloc(rows + 1, sizeof *narrow);
  for (int round = 0; round < 4; round++) {
    for (uint64_t i = 0; i < rows; i++)
      wide[i] = from + i * step;
    if (round > 0)
      shuffle(wide, rows);
    if (round == 2 && rows > 0)
      wide[rows - 1] = wide[0];
    if (round == 3 && rows > 0)
      wide[next_random() % rows] = wide[rows / 2];
    bool unique = true, narrow_unique = true;
    uint64_t *sorted = calloc(rows + 1, 2 * sizeof *sorted);
    for (int width = 0; width < 2; width++) {
      for (uint64_t i = 0; i < rows; i++)
        sorted[i] = width ? wide[i] : (narrow[i] = (uint32_t)wide[i]);
      const uint64_t *order = rdx_sort(sorted, rows, 1, 1, sorted + rows);
      for (uint64_t i = 1; i < rows; i++)
        *(width ? &unique : &narrow_unique) &= order[i - 1] != order[i];
    }
    check_as(RDX_TYPE_U64, wide, rows, unique);
    check_as(RDX_TYPE_I64, wide, rows, unique);
    check_as(RDX_TYPE_U32, narrow, rows, narrow_unique);
    check_as(RDX_TYPE_I32, narrow, rows, narrow_unique);
    free(sorted);
  }
  free(wide);
  free(narrow);
}

static void test_numbers_of_any_spacing(void **state) {
  (void)state;
  static const uint64_t sizes[] = {0, 1, 2, 3, 1000, 65536, 65537, 300000};
  static const uint64_t froms[] = {0, 0x7fffff00, 0x7fffffffffffff00, UINT64_MAX - 100};
  static const uint64_t steps[] = {1, 63, 65, 1000003, 0x100000001, 1ull << 40, 0x9e3779b97f4a7c15};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (size_t f = 0; f < sizeof froms / sizeof *froms; f++)
      for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
        if (sizes[s] < 60000 || (f % 2 == 0 && k % 2 == 0))
          check_numbers(sizes[s], froms[f], steps[k]);
}

static void test_floats_and_short_types(void **state) {
  (void)state;
  static const double reals[] = {0.5, -1, 1e300, -1e-300, 2};
  static const double repeated[] = {0.5, -1, 1e300, -1, 2};
  static const int8_t bytes[] = {-128, 127, 0, 1, -1}, repeated_bytes[] = {-128, 127, 0, 127};
  check_as(RDX_TYPE_F64, reals, 5, true);
  check_as(RDX_TYPE_F64, repeated, 5, false);
  check_as(RDX_TYPE_I8, bytes, 5, true);
  check_as(RDX_TYPE_I8, repeated_bytes, 4, false);
}

static int open_device(void **state) {
  (void)state;
  return rdx_device_open("cpu", &(rdx_device_params){.threads = 4}, &device, NULL) == RDX_OK ? 0 : -1;
}

static int close_device(void **state) {
  (void)state;
  rdx_device_close(&device);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers_of_any_spacing),
                                     cmocka_unit_test(test_floats_and_short_types)};
  return cmocka_run_group_tests(tests, open_device, close_device);
}
