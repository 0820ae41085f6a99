/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The B+-tree: bulk-loaded from sorted keys, changed by batches (RTIndeX, section 4.1, "B+"; cgRX, section 4). */

#include "index/changes.h"
#include "index/method/sorted_keys.h"
#include "kernels/btree/kernels.h"

#define DEFAULT_FILL 70
#define CPU_WALKERS 64 /* of a scan */
#define GPU_WALKERS 16384

/* All that a tree is made of. Changes make a new one beside the old. */
typedef struct tree {
  uint64_t n; /* entries */
  uint32_t leaves, depth, per_leaf;
  rdx_buffer *keys, *rows; /* of the leaves; may be shared with the tree this one was made from */
  rdx_buffer *levels;      /* of the inner nodes, the root first */
  rdx_buffer *state;       /* struct btree_state */

  /* Of a tree in which a batch replaced leaves; else NULL. */
  rdx_buffer *order, *starts;
  rdx_buffer *free;                    /* leaves that are not in use */
  uint32_t free_count, used, capacity; /* leaves from `used` on never were in use */
} tree;

typedef struct btree {
  rdx_device *device;
  uint32_t key_bits;
  uint32_t per_leaf; /* entries of a leaf that is built */
  bool distinct;
  uint32_t lanes; /* that go down together: 1, 8 or 16 */
  tree tree;
} btree;

static uint32_t bytes_of(const btree *b) {
  return b->key_bits / 8;
}

static void destroy_tree(tree *t) {
  RDX_DESTROY_BUFFERS(&t->keys, &t->rows, &t->levels, &t->state, &t->order, &t->starts, &t->free);
}

static void destroy(void *self) {
  btree *b = self;
  destroy_tree(&b->tree);
}

/* ---- Shape ---- */

static uint32_t entries_of_leaf(const rdx_index_params *params) {
  const uint32_t fill = params->btree.fill_percent ? params->btree.fill_percent : DEFAULT_FILL;
  const uint32_t entries = BTREE_WIDTH * (fill < 100 ? fill : 100) / 100;
  return entries > 0 ? entries : 1;
}

static uint64_t leaves_of(uint64_t n, uint32_t per_leaf) {
  return (n + per_leaf - 1) / per_leaf;
}

static uint32_t depth_of(uint32_t leaves) {
  uint32_t depth = 0;
  while (btree_level_size(leaves, depth) > 1)
    depth++;
  return depth;
}

/* The separators before those of `level`: levels above it, each a whole number of nodes. */
static uint64_t offset_of_level(uint32_t leaves, uint32_t depth, uint32_t level) {
  uint64_t offset = 0;
  for (uint32_t above = depth; above > level + 1; above--)
    offset += (uint64_t)BTREE_WIDTH * btree_level_size(leaves, above);
  return offset;
}

static uint64_t separators_of(uint32_t leaves, uint32_t depth) {
  return depth == 0 ? 0 : offset_of_level(leaves, depth, 0) + (uint64_t)BTREE_WIDTH * btree_level_size(leaves, 1);
}

static uint64_t estimate(RDX_UNUSED const rdx_device *device, const rdx_index_params *params, uint64_t count,
                         uint32_t key_bits) {
  const uint64_t sorting = rdx_sorted_keys_estimate(device, count, key_bits),
                 leaves = leaves_of(count, entries_of_leaf(params));
  const uint64_t nodes = leaves <= BTREE_MAX_LEAVES ? separators_of((uint32_t)leaves, depth_of((uint32_t)leaves)) : 0;
  const uint64_t loading = count * (key_bits / 8 + 4) + leaves * BTREE_WIDTH * (key_bits / 8 + 4) +
                           nodes * (key_bits / 8) + sizeof(btree_state);
  return sorting > loading ? sorting : loading;
}

