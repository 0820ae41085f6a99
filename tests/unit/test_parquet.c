/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Parquet out and in again, against the table that was written, and against what DuckDB itself writes and reads. */

#include "tables.h"

#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "table/duckdb.h"
#include "table/parquet.h"
#include "table/table.h"
#include "tests/unit/random.h"

static char folder[] = "/tmp/raydex-parquet-XXXXXX";
static char file[64];

static int make_folder(void **state) {
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(file, sizeof file, "%s/t.parquet", folder);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  unlink(file);
  return rmdir(folder); /* fails when something was left behind */
}

/* ---- Tables of every type ---- */

typedef struct column_type {
  rdx_type type;
  uint8_t scale;
  const char *name;
} column_type;

static const column_type types[] = {
    {RDX_TYPE_BOOL, 0, "b"},         {RDX_TYPE_I8, 0, "i8"},           {RDX_TYPE_I16, 0, "i16"},
    {RDX_TYPE_I32, 0, "i32"},        {RDX_TYPE_I64, 0, "i64"},         {RDX_TYPE_U8, 0, "u8"},
    {RDX_TYPE_U16, 0, "u16"},        {RDX_TYPE_U32, 0, "u32"},         {RDX_TYPE_U64, 0, "u64"},
    {RDX_TYPE_F32, 0, "f32"},        {RDX_TYPE_F64, 0, "f64"},         {RDX_TYPE_DATE, 0, "a date"},
    {RDX_TYPE_TIMESTAMP, 0, "time"}, {RDX_TYPE_DECIMAL, 0, "d0"},      {RDX_TYPE_DECIMAL, 18, "d18"},
    {RDX_TYPE_DECIMAL, 2, "wide"},   {RDX_TYPE_STRING, 0, "it's \"s"}, {RDX_TYPE_STRING, 0, "gr\u00fc\u00df"},
};
#define WIDE 15
#define BYTES 17 /* is no UTF-8 */

/* The bits of row `row`: extremes first. */
static uint64_t bits_of(uint32_t column, uint64_t row) {
  static const uint64_t extremes[] = {0, 1, UINT64_MAX, INT64_MAX, (uint64_t)1 << 63, 0x7f7f7f7f7f7f7f7f};
  const rdx_type type = types[column].type;
  uint64_t value = row < RDX_COUNT(extremes) ? extremes[row] : next_random();
  if (type == RDX_TYPE_BOOL)
    return value & 1;
  if (type == RDX_TYPE_DECIMAL && column != WIDE) /* 18 digits */
    return (uint64_t)(row == 3   ? 999999999999999999
                      : row == 4 ? -999999999999999999
                                 : (int64_t)value % 1000000000000000000);
  const double doubles[] = {0, -0.0, NAN, INFINITY, -INFINITY, DBL_MIN / 4, DBL_MAX};
  if (type == RDX_TYPE_F64 && row < RDX_COUNT(doubles))
    memcpy(&value, &doubles[row], sizeof value);
  const float floats[] = {0, -0.0f, NAN, INFINITY, -INFINITY, FLT_MIN / 4, FLT_MAX};
  if (type == RDX_TYPE_F32 && row < RDX_COUNT(floats))
    memcpy(&value, &floats[row], sizeof(float));
  return value;
}

static size_t string_of(uint32_t column, uint64_t row, char text[64]) {
  static const char *const pieces[] = {"",     "a",     "caf\u00e9", "0123456789ab", "0123456789abc",
                                       "NULL", "\"'\n", "\U0001f600"};
  size_t length = (size_t)snprintf(text, 64, "%s", pieces[row < 8 ? row : next_random() % 8]);
  if (row % 5 == 4)
    length += (size_t)snprintf(text + length, 64 - length, "%llu", (unsigned long long)(next_random() % 1000));
  if (row % 7 == 6)
    text[length++] = '\0';
  if (column == BYTES && row % 11 == 0)
    text[length++] = '\xff';
  return length;
}

/* Every third column is without NULLs, every third nearly all of them. */
static bool is_missing(uint32_t column, uint64_t row) {
  return column % 3 == 1 ? row >= 8 && next_random() % 4 == 0 : column % 3 == 2 ? row != 3 && row % 1000 != 7 : false;
}

