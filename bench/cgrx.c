/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The experiments of cgRX, sections 5 and 6, and of the thesis on the optimized RX, chapter 5. */

#include "bench/bench.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define CGRX RDX_INDEX_CGRX
#define NAIVE RDX_INDEX_CGRX_NAIVE
#define OPTIMIZED RDX_INDEX_RX_OPTIMIZED
#define PLAIN .cgrx.mapping = RDX_CGRX_MAPPING_PLAIN
#define SCALED .cgrx.mapping = RDX_CGRX_MAPPING_SCALED
#define COMPACT .cgrx.mapping = RDX_CGRX_MAPPING_COMPACT

static const bench_method all[] = {
    {"", {.method = RDX_INDEX_RX}},   {"", {.method = OPTIMIZED}},       {"", {.method = CGRX}},
    {"", {.method = RDX_INDEX_HASH}}, {"", {.method = RDX_INDEX_BTREE}}, {"", {.method = RDX_INDEX_SORTED_ARRAY}},
    {"", {.method = RDX_INDEX_TREE}},
};

/* The same, and cgRX with buckets of the sizes of figure 11. */
static const bench_method all_sizes[] = {
    {"", {.method = RDX_INDEX_RX}},
    {"", {.method = OPTIMIZED}},
    {"bucket 4", {.method = CGRX, .cgrx.bucket_size = 4}},
    {"", {.method = CGRX}},
    {"bucket 64", {.method = CGRX, .cgrx.bucket_size = 64}},
    {"bucket 256", {.method = CGRX, .cgrx.bucket_size = 256}},
    {"", {.method = RDX_INDEX_HASH}},
    {"", {.method = RDX_INDEX_BTREE}},
    {"", {.method = RDX_INDEX_SORTED_ARRAY}},
    {"", {.method = RDX_INDEX_TREE}},
};

/* Those that answer ranges. */
static const bench_method ordered[] = {
    {"", {.method = RDX_INDEX_RX}},
    {"", {.method = OPTIMIZED}},
    {"", {.method = CGRX}},
    {"bucket 256", {.method = CGRX, .cgrx.bucket_size = 256}},
    {"", {.method = RDX_INDEX_BTREE}},
    {"", {.method = RDX_INDEX_SORTED_ARRAY}},
    {"", {.method = RDX_INDEX_TREE}},
};

/* ---- cgRX ---- */

/* cgRX, Figure 8 "Impact of key mapping on the naive and optimized representation". */
rdx_status bench_cgrx_mapping(bench *b, const bench_point *point, rdx_error *err) {
  static const uint32_t buckets[] = {4, 16, 256, 65536};
  bench_method methods[] = {
      {"plain", {.method = NAIVE, PLAIN}},  {"scaled", {.method = NAIVE, SCALED}},
      {"compact", {.method = NAIVE}},       {"plain", {.method = CGRX, PLAIN}},
      {"scaled", {.method = CGRX, SCALED}}, {"compact", {.method = CGRX, COMPACT}},
      {"covering", {.method = CGRX}},
  };
  for (size_t i = 0; i < 3 * COUNT(buckets); i++) {
    for (size_t k = 0; k < COUNT(methods); k++)
      methods[k].params.cgrx.bucket_size = buckets[i % COUNT(buckets)];
    const bench_spec spec = {.keys = (bench_keys)(BENCH_D32 + i / COUNT(buckets)),
                             .log_rows = bench_at_least(b->log_keys, 1, 10),
                             .log_probes = bench_at_least(b->log_probes, 3, 10)};
    const bench_point here = bench_at(point, "bucket size", buckets[i % COUNT(buckets)]);
    const rdx_status status =
        bench_measure(b, &here, &spec, methods, COUNT(methods), BENCH_LOOKUPS | BENCH_BUILDS, err);
    if (status != RDX_OK)
      return status;
  }
  return RDX_OK;
}

