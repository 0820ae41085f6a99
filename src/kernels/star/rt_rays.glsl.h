/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_STAR_RT_RAYS_GLSL_H
#define RDX_KERNELS_STAR_RT_RAYS_GLSL_H

/* GLSL: what the stages of the RT cube's rays share. */

#include "kernels/star/rt_cube.h"
#include "kernels/star/star_sums.glsl.h"

layout(push_constant, scalar) uniform push {
  rt_rays_args a;
};

struct rt_ray {
  u32 cell; /* of the grid */
  rt_run run;
  u32 copy; /* of the accumulators */
  star_sum sum;
};

#endif
