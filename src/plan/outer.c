/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Outer joins that a condition makes inner ones: rows that the join fills with NULL do not satisfy it. */

#include "plan/internal.h"

bool rdx_bound_is_strict(const rdx_bound *e, uint64_t leaves) {
  uint32_t strict = 0;
  if (e->kind == RDX_BOUND_COLUMN)
    return leaves == UINT64_MAX || (rdx_bound_leaves(e) & leaves) != 0;
  if (e->kind != RDX_BOUND_CALL)
    return false;
  for (uint32_t i = 0; i < e->count; i++)
    strict += rdx_bound_is_strict(e->args[i], leaves);
  switch (e->op) {
  case RDX_OP_EQ:
  case RDX_OP_NE:
  case RDX_OP_LT:
  case RDX_OP_LE:
  case RDX_OP_GT:
  case RDX_OP_GE:
  case RDX_OP_ADD:
  case RDX_OP_SUBTRACT:
  case RDX_OP_MULTIPLY:
  case RDX_OP_DIVIDE:
  case RDX_OP_MODULO:
  case RDX_OP_NEGATE:
  case RDX_OP_LIKE:
  case RDX_OP_ILIKE:
  case RDX_OP_CAST:
    return strict > 0;
  case RDX_OP_IN:
    return rdx_bound_is_strict(e->args[0], leaves);
  default:
    return false;
  }
}

/* AND and OR of conditions: not true, though maybe false. */
bool rdx_bound_rejects(const rdx_bound *c, uint64_t leaves) {
  uint32_t rejecting = 0;
  if (c->kind != RDX_BOUND_CALL || (c->op != RDX_OP_AND && c->op != RDX_OP_OR))
    return rdx_bound_is_strict(c, leaves);
  for (uint32_t i = 0; i < c->count; i++)
    rejecting += rdx_bound_rejects(c->args[i], leaves);
  return c->op == RDX_OP_AND ? rejecting > 0 : rejecting == c->count;
}

static bool is_rejected(const rdx_group *group, uint64_t leaves) {
  bool rejected = false;
  for (uint32_t i = 0; i < group->conjuncts.count && !rejected; i++)
    rejected = rdx_bound_rejects(group->conjuncts.list[i], leaves);
  return rejected;
}

static rdx_status add_all(rdx_planner *p, rdx_group *group, const rdx_group *from) {
  group->dependents |= from->dependents;
  for (uint32_t i = 0; i < from->count; i++) {
    RDX_TRY(rdx_planner_grow(p, &group->items, group->count, &group->capacity, sizeof *group->items));
    group->items[group->count++] = from->items[i];
  }
  for (uint32_t i = 0; i < from->conjuncts.count; i++)
    RDX_TRY(rdx_conjuncts_add(p, &group->conjuncts, from->conjuncts.list[i]));
  return RDX_OK;
}

/* The two sides become members of the group, their condition one of its own. */
static rdx_status dissolve(rdx_planner *p, rdx_group *group, uint32_t place) {
  const rdx_item item = group->items[place];
  group->items[place] = group->items[--group->count];
  RDX_TRY(add_all(p, group, item.left));
  RDX_TRY(add_all(p, group, item.right));
  for (uint32_t i = 0; i < item.on.count; i++)
    RDX_TRY(rdx_conjuncts_add(p, &group->conjuncts, item.on.list[i]));
  return RDX_OK;
}

static rdx_status simplify_item(rdx_planner *p, rdx_group *group, uint32_t place, bool *changed) {
  rdx_item *item = &group->items[place];
  if (!item->outer || item->first || item->series)
    return RDX_OK;
  const bool left = is_rejected(group, rdx_group_leaves(item->left)),
             right = is_rejected(group, rdx_group_leaves(item->right));
  if (item->join == RDX_PLAN_FULL && (left || right)) {
    rdx_group *kept = left ? item->left : item->right, *other = left ? item->right : item->left;
    item->left = kept;
    item->right = other;
    item->join = RDX_PLAN_LEFT;
    *changed = true;
    return RDX_OK;
  }
  if (item->join != RDX_PLAN_LEFT || !right)
    return RDX_OK;
  *changed = true;
  return dissolve(p, group, place);
}

rdx_status rdx_simplify_outer(rdx_planner *p, rdx_group *group) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (uint32_t i = 0; i < group->count && !changed; i++)
      RDX_TRY(simplify_item(p, group, i, &changed));
  }
  return RDX_OK;
}
