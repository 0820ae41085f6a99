/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/cgrx/cgrx_nodes.h"

layout(constant_id = 0) const u32 KEY64 = 0;
COMPUTE(cgrx_load_args, 128)

MAIN_ITEM(bucket) {
  const u32 begin = bucket * a.per_bucket;
  cgrx_nodes t = AT(a.nodes, 0);
  u32_ptr p = node_at(t, bucket, KEY64);
  const u32 size = min(a.per_bucket, a.n - begin);
  for (u32 k = 0; k < size; k++) {
    store_key(node_keys(p), k, load_key(a.keys, begin + k, KEY64), KEY64);
    AT(node_rows(p, t.node_size, KEY64), k) = AT(a.rows, begin + k);
  }
  load_bucket(t, bucket, begin, size, a.n, KEY64);
}
