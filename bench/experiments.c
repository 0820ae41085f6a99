/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The experiments of RTIndeX, sections 3 and 4, as far as the methods present allow, and our headline ones. Sizes are
 * the paper's (2^26 keys, 2^27 lookups, or half of both in section 3) at scale 26. */

#include "bench/bench.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define RX RDX_INDEX_RX
#define SA RDX_INDEX_SORTED_ARRAY
#define TREE RDX_INDEX_TREE
#define RXO RDX_INDEX_RX_OPTIMIZED
#define CGRX RDX_INDEX_CGRX
#define NAIVE RDX_INDEX_CGRX_NAIVE
#define HT RDX_INDEX_HASH
#define BTREE RDX_INDEX_BTREE

static const bench_method all[] = {
    {"", {.method = RX}}, {"", {.method = SA}}, {"", {.method = TREE}}, {"", {.method = RXO}}, {"", {.method = CGRX}}};
/* RX and the baselines of its section 4; the hash table, the last one, has no ranges. */
static const bench_method baselines[] = {
    {"", {.method = RX}}, {"", {.method = SA}}, {"", {.method = BTREE}}, {"", {.method = HT}}};
#define ORDERED (COUNT(baselines) - 1)

uint32_t bench_at_least(uint32_t value, uint32_t less, uint32_t min) {
  return value > less + min ? value - less : min;
}

double bench_power(uint32_t log) {
  return (double)((uint64_t)1 << log);
}

bench_point bench_at(const bench_point *point, const char *parameter, double value) {
  return (bench_point){point->experiment, parameter, value};
}

/* ---- Headline ---- */

static rdx_status run_points(bench *b, const bench_point *point, bool first, rdx_error *err) {
  static const bench_method methods[] = {
      {"", {.method = RX}},
      {"always any-hit", {.method = RX, .rx.always_any_hit = true}},
      {"duplicate any-hit", {.method = RX, .rx.duplicate_any_hit = true}},
      {"", {.method = SA}},
      {"", {.method = TREE}},
      {"1 lane", {.method = TREE, .tree.lanes = 1}},
      {"4 lanes", {.method = TREE, .tree.lanes = 4}},
      {"", {.method = RXO}},
      {"", {.method = CGRX}},
      {"compact mapping", {.method = CGRX, .cgrx.mapping = RDX_CGRX_MAPPING_COMPACT}},
      {"plain mapping", {.method = CGRX, .cgrx.mapping = RDX_CGRX_MAPPING_PLAIN}},
      {"scaled mapping", {.method = CGRX, .cgrx.mapping = RDX_CGRX_MAPPING_SCALED}},
      {"", {.method = NAIVE}},
      {"", {.method = RDX_INDEX_CGRX_UPDATABLE}},
      {"", {.method = HT}},
      {"", {.method = BTREE}},
  };
  for (bench_keys keys = BENCH_D32; keys <= BENCH_U64; keys++) {
    for (int order = 0; order < 3; order++) { /* unsorted, sorted, misses */
      const bench_spec spec = {.keys = keys,
                               .log_rows = b->log_keys,
                               .log_probes = b->log_probes,
                               .sorted_probes = order == 1,
                               .miss_rate = order == 2 ? 1 : 0,
                               .first = first};
      const bench_point here = bench_at(point, order == 0 ? "unsorted" : order == 1 ? "sorted" : "misses", -1 - order);
      const rdx_status status = bench_measure(b, &here, &spec, methods, COUNT(methods),
                                              BENCH_LOOKUPS | BENCH_PLAIN | (order == 0 ? BENCH_BUILDS : 0u), err);
      if (status != RDX_OK)
        return status;
    }
  }
  return RDX_OK;
}

static rdx_status run_point(bench *b, const bench_point *point, rdx_error *err) {
  return run_points(b, point, false, err);
}

static rdx_status run_first(bench *b, const bench_point *point, rdx_error *err) {
  return run_points(b, point, true, err);
}

/* Ranges of 2^first to 2^last hits, some methods. */
typedef struct range_series {
  const bench_method *methods;
  size_t count;
  uint32_t log_rows, log_probes;
  uint32_t first, last, step;
} range_series;

static rdx_status run_ranges(bench *b, const bench_point *point, const range_series *s, unsigned what, rdx_error *err) {
  for (uint32_t log = s->first; log <= s->last && log < s->log_rows; log += s->step) {
    const bench_spec spec = {.log_rows = s->log_rows, .log_probes = s->log_probes, .range = (uint64_t)1 << log};
    const bench_point here = bench_at(point, "hits", bench_power(log));
    const rdx_status status = bench_measure(b, &here, &spec, s->methods, s->count, what, err);
    if (status != RDX_OK)
      return status;
  }
  return RDX_OK;
}

