/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Tables in host memory. */

#include "table/table.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "column/dictionary.h"

rdx_status rdx_table_create(uint32_t count, rdx_table **out, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) rdx_table *table = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *table, "a table", (void **)&table, err));
  RDX_TRY(rdx_calloc(count, sizeof *table->columns, "a table", (void **)&table->columns, err));
  table->column_count = count;
  table->references = 1;
  *out = RDX_KEEP(table);
  return RDX_OK;
}

static void free_rows(rdx_growing *c) {
  RDX_FREE_ALL(c->values, c->offsets, c->bytes, c->validity);
  rdx_dictionary_destroy(&c->dictionary);
  c->values = c->offsets = NULL;
  c->bytes = NULL;
  c->validity = NULL;
  c->capacity = c->byte_count = c->byte_capacity = 0;
}

void rdx_growing_drop(rdx_growing *c) {
  rdx_free((void *)(uintptr_t)c->choice.why);
  free_rows(c);
  RDX_FREE_ALL(c->name, c->declaration);
  c->name = c->declaration = NULL;
}

rdx_status rdx_growing_describe(rdx_growing *c, const char *name, const char *declaration, rdx_error *err) {
  RDX_TRY(rdx_copy_text(name, "a column", &c->name, err));
  return declaration ? rdx_copy_text(declaration, "a column", &c->declaration, err) : RDX_OK;
}

rdx_status rdx_table_constrain(rdx_table *table, const char *constraints, rdx_error *err) {
  return constraints ? rdx_copy_text(constraints, "a table", &table->constraints, err) : RDX_OK;
}

rdx_table *rdx_table_retain(rdx_table *table) {
  atomic_fetch_add(&table->references, 1);
  return table;
}

void rdx_table_destroy(rdx_table **table) {
  if (!table || !*table)
    return;
  rdx_table *t = *table;
  *table = NULL;
  if (atomic_fetch_sub(&t->references, 1) > 1)
    return;
  for (uint32_t i = 0; i < t->column_count; i++)
    rdx_growing_drop(&t->columns[i]);
  RDX_FREE_ALL(t->columns, t->constraints);
  rdx_opened_drop(t->opened);
  rdx_held_drop(t->held);
  rdx_parquet_drop(t->parquet);
  rdx_free(t);
}

rdx_status rdx_growing_start(rdx_growing *c, rdx_type type, uint8_t scale, uint64_t capacity, rdx_error *err) {
  if (c->view.type != type)
    free_rows(c);
  c->view = (rdx_column){.type = type, .scale = scale};
  c->byte_count = 0;
  rdx_free(c->validity);
  c->validity = NULL;
  return rdx_growing_reserve(c, capacity, err);
}

rdx_status rdx_growing_reserve(rdx_growing *c, uint64_t rows, rdx_error *err) {
  const size_t size = rdx_type_size(c->view.type);
  if (rows <= c->capacity && c->capacity > 0)
    return RDX_OK;
  const uint64_t min = c->capacity + c->capacity / 2 + 16, capacity = rows > min ? rows : min;
  if (size > 0) {
    RDX_TRY(rdx_realloc(&c->values, capacity, size, "the values of a column", err));
  } else {
    RDX_TRY(rdx_realloc((void **)&c->offsets, capacity + 1, sizeof *c->offsets, "the strings of a column", err));
    if (c->capacity == 0)
      c->offsets[0] = 0;
  }
  if (c->validity) {
    RDX_TRY(rdx_realloc((void **)&c->validity, capacity / 8 + 1, 1, "the NULLs of a column", err));
    memset(c->validity + c->capacity / 8 + 1, 0xff, capacity / 8 - c->capacity / 8);
  }
  c->capacity = capacity;
  return RDX_OK;
}

rdx_status rdx_growing_reserve_bytes(rdx_growing *c, uint64_t bytes, rdx_error *err) {
  if (bytes <= c->byte_capacity)
    return RDX_OK;
  const uint64_t capacity = 2 * bytes + 64;
  RDX_TRY(rdx_realloc((void **)&c->bytes, capacity, 1, "the strings of a column", err));
  c->byte_capacity = capacity;
  return RDX_OK;
}