/* cgRX, Table 1 "Impact of bucket config. for a uniformity of 100%". */
rdx_status bench_cgrx_bucket_search(bench *b, const bench_point *point, rdx_error *err) {
  static const uint32_t sizes[] = {4, 16, 256, 65536};
  static const char *const names[2][3] = {{"binary column", "binary aligned", "binary packed"},
                                          {"linear column", "linear aligned", "linear packed"}};
  for (size_t i = 0; i < COUNT(sizes); i++) {
    bench_method methods[6];
    for (int k = 0; k < 6; k++)
      methods[k] = (bench_method){names[k / 3][k % 3],
                                  {.method = CGRX,
                                   .cgrx = {.bucket_size = sizes[i],
                                            .layout = (rdx_cgrx_layout)(RDX_CGRX_LAYOUT_COLUMN + k % 3),
                                            .search = (rdx_cgrx_search)(k / 3)}}};
    /* A linear search of a large bucket takes very long: few lookups tell. */
    const uint32_t log_probes = sizes[i] > 256 ? bench_at_least(b->log_probes, 10, 8) : b->log_probes;
    const bench_spec spec = {.keys = BENCH_U64, .log_rows = b->log_keys, .log_probes = log_probes};
    const bench_point here = bench_at(point, "bucket size", sizes[i]);
    const rdx_status status = bench_measure(b, &here, &spec, methods, 6, BENCH_LOOKUPS, err);
    if (status != RDX_OK)
      return status;
  }
  return RDX_OK;
}

/* cgRX, Figure 10a "shows the construction time of cgRX". */
/* cgRX, Figure 10b "breakdown of the point-lookup time while varying the bucket size". */
rdx_status bench_cgrx_bucket_size(bench *b, const bench_point *point, rdx_error *err) {
  for (bench_keys keys = BENCH_U32; keys <= BENCH_U64; keys++) {
    for (uint32_t log = 1; log <= 16; log += log < 6 ? 1 : 5) {
      /* RX, which has no buckets, is a line of the figure. */
      const bench_method methods[] = {{"", {.method = CGRX, .cgrx.bucket_size = 1u << log}},
                                      {"", {.method = RDX_INDEX_RX}}};
      const bench_spec spec = {.keys = keys, .log_rows = b->log_keys, .log_probes = b->log_probes};
      const bench_point here = bench_at(point, "bucket size", bench_power(log));
      const rdx_status status = bench_measure(b, &here, &spec, methods, log == 1 || log == 16 ? 2 : 1,
                                              BENCH_LOOKUPS | BENCH_BUILDS | BENCH_STEPS, err);
      if (status != RDX_OK)
        return status;
    }
  }
  return RDX_OK;
}

/* cgRX, Figure 11c "throughput of each method as entries per second". */
/* cgRX, Figure 11a "permanent memory footprint of all methods". */
rdx_status bench_cgrx_memory(bench *b, const bench_point *point, rdx_error *err) {
  for (bench_keys keys = BENCH_U32; keys <= BENCH_U64; keys++) {
    const bench_spec spec = {.keys = keys, .log_rows = b->log_keys, .log_probes = b->log_probes};
    const bench_point here = bench_at(point, "unsorted", -1);
    const rdx_status status =
        bench_measure(b, &here, &spec, all_sizes, COUNT(all_sizes), BENCH_LOOKUPS | BENCH_BUILDS | BENCH_PER_BYTE, err);
    if (status != RDX_OK)
      return status;
  }
  return RDX_OK;
}

static rdx_status run_ranges(bench *b, const bench_point *point, const bench_method *methods, size_t count,
                             rdx_error *err) {
  const uint32_t rows = bench_at_least(b->log_keys, 3, 12);
  for (uint32_t log = 0; log <= 10 && log < rows; log += 2) {
    const bench_spec spec = {
        .log_rows = rows, .log_probes = bench_at_least(b->log_probes, 7, 8), .range = (uint64_t)1 << log};
    const bench_point here = bench_at(point, "hits", bench_power(log));
    const rdx_status status = bench_measure(b, &here, &spec, methods, count, BENCH_LOOKUPS, err);
    if (status != RDX_OK)
      return status;
  }
  return RDX_OK;
}

/* cgRX, Figure 12 "Range-lookups on a dense 23-bit key range". */
rdx_status bench_cgrx_range(bench *b, const bench_point *point, rdx_error *err) {
  return run_ranges(b, point, ordered, COUNT(ordered), err);
}

