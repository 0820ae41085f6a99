/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* First rows: DISTINCT ON keeps the first row of those that have some values in common, stddev(DISTINCT x) the first
 * row of each value. Both number the rows by a window function. */

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
