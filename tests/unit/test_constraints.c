/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Random batches of rows go into a table with a key, and into one without, of which groups tell what is there twice:
 * the first refuses what makes the second have a key twice, and has the same rows as long as nothing is refused. With
 * ON CONFLICT it has each key once. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/ask.h"
#include "tests/unit/random.h"

static rdx_device *device;

/* Of a random number x of few or many values, with NULLs. */
static const char *const values[] = {
    "CASE WHEN x % 7 = 0 THEN NULL ELSE x END",
    "CASE WHEN x % 9 = 0 THEN NULL ELSE 'text ' || x * 7 END",
    "CASE WHEN x % 5 = 0 THEN NULL WHEN x = 1 THEN 'nan'::float8 WHEN x = 2 THEN -0.0::float8 WHEN x = 3 THEN 0 ELSE x "
    "/ "
    "8.0::float8 END",
    "x * 100000000000",
    "x > 2",
    "DATE '2024-01-01' + x::integer",
};
static const char *const types[] = {"integer", "text", "double precision", "bigint", "boolean", "date"};
#define KINDS (sizeof types / sizeof *types)

/* A batch of rows of two columns, numbered by `batch`. */
static void make_batch(char *out, size_t size, const size_t kinds[2], uint64_t rows, uint64_t distinct, int batch) {
  const uint64_t seed = next_random() % 1000000;
  snprintf(out, size,
           "SELECT a, %s AS b, %d AS batch FROM (SELECT %s AS a, y AS x FROM (SELECT (g * 104729 + %llu) %% %llu AS x, "
           "(g * 7919 + %llu) %% 3 AS y FROM generate_series(1, %llu) s (g)) q) r",
           values[kinds[1]], batch, values[kinds[0]], (unsigned long long)seed, (unsigned long long)distinct,
           (unsigned long long)seed, (unsigned long long)rows);
}

#define TWICE                                                                                                          \
  "SELECT count(*) FROM (SELECT a, b FROM plain WHERE a IS NOT NULL AND b IS NOT NULL GROUP BY a, b HAVING count(*) "  \
  "> 1) q"

/* Returns whether the batch was refused. */
static bool insert_batch(rdx_database *d, const size_t kinds[2], uint64_t rows, uint64_t distinct, int batch) {
  char query[1500], text[2000];
  rdx_error err = {""};
  int64_t ignored;
  make_batch(query, sizeof query, kinds, rows, distinct, batch);
  snprintf(text, sizeof text, "INSERT INTO plain %s", query);
  must(d, text);
  const bool expected = must(d, TWICE) > 0;
  snprintf(text, sizeof text, "INSERT INTO keyed %s", query);
  const rdx_status status = ask(d, text, &ignored, &err);
  if (status != RDX_OK && !strstr(err.text, "duplicate key value violates unique constraint \"keyed_a_b_key\""))
    fail_msg("%s: %s", text, err.text);
  if ((status != RDX_OK) != expected)
    fail_msg("%s: %s", text, expected ? "was taken" : err.text);
  snprintf(text, sizeof text, "DELETE FROM plain WHERE batch = %d", batch);
  if (expected)
    must(d, text);
  assert_int_equal(must(d, "SELECT count(*) FROM plain"), must(d, "SELECT count(*) FROM keyed"));
  return expected;
}

