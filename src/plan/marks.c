/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Marks: whether a comparison is true, or NULL, for some row of a subquery that belongs to an outer row. Outer rows
 * are numbered, joined with the rows that belong to them, grouped by their numbers, and what that says is joined to
 * them. */

#include "plan/internal.h"

#include <string.h>

static const rdx_sql_type bigint = {.kind = RDX_SQL_BIGINT}, integer = {.kind = RDX_SQL_INTEGER};

static rdx_status join_columns(rdx_planner *p, rdx_plan_join join, rdx_plan_node *left, rdx_plan_node *right,
                               rdx_plan_node **out) {
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_JOIN, left, right, out));
  (*out)->join = join;
  (*out)->column_count = left->column_count + right->column_count;
  (*out)->expected_rows = left->expected_rows;
  RDX_TRY(rdx_planner_alloc(p, (*out)->column_count, sizeof *(*out)->columns, &(*out)->columns));
  memcpy((*out)->columns, left->columns, left->column_count * sizeof *left->columns);
  memcpy((*out)->columns + left->column_count, right->columns, right->column_count * sizeof *right->columns);
  return RDX_OK;
}

rdx_status rdx_build_numbers(rdx_planner *p, rdx_plan_node *left, rdx_plan_node **out) {
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_ROWS, left, NULL, out));
  (*out)->column_count = left->column_count + 1;
  (*out)->expected_rows = left->expected_rows;
  (*out)->shared = true;
  RDX_TRY(rdx_planner_alloc(p, (*out)->column_count, sizeof *(*out)->columns, &(*out)->columns));
  memcpy((*out)->columns, left->columns, left->column_count * sizeof *left->columns);
  (*out)->columns[left->column_count] = (rdx_plan_column){"row", bigint};
  return RDX_OK;
}

/* Columns of the right side come one place later, behind the number. */
typedef struct shift {
  rdx_planner *planner;
  uint32_t from;
} shift;

static rdx_status shift_node(void *user, rdx_bound *node, rdx_bound **out) {
  const shift *s = user;
  if (node->kind != RDX_BOUND_COLUMN || node->index < s->from)
    return RDX_OK;
  return rdx_bind_column(s->planner, node->index + 1, node->type, node->place, out);
}

static rdx_status shift_value(void *user, rdx_bound *value, rdx_bound **out) {
  const shift *s = user;
  return rdx_bound_rewrite(s->planner, value, shift_node, user, out);
}

static rdx_status bind_mark(rdx_planner *p, int64_t value, rdx_bound **out) {
  return rdx_bind_constant(&p->binding, integer, (rdx_datum){.i = value}, 0, out);
}

static bool is_true(const rdx_bound *e) {
  return e && e->kind == RDX_BOUND_CONSTANT && !e->value.null && e->value.i;
}

/* Where every pair says the same, one of each row is enough. */
static rdx_status join_pairs(rdx_planner *p, const rdx_marking *m, rdx_plan_node *rows, rdx_plan_node **out) {
  shift s = {p, m->left->column_count};
  const rdx_plan_join join = m->unlike ? RDX_PLAN_ANTI_NULL : is_true(m->compared) ? RDX_PLAN_SEMI : RDX_PLAN_INNER;
  RDX_TRY(join_columns(p, join, rows, m->right, out));
  if (join != RDX_PLAN_INNER)
    (*out)->column_count = rows->column_count;
  (*out)->left_keys = m->left_keys;
  (*out)->right_keys = m->right_keys;
  (*out)->key_count = m->key_count;
  return m->filter ? rdx_bound_rewrite(p, m->filter, shift_node, &s, &(*out)->filter) : RDX_OK;
}

/* The largest mark of each row that has one. Of the pairs stay those that decide: a comparison that is false says
 * nothing. */
