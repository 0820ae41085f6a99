/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXECUTE_PORTIONED_H
#define RDX_EXECUTE_PORTIONED_H

/* Aggregates of rows that come in portions. */

#include "execute/portions.h"

/* Whether the aggregates of a node can be of rows in portions: then memory is for the groups, not for the rows. */
bool rdx_takes_portions(const rdx_plan_node *node);

/* A row for each group of `first` and all portions after it; columns may have other types than the node says. */
RDX_MUST_USE rdx_status rdx_aggregate_portions(rdx_execution *x, const rdx_plan_node *node, rdx_portions *portions,
                                               rdx_operand *first, rdx_frame *out, rdx_error *err);

#endif
