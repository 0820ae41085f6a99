/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* RTc3 (RTScan, section 3.1): rows are cubes at the values of up to three columns, and rays along z fill the cuboid of
 * a conjunction. The box program checks all terms, so that of several groups of columns only the one with the fewest
 * rays is traced. */

#include <math.h>

#include "kernels/bitmap/kernels.h"
#include "scan/method/ray_matrix.h"

#define MAX_TERMS 8
#define INTERVALS 2u /* of a term: <> has two */

/* Rays that a GPU works on at a time, and some more lest it waits for the longest. */
#define ENOUGH_RAYS 0x80000u

typedef struct rtc3 {
  rdx_rtc3_params params; /* defaults resolved */
  bool cuts_rays;
  uint32_t count, groups;
  uint64_t rows;
  rdx_encoded_column *columns;
  rdx_matrix_scene *group;
} rtc3;

/* ---- Preparing ---- */

static rdx_status resolve(rdx_rtc3_params *p, rdx_error *err) {
  p->group = p->group ? p->group : 3;
  p->rows_per_box = p->rows_per_box || !p->published ? p->rows_per_box : 1;
  if (p->group > 3 || p->rows_per_box > 256 || p->rays == 1 || p->rays > RAY_MATRIX_MAX_WIDTH ||
      p->build > RDX_BUILD_LOW_MEMORY)
    return rdx_fail(err, RDX_ERROR_ARGUMENT,
                    "rtc3: groups have 1 to 3 columns, boxes 1 to 256 rows, axes 2 to %u rays; got %u, %u, %u, or "
                    "another build preference",
                    RAY_MATRIX_MAX_WIDTH, p->group, p->rows_per_box, p->rays);
  return RDX_OK;
}

/* RTScan, section 3.2 "the ray interval is set as". */
/* By default rays are nearly as far apart as rows: 300 to an axis for 10^8 rows, where the paper has 400. */
static rdx_matrix_scene_params scene_params_of(const rdx_rtc3_params *p, uint64_t rows, uint32_t dimensions) {
  const double rays = p->published ? 400 * cbrt((double)rows * 1e-8) : 0.645 * pow((double)rows, 1.0 / dimensions);
  const uint32_t max = RAY_MATRIX_MAX_WIDTH, usual = rays < max ? 1 + (uint32_t)rays : max;
  return (rdx_matrix_scene_params){
      .rows_per_box = p->rows_per_box, .per_axis = p->rays ? p->rays : usual, .insist = p->insist, .build = p->build};
}

static uint64_t need(const rdx_device *device, const rdx_rtc3_params *p, uint64_t rows, uint32_t count) {
  const rdx_matrix_scene_params cubes = scene_params_of(p, rows, p->group);
  uint64_t kept = 0;
  const uint64_t peak = rdx_matrix_scene_estimate(device, rows, 0, &cubes, &kept);
  return peak + (count - 1) / p->group * kept;
}

/* By default rows share boxes where memory is too small for fewer. */
static void share_boxes(const rdx_device *device, uint64_t rows, uint32_t count, rdx_rtc3_params *p) {
  if (p->rows_per_box > 0)
    return;
  p->rows_per_box = rdx_matrix_scene_rows_per_box(device);
  while (p->rows_per_box < RDX_MATRIX_SCENE_MAX_SHARED &&
         need(device, p, rows, count) + rdx_bitmap_bytes(rows) > rdx_device_memory_left(device))
    p->rows_per_box *= 2;
}

static uint64_t estimate(const rdx_device *device, const rdx_scan_params *params, const rdx_encoded_column *columns,
                         uint32_t count) {
  rdx_rtc3_params p = params->rtc3;
  if (resolve(&p, NULL) != RDX_OK) /* build() will say so */
    return 0;
  share_boxes(device, columns[0].rows, count, &p);
  return need(device, &p, columns[0].rows, count);
}

static void destroy(void *self) {
  rtc3 *r = self;
  for (uint32_t g = 0; g < r->groups; g++)
    rdx_matrix_scene_destroy(&r->group[g]);
  rdx_encoded_columns_release(r->columns, r->count);
  rdx_free(r->group);
}

static rdx_status build_parts(rdx_device *device, const rdx_encoded_column *columns, uint32_t count, rtc3 *r,
                              rdx_scan_stats *stats, rdx_error *err) {
  RDX_TRY(rdx_encoded_columns_retain(columns, count, &r->columns, err));
  r->count = count;
  RDX_TRY(rdx_calloc(count, sizeof *r->group, "RTc3", (void **)&r->group, err));
  for (uint32_t first = 0; first < count; first += r->params.group) {
    const uint32_t n = count - first < r->params.group ? count - first : r->params.group;
    const rdx_matrix_scene_params params = scene_params_of(&r->params, r->rows, n);
    const uint32_t which[3] = {first, first + 1, first + 2};
    const rdx_matrix_axes axes = {.columns = columns, .which = which, .dimensions = n};
    RDX_TRY(rdx_matrix_scene_create(device, &axes, &params, &r->group[r->groups], stats, err));
    stats->bytes_scene += rdx_matrix_scene_bytes(&r->group[r->groups]);
    r->groups++;
  }
  return RDX_OK;
}

