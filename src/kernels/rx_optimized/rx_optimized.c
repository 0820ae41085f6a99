/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The kernels of the optimized RX, and their bodies on the CPU. */

#include "device/cpu/trace.h"
#include "kernels/rx_optimized/kernels.h"
#include "spirv/shaders.h"

#include "kernels/lookup/found.h"

#define BLOCK 256 /* probes, and rays, in flight */

/* A probe on its way along rows. */
typedef struct walk {
  rx_bounds bounds;
  rx_visit visit; /* `begin` moves on */
  float from, reach;
  uint32_t hit, rays;
  bool going;
} walk;

typedef struct lookup {
  const struct rx_optimized_args *args;
  const rdx_scene *scene;
  uint32_t key64, gather, value, count_rays, primitive;
  bool boxes;
  uint32_t begin, count;
  uint64_t lower[BLOCK], upper[BLOCK];
  walk walk[BLOCK];
} lookup;

static void start_probe(lookup *l, uint32_t k) {
  const struct rx_optimized_args *args = l->args;
  const rx_optimized_state *s = args->state;
  walk *w = &l->walk[k];
  *w = (walk){.hit = NO_ROW, .reach = s->reach};
  if (!has_bit(args->valid, l->begin + k))
    return;
  if (!args->upper) {
    w->going = rx_representable(l->lower[k], s->scheme);
    return;
  }
  w->bounds = rx_clamp(l->lower[k], l->upper[k], 0, s->min_key, s->max_key);
  if (w->bounds.empty)
    return;
  w->visit = rx_plan(w->bounds, rx_segment_shift(s->scheme), s->segments, s->segment_count);
  w->going = w->visit.begin != w->visit.end;
}

/* Sets the block up; whether its keys ascend. */
static bool start_block(lookup *l) {
  const struct rx_optimized_args *args = l->args;
  bool ascending = true;
  for (uint32_t k = 0; k < l->count; k++) {
    l->lower[k] = load_key(args->lower, l->begin + k, l->key64);
    l->upper[k] = args->upper ? load_key(args->upper, l->begin + k, l->key64) : l->lower[k];
    ascending &= k == 0 || l->lower[k - 1] <= l->lower[k];
    start_probe(l, k);
  }
  return ascending;
}

static rx_ray row_ray(const lookup *l, const walk *w) {
  const struct rx_optimized_args *args = l->args;
  const rx_optimized_state *s = args->state;
  const uint32_t shift = rx_segment_shift(s->scheme);
  const uint64_t segment = rx_visited(w->visit, w->visit.begin, s->segments);
  return rx_parallel(rx_segment_lower(w->bounds.lower, segment, shift),
                     rx_segment_upper(w->bounds.upper, segment, shift), s->scheme, 0);
}

static rdx_ray next_ray(const lookup *l, uint32_t k) {
  const struct rx_optimized_args *args = l->args;
  const walk *w = &l->walk[k];
  if (!args->upper) {
    const rx_ray r = rx_perpendicular(l->lower[k], args->state->scheme);
    return (rdx_ray){{r.x, r.y, r.z}, r.tmin, {0, 0, 1}, r.tmax};
  }
  const rx_ray r = row_ray(l, w);
  const float end = w->from + w->reach;
  return (rdx_ray){{r.x, r.y, r.z}, w->from, {1, 0, 0}, end < r.tmax ? end : r.tmax};
}

/* thesis, Algorithm 3 "Revised RTX Range Query Algorithm". */
/* Take what a ray found: a hit, or nothing and then the rest of the row, or the next one. */
static void take(const lookup *l, walk *w, uint32_t primitive) {
  const struct rx_optimized_args *args = l->args;
  w->rays++;
  w->hit = primitive;
  w->going = false;
  if (primitive != NO_ROW || !args->upper)
    return;
  w->from += w->reach;
  w->reach *= RX_OPTIMIZED_GROW;
  if (w->from >= row_ray(l, w).tmax) {
    w->visit.begin++;
    w->from = 0;
    w->reach = args->state->reach;
  }
  w->going = w->visit.begin != w->visit.end;
}

/* Rays under way to boxes, and what each hit. */
typedef struct box_rays {
  const lookup *l;
  const rdx_ray *rays;
  uint32_t *primitive;
} box_rays;

/* Any hit leads to the first entry: see rx_optimized.h. */
static bool on_box(void *context, uint32_t lane, uint32_t primitive) {
  const box_rays *b = context;
  const struct rx_optimized_args *args = b->l->args;
  const rx_optimized_state *s = args->state;
  const rdx_ray *r = &b->rays[lane];
  const rx_vec center = rx_point(load_key(args->keys, rx_optimized_entry(primitive, *s), b->l->key64), s->scheme);
  const rx_vec origin = {r->origin[0], r->origin[1], r->origin[2]};
  const rx_vec direction = {r->direction[0], r->direction[1], r->direction[2]};
  if (!rx_meets(center, origin, direction, r->tmin, r->tmax, b->l->primitive, s->scheme))
    return false;
  b->primitive[lane] = primitive;
  return true;
}

