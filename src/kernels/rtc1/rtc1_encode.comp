/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/rtc1/rtc1.h"

layout(constant_id = 0) const u32 KEY64 = 0;
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { rtc1_encode_args a; };

void main() {
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  const u32 i = a.first + gl_GlobalInvocationID.x;
  const u64 code = load_key(a.codes, IS_NULL(a.rows) ? i : AT(a.rows, i), KEY64);
  rtc1_write_triangle(a.triangles, i, u32((code - a.smallest) >> a.shift), a.width);
}
