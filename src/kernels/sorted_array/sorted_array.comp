/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require

// variants: KEYS_U32 KEYS_U64

#include "kernels/sorted_array/sorted_array.h"

/* One thread per lookup; or LANES threads of a subgroup, at most 32, search together for the probe of each of them in
 * turn: they cut what is left into LANES + 1 parts instead of two (Schlegel, Gemulla, Lehner, "k-ary search on modern
 * processors", DaMoN 2009). */

#ifdef KEYS_U64
#define KEY u64
#define KEY64 1u
#define AS_KEYS(p) AS_U64_PTR(p)
#else
#define KEY u32
#define KEY64 0u
#define AS_KEYS(p) (p)
#endif

#define SECTOR (KEY64 != 0 ? 4u : 8u) /* keys that memory gives in one go */
#define THREADS 256
#define ITEMS 2048 /* of a workgroup */

layout(constant_id = 1) const u32 GATHER = GATHER_COUNT;
layout(constant_id = 2) const u32 VALUE = VALUE_U32;
layout(constant_id = 3) const u32 LANES = 1;
layout(local_size_x = THREADS) in;
layout(push_constant, scalar) uniform push { sorted_array_args a; };

#include "kernels/lookup/found.h"
#include "kernels/lookup/ascending.glsl.h"

shared KEY top[SORTED_ARRAY_TOP];

KEY load(PTR(u32) keys, u32 i) {
  return AT(AS_KEYS(keys), i);
}

/* Whether a key is below `key` (above 0), or not above it (above 1). */
bool is_before(KEY at, KEY key, bool above) {
  return at < key || (above && at == key);
}

u32 parts() {
  return (a.n + a.stride - 1) / a.stride;
}

