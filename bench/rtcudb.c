/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The experiments of RTCUDB, section 6: the 13 queries of the Star Schema Benchmark by every method. */

#include "bench/bench.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MAX_ENGINES 16 /* those of rtcudb-blocks, and more by --options */

typedef struct method {
  const char *variant; /* "" for the only one of its method */
  rdx_star_params params;
  bool flat; /* over the flat table instead of the star */
} method;

#define RT_CUBE(name, ...)                                                                                             \
  { name, {.method = RDX_STAR_RT_CUBE, .rt_cube = {__VA_ARGS__}}, false }
#define RANK(name, ...) RT_CUBE(name, .mapping = RDX_RT_CUBE_RANK, __VA_ARGS__)
#define PUBLISHED(name, ...) RT_CUBE(name, .mapping = RDX_RT_CUBE_PUBLISHED, __VA_ARGS__)

/* All methods, the last with options. Cubes join while they are built, so that a flat table would give the same ones.
 * The RT cube without a variant has the rank mapping. */
static const method all[] = {
    {"", {.method = RDX_STAR_COLUMN_ENGINE}, false}, {"flat", {.method = RDX_STAR_COLUMN_ENGINE}, true},
    {"", {.method = RDX_STAR_SORTED_CUBE}, false},   {"", {.method = RDX_STAR_COARSE_CUBE}, false},
    {"", {.method = RDX_STAR_RT_CUBE}, false},       PUBLISHED("published", .order = RDX_RT_CUBE_FEWEST_INTERVALS),
};

/* What stands beside the RT cube in its figures. */
#define OTHERS                                                                                                         \
  {"", {.method = RDX_STAR_COARSE_CUBE}, false}, {"", {.method = RDX_STAR_SORTED_CUBE}, false}, {                      \
    "", {.method = RDX_STAR_COLUMN_ENGINE}, false                                                                      \
  }

/* What is measured of a run, and of a build. */
enum { QUERY_MS, TOTAL_MS, RUN_METRICS };
enum { BUILD_MS, ENCODE_MS, CUBES, BYTES_COLUMNS, BYTES_CUBES, BYTES_RESIDENT, BYTES_PEAK, BUILD_METRICS };
static const char *const run_metrics[RUN_METRICS] = {"query_ms", "answer_ms"};
static const char *const build_metrics[BUILD_METRICS] = {"build_ms",    "encode_ms",      "cubes",     "bytes_columns",
                                                         "bytes_cubes", "bytes_resident", "bytes_peak"};

typedef struct entry {
  const method *method;
  method own; /* that --options made of another one */
  char name[BENCH_VARIANT];
  rdx_star *star;
  bool out;  /* cannot take part with the queries at hand */
  bool full; /* the device has no room for it beside the others */
  bool skip; /* nor with this query */
  double run[RUN_METRICS][BENCH_MAX_RUNS], build[BUILD_METRICS][BENCH_MAX_RUNS];
  bool incomplete;                                  /* it was out with some queries */
  double all_builds[BUILD_METRICS][BENCH_MAX_RUNS]; /* of the cubes of all queries */
} entry;

typedef struct session {
  bench *b;
  const bench_point *point;
  entry entries[MAX_ENGINES];
  size_t count;
  bool with_memory; /* measure copies and reads of memory, too, in turn with the methods */
  bool with_builds; /* report what building for each family took */
  bench_rates rates;
} session;

/* ---- Sessions ---- */

static void close_stars(session *s) {
  for (size_t k = 0; k < s->count; k++)
    rdx_star_destroy(&s->entries[k].star);
}

static void close_session(session *s) {
  close_stars(s);
  free(s);
}

/* A method, and the forms of it that the command line asks for. */
static void add_forms(session *s, const method *from) {
  if (s->count == MAX_ENGINES)
    return;
  s->entries[s->count++].method = from;
  for (size_t i = 0; i < s->b->options.extra_count && s->count < MAX_ENGINES; i++) {
    entry *e = &s->entries[s->count];
    e->own = *from;
    if (!bench_extend_star(s->b, i, from->variant, &from->params, &e->own.params, e->name))
      continue;
    e->own.variant = e->name;
    e->method = &e->own;
    s->count++;
  }
}

