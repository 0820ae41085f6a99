/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The kernels of RX, and their bodies on the CPU. */

#include "device/cpu/trace.h"
#include "kernels/rx/kernels.h"
#include "kernels/rx/rx_count.h"
#include "kernels/rx/rx_primitives.h"
#include "kernels/rx/rx_segments.h"
#include "spirv/shaders.h"

#include "kernels/lookup/found.h"

#define BLOCK 256 /* probes, and rays, in flight */

typedef struct lookup {
  const struct rx_args *args;
  const rdx_scene *scene;
  uint32_t key64, gather, value, verify, from_zero, first_hit, primitive;
  bool boxes;
  uint32_t begin; /* first probe of the block */
  uint32_t rays;  /* in the block so far */
  rdx_ray ray[BLOCK];
  uint32_t probe[BLOCK]; /* of each ray, from `begin` */
  findings found[BLOCK];
} lookup;

static void start(lookup *l, const void *args, const uint32_t *variant, const rdx_scene *scene, bool boxes) {
  l->args = args;
  l->scene = scene;
  l->boxes = boxes;
  l->key64 = variant[0];
  l->gather = variant[1];
  l->value = variant[2];
  l->verify = variant[3];
  l->from_zero = variant[4];
  l->first_hit = variant[5];
  l->primitive = variant[6];
  l->rays = 0;
}

static void gather(lookup *l, uint32_t probe, uint32_t primitive) {
  const struct rx_args *args = l->args;
  const uint32_t row = args->rows ? args->rows[primitive] : primitive;
  const uint32_t end = l->gather == GATHER_ROWS ? (uint32_t)args->io.offsets[l->begin + probe] : 0;
  l->found[probe] = found_add(l->found[probe], args->io, row, end, l->gather, l->value);
}

/* RX, section 2.2 "any-hit program". */
static bool on_hit(void *context, uint32_t lane, uint32_t primitive) {
  lookup *l = context;
  const struct rx_args *args = l->args;
  if (l->boxes || l->verify) {
    const uint64_t key = load_key(args->state->keys, primitive, l->key64);
    if (l->boxes) {
      const rdx_ray *r = &l->ray[lane];
      const rx_vec origin = {r->origin[0], r->origin[1], r->origin[2]};
      const rx_vec direction = {r->direction[0], r->direction[1], r->direction[2]};
      if (!rx_meets(rx_point(key - args->zero, args->scheme), origin, direction, r->tmin, r->tmax, l->primitive,
                    args->scheme))
        return false;
    }
    if (l->verify) {
      const uint32_t i = l->begin + l->probe[lane];
      const uint64_t lower = load_key(args->lower, i, l->key64);
      const uint64_t upper = args->upper ? load_key(args->upper, i, l->key64) : lower;
      if (key < lower || key > upper)
        return false;
    }
  }
  gather(l, l->probe[lane], primitive);
  return l->first_hit != 0;
}

static void trace(lookup *l, bool coherent) {
  rdx_cpu_trace_all(l->scene, l->ray, l->rays, coherent, on_hit, l);
  l->rays = 0;
}

static void trace_single(lookup *l, bool coherent) {
  uint32_t primitive[BLOCK];
  rdx_cpu_trace_closest(l->scene, l->ray, l->rays, coherent, primitive, NULL);
  for (uint32_t k = 0; k < l->rays; k++)
    if (primitive[k] != UINT32_MAX)
      gather(l, l->probe[k], primitive[k]);
  l->rays = 0;
}

static void add_ray(lookup *l, rx_ray r, float x, float z, uint32_t probe) {
  if (l->rays == BLOCK)
    trace(l, false);
  l->ray[l->rays] = (rdx_ray){{r.x, r.y, r.z}, r.tmin, {x, 0, z}, r.tmax};
  l->probe[l->rays++] = probe;
}

static void store(const lookup *l, uint32_t count) {
  const struct rx_args *args = l->args;
  for (uint32_t k = 0; k < count; k++)
    found_store(l->found[k], args->io, (uint64_t)l->begin + k, l->gather);
}

/* RX, section 2.2 "cast a short ray perpendicularly to the line of triangles". */
/* Add a ray per probe, at most BLOCK, so that none is traced yet; whether their keys ascend. */
static bool add_perpendicular(lookup *l, uint32_t count) {
  const struct rx_args *args = l->args;
  bool ascending = true;
  uint64_t previous = 0;
  for (uint32_t k = 0; k < count; k++) {
    l->found[k] = FOUND_NONE;
    const uint64_t key = load_key(args->lower, l->begin + k, l->key64) - args->zero;
    ascending &= previous <= key;
    previous = key;
    if (has_bit(args->valid, l->begin + k) && rx_representable(key, args->scheme))
      add_ray(l, rx_perpendicular(key, args->scheme), 0, 1, k);
  }
  return ascending;
}

static void point_block(lookup *l, uint32_t count) {
  trace(l, add_perpendicular(l, count));
  store(l, count);
}

