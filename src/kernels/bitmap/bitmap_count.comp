/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/bitmap/bitmap.h"

/* A workgroup per tile. */

COMPUTE(bitmap_count_args, 256)

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
