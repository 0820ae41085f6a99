/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* CSV to tables: RFC 4180 and its corners, types, NULLs, errors with their places. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <raydex/raydex.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static rdx_table *parse(const char *text, const rdx_csv_params *params) {
  rdx_table *table = NULL;
  rdx_error err = {""};
  if (rdx_table_parse_csv("test.csv", text, strlen(text), params, &table, &err) != RDX_OK)
    fail_msg("%s", err.text);
  return table;
}

/* Assert a failure whose text has all of these words. */
static void check_error(const char *text, size_t size, const rdx_csv_params *params, rdx_status status,
                        const char *const *words, size_t count) {
  rdx_table *table = NULL;
  rdx_error err = {""};
  assert_int_equal(rdx_table_parse_csv("test.csv", text, size, params, &table, &err), status);
  assert_null(table);
  for (size_t i = 0; i < count; i++)
    if (!strstr(err.text, words[i]))
      fail_msg("'%s' does not say '%s'", err.text, words[i]);
}

#define ERROR(text, status, ...)                                                                                       \
  check_error(text, strlen(text), NULL, status, (const char *const[]){__VA_ARGS__},                                    \
              COUNT(((const char *const[]){__VA_ARGS__})))

static const rdx_column *column(const rdx_table *table, const char *name) {
  const rdx_column *c = NULL;
  rdx_error err = {""};
  if (rdx_table_find(table, name, &c, &err) != RDX_OK)
    fail_msg("%s", err.text);
  return c;
}

static bool is_null(const rdx_column *c, uint64_t row) {
  return c->validity && !(c->validity[row / 8] >> (row % 8) & 1);
}

static void check_string(const rdx_column *c, uint64_t row, const char *text) {
  assert_int_equal(c->type, RDX_TYPE_STRING);
  assert_false(is_null(c, row));
  assert_int_equal(c->offsets[row + 1] - c->offsets[row], strlen(text));
  assert_memory_equal((const char *)c->values + c->offsets[row], text, strlen(text));
}

static void test_plain(void **state) {
  (void)state;
  static const char *const texts[] = {"a,b\n1,x\n2,y\n",
                                      "a,b\n1,x\n2,y",
                                      "a,b\r\n1,x\r\n2,y\r\n",
                                      "\357\273\277a,b\n1,x\n2,y\n",
                                      "a,b\n1,x\n2,y\n\n\n",
                                      "\"a\",\"b\"\n1,\"x\"\n2,y\n",
                                      "a,b\r\n\"1\",\"x\"\r\n\"2\",\"y\"\r\n"};
  for (size_t i = 0; i < COUNT(texts); i++) {
    rdx_table *t = parse(texts[i], NULL);
    assert_int_equal(rdx_table_rows(t), 2);
    assert_int_equal(rdx_table_columns(t), 2);
    assert_string_equal(rdx_table_column_name(t, 1), "b");
    assert_null(rdx_table_column_name(t, 2));
    assert_null(rdx_table_column(t, 2));
    const rdx_column *a = column(t, "a");
    assert_int_equal(a->type, RDX_TYPE_I32);
    assert_int_equal(((const int32_t *)a->values)[1], 2);
    check_string(column(t, "b"), 1, "y");
    rdx_table_destroy(&t);
    assert_null(t);
  }
}

static void test_quotes(void **state) {
  (void)state;
  rdx_table *t = parse("a,b\n\"x,y\",\"line 1\nline 2\"\n\"say \"\"hi\"\"\",\"\"\n\"\"\"\",\"a\r\nb\"\n", NULL);
  check_string(column(t, "a"), 0, "x,y");
  check_string(column(t, "b"), 0, "line 1\nline 2");
  check_string(column(t, "a"), 1, "say \"hi\"");
  check_string(column(t, "b"), 1, "");
  check_string(column(t, "a"), 2, "\"");
  check_string(column(t, "b"), 2, "a\r\nb");
  rdx_table_destroy(&t);
}

static void test_nulls(void **state) {
  (void)state;
  rdx_table *t = parse("i,s,e\n1,,\n,x,\n3,\"\",\n", NULL);
  const rdx_column *i = column(t, "i"), *s = column(t, "s"), *e = column(t, "e");
  assert_true(!is_null(i, 0) && is_null(i, 1) && !is_null(i, 2));
  assert_true(is_null(s, 0));
  check_string(s, 1, "x");
  check_string(s, 2, "");
  assert_int_equal(e->type, RDX_TYPE_STRING);
  assert_true(is_null(e, 0) && is_null(e, 1) && is_null(e, 2));
  rdx_table_destroy(&t);
}

