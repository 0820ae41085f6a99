/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Which types operators take, and what they return. */

#include <string.h>

#include "expression/binding.h"

/* A name's operator as it is written. */
static const char *op_text(rdx_op op) {
  static const char *const texts[] = {[RDX_OP_EQ] = "=",
                                      [RDX_OP_NE] = "<>",
                                      [RDX_OP_LT] = "<",
                                      [RDX_OP_LE] = "<=",
                                      [RDX_OP_GT] = ">",
                                      [RDX_OP_GE] = ">=",
                                      [RDX_OP_DISTINCT] = "IS DISTINCT FROM",
                                      [RDX_OP_IN] = "=",
                                      [RDX_OP_ADD] = "+",
                                      [RDX_OP_SUBTRACT] = "-",
                                      [RDX_OP_MULTIPLY] = "*",
                                      [RDX_OP_DIVIDE] = "/",
                                      [RDX_OP_MODULO] = "%",
                                      [RDX_OP_NEGATE] = "-"};
  return texts[op];
}

rdx_status rdx_no_operator(rdx_binding *b, const char *name, rdx_bound *const *args, uint32_t count,
                           rdx_sql_place place) {
  char left[32], right[32];
  if (count == 1)
    return rdx_sql_error(b->err, RDX_ERROR_ARGUMENT, b->text, place, NULL, "there is no operator %s %s", name,
                         rdx_sql_type_text(args[0]->type, left));
  const bool explicit = args[0]->type.kind == RDX_SQL_TEXT || args[1]->type.kind == RDX_SQL_TEXT;
  return rdx_sql_error(b->err, RDX_ERROR_ARGUMENT, b->text, place,
                       explicit ? "texts become other types only by CAST(... AS type)" : NULL,
                       "there is no operator %s %s %s", rdx_sql_type_text(args[0]->type, left), name,
                       rdx_sql_type_text(args[1]->type, right));
}

static rdx_status cast_both(rdx_binding *b, rdx_bound **args, rdx_sql_type type) {
  RDX_TRY(rdx_bind_cast(b, args[0], type, true, args[0]->place, &args[0]));
  return rdx_bind_cast(b, args[1], type, true, args[1]->place, &args[1]);
}

/* ---- Comparisons ---- */

/* The type in which values are compared; false: there is none. */
static bool compared_as(rdx_sql_type a, rdx_sql_type b, rdx_sql_type *out) {
  const rdx_sql_type types[] = {a, b};
  if (!rdx_sql_common_type(types, 2, out))
    return false;
  if (out->kind == RDX_SQL_REAL && !rdx_same_type(a, b) && rdx_is_number(a) && rdx_is_number(b))
    *out = rdx_type_of_kind(RDX_SQL_DOUBLE);
  return true;
}

static bool is_unknown(const rdx_bound *value) {
  return value->type.kind == RDX_SQL_UNKNOWN;
}

/* A string that meets a DECIMAL keeps all of its digits. */
static rdx_status settle_unknown(rdx_binding *b, rdx_bound **value, rdx_sql_type other) {
  const bool digits = other.kind == RDX_SQL_DECIMAL && rdx_is_constant(*value) && !(*value)->value.null;
  if (!is_unknown(*value) || other.kind == RDX_SQL_UNKNOWN)
    return RDX_OK;
  return rdx_bind_as(b, *value, digits ? rdx_type_of_kind(RDX_SQL_DECIMAL) : other, value);
}

/* A bare DECIMAL column is compared with a DECIMAL of any digits as it is. */
static bool is_decimal_column(const rdx_bound *column, const rdx_bound *value) {
  return column->kind == RDX_BOUND_COLUMN && column->type.kind == RDX_SQL_DECIMAL && rdx_is_exact(value->type) &&
         (rdx_is_constant(value) || value->kind == RDX_BOUND_PARAMETER);
}

/* So does a parameter that is compared with one: it has the most digits on either side of the point. */
static rdx_status settle_compared(rdx_binding *b, rdx_bound **value, rdx_sql_type other) {
  if (is_unknown(*value) && (*value)->kind == RDX_BOUND_PARAMETER && other.kind == RDX_SQL_DECIMAL)
    other = rdx_decimal_type(RDX_DECIMAL_DIGITS, other.scale > RDX_NARROW_DIGITS ? other.scale : RDX_NARROW_DIGITS);
  return settle_unknown(b, value, other);
}