/* The methods that are wanted, and the tables that they need; NULL where none is wanted. */
static rdx_status open_session(bench *b, const bench_point *point, const method *methods, size_t count, session **out,
                               rdx_error *err) {
  if (bench_is_over(b)) {
    b->skipped += !b->share.counting;
    return RDX_OK;
  }
  session *s = calloc(1, sizeof *s);
  if (!s)
    return console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
  s->b = b;
  s->point = point;
  for (size_t k = 0; k < count; k++)
    if (bench_is_wanted(b, rdx_star_method_name(methods[k].params.method)))
      add_forms(s, &methods[k]);
  rdx_status status = s->count > 0 ? bench_star(b, err) : RDX_OK;
  for (size_t k = 0; k < s->count && status == RDX_OK; k++)
    if (s->entries[k].method->flat)
      status = bench_flat(b, err);
  if (status == RDX_OK && s->count > 0)
    *out = s;
  else
    close_session(s);
  return status;
}

/* ---- Reporting ---- */

typedef struct query_text {
  char text[8];
} query_text;

static query_text query_name(uint32_t q) {
  query_text name;
  snprintf(name.text, sizeof name.text, "Q%s", ssb_queries[q].name);
  return name;
}

static bench_row row_of(const session *s, const method *c, const char *place, uint32_t order, const char *metric) {
  bench_row row = {.rows = ssb_star_relation(s->b->star)->rows, .probes = 1, .value = -1 - (double)order, .runs = 1};
  snprintf(row.experiment, sizeof row.experiment, "%s", s->point->experiment);
  snprintf(row.device, sizeof row.device, "%s", s->b->info->name);
  snprintf(row.method, sizeof row.method, "%s", c ? rdx_star_method_name(c->params.method) : "");
  snprintf(row.variant, sizeof row.variant, "%s", c ? c->variant : "");
  snprintf(row.keys, sizeof row.keys, "SF%.3g", s->b->scale_factor);
  snprintf(row.parameter, sizeof row.parameter, "%s", place);
  snprintf(row.metric, sizeof row.metric, "%s", metric);
  return row;
}

static bench_row build_row(const session *s, const method *c, const char *place, uint32_t order, const char *metric) {
  bench_row row = row_of(s, c, place, order, metric);
  row.probes = 0;
  return row;
}

static rdx_status add_value(const session *s, bench_row row, const char *metric, double value, rdx_error *err) {
  snprintf(row.metric, sizeof row.metric, "%s", metric);
  row.median = row.min = row.max = value;
  return bench_report_append(s->b->report, &row, err);
}

static void leave_out(const entry *e, const char *place, const rdx_error *err) {
  const method *c = e->method;
  console_note("  %s%s%s at %s left out: %s", rdx_star_method_name(c->params.method), c->variant[0] ? ", " : "",
               c->variant, place, err->text);
}

/* ---- Building ---- */

/* Queries first .. end - 1 have the same groups and aggregate: one cube serves them. */
typedef struct family {
  uint32_t first, end;
  char name[24];
} family;

static bool are_related(const ssb_query *a, const ssb_query *b) {
  for (size_t g = 0; g < COUNT(a->groups); g++)
    if (!a->groups[g] != !b->groups[g] || (a->groups[g] && strcmp(a->groups[g], b->groups[g]) != 0))
      return false;
  return a->aggregate == b->aggregate;
}

/* The family that begins with query `first`. */
static family family_of(uint32_t first) {
  family f = {.first = first, .end = first + 1};
  while (f.end < SSB_QUERIES && are_related(&ssb_queries[first], &ssb_queries[f.end]))
    f.end++;
  snprintf(f.name, sizeof f.name, "Q%s%s%s", ssb_queries[first].name, f.end - first > 1 ? "-" : "",
           f.end - first > 1 ? ssb_queries[f.end - 1].name : "");
  return f;
}

