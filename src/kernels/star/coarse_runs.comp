/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/star/coarse_cube.h"
#include "kernels/star/star_sums.glsl.h"

/* Add up runs of the blocks that rays met. Neighbours among these mostly are of one group. */

COMPUTE(coarse_runs_args, COARSE_GROUP)

/* Runs first .. end - 1, of one group, by their totals. */
void add_totals(u32 copy, u32 group, u32 rows, u32 first, u32 end) {
  u64_ptr sums = AT(a.query, 0).sums;
  u32 slot = (copy * AT(a.query, 0).group_count + group) * AT(a.query, 0).slot_count;
  atomicAdd(AT(sums, slot), u64(rows));
  slot++;
  for (u32 m = 0; m < AT(a.query, 0).measure_count; m++) {
    const u32 slots = AT(a.query, 0).measures[m].slots;
    star_totals t = AT(a.runs, 0).totals[m];
    if ((slots & STAR_COUNT) != 0)
      atomicAdd(AT(sums, slot++), AT(t.counts, end) - AT(t.counts, first));
    if ((slots & STAR_SUM) != 0)
      atomicAdd(AT(sums, slot++), AT(t.sums, end) - AT(t.sums, first));
  }
}

void add_runs(u32 copy, inout star_sum s, u32 first, u32 end) {
  u32_ptr groups = AT(a.runs, 0).groups, next_group_run = AT(a.runs, 0).next_group_run, starts = AT(a.runs, 0).starts;
  for (u32 k = first, next; k < end; k = next) {
    const u32 group = IS_NULL(groups) ? 0 : AT(groups, k);
    next = IS_NULL(next_group_run) ? end : min(AT(next_group_run, k), end);
    const u32 rows = AT(starts, next) - AT(starts, k);
    if (AT(a.query, 0).simple == 0) {
      add_totals(copy, group, rows, k, next);
      continue;
    }
    if (group != s.group) {
      star_flush(a.query, copy, s);
      s = star_sum(group, 0, 0);
    }
    s.rows += rows;
    if (AT(a.query, 0).measure_count > 0)
      s.sum += AT(AT(a.runs, 0).totals[0].sums, next) - AT(AT(a.runs, 0).totals[0].sums, k);
  }
}

void add_share(u32 copy, inout star_sum s, u32 block, u32 share, star_piece piece) {
  const u32 first = AT(a.block_runs, block), count = AT(a.block_runs, block + 1) - first,
            begin = first + star_part(count, share, a.shares), end = first + star_part(count, share + 1, a.shares),
            stop = piece.first_range + piece.range_count;
  u32 range = star_interval(a.ranges, piece.first_range, piece.range_count, begin);
  for (; range < stop && AT(a.ranges, 2 * range) < end; range++)
    add_runs(copy, s, max(begin, AT(a.ranges, 2 * range)), min(end, AT(a.ranges, 2 * range + 1)));
}

MAIN_ITEM(part) {
  const u32 copy = part % AT(a.query, 0).copies, hits = AT(a.hit_list, 0),
            begin = star_part(hits * a.shares, part, a.parts), end = star_part(hits * a.shares, part + 1, a.parts);
  star_sum s = star_sum(0, 0, 0);
  for (u32 k = begin; k < end; k++) {
    const u32 i = k / a.shares;
    add_share(copy, s, AT(a.hit_list, 1 + 2 * i), k % a.shares, AT(a.pieces, AT(a.hit_list, 2 + 2 * i)));
  }
  star_flush(a.query, copy, s);
  if (part == 0 && !IS_NULL(a.counters))
    atomicAdd(AT(a.counters, 0), u64(hits));
}
