/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* cgRX: sorted entries in buckets, a representative of each in a scene. The naive representation (cgRX, section 3.2)
 * and the optimized one (section 3.3, or covering) differ in their triangles and in what follows a hit. */

#include "index/method/cgrx_scene.h"
#include "kernels/cgrx/kernels.h"

typedef struct cgrx {
  rdx_device *device;
  uint32_t key_bits;
  rdx_cgrx_scene scene;
  rdx_sorted_keys sorted; /* column layout */
  rdx_buffer *entries;    /* row layouts */
} cgrx;

static void destroy(void *self) {
  cgrx *c = self;
  rdx_cgrx_scene_destroy(&c->scene);
  rdx_buffer_destroy(&c->entries);
  rdx_sorted_keys_destroy(&c->sorted);
}

/* As kernels know it. */
static uint32_t layout_of(const rdx_cgrx_params *p) {
  return p->layout == RDX_CGRX_LAYOUT_ROW_PACKED    ? LAYOUT_ROW_PACKED
         : p->layout == RDX_CGRX_LAYOUT_ROW_ALIGNED ? LAYOUT_ROW_ALIGNED
                                                    : LAYOUT_COLUMN;
}

static uint64_t entries_bytes(const rdx_cgrx_params *p, uint64_t count, uint32_t key_bits) {
  return count * 4 * entry_words(layout_of(p), key_bits == 64);
}

static uint64_t estimate(const rdx_device *device, const rdx_index_params *params, uint64_t count, uint32_t key_bits) {
  const rdx_cgrx_params resolved = rdx_cgrx_resolve(&params->cgrx), *p = &resolved;
  if (rdx_cgrx_check("cgrx", device, p, NULL) != RDX_OK) /* build() will say so */
    return 0;
  const uint64_t columns = count * (key_bits / 8 + 4);
  const uint64_t tracing = columns + rdx_cgrx_scene_estimate(device, p, count);
  const uint64_t sorting = rdx_sorted_keys_estimate(device, count, key_bits);
  const uint64_t copying = layout_of(p) != LAYOUT_COLUMN ? columns + entries_bytes(p, count, key_bits) : 0;
  const uint64_t max = tracing > sorting ? tracing : sorting;
  return max > copying ? max : copying;
}

/* ---- Building ---- */

/* cgRX, section 3.4 "row layout". */
/* Replace the columns by rows of words. */
static rdx_status to_rows(cgrx *c, const rdx_cgrx_params *p, rdx_index_stats *stats, rdx_error *err) {
  if (layout_of(p) == LAYOUT_COLUMN)
    return RDX_OK;
  const uint32_t key64 = c->key_bits == 64;
  RDX_TRY(
      rdx_buffer_create(c->device, entries_bytes(p, c->scene.shape.n, c->key_bits), "the entries", &c->entries, err));
  const struct cgrx_rows_args args = {.keys = RDX_ADDRESS(uint32_t, c->sorted.keys),
                                      .rows = RDX_ADDRESS(uint32_t, c->sorted.rows),
                                      .entries = RDX_ADDRESS(uint32_t, c->entries),
                                      .layout_kind = layout_of(p)};
  RDX_TRY(rdx_launch_timed(c->device, &rdx_kernel_cgrx_rows, &args, &key64, c->scene.shape.n, "build",
                           &stats->encode_ms, err));
  rdx_sorted_keys_destroy(&c->sorted);
  c->scene.shape.layout_kind = layout_of(p);
  return RDX_OK;
}

/* cgRX, Figure 2 "Side-by-side comparison of the high-level principle". */
static rdx_status build_parts(cgrx *c, const rdx_key_set *keys, const rdx_cgrx_params *p, bool optimized,
                              rdx_index_stats *stats, rdx_error *err) {
  RDX_TRY(rdx_sorted_keys_create(keys, &c->sorted, stats, err));
  RDX_TRY(rdx_cgrx_scene_create(&c->sorted, p, optimized, stats, &c->scene, err));
  RDX_TRY(to_rows(c, p, stats, err));
  RDX_TRY(rdx_cgrx_scene_upload(&c->scene, err));
  const uint64_t entries = c->entries ? c->entries->size : c->sorted.keys->size + c->sorted.rows->size;
  stats->bytes_resident = rdx_cgrx_scene_bytes(&c->scene) + entries;
  return RDX_OK;
}

