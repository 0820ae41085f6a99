/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* What stands on the joins of a block: groups, HAVING, the list, DISTINCT; and on any query: ORDER BY, LIMIT. */

#include "plan/internal.h"

#include <math.h>
#include <string.h>

/* ---- After the aggregate ---- */

/* A subquery that only the list and HAVING read: it is joined to the groups. Its columns begin at `first`. */
typedef struct late {
  const rdx_dependent *dependent;
  uint32_t first;
} late;

typedef struct grouping {
  rdx_block *block;
  late *late;
  uint32_t late_count;
} grouping;

static bool find_late(const grouping *g, uint32_t index, uint32_t *out) {
  for (uint32_t i = 0; i < g->late_count; i++) {
    if (g->late[i].dependent->leaf != rdx_leaf_of(index))
      continue;
    *out = g->late[i].first + rdx_column_of(index);
    return true;
  }
  return false;
}

/* grouping() of the one set that has all groups is 0; else it is a column behind the aggregates. */
static rdx_status group_grouping(rdx_block *b, const rdx_bound *node, rdx_bound **out) {
  const uint32_t number = rdx_column_of(node->index), first = b->group_count + b->aggregate_count;
  RDX_TRY(rdx_grouping_value(b, number, NULL, out)); /* with a look at its arguments */
  return b->set_count > 0 ? rdx_bind_column(b->planner, first + number, node->type, node->place, out) : RDX_OK;
}

/* A subquery is that of GROUP BY only where it is written like it. */
static const char *ungrouped_hint(const rdx_block *b) {
  bool subquery = false;
  for (uint32_t i = 0; i < b->group_count; i++)
    for (uint32_t leaf = 0; leaf < b->leaf_count; leaf++)
      subquery |= rdx_bound_leaves(b->groups[i]) >> leaf & 1 && !b->leaves[leaf].alias;
  return subquery
             ? "to group by a subquery of the list, write it in GROUP BY as it stands there, or its position or alias"
             : "add it to GROUP BY, or aggregate it";
}

/* What equals a group is that group; what is left of the rows' columns is in no group. */
static rdx_status group_node(void *user, rdx_bound *node, rdx_bound **out) {
  const grouping *g = user;
  rdx_block *b = g->block;
  uint32_t column = 0;
  for (uint32_t i = 0; i < b->group_count; i++)
    if (rdx_bound_equal(b->named_groups[i], node))
      return rdx_bind_column(b->planner, i, node->type, node->place, out);
  if (node->kind == RDX_BOUND_OUTER)
    return rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, node->place, NULL,
                            "a subquery with aggregates can read columns of the query around it in its WHERE only");
  if (node->kind != RDX_BOUND_COLUMN || rdx_leaf_of(node->index) == RDX_WINDOWS_LEAF)
    return RDX_OK;
  if (rdx_leaf_of(node->index) == RDX_AGGREGATES_LEAF)
    return rdx_bind_column(b->planner, b->group_count + rdx_column_of(node->index), node->type, node->place, out);
  if (rdx_leaf_of(node->index) == RDX_GROUPINGS_LEAF)
    return group_grouping(b, node, out);
  if (find_late(g, node->index, &column))
    return rdx_bind_column(b->planner, column, node->type, node->place, out);
  const rdx_leaf *leaf = &b->leaves[rdx_leaf_of(node->index)];
  if (leaf->numbered && rdx_column_of(node->index) == leaf->column_count)
    return rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, node->place,
                            "put the query that groups in FROM of one that calls it",
                            "random() is not supported beside groups and aggregates");
  if (!leaf->alias)
    return rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, node->place, NULL,
                            "this subquery cannot stand both in and outside of aggregates and groups");
  if (leaf->values)
    return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, node->place, ungrouped_hint(b),
                            "a column of \"%.100s\" is neither grouped by nor in an aggregate", leaf->alias);
  return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, node->place, ungrouped_hint(b),
                          "column \"%.100s.%.100s\" is neither grouped by nor in an aggregate", leaf->alias,
                          leaf->names[rdx_column_of(node->index)]);
}

/* Whether a subquery is joined to the rows, as it decides which there are, or what is read early is its value. */
static bool is_early(const rdx_dependent *d, uint64_t leaves) {
  return (d->join != RDX_PLAN_LEFT && d->join != RDX_PLAN_SINGLE) || d->attached || leaves >> d->leaf & 1;
}

