/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "expression/lookups.h"

#include <pthread.h>
#include <string.h>

#include <raydex/index.h>

#include "column/column.h"

/* ---- Which calls ---- */

/* What a call reads, and whether it is worth a table of days. */
typedef struct reading {
  const rdx_input *input; /* NULL: no column */
  uint32_t column;
  bool is_costly;
} reading;

/* False: there is a column of another kind, or a second one. */
static bool read_columns(const rdx_evaluation *e, const rdx_bound *b, reading *r) {
  if (b->kind == RDX_BOUND_COLUMN) {
    const rdx_input *input = &e->inputs[b->index];
    if (r->input)
      return b->index == r->column;
    *r = (reading){input, b->index, r->is_costly};
    return input->column.dictionary ? input->column.dictionary->rows < e->rows : input->column.type == RDX_TYPE_DATE;
  }
  r->is_costly |=
      b->type.kind == RDX_SQL_INTERVAL ||
      (b->kind == RDX_BOUND_CALL && (b->op == RDX_OP_FUNCTION || b->op == RDX_OP_IN || b->type.kind == RDX_SQL_TEXT));
  for (uint32_t i = 0; i < b->count; i++)
    if (!read_columns(e, b->args[i], r))
      return false;
  return true;
}

#define FEW_DAYS 65536u

typedef struct day_search {
  const rdx_evaluation *e;
  const rdx_input *input;
  int32_t *min, *max; /* of each worker */
} day_search;

static void find_days(void *context, uint64_t begin, uint64_t end, uint32_t worker) {
  const day_search *s = context;
  const rdx_column *c = &s->input->column;
  const int32_t *values = c->values;
  int32_t min = s->min[worker], max = s->max[worker];
  for (uint64_t i = begin; i < end; i++) {
    const uint64_t row = s->input->rows ? s->input->rows[i] : rdx_evaluated_row(s->e, i);
    if (row == RDX_NO_ROW || !rdx_column_has(c, row))
      continue;
    min = values[row] < min ? values[row] : min;
    max = values[row] > max ? values[row] : max;
  }
  s->min[worker] = min;
  s->max[worker] = max;
}

static rdx_status range_of_days(const rdx_evaluation *e, const rdx_input *input, rdx_arena *arena, rdx_day_range *out,
                                rdx_error *err) {
  const uint32_t threads = e->pool ? rdx_pool_threads(e->pool) : 1;
  day_search s = {.e = e, .input = input};
  if (out->input == input)
    return RDX_OK;
  RDX_TRY(rdx_arena_alloc(arena, threads, sizeof *s.min, "days", (void **)&s.min, err));
  RDX_TRY(rdx_arena_alloc(arena, threads, sizeof *s.max, "days", (void **)&s.max, err));
  for (uint32_t i = 0; i < threads; i++) {
    s.min[i] = INT32_MAX;
    s.max[i] = INT32_MIN;
  }
  if (e->pool)
    RDX_TRY(rdx_pool_run_stage(e->pool, e->rows, FEW_DAYS, find_days, &s, "evaluate", err));
  else
    find_days(&s, 0, e->rows, 0);
  *out = (rdx_day_range){input, s.min[0], s.max[0], false};
  for (uint32_t i = 1; i < threads; i++) {
    out->min = s.min[i] < out->min ? s.min[i] : out->min;
    out->max = s.max[i] > out->max ? s.max[i] : out->max;
  }
  const int64_t count = (int64_t)out->max - out->min + 1;
  out->is_small = count > 0 && count <= FEW_DAYS && (uint64_t)count < e->rows / 4;
  return RDX_OK;
}

/* ---- Their values ---- */

typedef struct table {
  rdx_node *node;
  uint64_t first; /* entry of the first row */
  rdx_arena *arena;
  pthread_mutex_t lock; /* of the arena */
} table;

/* Texts of a block as copies that stay. */
static rdx_status keep_texts(rdx_worker *w, table *t, const rdx_values *values, rdx_sql_text *to) {
  const rdx_sql_text *from = values->data;
  uint64_t length = 0;
  char *copy = NULL;
  for (uint32_t i = 0; i < w->rows; i++)
    length += from[i].length;
  pthread_mutex_lock(&t->lock);
  const rdx_status status = rdx_arena_alloc(t->arena, length, 1, "an expression's texts", (void **)&copy, &w->err);
  pthread_mutex_unlock(&t->lock);
  RDX_TRY(status);
  for (uint32_t i = 0; i < w->rows; i++) {
    to[i] = (rdx_sql_text){copy, from[i].length};
    if (from[i].length > 0)
      memcpy(copy, from[i].data, from[i].length);
    copy += from[i].length;
  }
  return RDX_OK;
}