/* What it cannot do, or has no memory for, leaves a method out. */
static rdx_status build(session *s, entry *e, const family *f, rdx_error *err) {
  rdx_query queries[SSB_QUERIES];
  const rdx_relation *relation = e->method->flat ? ssb_star_flat(s->b->star) : ssb_star_relation(s->b->star);
  for (uint32_t q = f->first; q < f->end; q++)
    queries[q - f->first] = *ssb_star_query(s->b->star, q);
  rdx_star_destroy(&e->star);
  rdx_status status = rdx_star_create(s->b->device, relation, &e->method->params, &e->star, err);
  if (status == RDX_OK)
    status = rdx_star_prepare(e->star, queries, f->end - f->first, err);
  if (status == RDX_OK && console_interrupted())
    status = console_error(err, RDX_ERROR_CANCELLED, "interrupted");
  if (!bench_may_skip(status))
    return status;
  if (status != RDX_ERROR_DEVICE_MEMORY || e->full)
    leave_out(e, f->name, err);
  e->full = status == RDX_ERROR_DEVICE_MEMORY;
  rdx_star_destroy(&e->star);
  e->out = true;
  return RDX_OK;
}

static rdx_status build_all(session *s, const family *f, rdx_error *err) {
  rdx_status status = RDX_OK;
  for (size_t k = 0; k < s->count && status == RDX_OK; k++) {
    s->entries[k].out = s->entries[k].full = false;
    status = build(s, &s->entries[k], f, err);
  }
  return status;
}

static void keep_build(entry *e, uint32_t run) {
  rdx_star_stats st;
  rdx_star_get_stats(e->star, &st);
  const double values[BUILD_METRICS] = {st.build_ms,
                                        st.encode_ms,
                                        st.cubes,
                                        (double)st.bytes_columns,
                                        (double)st.bytes_cubes,
                                        (double)(st.bytes_columns + st.bytes_cubes),
                                        (double)st.bytes_peak};
  for (size_t m = 0; m < BUILD_METRICS; m++)
    e->build[m][run] = values[m];
}

/* ---- Running ---- */

static rdx_status run_query(const session *s, const entry *e, uint32_t q, bool stats, rdx_query_stats *out,
                            rdx_error *err) {
  const rdx_query_params params = {.stats = stats};
  rdx_query_result *result = NULL;
  ssb_difference difference = {""};
  rdx_status status = rdx_star_run(e->star, ssb_star_query(s->b->star, q), &params, &result, err);
  if (status != RDX_OK)
    return status;
  status = ssb_star_check(s->b->star, q, result, &difference, err);
  rdx_query_result_get_stats(result, out);
  rdx_query_result_destroy(&result);
  if (status == RDX_OK && difference.text[0])
    status = console_error(err, RDX_ERROR_INTERNAL, "WRONG ANSWER: %s", difference.text);
  if (status == RDX_OK && console_interrupted())
    status = console_error(err, RDX_ERROR_CANCELLED, "interrupted");
  const bench_row row = row_of(s, e->method, query_name(q).text, q, "");
  return bench_blame(status, &row, err);
}

typedef struct run_again {
  const session *s;
  const entry *e;
  uint32_t query;
} run_again;

static rdx_status run_unchecked(void *context, rdx_error *err) {
  const run_again *again = context;
  rdx_query_result *result = NULL;
  const rdx_status status =
      rdx_star_run(again->e->star, ssb_star_query(again->s->b->star, again->query), NULL, &result, err);
  rdx_query_result_destroy(&result);
  return status;
}

