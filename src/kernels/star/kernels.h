/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_STAR_KERNELS_H
#define RDX_KERNELS_STAR_KERNELS_H

#include "device/device.h"
#include "kernels/star/star.h"

/* Over the args of the same names. */
extern const rdx_kernel rdx_kernel_star_key;
extern const rdx_kernel rdx_kernel_star_starts;
extern const rdx_kernel rdx_kernel_star_place;
extern const rdx_kernel rdx_kernel_star_pack;
extern const rdx_kernel rdx_kernel_star_heads;
extern const rdx_kernel rdx_kernel_star_runs;
extern const rdx_kernel rdx_kernel_star_ranges;
extern const rdx_kernel rdx_kernel_star_collect;
extern const rdx_kernel rdx_kernel_coarse;
extern const rdx_kernel rdx_kernel_coarse_add;
extern const rdx_kernel rdx_kernel_coarse_runs;
extern const rdx_kernel rdx_kernel_rt_place;
extern const rdx_kernel rdx_kernel_rt_rays;

/* CPU: add rows begin .. end - 1 to a copy of the accumulators, or rows[begin] .. rows[end - 1]. */
void rdx_star_add(const star_query *query, uint32_t copy, const uint32_t *rows, uint32_t begin, uint32_t end);

#endif
