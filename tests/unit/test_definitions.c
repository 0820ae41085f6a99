/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Databases of one folder know what the others define: views, cubes and indexes that come, change and go. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/ask.h"

#define CHANGES 200

static rdx_device *device;
static char folder[] = "/tmp/raydex-definitions-XXXXXX";
static rdx_database *first, *second;

static rdx_database *open_database(void) {
  rdx_error err = {""};
  rdx_database *d = NULL;
  if (rdx_database_open(device, folder, NULL, &d, &err) != RDX_OK)
    fail_msg("%s", err.text);
  return d;
}

static int open_both(void **state) {
  (void)state;
  first = open_database();
  second = open_database();
  must(first, "CREATE TABLE t AS SELECT g::bigint AS n, g % 7 AS k FROM generate_series(1, 2000) AS s (g)");
  return 0;
}

static int close_both(void **state) {
  (void)state;
  must(second, "DROP TABLE IF EXISTS t");
  rdx_database_close(&first);
  rdx_database_close(&second);
  return 0;
}

static void refuse(rdx_database *d, const char *sql, rdx_status status, const char *part) {
  rdx_error err = {""};
  int64_t ignored = 0;
  assert_int_equal(ask(d, sql, &ignored, &err), status);
  if (!strstr(err.text, part))
    fail_msg("%s: \"%s\" is not in \"%s\"", sql, part, err.text);
}

/* Whether a plan has this part. */
static bool plan_has(rdx_database *d, const char *sql, const char *part) {
  rdx_error err = {""};
  rdx_statement *s = NULL;
  rdx_answer *a = NULL;
  char text[256];
  snprintf(text, sizeof text, "EXPLAIN (FORMAT JSON) %s", sql);
  if (rdx_statement_prepare(d, text, NULL, &s, &err) != RDX_OK || rdx_statement_execute(s, &a, &err) != RDX_OK)
    fail_msg("%s: %s", sql, err.text);
  uint64_t length = 0;
  const char *plan = rdx_column_string(rdx_table_column(rdx_answer_table(a), 0), 0, &length);
  const bool found = memmem(plan, length, part, strlen(part)) != NULL;
  rdx_answer_destroy(&a);
  rdx_statement_destroy(&s);
  return found;
}

static void assert_indexes(rdx_database *d, uint64_t count) {
  rdx_error err = {""};
  rdx_table *t = NULL;
  assert_int_equal(rdx_database_indexes(d, &t, &err), RDX_OK);
  assert_int_equal(rdx_table_rows(t), count);
  rdx_table_destroy(&t);
}

/* ---- One after the other ---- */

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void views_are_those_of_the_folder(void **state) {
  rdx_error err = {""};
  const char *text = NULL;
  (void)state;
  must(first, "CREATE VIEW v AS SELECT count(*) AS n FROM t");
  assert_int_equal(must(second, "SELECT n FROM v"), 2000);
  must(second, "CREATE OR REPLACE VIEW v AS SELECT 7::bigint AS n");
  assert_int_equal(must(first, "SELECT n FROM v"), 7);
  must(first, "CREATE OR REPLACE VIEW v AS SELECT 8::bigint AS n");
  assert_int_equal(must(second, "SELECT n FROM v"), 8);
  must(first, "CREATE VIEW above AS SELECT n + 1 AS n FROM v");
  refuse(second, "DROP VIEW v", RDX_ERROR_ARGUMENT, "view \"above\" reads it");
  must(second, "DROP VIEW v, above");
  refuse(first, "SELECT n FROM v", RDX_ERROR_NOT_FOUND, "does not exist");
  assert_int_equal(rdx_database_view(first, "v", &text, &err), RDX_OK);
  assert_null(text);
  must(first, "CREATE TABLE v AS SELECT 9::bigint AS n");
  assert_int_equal(must(second, "SELECT n FROM v"), 9);
  must(second, "DROP TABLE v");
  must(first, "CREATE VIEW v AS SELECT n FROM t");
  refuse(second, "DROP TABLE t", RDX_ERROR_ARGUMENT, "view \"v\" reads it");
  assert_int_equal(rdx_database_view(second, "v", &text, &err), RDX_OK);
  assert_string_equal(text, "CREATE VIEW v AS SELECT n FROM t");
  must(second, "DROP VIEW v");
}

