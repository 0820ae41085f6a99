/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/range_gather/range_gather.h"

layout(constant_id = 0) const u32 GATHER = GATHER_COUNT;
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { range_join_args a; };

void main() {
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  const u32 i = a.first + gl_GlobalInvocationID.x;
  found_store(join_pieces(a, i, GATHER), a.io, i, GATHER);
}