static void test_inference(void **state) {
  (void)state;
  static const struct {
    const char *values;
    rdx_type type;
    uint8_t scale;
  } cases[] = {
      {"true\nfalse\n", RDX_TYPE_BOOL, 0},
      {"1\n-5\n2147483647\n", RDX_TYPE_I32, 0},
      {"007\n00501\n", RDX_TYPE_STRING, 0},
      {"0\n10\n", RDX_TYPE_I32, 0},
      {"+5\n6\n", RDX_TYPE_STRING, 0},
      {"1\n2147483648\n", RDX_TYPE_I64, 0},
      {"-9223372036854775808\n9223372036854775807\n", RDX_TYPE_I64, 0},
      {"0\n18446744073709551615\n", RDX_TYPE_U64, 0},
      {"-1\n18446744073709551615\n", RDX_TYPE_STRING, 0},
      {"12345678901234567890123\n5\n", RDX_TYPE_STRING, 0},
      {"1.5\n-2.25\n3\n", RDX_TYPE_DECIMAL, 2},
      {"1.5\n1e10\n", RDX_TYPE_F64, 0},
      {"inf\n1\n", RDX_TYPE_F64, 0},
      {"NaN\n-INFINITY\n", RDX_TYPE_F64, 0},
      {"12E3\n120E2\n", RDX_TYPE_STRING, 0},
      {"12E3\n4711\n", RDX_TYPE_STRING, 0},
      {"1e+05\n4711\n", RDX_TYPE_F64, 0},
      {"1.1\n1.10\n", RDX_TYPE_STRING, 0},
      {"0.1234567890123456789\n", RDX_TYPE_STRING, 0},
      {"2024-02-29\n1900-01-01\n", RDX_TYPE_DATE, 0},
      {"2023-02-29\n", RDX_TYPE_STRING, 0},
      {"2024-02-29 12:30\n2024-02-29T12:30:01.500000000\n", RDX_TYPE_TIMESTAMP, 0},
      {"2024-02-29 12:30\n2024-02-28 24:00\n", RDX_TYPE_STRING, 0},
      {"2024-02-29 12:30+01\n2024-02-29T12:30:01.5Z\n", RDX_TYPE_TIMESTAMP, 0},
      {"2024-02-29 12:30\n2024-02-29T12:30:01.5Z\n", RDX_TYPE_STRING, 0},
      {"2024-02-29 12:30:00.1234567\n", RDX_TYPE_STRING, 0},
      {"1\nx\n", RDX_TYPE_STRING, 0},
      {"true\n1\n", RDX_TYPE_STRING, 0},
      {"0x10\n", RDX_TYPE_STRING, 0},
      {"1e309\n", RDX_TYPE_STRING, 0},
      {"1.5\n1e309\n2.5\n", RDX_TYPE_STRING, 0},
      {" 1\n2\t\n", RDX_TYPE_I32, 0},
      {"  \n1\n", RDX_TYPE_STRING, 0},
      {"", RDX_TYPE_STRING, 0},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    char text[256];
    snprintf(text, sizeof text, "c\n%s", cases[i].values);
    rdx_table *t = parse(text, NULL);
    const rdx_column *c = column(t, "c");
    if (c->type != cases[i].type || c->scale != cases[i].scale)
      fail_msg("case %zu: %s, scale %u", i, rdx_type_name(c->type), c->scale);
    rdx_table_destroy(&t);
  }
}

/* A type guessed from the first records is given up when a later one does not fit it, wherever that is. */
static void test_late_widening(void **state) {
  (void)state;
  static const char *const late[] = {"5000000000", "1.5", "18446744073709551615", "x", "\"1\n2\""};
  static const rdx_type types[] = {RDX_TYPE_I64, RDX_TYPE_DECIMAL, RDX_TYPE_U64, RDX_TYPE_STRING, RDX_TYPE_STRING};
  const uint64_t rows = 5000;
  char *text = malloc(rows * 16);
  assert_non_null(text);
  for (size_t i = 0; i < COUNT(late); i++) {
    size_t length = (size_t)sprintf(text, "a,b\n");
    for (uint64_t row = 0; row < rows; row++)
      length += (size_t)sprintf(text + length, "%d,%s\n", (int)row, row == 4321 ? late[i] : "7");
    rdx_table *t = parse(text, NULL);
    assert_int_equal(column(t, "b")->type, types[i]);
    assert_int_equal(((const int32_t *)column(t, "a")->values)[4999], 4999);
    if (types[i] == RDX_TYPE_I64)
      assert_int_equal(((const int64_t *)column(t, "b")->values)[4321], 5000000000);
    if (types[i] == RDX_TYPE_STRING)
      check_string(column(t, "b"), 0, "7");
    rdx_table_destroy(&t);
  }
  free(text);
}

