/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/column_scan/column_scan.h"
#include "kernels/lookup/lookup.h"

/* A workgroup per block. */

#define THREADS 256

layout(constant_id = 0) const u32 KEY64 = 0;
COMPUTE(column_bounds_args, THREADS)

shared u64 lows[THREADS], highs[THREADS];

void main() {
  const u32 block = a.first + gl_WorkGroupID.x;
  const u32 lane = gl_LocalInvocationIndex;
  u64 low = ~0ul, high = 0;
  for (u32 k = lane; k < BLOCK_ROWS; k += THREADS) {
    const u64 row = u64(block) * BLOCK_ROWS + k;
    if (row < a.rows && has_bit(a.valid, u32(row))) {
      const u64 key = load_key(a.keys, u32(row), KEY64);
      low = min(low, key);
      high = max(high, key);
    }
  }
  lows[lane] = low;
  highs[lane] = high;
  for (u32 step = THREADS / 2; step > 0; step /= 2) {
    barrier();
    if (lane < step) {
      lows[lane] = min(lows[lane], lows[lane + step]);
      highs[lane] = max(highs[lane], highs[lane + step]);
    }
  }
  if (lane == 0) {
    AT(a.zones, 2 * block) = lows[0];
    AT(a.zones, 2 * block + 1) = highs[0];
  }
}
