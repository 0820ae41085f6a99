/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The values of $1, $2, ...: what is refused, what they are where tables were replaced, what they take. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <raydex/raydex.h>

#include "failing_memory.h"

static char folder[] = "/tmp/raydex-parameters-XXXXXX";
static rdx_device *device;

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
  char command[64];
  (void)state;
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

static rdx_database *open_database(void) {
  rdx_error err = {""};
  rdx_database *d = NULL;
  if (rdx_device_open("cpu", &(rdx_device_params){.threads = 2}, &device, &err) != RDX_OK ||
      rdx_database_open(device, folder, NULL, &d, &err) != RDX_OK)
    fail_msg("%s", err.text);
  return d;
}

static void close_database(rdx_database **d) {
  rdx_database_close(d);
  rdx_device_close(&device);
}

static void run(rdx_database *d, const char *sql) {
  rdx_error err = {""};
  rdx_statement *s = NULL;
  rdx_answer *a = NULL;
  if (rdx_statement_prepare(d, sql, NULL, &s, &err) != RDX_OK || rdx_statement_execute(s, &a, &err) != RDX_OK)
    fail_msg("%s: %s", sql, err.text);
  rdx_answer_destroy(&a);
  rdx_statement_destroy(&s);
}

/* What a statement gives: the first value, as text, or how the error begins. */
static void expect_text(rdx_statement *s, const char *text) {
  rdx_error err = {""};
  rdx_answer *a = NULL;
  char number[RDX_VALUE_TEXT];
  const char *found = err.text;
  uint64_t length = strlen(text);
  if (rdx_statement_execute(s, &a, &err) == RDX_OK) {
    assert_int_equal(rdx_table_rows(rdx_answer_table(a)), 1);
    const rdx_column *c = rdx_table_column(rdx_answer_table(a), 0);
    found = number;
    if (c->type == RDX_TYPE_STRING)
      found = rdx_column_string(c, 0, &length);
    else
      length = rdx_column_format(c, 0, number);
  }
  if (length != strlen(text) || strncmp(found, text, length) != 0)
    fail_msg("\"%.*s\" is not \"%s\"", (int)length, found, text);
  rdx_answer_destroy(&a);
}

static void test_parameters_keep_their_values(void **state) {
  rdx_error err = {""};
  rdx_statement *s = NULL;
  rdx_answer *a = NULL;
  const int32_t numbers[] = {7, 8};
  (void)state;
  rdx_database *d = open_database();
  assert_int_equal(rdx_statement_prepare(d, "SELECT $1 + $2 * 10", NULL, &s, &err), RDX_OK);
  assert_int_equal(rdx_statement_parameters(s), 2);
  assert_int_equal(rdx_statement_execute(s, &a, &err), RDX_ERROR_ARGUMENT); /* they have none yet */
  for (uint32_t i = 0; i < 2; i++)
    assert_int_equal(
        rdx_statement_bind(s, i + 1, &(rdx_column){.type = RDX_TYPE_I32, .rows = 1, .values = &numbers[i]}, &err),
        RDX_OK);
  for (int again = 0; again < 2; again++) {
    if (rdx_statement_execute(s, &a, &err) != RDX_OK)
      fail_msg("%s", err.text);
    const rdx_column *c = rdx_table_column(rdx_answer_table(a), 0);
    assert_int_equal(c->type == RDX_TYPE_I32 ? *(const int32_t *)c->values : *(const int64_t *)c->values, 87);
    rdx_answer_destroy(&a);
  }
  assert_int_equal(rdx_statement_bind(s, 3, &(rdx_column){.type = RDX_TYPE_I32, .rows = 1, .values = numbers}, &err),
                   RDX_ERROR_ARGUMENT);
  rdx_statement_destroy(&s);
  close_database(&d);
}

