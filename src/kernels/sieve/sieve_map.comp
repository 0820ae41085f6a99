/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/sieve/sieve.h"

layout(constant_id = 0) const u32 KEY64 = 0;
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { sieve_map_args a; };

void main() {
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  const u32 i = a.first + gl_GlobalInvocationID.x;
  const u64 code = load_key(a.sorted, i * a.step, KEY64);
  AT(a.out_codes, i) = code;
  AT(a.out_first, i) = lower_bound_key(a.sorted, 0, a.n, code, KEY64);
  AT(a.out_end, i) = upper_bound_key(a.sorted, 0, a.n, code, KEY64);
}
