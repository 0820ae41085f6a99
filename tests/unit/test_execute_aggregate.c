/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Groups are the distinct rows, each once, NULLs being equal; aggregates are those that going over the rows gives. */

#include <math.h>

#include "base/base.h"
#include "execute/operators.h"
#include "tests/unit/frames.h"
#include "tests/unit/random.h"

#define VALUES 5u

/* Columns that are aggregated, behind those of the groups. */
static const wanted_column value_columns[VALUES] = {{RDX_TYPE_I32, 9, 20, false},
                                                    {RDX_TYPE_DECIMAL, 9, 20, false},
                                                    {RDX_TYPE_F64, 0, 20, false},
                                                    {RDX_TYPE_STRING, 9, 20, false},
                                                    {RDX_TYPE_DATE, 9, 0, false}};

typedef struct trial {
  bench *b;
  rdx_plan_node *node;
  const rdx_frame *in;
  uint32_t groups;
} trial;

static bool same_group(const trial *t, const rdx_frame *a, uint64_t i, uint64_t k) {
  for (uint32_t c = 0; c < t->groups; c++)
    if (compare_cells(a, c, i, t->in, t->node->exprs[c]->index, k) != 0)
      return false;
  return true;
}

/* Whether an equal value stands in an earlier row of the group. */
static bool is_repeated(const trial *t, const rdx_frame *out, uint64_t group, uint32_t column, uint64_t row) {
  for (uint64_t i = 0; i < row; i++)
    if (same_group(t, out, group, i) && !cell_is_null(t->in, column, i) &&
        compare_cells(t->in, column, i, t->in, column, row) == 0)
      return true;
  return false;
}

/* The value of a row: a column, or 2 * column + column. */
static bool value_of(const trial *t, const rdx_bound *value, uint64_t row, rdx_i128 *units, double *real) {
  const bool calculated = value->kind == RDX_BOUND_CALL;
  const uint32_t column = calculated ? value->args[1]->index : value->index;
  if (cell_is_null(t->in, column, row))
    return false;
  const rdx_type type = t->in->columns[column].input.column.type;
  if (type == RDX_TYPE_STRING)
    return true;
  *real = cell_double(t->in, column, row) * (calculated ? 3 : 1);
  if (type != RDX_TYPE_F64)
    *units = cell_units(t->in, column, row) * (calculated ? 3 : 1);
  return true;
}

static void check_extreme(const trial *t, const rdx_frame *out, uint64_t group, uint32_t a, uint64_t best) {
  const rdx_plan_aggregate *aggregate = &t->node->aggregates[a];
  const uint32_t c = t->groups + a;
  if (aggregate->value->kind == RDX_BOUND_CALL)
    assert_true(cell_units(out, c, group) == 3 * cell_units(t->in, aggregate->value->args[1]->index, best));
  else
    assert_int_equal(compare_cells(out, c, group, t->in, aggregate->value->index, best), 0);
}

static bool is_near(double a, double b) {
  return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)) + 1e-6;
}

