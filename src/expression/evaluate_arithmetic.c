/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Arithmetic. Loops run over all rows and note whether any result may be wrong; only then are rows looked at one by
 * one, since what is wrong with a NULL or a row that is not active is nothing. */

#include <float.h>
#include <math.h>

#include "expression/block.h"
#include "expression/calendar.h"
#include "expression/decimal.h"

/* ---- Integers, and what is kept in 64 bits ---- */

/* The exact result; false where a divisor is 0. */
static bool exact(rdx_op op, int64_t a, int64_t b, rdx_i128 *out) {
  switch (op) {
  case RDX_OP_ADD:
    *out = (rdx_i128)a + b;
    return true;
  case RDX_OP_SUBTRACT:
    *out = (rdx_i128)a - b;
    return true;
  case RDX_OP_MULTIPLY:
    *out = (rdx_i128)a * b;
    return true;
  case RDX_OP_NEGATE:
    *out = -(rdx_i128)a;
    return true;
  case RDX_OP_DIVIDE:
    *out = b != 0 ? (rdx_i128)a / b : 0;
    return b != 0;
  default: /* MODULO */
    *out = b != 0 ? (rdx_i128)a % b : 0;
    return b != 0;
  }
}

static rdx_status check_i64(rdx_worker *w, const rdx_node *n, const rdx_values *args, const uint8_t *active,
                            const rdx_values *out) {
  const int64_t *a = args[0].data, *b = n->count > 1 ? args[1].data : a;
  const rdx_sql_kind kind = n->type.kind == RDX_SQL_DATE ? RDX_SQL_INTEGER : n->type.kind;
  int64_t min = 0, max = 0;
  rdx_integer_range(kind, &min, &max);
  for (uint32_t i = 0; i < w->rows; i++) {
    rdx_i128 value = 0;
    if (!rdx_counts(active, out->nulls, i))
      continue;
    if (!exact(n->bound->op, a[i], b[i], &value))
      return rdx_node_fail(w, n, RDX_ERROR_RANGE, "division by zero");
    if (value >= min && value <= max)
      continue;
    if (n->type.kind != RDX_SQL_DECIMAL || n->type.precision <= RDX_NARROW_DIGITS)
      return rdx_out_of_range(w, n);
    w->too_wide = true;
    return RDX_ERROR_OVERFLOW;
  }
  return RDX_OK;
}

/* Not 0 where a result does not fit the bits of the type, which are fewer than 64. */
static uint64_t beyond(int64_t value, uint32_t bits) {
  return ((uint64_t)value + (UINT64_C(1) << (bits - 1))) >> bits;
}

static uint32_t bits_of(rdx_sql_type type) {
  return type.kind == RDX_SQL_SMALLINT ? 16 : type.kind == RDX_SQL_INTEGER || type.kind == RDX_SQL_DATE ? 32 : 64;
}

static rdx_status add_i64(RDX_VALUES_ARGUMENTS) {
  const int64_t *restrict a = args[0].data, *restrict b = args[1].data;
  int64_t *restrict to = out->data;
  const uint32_t bits = bits_of(n->type);
  uint64_t bad = 0;
  if (bits < 64)
    for (uint32_t i = 0; i < w->rows; i++) {
      to[i] = (int64_t)((uint64_t)a[i] + (uint64_t)b[i]);
      bad |= beyond(to[i], bits);
    }
  else
    for (uint32_t i = 0; i < w->rows; i++) {
      to[i] = (int64_t)((uint64_t)a[i] + (uint64_t)b[i]);
      bad |= ((uint64_t)a[i] ^ (uint64_t)to[i]) & ((uint64_t)b[i] ^ (uint64_t)to[i]) & INT64_MIN;
    }
  return bad ? check_i64(w, n, args, active, out) : RDX_OK;
}

static rdx_status subtract_i64(RDX_VALUES_ARGUMENTS) {
  const int64_t *restrict a = args[0].data, *restrict b = args[1].data;
  int64_t *restrict to = out->data;
  const uint32_t bits = bits_of(n->type);
  uint64_t bad = 0;
  if (bits < 64)
    for (uint32_t i = 0; i < w->rows; i++) {
      to[i] = (int64_t)((uint64_t)a[i] - (uint64_t)b[i]);
      bad |= beyond(to[i], bits);
    }
  else
    for (uint32_t i = 0; i < w->rows; i++) {
      to[i] = (int64_t)((uint64_t)a[i] - (uint64_t)b[i]);
      bad |= ((uint64_t)a[i] ^ (uint64_t)b[i]) & ((uint64_t)a[i] ^ (uint64_t)to[i]) & INT64_MIN;
    }
  return bad ? check_i64(w, n, args, active, out) : RDX_OK;
}

