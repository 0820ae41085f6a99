/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Running plans: nodes by their kind, scalars before the rest, shared nodes once. */

#include <stdio.h>
#include <string.h>

#include "execute/portions.h"
#include "expression/calendar.h"

#define WHAT "a statement"

/* ---- Small operators ---- */

static rdx_status execute_filter(rdx_execution *x, const rdx_plan_node *node, rdx_frame *out, rdx_error *err) {
  RDX_SCOPED(rdx_operand_drop) rdx_operand in = {0};
  RDX_TRY(rdx_operand_run_in_place(x, node->left, &in, err));
  RDX_TRY(rdx_operand_filter(x, &in, node->filter, err));
  *out = RDX_KEEP(in.frame);
  return RDX_OK;
}

static rdx_status execute_project(rdx_execution *x, const rdx_plan_node *node, rdx_frame *out, rdx_error *err) {
  RDX_SCOPED(rdx_operand_drop) rdx_operand in = {0};
  RDX_TRY(rdx_operand_run_in_place(x, node->left, &in, err));
  RDX_TRY(rdx_frame_create(node->expr_count, in.frame.rows, out, err));
  for (uint32_t i = 0; i < node->expr_count; i++)
    RDX_TRY(rdx_operand_column(x, &in, node->exprs[i], out, i, err));
  return RDX_OK;
}

typedef struct numbering {
  uint32_t *rows;
  int64_t *values;
  uint64_t first;
} numbering;

static void number(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const numbering *n = context;
  for (uint64_t i = begin; i < end; i++) {
    if (n->rows)
      n->rows[i] = (uint32_t)(n->first + i);
    else
      n->values[i] = (int64_t)(n->first + i);
  }
}

rdx_status rdx_number_rows(rdx_execution *x, uint64_t first, uint64_t count, uint32_t **out, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *rows = NULL;
  RDX_TRY(rdx_alloc(count, sizeof *rows, WHAT, (void **)&rows, err));
  numbering n = {.rows = rows, .first = first};
  RDX_TRY(rdx_pool_run_stage(x->pool, count, RDX_EXECUTE_GRAIN, number, &n, "execute", err));
  *out = RDX_KEEP(rows);
  return RDX_OK;
}

static rdx_status execute_rows(rdx_execution *x, const rdx_plan_node *node, rdx_frame *out, rdx_error *err) {
  RDX_SCOPED(rdx_frame_destroy) rdx_frame in = {0};
  RDX_SCOPED(rdx_vector_destroy) rdx_vector numbers = {0};
  RDX_TRY(rdx_execute_node(x, node->left, &in, err));
  RDX_TRY(rdx_frame_create(in.count + 1, in.rows, out, err));
  for (uint32_t i = 0; i < in.count; i++)
    rdx_frame_share(&in.columns[i], &out->columns[i]);
  RDX_TRY(rdx_alloc(in.rows, sizeof(int64_t), WHAT, &numbers.memory[0], err));
  numbering n = {.values = numbers.memory[0]};
  numbers.column = (rdx_column){.type = RDX_TYPE_I64, .rows = in.rows, .values = n.values};
  RDX_TRY(rdx_pool_run_stage(x->pool, in.rows, RDX_EXECUTE_GRAIN, number, &n, "execute", err));
  return rdx_frame_take(out, in.count, &numbers, err);
}

rdx_status rdx_value_of(rdx_execution *x, const rdx_bound *e, rdx_datum *out, rdx_error *err) {
  if (e->kind == RDX_BOUND_CONSTANT || e->kind == RDX_BOUND_PARAMETER) {
    *out = e->kind == RDX_BOUND_CONSTANT ? e->value : x->parameters[e->index];
    return out->failed ? rdx_failure_tell(out->failure, err) : RDX_OK;
  }
  rdx_operand one = {.frame = {.rows = 1}};
  RDX_SCOPED(rdx_frame_destroy) rdx_frame value = {0};
  RDX_TRY(rdx_frame_create(1, 1, &value, err));
  RDX_TRY(rdx_operand_column(x, &one, e, &value, 0, err));
  return rdx_frame_value(x, &value, e->type, out, err);
}

rdx_status rdx_check_parameters(const rdx_execution *x, const rdx_bound *e, rdx_error *err) {
  const rdx_datum *value = e->kind == RDX_BOUND_PARAMETER ? &x->parameters[e->index] : NULL;
  if (value && value->failed)
    return rdx_failure_tell(value->failure, err);
  for (uint32_t i = 0; e->kind == RDX_BOUND_CALL && i < e->count; i++)
    RDX_TRY(rdx_check_parameters(x, e->args[i], err));
  return RDX_OK;
}