/* The parts of a tree that lookups need beside leaves in their order. */
static rdx_status create_nodes(const btree *b, tree *t, rdx_error *err) {
  t->depth = depth_of(t->leaves);
  const btree_state state = {.rows = RDX_ADDRESS(uint32_t, t->rows),
                             .order = RDX_ADDRESS(uint32_t, t->order),
                             .starts = RDX_ADDRESS(uint64_t, t->starts),
                             .n = (uint32_t)t->n,
                             .per_leaf = t->per_leaf};
  RDX_TRY(rdx_buffer_create(b->device, separators_of(t->leaves, t->depth) * bytes_of(b), "the inner nodes of a B+-tree",
                            &t->levels, err));
  RDX_TRY(rdx_buffer_create(b->device, sizeof state, "a B+-tree", &t->state, err));
  return rdx_buffer_upload(t->state, 0, &state, sizeof state, err);
}

static rdx_status create_leaves(const btree *b, uint64_t leaves, tree *t, rdx_error *err) {
  if (leaves > BTREE_MAX_LEAVES)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "btree: at most 2^28 - 1 leaves; %llu keys at %u a leaf take %llu; use a higher fill_percent, or "
                    "method sorted_array",
                    (unsigned long long)t->n, b->per_leaf, (unsigned long long)leaves);
  t->capacity = (uint32_t)leaves;
  const uint64_t entries = leaves * BTREE_WIDTH;
  RDX_TRY(rdx_buffer_create(b->device, entries * bytes_of(b), "the leaves of a B+-tree", &t->keys, err));
  return rdx_buffer_create(b->device, entries * 4, "the rows of a B+-tree", &t->rows, err);
}

/* A tree for `n` entries in leaves in their order. On failure nothing is left to destroy. */
static rdx_status create_tree(const btree *b, uint64_t n, tree *out, rdx_error *err) {
  RDX_SCOPED(destroy_tree) tree made = {.n = n, .per_leaf = b->per_leaf};
  RDX_TRY(create_leaves(b, leaves_of(n, b->per_leaf), &made, err));
  made.leaves = made.used = made.capacity;
  RDX_TRY(create_nodes(b, &made, err));
  *out = RDX_KEEP(made);
  return RDX_OK;
}

/* ---- Building ---- */

/* The address of level 0, or 0 where a single leaf is the root. */
static uint32_t *separators(const btree *b, const tree *t) {
  const uint64_t offset = t->depth > 0 ? offset_of_level(t->leaves, t->depth, 0) : 0;
  return t->depth > 0 ? (uint32_t *)(uintptr_t)(t->levels->address + offset * bytes_of(b)) : NULL;
}

/* The levels of inner nodes from `level` up; level 0 needs leaves in their order. */
static rdx_status record_levels(const btree *b, const tree *t, uint32_t level, rdx_stream *stream, rdx_error *err) {
  const uint32_t key64 = b->key_bits == 64;
  uint64_t below = level == 0 ? t->keys->address : (uintptr_t)separators(b, t);
  for (; level < t->depth; level++) {
    const uint64_t address = t->levels->address + offset_of_level(t->leaves, t->depth, level) * bytes_of(b);
    const struct btree_level_args args = {.below = (uint32_t *)(uintptr_t)below,
                                          .level = (uint32_t *)(uintptr_t)address,
                                          .size = btree_level_size(t->leaves, level),
                                          .last = level == 0 ? t->per_leaf - 1 : BTREE_WIDTH - 1};
    RDX_TRY(rdx_stream_launch(stream, &rdx_kernel_btree_level, &args, &key64,
                              (uint64_t)BTREE_WIDTH * btree_level_size(t->leaves, level + 1), NULL, err));
    below = address;
  }
  return RDX_OK;
}

