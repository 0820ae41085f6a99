/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Parquet files to tables, through DuckDB, chunk by chunk. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/replace.h"
#include "column/column.h"
#include "column/dictionary.h"
#include "table/arrow_values.h"
#include "table/duckdb.h"
#include "table/names.h"
#include "table/parquet.h"

#define WHAT "a Parquet file"
#define BATCH 131072 /* rows of an import at a time */
#define SCALE_MAX 18 /* digits of a decimal after the point */
#define FEW 65536    /* strings: more do not become a dictionary, as to find each takes longer than to copy it */
#define FROM "read_parquet('%s', hive_partitioning = false)"

/* ---- Which files ---- */

bool rdx_parquet_is_name(const char *path) {
  const char *dot = path ? strrchr(path, '.') : NULL;
  return dot && (strcasecmp(dot, ".parquet") == 0 || strcasecmp(dot, ".pq") == 0);
}

bool rdx_table_is_parquet(const char *path) {
  char first[4], last[4];
  struct stat info;
  if (!path || rdx_parquet_is_name(path))
    return path != NULL;
  if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) /* who writes a pipe would see it opened, and closed */
    return false;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  const bool same = file >= 0 && info.st_size >= 12 && pread(file, first, 4, 0) == 4 &&
                    pread(file, last, 4, info.st_size - 4) == 4 && memcmp(first, "PAR1", 4) == 0 &&
                    memcmp(last, "PAR1", 4) == 0;
  if (file >= 0)
    close(file);
  return same;
}

/* ---- Types ---- */

typedef enum kind { PLAIN, DECIMALS, TEXTS, TIMES, TIMESTAMPS, UNKNOWN } kind;

typedef struct known_type {
  int id; /* DuckDB's */
  kind kind;
  rdx_type type;
  int64_t unit; /* TIMES, TIMESTAMPS: how many are a second */
} known_type;

static const known_type known_types[] = {
    {RDX_DUCKDB_BOOLEAN, PLAIN, RDX_TYPE_BOOL, 0},
    {RDX_DUCKDB_TINYINT, PLAIN, RDX_TYPE_I8, 0},
    {RDX_DUCKDB_SMALLINT, PLAIN, RDX_TYPE_I16, 0},
    {RDX_DUCKDB_INTEGER, PLAIN, RDX_TYPE_I32, 0},
    {RDX_DUCKDB_BIGINT, PLAIN, RDX_TYPE_I64, 0},
    {RDX_DUCKDB_UTINYINT, PLAIN, RDX_TYPE_U8, 0},
    {RDX_DUCKDB_USMALLINT, PLAIN, RDX_TYPE_U16, 0},
    {RDX_DUCKDB_UINTEGER, PLAIN, RDX_TYPE_U32, 0},
    {RDX_DUCKDB_UBIGINT, PLAIN, RDX_TYPE_U64, 0},
    {RDX_DUCKDB_FLOAT, PLAIN, RDX_TYPE_F32, 0},
    {RDX_DUCKDB_DOUBLE, PLAIN, RDX_TYPE_F64, 0},
    {RDX_DUCKDB_DATE, PLAIN, RDX_TYPE_DATE, 0},
    {RDX_DUCKDB_TIMESTAMP, PLAIN, RDX_TYPE_TIMESTAMP, 0},
    {RDX_DUCKDB_TIMESTAMP_TZ, PLAIN, RDX_TYPE_TIMESTAMP, 0},
    {RDX_DUCKDB_TIMESTAMP_NS, TIMESTAMPS, RDX_TYPE_TIMESTAMP, 1000000000},
    {RDX_DUCKDB_TIME, TIMES, RDX_TYPE_STRING, 1000000},
    {RDX_DUCKDB_TIME_TZ, TIMES, RDX_TYPE_STRING, 1000000}, /* which is cast to TIME */
    {RDX_DUCKDB_TIME_NS, TIMES, RDX_TYPE_STRING, 1000000000},
    {RDX_DUCKDB_DECIMAL, DECIMALS, RDX_TYPE_DECIMAL, 0},
    {RDX_DUCKDB_VARCHAR, TEXTS, RDX_TYPE_STRING, 0},
    {RDX_DUCKDB_BLOB, TEXTS, RDX_TYPE_STRING, 0},
};

static const known_type *find_type(int id) {
  static const known_type unknown = {.kind = UNKNOWN};
  for (size_t i = 0; i < RDX_COUNT(known_types); i++)
    if (known_types[i].id == id)
      return &known_types[i];
  return &unknown;
}

