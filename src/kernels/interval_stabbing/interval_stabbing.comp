/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/interval_stabbing/interval_stabbing.h"

layout(constant_id = 0) const u32 KEY64 = 0;
layout(constant_id = 1) const u32 GATHER = GATHER_COUNT;

EACH_ITEM(interval_stabbing_args, i) {
  const bool valid = has_bit(a.valid, i);
  const u64 point = load_key(a.points, i, KEY64);
  const u32 end = valid ? upper_bound_key(a.lower, 0, a.n, point, KEY64) : 0;
  if (GATHER == GATHER_COUNT) {
    AT(a.out_count, i) = end > 0 ? end - lower_bound_key(a.ends, 0, a.n, point, KEY64) : 0;
    return;
  }
  u32 to = u32(AT(a.offsets, i));
  for (u32 k = next_interval(a.upper, a.tree, a.n, 0, end, point, KEY64); k < end;
       k = next_interval(a.upper, a.tree, a.n, k + 1, end, point, KEY64))
    AT(a.out_rows, to++) = AT(a.rows, k);
}
