/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* SQL conditions: what they select, and what is refused. */

#include "support.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char csv[] = "i,d,f,s,day,at,b,\"Odd Name\",big,tiny,r\n"
                          "1,1.25,0.5,apple,2024-01-01,2024-01-01 10:00:00,true,7,18446744073709551615,-128,0.1\n"
                          "2,-0.75,-2.5,pear,2024-02-29,2024-02-29 00:00:00,false,8,0,127,-2.5\n"
                          "3,3.00,1e10,,1969-12-31,,true,9,5,0,inf\n"
                          ",,,,,,,,,,\n"
                          "5,100.10,0.1,it's,2024-01-01,1999-12-31 23:59:59.999999,,10,6,1,0\n";
static const rdx_csv_type csv_types[] = {{"tiny", RDX_TYPE_I8, 0}, {"big", RDX_TYPE_U64, 0}, {"r", RDX_TYPE_F32, 0}};

/* The rows that a condition selects, as digits. */
static void select_rows(const rdx_table *table, const char *text, char rows[16]) {
  rdx_condition *condition = NULL;
  const rdx_predicate *predicate = NULL;
  rdx_column columns[16];
  rdx_scan *scan = NULL;
  rdx_scan_result *result = NULL;
  rdx_scan_view v;
  OK(rdx_condition_parse(text, &condition, err));
  const uint32_t count = rdx_condition_columns(condition);
  for (int again = 0; again < 2; again++)
    OK(rdx_condition_bind_table(condition, table, columns, &predicate, err));
  OK(rdx_scan_create(test_device, columns, count ? count : 1, NULL, &scan, err));
  OK(rdx_scan_run(scan, predicate, &(rdx_scan_run_params){.result = RDX_SCAN_ROWS}, &result, err));
  OK(rdx_scan_result_view(result, &v, err));
  for (uint64_t i = 0; i < v.count; i++)
    rows[i] = (char)('0' + v.row[i]);
  rows[v.count] = '\0';
  rdx_scan_result_destroy(&result);
  rdx_scan_destroy(&scan);
  rdx_condition_destroy(&condition);
  assert_null(condition);
}