static rdx_status refuse_type(const char *path, const char *name, int id, rdx_error *err) {
  static const struct {
    int id;
    const char *name;
  } names[] = {{RDX_DUCKDB_INTERVAL, "INTERVAL"}, {RDX_DUCKDB_HUGEINT, "HUGEINT"}, {RDX_DUCKDB_LIST, "LIST"},
               {RDX_DUCKDB_STRUCT, "STRUCT"},     {RDX_DUCKDB_MAP, "MAP"},         {RDX_DUCKDB_UUID, "UUID"},
               {RDX_DUCKDB_UNION, "UNION"},       {RDX_DUCKDB_BIT, "BIT"},         {RDX_DUCKDB_ARRAY, "ARRAY"}};
  const char *type = "of a type";
  for (size_t i = 0; i < RDX_COUNT(names); i++)
    if (names[i].id == id)
      type = names[i].name;
  return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                  "%.300s: column '%.100s' is %s%s, which is not supported: in DuckDB, COPY (SELECT * REPLACE "
                  "(CAST(\"%.100s\" AS VARCHAR) AS \"%.100s\") FROM the file) TO another",
                  path, name,
                  id == RDX_DUCKDB_INTERVAL || id == RDX_DUCKDB_ARRAY ? "an "
                  : *type == 'o'                                      ? ""
                                                                      : "a ",
                  type, name, name);
}

/* ---- A file that is read ---- */

typedef struct source {
  const known_type *type;
  int id;          /* DuckDB's type */
  uint32_t column; /* of the file */
  int decimal;     /* DuckDB's type of a decimal's digits */
  uint8_t scale;
} source;

typedef struct rdx_parquet {
  const char *path;
  int file;
  struct stat info; /* of it when it was opened */
  rdx_duckdb duckdb;
  rdx_duckdb_result result;
  uint32_t file_columns;
  uint64_t rows, done; /* of the file, and those that were read */
  source *sources;     /* of the table's columns */
  rdx_distinct *texts; /* of columns of strings that have a dictionary, and are u32 as long; NULL: none have */
  rdx_table *table;
  uint64_t filled; /* rows of the table */
} reader;

static rdx_status run(reader *r, const char *sql, rdx_error *err) {
  rdx_duckdb_drop(&r->duckdb, &r->result);
  return rdx_duckdb_run(&r->duckdb, sql, &(rdx_duckdb_watch){.stage = "read", .total = r->rows}, &r->result, err);
}

static rdx_status open_file(reader *r, rdx_error *err) {
  r->file = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (r->file < 0 && errno == ENOENT && strpbrk(r->path, "*?["))
    return rdx_fail(err, RDX_ERROR_NOT_FOUND,
                    "there is no file %s: Parquet files are read one by one, not by a pattern", r->path);
  if (r->file < 0 || fstat(r->file, &r->info) != 0)
    return rdx_fail(err, errno == ENOENT ? RDX_ERROR_NOT_FOUND : RDX_ERROR_IO, "cannot open %s: %s", r->path,
                    strerror(errno));
  if (!S_ISREG(r->info.st_mode))
    return rdx_fail(err, RDX_ERROR_FORMAT, "%s is %s: Parquet is read from ordinary files", r->path,
                    S_ISDIR(r->info.st_mode) ? "a folder" : "no ordinary file");
  return RDX_OK;
}

/* What was read while it was written to is not to be trusted. */
static rdx_status check_unchanged(const reader *r, rdx_error *err) {
  struct stat now;
  if (fstat(r->file, &now) != 0 || now.st_size != r->info.st_size || now.st_mtim.tv_sec != r->info.st_mtim.tv_sec ||
      now.st_mtim.tv_nsec != r->info.st_mtim.tv_nsec)
    return rdx_fail(err, RDX_ERROR_IO, "%s was written to while it was read", r->path);
  return RDX_OK;
}

static rdx_status count_rows(reader *r, rdx_error *err) {
  char sql[128];
  snprintf(sql, sizeof sql, "SELECT count(*) FROM " FROM, r->duckdb.alias);
  RDX_TRY(run(r, sql, err));
  const rdx_duckdb_functions *call = r->duckdb.call;
  rdx_duckdb_handle chunk = call->fetch_chunk(r->result);
  if (!chunk)
    return rdx_duckdb_fail(&r->duckdb, call->result_error(&r->result), err);
  memcpy(&r->rows, call->vector_get_data(call->data_chunk_get_vector(chunk, 0)), sizeof r->rows);
  call->destroy_data_chunk(&chunk);
  if (r->rows >= UINT32_MAX)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "%s has %llu rows, more than 4294967294: split it", r->path,
                    (unsigned long long)r->rows);
  return RDX_OK;
}