static void indexes_are_those_of_the_folder(void **state) {
  static const char asks[] = "SELECT k FROM t WHERE n = 70", named[] = "SELECT k FROM moved WHERE m = 70";
  (void)state;
  must(first, "SET scan_method = index");
  must(second, "SET scan_method = index");
  must(first, "CREATE INDEX i ON t USING hash (n)");
  assert_true(plan_has(second, asks, "\"Index\": \"i\""));
  must(second, "DROP INDEX i");
  assert_false(plan_has(first, asks, "\"Index\": \"i\""));
  must(second, "CREATE INDEX i ON t (n)");
  must(second, "CREATE INDEX pair ON t (k, n)");
  must(first, "ALTER TABLE t RENAME TO moved");
  must(first, "ALTER TABLE moved RENAME n TO m");
  assert_true(plan_has(second, named, "\"Index\": \"i\""));
  assert_indexes(second, 2);
  must(second, "ALTER TABLE moved DROP COLUMN k");
  assert_indexes(first, 1);
  must(second, "ALTER TABLE moved RENAME TO t");
  must(first, "DROP TABLE t");
  assert_indexes(second, 0);
}

/* What another database defines does not stand before what this one has by itself. */
static void own_tables_stand_before_definitions(void **state) {
  (void)state;
  must(first, "CREATE TEMP TABLE v AS SELECT 1::bigint AS n");
  must(first, "CREATE TEMP TABLE c AS SELECT 2::bigint AS n");
  must(second, "CREATE VIEW v AS SELECT 3::bigint AS n");
  must(second, "CREATE MATERIALIZED VIEW c AS SELECT k AS n, sum(n) FROM t GROUP BY k");
  assert_int_equal(must(first, "SELECT n FROM v"), 1);
  assert_int_equal(must(first, "SELECT n FROM c"), 2);
  assert_int_equal(must(first, "SELECT count(*) FROM information_schema.tables WHERE table_name = 'v'"), 1);
  assert_int_equal(must(second, "SELECT count(*) FROM information_schema.tables WHERE table_name = 'v'"), 1);
  must(first, "DROP TABLE v");
  must(first, "DROP TABLE c");
  assert_int_equal(must(first, "SELECT n FROM v"), 3);
  assert_int_equal(must(first, "SELECT sum::bigint FROM c WHERE n = 1"), 285571);
  must(first, "DROP VIEW v");
  must(second, "DROP MATERIALIZED VIEW c");
}

/* A temporary table hides the folder's table of its name, and leaves the indexes of that one alone. */
static void temporary_tables_have_no_indexes_of_others(void **state) {
  (void)state;
  must(first, "SET scan_method = index");
  must(first, "CREATE TEMP TABLE u AS SELECT 5::bigint AS k");
  must(second, "CREATE TABLE u AS SELECT g::bigint AS k, g AS n FROM generate_series(1, 100) AS s (g)");
  must(second, "CREATE INDEX pair ON u (k, n)");
  assert_int_equal(must(first, "SELECT k FROM u WHERE k = 5"), 5);
  must(first, "ALTER TABLE u RENAME k TO m");
  must(first, "DROP TABLE u");
  assert_indexes(second, 1);
  assert_true(plan_has(second, "SELECT n FROM u WHERE k = 5 AND n = 5", "\"Index\": \"pair\"") ||
              plan_has(first, "SELECT n FROM u WHERE k = 5 AND n = 5", "\"Index\": \"pair\""));
  must(second, "DROP TABLE u");
}

/* An ALTER that fails leaves the definitions of indexes as they were. */
static void failed_changes_leave_definitions(void **state) {
  char path[96], text[256] = "";
  (void)state;
  snprintf(path, sizeof path, "%s/list.csv", folder);
  write_text(path, "a,b\n1,2\n3,4\n");
  must(first, "CREATE INDEX i ON list (a)");
  refuse(first, "ALTER TABLE list RENAME TO other", RDX_ERROR_UNSUPPORTED, "renames table files");
  char definition[96];
  snprintf(definition, sizeof definition, "%s/i.index", folder);
  FILE *file = fopen(definition, "r");
  assert_non_null(file);
  const size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[length] = '\0';
  assert_null(strchr(text, ';'));
  assert_indexes(second, 1);
  must(second, "DROP INDEX i");
  unlink(path);
}

