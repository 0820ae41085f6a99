/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Bound expressions: constants, casts, and calls whose types are known. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "expression/binding.h"
#include "expression/calendar.h"
#include "expression/decimal.h"

#define UNBOUNDED_SCALE 6 /* of numeric without modifiers, where the value does not tell its digits */

static rdx_status alloc(rdx_binding *b, uint64_t count, size_t size, void **out) {
  RDX_TRY(rdx_arena_alloc(b->arena, count, size, "an expression", out, b->err));
  if (count > 0)
    memset(*out, 0, count * size);
  return RDX_OK;
}

/* ---- Constants ---- */

rdx_status rdx_bind_constant(rdx_binding *b, rdx_sql_type type, rdx_datum value, rdx_sql_place place, rdx_bound **out) {
  RDX_TRY(alloc(b, 1, sizeof **out, (void **)out));
  **out = (rdx_bound){.kind = RDX_BOUND_CONSTANT, .type = type, .place = place, .value = value};
  return RDX_OK;
}

/* Digits as the smallest type that has them. */
static rdx_status bind_number(rdx_binding *b, const rdx_ast *ast, rdx_bound **out) {
  const size_t length = strlen(ast->name);
  uint32_t whole = 0, fraction = 0;
  bool exponent = false;
  rdx_i128 digits = 0;
  if (rdx_decimal_digits(ast->name, length, &whole, &fraction, &exponent) && !exponent &&
      whole + fraction <= RDX_DECIMAL_DIGITS &&
      rdx_decimal_parse(ast->name, length, (uint8_t)fraction, &digits, NULL) == RDX_DECIMAL_OK) {
    const bool is_integer = fraction == 0 && !strchr(ast->name, '.') && digits <= INT64_MAX && digits >= INT64_MIN;
    const rdx_sql_type type = !is_integer ? rdx_decimal_type((int32_t)(whole + fraction), (int32_t)fraction)
                              : digits <= INT32_MAX && digits >= INT32_MIN ? rdx_type_of_kind(RDX_SQL_INTEGER)
                                                                           : rdx_type_of_kind(RDX_SQL_BIGINT);
    rdx_datum value = {0};
    if (rdx_class_of(type) == RDX_CLASS_WIDE)
      value.wide = digits;
    else
      value.i = (int64_t)digits;
    return rdx_bind_constant(b, type, value, ast->place, out);
  }
  rdx_bound *text = NULL;
  RDX_TRY(rdx_bind_constant(b, rdx_type_of_kind(RDX_SQL_UNKNOWN), (rdx_datum){.text = {ast->name, length}}, ast->place,
                            &text));
  return rdx_bind_cast(b, text, rdx_type_of_kind(RDX_SQL_DOUBLE), true, ast->place, out);
}

rdx_status rdx_bind_literal(rdx_binding *b, const rdx_ast *ast, rdx_bound **out) {
  const rdx_sql_type unknown = rdx_type_of_kind(RDX_SQL_UNKNOWN);
  switch (ast->kind) {
  case RDX_AST_NULL:
    return rdx_bind_constant(b, unknown, (rdx_datum){.null = true}, ast->place, out);
  case RDX_AST_BOOL:
    return rdx_bind_constant(b, rdx_type_of_kind(RDX_SQL_BOOL), (rdx_datum){.i = ast->name[0] == 't'}, ast->place, out);
  case RDX_AST_NUMBER:
    return bind_number(b, ast, out);
  default:
    return rdx_bind_constant(b, unknown, (rdx_datum){.text = {ast->name, strlen(ast->name)}}, ast->place, out);
  }
}

/* ---- Calls ---- */

/* Whether a call is NULL where one of its arguments is. */
static bool is_strict(const rdx_bound *call) {
  const rdx_op op = call->op;
  return op == RDX_OP_NOT || (op >= RDX_OP_EQ && op <= RDX_OP_GE) || op == RDX_OP_CAST ||
         (op >= RDX_OP_ADD && op <= RDX_OP_ILIKE) || (op == RDX_OP_FUNCTION && !call->function->takes_nulls);
}

