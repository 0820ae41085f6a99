/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require

// variants: KEYS_U32 KEYS_U64

#include "device/vulkan/shaders/radix.h"

/* How often each digit stands in each tile. */

shared u32 counts[RADIX];

void main() {
  const u32 tile = a.first + gl_WorkGroupID.x, lane = gl_LocalInvocationIndex;
  for (u32 d = lane; d < RADIX; d += THREADS)
    counts[d] = 0;
  barrier();
  KEYS keys = KEYS(a.keys);
  for (u32 j = 0; j < ITEMS; j++) {
    const u64 i = (u64(tile) * ITEMS + j) * THREADS + lane;
    if (i < a.n) {
      const u32 d = digit(AT(keys, u32(i)));
      /* Runs of one digit are common in the high digits and would queue up on one counter. */
      if (subgroupAllEqual(d)) {
        const u32 n = subgroupBallotBitCount(subgroupBallot(true));
        if (subgroupElect())
          atomicAdd(counts[d], n);
      } else {
        atomicAdd(counts[d], 1);
      }
    }
  }
  barrier();
  for (u32 d = lane; d < RADIX; d += THREADS)
    AT(a.counts, d * a.tiles + tile) = counts[d];
}
