/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Conditions of a block that its queries in FROM can keep: they become conditions of these queries, whose tables are
 * then read with them. A condition that may fail stays where it is: below it would look at more rows. */

#include "plan/internal.h"

/* ---- What cannot fail ---- */

/* A pattern that ends in an escape fails where it is compared. */
static bool is_pattern(const rdx_bound *e) {
  const rdx_sql_text text = e->value.text;
  return e->kind == RDX_BOUND_CONSTANT && (e->value.null || text.length == 0 || text.data[text.length - 1] != '\\');
}

/* Values that are equal are equal to it, too. */
bool rdx_cannot_fail(const rdx_planner *p, const rdx_bound *e) {
  bool safe = true;
  if (e->kind != RDX_BOUND_CALL)
    return e->kind == RDX_BOUND_COLUMN || rdx_is_known(p, e);
  for (uint32_t i = 0; i < e->count && safe; i++)
    safe = rdx_cannot_fail(p, e->args[i]);
  switch (e->op) {
  case RDX_OP_CAST:
    return safe && rdx_keeps_values(e->args[0]->type, e->type);
  case RDX_OP_LIKE:
  case RDX_OP_ILIKE:
    return safe && is_pattern(e->args[1]);
  default:
    return safe && e->op < RDX_OP_ADD;
  }
}

/* ---- Into a query ---- */

/* Columns of a query's result, or of the leaf that it is, become what they stand for. */
typedef struct placing {
  rdx_planner *planner;
  const rdx_bound_query *query;
  const rdx_bound_query *side; /* of a set operation: its columns in their own types; NULL: the block's outputs */
} placing;

static rdx_status place_node(void *user, rdx_bound *node, rdx_bound **out) {
  const placing *p = user;
  if (node->kind != RDX_BOUND_COLUMN)
    return RDX_OK;
  const uint32_t column = rdx_column_of(node->index);
  if (!p->side) {
    *out = p->query->block->outputs[column].value;
    return RDX_OK;
  }
  RDX_TRY(rdx_bind_column(p->planner, column, p->side->columns[column].type, node->place, out));
  return rdx_bind_cast(&p->planner->binding, *out, p->query->columns[column].type, true, node->place, out);
}

/* Whether all that an expression reads is in one of these. */
static bool reads_only(const rdx_bound *e, rdx_bound *const *list, uint32_t count) {
  bool only = e->kind != RDX_BOUND_COLUMN;
  for (uint32_t i = 0; i < count; i++)
    if (rdx_bound_equal(list[i], e))
      return true;
  for (uint32_t i = 0; e->kind == RDX_BOUND_CALL && i < e->count && only; i++)
    only = reads_only(e->args[i], list, count);
  return only;
}

/* Whether it reads columns of relations alone. */
static bool reads_relations(const rdx_block *b, const rdx_bound *e) {
  bool relations = true;
  if (e->kind == RDX_BOUND_COLUMN)
    return rdx_leaf_of(e->index) < b->leaf_count && b->leaves[rdx_leaf_of(e->index)].alias;
  for (uint32_t i = 0; e->kind == RDX_BOUND_CALL && i < e->count && relations; i++)
    relations = reads_relations(b, e->args[i]);
  return relations;
}

/* Whether a condition on a block's result says which of its rows before groups and window functions count. */
static bool takes(const rdx_block *b, const rdx_bound *c) {
  bool takes = b->distinct_on_count == 0 && b->set_count == 0 && reads_relations(b, c);
  if (b->aggregating)
    takes = takes && b->group_count > 0 && reads_only(c, b->groups, b->group_count);
  for (uint32_t i = 0; i < b->window_count && takes; i++)
    takes = reads_only(c, b->windows[i].partition, b->windows[i].partition_count);
  return takes;
}

static rdx_status push(rdx_planner *p, rdx_bound_query *q, rdx_bound *c, bool *done);

/* Rows of a UNION are those of both sides; of INTERSECT and EXCEPT they are among the left ones. */
static rdx_status push_to_sides(rdx_planner *p, rdx_bound_query *q, rdx_bound *c, bool *done) {
  rdx_bound_query *sides[] = {q->left, q->right};
  bool both[2];
  for (uint32_t i = 0; i < 2; i++) {
    placing placed = {p, q, sides[i]};
    rdx_bound *own = NULL;
    RDX_TRY(rdx_bound_rewrite(p, c, place_node, &placed, &own));
    RDX_TRY(push(p, sides[i], own, &both[i]));
  }
  *done = both[0] && (both[1] || q->written->kind != RDX_QUERY_UNION);
  return RDX_OK;
}

