/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXECUTE_FLOAT_SUMS_H
#define RDX_EXECUTE_FLOAT_SUMS_H

/* Aggregates block by block, without columns for their values: sums, averages and co-moments of floats, and of whole
 * numbers and DECIMALs of 64 bits, exact and, where they are doubles, rounded once; counts of whatever is not NULL. */

#include "execute/operators.h"

/* Whether values of a type can be added up. */
bool rdx_fits_sums(rdx_sql_type type);

typedef struct rdx_float_sums_query {
  rdx_execution *x;
  rdx_operand *in;
  const uint32_t *codes; /* the group of each row; NULL: there is one group */
  uint64_t groups;
  const rdx_plan_aggregate *aggregates;
  uint32_t count;
} rdx_float_sums_query;

/* A row for each group, a column for each aggregate. RDX_ERROR_OVERFLOW: the sum of a group of floats passes them, or
 * of whole numbers 64 bits. */
RDX_MUST_USE rdx_status rdx_float_sums_run(const rdx_float_sums_query *query, rdx_frame *out, rdx_error *err);

/* ---- Rows in portions ---- */

typedef struct rdx_float_sums rdx_float_sums;

RDX_MUST_USE rdx_status rdx_float_sums_create(rdx_execution *x, const rdx_plan_aggregate *aggregates, uint32_t count,
                                              rdx_float_sums **out, rdx_error *err);
/* Add the rows of a portion; `groups` of them or of those before, whose numbers stay. */
RDX_MUST_USE rdx_status rdx_float_sums_add(rdx_float_sums *sums, rdx_operand *in, const uint32_t *codes,
                                           uint64_t groups, rdx_error *err);
/* What rdx_float_sums_run() gives for all of them, at least one portion. */
RDX_MUST_USE rdx_status rdx_float_sums_finish(rdx_float_sums *sums, rdx_frame *out, rdx_error *err);
void rdx_float_sums_destroy(rdx_float_sums **sums);

#endif
