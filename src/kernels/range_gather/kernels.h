/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_RANGE_GATHER_KERNELS_H
#define RDX_KERNELS_RANGE_GATHER_KERNELS_H

#include "device/device.h"
#include "kernels/range_gather/range_gather.h"

/* Over spans_args. Constants: GATHER, VALUE, LANES, which differ by kernel: 1, 4 and 8. */
extern const rdx_kernel rdx_kernel_spans_1, rdx_kernel_spans_4, rdx_kernel_spans_8;

/* Over spans_blocks_args; launched over n / SPANS_BLOCK + 1 blocks. */
extern const rdx_kernel rdx_kernel_spans_blocks;

/* Over spans_prefix_args. Constants: GATHER, VALUE. */
extern const rdx_kernel rdx_kernel_spans_prefix;

#endif
