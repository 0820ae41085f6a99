/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Band joins: conditions of a join without equal keys that bound a value of one side by values of the other. All pairs
 * that fulfil them are among those within the bounds, and the condition is evaluated for these. */

#include "plan/internal.h"

#include <string.h>

#include "expression/functions.h"
#include "expression/types.h"

#define MAX_BOUNDS 16 /* that are looked at */

enum { LEFT = 1, RIGHT = 2 }; /* sides, as bits */

/* A value of one side, and what it is not above, or not below, of the other. */
typedef struct bound {
  rdx_bound *key, *limit;
  uint32_t side; /* of the key */
  bool upper;
} bound;

typedef struct search {
  rdx_planner *p;
  const rdx_plan_node *node;
  bound bounds[MAX_BOUNDS];
  uint32_t count;
} search;

static uint32_t sides_of(const search *s, const rdx_bound *e) {
  uint32_t sides = e->kind != RDX_BOUND_COLUMN ? 0 : e->index < s->node->left->column_count ? LEFT : RIGHT;
  for (uint32_t i = 0; e->kind == RDX_BOUND_CALL && i < e->count; i++)
    sides |= sides_of(s, e->args[i]);
  return sides;
}

static rdx_status call(const search *s, const char *name, rdx_bound *left, rdx_bound *right, rdx_bound **out) {
  rdx_bound *const args[] = {left, right};
  return rdx_bind_call_of(s->p, name, args, right ? 2 : 1, left->place, out);
}

static void add_bound(search *s, rdx_bound *key, bool upper, rdx_bound *limit) {
  if (s->count < MAX_BOUNDS)
    s->bounds[s->count++] = (bound){key, limit, sides_of(s, key), upper};
}

/* ---- Comparisons ---- */

/* Integers get 64 bits, so that sums of them pass no limit. */
static rdx_status widen(const search *s, rdx_bound **value) {
  const rdx_sql_type bigint = {.kind = RDX_SQL_BIGINT};
  return rdx_is_integer((*value)->type) ? rdx_bind_cast(&s->p->binding, *value, bigint, true, (*value)->place, value)
                                        : RDX_OK;
}

/* Numbers, or days to which an integer is added. */
static bool can_move(const rdx_bound *q, const rdx_bound *limit) {
  const bool day = q->type.kind == RDX_SQL_DATE && rdx_is_integer(limit->type) && limit->type.kind != RDX_SQL_BIGINT;
  return day || (rdx_is_number(q->type) && rdx_is_number(limit->type));
}

/* A limit that was moved across a comparison of doubles: sums are rounded, by less than a share of 10^-15 of their
 * terms. */
static rdx_status loosen(const search *s, const rdx_bound *a, const rdx_bound *b, bool upper, rdx_bound **limit) {
  rdx_bound *terms[2] = {NULL, NULL}, *share = NULL, *slack = NULL;
  const rdx_bound *of[] = {a, b};
  if ((*limit)->type.kind != RDX_SQL_DOUBLE)
    return RDX_OK;
  for (uint32_t i = 0; i < 2; i++)
    RDX_TRY(call(s, "abs", (rdx_bound *)(uintptr_t)of[i], NULL, &terms[i]));
  RDX_TRY(rdx_bind_constant(&s->p->binding, (*limit)->type, (rdx_datum){.f = 1e-15}, (*limit)->place, &share));
  RDX_TRY(call(s, "+", terms[0], terms[1], &slack));
  RDX_TRY(call(s, "*", slack, share, &slack));
  return call(s, upper ? "+" : "-", *limit, slack, limit);
}

static bool is_sum(const rdx_bound *e) {
  return e->kind == RDX_BOUND_CALL && (e->op == RDX_OP_ADD || e->op == RDX_OP_SUBTRACT) && rdx_is_number(e->type) &&
         e->type.kind != RDX_SQL_REAL;
}

/* p - q or p + q, of both sides, is not above `limit`, or not below: then p is not above limit + q or limit - q. */
static rdx_status add_sum(search *s, const rdx_bound *sum, bool upper, rdx_bound *limit) {
  const bool minus = sum->op == RDX_OP_SUBTRACT;
  rdx_bound *p = sum->args[0], *q = sum->args[1], *moved = NULL;
  if (sides_of(s, p) == (LEFT | RIGHT) || sides_of(s, q) == (LEFT | RIGHT) || (sides_of(s, q) & sides_of(s, p)) ||
      (sides_of(s, limit) & sides_of(s, p)) || !can_move(q, limit))
    return RDX_OK;
  if (rdx_is_number(q->type)) {
    RDX_TRY(widen(s, &q));
    RDX_TRY(widen(s, &limit));
  }
  RDX_TRY(call(s, minus ? "+" : "-", minus ? q : limit, minus ? limit : q, &moved));
  RDX_TRY(loosen(s, q, limit, upper, &moved));
  add_bound(s, p, upper, moved);
  return RDX_OK;
}