static void check_late(const char *many, const char *one, bool one_first, rdx_type type, uint8_t scale) {
  enum { ROWS = 3000 };
  char *text = malloc(ROWS * 64);
  assert_non_null(text);
  size_t length = (size_t)sprintf(text, "c\n%s%s", one_first ? one : "", one_first ? "\n" : "");
  for (int row = 0; row < ROWS; row++)
    length += (size_t)sprintf(text + length, "%s\n", many);
  sprintf(text + length, "%s\n", one);
  rdx_table *t = parse(text, NULL);
  const rdx_column *c = column(t, "c");
  if (c->type != type || c->scale != scale)
    fail_msg("%s and %s%s: %s, scale %u", many, one, one_first ? " first" : "", rdx_type_name(c->type), c->scale);
  rdx_table_destroy(&t);
  free(text);
}

/* The type of a column does not depend on the order of its values. */
static void test_order(void **state) {
  (void)state;
  static const struct {
    const char *a, *b;
    rdx_type type;
    uint8_t scale;
  } cases[] = {
      {"1.5e0", "nan", RDX_TYPE_F64, 0},
      {"7", "-Infinity", RDX_TYPE_F64, 0},
      {"9007199254740993", "nan", RDX_TYPE_STRING, 0},
      {"12E3", "1.5", RDX_TYPE_F64, 0},
      {"12E3", "7", RDX_TYPE_STRING, 0},
      {"1.10", "1.5", RDX_TYPE_STRING, 0},
      {"1.10", "1.1e0", RDX_TYPE_F64, 0},
      {"+1.5", "2.5", RDX_TYPE_STRING, 0},
      {"+1.5", "2.5e-3", RDX_TYPE_F64, 0},
      {"-0", "7", RDX_TYPE_F64, 0},
      {".5", "0.25", RDX_TYPE_STRING, 0},
      {"07", "7", RDX_TYPE_STRING, 0},
      {"2024-01-01", "2024-01-01 10:00", RDX_TYPE_TIMESTAMP, 0},
      {"2024-01-01", "2024-01-01 10:00Z", RDX_TYPE_STRING, 0},
      {"1.5e0", "5.", RDX_TYPE_F64, 0},
      {"1.25", "90000000000000000", RDX_TYPE_F64, 0},
      {"1.25", "90000000000000001", RDX_TYPE_STRING, 0},
      {"1.25", "-10000000000000000", RDX_TYPE_F64, 0},
      {"1.25", "9999999999999999", RDX_TYPE_DECIMAL, 2},
      {"1.25", "-9999999999999999.9", RDX_TYPE_DECIMAL, 2},
      {"1.5", "1.", RDX_TYPE_F64, 0},
      {"1.5", "1.5000", RDX_TYPE_STRING, 0},
      {"1.5000", "-.5125", RDX_TYPE_DECIMAL, 4},
      {"1.5", "2", RDX_TYPE_DECIMAL, 1},
      {"7", "1.0", RDX_TYPE_STRING, 0},
      {"true", "t", RDX_TYPE_STRING, 0},
      {"-1", "18446744073709551615", RDX_TYPE_STRING, 0},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    for (int first = 0; first < 2; first++) {
      check_late(cases[i].a, cases[i].b, first, cases[i].type, cases[i].scale);
      check_late(cases[i].b, cases[i].a, first, cases[i].type, cases[i].scale);
    }
  }
}

static void test_values(void **state) {
  (void)state;
  rdx_table *t =
      parse("d,ts,dec,f\n1970-01-02,1970-01-01 00:00:01.5,-1.05,0.1\n1969-12-31,1969-12-31T23:59,12,1e-3\n", NULL);
  assert_int_equal(((const int32_t *)column(t, "d")->values)[0], 1);
  assert_int_equal(((const int32_t *)column(t, "d")->values)[1], -1);
  assert_int_equal(((const int64_t *)column(t, "ts")->values)[0], 1500000);
  assert_int_equal(((const int64_t *)column(t, "ts")->values)[1], -60000000);
  assert_int_equal(((const int64_t *)column(t, "dec")->values)[0], -105);
  assert_int_equal(((const int64_t *)column(t, "dec")->values)[1], 1200);
  assert_true(((const double *)column(t, "f")->values)[0] == 0.1);
  assert_true(((const double *)column(t, "f")->values)[1] == 1e-3);
  rdx_table_destroy(&t);
}