/* A definition that goes while another one is damaged is missed all the same. */
static void definitions_beside_damaged_ones_go(void **state) {
  char path[96];
  (void)state;
  must(first, "CREATE VIEW v AS SELECT 3::bigint AS n");
  snprintf(path, sizeof path, "%s/bad.index", folder);
  write_text(path, "raydex definition 1 0123456789abcdef\nCREATE INDEX bad ON t (n)");
  refuse(second, "SELECT n FROM v", RDX_ERROR_FORMAT, "bad.index is damaged");
  unlink(path);
  must(first, "DROP VIEW v");
  must(first, "CREATE TABLE v AS SELECT 9::bigint AS n");
  assert_int_equal(must(second, "SELECT n FROM v"), 9);
  must(first, "DROP TABLE v");
}

/* A table that is added stands before a view of its name, for texts that were asked before, too. */
static void added_tables_stand_before_views(void **state) {
  rdx_error err = {""};
  rdx_table *table = NULL;
  (void)state;
  must(first, "CREATE VIEW v AS SELECT 3::bigint AS n");
  assert_int_equal(must(first, "SELECT n::bigint FROM v"), 3);
  assert_int_equal(rdx_table_parse_csv("v", "n\n4\n", 4, NULL, &table, &err), RDX_OK);
  assert_int_equal(rdx_database_add(first, "v", table, &err), RDX_OK);
  assert_int_equal(must(first, "SELECT n::bigint FROM v"), 4);
  must(second, "DROP VIEW v");
}

/* A table can go where nothing can be written any more. */
static void indexed_tables_go_from_full_disks(void **state) {
  struct rlimit old, none;
  (void)state;
  must(first, "CREATE INDEX i ON t (n)");
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
  none = (struct rlimit){.rlim_cur = 0, .rlim_max = old.rlim_max};
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
  refuse(first, "CREATE VIEW v AS SELECT n FROM t", RDX_ERROR_IO, "cannot write");
  must(first, "DROP TABLE t");
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
  assert_indexes(second, 0);
}

static void cubes_are_those_of_the_folder(void **state) {
  static const char asks[] = "SELECT k, sum(n) FROM t GROUP BY k ORDER BY k", cube[] = "\"Cube\": \"c\"";
  static const char *const methods[] = {"sorted_cube", "coarse_cube"};
  char text[160];
  (void)state;
  for (int i = 0; i < 2; i++) {
    snprintf(text, sizeof text, "CREATE MATERIALIZED VIEW c USING %s AS SELECT k, sum(n), count(*) FROM t GROUP BY k",
             methods[i]);
    must(first, text);
    snprintf(text, sizeof text, "SET method = %s", methods[i]);
    must(second, text);
    assert_true(plan_has(second, asks, cube));
    assert_true(plan_has(second, asks, methods[i]));
    assert_int_equal(must(second, "SELECT count FROM c WHERE k = 0"), 285);
    if (i == 0) { /* another one of its name, before the second database looks */
      must(first, "DROP MATERIALIZED VIEW c");
      continue;
    }
    must(first, "INSERT INTO t VALUES (1, 0)");
    assert_int_equal(must(second, "SELECT count FROM c WHERE k = 0"), 286);
  }
  refuse(second, "DROP TABLE t", RDX_ERROR_ARGUMENT, "materialized view \"c\" reads it");
  must(second, "DROP MATERIALIZED VIEW c");
  refuse(first, "SELECT count FROM c", RDX_ERROR_NOT_FOUND, "does not exist");
  assert_indexes(first, 0);
}

/* What was prepared before is planned anew. */
static void prepared_statements_are_planned_anew(void **state) {
  rdx_error err = {""};
  rdx_statement *s = NULL;
  rdx_answer *a = NULL;
  (void)state;
  must(first, "CREATE VIEW v AS SELECT 1::bigint AS n");
  must(second, "PREPARE p AS SELECT n FROM v");
  assert_int_equal(rdx_statement_prepare(second, "SELECT n FROM v", NULL, &s, &err), RDX_OK);
  for (int64_t i = 2; i < 12; i++) {
    char text[96];
    snprintf(text, sizeof text, "CREATE OR REPLACE VIEW v AS SELECT %d::bigint AS n", (int)i);
    must(first, text);
    assert_int_equal(must(second, "EXECUTE p"), i);
    assert_int_equal(rdx_statement_execute(s, &a, &err), RDX_OK);
    assert_int_equal(*(const int64_t *)rdx_table_column(rdx_answer_table(a), 0)->values, i);
    rdx_answer_destroy(&a);
  }
  must(first, "DROP VIEW v");
  refuse(second, "EXECUTE p", RDX_ERROR_NOT_FOUND, "does not exist");
  assert_int_equal(rdx_statement_execute(s, &a, &err), RDX_ERROR_NOT_FOUND);
  must(first, "CREATE VIEW v AS SELECT n FROM t WHERE n = 5");
  assert_int_equal(must(second, "EXECUTE p"), 5);
  must(first, "DROP VIEW v");
  rdx_statement_destroy(&s);
}

