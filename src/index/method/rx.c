/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* RX (RTIndeX): a primitive per key in a scene, a ray per lookup. */

#include "index/index.h"
#include "column/keys.h"
#include "index/method/rx_encoding.h"
#include "index/method/segments.h"
#include "index/method/sorted_keys.h"
#include "kernels/primitives/kernels.h"

/* Rows that the keys of a published index may span for ranges to be answered: rays of one, at most. */
#define MAX_ROWS (1u << 12)

typedef struct rx {
  rdx_device *device;
  rdx_rx_params params; /* defaults resolved */
  uint32_t key_bits;
  uint32_t scheme;
  uint64_t zero;
  uint64_t count;
  bool distinct, long_runs;
  uint64_t min_key, max_key; /* less zero; min > max for an empty index */
  uint64_t segment_count;
  rdx_buffer *rows;     /* of each primitive; NULL: its number */
  rdx_buffer *keys;     /* of each primitive; NULL where no lookup needs them */
  rdx_buffer *segments; /* NULL: not listed */
  rdx_buffer *state;    /* struct rx_state */
  rdx_scene *scene;
} rx;

/* ---- Options ---- */

/* RX, Table 2 "respective ray parameters". */
static rdx_status resolve_rays(rdx_rx_params *p, rdx_error *err) {
  const bool extended = p->key_mode == RDX_RX_KEY_EXTENDED;
  if (p->point_ray == RDX_RX_RAY_DEFAULT)
    p->point_ray = RDX_RX_RAY_PERPENDICULAR;
  if (p->range_ray == RDX_RX_RAY_DEFAULT)
    p->range_ray = extended ? RDX_RX_RAY_PARALLEL_FROM_ZERO : RDX_RX_RAY_PARALLEL_FROM_OFFSET;
  if (p->point_ray > RDX_RX_RAY_PARALLEL_FROM_ZERO || p->range_ray > RDX_RX_RAY_PARALLEL_FROM_ZERO)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rx: unknown ray");
  if (p->range_ray == RDX_RX_RAY_PERPENDICULAR)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rx: a perpendicular ray meets one key; range lookups need parallel rays");
  if (extended && (p->point_ray == RDX_RX_RAY_PARALLEL_FROM_OFFSET || p->range_ray == RDX_RX_RAY_PARALLEL_FROM_OFFSET))
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "rx: in extended key mode f32 is too coarse for rays from an offset; use rays from zero");
  return RDX_OK;
}

/* RX, section 3.2 "Naive Mode". */
static rdx_status resolve_bits(rdx_rx_params *p, rdx_error *err) {
  if (p->key_mode != RDX_RX_KEY_3D && (p->x_bits != 0 || p->y_bits != 0 || p->z_bits != 0))
    return rdx_fail(err, RDX_ERROR_ARGUMENT,
                    "rx: bits of x, y and z are for key mode 3d; %s keys lie along x alone: leave the bits out",
                    p->key_mode == RDX_RX_KEY_NAIVE ? "naive" : "extended");
  if (p->key_mode == RDX_RX_KEY_NAIVE) {
    p->x_bits = 23;
  } else if (p->x_bits == 0 && p->y_bits == 0 && p->z_bits == 0) {
    p->x_bits = p->y_bits = 23;
    p->z_bits = 18;
  }
  if (p->x_bits > 23 || p->y_bits > 23 || p->z_bits > 23)
    return rdx_fail(err, RDX_ERROR_ARGUMENT,
                    "rx: an axis has at most 23 bits, since f32 has no exact halves beyond; got x %u, y %u, z %u",
                    p->x_bits, p->y_bits, p->z_bits);
  return RDX_OK;
}

