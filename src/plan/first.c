/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* First rows: DISTINCT ON keeps the first row of those that have some values in common, stddev(DISTINCT x) the first
 * row of each value. Both number the rows by a window function. Where a filter asks for the first numbers alone, others
 * need not be found. */

#include "plan/internal.h"

#include <string.h>

static const rdx_sql_type bigint = {.kind = RDX_SQL_BIGINT};

/* `below` with one more column for each of these windows. */
static rdx_status add_windows(rdx_planner *p, rdx_plan_node *below, rdx_plan_window *windows, uint32_t count,
                              rdx_plan_node **out) {
  rdx_plan_node *node = NULL;
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_WINDOW, below, NULL, &node));
  node->windows = windows;
  node->window_count = count;
  node->column_count = below->column_count + count;
  node->expected_rows = below->expected_rows;
  RDX_TRY(rdx_planner_alloc(p, node->column_count, sizeof *node->columns, &node->columns));
  memcpy(node->columns, below->columns, below->column_count * sizeof *node->columns);
  for (uint32_t i = 0; i < count; i++)
    node->columns[below->column_count + i] = (rdx_plan_column){windows[i].name, windows[i].type};
  *out = node;
  return RDX_OK;
}

static rdx_plan_window row_number(void) {
  return (rdx_plan_window){.kind = RDX_WINDOW_ROW_NUMBER, .name = "row_number", .type = bigint};
}

/* ---- DISTINCT ON ---- */

static rdx_status output_column(rdx_planner *p, const rdx_plan_node *below, uint32_t output, rdx_bound **out) {
  return rdx_bind_column(p, output, below->columns[output].type, 0, out);
}

static rdx_status bind_number(rdx_planner *p, int64_t value, rdx_bound **out) {
  return rdx_bind_constant(&p->binding, bigint, (rdx_datum){.i = value}, 0, out);
}

static rdx_status call(rdx_planner *p, const char *name, rdx_bound *left, rdx_bound *right, rdx_bound **out) {
  rdx_bound *const args[] = {left, right};
  return rdx_bind_call_of(p, name, args, 2, 0, out);
}

/* number > offset AND number - offset <= limit; a NULL of a parameter is none. */
static rdx_status bind_limits(rdx_planner *p, const rdx_top *top, rdx_bound *number, rdx_bound **out) {
  rdx_bound *offset = NULL, *max = NULL, *behind = NULL, *within = NULL, *none = NULL;
  *out = NULL;
  if (top->offset) {
    RDX_TRY(bind_number(p, 0, &none));
    RDX_TRY(call(p, "coalesce", top->offset, none, &offset));
    RDX_TRY(call(p, ">", number, offset, &behind));
    RDX_TRY(call(p, "-", number, offset, &number));
    *out = behind;
  }
  if (!top->limit)
    return RDX_OK;
  RDX_TRY(bind_number(p, INT64_MAX, &none));
  RDX_TRY(call(p, "coalesce", top->limit, none, &max));
  RDX_TRY(call(p, "<=", number, max, &within));
  *out = within;
  return behind ? call(p, "and", behind, within, out) : RDX_OK;
}

/* Rows with wanted numbers, without these. */
static rdx_status keep_numbers(rdx_planner *p, const rdx_top *top, rdx_plan_node *numbered, rdx_plan_node **out) {
  rdx_plan_node *filter = NULL, *list = NULL;
  rdx_bound *number = NULL;
  const uint32_t count = numbered->column_count - 1;
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_FILTER, numbered, NULL, &filter));
  RDX_TRY(output_column(p, numbered, count, &number));
  RDX_TRY(bind_limits(p, top, number, &filter->filter));
  filter->expected_rows = numbered->expected_rows * rdx_estimate_share(filter->filter);
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_PROJECT, filter, NULL, &list));
  RDX_TRY(rdx_planner_alloc(p, count, sizeof *list->exprs, &list->exprs));
  list->columns = numbered->columns;
  list->column_count = list->expr_count = count;
  list->expected_rows = filter->expected_rows;
  for (uint32_t i = 0; i < count; i++)
    RDX_TRY(output_column(p, numbered, i, &list->exprs[i]));
  *out = list;
  return RDX_OK;
}

rdx_status rdx_build_top(rdx_planner *p, const rdx_top *top, rdx_plan_node **below) {
  rdx_plan_window *w = NULL;
  rdx_plan_node *numbered = NULL;
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof *w, &w));
  *w = row_number();
  w->kind = top->ties ? RDX_WINDOW_RANK : w->kind;
  RDX_TRY(rdx_planner_alloc(p, top->partition_count, sizeof(rdx_bound *), &w->partition));
  RDX_TRY(rdx_planner_alloc(p, top->order_count, sizeof *w->orders, &w->orders));
  for (uint32_t i = 0; i < top->partition_count; i++)
    RDX_TRY(output_column(p, *below, top->partition[i], &w->partition[w->partition_count++]));
  for (uint32_t i = 0; i < top->order_count; i++) {
    rdx_plan_ordering *o = &w->orders[w->order_count++];
    *o = (rdx_plan_ordering){.descending = top->orders[i].descending, .nulls_first = top->orders[i].nulls_first};
    RDX_TRY(output_column(p, *below, top->orders[i].column, &o->value));
  }
  RDX_TRY(add_windows(p, *below, w, 1, &numbered));
  return keep_numbers(p, top, numbered, below);
}

