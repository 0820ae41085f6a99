/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_RAY_MATRIX_KERNELS_H
#define RDX_KERNELS_RAY_MATRIX_KERNELS_H

#include "device/device.h"
#include "kernels/ray_matrix/ray_matrix.h"

/* Over the args of the same names. */
extern const rdx_kernel rdx_kernel_ray_matrix_place;
extern const rdx_kernel rdx_kernel_ray_matrix_box;
extern const rdx_kernel rdx_kernel_ray_matrix_rays;

#endif
