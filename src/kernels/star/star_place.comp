/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/star/cube_build.h"

layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { star_place_args a; };

void main() {
  const u32 i = a.first + gl_GlobalInvocationID.x;
  if (gl_GlobalInvocationID.x < a.count)
    AT(a.out_places, IS_NULL(a.order) ? i : AT(a.order, i)) = star_find(a.starts, a.starts_count, i);
}