static void check_aggregate(const trial *t, const rdx_frame *out, uint64_t group, uint32_t a) {
  const rdx_plan_aggregate *aggregate = &t->node->aggregates[a];
  const uint32_t c = t->groups + a;
  const bool calculated = aggregate->value && aggregate->value->kind == RDX_BOUND_CALL;
  const uint32_t column = !aggregate->value ? 0
                          : calculated      ? aggregate->value->args[1]->index
                                            : aggregate->value->index;
  uint64_t count = 0, best = UINT64_MAX;
  rdx_i128 sum = 0;
  double real_sum = 0;
  for (uint64_t i = 0; i < t->in->rows; i++) {
    rdx_i128 units = 0;
    double real = 0;
    if (!same_group(t, out, group, i) || (aggregate->value && !value_of(t, aggregate->value, i, &units, &real)))
      continue;
    if (aggregate->distinct && is_repeated(t, out, group, column, i))
      continue;
    count++;
    sum += units;
    real_sum += real;
    const int order = best == UINT64_MAX ? 0 : compare_cells(t->in, column, i, t->in, column, best);
    if (best == UINT64_MAX || (aggregate->kind == RDX_PLAN_MIN ? order < 0 : order > 0))
      best = i;
  }
  if (aggregate->kind == RDX_PLAN_COUNT) {
    assert_int_equal(out->columns[c].input.column.type, RDX_TYPE_I64);
    assert_int_equal(cell_units(out, c, group), count);
    return;
  }
  assert_int_equal(cell_is_null(out, c, group), count == 0);
  if (count == 0)
    return;
  if (aggregate->kind == RDX_PLAN_MIN || aggregate->kind == RDX_PLAN_MAX)
    check_extreme(t, out, group, a, best);
  else if (aggregate->kind == RDX_PLAN_AVG)
    assert_true(is_near(cell_double(out, c, group), real_sum / (double)count));
  else if (out->columns[c].input.column.type == RDX_TYPE_F64)
    assert_true(is_near(cell_double(out, c, group), real_sum));
  else
    assert_true(cell_units(out, c, group) == sum);
}

static void check(trial *t) {
  rdx_frame out;
  run_node(t->b, t->node, &out);
  assert_int_equal(out.count, t->groups + t->node->aggregate_count);
  uint64_t rows = 0;
  for (uint64_t g = 0; g < out.rows; g++) {
    uint64_t own = 0;
    for (uint64_t i = 0; i < t->in->rows; i++)
      own += same_group(t, &out, g, i);
    assert_true(own > 0 || (t->groups == 0 && out.rows == 1));
    rows += own;
    for (uint32_t a = 0; a < t->node->aggregate_count; a++)
      check_aggregate(t, &out, g, a);
  }
  assert_int_equal(rows, t->in->rows); /* each row is in one group, and no group is there twice */
  if (t->groups == 0)
    assert_int_equal(out.rows, 1);
  rdx_frame_destroy(&t->b->shared[0]); /* what groups borrow stays */
  for (uint64_t g = 0; g < out.rows; g++)
    for (uint32_t c = 0; c < out.count; c++)
      assert_int_equal(compare_cells(&out, c, g, &out, c, g), 0);
  rdx_frame_destroy(&out);
}

static rdx_plan_aggregate random_aggregate(const trial *t, bool distinct) {
  bench *b = t->b;
  rdx_plan_node *in = t->node->left;
  rdx_plan_aggregate a = {.kind = (rdx_plan_aggregate_kind)(next_random() % 5)};
  uint32_t v = (uint32_t)(next_random() % VALUES);
  if (v > 2 && (a.kind == RDX_PLAN_SUM || a.kind == RDX_PLAN_AVG))
    v = (uint32_t)(next_random() % 3);
  a.value = column(b, in, in->column_count - VALUES + v);
  a.type = a.value->type;
  if (a.kind == RDX_PLAN_COUNT && next_random() % 3 == 0)
    a.value = NULL;
  a.distinct = distinct && a.value && v != 2 && next_random() % 2 != 0;
  if (v == 0 && a.value && !a.distinct && next_random() % 2 != 0) {
    rdx_bound *twice = call(b, RDX_OP_MULTIPLY, RDX_SQL_INTEGER, 2, whole(b, 2), a.value);
    twice->args[0]->type.kind = RDX_SQL_INTEGER;
    a.value = call(b, RDX_OP_ADD, RDX_SQL_INTEGER, 2, twice, a.value);
  }
  if (a.kind == RDX_PLAN_COUNT || (a.kind == RDX_PLAN_SUM && v == 0))
    a.type = (rdx_sql_type){.kind = RDX_SQL_BIGINT};
  if (a.kind == RDX_PLAN_SUM && v == 1)
    a.type = (rdx_sql_type){RDX_SQL_DECIMAL, 38, 2};
  if (a.kind == RDX_PLAN_AVG)
    a.type = (rdx_sql_type){.kind = RDX_SQL_DOUBLE};
  return a;
}

