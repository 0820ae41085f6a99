/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/primitives/primitives.h"

layout(constant_id = 0) const u32 F64 = 0; /* values are doubles, else floats */
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { primitive_floats_args a; };

void main() {
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  const u32 probe = a.first + gl_GlobalInvocationID.x;
  const u32 end = u32(AT(a.offsets, probe + 1));
  precise f64 sum = 0;
  u32 count = 0;
  for (u32 k = u32(AT(a.offsets, probe)); k < end; k++) {
    const u32 row = AT(a.rows, k);
    if (!has_bit(a.values_valid, row))
      continue;
    const u64 bits =
        F64 != 0 ? double_bits(AT(AS_U64_PTR(a.values), row)) : widened_bits(float_bits(AT(a.values, row)));
    sum += packDouble2x32(unpackUint2x32(bits));
    count++;
  }
  AT(a.sums, probe) = sum;
  AT(a.counts, probe) = count;
}
