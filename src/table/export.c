/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Tables to CSV. Threads turn rows into text, a run each; the runs are written in order. */

#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "column/column.h"
#include "base/replace.h"
#include "table/csv.h"

#define RUN 4096 /* rows */

/* The text of a run of rows. */
typedef struct run {
  char *text;
  uint64_t size, capacity;
  rdx_status status;
  rdx_error err;
} run;

typedef struct export {
  const rdx_table *table;
  char delimiter;
  int file;
  const char *name; /* of the file, for errors */
  uint64_t first;   /* row of the first run of a round */
  run *runs;
  uint32_t capacity;
}
export;

/* Room for `size` bytes more. */
static rdx_status reserve(run *r, uint64_t size, rdx_error *err) {
  if (r->size + size <= r->capacity)
    return RDX_OK;
  const uint64_t capacity = 2 * (r->size + size) + 4096;
  RDX_TRY(rdx_realloc((void **)&r->text, capacity, 1, "the text of a table", err));
  r->capacity = capacity;
  return RDX_OK;
}

/* Whether a field that begins so, were it the first, would be taken for the mark or the first line of something else,
 * or for NULL. */
static bool misleads(const char *text, size_t length) {
  static const char *const beginnings[] = {"\xef\xbb\xbf", "sep=", "BZh", "PK\x03"};
  if (length == 0 || !strchr("\xefsSbBpP", text[0])) /* nearly always */
    return length == 0;
  for (size_t i = 0; i < RDX_COUNT(beginnings); i++)
    if (length >= strlen(beginnings[i]) && strncasecmp(text, beginnings[i], strlen(beginnings[i])) == 0)
      return true;
  return false;
}

/* Bytes that stand in quotes only; 2: where nothing else tells that they are no delimiter. */
static const uint8_t special[256] = {['"'] = 1, ['\n'] = 1, ['\r'] = 1, [';'] = 2, ['|'] = 2, ['\t'] = 2};

static inline bool needs_quotes(const char *text, uint64_t length, char delimiter, uint8_t mask) {
  bool needs = misleads(text, length);
  for (uint64_t i = 0; i < length && !needs; i++)
    needs = text[i] == delimiter || special[(uint8_t)text[i]] & mask;
  return needs;
}

bool rdx_csv_needs_quotes(const char *text, uint64_t length, char delimiter, bool alone) {
  return needs_quotes(text, length, delimiter ? delimiter : ',', alone ? 3 : 1);
}

/* A field that reads back as this string, which takes at most 2 * length + 2 bytes. */
static rdx_status put_text(const export *x, run *r, const char *text, uint64_t length, rdx_error *err) {
  RDX_TRY(reserve(r, 2 * length + 3, err));
  char *to = r->text + r->size;
  if (needs_quotes(text, length, x->delimiter, x->table->column_count == 1 ? 3 : 1)) {
    *to++ = '"';
    for (uint64_t i = 0; i < length; i++) {
      if (text[i] == '"')
        *to++ = '"';
      *to++ = text[i];
    }
    *to++ = '"';
  } else {
    memcpy(to, text, length);
    to += length;
  }
  r->size = (uint64_t)(to - r->text);
  return RDX_OK;
}

static rdx_status put_row(const export *x, run *r, uint64_t row) {
  for (uint32_t i = 0; i < x->table->column_count; i++) {
    const rdx_column *c = &x->table->columns[i].view;
    if (rdx_column_has(c, row)) {
      char value[RDX_VALUE_TEXT];
      const char *text = value;
      uint64_t length;
      if (c->type == RDX_TYPE_STRING)
        text = rdx_column_text(c, row, &length);
      else
        length = rdx_column_format(c, row, value);
      RDX_TRY(put_text(x, r, text, length, &r->err));
    }
    RDX_TRY(reserve(r, 1, &r->err));
    r->text[r->size++] = i + 1 < x->table->column_count ? x->delimiter : '\n';
  }
  return RDX_OK;
}

static void put_runs(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const export *x = context;
  for (uint64_t i = begin; i < end; i++) {
    run *r = &x->runs[i];
    const uint64_t first = x->first + i * RUN;
    r->size = 0;
    r->status = RDX_OK;
    for (uint64_t row = first; row < first + RUN && row < x->table->rows && r->status == RDX_OK; row++)
      r->status = put_row(x, r, row);
  }
}

static rdx_status write_run(const export *x, const run *r, rdx_error *err) {
  return rdx_write(x->file, r->text, r->size, x->name, err);
}

static rdx_status write_header(export *x, rdx_error *err) {
  run *r = &x->runs[0];
  for (uint32_t i = 0; i < x->table->column_count; i++) {
    const char *name = x->table->columns[i].name;
    RDX_TRY(put_text(x, r, name, strlen(name), err));
    r->text[r->size++] = i + 1 < x->table->column_count ? x->delimiter : '\n';
  }
  return write_run(x, r, err);
}

static rdx_status write_rows(export *x, rdx_pool *pool, rdx_error *err) {
  const uint64_t runs = (x->table->rows + RUN - 1) / RUN;
  for (uint64_t done = 0; done < runs; done += x->capacity) {
    const uint64_t n = runs - done < x->capacity ? runs - done : x->capacity;
    x->first = done * RUN;
    RDX_TRY(rdx_progress("export", x->first, x->table->rows, err));
    RDX_TRY(rdx_pool_run_stage(pool, n, 1, put_runs, x, "export", err));
    for (uint64_t i = 0; i < n; i++) {
      if (x->runs[i].status != RDX_OK) {
        if (err)
          *err = x->runs[i].err;
        return x->runs[i].status;
      }
      RDX_TRY(write_run(x, &x->runs[i], err));
    }
  }
  return RDX_OK;
}

static rdx_status write_all(export *x, bool header, rdx_error *err) {
  rdx_pool *pool = NULL;
  RDX_TRY(rdx_pool_create(x->table->rows <= RUN ? 1 : 0, &pool, err));
  x->capacity = 2 * rdx_pool_threads(pool);
  rdx_status status = rdx_calloc(x->capacity, sizeof *x->runs, "the text of a table", (void **)&x->runs, err);
  if (status == RDX_OK && header)
    status = write_header(x, err);
  if (status == RDX_OK)
    status = write_rows(x, pool, err);
  for (uint32_t i = 0; x->runs && i < x->capacity; i++)
    rdx_free(x->runs[i].text);
  rdx_free(x->runs);
  rdx_pool_destroy(&pool);
  return status;
}

rdx_status rdx_table_write_csv(const rdx_table *table, const char *path, char delimiter, bool header, rdx_error *err) {
  if (!table)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_table_write_csv: table must not be NULL");
  RDX_TRY(rdx_csv_check_delimiter(delimiter, err));
  export x = {.table = table, .delimiter = delimiter ? delimiter : ','};
  if (!path) {
    x.file = STDOUT_FILENO;
    x.name = "the standard output";
    return write_all(&x, header, err);
  }
  RDX_SCOPED(rdx_replacement_drop) rdx_replacement file = {.file = -1};
  RDX_TRY(rdx_replacement_open(path, &file, err));
  x.file = file.file;
  x.name = file.path;
  RDX_TRY(write_all(&x, header, err));
  return rdx_replacement_commit(&file, err);
}