/* Leaves that are read before or in the aggregate, beside what subqueries read. */
static uint64_t read_early(const rdx_block *b) {
  uint64_t leaves = 0;
  for (uint32_t i = 0; i < b->from.conjuncts.count; i++)
    leaves |= rdx_bound_leaves(b->from.conjuncts.list[i]);
  for (uint32_t i = 0; i < b->group_count; i++)
    leaves |= rdx_bound_leaves(b->groups[i]);
  leaves |= rdx_aggregates_leaves(b->aggregates, b->aggregate_count);
  for (uint32_t i = 0; i < b->firsts.count; i++)
    leaves |= rdx_bound_leaves(b->firsts.list[i]);
  return leaves;
}

static rdx_status note_leaves(void *user, rdx_bound *value, rdx_bound **out) {
  uint64_t *leaves = user;
  *leaves |= rdx_bound_leaves(value);
  *out = value;
  return RDX_OK;
}

/* Leaves that the list, window functions and HAVING read. */
static uint64_t read_late(rdx_block *b) {
  uint64_t leaves = b->having ? rdx_bound_leaves(b->having) : 0;
  if (rdx_windows_rewrite(b, note_leaves, &leaves) != RDX_OK)
    return leaves;
  for (uint32_t i = 0; i < b->output_count; i++)
    leaves |= rdx_bound_leaves(b->outputs[i].value);
  return leaves;
}

/* Part the subqueries that can be joined to the groups from the others, which the block keeps. A value that nothing
 * reads any more, because a constant decided what it was in, is in neither. */
static rdx_status part_late(rdx_block *b, grouping *g) {
  uint64_t before = read_early(b), after = read_late(b);
  uint32_t kept = 0;
  rdx_dependent *all = NULL;
  RDX_TRY(rdx_planner_alloc(b->planner, b->dependent_count, sizeof *all, &all));
  RDX_TRY(rdx_planner_alloc(b->planner, b->dependent_count, sizeof *g->late, &g->late));
  for (uint32_t i = b->dependent_count; i-- > 0;) { /* each may read those before it */
    const rdx_dependent *d = &b->dependents[i];
    if (is_early(d, before))
      before |= d->needs;
    else if (after >> d->leaf & 1)
      after |= d->needs;
  }
  for (uint32_t i = 0; i < b->dependent_count; i++) {
    all[i] = b->dependents[i];
    if (is_early(&all[i], before))
      b->dependents[kept++] = all[i];
    else if (after >> all[i].leaf & 1)
      g->late[g->late_count++].dependent = &all[i];
  }
  b->dependent_count = kept;
  return RDX_OK;
}

/* The keys of one, over the groups and over its own columns. */
static rdx_status late_keys(grouping *g, late *l, rdx_bound ***left, rdx_bound ***right) {
  rdx_planner *p = g->block->planner;
  const rdx_dependent *d = l->dependent;
  RDX_TRY(rdx_planner_alloc(p, d->key_count, sizeof(rdx_bound *), left));
  RDX_TRY(rdx_planner_alloc(p, d->key_count, sizeof(rdx_bound *), right));
  for (uint32_t i = 0; i < d->key_count; i++) {
    RDX_TRY(rdx_bound_rewrite(p, d->outer_keys[i], group_node, g, &(*left)[i]));
    grouping inner = {.block = g->block, .late = l, .late_count = 1};
    const uint32_t first = l->first;
    l->first = 0; /* keys of the right side are by its own columns */
    const rdx_status status = rdx_bound_rewrite(p, d->inner_keys[i], group_node, &inner, &(*right)[i]);
    l->first = first;
    RDX_TRY(status);
  }
  return RDX_OK;
}

static rdx_status group_value(void *user, rdx_bound *value, rdx_bound **out) {
  const grouping *g = user;
  return rdx_bound_rewrite(g->block->planner, value, group_node, user, out);
}

