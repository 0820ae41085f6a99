/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The rays of the coarse cube, and adding up the blocks that they meet: the bodies on the CPU. */

#include "device/cpu/trace.h"
#include "kernels/star/kernels.h"
#include "kernels/star/totals.h"
#include "spirv/shaders.h"

#define LIST 256 /* blocks that are listed together */

/* ---- Rays ---- */

typedef struct tracing {
  const struct coarse_args *args;
  uint32_t piece; /* of the ray under way */
  uint32_t listed;
  uint32_t list[2 * LIST];
} tracing;

static void append(tracing *t) {
  uint32_t *hit_list = t->args->hit_list;
  const uint32_t at = __atomic_fetch_add(&hit_list[0], t->listed, __ATOMIC_RELAXED);
  memcpy(hit_list + 1 + 2 * (uint64_t)at, t->list, t->listed * 2 * sizeof *t->list);
  t->listed = 0;
}

static bool on_block(void *context, RDX_UNUSED uint32_t lane, uint32_t primitive) {
  tracing *t = context;
  t->list[2 * t->listed] = primitive;
  t->list[2 * t->listed + 1] = t->piece;
  if (++t->listed == LIST)
    append(t);
  return false;
}

static void trace(const struct coarse_args *a, uint32_t part, const rdx_scene *scene) {
  const uint32_t end = star_part(a->rays, part + 1, a->parts);
  tracing t = {.args = a};
  for (uint32_t ray = star_part(a->rays, part, a->parts); ray < end; ray++) {
    t.piece = ray / a->scene_rows;
    const star_piece *piece = &a->pieces[t.piece];
    const rdx_ray r = {{(float)piece->first_cell - 0.5f, (float)(ray % a->scene_rows), 0},
                       0,
                       {1, 0, 0},
                       (float)(piece->last_cell - piece->first_cell + 1)};
    rdx_cpu_trace_long(scene, &r, on_block, &t);
  }
  append(&t);
}

RDX_EACH_ITEM(coarse, coarse_args, trace(a, (uint32_t)i, scene))

/* ---- Blocks ---- */

/* Those of a block whose places are in the ranges. Returns how many. */
static uint32_t add_some(const struct coarse_add_args *a, uint32_t part, const star_piece *piece, uint32_t begin,
                         uint32_t end) {
  const uint32_t first = star_interval(a->ranges, piece->first_range, piece->range_count, a->places[begin]);
  const uint32_t *range = a->ranges + 2 * (uint64_t)first;
  const uint32_t *stop = a->ranges + 2 * (uint64_t)(piece->first_range + piece->range_count);
  uint32_t added = 0;
  for (; range < stop && begin < end && range[0] <= a->places[end - 1]; range += 2) {
    const uint32_t from = lower_bound(a->places, begin, end, range[0]);
    begin = lower_bound(a->places, from, end, range[1]);
    rdx_star_add(a->query, part, NULL, from, begin);
    added += begin - from;
  }
  return added;
}

static void add_part(const struct coarse_add_args *a, uint32_t part) {
  const uint32_t begin = star_part(a->hit_list[0], part, a->parts), end = star_part(a->hit_list[0], part + 1, a->parts);
  uint64_t rows = 0;
  for (uint64_t i = begin; i < end; i++) {
    const uint32_t *block = a->blocks + 2 * (uint64_t)a->hit_list[1 + 2 * i];
    const star_piece *piece = &a->pieces[a->hit_list[2 + 2 * i]];
    if (coarse_all(a->ranges, *piece, block[1], a->shift)) {
      rdx_star_add(a->query, part, NULL, block[0], block[2]);
      rows += block[2] - block[0];
    } else {
      rows += add_some(a, part, piece, block[0], block[2]);
    }
  }
  if (a->counters) {
    __atomic_fetch_add(&a->counters[0], end - begin, __ATOMIC_RELAXED);
    __atomic_fetch_add(&a->counters[1], rows, __ATOMIC_RELAXED);
  }
}

RDX_EACH_ITEM(coarse_add, coarse_add_args, add_part(a, (uint32_t)i))

/* ---- Blocks by runs ---- */

static void add_block_runs(const struct coarse_runs_args *a, uint32_t block, const star_piece *piece, uint64_t *sums,
                           uint32_t *touched, uint32_t *count) {
  const uint32_t begin = a->block_runs[block], end = a->block_runs[block + 1];
  const uint32_t first = star_interval(a->ranges, piece->first_range, piece->range_count, begin);
  const uint32_t *range = a->ranges + 2 * (uint64_t)first;
  const uint32_t *stop = a->ranges + 2 * (uint64_t)(piece->first_range + piece->range_count);
  for (; range < stop && range[0] < end; range += 2)
    *count = star_add_runs(a->runs, a->query, range[0] > begin ? range[0] : begin, range[1] < end ? range[1] : end,
                           sums, touched, *count);
}

static void add_part_runs(const struct coarse_runs_args *a, uint32_t part) {
  const star_query *q = a->query;
  const uint32_t begin = star_part(a->hit_list[0], part, a->parts), end = star_part(a->hit_list[0], part + 1, a->parts);
  uint64_t *sums = q->sums + part * star_record_stride(q);
  uint32_t *touched = q->touched + part * star_list_stride(q);
  uint32_t count = q->marks[part];
  for (uint64_t i = begin; i < end; i++)
    add_block_runs(a, a->hit_list[1 + 2 * i], &a->pieces[a->hit_list[2 + 2 * i]], sums, touched, &count);
  q->marks[part] = count;
  if (a->counters)
    __atomic_fetch_add(&a->counters[0], end - begin, __ATOMIC_RELAXED);
}

RDX_EACH_ITEM(coarse_runs, coarse_runs_args, add_part_runs(a, (uint32_t)i))

const rdx_kernel rdx_kernel_coarse =
    RDX_RAY_KERNEL("coarse cube rays", coarse_args, 0, 1, coarse, spirv_coarse_rgen, .any_hit = &spirv_coarse_rahit);

const rdx_kernel rdx_kernel_coarse_add =
    RDX_COMPUTE_KERNEL("coarse cube blocks", coarse_add_args, 0, 1, COARSE_GROUP, coarse_add, spirv_coarse_add_comp);
const rdx_kernel rdx_kernel_coarse_runs =
    RDX_COMPUTE_KERNEL("coarse cube runs", coarse_runs_args, 0, 1, COARSE_GROUP, coarse_runs, spirv_coarse_runs_comp);
