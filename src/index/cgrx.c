/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* cgRX: sorted entries in buckets, a representative of each in a scene. The naive representation (cgRX, section 3.2)
 * and the optimized one (section 3.3) differ in their triangles and in what follows a hit. */

#include "index/sorted_keys.h"
#include "kernels/cgrx/kernels.h"

#define DEFAULT_BUCKET 16
#define LEAST_BUCKET 2
#define LARGEST_BUCKET 65536
#define X_BITS 23
#define Y_BITS 23
#define Z_BITS 18

/* The compact mapping keeps so many bits beyond those that number the buckets: enough for most neighbours to differ. */
#define COMPACT_BITS 10

/* Scales of the axes that make tree builders group along x (section 5.1). */
#define SCALE_Y 32768.0f    /* 2^15 */
#define SCALE_Z 33554432.0f /* 2^25 */

/* Farther than any axis reaches. */
#define ALL_THE_WAY 16777216.0f

typedef struct cgrx {
  rdx_device *device;
  uint32_t key_bits;
  cgrx_state shape;
  rdx_sorted_keys sorted; /* column layout */
  rdx_buffer *entries;    /* row layouts */
  rdx_buffer *slots;      /* of each triangle: see kernels/cgrx/cgrx_encode.h */
  rdx_buffer *state;
  rdx_scene *scene;
} cgrx;

static void destroy(void *self) {
  cgrx *c = self;
  rdx_scene_destroy(&c->scene);
  rdx_buffer_destroy(&c->entries);
  rdx_buffer_destroy(&c->slots);
  rdx_buffer_destroy(&c->state);
  rdx_sorted_keys_destroy(&c->sorted);
  rdx_free(c);
}

/* ---- Options ---- */

static uint32_t bucket_size(const rdx_cgrx_params *p) {
  return p->bucket_size ? p->bucket_size : DEFAULT_BUCKET;
}

static rdx_status check(const rdx_device *device, const rdx_cgrx_params *p, rdx_error *err) {
  if (device->info.tracing == RDX_TRACING_NONE)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "cgrx: %s does not trace rays (its driver lacks VK_KHR_ray_tracing_pipeline); use method tree, or "
                    "another device",
                    device->info.name);
  if (bucket_size(p) < LEAST_BUCKET || bucket_size(p) > LARGEST_BUCKET)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "cgrx: a bucket has %d to %d keys; got %u", LEAST_BUCKET, LARGEST_BUCKET,
                    p->bucket_size);
  if (p->mapping > RDX_CGRX_MAPPING_SCALED || p->layout > RDX_CGRX_LAYOUT_ROW_PACKED ||
      p->search > RDX_CGRX_SEARCH_LINEAR || p->build > RDX_BUILD_LOW_MEMORY)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "cgrx: unknown mapping, layout, search or build preference");
  return RDX_OK;
}

static rdx_scene_params scene_params(const rdx_cgrx_params *p, uint64_t triangles) {
  return (rdx_scene_params){.kind = RDX_SCENE_TRIANGLES,
                            .count = triangles,
                            .partitions = p->partitions,
                            .preference = p->build,
                            .compact = !p->no_compaction};
}

static uint64_t entries_bytes(const rdx_cgrx_params *p, uint64_t count, uint32_t key_bits) {
  return count * 4 * entry_words(p->layout, key_bits == 64);
}

static uint64_t estimate(const rdx_device *device, const rdx_index_params *params, uint64_t count, uint32_t key_bits) {
  const rdx_cgrx_params *p = &params->cgrx;
  if (check(device, p, NULL) != RDX_OK) /* build() will say so */
    return 0;
  const uint64_t buckets = (count + bucket_size(p) - 1) / bucket_size(p);
  /* Compact rows have 2^23 / 2^COMPACT_BITS buckets on average, and markers are for rows. */
  const uint64_t markers = p->mapping == RDX_CGRX_MAPPING_COMPACT ? buckets / 4096 + 2 : 2 * buckets;
  const uint64_t slots = buckets + markers;
  const rdx_scene_params scene = scene_params(p, slots);
  const uint64_t columns = count * (key_bits / 8 + 4);
  const uint64_t tracing = columns + slots * 36 + rdx_scene_estimate(device, &scene);
  const uint64_t sorting = rdx_sorted_keys_estimate(count, key_bits);
  const uint64_t copying = p->layout ? columns + entries_bytes(p, count, key_bits) : 0;
  const uint64_t most = tracing > sorting ? tracing : sorting;
  return most > copying ? most : copying;
}