static void try(bench *b, uint32_t groups, uint32_t aggregates, bool distinct, uint64_t rows, bool chosen) {
  wanted_column wanted[16 + VALUES];
  rdx_frame frame;
  for (uint32_t c = 0; c < groups; c++)
    wanted[c] = all_types[next_random() % all_types_count];
  for (uint32_t c = 0; c < groups; c++)
    wanted[c].values = wanted[c].values && groups > 3 ? 2 : wanted[c].values;
  memcpy(wanted + groups, value_columns, sizeof value_columns);
  random_frame(b, wanted, groups + VALUES, rows, chosen, &frame);
  trial t = {.b = b, .groups = groups, .node = node(b, RDX_PLAN_AGGREGATE, source(b, 0, &frame), NULL)};
  rdx_plan_node *n = t.node;
  t.in = &b->shared[0];
  n->expr_count = groups;
  n->aggregate_count = aggregates;
  n->column_count = groups + aggregates;
  n->exprs = allocate(b, groups, sizeof(rdx_bound *));
  n->aggregates = allocate(b, aggregates, sizeof *n->aggregates);
  n->columns = allocate(b, n->column_count, sizeof *n->columns);
  for (uint32_t c = 0; c < groups; c++) {
    n->exprs[c] = column(b, n->left, c);
    n->columns[c] = (rdx_plan_column){"g", n->exprs[c]->type};
  }
  for (uint32_t a = 0; a < aggregates; a++) {
    n->aggregates[a] = random_aggregate(&t, distinct);
    n->columns[groups + a] = (rdx_plan_column){"a", n->aggregates[a].type};
  }
  check(&t);
  bench_clear(b);
}

/* 0 and 1 rows, and more; from identity and from chosen rows. */
static void test_groups(void **state) {
  (void)state;
  bench b;
  bench_begin(&b);
  for (uint32_t round = 0; round < 160; round++)
    try(&b, round % 5, (uint32_t)(next_random() % 5) + (round % 5 == 0), round % 3 == 0,
        round % 4 ? next_random() % 120 : round / 4 % 2, next_random() % 2 != 0);
  bench_end(&b);
}

/* More groups and more aggregates than a query of the star layer takes. */
static void test_many(void **state) {
  (void)state;
  bench b;
  bench_begin(&b);
  for (uint32_t round = 0; round < 40; round++)
    try(&b, round % 2 ? 6 + round % 6 : round % 3, round % 4 ? 12 : 3, round % 3 == 0, next_random() % 80,
        next_random() % 2 != 0);
  bench_end(&b);
}

/* Groups whose values, multiplied, pass 64 bits. */
static void test_wide(void **state) {
  (void)state;
  static const wanted_column wide = {RDX_TYPE_STRING, 0, 0, false};
  bench b;
  bench_begin(&b);
  for (uint32_t chosen = 0; chosen < 2; chosen++) {
    wanted_column wanted[8 + VALUES];
    rdx_frame frame;
    for (uint32_t c = 0; c < 8; c++)
      wanted[c] = wide;
    memcpy(wanted + 8, value_columns, sizeof value_columns);
    random_frame(&b, wanted, 8 + VALUES, 300, chosen != 0, &frame);
    trial t = {.b = &b, .groups = 8, .node = node(&b, RDX_PLAN_AGGREGATE, source(&b, 0, &frame), NULL)};
    t.in = &b.shared[0];
    t.node->expr_count = 8;
    t.node->column_count = 9;
    t.node->aggregate_count = 1;
    t.node->exprs = allocate(&b, 8, sizeof(rdx_bound *));
    for (uint32_t c = 0; c < 8; c++)
      t.node->exprs[c] = column(&b, t.node->left, c);
    rdx_plan_aggregate count = {.type = {.kind = RDX_SQL_BIGINT}};
    t.node->aggregates = &count;
    t.node->columns[8].type = count.type;
    check(&t);
    bench_clear(&b);
  }
  bench_end(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_groups),
      cmocka_unit_test(test_many),
      cmocka_unit_test(test_wide),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
