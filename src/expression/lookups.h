/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXPRESSION_LOOKUPS_H
#define RDX_EXPRESSION_LOOKUPS_H

/* What depends on nothing but a string of a dictionary is evaluated once for each of these. */

#include "expression/block.h"

/* Whether a call reads one column only, which has a dictionary with fewer strings than there are rows. */
bool rdx_reads_one_dictionary(const rdx_evaluation *e, const rdx_bound *call, uint32_t *column);

/* Make a node a table of the call's values. `*found` is false where one of them is an error, which perhaps no row has:
 * the call is then evaluated for rows. */
RDX_MUST_USE rdx_status rdx_look_up(const rdx_evaluation *e, const rdx_bound *call, uint32_t column, rdx_node *n,
                                    rdx_arena *arena, bool *found, rdx_error *err);

#endif
