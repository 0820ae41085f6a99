/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_COLUMN_ENGINE_KERNELS_H
#define RDX_KERNELS_COLUMN_ENGINE_KERNELS_H

#include "device/device.h"
#include "kernels/column_engine/column_engine.h"

/* Kernels that add come as two: with 64-bit atomics, and without. */
extern const rdx_kernel rdx_kernel_engine_table;
extern const rdx_kernel rdx_kernel_engine_tile[2];
extern const rdx_kernel rdx_kernel_engine_select;
extern const rdx_kernel rdx_kernel_engine_number;
extern const rdx_kernel rdx_kernel_engine_runs[2];
extern const rdx_kernel rdx_kernel_engine_compact;

#endif
