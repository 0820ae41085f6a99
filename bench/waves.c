/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* cgRX, figure 15: eight waves of inserts let an index grow to 2.2 times its size, eight waves of removes take it back.
 * An index that takes batches of changes stands beside one that is rebuilt; after each wave both answer lookups. */

#include "bench/bench.h"

#include <stdlib.h>

#define WAVES 16 /* half of them insert */
#define MAX_METHODS 20

typedef struct method {
  rdx_index_params params;
  const char *variant;
  char name[BENCH_VARIANT]; /* of the variant that the command line asks for */
  bool apply;               /* else rebuild */
  int rivals[2]; /* methods that a batch is compared with: by the time of a rebuild, by lookups after a fresh build */
  double update_ms[WAVES][BENCH_MAX_RUNS], lookup_ms[WAVES][BENCH_MAX_RUNS];
} method;

typedef struct waves {
  bench *b;
  const bench_point *point;
  uint64_t *keys; /* the first so many are in the index */
  uint64_t rows, max, probes;
  uint64_t *wanted;   /* keys of the probes of a wave */
  uint32_t *expected; /* their rows */
  uint32_t count;     /* of methods: those that need rays come last */
  method methods[MAX_METHODS];
} waves;

/* Keys that differ: an odd factor and a shift lose nothing. */
static uint64_t key_of(uint64_t i, uint64_t seed) {
  uint64_t x = (i + seed) * 0x9e3779b97f4a7c15ull;
  x ^= x >> 29;
  return x * 0xbf58476d1ce4e5b9ull;
}

/* How many keys there are after a wave; wave 0: at first. */
static uint64_t size_after(const waves *w, uint32_t wave) {
  const uint64_t steps = wave <= WAVES / 2 ? wave : WAVES - wave;
  return w->rows + (w->max - w->rows) * steps / (WAVES / 2);
}

static rdx_column part(const waves *w, uint64_t begin, uint64_t end) {
  return (rdx_column){.type = RDX_TYPE_U64, .rows = end - begin, .values = w->keys + begin};
}

typedef struct again {
  const rdx_index *index;
  const rdx_column *probes;
} again;

static rdx_status look_up_unchecked(void *context, rdx_error *err) {
  const again *a = context;
  rdx_lookup_result *result = NULL;
  const rdx_status status =
      rdx_index_lookup(a->index, a->probes, &(rdx_lookup_params){.result = RDX_LOOKUP_FIRST}, &result, err);
  rdx_lookup_result_destroy(&result);
  return status;
}

/* Take the index from one size to the other; `*ms` is from call to return, with the keys on the device. */
static rdx_status update(const waves *w, const method *m, rdx_index *index, const rdx_column *probes, uint64_t from,
                         uint64_t to, double *ms, rdx_error *err) {
  const rdx_column column = !m->apply ? part(w, 0, to) : from < to ? part(w, from, to) : part(w, to, from);
  rdx_device_column *on_device = NULL;
  rdx_status status = rdx_device_column_create(w->b->device, &column, &on_device, err);
  if (status != RDX_OK)
    return status;
  const rdx_column view = rdx_device_column_view(on_device);
  const rdx_index_changes changes = {.insert = from < to ? &view : NULL, .remove = from < to ? NULL : &view};
  status = bench_wake_up(w->b, look_up_unchecked, &(again){index, probes}, err);
  const double start = bench_seconds();
  if (status == RDX_OK)
    status = m->apply ? rdx_index_apply(index, &changes, err) : rdx_index_update(index, &view, RDX_UPDATE_REBUILD, err);
  *ms = (bench_seconds() - start) * 1e3;
  rdx_device_column_destroy(&on_device);
  return status;
}

static rdx_status check(const waves *w, const rdx_lookup_view *found, rdx_error *err) {
  for (uint64_t i = 0; i < w->probes; i++)
    if (found->first[i] != w->expected[i])
      return console_error(err, RDX_ERROR_INTERNAL, "WRONG ANSWER: lookup %llu, of %llu: row %u instead of %u",
                           (unsigned long long)i, (unsigned long long)w->wanted[i], found->first[i], w->expected[i]);
  return RDX_OK;
}

