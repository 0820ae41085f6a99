/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require

// variants: KEYS_U32 KEYS_U64

#include "device/vulkan/shaders/radix.h"

layout(push_constant, scalar) uniform push { radix_args a; };

/* Move the keys and values of a tile to their places, in order (stable): rank each key among those of its digit, sort
 * the tile in shared memory, then write runs of equal digits side by side.
 *
 * Where a digit's keys of a tile begin is known by a chained scan over the tiles for each digit (Adinets and Merrill,
 * 2022): see tile_status.glsl.h. The state of a word stands there as a step after that in which the pass before left
 * all words: a sum. */

#include "device/vulkan/shaders/tile_status.glsl.h"

u32 state_of(u64 word) {
  const u32 before = (a.shift / RADIX_BITS & 1u) * TILE_PREFIX;
  return u32(word >> TILE_VALUE_BITS) ^ before;
}

u64 publish(u32 state, u32 value) {
  const u32 before = (a.shift / RADIX_BITS & 1u) * TILE_PREFIX;
  return u64(state ^ before) << TILE_VALUE_BITS | value;
}

layout(constant_id = 3) const u32 WORDS = 4096; /* of shared memory: as many as keys have, or ranks */

#define WINDOW 4 /* tiles whose counts are fetched together */

/* First ranks, [SUBGROUPS][RADIX]: keys of each digit seen by each subgroup, then those of the subgroups before it.
 * Then the tile's keys in order, the high words of all after the low ones. Then its values. */
shared u32 words[WORDS];
shared u32 starts[RADIX];  /* where a digit starts in the sorted tile */
shared u32 targets[RADIX]; /* where it starts in the output, less starts[] (modulo 2^32) */

void set_key(u32 i, KEY key) {
  words[i] = u32(key);
#ifdef KEYS_U64
  words[THREADS * ITEMS + i] = u32(key >> 32);
#endif
}

KEY key_at(u32 i) {
#ifdef KEYS_U64
  return u64(words[THREADS * ITEMS + i]) << 32 | words[i];
#else
  return words[i];
#endif
}

u32 digit_of(KEY key) {
  return digit(key, a.shift);
}

/* The number of keys with the same digit before this one in its subgroup's run of the tile. */
u32 rank_in_subgroup(u32 d) {
  uvec4 peers = subgroupBallot(true);
  [[unroll]] for (u32 b = 0; b < RADIX_BITS; b++) {
    const bool set = (d >> b & 1u) != 0;
    const uvec4 vote = subgroupBallot(set);
    peers &= set ? vote : ~vote;
  }
  const u32 lower = subgroupBallotExclusiveBitCount(peers);
  const u32 slot = gl_SubgroupID * RADIX + d;
  const u32 before = words[slot];
  subgroupMemoryBarrierShared();
  subgroupBarrier();
  if (lower == 0)
    words[slot] = before + subgroupBallotBitCount(peers);
  subgroupMemoryBarrierShared();
  subgroupBarrier();
  return before + lower;
}

/* Turn the counts of each subgroup into the counts of all subgroups before it; the sums over all go to starts[], and to
 * other tiles. */
