/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_vote : require

// variants: KEYS_U32 KEYS_U64

#include "kernels/tree/tree.h"

/* Each thread searches the top level for a probe of its own, in shared memory. From there on LANES threads go down
 * together, for LANES probes side by side: each reads its part of a node, and the parts of a node lie side by side.
 * With one lane, a thread reads whole nodes. Probes in ascending order go down as one, and then along the leaves, on
 * which the next ones go on. */

#ifdef KEYS_U64
#define KEY u64
#define KEY64 1u
#define AS_KEYS(p) AS_U64_PTR(p)
#else
#define KEY u32
#define KEY64 0u
#define AS_KEYS(p) (p)
#endif

#define THREADS 256
#define ITEMS 2048 /* of a workgroup */
#define PARTS 4    /* 16 bytes each: a node */

layout(constant_id = 1) const u32 GATHER = GATHER_COUNT;
layout(constant_id = 2) const u32 VALUE = VALUE_U32;
layout(constant_id = 3) const u32 DISTINCT = 0;
layout(constant_id = 4) const u32 LANES = 1;
layout(constant_id = 5) const u32 RANGES = 0;
COMPUTE(tree_args, THREADS)

#include "kernels/lookup/found.h"
#include "kernels/lookup/ascending.glsl.h"

shared KEY top[TREE_TOP_BYTES / (KEY64 != 0 ? 8 : 4)];
u32 top_count, levels;

KEY load(PTR(u32) keys, u32 i) {
  return AT(AS_KEYS(keys), i);
}

void read_top() {
  top_count = AT(a.state, 0).top_count;
  levels = AT(a.state, 0).levels;
  for (u32 k = gl_LocalInvocationIndex; k < top_count; k += THREADS)
    top[k] = load(a.inner, k);
  barrier();
}

/* The first key of the top level that is not below `key`; the last where all are. */
u32 search_top(KEY key) {
  u32 begin = 0, n = top_count - 1;
  while (n > 0) {
    const u32 ahead = n - n / 2;
    begin += top[begin + ahead - 1] < key ? ahead : 0;
    n -= ahead;
  }
  return begin;
}

/* Of 16 bytes of keys, those below `key`. */
u32 below(uvec4 part, KEY key) {
#ifdef KEYS_U64
  return u32(packUint2x32(part.xy) < key) + u32(packUint2x32(part.zw) < key);
#else
  return u32(part.x < key) + u32(part.y < key) + u32(part.z < key) + u32(part.w < key);
#endif
}

/* The sums of a group's small numbers, one for each probe: they go from thread to thread in one word, side by side. */
#define BITS (32 / LANES)

u32 sums_over_lanes(u32 x[LANES]) {
  u32 all = 0;
  [[unroll]] for (u32 q = 0; q < LANES; q++)
    all |= x[q] << q * BITS;
  if (LANES >= 2)
    all += subgroupShuffleXor(all, 1);
  if (LANES >= 4)
    all += subgroupShuffleXor(all, 2);
  return all;
}

u32 sum_of(u32 sums, u32 q) {
  return bitfieldExtract(sums, int(q * BITS), int(BITS));
}

/* The least of a group's numbers for the probe of this thread: each keeps half of what it has, and gets the other's. */
u32 min_over_lanes(u32 x[LANES]) {
  [[unroll]] for (u32 step = 1; step < LANES; step *= 2) {
    const bool odd = (gl_SubgroupInvocationID & step) != 0;
    [[unroll]] for (u32 j = 0; j < LANES / 2 / step; j++) {
      const u32 kept = odd ? x[2 * j + 1] : x[2 * j], sent = odd ? x[2 * j] : x[2 * j + 1];
      x[j] = min(kept, subgroupShuffleXor(sent, step));
    }
  }
  return x[0];
}

/* What a search finds: the first entry that is not below the key; how many from there on in its block are equal; the
 * row of the first of these, or NO_ROW. */
