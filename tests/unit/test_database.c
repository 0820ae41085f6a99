/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Databases by their public interface: files that change, definitions that last, kills, threads. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <raydex/raydex.h>

static char folder[] = "/tmp/raydex-database-XXXXXX";
static rdx_device *device;

static int make_folder(void **state) {
  rdx_error err;
  (void)state;
  const rdx_device_params params = {.threads = 2};
  return mkdtemp(folder) && rdx_device_open("cpu", &params, &device, &err) == RDX_OK ? 0 : -1;
}

static int remove_folder(void **state) {
  char command[64];
  (void)state;
  rdx_device_close(&device);
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

static rdx_database *open_database(void) {
  rdx_error err = {""};
  rdx_database *d = NULL;
  if (rdx_database_open(device, folder, NULL, &d, &err) != RDX_OK)
    fail_msg("%s", err.text);
  return d;
}

/* Run a statement; its status, and the first value of its result as text. */
static rdx_status ask(rdx_database *d, const char *sql, char *out, size_t size, rdx_error *err) {
  rdx_statement *s = NULL;
  rdx_answer *a = NULL;
  rdx_status status = rdx_statement_prepare(d, sql, NULL, &s, err);
  if (status == RDX_OK)
    status = rdx_statement_execute(s, &a, err);
  if (out)
    *out = '\0';
  const rdx_table *table = status == RDX_OK ? rdx_answer_table(a) : NULL;
  if (out && table && rdx_table_rows(table) > 0) {
    const rdx_column *c = rdx_table_column(table, 0);
    char text[RDX_VALUE_TEXT];
    uint64_t length = c->type == RDX_TYPE_STRING ? 0 : rdx_column_format(c, 0, text);
    const char *value = c->type == RDX_TYPE_STRING ? rdx_column_string(c, 0, &length) : text;
    snprintf(out, size, "%.*s", (int)length, value);
  }
  rdx_answer_destroy(&a);
  rdx_statement_destroy(&s);
  return status;
}

static void run(rdx_database *d, const char *sql) {
  rdx_error err = {""};
  if (ask(d, sql, NULL, 0, &err) != RDX_OK)
    fail_msg("%s: %s", sql, err.text);
}

static void expect(rdx_database *d, const char *sql, const char *value) {
  rdx_error err = {""};
  char out[64];
  if (ask(d, sql, out, sizeof out, &err) != RDX_OK)
    fail_msg("%s: %s", sql, err.text);
  assert_string_equal(out, value);
}

static void expect_part(rdx_database *d, const char *sql, const char *part) {
  rdx_error err = {""};
  char out[2048];
  if (ask(d, sql, out, sizeof out, &err) != RDX_OK)
    fail_msg("%s: %s", sql, err.text);
  if (!strstr(out, part))
    fail_msg("%s: \"%s\" is not in \"%s\"", sql, part, out);
}

static void expect_error(rdx_database *d, const char *sql, rdx_status status, const char *text) {
  rdx_error err = {""};
  assert_int_equal(ask(d, sql, NULL, 0, &err), status);
  if (!strstr(err.text, text))
    fail_msg("%s: \"%s\" is not in \"%s\"", sql, text, err.text);
}

/* ---- Statements ---- */

/* Runs of one statement with values for $1: its tag, and RETURNING's rows and first value. */
static void expect_change(rdx_statement *s, int32_t value, const char *tag, uint64_t rows, int32_t first) {
  rdx_error err = {""};
  rdx_answer *a = NULL;
  rdx_answer_stats stats;
  const rdx_column given = {.type = RDX_TYPE_I32, .rows = 1, .values = &value};
  if (rdx_statement_bind(s, 1, &given, &err) != RDX_OK || rdx_statement_execute(s, &a, &err) != RDX_OK)
    fail_msg("%s", err.text);
  rdx_answer_get_stats(a, &stats);
  assert_string_equal(rdx_answer_tag(a), tag);
  assert_int_equal(stats.rows, rows);
  const rdx_table *table = rdx_answer_table(a);
  assert_int_equal(rdx_table_rows(table), rows);
  if (rows > 0)
    assert_int_equal(*(const int32_t *)rdx_table_column(table, 0)->values, first);
  rdx_answer_destroy(&a);
}

static void test_changes_return_rows(void **state) {
  static const char *const texts[] = {"INSERT INTO changed VALUES ($1), ($1 + 1) RETURNING x, x * 2",
                                      "UPDATE changed SET x = x + $1 WHERE x < 10 RETURNING x",
                                      "DELETE FROM changed WHERE x = $1 RETURNING x"};
  rdx_error err = {""};
  rdx_statement *s[3] = {NULL};
  (void)state;
  rdx_database *d = open_database();
  run(d, "CREATE TABLE changed (x int)");
  for (int i = 0; i < 3; i++)
    if (rdx_statement_prepare(d, texts[i], NULL, &s[i], &err) != RDX_OK)
      fail_msg("%s", err.text);
  for (int32_t again = 0; again < 2; again++) {
    expect_change(s[0], 1, "INSERT 0 2", 2, 1);
    expect_change(s[0], 9, "INSERT 0 2", 2, 9);
    expect_change(s[1], 100, "UPDATE 3", 3, 101);
    expect_change(s[1], 100, "UPDATE 0", 0, 0);
    expect_change(s[2], 102, "DELETE 1", 1, 102);
    expect_change(s[2], 102, "DELETE 0", 0, 0);
  }
  for (int i = 0; i < 3; i++)
    rdx_statement_destroy(&s[i]);
  expect(d, "SELECT string_agg(x::text, ' ') FROM changed", "101 109 10 101 109 10");
  run(d, "DROP TABLE changed");
  rdx_database_close(&d);
}

static void test_text_has_several_statements(void **state) {
  rdx_error err = {""};
  rdx_statement *s = NULL;
  const char *text = "SELECT 1; -- one\n SELECT ';' ; ", *rest = text;
  int count = 0;
  (void)state;
  rdx_database *d = open_database();
  while (*rest) {
    assert_int_equal(rdx_statement_prepare(d, rest, &rest, &s, &err), RDX_OK);
    count += s != NULL;
    rdx_statement_destroy(&s);
  }
  assert_int_equal(count, 2);
  rdx_database_close(&d);
}

static void test_replaced_table_is_read_anew(void **state) {
  rdx_error err = {""};
  rdx_statement *s = NULL;
  rdx_answer *a = NULL;
  (void)state;
  rdx_database *d = open_database(), *other = open_database();
  run(d, "CREATE TABLE replaced AS SELECT 1 AS x");
  assert_int_equal(rdx_statement_prepare(d, "SELECT sum(x) FROM replaced", NULL, &s, &err), RDX_OK);
  for (int64_t sum = 1; sum <= 3; sum += 2) {
    assert_int_equal(rdx_statement_execute(s, &a, &err), RDX_OK);
    assert_int_equal(*(const int64_t *)rdx_table_column(rdx_answer_table(a), 0)->values, sum);
    rdx_answer_destroy(&a);
    run(other, "INSERT INTO replaced VALUES (2)");
  }
  rdx_statement_destroy(&s);
  run(other, "DROP TABLE replaced");
  expect_error(d, "SELECT sum(x) FROM replaced", RDX_ERROR_NOT_FOUND, "does not exist");
  rdx_database_close(&other);
  rdx_database_close(&d);
}

/* Also one that is written into, and then gets back the time at which it was written before. */
static void test_overwritten_file_is_read_anew(void **state) {
  char path[64];
  struct stat info;
  (void)state;
  rdx_database *d = open_database();
  snprintf(path, sizeof path, "%s/overwritten.csv", folder);
  for (int x = 1; x <= 2; x++) {
    char value[8];
    FILE *f = fopen(path, x == 1 ? "w" : "r+");
    assert_non_null(f);
    fprintf(f, "x\n%d\n", x);
    assert_int_equal(fclose(f), 0);
    if (x == 2)
      assert_int_equal(utimensat(AT_FDCWD, path, (struct timespec[]){info.st_atim, info.st_mtim}, 0), 0);
    assert_int_equal(stat(path, &info), 0);
    snprintf(value, sizeof value, "%d", x);
    expect(d, "SELECT x FROM overwritten", value);
    usleep(20000); /* times of files are as coarse */
  }
  rdx_database_close(&d);
}

static void test_now_is_of_each_run(void **state) {
  rdx_error err = {""};
  char first[64], second[64];
  (void)state;
  rdx_database *d = open_database();
  expect(d, "SELECT now() = now()", "true");
  assert_int_equal(ask(d, "SELECT now()", first, sizeof first, &err), RDX_OK);
  usleep(2000);
  assert_int_equal(ask(d, "SELECT now()", second, sizeof second, &err), RDX_OK);
  assert_string_not_equal(first, second);
  rdx_database_close(&d);
}

static void test_read_only_and_safe_refuse(void **state) {
  rdx_error err = {""};
  rdx_database *d = NULL;
  (void)state;
  assert_int_equal(rdx_database_open(device, folder, &(rdx_database_params){true, true}, &d, &err), RDX_OK);
  expect_error(d, "CREATE TABLE t (a integer)", RDX_ERROR_UNSUPPORTED, "read only");
  expect_error(d, "SELECT * FROM '/etc/passwd'", RDX_ERROR_UNSUPPORTED, "not allowed");
  rdx_database_close(&d);
  assert_int_equal(rdx_database_open(device, "/no/such/folder", NULL, &d, &err), RDX_ERROR_IO);
  assert_int_equal(rdx_database_open(device, "", NULL, &d, &err), RDX_ERROR_ARGUMENT);
  assert_non_null(strstr(err.text, "the folder's name is empty"));
}

#if defined(__SANITIZE_THREAD__)
#define LEVELS 200 /* what it keeps of every allocation grows with the stack */
#else
#define LEVELS 2400
#endif

/* `first`, then `again` so many times, with the number of each and the one before, then `last` with the last number. */
static char *deep_text(int levels, const char *first, const char *again, const char *last) {
  const size_t size = 1 << 20;
  char *text = malloc(size);
  assert_non_null(text);
  int used = snprintf(text, size, "%s", first);
  for (int i = 1; i <= levels; i++)
    used += snprintf(text + used, size - (size_t)used, again, i, i - 1);
  snprintf(text + used, size - (size_t)used, last, levels);
  return text;
}

static void *run_deep(void *database) {
  char *const unions = deep_text(LEVELS, "SELECT 0", " UNION SELECT %d", "");
  char *const with = deep_text(LEVELS, "SELECT n FROM (WITH w0 AS (SELECT 7 AS n)",
                               ", w%d AS (SELECT n, count(*) AS c FROM w%d GROUP BY n)", " SELECT n FROM w%d) x");
  run(database, unions);
  expect(database, with, "7");
  free(unions);
  free(with);
  return NULL;
}

/* Whatever stack the caller has. */
static void test_deep_statements_run(void **state) {
  pthread_attr_t attributes;
  pthread_t thread;
  (void)state;
  rdx_database *d = open_database();
  assert_int_equal(pthread_attr_init(&attributes), 0);
  assert_int_equal(pthread_attr_setstacksize(&attributes, (size_t)1 << 20), 0);
  assert_int_equal(pthread_create(&thread, &attributes, run_deep, d), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  pthread_attr_destroy(&attributes);
  char *const with = deep_text(2400, "WITH w0 AS (SELECT 7 AS n)", ", w%d AS (SELECT n FROM w%d)", "");
  char *const deeper = malloc(2 * strlen(with) + 32);
  assert_non_null(deeper);
  sprintf(deeper, "%s, x AS (%s SELECT 1) SELECT 1", with, with);
  expect_error(d, deeper, RDX_ERROR_UNSUPPORTED, "nested too deeply");
  free(deeper);
  free(with);
  rdx_database_close(&d);
}

/* ---- Definitions ---- */

static void test_views_and_indexes_last(void **state) {
  (void)state;
  rdx_database *d = open_database();
  run(d, "CREATE TABLE facts AS SELECT * FROM (VALUES (1, 'a', 10), (2, 'b', 20), (1, 'b', 30)) AS v(k, s, x)");
  run(d, "CREATE MATERIALIZED VIEW sums USING sorted_cube AS SELECT k, s, sum(x) FROM facts GROUP BY k, s");
  run(d, "CREATE INDEX by_k ON facts USING rx (k)");
  expect_error(d, "CREATE MATERIALIZED VIEW sums AS SELECT k, sum(x) FROM facts GROUP BY k", RDX_ERROR_ARGUMENT,
               "already");
  expect_error(d, "CREATE MATERIALIZED VIEW w AS SELECT k + 1, sum(x) FROM facts GROUP BY 1", RDX_ERROR_UNSUPPORTED,
               "cube");
  rdx_database_close(&d);
  d = open_database();
  expect_part(d, "EXPLAIN SELECT x FROM facts WHERE k = 1", " rows=2)");
  expect(d, "SELECT sum(x) FROM facts WHERE k = 1", "40");
  expect(d, "SELECT sum(x) FROM facts WHERE s = 'b'", "50");
  expect(d, "SELECT x FROM facts WHERE k = 2", "20");
  run(d, "INSERT INTO facts VALUES (2, 'a', 2)");
  expect(d, "SELECT sum(x) FROM facts WHERE k = 2", "22");
  expect(d, "SELECT max(x) FROM (SELECT x FROM facts WHERE k = 2) AS t", "20");
  run(d, "DROP MATERIALIZED VIEW sums");
  run(d, "DROP INDEX by_k");
  expect_error(d, "DROP INDEX by_k", RDX_ERROR_NOT_FOUND, "by_k");
  run(d, "DROP TABLE facts");
  rdx_database_close(&d);
}

static void test_defined_views_last(void **state) {
  rdx_error err = {""};
  const char *text = NULL, *const *names = NULL;
  uint32_t count = 0;
  rdx_table *columns = NULL;
  rdx_statement *s = NULL;
  rdx_answer *a = NULL;
  (void)state;
  rdx_database *d = open_database();
  run(d, "CREATE TABLE base AS SELECT * FROM (VALUES (1, 1.5), (2, 2.5), (3, NULL)) AS v (k, x)");
  run(d, "CREATE VIEW \"Odd\" (key, twice) AS SELECT k, x * 2 FROM base WHERE k % 2 = 1;  ");
  run(d, "CREATE VIEW top AS SELECT count(*) AS n FROM odd");
  expect(d, "SELECT n FROM top", "2");
  rdx_database_close(&d);
  d = open_database();
  expect(d, "SELECT twice FROM odd WHERE key = 1", "3.0");
  assert_int_equal(rdx_database_view(d, "ODD", &text, &err), RDX_OK);
  assert_non_null(strstr(text, "CREATE VIEW \"Odd\" (key, twice) AS"));
  assert_int_equal(rdx_database_view(d, "base", &text, &err), RDX_OK);
  assert_null(text);
  assert_int_equal(rdx_database_tables(d, &names, &count, &err), RDX_OK);
  assert_true(count >= 3);
  assert_string_equal(names[0], "Odd");
  assert_string_equal(names[count - 1], "top");
  assert_int_equal(rdx_database_columns(d, "Odd", &columns, &err), RDX_OK);
  assert_int_equal(rdx_table_column(columns, 1)->type, RDX_TYPE_DECIMAL);
  assert_int_equal(rdx_table_column(columns, 1)->scale, 1);
  rdx_table_destroy(&columns);
  /* Plans that are kept, and a statement that was planned before. */
  assert_int_equal(rdx_statement_prepare(d, "SELECT n FROM top", NULL, &s, &err), RDX_OK);
  run(d, "CREATE OR REPLACE VIEW \"Odd\" AS SELECT 7 AS key");
  expect(d, "SELECT n FROM top", "1");
  assert_int_equal(rdx_statement_execute(s, &a, &err), RDX_OK);
  assert_int_equal(((const int64_t *)rdx_table_column(rdx_answer_table(a), 0)->values)[0], 1);
  rdx_answer_destroy(&a);
  rdx_statement_destroy(&s);
  run(d, "DROP TABLE base");
  expect_error(d, "DROP VIEW odd", RDX_ERROR_ARGUMENT, "view \"top\" reads it");
  run(d, "DROP VIEW top, odd");
  expect_error(d, "SELECT n FROM top", RDX_ERROR_NOT_FOUND, "does not exist");
  rdx_database_close(&d);
}

/* Views over views have as many levels together as a statement may have. */
static void test_views_have_levels(void **state) {
  rdx_error err = {""};
  char sql[4096];
  (void)state;
  rdx_database *d = NULL;
  assert_int_equal(rdx_database_open(device, NULL, NULL, &d, &err), RDX_OK);
  run(d, "CREATE VIEW v0 AS SELECT 1 AS x");
  rdx_status status = RDX_OK;
  for (int made = 1; status == RDX_OK && made < 6; made++) {
    size_t used = (size_t)snprintf(sql, sizeof sql, "CREATE VIEW v%d AS SELECT x", made);
    for (int i = 0; i < 1000; i++)
      used += (size_t)snprintf(sql + used, sizeof sql - used, "+1");
    snprintf(sql + used, sizeof sql - used, " AS x FROM v%d", made - 1);
    status = ask(d, sql, NULL, 0, &err);
  }
  if (status != RDX_ERROR_UNSUPPORTED || !strstr(err.text, "views are nested too deeply"))
    fail_msg("%s", err.text);
  expect(d, "SELECT x FROM v2", "2001");
  rdx_database_close(&d);
}

/* What is prepared, one line each without times: kind, views, tables, columns, method. */
static uint64_t list_prepared(rdx_database *d, char *out, size_t size) {
  rdx_error err = {""};
  rdx_table *table = NULL;
  uint64_t bytes = 0;
  size_t used = 0;
  if (rdx_database_prepared(d, &table, &err) != RDX_OK)
    fail_msg("%s", err.text);
  *out = '\0';
  for (uint64_t row = 0; row < rdx_table_rows(table); row++) {
    for (uint32_t i = 0; i < 5; i++) {
      const rdx_column *c = rdx_table_column(table, i);
      uint64_t length = 0;
      const bool null = c->validity && !(c->validity[row / 8] >> row % 8 & 1);
      const char *text = null ? "-" : rdx_column_string(c, row, &length);
      used += (size_t)snprintf(out + used, size - used, "%.*s%c", null ? 1 : (int)length, text, i < 4 ? '|' : '\n');
    }
    bytes += ((const uint64_t *)rdx_table_column(table, 5)->values)[row];
    assert_true(((const uint64_t *)rdx_table_column(table, 6)->values)[row] > 0);
    assert_true(((const double *)rdx_table_column(table, 7)->values)[row] >= 0);
  }
  rdx_table_destroy(&table);
  return bytes;
}

static void test_prepared_is_listed_and_trimmed(void **state) {
  char lines[512];
  (void)state;
  rdx_database *d = open_database();
  run(d, "CREATE TABLE kept AS SELECT * FROM (VALUES (1, 10), (2, 20), (2, 30)) v (k, x)");
  assert_int_equal(list_prepared(d, lines, sizeof lines), 0);
  assert_string_equal(lines, "");
  run(d, "SET method = 'column'");
  run(d, "CREATE MATERIALIZED VIEW kept_cube AS SELECT k, sum(x) FROM kept GROUP BY k"); /* builds it all the same */
  run(d, "SET method = 'sorted_cube'");
  run(d, "SET scan_method = 'index'");
  run(d, "CREATE INDEX kept_index ON kept USING hash (x)");
  expect(d, "SELECT k FROM kept WHERE x = 10", "1");
  const uint64_t bytes = list_prepared(d, lines, sizeof lines);
  assert_true(bytes > 0);
  assert_string_equal(lines, "index|-|kept|x|hash\nstar|kept_cube|kept|-|sorted_cube\n");
  rdx_database_trim(d, bytes);
  list_prepared(d, lines, sizeof lines);
  assert_non_null(strstr(lines, "star|"));
  expect(d, "SELECT sum(x) FROM kept WHERE k = 2", "50"); /* by the cube: the index was used before it */
  rdx_database_trim(d, bytes - 1);
  list_prepared(d, lines, sizeof lines);
  assert_string_equal(lines, "star|kept_cube|kept|-|sorted_cube\n");
  rdx_database_trim(d, 0);
  assert_int_equal(list_prepared(d, lines, sizeof lines), 0);
  expect(d, "SELECT sum(x) FROM kept WHERE k = 2", "50");
  expect(d, "SELECT k FROM kept WHERE x = 30", "2");
  rdx_database_trim(NULL, 0);
  rdx_database_close(&d);
}

static void test_damaged_definition_is_named(void **state) {
  char path[96];
  rdx_error err = {""};
  rdx_database *d = NULL;
  (void)state;
  snprintf(path, sizeof path, "%s/bad.view", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("raydex definition 1 0123456789abcdef\nCREATE MATERIALIZED VIEW bad AS SELECT 1", file);
  fclose(file);
  assert_int_equal(rdx_database_open(device, folder, NULL, &d, &err), RDX_ERROR_FORMAT);
  assert_non_null(strstr(err.text, "bad.view is damaged"));
  unlink(path);
}

/* ---- Killed at any moment ---- */

static const char *const changes[] = {
    "INSERT INTO killed SELECT x FROM killed LIMIT 1",
    "COPY killed FROM 'copied.csv'",
    "CREATE OR REPLACE VIEW seen AS SELECT x, 1 AS one FROM killed",
    "CREATE OR REPLACE VIEW seen AS SELECT 1 AS one, x FROM killed",
    "DROP TABLE IF EXISTS made",
    "CREATE TABLE made AS SELECT g AS x FROM generate_series(1, 1000) AS s (g)",
    "CREATE INDEX IF NOT EXISTS made_x ON made (x)",
    "ALTER TABLE made ADD y int DEFAULT 1",
    NULL,
};

static const char *const alterations[] = {
    "ALTER TABLE IF EXISTS moved RENAME TO altered",
    "ALTER TABLE altered ADD COLUMN IF NOT EXISTS y int DEFAULT 1",
    "CREATE INDEX IF NOT EXISTS on_y ON altered (y)",
    "CREATE INDEX IF NOT EXISTS on_y_x ON altered (y, x)",
    "ALTER TABLE altered RENAME TO moved",
    "ALTER TABLE moved RENAME x TO z",
    "ALTER TABLE moved RENAME z TO x",
    "ALTER TABLE moved DROP COLUMN y",
    NULL,
};

/* How often each process is killed: RAYDEX_TEST_KILLS, or a few times. */
static unsigned kills(void) {
  const char *number = getenv("RAYDEX_TEST_KILLS");
  return number ? (unsigned)strtoul(number, NULL, 10) : 40;
}

/* What the process that is killed does. */
static int change_always(const char *where, const char *const *statements) {
  rdx_error err;
  rdx_device *own = NULL;
  rdx_database *mine = NULL;
  rdx_status status = rdx_device_open("cpu", NULL, &own, &err);
  if (status == RDX_OK)
    status = chdir(where) == 0 ? rdx_database_open(own, where, NULL, &mine, &err) : RDX_ERROR_IO;
  for (int i = 0; status == RDX_OK; i = statements[i + 1] ? i + 1 : 0)
    status = ask(mine, statements[i], NULL, 0, &err);
  return 1;
}

/* A process that makes such changes, killed after a while. */
static void kill_changing(const char *changing, unsigned microseconds) {
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "test_database", folder, changing, (char *)NULL);
    _exit(2);
  }
  usleep(microseconds);
  kill(child, SIGKILL);
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status));
}

