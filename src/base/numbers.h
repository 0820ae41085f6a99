/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_BASE_NUMBERS_H
#define RDX_BASE_NUMBERS_H

#include "base/base.h"

/* The bits that a number takes; 0 takes none. */
static inline uint32_t rdx_bit_length(uint64_t x) {
  return x ? 64 - (uint32_t)__builtin_clzll(x) : 0;
}

static inline uint32_t rdx_bit_length_i128(rdx_i128 x) {
  const rdx_i128 size = x < 0 ? -x : x;
  const uint64_t high = (uint64_t)(size >> 64);
  return high ? 64 + rdx_bit_length(high) : rdx_bit_length((uint64_t)size);
}

/* The bits of the numbers below `count`. */
static inline uint32_t rdx_bits_below(uint64_t count) {
  return count > 0 ? rdx_bit_length(count - 1) : 0;
}

/* Of an exponent of at most 38. */
static inline rdx_i128 rdx_power_of_ten(uint32_t exponent) {
  static const int64_t low[] = {1,
                                10,
                                100,
                                1000,
                                10000,
                                100000,
                                1000000,
                                10000000,
                                100000000,
                                1000000000,
                                10000000000,
                                100000000000,
                                1000000000000,
                                10000000000000,
                                100000000000000,
                                1000000000000000,
                                10000000000000000,
                                100000000000000000,
                                1000000000000000000};
  const rdx_i128 e18 = low[18];
  return exponent <= 18 ? low[exponent] : exponent <= 36 ? low[exponent - 18] * e18 : low[exponent - 36] * e18 * e18;
}

/* The number of set bits among n words. */
uint32_t rdx_count_bits(const uint32_t *words, uint64_t n);

#endif
