/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "kernels/column_engine/column_engine.h"
#include "kernels/column_engine/rows.glsl.h"

// variants: ATOMIC32 ATOMIC64

/* A workgroup takes tile after tile, and each of its subgroups stretches of them, in which a thread narrows PARTS times
 * PART rows. Those of a part are consecutive, so that their codes come in whole words; parts are as far apart as the
 * subgroup's threads reach together, so that each load takes whole lines of memory. Of the rows that are left, mostly
 * few, each thread gets one: they wait in shared memory until there are enough. */

#define THREADS 256
#define PART 8
#define PARTS 4

layout(constant_id = 0) const u32 ADD_MODE = 0;
layout(constant_id = 1) const u32 LOCKSTEP = 0; /* a subgroup's threads take each step together: no barriers */
COMPUTE(engine_tile_args, THREADS)

shared u32 low_halves[ENGINE_SHARED_CELLS], high_halves[ENGINE_SHARED_CELLS];
shared u32 next_tiles[2]; /* in turns */
shared u32 lists[2 * THREADS]; /* of rows, two for each subgroup */
const u32 OWNERS = ADD_MODE == ADD_CACHED ? ENGINE_SHARED_CELLS : 1;
shared u32 owners[OWNERS]; /* ADD_CACHED: the group of each record of cells, and 1; 0: it is free */

/* The early terms and dimensions, where they are at hand. */
const u32 EARLY = ENGINE_MAX_EARLY;
shared u32_ptr codes_of[EARLY], set_of[EARLY], foreign_rows_of[EARLY], bits_of[EARLY]; /* set: 0: all that is spanned */
shared u32 bytes_of[EARLY], low_of[EARLY], foreign_bytes_of[EARLY];

/* A span and its gap for codes side by side in a word: ends of the span; and what is added to a code without its
 * highest bit, or what that is taken from, so that the highest bit becomes 1 within them. For codes of 4 bytes the gap
 * begins at above_gap and spans below_gap more. */
struct bounds {
  u32 compare, low, high, above, below, above_gap, below_gap;
};
shared bounds bounds_of[EARLY];

/* The query, with what is in the arguments from there. */
engine_query query() {
  engine_query q = AT(a.query, 0);
  q.terms = a.terms;
  q.links = a.links;
  q.parts = a.parts;
  q.steps = a.steps;
  q.measures = a.measures;
  q.groups = a.groups;
  q.slots = a.slots;
  return q;
}

/* ---- Narrowing ---- */

/* Some drivers run subgroups that are smaller than they say. */
u32 lanes_of_subgroup() {
  return THREADS / gl_NumSubgroups;
}

/* The first row of a thread's part of a stretch that begins at `row` for the subgroup; beyond the last row, whose bits
 * are not set then, the last part there is. */
u32 row_of(u32 row, u32 part, u32 thread) {
  return min(row + (part * lanes_of_subgroup() + thread) * PART, a.rows - 1 & ~(PART - 1));
}

/* A thread's rows of a stretch have a bit each in the order in which comparing finds them: bit 8j + k is byte j of word
 * k, of the words of byte codes that its parts have. So that of row 4c + j of part p is 8j + 2p + c. */
#define BIT(part, r) ((r) % 4 * 8 + 2 * (part) + (r) / 4)
#define PART_BITS 0x03030303u

/* How far the row of a bit is from the first of the thread's rows. */
u32 row_of_bit(u32 bit) {
  return bit / 2 % 4 * lanes_of_subgroup() * PART + bit % 2 * 4 + bit / 8;
}

/* Whether numbers side by side in a word, whose highest bits are `top`, are in the span of a term: in these bits, among
 * others that mean nothing. Numbers without their highest bits do not borrow from each other. */
u32 in_span_only(u32 x, bounds b, u32 top) {
  return (x + b.above) & (b.below - x);
}

/* The same of any numbers, and not in the gap. */
u32 in_span_less_gap(u32 x, bounds b, u32 top) {
  const u32 rest = x & ~top;
  const u32 in_gap = (rest + b.above_gap) & (b.below_gap - rest);
  return (rest + b.above) & (b.below - rest) & ~(x ^ b.low) & ~in_gap;
}

/* The same where the highest bits of the span's ends differ, and the gap does not count. */
u32 in_wide_span(u32 x, bounds b, u32 top) {
  const u32 rest = x & ~top, above = rest + b.above, below = b.below - rest;
  return ((above & (x | ~b.low)) | (x & ~b.low)) & ((below & (b.high | ~x)) | (b.high & ~x));
}

