/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/sorted_array/sorted_array.h"

/* One thread per lookup. */

layout(constant_id = 0) const u32 KEY64 = 0;
layout(constant_id = 1) const u32 GATHER = GATHER_COUNT;
layout(constant_id = 2) const u32 VALUE = VALUE_U32;
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { sorted_array_args a; };

#include "kernels/lookup/found.h"

/* The first place from `begin` on whose key is not below `key` (above 0), or is above it (above 1). */
u32 search(u32 begin, u64 key, bool above) {
  u32 n = a.n - begin;
  while (n > 0) {
    const u32 middle = n / 2;
    const u64 at = load_key(a.keys, begin + middle, KEY64);
    if (at < key || (above && at == key)) {
      begin += middle + 1;
      n -= middle + 1;
    } else {
      n = middle;
    }
  }
  return begin;
}

/* The end of the run of `key` that starts at `begin`: equal keys are few as a rule, so step before searching. */
u32 run_end(u32 begin, u64 key) {
  for (u32 k = 0; k < 4; k++, begin++)
    if (begin == a.n || load_key(a.keys, begin, KEY64) != key)
      return begin;
  return search(begin, key, true);
}

void main() {
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  const u32 i = a.first + gl_GlobalInvocationID.x;
  found f = FOUND_NONE;
  const u64 lower = load_key(a.lower, i, KEY64);
  const u64 upper = IS_NULL(a.upper) ? lower : load_key(a.upper, i, KEY64);
  if (lower <= upper && has_bit(a.valid, i)) {
    const u32 begin = search(0, lower, false);
    const u32 end = IS_NULL(a.upper) ? run_end(begin, lower) : search(begin, upper, true);
    if (!IS_NULL(a.upper)) { /* a span, whatever is gathered */
      f.count = end - begin;
      f.first = begin;
    } else if (GATHER == GATHER_COUNT && IS_NULL(a.out_first)) {
      f.count = end - begin;
    } else {
      const u32 to = GATHER == GATHER_ROWS ? u32(AT(a.offsets, i)) : 0;
      for (u32 k = begin; k < end; k++) {
        const u32 row = AT(a.rows, k);
        FOUND_ADD(f, row, to, GATHER, VALUE);
      }
    }
  }
  FOUND_STORE(f, i, GATHER);
}
