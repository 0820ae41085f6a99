/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/primitives/primitives.h"

layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { primitive_bits_args a; };

void main() {
  const u32 word = a.first + gl_GlobalInvocationID.x;
  if (gl_GlobalInvocationID.x < a.count)
    AT(a.out_bits, word) = gathered_bits(a.bits, a.rows, word, a.n);
}