/* The groups with what is asked: there are no other columns of the leaf. */
static rdx_status mark_late(grouping *g, late *l, rdx_plan_node **node) {
  rdx_planner *p = g->block->planner;
  const rdx_dependent *d = l->dependent;
  rdx_bound *filter = NULL;
  rdx_marking m = {
      .left = *node, .right = g->block->leaves[d->leaf].plan, .key_count = d->key_count, .unlike = d->unlike};
  l->first = m.left->column_count;
  RDX_TRY(late_keys(g, l, &m.left_keys, &m.right_keys));
  RDX_TRY(rdx_conjuncts_join(p, &d->filter, &filter));
  if (filter)
    RDX_TRY(rdx_bound_rewrite(p, filter, group_node, g, &m.filter));
  if (d->compared)
    RDX_TRY(rdx_bound_rewrite(p, d->compared, group_node, g, &m.compared));
  m.aggregate_count = d->aggregate_count;
  RDX_TRY(rdx_planner_alloc(p, d->aggregate_count, sizeof *m.aggregates, &m.aggregates));
  for (uint32_t i = 0; i < d->aggregate_count; i++)
    m.aggregates[i] = d->aggregates[i];
  RDX_TRY(rdx_aggregates_rewrite(p, m.aggregates, m.aggregate_count, group_value, g));
  l->first = m.left->column_count - m.right->column_count; /* may be below 0: answers have numbers behind them */
  return rdx_build_mark(p, &m, node);
}

/* Join one to the groups. */
static rdx_status join_late(grouping *g, late *l, rdx_plan_node **node) {
  rdx_planner *p = g->block->planner;
  const rdx_dependent *d = l->dependent;
  rdx_plan_node *right = g->block->leaves[d->leaf].plan, *joined = NULL;
  rdx_bound *filter = NULL;
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_JOIN, *node, right, &joined));
  l->first = (*node)->column_count;
  joined->join = d->join;
  joined->key_count = d->key_count;
  joined->expected_rows = (*node)->expected_rows;
  joined->column_count = l->first + right->column_count;
  RDX_TRY(rdx_planner_alloc(p, joined->column_count, sizeof *joined->columns, &joined->columns));
  memcpy(joined->columns, (*node)->columns, l->first * sizeof *joined->columns);
  memcpy(joined->columns + l->first, right->columns, right->column_count * sizeof *joined->columns);
  RDX_TRY(late_keys(g, l, &joined->left_keys, &joined->right_keys));
  RDX_TRY(rdx_conjuncts_join(p, &d->filter, &filter));
  if (filter)
    RDX_TRY(rdx_bound_rewrite(p, filter, group_node, g, &joined->filter));
  *node = joined;
  return RDX_OK;
}

/* The outputs of the block, and HAVING, over the columns of the aggregate and what is joined to it. */
static rdx_status group_outputs(grouping *g, rdx_plan_node **node) {
  rdx_block *b = g->block;
  const uint32_t all = g->late_count;
  for (g->late_count = 0; g->late_count < all;) {
    late *l = &g->late[g->late_count++];
    RDX_TRY(rdx_is_asked(l->dependent) ? mark_late(g, l, node) : join_late(g, l, node));
  }
  for (uint32_t i = 0; i < b->output_count; i++)
    RDX_TRY(group_value(g, b->outputs[i].value, &b->outputs[i].value));
  b->window_count += b->unused_windows;
  RDX_TRY(rdx_windows_rewrite(b, group_value, g));
  b->window_count -= b->unused_windows;
  return b->having ? rdx_bound_rewrite(b->planner, b->having, group_node, g, &b->having) : RDX_OK;
}

double rdx_estimate_groups(const rdx_block *b, double rows) {
  double groups = 1;
  for (uint32_t i = 0; i < b->group_count; i++)
    groups *= rdx_estimate_distinct(b, b->groups[i], rows);
  return fmin(groups, rows);
}

rdx_plan_column rdx_group_column(const rdx_block *b, uint32_t group) {
  const rdx_bound *value = b->groups[group];
  const bool column = value->kind == RDX_BOUND_COLUMN && rdx_leaf_of(value->index) < b->leaf_count;
  const rdx_leaf *leaf = column ? &b->leaves[rdx_leaf_of(value->index)] : NULL;
  const bool named = leaf && rdx_column_of(value->index) < leaf->column_count; /* answers are behind them */
  return (rdx_plan_column){named ? leaf->names[rdx_column_of(value->index)] : "", value->type};
}

