/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_CHANGES_KERNELS_H
#define RDX_KERNELS_CHANGES_KERNELS_H

#include "device/device.h"
#include "kernels/changes/changes.h"

/* Over changes_gather_args; constant: KEY64. */
extern const rdx_kernel rdx_kernel_changes_gather;
/* Over changes_pair_args; constant: KEY64. */
extern const rdx_kernel rdx_kernel_changes_pair;

#endif