/* ---- The shape ---- */

static uint32_t bit_length(uint64_t x) {
  return x == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(x);
}

/* Twice the mean distance of `count` representatives over `range` units, of which an axis holds `length`. */
static float first_reach(uint64_t range, uint64_t count, uint64_t length) {
  uint64_t reach = 2 * (range / count + 1);
  reach = reach < length ? reach : length;
  return (float)reach;
}

/* Rays on devices that do not visit the nearest hit first are kept short: a long one visits all that it meets. */
static void set_reaches(cgrx *c, uint64_t range) {
  cgrx_state *s = &c->shape;
  s->reach_x = s->reach_y = s->reach_z = ALL_THE_WAY;
  if (rdx_device_traces_nearest_first(c->device))
    return;
  s->reach_x = first_reach(range, s->buckets, 1ull << s->x_bits);
  s->reach_y = first_reach(range >> s->x_bits, s->buckets, 1ull << s->y_bits);
  s->reach_z = first_reach(range >> (s->x_bits + s->y_bits), s->buckets, 1ull << s->z_bits);
}

static rdx_status lay_out(cgrx *c, const rdx_cgrx_params *p, bool optimized, rdx_error *err) {
  uint64_t least = 0;
  cgrx_state *s = &c->shape;
  *s = (cgrx_state){.n = (uint32_t)c->sorted.count,
                    .bucket_size = bucket_size(p),
                    .x_bits = X_BITS,
                    .y_bits = Y_BITS,
                    .z_bits = Z_BITS,
                    .optimized = optimized,
                    .linear_search = p->search == RDX_CGRX_SEARCH_LINEAR,
                    .scale_y = p->mapping == RDX_CGRX_MAPPING_PLAIN ? 1 : SCALE_Y,
                    .scale_z = p->mapping == RDX_CGRX_MAPPING_PLAIN ? 1 : SCALE_Z};
  s->buckets = (uint32_t)(((uint64_t)s->n + s->bucket_size - 1) / s->bucket_size);
  if (s->n == 0)
    return RDX_OK;
  RDX_TRY(rdx_sorted_keys_at(&c->sorted, 0, &least, err));
  RDX_TRY(rdx_sorted_keys_at(&c->sorted, cgrx_last(0, *s), &s->min_rep, err));
  RDX_TRY(rdx_sorted_keys_at(&c->sorted, s->n - 1, &s->max_rep, err));
  if (p->mapping == RDX_CGRX_MAPPING_COMPACT) {
    const uint32_t bits = bit_length(s->max_rep - least), wanted = bit_length(s->buckets - 1) + COMPACT_BITS;
    s->origin = least;
    s->shift = bits > wanted ? bits - wanted : 0;
  }
  const uint64_t first = cgrx_image(s->min_rep, *s), last = cgrx_image(s->max_rep, *s);
  s->multi_row = first >> s->x_bits != last >> s->x_bits;
  s->multi_plane = first >> (s->x_bits + s->y_bits) != last >> (s->x_bits + s->y_bits);
  set_reaches(c, last - first);
  return RDX_OK;
}

/* ---- Building ---- */

static rdx_status upload_state(cgrx *c, rdx_error *err) {
  if (!c->state)
    RDX_TRY(rdx_buffer_create(c->device, sizeof c->shape, "an index", &c->state, err));
  return rdx_buffer_upload(c->state, 0, &c->shape, sizeof c->shape, err);
}

/* List the slots that get a triangle. */
static rdx_status choose_slots(cgrx *c, rdx_stream *stream, uint64_t slots, rdx_buffer *bits, rdx_buffer *chosen,
                               rdx_buffer *count, rdx_error *err) {
  const uint32_t key64 = c->key_bits == 64;
  const struct cgrx_mark_args args = {.state = RDX_ADDRESS(cgrx_state, c->state),
                                      .keys = RDX_ADDRESS(uint32_t, c->sorted.keys),
                                      .bits = RDX_ADDRESS(uint32_t, bits),
                                      .slots_in_all = (uint32_t)slots};
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(rdx_stream_launch(stream, &rdx_kernel_cgrx_mark, &args, &key64, (slots + 31) / 32, NULL, err));
  RDX_TRY(rdx_stream_select(stream, bits, chosen, count, slots, err));
  RDX_TRY(rdx_stream_mark(stream, err));
  return rdx_stream_finish(stream, err);
}

