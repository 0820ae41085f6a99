/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* What the operators of a plan are expected to take: their work in counts, of the rows that are expected. */

#include "plan/internal.h"

#include <math.h>

#define JOIN_LAUNCHES 8 /* of a join: keys brought, the table built, looked up, read */

static double count_values(const rdx_bound *e) {
  double count = e->kind == RDX_BOUND_CALL;
  for (uint32_t i = 0; e->kind == RDX_BOUND_CALL && i < e->count; i++)
    count += count_values(e->args[i]);
  return count;
}

static double count_all(rdx_bound *const *list, uint32_t count) {
  double values = 0;
  for (uint32_t i = 0; i < count; i++)
    values += count_values(list[i]);
  return values;
}

/* ---- Joins ---- */

static rdx_work join_work(double smaller, double larger, double pairs) {
  return (rdx_work){.launches = JOIN_LAUNCHES, .built = smaller, .probed = larger, .values = 2 * pairs};
}

rdx_join_rates rdx_join_rates_of(const rdx_planner *p, double rows) {
  const rdx_work none = join_work(rows, 0, 0), probe = join_work(rows, 1, 0), pair = join_work(rows, 0, 1);
  const double fixed = rdx_work_ms(&p->rates, &none);
  return (rdx_join_rates){fixed, rdx_work_ms(&p->rates, &probe) - fixed, rdx_work_ms(&p->rates, &pair) - fixed};
}

static void add_join(const rdx_plan_node *n, rdx_work *w) {
  const double left = n->left->expected_rows, right = n->right->expected_rows;
  if (n->key_count == 0) {
    w->values += left * right * (1 + (n->filter ? count_values(n->filter) : 0));
    return;
  }
  *w = join_work(fmin(left, right), fmax(left, right), n->expected_rows);
  if (n->key_count > 1) /* they are made one by sorting */
    w->sorted += left + right;
  w->values += left * count_all(n->left_keys, n->key_count) + right * count_all(n->right_keys, n->key_count);
  w->values += n->filter ? n->expected_rows * count_values(n->filter) : 0;
}

/* ---- Others ---- */

static void add_aggregate(const rdx_plan_node *n, rdx_work *w) {
  const double rows = n->left->expected_rows;
  double columns = n->expr_count;
  for (uint32_t i = 0; i < n->aggregate_count; i++) {
    columns += n->aggregates[i].value != NULL;
    w->values += n->aggregates[i].value ? rows * count_values(n->aggregates[i].value) : 0;
  }
  w->launches += 2;
  w->values += rows * count_all(n->exprs, n->expr_count);
  w->packed += rows * columns;
  w->grouped += rows * (n->aggregate_count + 1);
}

static void add_own(const rdx_plan_node *n, rdx_work *w) {
  const double rows = n->left ? n->left->expected_rows : 0;
  switch (n->kind) {
  case RDX_PLAN_JOIN:
    add_join(n, w);
    break;
  case RDX_PLAN_AGGREGATE:
    add_aggregate(n, w);
    break;
  case RDX_PLAN_FILTER:
    w->values += rows * count_values(n->filter);
    break;
  case RDX_PLAN_PROJECT:
    w->values += rows * count_all(n->exprs, n->expr_count);
    break;
  case RDX_PLAN_SORT:
    w->sorted += rows * n->order_count;
    break;
  case RDX_PLAN_INTERSECT:
  case RDX_PLAN_EXCEPT:
    w->sorted += (rows + n->right->expected_rows) * n->column_count;
    break;
  case RDX_PLAN_UNION:
    w->values += (rows + n->right->expected_rows) * n->column_count;
    break;
  case RDX_PLAN_VALUES:
    w->values += n->expr_count;
    break;
  case RDX_PLAN_WINDOW:
    w->sorted += rows * n->window_count;
    break;
  case RDX_PLAN_ROWS:
    w->values += rows;
    break;
  case RDX_PLAN_TABLE:
  case RDX_PLAN_STAR:
  case RDX_PLAN_LIMIT:
    break;
  }
}

/* ---- Filters of tables ---- */

void rdx_filter_work_of(const rdx_plan_node *n, uint32_t columns, rdx_filter_work *out) {
  const double rows = (double)n->table->rows, values = fmax(count_values(n->filter), 1);
  *out = (rdx_filter_work){
      .evaluation = {.values = rows * values},
      .scan = {.launches = 1, .codes = rows * values, .moved = sizeof(uint32_t) * n->expected_rows},
      .preparation = {.launches = 1, .packed = rows * columns},
  };
}

static bool is_column(const rdx_bound *e) {
  while (e->kind == RDX_BOUND_CALL && e->op == RDX_OP_CAST)
    e = e->args[0];
  return e->kind == RDX_BOUND_COLUMN;
}

/* A scan answers comparisons of a column with values, and what AND, OR and NOT make of them. */
static bool is_comparison(const rdx_bound *e) {
  bool is = e->kind == RDX_BOUND_CALL;
  if (!is)
    return is_column(e);
  if (e->op == RDX_OP_AND || e->op == RDX_OP_OR || e->op == RDX_OP_NOT) {
    for (uint32_t i = 0; i < e->count && is; i++)
      is = is_comparison(e->args[i]);
    return is;
  }
  uint32_t columns = 0, known = 0;
  for (uint32_t i = 0; i < e->count; i++) {
    columns += is_column(e->args[i]);
    known += e->args[i]->kind == RDX_BOUND_CONSTANT || e->args[i]->kind == RDX_BOUND_PARAMETER;
  }
  return e->op != RDX_OP_CAST && columns == 1 && columns + known == e->count && e->type.kind == RDX_SQL_BOOL;
}

