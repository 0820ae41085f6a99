/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The optimized RX (thesis, chapter 4): one triangle (or box) per distinct key, one hit per lookup, then a scan of the
 * sorted entries. Scene parts are contiguous runs of keys (algorithm 5). */

#include "index/method/rx_encoding.h"
#include "index/method/segments.h"
#include "index/method/sorted_keys.h"
#include "kernels/primitives/kernels.h"
#include "kernels/rx_optimized/kernels.h"

#define X_BITS 23
#define Y_BITS 23
#define Z_BITS 18
#define PUBLISHED_PARTS 16 /* of 2^21 or more keys (thesis, section 5.8) */

typedef struct rx_optimized {
  rdx_device *device;
  uint32_t key_bits;
  rdx_rx_primitive primitive;
  rdx_sorted_keys sorted;
  rx_optimized_state shape;
  rdx_buffer *positions; /* NULL: keys are distinct, or not compressed */
  rdx_buffer *segments;
  rdx_buffer *state;
  rdx_scene *scene;
} rx_optimized;

static void destroy(void *self) {
  rx_optimized *r = self;
  rdx_scene_destroy(&r->scene);
  RDX_DESTROY_BUFFERS(&r->positions, &r->segments, &r->state);
  rdx_sorted_keys_destroy(&r->sorted);
}

static rdx_status resolve(const rdx_device *device, rdx_rx_optimized_params *p, rdx_error *err) {
  if (p->build > RDX_BUILD_LOW_MEMORY || p->primitive > RDX_RX_BOX)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rx_optimized: unknown build preference or primitive");
  RDX_TRY(rdx_check_compaction("rx_optimized", device, p->compaction, err));
  if (p->published) {
    p->primitive = p->primitive == RDX_RX_PRIMITIVE_DEFAULT ? RDX_RX_TRIANGLE : p->primitive;
    p->partitions = p->partitions == 0 ? PUBLISHED_PARTS : p->partitions;
    p->build = p->build == RDX_BUILD_DEFAULT ? RDX_BUILD_FAST_TRACE : p->build;
  }
  /* Parts are there for a low peak, to which triangles without RT cores contribute most by what stays of them. */
  const bool boxes = p->partitions > 1 && !rdx_device_traces_nearest_first(device);
  if (p->primitive == RDX_RX_PRIMITIVE_DEFAULT)
    p->primitive = boxes ? RDX_RX_BOX : RDX_RX_TRIANGLE;
  return RDX_OK;
}

static rdx_scene_params scene_params(const rdx_rx_optimized_params *p, uint64_t count) {
  return (rdx_scene_params){.kind = p->primitive == RDX_RX_TRIANGLE ? RDX_SCENE_TRIANGLES : RDX_SCENE_BOXES,
                            .count = count,
                            .partitions = p->partitions,
                            .preference = p->build,
                            .compact = p->compaction != RDX_SWITCH_OFF,
                            .single_any_hit = true}; /* the smaller scene; one hit ends a ray anyway */
}

/* As if no key stood twice. */
static uint64_t estimate(const rdx_device *device, const rdx_index_params *params, uint64_t count, uint32_t key_bits) {
  rdx_rx_optimized_params p = params->rx_optimized;
  if (resolve(device, &p, NULL) != RDX_OK) /* build() will say so */
    return 0;
  const rdx_scene_params scene = scene_params(&p, count);
  const uint64_t sorting = rdx_sorted_keys_estimate(device, count, key_bits);
  const uint64_t tracing =
      count * (key_bits / 8 + 4) + rdx_scene_source_bytes(device, &scene) + rdx_scene_estimate(device, &scene);
  return sorting > tracing ? sorting : tracing;
}

/* ---- Building ---- */

/* thesis, section 4.2 "Duplicated Key Compression". */
/* Keep one triangle per key (section 4.2): `*keys` becomes a new buffer of the distinct keys. */
static rdx_status compress(rx_optimized *r, rdx_buffer **keys, uint64_t *count, rdx_error *err) {
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(rdx_sorted_keys_runs(&r->sorted, &r->positions, count, err));
  RDX_TRY(rdx_buffer_create(r->device, *count * (r->key_bits / 8), "the distinct keys", keys, err));
  RDX_TRY(rdx_stream_create_for(r->device, "build", &stream, err));
  RDX_TRY(rdx_primitive_gather(stream, RDX_ADDRESS(uint32_t, r->sorted.keys), r->positions, r->key_bits, *keys, *count,
                               err));
  return rdx_stream_finish(stream, err);
}

/* What the kernels read of this index. */
static rdx_status upload_state(rx_optimized *r, uint64_t triangles, rdx_error *err) {
  rx_optimized_state *s = &r->shape;
  const bool whole = rdx_device_traces_nearest_first(r->device) || s->linear_scan != 0;
  s->positions = RDX_ADDRESS(uint32_t, r->positions);
  s->segments = RDX_ADDRESS(uint64_t, r->segments);
  s->n = (uint32_t)r->sorted.count;
  s->partition_size = (uint32_t)r->scene->partition_size;
  s->triangles = (uint32_t)triangles;
  s->reach =
      whole || triangles == 0 ? RDX_ALL_THE_WAY : rdx_first_reach(s->max_key - s->min_key, triangles, RDX_ALL_THE_WAY);
  RDX_TRY(rdx_buffer_create(r->device, sizeof *s, "an index", &r->state, err));
  return rdx_buffer_upload(r->state, 0, s, sizeof *s, err);
}