static rdx_status look_up(const waves *w, const rdx_index *index, const rdx_column *probes, double *ms,
                          rdx_error *err) {
  rdx_lookup_result *result = NULL;
  rdx_lookup_view view;
  rdx_lookup_stats stats;
  rdx_status status = rdx_index_lookup(index, probes, &(rdx_lookup_params){.result = RDX_LOOKUP_FIRST}, &result, err);
  if (status == RDX_OK)
    status = rdx_lookup_result_view(result, &view, err);
  if (status == RDX_OK)
    status = check(w, &view, err);
  if (status == RDX_OK) {
    rdx_lookup_result_get_stats(result, &stats);
    *ms = stats.device_ms;
  }
  rdx_lookup_result_destroy(&result);
  return status;
}

/* Probes of a wave: keys that are there, and every eighth one that is not. */
static void make_probes(waves *w, uint64_t size, uint32_t wave) {
  for (uint64_t i = 0; i < w->probes; i++) {
    const bool miss = i % 8 == 0;
    const uint64_t row = bench_mix(i, wave) % size;
    w->wanted[i] = miss ? key_of(w->max + row, w->b->options.seed) : w->keys[row];
    w->expected[i] = miss ? RDX_NO_ROW : (uint32_t)row;
  }
}

static bench_row row_of(const waves *w, const method *m, uint32_t wave, const char *metric) {
  bench_row row = {.rows = size_after(w, wave), .probes = w->probes, .value = wave};
  snprintf(row.experiment, sizeof row.experiment, "%s", w->point->experiment);
  snprintf(row.device, sizeof row.device, "%s", w->b->info->name);
  snprintf(row.method, sizeof row.method, "%s", rdx_index_method_name(m->params.method));
  snprintf(row.variant, sizeof row.variant, "%s", m->variant);
  snprintf(row.keys, sizeof row.keys, "U64");
  snprintf(row.parameter, sizeof row.parameter, "wave");
  snprintf(row.metric, sizeof row.metric, "%s", metric);
  return row;
}

static rdx_status run_wave(waves *w, rdx_index **indexes, uint32_t wave, uint32_t run, rdx_error *err) {
  const uint64_t from = size_after(w, wave - 1), to = size_after(w, wave);
  rdx_device_column *on_device = NULL;
  rdx_status status = RDX_OK;
  make_probes(w, to, wave);
  const rdx_column probes = {.type = RDX_TYPE_U64, .rows = w->probes, .values = w->wanted};
  status = rdx_device_column_create(w->b->device, &probes, &on_device, err);
  if (status != RDX_OK)
    return status;
  const rdx_column view = rdx_device_column_view(on_device);
  for (uint32_t k = 0; k < w->count && status == RDX_OK; k++) {
    method *m = &w->methods[k];
    status = update(w, m, indexes[k], &view, from, to, &m->update_ms[wave - 1][run], err);
    if (status == RDX_OK)
      status = look_up(w, indexes[k], &view, &m->lookup_ms[wave - 1][run], err);
    const bench_row row = row_of(w, m, wave, "lookup_ms");
    status = bench_blame(status, &row, err);
  }
  rdx_device_column_destroy(&on_device);
  return status;
}

/* One history, all methods in turn. */
static rdx_status run_history(waves *w, uint32_t run, rdx_error *err) {
  rdx_index *indexes[MAX_METHODS] = {NULL};
  const rdx_column first = part(w, 0, w->rows);
  rdx_status status = RDX_OK;
  for (uint32_t k = 0; k < w->count && status == RDX_OK; k++)
    status = rdx_index_create(w->b->device, &first, &w->methods[k].params, &indexes[k], err);
  for (uint32_t wave = 1; wave <= WAVES && status == RDX_OK; wave++)
    status = run_wave(w, indexes, wave, run, err);
  for (uint32_t k = 0; k < w->count; k++)
    rdx_index_destroy(&indexes[k]);
  return status;
}

