/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/range_gather/range_gather.h"

layout(constant_id = 0) const u32 GATHER = GATHER_SUM;
layout(constant_id = 1) const u32 VALUE = VALUE_U32;
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { prefix_sum_args a; };

void main() {
  if (gl_GlobalInvocationID.x < a.count)
    prefix_difference(a, a.first + gl_GlobalInvocationID.x, GATHER, VALUE);
}
