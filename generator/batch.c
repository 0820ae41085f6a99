/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Scale factors, and pieces of tables. */

#include "common/common.h"
#include "generator/generator.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Scale factors ---- */

bool generator_parse_scale(const char *text, uint32_t max, double *out) {
  char *end = NULL;
  *out = strtod(text, &end);
  const bool decimal = text[strspn(text, "+-.0123456789eE")] == '\0'; /* no hexadecimal digits, no blanks */
  return decimal && end != text && *end == '\0' && *out > 0 && *out <= max;
}

rdx_status generator_check_scale(double scale, uint32_t max, rdx_error *err) {
  if (scale > 0 && scale <= max)
    return RDX_OK;
  return console_error(err, RDX_ERROR_ARGUMENT, "scale factor %g: it must be above 0 and at most %u", scale, max);
}

uint64_t generator_scaled(double rows, double scale) {
  const uint64_t n = (uint64_t)(rows * scale + 0.5);
  return n > 0 ? n : 1;
}

/* ---- Pieces ---- */

/* Bytes of a column's values for so many rows, in whole words so that the next column is aligned. */
static size_t column_bytes(const generator_source *source, uint64_t rows) {
  const size_t width = source->set          ? sizeof(uint32_t)
                       : source->length > 0 ? source->length
                                            : rdx_type_size(source->field.type);
  return (width * rows + 7) / 8 * 8;
}

static rdx_status reserve(generator_batch *batch, const generator_table *table, uint64_t rows, rdx_error *err) {
  size_t size = sizeof(uint64_t); /* not nothing, for no rows */
  for (uint32_t i = 0; i < table->columns; i++) {
    const generator_source *source = &table->sources[i];
    size += column_bytes(source, rows) + (source->length > 0 ? (rows + 1) * sizeof(uint64_t) : 0);
  }
  if (size <= batch->size)
    return RDX_OK;
  generator_batch_free(batch);
  batch->memory = malloc(size);
  if (!batch->memory) {
    if (err)
      return console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
  }
  batch->size = size;
  return RDX_OK;
}

/* Where the columns lie in a batch's memory. */
static void divide(const generator_batch *batch, const generator_table *table, uint64_t rows, generator_space *out) {
  char *at = batch->memory;
  for (uint32_t i = 0; i < table->columns; i++) {
    out[i] = (generator_space){.values = at};
    at += column_bytes(&table->sources[i], rows);
    if (table->sources[i].length > 0) {
      out[i].offsets = (uint64_t *)(void *)at;
      out[i].offsets[0] = 0;
      at += (rows + 1) * sizeof(uint64_t);
    }
  }
}

/* A column of rows from `skipped` on of those that were made. */
static rdx_column view(const generator *g, const generator_source *source, const generator_space *space,
                       uint64_t skipped, uint64_t rows) {
  const size_t width = source->set ? sizeof(uint32_t) : rdx_type_size(source->field.type);
  return (rdx_column){.type = source->field.type,
                      .scale = source->field.scale,
                      .rows = rows,
                      .values = (const char *)space->values + skipped * width,
                      .offsets = space->offsets ? space->offsets + skipped : NULL,
                      .dictionary = source->set ? &g->words[source->set].column : NULL};
}

rdx_status generator_make(const generator *g, uint32_t number, uint64_t begin, uint64_t count, generator_batch *batch,
                          rdx_error *err) {
  const generator_table *table = &g->tables[number];
  const uint64_t rows = table->rows, unit = table->unit;
  if (begin > rows || count > rows - begin) {
    if (err)
      return console_error(err, RDX_ERROR_ARGUMENT, "rows %" PRIu64 " to %" PRIu64 " of %s, which has %" PRIu64, begin,
                           begin + count, table->name, rows);
  }
  const uint64_t first = begin / unit * unit, end = (begin + count + unit - 1) / unit * unit;
  const uint64_t made = (end < rows ? end : rows) - first;
  generator_space space[GENERATOR_MAX_COLUMNS];
  const rdx_status status = reserve(batch, table, made, err);
  if (status != RDX_OK)
    return status;
  divide(batch, table, made, space);
  table->fill(g->owner, first, made, space);
  batch->rows = count;
  for (uint32_t i = 0; i < table->columns; i++)
    batch->columns[i] = view(g, &table->sources[i], &space[i], begin - first, count);
  return RDX_OK;
}

void generator_batch_free(generator_batch *batch) {
  free(batch->memory);
  *batch = (generator_batch){0};
}