/* Fill the leaves with sorted keys, and the nodes over them. */
static rdx_status load(const btree *b, const tree *t, const rdx_buffer *keys, const rdx_buffer *rows, double *ms,
                       rdx_error *err) {
  const uint32_t key64 = b->key_bits == 64;
  const struct btree_load_args args = {.keys = RDX_ADDRESS(uint32_t, keys),
                                       .rows = RDX_ADDRESS(uint32_t, rows),
                                       .keys_out = RDX_ADDRESS(uint32_t, t->keys),
                                       .rows_out = RDX_ADDRESS(uint32_t, t->rows),
                                       .n = (uint32_t)t->n,
                                       .per_leaf = t->per_leaf};
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(rdx_stream_create_for(b->device, "build", &stream, err));
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(
      rdx_stream_launch(stream, &rdx_kernel_btree_load, &args, &key64, (uint64_t)t->leaves * BTREE_WIDTH, NULL, err));
  RDX_TRY(record_levels(b, t, 0, stream, err));
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  *ms = rdx_stream_elapsed(stream, 0, 1);
  return RDX_OK;
}

/* RX, section 4.1 "bulk-loads the tree with the sorted key-value pairs". */
static rdx_status load_new(const btree *b, const rdx_buffer *keys, const rdx_buffer *rows, uint64_t n, tree *out,
                           double *ms, rdx_error *err) {
  RDX_SCOPED(destroy_tree) tree made = {0};
  RDX_TRY(create_tree(b, n, &made, err));
  RDX_TRY(load(b, &made, keys, rows, ms, err));
  *out = RDX_KEEP(made);
  return RDX_OK;
}

static void fill_stats(const btree *b, rdx_index_stats *stats) {
  const tree *t = &b->tree;
  stats->keys = t->n;
  stats->distinct = b->distinct;
  stats->bytes_resident = t->keys->size + t->rows->size + t->levels->size + t->state->size +
                          (t->order ? t->order->size + t->starts->size + t->free->size : 0);
}

static rdx_status check_params(const rdx_device *device, const rdx_btree_params *p, rdx_error *err) {
  if (p->fill_percent > 100)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "btree: fill_percent is at most 100, not %u", p->fill_percent);
  if (p->lanes > 1 && p->lanes != 8 && p->lanes != BTREE_WIDTH)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "btree: %u lanes are not 1, 8 or 16", p->lanes);
  return rdx_check_lanes("btree", device, p->lanes, err);
}

static uint32_t choose_lanes(const rdx_device *device, const rdx_btree_params *p) {
  uint32_t lanes = p->lanes;
  if (lanes == BTREE_WIDTH && device->info.threads < BTREE_WIDTH)
    lanes = 8;
  return lanes > 1 && device->info.threads >= lanes ? lanes : 1;
}

static rdx_status build(void *self, const rdx_key_set *keys, const rdx_index_params *params, rdx_index_stats *stats,
                        rdx_error *err) {
  RDX_TRY(check_params(keys->device, &params->btree, err));
  btree *b = self;
  RDX_SCOPED(rdx_sorted_keys_destroy) rdx_sorted_keys sorted = {0};
  b->lanes = choose_lanes(keys->device, &params->btree);
  b->device = keys->device;
  b->key_bits = keys->key_bits;
  b->per_leaf = entries_of_leaf(params);
  RDX_TRY(rdx_sorted_keys_create(keys, &sorted, stats, err));
  RDX_TRY(load_new(b, sorted.keys, sorted.rows, sorted.count, &b->tree, &stats->encode_ms, err));
  b->distinct = stats->distinct;
  fill_stats(b, stats);
  return RDX_OK;
}

/* ---- Lookups ---- */

static rdx_status query(const void *self, rdx_stream *stream, const rdx_index_query *q, rdx_error *err) {
  const btree *b = self;
  const tree *t = &b->tree;
  const struct btree_args args = {RDX_LOOKUP_FIELDS(q), .keys = RDX_ADDRESS(uint32_t, t->keys),
                                  .levels = RDX_ADDRESS(uint32_t, t->levels),
                                  .state = RDX_ADDRESS(btree_state, t->state), .leaves = t->leaves};
  const uint32_t variant[BTREE_CONSTANTS] = {b->key_bits == 64, q->gather, q->value, t->depth, b->distinct};
  const rdx_kernel *kernel = b->lanes == 1   ? &rdx_kernel_btree
                             : b->lanes == 8 ? &rdx_kernel_btree_by_8
                                             : &rdx_kernel_btree_by_16;
  return rdx_stream_launch(stream, kernel, &args, variant, q->count, NULL, err);
}

