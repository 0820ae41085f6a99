/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_RAY_MATRIX_RAY_MATRIX_GLSL_H
#define RDX_KERNELS_RAY_MATRIX_RAY_MATRIX_GLSL_H

/* GLSL: what the stages of the rays share. */

#include "kernels/ray_matrix/ray_matrix.h"

layout(push_constant, scalar) uniform push {
  ray_matrix_rays_args a;
};

/* The ray of this launch item. */
ray_matrix_ray own_ray() {
  const u32 i = a.first + gl_LaunchIDEXT.x;
  ray_matrix_region_ptr regions = RAY_MATRIX_REGIONS(a.query, a.regions);
  const ray_matrix_region region = AT(regions, ray_matrix_region_of(regions, a.region_count, i));
  return ray_matrix_ray_of(region, i - region.start, a.width, a.interval, a.ray_length, a.spacing);
}

#endif
