/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Expressions to columns, and to the rows for which they are true. */

#include "expression/evaluate.h"

#include <stdatomic.h>
#include <string.h>

#include "expression/block.h"
#include "expression/decimal.h"
#include "expression/vectors.h"

void rdx_vector_destroy(rdx_vector *vector) {
  for (size_t i = 0; i < RDX_COUNT(vector->memory); i++)
    rdx_free(vector->memory[i]);
  *vector = (rdx_vector){0};
}

rdx_status rdx_vectors_create(uint32_t count, rdx_vectors *out, rdx_error *err) {
  out->count = count;
  return rdx_calloc(count, sizeof *out->list, "the values of expressions", (void **)&out->list, err);
}

void rdx_vectors_destroy(rdx_vectors *vectors) {
  for (uint32_t i = 0; vectors->list && i < vectors->count; i++)
    rdx_vector_destroy(&vectors->list[i]);
  rdx_free(vectors->list);
  *vectors = (rdx_vectors){0};
}

/* ---- Columns of one width ---- */

typedef struct filling {
  rdx_column *column;
  const rdx_bound *expression;
  uint8_t *validity;
  _Atomic bool has_nulls;
  uint8_t drop; /* digits behind the point that columns have no room for */
  /* Of numbers of more than 18 digits without a point: some are beyond 63 bits, which u64 holds; some are below 0 */
  _Atomic bool has_large, has_negative;
} filling;

#define STORE(to_type, from_type)                                                                                      \
  do {                                                                                                                 \
    to_type *to = (to_type *)(uintptr_t)f->column->values + w->place;                                                  \
    for (uint32_t i = 0; i < w->rows; i++)                                                                             \
      to[i] = (to_type)((const from_type *)values->data)[i];                                                           \
  } while (0)

static rdx_status fail_digits(const rdx_program *program, const rdx_bound *e, rdx_error *err) {
  return rdx_sql_error(err, RDX_ERROR_OVERFLOW, program->e->text, e->place,
                       "columns have at most 18 digits: cast to a type with fewer",
                       "numeric field overflow: a result has more digits than a column can have");
}

static bool may_be_unsigned(const filling *f) {
  return f->column->scale == 0 && f->drop == 0 && f->expression->type.precision > 18;
}

static rdx_status store_decimals(rdx_worker *w, filling *f, rdx_class class, const rdx_values *values) {
  int64_t *to = (int64_t *)(uintptr_t)f->column->values + w->place;
  const rdx_i128 power = rdx_power_of_ten(f->drop);
  const bool may = may_be_unsigned(f);
  bool large = false, negative = false;
  if (class == RDX_CLASS_I64 && f->drop == 0 && !may) {
    memcpy(to, values->data, w->rows * sizeof *to);
    return RDX_OK;
  }
  for (uint32_t i = 0; i < w->rows; i++) {
    const rdx_i128 value =
        class == RDX_CLASS_WIDE ? ((const rdx_i128 *)values->data)[i] : (rdx_i128)((const int64_t *)values->data)[i];
    const rdx_i128 kept = value / power;
    to[i] = (int64_t)kept;
    if (values->nulls && values->nulls[i])
      continue;
    negative |= kept < 0;
    if (kept == to[i] && value % power == 0)
      continue;
    if (!may || kept < 0 || kept > UINT64_MAX)
      return fail_digits(w->program, f->expression, &w->err);
    large = true;
  }
  if (large)
    atomic_store_explicit(&f->has_large, true, memory_order_relaxed);
  if (negative)
    atomic_store_explicit(&f->has_negative, true, memory_order_relaxed);
  return RDX_OK;
}

static void store_validity(rdx_worker *w, filling *f, const rdx_values *values) {
  uint8_t *to = f->validity + w->place / 8;
  memset(to, 0xff, (w->rows + 7) / 8);
  if (!values->nulls)
    return;
  uint8_t any = 0;
  for (uint32_t i = 0; i < w->rows; i++) {
    to[i / 8] &= (uint8_t) ~(values->nulls[i] << (i % 8));
    any |= values->nulls[i];
  }
  if (any)
    atomic_store_explicit(&f->has_nulls, true, memory_order_relaxed);
}

static rdx_status store(rdx_worker *w, void *context, RDX_UNUSED uint32_t worker, rdx_class class,
                        const rdx_values *values) {
  filling *f = context;
  store_validity(w, f, values);
  switch (f->column->type) {
  case RDX_TYPE_BOOL:
    STORE(uint8_t, int64_t);
    break;
  case RDX_TYPE_I16:
    STORE(int16_t, int64_t);
    break;
  case RDX_TYPE_I32:
  case RDX_TYPE_DATE:
    STORE(int32_t, int64_t);
    break;
  case RDX_TYPE_F32:
    STORE(float, double);
    break;
  case RDX_TYPE_F64:
    STORE(double, double);
    break;
  case RDX_TYPE_DECIMAL:
    return store_decimals(w, f, class, values);
  default:
    STORE(int64_t, int64_t);
    break;
  }
  return RDX_OK;
}

