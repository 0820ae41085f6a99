/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "kernels/column_engine/column_engine.h"
#include "kernels/column_engine/rows.glsl.h"

// variants: ATOMIC32 ATOMIC64

/* A workgroup per tile; a thread takes ROWS consecutive rows at a time, whose codes come in whole words, and whose
 * loads are under way together. */

#define THREADS 256
#define ROWS 8 /* of a thread at a time */

layout(constant_id = 0) const u32 ADD_MODE = 0;
layout(constant_id = 1) const u32 TERMS = 0;
layout(constant_id = 2) const u32 LINKS = 0;
layout(constant_id = 3) const u32 PARTS = 0;
layout(constant_id = 4) const u32 MEASURES = 0;
layout(constant_id = 5) const u32 TESTS = 0;
layout(constant_id = 6) const u32 SLOTS = 1;
layout(local_size_x = THREADS) in;
layout(push_constant, scalar) uniform push { engine_tile_args a; };

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer uvec4_ptr {
  uvec4 v[];
};
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer uvec2_ptr {
  uvec2 v[];
};

/* A u64 each, low half first. */
shared u32 cells[2 * ENGINE_SHARED_CELLS];

/* The codes of ROWS rows from `row` on, a multiple of ROWS; of at most 4 bytes. */
void load_codes(u32_ptr codes, u32 bytes, u32 row, out u32 found[ROWS]) {
  if (bytes == 1) {
    const uvec2 w = AT(uvec2_ptr(u64(codes)), row / 8);
    [[unroll]] for (u32 k = 0; k < ROWS; k++)
      found[k] = w[k / 4] >> (k % 4 * 8) & 0xffu;
  } else if (bytes == 2) {
    const uvec4 w = AT(uvec4_ptr(u64(codes)), row / 8);
    [[unroll]] for (u32 k = 0; k < ROWS; k++)
      found[k] = w[k / 2] >> (k % 2 * 16) & 0xffffu;
  } else {
    const uvec4 low = AT(uvec4_ptr(u64(codes)), row / 4), high = AT(uvec4_ptr(u64(codes)), row / 4 + 1);
    [[unroll]] for (u32 k = 0; k < ROWS; k++)
      found[k] = k < 4 ? low[k] : high[k - 4];
  }
}

/* Of `rows`, a bit each from `row` on, those for which a term holds. Its attribute is of the fact table. */
u32 narrow(engine_query q, engine_term term, u32 t, u32 row, u32 rows) {
  u32 found = 0;
  if (term.bytes == 8) {
    for (u32 k = 0; k < ROWS; k++)
      if ((rows >> k & 1u) != 0 && engine_holds(q.terms, q.numbers, t, row + k))
        found |= 1u << k;
    return found;
  }
  u32 codes[ROWS];
  load_codes(term.codes, term.bytes, row, codes);
  [[unroll]] for (u32 k = 0; k < ROWS; k++)
    found |= u32(codes[k] - u32(term.low) <= u32(term.span)) << k;
  found &= rows;
  if (term.count == 1)
    return found;
  for (u32 k = 0; k < ROWS; k++)
    if ((found >> k & 1u) != 0 && !engine_in_set(q.numbers, term.set, term.count, codes[k] - u32(term.low)))
      found &= ~(1u << k);
  return found;
}

/* The same for a dimension, whose part is added to the groups. All rows are looked up, those that are out at place 0,
 * so that the loads are under way together. */
u32 follow(engine_link link, u32 row, u32 rows, inout u32 groups[ROWS]) {
  u32 codes[ROWS];
  load_codes(link.partners, link.bytes, row, codes);
  [[unroll]] for (u32 k = 0; k < ROWS; k++)
    codes[k] = AT(link.table, (rows >> k & 1u) != 0 ? codes[k] : 0);
  [[unroll]] for (u32 k = 0; k < ROWS; k++) {
    rows &= codes[k] == NO_LINK ? ~(1u << k) : ~0u;
    groups[k] += codes[k]; /* of no use where it is NO_LINK */
  }
  return rows;
}

void add_shared(u32 cell, u64 x) {
  ADD_HALVES(cells[2 * cell], cells[2 * cell + 1], x)
}

bool takes_largest(engine_query q, u32 slot) {
  return (q.max_slots >> slot & 1ul) != 0;
}

void flush(engine_query q, u32 cell, u64 x) {
  if (x == 0)
    return;
  if (takes_largest(q, cell % SLOTS))
    max_global(q.groups, cell, x);
  else
    add_global(q.groups, cell, x);
}