/* ---- Its columns ---- */

static rdx_status start_column(reader *r, uint32_t i, uint32_t column, rdx_error *err) {
  const rdx_duckdb_functions *call = r->duckdb.call;
  const char *name = call->column_name(&r->result, column);
  rdx_growing *c = &r->table->columns[i];
  source *s = &r->sources[i];
  RDX_TRY(rdx_copy_text(name, "a column name", &c->name, err));
  rdx_duckdb_handle type = call->column_logical_type(&r->result, column);
  const int id = call->get_type_id(type);
  *s = (source){.type = find_type(id), .id = id, .column = column};
  if (s->type->kind == DECIMALS) {
    s->decimal = call->decimal_internal_type(type);
    s->scale = call->decimal_scale(type);
  }
  call->destroy_logical_type(&type);
  return RDX_OK;
}

/* Column `i` of the table has a type that can be read. */
static rdx_status check_type(const reader *r, uint32_t i, rdx_error *err) {
  const source *s = &r->sources[i];
  const char *name = r->table->columns[i].name;
  if (s->type->kind == UNKNOWN)
    return refuse_type(r->path, name, s->id, err);
  if (s->scale > SCALE_MAX)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "%.300s: column '%.100s' is a DECIMAL with %u digits after the point, and 18 are supported: in "
                    "DuckDB, COPY (SELECT * REPLACE (CAST(\"%.100s\" AS DECIMAL(18, 9)) AS \"%.100s\") FROM the file) "
                    "TO another",
                    r->path, name, s->scale, name, name);
  return RDX_OK;
}

/* What a column that DuckDB gives as this type may have lost without a word; NULL: nothing. */
static const char *cut_by(const source *s) {
  switch (s->type->id) {
  case RDX_DUCKDB_TIMESTAMP:
  case RDX_DUCKDB_TIMESTAMP_TZ:
  case RDX_DUCKDB_TIME:
  case RDX_DUCKDB_TIME_TZ:
    return "nanoseconds, of which DuckDB gives microseconds";
  case RDX_DUCKDB_DOUBLE:
    return "decimals of more than 38 digits, which DuckDB gives as doubles";
  default:
    return NULL;
  }
}

static rdx_status fail_missing(const reader *r, const char *name, rdx_error *err) {
  char list[512] = "";
  size_t used = 0;
  for (uint32_t i = 0; i < r->file_columns && used < sizeof list; i++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s'%s'", i ? ", " : "",
                             r->duckdb.call->column_name((rdx_duckdb_result *)(uintptr_t)&r->result, i));
  return rdx_fail(err, RDX_ERROR_NOT_FOUND, "%s: there is no column '%s'; there are %s", r->path, name, list);
}

static rdx_status choose_columns(reader *r, const char *const *names, rdx_names *index, rdx_error *err) {
  for (uint32_t i = 0; names && i < r->file_columns; i++) {
    const char *name = r->duckdb.call->column_name(&r->result, i);
    RDX_TRY(rdx_names_add(index, name, strlen(name), err));
  }
  for (uint32_t i = 0; i < r->table->column_count; i++) {
    uint32_t column = i, second;
    if (names)
      RDX_TRY(rdx_names_find(index, names[i], &column, &second, err));
    if (column == RDX_NO_COLUMN)
      return fail_missing(r, names[i], err);
    RDX_TRY(start_column(r, i, column, err));
  }
  return RDX_OK;
}

static const char *bytes_of(const rdx_duckdb_text *t) {
  return t->inside.length <= sizeof t->inside.text ? t->inside.text : t->outside.text;
}

static rdx_status check_name(const reader *r, const rdx_duckdb_text *name, rdx_error *err) {
  for (uint32_t i = 0; i < r->table->column_count; i++) {
    const char *column = r->table->columns[i].name;
    const char *cut = cut_by(&r->sources[i]);
    if (cut && strlen(column) == name->inside.length && memcmp(column, bytes_of(name), name->inside.length) == 0)
      return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                      "%.300s: column '%.100s' has %s: write it as these, or have it cut to them by DuckDB, "
                      "COPY (FROM the file) TO another",
                      r->path, column, cut);
  }
  return RDX_OK;
}