rdx_type rdx_column_type_of(rdx_sql_type type) {
  static const rdx_type types[] = {
      [RDX_SQL_UNKNOWN] = RDX_TYPE_STRING,  [RDX_SQL_BOOL] = RDX_TYPE_BOOL,
      [RDX_SQL_SMALLINT] = RDX_TYPE_I16,    [RDX_SQL_INTEGER] = RDX_TYPE_I32,
      [RDX_SQL_BIGINT] = RDX_TYPE_I64,      [RDX_SQL_DECIMAL] = RDX_TYPE_DECIMAL,
      [RDX_SQL_REAL] = RDX_TYPE_F32,        [RDX_SQL_DOUBLE] = RDX_TYPE_F64,
      [RDX_SQL_DATE] = RDX_TYPE_DATE,       [RDX_SQL_TIMESTAMP] = RDX_TYPE_TIMESTAMP,
      [RDX_SQL_INTERVAL] = RDX_TYPE_STRING, [RDX_SQL_TEXT] = RDX_TYPE_STRING,
  };
  return types[type.kind];
}

static rdx_status evaluate_fixed(const rdx_program *program, const rdx_bound *expression, rdx_vector *out,
                                 rdx_error *err) {
  const uint64_t rows = program->e->rows;
  const uint8_t scale = expression->type.scale, max = 18;
  filling f = {.column = &out->column, .expression = expression, .drop = scale > max ? scale - max : 0};
  out->column =
      (rdx_column){.type = rdx_column_type_of(expression->type), .scale = (uint8_t)(scale - f.drop), .rows = rows};
  RDX_TRY(rdx_alloc(rows, rdx_type_size(out->column.type), "the values of an expression", &out->memory[0], err));
  RDX_TRY(rdx_alloc((rows + 7) / 8, 1, "the values of an expression", &out->memory[1], err));
  out->column.values = out->memory[0];
  f.validity = out->memory[1];
  RDX_TRY(rdx_program_run(program, store, &f, err));
  if (atomic_load(&f.has_large) && atomic_load(&f.has_negative))
    return fail_digits(program, expression, err);
  if (atomic_load(&f.has_large))
    out->column.type = RDX_TYPE_U64;
  if (atomic_load(&f.has_nulls)) {
    if (rows % 8)
      f.validity[rows / 8] &= (uint8_t)((1u << rows % 8) - 1);
    out->column.validity = f.validity;
  }
  return RDX_OK;
}

rdx_status rdx_evaluate(const rdx_evaluation *e, const rdx_bound *expression, rdx_vector *out, rdx_error *err) {
  RDX_SCOPED(rdx_program_free) rdx_program program = {0};
  RDX_SCOPED(rdx_vector_destroy) rdx_vector made = {0};
  RDX_TRY(rdx_compile(e, expression, &program, err));
  RDX_TRY(rdx_column_type_of(expression->type) == RDX_TYPE_STRING ? rdx_evaluate_texts(&program, &made, err)
                                                                  : evaluate_fixed(&program, expression, &made, err));
  *out = RDX_KEEP(made);
  return RDX_OK;
}

/* ---- Several expressions ---- */

typedef struct handing {
  rdx_block_fn fn;
  void *context;
  bool many;
} handing;

static rdx_status hand_on(rdx_worker *w, void *context, uint32_t worker, RDX_UNUSED rdx_class class,
                          const rdx_values *values) {
  const handing *h = context;
  h->fn(h->context, w->place, w->rows, h->many ? values->data : values, worker);
  return RDX_OK;
}

rdx_status rdx_evaluate_blocks(const rdx_evaluation *e, rdx_bound *const *expressions, uint32_t count, rdx_block_fn fn,
                               void *context, rdx_error *err) {
  handing h = {fn, context, count > 1};
  RDX_SCOPED(rdx_program_free) rdx_program program = {0};
  RDX_TRY(rdx_compile_all(e, expressions, count, &program, err));
  return rdx_program_run(&program, hand_on, &h, err);
}

/* ---- Filters ---- */

/* A bit for each row is kept, of which the rows are listed: few are found, as a rule. */
typedef struct filter_rows {
  const rdx_evaluation *e;
  uint64_t *bits;
  uint32_t *counts; /* of each block */
  uint64_t *starts; /* where its rows begin in `found` */
  uint32_t *found;
} filter_rows;

#define WORDS (RDX_BLOCK / 64) /* of a block */

_Static_assert(RDX_BLOCK % 64 == 0 && RDX_STRETCH % RDX_BLOCK == 0, "blocks share words, or stretches do blocks");

