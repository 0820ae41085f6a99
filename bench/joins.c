/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Joins: the values of the probes with the keys, counted. A time is that of the whole join, the index over one side
 * included, both sides being on the device. */

#include "bench/bench.h"

#include <inttypes.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MAX_JOINERS 48

/* What is done with both sides. */
typedef enum task {
  PAIRS,   /* a join that counts its pairs */
  SEMI,    /* a join that counts the left rows with a match */
  LOOKUPS, /* an index over the keys, and the sum of the values that each probe finds; inverse: over the probes */
} task;

typedef struct joiner {
  const char *variant;
  rdx_join_params params;
  task task;
} joiner;

enum { TOTAL, BUILD, LOOKUP, METRICS };
static const char *const metric_names[METRICS] = {"lookup_ms", "build_ms", "search_ms"};

typedef struct entry {
  joiner joiner;
  char name[BENCH_VARIANT]; /* of what the command line asks for */
  rdx_index_method method;  /* that was used */
  bool out;
  double ms[METRICS][BENCH_MAX_RUNS];
} entry;

typedef struct joining {
  bench *b;
  const bench_point *point;
  bench_workload w;
  rdx_device_column *keys, *lower, *upper, *values;
  uint64_t expected, matched; /* pairs; probes with some */
  entry entries[MAX_JOINERS];
  size_t count;
} joining;

static rdx_status upload(const joining *j, const void *values, uint64_t rows, rdx_device_column **out, rdx_error *err) {
  const rdx_column column = {.type = j->w.type, .rows = rows, .values = values};
  return rdx_device_column_create(j->b->device, &column, out, err);
}

static rdx_status start(joining *j, rdx_error *err) {
  const bench_workload *w = &j->w;
  for (uint64_t i = 0; i < w->probes; i++) {
    j->expected += w->counts[i];
    j->matched += w->counts[i] > 0;
  }
  rdx_status status = upload(j, w->keys, w->rows, &j->keys, err);
  if (status == RDX_OK)
    status = upload(j, w->lower, w->probes, &j->lower, err);
  if (status == RDX_OK && w->upper)
    status = upload(j, w->upper, w->probes, &j->upper, err);
  const rdx_column values = {.type = RDX_TYPE_U32, .rows = w->rows, .values = w->values};
  return status == RDX_OK ? rdx_device_column_create(j->b->device, &values, &j->values, err) : status;
}

static rdx_status check_lookup(joining *j, entry *e, uint32_t run, rdx_lookup_result *result, rdx_error *err) {
  rdx_lookup_view view;
  rdx_lookup_stats stats;
  rdx_lookup_result_get_stats(result, &stats);
  e->ms[LOOKUP][run] = stats.device_ms;
  const rdx_status status = rdx_lookup_result_view(result, &view, err);
  return status == RDX_OK ? bench_check_answers(&j->w, &view, 0, err) : status;
}

/* Sums for each probe: from both sides on the device to the sums there, the index included. */
static rdx_status look_up_once(joining *j, entry *e, uint32_t run, rdx_error *err) {
  const rdx_column keys = rdx_device_column_view(j->keys), probes = rdx_device_column_view(j->lower);
  const rdx_column values = rdx_device_column_view(j->values);
  const rdx_join_params *p = &e->joiner.params;
  const rdx_lookup_params params = {.result = RDX_LOOKUP_SUM, .values = &values, .sort_probes = p->sort_probes};
  const bool inverse = p->mapping == RDX_JOIN_MAPPING_INVERSE;
  rdx_index *index = NULL;
  rdx_lookup_result *result = NULL;
  rdx_index_stats built = {0};
  const double start = bench_seconds();
  rdx_status status = inverse
                          ? rdx_lookup_inverse(j->b->device, &keys, &probes, &p->index, &params, &built, &result, err)
                          : rdx_index_create(j->b->device, &keys, &p->index, &index, err);
  if (status == RDX_OK && !inverse) {
    rdx_index_get_stats(index, &built);
    status = rdx_index_lookup(index, &probes, &params, &result, err);
  }
  e->ms[TOTAL][run] = 1e3 * (bench_seconds() - start);
  e->ms[BUILD][run] = built.total_ms;
  e->method = built.method;
  if (status == RDX_OK)
    status = check_lookup(j, e, run, result, err);
  rdx_lookup_result_destroy(&result);
  rdx_index_destroy(&index);
  return status;
}

