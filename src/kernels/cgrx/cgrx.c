/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The kernels of cgRX, and their bodies on the CPU. */

#include "device/cpu/trace.h"
#include "kernels/cgrx/cgrx_encode.h"
#include "kernels/cgrx/kernels.h"
#include "spirv/shaders.h"

#include "kernels/lookup/batch_search.h"
#include "kernels/lookup/found.h"

#define BLOCK 256 /* probes, and rays, in flight */

typedef struct lookup {
  const struct cgrx_args *args;
  const rdx_scene *scene;
  uint32_t key64, gather, value, output;
  uint32_t begin, count;
  bool ascending;
  uint64_t lower[BLOCK], upper[BLOCK];
  bool wanted[BLOCK];
  cgrx_walk walk[BLOCK];
} lookup;

static void load_block(lookup *l) {
  const struct cgrx_args *args = l->args;
  l->ascending = true;
  for (uint32_t k = 0; k < l->count; k++) {
    const uint32_t i = l->begin + k;
    l->lower[k] = load_key(args->lower, i, l->key64);
    l->upper[k] = args->upper ? load_key(args->upper, i, l->key64) : l->lower[k];
    l->wanted[k] = args->state->n > 0 && l->lower[k] <= l->upper[k] &&
                   (args->nodes || l->lower[k] <= args->state->max_rep) && has_bit(args->valid, i);
    l->walk[k] = l->wanted[k] ? cgrx_start(l->lower[k], *args->state) : cgrx_done(0, 0);
    l->ascending &= k == 0 || l->lower[k - 1] <= l->lower[k];
  }
}

/* cgRX, section 3.1 "closest-hit". */
/* Cast the rays of all searches that go on, round by round. */
static void locate(lookup *l) {
  const struct cgrx_args *args = l->args;
  rdx_ray rays[BLOCK];
  uint32_t probe[BLOCK], primitive[BLOCK], count;
  bool back[BLOCK];
  do {
    count = 0;
    for (uint32_t k = 0; k < l->count; k++) {
      if (l->walk[k].phase == CGRX_DONE)
        continue;
      const cgrx_ray r = cgrx_next_ray(l->walk[k], *args->state);
      rays[count] = (rdx_ray){{r.x, r.y, r.z}, r.tmin, {r.dx, r.dy, r.dz}, r.tmax};
      probe[count++] = k;
    }
    rdx_cpu_trace_closest(l->scene, rays, count, l->ascending, primitive, back);
    for (uint32_t n = 0; n < count; n++) {
      cgrx_walk *w = &l->walk[probe[n]];
      *w = primitive[n] == UINT32_MAX ? cgrx_miss(*w, *args->state)
                                      : cgrx_hit(*w, primitive[n], back[n], args->keys, *args->state, l->key64);
    }
  } while (count > 0);
}

DEFINE_RUN_END(run_end, (uint32_t * keys, uint32_t layout, uint32_t key64, uint32_t begin, uint32_t n, uint64_t key),
               entry_key(keys, (uint32_t)at, layout, key64) == key)

/* cgRX, section 3.2 "Range-lookup". */
/* cgRX, section 3.2 "linearly scan the key-rowID array until we hit the first key larger than". */
static findings answer_entries(const lookup *l, uint32_t k) {
  const struct cgrx_args *args = l->args;
  const cgrx_state *s = args->state;
  findings f = FOUND_NONE;
  const uint32_t begin = cgrx_entry(args->keys, l->walk[k].bucket, l->lower[k], *s, l->key64);
  const uint32_t to = l->gather == GATHER_ROWS ? (uint32_t)args->io.offsets[l->begin + k] : 0;
  if (l->gather == GATHER_ANY) {
    f.count = begin < s->n && entry_key(args->keys, begin, s->layout_kind, l->key64) <= l->upper[k];
    return f;
  }
  if (s->published) {
    for (uint32_t at = begin; at < s->n && entry_key(args->keys, at, s->layout_kind, l->key64) <= l->upper[k]; at++) {
      const uint32_t row = entry_row(args->keys, args->rows, at, s->layout_kind, l->key64);
      f = found_add(f, args->io, row, to, l->gather, l->value);
    }
    return f;
  }
  if (args->upper) {
    f.first = begin;
    f.count = (l->upper[k] >= s->max_rep
                   ? s->n
                   : entry_search_up(args->keys, begin, s->n, l->upper[k] + 1, s->layout_kind, l->key64)) -
              begin;
    return f;
  }
  const uint32_t end = run_end(args->keys, s->layout_kind, l->key64, begin, s->n, l->lower[k]);
  if (l->gather == GATHER_COUNT && !args->io.out_first) {
    f.count = end - begin;
    return f;
  }
  for (uint32_t at = begin; at < end; at++) {
    const uint32_t row = entry_row(args->keys, args->rows, at, s->layout_kind, l->key64);
    f = found_add(f, args->io, row, to, l->gather, l->value);
  }
  return f;
}

