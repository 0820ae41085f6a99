/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* RTIndeX, table 4: some keys change places, the index follows by refit or rebuild, and lookups show what that did to
 * the scene. */

#include "bench/bench.h"

#include <stdlib.h>
#include <string.h>

typedef struct updates {
  bench *b;
  const bench_point *point;
  bench_workload w;
  uint32_t *changed; /* the keys after the swaps */
  uint32_t *row_of;  /* the row of each key in w.keys */
  rdx_index_params params;
  char form[BENCH_VARIANT]; /* that the command line asks for; "": the default */
  bool looks;               /* measure lookups, too */
  double lookup_ms;         /* the last that were measured */
} updates;

#define LONG_MS 250 /* lookups take up to 40 times as long after 16 times as many swaps of positions */

/* RX, Table 4 "We swap pairs of adjacent positions in the buffer". */
/* Swap `count` pairs of neighbours, in the column or in the order of the keys (which are dense). */
static void swap_keys(updates *u, uint64_t count, bool positions) {
  const uint32_t *keys = u->w.keys;
  memcpy(u->changed, keys, u->w.rows * sizeof *keys);
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t at = u->w.rows / count * i;
    const uint64_t a = positions ? at : u->row_of[at], b = positions ? at + 1 : u->row_of[at + 1];
    u->changed[a] = keys[b];
    u->changed[b] = keys[a];
  }
}

static bench_row row_of(const updates *u, const char *variant, uint64_t count, const char *metric) {
  bench_row row = {.rows = u->w.rows, .probes = u->w.probes, .value = (double)count};
  snprintf(row.experiment, sizeof row.experiment, "%s", u->point->experiment);
  snprintf(row.device, sizeof row.device, "%s", u->b->info->name);
  snprintf(row.method, sizeof row.method, "rx");
  snprintf(row.variant, sizeof row.variant, "%s%s%.40s", variant, u->form[0] ? ", " : "", u->form);
  snprintf(row.keys, sizeof row.keys, "D32");
  snprintf(row.parameter, sizeof row.parameter, "swaps");
  snprintf(row.metric, sizeof row.metric, "%s", metric);
  return row;
}

static rdx_status add(const updates *u, const char *variant, uint64_t count, const char *metric, double *samples,
                      rdx_error *err) {
  return bench_report_add(u->b->report, row_of(u, variant, count, metric), samples, u->b->options.runs, err);
}

/* The answers for the changed keys: the values stay with their rows. */
static rdx_status expect(updates *u, rdx_error *err) {
  bench_workload *w = &u->w;
  uint32_t *value_of = malloc(w->rows * sizeof *value_of);
  if (!value_of)
    return console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
  for (uint64_t row = 0; row < w->rows; row++)
    value_of[u->changed[row]] = w->values[row];
  for (uint64_t i = 0; i < w->probes; i++)
    w->sums[i] = value_of[((const uint32_t *)w->lower)[i]];
  free(value_of);
  return RDX_OK;
}

