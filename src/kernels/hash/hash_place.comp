/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/hash/table.glsl.h"

// variants: REACH PLACE

/* The largest reach of each tile; then, when hash_spine.comp has scanned them, every entry to its slot. */

layout(constant_id = 0) const u32 KEY64 = 0;
layout(constant_id = 1) const u32 RUNS = 0;
COMPUTE(hash_place_args, HASH_TILE_THREADS)

shared u64 lanes[HASH_TILE_THREADS];

u32 start_of(u32 e) {
  return RUNS != 0 ? AT(a.starts, e) : e;
}

#ifdef PLACE

void write_slot(u64 slot, u32 e, u32 start, u64 key) {
  const u32 slots = bucket_slots(KEY64, RUNS);
  const u32 s = u32(slot % slots), at = values_at(KEY64, RUNS) + s;
  bucket_ptr bucket = bucket_ptr(bucket_address(a.table, u32(slot / slots)));
  if (KEY64 != 0) {
    bucket.v[2 * s] = u32(key);
    bucket.v[2 * s + 1] = u32(key >> 32);
  } else {
    bucket.v[s] = u32(key);
  }
  u32 count = 1;
  if (RUNS != 0) {
    count = (e + 1 < a.entries ? AT(a.starts, e + 1) : a.n) - start;
    bucket.v[at + slots] = count;
  }
  bucket.v[at] = count == 1 ? AT(a.rows, start) : start;
}

#endif

void main() {
  const u32 tile = a.first + gl_WorkGroupID.x, lane = gl_LocalInvocationIndex;
  const u64 begin = u64(tile) * HASH_TILE + lane * HASH_TILE_ITEMS;
  u64 keys[HASH_TILE_ITEMS];
  u32 starts[HASH_TILE_ITEMS];
  u64 reach = 0;
  for (u32 j = 0; j < HASH_TILE_ITEMS && begin + j < a.entries; j++) {
    const u32 e = u32(begin) + j;
    starts[j] = start_of(e);
    keys[j] = load_key(a.keys, starts[j], KEY64);
    reach = max(reach, entry_reach(e, keys[j], KEY64, RUNS, a.entries, a.homes));
  }
  /* The largest of each lane and those before it: Hillis and Steele (1986). */
  lanes[lane] = reach;
  barrier();
  for (u32 step = 1; step < HASH_TILE_THREADS; step *= 2) {
    const u64 other = lane >= step ? lanes[lane - step] : 0ul;
    barrier();
    lanes[lane] = max(lanes[lane], other);
    barrier();
  }
#ifdef REACH
  if (lane == HASH_TILE_THREADS - 1)
    AT(a.reaches, tile) = lanes[lane];
#else
  reach = max(AT(a.reaches, tile), lane > 0 ? lanes[lane - 1] : 0ul);
  for (u32 j = 0; j < HASH_TILE_ITEMS && begin + j < a.entries; j++) {
    const u32 e = u32(begin) + j;
    reach = max(reach, entry_reach(e, keys[j], KEY64, RUNS, a.entries, a.homes));
    write_slot(reach - (a.entries - e), e, starts[j], keys[j]);
  }
#endif
}
