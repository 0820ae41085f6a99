/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The kernels that build and change the nodes of the updatable cgRX, and their bodies on the CPU. Each body is compiled
 * for either width of keys. */

#include "kernels/cgrx/cgrx_update.h"
#include "kernels/cgrx/kernels.h"
#include "spirv/shaders.h"

RDX_INLINE void load_run(const struct cgrx_load_args *a, uint32_t key64) {
  const cgrx_nodes t = *a->nodes;
  const uint32_t words = key64 ? 2 : 1;
  for (uint32_t bucket = a->first; bucket < a->first + a->count; bucket++) {
    uint32_t *p = node_at(t, bucket, key64);
    const uint32_t begin = bucket * a->per_bucket, left = a->n - begin,
                   size = left < a->per_bucket ? left : a->per_bucket;
    memcpy(node_keys(p), a->keys + (uint64_t)begin * words, (uint64_t)size * words * 4);
    memcpy(node_rows(p, t.node_size, key64), a->rows + begin, (uint64_t)size * 4);
    load_bucket(t, bucket, begin, size, a->n, key64);
  }
}

/* Have the nodes of the buckets that come next before `end` on their way: representative nodes early, and once those
 * are here what they link to. Beyond `end` another thread may be changing them. */
#define EARLY 16
#define SOON 8

/* A batch with less than a key for so many buckets looks into few. */
#define SPARSE 4

RDX_INLINE void prefetch_linked(cgrx_nodes t, uint32_t bucket, uint32_t words, uint32_t key64) {
  const uint32_t next = node_at(t, bucket, key64)[NODE_NEXT];
  if (next != NO_NODE)
    node_prefetch(node_at(t, next, key64), words);
}

/* Neighbours begin where the one before ends: only the first is searched for. */
RDX_INLINE void plan_run(const struct cgrx_plan_args *a, uint32_t key64) {
  const cgrx_nodes t = *a->nodes;
  const uint32_t words = a->remove_count > 0 ? node_words(t.node_size, key64) : NODE_HEAD, end = a->first + a->count;
  uint32_t insert = 0, remove = 0;
  if (a->first > 0) {
    const uint64_t fence = load_key(t.fences, a->first - 1, key64);
    insert = lower_bound_key(a->inserts, 0, a->insert_count, fence, key64);
    remove = lower_bound_key(a->removes, 0, a->remove_count, fence, key64);
  }
  const bool dense = a->insert_count + (uint64_t)a->remove_count > t.buckets / SPARSE;
  for (uint32_t bucket = a->first; bucket < end; bucket++) {
    if (dense && end - bucket > EARLY)
      node_prefetch(node_at(t, bucket + EARLY, key64), words);
    if (dense && end - bucket > SOON)
      prefetch_linked(t, bucket + SOON, words, key64);
    const struct cgrx_part part = update_part(*a, t, bucket, insert, remove, key64);
    a->parts[bucket] = part;
    update_plan(*a, t, bucket, part, key64);
    insert = part.insert_end;
    remove =
        entry_search_up(a->removes, remove, a->remove_count, load_key(t.fences, bucket, key64), LAYOUT_COLUMN, key64);
  }
}

RDX_INLINE void apply_run(const struct cgrx_apply_args *a, uint32_t key64) {
  const cgrx_nodes t = *a->nodes;
  const uint32_t words = node_words(t.node_size, key64), end = a->first + a->count;
  for (uint32_t bucket = a->first; bucket < end; bucket++) {
    if (end - bucket > EARLY && update_changes(a->parts[bucket + EARLY]))
      node_prefetch(node_at(t, bucket + EARLY, key64), words);
    if (end - bucket > SOON && update_changes(a->parts[bucket + SOON]))
      prefetch_linked(t, bucket + SOON, words, key64);
    update_apply(*a, t, bucket, key64);
  }
}

RDX_INLINE void collect_run(const struct cgrx_collect_args *a, uint32_t key64) {
  const cgrx_nodes t = *a->nodes;
  for (uint32_t bucket = a->first; bucket < a->first + a->count; bucket++)
    update_collect(*a, t, bucket, key64);
}

RDX_KERNEL_BODY(load, cgrx_load_args) {
  variant[0] ? load_run(a, 1) : load_run(a, 0);
}

RDX_KERNEL_BODY(plan, cgrx_plan_args) {
  variant[0] ? plan_run(a, 1) : plan_run(a, 0);
}

RDX_KERNEL_BODY(apply, cgrx_apply_args) {
  variant[0] ? apply_run(a, 1) : apply_run(a, 0);
}

RDX_KERNEL_BODY(collect, cgrx_collect_args) {
  variant[0] ? collect_run(a, 1) : collect_run(a, 0);
}

const rdx_kernel rdx_kernel_cgrx_load =
    RDX_COMPUTE_KERNEL("cgrx load", cgrx_load_args, 1, 4096, 128, load, spirv_cgrx_load_comp);
const rdx_kernel rdx_kernel_cgrx_plan =
    RDX_COMPUTE_KERNEL("cgrx plan", cgrx_plan_args, 2, 1024, 128, plan, spirv_cgrx_plan_comp);
const rdx_kernel rdx_kernel_cgrx_apply =
    RDX_COMPUTE_KERNEL("cgrx apply", cgrx_apply_args, 1, 512, 128, apply, spirv_cgrx_apply_comp);
const rdx_kernel rdx_kernel_cgrx_collect =
    RDX_COMPUTE_KERNEL("cgrx collect", cgrx_collect_args, 1, 1024, 128, collect, spirv_cgrx_collect_comp);
