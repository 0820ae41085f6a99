/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Joins of every kind are the pairs that comparing every two rows gives. */

#include <stdlib.h>

#include "base/base.h"
#include "execute/operators.h"
#include "tests/unit/frames.h"
#include "tests/unit/random.h"

#define KEYS 3u
#define NONE UINT32_MAX

/* A join of two frames: columns of keys, then a number of 0 to 9 and the row's own number. */
typedef struct trial {
  bench *b;
  rdx_plan_node *node;
  uint32_t keys;
  bool filtered; /* left number <= right number */
} trial;

static void number_rows(bench *b, rdx_frame *frame, uint32_t id) {
  rdx_frame numbered;
  rdx_plan_node *n = node(b, RDX_PLAN_ROWS, source(b, 6, frame), NULL);
  run_node(b, n, &numbered);
  rdx_frame_destroy(&b->shared[6]);
  b->shared[id] = numbered;
}

static rdx_plan_node *make_side(bench *b, uint32_t id, const wanted_column *wanted, uint64_t rows, bool chosen) {
  rdx_frame frame;
  random_frame(b, wanted, KEYS + 1, rows, chosen, &frame);
  number_rows(b, &frame, id);
  frame = b->shared[id];
  return source(b, id, &frame);
}

static bool keys_match(const trial *t, uint64_t i, uint64_t k) {
  const rdx_frame *l = &t->b->shared[0], *r = &t->b->shared[1];
  for (uint32_t c = 0; c < t->keys; c++)
    if (cell_is_null(l, c, i) || cell_is_null(r, c, k) || compare_cells(l, c, i, r, c, k) != 0)
      return false;
  if (!t->filtered)
    return true;
  return !cell_is_null(l, KEYS, i) && !cell_is_null(r, KEYS, k) && compare_cells(l, KEYS, i, r, KEYS, k) <= 0;
}

