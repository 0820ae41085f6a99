/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The scene of a cgRX over sorted keys: representatives of buckets, and what makes rays find them. */

#include "index/method/cgrx_scene.h"

#include "kernels/cgrx/kernels.h"
#include "base/numbers.h"

#define DEFAULT_BUCKET 16
#define MIN_BUCKET 2
#define LARGEST_BUCKET 65536
#define X_BITS 23
#define Y_BITS 23
#define Z_BITS 18

/* The compact mapping keeps so many bits beyond those that number the buckets: enough for most neighbours to differ. */
#define COMPACT_BITS 10

/* Scales of the axes that make tree builders group along x (section 5.1). */
#define SCALE_Y 32768.0f    /* 2^15 */
#define SCALE_Z 33554432.0f /* 2^25 */

void rdx_cgrx_scene_destroy(rdx_cgrx_scene *c) {
  rdx_scene_destroy(&c->scene);
  RDX_DESTROY_BUFFERS(&c->slots, &c->state);
}

/* ---- Options ---- */

/* cgRX, section 5.4 "Size recommendation". */
static uint32_t bucket_size_of(const rdx_cgrx_params *p) {
  return p->bucket_size ? p->bucket_size : DEFAULT_BUCKET;
}

rdx_status rdx_cgrx_check(const char *method, const rdx_device *device, const rdx_cgrx_params *p, rdx_error *err) {
  if (bucket_size_of(p) < MIN_BUCKET || bucket_size_of(p) > LARGEST_BUCKET)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: a bucket has %d to %d keys; got %u", method, MIN_BUCKET,
                    LARGEST_BUCKET, p->bucket_size);
  if (p->mapping > RDX_CGRX_MAPPING_COVERING || p->layout > RDX_CGRX_LAYOUT_ROW_PACKED ||
      p->search > RDX_CGRX_SEARCH_LINEAR || p->build > RDX_BUILD_LOW_MEMORY)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: unknown mapping, layout, search or build preference", method);
  return rdx_check_compaction(method, device, p->compaction, err);
}

/* cgRX, section 6 "best configuration". */
/* cgRX, section 5.3 "we only consider the packed row layout". */
rdx_cgrx_params rdx_cgrx_resolve(const rdx_cgrx_params *given) {
  rdx_cgrx_params p = *given;
  if (p.layout == RDX_CGRX_LAYOUT_DEFAULT)
    p.layout = p.published ? RDX_CGRX_LAYOUT_ROW_PACKED : RDX_CGRX_LAYOUT_COLUMN;
  if (p.published && p.mapping == RDX_CGRX_MAPPING_DEFAULT)
    p.mapping = RDX_CGRX_MAPPING_SCALED;
  if (p.published && p.build == RDX_BUILD_DEFAULT)
    p.build = RDX_BUILD_FAST_TRACE;
  return p;
}

static rdx_scene_params scene_params(const rdx_device *device, const rdx_cgrx_params *p, uint64_t triangles) {
  return (rdx_scene_params){.kind = RDX_SCENE_TRIANGLES,
                            .count = triangles,
                            .partitions = p->partitions,
                            .preference = rdx_device_build_preference(device, p->build, false),
                            .compact = p->compaction != RDX_SWITCH_OFF};
}

uint64_t rdx_cgrx_scene_estimate(const rdx_device *device, const rdx_cgrx_params *p, uint64_t count) {
  const uint64_t size = bucket_size_of(p), buckets = (count + size - 1) / size;
  /* Compact rows have 2^23 / 2^COMPACT_BITS buckets on average, and markers are for rows. */
  const bool as_published = p->mapping == RDX_CGRX_MAPPING_PLAIN || p->mapping == RDX_CGRX_MAPPING_SCALED;
  const uint64_t markers = as_published ? 2 * buckets : buckets / 4096 + 2;
  const uint64_t slots = buckets + markers;
  const rdx_scene_params scene = scene_params(device, p, slots);
  return slots * 36 + rdx_scene_estimate(device, &scene);
}

/* ---- The shape ---- */

