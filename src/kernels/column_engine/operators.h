/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_COLUMN_ENGINE_OPERATORS_H
#define RDX_KERNELS_COLUMN_ENGINE_OPERATORS_H

/* What tiles do to many rows at once on the CPU, for each instruction set: for the file that includes it. */

#include "kernels/column_engine/host.h"

#if defined __x86_64__
#include <immintrin.h>
#endif

#define ENGINE_SLACK 16 /* rows: vectors are stored whole */
#define HOT static inline __attribute__((always_inline))

/* Bits of fewer than ENGINE_SMALL codes as a byte for each of 512, of which bit k is that of the code k * 512 further
 * on: what byte shuffles look up. */
typedef struct small_bits {
  uint8_t bytes[ENGINE_SMALL / 8] __attribute__((aligned(64)));
} small_bits;

/* Bits of `count` codes from `low` on, in the form for shuffles. */
static inline void make_small(const uint32_t *bits, uint64_t low, uint64_t count, small_bits *out) {
  memset(out, 0, sizeof *out);
  for (uint64_t k = 0; k < count; k++)
    out->bytes[(low + k) % 512] |= (uint8_t)((bits[k / 32] >> k % 32 & 1) << (low + k) / 512);
}

/* A bit for each code from `low` on. */
typedef struct code_set {
  const uint32_t *bits;
  uint64_t low;
} code_set;

/* A batch's piece of a column, a word of 64 rows after the other. */
typedef struct piece {
  const char *codes;
  uint32_t bytes; /* of a code */
  uint32_t count; /* words */
  uint32_t ahead; /* bytes: what is so far ahead of a word is fetched meanwhile; 0: nothing is */
} piece;

/* What is written for each instruction set. */
typedef struct operators {
  uint32_t few; /* words are looked up while one row of so many is left; then it is sooner done to follow a list */
  /* Narrow words to the rows whose code less `low` is at most `span`. */
  void (*compare)(const piece *p, uint64_t low, uint64_t span, uint64_t *words);
  /* List the rows whose bits are set, of which the first is `row`. */
  uint32_t (*list)(const uint64_t *words, uint32_t count, uint32_t row, uint32_t *rows);
  /* Narrow words to the rows whose codes, none of which is below or beyond those that the set has bits for, have their
   * bits set. */
  void (*look_up)(const piece *p, const code_set *set, uint64_t *words);
  /* The same where the set has that form; NULL: it would take no less than the above. */
  void (*look_up_small)(const piece *p, const small_bits *small, uint64_t *words);
  /* Keep those of listed rows, counted from `first`, whose foreign rows have their bits set. */
  uint32_t (*follow)(const engine_link *link, uint32_t first, uint32_t *rows, uint32_t n);
} operators;

/* Codes of a word of rows. */
HOT const char *codes_of(const piece *p, uint32_t w) {
  return p->codes + (size_t)w * 64 * p->bytes;
}

/* Fetch what is ahead of a line, of 64 bytes: the processor does not foresee that a batch reads pieces of several
 * columns, with gaps in some. Line by line where words are gone through, as to ask for all of a piece at once takes
 * long. */
HOT void fetch_ahead(const piece *p, const char *line) {
  if (p->ahead != 0)
    __builtin_prefetch(line + p->ahead);
}

HOT void fetch_word_ahead(const piece *p, uint32_t w) {
  for (uint32_t k = 0; k < p->bytes; k++)
    fetch_ahead(p, codes_of(p, w) + 64 * k);
}

/* ---- Plain operators ---- */

