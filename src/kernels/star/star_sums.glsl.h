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

#endif