const char *rdx_plan_aggregate_name(const rdx_plan_aggregate *aggregate) {
  static const char *const names[] = {[RDX_PLAN_COUNT] = "count",
                                      [RDX_PLAN_SUM] = "sum",
                                      [RDX_PLAN_AVG] = "avg",
                                      [RDX_PLAN_MIN] = "min",
                                      [RDX_PLAN_MAX] = "max",
                                      [RDX_PLAN_MOMENT] = "moment",
                                      [RDX_PLAN_STRING_AGG] = "string_agg",
                                      [RDX_PLAN_PERCENTILE_CONT] = "percentile_cont",
                                      [RDX_PLAN_PERCENTILE_DISC] = "percentile_disc",
                                      [RDX_PLAN_MODE] = "mode",
                                      [RDX_PLAN_FIRST] = "first",
                                      [RDX_PLAN_BIT_AND] = "bit_and",
                                      [RDX_PLAN_BIT_OR] = "bit_or",
                                      [RDX_PLAN_BIT_XOR] = "bit_xor",
                                      [RDX_PLAN_RANK] = "rank",
                                      [RDX_PLAN_DENSE_RANK] = "dense_rank",
                                      [RDX_PLAN_PERCENT_RANK] = "percent_rank",
                                      [RDX_PLAN_CUME_DIST] = "cume_dist"};
  return names[aggregate->kind];
}

rdx_plan_column rdx_aggregate_column(const rdx_block *b, uint32_t aggregate) {
  return (rdx_plan_column){rdx_plan_aggregate_name(&b->aggregates[aggregate]), b->aggregates[aggregate].type};
}

static rdx_status describe_aggregate(rdx_block *b, rdx_plan_node *node) {
  const uint32_t values = b->group_count + b->aggregate_count;
  node->column_count = values + b->grouping_count;
  RDX_TRY(rdx_planner_alloc(b->planner, node->column_count, sizeof *node->columns, &node->columns));
  for (uint32_t i = 0; i < b->group_count; i++)
    node->columns[i] = rdx_group_column(b, i);
  for (uint32_t i = 0; i < b->aggregate_count; i++)
    node->columns[b->group_count + i] = rdx_aggregate_column(b, i);
  for (uint32_t i = 0; i < b->grouping_count; i++)
    node->columns[values + i] = (rdx_plan_column){"grouping", {.kind = RDX_SQL_INTEGER}};
  return RDX_OK;
}

/* A group as an expression of an aggregate over what is built. */
static rdx_status build_group(rdx_block *b, const rdx_built *built, uint32_t group, rdx_plan_node *node) {
  return rdx_built_expression(b->planner, built, rdx_constant_of_group(b, b->groups[group]),
                              &node->exprs[node->expr_count++]);
}

/* What values are placed over. */
typedef struct placed {
  rdx_planner *planner;
  rdx_built built;
} placed;

static rdx_status place_value(void *user, rdx_bound *value, rdx_bound **out) {
  const placed *p = user;
  return rdx_built_expression(p->planner, &p->built, value, out);
}

/* Groups of these numbers, and all aggregates, over what is built. */
static rdx_status build_aggregate(rdx_block *b, const rdx_built *rows, const bool *wanted, rdx_plan_node **out) {
  rdx_planner *p = b->planner;
  rdx_plan_node *node = NULL;
  rdx_built with_firsts = *rows, *built = &with_firsts;
  if (b->firsts.count > 0)
    RDX_TRY(rdx_build_firsts(b, built, wanted));
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_AGGREGATE, built->node, NULL, &node));
  RDX_TRY(describe_aggregate(b, node));
  RDX_TRY(rdx_planner_alloc(p, b->group_count, sizeof *node->exprs, &node->exprs));
  RDX_TRY(rdx_planner_alloc(p, b->aggregate_count, sizeof *node->aggregates, &node->aggregates));
  node->column_count = 0;
  for (uint32_t i = 0; i < b->group_count; i++) {
    if (wanted && !wanted[i])
      continue;
    RDX_TRY(build_group(b, built, i, node));
    node->columns[node->column_count++] = rdx_group_column(b, i);
  }
  for (uint32_t i = 0; i < b->aggregate_count; i++) {
    node->aggregates[node->aggregate_count++] = b->aggregates[i];
    node->columns[node->column_count++] = rdx_aggregate_column(b, i);
  }
  placed values = {p, *built};
  RDX_TRY(rdx_aggregates_rewrite(p, node->aggregates, node->aggregate_count, place_value, &values));
  node->expected_rows = rdx_estimate_groups(b, built->node->expected_rows);
  *out = node;
  return RDX_OK;
}

