/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/hash/table.glsl.h"

layout(constant_id = 0) const u32 KEY64 = 0;
layout(constant_id = 1) const u32 RUNS = 0;
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { hash_visits_args a; };

/* Whether the search ends here: the key is found, or an empty slot. */
bool ends(bucket_ptr b, u64 key) {
  const u32 slots = bucket_slots(KEY64, RUNS);
  bool end = b.v[values_at(KEY64, RUNS) + slots - 1] == NO_ROW;
  for (u32 s = 0; s < slots; s++)
    end = end || (KEY64 != 0 ? b.v[2 * s] == u32(key) && b.v[2 * s + 1] == u32(key >> 32) : b.v[s] == u32(key));
  return end;
}

void main() {
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  const u32 i = a.first + gl_GlobalInvocationID.x;
  u32 visits = 0;
  if (has_bit(a.valid, i)) {
    const u64 key = mix_key(load_key(a.lower, i, KEY64), KEY64);
    u32 bucket = home_bucket(key, KEY64, a.homes);
    visits = 1;
    while (!ends(bucket_ptr(bucket_address(a.table, bucket)), key)) {
      bucket++;
      visits++;
    }
  }
  AT(a.out_visits, i) = visits;
}
