/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/bitmap/bitmap.h"

/* A workgroup per tile. */

layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { bitmap_count_args a; };

shared u32 sum;

void main() {
  const u32 lane = gl_LocalInvocationIndex;
  const u32 begin = (a.first + gl_WorkGroupID.x) * BITMAP_TILE;
  if (lane == 0)
    sum = 0;
  barrier();
  u32 bits = 0;
  for (u32 k = lane; k < BITMAP_TILE; k += 256)
    if (begin + k < a.n)
      bits += bitCount(AT(a.words, begin + k));
  atomicAdd(sum, bits);
  barrier();
  if (lane == 0)
    atomicAdd(AT(a.total, 0), sum);
}
