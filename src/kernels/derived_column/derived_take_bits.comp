/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/derived_column/derived_column.h"

layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push {
  derived_take_bits_args a;
};

void main() {
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  const u32 i = a.first + gl_GlobalInvocationID.x;
  u32 bits = 0;
  for (u32 k = 0; k < 32 && i * 32 + k < a.row_count; k++) {
    const u32 taken = taken_bit(a.valid, a.rows, a.rows_valid, a.n, i * 32 + k);
    bits |= taken == TAKEN ? 1u << k : 0u;
    if (taken == TAKEN_BEYOND)
      AT(a.beyond, 0) = 1;
  }
  AT(a.out_bits, i) = bits;
}
