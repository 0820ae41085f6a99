/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Casts to text and from text. */

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <raydex/table.h>

#include "base/utf8.h"
#include "expression/block.h"
#include "expression/calendar.h"
#include "expression/casts.h"
#include "expression/decimal.h"
#include "table/value.h"

/* ---- To text ---- */

/* A value that tables have, as they write it. */
static size_t format_as_column(rdx_type type, const void *value, char out[RDX_TEXT_OF_VALUE]) {
  const rdx_column column = {.type = type, .rows = 1, .values = value};
  return rdx_column_format(&column, 0, out);
}

size_t rdx_value_format(rdx_sql_type type, rdx_class class, const rdx_datum *value, char out[RDX_TEXT_OF_VALUE]) {
  switch (type.kind) {
  case RDX_SQL_BOOL:
    return (size_t)sprintf(out, "%s", value->i ? "true" : "false");
  case RDX_SQL_DECIMAL:
    return rdx_decimal_format(class == RDX_CLASS_WIDE ? value->wide : (rdx_i128)value->i, type.scale, out);
  case RDX_SQL_REAL:
    return format_as_column(RDX_TYPE_F32, &(float){(float)value->f}, out);
  case RDX_SQL_DOUBLE:
    return format_as_column(RDX_TYPE_F64, &value->f, out);
  case RDX_SQL_DATE:
    return format_as_column(RDX_TYPE_DATE, &(int32_t){(int32_t)value->i}, out);
  case RDX_SQL_TIMESTAMP:
    return format_as_column(RDX_TYPE_TIMESTAMP, &value->i, out);
  case RDX_SQL_INTERVAL:
    return rdx_interval_format(value->interval, out);
  default:
    return format_as_column(RDX_TYPE_I64, &value->i, out);
  }
}

rdx_status rdx_cast_to_text(RDX_VALUES_ARGUMENTS) {
  const rdx_node *from = n->args[0];
  rdx_sql_text *to = out->data;
  for (uint32_t i = 0; i < w->rows; i++) {
    char text[RDX_TEXT_OF_VALUE], *copy = NULL;
    to[i] = (rdx_sql_text){"", 0};
    if (!rdx_counts(active, out->nulls, i))
      continue;
    const rdx_datum value = rdx_get_value(&args[0], from->class, i);
    if (from->class == RDX_CLASS_TEXT) {
      to[i] = value.text;
      continue;
    }
    const size_t length = rdx_value_format(from->type, from->class, &value, text);
    RDX_TRY(rdx_take_text(w, length, &copy));
    memcpy(copy, text, length);
    to[i] = (rdx_sql_text){copy, length};
  }
  return RDX_OK;
}

/* ---- From text ---- */

/* Whether a date is of a year with an era, or of more than four digits. */
static bool is_far(rdx_sql_text text) {
  size_t digits = 0;
  rdx_value_trim(&text.data, &text.length);
  const size_t sign = text.length > 0 && strchr("+-", *text.data) != NULL;
  while (sign + digits < text.length && text.data[sign + digits] >= '0' && text.data[sign + digits] <= '9')
    digits++;
  return digits > 4 || (text.length > 2 && strncasecmp(text.data + text.length - 2, "bc", 2) == 0);
}

static rdx_status no_value(rdx_worker *w, const rdx_node *n, rdx_sql_text text, bool range) {
  char shown[64], name[32];
  rdx_utf8_escape(text.data, text.length, shown, sizeof shown);
  rdx_sql_type_text(rdx_type_of_kind(n->type.kind), name);
  if (range && n->type.kind == RDX_SQL_DECIMAL)
    return rdx_out_of_range(w, n);
  if (range && (n->type.kind == RDX_SQL_DATE || n->type.kind == RDX_SQL_TIMESTAMP))
    return rdx_sql_error(&w->err, RDX_ERROR_FORMAT, w->program->e->text, n->place,
                         is_far(text) ? rdx_type_span(n->type) : NULL, "date/time field value out of range: \"%s\"",
                         shown);
  if (range)
    return rdx_node_fail(w, n, RDX_ERROR_RANGE, "value \"%s\" is out of range for type %s", shown, name);
  return rdx_node_fail(w, n, RDX_ERROR_FORMAT, "invalid input syntax for type %s: \"%s\"", name, shown);
}

static rdx_status refuse_rounding(rdx_worker *w, const rdx_node *n, rdx_sql_text text) {
  char shown[64];
  rdx_utf8_escape(text.data, text.length, shown, sizeof shown);
  return rdx_node_fail(w, n, RDX_ERROR_RANGE,
                       "\"%s\" has more than %u digits behind the point: numeric(18, SCALE) tells how many there are",
                       shown, n->type.scale);
}

/* A beginning of a word, of at least `min` letters. */
static bool begins(const char *text, size_t length, const char *word, size_t min) {
  return length >= min && length <= strlen(word) && strncasecmp(text, word, length) == 0;
}

static rdx_parse parse_truth(const char *text, size_t length, int64_t *out) {
  rdx_value_trim(&text, &length);
  *out = begins(text, length, "true", 1) || begins(text, length, "yes", 1) || begins(text, length, "on", 2) ||
         begins(text, length, "1", 1);
  return *out || begins(text, length, "false", 1) || begins(text, length, "no", 1) || begins(text, length, "off", 2) ||
                 begins(text, length, "0", 1)
             ? RDX_PARSE_OK
             : RDX_PARSE_FORMAT;
}

