/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Queries in FROM, and views, that only join, filter and list become a part of the block that reads them: their
 * relations are joined with its own, and what they list takes the place of their columns. */

#include "plan/internal.h"

#include <string.h>

#define MAX_VALUES 32 /* that an expression of such a list calculates: nested ones could double them at each level */

/* ---- All that a block says of the rows that FROM joins ---- */

static rdx_status rewrite_list(rdx_bound **list, uint32_t count, rdx_value_fn fn, void *user) {
  for (uint32_t i = 0; i < count; i++)
    RDX_TRY(fn(user, list[i], &list[i]));
  return RDX_OK;
}

static rdx_status rewrite_conjuncts(rdx_planner *p, rdx_conjuncts *list, rdx_value_fn fn, void *user) {
  const rdx_conjuncts all = *list;
  *list = (rdx_conjuncts){0};
  for (uint32_t i = 0; i < all.count; i++) {
    rdx_bound *c = NULL;
    RDX_TRY(fn(user, all.list[i], &c));
    if (c != all.list[i] && c->kind == RDX_BOUND_CONSTANT && !c->value.null && c->value.i)
      continue;
    RDX_TRY(c == all.list[i] ? rdx_conjuncts_add(p, list, c) : rdx_conjuncts_split(p, list, c));
  }
  return RDX_OK;
}

static rdx_status rewrite_group(rdx_planner *p, rdx_group *group, rdx_value_fn fn, void *user) {
  RDX_TRY(rewrite_conjuncts(p, &group->conjuncts, fn, user));
  for (uint32_t i = 0; i < group->count; i++) {
    rdx_item *item = &group->items[i];
    if (!item->outer)
      continue;
    RDX_TRY(rewrite_group(p, item->left, fn, user));
    RDX_TRY(rewrite_group(p, item->right, fn, user));
    RDX_TRY(rewrite_conjuncts(p, &item->on, fn, user));
    if (item->first)
      RDX_TRY(rewrite_conjuncts(p, &item->first->pairs, fn, user));
    if (item->series)
      RDX_TRY(rewrite_list(item->series->exprs, item->series->expr_count, fn, user));
  }
  return RDX_OK;
}

/* What decides which rows there are. */
static rdx_status rewrite_conditions(rdx_block *b, rdx_value_fn fn, void *user) {
  rdx_planner *p = b->planner;
  RDX_TRY(rewrite_group(p, &b->from, fn, user));
  for (uint32_t i = 0; i < b->dependent_count; i++) {
    rdx_dependent *d = &b->dependents[i];
    RDX_TRY(rewrite_list(d->outer_keys, d->key_count, fn, user));
    RDX_TRY(rewrite_list(d->inner_keys, d->key_count, fn, user));
    RDX_TRY(rewrite_conjuncts(p, &d->filter, fn, user));
    if (d->compared)
      RDX_TRY(fn(user, d->compared, &d->compared));
    RDX_TRY(rdx_aggregates_rewrite(p, d->aggregates, d->aggregate_count, fn, user));
  }
  return RDX_OK;
}

/* What is calculated of rows. The list and HAVING of a block with aggregates are of groups. */
static rdx_status rewrite_values(rdx_block *b, rdx_value_fn fn, void *user) {
  if (b->aggregating) {
    RDX_TRY(rewrite_list(b->groups, b->group_count, fn, user));
    RDX_TRY(rewrite_list(b->firsts.list, b->firsts.count, fn, user));
    return rdx_aggregates_rewrite(b->planner, b->aggregates, b->aggregate_count, fn, user);
  }
  for (uint32_t i = 0; i < b->output_count; i++)
    RDX_TRY(fn(user, b->outputs[i].value, &b->outputs[i].value));
  return rdx_windows_rewrite(b, fn, user);
}

/* ---- Which queries ---- */

/* What the columns of leaves stand for. */
typedef struct pulling {
  rdx_block *block;
  const rdx_output **lists; /* NULL: for themselves */
  bool any, may_fail;
} pulling;

