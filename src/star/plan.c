/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Plans: predicates as sets of codes, expressions as steps with proven ranges, groups as mixed-radix numbers. */

#include "star/plan.h"

#include <string.h>

#include "star/expression.h"
#include "base/numbers.h"

#define MAX_SCALE 18

/* ---- Predicates ---- */

/* Part the predicate: terms that all must hold, and the residual predicate. */
static rdx_status take_predicate(rdx_plan *plan, const rdx_term_node *node, rdx_error *err) {
  const uint32_t count = node->kind == RDX_NODE_AND ? node->count : 1;
  const rdx_term_node *parts = node->kind == RDX_NODE_AND ? node->children : node;
  if (node->kind == RDX_NODE_FALSE || node->kind == RDX_NODE_TRUE) {
    plan->empty |= node->kind == RDX_NODE_FALSE;
    return RDX_OK;
  }
  rdx_term_node *residual = NULL;
  uint32_t residuals = 0;
  RDX_TRY(rdx_arena_alloc(&plan->arena, count, sizeof *plan->terms, "a plan", (void **)&plan->terms, err));
  RDX_TRY(rdx_arena_alloc(&plan->arena, (size_t)count + 1, sizeof *residual, "a plan", (void **)&residual, err));
  for (uint32_t i = 0; i < count; i++) {
    if (parts[i].kind == RDX_NODE_TERM)
      plan->terms[plan->term_count++] = parts[i].term;
    else
      residual[++residuals] = parts[i];
  }
  residual[0] = (rdx_term_node){.kind = RDX_NODE_AND, .count = residuals, .children = residual + 1};
  plan->residual = residuals == 0 ? NULL : residuals == 1 ? residual + 1 : residual;
  return RDX_OK;
}

static rdx_status plan_predicate(rdx_plan *plan, rdx_error *err) {
  const rdx_packed_relation *r = plan->relation;
  plan->empty = r->rows == 0;
  for (uint32_t i = 0; i < r->dimension_count; i++)
    plan->empty |= r->foreign_rows[i].rows == 0;
  if (!plan->query->where)
    return RDX_OK;
  rdx_term_node node;
  RDX_TRY(rdx_predicate_normalize(r->attributes, r->attribute_count, RDX_DOMAIN_CODES, plan->query->where, &plan->arena,
                                  &node, err));
  return take_predicate(plan, &node, err);
}

/* ---- Expressions ---- */

#define MAX_EXACT 126 /* bits of bounds that are calculated with */

/* A value on the stack. */
typedef struct bounds {
  rdx_i128 min, max; /* where `bits` is at most MAX_EXACT */
  uint32_t bits;     /* hold the value without its sign */
  uint32_t height;   /* of the stack that computing it takes */
} bounds;

typedef struct steps {
  rdx_plan *plan;
  rdx_step list[RDX_MAX_STEPS];
  uint32_t count;
  bool nulls;
  bounds bounds; /* of the result */
} steps;

/* There is room: an expression has as many steps as nodes. */
static void add_step(steps *s, rdx_step step) {
  s->list[s->count++] = step;
}

static void begin_steps(steps *s, rdx_plan *plan) {
  s->plan = plan;
  s->count = 0;
  s->nulls = false;
}

static bounds bounds_of(rdx_i128 min, rdx_i128 max, uint32_t height) {
  const uint32_t bits[] = {rdx_bit_length_i128(min), rdx_bit_length_i128(max)};
  return (bounds){.min = min, .max = max, .bits = bits[0] > bits[1] ? bits[0] : bits[1], .height = height};
}

/* An attribute's value times 10^up. */
static bounds add_attribute(steps *s, const rdx_encoded_column *c, uint32_t up) {
  const int64_t factor = (int64_t)rdx_power_of_ten(up);
  const bool some = c->count > 0;
  const rdx_i128 min = some ? rdx_encoded_column_value_of_key(c, c->smallest) * factor : 0;
  const rdx_i128 max = some ? rdx_encoded_column_value_of_key(c, c->largest) * factor : 0;
  const int64_t base = rdx_encoded_column_has_ranks(c) || !some ? 0 : (int64_t)min;
  add_step(s, (rdx_step){.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = c, .value = base, .factor = factor});
  s->nulls |= c->nulls;
  return bounds_of(min, max, 1);
}

