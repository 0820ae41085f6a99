/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * Random star queries, and what they may be refused for. */

#include "diff_stars.h"

#include <inttypes.h>

/* ---- Expressions ---- */

static bool is_number(rdx_type type) {
  return is_integer(type) || type == RDX_TYPE_DECIMAL;
}

static rdx_expression *expression_make(const star_data *s, unsigned depth) {
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

uint8_t expression_scale(const star_data *s, const rdx_expression *e) {
  if (e->kind == RDX_EXPRESSION_ATTRIBUTE)
    return s->columns[e->attribute].scale;
  if (e->kind == RDX_EXPRESSION_CONSTANT)
    return e->scale;
  const uint8_t left = expression_scale(s, e->left), right = expression_scale(s, e->right);
  if (e->kind == RDX_EXPRESSION_MULTIPLY)
    return (uint8_t)(left + right);
  return left > right ? left : right;
}

/* Steps whose values pass so many bits are not followed any further. */
#define MAX_BITS 100

static i128 fitted(i128 x, bool *passes) {
  const i128 limit = (i128)1 << MAX_BITS;
  *passes |= x < -limit || x > limit;
  return x < -limit ? -limit : x > limit ? limit : x;
}

static i128 product(i128 x, i128 y, bool *passes) {
  i128 out = 0;
  if (__builtin_mul_overflow(x, y, &out))
    *passes = true;
  return *passes ? 0 : fitted(out, passes);
}

static i128 scaled(const value *v, uint8_t scale, bool *passes) {
  return product(v->whole, ten_to(scale - v->scale), passes);
}

value expression_value(const star_data *s, const rdx_expression *e, const uint64_t *rows, bool *passes) {
  value v = {.kind = VALUE_WHOLE, .whole = e->value, .scale = e->scale};
  if (e->kind == RDX_EXPRESSION_ATTRIBUTE)
    return value_at(&s->columns[e->attribute], rows[e->attribute]);
  if (e->kind == RDX_EXPRESSION_CONSTANT)
    return v;
  const value left = expression_value(s, e->left, rows, passes);
  const value right = expression_value(s, e->right, rows, passes);
  if (left.kind == VALUE_NULL || right.kind == VALUE_NULL)
    return (value){.kind = VALUE_NULL};
  v.scale = expression_scale(s, e);
  if (e->kind == RDX_EXPRESSION_MULTIPLY) {
    v.whole = product(left.whole, right.whole, passes);
    return v;
  }
  const i128 x = scaled(&left, v.scale, passes), y = scaled(&right, v.scale, passes);
  v.whole = fitted(e->kind == RDX_EXPRESSION_ADD ? x + y : x - y, passes);
  return v;
}

/* ---- Aggregates ---- */

/* What may be refused whatever rows qualify. */
static void refuse_aggregate(const star_data *s, const rdx_aggregate *a, query *q) {
  if (!a->expression || !is_calculated(a->expression) || expression_scale(s, a->expression) <= 18)
    return;
  may_refuse(&q->prepare, RDX_ERROR_UNSUPPORTED, "more than 18 digits after the point");
  may_refuse(&q->run, RDX_ERROR_UNSUPPORTED, "more than 18 digits after the point");
}

static rdx_expression *attribute_of(uint32_t attribute) {
  rdx_expression *e = take(sizeof *e);
  *e = (rdx_expression){.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = attribute};
  return e;
}

static void aggregate_make(const star_data *s, rdx_aggregate *a) {
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
    if (!sum || is_number(type) || is_float(type) || type == RDX_TYPE_BOOL) {
      a->expression = attribute_of(attribute);
      return;
    }
  }
  a->kind = RDX_AGGREGATE_COUNT;
}

/* ---- Queries ---- */

void query_make(const star_data *s, query *q) {
  const uint32_t attributes = s->relation.attribute_count;
  *q = (query){0};
  if (chance(75))
    q->query.where = predicate_make(s->pools, attributes, &q->run);
  q->prepare = q->run;
  q->prepare.must = 0;
  uint32_t count = 0;
  for (uint32_t wanted = (uint32_t)below(MAX_GROUPS + 1); wanted > 0 && chance(80); wanted--) {
    const uint32_t attribute = (uint32_t)below(attributes);
    bool there = false;
    for (uint32_t i = 0; i < count; i++)
      there |= q->group_by[i] == attribute;
    if (!there)
      q->group_by[count++] = attribute;
  }
  q->query.group_by = q->group_by;
  q->query.group_count = count;
  q->query.aggregate_count = (uint32_t)(count && chance(10) ? 0 : 1 + magnitude(MAX_AGGREGATES));
  for (uint32_t i = 0; i < q->query.aggregate_count; i++) {
    aggregate_make(s, &q->aggregates[i]);
    refuse_aggregate(s, &q->aggregates[i], q);
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
