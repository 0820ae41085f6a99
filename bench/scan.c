/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The experiments of RTScan, section 5. */

#include "bench/scan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MAX_METHODS 48

typedef struct method {
  const char *variant; /* "" for the only one of its method */
  rdx_scan_params params;
} method;

/* All methods: they take part in every experiment that does not choose. */
static const method all[] = {
    {"", {.method = RDX_SCAN_COLUMN}},
    {"", {.method = RDX_SCAN_BINDEX}},
    {"", {.method = RDX_SCAN_RTSCAN}},
    {"published", {.method = RDX_SCAN_RTSCAN, .rtscan.published = true}},
    {"", {.method = RDX_SCAN_RTC3}},
    {"published", {.method = RDX_SCAN_RTC3, .rtc3.published = true}},
    {"", {.method = RDX_SCAN_RTC1}},
    {"published", {.method = RDX_SCAN_RTC1, .rtc1.published = true}},
    {"", {.method = RDX_SCAN_RTINDEX}},
    {"", {.method = RDX_SCAN_BTREE}},
    {"published", {.method = RDX_SCAN_BTREE, .btree.published = true}},
};

/* What is measured of a run, and of a build. */
enum { SCAN_MS, TOTAL_MS, READ_MS, HOST_MS, RUN_METRICS };
enum {
  BUILD_MS,
  ENCODE_MS,
  TABLE_MS,
  VECTORS_MS,
  SCENE_MS,
  BYTES_RESIDENT,
  BYTES_PEAK,
  BYTES_TABLE,
  BYTES_VECTORS,
  BYTES_SCENE,
  BUILD_METRICS
};
static const char *const run_metrics[RUN_METRICS] = {"scan_ms", "total_ms", "read_ms", "host_ms"};
static const char *const build_metrics[BUILD_METRICS] = {"build_ms",      "encode_ms",      "table_ms",   "vectors_ms",
                                                         "scene_ms",      "bytes_resident", "bytes_peak", "bytes_table",
                                                         "bytes_vectors", "bytes_scene"};

typedef struct entry {
  method method;
  char name[BENCH_VARIANT]; /* of what the command line asks for */
  rdx_scan *scan;
  bool out;  /* cannot take part */
  bool once; /* the query at hand is slow: one run is enough */
  double run[RUN_METRICS][BENCH_MAX_RUNS], build[BUILD_METRICS][BENCH_MAX_RUNS];
} entry;

/* A table and the methods over it. */
typedef struct session {
  bench *b;
  scan_data data;
  entry entries[MAX_METHODS];
  size_t count;
  uint32_t *expected; /* the bitmap of the query at hand */
  bool with_memory;   /* measure copies and reads of memory, too, in turn with the methods */
  bench_rates rates;
} session;

/* A query: so many predicates, each a range of its column. */
typedef struct query {
  uint32_t predicates;
  scan_range ranges[SCAN_COLUMNS];
  uint64_t bounds[SCAN_COLUMNS][2]; /* of BETWEEN: both included */
  uint64_t count;                   /* of rows that it must find */
  rdx_predicate leaves[SCAN_COLUMNS], all;
} query;

/* ---- Reporting ---- */

static bench_row row_of(const session *s, const entry *e, const bench_point *point, uint32_t predicates,
                        const char *metric) {
  bench_row row = {.rows = s->data.rows, .probes = predicates, .value = point->value};
  snprintf(row.experiment, sizeof row.experiment, "%s", point->experiment);
  snprintf(row.device, sizeof row.device, "%s", s->b->info->name);
  snprintf(row.method, sizeof row.method, "%s", rdx_scan_method_name(e->method.params.method));
  snprintf(row.variant, sizeof row.variant, "%s", e->method.variant);
  snprintf(row.keys, sizeof row.keys, "%s", scan_data_name(s->data.kind));
  snprintf(row.parameter, sizeof row.parameter, "%s", point->parameter);
  snprintf(row.metric, sizeof row.metric, "%s", metric);
  return row;
}

static rdx_status add(const session *s, const entry *e, const bench_point *point, uint32_t predicates,
                      const char *metric, double *samples, uint32_t count, rdx_error *err) {
  return bench_report_add(s->b->report, row_of(s, e, point, predicates, metric), samples, count, err);
}

static void leave_out(entry *e, const bench_point *point, const rdx_error *err) {
  char place[BENCH_PLACE];
  console_note("  %s%s%s at %s left out: %s", rdx_scan_method_name(e->method.params.method),
               e->method.variant[0] ? ", " : "", e->method.variant, bench_place(point->parameter, point->value, place),
               err->text);
  rdx_scan_destroy(&e->scan);
  e->out = true;
}

/* ---- Building ---- */

static bool is_wanted(bench *b, const method *c) {
  return bench_is_wanted(b, rdx_scan_method_name(c->params.method));
}

static void keep_build(entry *e, uint32_t run) {
  rdx_scan_stats st;
  rdx_scan_get_stats(e->scan, &st);
  e->build[BUILD_MS][run] = st.total_ms;
  e->build[ENCODE_MS][run] = st.encode_ms;
  e->build[TABLE_MS][run] = st.table_ms;
  e->build[VECTORS_MS][run] = st.vectors_ms;
  e->build[SCENE_MS][run] = st.scene_ms;
  e->build[BYTES_RESIDENT][run] = (double)st.bytes_resident;
  e->build[BYTES_PEAK][run] = (double)st.bytes_peak;
  e->build[BYTES_TABLE][run] = (double)st.bytes_table;
  e->build[BYTES_VECTORS][run] = (double)st.bytes_vectors;
  e->build[BYTES_SCENE][run] = (double)st.bytes_scene;
}