static rdx_status add(const waves *w, const method *m, uint32_t wave, const char *metric, double *samples,
                      rdx_error *err) {
  return bench_report_add(w->b->report, row_of(w, m, wave, metric), samples, w->b->options.runs, err);
}

static rdx_status report(waves *w, rdx_error *err) {
  rdx_status status = RDX_OK;
  for (uint32_t wave = 1; wave <= WAVES; wave++) {
    for (uint32_t k = 0; k < w->count && status == RDX_OK; k++) {
      method *m = &w->methods[k];
      status = add(w, m, wave, "build_ms", m->update_ms[wave - 1], err);
      if (status == RDX_OK)
        status = add(w, m, wave, "lookup_ms", m->lookup_ms[wave - 1], err);
    }
  }
  return status;
}

/* Of the runs of a wave, which the report has sorted. */
static double median(const waves *w, const double *samples) {
  const uint32_t n = w->b->options.runs;
  return (samples[(n - 1) / 2] + samples[n / 2]) / 2;
}

/* A line for each wave of each method that takes batches. */
static void print(const waves *w) {
  printf("\n%-15s %5s %10s %9s %-15s %10s %7s %9s %-15s %9s\n", "batches of", "wave", "keys", "apply ms", "rebuilding",
         "rebuild ms", "ratio", "Ml/s", "built fresh", "Ml/s");
  for (uint32_t k = 0; k < w->count; k++) {
    const method *m = &w->methods[k], *rebuilt = &w->methods[m->rivals[0]], *fresh = &w->methods[m->rivals[1]];
    for (uint32_t wave = 1; wave <= WAVES && m->apply; wave++) {
      const double apply_ms = median(w, m->update_ms[wave - 1]), rebuild_ms = median(w, rebuilt->update_ms[wave - 1]);
      const double probes = (double)w->probes / 1e3;
      printf("%-15s %5u %10llu %9.3f %-15s %10.3f %7.2f %9.2f %-15s %9.2f\n", rdx_index_method_name(m->params.method),
             wave, (unsigned long long)size_after(w, wave), apply_ms, rdx_index_method_name(rebuilt->params.method),
             rebuild_ms, rebuild_ms / apply_ms, probes / median(w, m->lookup_ms[wave - 1]),
             rdx_index_method_name(fresh->params.method), probes / median(w, fresh->lookup_ms[wave - 1]));
    }
  }
}

/* The methods of an experiment, and the forms of them that the command line asks for. */
static void set_methods(waves *w, const method *base, uint32_t count) {
  for (; w->count < count; w->count++)
    w->methods[w->count] = base[w->count];
  for (size_t i = 0; i < w->b->options.extra_count; i++) {
    for (uint32_t k = 0; k < count && w->count < MAX_METHODS; k++) {
      method *m = &w->methods[w->count];
      *m = base[k];
      if (!bench_extend_index(w->b, i, base[k].variant, &base[k].params, &m->params, m->name))
        continue;
      m->variant = m->name;
      w->count++;
    }
  }
}

/* All methods are measured where any is wanted: each needs its rival. */
static bool any_wanted(const waves *w) {
  bool wanted = false;
  for (uint32_t k = 0; k < w->count; k++)
    wanted |= bench_is_wanted(w->b, rdx_index_method_name(w->methods[k].params.method));
  return wanted;
}

