/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/star/star_sums.glsl.h"

COMPUTE(star_collect_args, 64)

/* One slot of all copies, which become 0. */
u64 take(u32 group, u32 slot, u32 flag) {
  u64 value = 0;
  for (u32 copy = 0; copy < AT(a.query, 0).copies; copy++) {
    const u32 i = (copy * AT(a.query, 0).group_count + group) * AT(a.query, 0).slot_count + slot;
    const u64 part = AT(AT(a.query, 0).sums, i);
    if (part != 0)
      AT(AT(a.query, 0).sums, i) = 0;
    value = star_combine(flag, value, part);
  }
  return value;
}

MAIN_ITEM(group) {
  const u64 rows = take(group, 0, STAR_COUNT);
  if (rows == 0)
    return;
  const u32 size = 1 + AT(a.query, 0).slot_count;
  u64 at = 1ul + atomicAdd(AT(a.found, 0), 1ul) * size;
  AT(a.found, at) = group;
  AT(a.found, at + 1) = rows;
  u32 slot = 1;
  for (u32 m = 0; m < AT(a.query, 0).measure_count; m++)
    for (u32 flag = STAR_COUNT; flag <= STAR_MAX; flag <<= 1)
      if ((AT(a.query, 0).measures[m].slots & flag) != 0) {
        AT(a.found, at + 1 + slot) = take(group, slot, flag);
        slot++;
      }
}
