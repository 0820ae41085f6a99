/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* RTIndex and RTc1 (RTScan, sections 2.2 and 2.3): each column is a line of triangles, scanned by one ray along it or
 * by many across it, and the columns' bitmaps are intersected. The two share their scenes and differ in their rays. */

#include "kernels/bitmap/kernels.h"
#include "kernels/rtc1/kernels.h"
#include "scan/method/ray_matrix.h"

#define MAX_RAYS 16384u       /* across a line: about what the paper casts for 10^8 rows (section 2.3) */
#define ROWS_PER_RAY 32u      /* of small columns */
#define PUBLISHED_RAYS 18000u /* section 2.3: 9 * 10^3 at a selectivity of a half */

typedef struct line {
  uint32_t shift, width; /* width in cells of 2^shift values: even */
  rdx_buffer *rows;      /* of each triangle; NULL: its number */
  rdx_scene *scene;
} line;

typedef struct lines {
  bool along, published;
  uint32_t count;
  uint64_t rows;
  rdx_encoded_column *columns;
  line *lines;
} lines;

/* ---- Preparing ---- */

static rdx_scene_params scene_params(const rdx_rtc1_params *p, uint64_t count) {
  return (rdx_scene_params){.kind = RDX_SCENE_TRIANGLES, .count = count, .preference = p->build, .compact = true};
}

static uint64_t estimate(const rdx_device *device, const rdx_scan_params *params, const rdx_encoded_column *columns,
                         uint32_t count) {
  const rdx_scene_params scene = scene_params(&params->rtc1, columns[0].rows);
  const uint64_t tree = rdx_scene_estimate(device, &scene), triangles = columns[0].rows * 36;
  const uint64_t kept = columns[0].rows * 4 + tree / 2 + (device->info.backend == RDX_BACKEND_CPU ? triangles : 0);
  return tree + triangles + columns[0].rows * 12 + (count - 1) * kept;
}

static void destroy(void *self) {
  lines *l = self;
  for (uint32_t i = 0; i < l->count; i++) {
    rdx_scene_destroy(&l->lines[i].scene);
    rdx_buffer_destroy(&l->lines[i].rows);
  }
  rdx_encoded_columns_release(l->columns, l->count);
  rdx_free(l->lines);
}

static void scale(const rdx_encoded_column *column, uint32_t rays, line *out) {
  const uint64_t last = column->smallest > column->largest ? 0 : column->largest - column->smallest;
  while (last >> out->shift > RTC1_MAX_CELL)
    out->shift++;
  const uint32_t width = ((uint32_t)(last >> out->shift) + 1) / rays / 2 * 2;
  out->width = width < 2 ? 2 : width;
}

static rdx_status build_scene(rdx_device *device, const rdx_encoded_column *column, const rdx_encoding *encoding,
                              const rdx_rtc1_params *params, line *out, rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *triangles = NULL;
  rdx_scene_params scene = scene_params(params, encoding->count);
  RDX_TRY(rdx_buffer_create(device, scene.count * 36, "the triangles of a scene", &triangles, err));
  scene.primitives = triangles;
  const struct rtc1_encode_args args = {.codes = RDX_ADDRESS(uint32_t, column->keys),
                                        .rows = RDX_ADDRESS(uint32_t, encoding->order),
                                        .triangles = RDX_ADDRESS(float, triangles),
                                        .smallest = column->smallest,
                                        .shift = out->shift,
                                        .width = out->width};
  const uint32_t key64 = column->key_bits == 64;
  double ms = 0;
  RDX_TRY(rdx_launch_timed(device, &rdx_kernel_rtc1_encode, &args, &key64, scene.count, "build", &ms, err));
  return rdx_scene_create(device, &scene, &out->scene, err);
}

