/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Choices of methods: what EXPLAIN says of them, and that they follow what operations take on the device. The rates are
 * given here, so that choices depend on no machine. */

#include <raydex/raydex.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/device.h"

#define ROWS 200000

static rdx_device *device;
static rdx_database *database;

/* ---- Statements ---- */

/* The lines of an answer's first column; for free(). */
static char *ask(const char *sql) {
  rdx_statement *s = NULL;
  rdx_answer *a = NULL;
  rdx_error err = {""};
  size_t size = 1;
  if (rdx_statement_prepare(database, sql, NULL, &s, &err) != RDX_OK || rdx_statement_execute(s, &a, &err) != RDX_OK)
    fail_msg("%s: %s", sql, err.text);
  const rdx_table *t = rdx_answer_table(a);
  const rdx_column *c = t ? rdx_table_column(t, 0) : NULL;
  char *text = calloc(1, 1);
  for (uint64_t i = 0; c && c->type == RDX_TYPE_STRING && i < c->rows; i++) {
    uint64_t length = 0;
    const char *line = rdx_column_string(c, i, &length);
    text = realloc(text, size + length + 1);
    memcpy(text + size - 1, line, length);
    size += length + 1;
    text[size - 2] = '\n';
    text[size - 1] = '\0';
  }
  rdx_answer_destroy(&a);
  rdx_statement_destroy(&s);
  return text;
}

static void run(const char *sql) {
  free(ask(sql));
}

static void expect_in(const char *sql, const char *part) {
  char *text = ask(sql);
  if (!strstr(text, part))
    fail_msg("%s: \"%s\" is not in\n%s", sql, part, text);
  free(text);
}

/* The number behind a name in the text. */
static double number_in(const char *sql, const char *name) {
  char *text = ask(sql);
  const char *at = strstr(text, name);
  if (!at)
    fail_msg("%s: \"%s\" is not in\n%s", sql, name, text);
  const double number = strtod(at + strlen(name), NULL);
  free(text);
  return number;
}

/* ---- The device and the tables ---- */

static void set_rates(double factor, double cube) {
  rdx_calibration c;
  rdx_device_get_calibration(device, &c);
  c = (rdx_calibration){.source = RDX_CALIBRATION_KEPT,
                        .launch = 2000,
                        .read_byte = 0.02,
                        .transfer_byte = 0.02,
                        .pack_value = 4,
                        .scan_code = 0.05,
                        .add_row = 0.5,
                        .group_row = 2,
                        .table = 600,
                        .table_row = 0.02,
                        .test = {0.03, 0.3, 0.4},
                        .gather = {0.1, 0.4, 6},
                        .sort_key = {10, 10, 10},
                        .join = {16000, 40000, 20000, 20000, 20000},
                        .join_build = {{10, 10, 10}, {20, 20, 20}, {20, 20, 20}, {20, 20, 20}, {20, 20, 20}},
                        .join_probe = {{4, 4, 4}, {8, 8, 8}, {8, 8, 8}, {20, 20, 20}, {12, 12, 12}},
                        .ray = {100, 150, 800},
                        .hit = {13, 13, 15},
                        .cube = 700,
                        .coarse_cube = 1400,
                        .range = {5, 5, 5},
                        .run = 2,
                        .value = 0.5 * factor};
  double *const rates[] = {&c.run,    c.range,   c.range + 1, c.range + 2, c.ray,
                           c.ray + 1, c.ray + 2, c.hit,       c.hit + 1,   c.hit + 2};
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
    *rates[i] *= cube;
  *device->calibration = c;
}

/* Columns that the first one determines. */
static char *make_related(size_t *size) {
  char *text = malloc((size_t)ROWS * 32 + 64);
  size_t used = (size_t)sprintf(text, "a,b,c,v\n");
  for (uint32_t i = 0; i < ROWS; i++)
    used += (size_t)sprintf(text + used, "%u,%u,%u,%u\n", i % 1000, i % 1000 * 3, i % 1000 * 5, i % 101);
  *size = used;
  return text;
}

static char *make_text(size_t *size) {
  char *text = malloc((size_t)ROWS * 32 + 64);
  size_t used = (size_t)sprintf(text, "id,k,g,v\n");
  for (uint32_t i = 0; i < ROWS; i++)
    used += (size_t)sprintf(text + used, "%u,%u,%u,%u\n", i, i * 7919 % 1000, i % 7, i % 101);
  *size = used;
  return text;
}

static int open_all(void **state) {
  const rdx_device_params params = {.threads = 2, .cache_dir = ""};
  rdx_table *table = NULL;
  rdx_error err = {""};
  size_t size = 0;
  char *text = make_text(&size);
  (void)state;
  assert_int_equal(rdx_device_open("cpu", &params, &device, &err), RDX_OK);
  set_rates(1, 1);
  assert_int_equal(rdx_database_open(device, NULL, NULL, &database, &err), RDX_OK);
  assert_int_equal(rdx_table_parse_csv("t", text, size, NULL, &table, &err), RDX_OK);
  assert_int_equal(rdx_database_add(database, "t", table, &err), RDX_OK);
  free(text);
  text = make_related(&size);
  assert_int_equal(rdx_table_parse_csv("related", text, size, NULL, &table, &err), RDX_OK);
  assert_int_equal(rdx_database_add(database, "related", table, &err), RDX_OK);
  free(text);
  return 0;
}