static rdx_status build_with(rdx_device *device, const rdx_rtc3_params *resolved, const rdx_encoded_column *columns,
                             uint32_t count, rtc3 *r, rdx_scan_stats *stats, rdx_error *err) {
  *r = (rtc3){.params = *resolved,
              .rows = columns[0].rows,
              .cuts_rays = device->info.backend != RDX_BACKEND_CPU && !resolved->published};
  return build_parts(device, columns, count, r, stats, err);
}

/* RTScan, section 3.1 "Our Second Attempt: RTc3". */
static rdx_status build(void *self, rdx_device *device, const rdx_scan_params *params,
                        const rdx_encoded_column *columns, uint32_t count, rdx_scan_stats *stats, rdx_error *err) {
  rtc3 *r = self;
  rdx_rtc3_params p = params->rtc3;
  RDX_TRY(resolve(&p, err));
  const uint32_t asked = p.rows_per_box;
  share_boxes(device, columns[0].rows, count, &p);
  rdx_status status = build_with(device, &p, columns, count, r, stats, err);
  while (rdx_matrix_scene_share_more(status, asked, &p.rows_per_box)) {
    destroy(r);
    status = build_with(device, &p, columns, count, r, stats, err);
  }
  return status;
}

/* ---- Evaluating ---- */

/* The cells of one axis that hold what may qualify. */
typedef struct axis_cells {
  uint32_t count;
  rdx_cells cells[INTERVALS];
} axis_cells;

static void cut_axis(const rtc3 *r, const rdx_matrix_scene *c, uint32_t axis, const rdx_term *terms, uint32_t count,
                     axis_cells *out) {
  const rdx_cells all[2] = {{0, axis < c->dimensions ? c->used[axis] : 1},
                            {(uint32_t)RAY_MATRIX_MASK, (uint32_t)RAY_MATRIX_MASK + 1}};
  out->count = 1;
  out->cells[0] = all[0];
  if (axis < c->dimensions && r->columns[c->columns[axis]].nulls > 0) {
    out->count = 2;
    out->cells[1] = all[1];
  }
  for (uint32_t t = 0; t < count; t++) {
    if (axis >= c->dimensions || terms[t].column != c->columns[axis])
      continue;
    const uint64_t smallest = r->columns[terms[t].column].smallest;
    out->count = terms[t].set.count;
    for (uint32_t i = 0; i < out->count; i++)
      out->cells[i] = rdx_matrix_scene_cells(c, axis, terms[t].set.list[i].low - smallest,
                                             terms[t].set.list[i].high - smallest + 1);
  }
}

/* RTScan, section 3.1 "a cuboid region in the space needs to be scanned". */
/* RTScan, Figure 3 "Data distribution in multi-dimensional spaces". */
static void add_regions(const rtc3 *r, const rdx_matrix_scene *c, const rdx_ray_matrix *matrix, const rdx_term *terms,
                        uint32_t count, rdx_regions *regions) {
  axis_cells axes[3];
  rdx_cells_list lists[3];
  for (uint32_t k = 0; k < 3; k++) {
    cut_axis(r, c, k, terms, count, &axes[k]);
    lists[k] = (rdx_cells_list){axes[k].count, axes[k].cells};
  }
  rdx_regions_add(regions, c, matrix, lists);
}

/* RTScan, section 3.1 "perpendicular to the XY-plane is cast into the cuboid". */
/* Rays run through a whole cuboid, side by side as wide as cubes are. */
static rdx_ray_matrix matrix_of(const rdx_matrix_scene *c) {
  return (rdx_ray_matrix){.interval = c->width, .length = 2u << RAY_MATRIX_BITS, .along_z = true};
}

/* RTScan, section 3.1 "The ray length is set to". */
/* A GPU with fewer rays than it can work on gets them cut into pieces, down to four cubes long, without spacing: what
 * section 4.4.2 found RTc3 to lack. `rays`: of the whole matrix. */
static void cut_rays(const rdx_matrix_scene *c, uint64_t rays, rdx_ray_matrix *matrix) {
  const uint32_t pieces = rays < ENOUGH_RAYS ? ENOUGH_RAYS / (uint32_t)(rays + 1) : 1;
  const uint32_t axis = c->dimensions > 2 ? c->used[2] : 1, length = axis / (pieces + 1) + 1;
  if (pieces > 1)
    matrix->length = length > 4 * c->width ? length : 4 * c->width;
}

