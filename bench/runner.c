/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Measuring: every method in turn, every answer checked. */

#include "bench/bench.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_CONTENDERS 64
#define WAKE_UP 0.3    /* seconds; an H100 that has been idle for one takes up to 0.28 */
#define WAKE_UPS 12000 /* in the budget of a suite, at least */

double bench_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- Threads ---- */

typedef struct split {
  void (*work)(void *context, uint64_t begin, uint64_t end);
  void *context;
  uint64_t count;
  uint32_t threads;
} split;

static void run_part(void *context, uint32_t thread) {
  const split *s = context;
  s->work(s->context, s->count * thread / s->threads, s->count * (thread + 1) / s->threads);
}

void bench_parallel(uint32_t max, uint64_t count, void (*work)(void *context, uint64_t begin, uint64_t end),
                    void *context) {
  const uint32_t wanted = max > 0 ? max : console_cores();
  const uint32_t threads = count < 65536 ? 1 : wanted < CONSOLE_MAX_THREADS ? wanted : CONSOLE_MAX_THREADS;
  console_threads(threads, run_part, &(split){work, context, count, threads});
}

/* ---- Memory ---- */

/* Well above what caches hold, and what a launch costs. */
rdx_status bench_measure_memory(const bench *b, bench_rates *rates, uint32_t run, rdx_error *err) {
  const bool gpu = b->info->backend == RDX_BACKEND_VULKAN && !b->info->emulated;
  const uint64_t bytes = gpu ? 1u << 30 : b->info->emulated ? 1u << 24 : 1u << 28;
  rdx_device_rates found;
  const rdx_status status = rdx_device_measure_memory(b->device, bytes, &found, err);
  if (status == RDX_OK) {
    rates->copies[run] = found.copy;
    rates->reads[run] = found.read;
  }
  return status;
}

rdx_status bench_add_rates(bench *b, bench_row row, bench_rates *rates, rdx_error *err) {
  row.variant[0] = '\0';
  snprintf(row.metric, sizeof row.metric, "gb_per_s");
  snprintf(row.method, sizeof row.method, "copy");
  const rdx_status status = bench_report_add(b->report, row, rates->copies, b->options.runs, err);
  snprintf(row.method, sizeof row.method, "read");
  return status == RDX_OK ? bench_report_add(b->report, row, rates->reads, b->options.runs, err) : status;
}

/* ---- Answers ---- */

rdx_status bench_blame(rdx_status status, const bench_row *row, rdx_error *err) {
  char place[BENCH_PLACE];
  if (status != RDX_ERROR_INTERNAL)
    return status;
  const rdx_error text = *err;
  return console_error(err, status, "%s, %s%s%s, %s, %s: %.600s", row->experiment, row->method,
                       row->variant[0] ? ", " : "", row->variant, row->keys,
                       bench_place(row->parameter, row->value, place), text.text);
}

static uint64_t key_of(const bench_workload *w, const void *keys, uint64_t i) {
  return w->type == RDX_TYPE_U64 ? ((const uint64_t *)keys)[i] : ((const uint32_t *)keys)[i];
}

/* The lookup that is wrong, then what came and what was expected. */
static rdx_status wrong_lookup(const bench_workload *w, uint64_t i, const char *what, rdx_error *err) {
  char key[48];
  const int length = snprintf(key, sizeof key, "%" PRIu64, key_of(w, w->lower, i));
  if (w->upper)
    snprintf(key + length, sizeof key - (size_t)length, " to %" PRIu64, key_of(w, w->upper, i));
  return console_error(err, RDX_ERROR_INTERNAL, "WRONG ANSWER: lookup %" PRIu64 ", of %s: %s", i, key, what);
}

static rdx_status check_first(const bench_workload *w, const rdx_lookup_view *v, uint64_t begin, rdx_error *err) {
  char what[96];
  for (uint64_t i = 0; i < v->probes; i++) {
    if (v->first[i] == w->sums[begin + i])
      continue;
    snprintf(what, sizeof what, "row %" PRIu32 " instead of %" PRIu64, v->first[i], w->sums[begin + i]);
    return wrong_lookup(w, begin + i, what, err);
  }
  return RDX_OK;
}

