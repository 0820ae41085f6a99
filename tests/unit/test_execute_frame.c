/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Frames: choices of choices are the rows they say, memory stays as long as anyone reads it. */

#include "base/base.h"
#include "execute/operators.h"
#include "tests/unit/frames.h"
#include "tests/unit/random.h"

/* Rows of rows of rows, with none among them. */
static void test_choices(void **state) {
  (void)state;
  bench b;
  bench_begin(&b);
  for (uint32_t round = 0; round < 40; round++) {
    rdx_frame frame, before;
    random_frame(&b, all_types, 12, round % 4 == 0 ? round / 4 : 1 + next_random() % 300, round % 2 != 0, &frame);
    OK(rdx_frame_copy(&frame, &before, err));
    for (uint32_t level = 0; level < 3; level++) {
      const uint64_t count = before.rows ? next_random() % (2 * before.rows) : 0;
      uint32_t *rows = NULL, *copy = allocate(&b, count, sizeof *copy);
      OK(rdx_alloc(count, sizeof *rows, "a test", (void **)&rows, err));
      for (uint64_t i = 0; i < count; i++)
        copy[i] = rows[i] = next_random() % 8 == 0 ? RDX_NO_ROW : (uint32_t)(next_random() % before.rows);
      OK(rdx_frame_select(b.pool, &frame, rows, count, err));
      assert_int_equal(frame.rows, count);
      for (uint64_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < frame.count; c++) {
          if (copy[i] == RDX_NO_ROW)
            assert_true(cell_is_null(&frame, c, i));
          else
            assert_int_equal(compare_cells(&frame, c, i, &before, c, copy[i]), 0);
        }
      rdx_frame_destroy(&before);
      OK(rdx_frame_copy(&frame, &before, err));
    }
    rdx_frame_destroy(&before);
    rdx_frame_destroy(&frame);
    bench_clear(&b);
  }
  bench_end(&b);
}

static rdx_vector make_numbers(uint64_t rows) {
  rdx_vector v = {0};
  int64_t *values = NULL;
  OK(rdx_alloc(rows, sizeof *values, "a test", (void **)&values, err));
  for (uint64_t i = 0; i < rows; i++)
    values[i] = (int64_t)(3 * i);
  v.memory[0] = values;
  v.column = (rdx_column){.type = RDX_TYPE_I64, .rows = rows, .values = values};
  return v;
}

/* A copy keeps what it shares after the first frame is gone. */
static void test_memory(void **state) {
  (void)state;
  bench b;
  bench_begin(&b);
  rdx_frame frame, copy;
  rdx_vector v = make_numbers(100);
  uint32_t *rows = NULL;
  OK(rdx_frame_create(2, 100, &frame, err));
  OK(rdx_frame_take(&frame, 0, &v, err));
  assert_null(v.memory[0]);
  v = make_numbers(100);
  OK(rdx_frame_take(&frame, 1, &v, err));
  OK(rdx_alloc(10, sizeof *rows, "a test", (void **)&rows, err));
  for (uint32_t i = 0; i < 10; i++)
    rows[i] = 99 - i;
  OK(rdx_frame_select(b.pool, &frame, rows, 10, err));
  OK(rdx_frame_copy(&frame, &copy, err));
  rdx_frame_destroy(&frame);
  for (uint32_t i = 0; i < 10; i++)
    assert_int_equal(cell_units(&copy, 1, i), 3 * (99 - i));
  rdx_frame_destroy(&copy);
  bench_end(&b);
}

/* Row numbers are a column of their own. */
static void test_rows(void **state) {
  (void)state;
  bench b;
  bench_begin(&b);
  for (uint64_t rows = 0; rows < 4; rows++) {
    rdx_frame frame, out;
    random_frame(&b, all_types, 3, rows, true, &frame);
    rdx_plan_node *n = node(&b, RDX_PLAN_ROWS, source(&b, 0, &frame), NULL);
    run_node(&b, n, &out);
    assert_int_equal(out.count, 4);
    for (uint64_t i = 0; i < rows; i++)
      assert_int_equal(cell_units(&out, 3, i), i);
    rdx_frame_destroy(&out);
    bench_clear(&b);
  }
  bench_end(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_choices),
      cmocka_unit_test(test_memory),
      cmocka_unit_test(test_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