static rdx_status keep_block(rdx_worker *w, void *context, RDX_UNUSED uint32_t worker, rdx_class class,
                             const rdx_values *values) {
  table *t = context;
  const rdx_node *n = t->node;
  const uint64_t at = t->first + w->place;
  const size_t size = rdx_class_size(n->class);
  for (uint32_t i = 0; i < w->rows; i++)
    n->table.nulls[at + i] = values->nulls && values->nulls[i];
  if (class == RDX_CLASS_TEXT)
    return keep_texts(w, t, values, (rdx_sql_text *)n->table.data + at);
  if (class == n->class) {
    memcpy((char *)n->table.data + at * size, values->data, w->rows * size);
    return RDX_OK;
  }
  for (uint32_t i = 0; i < w->rows; i++) {
    rdx_datum value = rdx_get_value(values, class, i);
    rdx_values to = {.data = (char *)n->table.data + at * size};
    if (class == RDX_CLASS_I64) {
      value.wide = value.i;
    } else if (!value.null) {
      const int64_t narrow = (int64_t)value.wide;
      if (narrow != value.wide)
        return rdx_node_fail(w, n, RDX_ERROR_OVERFLOW, "numeric field overflow");
      value.i = narrow;
    }
    rdx_put_value(&to, n->class, i, &value);
  }
  return RDX_OK;
}

static rdx_status evaluate_part(const rdx_evaluation *e, const rdx_bound *call, table *t, rdx_error *err) {
  RDX_SCOPED(rdx_program_free) rdx_program program = {0};
  RDX_TRY(rdx_compile(e, call, &program, err));
  return rdx_program_run(&program, keep_block, t, err);
}

/* The values of a column of all entries, then that of NULL. */
static rdx_status evaluate_all(const rdx_evaluation *outer, const rdx_bound *call, uint32_t column,
                               const rdx_column *entries, table *t, rdx_error *err) {
  static const uint32_t no_row[] = {RDX_NO_ROW};
  rdx_evaluation e = *outer;
  rdx_input *inputs = NULL;
  RDX_TRY(rdx_arena_alloc(t->arena, column + UINT64_C(1), sizeof *inputs, "an expression", (void **)&inputs, err));
  inputs[column] = (rdx_input){.column = *entries};
  e.inputs = inputs;
  e.rows = entries->rows;
  e.stretches = NULL;
  t->first = 0;
  RDX_TRY(evaluate_part(&e, call, t, err));
  e.rows = 1;
  inputs[column].rows = no_row;
  t->first = entries->rows;
  return evaluate_part(&e, call, t, err);
}

static rdx_status make_table(const rdx_evaluation *e, const rdx_bound *call, uint32_t column, const rdx_column *entries,
                             rdx_node *n, rdx_arena *arena, bool *found, rdx_error *err) {
  table t = {.node = n, .arena = arena, .lock = PTHREAD_MUTEX_INITIALIZER};
  const uint64_t count = entries->rows + 1;
  rdx_error refused;
  RDX_TRY(rdx_arena_alloc(arena, count, rdx_class_size(n->class), "an expression's table", &n->table.data, err));
  RDX_TRY(rdx_arena_alloc(arena, count, 1, "an expression's table", (void **)&n->table.nulls, err));
  const rdx_status status = evaluate_all(e, call, column, entries, &t, &refused);
  if (status == RDX_ERROR_MEMORY || status == RDX_ERROR_CANCELLED) {
    if (err)
      *err = refused;
    return status;
  }
  *found = status == RDX_OK;
  n->entries = (uint32_t)entries->rows;
  n->input = &e->inputs[column];
  n->is_safe = true;
  if (*found && !memchr(n->table.nulls, 1, count))
    n->table.nulls = NULL;
  return RDX_OK;
}

static rdx_status look_up_days(const rdx_evaluation *e, const rdx_bound *call, uint32_t column, rdx_node *n,
                               rdx_arena *arena, const rdx_day_range *days, bool *found, rdx_error *err) {
  const uint64_t count = (uint64_t)((int64_t)days->max - days->min) + 1;
  int32_t *values = NULL;
  RDX_TRY(rdx_arena_alloc(arena, count, sizeof *values, "days", (void **)&values, err));
  for (uint64_t i = 0; i < count; i++)
    values[i] = (int32_t)(days->min + (int64_t)i);
  const rdx_column entries = {.type = RDX_TYPE_DATE, .rows = count, .values = values};
  n->min = days->min;
  n->evaluate = rdx_evaluate_by_day;
  return make_table(e, call, column, &entries, n, arena, found, err);
}

rdx_status rdx_look_up(const rdx_evaluation *e, const rdx_bound *call, rdx_node *n, rdx_arena *arena,
                       rdx_day_range *days, bool *found, rdx_error *err) {
  reading r = {0};
  *found = false;
  if (!read_columns(e, call, &r) || !r.input)
    return RDX_OK;
  n->evaluate = rdx_evaluate_lookup;
  if (r.input->column.dictionary)
    return make_table(e, call, r.column, r.input->column.dictionary, n, arena, found, err);
  if (!r.is_costly || e->rows < RDX_BLOCK)
    return RDX_OK;
  RDX_TRY(range_of_days(e, r.input, arena, days, err));
  return days->is_small ? look_up_days(e, call, r.column, n, arena, days, found, err) : RDX_OK;
}
