/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Casts between numbers, and between dates and times. */

#include <math.h>

#include "expression/block.h"
#include "expression/calendar.h"
#include "expression/casts.h"
#include "expression/decimal.h"

static rdx_status copy_i64(RDX_VALUES_ARGUMENTS) {
  for (uint32_t i = 0; i < w->rows; i++)
    ((int64_t *)out->data)[i] = ((const int64_t *)args[0].data)[i];
  return RDX_OK;
}

static rdx_status to_truth(RDX_VALUES_ARGUMENTS) {
  for (uint32_t i = 0; i < w->rows; i++)
    ((int64_t *)out->data)[i] = ((const int64_t *)args[0].data)[i] != 0;
  return RDX_OK;
}

/* ---- Integers and DECIMALs ---- */

static uint8_t scale_of(rdx_sql_type type) {
  return type.kind == RDX_SQL_DECIMAL ? type.scale : 0;
}

/* One value at the node's scale, checked against its type. */
static rdx_status put_exact(rdx_worker *w, const rdx_node *n, rdx_i128 value, uint32_t row, rdx_values *out) {
  rdx_i128 scaled = 0;
  int64_t min = 0, max = 0;
  if (!rdx_decimal_rescale(value, scale_of(n->args[0]->type), scale_of(n->type), &scaled))
    return rdx_out_of_range(w, n);
  if (n->type.kind == RDX_SQL_DECIMAL)
    return rdx_put_decimal(w, n, scaled, row, out);
  rdx_integer_range(n->type.kind, &min, &max);
  if (scaled < min || scaled > max)
    return rdx_out_of_range(w, n);
  ((int64_t *)out->data)[row] = (int64_t)scaled;
  return RDX_OK;
}

static rdx_status exact_one_by_one(RDX_VALUES_ARGUMENTS) {
  const rdx_class class = n->args[0]->class;
  for (uint32_t i = 0; i < w->rows; i++) {
    if (!rdx_counts(active, out->nulls, i))
      continue;
    const rdx_i128 value =
        class == RDX_CLASS_WIDE ? ((const rdx_i128 *)args[0].data)[i] : (rdx_i128)((const int64_t *)args[0].data)[i];
    RDX_TRY(put_exact(w, n, value, i, out));
  }
  return RDX_OK;
}

/* To a larger scale of a type that has as many digits before the point: only the bits may not do. */
static rdx_status scale_up(RDX_VALUES_ARGUMENTS) {
  const int64_t *restrict a = args[0].data;
  int64_t *restrict to = out->data;
  const int64_t factor = (int64_t)rdx_power_of_ten((uint32_t)(scale_of(n->type) - scale_of(n->args[0]->type)));
  int bad = 0;
  for (uint32_t i = 0; i < w->rows; i++)
    bad |= __builtin_mul_overflow(a[i], factor, &to[i]);
  return bad ? exact_one_by_one(w, n, args, active, out) : RDX_OK;
}

static rdx_status exact_to_float(RDX_VALUES_ARGUMENTS) {
  const bool wide = n->args[0]->class == RDX_CLASS_WIDE, narrow = n->type.kind == RDX_SQL_REAL;
  const uint8_t scale = scale_of(n->args[0]->type);
  const int64_t *a = args[0].data;
  double *to = out->data;
  for (uint32_t i = 0; i < w->rows; i++) {
    if (!rdx_counts(active, out->nulls, i))
      continue;
    if (scale == 0 && !wide)
      to[i] = narrow ? (double)(float)a[i] : (double)a[i];
    else
      to[i] = rdx_decimal_to_double(wide ? ((const rdx_i128 *)args[0].data)[i] : (rdx_i128)a[i], scale);
    to[i] = narrow ? (double)(float)to[i] : to[i];
  }
  return RDX_OK;
}

/* ---- Floats ---- */

static rdx_status float_to_integer(RDX_VALUES_ARGUMENTS) {
  const double *a = args[0].data;
  const bool halves_away = rdx_is_quotient(n->args[0]->type);
  int64_t min = 0, max = 0;
  rdx_integer_range(n->type.kind, &min, &max);
  for (uint32_t i = 0; i < w->rows; i++) {
    if (!rdx_counts(active, out->nulls, i))
      continue;
    const double value = halves_away ? round(rdx_decimal_settled(a[i])) : rint(a[i]);
    if (!(value >= (double)min && value < -(double)min))
      return rdx_out_of_range(w, n);
    ((int64_t *)out->data)[i] = (int64_t)value;
  }
  return RDX_OK;
}

