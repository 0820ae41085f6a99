/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "kernels/sorted_array/sorted_array.h"

/* One thread per lookup; or LANES threads of a subgroup, at most 32, search together for the probe of each of them in
 * turn: they cut what is left into LANES + 1 parts instead of two (Schlegel, Gemulla, Lehner, "k-ary search on modern
 * processors", DaMoN 2009). */

layout(constant_id = 0) const u32 KEY64 = 0;
layout(constant_id = 1) const u32 GATHER = GATHER_COUNT;
layout(constant_id = 2) const u32 VALUE = VALUE_U32;
layout(constant_id = 3) const u32 LANES = 1;
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { sorted_array_args a; };

#include "kernels/lookup/found.h"

/* The first place from `begin` on whose key is not below `key` (above 0), or is above it (above 1). */
u32 search(u32 begin, u64 key, bool above) {
  u32 n = a.n - begin;
  while (n > 0) {
    const u32 middle = n / 2;
    const u64 at = load_key(a.keys, begin + middle, KEY64);
    if (at < key || (above && at == key)) {
      begin += middle + 1;
      n -= middle + 1;
    } else {
      n = middle;
    }
  }
  return begin;
}

/* search() in the whole array, all threads of a subgroup together; those of a group look for the same key. */
u32 search_together(u64 key, bool above) {
  const u32 lane = gl_SubgroupInvocationID & (LANES - 1), base = gl_SubgroupInvocationID - lane;
  u32 begin = 0, n = a.n;
  while (subgroupAny(n > 0)) {
    const u32 step_size = n / (LANES + 1) + 1; /* a part and the key that ends it */
    const u64 last = u64(lane + 1) * step_size - 1;
    bool before = false;
    if (last < n) {
      const u64 at = load_key(a.keys, begin + u32(last), KEY64);
      before = at < key || (above && at == key);
    }
    const u32 votes = subgroupBallot(before)[base / 32] >> base % 32 & (0xffffffffu >> (32 - LANES));
    const u32 passed = bitCount(votes) * step_size;
    begin += passed;
    n = min(n - passed, step_size - 1);
  }
  return begin;
}

u64 key_of_lane(u64 key, u32 lane) {
  return KEY64 != 0 ? packUint2x32(subgroupShuffle(unpackUint2x32(key), lane)) : u64(subgroupShuffle(u32(key), lane));
}

/* The place of this thread's own key. All threads of a subgroup come here together. */
u32 search_own(u64 key, bool above) {
  if (LANES == 1)
    return search(0, key, above);
  const u32 base = gl_SubgroupInvocationID & ~(LANES - 1);
  u32 mine = 0;
  for (u32 q = 0; q < LANES; q++) {
    const u32 place = search_together(key_of_lane(key, base + q), above);
    mine = base + q == gl_SubgroupInvocationID ? place : mine;
  }
  return mine;
}

/* The end of the run of `key` that starts at `begin`: equal keys are few as a rule, so step before searching. */
u32 run_end(u32 begin, u64 key) {
  for (u32 k = 0; k < 4; k++, begin++)
    if (begin == a.n || load_key(a.keys, begin, KEY64) != key)
      return begin;
  return search(begin, key, true);
}

void main() {
  const bool inside = gl_GlobalInvocationID.x < a.count;
  if (LANES == 1 && !inside)
    return;
  const u32 i = a.first + (inside ? gl_GlobalInvocationID.x : 0);
  found f = FOUND_NONE;
  const u64 lower = load_key(a.lower, i, KEY64);
  const u64 upper = IS_NULL(a.upper) ? lower : load_key(a.upper, i, KEY64);
  const bool wanted = inside && lower <= upper && has_bit(a.valid, i);
  u32 begin = 0, end = 0;
  if (LANES > 1 || wanted) {
    begin = search_own(lower, false);
    if (!IS_NULL(a.upper))
      end = search_own(upper, true);
  }
  if (wanted) {
    if (IS_NULL(a.upper))
      end = run_end(begin, lower);
    if (!IS_NULL(a.upper)) { /* a span, whatever is gathered */
      f.count = end - begin;
      f.first = begin;
    } else if (GATHER == GATHER_COUNT && IS_NULL(a.out_first)) {
      f.count = end - begin;
    } else {
      const u32 to = GATHER == GATHER_ROWS ? u32(AT(a.offsets, i)) : 0;
      for (u32 k = begin; k < end; k++) {
        const u32 row = AT(a.rows, k);
        FOUND_ADD(f, row, to, GATHER, VALUE);
      }
    }
  }
  if (inside)
    FOUND_STORE(f, i, GATHER);
}
