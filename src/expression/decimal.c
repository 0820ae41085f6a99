/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "expression/decimal.h"

#include <float.h>
#include <math.h>

#include "base/wide.h"
#include "table/value.h"

#define DIGITS 38

rdx_i128 rdx_decimal_shorten(rdx_i128 value, uint32_t n) {
  const rdx_i128 power = rdx_power_of_ten(n);
  if (n == 0)
    return value;
  if (n <= 18 && value == (int64_t)value) {
    const int64_t narrow = (int64_t)value, by = (int64_t)power, rest = narrow % by;
    return narrow / by + (rest >= by / 2) - (rest <= -(by / 2));
  }
  const rdx_i128 rest = value % power;
  return value / power + (rest >= power / 2) - (rest <= -(power / 2));
}

bool rdx_decimal_rescale(rdx_i128 value, uint8_t from, uint8_t to, rdx_i128 *out) {
  if (to <= from) {
    *out = rdx_decimal_shorten(value, (uint32_t)(from - to));
    return true;
  }
  return !__builtin_mul_overflow(value, rdx_power_of_ten((uint32_t)(to - from)), out) && rdx_decimal_fits(*out, DIGITS);
}

/* A product of up to 256 bits, shortened digit by digit: the last one that goes says how to round. */
static bool multiply_long(rdx_i128 a, rdx_i128 b, uint32_t drop, rdx_i128 *out) {
  enum { WORDS = 5 };
  uint64_t x[WORDS] = {0}, y[WORDS] = {0}, product[WORDS] = {0};
  const bool negative = (a < 0) != (b < 0);
  rdx_wide_add(x, WORDS, a < 0 ? -a : a, 0);
  rdx_wide_add(y, WORDS, b < 0 ? -b : b, 0);
  rdx_wide_multiply(x, y, WORDS, product);
  uint32_t last = 0;
  for (; drop > 0; drop--) {
    uint64_t rest = 0;
    for (int i = WORDS - 1; i >= 0; i--) {
      __extension__ const unsigned __int128 part = ((unsigned __int128)rest << 64) | product[i];
      product[i] = (uint64_t)(part / 10);
      rest = (uint64_t)(part % 10);
    }
    last = (uint32_t)rest;
  }
  if (product[2] | product[3] | product[4] || product[1] >> 63)
    return false;
  const rdx_i128 size = (rdx_i128)(((__extension__(unsigned __int128) product[1]) << 64) | product[0]) + (last >= 5);
  *out = negative ? -size : size;
  return rdx_decimal_fits(*out, DIGITS);
}

bool rdx_decimal_multiply(rdx_i128 a, rdx_i128 b, uint32_t drop, rdx_i128 *out) {
  rdx_i128 product = 0;
  if (__builtin_mul_overflow(a, b, &product))
    return multiply_long(a, b, drop, out);
  *out = rdx_decimal_shorten(product, drop);
  return rdx_decimal_fits(*out, DIGITS);
}

/* ---- Floats ---- */

double rdx_decimal_to_double(rdx_i128 value, uint8_t scale) {
  static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const rdx_i128 exact = (rdx_i128)1 << 53;
  if (value <= exact && value >= -exact && scale <= 22)
    return (double)(int64_t)value / powers[scale];
  if (scale <= 28) {
    uint64_t words[4] = {0};
    rdx_wide_add(words, 4, value, 0);
    return rdx_wide_quotient(words, 4, 0, rdx_power_of_ten(scale));
  }
  return (double)((long double)value / (long double)rdx_power_of_ten(scale));
}

/* The 15 digits of a double of usual size, and how many of them are behind the point; false: they are not told without
 * looking at all of its own. Powers of ten up to 10^27 are exact in 64 bits of mantissa, and a product is off by one
 * unit of the last of these at most, so that only what is about half a unit of the last digit is in doubt. */
static bool fifteen_digits(double value, int64_t *digits, int *places) {
  static const long double powers[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,
                                       1e9L,  1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L,
                                       1e18L, 1e19L, 1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L};
  const double size = fabs(value), log_of_2 = 0.30102999566398120;
  int exponent = 0;
  if (LDBL_MANT_DIG < 64 || !(size >= 1e-10 && size < 1e20))
    return false;
  (void)frexp(size, &exponent);
  *places = 14 - (int)floor((exponent - 1) * log_of_2);
  long double scaled = *places >= 0 ? size * powers[*places] : size / powers[-*places];
  if (scaled >= 1e15L) { /* the logarithm was one too small */
    --*places;
    scaled = *places >= 0 ? size * powers[*places] : size / powers[-*places];
  }
  const long double whole = floorl(scaled), rest = scaled - whole;
  *digits = (int64_t)whole + (rest >= 0.5L);
  *digits = value < 0 ? -*digits : *digits;
  return scaled >= 1e14L && scaled < 1e15L && (rest < 0.499L || rest > 0.501L);
}

