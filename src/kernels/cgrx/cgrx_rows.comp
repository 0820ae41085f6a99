/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/cgrx/cgrx_encode.h"

layout(constant_id = 0) const u32 KEY64 = 0;
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { cgrx_rows_args a; };

void main() {
  const u32 entry = a.first + gl_GlobalInvocationID.x;
  if (gl_GlobalInvocationID.x < a.count)
    cgrx_write_entry(a.entries, entry, load_key(a.keys, entry, KEY64), AT(a.rows, entry), a.layout_kind, KEY64);
}
