/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_JOIN_WEIGHTED_SUMS_H
#define RDX_JOIN_WEIGHTED_SUMS_H

/* Sums of values that count several times: those of an inverse mapping, where each right row knows its left rows. */

#include <raydex/column.h>

#include "base/base.h"
#include "device/device.h"

typedef struct rdx_weighted_sum {
  rdx_i128 sum;
  uint64_t count; /* of the values that are added */
  rdx_type type;  /* RDX_TYPE_I64, RDX_TYPE_U64 or RDX_TYPE_DECIMAL */
  uint8_t scale;
} rdx_weighted_sum;

/* Add value i `counts[i]` times, NULLs left out. `values`: a host or device column of whole numbers, `rows` of them;
 * floats are RDX_ERROR_UNSUPPORTED, since a product is not the sum that adding them one by one gives. */
RDX_MUST_USE rdx_status rdx_weighted_sum_make(rdx_device *device, const rdx_column *values, const uint32_t *counts,
                                              uint64_t rows, rdx_weighted_sum *out, rdx_error *err);

#endif