#define COMPARE_AS(kind)                                                                                               \
  if ((kind) == COMPARE_SPAN) {                                                                                        \
    COMPARE(in_span_only)                                                                                              \
  } else if ((kind) == COMPARE_GAP) {                                                                                  \
    COMPARE(in_span_less_gap)                                                                                          \
  } else {                                                                                                             \
    COMPARE(in_wide_span)                                                                                              \
  }

/* Of the rows of a stretch those whose codes are in the span of a term. Parts without rows are not loaded. */
u32 in_span8(u32 t, u32 row, u32 rows) {
  const u32 lane = gl_SubgroupInvocationID;
  u32_ptr codes = codes_of[t];
  const bounds b = bounds_of[t];
  u32 found = 0;
  uvec2 w[PARTS];
  if (rows == ~0u) {
    [[unroll]] for (u32 p = 0; p < PARTS; p++)
      w[p] = AT(uvec2_ptr(u64(codes)), row / 8 + p * lanes_of_subgroup() + lane);
  } else {
    [[unroll]] for (u32 p = 0; p < PARTS; p++)
      w[p] = (rows & PART_BITS << 2 * p) != 0 ? AT(uvec2_ptr(u64(codes)), row_of(row, p, lane) / 8) : uvec2(0);
  }
#define COMPARE(in_span)                                                                                               \
  [[unroll]] for (u32 k = 0; k < 2 * PARTS; k++)                                                                       \
    found |= in_span(w[k / 2][k % 2], b, 0x80808080u) >> 7 - k & 0x01010101u << k;
  COMPARE_AS(b.compare)
#undef COMPARE
  return found & rows;
}

/* Two words have the codes of rows 4c to 4c + 3: put side by side, those of rows 1 and 2 have changed places. */
u32 in_span16(u32 t, u32 row, u32 rows) {
  const u32 lane = gl_SubgroupInvocationID;
  u32_ptr codes = codes_of[t];
  const bounds b = bounds_of[t];
  u32 found = 0;
  uvec4 w[PARTS];
  if (rows == ~0u) {
    [[unroll]] for (u32 p = 0; p < PARTS; p++)
      w[p] = AT(uvec4_ptr(u64(codes)), row / 8 + p * lanes_of_subgroup() + lane);
  } else {
    [[unroll]] for (u32 p = 0; p < PARTS; p++)
      w[p] = (rows & PART_BITS << 2 * p) != 0 ? AT(uvec4_ptr(u64(codes)), row_of(row, p, lane) / 8) : uvec4(0);
  }
#define COMPARE(in_span)                                                                                               \
  [[unroll]] for (u32 k = 0; k < 2 * PARTS; k++) {                                                                     \
    const u32 first = in_span(w[k / 2][k % 2 * 2], b, 0x80008000u);                                                    \
    const u32 second = in_span(w[k / 2][k % 2 * 2 + 1], b, 0x80008000u);                                               \
    found |= ((first >> 8 & 0x00ff00ffu) | (second & 0xff00ff00u)) >> 7 - k & 0x01010101u << k;                        \
  }
  COMPARE_AS(b.compare)
#undef COMPARE
  found = (found & 0xff0000ffu) | (found & 0xff00u) << 8 | (found >> 8 & 0xff00u);
  return found & rows;
}

u32 in_span32(u32 t, u32 row, u32 rows) {
  const u32 lane = gl_SubgroupInvocationID;
  const bounds b = bounds_of[t];
  const bool gap = b.compare == COMPARE_GAP;
  u32 found = 0;
  [[dont_unroll]] for (u32 p = 0; p < PARTS; p++) {
    if ((rows & PART_BITS << 2 * p) == 0)
      continue;
    uvec4 w[2];
    [[unroll]] for (u32 k = 0; k < 2; k++)
      w[k] = AT(uvec4_ptr(u64(codes_of[t])), row_of(row, p, lane) / 4 + k);
    [[unroll]] for (u32 r = 0; r < PART; r++) {
      const u32 x = w[r / 4][r % 4];
      const bool in_gap = gap && x - b.above_gap <= b.below_gap;
      found |= u32(x - b.low <= b.high - b.low && !in_gap) << BIT(p, r);
    }
  }
  return found & rows;
}

