/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/rx/rx_primitives.h"

layout(constant_id = 0) const u32 KEY64 = 0;
layout(constant_id = 1) const u32 BOXES = 0;
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { rx_encode_args a; };

void main() {
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  const u32 i = a.first + gl_GlobalInvocationID.x;
  const u64 key = load_key(a.keys, i, KEY64) - a.zero;
  if (BOXES != 0)
    rx_write_box(a.primitives, i, key, a.scheme);
  else
    rx_write_triangle(a.primitives, i, key, a.scheme);
}