static void test_overrides(void **state) {
  (void)state;
  const rdx_csv_type types[] = {{"zip", RDX_TYPE_STRING, 0}, {"n", RDX_TYPE_I8, 0},  {"b", RDX_TYPE_BOOL, 0},
                                {"p", RDX_TYPE_DECIMAL, 3},  {"u", RDX_TYPE_U16, 0}, {"f", RDX_TYPE_F32, 0}};
  const rdx_csv_params params = {.types = types, .type_count = COUNT(types)};
  rdx_table *t = parse("zip,n,b,p,u,f\n00501,-128,1,1.5,65535,nan\n02108,127,f,-2,0,-inf\n", &params);
  check_string(column(t, "zip"), 0, "00501");
  assert_int_equal(((const int8_t *)column(t, "n")->values)[0], -128);
  assert_int_equal(((const uint8_t *)column(t, "b")->values)[0], 1);
  assert_int_equal(((const uint8_t *)column(t, "b")->values)[1], 0);
  assert_int_equal(((const int64_t *)column(t, "p")->values)[0], 1500);
  assert_int_equal(((const uint16_t *)column(t, "u")->values)[0], 65535);
  assert_true(isnan(((const float *)column(t, "f")->values)[0]));
  rdx_table_destroy(&t);
}

static void test_choice_of_columns(void **state) {
  (void)state;
  const char *names[] = {"c", "a"};
  const rdx_csv_params params = {.columns = names, .column_count = 2, .delimiter = ';'};
  rdx_table *t = parse("a;b;c\n1;\"bad\nly\";3\n4;5;6\n", &params);
  assert_int_equal(rdx_table_columns(t), 2);
  assert_string_equal(rdx_table_column_name(t, 0), "c");
  assert_int_equal(((const int32_t *)rdx_table_column(t, 0)->values)[1], 6);
  assert_int_equal(((const int32_t *)rdx_table_column(t, 1)->values)[1], 4);
  rdx_table_destroy(&t);
  const rdx_csv_params plain = {.header = RDX_SWITCH_OFF};
  t = parse("1,2\n3,4\n", &plain);
  assert_int_equal(rdx_table_rows(t), 2);
  assert_string_equal(rdx_table_column_name(t, 1), "2");
  rdx_table_destroy(&t);
}

static void test_errors(void **state) {
  (void)state;
  ERROR("", RDX_ERROR_FORMAT, "test.csv", "empty");
  ERROR("a,b\n1,2\n3\n", RDX_ERROR_FORMAT, "test.csv", "line 3");
  ERROR("a,b\n1,2\n3,4,5\n", RDX_ERROR_FORMAT, "line 3");
  ERROR("a,b\n\"x\ny\",2\n3\n", RDX_ERROR_FORMAT, "line 4");
  ERROR("a,b\n1,\"2\n", RDX_ERROR_FORMAT, "line 2", "column 2");
  ERROR("a,b\n1,\"2\"x\n", RDX_ERROR_FORMAT, "line 2", "column 2");
  const char *const twice[] = {"a"}, *const words[] = {"columns 1 and 2", "'a'"};
  check_error("a,a\n1,2\n", 8, &(rdx_csv_params){.columns = twice, .column_count = 1}, RDX_ERROR_ARGUMENT, words,
              COUNT(words));
  const rdx_csv_type types[] = {{"b", RDX_TYPE_I8, 0}};
  const rdx_csv_params params = {.types = types, .type_count = 1};
  const char *const range[] = {"line 3", "column 2", "'b'", "300", "i8"};
  check_error("a,b\n1,2\n3,300\n", 14, &params, RDX_ERROR_RANGE, range, COUNT(range));
  const char *const format[] = {"line 2", "column 2", "'x'", "i8"};
  check_error("a,b\n1,x\n", 8, &params, RDX_ERROR_FORMAT, format, COUNT(format));
  const rdx_csv_type absent[] = {{"zz", RDX_TYPE_I8, 0}};
  const char *const missing[] = {"'zz'", "'a'", "'b'"};
  check_error("a,b\n1,2\n", 8, &(rdx_csv_params){.types = absent, .type_count = 1}, RDX_ERROR_NOT_FOUND, missing,
              COUNT(missing));
  rdx_table *t = NULL;
  rdx_error err = {""};
  assert_int_equal(rdx_table_read_csv("/nonexistent/x.csv", NULL, &t, &err), RDX_ERROR_NOT_FOUND);
  assert_non_null(strstr(err.text, "/nonexistent/x.csv"));
  assert_int_not_equal(rdx_table_read_csv("/", NULL, &t, &err), RDX_OK);
  assert_int_equal(rdx_table_read_csv("x.csv", NULL, NULL, &err), RDX_ERROR_ARGUMENT);
  assert_null(t);
}

