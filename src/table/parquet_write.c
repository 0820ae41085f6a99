/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Tables to Parquet files: DuckDB copies the rows of a table function, which are those of the table. */

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "column/column.h"
#include "base/replace.h"
#include "base/utf8.h"
#include "base/words.h"
#include "table/duckdb.h"
#include "table/table.h"

#define INT64_DECIMAL 1000000000000000000 /* beyond those of 18 digits */

/* How a column is written. */
typedef struct target {
  int type; /* DuckDB's */
  uint8_t width, scale;
} target;

typedef struct parquet_writer {
  const rdx_duckdb_functions *call;
  const rdx_table *table;
  target *targets;
  _Atomic uint64_t done;
} parquet_writer;

/* ---- Types ---- */

static bool are_utf8(const rdx_column *c) {
  const rdx_column *strings = c->dictionary ? c->dictionary : c;
  for (uint64_t i = 0; i < strings->rows; i++) {
    uint64_t length;
    const char *text = rdx_column_text(strings, i, &length);
    if (rdx_column_has(strings, i) && rdx_utf8_check(text, length) != length)
      return false;
  }
  return true;
}

/* 18 digits are written as a number of 64 bits, which all programs read fast; 19 where some value needs them. */
static uint8_t digits(const rdx_column *c) {
  const int64_t *values = c->values;
  for (uint64_t i = 0; i < c->rows; i++)
    if (rdx_column_has(c, i) && (values[i] <= -INT64_DECIMAL || values[i] >= INT64_DECIMAL))
      return 19;
  return 18;
}

static target choose(const rdx_column *c) {
  static const int types[] = {[RDX_TYPE_BOOL] = RDX_DUCKDB_BOOLEAN,    [RDX_TYPE_I8] = RDX_DUCKDB_TINYINT,
                              [RDX_TYPE_I16] = RDX_DUCKDB_SMALLINT,    [RDX_TYPE_I32] = RDX_DUCKDB_INTEGER,
                              [RDX_TYPE_I64] = RDX_DUCKDB_BIGINT,      [RDX_TYPE_U8] = RDX_DUCKDB_UTINYINT,
                              [RDX_TYPE_U16] = RDX_DUCKDB_USMALLINT,   [RDX_TYPE_U32] = RDX_DUCKDB_UINTEGER,
                              [RDX_TYPE_U64] = RDX_DUCKDB_UBIGINT,     [RDX_TYPE_F32] = RDX_DUCKDB_FLOAT,
                              [RDX_TYPE_F64] = RDX_DUCKDB_DOUBLE,      [RDX_TYPE_DATE] = RDX_DUCKDB_DATE,
                              [RDX_TYPE_DECIMAL] = RDX_DUCKDB_DECIMAL, [RDX_TYPE_TIMESTAMP] = RDX_DUCKDB_TIMESTAMP_TZ,
                              [RDX_TYPE_STRING] = RDX_DUCKDB_VARCHAR};
  target t = {.type = types[c->type]};
  if (c->type == RDX_TYPE_STRING && !are_utf8(c))
    t.type = RDX_DUCKDB_BLOB;
  if (c->type == RDX_TYPE_DECIMAL)
    t = (target){RDX_DUCKDB_DECIMAL, digits(c), c->scale};
  return t;
}

static rdx_status check_names(const rdx_table *table, const char *path, rdx_error *err) {
  if (table->column_count == 0)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "cannot write %s: Parquet has no tables without columns", path);
  for (uint32_t i = 0; i < table->column_count; i++) {
    const char *name = table->columns[i].name;
    if (rdx_utf8_check(name, strlen(name)) != strlen(name) || !*name)
      return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                      "cannot write %s: the name of column %u is %s, which Parquet needs: give it another", path, i + 1,
                      *name ? "no UTF-8" : "empty");
    for (uint32_t k = 0; k < i; k++)
      if (rdx_words_alike(table->columns[k].name, name))
        return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                        "cannot write %.300s: columns %u and %u are both named '%.100s', but for capitals, which "
                        "DuckDB's Parquet does not keep apart: give them other names",
                        path, k + 1, i + 1, name);
  }
  return RDX_OK;
}

/* ---- The table for DuckDB ---- */

static void bind(void *user, rdx_duckdb_handle info) {
  const parquet_writer *w = user;
  for (uint32_t i = 0; i < w->table->column_count; i++) {
    const target *t = &w->targets[i];
    rdx_duckdb_handle type = t->type == RDX_DUCKDB_DECIMAL ? w->call->create_decimal_type(t->width, t->scale)
                                                           : w->call->create_logical_type(t->type);
    w->call->bind_add_result_column(info, w->table->columns[i].name, type);
    w->call->destroy_logical_type(&type);
  }
  w->call->bind_set_cardinality(info, w->table->rows, true);
}