/* Prepare every method, `runs` times; the last scans are kept. */
static rdx_status build_all(session *s, const bench_point *point, uint32_t runs, rdx_error *err) {
  rdx_column columns[SCAN_COLUMNS];
  for (uint32_t c = 0; c < s->data.columns; c++)
    columns[c] = (rdx_column){.type = RDX_TYPE_U32, .rows = s->data.rows, .values = s->data.values[c]};
  for (uint32_t r = 0; r < runs; r++) {
    for (size_t k = 0; k < s->count; k++) {
      entry *e = &s->entries[k];
      if (e->out)
        continue;
      rdx_scan_destroy(&e->scan);
      const rdx_status status =
          rdx_scan_create(s->b->device, columns, s->data.columns, &e->method.params, &e->scan, err);
      if (bench_may_skip(status))
        leave_out(e, point, err);
      else if (status != RDX_OK)
        return status;
      else
        keep_build(e, r);
    }
  }
  return RDX_OK;
}

static rdx_status report_builds(session *s, const bench_point *point, uint32_t runs, rdx_error *err) {
  rdx_status status = RDX_OK;
  for (size_t k = 0; k < s->count; k++)
    for (size_t m = 0; m < BUILD_METRICS && status == RDX_OK && !s->entries[k].out; m++)
      status = add(s, &s->entries[k], point, 0, build_metrics[m], s->entries[k].build[m], runs, err);
  return status;
}

static void drop_entries(session *s) {
  for (size_t k = 0; k < s->count; k++) {
    rdx_scan_destroy(&s->entries[k].scan);
    s->entries[k].out = false;
  }
  s->count = 0;
}

static void close_session(session *s) {
  drop_entries(s);
  scan_data_destroy(&s->data);
  free(s->expected);
  free(s);
}

/* A method, and the forms of it that the command line asks for. */
static void add_forms(session *s, const method *from) {
  if (s->count == MAX_METHODS)
    return;
  s->entries[s->count++].method = *from;
  for (size_t i = 0; i < s->b->options.extra_count && s->count < MAX_METHODS; i++) {
    entry *e = &s->entries[s->count];
    e->method = *from;
    if (!bench_extend_scan(s->b, i, from->variant, &from->params, &e->method.params, e->name))
      continue;
    e->method.variant = e->name;
    s->count++;
  }
}

/* Columns of `rows` rows, and these methods over them. */
typedef struct study {
  scan_data_kind kind;
  uint32_t columns;
  uint64_t rows;
  const method *methods;
  size_t count;
} study;

static rdx_status open_with(bench *b, const bench_point *point, const study *of, uint32_t builds, session **out,
                            rdx_error *err) {
  session *s = calloc(1, sizeof *s);
  if (!s)
    return console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
  s->b = b;
  *out = s;
  if (of->count > 0 && bench_is_over(b)) /* without data: nothing is measured */
    return RDX_OK;
  for (size_t k = 0; k < of->count; k++)
    if (is_wanted(b, &of->methods[k]))
      add_forms(s, &of->methods[k]);
  rdx_status status = scan_data_create(of->kind, of->rows, of->columns, b->options.seed, &s->data, err);
  s->expected = malloc((of->rows + 31) / 32 * 4);
  if (status == RDX_OK && !s->expected)
    status = console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
  if (status == RDX_OK)
    status = build_all(s, point, builds, err);
  if (status != RDX_OK)
    close_session(s);
  return status;
}

static rdx_status open_session(bench *b, const bench_point *point, scan_data_kind kind, uint32_t columns,
                               uint32_t builds, session **out, rdx_error *err) {
  return open_with(b, point, &(study){kind, columns, b->scan_rows, all, COUNT(all)}, builds, out, err);
}

/* ---- Queries ---- */

/* Make the predicates of a query's ranges, which point into it. */
static void finish_query(const session *s, query *q) {
  for (uint32_t c = 0; c < q->predicates; c++) {
    const scan_range *range = &q->ranges[c];
    const bool below = range->low == 0;
    q->bounds[c][0] = below ? range->limit : range->low;
    q->bounds[c][1] = range->limit - 1;
    q->leaves[c] = (rdx_predicate){.kind = below ? RDX_PREDICATE_LT : RDX_PREDICATE_BETWEEN,
                                   .column = c,
                                   .values = {.type = RDX_TYPE_U64, .rows = below ? 1 : 2, .values = q->bounds[c]}};
  }
  q->all = (rdx_predicate){.kind = RDX_PREDICATE_AND, .children = q->leaves, .child_count = q->predicates};
  q->count = scan_data_expect(&s->data, q->ranges, q->predicates, s->expected);
}

/* Predicates of the same selectivity each. */
static rdx_status make_query(const session *s, uint32_t predicates, double selectivity, query *q, rdx_error *err) {
  *q = (query){.predicates = predicates};
  for (uint32_t c = 0; c < predicates; c++) {
    const rdx_status status = scan_data_quantile(&s->data, c, selectivity, &q->ranges[c].limit, err);
    if (status != RDX_OK)
      return status;
  }
  finish_query(s, q);
  return RDX_OK;
}

/* The first row that an answer is wrong about. */
static rdx_status wrong_rows(const session *s, const rdx_scan_view *v, const query *q, rdx_error *err) {
  const uint64_t words = (s->data.rows + 31) / 32;
  uint64_t w = 0;
  while (w < words && v->bitmap[w] == s->expected[w])
    w++;
  if (w == words)
    return console_error(err, RDX_ERROR_INTERNAL,
                         "WRONG ANSWER: %" PRIu64 " rows counted instead of %" PRIu64 "; the bitmap is right", v->count,
                         q->count);
  const uint32_t bit = (uint32_t)__builtin_ctz(v->bitmap[w] ^ s->expected[w]);
  return console_error(
      err, RDX_ERROR_INTERNAL,
      "WRONG ANSWER: row %" PRIu64 " is %s (predicates: %" PRIu32 "); %" PRIu64 " rows instead of %" PRIu64,
      32 * w + bit, v->bitmap[w] >> bit & 1u ? "found, but does not qualify" : "missing, but qualifies", q->predicates,
      v->count, q->count);
}

