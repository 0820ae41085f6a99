/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_RTC1_KERNELS_H
#define RDX_KERNELS_RTC1_KERNELS_H

#include "device/device.h"
#include "kernels/rtc1/rtc1.h"

/* Over the args of the same names. */
extern const rdx_kernel rdx_kernel_rtc1_encode;
extern const rdx_kernel rdx_kernel_rtc1_rays;

#endif