static rdx_status float_to_decimal(RDX_VALUES_ARGUMENTS) {
  const bool narrow = n->args[0]->type.kind == RDX_SQL_REAL;
  for (uint32_t i = 0; i < w->rows; i++) {
    rdx_i128 value = 0;
    if (!rdx_counts(active, out->nulls, i))
      continue;
    if (!rdx_decimal_from_double(((const double *)args[0].data)[i], narrow, n->type.scale, &value))
      return rdx_out_of_range(w, n);
    RDX_TRY(rdx_put_decimal(w, n, value, i, out));
  }
  return RDX_OK;
}

static rdx_status float_to_float(RDX_VALUES_ARGUMENTS) {
  const double *a = args[0].data;
  double *to = out->data;
  for (uint32_t i = 0; i < w->rows; i++) {
    to[i] = n->type.kind == RDX_SQL_REAL ? (double)(float)a[i] : a[i];
    if (isinf(to[i]) && !isinf(a[i]) && rdx_counts(active, out->nulls, i))
      return rdx_out_of_range(w, n);
    if (to[i] == 0 && a[i] != 0 && rdx_counts(active, out->nulls, i))
      return rdx_node_fail(w, n, RDX_ERROR_OVERFLOW, "value out of range: underflow");
  }
  return RDX_OK;
}

/* A float as numeric: of the digits that it keeps of any. */
static rdx_status float_to_quotient(RDX_VALUES_ARGUMENTS) {
  const bool narrow = n->args[0]->type.kind == RDX_SQL_REAL;
  for (uint32_t i = 0; i < w->rows; i++)
    ((double *)out->data)[i] = rdx_decimal_shortest(((const double *)args[0].data)[i], narrow);
  return RDX_OK;
}

/* ---- Times ---- */

static rdx_status date_to_timestamp(RDX_VALUES_ARGUMENTS) {
  const int64_t *a = args[0].data;
  for (uint32_t i = 0; i < w->rows; i++)
    if (!rdx_time_of_day(a[i], &((int64_t *)out->data)[i]) && rdx_counts(active, out->nulls, i))
      return rdx_out_of_range(w, n);
  return RDX_OK;
}

static rdx_status timestamp_to_date(RDX_VALUES_ARGUMENTS) {
  const int64_t *a = args[0].data;
  for (uint32_t i = 0; i < w->rows; i++) {
    int64_t rest = 0;
    ((int64_t *)out->data)[i] = rdx_day_of_time(a[i], &rest);
  }
  return RDX_OK;
}

/* ---- All of them ---- */

static rdx_values_fn from_exact(const rdx_node *from, const rdx_node *n) {
  const rdx_sql_type wanted = n->type, given = from->type;
  if (rdx_is_float(wanted))
    return exact_to_float;
  if (wanted.kind == RDX_SQL_BOOL)
    return to_truth;
  if (wanted.kind != RDX_SQL_DECIMAL || from->class != RDX_CLASS_I64 || n->class != RDX_CLASS_I64)
    return exact_one_by_one;
  const rdx_sql_type digits = rdx_type_as_decimal(given);
  const int whole = digits.precision - digits.scale, capacity = wanted.precision - wanted.scale;
  const int shift = wanted.scale - digits.scale;
  return whole <= capacity && shift >= 0 && shift <= RDX_NARROW_DIGITS ? scale_up : exact_one_by_one;
}

rdx_values_fn rdx_cast_kernel(const rdx_node *from, const rdx_node *n) {
  const rdx_sql_kind given = from->type.kind, wanted = n->type.kind;
  if (wanted == RDX_SQL_TEXT)
    return rdx_cast_to_text;
  if (given == RDX_SQL_TEXT || given == RDX_SQL_UNKNOWN)
    return rdx_cast_from_text;
  if (given == RDX_SQL_BOOL)
    return copy_i64;
  if (rdx_is_exact(from->type))
    return from_exact(from, n);
  if (rdx_is_float(from->type) && rdx_is_quotient(n->type))
    return float_to_quotient;
  if (rdx_is_float(from->type))
    return rdx_is_float(n->type) ? float_to_float : wanted == RDX_SQL_DECIMAL ? float_to_decimal : float_to_integer;
  return wanted == RDX_SQL_TIMESTAMP ? date_to_timestamp : timestamp_to_date;
}

bool rdx_cast_is_free(const rdx_node *from, const rdx_node *n) {
  const rdx_sql_type given = from->type, wanted = n->type;
  if (from->class != n->class || given.kind > wanted.kind ||
      (rdx_is_float(given) && rdx_is_quotient(wanted) != rdx_is_quotient(given)))
    return false;
  if (rdx_same_type(given, wanted) || n->class == RDX_CLASS_TEXT)
    return true;
  if (rdx_is_float(given) || (rdx_is_integer(given) && rdx_is_integer(wanted)))
    return true;
  if (!rdx_is_exact(given) || wanted.kind != RDX_SQL_DECIMAL)
    return false;
  const rdx_sql_type digits = rdx_type_as_decimal(given);
  return digits.scale == wanted.scale && digits.precision <= wanted.precision;
}
