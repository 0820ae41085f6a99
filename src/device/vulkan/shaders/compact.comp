/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "device/vulkan/shaders/primitives.h"

// variants: BITS KEYS_U32 KEYS_U64

/* Keep some items and write them side by side: the positions of set bits, or the first key of each run of equal ones.
 * As in scan.comp, one launch counts per tile and, after spine.comp, a second one writes. */

layout(constant_id = 0) const u32 WRITE = 0;
layout(local_size_x = TILE_THREADS) in;
layout(push_constant, scalar) uniform push { compact_args a; };

#include "device/group_scan.glsl.h"

#ifdef KEYS_U64
u64 key(u32 i) {
  return AT(u64_ptr(a.source), i) >> a.shift;
}
#endif
#ifdef KEYS_U32
u64 key(u32 i) {
  return AT(a.source, i) >> a.shift;
}
#endif

bool kept(u32 i) {
#ifdef BITS
  return (AT(a.source, i / 32) >> (i % 32) & 1u) != 0;
#else
  return i == 0 || key(i) != key(i - 1);
#endif
}

void main() {
  const u32 tile = a.first + gl_WorkGroupID.x;
  const u64 begin = u64(tile) * TILE + gl_LocalInvocationIndex * TILE_ITEMS;
  u32 mask = 0;
  for (u32 j = 0; j < TILE_ITEMS; j++)
    if (begin + j < a.n && kept(u32(begin + j)))
      mask |= 1u << j;
  u64 total;
  u64 running = group_exclusive_sum(bitCount(mask), total);
  if (WRITE == 0) {
    if (gl_LocalInvocationIndex == 0)
      AT(a.sums, tile) = total;
    return;
  }
  running += AT(a.sums, tile);
  for (u32 j = 0; j < TILE_ITEMS; j++) {
    if ((mask >> j & 1u) == 0)
      continue;
#ifdef BITS
    AT(a.out_u32, u32(running)) = u32(begin) + j;
#else
    AT(a.out_u64, u32(running)) = key(u32(begin) + j);
#endif
    running++;
  }
}