static rdx_status resolve(const rdx_device *device, rdx_rx_params *p, rdx_error *err) {
  if (p->key_mode > RDX_RX_KEY_EXTENDED || p->primitive > RDX_RX_BOX || p->build > RDX_BUILD_LOW_MEMORY)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rx: unknown key mode, primitive or build preference");
  if (p->key_mode == RDX_RX_KEY_EXTENDED && p->primitive == RDX_RX_SPHERE)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "rx: in extended key mode the gaps are too small for spheres; use triangles or boxes");
  if (p->primitive == RDX_RX_PRIMITIVE_DEFAULT)
    p->primitive = RDX_RX_TRIANGLE;
  if (p->published) {
    p->always_any_hit = true;
    p->build = p->build == RDX_BUILD_DEFAULT ? RDX_BUILD_FAST_TRACE : p->build;
  }
  RDX_TRY(rdx_check_compaction("rx", device, p->compaction, err));
  RDX_TRY(resolve_bits(p, err));
  return resolve_rays(p, err);
}

/* RX, section 3.4 "decomposition". */
static uint32_t make_scheme(const rdx_device *device, const rdx_rx_params *p) {
  const uint32_t x = p->x_bits, y = p->y_bits, z = p->z_bits;
  const bool whole = p->published || p->range_ray == RDX_RX_RAY_PARALLEL_FROM_ZERO;
  const uint32_t segment = x < SEGMENT_BITS || whole ? x : SEGMENT_BITS;
  if (p->key_mode == RDX_RX_KEY_EXTENDED)
    return RX_SCHEME(127u + device->coordinate_exponent - EXTENDED_OCTAVES, y, z, 1u, (uint32_t)EXTENDED_BITS);
  return RX_SCHEME(x, y, z, 0u, segment);
}

/* Hits are compared with their exact keys where geometry alone does not decide: see kernels/rx/rx.h. */
static bool verifies(const rdx_rx_params *p, bool range) {
  const rdx_rx_ray ray = range ? p->range_ray : p->point_ray;
  return p->key_mode == RDX_RX_KEY_EXTENDED || ray == RDX_RX_RAY_PARALLEL_FROM_ZERO || (range && p->published);
}

static bool needs_keys(const rdx_rx_params *p) {
  return verifies(p, false) || verifies(p, true) || p->primitive != RDX_RX_TRIANGLE;
}

/* ---- Building ---- */

static void destroy(void *self) {
  rx *r = self;
  rdx_scene_destroy(&r->scene);
  RDX_DESTROY_BUFFERS(&r->rows, &r->keys, &r->segments, &r->state);
}

static rdx_scene_params scene_params(const rdx_rx_params *p, uint64_t count) {
  return (rdx_scene_params){.kind = p->primitive == RDX_RX_TRIANGLE ? RDX_SCENE_TRIANGLES : RDX_SCENE_BOXES,
                            .count = count,
                            .partitions = p->partitions,
                            .preference = p->build,
                            .updatable = p->updatable,
                            .compact = p->compaction != RDX_SWITCH_OFF,
                            .single_any_hit = !p->duplicate_any_hit,
                            .splits = p->duplicate_any_hit};
}

/* Up to so many triangles a GPU builds as fast in any order. (An H100 takes 0.26 s for 2^28 in the order of their keys,
 * 2.7 s in any.) */
#define MAX_UNORDERED (1ull << 26)

/* Whether primitives stand in the order of their keys: scene parts hold contiguous ranges, and a builder that keeps the
 * input's order needs it to be good. */
static bool wants_order(const rdx_device *device, const rdx_rx_params *p, uint64_t count) {
  return device->keeps_build_order || p->partitions > 1 || count > MAX_UNORDERED ||
         (p->partitions == 0 && count > device->info.max_primitives);
}

static uint64_t primitive_bytes(const rdx_rx_params *p) {
  return p->primitive == RDX_RX_TRIANGLE ? 36 : 24;
}

static uint64_t estimate(const rdx_device *device, const rdx_index_params *params, uint64_t count, uint32_t key_bits) {
  rdx_rx_params p = params->rx;
  if (resolve(device, &p, NULL) != RDX_OK) /* build() will say so */
    return 0;
  const rdx_scene_params scene = scene_params(&p, count);
  const uint64_t keys = count * (key_bits / 8), kept = needs_keys(&p) ? keys : 0;
  const uint64_t ordered = wants_order(device, &p, count) ? count * 4 + keys - kept : 0; /* stay meanwhile */
  const uint64_t sorting = 2 * (keys + count * 4) + rdx_device_sort_bytes(device, count, key_bits / 8),
                 tracing = ordered + rdx_scene_source_bytes(device, &scene) + rdx_scene_estimate(device, &scene);
  return kept + (sorting > tracing ? sorting : tracing);
}