static rdx_status negate_i64(RDX_VALUES_ARGUMENTS) {
  const int64_t *restrict a = args[0].data;
  int64_t *restrict to = out->data;
  const uint32_t bits = bits_of(n->type);
  uint64_t bad = 0;
  for (uint32_t i = 0; i < w->rows; i++) {
    to[i] = (int64_t)(0 - (uint64_t)a[i]);
    bad |= bits < 64 ? beyond(to[i], bits) : (uint64_t)(to[i] == INT64_MIN);
  }
  return bad ? check_i64(w, n, args, active, out) : RDX_OK;
}

static rdx_status multiply_i64(RDX_VALUES_ARGUMENTS) {
  const int64_t *restrict a = args[0].data, *restrict b = args[1].data;
  int64_t *restrict to = out->data;
  const uint32_t bits = bits_of(n->type);
  uint64_t bad = 0;
  for (uint32_t i = 0; i < w->rows; i++) {
    bad |= __builtin_mul_overflow(a[i], b[i], &to[i]);
    bad |= bits < 64 ? beyond(to[i], bits) : 0;
  }
  return bad ? check_i64(w, n, args, active, out) : RDX_OK;
}

static rdx_status divide_i64(RDX_VALUES_ARGUMENTS) {
  const int64_t *restrict a = args[0].data, *restrict b = args[1].data;
  int64_t *restrict to = out->data;
  const uint32_t bits = bits_of(n->type);
  uint64_t bad = 0;
  for (uint32_t i = 0; i < w->rows; i++) {
    const bool wrong = b[i] == 0 || (b[i] == -1 && a[i] == INT64_MIN);
    to[i] = a[i] / (wrong ? 1 : b[i]);
    bad |= wrong | (bits < 64 ? beyond(to[i], bits) : 0);
  }
  return bad ? check_i64(w, n, args, active, out) : RDX_OK;
}

static rdx_status modulo_i64(RDX_VALUES_ARGUMENTS) {
  const int64_t *restrict a = args[0].data, *restrict b = args[1].data;
  int64_t *restrict to = out->data;
  uint64_t bad = 0;
  for (uint32_t i = 0; i < w->rows; i++) {
    const bool wrong = b[i] == 0;
    to[i] = wrong || b[i] == -1 ? 0 : a[i] % b[i];
    bad |= wrong;
  }
  return bad ? check_i64(w, n, args, active, out) : RDX_OK;
}

/* ---- DECIMALs of more than 64 bits ---- */

/* Digits of a product that the type has no room for. */
static uint32_t dropped(const rdx_node *n) {
  return (uint32_t)n->args[0]->type.scale + n->args[1]->type.scale - n->type.scale;
}

static bool wide_result(const rdx_node *n, rdx_i128 a, rdx_i128 b, rdx_i128 *out) {
  switch (n->bound->op) {
  case RDX_OP_ADD:
    return !__builtin_add_overflow(a, b, out);
  case RDX_OP_SUBTRACT:
    return !__builtin_sub_overflow(a, b, out);
  case RDX_OP_NEGATE:
    *out = -a;
    return true;
  case RDX_OP_MULTIPLY:
    return rdx_decimal_multiply(a, b, dropped(n), out);
  default: /* MODULO */
    *out = a % b;
    return true;
  }
}

static rdx_status arithmetic_wide(RDX_VALUES_ARGUMENTS) {
  const rdx_i128 *a = args[0].data, *b = n->count > 1 ? args[1].data : a;
  rdx_i128 *to = out->data;
  for (uint32_t i = 0; i < w->rows; i++) {
    if (!rdx_counts(active, out->nulls, i))
      continue;
    if (n->bound->op == RDX_OP_MODULO && b[i] == 0)
      return rdx_node_fail(w, n, RDX_ERROR_RANGE, "division by zero");
    if (!wide_result(n, a[i], b[i], &to[i]) || !rdx_decimal_fits(to[i], n->type.precision))
      return rdx_out_of_range(w, n);
  }
  return RDX_OK;
}