static rdx_table *make_table(uint64_t rows) {
  rdx_table *t = NULL;
  OK(rdx_table_create(RDX_COUNT(types), &t, err));
  for (uint32_t i = 0; i < RDX_COUNT(types); i++) {
    rdx_growing *c = &t->columns[i];
    OK(rdx_alloc(strlen(types[i].name) + 1, 1, "a name", (void **)&c->name, err));
    strcpy(c->name, types[i].name);
    OK(rdx_growing_start(c, types[i].type, types[i].scale, rows, err));
    for (uint64_t row = 0; row < rows; row++) {
      char text[64];
      const uint64_t bits = bits_of(i, row);
      const size_t size = rdx_type_size(types[i].type);
      if (is_missing(i, row))
        OK(rdx_growing_add_null(c, row, err));
      else if (size == 0)
        OK(rdx_growing_add_string(c, row, text, string_of(i, row, text), err));
      else
        memcpy((char *)c->values + row * size, &bits, size);
    }
  }
  rdx_table_finish(t, rows);
  return t;
}

static void test_round_trip(void **state) {
  (void)state;
  static const uint64_t rows[] = {0, 1, 8, 2047, 2048, 2049, 300000};
  for (size_t i = 0; i < RDX_COUNT(rows); i++) {
    rdx_table *t = make_table(rows[i]), *again = NULL;
    OK(rdx_table_write_parquet(t, file, err));
    OK(rdx_table_read_parquet(file, NULL, 0, &again, err));
    check_same(again, t);
    rdx_table_destroy(&again);
    OK(rdx_table_read(file, NULL, &again, err));
    check_same(again, t);
    rdx_table_destroy(&again);
    rdx_table_destroy(&t);
  }
}

/* ---- DuckDB's own word ---- */

/* The first value of the first column, a text. */
static void ask(const char *sql, char answer[256]) {
  rdx_duckdb d;
  rdx_duckdb_result result;
  OK(rdx_duckdb_open(-1, "a test", false, &d, err));
  OK(rdx_duckdb_run(&d, sql, &(rdx_duckdb_watch){.stage = "test"}, &result, err));
  rdx_duckdb_handle chunk = d.call->fetch_chunk(result);
  answer[0] = '\0';
  if (chunk && d.call->data_chunk_get_size(chunk) > 0) {
    const rdx_duckdb_text *t = d.call->vector_get_data(d.call->data_chunk_get_vector(chunk, 0));
    snprintf(answer, 256, "%.*s", (int)t->inside.length,
             t->inside.length <= sizeof t->inside.text ? t->inside.text : t->outside.text);
  }
  if (chunk)
    d.call->destroy_data_chunk(&chunk);
  rdx_duckdb_drop(&d, &result);
  rdx_duckdb_close(&d);
}

static void run_sql(const char *sql) {
  rdx_duckdb d;
  rdx_duckdb_result result;
  OK(rdx_duckdb_open(-1, "a test", false, &d, err));
  OK(rdx_duckdb_run(&d, sql, &(rdx_duckdb_watch){.stage = "test"}, &result, err));
  rdx_duckdb_drop(&d, &result);
  rdx_duckdb_close(&d);
}

#define FORMULA_ROWS 300000

static rdx_table *make_formula(void) {
  static const column_type columns[] = {
      {RDX_TYPE_I64, 0, "k"},    {RDX_TYPE_DECIMAL, 2, "d"}, {RDX_TYPE_DATE, 0, "day"},  {RDX_TYPE_TIMESTAMP, 0, "t"},
      {RDX_TYPE_STRING, 0, "s"}, {RDX_TYPE_U32, 0, "n"},     {RDX_TYPE_DECIMAL, 3, "w"}, {RDX_TYPE_BOOL, 0, "b"}};
  rdx_table *t = NULL;
  OK(rdx_table_create(RDX_COUNT(columns), &t, err));
  for (uint32_t i = 0; i < RDX_COUNT(columns); i++) {
    rdx_growing *c = &t->columns[i];
    OK(rdx_alloc(8, 1, "a name", (void **)&c->name, err));
    strcpy(c->name, columns[i].name);
    OK(rdx_growing_start(c, columns[i].type, columns[i].scale, FORMULA_ROWS, err));
    for (int64_t row = 0; row < FORMULA_ROWS; row++) {
      const int64_t values[] = {row * 7919 - 5,  row - 150000, row % 50000, row * 1000003, 0, row,
                                INT64_MAX - row, row % 2};
      const size_t size = rdx_type_size(columns[i].type);
      char text[32];
      const int length = snprintf(text, sizeof text, "row number %lld", (long long)row);
      if (i == 5 && row % 3 == 0)
        OK(rdx_growing_add_null(c, (uint64_t)row, err));
      else if (size == 0)
        OK(rdx_growing_add_string(c, (uint64_t)row, text, (uint64_t)length, err));
      else
        memcpy((char *)c->values + (size_t)row * size, &values[i], size);
    }
  }
  rdx_table_finish(t, FORMULA_ROWS);
  return t;
}