struct place {
  u32 entry, equal, row;
};

/* The part of a block from `part` on, two entries. Those below are counted in `.entry`. */
void match_part(u32 block, u32 part, KEY key, inout place p) {
#ifdef KEYS_U64
  const uvec4 keys = uvec4_ptr(u64(a.leaves) + u64(block) * 96 + part * 16).v;
  const u64 first = packUint2x32(keys.xy), second = packUint2x32(keys.zw);
  u32_ptr rows = u32_ptr(u64(a.leaves) + u64(block) * 96 + 64 + part * 8);
  const u32 first_row = AT(rows, 0), second_row = AT(rows, 1);
#else
  const uvec4 pairs = uvec4_ptr(u64(a.leaves) + u64(block) * 64 + part * 16).v;
  const u32 first = pairs.x, second = pairs.z, first_row = pairs.y, second_row = pairs.w;
#endif
  const bool match_first = first == key, match_second = second == key;
  p.entry += u32(first < key) + u32(second < key);
  p.row = min(p.row, match_first ? first_row : NO_ROW);
  p.row = min(p.row, match_second ? second_row : NO_ROW);
  if (DISTINCT == 0) /* else the row tells */
    p.equal += u32(match_first && first_row != NO_ROW) + u32(match_second && second_row != NO_ROW);
}

/* The parts `first` to `first + count - 1` of a block. */
place match_parts(u32 block, u32 first, u32 count, KEY key) {
  place p = place(0, 0, NO_ROW);
  [[unroll]] for (u32 k = 0; k < count; k++)
    match_part(block, first + k, key, p);
  return p;
}

/* The place behind `below` entries of a block. */
place place_in(u32 block, u32 below, u32 equal, u32 row) {
  return place(min(block * TREE_LEAF + below, a.n), DISTINCT == 0 ? equal : u32(row != NO_ROW), row);
}

/* A node on the way down. Levels follow each other, the top first, each filled up to whole nodes; each is as many keys
 * as the one below it has nodes. So registers suffice to know where they are. Behind the last stands the coarse one. */
struct descent {
  u32 level;
  u32 begin, count; /* of the level, in keys */
  u32 node;
};

u32 whole_nodes(u32 keys) {
  return (keys + TREE_FANOUT(KEY64) - 1) & ~(TREE_FANOUT(KEY64) - 1);
}

u32 level_keys(u32 level) {
  const u32 shift = (levels - 1 - level) * (KEY64 != 0 ? 3 : 4);
  const u32 nodes = (tree_blocks(a.n) + TREE_COARSE_FANOUT - 1) / TREE_COARSE_FANOUT;
  return (nodes + (1u << shift) - 1) >> shift;
}

descent first_level(u32 node) {
  return descent(0, whole_nodes(top_count), levels > 0 ? level_keys(0) : 0, node);
}

u64 level_address(descent d) {
  return u64(a.inner) + u64(d.begin) * (KEY64 != 0 ? 8 : 4);
}

void next_level(inout descent d) {
  d.begin += whole_nodes(d.count);
  d.level++;
  if (d.level < levels)
    d.count = level_keys(d.level);
}

/* The child of a node behind `below` of its keys. The keys that fill the last node have none: the last child takes
 * their place. */
u32 child(descent d, u32 node, u32 below) {
  return min(node * TREE_FANOUT(KEY64) + below, d.count - 1);
}

/* A key in a coarse node, as tree_coarse_key() has it. */
u32 coarse_key(uvec2 head, KEY key) {
#ifdef KEYS_U64
  return tree_coarse_key(packUint2x32(head), key);
#else
  return min(key - (head.x & ~TREE_COARSE_SHIFT) >> (head.x & TREE_COARSE_SHIFT), TREE_COARSE_MAX);
#endif
}