static rdx_status add_mark(rdx_planner *p, const rdx_marking *m, rdx_plan_node *pairs, rdx_plan_aggregate *out) {
  shift s = {p, m->left->column_count};
  rdx_bound *args[3], *filters[2] = {pairs->filter, NULL};
  RDX_TRY(rdx_bound_rewrite(p, m->compared, shift_node, &s, &args[0]));
  RDX_TRY(rdx_bind_call_of(p, "is not false", args, 1, m->compared->place, &filters[1]));
  if (!filters[0] && !is_true(filters[1]))
    pairs->filter = filters[1];
  if (filters[0])
    RDX_TRY(rdx_bind_call_of(p, "and", filters, 2, m->compared->place, &pairs->filter));
  *out = (rdx_plan_aggregate){.kind = RDX_PLAN_MAX, .type = integer};
  RDX_TRY(bind_mark(p, RDX_MARK_TRUE, &args[1]));
  RDX_TRY(bind_mark(p, RDX_MARK_NULL, &args[2]));
  return rdx_bind_call_of(p, "case", args, 3, 0, &out->value);
}

/* Pairs by the number of their left row. */
static rdx_status group_pairs(rdx_planner *p, const rdx_marking *m, rdx_plan_node *pairs, rdx_plan_node **out) {
  const uint32_t count = m->compared ? 1 : m->aggregate_count, own = m->left->column_count;
  shift s = {p, own};
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_AGGREGATE, pairs, NULL, out));
  rdx_plan_node *node = *out;
  node->expr_count = 1;
  node->aggregate_count = count;
  node->column_count = 1 + count;
  node->expected_rows = m->left->expected_rows;
  RDX_TRY(rdx_planner_alloc(p, 1 + (uint64_t)count, sizeof *node->columns, &node->columns));
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof *node->exprs, &node->exprs));
  RDX_TRY(rdx_planner_alloc(p, count, sizeof *node->aggregates, &node->aggregates));
  node->columns[0] = (rdx_plan_column){"row", bigint};
  RDX_TRY(rdx_bind_column(p, own, bigint, 0, &node->exprs[0]));
  if (m->compared)
    RDX_TRY(add_mark(p, m, pairs, &node->aggregates[0]));
  for (uint32_t i = 0; i < count; i++) {
    if (!m->compared)
      node->aggregates[i] = m->aggregates[i];
    node->columns[1 + i] = (rdx_plan_column){m->compared ? "mark" : "aggregate", node->aggregates[i].type};
  }
  return m->compared ? RDX_OK : rdx_aggregates_rewrite(p, node->aggregates, count, shift_value, &s);
}

rdx_status rdx_build_mark(rdx_planner *p, const rdx_marking *m, rdx_plan_node **out) {
  const uint32_t own = m->left->column_count, more = m->compared ? 1 : m->aggregate_count;
  rdx_plan_node *rows = NULL, *pairs = NULL, *groups = NULL, *joined = NULL, *list = NULL;
  RDX_TRY(rdx_build_numbers(p, m->left, &rows));
  RDX_TRY(join_pairs(p, m, rows, &pairs));
  RDX_TRY(group_pairs(p, m, pairs, &groups));
  RDX_TRY(join_columns(p, RDX_PLAN_LEFT, rows, groups, &joined));
  joined->key_count = 1;
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof(rdx_bound *), &joined->left_keys));
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof(rdx_bound *), &joined->right_keys));
  RDX_TRY(rdx_bind_column(p, own, bigint, 0, &joined->left_keys[0]));
  RDX_TRY(rdx_bind_column(p, 0, bigint, 0, &joined->right_keys[0]));
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_PROJECT, joined, NULL, &list));
  list->column_count = list->expr_count = own + more;
  list->expected_rows = joined->expected_rows;
  RDX_TRY(rdx_planner_alloc(p, (uint64_t)own + more, sizeof *list->exprs, &list->exprs));
  RDX_TRY(rdx_planner_alloc(p, (uint64_t)own + more, sizeof *list->columns, &list->columns));
  for (uint32_t i = 0; i < own + more; i++) {
    const uint32_t column = i < own ? i : i + 2; /* behind the numbers of both sides */
    list->columns[i] = joined->columns[column];
    RDX_TRY(rdx_bind_column(p, column, joined->columns[column].type, 0, &list->exprs[i]));
  }
  *out = list;
  return RDX_OK;
}