static rdx_status too_wide(RDX_VALUES_ARGUMENTS) {
  w->too_wide = true;
  return RDX_ERROR_OVERFLOW;
}

/* ---- Floats ---- */

static rdx_status check_f64(rdx_worker *w, const rdx_node *n, const rdx_values *args, const uint8_t *active,
                            const rdx_values *out) {
  const double *a = args[0].data, *b = args[1].data, *to = out->data;
  for (uint32_t i = 0; i < w->rows; i++) {
    if (!rdx_counts(active, out->nulls, i))
      continue;
    const bool divides = n->bound->op == RDX_OP_DIVIDE;
    if (divides && b[i] == 0 && a[i] == a[i])
      return rdx_node_fail(w, n, RDX_ERROR_RANGE, "division by zero");
    if (isinf(to[i]) && !isinf(a[i]) && !isinf(b[i]))
      return rdx_out_of_range(w, n);
    const bool scales = divides || n->bound->op == RDX_OP_MULTIPLY;
    if (scales && to[i] == 0 && a[i] != 0 && !(divides ? isinf(b[i]) != 0 : b[i] == 0))
      return rdx_node_fail(w, n, RDX_ERROR_OVERFLOW, "value out of range: underflow");
  }
  return RDX_OK;
}

#define FLOATS(name, operator)                                                                                         \
  static rdx_status name(RDX_VALUES_ARGUMENTS) {                                                                       \
    const double *restrict a = args[0].data, *restrict b = args[1].data;                                               \
    double *restrict to = out->data;                                                                                   \
    int bad = 0;                                                                                                       \
    if (n->type.kind == RDX_SQL_REAL)                                                                                  \
      for (uint32_t i = 0; i < w->rows; i++) {                                                                         \
        to[i] = (double)(float)(a[i] operator b[i]);                                                                   \
        bad |= !(fabs(to[i]) <= DBL_MAX) | (to[i] == 0);                                                               \
      }                                                                                                                \
    else                                                                                                               \
      for (uint32_t i = 0; i < w->rows; i++) {                                                                         \
        to[i] = a[i] operator b[i];                                                                                    \
        bad |= !(fabs(to[i]) <= DBL_MAX) | (to[i] == 0);                                                               \
      }                                                                                                                \
    return bad ? check_f64(w, n, args, active, out) : RDX_OK;                                                          \
  }

FLOATS(add_f64, +)
FLOATS(subtract_f64, -)
FLOATS(multiply_f64, *)

FLOATS(divide_f64, /)

/* Of quotients only: of the decimals that they are written as, where there is room for them. */
static rdx_status modulo_f64(RDX_VALUES_ARGUMENTS) {
  const double *a = args[0].data, *b = args[1].data;
  for (uint32_t i = 0; i < w->rows; i++) {
    rdx_i128 x = 0, y = 0;
    if (b[i] == 0 && rdx_counts(active, out->nulls, i))
      return rdx_node_fail(w, n, RDX_ERROR_RANGE, "division by zero");
    const bool exact = rdx_decimal_from_double(a[i], false, RDX_NARROW_DIGITS, &x) &&
                       rdx_decimal_from_double(b[i], false, RDX_NARROW_DIGITS, &y) && y != 0;
    ((double *)out->data)[i] = exact ? rdx_decimal_to_double(x % y, RDX_NARROW_DIGITS) : fmod(a[i], b[i]);
  }
  return RDX_OK;
}

static rdx_status negate_f64(RDX_VALUES_ARGUMENTS) {
  for (uint32_t i = 0; i < w->rows; i++)
    ((double *)out->data)[i] = -((const double *)args[0].data)[i];
  return RDX_OK;
}

/* ---- Times ---- */

static rdx_status time_and_interval(RDX_VALUES_ARGUMENTS) {
  const int64_t *a = args[0].data;
  const rdx_sql_interval *b = args[1].data;
  int64_t *to = out->data;
  for (uint32_t i = 0; i < w->rows; i++) {
    if (!rdx_counts(active, out->nulls, i))
      continue;
    if (!rdx_time_add(a[i], b[i], n->bound->op == RDX_OP_SUBTRACT, &to[i]))
      return rdx_out_of_range(w, n);
  }
  return RDX_OK;
}

