/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_BTREE_KERNELS_H
#define RDX_KERNELS_BTREE_KERNELS_H

#include "device/device.h"
#include "kernels/btree/btree.h"
#include "kernels/btree/btree_scan.h"
#include "kernels/btree/btree_update.h"

/* Lookups over btree_args; constants: KEY64, GATHER, VALUE, LEVELS, DISTINCT. */
extern const rdx_kernel rdx_kernel_btree;
/* The same by 8 and by 16 lanes; on CPUs as it. */
extern const rdx_kernel rdx_kernel_btree_by_8, rdx_kernel_btree_by_16;

/* Each over the args of its name; constant: KEY64. */
extern const rdx_kernel rdx_kernel_btree_visits;
extern const rdx_kernel rdx_kernel_btree_load;
extern const rdx_kernel rdx_kernel_btree_level;
extern const rdx_kernel rdx_kernel_btree_plan;
extern const rdx_kernel rdx_kernel_btree_rewrite;
extern const rdx_kernel rdx_kernel_btree_scan;
/* Both over btree_change_args. */
extern const rdx_kernel rdx_kernel_btree_place;
extern const rdx_kernel rdx_kernel_btree_split;

#endif