static rdx_status start(rdx_block *b, pulling *out) {
  *out = (pulling){.block = b};
  return rdx_planner_alloc(b->planner, RDX_MAX_LEAVES, sizeof *out->lists, &out->lists);
}

static rdx_status place_node(void *user, rdx_bound *node, rdx_bound **out) {
  const pulling *p = user;
  const uint32_t leaf = rdx_leaf_of(node->index);
  if (node->kind == RDX_BOUND_COLUMN && leaf < RDX_MAX_LEAVES && p->lists[leaf])
    *out = p->lists[leaf][rdx_column_of(node->index)].value;
  return RDX_OK;
}

static rdx_status place_value(void *user, rdx_bound *value, rdx_bound **out) {
  const pulling *p = user;
  return rdx_bound_rewrite(p->block->planner, value, place_node, user, out);
}

static rdx_status note_failing(void *user, rdx_bound *value, rdx_bound **out) {
  pulling *p = user;
  rdx_bound *placed = NULL;
  *out = value;
  RDX_TRY(place_value(user, value, &placed));
  p->may_fail |= placed != value && !rdx_cannot_fail(p->block->planner, placed);
  return RDX_OK;
}

/* Subqueries of a side of an outer join would have to stay there; those that are values join what is joined already. */
static bool has_semi_joins(const rdx_block *c, bool outermost) {
  bool semi = c->dependent_count == 0 || outermost;
  for (uint32_t i = 0; i < c->dependent_count; i++)
    semi &= rdx_keeps_rows(&c->dependents[i]) && !c->dependents[i].attached;
  return semi;
}

static bool is_simple(const rdx_leaf *leaf) {
  const rdx_bound_query *q = leaf->query;
  const rdx_block *c = q ? q->block : NULL;
  return c && !leaf->numbered && !c->aggregating && !c->distinct && c->distinct_on_count == 0 && c->window_count == 0 &&
         q->order_count == 0 && !q->limit && !q->offset;
}

static bool is_relation(const rdx_leaf *leaf) {
  return leaf->table || leaf->plan || leaf->query;
}

static bool fits(const rdx_block *b, const rdx_block *c) {
  uint32_t count = b->leaf_count;
  for (uint32_t i = 0; i < c->leaf_count; i++)
    count += is_relation(&c->leaves[i]);
  return count <= RDX_MAX_LEAVES;
}

/* Whether what is read of a list may stand wherever its columns do. An outer join fills columns with NULL: of tables,
 * and thereby what is made of them where that is strict. */
static bool may_stand(const rdx_leaf *leaf, bool nullable) {
  const rdx_block *c = leaf->query->block;
  bool may = true;
  for (uint32_t i = 0; i < leaf->column_count && may; i++)
    may = !leaf->used[i] || (rdx_count_values(c->outputs[i].value) <= MAX_VALUES &&
                             (!nullable || rdx_bound_is_strict(c->outputs[i].value, rdx_group_leaves(&c->from))));
  return may;
}

/* Conditions that may fail must see no row that the query leaves out. */
static rdx_status check_conditions(rdx_block *b, uint32_t number, bool *may) {
  const rdx_block *c = b->leaves[number].query->block;
  pulling p;
  *may = c->from.count == 1 && !c->from.items[0].outer && c->from.conjuncts.count == 0 && c->dependent_count == 0;
  if (*may)
    return RDX_OK;
  RDX_TRY(start(b, &p));
  p.lists[number] = c->outputs;
  RDX_TRY(rewrite_conditions(b, note_failing, &p));
  *may = !p.may_fail;
  return RDX_OK;
}

static rdx_status can_pull(rdx_block *b, const rdx_group *group, uint32_t number, bool nullable, bool *can) {
  const rdx_leaf *leaf = &b->leaves[number];
  *can = is_simple(leaf);
  if (!*can)
    return RDX_OK;
  rdx_block *c = leaf->query->block;
  RDX_TRY(rdx_pull_queries(c));
  *can = has_semi_joins(c, group == &b->from) && fits(b, c) && (c->from.count > 0 || group->count > 1) &&
         may_stand(leaf, nullable);
  return *can ? check_conditions(b, number, can) : RDX_OK;
}

