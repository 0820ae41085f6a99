/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * What values mean: order, equality, exact sums. */

#include "diff.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool is_null(const rdx_column *column, uint64_t row) {
  return column->validity && !(column->validity[row / 8] >> row % 8 & 1);
}

static value whole(i128 x, uint8_t scale) {
  return (value){.kind = VALUE_WHOLE, .whole = x, .scale = scale};
}

value value_at(const rdx_column *column, uint64_t row) {
  const void *v = column->values;
  if (is_null(column, row))
    return (value){.kind = VALUE_NULL};
  switch (column->type) {
  case RDX_TYPE_BOOL:
  case RDX_TYPE_U8:
    return whole(((const uint8_t *)v)[row], 0);
  case RDX_TYPE_I8:
    return whole(((const int8_t *)v)[row], 0);
  case RDX_TYPE_I16:
    return whole(((const int16_t *)v)[row], 0);
  case RDX_TYPE_U16:
    return whole(((const uint16_t *)v)[row], 0);
  case RDX_TYPE_I32:
  case RDX_TYPE_DATE:
    return whole(((const int32_t *)v)[row], 0);
  case RDX_TYPE_U32:
    return whole(((const uint32_t *)v)[row], 0);
  case RDX_TYPE_I64:
  case RDX_TYPE_TIMESTAMP:
    return whole(((const int64_t *)v)[row], 0);
  case RDX_TYPE_DECIMAL:
    return whole(((const int64_t *)v)[row], column->scale);
  case RDX_TYPE_U64:
    return whole(((const uint64_t *)v)[row], 0);
  case RDX_TYPE_F32:
    return (value){.kind = VALUE_REAL, .real = (double)((const float *)v)[row]};
  case RDX_TYPE_F64:
    return (value){.kind = VALUE_REAL, .real = ((const double *)v)[row]};
  case RDX_TYPE_STRING: {
    value text = {.kind = VALUE_TEXT};
    if (column->dictionary) {
      column = column->dictionary;
      row = ((const uint32_t *)v)[row];
    }
    text.length = column->offsets[row + 1] - column->offsets[row];
    text.text = (const char *)column->values + column->offsets[row];
    return text;
  }
  case RDX_TYPE_NONE:
    break;
  }
  wrong("a column of type %d", (int)column->type);
}

const value *values_of(const rdx_column *column) {
  value *values = take(column->rows * sizeof *values);
  for (uint64_t i = 0; i < column->rows; i++)
    values[i] = value_at(column, i);
  return values;
}

i128 ten_to(unsigned digits) {
  i128 x = 1;
  while (digits-- > 0)
    x *= 10;
  return x;
}