static bounds add_constant(steps *s, int64_t value, uint32_t up) {
  const int64_t factor = (int64_t)rdx_power_of_ten(up);
  const rdx_i128 all = (rdx_i128)value * factor;
  const bool fits = all >= INT64_MIN && all <= INT64_MAX;
  add_step(s, (rdx_step){.kind = RDX_EXPRESSION_CONSTANT,
                         .value = fits ? (int64_t)all : value,
                         .factor = fits ? 1 : factor}); /* so that equal ones have equal steps */
  return bounds_of(all, all, 1);
}

static rdx_status check_attribute(const rdx_plan *plan, uint32_t attribute, const char *what, rdx_error *err) {
  if (attribute >= plan->relation->attribute_count)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s names attribute %u: the relation has %u, from 0", what, attribute,
                    plan->relation->attribute_count);
  return RDX_OK;
}

/* Whether an expression has at most `*left` nodes, which also bounds its depth. */
static bool is_small(const rdx_expression *e, uint32_t *left) {
  if (*left == 0)
    return false;
  --*left;
  const bool leaf = e->kind == RDX_EXPRESSION_ATTRIBUTE || e->kind == RDX_EXPRESSION_CONSTANT;
  return leaf || ((!e->left || is_small(e->left, left)) && (!e->right || is_small(e->right, left)));
}

/* The scale of a small expression, which is checked on the way. */
static rdx_status find_scale(const rdx_plan *plan, const rdx_expression *e, uint32_t *out, rdx_error *err) {
  uint32_t left = 0, right = 0;
  switch (e->kind) {
  case RDX_EXPRESSION_ATTRIBUTE:
    RDX_TRY(check_attribute(plan, e->attribute, "an expression", err));
    if (!rdx_type_is_exact(plan->relation->attributes[e->attribute].type))
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "attribute %.40s is of type %s, which cannot be calculated with",
                      plan->relation->names[e->attribute],
                      rdx_type_name(plan->relation->attributes[e->attribute].type));
    *out = plan->relation->attributes[e->attribute].scale;
    return RDX_OK;
  case RDX_EXPRESSION_CONSTANT:
    *out = e->scale;
    break;
  case RDX_EXPRESSION_ADD:
  case RDX_EXPRESSION_SUBTRACT:
  case RDX_EXPRESSION_MULTIPLY:
    if (!e->left || !e->right)
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "an expression lacks an operand");
    RDX_TRY(find_scale(plan, e->left, &left, err));
    RDX_TRY(find_scale(plan, e->right, &right, err));
    *out = e->kind == RDX_EXPRESSION_MULTIPLY ? left + right : left > right ? left : right;
    break;
  default:
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "unknown expression kind %d", (int)e->kind);
  }
  if (*out > MAX_SCALE)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "an expression has %u digits after the point, and may have %d", *out,
                    MAX_SCALE);
  return RDX_OK;
}

static bounds multiply_bounds(const bounds *a, const bounds *b) {
  const rdx_i128 products[4] = {a->min * b->min, a->min * b->max, a->max * b->min, a->max * b->max};
  rdx_i128 min = products[0], max = products[0];
  for (int i = 1; i < 4; i++) {
    min = products[i] < min ? products[i] : min;
    max = products[i] > max ? products[i] : max;
  }
  return bounds_of(min, max, 0);
}

/* Of a step that takes two values. */
static bounds combine_bounds(rdx_expression_kind kind, const bounds *left, const bounds *right) {
  const uint32_t larger = left->bits > right->bits ? left->bits : right->bits;
  const uint32_t bits = kind == RDX_EXPRESSION_MULTIPLY ? left->bits + right->bits : larger + 1;
  bounds b = {.bits = bits};
  if (bits <= MAX_EXACT)
    b = kind == RDX_EXPRESSION_MULTIPLY ? multiply_bounds(left, right)
        : kind == RDX_EXPRESSION_ADD    ? bounds_of(left->min + right->min, left->max + right->max, 0)
                                        : bounds_of(left->min - right->max, left->max - right->min, 0);
  b.height = left->height > right->height + 1 ? left->height : right->height + 1;
  return b;
}