/* A multiplication brings eight bytes that are 0 or 1 together as bits. */
#define DEFINE_COMPARE(bits)                                                                                           \
  HOT uint64_t compare_u##bits(const void *codes, uint64_t low, uint64_t span) {                                       \
    const uint##bits##_t *c = codes, from = (uint##bits##_t)low, max = (uint##bits##_t)span;                           \
    uint8_t inside[64];                                                                                                \
    uint64_t word = 0;                                                                                                 \
    for (uint32_t k = 0; k < 64; k++)                                                                                  \
      inside[k] = (uint##bits##_t)(c[k] - from) <= max;                                                                \
    for (uint32_t k = 0; k < 8; k++) {                                                                                 \
      uint64_t eight;                                                                                                  \
      memcpy(&eight, inside + 8 * k, sizeof eight);                                                                    \
      word |= eight * 0x0102040810204080u >> 56 << (8 * k);                                                            \
    }                                                                                                                  \
    return word;                                                                                                       \
  }

DEFINE_COMPARE(8)
DEFINE_COMPARE(16)
DEFINE_COMPARE(32)
DEFINE_COMPARE(64)

#define COMPARE_EACH(bits)                                                                                             \
  for (uint32_t w = 0; w < p->count; w++)                                                                              \
    if (words[w] != 0) {                                                                                               \
      fetch_word_ahead(p, w);                                                                                          \
      words[w] &= compare_u##bits(codes_of(p, w), low, span);                                                          \
    }                                                                                                                  \
  break

HOT void compare_any(const piece *p, uint64_t low, uint64_t span, uint64_t *words) {
  switch (p->bytes) {
  case 1:
    COMPARE_EACH(8);
  case 2:
    COMPARE_EACH(16);
  case 4:
    COMPARE_EACH(32);
  default:
    COMPARE_EACH(64);
  }
}

HOT uint32_t list_any(const uint64_t *words, uint32_t count, uint32_t row, uint32_t *rows) {
  uint32_t n = 0;
  for (uint32_t w = 0; w < count; w++)
    for (uint64_t bits = words[w]; bits != 0; bits &= bits - 1)
      rows[n++] = row + 64 * w + (uint32_t)__builtin_ctzll(bits);
  return n;
}

HOT void look_up_any(const piece *p, const code_set *set, uint64_t *words) {
  for (uint32_t w = 0; w < p->count; w++) {
    const uint32_t *codes = (const uint32_t *)(const void *)codes_of(p, w);
    uint64_t found = 0;
    if (words[w] != 0)
      fetch_word_ahead(p, w);
    for (uint64_t left = words[w]; left != 0; left &= left - 1) {
      const uint32_t k = (uint32_t)__builtin_ctzll(left);
      const uint64_t code = load_code(codes, p->bytes, k) - set->low;
      found |= (uint64_t)(set->bits[code / 32] >> code % 32 & 1) << k;
    }
    words[w] = found;
  }
}

HOT uint32_t follow_any(const engine_link *link, uint32_t first, uint32_t *rows, uint32_t n) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i++) { /* without a branch that would be hard to foresee */
    const uint32_t row = rows[i], foreign_row = (uint32_t)load_code(link->foreign_rows, link->bytes, first + row);
    rows[kept] = row;
    kept += link->bits[foreign_row / 32] >> foreign_row % 32 & 1;
  }
  return kept;
}

static void compare_plain(const piece *p, uint64_t low, uint64_t span, uint64_t *words) {
  compare_any(p, low, span, words);
}

static uint32_t list_plain(const uint64_t *words, uint32_t count, uint32_t row, uint32_t *rows) {
  return list_any(words, count, row, rows);
}

static void look_up_plain(const piece *p, const code_set *set, uint64_t *words) {
  look_up_any(p, set, words);
}

static uint32_t follow_plain(const engine_link *link, uint32_t first, uint32_t *rows, uint32_t n) {
  return follow_any(link, first, rows, n);
}

/* ---- Vector operators ---- */

#if defined __x86_64__

#define AVX2 __attribute__((target("avx2,bmi,popcnt")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi,popcnt")))
#define VBMI2 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi,bmi2,popcnt")))

AVX2 static void compare_avx2(const piece *p, uint64_t low, uint64_t span, uint64_t *words) {
  compare_any(p, low, span, words);
}