bool same_real(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

static int compare_real(double a, double b) {
  if (isnan(a) || isnan(b))
    return isnan(a) - isnan(b);
  return (a > b) - (a < b);
}

static int compare_text(const value *a, const value *b) {
  const uint64_t length = a->length < b->length ? a->length : b->length;
  const int order = length ? memcmp(a->text, b->text, length) : 0;
  return order ? (order > 0) - (order < 0) : (a->length > b->length) - (a->length < b->length);
}

int value_compare(const value *a, const value *b) {
  if (a->kind == VALUE_REAL)
    return compare_real(a->real, b->real);
  if (a->kind == VALUE_TEXT)
    return compare_text(a, b);
  i128 x = a->whole, y = b->whole;
  if (a->scale < b->scale)
    x *= ten_to(b->scale - a->scale);
  else if (b->scale < a->scale)
    y *= ten_to(a->scale - b->scale);
  return (x > y) - (x < y);
}

int value_order(const value *a, const value *b) {
  if (a->kind == VALUE_NULL || b->kind == VALUE_NULL)
    return (a->kind == VALUE_NULL) - (b->kind == VALUE_NULL);
  return value_compare(a, b);
}

int compare_rows(const rdx_column *a, uint64_t i, const rdx_column *b, uint64_t j) {
  const value x = value_at(a, i), y = value_at(b, j);
  return value_order(&x, &y);
}

/* ---- Text ---- */

static size_t print_whole(i128 x, char *text, size_t size) {
  char digits[48];
  size_t count = sizeof digits;
  const bool negative = x < 0;
  do {
    const int digit = (int)(x % 10);
    digits[--count] = (char)('0' + (digit < 0 ? -digit : digit));
    x /= 10;
  } while (x != 0);
  if (negative)
    digits[--count] = '-';
  return (size_t)snprintf(text, size, "%.*s", (int)(sizeof digits - count), digits + count);
}

static size_t print_text(const value *v, char *text, size_t size) {
  size_t length = (size_t)snprintf(text, size, "'");
  for (uint64_t i = 0; i < v->length && length + 8 < size; i++) {
    const unsigned char c = (unsigned char)v->text[i];
    length += (size_t)snprintf(text + length, size - length, c >= ' ' && c < 127 && c != '\\' ? "%c" : "\\x%02x", c);
  }
  return length + (size_t)snprintf(text + length, size - length, "'");
}

size_t value_print(const value *v, char *text, size_t size) {
  switch (v->kind) {
  case VALUE_NULL:
    return (size_t)snprintf(text, size, "NULL");
  case VALUE_WHOLE: {
    size_t length = print_whole(v->whole, text, size);
    if (v->scale)
      length += (size_t)snprintf(text + length, size - length, "e-%d", v->scale);
    return length;
  }
  case VALUE_REAL:
    return (size_t)snprintf(text, size, "%.17g", v->real);
  case VALUE_TEXT:
    break;
  }
  return print_text(v, text, size);
}

/* ---- Exact sums ---- */

#define EXACT_UNIT 1138 /* limbs count units of 2^-EXACT_UNIT: 64 bits below the least double */

static void add_bits(uint32_t *limbs, uint64_t bits, unsigned shift) {
  u128 rest = (u128)bits << shift % 32;
  for (unsigned i = shift / 32; rest > 0; i++) {
    rest += limbs[i];
    limbs[i] = (uint32_t)rest;
    rest >>= 32;
  }
}

void exact_add(exact *sum, double x) {
  if (isnan(x)) {
    sum->nan = true;
  } else if (isinf(x)) {
    if (x > 0)
      sum->above = true;
    else
      sum->below = true;
  } else if (x != 0) {
    int exponent;
    const double fraction = frexp(fabs(x), &exponent); /* in [0.5, 1) */
    const uint64_t bits = (uint64_t)ldexp(fraction, 53);
    const int shift = exponent - 53 + EXACT_UNIT;
    add_bits(x < 0 ? sum->minus : sum->plus, bits, (unsigned)shift);
  }
}

void exact_add_whole(exact *sum, i128 x) {
  uint32_t *limbs = x < 0 ? sum->minus : sum->plus;
  const u128 size = x < 0 ? -(u128)x : (u128)x;
  add_bits(limbs, (uint64_t)size, EXACT_UNIT);
  add_bits(limbs, (uint64_t)(size >> 64), EXACT_UNIT + 64);
}

/* a - b, of which a is not smaller. */
static void subtract(const uint32_t *a, const uint32_t *b, uint32_t *out) {
  int64_t borrow = 0;
  for (size_t i = 0; i < EXACT_LIMBS; i++) {
    const int64_t difference = (int64_t)a[i] - b[i] - borrow;
    out[i] = (uint32_t)difference;
    borrow = difference < 0;
  }
}

/* Divide, and say whether anything is left. */
static bool divide(uint32_t *limbs, uint64_t divisor) {
  u128 rest = 0;
  for (size_t i = EXACT_LIMBS; i-- > 0;) {
    rest = rest << 32 | limbs[i];
    limbs[i] = (uint32_t)(rest / divisor);
    rest %= divisor;
  }
  return rest != 0;
}

static bool bit(const uint32_t *limbs, int i) {
  return limbs[i / 32] >> i % 32 & 1;
}

/* The nearest double, to even; `more`: a little is left below the lowest bit. */
static double nearest(const uint32_t *limbs, bool more) {
  int top = EXACT_LIMBS * 32 - 1;
  while (top >= 0 && !bit(limbs, top))
    top--;
  const int lowest = top - 52 > 64 ? top - 52 : 64;
  uint64_t mantissa = 0;
  for (int i = top; i >= lowest; i--)
    mantissa = mantissa << 1 | bit(limbs, i);
  for (int i = 0; i < lowest - 1 && !more; i++)
    more = bit(limbs, i);
  if (bit(limbs, lowest - 1) && (more || mantissa % 2 == 1))
    mantissa++;
  return ldexp((double)mantissa, lowest - EXACT_UNIT);
}

double exact_round(const exact *sum, uint64_t count, uint8_t scale) {
  if (sum->nan || (sum->above && sum->below))
    return NAN;
  if (sum->above || sum->below)
    return sum->above ? INFINITY : -INFINITY;
  bool negative = false;
  for (size_t i = EXACT_LIMBS; i-- > 0;)
    if (sum->plus[i] != sum->minus[i]) {
      negative = sum->plus[i] < sum->minus[i];
      break;
    }
  uint32_t limbs[EXACT_LIMBS];
  if (negative)
    subtract(sum->minus, sum->plus, limbs);
  else
    subtract(sum->plus, sum->minus, limbs);
  bool more = divide(limbs, count);
  for (uint8_t digits = scale; digits > 0; digits -= digits < 18 ? digits : 18) /* a divisor has 64 bits */
    more |= divide(limbs, (uint64_t)ten_to(digits < 18 ? digits : 18));
  const double x = nearest(limbs, more);
  return negative ? -x : x;
}
