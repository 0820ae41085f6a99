/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* SQL's types: their names, what they have in common, which become which. */

#include "expression/types.h"

#include "base/words.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *const names[] = {
    [RDX_SQL_UNKNOWN] = "unknown",   [RDX_SQL_BOOL] = "boolean",
    [RDX_SQL_SMALLINT] = "smallint", [RDX_SQL_INTEGER] = "integer",
    [RDX_SQL_BIGINT] = "bigint",     [RDX_SQL_DECIMAL] = "numeric",
    [RDX_SQL_REAL] = "real",         [RDX_SQL_DOUBLE] = "double precision",
    [RDX_SQL_DATE] = "date",         [RDX_SQL_TIMESTAMP] = "timestamp",
    [RDX_SQL_INTERVAL] = "interval", [RDX_SQL_TEXT] = "text",
};

const char *rdx_sql_type_text(rdx_sql_type type, char out[32]) {
  if (type.kind == RDX_SQL_DECIMAL && type.precision > 0)
    snprintf(out, 32, "numeric(%d,%d)", type.precision, type.scale);
  else
    snprintf(out, 32, "%s", names[type.kind]);
  return out;
}

static const struct {
  const char *name;
  rdx_sql_kind kind;
} words[] = {
    {"bool", RDX_SQL_BOOL},
    {"boolean", RDX_SQL_BOOL},
    {"smallint", RDX_SQL_SMALLINT},
    {"int2", RDX_SQL_SMALLINT},
    {"int", RDX_SQL_INTEGER},
    {"integer", RDX_SQL_INTEGER},
    {"int4", RDX_SQL_INTEGER},
    {"bigint", RDX_SQL_BIGINT},
    {"int8", RDX_SQL_BIGINT},
    {"numeric", RDX_SQL_DECIMAL},
    {"decimal", RDX_SQL_DECIMAL},
    {"dec", RDX_SQL_DECIMAL},
    {"real", RDX_SQL_REAL},
    {"float4", RDX_SQL_REAL},
    {"float", RDX_SQL_DOUBLE},
    {"float8", RDX_SQL_DOUBLE},
    {"double", RDX_SQL_DOUBLE},
    {"double precision", RDX_SQL_DOUBLE},
    {"date", RDX_SQL_DATE},
    {"timestamp", RDX_SQL_TIMESTAMP},
    {"datetime", RDX_SQL_TIMESTAMP},
    {"timestamptz", RDX_SQL_TIMESTAMP},
    {"timestamp without time zone", RDX_SQL_TIMESTAMP},
    {"timestamp with time zone", RDX_SQL_TIMESTAMP},
    {"interval", RDX_SQL_INTERVAL},
    {"text", RDX_SQL_TEXT},
    {"string", RDX_SQL_TEXT},
    {"varchar", RDX_SQL_TEXT},
    {"character varying", RDX_SQL_TEXT},
    {"char", RDX_SQL_TEXT},
    {"bpchar", RDX_SQL_TEXT},
    {"character", RDX_SQL_TEXT},
};

bool rdx_sql_type_from_name(const char *name, const int32_t *modifiers, uint32_t count, rdx_sql_type *out) {
  for (size_t i = 0; i < RDX_COUNT(words); i++)
    if (strcasecmp(name, words[i].name) == 0) {
      *out = rdx_type_of_kind(words[i].kind);
      if (out->kind != RDX_SQL_DECIMAL || count == 0)
        return true;
      const int32_t scale = count > 1 ? modifiers[1] : 0;
      if (count > 2 || modifiers[0] < 1 || modifiers[0] > RDX_DECIMAL_DIGITS || scale < 0 || scale > modifiers[0])
        return false;
      *out = rdx_decimal_type(modifiers[0], scale);
      return true;
    }
  return false;
}

/* What to write in place of types of others. */
static const struct {
  const char *name, *hint;
} foreign[] = {
    {"serial", "it is for columns of tables: here write integer"},
    {"bigserial", "it is for columns of tables: here write bigint"},
    {"smallserial", "it is for columns of tables: here write smallint"},
    {"tinyint", "write smallint"},
    {"mediumint", "write integer"},
    {"hugeint", "write bigint"},
    {"ubigint", "write bigint"},
    {"uinteger", "write bigint"},
    {"usmallint", "write integer"},
    {"utinyint", "write smallint"},
    {"number", "write numeric(DIGITS, SCALE)"},
    {"money", "write numeric(18, 2)"},
    {"bit", "write boolean"},
    {"nvarchar", "write varchar"},
    {"nchar", "write char"},
    {"varchar2", "write varchar"},
    {"clob", "write text"},
    {"name", "write text"},
    {"citext", "write text, and compare by lower()"},
    {"uuid", "write text"},
    {"json", "write text"},
    {"jsonb", "write text"},
    {"xml", "write text"},
    {"inet", "write text"},
    {"bytea", "there is no type for bytes: write text to the base 16"},
    {"blob", "there is no type for bytes: write text to the base 16"},
    {"time", "there is no type for times of day: write timestamp, or text"},
    {"timetz", "there is no type for times of day: write timestamp, or text"},
};