AVX2 static uint32_t list_avx2(const uint64_t *words, uint32_t count, uint32_t row, uint32_t *rows) {
  return list_any(words, count, row, rows);
}

AVX2 static void look_up_avx2(const piece *p, const code_set *set, uint64_t *words) {
  look_up_any(p, set, words);
}

AVX2 static uint32_t follow_avx2(const engine_link *link, uint32_t first, uint32_t *rows, uint32_t n) {
  return follow_any(link, first, rows, n);
}

/* Masks of fewer than 64 bits as numbers. The compiler must not know where they are from: gcc 12 makes wider ones of
 * comparisons, stores those as masks and loads them as numbers, with whatever lies behind. */
#define DEFINE_NUMBER(bits)                                                                                            \
  AVX512 static inline uint##bits##_t number_of_##bits(__mmask##bits mask) {                                           \
    __asm__("" : "+k"(mask));                                                                                          \
    return mask;                                                                                                       \
  }

DEFINE_NUMBER(8)
DEFINE_NUMBER(16)
DEFINE_NUMBER(32)

/* A bit for each of the first `n`, at most 16. */
static inline uint16_t first_of_16(uint32_t n) {
  return n < 16 ? (uint16_t)((1u << n) - 1) : UINT16_MAX;
}

/* A bit for each word, of at most 32, that has rows. */
AVX512 static inline uint32_t words_with_rows(const uint64_t *words, uint32_t count) {
  uint32_t found = 0;
  for (uint32_t w = 0; w < count; w += 8) {
    const __mmask8 some = (__mmask8)first_of_16(count - w);
    const __m512i eight = _mm512_maskz_loadu_epi64(some, words + w);
    found |= (uint32_t)number_of_8(_mm512_test_epi64_mask(eight, eight)) << w;
  }
  return found;
}

/* Whether rows are sooner done one by one than vectors of which most have none: `found` of so many words have some. */
static inline bool is_sparse(uint32_t found, uint32_t count) {
  return (uint32_t)__builtin_popcount(found) * 5 < count * 2;
}

AVX512 static inline uint64_t inside_u8(const char *codes, __m512i low, __m512i span) {
  return _mm512_cmple_epu8_mask(_mm512_sub_epi8(_mm512_loadu_si512(codes), low), span);
}

AVX512 static inline uint64_t inside_u16(const char *codes, __m512i low, __m512i span) {
  return number_of_32(_mm512_cmple_epu16_mask(_mm512_sub_epi16(_mm512_loadu_si512(codes), low), span));
}

AVX512 static inline uint64_t inside_u32(const char *codes, __m512i low, __m512i span) {
  return number_of_16(_mm512_cmple_epu32_mask(_mm512_sub_epi32(_mm512_loadu_si512(codes), low), span));
}

AVX512 static inline uint64_t inside_u64(const char *codes, __m512i low, __m512i span) {
  return number_of_8(_mm512_cmple_epu64_mask(_mm512_sub_epi64(_mm512_loadu_si512(codes), low), span));
}

#define COMPARE_VECTORS(bits, set1, type)                                                                              \
  for (uint32_t left = words_with_rows(words, p->count); left != 0; left &= left - 1) {                                \
    const uint32_t w = (uint32_t)__builtin_ctz(left);                                                                  \
    const char *codes = codes_of(p, w);                                                                                \
    uint64_t found = 0;                                                                                                \
    for (uint32_t k = 0; k < bits / 8; k++) {                                                                          \
      fetch_ahead(p, codes + 64 * k);                                                                                  \
      found |= inside_u##bits(codes + 64 * k, set1((type)low), set1((type)span)) << (512 / bits * k);                  \
    }                                                                                                                  \
    words[w] &= found;                                                                                                 \
  }                                                                                                                    \
  break

