/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Literals as values of the column that they are compared with. */

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sql/condition.h"
#include "table/value.h"

#define MICROS_A_DAY ((rdx_i128)86400000000)

rdx_status rdx_sql_fail(rdx_error *err, rdx_status status, uint32_t position, const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (position == 0)
    return rdx_fail(err, status, "the condition: %s", text);
  return rdx_fail(err, status, "the condition, at character %u: %s", position, text);
}

static rdx_status mismatch(const rdx_literal *l, const rdx_column *column, const char *name, rdx_error *err) {
  static const char *const kinds[] = {[RDX_LITERAL_NULL] = "NULL",
                                      [RDX_LITERAL_BOOL] = "a truth value",
                                      [RDX_LITERAL_NUMBER] = "a number",
                                      [RDX_LITERAL_UNTYPED] = "a string",
                                      [RDX_LITERAL_TEXT] = "a string",
                                      [RDX_LITERAL_DATE] = "a date",
                                      [RDX_LITERAL_TIMESTAMP] = "a timestamp"};
  return rdx_sql_fail(err, RDX_ERROR_ARGUMENT, l->position,
                      "column '%.60s' is of type %s; it cannot be compared with %s", name, rdx_type_name(column->type),
                      kinds[l->kind]);
}

static rdx_status no_value(const rdx_literal *l, const char *what, rdx_error *err) {
  return rdx_sql_fail(err, RDX_ERROR_ARGUMENT, l->position, "'%.60s' is not %s", l->text, what);
}

/* ---- Numbers ---- */

/* The digits of a number, without its point, and the power of ten to multiply them by. */
typedef struct digits {
  bool negative;
  const char *text; /* digits, and perhaps a point */
  size_t length;
  int64_t exponent;
} digits;

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* Whether only blanks follow. */
static bool is_end(const char *text) {
  return text[strspn(text, " \t")] == '\0';
}

static bool read_exponent(const char *text, int64_t *exponent) {
  const bool negative = text[0] == '-';
  int64_t value = 0;
  text += text[0] == '-' || text[0] == '+';
  if (!is_digit(text[0]))
    return false;
  for (; is_digit(text[0]); text++)
    value = value > 1000000000 ? value : 10 * value + (text[0] - '0');
  *exponent += negative ? -value : value;
  return is_end(text);
}

static bool read_digits(const char *text, digits *out) {
  bool point = false;
  size_t count = 0;
  while (*text == ' ' || *text == '\t')
    text++;
  *out = (digits){.negative = text[0] == '-'};
  text += text[0] == '-' || text[0] == '+';
  out->text = text;
  for (; is_digit(text[0]) || (text[0] == '.' && !point); text++) {
    point |= text[0] == '.';
    count += is_digit(text[0]);
    out->exponent -= point && text[0] != '.';
  }
  out->length = (size_t)(text - out->text);
  if (count == 0)
    return false;
  if (text[0] == 'e' || text[0] == 'E')
    return read_exponent(text + 1, &out->exponent);
  return is_end(text);
}

/* Times 10^scale, rounded down. What 128 bits do not hold is as good as the largest that they do. */
static rdx_units to_units(const digits *d, uint8_t scale) {
  const rdx_i128 max = (rdx_i128)1 << 120;
  int64_t shift = d->exponent + scale, left = 0; /* digits that count before the point */
  for (size_t i = 0; i < d->length; i++)
    left += d->text[i] != '.';
  left += shift < 0 ? shift : 0;
  rdx_i128 value = 0;
  bool rest = false;
  for (size_t i = 0; i < d->length; i++) {
    if (d->text[i] == '.')
      continue;
    const int digit = d->text[i] - '0';
    if (left-- > 0)
      value = value > max / 10 ? max : value * 10 + digit;
    else
      rest |= digit != 0;
  }
  for (; shift > 0 && value > 0 && value < max; shift--)
    value = value > max / 10 ? max : value * 10;
  return (rdx_units){d->negative ? -value - rest : value, !rest};
}

static rdx_status number_units(const rdx_literal *l, const rdx_column *column, rdx_units *out, rdx_error *err) {
  digits d;
  if (!read_digits(l->text, &d))
    return no_value(l, column->type == RDX_TYPE_DECIMAL ? "a decimal number" : "an integer", err);
  *out = to_units(&d, column->type == RDX_TYPE_DECIMAL ? column->scale : 0);
  return RDX_OK;
}

/* ---- Days and times ---- */

static bool parse(rdx_type type, const char *text, int64_t *out) {
  int32_t day = 0;
  const rdx_parse result = rdx_value_parse(type, 0, text, strlen(text), type == RDX_TYPE_DATE ? (void *)&day : out);
  if (type == RDX_TYPE_DATE)
    *out = day;
  return result == RDX_PARSE_OK;
}

