/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/radix_hash/radix_hash.h"

layout(constant_id = 0) const u32 KEY64 = 0;
layout(constant_id = 1) const u32 BITS = 8;
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { radix_hash_starts_args a; };

void main() {
  const u32 p = a.first + gl_GlobalInvocationID.x;
  if (gl_GlobalInvocationID.x < a.count)
    AT(a.starts, p) = partition_start(a.keys, 0, a.n, p, KEY64, BITS);
}