static rdx_status check_count(const bench_workload *w, const rdx_lookup_view *v, uint64_t begin, rdx_error *err) {
  char what[96];
  for (uint64_t i = 0; i < v->probes; i++) {
    if (v->count[i] == w->counts[begin + i])
      continue;
    snprintf(what, sizeof what, "%" PRIu32 " rows instead of %" PRIu32, v->count[i], w->counts[begin + i]);
    return wrong_lookup(w, begin + i, what, err);
  }
  return RDX_OK;
}

/* thesis, section 5.4 "Result Validation". */
rdx_status bench_check_answers(const bench_workload *w, const rdx_lookup_view *v, uint64_t begin, rdx_error *err) {
  if (v->kind == RDX_LOOKUP_FIRST)
    return check_first(w, v, begin, err);
  if (v->kind == RDX_LOOKUP_COUNT)
    return check_count(w, v, begin, err);
  if (memcmp(v->sum_u64, w->sums + begin, v->probes * sizeof *w->sums) == 0 &&
      memcmp(v->count, w->counts + begin, v->probes * sizeof *w->counts) == 0)
    return RDX_OK;
  uint64_t wrong = 0, first = 0;
  for (uint64_t i = v->probes; i-- > 0;) {
    if (v->sum_u64[i] != w->sums[begin + i] || v->count[i] != w->counts[begin + i]) {
      wrong++;
      first = i;
    }
  }
  char what[200];
  snprintf(what, sizeof what,
           "%" PRIu32 " rows, sum %" PRIu64 " instead of %" PRIu32 " rows, sum %" PRIu64 "; %" PRIu64 " of %" PRIu64
           " lookups are wrong",
           v->count[first], v->sum_u64[first], w->counts[begin + first], w->sums[begin + first], wrong, v->probes);
  return wrong_lookup(w, begin + first, what, err);
}

/* ---- One lookup ---- */

static rdx_lookup_params lookup_params(const bench_workload *w, bool sort_probes, const rdx_column *values) {
  const rdx_lookup_result_kind kind = w->spec.first   ? RDX_LOOKUP_FIRST
                                      : w->spec.count ? RDX_LOOKUP_COUNT
                                                      : RDX_LOOKUP_SUM;
  return (rdx_lookup_params){
      .result = kind, .values = kind == RDX_LOOKUP_SUM && !w->spec.include ? values : NULL, .sort_probes = sort_probes};
}

rdx_status bench_lookup(const bench_workload *w, const rdx_index *index, const bench_probes *probes, double *ms,
                        double *total_ms, rdx_error *err) {
  const rdx_lookup_params params = lookup_params(w, probes->sort, probes->values);
  rdx_lookup_result *result = NULL;
  rdx_status status = probes->upper ? rdx_index_range(index, probes->lower, probes->upper, &params, &result, err)
                                    : rdx_index_lookup(index, probes->lower, &params, &result, err);
  if (status != RDX_OK)
    return status;
  rdx_lookup_stats stats;
  rdx_lookup_result_get_stats(result, &stats);
  *ms = stats.device_ms + stats.refine_ms;
  *total_ms = stats.total_ms;
  rdx_lookup_view view;
  status = rdx_lookup_result_view(result, &view, err);
  if (status == RDX_OK)
    status = bench_check_answers(w, &view, probes->begin, err);
  rdx_lookup_result_destroy(&result);
  if (status == RDX_OK && console_interrupted())
    status = console_error(err, RDX_ERROR_CANCELLED, "interrupted");
  return status;
}

/* ---- The yardstick: binary search, one probe at a time ---- */

typedef struct plain {
  const bench_workload *w;
  void *keys;
  uint32_t *rows;
  uint64_t *sums;
  uint32_t *counts; /* or first rows */
} plain;