/* Of 16 bytes of a coarse node, the first or not, the keys that are not below `key`: in each half of a word a number of
 * them. With the 16th bit of each set, subtracting leaves it set where they are not below. */
u32 coarse_not_below(uvec4 part, bool first, u32 key) {
  const uvec4 bits = (part | 0x80008000u) - key * 0x10001u >> 15 & 0x10001u;
  return (first ? 0 : bits.x + bits.y) + bits.z + bits.w;
}

u32 sum_of_halves(u32 x) {
  return (x & 0xffffu) + (x >> 16);
}

/* The block behind a coarse node of whose keys so many are not below. */
u32 block_behind(u32 node, u32 not_below) {
  return min((node + 1) * TREE_COARSE_FANOUT - not_below, tree_blocks(a.n) - 1);
}

/* The block that has the first entry which is not below `key`, when `block`, to which a coarse node leads, has not. */
u32 later_block(u32 block, KEY key) {
  const u32 end = min((block / TREE_COARSE_FANOUT + 1) * TREE_COARSE_FANOUT, tree_blocks(a.n)) - 1;
  return tree_block_from(a.leaves, block + 1, end, key, KEY64);
}

place search_block(u32 block, KEY key) {
  const place p = match_parts(block, 0, PARTS, key);
  return place_in(block, p.entry, p.equal, p.row);
}

/* Look further where a block has only entries below `key`. */
place complete(place p, u32 block, KEY key) {
  const bool is_it = p.entry < (block + 1) * TREE_LEAF || block + 1 == tree_blocks(a.n);
  return is_it ? p : search_block(later_block(block, key), key);
}

place search_alone(KEY key, descent d) {
  for (; d.level < levels; next_level(d)) {
    const u64 parts = level_address(d) + u64(d.node) * 64;
    u32 count = 0;
    [[unroll]] for (u32 k = 0; k < PARTS; k++)
      count += below(uvec4_ptr(parts + k * 16).v, key);
    d.node = child(d, d.node, count);
  }
  const u64 parts = level_address(d) + u64(d.node) * 64;
  const u32 coarse = coarse_key(uvec4_ptr(parts).v.xy, key);
  u32 not_below = 0;
  [[unroll]] for (u32 k = 0; k < PARTS; k++)
    not_below += coarse_not_below(uvec4_ptr(parts + k * 16).v, k == 0, coarse);
  const u32 block = block_behind(d.node, sum_of_halves(not_below));
  return complete(search_block(block, key), block, key);
}

/* Go down in groups of LANES. */
place search_in_groups(KEY wanted) {
  const u32 lane = gl_SubgroupInvocationID & (LANES - 1), base = gl_SubgroupInvocationID - lane;
  const u32 each = PARTS / LANES;
  const u32 start = search_top(wanted);
  KEY key[LANES];
  u32 node[LANES];
  [[unroll]] for (u32 q = 0; q < LANES; q++) {
    key[q] = key_of_lane(wanted, base + q);
    node[q] = subgroupShuffle(start, base + q);
  }
  descent d = first_level(0);
  for (; d.level < levels; next_level(d)) {
    const u64 parts = level_address(d) + lane * each * 16;
    u32 count[LANES];
    [[unroll]] for (u32 q = 0; q < LANES; q++) {
      count[q] = 0;
      [[unroll]] for (u32 k = 0; k < each; k++)
        count[q] += below(uvec4_ptr(parts + u64(node[q]) * 64 + k * 16).v, key[q]);
    }
    const u32 sums = sums_over_lanes(count);
    [[unroll]] for (u32 q = 0; q < LANES; q++)
      node[q] = child(d, node[q], sum_of(sums, q));
  }
  const u64 parts = level_address(d) + lane * each * 16;
  u32 not_below[LANES];
  [[unroll]] for (u32 q = 0; q < LANES; q++) {
    uvec4 part[PARTS / LANES];
    [[unroll]] for (u32 k = 0; k < each; k++)
      part[k] = uvec4_ptr(parts + u64(node[q]) * 64 + k * 16).v;
    const u32 coarse = coarse_key(subgroupShuffle(part[0].xy, base), key[q]);
    not_below[q] = 0;
    [[unroll]] for (u32 k = 0; k < each; k++)
      not_below[q] += coarse_not_below(part[k], lane + k == 0, coarse);
    not_below[q] = sum_of_halves(not_below[q]);
  }
  const u32 sums = sums_over_lanes(not_below);
  u32 block = 0, below[LANES], row[LANES];
  [[unroll]] for (u32 q = 0; q < LANES; q++) {
    const u32 here = block_behind(node[q], sum_of(sums, q));
    const place p = match_parts(here, lane * each, each, key[q]);
    block = q == lane ? here : block;
    below[q] = p.entry | p.equal << BITS / 2;
    row[q] = p.row;
  }
  const u32 mine = sum_of(sums_over_lanes(below), lane);
  return complete(place_in(block, mine & (1u << BITS / 2) - 1, mine >> BITS / 2, min_over_lanes(row)), block, wanted);
}