static rdx_status run_all(waves *w, rdx_error *err) {
  w->keys = malloc(w->max * sizeof *w->keys);
  w->wanted = malloc(w->probes * sizeof *w->wanted);
  w->expected = malloc(w->probes * sizeof *w->expected);
  rdx_status status = RDX_OK;
  if (!w->keys || !w->wanted || !w->expected)
    status = console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
  for (uint64_t i = 0; i < w->max && status == RDX_OK; i++)
    w->keys[i] = key_of(i, w->b->options.seed);
  for (uint32_t run = 0; run <= w->b->options.runs && status == RDX_OK; run++) /* run 0 is not counted */
    status = run_history(w, run > 0 ? run - 1 : 0, err);
  if (status == RDX_OK)
    status = report(w, err);
  free(w->keys);
  free(w->wanted);
  free(w->expected);
  return status;
}

static rdx_status run_waves(bench *b, const bench_point *point, const method *base, uint32_t count, rdx_error *err) {
  if (!bench_has_time(b))
    return RDX_OK;
  waves *w = calloc(1, sizeof *w);
  if (!w)
    return console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
  w->b = b;
  w->point = point;
  w->rows = (uint64_t)1 << bench_at_least(b->log_keys, 1, 10);
  w->max = w->rows * 22 / 10;
  w->probes = (uint64_t)1 << bench_at_least(b->log_probes, 3, 10);
  set_methods(w, base, count);
  const rdx_status status = any_wanted(w) ? run_all(w, err) : RDX_OK;
  if (status == RDX_OK && any_wanted(w))
    print(w);
  free(w);
  return status;
}

/* cgRX, Figure 15 "Updating cgRX vs rebuilding it from scratch". */
rdx_status bench_cgrx_updates(bench *b, const bench_point *point, rdx_error *err) {
  static const method methods[] = {
      {.params.method = RDX_INDEX_BTREE, .variant = "batch", .apply = true, .rivals = {1, 1}},
      {.params.method = RDX_INDEX_TREE, .variant = "rebuild"},
      {.params.method = RDX_INDEX_CGRX_UPDATABLE, .variant = "batch", .apply = true, .rivals = {3, 4}},
      {.params.method = RDX_INDEX_CGRX, .variant = "rebuild"},
      {.params.method = RDX_INDEX_CGRX_UPDATABLE, .variant = "rebuild"}};
  const bool rays = b->info->tracing != RDX_TRACING_NONE;
  return run_waves(b, point, methods, rays ? sizeof methods / sizeof *methods : 2, err);
}

#define NODES(words, ...)                                                                                              \
  {                                                                                                                    \
    .params = {.method = RDX_INDEX_CGRX_UPDATABLE, .cgrx_updatable = {__VA_ARGS__}}, .variant = (words),               \
    .apply = true, .rivals = {                                                                                         \
      REBUILT,                                                                                                         \
      REBUILT                                                                                                          \
    }                                                                                                                  \
  }
#define REBUILT 0 /* the first of these */

/* The same waves by nodes of other sizes, searched entry by entry, and behind the naive representation. */
rdx_status bench_cgrx_nodes(bench *b, const bench_point *point, rdx_error *err) {
  static const method methods[] = {{.params.method = RDX_INDEX_CGRX_UPDATABLE, .variant = "rebuild"},
                                   NODES("8", .node_size = 8),
                                   NODES("8, linear", .node_size = 8, .search = RDX_CGRX_SEARCH_LINEAR),
                                   NODES("16", .node_size = 16),
                                   NODES("16, linear", .node_size = 16, .search = RDX_CGRX_SEARCH_LINEAR),
                                   NODES("32", .node_size = 32),
                                   NODES("32, linear", .node_size = 32, .search = RDX_CGRX_SEARCH_LINEAR),
                                   NODES("32, naive", .node_size = 32, .representation = RDX_CGRX_REPRESENTATION_NAIVE),
                                   NODES("64", .node_size = 64),
                                   NODES("64, linear", .node_size = 64, .search = RDX_CGRX_SEARCH_LINEAR),
                                   NODES("256", .node_size = 256),
                                   NODES("1024", .node_size = 1024)};
  const bool rays = b->info->tracing != RDX_TRACING_NONE;
  return rays ? run_waves(b, point, methods, sizeof methods / sizeof *methods, err) : RDX_OK;
}
