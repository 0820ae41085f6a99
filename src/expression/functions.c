/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The table of functions, and those of numbers. */

#include "expression/functions.h"

#include <math.h>
#include <stdio.h>

#include "expression/decimal.h"

#define PI 3.14159265358979323846

rdx_status rdx_function_fail(rdx_worker *w, const rdx_node *n, const char *what) {
  return rdx_node_fail(w, n, RDX_ERROR_RANGE, "%s", what);
}

/* ---- Integers and DECIMALs ---- */

static rdx_status integer_abs(RDX_ROW_ARGUMENTS) {
  int64_t min = 0, max = 0;
  rdx_integer_range(n->type.kind, &min, &max);
  if (args[0].i < -max)
    return rdx_out_of_range(w, n);
  out->i = args[0].i < 0 ? -args[0].i : args[0].i;
  return RDX_OK;
}

static rdx_status decimal_abs(RDX_ROW_ARGUMENTS) {
  out->wide = args[0].wide < 0 ? -args[0].wide : args[0].wide;
  return RDX_OK;
}

static rdx_status decimal_sign(RDX_ROW_ARGUMENTS) {
  out->wide = (args[0].wide > 0) - (args[0].wide < 0);
  return RDX_OK;
}

/* The places that are asked for, within what a DECIMAL can have. */
static int32_t places(const rdx_node *n, const rdx_datum *args) {
  const int64_t wanted = n->count > 1 ? args[1].i : 0;
  return wanted < -RDX_DECIMAL_DIGITS  ? -RDX_DECIMAL_DIGITS - 1
         : wanted > RDX_DECIMAL_DIGITS ? RDX_DECIMAL_DIGITS
                                       : (int32_t)wanted;
}

/* Without the digits behind some place, then at the scale of the result. */
static rdx_status cut_decimal(RDX_ROW_ARGUMENTS, bool rounds) {
  const uint8_t from = n->args[0]->type.kind == RDX_SQL_DECIMAL ? n->args[0]->type.scale : 0;
  const int32_t to = places(n, args), drop = from - to;
  rdx_i128 value = args[0].wide;
  if (drop > RDX_DECIMAL_DIGITS)
    value = 0;
  else if (drop > 0)
    value = rounds ? rdx_decimal_shorten(value, (uint32_t)drop) : value / rdx_power_of_ten((uint32_t)drop);
  if (drop > 0 &&
      __builtin_mul_overflow(value, rdx_power_of_ten(drop > RDX_DECIMAL_DIGITS ? 0 : (uint32_t)drop), &value))
    return rdx_out_of_range(w, n);
  return rdx_decimal_rescale(value, from, n->type.scale, &out->wide) ? RDX_OK : rdx_out_of_range(w, n);
}

static rdx_status decimal_round(RDX_ROW_ARGUMENTS) {
  return cut_decimal(w, n, args, out, true);
}

static rdx_status decimal_trunc(RDX_ROW_ARGUMENTS) {
  return cut_decimal(w, n, args, out, false);
}

static rdx_status decimal_floor(RDX_ROW_ARGUMENTS) {
  const rdx_i128 power = rdx_power_of_ten(n->args[0]->type.scale), value = args[0].wide;
  out->wide = value / power - (value % power < 0);
  return RDX_OK;
}

static rdx_status decimal_ceil(RDX_ROW_ARGUMENTS) {
  const rdx_i128 power = rdx_power_of_ten(n->args[0]->type.scale), value = args[0].wide;
  out->wide = value / power + (value % power > 0);
  return RDX_OK;
}

/* ---- The types of what they return ---- */

static rdx_sql_type as_first(const rdx_bound *const *args, RDX_UNUSED uint32_t count) {
  return args[0]->type;
}

static rdx_sql_type whole(RDX_UNUSED const rdx_bound *const *args, RDX_UNUSED uint32_t count) {
  return rdx_decimal_type(RDX_DECIMAL_DIGITS, 0);
}

static rdx_sql_type one_digit(RDX_UNUSED const rdx_bound *const *args, RDX_UNUSED uint32_t count) {
  return rdx_decimal_type(1, 0);
}

/* Rounded to a place that is known, or else at the scale that there is; there may be a digit more. */
static rdx_sql_type cut_type(const rdx_bound *const *args, uint32_t count) {
  const rdx_sql_type t = args[0]->type;
  int64_t scale = t.scale;
  if (count == 1)
    scale = 0;
  else if (args[1]->kind == RDX_BOUND_CONSTANT && !args[1]->value.null)
    scale = args[1]->value.i;
  scale = scale < 0 ? 0 : scale > RDX_DECIMAL_DIGITS ? RDX_DECIMAL_DIGITS : scale;
  return rdx_decimal_type(t.precision - t.scale + 1 + (int32_t)scale, (int32_t)scale);
}

/* What is a numeric in PostgreSQL where its arguments are: see rdx_is_quotient(). */
static rdx_sql_type as_numbers(const rdx_bound *const *args, uint32_t count) {
  bool any = false, all = true;
  for (uint32_t i = 0; i < count; i++) {
    const bool of_integer =
        args[i]->kind == RDX_BOUND_CALL && args[i]->op == RDX_OP_CAST && rdx_is_integer(args[i]->args[0]->type);
    any |= rdx_is_quotient(args[i]->type);
    all &= !rdx_is_float(args[i]->type) || rdx_is_quotient(args[i]->type) || of_integer ||
           args[i]->kind == RDX_BOUND_CONSTANT;
  }
  return any && all ? rdx_quotient_type() : rdx_type_of_kind(RDX_SQL_DOUBLE);
}

/* ---- Floats ---- */

#define SIMPLE(name, value)                                                                                            \
  static rdx_status name(RDX_ROW_ARGUMENTS) {                                                                          \
    const double x = args[0].f;                                                                                        \
    (void)w;                                                                                                           \
    (void)n;                                                                                                           \
    out->f = value;                                                                                                    \
    return RDX_OK;                                                                                                     \
  }

