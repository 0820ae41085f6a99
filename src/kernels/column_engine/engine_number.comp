/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/column_engine/column_engine.h"

layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { engine_number_args a; };

void main() {
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  const u32 i = a.first + gl_GlobalInvocationID.x, row = AT(a.rows, i);
  engine_query q = AT(a.query, 0);
  u64 group = 0;
  for (u32 l = 0; l < q.link_count; l++)
    group += AT(AS_U64_PTR(AT(q.links, l).table),
                u32(load_code(AT(q.links, l).foreign_rows, AT(q.links, l).bytes, row)));
  for (u32 p = 0; p < q.part_count; p++)
    group += engine_part_of(q.parts, p, row);
  AT(a.out_groups, i) = group;
}