AVX512 static void compare_avx512(const piece *p, uint64_t low, uint64_t span, uint64_t *words) {
  switch (p->bytes) {
  case 1:
    COMPARE_VECTORS(8, _mm512_set1_epi8, char);
  case 2:
    COMPARE_VECTORS(16, _mm512_set1_epi16, short);
  case 4:
    COMPARE_VECTORS(32, _mm512_set1_epi32, int);
  default:
    COMPARE_VECTORS(64, _mm512_set1_epi64, long long);
  }
}

AVX512 static uint32_t list_avx512(const uint64_t *words, uint32_t count, uint32_t row, uint32_t *rows) {
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  uint32_t n = 0;
  for (uint32_t left = words_with_rows(words, count); left != 0; left &= left - 1) {
    const uint32_t w = (uint32_t)__builtin_ctz(left);
    for (uint32_t k = 0; k < 4; k++) {
      const __mmask16 bits = (__mmask16)(words[w] >> (16 * k));
      const __m512i numbers = _mm512_add_epi32(lanes, _mm512_set1_epi32((int)(row + 64 * w + 16 * k)));
      _mm512_storeu_si512(rows + n, _mm512_maskz_compress_epi32(bits, numbers));
      n += (uint32_t)__builtin_popcount(bits);
    }
  }
  return n;
}

/* The bits of 16 codes. */
AVX512 static inline uint16_t gather_bits(const uint32_t *bits, __m512i codes, __mmask16 some) {
  const __m512i low_bits = _mm512_set1_epi32(31), one = _mm512_set1_epi32(1);
  const __m512i words = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), some, _mm512_srli_epi32(codes, 5), bits, 4);
  return number_of_16(
      _mm512_mask_test_epi32_mask(some, _mm512_srlv_epi32(words, _mm512_and_si512(codes, low_bits)), one));
}

/* Codes of the last word are read whole, which buffers have room for. */
AVX512 static void look_up_avx512(const piece *p, const code_set *set, uint64_t *words) {
  const __m512i low = _mm512_set1_epi32((int)set->low);
  const uint32_t bytes = p->bytes;
  if (bytes == 8) {
    look_up_any(p, set, words);
    return;
  }
  for (uint32_t left = words_with_rows(words, p->count); left != 0; left &= left - 1) {
    const uint32_t w = (uint32_t)__builtin_ctz(left);
    const char *from = codes_of(p, w);
    uint64_t found = 0;
    fetch_word_ahead(p, w);
    for (uint32_t k = 0; k < 64; k += 16, from += 16 * (size_t)bytes) {
      const __mmask16 some = (__mmask16)(words[w] >> k);
      if (some == 0)
        continue;
      const __m512i all = bytes == 1   ? _mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)from))
                          : bytes == 2 ? _mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)from))
                                       : _mm512_loadu_si512(from);
      found |= (uint64_t)gather_bits(set->bits, _mm512_sub_epi32(all, low), some) << k;
    }
    words[w] = found;
  }
}

AVX512 static uint32_t follow_avx512(const engine_link *link, uint32_t first, uint32_t *rows, uint32_t n) {
  const char *from = (const char *)link->foreign_rows + (uint64_t)first * link->bytes;
  const __m512i none = _mm512_setzero_si512();
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i += 16) {
    const __mmask16 some = first_of_16(n - i);
    const __m512i some_rows = _mm512_loadu_si512(rows + i);
    __m512i codes;
    if (link->bytes == 1)
      codes = _mm512_and_si512(_mm512_mask_i32gather_epi32(none, some, some_rows, from, 1), _mm512_set1_epi32(0xff));
    else if (link->bytes == 2)
      codes = _mm512_and_si512(_mm512_mask_i32gather_epi32(none, some, some_rows, from, 2), _mm512_set1_epi32(0xffff));
    else
      codes = _mm512_mask_i32gather_epi32(none, some, some_rows, from, 4);
    const uint16_t keep = gather_bits(link->bits, codes, some);
    _mm512_storeu_si512(rows + kept, _mm512_maskz_compress_epi32(keep, some_rows));
    kept += (uint32_t)__builtin_popcount(keep);
  }
  return kept;
}

