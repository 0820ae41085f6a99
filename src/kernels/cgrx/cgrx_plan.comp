/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/cgrx/cgrx_update.h"

layout(constant_id = 0) const u32 KEY64 = 0;
layout(constant_id = 1) const u32 ONLY_PARTS = 0;
layout(local_size_x = 128) in;
layout(push_constant, scalar) uniform push { cgrx_plan_args a; };

void main() {
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  const u32 bucket = a.first + gl_GlobalInvocationID.x;
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