/* RX, section 4.1 "naive binary search". */
static void search_plain(void *context, uint64_t begin, uint64_t end) {
  const plain *p = context;
  const bench_workload *w = p->w;
  for (uint64_t i = begin; i < end; i++) {
    const uint64_t low = key_of(w, w->lower, i), high = w->upper ? key_of(w, w->upper, i) : low;
    uint64_t at = 0, n = w->rows;
    while (n > 0) {
      const uint64_t half = n / 2;
      if (key_of(w, p->keys, at + half) < low) {
        at += half + 1;
        n -= half + 1;
      } else {
        n = half;
      }
    }
    if (w->spec.first) {
      p->counts[i] = at < w->rows && key_of(w, p->keys, at) <= high ? p->rows[at] : RDX_NO_ROW;
      continue;
    }
    p->sums[i] = 0;
    p->counts[i] = 0;
    for (; at < w->rows && key_of(w, p->keys, at) <= high; at++) {
      p->sums[i] += w->values[p->rows[at]];
      p->counts[i]++;
    }
  }
}

static void plain_destroy(plain *p) {
  free(p->keys);
  free(p->rows);
  free(p->sums);
  free(p->counts);
  *p = (plain){0};
}

static rdx_status plain_create(const bench_workload *w, plain *p, rdx_error *err) {
  const size_t bytes = rdx_type_size(w->type);
  *p = (plain){.w = w,
               .keys = malloc(w->rows * bytes),
               .rows = malloc(w->rows * sizeof *p->rows),
               .sums = malloc(w->probes * sizeof *p->sums),
               .counts = malloc(w->probes * sizeof *p->counts)};
  rdx_status status = RDX_OK;
  if (!p->keys || !p->rows || !p->sums || !p->counts) {
    status = console_error(err, RDX_ERROR_MEMORY, "host memory ran out: the plain binary search needs more");
  } else {
    memcpy(p->keys, w->keys, w->rows * bytes);
    for (uint64_t i = 0; i < w->rows; i++)
      p->rows[i] = (uint32_t)i;
    status = bench_sort(p->keys, (uint32_t)bytes, p->rows, w->rows, err);
  }
  if (status != RDX_OK)
    plain_destroy(p);
  return status;
}

static rdx_status plain_lookup(plain *p, uint32_t threads, double *ms, rdx_error *err) {
  const double start = bench_seconds();
  bench_parallel(threads, p->w->probes, search_plain, p);
  *ms = (bench_seconds() - start) * 1e3;
  const rdx_lookup_view sums = {.kind = RDX_LOOKUP_SUM, .probes = p->w->probes, .sum_u64 = p->sums, .count = p->counts};
  const rdx_lookup_view first = {.kind = RDX_LOOKUP_FIRST, .probes = p->w->probes, .first = p->counts};
  return bench_check_answers(p->w, p->w->spec.first ? &first : &sums, 0, err);
}

/* ---- A measurement ---- */

enum { COMPRESS_MS = 8, BUILD_METRICS };

typedef struct entry {
  const bench_method *method; /* NULL: the plain binary search */
  rdx_index *index;
  bool sort_probes; /* as a part of the lookup */
  bool out;         /* cannot take part */
  bool once;        /* it is slow: one run is enough */
  double build[BUILD_METRICS][BENCH_MAX_RUNS], lookup_ms[BENCH_MAX_RUNS], total_ms[BENCH_MAX_RUNS];
} entry;

typedef struct measurement {
  bench *b;
  const bench_point *point;
  unsigned what;
  bench_workload w;
  rdx_device_column *keys, *values;
  rdx_device_column **lower, **upper; /* a batch each */
  uint64_t batches;
  plain plain;
  bench_method extras[MAX_CONTENDERS];
  char extra_names[MAX_CONTENDERS][BENCH_VARIANT];
  size_t extra_count;
  entry entries[MAX_CONTENDERS + 1];
  size_t first, end; /* of those that are at work */
  size_t count;
} measurement;

