/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Trees of bound expressions: copies with replacements, conditions as lists of what must all hold. */

#include "plan/internal.h"

rdx_status rdx_bound_rewrite(rdx_planner *p, rdx_bound *node, rdx_rewrite_fn fn, void *user, rdx_bound **out) {
  rdx_bound *instead = NULL;
  RDX_TRY(fn(user, node, &instead));
  *out = instead ? instead : node;
  if (instead || node->kind != RDX_BOUND_CALL)
    return RDX_OK;
  rdx_bound **args = NULL;
  bool changed = false;
  RDX_TRY(rdx_planner_alloc(p, node->count, sizeof(rdx_bound *), &args));
  for (uint32_t i = 0; i < node->count; i++) {
    RDX_TRY(rdx_bound_rewrite(p, node->args[i], fn, user, &args[i]));
    changed |= args[i] != node->args[i];
  }
  if (!changed)
    return RDX_OK;
  rdx_bound *copy = NULL;
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof *copy, &copy));
  *copy = *node;
  copy->args = args;
  return rdx_bind_folded(&p->binding, copy, out);
}

uint64_t rdx_bound_leaves(const rdx_bound *node) {
  uint64_t leaves = 0;
  if (node->kind == RDX_BOUND_COLUMN && rdx_leaf_of(node->index) < RDX_MAX_LEAVES)
    return (uint64_t)1 << rdx_leaf_of(node->index);
  for (uint32_t i = 0; node->kind == RDX_BOUND_CALL && i < node->count; i++)
    leaves |= rdx_bound_leaves(node->args[i]);
  return leaves;
}

bool rdx_is_known(const rdx_planner *p, const rdx_bound *e) {
  return e->kind == RDX_BOUND_CONSTANT || (e->kind == RDX_BOUND_PARAMETER && e->index < p->parameter_count);
}

uint64_t rdx_group_leaves(const rdx_group *group) {
  uint64_t leaves = group->dependents;
  for (uint32_t i = 0; i < group->count; i++)
    leaves |= group->items[i].leaves;
  return leaves;
}

rdx_status rdx_aggregates_rewrite(rdx_planner *p, rdx_plan_aggregate *list, uint32_t count, rdx_value_fn fn,
                                  void *user) {
  for (uint32_t i = 0; i < count; i++) {
    rdx_plan_aggregate *a = &list[i];
    rdx_plan_ordering *orders = NULL;
    RDX_TRY(rdx_planner_alloc(p, a->order_count, sizeof *orders, &orders));
    for (uint32_t k = 0; k < a->order_count; k++) {
      orders[k] = a->orders[k];
      RDX_TRY(fn(user, orders[k].value, &orders[k].value));
    }
    a->orders = orders;
    if (a->value)
      RDX_TRY(fn(user, a->value, &a->value));
    if (a->argument)
      RDX_TRY(fn(user, a->argument, &a->argument));
  }
  return RDX_OK;
}

uint64_t rdx_aggregates_leaves(const rdx_plan_aggregate *list, uint32_t count) {
  uint64_t leaves = 0;
  for (uint32_t i = 0; i < count; i++) {
    leaves |= list[i].value ? rdx_bound_leaves(list[i].value) : 0;
    leaves |= list[i].argument ? rdx_bound_leaves(list[i].argument) : 0;
    for (uint32_t k = 0; k < list[i].order_count; k++)
      leaves |= rdx_bound_leaves(list[i].orders[k].value);
  }
  return leaves;
}

rdx_status rdx_conjuncts_add(rdx_planner *p, rdx_conjuncts *list, rdx_bound *conjunct) {
  for (uint32_t i = 0; i < list->count; i++)
    if (rdx_bound_equal(list->list[i], conjunct))
      return RDX_OK;
  RDX_TRY(rdx_planner_grow(p, &list->list, list->count, &list->capacity, sizeof *list->list));
  list->list[list->count++] = conjunct;
  return RDX_OK;
}

rdx_status rdx_conjuncts_join(rdx_planner *p, const rdx_conjuncts *list, rdx_bound **out) {
  *out = NULL;
  if (list->count == 1)
    *out = list->list[0];
  if (list->count <= 1)
    return RDX_OK;
  return rdx_bind_call_of(p, "and", list->list, list->count, list->list[0]->place, out);
}