/* Counting shows the search alone: to sum, the value of each row must be fetched, too. */
static rdx_status run_range_count(bench *b, const bench_point *point, rdx_error *err) {
  for (uint32_t log = 2; log <= 10; log += 4) {
    const bench_spec spec = {.log_rows = bench_at_least(b->log_keys, 3, 12),
                             .log_probes = bench_at_least(b->log_probes, 7, 8),
                             .range = (uint64_t)1 << log,
                             .count = true};
    const bench_point here = bench_at(point, "hits", bench_power(log));
    const rdx_status status = bench_measure(b, &here, &spec, all, COUNT(all), BENCH_LOOKUPS, err);
    if (status != RDX_OK)
      return status;
  }
  return RDX_OK;
}

/* Then the same of indexes that include the values. */
static rdx_status run_range(bench *b, const bench_point *point, rdx_error *err) {
  static const bench_method including[] = {{"including", {.method = SA}},
                                           {"including", {.method = TREE}},
                                           {"including", {.method = RXO}},
                                           {"including", {.method = CGRX}}};
  const uint32_t rows = bench_at_least(b->log_keys, 3, 10), probes = bench_at_least(b->log_probes, 7, 8);
  const range_series series = {all, COUNT(all), rows, probes, 2, 10, 4};
  rdx_status status = run_ranges(b, point, &series, BENCH_LOOKUPS | BENCH_PLAIN, err);
  for (uint32_t log = 2; log <= 10 && log < rows && status == RDX_OK; log += 4) {
    const bench_spec spec = {.log_rows = rows, .log_probes = probes, .range = (uint64_t)1 << log, .include = true};
    const bench_point here = bench_at(point, "hits", bench_power(log));
    status = bench_measure(b, &here, &spec, including, COUNT(including), BENCH_LOOKUPS, err);
  }
  return status;
}

/* ---- Section 3.2: key modes ---- */

static const bench_method key_modes[] = {
    {"naive", {.method = RX, .rx.key_mode = RDX_RX_KEY_NAIVE}},
    {"extended", {.method = RX, .rx.key_mode = RDX_RX_KEY_EXTENDED}},
    {"3d", {.method = RX, .rx.key_mode = RDX_RX_KEY_3D}},
};

/* RX, Figure 3(a) "varying the build size". */
static rdx_status run_key_modes(bench *b, const bench_point *point, rdx_error *err) {
  for (uint32_t log = bench_at_least(b->log_keys, 5, 8); log <= b->log_keys; log++) {
    const bench_spec spec = {.log_rows = log, .log_probes = b->log_probes};
    const bench_point here = bench_at(point, "keys", bench_power(log));
    const rdx_status status = bench_measure(b, &here, &spec, key_modes, COUNT(key_modes), BENCH_LOOKUPS, err);
    if (status != RDX_OK)
      return status;
  }
  return RDX_OK;
}

/* RX, Figure 3(b) "key stride". */
static rdx_status run_stride(bench *b, const bench_point *point, rdx_error *err) {
  const uint32_t log_rows = bench_at_least(b->log_keys, 5, 8);
  for (uint32_t log = 0; log <= 3; log++) {
    const bench_spec spec = {.log_rows = log_rows, .log_probes = b->log_probes, .log_stride = log};
    const bench_point here = bench_at(point, "stride", bench_power(log));
    const rdx_status status = bench_measure(b, &here, &spec, key_modes, COUNT(key_modes), BENCH_LOOKUPS, err);
    if (status != RDX_OK)
      return status;
  }
  return RDX_OK;
}

/* ---- Section 3.3: rays ---- */

/* RX, Figure 6 "whether point lookups should be expressed as parallel rays or as perpendicular rays". */
static rdx_status run_point_rays(bench *b, const bench_point *point, rdx_error *err) {
  static const bench_method methods[] = {
      {"3d perpendicular", {.method = RX}},
      {"3d from offset", {.method = RX, .rx.point_ray = RDX_RX_RAY_PARALLEL_FROM_OFFSET}},
      {"3d from zero", {.method = RX, .rx.point_ray = RDX_RX_RAY_PARALLEL_FROM_ZERO}},
      {"extended perpendicular", {.method = RX, .rx.key_mode = RDX_RX_KEY_EXTENDED}},
      {"extended from zero",
       {.method = RX, .rx.key_mode = RDX_RX_KEY_EXTENDED, .rx.point_ray = RDX_RX_RAY_PARALLEL_FROM_ZERO}},
  };
  for (uint32_t log = bench_at_least(b->log_keys, 8, 8); log <= bench_at_least(b->log_keys, 5, 8); log++) {
    const bench_spec spec = {.log_rows = log, .log_probes = bench_at_least(b->log_probes, 9, 8)};
    const bench_point here = bench_at(point, "keys", bench_power(log));
    const rdx_status status = bench_measure(b, &here, &spec, methods, COUNT(methods), BENCH_LOOKUPS, err);
    if (status != RDX_OK)
      return status;
  }
  return RDX_OK;
}

