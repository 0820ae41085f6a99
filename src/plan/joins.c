/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The relations of a block joined. Conditions go as far down as they can; the order of joins is the one that is
 * expected to take the least. Of many relations the pairs that conditions connect and that have the fewest rows
 * together are joined first. */

#include "plan/internal.h"

#include <string.h>

/* Conjuncts that wait for the leaves that they read. */
typedef struct waiting {
  rdx_conjuncts list;
  bool *done;
} waiting;

typedef struct component {
  rdx_built built;
  double rows;
} component;

/* ---- Expressions over what is built ---- */

typedef struct placing {
  rdx_planner *planner;
  const rdx_built *built;
} placing;

static rdx_status place_node(void *user, rdx_bound *node, rdx_bound **out) {
  const placing *p = user;
  if (node->kind == RDX_BOUND_OUTER)
    return rdx_planner_fail(p->planner, RDX_ERROR_UNSUPPORTED, node->place, NULL,
                            "a subquery can compare columns of the query around it in its WHERE only");
  if (node->kind != RDX_BOUND_COLUMN || rdx_leaf_of(node->index) == RDX_WINDOWS_LEAF)
    return RDX_OK;
  const uint32_t count = p->built->node->column_count;
  for (uint32_t k = 0; k < count; k++) {
    const uint32_t i = (uint32_t)(((uint64_t)p->planner->next_ref + k) % count);
    if (p->built->refs[i] != node->index)
      continue;
    p->planner->next_ref = i + 1;
    return rdx_bind_column(p->planner, i, node->type, node->place, out);
  }
  if (rdx_leaf_of(node->index) == RDX_AGGREGATES_LEAF || rdx_leaf_of(node->index) == RDX_GROUPINGS_LEAF)
    return rdx_planner_fail(p->planner, RDX_ERROR_ARGUMENT, node->place, "compute it in a query in FROM",
                            "aggregates are not allowed in GROUP BY");
  return rdx_planner_fail(p->planner, RDX_ERROR_INTERNAL, node->place, NULL, "a column is in no relation of its plan");
}

rdx_status rdx_built_expression(rdx_planner *p, const rdx_built *built, rdx_bound *value, rdx_bound **out) {
  placing placed = {p, built};
  return rdx_bound_rewrite(p, value, place_node, &placed, out);
}

/* All of a list under one AND, over what is built. */
static rdx_status place_all(rdx_planner *p, const rdx_built *built, const rdx_conjuncts *list, rdx_bound **out) {
  rdx_bound *all = NULL;
  RDX_TRY(rdx_conjuncts_join(p, list, &all));
  *out = NULL;
  return all ? rdx_built_expression(p, built, all, out) : RDX_OK;
}

static rdx_status add_filter(rdx_planner *p, const rdx_conjuncts *list, rdx_built *built) {
  rdx_plan_node *node = NULL;
  if (list->count == 0)
    return RDX_OK;
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_FILTER, built->node, NULL, &node));
  RDX_TRY(place_all(p, built, list, &node->filter));
  node->expected_rows = built->node->expected_rows * rdx_estimate_share(node->filter);
  built->node = node;
  return RDX_OK;
}

/* The conjuncts that read nothing but `leaves`, and something of `needed` unless that is 0: they count as done. */
static rdx_status take(rdx_planner *p, waiting *w, uint64_t leaves, uint64_t needed, rdx_conjuncts *out) {
  for (uint32_t i = 0; i < w->list.count; i++) {
    const uint64_t reads = rdx_bound_leaves(w->list.list[i]);
    if (w->done[i] || (reads & ~leaves) || (needed && !(reads & needed)))
      continue;
    w->done[i] = true;
    RDX_TRY(rdx_conjuncts_add(p, out, w->list.list[i]));
  }
  return RDX_OK;
}

static rdx_status wait_for(rdx_planner *p, const rdx_conjuncts *list, waiting *out) {
  out->list = *list;
  return rdx_planner_alloc(p, list->count, sizeof *out->done, &out->done);
}

/* ---- One relation ---- */

static rdx_status build_table(rdx_block *b, uint32_t number, const rdx_conjuncts *filter, rdx_built *out) {
  rdx_planner *p = b->planner;
  const rdx_leaf *leaf = &b->leaves[number];
  rdx_plan_node *node = NULL;
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_TABLE, NULL, NULL, &node));
  node->table = leaf->table;
  RDX_TRY(rdx_planner_alloc(p, leaf->column_count, sizeof *node->table_columns, &node->table_columns));
  RDX_TRY(rdx_planner_alloc(p, leaf->column_count, sizeof *node->columns, &node->columns));
  RDX_TRY(rdx_planner_alloc(p, leaf->column_count, sizeof *out->refs, &out->refs));
  for (uint32_t i = 0; i < leaf->column_count; i++) {
    if (!leaf->used[i])
      continue;
    node->table_columns[node->column_count] = i;
    out->refs[node->column_count] = rdx_leaf_column(number, i);
    node->columns[node->column_count++] = (rdx_plan_column){leaf->names[i], leaf->types[i]};
  }
  out->node = node;
  node->expected_rows = (double)leaf->table->rows;
  RDX_TRY(place_all(p, out, filter, &node->filter));
  if (!node->filter)
    return RDX_OK;
  RDX_TRY(
      rdx_estimate_filter(p, leaf->table, node->table_columns, node->column_count, node->filter, &node->expected_rows));
  return rdx_choose_filter(p, node);
}

