/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_CGRX_KERNELS_H
#define RDX_KERNELS_CGRX_KERNELS_H

#include "device/device.h"
#include "kernels/cgrx/cgrx_nodes.h"
#include "kernels/cgrx/cgrx_update.h"

/* Lookups over cgrx_args; constants: KEY64, GATHER, VALUE, OUTPUT, CHAINED. */
extern const rdx_kernel rdx_kernel_cgrx;

/* Build steps over cgrx_mark_args, cgrx_encode_args and cgrx_rows_args; constant: KEY64. */
extern const rdx_kernel rdx_kernel_cgrx_mark;
extern const rdx_kernel rdx_kernel_cgrx_encode;
extern const rdx_kernel rdx_kernel_cgrx_rows;

/* Nodes, each over the args of its name; constant: KEY64, and of plan ONLY_PARTS, which only GPUs are asked for. */
extern const rdx_kernel rdx_kernel_cgrx_load;
extern const rdx_kernel rdx_kernel_cgrx_plan;
extern const rdx_kernel rdx_kernel_cgrx_apply;
extern const rdx_kernel rdx_kernel_cgrx_collect;

#endif