/* It is an error, as when a database is opened, until it is away. */
static void damaged_definitions_are_named(void **state) {
  char path[96];
  (void)state;
  must(first, "CREATE VIEW v AS SELECT 3::bigint AS n");
  assert_int_equal(must(second, "SELECT n FROM v"), 3);
  snprintf(path, sizeof path, "%s/bad.index", folder);
  write_text(path, "raydex definition 1 0123456789abcdef\nCREATE INDEX bad ON t (n)");
  for (int i = 0; i < 2; i++) {
    refuse(second, "SELECT n FROM v", RDX_ERROR_FORMAT, "bad.index is damaged");
    refuse(first, "DROP VIEW v", RDX_ERROR_FORMAT, "bad.index is damaged");
  }
  unlink(path);
  assert_int_equal(must(second, "SELECT n FROM v"), 3);
  must(first, "DROP VIEW v");
}

/* Files of others are no definitions, and stay as they are. */
static void files_of_others_are_left_alone(void **state) {
  static const char *const names[] = {"notes.view", "short.query", "site.index"};
  static const char *const statements[] = {
      "CREATE MATERIALIZED VIEW notes AS SELECT k, sum(n) FROM t GROUP BY k",
      "CREATE VIEW short AS SELECT 1 AS n",
      "CREATE INDEX site ON t (n)",
  };
  static const char *const drops[] = {"DROP MATERIALIZED VIEW notes", "DROP VIEW short", "DROP INDEX site"};
  char path[96], text[64];
  (void)state;
  for (int i = 0; i < 3; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    write_text(path, i == 1 ? "mine" : "This is the text of somebody else, and long enough");
    refuse(second, statements[i], RDX_ERROR_ARGUMENT, "is there already, and no definition");
    assert_indexes(first, 0);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_string_equal(fgets(text, 5, file), i == 1 ? "mine" : "This");
    fclose(file);
    unlink(path);
    must(second, statements[i]);
    must(first, drops[i]);
  }
}

/* What is no file, or has no name, is no definition. */
static void other_things_are_left_alone(void **state) {
  static const char *const names[] = {"folder.view", "pipe.query", ".hidden.index", ".view"};
  char paths[4][96];
  (void)state;
  for (int i = 0; i < 4; i++) {
    snprintf(paths[i], sizeof paths[i], "%s/%s", folder, names[i]);
    assert_int_equal(i == 0 ? mkdir(paths[i], 0700) : i == 1 ? mkfifo(paths[i], 0600) : symlink("t.rdx", paths[i]), 0);
    assert_int_equal(must(second, "SELECT count(*) FROM t"), 2000);
  }
  for (int i = 0; i < 4; i++)
    remove(paths[i]);
  snprintf(paths[0], sizeof paths[0], "%s/pipe.index", folder);
  assert_int_equal(mkfifo(paths[0], 0600), 0);
  refuse(second, "CREATE INDEX pipe ON t (n)", RDX_ERROR_ARGUMENT, "is there already, and no definition");
  remove(paths[0]);
}

/* ---- At the same time ---- */

static _Atomic bool fires;

static void *drop_all(void *user) {
  rdx_error err = {""};
  int64_t ignored = 0;
  rdx_status *status = user;
  *status = ask(first, "DROP VIEW v", &ignored, &err);
  if (*status == RDX_OK)
    *status = ask(first, "DROP TABLE t", &ignored, &err);
  return NULL;
}

/* Another thread has dropped all when this returns. */
static bool drop_meanwhile(void *user, const char *stage, uint64_t done, uint64_t total) {
  pthread_t thread;
  (void)stage, (void)done, (void)total;
  if (!atomic_exchange(&fires, false))
    return false;
  assert_int_equal(pthread_create(&thread, NULL, drop_all, user), 0);
  pthread_join(thread, NULL);
  return false;
}

