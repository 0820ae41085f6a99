/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Cubes and matrix rays (RTScan, sections 3.1 and 4.4). */

#include "scan/method/ray_matrix.h"

#include <math.h>

#include "kernels/primitives/kernels.h"

/* ---- Placing ---- */

void rdx_matrix_scene_destroy(rdx_matrix_scene *c) {
  rdx_scene_destroy(&c->scene);
  RDX_DESTROY_BUFFERS(&c->cells, &c->order);
  *c = (rdx_matrix_scene){0};
}

uint64_t rdx_matrix_scene_bytes(const rdx_matrix_scene *c) {
  return c->scene ? c->scene->bytes + c->cells->size + c->order->size : 0;
}

static uint64_t boxes_of(uint64_t rows, uint32_t rows_per_box) {
  return (rows + rows_per_box - 1) / rows_per_box;
}

static rdx_scene_params scene_params(const rdx_matrix_scene_params *params, uint64_t boxes) {
  return (rdx_scene_params){.kind = RDX_SCENE_BOXES, .count = boxes, .preference = params->build, .compact = true};
}

uint64_t rdx_matrix_scene_estimate(const rdx_device *device, uint64_t rows, uint32_t placing,
                                   const rdx_matrix_scene_params *params, uint64_t *kept) {
  const uint64_t boxes = boxes_of(rows, params->rows_per_box);
  const rdx_scene_params scene = scene_params(params, boxes);
  const uint64_t building = rdx_scene_estimate(device, &scene) + boxes * 24, sorting = rows * (12 + placing);
  *kept = rows * 12 + building / 2;
  return rows * 12 + (building > sorting ? building : sorting);
}

/* How positions 0 .. `last` become cells: at most 2^RAY_MATRIX_BITS, the last of which is kept for NULLs by value. */
static void scale(rdx_matrix_scene *c, uint32_t axis, uint64_t last, bool by_value) {
  const uint64_t max = RAY_MATRIX_MASK - by_value;
  while (last >> c->shift[axis] > max)
    c->shift[axis]++;
  while (by_value && last > 0 && c->shift[axis] == 0 && last << (c->spread[axis] + 1) <= max)
    c->spread[axis]++;
  c->used[axis] = (uint32_t)(last >> c->shift[axis] << c->spread[axis]) + 1;
}

/* Cells on the longest axis: one of equal values says nothing of how wide cubes should be. */
static uint32_t longest(const rdx_matrix_scene *c) {
  uint32_t max = 1;
  for (uint32_t axis = 0; axis < c->dimensions; axis++)
    max = c->used[axis] > max ? c->used[axis] : max;
  return max;
}

/* How far rows are apart on an axis, in cells: where positions are uniform, about rows^(1/dimensions) lie along it. */
static double distance_of(const rdx_matrix_scene *c) {
  return longest(c) / pow((double)c->rows, 1.0 / c->dimensions);
}

uint32_t rdx_matrix_scene_rows_per_box(const rdx_device *device) {
  return device->info.backend == RDX_BACKEND_CPU ? 4 : 1;
}

bool rdx_matrix_scene_share_more(rdx_status status, uint32_t asked, uint32_t *rows_per_box) {
  const bool more = status == RDX_ERROR_DEVICE_MEMORY && asked == 0 && *rows_per_box < RDX_MATRIX_SCENE_MAX_SHARED;
  *rows_per_box *= more ? 2 : 1;
  return more;
}

/* RTScan, section 5.1 "the approximate optimal configuration for the ray length". */
uint32_t rdx_matrix_scene_ray_length(const rdx_matrix_scene *c) {
  const double distance = distance_of(c);
  const double length = 5 * distance * distance / c->width;
  return length < (double)(1u << RAY_MATRIX_BITS) ? (uint32_t)length : 1u << RAY_MATRIX_BITS;
}

/* By default two fifths of the distance of rows, about as in section 5.1; where regions are thinner, cubes are as
 * thin as these, for all cubes of a slab are met that is as thick as a cube. Below a quarter rays find too few. */