/* RX, Table 3 "the answering time for offset rays, and rays starting at zero". */
static rdx_status run_range_rays(bench *b, const bench_point *point, rdx_error *err) {
  static const bench_method methods[] = {
      {"from offset", {.method = RX, .rx.range_ray = RDX_RX_RAY_PARALLEL_FROM_OFFSET}},
      {"from zero", {.method = RX, .rx.range_ray = RDX_RX_RAY_PARALLEL_FROM_ZERO}},
  };
  const range_series series = {
      methods, COUNT(methods), bench_at_least(b->log_keys, 6, 10), bench_at_least(b->log_probes, 11, 8), 0, 8, 2};
  return run_ranges(b, point, &series, BENCH_LOOKUPS, err);
}

/* ---- Section 3.4: decompositions ---- */

/* The ways to split the bits of the keys over x, y and z that the paper compares, for any number of bits. */
static size_t decompositions(uint32_t bits, bench_method *out, char names[][40]) {
  const uint32_t third = bits / 3, half = bits / 2, x = bits < 23 ? bits : 23;
  const uint32_t splits[][3] = {
      {x, bits - x, 0},       {bits - half, half, 0},   {third, bits - third, 0}, {bits - 2 * third, third, third},
      {bits - half, 0, half}, {third, 0, bits - third}, {0, bits - half, half}};
  size_t count = 0;
  for (size_t i = 0; i < COUNT(splits); i++) {
    if (splits[i][1] > 23 || splits[i][2] > 23)
      continue;
    snprintf(names[count], 40, "%u+%u+%u", (unsigned)splits[i][0], (unsigned)splits[i][1], (unsigned)splits[i][2]);
    out[count] = (bench_method){
        names[count],
        {.method = RX,
         .rx = {.x_bits = (uint8_t)splits[i][0], .y_bits = (uint8_t)splits[i][1], .z_bits = (uint8_t)splits[i][2]}}};
    count++;
  }
  return count;
}

/* RX, Figure 8 "the choice of decomposition affects lookup performance". */
/* RX, Figure 8 "uniformly picked from the entire 64-bit space". */
static rdx_status run_decomposition(bench *b, const bench_point *point, rdx_error *err) {
  bench_method methods[8];
  char names[8][40];
  const uint32_t log_rows = bench_at_least(b->log_keys, 1, 8);
  const size_t count = decompositions(log_rows, methods, names);
  const bench_spec spec = {.log_rows = log_rows, .log_probes = b->log_probes};
  const bench_point here = bench_at(point, "keys", bench_power(log_rows));
  const rdx_status status = bench_measure(b, &here, &spec, methods, count, BENCH_LOOKUPS, err);
  if (status != RDX_OK)
    return status;
  static const bench_method sparse[] = {{"23+23+18", {.method = RX, .rx = {.x_bits = 23, .y_bits = 23, .z_bits = 18}}},
                                        {"22+21+21", {.method = RX, .rx = {.x_bits = 22, .y_bits = 21, .z_bits = 21}}},
                                        {"18+23+23", {.method = RX, .rx = {.x_bits = 18, .y_bits = 23, .z_bits = 23}}}};
  const bench_spec control = {.keys = BENCH_U64, .log_rows = log_rows, .log_probes = b->log_probes};
  return bench_measure(b, &here, &control, sparse, COUNT(sparse), BENCH_LOOKUPS, err);
}

/* RX, Figure 9 "different decompositions for range lookups". */
static rdx_status run_decomposition_range(bench *b, const bench_point *point, rdx_error *err) {
  bench_method methods[8];
  char names[8][40];
  const uint32_t log_rows = bench_at_least(b->log_keys, 3, 10);
  const size_t count = decompositions(log_rows, methods, names);
  const range_series series = {methods, count, log_rows, bench_at_least(b->log_probes, 9, 8), 2, 8, 2};
  return run_ranges(b, point, &series, BENCH_LOOKUPS, err);
}

/* ---- Section 3.5: primitives ---- */

/* RX, Figure 7 "the build time, and the memory footprint for all three primitive types". */
static rdx_status run_primitives(bench *b, const bench_point *point, rdx_error *err) {
  static const bench_method methods[] = {
      {"triangle", {.method = RX}},
      {"sphere", {.method = RX, .rx.primitive = RDX_RX_SPHERE}},
      {"box", {.method = RX, .rx.primitive = RDX_RX_BOX}},
      {"triangle uncompacted", {.method = RX, .rx.compaction = RDX_SWITCH_OFF}},
      {"sphere uncompacted", {.method = RX, .rx = {.primitive = RDX_RX_SPHERE, .compaction = RDX_SWITCH_OFF}}},
      {"box uncompacted", {.method = RX, .rx = {.primitive = RDX_RX_BOX, .compaction = RDX_SWITCH_OFF}}},
  };
  const uint32_t log_rows = bench_at_least(b->log_keys, 1, 8);
  const bench_spec spec = {.log_rows = log_rows, .log_probes = b->log_probes};
  const bench_point here = bench_at(point, "keys", bench_power(log_rows));
  return bench_measure(b, &here, &spec, methods, COUNT(methods), BENCH_LOOKUPS | BENCH_BUILDS, err);
}