/* Triangles stand in the order of their values: NULLs, which have none, come last and are left out. */
static rdx_status build_line(rdx_device *device, const rdx_encoded_column *column, const rdx_rtc1_params *params,
                             line *out, rdx_scan_stats *stats, rdx_error *err) {
  const double start = rdx_now_ms();
  RDX_SCOPED(rdx_encoding_destroy) rdx_encoding encoding = {0};
  const uint64_t rays = 1 + column->rows / ROWS_PER_RAY;
  const uint32_t usual = rays < MAX_RAYS ? (uint32_t)rays : MAX_RAYS;
  scale(column, params->rays ? params->rays : params->published ? PUBLISHED_RAYS : usual, out);
  RDX_TRY(rdx_encoding_create(device, column, UINT32_MAX, &encoding, err));
  const double sorted = rdx_now_ms();
  RDX_TRY(build_scene(device, column, &encoding, params, out, err));
  out->rows = rdx_buffer_retain(encoding.order);
  stats->bytes_scene += out->scene->bytes + out->rows->size;
  stats->encode_ms += sorted - start;
  stats->scene_ms += rdx_now_ms() - sorted;
  return RDX_OK;
}

static rdx_status build(lines *l, rdx_device *device, const rdx_rtc1_params *params, const rdx_encoded_column *columns,
                        uint32_t count, rdx_scan_stats *stats, rdx_error *err) {
  const char *name = l->along ? "rtindex" : "rtc1";
  if (params->build > RDX_BUILD_LOW_MEMORY)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: unknown build preference", name);
  if (params->rays > RTC1_MAX_CELL)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: at most %u rays along an axis, not %u", name, RTC1_MAX_CELL,
                    params->rays);
  l->published = params->published;
  l->rows = columns[0].rows;
  RDX_TRY(rdx_calloc(count, sizeof *l->lines, "RTc1", (void **)&l->lines, err));
  RDX_TRY(rdx_encoded_columns_retain(columns, count, &l->columns, err));
  l->count = count;
  for (uint32_t i = 0; i < count; i++)
    RDX_TRY(build_line(device, &columns[i], params, &l->lines[i], stats, err));
  return RDX_OK;
}

/* RTScan, section 2.2 "Utilizing RT Cores for Scan". */
static rdx_status build_rtindex(void *self, rdx_device *device, const rdx_scan_params *params,
                                const rdx_encoded_column *columns, uint32_t count, rdx_scan_stats *stats,
                                rdx_error *err) {
  lines *l = self;
  l->along = true;
  return build(l, device, &params->rtc1, columns, count, stats, err);
}

/* RTScan, section 2.3 "An Attempt to Improve the Scan Performance". */
static rdx_status build_rtc1(void *self, rdx_device *device, const rdx_scan_params *params,
                             const rdx_encoded_column *columns, uint32_t count, rdx_scan_stats *stats, rdx_error *err) {
  return build(self, device, &params->rtc1, columns, count, stats, err);
}

/* ---- Evaluating ---- */

typedef struct evaluation {
  const lines *lines;
  rdx_stream *stream;
  const rdx_scan_call *call;
  rdx_buffer *counters; /* NULL: not wanted */
  uint64_t rays;
} evaluation;

/* One term: rays from its lowest to its highest cell. */
static rdx_status scan_column(evaluation *e, const rdx_term *term, const rdx_sieve_query *query, rdx_buffer *mask,
                              rdx_buffer *out, rdx_error *err) {
  const lines *l = e->lines;
  const line *k = &l->lines[term->column];
  const uint64_t smallest = l->columns[term->column].smallest;
  uint64_t address = 0;
  RDX_TRY(rdx_sieve_query_send(query, e->stream, &address, err));
  RDX_TRY(rdx_stream_fill(e->stream, out, 0, out->size, 0, err));
  for (uint32_t i = 0; i < term->set.count; i++) {
    const uint32_t low = (uint32_t)((term->set.list[i].low - smallest) >> k->shift);
    const uint32_t size = (uint32_t)((term->set.list[i].high - smallest) >> k->shift) - low + 1;
    const struct rtc1_rays_args args = {.query = (uint64_t *)(uintptr_t)address,
                                        .rows = RDX_ADDRESS(uint32_t, k->rows),
                                        .mask = RDX_ADDRESS(uint32_t, mask),
                                        .out_bits = RDX_ADDRESS(uint32_t, out),
                                        .counters = RDX_ADDRESS(uint32_t, e->counters),
                                        .partition_size = (uint32_t)k->scene->partition_size,
                                        .low = low,
                                        .size = size,
                                        .width = k->width,
                                        .along = l->along};
    const uint32_t n = l->along ? 1 : (size + k->width - 1) / k->width;
    RDX_TRY(rdx_stream_launch(e->stream, &rdx_kernel_rtc1_rays, &args, NULL, n, k->scene, err));
    e->rays += n;
  }
  return RDX_OK;
}

