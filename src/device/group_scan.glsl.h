/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_DEVICE_GROUP_SCAN_GLSL_H
#define RDX_DEVICE_GROUP_SCAN_GLSL_H

/* GLSL: an exclusive prefix sum over the TILE_THREADS threads of a workgroup, without subgroup operations on 64 bits,
 * which not every device has. */

shared u64 group_lanes[TILE_THREADS];

u64 group_exclusive_sum(u64 value, out u64 total) {
  const u32 lane = gl_LocalInvocationIndex;
  group_lanes[lane] = value;
  barrier();
  for (u32 step = 1; step < TILE_THREADS; step *= 2) {
    const u64 left = lane >= step ? group_lanes[lane - step] : 0ul;
    barrier();
    group_lanes[lane] += left;
    barrier();
  }
  total = group_lanes[TILE_THREADS - 1];
  const u64 inclusive = group_lanes[lane];
  barrier();
  return inclusive - value;
}

#endif