/* Whether a group has a column that a term asks for. */
static bool concerned(const rdx_matrix_scene *c, const rdx_term *terms, uint32_t count) {
  bool any = false;
  for (uint32_t t = 0; t < count; t++)
    any |= rdx_matrix_scene_axis(c, terms[t].column) < c->dimensions;
  return any;
}

static const rdx_matrix_scene *choose_group(const rtc3 *r, const rdx_term *terms, uint32_t count) {
  const rdx_matrix_scene *best = NULL;
  uint64_t fewest = UINT64_MAX;
  for (uint32_t g = 0; g < r->groups; g++) {
    const rdx_ray_matrix matrix = matrix_of(&r->group[g]);
    rdx_regions regions = {0};
    if (!concerned(&r->group[g], terms, count))
      continue;
    add_regions(r, &r->group[g], &matrix, terms, count, &regions);
    if (!best || regions.rays < fewest) {
      best = &r->group[g];
      fewest = regions.rays;
    }
  }
  return best;
}

static rdx_status launch(const rdx_matrix_scene *c, const rdx_ray_matrix *matrix, const rdx_sieve_query *query,
                         rdx_ray_matrix_launch *launch, bool narrow, rdx_stream *stream, rdx_error *err) {
  RDX_TRY(rdx_sieve_query_send(query, stream, &launch->query, err));
  if (narrow)
    RDX_TRY(rdx_sieve_mask(stream, launch->out, &launch->mask, err));
  RDX_TRY(rdx_stream_fill(stream, launch->out, 0, launch->out->size, 0, err));
  return rdx_ray_matrix_trace(c, matrix, launch, stream, err);
}

static rdx_status evaluate(const void *self, rdx_stream *stream, rdx_scan_call *call, rdx_scan_counts *counts,
                           rdx_error *err) {
  const rtc3 *r = self;
  const rdx_term *terms = call->terms;
  const uint32_t count = call->count;
  const rdx_matrix_scene *c = choose_group(r, terms, count);
  rdx_ray_matrix matrix = matrix_of(c);
  rdx_regions regions = {0};
  RDX_SCOPED(rdx_sieve_query_destroy) rdx_sieve_query query = {0};
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *counters = NULL;
  add_regions(r, c, &matrix, terms, count, &regions);
  if (r->cuts_rays) {
    cut_rays(c, regions.rays, &matrix);
    regions = (rdx_regions){0};
    add_regions(r, c, &matrix, terms, count, &regions);
  }
  const uint32_t size = regions.count * (uint32_t)sizeof *regions.regions;
  RDX_TRY(rdx_sieve_query_create(r->columns, terms, count, NULL, NULL, size, &query, err));
  if (counts)
    RDX_TRY(rdx_counters_create(stream, &counters, err));
  rdx_ray_matrix_launch l = {
      .term_count = count, .region_count = regions.count, .rays = regions.rays, .out = call->out, .counters = counters};
  regions = (rdx_regions){.regions = rdx_sieve_query_take(&query, size, &l.regions_place)};
  add_regions(r, c, &matrix, terms, count, &regions);
  RDX_TRY(launch(c, &matrix, &query, &l, call->narrow, stream, err));
  if (!counts)
    return RDX_OK;
  counts->rays += l.rays;
  counts->bytes += (r->rows + 7) / 8;
  return rdx_counters_read(stream, counters, counts, err);
}

/* Rays, and the rows that the group lets through. */
static double work(const void *self, const rdx_term *terms, uint32_t count) {
  const rtc3 *r = self;
  const rdx_matrix_scene *c = choose_group(r, terms, count);
  const rdx_ray_matrix matrix = matrix_of(c);
  rdx_regions regions = {0};
  double rows = (double)r->rows;
  add_regions(r, c, &matrix, terms, count, &regions);
  for (uint32_t t = 0; t < count; t++) {
    const rdx_encoded_column *column = &r->columns[terms[t].column];
    if (rdx_matrix_scene_axis(c, terms[t].column) < c->dimensions)
      rows *= rdx_term_selectivity(&terms[t], column->smallest, column->largest);
  }
  return (double)regions.rays * RDX_SCAN_RAY_BYTES + rows * RDX_SCAN_BIT_BYTES;
}

const rdx_scan_ops rdx_rtc3_ops = {
    .name = "rtc3",
    .size = sizeof(rtc3),
    .traces_rays = true,
    .max_intervals = INTERVALS,
    .max_terms = MAX_TERMS,
    .estimate = estimate,
    .build = build,
    .evaluate = evaluate,
    .work = work,
    .destroy = destroy,
};