/* The probes are the left side of an equal join; of points and ranges the keys are. */
static rdx_status join_once(joining *j, entry *e, uint32_t run, rdx_error *err) {
  const rdx_column keys = rdx_device_column_view(j->keys), lower = rdx_device_column_view(j->lower);
  const rdx_column upper = j->upper ? rdx_device_column_view(j->upper) : (rdx_column){0};
  rdx_join_params params = e->joiner.params;
  rdx_join_result *join = NULL;
  params.result = RDX_JOIN_COUNT;
  params.kind = e->joiner.task == SEMI ? RDX_JOIN_SEMI : RDX_JOIN_INNER;
  rdx_status status = j->upper ? rdx_join_between(j->b->device, &keys, &lower, &upper, &params, &join, err)
                               : rdx_join_equal(j->b->device, &lower, &keys, &params, &join, err);
  rdx_join_view view;
  rdx_join_stats stats;
  if (status == RDX_OK)
    status = rdx_join_result_view(join, &view, err);
  if (status != RDX_OK)
    return status;
  rdx_join_result_get_stats(join, &stats);
  rdx_join_result_destroy(&join);
  const uint64_t expected = e->joiner.task == SEMI ? j->matched : j->expected;
  if (view.count != expected)
    return console_error(err, RDX_ERROR_INTERNAL, "WRONG ANSWER: %" PRIu64 " instead of %" PRIu64, view.count,
                         expected);
  e->method = stats.index.method;
  e->ms[TOTAL][run] = stats.total_ms;
  e->ms[BUILD][run] = stats.index.total_ms;
  e->ms[LOOKUP][run] = stats.lookup.total_ms;
  return RDX_OK;
}

static rdx_status run_once(joining *j, entry *e, uint32_t run, rdx_error *err) {
  const rdx_status status = e->joiner.task == LOOKUPS ? look_up_once(j, e, run, err) : join_once(j, e, run, err);
  return status == RDX_OK && console_interrupted() ? console_error(err, RDX_ERROR_CANCELLED, "interrupted") : status;
}

static bench_row row_of(const joining *j, const entry *e, rdx_index_method method, const char *metric) {
  bench_row row = {.rows = j->w.rows, .probes = j->w.probes, .value = j->point->value};
  snprintf(row.experiment, sizeof row.experiment, "%s", j->point->experiment);
  snprintf(row.device, sizeof row.device, "%s", j->b->info->name);
  snprintf(row.method, sizeof row.method, "%s", rdx_index_method_name(method));
  snprintf(row.variant, sizeof row.variant, "%s", e->joiner.variant);
  snprintf(row.keys, sizeof row.keys, "%s", bench_keys_name(j->w.spec.keys));
  snprintf(row.parameter, sizeof row.parameter, "%s", j->point->parameter);
  snprintf(row.metric, sizeof row.metric, "%s", metric);
  return row;
}

/* One round that is not counted, then the runs, the methods taking turns. */
static rdx_status run_all(joining *j, rdx_error *err) {
  for (uint32_t r = 0; r <= j->b->options.runs; r++) {
    for (size_t k = 0; k < j->count; k++) {
      entry *e = &j->entries[k];
      const rdx_status status = e->out ? RDX_OK : run_once(j, e, r > 0 ? r - 1 : 0, err);
      if (status != RDX_OK && !bench_may_skip(status)) {
        const bench_row row = row_of(j, e, e->joiner.params.index.method, "");
        return bench_blame(status, &row, err);
      }
      if (status != RDX_OK) {
        console_note("  %s%s%s left out: %s", rdx_index_method_name(e->joiner.params.index.method),
                     e->joiner.variant[0] ? ", " : "", e->joiner.variant, err->text);
        e->out = true;
      }
    }
  }
  return RDX_OK;
}

static rdx_status report(joining *j, rdx_error *err) {
  rdx_status status = RDX_OK;
  for (size_t k = 0; k < j->count; k++) {
    entry *e = &j->entries[k];
    for (int m = 0; m < METRICS && status == RDX_OK && !e->out; m++)
      status =
          bench_report_add(j->b->report, row_of(j, e, e->method, metric_names[m]), e->ms[m], j->b->options.runs, err);
  }
  return status;
}

/* A joiner, and the forms of it that the command line asks for. */
static void add_forms(joining *j, const joiner *from) {
  if (j->count == MAX_JOINERS)
    return;
  j->entries[j->count++].joiner = *from;
  for (size_t i = 0; i < j->b->options.extra_count && j->count < MAX_JOINERS; i++) {
    entry *e = &j->entries[j->count];
    e->joiner = *from;
    if (!bench_extend_index(j->b, i, from->variant, &from->params.index, &e->joiner.params.index, e->name))
      continue;
    e->joiner.variant = e->name;
    j->count++;
  }
}

