/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* A program whose locale has a comma in numbers: answers are what they are in C's. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <raydex/raydex.h>

static char folder[] = "/tmp/raydex-locale-XXXXXX";

static int set_locale(void **state) {
  char command[192];
  (void)state;
  if (!mkdtemp(folder))
    return -1;
  snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder);
  if (!setlocale(LC_ALL, "de_DE.UTF-8") && system(command) == 0) {
    setenv("LOCPATH", folder, 1);
    setlocale(LC_ALL, "de_DE.UTF-8");
  }
  return 0;
}

static int remove_locale(void **state) {
  char command[64];
  (void)state;
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

static void need_comma(void) {
  if (strcmp(localeconv()->decimal_point, ",") != 0)
    skip();
}

/* The first value of a statement's answer, as text. */
static void expect(rdx_database *d, const char *sql, const char *text) {
  rdx_error err = {""};
  rdx_statement *s = NULL;
  rdx_answer *a = NULL;
  char value[RDX_VALUE_TEXT];
  if (rdx_statement_prepare(d, sql, NULL, &s, &err) != RDX_OK || rdx_statement_execute(s, &a, &err) != RDX_OK)
    fail_msg("%s: %s", sql, err.text);
  const rdx_column *c = rdx_table_column(rdx_answer_table(a), 0);
  uint64_t length = c->type == RDX_TYPE_STRING ? 0 : rdx_column_format(c, 0, value);
  const char *found = c->type == RDX_TYPE_STRING ? rdx_column_string(c, 0, &length) : value;
  if (length != strlen(text) || memcmp(found, text, length) != 0)
    fail_msg("%s: \"%.*s\" is not \"%s\"", sql, (int)length, found, text);
  rdx_answer_destroy(&a);
  rdx_statement_destroy(&s);
}

static void statements_have_points(void **state) {
  static const char *const cases[][2] = {
      {"SELECT 1.5::float8", "1.5"},
      {"SELECT 1.5::float8::numeric", "1.5"},
      {"SELECT 1.5::real::numeric", "1.5"},
      {"SELECT 1234.56::float8::text || ';'", "1234.56;"},
      {"SELECT to_char(1234.56::float8, '9,999.99')", " 1,234.56"},
      {"SELECT to_char(1.5::real, '0.00')", " 1.50"},
      {"SELECT count(*) FROM (VALUES (0.1::real), (0.2)) t (a) WHERE a = 0.1::real", "1"},
  };
  rdx_error err = {""};
  rdx_device *device = NULL;
  rdx_database *d = NULL;
  (void)state;
  need_comma();
  if (rdx_device_open("cpu", NULL, &device, &err) != RDX_OK ||
      rdx_database_open(device, NULL, NULL, &d, &err) != RDX_OK)
    fail_msg("%s", err.text);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    expect(d, cases[i][0], cases[i][1]);
  rdx_database_close(&d);
  rdx_device_close(&device);
}

static void conditions_have_points(void **state) {
  rdx_error err = {""};
  rdx_condition *condition = NULL;
  const rdx_predicate *predicate = NULL;
  const rdx_column column = {.type = RDX_TYPE_F32};
  (void)state;
  need_comma();
  if (rdx_condition_parse("a = 0.1::real", &condition, &err) != RDX_OK ||
      rdx_condition_bind(condition, &column, NULL, &predicate, &err) != RDX_OK)
    fail_msg("%s", err.text);
  rdx_condition_destroy(&condition);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(statements_have_points),
      cmocka_unit_test(conditions_have_points),
  };
  return cmocka_run_group_tests(tests, set_locale, remove_locale);
}
