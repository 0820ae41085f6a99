/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Orders are those of the cells, one column after the other, equal rows as they were; limits are windows of them. */

#include <stdlib.h>

#include "base/base.h"
#include "execute/operators.h"
#include "tests/unit/frames.h"
#include "tests/unit/random.h"

static const rdx_frame *sorted_frame;
static const rdx_plan_node *sorted_node;

static int compare_keys(uint32_t a, uint32_t b) {
  const rdx_frame *f = sorted_frame;
  for (uint32_t i = 0; i < sorted_node->order_count; i++) {
    const rdx_plan_order *o = &sorted_node->orders[i];
    const bool null_a = cell_is_null(f, o->column, a), null_b = cell_is_null(f, o->column, b);
    int order = compare_cells(f, o->column, a, f, o->column, b);
    if (null_a != null_b)
      order = null_a == o->nulls_first ? -1 : 1;
    else if (o->descending)
      order = -order;
    if (order != 0)
      return order;
  }
  return 0;
}

static int compare_places(const void *a, const void *b) {
  const uint32_t row_a = *(const uint32_t *)a, row_b = *(const uint32_t *)b;
  const int order = compare_keys(row_a, row_b);
  return order != 0 ? order : (row_a > row_b) - (row_a < row_b);
}

static void check(bench *b, rdx_frame *frame, rdx_plan_node *n, uint64_t offset, uint64_t count) {
  rdx_frame out;
  uint32_t *order = allocate(b, frame->rows, sizeof *order);
  for (uint64_t i = 0; i < frame->rows; i++)
    order[i] = (uint32_t)i;
  sorted_frame = frame;
  sorted_node = n;
  qsort(order, frame->rows, sizeof *order, compare_places);
  run_node(b, n, &out);
  offset = offset < frame->rows ? offset : frame->rows;
  count = count < frame->rows - offset ? count : frame->rows - offset;
  while (n->ties && count > 0 && offset + count < frame->rows &&
         compare_keys(order[offset + count - 1], order[offset + count]) == 0)
    count++;
  assert_int_equal(out.rows, count);
  assert_int_equal(out.count, frame->count);
  for (uint64_t i = 0; i < count; i++)
    for (uint32_t c = 0; c < out.count; c++)
      assert_int_equal(compare_cells(&out, c, i, frame, c, order[offset + i]), 0);
  rdx_frame_destroy(&out);
}

static void test_orders(void **state) {
  (void)state;
  static const uint64_t sizes[] = {0, 1, 2, 3, 50, 400, 3000};
  bench b;
  bench_begin(&b);
  for (uint32_t round = 0; round < 140; round++) {
    const uint64_t rows = sizes[next_random() % RDX_COUNT(sizes)];
    rdx_frame frame;
    random_frame(&b, all_types, all_types_count, rows, round % 2 != 0, &frame);
    rdx_plan_node *n = node(&b, RDX_PLAN_SORT, source(&b, 0, &frame), NULL);
    n->order_count = 1 + (uint32_t)(next_random() % 4);
    n->orders = allocate(&b, n->order_count, sizeof *n->orders);
    for (uint32_t i = 0; i < n->order_count; i++)
      n->orders[i] =
          (rdx_plan_order){(uint32_t)(next_random() % all_types_count), next_random() % 2 != 0, next_random() % 2 != 0};
    uint64_t offset = 0, count = rows;
    if (next_random() % 3 != 0) {
      count = next_random() % 20;
      offset = next_random() % 3 ? 0 : next_random() % 20;
      n->limit = whole(&b, (int64_t)count);
      n->offset = whole(&b, (int64_t)offset);
      n->ties = next_random() % 2 != 0;
    }
    check(&b, &b.shared[0], n, offset, count);
    bench_clear(&b);
  }
  bench_end(&b);
}

/* As many rows as are sorted on the device. */
static void test_many(void **state) {
  (void)state;
  static const wanted_column wanted[] = {
      {RDX_TYPE_I64, 0, 5, false}, {RDX_TYPE_I32, 100, 5, false}, {RDX_TYPE_F64, 0, 5, false}};
  bench b;
  bench_begin(&b);
  for (uint32_t columns = 1; columns <= 3; columns++) {
    rdx_frame frame;
    random_frame(&b, wanted, 3, 100000, false, &frame);
    rdx_plan_node *n = node(&b, RDX_PLAN_SORT, source(&b, 0, &frame), NULL);
    n->order_count = columns;
    n->orders = allocate(&b, 3, sizeof *n->orders);
    for (uint32_t i = 0; i < 3; i++)
      n->orders[i] = (rdx_plan_order){(i + 1) % 3, i == 0, i == 1};
    check(&b, &b.shared[0], n, 0, UINT64_MAX);
    bench_clear(&b);
  }
  bench_end(&b);
}

static void test_limits(void **state) {
  (void)state;
  bench b;
  bench_begin(&b);
  for (int64_t limit = -1; limit < 12; limit++)
    for (int64_t offset = -1; offset < 12; offset++) {
      rdx_frame frame, out;
      random_frame(&b, all_types, 4, 10, limit % 2 != 0, &frame);
      rdx_plan_node *n = node(&b, RDX_PLAN_LIMIT, source(&b, 0, &frame), NULL);
      n->limit = limit < 0 ? NULL : whole(&b, limit);
      n->offset = offset < 0 ? NULL : whole(&b, offset);
      run_node(&b, n, &out);
      const int64_t first = offset < 0 ? 0 : offset > 10 ? 10 : offset;
      const int64_t count = limit < 0 || limit > 10 - first ? 10 - first : limit;
      assert_int_equal(out.rows, count);
      for (int64_t i = 0; i < count; i++)
        assert_int_equal(compare_cells(&out, 3, (uint64_t)i, &b.shared[0], 3, (uint64_t)(first + i)), 0);
      rdx_frame_destroy(&out);
      bench_clear(&b);
    }
  rdx_frame frame, out;
  random_frame(&b, all_types, 1, 10, false, &frame);
  rdx_plan_node *n = node(&b, RDX_PLAN_LIMIT, source(&b, 0, &frame), NULL);
  n->limit = whole(&b, -1);
  FAILS(rdx_execute_node(&b.x, n, &out, err), RDX_ERROR_ARGUMENT, "LIMIT must not be negative");
  bench_end(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_orders),
      cmocka_unit_test(test_many),
      cmocka_unit_test(test_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