/* Steps for an expression, its value brought to `scale`, which is not below its own. It has been checked. */
static rdx_status add_expression(steps *s, const rdx_expression *e, uint32_t scale, bounds *out, rdx_error *err);

static rdx_status add_operation(steps *s, const rdx_expression *e, uint32_t scale, bounds *out, rdx_error *err) {
  const rdx_expression *first, *second;
  bounds left, right;
  uint32_t left_scale = scale, right_scale = scale;
  rdx_expression_operands(e, &first, &second);
  if (e->kind == RDX_EXPRESSION_MULTIPLY) { /* what lacks in scale is added to the first */
    RDX_TRY(find_scale(s->plan, second, &right_scale, err));
    left_scale = scale - right_scale;
  }
  RDX_TRY(add_expression(s, first, left_scale, &left, err));
  RDX_TRY(add_expression(s, second, right_scale, &right, err));
  *out = combine_bounds(e->kind, &left, &right);
  if (out->height > RDX_MAX_STACK)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "an expression nests more than %d levels to the right", RDX_MAX_STACK);
  add_step(s, (rdx_step){.kind = e->kind});
  return RDX_OK;
}

static rdx_status add_expression(steps *s, const rdx_expression *e, uint32_t scale, bounds *out, rdx_error *err) {
  if (e->kind == RDX_EXPRESSION_ATTRIBUTE) {
    const rdx_encoded_column *c = &s->plan->relation->attributes[e->attribute];
    *out = add_attribute(s, c, scale - c->scale);
    return RDX_OK;
  }
  if (e->kind == RDX_EXPRESSION_CONSTANT) {
    *out = add_constant(s, e->value, scale - e->scale);
    return RDX_OK;
  }
  return add_operation(s, e, scale, out, err);
}

/* ---- Measures ---- */

/* A plain attribute that is not calculated with, or cannot be: its codes. */
static void code_measure(const rdx_encoded_column *c, steps *s, rdx_measure *m) {
  add_step(s, (rdx_step){.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = c, .factor = 1});
  s->nulls = c->nulls;
  m->numeric = false;
  m->min = 0;
  m->max = c->count > 0 ? (int64_t)(c->count - 1) : 0; /* whose width passes 63 bits only if its bits do */
}

/* Whether 64 bits hold all values of steps; with NULLs among them there is another code. */
static bool is_wide(const steps *s) {
  const bounds *b = &s->bounds;
  if (b->bits > 64 || b->min < INT64_MIN || b->max > INT64_MAX)
    return true;
  return s->nulls && s->count > 1 && b->min == INT64_MIN && b->max == INT64_MAX;
}

static void take_bounds(const steps *s, rdx_measure *m) {
  m->min = (int64_t)s->bounds.min;
  m->max = (int64_t)s->bounds.max;
}

/* Steps and the measure of an expression; where `*wide` its values take more than one, which is not made. `codes`: an
 * attribute that cannot be calculated with may do, by its codes; else a bool is a number. */
static rdx_status make_measure(rdx_plan *plan, const rdx_expression *e, bool codes, steps *s, rdx_measure *m,
                               bool *wide, rdx_error *err) {
  begin_steps(s, plan);
  *m = (rdx_measure){.numeric = true};
  *wide = false;
  uint32_t scale = 0, nodes = RDX_MAX_STEPS;
  if (e->kind == RDX_EXPRESSION_ATTRIBUTE) {
    const rdx_encoded_column *c = &plan->relation->attributes[e->attribute];
    if (codes && (!rdx_type_is_exact(c->type) || rdx_attribute_is_summed_apart(c))) {
      code_measure(c, s, m);
      return RDX_OK;
    }
    if (c->type == RDX_TYPE_BOOL) {
      s->bounds = add_attribute(s, c, 0);
      take_bounds(s, m);
      return RDX_OK;
    }
  }
  if (!is_small(e, &nodes))
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "an expression takes more than %d steps", RDX_MAX_STEPS);
  RDX_TRY(find_scale(plan, e, &scale, err));
  RDX_TRY(add_expression(s, e, scale, &s->bounds, err));
  m->scale = (uint8_t)scale;
  *wide = is_wide(s);
  if (!*wide)
    take_bounds(s, m);
  return RDX_OK;
}