static double usual_width(const rdx_matrix_scene *c, uint32_t thick) {
  const double distance = distance_of(c), slab = (double)((uint64_t)thick >> c->shift[0]);
  const double max = 0.4 * distance, min = 0.24 * distance;
  return thick == 0 || slab > max ? max : slab < min ? min : slab;
}

static uint32_t width_of(const rdx_matrix_scene *c, const rdx_matrix_scene_params *params) {
  double width = (double)params->width / (double)(1ull << c->shift[0]);
  if (params->per_axis > 0)
    width = (double)longest(c) / params->per_axis;
  else if (params->width == 0)
    width = usual_width(c, params->thick);
  const uint32_t whole = width < RAY_MATRIX_MAX_WIDTH ? (uint32_t)(width + 1) / 2 * 2 : RAY_MATRIX_MAX_WIDTH;
  return whole < 2 ? 2 : whole;
}

static rdx_status place(rdx_stream *stream, const rdx_encoded_column *column, const rdx_encoding *encoding,
                        uint32_t axis, rdx_matrix_scene *c, rdx_error *err) {
  const bool by_value = !encoding, empty = column->smallest > column->largest;
  scale(c, axis, !by_value ? c->rows - 1 : empty ? 0 : column->largest - column->smallest, by_value);
  const struct ray_matrix_place_args args = {.codes = RDX_ADDRESS(uint32_t, column->keys),
                                             .valid = RDX_ADDRESS(uint32_t, column->valid),
                                             .order = by_value ? NULL : RDX_ADDRESS(uint32_t, encoding->order),
                                             .cells = RDX_ADDRESS(uint64_t, c->cells),
                                             .smallest = column->smallest,
                                             .shift = c->shift[axis],
                                             .spread = c->spread[axis],
                                             .axis = axis,
                                             .add = axis > 0};
  const uint32_t variant[2] = {column->key_bits == 64, by_value};
  return rdx_stream_launch(stream, &rdx_kernel_ray_matrix_place, &args, variant, c->rows, NULL, err);
}

/* Rows in the order of the Morton codes of their cells: neighbours share boxes, and a scene builder that keeps its
 * input's order gets a good one. */
static rdx_status sort_cubes(rdx_device *device, const rdx_encoded_column *columns, const rdx_encoding *encodings,
                             rdx_matrix_scene *c, rdx_error *err) {
  RDX_TRY(rdx_buffer_create(device, c->rows * 8, "the cells of rows", &c->cells, err));
  RDX_TRY(rdx_buffer_create(device, c->rows * 4, "the rows of cubes", &c->order, err));
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(rdx_stream_create_for(device, "build", &stream, err));
  RDX_TRY(rdx_primitive_iota(stream, c->order, c->rows, err));
  for (uint32_t axis = 0; axis < c->dimensions; axis++)
    RDX_TRY(place(stream, &columns[c->columns[axis]], encodings ? &encodings[c->columns[axis]] : NULL, axis, c, err));
  RDX_TRY(rdx_stream_sort(stream, c->cells, 8, 3 * RAY_MATRIX_BITS, c->order, c->rows, err));
  return rdx_stream_finish(stream, err);
}

static rdx_status build_scene(rdx_device *device, const rdx_matrix_scene_params *params, rdx_matrix_scene *c,
                              rdx_error *err) {
  const uint64_t boxes = boxes_of(c->rows, c->rows_per_box);
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *primitives = NULL;
  RDX_TRY(rdx_buffer_create(device, boxes * 24, "the boxes of a scene", &primitives, err));
  const struct ray_matrix_box_args args = {.cells = RDX_ADDRESS(uint64_t, c->cells),
                                           .boxes = RDX_ADDRESS(float, primitives),
                                           .rows = (uint32_t)c->rows,
                                           .rows_per_box = c->rows_per_box,
                                           .width = c->width};
  double ms = 0;
  RDX_TRY(rdx_launch_timed(device, &rdx_kernel_ray_matrix_box, &args, NULL, boxes, "build", &ms, err));
  rdx_scene_params scene = scene_params(params, boxes);
  scene.primitives = primitives;
  return rdx_scene_create(device, &scene, &c->scene, err);
}