static rdx_status to_one_type(rdx_binding *b, rdx_op op, rdx_bound **args, rdx_sql_place place) {
  rdx_sql_type common;
  RDX_TRY(settle_compared(b, &args[0], args[1]->type));
  RDX_TRY(settle_compared(b, &args[1], args[0]->type));
  if (!compared_as(args[0]->type, args[1]->type, &common))
    return rdx_no_operator(b, op_text(op), args, 2, place);
  for (uint32_t i = 0; i < 2 && !rdx_same_type(args[0]->type, args[1]->type); i++) {
    rdx_bound *fitted = NULL;
    RDX_TRY(rdx_bind_fitted(b, args[i], args[1 - i], &fitted));
    if (fitted)
      args[1 - i] = fitted;
    else if (is_decimal_column(args[i], args[1 - i]))
      return rdx_bind_as(b, args[1 - i], rdx_type_as_decimal(args[1 - i]->type), &args[1 - i]);
    if (fitted)
      return RDX_OK;
  }
  return cast_both(b, args, common);
}

rdx_status rdx_bind_comparison(rdx_binding *b, rdx_op op, rdx_bound *const *given, rdx_sql_place place,
                               rdx_bound **out) {
  rdx_bound *args[] = {given[0], given[1]};
  RDX_TRY(to_one_type(b, op, args, place));
  return rdx_bind_op(b, op, rdx_type_of_kind(RDX_SQL_BOOL), args, 2, place, out);
}

static bool is_variable(const rdx_bound *value) {
  return !rdx_is_constant(value) && value->kind != RDX_BOUND_PARAMETER;
}

/* What a list has beside columns has one type together with the value: where that is real, it is rounded. */
static rdx_status round_list(rdx_binding *b, rdx_bound **args, uint32_t count) {
  rdx_sql_type one = args[0]->type;
  uint32_t fixed = 0;
  for (uint32_t i = 1; i < count; i++) {
    const rdx_sql_type pair[] = {one, args[i]->type};
    if (is_variable(args[i]))
      continue;
    if (!rdx_sql_common_type(pair, 2, &one))
      return RDX_OK;
    fixed++;
  }
  for (uint32_t i = 1; fixed > 1 && one.kind == RDX_SQL_REAL && i < count; i++)
    if (!is_variable(args[i]))
      RDX_TRY(rdx_bind_cast(b, args[i], one, true, args[i]->place, &args[i]));
  return RDX_OK;
}

/* All constants of a list as the column's type, where they have the same values there. */
static rdx_status fit_list(rdx_binding *b, rdx_bound **args, uint32_t count, rdx_bound **fitted, bool *all) {
  *all = args[0]->kind == RDX_BOUND_COLUMN;
  for (uint32_t i = 1; *all && i < count; i++) {
    fitted[i] = args[i];
    if (rdx_same_type(args[i]->type, args[0]->type))
      continue;
    RDX_TRY(rdx_bind_fitted(b, args[0], args[i], &fitted[i]));
    *all = fitted[i] != NULL;
  }
  return RDX_OK;
}

rdx_status rdx_bind_in(rdx_binding *b, rdx_bound *const *given, uint32_t count, rdx_sql_place place, rdx_bound **out) {
  rdx_bound **args = NULL, **fitted = NULL;
  rdx_sql_type common = {0};
  bool all = false;
  if (count == 2)
    return rdx_bind_comparison(b, RDX_OP_EQ, given, place, out);
  RDX_TRY(rdx_arena_alloc(b->arena, count, sizeof(rdx_bound *), "a list", (void **)&args, b->err));
  RDX_TRY(rdx_arena_alloc(b->arena, count, sizeof(rdx_bound *), "a list", (void **)&fitted, b->err));
  memcpy(args, given, count * sizeof *args);
  RDX_TRY(round_list(b, args, count));
  for (uint32_t i = 0; i < count; i++) {
    rdx_bound *pair[] = {args[0], args[i]};
    if (!compared_as(common, args[i]->type, &common))
      return rdx_no_operator(b, "=", pair, 2, args[i]->place ? args[i]->place : place);
    if (i == 0)
      common = args[0]->type;
  }
  for (uint32_t i = 0; i < count; i++)
    RDX_TRY(settle_compared(b, &args[i], common));
  for (uint32_t i = 0; i < count; i++) /* strings of more digits than anything else here */
    if (!compared_as(common, args[i]->type, &common))
      return rdx_no_operator(b, "=", args, 2, place);
  fitted[0] = args[0];
  RDX_TRY(fit_list(b, args, count, fitted, &all));
  if (all)
    return rdx_bind_op(b, RDX_OP_IN, rdx_type_of_kind(RDX_SQL_BOOL), fitted, count, place, out);
  for (uint32_t i = 0; i < count; i++)
    RDX_TRY(rdx_bind_cast(b, args[i], common, true, args[i]->place, &args[i]));
  return rdx_bind_op(b, RDX_OP_IN, rdx_type_of_kind(RDX_SQL_BOOL), args, count, place, out);
}