/* A grouping set with NULL for the groups that it has not, and what grouping() says of it. */
static rdx_status widen_set(rdx_block *b, const bool *wanted, rdx_plan_node *aggregate, rdx_plan_node **out) {
  rdx_planner *p = b->planner;
  rdx_plan_node *node = NULL;
  const uint32_t values = b->group_count + b->aggregate_count;
  uint32_t column = 0;
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_PROJECT, aggregate, NULL, &node));
  RDX_TRY(describe_aggregate(b, node));
  RDX_TRY(rdx_planner_alloc(p, node->column_count, sizeof *node->exprs, &node->exprs));
  node->expr_count = node->column_count;
  node->expected_rows = aggregate->expected_rows;
  for (uint32_t i = 0; i < node->column_count; i++) {
    const rdx_sql_type type = node->columns[i].type;
    if (i < b->group_count && !wanted[i])
      RDX_TRY(rdx_bind_constant(&p->binding, type, (rdx_datum){.null = true}, 0, &node->exprs[i]));
    else if (i >= values)
      RDX_TRY(rdx_grouping_value(b, i - values, wanted, &node->exprs[i]));
    else
      RDX_TRY(rdx_bind_column(p, column++, type, 0, &node->exprs[i]));
  }
  *out = node;
  return RDX_OK;
}

static rdx_status unite(rdx_planner *p, rdx_plan_node *left, rdx_plan_node *right, rdx_plan_node **out) {
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_UNION, left, right, out));
  (*out)->column_count = left->column_count;
  (*out)->columns = left->columns;
  (*out)->expected_rows = left->expected_rows + right->expected_rows;
  return RDX_OK;
}

static rdx_status build_sets(rdx_block *b, const rdx_built *built, rdx_plan_node **out) {
  *out = NULL;
  built->node->shared = true;
  for (uint32_t i = 0; i < b->set_count; i++) {
    const bool *wanted = b->sets + (size_t)i * b->group_count;
    rdx_plan_node *aggregate = NULL, *wide = NULL;
    RDX_TRY(build_aggregate(b, built, wanted, &aggregate));
    RDX_TRY(widen_set(b, wanted, aggregate, &wide));
    if (*out)
      RDX_TRY(unite(b->planner, *out, wide, out));
    else
      *out = wide;
  }
  return RDX_OK;
}

static rdx_status build_plain(rdx_block *b, rdx_plan_node **out) {
  placed p = {.planner = b->planner};
  RDX_TRY(rdx_pull_queries(b));
  RDX_TRY(rdx_build_from(b, &p.built));
  for (uint32_t i = 0; i < b->output_count; i++)
    RDX_TRY(place_value(&p, b->outputs[i].value, &b->outputs[i].value));
  RDX_TRY(rdx_windows_rewrite(b, place_value, &p));
  *out = p.built.node;
  return RDX_OK;
}

/* HAVING, or QUALIFY. */
static rdx_status filter_rows(rdx_planner *p, rdx_bound *condition, rdx_plan_node **rows) {
  rdx_plan_node *filter = NULL;
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_FILTER, *rows, NULL, &filter));
  filter->filter = condition;
  filter->expected_rows = (*rows)->expected_rows * rdx_estimate_share(condition);
  *rows = filter;
  return RDX_OK;
}

/* Everything below the list; the outputs then read its columns. */
static rdx_status build_rows(rdx_block *b, rdx_plan_node **out) {
  rdx_planner *p = b->planner;
  rdx_built built = {0};
  if (!b->aggregating)
    return build_plain(b, out);
  grouping g = {.block = b};
  RDX_TRY(part_late(b, &g));
  RDX_TRY(rdx_pull_queries(b));
  RDX_TRY(rdx_push_filters(b));
  RDX_TRY(rdx_build_star(b, out));
  if (!*out)
    RDX_TRY(rdx_build_regrouped(b, out));
  if (!*out) {
    RDX_TRY(rdx_build_from(b, &built));
    RDX_TRY(b->set_count > 0 ? build_sets(b, &built, out) : build_aggregate(b, &built, NULL, out));
  }
  RDX_TRY(group_outputs(&g, out));
  return b->having ? filter_rows(p, b->having, out) : RDX_OK;
}

