/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "kernels/range_gather/range_gather.h"

/* A workgroup gathers the values of a tile, its threads those of entries side by side; then each takes a block. */

#define TILE_THREADS SPANS_TILE
layout(local_size_x = TILE_THREADS) in;
layout(push_constant, scalar) uniform push { spans_blocks_args a; };

#include "device/group_scan.glsl.h"

shared u32 ordered[SPANS_TILE_ENTRIES];

void write_blocks(spans_sums part, u32 values[SPANS_BLOCK]) {
  const u32 lane = GROUP_LANE, group = gl_WorkGroupID.x * SPANS_TILE, block = a.first + group + lane;
  [[unroll]] for (u32 k = 0; k < SPANS_BLOCK; k++)
    ordered[k * SPANS_TILE + lane] = values[k];
  barrier();
  spans_block mine;
  u64 sum = 0, total;
  [[unroll]] for (u32 k = 0; k < SPANS_BLOCK; k++) {
    const u32 value = ordered[lane * SPANS_BLOCK + k];
    if (k < SPANS_BLOCK - 1)
      mine.values[k] = value;
    sum += value;
  }
  mine.before = group_exclusive_sum(sum, total);
  if (group + lane < a.count)
    AT(part.blocks, block) = mine;
  if (lane == 0)
    AT(part.tiles, block / SPANS_TILE) = total;
}

void main() {
  const u32 first = (a.first + gl_WorkGroupID.x * SPANS_TILE) * SPANS_BLOCK;
  u32 low[SPANS_BLOCK], high[SPANS_BLOCK], present[SPANS_BLOCK];
  [[unroll]] for (u32 k = 0; k < SPANS_BLOCK; k++) {
    const u32 ahead = k * SPANS_TILE + GROUP_LANE;
    low[k] = high[k] = present[k] = 0;
    if (ahead < a.n - first)
      SPANS_VALUE(first + ahead, low[k], high[k], present[k]);
  }
  write_blocks(a.low, low);
  if (!IS_NULL(a.high.blocks))
    write_blocks(a.high, high);
  if (!IS_NULL(a.present.blocks))
    write_blocks(a.present, present);
}
