/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/hash/hash.h"

layout(constant_id = 0) const u32 KEY64 = 0;
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { hash_heads_args a; };

void main() {
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  const u32 word = a.first + gl_GlobalInvocationID.x;
  const u32 begin = word * 32;
  const u32 count = min(32u, a.n - begin);
  u64 previous = begin > 0 ? load_key(a.keys, begin - 1, KEY64) : 0;
  u32 bits = 0;
  for (u32 k = 0; k < count; k++) {
    const u64 key = load_key(a.keys, begin + k, KEY64);
    if (begin + k == 0 || key != previous)
      bits |= 1u << k;
    previous = key;
  }
  AT(a.bits, word) = bits;
}
