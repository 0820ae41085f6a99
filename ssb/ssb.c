/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Opening, sizes, and pieces of tables. */

#include "ssb/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static ssb_fill *const fills[SSB_TABLES] = {[SSB_DATE] = ssb_fill_date,
                                            [SSB_SUPPLIER] = ssb_fill_supplier,
                                            [SSB_CUSTOMER] = ssb_fill_customer,
                                            [SSB_PART] = ssb_fill_part,
                                            [SSB_LINEORDER] = ssb_fill_lineorder};

static rdx_status out_of_memory(rdx_error *err) {
  if (err)
    snprintf(err->text, sizeof err->text, "host memory ran out");
  return RDX_ERROR_MEMORY;
}

/* ---- Sizes ---- */

/* At least one row, whatever the scale. */
static uint64_t scaled(double rows, double scale) {
  const uint64_t n = (uint64_t)(rows * scale + 0.5);
  return n > 0 ? n : 1;
}

/* The paper's 200,000 * (1 + floor(log2 scale)), and below scale 1, where it says nothing, in proportion. */
static uint64_t parts(double scale) {
  if (scale < 1)
    return scaled(200000, scale);
  uint64_t n = 200000;
  for (double power = 2; power <= scale; power *= 2)
    n += 200000;
  return n;
}

static void count_rows(ssb *s) {
  uint8_t lines[BLOCK_ORDERS];
  s->orders = scaled(1500000, s->scale);
  const uint64_t full = s->orders / BLOCK_ORDERS;
  s->rows[SSB_DATE] = DAYS;
  s->rows[SSB_SUPPLIER] = scaled(2000, s->scale);
  s->rows[SSB_CUSTOMER] = scaled(30000, s->scale);
  s->rows[SSB_PART] = parts(s->scale);
  s->rows[SSB_LINEORDER] = full * BLOCK_ROWS + ssb_block_lines(s, full, lines);
}

bool ssb_parse_scale(const char *text, double *out) {
  char *end = NULL;
  *out = strtod(text, &end);
  return end != text && *end == '\0' && *out > 0 && *out <= SSB_MAX_SCALE;
}

rdx_status ssb_open(double scale, uint64_t seed, ssb **out, rdx_error *err) {
  if (!(scale > 0 && scale <= SSB_MAX_SCALE)) {
    if (err)
      snprintf(err->text, sizeof err->text, "scale factor %g: it must be above 0 and at most %d", scale, SSB_MAX_SCALE);
    return RDX_ERROR_ARGUMENT;
  }
  ssb *s = calloc(1, sizeof *s);
  if (!s)
    return out_of_memory(err);
  s->seed = seed;
  s->scale = scale;
  ssb_calendar_make(s->days);
  count_rows(s);
  for (int set = SET_NONE + 1; set < SETS; set++) {
    const rdx_status status = ssb_words_make((ssb_set)set, &s->words[set], err);
    if (status != RDX_OK) {
      ssb_close(&s);
      return status;
    }
  }
  *out = s;
  return RDX_OK;
}

void ssb_close(ssb **s) {
  if (!*s)
    return;
  for (int set = 0; set < SETS; set++)
    ssb_words_free(&(*s)->words[set]);
  free(*s);
  *s = NULL;
}

/* ---- What tables are ---- */

const char *ssb_table_name(ssb_table table) {
  static const char *const names[SSB_TABLES] = {[SSB_DATE] = "date",
                                                [SSB_SUPPLIER] = "supplier",
                                                [SSB_CUSTOMER] = "customer",
                                                [SSB_PART] = "part",
                                                [SSB_LINEORDER] = "lineorder"};
  return names[table];
}

uint32_t ssb_table_fields(ssb_table table, rdx_field fields[SSB_MAX_COLUMNS]) {
  uint32_t count = 0;
  const ssb_source *sources = ssb_sources(table, &count);
  for (uint32_t i = 0; i < count; i++)
    fields[i] = sources[i].field;
  return count;
}

uint64_t ssb_table_rows(const ssb *s, ssb_table table) {
  return s->rows[table];
}

/* ---- Pieces ---- */

/* Bytes of a column's values for so many rows, in whole words so that the next column is aligned. */
static size_t column_bytes(const ssb_source *source, uint64_t rows) {
  const size_t width = source->set          ? sizeof(uint32_t)
                       : source->length > 0 ? source->length
                                            : rdx_type_size(source->field.type);
  return (width * rows + 7) / 8 * 8;
}

static rdx_status reserve(ssb_batch *batch, const ssb_source *sources, uint32_t count, uint64_t rows, rdx_error *err) {
  size_t size = sizeof(uint64_t); /* not nothing, for no rows */
  for (uint32_t i = 0; i < count; i++)
    size += column_bytes(&sources[i], rows) + (sources[i].length > 0 ? (rows + 1) * sizeof(uint64_t) : 0);
  if (size <= batch->size)
    return RDX_OK;
  ssb_batch_free(batch);
  batch->memory = malloc(size);
  if (!batch->memory)
    return out_of_memory(err);
  batch->size = size;
  return RDX_OK;
}

/* Where the columns lie in a batch's memory. */
static void divide(const ssb_batch *batch, const ssb_source *sources, uint32_t count, uint64_t rows, ssb_space *out) {
  char *at = batch->memory;
  for (uint32_t i = 0; i < count; i++) {
    out[i] = (ssb_space){.values = at};
    at += column_bytes(&sources[i], rows);
    if (sources[i].length > 0) {
      out[i].offsets = (uint64_t *)(void *)at;
      out[i].offsets[0] = 0;
      at += (rows + 1) * sizeof(uint64_t);
    }
  }
}

rdx_status ssb_generate(const ssb *s, ssb_table table, uint64_t begin, uint64_t count, ssb_batch *batch,
                        rdx_error *err) {
  const uint64_t rows = s->rows[table];
  if (begin > rows || count > rows - begin) {
    if (err)
      snprintf(err->text, sizeof err->text, "rows %" PRIu64 " to %" PRIu64 " of %s, which has %" PRIu64, begin,
               begin + count, ssb_table_name(table), rows);
    return RDX_ERROR_ARGUMENT;
  }
  const uint64_t unit = table == SSB_LINEORDER ? BLOCK_ROWS : 1;
  const uint64_t first = begin / unit * unit, skipped = begin - first;
  const uint64_t end = (begin + count + unit - 1) / unit * unit, made = (end < rows ? end : rows) - first;
  uint32_t columns = 0;
  const ssb_source *sources = ssb_sources(table, &columns);
  ssb_space space[SSB_MAX_COLUMNS];
  const rdx_status status = reserve(batch, sources, columns, made, err);
  if (status != RDX_OK)
    return status;
  divide(batch, sources, columns, made, space);
  fills[table](s, first, made, space);
  batch->rows = count;
  for (uint32_t i = 0; i < columns; i++) {
    const size_t width = sources[i].set ? sizeof(uint32_t) : rdx_type_size(sources[i].field.type);
    batch->columns[i] = (rdx_column){.type = sources[i].field.type,
                                     .rows = count,
                                     .values = (const char *)space[i].values + skipped * width,
                                     .offsets = space[i].offsets,
                                     .dictionary = sources[i].set ? &s->words[sources[i].set].column : NULL};
  }
  return RDX_OK;
}

void ssb_batch_free(ssb_batch *batch) {
  free(batch->memory);
  *batch = (ssb_batch){0};
}
