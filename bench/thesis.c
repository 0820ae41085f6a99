/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The thesis on the optimized RX, sections 5.11 to 5.16: sorting the lookups first, alone and with all methods side by
 * side. Sorting is part of every time. */

#include "bench/bench.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define METHOD(kind_)                                                                                                  \
  {                                                                                                                    \
    "", {                                                                                                              \
      .method = kind_                                                                                                  \
    }                                                                                                                  \
  }
#define CGRX(name, bits)                                                                                               \
  {                                                                                                                    \
    name, {                                                                                                            \
      .method = RDX_INDEX_CGRX, .cgrx.bucket_size = 1u << (bits)                                                       \
    }                                                                                                                  \
  }

/* Those of table 5.4, and the tree; hash tables, which have no ranges, come last. */
static const bench_method all[] = {METHOD(RDX_INDEX_RX_OPTIMIZED), CGRX("bucket 32", 5),        CGRX("bucket 256", 8),
                                   METHOD(RDX_INDEX_SORTED_ARRAY), METHOD(RDX_INDEX_BTREE),     METHOD(RDX_INDEX_TREE),
                                   METHOD(RDX_INDEX_HASH),         METHOD(RDX_INDEX_RADIX_HASH)};
#define ORDERED (COUNT(all) - 2)

static uint32_t log_rows(const bench *b) {
  return bench_at_least(b->log_keys, 1, 12);
}

static uint32_t log_probes(const bench *b) {
  return bench_at_least(b->log_probes, 3, 10);
}

/* thesis, Table 5.4 "Description of methods used in the experiment". */
/* thesis, Table 5.5 "Sorting settings for different methods". */
static rdx_status measure_all(bench *b, const bench_point *point, const char *parameter, double value, bench_spec spec,
                              rdx_error *err) {
  const bench_point here = bench_at(point, parameter, value);
  if (spec.log_rows == 0)
    spec.log_rows = log_rows(b);
  if (spec.log_probes == 0)
    spec.log_probes = log_probes(b);
  return bench_measure(b, &here, &spec, all, spec.range > 0 ? ORDERED : COUNT(all), BENCH_LOOKUPS | BENCH_SORT, err);
}

/* ---- Section 5.12 ---- */

/* thesis, Figure 5.12 "Total Probe Time Comparison Varied for Point Query by log probe size". */
/* thesis, Figure 5.13 "Total Probe Time + Sort Time Comparison Varied for Range Query by log probe size". */
rdx_status bench_thesis_sorted_probes(bench *b, const bench_point *point, rdx_error *err) {
  static const bench_method methods[] = {METHOD(RDX_INDEX_RX_OPTIMIZED), METHOD(RDX_INDEX_RX),
                                         METHOD(RDX_INDEX_CGRX),         METHOD(RDX_INDEX_SORTED_ARRAY),
                                         METHOD(RDX_INDEX_TREE),         METHOD(RDX_INDEX_BTREE)};
  const unsigned what = BENCH_LOOKUPS | BENCH_SORT_OR_NOT;
  const uint32_t rows = log_rows(b), max = log_probes(b);
  rdx_status status = RDX_OK;
  for (uint32_t log = bench_at_least(max, 4, 8); log <= max && status == RDX_OK; log += 2) {
    const bench_spec points = {.keys = BENCH_U32, .log_rows = rows, .log_probes = log};
    const bench_spec ranges = {.log_rows = rows, .log_probes = bench_at_least(log, 4, 6), .range = 1u << 8};
    const bench_point of_points = bench_at(point, "points", bench_power(log));
    const bench_point of_ranges = bench_at(point, "ranges", bench_power(ranges.log_probes));
    status = bench_measure(b, &of_points, &points, methods, COUNT(methods), what, err);
    if (status == RDX_OK)
      status = bench_measure(b, &of_ranges, &ranges, methods, COUNT(methods), what, err);
  }
  return status;
}

/* ---- Section 5.16 ---- */

/* thesis, Figure 5.15 "Probe time + sort time for query set Comparison Varied by log build size". */
/* thesis, Figure 5.16 "Probe Time Comparison Varied by sort_insert and log build size". */
/* thesis, Figure 5.17 "Build Size Comparison Varied by log build size". */
/* thesis, Figure 5.18 "Build Time Comparison Varied by log build size". */
rdx_status bench_thesis_sizes(bench *b, const bench_point *point, rdx_error *err) {
  for (uint32_t log = bench_at_least(log_rows(b), 8, 8); log <= log_rows(b); log += 2) {
    for (int sorted = 0; sorted < 2; sorted++) {
      const bench_spec spec = {.keys = BENCH_U32, .log_rows = log, .log_probes = log_probes(b), .sorted_keys = sorted};
      const bench_point here = bench_at(point, sorted ? "sorted keys" : "keys", bench_power(log));
      const rdx_status status =
          bench_measure(b, &here, &spec, all, COUNT(all), BENCH_LOOKUPS | BENCH_BUILDS | BENCH_SORT_OR_NOT, err);
      if (status != RDX_OK)
        return status;
    }
  }
  return RDX_OK;
}

