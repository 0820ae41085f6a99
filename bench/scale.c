/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Every method at sizes that grow, alone on the device: build time, bytes, rate, each answer checked. What a device has
 * no room for, or a method does not do, is refused by it and noted. */

#include "bench/bench.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const bench_method indexes[] = {
    {"", {.method = RDX_INDEX_TREE}},       {"", {.method = RDX_INDEX_HASH}},
    {"", {.method = RDX_INDEX_BTREE}},      {"", {.method = RDX_INDEX_SORTED_ARRAY}},
    {"", {.method = RDX_INDEX_CGRX}},       {"", {.method = RDX_INDEX_CGRX_UPDATABLE}},
    {"", {.method = RDX_INDEX_CGRX_NAIVE}}, {"", {.method = RDX_INDEX_RX_OPTIMIZED}},
    {"", {.method = RDX_INDEX_RX}},
};

/* log2 of keys and of rows; those above --scale, or what is usual for the kind of device, are left out. */
static const uint32_t sizes[] = {10, 13, 20, 22, 24, 26, 28, 30, 31};
static const double factors[] = {0.01, 1, 20, 100};

/* Do `run` at each size. */
static rdx_status at_sizes(bench *b, const bench_point *point,
                           rdx_status (*run)(bench *b, const bench_point *point, uint32_t log, rdx_error *err),
                           rdx_error *err) {
  const bool gpu = b->info->backend == RDX_BACKEND_VULKAN && !b->info->emulated;
  const uint32_t max = b->options.scale ? b->options.scale : gpu ? 31 : b->info->emulated ? 13 : 24;
  const uint32_t min = max >= 20 ? 20 : 0;
  rdx_status status = RDX_OK;
  for (size_t i = 0; i < COUNT(sizes) && status == RDX_OK; i++) {
    const bench_point here = bench_at(point, "log2 of the rows", sizes[i]);
    if (sizes[i] >= min && sizes[i] <= max)
      status = run(b, &here, sizes[i], err);
  }
  return status;
}

static rdx_status lookups_of(bench *b, const bench_point *point, uint32_t log, rdx_error *err) {
  enum { MAX_PROBES = 28 };
  const bench_spec spec = {.log_rows = log, .log_probes = log < MAX_PROBES ? log : MAX_PROBES, .first = true};
  const rdx_status status =
      bench_measure(b, point, &spec, indexes, COUNT(indexes), BENCH_LOOKUPS | BENCH_BUILDS | BENCH_ALONE, err);
  bench_report_print(b->report, point->experiment);
  return status;
}

rdx_status bench_scale_lookups(bench *b, const bench_point *point, rdx_error *err) {
  return at_sizes(b, point, lookups_of, err);
}

rdx_status bench_scale_scans(bench *b, const bench_point *point, rdx_error *err) {
  return at_sizes(b, point, bench_scans_of, err);
}

rdx_status bench_scale_stars(bench *b, const bench_point *point, rdx_error *err) {
  const bool gpu = b->info->backend == RDX_BACKEND_VULKAN && !b->info->emulated;
  const double max = b->options.scale_factor > 0 ? b->options.scale_factor : gpu ? 100 : b->info->emulated ? 0.01 : 1;
  const double min = max >= 1 ? 1 : 0;
  rdx_status status = RDX_OK;
  if (b->options.data)
    return bench_stars_alone(b, point, err);
  for (size_t i = 0; i < COUNT(factors) && status == RDX_OK; i++) {
    if (factors[i] < min || factors[i] > max)
      continue;
    ssb_star_close(&b->star);
    b->scale_factor = factors[i];
    status = bench_stars_alone(b, point, err);
    bench_report_print(b->report, point->experiment);
  }
  return status;
}
