/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Window functions over random rows, and what looking at all rows of each frame gives. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <raydex/raydex.h>

#define ROWS 200
#define NONE INT64_MIN
#define COUNT(array) (sizeof(array) / sizeof *(array))

static rdx_device *device;
static rdx_database *database;
static unsigned seed;

/* ---- The table: NONE is NULL ---- */

static struct {
  int64_t g[ROWS], v[ROWS], x[ROWS];
  double f[ROWS];
} table;

static uint32_t draw(uint32_t count) {
  return (uint32_t)rand_r(&seed) % count;
}

static rdx_status ask(const char *sql, rdx_answer **out, rdx_error *err) {
  rdx_statement *s = NULL;
  *out = NULL;
  rdx_status status = rdx_statement_prepare(database, sql, NULL, &s, err);
  if (status == RDX_OK)
    status = rdx_statement_execute(s, out, err);
  rdx_statement_destroy(&s);
  return status;
}

static void run(const char *sql) {
  rdx_error err = {""};
  rdx_answer *a = NULL;
  if (ask(sql, &a, &err) != RDX_OK)
    fail_msg("%s: %s", sql, err.text);
  rdx_answer_destroy(&a);
}

static int64_t draw_or_null(uint32_t count) {
  return draw(8) == 0 ? NONE : (int64_t)draw(count) - (int64_t)count / 3;
}

static size_t put_integer(char *to, size_t size, int64_t value) {
  return (size_t)(value == NONE ? snprintf(to, size, "NULL, ") : snprintf(to, size, "%lld, ", (long long)value));
}

/* Floats are quarters, whose sums are exact; some are not finite. */
static void fill_table(void) {
  static char sql[80 * ROWS + 64];
  size_t used = (size_t)snprintf(sql, sizeof sql, "INSERT INTO t VALUES ");
  run("DROP TABLE IF EXISTS t");
  run("CREATE TABLE t (id integer, g integer, v integer, x integer, f float8)");
  const uint32_t groups = 1 + draw(8), values = 1 + draw(60);
  for (int i = 0; i < ROWS; i++) {
    table.g[i] = draw_or_null(groups);
    table.v[i] = draw_or_null(values);
    table.x[i] = draw_or_null(1000);
    table.f[i] = draw(40) == 0 ? (draw(2) ? (double)INFINITY : (double)NAN) : (double)draw(4000) / 4 - 300;
    used += (size_t)snprintf(sql + used, sizeof sql - used, "%s(%d, ", i ? ", " : "", i);
    used += put_integer(sql + used, sizeof sql - used, table.g[i]);
    used += put_integer(sql + used, sizeof sql - used, table.v[i]);
    used += put_integer(sql + used, sizeof sql - used, table.x[i]);
    used +=
        (size_t)snprintf(sql + used, sizeof sql - used, isfinite(table.f[i]) ? "%.2f)" : "'%f'::float8)", table.f[i]);
  }
  run(sql);
}

static int open_all(void **state) {
  rdx_error err;
  const char *text = getenv("RAYDEX_TEST_SEED");
  const rdx_device_params params = {.threads = 2};
  (void)state;
  seed = text ? (unsigned)strtoul(text, NULL, 10) : (unsigned)time(NULL);
  print_message("seed %u\n", seed);
  return rdx_device_open("cpu", &params, &device, &err) == RDX_OK &&
                 rdx_database_open(device, NULL, NULL, &database, &err) == RDX_OK
             ? 0
             : -1;
}

static int close_all(void **state) {
  (void)state;
  rdx_database_close(&database);
  rdx_device_close(&device);
  return 0;
}

/* ---- Windows ---- */

typedef struct window {
  bool parts, sorts, descending, nulls_first;
  int begin, end; /* -99 and 99 are UNBOUNDED */
  enum { ROWS_OF, RANGE_OF, GROUPS_OF } unit;
  enum { NOTHING, CURRENT, GROUP, TIES } excludes;
  char text[200];
} window;

static void put_edge(char *to, size_t size, int offset) {
  if (offset == -99 || offset == 99)
    snprintf(to, size, "UNBOUNDED %s", offset < 0 ? "PRECEDING" : "FOLLOWING");
  else if (offset == 0)
    snprintf(to, size, "CURRENT ROW");
  else
    snprintf(to, size, "%d %s", abs(offset), offset < 0 ? "PRECEDING" : "FOLLOWING");
}

