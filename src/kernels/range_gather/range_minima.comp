/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/range_gather/range_gather.h"

layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { range_minima_args a; };

void main() {
  if (gl_GlobalInvocationID.x < a.count)
    take_minimum(a, a.first + gl_GlobalInvocationID.x);
}