/* ---- Section 4.2: sizes ---- */

/* RX, Figure 10(a) "vary the total number of point lookups". */
static rdx_status run_lookups(bench *b, const bench_point *point, rdx_error *err) {
  for (uint32_t log = bench_at_least(b->log_probes, 14, 4); log <= b->log_probes; log += 2) {
    const bench_spec spec = {.keys = BENCH_U32, .log_rows = b->log_keys, .log_probes = log};
    const bench_point here = bench_at(point, "lookups", bench_power(log));
    const rdx_status status = bench_measure(b, &here, &spec, baselines, COUNT(baselines), BENCH_LOOKUPS, err);
    if (status != RDX_OK)
      return status;
  }
  return RDX_OK;
}

/* Keys from 2^-less of the most on: all methods of a list, over keys in any order or sorted. */
static rdx_status run_sizes(bench *b, const bench_point *point, bool sorted, uint32_t less, const bench_method *methods,
                            size_t count, rdx_error *err) {
  const unsigned what = methods == baselines ? BENCH_LOOKUPS : BENCH_BUILDS;
  for (uint32_t log = bench_at_least(b->log_keys, less, 8); log <= b->log_keys; log++) {
    const bench_spec spec = {.keys = BENCH_U32,
                             .log_rows = log,
                             .log_probes = what == BENCH_LOOKUPS ? b->log_probes : 0,
                             .sorted_keys = sorted};
    const bench_point here = bench_at(point, "keys", bench_power(log));
    const rdx_status status = bench_measure(b, &here, &spec, methods, count, what, err);
    if (status != RDX_OK)
      return status;
  }
  return RDX_OK;
}

/* RX, Figure 10(b) "varying the number of indexed keys". */
static rdx_status run_build_size(bench *b, const bench_point *point, rdx_error *err) {
  return run_sizes(b, point, false, 8, baselines, COUNT(baselines), err);
}

/* RX, Figure 10(c) "both a sorted and an unsorted key set". */
static rdx_status run_build_time(bench *b, const bench_point *point, rdx_error *err) {
  static const bench_method methods[2][5] = {
      {{"", {.method = RX}},
       {"", {.method = SA}},
       {"", {.method = BTREE}},
       {"", {.method = HT}},
       {"inserted", {.method = HT, .hash.build = RDX_HASH_BUILD_INSERT}}},
      {{"sorted", {.method = RX}},
       {"sorted", {.method = SA}},
       {"sorted", {.method = BTREE}},
       {"sorted", {.method = HT}},
       {"sorted, inserted", {.method = HT, .hash.build = RDX_HASH_BUILD_INSERT}}},
  };
  for (int sorted = 0; sorted < 2; sorted++) {
    const rdx_status status = run_sizes(b, point, sorted, 3, methods[sorted], COUNT(methods[0]), err);
    if (status != RDX_OK)
      return status;
  }
  return RDX_OK;
}

/* RX, Table 6 "Overhead during build [GB]". */
/* cgRX, Figure 1 "Limitations of RX". */
static rdx_status run_memory(bench *b, const bench_point *point, rdx_error *err) {
  static const bench_method methods[] = {
      {"", {.method = RX}},
      {"fast trace", {.method = RX, .rx.build = RDX_BUILD_FAST_TRACE}},
      {"low memory", {.method = RX, .rx.build = RDX_BUILD_LOW_MEMORY}},
      {"duplicate any-hit", {.method = RX, .rx.duplicate_any_hit = true}},
      {"updatable", {.method = RX, .rx.updatable = true}},
      {"", {.method = SA}},
      {"", {.method = BTREE}},
      {"", {.method = HT}},
      {"inserted", {.method = HT, .hash.build = RDX_HASH_BUILD_INSERT}},
  };
  for (bench_keys keys = BENCH_U32; keys <= BENCH_U64; keys++) {
    const bench_spec spec = {.keys = keys, .log_rows = b->log_keys, .log_probes = 0};
    const bench_point here = bench_at(point, "keys", bench_power(b->log_keys));
    const rdx_status status = bench_measure(b, &here, &spec, methods, COUNT(methods), BENCH_BUILDS, err);
    if (status != RDX_OK)
      return status;
  }
  return RDX_OK;
}

/* ---- Sections 4.3 to 4.9 ---- */

