/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "wide_sums.h"

#include <math.h>
#include <string.h>

/* ---- Numbers ---- */

big big_from(i128 x) {
  big out;
  for (uint32_t i = 0; i < BIG_LIMBS; i++)
    out.limbs[i] = i < 4 ? (uint32_t)(x >> 32 * i) : x < 0 ? UINT32_MAX : 0;
  return out;
}

big big_add(big x, big y) {
  uint64_t carry = 0;
  for (uint32_t i = 0; i < BIG_LIMBS; i++) {
    carry += (uint64_t)x.limbs[i] + y.limbs[i];
    x.limbs[i] = (uint32_t)carry;
    carry >>= 32;
  }
  return x;
}

static big negate(big x) {
  for (uint32_t i = 0; i < BIG_LIMBS; i++)
    x.limbs[i] = ~x.limbs[i];
  return big_add(x, big_from(1));
}

big big_subtract(big x, big y) {
  return big_add(x, negate(y));
}

big big_multiply(big x, big y) {
  big out = big_from(0);
  for (uint32_t i = 0; i < BIG_LIMBS; i++) {
    uint64_t carry = 0;
    for (uint32_t k = 0; i + k < BIG_LIMBS; k++) {
      carry += (uint64_t)x.limbs[i] * y.limbs[k] + out.limbs[i + k];
      out.limbs[i + k] = (uint32_t)carry;
      carry >>= 32;
    }
  }
  return out;
}

static bool is_negative(big x) {
  return x.limbs[BIG_LIMBS - 1] >> 31;
}

i128 big_near(big x) {
  const i128 max = (i128)1 << 120;
  const bool negative = is_negative(x);
  const big size = negative ? negate(x) : x;
  i128 near = 0;
  for (uint32_t i = 0; i < BIG_LIMBS; i++)
    if (i < 4 ? i == 3 && size.limbs[i] >> 24 : size.limbs[i] != 0)
      near = max;
  for (uint32_t i = 0; i < 4 && near != max; i++)
    near += (i128)size.limbs[i] << 32 * i;
  return negative ? -near : near;
}

/* ---- Sums ---- */

void wide_sum_add_float(wide_sum *sum, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  sum->up |= isnan(x) || (isinf(x) && x > 0);
  sum->down |= isnan(x) || (isinf(x) && x < 0);
  if (!isfinite(x))
    return;
  const uint64_t exponent = bits >> 52 & 2047, fraction = bits & ((1ull << 52) - 1);
  const uint64_t mantissa = exponent ? fraction | 1ull << 52 : fraction, shift = exponent ? exponent - 1 : 0;
  const int64_t sign = bits >> 63 ? -1 : 1;
  const i128 shifted = (i128)mantissa << shift % 32;
  for (uint32_t k = 0; k < 3; k++)
    sum->limbs[shift / 32 + k] += sign * (int64_t)(uint32_t)(shifted >> 32 * k);
}

void wide_sum_add(wide_sum *sum, big x) {
  const bool negative = is_negative(x);
  const big size = negative ? negate(x) : x;
  for (uint32_t i = 0; i < BIG_LIMBS; i++)
    sum->limbs[i] += negative ? -(int64_t)size.limbs[i] : size.limbs[i];
}

/* The limbs of the sum without its sign, all carried. Returns whether it is negative. */
static bool carry(const wide_sum *sum, int64_t limbs[WIDE_LIMBS]) {
  for (int pass = 0; pass < 2; pass++) { /* again after a change of sign */
    for (uint32_t i = 0; i < WIDE_LIMBS; i++)
      limbs[i] = pass ? -limbs[i] : sum->limbs[i];
    for (uint32_t i = 0; i + 1 < WIDE_LIMBS; i++) {
      const int64_t low = limbs[i] & 0xffffffff;
      limbs[i + 1] += (limbs[i] - low) / 4294967296;
      limbs[i] = low;
    }
    if (limbs[WIDE_LIMBS - 1] >= 0)
      return pass == 1;
  }
  return true;
}

#define BEHIND 192 /* bits behind the point */

/* The bits of a quotient of limbs, of which the first 53 that are not below the least of a float count, and the rest by
 * being more than half of the last, or half, or less. */
double wide_sum_quotient(const wide_sum *sum, i128 divisor) {
  enum { BITS = WIDE_LIMBS * 32 + BEHIND };
  int64_t limbs[WIDE_LIMBS];
  uint8_t bits[BITS + 1] = {0}; /* the highest first */
  i128 rest = 0;
  if (sum->up || sum->down)
    return sum->up && sum->down ? NAN : sum->up ? INFINITY : -INFINITY;
  const bool negative = carry(sum, limbs);
  for (uint32_t i = 0; i < BITS; i++) {
    const uint32_t limb = WIDE_LIMBS - 1 - i / 32;
    rest = rest * 2 + (i < WIDE_LIMBS * 32 ? limbs[limb] >> (31 - i % 32) & 1 : 0);
    bits[i] = rest >= divisor;
    rest -= bits[i] ? divisor : 0;
  }
  const uint32_t min = (uint32_t)(WIDE_LIMBS * 32 + sum->exponent + 1074); /* behind that of 2^-1074 */
  uint32_t first = 0;
  while (first < BITS && !bits[first])
    first++;
  const uint32_t wanted = first + 53 < min ? first + 53 : min, end = wanted < BITS ? wanted : BITS;
  uint64_t mantissa = 0, below = rest > 0;
  for (uint32_t i = first; i < end; i++)
    mantissa = mantissa * 2 + bits[i];
  for (uint32_t i = end + 1; i < BITS; i++)
    below |= bits[i];
  mantissa += bits[end] && (below || mantissa % 2 == 1);
  const double result = ldexp((double)mantissa, (int)(WIDE_LIMBS * 32 - end) + sum->exponent);
  return negative ? -result : result;
}

bool wide_sum_fits(const wide_sum *sum, int64_t *out) {
  int64_t limbs[WIDE_LIMBS];
  const bool negative = carry(sum, limbs);
  const i128 size = (i128)limbs[1] << 32 | limbs[0], value = negative ? -size : size;
  for (uint32_t i = 2; i < WIDE_LIMBS; i++)
    if (limbs[i] != 0)
      return false;
  *out = (int64_t)value;
  return value >= INT64_MIN && value <= INT64_MAX;
}
