/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXECUTE_ORDERED_H
#define RDX_EXECUTE_ORDERED_H

/* Aggregates of values in order: string_agg, percentiles, mode. */

#include "execute/operators.h"

typedef struct rdx_ordered_query {
  rdx_execution *x;
  const rdx_operand *in;
  const uint32_t *codes; /* the group of each row; NULL: there is one group */
  uint64_t groups;
  const rdx_plan_aggregate *aggregates; /* all of values in order */
  uint32_t count;
} rdx_ordered_query;

/* A row for each group, a column for each aggregate. */
RDX_MUST_USE rdx_status rdx_ordered_run(const rdx_ordered_query *query, rdx_frame *out, rdx_error *err);

#endif
