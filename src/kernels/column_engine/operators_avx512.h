/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_COLUMN_ENGINE_OPERATORS_AVX512_H
#define RDX_KERNELS_COLUMN_ENGINE_OPERATORS_AVX512_H

/* Operators of tiles in AVX-512: for operators.h. */

#include "kernels/column_engine/operators_plain.h"

#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi,popcnt")))
#define VBMI2 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi,bmi2,popcnt")))

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

/* A code's low byte and the lowest bit of its high byte number one of VBMI2_SMALL bytes, the rest a bit in it. */
#define VBMI2_SMALL 512u

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