static rdx_status upload(rdx_device *device, rdx_type type, const void *values, uint64_t begin, uint64_t rows,
                         rdx_device_column **out, rdx_error *err) {
  const rdx_column column = {.type = type, .rows = rows, .values = (const char *)values + begin * rdx_type_size(type)};
  return rdx_device_column_create(device, &column, out, err);
}

static rdx_status upload_workload(measurement *m, rdx_error *err) {
  const bench_workload *w = &m->w;
  rdx_device *device = m->b->device;
  m->lower = calloc(m->batches, sizeof(rdx_device_column *));
  m->upper = calloc(m->batches, sizeof(rdx_device_column *));
  if (!m->lower || !m->upper)
    return console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
  rdx_status status = upload(device, w->type, w->keys, 0, w->rows, &m->keys, err);
  if (status == RDX_OK)
    status = upload(device, RDX_TYPE_U32, w->values, 0, w->rows, &m->values, err);
  const uint64_t each = w->probes / m->batches;
  for (uint64_t i = 0; i < m->batches && status == RDX_OK; i++) {
    status = upload(device, w->type, w->lower, i * each, each, &m->lower[i], err);
    if (status == RDX_OK && w->upper)
      status = upload(device, w->type, w->upper, i * each, each, &m->upper[i], err);
  }
  return status;
}

bool bench_may_skip(rdx_status status) {
  return status == RDX_ERROR_UNSUPPORTED || status == RDX_ERROR_RANGE || status == RDX_ERROR_DEVICE_MEMORY;
}

static bench_row row_of(const measurement *m, const entry *e, const char *metric) {
  const bool looks_up = (m->what & BENCH_LOOKUPS) != 0;
  bench_row row = {.rows = m->w.rows, .probes = looks_up ? m->w.probes : 0, .value = m->point->value};
  snprintf(row.experiment, sizeof row.experiment, "%s", m->point->experiment);
  snprintf(row.device, sizeof row.device, "%s", m->b->info->name);
  snprintf(row.method, sizeof row.method, "%s",
           e->method ? rdx_index_method_name(e->method->params.method) : "binary_search");
  const char *variant = e->method ? e->method->variant : "plain";
  snprintf(row.variant, sizeof row.variant, "%s%s%s", variant, variant[0] && e->sort_probes ? ", " : "",
           e->sort_probes ? "sorted probes" : "");
  snprintf(row.keys, sizeof row.keys, "%s", bench_keys_name(m->w.spec.keys));
  snprintf(row.parameter, sizeof row.parameter, "%s", m->point->parameter);
  snprintf(row.metric, sizeof row.metric, "%s", metric);
  return row;
}

static rdx_status add(const measurement *m, const entry *e, const char *metric, double *samples, uint32_t count,
                      rdx_error *err) {
  return bench_report_add(m->b->report, row_of(m, e, metric), samples, count, err);
}

static void leave_out(const measurement *m, entry *e, const rdx_error *err) {
  const bench_row row = row_of(m, e, "");
  char place[BENCH_PLACE];
  console_note("  %s%s%s at %s left out: %s", row.method, row.variant[0] ? ", " : "", row.variant,
               bench_place(row.parameter, row.value, place), err->text);
  e->out = true;
}

/* What a build is measured by. */
static const char *const build_metrics[BUILD_METRICS] = {"build_ms",   "sort_ms",     "encode_ms",
                                                         "scene_ms",   "compact_ms",  "bytes_resident",
                                                         "bytes_peak", "bytes_built", "compress_ms"};

/* Build an index, and keep what it took as run `run`, unless that is UINT32_MAX. */
static rdx_status build_once(measurement *m, entry *e, uint32_t run, rdx_error *err) {
  const rdx_column keys = rdx_device_column_view(m->keys);
  const rdx_column values = rdx_device_column_view(m->values);
  rdx_status status = rdx_index_create(m->b->device, &keys, &e->method->params, &e->index, err);
  if (status == RDX_OK && m->w.spec.include)
    status = rdx_index_include(e->index, &values, err);
  if (bench_may_skip(status)) {
    leave_out(m, e, err);
    return RDX_OK;
  }
  if (status != RDX_OK || run == UINT32_MAX)
    return status;
  rdx_index_stats s;
  rdx_index_get_stats(e->index, &s);
  const double metrics[BUILD_METRICS] = {s.total_ms,           s.sort_ms,
                                         s.encode_ms,          s.scene_ms,
                                         s.compact_ms,         (double)s.bytes_resident,
                                         (double)s.bytes_peak, (double)s.bytes_scene_built,
                                         s.compress_ms};
  for (size_t k = 0; k < BUILD_METRICS; k++)
    e->build[k][run] = metrics[k];
  return RDX_OK;
}

