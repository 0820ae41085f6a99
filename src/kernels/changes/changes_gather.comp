/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/changes/changes.h"

layout(constant_id = 0) const u32 KEY64 = 0;
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { changes_gather_args a; };

void main() {
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  const u32 i = a.first + gl_GlobalInvocationID.x;
  const u32 at = IS_NULL(a.selected) ? i : AT(a.selected, i);
  store_key(a.keys_out, i, load_key(a.keys, at, KEY64), KEY64);
  if (!IS_NULL(a.rows_out))
    AT(a.rows_out, i) = IS_NULL(a.rows) ? a.base + at : AT(a.rows, at);
}