/* A blank line is a row of NULL where there is one column, and no row where there are more. */
static void test_blank_lines(void **state) {
  (void)state;
  rdx_table *t = parse("a\n1\n\n2\n\r\n3\n", NULL);
  const rdx_column *a = column(t, "a");
  assert_int_equal(a->type, RDX_TYPE_I32);
  const uint64_t rows = rdx_table_rows(t);
  if (rows == 5)
    assert_true(!is_null(a, 0) && is_null(a, 1) && !is_null(a, 2) && is_null(a, 3) && !is_null(a, 4));
  else
    assert_int_equal(rows, 3); /* the documentation leaves it open; nothing else is right */
  assert_int_equal(((const int32_t *)a->values)[rows - 1], 3);
  rdx_table_destroy(&t);
  t = parse("a,b\n1,2\n3,4\n\n\r\n", NULL);
  assert_int_equal(rdx_table_rows(t), 2);
  rdx_table_destroy(&t);
  t = parse("a\n\"\"\nx\n", NULL);
  assert_int_equal(rdx_table_rows(t), 2);
  check_string(column(t, "a"), 0, "");
  rdx_table_destroy(&t);
}

/* Fields larger than any buffer, with and without quotes, alone and among others. */
static void test_huge_fields(void **state) {
  (void)state;
  static const size_t lengths[] = {4095, 4096, 65536, 1000003};
  for (size_t i = 0; i < COUNT(lengths); i++) {
    const size_t length = lengths[i];
    char *text = malloc(3 * length + 100), *inner = malloc(length + 1);
    assert_true(text && inner);
    size_t end = (size_t)sprintf(text, "a,b,c\n1,"), content = 0;
    memset(text + end, 'x', length);
    end += length;
    end += (size_t)sprintf(text + end, ",\"");
    for (; content < length; content++) { /* every seventh a quote, every eleventh a line break */
      inner[content] = content % 7 == 0 ? '"' : content % 11 == 0 ? '\n' : 'y';
      text[end++] = inner[content];
      if (inner[content] == '"')
        text[end++] = '"';
    }
    end += (size_t)sprintf(text + end, "\"\n2,z,w\n");
    rdx_table *t = parse(text, NULL);
    assert_int_equal(rdx_table_rows(t), 2);
    const rdx_column *b = column(t, "b"), *c = column(t, "c");
    assert_int_equal(b->offsets[1] - b->offsets[0], length);
    assert_int_equal(((const char *)b->values)[length - 1], 'x');
    assert_int_equal(c->offsets[1] - c->offsets[0], length);
    assert_memory_equal(c->values, inner, length);
    check_string(b, 1, "z");
    check_string(c, 1, "w");
    rdx_table_destroy(&t);
    free(text);
    free(inner);
  }
}

/* The value of every type that an override can ask for, and NULLs among them. */
static void test_every_type(void **state) {
  (void)state;
  static const struct {
    rdx_type type;
    const char *good, *bad;
    rdx_status status;
  } cases[] = {
      {RDX_TYPE_BOOL, "true", "2", RDX_ERROR_FORMAT},
      {RDX_TYPE_I8, "-128", "128", RDX_ERROR_RANGE},
      {RDX_TYPE_I16, "-32768", "32768", RDX_ERROR_RANGE},
      {RDX_TYPE_I32, "-1", "2147483648", RDX_ERROR_RANGE},
      {RDX_TYPE_I64, "-1", "9223372036854775808", RDX_ERROR_RANGE},
      {RDX_TYPE_U8, "255", "-1", RDX_ERROR_RANGE},
      {RDX_TYPE_U16, "65535", "65536", RDX_ERROR_RANGE},
      {RDX_TYPE_U32, "4294967295", "4294967296", RDX_ERROR_RANGE},
      {RDX_TYPE_U64, "18446744073709551615", "18446744073709551616", RDX_ERROR_RANGE},
      {RDX_TYPE_F32, "1.5", "1e39", RDX_ERROR_RANGE},
      {RDX_TYPE_F64, "-2e300", "1e309", RDX_ERROR_RANGE},
      {RDX_TYPE_F64, "nan", "1.5x", RDX_ERROR_FORMAT},
      {RDX_TYPE_DATE, "2024-02-29", "2023-02-29", RDX_ERROR_RANGE},
      {RDX_TYPE_DATE, "2024-02-29", "29.2.2024", RDX_ERROR_FORMAT},
      {RDX_TYPE_TIMESTAMP, "2024-02-29 10:00", "2024-02-29 24:01", RDX_ERROR_RANGE},
      {RDX_TYPE_DECIMAL, "1.25", "1.255", RDX_ERROR_RANGE},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    const rdx_csv_type type = {"v", cases[i].type, cases[i].type == RDX_TYPE_DECIMAL ? 2 : 0};
    const rdx_csv_params params = {.types = &type, .type_count = 1};
    char text[128];
    snprintf(text, sizeof text, "k,v\n1,%s\n2,\n3,\"%s\"\n4,\"\"\n", cases[i].good, cases[i].good);
    rdx_table *t = parse(text, &params);
    const rdx_column *v = column(t, "v");
    assert_int_equal(v->type, cases[i].type);
    assert_int_equal(v->scale, type.scale);
    assert_true(!is_null(v, 0) && is_null(v, 1) && !is_null(v, 2) && is_null(v, 3));
    const size_t size = rdx_type_size(v->type);
    assert_memory_equal(v->values, (const char *)v->values + 2 * size, size);
    rdx_table_destroy(&t);
    snprintf(text, sizeof text, "k,v\n1,%s\n2,%s\n", cases[i].good, cases[i].bad);
    const char *const words[] = {"test.csv", "line 3", "column 2", "'v'", cases[i].bad, rdx_type_name(cases[i].type)};
    check_error(text, strlen(text), &params, cases[i].status, words, COUNT(words));
  }
}

