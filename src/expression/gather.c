/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Rows of columns, as they are. */

#include <stdatomic.h>
#include <string.h>

#include <raydex/index.h>

#include "column/column.h"
#include "expression/evaluate.h"

/* Rows at a time, which begin with a byte of validity; those that are copied as they lie. */
#define GRAIN 4096u
#define LONG_GRAIN 65536u

typedef struct gathering {
  const rdx_input *input;
  void *values;
  uint8_t *validity; /* NULL: all rows have values */
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
    for (uint64_t i = begin; i < end; i++)                                                                             \
      ((type *)g->values)[i] = rows[i] == RDX_NO_ROW ? (type)0 : ((const type *)in->column.values)[rows[i]];           \
  } while (0)

static size_t size_of(const rdx_input *input) {
  return input->column.dictionary ? sizeof(uint32_t) : rdx_type_size(input->column.type);
}

static void copy_fixed(const gathering *g, uint64_t begin, uint64_t end) {
  const rdx_input *in = g->input;
  const uint32_t *rows = in->rows;
  const size_t size = size_of(in);
  if (!rows) {
    memcpy((char *)g->values + begin * size, (const char *)in->column.values + begin * size, (end - begin) * size);
    return;
  }
  switch (size) {
  case 1:
    COPY(uint8_t);
    break;
  case 2:
    COPY(uint16_t);
    break;
  case 4:
    COPY(uint32_t);
    break;
  default:
    COPY(uint64_t);
    break;
  }
}

/* Lengths, of which offsets are made. */
static void measure_texts(const gathering *g, uint64_t begin, uint64_t end) {
  const rdx_input *in = g->input;
  for (uint64_t i = begin; i < end; i++) {
    g->offsets[i + 1] = 0;
    if (has_row(in, row_of(in, i)))
      (void)rdx_column_text(&in->column, row_of(in, i), &g->offsets[i + 1]);
  }
}

static bool lacks_row(const uint32_t *rows, uint64_t begin, uint64_t end) {
  bool lacks = false;
  for (uint64_t i = begin; rows && i < end; i++)
    lacks |= rows[i] == RDX_NO_ROW;
  return lacks;
}

/* From a row whose bit is the first of its byte. */
static void copy_validity(gathering *g, uint64_t begin, uint64_t end) {
  const rdx_input *in = g->input;
  bool all = true;
  if (!in->column.validity && !lacks_row(in->rows, begin, end)) {
    memset(g->validity + begin / 8, 0xff, (end - begin) / 8);
    if (end % 8)
      g->validity[end / 8] = (uint8_t)((1u << end % 8) - 1);
    return;
  }
  for (uint64_t i = begin; i < end; i += 8) {
    const uint32_t count = end - i < 8 ? (uint32_t)(end - i) : 8;
    uint32_t bits = 0;
    for (uint32_t k = 0; k < count; k++)
      bits |= (uint32_t)has_row(in, row_of(in, i + k)) << k;
    g->validity[i / 8] = (uint8_t)bits;
    all &= bits == (1u << count) - 1;
  }
  if (!all)
    atomic_store_explicit(&g->has_nulls, true, memory_order_relaxed);
}

static void copy_values(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  gathering *g = context;
  if (g->offsets)
    measure_texts(g, begin, end);
  else
    copy_fixed(g, begin, end);
  if (g->validity)
    copy_validity(g, begin, end);
}

static void copy_texts(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const gathering *g = context;
  for (uint64_t i = begin; i < end; i++) {
    uint64_t length = 0;
    if (g->offsets[i + 1] > g->offsets[i])
      memcpy((char *)g->values + g->offsets[i], rdx_column_text(&g->input->column, row_of(g->input, i), &length),
             g->offsets[i + 1] - g->offsets[i]);
  }
}

static rdx_status run(rdx_pool *pool, uint64_t rows, rdx_task_fn task, gathering *g, rdx_error *err) {
  const uint64_t grain = g->input->rows || g->offsets ? GRAIN : LONG_GRAIN;
  if (rows == 0) /* of which there may be no values to copy from */
    return RDX_OK;
  if (pool && rows > grain)
    return rdx_pool_run_stage(pool, rows, grain, task, g, "gather", err);
  task(g, 0, rows, 0);
  return RDX_OK;
}

/* Offsets of lengths, and the bytes. */
static rdx_status gather_texts(rdx_pool *pool, gathering *g, uint64_t rows, rdx_vector *out, rdx_error *err) {
  for (uint64_t i = 0; i < rows; i++) {
    RDX_TRY(rdx_loop_goes_on(i, rows, "gather", err));
    g->offsets[i + 1] += g->offsets[i];
  }
  RDX_TRY(rdx_alloc(g->offsets[rows], 1, "the rows of a column", &out->memory[0], err));
  g->values = out->memory[0];
  return run(pool, rows, copy_texts, g, err);
}

static rdx_status gather(rdx_pool *pool, gathering *g, uint64_t rows, bool texts, rdx_vector *out, rdx_error *err) {
  const rdx_column *from = &g->input->column;
  if (g->input->rows || from->validity)
    RDX_TRY(rdx_alloc((rows + 7) / 8, 1, "the rows of a column", &out->memory[1], err));
  g->validity = out->memory[1];
  if (texts) {
    RDX_TRY(rdx_alloc(rows + 1, sizeof *g->offsets, "the rows of a column", &out->memory[2], err));
    g->offsets = out->memory[2];
    g->offsets[0] = 0;
  } else {
    RDX_TRY(rdx_alloc(rows, size_of(g->input), "the rows of a column", &out->memory[0], err));
    g->values = out->memory[0];
  }
  RDX_TRY(run(pool, rows, copy_values, g, err));
  if (texts)
    RDX_TRY(gather_texts(pool, g, rows, out, err));
  out->column = (rdx_column){.type = from->type,
                             .scale = from->scale,
                             .rows = rows,
                             .values = g->values,
                             .offsets = g->offsets,
                             .validity = atomic_load(&g->has_nulls) ? g->validity : NULL,
                             .dictionary = texts ? NULL : from->dictionary};
  return RDX_OK;
}

rdx_status rdx_gather(rdx_pool *pool, const rdx_input *input, uint64_t rows, bool plain, rdx_vector *out,
                      rdx_error *err) {
  const bool texts = input->column.type == RDX_TYPE_STRING && (plain || !input->column.dictionary);
  gathering g = {.input = input};
  *out = (rdx_vector){0};
  const rdx_status status = gather(pool, &g, rows, texts, out, err);
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
