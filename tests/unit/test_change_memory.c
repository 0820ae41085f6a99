/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Whichever request for memory fails: a statement that changes a table leaves it as it was, or makes all of its
 * changes, and gives back what it took. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <raydex/raydex.h>

#include "tests/unit/failing_memory.h"

static rdx_status run(rdx_database *d, const char *sql, rdx_error *err) {
  rdx_status status = RDX_OK;
  for (const char *rest = sql; *rest && status == RDX_OK;) {
    rdx_statement *s = NULL;
    rdx_answer *a = NULL;
    status = rdx_statement_prepare(d, rest, &rest, &s, err);
    if (status == RDX_OK)
      status = rdx_statement_execute(s, &a, err);
    rdx_answer_destroy(&a);
    rdx_statement_destroy(&s);
  }
  return status;
}

/* Whether a query's first value is true. */
static bool holds(rdx_database *d, const char *query) {
  rdx_error err = {""};
  rdx_statement *s = NULL;
  rdx_answer *a = NULL;
  rdx_status status = rdx_statement_prepare(d, query, NULL, &s, &err);
  if (status == RDX_OK)
    status = rdx_statement_execute(s, &a, &err);
  const bool is = status == RDX_OK && *(const uint8_t *)rdx_table_column(rdx_answer_table(a), 0)->values;
  rdx_answer_destroy(&a);
  rdx_statement_destroy(&s);
  return is;
}

#define MAKE                                                                                                           \
  "CREATE TABLE t AS SELECT g AS a, 'row ' || g AS b FROM generate_series(1, 3) AS s (g); CREATE INDEX i ON t (a);"    \
  "CREATE TABLE o AS SELECT 2 AS k, 'new' AS v; CREATE TABLE c (a int PRIMARY KEY, b text UNIQUE, CHECK (a > 0));"     \
  "INSERT INTO c SELECT * FROM t"

static const struct {
  const char *statement, *before, *after;
} examples[] = {
    {"INSERT INTO t SELECT k + 7, v FROM o RETURNING a, b || a", "SELECT count(*) = 3 FROM t",
     "SELECT count(*) = 4 AND max(a) = 9 FROM t"},
    {"UPDATE t SET b = v FROM o WHERE a = k RETURNING t.*, v || a",
     "SELECT max(b) = 'row 3' AND min(b) = 'row 1' FROM t", "SELECT count(*) = 3 AND min(b) = 'new' FROM t"},
    {"DELETE FROM t USING o WHERE a > k RETURNING b, v", "SELECT count(*) = 3 FROM t", "SELECT max(a) = 2 FROM t"},
    {"ALTER TABLE t ADD c text DEFAULT 'x', DROP b, ADD d int", "SELECT count(b) = 3 FROM t",
     "SELECT count(c) = 3 AND count(d) = 0 FROM t"},
    {"INSERT INTO c VALUES (7, 'x'), (8, 'y')", "SELECT count(*) = 3 FROM c", "SELECT count(*) = 5 FROM c"},
    {"INSERT INTO c VALUES (1, 'x'), (9, 'row 3'), (8, 'y') ON CONFLICT DO NOTHING RETURNING b",
     "SELECT count(*) = 3 FROM c", "SELECT count(*) = 4 AND max(a) = 8 FROM c"},
    {"INSERT INTO c VALUES (1, 'x'), (8, 'y') ON CONFLICT (a) DO UPDATE SET b = c.b || excluded.b RETURNING *",
     "SELECT count(*) = 3 FROM c", "SELECT count(*) = 4 AND min(b) = 'row 1x' FROM c"},
    {"MERGE INTO c USING (VALUES (1, 'x'), (2, 'y'), (9, 'z')) AS v (k, w) ON a = k WHEN MATCHED AND k = 1 THEN DELETE "
     "WHEN MATCHED THEN UPDATE SET b = w WHEN NOT MATCHED THEN INSERT VALUES (k, w)",
     "SELECT count(*) = 3 AND max(a) = 3 FROM c", "SELECT count(*) = 3 AND min(a) = 2 AND max(b) = 'z' FROM c"},
    {"UPDATE c SET a = a + 1, b = b || a", "SELECT min(a) = 1 FROM c", "SELECT min(a) = 2 FROM c"},
    {"ALTER TABLE c ADD CHECK (b > '0'), ADD UNIQUE (b), DROP CONSTRAINT c_pkey", "SELECT count(*) = 3 FROM c",
     "SELECT count(*) = 3 FROM c"},
    {"CREATE TABLE n (a int PRIMARY KEY, b text CHECK (b > 'x'), UNIQUE (b, a))", "SELECT count(*) = 3 FROM c",
     "SELECT count(*) = 0 FROM n"},
    {"ALTER TABLE t RENAME a TO x", "SELECT count(b) = 1 FROM t WHERE a = 2", "SELECT count(b) = 1 FROM t WHERE x = 2"},
    {"ALTER TABLE c RENAME a TO x", "SELECT count(b) = 1 FROM c WHERE a = 2", "SELECT count(b) = 1 FROM c WHERE x = 2"},
    {"ALTER TABLE t RENAME TO u", "SELECT count(b) = 1 FROM t WHERE a = 2", "SELECT count(b) = 1 FROM u WHERE a = 2"},
};

/* Fail request `number` of a statement; false: it has not so many. */
static bool fail_request(rdx_device *device, size_t example, int64_t number) {
  rdx_error err = {""};
  rdx_database *d = NULL;
  if (rdx_database_open(device, NULL, NULL, &d, &err) != RDX_OK || run(d, MAKE, &err) != RDX_OK)
    fail_msg("%s", err.text);
  requests_left = number;
  const rdx_status status = run(d, examples[example].statement, &err);
  const bool failed = requests_left < 0;
  requests_left = INT64_MAX;
  if (status != RDX_OK && status != RDX_ERROR_MEMORY && status != RDX_ERROR_DEVICE_MEMORY)
    fail_msg("%s: request %lld: %s", examples[example].statement, (long long)number, err.text);
  if (!failed)
    assert_int_equal(status, RDX_OK);
  if (!holds(d, status == RDX_OK ? examples[example].after : examples[example].before))
    fail_msg("%s: request %lld: %s", examples[example].statement, (long long)number,
             status == RDX_OK ? "it is not done" : "it is done");
  rdx_database_close(&d);
  return failed;
}

static void test_changes_fail_whole(void **state) {
  rdx_error err = {""};
  rdx_device *device = NULL;
  (void)state;
  assert_int_equal(rdx_device_open("cpu", &(rdx_device_params){.threads = 1}, &device, &err), RDX_OK);
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
    assert_false(fail_request(device, i, INT64_MAX)); /* what the device keeps for later is there then */
    const int64_t before = live;
    int64_t number = 0;
    for (; fail_request(device, i, number); number++)
      assert_int_equal(live, before);
    assert_true(number > 20);
  }
  rdx_device_close(&device);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_changes_fail_whole)};
  rdx_set_allocator(&failing_memory);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
