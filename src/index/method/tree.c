/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* A static search tree above blocks of sorted entries: see kernels/tree/tree.h. */

#include "kernels/tree/tree.h"
#include "index/method/sorted_keys.h"
#include "kernels/tree/kernels.h"

#define DIRECTORY_MAX 4u /* cells for each key of the level below it, at most */

typedef struct tree {
  rdx_device *device;
  rdx_tree_params params;
  uint32_t key_bits;
  uint64_t count;
  bool distinct;
  struct tree_state shape;
  rdx_buffer *state, *inner, *leaves;
} tree;

static void destroy(void *self) {
  tree *t = self;
  RDX_DESTROY_BUFFERS(&t->state, &t->inner, &t->leaves);
}

/* ---- The shape ---- */

static uint64_t blocks_of(uint64_t count) {
  return (count + TREE_LEAF - 1) / TREE_LEAF;
}

static uint64_t leaf_bytes(uint64_t count, uint32_t key_bits) {
  return blocks_of(count) * TREE_BLOCK_WORDS(key_bits == 64) * 4;
}

/* Keys of the top level, at most: a node on the CPU; on a GPU what workgroups keep in shared memory, where a search
 * costs less than a node elsewhere. */
static uint64_t top_limit(const rdx_device *device, uint32_t key_bits) {
  return device->info.backend == RDX_BACKEND_CPU ? TREE_FANOUT(key_bits == 64) : TREE_TOP_BYTES / (key_bits / 8);
}

static uint64_t coarse_nodes(uint64_t count) {
  return (blocks_of(count) + TREE_COARSE_FANOUT - 1) / TREE_COARSE_FANOUT;
}

/* Whether a search may begin at a cell of a directory; small trees have no levels to leave out. */
static bool has_directory(const rdx_device *device, const struct tree_state *shape) {
  return device->info.backend == RDX_BACKEND_CPU && shape->levels > 1;
}

/* Lay out the levels over `count` entries; the bytes that they take in all, unused keys included. */
static uint64_t lay_out(const rdx_device *device, uint64_t count, uint32_t key_bits, struct tree_state *out) {
  const uint64_t fanout = TREE_FANOUT(key_bits == 64), limit = top_limit(device, key_bits);
  uint64_t counts[TREE_LEVELS + 1], used = 1; /* from the lowest up */
  counts[0] = coarse_nodes(count);
  while (counts[used - 1] > limit) {
    counts[used] = (counts[used - 1] + fanout - 1) / fanout;
    used++;
  }
  *out = (struct tree_state){.top_count = (uint32_t)counts[used - 1], .levels = (uint32_t)used - 1};
  uint64_t end = (counts[used - 1] + fanout - 1) / fanout * fanout;
  for (uint32_t level = 0; level < out->levels; level++) {
    const uint64_t keys = counts[used - 2 - level];
    out->begin[level] = (uint32_t)end;
    out->count[level] = (uint32_t)keys;
    end += (keys + fanout - 1) / fanout * fanout;
  }
  if (has_directory(device, out)) /* nodes of its lowest level begin anywhere */
    end += fanout;
  out->coarse = (uint32_t)end;
  return end * (key_bits / 8) + coarse_nodes(count) * TREE_NODE_WORDS * 4;
}

static uint64_t estimate(const rdx_device *device, RDX_UNUSED const rdx_index_params *params, uint64_t count,
                         uint32_t key_bits) {
  struct tree_state shape;
  const uint64_t inner = lay_out(device, count, key_bits, &shape);
  const uint64_t sorting = rdx_sorted_keys_estimate(device, count, key_bits);
  const uint64_t cells = has_directory(device, &shape) ? shape.count[shape.levels - 1] * DIRECTORY_MAX + 1 : 0;
  const uint64_t state = sizeof shape + cells * 4;
  const uint64_t copying = count * (key_bits / 8 + 4) + leaf_bytes(count, key_bits) + inner + state;
  return sorting > copying ? sorting : copying;
}

/* ---- Building ---- */

static rdx_status make_level(tree *t, rdx_stream *stream, const rdx_sorted_keys *sorted, uint64_t begin, uint64_t count,
                             uint64_t span, rdx_error *err) {
  const uint32_t key64 = t->key_bits == 64;
  const uint64_t fanout = TREE_FANOUT(key64);
  const struct tree_level_args args = {.keys = RDX_ADDRESS(uint32_t, sorted->keys),
                                       .inner = RDX_ADDRESS(uint32_t, t->inner),
                                       .span = span,
                                       .begin = (uint32_t)begin,
                                       .n = (uint32_t)t->count};
  return rdx_stream_launch(stream, &rdx_kernel_tree_level, &args, &key64, (count + fanout - 1) / fanout * fanout, NULL,
                           err);
}