static rdx_status run_entry(session *s, entry *e, uint32_t q, uint32_t run, rdx_error *err) {
  rdx_query_stats st;
  run_again again = {s, e, q};
  /* On a CPU once: what other methods, and checks, leave in its caches would count. */
  rdx_status status = s->b->info->backend == RDX_BACKEND_CPU ? run_unchecked(&again, err)
                      : run > 0                              ? bench_wake_up(s->b, run_unchecked, &again, err)
                                                             : RDX_OK;
  if (status == RDX_OK)
    status = run_query(s, e, q, false, &st, err);
  if (bench_may_skip(status)) {
    leave_out(e, ssb_queries[q].name, err);
    e->skip = true;
    return RDX_OK;
  }
  if (status == RDX_OK && run > 0) {
    e->run[QUERY_MS][run - 1] = st.device_ms;
    e->run[TOTAL_MS][run - 1] = st.total_ms;
  }
  return status;
}

/* What a run does, counted by another one. */
static rdx_status count_once(const session *s, const entry *e, uint32_t q, const char *place, rdx_error *err) {
  static const char *const names[] = {"rays", "hits", "rows_read", "bytes", "scene_bytes", "gb_per_s", "result_rows"};
  const double ms = e->run[QUERY_MS][s->b->options.runs / 2]; /* they are sorted by now */
  uint64_t selected = 0, rows = 0;
  rdx_query_stats st;
  rdx_status status = run_query(s, e, q, true, &st, err);
  if (status == RDX_OK)
    status = ssb_star_count(s->b->star, q, &selected, &rows, err);
  const double all_bytes = (double)st.bytes + (double)st.scene_bytes;
  const double values[COUNT(names)] = {(double)st.rays,  (double)st.hits,        (double)st.rows,
                                       (double)st.bytes, (double)st.scene_bytes, ms > 0 ? 1e-6 * all_bytes / ms : 0,
                                       (double)rows};
  for (size_t i = 0; i < COUNT(names) && status == RDX_OK; i++)
    status = add_value(s, row_of(s, e->method, place, q, ""), names[i], values[i], err);
  return status;
}

/* Where cubes leave no room for that, it is left out. */
static rdx_status measure_memory(session *s, uint32_t run, rdx_error *err) {
  const rdx_status status = bench_measure_memory(s->b, &s->rates, run, err);
  if (!bench_may_skip(status))
    return status;
  console_note("  reads and copies of memory left out: %s", err->text);
  s->with_memory = false;
  return RDX_OK;
}

/* Runs that are not counted until devices are warm, then the runs, the methods taking turns. */
static rdx_status measure(session *s, uint32_t q, rdx_error *err) {
  const uint32_t runs = s->b->options.runs;
  const query_text name = query_name(q);
  const char *place = name.text;
  rdx_status status = RDX_OK;
  if (!bench_has_time(s->b))
    return RDX_OK;
  for (size_t k = 0; k < s->count; k++)
    s->entries[k].skip = s->entries[k].out;
  uint64_t selected = 0, rows = 0;
  status = ssb_star_count(s->b->star, q, &selected, &rows, err); /* now, so that no device waits for it */
  const double warm = bench_seconds() + 1e-3 * SSB_WARM_MS;
  for (uint32_t r = 0; r <= runs && status == RDX_OK; r += r > 0 || bench_seconds() >= warm) {
    if (s->with_memory && r > 0)
      status = measure_memory(s, r - 1, err);
    for (size_t k = 0; k < s->count && status == RDX_OK; k++)
      if (!s->entries[k].skip)
        status = run_entry(s, &s->entries[k], q, r, err);
  }
  if (status == RDX_OK && s->with_memory)
    status = bench_add_rates(s->b, row_of(s, NULL, place, q, ""), &s->rates, err);
  for (size_t k = 0; k < s->count && status == RDX_OK; k++) {
    entry *e = &s->entries[k];
    for (size_t m = 0; m < RUN_METRICS && status == RDX_OK && !e->skip; m++)
      status = bench_report_add(s->b->report, row_of(s, e->method, place, q, run_metrics[m]), e->run[m], runs, err);
    if (status == RDX_OK && !e->skip)
      status = count_once(s, e, q, place, err);
  }
  return status;
}

/* ---- Experiments ---- */