bool rdx_decimal_from_double(double value, bool narrow, uint8_t scale, rdx_i128 *out) {
  if (!isfinite(value))
    return false;
  const double max = narrow ? 1e6 : 1e15;
  if (value == rint(value) && fabs(value) < max)
    return rdx_decimal_rescale((rdx_i128)value, 0, scale, out);
  int64_t digits = 0;
  int places = 0;
  if (!narrow && fifteen_digits(value, &digits, &places) && places >= 0)
    return rdx_decimal_rescale(digits, (uint8_t)places, scale, out);
  char text[32];
  const int length = rdx_text_print(text, sizeof text, "%.*e", narrow ? 5 : 14, value);
  return rdx_decimal_parse(text, (size_t)length, scale, out, NULL) == RDX_DECIMAL_OK;
}

double rdx_decimal_shortest(double value, bool narrow) {
  char text[32];
  double kept = 0;
  if (!isfinite(value) || (value == rint(value) && fabs(value) < (narrow ? 1e6 : 1e15)))
    return value;
  int64_t digits = 0;
  int places = 0;
  if (!narrow && fifteen_digits(value, &digits, &places) && places >= 0 && places <= 22)
    return rdx_decimal_to_double(digits, (uint8_t)places);
  const int length = rdx_text_print(text, sizeof text, "%.*e", narrow ? 5 : 14, value);
  return rdx_value_parse(RDX_TYPE_F64, 0, text, (size_t)length, &kept) == RDX_PARSE_OK ? kept : value;
}

double rdx_decimal_settled(double value) {
  const double twice = value + value;
  return fabs(twice - rint(twice)) > fabs(value) * 1e-9 ? value : rdx_decimal_shortest(value, false);
}

/* ---- Texts ---- */

size_t rdx_decimal_format(rdx_i128 value, uint8_t scale, char out[RDX_DECIMAL_TEXT]) {
  char digits[RDX_DECIMAL_TEXT];
  size_t count = 0, length = 0;
  const bool negative = value < 0;
  __extension__ unsigned __int128 left = negative ? 0 - (unsigned __int128)value : (unsigned __int128)value;
  for (; left > 0 || count <= scale; left /= 10)
    digits[count++] = (char)('0' + (int)(left % 10));
  if (negative)
    out[length++] = '-';
  while (count > 0) {
    if (count == scale)
      out[length++] = '.';
    out[length++] = digits[--count];
  }
  return length;
}

rdx_decimal_read rdx_decimal_parse(const char *text, size_t length, uint8_t scale, rdx_i128 *out, bool *rounded) {
  rdx_number n;
  rdx_value_trim(&text, &length);
  if (!rdx_number_read(text, length, &n))
    return RDX_DECIMAL_FORMAT;
  int64_t left = (int64_t)n.whole_digits + n.power + scale; /* digits that count */
  bool up = false, exceeds = false, more = false;
  rdx_i128 value = 0;
  for (size_t i = 0; i < length && text[i] != 'e' && text[i] != 'E'; i++) {
    if (text[i] < '0' || text[i] > '9')
      continue;
    if (left-- <= 0) {
      up |= left == -1 && text[i] >= '5';
      more |= text[i] > '0';
      continue;
    }
    value = value * 10 + (text[i] - '0');
    exceeds |= !rdx_decimal_fits(value, DIGITS);
    value = exceeds ? 0 : value;
  }
  for (; left > 0 && value > 0 && !exceeds; left--) {
    exceeds = !rdx_decimal_fits(value, DIGITS - 1);
    value = exceeds ? 0 : value * 10;
  }
  value += up;
  if (rounded)
    *rounded = more;
  *out = n.negative ? -value : value;
  return exceeds || !rdx_decimal_fits(value, DIGITS) ? RDX_DECIMAL_RANGE : RDX_DECIMAL_OK;
}

bool rdx_decimal_digits(const char *text, size_t length, uint32_t *whole, uint32_t *fraction, bool *exponent) {
  rdx_number n;
  rdx_value_trim(&text, &length);
  if (!rdx_number_read(text, length, &n) || n.power > 1000 || n.power < -1000)
    return false;
  const int64_t before = (int64_t)n.integer_digits + n.power, behind = (int64_t)n.fraction_digits - n.power;
  *whole = before > 0 ? (uint32_t)before : 0;
  *fraction = behind > 0 ? (uint32_t)behind : 0;
  *exponent = n.exponent;
  return true;
}
