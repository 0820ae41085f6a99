/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/primitives/primitives.h"

layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { primitive_owner_args a; };

void main() {
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  const u32 k = a.first + gl_GlobalInvocationID.x;
  AT(a.owners, k) = probe_of_row(a.offsets, a.probes, k);
}
