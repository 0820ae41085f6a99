/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "device/vulkan/shaders/primitives.h"

// variants: BITS KEYS_U32 KEYS_U64

/* Keep some items and write them side by side: the positions of set bits, or the first key of each run of equal ones.
 * Each tile learns by a look-back how many are kept before it. */

layout(local_size_x = TILE_THREADS) in;
layout(push_constant, scalar) uniform push { compact_args a; };

#include "device/vulkan/shaders/look_back.glsl.h"

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

u64 count_in_tile(u32 tile) {
  u32 count = 0;
#ifdef BITS
  for (u32 i = 0; i < TILE / 32; i++) /* tiles before another are full */
    count += bitCount(AT(a.source, tile * (TILE / 32) + i));
#else
  for (u32 i = 0; i < TILE; i++)
    count += u32(kept(tile * TILE + i));
#endif
  return count;
}

void main() {
  const u32 tile = a.first + gl_WorkGroupID.x;
  const u32 begin = tile * TILE + GROUP_LANE * TILE_ITEMS, capacity = begin < a.n ? min(a.n - begin, TILE_ITEMS) : 0;
  u32 mask = 0;
  for (u32 j = 0; j < capacity; j++)
    mask |= u32(kept(begin + j)) << j;
  u64 total;
  const u64 inside = group_exclusive_sum(bitCount(mask), total), before = look_back(a.sums, tile, total, a.patience);
  if (a.n - tile * TILE <= TILE && GROUP_LANE == 0)
    AT(a.out_count, 0) = before + total;
#ifndef BITS
  if (IS_NULL(a.out_u64))
    return;
#endif
  for (u32 running = u32(before + inside); mask != 0; running++) {
    const u32 j = findLSB(mask);
    mask &= mask - 1;
#ifdef BITS
    AT(a.out_u32, running) = begin + j;
#else
    AT(a.out_u64, running) = key(begin + j);
#endif
  }
}
