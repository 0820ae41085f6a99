/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Counts, sums and averages of frames: exact, however values come and go, and rounded once. */

#include <math.h>
#include <string.h>

#include "column/column.h"
#include "execute/window.h"

#define UNIT (-1074) /* the exponent of the least bit of any f64 */

static bool is_real(const rdx_window_run *r) {
  return r->value.column.type == RDX_TYPE_F32 || r->value.column.type == RDX_TYPE_F64;
}

void rdx_window_sum_clear(rdx_window_sum *sum) {
  memset(sum, 0, sizeof *sum);
}

static void change_real(rdx_window_sum *s, double value, bool in) {
  int exponent = 0;
  if (!isfinite(value)) {
    uint64_t *count = isnan(value) ? &s->nans : value > 0 ? &s->ups : &s->downs;
    *count += in ? 1 : UINT64_MAX;
    return;
  }
  const double fraction = frexp(value, &exponent); /* fraction * 2^53 is whole; so is value in units, if it is small */
  const int shift = exponent - 53 - UNIT;
  const rdx_i128 digits = shift < 0 ? (rdx_i128)ldexp(value, -UNIT) : (rdx_i128)ldexp(fraction, 53);
  rdx_wide_add(s->real, RDX_WIDE_WORDS, in ? digits : -digits, shift < 0 ? 0 : (uint32_t)shift);
}

void rdx_window_sum_change(rdx_window_run *r, uint32_t row, bool in) {
  rdx_window_sum *s = &r->sum;
  rdx_datum value;
  if (r->window->value && !rdx_column_has(&r->value.column, row))
    return;
  s->count += in ? 1 : UINT64_MAX;
  if (r->window->kind == RDX_WINDOW_COUNT)
    return;
  rdx_column_datum(&r->value.column, row, &value);
  if (is_real(r)) {
    change_real(s, value.f, in);
    return;
  }
  const rdx_i128 whole = r->value.column.type == RDX_TYPE_U64 ? value.wide : value.i;
  s->whole += in ? whole : -whole;
}

static double special_of(const rdx_window_sum *s) {
  return s->nans > 0 || (s->ups > 0 && s->downs > 0) ? (double)NAN : s->ups > 0 ? (double)INFINITY : -(double)INFINITY;
}

/* The sum divided by a number, as a double. */
static double quotient_of(const rdx_window_run *r, rdx_i128 divisor) {
  const rdx_window_sum *s = &r->sum;
  if (is_real(r))
    return s->nans + s->ups + s->downs > 0 ? special_of(s) : rdx_wide_quotient(s->real, RDX_WIDE_WORDS, UNIT, divisor);
  uint64_t words[3] = {0};
  rdx_wide_add(words, 3, s->whole, 0);
  return rdx_wide_quotient(words, 3, 0, divisor);
}

static rdx_i128 units_of(const rdx_column *c) {
  rdx_i128 units = 1;
  for (uint32_t i = 0; c->type == RDX_TYPE_DECIMAL && i < c->scale; i++)
    units *= 10;
  return units;
}

rdx_status rdx_window_sum_store(const rdx_windowing *w, const rdx_window_run *r, bool empty, uint32_t row,
                                rdx_error *err) {
  const rdx_window_sum *s = &r->sum;
  const uint64_t count = empty ? 0 : s->count;
  int64_t *whole = r->values;
  double *real = r->values;
  whole[row] = 0;
  if (r->window->kind == RDX_WINDOW_COUNT) {
    whole[row] = (int64_t)count;
    return RDX_OK;
  }
  if (count == 0) {
    r->validity[row / 8] &= (uint8_t) ~(1u << row % 8);
    return RDX_OK;
  }
  if (r->window->kind == RDX_WINDOW_AVG)
    real[row] = quotient_of(r, (rdx_i128)count * units_of(&r->value.column));
  else if (is_real(r))
    real[row] = quotient_of(r, 1);
  else if (s->whole > INT64_MAX || s->whole < INT64_MIN)
    return rdx_sql_error(err, RDX_ERROR_OVERFLOW, w->x->text, r->window->place,
                         "sum(x::float8) is a double, and avg(x) is exact", "the sum of a frame does not fit 64 bits");
  else
    whole[row] = (int64_t)s->whole;
  return RDX_OK;
}
