/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/derived_column/derived_column.h"

layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push {
  derived_pair_args a;
};

void main() {
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  const u32 i = a.first + gl_GlobalInvocationID.x;
  AT(a.out_keys, i) = paired_key(a.high, a.low, i);
}
