/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * Answers of star queries, by looking at every row. */

#include "diff_stars.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const star_data *sorted_star;
static const query *sorted_query;

static int compare_groups(const void *a, const void *b) {
  const uint64_t *x = sorted_star->rows[*(const uint32_t *)a], *y = sorted_star->rows[*(const uint32_t *)b];
  for (uint32_t i = 0; i < sorted_query->query.group_count; i++) {
    const uint32_t attribute = sorted_query->group_by[i];
    const rdx_column *column = &sorted_star->columns[attribute];
    const int order = compare_rows(column, x[attribute], column, y[attribute]);
    if (order)
      return order;
  }
  return 0;
}

static cell cell_of(rdx_type type, const value *v) {
  cell c = {.null = v->kind == VALUE_NULL, .bits = (uint64_t)v->whole, .text = v->text, .length = v->length};
  if (v->kind == VALUE_REAL && type == RDX_TYPE_F32) {
    const float f = (float)v->real;
    memcpy(&c.bits, &f, sizeof f);
  } else if (v->kind == VALUE_REAL) {
    memcpy(&c.bits, &v->real, sizeof v->real);
  }
  return c;
}

/* The type of a result. */
static rdx_column result_type(const star_data *s, const rdx_aggregate *a) {
  if (a->kind == RDX_AGGREGATE_COUNT)
    return (rdx_column){.type = RDX_TYPE_U64};
  if (a->kind == RDX_AGGREGATE_AVG)
    return (rdx_column){.type = RDX_TYPE_F64};
  const rdx_expression *e = a->expression;
  const rdx_type type = is_calculated(e) ? RDX_TYPE_NONE : s->columns[e->attribute].type;
  if (!is_calculated(e) && a->kind != RDX_AGGREGATE_SUM)
    return (rdx_column){.type = type, .scale = s->columns[e->attribute].scale};
  if (is_float(type))
    return (rdx_column){.type = RDX_TYPE_F64};
  const uint8_t scale = expression_scale(s, e);
  return (rdx_column){.type = scale ? RDX_TYPE_DECIMAL : RDX_TYPE_I64, .scale = scale};
}

typedef struct accumulator {
  uint64_t count;
  i128 whole;
  exact exact;
  value min, max;
} accumulator;

static void add_row(const star_data *s, const rdx_aggregate *a, const uint64_t *rows, accumulator *acc, bool *passes) {
  if (!a->expression) {
    acc->count++;
    return;
  }
  const value v = expression_value(s, a->expression, rows, passes);
  if (v.kind == VALUE_NULL)
    return;
  if (acc->count == 0 || value_compare(&v, &acc->min) < 0)
    acc->min = v;
  if (acc->count == 0 || value_compare(&v, &acc->max) > 0)
    acc->max = v;
  acc->count++;
  acc->whole += v.whole;
  if (a->kind != RDX_AGGREGATE_SUM && a->kind != RDX_AGGREGATE_AVG)
    return;
  if (v.kind == VALUE_REAL)
    exact_add(&acc->exact, v.real);
}

static bool is_finite_sum(const accumulator *acc) {
  return !acc->exact.nan && !acc->exact.above && !acc->exact.below;
}

static value sum_value(const rdx_aggregate *a, accumulator *acc, uint8_t scale, query *q) {
  const bool real = acc->min.kind == VALUE_REAL;
  const bool passes = acc->whole < INT64_MIN || acc->whole > INT64_MAX;
  if (a->kind == RDX_AGGREGATE_AVG) {
    if (!real)
      exact_add_whole(&acc->exact, acc->whole);
    return (value){.kind = VALUE_REAL, .real = exact_round(&acc->exact, acc->count, scale)};
  }
  if (real) {
    const double x = exact_round(&acc->exact, 1, 0);
    if (isinf(x) && is_finite_sum(acc))
      must_refuse(&q->run, RDX_ERROR_OVERFLOW, "a sum beyond the largest float");
    return (value){.kind = VALUE_REAL, .real = x};
  }
  if (passes)
    must_refuse(&q->run, RDX_ERROR_OVERFLOW, "a sum beyond 64 bits");
  return (value){.kind = VALUE_WHOLE, .whole = acc->whole, .scale = scale};
}

static value extreme_value(const rdx_aggregate *a, const accumulator *acc, query *q) {
  const value v = a->kind == RDX_AGGREGATE_MIN ? acc->min : acc->max;
  if (is_calculated(a->expression) && (v.whole < INT64_MIN || v.whole > INT64_MAX))
    must_refuse(&q->run, RDX_ERROR_OVERFLOW, "a value beyond 64 bits");
  return v;
}