/* Microseconds since 1970. */
static rdx_status read_time(const rdx_literal *l, bool day_only, rdx_i128 *out, rdx_error *err) {
  int64_t value = 0;
  if (!day_only && parse(RDX_TYPE_TIMESTAMP, l->text, &value)) {
    *out = value;
    return RDX_OK;
  }
  if (!parse(RDX_TYPE_DATE, l->text, &value))
    return no_value(l, day_only ? "a date (YYYY-MM-DD)" : "a timestamp (YYYY-MM-DD HH:MM:SS)", err);
  *out = value * MICROS_A_DAY;
  return RDX_OK;
}

static rdx_status time_units(const rdx_literal *l, const rdx_column *column, rdx_units *out, rdx_error *err) {
  const bool days = column->type == RDX_TYPE_DATE;
  rdx_i128 micros = 0;
  RDX_TRY(read_time(l, l->kind == RDX_LITERAL_DATE || (days && l->kind == RDX_LITERAL_UNTYPED), &micros, err));
  *out = (rdx_units){micros, true};
  if (days) {
    const rdx_i128 rest = (micros % MICROS_A_DAY + MICROS_A_DAY) % MICROS_A_DAY;
    *out = (rdx_units){(micros - rest) / MICROS_A_DAY, rest == 0};
  }
  return RDX_OK;
}

/* ---- All of them ---- */

static rdx_status truth_units(const rdx_literal *l, rdx_units *out, rdx_error *err) {
  uint8_t value = l->truth;
  if (l->kind == RDX_LITERAL_UNTYPED &&
      rdx_value_parse(RDX_TYPE_BOOL, 0, l->text, strlen(l->text), &value) != RDX_PARSE_OK)
    return no_value(l, "true or false", err);
  *out = (rdx_units){value, true};
  return RDX_OK;
}

rdx_status rdx_literal_units(const rdx_literal *l, const rdx_column *column, const char *name, rdx_units *out,
                             rdx_error *err) {
  const bool untyped = l->kind == RDX_LITERAL_UNTYPED;
  const bool time = l->kind == RDX_LITERAL_DATE || l->kind == RDX_LITERAL_TIMESTAMP;
  switch (column->type) {
  case RDX_TYPE_BOOL:
    return untyped || l->kind == RDX_LITERAL_BOOL ? truth_units(l, out, err) : mismatch(l, column, name, err);
  case RDX_TYPE_DATE:
  case RDX_TYPE_TIMESTAMP:
    return untyped || time ? time_units(l, column, out, err) : mismatch(l, column, name, err);
  default:
    return untyped || l->kind == RDX_LITERAL_NUMBER ? number_units(l, column, out, err)
                                                    : mismatch(l, column, name, err);
  }
}

rdx_status rdx_literal_float(const rdx_literal *l, const rdx_column *column, const char *name, double *floor,
                             bool *exact, rdx_error *err) {
  if (l->kind != RDX_LITERAL_NUMBER && l->kind != RDX_LITERAL_UNTYPED)
    return mismatch(l, column, name, err);
  /* Strings become values of the column's type, numbers stay as exact as they are. */
  const bool narrow = l->kind == RDX_LITERAL_UNTYPED && column->type == RDX_TYPE_F32;
  float single = 0;
  const rdx_parse result = rdx_value_parse(narrow ? RDX_TYPE_F32 : RDX_TYPE_F64, 0, l->text, strlen(l->text),
                                           narrow ? (void *)&single : floor);
  digits d;
  if (result == RDX_PARSE_FORMAT || (result != RDX_PARSE_OK && !read_digits(l->text, &d)))
    return no_value(l, "a number", err);
  *floor = narrow ? single : *floor;
  *exact = result == RDX_PARSE_OK || (result == RDX_PARSE_ROUNDED && *floor != 0);
  if (!*exact && result == RDX_PARSE_RANGE) /* beyond all numbers, not beyond infinity */
    *floor = d.negative ? -INFINITY : narrow ? (double)FLT_MAX : DBL_MAX;
  else if (!*exact && d.negative) /* just below 0 */
    *floor = narrow ? (double)-FLT_TRUE_MIN : -DBL_TRUE_MIN;
  return RDX_OK;
}

rdx_status rdx_literal_string(const rdx_literal *l, const rdx_column *column, const char *name, const char **out,
                              rdx_error *err) {
  if (l->kind != RDX_LITERAL_UNTYPED && l->kind != RDX_LITERAL_TEXT)
    return mismatch(l, column, name, err);
  *out = l->text;
  return RDX_OK;
}
