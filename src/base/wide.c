/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "base/wide.h"
#include "base/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MIN_EXPONENT (-1074) /* of f64: that of its smallest number */
#define MANTISSA_BITS 53
#define SAFE_EXPONENT 900 /* times 2^-53 to 2^53 it is far from the smallest and the largest f64 */

__extension__ typedef unsigned __int128 unsigned_i128;

void rdx_wide_add(uint64_t *to, uint32_t words, rdx_i128 x, uint32_t shift) {
  const uint64_t sign = x < 0 ? UINT64_MAX : 0;
  const uint64_t parts[] = {0, (uint64_t)x, (uint64_t)(x >> 64), sign};
  const uint32_t skipped = shift / 64, bits = shift % 64;
  unsigned carry = 0;
  for (uint32_t i = skipped, k = 1; i < words; i++, k++) {
    const uint64_t low = k < 4 ? parts[k - 1] : sign, high = k < 4 ? parts[k] : sign;
    const uint64_t word = bits ? high << bits | low >> (64 - bits) : high;
    uint64_t sum = 0;
    const bool first = __builtin_add_overflow(to[i], word, &sum);
    const bool second = __builtin_add_overflow(sum, carry, &to[i]);
    carry = first || second;
    if (k >= 4 && carry == (sign & 1)) /* the words above stay as they are */
      return;
  }
}

void rdx_wide_combine(uint64_t *to, const uint64_t *x, uint32_t words, bool subtract) {
  const uint64_t flip = subtract ? UINT64_MAX : 0;
  unsigned carry = subtract;
  for (uint32_t i = 0; i < words; i++) {
    uint64_t sum = 0;
    const bool first = __builtin_add_overflow(to[i], x[i] ^ flip, &sum);
    const bool second = __builtin_add_overflow(sum, carry, &to[i]);
    carry = first || second;
  }
}

void rdx_wide_multiply(const uint64_t *x, const uint64_t *y, uint32_t words, uint64_t *out) {
  uint32_t first = 0, end = words; /* of words of y that are not 0 */
  while (first < words && y[first] == 0)
    first++;
  while (end > first && y[end - 1] == 0)
    end--;
  memset(out, 0, words * sizeof *out);
  for (uint32_t i = 0; i < words; i++) {
    uint64_t carry = 0;
    if (x[i] == 0)
      continue;
    for (uint32_t k = first; k < end && i + k < words; k++) {
      const unsigned_i128 product = (unsigned_i128)x[i] * y[k] + out[i + k] + carry;
      out[i + k] = (uint64_t)product;
      carry = (uint64_t)(product >> 64);
    }
    if (i + end < words)
      out[i + end] = carry;
  }
}

bool rdx_wide_is_negative(const uint64_t *x, uint32_t words) {
  return x[words - 1] >> 63;
}

void rdx_wide_negate(uint64_t *x, uint32_t words) {
  unsigned carry = 1;
  for (uint32_t i = 0; i < words; i++)
    carry = __builtin_add_overflow(~x[i], carry, &x[i]);
}

bool rdx_wide_fits(const uint64_t *x, uint32_t words) {
  const uint64_t sign = x[0] >> 63 ? UINT64_MAX : 0;
  for (uint32_t i = 1; i < words; i++)
    if (x[i] != sign)
      return false;
  return true;
}

uint64_t rdx_wide_bits(const uint64_t *x, uint32_t words, uint32_t first, uint32_t count) {
  const uint32_t word = first / 64, shift = first % 64;
  uint64_t bits = word < words ? x[word] >> shift : 0;
  if (shift > 0 && word + 1 < words)
    bits |= x[word + 1] << (64 - shift);
  return count < 64 ? bits & ((1ull << count) - 1) : bits;
}

static uint32_t bit_length(const uint64_t *x, uint32_t words) {
  while (words > 0 && x[words - 1] == 0)
    words--;
  return words > 0 ? 64 * words - (uint32_t)__builtin_clzll(x[words - 1]) : 0;
}

static bool any_below(const uint64_t *x, uint32_t bits) {
  uint64_t any = 0;
  for (uint32_t i = 0; i < bits / 64; i++)
    any |= x[i];
  return any != 0 || (bits % 64 > 0 && x[bits / 64] << (64 - bits % 64) != 0);
}

/* number * 2^exponent, and with `more` a little above that, rounded; the number has 64 bits, unless it is exact. */
static double round_once(uint64_t number, bool more, int exponent) {
  const int length = (int)rdx_bit_length(number);
  int min = exponent + length - MANTISSA_BITS;
  min = min > MIN_EXPONENT ? min : MIN_EXPONENT;
  const int drop = min - exponent;
  if (drop <= 0 || number == 0)
    return ldexp((double)number, exponent);
  if (drop > 64)
    return 0;
  const uint64_t kept = drop < 64 ? number >> drop : 0, half = 1ull << (drop - 1), rest = number & (half * 2 - 1);
  const bool up = rest > half || (rest == half && (more || kept % 2 == 1));
  return ldexp((double)(kept + up), min);
}

/* Long division by as many bits at a time as 127 have room for, until the quotient has 64 or nothing is left. */
double rdx_wide_quotient(const uint64_t *x, uint32_t words, int exponent, rdx_i128 divisor) {
  const bool negative = rdx_wide_is_negative(x, words);
  uint64_t n[RDX_WIDE_MAX_WORDS];
  memcpy(n, x, words * sizeof *n);
  if (negative)
    rdx_wide_negate(n, words);
  uint32_t left = bit_length(n, words);
  if (left <= MANTISSA_BITS && divisor >> MANTISSA_BITS == 0 && abs(exponent) < SAFE_EXPONENT)
    return ldexp((negative ? -(double)n[0] : (double)n[0]) / (double)divisor, exponent);
  uint64_t quotient = 0;
  rdx_i128 rest = 0;
  while (quotient >> 63 == 0 && (left > 0 || rest > 0)) {
    const uint32_t capacity = 127 - rdx_bit_length_i128(rest), lacking = 64 - rdx_bit_length_i128((rdx_i128)quotient);
    uint32_t bits = capacity < lacking ? capacity : lacking;
    if (left > 0) {
      bits = bits < left ? bits : left;
      left -= bits;
      rest = rest << bits | rdx_wide_bits(n, words, left, bits);
    } else { /* behind the point */
      exponent -= (int)bits;
      rest <<= bits;
    }
    quotient = (bits < 64 ? quotient << bits : 0) | (uint64_t)(rest / divisor);
    rest %= divisor;
  }
  const double result = round_once(quotient, rest > 0 || any_below(n, left), exponent + (int)left);
  return negative ? -result : result;
}

/* n times the sum of products, less the product of the sums, is n times the moment. */
double rdx_wide_moment(uint64_t *x, uint64_t *y, const uint64_t *products, uint32_t words, int exponent, uint64_t n) {
  uint64_t *const sums[] = {x, y};
  uint64_t product[RDX_WIDE_MAX_WORDS], factor[RDX_WIDE_MAX_WORDS] = {n}, result[RDX_WIDE_MAX_WORDS];
  bool negative = false;
  for (uint32_t i = 0; i < 2; i++) {
    if (!rdx_wide_is_negative(sums[i], words))
      continue;
    rdx_wide_negate(sums[i], words);
    negative = !negative;
  }
  rdx_wide_multiply(factor, products, words, result);
  rdx_wide_multiply(x, y, words, product);
  rdx_wide_combine(result, product, words, !negative);
  return rdx_wide_quotient(result, words, exponent, (rdx_i128)n);
}
