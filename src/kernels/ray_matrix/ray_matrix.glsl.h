/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_RAY_MATRIX_RAY_MATRIX_GLSL_H
#define RDX_KERNELS_RAY_MATRIX_RAY_MATRIX_GLSL_H

/* GLSL: what the stages of the rays share. */

#include "kernels/ray_matrix/ray_matrix.h"

layout(push_constant, scalar) uniform push {
  cubes_rays_args a;
};

/* The ray of this launch item. */
cubes_ray own_ray() {
  const u32 i = a.first + gl_LaunchIDEXT.x;
  cubes_region_ptr regions = CUBES_REGIONS(a.query, a.regions);
  const cubes_region region = AT(regions, cubes_region_of(regions, a.region_count, i));
  return cubes_ray_of(region, i - region.start, a.width, a.interval, a.ray_length, a.spacing);
}

#endif
