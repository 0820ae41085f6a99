/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The kernel that scans packed columns, and its body on the CPU. There the bytes of a plane are in the order of rows,
 * and a few blocks are done term by term while their bitmap and what is undecided stay in the cache. */

#include "base/numbers.h"
#include "kernels/column_scan/kernels.h"
#include "spirv/shaders.h"

#if defined __x86_64__
#include <immintrin.h>
#endif

#define BLOCK_WIDE (BLOCK_ROWS / 64) /* words of 64 rows */
#define TILE_WIDE (TILE_BLOCKS * BLOCK_WIDE)

typedef struct tile {
  const struct column_scan_args *args;
  uint32_t first; /* of its blocks */
  uint32_t words; /* of 64 rows */
  uint32_t live;  /* a bit for each block that a term has to look at */
  uint64_t bytes;
  const uint8_t *ahead; /* the plane that is looked at next: of the next term, or of the first one's next tile */
} tile;

static const uint8_t *plane_of(const tile *c, const scan_term *s, uint32_t plane) {
  return (const uint8_t *)s->planes + plane * c->args->stride + (uint64_t)c->first * BLOCK_ROWS;
}

/* List where the live blocks begin; their bytes are about to be read. */
static uint32_t list_live(tile *c, uint32_t *begins) {
  uint32_t blocks = 0;
  for (uint32_t begin = 0; begin < c->words; begin += BLOCK_WIDE) {
    if ((c->live >> (begin / BLOCK_WIDE) & 1u) == 0)
      continue;
    begins[blocks++] = begin;
    c->bytes += 64ul * (c->words - begin < BLOCK_WIDE ? c->words - begin : BLOCK_WIDE);
  }
  return blocks;
}

/* ---- Comparing 64 bytes with one: bits of those not above it, and of those equal to it ---- */

static inline void compare_plain(const uint8_t *bytes, uint8_t bound, uint64_t *max, uint64_t *equal) {
  /* As in column_scan.comp, but a multiplication brings the highest bits together in the order of bytes. */
  const uint64_t high_bits = 0x8080808080808080u, y = bound * 0x0101010101010101u;
  *max = *equal = 0;
  for (uint32_t k = 0; k < 8; k++) {
    uint64_t x;
    memcpy(&x, bytes + 8 * k, sizeof x);
    const uint64_t up = (y | high_bits) - (x & ~high_bits), down = (x | high_bits) - (y & ~high_bits);
    const uint64_t not_above = ((y & ~x) | (~(x ^ y) & up)) & high_bits;
    const uint64_t not_below = ((x & ~y) | (~(x ^ y) & down)) & high_bits;
    *max |= (not_above >> 7) * 0x0102040810204080u >> 56 << (8 * k);
    *equal |= ((not_above & not_below) >> 7) * 0x0102040810204080u >> 56 << (8 * k);
  }
}

#if defined __x86_64__

#define AVX2 __attribute__((target("avx2")))
#define AVX512 __attribute__((target("avx512f,avx512bw")))

AVX2 static inline void compare_avx2(const uint8_t *bytes, uint8_t bound, uint64_t *max, uint64_t *equal) {
  const __m256i y = _mm256_set1_epi8((char)bound);
  *max = *equal = 0;
  for (uint32_t k = 0; k < 2; k++) {
    const __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(bytes + 32 * k));
    const __m256i not_above = _mm256_cmpeq_epi8(_mm256_min_epu8(x, y), x);
    *max |= (uint64_t)(uint32_t)_mm256_movemask_epi8(not_above) << (32 * k);
    *equal |= (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, y)) << (32 * k);
  }
}

AVX512 static inline void compare_avx512(const uint8_t *bytes, uint8_t bound, uint64_t *max, uint64_t *equal) {
  const __m512i x = _mm512_loadu_si512(bytes), y = _mm512_set1_epi8((char)bound);
  *max = _mm512_cmple_epu8_mask(x, y);
  *equal = _mm512_cmpeq_epu8_mask(x, y);
}

#endif

/* ---- Of `rows`, those whose number is not above `bound` ----
 *
 * Only live blocks are looked at; the others keep their result. They are walked through side by side, each a page of
 * memory, and the same line of the next tile is fetched ahead: so many streams keep more lines on their way than one
 * (from memory 1.5 times the bytes a second). The planes after the first are looked at only in words that have
 * undecided rows. Those are listed without a branch, which would be hard to foresee, and fetched ahead, as no hardware
 * foresees them. Once for each instruction set. */

#define AHEAD 24