/* One run, its bitmap read back and compared. */
static rdx_status run_once(const session *s, const entry *e, const query *q, double metrics[RUN_METRICS],
                           rdx_error *err) {
  rdx_scan_result *result = NULL;
  rdx_scan_view v;
  rdx_scan_run_stats stats;
  rdx_status status = rdx_scan_run(e->scan, &q->all, &(rdx_scan_run_params){.result = RDX_SCAN_BITMAP}, &result, err);
  if (status != RDX_OK)
    return status;
  const double start = bench_seconds();
  status = rdx_scan_result_view(result, &v, err);
  metrics[READ_MS] = (bench_seconds() - start) * 1e3;
  rdx_scan_result_get_stats(result, &stats);
  metrics[SCAN_MS] = stats.device_ms;
  metrics[TOTAL_MS] = stats.total_ms;
  metrics[HOST_MS] = stats.total_ms + metrics[READ_MS];
  if (status == RDX_OK && (v.count != q->count || memcmp(v.bitmap, s->expected, (s->data.rows + 31) / 32 * 4) != 0))
    status = wrong_rows(s, &v, q, err);
  rdx_scan_result_destroy(&result);
  return status;
}

#define STAGES 4 /* of RTScan */

/* What a run does, counted by another one; the last are RTScan's alone. */
static rdx_status count_once(const session *s, const entry *e, const query *q, const bench_point *point,
                             rdx_error *err) {
  static const char *const names[] = {"rays",     "rays_hit", "intersections", "refined",  "bytes",     "found",
                                      "gb_per_s", "reduced",  "transform_ms",  "sieve_ms", "refine_ms", "merge_ms"};
  const double ms = e->run[SCAN_MS][e->once ? 0 : s->b->options.runs / 2]; /* they are sorted by now */
  rdx_scan_result *result = NULL;
  rdx_scan_run_stats st;
  rdx_status status = rdx_scan_run(e->scan, &q->all, &(rdx_scan_run_params){.stats = true}, &result, err);
  if (status != RDX_OK)
    return status;
  rdx_scan_result_get_stats(result, &st);
  rdx_scan_result_destroy(&result);
  double values[COUNT(names)] = {(double)st.rays,
                                 (double)st.rays_hit,
                                 (double)st.hits,
                                 (double)st.refined,
                                 (double)st.bytes,
                                 (double)q->count,
                                 ms > 0 ? 1e-6 * (double)st.bytes / ms : 0,
                                 100 * st.reduced,
                                 st.transform_ms,
                                 st.sieve_ms,
                                 st.refine_ms,
                                 st.merge_ms}; /* the stages are the last */
  const size_t count = st.sieve_ms > 0 ? COUNT(names) : COUNT(names) - STAGES - 1;
  for (size_t i = 0; i < count && status == RDX_OK; i++)
    status = add(s, e, point, q->predicates, names[i], &values[i], 1, err);
  return status;
}

typedef struct scan_again {
  const entry *e;
  const query *q;
} scan_again;

static rdx_status run_unchecked(void *context, rdx_error *err) {
  const scan_again *again = context;
  rdx_scan_result *result = NULL;
  const rdx_status status = rdx_scan_run(again->e->scan, &again->q->all, NULL, &result, err);
  rdx_scan_result_destroy(&result);
  return status;
}

static rdx_status run_entry(session *s, entry *e, const query *q, uint32_t run, const bench_point *point,
                            rdx_error *err) {
  double metrics[RUN_METRICS] = {0};
  rdx_status status = run == 0 ? RDX_OK : bench_wake_up(s->b, run_unchecked, &(scan_again){e, q}, err);
  if (status == RDX_OK)
    status = run_once(s, e, q, metrics, err);
  if (bench_may_skip(status)) {
    leave_out(e, point, err);
    return RDX_OK;
  }
  if (run == 0)
    e->once = bench_is_slow(s->b, rdx_scan_method_name(e->method.params.method), e->method.variant, metrics[HOST_MS]);
  for (size_t m = 0; m < RUN_METRICS && (run > 0 || e->once); m++)
    e->run[m][run > 0 ? run - 1 : 0] = metrics[m];
  const bench_row row = row_of(s, e, point, q->predicates, "");
  return bench_blame(status, &row, err);
}

/* One run that is not counted, then the runs, the methods taking turns. */
static rdx_status measure_query(session *s, const bench_point *point, const query *q, rdx_error *err) {
  const uint32_t runs = s->b->options.runs;
  rdx_status status = RDX_OK;
  for (uint32_t r = 0; r <= runs && status == RDX_OK; r++) {
    if (s->with_memory && r > 0)
      status = bench_measure_memory(s->b, &s->rates, r - 1, err);
    for (size_t k = 0; k < s->count && status == RDX_OK; k++)
      if (!s->entries[k].out && (r == 0 || !s->entries[k].once))
        status = run_entry(s, &s->entries[k], q, r, point, err);
  }
  if (status == RDX_OK && s->with_memory && s->count > 0)
    status = bench_add_rates(s->b, row_of(s, &s->entries[0], point, q->predicates, ""), &s->rates, err);
  for (size_t k = 0; k < s->count && status == RDX_OK; k++) {
    entry *e = &s->entries[k];
    for (size_t m = 0; m < RUN_METRICS && status == RDX_OK && !e->out; m++)
      status = add(s, e, point, q->predicates, run_metrics[m], e->run[m], e->once ? 1 : runs, err);
    if (status == RDX_OK && !e->out)
      status = count_once(s, e, q, point, err);
  }
  return status;
}

