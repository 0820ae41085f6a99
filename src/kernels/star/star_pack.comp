/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/star/cube_build.h"

layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { star_pack_args a; };

void main() {
  if (gl_GlobalInvocationID.x < a.count)
    star_pack(a, a.first + gl_GlobalInvocationID.x);
}