void rdx_sql_type_hint(const char *name, char out[RDX_TYPE_HINT]) {
  rdx_nearest nearest = {0};
  out[0] = '\0';
  for (size_t i = 0; i < RDX_COUNT(foreign); i++)
    if (strcasecmp(name, foreign[i].name) == 0) {
      snprintf(out, RDX_TYPE_HINT, "%s", foreign[i].hint);
      return;
    }
  for (size_t i = 0; i < RDX_COUNT(words); i++)
    rdx_nearest_consider(&nearest, name, words[i].name);
  if (nearest.word)
    snprintf(out, RDX_TYPE_HINT, "there is \"%s\"", nearest.word);
}

rdx_sql_type rdx_sql_type_of_column(const rdx_column *column) {
  switch (column->type) {
  case RDX_TYPE_BOOL:
    return rdx_type_of_kind(RDX_SQL_BOOL);
  case RDX_TYPE_I8:
  case RDX_TYPE_U8:
  case RDX_TYPE_I16:
    return rdx_type_of_kind(RDX_SQL_SMALLINT);
  case RDX_TYPE_U16:
  case RDX_TYPE_I32:
    return rdx_type_of_kind(RDX_SQL_INTEGER);
  case RDX_TYPE_U32:
  case RDX_TYPE_I64:
    return rdx_type_of_kind(RDX_SQL_BIGINT);
  case RDX_TYPE_U64:
    return rdx_decimal_type(20, 0);
  case RDX_TYPE_DECIMAL:
    return rdx_decimal_type(RDX_NARROW_DIGITS, column->scale);
  case RDX_TYPE_F32:
    return rdx_type_of_kind(RDX_SQL_REAL);
  case RDX_TYPE_F64:
    return rdx_type_of_kind(RDX_SQL_DOUBLE);
  case RDX_TYPE_DATE:
    return rdx_type_of_kind(RDX_SQL_DATE);
  case RDX_TYPE_TIMESTAMP:
    return rdx_type_of_kind(RDX_SQL_TIMESTAMP);
  default:
    return rdx_type_of_kind(RDX_SQL_TEXT);
  }
}

/* ---- Classes ---- */

rdx_class rdx_class_of(rdx_sql_type type) {
  switch (type.kind) {
  case RDX_SQL_DECIMAL:
    return type.precision > RDX_NARROW_DIGITS ? RDX_CLASS_WIDE : RDX_CLASS_I64;
  case RDX_SQL_REAL:
  case RDX_SQL_DOUBLE:
    return RDX_CLASS_F64;
  case RDX_SQL_UNKNOWN:
  case RDX_SQL_TEXT:
    return RDX_CLASS_TEXT;
  case RDX_SQL_INTERVAL:
    return RDX_CLASS_INTERVAL;
  default:
    return RDX_CLASS_I64;
  }
}

size_t rdx_class_size(rdx_class class) {
  static const size_t sizes[] = {[RDX_CLASS_I64] = sizeof(int64_t),
                                 [RDX_CLASS_WIDE] = sizeof(rdx_i128),
                                 [RDX_CLASS_F64] = sizeof(double),
                                 [RDX_CLASS_TEXT] = sizeof(rdx_sql_text),
                                 [RDX_CLASS_INTERVAL] = sizeof(rdx_sql_interval)};
  return sizes[class];
}

/* ---- Numbers ---- */

rdx_sql_type rdx_decimal_type(int32_t precision, int32_t scale) {
  scale = scale > RDX_DECIMAL_DIGITS ? RDX_DECIMAL_DIGITS : scale;
  precision = precision < 1 ? 1 : precision < scale ? scale : precision;
  precision = precision > RDX_DECIMAL_DIGITS ? RDX_DECIMAL_DIGITS : precision;
  return (rdx_sql_type){RDX_SQL_DECIMAL, (uint8_t)precision, (uint8_t)scale};
}

rdx_sql_type rdx_type_as_decimal(rdx_sql_type type) {
  if (type.kind == RDX_SQL_DECIMAL)
    return type;
  return rdx_decimal_type(type.kind == RDX_SQL_SMALLINT ? 5 : type.kind == RDX_SQL_INTEGER ? 10 : 19, 0);
}

void rdx_integer_range(rdx_sql_kind kind, int64_t *min, int64_t *max) {
  *max = kind == RDX_SQL_SMALLINT ? INT16_MAX : kind == RDX_SQL_INTEGER ? INT32_MAX : INT64_MAX;
  *min = -*max - 1;
}

/* ---- Several types ---- */

/* A column of 64 bits may have values of a digit more than its type says. */
static bool may_pass(rdx_sql_type t, int32_t whole) {
  return t.precision == RDX_NARROW_DIGITS && t.precision - t.scale == whole;
}