static rdx_status make_slots(cgrx *c, uint64_t *triangles, double *ms, rdx_error *err) {
  const uint64_t slots = (uint64_t)c->shape.buckets * (1 + c->shape.multi_row + c->shape.multi_plane);
  rdx_buffer *bits = NULL, *chosen = NULL, *count = NULL;
  rdx_stream *stream = NULL;
  if (slots >= UINT32_MAX)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "cgrx: %u buckets are too many; make them larger", c->shape.buckets);
  rdx_status status = rdx_buffer_create(c->device, (slots + 31) / 32 * 4, "slots in use", &bits, err);
  if (status == RDX_OK)
    status = rdx_buffer_create(c->device, slots * 4, "slots", &chosen, err);
  if (status == RDX_OK)
    status = rdx_buffer_create(c->device, 8, "a count", &count, err);
  if (status == RDX_OK)
    status = rdx_stream_create(c->device, &stream, err);
  if (status == RDX_OK)
    status = choose_slots(c, stream, slots, bits, chosen, count, err);
  if (status == RDX_OK)
    status = rdx_buffer_download(count, 0, triangles, 8, err);
  if (status == RDX_OK)
    status = rdx_buffer_create(c->device, *triangles * 4, "slots", &c->slots, err);
  if (status == RDX_OK)
    *ms += rdx_stream_elapsed(stream, 0, 1);
  if (status == RDX_OK)
    status = rdx_stream_copy(stream, chosen, 0, c->slots, 0, *triangles * 4, err);
  if (status == RDX_OK)
    status = rdx_stream_finish(stream, err);
  rdx_stream_destroy(&stream);
  rdx_buffer_destroy(&bits);
  rdx_buffer_destroy(&chosen);
  rdx_buffer_destroy(&count);
  return status;
}

static rdx_status build_scene(cgrx *c, const rdx_cgrx_params *p, rdx_index_stats *stats, rdx_error *err) {
  uint64_t count = 0;
  RDX_TRY(make_slots(c, &count, &stats->encode_ms, err));
  rdx_scene_params params = scene_params(p, count);
  const uint32_t key64 = c->key_bits == 64;
  rdx_buffer *triangles = NULL;
  RDX_TRY(rdx_buffer_create(c->device, count * 36, "the representatives of buckets", &triangles, err));
  const struct cgrx_encode_args args = {.state = RDX_ADDRESS(cgrx_state, c->state),
                                        .keys = RDX_ADDRESS(uint32_t, c->sorted.keys),
                                        .slots = RDX_ADDRESS(uint32_t, c->slots),
                                        .triangles = RDX_ADDRESS(float, triangles)};
  rdx_status status =
      rdx_launch_timed(c->device, &rdx_kernel_cgrx_encode, &args, &key64, count, &stats->encode_ms, err);
  if (status == RDX_OK) {
    params.primitives = triangles;
    status = rdx_scene_create(c->device, &params, &c->scene, err);
  }
  rdx_buffer_destroy(&triangles);
  RDX_TRY(status);
  c->shape.slots = RDX_ADDRESS(uint32_t, c->slots);
  c->shape.partition_size = (uint32_t)c->scene->partition_size;
  stats->partitions = c->scene->partitions;
  stats->bytes_scene = c->scene->bytes;
  stats->bytes_scene_built = c->scene->bytes_built;
  stats->scene_ms = c->scene->build_ms;
  stats->compact_ms = c->scene->compact_ms;
  return RDX_OK;
}

/* Replace the columns by rows of words. */
static rdx_status to_rows(cgrx *c, const rdx_cgrx_params *p, rdx_index_stats *stats, rdx_error *err) {
  if (p->layout == RDX_CGRX_LAYOUT_COLUMN)
    return RDX_OK;
  const uint32_t key64 = c->key_bits == 64;
  RDX_TRY(rdx_buffer_create(c->device, entries_bytes(p, c->shape.n, c->key_bits), "the entries", &c->entries, err));
  const struct cgrx_rows_args args = {.keys = RDX_ADDRESS(uint32_t, c->sorted.keys),
                                      .rows = RDX_ADDRESS(uint32_t, c->sorted.rows),
                                      .entries = RDX_ADDRESS(uint32_t, c->entries),
                                      .layout_kind = p->layout};
  RDX_TRY(rdx_launch_timed(c->device, &rdx_kernel_cgrx_rows, &args, &key64, c->shape.n, &stats->encode_ms, err));
  rdx_sorted_keys_destroy(&c->sorted);
  c->shape.layout_kind = p->layout;
  return RDX_OK;
}