/* What DuckDB has no type for is refused instead of cut. */
static rdx_status check_cuts(reader *r, rdx_error *err) {
  char sql[192];
  bool any = false;
  for (uint32_t i = 0; i < r->table->column_count; i++)
    any |= cut_by(&r->sources[i]) != NULL;
  if (!any)
    return RDX_OK;
  snprintf(sql, sizeof sql,
           "SELECT name FROM parquet_schema('%s') WHERE type = 'INT96' OR logical_type LIKE '%%NANOS=NanoSeconds%%' OR "
           "precision > 38",
           r->duckdb.alias);
  RDX_TRY(run(r, sql, err));
  const rdx_duckdb_functions *call = r->duckdb.call;
  rdx_status status = RDX_OK;
  for (rdx_duckdb_handle chunk; status == RDX_OK && (chunk = call->fetch_chunk(r->result)) != NULL;) {
    const rdx_duckdb_text *names = call->vector_get_data(call->data_chunk_get_vector(chunk, 0));
    for (uint64_t i = 0; status == RDX_OK && i < call->data_chunk_get_size(chunk); i++)
      status = check_name(r, &names[i], err);
    call->destroy_data_chunk(&chunk);
  }
  const char *wrong = status == RDX_OK ? call->result_error(&r->result) : NULL;
  return wrong ? rdx_duckdb_fail(&r->duckdb, wrong, err) : status;
}

/* `names` NULL: all. */
static rdx_status make_table(reader *r, const char *const *names, uint32_t count, rdx_error *err) {
  char sql[128];
  RDX_SCOPED(rdx_names_drop) rdx_names index = {0};
  snprintf(sql, sizeof sql, "SELECT * FROM " FROM " LIMIT 0", r->duckdb.alias);
  RDX_TRY(run(r, sql, err));
  r->file_columns = (uint32_t)r->duckdb.call->column_count(&r->result);
  count = names ? count : r->file_columns;
  RDX_TRY(rdx_table_create(count, &r->table, err));
  RDX_TRY(rdx_calloc(count, sizeof *r->sources, WHAT, (void **)&r->sources, err));
  return choose_columns(r, names, &index, err);
}

static rdx_status check_columns(reader *r, rdx_error *err) {
  for (uint32_t i = 0; i < r->table->column_count; i++)
    RDX_TRY(check_type(r, i, err));
  return check_cuts(r, err);
}

/* Names stand for nothing in the statement: columns have numbers. */
static rdx_status start_rows(reader *r, rdx_error *err) {
  const uint32_t count = r->table->column_count;
  const size_t capacity = 128 + 16 * (size_t)r->file_columns + 32 * (size_t)count;
  if (count == 0)
    return RDX_OK;
  RDX_SCOPED(rdx_free_local) char *sql = NULL;
  RDX_TRY(rdx_alloc(capacity, 1, WHAT, (void **)&sql, err));
  size_t used = (size_t)snprintf(sql, capacity, "SELECT");
  for (uint32_t i = 0; i < count; i++) {
    const source *s = &r->sources[i];
    used += (size_t)snprintf(sql + used, capacity - used,
                             s->type->id == RDX_DUCKDB_TIME_TZ ? "%s CAST(c%u AS TIME)" : "%s c%u", i ? "," : "",
                             s->column);
  }
  used += (size_t)snprintf(sql + used, capacity - used, " FROM " FROM " AS t", r->duckdb.alias);
  for (uint32_t i = 0; i < r->file_columns; i++)
    used +=
        (size_t)snprintf(sql + used, capacity - used, "%sc%u%s", i ? "," : "(", i, i + 1 < r->file_columns ? "" : ")");
  return run(r, sql, err);
}

static rdx_status open_reader(reader *r, const char *path, const char *const *names, uint32_t count, rdx_error *err) {
  *r = (reader){.path = path, .file = -1};
  RDX_TRY(open_file(r, err));
  RDX_TRY(rdx_duckdb_open(r->file, path, false, &r->duckdb, err));
  RDX_TRY(make_table(r, names, count, err));
  return count_rows(r, err);
}

static rdx_status check_and_start(reader *r, rdx_error *err) {
  RDX_TRY(check_columns(r, err));
  return start_rows(r, err);
}

static void close_duckdb(reader *r) {
  rdx_duckdb_drop(&r->duckdb, &r->result);
  rdx_duckdb_close(&r->duckdb);
}

