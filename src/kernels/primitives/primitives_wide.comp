/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/primitives/primitives.h"

layout(constant_id = 0) const u32 SIGNED = 0;
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { primitive_wide_args a; };

void main() {
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  const u32 i = a.first + gl_GlobalInvocationID.x;
  const u64 low = AT(a.sums_of_halves, 2ul * i);
  const u64 high = wide_high(low, AT(a.sums_of_halves, 2ul * i + 1ul));
  if (!wide_fits(high, SIGNED))
    AT(a.overflow, 0) = i + 1;
  AT(a.sums, i) = high << 32 | low_half(low);
}
