/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/star/star_build.h"

layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { star_key_args a; };

void main() {
  const u32 i = gl_GlobalInvocationID.x;
  if (i < a.count)
    STAR_KEY(a, a.first + i);
}