SIMPLE(double_abs, fabs(x))
SIMPLE(double_sign, (double)((x > 0) - (x < 0)))
SIMPLE(double_round, rdx_is_quotient(n->type) ? round(rdx_decimal_settled(x)) : rint(x))
SIMPLE(double_floor, floor(rdx_is_quotient(n->type) ? rdx_decimal_settled(x) : x))
SIMPLE(double_ceil, ceil(rdx_is_quotient(n->type) ? rdx_decimal_settled(x) : x))
SIMPLE(double_trunc, trunc(rdx_is_quotient(n->type) ? rdx_decimal_settled(x) : x))
SIMPLE(double_cbrt, cbrt(x))

/* To decimal places: by way of the decimal that the number is written as, where there is room for it. */
static rdx_status double_round_to(RDX_ROW_ARGUMENTS) {
  const double x = args[0].f;
  const int64_t to = args[1].i;
  rdx_i128 value = 0;
  out->f = x;
  if (to >= 0 && to <= 28 && rdx_decimal_from_double(x, false, (uint8_t)to, &value))
    out->f = rdx_decimal_to_double(value, (uint8_t)to);
  else if (to < 0 && isfinite(x))
    out->f = to < -308 ? 0 : round(x / pow(10, (double)-to)) * pow(10, (double)-to);
  return RDX_OK;
}

static rdx_status double_trunc_to(RDX_ROW_ARGUMENTS) {
  const double x = args[0].f, power = pow(10, fabs((double)args[1].i));
  const int64_t to = args[1].i;
  rdx_i128 digits = 0;
  if (to >= 0 && to <= RDX_NARROW_DIGITS && rdx_decimal_from_double(x, false, RDX_NARROW_DIGITS, &digits)) {
    out->f = rdx_decimal_to_double(digits / rdx_power_of_ten((uint32_t)(RDX_NARROW_DIGITS - to)), (uint8_t)to);
    return RDX_OK;
  }
  const double value = args[1].i >= 0 ? trunc(x * power) / power : trunc(x / power) * power;
  out->f = isfinite(value) ? value : x;
  return RDX_OK;
}

static rdx_status double_sqrt(RDX_ROW_ARGUMENTS) {
  if (args[0].f < 0)
    return rdx_function_fail(w, n, "cannot take square root of a negative number");
  out->f = sqrt(args[0].f);
  return RDX_OK;
}

static rdx_status check_logarithm(rdx_worker *w, const rdx_node *n, double x) {
  if (x == 0)
    return rdx_function_fail(w, n, "cannot take logarithm of zero");
  if (x < 0)
    return rdx_function_fail(w, n, "cannot take logarithm of a negative number");
  return RDX_OK;
}

static rdx_status double_ln(RDX_ROW_ARGUMENTS) {
  RDX_TRY(check_logarithm(w, n, args[0].f));
  out->f = log(args[0].f);
  return RDX_OK;
}

static rdx_status double_log(RDX_ROW_ARGUMENTS) {
  RDX_TRY(check_logarithm(w, n, args[0].f));
  out->f = log10(args[0].f);
  return RDX_OK;
}

static rdx_status double_log_of_base(RDX_ROW_ARGUMENTS) {
  RDX_TRY(check_logarithm(w, n, args[0].f));
  RDX_TRY(check_logarithm(w, n, args[1].f));
  if (args[0].f == 1)
    return rdx_function_fail(w, n, "division by zero");
  out->f = log(args[1].f) / log(args[0].f);
  return RDX_OK;
}

static rdx_status double_exp(RDX_ROW_ARGUMENTS) {
  out->f = exp(args[0].f);
  if (isinf(out->f) && !isinf(args[0].f))
    return rdx_out_of_range(w, n);
  return RDX_OK;
}

static rdx_status double_power(RDX_ROW_ARGUMENTS) {
  const double x = args[0].f, y = args[1].f;
  if (x == 0 && y < 0)
    return rdx_function_fail(w, n, "zero raised to a negative power is undefined");
  if (x < 0 && isfinite(x) && isfinite(y) && y != floor(y))
    return rdx_function_fail(w, n, "a negative number raised to a non-integer power yields a complex result");
  out->f = pow(x, y);
  if (isinf(out->f) && isfinite(x) && isfinite(y))
    return rdx_out_of_range(w, n);
  return RDX_OK;
}

static rdx_status double_pi(RDX_ROW_ARGUMENTS) {
  out->f = PI;
  return RDX_OK;
}

static rdx_status double_within(rdx_worker *w, const rdx_node *n, bool is_within, double value, rdx_datum *out) {
  if (!is_within)
    return rdx_function_fail(w, n, "input is out of range");
  out->f = value;
  return RDX_OK;
}

static rdx_status double_asin(RDX_ROW_ARGUMENTS) {
  return double_within(w, n, !(fabs(args[0].f) > 1), asin(args[0].f), out);
}

static rdx_status double_acos(RDX_ROW_ARGUMENTS) {
  return double_within(w, n, !(fabs(args[0].f) > 1), acos(args[0].f), out);
}

static rdx_status double_acosh(RDX_ROW_ARGUMENTS) {
  return double_within(w, n, !(args[0].f < 1), acosh(args[0].f), out);
}

static rdx_status double_atanh(RDX_ROW_ARGUMENTS) {
  return double_within(w, n, !(fabs(args[0].f) > 1), atanh(args[0].f), out);
}

static rdx_status double_atan2(RDX_ROW_ARGUMENTS) {
  out->f = atan2(args[0].f, args[1].f);
  return RDX_OK;
}

SIMPLE(double_sin, sin(x))
SIMPLE(double_cos, cos(x))
SIMPLE(double_tan, tan(x))
SIMPLE(double_cot, 1 / tan(x))
SIMPLE(double_atan, atan(x))
SIMPLE(double_sinh, sinh(x))
SIMPLE(double_cosh, cosh(x))
SIMPLE(double_tanh, tanh(x))
SIMPLE(double_asinh, asinh(x))
SIMPLE(double_degrees, x / (PI / 180))
SIMPLE(double_radians, x *(PI / 180))

