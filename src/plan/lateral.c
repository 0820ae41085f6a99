/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* LATERAL queries in FROM that read columns of what stands before them. One that aggregates all its rows has one row
 * for each of these: it is a dependent, as a subquery in an expression is. The rows of others are joined by what they
 * compare; LIMIT is then a limit on the number of the row among those with equal keys. */

#include "plan/correlated.h"

typedef struct lateral {
  rdx_block *block;
  const rdx_from *from;
  rdx_bound_query *query;
  rdx_bound **written; /* the list */
  uint32_t count;      /* of it */
  uint32_t outputs;    /* that the plan keeps: with what only ORDER BY reads */
  rdx_correlated_parts parts;
  rdx_conjuncts conditions; /* that read outer columns alone */
  uint32_t marker;          /* a column that is never NULL, by its place in parts.columns; UINT32_MAX: there is none */
  rdx_bound *limit, *offset;
  bool ties;
  bool first; /* of the rows that belong to a row the first ones are chosen after the join */
} lateral;

static rdx_status refuse(const lateral *l, rdx_sql_place place, const char *hint, const char *what) {
  return rdx_planner_fail(l->block->planner, RDX_ERROR_UNSUPPORTED, place ? place : l->from->place, hint, "%s", what);
}

static rdx_status truth(rdx_block *b, rdx_sql_place place, rdx_bound **out) {
  return rdx_bind_constant(&b->planner->binding, (rdx_sql_type){.kind = RDX_SQL_BOOL}, (rdx_datum){.i = 1}, place, out);
}

/* ---- The leaf ---- */

/* The leaf's names are those of the list, whatever columns it has. */
static rdx_status name_leaf(lateral *l, uint32_t number) {
  rdx_planner *p = l->block->planner;
  rdx_leaf *leaf = &l->block->leaves[number];
  const uint32_t columns = leaf->column_count, capacity = l->count > columns ? l->count : columns;
  rdx_leaf named = *leaf;
  named.named = l->count;
  RDX_TRY(rdx_planner_alloc(p, capacity, sizeof *named.names, &named.names));
  RDX_TRY(rdx_planner_alloc(p, capacity, sizeof *named.types, &named.types));
  RDX_TRY(rdx_planner_alloc(p, capacity, sizeof *named.used, &named.used));
  RDX_TRY(rdx_planner_alloc(p, l->count, sizeof *named.values, &named.values));
  for (uint32_t i = 0; i < capacity; i++) {
    named.names[i] = i < l->count ? l->query->columns[i].name : "";
    if (i < columns)
      named.types[i] = leaf->types[i];
  }
  *leaf = named;
  return RDX_OK;
}

/* Column `i` of the list is this value. */
static void set_value(lateral *l, uint32_t leaf, uint32_t i, rdx_bound *value) {
  l->block->leaves[leaf].values[i] = value;
}

static rdx_status leaf_column(const lateral *l, uint32_t leaf, uint32_t column, rdx_bound **out) {
  return rdx_bind_column(l->block->planner, rdx_leaf_column(leaf, column), l->block->leaves[leaf].types[column], 0,
                         out);
}

/* ---- What is planned ---- */

/* The columns that values of the list need, which read outer ones: they are calculated after the join. */
static rdx_status part_list(lateral *l) {
  rdx_block *b = l->block, *c = l->query->block;
  rdx_planner *p = b->planner;
  bool lifted = false;
  RDX_TRY(rdx_planner_alloc(p, l->count, sizeof *l->written, &l->written));
  for (uint32_t i = 0; i < l->count; i++) {
    l->written[i] = c->outputs[i].value;
    if (!rdx_bound_has(l->written[i], RDX_BOUND_OUTER))
      continue;
    lifted = true;
    RDX_TRY(rdx_collect_columns(p, l->written[i], &l->parts.columns));
    RDX_TRY(truth(b, l->written[i]->place, &c->outputs[i].value)); /* nobody reads it */
  }
  l->marker = UINT32_MAX;
  if (!lifted || b->nullable == 0)
    return RDX_OK;
  rdx_bound *never = NULL;
  RDX_TRY(truth(b, l->from->place, &never));
  l->marker = l->parts.columns.count;
  return rdx_conjuncts_add(p, &l->parts.columns, never);
}

