/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#extension GL_EXT_control_flow_attributes : require
#include "kernels/range_gather/range_gather.h"

/* A workgroup gathers the values of a tile, its threads those of entries side by side; then each takes a block. */

#define TILE_THREADS PREFIX_TILE
COMPUTE(prefix_blocks_args, TILE_THREADS)

#include "device/group_scan.glsl.h"

shared u32 ordered[PREFIX_TILE_ENTRIES];

void write_blocks(prefix_sums part, u32 values[PREFIX_BLOCK]) {
  const u32 lane = GROUP_LANE, group = gl_WorkGroupID.x * PREFIX_TILE, block = a.first + group + lane;
  [[unroll]] for (u32 k = 0; k < PREFIX_BLOCK; k++)
    ordered[k * PREFIX_TILE + lane] = values[k];
  barrier();
  prefix_block mine;
  u64 sum = 0, total;
  [[unroll]] for (u32 k = 0; k < PREFIX_BLOCK; k++) {
    const u32 value = ordered[lane * PREFIX_BLOCK + k];
    if (k < PREFIX_BLOCK - 1)
      mine.values[k] = value;
    sum += value;
  }
  mine.before = group_exclusive_sum(sum, total);
  if (group + lane < a.count)
    AT(part.blocks, block) = mine;
  if (lane == 0)
    AT(part.tiles, block / PREFIX_TILE) = total;
}

void main() {
  const u32 first = (a.first + gl_WorkGroupID.x * PREFIX_TILE) * PREFIX_BLOCK;
  u32 low[PREFIX_BLOCK], high[PREFIX_BLOCK], present[PREFIX_BLOCK];
  [[unroll]] for (u32 k = 0; k < PREFIX_BLOCK; k++) {
    const u32 ahead = k * PREFIX_TILE + GROUP_LANE;
    prefix_value value = prefix_value(0, 0, 0);
    if (ahead < a.n - first)
      value = prefix_value_of(a, first + ahead);
    low[k] = value.low;
    high[k] = value.high;
    present[k] = value.present;
  }
  write_blocks(a.low, low);
  if (!IS_NULL(a.high.blocks))
    write_blocks(a.high, high);
  if (!IS_NULL(a.present.blocks))
    write_blocks(a.present, present);
}
