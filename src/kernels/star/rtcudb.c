/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The triangles and rays of the published mapping of RTCUDB, and their bodies on the CPU. */

#include "device/cpu/trace.h"
#include "kernels/star/kernels.h"
#include "kernels/star/rtcudb_place.h"
#include "spirv/shaders.h"

RDX_EACH_ITEM(place, rtcudb_place_args, rtcudb_place(*a, (uint32_t)i))

/* Rows that were hit are looked at together: then what they take of memory comes at the same time. */
typedef struct tracing {
  const rtcudb_query *cube;
  uint32_t low, codes; /* of z: the interval of the ray under way */
  uint32_t copy;
  bool shared; /* with other parts */
  uint64_t hits, rows;
  uint32_t listed;
  uint32_t list[RDX_STAR_BATCH];
  rdx_star_batch batch;
} tracing;

static bool has_flag(const uint32_t *flags, uint32_t row) {
  return __atomic_load_n(&flags[row / 32], __ATOMIC_RELAXED) >> row % 32 & 1;
}

/* RTCUDB, Algorithm 1 "flag bit array". */
static bool take_flag(uint32_t *flags, uint32_t row) {
  return !(__atomic_fetch_or(&flags[row / 32], 1u << row % 32, __ATOMIC_RELAXED) >> row % 32 & 1);
}

static const float *corner_of(const rtcudb_query *c, uint32_t row) {
  return c->corners + (uint64_t)row * c->corner_stride;
}

static void prefetch(const rtcudb_query *c, uint32_t row) {
  const float *corner = corner_of(c, row);
  __builtin_prefetch(corner);
  __builtin_prefetch(corner + 2);
  for (uint32_t m = 0; m < c->query->measure_count; m++)
    if (c->fields[m].rest_bytes > 0)
      __builtin_prefetch((const char *)c->fields[m].rest + (uint64_t)row * c->fields[m].rest_bytes);
}

/* RTCUDB, Algorithm 1 "Pseudo-code of Any Hit Shader". */
static void add_row(tracing *t, uint32_t row) {
  const rtcudb_query *c = t->cube;
  const float *corner = corner_of(c, row);
  const uint32_t z = rtcudb_decode_z(corner[2], c->per_unit_z, c->centre_z);
  rdx_star_batch *b = &t->batch;
  if (z - t->low >= t->codes || !take_flag(c->flags, row))
    return;
  t->rows++;
  if ((c->bits && !(c->bits[row / 32] >> row % 32 & 1)) || !rtcudb_holds(c->checks, c->first_check, row, z))
    return;
  const uint32_t x = rtcudb_decode(corner[0], c->centre_x), y = rtcudb_decode(corner[1], c->centre_y);
  b->groups[b->count] = rtcudb_group(c->query->group_count, c->cuts, c->rests, c->rest_bytes, y, row);
  for (uint32_t m = 0; m < c->query->measure_count; m++)
    b->codes[m][b->count] = rtcudb_code(c->fields[m], x, row);
  b->count++;
}

static void add_listed(tracing *t) {
  for (uint32_t i = 0; i < t->listed; i++)
    add_row(t, t->list[i]);
  t->listed = 0;
  rdx_star_add_batch(t->cube->query, t->copy, t->shared, &t->batch);
}

/* A row that is flagged already needs no more. */
static bool on_row(void *context, RDX_UNUSED uint32_t lane, uint32_t row) {
  tracing *t = context;
  t->hits++;
  if (has_flag(t->cube->flags, row))
    return false;
  prefetch(t->cube, row);
  t->list[t->listed++] = row;
  if (t->listed == RDX_STAR_BATCH)
    add_listed(t);
  return false;
}

/* RTCUDB, section 3.2 "Mapping A Query to Rays". */
static void trace_ray(tracing *t, const struct rtcudb_rays_args *a, uint32_t ray, const rdx_scene *scene) {
  const rtcudb_query *c = a->cube;
  const uint32_t each = c->columns * c->lines, *interval = &a->intervals[2 * (uint64_t)(ray / each)];
  t->low = interval[0];
  t->codes = interval[1] - interval[0];
  const rdx_ray r = {{rtcudb_on_grid(ray % each % c->columns, c->half_x, c->x_codes, c->centre_x),
                      rtcudb_on_grid(ray % each / c->columns, c->half_y, c->y_codes, c->centre_y),
                      rtcudb_coordinate(t->low, c->centre_z) * c->unit_z},
                     0,
                     {0, 0, 1},
                     rtcudb_length(t->codes, c->unit_z)};
  rdx_cpu_trace_long(scene, &r, on_row, t);
  add_listed(t);
}

/* Neighbouring rays go to different parts: rows are not spread evenly. */
static void trace(const struct rtcudb_rays_args *a, uint32_t part, const rdx_scene *scene) {
  const uint32_t copies = a->cube->query->copies;
  tracing t = {.cube = a->cube, .copy = part % copies, .shared = a->parts > copies};
  for (uint64_t ray = part; ray < a->rays; ray += a->parts)
    trace_ray(&t, a, (uint32_t)ray, scene);
  if (a->counters) {
    __atomic_fetch_add(&a->counters[0], t.hits, __ATOMIC_RELAXED);
    __atomic_fetch_add(&a->counters[1], t.rows, __ATOMIC_RELAXED);
  }
}

RDX_EACH_ITEM(rays, rtcudb_rays_args, trace(a, (uint32_t)i, scene))

const rdx_kernel rdx_kernel_rtcudb_place =
    RDX_COMPUTE_KERNEL("RTCUDB triangles", rtcudb_place_args, 0, 4096, 128, place, spirv_rtcudb_place_comp);

const rdx_kernel rdx_kernel_rtcudb_rays = RDX_RAY_KERNEL("RTCUDB rays", rtcudb_rays_args, 0, 1, rays,
                                                         spirv_rtcudb_rays_rgen, .any_hit = &spirv_rtcudb_rays_rahit);
