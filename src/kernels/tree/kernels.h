/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_TREE_KERNELS_H
#define RDX_KERNELS_TREE_KERNELS_H

#include "device/device.h"
#include "kernels/tree/tree.h"

/* Lookups over tree_args; constants: KEY64, GATHER, VALUE, DISTINCT, LANES. Each kernel is for one KEY64. */
extern const rdx_kernel rdx_kernel_tree_u32;
extern const rdx_kernel rdx_kernel_tree_u64;

/* Build steps over tree_leaves_args, tree_level_args and tree_coarse_args; constant: KEY64. */
extern const rdx_kernel rdx_kernel_tree_leaves;
extern const rdx_kernel rdx_kernel_tree_level;
extern const rdx_kernel rdx_kernel_tree_coarse;

#endif