/* ---- Their relations ---- */

/* Numbers of leaves in another block. */
typedef struct moving {
  rdx_planner *planner;
  uint32_t *to;
} moving;

static rdx_status move_node(void *user, rdx_bound *node, rdx_bound **out) {
  const moving *m = user;
  if (node->kind != RDX_BOUND_COLUMN || rdx_leaf_of(node->index) >= RDX_MAX_LEAVES)
    return RDX_OK;
  const uint32_t index = rdx_leaf_column(m->to[rdx_leaf_of(node->index)], rdx_column_of(node->index));
  return rdx_bind_column(m->planner, index, node->type, node->place, out);
}

static rdx_status move_value(void *user, rdx_bound *value, rdx_bound **out) {
  const moving *m = user;
  return rdx_bound_rewrite(m->planner, value, move_node, user, out);
}

static void move_items(const moving *m, rdx_group *group) {
  for (uint32_t i = 0; i < group->count; i++) {
    rdx_item *item = &group->items[i];
    if (!item->outer) {
      item->leaf = m->to[item->leaf];
      item->leaves = (uint64_t)1 << item->leaf;
      continue;
    }
    move_items(m, item->left);
    move_items(m, item->right);
    item->leaves = rdx_group_leaves(item->left) | rdx_group_leaves(item->right);
    if (item->first)
      item->first->leaf = m->to[item->first->leaf];
  }
}

/* An error in one of them is shown where the block names the view. */
static rdx_status move_leaves(rdx_block *b, const rdx_leaf *leaf, moving *m) {
  const rdx_block *c = leaf->query->block;
  for (uint32_t i = 0; i < c->leaf_count; i++) {
    rdx_leaf moved = c->leaves[i];
    if (!is_relation(&moved))
      continue;
    if (leaf->view) {
      moved.from = leaf->from;
      moved.view = moved.view ? moved.view : leaf->view;
    }
    RDX_TRY(rdx_planner_grow(b->planner, &b->leaves, b->leaf_count, &b->leaf_capacity, sizeof moved));
    m->to[i] = b->leaf_count;
    b->leaves[b->leaf_count++] = moved;
  }
  return RDX_OK;
}

/* The items and conditions of a query in place of an item. */
static rdx_status replace_item(rdx_planner *p, rdx_group *group, uint32_t place, const rdx_group *from) {
  const rdx_group own = *group;
  group->count = own.count - 1 + from->count;
  group->capacity = group->count;
  RDX_TRY(rdx_planner_alloc(p, group->count, sizeof *group->items, &group->items));
  memcpy(group->items, own.items, place * sizeof *own.items);
  if (from->count > 0)
    memcpy(group->items + place, from->items, from->count * sizeof *own.items);
  memcpy(group->items + place + from->count, own.items + place + 1, (own.count - place - 1) * sizeof *own.items);
  group->conjuncts = (rdx_conjuncts){0};
  for (uint32_t i = 0; i < from->conjuncts.count; i++)
    RDX_TRY(rdx_conjuncts_add(p, &group->conjuncts, from->conjuncts.list[i]));
  for (uint32_t i = 0; i < own.conjuncts.count; i++)
    RDX_TRY(rdx_conjuncts_add(p, &group->conjuncts, own.conjuncts.list[i]));
  return RDX_OK;
}

/* Its subqueries come before those of the block. */
static rdx_status move_dependents(rdx_block *b, const rdx_block *c, const moving *m) {
  const rdx_dependent *own = b->dependents;
  const uint32_t count = b->dependent_count + c->dependent_count;
  RDX_TRY(rdx_planner_alloc(b->planner, count, sizeof *b->dependents, &b->dependents));
  for (uint32_t i = 0; i < c->dependent_count; i++) {
    b->dependents[i] = c->dependents[i];
    b->dependents[i].leaf = m->to[c->dependents[i].leaf];
  }
  for (uint32_t i = c->dependent_count; i < count; i++)
    b->dependents[i] = own[i - c->dependent_count];
  b->dependent_count = b->dependent_capacity = count;
  return RDX_OK;
}