static void close_reader(reader *r) {
  close_duckdb(r);
  for (uint32_t i = 0; r->texts && i < r->table->column_count; i++)
    rdx_distinct_drop(&r->texts[i]);
  rdx_table_destroy(&r->table);
  RDX_FREE_ALL(r->sources, r->texts);
  if (r->file >= 0)
    close(r->file);
}

/* ---- Its rows ---- */

/* A column's part of a chunk. */
typedef struct piece {
  const reader *reader;
  const source *source;
  rdx_distinct *texts; /* NULL: strings are kept as they come */
  rdx_growing *to;
  const void *values;
  const uint64_t *validity; /* NULL: there is no NULL */
  uint64_t rows;
} piece;

static bool has(const piece *p, uint64_t i) {
  return !p->validity || (p->validity[i / 64] >> i % 64 & 1) != 0;
}

static rdx_status not_kept(const piece *p, uint64_t row, const char *what, rdx_error *err) {
  return rdx_fail(err, RDX_ERROR_RANGE, "%.300s: column '%.100s', row %llu: %s", p->reader->path, p->to->name,
                  (unsigned long long)(p->reader->done + row), what);
}

/* The strings turn out to be many: `rows` of them, so far, are kept as they came. */
static rdx_status give_up_dictionary(const piece *p, uint64_t rows, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) const uint32_t *numbers = RDX_KEEP(p->to->values);
  RDX_SCOPED(rdx_free_local) uint8_t *validity = RDX_KEEP(p->to->validity);
  const rdx_column old = {.rows = rows, .validity = validity};
  RDX_TRY(rdx_growing_start(p->to, RDX_TYPE_STRING, 0, p->to->capacity, err));
  for (uint64_t i = 0; i < rows; i++) {
    uint64_t length = 0;
    const bool is_null = !rdx_column_has(&old, i);
    const char *text = is_null ? NULL : rdx_column_text(&p->texts->strings, numbers[i], &length);
    RDX_TRY(is_null ? rdx_growing_add_null(p->to, i, err) : rdx_growing_add_string(p->to, i, text, length, err));
  }
  rdx_distinct_drop(p->texts);
  return RDX_OK;
}

static rdx_status number_texts(const piece *p, rdx_error *err) {
  const rdx_duckdb_text *texts = p->values;
  uint32_t *numbers = (uint32_t *)p->to->values + p->reader->filled;
  for (uint64_t i = 0; i < p->rows; i++) {
    const rdx_duckdb_text *t = &texts[i];
    RDX_TRY(has(p, i) ? rdx_distinct_add(p->texts, bytes_of(t), t->inside.length, &numbers[i], err)
                      : rdx_growing_add_null(p->to, p->reader->filled + i, err));
  }
  return p->texts->strings.rows > FEW ? give_up_dictionary(p, p->reader->filled + p->rows, err) : RDX_OK;
}

static rdx_status add_texts(const piece *p, rdx_error *err) {
  if (p->texts)
    return number_texts(p, err);
  const rdx_duckdb_text *texts = p->values;
  for (uint64_t i = 0; i < p->rows; i++) {
    const uint64_t row = p->reader->filled + i;
    const rdx_duckdb_text *t = &texts[i];
    if (!has(p, i))
      RDX_TRY(rdx_growing_add_null(p->to, row, err));
    else
      RDX_TRY(rdx_growing_add_string(p->to, row, bytes_of(t), t->inside.length, err));
  }
  return RDX_OK;
}

static rdx_status add_times(const piece *p, rdx_error *err) {
  const int64_t *times = p->values;
  const int digits = p->source->type->unit == 1000000 ? 6 : 9;
  for (uint64_t i = 0; i < p->rows; i++) {
    const uint64_t row = p->reader->filled + i;
    char text[24];
    if (!has(p, i))
      RDX_TRY(rdx_growing_add_null(p->to, row, err));
    else if (!rdx_time_format(times[i], p->source->type->unit, digits, text))
      return not_kept(p, i, "the time of day is not between 00:00:00 and 24:00:00", err);
    else
      RDX_TRY(rdx_growing_add_string(p->to, row, text, 9 + (uint64_t)digits, err));
  }
  return RDX_OK;
}

/* The digits of a decimal; false: they are beyond 64 bits. */
static bool take_decimal(const piece *p, uint64_t i, int64_t *out) {
  int64_t high;
  switch (p->source->decimal) {
  case RDX_DUCKDB_SMALLINT:
    *out = ((const int16_t *)p->values)[i];
    return true;
  case RDX_DUCKDB_INTEGER:
    *out = ((const int32_t *)p->values)[i];
    return true;
  case RDX_DUCKDB_BIGINT:
    *out = ((const int64_t *)p->values)[i];
    return true;
  default: /* low and high half */
    *out = ((const int64_t *)p->values)[2 * i];
    high = ((const int64_t *)p->values)[2 * i + 1];
    return high == (*out < 0 ? -1 : 0);
  }
}

