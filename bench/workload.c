/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Keys, values and probes made from a seed, with the answer to every probe known from how it was made. */

#include "bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

uint64_t bench_mix(uint64_t i, uint64_t seed) {
  uint64_t x = i + seed * 0x9e3779b97f4a7c15u;
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/* A permutation of 0 .. 2^bits - 1: each step can be undone. */
static uint64_t permute(uint64_t i, uint32_t bits, uint64_t seed) {
  const uint64_t mask = bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
  const uint32_t shift = bits / 2 + 1;
  for (uint64_t round = 0; round < 4; round++) {
    i = (i * (bench_mix(round, seed) | 1) + bench_mix(round + 4, seed)) & mask;
    i ^= i >> shift;
  }
  return i;
}

const char *bench_keys_name(bench_keys keys) {
  static const char *const names[] = {[BENCH_D32] = "D32", [BENCH_U32] = "U32", [BENCH_U64] = "U64"};
  return names[keys];
}

/* ---- Sorting ---- */

/* Least significant digit first, with the digits counted in one pass beforehand. */
#define DEFINE_SORT(name, type)                                                                                        \
  static void name(type *keys, type *other_keys, uint32_t *places, uint32_t *other_places, uint64_t count) {           \
    static uint64_t counts[sizeof(type)][256];                                                                         \
    memset(counts, 0, sizeof counts);                                                                                  \
    for (uint64_t i = 0; i < count; i++)                                                                               \
      for (uint32_t d = 0; d < sizeof(type); d++)                                                                      \
        counts[d][keys[i] >> (8 * d) & 255]++;                                                                         \
    type *from = keys, *to = other_keys;                                                                               \
    uint32_t *from_places = places, *to_places = other_places;                                                         \
    for (uint32_t d = 0; d < sizeof(type); d++) {                                                                      \
      uint64_t sum = 0;                                                                                                \
      for (uint32_t v = 0; v < 256; v++) {                                                                             \
        const uint64_t n = counts[d][v];                                                                               \
        counts[d][v] = sum;                                                                                            \
        sum += n;                                                                                                      \
      }                                                                                                                \
      for (uint64_t i = 0; i < count; i++) {                                                                           \
        const uint64_t at = counts[d][from[i] >> (8 * d) & 255]++;                                                     \
        to[at] = from[i];                                                                                              \
        if (places)                                                                                                    \
          to_places[at] = from_places[i];                                                                              \
      }                                                                                                                \
      type *swap = from;                                                                                               \
      from = to;                                                                                                       \
      to = swap;                                                                                                       \
      uint32_t *swap_places = from_places;                                                                             \
      from_places = to_places;                                                                                         \
      to_places = swap_places;                                                                                         \
    }                                                                                                                  \
  }

DEFINE_SORT(sort_u32, uint32_t)
DEFINE_SORT(sort_u64, uint64_t)

static rdx_status allocate(uint64_t count, size_t size, void **out, rdx_error *err) {
  *out = malloc(count * size + 1);
  return *out ? RDX_OK : console_error(err, RDX_ERROR_MEMORY, "host memory ran out: a workload needs more");
}

rdx_status bench_sort(void *keys, uint32_t key_bytes, uint32_t *places, uint64_t count, rdx_error *err) {
  void *other_keys = NULL, *other_places = NULL;
  rdx_status status = allocate(count, key_bytes, &other_keys, err);
  if (status == RDX_OK && places)
    status = allocate(count, sizeof *places, &other_places, err);
  if (status == RDX_OK) { /* an even number of passes: the result is where the keys were */
    if (key_bytes == 4)
      sort_u32(keys, other_keys, places, other_places, count);
    else
      sort_u64(keys, other_keys, places, other_places, count);
  }
  free(other_keys);
  free(other_places);
  return status;
}

/* ---- Keys and values ---- */

typedef struct maker {
  bench_workload *w;
  uint64_t seed;
  uint64_t *rank_sums; /* D32 with ranges or duplicates: sums of values over all smaller ranks */
  uint64_t dense;      /* U32, U64: so many keys are */
  bench_zipf zipf;
} maker;

/* thesis, section 5.2.1 "log_key_multiplicity_options". */
/* thesis, Figure 5.4 "log_key_multiplicity_options = 10". */
/* The row's rank among the keys (D32). */
static uint64_t rank_of_row(const maker *m, uint64_t row) {
  const bench_spec *s = &m->w->spec;
  return (s->sorted_keys ? row : permute(row, s->log_rows, m->seed)) >> s->log_multiplicity;
}

static uint64_t spread(const maker *m, uint64_t i) {
  return m->w->spec.keys == BENCH_U32 ? permute(i, 32, m->seed + 1)
                                      : bench_mix(i, m->seed + 1); /* a permutation of 64 bits */
}

/* Key `rank` of those that crowd towards 0: the share of keys below v is (v / 2^32)^(1 - skew), as far as there are so
 * many numbers. */
static uint64_t skewed_key(const maker *m, uint64_t rank) {
  const bench_workload *w = m->w;
  const double space = 0x1p32 - (double)w->rows;
  return rank + (uint64_t)(space * pow((double)rank / (double)w->rows, 1 / (1 - w->spec.key_skew)));
}

/* cgRX, section 5.1 "uniformity". */
/* thesis, section 5.2.1 "build_key_uniformity_percent_options". */
/* thesis, Figure 5.1 "Uniform Distribution". */
/* The i-th of the distinct keys; from `rows` on those that are not in the column. Dense keys come first; a permutation
 * applied until it leaves them is one of the others. */
static uint64_t distinct_key(const maker *m, uint64_t i) {
  if (m->w->spec.keys == BENCH_D32)
    return i << m->w->spec.log_stride;
  if (m->w->spec.key_skew > 0) {
    const uint64_t key = skewed_key(m, i), next = skewed_key(m, i + 1);
    return key + bench_mix(i, m->seed + 1) % (next - key);
  }
  if (i < m->dense)
    return i;
  do
    i = spread(m, i);
  while (i < m->dense);
  return i;
}

static void put(const bench_workload *w, void *to, uint64_t i, uint64_t key) {
  if (w->type == RDX_TYPE_U64)
    ((uint64_t *)to)[i] = key;
  else
    ((uint32_t *)to)[i] = (uint32_t)key;
}

static uint64_t get(const bench_workload *w, const void *from, uint64_t i) {
  return w->type == RDX_TYPE_U64 ? ((const uint64_t *)from)[i] : ((const uint32_t *)from)[i];
}

static void make_rows(void *context, uint64_t begin, uint64_t end) {
  const maker *m = context;
  bench_workload *w = m->w;
  for (uint64_t row = begin; row < end; row++) {
    w->values[row] = (uint32_t)(bench_mix(row, m->seed + 2) >> 40); /* 24 bits */
    const bool ranked = w->spec.keys == BENCH_D32 || m->dense > 0 || w->spec.key_skew > 0;
    put(w, w->keys, row, distinct_key(m, ranked ? rank_of_row(m, row) : row));
  }
}

/* What ranges and duplicates add up to, from the values in the order of the keys. */
static rdx_status sum_ranks(maker *m, rdx_error *err) {
  const bench_workload *w = m->w;
  void *sums = calloc(w->rows + 1, sizeof *m->rank_sums);
  if (!sums)
    return console_error(err, RDX_ERROR_MEMORY, "host memory ran out: a workload needs more");
  m->rank_sums = sums;
  for (uint64_t row = 0; row < w->rows; row++)
    m->rank_sums[rank_of_row(m, row) + 1] += w->values[row];
  for (uint64_t rank = 0; rank < w->rows; rank++)
    m->rank_sums[rank + 1] += m->rank_sums[rank];
  return RDX_OK;
}

/* ---- Zipf ----
 *
 * By inversion of the continuous approximation to the generalised harmonic numbers, then rejection (Hörmann and
 * Derflinger, 1996, "Rejection-inversion to generate variates from monotone discrete distributions"). */

static double zipf_integral(double x, double a) {
  const double l = log(x);
  return fabs(1 - a) < 1e-9 ? l : expm1((1 - a) * l) / (1 - a);
}

static double zipf_inverse(double y, double a) {
  if (fabs(1 - a) < 1e-9)
    return exp(y);
  const double t = y * (1 - a);
  return exp(log1p(t < -1 ? -1 : t) / (1 - a));
}

bench_zipf bench_zipf_make(double a, uint64_t n) {
  return (bench_zipf){.a = a,
                      .n = n,
                      .low = zipf_integral(1.5, a) - 1,
                      .high = zipf_integral((double)n + 0.5, a),
                      .at_once = 2 - zipf_inverse(zipf_integral(2.5, a) - exp(-a * log(2)), a)};
}

/* thesis, section 5.2.1 "probe_zipf_coefficient_options". */
/* thesis, Figure 5.3 "Zipf=1 Skewed Distribution". */
uint64_t bench_zipf_draw(const bench_zipf *z, uint64_t i, uint64_t seed) {
  const double n = (double)z->n;
  for (uint64_t attempt = 0;; attempt++) {
    const double u = (double)(bench_mix(i + (attempt << 40), seed) >> 11) * 0x1p-53;
    const double y = z->high + u * (z->low - z->high), x = zipf_inverse(y, z->a);
    double k = floor(x + 0.5);
    k = k < 1 ? 1 : k > n ? n : k;
    if (k - x <= z->at_once || y >= zipf_integral(k + 0.5, z->a) - exp(-z->a * log(k)))
      return (uint64_t)k;
  }
}

/* ---- Probes ---- */

/* thesis, section 5.2.1 "misses_percent_options". */
/* thesis, Figure 5.2 "50% Miss Distribution". */
static void make_points(void *context, uint64_t begin, uint64_t end) {
  const maker *m = context;
  bench_workload *w = m->w;
  const bench_spec *s = &w->spec;
  const uint64_t misses = (uint64_t)(s->miss_rate * 0x1p32);
  for (uint64_t i = begin; i < end; i++) {
    if ((bench_mix(i, m->seed + 3) & UINT32_MAX) < misses) {
      const uint64_t other = w->rows + bench_mix(i, m->seed + 6) % w->rows;
      put(w, w->lower, i, distinct_key(m, other));
      w->sums[i] = s->first ? RDX_NO_ROW : 0;
      w->counts[i] = 0;
      continue;
    }
    uint64_t row = bench_mix(i, m->seed + 4) & (w->rows - 1);
    if (s->zipf > 0) /* the popular keys lie anywhere */
      row = permute(bench_zipf_draw(&m->zipf, i, m->seed + 5) - 1, s->log_rows, m->seed + 7);
    put(w, w->lower, i, get(w, w->keys, row));
    const uint64_t rank = m->rank_sums ? rank_of_row(m, row) : 0;
    w->sums[i] = s->first ? row : m->rank_sums ? m->rank_sums[rank + 1] - m->rank_sums[rank] : w->values[row];
    w->counts[i] = 1u << s->log_multiplicity;
  }
}

/* thesis, section 5.2.1 "log_expected_hits". */
static void make_ranges(void *context, uint64_t begin, uint64_t end) {
  const maker *m = context;
  bench_workload *w = m->w;
  for (uint64_t i = begin; i < end; i++) {
    const uint64_t low = bench_mix(i, m->seed + 4) % (w->rows - w->spec.range + 1), next = low + w->spec.range;
    put(w, w->lower, i, distinct_key(m, low));
    put(w, w->upper, i, distinct_key(m, next - 1));
    w->sums[i] = m->rank_sums[next] - m->rank_sums[low];
    w->counts[i] = (uint32_t)w->spec.range;
  }
}

/* Bring the probes into order, and their answers with them. */
static rdx_status sort_probes(bench_workload *w, rdx_error *err) {
  const uint32_t bytes = (uint32_t)rdx_type_size(w->type);
  uint32_t *places = NULL;
  uint64_t *sums = NULL;
  rdx_status status = allocate(w->probes, sizeof *places, (void **)&places, err);
  if (status == RDX_OK)
    status = allocate(w->probes, sizeof *sums, (void **)&sums, err);
  for (uint64_t i = 0; i < w->probes && status == RDX_OK; i++)
    places[i] = (uint32_t)i;
  if (status == RDX_OK)
    status = bench_sort(w->lower, bytes, places, w->probes, err);
  if (status == RDX_OK) {
    for (uint64_t i = 0; i < w->probes; i++)
      sums[i] = w->sums[places[i]];
    uint64_t *unsorted = w->sums;
    w->sums = sums;
    sums = unsorted;
    uint32_t *counts = (uint32_t *)unsorted; /* no longer needed, and large enough */
    for (uint64_t i = 0; i < w->probes; i++)
      counts[i] = w->counts[places[i]];
    memcpy(w->counts, counts, w->probes * sizeof *counts);
  }
  free(places);
  free(sums);
  return status;
}

/* Memory is promised before it is there: refuse what the machine does not have. Sorting takes keys and places, the
 * check takes a result beside its expectation. */
static rdx_status check_memory(const bench_workload *w, rdx_error *err) {
  const uint64_t bytes = rdx_type_size(w->type);
  const uint64_t need = w->rows * (bytes + 4 + 8) + w->probes * (2 * (bytes + 8 + 4));
  const uint64_t have = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
  char needed[32], there[32];
  if (need <= have)
    return RDX_OK;
  return console_error(err, RDX_ERROR_MEMORY, "the workload needs %s of host memory and the machine has %s",
                       console_bytes(need, needed), console_bytes(have, there));
}

static rdx_status make(maker *m, rdx_error *err) {
  bench_workload *w = m->w;
  const bench_spec *s = &w->spec;
  const size_t bytes = rdx_type_size(w->type);
  rdx_status status = check_memory(w, err);
  if (status == RDX_OK)
    status = allocate(w->rows, bytes, &w->keys, err);
  if (status == RDX_OK)
    status = allocate(w->rows, sizeof *w->values, (void **)&w->values, err);
  if (status == RDX_OK)
    status = allocate(w->probes, bytes, &w->lower, err);
  if (status == RDX_OK && s->range > 0)
    status = allocate(w->probes, bytes, &w->upper, err);
  if (status == RDX_OK)
    status = allocate(w->probes, sizeof *w->sums, (void **)&w->sums, err);
  if (status == RDX_OK)
    status = allocate(w->probes, sizeof *w->counts, (void **)&w->counts, err);
  if (status != RDX_OK)
    return status;
  bench_parallel(0, w->rows, make_rows, m);
  if (s->sorted_keys && s->keys != BENCH_D32)
    status = bench_sort(w->keys, (uint32_t)bytes, NULL, w->rows, err);
  if (status == RDX_OK && (s->range > 0 || s->log_multiplicity > 0))
    status = sum_ranks(m, err);
  if (status == RDX_OK)
    bench_parallel(0, w->probes, s->range > 0 ? make_ranges : make_points, m);
  if (status == RDX_OK && s->sorted_probes)
    status = sort_probes(w, err);
  return status;
}

rdx_status bench_workload_create(const bench_spec *spec, uint64_t seed, bench_workload *out, rdx_error *err) {
  *out = (bench_workload){.spec = *spec,
                          .type = spec->keys == BENCH_U64 ? RDX_TYPE_U64 : RDX_TYPE_U32,
                          .rows = (uint64_t)1 << spec->log_rows,
                          .probes = (uint64_t)1 << spec->log_probes};
  maker m = {.w = out, .seed = seed, .dense = (uint64_t)(spec->dense * (double)out->rows)};
  if (spec->zipf > 0)
    m.zipf = bench_zipf_make(spec->zipf, out->rows);
  const rdx_status status = make(&m, err);
  free(m.rank_sums);
  if (status != RDX_OK)
    bench_workload_destroy(out);
  return status;
}

void bench_workload_destroy(bench_workload *w) {
  free(w->keys);
  free(w->values);
  free(w->lower);
  free(w->upper);
  free(w->sums);
  free(w->counts);
  *w = (bench_workload){0};
}
