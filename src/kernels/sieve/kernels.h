/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_SIEVE_KERNELS_H
#define RDX_KERNELS_SIEVE_KERNELS_H

#include "device/device.h"
#include "kernels/sieve/sieve.h"

/* Over the args of the same names. */
extern const rdx_kernel rdx_kernel_sieve_map;
extern const rdx_kernel rdx_kernel_sieve_build;
extern const rdx_kernel rdx_kernel_sieve_combine;
extern const rdx_kernel rdx_kernel_sieve_refine;
extern const rdx_kernel rdx_kernel_sieve_slices;

#endif
