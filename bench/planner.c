/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* How good the planner's choices are: each query runs by every method that can answer it, in turn, and the time of the
 * chosen one is compared with the best. */

#include "bench/planner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define QUERIES_EACH 20 /* over the same tables */
#define MAX_ROUNDS 25
#define MIN_ROUNDS 4
#define ENOUGH_MS 50 /* of runs of one method */
/* How long a GPU is kept at work before a query, and before each of its runs: one that waits takes several times as
 * long for all it does, and rates are of one at work. */
#define WAKE_UP_MS 300
#define KEEP_AWAKE_MS 2
#define LISTED 10 /* of the worst choices */
/* What does not count as slower: the spread of such measurements. */
#define SPREAD 1.05
#define SPREAD_MS 0.02
#define BAR 1.3

typedef struct measured {
  char name[24];
  double ms, expected_ms; /* the least time; what EXPLAIN says, 0: nothing */
} measured;

/* A query that was measured. */
typedef struct outcome {
  planner_kind kind;
  uint64_t rows; /* of the fact table */
  char text[PLANNER_TEXT];
  measured methods[PLANNER_MAX_METHODS];
  uint32_t method_count, chosen, best;
  bool by_star;  /* a star query is planned, by one of its methods */
  double factor; /* of the chosen one's time to the best one's; 1 within the spread */
} outcome;

typedef struct session {
  bench *b;
  const bench_point *point;
  rdx_database *database;
  planner_tables tables;
  planner_random random;
  outcome *outcomes;
  uint32_t count;
} session;

/* ---- Statements ---- */

/* The caller destroys the answer. */
static rdx_status ask(const session *s, const char *text, rdx_answer **out, rdx_error *err) {
  rdx_statement *statement = NULL;
  *out = NULL;
  rdx_status status = rdx_statement_prepare(s->database, text, NULL, &statement, err);
  if (status == RDX_OK)
    status = rdx_statement_execute(statement, out, err);
  rdx_statement_destroy(&statement);
  if (status == RDX_OK && console_interrupted()) {
    rdx_answer_destroy(out);
    status = console_error(err, RDX_ERROR_CANCELLED, "interrupted");
  }
  return status;
}

static rdx_status execute(const session *s, const char *text, rdx_error *err) {
  rdx_answer *answer = NULL;
  const rdx_status status = ask(s, text, &answer, err);
  rdx_answer_destroy(&answer);
  return status;
}

static rdx_status reset(const session *s, rdx_error *err) {
  return execute(s, "RESET ALL", err);
}

/* ---- Answers ---- */

static uint64_t hash_bytes(const void *bytes, uint64_t length, uint64_t seed) {
  for (uint64_t i = 0; i < length; i++)
    seed = (seed ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
  return seed;
}

static uint64_t hash_value(const rdx_column *c, uint64_t row, uint64_t seed) {
  char text[RDX_VALUE_TEXT];
  uint64_t length = 0;
  if (c->validity && !(c->validity[row / 8] >> row % 8 & 1))
    return seed + 1;
  if (c->type == RDX_TYPE_STRING) {
    const char *bytes = rdx_column_string(c, row, &length);
    return hash_bytes(bytes, length, seed);
  }
  length = rdx_column_format(c, row, text);
  return hash_bytes(text, length, seed);
}

/* The same for the same rows in any order. */
static uint64_t sum_rows(const rdx_table *table) {
  uint64_t sum = rdx_table_rows(table);
  for (uint64_t row = 0; row < rdx_table_rows(table); row++) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (uint32_t c = 0; c < rdx_table_columns(table); c++)
      hash = bench_mix(hash_value(rdx_table_column(table, c), row, hash), 1);
    sum += hash;
  }
  return sum;
}

/* ---- EXPLAIN ---- */

static measured *find_method(outcome *o, const char *name, size_t length) {
  for (uint32_t i = 0; i < o->method_count; i++)
    if (strlen(o->methods[i].name) == length && strncmp(o->methods[i].name, name, length) == 0)
      return &o->methods[i];
  return NULL;
}

/* "NAME 1.5 ms, NAME: why not, ..." */
static void read_rejected(const char *text, outcome *o) {
  while (*text) {
    text += *text == ' ';
    const size_t length = strcspn(text, " :,");
    measured *m = find_method(o, text, length);
    if (m && text[length] == ' ')
      m->expected_ms = strtod(text + length, NULL);
    text += strcspn(text, ",");
    text += *text == ',';
  }
}

