/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/hash/table.glsl.h"

layout(constant_id = 0) const u32 KEY64 = 0;
layout(constant_id = 1) const u32 RUNS = 0;
COMPUTE(hash_visits_args, 256)

u64 last_key(u32 bucket) {
  const u32 last = bucket_slots(KEY64, RUNS) - 1;
  bucket_ptr b = bucket_ptr(bucket_address(a.table, bucket));
  return KEY64 != 0 ? u64(b.v[2 * last + 1]) << 32 | b.v[2 * last] : b.v[last];
}

MAIN_ITEM(i) {
  u32 visits = 0;
  if (has_bit(a.valid, i)) {
    const u64 key = mix_key(load_key(a.lower, i, KEY64), KEY64);
    u32 bucket = home_bucket(key, KEY64, a.homes);
    visits = 1;
    while (last_key(bucket) < key) {
      bucket++;
      visits++;
    }
  }
  AT(a.out_visits, i) = visits;
}