/* RX, Figure 11 "we vary the key multiplicity". */
static rdx_status run_multiplicity(bench *b, const bench_point *point, rdx_error *err) {
  for (uint32_t log = 0; log <= 8 && log < b->log_keys; log += 2) {
    const bench_spec spec = {
        .log_rows = b->log_keys, .log_probes = bench_at_least(b->log_probes, log, 8), .log_multiplicity = log};
    const bench_point here = bench_at(point, "multiplicity", bench_power(log));
    const rdx_status status = bench_measure(b, &here, &spec, baselines, COUNT(baselines), BENCH_LOOKUPS, err);
    if (status != RDX_OK)
      return status;
  }
  return RDX_OK;
}

/* RX, Figure 12 "all four combinations". */
static rdx_status run_order(bench *b, const bench_point *point, rdx_error *err) {
  static const char *const names[] = {"unsorted unsorted", "unsorted sorted", "sorted unsorted", "sorted sorted"};
  for (int order = 0; order < 4; order++) {
    const bench_spec spec = {.keys = BENCH_U32,
                             .log_rows = b->log_keys,
                             .log_probes = b->log_probes,
                             .sorted_keys = order >= 2,
                             .sorted_probes = order % 2 == 1};
    const bench_point here = bench_at(point, names[order], -1 - order);
    const rdx_status status = bench_measure(b, &here, &spec, baselines, COUNT(baselines), BENCH_LOOKUPS, err);
    if (status != RDX_OK)
      return status;
  }
  return RDX_OK;
}

/* RX, Figure 13 "splitting our lookups into multiple batches". */
/* RX, Figure 13 "sorting many small batches is more expensive". */
static rdx_status run_batches(bench *b, const bench_point *point, rdx_error *err) {
  for (uint32_t log = 0; log <= 12 && log < b->log_probes; log += 4) {
    const bench_spec spec = {
        .keys = BENCH_U32, .log_rows = b->log_keys, .log_probes = b->log_probes, .log_batches = log};
    const bench_point here = bench_at(point, "batches", bench_power(log));
    const rdx_status status =
        bench_measure(b, &here, &spec, baselines, COUNT(baselines), BENCH_LOOKUPS | BENCH_SORT_OR_NOT, err);
    if (status != RDX_OK)
      return status;
  }
  return RDX_OK;
}

/* RX, Figure 14 "we test both unordered and ordered lookups". */
static rdx_status run_hit_rates(bench *b, const bench_point *point, bench_keys keys, rdx_error *err) {
  static const double rates[] = {1, 0.9, 0.5, 0.1, 0.01, 0};
  for (size_t i = 0; i < COUNT(rates); i++) {
    const bench_spec spec = {
        .keys = keys, .log_rows = b->log_keys, .log_probes = b->log_probes, .miss_rate = 1 - rates[i]};
    const bench_point here = bench_at(point, "hit rate", rates[i]);
    const rdx_status status =
        bench_measure(b, &here, &spec, baselines, COUNT(baselines), BENCH_LOOKUPS | BENCH_SORT_OR_NOT, err);
    if (status != RDX_OK)
      return status;
  }
  return RDX_OK;
}

/* RX, Figure 14 "we vary the hit rate". */
static rdx_status run_hit_rate(bench *b, const bench_point *point, rdx_error *err) {
  return run_hit_rates(b, point, BENCH_U32, err);
}

/* RX, section 4.6 "all misses lie outside the value range of the key column". */
static rdx_status run_hit_rate_outside(bench *b, const bench_point *point, rdx_error *err) {
  return run_hit_rates(b, point, BENCH_D32, err);
}

/* RX, Figure 15 "lookup time and index size for 32-bit and 64-bit keys". */
static rdx_status run_key_size(bench *b, const bench_point *point, rdx_error *err) {
  for (bench_keys keys = BENCH_U32; keys <= BENCH_U64; keys++) {
    const bench_spec spec = {.keys = keys, .log_rows = b->log_keys, .log_probes = b->log_probes};
    const bench_point here = bench_at(point, "key bits", keys == BENCH_U32 ? 32 : 64);
    const rdx_status status =
        bench_measure(b, &here, &spec, baselines, COUNT(baselines), BENCH_LOOKUPS | BENCH_BUILDS, err);
    if (status != RDX_OK)
      return status;
  }
  return RDX_OK;
}

/* RX, Figure 16 "introduce skew to the lookups". */
/* RX, Figure 16 "we evaluate both sorted and unsorted lookups". */
static rdx_status run_skew(bench *b, const bench_point *point, rdx_error *err) {
  static const double coefficients[] = {0, 0.5, 1, 1.5, 2};
  for (size_t i = 0; i < COUNT(coefficients); i++) {
    const bench_spec spec = {
        .keys = BENCH_U32, .log_rows = b->log_keys, .log_probes = b->log_probes, .zipf = coefficients[i]};
    const bench_point here = bench_at(point, "zipf", coefficients[i]);
    const rdx_status status =
        bench_measure(b, &here, &spec, baselines, COUNT(baselines), BENCH_LOOKUPS | BENCH_SORT_OR_NOT, err);
    if (status != RDX_OK)
      return status;
  }
  return RDX_OK;
}