static rdx_status fold(rdx_binding *b, rdx_bound *call, rdx_bound **out) {
  rdx_datum value = {.null = true};
  rdx_error refused;
  *out = call;
  const uint32_t strict = is_strict(call) ? call->count : call->op == RDX_OP_IN ? 1 : 0;
  for (uint32_t i = 0; i < strict; i++)
    if (rdx_is_constant(call->args[i]) && call->args[i]->value.null)
      return rdx_bind_constant(b, call->type, value, call->place, out);
  for (uint32_t i = 0; i < call->count; i++)
    if (!rdx_is_constant(call->args[i]))
      return RDX_OK;
  if (rdx_evaluate_constant_call(call, b->text, b->arena, &value, &refused) != RDX_OK)
    return RDX_OK; /* it fails again where a row needs it */
  return rdx_bind_constant(b, call->type, value, call->place, out);
}

rdx_status rdx_bind_folded(rdx_binding *b, rdx_bound *call, rdx_bound **out) {
  if (call->op == RDX_OP_AND || call->op == RDX_OP_OR)
    return rdx_bind_junction(b, call, out);
  return fold(b, call, out);
}

static rdx_status bind(rdx_binding *b, rdx_bound call, rdx_bound *const *args, rdx_bound **out) {
  rdx_bound *made = NULL;
  RDX_TRY(alloc(b, 1, sizeof *made, (void **)&made));
  *made = call;
  RDX_TRY(alloc(b, call.count, sizeof *made->args, (void **)&made->args));
  if (call.count > 0)
    memcpy(made->args, args, call.count * sizeof *args);
  return fold(b, made, out);
}

rdx_status rdx_bind_op(rdx_binding *b, rdx_op op, rdx_sql_type type, rdx_bound *const *args, uint32_t count,
                       rdx_sql_place place, rdx_bound **out) {
  return bind(b, (rdx_bound){.kind = RDX_BOUND_CALL, .op = op, .type = type, .place = place, .count = count}, args,
              out);
}

rdx_status rdx_bind_function(rdx_binding *b, const rdx_function *function, rdx_sql_type type, rdx_bound *const *args,
                             uint32_t count, rdx_sql_place place, rdx_bound **out) {
  return bind(b,
              (rdx_bound){.kind = RDX_BOUND_CALL,
                          .op = RDX_OP_FUNCTION,
                          .type = type,
                          .place = place,
                          .function = function,
                          .count = count},
              args, out);
}

/* ---- Casts ---- */

/* The digits of numeric without modifiers: those that the value has. */
static rdx_sql_type own_digits(const rdx_bound *value) {
  const rdx_sql_kind kind = value->type.kind;
  uint32_t whole = 0, fraction = 0;
  bool exponent = false;
  char text[32];
  if (rdx_is_exact(value->type))
    return rdx_type_as_decimal(value->type);
  if (rdx_is_float(value->type) && (rdx_is_quotient(value->type) || !rdx_is_constant(value)))
    return rdx_quotient_type();
  if (rdx_is_constant(value) && !value->value.null) {
    rdx_sql_text digits = {NULL, 0};
    if (kind == RDX_SQL_TEXT || kind == RDX_SQL_UNKNOWN)
      digits = value->value.text;
    else if (rdx_is_float(value->type) && fabs(value->value.f) < 1e15)
      digits = (rdx_sql_text){text, (uint64_t)rdx_text_print(text, sizeof text, "%.15g", value->value.f)};
    if (digits.length > 0 && rdx_decimal_digits(digits.data, digits.length, &whole, &fraction, &exponent) &&
        fraction <= RDX_DECIMAL_DIGITS)
      return rdx_decimal_type((int32_t)(whole + fraction), (int32_t)fraction);
  }
  return rdx_decimal_type(RDX_DECIMAL_DIGITS, UNBOUNDED_SCALE);
}

