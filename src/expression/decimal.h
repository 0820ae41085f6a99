/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXPRESSION_DECIMAL_H
#define RDX_EXPRESSION_DECIMAL_H

/* Decimal numbers: an integer times a power of ten. */

#include "base/base.h"
#include "base/numbers.h"

#define RDX_DECIMAL_TEXT 48 /* room for one as text */

/* Whether a number has at most so many digits. */
static inline bool rdx_decimal_fits(rdx_i128 value, uint8_t precision) {
  const rdx_i128 limit = rdx_power_of_ten(precision);
  return value < limit && value > -limit;
}

/* value / 10^n, rounded half away from zero; n from 0 to 38. */
rdx_i128 rdx_decimal_shorten(rdx_i128 value, uint32_t n);

/* The number at another scale, rounded half away from zero; false where more than 38 digits would be needed. */
bool rdx_decimal_rescale(rdx_i128 value, uint8_t from, uint8_t to, rdx_i128 *out);

/* a * b / 10^drop, rounded half away from zero; false where it has more than 38 digits. */
bool rdx_decimal_multiply(rdx_i128 a, rdx_i128 b, uint32_t drop, rdx_i128 *out);

/* The nearest f64. */
double rdx_decimal_to_double(rdx_i128 value, uint8_t scale);

/* A float's decimal of as many digits as it keeps of any (15; of f32, `narrow`, 6), rounded to a scale. False: it has
 * more than 38 digits there, or it is no finite number. */
bool rdx_decimal_from_double(double value, bool narrow, uint8_t scale, rdx_i128 *out);

/* The float of as many digits as it keeps of any. */
double rdx_decimal_shortest(double value, bool narrow);

/* The same, of a float that is about a multiple of a half, which what rounds it then sees; others as they are. */
double rdx_decimal_settled(double value);

size_t rdx_decimal_format(rdx_i128 value, uint8_t scale, char out[RDX_DECIMAL_TEXT]);

typedef enum rdx_decimal_read { RDX_DECIMAL_OK, RDX_DECIMAL_FORMAT, RDX_DECIMAL_RANGE } rdx_decimal_read;

/* A text, blanks around it aside, as a number at a scale, rounded half away from zero; `rounded` (NULL: nobody asks):
 * it has more digits. */
rdx_decimal_read rdx_decimal_parse(const char *text, size_t length, uint8_t scale, rdx_i128 *out, bool *rounded);

/* The digits before and behind the point that a number has, zeros that lead aside; false: it is none, or has thousands
 * of them. `exponent`: it is written with one. */
bool rdx_decimal_digits(const char *text, size_t length, uint32_t *whole, uint32_t *fraction, bool *exponent);

#endif
