/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "kernels/btree/btree_update.h"

// variants: LANES_8 LANES_16

/* Every invocation has a probe of its own, and groups of LANES neighbours of a subgroup look up their probes together,
 * one after the other: each lane reads its share of a node. (Awad et al., "Engineering a high-performance GPU B-Tree",
 * PPoPP 2019, with 16 lanes.) */

#ifdef LANES_16
#define LANES 16
#else
#define LANES 8
#endif

layout(constant_id = 0) const u32 KEY64 = 0;
layout(constant_id = 1) const u32 GATHER = GATHER_COUNT;
layout(constant_id = 2) const u32 VALUE = VALUE_U32;
layout(constant_id = 3) const u32 LEVELS = 0;
layout(constant_id = 4) const u32 DISTINCT = 0;
COMPUTE(btree_args, 256)

#include "kernels/lookup/found.h"

#define LANE (gl_SubgroupInvocationID % LANES)
#define FIRST (gl_SubgroupInvocationID - LANE)

u64 from_lane(u64 value, u32 lane) {
  const uvec2 halves = unpackUint2x32(value);
  return packUint2x32(uvec2(subgroupShuffle(halves.x, FIRST + lane), subgroupShuffle(halves.y, FIRST + lane)));
}

/* The lanes of the group for which `x` is true, as bits from 0 on. All lanes take part. */
u32 votes(bool x) {
  const uvec4 all = subgroupBallot(x);
  return all[FIRST / 32] >> (FIRST % 32) & ((1u << LANES) - 1);
}

u64 sum_of_group(u64 value) {
  [[unroll]] for (u32 step = 1; step < LANES; step *= 2)
    value += from_lane(value, LANE ^ step);
  return value;
}

/* Of the node that begins with key `begin`, the keys below `key`. */
u32 below(bool busy, u32_ptr keys, u32 begin, u64 key) {
  u32 n = 0;
  [[unroll]] for (u32 k = 0; k < BTREE_WIDTH; k += LANES)
    n += u32(bitCount(votes(busy && load_key(keys, begin + k + LANE, KEY64) < key)));
  return n;
}

/* RX, section 4.1 "traverses the tree in groups of 16 threads". */
/* The place of the first leaf with a key that is not below `key`. */
u32 find(bool busy, u64 key) {
  u32 node = 0, base = 0;
  for (u32 level = LEVELS; level > 0; level--) {
    const u32 child = below(busy, a.levels, base + BTREE_WIDTH * node, key);
    base += BTREE_WIDTH * btree_level_size(a.leaves, level);
    node = BTREE_WIDTH * node + child;
  }
  return node;
}

/* The entries of the tree that are below `key`. */
u32 rank(bool busy, u64 key) {
  btree_state t = AT(a.state, 0);
  const u32 place = find(busy, key), leaf = busy ? btree_leaf(t.order, place) : 0;
  return btree_start(t.starts, t.n, t.per_leaf, busy ? place : 0) + below(busy, a.keys, leaf * BTREE_WIDTH, key);
}

/* The entries of a range. */
u32 count_range(bool busy, u64 lower, u64 upper) {
  const bool all = upper == btree_largest_key(KEY64);
  const u32 above = rank(busy && !all, upper + 1), begin = rank(busy, lower);
  return busy ? (all ? AT(a.state, 0).n : above) - begin : 0;
}

/* What the group has found of a probe: `own` by this lane, `count` by all. */
struct walk {
  findings own;
  u32 count;
  bool ends;
};

/* Look at LANES entries of a leaf, of which `entries` are there from `at` on. */
void look(inout walk w, bool busy, u64 lower, u64 upper, u32 at, bool inside, u32 to) {
  const u64 key = busy && inside ? load_key(a.keys, at, KEY64) : 0ul;
  const bool matches = busy && inside && key >= lower && key <= upper;
  const u32 found = votes(matches);
  if (matches && GATHER == GATHER_ROWS)
    AT(a.io.out_rows, to + w.count + u32(bitCount(found & ((1u << LANE) - 1)))) =
        AT(AT(a.state, 0).rows, at);
  else if (matches)
    w.own = found_add(w.own, a.io, AT(AT(a.state, 0).rows, at), to, GATHER, VALUE);
  w.count += u32(bitCount(found));
  w.ends = w.ends || votes(busy && inside && key > upper) != 0;
}

/* The leaves from `place` on, until one has a key above `upper`. All lanes of a subgroup go on as long as one does. */
walk walk_leaves(bool busy, u64 lower, u64 upper, u32 place, u32 to) {
  btree_state t = AT(a.state, 0);
  walk w = walk(FOUND_NONE, 0, !busy);
  while (subgroupBallot(!w.ends) != uvec4(0)) {
    const bool here = !w.ends;
    const u32 leaf = here ? btree_leaf(t.order, place) * BTREE_WIDTH : 0;
    const u32 entries = here ? btree_start(t.starts, t.n, t.per_leaf, place + 1) -
                                   btree_start(t.starts, t.n, t.per_leaf, place)
                             : 0;
    [[unroll]] for (u32 k = 0; k < BTREE_WIDTH; k += LANES)
      look(w, here, lower, upper, leaf + k + LANE, k + LANE < entries, to);
    place++;
    w.ends = w.ends || place >= a.leaves || FOUND_ENOUGH(w, GATHER);
  }
  return w;
}

/* Add up what the lanes have found. */
findings together(walk w) {
  findings f = w.own;
  f.sum = sum_of_group(f.sum);
  f.high = sum_of_group(f.high);
  f.count = u32(sum_of_group(u64(f.count)));
  [[unroll]] for (u32 step = 1; step < LANES; step *= 2)
    f.first = min(f.first, subgroupShuffleXor(f.first, step));
  return f;
}

void main() {
  const bool is_probe = gl_GlobalInvocationID.x < a.count;
  const u32 i = a.first + gl_GlobalInvocationID.x;
  const u64 lower = is_probe ? load_key(a.lower, i, KEY64) : 1ul;
  const u64 upper = !is_probe ? 0ul : IS_NULL(a.upper) ? lower : load_key(a.upper, i, KEY64);
  const bool looks = is_probe && lower <= upper && has_bit(a.valid, i) && a.leaves > 0;
  const u32 to = looks && GATHER == GATHER_ROWS ? u32(AT(a.io.offsets, i)) : 0;
  findings mine = FOUND_NONE;
  for (u32 r = 0; r < LANES; r++) {
    const bool busy = (votes(looks) >> r & 1u) != 0;
    const u64 low = from_lane(lower, r), high = from_lane(upper, r);
    findings f = FOUND_NONE;
    if (GATHER == GATHER_COUNT && IS_NULL(a.io.out_first) && !IS_NULL(a.upper))
      f.count = count_range(busy, low, high);
    else
      f = together(walk_leaves(busy, low, high, find(busy, low), subgroupShuffle(to, FIRST + r)));
    if (LANE == r)
      mine = f;
  }
  if (is_probe)
    found_store(mine, a.io, i, GATHER);
}
