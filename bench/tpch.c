/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The 22 queries of TPC-H in SQL, as users ask them. */

#include "bench/bench.h"
#include "tpch/tpch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ANSWER_MS, DEVICE_MS, RUN_METRICS };
static const char *const run_metrics[RUN_METRICS] = {"answer_ms", "query_ms"};

typedef struct session {
  bench *b;
  const bench_point *point;
  rdx_database *database;
  double scale_factor;
  uint64_t rows;               /* of lineitem */
  double others[TPCH_QUERIES]; /* milliseconds of another database; 0: not known */
} session;

/* ---- Tables ---- */

/* Open the table files of a folder, and make them known. */
static rdx_status add_tables(session *s, const char *folder, const generator_table *tables, rdx_error *err) {
  rdx_status status = RDX_OK;
  for (uint32_t i = 0; i < TPCH_TABLES && status == RDX_OK; i++) {
    char path[GENERATOR_PATH];
    rdx_table *table = NULL;
    if (!generator_path(folder, tables[i].name, GENERATOR_TABLE_FILES, path))
      return console_error(err, RDX_ERROR_ARGUMENT, "%s is too long a name", folder);
    status = rdx_table_open(path, &table, err);
    if (status == RDX_OK) {
      s->rows = rdx_table_rows(table);
      status = rdx_database_add(s->database, tables[i].name, table, err);
    }
  }
  s->scale_factor = (double)s->rows / 6e6;
  return status;
}

static rdx_status make_tables(session *s, const tpch *t, rdx_error *err) {
  bench_folder f;
  rdx_status status = bench_folder_make(&f, err);
  if (status != RDX_OK)
    return status;
  status = generator_write(tpch_generator(t), f.name, GENERATOR_TABLE_FILES, 0, err);
  if (status == RDX_OK)
    status = add_tables(s, f.name, tpch_generator(t)->tables, err);
  bench_folder_remove(&f);
  return status;
}

static rdx_status open_tables(session *s, rdx_error *err) {
  const bench_options *o = &s->b->options;
  tpch *t = NULL;
  rdx_status status = rdx_database_open(s->b->device, NULL, NULL, &s->database, err);
  if (status == RDX_OK)
    status = tpch_open(o->data ? 1 : s->b->scale_factor, o->seed, &t, err);
  if (status == RDX_OK)
    status = o->data ? add_tables(s, o->data, tpch_generator(t)->tables, err) : make_tables(s, t, err);
  if (t)
    tpch_close(&t);
  return status;
}

/* ---- Answers of another database, in the form that tests/sql/compare describes ---- */

typedef struct file_path {
  char name[GENERATOR_PATH];
} file_path;

static file_path path_of(const char *folder, const char *file) {
  file_path path;
  snprintf(path.name, sizeof path.name, "%s/%s", folder, file);
  return path;
}

/* All fields as texts, the names among them. */
static rdx_status read_answer(const session *s, uint32_t query, uint32_t columns, rdx_table **out, rdx_error *err) {
  char file[16], names[GENERATOR_MAX_COLUMNS][8];
  rdx_csv_type types[GENERATOR_MAX_COLUMNS];
  if (columns > GENERATOR_MAX_COLUMNS)
    return console_error(err, RDX_ERROR_INTERNAL, "WRONG ANSWER: it has %u columns", columns);
  snprintf(file, sizeof file, "q%02u.csv", query + 1);
  for (uint32_t i = 0; i < columns; i++) {
    snprintf(names[i], sizeof names[i], "%u", i + 1);
    types[i] = (rdx_csv_type){.column = names[i], .type = RDX_TYPE_STRING};
  }
  const rdx_csv_params params = {.delimiter = ',', .header = RDX_SWITCH_OFF, .types = types, .type_count = columns};
  return rdx_table_read_csv(path_of(s->b->options.answers, file).name, &params, out, err);
}

typedef struct value_text {
  char text[256];
} value_text;

