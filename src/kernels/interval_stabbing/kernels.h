/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_INTERVAL_STABBING_KERNELS_H
#define RDX_KERNELS_INTERVAL_STABBING_KERNELS_H

#include "device/device.h"
#include "kernels/interval_stabbing/interval_stabbing.h"

extern const rdx_kernel rdx_kernel_interval_stabbing_usable; /* constants: KEY64 */
extern const rdx_kernel rdx_kernel_interval_stabbing_level;  /* constants: KEY64 */
extern const rdx_kernel rdx_kernel_interval_stabbing;        /* constants: KEY64, GATHER */

#endif
