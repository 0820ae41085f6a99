/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Choices of the planner by rates that are made up: whatever becomes dearer is left for what does not, times grow with
 * work, and settings say what is taken instead. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <raydex/raydex.h>

#include "cost/cost.h"

#define ROWS 20000

typedef struct fixture {
  char folder[64];
  rdx_device *device;
  rdx_database *database;
} fixture;

static const rdx_calibration usual = {
    .launch = 2000,
    .read_byte = 0.02,
    .transfer_byte = 0.02,
    .pack_value = 4,
    .scan_code = 0.05,
    .list = 5000,
    .lookup = 6000,
    .found_row = 1,
    .add_row = 0.5,
    .group_row = 2,
    .table = 500,
    .table_row = 0.02,
    .number_row = 2,
    .test = {0.02, 0.3, 0.4},
    .gather = {0.1, 0.4, 5},
    .sort_key = {10, 10, 10},
    .join = {16000, 40000, 20000, 20000, 20000},
    .join_build = {{10, 10, 10}, {20, 20, 20}, {20, 20, 20}, {20, 20, 20}, {20, 20, 20}},
    .join_probe = {{4, 4, 4}, {8, 8, 8}, {8, 8, 8}, {20, 20, 20}, {12, 12, 12}},
    .ray = {70, 120, 300},
    .hit = {20, 24, 33},
    .cube = 900,
    .coarse_cube = 1400,
    .tuple = 0.7,
    .range = {1, 2, 4},
    .run = 10,
    .value = 1,
};

/* ---- Statements ---- */

static rdx_answer *ask(const fixture *f, const char *text) {
  rdx_statement *statement = NULL;
  rdx_answer *answer = NULL;
  rdx_error err = {""};
  if (rdx_statement_prepare(f->database, text, NULL, &statement, &err) != RDX_OK ||
      rdx_statement_execute(statement, &answer, &err) != RDX_OK)
    fail_msg("%s: %s", text, err.text);
  rdx_statement_destroy(&statement);
  return answer;
}

static void run(const fixture *f, const char *text) {
  rdx_answer *answer = ask(f, text);
  rdx_answer_destroy(&answer);
}

/* The first line of EXPLAIN that begins with this word, without it; "" where there is none. */
static void explain(const fixture *f, const char *query, const char *word, char *out, size_t size) {
  char text[512];
  snprintf(text, sizeof text, "EXPLAIN %s", query);
  rdx_answer *answer = ask(f, text);
  const rdx_table *table = rdx_answer_table(answer);
  out[0] = '\0';
  for (uint64_t row = 0; row < rdx_table_rows(table) && !*out; row++) {
    uint64_t length = 0;
    const char *bytes = rdx_column_string(rdx_table_column(table, 0), row, &length);
    snprintf(text, sizeof text, "%.*s", (int)length, bytes);
    const char *found = strstr(text, word);
    if (found)
      snprintf(out, size, "%s", found + strlen(word));
  }
  rdx_answer_destroy(&answer);
}

static void assert_method(const fixture *f, const char *query, const char *expected) {
  char line[512];
  explain(f, query, "Method: ", line, sizeof line);
  if (strncmp(line, expected, strlen(expected)) != 0 || line[strlen(expected)] != ' ')
    fail_msg("%s: by %s instead of %s", query, line, expected);
}

/* What EXPLAIN expects of a method, whether it is chosen or not. */
static double expected_ms(const fixture *f, const char *query, const char *method) {
  char line[512], wanted[32];
  explain(f, query, "Method: ", line, sizeof line);
  const char *chosen = strstr(line, "(expected ");
  if (strncmp(line, method, strlen(method)) == 0 && chosen)
    return strtod(chosen + strlen("(expected "), NULL);
  explain(f, query, "Rejected:", line, sizeof line);
  snprintf(wanted, sizeof wanted, " %s ", method);
  const char *found = strstr(line, wanted);
  if (!found)
    fail_msg("%s: nothing is expected of %s: %s", query, method, line);
  return found ? strtod(found + strlen(wanted), NULL) : 0;
}

/* ---- Databases ---- */

/* The same folder by other rates. */
static void open_by(fixture *f, const rdx_calibration *rates) {
  const rdx_device_params params = {.threads = 1, .cache_dir = f->folder};
  rdx_error err = {""};
  rdx_database_close(&f->database);
  rdx_device_close(&f->device);
  assert_int_equal(rdx_device_open("cpu", &params, &f->device, &err), RDX_OK);
  assert_true(rdx_calibration_store(f->device, rates));
  assert_int_equal(rdx_database_open(f->device, f->folder, NULL, &f->database, &err), RDX_OK);
}

