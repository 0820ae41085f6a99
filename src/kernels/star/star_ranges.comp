/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/packed/atomic_add.glsl.h"
#include "kernels/star/star_sums.glsl.h"

/* Add up ranges of rows. A workgroup first adds up its own rows: without groups slot by slot, with few in shared
 * memory. */

COMPUTE(star_ranges_args, STAR_GROUP)

const u32 each = STAR_WORK / STAR_GROUP;
shared u64 lanes[STAR_GROUP];

void reduce(u32 copy, u32 slot, u32 flag, u64 value) {
  const u32 lane = gl_LocalInvocationIndex;
  lanes[lane] = value;
  for (u32 step = STAR_GROUP / 2; step > 0; step /= 2) {
    barrier();
    if (lane < step)
      lanes[lane] = star_combine(flag, lanes[lane], lanes[lane + step]);
  }
  if (lane == 0 && lanes[0] != 0)
    star_merge(AT(a.query, 0).sums, copy * AT(a.query, 0).slot_count + slot, flag, lanes[0]);
  barrier();
}

void add_ungrouped(u32 copy, u32 rows[each], u32 count) {
  reduce(copy, 0, STAR_COUNT, count);
  u32 slot = 1;
  for (u32 m = 0; m < AT(a.query, 0).measure_count; m++) {
    star_measure measure = AT(a.query, 0).measures[m];
    for (u32 flag = STAR_COUNT; flag <= STAR_MAX; flag <<= 1) {
      if ((measure.slots & flag) == 0)
        continue;
      u64 value = 0;
      for (u32 k = 0; k < count; k++) {
        const u64 code = star_load(measure.codes, measure.bytes, rows[k]);
        if (!star_is_null(measure.slots, code, measure.null_code))
          value = star_combine(flag, value, star_part(code, flag, measure.slots));
      }
      reduce(copy, slot++, flag, value);
    }
  }
}

/* Sums of the workgroup's rows, a u64 each, low half first. */
#define CELLS 2048u
shared u32 cells[2 * CELLS];

void add_shared(u32 cell, u64 x) {
  ATOMIC_ADD_U64(cells[2 * cell], cells[2 * cell + 1], x)
}

/* Whether groups are few and everything is a sum. */
bool fits_shared() {
  bool sums = AT(a.query, 0).group_count <= CELLS / AT(a.query, 0).slot_count;
  for (u32 m = 0; m < AT(a.query, 0).measure_count && sums; m++)
    sums = (AT(a.query, 0).measures[m].slots & (STAR_MIN | STAR_MAX)) == 0;
  return sums;
}

void add_row_shared(u32 row) {
  const u32 group = u32(star_load(AT(a.query, 0).groups, AT(a.query, 0).group_bytes, row));
  u32 cell = group * AT(a.query, 0).slot_count;
  add_shared(cell++, 1);
  for (u32 m = 0; m < AT(a.query, 0).measure_count; m++) {
    star_measure measure = AT(a.query, 0).measures[m];
    const u64 code = star_load(measure.codes, measure.bytes, row);
    const bool null = star_is_null(measure.slots, code, measure.null_code);
    for (u32 flag = STAR_COUNT; flag <= STAR_HIGH; flag <<= 1) {
      if ((measure.slots & flag) == 0)
        continue;
      if (!null)
        add_shared(cell, star_part(code, flag, measure.slots));
      cell++;
    }
  }
}

void add_grouped(u32 copy, u32 rows[each], u32 count) {
  const u32 used = AT(a.query, 0).group_count * AT(a.query, 0).slot_count;
  for (u32 k = gl_LocalInvocationIndex; k < 2 * used; k += STAR_GROUP)
    cells[k] = 0;
  barrier();
  for (u32 k = 0; k < count; k++)
    add_row_shared(rows[k]);
  barrier();
  for (u32 k = gl_LocalInvocationIndex; k < used; k += STAR_GROUP) {
    const u64 x = u64(cells[2 * k + 1]) << 32 | cells[2 * k];
    if (x != 0)
      atomicAdd(AT(AT(a.query, 0).sums, copy * used + k), x);
  }
}

void main() {
  const u32 block = a.first / STAR_GROUP + gl_WorkGroupID.x;
  const u32 copy = block % AT(a.query, 0).copies;
  u32 rows[each], count = 0;
  for (u32 k = 0; k < each; k++) {
    const u32 i = block * STAR_WORK + k * STAR_GROUP + gl_LocalInvocationIndex;
    if (i < a.rows) {
      const u32 range = star_find(a.ranges, a.range_count, i);
      rows[count++] = AT(a.ranges, a.range_count + range) + (i - AT(a.ranges, range));
    }
  }
  if (AT(a.query, 0).group_bytes == 0)
    add_ungrouped(copy, rows, count);
  else if (fits_shared())
    add_grouped(copy, rows, count);
  else
    for (u32 k = 0; k < count; k++)
      star_add_row(a.query, copy, rows[k]);
}