static rdx_status create_parts(rdx_device *device, const rdx_encoded_column *columns, rdx_encoding *encodings,
                               const rdx_matrix_scene_params *params, rdx_matrix_scene *c, rdx_scan_stats *stats,
                               rdx_error *err) {
  const double start = rdx_now_ms();
  RDX_TRY(sort_cubes(device, columns, encodings, c, err));
  for (uint32_t axis = 0; axis < c->dimensions && encodings; axis++)
    rdx_buffer_destroy(&encodings[c->columns[axis]].order);
  c->width = width_of(c, params);
  RDX_TRY(build_scene(device, params, c, err));
  stats->scene_ms += rdx_now_ms() - start;
  return RDX_OK;
}

rdx_status rdx_matrix_scene_create(rdx_device *device, const rdx_matrix_axes *axes,
                                   const rdx_matrix_scene_params *params, rdx_matrix_scene *out, rdx_scan_stats *stats,
                                   rdx_error *err) {
  *out = (rdx_matrix_scene){.dimensions = axes->dimensions,
                            .rows = axes->columns[axes->which[0]].rows,
                            .rows_per_box = params->rows_per_box,
                            .insist = params->insist};
  for (uint32_t axis = 0; axis < axes->dimensions; axis++)
    out->columns[axis] = axes->which[axis];
  if (out->rows == 0)
    return RDX_OK;
  const rdx_status status = create_parts(device, axes->columns, axes->encodings, params, out, stats, err);
  if (status != RDX_OK)
    rdx_matrix_scene_destroy(out);
  return status;
}

/* ---- Regions ---- */

rdx_cells rdx_matrix_scene_cells(const rdx_matrix_scene *c, uint32_t axis, uint64_t begin, uint64_t end) {
  return (rdx_cells){(uint32_t)(begin >> c->shift[axis]) << c->spread[axis],
                     ((uint32_t)((end - 1) >> c->shift[axis]) << c->spread[axis]) + 1};
}

/* Cubes of evenly spread rows that reach into a region. */
static double hits_of(const rdx_matrix_scene *c, const rdx_cells sides[3]) {
  double hits = (double)c->rows;
  for (uint32_t k = 0; k < c->dimensions; k++) {
    const double part = ((double)(sides[k].end - sides[k].begin) + c->width) / c->used[k];
    hits *= part < 1 ? part : 1;
  }
  return hits;
}

/* RTScan, section 4.4.5 "RTScan for One or Two Predicates". */
/* RTScan, section 4.4.5 "The ray length equals the cube width". */
/* RTScan, Figure 14 "RTScan on two conj. predicates". */
static void add_region(rdx_regions *r, const rdx_matrix_scene *c, const rdx_ray_matrix *matrix,
                       const rdx_cells sides[3]) {
  const bool flat = matrix->flat && c->dimensions < 3;
  struct ray_matrix_region region = {.start = (uint32_t)r->rays, .axis = 2};
  for (uint32_t k = 0; k < 3; k++) {
    region.low[k] = sides[k].begin;
    region.size[k] = sides[k].end - sides[k].begin;
    if (!matrix->along_z && !flat && region.size[k] > region.size[region.axis])
      region.axis = k;
  }
  if (flat) /* rays reach from inside of the first cube to the far one's near face: a cube's width */
    region.size[2] = 2 * c->width - 1;
  uint64_t rays = ray_matrix_along(region.size[region.axis], c->width, matrix->length, matrix->spacing);
  for (uint32_t k = 0; k < 2; k++) {
    region.across[k] = ray_matrix_across(region.size[(region.axis + 1 + k) % 3], c->width, matrix->interval);
    rays *= region.across[k];
  }
  r->hits += hits_of(c, sides);
  if (r->regions)
    r->regions[r->count] = region;
  r->count++;
  r->rays += rays;
}