static rdx_status refuse(rdx_binding *b, const rdx_bound *value, rdx_sql_type type, bool wanted, rdx_sql_place place) {
  char from[32], to[32], hint[64];
  rdx_sql_type_text(value->type, from);
  rdx_sql_type_text(type, to);
  if (wanted || !rdx_is_castable(value->type, type))
    return rdx_sql_error(b->err, RDX_ERROR_ARGUMENT, b->text, place, NULL, "cannot cast type %s to %s", from, to);
  snprintf(hint, sizeof hint, "write CAST(... AS %s)", to);
  return rdx_sql_error(b->err, RDX_ERROR_ARGUMENT, b->text, place, hint, "%s is needed here, this is %s", to, from);
}

/* A string that takes a type now; what it cannot be is told at once. */
static rdx_status read_unknown(rdx_binding *b, rdx_bound *value, rdx_sql_type type, uint32_t index, rdx_bound **out) {
  rdx_bound call = {.kind = RDX_BOUND_CALL,
                    .op = RDX_OP_CAST,
                    .type = type,
                    .place = value->place,
                    .index = index,
                    .count = 1,
                    .args = &value};
  rdx_datum result = value->value;
  if (!value->value.null)
    RDX_TRY(rdx_evaluate_constant_call(&call, b->text, b->arena, &result, b->err));
  return rdx_bind_constant(b, type, result, value->place, out);
}

rdx_status rdx_bind_cast(rdx_binding *b, rdx_bound *value, rdx_sql_type type, bool wanted, rdx_sql_place place,
                         rdx_bound **out) {
  const bool has_digits = type.kind != RDX_SQL_DECIMAL || type.precision > 0;
  const uint32_t index = has_digits ? 0 : RDX_CAST_EXACT;
  if (!has_digits)
    type = own_digits(value);
  *out = value;
  if ((rdx_same_type(value->type, type) && (rdx_is_quotient(value->type) || !rdx_is_quotient(type))) ||
      type.kind == RDX_SQL_UNKNOWN)
    return RDX_OK;
  if (value->type.kind == RDX_SQL_UNKNOWN && value->kind == RDX_BOUND_PARAMETER) {
    value->type = type;
    value->op = wanted && has_digits ? RDX_OP_CAST : value->op;
    return RDX_OK;
  }
  if (value->type.kind == RDX_SQL_UNKNOWN && rdx_is_constant(value))
    return read_unknown(b, value, type, index, out);
  if (wanted ? !rdx_is_castable(value->type, type) : !rdx_is_implicit(value->type, type))
    return refuse(b, value, type, wanted, place);
  const rdx_bound call = {
      .kind = RDX_BOUND_CALL, .op = RDX_OP_CAST, .type = type, .place = place, .index = index, .count = 1};
  return bind(b, call, &value, out);
}

rdx_status rdx_bind_as(rdx_binding *b, rdx_bound *value, rdx_sql_type type, rdx_bound **out) {
  return rdx_bind_cast(b, value, type, false, value->place, out);
}

/* The last one of "day to hour". */
static const char *last_field(const char *fields) {
  const char *blank = strrchr(fields, ' ');
  return blank ? blank + 1 : fields;
}

/* INTERVAL '1' DAY: a last number without a word counts the last field. */
static rdx_status read_interval(rdx_binding *b, const rdx_ast *ast, const rdx_bound *value, rdx_bound **out) {
  const char *last = last_field(ast->field);
  const bool minutes = strcmp(ast->field, "minute to second") == 0;
  rdx_datum result = {0};
  rdx_time_field field = RDX_FIELD_SECOND;
  (void)rdx_time_field_from_name(last, strlen(last), &field);
  if (!rdx_interval_parse(value->value.text.data, value->value.text.length, field, minutes, &result.interval)) {
    char shown[64];
    rdx_utf8_escape(value->value.text.data, value->value.text.length, shown, sizeof shown);
    return rdx_sql_error(b->err, RDX_ERROR_FORMAT, b->text, value->place, NULL,
                         "invalid input syntax for type interval: \"%s\"", shown);
  }
  return rdx_bind_constant(b, rdx_type_of_kind(RDX_SQL_INTERVAL), result, ast->place, out);
}

