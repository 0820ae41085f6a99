/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/star/star_sums.glsl.h"

/* Add up ranges of rows. Without groups a workgroup first adds up its own rows, slot by slot. */

layout(local_size_x = STAR_GROUP) in;
layout(push_constant, scalar) uniform push { star_ranges_args a; };

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
    for (u32 flag = STAR_COUNT; flag <= STAR_MOST; flag <<= 1) {
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
  else
    for (u32 k = 0; k < count; k++)
      star_add_row(a.query, copy, rows[k]);
}
