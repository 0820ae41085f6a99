/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/btree/btree_scan.h"

layout(constant_id = 0) const u32 KEY64 = 0;
layout(local_size_x = 128) in;
layout(push_constant, scalar) uniform push { btree_scan_args a; };

void main() {
  if (gl_GlobalInvocationID.x < a.count)
    btree_scan(a, a.first + gl_GlobalInvocationID.x, KEY64);
}
