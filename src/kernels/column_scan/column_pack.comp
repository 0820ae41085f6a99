/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/column_scan/column_scan.h"
#include "kernels/column_scan/planes.glsl.h"
#include "kernels/lookup/lookup.h"

/* A thread per word of 32 rows. */

layout(constant_id = 0) const u32 KEY64 = 0;
COMPUTE(column_pack_args, 256)

u64 number_of(u64 code) {
  return packed_number(code, a.smallest, a.shift, a.steps, a.plane_count);
}

MAIN_ITEM(word) {
  u64 numbers[32];
  for (u32 k = 0; k < 32; k++) {
    const u64 row = u64(word) * 32 + k;
    numbers[k] = row < a.rows ? number_of(load_key(a.keys, u32(row), KEY64)) : 0ul;
  }
  for (u32 p = 0; p < a.plane_count; p++) {
    const u32 shift = 8 * (a.plane_count - 1 - p);
    u32 w[8];
    for (u32 i = 0; i < 8; i++) {
      w[i] = 0;
      for (u32 j = 0; j < 4; j++)
        w[i] |= (u32(numbers[8 * j + i] >> shift) & 255u) << (8 * j);
    }
    w = transposed(w);
    for (u32 i = 0; i < 8; i++)
      AT(u32_ptr(u64(a.planes) + p * a.stride + u64(word) * 32), i) = w[i];
  }
  if (word % BLOCK_WORDS == 0) {
    const u32 block = word / BLOCK_WORDS;
    const u64 low = AT(a.zones, 2 * block), high = AT(a.zones, 2 * block + 1);
    AT(a.packed_zones, 2 * block) = low > high ? ~0ul : number_of(low);
    AT(a.packed_zones, 2 * block + 1) = low > high ? 0ul : number_of(high);
  }
}