/* ---- The list ---- */

static rdx_status project(rdx_planner *p, rdx_plan_node *below, rdx_plan_column *columns, rdx_bound **exprs,
                          uint32_t count, rdx_plan_node **out) {
  rdx_plan_node *node = NULL;
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_PROJECT, below, NULL, &node));
  node->columns = columns;
  node->column_count = node->expr_count = count;
  node->exprs = exprs;
  node->expected_rows = below->expected_rows;
  *out = node;
  return RDX_OK;
}

/* Each distinct row once. */
static rdx_status build_distinct(rdx_planner *p, rdx_plan_node *below, rdx_plan_node **out) {
  rdx_plan_node *node = NULL;
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_AGGREGATE, below, NULL, &node));
  node->columns = below->columns;
  node->column_count = node->expr_count = below->column_count;
  node->expected_rows = below->expected_rows;
  RDX_TRY(rdx_planner_alloc(p, node->expr_count, sizeof *node->exprs, &node->exprs));
  for (uint32_t i = 0; i < node->expr_count; i++)
    RDX_TRY(rdx_bind_column(p, i, below->columns[i].type, 0, &node->exprs[i]));
  *out = node;
  return RDX_OK;
}

/* The block's SELECT list as a plan. */
static rdx_status build_block(rdx_block *b, rdx_plan_node **out) {
  rdx_planner *p = b->planner;
  rdx_plan_node *below = NULL;
  rdx_plan_column *columns = NULL;
  rdx_bound **exprs = NULL;
  RDX_TRY(build_rows(b, &below));
  RDX_TRY(rdx_build_windows(b, &below));
  if (b->qualify)
    RDX_TRY(filter_rows(b->planner, b->outputs[--b->output_count].value, &below));
  RDX_TRY(rdx_planner_alloc(p, b->output_count, sizeof *columns, &columns));
  RDX_TRY(rdx_planner_alloc(p, b->output_count, sizeof *exprs, &exprs));
  for (uint32_t i = 0; i < b->output_count; i++) {
    exprs[i] = b->outputs[i].value;
    columns[i] = (rdx_plan_column){b->outputs[i].name, exprs[i]->type};
  }
  RDX_TRY(project(p, below, columns, exprs, b->output_count, out));
  return b->distinct ? build_distinct(p, *out, out) : RDX_OK;
}

/* ---- Any query ---- */

/* Columns of a side of a set operation in the types of the result. */
static rdx_status cast_columns(rdx_planner *p, const rdx_bound_query *q, rdx_plan_node *side, rdx_plan_node **out) {
  rdx_bound **exprs = NULL;
  bool same = true;
  RDX_TRY(rdx_planner_alloc(p, q->column_count, sizeof *exprs, &exprs));
  for (uint32_t i = 0; i < q->column_count; i++) {
    const rdx_sql_type type = side->columns[i].type;
    RDX_TRY(rdx_bind_column(p, i, type, 0, &exprs[i]));
    RDX_TRY(rdx_bind_cast(&p->binding, exprs[i], q->columns[i].type, true, 0, &exprs[i]));
    same &= exprs[i]->kind == RDX_BOUND_COLUMN;
  }
  *out = side;
  return same ? RDX_OK : project(p, side, q->columns, exprs, q->column_count, out);
}

static rdx_status build_set_operation(rdx_planner *p, rdx_bound_query *q, rdx_plan_node **out) {
  rdx_plan_node *left = NULL, *right = NULL;
  RDX_TRY(rdx_build_query(p, q->left, &left));
  RDX_TRY(rdx_build_query(p, q->right, &right));
  RDX_TRY(cast_columns(p, q, left, &left));
  RDX_TRY(cast_columns(p, q, right, &right));
  if (q->working)
    return rdx_build_recursive(p, q, left, right, out);
  if (q->written->kind == RDX_QUERY_UNION) {
    RDX_TRY(unite(p, left, right, out));
    (*out)->columns = q->columns;
    return q->written->all ? RDX_OK : build_distinct(p, *out, out);
  }
  const bool both = q->written->kind == RDX_QUERY_INTERSECT;
  RDX_TRY(rdx_planner_node(p, both ? RDX_PLAN_INTERSECT : RDX_PLAN_EXCEPT, left, right, out));
  (*out)->columns = q->columns;
  (*out)->column_count = q->column_count;
  (*out)->all = q->written->all;
  (*out)->expected_rows = both ? fmin(left->expected_rows, right->expected_rows) : left->expected_rows;
  return RDX_OK;
}

