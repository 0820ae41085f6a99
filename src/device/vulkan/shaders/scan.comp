/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "device/vulkan/shaders/primitives.h"

/* Exclusive scan of u32: sum each tile, then, when spine.comp has scanned the sums, write the results. */

layout(constant_id = 0) const u32 WRITE = 0;
layout(local_size_x = TILE_THREADS) in;
layout(push_constant, scalar) uniform push { scan_args a; };

#include "device/group_scan.glsl.h"

void main() {
  const u32 tile = a.first + gl_WorkGroupID.x;
  const u64 begin = u64(tile) * TILE + gl_LocalInvocationIndex * TILE_ITEMS;
  u32 values[TILE_ITEMS];
  u64 sum = 0;
  for (u32 j = 0; j < TILE_ITEMS; j++) {
    values[j] = begin + j < a.n ? AT(a.source, u32(begin + j)) : 0;
    sum += values[j];
  }
  u64 total;
  u64 running = group_exclusive_sum(sum, total);
  if (WRITE == 0) {
    if (gl_LocalInvocationIndex == 0)
      AT(a.sums, tile) = total;
    return;
  }
  running += AT(a.sums, tile);
  for (u32 j = 0; j < TILE_ITEMS && begin + j < a.n; j++) {
    if (IS_NULL(a.out_u64))
      AT(a.out_u32, u32(begin + j)) = u32(running);
    else
      AT(a.out_u64, u32(begin + j)) = running;
    running += values[j];
  }
}
