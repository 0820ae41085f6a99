/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXECUTE_FLOAT_SUMS_H
#define RDX_EXECUTE_FLOAT_SUMS_H

/* Aggregates that are doubles, exact and rounded once: sums, averages and co-moments, and counts with them. Values are
 * floats or, but for sums, whole numbers of 64 bits and DECIMALs. */

#include "execute/operators.h"

typedef struct rdx_float_sums_query {
  rdx_execution *x;
  rdx_operand *in;
  const uint32_t *codes; /* the group of each row; NULL: there is one group */
  uint64_t groups;
  const rdx_plan_aggregate *aggregates;
  uint32_t count;
} rdx_float_sums_query;

/* A row for each group, a column for each aggregate. */
RDX_MUST_USE rdx_status rdx_float_sums_run(const rdx_float_sums_query *query, rdx_frame *out, rdx_error *err);

#endif
