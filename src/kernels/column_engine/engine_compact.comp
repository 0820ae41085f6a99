/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/column_engine/column_engine.h"

EACH_ITEM(engine_compact_args, i) {
  if (i == 0)
    AT(a.counters, 1) = 0;
  const u32 group = i;
  engine_query q = AT(a.query, 0);
  u64_ptr from = u64_ptr(u64(q.groups) + u64(group) * q.slots * 8);
  if (AT(from, 0) == 0)
    return;
  const u32 place = atomicAdd(AT(a.counters, 0), 1);
  u64_ptr to = u64_ptr(u64(a.out_groups) + u64(place) * (q.slots + 1) * 8);
  AT(to, 0) = group;
  for (u32 s = 0; s < q.slots; s++) {
    AT(to, s + 1) = AT(from, s);
    AT(from, s) = 0;
  }
}
