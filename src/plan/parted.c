/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Subqueries that read outer columns behind their groups: in HAVING, the list or ORDER BY. The groups become the
 * relation of a query without any, which reads outer columns as others do. */

#include "plan/correlated.h"

typedef struct parting {
  rdx_block *groups, *rest;
  rdx_conjuncts columns; /* of the groups, which the rest reads */
} parting;

static rdx_status part_node(void *user, rdx_bound *node, rdx_bound **out) {
  parting *x = user;
  rdx_planner *p = x->rest->planner;
  bool is = node->kind == RDX_BOUND_COLUMN;
  for (uint32_t i = 0; i < x->groups->group_count && !is; i++)
    is = rdx_bound_equal(x->groups->groups[i], node);
  if (!is)
    return RDX_OK;
  RDX_TRY(rdx_conjuncts_add(p, &x->columns, node));
  for (uint32_t i = 0; i < x->columns.count; i++)
    if (rdx_bound_equal(x->columns.list[i], node))
      return rdx_bind_column(p, rdx_leaf_column(0, i), node->type, node->place, out);
  return RDX_OK;
}

/* Conditions on outer columns, with the groups' columns or without, are those of the rest. */
static rdx_status part_conditions(parting *x) {
  rdx_block *c = x->groups;
  rdx_conjuncts having = {0}, kept = {0};
  const rdx_conjuncts all = c->correlations;
  if (c->having)
    RDX_TRY(rdx_conjuncts_split(c->planner, &having, c->having));
  for (uint32_t i = 0; i < having.count; i++) {
    rdx_bound *condition = having.list[i];
    const bool outer = rdx_bound_has(condition, RDX_BOUND_OUTER);
    if (outer)
      RDX_TRY(rdx_bound_rewrite(c->planner, condition, part_node, x, &condition));
    RDX_TRY(rdx_conjuncts_add(c->planner, outer ? &x->rest->correlations : &kept, condition));
  }
  RDX_TRY(rdx_conjuncts_join(c->planner, &kept, &c->having));
  c->correlations = (rdx_conjuncts){0};
  for (uint32_t i = 0; i < all.count; i++)
    RDX_TRY(rdx_conjuncts_add(
        c->planner, rdx_bound_has(all.list[i], RDX_BOUND_COLUMN) ? &c->correlations : &x->rest->correlations,
        all.list[i]));
  return RDX_OK;
}

static rdx_status part_outputs(parting *x) {
  rdx_block *c = x->groups;
  for (uint32_t i = 0; i < c->output_count; i++) {
    rdx_bound *value = NULL;
    RDX_TRY(rdx_bound_rewrite(c->planner, c->outputs[i].value, part_node, x, &value));
    RDX_TRY(rdx_block_add_output(x->rest, c->outputs[i].name, value));
  }
  x->rest->visible = c->visible;
  c->output_count = 0;
  for (uint32_t i = 0; i < x->columns.count; i++)
    RDX_TRY(rdx_block_add_output(c, "", x->columns.list[i]));
  c->visible = c->output_count;
  return RDX_OK;
}

/* The groups as the only leaf, which is compared by what their WHERE is. */
static rdx_status add_groups(rdx_block *b, parting *x, const rdx_bound_query *q) {
  rdx_planner *p = b->planner;
  rdx_bound_query groups = *q;
  rdx_correlated_parts parts = {0};
  rdx_plan_node *plan = NULL;
  rdx_leaf leaf;
  const uint32_t first = x->columns.count;
  groups.limit = groups.offset = NULL;
  RDX_TRY(rdx_query_list_columns(p, &groups));
  RDX_TRY(rdx_find_parts(x->groups, true, &parts));
  RDX_TRY(rdx_build_correlated(b, &groups, &(rdx_form){RDX_PLAN_INNER, first, false}, &parts, &plan));
  RDX_TRY(rdx_leaf_of_plan(p, plan, NULL, &leaf));
  RDX_TRY(rdx_block_add_relation(x->rest, leaf, q->written->place, &x->rest->from));
  for (uint32_t i = 0; i < parts.outer.count; i++) {
    rdx_bound *column = NULL, *equal = NULL;
    RDX_TRY(rdx_bind_column(p, rdx_leaf_column(0, first + i), parts.inner.list[i]->type, 0, &column));
    RDX_TRY(rdx_bind_pair(b, "=", parts.outer.list[i], column, parts.outer.list[i]->place, &equal));
    RDX_TRY(rdx_conjuncts_add(p, &x->rest->correlations, equal));
  }
  return RDX_OK;
}

static bool reads_outer(const rdx_block *c) {
  bool reads = c->having && rdx_bound_has(c->having, RDX_BOUND_OUTER);
  for (uint32_t i = 0; i < c->output_count; i++)
    reads |= rdx_bound_has(c->outputs[i].value, RDX_BOUND_OUTER);
  for (uint32_t i = 0; i < c->correlations.count; i++)
    reads |= !rdx_bound_has(c->correlations.list[i], RDX_BOUND_COLUMN);
  return reads;
}

rdx_status rdx_part_groups(rdx_block *b, rdx_bound_query *q) {
  rdx_block *c = q->block;
  parting x = {.groups = c};
  if (!c || c->group_count == 0 || c->set_count > 0 || c->window_count > 0 || c->distinct_on_count > 0 ||
      !reads_outer(c))
    return RDX_OK;
  RDX_TRY(rdx_planner_alloc(b->planner, 1, sizeof *x.rest, &x.rest));
  *x.rest = (rdx_block){.planner = b->planner,
                        .parent = c->parent,
                        .ctes = c->ctes,
                        .outer_levels = c->outer_levels,
                        .distinct = c->distinct};
  c->distinct = false;
  RDX_TRY(part_conditions(&x));
  RDX_TRY(part_outputs(&x));
  RDX_TRY(add_groups(b, &x, q));
  q->block = x.rest;
  return RDX_OK;
}
