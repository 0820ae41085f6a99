/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_PLAN_TEXT_H
#define RDX_PLAN_TEXT_H

/* Bound expressions as text, for EXPLAIN. */

#include "plan/plan.h"

/* A text that grows. All zero but `err` is empty. */
typedef struct rdx_printed {
  char *data;
  size_t size, capacity;
  rdx_status status; /* of the first failure */
  rdx_error *err;
} rdx_printed;

void rdx_print(rdx_printed *text, const char *format, ...) RDX_PRINTF(2, 3);
void rdx_printed_free(rdx_printed *text);

/* What the COLUMNs of an expression are: the outputs of a node, or what it reads `inside`: the attributes of a star,
 * the columns of both sides of a join. */
typedef struct rdx_names_of {
  const rdx_plan_node *node; /* NULL: there are none */
  bool inside;
} rdx_names_of;

void rdx_bound_text(const rdx_bound *value, rdx_names_of names, rdx_printed *out);

#endif
