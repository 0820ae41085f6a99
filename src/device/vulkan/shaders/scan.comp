/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#extension GL_EXT_control_flow_attributes : require
#include "device/vulkan/shaders/primitives.h"

/* Exclusive scan of u32: each tile scans its own, and learns by a look-back what is before it. */

layout(local_size_x = TILE_THREADS) in;
layout(push_constant, scalar) uniform push { scan_args a; };

#include "device/vulkan/shaders/look_back.glsl.h"

DEVICE_ARRAY(u64vec2, 16)

/* A thread's items lie side by side: memory takes four at once best. */
u64 count_in_tile(u32 tile) {
  u64 count = 0;
  for (u32 i = 0; i < TILE; i++) /* tiles before another are full */
    count += AT(a.source, tile * TILE + i);
  return count;
}

void main() {
  const u32 tile = a.first + gl_WorkGroupID.x;
  const u32 begin = tile * TILE + GROUP_LANE * TILE_ITEMS, capacity = begin < a.n ? min(a.n - begin, TILE_ITEMS) : 0;
  u32 values[TILE_ITEMS];
  u64 sum = 0, total;
  [[unroll]] for (u32 j = 0; j < TILE_ITEMS; j += 4) {
    uvec4 four = uvec4(0);
    if (j + 4 <= capacity) {
      four = AT(uvec4_ptr(u64(a.source)), (begin + j) / 4);
    } else {
      for (u32 k = j; k < capacity; k++)
        four[k - j] = AT(a.source, begin + k);
    }
    [[unroll]] for (u32 k = 0; k < 4; k++)
      values[j + k] = four[k];
  }
  [[unroll]] for (u32 j = 0; j < TILE_ITEMS; j++)
    sum += values[j];
  u64 running = group_exclusive_sum(sum, total);
  const u64 before = look_back(a.sums, tile, total, a.patience);
  running += before;
  [[unroll]] for (u32 j = 0; j < TILE_ITEMS; j += 2) {
    const u64 next = running + values[j];
    if (j + 2 <= capacity)
      AT(u64vec2_ptr(u64(a.results)), (begin + j) / 2) = u64vec2(running, next);
    else if (j < capacity)
      AT(a.results, begin + j) = running;
    running = next + values[j + 1];
  }
  if (a.n - tile * TILE <= TILE && GROUP_LANE == 0)
    AT(a.results, a.n) = before + total;
}