/* Room for one more. */
static rdx_status reserve_measure(rdx_plan *plan, rdx_error *err) {
  rdx_measure *grown = NULL;
  if (plan->measure_count < plan->measure_capacity)
    return RDX_OK;
  const uint32_t capacity = plan->measure_capacity ? 2 * plan->measure_capacity : RDX_MAX_MEASURES;
  RDX_TRY(rdx_arena_alloc(&plan->arena, capacity, sizeof *grown, "a plan", (void **)&grown, err));
  if (plan->measure_count > 0)
    memcpy(grown, plan->measures, plan->measure_count * sizeof *grown);
  plan->measures = grown;
  plan->measure_capacity = capacity;
  return RDX_OK;
}

/* The number of a measure: that of an equal one, or a new one. */
static rdx_status take_measure(rdx_plan *plan, const steps *s, const rdx_measure *made, uint32_t *out, rdx_error *err) {
  for (uint32_t i = 0; i < plan->measure_count; i++) {
    const rdx_measure *m = &plan->measures[i];
    if (m->numeric == made->numeric && m->scale == made->scale &&
        rdx_steps_equal(m->steps, m->step_count, s->list, s->count)) {
      *out = i;
      return RDX_OK;
    }
  }
  RDX_TRY(reserve_measure(plan, err));
  rdx_measure *m = &plan->measures[plan->measure_count];
  *m = *made;
  m->nulls = s->nulls;
  m->step_count = s->count;
  RDX_TRY(rdx_arena_alloc(&plan->arena, s->count, sizeof *m->steps, "a plan", (void **)&m->steps, err));
  memcpy(m->steps, s->list, s->count * sizeof *m->steps);
  *out = plan->measure_count++;
  return RDX_OK;
}

static uint8_t wanted_by(rdx_aggregate_kind kind, bool nulls) {
  const uint8_t count = nulls ? RDX_WANT_COUNT : 0;
  switch (kind) {
  case RDX_AGGREGATE_SUM:
  case RDX_AGGREGATE_AVG:
    return RDX_WANT_SUM | count;
  case RDX_AGGREGATE_MIN:
    return RDX_WANT_MIN | count;
  case RDX_AGGREGATE_MAX:
    return RDX_WANT_MAX | count;
  default:
    return count;
  }
}

static bool is_sum(rdx_aggregate_kind kind) {
  return kind == RDX_AGGREGATE_SUM || kind == RDX_AGGREGATE_AVG;
}

/* The measure of an attribute as it is, of which an aggregate wants something. */
static rdx_status take_attribute(rdx_plan *plan, const rdx_encoded_column *c, uint8_t scale, rdx_aggregate_kind kind,
                                 uint32_t *out, rdx_error *err) {
  steps s;
  rdx_measure made = {.numeric = true, .scale = scale};
  begin_steps(&s, plan);
  s.bounds = add_attribute(&s, c, 0);
  take_bounds(&s, &made);
  RDX_TRY(take_measure(plan, &s, &made, out, err));
  plan->measures[*out].wanted |= wanted_by(kind, c->nulls);
  return RDX_OK;
}

static rdx_status take_limbs(rdx_plan *plan, const rdx_limbs *limbs, rdx_wide_aggregate *out, rdx_error *err) {
  const uint32_t count = limbs->count + limbs->special;
  out->limbs = limbs;
  RDX_TRY(rdx_arena_alloc(&plan->arena, count, sizeof *out->measures, "a plan", (void **)&out->measures, err));
  for (uint32_t k = 0; k < count; k++)
    RDX_TRY(take_attribute(plan, &limbs->attributes[k], 0, RDX_AGGREGATE_SUM, &out->measures[k], err));
  return RDX_OK;
}

