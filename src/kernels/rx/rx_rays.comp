/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/rx/rx_count.h"

layout(constant_id = 0) const u32 KEY64 = 0;
layout(constant_id = 1) const u32 PERPENDICULAR = 0;
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { rx_rays_args a; };

void main() {
  const u32 i = a.first + gl_GlobalInvocationID.x;
  if (gl_GlobalInvocationID.x < a.count)
    AT(a.out_rays, i) = rx_rays_of(a, i, KEY64, PERPENDICULAR);
}