static rdx_status measure(session *s, const bench_point *point, uint32_t predicates, double selectivity,
                          rdx_error *err) {
  query q;
  if (!bench_has_time(s->b))
    return RDX_OK;
  const rdx_status status = make_query(s, predicates, selectivity, &q, err);
  return status == RDX_OK ? measure_query(s, point, &q, err) : status;
}

/* ---- Experiments ---- */

/* Three predicates of selectivity 0.1. */
rdx_status bench_scans_of(bench *b, const bench_point *point, uint32_t log, rdx_error *err) {
  session *s = NULL;
  query q;
  rdx_status status = open_with(b, point, &(study){SCAN_UNIFORM, 3, (uint64_t)1 << log, NULL, 0}, 0, &s, err);
  if (status != RDX_OK)
    return status;
  status = make_query(s, 3, 0.1, &q, err);
  for (size_t k = 0; k < COUNT(all) && status == RDX_OK; k++) {
    if (!is_wanted(b, &all[k]) || !bench_has_time(b))
      continue;
    add_forms(s, &all[k]);
    status = build_all(s, point, 1, err);
    if (status == RDX_OK)
      status = report_builds(s, point, 1, err);
    if (status == RDX_OK)
      status = measure_query(s, point, &q, err);
    drop_entries(s);
    bench_report_print(b->report, point->experiment);
  }
  close_session(s);
  return status;
}

static const double selectivities[] = {0.01, 0.1, 0.2, 0.3, 0.4, 0.496, 0.6, 0.7, 0.8, 0.9};

/* RTScan, Figure 4 "Performance of RTc3 on a dataset with uniform data distribution". */
/* RTScan, Figure 15 "Performance improvement of RTScan on a uniform dataset". */
/* RTScan, Figure 19 "Performance comparison on uniform dataset". */
/* Figures 15 and 19: three predicates over uniform columns. */
rdx_status bench_rtscan_selectivity(bench *b, const bench_point *point, rdx_error *err) {
  session *s = NULL;
  rdx_status status = open_session(b, point, SCAN_UNIFORM, 3, 1, &s, err);
  if (status != RDX_OK)
    return status;
  for (size_t i = 0; i < COUNT(selectivities) && status == RDX_OK; i++) {
    const bench_point here = bench_at(point, "selectivity", selectivities[i]);
    status = measure(s, &here, 3, selectivities[i], err);
  }
  close_session(s);
  return status;
}

/* RTScan, Figure 5 "Performance of RTc3 on a dataset with skewed data distribution". */
/* RTScan, Figure 16 "Performance improvement of RTScan on a skewed dataset". */
/* RTScan, Figure 20 "Performance comparison on skewed dataset". */
/* Figures 16 and 20: skewed columns, three predicates of selectivity 0.9. */
rdx_status bench_rtscan_skew(bench *b, const bench_point *point, rdx_error *err) {
  static const scan_data_kind kinds[] = {SCAN_ZIPF_1_1, SCAN_ZIPF_1_3, SCAN_ZIPF_1_5, SCAN_NORMAL, SCAN_SMALL};
  rdx_status status = RDX_OK;
  for (size_t i = 0; i < COUNT(kinds) && status == RDX_OK; i++) {
    const bench_point here = bench_at(point, scan_data_name(kinds[i]), -1 - (double)i);
    session *s = NULL;
    status = open_session(b, &here, kinds[i], 3, 1, &s, err);
    if (status == RDX_OK) {
      status = measure(s, &here, 3, 0.9, err);
      close_session(s);
    }
  }
  return status;
}

/* RTScan, Figure 21 "Performance of RTScan with TPC-H dataset". */
/* Figure 21: the predicates of three queries of TPC-H over its tables made flat. */
rdx_status bench_rtscan_tpch(bench *b, const bench_point *point, rdx_error *err) {
  enum { DAY_1994 = 731, DAY_1995 = 1096, MARCH_15 = 1169, EVER = 1 << 30 }; /* days since 1992-01-01 */
  static const struct {
    scan_data_kind kind;
    scan_range ranges[SCAN_COLUMNS];
  } queries[] = {
      {SCAN_TPCH_3, {{MARCH_15 + 1, EVER}, {0, MARCH_15}, {1, 2}}},
      {SCAN_TPCH_6, {{DAY_1994, DAY_1995 + 1}, {5, 8}, {0, 24}}},
      {SCAN_TPCH_17, {{12, 13}, {17, 18}, {0, 6}}},
  };
  rdx_status status = RDX_OK;
  for (size_t i = 0; i < COUNT(queries) && status == RDX_OK; i++) {
    const bench_point here = bench_at(point, scan_data_name(queries[i].kind), -1 - (double)i);
    query q = {.predicates = 3};
    session *s = NULL;
    status = open_session(b, &here, queries[i].kind, 3, 1, &s, err);
    if (status != RDX_OK)
      break;
    memcpy(q.ranges, queries[i].ranges, sizeof q.ranges);
    finish_query(s, &q);
    if (bench_has_time(b))
      status = measure_query(s, &here, &q, err);
    close_session(s);
  }
  return status;
}

/* RTScan, Figure 25 "Effect of encoding on skewed datasets". */
/* RTScan, Figure 26 "Performance impact of encoding on a dataset with small data ranges". */
/* Figures 25 and 26: with the uniform encoding and without it, over skewed columns, and over columns of 64 values,
 * where fewer vectors leave something to refine. */