/* Conditions that read outer columns alone say which outer rows have any. */
static rdx_status part_conditions(lateral *l) {
  rdx_conjuncts all = l->parts.rest;
  l->parts.rest = (rdx_conjuncts){0};
  for (uint32_t i = 0; i < all.count; i++)
    RDX_TRY(rdx_conjuncts_add(l->block->planner,
                              rdx_bound_has(all.list[i], RDX_BOUND_COLUMN) ? &l->parts.rest : &l->conditions,
                              all.list[i]));
  return RDX_OK;
}

/* ORDER BY matters where LIMIT is, and reads what the plan keeps. */
static rdx_status check_orders(const lateral *l) {
  const rdx_bound_query *q = l->query;
  for (uint32_t i = 0; i < q->order_count; i++) {
    const uint32_t output = q->orders[i].column;
    const rdx_bound *value = output < l->count ? l->written[output] : q->block->outputs[output].value;
    if (rdx_bound_has(value, RDX_BOUND_OUTER))
      return refuse(l, value->place, NULL, "ORDER BY of a LATERAL query with LIMIT cannot read outer columns");
  }
  return RDX_OK;
}

static rdx_status check_rows(const lateral *l, uint32_t compared) {
  const rdx_block *c = l->query->block;
  const bool plain = !c->aggregating && !c->distinct && c->window_count == 0;
  if (c->distinct_on_count > 0)
    return refuse(l, 0, "write ORDER BY ... LIMIT 1",
                  "DISTINCT ON in a LATERAL query that reads outer columns is not supported");
  if (!plain && compared > 0)
    return refuse(l, l->parts.rest.list[0]->place, "group after the join",
                  "a LATERAL query with GROUP BY, DISTINCT or window functions can be compared with outer columns by = "
                  "only");
  if (c->distinct && l->parts.columns.count > (l->marker != UINT32_MAX))
    return refuse(l, 0, "calculate outside of it",
                  "a LATERAL query with DISTINCT cannot list expressions of outer and own columns");
  return RDX_OK;
}

/* Window functions look at the rows of one outer row. */
static rdx_status part_windows(lateral *l) {
  rdx_block *c = l->query->block;
  for (uint32_t i = 0; i < c->window_count; i++) {
    rdx_plan_window *w = &c->windows[i];
    rdx_bound **partition = NULL;
    const uint32_t keys = l->parts.inner.count;
    RDX_TRY(rdx_planner_alloc(c->planner, (uint64_t)w->partition_count + keys, sizeof *partition, &partition));
    for (uint32_t k = 0; k < w->partition_count; k++)
      partition[k] = w->partition[k];
    for (uint32_t k = 0; k < keys; k++)
      partition[w->partition_count + k] = l->parts.inner.list[k];
    w->partition = partition;
    w->partition_count += keys;
  }
  return RDX_OK;
}

/* The first rows of those with equal keys. */
static rdx_status limit_rows(const lateral *l, const rdx_plan_order *orders, uint32_t count, rdx_plan_node **plan) {
  rdx_top top = {.orders = orders, .order_count = count, .limit = l->limit, .offset = l->offset, .ties = l->ties};
  if (!l->limit && !l->offset)
    return RDX_OK;
  RDX_TRY(rdx_planner_alloc(l->block->planner, l->parts.inner.count, sizeof *top.partition, &top.partition));
  for (uint32_t i = 0; i < l->parts.inner.count; i++)
    top.partition[top.partition_count++] = l->outputs + i;
  return rdx_build_top(l->block->planner, &top, plan);
}