static rdx_status make_levels(tree *t, rdx_stream *stream, const rdx_sorted_keys *sorted, rdx_error *err) {
  uint64_t span = TREE_LEAF * TREE_COARSE_FANOUT;
  for (uint32_t level = t->shape.levels; level > 0; level--) {
    const uint64_t keys =
        (level < t->shape.levels ? t->shape.begin[level] : t->shape.coarse) - t->shape.begin[level - 1];
    RDX_TRY(make_level(t, stream, sorted, t->shape.begin[level - 1], keys, span, err));
    span *= TREE_FANOUT(t->key_bits == 64);
  }
  return make_level(t, stream, sorted, 0, t->shape.top_count, span, err);
}

static rdx_status make_coarse(tree *t, rdx_stream *stream, const rdx_sorted_keys *sorted, rdx_error *err) {
  const uint32_t key64 = t->key_bits == 64;
  const struct tree_coarse_args args = {.keys = RDX_ADDRESS(uint32_t, sorted->keys),
                                        .coarse = RDX_ADDRESS(uint32_t, t->inner) +
                                                  (uint64_t)t->shape.coarse * (t->key_bits / 32),
                                        .n = (uint32_t)t->count};
  return rdx_stream_launch(stream, &rdx_kernel_tree_coarse, &args, &key64, coarse_nodes(t->count) * TREE_NODE_WORDS,
                           NULL, err);
}

static rdx_status fill(tree *t, rdx_stream *stream, const rdx_sorted_keys *sorted, double *ms, rdx_error *err) {
  const uint32_t key64 = t->key_bits == 64;
  const struct tree_leaves_args args = {.keys = RDX_ADDRESS(uint32_t, sorted->keys),
                                        .rows = RDX_ADDRESS(uint32_t, sorted->rows),
                                        .leaves = RDX_ADDRESS(uint32_t, t->leaves),
                                        .n = (uint32_t)t->count};
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(
      rdx_stream_launch(stream, &rdx_kernel_tree_leaves, &args, &key64, blocks_of(t->count) * TREE_LEAF, NULL, err));
  RDX_TRY(make_levels(t, stream, sorted, err));
  RDX_TRY(make_coarse(t, stream, sorted, err));
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  *ms = rdx_stream_elapsed(stream, 0, 1);
  return RDX_OK;
}

/* ---- The directory ---- */

static uint64_t key_of(const void *keys, uint64_t i, bool key64) {
  return key64 ? ((const uint64_t *)keys)[i] : ((const uint32_t *)keys)[i];
}

/* Where each of so many cells begins among the ascending `keys`; the most keys that one has. */
static uint32_t fill_cells(const struct tree_state *s, const void *keys, uint32_t count, bool key64, uint32_t *out) {
  uint32_t max = 0;
  for (uint32_t cell = 0, at = 0; cell < s->cells; cell++) {
    out[cell] = at;
    while (at < count && tree_cell(key_of(keys, at, key64), s->lowest, s->shift, s->cells) == cell)
      at++;
    max = at - out[cell] > max ? at - out[cell] : max;
  }
  return max;
}

/* Divide the keys' range into cells, more of them as long as one has too many keys of the level; none if so many do not
 * do. A cell that is one key wide begins where the search for that key ends. The last cell is for keys above all. */
static void choose_cells(struct tree_state *s, const void *keys, uint32_t count, bool key64, uint64_t lowest,
                         uint64_t highest, uint32_t *out) {
  s->lowest = lowest;
  for (uint32_t max = count / 2; max <= DIRECTORY_MAX * count; max *= 2) {
    s->shift = 0;
    while ((highest - lowest) >> s->shift >= max)
      s->shift++;
    s->cells = (uint32_t)((highest - lowest) >> s->shift) + 2;
    if (fill_cells(s, keys, count, key64, out) <= TREE_FANOUT(key64) || s->shift == 0)
      return;
  }
  s->cells = 0;
}

/* Make the directory above the lowest level; `cells` has room for the most that there may be, `keys` for the level. */
static rdx_status make_directory(tree *t, const rdx_sorted_keys *sorted, void *keys, uint32_t *cells, rdx_error *err) {
  const bool key64 = t->key_bits == 64;
  const uint64_t bytes = t->key_bits / 8, begin = t->shape.begin[t->shape.levels - 1];
  const uint32_t count = t->shape.count[t->shape.levels - 1];
  uint64_t ends[2] = {0, 0};
  RDX_TRY(rdx_buffer_download(sorted->keys, 0, &ends[0], bytes, err));
  RDX_TRY(rdx_buffer_download(sorted->keys, (t->count - 1) * bytes, &ends[1], bytes, err));
  RDX_TRY(rdx_returned_number(t->device, ends[1], ends[0], UINT64_MAX, "the largest key", err));
  RDX_TRY(rdx_buffer_download(t->inner, begin * bytes, keys, count * bytes, err));
  choose_cells(&t->shape, keys, count, key64, ends[0], ends[1], cells);
  return RDX_OK;
}

