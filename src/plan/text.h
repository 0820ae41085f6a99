/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_PLAN_TEXT_H
#define RDX_PLAN_TEXT_H

/* Bound expressions as text, for EXPLAIN. */

#include "plan/plan.h"

/* A text that grows. All zero but `err` is empty; `data` is for rdx_free(). */
typedef struct rdx_printed {
  char *data;
  size_t size, capacity;
  rdx_status status; /* of the first failure */
  rdx_error *err;
} rdx_printed;

void rdx_print(rdx_printed *text, const char *format, ...) RDX_PRINTF(2, 3);

/* Columns have the names of the node's output; of a star its attributes', of a join those of both sides. */
void rdx_bound_text(const rdx_bound *value, const rdx_plan_node *names, rdx_printed *out);

#endif
