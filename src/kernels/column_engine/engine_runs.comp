/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/column_engine/column_engine.h"
#include "kernels/column_engine/rows.glsl.h"

// variants: ATOMIC32 ATOMIC64

EACH_ITEM(engine_runs_args, i) {
  const u32 row = AT(a.rows, i);
  engine_query q = AT(a.query, 0);
  const u64 cell = u64(upper_bound(a.starts, 0, a.run_count, i) - 1) * q.slots;
  add_global(q.groups, cell, 1ul);
#define ADD(slot, x) add_global(q.groups, cell + (slot), x);
#define MAX(slot, x) max_global(q.groups, cell + (slot), x);
  TAKE_MEASURES(q, q.measure_count, row, ADD, MAX)
}
