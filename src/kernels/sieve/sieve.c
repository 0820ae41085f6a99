/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The kernels of uniform encoding and sieving, and their bodies on the CPU. */

#include "base/numbers.h"
#include "kernels/sieve/kernels.h"
#include "spirv/shaders.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

RDX_KERNEL_BODY(map, sieve_map_args) {
  for (uint64_t i = a->first; i < (uint64_t)a->first + a->count; i++) {
    const uint64_t code = load_key(a->sorted, (uint32_t)i * a->step, variant[0]);
    a->out_codes[i] = code;
    a->out_first[i] = lower_bound_key(a->sorted, 0, a->n, code, variant[0]);
    a->out_end[i] = upper_bound_key(a->sorted, 0, a->n, code, variant[0]);
  }
}

/* ---- Vectors ---- */

#define LINE_WORDS 16u /* words of each vector in flight: a cache line */

/* How many of `n` ascending borders are at or below a code. */
static uint32_t passed(const uint64_t *borders, uint32_t n, uint64_t code) {
  const uint64_t *begin = borders;
  while (n > 1) {
    const uint32_t half = n / 2;
    begin += begin[half - 1] <= code ? half : 0;
    n -= half;
  }
  return (uint32_t)(begin - borders) + (n == 1 && *begin <= code);
}

/* RTScan, Figure 9 "Sieving bit vectors for one attribute". */
/* Up to LINE_WORDS words of all vectors and planes: a row is in every vector from the one after the borders it has
 * passed. */
static void build_line(const struct sieve_build_args *a, uint32_t key64, uint32_t word, uint32_t words,
                       uint32_t (*marks)[LINE_WORDS]) {
  const uint32_t vectors = a->border_count >> a->planes;
  uint32_t planes[SIEVE_MAX_PLANES][LINE_WORDS] = {{0}};
  memset(marks, 0, (vectors + 1) * sizeof *marks);
  for (uint32_t w = 0; w < words; w++) {
    const uint32_t begin = (word + w) * 32, rest = a->rows - begin;
    const uint32_t valid = a->valid ? a->valid[word + w] : UINT32_MAX;
    for (uint32_t k = 0; k < 32 && k < rest; k++) {
      const uint32_t part = passed(a->borders, a->border_count, load_key(a->codes, begin + k, key64));
      marks[part >> a->planes][w] |= (valid >> k & 1u) << k;
      for (uint32_t p = 0; p < a->planes; p++)
        planes[p][w] |= (~part >> p & 1u) << k;
    }
  }
  uint32_t bits[LINE_WORDS] = {0};
  for (uint32_t j = 0; j < vectors; j++) {
    for (uint32_t w = 0; w < LINE_WORDS; w++)
      bits[w] |= marks[j][w];
    memcpy(a->vectors + j * a->stride + word, bits, words * sizeof *bits);
  }
  for (uint32_t p = 0; p < a->planes; p++)
    memcpy(a->vectors + (vectors + p) * a->stride + word, planes[p], words * sizeof *bits);
}

RDX_KERNEL_BODY(build, sieve_build_args) {
  uint32_t marks[SIEVE_MAX_VECTORS + 1][LINE_WORDS];
  for (uint32_t done = 0; done < a->count; done += LINE_WORDS)
    build_line(a, variant[0], a->first + done, a->count - done < LINE_WORDS ? a->count - done : LINE_WORDS, marks);
}

/* ---- Terms to a result ---- */

#define BLOCK_WORDS 512u /* words of the result in flight */

#define MAX_SOURCES 3 /* in flight */

/* What a term XORs together, from word `first` on. */
typedef struct sources {
  const uint32_t *of[MAX_SOURCES]; /* the first of them */
  uint32_t count;
} sources;

/* More than the loops below take? Keep the sum of the first two. */
static void reserve(sources *s, uint32_t *sum, uint32_t words) {
  if (s->count < MAX_SOURCES)
    return;
  for (uint32_t w = 0; w < words; w++)
    sum[w] = s->of[0][w] ^ s->of[1][w];
  s->of[0] = sum;
  s->of[1] = s->of[2];
  s->count = 2;
}

