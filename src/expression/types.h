/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXPRESSION_TYPES_H
#define RDX_EXPRESSION_TYPES_H

/* What is known of SQL's types, and how blocks keep their values. */

#include "expression/expression.h"

#define RDX_DECIMAL_DIGITS 38 /* the most of a DECIMAL */
#define RDX_NARROW_DIGITS 18  /* of a DECIMAL that 64 bits keep */

/* The C type of values. */
typedef enum rdx_class {
  RDX_CLASS_I64,
  RDX_CLASS_WIDE, /* rdx_i128 */
  RDX_CLASS_F64,
  RDX_CLASS_TEXT,
  RDX_CLASS_INTERVAL,
} rdx_class;

rdx_class rdx_class_of(rdx_sql_type type);
size_t rdx_class_size(rdx_class class);

static inline bool rdx_is_integer(rdx_sql_type t) {
  return t.kind >= RDX_SQL_SMALLINT && t.kind <= RDX_SQL_BIGINT;
}

static inline bool rdx_is_exact(rdx_sql_type t) {
  return rdx_is_integer(t) || t.kind == RDX_SQL_DECIMAL;
}

static inline bool rdx_is_float(rdx_sql_type t) {
  return t.kind == RDX_SQL_REAL || t.kind == RDX_SQL_DOUBLE;
}

static inline bool rdx_is_number(rdx_sql_type t) {
  return rdx_is_exact(t) || rdx_is_float(t);
}

/* A DOUBLE that is a numeric in PostgreSQL: a quotient or an average of numerics, a float as numeric. Halves of it are
 * rounded away from zero, and it may be divided with a rest. */
static inline rdx_sql_type rdx_quotient_type(void) {
  return (rdx_sql_type){.kind = RDX_SQL_DOUBLE, .precision = 1};
}

static inline bool rdx_is_quotient(rdx_sql_type t) {
  return t.kind == RDX_SQL_DOUBLE && t.precision > 0;
}

/* A BIGINT that is one, too: a sum of BIGINT. Its quotients have digits behind the point. */
static inline bool rdx_is_whole_numeric(rdx_sql_type t) {
  return t.kind == RDX_SQL_BIGINT && t.precision > 0;
}

static inline rdx_sql_type rdx_type_of_kind(rdx_sql_kind kind) {
  return (rdx_sql_type){.kind = kind};
}

static inline bool rdx_same_type(rdx_sql_type a, rdx_sql_type b) {
  return a.kind == b.kind && (a.kind != RDX_SQL_DECIMAL || (a.precision == b.precision && a.scale == b.scale));
}

/* DECIMAL of so many digits, as far as there are so many. */
rdx_sql_type rdx_decimal_type(int32_t precision, int32_t scale);
/* The DECIMAL that has all values of an exact type. */
rdx_sql_type rdx_type_as_decimal(rdx_sql_type type);
/* The smallest and the largest number of an integer type. */
void rdx_integer_range(rdx_sql_kind kind, int64_t *min, int64_t *max);

/* Whether values of a type become those of another without a word. */
bool rdx_is_implicit(rdx_sql_type from, rdx_sql_type to);
/* Whether they become those at all. */
bool rdx_is_castable(rdx_sql_type from, rdx_sql_type to);

#endif