rdx_status bench_rtscan_encoding(bench *b, const bench_point *point, rdx_error *err) {
#define ENCODING(name, vectors_, without, published_)                                                                  \
  {                                                                                                                    \
    name, {                                                                                                            \
      .method = RDX_SCAN_RTSCAN, .rtscan = {                                                                           \
        .vectors = vectors_,                                                                                           \
        .derived = RDX_SWITCH_OFF,                                                                                     \
        .group = 3,                                                                                                    \
        .encoding = (without) ? RDX_SWITCH_OFF : RDX_SWITCH_DEFAULT,                                                   \
        .published = published_                                                                                        \
      }                                                                                                                \
    }                                                                                                                  \
  }
  static const method usual[] = {ENCODING("", 128, false, false), ENCODING("no encoding", 128, true, false),
                                 ENCODING("published", 128, false, true),
                                 ENCODING("published, no encoding", 128, true, true)};
  static const method few[] = {ENCODING("", 16, false, false), ENCODING("no encoding", 16, true, false),
                               ENCODING("published", 16, false, true),
                               ENCODING("published, no encoding", 16, true, true)};
#undef ENCODING
  static const scan_data_kind kinds[] = {SCAN_ZIPF_1_1, SCAN_ZIPF_1_3, SCAN_ZIPF_1_5, SCAN_NORMAL, SCAN_SMALL};
  rdx_status status = RDX_OK;
  for (size_t i = 0; i < COUNT(kinds) && status == RDX_OK; i++) {
    const bool small = kinds[i] == SCAN_SMALL;
    const bench_point here = bench_at(point, scan_data_name(kinds[i]), -1 - (double)i);
    session *s = NULL;
    status =
        open_with(b, &here, &(study){kinds[i], 3, b->scan_rows / 4, small ? few : usual, COUNT(usual)}, 1, &s, err);
    if (status != RDX_OK)
      break;
    for (size_t k = small ? 0 : COUNT(selectivities) - 1; k < COUNT(selectivities) && status == RDX_OK; k++) {
      const bench_point at = small ? bench_at(point, "selectivity", selectivities[k]) : here;
      status = measure(s, &at, 3, selectivities[k], err);
    }
    close_session(s);
  }
  return status;
}

/* Some methods over columns of a kind at some selectivities. */
static rdx_status sweep(bench *b, const bench_point *point, const study *of, const double *at, size_t points,
                        rdx_error *err) {
  session *s = NULL;
  rdx_status status = open_with(b, point, of, 1, &s, err);
  if (status != RDX_OK)
    return status;
  for (size_t i = 0; i < points && status == RDX_OK; i++) {
    const bench_point here = bench_at(point, "selectivity", at[i]);
    status = measure(s, &here, of->columns, at[i], err);
  }
  close_session(s);
  return status;
}

/* RTScan, Figure 2 "Performance comparison of range scan on one column". */
rdx_status bench_rtscan_column(bench *b, const bench_point *point, rdx_error *err) {
  static const method methods[] = {
      {"", {.method = RDX_SCAN_RTC1}},    {"published", {.method = RDX_SCAN_RTC1, .rtc1.published = true}},
      {"", {.method = RDX_SCAN_RTINDEX}}, {"", {.method = RDX_SCAN_BINDEX}},
      {"", {.method = RDX_SCAN_COLUMN}},
  };
  return sweep(b, point, &(study){SCAN_UNIFORM, 1, b->scan_rows, methods, COUNT(methods)}, selectivities,
               COUNT(selectivities), err);
}

/* RTScan, Figure 6 "Performance of RTc3 on a dataset with small data ranges". */
rdx_status bench_rtscan_small(bench *b, const bench_point *point, rdx_error *err) {
  static const method methods[] = {{"", {.method = RDX_SCAN_RTC3}},
                                   {"published", {.method = RDX_SCAN_RTC3, .rtc3.published = true}}};
  static const scan_data_kind kinds[] = {SCAN_SMALL, SCAN_UNIFORM};
  rdx_status status = RDX_OK;
  for (size_t k = 0; k < COUNT(kinds) && status == RDX_OK; k++)
    status = sweep(b, point, &(study){kinds[k], 3, b->scan_rows, methods, COUNT(methods)}, selectivities,
                   COUNT(selectivities), err);
  return status;
}

/* How what RTScan chooses compares with the better of its forms, by the fastest runs. */
typedef struct choices {
  uint32_t points, alike; /* within a tenth */
  double worst, slowest_ms;
} choices;

/* The entries are RTScan as it chooses, and then its forms; more are what the command line asks for. */
static void compare_forms(const session *s, choices *c) {
  double better = 0, ms = 0;
  for (size_t k = 0; k < s->count; k++) {
    const entry *e = &s->entries[k];
    if (e->out)
      return;
    if (e->name[0])
      continue;
    if (!e->method.variant[0])
      ms = e->run[SCAN_MS][0];
    else if (better == 0 || e->run[SCAN_MS][0] < better)
      better = e->run[SCAN_MS][0];
  }
  if (ms == 0 || better == 0)
    return;
  c->points++;
  c->alike += ms <= 1.1 * better;
  c->worst = ms / better > c->worst ? ms / better : c->worst;
  c->slowest_ms = ms > c->slowest_ms ? ms : c->slowest_ms;
}

static rdx_status sweep_forms(bench *b, const bench_point *point, const study *of, choices *c, rdx_error *err) {
  static const double at[] = {0.01, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 0.9, 0.99};
  session *s = NULL;
  rdx_status status = open_with(b, point, of, 1, &s, err);
  if (status != RDX_OK)
    return status;
  for (size_t i = 0; i < COUNT(at) && status == RDX_OK; i++) {
    const bench_point here = bench_at(point, "selectivity", at[i]);
    query q;
    if (!bench_has_time(b))
      continue;
    status = make_query(s, of->columns, at[i], &q, err);
    if (status == RDX_OK)
      status = measure_query(s, &here, &q, err);
    if (status == RDX_OK)
      compare_forms(s, c);
  }
  close_session(s);
  return status;
}

