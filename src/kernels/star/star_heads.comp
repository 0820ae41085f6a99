/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/star/cube_build.h"

layout(local_size_x = 64) in;
layout(push_constant, scalar) uniform push { star_heads_args a; };

void main() {
  const u32 word = a.first + gl_GlobalInvocationID.x;
  if (gl_GlobalInvocationID.x < a.count)
    AT(a.bits, word) = star_heads(a.starts, a.starts_count, a.groups, a.group_bytes, a.rows, word);
}