/* The codes of PART rows from `row` on, a multiple of PART; of at most 4 bytes. */
void load_part(u32_ptr codes, u32 bytes, u32 row, out u32 found[PART]) {
  if (bytes == 1) {
    const uvec2 w = AT(uvec2_ptr(u64(codes)), row / 8);
    [[unroll]] for (u32 k = 0; k < PART; k++)
      found[k] = w[k / 4] >> (k % 4 * 8) & 0xffu;
  } else if (bytes == 2) {
    const uvec4 w = AT(uvec4_ptr(u64(codes)), row / 8);
    [[unroll]] for (u32 k = 0; k < PART; k++)
      found[k] = w[k / 2] >> (k % 2 * 16) & 0xffffu;
  } else {
    const uvec4 w[2] = {AT(uvec4_ptr(u64(codes)), row / 4), AT(uvec4_ptr(u64(codes)), row / 4 + 1)};
    [[unroll]] for (u32 k = 0; k < PART; k++)
      found[k] = w[k / 4][k % 4];
  }
}

/* Of the rows of a stretch those whose codes, less `low`, have their bits set. All rows are looked up, those that are
 * out at place 0, so that the loads are under way together. */
u32 look_up(u32_ptr codes, u32 bytes, u32 low, u32_ptr bits, u32 row, u32 rows) {
  u32 found = 0;
  [[dont_unroll]] for (u32 p = 0; p < PARTS; p++) {
    const u32 here = rows >> 2 * p & PART_BITS;
    u32 at[PART], words[PART], set = 0;
    if (here == 0)
      continue;
    load_part(codes, bytes, row_of(row, p, gl_SubgroupInvocationID), at);
    [[unroll]] for (u32 k = 0; k < PART; k++)
      at[k] = (here >> BIT(0, k) & 1u) != 0 ? at[k] - low : 0;
    [[unroll]] for (u32 k = 0; k < PART; k++)
      words[k] = AT(bits, at[k] / 32);
    [[unroll]] for (u32 k = 0; k < PART; k++)
      set |= (words[k] >> at[k] % 32 & 1u) << BIT(0, k);
    found |= set << 2 * p;
  }
  return found & rows;
}

/* Of the rows of a stretch those whose codes are in the span of an early term. */
u32 in_span(u32 t, u32 row, u32 rows) {
  return bytes_of[t] == 1   ? in_span8(t, row, rows)
         : bytes_of[t] == 2 ? in_span16(t, row, rows)
                            : in_span32(t, row, rows);
}

/* Of the rows of a stretch those for which an early term holds. Its attribute is of the fact table. */
u32 narrow(u32 t, u32 row, u32 rows) {
  if (bytes_of[t] != 8) {
    rows = in_span(t, row, rows);
    return rows == 0 || IS_NULL(set_of[t]) ? rows : look_up(codes_of[t], bytes_of[t], low_of[t], set_of[t], row, rows);
  }
  for (u32 left = rows; left != 0; left &= left - 1) {
    const u32 here = row + gl_SubgroupInvocationID * PART + row_of_bit(findLSB(left));
    if (!engine_holds(a.terms, AT(a.query, 0).numbers, t, here))
      rows &= ~(left & (~left + 1));
  }
  return rows;
}

/* The rows of a stretch that qualify as far as is seen from all of them. */
u32 narrow_all(u32 row, u32 rows) {
  for (u32 t = 0; t < a.early_terms; t++)
    if (rows != 0)
      rows = narrow(t, row, rows);
  for (u32 l = 0; l < a.early_links; l++)
    if (rows != 0 && !IS_NULL(bits_of[l]))
      rows = look_up(foreign_rows_of[l], foreign_bytes_of[l], 0, bits_of[l], row, rows);
  return rows;
}

bounds make_bounds(engine_term t) {
  const u32 each = t.bytes == 1 ? 0x01010101u : t.bytes == 2 ? 0x00010001u : 1, top = each << 8 * t.bytes - 1;
  const u32 low = u32(t.low) * each, high = u32(t.low + t.span) * each;
  const u32 gap_low = u32(t.gap_low) * each, gap_high = u32(t.gap_high) * each;
  if (t.bytes == 4)
    return bounds(t.compare, low, high, 0, 0, gap_low, gap_high - gap_low);
  return bounds(t.compare, low, high, top - (low & ~top), high | top, top - (gap_low & ~top), gap_high | top);
}

