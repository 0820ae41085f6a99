/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Statements that are stopped at any moment end soon, whatever they do, and leave everything as it was. Time is that of
 * the CPU, so that it does not matter what else the machine does. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <raydex/raydex.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KEYS "30"
#define SOON_MS 1000.0
#else
#define KEYS "300"
#define SOON_MS 100.0
#endif

static char folder[] = "/tmp/raydex-cancel-XXXXXX";
static rdx_device *device;
static rdx_database *database;

static const char *const tables[] = {
    "CREATE TABLE digits AS VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)",
    "CREATE TABLE numbers AS SELECT a.column1 * 100 + b.column1 * 10 + c.column1 AS n "
    "FROM digits a, digits b, digits c",
    "CREATE TABLE big AS SELECT a.n * 10000 + b.n * 10 + c.column1 AS key, "
    "(a.n * 7919 + b.n * 104729 + c.column1 * 31) % 1000003 AS v, (b.n * 37 + c.column1) % 1000 AS g, "
    "(a.n * b.n) / 7.0 AS f, 'name' || a.n AS s "
    "FROM (SELECT n FROM numbers WHERE n < " KEYS ") a, numbers b, digits c",
};

static const char *const statements[] = {
    "SELECT count(*) FROM big a JOIN big b ON a.g = b.g WHERE a.key < 10000",
    "SELECT repeat('xy', 50000000) LIKE 'y%', lpad('x', 100000000, 'abc') LIKE 'b%'",
    "SELECT a.key, b.s FROM big a LEFT JOIN big b ON a.key = b.v",
    "SELECT count(*) FROM big a JOIN big b ON a.key < b.key WHERE a.key < 20",
    "SELECT a.key, b.s FROM big a FULL JOIN big b ON a.key = b.v AND a.g < b.g",
    "SELECT count(*) FROM big a WHERE NOT EXISTS (SELECT 1 FROM big b WHERE b.key = a.v + 1 AND b.g <> a.g)",
    "SELECT key FROM big ORDER BY v, f, s",
    "SELECT f || s || v AS x FROM big WHERE key < 1000000 ORDER BY 1",
    "SELECT s || v || f AS x FROM big ORDER BY 1",
    "SELECT DISTINCT v, s FROM big",
    "SELECT s, g, count(*), sum(v) FROM big GROUP BY 1, 2",
    "SELECT stddev(v), count(DISTINCT g), sum(f) FROM big",
    "SELECT sum(v) OVER (PARTITION BY g ORDER BY key RANGE 1000 PRECEDING) FROM big",
    "SELECT corr(v, f) OVER (ORDER BY g ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM big",
    "SELECT DISTINCT ON (g) v, s FROM big ORDER BY g, f",
    "SELECT key FROM big EXCEPT SELECT v FROM big",
    "SELECT v FROM big UNION SELECT key FROM big",
    "CREATE TABLE copy AS SELECT * FROM big",
    "INSERT INTO grown SELECT key, s FROM big",
    "COPY (SELECT * FROM big) TO 'out.csv'",
    "CREATE MATERIALIZED VIEW cube USING coarse_cube AS SELECT g, s, sum(v), count(*) FROM big GROUP BY g, s",
    "CREATE INDEX place ON big USING btree (v)",
    "SELECT upper(s), substr(s, 2, 4) || v, round(f::numeric, 2) FROM big",
    "SELECT g, percentile_cont(0.5) WITHIN GROUP (ORDER BY f) FROM big GROUP BY g",
    "SELECT v, count(*), min(f), max(s), avg(g) FROM big GROUP BY v",
    "SELECT key FROM big INTERSECT SELECT v FROM big",
    "SELECT g, s, sum(v) FROM big GROUP BY ROLLUP (g, s)",
    "DELETE FROM big WHERE key % 3 = 5",
};

/* ---- Stopping ---- */

static struct {
  _Atomic bool stopped;
  double begun, moment;          /* ms of CPU time; moment: since the beginning */
  double last, gap;              /* the last question, and the longest time between two */
  const char *stage, *stages[2]; /* of the last question, and of those two */
  pthread_mutex_t lock;
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER};

static double cpu_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static bool on_progress(void *user, const char *stage, uint64_t done, uint64_t total) {
  const double now = cpu_ms();
  (void)user, (void)done, (void)total;
  pthread_mutex_lock(&watch.lock); /* table files are written by several threads, which all ask */
  if (now - watch.last > watch.gap) {
    watch.gap = now - watch.last;
    watch.stages[0] = watch.stage;
    watch.stages[1] = stage;
  }
  watch.last = now;
  watch.stage = stage;
  if (now - watch.begun >= watch.moment)
    watch.stopped = true;
  pthread_mutex_unlock(&watch.lock);
  return watch.stopped;
}

static rdx_status ask(const char *sql, rdx_error *err) {
  rdx_statement *s = NULL;
  rdx_answer *a = NULL;
  rdx_status status = rdx_statement_prepare(database, sql, NULL, &s, err);
  if (status == RDX_OK)
    status = rdx_statement_execute(s, &a, err);
  rdx_answer_destroy(&a);
  rdx_statement_destroy(&s);
  return status;
}

static void run(const char *sql) {
  rdx_error err = {""};
  if (ask(sql, &err) != RDX_OK)
    fail_msg("%s: %s", sql, err.text);
}

/* Run a statement that is stopped after so many ms; how many it takes. */
static double run_until(const char *sql, double moment, rdx_status *status) {
  rdx_error err = {""};
  watch.stopped = false;
  watch.gap = 0;
  watch.stage = "the beginning";
  watch.moment = moment;
  watch.begun = watch.last = cpu_ms();
  *status = ask(sql, &err);
  if (*status != RDX_OK && *status != RDX_ERROR_CANCELLED)
    fail_msg("%s: %s", sql, err.text);
  return cpu_ms() - watch.begun;
}

