/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/bitmap/bitmap.h"

layout(constant_id = 0) const u32 OP = BITMAP_OR;
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { bitmap_combine_args a; };

void main() {
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  const u32 i = a.first + gl_GlobalInvocationID.x;
  const u32 word = OP == BITMAP_NOT ? 0 : AT(a.words, i);
  AT(a.words, i) = bitmap_combined(word, AT(a.other, i), i, a.rows, OP);
}
