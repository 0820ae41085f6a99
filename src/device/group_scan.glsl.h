/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_DEVICE_GROUP_SCAN_GLSL_H
#define RDX_DEVICE_GROUP_SCAN_GLSL_H

/* GLSL: an exclusive prefix sum over the TILE_THREADS threads of a workgroup, by subgroups, without operations of those
 * on 64 bits, which not every device has. A thread's place is GROUP_LANE. */

#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#define GROUP_LANE (gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID)

u64 sum_of_lane(u64 sum, u32 lane) {
  return u64(subgroupShuffle(u32(sum >> 32), lane)) << 32 | subgroupShuffle(u32(sum), lane);
}

u64 subgroup_inclusive_sum(u64 value) {
  const u32 lane = gl_SubgroupInvocationID;
  for (u32 step = 1; step < gl_SubgroupSize; step *= 2) {
    const u64 left = sum_of_lane(value, max(lane, step) - step);
    value += lane >= step ? left : 0ul;
  }
  return value;
}

shared u64 group_sums[TILE_THREADS]; /* of subgroups */

u64 group_exclusive_sum(u64 value, out u64 total) {
  const u64 inclusive = subgroup_inclusive_sum(value);
  if (gl_SubgroupInvocationID == gl_SubgroupSize - 1)
    group_sums[gl_SubgroupID] = inclusive;
  barrier();
  u64 before = 0;
  total = 0;
  for (u32 s = 0; s < gl_NumSubgroups; s++) {
    before = s == gl_SubgroupID ? total : before;
    total += group_sums[s];
  }
  barrier();
  return before + inclusive - value;
}

#endif