/* The one build that the queries run on. */
static rdx_status report_build(session *s, entry *e, const family *f, rdx_error *err) {
  rdx_status status = RDX_OK;
  if (e->out)
    return RDX_OK;
  keep_build(e, 0);
  for (size_t m = 0; m < BUILD_METRICS && status == RDX_OK; m++)
    status = bench_report_add(s->b->report, build_row(s, e->method, f->name, f->first, build_metrics[m]), e->build[m],
                              1, err);
  return status;
}

/* The stars that are built. */
static rdx_status run_family(session *s, const family *f, rdx_error *err) {
  rdx_status status = RDX_OK;
  for (size_t k = 0; k < s->count && s->with_builds && status == RDX_OK; k++)
    status = report_build(s, &s->entries[k], f, err);
  for (uint32_t q = f->first; q < f->end && status == RDX_OK; q++)
    status = measure(s, q, err);
  close_stars(s);
  return status;
}

/* A star that the device has no room for beside others. */
static rdx_status run_alone(session *s, entry *e, const family *f, rdx_error *err) {
  for (size_t k = 0; k < s->count; k++)
    s->entries[k].out = true;
  const bool with_memory = s->with_memory;
  s->with_memory = e->out = false;
  rdx_status status = build(s, e, f, err);
  if (status == RDX_OK && !e->out)
    status = run_family(s, f, err);
  s->with_memory = with_memory;
  return status;
}

/* Queries from .. to - 1, family by family, so that cubes of one family are held at a time. */
static rdx_status run_families(session *s, uint32_t from, uint32_t to, rdx_error *err) {
  rdx_status status = RDX_OK;
  for (uint32_t q = from; q < to && status == RDX_OK;) {
    family f = family_of(q);
    f.end = f.end < to ? f.end : to;
    if (bench_is_over(s->b)) {
      s->b->skipped += f.end - q;
    } else {
      status = build_all(s, &f, err);
      if (status == RDX_OK)
        status = run_family(s, &f, err);
      for (size_t k = 0; k < s->count && status == RDX_OK; k++)
        if (s->entries[k].full)
          status = run_alone(s, &s->entries[k], &f, err);
    }
    q = f.end;
  }
  return status;
}

/* Queries from .. to - 1 by some methods. */
static rdx_status compare(bench *b, const bench_point *point, const method *methods, size_t count, uint32_t from,
                          uint32_t to, rdx_error *err) {
  session *s = NULL;
  rdx_status status = open_session(b, point, methods, count, &s, err);
  if (status != RDX_OK || !s)
    return status;
  status = run_families(s, from, to, err);
  close_session(s);
  return status;
}

rdx_status bench_stars_alone(bench *b, const bench_point *point, rdx_error *err) {
  rdx_status status = RDX_OK;
  for (size_t k = 0; k < COUNT(all) && status == RDX_OK; k++) {
    session *s = NULL;
    status = all[k].flat ? RDX_OK : open_session(b, point, &all[k], 1, &s, err);
    if (status != RDX_OK || !s)
      continue;
    s->with_builds = true;
    status = run_families(s, 0, SSB_QUERIES, err);
    close_session(s);
  }
  return status;
}

rdx_status bench_rtcudb_defaults(bench *b, const bench_point *point, rdx_error *err) {
  return compare(b, point, all, COUNT(all) - 1, 0, SSB_QUERIES, err);
}

/* RTCUDB, Figure 11 "Query execution time of RTCUDB and Crystal". */
/* RTCUDB, Figure 12 "Performance comparison of RTCUDB (pure CUDA) and Crystal". */
/* Figures 11 and 12; with RT cores or without them, as the device has it. */
rdx_status bench_rtcudb_queries(bench *b, const bench_point *point, rdx_error *err) {
  session *s = NULL;
  rdx_status status = open_session(b, point, all, COUNT(all), &s, err);
  if (status != RDX_OK || !s)
    return status;
  s->with_builds = true;
  status = run_families(s, 0, SSB_QUERIES, err);
  close_session(s);
  return status;
}