void rdx_regions_add(rdx_regions *regions, const rdx_matrix_scene *cubes, const rdx_ray_matrix *matrix,
                     const rdx_cells_list lists[3]) {
  for (uint32_t x = 0; x < lists[0].count; x++)
    for (uint32_t y = 0; y < lists[1].count; y++)
      for (uint32_t z = 0; z < lists[2].count; z++)
        add_region(regions, cubes, matrix,
                   (const rdx_cells[3]){lists[0].cells[x], lists[1].cells[y], lists[2].cells[z]});
}

/* ---- Rays ---- */

rdx_status rdx_counters_create(rdx_stream *stream, rdx_buffer **out, rdx_error *err) {
  RDX_TRY(rdx_buffer_create(stream->device, RAY_MATRIX_STRIPES * 2 * 4, "counters", out, err));
  const rdx_status status = rdx_stream_fill(stream, *out, 0, (*out)->size, 0, err);
  if (status != RDX_OK)
    rdx_buffer_destroy(out);
  return status;
}

rdx_status rdx_counters_read(rdx_stream *stream, const rdx_buffer *counters, rdx_scan_counts *counts, rdx_error *err) {
  uint32_t values[RAY_MATRIX_STRIPES * 2];
  RDX_TRY(rdx_stream_finish(stream, err));
  RDX_TRY(rdx_buffer_download(counters, 0, values, sizeof values, err));
  for (uint32_t i = 0; i < RAY_MATRIX_STRIPES; i++) {
    counts->rays_hit += values[2 * i];
    counts->intersections += values[2 * i + 1];
  }
  return RDX_OK;
}

/* Nobody asks for rays beyond this: cubes as wide as usual take fewer than there are rows. */
#define RAYS_A_ROW 64
#define RAYS_ANYWAY (1u << 22) /* about a second of a CPU */

static rdx_status check_rays(const rdx_matrix_scene *c, uint64_t rays, rdx_error *err) {
  const char *advice = "lower rays (rtc3), or raise cube_width, ray_length, interval or spacing (rtscan)";
  if (rays > UINT32_MAX)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "a query needs %llu rays, more than 2^32 - 1: %s",
                    (unsigned long long)rays, advice);
  if (!c->insist && rays > RAYS_ANYWAY && rays / RAYS_A_ROW > c->rows)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "a query needs %llu rays for %llu rows: %s, or insist",
                    (unsigned long long)rays, (unsigned long long)c->rows, advice);
  return RDX_OK;
}

/* RTScan, section 4.4 "Matrix RT Refine". */
rdx_status rdx_ray_matrix_trace(const rdx_matrix_scene *c, const rdx_ray_matrix *matrix,
                                const rdx_ray_matrix_launch *launch, rdx_stream *stream, rdx_error *err) {
  RDX_TRY(check_rays(c, launch->rays, err));
  const struct ray_matrix_rays_args args = {.query = (uint64_t *)(uintptr_t)launch->query,
                                            .cells = RDX_ADDRESS(uint64_t, c->cells),
                                            .rows = RDX_ADDRESS(uint32_t, c->order),
                                            .mask = RDX_ADDRESS(uint32_t, launch->mask),
                                            .out_bits = RDX_ADDRESS(uint32_t, launch->out),
                                            .counters = RDX_ADDRESS(uint32_t, launch->counters),
                                            .regions = launch->regions_place,
                                            .region_count = launch->region_count,
                                            .term_count = launch->term_count,
                                            .entries = (uint32_t)c->rows,
                                            .rows_per_box = c->rows_per_box,
                                            .partition_size = (uint32_t)c->scene->partition_size,
                                            .width = c->width,
                                            .interval = matrix->interval,
                                            .ray_length = matrix->length,
                                            .spacing = matrix->spacing};
  return rdx_stream_launch(stream, &rdx_kernel_ray_matrix_rays, &args, NULL, launch->rays, c->scene, err);
}
