/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/hash/hash.h"

layout(constant_id = 0) const u32 KEY64 = 0;
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { hash_mix_args a; };

void main() {
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  const u32 i = a.first + gl_GlobalInvocationID.x;
  if (KEY64 != 0)
    AT(AS_U64_PTR(a.mixed), i) = mix_u64(AT(AS_U64_PTR(a.keys), i));
  else
    AT(a.mixed, i) = mix_u32(AT(a.keys, i));
}
