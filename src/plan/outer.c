/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Conditions and outer joins. Some conditions make these inner ones: rows that the join fills with NULL do not satisfy
 * them. The others go down into a side that they read alone. */

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

static rdx_status simplify(rdx_planner *p, rdx_group *group) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (uint32_t i = 0; i < group->count && !changed; i++)
      RDX_TRY(simplify_item(p, group, i, &changed));
  }
  return RDX_OK;
}

/* Conditions that read a side alone become its own. */
static rdx_status lower(rdx_planner *p, rdx_conjuncts *list, rdx_group *side) {
  const uint64_t leaves = rdx_group_leaves(side);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < list->count; i++) {
    rdx_bound *c = list->list[i];
    const uint64_t reads = rdx_bound_leaves(c);
    if (reads && !(reads & ~leaves))
      RDX_TRY(rdx_conjuncts_add(p, &side->conjuncts, c));
    else
      list->list[kept++] = c;
  }
  list->count = kept;
  return RDX_OK;
}

/* An outer join keeps left rows as they are; of the right ones it takes those that `on` lets it. */
static rdx_status lower_item(rdx_planner *p, rdx_group *group, rdx_item *item) {
  if (item->join != RDX_PLAN_FULL)
    RDX_TRY(lower(p, &group->conjuncts, item->left));
  if (item->join == RDX_PLAN_FULL || item->first || item->series)
    return RDX_OK;
  RDX_TRY(rdx_imply_on(p, item));
  return lower(p, &item->on, item->right);
}

rdx_status rdx_lower_conditions(rdx_planner *p, rdx_group *group) {
  RDX_TRY(simplify(p, group));
  RDX_TRY(rdx_imply(p, group));
  for (uint32_t i = 0; i < group->count; i++) {
    rdx_item *item = &group->items[i];
    if (!item->outer)
      continue;
    RDX_TRY(lower_item(p, group, item));
    RDX_TRY(rdx_lower_conditions(p, item->left));
    RDX_TRY(rdx_lower_conditions(p, item->right));
  }
  return RDX_OK;
}