static void test_written(void **state) {
  (void)state;
  char sql[1200], answer[256];
  rdx_table *t = make_formula();
  OK(rdx_table_write_parquet(t, file, err));
  rdx_table_destroy(&t);
  snprintf(sql, sizeof sql,
           "SELECT concat_ws(' ', typeof(k), typeof(d), typeof(day), typeof(t), typeof(s), typeof(n), typeof(w), "
           "typeof(b)) FROM '%s' LIMIT 1",
           file);
  ask(sql, answer);
  assert_string_equal(answer, "BIGINT DECIMAL(18,2) DATE TIMESTAMP WITH TIME ZONE VARCHAR UINTEGER DECIMAL(19,3) "
                              "BOOLEAN");
  snprintf(
      sql, sizeof sql,
      "SELECT CAST(count(*) AS VARCHAR) || ' ' || CAST(count(*) FILTER ("
      "k = i * 7919 - 5 AND CAST(d * 100 AS BIGINT) = i - 150000 AND day = DATE '1970-01-01' + CAST(i %% 50000 AS "
      "INTEGER) AND epoch_us(t) = i * 1000003 AND s = 'row number ' || i AND n IS NOT DISTINCT FROM CASE WHEN i %% "
      "3 > 0 THEN i END AND CAST(w AS VARCHAR) = CAST(CAST(9223372036854775807 - CAST(i AS HUGEINT) AS "
      "DECIMAL(38, 0)) * CAST(0.001 AS DECIMAL(4, 3)) AS VARCHAR) AND b = (i %% 2 = 1)) AS VARCHAR) "
      "FROM (SELECT *, file_row_number AS i FROM read_parquet('%s', file_row_number = true))",
      file);
  ask(sql, answer);
  assert_string_equal(answer, "300000 300000");
}

/* What DuckDB writes: an expression, and the type and text it is read as, or what is wrong. */
typedef struct from_duckdb {
  const char *sql;
  rdx_type type; /* RDX_TYPE_NONE: refused */
  const char *text;
} from_duckdb;