static rdx_status build_parts(cgrx *c, const rdx_key_set *keys, const rdx_cgrx_params *p, bool optimized,
                              rdx_index_stats *stats, rdx_error *err) {
  RDX_TRY(rdx_sorted_keys_create(keys, &c->sorted, stats, err));
  RDX_TRY(lay_out(c, p, optimized, err));
  RDX_TRY(upload_state(c, err));
  RDX_TRY(build_scene(c, p, stats, err));
  RDX_TRY(to_rows(c, p, stats, err));
  RDX_TRY(upload_state(c, err));
  const uint64_t entries = c->entries ? c->entries->size : c->sorted.keys->size + c->sorted.rows->size;
  stats->bytes_resident = stats->bytes_scene + entries + c->slots->size + c->state->size;
  return RDX_OK;
}

static rdx_status build(const rdx_key_set *keys, const rdx_cgrx_params *p, bool optimized, rdx_index_stats *stats,
                        void **out, rdx_error *err) {
  RDX_TRY(check(keys->device, p, err));
  cgrx *c = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *c, "a cgrx index", (void **)&c, err));
  c->device = keys->device;
  c->key_bits = keys->key_bits;
  rdx_status status = build_parts(c, keys, p, optimized, stats, err);
  if (status != RDX_OK) {
    destroy(c);
    return status;
  }
  *out = c;
  return RDX_OK;
}

static rdx_status build_optimized(const rdx_key_set *keys, const rdx_index_params *params, rdx_index_stats *stats,
                                  void **out, rdx_error *err) {
  return build(keys, &params->cgrx, true, stats, out, err);
}

static rdx_status build_naive(const rdx_key_set *keys, const rdx_index_params *params, rdx_index_stats *stats,
                              void **out, rdx_error *err) {
  return build(keys, &params->cgrx, false, stats, out, err);
}

/* ---- Lookups ---- */

static rdx_status launch(const cgrx *c, rdx_stream *stream, const rdx_query *q, uint32_t output, rdx_error *err) {
  const struct cgrx_args args = {RDX_LOOKUP_FIELDS(q), .state = RDX_ADDRESS(cgrx_state, c->state),
                                 .keys = RDX_ADDRESS(uint32_t, c->entries ? c->entries : c->sorted.keys),
                                 .rows = RDX_ADDRESS(uint32_t, c->sorted.rows)};
  const uint32_t variant[CGRX_CONSTANTS] = {c->key_bits == 64, q->gather, q->value, output};
  return rdx_stream_launch(stream, &rdx_kernel_cgrx, &args, variant, q->count, c->scene, err);
}

static rdx_status query(const void *self, rdx_stream *stream, const rdx_query *q, rdx_error *err) {
  return launch(self, stream, q, CGRX_OUTPUT_RESULT, err);
}

static rdx_status count_rays(const void *self, rdx_stream *stream, const rdx_query *q, uint32_t *out, rdx_error *err) {
  rdx_query counting = *q;
  counting.out_count = out;
  return launch(self, stream, &counting, CGRX_OUTPUT_RAYS, err);
}

static rdx_status count_visits(const void *self, rdx_stream *stream, const rdx_query *q, uint32_t *out,
                               rdx_error *err) {
  rdx_query counting = *q;
  counting.out_count = out;
  return launch(self, stream, &counting, CGRX_OUTPUT_VISITS, err);
}

static rdx_row_layout rows(const void *self) {
  const cgrx *c = self;
  if (!c->entries)
    return (rdx_row_layout){.words = c->sorted.rows, .block_words = 8, .step = 1};
  const uint32_t words = entry_words(c->shape.layout_kind, c->key_bits == 64);
  return (rdx_row_layout){.words = c->entries, .block_words = 8 * words, .first_word = c->key_bits / 32, .step = words};
}

const rdx_index_ops rdx_cgrx_ops = {
    .name = "cgrx",
    .estimate = estimate,
    .build = build_optimized,
    .query = query,
    .rows = rows,
    .count_rays = count_rays,
    .count_visits = count_visits,
    .destroy = destroy,
    .rows_in_order = true,
};

const rdx_index_ops rdx_cgrx_naive_ops = {
    .name = "cgrx_naive",
    .estimate = estimate,
    .build = build_naive,
    .query = query,
    .rows = rows,
    .count_rays = count_rays,
    .count_visits = count_visits,
    .destroy = destroy,
    .rows_in_order = true,
};
