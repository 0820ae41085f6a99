/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/sieve/sieve.h"

layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { sieve_refine_args a; };

void main() {
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  const u32 i = a.first + gl_GlobalInvocationID.x;
  sieve_region_ptr regions = SIEVE_REGIONS(a.query, a.regions);
  sieve_region region = AT(regions, sieve_region_of(regions, a.region_count, i));
  const u32 row = AT(region.rows, i - region.start);
  if (region.truth == SIEVE_YES)
    sieve_put(a.out_bits, row, sieve_admits(a.query, a.term_count, region.term, a.mask, row));
  else
    sieve_put(a.out_bits, row, region.truth == SIEVE_DOUBT && sieve_decide(a.query, a.term_count, a.mask, row));
}