/* What a numeric beside the parameter has not is refused, unless a cast rounds it. */
static void test_parameters_keep_their_digits(void **state) {
  static const char *const texts[] = {"SELECT 1.50 + $1", "SELECT 1.50 + $1::numeric(18,2)"};
  const int64_t digits[] = {125, 250};
  (void)state;
  rdx_database *d = open_database();
  for (uint32_t i = 0; i < 4; i++) {
    rdx_error err = {""};
    rdx_statement *s = NULL;
    const rdx_column value = {.type = RDX_TYPE_DECIMAL, .scale = 3, .rows = 1, .values = &digits[i % 2]};
    assert_int_equal(rdx_statement_prepare(d, texts[i / 2], NULL, &s, &err), RDX_OK);
    assert_int_equal(rdx_statement_bind(s, 1, &value, &err), i == 0 ? RDX_ERROR_ARGUMENT : RDX_OK);
    assert_true(i > 0 || strstr(err.text, "does not fit its type, numeric(3,2)"));
    rdx_statement_destroy(&s);
  }
  close_database(&d);
}

/* Integers and dates of the plan take what they keep; a cast, and a column of INSERT, round. */
static void test_parameters_keep_their_fractions(void **state) {
  static const int64_t half = 25, whole = 20, noon = 43200000000, midnight = 86400000000;
  static const double small = -0.1, five = 5;
  static const float real = 2.5F;
  static const struct {
    const char *text;
    rdx_column value;
    bool fits;
  } cases[] = {
      {"SELECT 2 + $1", {.type = RDX_TYPE_DECIMAL, .scale = 1, .rows = 1, .values = &half}, false},
      {"SELECT 2 + $1", {.type = RDX_TYPE_DECIMAL, .scale = 1, .rows = 1, .values = &whole}, true},
      {"SELECT 2 + $1", {.type = RDX_TYPE_F64, .rows = 1, .values = &small}, false},
      {"SELECT 2 + $1", {.type = RDX_TYPE_F64, .rows = 1, .values = &five}, true},
      {"SELECT 2 + $1", {.type = RDX_TYPE_F32, .rows = 1, .values = &real}, false},
      {"SELECT 2 + $1::integer", {.type = RDX_TYPE_F32, .rows = 1, .values = &real}, true},
      {"INSERT INTO whole VALUES ($1)", {.type = RDX_TYPE_F64, .rows = 1, .values = &small}, true},
      {"SELECT date '1970-01-01' = $1", {.type = RDX_TYPE_TIMESTAMP, .rows = 1, .values = &noon}, false},
      {"SELECT date '1970-01-01' = $1", {.type = RDX_TYPE_TIMESTAMP, .rows = 1, .values = &midnight}, true},
  };
  (void)state;
  rdx_database *d = open_database();
  run(d, "CREATE TABLE whole (a integer)");
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rdx_error err = {""};
    rdx_statement *s = NULL;
    assert_int_equal(rdx_statement_prepare(d, cases[i].text, NULL, &s, &err), RDX_OK);
    assert_int_equal(rdx_statement_bind(s, 1, &cases[i].value, &err), cases[i].fits ? RDX_OK : RDX_ERROR_ARGUMENT);
    assert_true(cases[i].fits || strstr(err.text, "does not fit its type"));
    rdx_statement_destroy(&s);
  }
  close_database(&d);
}