static void set_reaches(rdx_cgrx_scene *c, uint64_t range) {
  cgrx_state *s = &c->shape;
  s->reach_x = s->reach_y = s->reach_z = RDX_ALL_THE_WAY;
  if (s->representation == CGRX_COVERING)
    s->reach_x = 1;
  if (rdx_device_traces_nearest_first(c->device) || s->published)
    return;
  if (s->representation != CGRX_COVERING)
    s->reach_x = rdx_first_reach(range, s->buckets, 1ull << s->x_bits);
  s->reach_y = rdx_first_reach(range >> s->x_bits, s->buckets, 1ull << s->y_bits);
  s->reach_z = rdx_first_reach(range >> (s->x_bits + s->y_bits), s->buckets, 1ull << s->z_bits);
}

/* cgRX, section 5.2 "we will use the scaled mapping". */
/* cgRX, Figure 9 "Visualization of the impact of scaling on the BVH structure". */
static rdx_status lay_out(rdx_cgrx_scene *c, const rdx_sorted_keys *sorted, const rdx_cgrx_params *p, bool optimized,
                          rdx_error *err) {
  uint64_t min = 0;
  const bool covering =
      optimized && (p->mapping == RDX_CGRX_MAPPING_DEFAULT || p->mapping == RDX_CGRX_MAPPING_COVERING);
  cgrx_state *s = &c->shape;
  *s = (cgrx_state){.n = (uint32_t)sorted->count,
                    .bucket_size = bucket_size_of(p),
                    .x_bits = X_BITS,
                    .y_bits = Y_BITS,
                    .z_bits = Z_BITS,
                    .representation = covering    ? CGRX_COVERING
                                      : optimized ? CGRX_OPTIMIZED
                                                  : CGRX_NAIVE,
                    .linear_search = p->search == RDX_CGRX_SEARCH_LINEAR,
                    .published = p->published,
                    .scale_y = p->mapping == RDX_CGRX_MAPPING_PLAIN ? 1 : SCALE_Y,
                    .scale_z = p->mapping == RDX_CGRX_MAPPING_PLAIN ? 1 : SCALE_Z};
  s->buckets = (uint32_t)(((uint64_t)s->n + s->bucket_size - 1) / s->bucket_size);
  if (s->n == 0)
    return RDX_OK;
  RDX_TRY(rdx_sorted_keys_at(sorted, 0, &min, err));
  RDX_TRY(rdx_sorted_keys_at(sorted, cgrx_last(0, *s), &s->min_rep, err));
  RDX_TRY(rdx_sorted_keys_at(sorted, s->n - 1, &s->max_rep, err));
  RDX_TRY(rdx_returned_number(c->device, s->min_rep, min, s->max_rep, "the first representative", err));
  if (p->mapping != RDX_CGRX_MAPPING_PLAIN && p->mapping != RDX_CGRX_MAPPING_SCALED) {
    const uint32_t bits = rdx_bit_length(s->max_rep - min), wanted = rdx_bit_length(s->buckets - 1) + COMPACT_BITS;
    s->origin = min;
    s->shift = bits > wanted ? bits - wanted : 0;
  }
  const uint64_t first = cgrx_image(s->min_rep, *s), last = cgrx_image(s->max_rep, *s);
  s->multi_row = first >> s->x_bits != last >> s->x_bits;
  s->multi_plane = first >> (s->x_bits + s->y_bits) != last >> (s->x_bits + s->y_bits);
  set_reaches(c, last - first);
  return RDX_OK;
}

/* ---- Building ---- */

rdx_status rdx_cgrx_scene_upload(rdx_cgrx_scene *c, rdx_error *err) {
  if (!c->state)
    RDX_TRY(rdx_buffer_create(c->device, sizeof c->shape, "an index", &c->state, err));
  return rdx_buffer_upload(c->state, 0, &c->shape, sizeof c->shape, err);
}

/* List the slots that get a triangle. */
static rdx_status choose_slots(rdx_cgrx_scene *c, const rdx_buffer *keys, rdx_stream *stream, uint64_t slots,
                               rdx_buffer *bits, rdx_buffer *chosen, rdx_buffer *count, rdx_error *err) {
  const uint32_t key64 = c->key_bits == 64;
  const struct cgrx_mark_args args = {.state = RDX_ADDRESS(cgrx_state, c->state),
                                      .keys = RDX_ADDRESS(uint32_t, keys),
                                      .bits = RDX_ADDRESS(uint32_t, bits),
                                      .slots_in_all = (uint32_t)slots};
  RDX_TRY(rdx_stream_mark(stream, err));
  RDX_TRY(rdx_stream_launch(stream, &rdx_kernel_cgrx_mark, &args, &key64, (slots + 31) / 32, NULL, err));
  RDX_TRY(rdx_stream_select(stream, bits, chosen, count, slots, err));
  RDX_TRY(rdx_stream_mark(stream, err));
  return rdx_stream_finish(stream, err);
}

