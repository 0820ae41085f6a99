/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_INVERSE_KERNELS_H
#define RDX_KERNELS_INVERSE_KERNELS_H

#include "device/device.h"
#include "kernels/inverse/inverse.h"

/* Constants: KEY64, GATHER, VALUE. Answers of probes that equal no key are to be there before. */
extern const rdx_kernel rdx_kernel_inverse;

#endif