static const struct {
  const char *text, *rows;
} selections[] = {
    {"i < 3", "01"},
    {"3 > i", "01"},
    {"5 <= i", "4"},
    {"i = 2 OR i = 5", "14"},
    {"i <> 2", "024"},
    {"i != 2 -- not two", "024"},
    {"NOT i = 2", "024"},
    {"NOT (i < 2 OR i > 3)", "12"},
    {"i BETWEEN 2 AND 3", "12"},
    {"i NOT BETWEEN 2 AND 3", "04"},
    {"i BETWEEN 3 AND 2", ""},
    {"i NOT BETWEEN 2 AND NULL", "0"},
    {"i IN (1, 5, 77)", "04"},
    {"i NOT IN (1, 5)", "12"},
    {"i NOT IN (1, NULL)", ""},
    {"i IN (1.5)", ""},
    {"i NOT IN (1.5)", "0124"},
    {"i NOT IN (1.5, 1e30)", "0124"},
    {"i IS NULL", "3"},
    {"i IS NOT NULL", "0124"},
    {"i = NULL", ""},
    {"NOT i = NULL", ""},
    {"true", "01234"},
    {"FALSE", ""},
    {"NOT false AND i = 1", "0"},
    /* numbers beyond a column keep their meaning */
    {"i < 2.5", "01"},
    {"i >= 2.5", "24"},
    {"i > -1e300", "0124"},
    {"i = 2.5", ""},
    {"i <> 2.5", "0124"},
    {"NOT i = 2.5", "0124"},
    {"i < 99999999999999999999999999", "0124"},
    {"NOT i < 99999999999999999999999999", ""},
    {"i = 2.000", "1"},
    {"i = 20e-1", "1"},
    {"tiny < 1000", "0124"},
    {"tiny >= -128", "0124"},
    {"tiny > 127", ""},
    {"tiny <= -129", ""},
    {"tiny > -129", "0124"},
    {"tiny = -128", "0"},
    {"tiny = - 128", "0"},
    {"tiny = +1", "4"},
    {"big = 18446744073709551615", "0"},
    {"big < 18446744073709551616", "0124"},
    {"big > 18446744073709551614", "0"},
    {"big >= -1", "0124"},
    {"d < 1.254", "01"},
    {"d > -0.751", "0124"},
    {"d = 1.25", "0"},
    {"d = 1.2500", "0"},
    {"d = '1.25'", "0"},
    {"d BETWEEN -0.755 AND 3", "012"},
    {"d IN (3, 100.1)", "24"},
    {"i = '2'", "1"},
    {"i = '2'::int", "1"},
    {"i = CAST('2' AS bigint)", "1"},
    {"d = 1.25::numeric", "0"},
    {"f < 0.5", "14"},
    {"f = 0.1", "4"},
    {"f = 0.1::real", ""}, /* which is larger */
    {"f < 0.1::real", "14"},
    {"f = 0.1::float8", "4"},
    {"i = 2::real", "1"},
    {"r = 0.1", ""}, /* which is less */
    {"r > 0.1 AND r <= '0.1'", "0"},
    {"r IN ('0.1'::real, '-2.5')", "01"},
    {"r < 1e39", "014"},
    {"i = '1.5'", ""},
    {"i < '2.5' AND i > ' 1e0 '", "1"},
    {"d = '125e-2'", "0"},
    {"f = 1e999", ""},
    {"f <> 1e999", "0124"},
    {"f < 1e999 AND f > -1e999", "0124"},
    {"f >= 1e-999", "024"},
    {"f > -1e-999 AND f < 0.2", "4"},
    {"r = '1e39'", ""},
    {"r IN ('1e39', '1e-60')", ""},
    {"r NOT IN ('-2.5', '1e-60')", "024"},
    {"r > '3.4028234e38'", "2"},
    {"f > '-infinity'", "0124"},
    {"f >= 1e10 OR f <= -2.5", "12"},
    {"s = 'apple'", "0"},
    {"'b' < s", "14"},
    {"s = 'it''s'", "4"},
    {"s IN ('pear', 'plum', E'it\\'s')", "14"},
    {"s = 'pear'::text", "1"},
    {"s IS NULL", "23"},
    {"day = '2024-01-01'", "04"},
    {"day = DATE '2024-01-01'", "04"},
    {"day < date '1970-01-01'", "2"},
    {"day <= timestamp '2024-01-01 12:00:00'", "024"},
    {"day >= '2024-01-01 12:00'::timestamp", "1"},
    {"day = timestamp '2024-01-01 12:00:00'", ""},
    {"day > timestamp '1969-12-30 23:59:59'", "0124"},
    {"at >= DATE '2024-01-01'", "01"},
    {"at = '2024-02-29'", "1"},
    {"at < TIMESTAMP '2000-01-01 00:00:00'", "4"},
    {"b", "02"},
    {"NOT b", "1"},
    {"b = TRUE", "02"},
    {"b <> 'true'", "1"},
    {"b IS TRUE", "02"},
    {"b IS NOT TRUE", "134"},
    {"b IS FALSE", "1"},
    {"b IS NOT FALSE", "0234"},
    {"b IS UNKNOWN", "34"},
    {"b IS NOT UNKNOWN", "012"},
    {"\"Odd Name\" > 8", "24"},
    {"I < 3 AND D > 0", "0"},
    {"((((i))) < (3)) AND (((d > 0)))", "0"},
    {"/* all */ i < 3 AND (s = 'pear' OR d BETWEEN 1 AND 2) AND NOT (f = 3 AND b)", "01"},
};

static rdx_table *make_table(void) {
  rdx_table *table = NULL;
  const rdx_csv_params params = {.types = csv_types, .type_count = COUNT(csv_types)};
  OK(rdx_table_parse_csv("test", csv, sizeof csv - 1, &params, &table, err));
  return table;
}

static void test_selections(void **state) {
  (void)state;
  rdx_table *table = make_table();
  for (size_t i = 0; i < COUNT(selections); i++) {
    char rows[16];
    select_rows(table, selections[i].text, rows);
    if (strcmp(rows, selections[i].rows) != 0)
      fail_msg("%s: rows '%s' instead of '%s'", selections[i].text, rows, selections[i].rows);
  }
  rdx_table_destroy(&table);
}