/* ---- Tests ---- */

static int make_tables(void **state) {
  rdx_error err = {""};
  const rdx_device_params params = {.threads = 1, .cache_dir = ""};
  (void)state;
  rdx_status status =
      mkdtemp(folder) && chdir(folder) == 0 ? rdx_device_open("cpu", &params, &device, &err) : RDX_ERROR_IO;
  if (status == RDX_OK)
    status = rdx_database_open(device, folder, NULL, &database, &err);
  for (size_t i = 0; i < COUNT(tables) && status == RDX_OK; i++)
    status = ask(tables[i], &err);
  if (status != RDX_OK)
    print_error("%s\n", err.text);
  rdx_set_progress(on_progress, NULL);
  return status == RDX_OK ? 0 : -1;
}

static int remove_folder(void **state) {
  char command[64];
  (void)state;
  rdx_set_progress(NULL, NULL);
  rdx_database_close(&database);
  rdx_device_close(&device);
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

/* What a statement made must not be there when it is run again. */
static void undo(void) {
  rdx_error err;
  watch.moment = 1e9;
  watch.begun = cpu_ms();
  watch.stopped = false;
  run("DROP TABLE IF EXISTS copy, grown");
  run("CREATE TABLE grown (a bigint, b text)");
  (void)ask("DROP MATERIALIZED VIEW cube", &err);
  (void)ask("DROP INDEX place", &err);
}

/* How long nobody is asked, and how late a statement ends that is stopped after a share of its time. */
typedef struct delay {
  double whole, gap, moment, late;
  const char *stages[2];
} delay;

static delay measure(const char *sql, double share) {
  rdx_status status;
  undo();
  delay d = {.whole = run_until(sql, 1e9, &status)};
  assert_int_equal(status, RDX_OK);
  d.gap = watch.gap;
  memcpy(d.stages, watch.stages, sizeof d.stages);
  undo();
  d.moment = d.whole * share;
  d.late = run_until(sql, d.moment, &status) - d.moment;
  return d;
}

/* A machine that gives pages slowly may be late at times; what does not ask is so each time. */
static void test_statements_end_soon(void **state) {
  const char *text = getenv("RAYDEX_TEST_SEED");
  unsigned seed = text ? (unsigned)strtoul(text, NULL, 10) : (unsigned)time(NULL);
  (void)state;
  print_message("seed %u\n", seed);
  for (size_t i = 0; i < COUNT(statements); i++) {
    const double share = (double)rand_r(&seed) / RAND_MAX;
    delay d = {.gap = INFINITY};
    for (int attempt = 0; attempt < 3 && (d.gap > SOON_MS || d.late > SOON_MS); attempt++)
      d = measure(statements[i], share);
    if (d.gap > SOON_MS || d.late > SOON_MS)
      fail_msg("%s: takes %.0f ms, of which nobody is asked for %.0f, from %s to %s; stopped after %.0f, it ends %.0f "
               "later",
               statements[i], d.whole, d.gap, d.stages[0], d.stages[1], d.moment, d.late);
  }
}

/* Later and later, until nothing stops it. */
static void test_stopped_statements_leave_nothing(void **state) {
  static const char *const made[] = {"CREATE TABLE copy AS SELECT * FROM big WHERE key < 1000000",
                                     "INSERT INTO grown SELECT key, s FROM big WHERE key < 1000000"};
  rdx_error err;
  (void)state;
  for (size_t i = 0; i < COUNT(made); i++) {
    for (double moment = 0;; moment += 23) {
      rdx_status status;
      undo();
      run_until(made[i], moment, &status);
      if (status == RDX_OK)
        break;
      watch.stopped = false;
      watch.moment = 1e9;
      if (i == 0)
        assert_int_equal(ask("SELECT count(*) FROM copy", &err), RDX_ERROR_NOT_FOUND);
      else
        run("SELECT 1 / (count(*) = 0)::integer FROM grown");
    }
  }
}

/* A statement that takes longer than it may, whatever it does; the next one has its own time. */
static void test_timeouts_stop_statements(void **state) {
  static const char *const slow[] = {
      "SELECT count(*) FROM big a JOIN big b ON a.key < b.key WHERE a.key < 100",
      "SELECT f || s || v AS x FROM big ORDER BY 1",
      "CREATE INDEX place ON big USING rx (v)",
      "CREATE TABLE copy AS SELECT *, f || s AS x FROM big",
      "SELECT count(*) FROM 'out.csv'",
  };
  rdx_error err = {""};
  (void)state;
  undo();
  run("COPY (SELECT * FROM big) TO 'out.csv'");
  rdx_set_progress(NULL, NULL);
  for (size_t i = 0; i < COUNT(slow); i++) {
    run("SET timeout = 15");
    if (ask(slow[i], &err) != RDX_ERROR_TIMEOUT)
      fail_msg("%s: %s", slow[i], err.text);
    assert_non_null(strstr(err.text, "15 ms"));
    run("SELECT 1");
    run("SET timeout = '1h'");
    run("SELECT count(*) FROM big WHERE key < 10");
    run("RESET timeout");
  }
  rdx_set_progress(on_progress, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_statements_end_soon),
      cmocka_unit_test(test_stopped_statements_leave_nothing),
      cmocka_unit_test(test_timeouts_stop_statements),
  };
  return cmocka_run_group_tests(tests, make_tables, remove_folder);
}