/* The chosen method and what is expected of all: those of the first operator that has a choice. */
static rdx_status read_plan(const rdx_table *plan, outcome *o, rdx_error *err) {
  bool found = false;
  char line[4096];
  for (uint64_t row = 0; row < rdx_table_rows(plan); row++) {
    uint64_t length = 0;
    const char *bytes = rdx_column_string(rdx_table_column(plan, 0), row, &length);
    snprintf(line, sizeof line, "%.*s", (int)length, bytes);
    const char *method = strstr(line, "  Method: "), *rejected = strstr(line, "  Rejected:");
    o->by_star |= strstr(line, "Star Query") != NULL;
    if (method && found)
      return RDX_OK;
    if (rejected && found)
      read_rejected(rejected + strlen("  Rejected:"), o);
    if (!method)
      continue;
    method += strlen("  Method: ");
    const size_t size = strcspn(method, " ");
    measured *m = find_method(o, method, size);
    if (!m)
      return console_error(err, RDX_ERROR_INTERNAL, "the planner took '%s', which no setting asks for: %s", method,
                           o->text);
    const char *expected = strstr(method, "(expected ");
    m->expected_ms = expected ? strtod(expected + strlen("(expected "), NULL) : 0;
    o->chosen = (uint32_t)(m - o->methods);
    found = true;
  }
  return found ? RDX_OK : console_error(err, RDX_ERROR_INTERNAL, "EXPLAIN names no method: %s", o->text);
}

static rdx_status explain(const session *s, outcome *o, rdx_error *err) {
  char text[PLANNER_TEXT + 32];
  rdx_answer *answer = NULL;
  snprintf(text, sizeof text, "EXPLAIN ANALYZE %s", o->text);
  rdx_status status = ask(s, text, &answer, err);
  if (status == RDX_OK)
    status = read_plan(rdx_answer_table(answer), o, err);
  rdx_answer_destroy(&answer);
  return status;
}

/* A star that is planned as something else, such as the lookup of few rows, is measured as that, too. */
static void add_plan_itself(planner_query *q, outcome *o) {
  if (q->kind != PLANNER_STAR || o->by_star || q->method_count == PLANNER_MAX_METHODS)
    return;
  q->methods[q->method_count++] = (planner_method){"operators", "RESET ALL"};
  o->methods[o->method_count] = (measured){.name = "operators"};
  o->chosen = o->method_count++;
}

/* ---- Measuring ---- */

/* Milliseconds that only grow. Of one thread they are those of the processor, which other work on the machine does not
 * disturb. */