/* What is built with the numbers of its rows as one more column. */
static rdx_status number_rows(rdx_planner *p, rdx_built *built, uint32_t number) {
  const uint32_t own = built->node->column_count, *before = built->refs;
  RDX_TRY(rdx_build_numbers(p, built->node, &built->node));
  RDX_TRY(rdx_planner_alloc(p, (uint64_t)own + 1, sizeof *built->refs, &built->refs));
  memcpy(built->refs, before, own * sizeof *before);
  built->refs[own] = number;
  return RDX_OK;
}

static rdx_status build_plan(rdx_block *b, uint32_t number, rdx_built *out) {
  const rdx_leaf *leaf = &b->leaves[number];
  RDX_TRY(rdx_planner_alloc(b->planner, leaf->column_count, sizeof *out->refs, &out->refs));
  for (uint32_t i = 0; i < leaf->column_count; i++)
    out->refs[i] = rdx_leaf_column(number, i);
  out->node = leaf->plan;
  return RDX_OK;
}

/* Numbers are those of all rows: what filters them comes behind. */
static rdx_status build_leaf(rdx_block *b, uint32_t number, const rdx_conjuncts *filter, rdx_built *out) {
  const rdx_leaf *leaf = &b->leaves[number];
  out->leaves = (uint64_t)1 << number;
  if (leaf->table && !leaf->numbered)
    return build_table(b, number, filter, out);
  RDX_TRY(leaf->table ? build_table(b, number, &(rdx_conjuncts){0}, out) : build_plan(b, number, out));
  if (leaf->numbered)
    RDX_TRY(number_rows(b->planner, out, rdx_leaf_column(number, leaf->column_count)));
  return add_filter(b->planner, filter, out);
}

/* ---- Two relations ---- */

/* Whether a conjunct is an equality of the two sides; `*left` is which argument is the left side's. */
static bool joins(const rdx_bound *c, uint64_t left_leaves, uint64_t right_leaves, uint32_t *left) {
  if (!rdx_is_call(c, RDX_OP_EQ))
    return false;
  for (*left = 0; *left < 2; ++*left) {
    const uint64_t l = rdx_bound_leaves(c->args[*left]), r = rdx_bound_leaves(c->args[1 - *left]);
    if (l && r && !(l & ~left_leaves) && !(r & ~right_leaves))
      return true;
  }
  return false;
}

static double min(double a, double b) {
  return a < b ? a : b;
}

static double max(double a, double b) {
  return a > b ? a : b;
}

/* Different keys of each side, as far as they are told: of several columns no more than rows. */
typedef struct key_values {
  double left, right;
} key_values;

static void add_key(const rdx_block *b, const rdx_bound *left, double left_rows, const rdx_bound *right,
                    double right_rows, key_values *out) {
  out->left *= max(rdx_estimate_distinct(b, left, left_rows), 1);
  out->right *= max(rdx_estimate_distinct(b, right, right_rows), 1);
}

/* Share of all pairs whose keys are equal. `base`: rows of the tables that the sides were made of. Where both sides
 * could have more keys than rows, those of the smaller one are taken to be different, and to be all that there are. */
static double key_share(const key_values *values, double left_base, double right_base) {
  const double left = min(values->left, left_base), right = min(values->right, right_base);
  const bool many = values->left > left_base && values->right > right_base;
  return 1 / max(many ? min(left, right) : max(left, right), 1);
}

/* Rows of the largest table among leaves: there are no more different keys of one side. */
static double base_rows(const rdx_block *b, uint64_t leaves) {
  double rows = 1;
  for (; leaves; leaves &= leaves - 1) {
    const rdx_leaf *leaf = &b->leaves[__builtin_ctzll(leaves)];
    rows = max(rows, leaf->table ? (double)leaf->table->rows : leaf->plan->expected_rows);
  }
  return rows;
}