static rdx_status build_scene(rx_optimized *r, const rdx_rx_optimized_params *p, rdx_buffer *keys, uint64_t count,
                              rdx_index_stats *stats, rdx_error *err) {
  rdx_scene_params params = scene_params(p, count);
  rdx_rx_encoding e = {
      .keys = keys, .key_bits = r->key_bits, .boxes = params.kind == RDX_SCENE_BOXES, .scheme = r->shape.scheme};
  params.source = (rdx_scene_source){rdx_rx_encode, &e};
  RDX_TRY(rdx_scene_create(r->device, &params, &r->scene, err));
  stats->encode_ms = e.ms;
  stats->partitions = r->scene->partitions;
  stats->bytes_scene = r->scene->bytes;
  stats->bytes_scene_built = r->scene->bytes_built;
  stats->scene_ms = r->scene->build_ms;
  stats->compact_ms = r->scene->compact_ms;
  return RDX_OK;
}

static uint64_t size_of(const rdx_buffer *buffer) {
  return buffer ? buffer->size : 0;
}

static rdx_status build_parts(rx_optimized *r, const rdx_key_set *set, const rdx_rx_optimized_params *p,
                              rdx_index_stats *stats, rdx_error *err) {
  rx_optimized_state *s = &r->shape;
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *keys = NULL;
  uint64_t triangles = set->count, segments = 0;
  RDX_TRY(rdx_sorted_keys_create(set, &r->sorted, stats, err));
  s->scheme = RX_SCHEME((uint32_t)X_BITS, (uint32_t)Y_BITS, (uint32_t)Z_BITS, 0u, (uint32_t)SEGMENT_BITS);
  s->min_key = 1; /* no key is between 1 and 0 */
  s->linear_scan = p->published;
  if (set->count > 0) {
    RDX_TRY(rdx_sorted_keys_at(&r->sorted, 0, &s->min_key, err));
    RDX_TRY(rdx_sorted_keys_at(&r->sorted, set->count - 1, &s->max_key, err));
    RDX_TRY(rdx_returned_number(r->device, s->max_key, s->min_key, UINT64_MAX, "the largest key", err));
    const rdx_ascending_keys all = {r->sorted.keys, r->key_bits, set->count, s->min_key, s->max_key};
    RDX_TRY(rdx_segments_list(&all, SEGMENT_BITS, &r->segments, &segments, err));
  }
  s->segment_count = (uint32_t)segments;
  s->distinct = stats->distinct || p->compression != RDX_SWITCH_OFF;
  if (!stats->distinct && p->compression != RDX_SWITCH_OFF) {
    const double start = rdx_now_ms();
    RDX_TRY(compress(r, &keys, &triangles, err));
    stats->compress_ms = rdx_now_ms() - start;
  }
  RDX_TRY(build_scene(r, p, keys ? keys : r->sorted.keys, triangles, stats, err));
  rdx_buffer_destroy(&keys);
  RDX_TRY(upload_state(r, triangles, err));
  stats->bytes_resident = r->scene->bytes + r->sorted.keys->size + r->sorted.rows->size + size_of(r->positions) +
                          size_of(r->segments) + r->state->size;
  return RDX_OK;
}

static rdx_status build(void *self, const rdx_key_set *keys, const rdx_index_params *params, rdx_index_stats *stats,
                        rdx_error *err) {
  rdx_rx_optimized_params p = params->rx_optimized;
  RDX_TRY(resolve(keys->device, &p, err));
  rx_optimized *r = self;
  r->device = keys->device;
  r->key_bits = keys->key_bits;
  r->primitive = p.primitive;
  return build_parts(r, keys, &p, stats, err);
}

/* ---- Lookups ---- */

static rdx_status launch(const rx_optimized *r, rdx_stream *stream, const rdx_index_query *q, bool rays,
                         rdx_error *err) {
  const struct rx_optimized_args args = {RDX_LOOKUP_FIELDS(q), .state = RDX_ADDRESS(rx_optimized_state, r->state),
                                         .keys = RDX_ADDRESS(uint32_t, r->sorted.keys),
                                         .rows = RDX_ADDRESS(uint32_t, r->sorted.rows)};
  const bool triangles = r->primitive == RDX_RX_TRIANGLE;
  const uint32_t variant[RX_OPTIMIZED_CONSTANTS] = {r->key_bits == 64, q->gather, q->value, rays, r->primitive};
  return rdx_stream_launch(stream, triangles ? &rdx_kernel_rx_optimized : &rdx_kernel_rx_optimized_boxes, &args,
                           variant, q->count, r->scene, err);
}

static rdx_status query(const void *self, rdx_stream *stream, const rdx_index_query *q, rdx_error *err) {
  return launch(self, stream, q, false, err);
}

static rdx_status count_rays(const void *self, rdx_stream *stream, const rdx_index_query *q, rdx_error *err) {
  return launch(self, stream, q, true, err);
}

static rdx_row_layout rows(const void *self) {
  return (rdx_row_layout){.words = ((const rx_optimized *)self)->sorted.rows, .block_words = 8, .step = 1};
}

static bool gathers_ranges(const void *self) {
  return ((const rx_optimized *)self)->shape.linear_scan != 0;
}

const rdx_index_ops rdx_rx_optimized_ops = {
    .name = "rx_optimized",
    .estimate = estimate,
    .size = sizeof(rx_optimized),
    .build = build,
    .query = query,
    .rows = rows,
    .gathers_ranges = gathers_ranges,
    .count_rays = count_rays,
    .destroy = destroy,
    .rows_in_order = true,
};