/* abs(value) is not above `limit`: the value is not above it, and not below -limit. */
static rdx_status add_limit(search *s, rdx_bound *value, bool upper, rdx_bound *limit) {
  const rdx_bound *e = rdx_without_casts(value);
  const bool is_abs = rdx_is_call(e, RDX_OP_FUNCTION) && strcmp(e->function->name, "abs") == 0;
  rdx_bound *below = NULL;
  if (is_sum(e))
    return add_sum(s, e, upper, limit);
  if (!is_abs || !upper || !is_sum(rdx_without_casts(e->args[0])))
    return RDX_OK;
  if (!rdx_is_number(limit->type))
    return RDX_OK;
  RDX_TRY(call(s, "-", limit, NULL, &below));
  RDX_TRY(add_sum(s, rdx_without_casts(e->args[0]), true, limit));
  return add_sum(s, rdx_without_casts(e->args[0]), false, below);
}

static rdx_status add_comparison(search *s, const rdx_bound *c) {
  const bool upper = c->op == RDX_OP_LT || c->op == RDX_OP_LE; /* the second argument is the first one's */
  const uint32_t sides[] = {sides_of(s, c->args[0]), sides_of(s, c->args[1])};
  if (sides[0] + sides[1] == (LEFT | RIGHT) && sides[0] != 0 && sides[1] != 0) {
    add_bound(s, c->args[0], upper, c->args[1]);
    add_bound(s, c->args[1], !upper, c->args[0]);
    return RDX_OK;
  }
  if (sides[0] == (LEFT | RIGHT) && sides[1] != (LEFT | RIGHT))
    return add_limit(s, c->args[0], upper, c->args[1]);
  return sides[1] == (LEFT | RIGHT) && sides[0] != (LEFT | RIGHT) ? add_limit(s, c->args[1], !upper, c->args[0])
                                                                  : RDX_OK;
}

static rdx_status add_conjuncts(search *s, const rdx_bound *condition) {
  if (condition->kind != RDX_BOUND_CALL)
    return RDX_OK;
  if (condition->op >= RDX_OP_LT && condition->op <= RDX_OP_GE)
    return add_comparison(s, condition);
  for (uint32_t i = 0; condition->op == RDX_OP_AND && i < condition->count; i++)
    RDX_TRY(add_conjuncts(s, condition->args[i]));
  return RDX_OK;
}

/* ---- Bands ---- */

static rdx_status shift_column(void *user, rdx_bound *node, rdx_bound **out) {
  const search *s = user;
  if (node->kind != RDX_BOUND_COLUMN)
    return RDX_OK;
  return rdx_bind_column(s->p, node->index - s->node->left->column_count, node->type, node->place, out);
}

/* Over the columns of its own side, as a type that keys of an index have. */
static rdx_status place(search *s, rdx_bound *value, uint32_t side, rdx_sql_type type, rdx_bound **out) {
  RDX_TRY(rdx_bind_cast(&s->p->binding, value, type, true, value->place, out));
  return side == RIGHT ? rdx_bound_rewrite(s->p, *out, shift_column, s, out) : RDX_OK;
}

static bool has_key_type(rdx_sql_type type) {
  return rdx_is_integer(type) || type.kind == RDX_SQL_DOUBLE || type.kind == RDX_SQL_DATE ||
         type.kind == RDX_SQL_TIMESTAMP || (type.kind == RDX_SQL_DECIMAL && type.precision <= 18);
}

static rdx_status take_band(search *s, const bound *lower, const bound *upper, rdx_plan_node *node) {
  const rdx_sql_type types[] = {lower->key->type, lower->limit->type, upper->limit->type};
  const uint32_t side = lower->side;
  rdx_sql_type type;
  if (!rdx_sql_common_type(types, 3, &type) || !has_key_type(type))
    return RDX_OK;
  RDX_TRY(place(s, lower->key, side, type, &node->band_key));
  RDX_TRY(place(s, lower->limit, LEFT + RIGHT - side, type, &node->band_lower));
  RDX_TRY(place(s, upper->limit, LEFT + RIGHT - side, type, &node->band_upper));
  node->band_left = side == LEFT;
  return RDX_OK;
}

rdx_status rdx_plan_band(rdx_planner *p, rdx_plan_node *node) {
  search s = {.p = p, .node = node};
  RDX_TRY(add_conjuncts(&s, node->filter));
  for (uint32_t i = 0; i < s.count; i++)
    for (uint32_t k = 0; k < s.count && !node->band_key; k++)
      if (!s.bounds[i].upper && s.bounds[k].upper && s.bounds[i].side == s.bounds[k].side &&
          rdx_bound_equal(s.bounds[i].key, s.bounds[k].key))
        RDX_TRY(take_band(&s, &s.bounds[i], &s.bounds[k], node));
  return RDX_OK;
}