static void test_keys_are_kept_apart(void **state) {
  const bool in_folder = *state != NULL;
  int refused = 0, taken = 0;
  for (int round = 0; round < (in_folder ? 6 : 24); round++) {
    rdx_error err = {""};
    rdx_database *d = NULL;
    char folder[] = "/tmp/raydex-constraints-XXXXXX", text[200], create[300];
    const size_t kinds[] = {next_random() % KINDS, next_random() % KINDS};
    if (in_folder)
      assert_non_null(mkdtemp(folder));
    if (rdx_database_open(device, in_folder ? folder : NULL, NULL, &d, &err) != RDX_OK)
      fail_msg("%s", err.text);
    snprintf(text, sizeof text, "(a %s, b %s, batch integer", types[kinds[0]], types[kinds[1]]);
    snprintf(create, sizeof create, "CREATE TABLE plain %s)", text);
    must(d, create);
    snprintf(create, sizeof create, "CREATE TABLE keyed %s, UNIQUE (a, b))", text);
    must(d, create);
    for (int batch = 0; batch < 8; batch++) {
      const bool many = next_random() % 3 == 0;
      const bool was = insert_batch(d, kinds, many ? 1 + next_random() % 2000 : 1 + next_random() % 3,
                                    many ? 3000 : 1 + next_random() % 4000, batch);
      refused += was;
      taken += !was;
    }
    must(d, "DROP TABLE plain");
    must(d, "DROP TABLE keyed");
    rdx_database_close(&d);
    if (in_folder)
      assert_int_equal(remove(folder), 0);
  }
  assert_true(refused > 3 && taken > 3);
}

/* ON CONFLICT: DO NOTHING has each key once, DO UPDATE counts the batches that have it. */
static void test_conflicts_are_found(void **state) {
  (void)state;
  for (int round = 0; round < 20; round++) {
    rdx_error err = {""};
    rdx_database *d = NULL;
    char text[2000], query[1500], columns[200];
    const size_t kinds[] = {next_random() % KINDS, next_random() % KINDS};
    if (rdx_database_open(device, NULL, NULL, &d, &err) != RDX_OK)
      fail_msg("%s", err.text);
    snprintf(columns, sizeof columns, "(a %s, b %s, batch integer", types[kinds[0]], types[kinds[1]]);
    snprintf(text, sizeof text, "CREATE TABLE plain %s)", columns);
    must(d, text);
    snprintf(text, sizeof text, "CREATE TABLE once %s, UNIQUE (a, b))", columns);
    must(d, text);
    snprintf(text, sizeof text, "CREATE TABLE counted %s, n bigint DEFAULT 1, UNIQUE (b, a))", columns);
    must(d, text);
    for (int batch = 0; batch < 6; batch++) {
      const bool many = next_random() % 3 == 0;
      make_batch(query, sizeof query, kinds, 1 + next_random() % (many ? 2000 : 20), many ? 1000 : 50, batch);
      snprintf(text, sizeof text, "INSERT INTO plain %s", query);
      must(d, text);
      snprintf(text, sizeof text, "INSERT INTO once %s ON CONFLICT DO NOTHING", query);
      must(d, text);
      snprintf(text, sizeof text,
               "INSERT INTO counted SELECT DISTINCT * FROM (%s) q ON CONFLICT (a, b) DO UPDATE SET n = counted.n + 1",
               query);
      must(d, text);
      assert_int_equal(must(d, "SELECT count(*) FROM once"),
                       must(d, "SELECT count(*) FILTER (WHERE a IS NULL OR b IS NULL) + (SELECT count(*) FROM (SELECT "
                               "DISTINCT a, b FROM plain WHERE a IS NOT NULL AND b IS NOT NULL) q) FROM plain"));
      assert_int_equal(must(d, "SELECT count(*) FROM (SELECT a, b, n FROM counted WHERE a IS NOT NULL AND b IS NOT "
                               "NULL EXCEPT SELECT a, b, count(DISTINCT batch) FROM plain GROUP BY a, b) q"),
                       0);
    }
    rdx_database_close(&d);
  }
}

static int open_device(void **state) {
  (void)state;
  return rdx_device_open("cpu", NULL, &device, NULL) == RDX_OK ? 0 : -1;
}

static int close_device(void **state) {
  (void)state;
  rdx_device_close(&device);
  return 0;
}

int main(void) {
  static char folder;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_keys_are_kept_apart),
      cmocka_unit_test_prestate(test_keys_are_kept_apart, &folder),
      cmocka_unit_test(test_conflicts_are_found),
  };
  return cmocka_run_group_tests(tests, open_device, close_device);
}
