/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/column_engine/column_engine.h"

layout(constant_id = 0) const u32 GROUP64 = 0;
COMPUTE(engine_table_args, ENGINE_TABLE_GROUP)

shared u32 words[ENGINE_TABLE_GROUP / 32];

void main() {
  const u32 lane = gl_LocalInvocationIndex, row = a.first + gl_GlobalInvocationID.x;
  const bool inside = gl_GlobalInvocationID.x < a.count;
  u64 entry = NO_LINK64;
  if (lane < ENGINE_TABLE_GROUP / 32)
    words[lane] = 0;
  barrier();
  if (inside && row < a.rows)
    entry = engine_table_entry(a.terms, a.term_count, a.parts, a.part_count, a.numbers, row);
  if (inside && !IS_NULL(a.table)) {
    if (GROUP64 != 0)
      AT(AS_U64_PTR(a.table), row) = entry;
    else
      AT(a.table, row) = u32(entry);
  }
  if (IS_NULL(a.bits))
    return;
  if (entry != NO_LINK64)
    atomicOr(words[lane / 32], 1u << lane % 32);
  barrier();
  if (inside && lane % 32 == 0)
    AT(a.bits, row / 32) = words[lane / 32];
}