static rdx_status build(cgrx *c, const rdx_key_set *keys, const rdx_cgrx_params *given, bool optimized,
                        rdx_index_stats *stats, rdx_error *err) {
  const rdx_cgrx_params resolved = rdx_cgrx_resolve(given), *p = &resolved;
  RDX_TRY(rdx_cgrx_check(optimized ? "cgrx" : "cgrx_naive", keys->device, p, err));
  c->device = keys->device;
  c->key_bits = keys->key_bits;
  return build_parts(c, keys, p, optimized, stats, err);
}

/* cgRX, section 3.3 "optimized representation". */
static rdx_status build_optimized(void *self, const rdx_key_set *keys, const rdx_index_params *params,
                                  rdx_index_stats *stats, rdx_error *err) {
  return build(self, keys, &params->cgrx, true, stats, err);
}

static rdx_status build_naive(void *self, const rdx_key_set *keys, const rdx_index_params *params,
                              rdx_index_stats *stats, rdx_error *err) {
  if (params->cgrx.mapping == RDX_CGRX_MAPPING_COVERING)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "cgrx_naive: the covering mapping is for cgrx and cgrx_updatable");
  return build(self, keys, &params->cgrx, false, stats, err);
}

/* ---- Lookups ---- */

static rdx_status launch(const cgrx *c, rdx_stream *stream, const rdx_index_query *q, uint32_t output, rdx_error *err) {
  const struct cgrx_args args = {RDX_LOOKUP_FIELDS(q), .state = RDX_ADDRESS(cgrx_state, c->scene.state),
                                 .keys = RDX_ADDRESS(uint32_t, c->entries ? c->entries : c->sorted.keys),
                                 .rows = RDX_ADDRESS(uint32_t, c->sorted.rows)};
  const uint32_t variant[CGRX_CONSTANTS] = {
      c->key_bits == 64, q->gather, q->value, output, false, c->scene.shape.representation};
  return rdx_stream_launch(stream, &rdx_kernel_cgrx, &args, variant, q->count, c->scene.scene, err);
}

static rdx_status query(const void *self, rdx_stream *stream, const rdx_index_query *q, rdx_error *err) {
  return launch(self, stream, q, CGRX_OUTPUT_RESULT, err);
}

static rdx_status count_rays(const void *self, rdx_stream *stream, const rdx_index_query *q, rdx_error *err) {
  return launch(self, stream, q, CGRX_OUTPUT_RAYS, err);
}

static rdx_status count_visits(const void *self, rdx_stream *stream, const rdx_index_query *q, rdx_error *err) {
  return launch(self, stream, q, CGRX_OUTPUT_VISITS, err);
}

static rdx_row_layout rows(const void *self) {
  const cgrx *c = self;
  if (!c->entries)
    return (rdx_row_layout){.words = c->sorted.rows, .block_words = 8, .step = 1};
  const uint32_t words = entry_words(c->scene.shape.layout_kind, c->key_bits == 64);
  return (rdx_row_layout){.words = c->entries, .block_words = 8 * words, .first_word = c->key_bits / 32, .step = words};
}

static bool gathers_ranges(const void *self) {
  return ((const cgrx *)self)->scene.shape.published != 0;
}

const rdx_index_ops rdx_cgrx_ops = {
    .name = "cgrx",
    .estimate = estimate,
    .size = sizeof(cgrx),
    .build = build_optimized,
    .query = query,
    .rows = rows,
    .gathers_ranges = gathers_ranges,
    .count_rays = count_rays,
    .count_visits = count_visits,
    .destroy = destroy,
    .rows_in_order = true,
};

const rdx_index_ops rdx_cgrx_naive_ops = {
    .name = "cgrx_naive",
    .estimate = estimate,
    .size = sizeof(cgrx),
    .build = build_naive,
    .query = query,
    .rows = rows,
    .gathers_ranges = gathers_ranges,
    .count_rays = count_rays,
    .count_visits = count_visits,
    .destroy = destroy,
    .rows_in_order = true,
};
