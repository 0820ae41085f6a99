/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/sieve/sieve.h"

layout(constant_id = 0) const u32 KEY64 = 0;
COMPUTE(sieve_build_args, 64)

/* RTScan, Figure 9 "Sieving bit vectors for one attribute". */
/* A thread finds how many borders each of its 32 rows lies at or above, and then writes a word of each vector in
 * turn: neighbouring threads write neighbouring words. */
MAIN_ITEM(word) {
  const u32 rest = a.rows - word * 32;
  u32 passed[32];
  for (u32 k = 0; k < 32; k++) {
    const u32 row = word * 32 + k;
    passed[k] = 0xffffffffu; /* in no vector */
    if (k < rest && has_bit(a.valid, row))
      passed[k] = upper_bound_u64(a.borders, 0, a.border_count, load_key(a.codes, row, KEY64));
  }
  const u32 vectors = a.border_count >> a.planes;
  for (u32 j = 0; j < vectors; j++) {
    const u32 border = ((j + 1) << a.planes) - 1;
    u32 bits = 0;
    for (u32 k = 0; k < 32; k++)
      bits |= passed[k] <= border ? 1u << k : 0u;
    AT(u32_ptr(u64(a.vectors) + (u64(j) * a.stride + word) * 4), 0) = bits;
  }
  for (u32 p = 0; p < a.planes; p++) {
    u32 bits = 0;
    for (u32 k = 0; k < 32; k++)
      bits |= (~passed[k] >> p & 1u) << k;
    AT(u32_ptr(u64(a.vectors) + (u64(vectors + p) * a.stride + word) * 4), 0) = bits;
  }
}