static rdx_status upload_state(tree *t, const uint32_t *cells, rdx_error *err) {
  const uint64_t bytes = t->shape.cells * 4ull;
  RDX_TRY(rdx_buffer_create(t->device, sizeof t->shape + bytes, "a tree", &t->state, err));
  RDX_TRY(rdx_buffer_upload(t->state, 0, &t->shape, sizeof t->shape, err));
  return bytes ? rdx_buffer_upload(t->state, sizeof t->shape, cells, bytes, err) : RDX_OK;
}

static rdx_status make_state(tree *t, const rdx_sorted_keys *sorted, rdx_error *err) {
  if (!has_directory(t->device, &t->shape))
    return upload_state(t, NULL, err);
  const uint64_t count = t->shape.count[t->shape.levels - 1];
  RDX_SCOPED(rdx_free_local) uint32_t *cells = NULL;
  RDX_SCOPED(rdx_free_local) void *keys = NULL;
  RDX_TRY(rdx_alloc(count * DIRECTORY_MAX + 1, sizeof *cells, "the directory of a tree", (void **)&cells, err));
  RDX_TRY(rdx_alloc(count, t->key_bits / 8, "a level of a tree", &keys, err));
  RDX_TRY(make_directory(t, sorted, keys, cells, err));
  return upload_state(t, cells, err);
}

static rdx_status build_levels(tree *t, const rdx_sorted_keys *sorted, rdx_index_stats *stats, rdx_error *err) {
  const uint64_t inner = lay_out(t->device, t->count, t->key_bits, &t->shape);
  RDX_TRY(rdx_buffer_create(t->device, leaf_bytes(t->count, t->key_bits), "the leaves of a tree", &t->leaves, err));
  RDX_TRY(rdx_buffer_create(t->device, inner, "the inner nodes of a tree", &t->inner, err));
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(rdx_stream_create_for(t->device, "build", &stream, err));
  RDX_TRY(fill(t, stream, sorted, &stats->encode_ms, err));
  rdx_stream_destroy(&stream);
  RDX_TRY(make_state(t, sorted, err));
  stats->bytes_resident = t->leaves->size + t->inner->size + t->state->size;
  return RDX_OK;
}

static rdx_status check_params(const rdx_device *device, const rdx_tree_params *params, rdx_error *err) {
  if (params->lanes > 4 || params->lanes == 3)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "tree: 1, 2 or 4 lanes go down together; got %u", params->lanes);
  return rdx_check_lanes("tree", device, params->lanes, err);
}

static rdx_status build(void *self, const rdx_key_set *keys, const rdx_index_params *params, rdx_index_stats *stats,
                        rdx_error *err) {
  RDX_TRY(check_params(keys->device, &params->tree, err));
  tree *t = self;
  RDX_SCOPED(rdx_sorted_keys_destroy) rdx_sorted_keys sorted = {0};
  t->device = keys->device;
  t->params = params->tree;
  t->key_bits = keys->key_bits;
  t->count = keys->count;
  RDX_TRY(rdx_sorted_keys_create(keys, &sorted, stats, err));
  t->distinct = stats->distinct;
  return build_levels(t, &sorted, stats, err);
}

/* ---- Lookups ---- */

static rdx_status query(const void *self, rdx_stream *stream, const rdx_index_query *q, rdx_error *err) {
  const tree *t = self;
  const struct tree_args args = {RDX_LOOKUP_FIELDS(q), .state = RDX_ADDRESS(tree_state, t->state),
                                 .inner = RDX_ADDRESS(uint32_t, t->inner), .leaves = RDX_ADDRESS(uint32_t, t->leaves),
                                 .n = (uint32_t)t->count};
  const bool key64 = t->key_bits == 64;
  uint32_t lanes = t->params.lanes == 0 ? 2 : t->params.lanes;
  while (lanes > 1 && lanes > t->device->info.threads) /* of a subgroup; the CPU's body takes none together */
    lanes /= 2;
  const uint32_t variant[TREE_CONSTANTS] = {key64, q->gather, q->value, t->distinct, lanes, q->upper != NULL};
  return rdx_stream_launch(stream, key64 ? &rdx_kernel_tree_u64 : &rdx_kernel_tree_u32, &args, variant, q->count, NULL,
                           err);
}

static rdx_row_layout rows(const void *self) {
  const tree *t = self;
  const bool key64 = t->key_bits == 64;
  return (rdx_row_layout){
      .words = t->leaves, .block_words = TREE_BLOCK_WORDS(key64), .first_word = key64 ? 16 : 1, .step = key64 ? 1 : 2};
}

static uint32_t visits_each(const void *self, bool range) {
  const tree *t = self;
  const uint32_t above = t->shape.cells ? 2 : t->shape.levels + 1; /* a cell and a node below it, or top and levels */
  return t->count == 0 ? 0 : (range ? 2 : 1) * (above + 2);        /* then a coarse node and a block */
}

const rdx_index_ops rdx_tree_ops = {
    .name = "tree",
    .estimate = estimate,
    .size = sizeof(tree),
    .build = build,
    .query = query,
    .rows = rows,
    .visits_each = visits_each,
    .destroy = destroy,
    .rows_in_order = true,
    .partition_bytes = 64u << 20,
};
