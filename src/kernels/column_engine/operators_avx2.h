/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_COLUMN_ENGINE_OPERATORS_AVX2_H
#define RDX_KERNELS_COLUMN_ENGINE_OPERATORS_AVX2_H

/* Operators of tiles in AVX2: for operators.h. */

#include "kernels/column_engine/operators_plain.h"

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,bmi,popcnt")))

/* Bytes from numbers of two bytes, each of which fits. */
AVX2 static inline __m256i bytes_of(__m256i first, __m256i second) {
  return _mm256_permute4x64_epi64(_mm256_packus_epi16(first, second), 0xd8);
}

/* Vectors of codes less `low` that are at most `span`, as ones. */
#define DEFINE_INSIDE(bits)                                                                                            \
  AVX2 static inline __m256i inside_avx2_u##bits(const char *codes, __m256i low, __m256i span) {                       \
    const __m256i code = _mm256_sub_epi##bits(_mm256_loadu_si256((const void *)codes), low);                           \
    return _mm256_cmpeq_epi##bits(_mm256_min_epu##bits(code, span), code);                                             \
  }

DEFINE_INSIDE(8)
DEFINE_INSIDE(16)
DEFINE_INSIDE(32)

/* A bit for each of 32 codes. */
AVX2 static inline uint32_t inside_32(const char *codes, uint32_t bytes, __m256i low, __m256i span) {
  __m256i inside;
  if (bytes == 1) {
    inside = inside_avx2_u8(codes, low, span);
  } else if (bytes == 2) {
    const __m256i first = inside_avx2_u16(codes, low, span), second = inside_avx2_u16(codes + 32, low, span);
    inside = _mm256_permute4x64_epi64(_mm256_packs_epi16(first, second), 0xd8);
  } else {
    __m256i half[2];
    for (uint32_t k = 0; k < 2; k++, codes += 64)
      half[k] = _mm256_packs_epi32(inside_avx2_u32(codes, low, span), inside_avx2_u32(codes + 32, low, span));
    inside =
        _mm256_permutevar8x32_epi32(_mm256_packs_epi16(half[0], half[1]), _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  }
  return (uint32_t)_mm256_movemask_epi8(inside);
}

AVX2 static inline void compare_codes(const piece *p, uint32_t bytes, __m256i low, __m256i span, uint64_t *words) {
  for (uint32_t w = 0; w < p->count; w++) {
    const char *codes = codes_of(p, w);
    if (words[w] == 0)
      continue;
    fetch_word_ahead(p, w);
    words[w] &= inside_32(codes, bytes, low, span) | (uint64_t)inside_32(codes + 32 * (size_t)bytes, bytes, low, span)
                                                         << 32;
  }
}

AVX2 static void compare_avx2(const piece *p, uint64_t low, uint64_t span, uint64_t *words) {
  if (p->bytes == 1)
    compare_codes(p, 1, _mm256_set1_epi8((char)low), _mm256_set1_epi8((char)span), words);
  else if (p->bytes == 2)
    compare_codes(p, 2, _mm256_set1_epi16((short)low), _mm256_set1_epi16((short)span), words);
  else if (p->bytes == 4)
    compare_codes(p, 4, _mm256_set1_epi32((int)low), _mm256_set1_epi32((int)span), words);
  else
    compare_any(p, low, span, words);
}

/* The numbers of the bits that are set in a byte, one in each byte from the lowest on. */
#define BIT_AT(bits, k) ((uint64_t)((bits) >> (k)&1) * (k) << 8 * __builtin_popcount((bits) & ((1u << (k)) - 1)))
#define SET_1(bits)                                                                                                    \
  BIT_AT(bits, 1) | BIT_AT(bits, 2) | BIT_AT(bits, 3) | BIT_AT(bits, 4) | BIT_AT(bits, 5) | BIT_AT(bits, 6) |          \
      BIT_AT(bits, 7)
#define SET_4(bits) SET_1(bits), SET_1(bits + 1), SET_1(bits + 2), SET_1(bits + 3)
#define SET_16(bits) SET_4(bits), SET_4(bits + 4), SET_4(bits + 8), SET_4(bits + 12)
#define SET_64(bits) SET_16(bits), SET_16(bits + 16), SET_16(bits + 32), SET_16(bits + 48)
static const uint64_t set_bits_of_byte[256] = {SET_64(0u), SET_64(64u), SET_64(128u), SET_64(192u)};

#define SPARSE 8 /* rows of a word that are sooner done one by one */

AVX2 static uint32_t list_avx2(const uint64_t *words, uint32_t count, uint32_t row, uint32_t *rows) {
  uint32_t n = 0;
  for (uint32_t w = 0; w < count; w++, row += 64) {
    uint64_t word = words[w];
    if (__builtin_popcountll(word) < SPARSE) {
      n += list_any(&word, 1, row, rows + n);
      continue;
    }
    for (uint32_t k = 0; k < 64; k += 8, word >>= 8) {
      const __m256i some = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)&set_bits_of_byte[word & 255]));
      _mm256_storeu_si256((void *)(rows + n), _mm256_add_epi32(some, _mm256_set1_epi32((int)(row + k))));
      n += (uint32_t)__builtin_popcountll(word & 255);
    }
  }
  return n;
}

/* Eight codes as u32. */
AVX2 static inline __m256i load_8(const char *from, uint32_t bytes) {
  return bytes == 1   ? _mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)from))
         : bytes == 2 ? _mm256_cvtepu16_epi32(_mm_loadu_si128((const void *)from))
                      : _mm256_loadu_si256((const void *)from);
}