/* The same as search_top(), for one key of a whole subgroup. */
u32 search_top_as_one(KEY key) {
  u32 begin = 0, n = top_count - 1;
  while (n > 0) {
    const u32 stride = n / gl_SubgroupSize + 1, ahead = (gl_SubgroupInvocationID + 1) * stride;
    const u32 found = subgroupBallotBitCount(subgroupBallot(ahead <= n && top[begin + ahead - 1] < key)) * stride;
    begin += found;
    n = min(stride - 1, n - found);
  }
  return begin;
}

/* Keys of a node that are below `key`, counted by a whole subgroup. */
u32 below_as_one(u64 keys, KEY key) {
  u32 count = 0;
  for (u32 k = gl_SubgroupInvocationID; k - gl_SubgroupInvocationID < TREE_FANOUT(KEY64); k += gl_SubgroupSize)
    count += subgroupBallotBitCount(subgroupBallot(k < TREE_FANOUT(KEY64) && load(u32_ptr(keys), k) < key));
  return count;
}

/* The same for a coarse node: the block that it leads to. */
u32 block_as_one(descent d, KEY key) {
  u32_ptr words = u32_ptr(level_address(d) + u64(d.node) * 64);
  const u32 coarse = coarse_key(uvec2(AT(words, 0), AT(words, 1)), key);
  u32 count = 0;
  for (u32 k = gl_SubgroupInvocationID; k - gl_SubgroupInvocationID < 2 * TREE_NODE_WORDS; k += gl_SubgroupSize) {
    bool not_below = false;
    if (k >= TREE_COARSE_HEAD && k < 2 * TREE_NODE_WORDS)
      not_below = (AT(words, k / 2) >> (k % 2 * 16) & 0xffffu) >= coarse;
    count += subgroupBallotBitCount(subgroupBallot(not_below));
  }
  return block_behind(d.node, count);
}

/* The entry, one for each thread of a subgroup, and its row. */
KEY load_entry(u32 entry, out u32 row) {
  const u64 block = u64(a.leaves) + u64(entry / TREE_LEAF) * (4 * TREE_BLOCK_WORDS(KEY64));
  const u32 slot = entry % TREE_LEAF;
#ifdef KEYS_U64
  row = AT(u32_ptr(block + 64), slot);
  return AT(u64_ptr(block), slot);
#else
  const uvec2 pair = AT(uvec2_ptr(block), slot);
  row = pair.y;
  return pair.x;
#endif
}