/* The columns of both sides, or of the left one alone. */
static rdx_status join_columns(rdx_planner *p, const rdx_built *left, const rdx_built *right, rdx_plan_node *node,
                               rdx_built *out) {
  const rdx_built *sides[] = {left, right};
  const uint32_t capacity = left->node->column_count + (right ? right->node->column_count : 0);
  RDX_TRY(rdx_planner_alloc(p, capacity, sizeof *node->columns, &node->columns));
  RDX_TRY(rdx_planner_alloc(p, capacity, sizeof *out->refs, &out->refs));
  for (uint32_t s = 0; s < 2 && sides[s]; s++) {
    for (uint32_t i = 0; i < sides[s]->node->column_count; i++) {
      node->columns[node->column_count] = sides[s]->node->columns[i];
      out->refs[node->column_count++] = sides[s]->refs[i];
    }
  }
  return RDX_OK;
}

static double join_rows(rdx_plan_join join, double left, double pairs) {
  switch (join) {
  case RDX_PLAN_SEMI:
    return min(left, max(pairs, 1)) * 0.7;
  case RDX_PLAN_ANTI:
  case RDX_PLAN_ANTI_NULL:
    return max(left - min(left, pairs) * 0.7, left * 0.1);
  case RDX_PLAN_SINGLE:
    return left;
  case RDX_PLAN_INNER:
    return pairs;
  default:
    return max(left, pairs);
  }
}

/* Keys that are known to be keys: left[i] of the left side equals right[i]. */
typedef struct given_keys {
  rdx_bound *const *left, *const *right;
  uint32_t count;
} given_keys;

static rdx_status add_given(rdx_block *b, const rdx_built *left, const rdx_built *right, const given_keys *given,
                            rdx_plan_node *node, key_values *values) {
  rdx_planner *p = b->planner;
  for (uint32_t i = 0; i < given->count; i++) {
    add_key(b, given->left[i], left->node->expected_rows, given->right[i], right->node->expected_rows, values);
    RDX_TRY(rdx_built_expression(p, left, given->left[i], &node->left_keys[node->key_count]));
    RDX_TRY(rdx_built_expression(p, right, given->right[i], &node->right_keys[node->key_count++]));
  }
  return RDX_OK;
}

/* Join two sides by given keys and these conjuncts: equalities become keys, too, the others the condition on pairs. */
static rdx_status build_join(rdx_block *b, rdx_plan_join join, const rdx_built *left, const rdx_built *right,
                             const given_keys *given, const rdx_conjuncts *on, rdx_built *out) {
  rdx_planner *p = b->planner;
  rdx_plan_node *node = NULL;
  rdx_conjuncts rest = {0};
  rdx_built both = {0}, result = {0};
  key_values values = {1, 1};
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_JOIN, left->node, right->node, &node));
  node->join = join;
  RDX_TRY(rdx_planner_alloc(p, (uint64_t)given->count + on->count, sizeof(rdx_bound *), &node->left_keys));
  RDX_TRY(rdx_planner_alloc(p, (uint64_t)given->count + on->count, sizeof(rdx_bound *), &node->right_keys));
  RDX_TRY(add_given(b, left, right, given, node, &values));
  for (uint32_t i = 0; i < on->count; i++) {
    uint32_t l = 0;
    if (!joins(on->list[i], left->leaves, right->leaves, &l)) {
      RDX_TRY(rdx_conjuncts_add(p, &rest, on->list[i]));
      continue;
    }
    rdx_bound *const *args = on->list[i]->args;
    add_key(b, args[l], left->node->expected_rows, args[1 - l], right->node->expected_rows, &values);
    RDX_TRY(rdx_built_expression(p, left, args[l], &node->left_keys[node->key_count]));
    RDX_TRY(rdx_built_expression(p, right, args[1 - l], &node->right_keys[node->key_count++]));
  }
  RDX_TRY(join_columns(p, left, right, node, &both));
  both.node = node;
  RDX_TRY(place_all(p, &both, &rest, &node->filter));
  const bool half = join == RDX_PLAN_SEMI || join == RDX_PLAN_ANTI || join == RDX_PLAN_ANTI_NULL;
  if (half) {
    node->column_count = 0;
    RDX_TRY(join_columns(p, left, NULL, node, &result));
  }
  const double pairs =
      left->node->expected_rows * right->node->expected_rows *
      (node->key_count ? key_share(&values, base_rows(b, left->leaves), base_rows(b, right->leaves)) : 1) *
      (node->filter ? rdx_estimate_share(node->filter) : 1);
  node->expected_rows = join_rows(join, left->node->expected_rows, pairs);
  const uint64_t leaves =
      left->leaves | right->leaves; /* those of a half join are no outputs: nothing waits for them */
  *out = half ? result : both;
  out->node = node;
  out->leaves = leaves;
  return RDX_OK;
}

/* ---- Groups ---- */

static rdx_status join_group(rdx_block *b, const rdx_group *group, waiting *w, bool early, rdx_built *out);

static rdx_status apply_dependent(rdx_block *b, rdx_dependent *d, rdx_built *built);

