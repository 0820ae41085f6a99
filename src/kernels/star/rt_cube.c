/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The triangles and rays of the RT cube, and their bodies on the CPU. */

#include "device/cpu/trace.h"
#include "kernels/star/kernels.h"
#include "kernels/star/rt_cube.h"
#include "spirv/shaders.h"

RDX_EACH_ITEM(place, rt_place_args, rt_place(*a, (uint32_t)i))

#define LIST RDX_STAR_BATCH /* rows that are added together */

typedef struct tracing {
  const struct rt_rays_args *args;
  uint32_t part;
  uint32_t cell; /* of the grid: that of the ray under way */
  rt_run run;
  uint32_t listed;
  uint32_t list[LIST];
  uint64_t hits, rows;
} tracing;

/* Where there are fewer copies of the accumulators than parts, parts share them. */
static void add_listed(tracing *t) {
  const star_query *q = t->args->query;
  if (t->args->parts <= q->copies) {
    rdx_star_add(q, t->part, t->list, 0, t->listed);
  } else {
    rdx_star_batch batch = {.count = 0};
    for (uint32_t i = 0; i < t->listed; i++)
      rdx_star_batch_row(q, t->list[i], &batch);
    rdx_star_add_batch(q, t->part % q->copies, true, &batch);
  }
  t->rows += t->listed;
  t->listed = 0;
}

static bool on_row(void *context, RDX_UNUSED uint32_t lane, uint32_t row) {
  tracing *t = context;
  const struct rt_rays_args *a = t->args;
  t->hits++;
  if (rt_counts(a->owners, a->places, a->ranges, a->bits, row, t->cell, t->run)) {
    t->list[t->listed++] = row;
    if (t->listed == LIST)
      add_listed(t);
  }
  return false;
}

static void trace_ray(tracing *t, uint32_t ray, const rdx_scene *scene) {
  const struct rt_rays_args *a = t->args;
  const uint32_t each = a->columns * a->lines, piece = ray / each;
  t->cell = ray % each;
  t->run = a->runs[rt_find(a->runs, a->run_count, piece)];
  const uint32_t first = rt_first_cell(t->run, piece, a->cells, a->z_shift);
  const rdx_ray r = {{RT_PLACE_ON_GRID(a->half_x, t->cell % a->columns),
                      RT_PLACE_ON_GRID(a->half_y, t->cell / a->columns), RT_Z(first)},
                     0,
                     {0, 0, 1},
                     (float)rt_cells(t->run, first, a->cells, a->z_shift)};
  rdx_cpu_trace_long(scene, &r, on_row, t);
}

static void trace(const struct rt_rays_args *a, uint32_t part, const rdx_scene *scene) {
  const uint32_t end = star_part(a->rays, part + 1, a->parts);
  tracing t = {.args = a, .part = part};
  for (uint32_t ray = star_part(a->rays, part, a->parts); ray < end; ray++)
    trace_ray(&t, ray, scene);
  add_listed(&t);
  if (a->counters) {
    __atomic_fetch_add(&a->counters[0], t.hits, __ATOMIC_RELAXED);
    __atomic_fetch_add(&a->counters[1], t.rows, __ATOMIC_RELAXED);
  }
}

RDX_EACH_ITEM(rays, rt_rays_args, trace(a, (uint32_t)i, scene))

const rdx_kernel rdx_kernel_rt_place =
    RDX_COMPUTE_KERNEL("RT cube triangles", rt_place_args, 0, 4096, 128, place, spirv_rt_place_comp);

const rdx_kernel rdx_kernel_rt_rays =
    RDX_RAY_KERNEL("RT cube rays", rt_rays_args, 0, 1, rays, spirv_rt_rays_rgen, .any_hit = &spirv_rt_rays_rahit);