static rdx_status count_visits(const void *self, rdx_stream *stream, const rdx_index_query *q, rdx_error *err) {
  const btree *b = self;
  const struct btree_visits_args args = {.lower = q->lower,
                                         .upper = q->upper,
                                         .valid = q->valid,
                                         .out_visits = q->io.out_count,
                                         .depth = b->tree.leaves > 0 ? b->tree.depth + 1 : 0};
  const uint32_t key64 = b->key_bits == 64;
  return rdx_stream_launch(stream, &rdx_kernel_btree_visits, &args, &key64, q->count, NULL, err);
}

/* On a GPU a leaf is read by as many threads as it has entries (RX, section 4.1). */
static rdx_status scan(const void *self, rdx_stream *stream, const rdx_index_range_scan *s, rdx_error *err) {
  const btree *b = self;
  const tree *t = &b->tree;
  const bool alone = b->device->info.backend == RDX_BACKEND_CPU;
  const uint32_t max = alone ? CPU_WALKERS : GPU_WALKERS, walkers = s->walkers ? s->walkers : max;
  if (t->leaves == 0 || s->low > s->high)
    return RDX_OK;
  const struct btree_scan_args args = {.keys = RDX_ADDRESS(uint32_t, t->keys),
                                       .levels = RDX_ADDRESS(uint32_t, t->levels),
                                       .state = RDX_ADDRESS(btree_state, t->state),
                                       .out_bits = RDX_ADDRESS(uint32_t, s->bits),
                                       .low = s->low,
                                       .high = s->high,
                                       .leaves = t->leaves,
                                       .depth = t->depth,
                                       .walkers = walkers < t->leaves ? walkers : t->leaves,
                                       .lanes = alone ? 1 : BTREE_WIDTH};
  const uint32_t key64 = b->key_bits == 64;
  return rdx_stream_launch(stream, &rdx_kernel_btree_scan, &args, &key64, (uint64_t)args.walkers * args.lanes, NULL,
                           err);
}

/* ---- Changes ---- */

/* What a batch makes of each leaf. */
typedef struct plan {
  rdx_buffer *plans, *merged, *become, *is_changed;
  rdx_buffer *places;  /* the new place of what each becomes */
  rdx_buffer *changed; /* the changed leaves before each */
  rdx_buffer *total;
  uint64_t n;             /* entries of the new tree */
  uint64_t leaves;        /* of the new tree, where it keeps the leaves that do not change */
  uint64_t changed_count; /* leaves of the old tree that change */
} plan;

static void destroy_plan(plan *p) {
  RDX_DESTROY_BUFFERS(&p->plans, &p->merged, &p->become, &p->is_changed, &p->places, &p->changed, &p->total);
}

static rdx_status create_plan(const btree *b, plan *p, rdx_error *err) {
  static const char what[] = "a change of a B+-tree";
  const uint64_t leaves = b->tree.leaves;
  RDX_TRY(rdx_buffer_create(b->device, leaves * 4, what, &p->plans, err));
  RDX_TRY(rdx_buffer_create(b->device, leaves * 4, what, &p->merged, err));
  RDX_TRY(rdx_buffer_create(b->device, leaves * 4, what, &p->become, err));
  RDX_TRY(rdx_buffer_create(b->device, leaves * 4, what, &p->is_changed, err));
  RDX_TRY(rdx_buffer_create(b->device, (leaves + 1) * 8, what, &p->places, err));
  RDX_TRY(rdx_buffer_create(b->device, (leaves + 1) * 8, what, &p->changed, err));
  return rdx_buffer_create(b->device, 8, what, &p->total, err);
}