/* The subqueries that belong to a group. */
static rdx_status apply_attached(rdx_block *b, const rdx_group *group, rdx_built *built) {
  for (uint32_t i = 0; i < b->dependent_count; i++)
    if (b->dependents[i].needs != UINT64_MAX && group->dependents >> b->dependents[i].leaf & 1)
      RDX_TRY(apply_dependent(b, &b->dependents[i], built));
  return RDX_OK;
}

/* One side of an outer join. */
static rdx_status build_side(rdx_block *b, const rdx_group *group, rdx_built *out) {
  rdx_planner *p = b->planner;
  waiting w;
  RDX_TRY(wait_for(p, &group->conjuncts, &w));
  RDX_TRY(join_group(b, group, &w, false, out));
  RDX_TRY(apply_attached(b, group, out));
  rdx_conjuncts late = {0};
  RDX_TRY(take(p, &w, out->leaves, 0, &late));
  RDX_TRY(add_filter(p, &late, out));
  for (uint32_t i = 0; i < w.list.count; i++)
    if (!w.done[i])
      return rdx_planner_fail(p, RDX_ERROR_INTERNAL, w.list.list[i]->place, NULL,
                              "a condition is in no join of its plan");
  return RDX_OK;
}

/* The first pairs of each number, which is column `number`; the leaf's columns begin behind it. */
static rdx_status keep_first(rdx_planner *p, const rdx_first_rows *first, uint32_t number, rdx_plan_node **pairs) {
  rdx_plan_order *orders = NULL;
  rdx_top top = {.partition = &number, .partition_count = 1, .order_count = first->order_count};
  RDX_TRY(rdx_planner_alloc(p, first->order_count, sizeof *orders, &orders));
  for (uint32_t i = 0; i < first->order_count; i++) {
    orders[i] = first->orders[i];
    orders[i].column += number + 1;
  }
  top.orders = orders;
  top.limit = first->limit;
  top.offset = first->offset;
  top.ties = first->ties;
  return rdx_build_top(p, &top, pairs);
}

/* The columns from `begin` on. */
static rdx_status project_from(rdx_planner *p, uint32_t begin, rdx_built *built) {
  rdx_plan_node *node = NULL;
  const uint32_t count = built->node->column_count - begin;
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_PROJECT, built->node, NULL, &node));
  RDX_TRY(rdx_planner_alloc(p, count, sizeof *node->exprs, &node->exprs));
  node->columns = built->node->columns + begin;
  node->column_count = node->expr_count = count;
  node->expected_rows = built->node->expected_rows;
  for (uint32_t i = 0; i < count; i++)
    RDX_TRY(rdx_bind_column(p, begin + i, node->columns[i].type, 0, &node->exprs[i]));
  built->node = node;
  built->refs += begin;
  return RDX_OK;
}

/* ON true. */
static bool is_true(const rdx_conjuncts *on) {
  const rdx_bound *c = on->count == 1 ? on->list[0] : NULL;
  return c && c->kind == RDX_BOUND_CONSTANT && !c->value.null && c->value.i;
}

/* Left rows are numbered and joined with all that belongs to them; of that the first rows stay, and are joined to them,
 * or are what INNER keeps. */
static rdx_status join_first(rdx_block *b, const rdx_item *item, rdx_built *left, const rdx_built *right,
                             rdx_built *out) {
  rdx_planner *p = b->planner;
  const uint32_t number = rdx_leaf_column(RDX_ROWS_LEAF, item->first->leaf), own = left->node->column_count;
  rdx_built pairs = {0};
  rdx_bound *key = NULL;
  RDX_TRY(number_rows(p, left, number));
  RDX_TRY(build_join(b, RDX_PLAN_INNER, left, right, &(given_keys){0}, &item->first->pairs, &pairs));
  RDX_TRY(keep_first(p, item->first, own, &pairs.node));
  if (!is_true(&item->on))
    RDX_TRY(add_filter(p, &item->on, &pairs));
  if (item->join == RDX_PLAN_INNER) {
    *out = pairs;
    return RDX_OK;
  }
  RDX_TRY(project_from(p, own, &pairs));
  pairs.leaves = right->leaves;
  RDX_TRY(rdx_bind_column(p, number, (rdx_sql_type){.kind = RDX_SQL_BIGINT}, 0, &key));
  const given_keys keys = {&key, &key, 1};
  return build_join(b, RDX_PLAN_LEFT, left, &pairs, &keys, &(rdx_conjuncts){0}, out);
}