/* Some text of a row of a table of texts. */
static const char *text_at(const rdx_table *table, uint32_t column, uint64_t row, char out[64]) {
  uint64_t length = 0;
  const char *text = rdx_column_string(rdx_table_column(table, column), row, &length);
  snprintf(out, 64, "%.*s", (int)length, text);
  return out;
}

/* All indexes are on this table, and on columns that it has; how many there are. */
static uint64_t check_indexes(rdx_database *d, const char *name) {
  rdx_table *indexes = NULL;
  rdx_error err = {""};
  assert_int_equal(rdx_database_indexes(d, &indexes, &err), RDX_OK);
  const uint64_t count = rdx_table_rows(indexes);
  for (uint64_t i = 0; i < count; i++) {
    char table[64], columns[64], sql[192];
    assert_string_equal(text_at(indexes, 2, i, table), name);
    snprintf(sql, sizeof sql, "SELECT %s FROM %s LIMIT 1", text_at(indexes, 4, i, columns), name);
    run(d, sql);
  }
  rdx_table_destroy(&indexes);
  return count;
}

static void write_copied(void) {
  char path[96];
  snprintf(path, sizeof path, "%s/copied.csv", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("x\n1\n1\n", file);
  fclose(file);
}

static void check_killed(rdx_database *d) {
  rdx_error err = {""};
  expect(d, "SELECT count(*) = sum(x) AND count(*) > 0 FROM killed", "true");
  expect(d, "SELECT count(*) = sum(x) AND count(*) = sum(one) FROM seen", "true");
  if (ask(d, "SELECT x FROM made", NULL, 0, &err) == RDX_OK)
    expect(d, "SELECT count(*) = 1000 AND sum(x) = 500500 FROM made", "true");
  if (ask(d, "SELECT y FROM made", NULL, 0, &err) == RDX_OK)
    expect(d, "SELECT sum(y) = 1000 FROM made", "true");
  check_indexes(d, "made");
}

/* Whatever a statement was at: the tables have all rows of some of their versions, the view is one of its own, and no
 * index is without its table. A database that is open all the time knows the same. */
static void test_killed_changes_leave_whole_tables(void **state) {
  (void)state;
  rdx_database *d = open_database(), *watching = open_database();
  run(d, "CREATE TABLE killed AS SELECT 1 AS x");
  run(d, "CREATE VIEW seen AS SELECT x, 1 AS one FROM killed");
  rdx_database_close(&d);
  write_copied();
  for (unsigned i = 0; i < kills(); i++) {
    kill_changing("changes", 8000 + 731 * i);
    if (i % 2)
      check_killed(watching);
    d = open_database();
    check_killed(d);
    rdx_database_close(&d);
    check_killed(watching);
  }
  rdx_database_close(&watching);
  d = open_database();
  run(d, "DROP VIEW seen");
  run(d, "DROP TABLE killed");
  run(d, "DROP TABLE IF EXISTS made");
  rdx_database_close(&d);
}

/* The table has its old name or the new one, and so have its columns, in all rows, and its indexes. */
static void test_killed_alter_leaves_whole_tables(void **state) {
  rdx_error err = {""};
  (void)state;
  rdx_database *d = open_database(), *watching = open_database();
  run(d, "CREATE TABLE altered AS SELECT 1 AS x FROM generate_series(1, 1000)");
  run(d, "CREATE INDEX on_x ON altered (x)");
  run(d, "CREATE INDEX on_x_by_hash ON altered USING hash (x)");
  rdx_database_close(&d);
  for (unsigned i = 0; i < kills(); i++) {
    kill_changing("alterations", 8000 + 731 * i);
    const bool old = ask(watching, "SELECT count(*) FROM altered", NULL, 0, &err) == RDX_OK;
    const uint64_t indexes = check_indexes(watching, old ? "altered" : "moved");
    assert_true(indexes >= 2);
    d = open_database();
    assert_int_equal(ask(d, "SELECT count(*) FROM altered", NULL, 0, &err), old ? RDX_OK : RDX_ERROR_NOT_FOUND);
    assert_int_equal(ask(d, "SELECT count(*) FROM moved", NULL, 0, &err), old ? RDX_ERROR_NOT_FOUND : RDX_OK);
    assert_int_equal(check_indexes(d, old ? "altered" : "moved"), indexes);
    if (!old && ask(d, "SELECT z FROM moved", NULL, 0, &err) == RDX_OK)
      run(d, "ALTER TABLE moved RENAME z TO x");
    run(d, "ALTER TABLE IF EXISTS moved RENAME TO altered");
    assert_int_equal(check_indexes(d, "altered"), indexes);
    run(d, "ALTER TABLE altered ADD COLUMN IF NOT EXISTS y int DEFAULT 1");
    expect(d, "SELECT count(*) = 1000 AND sum(x) = 1000 AND sum(y) = 1000 FROM altered", "true");
    rdx_database_close(&d);
  }
  rdx_database_close(&watching);
  d = open_database();
  run(d, "DROP TABLE altered");
  assert_int_equal(check_indexes(d, ""), 0);
  rdx_database_close(&d);
}

/* A definition follows the names of its table and columns, also after a start. */
static void test_altered_tables_keep_their_indexes(void **state) {
  (void)state;
  rdx_database *d = open_database();
  run(d, "CREATE TABLE kept AS SELECT g AS a, 1 AS b FROM generate_series(1, 9) AS s (g)");
  run(d, "CREATE INDEX kept_a ON kept USING cgrx (a, b) WITH (bucket_size = 4)");
  run(d, "CREATE INDEX kept_b ON kept (b)");
  run(d, "SET scan_method = index");
  for (int again = 0; again < 2; again++) {
    run(d, "ALTER TABLE kept RENAME a TO \"a \"\"x\"\"\"");
    run(d, "ALTER TABLE kept RENAME TO \"It's kept\"");
    rdx_database_close(&d);
    d = open_database();
    run(d, "SET scan_method = index");
    expect(d, "SELECT b FROM \"It's kept\" WHERE \"a \"\"x\"\"\" = 7", "1");
    expect_part(d, "EXPLAIN (FORMAT JSON) SELECT b FROM \"It's kept\" WHERE \"a \"\"x\"\"\" = 7",
                "\"Index\": \"kept_a\"");
    run(d, "ALTER TABLE \"It's kept\" RENAME TO kept");
    run(d, "ALTER TABLE kept RENAME \"a \"\"x\"\"\" TO a");
    expect_part(d, "EXPLAIN (FORMAT JSON) SELECT b FROM kept WHERE a = 7", "\"Index\": \"kept_a\"");
  }
  rdx_table *indexes = NULL;
  rdx_error err = {""};
  assert_int_equal(rdx_database_indexes(d, &indexes, &err), RDX_OK);
  assert_int_equal(rdx_table_rows(indexes), 2);
  rdx_table_destroy(&indexes);
  run(d, "ALTER TABLE kept DROP b");
  assert_int_equal(rdx_database_indexes(d, &indexes, &err), RDX_OK);
  assert_int_equal(rdx_table_rows(indexes), 0);
  rdx_table_destroy(&indexes);
  run(d, "DROP TABLE kept");
  rdx_database_close(&d);
}

/* ---- Threads ---- */

typedef struct crowd {
  rdx_database *database;
  _Atomic int failures;
  _Atomic bool stop;
} crowd;

static void *ask_always(void *context) {
  crowd *c = context;
  rdx_error err = {""};
  char out[64];
  while (!atomic_load(&c->stop)) {
    if (ask(c->database, "SELECT count(*) - sum(one) FROM shared WHERE x >= 0", out, sizeof out, &err) != RDX_OK ||
        strcmp(out, "0") != 0)
      atomic_fetch_add(&c->failures, 1);
    if (ask(c->database, "SELECT a.x FROM shared AS a JOIN shared AS b ON a.x = b.x ORDER BY 1 LIMIT 1", out,
            sizeof out, &err) != RDX_OK ||
        strcmp(out, "0") != 0)
      atomic_fetch_add(&c->failures, 1);
  }
  return NULL;
}

/* Statements of several threads at the same time, while the table grows and views come and go. */
static void test_threads_share_a_database(void **state) {
  pthread_t threads[3];
  (void)state;
  crowd c = {.database = open_database()};
  run(c.database, "CREATE TABLE shared AS SELECT * FROM (VALUES (0, 1), (1, 1), (2, 1)) AS v(x, one)");
  for (int i = 0; i < 3; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, ask_always, &c), 0);
  for (int i = 0; i < 12; i++) {
    char sql[96];
    snprintf(sql, sizeof sql, "INSERT INTO shared VALUES (%d, 1)", i + 3);
    run(c.database, sql);
    run(c.database, "CREATE MATERIALIZED VIEW v AS SELECT x, count(*), sum(one) FROM shared GROUP BY x");
    run(c.database, i % 2 ? "SET scan_method = bindex" : "RESET scan_method");
    usleep(1000);
    run(c.database, "DROP MATERIALIZED VIEW v");
  }
  atomic_store(&c.stop, true);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  assert_int_equal(atomic_load(&c.failures), 0);
  expect(c.database, "SELECT count(*) FROM shared", "15");
  run(c.database, "DROP TABLE shared");
  rdx_database_close(&c.database);
}

int main(int argc, char **argv) {
  if (argc > 2)
    return change_always(argv[1], strcmp(argv[2], "changes") == 0 ? changes : alterations);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_changes_return_rows),
      cmocka_unit_test(test_text_has_several_statements),
      cmocka_unit_test(test_replaced_table_is_read_anew),
      cmocka_unit_test(test_overwritten_file_is_read_anew),
      cmocka_unit_test(test_deep_statements_run),
      cmocka_unit_test(test_now_is_of_each_run),
      cmocka_unit_test(test_read_only_and_safe_refuse),
      cmocka_unit_test(test_views_and_indexes_last),
      cmocka_unit_test(test_damaged_definition_is_named),
      cmocka_unit_test(test_killed_changes_leave_whole_tables),
      cmocka_unit_test(test_killed_alter_leaves_whole_tables),
      cmocka_unit_test(test_altered_tables_keep_their_indexes),
      cmocka_unit_test(test_threads_share_a_database),
      cmocka_unit_test(test_prepared_is_listed_and_trimmed),
      cmocka_unit_test(test_defined_views_last),
      cmocka_unit_test(test_views_have_levels),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
