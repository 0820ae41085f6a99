/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "device/vulkan/shaders/primitives.h"

/* A workgroup for each pass: from how often each digit stands in all keys to where its keys begin. */

layout(local_size_x = TILE_THREADS) in;
layout(push_constant, scalar) uniform push { radix_bins_args a; };

#include "device/group_scan.glsl.h"

void main() {
  const u32 bin = (a.first + gl_WorkGroupID.x) * RADIX + GROUP_LANE;
  u64 total;
  AT(a.bins, bin) = u32(group_exclusive_sum(AT(a.bins, bin), total));
}
