/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/inverse/inverse.h"

layout(constant_id = 0) const u32 KEY64 = 0;
layout(constant_id = 1) const u32 GATHER = GATHER_COUNT;
layout(constant_id = 2) const u32 VALUE = VALUE_U32;
COMPUTE(inverse_args, 256)

#include "kernels/lookup/found.h"

found_io io() {
  return found_io(a.values, a.values_valid, a.out_count, a.out_first, a.out_sum, a.out_sum, a.out_rows);
}

/* thesis, Algorithm 6 "Aggregate consecutive keys". */
findings aggregate(u32 begin, u64 key, u32 to) {
  findings f = FOUND_NONE;
  for (u32 k = begin; k < a.n && load_key(a.keys, k, KEY64) == key; k++) {
    const u32 row = AT(a.rows, k);
    if (has_bit(a.keys_valid, row))
      f = found_add(f, io(), row, to, GATHER, VALUE);
  }
  return f;
}

/* thesis, Algorithm 6 "High-Level Explanation of Collaborative Scan Kernel (Inverse Mapping)". */
MAIN_ITEM(i) {
  if (AT(a.found, i) == NO_ROW || inverse_is_repeated(a.keys, i, KEY64))
    return;
  const u64 key = load_key(a.keys, i, KEY64);
  findings f = FOUND_NONE;
  if (GATHER != GATHER_ROWS)
    f = aggregate(i, key, 0);
  for (u32 at = AT(a.found, i); at < a.probe_count && load_key(a.probes, at, KEY64) == key; at++) {
    if (!has_bit(a.probes_valid, at))
      continue;
    const u32 place = AT(a.places, at);
    if (GATHER == GATHER_ROWS)
      f = aggregate(i, key, u32(AT(a.out_sum, place)));
    found_store(f, io(), place, GATHER);
  }
}