static rdx_status build_rows(lateral *l, rdx_plan_node **plan) {
  rdx_bound_query *q = l->query;
  rdx_block *c = q->block;
  const bool limited = q->limit || q->offset;
  const uint32_t count = q->order_count;
  l->outputs = limited ? c->output_count : l->count;
  RDX_TRY(rdx_find_parts(c, false, &l->parts));
  RDX_TRY(part_conditions(l));
  const uint32_t compared = l->parts.rest.count;
  RDX_TRY(part_list(l));
  if (limited)
    RDX_TRY(check_orders(l));
  RDX_TRY(check_rows(l, compared));
  RDX_TRY(part_windows(l));
  l->limit = q->limit;
  l->offset = q->offset;
  l->ties = q->ties;
  if (l->ties && l->offset)
    return refuse(l, l->offset->place, NULL, "OFFSET with WITH TIES is not supported in a LATERAL query");
  q->limit = q->offset = NULL;
  const rdx_form form = {RDX_PLAN_INNER, l->outputs, c->distinct};
  RDX_TRY(rdx_build_correlated(l->block, q, &form, &l->parts, plan));
  l->first = limited && compared > 0;
  return l->first ? RDX_OK : limit_rows(l, q->orders, count, plan);
}

/* ---- Rows ---- */

/* NULL where the join has filled the leaf's columns with NULL. */
static rdx_status guard(const lateral *l, uint32_t leaf, uint32_t first, rdx_bound **value) {
  rdx_bound *args[2] = {NULL, *value}, *marker = NULL;
  if (l->marker == UINT32_MAX)
    return RDX_OK;
  RDX_TRY(leaf_column(l, leaf, first + l->marker, &marker));
  RDX_TRY(rdx_bind_pair(l->block, "is not null", marker, NULL, marker->place, &args[0]));
  return rdx_bind_call_of(l->block->planner, "case", args, 2, (*value)->place, value);
}

static rdx_status lift_list(lateral *l, rdx_lifting *lifting) {
  for (uint32_t i = 0; i < l->count; i++) {
    rdx_bound *value = NULL;
    if (!rdx_bound_has(l->written[i], RDX_BOUND_OUTER))
      continue;
    RDX_TRY(rdx_lift_value(lifting, l->written[i], &value));
    RDX_TRY(guard(l, lifting->leaf, lifting->first, &value));
    set_value(l, lifting->leaf, i, value);
  }
  return RDX_OK;
}

static rdx_status lift_conditions(lateral *l, rdx_lifting *lifting, const rdx_conjuncts *list, rdx_conjuncts *out) {
  for (uint32_t i = 0; i < list->count; i++) {
    rdx_bound *lifted = NULL;
    RDX_TRY(rdx_lift_value(lifting, list->list[i], &lifted));
    RDX_TRY(rdx_conjuncts_add(l->block->planner, out, lifted));
  }
  return RDX_OK;
}

/* The first rows of those that the conditions match: LIMIT counts them after the join. */
static rdx_status choose_first(const lateral *l, uint32_t order_count, rdx_lateral *out) {
  RDX_TRY(rdx_planner_alloc(l->block->planner, 1, sizeof *out->first, &out->first));
  *out->first = (rdx_first_rows){.leaf = out->leaf,
                                 .pairs = out->conjuncts,
                                 .orders = l->query->orders,
                                 .order_count = order_count,
                                 .limit = l->limit,
                                 .offset = l->offset,
                                 .ties = l->ties};
  out->conjuncts = (rdx_conjuncts){0};
  return RDX_OK;
}

/* A leaf of its rows, and what they are joined by. */
static rdx_status bind_rows(lateral *l, rdx_lateral *out) {
  rdx_block *b = l->block;
  rdx_plan_node *plan = NULL;
  rdx_leaf leaf;
  const uint32_t order_count = l->query->order_count; /* which nobody needs within */
  RDX_TRY(build_rows(l, &plan));
  RDX_TRY(rdx_leaf_of_plan(b->planner, plan, NULL, &leaf));
  RDX_TRY(rdx_block_add_leaf(b, leaf, &out->leaf, l->from->place));
  RDX_TRY(name_leaf(l, out->leaf));
  rdx_lifting lifting = {b, out->leaf, &l->parts.columns, l->outputs + l->parts.inner.count};
  RDX_TRY(lift_list(l, &lifting));
  for (uint32_t i = 0; i < l->parts.outer.count; i++) {
    rdx_bound *outer = NULL, *inner = NULL, *equal = NULL;
    RDX_TRY(rdx_lift_value(&lifting, l->parts.outer.list[i], &outer));
    RDX_TRY(leaf_column(l, out->leaf, l->outputs + i, &inner));
    RDX_TRY(rdx_bind_pair(b, "=", outer, inner, outer->place, &equal));
    RDX_TRY(rdx_conjuncts_add(b->planner, &out->conjuncts, equal));
  }
  RDX_TRY(lift_conditions(l, &lifting, &l->parts.rest, &out->conjuncts));
  RDX_TRY(lift_conditions(l, &lifting, &l->conditions, &out->conjuncts));
  return l->first ? choose_first(l, order_count, out) : RDX_OK;
}