static int make(void **state) {
  fixture *f = calloc(1, sizeof *f);
  char path[128];
  snprintf(f->folder, sizeof f->folder, "/tmp/raydex-choice-XXXXXX");
  assert_non_null(mkdtemp(f->folder));
  snprintf(path, sizeof path, "%s/source.csv", f->folder);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fprintf(file, "id,a,g,m\n");
  for (uint32_t i = 0; i < ROWS; i++)
    fprintf(file, "%u,%u,%u,%u\n", i, (i * 2654435761u >> 8) % 1000, (i * 2246822519u >> 8) % 50, i % 97);
  fclose(file);
  open_by(f, &usual);
  run(f, "CREATE TABLE t AS SELECT * FROM source");
  run(f, "CREATE TABLE few AS SELECT * FROM source WHERE id < 2000");
  *state = f;
  return 0;
}

static int drop(void **state) {
  fixture *f = *state;
  rdx_database_close(&f->database);
  rdx_device_close(&f->device);
  DIR *folder = opendir(f->folder);
  for (const struct dirent *e = readdir(folder); e; e = readdir(folder))
    unlinkat(dirfd(folder), e->d_name, 0);
  closedir(folder);
  rmdir(f->folder);
  free(f);
  return 0;
}

/* ---- WHERE ---- */

#define FILTER "SELECT id FROM t WHERE g < 25 AND m > 40"

static void scans_are_taken_where_codes_are_cheap(void **state) {
  fixture *f = *state;
  rdx_calibration rates = usual;
  open_by(f, &rates);
  assert_method(f, FILTER, "evaluation"); /* no scan is prepared yet */
  run(f, "SET scan_method = 'column'");
  run(f, FILTER);
  run(f, "RESET ALL");
  assert_method(f, FILTER, "column");
  rates.scan_code = 100;
  open_by(f, &rates);
  run(f, "SET scan_method = 'column'");
  run(f, FILTER);
  assert_method(f, FILTER, "column"); /* a setting is obeyed */
  run(f, "RESET ALL");
  assert_method(f, FILTER, "evaluation");
}

static void indexes_are_taken_for_few_rows(void **state) {
  fixture *f = *state;
  open_by(f, &usual);
  run(f, "CREATE INDEX by_a ON t USING tree (a)");
  run(f, "CREATE INDEX by_g ON t USING hash (g)");
  assert_method(f, "SELECT id FROM t WHERE a = 17", "tree");
  assert_method(f, "SELECT id FROM t WHERE a = 17 AND m < 50", "tree");
  assert_method(f, "SELECT id FROM t WHERE a < 900", "evaluation");
  assert_method(f, "SELECT id FROM t WHERE g BETWEEN 3 AND 4", "evaluation"); /* which a hash table cannot find */
  run(f, "SET scan_method = index");
  assert_method(f, "SELECT id FROM t WHERE a < 900", "tree");
  run(f, "SET scan_method = evaluation");
  assert_method(f, "SELECT id FROM t WHERE a = 17", "evaluation");
  run(f, "RESET ALL");
  rdx_calibration rates = usual;
  rates.lookup = 1e7;
  open_by(f, &rates);
  assert_method(f, "SELECT id FROM t WHERE a = 17", "evaluation");
  run(f, "DROP INDEX by_a");
  run(f, "DROP INDEX by_g");
}

static void times_grow_with_work(void **state) {
  fixture *f = *state;
  open_by(f, &usual);
  run(f, "CREATE INDEX by_a ON t USING tree (a)");
  assert_true(expected_ms(f, "SELECT id FROM few WHERE m > 40", "evaluation") <
              expected_ms(f, "SELECT id FROM t WHERE m > 40", "evaluation"));
  assert_true(expected_ms(f, "SELECT id FROM t WHERE m > 98", "evaluation") <
              expected_ms(f, "SELECT id FROM t WHERE m > 98 AND g < 3", "evaluation"));
  double before = 0;
  for (uint32_t max = 10; max <= 1000; max *= 10) {
    char query[64];
    snprintf(query, sizeof query, "SELECT id FROM t WHERE a < %u", max);
    const double ms = expected_ms(f, query, "tree");
    assert_true(ms > before);
    before = ms;
  }
  run(f, "DROP INDEX by_a");
}

/* ---- Joins ---- */