/* Of the entries that a subgroup holds, from `first` on, the place of `wanted`, which is at `rank`. */
place place_in_window(u32 first, u32 rank, KEY held, u32 row, KEY wanted) {
  const u32 at = min(rank, gl_SubgroupSize - 1), its_row = subgroupShuffle(row, at);
  const bool equal = key_of_lane(held, at) == wanted && rank == at && its_row != NO_ROW;
  u32 count = u32(equal);
  if (DISTINCT == 0) { /* in the block, where unused entries count for nothing */
    for (u32 k = 1; k < TREE_LEAF; k++) {
      const u32 next = min(rank + k, gl_SubgroupSize - 1), next_row = subgroupShuffle(row, next);
      const bool same = key_of_lane(held, next) == wanted && rank + k == next && next_row != NO_ROW;
      count += u32(equal && same && (first + rank) % TREE_LEAF + k < TREE_LEAF);
    }
  }
  return place(min(first + rank, a.n), count, equal ? its_row : NO_ROW);
}

/* Where a subgroup has come to whose probes ascend: the block of the last, beyond which no later one can be. */
struct cursor {
  bool usable;
  u32 block;
  KEY last;
};

/* The block to begin with for probes of which `min_key` is the first. */
u32 first_block(KEY min_key, bool goes_on, u32 block) {
  if (goes_on)
    return block;
  descent d = first_level(search_top_as_one(min_key));
  for (; d.level < levels; next_level(d))
    d.node = child(d, d.node, below_as_one(level_address(d) + u64(d.node) * 64, min_key));
  return block_as_one(d, min_key);
}

#define WINDOWS 8

/* The places of probes in ascending order: go down for the first as one, or go on, then read entries in order, one a
 * thread, where each thread finds its own, as a merge does. False where that does not find them soon. */
bool search_windows(KEY wanted, inout cursor c, out place mine) {
  mine = place(a.n, 0, NO_ROW);
  if (gl_SubgroupSize < TREE_LEAF || !is_ascending(wanted)) { /* windows are whole blocks */
    c.usable = false;
    return false;
  }
  const KEY min_key = key_of_lane(wanted, 0);
  const bool goes_on = c.usable && c.last <= min_key;
  const u32 block = first_block(min_key, goes_on, c.block);
  const u32 entries = u32(min(u64(tree_blocks(a.n)) * TREE_LEAF, u64(NO_ROW)));
  bool pending = true;
  u32 left = gl_SubgroupSize;
  c.usable = false;
  for (u32 k = 0, first = block * TREE_LEAF; k < WINDOWS; k++, first += gl_SubgroupSize) {
    const u32 entry = first + gl_SubgroupInvocationID;
    KEY held = KEY(~0ul);
    u32 row = NO_ROW;
    if (entry < entries)
      held = load_entry(entry, row);
    const u32 rank = rank_in_window(held, wanted);
    const place here = place_in_window(first, rank, held, row, wanted);
    if (pending && (rank < gl_SubgroupSize || first + rank >= entries)) {
      mine = here;
      pending = false;
    }
    const u32 now = subgroupBallotBitCount(subgroupBallot(pending));
    if (now == 0) {
      const u32 last = gl_SubgroupSize - 1;
      c = cursor(true, subgroupShuffle(mine.entry, last) / TREE_LEAF, key_of_lane(wanted, last));
      return true;
    }
    if (now + gl_SubgroupSize / 4 > left && !(goes_on && k == 0))
      return false;
    left = now;
  }
  return false;
}

/* All threads of a subgroup come here together. Keys need not differ, and probes that do not count bring any key. */
place search(KEY wanted, inout cursor c) {
  place mine;
  if (search_windows(wanted, c, mine))
    return mine;
  if (LANES == 1)
    return search_alone(wanted, first_level(search_top(wanted)));
  return search_in_groups(wanted);
}

KEY largest_of(u32 block) {
  return KEY(tree_entry_key(a.leaves, block * TREE_LEAF + TREE_LEAF - 1, KEY64));
}

