/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* What cubes count on at the ends of their numbers, which no table of a test reaches. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/star/coarse_cube.h"
#include "kernels/star/rt_cube.h"

/* z of cells, and where rays begin and end, are exact as floats. */
static void test_z_of_cells(void **state) {
  (void)state;
  static const uint32_t cells[] = {0, 1, (1u << 22) - 1, 1u << 22, (1u << 23) - 1, 1u << 23, (1u << 24) - 1};
  for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
    const volatile float z = RT_Z(cells[i]), middle = z + 0.5f;
    assert_true((double)z == (double)cells[i] - 8388608);
    assert_true((double)middle == (double)z + 0.5);
  }
}

/* Parts follow each other, and have all things, as many as there may be. */
static void test_parts(void **state) {
  (void)state;
  static const uint32_t counts[] = {0, 1, 7, 1000, UINT32_MAX - 1, UINT32_MAX}, parts[] = {1, 2, 3, 7, 64, 1001};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
      assert_int_equal(star_part(counts[i], 0, parts[k]), 0);
      assert_int_equal(star_part(counts[i], parts[k], parts[k]), counts[i]);
      for (uint32_t p = 0; p < parts[k]; p++) {
        const uint32_t size = star_part(counts[i], p + 1, parts[k]) - star_part(counts[i], p, parts[k]);
        assert_in_range(size, counts[i] / parts[k], counts[i] / parts[k] + 1ull);
      }
    }
}

/* Whether all places of a cell are in a range: at the ends of both, and of 32 bits. */
static void test_whole_cells(void **state) {
  (void)state;
  static const struct {
    uint32_t low, end, cell, shift;
    bool all;
  } cases[] = {{0, 1, 0, 0, true},
               {0, 1, 1, 0, false},
               {1, 2, 0, 0, false},
               {8, 16, 1, 3, true},
               {8, 15, 1, 3, false},
               {9, 16, 1, 3, false},
               {8, 16, 2, 3, false},
               {8, 16, 0, 3, false},
               {0, UINT32_MAX, (1u << 22) - 1, 10, false},
               {0, UINT32_MAX, (1u << 22) - 2, 10, true},
               {UINT32_MAX - 1, UINT32_MAX, UINT32_MAX - 1, 0, true},
               {0, UINT32_MAX, 0, 31, true},
               {0, UINT32_MAX, 1, 31, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint32_t range[2] = {cases[i].low, cases[i].end};
    assert_int_equal(coarse_all(range, (star_piece){.range_count = 1}, cases[i].cell, cases[i].shift), cases[i].all);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_z_of_cells),
      cmocka_unit_test(test_parts),
      cmocka_unit_test(test_whole_cells),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
