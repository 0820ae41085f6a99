/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/star/coarse_cube.h"
#include "kernels/star/star_sums.glsl.h"

/* Add up the blocks that rays met: a workgroup one share of a block after the other, a lane a row of it. */

COMPUTE(coarse_add_args, COARSE_GROUP)

shared star_sum lanes[COARSE_GROUP];
shared u32 places[COARSE_GROUP];

bool same(u32 x, u32 y) {
  return lanes[x].group == lanes[y].group && places[x] == places[y];
}

/* Rows of a group (by_place: and of a place) follow each other in a block: the first of them adds all up. After the
 * step of 2^k lanes[i] is the sum of those of the next 2^k lanes that are the same. */
void add_simple(u32 copy, bool exists, bool counts, u32 row) {
  const u32 lane = gl_LocalInvocationIndex;
  star_sum s = star_sum(0xffffffff, 0, 0);
  if (exists)
    s.group = u32(star_load(AT(a.query, 0).groups, AT(a.query, 0).group_bytes, row));
  places[lane] = 0;
  if (exists && a.by_place != 0)
    places[lane] = AT(a.places, row);
  if (counts)
    star_add(a.query, copy, s, row);
  lanes[lane] = s;
  for (u32 step = 1; step < COARSE_GROUP; step *= 2) {
    barrier();
    const bool add = lane + step < COARSE_GROUP && same(lane, lane + step);
    if (add) {
      s.rows += lanes[lane + step].rows;
      s.sum += lanes[lane + step].sum;
    }
    barrier();
    lanes[lane] = s;
  }
  barrier();
  if (lane == 0 || !same(lane - 1, lane))
    star_flush(a.query, copy, s);
  barrier();
}

void add_share(u32 copy, u32 block, u32 share, star_piece piece) {
  const u32 begin = AT(a.blocks, 2 * block), end = AT(a.blocks, 2 * block + 2), rows = end - begin;
  const bool all = coarse_all(a.ranges, piece, AT(a.blocks, 2 * block + 1), a.shift);
  for (u32 at = share * COARSE_GROUP; at < rows; at += a.shares * COARSE_GROUP) {
    const u32 row = begin + at + gl_LocalInvocationIndex;
    const bool exists = at + gl_LocalInvocationIndex < rows;
    const bool counts =
        exists && (all || star_inside(a.ranges, piece.first_range, piece.range_count, AT(a.places, row)));
    if (AT(a.query, 0).simple != 0)
      add_simple(copy, exists, counts, row);
    else if (counts)
      star_add_row(a.query, copy, row);
  }
  if (!IS_NULL(a.counters) && share == 0 && gl_LocalInvocationIndex == 0) {
    atomicAdd(AT(a.counters, 0), 1ul);
    atomicAdd(AT(a.counters, 1), u64(rows));
  }
}

void main() {
  const u32 part = a.first / COARSE_GROUP + gl_WorkGroupID.x, all = AT(a.hit_list, 0) * a.shares;
  for (u32 k = part; k < all; k += a.parts) {
    const u32 i = k / a.shares, block = AT(a.hit_list, 1 + 2 * i), piece = AT(a.hit_list, 2 + 2 * i);
    add_share(part % AT(a.query, 0).copies, block, k % a.shares, AT(a.pieces, piece));
  }
}