static const struct {
  const char *text;
  rdx_status status;
  const char *part; /* of the error text */
} refused[] = {
    {"", RDX_ERROR_FORMAT, "at end of input"},
    {"i <", RDX_ERROR_FORMAT, "character 4: syntax error at end of input"},
    {"i << < 2", RDX_ERROR_FORMAT, "character 6"},
    {"i = 'abc", RDX_ERROR_FORMAT, "character 5: unterminated quoted string"},
    {"i < 3; DROP TABLE t", RDX_ERROR_UNSUPPORTED, "condition alone"},
    {"; i < 3", RDX_ERROR_UNSUPPORTED, "condition alone"},
    {"i < 3 ORDER BY i", RDX_ERROR_UNSUPPORTED, "condition alone"},
    {"i < 3 UNION SELECT 1", RDX_ERROR_UNSUPPORTED, "condition alone"},
    {"i IS UNKNOWN", RDX_ERROR_ARGUMENT, "i"},
    {"CASE WHEN b THEN b END", RDX_ERROR_UNSUPPORTED, "only comparisons"},
    {"i = ARRAY[1]", RDX_ERROR_UNSUPPORTED, "only columns and literals"},
    {"i < d", RDX_ERROR_UNSUPPORTED, "character 5: a column can be compared with literals only"},
    {"1 < 2", RDX_ERROR_UNSUPPORTED, "needs a column"},
    {"i + 1 < 2", RDX_ERROR_UNSUPPORTED, "character 1"},
    {"abs(i) < 2", RDX_ERROR_UNSUPPORTED, "character 1"},
    {"i < abs(2)", RDX_ERROR_UNSUPPORTED, "character 5"},
    {"s LIKE 'a%'", RDX_ERROR_UNSUPPORTED, "character 3"},
    {"t.i < 2", RDX_ERROR_UNSUPPORTED, "character 1"},
    {"i ~ 2", RDX_ERROR_UNSUPPORTED, "there is no operator '~'"},
    {"i IN (SELECT 1)", RDX_ERROR_UNSUPPORTED, "only comparisons"},
    {"5 IN (1, 5)", RDX_ERROR_UNSUPPORTED, "IN needs a column"},
    {"NULL", RDX_ERROR_UNSUPPORTED, "no condition"},
    {"7", RDX_ERROR_UNSUPPORTED, "no condition"},
    {"(i < 2) IS NULL", RDX_ERROR_UNSUPPORTED, "IS NULL needs a column"},
    {"i = '5'::money", RDX_ERROR_UNSUPPORTED, "type 'money'"},
    {"i = 1.5::int", RDX_ERROR_UNSUPPORTED, "cannot be cast"},
    {"i = 2147483648::int", RDX_ERROR_RANGE, "character 17: '2147483648' is out of the range of type 'int4'"},
    {"i = 32768::smallint", RDX_ERROR_RANGE, "out of the range"},
    {"f = 1e39::real", RDX_ERROR_RANGE, "out of the range of type 'float4'"},
    {"f = 'x'::real", RDX_ERROR_ARGUMENT, "'x' is not a number"},
    {"i = B'101'", RDX_ERROR_UNSUPPORTED, "bit strings"},
    {"i = $1", RDX_ERROR_UNSUPPORTED, "only columns and literals"},
    {"i = 'x'", RDX_ERROR_ARGUMENT, "character 5: 'x' is not an integer"},
    {"i = DATE '2024-01-01'", RDX_ERROR_ARGUMENT, "cannot be compared with a date"},
    {"i = true", RDX_ERROR_ARGUMENT, "cannot be compared with a truth value"},
    {"i", RDX_ERROR_ARGUMENT, "cannot be compared with a truth value"},
    {"i IS TRUE", RDX_ERROR_ARGUMENT, "cannot be compared with a truth value"},
    {"s = 5", RDX_ERROR_ARGUMENT, "column 's' is of type string"},
    {"d = 'x'", RDX_ERROR_ARGUMENT, "not a decimal number"},
    {"f = 'x'", RDX_ERROR_ARGUMENT, "not a number"},
    {"day = '2024-13-01'", RDX_ERROR_ARGUMENT, "not a date"},
    {"day = 5", RDX_ERROR_ARGUMENT, "cannot be compared with a number"},
    {"at = 'noon'", RDX_ERROR_ARGUMENT, "not a timestamp"},
    {"b = 'maybe'", RDX_ERROR_ARGUMENT, "not true or false"},
    {"i = 1 AND x = 2", RDX_ERROR_NOT_FOUND, "no column 'x'"},
};

static void test_refused(void **state) {
  (void)state;
  rdx_table *table = make_table();
  for (size_t i = 0; i < COUNT(refused); i++) {
    rdx_condition *condition = NULL;
    const rdx_predicate *predicate = NULL;
    rdx_column columns[16];
    rdx_error error = {""};
    rdx_status status = rdx_condition_parse(refused[i].text, &condition, &error);
    if (status == RDX_OK)
      status = rdx_condition_bind_table(condition, table, columns, &predicate, &error);
    if (status != refused[i].status || !strstr(error.text, refused[i].part))
      fail_msg("%s: %s (%s)", refused[i].text, rdx_status_name(status), error.text);
    rdx_condition_destroy(&condition);
  }
  rdx_table_destroy(&table);
}

