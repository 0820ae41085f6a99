/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_STAR_COARSE_GLSL_H
#define RDX_KERNELS_STAR_COARSE_GLSL_H

/* GLSL: what the stages of the coarse cube's rays share. */

#include "kernels/star/coarse_cube.h"

layout(push_constant, scalar) uniform push {
  coarse_args a;
};

#endif
