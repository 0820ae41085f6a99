/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/primitives/primitives.h"

layout(constant_id = 0) const u32 KEY64 = 0;
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { primitive_long_runs_args a; };

void main() {
  const u32 i = a.first + gl_GlobalInvocationID.x;
  if (gl_GlobalInvocationID.x < a.count && begins_long_run(a.keys, i, a.n, a.distance, KEY64))
    AT(a.long_run, 0) = 1;
}