static int compare_words(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* The pairs that are expected, of row numbers; false: an error is. */
static bool expect(const trial *t, uint64_t *pairs, uint64_t *count) {
  const uint64_t lefts = t->b->shared[0].rows, rights = t->b->shared[1].rows;
  const rdx_plan_join kind = t->node->join;
  bool *matched = allocate(t->b, rights + 1, sizeof *matched), has_null = false;
  for (uint64_t k = 0; k < rights && t->keys > 0; k++)
    has_null |= cell_is_null(&t->b->shared[1], 0, k);
  *count = 0;
  for (uint64_t i = 0; i < lefts; i++) {
    uint64_t matches = 0;
    for (uint64_t k = 0; k < rights; k++) {
      if (!keys_match(t, i, k))
        continue;
      matches++;
      matched[k] = true;
      if (kind <= RDX_PLAN_FULL || kind == RDX_PLAN_SINGLE)
        pairs[(*count)++] = i << 32 | k;
    }
    if (kind == RDX_PLAN_SINGLE && matches > 1)
      return false;
    const bool unknown = rights > 0 && (has_null || cell_is_null(&t->b->shared[0], 0, i));
    if ((kind == RDX_PLAN_SEMI && matches > 0) || (kind == RDX_PLAN_ANTI && matches == 0) ||
        (kind == RDX_PLAN_ANTI_NULL && matches == 0 && !unknown) ||
        ((kind == RDX_PLAN_LEFT || kind == RDX_PLAN_FULL || kind == RDX_PLAN_SINGLE) && matches == 0))
      pairs[(*count)++] = i << 32 | NONE;
  }
  for (uint64_t k = 0; k < rights && kind == RDX_PLAN_FULL; k++)
    if (!matched[k])
      pairs[(*count)++] = (uint64_t)NONE << 32 | k;
  qsort(pairs, *count, sizeof *pairs, compare_words);
  return true;
}

static uint64_t row_number(const rdx_frame *frame, uint32_t column, uint64_t i) {
  return column >= frame->count || cell_is_null(frame, column, i) ? NONE : (uint64_t)cell_units(frame, column, i);
}

static void check(const trial *t) {
  const uint64_t lefts = t->b->shared[0].rows, rights = t->b->shared[1].rows;
  uint64_t *wanted = allocate(t->b, lefts * rights + lefts + rights, sizeof *wanted), count = 0;
  rdx_frame out;
  if (!expect(t, wanted, &count)) {
    FAILS(rdx_execute_node(&t->b->x, t->node, &out, err), RDX_ERROR_ARGUMENT, "more than one row returned");
    return;
  }
  run_node(t->b, t->node, &out);
  assert_int_equal(out.count, t->node->column_count);
  assert_int_equal(out.rows, count);
  uint64_t *found = allocate(t->b, count, sizeof *found);
  for (uint64_t i = 0; i < count; i++) {
    found[i] = row_number(&out, KEYS + 1, i) << 32 | row_number(&out, 2 * KEYS + 3, i);
    const uint64_t left = found[i] >> 32;
    for (uint32_t c = 0; left != NONE && c < KEYS; c++) /* the rest of the row came along */
      assert_int_equal(compare_cells(&out, c, i, &t->b->shared[0], c, left), 0);
  }
  qsort(found, count, sizeof *found, compare_words);
  for (uint64_t i = 0; i < count; i++)
    assert_true(found[i] == wanted[i]);
  rdx_frame_destroy(&out);
}

static bool keeps_left(rdx_plan_join kind) {
  return kind == RDX_PLAN_SEMI || kind == RDX_PLAN_ANTI || kind == RDX_PLAN_ANTI_NULL;
}

/* A side of a join. */
typedef struct side {
  const wanted_column *columns;
  uint64_t rows;
} side;

static void try_sides(bench *b, rdx_plan_join kind, uint32_t keys, bool filtered, side left, side right) {
  trial t = {.b = b, .keys = keys, .filtered = filtered && kind != RDX_PLAN_ANTI_NULL};
  rdx_plan_node *l = make_side(b, 0, left.columns, left.rows, next_random() % 2 != 0);
  rdx_plan_node *r = make_side(b, 1, right.columns, right.rows, next_random() % 2 != 0);
  t.node = node(b, RDX_PLAN_JOIN, l, r);
  t.node->join = kind;
  if (keeps_left(kind))
    t.node->column_count = l->column_count;
  t.node->key_count = keys;
  t.node->left_keys = allocate(b, keys, sizeof(rdx_bound *));
  t.node->right_keys = allocate(b, keys, sizeof(rdx_bound *));
  for (uint32_t c = 0; c < keys; c++) {
    t.node->left_keys[c] = column(b, l, c);
    t.node->right_keys[c] = column(b, r, c);
  }
  if (t.filtered) {
    rdx_bound *of_right = column(b, r, KEYS);
    of_right->index += l->column_count;
    t.node->filter = call(b, RDX_OP_LE, RDX_SQL_BOOL, 2, column(b, l, KEYS), of_right);
  }
  check(&t);
  bench_clear(b);
}

static void try(bench *b, rdx_plan_join kind, uint32_t keys, bool filtered, const wanted_column *left,
                const wanted_column *right, uint64_t max) {
  const side l = {left, next_random() % 5 ? next_random() % max : next_random() % 2};
  const side r = {right, next_random() % 5 ? next_random() % max : next_random() % 2};
  try_sides(b, kind, keys, filtered, l, r);
}

/* Keys of all types, one to three of them. */
static void test_kinds(void **state) {
  (void)state;
  bench b;
  bench_begin(&b);
  for (uint32_t round = 0; round < 420; round++) {
    wanted_column left[KEYS + 1], right[KEYS + 1];
    for (uint32_t c = 0; c < KEYS; c++) {
      left[c] = right[c] = all_types[next_random() % all_types_count];
      if (left[c].type == RDX_TYPE_STRING)
        right[c] = (wanted_column){RDX_TYPE_STRING, 8, 10, next_random() % 2 != 0};
    }
    left[KEYS] = right[KEYS] = (wanted_column){RDX_TYPE_I32, 10, 10, false};
    const rdx_plan_join kind = (rdx_plan_join)(round % 7);
    const uint32_t keys = kind == RDX_PLAN_ANTI_NULL ? 1 : 1 + round / 7 % KEYS;
    try(&b, kind, keys, round / 21 % 2 != 0, left, right, round % 4 ? 60 : 8);
  }
  bench_end(&b);
}

/* Integers of different widths, decimals of different scales. */
static void test_widths(void **state) {
  (void)state;
  static const rdx_type types[] = {RDX_TYPE_I8,  RDX_TYPE_I32,     RDX_TYPE_I64, RDX_TYPE_U8,
                                   RDX_TYPE_U32, RDX_TYPE_DECIMAL, RDX_TYPE_U64};
  bench b;
  bench_begin(&b);
  for (uint32_t round = 0; round < 200; round++) {
    wanted_column left[KEYS + 1], right[KEYS + 1];
    for (uint32_t c = 0; c <= KEYS; c++) {
      left[c] = (wanted_column){c < KEYS ? types[next_random() % RDX_COUNT(types)] : RDX_TYPE_I32, 5, 10, false};
      right[c] = (wanted_column){c < KEYS ? types[next_random() % RDX_COUNT(types)] : RDX_TYPE_I32, 5, 10, false};
    }
    try(&b, (rdx_plan_join)(round % 5), 1 + round % KEYS, false, left, right, 40);
  }
  bench_end(&b);
}

/* One side is so much larger that its rows without a match are left out first. */
static void test_reduced(void **state) {
  (void)state;
  static const rdx_type types[] = {RDX_TYPE_I8, RDX_TYPE_I16, RDX_TYPE_U16, RDX_TYPE_I32, RDX_TYPE_U32, RDX_TYPE_I64};
  static const rdx_plan_join kinds[] = {RDX_PLAN_INNER, RDX_PLAN_SEMI, RDX_PLAN_ANTI, RDX_PLAN_LEFT};
  bench b;
  bench_begin(&b);
  for (uint32_t round = 0; round < 24; round++) {
    const rdx_plan_join kind = kinds[round % RDX_COUNT(kinds)];
    const bool right_larger = kind == RDX_PLAN_ANTI || kind == RDX_PLAN_LEFT || round / 4 % 2 != 0;
    wanted_column small[KEYS + 1], large[KEYS + 1];
    for (uint32_t c = 0; c <= KEYS; c++) {
      small[c] = (wanted_column){types[next_random() % RDX_COUNT(types)], round % 5 ? 20 : 0, 10, false};
      large[c] =
          (wanted_column){types[next_random() % RDX_COUNT(types)], round % 5 ? 300 : 0, round % 3 ? 10 : 0, false};
    }
    const side a = {small, next_random() % 12}, z = {large, 65536 + next_random() % 200};
    try_sides(&b, kind, 1, false, right_larger ? a : z, right_larger ? z : a);
  }
  bench_end(&b);
}

/* Without keys: all pairs, or those that a condition leaves. */
static void test_cross(void **state) {
  (void)state;
  static const wanted_column wanted[KEYS + 1] = {{RDX_TYPE_I32, 5, 10, false},
                                                 {RDX_TYPE_STRING, 5, 10, false},
                                                 {RDX_TYPE_F64, 5, 0, false},
                                                 {RDX_TYPE_I32, 10, 10, false}};
  bench b;
  bench_begin(&b);
  for (uint32_t round = 0; round < 140; round++) {
    const rdx_plan_join kind = (rdx_plan_join)(round % 7);
    if (kind != RDX_PLAN_ANTI_NULL)
      try(&b, kind, 0, round / 7 % 2 != 0, wanted, wanted, 30);
  }
  bench_end(&b);
}

static void test_too_many(void **state) {
  (void)state;
  static const wanted_column wanted = {RDX_TYPE_BOOL, 2, 0, false};
  bench b;
  bench_begin(&b);
  rdx_frame frames[2], out;
  random_frame(&b, &wanted, 1, 70000, false, &frames[0]);
  random_frame(&b, &wanted, 1, 70000, false, &frames[1]);
  rdx_plan_node *n = node(&b, RDX_PLAN_JOIN, source(&b, 0, &frames[0]), source(&b, 1, &frames[1]));
  FAILS(rdx_execute_node(&b.x, n, &out, err), RDX_ERROR_MEMORY, "70000 with 70000 rows");
  bench_end(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kinds), cmocka_unit_test(test_widths),   cmocka_unit_test(test_reduced),
      cmocka_unit_test(test_cross), cmocka_unit_test(test_too_many),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
