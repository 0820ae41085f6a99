/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/sieve/sieve.h"
#include "kernels/bitmap/group_rows.glsl.h"

COMPUTE(sieve_refine_args, 256)

/* Returns what the number of rows changes by. */
u32 refine(u32 i) {
  sieve_region_ptr regions = SIEVE_REGIONS(a.query, a.regions);
  sieve_region region = AT(regions, sieve_region_of(regions, a.region_count, i));
  const u32 row = AT(region.rows, i - region.start);
  if (region.truth == SIEVE_YES)
    return sieve_put(a.out_bits, row, sieve_admits(a.query, a.term_count, region.term, a.mask, row));
  return sieve_put(a.out_bits, row, region.truth == SIEVE_DOUBT && sieve_decide(a.query, a.term_count, a.mask, row));
}

void main() {
  add_group_rows(gl_GlobalInvocationID.x < a.count ? refine(a.first + gl_GlobalInvocationID.x) : 0, a.total);
}