/* Intervals are texts in columns. */
static rdx_status write_interval(rdx_execution *x, rdx_datum *value, rdx_error *err) {
  char *text = NULL;
  if (value->null)
    return RDX_OK;
  RDX_TRY(rdx_arena_alloc(x->arena, RDX_INTERVAL_TEXT, 1, WHAT, (void **)&text, err));
  value->text = (rdx_sql_text){text, rdx_interval_format(value->interval, text)};
  return RDX_OK;
}

static rdx_status execute_values(rdx_execution *x, const rdx_plan_node *node, rdx_frame *out, rdx_error *err) {
  rdx_datum *values = NULL;
  RDX_TRY(rdx_arena_alloc(x->arena, node->row_count, sizeof *values, WHAT, (void **)&values, err));
  RDX_TRY(rdx_frame_create(node->column_count, node->row_count, out, err));
  for (uint32_t c = 0; c < node->column_count; c++) {
    const bool intervals = node->columns[c].type.kind == RDX_SQL_INTERVAL;
    const rdx_sql_type type = intervals ? (rdx_sql_type){.kind = RDX_SQL_TEXT} : node->columns[c].type;
    for (uint64_t r = 0; r < node->row_count; r++) {
      RDX_TRY(rdx_value_of(x, node->exprs[r * node->column_count + c], &values[r], err));
      if (intervals)
        RDX_TRY(write_interval(x, &values[r], err));
    }
    rdx_input input = {0};
    rdx_vector vector = {0};
    rdx_operand made = {.frame = {.rows = node->row_count}, .inputs = &input};
    RDX_TRY(rdx_datum_column(type, values, node->row_count, x->arena, &input.column, err));
    RDX_TRY(rdx_operand_cast(x, &made, 0, type, &vector, err));
    RDX_TRY(rdx_frame_take(out, c, &vector, err));
  }
  return RDX_OK;
}

/* ---- Any node ---- */

static rdx_operator *const operators[] = {
    [RDX_PLAN_TABLE] = rdx_execute_table,         [RDX_PLAN_VALUES] = execute_values,
    [RDX_PLAN_FILTER] = execute_filter,           [RDX_PLAN_PROJECT] = execute_project,
    [RDX_PLAN_JOIN] = rdx_execute_join,           [RDX_PLAN_AGGREGATE] = rdx_execute_aggregate,
    [RDX_PLAN_STAR] = rdx_execute_star,           [RDX_PLAN_SORT] = rdx_execute_sort,
    [RDX_PLAN_LIMIT] = rdx_execute_limit,         [RDX_PLAN_UNION] = rdx_execute_union,
    [RDX_PLAN_INTERSECT] = rdx_execute_intersect, [RDX_PLAN_EXCEPT] = rdx_execute_intersect,
    [RDX_PLAN_WINDOW] = rdx_execute_window,       [RDX_PLAN_ROWS] = execute_rows,
    [RDX_PLAN_SERIES] = rdx_execute_series,       [RDX_PLAN_RECURSIVE] = rdx_execute_recursive,
};

/* Whether an error is about values: then it matters only where the value of the subquery is asked for. */
static bool is_about_values(rdx_status status) {
  return status == RDX_ERROR_ARGUMENT || status == RDX_ERROR_RANGE || status == RDX_ERROR_FORMAT ||
         status == RDX_ERROR_OVERFLOW;
}

/* Whether the rows below a node go to an operator that can take them on the device: to it, or through it. */
static bool takes_on_device(const rdx_plan_node *node, bool above) {
  switch (node->kind) {
  case RDX_PLAN_JOIN:
  case RDX_PLAN_AGGREGATE:
  case RDX_PLAN_SORT:
    return true;
  case RDX_PLAN_PROJECT:
  case RDX_PLAN_LIMIT:
  case RDX_PLAN_ROWS:
    return above;
  default:
    return false;
  }
}

static rdx_status run_below(rdx_execution *x, const rdx_plan_node *node, rdx_frame *out, rdx_error *err) {
  const bool above = x->feeds_device;
  if (node->kind != RDX_PLAN_TABLE)
    x->feeds_device = takes_on_device(node, above);
  const rdx_status status = operators[node->kind](x, node, out, err);
  x->feeds_device = above;
  return status;
}