/* The words of the rows below a border, made in `scratch` where they are not a vector of their own. */
static const uint32_t *below_border(const struct sieve_vector *v, const uint32_t *valid, uint64_t stride,
                                    uint32_t first, uint32_t words, uint32_t *restrict scratch) {
  if (v->place == 0)
    return v->low + first;
  const uint32_t *plane = v->planes + first, *high = v->high ? v->high : valid;
  memcpy(scratch, plane, words * sizeof *scratch);
  for (uint32_t k = 1; k < v->plane_count; k++) {
    plane += stride;
    if (v->place >> k & 1u)
      for (uint32_t w = 0; w < words; w++)
        scratch[w] |= plane[w];
    else
      for (uint32_t w = 0; w < words; w++)
        scratch[w] &= plane[w];
  }
  for (uint32_t w = 0; w < words && high; w++)
    scratch[w] &= high[first + w];
  for (uint32_t w = 0; w < words && v->low; w++)
    scratch[w] |= v->low[first + w];
  return scratch;
}

/* Put the words of a term into the result, which has something already unless the term is the `first`. */
RDX_INLINE void intersect_with(uint32_t *restrict result, const sources *s, bool first, uint32_t words) {
  const uint32_t *a = s->of[0], *b = s->of[1], *c = s->of[2];
  if (s->count == 0)
    memset(result, 0, words * sizeof *result);
  else if (s->count == 1 && first)
    memcpy(result, a, words * sizeof *result);
  else if (s->count == 1)
    for (uint32_t w = 0; w < words; w++)
      result[w] &= a[w];
  else if (s->count == 2)
    for (uint32_t w = 0; w < words; w++)
      result[w] = (a[w] ^ b[w]) & (first ? UINT32_MAX : result[w]);
  else
    for (uint32_t w = 0; w < words; w++)
      result[w] = (a[w] ^ b[w] ^ c[w]) & (first ? UINT32_MAX : result[w]);
}

