/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Plans run, and their results as tables. */

#include <stdio.h>
#include <string.h>

#include "database/internal.h"
#include "table/table.h"

/* ---- Frames as tables ---- */

static void *take(rdx_vector *vector, uint32_t place) {
  void *memory = vector->memory[place];
  vector->memory[place] = NULL;
  return memory;
}

static rdx_status copy_column(rdx_pool *pool, const rdx_input *in, uint64_t rows, rdx_growing *out, rdx_error *err) {
  RDX_SCOPED(rdx_vector_destroy) rdx_vector vector = {0};
  RDX_TRY(rdx_gather(pool, in, rows, true, &vector, err));
  if (in->column.type == RDX_TYPE_STRING)
    out->bytes = take(&vector, 0);
  else
    out->values = take(&vector, 0);
  out->validity = vector.column.validity ? take(&vector, 1) : NULL;
  out->offsets = take(&vector, 2);
  return RDX_OK;
}

static rdx_status fill_table(rdx_pool *pool, const rdx_frame *frame, const rdx_plan_column *columns, rdx_table *table,
                             rdx_error *err) {
  for (uint32_t i = 0; i < frame->count; i++) {
    const rdx_input *in = &frame->columns[i].input;
    rdx_growing *out = &table->columns[i];
    RDX_TRY(rdx_copy_text(columns[i].name, "a result", &out->name, err));
    out->view = (rdx_column){.type = in->column.type, .scale = in->column.scale};
    RDX_TRY(rdx_progress_at_times("result", 0, 0, err));
    RDX_TRY(copy_column(pool, in, frame->rows, out, err));
  }
  rdx_table_finish(table, frame->rows);
  return RDX_OK;
}

rdx_status rdx_result_table(rdx_pool *pool, const rdx_frame *frame, const rdx_plan_column *columns, rdx_table **out,
                            rdx_error *err) {
  RDX_TRY(rdx_table_create(frame->count, out, err));
  const rdx_status status = fill_table(pool, frame, columns, *out, err);
  if (status != RDX_OK)
    rdx_table_destroy(out);
  return status;
}

rdx_type rdx_column_type(rdx_sql_kind kind) {
  static const rdx_type types[] = {
      [RDX_SQL_BOOL] = RDX_TYPE_BOOL,  [RDX_SQL_SMALLINT] = RDX_TYPE_I16,    [RDX_SQL_INTEGER] = RDX_TYPE_I32,
      [RDX_SQL_BIGINT] = RDX_TYPE_I64, [RDX_SQL_DECIMAL] = RDX_TYPE_DECIMAL, [RDX_SQL_REAL] = RDX_TYPE_F32,
      [RDX_SQL_DOUBLE] = RDX_TYPE_F64, [RDX_SQL_DATE] = RDX_TYPE_DATE,       [RDX_SQL_TIMESTAMP] = RDX_TYPE_TIMESTAMP};
  return kind < RDX_COUNT(types) && types[kind] ? types[kind] : RDX_TYPE_STRING;
}

rdx_status rdx_lines_table(const char *name, char *const *lines, uint32_t count, rdx_table **out, rdx_error *err) {
  RDX_SCOPED(rdx_table_destroy) rdx_table *table = NULL;
  RDX_TRY(rdx_table_create(1, &table, err));
  rdx_growing *column = &table->columns[0];
  RDX_TRY(rdx_copy_text(name, "a result", &column->name, err));
  RDX_TRY(rdx_growing_start(column, RDX_TYPE_STRING, 0, count, err));
  for (uint32_t i = 0; i < count; i++)
    RDX_TRY(rdx_growing_add_string(column, i, lines[i], strlen(lines[i]), err));
  rdx_table_finish(table, count);
  *out = RDX_KEEP(table);
  return RDX_OK;
}

/* ---- Plans ---- */