/* cgRX, section 3.2 "skip the allocation and generation of plane/row markers". */
static rdx_status make_slots(rdx_cgrx_scene *c, const rdx_buffer *keys, uint64_t *triangles, double *ms,
                             rdx_error *err) {
  const uint64_t slots = (uint64_t)c->shape.buckets * (1 + c->shape.multi_row + c->shape.multi_plane);
  if (slots >= UINT32_MAX)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "cgrx: %u buckets are too many; make them larger", c->shape.buckets);
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *bits = NULL, *chosen = NULL, *count = NULL;
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(rdx_buffer_create(c->device, (slots + 31) / 32 * 4, "slots in use", &bits, err));
  RDX_TRY(rdx_buffer_create(c->device, slots * 4, "slots", &chosen, err));
  RDX_TRY(rdx_buffer_create(c->device, 8, "a count", &count, err));
  RDX_TRY(rdx_stream_create_for(c->device, "build", &stream, err));
  RDX_TRY(choose_slots(c, keys, stream, slots, bits, chosen, count, err));
  RDX_TRY(rdx_buffer_number(count, 0, slots > 0, slots, "the slots in use", triangles, err));
  RDX_TRY(rdx_buffer_create(c->device, *triangles * 4, "slots", &c->slots, err));
  *ms += rdx_stream_elapsed(stream, 0, 1);
  RDX_TRY(rdx_stream_copy(stream, chosen, 0, c->slots, 0, *triangles * 4, err));
  return rdx_stream_finish(stream, err);
}

static rdx_status build_scene(rdx_cgrx_scene *c, const rdx_buffer *keys, const rdx_cgrx_params *p,
                              rdx_index_stats *stats, rdx_error *err) {
  uint64_t count = 0;
  RDX_TRY(make_slots(c, keys, &count, &stats->encode_ms, err));
  rdx_scene_params params = scene_params(c->device, p, count);
  const uint32_t key64 = c->key_bits == 64;
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *triangles = NULL;
  RDX_TRY(rdx_buffer_create(c->device, count * 36, "the representatives of buckets", &triangles, err));
  const struct cgrx_encode_args args = {.state = RDX_ADDRESS(cgrx_state, c->state),
                                        .keys = RDX_ADDRESS(uint32_t, keys),
                                        .slots = RDX_ADDRESS(uint32_t, c->slots),
                                        .triangles = RDX_ADDRESS(float, triangles)};
  RDX_TRY(rdx_launch_timed(c->device, &rdx_kernel_cgrx_encode, &args, &key64, count, "build", &stats->encode_ms, err));
  params.primitives = triangles;
  RDX_TRY(rdx_scene_create(c->device, &params, &c->scene, err));
  c->shape.slots = RDX_ADDRESS(uint32_t, c->slots);
  c->shape.partition_size = (uint32_t)c->scene->partition_size;
  stats->partitions = c->scene->partitions;
  stats->bytes_scene = c->scene->bytes;
  stats->bytes_scene_built = c->scene->bytes_built;
  stats->scene_ms = c->scene->build_ms;
  stats->compact_ms = c->scene->compact_ms;
  return RDX_OK;
}

rdx_status rdx_cgrx_scene_create(const rdx_sorted_keys *sorted, const rdx_cgrx_params *p, bool optimized,
                                 rdx_index_stats *stats, rdx_cgrx_scene *out, rdx_error *err) {
  RDX_SCOPED(rdx_cgrx_scene_destroy)
  rdx_cgrx_scene made = {.device = sorted->keys->device, .key_bits = sorted->key_bits};
  RDX_TRY(lay_out(&made, sorted, p, optimized, err));
  RDX_TRY(rdx_cgrx_scene_upload(&made, err));
  RDX_TRY(build_scene(&made, sorted->keys, p, stats, err));
  *out = RDX_KEEP(made);
  return RDX_OK;
}

uint64_t rdx_cgrx_scene_bytes(const rdx_cgrx_scene *c) {
  return c->scene->bytes + c->slots->size + c->state->size;
}