static void intersect_any(uint32_t *restrict result, const sources *s, bool first, uint32_t words) {
  intersect_with(result, s, first, words);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void intersect_avx2(uint32_t *restrict result, const sources *s, bool first,
                                                           uint32_t words) {
  intersect_with(result, s, first, words);
}

static void intersect(uint32_t *result, const sources *s, bool first, uint32_t words) {
  (__builtin_cpu_supports("avx2") ? intersect_avx2 : intersect_any)(result, s, first, words);
}
#else
#define intersect intersect_any
#endif

#define MAX_STREAMS 16

/* What all terms read of their vectors, or the first of it. */
static uint32_t list_streams(const struct sieve_combine_args *a, const uint32_t **streams) {
  uint32_t count = 0;
  for (uint32_t t = 0; t < a->term_count; t++) {
    const struct sieve_term *term = &SIEVE_TERM(a->query, t);
    for (uint32_t v = 0; v < term->vector_count && count < MAX_STREAMS; v++) {
      const struct sieve_vector *vector = &SIEVE_VECTORS(a->query, term->vectors)[v];
      streams[count++] = vector->place == 0 ? vector->low : vector->planes;
    }
  }
  return count;
}

/* Fetch a block, side by side: memory gives more to several streams at a time. */
static void fetch_block(const uint32_t *const *streams, uint32_t count, uint32_t *out, uint64_t first, uint32_t words) {
  for (uint32_t word = 0; word < words; word += LINE_WORDS) {
    for (uint32_t s = 0; s < count; s++)
      __builtin_prefetch(streams[s] + first + word);
    __builtin_prefetch(out + first + word, 1);
  }
}

static void combine_block(const struct sieve_combine_args *a, uint32_t first, uint32_t words) {
  uint32_t *out = a->out_bits + first, sum[BLOCK_WORDS], ones[BLOCK_WORDS];
  uint32_t capacities[MAX_SOURCES][BLOCK_WORDS];
  for (uint32_t t = 0; t < a->term_count; t++) {
    const struct sieve_term *term = &SIEVE_TERM(a->query, t);
    sources s = {{NULL}, 0};
    if (term->all && !term->valid)
      memset(ones, 0xff, sizeof ones);
    if (term->all)
      s.of[s.count++] = term->valid ? term->valid + first : ones;
    for (uint32_t v = 0; v < term->vector_count; v++) {
      reserve(&s, sum, words);
      s.of[s.count++] = below_border(&SIEVE_VECTORS(a->query, term->vectors)[v], term->valid, a->stride, first, words,
                                     capacities[v % MAX_SOURCES]);
    }
    intersect(out, &s, t == 0 && !a->narrow, words);
  }
}

/* Words begin .. end - 1 of the result; returns how many rows they have. */
static uint32_t combine_words(const struct sieve_combine_args *a, uint64_t begin, uint64_t end) {
  const uint64_t all = ((uint64_t)a->rows + 31) / 32;
  const uint32_t *streams[MAX_STREAMS];
  const uint32_t stream_count = list_streams(a, streams);
  uint32_t found = 0;
  for (uint64_t word = begin; word < end; word += BLOCK_WORDS) {
    const uint32_t words = (uint32_t)(end - word < BLOCK_WORDS ? end - word : BLOCK_WORDS);
    fetch_block(streams, stream_count, a->out_bits, word, words);
    combine_block(a, (uint32_t)word, words);
    if (word + words == all && a->rows % 32)
      a->out_bits[all - 1] &= (1u << a->rows % 32) - 1;
    found += a->total ? rdx_count_bits(a->out_bits + word, words) : 0;
  }
  return found;
}

RDX_KERNEL_BODY(combine, sieve_combine_args) {
  const uint64_t all = ((uint64_t)a->rows + 31) / 32;
  const uint64_t wanted = ((uint64_t)a->first + a->count) * SIEVE_WORDS, end = wanted < all ? wanted : all;
  const uint32_t found = combine_words(a, (uint64_t)a->first * SIEVE_WORDS, end);
  if (a->total)
    __atomic_fetch_add(a->total, found, __ATOMIC_RELAXED);
}

/* ---- Rows between bounds and borders ---- */

#define AHEAD 32u  /* rows whose words are fetched before they are needed */
#define BATCH 128u /* rows whose codes are fetched together */

static void fetch_code(const struct sieve_term *term, uint32_t row) {
  __builtin_prefetch((const char *)term->codes + ((uint64_t)row << (term->key64 ? 3 : 2)));
}

/* What deciding a row reads first. */
static void fetch_words(const struct sieve_refine_args *a, uint32_t truth, uint32_t row) {
  __builtin_prefetch(&a->out_bits[row / 32], 1);
  for (uint32_t t = 0; t < a->term_count && truth != SIEVE_NO; t++) {
    const struct sieve_term *term = &SIEVE_TERM(a->query, t);
    if (truth == SIEVE_DOUBT)
      fetch_code(term, row);
    else if (term->vector_count > 0)
      __builtin_prefetch(&SIEVE_VECTORS(a->query, term->vectors)[0].low[row / 32]);
  }
}

#define NOBODY UINT32_MAX

/* The first term, if any, whose vectors are against a row. */
static uint32_t first_against(const struct sieve_refine_args *a, uint32_t known, uint32_t row) {
  for (uint32_t t = 0; t < a->term_count; t++)
    if (t != known && !sieve_says(a->query, SIEVE_TERM(a->query, t), row))
      return t;
  return NOBODY;
}

/* A row that is out unless its code says that a term's vectors are wrong about it. */
typedef struct dispute {
  uint32_t row, term;
} dispute;

/* As sieve_put(), and without others where a thread is `alone` with the words of its rows. */
static inline uint32_t put(const struct sieve_refine_args *a, bool alone, uint32_t row, bool yes) {
  if (!alone)
    return sieve_put(a->out_bits, row, yes);
  uint32_t *word = &a->out_bits[row / 32];
  const uint32_t bit = row % 32, was = *word >> bit & 1u;
  *word ^= (was ^ yes) << bit;
  return yes - was;
}

static uint32_t settle(const struct sieve_refine_args *a, bool alone, uint32_t known, const dispute *disputes,
                       uint32_t count) {
  uint32_t change = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t row = disputes[i].row;
    if (sieve_true(a->query, SIEVE_TERM(a->query, disputes[i].term), row) &&
        sieve_admits(a->query, a->term_count, known, a->mask, row))
      change += put(a, alone, row, true);
  }
  return change;
}