/* What took longest says how the answer came about. */
static void note_method(const rdx_query_plan *plan, const rdx_node_actuals *actuals, rdx_answer *answer) {
  double longest = -1;
  for (uint32_t i = 0; i < plan->node_count; i++) {
    answer->stats.device_ms += actuals[i].device_ms;
    answer->stats.rays += actuals[i].rays;
    if (!actuals[i].ran || !*actuals[i].method || actuals[i].ms <= longest)
      continue;
    longest = actuals[i].ms;
    snprintf(answer->method, sizeof answer->method, "%s", actuals[i].method);
  }
}

typedef struct plan_run {
  rdx_execution *execution;
  rdx_answer *answer;
} plan_run;

static rdx_status run_plan(void *context, rdx_error *err) {
  rdx_execution *x = ((plan_run *)context)->execution;
  rdx_answer *answer = ((plan_run *)context)->answer;
  const rdx_query_plan *plan = x->plan;
  RDX_SCOPED(rdx_frame_destroy) rdx_frame frame = {0};
  RDX_TRY(rdx_execute_query(x, &frame, err));
  answer->stats.rows = frame.rows;
  note_method(plan, x->actuals, answer);
  return rdx_result_table(x->pool, &frame, plan->root->columns, &answer->table, err);
}

rdx_status rdx_prepared_run(rdx_prepared *p, const rdx_datum *parameters, rdx_node_actuals *actuals, rdx_answer *answer,
                            rdx_error *err) {
  RDX_SCOPED(rdx_arena_free) rdx_arena arena = {0};
  rdx_database *d = p->database;
  const double before = rdx_now_ms();
  const uint32_t nodes = p->plan->node_count, given = p->statement->parameters;
  rdx_execution x = {.catalog = d->catalog,
                     .device = d->device,
                     .pool = d->pool,
                     .settings = &p->planned,
                     .text = p->text,
                     .plan = p->plan,
                     .actuals = actuals,
                     .counts = actuals != NULL || answer->counts_rays,
                     .arena = &arena};
  RDX_TRY(
      rdx_arena_alloc(&arena, p->plan->parameter_count, sizeof *x.parameters, "a query", (void **)&x.parameters, err));
  RDX_TRY(rdx_arena_alloc(&arena, nodes, sizeof *x.shared, "a query", (void **)&x.shared, err));
  if (!actuals)
    RDX_TRY(rdx_arena_alloc(&arena, nodes, sizeof *x.actuals, "a query", (void **)&x.actuals, err));
  if (given > 0)
    memcpy(x.parameters, parameters, given * sizeof *parameters);
  memset(x.shared, 0, nodes * sizeof *x.shared);
  if (!actuals)
    memset(x.actuals, 0, nodes * sizeof *x.actuals);
  plan_run run = {&x, answer};
  const bool deep = p->plan->levels > RDX_SQL_SHALLOW_LEVELS;
  const rdx_status status = deep ? rdx_run_deep(run_plan, &run, err) : run_plan(&run, err);
  for (uint32_t i = 0; i < nodes; i++)
    rdx_frame_destroy(&x.shared[i]);
  answer->stats.execute_ms = rdx_now_ms() - before;
  return status;
}

/* ---- The public interface ---- */

const rdx_table *rdx_answer_table(const rdx_answer *answer) {
  return answer ? answer->table : NULL;
}

rdx_table *rdx_answer_take_table(rdx_answer *answer) {
  rdx_table *table = answer ? answer->table : NULL;
  if (answer)
    answer->table = NULL;
  return table;
}

const char *rdx_answer_tag(const rdx_answer *answer) {
  return answer ? answer->tag : NULL;
}

void rdx_answer_get_stats(const rdx_answer *answer, rdx_answer_stats *out) {
  *out = answer ? answer->stats : (rdx_answer_stats){0};
}

void rdx_answer_destroy(rdx_answer **answer) {
  if (!answer || !*answer)
    return;
  rdx_table_destroy(&(*answer)->table);
  rdx_free(*answer);
  *answer = NULL;
}
