/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_COLUMN_ENGINE_ROWS_GLSL_H
#define RDX_KERNELS_COLUMN_ENGINE_ROWS_GLSL_H

/* GLSL: rows one by one, and adding to groups in memory. */

#extension GL_EXT_control_flow_attributes : require
#ifdef ATOMIC64
#extension GL_EXT_shader_atomic_int64 : require
#endif

#include "kernels/packed/atomic_add.glsl.h"

/* The value of a measure; false where it is NULL. The two uppermost of the stack are in registers, the others, which
 * few measures need, where they take none; and so that they take few, each member is read where it is needed. */
bool measure_value(engine_query q, u32 measure, u32 row, out u64 value) {
  u64 x = 0, y = 0, deep[STEP_STACK];
  u32 depth = 0;
  const u32 first = AT(q.measures, measure).first_step, end = first + AT(q.measures, measure).step_count;
  for (u32 k = first; k < end; k++) {
    const u32 kind = AT(q.steps, k).kind;
    if (kind >= STEP_ADD) {
      x = kind == STEP_ADD ? y + x : kind == STEP_SUBTRACT ? y - x : y * x;
      if (--depth > 1)
        y = deep[depth - 2];
      continue;
    }
    if (depth > 1)
      deep[depth - 2] = y;
    depth++;
    y = x;
    x = AT(q.steps, k).value;
    if (kind == STEP_ATTRIBUTE) {
      u64 code = engine_code(AT(q.steps, k).codes, AT(q.steps, k).bytes, AT(q.steps, k).foreign_rows,
                             AT(q.steps, k).foreign_bytes, row);
      if (code == AT(q.steps, k).null_code)
        return false;
      if (!IS_NULL(AT(q.steps, k).values))
        code = AT(AT(q.steps, k).values, u32(code));
      x += code * AT(q.steps, k).factor;
    }
  }
  value = x;
  return true;
}

void add_global(u64_ptr groups, u64 cell, u64 x) {
  u64_ptr at = u64_ptr(u64(groups) + cell * 8);
#ifdef ATOMIC64
  atomicAdd(AT(at, 0), x);
#else
  u32_ptr halves = u32_ptr(u64(at));
  ATOMIC_ADD_U64(AT(halves, 0), AT(halves, 1), x)
#endif
}

/* Without 64-bit atomics: for values of 32 bits. */
void max_global(u64_ptr groups, u64 cell, u64 x) {
  u64_ptr at = u64_ptr(u64(groups) + cell * 8);
#ifdef ATOMIC64
  atomicMax(AT(at, 0), x);
#else
  atomicMax(AT(u32_ptr(u64(at)), 0), u32(x));
#endif
}

/* What a cell comes to, which becomes 0. */
u64 take_global(u64_ptr groups, u64 cell) {
  u64_ptr at = u64_ptr(u64(groups) + cell * 8);
#ifdef ATOMIC64
  return atomicExchange(AT(at, 0), 0ul);
#else
  u32_ptr halves = u32_ptr(u64(at));
  return atomicExchange(AT(halves, 0), 0u) | u64(atomicExchange(AT(halves, 1), 0u)) << 32;
#endif
}

/* Do F(slot, value) for each slot that a row's measures add to, and M(slot, value) for those that take the largest. */
#define TAKE_MEASURES(q, count, row, F, M)                                                                             \
  for (u32 measure = 0; measure < (count); measure++) {                                                                \
    u64 value;                                                                                                         \
    if (!measure_value(q, measure, row, value))                                                                        \
      continue;                                                                                                        \
    const u64 above = value - AT((q).measures, measure).min;                                                           \
    const u32 sum_slot = AT((q).measures, measure).sum_slot, wide = AT((q).measures, measure).wide;                    \
    if (AT((q).measures, measure).count_slot != NO_SLOT)                                                               \
      F(AT((q).measures, measure).count_slot, 1ul)                                                                     \
    if (sum_slot != NO_SLOT)                                                                                           \
      F(sum_slot, wide != 0 ? above & 0xfffffffful : above)                                                            \
    if (sum_slot != NO_SLOT && wide != 0)                                                                              \
      F(sum_slot + 1, above >> 32)                                                                                     \
    if (AT((q).measures, measure).min_slot != NO_SLOT)                                                                 \
      M(AT((q).measures, measure).min_slot, AT((q).measures, measure).max - value)                                     \
    if (AT((q).measures, measure).max_slot != NO_SLOT)                                                                 \
      M(AT((q).measures, measure).max_slot, above)                                                                     \
  }

#endif