static void fill_nulls(const parquet_writer *w, const rdx_column *c, rdx_duckdb_handle vector, uint64_t first,
                       uint64_t rows) {
  w->call->vector_ensure_validity_writable(vector);
  uint64_t *validity = w->call->vector_get_validity(vector);
  for (uint64_t i = 0; i < rows; i++)
    if (!rdx_column_has(c, first + i))
      validity[i / 64] &= ~((uint64_t)1 << i % 64);
}

static void fill_strings(const parquet_writer *w, const rdx_column *c, rdx_duckdb_handle vector, uint64_t first,
                         uint64_t rows) {
  for (uint64_t i = 0; i < rows; i++) {
    uint64_t length;
    const char *text = rdx_column_text(c, first + i, &length);
    if (rdx_column_has(c, first + i))
      w->call->vector_assign_string_element_len(vector, i, text, length);
  }
}

static void fill_vector(const parquet_writer *w, uint32_t column, rdx_duckdb_handle vector, uint64_t first,
                        uint64_t rows) {
  const rdx_column *c = &w->table->columns[column].view;
  if (c->validity)
    fill_nulls(w, c, vector, first, rows);
  if (c->type == RDX_TYPE_STRING) {
    fill_strings(w, c, vector, first, rows);
    return;
  }
  void *to = w->call->vector_get_data(vector);
  const size_t size = rdx_type_size(c->type);
  if (w->targets[column].width <= 18) {
    memcpy(to, (const char *)c->values + first * size, rows * size);
    return;
  }
  for (uint64_t i = 0; i < rows; i++) {
    const int64_t value = ((const int64_t *)c->values)[first + i];
    ((int64_t *)to)[2 * i] = value;
    ((int64_t *)to)[2 * i + 1] = value < 0 ? -1 : 0;
  }
}

static void start(void *user) {
  parquet_writer *w = user;
  atomic_store(&w->done, 0);
}

static void fill_chunk(void *user, rdx_duckdb_handle chunk) {
  parquet_writer *w = user;
  const uint64_t done = atomic_load(&w->done), left = w->table->rows - done, max = w->call->vector_size();
  const uint64_t rows = left < max ? left : max;
  for (uint32_t i = 0; i < w->table->column_count && rows > 0; i++)
    fill_vector(w, i, w->call->data_chunk_get_vector(chunk, i), done, rows);
  w->call->data_chunk_set_size(chunk, rows);
  atomic_store(&w->done, done + rows);
}

/* ---- The file ---- */

static rdx_status copy(parquet_writer *w, const rdx_duckdb *d, rdx_error *err) {
  char sql[128];
  rdx_duckdb_result result;
  rdx_duckdb_source source = {.bind = bind, .start = start, .fill = fill_chunk, .user = w};
  const rdx_duckdb_watch watch = {.stage = "export", .done = &w->done, .total = w->table->rows};
  RDX_TRY(rdx_duckdb_add_source(d, "raydex_rows", &source, err));
  snprintf(sql, sizeof sql, "COPY (SELECT * FROM raydex_rows()) TO '%s' (FORMAT parquet, USE_TMP_FILE false)",
           d->alias);
  const rdx_status status = rdx_duckdb_run(d, sql, &watch, &result, err);
  rdx_duckdb_drop(d, &result);
  return status;
}

static rdx_status fill_file(const rdx_table *table, const rdx_replacement *file, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) target *targets = NULL;
  RDX_SCOPED(rdx_duckdb_close) rdx_duckdb duckdb = {0};
  RDX_TRY(rdx_duckdb_open(file->file, file->path, true, &duckdb, err));
  RDX_TRY(rdx_calloc(table->column_count, sizeof *targets, "a Parquet file", (void **)&targets, err));
  for (uint32_t i = 0; i < table->column_count; i++)
    targets[i] = choose(&table->columns[i].view);
  parquet_writer w = {.call = duckdb.call, .table = table, .targets = targets};
  return copy(&w, &duckdb, err);
}

static rdx_status write_file(const rdx_table *table, rdx_replacement *file, rdx_error *err) {
  RDX_TRY(fill_file(table, file, err));
  return rdx_replacement_commit(file, err);
}

rdx_status rdx_table_write_parquet(const rdx_table *table, const char *path, rdx_error *err) {
  if (!table || !path)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_table_write_parquet: table and path must not be NULL");
  RDX_SCOPED(rdx_replacement_drop) rdx_replacement file = {.file = -1};
  RDX_TRY(check_names(table, path, err));
  RDX_TRY(rdx_replacement_open(path, &file, err));
  return write_file(table, &file, err);
}