static const from_duckdb cases[] = {
    {"TIME '12:34:56.789'", RDX_TYPE_STRING, "12:34:56.789000"},
    {"TIME '00:00:00'", RDX_TYPE_STRING, "00:00:00.000000"},
    {"CAST('12:34:56.789012+00' AS TIMETZ)", RDX_TYPE_STRING, "12:34:56.789012"},
    {"TIMESTAMP '2024-02-29 23:59:59.123456'", RDX_TYPE_TIMESTAMP, "2024-02-29 23:59:59.123456"},
    {"TIMESTAMP_S '1969-12-31 23:59:59'", RDX_TYPE_TIMESTAMP, "1969-12-31 23:59:59"},
    {"TIMESTAMP_MS '1969-12-31 23:59:59.999'", RDX_TYPE_TIMESTAMP, "1969-12-31 23:59:59.999000"},
    {"TIMESTAMP_NS '1969-12-31 23:59:59.999999'", RDX_TYPE_TIMESTAMP, "1969-12-31 23:59:59.999999"},
    {"TIMESTAMP_NS '1969-12-31 23:59:59.999999999'", RDX_TYPE_NONE, "column 'c', row 2: the timestamp has a part of"},
    {"CAST(-12.3 AS DECIMAL(4, 1))", RDX_TYPE_DECIMAL, "-12.3"},
    {"CAST(1234567.89 AS DECIMAL(9, 2))", RDX_TYPE_DECIMAL, "1234567.89"},
    {"CAST('-123456789012345.678' AS DECIMAL(18, 3))", RDX_TYPE_DECIMAL, "-123456789012345.678"},
    {"CAST('-92233720368547.75808' AS DECIMAL(38, 5))", RDX_TYPE_DECIMAL, "-92233720368547.75808"},
    {"CAST('92233720368547.75808' AS DECIMAL(38, 5))", RDX_TYPE_NONE, "row 2: the decimal does not fit 64 bits"},
    {"CAST('-92233720368547.75809' AS DECIMAL(38, 5))", RDX_TYPE_NONE, "row 2: the decimal does not fit 64 bits"},
    {"CAST(1 AS DECIMAL(38, 19))", RDX_TYPE_NONE, "column 'c' is a DECIMAL with 19 digits after the point"},
    {"CAST('b' AS ENUM('a', 'b'))", RDX_TYPE_STRING, "b"},
    {"CAST('a\\x00\\xFF' AS BLOB)", RDX_TYPE_STRING, "a"},
    {"'a text of more than twelve bytes'", RDX_TYPE_STRING, "a text of more than twelve bytes"},
    {"CAST('{\"a\":1}' AS VARCHAR)", RDX_TYPE_STRING, "{\"a\":1}"},
    {"CAST(-128 AS TINYINT)", RDX_TYPE_I8, "-128"},
    {"CAST(18446744073709551615 AS UBIGINT)", RDX_TYPE_U64, "18446744073709551615"},
    {"CAST('-0.1' AS FLOAT)", RDX_TYPE_F32, "-0.1"},
    {"CAST('1e300' AS DOUBLE)", RDX_TYPE_F64, "1e+300"},
    {"true", RDX_TYPE_BOOL, "true"},
    {"DATE '0001-01-01'", RDX_TYPE_DATE, "0001-01-01"},
    {"DATE '9999-12-31'", RDX_TYPE_DATE, "9999-12-31"},
    {"uuid()", RDX_TYPE_NONE, "column 'c' is a UUID, which is not supported: in DuckDB, COPY (SELECT * REPLACE"},
    {"[1, 2]", RDX_TYPE_NONE, "column 'c' is a LIST"},
    {"{'a': 1}", RDX_TYPE_NONE, "column 'c' is a STRUCT"},
    {"MAP {'a': 1}", RDX_TYPE_NONE, "column 'c' is a MAP"},
    {"INTERVAL 1 DAY", RDX_TYPE_NONE, "column 'c' is an INTERVAL"},
};

/* The value stands in row 2, after two NULLs. */
static void test_types(void **state) {
  (void)state;
  static const char *const other[] = {"i"};
  for (size_t i = 0; i < RDX_COUNT(cases); i++) {
    char sql[512], text[RDX_VALUE_TEXT + 1] = "";
    rdx_table *t = NULL;
    snprintf(sql, sizeof sql,
             "COPY (SELECT i, CASE WHEN i >= 2 THEN %s END AS c FROM range(3) AS r(i)) TO '%s' (FORMAT parquet)",
             cases[i].sql, file);
    run_sql(sql);
    OK(rdx_table_read_parquet(file, other, 1, &t, err)); /* a column that is not asked for disturbs nothing */
    assert_int_equal(rdx_table_rows(t), 3);
    rdx_table_destroy(&t);
    if (cases[i].type == RDX_TYPE_NONE) {
      rdx_error wrong = {""};
      const rdx_status status = rdx_table_read_parquet(file, NULL, 0, &t, &wrong);
      if ((status != RDX_ERROR_UNSUPPORTED && status != RDX_ERROR_RANGE) || !strstr(wrong.text, cases[i].text))
        fail_msg("%s: %s", cases[i].sql, wrong.text);
      continue;
    }
    OK(rdx_table_read_parquet(file, NULL, 0, &t, err));
    const rdx_column *c = rdx_table_column(t, 1);
    assert_int_equal(c->type, cases[i].type);
    assert_true(is_null(c, 0) && is_null(c, 1) && !is_null(c, 2));
    uint64_t length;
    if (c->type == RDX_TYPE_STRING) {
      const char *bytes = rdx_column_string(c, 2, &length);
      memcpy(text, bytes, length);
    } else {
      text[rdx_column_format(c, 2, text)] = '\0';
    }
    assert_string_equal(text, cases[i].text);
    rdx_table_destroy(&t);
  }
}