static int close_all(void **state) {
  (void)state;
  rdx_database_close(&database);
  rdx_device_close(&device);
  return 0;
}

/* ---- Stars ---- */

#define SUMS "SELECT g, sum(v) FROM t WHERE k < 10 GROUP BY g"

static void a_star_without_cubes_goes_to_the_column_engine(void **state) {
  (void)state;
  expect_in("EXPLAIN " SUMS, "Method: column (expected ");
  expect_in("EXPLAIN " SUMS, "Rejected: sorted_cube: none built, coarse_cube: none built, rt_cube: none built");
  /* a launch, a code of each row, two adds and a group for a hundredth of the rows, and what groups take */
  const double ms = number_in("EXPLAIN " SUMS, "(expected ");
  assert_true(ms > 0.002 + ROWS * 0.05e-6 && ms < 0.1);
}

static void the_fastest_cube_answers(void **state) {
  (void)state;
  run("CREATE MATERIALIZED VIEW a_coarse USING coarse_cube AS SELECT k, g, sum(v) FROM t GROUP BY k, g");
  run("CREATE MATERIALIZED VIEW b_sorted USING sorted_cube AS SELECT k, g, sum(v) FROM t GROUP BY k, g");
  run("CREATE MATERIALIZED VIEW c_rays USING rt_cube AS SELECT k, g, sum(v) FROM t GROUP BY k, g");
  expect_in("EXPLAIN " SUMS, "Cube: b_sorted");
  expect_in("EXPLAIN " SUMS, "Method: sorted_cube (expected ");
  expect_in("EXPLAIN " SUMS, "Rejected: column 0.");
  expect_in("EXPLAIN " SUMS, " ms, coarse_cube 0.");
  expect_in("EXPLAIN ANALYZE " SUMS, "Method: sorted_cube (expected ");
  expect_in("EXPLAIN (FORMAT JSON) " SUMS, "\"Method\": \"sorted_cube\", \"Expected Time\": 0.");
  expect_in("EXPLAIN (FORMAT JSON) " SUMS, "\"Rejected\": [{\"Method\": \"column\", \"Expected Time\": 0.");
}

/* Every second value of k: with a range for each a cube takes longer than to look at all rows. */
static void many_ranges_go_to_the_column_engine(void **state) {
  (void)state;
  set_rates(1, 1000);
  expect_in("EXPLAIN SELECT g, sum(v) FROM t WHERE k IN (1, 3, 5, 7, 9, 11, 13, 15) GROUP BY g",
            "Method: column (expected ");
  set_rates(1, 1);
  expect_in("EXPLAIN SELECT g, sum(v) FROM t WHERE k IN (1, 3, 5, 7, 9, 11, 13, 15) GROUP BY g ",
            "Method: sorted_cube (expected ");
}

static void expect_method(const char *sql, const char *method) {
  rdx_statement *s = NULL;
  rdx_answer *a = NULL;
  rdx_answer_stats stats;
  rdx_error err = {""};
  if (rdx_statement_prepare(database, sql, NULL, &s, &err) != RDX_OK || rdx_statement_execute(s, &a, &err) != RDX_OK)
    fail_msg("%s: %s", sql, err.text);
  rdx_answer_get_stats(a, &stats);
  assert_string_equal(stats.method, method);
  rdx_answer_destroy(&a);
  rdx_statement_destroy(&s);
}

/* Columns that determine each other have few combinations, which only rows tell: a statement looks at them as EXPLAIN
 * does. */
static void statements_choose_what_explain_shows(void **state) {
  (void)state;
  run("CREATE MATERIALIZED VIEW d_sorted USING sorted_cube AS SELECT a, b, c, sum(v) FROM related GROUP BY a, b, c");
  set_rates(20, 1);
  expect_in("EXPLAIN SELECT a, sum(v) FROM related GROUP BY a", "Method: sorted_cube (expected ");
  expect_method("SELECT a, sum(v) FROM related GROUP BY a", "sorted_cube");
  set_rates(1, 1);
}

/* Bounds of an attribute are one set of its codes, which are read once. */
static void an_attribute_is_read_once(void **state) {
  (void)state;
  const double one = number_in("EXPLAIN SELECT sum(v) FROM t WHERE id < 100", "(expected ");
  const double both = number_in("EXPLAIN SELECT sum(v) FROM t WHERE id >= 0 AND id < 100", "(expected ");
  assert_true(both <= one && both > 0);
}

