/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_STAR_STAR_SUMS_GLSL_H
#define RDX_KERNELS_STAR_STAR_SUMS_GLSL_H

/* GLSL: adding rows to accumulators. */

#extension GL_EXT_shader_atomic_int64 : require

#include "kernels/star/aggregate.h"

/* What a code adds to a slot of one flag. */
u64 star_part(u64 code, u32 flag, u32 slots) {
  if (flag == STAR_COUNT)
    return 1ul;
  if (flag == STAR_SUM)
    return (slots & STAR_HIGH) != 0 ? code & 0xfffffffful : code;
  return flag == STAR_HIGH ? code >> 32 : flag == STAR_MIN ? ~code : code;
}

u64 star_combine(u32 flag, u64 x, u64 y) {
  return flag >= STAR_MIN ? max(x, y) : x + y;
}

void star_merge(u64_ptr sums, u32 slot, u32 flag, u64 part) {
  if (flag >= STAR_MIN)
    atomicMax(AT(sums, slot), part);
  else
    atomicAdd(AT(sums, slot), part);
}

/* Add a code to the slots of its measure; returns the slot after them. */
u32 star_add_code(u64_ptr sums, u32 slot, u64 code, star_measure m) {
  if (star_is_null(m.slots, code, m.null_code))
    return slot + bitCount(m.slots & ~STAR_NULLS);
  for (u32 flag = STAR_COUNT; flag <= STAR_MAX; flag <<= 1)
    if ((m.slots & flag) != 0)
      star_merge(sums, slot++, flag, star_part(code, flag, m.slots));
  return slot;
}

/* Add a row (algorithm 1, lines 5 and 6). */
void star_add_row(star_query_ptr query, u32 copy, u32 row) {
  const u32 group = u32(star_load(AT(query, 0).groups, AT(query, 0).group_bytes, row));
  u64_ptr sums = AT(query, 0).sums;
  u32 slot = (copy * AT(query, 0).group_count + group) * AT(query, 0).slot_count;
  atomicAdd(AT(sums, slot), 1ul);
  slot++;
  for (u32 m = 0; m < AT(query, 0).measure_count; m++)
    slot = star_add_code(sums, slot, star_load(AT(query, 0).measures[m].codes, AT(query, 0).measures[m].bytes, row),
                         AT(query, 0).measures[m]);
}

/* Rows of one group, of a simple query. */
struct star_sum {
  u32 group;
  u32 rows;
  u64 sum;
};

void star_flush(star_query_ptr query, u32 copy, star_sum s) {
  const u32 slots = AT(query, 0).slot_count, slot = (copy * AT(query, 0).group_count + s.group) * slots;
  if (s.rows == 0)
    return;
  atomicAdd(AT(AT(query, 0).sums, slot), u64(s.rows));
  if (slots > 1)
    atomicAdd(AT(AT(query, 0).sums, slot + 1), s.sum);
}

/* Add a row, to a sum that is flushed where the group changes. Rows of a group mostly follow each other. */
void star_add(star_query_ptr query, u32 copy, inout star_sum s, u32 row) {
  if (AT(query, 0).simple == 0) {
    star_add_row(query, copy, row);
    return;
  }
  const u32 group = u32(star_load(AT(query, 0).groups, AT(query, 0).group_bytes, row));
  if (group != s.group) {
    star_flush(query, copy, s);
    s = star_sum(group, 0, 0);
  }
  s.rows++;
  if (AT(query, 0).measure_count > 0)
    s.sum += star_load(AT(query, 0).measures[0].codes, AT(query, 0).measures[0].bytes, row);
}

#endif
