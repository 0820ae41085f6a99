/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXPRESSION_EXPRESSION_H
#define RDX_EXPRESSION_EXPRESSION_H

/* Expressions whose names and types are known: how SQL's operators and functions are found, and what they say of
 * columns. Semantics are PostgreSQL's. */

#include <raydex/column.h>

#include "base/base.h"
#include "sql/statement.h"

typedef enum rdx_sql_kind {
  RDX_SQL_UNKNOWN = 0, /* NULL, or a string that takes the type of what it meets */
  RDX_SQL_BOOL,
  RDX_SQL_SMALLINT,
  RDX_SQL_INTEGER,
  RDX_SQL_BIGINT,
  RDX_SQL_DECIMAL, /* of `precision` digits, 1 to 38, `scale` of them after the point */
  RDX_SQL_REAL,
  RDX_SQL_DOUBLE,
  RDX_SQL_DATE,
  RDX_SQL_TIMESTAMP, /* microseconds since 1970-01-01 UTC */
  RDX_SQL_INTERVAL,
  RDX_SQL_TEXT,
} rdx_sql_kind;

typedef struct rdx_sql_type {
  rdx_sql_kind kind;
  uint8_t precision, scale; /* DECIMAL; DOUBLE and BIGINT have precision 1 where PostgreSQL has a numeric: types.h */
} rdx_sql_type;

/* "integer", "numeric(12,2)": for messages. */
const char *rdx_sql_type_text(rdx_sql_type type, char out[32]);
/* The type of a name as in SQL (int, int4, bigint, numeric, double precision's float8, text, varchar, ...). DECIMAL
 * without modifiers has precision 0: rdx_bind_cast() makes the value's own digits of it. */
RDX_MUST_USE bool rdx_sql_type_from_name(const char *name, const int32_t *modifiers, uint32_t count, rdx_sql_type *out);
#define RDX_TYPE_HINT 96
/* What to write in place of a name that is of no type; empty: nothing is known. */
void rdx_sql_type_hint(const char *name, char out[RDX_TYPE_HINT]);
/* The type that values of a column have in expressions: u8 is SMALLINT, u16 INTEGER, u32 BIGINT, u64 DECIMAL(20,0). */
rdx_sql_type rdx_sql_type_of_column(const rdx_column *column);

typedef struct rdx_sql_interval {
  int32_t months, days;
  int64_t micros;
} rdx_sql_interval;

typedef struct rdx_sql_text {
  const char *data;
  uint64_t length;
} rdx_sql_text;

/* Why a value could not be calculated. */
typedef struct rdx_failure {
  rdx_status status;
  rdx_error error;
} rdx_failure;

static inline rdx_status rdx_failure_tell(const rdx_failure *failure, rdx_error *err) {
  if (err)
    *err = failure->error;
  return failure->status;
}

/* One value. By kind: BOOL, integers, DATE, TIMESTAMP and DECIMAL of up to 18 digits in `i`; longer DECIMAL in `wide`;
 * REAL and DOUBLE in `f`; TEXT in `text`; INTERVAL in `interval`. */
typedef struct rdx_datum {
  bool null;
  bool failed; /* of a parameter: its subquery failed as `failure` says, which matters where a row asks for it */
  union {
    const rdx_failure *failure;
    int64_t i;
    rdx_i128 wide;
    double f;
    rdx_sql_text text;
    rdx_sql_interval interval;
  };
} rdx_datum;

typedef enum rdx_bound_kind {
  RDX_BOUND_COLUMN,    /* `index` of the input's columns */
  RDX_BOUND_CONSTANT,  /* `value` */
  RDX_BOUND_PARAMETER, /* `index` of the execution's values: $n, and what subqueries return */
  RDX_BOUND_CALL,      /* `op` of `args` */
  RDX_BOUND_OUTER,     /* while a statement is planned: column `index` of the query `value.i` levels out */
} rdx_bound_kind;

/* What a call does. Operands have one type unless said otherwise: casts are calls of their own. */
typedef enum rdx_op {
  RDX_OP_AND, /* any number */
  RDX_OP_OR,
  RDX_OP_NOT,
  RDX_OP_IS_NULL,
  RDX_OP_IS_TRUE, /* IS FALSE is IS TRUE of NOT; IS UNKNOWN is IS NULL */
  RDX_OP_EQ,
  RDX_OP_NE,
  RDX_OP_LT,
  RDX_OP_LE,
  RDX_OP_GT,
  RDX_OP_GE,
  RDX_OP_DISTINCT, /* IS DISTINCT FROM */
  RDX_OP_IN,       /* args[0] in args[1..], which are all of its type */
  RDX_OP_CAST,     /* to the node's type */
  RDX_OP_CASE,     /* WHEN, THEN, ..., ELSE: an odd number (ELSE is made where it is not written) */
  RDX_OP_COALESCE,
  RDX_OP_GREATEST,
  RDX_OP_LEAST,
  RDX_OP_ADD,
  RDX_OP_SUBTRACT,
  RDX_OP_MULTIPLY,
  RDX_OP_DIVIDE,
  RDX_OP_MODULO,
  RDX_OP_NEGATE,
  RDX_OP_LIKE, /* value, pattern */
  RDX_OP_ILIKE,
  RDX_OP_FUNCTION, /* any other: `function` says which */
} rdx_op;

