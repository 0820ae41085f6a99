/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef TESTS_FUZZ_DIFF_H
#define TESTS_FUZZ_DIFF_H

/* What random differential runs share. A case is random data and random calls. Each answer is compared with that of a
 * reference which looks at one row after the other and knows the public headers only. */

#include <raydex/raydex.h>

__extension__ typedef __int128 i128;
__extension__ typedef unsigned __int128 u128;

/* ---- The run (diff.c) ---- */

extern rdx_device *diff_device;
/* Whether work is slow there: a GPU driver that runs on the CPU. */
extern bool diff_slow;

void lookups_case(void);
void changes_case(void);
void scans_case(void);
void joins_case(void);
void stars_case(void);
void sql_case(void);

/* Cases of hundreds of thousands of rows and more (diff_large.c). */
void large_lookups(void);
void large_joins(void);

/* Numbers of the case at hand, which depend on the seed and the number of the case only. */
uint64_t draw(void);
uint64_t below(uint64_t count);     /* 0 to count - 1; 0 where count is 0 */
uint64_t magnitude(uint64_t count); /* below count, small numbers as likely as large ones */
bool chance(unsigned percent);

/* Memory of exactly that size until the end of the case. */
void *take(size_t size);
/* Call destroy(object) at the end of the case, the last one first. */
void at_end(void (*destroy)(void *object), void *object);

/* Describe the case, for the report of what is wrong. */
void note(const char *format, ...) RDX_PRINTF(1, 2);
/* Show a column in the report if it is small. */
void watch(const char *name, const rdx_column *column);
void unwatch(size_t count); /* leave only the first `count` of them */
size_t watched(void);

/* An answer is wrong: report and end. */
_Noreturn void wrong(const char *format, ...) RDX_PRINTF(1, 2);

/* What a call may or must be refused with: a bit 1 << status for each, and why. */
typedef struct refusal {
  unsigned may, must;
  const char *why[RDX_ERROR_INTERNAL + 1];
} refusal;

/* Add a ground. One of those that must come is enough. */
void may_refuse(refusal *r, rdx_status status, const char *why);
void must_refuse(refusal *r, rdx_status status, const char *why);

/* Whether a call succeeded. A refusal that is allowed is counted; any other is wrong, and so is a missing one. */
bool passed(const char *what, rdx_status status, const rdx_error *err, const refusal *r);

/* ---- Values (diff_values.c) ---- */

typedef enum value_kind { VALUE_NULL, VALUE_WHOLE, VALUE_REAL, VALUE_TEXT } value_kind;

/* A value of any type, as the headers define it. */
typedef struct value {
  value_kind kind;
  uint8_t scale; /* WHOLE: it is `whole` / 10^scale */
  i128 whole;
  double real;
  const char *text;
  uint64_t length;
} value;

value value_at(const rdx_column *column, uint64_t row);
/* Those of all rows, until the end of the case. */
const value *values_of(const rdx_column *column);
/* The order of two values that are not NULL and of the same kind. */
int value_compare(const value *a, const value *b);
/* The same, with NULL after all others. */
int value_order(const value *a, const value *b);
/* -1, 0 or 1. */
int compare_rows(const rdx_column *a, uint64_t i, const rdx_column *b, uint64_t j);
bool is_null(const rdx_column *column, uint64_t row);
bool same_real(double a, double b); /* equal, or both NaN */
size_t value_print(const value *v, char *text, size_t size);
i128 ten_to(unsigned digits);

/* An exact sum of finite doubles and whole numbers: magnitudes in units of 2^-1138, in 32 bits each. */
#define EXACT_LIMBS 76
typedef struct exact {
  uint32_t plus[EXACT_LIMBS], minus[EXACT_LIMBS];
  bool nan, above, below; /* what was added that is not finite */
} exact;

void exact_add(exact *sum, double x);
void exact_add_whole(exact *sum, i128 x);
/* The sum over `count` and over 10^scale, rounded once, to even. */
double exact_round(const exact *sum, uint64_t count, uint8_t scale);

/* ---- Data (diff_data.c) ---- */

/* A value to be stored; `bits` for types of fixed width. */
typedef struct cell {
  bool null;
  uint64_t bits;
  const char *text;
  uint64_t length;
} cell;

/* What the values of a column are drawn from. */
typedef struct pool {
  rdx_type type;
  uint8_t scale;
  uint64_t count;
  cell *cells;
} pool;

typedef enum type_set {
  TYPES_ALL,
  TYPES_SUM,   /* what lookups add up: integers, floats, decimals, bool */
  TYPES_WHOLE, /* integers, decimals */
  TYPES_KEYS,  /* mostly what keys are: integers, strings, dates */
} type_set;

rdx_type random_type(type_set set);
bool is_integer(rdx_type type);
bool is_float(rdx_type type);

/* How many rows a case has: mostly few, up to `max`, now and then `large`. */
uint64_t random_rows(uint64_t max, uint64_t large);

/* Up to `count` values; `tame`: small ones, near to each other. */
pool pool_make(rdx_type type, uint64_t count, bool tame);
/* One of them. */
cell pool_cell(const pool *p);
/* What could be asked for: one of them, a neighbour, or anything of the type. */
cell pool_probe(const pool *p);

/* `rows` values of a pool in a random distribution and order, of which some percent are NULL. */
rdx_column pool_column(const pool *p, uint64_t rows, unsigned nulls);
rdx_column pool_probes(const pool *p, uint64_t rows, unsigned nulls);
/* A column of these cells: strings with or without a dictionary. */
rdx_column column_make(rdx_type type, uint8_t scale, const cell *cells, uint64_t rows);
/* No NULLs mostly, or some, or many, or all. */
unsigned random_nulls(void);
/* Now and then, the column as a device column. */
rdx_column maybe_upload(const rdx_column *column);
/* Whether strings are more than their first eight bytes say: longer, or with zero bytes. */
bool has_long_strings(const rdx_column *column);
void column_print(const char *name, const rdx_column *column);

/* ---- Predicates (diff_predicates.c) ---- */

/* A random predicate over columns of these pools. `r` gets the refusals that are due. */
rdx_predicate *predicate_make(const pool *pools, uint32_t count, refusal *r);
/* 0: false, 1: true, 2: unknown; of row rows[i] of column i, or, with `rows` NULL, of row `row` of each. */
int predicate_truth(const rdx_predicate *p, const rdx_column *columns, const uint64_t *rows, uint64_t row);
void predicate_note(const rdx_predicate *p);
/* The same predicate, parsed from its text, where it has one (diff_conditions.c). Columns are called #0, #1, ... */
const rdx_predicate *predicate_by_sql(const rdx_predicate *p, const rdx_column *columns);

/* ---- Indexes (diff_index.c) ---- */

/* Random parameters of a method; `r` gets the refusals that building over these host keys may meet. */
rdx_index_params index_params(rdx_index_method method, const rdx_column *keys, refusal *r);
void index_note(const rdx_index_params *params);
rdx_index_method random_index_method(bool ranges);
bool all_distinct(const rdx_column *keys);

#endif
