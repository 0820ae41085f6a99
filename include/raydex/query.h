/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RAYDEX_QUERY_H
#define RAYDEX_QUERY_H

/**
 * Star queries: a scan, a grouping and aggregates over one relation, then HAVING, ORDER BY and LIMIT.
 *
 * - Shapes: a fact table with up to 8 dimensions; a column of any of them is an attribute.
 * - Ownership: structs of this header own nothing: what they point to must stay valid while a call uses it.
 * - Errors: rdx_star_run() (star.h) refuses what does not fit.
 * - Source: RTCUDB, sections 3 to 5.
 *
 * Example:
 *
 *     const int64_t sold[] = {10, 25, 7};
 *     const rdx_attribute amount = {.name = "amount", .column = {.type = RDX_TYPE_I64, .rows = 3, .values = sold}};
 *     const rdx_relation sales = {.rows = 3, .attributes = &amount, .attribute_count = 1};
 *     const rdx_expression value = {.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = 0};
 *     const rdx_aggregate aggregates[] = {{RDX_AGGREGATE_SUM, &value}, {RDX_AGGREGATE_COUNT, NULL}};
 *     const rdx_query query = {.aggregates = aggregates, .aggregate_count = 2};
 *     rdx_star *star = NULL;
 *     rdx_query_result *result = NULL;
 *     status = rdx_star_create(device, &sales, NULL, &star, &err);
 *     if (status == RDX_OK)
 *       status = rdx_star_run(star, &query, NULL, &result, &err);
 *     rdx_query_result_destroy(&result);
 *     rdx_star_destroy(&star);
 */

#include <raydex/column.h>
#include <raydex/predicate.h>
#include <raydex/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A dimension of a star: each row of the fact table belongs to the row of the dimension whose key it names. */
typedef struct rdx_dimension {
  rdx_column foreign_key; /**< of the fact table */
  rdx_column key;         /**< of the dimension: distinct, not NULL; of the foreign key's kind of type */
} rdx_dimension;

/** A column that queries may use. */
typedef struct rdx_attribute {
  const char *name;   /**< for error texts and results */
  rdx_column column;  /**< as many rows as the table it belongs to */
  uint32_t dimension; /**< 0: the fact table; else 1 + the number of a dimension */
} rdx_attribute;

/**
 * A fact table with its dimensions, joined by their keys: a row for each row of the fact table that has a partner in
 * every dimension (an inner join). Without dimensions it is a flat table.
 */
typedef struct rdx_relation {
  uint64_t rows; /**< of the fact table, below 2^32 - 1 */
  const rdx_attribute *attributes;
  uint32_t attribute_count;
  const rdx_dimension *dimensions;
  uint32_t dimension_count; /**< at most 8 */
} rdx_relation;

typedef enum rdx_expression_kind {
  RDX_EXPRESSION_ATTRIBUTE = 0, /**< its value; NULL where it is NULL */
  RDX_EXPRESSION_CONSTANT,      /**< `value` / 10^`scale` */
  RDX_EXPRESSION_ADD,
  RDX_EXPRESSION_SUBTRACT,
  RDX_EXPRESSION_MULTIPLY,
} rdx_expression_kind;

/** Exact arithmetic over integers and decimals (a sum has the larger scale, a product the sum of both scales), with as
 * many bits as values take: no value overflows, only an aggregate that does not fit its type does. NULL with any NULL
 * operand; at most 64 steps. Where values may pass 64 bits (signed) by the ranges of the attributes, the first query
 * takes time to calculate those of all rows on the host. The rdx_star keeps them, mostly 8 to 24 bytes a row, while
 * cubes or queries use them, and the last four for later. An expression of one attribute may be of any type where it is
 * not calculated with; floats may be added up, and bools, which then count as 1 where they are true. */
typedef struct rdx_expression {
  rdx_expression_kind kind;
  uint32_t attribute;
  int64_t value;
  uint8_t scale;
  const struct rdx_expression *left, *right;
} rdx_expression;

typedef enum rdx_aggregate_kind {
  RDX_AGGREGATE_COUNT = 0, /**< of rows where the expression is not NULL; without an expression: of rows. u64 */
  RDX_AGGREGATE_SUM, /**< i64, or decimal where the scale is not 0; exact, or RDX_ERROR_OVERFLOW where the sum of the
                        rows that qualify does not fit; NULL for no value. Of floats f64: the exact sum, rounded once,
                        whatever the order of rows, or RDX_ERROR_OVERFLOW; with infinities among them infinite, or NaN,
                        and with NaN NaN */
  RDX_AGGREGATE_AVG, /**< f64: the exact sum over the count, rounded once; NULL for no value */
  RDX_AGGREGATE_MIN, /**< of the expression's type (i64 or decimal where it is calculated, or RDX_ERROR_OVERFLOW); NULL
                        for no value */
  RDX_AGGREGATE_MAX,
} rdx_aggregate_kind;

typedef struct rdx_aggregate {
  rdx_aggregate_kind kind;
  const rdx_expression *expression; /**< NULL: COUNT of rows */
} rdx_aggregate;

typedef struct rdx_order {
  uint32_t column; /**< of the result: first the group's attributes, then the aggregates */
  bool descending;
  bool nulls_first; /**< else last */
} rdx_order;

typedef struct rdx_query {
  const rdx_predicate *where; /**< over the relation's attributes; NULL: every row */
  const uint32_t *group_by;   /**< attributes; NULL is a group of its own. Without any: one group, also of no rows */
  /** At most 8. RDX_ERROR_UNSUPPORTED where the product of their numbers of distinct values passes 2^64. Where the
   * product of their ranges (largest less smallest value) does, the first query takes time to tell values apart, and
   * the rdx_star keeps 4 bytes a row of such an attribute, and 8 a value. */
  uint32_t group_count;
  const rdx_aggregate *aggregates;
  /** At most 8; with none, the distinct groups are the result. A query takes a pass over its rows for each 16 numbers
   * of a row: a sum of floats takes 1 to 35 (mostly 1 or 2 of f32, 2 or 3 of f64; as many as cover the bits that
   * values have). The first one of an attribute takes time, and the rdx_star keeps each number as it keeps an attribute
   * of integers. */
  uint32_t aggregate_count;
  const rdx_predicate *having; /**< over the columns of the result; NULL: every group */
  const rdx_order *order_by;   /**< ties: in the order of the group's attributes, of which NULL comes last */
  uint32_t order_count;
  bool limited; /**< return `limit` rows at most, after the first `offset`; else neither counts */
  uint64_t limit, offset;
} rdx_query;

#ifdef __cplusplus
}
#endif
#endif