/* The values of an expression that 64 bits may not hold. */
static rdx_status take_values(rdx_plan *plan, const steps *s, rdx_wide_values **out, rdx_error *err) {
  if (!plan->values)
    RDX_TRY(rdx_arena_alloc(&plan->arena, RDX_MAX_AGGREGATES, sizeof(rdx_wide_values *), "a plan",
                            (void **)&plan->values, err));
  RDX_TRY(rdx_wide_values_take(plan->relation, s->list, s->count, s->bounds.bits, out, err));
  plan->values[plan->value_count++] = *out;
  return RDX_OK;
}

static rdx_status take_extremes(rdx_plan *plan, rdx_wide_values *values, uint8_t scale, rdx_aggregate_kind kind,
                                uint32_t *at, rdx_wide_aggregate *out, rdx_error *err) {
  RDX_TRY(rdx_wide_values_extremes(plan->relation, values, err));
  RDX_TRY(take_attribute(plan, &values->nearest, scale, kind, at, err));
  out->some_beyond = values->some_beyond && kind != RDX_AGGREGATE_COUNT;
  return out->some_beyond ? take_attribute(plan, &values->beyond, 0, RDX_AGGREGATE_SUM, &out->beyond, err) : RDX_OK;
}

static rdx_status take_sums(rdx_plan *plan, rdx_wide_values *values, uint8_t scale, uint32_t *at,
                            rdx_wide_aggregate *out, rdx_error *err) {
  RDX_TRY(rdx_wide_values_sums(plan->relation, values, err));
  RDX_TRY(take_limbs(plan, &values->limbs, out, err));
  out->scale = scale;
  *at = out->measures[0];
  return RDX_OK;
}

static bool is_float(const rdx_plan *plan, const rdx_expression *e) {
  return e->kind == RDX_EXPRESSION_ATTRIBUTE && rdx_encoded_column_is_float(&plan->relation->attributes[e->attribute]);
}

/* SUM or AVG of a float attribute. */
static rdx_status take_floats(rdx_plan *plan, uint32_t attribute, uint32_t *at, rdx_wide_aggregate *out,
                              rdx_error *err) {
  const rdx_limbs *limbs = NULL;
  RDX_TRY(rdx_packed_limbs(plan->relation, attribute, &limbs, err));
  RDX_TRY(take_limbs(plan, limbs, out, err));
  out->floats = true;
  *at = out->measures[0];
  return RDX_OK;
}

static rdx_status plan_aggregate(rdx_plan *plan, uint32_t number, rdx_error *err) {
  const rdx_aggregate *a = &plan->query->aggregates[number];
  uint32_t *at = &plan->aggregate_measure[number];
  rdx_wide_aggregate *wide = &plan->wide[number];
  rdx_wide_values *values = NULL;
  steps s;
  rdx_measure made;
  bool is_too_wide = false;
  *at = UINT32_MAX;
  *wide = (rdx_wide_aggregate){0};
  if (a->kind < RDX_AGGREGATE_COUNT || a->kind > RDX_AGGREGATE_MAX)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "unknown aggregate kind %d", (int)a->kind);
  if (!a->expression)
    return a->kind == RDX_AGGREGATE_COUNT ? RDX_OK
                                          : rdx_fail(err, RDX_ERROR_ARGUMENT, "aggregate %u has no expression", number);
  if (a->expression->kind == RDX_EXPRESSION_ATTRIBUTE)
    RDX_TRY(check_attribute(plan, a->expression->attribute, "an aggregate", err));
  if (is_sum(a->kind) && is_float(plan, a->expression))
    return take_floats(plan, a->expression->attribute, at, wide, err);
  RDX_TRY(make_measure(plan, a->expression, !is_sum(a->kind), &s, &made, &is_too_wide, err));
  if (a->kind == RDX_AGGREGATE_COUNT && !s.nulls)
    return RDX_OK; /* that of rows */
  if (is_too_wide) {
    RDX_TRY(take_values(plan, &s, &values, err));
    return is_sum(a->kind) ? take_sums(plan, values, made.scale, at, wide, err)
                           : take_extremes(plan, values, made.scale, a->kind, at, wide, err);
  }
  RDX_TRY(take_measure(plan, &s, &made, at, err));
  plan->measures[*at].wanted |= wanted_by(a->kind, s.nulls);
  return RDX_OK;
}

/* ---- Groups ---- */

