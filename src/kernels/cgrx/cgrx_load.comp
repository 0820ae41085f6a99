/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/cgrx/cgrx_nodes.h"

layout(constant_id = 0) const u32 KEY64 = 0;
layout(local_size_x = 128) in;
layout(push_constant, scalar) uniform push { cgrx_load_args a; };

void main() {
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  const u32 bucket = a.first + gl_GlobalInvocationID.x, begin = bucket * a.per_bucket;
  cgrx_nodes t = AT(a.nodes, 0);
  u32_ptr p = node_at(t, bucket, KEY64);
  const u32 size = min(a.per_bucket, a.n - begin);
  for (u32 k = 0; k < size; k++) {
    store_key(node_keys(p), k, load_key(a.keys, begin + k, KEY64), KEY64);
    AT(node_rows(p, t.node_size, KEY64), k) = AT(a.rows, begin + k);
  }
  load_bucket(t, bucket, begin, size, a.n, KEY64);
}
