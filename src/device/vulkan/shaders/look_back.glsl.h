/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_DEVICE_VULKAN_LOOK_BACK_GLSL_H
#define RDX_DEVICE_VULKAN_LOOK_BACK_GLSL_H

/* GLSL: the sum of all tiles before one, for workgroups that each have a tile. The shader defines count_in_tile(), what
 * a tile has, for a thread to count alone. */

#include "device/group_scan.glsl.h"
#include "device/vulkan/shaders/tile_status.glsl.h"

#extension GL_KHR_shader_subgroup_ballot : require

u64 count_in_tile(u32 tile);

u64 publish(u32 state, u64 value) {
  return u64(state) << TILE_VALUE_BITS | min(value, TILE_VALUE_MAX); /* no memory has room for more results than that */
}

/* What the tile `back` before one has told, or is counted for it. */
u64 status_before(tile_status_ptr status, u32 tile, u32 back, u32 patience) {
  if (back > tile)
    return publish(TILE_PREFIX, 0);
  u64 word = status.v[tile - back];
  for (u32 wait = 0; word == 0 && wait < patience; wait++)
    word = status.v[tile - back];
  return word == 0 ? publish(TILE_AGGREGATE, count_in_tile(tile - back)) : word;
}

/* By a subgroup: as many tiles at once as it has lanes. */
u64 sum_before(tile_status_ptr status, u32 tile, u32 patience) {
  u64 sum = 0;
  for (u32 behind = 0;; behind += gl_SubgroupSize) {
    const u64 word = status_before(status, tile, behind + gl_SubgroupInvocationID + 1, patience);
    const uvec4 sums = subgroupBallot(u32(word >> TILE_VALUE_BITS) == TILE_PREFIX);
    const bool found = subgroupBallotBitCount(sums) > 0;
    const u32 last = found ? subgroupBallotFindLSB(sums) : gl_SubgroupSize - 1;
    const u64 value = gl_SubgroupInvocationID <= last ? word & TILE_VALUE_MAX : 0ul;
    sum += sum_of_lane(subgroup_inclusive_sum(value), gl_SubgroupSize - 1);
    if (found)
      return min(sum, TILE_VALUE_MAX);
  }
}

shared u64 tiles_before;

/* By all threads of the workgroup of a tile that has `total`. */
u64 look_back(u64_ptr sums, u32 tile, u64 total, u32 patience) {
  tile_status_ptr status = tile_status_ptr(u64(sums));
  if (tile > 0 && GROUP_LANE == 0)
    status.v[tile] = publish(TILE_AGGREGATE, total);
  if (gl_SubgroupID == 0) {
    const u64 before = sum_before(status, tile, patience);
    if (gl_SubgroupInvocationID == 0) {
      status.v[tile] = publish(TILE_PREFIX, before + total);
      tiles_before = before;
    }
  }
  barrier();
  return tiles_before;
}

#endif
