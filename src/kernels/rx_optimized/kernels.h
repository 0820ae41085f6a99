/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_RX_OPTIMIZED_KERNELS_H
#define RDX_KERNELS_RX_OPTIMIZED_KERNELS_H

#include "device/device.h"
#include "kernels/rx_optimized/rx_optimized.h"

/* Lookups over rx_optimized_args, of triangles, and of spheres and boxes; constants: KEY64, GATHER, VALUE, COUNT_RAYS,
 * PRIMITIVE. */
extern const rdx_kernel rdx_kernel_rx_optimized;
extern const rdx_kernel rdx_kernel_rx_optimized_boxes;

#endif
