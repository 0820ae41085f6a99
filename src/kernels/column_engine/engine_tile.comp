/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_vote : require
#include "kernels/column_engine/column_engine.h"
#include "kernels/column_engine/rows.glsl.h"

// variants: ATOMIC32 ATOMIC64

/* A workgroup per tile, of which each subgroup takes stretches. A thread narrows ROWS consecutive rows at a time, whose
 * codes come in whole words, and whose loads are under way together. Rows that are left are listed, so that there is
 * one for each thread when they are added up: mostly they are few. */

#define THREADS 256
#define ROWS 16 /* of a thread at a time */
#define LISTED 8 /* of these are listed at a time */

layout(constant_id = 0) const u32 ADD_MODE = 0;
layout(local_size_x = THREADS) in;
layout(push_constant, scalar) uniform push { engine_tile_args a; };

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer uvec4_ptr {
  uvec4 v[];
};

shared u32 lists[THREADS * (LISTED + 1)]; /* for each subgroup, of fewer rows than it has threads, and of new ones */
shared u32 low_halves[ENGINE_SHARED_CELLS], high_halves[ENGINE_SHARED_CELLS];
const u32 OWNERS = ADD_MODE == ADD_CACHED ? ENGINE_SHARED_CELLS : 1;
shared u32 owners[OWNERS]; /* ADD_CACHED: the group of each record of cells, and 1; 0: it is free */

/* The codes of ROWS rows from `row` on, a multiple of ROWS; of at most 4 bytes. */
void load_codes(u32_ptr codes, u32 bytes, u32 row, out u32 found[ROWS]) {
  if (bytes == 1) {
    const uvec4 w = AT(uvec4_ptr(u64(codes)), row / 16);
    [[unroll]] for (u32 k = 0; k < ROWS; k++)
      found[k] = w[k / 4] >> (k % 4 * 8) & 0xffu;
  } else if (bytes == 2) {
    const uvec4 w[2] = {AT(uvec4_ptr(u64(codes)), row / 8), AT(uvec4_ptr(u64(codes)), row / 8 + 1)};
    [[unroll]] for (u32 k = 0; k < ROWS; k++)
      found[k] = w[k / 8][k / 2 % 4] >> (k % 2 * 16) & 0xffffu;
  } else {
    [[unroll]] for (u32 k = 0; k < ROWS; k += 4) {
      const uvec4 w = AT(uvec4_ptr(u64(codes)), row / 4 + k / 4);
      found[k] = w.x;
      found[k + 1] = w.y;
      found[k + 2] = w.z;
      found[k + 3] = w.w;
    }
  }
}

/* Of `rows`, a bit each from `row` on, those for which a term holds. Its attribute is of the fact table. */
u32 narrow(engine_query q, u32 t, u32 row, u32 rows) {
  engine_term term = AT(q.terms, t);
  if (term.bytes != 8) {
    u32 codes[ROWS], found = 0; /* no place in them is computed, so that they can be in registers */
    load_codes(term.codes, term.bytes, row, codes);
    [[unroll]] for (u32 k = 0; k < ROWS; k++)
      found |= u32(codes[k] - u32(term.low) <= u32(term.span)) << k;
    rows &= found;
    if (term.count == 1)
      return rows;
  }
  for (u32 left = rows; left != 0; left &= left - 1)
    if (!engine_holds(q.terms, q.numbers, t, row + findLSB(left)))
      rows &= ~(left & (~left + 1));
  return rows;
}

/* The same for a dimension. All rows are looked up, those that are out at place 0, so that the loads are under way
 * together. */
u32 follow(engine_query q, u32 l, u32 row, u32 rows) {
  u32_ptr bits = AT(q.links, l).bits;
  if (IS_NULL(bits))
    return rows;
  u32 codes[ROWS], words[ROWS], found = 0;
  load_codes(AT(q.links, l).partners, AT(q.links, l).bytes, row, codes);
  [[unroll]] for (u32 k = 0; k < ROWS; k++)
    words[k] = AT(bits, (rows >> k & 1u) != 0 ? codes[k] / 32 : 0);
  [[unroll]] for (u32 k = 0; k < ROWS; k++)
    found |= (words[k] >> codes[k] % 32 & 1u) << k;
  return found & rows;
}

/* ---- Where a row is added ---- */

/* Cells of a row's group: in shared memory from `base` on, `stride` apart; else in memory. */
struct place {
  u64 group;
  u32 base, stride;
  bool in_shared;
};

/* How many records the cache has: a power of two. */
u32 cache_size(u32 slots) {
  return 1u << findMSB(ENGINE_SHARED_CELLS / slots);
}

/* The record of a group that is in the cache, or gets into it; NO_LINK: there is no room near its place. */
u32 find_cached(u32 group, u32 slots) {
  const u32 size = cache_size(slots), begin = group * 2654435761u >> 16;
  for (u32 k = 0; k < 4; k++) {
    const u32 at = begin + k & size - 1;
    u32 owner = owners[at];
    if (owner == 0)
      owner = atomicCompSwap(owners[at], 0, group + 1);
    if (owner == 0 || owner == group + 1)
      return at;
  }
  return u32(NO_LINK);
}

place place_of(engine_query q, u32 group) {
  if (ADD_MODE == ADD_SHARED)
    return place(group, group * q.slots * a.copies + gl_LocalInvocationIndex % a.copies, a.copies, true);
  const u32 record = ADD_MODE == ADD_CACHED ? find_cached(group, q.slots) : u32(NO_LINK);
  return place(group, record * q.slots, 1, record != u32(NO_LINK));
}