void sum_over_subgroups(u32 tile) {
  for (u32 d = gl_LocalInvocationIndex; d < RADIX; d += THREADS) {
    u32 sum = 0;
    for (u32 s = 0; s < SUBGROUPS; s++) {
      const u32 count = words[s * RADIX + d];
      words[s * RADIX + d] = sum;
      sum += count;
    }
    starts[d] = sum;
    tile_status_ptr(u64(a.sums)).v[tile * RADIX + d] = publish(TILE_AGGREGATE, sum);
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

u32 count_in_tile(u32 tile, u32 d) {
  KEYS keys = KEYS(a.keys);
  u32 count = 0;
  for (u32 i = 0; i < THREADS * ITEMS; i++) /* tiles before another are full */
    count += u32(digit_of(AT(keys, tile * (THREADS * ITEMS) + i)) == d);
  return count;
}

/* The keys of a digit in all tiles before one. */
u32 sum_before(u32 tile, u32 d) {
  tile_status_ptr status = tile_status_ptr(u64(a.sums));
  u32 sum = 0;
  for (; tile > 0; tile -= min(tile, WINDOW)) {
    u64 fetched[WINDOW];
    [[unroll]] for (u32 k = 0; k < WINDOW; k++)
      fetched[k] = tile > k ? status.v[(tile - 1 - k) * RADIX + d] : publish(TILE_PREFIX, 0);
    [[unroll]] for (u32 k = 0; k < WINDOW; k++) {
      u64 word = fetched[k];
      for (u32 wait = 0; state_of(word) == 0 && wait < a.patience; wait++)
        word = status.v[(tile - 1 - k) * RADIX + d];
      sum += state_of(word) == 0 ? count_in_tile(tile - 1 - k, d) : u32(word);
      if (state_of(word) == TILE_PREFIX)
        return sum;
    }
  }
  return sum;
}

void find_targets(u32 tile) {
  for (u32 d = gl_LocalInvocationIndex; d < RADIX; d += THREADS) {
    const u32 before = sum_before(tile, d), end = d + 1 < RADIX ? starts[d + 1] : THREADS * ITEMS;
    tile_status_ptr(u64(a.sums)).v[tile * RADIX + d] = publish(TILE_PREFIX, before + end - starts[d]);
    targets[d] = AT(a.bins, d) + before - starts[d];
  }
}

void main() {
  const u32 tile = a.first + gl_WorkGroupID.x, lane = gl_LocalInvocationIndex;
  const u32 tile_begin = tile * (THREADS * ITEMS), valid = min(a.n - tile_begin, THREADS * ITEMS);
  const u32 begin = gl_SubgroupID * gl_SubgroupSize * ITEMS + gl_SubgroupInvocationID;
  KEYS keys = KEYS(a.keys), keys_out = KEYS(a.keys_out);
  for (u32 d = lane; d < SUBGROUPS * RADIX; d += THREADS)
    words[d] = 0;

  KEY key[ITEMS];
  u32 place[ITEMS];
  [[unroll]] for (u32 j = 0; j < ITEMS; j++) {
    const u32 i = begin + j * gl_SubgroupSize;
    key[j] = i < valid ? AT(keys, tile_begin + i) : ~KEY(0);
  }
  barrier();
  /* Places after the end take the last digit; being last in the tile they come after all keys that have it too. */
  [[unroll]] for (u32 j = 0; j < ITEMS; j++)
    place[j] = rank_in_subgroup(begin + j * gl_SubgroupSize < valid ? digit_of(key[j]) : RADIX - 1);
  barrier();
  sum_over_subgroups(tile);
  barrier();
  scan_starts();
  barrier();
  [[unroll]] for (u32 j = 0; j < ITEMS; j++) {
    const u32 d = begin + j * gl_SubgroupSize < valid ? digit_of(key[j]) : RADIX - 1;
    place[j] += starts[d] + words[gl_SubgroupID * RADIX + d];
  }
  barrier();
  [[unroll]] for (u32 j = 0; j < ITEMS; j++)
    set_key(place[j], key[j]);
  find_targets(tile);
  barrier();
  u32 target[ITEMS];
  [[unroll]] for (u32 j = 0; j < ITEMS; j++) {
    const u32 i = lane + j * THREADS;
    if (i < valid) {
      const KEY k = key_at(i);
      target[j] = targets[digit_of(k)] + i;
      AT(keys_out, target[j]) = k;
    }
  }
  if (IS_NULL(a.values))
    return;
  barrier();
  [[unroll]] for (u32 j = 0; j < ITEMS; j++) {
    const u32 i = begin + j * gl_SubgroupSize;
    words[place[j]] = i < valid ? AT(a.values, tile_begin + i) : 0;
  }
  barrier();
  [[unroll]] for (u32 j = 0; j < ITEMS; j++) {
    const u32 i = lane + j * THREADS;
    if (i < valid)
      AT(a.values_out, target[j]) = words[i];
  }
}