/* One build that is not counted where builds are measured, then the runs, the methods taking turns. Indexes for
 * lookups are kept from the last round; till then at most one is held, for large ones leave no room for two. */
static rdx_status build(measurement *m, rdx_error *err) {
  const bool measured = (m->what & BENCH_BUILDS) != 0;
  const uint32_t runs = measured ? m->b->options.runs : 0;
  rdx_status status = RDX_OK;
  for (uint32_t r = 0; r <= runs; r++) {
    for (size_t k = m->first; k < m->end && status == RDX_OK; k++) {
      entry *e = &m->entries[k];
      if (e->out)
        continue;
      status = build_once(m, e, r == 0 ? UINT32_MAX : r - 1, err);
      if (r < runs || (m->what & BENCH_LOOKUPS) == 0)
        rdx_index_destroy(&e->index);
      if (status == RDX_OK && console_interrupted())
        status = console_error(err, RDX_ERROR_CANCELLED, "interrupted");
    }
  }
  for (size_t k = m->first; k < m->end && measured; k++)
    for (size_t i = 0; i < BUILD_METRICS && status == RDX_OK && !m->entries[k].out; i++)
      if (i != COMPRESS_MS || m->entries[k].build[i][0] > 0) /* few have any */
        status = add(m, &m->entries[k], build_metrics[i], m->entries[k].build[i], runs, err);
  return status;
}

/* Million lookups a second by bytes a key: what a byte of memory buys. */
static rdx_status add_per_byte(const measurement *m, const entry *e, rdx_error *err) {
  double samples[BENCH_MAX_RUNS];
  enum { BYTES_RESIDENT = 5 }; /* in build_metrics */
  const uint32_t runs = e->once ? 1 : m->b->options.runs;
  for (uint32_t r = 0; r < runs; r++)
    samples[r] = (double)m->w.probes / e->lookup_ms[r] / 1e3 * (double)m->w.rows / e->build[BYTES_RESIDENT][r];
  return add(m, e, "rate_per_byte", samples, runs, err);
}

static rdx_status look_up_once(measurement *m, entry *e, double *ms, double *total_ms, rdx_error *err) {
  *ms = *total_ms = 0;
  if (!e->method) {
    const rdx_status status = plain_lookup(&m->plain, m->b->info->threads, ms, err);
    *total_ms = *ms;
    return status;
  }
  const rdx_column values = rdx_device_column_view(m->values);
  const uint64_t each = m->w.probes / m->batches;
  rdx_status status = RDX_OK;
  for (uint64_t i = 0; i < m->batches && status == RDX_OK; i++) {
    const rdx_column lower = rdx_device_column_view(m->lower[i]);
    const rdx_column upper = m->w.upper ? rdx_device_column_view(m->upper[i]) : (rdx_column){0};
    double batch_ms = 0, batch_total = 0;
    const bench_probes probes = {&lower, m->w.upper ? &upper : NULL, &values, i * each, e->sort_probes};
    status = bench_lookup(&m->w, e->index, &probes, &batch_ms, &batch_total, err);
    *ms += batch_ms;
    *total_ms += batch_total;
  }
  return status;
}

