/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/primitives/primitives.h"

layout(constant_id = 0) const u32 WORDS = 1;
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { primitive_scatter_args a; };

void main() {
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  const u32 i = a.first + gl_GlobalInvocationID.x, place = AT(a.places, i);
  for (u32 w = 0; w < WORDS; w++)
    AT(a.out_answers, u64(place) * WORDS + w) = AT(a.answers, u64(i) * WORDS + w);
}
