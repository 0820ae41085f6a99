/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_COLUMN_SCAN_KERNELS_H
#define RDX_KERNELS_COLUMN_SCAN_KERNELS_H

#include "device/device.h"
#include "kernels/column_scan/column_scan.h"

extern const rdx_kernel rdx_kernel_column_scan;
extern const rdx_kernel rdx_kernel_column_bounds;
extern const rdx_kernel rdx_kernel_column_pack;

#endif