static rdx_status make_plan(const btree *b, const rdx_changes *c, rdx_stream *stream, plan *p, rdx_error *err) {
  const tree *t = &b->tree;
  const uint32_t key64 = b->key_bits == 64;
  RDX_TRY(create_plan(b, p, err));
  const struct btree_plan_args args = {.keys = RDX_ADDRESS(uint32_t, t->keys),
                                       .order = RDX_ADDRESS(uint32_t, t->order),
                                       .starts = RDX_ADDRESS(uint64_t, t->starts),
                                       .levels = RDX_ADDRESS(uint32_t, t->levels),
                                       .separators = separators(b, t),
                                       .inserts = RDX_ADDRESS(uint32_t, c->insert_keys),
                                       .removes = RDX_ADDRESS(uint32_t, c->remove_keys),
                                       .plans = RDX_ADDRESS(uint32_t, p->plans),
                                       .merged = RDX_ADDRESS(uint32_t, p->merged),
                                       .become = RDX_ADDRESS(uint32_t, p->become),
                                       .changed = RDX_ADDRESS(uint32_t, p->is_changed),
                                       .leaves = t->leaves,
                                       .per_leaf = t->per_leaf,
                                       .n = (uint32_t)t->n,
                                       .depth = t->depth,
                                       .insert_count = (uint32_t)c->inserts,
                                       .remove_count = (uint32_t)c->removes};
  RDX_TRY(rdx_stream_launch(stream, &rdx_kernel_btree_plan, &args, &key64, t->leaves, NULL, err));
  RDX_TRY(rdx_stream_reduce(stream, RDX_REDUCE_SUM, p->merged, 4, p->total, t->leaves, err));
  RDX_TRY(rdx_stream_scan(stream, p->become, p->places, t->leaves, err));
  RDX_TRY(rdx_stream_scan(stream, p->is_changed, p->changed, t->leaves, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  const uint64_t min = t->n < c->removes ? 0 : t->n - c->removes;
  RDX_TRY(rdx_buffer_number(p->total, 0, min + c->inserts, t->n + c->inserts, "the entries after a batch", &p->n, err));
  RDX_TRY(
      rdx_buffer_number(p->changed, t->leaves * 8ull, 0, t->leaves, "the leaves that change", &p->changed_count, err));
  return rdx_buffer_number(p->places, t->leaves * 8ull, t->leaves - p->changed_count, t->leaves + p->n,
                           "the leaves after a batch", &p->leaves, err);
}

/* The leaves that must be written where the others are kept. */
static uint64_t new_leaves(const btree *b, const plan *p) {
  return p->leaves + p->changed_count - b->tree.leaves;
}

/* Whether to write all leaves anew: most of them change, or they would be less than half as full as built ones (cgRX,
 * section 4, "Underutilized nodes" and "Rebuilding"). */
static bool wants_rewrite(const btree *b, const plan *p) {
  return p->leaves <= 1 || p->changed_count > b->tree.leaves / 2 || p->leaves * b->per_leaf > 2 * p->n ||
         b->tree.used + new_leaves(b, p) > BTREE_MAX_LEAVES;
}

static rdx_status rewrite(const btree *b, const rdx_changes *c, const plan *p, rdx_stream *stream, tree *out,
                          rdx_error *err) {
  RDX_SCOPED(destroy_tree) tree made = {0};
  const tree *t = &b->tree;
  const uint32_t key64 = b->key_bits == 64;
  RDX_TRY(create_tree(b, p->n, &made, err));
  const struct btree_rewrite_args args = {.keys = RDX_ADDRESS(uint32_t, t->keys),
                                          .rows = RDX_ADDRESS(uint32_t, t->rows),
                                          .order = RDX_ADDRESS(uint32_t, t->order),
                                          .separators = separators(b, t),
                                          .inserts = RDX_ADDRESS(uint32_t, c->insert_keys),
                                          .insert_rows = RDX_ADDRESS(uint32_t, c->insert_rows),
                                          .plans = RDX_ADDRESS(uint32_t, p->plans),
                                          .begins = RDX_ADDRESS(uint64_t, p->places),
                                          .keys_out = RDX_ADDRESS(uint32_t, made.keys),
                                          .rows_out = RDX_ADDRESS(uint32_t, made.rows),
                                          .leaves = t->leaves,
                                          .insert_count = (uint32_t)c->inserts,
                                          .per_leaf = made.per_leaf,
                                          .n = (uint32_t)made.n};
  /* Of no more use as places, these become the entries before each leaf. */
  RDX_TRY(rdx_stream_scan(stream, p->merged, p->places, t->leaves, err));
  RDX_TRY(rdx_stream_launch(stream, &rdx_kernel_btree_rewrite, &args, &key64, made.leaves, NULL, err));
  RDX_TRY(record_levels(b, &made, 0, stream, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  *out = RDX_KEEP(made);
  return RDX_OK;
}

/* Find room for `count` new leaves beside the old ones, in memory of their own where there is too little. */
static rdx_status reserve(const btree *b, uint32_t count, rdx_stream *stream, tree *out, rdx_error *err) {
  const tree *t = &b->tree;
  const uint32_t reused = count < t->free_count ? count : t->free_count;
  out->used = t->used + (count - reused);
  out->free_count = t->free_count - reused; /* place() adds the leaves that are replaced */
  if (out->used <= t->capacity) {
    out->keys = rdx_buffer_retain(t->keys);
    out->rows = rdx_buffer_retain(t->rows);
    out->capacity = t->capacity;
    return RDX_OK;
  }
  const uint64_t roomy = out->used + out->used / 8ull; /* so that not every batch comes here */
  RDX_TRY(create_leaves(b, roomy < BTREE_MAX_LEAVES ? roomy : BTREE_MAX_LEAVES, out, err));
  const uint64_t entries = (uint64_t)t->used * BTREE_WIDTH;
  RDX_TRY(rdx_stream_copy(stream, t->keys, 0, out->keys, 0, entries * bytes_of(b), err));
  return rdx_stream_copy(stream, t->rows, 0, out->rows, 0, entries * 4, err);
}

/* The buffers of a tree in which leaves are replaced. */
static rdx_status create_replacing(const btree *b, const plan *p, rdx_stream *stream, tree *out, rdx_error *err) {
  const tree *t = &b->tree;
  *out = (tree){.n = p->n, .leaves = (uint32_t)p->leaves, .per_leaf = t->per_leaf};
  RDX_TRY(reserve(b, (uint32_t)new_leaves(b, p), stream, out, err));
  RDX_TRY(rdx_buffer_create(b->device, p->leaves * 4, "the order of leaves", &out->order, err));
  RDX_TRY(rdx_buffer_create(b->device, (p->leaves + 1) * 8, "the order of leaves", &out->starts, err));
  RDX_TRY(rdx_buffer_create(b->device, (out->free_count + p->changed_count) * 4, "leaves not in use", &out->free, err));
  if (out->free_count > 0)
    RDX_TRY(rdx_stream_copy(stream, t->free, (t->free_count - out->free_count) * 4ull, out->free, 0,
                            out->free_count * 4ull, err));
  return create_nodes(b, out, err);
}

static rdx_status record_replacing(const btree *b, const rdx_changes *c, const plan *p, const rdx_buffer *counts,
                                   rdx_buffer *change, rdx_stream *stream, tree *out, rdx_error *err) {
  const tree *t = &b->tree;
  const uint32_t key64 = b->key_bits == 64;
  const btree_change values = {.keys = RDX_ADDRESS(uint32_t, out->keys),
                               .rows = RDX_ADDRESS(uint32_t, out->rows),
                               .order = RDX_ADDRESS(uint32_t, t->order),
                               .separators = separators(b, t),
                               .inserts = RDX_ADDRESS(uint32_t, c->insert_keys),
                               .insert_rows = RDX_ADDRESS(uint32_t, c->insert_rows),
                               .plans = RDX_ADDRESS(uint32_t, p->plans),
                               .places = RDX_ADDRESS(uint64_t, p->places),
                               .changed = RDX_ADDRESS(uint64_t, p->changed),
                               .free = RDX_ADDRESS(uint32_t, t->free),
                               .order_out = RDX_ADDRESS(uint32_t, out->order),
                               .counts_out = RDX_ADDRESS(uint32_t, counts),
                               .separators_out = separators(b, out),
                               .free_out = RDX_ADDRESS(uint32_t, out->free) + out->free_count,
                               .leaves = t->leaves,
                               .insert_count = (uint32_t)c->inserts,
                               .per_leaf = t->per_leaf,
                               .free_count = t->free_count,
                               .used = t->used};
  const struct btree_change_args args = {.change = RDX_ADDRESS(btree_change, change)};
  RDX_TRY(rdx_buffer_upload(change, 0, &values, sizeof values, err));
  RDX_TRY(rdx_stream_launch(stream, &rdx_kernel_btree_place, &args, &key64, t->leaves, NULL, err));
  RDX_TRY(rdx_stream_launch(stream, &rdx_kernel_btree_split, &args, &key64, new_leaves(b, p), NULL, err));
  /* The last separator of level 0, and what fills its last node. */
  const uint64_t from = (offset_of_level(out->leaves, out->depth, 0) + out->leaves - 1) * bytes_of(b);
  RDX_TRY(rdx_stream_fill(stream, out->levels, from, out->levels->size - from, UINT32_MAX, err));
  RDX_TRY(record_levels(b, out, 1, stream, err));
  RDX_TRY(rdx_stream_scan(stream, counts, out->starts, out->leaves, err));
  out->free_count += (uint32_t)p->changed_count;
  return rdx_stream_finish(stream, err);
}

/* Make a tree that shares the leaves that do not change with the old one. */
static rdx_status replace(const btree *b, const rdx_changes *c, const plan *p, rdx_stream *stream, tree *out,
                          rdx_error *err) {
  RDX_SCOPED(destroy_tree) tree made = {0};
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *counts = NULL, *change = NULL;
  RDX_TRY(create_replacing(b, p, stream, &made, err));
  RDX_TRY(rdx_buffer_create(b->device, p->leaves * 4, "the order of leaves", &counts, err));
  RDX_TRY(rdx_buffer_create(b->device, sizeof(btree_change), "a change of a B+-tree", &change, err));
  RDX_TRY(record_replacing(b, c, p, counts, change, stream, &made, err));
  *out = RDX_KEEP(made);
  return RDX_OK;
}

static rdx_status make_changed(const btree *b, const rdx_changes *c, tree *out, rdx_error *err) {
  double ms = 0;
  if (b->tree.leaves == 0) /* there is nothing to remove */
    return load_new(b, c->insert_keys, c->insert_rows, c->inserts, out, &ms, err);
  RDX_SCOPED(destroy_plan) plan p = {0};
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(rdx_stream_create_for(b->device, "change", &stream, err));
  RDX_TRY(make_plan(b, c, stream, &p, err));
  return wants_rewrite(b, &p) ? rewrite(b, c, &p, stream, out, err) : replace(b, c, &p, stream, out, err);
}

static rdx_status apply(void *self, const rdx_changes *c, rdx_index_stats *stats, rdx_error *err) {
  const double begin = rdx_now_ms();
  btree *b = self;
  tree changed = {0};
  RDX_TRY(make_changed(b, c, &changed, err));
  destroy_tree(&b->tree);
  b->tree = changed;
  b->distinct = b->distinct && c->inserts == 0;
  fill_stats(b, stats);
  stats->encode_ms = rdx_now_ms() - begin;
  return RDX_OK;
}

const rdx_index_ops rdx_btree_ops = {
    .name = "btree",
    .estimate = estimate,
    .size = sizeof(btree),
    .build = build,
    .query = query,
    .scan = scan,
    .count_visits = count_visits,
    .apply = apply,
    .destroy = destroy,
    .rows_in_order = true,
    .counts_ranges = true,
    .partition_bytes = 16u << 20,
};
