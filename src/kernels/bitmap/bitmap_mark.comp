/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/bitmap/bitmap.h"

layout(constant_id = 0) const u32 KEY64 = 0;
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { bitmap_mark_args a; };

void main() {
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  const u32 bit = marked_bit(a.keys, a.valid, a.base, a.hash_bits, a.first + gl_GlobalInvocationID.x, KEY64);
  if ((AT(a.bits, bit / 32) >> (bit % 32) & 1u) == 0) /* mostly it is set already */
    atomicOr(AT(a.bits, bit / 32), 1u << (bit % 32));
}