void add_cell(engine_query q, place p, u32 slot, u64 x) {
  const u32 cell = p.base + slot * p.stride;
  if (p.in_shared)
    ADD_HALVES(low_halves[cell], high_halves[cell], x)
  else
    add_global(q.groups, p.group * q.slots + slot, x);
}

/* In shared memory values have 32 bits. */
void max_cell(engine_query q, place p, u32 slot, u64 x) {
  if (p.in_shared)
    atomicMax(low_halves[p.base + slot * p.stride], u32(x));
  else
    max_global(q.groups, p.group * q.slots + slot, x);
}

void add_row(engine_query q, u32 row) {
  if (q.test_count != 0 && !engine_passes(q.terms, q.tests, q.numbers, q.test_count, row))
    return;
  u32 group = 0;
  for (u32 l = 0; l < q.link_count; l++)
    if (!IS_NULL(AT(q.links, l).table))
      group += AT(AT(q.links, l).table, u32(load_code(AT(q.links, l).partners, AT(q.links, l).bytes, row)));
  for (u32 p = 0; p < q.part_count; p++)
    group += u32(engine_part_of(q.parts, p, row));
  const place at = place_of(q, group);
  if (at.in_shared)
    atomicAdd(low_halves[at.base], 1u); /* a tile has fewer rows than would carry */
  else
    add_global(q.groups, at.group * q.slots, 1ul);
#define ADD(slot, x) add_cell(q, at, slot, x);
#define MAX(slot, x) max_cell(q, at, slot, x);
  TAKE_MEASURES(q, q.measure_count, row, ADD, MAX)
}

/* ---- Tiles ---- */

void clear_shared(engine_query q) {
  for (u32 k = gl_LocalInvocationIndex; k < ENGINE_SHARED_CELLS; k += THREADS) {
    low_halves[k] = 0;
    high_halves[k] = 0;
    if (ADD_MODE == ADD_CACHED)
      owners[k] = 0;
  }
}

/* Take `copies` of a slot to memory. */
void flush(engine_query q, u64 group, u32 slot, u32 base, u32 copies) {
  const bool largest = (q.max_slots >> slot & 1ul) != 0;
  u64 all = 0;
  for (u32 k = 0; k < copies; k++) {
    const u64 x = u64(high_halves[base + k]) << 32 | low_halves[base + k];
    all = largest ? max(all, x) : all + x;
  }
  if (all == 0)
    return;
  if (largest)
    max_global(q.groups, group * q.slots + slot, all);
  else
    add_global(q.groups, group * q.slots + slot, all);
}

void flush_shared(engine_query q) {
  if (ADD_MODE == ADD_SHARED)
    for (u32 k = gl_LocalInvocationIndex; k < q.group_count * q.slots; k += THREADS)
      flush(q, k / q.slots, k % q.slots, k * a.copies, a.copies);
  else
    for (u32 k = gl_LocalInvocationIndex; k < cache_size(q.slots) * q.slots; k += THREADS)
      if (owners[k / q.slots] != 0)
        flush(q, owners[k / q.slots] - 1, k % q.slots, k, 1);
}

/* Some drivers run subgroups that are smaller than they say. */
u32 lanes_of_subgroup() {
  return THREADS / gl_NumSubgroups;
}

/* Rows of a subgroup's threads that are left, a bit each from `row` on: list them, and add up those that there is a
 * thread for each of. */
void add_rows(engine_query q, u32 row, u32 rows, inout u32 listed) {
  const u32 lanes = lanes_of_subgroup(), list = gl_SubgroupID * lanes * (LISTED + 1);
  if (subgroupAny(rows != 0)) {
    const u32 mine = bitCount(rows);
    u32 to = list + listed + subgroupExclusiveAdd(mine);
    listed += subgroupAdd(mine);
    for (; rows != 0; rows &= rows - 1)
      lists[to++] = row + findLSB(rows);
  }
  subgroupMemoryBarrierShared();
  subgroupBarrier();
  while (listed >= lanes) {
    listed -= lanes;
    add_row(q, lists[list + listed + gl_SubgroupInvocationID]);
  }
  subgroupBarrier();
}

void add_tile(engine_query q) {
  const u64 tile = u64(a.first + gl_WorkGroupID.x) * a.tile, end = min(tile + a.tile, u64(q.rows));
  u32 listed = 0;
  /* As often for all subgroups: barriers of one may be barriers of all. */
  for (u64 at = tile; at < end; at += THREADS * ROWS) {
    const u64 first = at + gl_LocalInvocationIndex * ROWS;
    const u32 row = u32(first);
    u32 rows = first >= end ? 0 : end - first < ROWS ? (1u << u32(end - first)) - 1 : (1u << ROWS) - 1;
    for (u32 t = 0; t < q.term_count; t++)
      if (rows != 0)
        rows = narrow(q, t, row, rows);
    for (u32 l = 0; l < q.link_count; l++)
      if (rows != 0)
        rows = follow(q, l, row, rows);
    [[unroll]] for (u32 k = 0; k < ROWS; k += LISTED)
      add_rows(q, row + k, rows >> k & (1u << LISTED) - 1, listed);
  }
  if (gl_SubgroupInvocationID < listed)
    add_row(q, lists[gl_SubgroupID * lanes_of_subgroup() * (LISTED + 1) + gl_SubgroupInvocationID]);
}

void main() {
  engine_query q = AT(a.query, 0);
  if (a.first + gl_WorkGroupID.x == 0 && gl_LocalInvocationIndex == 0)
    AT(a.out_count, 0) = 0;
  if (ADD_MODE != ADD_MEMORY) {
    clear_shared(q);
    barrier();
  }
  add_tile(q);
  if (ADD_MODE != ADD_MEMORY) {
    barrier();
    flush_shared(q);
  }
}