const rdx_code_set *rdx_plan_set(const rdx_plan *plan, uint32_t attribute) {
  for (uint32_t i = 0; i < plan->term_count; i++)
    if (plan->terms[i].column == attribute)
      return &plan->terms[i].set;
  return NULL;
}

/* Which codes, or places, of an attribute can occur. */
static void find_range(rdx_plan *plan, uint32_t i) {
  const uint32_t attribute = plan->query->group_by[i];
  const rdx_encoded_column *dense = plan->group_dense[i];
  const rdx_code_set *set = rdx_plan_set(plan, attribute);
  uint64_t low = set ? set->list[0].low : 0;
  uint64_t high =
      set ? set->list[set->count - 1].high : rdx_encoded_column_codes(&plan->relation->attributes[attribute]) - 1;
  if (dense && !plan->empty) {
    low = rdx_encoded_column_rank(dense, low);
    plan->empty = low == rdx_encoded_column_rank(dense, high + 1); /* no code is the largest number */
    high = rdx_encoded_column_rank(dense, high + 1) - 1;
  }
  plan->group_low[i] = low;
  plan->group_width[i] = high - low + 1;
}

/* Whether all groups have a number. */
static bool number_groups(rdx_plan *plan) {
  plan->groups = 1;
  for (uint32_t i = plan->query->group_count; i-- > 0;) {
    if (plan->empty)
      plan->group_width[i] = 1;
    plan->group_stride[i] = plan->groups;
    if (plan->group_width[i] == 0 || __builtin_mul_overflow(plan->groups, plan->group_width[i], &plan->groups))
      return false;
  }
  return true;
}

/* The attribute of the most codes that lie apart, which places may make fewer; the number of all: there is none. */
static uint32_t find_widest(const rdx_plan *plan) {
  uint32_t widest = plan->query->group_count;
  for (uint32_t i = 0; i < plan->query->group_count; i++) {
    const rdx_encoded_column *c = &plan->relation->attributes[plan->query->group_by[i]];
    const bool apart = !c->dictionary && c->bytes >= 4 && !plan->group_dense[i];
    if (apart && (widest == plan->query->group_count || plan->group_width[i] - 1 > plan->group_width[widest] - 1))
      widest = i;
  }
  return widest;
}

static rdx_status plan_groups(rdx_plan *plan, rdx_error *err) {
  const uint32_t count = plan->query->group_count;
  uint64_t *numbers = NULL;
  RDX_TRY(rdx_arena_alloc(&plan->arena, 3 * (size_t)count, sizeof *numbers, "a plan", (void **)&numbers, err));
  RDX_TRY(rdx_arena_alloc(&plan->arena, count, sizeof *plan->group_dense, "a plan", (void **)&plan->group_dense, err));
  plan->group_low = numbers;
  plan->group_width = numbers + count;
  plan->group_stride = numbers + 2 * (size_t)count;
  for (uint32_t i = 0; i < count; i++) {
    plan->group_dense[i] = NULL;
    find_range(plan, i);
  }
  while (!number_groups(plan)) {
    const uint32_t widest = find_widest(plan);
    if (widest == count)
      return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "groups by these %u attributes cannot be numbered in 64 bits", count);
    RDX_TRY(rdx_packed_dense_codes(plan->relation, plan->query->group_by[widest], &plan->group_dense[widest], err));
    find_range(plan, widest);
  }
  return RDX_OK;
}

/* ---- Plans ---- */

static rdx_status check_query(const rdx_plan *plan, rdx_error *err) {
  const rdx_query *q = plan->query;
  if (q->group_count > 0 && !q->group_by)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "a query groups by %u attributes, but names none", q->group_count);
  if (q->group_count > RDX_MAX_GROUP_BY)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "a query groups by at most %d attributes, not %u", RDX_MAX_GROUP_BY,
                    q->group_count);
  if (q->aggregate_count > 0 && !q->aggregates)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "a query has %u aggregates, but names none", q->aggregate_count);
  if (q->aggregate_count > RDX_MAX_AGGREGATES)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "a query has at most %d aggregates, not %u", RDX_MAX_AGGREGATES,
                    q->aggregate_count);
  if (q->group_count + q->aggregate_count == 0)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "a query needs an attribute to group by, or an aggregate");
  for (uint32_t i = 0; i < q->group_count; i++)
    RDX_TRY(check_attribute(plan, q->group_by[i], "GROUP BY", err));
  if (q->order_count > 0 && !q->order_by)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "a query names %u columns to order by, but has none", q->order_count);
  for (uint32_t i = 0; i < q->order_count; i++)
    if (q->order_by[i].column >= q->group_count + q->aggregate_count)
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "ORDER BY names column %u: the result has %u, from 0",
                      q->order_by[i].column, q->group_count + q->aggregate_count);
  return RDX_OK;
}