/* Conditions that are long, and some that are deep in ways that would end in a crash. */
static void test_sizes(void **state) {
  (void)state;
  static const struct {
    const char *begin, *part, *end;
    size_t count;
    rdx_status status;
  } cases[] = {
      {"", "i = 1 OR ", "i = 2", 20000, RDX_OK},
      {"i IN (0", ", 7", ")", 100000, RDX_OK},
      {"", "NOT ", "i = 1", 100, RDX_OK},
      {"", "NOT ", "i = 1", 100000, RDX_ERROR_UNSUPPORTED},
      {"i = ", "- ", "1", 100000, RDX_ERROR_UNSUPPORTED},
      {"i = ", "1 + ", "1", 100000, RDX_ERROR_UNSUPPORTED},
      {"i = 1", "::int", "", 100000, RDX_ERROR_UNSUPPORTED},
      {"", "(", "i", 100000, RDX_ERROR_UNSUPPORTED},
      {"", "i = 1 AND (", "i", 100000, RDX_ERROR_UNSUPPORTED},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    const size_t length = strlen(cases[i].part);
    char *text = malloc(length * cases[i].count + 64), *to = text;
    assert_non_null(text);
    to += sprintf(to, "%s", cases[i].begin);
    for (size_t k = 0; k < cases[i].count; k++, to += length)
      memcpy(to, cases[i].part, length);
    sprintf(to, "%s", cases[i].end);
    rdx_condition *condition = NULL;
    rdx_error error = {""};
    const rdx_status status = rdx_condition_parse(text, &condition, &error);
    if (status != cases[i].status)
      fail_msg("%.20s: %s (%s)", text, rdx_status_name(status), error.text);
    rdx_condition_destroy(&condition);
    free(text);
  }
}

/* Chains within parentheses within chains, none of them deep by itself. */
static void test_chains(void **state) {
  (void)state;
  static char text[40000];
  char *to = text + sprintf(text, "i = ");
  for (int i = 0; i < 140; i++)
    *to++ = '(';
  *to++ = '1';
  for (int i = 0; i < 140 * 71; i++)
    to += sprintf(to, i % 71 == 0 ? ")" : "+1");
  rdx_condition *condition = NULL;
  assert_int_equal(rdx_condition_parse(text, &condition, NULL), RDX_ERROR_UNSUPPORTED);
}

static void *parse_often(void *argument) {
  bool *good = argument;
  *good = true;
  for (int i = 0; i < 50; i++) {
    rdx_condition *condition = NULL;
    *good &= rdx_condition_parse("a < 5 AND b BETWEEN 1 AND 9 AND c = 'x'", &condition, NULL) == RDX_OK;
    *good &= rdx_condition_columns(condition) == 3;
    rdx_condition_destroy(&condition);
    *good &= rdx_condition_parse("a < ", &condition, NULL) == RDX_ERROR_FORMAT;
  }
  return NULL;
}

/* Names that are longer than those of PostgreSQL, bare and in quotes. */
static void test_long_names(void **state) {
  (void)state;
  char bare[100], text[300];
  rdx_condition *condition = NULL;
  memset(bare, 'n', sizeof bare);
  bare[sizeof bare - 1] = 0;
  snprintf(text, sizeof text, "1 < %s AND \"%s \"\"Q\"\"\" = 2 AND %.62s\xc3\xa9 = 3", bare, bare, bare);
  for (char *c = text; c < text + 20; c++)
    *c = (char)toupper((unsigned char)*c);
  OK(rdx_condition_parse(text, &condition, err));
  assert_int_equal(rdx_condition_columns(condition), 3);
  assert_string_equal(rdx_condition_column_name(condition, 0), bare);
  assert_memory_equal(rdx_condition_column_name(condition, 1), bare, sizeof bare - 1);
  assert_string_equal(rdx_condition_column_name(condition, 1) + sizeof bare - 1, " \"Q\"");
  assert_string_equal(rdx_condition_column_name(condition, 2) + 62, "\xc3\xa9");
  rdx_condition_destroy(&condition);
}

static void test_threads(void **state) {
  (void)state;
  pthread_t threads[4];
  bool good[4];
  for (size_t i = 0; i < COUNT(threads); i++)
    assert_int_equal(pthread_create(&threads[i], NULL, parse_often, &good[i]), 0);
  for (size_t i = 0; i < COUNT(threads); i++) {
    pthread_join(threads[i], NULL);
    assert_true(good[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_selections), cmocka_unit_test(test_refused),    cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_chains),     cmocka_unit_test(test_long_names), cmocka_unit_test(test_threads),
  };
  return TEST_MAIN(tests);
}