static rdx_status measure(bench *b, const bench_point *point, const bench_spec *spec, const joiner *joiners,
                          size_t count, rdx_error *err) {
  if (!bench_has_time(b))
    return RDX_OK;
  joining *j = calloc(1, sizeof *j);
  if (!j)
    return console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
  j->b = b;
  j->point = point;
  for (size_t k = 0; k < count; k++)
    if (bench_is_wanted(b, rdx_index_method_name(joiners[k].params.index.method)))
      add_forms(j, &joiners[k]);
  rdx_status status = j->count > 0 ? bench_workload_create(spec, b->options.seed, &j->w, err) : RDX_OK;
  if (status == RDX_OK && j->count > 0)
    status = start(j, err);
  if (status == RDX_OK)
    status = run_all(j, err);
  if (status == RDX_OK)
    status = report(j, err);
  if (status == RDX_ERROR_DEVICE_MEMORY || status == RDX_ERROR_MEMORY) {
    char place[BENCH_PLACE];
    console_note("  %s at %s left out: %s", point->experiment, bench_place(point->parameter, point->value, place),
                 err->text);
    status = RDX_OK;
  }
  rdx_device_column_destroy(&j->keys);
  rdx_device_column_destroy(&j->lower);
  rdx_device_column_destroy(&j->upper);
  rdx_device_column_destroy(&j->values);
  bench_workload_destroy(&j->w);
  free(j);
  return status;
}

/* ---- Experiments ---- */

#define DIRECT(kind_)                                                                                                  \
  {                                                                                                                    \
    .variant = "direct", .params = {.mapping = RDX_JOIN_MAPPING_DIRECT, .index.method = kind_ }                        \
  }
#define INVERSE(kind_)                                                                                                 \
  {                                                                                                                    \
    .variant = "inverse", .params = {.mapping = RDX_JOIN_MAPPING_INVERSE, .index.method = kind_ }                      \
  }