/* thesis, Figure 5.19 "Probe Time Comparison for Point Query Varied by log probe size". */
/* thesis, Figure 5.24 "Probe Time Comparison for Basic Range Query Experiment Varied by log probe size". */
rdx_status bench_thesis_lookups(bench *b, const bench_point *point, rdx_error *err) {
  const uint32_t max = log_probes(b);
  rdx_status status = RDX_OK;
  for (uint32_t log = bench_at_least(max, 8, 4); log <= max && status == RDX_OK; log += 2) {
    const uint32_t ranges = bench_at_least(log, 4, 4);
    status = measure_all(b, point, "points", bench_power(log), (bench_spec){.keys = BENCH_U32, .log_probes = log}, err);
    if (status == RDX_OK)
      status = measure_all(b, point, "ranges", bench_power(ranges),
                           (bench_spec){.log_probes = ranges, .range = 1u << 8}, err);
  }
  return status;
}

/* thesis, Figure 5.20 "Probe Time Comparison for Point Query Varied by log key multiplicity". */
rdx_status bench_thesis_multiplicity(bench *b, const bench_point *point, rdx_error *err) {
  rdx_status status = RDX_OK;
  for (uint32_t log = 0; log <= 10 && log + 2 < log_rows(b) && status == RDX_OK; log += 2)
    status =
        measure_all(b, point, "multiplicity", bench_power(log),
                    (bench_spec){.log_probes = bench_at_least(log_probes(b), log, 8), .log_multiplicity = log}, err);
  return status;
}

/* thesis, Figure 5.21 "Probe Time Comparison for Point Query Varied by Key Uniformity". */
rdx_status bench_thesis_uniformity(bench *b, const bench_point *point, rdx_error *err) {
  rdx_status status = RDX_OK;
  for (int percent = 0; percent <= 100 && status == RDX_OK; percent += 25)
    status = measure_all(b, point, "uniformity", percent, (bench_spec){.keys = BENCH_U32, .dense = 1 - percent / 100.0},
                         err);
  return status;
}

/* thesis, Figure 5.22 "Probe Time Comparison for Point Query Varied by miss percentages". */
rdx_status bench_thesis_misses(bench *b, const bench_point *point, rdx_error *err) {
  rdx_status status = RDX_OK;
  for (int i = 0; i < 10 && status == RDX_OK; i++) { /* misses between the keys, then above all */
    const double misses = i % 5 / 4.0;
    status = measure_all(b, point, "hit rate", 1 - misses,
                         (bench_spec){.keys = i < 5 ? BENCH_U32 : BENCH_D32, .miss_rate = misses}, err);
  }
  return status;
}

/* thesis, Figure 5.23 "Probe Time Comparison for Point Query Varied by zipf coefficient". */
rdx_status bench_thesis_skew(bench *b, const bench_point *point, rdx_error *err) {
  rdx_status status = RDX_OK;
  for (int halves = 0; halves <= 10 && status == RDX_OK; halves += halves < 4 ? 1 : 2)
    status = measure_all(b, point, "zipf", halves / 2.0, (bench_spec){.keys = BENCH_U32, .zipf = halves / 2.0}, err);
  return status;
}

/* thesis, Figure 5.25 "Probe Time Comparison for Range Query Experiment Varied by log expected hit". */
rdx_status bench_thesis_hits(bench *b, const bench_point *point, rdx_error *err) {
  rdx_status status = RDX_OK;
  for (uint32_t log = 2; log <= 10 && log + 2 < log_rows(b) && status == RDX_OK; log += 2)
    status =
        measure_all(b, point, "hits", bench_power(log),
                    (bench_spec){.log_probes = bench_at_least(log_probes(b), 4, 6), .range = (uint64_t)1 << log}, err);
  return status;
}

/* ---- cgRX: the same methods with lookups as they come ---- */

/* cgRX, Figure 11b "shift the focus to the point-lookup performance of all methods". */
rdx_status bench_cgrx_uniformity(bench *b, const bench_point *point, rdx_error *err) {
  static const bench_method methods[] = {
      METHOD(RDX_INDEX_RX),   CGRX("bucket 4", 2),          METHOD(RDX_INDEX_CGRX),         CGRX("bucket 64", 6),
      CGRX("bucket 256", 8),  METHOD(RDX_INDEX_CGRX_NAIVE), METHOD(RDX_INDEX_SORTED_ARRAY), METHOD(RDX_INDEX_BTREE),
      METHOD(RDX_INDEX_HASH), METHOD(RDX_INDEX_TREE)};
  for (bench_keys keys = BENCH_U32; keys <= BENCH_U64; keys++) {
    for (int percent = 0; percent <= 100; percent += 20) {
      const bench_spec spec = {
          .keys = keys, .log_rows = b->log_keys, .log_probes = b->log_probes, .dense = 1 - percent / 100.0};
      const bench_point here = bench_at(point, "uniformity", percent);
      const rdx_status status =
          bench_measure(b, &here, &spec, methods, COUNT(methods), BENCH_LOOKUPS | BENCH_BUILDS, err);
      if (status != RDX_OK)
        return status;
    }
  }
  return RDX_OK;
}