#define DEFINE_AT_MOST(isa, target)                                                                                    \
  target static void at_most_##isa(tile *c, const scan_term *s, uint64_t bound, const uint64_t *rows,                  \
                                   uint64_t *result) {                                                                 \
    uint64_t undecided[TILE_WIDE], max, equal;                                                                         \
    uint32_t begins[TILE_BLOCKS], list[TILE_WIDE], count = 0;                                                          \
    const uint32_t blocks = list_live(c, begins);                                                                      \
    const uint32_t last = planes_of_bound(bound, s->plane_count) - 1, end_shift = 8 * (s->plane_count - 1);            \
    const uint8_t *plane = plane_of(c, s, 0), *next = plane_of(c, s, last > 0);                                        \
    uint8_t byte = (uint8_t)(bound >> end_shift);                                                                      \
    for (uint32_t i = 0; i < BLOCK_WIDE; i++) {                                                                        \
      for (uint32_t b = 0; b < blocks; b++) {                                                                          \
        const uint32_t w = begins[b] + i;                                                                              \
        if (w >= c->words)                                                                                             \
          break;                                                                                                       \
        __builtin_prefetch(c->ahead + 64 * w);                                                                         \
        compare_##isa(plane + 64 * w, byte, &max, &equal);                                                             \
        result[w] = rows[w] & max;                                                                                     \
        if (last == 0)                                                                                                 \
          continue;                                                                                                    \
        undecided[w] = result[w] & equal;                                                                              \
        list[count] = w;                                                                                               \
        __builtin_prefetch((undecided[w] != 0 ? next : plane) + 64 * w, 0, 2);                                         \
        count += undecided[w] != 0;                                                                                    \
      }                                                                                                                \
    }                                                                                                                  \
    for (uint32_t p = 1; p <= last && count > 0; p++) {                                                                \
      const uint32_t listed = count;                                                                                   \
      plane = plane_of(c, s, p);                                                                                       \
      for (uint32_t k = 0; k < listed && k < AHEAD; k++)                                                               \
        __builtin_prefetch(plane + 64 * list[k]);                                                                      \
      byte = (uint8_t)(bound >> (end_shift - 8 * p));                                                                  \
      c->bytes += 64 * count;                                                                                          \
      count = 0;                                                                                                       \
      for (uint32_t k = 0; k < listed; k++) {                                                                          \
        const uint32_t w = list[k];                                                                                    \
        __builtin_prefetch(plane + 64 * list[k + AHEAD < listed ? k + AHEAD : k]);                                     \
        compare_##isa(plane + 64 * w, byte, &max, &equal);                                                             \
        result[w] &= ~(undecided[w] & ~max);                                                                           \
        undecided[w] &= equal;                                                                                         \
        list[count] = w;                                                                                               \
        count += undecided[w] != 0;                                                                                    \
      }                                                                                                                \
    }                                                                                                                  \
  }

DEFINE_AT_MOST(plain, )

typedef void (*at_most_fn)(tile *c, const scan_term *s, uint64_t bound, const uint64_t *rows, uint64_t *result);

#if defined __x86_64__

DEFINE_AT_MOST(avx2, AVX2)
DEFINE_AT_MOST(avx512, AVX512)

static at_most_fn best_at_most(void) {
  return __builtin_cpu_supports("avx512bw") ? at_most_avx512
         : __builtin_cpu_supports("avx2")   ? at_most_avx2
                                            : at_most_plain;
}

#else

static at_most_fn best_at_most(void) {
  return at_most_plain;
}

#endif

/* ---- Terms, over the live blocks ---- */

/* Narrow `rows` to those in one interval. */
static void in_interval(tile *c, const scan_term *s, at_most_fn at_most, uint32_t interval, uint64_t *rows) {
  const uint64_t low = c->args->intervals[2 * interval], high = c->args->intervals[2 * interval + 1];
  uint64_t below[TILE_WIDE] = {0};
  if (high != UINT64_MAX)
    at_most(c, s, high, rows, rows);
  if (low == 0)
    return;
  at_most(c, s, low - 1, rows, below);
  for (uint32_t w = 0; w < c->words; w++)
    rows[w] &= ~below[w];
}

static void in_intervals(tile *c, const scan_term *s, at_most_fn at_most, uint64_t *rows) {
  uint64_t found[TILE_WIDE] = {0};
  for (uint32_t k = 0; k < s->interval_count; k++) {
    uint64_t in[TILE_WIDE];
    for (uint32_t w = 0; w < c->words; w++)
      in[w] = rows[w] & ~found[w];
    in_interval(c, s, at_most, s->first + k, in);
    for (uint32_t w = 0; w < c->words; w++)
      found[w] |= in[w];
  }
  memcpy(rows, found, c->words * sizeof *rows);
}

static bool search_number(tile *c, const scan_term *s, uint32_t row) {
  uint64_t number = 0;
  for (uint32_t p = 0; p < s->plane_count; p++)
    number = number << 8 | plane_of(c, s, p)[row];
  c->bytes += s->plane_count;
  return zone_meets(c->args->intervals, s->first, s->interval_count, number, number) == ZONE_ALL;
}

