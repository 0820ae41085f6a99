/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * Random star queries, and what they may be refused for. */

#include "diff_stars.h"

#include <inttypes.h>
#include <math.h>

/* ---- Expressions ---- */

static bool is_number(rdx_type type) {
  return is_integer(type) || type == RDX_TYPE_DECIMAL;
}

static rdx_expression *expression_make(const star *s, unsigned depth) {
  rdx_expression *e = take(sizeof *e);
  *e = (rdx_expression){.kind = RDX_EXPRESSION_CONSTANT};
  if (depth > 0) {
    e->kind = (rdx_expression_kind)(RDX_EXPRESSION_ADD + below(3));
    e->left = expression_make(s, chance(50) ? depth - 1 : 0);
    e->right = expression_make(s, chance(50) ? depth - 1 : 0);
    return e;
  }
  for (int tries = 0; tries < 20 && chance(90); tries++) {
    const uint32_t attribute = (uint32_t)below(s->relation.attribute_count);
    if (is_number(s->columns[attribute].type)) {
      e->kind = RDX_EXPRESSION_ATTRIBUTE;
      e->attribute = attribute;
      return e;
    }
  }
  e->value = (int64_t)below(200) - 100;
  e->scale = (uint8_t)(chance(60) ? 0 : below(3));
  return e;
}

bool is_calculated(const rdx_expression *e) {
  return e->kind != RDX_EXPRESSION_ATTRIBUTE;
}

uint8_t expression_scale(const star *s, const rdx_expression *e) {
  if (e->kind == RDX_EXPRESSION_ATTRIBUTE)
    return s->columns[e->attribute].scale;
  if (e->kind == RDX_EXPRESSION_CONSTANT)
    return e->scale;
  const uint8_t left = expression_scale(s, e->left), right = expression_scale(s, e->right);
  if (e->kind == RDX_EXPRESSION_MULTIPLY)
    return (uint8_t)(left + right);
  return left > right ? left : right;
}

/* Least and largest values that a step may have. */
typedef struct range {
  i128 least, most;
} range;

static i128 clamp(i128 x) {
  const i128 limit = (i128)1 << 63;
  return x > limit ? limit : x < -limit - 1 ? -limit - 1 : x;
}

static range checked(range r, bool *passes) {
  *passes |= r.least < INT64_MIN || r.most > INT64_MAX;
  return (range){clamp(r.least), clamp(r.most)};
}

static range times(range a, range b) {
  const i128 corners[] = {a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most};
  range r = {corners[0], corners[0]};
  for (int i = 1; i < 4; i++) {
    r.least = corners[i] < r.least ? corners[i] : r.least;
    r.most = corners[i] > r.most ? corners[i] : r.most;
  }
  return r;
}

static range column_range(const rdx_column *column) {
  range r = {0, 0};
  bool any = false;
  for (uint64_t i = 0; i < column->rows; i++) {
    const value v = value_at(column, i);
    if (v.kind == VALUE_NULL)
      continue;
    r.least = !any || v.whole < r.least ? v.whole : r.least;
    r.most = !any || v.whole > r.most ? v.whole : r.most;
    any = true;
  }
  return r;
}

/* The range of a step at a scale that is at least its own; whether it or a step of it may pass 64 bits. */
static range step_range(const star *s, const rdx_expression *e, uint8_t scale, bool *passes) {
  const i128 factor = ten_to(scale - expression_scale(s, e));
  range r = {e->value, e->value};
  if (e->kind == RDX_EXPRESSION_ATTRIBUTE) {
    r = column_range(&s->columns[e->attribute]);
  } else if (e->kind == RDX_EXPRESSION_MULTIPLY) {
    const range left = step_range(s, e->left, expression_scale(s, e->left), passes);
    const range right = step_range(s, e->right, expression_scale(s, e->right), passes);
    /* The product gets its scale by either of them. */
    checked((range){left.least * factor, left.most * factor}, passes);
    checked((range){right.least * factor, right.most * factor}, passes);
    r = checked(times(left, right), passes);
  } else if (e->kind != RDX_EXPRESSION_CONSTANT) {
    const range left = step_range(s, e->left, scale, passes), right = step_range(s, e->right, scale, passes);
    if (e->kind == RDX_EXPRESSION_ADD)
      return checked((range){left.least + right.least, left.most + right.most}, passes);
    return checked((range){left.least - right.most, left.most - right.least}, passes);
  }
  return checked((range){r.least * factor, r.most * factor}, passes);
}