VBMI2 static uint32_t list_vbmi2(const uint64_t *words, uint32_t count, uint32_t row, uint32_t *rows) {
  const __m512i lanes =
      _mm512_set_epi64(0x3f3e3d3c3b3a3938, 0x3736353433323130, 0x2f2e2d2c2b2a2928, 0x2726252423222120,
                       0x1f1e1d1c1b1a1918, 0x1716151413121110, 0x0f0e0d0c0b0a0908, 0x0706050403020100);
  uint32_t n = 0, found = words_with_rows(words, count);
  if (is_sparse(found, count)) {
    for (; found != 0; found &= found - 1) {
      const uint32_t w = (uint32_t)__builtin_ctz(found);
      n += list_any(words + w, 1, row + 64 * w, rows + n);
    }
    return n;
  }
  for (uint32_t w = 0; w < count; w++) {
    const __m512i first = _mm512_set1_epi32((int)(row + 64 * w));
    const uint32_t end = n + (uint32_t)__builtin_popcountll(words[w]);
    __m512i some = _mm512_maskz_compress_epi8(words[w], lanes);
    do {
      _mm512_storeu_si512(rows + n, _mm512_add_epi32(first, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(some))));
      some = _mm512_shuffle_i64x2(some, some, 0x39); /* the next 16 */
      n += 16;
    } while (n < end);
    n = end;
  }
  return n;
}

/* Put the codes of rows whose bits are set one behind the other. Returns their number. */
#define DEFINE_PACK(bits, lanes)                                                                                       \
  VBMI2 static inline uint32_t pack_u##bits(const piece *p, const uint64_t *words, uint##bits##_t *packed) {           \
    uint32_t n = 0;                                                                                                    \
    for (uint32_t w = 0; w < p->count; w++) {                                                                          \
      const char *codes = codes_of(p, w);                                                                              \
      for (uint32_t k = 0; k < bits / 8; k++) {                                                                        \
        const __mmask##lanes some = (__mmask##lanes)(words[w] >> (lanes * k));                                         \
        const __m512i all = _mm512_loadu_si512(codes + 64 * k);                                                        \
        fetch_ahead(p, codes + 64 * k);                                                                                \
        _mm512_storeu_si512(packed + n, _mm512_maskz_compress_epi##bits(some, all));                                   \
        n += (uint32_t)__builtin_popcount(some);                                                                       \
      }                                                                                                                \
    }                                                                                                                  \
    return n;                                                                                                          \
  }

DEFINE_PACK(16, 32)
DEFINE_PACK(32, 16)

/* Narrow words to those of their rows, of which each has a bit in `bits`, that have theirs set. */
VBMI2 static inline void keep_rows(const uint16_t *bits, uint32_t count, uint64_t *words) {
  for (uint32_t w = 0, at = 0; w < count; w++) {
    const uint32_t n = (uint32_t)__builtin_popcountll(words[w]);
    uint64_t some[2];
    memcpy(some, (const char *)bits + at / 8, sizeof some);
    words[w] = _pdep_u64(some[0] >> at % 8 | some[1] << 1 << (63 - at % 8), words[w]);
    at += n;
  }
}

VBMI2 static void look_up_vbmi2(const piece *p, const code_set *set, uint64_t *words) {
  const __m512i low = _mm512_set1_epi32((int)set->low);
  union {
    uint16_t u16[ENGINE_BATCH + 2 * ENGINE_SLACK];
    uint32_t u32[ENGINE_BATCH + ENGINE_SLACK];
  } packed;
  uint16_t bits[ENGINE_BATCH / 16 + 8]; /* of which a word may be read past the last */
  if (p->bytes == 1 || p->bytes == 8 || is_sparse(words_with_rows(words, p->count), p->count)) {
    look_up_avx512(p, set, words);
    return;
  }
  const uint32_t n = p->bytes == 2 ? pack_u16(p, words, packed.u16) : pack_u32(p, words, packed.u32);
  for (uint32_t i = 0; i < n; i += 16) {
    const __m512i some = p->bytes == 2 ? _mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)(packed.u16 + i)))
                                       : _mm512_loadu_si512(packed.u32 + i);
    bits[i / 16] = gather_bits(set->bits, _mm512_sub_epi32(some, low), first_of_16(n - i));
  }
  keep_rows(bits, p->count, words);
}