static rdx_status keep_true(rdx_worker *w, void *context, RDX_UNUSED uint32_t worker, RDX_UNUSED rdx_class class,
                            const rdx_values *values) {
  const filter_rows *f = context;
  const int64_t *is_true = values->data;
  uint64_t *bits = f->bits + w->place / 64;
  uint32_t count = 0;
  for (uint32_t begin = 0; begin < w->rows; begin += 64) {
    const uint32_t end = w->rows - begin < 64 ? w->rows : begin + 64;
    uint64_t word = 0;
    if (values->nulls)
      for (uint32_t i = begin; i < end; i++)
        word |= ((uint64_t)is_true[i] & !values->nulls[i]) << (i - begin);
    else
      for (uint32_t i = begin; i < end; i++)
        word |= (uint64_t)is_true[i] << (i - begin);
    bits[begin / 64] = word;
    count += (uint32_t)__builtin_popcountll(word);
  }
  f->counts[w->place / RDX_BLOCK] = count;
  return RDX_OK;
}

static void list_blocks(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const filter_rows *f = context;
  for (uint64_t b = begin; b < end; b++) {
    const uint32_t first = (uint32_t)rdx_evaluated_row(f->e, b * RDX_BLOCK);
    uint32_t *to = f->found + f->starts[b], *const last = to + f->counts[b];
    for (uint32_t i = 0; to < last; i++) {
      const uint32_t base = first + 64 * i;
      uint64_t word = f->bits[b * WORDS + i];
      if (word == UINT64_MAX) { /* all 64 at once */
        for (uint32_t k = 0; k < 64; k++)
          *to++ = base + k;
        continue;
      }
      for (; word != 0; word &= word - 1)
        *to++ = base + (uint32_t)__builtin_ctzll(word);
    }
  }
}

#define BLOCKS_EACH 8 /* that a thread lists at a time */

static rdx_status filter(const rdx_program *program, filter_rows *f, uint64_t *count, rdx_error *err) {
  const uint64_t blocks = (f->e->rows + RDX_BLOCK - 1) / RDX_BLOCK;
  RDX_TRY(rdx_alloc(blocks * WORDS, sizeof *f->bits, "the rows of a filter", (void **)&f->bits, err));
  RDX_TRY(rdx_calloc(blocks, sizeof *f->counts, "the rows of a filter", (void **)&f->counts, err));
  RDX_TRY(rdx_alloc(blocks, sizeof *f->starts, "the rows of a filter", (void **)&f->starts, err));
  RDX_TRY(rdx_program_run(program, keep_true, f, err));
  *count = 0;
  for (uint64_t b = 0; b < blocks; b++) {
    f->starts[b] = *count;
    *count += f->counts[b];
  }
  RDX_TRY(rdx_alloc(*count, sizeof *f->found, "the rows of a filter", (void **)&f->found, err));
  if (f->e->pool)
    return rdx_pool_run_stage(f->e->pool, blocks, BLOCKS_EACH, list_blocks, f, "filter", err);
  list_blocks(f, 0, blocks, 0);
  return RDX_OK;
}

rdx_status rdx_evaluate_filter(const rdx_evaluation *e, const rdx_bound *expression, uint32_t **out, uint64_t *count,
                               rdx_error *err) {
  rdx_program program;
  filter_rows f = {.e = e};
  RDX_TRY(rdx_compile(e, expression, &program, err));
  const rdx_status status = filter(&program, &f, count, err);
  rdx_program_free(&program);
  RDX_FREE_ALL(f.counts, f.starts, f.bits);
  *out = f.found;
  if (status != RDX_OK) {
    rdx_free(f.found);
    *out = NULL;
  }
  return status;
}

/* ---- One value ---- */

typedef struct one {
  rdx_arena *arena;
  rdx_class class; /* wanted */
  rdx_datum *value;
} one;

static rdx_status keep_one(rdx_worker *w, void *context, RDX_UNUSED uint32_t worker, rdx_class class,
                           const rdx_values *values) {
  const one *o = context;
  *o->value = rdx_get_value(values, class, 0);
  if (o->class == RDX_CLASS_WIDE && class == RDX_CLASS_I64)
    o->value->wide = o->value->i;
  if (class != RDX_CLASS_TEXT || o->value->null)
    return RDX_OK;
  char *copy = NULL;
  RDX_TRY(rdx_arena_alloc(o->arena, o->value->text.length, 1, "a constant", (void **)&copy, &w->err));
  if (o->value->text.length > 0)
    memcpy(copy, o->value->text.data, o->value->text.length);
  o->value->text.data = copy;
  return RDX_OK;
}

rdx_status rdx_evaluate_constant_call(const rdx_bound *expression, const char *text, rdx_arena *arena, rdx_datum *out,
                                      rdx_error *err) {
  const rdx_evaluation e = {.rows = 1, .text = text};
  one o = {.arena = arena, .class = rdx_class_of(expression->type), .value = out};
  RDX_SCOPED(rdx_program_free) rdx_program program = {0};
  RDX_TRY(rdx_compile(&e, expression, &program, err));
  return rdx_program_run(&program, keep_one, &o, err);
}