static void a_method_that_is_set_counts(void **state) {
  (void)state;
  run("SET method = rt_cube");
  expect_in("EXPLAIN " SUMS, "Method: rt_cube (expected ");
  expect_in("EXPLAIN " SUMS, "Cube: c_rays");
  expect_in("EXPLAIN " SUMS, "Rejected: column 0.");
  run("SET method = 'column'");
  expect_in("EXPLAIN " SUMS, "Method: column (expected ");
  run("SET method = auto");
  expect_in("EXPLAIN " SUMS, "Method: sorted_cube (expected ");
}

static void views_that_lack_something_do_not_serve(void **state) {
  (void)state;
  expect_in("EXPLAIN SELECT g, sum(v) FROM t WHERE id < 10 GROUP BY g", "Method: column (expected ");
  expect_in("EXPLAIN SELECT g, sum(v) FROM t WHERE id < 10 GROUP BY g", "sorted_cube: none built");
  expect_in("EXPLAIN SELECT g, sum(id) FROM t GROUP BY g", "Method: column (expected ");
}

/* The rows of a star: groups that are left, as a sample says. */
static void groups_are_estimated(void **state) {
  (void)state;
  expect_in("EXPLAIN SELECT g, count(*) FROM t GROUP BY g", "Star Query on t  (cost=");
  const double all = number_in("EXPLAIN SELECT k, sum(v) FROM t GROUP BY k", " rows=");
  const double tenth = number_in("EXPLAIN SELECT k, sum(v) FROM t WHERE k < 100 GROUP BY k", " rows=");
  assert_true(all > 10 * tenth * 0.7 && all < 10 * tenth * 1.4);
}

/* ---- Filters ---- */

/* An evaluation takes 0.1 ms, a scan 0.020, its preparation 0.8: the tenth filter or so prepares it. */
static void a_scan_is_prepared_when_that_pays(void **state) {
  char sql[128];
  (void)state;
  expect_in("EXPLAIN SELECT id FROM t WHERE v = 3", "Method: evaluation (expected 0.143 ms)");
  expect_in("EXPLAIN SELECT id FROM t WHERE v = 3", "Rejected: column: none prepared");
  uint32_t evaluated = 0;
  for (bool scanned = false; !scanned; evaluated++) {
    snprintf(sql, sizeof sql, "EXPLAIN ANALYZE SELECT id FROM t WHERE v = %u", evaluated);
    char *text = ask(sql);
    scanned = strstr(text, "Method: column") != NULL;
    free(text);
    assert_true(evaluated < 30);
  }
  assert_in_range(evaluated, 6, 10);
  expect_in("EXPLAIN SELECT id FROM t WHERE v = 5", "Method: column (expected 0.02");
  expect_in("EXPLAIN SELECT id FROM t WHERE v = 5", "Rejected: evaluation 0.143 ms");
}

static void what_no_scan_answers_is_evaluated(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 20; i++)
    run("SELECT id FROM t WHERE v + g < 0");
  expect_in("EXPLAIN ANALYZE SELECT id FROM t WHERE v + g < 0", "Method: evaluation");
  expect_in("EXPLAIN SELECT id FROM t WHERE v + g < 0", "Rejected: column: not for this filter");
}

/* Where evaluation is fast, scans are not asked, even where they are there. */
static void rates_decide_about_scans(void **state) {
  (void)state;
  set_rates(0.01, 1);
  expect_in("EXPLAIN SELECT id FROM t WHERE v = 6", "Method: evaluation (expected 0.001 ms)");
  expect_in("EXPLAIN ANALYZE SELECT id FROM t WHERE v = 7", "Method: evaluation");
  set_rates(1, 1);
  expect_in("EXPLAIN ANALYZE SELECT id FROM t WHERE v = 8", "Method: column");
}

/* ---- Trees ---- */

static void times_of_a_node_have_those_below_it(void **state) {
  (void)state;
  const char *sql = "EXPLAIN SELECT a.id FROM t a JOIN t b ON a.id = b.v + b.g WHERE a.v = 3 ORDER BY 1";
  const double sort = number_in(sql, "Sort  (cost="), join = number_in(sql, "Inner Join  (cost=");
  const double own = number_in(sql, "Method: hash (expected "), scan = number_in(sql, "Method: column (expected ");
  assert_true(sort > join && own > 0 && scan > 0);
  assert_true(join > own + scan - 0.002 && join < own + scan + 0.002);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_star_without_cubes_goes_to_the_column_engine),
      cmocka_unit_test(the_fastest_cube_answers),
      cmocka_unit_test(many_ranges_go_to_the_column_engine),
      cmocka_unit_test(statements_choose_what_explain_shows),
      cmocka_unit_test(an_attribute_is_read_once),
      cmocka_unit_test(a_method_that_is_set_counts),
      cmocka_unit_test(views_that_lack_something_do_not_serve),
      cmocka_unit_test(groups_are_estimated),
      cmocka_unit_test(a_scan_is_prepared_when_that_pays),
      cmocka_unit_test(what_no_scan_answers_is_evaluated),
      cmocka_unit_test(rates_decide_about_scans),
      cmocka_unit_test(times_of_a_node_have_those_below_it),
  };
  return cmocka_run_group_tests(tests, open_all, close_all);
}