/* cgRX, Figure 13 "Varying the hit ratio". */
/* cgRX, Figure 13 "ones that lie outside of that range". */
rdx_status bench_cgrx_hit_rate(bench *b, const bench_point *point, rdx_error *err) {
  static const double rates[] = {1, 0.9, 0.5, 0.1, 0};
  for (size_t i = 0; i < 2 * COUNT(rates); i++) { /* misses between the keys, then above all */
    const bench_spec spec = {.keys = i < COUNT(rates) ? BENCH_U32 : BENCH_D32,
                             .log_rows = b->log_keys,
                             .log_probes = b->log_probes,
                             .miss_rate = 1 - rates[i % COUNT(rates)]};
    const bench_point here = bench_at(point, "hit rate", rates[i % COUNT(rates)]);
    const rdx_status status = bench_measure(b, &here, &spec, all, COUNT(all), BENCH_LOOKUPS, err);
    if (status != RDX_OK)
      return status;
  }
  return RDX_OK;
}

/* cgRX, Figure 14 "Varying the skew of lookups". */
rdx_status bench_cgrx_skew(bench *b, const bench_point *point, rdx_error *err) {
  static const double coefficients[] = {0, 0.5, 1, 1.5, 2, 3, 5};
  for (size_t i = 0; i < COUNT(coefficients); i++) {
    const bench_spec spec = {
        .keys = BENCH_U32, .log_rows = b->log_keys, .log_probes = b->log_probes, .zipf = coefficients[i]};
    const bench_point here = bench_at(point, "zipf", coefficients[i]);
    const rdx_status status = bench_measure(b, &here, &spec, all, COUNT(all), BENCH_LOOKUPS, err);
    if (status != RDX_OK)
      return status;
  }
  return RDX_OK;
}

/* ---- The thesis ---- */

/* thesis, Figure 5.7 "Probe Time Comparison Varied by Log Sub BVHs". */
/* thesis, Figure 5.8 "Build Size Comparison Varied by Log Sub BVHs". */
/* thesis, Figure 5.9 "Build Time Comparison Varied by Log Sub BVHs". */
rdx_status bench_thesis_partitions(bench *b, const bench_point *point, rdx_error *err) {
  for (uint32_t log = 0; log <= 8; log += 2) {
    const bench_method methods[] = {
        {"triangles", {.method = OPTIMIZED, .rx_optimized = {.primitive = RDX_RX_TRIANGLE, .partitions = 1u << log}}},
        {"boxes", {.method = OPTIMIZED, .rx_optimized = {.primitive = RDX_RX_BOX, .partitions = 1u << log}}}};
    const bench_spec spec = {.keys = BENCH_U32,
                             .log_rows = bench_at_least(b->log_keys, 1, 10),
                             .log_probes = bench_at_least(b->log_probes, 3, 10)};
    const bench_point here = bench_at(point, "partitions", bench_power(log));
    const rdx_status status =
        bench_measure(b, &here, &spec, methods, COUNT(methods), BENCH_LOOKUPS | BENCH_BUILDS, err);
    if (status != RDX_OK)
      return status;
  }
  return RDX_OK;
}

/* thesis, Figure 5.6 "Point Query Probe Time Comparison Varied by Log Num Multiplicity". */
/* thesis, Figure 5.10 "Probe Time Comparison Varied by Log Key Multiplicity". */
/* thesis, Figure 5.11 "Compression Time Comparison Varied by Log Key Multiplicity". */
rdx_status bench_thesis_compression(bench *b, const bench_point *point, rdx_error *err) {
  static const bench_method methods[] = {
      {"compressed", {.method = OPTIMIZED}},
      {"all triangles", {.method = OPTIMIZED, .rx_optimized.compression = RDX_SWITCH_OFF}},
      {"", {.method = RDX_INDEX_RX}},
  };
  const uint32_t rows = bench_at_least(b->log_keys, 3, 12);
  for (uint32_t log = 0; log <= 10 && log < rows; log += 2) {
    const bench_spec spec = {
        .log_rows = rows, .log_probes = bench_at_least(b->log_probes, 7, 8), .log_multiplicity = log};
    const bench_point here = bench_at(point, "multiplicity", bench_power(log));
    const rdx_status status =
        bench_measure(b, &here, &spec, methods, COUNT(methods), BENCH_LOOKUPS | BENCH_BUILDS, err);
    if (status != RDX_OK)
      return status;
  }
  return RDX_OK;
}

/* thesis, Figure 5.5 "Range Query Probe Time Comparison Varied by Log Expected Hits". */
rdx_status bench_thesis_range(bench *b, const bench_point *point, rdx_error *err) {
  static const bench_method methods[] = {{"original", {.method = RDX_INDEX_RX}}, {"revised", {.method = OPTIMIZED}}};
  return run_ranges(b, point, methods, COUNT(methods), err);
}