/* The first part of the array whose last key is not before `key`; parts() where there is none. */
u32 search_top(KEY key, bool above) {
  u32 begin = 0, end = parts();
  while (begin < end) {
    const u32 middle = (begin + end) / 2;
    if (is_before(top[middle], key, above))
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

/* The first of `n` places from `begin` on whose key is not before `key`; begin + n where there is none. Places looked
 * at end a sector of memory as long as there are many, so that the last few are where the search has been. */
u32 search_keys(u32 begin, u32 n, KEY key, bool above) {
  u32 end = begin + n;
  while (begin < end) {
    u32 middle = begin + (end - begin) / 2;
    if (end - begin > 2 * SECTOR)
      middle |= SECTOR - 1;
    if (is_before(load(a.keys, middle), key, above))
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

u32 search(KEY key, bool above) {
  if (IS_NULL(a.top))
    return search_keys(0, a.n, key, above);
  const u32 part = search_top(key, above), begin = part * a.stride;
  return part == parts() ? a.n : search_keys(begin, min(a.stride, a.n - begin) - 1, key, above);
}

/* The same, all threads of a subgroup together; those of a group look for the same key. */
u32 search_together(KEY key, bool above) {
  const u32 lane = gl_SubgroupInvocationID & (LANES - 1), base = gl_SubgroupInvocationID - lane;
  u32 begin = 0, n = a.n;
  while (subgroupAny(n > 0)) {
    const u32 step_size = n / (LANES + 1) + 1; /* a part and the key that ends it */
    const u64 last = u64(lane + 1) * step_size - 1;
    const bool before = last < n && is_before(load(a.keys, begin + u32(last)), key, above);
    const u32 votes = subgroupBallot(before)[base / 32] >> base % 32 & (0xffffffffu >> (32 - LANES));
    const u32 passed = bitCount(votes) * step_size;
    begin += passed;
    n = min(n - passed, step_size - 1);
  }
  return begin;
}

/* The same for a whole subgroup, in the top and then in a part. */
u32 search_as_one(KEY key) {
  u32 begin = 0, n = parts();
  while (n > 0) {
    const u32 stride = n / (gl_SubgroupSize + 1) + 1, last = (gl_SubgroupInvocationID + 1) * stride - 1;
    const u32 passed = subgroupBallotBitCount(subgroupBallot(last < n && top[begin + last] < key)) * stride;
    begin += passed;
    n = min(n - passed, stride - 1);
  }
  begin *= a.stride;
  n = begin < a.n ? min(a.stride, a.n - begin) - 1 : 0;
  while (n > 0) {
    const u32 stride = n / (gl_SubgroupSize + 1) + 1, last = (gl_SubgroupInvocationID + 1) * stride - 1;
    const u32 passed =
        subgroupBallotBitCount(subgroupBallot(last < n && load(a.keys, begin + last) < key)) * stride;
    begin += passed;
    n = min(n - passed, stride - 1);
  }
  return min(begin, a.n);
}

#define WINDOWS 4 /* so many in a row, then each thread searches by itself */

/* The places of probes in ascending order: search for the first, then read keys in order, one a thread, where each
 * thread finds its own, as a merge does. False where that does not find them all. */
bool search_windows(KEY wanted, out u32 place) {
  bool pending = true;
  place = 0;
  if (IS_NULL(a.top) || !is_ascending(wanted))
    return false;
  u32 begin = search_as_one(key_of_lane(wanted, 0));
  for (u32 k = 0; k < WINDOWS; k++, begin += gl_SubgroupSize) {
    const u32 entry = begin + gl_SubgroupInvocationID;
    const KEY held = entry < a.n ? load(a.keys, entry) : KEY(~0ul);
    const u32 rank = rank_in_window(held, wanted);
    if (pending && (rank < gl_SubgroupSize || begin + rank >= a.n)) {
      place = min(begin + rank, a.n);
      pending = false;
    }
    if (!subgroupAny(pending))
      return true;
  }
  return false;
}

/* The place of this thread's own key. All threads of a subgroup come here together. */
u32 search_own(KEY key, bool above) {
  u32 place;
  if (LANES == 1)
    return !above && search_windows(key, place) ? place : search(key, above);
  const u32 base = gl_SubgroupInvocationID & ~(LANES - 1);
  u32 mine = 0;
  for (u32 q = 0; q < LANES; q++) {
    const u32 place = search_together(key_of_lane(key, base + q), above);
    mine = base + q == gl_SubgroupInvocationID ? place : mine;
  }
  return mine;
}

/* The end of the run of `key` that starts at `begin`: equal keys are few as a rule, so step before searching. */
u32 run_end(u32 begin, KEY key) {
  for (u32 k = 0; k < 4; k++, begin++)
    if (begin == a.n || load(a.keys, begin) != key)
      return begin;
  return search_keys(begin, a.n - begin, key, true);
}

/* The rows of a point, which begin at `begin`. */
void collect(u32 i, u32 begin, KEY key, inout found f) {
  const u32 end = run_end(begin, key);
  if (GATHER == GATHER_COUNT && IS_NULL(a.out_first)) {
    f.count = end - begin;
    return;
  }
  const u32 to = GATHER == GATHER_ROWS ? u32(AT(a.offsets, i)) : 0;
  for (u32 k = begin; k < end; k++) {
    const u32 row = AT(a.rows, k);
    FOUND_ADD(f, row, to, GATHER, VALUE);
  }
}

void look_up(u32 i, bool inside, inout found f) {
  const KEY lower = load(a.lower, i), upper = IS_NULL(a.upper) ? lower : load(a.upper, i);
  const bool wanted = inside && lower <= upper && has_bit(a.valid, i);
  const u32 begin = search_own(lower, false);
  if (!IS_NULL(a.upper)) { /* a span, whatever is gathered */
    const u32 end = search_own(upper, true);
    f.first = begin;
    f.count = wanted ? end - begin : 0;
  } else if (wanted) {
    collect(i, begin, lower, f);
  }
}

void main() {
  if (!IS_NULL(a.top)) {
    for (u32 k = gl_LocalInvocationIndex; k < parts(); k += THREADS)
      top[k] = load(a.top, k);
    barrier();
  }
  const u32 group = gl_WorkGroupID.x * ITEMS;
  [[dont_unroll]] for (u32 step = 0; step < ITEMS && group + step < a.count; step += THREADS) {
    const u32 item = group + step + gl_LocalInvocationIndex;
    const bool inside = item < a.count;
    const u32 i = a.first + (inside ? item : 0);
    found f = FOUND_NONE;
    look_up(i, inside, f);
    if (inside)
      FOUND_STORE(f, i, GATHER);
  }
}
