/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/column_engine/column_engine.h"

layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { engine_compact_args a; };

void main() {
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  if (a.first + gl_GlobalInvocationID.x == 0)
    AT(a.counters, 1) = 0;
  const u32 group = a.first + gl_GlobalInvocationID.x;
  engine_query q = AT(a.query, 0);
  u64_ptr from = u64_ptr(u64(q.groups) + u64(group) * q.slots * 8);
  if (AT(from, 0) == 0)
    return;
  const u32 place = atomicAdd(AT(a.counters, 0), 1);
  u64_ptr to = u64_ptr(u64(a.out_groups) + u64(place) * (q.slots + 1) * 8);
  AT(to, 0) = group;
  for (u32 s = 0; s < q.slots; s++) {
    AT(to, s + 1) = AT(from, s);
    AT(from, s) = 0;
  }
}