/* A value as text; numbers without zeros at the end of a fraction. */
static value_text text_of(const rdx_column *column, uint64_t row) {
  value_text value = {""};
  uint64_t length = 0;
  const bool null = column->validity && !(column->validity[row / 8] >> row % 8 & 1);
  if (!null && column->type == RDX_TYPE_STRING) {
    const char *bytes = rdx_column_string(column, row, &length);
    length = length < sizeof value.text - 1 ? length : sizeof value.text - 1;
    memcpy(value.text, bytes, length);
  } else if (!null) {
    length = rdx_column_format(column, row, value.text);
  }
  value.text[length] = '\0';
  if (strchr(value.text, '.') && strspn(value.text, "-0123456789.") == length) {
    while (length > 0 && value.text[length - 1] == '0')
      value.text[--length] = '\0';
    if (length > 0 && value.text[length - 1] == '.')
      value.text[--length] = '\0';
  }
  return value;
}

/* Doubles, which have an exponent, are met within 1e-9 of their size, all else exactly. */
static bool is_same(const char *expected, const char *found) {
  char *end = NULL, *found_end = NULL;
  const double number = strtod(expected, &end), other = strtod(found, &found_end);
  if (*expected && !*end && strstr(expected, ".") && strchr(expected, 'e'))
    return *found && !*found_end && fabs(number - other) <= 1e-9 * fabs(number);
  return strcmp(expected, found) == 0;
}

static rdx_status compare(const session *s, uint32_t query, const rdx_table *found, rdx_error *err) {
  const uint32_t columns = rdx_table_columns(found);
  const uint64_t rows = rdx_table_rows(found);
  rdx_table *expected = NULL;
  rdx_status status = read_answer(s, query, columns, &expected, err);
  if (status == RDX_OK && rdx_table_rows(expected) != rows + 1)
    status = console_error(err, RDX_ERROR_INTERNAL, "WRONG ANSWER: %llu rows instead of %llu", (unsigned long long)rows,
                           (unsigned long long)rdx_table_rows(expected) - 1);
  for (uint64_t row = 0; row < rows && status == RDX_OK; row++) {
    for (uint32_t c = 0; c < columns && status == RDX_OK; c++) {
      const value_text want = text_of(rdx_table_column(expected, c), row + 1);
      const value_text got = text_of(rdx_table_column(found, c), row);
      if (!is_same(want.text, got.text))
        status = console_error(err, RDX_ERROR_INTERNAL, "WRONG ANSWER: row %llu, column %s: '%s' instead of '%s'",
                               (unsigned long long)row + 1, rdx_table_column_name(found, c), got.text, want.text);
    }
  }
  rdx_table_destroy(&expected);
  return status;
}

/* ---- Reporting ---- */

static bench_row row_of(const session *s, const char *method, uint32_t query, const char *metric) {
  bench_row row = {.rows = s->rows, .probes = s->b->options.answers != NULL, .value = -1 - (double)query, .runs = 1};
  snprintf(row.experiment, sizeof row.experiment, "%s", s->point->experiment);
  snprintf(row.device, sizeof row.device, "%s", s->b->info->name);
  snprintf(row.method, sizeof row.method, "%s", method);
  snprintf(row.keys, sizeof row.keys, "SF%.3g", s->scale_factor);
  snprintf(row.parameter, sizeof row.parameter, "Q%u", query + 1);
  snprintf(row.metric, sizeof row.metric, "%s", metric);
  return row;
}

static rdx_status add_value(const session *s, const char *method, uint32_t query, const char *metric, double value,
                            rdx_error *err) {
  bench_row row = row_of(s, method, query, metric);
  row.median = row.min = row.max = value;
  return bench_report_append(s->b->report, &row, err);
}

/* The times that stand beside answers, where there are any. */
static rdx_status read_others(session *s, rdx_error *err) {
  const char *folder = s->b->options.answers;
  const rdx_csv_type types[] = {{.column = "query", .type = RDX_TYPE_U32}, {.column = "ms", .type = RDX_TYPE_F64}};
  const rdx_csv_params params = {.delimiter = ',', .types = types, .type_count = 2};
  const rdx_column *queries = NULL, *times = NULL;
  rdx_table *table = NULL;
  if (!folder || access(path_of(folder, "times.csv").name, F_OK) != 0)
    return RDX_OK;
  rdx_status status = rdx_table_read_csv(path_of(folder, "times.csv").name, &params, &table, err);
  if (status == RDX_OK)
    status = rdx_table_find(table, "query", &queries, err);
  if (status == RDX_OK)
    status = rdx_table_find(table, "ms", &times, err);
  for (uint64_t i = 0; status == RDX_OK && i < queries->rows; i++) {
    const uint32_t query = ((const uint32_t *)queries->values)[i];
    if (query >= 1 && query <= TPCH_QUERIES)
      s->others[query - 1] = ((const double *)times->values)[i];
  }
  rdx_table_destroy(&table);
  return status;
}