/* A number that no type holds makes a string column; reading ends. */
static void test_numbers_beyond_all_types(void **state) {
  (void)state;
  char text[1000] = "a\n1.5\n";
  memset(text + 6, '7', 600);
  text[606] = '\n';
  rdx_table *t = parse(text, NULL);
  check_string(column(t, "a"), 0, "1.5");
  rdx_table_destroy(&t);
  static const char *const texts[] = {"a\n1e309\n", "a\n1\n-1e999\n", "a,b\n1,2\n1e400,3\n"};
  for (size_t i = 0; i < COUNT(texts); i++) {
    t = parse(texts[i], NULL);
    assert_int_equal(column(t, "a")->type, RDX_TYPE_STRING);
    rdx_table_destroy(&t);
  }
}

/* Widening at every place of a file longer than a buffer, through all types in turn. */
static void test_chain_of_types(void **state) {
  (void)state;
  static const char *const values[] = {"1", "3000000000", "10000000000000000000", "1.5", "1e+5", "word"};
  static const rdx_type types[] = {RDX_TYPE_I32, RDX_TYPE_I64, RDX_TYPE_U64,
                                   RDX_TYPE_F64, RDX_TYPE_F64, RDX_TYPE_STRING};
  enum { EACH = 3000 };
  char *text = malloc(6 * EACH * 24);
  assert_non_null(text);
  size_t end = (size_t)sprintf(text, "v,k\n");
  for (size_t i = 0; i < COUNT(values); i++) {
    for (int row = 0; row < EACH; row++)
      end += (size_t)sprintf(text + end, "%s,%d\n", values[i], row);
    rdx_table *t = parse(text, NULL);
    const rdx_column *v = column(t, "v");
    assert_int_equal(rdx_table_rows(t), (i + 1) * EACH);
    assert_int_equal(v->type, types[i]);
    if (v->type == RDX_TYPE_I64)
      assert_true(((const int64_t *)v->values)[0] == 1 && ((const int64_t *)v->values)[EACH] == 3000000000);
    if (v->type == RDX_TYPE_U64)
      assert_true(((const uint64_t *)v->values)[2 * EACH] == 10000000000000000000u);
    if (v->type == RDX_TYPE_F64)
      assert_true(((const double *)v->values)[EACH] == 3e9 && ((const double *)v->values)[3 * EACH] == 1.5);
    if (v->type == RDX_TYPE_STRING) {
      check_string(v, EACH, "3000000000");
      check_string(v, 3 * EACH, "1.5");
    }
    assert_int_equal(((const int32_t *)column(t, "k")->values)[EACH - 1], EACH - 1);
    rdx_table_destroy(&t);
  }
  free(text);
}

/* Where commas quote, they do not separate: the delimiter is another, found or not. */
static void test_commas_that_quote(void **state) {
  static const char *const texts[] = {"a\n,1,\n", "a;b\n,1;2,;3\n"};
  (void)state;
  for (uint32_t i = 0; i < 2; i++) {
    rdx_error err = {""};
    rdx_table *t = NULL;
    const rdx_csv_params commas = {.quote = ','};
    if (rdx_table_parse_csv("x", texts[i], strlen(texts[i]), &commas, &t, &err) != RDX_OK)
      fail_msg("%s", err.text);
    assert_int_equal(rdx_table_columns(t), i + 1);
    assert_int_equal(rdx_table_delimiter(t), ';');
    rdx_table_destroy(&t);
  }
}

