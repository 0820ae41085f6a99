/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_JOIN_WIDE_SUMS_H
#define RDX_JOIN_WIDE_SUMS_H

/* Values of 64 bits as two columns, of which no lookup's sum passes 64 bits. */

#include <raydex/column.h>

#include "base/base.h"

typedef struct rdx_wide_sums {
  rdx_column columns[2]; /* u32: value = low + high * 2^32; of signed values the high half is i32 */
  rdx_type sum_type;     /* of sums of the values */
  uint8_t sum_scale;
  void *memory[3];
} rdx_wide_sums;

/* Of a column of i64, u64 or decimals, a host or a device one. */
RDX_MUST_USE rdx_status rdx_wide_sums_make(const rdx_column *values, rdx_wide_sums *out, rdx_error *err);
void rdx_wide_sums_free(rdx_wide_sums *sums_of_halves);

#endif
