/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Counts, sums, averages and co-moments of frames: exact, however values come and go, and rounded once. */

#include <math.h>
#include <string.h>

#include "column/column.h"
#include "execute/window.h"

#define UNIT (-1074) /* the exponent of the least bit of any f64 */

static bool is_real(const rdx_window_run *r) {
  return rdx_type_is_float(r->value.column.type);
}

void rdx_window_sum_clear(rdx_window_run *r) {
  if (r->window->kind == RDX_WINDOW_MOMENT)
    memset(&r->moment, 0, sizeof r->moment);
  else
    memset(&r->sum, 0, sizeof r->sum);
}

/* A float in units of 2^-1074: number * 2^shift. */
static rdx_i128 units_of_real(double value, uint32_t *shift) {
  int exponent = 0;
  const double fraction = frexp(value, &exponent); /* fraction * 2^53 is whole; so is value in units, if it is small */
  const int above = exponent - 53 - UNIT;
  *shift = above < 0 ? 0 : (uint32_t)above;
  return above < 0 ? (rdx_i128)ldexp(value, -UNIT) : (rdx_i128)ldexp(fraction, 53);
}

static void change_real(rdx_window_sum *s, double value, bool in) {
  uint32_t shift;
  if (!isfinite(value)) {
    uint64_t *count = isnan(value) ? &s->nans : value > 0 ? &s->ups : &s->downs;
    *count += in ? 1 : UINT64_MAX;
    return;
  }
  const rdx_i128 units = units_of_real(value, &shift);
  rdx_wide_add(s->real, RDX_WIDE_WORDS, in ? units : -units, shift);
}

/* ---- Co-moments ---- */

/* Sums of whole numbers of 64 bits take fewer words. */
static uint32_t moment_words(const rdx_window_run *r) {
  return is_real(r) ? RDX_WIDE_WORDS : 3;
}

static void change_moment(rdx_window_run *r, uint32_t row, bool in) {
  rdx_window_moment *m = &r->moment;
  const rdx_column *columns[] = {&r->value.column, r->window->other ? &r->other.column : &r->value.column};
  const uint32_t words = moment_words(r);
  rdx_datum values[2];
  rdx_i128 units[2];
  uint32_t shifts[2] = {0};
  if (!rdx_column_has(columns[0], row) || !rdx_column_has(columns[1], row))
    return;
  m->count += in ? 1 : UINT64_MAX;
  for (uint32_t i = 0; i < 2; i++)
    rdx_column_datum(columns[i], row, &values[i]);
  if (is_real(r) && !(isfinite(values[0].f) && isfinite(values[1].f))) {
    m->specials += in ? 1 : UINT64_MAX;
    return;
  }
  for (uint32_t i = 0; i < 2; i++) {
    units[i] = is_real(r) ? units_of_real(values[i].f, &shifts[i]) : values[i].i;
    rdx_wide_add(m->sums[i], words, in ? units[i] : -units[i], shifts[i]);
  }
  rdx_wide_add(m->products, 2 * words, in ? units[0] * units[1] : -(units[0] * units[1]), shifts[0] + shifts[1]);
}

static double moment_of(const rdx_window_run *r) {
  const rdx_window_moment *m = &r->moment;
  const uint32_t words = moment_words(r);
  uint64_t sums[2][RDX_WIDE_MAX_WORDS] = {0};
  for (uint32_t i = 0; i < 2; i++) {
    memcpy(sums[i], m->sums[i], words * sizeof(uint64_t));
    if (rdx_wide_is_negative(sums[i], words))
      memset(sums[i] + words, 0xff, words * sizeof(uint64_t));
  }
  return rdx_wide_moment(sums[0], sums[1], m->products, 2 * words, is_real(r) ? 2 * UNIT : 0, m->count);
}

/* ---- All of them ---- */

void rdx_window_sum_change(rdx_window_run *r, uint32_t row, bool in) {
  rdx_window_sum *s = &r->sum;
  rdx_datum value;
  if (r->window->kind == RDX_WINDOW_MOMENT) {
    change_moment(r, row, in);
    return;
  }
  if (r->window->value && !rdx_column_has(&r->value.column, row))
    return;
  s->count += in ? 1 : UINT64_MAX;
  if (r->window->kind == RDX_WINDOW_COUNT)
    return;
  rdx_column_datum(&r->value.column, row, &value);
  if (r->window->kind >= RDX_WINDOW_BIT_AND) {
    for (uint32_t i = 0; i < RDX_COUNT(s->bits); i++)
      s->bits[i] += ((uint64_t)value.i >> i & 1) * (in ? 1 : UINT32_MAX);
    return;
  }
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

static rdx_status store_moment(const rdx_windowing *w, const rdx_window_run *r, uint32_t row, rdx_error *err) {
  const double units = (double)units_of(&r->value.column);
  const double others = r->window->other ? (double)units_of(&r->other.column) : units;
  double *out = (double *)r->values + row;
  *out = r->moment.specials > 0 ? (double)NAN : moment_of(r) / units / others;
  if (isinf(*out))
    return rdx_sql_error(err, RDX_ERROR_OVERFLOW, w->x->text, r->window->place, NULL, "value out of range: overflow");
  return RDX_OK;
}

static int64_t bits_of(const rdx_window_run *r) {
  const rdx_window_sum *s = &r->sum;
  const rdx_plan_window_kind kind = r->window->kind;
  uint64_t bits = 0;
  for (uint32_t i = 0; i < RDX_COUNT(s->bits); i++)
    bits |= (uint64_t)(kind == RDX_WINDOW_BIT_AND  ? s->bits[i] == s->count
                       : kind == RDX_WINDOW_BIT_OR ? s->bits[i] > 0
                                                   : s->bits[i] % 2)
            << i;
  return (int64_t)bits;
}

static rdx_status store_sum(const rdx_windowing *w, const rdx_window_run *r, uint32_t row, rdx_error *err) {
  const rdx_window_sum *s = &r->sum;
  int64_t *whole = r->values;
  double *real = r->values;
  if (r->window->kind >= RDX_WINDOW_BIT_AND)
    whole[row] = bits_of(r);
  else if (r->window->kind == RDX_WINDOW_AVG)
    real[row] = quotient_of(r, (rdx_i128)s->count * units_of(&r->value.column));
  else if (is_real(r))
    real[row] = quotient_of(r, 1);
  else if (s->whole > INT64_MAX || s->whole < INT64_MIN)
    return rdx_sql_error(err, RDX_ERROR_OVERFLOW, w->x->text, r->window->place,
                         "sum(x::float8) is a double, and avg(x) is exact", "the sum of a frame does not fit 64 bits");
  else
    whole[row] = (int64_t)s->whole;
  return RDX_OK;
}

rdx_status rdx_window_sum_store(const rdx_windowing *w, const rdx_window_run *r, bool empty, uint32_t row,
                                rdx_error *err) {
  const bool moment = r->window->kind == RDX_WINDOW_MOMENT;
  const uint64_t count = empty ? 0 : moment ? r->moment.count : r->sum.count;
  int64_t *whole = r->values;
  whole[row] = r->window->kind == RDX_WINDOW_COUNT ? (int64_t)count : 0;
  if (r->window->kind == RDX_WINDOW_COUNT)
    return RDX_OK;
  if (count == 0) {
    r->validity[row / 8] &= (uint8_t) ~(1u << row % 8);
    return RDX_OK;
  }
  return moment ? store_moment(w, r, row, err) : store_sum(w, r, row, err);
}
