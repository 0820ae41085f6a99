/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Programs run over blocks of rows by all threads, and the memory that they take for it. */

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include "expression/block.h"
#include "expression/decimal.h"

/* ---- Memory ---- */

#define CHUNK ((size_t)256 * 1024)
#define ALIGNMENT 64

/* Kernels without branches read the values of NULL rows, too: no memory that nobody wrote. */
static rdx_status add_chunk(rdx_scratch *s, size_t size, rdx_error *err) {
  RDX_TRY(rdx_realloc((void **)&s->chunks, s->count + 1, sizeof *s->chunks, "an expression's values", err));
  RDX_TRY(rdx_realloc((void **)&s->sizes, s->count + 1, sizeof *s->sizes, "an expression's values", err));
  RDX_TRY(rdx_calloc(1, size, "an expression's values", (void **)&s->chunks[s->count], err));
  s->sizes[s->count++] = size;
  return RDX_OK;
}

rdx_status rdx_scratch_take(rdx_scratch *s, size_t size, void **out, rdx_error *err) {
  size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  while (s->current < s->count && s->sizes[s->current] - s->used < size) {
    s->current++;
    s->used = 0;
  }
  if (s->current == s->count) {
    const size_t min = s->count > 0 ? CHUNK : CHUNK / 4;
    RDX_TRY(add_chunk(s, size > min ? size : min, err));
    s->used = 0;
  }
  *out = s->chunks[s->current] + s->used;
  s->used += size;
  return RDX_OK;
}

static void free_scratch(rdx_scratch *s) {
  for (uint32_t i = 0; i < s->count; i++)
    rdx_free(s->chunks[i]);
  RDX_FREE_ALL(s->chunks, s->sizes);
  *s = (rdx_scratch){0};
}

rdx_status rdx_take_values(rdx_worker *w, rdx_class class, rdx_values *out) {
  out->nulls = NULL;
  return rdx_scratch_take(&w->stack, rdx_class_size(class) * w->rows, &out->data, &w->err);
}

rdx_status rdx_take_flags(rdx_worker *w, uint8_t **out) {
  return rdx_scratch_take(&w->stack, w->rows, (void **)out, &w->err);
}

rdx_status rdx_take_text(rdx_worker *w, size_t size, char **out) {
  return rdx_scratch_take(&w->texts, size, (void **)out, &w->err);
}

/* ---- Errors ---- */

rdx_status rdx_node_fail(rdx_worker *w, const rdx_node *n, rdx_status status, const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return rdx_sql_error(&w->err, status, w->program->e->text, n->place, NULL, "%s", text);
}

const char *rdx_type_span(rdx_sql_type type) {
  return type.kind == RDX_SQL_DATE        ? "dates go from 5877642-06-23 BC to 5881580-07-11"
         : type.kind == RDX_SQL_TIMESTAMP ? "timestamps go from 290309-12-21 BC to 294247-01-10"
                                          : NULL;
}

rdx_status rdx_out_of_range(rdx_worker *w, const rdx_node *n) {
  char name[32];
  if (n->type.kind == RDX_SQL_DECIMAL)
    return rdx_node_fail(w, n, RDX_ERROR_OVERFLOW, "numeric field overflow: the result does not fit %s",
                         rdx_sql_type_text(n->type, name));
  if (rdx_is_float(n->type))
    return rdx_node_fail(w, n, RDX_ERROR_OVERFLOW, "value out of range: overflow");
  return rdx_sql_error(&w->err, RDX_ERROR_OVERFLOW, w->program->e->text, n->place, rdx_type_span(n->type),
                       "%s out of range", rdx_sql_type_text(n->type, name));
}

rdx_status rdx_put_decimal(rdx_worker *w, const rdx_node *n, rdx_i128 value, uint32_t row, rdx_values *out) {
  if (!rdx_decimal_fits(value, n->type.precision))
    return rdx_out_of_range(w, n);
  if (n->class == RDX_CLASS_WIDE) {
    ((rdx_i128 *)out->data)[row] = value;
    return RDX_OK;
  }
  ((int64_t *)out->data)[row] = (int64_t)value;
  w->too_wide |= (int64_t)value != value;
  return (int64_t)value != value ? RDX_ERROR_OVERFLOW : RDX_OK;
}

