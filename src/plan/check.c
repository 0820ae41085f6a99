/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* What a plan asks of its operators that they cannot do; bands of its joins. */

#include "plan/internal.h"

/* Columns of intervals are text to the operators below, which neither orders them nor finds equal ones. */
static rdx_status check_interval(rdx_planner *p, rdx_sql_type type, rdx_sql_place place) {
  return type.kind == RDX_SQL_INTERVAL
             ? rdx_planner_fail(
                   p, RDX_ERROR_UNSUPPORTED, place, "calculate a number: extract(epoch FROM i)",
                   "intervals cannot be grouped, joined by or told apart, nor sorted by behind DISTINCT and UNION")
             : RDX_OK;
}

static rdx_status check_list(rdx_planner *p, rdx_bound *const *list, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    RDX_TRY(check_interval(p, list[i]->type, list[i]->place));
  return RDX_OK;
}

static rdx_status check_columns(rdx_planner *p, const rdx_plan_node *n) {
  for (uint32_t i = 0; i < n->column_count; i++)
    RDX_TRY(check_interval(p, n->columns[i].type, n->place));
  return RDX_OK;
}

static rdx_status check_aggregate(rdx_planner *p, const rdx_plan_aggregate *a) {
  if (a->distinct || a->kind == RDX_PLAN_MIN || a->kind == RDX_PLAN_MAX)
    RDX_TRY(check_interval(p, a->value->type, a->value->place));
  for (uint32_t i = 0; i < a->order_count; i++)
    RDX_TRY(check_interval(p, a->orders[i].value->type, a->orders[i].value->place));
  return RDX_OK;
}

static rdx_status check_intervals(rdx_planner *p, const rdx_plan_node *n) {
  switch (n->kind) {
  case RDX_PLAN_JOIN:
    return check_list(p, n->left_keys, n->key_count);
  case RDX_PLAN_AGGREGATE:
    RDX_TRY(check_list(p, n->exprs, n->expr_count));
    for (uint32_t i = 0; i < n->aggregate_count; i++)
      RDX_TRY(check_aggregate(p, &n->aggregates[i]));
    return RDX_OK;
  case RDX_PLAN_SORT:
    for (uint32_t i = 0; i < n->order_count; i++)
      RDX_TRY(check_interval(p, n->left->columns[n->orders[i].column].type, n->place));
    return RDX_OK;
  case RDX_PLAN_INTERSECT:
  case RDX_PLAN_EXCEPT:
    return check_columns(p, n);
  case RDX_PLAN_RECURSIVE:
    return n->all ? RDX_OK : check_columns(p, n);
  case RDX_PLAN_WINDOW:
    for (uint32_t i = 0; i < n->window_count; i++) {
      RDX_TRY(check_list(p, n->windows[i].partition, n->windows[i].partition_count));
      for (uint32_t k = 0; k < n->windows[i].order_count; k++)
        RDX_TRY(check_interval(p, n->windows[i].orders[k].value->type, n->windows[i].orders[k].value->place));
    }
    return RDX_OK;
  default:
    return RDX_OK;
  }
}

static rdx_status check_node(rdx_planner *p, rdx_plan_node *n) {
  if (!n || n->checked)
    return RDX_OK;
  n->checked = true;
  RDX_TRY(check_intervals(p, n));
  if (n->kind == RDX_PLAN_JOIN && n->key_count == 0 && n->filter)
    RDX_TRY(rdx_plan_band(p, n));
  if (n->kind == RDX_PLAN_FILTER)
    rdx_plan_first_numbers(n);
  RDX_TRY(check_node(p, n->left));
  return check_node(p, n->right);
}

rdx_status rdx_plan_check(rdx_planner *p) {
  for (uint32_t i = 0; i < p->plan->scalar_count; i++)
    RDX_TRY(check_node(p, p->plan->scalars[i].plan));
  return check_node(p, p->plan->root);
}
