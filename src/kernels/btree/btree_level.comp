/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/btree/btree.h"

layout(constant_id = 0) const u32 KEY64 = 0;
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { btree_level_args a; };

void main() {
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  const u32 i = a.first + gl_GlobalInvocationID.x;
  store_key(a.level, i,
            i + 1 < a.size ? load_key(a.below, i * BTREE_WIDTH + a.last, KEY64) : btree_largest_key(KEY64), KEY64);
}