/* A code's low byte and the lowest bit of its high byte number one of 512 bytes, the rest a bit in it. */
VBMI2 static void look_up_small_vbmi2(const piece *p, const small_bits *small, uint64_t *words) {
  const __m512i evens =
      _mm512_set_epi64(0x7e7c7a7876747270, 0x6e6c6a6866646260, 0x5e5c5a5856545250, 0x4e4c4a4846444240,
                       0x3e3c3a3836343230, 0x2e2c2a2826242220, 0x1e1c1a1816141210, 0x0e0c0a0806040200);
  const __m512i bits = _mm512_broadcast_i32x4(_mm_set_epi64x((long long)0x8080404020201010, 0x0808040402020101));
  const __m512i one = _mm512_set1_epi8(1), odds = _mm512_or_si512(evens, one);
  __m512i t[8];
  for (uint32_t k = 0; k < 8; k++)
    t[k] = _mm512_load_si512(small->bytes + 64 * k);
  for (uint32_t left = words_with_rows(words, p->count); left != 0; left &= left - 1) {
    const uint32_t w = (uint32_t)__builtin_ctz(left);
    const char *codes = codes_of(p, w);
    __m512i low = _mm512_loadu_si512(codes), high = _mm512_setzero_si512();
    fetch_ahead(p, codes);
    if (p->bytes == 2) {
      fetch_ahead(p, codes + 64);
      const __m512i first = low, second = _mm512_loadu_si512(codes + 64);
      high = _mm512_permutex2var_epi8(first, odds, second);
      low = _mm512_permutex2var_epi8(first, evens, second);
    }
    const __mmask64 upper = _mm512_movepi8_mask(low), last = _mm512_test_epi8_mask(high, one);
    const __m512i first_half = _mm512_mask_blend_epi8(upper, _mm512_permutex2var_epi8(t[0], low, t[1]),
                                                      _mm512_permutex2var_epi8(t[2], low, t[3]));
    const __m512i last_half = _mm512_mask_blend_epi8(upper, _mm512_permutex2var_epi8(t[4], low, t[5]),
                                                     _mm512_permutex2var_epi8(t[6], low, t[7]));
    words[w] &=
        _mm512_test_epi8_mask(_mm512_mask_blend_epi8(last, first_half, last_half), _mm512_shuffle_epi8(bits, high));
  }
}

#endif

/* ---- Sets of operators ---- */

static const operators operators_plain = {
    .few = 2, .compare = compare_plain, .list = list_plain, .look_up = look_up_plain, .follow = follow_plain};

#if defined __x86_64__
static const operators operators_avx2 = {
    .few = 2, .compare = compare_avx2, .list = list_avx2, .look_up = look_up_avx2, .follow = follow_avx2};

static const operators operators_avx512 = {
    .few = 2, .compare = compare_avx512, .list = list_avx512, .look_up = look_up_avx512, .follow = follow_avx512};

static const operators operators_vbmi2 = {.few = 16,
                                          .compare = compare_avx512,
                                          .list = list_vbmi2,
                                          .look_up = look_up_vbmi2,
                                          .look_up_small = look_up_small_vbmi2,
                                          .follow = follow_avx512};

static inline bool has_avx512(void) {
  return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

static inline bool has_vbmi2(void) {
  return has_avx512() && __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
         __builtin_cpu_supports("bmi2");
}
#endif

#endif
