/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_RANGE_GATHER_KERNELS_H
#define RDX_KERNELS_RANGE_GATHER_KERNELS_H

#include "device/device.h"
#include "kernels/range_gather/range_gather.h"

/* Over range_gather_args. Constants: GATHER, VALUE, LANES, which differ by kernel: 1, 4 and 8. */
extern const rdx_kernel rdx_kernel_range_gather_1, rdx_kernel_range_gather_4, rdx_kernel_range_gather_8;

/* Over range_pieces_args, with PIECES_COUNT, PIECES_CUT or PIECES_BEGIN, and over range_join_args, with GATHER. */
extern const rdx_kernel rdx_kernel_range_pieces, rdx_kernel_range_join;

/* Over prefix_blocks_args; launched over n / PREFIX_BLOCK + 1 blocks. */
extern const rdx_kernel rdx_kernel_prefix_blocks;

/* Over range_minima_args, a level, and over range_first_args. */
extern const rdx_kernel rdx_kernel_range_minima, rdx_kernel_range_first;

/* Over prefix_sum_args. Constants: GATHER, VALUE. */
extern const rdx_kernel rdx_kernel_prefix_sum;

#endif