static rdx_sql_type common_number(rdx_sql_type a, rdx_sql_type b) {
  if ((rdx_is_quotient(a) || rdx_is_exact(a)) && (rdx_is_quotient(b) || rdx_is_exact(b)) &&
      (rdx_is_float(a) || rdx_is_float(b)))
    return rdx_quotient_type();
  if (rdx_is_float(a) || rdx_is_float(b))
    return a.kind == RDX_SQL_DOUBLE || b.kind == RDX_SQL_DOUBLE ? rdx_type_of_kind(RDX_SQL_DOUBLE)
                                                                : rdx_type_of_kind(RDX_SQL_REAL);
  if (rdx_is_integer(a) && rdx_is_integer(b))
    return rdx_is_whole_numeric(a) || a.kind > b.kind ? a : b;
  a = rdx_type_as_decimal(a);
  b = rdx_type_as_decimal(b);
  const int32_t scale = a.scale > b.scale ? a.scale : b.scale;
  const int32_t whole_a = a.precision - a.scale, whole_b = b.precision - b.scale;
  const int32_t whole = whole_a > whole_b ? whole_a : whole_b;
  const bool passes = whole + scale > RDX_NARROW_DIGITS && (may_pass(a, whole) || may_pass(b, whole));
  return rdx_decimal_type(whole + passes + scale, scale);
}

bool rdx_sql_common_type(const rdx_sql_type *types, uint32_t count, rdx_sql_type *out) {
  rdx_sql_type common = {0};
  for (uint32_t i = 0; i < count; i++) {
    const rdx_sql_type t = types[i];
    if (t.kind == RDX_SQL_UNKNOWN || (rdx_same_type(t, common) && t.precision == common.precision))
      continue;
    if (common.kind == RDX_SQL_UNKNOWN)
      common = t;
    else if (rdx_is_number(t) && rdx_is_number(common))
      common = common_number(common, t);
    else if (common.kind + t.kind == RDX_SQL_DATE + RDX_SQL_TIMESTAMP &&
             (t.kind == RDX_SQL_DATE || t.kind == RDX_SQL_TIMESTAMP))
      common = rdx_type_of_kind(RDX_SQL_TIMESTAMP);
    else
      return false;
  }
  *out = common.kind == RDX_SQL_UNKNOWN ? rdx_type_of_kind(RDX_SQL_TEXT) : common;
  return true;
}

bool rdx_is_implicit(rdx_sql_type from, rdx_sql_type to) {
  if (from.kind == RDX_SQL_UNKNOWN || from.kind == to.kind)
    return true;
  if (rdx_is_number(from) && rdx_is_number(to))
    return from.kind < to.kind;
  return from.kind == RDX_SQL_DATE && to.kind == RDX_SQL_TIMESTAMP;
}

bool rdx_is_castable(rdx_sql_type from, rdx_sql_type to) {
  if (rdx_is_implicit(from, to) || from.kind == RDX_SQL_TEXT || to.kind == RDX_SQL_TEXT)
    return true;
  if (rdx_is_number(from) && rdx_is_number(to))
    return true;
  if (from.kind == RDX_SQL_BOOL || to.kind == RDX_SQL_BOOL)
    return rdx_is_integer(from.kind == RDX_SQL_BOOL ? to : from);
  return from.kind == RDX_SQL_TIMESTAMP && to.kind == RDX_SQL_DATE;
}

/* Digits before the point that all values of a type fit in. */
static uint32_t whole_digits(rdx_sql_type type) {
  switch (type.kind) {
  case RDX_SQL_SMALLINT:
    return 5;
  case RDX_SQL_INTEGER:
    return 10;
  case RDX_SQL_BIGINT:
    return 19;
  default:
    return (uint32_t)type.precision - type.scale;
  }
}

bool rdx_keeps_values(rdx_sql_type from, rdx_sql_type to) {
  if (rdx_is_integer(to))
    return rdx_is_integer(from) && from.kind <= to.kind;
  if (to.kind == RDX_SQL_DECIMAL)
    return rdx_is_exact(from) && whole_digits(from) <= whole_digits(to) &&
           (from.kind == RDX_SQL_DECIMAL ? from.scale : 0) <= to.scale;
  if (to.kind == RDX_SQL_DOUBLE) /* of BIGINT: see compare_double() */
    return rdx_is_integer(from) || from.kind == RDX_SQL_REAL || from.kind == RDX_SQL_DOUBLE;
  return from.kind == to.kind || (from.kind == RDX_SQL_DATE && to.kind == RDX_SQL_TIMESTAMP);
}

const rdx_bound *rdx_without_casts(const rdx_bound *e) {
  while (rdx_is_call(e, RDX_OP_CAST) && rdx_keeps_values(e->args[0]->type, e->type))
    e = e->args[0];
  return e;
}