/* Groups of three columns, lines of one, and both: one to four predicates. */
rdx_status bench_rtscan_adaptive(bench *b, const bench_point *point, rdx_error *err) {
  static const method methods[] = {{"", {.method = RDX_SCAN_RTSCAN}},
                                   {"groups", {.method = RDX_SCAN_RTSCAN, .rtscan.group = 3}},
                                   {"lines", {.method = RDX_SCAN_RTSCAN, .rtscan.group = 1}}};
  static const scan_data_kind kinds[] = {SCAN_UNIFORM, SCAN_ZIPF_1_1};
  rdx_status status = RDX_OK;
  choices c = {0};
  for (size_t k = 0; k < COUNT(kinds); k++)
    for (uint32_t predicates = 1; predicates <= SCAN_COLUMNS && status == RDX_OK; predicates++)
      status = sweep_forms(b, point, &(study){kinds[k], predicates, b->scan_rows, methods, COUNT(methods)}, &c, err);
  if (c.points > 0)
    console_note("  rtscan-adaptive: what is chosen is within a tenth of the better form at %" PRIu32 " of %" PRIu32
                 " points, %.2f times as slow at the worst; at most %.3f ms",
                 c.alike, c.points, c.worst, c.slowest_ms);
  return status;
}

#define ASK(a, b, c, d) ((a) | (b) << 1 | (c) << 2 | (d) << 3)

/* Predicates over some of the columns; all others qualify. */
static rdx_status measure_columns(session *s, const bench_point *point, uint32_t columns, double selectivity,
                                  rdx_error *err) {
  query q = {.predicates = SCAN_COLUMNS};
  rdx_status status = RDX_OK;
  if (!bench_has_time(s->b))
    return RDX_OK;
  for (uint32_t c = 0; c < SCAN_COLUMNS && status == RDX_OK; c++) {
    q.ranges[c].limit = 1ull << 32;
    if (columns >> c & 1)
      status = scan_data_quantile(&s->data, c, selectivity, &q.ranges[c].limit, err);
  }
  if (status != RDX_OK)
    return status;
  finish_query(s, &q);
  return measure_query(s, point, &q, err);
}

/* Groups of four columns: as they come, as given, and by a workload, whose queries all have the last column. */
rdx_status bench_rtscan_groups(bench *b, const bench_point *point, rdx_error *err) {
  static const uint64_t workload[] = {ASK(1, 0, 0, 1), ASK(0, 1, 0, 1), ASK(1, 1, 0, 1), ASK(1, 1, 0, 1)};
  static const struct {
    const char *name;
    uint32_t columns;
  } asked[] = {
      {"0+3", ASK(1, 0, 0, 1)}, {"1+3", ASK(0, 1, 0, 1)}, {"0+1+3", ASK(1, 1, 0, 1)}, {"all", ASK(1, 1, 1, 1)}};
  static const scan_data_kind kinds[] = {SCAN_UNIFORM, SCAN_ZIPF_1_1};
  static const double at[] = {0.01, 0.1, 0.5, 0.9, 0.99};
  method methods[] = {
      {"3+1", {.method = RDX_SCAN_RTSCAN, .rtscan.group = 3}},
      {"as given", {.method = RDX_SCAN_RTSCAN, .rtscan = {.group = 3, .groups = {ASK(1, 1, 0, 1), ASK(1, 0, 1, 1)}}}},
      {"by workload", {.method = RDX_SCAN_RTSCAN, .rtscan.group = 3}},
      {"lines", {.method = RDX_SCAN_RTSCAN, .rtscan.group = 1}},
      {"", {.method = RDX_SCAN_RTSCAN}}};
  rdx_scan_choose_groups(workload, COUNT(workload), methods[2].params.rtscan.groups);
  rdx_status status = RDX_OK;
  for (size_t k = 0; k < COUNT(kinds) && status == RDX_OK; k++) {
    session *s = NULL;
    status = open_with(b, point, &(study){kinds[k], SCAN_COLUMNS, b->scan_rows, methods, COUNT(methods)}, 1, &s, err);
    if (status != RDX_OK)
      return status;
    for (size_t i = 0; i < COUNT(asked) * COUNT(at) && status == RDX_OK; i++) {
      const bench_point here = bench_at(point, asked[i / COUNT(at)].name, at[i % COUNT(at)]);
      status = measure_columns(s, &here, asked[i / COUNT(at)].columns, at[i % COUNT(at)], err);
    }
    close_session(s);
  }
  return status;
}

/* RTScan, section 5.6 "Performance of Other Number of Predicates". */
/* RTScan, Figure 24 "Scan on four columns". */
/* Figures 22 to 24: scans over one, two and four columns, the latter in groups of 3+1 and of 2+2. */
rdx_status bench_rtscan_predicates(bench *b, const bench_point *point, rdx_error *err) {
  static const method methods[] = {
      {"", {.method = RDX_SCAN_COLUMN}},
      {"", {.method = RDX_SCAN_BINDEX}},
      {"", {.method = RDX_SCAN_RTSCAN}},
      {"published", {.method = RDX_SCAN_RTSCAN, .rtscan.published = true}},
      {"2+2", {.method = RDX_SCAN_RTSCAN, .rtscan.group = 2}},
      {"published, 2+2", {.method = RDX_SCAN_RTSCAN, .rtscan = {.published = true, .group = 2}}},
  };
  static const struct {
    uint32_t columns;
    size_t methods;
  } cases[] = {{1, 4}, {2, 4}, {4, COUNT(methods)}};
  static const double few[] = {0.1, 0.3, 0.5, 0.7, 0.9};
  rdx_status status = RDX_OK;
  for (size_t i = 0; i < COUNT(cases) && status == RDX_OK; i++)
    status = sweep(b, point, &(study){SCAN_UNIFORM, cases[i].columns, b->scan_rows, methods, cases[i].methods}, few,
                   COUNT(few), err);
  return status;
}

/* Over uniform columns of a quarter of the rows: each method keeps an index. */
static rdx_status compare(bench *b, const bench_point *point, const method *methods, size_t count, uint32_t predicates,
                          const double *at, size_t points, rdx_error *err) {
  return sweep(b, point, &(study){SCAN_UNIFORM, predicates, b->scan_rows / 4, methods, count}, at, points, err);
}