/* RX, section 4.8 "introduced skew to the key distribution". */
static rdx_status run_key_skew(bench *b, const bench_point *point, rdx_error *err) {
  static const double skews[] = {0, 0.25, 0.5, 0.75, 0.9};
  for (size_t i = 0; i < COUNT(skews); i++) {
    const bench_spec spec = {
        .keys = BENCH_U32, .log_rows = b->log_keys, .log_probes = b->log_probes, .key_skew = skews[i]};
    const bench_point here = bench_at(point, "skew", skews[i]);
    const rdx_status status = bench_measure(b, &here, &spec, baselines, COUNT(baselines), BENCH_LOOKUPS, err);
    if (status != RDX_OK)
      return status;
  }
  return RDX_OK;
}

/* RX, section 4.9 "non-negative least squares". */
/* Non-negative least squares of ms = traversal + hits * intersection: of two unknowns, so an unknown that would be
 * negative is 0 and the other follows. */
static void split_costs(const bench *b, const char *experiment) {
  double n = 0, sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0, probes = 1;
  for (size_t i = 0; i < bench_report_count(b->report); i++) {
    const bench_row *row = bench_report_row(b->report, i);
    if (strcmp(row->experiment, experiment) != 0 || strcmp(row->method, "rx") != 0 ||
        strcmp(row->metric, "lookup_ms") != 0)
      continue;
    n++;
    sum_x += row->value;
    sum_y += row->median;
    sum_xx += row->value * row->value;
    sum_xy += row->value * row->median;
    probes = (double)row->probes;
  }
  if (n < 2)
    return;
  double slope = (n * sum_xy - sum_x * sum_y) / (n * sum_xx - sum_x * sum_x);
  double base = (sum_y - slope * sum_x) / n;
  if (slope < 0) {
    slope = 0;
    base = sum_y / n;
  } else if (base < 0) {
    base = 0;
    slope = sum_xy / sum_xx;
  }
  printf("\n%s: rx takes %.3f ns for the traversal of a range lookup and %.3f ns for each hit\n", experiment,
         base / probes * 1e6, slope / probes * 1e6);
}

/* RX, Figure 17 "varying the number of qualifying entries". */
static rdx_status run_range_hits(bench *b, const bench_point *point, rdx_error *err) {
  const range_series series = {
      baselines, ORDERED, bench_at_least(b->log_keys, 1, 12), bench_at_least(b->log_probes, 7, 8), 0, 10, 2};
  const rdx_status status = run_ranges(b, point, &series, BENCH_LOOKUPS, err);
  if (status == RDX_OK)
    split_costs(b, point->experiment);
  return status;
}

static rdx_status run_builds(bench *b, const bench_point *point, rdx_error *err) {
  static const bench_method preferences[] = {
      {"", {.method = RX}},
      {"fast trace", {.method = RX, .rx.build = RDX_BUILD_FAST_TRACE}},
      {"fast build", {.method = RX, .rx.build = RDX_BUILD_FAST_BUILD}},
      {"low memory", {.method = RX, .rx.build = RDX_BUILD_LOW_MEMORY}},
      {"fast trace duplicate any-hit", {.method = RX, .rx.build = RDX_BUILD_FAST_TRACE, .rx.duplicate_any_hit = true}},
      {"fast build duplicate any-hit", {.method = RX, .rx.build = RDX_BUILD_FAST_BUILD, .rx.duplicate_any_hit = true}},
      {"4 partitions", {.method = RX, .rx.partitions = 4}},
  };
  for (bench_keys keys = BENCH_D32; keys <= BENCH_U64; keys++) {
    for (int sorted = 0; sorted < 2; sorted++) {
      const bench_spec spec = {.keys = keys,
                               .log_rows = b->log_keys,
                               .log_probes = b->log_probes,
                               .sorted_probes = sorted == 1,
                               .first = true};
      const bench_point here = bench_at(point, sorted ? "sorted" : "unsorted", -1 - sorted);
      const rdx_status status = bench_measure(b, &here, &spec, preferences, COUNT(preferences),
                                              BENCH_LOOKUPS | (sorted ? 0 : BENCH_BUILDS), err);
      if (status != RDX_OK)
        return status;
    }
  }
  return RDX_OK;
}

/* A first impression of the indexes. */
static rdx_status run_indexes(bench *b, const bench_point *point, rdx_error *err) {
  static const bench_method methods[] = {
      {"", {.method = RX}},
      {"fast build", {.method = RX, .rx.build = RDX_BUILD_FAST_BUILD}},
      {"", {.method = RDX_INDEX_CGRX}},
      {"", {.method = RDX_INDEX_SORTED_ARRAY}},
      {"", {.method = RDX_INDEX_TREE}},
  };
  const bench_spec points = {.log_rows = b->log_keys, .log_probes = b->log_probes};
  const bench_spec ranges = {.log_rows = b->log_keys, .log_probes = bench_at_least(b->log_probes, 5, 0), .range = 16};
  const bench_point first = bench_at(point, "points", -1), second = bench_at(point, "ranges", -2);
  const rdx_status status =
      bench_measure(b, &first, &points, methods, COUNT(methods), BENCH_LOOKUPS | BENCH_BUILDS, err);
  return status == RDX_OK ? bench_measure(b, &second, &ranges, methods, COUNT(methods), BENCH_LOOKUPS, err) : status;
}

