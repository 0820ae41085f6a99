/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/primitives/primitives.h"

layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { primitive_pair_args a; };

void main() {
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  const u32 probe = a.first + gl_GlobalInvocationID.x;
  const u32 end = u32(AT(a.offsets, probe + 1));
  for (u32 k = u32(AT(a.offsets, probe)); k < end; k++)
    AT(a.pairs, k) = u64(probe) << 32 | AT(a.rows, k);
}