/* ---- Arithmetic ---- */

/* DECIMAL's digits after an operation. */
static rdx_sql_type decimal_result(rdx_op op, rdx_sql_type a, rdx_sql_type b) {
  const int32_t scale = a.scale > b.scale ? a.scale : b.scale;
  const int32_t whole_a = a.precision - a.scale, whole_b = b.precision - b.scale;
  if (op == RDX_OP_MULTIPLY)
    return rdx_decimal_type(a.precision + b.precision, a.scale + b.scale);
  return rdx_decimal_type((whole_a > whole_b ? whole_a : whole_b) + scale + (op != RDX_OP_MODULO), scale);
}

static rdx_status bind_numbers(rdx_binding *b, rdx_op op, rdx_bound **args, rdx_sql_place place, rdx_bound **out) {
  const rdx_sql_type types[] = {args[0]->type, args[1]->type};
  rdx_sql_type result;
  if (!compared_as(types[0], types[1], &result) ||
      (op == RDX_OP_MODULO && rdx_is_float(result) && !rdx_is_quotient(result)))
    return rdx_no_operator(b, op_text(op), args, 2, place);
  if ((result.kind == RDX_SQL_DECIMAL || rdx_is_whole_numeric(result)) && op == RDX_OP_DIVIDE)
    result = rdx_quotient_type();
  if (result.kind == RDX_SQL_DECIMAL) {
    for (uint32_t i = 0; i < 2; i++)
      RDX_TRY(rdx_bind_as(b, args[i], rdx_type_as_decimal(types[i]), &args[i]));
    result = decimal_result(op, args[0]->type, args[1]->type);
  } else {
    RDX_TRY(cast_both(b, args, result));
  }
  return rdx_bind_op(b, op, result, args, 2, place, out);
}

#define BIT(kind) (1u << (kind))
#define TIMES (BIT(RDX_SQL_DATE) | BIT(RDX_SQL_TIMESTAMP))
#define NUMBERS                                                                                                        \
  (BIT(RDX_SQL_SMALLINT) | BIT(RDX_SQL_INTEGER) | BIT(RDX_SQL_BIGINT) | BIT(RDX_SQL_DECIMAL) | BIT(RDX_SQL_REAL) |     \
   BIT(RDX_SQL_DOUBLE))
#define DAYS (BIT(RDX_SQL_SMALLINT) | BIT(RDX_SQL_INTEGER))