/* The part of rows below the last border that is at most `part` of them, and below the next one; false: none. */
static bool find_borders(const session *s, double part, double *low, double *high) {
  const uint32_t *borders = NULL;
  for (size_t k = 0; k < s->count; k++) {
    const uint32_t n = s->entries[k].scan ? rdx_scan_borders(s->entries[k].scan, 0, &borders) : 0;
    uint32_t i = 0;
    while (i + 1 < n && borders[i + 1] <= part * (double)s->data.rows)
      i++;
    if (i + 1 >= n)
      continue;
    *low = borders[i] / (double)s->data.rows;
    *high = borders[i + 1] / (double)s->data.rows;
    return true;
  }
  return false;
}

/* RTScan, Figure 27 "Positive and negative selection". */
/* Figure 27: from the border of one vector, near 0.93, to before the next, where nothing is left to refine: with either
 * neighbour or always the lower one. */
rdx_status bench_rtscan_selection(bench *b, const bench_point *point, rdx_error *err) {
  static const method methods[] = {
      {"", {.method = RDX_SCAN_RTSCAN, .rtscan = {.vectors = 128, .derived = RDX_SWITCH_OFF, .group = 3}}},
      {"positive only",
       {.method = RDX_SCAN_RTSCAN,
        .rtscan = {.vectors = 128, .derived = RDX_SWITCH_OFF, .negative = RDX_SWITCH_OFF, .group = 3}}},
      {"published", {.method = RDX_SCAN_RTSCAN, .rtscan.published = true}},
      {"published, positive only",
       {.method = RDX_SCAN_RTSCAN, .rtscan = {.published = true, .negative = RDX_SWITCH_OFF}}},
  };
  enum { STEPS = 5 };
  session *s = NULL;
  double low = 0, high = 0;
  rdx_status status =
      open_with(b, point, &(study){SCAN_UNIFORM, 1, b->scan_rows / 4, methods, COUNT(methods)}, 1, &s, err);
  if (status != RDX_OK)
    return status;
  if (find_borders(s, 0.93, &low, &high)) {
    for (int i = 0; i < STEPS && status == RDX_OK; i++) {
      const double at = low + (high - low) * i / STEPS;
      const bench_point here = bench_at(point, "selectivity", at);
      status = measure(s, &here, 1, at, err);
    }
  } else if (s->count > 0) {
    console_note("  %s left out: its columns have no two borders", point->experiment);
  }
  close_session(s);
  return status;
}

/* RTScan, Figure 28 "The reduced data for scanning with different number of bit vectors". */
/* Figure 28, and section 5.4's memory: numbers of bit vectors. */
rdx_status bench_rtscan_vectors(bench *b, const bench_point *point, rdx_error *err) {
  static const method methods[] = {
      {"32", {.method = RDX_SCAN_RTSCAN, .rtscan = {.vectors = 32, .derived = RDX_SWITCH_OFF, .group = 3}}},
      {"64", {.method = RDX_SCAN_RTSCAN, .rtscan = {.vectors = 64, .derived = RDX_SWITCH_OFF, .group = 3}}},
      {"128", {.method = RDX_SCAN_RTSCAN, .rtscan = {.vectors = 128, .derived = RDX_SWITCH_OFF, .group = 3}}},
      {"published, 32", {.method = RDX_SCAN_RTSCAN, .rtscan = {.published = true, .vectors = 32}}},
      {"published, 64", {.method = RDX_SCAN_RTSCAN, .rtscan = {.published = true, .vectors = 64}}},
      {"published, 128", {.method = RDX_SCAN_RTSCAN, .rtscan = {.published = true, .vectors = 128}}},
      {"61 and 4 planes", {.method = RDX_SCAN_RTSCAN, .rtscan.group = 3}},
      {"32", {.method = RDX_SCAN_BINDEX, .bindex.vectors = 32}},
      {"64", {.method = RDX_SCAN_BINDEX, .bindex.vectors = 64}},
      {"128", {.method = RDX_SCAN_BINDEX, .bindex.vectors = 128}},
  };
  return compare(b, point, methods, COUNT(methods), 3, selectivities, COUNT(selectivities), err);
}

/* RTScan, Figure 29 "Scan performance by varying ray interval (I) and ray spacing". */
/* Figure 29: rays side by side at an interval, and one after the other with a spacing, as parts of the cubes' width. */
rdx_status bench_rtscan_rays(bench *b, const bench_point *point, rdx_error *err) {
#define RAYS(name, interval, spacing, published_)                                                                      \
  {                                                                                                                    \
    name, {                                                                                                            \
      .method = RDX_SCAN_RTSCAN, .rtscan = {                                                                           \
        .published = published_,                                                                                       \
        .group = 3,                                                                                                    \
        .interval_percent = interval,                                                                                  \
        .spacing_percent = spacing,                                                                                    \
        .spaced = (spacing) == 0 ? RDX_SWITCH_OFF : RDX_SWITCH_DEFAULT                                                 \
      }                                                                                                                \
    }                                                                                                                  \
  }
  static const method methods[] = {
      RAYS("I 0.25, S 0", 25, 0, false),
      RAYS("I 0.25, S 0.5", 25, 50, false),
      RAYS("I 0.25, S 1", 25, 100, false),
      RAYS("I 0.5, S 0", 50, 0, false),
      RAYS("I 0.5, S 0.5", 50, 50, false),
      RAYS("I 0.5, S 1", 50, 100, false),
      RAYS("I 1, S 0", 100, 0, false),
      RAYS("I 1, S 0.5", 100, 50, false),
      RAYS("I 1, S 1", 100, 100, false),
      RAYS("published, I 0.25, S 0", 25, 0, true),
      RAYS("published, I 0.25, S 0.5", 25, 50, true),
      RAYS("published, I 0.25, S 1", 25, 100, true),
      RAYS("published, I 0.5, S 0", 50, 0, true),
      RAYS("published, I 0.5, S 0.5", 50, 50, true),
      RAYS("published, I 0.5, S 1", 50, 100, true),
      RAYS("published, I 1, S 0", 100, 0, true),
      RAYS("published, I 1, S 0.5", 100, 50, true),
      RAYS("published, I 1, S 1", 100, 100, true),
  };
  static const double at[] = {0.3, 0.6, 0.9};
  return compare(b, point, methods, COUNT(methods), 3, at, COUNT(at), err);
}