/* A file of a column i and the value as c, in which one of these bytes becomes another. */
typedef struct changed {
  const char *sql;
  const char *bytes;
  size_t count, place, times; /* of the bytes; of the one among them; how often they are there */
  char to;
  const char *wrong;
} changed;

static void make_changed(const changed *c) {
  static char bytes[65536];
  char sql[256];
  size_t found = 0;
  snprintf(sql, sizeof sql, "COPY (SELECT 1 AS i, %s AS c) TO '%s' (FORMAT parquet)", c->sql, file);
  run_sql(sql);
  int f = open(file, O_RDWR);
  const ssize_t size = read(f, bytes, sizeof bytes);
  for (size_t i = 0; i + c->count <= (size_t)size; i++) {
    if (memcmp(bytes + i, c->bytes, c->count) != 0)
      continue;
    assert_int_equal(pwrite(f, &c->to, 1, (off_t)(i + c->place)), 1);
    found++;
  }
  close(f);
  assert_int_equal(found, c->times);
}

/* What DuckDB would cut, and does not write itself: instants in nanoseconds, INT96, decimals of more than 38 digits. */
static void test_cut(void **state) {
  (void)state;
  static const changed cases_of_cut[] = {
      {"TIMESTAMP_NS '1970-01-01 00:00:00.000001'", "\x12\x1c\x3c\0\0", 5, 0, 1, 0x11, "has nanoseconds"},
      {"CAST(1 AS DOUBLE)",
       "\x15\x0a\x25\x02\x18\x01"
       "c",
       7, 1, 1, 0x06, "has nanoseconds"},
      {"CAST(1 AS DECIMAL(38, 0))", "\x15\x4c", 2, 1, 2, 0x4e, "has decimals of more than 38 digits"}};
  static const char *const other[] = {"i"};
  rdx_table *t = NULL;
  for (size_t i = 0; i < RDX_COUNT(cases_of_cut); i++) {
    make_changed(&cases_of_cut[i]);
    FAILS(rdx_table_read_parquet(file, NULL, 0, &t, err), RDX_ERROR_UNSUPPORTED, cases_of_cut[i].wrong);
    OK(rdx_table_read_parquet(file, other, 1, &t, err));
    rdx_table_destroy(&t);
  }
}

/* ---- Columns ---- */

static void test_columns(void **state) {
  (void)state;
  static const char *const names[] = {"gr\u00fc\u00df", "i32", "it's \"s"}, *const wrong[] = {"i32", "I32"};
  rdx_table *t = make_table(5000), *again = NULL;
  OK(rdx_table_write_parquet(t, file, err));
  OK(rdx_table_read_parquet(file, names, 3, &again, err));
  assert_int_equal(rdx_table_columns(again), 3);
  for (uint32_t i = 0; i < 3; i++) {
    const rdx_column *a = rdx_table_column(again, i), *b = NULL;
    OK(rdx_table_find(t, names[i], &b, err));
    assert_string_equal(rdx_table_column_name(again, i), names[i]);
    assert_int_equal(a->type, b->type);
    for (uint64_t row = 0; row < 5000; row++)
      assert_int_equal(is_null(a, row), is_null(b, row));
  }
  rdx_table_destroy(&again);
  FAILS(rdx_table_read_parquet(file, wrong, 2, &again, err), RDX_ERROR_NOT_FOUND,
        "there is no column 'I32'; there are 'b'");
  const rdx_csv_type given = {"i32", RDX_TYPE_I64, 0};
  FAILS(rdx_table_read(file, &(rdx_csv_params){.types = &given, .type_count = 1}, &again, err), RDX_ERROR_ARGUMENT,
        "column 'i32' has type i32, and Parquet's types are fixed");
  rdx_table_destroy(&t);
}

/* Names that mean something to DuckDB or to the shell. */
static void test_paths(void **state) {
  (void)state;
  static const char *const names[] = {"it's.parquet", "[ab]*?.parquet", "a=5.parquet", "\xff.parquet", "none"};
  rdx_table *t = make_table(10), *again = NULL;
  for (size_t i = 0; i < RDX_COUNT(names); i++) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    OK(rdx_table_write_parquet(t, path, err));
    assert_true(rdx_table_is_parquet(path));
    OK(rdx_table_read(path, NULL, &again, err));
    check_same(again, t);
    rdx_table_destroy(&again);
    unlink(path);
  }
  rdx_table_destroy(&t);
}

