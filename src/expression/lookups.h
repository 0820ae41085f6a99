/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXPRESSION_LOOKUPS_H
#define RDX_EXPRESSION_LOOKUPS_H

/* What depends on nothing but a string of a dictionary, or on a day among few, is evaluated once for each of these. */

#include "expression/block.h"

/* The days of a column that were looked for before. */
typedef struct rdx_day_range {
  const rdx_input *input; /* NULL: none was */
  int32_t min, max;
  bool is_small; /* fewer days than rows */
} rdx_day_range;

/* Make a node a table of a call's values, where the call reads one column only, which has a dictionary with fewer
 * strings than there are rows, or is of dates that are few; only costly calls are worth it for dates. `*found` is false
 * where it does not, or where one of the values is an error, which perhaps no row has: the call is then evaluated for
 * rows. */
RDX_MUST_USE rdx_status rdx_look_up(const rdx_evaluation *e, const rdx_bound *call, rdx_node *n, rdx_arena *arena,
                                    rdx_day_range *days, bool *found, rdx_error *err);

#endif