/* What is finer than an interval's fields, or than the digits of seconds of timestamp(n), goes. */
static rdx_status shorten(rdx_binding *b, const rdx_ast *ast, rdx_bound **value) {
  const char *last = ast->field ? last_field(ast->field) : "second";
  rdx_bound *args[2] = {NULL, *value};
  if (strcmp(last, "second") != 0) {
    const rdx_datum name = {.text = {last, strlen(last)}};
    RDX_TRY(rdx_bind_constant(b, rdx_type_of_kind(RDX_SQL_TEXT), name, ast->place, &args[0]));
    RDX_TRY(rdx_bind_call(b, "date_trunc", args, 2, ast->place, value));
  }
  if (ast->modifier_count == 0 || ast->modifiers[0] >= 6)
    return RDX_OK;
  args[0] = *value;
  RDX_TRY(rdx_bind_constant(b, rdx_type_of_kind(RDX_SQL_INTEGER), (rdx_datum){.i = ast->modifiers[0]}, ast->place,
                            &args[1]));
  return rdx_bind_call(b, "time digits", args, 2, ast->place, value);
}

rdx_status rdx_bind_written_cast(rdx_binding *b, const rdx_ast *ast, rdx_bound *value, rdx_bound **out) {
  rdx_sql_type type;
  char hint[RDX_TYPE_HINT];
  if (!rdx_sql_type_from_name(ast->name, NULL, 0, &type)) {
    rdx_sql_type_hint(ast->name, hint);
    return rdx_sql_error(b->err, RDX_ERROR_ARGUMENT, b->text, ast->place, hint, "there is no type \"%s\"", ast->name);
  }
  if (!rdx_sql_type_from_name(ast->name, ast->modifiers, ast->modifier_count, &type))
    return rdx_sql_error(b->err, RDX_ERROR_ARGUMENT, b->text, ast->place,
                         "numeric(precision, scale) has 1 to 38 digits", "there is no type \"%s\" with these digits",
                         ast->name);
  const bool is_string = value->type.kind == RDX_SQL_UNKNOWN && rdx_is_constant(value) && !value->value.null;
  if (ast->field && type.kind == RDX_SQL_INTERVAL && is_string)
    RDX_TRY(read_interval(b, ast, value, out));
  else
    RDX_TRY(rdx_bind_cast(b, value, type, true, ast->place, out));
  if (type.kind == RDX_SQL_INTERVAL || type.kind == RDX_SQL_TIMESTAMP)
    return shorten(b, ast, out);
  if (rdx_same_type((*out)->type, type) && (rdx_is_quotient((*out)->type) || rdx_is_whole_numeric((*out)->type)))
    return rdx_bind_op(b, RDX_OP_CAST, type, &value, 1, ast->place, out);
  if (type.kind != RDX_SQL_TEXT || ast->modifier_count == 0)
    return RDX_OK;
  rdx_bound *args[2] = {*out, NULL}; /* varchar(n) */
  RDX_TRY(rdx_bind_constant(b, rdx_type_of_kind(RDX_SQL_BIGINT), (rdx_datum){.i = ast->modifiers[0]}, ast->place,
                            &args[1]));
  return rdx_bind_call(b, "left", args, 2, ast->place, out);
}

/* ---- Constants of a column's type ---- */

/* The exact number of a constant; false: it is none, or a float that is no integer of 53 bits. */
static bool exact_number(const rdx_bound *constant, rdx_i128 *value, uint8_t *scale) {
  const rdx_datum *v = &constant->value;
  *scale = constant->type.kind == RDX_SQL_DECIMAL ? constant->type.scale : 0;
  if (rdx_is_exact(constant->type)) {
    *value = rdx_class_of(constant->type) == RDX_CLASS_WIDE ? v->wide : (rdx_i128)v->i;
    return true;
  }
  if (!rdx_is_float(constant->type) || !(fabs(v->f) < 0x1p53) || v->f != rint(v->f))
    return false;
  *value = (rdx_i128)v->f;
  return true;
}