/* What there is beside numbers: kinds of both operands, the kinds that they are cast to, the result. */
static const struct {
  rdx_op op;
  uint32_t left, right;
  rdx_sql_kind as_left, as_right, result;
} rules[] = {
    {RDX_OP_ADD, BIT(RDX_SQL_DATE), DAYS, RDX_SQL_DATE, RDX_SQL_INTEGER, RDX_SQL_DATE},
    {RDX_OP_ADD, TIMES, BIT(RDX_SQL_INTERVAL), RDX_SQL_TIMESTAMP, RDX_SQL_INTERVAL, RDX_SQL_TIMESTAMP},
    {RDX_OP_ADD, BIT(RDX_SQL_INTERVAL), BIT(RDX_SQL_INTERVAL), RDX_SQL_INTERVAL, RDX_SQL_INTERVAL, RDX_SQL_INTERVAL},
    {RDX_OP_SUBTRACT, BIT(RDX_SQL_DATE), DAYS, RDX_SQL_DATE, RDX_SQL_INTEGER, RDX_SQL_DATE},
    {RDX_OP_SUBTRACT, BIT(RDX_SQL_DATE), BIT(RDX_SQL_DATE), RDX_SQL_DATE, RDX_SQL_DATE, RDX_SQL_INTEGER},
    {RDX_OP_SUBTRACT, TIMES, TIMES, RDX_SQL_TIMESTAMP, RDX_SQL_TIMESTAMP, RDX_SQL_INTERVAL},
    {RDX_OP_SUBTRACT, TIMES, BIT(RDX_SQL_INTERVAL), RDX_SQL_TIMESTAMP, RDX_SQL_INTERVAL, RDX_SQL_TIMESTAMP},
    {RDX_OP_SUBTRACT, BIT(RDX_SQL_INTERVAL), BIT(RDX_SQL_INTERVAL), RDX_SQL_INTERVAL, RDX_SQL_INTERVAL,
     RDX_SQL_INTERVAL},
    {RDX_OP_MULTIPLY, BIT(RDX_SQL_INTERVAL), NUMBERS, RDX_SQL_INTERVAL, RDX_SQL_DOUBLE, RDX_SQL_INTERVAL},
    {RDX_OP_DIVIDE, BIT(RDX_SQL_INTERVAL), NUMBERS, RDX_SQL_INTERVAL, RDX_SQL_DOUBLE, RDX_SQL_INTERVAL},
};

static rdx_status bind_times(rdx_binding *b, rdx_op op, rdx_bound *const *given, rdx_sql_place place, rdx_bound **out) {
  const bool commutes = op == RDX_OP_ADD || op == RDX_OP_MULTIPLY;
  for (size_t r = 0; r < RDX_COUNT(rules); r++)
    for (uint32_t turned = 0; turned <= commutes; turned++) {
      rdx_bound *args[] = {given[turned], given[1 - turned]};
      if (rules[r].op != op || !(rules[r].left >> args[0]->type.kind & 1) ||
          !(rules[r].right >> args[1]->type.kind & 1))
        continue;
      RDX_TRY(rdx_bind_as(b, args[0], rdx_type_of_kind(rules[r].as_left), &args[0]));
      RDX_TRY(rdx_bind_as(b, args[1], rdx_type_of_kind(rules[r].as_right), &args[1]));
      return rdx_bind_op(b, op, rdx_type_of_kind(rules[r].result), args, 2, place, out);
    }
  return rdx_no_operator(b, op_text(op), given, 2, place);
}

/* The type that an operand without one takes from the other. */
static rdx_sql_type beside(rdx_op op, rdx_sql_type other) {
  if (other.kind == RDX_SQL_TIMESTAMP || (other.kind == RDX_SQL_DATE && op == RDX_OP_ADD))
    return rdx_type_of_kind(op == RDX_OP_ADD ? RDX_SQL_INTERVAL : RDX_SQL_TIMESTAMP);
  if (other.kind == RDX_SQL_INTERVAL && (op == RDX_OP_MULTIPLY || op == RDX_OP_DIVIDE))
    return rdx_type_of_kind(RDX_SQL_DOUBLE);
  return other;
}

rdx_status rdx_bind_arithmetic(rdx_binding *b, rdx_op op, rdx_bound *const *given, rdx_sql_place place,
                               rdx_bound **out) {
  rdx_bound *args[] = {given[0], given[1]};
  for (uint32_t i = 0; i < 2; i++)
    if (is_unknown(args[i]) && !is_unknown(args[1 - i]) && args[1 - i]->type.kind != RDX_SQL_TEXT)
      RDX_TRY(settle_unknown(b, &args[i], beside(op, args[1 - i]->type)));
  if (rdx_is_number(args[0]->type) && rdx_is_number(args[1]->type))
    return bind_numbers(b, op, args, place, out);
  return bind_times(b, op, args, place, out);
}

rdx_status rdx_bind_negate(rdx_binding *b, rdx_bound *arg, rdx_sql_place place, rdx_bound **out) {
  if (is_unknown(arg))
    RDX_TRY(rdx_bind_as(b, arg, rdx_type_of_kind(RDX_SQL_DOUBLE), &arg));
  if (!rdx_is_number(arg->type) && arg->type.kind != RDX_SQL_INTERVAL)
    return rdx_no_operator(b, "-", &arg, 1, place);
  return rdx_bind_op(b, RDX_OP_NEGATE, arg->type, &arg, 1, place, out);
}
