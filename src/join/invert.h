/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_JOIN_INVERT_H
#define RDX_JOIN_INVERT_H

#include "index/result.h"

/* Matches by left row: those of left row i are rows[offsets[i]] to rows[offsets[i + 1] - 1], ascending. */
typedef struct rdx_join_matches {
  const uint64_t *offsets;
  const uint32_t *rows;
  uint64_t *own_offsets; /* what an inverse join made itself */
  uint32_t *own_rows;
} rdx_join_matches;

/* Turn the left rows that right rows have found, a result of RDX_LOOKUP_ROWS, into the right rows of each of `left`
 * left rows: by a sort on the device where the result is still there, else by counting. The result is used up. */
RDX_MUST_USE rdx_status rdx_join_matches_invert(rdx_lookup_result *found, uint64_t left, rdx_join_matches *out,
                                                rdx_error *err);
void rdx_join_matches_drop(rdx_join_matches *matches);

#endif