rdx_status rdx_growing_add_string(rdx_growing *c, uint64_t row, const char *text, uint64_t length, rdx_error *err) {
  RDX_TRY(rdx_growing_reserve_bytes(c, c->byte_count + length, err));
  if (length > 0)
    memcpy(c->bytes + c->byte_count, text, length);
  c->byte_count += length;
  c->offsets[row + 1] = c->byte_count;
  return RDX_OK;
}

rdx_status rdx_growing_note_null(rdx_growing *c, uint64_t row, rdx_error *err) {
  if (!c->validity) {
    RDX_TRY(rdx_alloc(c->capacity / 8 + 1, 1, "the NULLs of a column", (void **)&c->validity, err));
    memset(c->validity, 0xff, c->capacity / 8 + 1);
  }
  c->validity[row / 8] &= (uint8_t) ~(1u << row % 8);
  return RDX_OK;
}

rdx_status rdx_growing_add_null(rdx_growing *c, uint64_t row, rdx_error *err) {
  const size_t size = rdx_type_size(c->view.type);
  RDX_TRY(rdx_growing_note_null(c, row, err));
  if (size == 0)
    return rdx_growing_add_string(c, row, "", 0, err);
  memset((char *)c->values + row * size, 0, size);
  return RDX_OK;
}

void rdx_growing_undo(rdx_growing *c, uint64_t row) {
  if (c->offsets)
    c->byte_count = c->offsets[row];
  if (c->validity)
    c->validity[row / 8] |= (uint8_t)(1u << row % 8);
}

void rdx_table_finish(rdx_table *table, uint64_t rows) {
  table->rows = rows;
  for (uint32_t i = 0; i < table->column_count; i++) {
    rdx_growing *c = &table->columns[i];
    const bool strings = c->view.type == RDX_TYPE_STRING && !c->dictionary;
    c->view.rows = rows;
    c->view.values = strings ? c->bytes : c->values;
    c->view.offsets = strings ? c->offsets : NULL;
    c->view.validity = c->validity;
    c->view.dictionary = c->dictionary ? &c->dictionary->strings : NULL;
  }
}

uint64_t rdx_table_rows(const rdx_table *table) {
  return table ? table->rows : 0;
}

uint32_t rdx_table_columns(const rdx_table *table) {
  return table ? table->column_count : 0;
}

const char *rdx_table_column_name(const rdx_table *table, uint32_t index) {
  return index < rdx_table_columns(table) ? table->columns[index].name : NULL;
}

const char *rdx_table_column_declaration(const rdx_table *table, uint32_t index) {
  return index < rdx_table_columns(table) ? table->columns[index].declaration : NULL;
}

const char *rdx_table_constraints(const rdx_table *table) {
  return table ? table->constraints : NULL;
}

const rdx_column *rdx_table_column(const rdx_table *table, uint32_t index) {
  return index < rdx_table_columns(table) ? &table->columns[index].view : NULL;
}

const rdx_choice *rdx_table_choice(const rdx_table *table, uint32_t index) {
  return table && table->delimiter && index < table->column_count ? &table->columns[index].choice : NULL;
}

char rdx_table_delimiter(const rdx_table *table) {
  return table ? table->delimiter : '\0';
}

rdx_status rdx_table_find(const rdx_table *table, const char *name, const rdx_column **out, rdx_error *err) {
  if (!table || !name || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_table_find: table, name and out must not be NULL");
  uint32_t found = table->column_count;
  for (uint32_t i = 0; i < table->column_count; i++) {
    if (strcmp(table->columns[i].name, name) != 0)
      continue;
    if (found < table->column_count)
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "columns %u and %u are both named '%s'", found + 1, i + 1, name);
    found = i;
  }
  if (found < table->column_count) {
    *out = &table->columns[found].view;
    return RDX_OK;
  }
  char list[512] = "";
  size_t used = 0;
  for (uint32_t i = 0; i < table->column_count && used < sizeof list; i++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s'%s'", i ? ", " : "", table->columns[i].name);
  return rdx_fail(err, RDX_ERROR_NOT_FOUND, "there is no column '%s'; there are %s", name, list);
}