static void test_import(void **state) {
  (void)state;
  static const char *const names[] = {"a date", "wide"};
  char path[64];
  rdx_import_stats stats;
  rdx_table *t = make_table(300000), *again = NULL;
  snprintf(path, sizeof path, "%s/t.rdx", folder);
  OK(rdx_table_write_parquet(t, file, err));
  OK(rdx_table_import_parquet(file, path, NULL, 0, &stats, err));
  assert_int_equal(stats.rows, 300000);
  OK(rdx_table_open(path, &again, err));
  check_same(again, t);
  rdx_table_destroy(&again);
  OK(rdx_table_import_parquet(file, path, names, 2, NULL, err));
  OK(rdx_table_open(path, &again, err));
  assert_int_equal(rdx_table_columns(again), 2);
  assert_int_equal(rdx_table_column(again, 1)->type, RDX_TYPE_DECIMAL);
  /* And from the file, whose strings have dictionaries. */
  rdx_table_destroy(&again);
  OK(rdx_table_import_parquet(file, path, NULL, 0, NULL, err));
  OK(rdx_table_open(path, &again, err));
  rdx_table_destroy(&t);
  OK(rdx_table_write_parquet(again, file, err));
  OK(rdx_table_read_parquet(file, NULL, 0, &t, err));
  check_same(t, again);
  rdx_table_destroy(&again);
  rdx_table_destroy(&t);
  unlink(path);
}

/* ---- Columns that are read when they are asked for ---- */