static i128 fitted(i128 x, bool *overflows) {
  *overflows |= x < INT64_MIN || x > INT64_MAX;
  return clamp(x);
}

static i128 scaled(const value *v, uint8_t scale, bool *overflows) {
  return fitted(v->whole * ten_to(scale - v->scale), overflows);
}

value expression_value(const star *s, const rdx_expression *e, const uint64_t *rows, bool *overflows) {
  value v = {.kind = VALUE_WHOLE, .whole = e->value, .scale = e->scale};
  if (e->kind == RDX_EXPRESSION_ATTRIBUTE)
    return value_at(&s->columns[e->attribute], rows[e->attribute]);
  if (e->kind == RDX_EXPRESSION_CONSTANT)
    return v;
  const value left = expression_value(s, e->left, rows, overflows);
  const value right = expression_value(s, e->right, rows, overflows);
  if (left.kind == VALUE_NULL || right.kind == VALUE_NULL)
    return (value){.kind = VALUE_NULL};
  v.scale = expression_scale(s, e);
  if (e->kind == RDX_EXPRESSION_MULTIPLY) {
    const i128 x = fitted(left.whole, overflows), y = fitted(right.whole, overflows);
    v.whole = fitted(x * y, overflows);
    return v;
  }
  const i128 x = scaled(&left, v.scale, overflows), y = scaled(&right, v.scale, overflows);
  v.whole = fitted(e->kind == RDX_EXPRESSION_ADD ? x + y : x - y, overflows);
  return v;
}

/* ---- Aggregates ---- */

/* Floats of which the largest is about 10^77 times the least, or more. */
static bool is_too_wide(const rdx_column *column) {
  double least = INFINITY, most = 0;
  for (uint64_t i = 0; i < column->rows; i++) {
    const value v = value_at(column, i);
    const double size = fabs(v.real);
    if (v.kind == VALUE_NULL || size == 0 || !isfinite(size))
      continue;
    least = size < least ? size : least;
    most = size > most ? size : most;
  }
  return most > 0 && log10(most) - log10(least) > 76;
}

/* What may be refused by the ranges of attributes, whatever rows qualify. Returns how many numbers it takes at most. */
static uint32_t refuse_aggregate(const star *s, const rdx_aggregate *a, query *q) {
  refusal r = {0};
  const bool sum = a->kind == RDX_AGGREGATE_SUM || a->kind == RDX_AGGREGATE_AVG;
  uint32_t numbers = 1;
  if (a->expression && is_calculated(a->expression)) {
    bool passes = false;
    step_range(s, a->expression, expression_scale(s, a->expression), &passes);
    if (passes)
      may_refuse(&r, RDX_ERROR_OVERFLOW, "an expression that may pass 64 bits");
    if (expression_scale(s, a->expression) > 18) {
      may_refuse(&r, RDX_ERROR_OVERFLOW, "more than 18 digits after the point");
      may_refuse(&r, RDX_ERROR_UNSUPPORTED, "more than 18 digits after the point");
      may_refuse(&r, RDX_ERROR_ARGUMENT, "more than 18 digits after the point");
    }
  } else if (a->expression && sum) {
    const rdx_column *column = &s->columns[a->expression->attribute];
    if (is_float(column->type)) {
      numbers = 7;
      if (is_too_wide(column))
        may_refuse(&r, RDX_ERROR_UNSUPPORTED, "a sum of floats of too many magnitudes");
    } else if (column->type == RDX_TYPE_U64 && column_range(column).most > INT64_MAX) {
      may_refuse(&r, RDX_ERROR_OVERFLOW, "a sum of values beyond 2^63");
      may_refuse(&r, RDX_ERROR_UNSUPPORTED, "an average of values beyond 2^63");
    }
  }
  for (unsigned status = 1; status <= RDX_ERROR_INTERNAL; status++)
    if (r.may & 1u << status) {
      may_refuse(&q->prepare, (rdx_status)status, r.why[status]);
      may_refuse(&q->run, (rdx_status)status, r.why[status]);
    }
  return numbers;
}

static rdx_expression *attribute_of(uint32_t attribute) {
  rdx_expression *e = take(sizeof *e);
  *e = (rdx_expression){.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = attribute};
  return e;
}

