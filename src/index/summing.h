/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_INDEX_SUMMING_H
#define RDX_INDEX_SUMMING_H

/* How the values of a column are added. */

#include "index/result.h"

typedef enum rdx_summing {
  RDX_SUM_NONE,
  RDX_SUM_PLAIN,  /* cannot overflow 64 bits */
  RDX_SUM_WIDE,   /* might */
  RDX_SUM_FLOATS, /* in the order of rows */
} rdx_summing;

/* The VALUE_... of a column of whole numbers. */
uint32_t rdx_value_kind(rdx_type type);

/* Whether a column has a value for each row of an index, or is NULL. To be asked before they are read. */
RDX_MUST_USE rdx_status rdx_summing_check_rows(const rdx_column *values, uint64_t rows, rdx_error *err);

/* Choose how to add values, and set the type of the result's sums. `on_host`: floats are added there. */
RDX_MUST_USE rdx_status rdx_summing_choose(const rdx_device *device, const rdx_device_column *values, bool on_host,
                                           rdx_summing *out, rdx_lookup_result *result, rdx_error *err);

/* Turn `count` sums of halves into sums, in a new buffer in their place. `*bad` becomes the number of one that does not
 * fit, plus 1, or 0. */
RDX_MUST_USE rdx_status rdx_sums_join(rdx_stream *stream, rdx_type type, rdx_buffer **sums, uint64_t count,
                                      uint32_t *bad, rdx_error *err);

#endif