bool rdx_filter_scans(const rdx_bound *filter) {
  bool scans = is_comparison(filter);
  for (uint32_t i = 0; filter->kind == RDX_BOUND_CALL && filter->op == RDX_OP_AND && i < filter->count; i++)
    scans |= is_comparison(filter->args[i]);
  return scans;
}

static void mark_columns(const rdx_bound *e, bool *used) {
  if (e->kind == RDX_BOUND_COLUMN)
    used[e->index] = true;
  for (uint32_t i = 0; e->kind == RDX_BOUND_CALL && i < e->count; i++)
    mark_columns(e->args[i], used);
}

/* The table's columns that a filter reads. */
static rdx_status list_columns(rdx_planner *p, const rdx_plan_node *n, uint32_t **columns, uint32_t *count) {
  bool *used = NULL;
  RDX_TRY(rdx_planner_alloc(p, n->column_count, sizeof *used, &used));
  RDX_TRY(rdx_planner_alloc(p, n->column_count, sizeof **columns, columns));
  mark_columns(n->filter, used);
  *count = 0;
  for (uint32_t i = 0; i < n->column_count; i++)
    if (used[i])
      (*columns)[(*count)++] = n->table_columns[i];
  return RDX_OK;
}

static rdx_status reject(rdx_planner *p, rdx_plan_node *n, const char *name, double ms, const char *reason) {
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof *n->rejected, &n->rejected));
  n->rejected[0] = (rdx_plan_method){.name = name, .ms = ms, .reason = reason};
  n->rejected_count = 1;
  return RDX_OK;
}

/* Rows that an index finds are looked at. */
static double lookup_ms(const rdx_planner *p, const rdx_plan_node *n) {
  const rdx_work work = {.launches = 1, .values = n->expected_rows * count_values(n->filter)};
  return rdx_work_ms(&p->rates, &work);
}

static const char *scan_name(rdx_scan_method method) {
  return method <= RDX_SCAN_COLUMN ? "column_scan" : rdx_scan_method_name(method);
}

/* As the executor chooses: see scan_pays() in execute/table.c. */
static rdx_status cost_filter(rdx_planner *p, rdx_plan_node *n) {
  const bool scans = n->index && n->index->scans;
  const rdx_scan_params *params = scans ? &n->index->scan : &p->settings->scan;
  uint32_t *columns = NULL, count = 0;
  rdx_filter_work work;
  RDX_TRY(list_columns(p, n, &columns, &count));
  rdx_filter_work_of(n, count, &work);
  const double evaluation = rdx_work_ms(&p->rates, &work.evaluation), scan = rdx_work_ms(&p->rates, &work.scan);
  if (n->index && !scans) {
    n->method = rdx_index_kind_name(n->index->lookup.kind ? n->index->lookup.kind : RDX_INDEX_TREE);
    n->own_ms = lookup_ms(p, n);
    return reject(p, n, "evaluation", evaluation, NULL);
  }
  const bool possible = rdx_filter_scans(n->filter), asked = params->method != RDX_SCAN_AUTO;
  const bool there = rdx_catalog_has_scan(p->catalog, n->table, columns, count, params);
  if (possible && (asked || (there && scan < evaluation))) {
    n->method = scan_name(params->method);
    n->own_ms = scan;
    return reject(p, n, "evaluation", evaluation, NULL);
  }
  const char *reason = !possible ? "not for this filter" : !there ? "none prepared" : NULL;
  n->method = "evaluation";
  n->own_ms = evaluation;
  return reject(p, n, scan_name(params->method), scan, reason);
}

/* ---- Plans ---- */

static const char *join_method(const rdx_planner *p, const rdx_plan_node *n) {
  const rdx_index_kind kind = p->settings->join.kind;
  return n->key_count == 0 ? "all pairs" : rdx_index_kind_name(kind == RDX_INDEX_AUTO ? RDX_INDEX_HASH : kind);
}

static rdx_status cost_node(rdx_planner *p, rdx_plan_node *n) {
  rdx_work work = {0};
  if (n->costed)
    return RDX_OK;
  n->costed = true;
  if (n->left)
    RDX_TRY(cost_node(p, n->left));
  if (n->right)
    RDX_TRY(cost_node(p, n->right));
  if (n->kind == RDX_PLAN_JOIN)
    n->method = join_method(p, n);
  add_own(n, &work);
  if (n->kind == RDX_PLAN_TABLE && n->filter)
    RDX_TRY(cost_filter(p, n));
  else if (n->kind != RDX_PLAN_STAR)
    n->own_ms = rdx_work_ms(&p->rates, &work);
  n->expected_ms = n->own_ms + (n->left ? n->left->expected_ms : 0) + (n->right ? n->right->expected_ms : 0);
  return RDX_OK;
}

rdx_status rdx_plan_cost(rdx_planner *p) {
  for (uint32_t i = 0; i < p->plan->scalar_count; i++)
    RDX_TRY(cost_node(p, p->plan->scalars[i].plan));
  return cost_node(p, p->plan->root);
}