static void aggregate_make(const star *s, rdx_aggregate *a) {
  a->kind = (rdx_aggregate_kind)below(RDX_AGGREGATE_MAX + 1);
  a->expression = NULL;
  if (a->kind == RDX_AGGREGATE_COUNT && chance(60))
    return;
  if (chance(35)) {
    const unsigned depth = 1 + (unsigned)below(3);
    a->expression = expression_make(s, depth);
    return;
  }
  const bool sum = a->kind == RDX_AGGREGATE_SUM || a->kind == RDX_AGGREGATE_AVG;
  for (int tries = 0; tries < 30; tries++) {
    const uint32_t attribute = (uint32_t)below(s->relation.attribute_count);
    const rdx_type type = s->columns[attribute].type;
    if (!sum || is_number(type) || is_float(type)) {
      a->expression = attribute_of(attribute);
      return;
    }
  }
  a->kind = RDX_AGGREGATE_COUNT;
}

/* ---- Queries ---- */

void query_make(const star *s, query *q) {
  const uint32_t attributes = s->relation.attribute_count;
  *q = (query){0};
  if (chance(75))
    q->query.where = predicate_make(s->pools, attributes, &q->run);
  q->prepare = q->run;
  q->prepare.must = 0;
  uint32_t count = 0;
  for (uint32_t wanted = (uint32_t)below(MOST_GROUPS + 1); wanted > 0 && chance(80); wanted--) {
    const uint32_t attribute = (uint32_t)below(attributes);
    bool there = false;
    for (uint32_t i = 0; i < count; i++)
      there |= q->group_by[i] == attribute;
    if (!there)
      q->group_by[count++] = attribute;
  }
  q->query.group_by = q->group_by;
  q->query.group_count = count;
  q->query.aggregate_count = (uint32_t)(count && chance(10) ? 0 : 1 + magnitude(MOST_AGGREGATES));
  uint32_t numbers = 0;
  for (uint32_t i = 0; i < q->query.aggregate_count; i++) {
    aggregate_make(s, &q->aggregates[i]);
    numbers += refuse_aggregate(s, &q->aggregates[i], q);
  }
  if (numbers > 16) {
    may_refuse(&q->prepare, RDX_ERROR_UNSUPPORTED, "sums of more than 16 numbers");
    may_refuse(&q->run, RDX_ERROR_UNSUPPORTED, "sums of more than 16 numbers");
  }
  q->query.aggregates = q->aggregates;
  q->query.order_by = q->order_by;
  q->query.order_count = (uint32_t)(chance(50) ? 0 : 1 + below(3));
  for (uint32_t i = 0; i < q->query.order_count; i++) {
    q->order_by[i].column = (uint32_t)below(count + q->query.aggregate_count);
    q->order_by[i].descending = chance(50);
    q->order_by[i].nulls_first = chance(50);
  }
  q->query.limited = chance(25);
  q->query.limit = magnitude(30);
  q->query.offset = chance(60) ? 0 : magnitude(20);
}

static void note_expression(const rdx_expression *e) {
  static const char signs[] = "  +-*";
  if (e->kind == RDX_EXPRESSION_ATTRIBUTE) {
    note("#%u", e->attribute);
  } else if (e->kind == RDX_EXPRESSION_CONSTANT) {
    note("%" PRId64 "e-%d", e->value, e->scale);
  } else {
    note("(");
    note_expression(e->left);
    note(" %c ", signs[e->kind]);
    note_expression(e->right);
    note(")");
  }
}

void query_note(const query *q) {
  static const char *const names[] = {"count", "sum", "avg", "min", "max"};
  note("select");
  for (uint32_t i = 0; i < q->query.group_count; i++)
    note(" #%u", q->group_by[i]);
  for (uint32_t i = 0; i < q->query.aggregate_count; i++) {
    note(" %s(", names[q->aggregates[i].kind]);
    if (q->aggregates[i].expression)
      note_expression(q->aggregates[i].expression);
    note(")");
  }
  if (q->query.where) {
    note(" where ");
    predicate_note(q->query.where);
  }
  if (q->query.having) {
    note(" having ");
    predicate_note(q->query.having);
  }
  for (uint32_t i = 0; i < q->query.order_count; i++)
    note(" order %u%s%s", q->order_by[i].column, q->order_by[i].descending ? " desc" : "",
         q->order_by[i].nulls_first ? " nulls first" : "");
  if (q->query.limited)
    note(" limit %" PRIu64 " offset %" PRIu64, q->query.limit, q->query.offset);
  note("\n");
}
