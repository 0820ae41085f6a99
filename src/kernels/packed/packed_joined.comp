/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/packed/packed.h"

layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { packed_joined_args a; };

void main() {
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  const u32 word = a.first + gl_GlobalInvocationID.x;
  const u32 bits = joined_bits(a.foreign_rows, a.foreign_bytes, a.none, a.rows, word);
  AT(a.bits, word) = a.start != 0 ? bits : AT(a.bits, word) & bits;
}
