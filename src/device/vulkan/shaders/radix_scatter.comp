/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require

// variants: KEYS_U32 KEYS_U64

#include "device/vulkan/shaders/radix.h"

/* Move the keys and values of a tile to their places, in order (stable): rank each key among those of its digit, sort
 * the tile in shared memory, then write runs of equal digits side by side. */

/* Keys of each digit seen by each subgroup, then those of the subgroups before it. */
shared u32 ranks[SUBGROUPS * RADIX];
shared u32 starts[RADIX];            /* where a digit starts in the sorted tile */
shared u32 targets[RADIX];           /* where it starts in the output, less starts[] (modulo 2^32) */
shared KEY stage[THREADS * ITEMS];

/* The number of keys with the same digit before this one in its subgroup's run of the tile. */
u32 rank_in_subgroup(u32 d) {
  uvec4 peers = subgroupBallot(true);
  [[unroll]] for (u32 b = 0; b < 8; b++) {
    const bool set = (d >> b & 1u) != 0;
    const uvec4 vote = subgroupBallot(set);
    peers &= set ? vote : ~vote;
  }
  const u32 lower = subgroupBallotExclusiveBitCount(peers);
  const u32 slot = gl_SubgroupID * RADIX + d;
  const u32 before = ranks[slot];
  subgroupMemoryBarrierShared();
  subgroupBarrier();
  if (lower == 0)
    ranks[slot] = before + subgroupBallotBitCount(peers);
  subgroupMemoryBarrierShared();
  subgroupBarrier();
  return before + lower;
}

/* Turn the counts of each subgroup into the counts of all subgroups before it; the sums over all go to starts[]. */
void sum_over_subgroups() {
  for (u32 d = gl_LocalInvocationIndex; d < RADIX; d += THREADS) {
    u32 sum = 0;
    for (u32 s = 0; s < SUBGROUPS; s++) {
      const u32 count = ranks[s * RADIX + d];
      ranks[s * RADIX + d] = sum;
      sum += count;
    }
    starts[d] = sum;
  }
}

/* One subgroup turns the sums in starts[] into exclusive prefix sums. */
void scan_starts() {
  if (gl_SubgroupID != 0)
    return;
  const u32 each = RADIX / gl_SubgroupSize;
  const u32 begin = gl_SubgroupInvocationID * each;
  u32 sum = 0;
  for (u32 d = begin; d < begin + each; d++)
    sum += starts[d];
  u32 running = subgroupExclusiveAdd(sum);
  for (u32 d = begin; d < begin + each; d++) {
    const u32 count = starts[d];
    starts[d] = running;
    running += count;
  }
}

void main() {
  const u32 tile = a.first + gl_WorkGroupID.x, lane = gl_LocalInvocationIndex;
  const u64 tile_begin = u64(tile) * (THREADS * ITEMS);
  const u32 valid = u32(min(u64(a.n) - tile_begin, u64(THREADS * ITEMS)));
  const u32 begin = gl_SubgroupID * gl_SubgroupSize * ITEMS + gl_SubgroupInvocationID;
  KEYS keys = KEYS(a.keys), keys_out = KEYS(a.keys_out);
  for (u32 d = lane; d < SUBGROUPS * RADIX; d += THREADS)
    ranks[d] = 0;

  KEY key[ITEMS];
  u32 place[ITEMS];
  [[unroll]] for (u32 j = 0; j < ITEMS; j++) {
    const u32 i = begin + j * gl_SubgroupSize;
    key[j] = i < valid ? AT(keys, u32(tile_begin) + i) : ~KEY(0);
  }
  barrier();
  /* Places after the end take the last digit; being last in the tile they come after all keys that have it too. */
  [[unroll]] for (u32 j = 0; j < ITEMS; j++)
    place[j] = rank_in_subgroup(begin + j * gl_SubgroupSize < valid ? digit(key[j]) : RADIX - 1);
  barrier();
  sum_over_subgroups();
  barrier();
  scan_starts();
  barrier();
  for (u32 d = lane; d < RADIX; d += THREADS)
    targets[d] = AT(a.counts, d * a.tiles + tile) - starts[d];
  [[unroll]] for (u32 j = 0; j < ITEMS; j++) {
    const u32 d = begin + j * gl_SubgroupSize < valid ? digit(key[j]) : RADIX - 1;
    place[j] += starts[d] + ranks[gl_SubgroupID * RADIX + d];
    stage[place[j]] = key[j];
  }
  barrier();
  u32 target[ITEMS];
  [[unroll]] for (u32 j = 0; j < ITEMS; j++) {
    const u32 i = lane + j * THREADS;
    if (i < valid) {
      const KEY k = stage[i];
      target[j] = targets[digit(k)] + i;
      AT(keys_out, target[j]) = k;
    }
  }
  if (IS_NULL(a.values))
    return;
  barrier();
  [[unroll]] for (u32 j = 0; j < ITEMS; j++) {
    const u32 i = begin + j * gl_SubgroupSize;
    stage[place[j]] = i < valid ? AT(a.values, u32(tile_begin) + i) : 0;
  }
  barrier();
  [[unroll]] for (u32 j = 0; j < ITEMS; j++) {
    const u32 i = lane + j * THREADS;
    if (i < valid)
      AT(a.values_out, target[j]) = u32(stage[i]);
  }
}
