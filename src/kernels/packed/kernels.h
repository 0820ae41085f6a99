/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_PACKED_KERNELS_H
#define RDX_KERNELS_PACKED_KERNELS_H

#include "device/device.h"
#include "kernels/packed/packed.h"

extern const rdx_kernel rdx_kernel_packed_pack;
extern const rdx_kernel rdx_kernel_packed_gather;
extern const rdx_kernel rdx_kernel_packed_joined;

#endif