/* Angles in degrees are exact where sine, cosine or tangent are known numbers. */

/* Of 0 to 90 degrees. */
static double sine_of_degrees(double x) {
  return x == 30 ? 0.5 : x <= 45 ? sin(x * (PI / 180)) : x == 60 ? sqrt(0.75) : cos((90 - x) * (PI / 180));
}

/* The angle from 0 to 90 of the same sine; its sign is that of the sine. */
static double fold_degrees(double x, double *sign) {
  x = fmod(x, 360);
  *sign = copysign(1, x);
  x = fabs(x);
  if (x > 180) {
    x -= 180;
    *sign = -*sign;
  }
  return x > 90 ? 180 - x : x;
}

static double degrees_sine(double x) {
  double sign = 1;
  const double folded = fold_degrees(x, &sign);
  return sign * sine_of_degrees(folded);
}

static double degrees_cosine(double x) {
  double sign = 1;
  x = fmod(fabs(x), 360);
  x = x > 180 ? 360 - x : x;
  sign = x > 90 ? -1 : 1;
  x = x > 90 ? 180 - x : x;
  return sign * (x == 60 ? 0.5 : x == 90 ? 0 : sine_of_degrees(90 - x));
}

static double degrees_tangent(double x) {
  const double sine = degrees_sine(x), cosine = degrees_cosine(x);
  return fabs(sine) == fabs(cosine) ? copysign(1, sine) * copysign(1, cosine) : sine / cosine;
}

static double degrees_cotangent(double x) {
  const double sine = degrees_sine(x), cosine = degrees_cosine(x);
  return fabs(sine) == fabs(cosine) ? copysign(1, sine) * copysign(1, cosine) : cosine / sine;
}

static double degrees_arcsine(double x) {
  return fabs(x) == 0.5 ? copysign(30, x) : asin(x) * (180 / PI);
}

static double degrees_arccosine(double x) {
  return x == 0.5 ? 60 : x == -0.5 ? 120 : acos(x) * (180 / PI);
}

#define OF_DEGREES(name, fits, value)                                                                                  \
  static rdx_status name(RDX_ROW_ARGUMENTS) {                                                                          \
    const double x = args[0].f;                                                                                        \
    return double_within(w, n, fits, value, out);                                                                      \
  }

OF_DEGREES(double_sind, !isinf(x), degrees_sine(x))
OF_DEGREES(double_cosd, !isinf(x), degrees_cosine(x))
OF_DEGREES(double_tand, !isinf(x), degrees_tangent(x) + 0.0) /* never -0 */
OF_DEGREES(double_cotd, !isinf(x), degrees_cotangent(x) + 0.0)
OF_DEGREES(double_asind, !(fabs(x) > 1), degrees_arcsine(x))
OF_DEGREES(double_acosd, !(fabs(x) > 1), degrees_arccosine(x))
SIMPLE(double_atand, fabs(x) == 1 ? copysign(45, x) : atan(x) * (180 / PI))

static rdx_status double_atan2d(RDX_ROW_ARGUMENTS) {
  const double y = args[0].f, x = args[1].f;
  const double eighths = x < 0 ? 135 : 45; /* of a right angle: where y is as far from 0 as x is */
  const bool even = fabs(x) == fabs(y) && x != 0 && isfinite(x);
  out->f = even ? copysign(eighths, y) : atan2(y, x) * (180 / PI);
  return RDX_OK;
}

/* ---- Bits and divisors of integers ---- */

#define OF_BITS(name, value)                                                                                           \
  static rdx_status name(RDX_ROW_ARGUMENTS) {                                                                          \
    const int64_t a = args[0].i, b = n->count > 1 ? args[1].i : 0;                                                     \
    (void)w;                                                                                                           \
    (void)b;                                                                                                           \
    out->i = value;                                                                                                    \
    return RDX_OK;                                                                                                     \
  }

OF_BITS(bits_and, a &b)
OF_BITS(bits_or, a | b)
OF_BITS(bits_xor, a ^ b)
OF_BITS(bits_not, ~a)
OF_BITS(shift_smallint_left, (int16_t)((uint32_t)a << (b & 31)))
OF_BITS(shift_integer_left, (int32_t)((uint32_t)a << (b & 31)))
OF_BITS(shift_integer_right, (int32_t)a >> (b & 31))
OF_BITS(shift_bigint_left, (int64_t)((uint64_t)a << (b & 63)))
OF_BITS(shift_bigint_right, a >> (b & 63))

static uint64_t absolute(int64_t x) {
  return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}

/* An integer of a node's type. */
static rdx_status put_integer(rdx_worker *w, const rdx_node *n, rdx_i128 value, rdx_datum *out) {
  int64_t min = 0, max = 0;
  rdx_integer_range(n->type.kind, &min, &max);
  out->i = (int64_t)value;
  return value < min || value > max ? rdx_out_of_range(w, n) : RDX_OK;
}

