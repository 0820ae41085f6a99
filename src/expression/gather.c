/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Rows of columns, as they are. */

#include <stdatomic.h>
#include <string.h>

#include <raydex/index.h>

#include "column/column.h"
#include "expression/evaluate.h"

typedef struct gathering {
  const rdx_input *input;
  void *values;
  uint8_t *validity;
  uint64_t *offsets; /* strings without a dictionary */
  _Atomic bool has_nulls;
} gathering;

static uint64_t row_of(const rdx_input *input, uint64_t i) {
  return input->rows ? input->rows[i] : i;
}

static bool has_row(const rdx_input *input, uint64_t row) {
  return row != RDX_NO_ROW && rdx_column_has(&input->column, row);
}

#define COPY(type)                                                                                                     \
  do {                                                                                                                 \
    for (uint64_t i = begin; i < end; i++) {                                                                           \
      const uint64_t row = row_of(in, i);                                                                              \
      ((type *)g->values)[i] = row == RDX_NO_ROW ? (type)0 : ((const type *)in->column.values)[row];                   \
    }                                                                                                                  \
  } while (0)

static void copy_values(void *context, uint64_t begin, uint64_t end, uint32_t worker) {
  gathering *g = context;
  const rdx_input *in = g->input;
  (void)worker;
  switch (in->column.dictionary ? sizeof(uint32_t) : rdx_type_size(in->column.type)) {
  case 1:
    COPY(uint8_t);
    break;
  case 2:
    COPY(uint16_t);
    break;
  case 4:
    COPY(uint32_t);
    break;
  case 8:
    COPY(uint64_t);
    break;
  default: /* strings: lengths, of which offsets are made */
    for (uint64_t i = begin; i < end; i++) {
      g->offsets[i + 1] = 0;
      if (has_row(in, row_of(in, i)))
        (void)rdx_column_text(&in->column, row_of(in, i), &g->offsets[i + 1]);
    }
    break;
  }
  for (uint64_t i = begin; i < end; i++) {
    const bool has = has_row(in, row_of(in, i));
    g->validity[i / 8] |= (uint8_t)(has << i % 8);
    if (!has)
      atomic_store_explicit(&g->has_nulls, true, memory_order_relaxed);
  }
}

static void copy_texts(void *context, uint64_t begin, uint64_t end, uint32_t worker) {
  const gathering *g = context;
  (void)worker;
  for (uint64_t i = begin; i < end; i++) {
    uint64_t length = 0;
    if (g->offsets[i + 1] > g->offsets[i])
      memcpy((char *)g->values + g->offsets[i], rdx_column_text(&g->input->column, row_of(g->input, i), &length),
             g->offsets[i + 1] - g->offsets[i]);
  }
}

static rdx_status run(rdx_pool *pool, uint64_t rows, rdx_task_fn task, gathering *g, rdx_error *err) {
  if (pool && rows > 4096)
    return rdx_pool_run_stage(pool, rows, 4096, task, g, "gather", err);
  task(g, 0, rows, 0);
  return RDX_OK;
}

static rdx_status gather(rdx_pool *pool, gathering *g, uint64_t rows, rdx_vector *out, rdx_error *err) {
  const rdx_column *from = &g->input->column;
  const bool texts = from->type == RDX_TYPE_STRING && !from->dictionary;
  const size_t size = texts ? 0 : from->dictionary ? sizeof(uint32_t) : rdx_type_size(from->type);
  RDX_TRY(rdx_alloc(rows, size, "the rows of a column", &out->memory[0], err));
  RDX_TRY(rdx_calloc((rows + 7) / 8, 1, "the rows of a column", &out->memory[1], err));
  g->values = out->memory[0];
  g->validity = out->memory[1];
  if (texts) {
    RDX_TRY(rdx_calloc(rows + 1, sizeof *g->offsets, "the rows of a column", &out->memory[2], err));
    g->offsets = out->memory[2];
  }
  RDX_TRY(run(pool, rows, copy_values, g, err));
  if (texts) {
    for (uint64_t i = 0; i < rows; i++) {
      RDX_TRY(rdx_loop_goes_on(i, rows, "gather", err));
      g->offsets[i + 1] += g->offsets[i];
    }
    RDX_TRY(rdx_alloc(g->offsets[rows], 1, "the rows of a column", &out->memory[3], err));
    g->values = out->memory[3];
    RDX_TRY(run(pool, rows, copy_texts, g, err));
  }
  out->column = (rdx_column){.type = from->type,
                             .scale = from->scale,
                             .rows = rows,
                             .values = g->values,
                             .offsets = g->offsets,
                             .validity = atomic_load(&g->has_nulls) ? g->validity : NULL,
                             .dictionary = from->dictionary};
  return RDX_OK;
}

rdx_status rdx_gather(rdx_pool *pool, const rdx_input *input, uint64_t rows, rdx_vector *out, rdx_error *err) {
  gathering g = {.input = input};
  *out = (rdx_vector){0};
  const rdx_status status = gather(pool, &g, rows, out, err);
  if (status != RDX_OK)
    rdx_vector_destroy(out);
  return status;
}

/* ---- One row ---- */

void rdx_column_datum(const rdx_column *column, uint64_t row, rdx_datum *out) {
  *out = (rdx_datum){.null = !rdx_column_has(column, row)};
  if (out->null)
    return;
  switch (column->type) {
  case RDX_TYPE_F32:
    out->f = (double)((const float *)column->values)[row];
    break;
  case RDX_TYPE_F64:
    out->f = ((const double *)column->values)[row];
    break;
  case RDX_TYPE_U64:
    out->wide = ((const uint64_t *)column->values)[row];
    break;
  case RDX_TYPE_STRING:
    out->text.data = rdx_column_text(column, row, &out->text.length);
    break;
  default:
    out->i = rdx_column_integer(column, row);
    break;
  }
}