/* Returns what the number of rows changes by; so does refine_rows. */
static uint32_t admit_rows(const struct sieve_refine_args *a, bool alone, uint32_t known, const uint32_t *rows,
                           uint32_t count) {
  uint32_t change = 0;
  for (uint32_t done = 0; done < count; done += BATCH) {
    const uint32_t end = count - done < BATCH ? count : done + BATCH;
    dispute disputes[BATCH];
    uint32_t n = 0;
    for (uint32_t i = done; i < end; i++) {
      if (count - i > AHEAD)
        fetch_words(a, SIEVE_YES, rows[i + AHEAD]);
      const uint32_t row = rows[i], against = has_bit(a->mask, row) ? first_against(a, known, row) : known;
      if (against == NOBODY) {
        change += put(a, alone, row, true);
      } else if (against != known && SIEVE_TERM(a->query, against).misses) {
        fetch_code(&SIEVE_TERM(a->query, against), row);
        disputes[n++] = (dispute){row, against};
      }
    }
    change += settle(a, alone, known, disputes, n);
  }
  return change;
}

static uint32_t refine_rows(const struct sieve_refine_args *a, bool alone, const struct sieve_region *region,
                            const uint32_t *rows, uint32_t count) {
  uint32_t change = 0;
  if (region->truth == SIEVE_YES)
    return admit_rows(a, alone, region->term, rows, count);
  for (uint32_t i = 0; i < count; i++) {
    if (count - i > AHEAD)
      fetch_words(a, region->truth, rows[i + AHEAD]);
    change +=
        put(a, alone, rows[i], region->truth == SIEVE_DOUBT && sieve_decide(a->query, a->term_count, a->mask, rows[i]));
  }
  return change;
}

RDX_KERNEL_BODY(refine, sieve_refine_args) {
  const uint32_t end = a->first + a->count;
  struct sieve_region *regions = SIEVE_REGIONS(a->query, a->regions);
  uint32_t r = sieve_region_of(regions, a->region_count, a->first), change = 0;
  for (uint32_t i = a->first; i < end; r++) {
    const struct sieve_region *region = &regions[r];
    const uint32_t next = r + 1 < a->region_count && regions[r + 1].start < end ? regions[r + 1].start : end;
    change += refine_rows(a, false, region, region->rows + (i - region->start), next - i);
    i = next;
  }
  if (a->total)
    __atomic_fetch_add(a->total, change, __ATOMIC_RELAXED);
}

/* ---- Slices: all of that, by the words of the result ---- */

#define PICKED 4096u /* rows of a region that are gone through at a time */

#define PICK(name, attributes)                                                                                         \
  attributes static uint32_t name(const uint32_t *rows, uint32_t count, uint32_t begin, uint32_t size, uint32_t *out)

/* Those of the rows that are among the `size` from `begin` on. */
PICK(pick_any, ) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < count; i++) {
    out[n] = rows[i];
    n += rows[i] - begin < size;
  }
  return n;
}

#if defined(__x86_64__)
PICK(pick_avx512, __attribute__((target("avx512f,popcnt")))) {
  const __m512i first = _mm512_set1_epi32((int)begin), all = _mm512_set1_epi32((int)size);
  uint32_t n = 0, i = 0;
  for (; i + 16 <= count; i += 16) {
    const __m512i some = _mm512_loadu_si512(rows + i);
    const __mmask16 mine = _mm512_cmplt_epu32_mask(_mm512_sub_epi32(some, first), all);
    _mm512_storeu_si512(out + n, _mm512_maskz_compress_epi32(mine, some));
    n += (uint32_t)_mm_popcnt_u32(mine);
  }
  return n + pick_any(rows + i, count - i, begin, size, out + n);
}