/* One group: what each thread has found, joined. */
void flush_single(engine_query q, u64 found[SLOTS]) {
  const u32 lane = gl_LocalInvocationIndex;
  for (u32 s = 0; s < SLOTS; s++) {
    cells[2 * lane] = u32(found[s]);
    cells[2 * lane + 1] = u32(found[s] >> 32);
    for (u32 step = THREADS / 2; step > 0; step /= 2) {
      barrier();
      if (lane < step) {
        const u64 x = u64(cells[2 * lane + 1]) << 32 | cells[2 * lane];
        const u64 y = u64(cells[2 * (lane + step) + 1]) << 32 | cells[2 * (lane + step)];
        const u64 both = takes_largest(q, s) ? max(x, y) : x + y;
        cells[2 * lane] = u32(both);
        cells[2 * lane + 1] = u32(both >> 32);
      }
    }
    if (lane == 0)
      flush(q, s, u64(cells[1]) << 32 | cells[0]);
    barrier();
  }
}

void main() {
  const u32 lane = gl_LocalInvocationIndex;
  engine_query q = AT(a.query, 0);
  const u64 tile = u64(a.first + gl_WorkGroupID.x) * a.tile;
  const u64 end = min(tile + a.tile, u64(q.rows));
  u64 found[SLOTS];
  for (u32 s = 0; s < SLOTS; s++)
    found[s] = 0;
  engine_term terms[TERMS + 1]; /* none is not a length */
  engine_link links[LINKS + 1];
  [[unroll]] for (u32 t = 0; t < TERMS; t++)
    terms[t] = AT(q.terms, t);
  [[unroll]] for (u32 l = 0; l < LINKS; l++)
    links[l] = AT(q.links, l);
  if (ADD_MODE == ADD_SHARED) {
    for (u32 k = lane; k < 2 * q.group_count * SLOTS; k += THREADS)
      cells[k] = 0;
    barrier();
  }
  for (u64 at = tile + lane * ROWS; at < end; at += THREADS * ROWS) {
    const u32 row = u32(at);
    u32 rows = end - at < ROWS ? (1u << u32(end - at)) - 1 : (1u << ROWS) - 1;
    u32 groups[ROWS];
    [[unroll]] for (u32 k = 0; k < ROWS; k++)
      groups[k] = 0;
    [[unroll]] for (u32 t = 0; t < TERMS; t++)
      if (rows != 0)
        rows = narrow(q, terms[t], t, row, rows);
    [[unroll]] for (u32 l = 0; l < LINKS; l++)
      if (rows != 0)
        rows = follow(links[l], row, rows, groups);
    [[unroll]] for (u32 k = 0; k < ROWS; k++) {
      if ((rows >> k & 1u) == 0)
        continue;
      if (TESTS != 0 && !engine_passes(q.terms, q.tests, q.numbers, q.test_count, row + k))
        continue;
      u32 group = groups[k];
      for (u32 p = 0; p < PARTS; p++)
        group += u32(engine_part_of(q.parts, p, row + k));
      const u32 cell = group * SLOTS;
      if (ADD_MODE == ADD_SINGLE) {
        found[0]++;
#define ADD_FOUND(slot, x) found[slot] += x;
#define MAX_FOUND(slot, x) found[slot] = max(found[slot], x);
        TAKE_MEASURES(q, MEASURES, row + k, ADD_FOUND, MAX_FOUND)
      } else if (ADD_MODE == ADD_SHARED) {
        atomicAdd(cells[2 * cell], 1u); /* a tile has fewer rows than would carry */
#define ADD_CELL(slot, x) add_shared(cell + (slot), x);
#define MAX_CELL(slot, x) atomicMax(cells[2 * (cell + (slot))], u32(x));
        TAKE_MEASURES(q, MEASURES, row + k, ADD_CELL, MAX_CELL)
      } else {
        add_global(q.groups, cell, 1ul);
#define ADD_MEMORY(slot, x) add_global(q.groups, cell + (slot), x);
#define MAX_MEMORY(slot, x) max_global(q.groups, cell + (slot), x);
        TAKE_MEASURES(q, MEASURES, row + k, ADD_MEMORY, MAX_MEMORY)
      }
    }
  }
  if (ADD_MODE == ADD_SINGLE)
    flush_single(q, found);
  if (ADD_MODE == ADD_SHARED) {
    barrier();
    for (u32 k = lane; k < q.group_count * SLOTS; k += THREADS)
      flush(q, k, u64(cells[2 * k + 1]) << 32 | cells[2 * k]);
  }
}