/* The device's time of a lookup of some kind; `*trace_ms` that of its rays alone, if it is wanted. */
static rdx_status time_lookup(const measurement *m, const entry *e, rdx_lookup_params params, double *ms,
                              double *trace_ms, rdx_error *err) {
  const rdx_column lower = rdx_device_column_view(m->lower[0]);
  rdx_lookup_result *result = NULL;
  rdx_lookup_stats stats = {0};
  params.stats = trace_ms != NULL;
  const rdx_status status = rdx_index_lookup(e->index, &lower, &params, &result, err);
  if (status == RDX_OK)
    rdx_lookup_result_get_stats(result, &stats);
  rdx_lookup_result_destroy(&result);
  *ms = stats.device_ms;
  if (trace_ms)
    *trace_ms = stats.trace_ms;
  return status;
}

static double above_0(double x) {
  return x > 0 ? x : 0;
}

/* The rays, the search of what they find, and the values: the times of lookups that do ever more, less each other. */
static rdx_status add_steps(const measurement *m, const entry *e, rdx_error *err) {
  static const char *const names[] = {"trace_ms", "bucket_ms", "result_ms"};
  double steps[3][BENCH_MAX_RUNS];
  const rdx_column values = rdx_device_column_view(m->values);
  const rdx_lookup_params first = {.result = RDX_LOOKUP_FIRST}, sum = {.result = RDX_LOOKUP_SUM, .values = &values};
  rdx_status status = RDX_OK;
  for (uint32_t r = 0; r < m->b->options.runs && status == RDX_OK; r++) {
    double rays = 0, rows = 0, all = 0, ignored = 0;
    status = time_lookup(m, e, first, &ignored, &rays, err);
    if (status == RDX_OK)
      status = time_lookup(m, e, first, &rows, NULL, err);
    if (status == RDX_OK)
      status = time_lookup(m, e, sum, &all, NULL, err);
    steps[0][r] = rays;
    steps[1][r] = above_0(rows - rays);
    steps[2][r] = above_0(all - rows);
  }
  for (size_t k = 0; k < 3 && status == RDX_OK; k++)
    status = add(m, e, names[k], steps[k], m->b->options.runs, err);
  return status;
}

rdx_status bench_wake_up(const bench *b, rdx_status (*work)(void *context, rdx_error *err), void *context,
                         rdx_error *err) {
  if (b->info->backend == RDX_BACKEND_CPU || b->info->emulated)
    return RDX_OK;
  const double share = b->options.shared ? b->options.budget / WAKE_UPS : WAKE_UP;
  const double end = bench_seconds() + (share < WAKE_UP ? share : WAKE_UP);
  rdx_status status = RDX_OK;
  do {
    status = work(context, err);
  } while (status == RDX_OK && bench_seconds() < end);
  return status;
}

typedef struct lookup_again {
  const measurement *m;
  const entry *e;
} lookup_again;

static rdx_status look_up_unchecked(void *context, rdx_error *err) {
  const measurement *m = ((const lookup_again *)context)->m;
  const entry *e = ((const lookup_again *)context)->e;
  const rdx_column values = rdx_device_column_view(m->values), lower = rdx_device_column_view(m->lower[0]);
  const rdx_column upper = m->w.upper ? rdx_device_column_view(m->upper[0]) : (rdx_column){0};
  const rdx_lookup_params params = lookup_params(&m->w, e->sort_probes, &values);
  rdx_lookup_result *result = NULL;
  const rdx_status status = m->w.upper ? rdx_index_range(e->index, &lower, &upper, &params, &result, err)
                                       : rdx_index_lookup(e->index, &lower, &params, &result, err);
  rdx_lookup_result_destroy(&result);
  return status;
}

/* Run `run` of an entry; run 0 is the warm-up, and all that there is of what is slow. */
static rdx_status look_up_entry(measurement *m, entry *e, uint32_t run, rdx_error *err) {
  const bench_row row = row_of(m, e, "lookup_ms");
  double ms = 0, total = 0;
  rdx_status status = RDX_OK;
  if (run == 0 && bench_was_slow(m->b, row.method, row.variant)) {
    (void)console_error(err, RDX_OK, "it was slow before, and time is short");
    leave_out(m, e, err);
    return RDX_OK;
  }
  if (e->method && run > 0)
    status = bench_wake_up(m->b, look_up_unchecked, &(lookup_again){m, e}, err);
  if (status == RDX_OK)
    status = look_up_once(m, e, &ms, &total, err);
  if (bench_may_skip(status)) {
    leave_out(m, e, err);
    return RDX_OK;
  }
  if (run == 0)
    e->once = bench_is_slow(m->b, row.method, row.variant, total);
  if (run > 0 || e->once) {
    e->lookup_ms[run > 0 ? run - 1 : 0] = ms;
    e->total_ms[run > 0 ? run - 1 : 0] = total;
  }
  return bench_blame(status, &row, err);
}