static cell aggregate_group(const star_data *s, query *q, const rdx_aggregate *a, const uint32_t *rows,
                            uint64_t count) {
  accumulator acc = {0};
  for (uint64_t i = 0; i < count; i++)
    add_row(s, a, s->rows[rows[i]], &acc, &q->is_unknown);
  value v = {.kind = VALUE_WHOLE, .whole = (i128)acc.count};
  if (a->kind != RDX_AGGREGATE_COUNT && acc.count == 0)
    v = (value){.kind = VALUE_NULL};
  else if (a->kind == RDX_AGGREGATE_MIN || a->kind == RDX_AGGREGATE_MAX)
    v = extreme_value(a, &acc, q);
  else if (a->kind != RDX_AGGREGATE_COUNT)
    v = sum_value(a, &acc, acc.min.scale, q);
  return cell_of(result_type(s, a).type, &v);
}

/* The columns of all groups, in the order of the group's attributes. */
static void all_groups(const star_data *s, query *q) {
  uint32_t *rows = take(s->count * sizeof *rows), *begins = take((s->count + 2) * sizeof *begins);
  uint64_t count = 0;
  for (uint64_t i = 0; i < s->count; i++)
    if (!q->query.where || predicate_truth(q->query.where, s->columns, s->rows[i], 0) == 1)
      rows[count++] = (uint32_t)i;
  sorted_star = s;
  sorted_query = q;
  qsort(rows, count, sizeof *rows, compare_groups);
  for (uint64_t i = 0; i < count; i++)
    if (i == 0 || compare_groups(&rows[i - 1], &rows[i]) != 0)
      begins[q->groups++] = (uint32_t)i;
  if (q->query.group_count == 0 && count == 0)
    begins[q->groups++] = 0;
  begins[q->groups] = (uint32_t)count;
  cell *cells = take(q->groups * sizeof *cells);
  for (uint32_t c = 0; c < q->query.group_count; c++) {
    const rdx_column *column = &s->columns[q->group_by[c]];
    for (uint64_t g = 0; g < q->groups; g++) {
      const value v = value_at(column, s->rows[rows[begins[g]]][q->group_by[c]]);
      cells[g] = cell_of(column->type, &v);
    }
    q->columns[c] = column_make(column->type, column->scale, cells, q->groups);
  }
  for (uint32_t i = 0; i < q->query.aggregate_count; i++) {
    const rdx_aggregate *a = &q->aggregates[i];
    const rdx_column type = result_type(s, a);
    for (uint64_t g = 0; g < q->groups; g++)
      cells[g] = aggregate_group(s, q, a, rows + begins[g], begins[g + 1] - begins[g]);
    q->columns[q->query.group_count + i] = column_make(type.type, type.scale, cells, q->groups);
  }
}

static int compare_results(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  for (uint32_t i = 0; i < sorted_query->query.order_count; i++) {
    const rdx_order *o = &sorted_query->order_by[i];
    const rdx_column *column = &sorted_query->columns[o->column];
    const bool left = is_null(column, x), right = is_null(column, y);
    int order = 0;
    if (left || right)
      order = o->nulls_first ? right - left : left - right;
    else
      order = compare_rows(column, x, column, y) * (o->descending ? -1 : 1);
    if (order)
      return order;
  }
  return x < y ? -1 : x > y; /* the order of the group's attributes */
}

/* A predicate over the results, with literals that are among them. */
static void having_make(query *q, uint32_t columns) {
  pool pools[MAX_RESULTS];
  for (uint32_t c = 0; c < columns; c++) {
    const rdx_column *column = &q->columns[c];
    pools[c] = (pool){.type = column->type, .scale = column->scale, .cells = take(q->groups * sizeof(cell))};
    for (uint64_t i = 0; i < q->groups; i++) {
      const value v = value_at(column, i);
      if (v.kind != VALUE_NULL)
        pools[c].cells[pools[c].count++] = cell_of(column->type, &v);
    }
  }
  q->query.having = predicate_make(pools, columns, &q->run);
}

void query_answer(const star_data *s, query *q) {
  all_groups(s, q);
  if (q->is_unknown) {
    q->run.must = 0;
    may_refuse(&q->run, RDX_ERROR_OVERFLOW, "values of very many bits");
    return;
  }
  const uint32_t columns = q->query.group_count + q->query.aggregate_count;
  if (chance(25))
    having_make(q, columns);
  uint32_t *kept = take(q->groups * sizeof *kept);
  uint64_t count = 0;
  for (uint64_t i = 0; i < q->groups; i++)
    if (!q->query.having || predicate_truth(q->query.having, q->columns, NULL, i) == 1)
      kept[count++] = (uint32_t)i;
  sorted_query = q;
  qsort(kept, count, sizeof *kept, compare_results);
  uint64_t first = 0;
  if (q->query.limited) {
    first = q->query.offset < count ? q->query.offset : count;
    count = count - first < q->query.limit ? count : first + q->query.limit;
  }
  q->rows = count - first;
  cell *cells = take(q->rows * sizeof *cells);
  for (uint32_t c = 0; c < columns; c++) {
    const rdx_column all = q->columns[c];
    for (uint64_t i = 0; i < q->rows; i++) {
      const value v = value_at(&all, kept[first + i]);
      cells[i] = cell_of(all.type, &v);
    }
    q->columns[c] = column_make(all.type, all.scale, cells, q->rows);
  }
}
