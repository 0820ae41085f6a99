/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_SORTED_ARRAY_KERNELS_H
#define RDX_KERNELS_SORTED_ARRAY_KERNELS_H

#include "device/device.h"
#include "kernels/sorted_array/sorted_array.h"

/* Lookups over sorted_array_args; constants: KEY64, GATHER, VALUE, LANES. */
extern const rdx_kernel rdx_kernel_sorted_array_u32, rdx_kernel_sorted_array_u64;

#endif