static uint64_t divisor(uint64_t a, uint64_t b) {
  while (b > 0) {
    const uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

static rdx_status integer_gcd(RDX_ROW_ARGUMENTS) {
  return put_integer(w, n, divisor(absolute(args[0].i), absolute(args[1].i)), out);
}

static rdx_status integer_lcm(RDX_ROW_ARGUMENTS) {
  const uint64_t a = absolute(args[0].i), b = absolute(args[1].i);
  return put_integer(w, n, a == 0 || b == 0 ? 0 : (rdx_i128)(a / divisor(a, b)) * b, out);
}

static rdx_status integer_div(RDX_ROW_ARGUMENTS) {
  if (args[1].i == 0)
    return rdx_function_fail(w, n, "division by zero");
  return put_integer(w, n, (rdx_i128)args[0].i / args[1].i, out);
}

static rdx_status decimal_div(RDX_ROW_ARGUMENTS) {
  const uint8_t scales[] = {n->args[0]->type.scale, n->args[1]->type.scale};
  const uint8_t scale = scales[0] > scales[1] ? scales[0] : scales[1];
  rdx_i128 v[2];
  if (args[1].wide == 0)
    return rdx_function_fail(w, n, "division by zero");
  for (uint32_t i = 0; i < 2; i++)
    if (!rdx_decimal_rescale(args[i].wide, scales[i], scale, &v[i]))
      return rdx_out_of_range(w, n);
  out->wide = v[0] / v[1];
  return RDX_OK;
}

#define MAX_FACTORIAL 33 /* of 37 digits; the next has 39 */

static rdx_status integer_factorial(RDX_ROW_ARGUMENTS) {
  if (args[0].i < 0)
    return rdx_function_fail(w, n, "factorial of a negative number is undefined");
  if (args[0].i > MAX_FACTORIAL)
    return rdx_out_of_range(w, n);
  out->wide = 1;
  for (int64_t i = 2; i <= args[0].i; i++)
    out->wide *= i;
  return RDX_OK;
}

/* The digits behind the point of a numeric's type, and those that its value needs. */
static rdx_status decimal_scale(RDX_ROW_ARGUMENTS) {
  out->i = n->args[0]->type.scale;
  return RDX_OK;
}

static rdx_status decimal_min_scale(RDX_ROW_ARGUMENTS) {
  rdx_i128 value = args[0].wide;
  out->i = n->args[0]->type.scale;
  for (; out->i > 0 && value % 10 == 0; out->i--)
    value /= 10;
  return RDX_OK;
}

/* ---- width_bucket(x, low, high, count) ---- */

/* A place among `count` parts, from 0, becomes a number from 1; 0 and count + 1 are before and behind all. */
static rdx_status put_bucket(rdx_worker *w, const rdx_node *n, int64_t place, int64_t count, rdx_datum *out) {
  out->i = place < 0 ? 0 : place < count ? place + 1 : count + 1;
  return out->i > INT32_MAX ? rdx_out_of_range(w, n) : RDX_OK;
}

static rdx_status check_buckets(rdx_worker *w, const rdx_node *n, int64_t count, bool equal) {
  if (count <= 0)
    return rdx_function_fail(w, n, "count must be greater than zero");
  return equal ? rdx_function_fail(w, n, "lower bound cannot equal upper bound") : RDX_OK;
}

static rdx_status double_bucket(RDX_ROW_ARGUMENTS) {
  const double x = args[0].f, low = args[1].f, high = args[2].f;
  const int64_t count = args[3].i;
  RDX_TRY(check_buckets(w, n, count, low == high));
  if (isnan(x) || isnan(low) || isnan(high))
    return rdx_function_fail(w, n, "operand, lower bound, and upper bound cannot be NaN");
  if (isinf(low) || isinf(high))
    return rdx_function_fail(w, n, "lower and upper bounds must be finite");
  const bool before = low < high ? x < low : x > low, behind = low < high ? x >= high : x <= high;
  if (before || behind)
    return put_bucket(w, n, before ? -1 : count, count, out);
  const double unit = isinf((high - low) * (double)count) ? 0x1p-40 : 1; /* without overflow */
  const int64_t place = (int64_t)((double)count * (x * unit - low * unit) / (high * unit - low * unit));
  return put_bucket(w, n, place < count ? place : count - 1, count, out);
}

static rdx_status decimal_bucket(RDX_ROW_ARGUMENTS) {
  uint8_t scale = 0;
  rdx_i128 v[3];
  for (uint32_t i = 0; i < 3; i++)
    scale = n->args[i]->type.scale > scale ? n->args[i]->type.scale : scale;
  for (uint32_t i = 0; i < 3; i++)
    if (!rdx_decimal_rescale(args[i].wide, n->args[i]->type.scale, scale, &v[i]))
      return rdx_out_of_range(w, n);
  const int64_t count = args[3].i;
  RDX_TRY(check_buckets(w, n, count, v[1] == v[2]));
  const bool rises = v[1] < v[2];
  rdx_i128 far = rises ? v[0] - v[1] : v[1] - v[0];
  const rdx_i128 width = rises ? v[2] - v[1] : v[1] - v[2];
  if (far < 0 || far >= width)
    return put_bucket(w, n, far < 0 ? -1 : count, count, out);
  if (__builtin_mul_overflow(far, (rdx_i128)count, &far))
    return rdx_out_of_range(w, n);
  return put_bucket(w, n, (int64_t)(far / width), count, out);
}

/* ---- Identity columns ---- */

/* The number of a row of an identity column: the row from 0, rdx_sql_numbers from `next` on, and for the error the
 * column's type, its name and the table's. */
static rdx_status identity_number(RDX_ROW_ARGUMENTS) {
  char names[3][101]; /* as many characters as the error shows */
  const rdx_sql_numbers numbers = {
      .next = args[1].i, .step = args[2].i, .count = args[3].i, .again = args[4].i, .period = args[5].i};
  if (rdx_sql_number(&numbers, (uint64_t)args[0].i, &out->i))
    return RDX_OK;
  for (uint32_t i = 0; i < RDX_COUNT(names); i++)
    snprintf(names[i], sizeof names[i], "%.*s", (int)args[6 + i].text.length, args[6 + i].text.data);
  return rdx_sql_no_more_numbers(w->program->e->text, n->place, names[0], names[1], names[2], &w->err);
}

/* ---- The table ---- */

#define TEXT RDX_SQL_TEXT
#define INTEGER RDX_SQL_INTEGER
#define DOUBLE RDX_SQL_DOUBLE
#define DECIMAL RDX_SQL_DECIMAL

/* SplitMix64: Steele, Lea and Flood, 2014. */
static uint64_t mix_bits(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/* Of a seed and the number of a row, NULL for none, another seed. */
static rdx_status random_seed(RDX_ROW_ARGUMENTS) {
  out->i = (int64_t)mix_bits(mix_bits((uint64_t)args[0].i) ^ (args[1].null ? UINT64_MAX : (uint64_t)args[1].i));
  return RDX_OK;
}

/* Of a seed a number from 0 on that is below 1. */
static rdx_status random_of(RDX_ROW_ARGUMENTS) {
  out->f = (double)(mix_bits((uint64_t)args[0].i) >> 11) * 0x1p-53;
  return RDX_OK;
}

/* What TABLESAMPLE takes by REPEATABLE, and of a percentage of rows the share. */
static rdx_status sample_seed(RDX_ROW_ARGUMENTS) {
  if (args[0].null)
    return rdx_function_fail(w, n, "TABLESAMPLE REPEATABLE parameter cannot be null");
  memcpy(&out->i, &args[0].f, sizeof out->i);
  return RDX_OK;
}

static rdx_status sample_share(RDX_ROW_ARGUMENTS) {
  if (args[0].null)
    return rdx_function_fail(w, n, "TABLESAMPLE parameter cannot be null");
  if (!(args[0].f >= 0 && args[0].f <= 100))
    return rdx_function_fail(w, n, "sample percentage must be between 0 and 100");
  out->f = args[0].f / 100;
  return RDX_OK;
}

/* clang-format off */
const rdx_function rdx_functions[] = {
    {"abs", "d", DOUBLE, as_numbers, double_abs, NULL, false},
    {"abs", "s", RDX_SQL_SMALLINT, NULL, integer_abs, NULL, false},
    {"abs", "i", INTEGER, NULL, integer_abs, NULL, false},
    {"abs", "b", RDX_SQL_BIGINT, NULL, integer_abs, NULL, false},
    {"abs", "n", DECIMAL, as_first, decimal_abs, NULL, false},
    {"abs", "r", RDX_SQL_REAL, NULL, double_abs, NULL, false},
    {"sign", "d", DOUBLE, as_numbers, double_sign, NULL, false},
    {"sign", "n", DECIMAL, one_digit, decimal_sign, NULL, false},
    {"round", "d", DOUBLE, as_numbers, double_round, NULL, false},
    {"round", "n", DECIMAL, cut_type, decimal_round, NULL, false},
    {"round", "ni", DECIMAL, cut_type, decimal_round, NULL, false},
    {"round", "di", DOUBLE, as_numbers, double_round_to, NULL, false},
    {"trunc", "d", DOUBLE, as_numbers, double_trunc, NULL, false},
    {"trunc", "n", DECIMAL, cut_type, decimal_trunc, NULL, false},
    {"trunc", "ni", DECIMAL, cut_type, decimal_trunc, NULL, false},
    {"trunc", "di", DOUBLE, as_numbers, double_trunc_to, NULL, false},
    {"floor", "d", DOUBLE, as_numbers, double_floor, NULL, false},
    {"floor", "n", DECIMAL, cut_type, decimal_floor, NULL, false},
    {"ceil", "d", DOUBLE, as_numbers, double_ceil, NULL, false},
    {"ceil", "n", DECIMAL, cut_type, decimal_ceil, NULL, false},
    {"ceiling", "d", DOUBLE, as_numbers, double_ceil, NULL, false},
    {"ceiling", "n", DECIMAL, cut_type, decimal_ceil, NULL, false},
    {"sqrt", "d", DOUBLE, as_numbers, double_sqrt, NULL, false},
    {"cbrt", "d", DOUBLE, NULL, double_cbrt, NULL, false},
    {"ln", "d", DOUBLE, as_numbers, double_ln, NULL, false},
    {"log", "d", DOUBLE, as_numbers, double_log, NULL, false},
    {"log10", "d", DOUBLE, as_numbers, double_log, NULL, false},
    {"log", "dd", DOUBLE, as_numbers, double_log_of_base, NULL, false},
    {"exp", "d", DOUBLE, as_numbers, double_exp, NULL, false},
    {"power", "dd", DOUBLE, as_numbers, double_power, NULL, false},
    {"pow", "dd", DOUBLE, as_numbers, double_power, NULL, false},
    {"pi", "", DOUBLE, NULL, double_pi, NULL, false},
    {"sin", "d", DOUBLE, NULL, double_sin, NULL, false},
    {"cos", "d", DOUBLE, NULL, double_cos, NULL, false},
    {"tan", "d", DOUBLE, NULL, double_tan, NULL, false},
    {"cot", "d", DOUBLE, NULL, double_cot, NULL, false},
    {"asin", "d", DOUBLE, NULL, double_asin, NULL, false},
    {"acos", "d", DOUBLE, NULL, double_acos, NULL, false},
    {"atan", "d", DOUBLE, NULL, double_atan, NULL, false},
    {"sinh", "d", DOUBLE, NULL, double_sinh, NULL, false},
    {"cosh", "d", DOUBLE, NULL, double_cosh, NULL, false},
    {"tanh", "d", DOUBLE, NULL, double_tanh, NULL, false},
    {"asinh", "d", DOUBLE, NULL, double_asinh, NULL, false},
    {"acosh", "d", DOUBLE, NULL, double_acosh, NULL, false},
    {"atanh", "d", DOUBLE, NULL, double_atanh, NULL, false},
    {"degrees", "d", DOUBLE, NULL, double_degrees, NULL, false},
    {"radians", "d", DOUBLE, NULL, double_radians, NULL, false},
    {"atan2", "dd", DOUBLE, NULL, double_atan2, NULL, false},
    {"sind", "d", DOUBLE, NULL, double_sind, NULL, false},
    {"cosd", "d", DOUBLE, NULL, double_cosd, NULL, false},
    {"tand", "d", DOUBLE, NULL, double_tand, NULL, false},
    {"cotd", "d", DOUBLE, NULL, double_cotd, NULL, false},
    {"asind", "d", DOUBLE, NULL, double_asind, NULL, false},
    {"acosd", "d", DOUBLE, NULL, double_acosd, NULL, false},
    {"atand", "d", DOUBLE, NULL, double_atand, NULL, false},
    {"atan2d", "dd", DOUBLE, NULL, double_atan2d, NULL, false},
    {"factorial", "b", DECIMAL, whole, integer_factorial, NULL, false},
    {"scale", "n", INTEGER, NULL, decimal_scale, NULL, false},
    {"min_scale", "n", INTEGER, NULL, decimal_min_scale, NULL, false},
    {"@", "d", DOUBLE, as_numbers, double_abs, NULL, false},
    {"@", "i", INTEGER, NULL, integer_abs, NULL, false},
    {"@", "b", RDX_SQL_BIGINT, NULL, integer_abs, NULL, false},
    {"@", "n", DECIMAL, as_first, decimal_abs, NULL, false},
    {"@", "r", RDX_SQL_REAL, NULL, double_abs, NULL, false},
    {"|/", "d", DOUBLE, NULL, double_sqrt, NULL, false},
    {"||/", "d", DOUBLE, NULL, double_cbrt, NULL, false},
    {"&", "ii", INTEGER, NULL, bits_and, NULL, false},
    {"&", "bb", RDX_SQL_BIGINT, NULL, bits_and, NULL, false},
    {"|", "ii", INTEGER, NULL, bits_or, NULL, false},
    {"|", "bb", RDX_SQL_BIGINT, NULL, bits_or, NULL, false},
    {"#", "ii", INTEGER, NULL, bits_xor, NULL, false},
    {"#", "bb", RDX_SQL_BIGINT, NULL, bits_xor, NULL, false},
    {"~", "s", RDX_SQL_SMALLINT, NULL, bits_not, NULL, false},
    {"~", "i", INTEGER, NULL, bits_not, NULL, false},
    {"~", "b", RDX_SQL_BIGINT, NULL, bits_not, NULL, false},
    {"<<", "si", RDX_SQL_SMALLINT, NULL, shift_smallint_left, NULL, false},
    {"<<", "ii", INTEGER, NULL, shift_integer_left, NULL, false},
    {"<<", "bi", RDX_SQL_BIGINT, NULL, shift_bigint_left, NULL, false},
    {">>", "ii", INTEGER, NULL, shift_integer_right, NULL, false},
    {">>", "bi", RDX_SQL_BIGINT, NULL, shift_bigint_right, NULL, false},
    {"gcd", "ii", INTEGER, NULL, integer_gcd, NULL, false},
    {"gcd", "bb", RDX_SQL_BIGINT, NULL, integer_gcd, NULL, false},
    {"lcm", "ii", INTEGER, NULL, integer_lcm, NULL, false},
    {"lcm", "bb", RDX_SQL_BIGINT, NULL, integer_lcm, NULL, false},
    {"div", "ii", INTEGER, NULL, integer_div, NULL, false},
    {"div", "bb", RDX_SQL_BIGINT, NULL, integer_div, NULL, false},
    {"div", "nn", DECIMAL, whole, decimal_div, NULL, false},
    {"width_bucket", "dddi", INTEGER, NULL, double_bucket, NULL, false},
    {"width_bucket", "nnni", INTEGER, NULL, decimal_bucket, NULL, false},
    {"random seed", "bb", RDX_SQL_BIGINT, NULL, random_seed, NULL, true}, /* for plan/random.c */
    {"random of", "b", DOUBLE, NULL, random_of, NULL, false},
    {"sample seed", "d", RDX_SQL_BIGINT, NULL, sample_seed, NULL, true},
    {"sample share", "d", DOUBLE, NULL, sample_share, NULL, true},
    {"identity number", "bbbbbbttt", RDX_SQL_BIGINT, NULL, identity_number, NULL, false}, /* for plan/change.c */
    {"upper", "t", TEXT, NULL, rdx_text_upper, NULL, false},
    {"lower", "t", TEXT, NULL, rdx_text_lower, NULL, false},
    {"length", "t", INTEGER, NULL, rdx_text_length, NULL, false},
    {"char_length", "t", INTEGER, NULL, rdx_text_length, NULL, false},
    {"character_length", "t", INTEGER, NULL, rdx_text_length, NULL, false},
    {"octet_length", "t", INTEGER, NULL, rdx_text_octets, NULL, false},
    {"substring", "tt", TEXT, NULL, rdx_regex_substring, NULL, false},
    {"substring", "tb", TEXT, NULL, rdx_text_from, NULL, false},
    {"substring", "tbb", TEXT, NULL, rdx_text_from_for, NULL, false},
    {"substr", "tb", TEXT, NULL, rdx_text_from, NULL, false},
    {"substr", "tbb", TEXT, NULL, rdx_text_from_for, NULL, false},
    {"left", "tb", TEXT, NULL, rdx_text_left, NULL, false},
    {"right", "tb", TEXT, NULL, rdx_text_right, NULL, false},
    {"btrim", "t", TEXT, NULL, rdx_text_btrim, NULL, false},
    {"btrim", "tt", TEXT, NULL, rdx_text_btrim, NULL, false},
    {"trim", "t", TEXT, NULL, rdx_text_btrim, NULL, false},
    {"trim", "tt", TEXT, NULL, rdx_text_btrim, NULL, false},
    {"ltrim", "t", TEXT, NULL, rdx_text_ltrim, NULL, false},
    {"ltrim", "tt", TEXT, NULL, rdx_text_ltrim, NULL, false},
    {"rtrim", "t", TEXT, NULL, rdx_text_rtrim, NULL, false},
    {"rtrim", "tt", TEXT, NULL, rdx_text_rtrim, NULL, false},
    {"replace", "ttt", TEXT, NULL, rdx_text_replace, NULL, false},
    {"strpos", "tt", INTEGER, NULL, rdx_text_find, NULL, false},
    {"position", "tt", INTEGER, NULL, rdx_text_find, NULL, false},
    {"starts_with", "tt", RDX_SQL_BOOL, NULL, rdx_text_starts, NULL, false},
    {"concat", "a*", TEXT, NULL, rdx_text_concat, NULL, true},
    {"repeat", "tb", TEXT, NULL, rdx_text_repeat, NULL, false},
    {"lpad", "tb", TEXT, NULL, rdx_text_lpad, NULL, false},
    {"lpad", "tbt", TEXT, NULL, rdx_text_lpad, NULL, false},
    {"rpad", "tb", TEXT, NULL, rdx_text_rpad, NULL, false},
    {"rpad", "tbt", TEXT, NULL, rdx_text_rpad, NULL, false},
    {"reverse", "t", TEXT, NULL, rdx_text_reverse, NULL, false},
    {"split_part", "ttb", TEXT, NULL, rdx_text_split, NULL, false},
    {"text parts", "tt", RDX_SQL_BIGINT, NULL, rdx_text_parts, NULL, true}, /* for plan/series.c */
    {"text part", "ttb", TEXT, NULL, rdx_text_part, NULL, true},
    {"regex parts", "tt", RDX_SQL_BIGINT, NULL, rdx_regex_parts, NULL, false},
    {"regex part", "ttb", TEXT, NULL, rdx_regex_part, NULL, false},
    {"initcap", "t", TEXT, NULL, rdx_text_initcap, NULL, false},
    {"bit_length", "t", INTEGER, NULL, rdx_text_bits, NULL, false},
    {"translate", "ttt", TEXT, NULL, rdx_text_translate, NULL, false},
    {"ascii", "t", INTEGER, NULL, rdx_text_ascii, NULL, false},
    {"chr", "i", TEXT, NULL, rdx_text_chr, NULL, false},
    {"to_hex", "i", TEXT, NULL, rdx_text_hex, NULL, false},
    {"to_hex", "b", TEXT, NULL, rdx_text_hex, NULL, false},
    {"md5", "t", TEXT, NULL, rdx_text_md5, NULL, false},
    {"overlay", "ttb", TEXT, NULL, rdx_text_overlay, NULL, false},
    {"overlay", "ttbb", TEXT, NULL, rdx_text_overlay, NULL, false},
    {"concat_ws", "a*", TEXT, NULL, rdx_text_concat_ws, NULL, true},
    {"quote_ident", "t", TEXT, NULL, rdx_text_quote_ident, NULL, false},
    {"quote_literal", "t", TEXT, NULL, rdx_text_quote_literal, NULL, false},
    {"quote_nullable", "t", TEXT, NULL, rdx_text_quote_nullable, NULL, true},
    {"format", "a*", TEXT, NULL, rdx_text_format, NULL, true},
    {"num_nulls", "a*", INTEGER, NULL, rdx_nulls_count, NULL, true},
    {"num_nonnulls", "a*", INTEGER, NULL, rdx_values_count, NULL, true},
    {"^@", "tt", RDX_SQL_BOOL, NULL, rdx_text_starts, NULL, false},
    {"~", "tt", RDX_SQL_BOOL, NULL, rdx_regex_match, NULL, false},
    {"~*", "tt", RDX_SQL_BOOL, NULL, rdx_regex_match_any_case, NULL, false},
    {"regexp_like", "tt", RDX_SQL_BOOL, NULL, rdx_regex_like, NULL, false},
    {"regexp_like", "ttt", RDX_SQL_BOOL, NULL, rdx_regex_like, NULL, false},
    {"regexp_count", "tt", INTEGER, NULL, rdx_regex_count, NULL, false},
    {"regexp_count", "ttb", INTEGER, NULL, rdx_regex_count, NULL, false},
    {"regexp_count", "ttbt", INTEGER, NULL, rdx_regex_count, NULL, false},
    {"regexp_substr", "tt", TEXT, NULL, rdx_regex_substr, NULL, false},
    {"regexp_substr", "ttb", TEXT, NULL, rdx_regex_substr, NULL, false},
    {"regexp_substr", "ttbb", TEXT, NULL, rdx_regex_substr, NULL, false},
    {"regexp_substr", "ttbbt", TEXT, NULL, rdx_regex_substr, NULL, false},
    {"regexp_substr", "ttbbti", TEXT, NULL, rdx_regex_substr, NULL, false},
    {"regexp_instr", "tt", INTEGER, NULL, rdx_regex_instr, NULL, false},
    {"regexp_instr", "ttb", INTEGER, NULL, rdx_regex_instr, NULL, false},
    {"regexp_instr", "ttbb", INTEGER, NULL, rdx_regex_instr, NULL, false},
    {"regexp_instr", "ttbbi", INTEGER, NULL, rdx_regex_instr, NULL, false},
    {"regexp_instr", "ttbbit", INTEGER, NULL, rdx_regex_instr, NULL, false},
    {"regexp_instr", "ttbbiti", INTEGER, NULL, rdx_regex_instr, NULL, false},
    {"regexp_replace", "ttt", TEXT, NULL, rdx_regex_replace, NULL, false},
    {"regexp_replace", "tttt", TEXT, NULL, rdx_regex_replace, NULL, false},
    {"regexp_replace", "tttb", TEXT, NULL, rdx_regex_replace, NULL, false},
    {"regexp_replace", "tttbb", TEXT, NULL, rdx_regex_replace, NULL, false},
    {"regexp_replace", "tttbbt", TEXT, NULL, rdx_regex_replace, NULL, false},
    {"like_escape", "tt", TEXT, NULL, rdx_like_escape, NULL, false},
    {"similar_to_escape", "t", TEXT, NULL, rdx_regex_of_similar, NULL, false},
    {"similar_to_escape", "tt", TEXT, NULL, rdx_regex_of_similar, NULL, false},
    {"||", "tt", TEXT, NULL, rdx_text_concat, NULL, false},
    {"extract", "tT", DECIMAL, rdx_dates_extracted, NULL, rdx_dates_extract, false},
    {"extract", "tD", DECIMAL, rdx_dates_extracted, NULL, rdx_dates_extract, false},
    {"extract", "tv", DECIMAL, rdx_dates_extracted, NULL, rdx_dates_extract, false},
    {"date_trunc", "tT", RDX_SQL_TIMESTAMP, NULL, NULL, rdx_dates_truncate, false},
    {"date_trunc", "tv", RDX_SQL_INTERVAL, NULL, NULL, rdx_dates_truncate, false},
    {"to_char", "Tt", TEXT, NULL, rdx_dates_to_char, NULL, false},
    {"to_char", "bt", TEXT, NULL, rdx_number_to_char, NULL, false},
    {"to_char", "nt", TEXT, NULL, rdx_number_to_char, NULL, false},
    {"to_char", "dt", TEXT, NULL, rdx_number_to_char, NULL, false},
    {"to_number", "tt", DECIMAL, rdx_number_type, rdx_number_of_text, NULL, false},
    {"isfinite", "T", RDX_SQL_BOOL, NULL, rdx_dates_finite, NULL, false},
    {"isfinite", "v", RDX_SQL_BOOL, NULL, rdx_dates_finite, NULL, false},
    {"overlaps", "TTTT", RDX_SQL_BOOL, NULL, rdx_dates_overlap, NULL, true},
    {"interval months", "v", RDX_SQL_BIGINT, NULL, rdx_dates_months, NULL, false}, /* for plan/intervals.c */
    {"interval days", "v", RDX_SQL_BIGINT, NULL, rdx_dates_days, NULL, false},
    {"interval micros", "v", RDX_SQL_BIGINT, NULL, rdx_dates_micros, NULL, false},
    {"interval span", "v", DECIMAL, whole, rdx_dates_span, NULL, false},
    {"interval of", "bbb", RDX_SQL_INTERVAL, NULL, rdx_dates_interval, NULL, false},
    {"time digits", "Ti", RDX_SQL_TIMESTAMP, NULL, rdx_dates_round, NULL, false}, /* for bind.c */
    {"time digits", "vi", RDX_SQL_INTERVAL, NULL, rdx_dates_round, NULL, false},
    {"justify_days", "v", RDX_SQL_INTERVAL, NULL, rdx_dates_justify_days, NULL, false},
    {"justify_hours", "v", RDX_SQL_INTERVAL, NULL, rdx_dates_justify_hours, NULL, false},
    {"justify_interval", "v", RDX_SQL_INTERVAL, NULL, rdx_dates_justify, NULL, false},
    {"make_interval", "iiiiiid", RDX_SQL_INTERVAL, NULL, rdx_dates_make_interval, NULL, false},
    {"make_timestamp", "iiiiid", RDX_SQL_TIMESTAMP, NULL, rdx_dates_make_time, NULL, false},
    {"to_date", "tt", RDX_SQL_DATE, NULL, rdx_dates_read_day, NULL, false},
    {"to_timestamp", "tt", RDX_SQL_TIMESTAMP, NULL, rdx_dates_read_time, NULL, false},
    {"to_timestamp", "d", RDX_SQL_TIMESTAMP, NULL, rdx_dates_of_epoch, NULL, false},
    {"timezone", "tT", RDX_SQL_TIMESTAMP, NULL, rdx_dates_of_zone, NULL, false},
    {"date_bin", "vTT", RDX_SQL_TIMESTAMP, NULL, rdx_dates_bin, NULL, false},
    {"age", "TT", RDX_SQL_INTERVAL, NULL, rdx_dates_age, NULL, false},
    {"make_date", "iii", RDX_SQL_DATE, NULL, rdx_dates_make, NULL, false},
};
/* clang-format on */

const uint32_t rdx_function_count = RDX_COUNT(rdx_functions);

/* ---- Row by row ---- */

static rdx_status call_row(rdx_worker *w, const rdx_node *n, const rdx_values *values, rdx_datum *args, uint32_t row,
                           rdx_values *out, uint8_t *null) {
  rdx_datum result = {0};
  for (uint32_t a = 0; a < n->count; a++) {
    args[a] = rdx_get_value(&values[a], n->args[a]->class, row);
    if (n->bound->args[a]->type.kind == RDX_SQL_DECIMAL && n->args[a]->class == RDX_CLASS_I64)
      args[a].wide = args[a].i;
  }
  RDX_TRY(n->bound->function->row(w, n, args, &result));
  *null = result.null;
  if (n->type.kind == RDX_SQL_DECIMAL)
    return rdx_put_decimal(w, n, result.wide, row, out);
  rdx_put_value(out, n->class, row, &result);
  return RDX_OK;
}

rdx_status rdx_evaluate_rows(rdx_worker *w, const rdx_node *n, const uint8_t *active, rdx_values *out) {
  const rdx_datum nothing = {.text = {"", 0}};
  const bool strict = !n->bound->function->takes_nulls;
  uint8_t *nulls = NULL, any = 0;
  rdx_values *values = NULL;
  rdx_datum *args = NULL;
  RDX_TRY(rdx_take_values(w, n->class, out));
  RDX_TRY(rdx_take_flags(w, &nulls));
  const rdx_scratch_mark mark = rdx_scratch_top(&w->stack);
  RDX_TRY(rdx_scratch_take(&w->stack, n->count * sizeof *values, (void **)&values, &w->err));
  RDX_TRY(rdx_scratch_take(&w->stack, n->count * sizeof *args, (void **)&args, &w->err));
  for (uint32_t a = 0; a < n->count; a++)
    RDX_TRY(n->args[a]->evaluate(w, n->args[a], active, &values[a]));
  for (uint32_t i = 0; i < w->rows; i++) {
    nulls[i] = 0;
    for (uint32_t a = 0; strict && a < n->count; a++)
      nulls[i] |= values[a].nulls && values[a].nulls[i];
    if (!nulls[i] && (!active || active[i]))
      RDX_TRY(call_row(w, n, values, args, i, out, &nulls[i]));
    else if (n->class == RDX_CLASS_TEXT)
      rdx_put_value(out, n->class, i, &nothing);
    any |= nulls[i];
  }
  out->nulls = any ? nulls : NULL;
  rdx_scratch_return(&w->stack, mark);
  return RDX_OK;
}