/* ---- Running ---- */

typedef struct timing {
  double run[RUN_METRICS][BENCH_MAX_RUNS], plan_ms;
  double first_ms; /* with all that it builds, from text to answer */
  uint64_t rows;
} timing;

/* Run number `run`, from 0, which does not count. */
static rdx_status run_once(const session *s, rdx_statement *statement, uint32_t query, uint32_t run, timing *t,
                           rdx_error *err) {
  rdx_answer *answer = NULL;
  rdx_answer_stats stats;
  const double start = bench_seconds();
  rdx_status status = rdx_statement_execute(statement, &answer, err);
  const double ms = 1e3 * (bench_seconds() - start);
  if (status == RDX_OK) {
    rdx_answer_get_stats(answer, &stats);
    t->rows = stats.rows;
    if (run == 0)
      t->first_ms = t->plan_ms + ms;
    t->run[ANSWER_MS][run > 0 ? run - 1 : 0] = ms;
    t->run[DEVICE_MS][run > 0 ? run - 1 : 0] = stats.device_ms;
    if (s->b->options.answers)
      status = compare(s, query, rdx_answer_table(answer), err);
  }
  rdx_answer_destroy(&answer);
  if (status == RDX_OK && console_interrupted())
    status = console_error(err, RDX_ERROR_CANCELLED, "interrupted");
  return status;
}

static rdx_status run_all(const session *s, uint32_t query, timing *t, rdx_error *err) {
  rdx_statement *statement = NULL;
  const double start = bench_seconds();
  rdx_status status = rdx_statement_prepare(s->database, tpch_queries[query], NULL, &statement, err);
  t->plan_ms = 1e3 * (bench_seconds() - start);
  for (uint32_t run = 0; run <= s->b->options.runs && status == RDX_OK; run++)
    status = run_once(s, statement, query, run, t, err);
  rdx_statement_destroy(&statement);
  return status;
}

static rdx_status report_other(const session *s, uint32_t query, rdx_error *err) {
  return s->others[query] > 0 ? add_value(s, "duckdb", query, "answer_ms", s->others[query], err) : RDX_OK;
}

/* What cannot be answered is noted and left out. */
static rdx_status measure(const session *s, uint32_t query, rdx_error *err) {
  timing t;
  if (!bench_has_time(s->b))
    return RDX_OK;
  rdx_status status = run_all(s, query, &t, err);
  if (bench_may_skip(status)) {
    console_note("  Q%u left out: %s", query + 1, err->text);
    return report_other(s, query, err);
  }
  const bench_row blamed = row_of(s, "sql", query, "");
  status = bench_blame(status, &blamed, err);
  for (size_t m = 0; m < RUN_METRICS && status == RDX_OK; m++)
    status = bench_report_add(s->b->report, row_of(s, "sql", query, run_metrics[m]), t.run[m], s->b->options.runs, err);
  if (status == RDX_OK)
    status = add_value(s, "sql", query, "plan_ms", t.plan_ms, err);
  if (status == RDX_OK)
    status = add_value(s, "sql", query, "first_ms", t.first_ms, err);
  if (status == RDX_OK)
    status = add_value(s, "sql", query, "result_rows", (double)t.rows, err);
  return status == RDX_OK ? report_other(s, query, err) : status;
}

rdx_status bench_tpch_queries(bench *b, const bench_point *point, rdx_error *err) {
  session s = {.b = b, .point = point};
  if (!bench_is_wanted(b, "sql"))
    return RDX_OK;
  rdx_status status = read_others(&s, err);
  if (status == RDX_OK)
    status = open_tables(&s, err);
  for (uint32_t q = 0; q < TPCH_QUERIES && status == RDX_OK; q++)
    status = measure(&s, q, err);
  rdx_database_close(&s.database);
  return status;
}