static rdx_status build_values(rdx_planner *p, const rdx_bound_query *q, rdx_plan_node **out) {
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_VALUES, NULL, NULL, out));
  (*out)->exprs = q->values;
  (*out)->expr_count = q->row_count * q->column_count;
  (*out)->row_count = q->row_count;
  (*out)->columns = q->columns;
  (*out)->column_count = q->column_count;
  (*out)->expected_rows = q->row_count;
  return RDX_OK;
}

/* What only ORDER BY reads goes. */
static rdx_status drop_hidden(rdx_planner *p, const rdx_bound_query *q, rdx_plan_node *below, rdx_plan_node **out) {
  rdx_bound **exprs = NULL;
  *out = below;
  if (below->column_count == q->column_count)
    return RDX_OK;
  RDX_TRY(rdx_planner_alloc(p, q->column_count, sizeof *exprs, &exprs));
  for (uint32_t i = 0; i < q->column_count; i++)
    RDX_TRY(rdx_bind_column(p, i, q->columns[i].type, 0, &exprs[i]));
  return project(p, below, q->columns, exprs, q->column_count, out);
}

static double limited_rows(const rdx_bound_query *q, double rows) {
  return q->limit && q->limit->kind == RDX_BOUND_CONSTANT ? fmin(rows, (double)q->limit->value.i) : rows;
}

/* The list of a star's query, in its outputs as they are: the star layer sorts and limits by itself. */
static bool push_order(const rdx_bound_query *q, rdx_plan_node *below) {
  rdx_plan_node *star = below->kind == RDX_PLAN_PROJECT ? below->left : NULL;
  if (!star || star->kind != RDX_PLAN_STAR || star->shared || below->column_count != q->column_count || q->ties)
    return false;
  for (uint32_t i = 0; i < q->order_count; i++)
    if (below->exprs[q->orders[i].column]->kind != RDX_BOUND_COLUMN)
      return false;
  star->orders = q->orders;
  star->order_count = q->order_count;
  for (uint32_t i = 0; i < q->order_count; i++)
    star->orders[i].column = below->exprs[q->orders[i].column]->index;
  star->limit = q->limit;
  star->offset = q->offset;
  star->expected_rows = below->expected_rows = limited_rows(q, star->expected_rows);
  return true;
}

static rdx_status build_order(rdx_planner *p, const rdx_bound_query *q, rdx_plan_node *below, rdx_plan_node **out) {
  rdx_plan_node *node = NULL;
  *out = below;
  if ((q->order_count == 0 && !q->limit && !q->offset) || push_order(q, below))
    return RDX_OK;
  RDX_TRY(rdx_planner_node(p, q->order_count > 0 ? RDX_PLAN_SORT : RDX_PLAN_LIMIT, below, NULL, &node));
  node->orders = q->orders;
  node->order_count = q->order_count;
  node->limit = q->limit;
  node->offset = q->offset;
  node->ties = q->ties;
  node->columns = below->columns;
  node->column_count = below->column_count;
  node->expected_rows = limited_rows(q, below->expected_rows);
  if (node->kind == RDX_PLAN_LIMIT)
    rdx_limit_recursive(q, below);
  return drop_hidden(p, q, node, out);
}

rdx_status rdx_build_query(rdx_planner *p, rdx_bound_query *q, rdx_plan_node **out) {
  rdx_plan_node *node = NULL;
  RDX_TRY(rdx_query_settle(p, q, NULL));
  if (q->block)
    RDX_TRY(build_block(q->block, &node));
  if (q->block && q->block->distinct_on_count > 0) {
    RDX_TRY(rdx_build_distinct_on(q->block, q->orders, q->order_count, &node));
    if (q->order_count == 0)
      RDX_TRY(drop_hidden(p, q, node, &node));
  }
  if (q->left)
    RDX_TRY(build_set_operation(p, q, &node));
  else if (!q->block)
    RDX_TRY(build_values(p, q, &node));
  return build_order(p, q, node, out);
}