void prepare_early() {
  const u32 i = gl_LocalInvocationIndex;
  if (i < a.early_terms) {
    engine_term term = AT(a.terms, i);
    const bool bitmap = term.count == 0 && term.exact == 0 && i < a.first_late_term;
    codes_of[i] = term.codes;
    bytes_of[i] = term.bytes;
    low_of[i] = u32(term.low);
    bounds_of[i] = make_bounds(term);
    set_of[i] = u32_ptr(bitmap ? u64(AT(a.query, 0).numbers) + term.set * 8ul : 0ul);
  }
  if (i < a.early_links) {
    engine_link link = AT(a.links, i);
    foreign_rows_of[i] = link.foreign_rows;
    foreign_bytes_of[i] = link.bytes;
    bits_of[i] = link.bits;
  }
}

/* ---- Where a row is added ---- */

/* Cells of a row's group: in shared memory from `base` on, `stride` apart; else in memory. */
struct place {
  u32 group, base, stride;
  bool in_shared;
};

/* How many records the cache has: a power of two. */
u32 cache_size(u32 slots) {
  return 1u << findMSB(ENGINE_SHARED_CELLS / slots);
}

/* The record of a group that is in the cache, or gets into it; NO_LINK: there is no room near its place. */
u32 find_cached(u32 group, u32 slots) {
  const u32 size = cache_size(slots), begin = group * 2654435761u >> 16;
  [[dont_unroll]] for (u32 k = 0; k < 4; k++) {
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
    ATOMIC_ADD_U64(low_halves[cell], high_halves[cell], x)
  else
    add_global(q.groups, u64(p.group) * q.slots + slot, x);
}

/* In shared memory values have 32 bits. */
void max_cell(engine_query q, place p, u32 slot, u64 x) {
  if (p.in_shared)
    atomicMax(low_halves[p.base + slot * p.stride], u32(x));
  else
    max_global(q.groups, u64(p.group) * q.slots + slot, x);
}

void add_row(u32 row) {
  engine_query q = query();
  u32 group = 0;
  for (u32 l = 0; l < a.link_count; l++) {
    engine_link link = AT(a.links, l);
    if (!IS_NULL(link.table))
      group += AT(link.table, u32(load_code(link.foreign_rows, link.bytes, row)));
  }
  for (u32 p = 0; p < a.part_count; p++)
    group += u32(engine_part_of(q.parts, p, row));
  const place at = place_of(q, group);
  if (at.in_shared)
    atomicAdd(low_halves[at.base], 1u); /* there are fewer rows than would carry */
  else
    add_global(q.groups, u64(at.group) * q.slots, 1ul);
#define ADD(slot, x) add_cell(q, at, slot, x);
#define MAX(slot, x) max_cell(q, at, slot, x);
  TAKE_MEASURES(q, a.measure_count, row, ADD, MAX)
}

/* ---- Cells ---- */

void clear_shared() {
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

/* ---- Rows that are left ---- */

/* What is not decided yet about a row: the terms and dimensions that were put off, and the tests. */
bool qualifies(u32 row) {
  u64_ptr numbers = AT(a.query, 0).numbers;
  for (u32 t = a.first_late_term; t < a.term_count; t++)
    if (!engine_holds(a.terms, numbers, t, row))
      return false;
  for (u32 l = a.early_links; l < a.link_count; l++) {
    u32_ptr bits = AT(a.links, l).bits;
    if (!IS_NULL(bits)) {
      const u32 foreign_row = u32(load_code(AT(a.links, l).foreign_rows, AT(a.links, l).bytes, row));
      if ((AT(bits, foreign_row / 32) >> foreign_row % 32 & 1u) == 0)
        return false;
    }
  }
  return a.test_count == 0 || engine_passes(a.terms, AT(a.query, 0).tests, numbers, a.test_count, row);
}

/* Rows of a subgroup that wait until each thread gets one: in `lists` from `base` on. */
struct queue {
  u32 base, count;
};

/* What a subgroup's threads wrote before is there to be read by them. */
void meet() {
  subgroupMemoryBarrierShared();
  if (LOCKSTEP == 0)
    subgroupBarrier();
}

/* The rows of the threads that have `any` enter a queue: those for which there is no place wait until others leave.
 * Returns the number of a thread's row. */
u32 enter(u32 row, bool any, uvec4 those, inout queue q) {
  const u32 number = q.count + subgroupBallotExclusiveBitCount(those);
  if (any && number < lanes_of_subgroup())
    lists[q.base + number] = row;
  q.count += subgroupBallotBitCount(those);
  return number;
}

/* The first rows leave, one for each thread, if there are as many: whether a thread gets one is in `mine`. */
u32 leave(u32 row, bool any, u32 number, inout queue q, out bool mine) {
  const u32 lanes = lanes_of_subgroup(), lane = gl_SubgroupInvocationID;
  meet();
  const u32 first = lists[q.base + lane];
  meet();
  if (any && number >= lanes)
    lists[q.base + number - lanes] = row;
  mine = lane < q.count;
  q.count -= min(q.count, lanes);
  return first;
}

/* Of a subgroup's rows, one for each of its threads where it has `any`, add up those that qualify when there are
 * enough; the `last` ones anyway. */
void take(u32 row, bool any, bool last, inout queue adding) {
  bool good = any && qualifies(row);
  const uvec4 those = subgroupBallot(good);
  bool at_once = adding.count == 0 && subgroupBallotBitCount(those) == lanes_of_subgroup();
  const u32 number = at_once ? 0 : enter(row, good, those, adding);
  while (at_once || adding.count >= (last ? 1 : lanes_of_subgroup())) {
    bool mine = true;
    u32 next = row;
    if (!at_once)
      next = leave(row, good, number, adding, mine);
    if (mine)
      add_row(next);
    at_once = good = false;
  }
}

/* Take the rows of a stretch when there are enough: in each round all threads put in one. */
void take_rounds(u32 row, u32 rows, bool last, inout queue waiting, inout queue adding) {
  for (;;) {
    const bool any = rows != 0;
    const uvec4 those = subgroupBallot(any);
    if (subgroupBallotBitCount(those) == 0 && !last)
      return;
    const u32 mine = row + gl_SubgroupInvocationID * PART + row_of_bit(findLSB(rows));
    const u32 number = enter(mine, any, those, waiting);
    rows &= rows - 1;
    if (waiting.count >= lanes_of_subgroup() || last) {
      bool got;
      const u32 next = leave(mine, any, number, waiting, got);
      take(next, got, last, adding);
    }
    if (last)
      return;
  }
}

/* RTCUDB, Figure 1 "Running Scan on CUDA-based database systems". */
/* The same where adding up a row takes longer than finding it. A few wait in the order of threads, so that neighbours
 * among them are neighbours in memory, too; of many, all threads put in one at a time. */
void take_stretch(u32 row, u32 rows, bool last, inout queue waiting, inout queue adding) {
  if (!last && subgroupBallotBitCount(subgroupBallot(rows != 0)) == 0)
    return;
  const u32 lanes = lanes_of_subgroup(), lane = gl_SubgroupInvocationID, first_row = row + lane * PART;
  const u32 mine = bitCount(rows), up_to = subgroupInclusiveAdd(mine), found = subgroupShuffle(up_to, lanes - 1);
  const bool many = found > 2 * lanes;
  u32 number = waiting.count + up_to - mine, filled = waiting.count;
  waiting.count += found;
  for (;;) {
    for (; !many && rows != 0 && number < lanes; rows &= rows - 1)
      lists[waiting.base + number++] = first_row + row_of_bit(findLSB(rows));
    while (many && filled < min(lanes, waiting.count)) {
      const uvec4 those = subgroupBallot(rows != 0);
      const u32 at = filled + subgroupBallotExclusiveBitCount(those);
      if (rows != 0 && at < lanes) {
        lists[waiting.base + at] = first_row + row_of_bit(findLSB(rows));
        rows &= rows - 1;
      }
      filled += subgroupBallotBitCount(those);
    }
    if (waiting.count < lanes && !last)
      return;
    meet();
    const u32 next = lists[waiting.base + lane];
    meet();
    take(next, lane < waiting.count, last, adding);
    if (last)
      return;
    waiting.count -= lanes;
    number -= lanes;
    filled = 0;
  }
}

/* ---- Tiles ---- */

/* The rows of this thread that are among the first `count` of a stretch. */
u32 rows_before(u32 count) {
  u32 rows = 0;
  if (count >= lanes_of_subgroup() * PART * PARTS)
    return ~0u;
  [[unroll]] for (u32 p = 0; p < PARTS; p++) {
    const u32 first = (p * lanes_of_subgroup() + gl_SubgroupInvocationID) * PART;
    [[unroll]] for (u32 r = 0; r < PART; r++)
      rows |= u32(first + r < count) << BIT(p, r);
  }
  return rows;
}

/* Ask for a tile, whose number comes to the first thread. */
u32 ask() {
  return gl_LocalInvocationIndex == 0 ? atomicAdd(AT(a.counters, 1), 1) : 0;
}

/* The tile that was asked for. While some threads read it, others may be on the way to the next one, but no further. */
u32 answer(u32 asked, u32 turn) {
  if (gl_LocalInvocationIndex == 0)
    next_tiles[turn % 2] = asked;
  barrier();
  return next_tiles[turn % 2];
}

/* The rows of a tile: beyond the last one it has none. The last ones, half as many as there are workers, are cut into
 * stretches, so that workers are done at about the same time. */
struct tile_rows {
  u32 begin, count;
};

tile_rows tile_of(u32 number) {
  const u32 whole = a.rows / a.tile, large = whole - min(whole, gl_NumWorkGroups.x / 2);
  const bool small = number >= large;
  const u32 size = small ? ENGINE_STRETCH : a.tile;
  const u64 begin = small ? u64(large) * a.tile + u64(number - large) * ENGINE_STRETCH : u64(number) * a.tile;
  return begin < a.rows ? tile_rows(u32(begin), min(size, a.rows - u32(begin))) : tile_rows(0, 0);
}

/* RTCUDB, section 2.1 "tile-based execution model". */
/* After the last tile comes an empty stretch, with which all that waits is taken: one copy of what is called for each
 * stretch is what the cache of instructions has room for. The next tile is asked for before work on one begins. */
void take_tiles(u32 asked) {
  const u32 list = 2 * lanes_of_subgroup() * gl_SubgroupID, reach = lanes_of_subgroup() * PART * PARTS;
  queue waiting = queue(list, 0), adding = queue(list + lanes_of_subgroup(), 0);
  bool last = false;
  for (u32 turn = 0; !last; turn++) {
    const tile_rows t = tile_of(answer(asked, turn));
    last = t.count == 0;
    asked = last ? 0 : ask();
    const u32 before = gl_SubgroupID * reach;
    u32 row = t.begin + before, left = last ? 1 : t.count - min(t.count, before);
    while (left > 0) {
      u32 rows = last ? 0 : rows_before(left);
      rows = narrow_all(row, rows);
      if (ADD_MODE == ADD_SHARED)
        take_rounds(row, rows, last, waiting, adding);
      else
        take_stretch(row, rows, last, waiting, adding);
      row += ENGINE_STRETCH;
      left -= min(left, ENGINE_STRETCH);
    }
  }
}

/* ---- Groups that have rows ---- */

/* Whether all other workers are done. */
bool is_last_worker() {
  memoryBarrierBuffer();
  barrier();
  if (gl_LocalInvocationIndex == 0) {
    memoryBarrierBuffer(); /* what the others have made available comes before the count, too */
    next_tiles[0] = atomicAdd(AT(a.counters, 2), 1);
    memoryBarrierBuffer();
  }
  barrier();
  return next_tiles[0] == gl_NumWorkGroups.x - 1;
}

/* List the groups that have rows, as engine_compact() does. */
void list_groups(engine_query q) {
  memoryBarrierBuffer();
  for (u32 group = gl_LocalInvocationIndex; group < q.group_count; group += THREADS) {
    const u64 cell = u64(group) * q.slots, rows = take_global(q.groups, cell);
    if (rows == 0)
      continue;
    const u32 place = atomicAdd(AT(a.counters, 0), 1);
    u64_ptr to = u64_ptr(u64(a.counters) + ENGINE_FOUND + u64(place) * (q.slots + 1) * 8);
    AT(to, 0) = group;
    AT(to, 1) = rows;
    for (u32 s = 1; s < q.slots; s++)
      AT(to, s + 1) = take_global(q.groups, cell + s);
  }
  if (gl_LocalInvocationIndex == 0)
    AT(a.counters, 1) = AT(a.counters, 2) = 0;
}

/* RTCUDB, section 6.1 "we emulate the implementation of Crystal on SSB queries". */
void main() {
  const u32 asked = ask();
  if (a.first + gl_WorkGroupID.x == 0 && gl_LocalInvocationIndex == 0)
    atomicExchange(AT(a.counters, 0), 0u); /* seen by the worker that lists groups */
  if (ADD_MODE != ADD_MEMORY)
    clear_shared();
  prepare_early();
  barrier();
  take_tiles(asked);
  if (ADD_MODE != ADD_MEMORY) {
    barrier();
    flush_shared(query());
  }
  if (AT(a.query, 0).group_count <= ENGINE_FEW_GROUPS && is_last_worker())
    list_groups(query());
}