/* One warm-up, then the runs, the methods taking turns. */
static rdx_status look_up(measurement *m, rdx_error *err) {
  rdx_status status = RDX_OK;
  for (uint32_t r = 0; r <= m->b->options.runs && status == RDX_OK; r++)
    for (size_t k = m->first; k < m->end && status == RDX_OK; k++)
      if (!m->entries[k].out && (r == 0 || !m->entries[k].once))
        status = look_up_entry(m, &m->entries[k], r, err);
  for (size_t k = m->first; k < m->end && status == RDX_OK; k++) {
    entry *e = &m->entries[k];
    const uint32_t runs = e->once ? 1 : m->b->options.runs;
    if (e->out)
      continue;
    if (e->method && (m->what & BENCH_PER_BYTE) != 0 && (m->what & BENCH_BUILDS) != 0)
      status = add_per_byte(m, e, err);
    if (e->method && e->method->params.method != RDX_INDEX_RX && status == RDX_OK && (m->what & BENCH_STEPS) != 0)
      status = add_steps(m, e, err);
    if (status == RDX_OK)
      status = add(m, e, "lookup_ms", e->lookup_ms, runs, err);
    if (status == RDX_OK)
      status = add(m, e, "total_ms", e->total_ms, runs, err);
  }
  return status;
}

/* The next name of a list with commas, and where the list goes on; false at its end. */
static bool next_name(const char **list, char *out, size_t size) {
  if (!*list || !**list)
    return false;
  const size_t length = strcspn(*list, ",");
  snprintf(out, size, "%.*s", (int)length, *list);
  *list += length + ((*list)[length] == ',');
  return true;
}

bool bench_check_methods(const char *methods) {
  char name[64];
  rdx_index_method index;
  rdx_scan_method scan;
  rdx_star_method star;
  uint32_t count = 0;
  for (; next_name(&methods, name, sizeof name); count++)
    if (rdx_index_method_from_name(name, &index, NULL) != RDX_OK &&
        rdx_scan_method_from_name(name, &scan, NULL) != RDX_OK &&
        rdx_star_method_from_name(name, &star, NULL) != RDX_OK)
      return false;
  return count > 0 && count <= 64;
}

bool bench_is_wanted(bench *b, const char *method) {
  const char *list = b->options.methods;
  char name[64];
  bool wanted = !list;
  for (uint32_t place = 0; next_name(&list, name, sizeof name); place++) {
    if (strcmp(name, method) != 0)
      continue;
    wanted = true;
    b->seen |= (uint64_t)1 << place;
  }
  return wanted;
}

bool bench_note_unseen(const bench *b) {
  const char *list = b->options.methods;
  char name[64];
  for (uint32_t place = 0; next_name(&list, name, sizeof name); place++)
    if ((b->seen_ever >> place & 1) == 0)
      console_note("no experiment here has the method %s", name);
  return !b->options.methods || b->seen_ever != 0;
}

static rdx_status add_entry(measurement *m, const bench_method *method, unsigned what, rdx_error *err) {
  const bool twice = (what & BENCH_SORT_OR_NOT) != 0;
  if (m->count + 1 + twice > MAX_CONTENDERS)
    return console_error(err, RDX_ERROR_ARGUMENT, "there are too many methods; give fewer --options");
  m->entries[m->count++] = (entry){.method = method, .sort_probes = (what & BENCH_SORT) != 0};
  if (twice)
    m->entries[m->count++] = (entry){.method = method, .sort_probes = true};
  return RDX_OK;
}

