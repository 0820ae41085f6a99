/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require

// variants: KEYS_U32 KEYS_U64

#include "device/vulkan/shaders/radix.h"

layout(push_constant, scalar) uniform push { radix_count_args a; };

/* How often each digit of each pass stands in all keys. A workgroup takes every `groups`-th tile. */

shared u32 counts[RADIX_MAX_PASSES * RADIX];

void count_digit(u32 pass, u32 d) {
  /* Runs of one digit are common in the high digits and would queue up on one counter. */
  if (subgroupAllEqual(d)) {
    const u32 n = subgroupBallotBitCount(subgroupBallot(true));
    if (subgroupElect())
      atomicAdd(counts[pass * RADIX + d], n);
  } else {
    atomicAdd(counts[pass * RADIX + d], 1);
  }
}

void main() {
  const u32 lane = gl_LocalInvocationIndex;
  for (u32 c = lane; c < a.passes * RADIX; c += THREADS)
    counts[c] = 0;
  barrier();
  KEYS keys = KEYS(a.keys);
  for (u32 tile = a.first + gl_WorkGroupID.x; tile < a.tiles; tile += a.groups) {
    for (u32 j = 0; j < ITEMS; j++) {
      const u64 i = (u64(tile) * ITEMS + j) * THREADS + lane;
      if (i < a.n) {
        const KEY key = AT(keys, u32(i));
        for (u32 pass = 0; pass < a.passes; pass++)
          count_digit(pass, digit(key, pass * RADIX_BITS));
      }
    }
  }
  barrier();
  for (u32 c = lane; c < a.passes * RADIX; c += THREADS)
    if (counts[c] > 0)
      atomicAdd(AT(a.bins, c), counts[c]);
}