static double now_ms(const session *s) {
  const bool alone = s->b->info->backend == RDX_BACKEND_CPU && s->b->info->threads == 1;
  struct timespec t;
  clock_gettime(alone ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static rdx_status keep_awake(const session *s, double ms, rdx_error *err) {
  const double end = now_ms(s) + ms;
  if (s->b->info->backend == RDX_BACKEND_CPU || s->b->info->emulated)
    return RDX_OK;
  /* Left to choose, the planner would ask a sorted cube, on the host. */
  rdx_status status = execute(s, "SET method = 'column'", err);
  while (status == RDX_OK && now_ms(s) < end)
    status = execute(s, "SELECT sum(m) FROM fact", err);
  return status == RDX_OK ? reset(s, err) : status;
}

/* Plan a query under a setting, and run it: only that is timed. */
static rdx_status run_once(const session *s, const planner_method *method, const char *text, double *ms, uint64_t *sum,
                           rdx_error *err) {
  rdx_statement *statement = NULL;
  rdx_answer *answer = NULL;
  rdx_status status = keep_awake(s, KEEP_AWAKE_MS, err);
  if (status == RDX_OK)
    status = execute(s, method->set, err);
  if (status == RDX_OK)
    status = rdx_statement_prepare(s->database, text, NULL, &statement, err);
  const double start = now_ms(s);
  if (status == RDX_OK)
    status = rdx_statement_execute(statement, &answer, err);
  *ms = now_ms(s) - start;
  if (status == RDX_OK && sum)
    *sum = sum_rows(rdx_answer_table(answer));
  rdx_answer_destroy(&answer);
  rdx_statement_destroy(&statement);
  if (status == RDX_OK && console_interrupted())
    status = console_error(err, RDX_ERROR_CANCELLED, "interrupted");
  return status;
}

/* A query whose answer takes long may begin in time, and is left out when the time is over. */
static bool is_over(const session *s) {
  return s->b->deadline > 0 && bench_seconds() > s->b->deadline;
}

/* Each method once, which prepares what it needs; its answer must be that of the others. What it cannot do it is left
 * out of. */
static rdx_status run_first(const session *s, planner_query *q, outcome *o, rdx_error *err) {
  uint64_t expected = 0;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < q->method_count && !is_over(s); i++) {
    uint64_t sum = 0;
    double ms = 0;
    const rdx_status status = run_once(s, &q->methods[i], q->text, &ms, &sum, err);
    if (bench_may_skip(status))
      continue;
    if (status != RDX_OK)
      return status;
    if (kept > 0 && sum != expected)
      return console_error(err, RDX_ERROR_INTERNAL, "WRONG ANSWER by %s: %s", q->methods[i].name, q->text);
    expected = sum;
    snprintf(o->methods[kept].name, sizeof o->methods[kept].name, "%s", q->methods[i].name);
    q->methods[kept++] = q->methods[i];
  }
  q->method_count = o->method_count = kept;
  return RDX_OK;
}

/* The methods in turn, each round beginning with another one. The least time of each counts. */
static rdx_status run_rounds(const session *s, const planner_query *q, outcome *o, rdx_error *err) {
  double sum = 0;
  for (uint32_t round = 0; round < MAX_ROUNDS && (round < MIN_ROUNDS || sum < ENOUGH_MS * q->method_count); round++) {
    for (uint32_t i = 0; i < q->method_count && !is_over(s); i++) {
      const uint32_t m = (i + round) % q->method_count;
      double ms = 0;
      const rdx_status status = run_once(s, &q->methods[m], q->text, &ms, NULL, err);
      if (status != RDX_OK)
        return status;
      o->methods[m].ms = round == 0 || ms < o->methods[m].ms ? ms : o->methods[m].ms;
      sum += ms;
    }
  }
  for (uint32_t i = 0; i < o->method_count; i++)
    if (o->methods[i].ms < o->methods[o->best].ms)
      o->best = i;
  const double chosen = o->methods[o->chosen].ms, best = o->methods[o->best].ms;
  o->factor = chosen <= fmax(SPREAD * best, best + SPREAD_MS) ? 1 : chosen / best;
  return RDX_OK;
}

static rdx_status run_query(session *s, planner_query *q, rdx_error *err) {
  outcome *o = &s->outcomes[s->count];
  *o = (outcome){.kind = q->kind, .rows = s->tables.rows};
  snprintf(o->text, sizeof o->text, "%s", q->text);
  rdx_status status = run_first(s, q, o, err);
  if (status != RDX_OK || o->method_count < 2 || is_over(s))
    return status; /* there is no choice */
  status = reset(s, err);
  if (status == RDX_OK)
    status = explain(s, o, err);
  add_plan_itself(q, o);
  if (status == RDX_OK)
    status = keep_awake(s, WAKE_UP_MS, err);
  if (status == RDX_OK)
    status = run_rounds(s, q, o, err);
  s->count += status == RDX_OK && !is_over(s);
  return status;
}

/* ---- Tables ---- */

/* Cubes and indexes; what the device cannot hold or build is left out. */
static rdx_status prepare(session *s, rdx_error *err) {
  char create[PLANNER_TEXT];
  const bool traces = s->b->info->tracing != RDX_TRACING_NONE;
  for (uint32_t step = 0; planner_prepare(&s->tables, &s->random, step, traces, create); step++) {
    const rdx_status status = execute(s, create, err);
    if (status != RDX_OK && !bench_may_skip(status))
      return status;
    if (status != RDX_OK && step == 1)
      s->tables.scan_method = NULL;
  }
  return RDX_OK;
}

static rdx_status run_queries(session *s, uint32_t wanted, rdx_error *err) {
  static const planner_kind kinds[] = {PLANNER_STAR, PLANNER_SCAN, PLANNER_STAR, PLANNER_LOOKUP, PLANNER_JOIN};
  planner_query q;
  rdx_status status = prepare(s, err);
  const uint32_t before = s->count;
  for (uint32_t i = 0; i < 2 * wanted && s->count < before + wanted && status == RDX_OK; i++) {
    if (is_over(s)) {
      s->b->skipped++;
      return RDX_OK;
    }
    planner_ask(&s->tables, &s->random, kinds[i % (sizeof kinds / sizeof *kinds)], &q);
    status = run_query(s, &q, err);
  }
  return status;
}

static rdx_status run_tables(session *s, uint32_t wanted, rdx_error *err) {
  const bool gpu = s->b->info->backend == RDX_BACKEND_VULKAN && !s->b->info->emulated;
  const uint32_t log = s->b->options.scale ? s->b->options.scale : gpu ? 25 : s->b->info->emulated ? 14 : 21;
  bench_folder folder;
  rdx_status status = bench_folder_make(&folder, err);
  if (status != RDX_OK)
    return status;
  status = planner_write(folder.name, &s->tables, &s->random, (uint64_t)1 << log, err);
  if (status == RDX_OK)
    status = rdx_database_open(s->b->device, folder.name, NULL, &s->database, err);
  if (status == RDX_OK)
    status = run_queries(s, wanted, err);
  rdx_database_close(&s->database);
  bench_folder_remove(&folder);
  return status;
}

/* ---- Reporting ---- */

static int compare_outcomes(const void *a, const void *b) {
  const outcome *x = a, *y = b;
  return x->factor < y->factor ? 1 : x->factor > y->factor ? -1 : 0;
}

static void print_outcome(const outcome *o) {
  printf("%.2f times, %s of %llu rows: %s\n ", o->factor, planner_kind_names[o->kind], (unsigned long long)o->rows,
         o->text);
  for (uint32_t i = 0; i < o->method_count; i++)
    printf(" %s%s %.3f ms (%.3f)%s", i == o->chosen ? "*" : "", o->methods[i].name, o->methods[i].ms,
           o->methods[i].expected_ms, i + 1 < o->method_count ? "," : "\n");
}

static void print_worst(const session *s) {
  qsort(s->outcomes, s->count, sizeof *s->outcomes, compare_outcomes);
  if (s->count > 0 && s->outcomes[0].factor > 1)
    printf("\nThe worst choices (*), times and what was expected:\n");
  for (uint32_t i = 0; i < s->count && i < LISTED && s->outcomes[i].factor > 1; i++)
    print_outcome(&s->outcomes[i]);
}

static rdx_status add_value(const session *s, const char *kind, planner_kind place, uint32_t cases, const char *metric,
                            double value, rdx_error *err) {
  bench_row row = {.rows = cases, .probes = cases, .value = -1 - (double)place, .runs = 1};
  snprintf(row.experiment, sizeof row.experiment, "%s", s->point->experiment);
  snprintf(row.device, sizeof row.device, "%s", s->b->info->name);
  snprintf(row.method, sizeof row.method, "auto");
  snprintf(row.parameter, sizeof row.parameter, "%s", kind);
  snprintf(row.metric, sizeof row.metric, "%s", metric);
  row.median = row.min = row.max = value;
  return bench_report_append(s->b->report, &row, err);
}

/* Cases of one kind, or of all: PLANNER_KINDS. */
static rdx_status report(const session *s, planner_kind kind, rdx_error *err) {
  const char *name = kind < PLANNER_KINDS ? planner_kind_names[kind] : "all";
  uint32_t cases = 0, fastest = 0, off = 0;
  double worst = 1;
  for (uint32_t i = 0; i < s->count; i++) {
    const outcome *o = &s->outcomes[i];
    if (kind < PLANNER_KINDS && o->kind != kind)
      continue;
    cases++;
    fastest += o->factor <= 1;
    off += o->factor > BAR;
    worst = fmax(worst, o->factor);
  }
  if (cases == 0)
    return RDX_OK;
  printf("%-7s %4u cases: the fastest method was chosen in %.1f %%, the worst choice took %.2f times as long, %u took "
         "more than %.1f times\n",
         name, cases, 100.0 * fastest / cases, worst, off, BAR);
  rdx_status status = add_value(s, name, kind, cases, "fastest_percent", 100.0 * fastest / cases, err);
  if (status == RDX_OK)
    status = add_value(s, name, kind, cases, "worst_factor", worst, err);
  return status == RDX_OK ? add_value(s, name, kind, cases, "off_cases", off, err) : status;
}

static rdx_status run_all(session *s, rdx_error *err) {
  const uint32_t cases = s->b->options.cases;
  rdx_status status = RDX_OK;
  for (uint32_t i = 0; s->count < cases && status == RDX_OK && s->b->skipped == 0; i++) {
    const uint32_t wanted = cases - s->count < QUERIES_EACH ? cases - s->count : QUERIES_EACH;
    s->random = (planner_random){bench_mix(i, s->b->options.seed), 0};
    s->tables = (planner_tables){0};
    status = run_tables(s, wanted, err);
  }
  for (planner_kind k = 0; k <= PLANNER_KINDS && status == RDX_OK; k++)
    status = report(s, k, err);
  if (status == RDX_OK)
    print_worst(s);
  return status;
}

rdx_status bench_planner(bench *b, const bench_point *point, rdx_error *err) {
  static const char *const sources[] = {"built in", "kept", "measured now"};
  session s = {.b = b, .point = point};
  rdx_calibration rates;
  if (!bench_is_wanted(b, "auto"))
    return RDX_OK;
  s.outcomes = calloc(b->options.cases, sizeof *s.outcomes);
  if (!s.outcomes)
    return console_error(err, RDX_ERROR_MEMORY, "no memory for %u cases", b->options.cases);
  rdx_status status = rdx_device_calibrate(b->device, false, &rates, err);
  if (status == RDX_OK) {
    printf("rates of this device: %s\n", sources[rates.source]);
    status = run_all(&s, err);
  }
  free(s.outcomes);
  return status;
}
