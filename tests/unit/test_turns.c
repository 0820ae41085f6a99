/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Threads, and databases of one folder, that change a table at a time lose none of their changes; who waits for another
 * change can be stopped. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "tests/unit/ask.h"

#define THREADS 4
#define CHANGES 25

static rdx_device *device;
static char folder[] = "/tmp/raydex-turns-XXXXXX";

static rdx_database *open_database(const char *path) {
  rdx_error err = {""};
  rdx_database *d = NULL;
  if (rdx_database_open(device, path, NULL, &d, &err) != RDX_OK)
    fail_msg("%s", err.text);
  return d;
}

typedef struct changer {
  rdx_database *database;
  uint32_t failed;
} changer;

static void *change(void *user) {
  changer *c = user;
  rdx_error err;
  int64_t ignored = 0;
  for (uint32_t i = 0; i < CHANGES; i++)
    c->failed += ask(c->database, i % 2 ? "UPDATE t SET n = n + 1" : "EXECUTE more(1)", &ignored, &err) != RDX_OK;
  return NULL;
}

/* Thread i has the database i % count. */
static void change_at_a_time(rdx_database **databases, uint32_t count) {
  pthread_t threads[THREADS];
  changer changers[THREADS];
  must(databases[0], "CREATE TABLE t AS SELECT 0::bigint AS n");
  for (uint32_t i = 0; i < count; i++)
    must(databases[i], "PREPARE more(bigint) AS UPDATE t SET n = n + $1");
  for (uint32_t i = 0; i < THREADS; i++) {
    changers[i] = (changer){.database = databases[i % count]};
    assert_int_equal(pthread_create(&threads[i], NULL, change, &changers[i]), 0);
  }
  for (uint32_t i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    assert_int_equal(changers[i].failed, 0);
  }
  assert_int_equal(must(databases[0], "SELECT n FROM t"), THREADS * CHANGES);
  must(databases[0], "DROP TABLE t");
}

static void threads_of_a_database_lose_nothing(void **state) {
  (void)state;
  rdx_database *memory = open_database(NULL), *files = open_database(folder);
  change_at_a_time(&memory, 1);
  change_at_a_time(&files, 1);
  rdx_database_close(&memory);
  rdx_database_close(&files);
}

static void databases_of_a_folder_lose_nothing(void **state) {
  (void)state;
  rdx_database *databases[] = {open_database(folder), open_database(folder)};
  change_at_a_time(databases, 2);
  rdx_database_close(&databases[0]);
  rdx_database_close(&databases[1]);
}

/* What another one made meanwhile is not written over. */
static void databases_of_a_folder_keep_their_definitions(void **state) {
  static const char *const taken[] = {
      "CREATE VIEW v AS SELECT 2 AS n", "CREATE TABLE v (n bigint)",
      "CREATE INDEX i ON t (n)",        "CREATE MATERIALIZED VIEW v AS SELECT n, count(*) FROM t GROUP BY n",
      "CREATE VIEW m AS SELECT 2 AS n", "ALTER TABLE t RENAME TO m",
  };
  (void)state;
  rdx_database *first = open_database(folder), *second = open_database(folder);
  must(first, "CREATE TABLE t AS SELECT 1::bigint AS n");
  must(first, "CREATE VIEW v AS SELECT n FROM t");
  must(first, "CREATE INDEX i ON t USING hash (n)");
  must(first, "CREATE MATERIALIZED VIEW m AS SELECT n, count(*) FROM t GROUP BY n");
  for (uint32_t i = 0; i < sizeof taken / sizeof *taken; i++) {
    rdx_error err = {""};
    int64_t ignored = 0;
    assert_int_equal(ask(second, taken[i], &ignored, &err), RDX_ERROR_ARGUMENT);
    assert_non_null(strstr(err.text, "already"));
  }
  rdx_database_close(&second);
  assert_int_equal(must(first, "SELECT n FROM v"), 1);
  must(first, "DROP VIEW v");
  must(first, "DROP MATERIALIZED VIEW m");
  must(first, "DROP TABLE t");
  rdx_database_close(&first);
}

static void waiting_ends_by_the_timeout(void **state) {
  (void)state;
  rdx_error err = {""};
  int64_t ignored = 0;
  rdx_database *d = open_database(folder);
  must(d, "CREATE TABLE t AS SELECT 0::bigint AS n");
  const int other = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* as another process would hold it */
  assert_true(other >= 0 && flock(other, LOCK_EX) == 0);
  must(d, "SET timeout = 50");
  assert_int_equal(must(d, "SELECT n FROM t"), 0); /* who reads needs no turn */
  assert_int_equal(ask(d, "UPDATE t SET n = 1", &ignored, &err), RDX_ERROR_TIMEOUT);
  close(other);
  must(d, "UPDATE t SET n = 2");
  assert_int_equal(must(d, "SELECT n FROM t"), 2);
  must(d, "DROP TABLE t");
  rdx_database_close(&d);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_of_a_database_lose_nothing),
      cmocka_unit_test(databases_of_a_folder_lose_nothing),
      cmocka_unit_test(databases_of_a_folder_keep_their_definitions),
      cmocka_unit_test(waiting_ends_by_the_timeout),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
