/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/range_gather/range_gather.h"

layout(constant_id = 0) const u32 GATHER = GATHER_COUNT;
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { range_join_args a; };

#include "kernels/lookup/found.h"

void main() {
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  const u32 i = a.first + gl_GlobalInvocationID.x;
  found f = FOUND_NONE;
  JOIN_PIECES(f, i, GATHER)
  FOUND_STORE(f, i, GATHER);
}