/* A condition on the columns of a query's result. `*done`: the query keeps it; else it may keep it for some rows. */
static rdx_status push(rdx_planner *p, rdx_bound_query *q, rdx_bound *c, bool *done) {
  placing placed = {p, q, NULL};
  rdx_bound *own = NULL;
  *done = false;
  if (q->limit || q->offset)
    return RDX_OK;
  if (q->left)
    return push_to_sides(p, q, c, done);
  if (!q->block)
    return RDX_OK;
  RDX_TRY(rdx_bound_rewrite(p, c, place_node, &placed, &own));
  *done = rdx_cannot_fail(p, own) && takes(q->block, own);
  return *done ? rdx_conjuncts_split(p, &q->block->from.conjuncts, own) : RDX_OK;
}

/* ---- Of a block ---- */

static rdx_status push_to_leaf(rdx_block *b, uint32_t number, rdx_conjuncts *list) {
  const rdx_leaf *leaf = &b->leaves[number];
  uint32_t kept = 0;
  for (uint32_t i = 0; i < list->count && leaf->query; i++) {
    rdx_bound *c = list->list[i];
    bool done = false;
    if (rdx_bound_leaves(c) == (uint64_t)1 << number && reads_relations(b, c) && rdx_cannot_fail(b->planner, c))
      RDX_TRY(push(b->planner, leaf->query, c, &done));
    if (!done)
      list->list[kept++] = c;
  }
  if (leaf->query)
    list->count = kept;
  return RDX_OK;
}

static rdx_status push_all(rdx_block *b, rdx_group *group) {
  for (uint32_t i = 0; i < group->count; i++) {
    const rdx_item *item = &group->items[i];
    if (!item->outer) {
      RDX_TRY(push_to_leaf(b, item->leaf, &group->conjuncts));
      continue;
    }
    RDX_TRY(push_all(b, item->left));
    RDX_TRY(push_all(b, item->right));
  }
  return RDX_OK;
}

static rdx_status build_query(rdx_planner *p, rdx_leaf *leaf) {
  const bool keeps = p->binding.keeps_all;
  p->binding.keeps_all = false;
  const rdx_status status = rdx_build_query(p, leaf->query, &leaf->plan);
  p->binding.keeps_all = keeps;
  leaf->query = NULL;
  return status == RDX_OK || !leaf->view ? status : rdx_view_fail(p, leaf->from, leaf->view, status);
}

rdx_status rdx_build_queries(rdx_block *b) {
  RDX_TRY(push_all(b, &b->from));
  for (uint32_t i = 0; i < b->leaf_count; i++)
    if (b->leaves[i].query)
      RDX_TRY(build_query(b->planner, &b->leaves[i]));
  return RDX_OK;
}

/* ---- FILTER of all aggregates ---- */

/* Whether an aggregate is of CASE WHEN condition THEN value END, as FILTER makes it, and passes over NULLs. */
static bool is_filtered(const rdx_plan_aggregate *a) {
  const rdx_bound *v = a->value;
  return a->kind <= RDX_PLAN_MAX && v && rdx_is_call(v, RDX_OP_CASE) && v->count == 3 &&
         v->args[2]->kind == RDX_BOUND_CONSTANT && v->args[2]->value.null;
}

/* Whether all have one condition, which can be one of WHERE without that any fails less or more often. */
static bool share_filter(const rdx_block *b) {
  const rdx_bound *first = b->aggregate_count > 0 && b->aggregates[0].value ? b->aggregates[0].value : NULL;
  bool share = first && b->group_count == 0 && b->set_count == 0 && b->dependent_count == 0 && b->firsts.count == 0;
  for (uint32_t i = 0; i < b->aggregate_count && share; i++)
    share = is_filtered(&b->aggregates[i]) && rdx_bound_equal(b->aggregates[i].value->args[0], first->args[0]);
  for (uint32_t i = 0; i < b->from.conjuncts.count && share; i++)
    share = rdx_cannot_fail(b->planner, b->from.conjuncts.list[i]);
  return share && rdx_cannot_fail(b->planner, first->args[0]) && rdx_bound_leaves(first->args[0]) != 0;
}

/* What FILTER was put around. Where it cannot fail itself, errors about the aggregate show the place that they did. */
static rdx_status unfilter(rdx_planner *p, const rdx_bound *filtered, rdx_bound **out) {
  rdx_bound *value = filtered->args[1], *copy = NULL;
  *out = value;
  if (value->kind == RDX_BOUND_CALL)
    return RDX_OK;
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof *copy, &copy));
  *copy = *value;
  copy->place = filtered->place;
  *out = copy;
  return RDX_OK;
}

rdx_status rdx_push_filters(rdx_block *b) {
  if (!share_filter(b))
    return RDX_OK;
  RDX_TRY(rdx_conjuncts_split(b->planner, &b->from.conjuncts, b->aggregates[0].value->args[0]));
  for (uint32_t i = 0; i < b->aggregate_count; i++) {
    rdx_plan_aggregate *a = &b->aggregates[i];
    RDX_TRY(unfilter(b->planner, a->value, &a->value));
    if (a->kind == RDX_PLAN_COUNT && !a->distinct && a->value->kind == RDX_BOUND_CONSTANT && !a->value->value.null)
      a->value = NULL;
  }
  return RDX_OK;
}