static rdx_status run_one(updates *u, const char *variant, uint64_t count, bool positions, rdx_update_mode mode,
                          rdx_error *err) {
  const bench_workload *w = &u->w;
  rdx_index_params params = u->params;
  params.rx.updatable = mode == RDX_UPDATE_REFIT;
  const rdx_column before = {.type = RDX_TYPE_U32, .rows = w->rows, .values = w->keys};
  const rdx_column after = {.type = RDX_TYPE_U32, .rows = w->rows, .values = u->changed};
  const rdx_column values = {.type = RDX_TYPE_U32, .rows = w->rows, .values = w->values};
  const rdx_column probes = {.type = RDX_TYPE_U32, .rows = w->probes, .values = w->lower};
  rdx_device_column *on_device[4] = {NULL};
  const rdx_column *const columns[4] = {&before, &after, &values, &probes};
  double update_ms[BENCH_MAX_RUNS], scene_ms[BENCH_MAX_RUNS], lookup_ms[BENCH_MAX_RUNS], ignored = 0;
  swap_keys(u, count, positions);
  rdx_status status = expect(u, err);
  for (int i = 0; i < 4 && status == RDX_OK; i++)
    status = rdx_device_column_create(u->b->device, columns[i], &on_device[i], err);
  for (uint32_t r = 0; r <= u->b->options.runs && status == RDX_OK; r++) { /* run 0 is not counted */
    const uint32_t at = r > 0 ? r - 1 : 0;
    const rdx_column v[4] = {rdx_device_column_view(on_device[0]), rdx_device_column_view(on_device[1]),
                             rdx_device_column_view(on_device[2]), rdx_device_column_view(on_device[3])};
    rdx_index *index = NULL;
    rdx_index_stats stats;
    status = rdx_index_create(u->b->device, &v[0], &params, &index, err);
    if (status == RDX_OK)
      status = rdx_index_update(index, &v[1], mode, err);
    if (status == RDX_OK) {
      rdx_index_get_stats(index, &stats);
      update_ms[at] = stats.total_ms;
      scene_ms[at] = stats.encode_ms + stats.scene_ms + stats.compact_ms;
    }
    if (status == RDX_OK && u->looks) {
      status = bench_lookup(w, index, &(bench_probes){.lower = &v[3], .values = &v[2]}, &lookup_ms[at], &ignored, err);
    }
    rdx_index_destroy(&index);
  }
  for (int i = 0; i < 4; i++)
    rdx_device_column_destroy(&on_device[i]);
  const bench_row row = row_of(u, variant, count, "lookup_ms");
  status = bench_blame(status, &row, err);
  if (status == RDX_OK)
    status = add(u, variant, count, "build_ms", update_ms, err);
  if (status == RDX_OK)
    status = add(u, variant, count, "scene_ms", scene_ms, err);
  if (status == RDX_OK && u->looks) {
    status = add(u, variant, count, "lookup_ms", lookup_ms, err);
    u->lookup_ms = lookup_ms[0];
  }
  return status;
}

static rdx_status run_form(updates *u, rdx_error *err) {
  rdx_status status = RDX_OK;
  bool looks = true;
  for (uint32_t log = 0; log <= 16 && log + 2 < u->w.spec.log_rows && status == RDX_OK; log += 4) {
    u->looks = looks;
    status = run_one(u, "refit positions", (uint64_t)1 << log, true, RDX_UPDATE_REFIT, err);
    looks = looks && u->lookup_ms < LONG_MS;
    u->looks = true;
    if (status == RDX_OK)
      status = run_one(u, "refit neighbours", (uint64_t)1 << log, false, RDX_UPDATE_REFIT, err);
  }
  return status == RDX_OK ? run_one(u, "rebuild", 16, true, RDX_UPDATE_REBUILD, err) : status;
}

rdx_status bench_updates(bench *b, const bench_point *point, rdx_error *err) {
  if (!bench_is_wanted(b, "rx"))
    return RDX_OK;
  if (!bench_has_time(b))
    return RDX_OK;
  const rdx_index_params base = {.method = RDX_INDEX_RX};
  updates u = {.b = b, .point = point, .params = base};
  /* After many swaps of positions a lookup meets large parts of the scene: few of them tell. */
  const uint32_t log_rows = b->log_keys > 12 ? b->log_keys - 1 : b->log_keys;
  const bench_spec spec = {.log_rows = log_rows, .log_probes = b->log_probes > 18 ? b->log_probes - 8 : 10};
  rdx_status status = bench_workload_create(&spec, b->options.seed, &u.w, err);
  if (status != RDX_OK)
    return status;
  u.changed = malloc(u.w.rows * sizeof *u.changed);
  u.row_of = malloc(u.w.rows * sizeof *u.row_of);
  if (!u.changed || !u.row_of)
    status = console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
  for (uint64_t row = 0; row < u.w.rows && status == RDX_OK; row++)
    u.row_of[((const uint32_t *)u.w.keys)[row]] = (uint32_t)row;
  if (status == RDX_OK)
    status = run_form(&u, err);
  for (size_t i = 0; i < b->options.extra_count && status == RDX_OK; i++)
    if (bench_extend_index(b, i, "", &base, &u.params, u.form))
      status = run_form(&u, err);
  free(u.changed);
  free(u.row_of);
  bench_workload_destroy(&u.w);
  return status;
}