/* ---- One row ---- */

static rdx_status bind_answers(lateral *l, rdx_dependent *d) {
  rdx_block *b = l->block, *c = l->query->block;
  RDX_TRY(rdx_planner_alloc(b->planner, l->count, sizeof *l->written, &l->written));
  for (uint32_t i = 0; i < l->count; i++)
    l->written[i] = c->outputs[i].value;
  RDX_TRY(rdx_make_pairs(b, l->query, d));
  RDX_TRY(name_leaf(l, d->leaf));
  for (uint32_t i = 0; i < l->count; i++) {
    rdx_bound *value = NULL;
    RDX_TRY(rdx_answer(b, d, l->written[i], &value));
    set_value(l, d->leaf, i, value);
  }
  return RDX_OK;
}

static rdx_status bind_groups(lateral *l, const rdx_gate *gate, rdx_dependent *d) {
  rdx_block *b = l->block, *c = l->query->block;
  rdx_plan_node *plan = NULL;
  l->outputs = l->count;
  RDX_TRY(rdx_find_parts(c, true, &l->parts));
  RDX_TRY(part_list(l));
  RDX_TRY(rdx_build_correlated(b, l->query, &(rdx_form){RDX_PLAN_LEFT, l->count, false}, &l->parts, &plan));
  d->correlated = l->parts.inner.count;
  RDX_TRY(rdx_link_dependent(b, l->query, plan, l->count, &l->parts, 0, d));
  RDX_TRY(name_leaf(l, d->leaf));
  rdx_lifting lifting = {b, d->leaf, &l->parts.columns, l->count + l->parts.inner.count};
  RDX_TRY(lift_list(l, &lifting));
  for (uint32_t i = 0; i < l->count; i++) {
    rdx_bound *value = b->leaves[d->leaf].values[i];
    if (!value)
      RDX_TRY(leaf_column(l, d->leaf, i, &value));
    RDX_TRY(rdx_with_empty(b, c, l->written[i], d, &value));
    RDX_TRY(rdx_gate_value(b, gate, l->written[i], &value));
    set_value(l, d->leaf, i, value);
  }
  return RDX_OK;
}

static rdx_status bind_one_row(lateral *l, rdx_lateral *out) {
  rdx_block *b = l->block;
  const rdx_block *c = l->query->block;
  rdx_gate gate;
  rdx_dependent d = {.join = RDX_PLAN_LEFT};
  if (c->having || l->query->limit || l->query->offset || c->window_count > 0 || c->distinct_on_count > 0)
    return refuse(l, 0, "write such conditions behind the join",
                  "a LATERAL query that reads outer columns and aggregates without GROUP BY cannot have HAVING, LIMIT, "
                  "DISTINCT ON and window functions");
  if (b->nullable > 0)
    return refuse(l, 0, "write it before the outer join, or LEFT JOIN LATERAL (...) ON true",
                  "a LATERAL query that reads outer columns and aggregates without GROUP BY cannot be within a side of "
                  "an outer join that may be NULL");
  RDX_TRY(rdx_raise_gate(b, l->query, &gate));
  RDX_TRY(rdx_compares_pairs(c) ? bind_answers(l, &d) : bind_groups(l, &gate, &d));
  out->leaf = d.leaf;
  out->one_row = true;
  RDX_TRY(rdx_add_dependent(b, d));
  b->dependents[b->dependent_count - 1].attached = true;
  return RDX_OK;
}

