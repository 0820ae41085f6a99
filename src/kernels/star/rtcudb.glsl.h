/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_STAR_RTCUDB_GLSL_H
#define RDX_KERNELS_STAR_RTCUDB_GLSL_H

/* GLSL: what the stages of RTCUDB's rays share. */

#include "kernels/star/rtcudb.h"
#include "kernels/star/star_sums.glsl.h"

layout(push_constant, scalar) uniform push {
  rtcudb_rays_args a;
};

struct rtcudb_ray {
  u32 low; /* of z: the interval */
  u32 codes;
  u32 copy; /* of the accumulators */
};

#endif