static rdx_status add_decimals(const piece *p, rdx_error *err) {
  int64_t *to = (int64_t *)p->to->values + p->reader->filled;
  for (uint64_t i = 0; i < p->rows; i++)
    if (has(p, i) && !take_decimal(p, i, &to[i]))
      return not_kept(p, i, "the decimal does not fit 64 bits: cast the column to DECIMAL(18, ...)", err);
  return RDX_OK;
}

static rdx_status add_timestamps(const piece *p, rdx_error *err) {
  const int64_t part = p->source->type->unit / 1000000, *from = p->values;
  int64_t *to = (int64_t *)p->to->values + p->reader->filled;
  for (uint64_t i = 0; i < p->rows; i++) {
    if (has(p, i) && from[i] % part != 0)
      return not_kept(
          p, i, "the timestamp has a part of a microsecond, which is not kept: cast the column to TIMESTAMP", err);
    to[i] = from[i] / part;
  }
  return RDX_OK;
}

/* Values of fixed width, the NULLs after all. */
static rdx_status add_values(const piece *p, rdx_error *err) {
  const size_t size = rdx_type_size(p->to->view.type);
  if (p->source->type->kind == DECIMALS)
    RDX_TRY(add_decimals(p, err));
  else if (p->source->type->kind == TIMESTAMPS)
    RDX_TRY(add_timestamps(p, err));
  else
    memcpy((char *)p->to->values + p->reader->filled * size, p->values, p->rows * size);
  for (uint64_t i = 0; p->validity && i < p->rows; i++)
    if (!has(p, i))
      RDX_TRY(rdx_growing_add_null(p->to, p->reader->filled + i, err));
  return RDX_OK;
}

/* Whether column `i`, once it is started, is one of strings that are numbered. */
static bool has_dictionary(const reader *r, uint32_t i) {
  return r->texts && r->sources[i].type->kind == TEXTS && r->table->columns[i].view.type == RDX_TYPE_U32;
}

static rdx_status add_chunk(reader *r, rdx_duckdb_handle chunk, rdx_error *err) {
  const rdx_duckdb_functions *call = r->duckdb.call;
  const uint64_t rows = call->data_chunk_get_size(chunk);
  for (uint32_t i = 0; i < r->table->column_count; i++) {
    rdx_duckdb_handle vector = call->data_chunk_get_vector(chunk, i);
    const piece p = {.reader = r,
                     .source = &r->sources[i],
                     .texts = has_dictionary(r, i) ? &r->texts[i] : NULL,
                     .to = &r->table->columns[i],
                     .values = call->vector_get_data(vector),
                     .validity = call->vector_get_validity(vector),
                     .rows = rows};
    RDX_TRY(rdx_growing_reserve(p.to, r->filled + rows, err));
    switch (p.source->type->kind) {
    case TEXTS:
      RDX_TRY(add_texts(&p, err));
      break;
    case TIMES:
      RDX_TRY(add_times(&p, err));
      break;
    default:
      RDX_TRY(add_values(&p, err));
    }
  }
  r->filled += rows;
  r->done += rows;
  return RDX_OK;
}

/* One more chunk; after the last `*more` is false. */
static rdx_status read_chunk(reader *r, bool *more, rdx_error *err) {
  const rdx_duckdb_functions *call = r->duckdb.call;
  rdx_duckdb_handle chunk = call->fetch_chunk(r->result);
  const char *wrong = chunk ? NULL : call->result_error(&r->result);
  if (wrong)
    return rdx_duckdb_fail(&r->duckdb, wrong, err);
  *more = chunk && call->data_chunk_get_size(chunk) > 0;
  const rdx_status status = *more ? add_chunk(r, chunk, err) : RDX_OK;
  if (chunk)
    call->destroy_data_chunk(&chunk);
  return status;
}

