/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* What equalities imply: a.x = b.x and a.x < 5 give b.x < 5, which b is then read by. */

#include "plan/internal.h"

static rdx_bound *without_casts(rdx_bound *e) {
  return (rdx_bound *)(uintptr_t)rdx_without_casts(e);
}

/* NULL: it is no comparison, or of a kind that says nothing of a value that is equal. */
static const char *comparison_name(const rdx_bound *c) {
  static const char *const names[] = {[RDX_OP_EQ] = "=", [RDX_OP_LT] = "<",  [RDX_OP_LE] = "<=",
                                      [RDX_OP_GT] = ">", [RDX_OP_GE] = ">=", [RDX_OP_IN] = "in"};
  return c->kind == RDX_BOUND_CALL && c->op < RDX_COUNT(names) ? names[c->op] : NULL;
}

/* The argument that is a column, where the others are known before the statement runs; c->count: there is none. */
static uint32_t compared_column(const rdx_planner *p, const rdx_bound *c) {
  uint32_t column = c->count, known = 0;
  for (uint32_t i = 0; i < c->count; i++) {
    if (without_casts(c->args[i])->kind == RDX_BOUND_COLUMN)
      column = i;
    known += rdx_is_known(p, c->args[i]);
  }
  return known + 1 == c->count && (c->op != RDX_OP_IN || column == 0) ? column : c->count;
}

/* What is equal to the first one of the list. */
static rdx_status find_equal(rdx_planner *p, const rdx_conjuncts *edges, rdx_conjuncts *list) {
  for (uint32_t i = 0; i < list->count; i++) {
    for (uint32_t k = 0; k < edges->count; k++) {
      const rdx_bound *e = edges->list[k];
      if (!rdx_is_call(e, RDX_OP_EQ))
        continue;
      for (uint32_t side = 0; side < 2; side++) {
        rdx_bound *own = without_casts(e->args[side]), *other = without_casts(e->args[1 - side]);
        if (other->kind == RDX_BOUND_COLUMN && rdx_bound_equal(own, list->list[i]))
          RDX_TRY(rdx_conjuncts_add(p, list, other));
      }
    }
  }
  return RDX_OK;
}

/* A comparison of other columns, those of `leaves`, that are equal to the one that `c` compares. */
static rdx_status imply_one(rdx_planner *p, const rdx_bound *c, const rdx_conjuncts *edges, uint64_t leaves,
                            rdx_conjuncts *out) {
  const char *name = comparison_name(c);
  const uint32_t column = name ? compared_column(p, c) : c->count;
  rdx_conjuncts equal = {0};
  rdx_bound **args = NULL, *implied = NULL;
  if (!name || column == c->count)
    return RDX_OK;
  RDX_TRY(rdx_conjuncts_add(p, &equal, without_casts(c->args[column])));
  RDX_TRY(find_equal(p, edges, &equal));
  for (uint32_t i = 1; i < equal.count; i++) {
    if (rdx_bound_leaves(equal.list[i]) & ~leaves)
      continue;
    RDX_TRY(rdx_planner_alloc(p, c->count, sizeof(rdx_bound *), &args));
    for (uint32_t k = 0; k < c->count; k++)
      args[k] = k == column ? equal.list[i] : c->args[k];
    RDX_TRY(rdx_bind_call_of(p, name, args, c->count, c->place, &implied));
    RDX_TRY(rdx_conjuncts_add(p, out, implied));
  }
  return RDX_OK;
}

static rdx_status imply(rdx_planner *p, const rdx_conjuncts *conditions, const rdx_conjuncts *edges, uint64_t leaves,
                        rdx_conjuncts *out) {
  const rdx_conjuncts written = *conditions; /* `out` may be the same list, and grow */
  for (uint32_t i = 0; i < written.count; i++)
    RDX_TRY(imply_one(p, written.list[i], edges, leaves, out));
  return RDX_OK;
}

rdx_status rdx_imply(rdx_planner *p, rdx_group *group) {
  return imply(p, &group->conjuncts, &group->conjuncts, UINT64_MAX, &group->conjuncts);
}

/* Of a LEFT join the right rows count that match left ones which are kept. */
rdx_status rdx_imply_on(rdx_planner *p, rdx_item *item) {
  const uint64_t right = rdx_group_leaves(item->right);
  RDX_TRY(imply(p, &item->left->conjuncts, &item->on, right, &item->on));
  return imply(p, &item->on, &item->on, right, &item->on);
}
