/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
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

#define BLOCK (KEY64 != 0 ? 8u : 16u) /* keys that memory gives in one go */
#define PARTS 4                       /* of a block: 16 bytes each */
#define GUESS 256                     /* where no more keys are left, a search guesses */
#define THREADS 256
#define ITEMS 2048 /* of a workgroup */

layout(constant_id = 1) const u32 GATHER = GATHER_COUNT;
layout(constant_id = 2) const u32 VALUE = VALUE_U32;
layout(constant_id = 3) const u32 LANES = 1;
COMPUTE(sorted_array_args, THREADS)

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

/* The first part of the array whose last key is not before `key`. */
DEFINE_BOUND(search_top, (u32 begin, u32 end, KEY key, bool above), is_before(top[middle], key, above))

/* How many keys of the block that begins with place `first` are before `key`. It may be the last, and not full. */
u32 rank_in_block(u32 first, KEY key, bool above) {
  u32 rank = 0;
  if (a.n - first < BLOCK) {
    while (rank < a.n - first && is_before(load(a.keys, first + rank), key, above))
      rank++;
    return rank;
  }
  [[unroll]] for (u32 k = 0; k < PARTS; k++) {
    const uvec4 part = AT(uvec4_ptr(u64(a.keys)), first / (BLOCK / PARTS) + k);
#ifdef KEYS_U64
    rank += u32(is_before(packUint2x32(part.xy), key, above)) + u32(is_before(packUint2x32(part.zw), key, above));
#else
    rank += u32(is_before(part.x, key, above)) + u32(is_before(part.y, key, above));
    rank += u32(is_before(part.z, key, above)) + u32(is_before(part.w, key, above));
#endif
  }
  return rank;
}

/* The first of `n` places from `begin` on whose key is not before `key`; begin + n where there is none. No key in front
 * of them is above `low`, none behind them below `high`, and `key` is neither; the closer these are, the better.
 *
 * As long as many are left, by halves: all searches look at the same few places, which caches hold. Of the places that
 * come next there are more than they hold, so guess where the key is if keys are spread evenly between the two ends
 * (interpolation search: Peterson 1957; Perl, Itai, Avni 1978), once; a wrong guess is mostly not far off, so look
 * beside it. Where keys are spread in another way, the rest is found by halves, block by block. */
u32 search_keys(u32 begin, u32 n, KEY low, KEY high, KEY key, bool above) {
  u32 end = begin + n;
  while (end - begin > GUESS) {
    const u32 middle = begin + (end - begin) / 2 | BLOCK - 1;
    const KEY at = load(a.keys, middle);
    const bool before = is_before(at, key, above);
    begin = before ? middle + 1 : begin;
    end = before ? end : middle;
    low = before ? at : low;
    high = before ? high : at;
  }
  const f32 share = f32(key - low) / max(f32(high - low), 1.0);
  u32 next = min(begin + u32(share * f32(end - begin)), end - 1);
  for (u32 reads = 0; begin < end; reads++) {
    const u32 block = next & ~(BLOCK - 1), rank = rank_in_block(block, key, above);
    begin = rank == 0 ? begin : block + rank;
    end = rank == BLOCK ? end : block + rank;
    next = reads > 0 ? begin + (end - begin) / 2 : rank == 0 ? end - 1 : begin;
  }
  return begin;
}

u32 search(KEY key, bool above) {
  if (IS_NULL(a.top))
    return search_keys(0, a.n, KEY(0), KEY(~0ul), key, above);
  const u32 part = search_top(0, parts(), key, above), begin = part * a.stride;
  if (part == parts())
    return a.n;
  const u32 n = min(a.stride, a.n - begin) - 1;
  return search_keys(begin, n, part > 0 ? top[part - 1] : KEY(0), top[part], key, above);
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
  return search_keys(begin, a.n - begin, key, KEY(~0ul), key, true);
}

/* The rows of a point, which begin at `begin`; they ascend. */
void collect(u32 i, u32 begin, KEY key, inout findings f) {
  if (GATHER == GATHER_ANY) {
    f.count = begin < a.n && load(a.keys, begin) == key ? 1 : 0;
    return;
  }
  if (GATHER == GATHER_COUNT) {
    if (!IS_NULL(a.io.out_first) && begin < a.n && load(a.keys, begin) == key)
      f.first = AT(a.rows, begin);
    if (!IS_NULL(a.io.out_count))
      f.count = run_end(begin, key) - begin;
    return;
  }
  const u32 end = run_end(begin, key);
  const u32 to = GATHER == GATHER_ROWS ? u32(AT(a.io.offsets, i)) : 0;
  for (u32 k = begin; k < end; k++) {
    const u32 row = AT(a.rows, k);
    f = found_add(f, a.io, row, to, GATHER, VALUE);
  }
}

void look_up(u32 i, bool inside, inout findings f) {
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
    findings f = FOUND_NONE;
    look_up(i, inside, f);
    if (inside)
      found_store(f, a.io, i, GATHER);
  }
}
