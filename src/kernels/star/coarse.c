/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The rays of the coarse cube, and their body on the CPU. */

#include "device/cpu/trace.h"
#include "kernels/star/kernels.h"
#include "spirv/coarse_rahit.h"
#include "spirv/coarse_rgen.h"

#define BLOCK 64 /* rays in flight */
#define LIST 256 /* rows that are added together */

typedef struct tracing {
  const struct coarse_args *args;
  uint32_t part, first; /* the number of the first ray */
  uint64_t hits, rows;
} tracing;

/* Rows whose places are in the ranges: found without a branch, as their order is not foreseen. */
static void add_some(const tracing *t, const star_piece *piece, uint32_t begin, uint32_t end) {
  const struct coarse_args *a = t->args;
  const uint32_t low = a->ranges[2 * piece->first_range], size = a->ranges[2 * piece->first_range + 1] - low;
  uint32_t list[LIST];
  for (uint32_t from = begin; from < end; from += LIST) {
    const uint32_t to = end - from < LIST ? end : from + LIST;
    uint32_t n = 0;
    for (uint32_t i = from; i < to; i++) {
      list[n] = i;
      n += piece->range_count == 1 ? a->places[i] - low < size
                                   : star_inside(a->ranges, piece->first_range, piece->range_count, a->places[i]);
    }
    rdx_star_add(a->query, t->part, list, 0, n);
  }
}

static bool on_block(void *context, uint32_t lane, uint32_t primitive) {
  tracing *t = context;
  const struct coarse_args *a = t->args;
  const star_piece *piece = &a->pieces[(t->first + lane) / a->scene_rows];
  const uint32_t *block = a->blocks + 2 * (uint64_t)primitive;
  if (coarse_all(a->ranges, *piece, block[1], a->shift))
    rdx_star_add(a->query, t->part, NULL, block[0], block[2]);
  else
    add_some(t, piece, block[0], block[2]);
  t->hits++;
  t->rows += block[2] - block[0];
  return false;
}

static void trace(const struct coarse_args *a, uint32_t part, const rdx_scene *scene) {
  const uint32_t end = (uint32_t)((uint64_t)a->rays * (part + 1) / a->parts);
  tracing t = {.args = a, .part = part, .first = (uint32_t)((uint64_t)a->rays * part / a->parts)};
  for (; t.first < end; t.first += BLOCK) {
    rdx_ray rays[BLOCK];
    const uint32_t n = end - t.first < BLOCK ? end - t.first : BLOCK;
    for (uint32_t k = 0; k < n; k++) {
      const star_piece *piece = &a->pieces[(t.first + k) / a->scene_rows];
      rays[k] = (rdx_ray){{(float)piece->first_cell - 0.5f, (float)((t.first + k) % a->scene_rows), 0},
                          0,
                          {1, 0, 0},
                          (float)(piece->last_cell - piece->first_cell + 1)};
    }
    rdx_cpu_trace_all(scene, rays, n, true, on_block, &t);
  }
  if (a->counters) {
    __atomic_fetch_add(&a->counters[0], t.hits, __ATOMIC_RELAXED);
    __atomic_fetch_add(&a->counters[1], t.rows, __ATOMIC_RELAXED);
  }
}

static void coarse(const void *arguments, const uint32_t *variant, const rdx_scene *scene) {
  (void)variant;
  const struct coarse_args *a = arguments;
  for (uint32_t part = a->first; part < a->first + a->count; part++)
    trace(a, part, scene);
}

#define SPIRV(words_)                                                                                                  \
  { .words = words_, .size = sizeof words_ }

const rdx_kernel rdx_kernel_coarse = {.name = "coarse cube rays",
                                      .args_size = sizeof(struct coarse_args),
                                      .grain = 1,
                                      .body = coarse,
                                      .raygen = SPIRV(spirv_coarse_rgen),
                                      .any_hit = SPIRV(spirv_coarse_rahit)};