rdx_status rdx_build_distinct_on(rdx_block *b, const rdx_plan_order *orders, uint32_t count, rdx_plan_node **below) {
  rdx_top top = {
      .partition = b->distinct_on, .partition_count = b->distinct_on_count, .orders = orders, .order_count = count};
  RDX_TRY(bind_number(b->planner, 1, &top.limit));
  return rdx_build_top(b->planner, &top, below);
}

/* ---- First values ---- */

rdx_status rdx_build_firsts(rdx_block *b, rdx_built *built, const bool *wanted) {
  rdx_planner *p = b->planner;
  rdx_plan_window *windows = NULL;
  rdx_plan_node *node = NULL;
  const uint32_t own = built->node->column_count;
  uint32_t *refs = NULL;
  RDX_TRY(rdx_planner_alloc(p, b->firsts.count, sizeof *windows, &windows));
  RDX_TRY(rdx_planner_alloc(p, (uint64_t)own + b->firsts.count, sizeof *refs, &refs));
  memcpy(refs, built->refs, own * sizeof *refs);
  for (uint32_t i = 0; i < b->firsts.count; i++) {
    rdx_plan_window *w = &windows[i];
    *w = row_number();
    RDX_TRY(rdx_planner_alloc(p, (uint64_t)b->group_count + 1, sizeof(rdx_bound *), &w->partition));
    for (uint32_t k = 0; k < b->group_count; k++)
      if (!wanted || wanted[k])
        RDX_TRY(rdx_built_expression(p, built, rdx_constant_of_group(b, b->groups[k]),
                                     &w->partition[w->partition_count++]));
    RDX_TRY(rdx_built_expression(p, built, b->firsts.list[i], &w->partition[w->partition_count++]));
    refs[own + i] = rdx_leaf_column(RDX_FIRSTS_LEAF, i);
  }
  built->node->shared |= wanted != NULL;
  RDX_TRY(add_windows(p, built->node, windows, b->firsts.count, &node));
  built->node = node;
  built->refs = refs;
  return RDX_OK;
}

/* ---- First numbers ---- */

/* The node of windows that a column of a node's output is one of, and which; NULL: it is none, or others read it. */
static rdx_plan_node *find_window(rdx_plan_node *n, uint32_t column, const rdx_plan_window **out) {
  while (!n->shared && (n->kind == RDX_PLAN_FILTER || n->kind == RDX_PLAN_PROJECT)) {
    if (n->kind == RDX_PLAN_PROJECT && n->exprs[column]->kind != RDX_BOUND_COLUMN)
      return NULL;
    column = n->kind == RDX_PLAN_PROJECT ? n->exprs[column]->index : column;
    n = n->left;
  }
  if (n->shared || n->kind != RDX_PLAN_WINDOW || column < n->left->column_count)
    return NULL;
  *out = &n->windows[column - n->left->column_count];
  return n;
}

/* Whether all windows number rows, in one order: then leaving out the last ones changes no other number. */
static bool numbers_rows(const rdx_plan_node *n) {
  bool all = true;
  for (uint32_t i = 0; i < n->window_count && all; i++)
    all = n->windows[i].kind <= RDX_WINDOW_DENSE_RANK && rdx_windows_alike(&n->windows[0], &n->windows[i]);
  return all;
}

/* Rows before one whose number is `max` are fewer than that; of ROW_NUMBER also where all are equal. */
static bool bounds_rows(const rdx_plan_window *w, int64_t max) {
  return w->kind == RDX_WINDOW_ROW_NUMBER ||
         (w->order_count > 0 && (w->kind == RDX_WINDOW_RANK || (w->kind == RDX_WINDOW_DENSE_RANK && max == 1)));
}

/* column = n, <= n, < n, or the same the other way round: the largest that it may be, at least 1; 0: it is none. */
static int64_t find_max(const rdx_bound *e, uint32_t *column) {
  if (e->kind != RDX_BOUND_CALL || e->op < RDX_OP_EQ || e->op > RDX_OP_GE || e->op == RDX_OP_NE)
    return 0;
  const bool behind = e->args[1]->kind == RDX_BOUND_COLUMN;
  const rdx_bound *of = e->args[behind], *number = e->args[!behind];
  if (of->kind != RDX_BOUND_COLUMN || of->type.kind != RDX_SQL_BIGINT || number->kind != RDX_BOUND_CONSTANT ||
      number->type.kind != RDX_SQL_BIGINT || number->value.null)
    return 0;
  const bool below = e->op == (behind ? RDX_OP_GT : RDX_OP_LT), within = e->op == (behind ? RDX_OP_GE : RDX_OP_LE);
  *column = of->index;
  if (e->op != RDX_OP_EQ && !below && !within)
    return 0;
  return number->value.i - below > 1 ? number->value.i - below : 1;
}

static void note_first(const rdx_bound *e, const rdx_plan_node *filter) {
  const rdx_plan_window *window = NULL;
  uint32_t column = 0;
  if (rdx_is_call(e, RDX_OP_AND)) {
    for (uint32_t i = 0; i < e->count; i++)
      note_first(e->args[i], filter);
    return;
  }
  const int64_t max = find_max(e, &column);
  rdx_plan_node *n = max > 0 ? find_window(filter->left, column, &window) : NULL;
  if (n && numbers_rows(n) && bounds_rows(window, max))
    n->first_numbers = n->first_numbers && n->first_numbers < (uint64_t)max ? n->first_numbers : (uint64_t)max;
}

void rdx_plan_first_numbers(const rdx_plan_node *filter) {
  note_first(filter->filter, filter);
}