static bool fits_integers(rdx_sql_type type, const rdx_bound *constant, rdx_datum *out) {
  rdx_i128 value = 0;
  uint8_t scale = 0;
  int64_t min = 0, max = 0;
  rdx_integer_range(type.kind, &min, &max);
  if (!exact_number(constant, &value, &scale) || value % rdx_power_of_ten(scale) != 0)
    return false;
  value /= rdx_power_of_ten(scale);
  out->i = (int64_t)value;
  return value >= min && value <= max;
}

static bool fits_decimals(rdx_sql_type type, const rdx_bound *constant, rdx_datum *out) {
  rdx_i128 value = 0, scaled = 0;
  uint8_t scale = 0;
  if (!rdx_is_exact(constant->type) || !exact_number(constant, &value, &scale))
    return false;
  if (scale > type.scale && value % rdx_power_of_ten((uint32_t)(scale - type.scale)) != 0)
    return false;
  if (!rdx_decimal_rescale(value, scale, type.scale, &scaled) || !rdx_decimal_fits(scaled, type.precision))
    return false;
  if (rdx_class_of(type) == RDX_CLASS_WIDE)
    out->wide = scaled;
  else
    out->i = (int64_t)scaled;
  return true;
}

/* A REAL that, as a DOUBLE, is what the constant is as one. */
static bool fits_reals(const rdx_bound *constant, rdx_datum *out) {
  rdx_i128 value = 0;
  uint8_t scale = 0;
  if (constant->type.kind == RDX_SQL_DOUBLE)
    out->f = constant->value.f;
  else if (rdx_is_exact(constant->type) && exact_number(constant, &value, &scale))
    out->f = rdx_decimal_to_double(value, scale);
  else
    return false;
  return (double)(float)out->f == out->f;
}

static bool fits_dates(const rdx_bound *constant, rdx_datum *out) {
  int64_t rest = 0;
  if (constant->type.kind != RDX_SQL_TIMESTAMP)
    return false;
  out->i = rdx_day_of_time(constant->value.i, &rest);
  return rest == 0;
}

rdx_status rdx_bind_value(rdx_binding *b, rdx_bound *value, rdx_sql_type type, bool rounds, rdx_bound **out,
                          bool *fits) {
  rdx_bound *whole = NULL;
  rdx_i128 digits = 0, kept = 0;
  uint8_t scale = 0, kept_scale = 0;
  RDX_TRY(rdx_bind_cast(b, value, type, true, value->place, out));
  *fits = rdx_is_constant(*out);
  if (!*fits || rounds || type.kind != RDX_SQL_DECIMAL || (*out)->value.null)
    return RDX_OK;
  RDX_TRY(rdx_bind_cast(b, value, rdx_type_of_kind(RDX_SQL_DECIMAL), true, value->place, &whole));
  if (rdx_is_constant(whole) && exact_number(whole, &digits, &scale) && exact_number(*out, &kept, &kept_scale) &&
      scale > kept_scale)
    *fits = rdx_decimal_rescale(kept, kept_scale, scale, &kept) && kept == digits;
  return RDX_OK;
}

rdx_status rdx_bind_fitted(rdx_binding *b, const rdx_bound *column, const rdx_bound *constant, rdx_bound **out) {
  const rdx_sql_type type = column->type;
  rdx_datum value = {0};
  bool fits = false;
  *out = NULL;
  if (column->kind != RDX_BOUND_COLUMN || !rdx_is_constant(constant) || constant->type.kind == RDX_SQL_UNKNOWN)
    return RDX_OK;
  if (constant->value.null)
    fits = value.null = (rdx_is_number(type) && rdx_is_number(constant->type)) || rdx_same_type(type, constant->type);
  else if (rdx_is_integer(type))
    fits = fits_integers(type, constant, &value);
  else if (type.kind == RDX_SQL_DECIMAL)
    fits = fits_decimals(type, constant, &value);
  else if (type.kind == RDX_SQL_REAL)
    fits = fits_reals(constant, &value);
  else if (type.kind == RDX_SQL_DATE)
    fits = fits_dates(constant, &value);
  return fits ? rdx_bind_constant(b, type, value, constant->place, out) : RDX_OK;
}