/* Left rows, each with the values of its own. */
static rdx_status join_series(rdx_block *b, const rdx_item *item, const rdx_built *left, rdx_built *out) {
  rdx_planner *p = b->planner;
  const uint32_t own = left->node->column_count, leaf = item->right->items[0].leaf;
  rdx_plan_node *node = NULL;
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_SERIES, left->node, NULL, &node));
  node->all = item->join == RDX_PLAN_LEFT;
  node->expr_count = 3;
  node->column_count = own + 1;
  node->expected_rows = left->node->expected_rows * max(item->series->expected_rows, 1);
  RDX_TRY(rdx_planner_alloc(p, 3, sizeof *node->exprs, &node->exprs));
  RDX_TRY(rdx_planner_alloc(p, node->column_count, sizeof *node->columns, &node->columns));
  RDX_TRY(rdx_planner_alloc(p, node->column_count, sizeof *out->refs, &out->refs));
  for (uint32_t i = 0; i < 3; i++)
    RDX_TRY(rdx_built_expression(p, left, item->series->exprs[i], &node->exprs[i]));
  memcpy(node->columns, left->node->columns, own * sizeof *node->columns);
  memcpy(out->refs, left->refs, own * sizeof *out->refs);
  node->columns[own] = item->series->columns[0];
  out->refs[own] = rdx_leaf_column(leaf, 0);
  out->node = node;
  out->leaves = left->leaves | (uint64_t)1 << leaf;
  if (is_true(&item->on) || item->on.count == 0)
    return RDX_OK;
  return rdx_planner_fail(p, RDX_ERROR_UNSUPPORTED, item->on.list[0]->place,
                          "join it without LEFT, with the condition in WHERE",
                          "this condition of a generate_series that reads columns is not supported");
}

static rdx_status build_lateral(rdx_block *b, const rdx_item *item, waiting *w, rdx_built *out) {
  rdx_planner *p = b->planner;
  rdx_conjuncts after = {0};
  rdx_built left = {0}, right = {0};
  RDX_TRY(build_side(b, item->left, &left));
  if (item->first)
    RDX_TRY(build_side(b, item->right, &right));
  RDX_TRY(item->first ? join_first(b, item, &left, &right, out) : join_series(b, item, &left, out));
  RDX_TRY(take(p, w, item->leaves, item->leaves, &after));
  return add_filter(p, &after, out);
}

static rdx_status build_outer(rdx_block *b, const rdx_item *item, waiting *w, rdx_built *out) {
  rdx_planner *p = b->planner;
  if (item->first || item->series)
    return build_lateral(b, item, w, out);
  rdx_conjuncts after = {0};
  rdx_built left = {0}, right = {0};
  RDX_TRY(build_side(b, item->left, &left));
  RDX_TRY(build_side(b, item->right, &right));
  RDX_TRY(build_join(b, item->join, &left, &right, &(given_keys){0}, &item->on, out));
  RDX_TRY(take(p, w, item->leaves, item->leaves, &after));
  return add_filter(p, &after, out);
}

#define REDUCED_SHARE 0.1 /* of a subquery's rows that the outer rows need: then the others are left out before */

/* A subquery that aggregates far more rows than the outer ones need gets those alone: a copy of it over a semi join
 * with the outer keys (magic sets). */
static rdx_status reduce_dependent(rdx_block *b, const rdx_dependent *d, rdx_built *outer, rdx_built *right) {
  rdx_planner *p = b->planner;
  rdx_plan_node *list = right->node, *aggregate = list->left, *semi = NULL, *copies[2] = {NULL, NULL};
  if (d->correlated == 0 || list->kind != RDX_PLAN_PROJECT || !aggregate || aggregate->kind != RDX_PLAN_AGGREGATE ||
      outer->node->expected_rows > REDUCED_SHARE * aggregate->left->expected_rows)
    return RDX_OK;
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_JOIN, aggregate->left, outer->node, &semi));
  semi->join = RDX_PLAN_SEMI;
  semi->columns = aggregate->left->columns;
  semi->column_count = aggregate->left->column_count;
  semi->key_count = d->correlated;
  semi->left_keys = aggregate->exprs + aggregate->expr_count - d->correlated;
  semi->expected_rows = aggregate->left->expected_rows * REDUCED_SHARE;
  RDX_TRY(rdx_planner_alloc(p, d->correlated, sizeof(rdx_bound *), &semi->right_keys));
  for (uint32_t i = 0; i < d->correlated; i++)
    RDX_TRY(rdx_built_expression(p, outer, d->outer_keys[i], &semi->right_keys[i]));
  outer->node->shared = true;
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_AGGREGATE, semi, NULL, &copies[0]));
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_PROJECT, copies[0], NULL, &copies[1]));
  const uint32_t ids[] = {copies[0]->id, copies[1]->id};
  *copies[0] = *aggregate;
  *copies[1] = *list;
  copies[0]->id = ids[0];
  copies[1]->id = ids[1];
  copies[0]->left = semi;
  copies[1]->left = copies[0];
  right->node = copies[1];
  return RDX_OK;
}

static rdx_status place_value(void *user, rdx_bound *value, rdx_bound **out) {
  const placing *p = user;
  return rdx_built_expression(p->planner, p->built, value, out);
}

