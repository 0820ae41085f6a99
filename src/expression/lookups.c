/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "expression/lookups.h"

#include <pthread.h>
#include <string.h>

#include <raydex/index.h>

/* ---- Which calls ---- */

/* False: there is a column without such a dictionary, or a second one. */
static bool read_columns(const rdx_evaluation *e, const rdx_bound *b, uint32_t *column, bool *any) {
  if (b->kind == RDX_BOUND_COLUMN) {
    const rdx_column *c = &e->inputs[b->index].column;
    if (*any)
      return b->index == *column;
    *any = true;
    *column = b->index;
    return c->dictionary && c->dictionary->rows < e->rows;
  }
  for (uint32_t i = 0; i < b->count; i++)
    if (!read_columns(e, b->args[i], column, any))
      return false;
  return true;
}

bool rdx_reads_one_dictionary(const rdx_evaluation *e, const rdx_bound *call, uint32_t *column) {
  bool any = false;
  return read_columns(e, call, column, &any) && any;
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

static rdx_status keep_block(rdx_worker *w, void *context, uint32_t worker, rdx_class class, const rdx_values *values) {
  table *t = context;
  const rdx_node *n = t->node;
  const uint64_t at = t->first + w->begin;
  const size_t size = rdx_class_size(n->class);
  (void)worker;
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
  rdx_program program;
  RDX_TRY(rdx_compile(e, call, &program, err));
  const rdx_status status = rdx_program_run(&program, keep_block, t, err);
  rdx_program_free(&program);
  return status;
}

/* The dictionary's strings, then NULL. */
static rdx_status evaluate_all(const rdx_evaluation *outer, const rdx_bound *call, rdx_input *inputs, rdx_input *input,
                               table *t, rdx_error *err) {
  static const uint32_t no_row[] = {RDX_NO_ROW};
  rdx_evaluation e = *outer;
  const rdx_column strings = *input->column.dictionary;
  e.inputs = inputs;
  e.rows = strings.rows;
  *input = (rdx_input){.column = strings};
  t->first = 0;
  RDX_TRY(evaluate_part(&e, call, t, err));
  e.rows = 1;
  input->rows = no_row;
  t->first = strings.rows;
  return evaluate_part(&e, call, t, err);
}

rdx_status rdx_look_up(const rdx_evaluation *e, const rdx_bound *call, uint32_t column, rdx_node *n, rdx_arena *arena,
                       bool *found, rdx_error *err) {
  table t = {.node = n, .arena = arena, .lock = PTHREAD_MUTEX_INITIALIZER};
  const uint64_t entries = e->inputs[column].column.dictionary->rows + 1;
  rdx_input *inputs = NULL;
  rdx_error refused;
  RDX_TRY(rdx_arena_alloc(arena, column + UINT64_C(1), sizeof *inputs, "an expression", (void **)&inputs, err));
  memcpy(inputs, e->inputs, (column + UINT64_C(1)) * sizeof *inputs);
  RDX_TRY(rdx_arena_alloc(arena, entries, rdx_class_size(n->class), "an expression's table", &n->table.data, err));
  RDX_TRY(rdx_arena_alloc(arena, entries, 1, "an expression's table", (void **)&n->table.nulls, err));
  const rdx_status status = evaluate_all(e, call, inputs, &inputs[column], &t, &refused);
  if (status == RDX_ERROR_MEMORY || status == RDX_ERROR_CANCELLED) {
    if (err)
      *err = refused;
    return status;
  }
  *found = status == RDX_OK;
  n->input = &e->inputs[column];
  n->evaluate = rdx_evaluate_lookup;
  if (*found && !memchr(n->table.nulls, 1, entries))
    n->table.nulls = NULL;
  return RDX_OK;
}
