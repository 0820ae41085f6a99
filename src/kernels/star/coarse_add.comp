/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/star/star_sums.glsl.h"

/* Add up the blocks that rays met: a workgroup one after the other, a lane a row of it. */

layout(local_size_x = COARSE_GROUP) in;
layout(push_constant, scalar) uniform push { coarse_add_args a; };

shared star_sum lanes[COARSE_GROUP];

/* Rows of a group follow each other in a block: the first of them adds all up. After the step of 2^k lanes[i] is the
 * sum of those of the next 2^k lanes that have its group. */
void add_simple(u32 copy, bool counts, u32 row, u32 end) {
  const u32 lane = gl_LocalInvocationIndex;
  star_sum s = star_sum(0xffffffff, 0, 0);
  if (row < end)
    s.group = u32(star_load(AT(a.query, 0).groups, AT(a.query, 0).group_bytes, row));
  if (counts)
    star_add(a.query, copy, s, row);
  lanes[lane] = s;
  for (u32 step = 1; step < COARSE_GROUP; step *= 2) {
    barrier();
    const bool same = lane + step < COARSE_GROUP && lanes[lane + step].group == s.group;
    if (same) {
      s.rows += lanes[lane + step].rows;
      s.sum += lanes[lane + step].sum;
    }
    barrier();
    lanes[lane] = s;
  }
  barrier();
  if (lane == 0 || lanes[lane - 1].group != s.group)
    star_flush(a.query, copy, s);
  barrier();
}

void add_block(u32 copy, u32 block, star_piece piece) {
  const u32 begin = AT(a.blocks, 2 * block), end = AT(a.blocks, 2 * block + 2);
  const bool all = coarse_all(a.ranges, piece, AT(a.blocks, 2 * block + 1), a.shift);
  for (u32 first = begin; first < end; first += COARSE_GROUP) {
    const u32 row = first + gl_LocalInvocationIndex;
    const bool counts =
        row < end && (all || star_inside(a.ranges, piece.first_range, piece.range_count, AT(a.places, row)));
    if (AT(a.query, 0).simple != 0)
      add_simple(copy, counts, row, end);
    else if (counts)
      star_add_row(a.query, copy, row);
  }
  if (!IS_NULL(a.counters) && gl_LocalInvocationIndex == 0) {
    atomicAdd(AT(a.counters, 0), 1ul);
    atomicAdd(AT(a.counters, 1), u64(end - begin));
  }
}

void main() {
  const u32 part = a.first / COARSE_GROUP + gl_WorkGroupID.x, met = AT(a.met, 0);
  for (u32 i = part; i < met; i += a.parts)
    add_block(part % AT(a.query, 0).copies, AT(a.met, 1 + 2 * i), AT(a.pieces, AT(a.met, 2 + 2 * i)));
}
