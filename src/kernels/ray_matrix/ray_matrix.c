/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The kernels of cubes and matrix rays, and their bodies on the CPU. */

#include "device/cpu/trace.h"
#include "kernels/ray_matrix/ray_matrix_place.h"
#include "kernels/ray_matrix/kernels.h"
#include "spirv/shaders.h"

RDX_EACH_ITEM(place, ray_matrix_place_args, RAY_MATRIX_PLACE(*a, (uint32_t)i, variant[0], variant[1]))

RDX_EACH_ITEM(box, ray_matrix_box_args,
              ray_matrix_write_box(a->cells, a->boxes, (uint32_t)i, a->rows, a->rows_per_box, a->width))

/* ---- Rays ---- */

#define BLOCK 256 /* rays in flight */

typedef struct tracing {
  const struct ray_matrix_rays_args *args;
  rdx_ray rays[BLOCK];
  uint32_t hits[BLOCK]; /* cubes met by each ray */
  float half_width;
} tracing;

/* RTScan, Algorithm 1 "Pseudo-code of Intersection Shader". */
static bool on_box(void *context, uint32_t lane, uint32_t primitive) {
  tracing *t = context;
  const struct ray_matrix_rays_args *a = t->args;
  const rdx_ray *ray = &t->rays[lane];
  const uint32_t begin = primitive * a->rows_per_box, rest = a->entries - begin;
  const uint32_t end = begin + (rest < a->rows_per_box ? rest : a->rows_per_box);
  float low[3], high[3];
  for (uint32_t k = 0; k < 3; k++) {
    low[k] = ray->origin[k];
    high[k] = low[k] + ray->direction[k] * ray->tmax;
  }
  for (uint32_t i = begin; i < end; i++) {
    const uint64_t cells = a->cells[i];
    if (ray_matrix_overlap(ray_matrix_cell(cells, 0), t->half_width, low[0], high[0]) &&
        ray_matrix_overlap(ray_matrix_cell(cells, 1), t->half_width, low[1], high[1]) &&
        ray_matrix_overlap(ray_matrix_cell(cells, 2), t->half_width, low[2], high[2])) {
      const uint32_t row = a->rows[i];
      sieve_put(a->out_bits, row, sieve_decide(a->query, a->term_count, a->mask, row));
      t->hits[lane]++;
    }
  }
  return false;
}

static void add_ray(tracing *t, uint32_t lane, ray_matrix_ray ray) {
  rdx_ray *out = &t->rays[lane];
  *out = (rdx_ray){.origin = {ray.origin[0], ray.origin[1], ray.origin[2]}, .tmax = ray.tmax};
  out->direction[ray.axis] = 1;
  t->hits[lane] = 0;
}

static void count(const struct ray_matrix_rays_args *a, const uint32_t *hits, uint32_t rays) {
  uint32_t hit = 0, total = 0;
  for (uint32_t k = 0; k < rays; k++) {
    hit += hits[k] > 0;
    total += hits[k];
  }
  const uint32_t stripe = a->first / BLOCK % RAY_MATRIX_STRIPES;
  __atomic_fetch_add(&a->counters[2 * stripe], hit, __ATOMIC_RELAXED);
  __atomic_fetch_add(&a->counters[2 * stripe + 1], total, __ATOMIC_RELAXED);
}

RDX_KERNEL_BODY(rays, ray_matrix_rays_args) {
  tracing t = {.args = a, .half_width = (float)a->width * 0.5f};
  struct ray_matrix_region *regions = RAY_MATRIX_REGIONS(a->query, a->regions);
  uint32_t r = ray_matrix_region_of(regions, a->region_count, a->first);
  for (uint32_t done = 0; done < a->count; done += BLOCK) {
    const uint32_t n = a->count - done < BLOCK ? a->count - done : BLOCK;
    for (uint32_t k = 0; k < n; k++) {
      const uint32_t i = a->first + done + k;
      while (r + 1 < a->region_count && regions[r + 1].start <= i)
        r++;
      add_ray(&t, k,
              ray_matrix_ray_of(regions[r], i - regions[r].start, a->width, a->interval, a->ray_length, a->spacing));
    }
    rdx_cpu_trace_all(scene, t.rays, n, false, on_box, &t);
    if (a->counters)
      count(a, t.hits, n);
  }
}

const rdx_kernel rdx_kernel_ray_matrix_place =
    RDX_COMPUTE_KERNEL("ray matrix place", ray_matrix_place_args, 2, 16384, 256, place, spirv_ray_matrix_place_comp);
const rdx_kernel rdx_kernel_ray_matrix_box =
    RDX_COMPUTE_KERNEL("ray matrix box", ray_matrix_box_args, 0, 2048, 128, box, spirv_ray_matrix_box_comp);

const rdx_kernel rdx_kernel_ray_matrix_rays =
    RDX_RAY_KERNEL("ray matrix rays", ray_matrix_rays_args, 0, BLOCK, rays, spirv_ray_matrix_rgen,
                   .any_hit = &spirv_ray_matrix_rahit, .intersection = &spirv_ray_matrix_rint);