/* The first entry that is not below `key`, known to be at `from` or behind, if it is in that block or in the next. */
bool search_near(u32 from, KEY key, out u32 entry) {
  u32 block = from / TREE_LEAF;
  entry = from;
  if (from == a.n)
    return true;
  if (largest_of(block) < key) {
    block++;
    if (block == tree_blocks(a.n) || largest_of(block) < key)
      return false;
  }
  entry = search_block(block, key).entry;
  return true;
}

/* Bounds of ranges: where the lower and the upper ones of a subgroup have come to, and whether its last ranges were so
 * short that their ends were near. */
struct bounds {
  cursor low, high;
  bool short_ones;
};

/* The first entry above `key`, at `from` or behind. */
u32 search_above(u32 from, KEY key, inout bounds b) {
  const KEY next = key == KEY(~0ul) ? key : key + 1;
  u32 entry = from;
  bool found = false;
  if (b.short_ones) {
    found = search_near(from, next, entry);
    const u32 count = subgroupBallotBitCount(subgroupBallot(found));
    b.short_ones = count >= gl_SubgroupSize / 2;
    if (count == gl_SubgroupSize)
      return key == KEY(~0ul) ? a.n : entry;
  }
  const place p = search(next, b.high);
  return key == KEY(~0ul) ? a.n : p.entry;
}

/* Add the entries of `key` from `begin` on. */
void collect(u32 i, u32 begin, KEY key, inout findings f) {
  const u32 to = GATHER == GATHER_ROWS ? u32(AT(a.io.offsets, i)) : 0;
  for (u32 entry = begin; entry < a.n && tree_entry_key(a.leaves, entry, KEY64) == key; entry++) {
    const u32 row = tree_entry_row(a.leaves, entry, KEY64);
    f = found_add(f, a.io, row, to, GATHER, VALUE);
  }
}

void find_equal(u32 i, KEY key, bool counts, inout cursor c, inout findings f) {
  const place p = search(key, c);
  if (!counts || p.equal == 0)
    return;
  if (DISTINCT != 0 || GATHER == GATHER_ANY) {
    const u32 to = GATHER == GATHER_ROWS ? u32(AT(a.io.offsets, i)) : 0;
    f = found_add(f, a.io, p.row, to, GATHER, VALUE);
  } else if (GATHER == GATHER_COUNT) {
    f.count = p.equal;
    f.first = p.row;
    u32 entry = p.entry + p.equal;
    if (entry % TREE_LEAF == 0)
      for (; entry < a.n && tree_entry_key(a.leaves, entry, KEY64) == key; entry++)
        f.count++;
  } else {
    collect(i, p.entry, key, f);
  }
}

/* The span of a range. One that does not count has any bounds. */
void find_between(KEY lower, KEY upper, bool counts, inout bounds b, inout findings f) {
  const u32 begin = search(lower, b.low).entry;
  const u32 end = search_above(begin, counts ? upper : lower, b);
  f.first = begin;
  f.count = counts ? end - begin : 0;
}

void main() {
  if (a.n > 0)
    read_top();
  const u32 each = ITEMS / gl_NumSubgroups, begin = gl_WorkGroupID.x * ITEMS + gl_SubgroupID * each;
  const cursor none = cursor(false, 0, 0);
  bounds b = bounds(none, none, true);
  [[dont_unroll]] for (u32 step = 0; step < each && begin + step < a.count; step += gl_SubgroupSize) {
    const u32 item = begin + step + gl_SubgroupInvocationID;
    const bool inside = item < a.count;
    const u32 i = a.first + (inside ? item : 0);
    const KEY lower = load(a.lower, i);
    const bool valid = inside && has_bit(a.valid, i);
    findings f = FOUND_NONE;
    if (a.n > 0) {
      if (RANGES == 0) {
        find_equal(i, lower, valid, b.low, f);
      } else {
        const KEY upper = load(a.upper, i);
        find_between(lower, upper, valid && lower <= upper, b, f);
      }
    }
    if (inside)
      found_store(f, a.io, i, GATHER);
  }
}