static void statements_that_run_keep_what_they_opened(void **state) {
  static const char asks[] = "SELECT count(*) FROM v AS a JOIN t AS b ON a.n < b.n";
  rdx_status status = RDX_ERROR_ARGUMENT;
  (void)state;
  must(first, "CREATE VIEW v AS SELECT n FROM t WHERE n > 1000");
  const int64_t pairs = must(second, asks);
  must(second, "SET join_method = tree"); /* and the plan is made anew */
  atomic_store(&fires, true);
  rdx_set_progress(drop_meanwhile, &status);
  assert_int_equal(must(second, asks), pairs);
  rdx_set_progress(NULL, NULL);
  assert_false(fires);
  assert_int_equal(status, RDX_OK);
  refuse(second, asks, RDX_ERROR_NOT_FOUND, "does not exist");
}

static void *define_always(void *user) {
  static const char *const changes[] = {
      "CREATE INDEX i ON t (n)",
      "CREATE MATERIALIZED VIEW c AS SELECT k, sum(n), count(*) FROM t GROUP BY k",
      "DROP INDEX i",
      "CREATE OR REPLACE VIEW v AS SELECT n, k FROM t",
      "DROP MATERIALIZED VIEW c",
      "CREATE OR REPLACE VIEW v AS SELECT k, n FROM t",
  };
  _Atomic int *state = user; /* above 0: a failure; -1: it goes on */
  rdx_error err = {""};
  int64_t ignored = 0;
  for (int i = 0; i < CHANGES; i++)
    if (ask(first, changes[i % 6], &ignored, &err) != RDX_OK)
      atomic_store(state, i + 1);
  int going = -1;
  atomic_compare_exchange_strong(state, &going, 0);
  return NULL;
}

static void *ask_always(void *user) {
  rdx_error err = {""};
  int64_t sum = 0, failures = 0;
  while (atomic_load((_Atomic int *)user) == -1) {
    failures += ask(second, "SELECT sum(n)::bigint FROM v WHERE n < 100", &sum, &err) != RDX_OK || sum != 4950;
    failures += ask(second, "SELECT n FROM t WHERE n = 77", &sum, &err) != RDX_OK || sum != 77;
    failures += ask(second, "SELECT sum(n)::bigint FROM t WHERE k = 3", &sum, &err) != RDX_OK || sum != 286143;
  }
  return failures ? user : NULL;
}

/* Threads of a database read while another database defines. */
static void threads_read_while_another_database_defines(void **state) {
  pthread_t threads[3];
  _Atomic int going = -1;
  (void)state;
  must(first, "CREATE VIEW v AS SELECT n FROM t");
  for (int i = 0; i < 3; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, i ? ask_always : define_always, &going), 0);
  for (int i = 0; i < 3; i++) {
    void *failed = NULL;
    pthread_join(threads[i], &failed);
    assert_null(failed);
  }
  assert_int_equal(going, 0);
  must(second, "DROP VIEW IF EXISTS v");
  must(second, "DROP MATERIALIZED VIEW IF EXISTS c");
}

static int begin(void **state) {
  (void)state;
  return mkdtemp(folder) && rdx_device_open("cpu", NULL, &device, NULL) == RDX_OK ? 0 : -1;
}

static int end(void **state) {
  (void)state;
  rdx_device_close(&device);
  return rmdir(folder);
}

#define BOTH(test) cmocka_unit_test_setup_teardown(test, open_both, close_both)

int main(void) {
  const struct CMUnitTest tests[] = {
      BOTH(views_are_those_of_the_folder),
      BOTH(indexes_are_those_of_the_folder),
      BOTH(own_tables_stand_before_definitions),
      BOTH(temporary_tables_have_no_indexes_of_others),
      BOTH(failed_changes_leave_definitions),
      BOTH(definitions_beside_damaged_ones_go),
      BOTH(added_tables_stand_before_views),
      BOTH(indexed_tables_go_from_full_disks),
      BOTH(cubes_are_those_of_the_folder),
      BOTH(prepared_statements_are_planned_anew),
      BOTH(damaged_definitions_are_named),
      BOTH(files_of_others_are_left_alone),
      BOTH(other_things_are_left_alone),
      BOTH(statements_that_run_keep_what_they_opened),
      BOTH(threads_read_while_another_database_defines),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