/* What one byte does not decide is searched for, row by row. */
static void in_table(tile *c, const scan_term *s, uint64_t *rows) {
  const uint8_t *plane = plane_of(c, s, 0);
  uint8_t decides[256]; /* bit 0: all of it, bit 1: some */
  for (uint32_t byte = 0; byte < 256; byte++)
    decides[byte] = (uint8_t)(byte_table(c->args->intervals, s->table, byte) |
                              byte_table(c->args->intervals, s->table + BYTE_TABLE_SOME, byte) << 1);
  for (uint32_t w = 0; w < c->words; w++) {
    uint64_t all = 0, some = 0;
    if ((c->live >> (w / BLOCK_WIDE) & 1u) == 0)
      continue;
    c->bytes += 64;
    for (uint32_t k = 0; k < 64; k++) {
      const uint64_t d = decides[plane[64 * w + k]];
      all |= (d & 1) << k;
      some |= d >> 1 << k;
    }
    rows[w] &= all | some;
    for (some &= rows[w]; some != 0; some &= some - 1) {
      const uint32_t k = (uint32_t)__builtin_ctzll(some);
      if (!search_number(c, s, 64 * w + k))
        rows[w] &= ~((uint64_t)1 << k);
    }
  }
}

/* Bits of the tile's rows from a bitmap; zero past the last row. */
static void load_bits(tile *c, const uint32_t *bitmap, uint64_t *rows) {
  const uint64_t words = (c->args->rows + 31ul) / 32, begin = (uint64_t)c->first * BLOCK_WORDS;
  const uint64_t count = words - begin < 2 * (uint64_t)c->words ? words - begin : 2 * (uint64_t)c->words;
  rows[c->words - 1] = 0;
  memcpy(rows, bitmap + begin, 4 * count);
  c->bytes += 4 * count;
}

static bool any(const uint64_t *rows, uint32_t words) {
  uint32_t w = 0;
  while (w < words && rows[w] == 0) /* few steps, mostly */
    w++;
  return w < words;
}

/* Find the blocks that a term has to look at; of the others it takes all rows or none. */
static void find_live(tile *c, const scan_term *s, uint64_t *rows) {
  c->live = 0;
  for (uint32_t begin = 0; begin < c->words; begin += BLOCK_WIDE) {
    const uint32_t words = c->words - begin < BLOCK_WIDE ? c->words - begin : BLOCK_WIDE;
    const uint64_t block = c->first + begin / BLOCK_WIDE;
    if (!any(rows + begin, words))
      continue;
    const uint32_t meets = !s->zones ? ZONE_SOME
                                     : zone_meets(c->args->intervals, s->first, s->interval_count, s->zones[2 * block],
                                                  s->zones[2 * block + 1]);
    if (meets == ZONE_NONE)
      memset(rows + begin, 0, words * sizeof *rows);
    c->live |= (uint32_t)(meets == ZONE_SOME) << begin / BLOCK_WIDE;
  }
}

static void filter_rows(tile *c, const scan_term *s, at_most_fn at_most, uint64_t *rows) {
  if (s->valid) {
    uint64_t valid[TILE_WIDE];
    load_bits(c, s->valid, valid);
    for (uint32_t w = 0; w < c->words; w++)
      rows[w] &= valid[w];
  }
  find_live(c, s, rows);
  if (c->live == 0)
    return;
  if (s->interval_count == 1)
    in_interval(c, s, at_most, s->first, rows);
  else if (s->interval_count <= LINEAR_INTERVALS)
    in_intervals(c, s, at_most, rows);
  else
    in_table(c, s, rows);
}

/* Returns how many rows there are. */
static uint32_t scan_tile(const struct column_scan_args *a, uint32_t index, at_most_fn at_most, bool count_bytes) {
  const uint64_t begin = (uint64_t)index * TILE_WORDS * 32, left = a->rows - begin;
  const uint32_t n = left < TILE_WORDS * 32 ? (uint32_t)left : TILE_WORDS * 32;
  const uint32_t words = (n + 31) / 32;
  tile c = {.args = a, .first = index * TILE_BLOCKS, .words = (n + 63) / 64};
  uint64_t rows[TILE_WIDE];
  if (a->narrow) {
    load_bits(&c, a->words, rows);
  } else {
    memset(rows, 0xff, c.words * sizeof *rows);
    rows[c.words - 1] = UINT64_MAX >> (64 * c.words - n);
  }
  for (uint32_t t = 0; t < a->term_count && any(rows, c.words); t++) {
    const bool last = t + 1 == a->term_count;
    c.ahead = plane_of(&c, &a->terms[last ? 0 : t + 1], 0) + (last ? TILE_BLOCKS * BLOCK_ROWS : 0);
    filter_rows(&c, &a->terms[t], at_most, rows);
  }
  memcpy(a->words + begin / 32, rows, words * sizeof *a->words);
  if (count_bytes)
    a->bytes[index] = (uint32_t)(c.bytes + words * sizeof *a->words);
  return rdx_count_bits(a->words + begin / 32, words);
}

RDX_KERNEL_BODY(scan, column_scan_args) {
  const at_most_fn at_most = best_at_most();
  uint32_t found = 0;
  for (uint32_t k = 0; k < a->count; k++)
    found += scan_tile(a, a->first + k, at_most, variant[0] != 0);
  if (a->total)
    __atomic_fetch_add(a->total, found, __ATOMIC_RELAXED);
}

const rdx_kernel rdx_kernel_column_scan =
    RDX_COMPUTE_KERNEL("column scan", column_scan_args, 1, 2, 1, scan, spirv_column_scan_comp);
