/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/cgrx/cgrx_update.h"

layout(constant_id = 0) const u32 KEY64 = 0;
layout(constant_id = 1) const u32 ONLY_PARTS = 0;
COMPUTE(cgrx_plan_args, 128)

MAIN_ITEM(bucket) {
  cgrx_nodes t = AT(a.nodes, 0);
  u32 insert = 0, remove = 0;
  if (bucket > 0) {
    const u64 fence = load_key(t.fences, bucket - 1, KEY64);
    insert = lower_bound_key(a.inserts, 0, a.insert_count, fence, KEY64);
    remove = lower_bound_key(a.removes, 0, a.remove_count, fence, KEY64);
  }
  const cgrx_part part = update_part(a, t, bucket, insert, remove, KEY64);
  AT(a.parts, bucket) = part;
  if (ONLY_PARTS == 0)
    update_plan(a, t, bucket, part, KEY64);
}
