/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The kernels of the column engine, and their bodies on the CPU but for tables and tiles (column_engine_tile.c). */

#include "kernels/column_engine/host.h"
#include "spirv/engine_compact_comp.h"
#include "spirv/engine_number_comp.h"
#include "spirv/engine_runs_comp_atomic32.h"
#include "spirv/engine_runs_comp_atomic64.h"
#include "spirv/engine_select_comp.h"
#include "spirv/engine_table_comp.h"
#include "spirv/engine_tile_comp_atomic32.h"
#include "spirv/engine_tile_comp_atomic64.h"

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

static void select_rows(const void *arguments, const uint32_t *variant, const rdx_scene *scene) {
  (void)variant, (void)scene;
  const struct engine_select_args *a = arguments;
  const uint64_t end = (uint64_t)a->first + a->count;
  for (uint64_t word = a->first; word < end; word++) {
    uint32_t bits = 0;
    for (uint32_t k = 0; k < 32 && word * 32 + k < a->query->rows; k++)
      bits |= (uint32_t)qualifies(a->query, (uint32_t)word * 32 + k) << k;
    a->bits[word] = bits;
  }
}

static void number_groups(const void *arguments, const uint32_t *variant, const rdx_scene *scene) {
  (void)variant, (void)scene;
  const struct engine_number_args *a = arguments;
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
static void add_runs(const void *arguments, const uint32_t *variant, const rdx_scene *scene) {
  (void)variant, (void)scene;
  const struct engine_runs_args *a = arguments;
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

static void compact(const void *arguments, const uint32_t *variant, const rdx_scene *scene) {
  (void)variant, (void)scene;
  const struct engine_compact_args *a = arguments;
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

const rdx_kernel rdx_kernel_engine_table = {.name = "engine table",
                                            .args_size = sizeof(struct engine_table_args),
                                            .variants = 1,
                                            .grain = 4096,
                                            .group = ENGINE_TABLE_GROUP,
                                            .body = engine_table_body,
                                            .compute = RDX_SPIRV(spirv_engine_table_comp)};

#define TILE(words32)                                                                                                  \
  {                                                                                                                    \
    .name = "engine tile", .args_size = sizeof(struct engine_tile_args), .variants = 2, .grain = 1,                    \
    .group = 1 /* items are workgroups */, .body = engine_tile_body, .compute = RDX_SPIRV(words32)                     \
  }

const rdx_kernel rdx_kernel_engine_tile[2] = {TILE(spirv_engine_tile_comp_atomic32),
                                              TILE(spirv_engine_tile_comp_atomic64)};

const rdx_kernel rdx_kernel_engine_select = {.name = "engine select",
                                             .args_size = sizeof(struct engine_select_args),
                                             .grain = 256,
                                             .group = 256,
                                             .body = select_rows,
                                             .compute = RDX_SPIRV(spirv_engine_select_comp)};

const rdx_kernel rdx_kernel_engine_number = {.name = "engine number",
                                             .args_size = sizeof(struct engine_number_args),
                                             .grain = 8192,
                                             .group = 256,
                                             .body = number_groups,
                                             .compute = RDX_SPIRV(spirv_engine_number_comp)};

#define RUNS(words32)                                                                                                  \
  {                                                                                                                    \
    .name = "engine runs", .args_size = sizeof(struct engine_runs_args), .grain = 16384, .group = 256,                 \
    .body = add_runs, .compute = RDX_SPIRV(words32)                                                                    \
  }

const rdx_kernel rdx_kernel_engine_runs[2] = {RUNS(spirv_engine_runs_comp_atomic32),
                                              RUNS(spirv_engine_runs_comp_atomic64)};

const rdx_kernel rdx_kernel_engine_compact = {.name = "engine compact",
                                              .args_size = sizeof(struct engine_compact_args),
                                              .grain = 16384,
                                              .group = 256,
                                              .body = compact,
                                              .compute = RDX_SPIRV(spirv_engine_compact_comp)};