static rdx_status pull(pulling *p, rdx_group *group, uint32_t place) {
  rdx_block *b = p->block;
  const uint32_t number = group->items[place].leaf;
  const rdx_leaf leaf = b->leaves[number];
  rdx_block *c = leaf.query->block;
  moving m = {.planner = b->planner};
  RDX_TRY(rdx_planner_alloc(b->planner, c->leaf_count, sizeof *m.to, &m.to));
  RDX_TRY(move_leaves(b, &leaf, &m));
  RDX_TRY(rewrite_conditions(c, move_value, &m));
  RDX_TRY(rewrite_values(c, move_value, &m));
  move_items(&m, &c->from);
  RDX_TRY(move_dependents(b, c, &m));
  b->leaves[number].query = NULL;
  p->lists[number] = c->outputs;
  p->any = true;
  return replace_item(b->planner, group, place, &c->from);
}

static rdx_status pull_from(pulling *p, rdx_group *group, bool nullable) {
  for (uint32_t i = 0; i < group->count; i++) {
    rdx_item *item = &group->items[i];
    if (item->outer) {
      RDX_TRY(pull_from(p, item->left, nullable || item->join == RDX_PLAN_FULL));
      RDX_TRY(pull_from(p, item->right, nullable || item->join != RDX_PLAN_INNER));
      item->leaves = rdx_group_leaves(item->left) | rdx_group_leaves(item->right);
      continue;
    }
    const uint32_t others = group->count - 1;
    bool can = false;
    RDX_TRY(can_pull(p->block, group, item->leaf, nullable, &can));
    if (!can)
      continue;
    RDX_TRY(pull(p, group, i));
    i += group->count - others;
    i--;
  }
  return RDX_OK;
}

/* ---- The block ---- */

static rdx_status note_node(void *user, rdx_bound *node, rdx_bound **out) {
  const rdx_block *b = user;
  const bool column = node->kind == RDX_BOUND_COLUMN && rdx_leaf_of(node->index) < b->leaf_count;
  const rdx_leaf *leaf = column ? &b->leaves[rdx_leaf_of(node->index)] : NULL;
  *out = NULL;
  if (leaf && leaf->table && rdx_column_of(node->index) < leaf->column_count)
    leaf->used[rdx_column_of(node->index)] = true;
  return RDX_OK;
}

static rdx_status note_value(void *user, rdx_bound *value, rdx_bound **out) {
  const rdx_block *b = user;
  return rdx_bound_rewrite(b->planner, value, note_node, user, out);
}

/* The columns that are read now. */
static rdx_status note_columns(rdx_block *b) {
  for (uint32_t i = 0; i < b->leaf_count; i++)
    if (b->leaves[i].table)
      memset(b->leaves[i].used, 0, b->leaves[i].column_count * sizeof *b->leaves[i].used);
  RDX_TRY(rewrite_conditions(b, note_value, b));
  return rewrite_values(b, note_value, b);
}

rdx_status rdx_pull_queries(rdx_block *b) {
  rdx_planner *planner = b->planner;
  pulling p;
  if (b->pulled)
    return RDX_OK;
  b->pulled = true;
  RDX_TRY(start(b, &p));
  b->named_groups = b->groups;
  RDX_TRY(pull_from(&p, &b->from, false));
  if (!p.any)
    return RDX_OK;
  RDX_TRY(rdx_planner_alloc(planner, b->group_count, sizeof *b->groups, &b->groups));
  for (uint32_t i = 0; i < b->group_count; i++)
    b->groups[i] = b->named_groups[i];
  RDX_TRY(rewrite_conditions(b, place_value, &p));
  RDX_TRY(rewrite_values(b, place_value, &p));
  for (uint32_t i = 0; i < b->dependent_count; i++)
    rdx_dependent_find_needs(&b->dependents[i]);
  return note_columns(b);
}