static window draw_window(void) {
  static const char *const units[] = {"ROWS", "RANGE", "GROUPS"};
  static const char *const exclusions[] = {"", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES"};
  window w = {.parts = draw(3) > 0, .sorts = draw(5) > 0, .descending = draw(2)};
  char begin[32], end[32];
  w.nulls_first = draw(2);
  w.unit = w.sorts ? draw(3) : draw(2);
  if (w.unit == ROWS_OF || (w.sorts && draw(4) > 0)) {
    w.begin = draw(3) == 0 ? -99 : (int)draw(9) - 5;
    w.end = draw(3) == 0 ? 99 : w.begin == -99 ? (int)draw(9) - 4 : w.begin + (int)draw(6);
    if ((w.begin >= 0 && w.end < 0) || (w.begin > 0 && w.end == 0)) /* which PostgreSQL refuses */
      w.end = 99;
  } else {
    w.begin = draw(2) ? -99 : 0;
    w.end = draw(2) ? 99 : 0;
  }
  w.excludes = draw(2) * draw(4);
  put_edge(begin, sizeof begin, w.begin);
  put_edge(end, sizeof end, w.end);
  snprintf(w.text, sizeof w.text, "OVER (%s%s%s%s %s BETWEEN %s AND %s%s)", w.parts ? "PARTITION BY g " : "",
           w.sorts ? "ORDER BY v" : "", w.sorts && w.descending ? " DESC" : "",
           !w.sorts        ? ""
           : w.nulls_first ? " NULLS FIRST"
                           : " NULLS LAST",
           units[w.unit], begin, end, exclusions[w.excludes]);
  return w;
}

static const window *sorting;

/* Rows of the same partition in order, as they are where they are equal. */
static int compare_values(int64_t a, int64_t b) {
  if (!sorting->sorts || a == b)
    return 0;
  if (a == NONE || b == NONE)
    return (a == NONE) == sorting->nulls_first ? -1 : 1;
  return (a < b) == sorting->descending ? 1 : -1;
}

static int compare_rows(const void *a, const void *b) {
  const int i = *(const int *)a, k = *(const int *)b;
  const int order = compare_values(table.v[i], table.v[k]);
  return order ? order : i - k;
}

/* The partition of a row, where the row is in it, and its frame, which stands behind it in `rows` where some of it is
 * excluded. */
typedef struct place {
  int rows[2 * ROWS], count, at, peer_begin, peer_end, begin, end, rank;
} place;

static int clip(int value, int count) {
  return value < 0 ? 0 : value > count ? count : value;
}

/* Whether a row is at or behind the beginning of a frame, `is_end`: at or before its end, that is so far from `at`: in
 * values, or in groups of equal ones. */
static bool is_within(const window *w, const place *p, int i, int distance, bool is_end) {
  const int64_t v = table.v[p->rows[i]], own = table.v[p->rows[p->at]];
  int64_t far = 0;
  if (w->unit == GROUPS_OF) {
    const int step = i < p->at ? -1 : 1;
    for (int k = p->at; k != i; k += step)
      far += compare_values(table.v[p->rows[k]], table.v[p->rows[k + step]]) != 0 ? step : 0;
  } else if (v == NONE || own == NONE) {
    far = v == own ? distance : (v == NONE) == w->nulls_first ? -1000 : 1000;
  } else {
    far = w->descending ? own - v : v - own;
  }
  return is_end ? far <= distance : far >= distance;
}

static int end_of(const window *w, const place *p, int distance, bool is_end) {
  int i = 0;
  if (distance == (is_end ? 99 : -99))
    return is_end ? p->count : 0;
  if (w->unit == ROWS_OF)
    return clip(p->at + distance + is_end, p->count);
  if (distance == 0)
    return is_end ? p->peer_end : p->peer_begin;
  while (i < p->count && is_within(w, p, i, distance, is_end) == is_end)
    i++;
  return i;
}

static bool is_excluded(const window *w, const place *p, int i) {
  const bool peer = i >= p->peer_begin && i < p->peer_end;
  return w->excludes == CURRENT ? i == p->at : w->excludes == GROUP ? peer : peer && i != p->at;
}

/* Copy what the frame keeps. */
static void exclude(const window *w, place *p) {
  int kept = p->count;
  for (int i = p->begin; i < p->end; i++)
    if (!is_excluded(w, p, i))
      p->rows[kept++] = p->rows[i];
  p->begin = p->count;
  p->end = kept;
}

static place place_of(const window *w, int row) {
  place p = {.count = 0};
  sorting = w;
  for (int i = 0; i < ROWS; i++)
    if (!w->parts || table.g[i] == table.g[row])
      p.rows[p.count++] = i;
  qsort(p.rows, (size_t)p.count, sizeof *p.rows, compare_rows);
  while (p.rows[p.at] != row)
    p.at++;
  for (p.peer_begin = p.at; p.peer_begin > 0 && compare_values(table.v[p.rows[p.peer_begin - 1]], table.v[row]) == 0;)
    p.peer_begin--;
  for (p.peer_end = p.at + 1; p.peer_end < p.count && compare_values(table.v[p.rows[p.peer_end]], table.v[row]) == 0;)
    p.peer_end++;
  for (int i = 0; i <= p.at; i++)
    p.rank += i == 0 || compare_values(table.v[p.rows[i]], table.v[p.rows[i - 1]]) != 0;
  p.begin = end_of(w, &p, w->begin, false);
  p.end = end_of(w, &p, w->end, true);
  if (w->excludes != NOTHING)
    exclude(w, &p);
  return p;
}

/* ---- Functions: NONE and `*null` are NULL ---- */

typedef struct result {
  bool null, real, rounded; /* rounded: more than once */
  int64_t i;
  double f;
} result;

static result integer(int64_t value) {
  return (result){.null = value == NONE, .i = value};
}

static result real(double value) {
  return (result){.real = true, .f = value};
}

/* Of a row of the frame. */
static int64_t x_in(const place *p, int i) {
  return table.x[p->rows[i]];
}

static int64_t x_at(const place *p, int at) {
  return at < 0 || at >= p->count ? NONE : table.x[p->rows[at]];
}

static result of_x(const place *p, char what) {
  int64_t sum = 0, count = 0, min = NONE, max = NONE;
  for (int i = p->begin; i < p->end; i++) {
    const int64_t x = x_in(p, i);
    if (x == NONE)
      continue;
    sum += x;
    count++;
    min = min == NONE || x < min ? x : min;
    max = max == NONE || x > max ? x : max;
  }
  switch (what) {
  case 'c':
    return integer(count);
  case 's':
    return integer(count ? sum : NONE);
  case 'a':
    return count ? real((double)sum / (double)count) : integer(NONE);
  case 'l':
    return integer(min);
  default:
    return integer(max);
  }
}

static result of_f(const place *p, char what) {
  double sum = 0, min = (double)NAN;
  int count = 0;
  for (int i = p->begin; i < p->end; i++, count++) {
    const double f = table.f[p->rows[i]];
    sum += f;
    min = isnan(min) || f < min ? f : min;
  }
  if (count == 0)
    return integer(NONE);
  return real(what == 's' ? sum : what == 'a' ? sum / count : min);
}

/* n, and n times the co-moments, of f in quarters and x: exact. */
typedef struct pairs {
  int n;
  bool special;
  int64_t ff, fx, xx;
} pairs;

static pairs pairs_of(const place *p, bool both) {
  int64_t f = 0, x = 0;
  pairs q = {.n = 0};
  for (int i = p->begin; i < p->end; i++) {
    const int row = p->rows[i];
    if (table.x[row] == NONE && both)
      continue;
    q.n++;
    q.special |= !isfinite(table.f[row]);
    const int64_t quarters = isfinite(table.f[row]) ? (int64_t)(4 * table.f[row]) : 0, of_x = both ? table.x[row] : 0;
    f += quarters;
    x += of_x;
    q.ff += quarters * quarters;
    q.fx += quarters * of_x;
    q.xx += of_x * of_x;
  }
  q.ff = q.n * q.ff - f * f;
  q.fx = q.n * q.fx - f * x;
  q.xx = q.n * q.xx - x * x;
  return q;
}

static result rounded(double value) {
  return (result){.real = true, .rounded = true, .f = value};
}

static result statistic_of(const place *p, const char *name) {
  const bool sample = strcmp(name, "stddev(f)") == 0, correlation = strcmp(name, "corr(f, x)") == 0;
  const pairs q = pairs_of(p, name[strlen(name) - 2] == 'x');
  const double n = q.n;
  if (strcmp(name, "regr_count(f, x)") == 0)
    return integer(q.n);
  if (q.n <= sample || (correlation && (q.xx == 0 || (!q.special && q.ff == 0))))
    return integer(NONE);
  if (strcmp(name, "var_pop(x)") == 0)
    return rounded((double)q.xx / n / n);
  if (q.special)
    return real((double)NAN);
  if (sample)
    return rounded(sqrt((double)q.ff / 16 / n / (n - 1)));
  return rounded(correlation ? (double)q.fx / sqrt((double)q.ff * (double)q.xx) : (double)q.fx / 4 / n / n);
}

static int64_t tile(const place *p, int n) {
  int64_t tile = 1;
  for (int i = 0, left = p->count, tiles = n; tiles > 0; tiles--, tile++) {
    const int size = (left + tiles - 1) / tiles;
    if (p->at < i + size)
      return tile;
    i += size;
    left -= size;
  }
  return tile;
}

static result value_of(const place *p, const char *name) {
  const bool empty = p->begin >= p->end;
  if (strcmp(name, "row_number()") == 0)
    return integer(p->at + 1);
  if (strcmp(name, "rank()") == 0)
    return integer(p->peer_begin + 1);
  if (strcmp(name, "dense_rank()") == 0)
    return integer(p->rank);
  if (strcmp(name, "percent_rank()") == 0)
    return real(p->count == 1 ? 0 : (double)p->peer_begin / (p->count - 1));
  if (strcmp(name, "cume_dist()") == 0)
    return real((double)p->peer_end / p->count);
  if (strcmp(name, "ntile(7)") == 0)
    return integer(tile(p, 7));
  if (strcmp(name, "lag(x)") == 0)
    return integer(x_at(p, p->at - 1));
  if (strcmp(name, "lead(x, 3, -5)") == 0)
    return integer(p->at + 3 >= p->count ? -5 : x_at(p, p->at + 3));
  if (strcmp(name, "first_value(x)") == 0)
    return integer(empty ? NONE : x_in(p, p->begin));
  if (strcmp(name, "last_value(x)") == 0)
    return integer(empty ? NONE : x_in(p, p->end - 1));
  if (strcmp(name, "nth_value(x, 2)") == 0)
    return integer(p->begin + 1 < p->end ? x_in(p, p->begin + 1) : NONE);
  if (strcmp(name, "count(*)") == 0)
    return integer(empty ? 0 : p->end - p->begin);
  if (strstr("var_pop(x) stddev(f) regr_count(f, x) covar_pop(f, x) corr(f, x)", name))
    return statistic_of(p, name);
  if (name[strlen(name) - 2] == 'x')
    return of_x(p, name[0] == 'm' ? (name[1] == 'i' ? 'l' : 'm') : name[0]);
  return of_f(p, name[0]);
}

static const char *const names[] = {
    "row_number()",   "rank()",           "dense_rank()",    "percent_rank()",  "cume_dist()", "ntile(7)", "lag(x)",
    "lead(x, 3, -5)", "first_value(x)",   "last_value(x)",   "nth_value(x, 2)", "count(*)",    "count(x)", "sum(x)",
    "avg(x)",         "min(x)",           "max(x)",          "sum(f)",          "avg(f)",      "min(f)",   "var_pop(x)",
    "stddev(f)",      "regr_count(f, x)", "covar_pop(f, x)", "corr(f, x)"};

static void check(const rdx_column *c, int row, result expected, const char *sql) {
  const bool null = c->validity && !(c->validity[row / 8] >> row % 8 & 1);
  const int64_t i = c->type == RDX_TYPE_I64   ? ((const int64_t *)c->values)[row]
                    : c->type == RDX_TYPE_I32 ? ((const int32_t *)c->values)[row]
                                              : 0;
  const double f = c->type == RDX_TYPE_F64 ? ((const double *)c->values)[row] : 0;
  const double off = expected.rounded ? 1e-14 * fabs(expected.f) : 0;
  const bool real = fabs(f - expected.f) <= off || f == expected.f || (isnan(f) && isnan(expected.f));
  const bool same = null == expected.null && (null || (expected.real ? real : i == expected.i));
  if (!same)
    fail_msg("%s: row %d is %lld, %g%s, and must be %lld, %g%s", sql, row, (long long)i, f, null ? " NULL" : "",
             (long long)expected.i, expected.f, expected.null ? " NULL" : "");
}

static void test_frames_are_as_all_rows_say(void **state) {
  (void)state;
  for (int round = 0; round < 60; round++) {
    const window w = draw_window();
    char sql[4096];
    rdx_error err = {""};
    rdx_answer *a = NULL;
    if (round % 10 == 0)
      fill_table();
    size_t used = (size_t)snprintf(sql, sizeof sql, "SELECT id");
    for (size_t i = 0; i < COUNT(names); i++)
      used += (size_t)snprintf(sql + used, sizeof sql - used, ", %s OVER w", names[i]);
    snprintf(sql + used, sizeof sql - used, " FROM t WINDOW w AS %s ORDER BY id", w.text + strlen("OVER "));
    if (ask(sql, &a, &err) != RDX_OK)
      fail_msg("%s: %s", sql, err.text);
    for (int row = 0; row < ROWS; row++) {
      const place p = place_of(&w, row);
      for (size_t i = 0; i < COUNT(names); i++) {
        const rdx_column *c = rdx_table_column(rdx_answer_table(a), (uint32_t)i + 1);
        char where[300];
        snprintf(where, sizeof where, "%s %s", names[i], w.text);
        check(c, row, value_of(&p, names[i]), where);
      }
    }
    rdx_answer_destroy(&a);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_frames_are_as_all_rows_say)};
  return cmocka_run_group_tests(tests, open_all, close_all);
}
