/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#extension GL_EXT_control_flow_attributes : require
#include "kernels/hash/table.glsl.h"

// variants: LANES_1 LANES_2 LANES_4 LANES_8 LANES_16

/* Cooperative probing (WarpCore, section III): every invocation has a probe of its own, and groups of LANES neighbours
 * of a subgroup look into the buckets of their probes together, one after the other, each lane reading its share of a
 * bucket's line. The loads of all of them are under way before the first is looked at. */

#if defined LANES_16
#define LANES 16
#elif defined LANES_8
#define LANES 8
#elif defined LANES_4
#define LANES 4
#elif defined LANES_2
#define LANES 2
#else
#define LANES 1
#endif

#if LANES > 1
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_shuffle : require
#endif

#define WORDS (BUCKET_WORDS / LANES) /* of a bucket, that a lane reads */
#define DONE 0xffffffffu             /* in place of a bucket: the search has ended */

layout(constant_id = 0) const u32 KEY64 = 0;
layout(constant_id = 1) const u32 RUNS = 0;
layout(constant_id = 2) const u32 GATHER = GATHER_COUNT;
layout(constant_id = 3) const u32 VALUE = VALUE_U32;
COMPUTE(hash_args, 256)

#include "kernels/lookup/found.h"

#if LANES > 1
#define LANE (gl_SubgroupInvocationID % LANES)
#define FROM(value, lane) subgroupShuffle(value, gl_SubgroupInvocationID - LANE + (lane))
#define ANY(x) subgroupAny(x)
#else
#define LANE 0
#define FROM(value, lane) (value)
#define ANY(x) (x)
#endif

/* This lane's share of a bucket. */
void load_share(u32 bucket, out u32 words[WORDS]) {
  const u64 address = bucket_address(a.table, bucket);
#if LANES <= 4
  [[unroll]] for (u32 q = 0; q < WORDS / 4; q++) {
    const uvec4 four = wide_bucket_ptr(address).v[LANE * (WORDS / 4) + q];
    words[4 * q] = four.x;
    words[4 * q + 1] = four.y;
    words[4 * q + 2] = four.z;
    words[4 * q + 3] = four.w;
  }
#elif LANES == 8
  const uvec2 two = half_bucket_ptr(address).v[LANE];
  words[0] = two.x;
  words[1] = two.y;
#else
  words[0] = bucket_ptr(address).v[LANE];
#endif
}

/* Bits 0 .. 15: the bucket's words that equal the key's (its halves in turn for u64); 16 .. 31: those below the key's.
 * The same in all lanes of a group. */
u32 compare(u32 words[WORDS], u32 low, u32 high) {
  u32 bits = 0;
  [[unroll]] for (u32 w = 0; w < WORDS; w++) {
    const u32 place = LANE * WORDS + w;
    const u32 key = KEY64 != 0 && (place & 1u) != 0 ? high : low;
    bits |= words[w] == key ? 1u << place : 0u;
    bits |= words[w] < key ? 0x10000u << place : 0u;
  }
#if LANES > 1
  [[unroll]] for (u32 step = 1; step < LANES; step *= 2)
    bits |= subgroupShuffleXor(bits, step);
#endif
  return bits;
}

/* Whether the last key of a bucket is below the one that its words were compared with. */
bool ends_below(u32 bits) {
  const u32 slots = bucket_slots(KEY64, RUNS), below = bits >> 16;
  if (KEY64 == 0)
    return (below >> (slots - 1) & 1u) != 0;
  return ((below | bits & below << 1) >> (2 * slots - 1) & 1u) != 0;
}

/* Word `place` of a bucket. */
u32 word_of(u32 words[WORDS], u32 place) {
  u32 own = words[0];
  [[unroll]] for (u32 w = 1; w < WORDS; w++)
    own = place % WORDS == w ? words[w] : own;
  return FROM(own, place / WORDS);
}

struct entry {
  u32 value; /* NO_ROW: none */
  u32 count;
};

/* RX, section 4.1 "cooperative probing". */
/* Look into a bucket for a probe of the group. Returns the bucket to go on with, or DONE with the entry in `e`. */
u32 look(u32 words[WORDS], u32 bucket, u32 low, u32 high, inout entry e) {
  const u32 slots = bucket_slots(KEY64, RUNS), values = values_at(KEY64, RUNS);
  const u32 bits = compare(words, low, high);
  const u32 match = KEY64 != 0 ? bits & bits >> 1 & 0x5555u & ((1u << 2 * slots) - 1) : bits & ((1u << slots) - 1);
  const u32 slot = match != 0 ? u32(findLSB(match)) / (KEY64 != 0 ? 2 : 1) : 0u;
  const u32 value = word_of(words, values + slot);
  const u32 count = RUNS != 0 ? word_of(words, values + slots + slot) : 1u;
  if (ends_below(bits))
    return bucket + 1;
  e.value = match != 0 ? value : NO_ROW;
  e.count = e.value != NO_ROW ? count : 0u;
  return DONE;
}

/* One step of the searches of a group. */
void step(u32 low, u32 high, inout u32 bucket, inout entry mine) {
  u32 words[LANES][WORDS];
  u32 buckets[LANES];
  [[unroll]] for (u32 r = 0; r < LANES; r++) {
    buckets[r] = FROM(bucket, r);
    if (buckets[r] != DONE)
      load_share(buckets[r], words[r]);
  }
  [[unroll]] for (u32 r = 0; r < LANES; r++) {
    entry e = mine;
    const u32 next = look(words[r], buckets[r], FROM(low, r), KEY64 != 0 ? FROM(high, r) : 0u, e);
    if (LANE == r && bucket != DONE) {
      bucket = next;
      mine = e;
    }
  }
}

void gather(inout findings f, u32 i, entry e) {
  if (GATHER == GATHER_COUNT) {
    f.count = e.count;
    if (e.count > 0 && !IS_NULL(a.io.out_first))
      f.first = RUNS != 0 && e.count > 1 ? AT(a.rows, e.value) : e.value;
    return;
  }
  const u32 to = GATHER == GATHER_ROWS && e.count > 0 ? u32(AT(a.io.offsets, i)) : 0;
  if (RUNS == 0 || e.count <= 1) {
    if (e.count > 0)
      f = found_add(f, a.io, e.value, to, GATHER, VALUE);
    return;
  }
  for (u32 k = 0; k < e.count; k++) {
    const u32 row = AT(a.rows, e.value + k);
    f = found_add(f, a.io, row, to, GATHER, VALUE);
  }
}

void main() {
  const bool inside = gl_GlobalInvocationID.x < a.count;
  const u32 i = a.first + gl_GlobalInvocationID.x;
  u32 low = 0, high = 0, bucket = DONE;
  if (inside && has_bit(a.valid, i)) {
    const u64 key = mix_key(load_key(a.lower, i, KEY64), KEY64);
    low = u32(key);
    high = u32(key >> 32);
    bucket = home_bucket(key, KEY64, a.homes);
  }
  entry e = entry(NO_ROW, 0);
  while (ANY(bucket != DONE))
    step(low, high, bucket, e);
  if (!inside)
    return;
  findings f = FOUND_NONE;
  gather(f, i, e);
  found_store(f, a.io, i, GATHER);
}