/* ---- Running ---- */

typedef struct run {
  const rdx_program *program;
  rdx_worker *workers;
  rdx_sink_fn sink;
  void *context;
  uint32_t threads;
  _Atomic uint64_t failed; /* the lowest row of a block that failed */
  uint64_t *failed_at;     /* of each worker */
  rdx_status *statuses;
} run;

static rdx_status run_tree(run *r, rdx_worker *w, uint32_t worker, const rdx_node *root) {
  rdx_values values;
  rdx_scratch_return(&w->stack, (rdx_scratch_mark){0});
  rdx_scratch_return(&w->texts, (rdx_scratch_mark){0});
  w->too_wide = false;
  RDX_TRY(root->evaluate(w, root, NULL, &values));
  return r->sink(w, r->context, worker, root->class, &values);
}

static void run_block(void *context, uint64_t begin, uint64_t end, uint32_t worker) {
  run *r = context;
  rdx_worker *w = &r->workers[worker];
  if (begin > atomic_load_explicit(&r->failed, memory_order_relaxed))
    return;
  w->begin = rdx_evaluated_row(r->program->e, begin);
  w->place = begin;
  w->rows = (uint32_t)(end - begin);
  rdx_status status = RDX_ERROR_OVERFLOW;
  w->too_wide = true;
  if (r->program->narrow)
    status = run_tree(r, w, worker, r->program->narrow);
  if (status != RDX_OK && w->too_wide)
    status = run_tree(r, w, worker, r->program->wide);
  if (status == RDX_OK)
    return;
  r->statuses[worker] = status;
  r->failed_at[worker] = begin; /* later blocks of this worker are looked at no more, unless they are lower */
  uint64_t seen = atomic_load(&r->failed);
  while (begin < seen && !atomic_compare_exchange_weak(&r->failed, &seen, begin))
    continue;
}

static rdx_status run_all(run *r, rdx_error *err) {
  const rdx_evaluation *e = r->program->e;
  const uint64_t rows = e->rows;
  if (rows <= RDX_BLOCK || !e->pool) {
    for (uint64_t i = 0; i < rows; i += RDX_BLOCK)
      run_block(r, i, i + RDX_BLOCK < rows ? i + RDX_BLOCK : rows, 0);
  } else {
    RDX_TRY(rdx_pool_run_stage(e->pool, rows, RDX_BLOCK, run_block, r, "evaluate", err));
  }
  const uint64_t failed = atomic_load(&r->failed);
  for (uint32_t i = 0; i < r->threads; i++)
    if (r->statuses[i] != RDX_OK && r->failed_at[i] == failed) {
      if (err)
        *err = r->workers[i].err;
      return r->statuses[i];
    }
  return RDX_OK;
}

static void end(run *r) {
  for (uint32_t i = 0; r->workers && i < r->threads; i++) {
    free_scratch(&r->workers[i].stack);
    free_scratch(&r->workers[i].texts);
    rdx_arena_free(&r->workers[i].regex_memory);
  }
  RDX_FREE_ALL(r->workers, r->failed_at, r->statuses);
}

rdx_status rdx_program_run(const rdx_program *program, rdx_sink_fn sink, void *context, rdx_error *err) {
  const uint32_t threads = program->e->pool ? rdx_pool_threads(program->e->pool) : 1;
  RDX_SCOPED(end)
  run r = {.program = program, .sink = sink, .context = context, .threads = threads, .failed = UINT64_MAX};
  RDX_TRY(rdx_calloc(threads, sizeof *r.workers, "an expression", (void **)&r.workers, err));
  RDX_TRY(rdx_calloc(threads, sizeof *r.failed_at, "an expression", (void **)&r.failed_at, err));
  RDX_TRY(rdx_calloc(threads, sizeof *r.statuses, "an expression", (void **)&r.statuses, err));
  for (uint32_t i = 0; i < threads; i++)
    r.workers[i].program = program;
  return run_all(&r, err);
}