static rdx_status time_difference(RDX_VALUES_ARGUMENTS) {
  const int64_t *a = args[0].data, *b = args[1].data;
  rdx_sql_interval *to = out->data;
  for (uint32_t i = 0; i < w->rows; i++) {
    if (!rdx_counts(active, out->nulls, i))
      continue;
    if (!rdx_time_difference(a[i], b[i], &to[i]))
      return rdx_out_of_range(w, n);
  }
  return RDX_OK;
}

static rdx_status interval_and_interval(RDX_VALUES_ARGUMENTS) {
  const rdx_sql_interval *a = args[0].data, *b = n->count > 1 ? args[1].data : NULL;
  rdx_sql_interval *to = out->data;
  for (uint32_t i = 0; i < w->rows; i++) {
    if (!rdx_counts(active, out->nulls, i))
      continue;
    const rdx_sql_interval x = b ? a[i] : (rdx_sql_interval){0};
    if (!rdx_interval_add(x, b ? b[i] : a[i], n->bound->op != RDX_OP_ADD, &to[i]))
      return rdx_out_of_range(w, n);
  }
  return RDX_OK;
}

static rdx_status interval_and_number(RDX_VALUES_ARGUMENTS) {
  const rdx_sql_interval *a = args[0].data;
  const double *b = args[1].data;
  rdx_sql_interval *to = out->data;
  const bool divides = n->bound->op == RDX_OP_DIVIDE;
  for (uint32_t i = 0; i < w->rows; i++) {
    if (!rdx_counts(active, out->nulls, i))
      continue;
    if (divides && b[i] == 0)
      return rdx_node_fail(w, n, RDX_ERROR_RANGE, "division by zero");
    if (!rdx_interval_scale(a[i], b[i], divides, &to[i]))
      return rdx_out_of_range(w, n);
  }
  return RDX_OK;
}

/* ---- All of them ---- */

static rdx_values_fn kernel_of_times(const rdx_node *n) {
  const rdx_class second = n->count > 1 ? n->args[1]->class : RDX_CLASS_INTERVAL;
  if (n->args[0]->class != RDX_CLASS_INTERVAL)
    return second == RDX_CLASS_INTERVAL ? time_and_interval : time_difference;
  return second == RDX_CLASS_INTERVAL ? interval_and_interval : interval_and_number;
}

rdx_values_fn rdx_arithmetic_kernel(const rdx_node *n) {
  static const rdx_values_fn integers[] = {
      [RDX_OP_ADD - RDX_OP_ADD] = add_i64,           [RDX_OP_SUBTRACT - RDX_OP_ADD] = subtract_i64,
      [RDX_OP_MULTIPLY - RDX_OP_ADD] = multiply_i64, [RDX_OP_DIVIDE - RDX_OP_ADD] = divide_i64,
      [RDX_OP_MODULO - RDX_OP_ADD] = modulo_i64,     [RDX_OP_NEGATE - RDX_OP_ADD] = negate_i64};
  static const rdx_values_fn floats[] = {
      [RDX_OP_ADD - RDX_OP_ADD] = add_f64,           [RDX_OP_SUBTRACT - RDX_OP_ADD] = subtract_f64,
      [RDX_OP_MULTIPLY - RDX_OP_ADD] = multiply_f64, [RDX_OP_DIVIDE - RDX_OP_ADD] = divide_f64,
      [RDX_OP_MODULO - RDX_OP_ADD] = modulo_f64,     [RDX_OP_NEGATE - RDX_OP_ADD] = negate_f64};
  const rdx_op op = n->bound->op;
  if (n->type.kind == RDX_SQL_TIMESTAMP || n->type.kind == RDX_SQL_INTERVAL)
    return kernel_of_times(n);
  if (n->class == RDX_CLASS_WIDE)
    return arithmetic_wide;
  if (n->type.kind == RDX_SQL_DECIMAL && op == RDX_OP_MULTIPLY && dropped(n) > 0)
    return too_wide;
  return n->class == RDX_CLASS_F64 ? floats[op - RDX_OP_ADD] : integers[op - RDX_OP_ADD];
}
