/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_JOIN_WIDE_SUMS_H
#define RDX_JOIN_WIDE_SUMS_H

/* Values of 64 bits as two columns, of which no lookup's sum passes 64 bits. */

#include <raydex/column.h>

#include "base/base.h"

typedef struct rdx_halves {
  rdx_column columns[2]; /* u32: value = low + high * 2^32; of signed values the high half is i32 */
  rdx_type sum_type;     /* of sums of the values */
  uint8_t sum_scale;
  void *memory[3];
} rdx_halves;

/* Of a column of i64, u64 or decimals, a host or a device one. */
RDX_MUST_USE rdx_status rdx_halves_make(const rdx_column *values, rdx_halves *out, rdx_error *err);
void rdx_halves_drop(rdx_halves *halves);

#endif
