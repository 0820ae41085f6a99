/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_COLUMN_ENGINE_ROWS_GLSL_H
#define RDX_KERNELS_COLUMN_ENGINE_ROWS_GLSL_H

/* GLSL: rows one by one, and adding to groups in memory. */

#extension GL_EXT_control_flow_attributes : require
#ifdef ATOMIC64
#extension GL_EXT_shader_atomic_int64 : require
#endif

#include "kernels/coded/halves.glsl.h"

/* The value of a measure; false where it is NULL. The stack is moved, so that it can be in registers. */
bool measure_value(engine_query q, engine_measure m, u32 row, out u64 value) {
  u64 stack[STEP_STACK];
  for (u32 k = 0; k < m.step_count; k++) {
    engine_step s = AT(q.steps, m.first_step + k);
    if (s.kind >= STEP_ADD) {
      const u64 x = stack[1], y = stack[0];
      [[unroll]] for (u32 i = 1; i + 1 < STEP_STACK; i++) stack[i] = stack[i + 1];
      stack[0] = s.kind == STEP_ADD ? x + y : s.kind == STEP_SUBTRACT ? x - y : x * y;
      continue;
    }
    [[unroll]] for (u32 i = STEP_STACK - 1; i > 0; i--) stack[i] = stack[i - 1];
    stack[0] = s.value;
    if (s.kind == STEP_ATTRIBUTE) {
      u64 x = engine_code(s.codes, s.bytes, s.partners, s.partner_bytes, row);
      if (x == s.null_code)
        return false;
      if (!IS_NULL(s.values))
        x = AT(s.values, u32(x));
      stack[0] = x * s.factor + s.value;
    }
  }
  value = stack[0];
  return true;
}

void add_global(u64_ptr groups, u64 cell, u64 x) {
  u64_ptr at = u64_ptr(u64(groups) + cell * 8);
#ifdef ATOMIC64
  atomicAdd(AT(at, 0), x);
#else
  u32_ptr halves = u32_ptr(u64(at));
  ADD_HALVES(AT(halves, 0), AT(halves, 1), x)
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

/* Do F(slot, value) for each slot that a row's measures add to, and M(slot, value) for those that take the largest. */
#define TAKE_MEASURES(q, count, row, F, M)                                                                             \
  for (u32 measure = 0; measure < (count); measure++) {                                                                \
    engine_measure m = AT((q).measures, measure);                                                                      \
    u64 value;                                                                                                         \
    if (!measure_value(q, m, row, value))                                                                              \
      continue;                                                                                                        \
    if (m.count_slot != NO_SLOT)                                                                                       \
      F(m.count_slot, 1ul)                                                                                             \
    if (m.sum_slot != NO_SLOT && m.wide == 0)                                                                          \
      F(m.sum_slot, value - m.least)                                                                                   \
    if (m.sum_slot != NO_SLOT && m.wide != 0) {                                                                        \
      F(m.sum_slot, (value - m.least) & 0xfffffffful)                                                                  \
      F(m.sum_slot + 1, (value - m.least) >> 32)                                                                       \
    }                                                                                                                  \
    if (m.least_slot != NO_SLOT)                                                                                       \
      M(m.least_slot, m.most - value)                                                                                  \
    if (m.most_slot != NO_SLOT)                                                                                        \
      M(m.most_slot, value - m.least)                                                                                  \
  }

#endif
