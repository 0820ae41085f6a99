/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/changes/changes.h"

layout(constant_id = 0) const u32 KEY64 = 0;
layout(local_size_x = 64) in;
layout(push_constant, scalar) uniform push { changes_pair_args a; };

void main() {
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  const u32 word = a.first + gl_GlobalInvocationID.x;
  AT(a.keep, word) = changes_keep(a.keys, a.n, a.others, a.other_n, word, KEY64);
}
