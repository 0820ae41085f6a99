/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "kernels/range_gather/range_gather.h"

/* LANES threads walk along a span side by side. */

layout(constant_id = 0) const u32 GATHER = GATHER_COUNT;
layout(constant_id = 1) const u32 VALUE = VALUE_U32;
layout(constant_id = 2) const u32 LANES = 8; /* 1, 4 or 8 */
COMPUTE(range_gather_args, 256)

u64 from_lane(u64 x, u32 distance) {
  return packUint2x32(subgroupShuffleXor(unpackUint2x32(x), distance));
}

/* RX, section 4.9 "warp-level aggregation". */
void join(inout findings f, u32 distance) {
  f.count += subgroupShuffleXor(f.count, distance);
  f.first = min(f.first, subgroupShuffleXor(f.first, distance));
  f.sum += from_lane(f.sum, distance);
  f.high += from_lane(f.high, distance);
}

void main() {
  const u32 lane = gl_LocalInvocationIndex % LANES, each = 256 / LANES;
  const u32 item = gl_WorkGroupID.x * each + gl_LocalInvocationIndex / LANES;
  const bool inside = item < a.count;
  const u32 i = a.first + (inside ? item : 0);
  const u32 begin = AT(a.begin, i), size = inside ? AT(a.size, i) : 0;
  const u32 to = GATHER == GATHER_ROWS ? u32(AT(a.io.offsets, i)) : 0;
  findings f = FOUND_NONE;
  for (u32 k = lane; k < size; k += LANES) {
    const u32 row = ROW_OF_ENTRY(a, begin + k);
    if (GATHER == GATHER_ROWS)
      AT(a.io.out_rows, to + k) = row;
    else
      f = found_add(f, a.io, row, to, GATHER, VALUE);
  }
  if (LANES >= 4) {
    join(f, 1);
    join(f, 2);
  }
  if (LANES == 8)
    join(f, 4);
  if (inside && lane == 0)
    found_store(f, a.io, i, GATHER);
}