/* The aggregates that are asked for, over what is built. */
static rdx_status place_aggregates(rdx_planner *p, const rdx_dependent *d, const rdx_built *both, rdx_marking *m) {
  m->aggregate_count = d->aggregate_count;
  RDX_TRY(rdx_planner_alloc(p, d->aggregate_count, sizeof *m->aggregates, &m->aggregates));
  for (uint32_t i = 0; i < d->aggregate_count; i++)
    m->aggregates[i] = d->aggregates[i];
  placing placed = {p, both};
  RDX_TRY(rdx_aggregates_rewrite(p, m->aggregates, m->aggregate_count, place_value, &placed));
  return d->compared ? rdx_built_expression(p, both, d->compared, &m->compared) : RDX_OK;
}

/* What is built gets what is asked, in place of the subquery's columns. */
static rdx_status mark_dependent(rdx_block *b, const rdx_dependent *d, const rdx_built *right, rdx_built *built) {
  rdx_planner *p = b->planner;
  rdx_built both = {0};
  rdx_plan_node columns = {0};
  rdx_marking m = {.left = built->node, .right = right->node, .key_count = d->key_count, .unlike = d->unlike};
  RDX_TRY(rdx_planner_alloc(p, d->key_count, sizeof(rdx_bound *), &m.left_keys));
  RDX_TRY(rdx_planner_alloc(p, d->key_count, sizeof(rdx_bound *), &m.right_keys));
  for (uint32_t i = 0; i < d->key_count; i++) {
    RDX_TRY(rdx_built_expression(p, built, d->outer_keys[i], &m.left_keys[i]));
    RDX_TRY(rdx_built_expression(p, right, d->inner_keys[i], &m.right_keys[i]));
  }
  RDX_TRY(join_columns(p, built, right, &columns, &both));
  both.node = &columns;
  RDX_TRY(place_all(p, &both, &d->filter, &m.filter));
  RDX_TRY(place_aggregates(p, d, &both, &m));
  const uint32_t own = built->node->column_count, *before = built->refs;
  RDX_TRY(rdx_build_mark(p, &m, &built->node));
  RDX_TRY(rdx_planner_alloc(p, built->node->column_count, sizeof *built->refs, &built->refs));
  memcpy(built->refs, before, own * sizeof *before);
  for (uint32_t i = own; i < built->node->column_count; i++)
    built->refs[i] = rdx_leaf_column(d->leaf, b->leaves[d->leaf].column_count + i - own);
  return RDX_OK;
}

static rdx_status apply_dependent(rdx_block *b, rdx_dependent *d, rdx_built *built) {
  rdx_conjuncts none = {0};
  rdx_built right = {0};
  const given_keys keys = {d->outer_keys, d->inner_keys, d->key_count};
  RDX_TRY(build_leaf(b, d->leaf, &none, &right));
  RDX_TRY(reduce_dependent(b, d, built, &right));
  if (rdx_is_asked(d))
    RDX_TRY(mark_dependent(b, d, &right, built));
  else
    RDX_TRY(build_join(b, d->join, built, &right, &keys, &d->filter, built));
  built->leaves |= (uint64_t)1 << d->leaf;
  d->needs = UINT64_MAX; /* it is done */
  return RDX_OK;
}

static rdx_status build_item(rdx_block *b, const rdx_item *item, waiting *w, bool first, bool early, component *out) {
  rdx_planner *p = b->planner;
  rdx_conjuncts filter = {0};
  if (item->outer) {
    RDX_TRY(build_outer(b, item, w, &out->built));
  } else {
    RDX_TRY(take(p, w, item->leaves, first ? 0 : item->leaves, &filter));
    RDX_TRY(build_leaf(b, item->leaf, &filter, &out->built));
  }
  for (uint32_t i = 0; i < b->dependent_count && early; i++)
    if (rdx_keeps_rows(&b->dependents[i]) && b->dependents[i].needs && !(b->dependents[i].needs & ~item->leaves))
      RDX_TRY(apply_dependent(b, &b->dependents[i], &out->built));
  out->rows = max(out->built.node->expected_rows, 1);
  return RDX_OK;
}

/* Rows that two components have together; `*connected`: a condition joins them. */
static double pair_rows(const rdx_block *b, const waiting *w, const component *x, const component *y, bool *connected) {
  key_values values = {1, 1};
  *connected = false;
  for (uint32_t i = 0; i < w->list.count; i++) {
    const rdx_bound *c = w->list.list[i];
    uint32_t l = 0;
    if (w->done[i] || !joins(c, x->built.leaves, y->built.leaves, &l))
      continue;
    *connected = true;
    add_key(b, c->args[l], x->rows, c->args[1 - l], y->rows, &values);
  }
  const double share = key_share(&values, base_rows(b, x->built.leaves), base_rows(b, y->built.leaves));
  return x->rows * y->rows * (*connected ? share : 1);
}