const bench_experiment bench_experiments[] = {
    {"indexes", "some indexes: builds, points, ranges of 16 rows", run_indexes, false},
    {"point", "point lookups that sum a column: dense, u32 and u64 keys; unsorted, sorted, misses", run_point, true},
    {"first", "the same lookups, for the first row instead of a sum", run_first, true},
    {"range", "range lookups of 4, 64 and 1024 hits", run_range, true},
    {"range-count", "the same ranges, for the number of rows instead of a sum", run_range_count, true},
    {"build", "what the scene is built for, and lookups of it for the first row", run_builds, true},
    {"rx-key-modes", "figure 3a: key modes by number of keys", run_key_modes, false},
    {"rx-stride", "figure 3b: key modes by stride of the keys", run_stride, false},
    {"rx-point-rays", "figure 6: rays for point lookups", run_point_rays, false},
    {"rx-range-rays", "table 3: rays for range lookups", run_range_rays, false},
    {"rx-decomposition", "figure 8: bits of x, y and z, point lookups", run_decomposition, false},
    {"rx-decomposition-range", "figure 9: bits of x, y and z, range lookups", run_decomposition_range, false},
    {"rx-primitives", "figure 7: triangles, spheres and boxes, compacted or not", run_primitives, true},
    {"rx-updates", "table 4: refit and rebuild", bench_updates, true},
    {"rx-lookups", "figure 10a: number of lookups", run_lookups, false},
    {"rx-build-size", "figure 10b: number of keys", run_build_size, false},
    {"rx-build-time", "figure 10c: build time by number of keys, unsorted and sorted", run_build_time, true},
    {"rx-memory", "table 6: memory", run_memory, true},
    {"rx-multiplicity", "figure 11: rows of each key", run_multiplicity, false},
    {"rx-order", "figure 12: order of keys and of lookups", run_order, true},
    {"rx-batches", "figure 13: number of batches", run_batches, false},
    {"rx-hit-rate", "figure 14: hit rate, misses between keys", run_hit_rate, true},
    {"rx-hit-rate-outside", "figure 14: hit rate, misses above all keys", run_hit_rate_outside, false},
    {"rx-key-size", "figure 15: keys of 32 and 64 bits", run_key_size, false},
    {"rx-skew", "figure 16: Zipf-distributed lookups", run_skew, false},
    {"rx-key-skew", "section 4.8: keys that crowd towards 0", run_key_skew, false},
    {"rx-range", "figure 17: range lookups by number of hits", run_range_hits, true},
    {"cgrx-mapping", "figure 8: mappings of both representations", bench_cgrx_mapping, true},
    {"cgrx-bucket-search", "table 1: layouts and searches of a bucket by its size", bench_cgrx_bucket_search, false},
    {"cgrx-bucket-size", "figure 10: bucket sizes, lookups and memory", bench_cgrx_bucket_size, true},
    {"cgrx-uniformity", "figures 8, 10 and 11: keys that are partly dense, all methods", bench_cgrx_uniformity, false},
    {"cgrx-memory", "figure 11: lookups and bytes a key of all methods", bench_cgrx_memory, true},
    {"cgrx-range", "figure 12: range lookups of all methods by number of hits", bench_cgrx_range, false},
    {"cgrx-hit-rate", "figure 13: hit rate, all methods", bench_cgrx_hit_rate, false},
    {"cgrx-skew", "figure 14: Zipf-distributed lookups, all methods", bench_cgrx_skew, false},
    {"cgrx-nodes", "section 4: nodes of 8 to 1024 keys, searched by halves or one by one, and the naive representation",
     bench_cgrx_nodes, false},
    {"cgrx-updates", "figure 15: waves of inserts and removes, by batches and by rebuilds", bench_cgrx_updates, true},
    {"thesis-partitions", "figures 5.7 to 5.9: contiguous parts of the optimized RX's scene", bench_thesis_partitions,
     true},
    {"thesis-compression", "figures 5.10 and 5.11: rows of each key, with a triangle for each or for the first",
     bench_thesis_compression, false},
    {"thesis-range", "figure 5.5: the revised range lookup beside the original", bench_thesis_range, false},
    {"thesis-sorted-probes", "figures 5.12 and 5.13: probes sorted first or not, points and ranges",
     bench_thesis_sorted_probes, true},
    {"thesis-sizes", "figures 5.15 to 5.18: number of keys, sorted or not, all methods", bench_thesis_sizes, false},
    {"thesis-lookups", "figures 5.19 and 5.24: number of lookups, points and ranges", bench_thesis_lookups, false},
    {"thesis-multiplicity", "figures 5.6 and 5.20: rows of each key", bench_thesis_multiplicity, false},
    {"thesis-uniformity", "figure 5.21: keys that are partly dense", bench_thesis_uniformity, false},
    {"thesis-misses", "figure 5.22: hit rate", bench_thesis_misses, false},
    {"thesis-skew", "figure 5.23: Zipf-distributed lookups", bench_thesis_skew, false},
    {"thesis-hits", "figure 5.25: range lookups by number of hits", bench_thesis_hits, false},
    {"join-inverse", "figure 5.14: an index over the smaller or the larger side of a join", bench_join_inverse, true},
    {"join-first", "semi joins that stop at a first match, beside counting, by rows of each key", bench_join_first,
     false},
    {"join-size", "joins of two columns of as many rows, all methods", bench_join_size, true},
    {"join-skew", "the same with Zipf-distributed values on one side", bench_join_skew, false},
    {"join-ranges", "joins of points and ranges, an index over either", bench_join_ranges, false},
    {"rtscan-selectivity", "figures 15, 19: three predicates by selectivity", bench_rtscan_selectivity, true},
    {"rtscan-column", "figure 2: one predicate over one column by selectivity", bench_rtscan_column, false},
    {"rtscan-small", "figure 6: RTc3 over columns of 64 values and of 2^32", bench_rtscan_small, false},
    {"rtscan-stages", "figure 17: stages of RTScan, in percent of its time", bench_rtscan_stages, false},
    {"rtscan-skew", "figures 16, 20: three predicates over skewed columns", bench_rtscan_skew, true},
    {"rtscan-adaptive", "groups of three columns, lines of one, and whichever is faster", bench_rtscan_adaptive, false},
    {"rtscan-groups", "groups of columns that overlap, as given and by workload", bench_rtscan_groups, false},
    {"rtscan-predicates", "figures 22 to 24: one, two and four predicates", bench_rtscan_predicates, false},
    {"rtscan-tpch", "figure 21: predicates of three queries of TPC-H", bench_rtscan_tpch, false},
    {"rtscan-encoding", "figures 25, 26: with the uniform encoding and without it", bench_rtscan_encoding, false},
    {"rtscan-selection", "figure 27: positive and negative selection", bench_rtscan_selection, false},
    {"rtscan-vectors", "figure 28: numbers of bit vectors", bench_rtscan_vectors, false},
    {"rtscan-rays", "figure 29: interval and spacing of rays", bench_rtscan_rays, false},
    {"rtscan-build", "figure 18: construction time and memory", bench_rtscan_build, true},
    {"rtscan-bandwidth", "bytes a second of one or three predicates, beside those of memory", bench_rtscan_bandwidth,
     true},
    {"rtcudb-queries", "figures 11, 12: the 13 queries of the Star Schema Benchmark by every method",
     bench_rtcudb_queries, true},
    {"rtcudb-selectivity", "table 1: rows that the queries select", bench_rtcudb_selectivity, false},
    {"rtcudb-bandwidth", "figure 13: bytes a second of the queries, beside those of memory", bench_rtcudb_bandwidth,
     false},
    {"rtcudb-one-job", "figure 14: one ray tracing job, or RTScan and then a cube", bench_rtcudb_one_job, false},
    {"rtcudb-scan-encoding", "figure 15: scan attributes in one coordinate or split", bench_rtcudb_scan_encoding,
     false},
    {"rtcudb-group-encoding", "figure 16: group attributes in one coordinate or split", bench_rtcudb_group_encoding,
     false},
    {"rtcudb-grid", "section 3.2: rays of a grid, units of z and orders of the published mapping", bench_rtcudb_grid,
     false},
    {"rtcudb-contention", "section 6.2: rays that add to one sum or to copies of it", bench_rtcudb_contention, false},
    {"rtcudb-blocks", "the coarse cube by rows under a triangle", bench_rtcudb_blocks, false},
    {"scale-lookups", "every index alone, from 2^20 to 2^31 keys", bench_scale_lookups, false},
    {"scale-scans", "every scan method alone, from 2^20 to 2^31 rows", bench_scale_scans, false},
    {"scale-stars", "every star method alone, at scale factors 1, 20 and 100", bench_scale_stars, false},
    {"rtcudb-build", "building the cubes of the 13 queries: time and memory", bench_rtcudb_build, false},
    {"tpch-queries", "the 22 queries of TPC-H in SQL, beside another database", bench_tpch_queries, false},
    {"planner", "random queries by the planner's choice, and by every other method that can answer them", bench_planner,
     false},
};

const size_t bench_experiment_count = COUNT(bench_experiments);
