/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_PLAN_TEXT_H
#define RDX_PLAN_TEXT_H

/* Bound expressions as text, for EXPLAIN. */

#include "plan/plan.h"

/* What the COLUMNs of an expression are: the outputs of a node, or what it reads `inside`: the attributes of a star,
 * the columns of both sides of a join. */
typedef struct rdx_names_of {
  const rdx_plan_node *node; /* NULL: there are none */
  bool inside;
} rdx_names_of;

void rdx_bound_text(const rdx_bound *value, rdx_names_of names, rdx_printed *out);

#endif