/* RTCUDB, Figure 3 "Query memory throughput of Crystal on SSB flat". */
/* RTCUDB, Figure 13 "Query memory throughput of RTCUDB and Crystal". */
rdx_status bench_rtcudb_bandwidth(bench *b, const bench_point *point, rdx_error *err) {
  session *s = NULL;
  rdx_status status = open_session(b, point, all, COUNT(all), &s, err);
  if (status != RDX_OK || !s)
    return status;
  s->with_memory = true;
  status = run_families(s, 0, SSB_QUERIES, err);
  close_session(s);
  return status;
}

/* RTCUDB, Figure 14 "Performance comparison between RTCUDB and RTCUDB +RTScan". */
/* Figure 14: the whole query by rays, or RTScan for the predicates and a cube for the rest. */
rdx_status bench_rtcudb_one_job(bench *b, const bench_point *point, rdx_error *err) {
  static const method methods[] = {PUBLISHED("published", .operators = RDX_RT_CUBE_ENCODE),
                                   PUBLISHED("published, after RTScan", .operators = RDX_RT_CUBE_SEPARATE_SCAN),
                                   RANK("rank", .operators = RDX_RT_CUBE_ENCODE),
                                   RANK("rank, after RTScan", .operators = RDX_RT_CUBE_SEPARATE_SCAN), OTHERS};
  return compare(b, point, methods, COUNT(methods), 0, SSB_QUERIES, err);
}

/* RTCUDB, Figure 15 "Performance improvement with encoding on Scan". */
/* Figure 15: scan attributes in one coordinate, or all but the first in memory. Scenes of one mapping are in memory at
 * a time: the two forms of a mapping take turns, which is what the figure compares. */
rdx_status bench_rtcudb_scan_encoding(bench *b, const bench_point *point, rdx_error *err) {
  static const method published[] = {PUBLISHED("published", .operators = RDX_RT_CUBE_ENCODE),
                                     PUBLISHED("published, split scan", .operators = RDX_RT_CUBE_SPLIT_SCAN)};
  static const method rank[] = {RANK("rank", .operators = RDX_RT_CUBE_ENCODE),
                                RANK("rank, split scan", .operators = RDX_RT_CUBE_SPLIT_SCAN), OTHERS};
  const rdx_status status = compare(b, point, published, COUNT(published), 0, SSB_QUERIES, err);
  return status == RDX_OK ? compare(b, point, rank, COUNT(rank), 0, SSB_QUERIES, err) : status;
}

/* RTCUDB, Figure 16 "Performance improvement with encoding on GroupBy". */
/* Figure 16: the same of the group's attributes, which flight 1 has not. The rank mapping has all groups in memory. */
rdx_status bench_rtcudb_group_encoding(bench *b, const bench_point *point, rdx_error *err) {
  static const method methods[] = {PUBLISHED("published", .operators = RDX_RT_CUBE_ENCODE),
                                   PUBLISHED("published, split group", .operators = RDX_RT_CUBE_SPLIT_GROUP),
                                   RANK("rank", .operators = RDX_RT_CUBE_ENCODE), OTHERS};
  return compare(b, point, methods, COUNT(methods), family_of(0).end, SSB_QUERIES, err);
}

/* RTCUDB, section 6.2 "all atomic operations target the same scalar value". */
/* Section 6.2 on Q1.1: all rays add to one sum, as published, or to copies of it. A CPU has a copy for each thread. */
rdx_status bench_rtcudb_contention(bench *b, const bench_point *point, rdx_error *err) {
  static const method methods[] = {PUBLISHED("published, one accumulator", .sub_accumulators = 1),
                                   PUBLISHED("published, 256 accumulators", .sub_accumulators = 256),
                                   RANK("rank, one accumulator", .sub_accumulators = 1),
                                   RANK("rank, 256 accumulators", .sub_accumulators = 256), OTHERS};
  return compare(b, point, methods, COUNT(methods), 0, 1, err);
}