static void test_deferred(void **state) {
  (void)state;
  static const uint64_t rows[] = {0, 1, 2049, 300000};
  for (size_t i = 0; i < RDX_COUNT(rows); i++) {
    rdx_table *t = make_table(rows[i]), *again = NULL;
    OK(rdx_table_write_parquet(t, file, err));
    OK(rdx_parquet_open(file, &again, err));
    assert_int_equal(rdx_table_rows(again), rows[i]);
    for (uint32_t k = 0; k < RDX_COUNT(types); k++) {
      assert_int_equal(rdx_table_column(again, k)->type, types[k].type);
      assert_int_equal(rdx_table_column(again, k)->scale, types[k].scale);
      assert_string_equal(rdx_table_column_name(again, k), types[k].name);
    }
    static const uint32_t last[] = {17, 3, 16}, others[] = {0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    OK(rdx_parquet_read_columns(again, last, RDX_COUNT(last), err));
    OK(rdx_parquet_read_columns(again, others, RDX_COUNT(others), err));
    assert_non_null(rdx_table_column(again, 16)->dictionary);
    check_same(again, t);
    rdx_table_destroy(&again);
    rdx_table_destroy(&t);
  }
}

/* 300,000 different strings, of which the first 65,000 rows have few, and some are NULL. */
static void test_many_strings(void **state) {
  (void)state;
  static const uint32_t strings = 0;
  const uint64_t rows = 300000;
  rdx_table *t = NULL, *again = NULL;
  OK(rdx_table_create(1, &t, err));
  rdx_growing *c = &t->columns[0];
  OK(rdx_growing_describe(c, "s", NULL, err));
  OK(rdx_growing_start(c, RDX_TYPE_STRING, 0, rows, err));
  for (uint64_t row = 0; row < rows; row++) {
    char text[32];
    const int length = snprintf(text, sizeof text, "string %llu", (unsigned long long)(row < 65000 ? row % 7 : row));
    OK(row % 5 == 0 ? rdx_growing_add_null(c, row, err) : rdx_growing_add_string(c, row, text, (uint64_t)length, err));
  }
  rdx_table_finish(t, rows);
  OK(rdx_table_write_parquet(t, file, err));
  OK(rdx_parquet_open(file, &again, err));
  OK(rdx_parquet_read_columns(again, &strings, 1, err));
  assert_null(rdx_table_column(again, 0)->dictionary);
  check_same(again, t);
  rdx_table_destroy(&again);
  rdx_table_destroy(&t);
}

static void test_unreadable_columns(void **state) {
  (void)state;
  static const uint32_t first = 0, list = 1, wide = 2;
  char sql[300];
  rdx_table *t = NULL;
  snprintf(sql, sizeof sql,
           "COPY (SELECT 7 AS i, [1, 2] AS l, CAST(1 AS DECIMAL(38, 20)) AS w) TO '%s' (FORMAT parquet)", file);
  run_sql(sql);
  OK(rdx_parquet_open(file, &t, err));
  OK(rdx_parquet_read_columns(t, &first, 1, err));
  assert_int_equal(*(const int32_t *)rdx_table_column(t, 0)->values, 7);
  FAILS(rdx_parquet_read_columns(t, &list, 1, err), RDX_ERROR_UNSUPPORTED, "column 'l' is a LIST");
  FAILS(rdx_parquet_read_columns(t, &wide, 1, err), RDX_ERROR_UNSUPPORTED, "column 'w' is a DECIMAL with 20 digits");
  rdx_table_destroy(&t);
}

static void test_written_since(void **state) {
  (void)state;
  static const uint32_t columns[] = {3, 16};
  rdx_table *t = make_table(3000), *again = NULL;
  OK(rdx_table_write_parquet(t, file, err));
  OK(rdx_parquet_open(file, &again, err));
  OK(rdx_parquet_read_columns(again, columns, 1, err));
  assert_int_equal(truncate(file, 1000), 0);
  FAILS(rdx_parquet_read_columns(again, columns + 1, 1, err), RDX_ERROR_IO,
        "was written to, or replaced, while it was read");
  assert_int_equal(((const int32_t *)rdx_table_column(again, 3)->values)[0], 0); /* what was read stays */
  rdx_table_destroy(&again);
  rdx_table_destroy(&t);
}

/* ---- Failures ---- */

static rdx_table *parse(const char *csv) {
  rdx_table *table = NULL;
  OK(rdx_table_parse_csv("test", csv, strlen(csv), NULL, &table, err));
  return table;
}

static void check_kept(const rdx_table *t) {
  char growing[80];
  struct stat info;
  rdx_table *again = NULL;
  OK(rdx_table_read_parquet(file, NULL, 0, &again, err));
  check_same(again, t);
  rdx_table_destroy(&again);
  snprintf(growing, sizeof growing, "%s.raydex-new", file);
  assert_int_equal(stat(growing, &info), -1);
}

static void test_refused(void **state) {
  (void)state;
  rdx_table *t = make_table(100), *wrong = parse("a,b,A\n1,2,3\n"), *again = NULL;
  OK(rdx_table_write_parquet(t, file, err));
  FAILS(rdx_table_write_parquet(wrong, file, err), RDX_ERROR_UNSUPPORTED, "columns 1 and 3 are both named 'A'");
  check_kept(t);
  FAILS(rdx_table_read_parquet("/nowhere/x.parquet", NULL, 0, &again, err), RDX_ERROR_NOT_FOUND, "No such file");
  FAILS(rdx_table_read_parquet("/nowhere/*.parquet", NULL, 0, &again, err), RDX_ERROR_NOT_FOUND, "one by one");
  FAILS(rdx_table_read_parquet(folder, NULL, 0, &again, err), RDX_ERROR_FORMAT, "is a folder");
  FAILS(rdx_table_write_parquet(t, "/nowhere/x.parquet", err), RDX_ERROR_IO, "/nowhere/x.parquet");
  FAILS(rdx_table_read_parquet(NULL, NULL, 0, &again, err), RDX_ERROR_ARGUMENT, "NULL");
  FAILS(rdx_table_write_parquet(t, NULL, err), RDX_ERROR_ARGUMENT, "NULL");
  rdx_table_destroy(&wrong);
  rdx_table_destroy(&t);
}

/* The file cut, and with bytes of its data changed: errors that name it. */
static void test_damage(void **state) {
  (void)state;
  static char bytes[65536];
  rdx_table *t = parse("a,s\n1,x\n2,y\n3,zz\n"), *again = NULL;
  OK(rdx_table_write_parquet(t, file, err));
  int f = open(file, O_RDONLY);
  const ssize_t size = read(f, bytes, sizeof bytes);
  close(f);
  assert_true(size > 12);
  for (ssize_t cut = 0; cut < size; cut += 1 + size / 40) {
    assert_int_equal(truncate(file, cut), 0);
    FAILS(rdx_table_read_parquet(file, NULL, 0, &again, err), RDX_ERROR_FORMAT, file);
    f = open(file, O_WRONLY | O_TRUNC);
    assert_int_equal(write(f, bytes, (size_t)size), size);
    close(f);
  }
  check_kept(t);
  f = open(file, O_WRONLY);
  assert_int_equal(pwrite(f, "\xff\xff\xff\xff\xff\xff\xff\xff", 8, 4), 8);
  close(f);
  FAILS(rdx_table_read_parquet(file, NULL, 0, &again, err), RDX_ERROR_FORMAT, file);
  rdx_table_destroy(&t);
}

/* A full disk, here a limit. */
static void test_full(void **state) {
  (void)state;
  rdx_table *t = make_table(100), *large = make_table(100000);
  struct rlimit before;
  OK(rdx_table_write_parquet(t, file, err));
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){.rlim_cur = 200000, .rlim_max = before.rlim_max}), 0);
  FAILS(rdx_table_write_parquet(large, file, err), RDX_ERROR_IO, file);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  check_kept(t);
  rdx_table_destroy(&t);
  rdx_table_destroy(&large);
}