static void find_pair(const rdx_block *b, const waiting *w, const component *list, uint32_t count, uint32_t *x,
                      uint32_t *y) {
  double best = -1, best_sides = 0;
  bool best_connected = false;
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t k = i + 1; k < count; k++) {
      bool connected;
      const double rows = pair_rows(b, w, &list[i], &list[k], &connected), sides = list[i].rows + list[k].rows;
      const bool better = rows < best * 0.999 || (rows <= best * 1.001 && sides < best_sides);
      if (best >= 0 && (connected < best_connected || (connected == best_connected && !better)))
        continue;
      best = rows;
      best_sides = sides;
      best_connected = connected;
      *x = i;
      *y = k;
    }
  }
}

static rdx_status join_pair(rdx_block *b, waiting *w, const component *x, const component *y, component *out) {
  rdx_conjuncts on = {0};
  const bool turned = x->rows < y->rows; /* the larger side is left: its rows keep their order */
  const rdx_built *left = turned ? &y->built : &x->built, *right = turned ? &x->built : &y->built;
  rdx_built joined = {0};
  RDX_TRY(take(b->planner, w, x->built.leaves | y->built.leaves, 0, &on));
  RDX_TRY(build_join(b, RDX_PLAN_INNER, left, right, &(given_keys){0}, &on, &joined));
  out->built = joined;
  out->rows = max(joined.node->expected_rows, 1);
  return RDX_OK;
}

/* ---- Orders ---- */

/* Components while their order is looked for. */
typedef struct order {
  rdx_block *block;
  waiting *waiting;
  const component *list;
  uint32_t count;
  rdx_join_graph graph;
  key_values *values; /* of each edge */
  uint32_t *splits;
} order;

static uint32_t components_of(const order *o, uint64_t leaves) {
  uint32_t set = 0;
  for (uint32_t i = 0; i < o->count; i++)
    set |= o->list[i].built.leaves & leaves ? 1u << i : 0;
  return set;
}

static uint64_t leaves_of(const order *o, uint32_t set) {
  uint64_t leaves = 0;
  for (uint32_t i = 0; i < o->count; i++)
    leaves |= set >> i & 1 ? o->list[i].built.leaves : 0;
  return leaves;
}

/* Equalities between the same sides are one edge: their columns together are its key. */
static void add_edge(order *o, const rdx_bound *c) {
  rdx_join_graph *g = &o->graph;
  uint32_t sides[2] = {0, 0}, i = 0;
  const bool equal = rdx_is_call(c, RDX_OP_EQ);
  for (uint32_t k = 0; k < 2 && equal; k++)
    sides[k] = components_of(o, rdx_bound_leaves(c->args[k]));
  if (!sides[0] || !sides[1] || sides[0] & sides[1]) {
    const uint32_t read = components_of(o, rdx_bound_leaves(c));
    if (read & (read - 1))
      g->edges[g->edge_count++] = (rdx_join_edge){.left = read, .share = rdx_estimate_share(c)};
    return;
  }
  while (i < g->edge_count && !(g->edges[i].left == sides[0] && g->edges[i].right == sides[1]) &&
         !(g->edges[i].left == sides[1] && g->edges[i].right == sides[0]))
    i++;
  if (i == g->edge_count) {
    g->edges[g->edge_count++] = (rdx_join_edge){.left = sides[0], .right = sides[1]};
    o->values[i] = (key_values){1, 1};
  }
  const uint32_t left = g->edges[i].left == sides[0] ? 0 : 1;
  add_key(o->block, c->args[left], o->list[__builtin_ctz(sides[left])].rows, c->args[1 - left],
          o->list[__builtin_ctz(sides[1 - left])].rows, &o->values[i]);
}

static rdx_status make_graph(order *o) {
  rdx_planner *p = o->block->planner;
  rdx_join_graph *g = &o->graph;
  const waiting *w = o->waiting;
  RDX_TRY(rdx_planner_alloc(p, w->list.count, sizeof *g->edges, &g->edges));
  RDX_TRY(rdx_planner_alloc(p, w->list.count, sizeof *o->values, &o->values));
  g->count = o->count;
  for (uint32_t i = 0; i < o->count; i++)
    g->rows[i] = o->list[i].rows;
  for (uint32_t i = 0; i < w->list.count; i++)
    if (!w->done[i])
      add_edge(o, w->list.list[i]);
  for (uint32_t i = 0; i < g->edge_count; i++) {
    rdx_join_edge *e = &g->edges[i];
    if (e->right)
      e->share = key_share(&o->values[i], base_rows(o->block, leaves_of(o, e->left)),
                           base_rows(o->block, leaves_of(o, e->right)));
  }
  return RDX_OK;
}

static rdx_status join_set(order *o, uint32_t set, component *out) {
  component halves[2];
  if (!(set & (set - 1))) {
    *out = o->list[__builtin_ctz(set)];
    return RDX_OK;
  }
  RDX_TRY(join_set(o, o->splits[set], &halves[0]));
  RDX_TRY(join_set(o, set ^ o->splits[set], &halves[1]));
  return join_pair(o->block, o->waiting, &halves[0], &halves[1], out);
}