/* The parts of a run's time that its stages took, each as a line of its own, in percent. */
static rdx_status add_shares(const session *s, const bench_point *point, uint32_t predicates, rdx_error *err) {
  static const char *const stages[STAGES] = {"transform", "sieve", "refine", "merge"};
  rdx_status status = RDX_OK;
  for (size_t k = 0; k < s->count; k++) {
    const entry *e = &s->entries[k];
    double ms[STAGES] = {0}, sum = 0;
    for (size_t i = 0; i < STAGES; i++) {
      char metric[32];
      snprintf(metric, sizeof metric, "%s_ms", stages[i]);
      const bench_row like = row_of(s, e, point, predicates, metric);
      const bench_row *row = bench_report_find(s->b->report, &like);
      ms[i] = row ? row->median : 0;
      sum += ms[i];
    }
    for (size_t i = 0; i < STAGES && sum > 0 && status == RDX_OK; i++) {
      bench_row row = row_of(s, e, point, predicates, "share");
      double share = 100 * ms[i] / sum;
      snprintf(row.variant, sizeof row.variant, "%.40s%s%s", e->method.variant, e->method.variant[0] ? ", " : "",
               stages[i]);
      status = bench_report_add(s->b->report, row, &share, 1, err);
    }
  }
  return status;
}

/* RTScan, Figure 17 "The proportion of different parts' time of RTScan". */
/* Figure 17 and section 5.4: the stages of queries of three predicates of selectivity 0.9. */
rdx_status bench_rtscan_stages(bench *b, const bench_point *point, rdx_error *err) {
  static const method methods[] = {{"", {.method = RDX_SCAN_RTSCAN}},
                                   {"published", {.method = RDX_SCAN_RTSCAN, .rtscan.published = true}}};
  static const scan_data_kind kinds[] = {SCAN_UNIFORM, SCAN_ZIPF_1_1, SCAN_ZIPF_1_3, SCAN_ZIPF_1_5, SCAN_NORMAL};
  rdx_status status = RDX_OK;
  for (size_t i = 0; i < COUNT(kinds) && status == RDX_OK; i++) {
    const bench_point here = bench_at(point, scan_data_name(kinds[i]), -1 - (double)i);
    session *s = NULL;
    status = open_with(b, &here, &(study){kinds[i], 3, b->scan_rows, methods, COUNT(methods)}, 1, &s, err);
    if (status != RDX_OK)
      break;
    status = measure(s, &here, 3, 0.9, err);
    if (status == RDX_OK)
      status = add_shares(s, &here, 3, err);
    close_session(s);
  }
  return status;
}

/* RTScan, Figure 18 "Index construction overhead". */
/* Figure 18: construction over three columns, Zipf 1.5, and over uniform ones. */
rdx_status bench_rtscan_build(bench *b, const bench_point *point, rdx_error *err) {
  static const scan_data_kind kinds[] = {SCAN_ZIPF_1_5, SCAN_UNIFORM};
  rdx_status status = RDX_OK;
  for (size_t i = 0; i < COUNT(kinds) && status == RDX_OK; i++) {
    const bench_point here = bench_at(point, scan_data_name(kinds[i]), -1 - (double)i);
    session *s = NULL;
    status = open_session(b, &here, kinds[i], 3, b->options.runs, &s, err);
    if (status == RDX_OK) {
      status = report_builds(s, &here, b->options.runs, err);
      close_session(s);
    }
  }
  return status;
}

/* ---- Bandwidth ---- */

/* One predicate over one column of 1, 2 and 4 bytes, three over columns of 4, beside reads and copies of memory: the
 * rate at which bytes are moved by those that cast no rays. */
rdx_status bench_rtscan_bandwidth(bench *b, const bench_point *point, rdx_error *err) {
  static const struct {
    scan_data_kind kind;
    uint32_t predicates;
    const char *parameter;
    double value, selectivity;
  } cases[] = {{SCAN_BYTE, 1, "bytes", 1, 0.5},
               {SCAN_SHORT, 1, "bytes", 2, 0.5},
               {SCAN_UNIFORM, 1, "bytes", 4, 0.5},
               {SCAN_UNIFORM, 3, "selectivity", 0.1, 0.1},
               {SCAN_UNIFORM, 3, "selectivity", 0.5, 0.5},
               {SCAN_UNIFORM, 3, "selectivity", 0.9, 0.9}};
  static const method readers[] = {{"", {.method = RDX_SCAN_COLUMN}}, {"", {.method = RDX_SCAN_BINDEX}}};
  rdx_status status = RDX_OK;
  for (size_t i = 0; i < COUNT(cases) && status == RDX_OK; i++) {
    const bench_point here = bench_at(point, cases[i].parameter, cases[i].value);
    session *s = NULL;
    status = open_with(b, &here, &(study){cases[i].kind, cases[i].predicates, b->scan_rows, readers, COUNT(readers)}, 1,
                       &s, err);
    if (status != RDX_OK)
      break;
    s->with_memory = true;
    status = measure(s, &here, cases[i].predicates, cases[i].selectivity, err);
    close_session(s);
  }
  return status;
}
