/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_HASH_KERNELS_H
#define RDX_KERNELS_HASH_KERNELS_H

#include "device/device.h"
#include "kernels/hash/hash.h"

/* Building. Constants: KEY64; for reach and place also RUNS. */
extern const rdx_kernel rdx_kernel_hash_mix;
extern const rdx_kernel rdx_kernel_hash_reach;
extern const rdx_kernel rdx_kernel_hash_spine; /* no constants */
extern const rdx_kernel rdx_kernel_hash_place;

/* Building one by one, over hash_insert_args: keys, of u32 and of u64, which takes 64-bit atomics; then their rows.
 * Constant: KEY64. */
extern const rdx_kernel rdx_kernel_hash_insert[2];
extern const rdx_kernel rdx_kernel_hash_rows;

/* Lookups over hash_args, by 1, 2, 4, 8 and 16 cooperating lanes; constants: KEY64, RUNS, GATHER, VALUE. */
extern const rdx_kernel rdx_kernel_hash_lookup[5];

/* Constants: KEY64, RUNS. */
extern const rdx_kernel rdx_kernel_hash_visits;

#endif