/* The same from chains of nodes; ranges are walked, too. */
static findings answer_chained(const lookup *l, uint32_t k) {
  const struct cgrx_args *args = l->args;
  const cgrx_nodes t = *args->nodes;
  const uint32_t to = l->gather == GATHER_ROWS ? (uint32_t)args->io.offsets[l->begin + k] : 0;
  findings f = FOUND_NONE;
  cgrx_spot spot = nodes_spot(t, l->walk[k].bucket, l->lower[k], l->key64);
  uint32_t left = args->upper ? nodes_count(t, spot, l->upper[k], l->key64) : 0;
  if (args->upper && l->gather == GATHER_COUNT && !args->io.out_first) {
    f.count = left;
    return f;
  }
  while (spot.node != NO_NODE && (!args->upper || left > 0)) {
    uint32_t *p = node_at(t, spot.node, l->key64), *rows = node_rows(p, t.node_size, l->key64);
    const uint32_t rest = p[NODE_SIZE] - spot.slot, max = args->upper && left < rest ? left : rest,
                   end = spot.slot + max;
    for (; spot.slot < end && !FOUND_ENOUGH(f, l->gather) &&
           (args->upper || load_key(node_keys(p), spot.slot, l->key64) == l->lower[k]);
         spot.slot++)
      f = found_add(f, args->io, rows[spot.slot], to, l->gather, l->value);
    if (FOUND_ENOUGH(f, l->gather))
      return f;
    if (!args->upper && (spot.slot < end || node_max(p) > l->lower[k]))
      return f;
    left -= args->upper ? max : 0;
    spot = nodes_next(t, spot, l->key64);
  }
  return f;
}

static findings answer(const lookup *l, uint32_t k) {
  const struct cgrx_args *args = l->args;
  const cgrx_walk *w = &l->walk[k];
  findings f = FOUND_NONE;
  if (l->output == CGRX_OUTPUT_RAYS)
    f.count = w->rays;
  else if (l->output == CGRX_OUTPUT_VISITS && l->wanted[k])
    f.count = args->nodes ? nodes_spot(*args->nodes, w->bucket, l->lower[k], l->key64).visits
                          : cgrx_visits(args->keys, w->bucket, l->lower[k], *args->state, l->key64);
  if (l->output != CGRX_OUTPUT_RESULT || !l->wanted[k])
    return f;
  return args->nodes ? answer_chained(l, k) : answer_entries(l, k);
}

/* Have the bucket that a search found on its way. */
static void prefetch_bucket(const lookup *l, uint32_t k) {
  const struct cgrx_args *args = l->args;
  const cgrx_state *s = args->state;
  const uint64_t entry = (uint64_t)l->walk[k].bucket * s->bucket_size;
  const uint32_t words = s->layout_kind == LAYOUT_COLUMN ? 1 + l->key64 : entry_words(s->layout_kind, l->key64);
  __builtin_prefetch(args->keys + entry * words);
}

/* The same of a chain: its representative node, and once those of a block are here, the one after it where the key is
 * beyond. */
static void prefetch_chains(const lookup *l) {
  const struct cgrx_args *args = l->args;
  const uint32_t words = node_words(args->nodes->node_size, l->key64);
  for (uint32_t k = 0; k < l->count; k++)
    if (l->wanted[k])
      node_prefetch(node_at(*args->nodes, l->walk[k].bucket, l->key64), words);
  for (uint32_t k = 0; k < l->count; k++) {
    const uint32_t *node = l->wanted[k] ? node_at(*args->nodes, l->walk[k].bucket, l->key64) : NULL;
    if (node && node_max((uint32_t *)(uintptr_t)node) < l->lower[k] && node[NODE_NEXT] != NO_NODE)
      node_prefetch(node_at(*args->nodes, node[NODE_NEXT], l->key64), words);
  }
}

RDX_KERNEL_BODY(look_up, cgrx_args) {
  lookup l = {
      .args = a, .scene = scene, .key64 = variant[0], .gather = variant[1], .value = variant[2], .output = variant[3]};
  for (uint32_t done = 0; done < a->count; done += BLOCK) {
    l.begin = a->first + done;
    l.count = a->count - done < BLOCK ? a->count - done : BLOCK;
    load_block(&l);
    locate(&l);
    if (a->nodes)
      prefetch_chains(&l);
    for (uint32_t k = 0; k < l.count && !a->nodes; k++)
      prefetch_bucket(&l, k);
    for (uint32_t k = 0; k < l.count; k++) {
      const findings f = answer(&l, k);
      found_store(f, a->io, (uint64_t)l.begin + k, l.gather);
    }
  }
}

/* ---- Building ---- */

RDX_EACH_ITEM(mark, cgrx_mark_args,
              a->bits[i] = cgrx_wanted(a->keys, (uint32_t)i, a->slots_in_all, *a->state, variant[0]))

RDX_EACH_ITEM(encode, cgrx_encode_args,
              cgrx_write(a->keys, a->triangles, (uint32_t)i, a->slots[i], *a->state, variant[0]))

RDX_KERNEL_BODY(to_rows, cgrx_rows_args) {
  for (uint32_t k = 0; k < a->count; k++) {
    const uint32_t entry = a->first + k;
    cgrx_write_entry(a->entries, entry, load_key(a->keys, entry, variant[0]), a->rows[entry], a->layout_kind,
                     variant[0]);
  }
}

const rdx_kernel rdx_kernel_cgrx = RDX_RAY_KERNEL("cgrx", cgrx_args, CGRX_CONSTANTS, 4096, look_up, spirv_cgrx_rgen,
                                                  .items_per_thread = 4, .closest_hit = &spirv_cgrx_rchit);

const rdx_kernel rdx_kernel_cgrx_mark =
    RDX_COMPUTE_KERNEL("cgrx mark", cgrx_mark_args, 1, 1024, 256, mark, spirv_cgrx_mark_comp);
const rdx_kernel rdx_kernel_cgrx_encode =
    RDX_COMPUTE_KERNEL("cgrx encode", cgrx_encode_args, 1, 16384, 256, encode, spirv_cgrx_encode_comp);
const rdx_kernel rdx_kernel_cgrx_rows =
    RDX_COMPUTE_KERNEL("cgrx rows", cgrx_rows_args, 1, 16384, 256, to_rows, spirv_cgrx_rows_comp);