#define RDX_CAST_EXACT 1 /* of a text that becomes numeric: nobody wrote how many digits, and more are an error */

typedef struct rdx_bound {
  rdx_bound_kind kind;
  rdx_op op; /* of a PARAMETER CAST where a cast gave it its type: values are rounded to that */
  rdx_sql_type type;
  rdx_sql_place place;
  uint32_t index; /* of a call 0, but for RDX_CAST_EXACT */
  rdx_datum value;
  const struct rdx_function *function;
  struct rdx_bound **args;
  uint32_t count;
} rdx_bound;

/* What binding a statement's expressions needs. */
typedef struct rdx_binding {
  rdx_arena *arena;
  const char *text; /* of the statement, for errors */
  rdx_error *err;
  int64_t now;    /* the time that now() gives, in microseconds; 0: it is not read yet */
  bool keeps_all; /* what a constant decides is kept beside it: what else is read is still to be checked */
} rdx_binding;

/* A literal (RDX_AST_NULL, BOOL, NUMBER, STRING) as a constant: integers by their size, other digits DECIMAL, with an
 * exponent or beyond 38 digits DOUBLE. */
RDX_MUST_USE rdx_status rdx_bind_literal(rdx_binding *b, const rdx_ast *ast, rdx_bound **out);

/* A call by its name as in rdx_ast: its op or function and type, with casts of arguments where they are needed. Calls
 * of constants alone become constants, unless they fail: then they fail where a row is evaluated. An unknown name, or
 * one that does not take such arguments, is RDX_ERROR_ARGUMENT, with both types and the nearest name. */
RDX_MUST_USE rdx_status rdx_bind_call(rdx_binding *b, const char *name, rdx_bound *const *args, uint32_t count,
                                      rdx_sql_place place, rdx_bound **out);

/* A cast as written (`wanted`), or one that needs no word; of a value that has the type already, the value. */
RDX_MUST_USE rdx_status rdx_bind_cast(rdx_binding *b, rdx_bound *value, rdx_sql_type type, bool wanted,
                                      rdx_sql_place place, rdx_bound **out);

/* A call whose arguments have been replaced, as binding it would have made it: a constant where these are. */
RDX_MUST_USE rdx_status rdx_bind_folded(rdx_binding *b, rdx_bound *call, rdx_bound **out);

/* The value of a parameter of a type. Not `fits`: it cannot be of the type, or has digits that this has not, unless it
 * `rounds`. */
RDX_MUST_USE rdx_status rdx_bind_value(rdx_binding *b, rdx_bound *value, rdx_sql_type type, bool rounds,
                                       rdx_bound **out, bool *fits);

/* The cast that an RDX_AST_CAST writes, of its argument: the type by its name, modifiers and field (INTERVAL '1' DAY).
 */
RDX_MUST_USE rdx_status rdx_bind_written_cast(rdx_binding *b, const rdx_ast *ast, rdx_bound *value, rdx_bound **out);

/* The type that values of all these types have together (CASE, UNION, IN, comparisons); false: there is none. */
RDX_MUST_USE bool rdx_sql_common_type(const rdx_sql_type *types, uint32_t count, rdx_sql_type *out);

static inline bool rdx_is_call(const rdx_bound *e, rdx_op op) {
  return e->kind == RDX_BOUND_CALL && e->op == op;
}

/* Whether a cast keeps every value as it is. */
bool rdx_keeps_values(rdx_sql_type from, rdx_sql_type to);
/* What stands below casts that do. */
const rdx_bound *rdx_without_casts(const rdx_bound *e);

/* A constant of a type, in the arena. */
RDX_MUST_USE rdx_status rdx_bind_constant(rdx_binding *b, rdx_sql_type type, rdx_datum value, rdx_sql_place place,
                                          rdx_bound **out);

/* Whether two expressions are the same, places aside. */
bool rdx_bound_equal(const rdx_bound *a, const rdx_bound *b);
/* Whether there is one of a kind in an expression, not a CALL. */
bool rdx_bound_has(const rdx_bound *e, rdx_bound_kind kind);
/* Note which COLUMNs an expression reads. */
void rdx_bound_mark_columns(const rdx_bound *e, bool *read);

/* A constant or a parameter's value as a column of one row, as predicates and probes want it (smallest decimal scale
 * kept; SMALLINT to BIGINT as I64, TEXT as STRING). Memory is the arena's. RDX_ERROR_OVERFLOW beyond 18 digits. */
RDX_MUST_USE rdx_status rdx_datum_column(rdx_sql_type type, const rdx_datum *values, uint64_t count, rdx_arena *arena,
                                         rdx_column *out, rdx_error *err);

#endif