static uint64_t key_at(uint32_t key_bits, const void *word) {
  return key_bits == 64 ? *(const uint64_t *)word : *(const uint32_t *)word;
}

/* A key that the scheme has no point for is refused with the key mode's limit. */
static rdx_status check_keys(const rx *r, rdx_type type, uint64_t smallest, uint64_t largest, rdx_error *err) {
  if (smallest >= r->zero && rx_representable(largest - r->zero, r->scheme))
    return RDX_OK;
  const char *mode = r->params.key_mode == RDX_RX_KEY_NAIVE      ? "naive"
                     : r->params.key_mode == RDX_RX_KEY_EXTENDED ? "extended"
                                                                 : "3D";
  const uint32_t bits = rx_key_bits(r->scheme);
  if (smallest < r->zero)
    return rdx_fail(err, RDX_ERROR_RANGE, "rx: %s key mode holds keys from 0 to 2^%u - 1; a %s key is below 0", mode,
                    bits, rdx_type_name(type));
  return rdx_fail(
      err, RDX_ERROR_RANGE,
      "rx: %s key mode (x %u, y %u, z %u bits) holds keys from 0 to 2^%u - 1; the largest %s key is %llu (as an "
      "order-preserving code less that of 0)",
      mode, r->params.x_bits, r->params.y_bits, r->params.z_bits, bits, rdx_type_name(type),
      (unsigned long long)(largest - r->zero));
}