/* Up to `max` rows, and what comes with them, become the table's; `*more`: there may be others. */
static rdx_status read_rows(reader *r, uint64_t max, bool *more, rdx_error *err) {
  const uint64_t left = r->rows - r->done, capacity = left < max ? left : max;
  *more = r->table->column_count > 0;
  r->filled = 0;
  for (uint32_t i = 0; i < r->table->column_count; i++) {
    const source *s = &r->sources[i];
    const rdx_type type = r->texts && s->type->kind == TEXTS ? RDX_TYPE_U32 : s->type->type;
    RDX_TRY(rdx_growing_start(&r->table->columns[i], type, s->scale, capacity, err));
  }
  while (*more && r->filled < max) {
    RDX_TRY(rdx_progress("read", r->done, r->rows, err));
    RDX_TRY(read_chunk(r, more, err));
  }
  if (!*more && r->table->column_count > 0 && r->done != r->rows)
    return rdx_fail(err, RDX_ERROR_FORMAT, "%s: %llu rows were read, and %llu are announced", r->path,
                    (unsigned long long)r->done, (unsigned long long)r->rows);
  rdx_table_finish(r->table, r->table->column_count > 0 ? r->filled : r->rows);
  return *more ? RDX_OK : check_unchanged(r, err);
}

static rdx_status read_all(reader *r, const char *path, const char *const *columns, uint32_t count, rdx_error *err) {
  bool more;
  RDX_TRY(open_reader(r, path, columns, count, err));
  RDX_TRY(check_and_start(r, err));
  return read_rows(r, UINT64_MAX, &more, err);
}