#define SUMS(name, side, ...)                                                                                          \
  { .variant = name, .params = {.mapping = RDX_JOIN_MAPPING_##side, .index = {__VA_ARGS__}}, .task = LOOKUPS }

/* Methods that trace rays last: they are slow where no hardware does it. */
static const joiner all[] = {DIRECT(RDX_INDEX_RADIX_HASH),   INVERSE(RDX_INDEX_RADIX_HASH),
                             DIRECT(RDX_INDEX_HASH),         INVERSE(RDX_INDEX_HASH),
                             DIRECT(RDX_INDEX_TREE),         DIRECT(RDX_INDEX_BTREE),
                             DIRECT(RDX_INDEX_SORTED_ARRAY), DIRECT(RDX_INDEX_CGRX),
                             DIRECT(RDX_INDEX_RX_OPTIMIZED), DIRECT(RDX_INDEX_RX)};

/* The larger side. */
static uint32_t largest(const bench *b) {
  return bench_at_least(b->log_keys, 0, 10);
}

rdx_status bench_join_size(bench *b, const bench_point *point, rdx_error *err) {
  for (bench_keys keys = BENCH_U32; keys <= BENCH_U64; keys++) {
    for (uint32_t log = bench_at_least(largest(b), 6, 8); log <= largest(b); log += 2) {
      const bench_spec spec = {.keys = keys, .log_rows = log, .log_probes = log};
      const bench_point here = bench_at(point, "rows", bench_power(log));
      const rdx_status status = measure(b, &here, &spec, all, COUNT(all), err);
      if (status != RDX_OK)
        return status;
    }
  }
  return RDX_OK;
}

rdx_status bench_join_skew(bench *b, const bench_point *point, rdx_error *err) {
  for (int halves = 0; halves <= 4; halves++) {
    const bench_spec spec = {.keys = BENCH_U32, .log_rows = largest(b), .log_probes = largest(b), .zipf = halves / 2.0};
    const bench_point here = bench_at(point, "zipf", halves / 2.0);
    const rdx_status status = measure(b, &here, &spec, all, COUNT(all), err);
    if (status != RDX_OK)
      return status;
  }
  return RDX_OK;
}

/* thesis, Figure 5.14 "Total Probe Time + Build Time Comparison for Point Query". */
/* Thesis, section 5.14: a side four times the other, which the index is over; and more than that. */
rdx_status bench_join_inverse(bench *b, const bench_point *point, rdx_error *err) {
  static const joiner joiners[] = {DIRECT(RDX_INDEX_RX_OPTIMIZED),
                                   INVERSE(RDX_INDEX_RX_OPTIMIZED),
                                   DIRECT(RDX_INDEX_CGRX),
                                   INVERSE(RDX_INDEX_CGRX),
                                   DIRECT(RDX_INDEX_TREE),
                                   INVERSE(RDX_INDEX_TREE),
                                   DIRECT(RDX_INDEX_HASH),
                                   INVERSE(RDX_INDEX_HASH),
                                   DIRECT(RDX_INDEX_RADIX_HASH),
                                   INVERSE(RDX_INDEX_RADIX_HASH),
                                   SUMS("sums", DIRECT, .method = RDX_INDEX_RX_OPTIMIZED),
                                   SUMS("inverse sums", INVERSE, .method = RDX_INDEX_RX_OPTIMIZED),
                                   SUMS("sums", DIRECT, .method = RDX_INDEX_CGRX),
                                   SUMS("inverse sums", INVERSE, .method = RDX_INDEX_CGRX),
                                   SUMS("sums", DIRECT, .method = RDX_INDEX_HASH),
                                   SUMS("inverse sums", INVERSE, .method = RDX_INDEX_HASH)};
  for (int log = -4; log <= 4; log += 2) {
    const uint32_t max = largest(b), less = max - (uint32_t)(log < 0 ? -log : log);
    const bench_spec spec = {.keys = BENCH_U32, .log_rows = log < 0 ? max : less, .log_probes = log < 0 ? less : max};
    const bench_point here =
        bench_at(point, "probes/keys", log < 0 ? 1 / bench_power((uint32_t)-log) : bench_power((uint32_t)log));
    const rdx_status status = measure(b, &here, &spec, joiners, COUNT(joiners), err);
    if (status != RDX_OK)
      return status;
  }
  return RDX_OK;
}

rdx_status bench_join_ranges(bench *b, const bench_point *point, rdx_error *err) {
  static const joiner joiners[] = {
      {.variant = "index over points", .params = {.mapping = RDX_JOIN_MAPPING_INVERSE, .index.method = RDX_INDEX_TREE}},
      {.variant = "index over points",
       .params = {.mapping = RDX_JOIN_MAPPING_INVERSE, .index.method = RDX_INDEX_RX_OPTIMIZED}},
      {.variant = "ranges sorted",
       .params = {.mapping = RDX_JOIN_MAPPING_DIRECT, .index.method = RDX_INDEX_SORTED_ARRAY}}};
  for (uint32_t less = 0; less <= 12 && less + 8 < largest(b); less += 4) {
    const bench_spec spec = {.log_rows = largest(b), .log_probes = largest(b) - less, .range = 16};
    const bench_point here = bench_at(point, "points/ranges", bench_power(less));
    const rdx_status status = measure(b, &here, &spec, joiners, COUNT(joiners), err);
    if (status != RDX_OK)
      return status;
  }
  return RDX_OK;
}

/* Semi joins, which stop at a probe's first match, beside counting all its matches, by rows of each key. */
rdx_status bench_join_first(bench *b, const bench_point *point, rdx_error *err) {
  static const rdx_index_method methods[] = {
      RDX_INDEX_RX,   RDX_INDEX_RX_OPTIMIZED, RDX_INDEX_CGRX, RDX_INDEX_CGRX_UPDATABLE, RDX_INDEX_SORTED_ARRAY,
      RDX_INDEX_TREE, RDX_INDEX_BTREE,        RDX_INDEX_HASH, RDX_INDEX_RADIX_HASH};
  joiner joiners[2 * COUNT(methods)];
  for (size_t k = 0; k < COUNT(joiners); k++)
    joiners[k] = (joiner){.variant = k % 2 ? "first match" : "counting",
                          .params = {.mapping = RDX_JOIN_MAPPING_DIRECT, .index.method = methods[k / 2]},
                          .task = k % 2 ? SEMI : PAIRS};
  for (uint32_t log = 0; log <= 8 && log + 4 < largest(b); log += 2) {
    const bench_spec spec = {.log_rows = bench_at_least(largest(b), 2, 8),
                             .log_probes = bench_at_least(largest(b), 4, 8),
                             .log_multiplicity = log,
                             .count = true};
    const bench_point here = bench_at(point, "rows of a key", bench_power(log));
    const rdx_status status = measure(b, &here, &spec, joiners, COUNT(joiners), err);
    if (status != RDX_OK)
      return status;
  }
  return RDX_OK;
}
