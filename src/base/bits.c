/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Bits that are set in words, counted by the widest instructions that there are. */

#include <string.h>

#include "base/numbers.h"

#if defined __x86_64__
#include <immintrin.h>
#endif

static inline uint32_t count_bits(const uint32_t *words, uint64_t n) {
  uint32_t bits = 0;
  for (uint64_t k = 0; k < n; k++)
    bits += (uint32_t)__builtin_popcount(words[k]);
  return bits;
}

#if defined __x86_64__

__attribute__((target("popcnt,avx2"))) static uint32_t count_popcnt(const uint32_t *words, uint64_t n) {
  uint64_t bits = 0, k = 0;
  for (; k + 2 <= n; k += 2) {
    uint64_t pair;
    memcpy(&pair, words + k, sizeof pair);
    bits += (uint64_t)__builtin_popcountll(pair);
  }
  return (uint32_t)bits + (k < n ? (uint32_t)__builtin_popcount(words[k]) : 0);
}

__attribute__((target("avx512f,avx512vpopcntdq"))) static uint32_t count_avx512(const uint32_t *words, uint64_t n) {
  __m512i bits = _mm512_setzero_si512();
  for (uint64_t k = 0; k < n; k += 16) {
    const __mmask16 some = n - k < 16 ? (__mmask16)((1u << (n - k)) - 1) : UINT16_MAX;
    bits = _mm512_add_epi32(bits, _mm512_popcnt_epi32(_mm512_maskz_loadu_epi32(some, words + k)));
  }
  return (uint32_t)_mm512_reduce_add_epi32(bits);
}

uint32_t rdx_count_bits(const uint32_t *words, uint64_t n) {
  if (__builtin_cpu_supports("avx512vpopcntdq"))
    return count_avx512(words, n);
  return __builtin_cpu_supports("avx2") ? count_popcnt(words, n) : count_bits(words, n);
}

#else

uint32_t rdx_count_bits(const uint32_t *words, uint64_t n) {
  return count_bits(words, n);
}

#endif