/* The day that a timestamp is written with is a date, too. */
static rdx_parse parse_date(rdx_sql_text text, int64_t *out) {
  int32_t day = 0;
  int64_t time = 0;
  size_t used = 0;
  char date[32];
  rdx_parse result = rdx_value_parse(RDX_TYPE_DATE, 0, text.data, text.length, &day);
  *out = day;
  if (result != RDX_PARSE_FORMAT)
    return result;
  result = rdx_value_parse(RDX_TYPE_TIMESTAMP, 0, text.data, text.length, &time);
  if (result != RDX_PARSE_OK)
    return result;
  rdx_value_trim(&text.data, &text.length);
  while (used < text.length && text.data[used] != ' ' && text.data[used] != 'T')
    used++;
  const bool bc = strncasecmp(text.data + text.length - 2, "bc", 2) == 0;
  const int length = snprintf(date, sizeof date, "%.*s%s", (int)used, text.data, bc ? " BC" : "");
  result = rdx_value_parse(RDX_TYPE_DATE, 0, date, (size_t)length, &day);
  *out = day;
  return result;
}

static rdx_parse parse_timestamp(rdx_sql_text text, int64_t *out) {
  int32_t day = 0;
  rdx_parse result = rdx_value_parse(RDX_TYPE_TIMESTAMP, 0, text.data, text.length, out);
  if (result != RDX_PARSE_FORMAT)
    return result;
  result = rdx_value_parse(RDX_TYPE_DATE, 0, text.data, text.length, &day);
  return result == RDX_PARSE_OK && !rdx_time_of_day(day, out) ? RDX_PARSE_RANGE : result;
}

/* 1970-01-01. */
static bool is_epoch(rdx_sql_text text) {
  rdx_value_trim(&text.data, &text.length);
  return text.length == 5 && strncasecmp(text.data, "epoch", 5) == 0;
}

static rdx_parse parse_day_or_time(rdx_sql_kind kind, rdx_sql_text text, int64_t *out) {
  rdx_parse (*const parse)(rdx_sql_text, int64_t *) = kind == RDX_SQL_DATE ? parse_date : parse_timestamp;
  char form[RDX_DATE_FORM];
  if (is_epoch(text)) {
    *out = 0;
    return RDX_PARSE_OK;
  }
  const rdx_parse result = parse(text, out);
  const size_t length = result == RDX_PARSE_FORMAT ? rdx_date_form(text.data, text.length, form) : 0;
  return length > 0 ? parse((rdx_sql_text){form, length}, out) : result;
}

static rdx_parse parse_integer(rdx_sql_kind kind, rdx_sql_text text, int64_t *out) {
  int64_t min = 0, max = 0;
  const rdx_parse result = rdx_value_parse(RDX_TYPE_I64, 0, text.data, text.length, out);
  rdx_integer_range(kind, &min, &max);
  return result == RDX_PARSE_OK && (*out < min || *out > max) ? RDX_PARSE_RANGE : result;
}

static rdx_parse parse_float(rdx_sql_kind kind, rdx_sql_text text, double *out) {
  float narrow = 0;
  rdx_parse result;
  if (kind == RDX_SQL_REAL) {
    result = rdx_value_parse(RDX_TYPE_F32, 0, text.data, text.length, &narrow);
    *out = (double)narrow;
  } else {
    result = rdx_value_parse(RDX_TYPE_F64, 0, text.data, text.length, out);
  }
  return result == RDX_PARSE_ROUNDED ? RDX_PARSE_OK : result;
}

/* What is neither TEXT nor DECIMAL. */
static rdx_parse parse_value(rdx_sql_kind kind, rdx_sql_text text, rdx_datum *out) {
  switch (kind) {
  case RDX_SQL_BOOL:
    return parse_truth(text.data, text.length, &out->i);
  case RDX_SQL_REAL:
  case RDX_SQL_DOUBLE:
    return parse_float(kind, text, &out->f);
  case RDX_SQL_DATE:
  case RDX_SQL_TIMESTAMP:
    return parse_day_or_time(kind, text, &out->i);
  case RDX_SQL_INTERVAL:
    return rdx_interval_parse(text.data, text.length, RDX_FIELD_SECOND, false, &out->interval) ? RDX_PARSE_OK
                                                                                               : RDX_PARSE_FORMAT;
  default:
    return parse_integer(kind, text, &out->i);
  }
}

rdx_status rdx_cast_from_text(RDX_VALUES_ARGUMENTS) {
  const rdx_sql_text *from = args[0].data;
  for (uint32_t i = 0; i < w->rows; i++) {
    rdx_datum value = {0};
    rdx_i128 digits = 0;
    if (!rdx_counts(active, out->nulls, i))
      continue;
    if (n->type.kind == RDX_SQL_DECIMAL) {
      bool rounded = false;
      const rdx_decimal_read read = rdx_decimal_parse(from[i].data, from[i].length, n->type.scale, &digits, &rounded);
      if (read != RDX_DECIMAL_OK)
        return no_value(w, n, from[i], read == RDX_DECIMAL_RANGE);
      if (rounded && n->bound->index == RDX_CAST_EXACT)
        return refuse_rounding(w, n, from[i]);
      RDX_TRY(rdx_put_decimal(w, n, digits, i, out));
      continue;
    }
    const rdx_parse result = parse_value(n->type.kind, from[i], &value);
    if (result != RDX_PARSE_OK)
      return no_value(w, n, from[i], result == RDX_PARSE_RANGE);
    rdx_put_value(out, n->class, i, &value);
  }
  return RDX_OK;
}