static rdx_status run_operator(rdx_execution *x, const rdx_plan_node *node, rdx_frame *out, rdx_error *err) {
  const rdx_plan_node none = {.kind = RDX_PLAN_VALUES, .columns = node->columns, .column_count = node->column_count};
  rdx_failure why = {.status = run_below(x, node, out, &why.error)};
  if (why.status == RDX_OK)
    return RDX_OK;
  rdx_frame_destroy(out);
  if (!node->lenient || !is_about_values(why.status))
    return rdx_failure_tell(&why, err);
  const rdx_status status = execute_values(x, &none, out, err);
  if (status != RDX_OK)
    rdx_frame_destroy(out);
  return status;
}

static rdx_status run_node(rdx_execution *x, const rdx_plan_node *node, rdx_frame *out, rdx_error *err) {
  const double start = rdx_now_ms();
  RDX_TRY(rdx_progress("execute", 0, 0, err));
  RDX_TRY(run_operator(x, node, out, err));
  rdx_node_actuals *a = rdx_actuals_of(x, node);
  a->ran = true;
  a->rows += out->rows; /* of all times: a recursive query runs again and again */
  a->ms += rdx_now_ms() - start;
  return RDX_OK;
}

rdx_status rdx_execute_node(rdx_execution *x, const rdx_plan_node *node, rdx_frame *out, rdx_error *err) {
  *out = (rdx_frame){0};
  if (!node->shared)
    return run_node(x, node, out, err);
  rdx_frame *shared = &x->shared[node->id];
  if (!shared->columns)
    RDX_TRY(run_node(x, node, shared, err));
  return rdx_frame_copy(shared, out, err);
}

/* ---- Queries ---- */

static rdx_status find_scalar(rdx_execution *x, const rdx_plan_scalar *s, rdx_datum *value, rdx_error *err) {
  RDX_SCOPED(rdx_frame_destroy) rdx_frame frame = {0};
  RDX_TRY(s->exists ? rdx_execute_first(x, s->plan, 1, &frame, err) : rdx_execute_node(x, s->plan, &frame, err));
  *value = (rdx_datum){.null = frame.rows == 0};
  if (s->exists)
    *value = (rdx_datum){.i = frame.rows > 0};
  else if (frame.rows > 1)
    return rdx_sql_error(err, RDX_ERROR_ARGUMENT, x->text, s->place, NULL,
                         "more than one row returned by a subquery used as an expression");
  else if (frame.rows == 1)
    return rdx_frame_value(x, &frame, s->plan->columns[0].type, value, err);
  return RDX_OK;
}

static rdx_status run_scalar(rdx_execution *x, const rdx_plan_scalar *s, rdx_error *err) {
  rdx_failure *failure = NULL, why = {.status = RDX_OK};
  rdx_datum *value = &x->parameters[s->parameter];
  why.status = find_scalar(x, s, value, &why.error);
  if (why.status == RDX_OK)
    return RDX_OK;
  if (!is_about_values(why.status))
    return rdx_failure_tell(&why, err);
  RDX_TRY(rdx_arena_alloc(x->arena, 1, sizeof *failure, WHAT, (void **)&failure, err));
  *failure = why;
  *value = (rdx_datum){.failed = true, .failure = failure};
  return RDX_OK;
}

rdx_status rdx_execute_query(rdx_execution *x, rdx_frame *out, rdx_error *err) {
  RDX_SCOPED(rdx_frame_destroy) rdx_frame made = {0};
  for (uint32_t i = 0; i < x->plan->scalar_count; i++)
    RDX_TRY(run_scalar(x, &x->plan->scalars[i], err));
  RDX_TRY(rdx_execute_node(x, x->plan->root, &made, err));
  RDX_TRY(rdx_frame_bring(&made, err));
  *out = RDX_KEEP(made);
  return RDX_OK;
}

/* ---- Actuals ---- */

rdx_node_actuals *rdx_actuals_of(const rdx_execution *x, const rdx_plan_node *node) {
  static _Thread_local rdx_node_actuals unwanted;
  if (x->actuals)
    return &x->actuals[node->id];
  unwanted = (rdx_node_actuals){0};
  return &unwanted;
}

void rdx_actuals_method(rdx_node_actuals *actuals, const char *name) {
  const size_t used = strlen(actuals->method);
  if (!strstr(actuals->method, name))
    snprintf(actuals->method + used, sizeof actuals->method - used, "%s%s", used ? ", " : "", name);
}