/* A column: all rows that it finds, or of `mask` those. */
static rdx_status scan_one(evaluation *e, const rdx_term *term, rdx_buffer *mask, rdx_buffer *out, rdx_error *err) {
  RDX_SCOPED(rdx_sieve_query_destroy) rdx_sieve_query query = {0};
  RDX_TRY(rdx_sieve_query_create(e->lines->columns, term, 1, NULL, NULL, 0, &query, err));
  return scan_column(e, term, &query, mask, out, err);
}

/* RTScan, section 3.2 "merge their results with bitwise AND operations". */
static rdx_status merge_columns(evaluation *e, rdx_error *err) {
  const rdx_scan_call *call = e->call;
  rdx_buffer *out = call->out;
  rdx_buffer *one = NULL;
  if (call->narrow || call->count > 1)
    RDX_TRY(rdx_stream_scratch(e->stream, out->size, "the rows of a column", &one, err));
  for (uint32_t t = 0; t < call->count; t++) {
    const bool merged = call->narrow || t > 0;
    RDX_TRY(scan_one(e, &call->terms[t], NULL, merged ? one : out, err));
    if (merged)
      RDX_TRY(rdx_bitmap_combine(e->stream, BITMAP_AND, out, one, e->lines->rows, err));
  }
  return RDX_OK;
}

/* The columns one after the other; each keeps of the rows so far those that it finds. */
static rdx_status narrow_columns(evaluation *e, rdx_error *err) {
  const rdx_scan_call *call = e->call;
  rdx_buffer *out = call->out;
  rdx_buffer *mask = NULL;
  if (call->narrow || call->count > 1)
    RDX_TRY(rdx_stream_scratch(e->stream, out->size, "a mask of rows", &mask, err));
  for (uint32_t t = 0; t < call->count; t++) {
    const bool masked = call->narrow || t > 0;
    if (masked)
      RDX_TRY(rdx_stream_copy(e->stream, out, 0, mask, 0, out->size, err));
    RDX_TRY(scan_one(e, &call->terms[t], masked ? mask : NULL, out, err));
  }
  return RDX_OK;
}

static rdx_status evaluate(const void *self, rdx_stream *stream, rdx_scan_call *call, rdx_scan_counts *counts,
                           rdx_error *err) {
  const lines *l = self;
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *counters = NULL;
  if (counts)
    RDX_TRY(rdx_counters_create(stream, &counters, err));
  evaluation e = {.lines = l, .stream = stream, .call = call, .counters = counters};
  RDX_TRY(l->published ? merge_columns(&e, err) : narrow_columns(&e, err));
  if (!counts)
    return RDX_OK;
  counts->rays += e.rays;
  counts->bytes += call->count * ((l->rows + 7) / 8);
  return rdx_counters_read(stream, counters, counts, err);
}

/* Bits set: all that a term qualifies. */
static double work(const void *self, const rdx_term *terms, uint32_t count) {
  const lines *l = self;
  double bits = 0;
  for (uint32_t t = 0; t < count; t++)
    bits += rdx_term_selectivity(&terms[t], l->columns[terms[t].column].smallest, l->columns[terms[t].column].largest);
  return bits * (double)l->rows;
}

const rdx_scan_ops rdx_scan_rtindex_ops = {
    .name = "rtindex",
    .size = sizeof(lines),
    .traces_rays = true,
    .estimate = estimate,
    .build = build_rtindex,
    .evaluate = evaluate,
    .work = work,
    .destroy = destroy,
};

const rdx_scan_ops rdx_rtc1_ops = {
    .name = "rtc1",
    .size = sizeof(lines),
    .traces_rays = true,
    .estimate = estimate,
    .build = build_rtc1,
    .evaluate = evaluate,
    .work = work,
    .destroy = destroy,
};
