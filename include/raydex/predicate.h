/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RAYDEX_PREDICATE_H
#define RAYDEX_PREDICATE_H

/**
 * Predicates over the columns of a scan, in SQL's three-valued logic.
 *
 * - Shapes: a tree. A comparison with NULL on either side is unknown, NOT of unknown is unknown, and a row qualifies
 *   only where the whole predicate is true.
 * - Ownership: a node owns nothing: children and values must stay valid while a call uses it.
 * - Errors: the call that takes a predicate refuses what does not go with a column: RDX_ERROR_ARGUMENT.
 * - Source: text becomes a predicate by rdx_condition_parse() (sql.h).
 *
 * Example:
 *
 *     const int32_t prices[] = {5, 20, 11}, bounds[] = {10, 30};
 *     const rdx_column price = {.type = RDX_TYPE_I32, .rows = 3, .values = prices};
 *     const rdx_predicate between = {.kind = RDX_PREDICATE_BETWEEN,
 *                                    .values = {.type = RDX_TYPE_I32, .rows = 2, .values = bounds}};
 *     const rdx_predicate outside = {.kind = RDX_PREDICATE_NOT, .children = &between, .child_count = 1};
 *     rdx_scan *scan = NULL;
 *     rdx_scan_result *result = NULL;
 *     status = rdx_scan_create(device, &price, 1, NULL, &scan, &err);
 *     if (status == RDX_OK)
 *       status = rdx_scan_run(scan, &outside, NULL, &result, &err);
 *     rdx_scan_result_destroy(&result);
 *     rdx_scan_destroy(&scan);
 */

#include <raydex/column.h>
#include <raydex/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rdx_predicate_kind {
  RDX_PREDICATE_TRUE = 0, /**< every row */
  RDX_PREDICATE_AND,      /**< of all children; without any: true */
  RDX_PREDICATE_OR,       /**< of any child; without any: false */
  RDX_PREDICATE_NOT,      /**< of its one child */
  RDX_PREDICATE_EQ,       /**< column = value; from here on, leaves: `column` and `values` count */
  RDX_PREDICATE_NE,
  RDX_PREDICATE_LT,
  RDX_PREDICATE_LE,
  RDX_PREDICATE_GT,
  RDX_PREDICATE_GE,
  RDX_PREDICATE_BETWEEN, /**< values[0] <= column <= values[1] */
  RDX_PREDICATE_IN,      /**< column equals any of the values */
  RDX_PREDICATE_IS_NULL, /**< no value */
  RDX_PREDICATE_IS_NOT_NULL,
} rdx_predicate_kind;

/**
 * A node of a predicate tree. It owns nothing: children and values must stay valid while a call uses it.
 *
 * `values` is a host column: 1 row for comparisons, 2 for BETWEEN, any number for IN, ignored otherwise. Its type goes
 * with that of the scanned column as probes of an index do: any integer or decimal with any other (a literal that the
 * column cannot represent keeps its meaning: x < 1000 on an i8 column is every row that is not NULL), floats with
 * floats, strings with strings; anything else is RDX_ERROR_ARGUMENT.
 */
typedef struct rdx_predicate {
  rdx_predicate_kind kind;
  uint32_t column; /**< leaves: the number of a column of the scan */
  rdx_column values;
  const struct rdx_predicate *children; /**< AND, OR, NOT */
  uint32_t child_count;
} rdx_predicate;

#ifdef __cplusplus
}
#endif
#endif