PICK(pick, ) {
  return (__builtin_cpu_supports("avx512f") ? pick_avx512 : pick_any)(rows, count, begin, size, out);
}
#else
#define pick pick_any
#endif

/* The rows of a region that are in a slice. */
static uint32_t refine_slice(const struct sieve_refine_args *a, const struct sieve_region *region, uint32_t count,
                             uint32_t begin, uint32_t size) {
  uint32_t picked[PICKED + 16], change = 0;
  for (uint64_t i = 0; i < count; i += PICKED) {
    const uint32_t n = pick(region->rows + i, (uint32_t)(count - i < PICKED ? count - i : PICKED), begin, size, picked);
    change += refine_rows(a, true, region, picked, n);
  }
  return change;
}

static uint32_t answer_slice(const struct sieve_slices_args *a, uint32_t slice) {
  const uint64_t words = ((uint64_t)a->rows + 31) / 32, each = (words + a->slices - 1) / a->slices;
  const uint64_t size = (each + LINE_WORDS - 1) / LINE_WORDS * LINE_WORDS, begin = slice * size;
  if (begin >= words)
    return 0;
  const uint64_t end = words - begin < size ? words : begin + size;
  const struct sieve_combine_args combining = {.query = a->query,
                                               .out_bits = a->out_bits,
                                               .total = a->total,
                                               .stride = a->stride,
                                               .term_count = a->term_count,
                                               .rows = a->rows,
                                               .narrow = a->narrow};
  const struct sieve_refine_args refining = {
      .query = a->query, .mask = a->mask, .out_bits = a->out_bits, .term_count = a->term_count};
  const uint64_t rows = (end - begin) * 32;
  uint32_t found = combine_words(&combining, begin, end);
  for (uint32_t kind = 0; kind < 2; kind++) {
    const struct sieve_region *regions = SIEVE_REGIONS(a->query, a->regions[kind]);
    for (uint32_t r = 0; r < a->region_count[kind]; r++) {
      const uint32_t next = r + 1 < a->region_count[kind] ? regions[r + 1].start : a->refined[kind];
      found += refine_slice(&refining, &regions[r], next - regions[r].start, (uint32_t)begin * 32,
                            (uint32_t)(rows < UINT32_MAX ? rows : UINT32_MAX));
    }
  }
  return found;
}

RDX_KERNEL_BODY(answer_slices, sieve_slices_args) {
  for (uint32_t slice = a->first; slice < a->first + a->count; slice++) {
    const uint32_t found = answer_slice(a, slice);
    if (a->total)
      __atomic_fetch_add(a->total, found, __ATOMIC_RELAXED);
  }
}

const rdx_kernel rdx_kernel_sieve_map =
    RDX_COMPUTE_KERNEL("sieve map", sieve_map_args, 1, 1024, 256, map, spirv_sieve_map_comp);
const rdx_kernel rdx_kernel_sieve_build =
    RDX_COMPUTE_KERNEL("sieve build", sieve_build_args, 1, 64 * LINE_WORDS, 64, build, spirv_sieve_build_comp);
const rdx_kernel rdx_kernel_sieve_combine =
    RDX_COMPUTE_KERNEL("sieve combine", sieve_combine_args, 0, 2048, 256, combine, spirv_sieve_combine_comp);
const rdx_kernel rdx_kernel_sieve_refine =
    RDX_COMPUTE_KERNEL("sieve refine", sieve_refine_args, 0, 1024, 256, refine, spirv_sieve_refine_comp);

const rdx_kernel rdx_kernel_sieve_slices = {
    .name = "sieve slices", .args_size = sizeof(struct sieve_slices_args), .grain = 1, .body = answer_slices};