/* What the paper leaves open: how many rays a grid has, and how far codes of z lie apart, which shapes the tree. */
rdx_status bench_rtcudb_grid(bench *b, const bench_point *point, rdx_error *err) {
  static const method methods[] = {PUBLISHED("published, grid 1", .grid = 1),
                                   PUBLISHED("published, grid 64", .grid = 64),
                                   PUBLISHED("published, grid 1024", .grid = 1024),
                                   PUBLISHED("published, grid 16384", .grid = 16384),
                                   PUBLISHED("published, unit of z 1", .unit_z = 1),
                                   PUBLISHED("published, unit of z 256", .unit_z = 256),
                                   PUBLISHED("published, unit of z 65536", .unit_z = 65536),
                                   PUBLISHED("published, unit of z 2^30", .unit_z = 1u << 30),
                                   PUBLISHED("published, rows by z", .rows = RDX_RT_CUBE_Z_ORDER),
                                   PUBLISHED("published, order as given", .order = RDX_RT_CUBE_AS_GIVEN)};
  static const uint32_t queries[] = {0, 3, 6}; /* the first of each flight, the first three */
  rdx_status status = RDX_OK;
  for (size_t k = 0; k < COUNT(methods) && status == RDX_OK; k++) /* one scene is in memory at a time */
    for (size_t q = 0; q < COUNT(queries) && status == RDX_OK; q++)
      status = compare(b, point, &methods[k], 1, queries[q], queries[q] + 1, err);
  return status;
}

