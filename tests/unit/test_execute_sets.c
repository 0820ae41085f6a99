/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Unions are the rows of both; intersections and differences those that counting says, NULLs being equal. */

#include "base/base.h"
#include "tests/unit/frames.h"
#include "tests/unit/random.h"

static bool rows_equal(const rdx_frame *a, uint64_t row_a, const rdx_frame *b, uint64_t row_b) {
  for (uint32_t c = 0; c < a->count; c++)
    if (compare_cells(a, c, row_a, b, c, row_b) != 0)
      return false;
  return true;
}

static uint64_t count_equal(const rdx_frame *of, uint64_t before, const rdx_frame *a, uint64_t row) {
  uint64_t count = 0;
  for (uint64_t i = 0; i < before; i++)
    count += rows_equal(of, i, a, row);
  return count;
}

/* Whether left row `i` is in the answer. */
static bool is_wanted(const rdx_frame *l, const rdx_frame *r, uint64_t i, bool except, bool all) {
  const uint64_t before = count_equal(l, i, l, i), there = count_equal(r, r->rows, l, i);
  if (all)
    return (before < there) != except;
  return before == 0 && (there > 0) != except;
}

/* Two frames of some of all types. */
static rdx_plan_node *random_pair(bench *b, rdx_plan_kind kind, uint32_t count, bool mixed, uint64_t max) {
  wanted_column left[4], right[4];
  for (uint32_t c = 0; c < count; c++) {
    left[c] = right[c] = all_types[next_random() % all_types_count];
    if (mixed && c == 0) { /* whose widths differ */
      left[c] = (wanted_column){RDX_TYPE_I16, 4, 10, false};
      right[c] = (wanted_column){RDX_TYPE_U32, 4, 10, false};
    }
    if (left[c].type == RDX_TYPE_STRING)
      right[c] = (wanted_column){RDX_TYPE_STRING, 3, 10, next_random() % 2 != 0};
  }
  rdx_frame frames[2];
  for (uint32_t k = 0; k < 2; k++)
    random_frame(b, k ? right : left, count, next_random() % 4 ? next_random() % max : next_random() % 2,
                 next_random() % 2 != 0, &frames[k]);
  rdx_plan_node *l = source(b, 0, &frames[0]), *r = source(b, 1, &frames[1]);
  rdx_plan_node *n = node(b, kind, l, r);
  if (mixed)
    n->columns[0].type = (rdx_sql_type){.kind = RDX_SQL_BIGINT};
  return n;
}

static void test_unions(void **state) {
  (void)state;
  bench b;
  bench_begin(&b);
  for (uint32_t round = 0; round < 200; round++) {
    rdx_frame out;
    rdx_plan_node *n = random_pair(&b, RDX_PLAN_UNION, 1 + round % 4, round % 5 == 0, 200);
    run_node(&b, n, &out);
    const rdx_frame *l = &b.shared[0], *r = &b.shared[1];
    assert_int_equal(out.rows, l->rows + r->rows);
    for (uint64_t i = 0; i < out.rows; i++)
      assert_true(i < l->rows ? rows_equal(&out, i, l, i) : rows_equal(&out, i, r, i - l->rows));
    rdx_frame_destroy(&b.shared[0]); /* what the union borrowed stays */
    rdx_frame_destroy(&b.shared[1]);
    for (uint64_t i = 0; i < out.rows; i++)
      assert_true(rows_equal(&out, i, &out, i));
    rdx_frame_destroy(&out);
    bench_clear(&b);
  }
  bench_end(&b);
}

static void test_choices(void **state) {
  (void)state;
  bench b;
  bench_begin(&b);
  for (uint32_t round = 0; round < 300; round++) {
    const bool except = round % 2 != 0;
    rdx_frame out;
    rdx_plan_node *n =
        random_pair(&b, except ? RDX_PLAN_EXCEPT : RDX_PLAN_INTERSECT, 1 + round % 4, round % 7 == 0, 60);
    n->all = round / 2 % 2 != 0;
    run_node(&b, n, &out);
    const rdx_frame *l = &b.shared[0], *r = &b.shared[1];
    uint64_t count = 0;
    for (uint64_t i = 0; i < l->rows; i++)
      if (is_wanted(l, r, i, except, n->all)) {
        assert_true(count < out.rows);
        assert_true(rows_equal(&out, count++, l, i));
      }
    assert_int_equal(count, out.rows);
    rdx_frame_destroy(&out);
    bench_clear(&b);
  }
  bench_end(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_unions),
      cmocka_unit_test(test_choices),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