/* A method, and the forms of it that the command line asks for. */
static rdx_status add_forms(measurement *m, const bench_method *method, unsigned what, rdx_error *err) {
  rdx_status status = add_entry(m, method, what, err);
  for (size_t i = 0; i < m->b->options.extra_count && status == RDX_OK; i++) {
    bench_method *extra = &m->extras[m->extra_count];
    char *name = m->extra_names[m->extra_count];
    if (m->extra_count == MAX_CONTENDERS ||
        !bench_extend_index(m->b, i, method->variant, &method->params, &extra->params, name))
      continue;
    extra->variant = name;
    m->extra_count++;
    status = add_entry(m, extra, what, err);
  }
  return status;
}

/* The methods that are wanted. */
static rdx_status choose(measurement *m, const bench_method *methods, size_t count, unsigned what, rdx_error *err) {
  rdx_status status = RDX_OK;
  for (size_t k = 0; k < count && status == RDX_OK; k++)
    if (bench_is_wanted(m->b, rdx_index_method_name(methods[k].params.method)))
      status = add_forms(m, &methods[k], what, err);
  return status;
}

/* Each alone on the device, which may have room for no more. */
static rdx_status run_alone(measurement *m, rdx_error *err) {
  rdx_status status = RDX_OK;
  for (m->first = 0; m->first < m->count && status == RDX_OK; m->first++) {
    m->end = m->first + 1;
    status = build(m, err);
    if ((m->what & BENCH_LOOKUPS) != 0 && status == RDX_OK)
      status = look_up(m, err);
    rdx_index_destroy(&m->entries[m->first].index);
  }
  return status;
}

static rdx_status run(measurement *m, rdx_error *err) {
  const unsigned what = m->what;
  rdx_status status = upload_workload(m, err);
  if (status == RDX_OK && (what & BENCH_ALONE) != 0)
    return run_alone(m, err);
  m->end = m->count;
  if (status == RDX_OK)
    status = build(m, err);
  if ((what & BENCH_PLAIN) != 0 && m->b->info->backend == RDX_BACKEND_CPU && status == RDX_OK) {
    m->entries[m->count++] = (entry){0};
    m->end = m->count;
    status = plain_create(&m->w, &m->plain, err);
  }
  if ((what & BENCH_LOOKUPS) != 0 && status == RDX_OK)
    status = look_up(m, err);
  return status;
}

rdx_status bench_measure(bench *b, const bench_point *point, const bench_spec *spec, const bench_method *methods,
                         size_t count, unsigned what, rdx_error *err) {
  if (!bench_has_time(b))
    return RDX_OK;
  measurement *m = calloc(1, sizeof *m);
  if (!m)
    return console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
  m->b = b;
  m->point = point;
  m->what = what;
  m->batches = (uint64_t)1 << spec->log_batches;
  rdx_status status = choose(m, methods, count, what, err);
  if (status == RDX_OK && m->count > 0)
    status = bench_workload_create(spec, b->options.seed, &m->w, err);
  if (status == RDX_OK && m->count > 0)
    status = run(m, err);
  if (status == RDX_ERROR_DEVICE_MEMORY || status == RDX_ERROR_MEMORY) {
    char place[BENCH_PLACE];
    console_note("  %s at %s left out: %s", point->experiment, bench_place(point->parameter, point->value, place),
                 err->text);
    status = RDX_OK;
  }
  for (size_t k = 0; k < m->count; k++)
    rdx_index_destroy(&m->entries[k].index);
  for (uint64_t i = 0; i < m->batches && m->lower && m->upper; i++) {
    rdx_device_column_destroy(&m->lower[i]);
    rdx_device_column_destroy(&m->upper[i]);
  }
  free(m->lower);
  free(m->upper);
  rdx_device_column_destroy(&m->keys);
  rdx_device_column_destroy(&m->values);
  plain_destroy(&m->plain);
  bench_workload_destroy(&m->w);
  free(m);
  return status;
}
