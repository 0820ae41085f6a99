/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_SQL_CONDITION_H
#define RDX_SQL_CONDITION_H

#include <raydex/sql.h>

#include "base/base.h"

/* A condition before its columns have types: what parse.c leaves of the parser's tree. bind.c makes predicates of it.
 */

typedef enum rdx_literal_kind {
  RDX_LITERAL_NULL,
  RDX_LITERAL_BOOL,
  RDX_LITERAL_NUMBER,  /* its digits are in `text` */
  RDX_LITERAL_UNTYPED, /* a string that becomes what it is compared with */
  RDX_LITERAL_TEXT,
  RDX_LITERAL_DATE,
  RDX_LITERAL_TIMESTAMP,
} rdx_literal_kind;

typedef struct rdx_literal {
  rdx_literal_kind kind;
  bool truth; /* BOOL */
  const char *text;
  uint32_t position; /* in the condition, from 1; 0: unknown */
} rdx_literal;

/* `kind` is that of the predicate that the node becomes. Comparisons, BETWEEN and IN have literals. */
typedef struct rdx_sql_node {
  rdx_predicate_kind kind;
  uint32_t column;
  uint32_t count; /* of literals or children */
  rdx_literal *literals;
  struct rdx_sql_node *children;
} rdx_sql_node;

struct rdx_condition {
  rdx_arena arena;
  rdx_sql_node root;
  char **names;
  uint32_t name_count, name_capacity;
  rdx_arena bound; /* what the predicate is made of */
  rdx_predicate predicate;
};

/* Fail with the place in the condition, where it is known. */
rdx_status rdx_sql_fail(rdx_error *err, rdx_status status, uint32_t position, const char *format, ...) RDX_PRINTF(4, 5);

/* A literal in the units of a column of integers, decimals, days, microseconds or truth values: the largest value that
 * is not above it, which may be beyond the column's type. */
typedef struct rdx_units {
  rdx_i128 floor;
  bool exact; /* it is the literal itself */
} rdx_units;

/* RDX_ERROR_ARGUMENT where the literal, which is not NULL, does not go with the column. */
RDX_MUST_USE rdx_status rdx_literal_units(const rdx_literal *literal, const rdx_column *column, const char *name,
                                          rdx_units *out, rdx_error *err);
/* The nearest float, `*exact`; of a number beyond the type, or closer to 0 than its numbers, the next one below it. */
RDX_MUST_USE rdx_status rdx_literal_float(const rdx_literal *literal, const rdx_column *column, const char *name,
                                          double *floor, bool *exact, rdx_error *err);
RDX_MUST_USE rdx_status rdx_literal_string(const rdx_literal *literal, const rdx_column *column, const char *name,
                                           const char **out, rdx_error *err);

#endif