rdx_status rdx_table_read_parquet(const char *path, const char *const *columns, uint32_t count, rdx_table **out,
                                  rdx_error *err) {
  if (!path || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_table_read_parquet: path and out must not be NULL");
  RDX_SCOPED(close_reader) reader r = {0};
  RDX_TRY(read_all(&r, path, columns, count, err));
  *out = RDX_KEEP(r.table);
  return RDX_OK;
}

/* ---- Column by column ---- */

void rdx_parquet_drop(struct rdx_parquet *p) {
  if (!p)
    return;
  rdx_free((void *)(uintptr_t)p->path);
  close_reader(p);
  rdx_free(p);
}

/* The columns' types, as far as they are known: of one that cannot be read its name is told when it is. */
static void set_types(const reader *r) {
  for (uint32_t i = 0; i < r->table->column_count; i++) {
    const source *s = &r->sources[i];
    r->table->columns[i].view = (rdx_column){.type = s->type->kind == UNKNOWN ? RDX_TYPE_STRING : s->type->type,
                                             .scale = s->scale > SCALE_MAX ? SCALE_MAX : s->scale,
                                             .rows = r->rows};
  }
  r->table->rows = r->rows;
}

static void drop_parquet(struct rdx_parquet **parquet) {
  rdx_parquet_drop(*parquet);
}

rdx_status rdx_parquet_open(const char *path, rdx_table **out, rdx_error *err) {
  RDX_SCOPED(drop_parquet) struct rdx_parquet *p = NULL;
  char *own;
  RDX_TRY(rdx_calloc(1, sizeof *p, WHAT, (void **)&p, err));
  p->file = -1;
  RDX_TRY(rdx_copy_text(path, WHAT, &own, err));
  RDX_TRY(open_reader(p, own, NULL, 0, err));
  close_duckdb(p);
  close(p->file); /* many tables may be open, and few files */
  p->file = -1;
  set_types(p);
  *out = RDX_KEEP(p->table);
  (*out)->parquet = RDX_KEEP(p);
  return RDX_OK;
}

/* A reader of these columns of a file that was opened before. */
static rdx_status reopen(reader *r, const rdx_table *table, const uint32_t *columns, uint32_t count, rdx_error *err) {
  const struct rdx_parquet *p = table->parquet;
  *r = (reader){.path = p->path, .file = -1, .file_columns = p->file_columns, .rows = p->rows};
  RDX_TRY(open_file(r, err));
  if (!rdx_file_is_same(&r->info, &p->info))
    return rdx_fail(err, RDX_ERROR_IO, "%s was written to, or replaced, while it was read", r->path);
  RDX_TRY(rdx_table_create(count, &r->table, err));
  RDX_TRY(rdx_alloc(count, sizeof *r->sources, WHAT, (void **)&r->sources, err));
  RDX_TRY(rdx_calloc(count, sizeof *r->texts, WHAT, (void **)&r->texts, err));
  for (uint32_t i = 0; i < count; i++) {
    r->sources[i] = p->sources[columns[i]];
    RDX_TRY(rdx_copy_text(table->columns[columns[i]].name, "a column name", &r->table->columns[i].name, err));
  }
  RDX_TRY(rdx_duckdb_open(r->file, r->path, false, &r->duckdb, err));
  return check_and_start(r, err);
}

/* The strings of a column are sorted, and its numbers become places. */
static rdx_status finish_dictionary(const reader *r, uint32_t i, rdx_error *err) {
  rdx_growing *c = &r->table->columns[i];
  RDX_SCOPED(rdx_free_local) uint32_t *places = NULL;
  uint32_t *numbers = c->values;
  RDX_TRY(rdx_dictionary_of_strings(&r->texts[i], &c->dictionary, &places, err));
  for (uint64_t row = 0; row < r->rows; row++) {
    RDX_TRY(rdx_loop_goes_on(row, r->rows, "read", err));
    if (rdx_column_has(&c->view, row))
      numbers[row] = places[numbers[row]];
  }
  c->view.type = RDX_TYPE_STRING;
  return RDX_OK;
}

static rdx_status read_columns(reader *r, const rdx_table *table, const uint32_t *columns, uint32_t count,
                               rdx_error *err) {
  bool more;
  RDX_TRY(reopen(r, table, columns, count, err));
  RDX_TRY(read_rows(r, UINT64_MAX, &more, err));
  for (uint32_t i = 0; i < count; i++)
    if (has_dictionary(r, i))
      RDX_TRY(finish_dictionary(r, i, err));
  rdx_table_finish(r->table, r->rows);
  return RDX_OK;
}

rdx_status rdx_parquet_read_columns(rdx_table *table, const uint32_t *columns, uint32_t count, rdx_error *err) {
  RDX_SCOPED(close_reader) reader r;
  const rdx_status status = read_columns(&r, table, columns, count, err);
  if (status == RDX_ERROR_FORMAT && r.file >= 0) /* perhaps of what is not there any more */
    RDX_TRY(check_unchanged(&r, err));
  RDX_TRY(status);
  for (uint32_t i = 0; i < count; i++) {
    rdx_growing *c = &table->columns[columns[i]], *read = &r.table->columns[i];
    char *name = c->name; /* users may have it */
    rdx_free(RDX_KEEP(read->name));
    *c = RDX_KEEP(*read);
    c->name = name;
  }
  return RDX_OK;
}

/* ---- To table files ---- */

static rdx_status create_writer(const reader *r, const char *path, rdx_table_writer **out, rdx_error *err) {
  const uint32_t count = r->table->column_count;
  RDX_SCOPED(rdx_free_local) rdx_field *fields = NULL;
  RDX_TRY(rdx_alloc(count, sizeof *fields, WHAT, (void **)&fields, err));
  for (uint32_t i = 0; i < count; i++)
    fields[i] = (rdx_field){r->table->columns[i].name, r->sources[i].type->type, r->sources[i].scale};
  return rdx_table_writer_create(path, fields, count, out, err);
}

static rdx_status copy_rows(reader *r, rdx_table_writer *writer, rdx_error *err) {
  const uint32_t count = r->table->column_count;
  RDX_SCOPED(rdx_free_local) rdx_column *columns = NULL;
  bool more = true;
  RDX_TRY(rdx_alloc(count, sizeof *columns, WHAT, (void **)&columns, err));
  while (more) {
    RDX_TRY(read_rows(r, BATCH, &more, err));
    for (uint32_t i = 0; i < count; i++)
      columns[i] = r->table->columns[i].view;
    RDX_TRY(rdx_table_writer_append(writer, columns, err));
  }
  return RDX_OK;
}

static rdx_status import(reader *r, const char *parquet, const char *path, const char *const *columns, uint32_t count,
                         rdx_error *err) {
  RDX_TRY(open_reader(r, parquet, columns, count, err));
  RDX_TRY(check_and_start(r, err));
  RDX_SCOPED(rdx_table_writer_destroy) rdx_table_writer *writer = NULL;
  RDX_TRY(create_writer(r, path, &writer, err));
  RDX_TRY(copy_rows(r, writer, err));
  return rdx_table_writer_finish(writer, err);
}

rdx_status rdx_table_import_parquet(const char *parquet, const char *path, const char *const *columns, uint32_t count,
                                    rdx_import_stats *stats, rdx_error *err) {
  if (!parquet || !path)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_table_import_parquet: parquet and path must not be NULL");
  const double start = rdx_now_ms();
  reader r;
  const rdx_status status = import(&r, parquet, path, columns, count, err);
  if (stats)
    *stats = (rdx_import_stats){.rows = r.done, .bytes = (uint64_t)r.info.st_size, .total_ms = rdx_now_ms() - start};
  close_reader(&r);
  return status;
}
