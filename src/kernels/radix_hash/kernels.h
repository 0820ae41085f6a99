/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_RADIX_HASH_KERNELS_H
#define RDX_KERNELS_RADIX_HASH_KERNELS_H

#include "device/device.h"
#include "kernels/radix_hash/radix_hash.h"

/* Building. Constants: KEY64, BITS. */
extern const rdx_kernel rdx_kernel_radix_hash_starts;
extern const rdx_kernel rdx_kernel_radix_hash_insert;

/* Lookups over radix_hash_args; constants: KEY64, BITS, GATHER, VALUE. */
extern const rdx_kernel rdx_kernel_radix_hash_lookup;

#endif
