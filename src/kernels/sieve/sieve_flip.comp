/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/sieve/sieve.h"

layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { sieve_flip_args a; };

void main() {
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  const u32 i = a.first + gl_GlobalInvocationID.x;
  sieve_region_ptr regions = SIEVE_REGIONS(a.query, a.regions);
  sieve_region region = AT(regions, sieve_region_of(regions, a.region_count, i));
  sieve_term term = SIEVE_TERM(a.query, region.term);
  const u32 row = AT(region.rows, i - region.start);
  if (region.doubt == SIEVE_FLIP || sieve_true(a.query, term, row) != (region.doubt == SIEVE_SET))
    atomicXor(AT(term.differences, row / 32), 1u << (row % 32));
}