/* Learn what sorted keys tell: bounds, duplicates, and which segments hold keys. */
static rdx_status survey(rx *r, rdx_type type, rdx_buffer *sorted, rdx_stream *stream, rdx_error *err) {
  const uint32_t bytes = r->key_bits / 8;
  uint64_t first = 0, last = 0, unique = 0;
  RDX_TRY(rdx_buffer_download(sorted, 0, &first, bytes, err));
  RDX_TRY(rdx_buffer_download(sorted, (r->count - 1) * bytes, &last, bytes, err));
  first = key_at(r->key_bits, &first);
  last = key_at(r->key_bits, &last);
  RDX_TRY(rdx_returned_number(r->device, last, first, UINT64_MAX, "the largest key", err));
  RDX_TRY(check_keys(r, type, first, last, err));
  r->min_key = first - r->zero;
  r->max_key = last - r->zero;

  /* Keys are not shifted by zero: only 3D mode, where zero is 0, has segments enough to list. */
  const rdx_ascending_keys all = {sorted, r->key_bits, r->count, r->min_key, r->max_key};
  if (!r->params.published)
    RDX_TRY(rdx_segments_list(&all, rx_segment_shift(r->scheme), &r->segments, &r->segment_count, err));
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *number = NULL;
  RDX_TRY(rdx_buffer_create(r->device, 8, "a count", &number, err));
  RDX_TRY(rdx_stream_unique(stream, sorted, bytes, 0, NULL, number, r->count, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  RDX_TRY(rdx_buffer_number(number, 0, 1, r->count, "the distinct keys", &unique, err));
  r->distinct = unique == r->count;
  return rdx_find_long_runs(stream, sorted, r->key_bits, r->count, unique, &r->long_runs, err);
}

/* RX, section 2.1 "must correspond to its rowID". */
/* Sort a copy of the keys to survey them. Where the scene wants its primitives in order, `*in_order` is that copy and
 * rows are set accordingly; else it is NULL. */
static rdx_status sort_keys(rx *r, const rdx_key_set *keys, bool order, rdx_buffer **in_order, rdx_error *err) {
  const uint64_t bytes = r->count * (r->key_bits / 8);
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *sorted = NULL;
  RDX_TRY(rdx_stream_create_for(r->device, "build", &stream, err));
  RDX_TRY(rdx_buffer_create(r->device, bytes, "a sorted copy of the keys", &sorted, err));
  RDX_TRY(rdx_stream_copy(stream, keys->keys, 0, sorted, 0, bytes, err));
  if (order) {
    RDX_TRY(rdx_buffer_create(r->device, r->count * 4, "the rows of primitives", &r->rows, err));
    RDX_TRY(keys->rows ? rdx_stream_copy(stream, keys->rows, 0, r->rows, 0, r->count * 4, err)
                       : rdx_primitive_iota(stream, r->rows, r->count, err));
  } else if (keys->rows) {
    r->rows = rdx_buffer_retain(keys->rows);
  }
  RDX_TRY(rdx_stream_sort(stream, sorted, r->key_bits / 8, r->key_bits, order ? r->rows : NULL, r->count, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  RDX_TRY(survey(r, keys->type, sorted, stream, err));
  if (order)
    *in_order = RDX_KEEP(sorted);
  return RDX_OK;
}

static rdx_rx_encoding encoding_of(const rx *r, const rdx_buffer *keys) {
  return (rdx_rx_encoding){.keys = keys,
                           .key_bits = r->key_bits,
                           .boxes = r->params.primitive != RDX_RX_TRIANGLE,
                           .zero = r->zero,
                           .scheme = r->scheme};
}

/* What the kernels read of this index. */
static rdx_status upload_state(rx *r, rdx_error *err) {
  const struct rx_state state = {.keys = RDX_ADDRESS(uint32_t, r->keys),
                                 .segments = RDX_ADDRESS(uint64_t, r->segments),
                                 .min_key = r->min_key,
                                 .max_key = r->max_key,
                                 .segment_count = (uint32_t)r->segment_count};
  if (!r->state)
    RDX_TRY(rdx_buffer_create(r->device, sizeof state, "an index", &r->state, err));
  return rdx_buffer_upload(r->state, 0, &state, sizeof state, err);
}

static void fill_stats(const rx *r, rdx_index_stats *stats) {
  stats->distinct = r->distinct;
  stats->long_runs = r->long_runs;
  stats->partitions = r->scene->partitions;
  stats->bytes_scene = r->scene->bytes;
  stats->bytes_scene_built = r->scene->bytes_built;
  stats->scene_ms = r->scene->build_ms;
  stats->compact_ms = r->scene->compact_ms;
  stats->bytes_resident = r->scene->bytes + r->state->size + (r->rows ? r->rows->size : 0) +
                          (r->keys ? r->keys->size : 0) + (r->segments ? r->segments->size : 0);
}

/* RX, section 3.4 "RX uses the decomposition". */
/* Without RT cores scenes of sparse keys are walked faster where the axes are about as long as each other: sorted
 * lookups by 5% on an H100, by 16 to 80% with Embree. Rays along x lose nothing, as they are cut at that length anyway.
 * Dense keys lie in few rows, through which rays go best where they are longest. */
static void choose_bits(rx *r, bool dense) {
  rdx_rx_params *p = &r->params;
  if (dense || r->device->info.tracing == RDX_TRACING_HARDWARE || p->range_ray == RDX_RX_RAY_PARALLEL_FROM_ZERO)
    return;
  p->x_bits = SEGMENT_BITS;
  p->y_bits = p->z_bits = 22;
  r->scheme = make_scheme(r->device, p);
}

/* RX, Figure 1 "high-level principle of the approach". */
static rdx_status build_scene(rx *r, const rdx_key_set *keys, bool choose, rdx_index_stats *stats, rdx_error *err) {
  rdx_scene_params params = scene_params(&r->params, r->count);
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *in_order = NULL;
  if (r->count > 0) {
    const double start = rdx_now_ms();
    RDX_TRY(sort_keys(r, keys, wants_order(r->device, &r->params, r->count), &in_order, err));
    stats->sort_ms = rdx_now_ms() - start;
  }
  const bool dense = (r->max_key - r->min_key) / 8 < r->count;
  if (choose)
    choose_bits(r, dense);
  params.preference = rdx_device_build_preference(r->device, r->params.build, dense);
  rdx_rx_encoding e = encoding_of(r, in_order ? in_order : keys->keys);
  if (needs_keys(&r->params))
    r->keys = rdx_buffer_retain(in_order ? in_order : keys->keys);
  params.source = (rdx_scene_source){rdx_rx_encode, &e};
  RDX_TRY(rdx_scene_create(r->device, &params, &r->scene, err));
  stats->encode_ms = e.ms;
  rdx_buffer_destroy(&in_order);
  RDX_TRY(upload_state(r, err));
  fill_stats(r, stats);
  return RDX_OK;
}

static rdx_status build(void *self, const rdx_key_set *keys, const rdx_index_params *params, rdx_index_stats *stats,
                        rdx_error *err) {
  rdx_rx_params resolved = params->rx;
  RDX_TRY(resolve(keys->device, &resolved, err));
  rx *r = self;
  r->device = keys->device;
  r->params = resolved;
  r->key_bits = keys->key_bits;
  r->count = keys->count;
  r->distinct = true;
  r->min_key = 1; /* no key is between 1 and 0 */
  r->zero = resolved.key_mode == RDX_RX_KEY_3D ? 0 : rdx_key_zero(keys->type);
  r->scheme = make_scheme(r->device, &resolved);
  const rdx_rx_params *asked = &params->rx;
  const bool choose = resolved.key_mode == RDX_RX_KEY_3D && asked->x_bits == 0 && asked->y_bits == 0 &&
                      asked->z_bits == 0 && !asked->published;
  return build_scene(r, keys, choose, stats, err);
}

/* The keys of a column in the order of the primitives. */
static rdx_status keys_of_primitives(rx *r, const rdx_device_column *column, rdx_buffer **out, rdx_error *err) {
  if (!r->rows) {
    *out = rdx_buffer_retain(column->keys);
    return RDX_OK;
  }
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *keys = NULL;
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(rdx_buffer_create(r->device, r->count * (r->key_bits / 8), "the keys of primitives", &keys, err));
  RDX_TRY(rdx_stream_create_for(r->device, "build", &stream, err));
  RDX_TRY(rdx_primitive_gather(stream, RDX_ADDRESS(uint32_t, column->keys), r->rows, r->key_bits, keys, r->count, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  *out = RDX_KEEP(keys);
  return RDX_OK;
}

/* Move the primitives of `r` to the keys of `moved`, which shares its rows; the old state stays whole until the scene
 * has moved. */
static rdx_status refit_scene(rx *r, rx *moved, const rdx_device_column *column, rdx_index_stats *stats,
                              rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *keys = NULL, *primitives = NULL, *ignored = NULL;
  const double start = rdx_now_ms();
  RDX_TRY(keys_of_primitives(r, column, &keys, err));
  const rdx_key_set set = {
      .device = r->device, .type = column->type, .key_bits = r->key_bits, .count = r->count, .keys = keys};
  if (r->count > 0)
    RDX_TRY(sort_keys(moved, &set, false, &ignored, err));
  stats->sort_ms = rdx_now_ms() - start;
  rdx_rx_encoding e = encoding_of(r, keys);
  RDX_TRY(rdx_buffer_create(r->device, r->count * primitive_bytes(&r->params), "the primitives of a scene", &primitives,
                            err));
  RDX_TRY(rdx_rx_encode(&e, 0, r->count, primitives, err));
  stats->encode_ms = e.ms;
  if (needs_keys(&r->params))
    moved->keys = rdx_buffer_retain(keys);
  RDX_TRY(upload_state(moved, err));
  return rdx_scene_refit(r->scene, primitives, err);
}

/* RX, section 3.6 "in-place updates to bounding volume hierarchies". */
static rdx_status refit(void *self, const rdx_device_column *column, rdx_index_stats *stats, rdx_error *err) {
  rx *r = self;
  if (!r->params.updatable)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "rx: this index was not built to be refitted; build it with `updatable`, or rebuild");
  rx moved = *r;
  moved.keys = moved.segments = moved.state = moved.rows = NULL;
  moved.segment_count = 0;
  rdx_status status = refit_scene(r, &moved, column, stats, err);
  rx *old = status == RDX_OK ? r : &moved;
  RDX_DESTROY_BUFFERS(&old->keys, &old->segments, &old->state);
  if (status == RDX_OK) {
    moved.rows = r->rows;
    *r = moved;
    fill_stats(r, stats);
    stats->compact_ms = 0;
  }
  return status;
}

/* ---- Lookups ---- */

static const char *refuse(const void *self, bool range, bool idempotent) {
  const rx *r = self;
  if (r->params.duplicate_any_hit && !idempotent && (range || !r->distinct || r->params.always_any_hit))
    return "rx: this index was built to let the driver report a hit twice (duplicate_any_hit), so only point lookups "
           "of distinct keys and first rows are exact; build it without";
  const uint32_t shift = rx_segment_shift(r->scheme);
  if (range && r->params.published && r->max_key >= r->min_key &&
      (r->max_key >> shift) - (r->min_key >> shift) > MAX_ROWS)
    return "rx: as published a range casts a ray along every row between its bounds, and these keys span more than "
           "2^12 rows; build it without published, which visits only rows that hold keys";
  return NULL;
}

static rdx_status query(const void *self, rdx_stream *stream, const rdx_index_query *q, rdx_error *err) {
  const rx *r = self;
  const rdx_rx_ray ray = q->upper ? r->params.range_ray : r->params.point_ray;
  const bool perpendicular = ray == RDX_RX_RAY_PERPENDICULAR;
  const struct rx_args args = {RDX_LOOKUP_FIELDS(q),
                               .state = RDX_ADDRESS(rx_state, r->state),
                               .zero = r->zero,
                               .rows = RDX_ADDRESS(uint32_t, r->rows),
                               .partition_size = (uint32_t)r->scene->partition_size,
                               .scheme = r->scheme};
  const bool first_hit = q->gather == GATHER_ANY || (!q->upper && r->distinct && !r->params.always_any_hit);
  const bool verify = verifies(&r->params, q->upper != NULL);
  const uint32_t variant[RX_CONSTANTS] = {
      r->key_bits == 64,
      q->gather,
      q->value,
      verify,
      ray == RDX_RX_RAY_PARALLEL_FROM_ZERO,
      first_hit,
      r->params.primitive,
      (q->gather == GATHER_COUNT && !q->io.out_first) || q->gather == GATHER_ANY,
  };
  const bool boxes = r->params.primitive != RDX_RX_TRIANGLE;
  const rdx_kernel *kernel = perpendicular ? (boxes ? &rdx_kernel_rx_point_boxes : &rdx_kernel_rx_point)
                                           : (boxes ? &rdx_kernel_rx_range_boxes : &rdx_kernel_rx_range);
  /* On CPUs it takes the nearest of all hits, of which there may be many. */
  const bool single = r->distinct || r->device->info.backend != RDX_BACKEND_CPU;
  if (kernel == &rdx_kernel_rx_point && first_hit && !verify && single)
    kernel = &rdx_kernel_rx_single;
  return rdx_stream_launch(stream, kernel, &args, variant, q->count, r->scene, err);
}

static rdx_status count_rays(const void *self, rdx_stream *stream, const rdx_index_query *q, rdx_error *err) {
  const rx *r = self;
  const struct rx_rays_args args = {.lower = q->lower,
                                    .upper = q->upper,
                                    .valid = q->valid,
                                    .out_rays = q->io.out_count,
                                    .state = RDX_ADDRESS(rx_state, r->state),
                                    .zero = r->zero,
                                    .scheme = r->scheme};
  const rdx_rx_ray ray = q->upper ? r->params.range_ray : r->params.point_ray;
  const uint32_t variant[2] = {r->key_bits == 64, ray == RDX_RX_RAY_PERPENDICULAR};
  return rdx_stream_launch(stream, &rdx_kernel_rx_rays, &args, variant, q->count, NULL, err);
}

const rdx_index_ops rdx_rx_ops = {
    .name = "rx",
    .estimate = estimate,
    .size = sizeof(rx),
    .build = build,
    .query = query,
    .count_rays = count_rays,
    .refit = refit,
    .refuse = refuse,
    .destroy = destroy,
};