static rdx_status join_best(rdx_block *b, waiting *w, component *list, uint32_t count) {
  order o = {.block = b, .waiting = w, .list = list, .count = count};
  component all;
  RDX_TRY(make_graph(&o));
  RDX_TRY(rdx_order_joins(b->planner, &o.graph, &o.splits));
  RDX_TRY(join_set(&o, (1u << count) - 1, &all));
  list[0] = all;
  return RDX_OK;
}

static rdx_status join_greedily(rdx_block *b, waiting *w, component *list, uint32_t count) {
  while (count > 1) {
    uint32_t x = 0, y = 1;
    find_pair(b, w, list, count, &x, &y);
    RDX_TRY(join_pair(b, w, &list[x], &list[y], &list[x]));
    list[y] = list[--count];
  }
  return RDX_OK;
}

static rdx_status join_group(rdx_block *b, const rdx_group *group, waiting *w, bool early, rdx_built *out) {
  component *list = NULL;
  const uint32_t count = group->count;
  RDX_TRY(rdx_planner_alloc(b->planner, count, sizeof *list, &list));
  for (uint32_t i = 0; i < count; i++)
    RDX_TRY(build_item(b, &group->items[i], w, i == 0, early, &list[i]));
  if (count > 1)
    RDX_TRY(count <= RDX_ORDERED ? join_best(b, w, list, count) : join_greedily(b, w, list, count));
  *out = list[0].built;
  return RDX_OK;
}

/* SELECT without FROM: one row. */
static rdx_status build_nothing(rdx_planner *p, rdx_built *out) {
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_VALUES, NULL, NULL, &out->node));
  out->node->row_count = 1;
  out->node->expected_rows = 1;
  return RDX_OK;
}

/* What the joins of a tree take. */
static double tree_ms(const rdx_planner *p, const rdx_plan_node *n) {
  double ms = 0;
  if (n->left && n->kind != RDX_PLAN_AGGREGATE) /* a subquery's inside costs the same wherever it is joined */
    ms += tree_ms(p, n->left);
  if (n->right && n->kind == RDX_PLAN_JOIN)
    ms += tree_ms(p, n->right);
  if (n->kind != RDX_PLAN_JOIN)
    return ms;
  const double left = n->left->expected_rows, right = n->right->expected_rows;
  const rdx_join_costs costs = rdx_join_costs_of(p, min(left, right));
  return ms + rdx_join_ms(&costs, max(left, right), n->expected_rows);
}

/* All joined; subqueries that keep rows or not are applied early, to the relations that they need alone, or late. */
static rdx_status build_all(rdx_block *b, bool early, rdx_built *out) {
  rdx_planner *p = b->planner;
  waiting w;
  RDX_TRY(wait_for(p, &b->from.conjuncts, &w));
  *out = (rdx_built){0};
  if (b->from.count > 0)
    RDX_TRY(join_group(b, &b->from, &w, early, out));
  else
    RDX_TRY(build_nothing(p, out));
  for (uint32_t i = 0; i < b->dependent_count; i++) {
    rdx_conjuncts ready = {0};
    if (b->dependents[i].needs != UINT64_MAX)
      RDX_TRY(apply_dependent(b, &b->dependents[i], out));
    RDX_TRY(take(p, &w, out->leaves, 0, &ready));
    RDX_TRY(add_filter(p, &ready, out));
  }
  rdx_conjuncts rest = {0};
  RDX_TRY(take(p, &w, UINT64_MAX, 0, &rest));
  return add_filter(p, &rest, out);
}

static bool has_choice(const rdx_block *b) {
  bool keeps = false;
  for (uint32_t i = 0; i < b->dependent_count; i++)
    keeps |= rdx_keeps_rows(&b->dependents[i]);
  return keeps && b->from.count > 1;
}

rdx_status rdx_build_from(rdx_block *b, rdx_built *out) {
  RDX_TRY(rdx_lower_conditions(b->planner, &b->from));
  RDX_TRY(rdx_build_queries(b));
  rdx_dependent *kept = NULL;
  rdx_built late = {0};
  RDX_TRY(rdx_planner_alloc(b->planner, b->dependent_count, sizeof *kept, &kept));
  for (uint32_t i = 0; i < b->dependent_count; i++)
    kept[i] = b->dependents[i];
  RDX_TRY(build_all(b, true, out));
  if (!has_choice(b))
    return RDX_OK;
  for (uint32_t i = 0; i < b->dependent_count; i++)
    b->dependents[i] = kept[i];
  RDX_TRY(build_all(b, false, &late));
  if (tree_ms(b->planner, late.node) < tree_ms(b->planner, out->node))
    *out = late;
  return RDX_OK;
}
