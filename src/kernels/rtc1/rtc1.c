/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The kernels of triangles along an axis, and their bodies on the CPU. */

#include "device/cpu/trace.h"
#include "kernels/rtc1/kernels.h"
#include "spirv/shaders.h"

RDX_KERNEL_BODY(encode, rtc1_encode_args) {
  for (uint32_t i = a->first, end = a->first + a->count; i < end; i++) {
    const uint64_t code = load_key(a->codes, a->rows ? a->rows[i] : i, variant[0]);
    rtc1_write_triangle(a->triangles, i, (uint32_t)((code - a->smallest) >> a->shift), a->width);
  }
}

#define BLOCK 64 /* rays in flight */

typedef struct tracing {
  const struct rtc1_rays_args *args;
  uint32_t hits[BLOCK];
} tracing;

/* RTScan, section 2.2 "the Any-Hit Program is called to fetch the record ID and set the result". */
static bool on_hit(void *context, uint32_t lane, uint32_t primitive) {
  tracing *t = context;
  const struct rtc1_rays_args *a = t->args;
  const uint32_t row = a->rows ? a->rows[primitive] : primitive;
  t->hits[lane]++;
  if (has_bit(a->mask, row) && sieve_true(a->query, SIEVE_TERM(a->query, 0), row))
    __atomic_fetch_or(&a->out_bits[row / 32], 1u << row % 32, __ATOMIC_RELAXED);
  return false;
}

static void trace_block(tracing *t, const rdx_scene *scene, uint32_t first, uint32_t count) {
  const struct rtc1_rays_args *a = t->args;
  rdx_ray rays[BLOCK];
  for (uint32_t k = 0; k < count; k++) {
    const rtc1_ray ray = rtc1_ray_of(first + k, a->low, a->size, a->width, a->along);
    rays[k] = (rdx_ray){.origin = {ray.x, ray.y, 0}, .tmax = ray.tmax};
    rays[k].direction[a->along ? 0 : 1] = 1;
    t->hits[k] = 0;
  }
  rdx_cpu_trace_all(scene, rays, count, false, on_hit, t);
  if (!a->counters)
    return;
  const uint32_t stripe = first / BLOCK % RTC1_STRIPES;
  for (uint32_t k = 0; k < count; k++) {
    __atomic_fetch_add(&a->counters[2 * stripe], t->hits[k] > 0, __ATOMIC_RELAXED);
    __atomic_fetch_add(&a->counters[2 * stripe + 1], t->hits[k], __ATOMIC_RELAXED);
  }
}

RDX_KERNEL_BODY(rays, rtc1_rays_args) {
  tracing t = {.args = a};
  for (uint32_t done = 0; done < a->count; done += BLOCK)
    trace_block(&t, scene, a->first + done, a->count - done < BLOCK ? a->count - done : BLOCK);
}

const rdx_kernel rdx_kernel_rtc1_encode =
    RDX_COMPUTE_KERNEL("rtc1 encode", rtc1_encode_args, 1, 16384, 256, encode, spirv_rtc1_encode_comp);

const rdx_kernel rdx_kernel_rtc1_rays =
    RDX_RAY_KERNEL("rtc1 rays", rtc1_rays_args, 0, BLOCK, rays, spirv_rtc1_rgen, .any_hit = &spirv_rtc1_rahit);