static rdx_status make(rdx_plan *plan, rdx_error *err) {
  const uint32_t count = plan->query->aggregate_count;
  RDX_TRY(check_query(plan, err));
  RDX_TRY(plan_predicate(plan, err));
  RDX_TRY(rdx_arena_alloc(&plan->arena, count, sizeof *plan->aggregate_measure, "a plan",
                          (void **)&plan->aggregate_measure, err));
  RDX_TRY(rdx_arena_alloc(&plan->arena, count, sizeof *plan->wide, "a plan", (void **)&plan->wide, err));
  for (uint32_t i = 0; i < count; i++)
    RDX_TRY(plan_aggregate(plan, i, err));
  return plan_groups(plan, err);
}

rdx_status rdx_plan_create(const rdx_packed_relation *relation, const rdx_query *query, rdx_plan *out, rdx_error *err) {
  *out = (rdx_plan){.relation = relation, .query = query};
  const rdx_status status = make(out, err);
  if (status != RDX_OK)
    rdx_plan_destroy(out);
  return status;
}

/* Whatever aggregates may take of an expression of a cube. What they want of it is told by queries. */
static rdx_status plan_expression(rdx_plan *plan, const rdx_expression *e, bool summed, rdx_error *err) {
  rdx_wide_aggregate wide = {0};
  rdx_wide_values *values = NULL;
  steps s;
  rdx_measure made;
  uint32_t at = 0;
  bool is_too_wide = false;
  if (e->kind == RDX_EXPRESSION_ATTRIBUTE)
    RDX_TRY(check_attribute(plan, e->attribute, "an expression", err));
  RDX_TRY(make_measure(plan, e, true, &s, &made, &is_too_wide, err));
  if (is_too_wide) {
    RDX_TRY(take_values(plan, &s, &values, err));
    RDX_TRY(take_extremes(plan, values, made.scale, RDX_AGGREGATE_MIN, &at, &wide, err));
    return take_sums(plan, values, made.scale, &at, &wide, err);
  }
  RDX_TRY(take_measure(plan, &s, &made, &at, err));
  if (!summed || made.numeric || e->kind != RDX_EXPRESSION_ATTRIBUTE)
    return RDX_OK;
  if (is_float(plan, e))
    return take_floats(plan, e->attribute, &at, &wide, err);
  if (!rdx_attribute_is_summed_apart(&plan->relation->attributes[e->attribute]))
    return RDX_OK; /* there is no sum of it */
  RDX_TRY(make_measure(plan, e, false, &s, &made, &is_too_wide, err));
  if (!is_too_wide)
    return take_measure(plan, &s, &made, &at, err);
  RDX_TRY(take_values(plan, &s, &values, err));
  return take_sums(plan, values, made.scale, &at, &wide, err);
}

rdx_status rdx_plan_measures(const rdx_packed_relation *relation, const rdx_cube_spec *spec, rdx_plan *out,
                             rdx_error *err) {
  *out = (rdx_plan){.relation = relation};
  rdx_status status = RDX_OK;
  for (uint32_t i = 0; i < spec->expression_count && status == RDX_OK; i++)
    status = plan_expression(out, spec->expressions[i], !spec->summed || spec->summed[i], err);
  if (status != RDX_OK)
    rdx_plan_destroy(out);
  return status;
}

void rdx_plan_destroy(rdx_plan *plan) {
  while (plan->value_count > 0)
    rdx_wide_values_give(plan->relation, plan->values[--plan->value_count]);
  plan->measure_count = 0;
  rdx_arena_free(&plan->arena);
}
