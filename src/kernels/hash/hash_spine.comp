/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/hash/hash.h"

/* One workgroup scans the reaches of all tiles, a run of HASH_TILE_THREADS after the other. */

COMPUTE(hash_spine_args, HASH_TILE_THREADS)

shared u64 lanes[HASH_TILE_THREADS];

void main() {
  const u32 lane = gl_LocalInvocationIndex;
  u64 running = 0;
  for (u32 begin = 0; begin < a.tiles; begin += HASH_TILE_THREADS) {
    lanes[lane] = begin + lane < a.tiles ? AT(a.reaches, begin + lane) : 0ul;
    barrier();
    for (u32 step = 1; step < HASH_TILE_THREADS; step *= 2) {
      const u64 other = lane >= step ? lanes[lane - step] : 0ul;
      barrier();
      lanes[lane] = max(lanes[lane], other);
      barrier();
    }
    if (begin + lane < a.tiles)
      AT(a.reaches, begin + lane) = max(running, lane > 0 ? lanes[lane - 1] : 0ul);
    running = max(running, lanes[HASH_TILE_THREADS - 1]);
    barrier();
  }
  if (lane == 0)
    AT(a.reaches, a.tiles) = running;
}