/* The parts of a branch of an OR. */
static rdx_conjuncts parts_of(rdx_bound **branch) {
  if (rdx_is_call(*branch, RDX_OP_AND))
    return (rdx_conjuncts){(*branch)->args, (*branch)->count, (*branch)->count};
  return (rdx_conjuncts){branch, 1, 1};
}

static bool has_part(const rdx_conjuncts *list, const rdx_bound *part) {
  for (uint32_t i = 0; i < list->count; i++)
    if (rdx_bound_equal(list->list[i], part))
      return true;
  return false;
}

/* What all branches have. */
static rdx_status find_common(rdx_planner *p, const rdx_bound *either, rdx_conjuncts *common) {
  const rdx_conjuncts first = parts_of(&either->args[0]);
  for (uint32_t i = 0; i < first.count; i++) {
    bool all = true;
    for (uint32_t k = 1; k < either->count && all; k++) {
      const rdx_conjuncts other = parts_of(&either->args[k]);
      all = has_part(&other, first.list[i]);
    }
    if (all)
      RDX_TRY(rdx_conjuncts_add(p, common, first.list[i]));
  }
  return RDX_OK;
}

/* An OR of what each branch has beside the `common` parts; where these are NULL, of the parts that read one leaf alone.
 * `*out` is NULL where a branch has nothing of it. */
static rdx_status or_of_parts(rdx_planner *p, const rdx_bound *either, const rdx_conjuncts *common, uint64_t leaf,
                              rdx_bound **out) {
  rdx_bound **branches = NULL;
  *out = NULL;
  RDX_TRY(rdx_planner_alloc(p, either->count, sizeof *branches, &branches));
  for (uint32_t i = 0; i < either->count; i++) {
    const rdx_conjuncts parts = parts_of(&either->args[i]);
    rdx_conjuncts chosen = {0};
    for (uint32_t k = 0; k < parts.count; k++) {
      rdx_bound *part = parts.list[k];
      if (common ? !has_part(common, part) : rdx_bound_leaves(part) == leaf && !rdx_bound_has(part, RDX_BOUND_OUTER))
        RDX_TRY(rdx_conjuncts_add(p, &chosen, part));
    }
    if (chosen.count == 0)
      return RDX_OK;
    RDX_TRY(rdx_conjuncts_join(p, &chosen, &branches[i]));
  }
  return rdx_bind_call_of(p, "or", branches, either->count, either->place, out);
}

static rdx_status split_or(rdx_planner *p, rdx_conjuncts *list, rdx_bound *either) {
  rdx_conjuncts common = {0};
  rdx_bound *rest = either;
  RDX_TRY(find_common(p, either, &common));
  for (uint32_t i = 0; i < common.count; i++)
    RDX_TRY(rdx_conjuncts_add(p, list, common.list[i]));
  if (common.count > 0)
    RDX_TRY(or_of_parts(p, either, &common, 0, &rest));
  if (!rest) /* a branch is no more than what is common: the others say nothing */
    return RDX_OK;
  RDX_TRY(rdx_conjuncts_add(p, list, rest));
  const uint64_t leaves = rdx_bound_leaves(rest);
  if (!rdx_is_call(rest, RDX_OP_OR) || (leaves & (leaves - 1)) == 0)
    return RDX_OK;
  for (uint64_t left = leaves; left; left &= left - 1) { /* what it says of each leaf */
    rdx_bound *implied = NULL;
    RDX_TRY(or_of_parts(p, rest, NULL, left & -left, &implied));
    if (implied)
      RDX_TRY(rdx_conjuncts_add(p, list, implied));
  }
  return RDX_OK;
}

rdx_status rdx_conjuncts_split(rdx_planner *p, rdx_conjuncts *list, rdx_bound *condition) {
  if (rdx_is_call(condition, RDX_OP_OR))
    return split_or(p, list, condition);
  if (!rdx_is_call(condition, RDX_OP_AND))
    return rdx_conjuncts_add(p, list, condition);
  for (uint32_t i = 0; i < condition->count; i++)
    RDX_TRY(rdx_conjuncts_split(p, list, condition->args[i]));
  return RDX_OK;
}