static void test_errors_of_options(void **state) {
  (void)state;
  static const char text[] = "a,b\n1,2\n";
  const char *const words[] = {"'zz'"};
  const char *names[] = {"a", "zz"};
  check_error(text, 8, &(rdx_csv_params){.columns = names, .column_count = 2}, RDX_ERROR_NOT_FOUND, words, 1);
  const rdx_csv_type wide = {"a", RDX_TYPE_DECIMAL, 19}, unknown = {"a", (rdx_type)99, 0},
                     none = {NULL, RDX_TYPE_I8, 0};
  check_error(text, 8, &(rdx_csv_params){.types = &wide, .type_count = 1}, RDX_ERROR_ARGUMENT, NULL, 0);
  check_error(text, 8, &(rdx_csv_params){.types = &unknown, .type_count = 1}, RDX_ERROR_ARGUMENT, NULL, 0);
  check_error(text, 8, &(rdx_csv_params){.types = &none, .type_count = 1}, RDX_ERROR_ARGUMENT, NULL, 0);
  check_error(text, 8, &(rdx_csv_params){.types = NULL, .type_count = 1}, RDX_ERROR_ARGUMENT, NULL, 0);
  for (const char *d = "\"\n\r+-.059azAZe\xe9"; *d; d++)
    check_error(text, 8, &(rdx_csv_params){.delimiter = *d}, RDX_ERROR_ARGUMENT, NULL, 0);
  const rdx_csv_params off = {.quotes = RDX_SWITCH_OFF, .quote = '\''};
  check_error(text, 8, &off, RDX_ERROR_ARGUMENT, (const char *const[]){"quotes are off"}, 1);
  check_error(text, 8, &(rdx_csv_params){.header = (rdx_switch)9}, RDX_ERROR_ARGUMENT, NULL, 0);
  check_error(text, 8, &(rdx_csv_params){.quotes = (rdx_switch)9}, RDX_ERROR_ARGUMENT, NULL, 0);
  rdx_table *t = NULL;
  rdx_error err = {""};
  assert_int_equal(rdx_table_parse_csv("x", NULL, 5, NULL, &t, &err), RDX_ERROR_ARGUMENT);
  assert_int_equal(rdx_table_parse_csv("x", text, 8, NULL, NULL, &err), RDX_ERROR_ARGUMENT);
  assert_int_equal(rdx_table_parse_csv(NULL, text, 8, NULL, &t, &err), RDX_ERROR_ARGUMENT);
  assert_null(t);
  rdx_table_destroy(&t);
  rdx_table_destroy(NULL);
  t = parse(text, NULL);
  const rdx_column *c = NULL;
  assert_int_equal(rdx_table_find(t, "c", &c, &err), RDX_ERROR_NOT_FOUND);
  assert_true(strstr(err.text, "'a'") && strstr(err.text, "'b'"));
  assert_null(c);
  rdx_table_destroy(&t);
}

/* A table file whose first bytes are damaged is no CSV; text that has more in common with text is. */
static void test_table_files(void **state) {
  (void)state;
  static const char begin[] = "\x89RDXT\r\n\x1a";
  const char *const whole[] = {"a table file already"}, *const damaged[] = {"damaged"};
  char text[64] = "";
  memcpy(text, begin, 8);
  strcpy(text + 8, ",b\n1,2\n");
  check_error(text, strlen(text), NULL, RDX_ERROR_FORMAT, whole, 1);
  for (int i = 0; i < 8; i++) {
    for (int bit = 0; bit < 8; bit++) {
      text[i] = (char)(begin[i] ^ 1 << bit);
      check_error(text, 16, NULL, RDX_ERROR_FORMAT, damaged, 1);
      text[(i + 3) % 8] = 'x';
      check_error(text, 16, NULL, RDX_ERROR_FORMAT, damaged, 1);
      memcpy(text, begin, 8);
    }
  }
  rdx_table *t = parse("RDXT\r\n1\r\n", NULL);
  assert_int_equal(rdx_table_rows(t), 1);
  rdx_table_destroy(&t);
}

static void test_header_only(void **state) {
  (void)state;
  rdx_table *t = parse("a,b\n", NULL);
  assert_int_equal(rdx_table_rows(t), 0);
  assert_int_equal(rdx_table_columns(t), 2);
  rdx_table_destroy(&t);
}

/* Random numbers of many widths, checked against what they were printed from. */
static void test_many_numbers(void **state) {
  (void)state;
  const uint64_t rows = 20000;
  char *text = malloc(rows * 64);
  int64_t *expected = malloc(rows * sizeof *expected);
  assert_true(text && expected);
  uint64_t x = 1;
  size_t length = (size_t)sprintf(text, "n,m\n");
  for (uint64_t i = 0; i < rows; i++) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    expected[i] = (int64_t)x >> (x >> 58);
    length += (size_t)sprintf(text + length, "%lld,%u\n", (long long)expected[i], (unsigned)(x >> 50));
  }
  rdx_table *t = parse(text, NULL);
  assert_int_equal(column(t, "n")->type, RDX_TYPE_I64);
  assert_memory_equal(column(t, "n")->values, expected, rows * sizeof *expected);
  rdx_table_destroy(&t);
  free(text);
  free(expected);
}

