/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_STAR_STAR_SUMS_GLSL_H
#define RDX_KERNELS_STAR_STAR_SUMS_GLSL_H

/* GLSL: adding rows to accumulators. */

#extension GL_EXT_shader_atomic_int64 : require

#include "kernels/star/star.h"

/* What a code adds to a slot of one flag. */
u64 star_part(u64 code, u32 flag, u32 slots) {
  if (flag == STAR_COUNT)
    return 1ul;
  if (flag == STAR_SUM)
    return (slots & STAR_HIGH) != 0 ? code & 0xfffffffful : code;
  return flag == STAR_HIGH ? code >> 32 : flag == STAR_LEAST ? ~code : code;
}

u64 star_combine(u32 flag, u64 x, u64 y) {
  return flag >= STAR_LEAST ? max(x, y) : x + y;
}

void star_merge(u64_ptr sums, u32 slot, u32 flag, u64 part) {
  if (flag >= STAR_LEAST)
    atomicMax(AT(sums, slot), part);
  else
    atomicAdd(AT(sums, slot), part);
}

/* Add a row (algorithm 1, lines 5 and 6). */
void star_add_row(star_query_ptr query, u32 copy, u32 row) {
  const u32 group = u32(star_load(AT(query, 0).groups, AT(query, 0).group_bytes, row));
  u64_ptr sums = AT(query, 0).sums;
  u32 slot = (copy * AT(query, 0).group_count + group) * AT(query, 0).slot_count;
  atomicAdd(AT(sums, slot), 1ul);
  slot++;
  for (u32 m = 0; m < AT(query, 0).measure_count; m++) {
    const u32 slots = AT(query, 0).measures[m].slots;
    const u64 code = star_load(AT(query, 0).measures[m].codes, AT(query, 0).measures[m].bytes, row);
    if (star_is_null(slots, code, AT(query, 0).measures[m].null_code)) {
      slot += bitCount(slots & ~STAR_NULLS);
      continue;
    }
    for (u32 flag = STAR_COUNT; flag <= STAR_MOST; flag <<= 1)
      if ((slots & flag) != 0)
        star_merge(sums, slot++, flag, star_part(code, flag, slots));
  }
}

/* Rows of one group that follow each other, of a simple query. */
void star_flush(star_query_ptr query, u32 copy, u32 group, u64 rows, u64 sum) {
  const u32 slots = AT(query, 0).slot_count, slot = (copy * AT(query, 0).group_count + group) * slots;
  if (rows > 0)
    atomicAdd(AT(AT(query, 0).sums, slot), rows);
  if (rows > 0 && slots > 1)
    atomicAdd(AT(AT(query, 0).sums, slot + 1), sum);
}

/* Add the rows begin .. end - 1, all of them or those whose place lies in some of `ranges`; returns how many. */
u32 star_add_block(star_query_ptr query, u32 copy, u32 begin, u32 end, bool all, u32_ptr places, u32_ptr ranges,
                   u32 first_range, u32 range_count) {
  u32 group = 0, added = 0;
  u64 rows = 0, sum = 0;
  for (u32 i = begin; i < end; i++) {
    if (!all && !star_inside(ranges, first_range, range_count, AT(places, i)))
      continue;
    added++;
    if (AT(query, 0).simple == 0) {
      star_add_row(query, copy, i);
      continue;
    }
    const u32 next = u32(star_load(AT(query, 0).groups, AT(query, 0).group_bytes, i));
    if (next != group) {
      star_flush(query, copy, group, rows, sum);
      group = next;
      rows = sum = 0;
    }
    rows++;
    if (AT(query, 0).measure_count > 0)
      sum += star_load(AT(query, 0).measures[0].codes, AT(query, 0).measures[0].bytes, i);
  }
  star_flush(query, copy, group, rows, sum);
  return added;
}

#endif
