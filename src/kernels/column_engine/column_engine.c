/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The kernels of the column engine, and their bodies on the CPU but for tables and tiles (column_engine_tile.c). */

#include "kernels/column_engine/host.h"
#include "spirv/shaders.h"

static bool qualifies(const engine_query *q, uint32_t row) {
  for (uint32_t t = 0; t < q->term_count; t++)
    if (!engine_holds(q->terms, q->numbers, t, row))
      return false;
  for (uint32_t l = 0; l < q->link_count; l++) {
    const uint64_t foreign_row = load_code(q->links[l].foreign_rows, q->links[l].bytes, row);
    if (AS_U64_PTR(q->links[l].table)[foreign_row] == NO_LINK64)
      return false;
  }
  return engine_passes(q->terms, q->tests, q->numbers, q->test_count, row);
}

RDX_KERNEL_BODY(select_rows, engine_select_args) {
  const uint64_t end = (uint64_t)a->first + a->count;
  for (uint64_t word = a->first; word < end; word++) {
    uint32_t bits = 0;
    for (uint32_t k = 0; k < 32 && word * 32 + k < a->query->rows; k++)
      bits |= (uint32_t)qualifies(a->query, (uint32_t)word * 32 + k) << k;
    a->bits[word] = bits;
  }
}

RDX_KERNEL_BODY(number_groups, engine_number_args) {
  const engine_query *q = a->query;
  const uint64_t end = (uint64_t)a->first + a->count;
  for (uint64_t i = a->first; i < end; i++) {
    const uint32_t row = a->rows[i];
    uint64_t group = 0;
    for (uint32_t l = 0; l < q->link_count; l++)
      group += AS_U64_PTR(q->links[l].table)[load_code(q->links[l].foreign_rows, q->links[l].bytes, row)];
    for (uint32_t p = 0; p < q->part_count; p++)
      group += engine_part_of(q->parts, p, row);
    a->out_groups[i] = group;
  }
}

/* Rows of a run lie side by side: each call adds up what it has of one, then joins it with what others have. */
RDX_KERNEL_BODY(add_runs, engine_runs_args) {
  const engine_query *q = a->query;
  const uint64_t end = (uint64_t)a->first + a->count;
  uint32_t run = upper_bound(a->starts, 0, a->run_count, a->first) - 1;
  for (uint64_t i = a->first; i < end; run++) {
    uint64_t cells[ENGINE_MAX_SLOTS] = {0};
    const uint64_t stop = run + 1 < a->run_count && a->starts[run + 1] < end ? a->starts[run + 1] : end;
    for (; i < stop; i += ENGINE_CHUNK) {
      const uint32_t n = stop - i < ENGINE_CHUNK ? (uint32_t)(stop - i) : ENGINE_CHUNK;
      engine_add_single(q, 0, a->rows + i, n, cells);
    }
    i = stop;
    engine_join(q, cells, q->groups + (uint64_t)run * q->slots, true);
  }
}

RDX_KERNEL_BODY(compact, engine_compact_args) {
  const engine_query *q = a->query;
  const uint64_t end = (uint64_t)a->first + a->count, stride = (uint64_t)q->group_count * q->slots;
  for (uint64_t group = a->first; group < end; group++) {
    uint64_t cells[ENGINE_MAX_SLOTS], rows = 0;
    for (uint32_t c = 0; c < a->copies; c++)
      rows |= q->groups[c * stride + group * q->slots];
    if (rows == 0) /* as most have */
      continue;
    memset(cells, 0, q->slots * sizeof *cells);
    for (uint32_t c = 0; c < a->copies; c++) {
      uint64_t *from = q->groups + c * stride + group * q->slots;
      if (from[0] == 0)
        continue;
      engine_join(q, from, cells, false);
      memset(from, 0, q->slots * sizeof *from);
    }
    const uint64_t place = __atomic_fetch_add(a->counters, 1, __ATOMIC_RELAXED);
    uint64_t *to = a->out_groups + place * (q->slots + 1);
    *to = group;
    memcpy(to + 1, cells, q->slots * sizeof *cells);
  }
}

const rdx_kernel rdx_kernel_engine_table = RDX_COMPUTE_KERNEL(
    "engine table", engine_table_args, 1, 4096, ENGINE_TABLE_GROUP, engine_table_body, spirv_engine_table_comp);

#define TILE(words32) RDX_COMPUTE_KERNEL("engine tile", engine_tile_args, 2, 1, 1, engine_tile_body, words32)

const rdx_kernel rdx_kernel_engine_tile[2] = {TILE(spirv_engine_tile_comp_atomic32),
                                              TILE(spirv_engine_tile_comp_atomic64)};

const rdx_kernel rdx_kernel_engine_select =
    RDX_COMPUTE_KERNEL("engine select", engine_select_args, 0, 256, 256, select_rows, spirv_engine_select_comp);
const rdx_kernel rdx_kernel_engine_number =
    RDX_COMPUTE_KERNEL("engine number", engine_number_args, 0, 8192, 256, number_groups, spirv_engine_number_comp);

#define RUNS(words32) RDX_COMPUTE_KERNEL("engine runs", engine_runs_args, 0, 16384, 256, add_runs, words32)

const rdx_kernel rdx_kernel_engine_runs[2] = {RUNS(spirv_engine_runs_comp_atomic32),
                                              RUNS(spirv_engine_runs_comp_atomic64)};

const rdx_kernel rdx_kernel_engine_compact =
    RDX_COMPUTE_KERNEL("engine compact", engine_compact_args, 0, 16384, 256, compact, spirv_engine_compact_comp);