/* ---- VALUES ---- */

/* Numbers of its rows. */
static rdx_status number_values(const lateral *l, rdx_plan_node **out) {
  rdx_planner *p = l->block->planner;
  const rdx_sql_type integer = {.kind = RDX_SQL_INTEGER};
  const uint32_t rows = l->query->row_count;
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_VALUES, NULL, NULL, out));
  RDX_TRY(rdx_planner_alloc(p, rows, sizeof *(*out)->exprs, &(*out)->exprs));
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof *(*out)->columns, &(*out)->columns));
  (*out)->row_count = (*out)->expr_count = rows;
  (*out)->column_count = 1;
  (*out)->columns[0] = (rdx_plan_column){"row", integer};
  (*out)->expected_rows = rows;
  for (uint32_t i = 0; i < rows; i++)
    RDX_TRY(rdx_bind_constant(&p->binding, integer, (rdx_datum){.i = i + 1}, 0, &(*out)->exprs[i]));
  return RDX_OK;
}

/* CASE row WHEN 1 THEN the value of the first WHEN 2 THEN ... END. */
static rdx_status choose_value(lateral *l, uint32_t leaf, uint32_t column, const rdx_plan_node *numbers,
                               rdx_bound **out) {
  rdx_planner *p = l->block->planner;
  const rdx_bound_query *q = l->query;
  rdx_lifting lifting = {.block = l->block, .list = &(rdx_conjuncts){0}};
  rdx_bound **args = NULL, *row = NULL;
  RDX_TRY(rdx_planner_alloc(p, 2 * (uint64_t)q->row_count, sizeof *args, &args));
  RDX_TRY(leaf_column(l, leaf, 0, &row));
  for (uint32_t i = 0; i < q->row_count; i++) {
    RDX_TRY(rdx_bind_pair(l->block, "=", row, numbers->exprs[i], row->place, &args[2 * (size_t)i]));
    RDX_TRY(rdx_lift_value(&lifting, q->values[i * q->column_count + column], &args[2 * (size_t)i + 1]));
  }
  return rdx_bind_call_of(p, "case", args, 2 * q->row_count, l->from->place, out);
}

static rdx_status bind_values(lateral *l, rdx_lateral *out) {
  rdx_block *b = l->block;
  rdx_plan_node *numbers = NULL;
  rdx_leaf leaf;
  if (l->query->limit || l->query->offset)
    return refuse(l, 0, NULL, "VALUES that read outer columns cannot have LIMIT");
  RDX_TRY(number_values(l, &numbers));
  RDX_TRY(rdx_leaf_of_plan(b->planner, numbers, NULL, &leaf));
  RDX_TRY(rdx_block_add_leaf(b, leaf, &out->leaf, l->from->place));
  RDX_TRY(name_leaf(l, out->leaf));
  for (uint32_t i = 0; i < l->count; i++) {
    rdx_bound *value = NULL;
    RDX_TRY(choose_value(l, out->leaf, i, numbers, &value));
    set_value(l, out->leaf, i, value);
  }
  return RDX_OK;
}

/* ---- Any ---- */

rdx_status rdx_bind_lateral(rdx_block *b, const rdx_from *from, rdx_bound_query *query, rdx_lateral *out) {
  lateral l = {.block = b, .from = from, .query = query, .count = query->column_count};
  const rdx_block *c = query->block;
  *out = (rdx_lateral){0};
  RDX_TRY(rdx_query_settle(b->planner, query, NULL));
  if (query->left)
    return refuse(&l, 0, "list the column, and compare it behind the join",
                  "a set operation in LATERAL that reads outer columns is not supported");
  if (!c)
    return bind_values(&l, out);
  if (c->qualify)
    return refuse(&l, 0, "write it as WHERE of a query around this one",
                  "QUALIFY in a LATERAL query that reads outer columns is not supported");
  if (c->aggregating && c->group_count == 0 && c->set_count == 0)
    return bind_one_row(&l, out);
  return bind_rows(&l, out);
}
