/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "device/vulkan/shaders/primitives.h"

// variants: KEYS_U32 KEYS_U64

/* The sum, the maximum or the number of values that are not 0 of each tile, as u64. */

layout(constant_id = 0) const u32 OP = REDUCE_SUM;
layout(local_size_x = TILE_THREADS) in;
layout(push_constant, scalar) uniform push { reduce_args a; };

shared u64 lanes[TILE_THREADS];

u64 combine(u64 x, u64 y) {
  return OP == REDUCE_MAX ? max(x, y) : x + y;
}

void main() {
  const u32 tile = a.first + gl_WorkGroupID.x;
  const u32 lane = gl_LocalInvocationIndex;
  u64 value = 0;
  for (u32 j = 0; j < TILE_ITEMS; j++) {
    const u64 i = u64(tile) * TILE + j * TILE_THREADS + lane;
    if (i < a.n) {
#ifdef KEYS_U64
      const u64 next = AT(u64_ptr(a.source), u32(i));
#else
      const u64 next = AT(a.source, u32(i));
#endif
      value = combine(value, OP == REDUCE_NONZERO ? min(next, 1ul) : next);
    }
  }
  lanes[lane] = value;
  for (u32 step = TILE_THREADS / 2; step > 0; step /= 2) {
    barrier();
    if (lane < step)
      lanes[lane] = combine(lanes[lane], lanes[lane + step]);
  }
  if (lane == 0)
    AT(a.out_values, tile) = lanes[0];
}