/* A file as large as a few pages, read through a pipe and from the disk alike. */
static void test_files(void **state) {
  (void)state;
  char path[] = "/tmp/raydex-test-XXXXXX";
  const int file = mkstemp(path);
  assert_true(file >= 0);
  FILE *stream = fdopen(file, "w");
  fprintf(stream, "k,v\n");
  for (int i = 0; i < 4096; i++)
    fprintf(stream, "%d,%d\n", i, -i);
  fclose(stream);
  rdx_table *t = NULL;
  rdx_error err = {""};
  if (rdx_table_read_csv(path, NULL, &t, &err) != RDX_OK)
    fail_msg("%s", err.text);
  assert_int_equal(rdx_table_rows(t), 4096);
  assert_int_equal(((const int32_t *)column(t, "v")->values)[4095], -4095);
  rdx_table_destroy(&t);
  unlink(path);
}

#define MANY 150000

/* Some MiB, which threads read in pieces: with line feeds and quotes in fields, NULLs, and, where `late`, a last
 * value that widens its column. */
static char *make_large(bool late, size_t *size) {
  char *text = malloc(MANY * 64);
  size_t used = (size_t)sprintf(text, "n,s,d,x\n");
  for (int i = 0; i < MANY; i++) {
    used += (size_t)sprintf(text + used, i % 5 ? "%d," : ",", i * 7);
    used += (size_t)sprintf(text + used, i % 11 ? "word %d," : i % 22 ? "\"a\nb, \"\"%d\"\"\"," : "\"\",", i);
    used += (size_t)sprintf(text + used, "%d.%02d,%s\n", i, i % 100, late && i == MANY - 1 ? "0.5" : &"1"[i % 3 > 0]);
  }
  *size = used;
  return text;
}

static void check_large(const rdx_table *t, bool late) {
  const rdx_column *n = column(t, "n"), *s = column(t, "s"), *d = column(t, "d"), *x = column(t, "x");
  assert_int_equal(rdx_table_rows(t), MANY);
  assert_int_equal(n->type, RDX_TYPE_I32);
  assert_int_equal(d->type, RDX_TYPE_DECIMAL);
  assert_int_equal(x->type, late ? RDX_TYPE_DECIMAL : RDX_TYPE_I32);
  for (int i = 0; i < MANY; i++) {
    char text[40];
    const uint64_t row = (uint64_t)i;
    sprintf(text, i % 11 ? "word %d" : i % 22 ? "a\nb, \"%d\"" : "", i);
    check_string(s, row, text);
    assert_int_equal(is_null(n, row), i % 5 == 0);
    assert_int_equal(((const int32_t *)n->values)[i], i % 5 ? i * 7 : 0);
    assert_int_equal(((const int64_t *)d->values)[i], (int64_t)i * 100 + i % 100);
    const bool last = late && i == MANY - 1;
    assert_int_equal(is_null(x, row), !last && i % 3 != 0);
    const int64_t value = late ? ((const int64_t *)x->values)[i] : ((const int32_t *)x->values)[i];
    assert_int_equal(value, last ? 5 : i % 3 ? 0 : late ? 10 : 1);
  }
}

static void test_large(void **state) {
  (void)state;
  rdx_error err = {""};
  for (int late = 0; late < 2; late++) {
    size_t size = 0;
    rdx_table *t = NULL;
    char *text = make_large(late, &size);
    if (rdx_table_parse_csv("large", text, size, NULL, &t, &err) != RDX_OK)
      fail_msg("%s", err.text);
    check_large(t, late);
    rdx_table_destroy(&t);
    text[size - 1] = ','; /* one field too many, at the end */
    assert_int_equal(rdx_table_parse_csv("large", text, size, NULL, &t, &err), RDX_ERROR_FORMAT);
    assert_non_null(strstr(err.text, "large, line 156819"));
    free(text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plain),
      cmocka_unit_test(test_quotes),
      cmocka_unit_test(test_nulls),
      cmocka_unit_test(test_inference),
      cmocka_unit_test(test_late_widening),
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_values),
      cmocka_unit_test(test_overrides),
      cmocka_unit_test(test_choice_of_columns),
      cmocka_unit_test(test_errors),
      cmocka_unit_test(test_table_files),
      cmocka_unit_test(test_header_only),
      cmocka_unit_test(test_many_numbers),
      cmocka_unit_test(test_files),
      cmocka_unit_test(test_blank_lines),
      cmocka_unit_test(test_huge_fields),
      cmocka_unit_test(test_every_type),
      cmocka_unit_test(test_chain_of_types),
      cmocka_unit_test(test_commas_that_quote),
      cmocka_unit_test(test_errors_of_options),
      cmocka_unit_test(test_numbers_beyond_all_types),
      cmocka_unit_test(test_large),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