/* Bits of 64 codes; those of rows that are not left are looked up as the first one. */
AVX2 static inline uint64_t look_up_word(const char *from, uint32_t bytes, const code_set *set, uint64_t word) {
  const __m256i low = _mm256_set1_epi32((int)set->low), lanes = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  uint64_t found = 0;
  for (uint32_t k = 0; k < 64; k += 8, from += 8 * (size_t)bytes) {
    const __m256i left = _mm256_and_si256(_mm256_set1_epi32((int)(word >> k)), lanes);
    const __m256i some = _mm256_cmpeq_epi32(left, lanes);
    const __m256i codes = _mm256_and_si256(_mm256_sub_epi32(load_8(from, bytes), low), some);
    const __m256i bits = _mm256_i32gather_epi32((const int *)set->bits, _mm256_srli_epi32(codes, 5), 4);
    const __m256i shifted = _mm256_sllv_epi32(bits, _mm256_andnot_si256(codes, _mm256_set1_epi32(31)));
    found |= (uint64_t)(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(shifted)) << k;
  }
  return found & word;
}

/* Codes of the last word are read whole, which buffers have room for. */
AVX2 static void look_up_avx2(const piece *p, const code_set *set, uint64_t *words) {
  for (uint32_t w = 0; w < p->count; w++) {
    const piece one = {codes_of(p, w), p->bytes, 1, p->ahead};
    if (words[w] == 0)
      continue;
    if (p->bytes == 8 || __builtin_popcountll(words[w]) < SPARSE) {
      look_up_any(&one, set, words + w);
      continue;
    }
    fetch_word_ahead(p, w);
    words[w] = p->bytes == 1   ? look_up_word(one.codes, 1, set, words[w])
               : p->bytes == 2 ? look_up_word(one.codes, 2, set, words[w])
                               : look_up_word(one.codes, 4, set, words[w]);
  }
}

#define AVX2_SMALL 32u /* bytes of small bits at least */

/* Bytes with these indexes, of 256 at most. A byte is looked up where the index less a sixteenth's is below 16. */
AVX2 static inline __m256i shuffle_bytes(const uint8_t *bytes, uint32_t size, __m256i indexes) {
  const __m256i beyond = _mm256_set1_epi8(0x70);
  __m256i found = _mm256_setzero_si256();
  for (uint32_t k = 0; k < size; k += 16) {
    const __m256i table = _mm256_broadcastsi128_si256(_mm_load_si128((const void *)(bytes + k)));
    const __m256i in_table = _mm256_adds_epu8(_mm256_xor_si256(indexes, _mm256_set1_epi8((char)k)), beyond);
    found = _mm256_or_si256(found, _mm256_shuffle_epi8(table, in_table));
  }
  return found;
}

/* Bits of 32 codes of one byte or two. */
AVX2 static inline uint32_t look_up_32(const char *codes, uint32_t bytes, const small_bits *small) {
  const __m128i shift = _mm_cvtsi32_si128(__builtin_ctz(small->size));
  const __m256i powers = _mm256_set1_epi64x((long long)0x8040201008040201);
  const __m256i low_byte = _mm256_set1_epi16(0xff), eight = _mm256_set1_epi8(7);
  const __m256i first = _mm256_loadu_si256((const void *)codes);
  const __m256i second = bytes == 2 ? _mm256_loadu_si256((const void *)(codes + 32)) : first;
  __m256i low = first,
          bit = _mm256_srl_epi16(_mm256_and_si256(first, _mm256_set1_epi8((char)(0 - small->size))), shift);
  if (bytes == 2) {
    low = bytes_of(_mm256_and_si256(first, low_byte), _mm256_and_si256(second, low_byte));
    bit = bytes_of(_mm256_srl_epi16(first, shift), _mm256_srl_epi16(second, shift));
  }
  const __m256i index = _mm256_and_si256(low, _mm256_set1_epi8((char)(small->size < 256 ? small->size - 1 : 255)));
  __m256i found = shuffle_bytes(small->bytes, small->size < 256 ? small->size : 256, index);
  if (small->size > 256) {
    const __m256i upper = bytes == 2 ? bytes_of(_mm256_srli_epi16(_mm256_slli_epi16(first, 7), 15),
                                                _mm256_srli_epi16(_mm256_slli_epi16(second, 7), 15))
                                     : _mm256_setzero_si256();
    found = _mm256_blendv_epi8(found, shuffle_bytes(small->bytes + 256, 256, index),
                               _mm256_cmpgt_epi8(upper, _mm256_setzero_si256()));
  }
  const __m256i mask = _mm256_shuffle_epi8(powers, _mm256_and_si256(bit, eight));
  return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_and_si256(found, mask), mask));
}

AVX2 static void look_up_small_avx2(const piece *p, const small_bits *small, uint64_t *words) {
  for (uint32_t w = 0; w < p->count; w++) {
    const char *codes = codes_of(p, w);
    if (words[w] == 0)
      continue;
    fetch_word_ahead(p, w);
    words[w] &= p->bytes == 1 ? look_up_32(codes, 1, small) | (uint64_t)look_up_32(codes + 32, 1, small) << 32
                              : look_up_32(codes, 2, small) | (uint64_t)look_up_32(codes + 64, 2, small) << 32;
  }
}

AVX2 static uint32_t follow_avx2(const engine_link *link, uint32_t first, uint32_t *rows, uint32_t n) {
  return follow_any(link, first, rows, n);
}

#endif