#define BLOCK(rows)                                                                                                    \
  { #rows, {.method = RDX_STAR_COARSE_CUBE, .coarse_cube.block_rows = rows }, false }

rdx_status bench_rtcudb_blocks(bench *b, const bench_point *point, rdx_error *err) {
  static const method methods[] = {BLOCK(16),   BLOCK(32),   BLOCK(64),   BLOCK(128),  BLOCK(256),  BLOCK(512),
                                   BLOCK(1024), BLOCK(2048), BLOCK(4096), BLOCK(8192), BLOCK(16384)};
  _Static_assert(COUNT(methods) <= MAX_ENGINES, "a session has room for them");
  return compare(b, point, methods, COUNT(methods), 0, SSB_QUERIES, err);
}

/* ---- Builds ---- */

/* Times and bytes of cubes add up; columns are the same each time, and the peak is the highest of any. */
static void add_up(entry *e, uint32_t runs) {
  static const bool adds[BUILD_METRICS] = {[BUILD_MS] = true, [CUBES] = true, [BYTES_CUBES] = true};
  for (uint32_t r = 0; r < runs; r++) {
    for (size_t m = 0; m < BUILD_METRICS; m++) {
      double *sum = &e->all_builds[m][r], value = e->build[m][r];
      *sum = adds[m] ? *sum + value : value > *sum ? value : *sum;
    }
    e->all_builds[BYTES_RESIDENT][r] = e->all_builds[BYTES_COLUMNS][r] + e->all_builds[BYTES_CUBES][r];
  }
}

/* Builds of one family, the methods taking turns, one at a time in memory. */
static rdx_status build_family(session *s, const family *f, rdx_error *err) {
  const uint32_t runs = s->b->options.runs;
  rdx_status status = RDX_OK;
  for (size_t k = 0; k < s->count; k++)
    s->entries[k].out = false;
  for (uint32_t r = 0; r <= runs; r++) {
    for (size_t k = 0; k < s->count && status == RDX_OK; k++) {
      entry *e = &s->entries[k];
      if (e->out)
        continue;
      status = build(s, e, f, err);
      if (status == RDX_OK && !e->out && r > 0)
        keep_build(e, r - 1);
      rdx_star_destroy(&e->star);
    }
  }
  for (size_t k = 0; k < s->count && status == RDX_OK; k++) {
    entry *e = &s->entries[k];
    e->incomplete |= e->out;
    if (e->out)
      continue;
    add_up(e, runs);
    for (size_t m = 0; m < BUILD_METRICS && status == RDX_OK && e->build[CUBES][0] > 0; m++)
      status = bench_report_add(s->b->report, build_row(s, e->method, f->name, f->first, build_metrics[m]), e->build[m],
                                runs, err);
  }
  return status;
}

/* Section 6.1 has no figure of it: builds, and bytes of the columns and of the cubes that the queries need. */
rdx_status bench_rtcudb_build(bench *b, const bench_point *point, rdx_error *err) {
  session *s = NULL;
  rdx_status status = open_session(b, point, all, COUNT(all), &s, err);
  if (status != RDX_OK || !s)
    return status;
  for (uint32_t q = 0; q < SSB_QUERIES && status == RDX_OK;) {
    const family f = family_of(q);
    status = build_family(s, &f, err);
    q = f.end;
  }
  for (size_t k = 0; k < s->count; k++) {
    entry *e = &s->entries[k];
    for (size_t m = 0; m < BUILD_METRICS && status == RDX_OK && !e->incomplete; m++)
      status = bench_report_add(b->report, build_row(s, e->method, "all", SSB_QUERIES, build_metrics[m]),
                                e->all_builds[m], b->options.runs, err);
  }
  close_session(s);
  return status;
}

/* ---- Selectivity ---- */

/* COUNT(*) with a query's condition, beside looking at every row. */
static rdx_status count_rows(const session *s, const entry *e, uint32_t q, rdx_error *err) {
  static const rdx_aggregate count = {.kind = RDX_AGGREGATE_COUNT};
  const rdx_query query = {.where = ssb_star_query(s->b->star, q)->where, .aggregates = &count, .aggregate_count = 1};
  uint64_t selected = 0, rows = 0;
  rdx_query_result *result = NULL;
  rdx_query_view view;
  const query_text name = query_name(q);
  const char *place = name.text;
  rdx_status status = ssb_star_count(s->b->star, q, &selected, &rows, err);
  if (status == RDX_OK)
    status = rdx_star_run(e->star, &query, NULL, &result, err);
  if (status == RDX_OK)
    status = rdx_query_result_view(result, &view, err);
  if (status != RDX_OK)
    return status;
  const bench_row row = row_of(s, e->method, place, q, "");
  const uint64_t found = *(const uint64_t *)view.columns[0].values;
  rdx_query_result_destroy(&result);
  if (found != selected)
    return bench_blame(console_error(err, RDX_ERROR_INTERNAL,
                                     "WRONG ANSWER: %" PRIu64 " rows selected instead of %" PRIu64, found, selected),
                       &row, err);
  bench_row published = row_of(s, NULL, place, q, "");
  snprintf(published.device, sizeof published.device, "published");
  snprintf(published.method, sizeof published.method, "RTCUDB");
  const struct {
    const bench_row *row;
    const char *metric;
    double value;
  } values[] = {{&row, "selected", (double)found},
                {&row, "selectivity", 100 * (double)found / (double)row.rows},
                {&row, "result_rows", (double)rows},
                {&published, "selectivity", ssb_queries[q].selectivity},
                {&published, "result_rows", ssb_queries[q].rows}};
  for (size_t i = 0; i < COUNT(values) && status == RDX_OK; i++)
    status = add_value(s, *values[i].row, values[i].metric, values[i].value, err);
  return status;
}

/* RTCUDB, Table 1 "Selectivity of queries in SSB". */
/* Table 1, and rows of results beside those of the reference data at scale factor 1. */
rdx_status bench_rtcudb_selectivity(bench *b, const bench_point *point, rdx_error *err) {
  static const method column[] = {{"", {.method = RDX_STAR_COLUMN_ENGINE}, false}};
  static const family every = {0, SSB_QUERIES, "all"};
  session *s = NULL;
  rdx_status status = open_session(b, point, column, COUNT(column), &s, err);
  if (status != RDX_OK || !s)
    return status;
  status = build_all(s, &every, err);
  for (uint32_t q = 0; q < SSB_QUERIES && status == RDX_OK; q++)
    if (s->count > 0 && !s->entries[0].out)
      status = count_rows(s, &s->entries[0], q, err);
  close_session(s);
  return status;
}
