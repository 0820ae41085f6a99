/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "device/vulkan/shaders/primitives.h"

/* One workgroup turns sums into their exclusive prefix sums, in place, and writes the total. */

layout(local_size_x = TILE_THREADS) in;
layout(push_constant, scalar) uniform push { spine_args a; };

#include "device/group_scan.glsl.h"

void main() {
  u64 carry = 0;
  for (u32 base = 0; base < a.n; base += TILE) {
    const u32 begin = base + GROUP_LANE * TILE_ITEMS;
    u64 values[TILE_ITEMS];
    u64 sum = 0;
    for (u32 j = 0; j < TILE_ITEMS; j++) {
      values[j] = begin + j < a.n ? AT(a.sums, begin + j) : 0ul;
      sum += values[j];
    }
    u64 total;
    u64 running = carry + group_exclusive_sum(sum, total);
    for (u32 j = 0; j < TILE_ITEMS && begin + j < a.n; j++) {
      AT(a.sums, begin + j) = running;
      running += values[j];
    }
    carry += total;
  }
  if (GROUP_LANE == 0)
    AT(a.total, 0) = carry;
}