static void cast(const lookup *l, const rdx_ray *rays, uint32_t count, bool coherent, uint32_t *primitive) {
  if (!l->boxes) {
    rdx_cpu_trace_closest(l->scene, rays, count, coherent, primitive, NULL);
    return;
  }
  memset(primitive, 0xff, count * sizeof *primitive); /* NO_ROW */
  rdx_cpu_trace_all(l->scene, rays, count, coherent, on_box, &(box_rays){l, rays, primitive});
}

/* Cast the rays of all probes that go on, round by round. */
static void locate(lookup *l, bool coherent) {
  rdx_ray rays[BLOCK];
  uint32_t probe[BLOCK], primitive[BLOCK], count;
  do {
    count = 0;
    for (uint32_t k = 0; k < l->count; k++) {
      if (!l->walk[k].going)
        continue;
      rays[count] = next_ray(l, k);
      probe[count++] = k;
    }
    cast(l, rays, count, coherent, primitive);
    for (uint32_t n = 0; n < count; n++)
      take(l, &l->walk[probe[n]], primitive[n]);
  } while (count > 0);
}

/* thesis, Algorithm 4 "CUDA Kernel Linear Scan". */
static findings scan(const lookup *l, uint32_t k) {
  const struct rx_optimized_args *args = l->args;
  const rx_optimized_state *s = args->state;
  findings f = FOUND_NONE;
  if (l->count_rays)
    f.count = l->walk[k].rays;
  if (!l->count_rays && l->gather == GATHER_ANY)
    f.count = l->walk[k].hit != NO_ROW;
  if (l->count_rays || l->gather == GATHER_ANY || l->walk[k].hit == NO_ROW)
    return f;
  const uint32_t at = rx_optimized_entry(l->walk[k].hit, *s);
  const bool exact = !args->upper && s->distinct;
  const uint32_t begin = exact ? at : entry_search_down(args->keys, at, l->lower[k], LAYOUT_COLUMN, l->key64);
  const uint32_t to = l->gather == GATHER_ROWS ? (uint32_t)args->io.offsets[l->begin + k] : 0;
  if (args->upper && s->linear_scan) {
    for (uint32_t entry = begin; entry < s->n && load_key(args->keys, entry, l->key64) <= l->upper[k]; entry++)
      f = found_add(f, args->io, args->rows[entry], to, l->gather, l->value);
    return f;
  }
  if (args->upper) {
    f.first = begin;
    f.count =
        (l->upper[k] >= s->max_key ? s->n
                                   : entry_search_up(args->keys, at, s->n, l->upper[k] + 1, LAYOUT_COLUMN, l->key64)) -
        begin;
    return f;
  }
  const uint32_t end = exact ? rx_optimized_end(l->walk[k].hit, at, *s) : s->n;
  for (uint32_t entry = begin; entry < end && (exact || load_key(args->keys, entry, l->key64) == l->lower[k]);
       entry++) {
    const uint32_t row = args->rows[entry];
    f = found_add(f, args->io, row, to, l->gather, l->value);
  }
  return f;
}

static void look_up_in(const struct rx_optimized_args *args, const uint32_t *variant, const rdx_scene *scene,
                       bool boxes) {
  lookup l = {.args = args,
              .scene = scene,
              .key64 = variant[0],
              .gather = variant[1],
              .value = variant[2],
              .count_rays = variant[3],
              .primitive = variant[4],
              .boxes = boxes};
  for (uint32_t done = 0; done < args->count; done += BLOCK) {
    l.begin = args->first + done;
    l.count = args->count - done < BLOCK ? args->count - done : BLOCK;
    locate(&l, start_block(&l));
    for (uint32_t k = 0; k < l.count; k++) {
      const findings f = scan(&l, k);
      found_store(f, args->io, (uint64_t)l.begin + k, l.gather);
    }
  }
}

RDX_KERNEL_BODY(look_up, rx_optimized_args) {
  look_up_in(a, variant, scene, false);
}

RDX_KERNEL_BODY(look_up_boxes, rx_optimized_args) {
  look_up_in(a, variant, scene, true);
}

const rdx_kernel rdx_kernel_rx_optimized =
    RDX_RAY_KERNEL("rx optimized", rx_optimized_args, RX_OPTIMIZED_CONSTANTS, 4096, look_up, spirv_rx_optimized_rgen,
                   .closest_hit = &spirv_rx_optimized_rchit);

const rdx_kernel rdx_kernel_rx_optimized_boxes = RDX_RAY_KERNEL(
    "rx optimized boxes", rx_optimized_args, RX_OPTIMIZED_CONSTANTS, 4096, look_up_boxes, spirv_rx_optimized_rgen,
    .closest_hit = &spirv_rx_optimized_rchit, .intersection = &spirv_rx_optimized_rint);