/* Tables under a statement's parameter that is given 5 once: what comes of it, or the text of the error. */
static void test_parameters_fit_replaced_tables(void **state) {
  static const char *const steps[][2] = {
      {"SELECT 5 AS a", "5"},
      {"SELECT '5' AS a UNION ALL SELECT 'five'", "5"},
      {"SELECT date '2024-01-01' AS a", "cannot cast type integer to date"},
      {"SELECT 5.0::float8 AS a", "5"},
      {"SELECT 5.00 AS a", "5.00"},
      {"SELECT 5::bigint AS a", "5"},
  };
  rdx_error err = {""};
  rdx_statement *s = NULL;
  const int32_t five = 5;
  const char text[] = "five";
  const rdx_column number = {.type = RDX_TYPE_I32, .rows = 1, .values = &five};
  const rdx_column name = {.type = RDX_TYPE_STRING, .rows = 1, .values = text, .offsets = (uint64_t[]){0, 4}};
  (void)state;
  rdx_database *d = open_database();
  for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
    char sql[128];
    snprintf(sql, sizeof sql, "CREATE TABLE replaced AS %s", steps[i][0]);
    run(d, sql);
    if (i == 0) {
      assert_int_equal(rdx_statement_prepare(d, "SELECT a FROM replaced WHERE a = $1", NULL, &s, &err), RDX_OK);
      assert_int_equal(rdx_statement_bind(s, 1, &number, &err), RDX_OK);
    }
    expect_text(s, steps[i][1]);
    expect_text(s, steps[i][1]); /* what was refused is refused again */
    run(d, "DROP TABLE replaced");
  }
  run(d, "CREATE TABLE replaced AS SELECT 'five' AS a");
  assert_int_equal(rdx_statement_bind(s, 1, &name, &err), RDX_OK); /* by the table that there is now */
  expect_text(s, "five");
  run(d, "DROP TABLE replaced");
  rdx_statement_destroy(&s);
  close_database(&d);
}

static void test_parameters_are_checked(void **state) {
  const char text[] = "ab";
  const rdx_column wrong[] = {
      {.type = RDX_TYPE_I32, .rows = 1},
      {.type = RDX_TYPE_NONE, .rows = 1, .values = text},
      {.type = RDX_TYPE_STRING, .rows = 1, .values = text},
      {.type = RDX_TYPE_STRING, .rows = 1, .offsets = (uint64_t[]){0, 2}},
      {.type = RDX_TYPE_STRING, .rows = 1, .values = text, .offsets = (uint64_t[]){2, 0}},
      {.type = RDX_TYPE_I32, .rows = 0, .values = text},
  };
  rdx_error err = {""};
  rdx_statement *s = NULL;
  (void)state;
  rdx_database *d = open_database();
  assert_int_equal(rdx_statement_prepare(d, "SELECT $1", NULL, &s, &err), RDX_OK);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    assert_int_equal(rdx_statement_bind(s, 1, &wrong[i], &err), RDX_ERROR_ARGUMENT);
  assert_int_equal(rdx_statement_bind(NULL, 1, &wrong[0], &err), RDX_ERROR_ARGUMENT);
  assert_int_equal(rdx_statement_bind(s, 1, NULL, &err), RDX_ERROR_ARGUMENT);
  rdx_statement_destroy(&s);
  close_database(&d);
}

/* A value goes where another one takes its place. */
static void test_parameters_take_no_more_memory(void **state) {
  static char text[100000];
  const rdx_column value = {
      .type = RDX_TYPE_STRING, .rows = 1, .values = text, .offsets = (uint64_t[]){0, sizeof text}};
  rdx_error err = {""};
  rdx_statement *s = NULL;
  int64_t first = 0;
  (void)state;
  memset(text, 'x', sizeof text);
  rdx_set_allocator(&failing_memory);
  rdx_database *d = open_database();
  assert_int_equal(rdx_statement_prepare(d, "SELECT length($1)", NULL, &s, &err), RDX_OK);
  for (int i = 0; i < 20; i++) {
    assert_int_equal(rdx_statement_bind(s, 1, &value, &err), RDX_OK);
    first = i == 0 ? live : first;
  }
  assert_int_equal(live, first);
  rdx_statement_destroy(&s);
  close_database(&d);
  rdx_set_allocator(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_parameters_keep_their_values),
      cmocka_unit_test(test_parameters_keep_their_digits),
      cmocka_unit_test(test_parameters_keep_their_fractions),
      cmocka_unit_test(test_parameters_fit_replaced_tables), cmocka_unit_test(test_parameters_are_checked),
      cmocka_unit_test(test_parameters_take_no_more_memory),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
