/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_RX_KERNELS_H
#define RDX_KERNELS_RX_KERNELS_H

#include "device/device.h"
#include "kernels/rx/rx.h"

/* Lookups over rx_args with the constants of rx_lookup.glsl.h, RX_CONSTANTS of them: perpendicular rays, or rays
 * along x. */
extern const rdx_kernel rdx_kernel_rx_point;
/* As rdx_kernel_rx_point, for distinct keys in triangles where hits need no verification. */
extern const rdx_kernel rdx_kernel_rx_single;
extern const rdx_kernel rdx_kernel_rx_range;
/* The same for scenes of boxes. */
extern const rdx_kernel rdx_kernel_rx_point_boxes;
extern const rdx_kernel rdx_kernel_rx_range_boxes;

/* Keys to primitives over rx_encode_args; constants: KEY64, BOXES. */
extern const rdx_kernel rdx_kernel_rx_encode;

/* Rays of each probe over rx_rays_args; constants: KEY64, PERPENDICULAR. */
extern const rdx_kernel rdx_kernel_rx_rays;

#endif
