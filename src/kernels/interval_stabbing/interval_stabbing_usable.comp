/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/interval_stabbing/interval_stabbing.h"

layout(constant_id = 0) const u32 KEY64 = 0;
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { interval_stabbing_usable_args a; };

void main() {
  const u32 word = a.first + gl_GlobalInvocationID.x;
  if (gl_GlobalInvocationID.x < a.count)
    AT(a.bits, word) = usable_intervals(a.lower, a.upper, a.valid, word, a.n, KEY64);
}