static void single_block(lookup *l, uint32_t count) {
  trace_single(l, add_perpendicular(l, count));
  store(l, count);
}

/* RX, section 2.2 "cast a ray along the line of triangles". */
static void range_block(lookup *l, uint32_t count) {
  const struct rx_args *args = l->args;
  const struct rx_state *state = args->state;
  const uint32_t shift = rx_segment_shift(args->scheme);
  for (uint32_t k = 0; k < count; k++) {
    l->found[k] = FOUND_NONE;
    const uint32_t i = l->begin + k;
    const uint64_t lower = load_key(args->lower, i, l->key64);
    const uint64_t upper = args->upper ? load_key(args->upper, i, l->key64) : lower;
    const rx_bounds bounds = rx_clamp(lower, upper, args->zero, state->min_key, state->max_key);
    if (bounds.empty || !has_bit(args->valid, i))
      continue;
    const rx_visit visit = rx_plan(bounds, shift, state->segments, state->segment_count);
    for (uint64_t v = visit.begin; v != visit.end && !FOUND_ENOUGH(l->found[k], l->gather); v++) {
      const uint64_t segment = rx_visited(visit, v, state->segments);
      add_ray(l,
              rx_parallel(rx_segment_lower(bounds.lower, segment, shift),
                          rx_segment_upper(bounds.upper, segment, shift), args->scheme, l->from_zero),
              1, 0, k);
    }
  }
  trace(l, false);
  store(l, count);
}

static void run(const struct rx_args *args, const uint32_t *variant, const rdx_scene *scene, bool boxes,
                void (*block)(lookup *l, uint32_t count)) {
  lookup l;
  start(&l, args, variant, scene, boxes);
  for (uint32_t done = 0; done < args->count; done += BLOCK) {
    l.begin = args->first + done;
    block(&l, args->count - done < BLOCK ? args->count - done : BLOCK);
  }
}

RDX_KERNEL_BODY(point, rx_args) {
  run(a, variant, scene, false, point_block);
}

RDX_KERNEL_BODY(single, rx_args) {
  run(a, variant, scene, false, single_block);
}

RDX_KERNEL_BODY(point_boxes, rx_args) {
  run(a, variant, scene, true, point_block);
}

RDX_KERNEL_BODY(range, rx_args) {
  run(a, variant, scene, false, range_block);
}

RDX_KERNEL_BODY(range_boxes, rx_args) {
  run(a, variant, scene, true, range_block);
}

RDX_KERNEL_BODY(encode, rx_encode_args) {
  for (uint32_t k = 0; k < a->count; k++) {
    const uint32_t i = a->first + k;
    const uint64_t key = load_key(a->keys, i, variant[0]) - a->zero;
    if (variant[1])
      rx_write_box(a->primitives + (uint64_t)i * RX_BOX_WORDS, key, a->scheme);
    else
      rx_write_triangle(a->primitives + (uint64_t)i * RX_TRIANGLE_WORDS, key, a->scheme);
  }
}

RDX_EACH_ITEM(count_rays, rx_rays_args, a->out_rays[i] = rx_rays_of(*a, (uint32_t)i, variant[0], variant[1]))

/* Probes may have many hits each. */
#define ALL_HITS(title, each, function, code)                                                                          \
  .name = title, .args_size = sizeof(struct rx_args), .variants = RX_CONSTANTS, .grain = each,                         \
  .subgroup_per_item = true, .body = function, .raygen = &code, .any_hit = &spirv_rx_rahit
#define BOXES .intersection = &spirv_rx_rint

const rdx_kernel rdx_kernel_rx_point = {ALL_HITS("rx point", BLOCK, point, spirv_rx_point_rgen)};
const rdx_kernel rdx_kernel_rx_range = {ALL_HITS("rx range", 256, range, spirv_rx_range_rgen)};
const rdx_kernel rdx_kernel_rx_point_boxes = {ALL_HITS("rx point, boxes", BLOCK, point_boxes, spirv_rx_point_rgen),
                                              BOXES};
const rdx_kernel rdx_kernel_rx_range_boxes = {ALL_HITS("rx range, boxes", 256, range_boxes, spirv_rx_range_rgen),
                                              BOXES};

const rdx_kernel rdx_kernel_rx_single = RDX_RAY_KERNEL("rx point, distinct", rx_args, RX_CONSTANTS, 4096, single,
                                                       spirv_rx_single_rgen, .closest_hit = &spirv_rx_single_rchit);

const rdx_kernel rdx_kernel_rx_encode =
    RDX_COMPUTE_KERNEL("rx encode", rx_encode_args, 2, 16384, 256, encode, spirv_rx_encode_comp);
const rdx_kernel rdx_kernel_rx_rays =
    RDX_COMPUTE_KERNEL("rx rays", rx_rays_args, 2, 16384, 256, count_rays, spirv_rx_rays_comp);
