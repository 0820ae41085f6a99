/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/column_engine/column_engine.h"

layout(constant_id = 0) const u32 GROUP64 = 0;
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform push { engine_table_args a; };

void main() {
  if (gl_GlobalInvocationID.x >= a.count)
    return;
  const u32 row = a.first + gl_GlobalInvocationID.x;
  u64 entry = NO_LINK64;
  if (row < a.rows)
    entry = engine_table_entry(a.terms, a.term_count, a.parts, a.part_count, a.numbers, row);
  if (GROUP64 != 0)
    AT(AS_U64_PTR(a.table), row) = entry;
  else
    AT(a.table, row) = u32(entry);
}