#define JOIN "SELECT t.id, few.m FROM t JOIN few ON t.a = few.id"

/* By the method whose work takes least: what a join takes at all counts where few rows are joined. */
static void joins_are_by_the_cheapest_method(void **state) {
  fixture *f = *state;
  rdx_calibration rates = usual;
  open_by(f, &usual);
  assert_method(f, JOIN, "hash");
  assert_true(expected_ms(f, JOIN, "radix_hash") > expected_ms(f, JOIN, "hash"));
  rates.join[1] = 0.1;
  for (uint32_t i = 0; i < RDX_CALIBRATION_SIZES; i++)
    rates.join_build[1][i] = rates.join_probe[1][i] = 0.1;
  open_by(f, &rates);
  assert_method(f, JOIN, "radix_hash");
  run(f, "SET join_method = tree");
  assert_method(f, JOIN, "tree");
  rates = usual;
  rates.join[4] = 0;
  open_by(f, &rates);
  assert_method(f, JOIN, "hash");
  assert_method(f,
                "SELECT x.id, y.id FROM (SELECT id FROM few WHERE id < 3) x JOIN (SELECT id FROM few WHERE id > 1 AND "
                "id < 4) y ON x.id = y.id",
                "btree");
}

/* ---- Star queries ---- */

#define STAR "SELECT g, sum(m) FROM t WHERE a BETWEEN 10 AND 19 GROUP BY g"

static void set_range(rdx_calibration *rates, double ns) {
  for (uint32_t i = 0; i < RDX_CALIBRATION_SIZES; i++)
    rates->range[i] = ns;
}

static void cubes_are_taken_where_they_are_cheap(void **state) {
  fixture *f = *state;
  rdx_calibration rates = usual;
  rates.run = 0.01;
  set_range(&rates, 0.01);
  rates.scan_code = rates.group_row = 10;
  open_by(f, &rates);
  run(f, "CREATE MATERIALIZED VIEW v USING sorted_cube AS SELECT a, g, sum(m) FROM t GROUP BY a, g");
  assert_method(f, STAR, "sorted_cube");
  rates = usual;
  rates.run = rates.tuple = 10000;
  set_range(&rates, 10000);
  open_by(f, &rates);
  assert_method(f, STAR, "column");
  assert_true(expected_ms(f, STAR, "sorted_cube") > expected_ms(f, STAR, "column"));
  assert_true(expected_ms(f, "SELECT g, sum(m) FROM t WHERE a BETWEEN 10 AND 400 GROUP BY g", "sorted_cube") >
              expected_ms(f, STAR, "sorted_cube"));
  run(f, "SET method = sorted_cube");
  assert_method(f, STAR, "sorted_cube");
  run(f, "RESET ALL");
  run(f, "DROP MATERIALIZED VIEW v");
}

/* What SET method has had made for a query serves it afterwards, whatever its values. */
static void cubes_that_were_made_are_seen(void **state) {
  fixture *f = *state;
  rdx_calibration rates = usual;
  char line[512];
  open_by(f, &rates);
  assert_method(f, STAR, "column");
  explain(f, STAR, "Rejected:", line, sizeof line);
  assert_non_null(strstr(line, "sorted_cube: none built"));
  run(f, "SET method = sorted_cube");
  run(f, STAR);
  run(f, "RESET ALL");
  assert_true(expected_ms(f, STAR, "sorted_cube") > 0);
  assert_true(expected_ms(f, "SELECT g, sum(m) FROM t WHERE a BETWEEN 7 AND 8 GROUP BY g", "sorted_cube") > 0);
  explain(f, "SELECT a, sum(m) FROM t WHERE g = 3 GROUP BY a", "Rejected:", line, sizeof line);
  assert_non_null(strstr(line, "sorted_cube: none built"));
  rates.scan_code = rates.group_row = rates.launch = 1e5;
  open_by(f, &rates);
  run(f, "SET method = sorted_cube");
  run(f, STAR);
  run(f, "RESET ALL");
  assert_method(f, STAR, "sorted_cube");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scans_are_taken_where_codes_are_cheap),
      cmocka_unit_test(indexes_are_taken_for_few_rows),
      cmocka_unit_test(times_grow_with_work),
      cmocka_unit_test(joins_are_by_the_cheapest_method),
      cmocka_unit_test(cubes_are_taken_where_they_are_cheap),
      cmocka_unit_test(cubes_that_were_made_are_seen),
  };
  return cmocka_run_group_tests(tests, make, drop);
}
