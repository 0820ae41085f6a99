/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXECUTE_EXTREMES_H
#define RDX_EXECUTE_EXTREMES_H

/* The smallest and largest text of all rows, without the dictionary that the column engine would make first. */

#include "execute/operators.h"

/* Whether an aggregate of all rows is one. */
bool rdx_is_extreme_text(const rdx_frame *frame, const rdx_plan_aggregate *aggregate);
/* One row, a column for each aggregate. Brings the rows of the frame's columns to the host. */
RDX_MUST_USE rdx_status rdx_extreme_texts_run(rdx_execution *x, rdx_frame *frame, const rdx_plan_aggregate *aggregates,
                                              uint32_t count, rdx_frame *out, rdx_error *err);

#endif