typedef struct stop {
  const char *stage;
  uint64_t calls, after;
} stop;

static bool stop_at(void *user, const char *stage, uint64_t done, uint64_t total) {
  stop *s = user;
  assert_true(total == 0 || done <= total);
  return strcmp(stage, s->stage) == 0 && ++s->calls > s->after;
}

static void test_cancel(void **state) {
  (void)state;
  rdx_table *t = make_table(100), *large = make_table(300000), *again = NULL;
  for (uint64_t after = 0; after < 100; after += 20) {
    OK(rdx_table_write_parquet(t, file, err));
    stop s = {.stage = "export", .after = after / 60};
    rdx_set_progress(stop_at, &s);
    FAILS(rdx_table_write_parquet(large, file, err), RDX_ERROR_CANCELLED, "");
    rdx_set_progress(NULL, NULL);
    check_kept(t);
    OK(rdx_table_write_parquet(large, file, err));
    s = (stop){.stage = "read", .after = after};
    rdx_set_progress(stop_at, &s);
    FAILS(rdx_table_read_parquet(file, NULL, 0, &again, err), RDX_ERROR_CANCELLED, "");
    rdx_set_progress(NULL, NULL);
  }
  check_kept(large);
  rdx_table_destroy(&t);
  rdx_table_destroy(&large);
}

static void *read_many(void *user) {
  for (int i = 0; i < 3; i++) {
    rdx_table *again = NULL;
    if (rdx_table_read_parquet(file, NULL, 0, &again, NULL) != RDX_OK)
      return NULL;
    rdx_table_destroy(&again);
  }
  return user;
}

static void test_threads(void **state) {
  (void)state;
  pthread_t threads[4];
  rdx_table *t = make_table(5000);
  OK(rdx_table_write_parquet(t, file, err));
  for (size_t i = 0; i < RDX_COUNT(threads); i++)
    assert_int_equal(pthread_create(&threads[i], NULL, read_many, t), 0);
  for (size_t i = 0; i < RDX_COUNT(threads); i++) {
    void *done = NULL;
    pthread_join(threads[i], &done);
    assert_non_null(done);
  }
  rdx_table_destroy(&t);
}

int main(void) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip),    cmocka_unit_test(test_written),
      cmocka_unit_test(test_types),         cmocka_unit_test(test_cut),
      cmocka_unit_test(test_columns),       cmocka_unit_test(test_paths),
      cmocka_unit_test(test_import),        cmocka_unit_test(test_deferred),
      cmocka_unit_test(test_many_strings),  cmocka_unit_test(test_unreadable_columns),
      cmocka_unit_test(test_written_since), cmocka_unit_test(test_refused),
      cmocka_unit_test(test_damage),        cmocka_unit_test(test_full),
      cmocka_unit_test(test_cancel),        cmocka_unit_test(test_threads),
  };
  rdx_duckdb duckdb;
  rdx_error err = {""};
  const rdx_status status = rdx_duckdb_open(-1, "a test", false, &duckdb, &err);
  rdx_duckdb_close(&duckdb);
  if (status == RDX_ERROR_UNSUPPORTED) {
    printf("skipped: %s\n", err.text);
    return 77;
  }
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
