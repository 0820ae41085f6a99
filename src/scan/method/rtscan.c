/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* RTScan (section 4): uniform encoding, data sieving, matrix RT refine.
 *
 * Rows stand in the space of three columns each, and beside that on a line for each column: a line's rays meet all rows
 * that its column's vectors do not decide, whatever the other terms say, while those of a group need to fill slabs as
 * large as what the others let through. So lines win where selectivities are high. A conjunction goes to the form that
 * is expected to be faster, by its vectors, rays and hits and by what samples of them took.
 *
 * A conjunction over columns c has an approximate result, the rows of A = the product of what the vectors say of each
 * column, and a true one, T. They differ at most where some column's ranks are to be refined (D) while all others may
 * qualify (U, by the vectors or in truth). Made disjoint: column c in D, columns before it certain (C: the vectors and
 * the truth say yes), columns after it in U. With three BETWEEN each D has two parts, and there are six regions
 * (4.3.2). Rays go through these regions only; a row whose cube they meet is decided by all terms of the conjunction,
 * so that the results of groups of columns need no merging. */

#include <math.h>

#include "cost/cost.h"
#include "kernels/bitmap/kernels.h"
#include "scan/method/ray_matrix.h"
#include "scan/samples.h"

#define MAX_TERMS 8
#define INTERVALS 2u /* of a term: <> has two */

typedef struct group {
  rdx_matrix_scene cubes;
  rdx_ray_matrix matrix;
} group;

/* All columns in groups of `size`. */
typedef struct form {
  const struct rtscan *scan;
  uint32_t size, count;
  group *groups;
  rdx_curve rate; /* of work in expected milliseconds */
} form;

/* The columns of a group. */
typedef struct column_set {
  uint32_t columns[3], count;
} column_set;

#define FORMS 2u /* groups; lines, too, unless the size of groups is given */

typedef struct rtscan {
  rdx_rtscan_params params; /* defaults resolved */
  uint32_t count, form_count;
  uint64_t rows;
  rdx_calibration rates;
  rdx_encoded_column *columns;
  rdx_encoding *encodings;
  bool *encoded; /* which encodings are there */
  rdx_sieve *sieves;
  form forms[FORMS];
} rtscan;

/* Lines. Their cubes are sorted, so that whole boxes are met; rays are as long as some cubes are wide, lest one has
 * all the work. */
#define LINE_ROWS_PER_BOX 16u
#define LINE_RAY_LENGTH 32u

/* ---- Options ---- */

static rdx_status in_range(const char *what, uint32_t value, uint32_t low, uint32_t high, rdx_error *err) {
  if (value >= low && value <= high)
    return RDX_OK;
  return rdx_fail(err, RDX_ERROR_ARGUMENT, "rtscan: %s must be %u to %u, not %u", what, low, high, value);
}

static void set_default(uint32_t *value, uint32_t otherwise) {
  *value = *value ? *value : otherwise;
}

/* RTScan, section 5.1 "use 128 bit vectors for a fair comparison". */
static void resolve_published(rdx_rtscan_params *p) {
  if (p->derived == RDX_SWITCH_DEFAULT && p->planes == 0)
    p->derived = RDX_SWITCH_OFF;
  set_default(&p->vectors, 128);
  set_default(&p->rows_per_box, 1);
}

/* RTScan, section 4.3.3 "The number of sieving vectors". */
static rdx_status resolve(rdx_rtscan_params *p, rdx_error *err) {
  if (p->derived == RDX_SWITCH_OFF && p->planes > 0)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rtscan: planes derive borders: set planes, or switch derived off");
  if (p->spaced == RDX_SWITCH_OFF && p->spacing_percent > 0)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rtscan: set a spacing, or switch spaced off");
  if (p->published)
    resolve_published(p);
  set_default(&p->vectors, 61);
  set_default(&p->planes, 4);
  set_default(&p->group, 3);
  set_default(&p->interval_percent, 100);
  set_default(&p->spacing_percent, 100);
  RDX_TRY(in_range("vectors", p->vectors, 1, SIEVE_MAX_VECTORS, err));
  RDX_TRY(in_range("planes", p->planes, 1, SIEVE_MAX_PLANES, err));
  RDX_TRY(in_range("group", p->group, 1, 3, err));
  RDX_TRY(in_range("the interval", p->interval_percent, 1, 100, err));
  RDX_TRY(in_range("the spacing", p->spacing_percent, 1, 100, err));
  RDX_TRY(in_range("rows per box", p->rows_per_box, 0, 256, err));
  if (p->published && p->groups[0])
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "rtscan: as published groups do not overlap: leave out `groups`, or `published`");
  return in_range("the build preference", p->build, 0, RDX_BUILD_LOW_MEMORY, err);
}

static rdx_sieve_params sieve_params(const rdx_rtscan_params *p) {
  return (rdx_sieve_params){.vectors = p->vectors, .planes = p->derived == RDX_SWITCH_OFF ? 0 : p->planes};
}

/* As published: of 10^8 ranks, an interval of 8.3 * 10^4 and rays of 1.1 * 10^6. */
#define PUBLISHED_PER_AXIS (1e8 / 8.3e4)
#define PUBLISHED_LENGTH (1.1e6 / 8.3e4) /* in intervals */

/* RTScan, section 5.1 "Ray Tracing Configurations". */
/* A bound is at most half a part away from a border. */
static rdx_matrix_scene_params scene_params_of(const rdx_rtscan_params *p, uint64_t rows) {
  const uint64_t parts = (uint64_t)(p->vectors + 1) << sieve_params(p).planes;
  const bool published = p->published && p->cube_width == 0;
  return (rdx_matrix_scene_params){
      .rows_per_box = p->rows_per_box,
      .width = p->cube_width,
      .per_axis = published ? 1 + (uint32_t)(PUBLISHED_PER_AXIS * cbrt((double)rows * 1e-8)) : 0,
      .thick = p->encoding == RDX_SWITCH_OFF
                   ? 0
                   : (uint32_t)(rows / (p->negative == RDX_SWITCH_OFF ? parts : 2 * parts)) + 1,
      .insist = p->insist,
      .build = p->build};
}

/* RTScan, section 4.4.3 "Ray Interval and Ray Spacing". */
/* The interval and the spacing are at most the width, so that no cube is missed. */
static rdx_ray_matrix matrix_of(const rdx_rtscan_params *p, const rdx_matrix_scene *c) {
  const uint32_t max = 1u << RAY_MATRIX_BITS, given = (uint32_t)((uint64_t)p->ray_length >> c->shift[0]);
  const uint32_t interval = (uint32_t)(c->width * (uint64_t)p->interval_percent / 100);
  const uint32_t spacing = (uint32_t)(c->width * (uint64_t)p->spacing_percent / 100);
  const uint32_t usual = p->published ? (uint32_t)(PUBLISHED_LENGTH * c->width) : rdx_matrix_scene_ray_length(c);
  const uint32_t length = p->ray_length ? given : usual;
  return (rdx_ray_matrix){.interval = interval < 1 ? 1 : interval,
                          .length = length < 1     ? 1
                                    : length > max ? max
                                                   : length,
                          .spacing = p->spaced == RDX_SWITCH_OFF ? 0 : spacing,
                          .flat = p->published};
}

static rdx_matrix_scene_params line_params(const rdx_rtscan_params *p, uint64_t rows) {
  const rdx_rtscan_params usual = {.vectors = p->vectors, .planes = p->planes, .derived = p->derived};
  rdx_matrix_scene_params out = scene_params_of(&usual, rows);
  out.rows_per_box = p->rows_per_box > LINE_ROWS_PER_BOX ? p->rows_per_box : LINE_ROWS_PER_BOX;
  out.build = p->build;
  out.insist = p->insist;
  return out;
}

static rdx_ray_matrix line_matrix(const rdx_matrix_scene *c) {
  return (rdx_ray_matrix){.interval = c->width, .length = LINE_RAY_LENGTH, .spacing = c->width};
}

/* ---- Preparing ---- */

static rdx_status evaluate_form(const void *self, rdx_stream *stream, rdx_scan_call *call, rdx_scan_counts *counts,
                                rdx_error *err);
static double work_form(const void *self, const rdx_term *terms, uint32_t count);

/* By default columns stand in lines, too; a line that is the only group need not be there twice. */
static bool wants_lines(const rdx_rtscan_params *p, uint32_t count) {
  return p->group == 0 && !p->published && p->encoding != RDX_SWITCH_OFF && count > 1;
}

static bool has_column(const column_set *sets, uint32_t count, uint32_t column) {
  for (uint32_t k = 0; k < count; k++)
    for (uint32_t i = 0; i < sets[k].count; i++)
      if (sets[k].columns[i] == column)
        return true;
  return false;
}

/* The groups: those that are told, then the columns that none of them has, `group` to each. `sets` has room for those
 * that may be told, and as many more as there are columns. */
static uint32_t list_groups(const rdx_rtscan_params *p, uint32_t columns, column_set *sets) {
  uint32_t count = 0;
  for (uint32_t w = 0; w < RDX_SCAN_GROUPS && p->groups[w]; w++, count++) {
    sets[count].count = 0;
    for (uint64_t left = p->groups[w]; left && sets[count].count < 3; left &= left - 1)
      sets[count].columns[sets[count].count++] = (uint32_t)__builtin_ctzll(left);
  }
  const uint32_t told = count;
  for (uint32_t column = 0, capacity = 0; column < columns; column++) {
    if (has_column(sets, told, column))
      continue;
    if (capacity == 0) {
      capacity = p->group;
      sets[count++].count = 0;
    }
    column_set *set = &sets[count - 1];
    set->columns[set->count++] = column;
    capacity--;
  }
  return count;
}

static rdx_status check_groups(const rdx_rtscan_params *p, uint32_t columns, rdx_error *err) {
  for (uint32_t w = 0; w < RDX_SCAN_GROUPS && p->groups[w]; w++)
    if (__builtin_popcountll(p->groups[w]) > 3 || (columns < 64 && p->groups[w] >> columns))
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "rtscan: a group has 1 to 3 columns, of 0 to %u", columns - 1);
  return RDX_OK;
}

/* How many groups there are. */
static uint32_t count_groups(const rdx_rtscan_params *p, uint32_t columns) {
  uint32_t told = 0, taken = 0;
  uint64_t all = 0;
  for (; told < RDX_SCAN_GROUPS && p->groups[told]; told++)
    all |= p->groups[told];
  taken = (uint32_t)__builtin_popcountll(all);
  return told + (columns - taken + p->group - 1) / p->group;
}

/* Device bytes at the peak: while the last group is placed or its scene is built, or with all vectors. */
static uint64_t need(const rdx_device *device, const rdx_rtscan_params *p, bool lines,
                     const rdx_encoded_column *columns, uint32_t count) {
  const uint64_t rows = columns[0].rows, groups = count_groups(p, count);
  const uint32_t ordered = p->groups[0] ? count : p->group; /* columns whose orders are there at a time */
  const rdx_matrix_scene_params cubes = scene_params_of(p, rows), line = line_params(p, rows);
  uint64_t kept = 0, sorting = 0, kept_lines = 0;
  uint64_t placing = rdx_matrix_scene_estimate(device, rows, ordered * 4, &cubes, &kept);
  const uint64_t placing_line = rdx_matrix_scene_estimate(device, rows, ordered * 4, &line, &kept_lines);
  if (lines)
    placing = placing > placing_line ? placing : placing_line;
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t here = rdx_encoding_estimate(&columns[i]) + (ordered - 1) * rows * 4;
    sorting = here > sorting ? here : sorting;
  }
  const uint64_t placed = (placing > sorting ? placing : sorting) + (groups - 1) * kept;
  const uint64_t all = groups * kept + count * rdx_sieve_estimate(rows, sieve_params(p));
  return (placed > all ? placed : all) + (lines ? count * kept_lines : 0);
}

/* Give up what memory is too small for: first the lines, then boxes for few rows each. False: there is nothing left. */
static bool take_less(uint32_t asked, rdx_rtscan_params *p, bool *lines) {
  if (*lines) {
    *lines = false;
    return true;
  }
  return rdx_matrix_scene_share_more(RDX_ERROR_DEVICE_MEMORY, asked, &p->rows_per_box);
}

/* What depends on the device. `asked`: rows in a box, 0 by default. */
static void suit_device(const rdx_device *device, const rdx_encoded_column *columns, uint32_t count, uint32_t asked,
                        rdx_rtscan_params *p, bool *lines) {
  p->build = rdx_device_build_preference(device, p->build, false);
  p->rows_per_box = asked ? asked : rdx_matrix_scene_rows_per_box(device);
  while (need(device, p, *lines, columns, count) + rdx_bitmap_bytes(columns[0].rows) > rdx_device_memory_left(device) &&
         take_less(asked, p, lines))
    ;
}

static uint64_t estimate(const rdx_device *device, const rdx_scan_params *params, const rdx_encoded_column *columns,
                         uint32_t count) {
  rdx_rtscan_params p = params->rtscan;
  bool lines = wants_lines(&p, count);
  if (resolve(&p, NULL) != RDX_OK || check_groups(&p, count, NULL) != RDX_OK) /* build() will say so */
    return 0;
  suit_device(device, columns, count, p.rows_per_box, &p, &lines);
  return need(device, &p, lines, columns, count);
}

static void destroy(void *self) {
  rtscan *r = self;
  for (uint32_t f = 0; f < FORMS; f++) {
    for (uint32_t g = 0; g < r->forms[f].count; g++)
      rdx_matrix_scene_destroy(&r->forms[f].groups[g].cubes);
    rdx_free(r->forms[f].groups);
  }
  for (uint32_t i = 0; i < r->count; i++) {
    rdx_encoding_destroy(&r->encodings[i]);
    rdx_sieve_destroy(&r->sieves[i]);
  }
  rdx_encoded_columns_release(r->columns, r->count);
  RDX_FREE_ALL(r->encodings, r->encoded, r->sieves);
}

/* Place the columns of a group; their orders stay where others `need` them. */
static rdx_status build_cubes(rdx_device *device, const column_set *set, const rdx_matrix_scene_params *params,
                              const bool need[3], rtscan *r, rdx_matrix_scene *out, rdx_scan_stats *stats,
                              rdx_error *err) {
  rdx_buffer *orders[3] = {NULL, NULL, NULL};
  for (uint32_t i = 0; i < set->count; i++)
    orders[i] = need[i] ? rdx_buffer_retain(r->encodings[set->columns[i]].order) : NULL;
  const rdx_matrix_axes axes = {r->columns, r->params.encoding == RDX_SWITCH_OFF ? NULL : r->encodings, set->columns,
                                set->count};
  const rdx_status status = rdx_matrix_scene_create(device, &axes, params, out, stats, err);
  for (uint32_t i = 0; i < set->count; i++) { /* still there where there are no rows, and without the encoding */
    rdx_buffer_destroy(&r->encodings[set->columns[i]].order);
    r->encodings[set->columns[i]].order = orders[i];
  }
  stats->bytes_scene += status == RDX_OK ? rdx_matrix_scene_bytes(out) : 0;
  return status;
}

static rdx_status build_line(rdx_device *device, uint32_t column, rtscan *r, rdx_scan_stats *stats, rdx_error *err) {
  static const bool need[3] = {true, true, true};
  const rdx_matrix_scene_params params = line_params(&r->params, r->rows);
  const column_set set = {.columns = {column}, .count = 1};
  group *g = &r->forms[1].groups[r->forms[1].count++];
  RDX_TRY(build_cubes(device, &set, &params, need, r, &g->cubes, stats, err));
  g->matrix = line_matrix(&g->cubes);
  return RDX_OK;
}

/* Rank a column, unless that is done. */
static rdx_status encode(rdx_device *device, uint32_t column, rtscan *r, rdx_scan_stats *stats, rdx_error *err) {
  const double start = rdx_now_ms();
  if (r->encoded[column])
    return RDX_OK;
  r->encoded[column] = true;
  RDX_TRY(rdx_encoding_create(device, &r->columns[column], rdx_sieve_step(r->rows, sieve_params(&r->params)),
                              &r->encodings[column], err));
  stats->encode_ms += rdx_now_ms() - start;
  stats->table_ms += rdx_now_ms() - start;
  return r->form_count > 1 ? build_line(device, column, r, stats, err) : RDX_OK;
}

/* Group `k` of `count`. */
static rdx_status build_group(rdx_device *device, const column_set *sets, uint32_t k, uint32_t count, rtscan *r,
                              rdx_scan_stats *stats, rdx_error *err) {
  const rdx_matrix_scene_params params = scene_params_of(&r->params, r->rows);
  bool need[3] = {false, false, false};
  for (uint32_t i = 0; i < sets[k].count; i++) {
    RDX_TRY(encode(device, sets[k].columns[i], r, stats, err));
    need[i] = has_column(sets + k + 1, count - k - 1, sets[k].columns[i]);
  }
  group *g = &r->forms[0].groups[r->forms[0].count++];
  RDX_TRY(build_cubes(device, &sets[k], &params, need, r, &g->cubes, stats, err));
  g->matrix = matrix_of(&r->params, &g->cubes);
  return RDX_OK;
}

static rdx_status build_groups(rdx_device *device, rtscan *r, rdx_scan_stats *stats, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) column_set *sets = NULL;
  RDX_TRY(rdx_calloc(r->count + RDX_SCAN_GROUPS, sizeof *sets, "RTScan", (void **)&sets, err));
  const uint32_t count = list_groups(&r->params, r->count, sets);
  for (uint32_t k = 0; k < count; k++)
    RDX_TRY(build_group(device, sets, k, count, r, stats, err));
  return RDX_OK;
}

static rdx_status build_sieves(rdx_device *device, rtscan *r, rdx_scan_stats *stats, rdx_error *err) {
  const double start = rdx_now_ms();
  for (uint32_t i = 0; i < r->count; i++)
    RDX_TRY(rdx_sieve_create(device, &r->columns[i], &r->encodings[i], sieve_params(&r->params), &r->sieves[i], err));
  stats->encode_ms += rdx_now_ms() - start;
  stats->vectors_ms += rdx_now_ms() - start;
  for (uint32_t i = 0; i < r->count; i++) {
    stats->bytes_table += rdx_encoding_bytes(&r->encodings[i]);
    stats->bytes_vectors += rdx_sieve_bytes(&r->sieves[i]);
  }
  return RDX_OK;
}

static rdx_status measure_forms(rdx_device *device, rtscan *r, rdx_error *err) {
  rdx_scan_way ways[FORMS];
  for (uint32_t f = 0; f < FORMS; f++)
    ways[f] = (rdx_scan_way){.self = &r->forms[f], .evaluate = evaluate_form, .work = work_form};
  RDX_TRY(rdx_scan_measure(device, ways, FORMS, r->columns, r->count, err));
  for (uint32_t f = 0; f < FORMS; f++)
    r->forms[f].rate = ways[f].rate;
  return RDX_OK;
}

/* RTScan, Figure 7 "The workflow of RTScan". */
static rdx_status build_parts(rdx_device *device, const rdx_encoded_column *columns, uint32_t count, rtscan *r,
                              rdx_scan_stats *stats, rdx_error *err) {
  RDX_TRY(rdx_calloc(count, sizeof *r->encodings, "RTScan", (void **)&r->encodings, err));
  RDX_TRY(rdx_calloc(count, sizeof *r->encoded, "RTScan", (void **)&r->encoded, err));
  RDX_TRY(rdx_calloc(count, sizeof *r->sieves, "RTScan", (void **)&r->sieves, err));
  for (uint32_t f = 0; f < r->form_count; f++)
    RDX_TRY(
        rdx_calloc(count + RDX_SCAN_GROUPS, sizeof *r->forms[f].groups, "RTScan", (void **)&r->forms[f].groups, err));
  RDX_TRY(rdx_encoded_columns_retain(columns, count, &r->columns, err));
  r->count = count;
  RDX_TRY(build_groups(device, r, stats, err));
  RDX_TRY(build_sieves(device, r, stats, err));
  return r->form_count > 1 ? measure_forms(device, r, err) : RDX_OK;
}

static rdx_status build_with(rdx_device *device, const rdx_rtscan_params *resolved, bool lines,
                             const rdx_encoded_column *columns, uint32_t count, rtscan *r, rdx_scan_stats *stats,
                             rdx_error *err) {
  *r = (rtscan){.params = *resolved, .rows = columns[0].rows, .form_count = lines ? 2 : 1};
  r->forms[0] = (form){.scan = r, .size = r->params.groups[0] ? 3 : r->params.group};
  r->forms[1] = (form){.scan = r, .size = 1};
  rdx_device_get_calibration(device, &r->rates);
  return build_parts(device, columns, count, r, stats, err);
}

/* What a scene takes is known when it is built: that may be more than was thought. */
static rdx_status build(void *self, rdx_device *device, const rdx_scan_params *params,
                        const rdx_encoded_column *columns, uint32_t count, rdx_scan_stats *stats, rdx_error *err) {
  rtscan *r = self;
  rdx_rtscan_params p = params->rtscan;
  bool lines = wants_lines(&p, count);
  RDX_TRY(resolve(&p, err));
  RDX_TRY(check_groups(&p, count, err));
  const uint32_t asked = p.rows_per_box;
  suit_device(device, columns, count, asked, &p, &lines);
  rdx_status status = build_with(device, &p, lines, columns, count, r, stats, err);
  while (status == RDX_ERROR_DEVICE_MEMORY && take_less(asked, &p, &lines)) {
    destroy(r);
    status = build_with(device, &p, lines, columns, count, r, stats, err);
  }
  return status;
}

/* ---- Regions ---- */

#define MAX_SPANS (6 * INTERVALS)

/* What a column's axis is cut into. */
typedef struct axis_cells {
  uint32_t refined_count, possible_count, certain_count;
  rdx_cells refined[MAX_SPANS], possible[MAX_SPANS], certain[MAX_SPANS]; /* D, U, C */
} axis_cells;

static void add_cells(rdx_cells *list, uint32_t *count, rdx_cells cells, bool join) {
  if (join && *count > 0 && list[*count - 1].end >= cells.begin)
    list[*count - 1].end = cells.end;
  else
    list[(*count)++] = cells;
}

/* The cells of a span of ranks, or of the values between which its rows have theirs. */
static rdx_cells cells_of(const rtscan *r, const rdx_matrix_scene *c, uint32_t axis, const rdx_span *span) {
  const rdx_encoded_column *column = &r->columns[c->columns[axis]];
  if (r->params.encoding != RDX_SWITCH_OFF)
    return rdx_matrix_scene_cells(c, axis, span->begin, span->end);
  const rdx_interval codes = rdx_encoding_codes(&r->encodings[c->columns[axis]], span->begin, span->end);
  const uint64_t high = codes.high < column->largest ? codes.high : column->largest;
  return rdx_matrix_scene_cells(c, axis, codes.low - column->smallest, high - column->smallest + 1);
}

/* RTScan, Figure 10 "RT refining after Data Sieving with three '<'s". */
/* The lists of one axis. Neighbouring spans become one where that cannot make regions overlap more than their border
 * cells do anyway. */
static void cut_axis(const rtscan *r, const rdx_matrix_scene *c, uint32_t axis, const rdx_sieved *sieved,
                     axis_cells *out) {
  *out = (axis_cells){0};
  for (uint32_t i = 0; i < sieved->span_count; i++) {
    const rdx_span *span = &sieved->spans[i];
    const rdx_cells cells = cells_of(r, c, axis, span);
    add_cells(out->possible, &out->possible_count, cells, true);
    if (rdx_span_refined(span))
      add_cells(out->refined, &out->refined_count, cells, true);
    else
      add_cells(out->certain, &out->certain_count, cells, false);
  }
}

/* An axis that no term constrains, or that is not there. By value, NULLs are in the last cell. */
static void whole_axis(const rtscan *r, const rdx_matrix_scene *c, uint32_t axis, axis_cells *out) {
  const rdx_cells all = {0, axis < c->dimensions ? c->used[axis] : 1};
  const rdx_cells nulls = {(uint32_t)RAY_MATRIX_MASK, (uint32_t)RAY_MATRIX_MASK + 1};
  *out = (axis_cells){.possible_count = 1, .certain_count = 1, .possible = {all, nulls}, .certain = {all, nulls}};
  if (r->params.encoding == RDX_SWITCH_OFF && axis < c->dimensions && r->columns[c->columns[axis]].nulls > 0)
    out->possible_count = out->certain_count = 2;
}

/* RTScan, section 4.1 "divided into several predicate groups". */
/* RTScan, section 4.3.2 "RT Refine after Data Sieving". */
/* Each term is refined by the group that `owners` say; in other groups that have its column it only cuts. */
static void add_regions(const rtscan *r, const group *g, const rdx_term *terms, uint32_t count,
                        const rdx_sieved *sieved, const group *const *owners, rdx_regions *regions) {
  const rdx_matrix_scene *c = &g->cubes;
  axis_cells axes[3];
  bool owned[3] = {false, false, false};
  for (uint32_t k = 0; k < 3; k++)
    whole_axis(r, c, k, &axes[k]);
  for (uint32_t t = 0; t < count; t++) {
    const uint32_t axis = rdx_matrix_scene_axis(c, terms[t].column);
    if (axis == c->dimensions)
      continue;
    cut_axis(r, c, axis, &sieved[t], &axes[axis]);
    owned[axis] = owners[t] == g;
  }
  for (uint32_t k = 0; k < c->dimensions; k++) {
    if (!owned[k])
      continue;
    rdx_cells_list lists[3];
    for (uint32_t j = 0; j < 3; j++)
      lists[j] = j < k && owned[j] ? (rdx_cells_list){axes[j].certain_count, axes[j].certain}
                 : j == k          ? (rdx_cells_list){axes[j].refined_count, axes[j].refined}
                                   : (rdx_cells_list){axes[j].possible_count, axes[j].possible};
    rdx_regions_add(regions, c, &g->matrix, lists);
  }
}

/* ---- Evaluating ---- */

/* The regions of a group that has any: each of at most MAX_TERMS terms touches one group. */
typedef struct part {
  const group *group;
  uint32_t place, count; /* in the query */
  uint64_t rays;
} part;

typedef struct run {
  const form *form;
  const rdx_term *terms;
  uint32_t count, part_count, conjunctions;
  uint32_t regions;         /* of rays */
  double begun;             /* when, where stages are counted */
  uint32_t ends[MAX_TERMS]; /* of each conjunction: where its terms end */
  rdx_sieved sieved[MAX_TERMS];
  const group *owners[MAX_TERMS]; /* the group that refines each term */
  part parts[MAX_TERMS];
  rdx_sieve_query query;
} run;

/* Those of all conjunctions: what their rays meet is decided by all of them. */
static void add_all_regions(const rtscan *r, const run *q, const group *g, rdx_regions *regions) {
  for (uint32_t k = 0, first = 0; k < q->conjunctions; first = q->ends[k++])
    add_regions(r, g, q->terms + first, q->ends[k] - first, q->sieved + first, q->owners + first, regions);
}

static rdx_regions count_regions(const rtscan *r, const run *q) {
  rdx_regions all = {0};
  for (uint32_t g = 0; g < q->form->count; g++)
    add_all_regions(r, q, &q->form->groups[g], &all);
  return all;
}

/* RTScan, section 5.4 "setting up the parameters of rays in these regions". */
static void fill_regions(const rtscan *r, run *q, uint32_t count) {
  uint32_t place = 0;
  struct ray_matrix_region *out = rdx_sieve_query_take(&q->query, count * (uint32_t)sizeof *out, &place);
  for (uint32_t g = 0; g < q->form->count; g++) {
    rdx_regions regions = {.regions = out};
    add_all_regions(r, q, &q->form->groups[g], &regions);
    if (regions.count > 0)
      q->parts[q->part_count++] = (part){&q->form->groups[g], place, regions.count, regions.rays};
    out += regions.count;
    place += regions.count * (uint32_t)sizeof *out / 8;
  }
}

/* RTScan, section 5.9 "the portion of reduced data for scanning". */
/* Rows that neither the vectors nor the truth rule out, and those of them that are certain, as parts of all rows. */
static void add_volumes(const rtscan *r, const run *q, double *possible, double *certain) {
  for (uint32_t t = 0; t < q->count; t++) {
    double ranks[2] = {0, 0};
    for (uint32_t i = 0; i < q->sieved[t].span_count; i++) {
      const rdx_span *span = &q->sieved[t].spans[i];
      ranks[0] += span->end - span->begin;
      ranks[1] += rdx_span_refined(span) ? 0 : span->end - span->begin;
    }
    *possible *= ranks[0] / ((double)r->rows + 1);
    *certain *= ranks[1] / ((double)r->rows + 1);
  }
}

static void add_counts(const rtscan *r, const run *q, rdx_scan_counts *counts) {
  uint64_t vectors = 0;
  for (uint32_t t = 0; t < q->count; t++) {
    vectors += q->sieved[t].read;
    for (uint32_t i = 0; i < q->sieved[t].span_count; i++)
      if (rdx_span_refined(&q->sieved[t].spans[i]))
        counts->refined += q->sieved[t].spans[i].end - q->sieved[t].spans[i].begin;
  }
  for (uint32_t i = 0; i < q->part_count; i++)
    counts->rays += q->parts[i].rays;
  counts->bytes += (vectors + 1) * ((r->rows + 7) / 8);
}

/* The marks of a run that counts. */
enum { BEGUN, SIEVED, MERGED, REFINED, GROUPS_MERGED };

/* RTScan, Figure 17 "The proportion of different parts' time of RTScan". */
static rdx_status end_stage(rdx_stream *stream, const rdx_buffer *counters, rdx_error *err) {
  return counters ? rdx_stream_mark(stream, err) : RDX_OK;
}

/* Rays through all regions: the bits of the rows that they meet become what the terms say. */
static rdx_status trace_parts(const run *q, uint64_t query, rdx_stream *stream, rdx_buffer *mask, rdx_buffer *out,
                              rdx_buffer *counters, rdx_error *err) {
  rdx_ray_matrix_launch all = {.query = query, .term_count = q->count, .mask = mask, .out = out, .counters = counters};
  for (uint32_t i = 0; i < q->part_count; i++) {
    const part *p = &q->parts[i];
    all.regions_place = p->place;
    all.region_count = p->count;
    all.rays = p->rays;
    RDX_TRY(rdx_ray_matrix_trace(&p->group->cubes, &p->group->matrix, &all, stream, err));
  }
  return RDX_OK;
}

/* RTScan, section 4.3.1 "can be chosen as the approximate result". */
/* The conjunction of what the vectors of some terms say. */
static rdx_status sieve_alone(const rtscan *r, const rdx_term *terms, uint32_t count, const rdx_sieved *sieved,
                              rdx_stream *stream, rdx_buffer *out, rdx_error *err) {
  RDX_SCOPED(rdx_sieve_query_destroy) rdx_sieve_query query = {0};
  uint64_t address = 0;
  RDX_TRY(rdx_sieve_query_create(r->columns, terms, count, r->sieves, sieved, 0, &query, err));
  RDX_TRY(rdx_sieve_query_send(&query, stream, &address, err));
  return rdx_sieve_combine(stream, address, count, r->rows, false, out, NULL, err);
}

/* What the vectors say of several conjunctions, of which one has to hold. */
static rdx_status sieve_any(const rtscan *r, const run *q, rdx_stream *stream, rdx_buffer *out, rdx_error *err) {
  rdx_buffer *one = NULL;
  RDX_TRY(rdx_stream_scratch(stream, out->size, "the rows of a conjunction", &one, err));
  for (uint32_t k = 0, first = 0; k < q->conjunctions; first = q->ends[k++]) {
    RDX_TRY(sieve_alone(r, q->terms + first, q->ends[k] - first, q->sieved + first, stream, k > 0 ? one : out, err));
    if (k > 0)
      RDX_TRY(rdx_bitmap_combine(stream, BITMAP_OR, out, one, r->rows, err));
  }
  return RDX_OK;
}

/* Combine the vectors, then correct the rows that rays find. */
static rdx_status launch(const rtscan *r, const run *q, bool narrow, rdx_stream *stream, rdx_buffer *out,
                         rdx_buffer *counters, rdx_error *err) {
  rdx_buffer *mask = NULL;
  uint64_t address = 0;
  RDX_TRY(end_stage(stream, counters, err));
  if (narrow && q->part_count > 0)
    RDX_TRY(rdx_sieve_mask(stream, out, &mask, err));
  RDX_TRY(rdx_sieve_query_send(&q->query, stream, &address, err));
  RDX_TRY(q->conjunctions > 1 ? sieve_any(r, q, stream, out, err)
                              : rdx_sieve_combine(stream, address, q->count, r->rows, narrow, out, NULL, err));
  for (int stage = SIEVED; stage <= MERGED; stage++)
    RDX_TRY(end_stage(stream, counters, err));
  RDX_TRY(trace_parts(q, address, stream, mask, out, counters, err));
  RDX_TRY(end_stage(stream, counters, err));
  return end_stage(stream, counters, err);
}

/* What refining a term costs: the rays of a layer of cubes, over what the other terms of its group let through. As
 * published it is the number of ranks. */
static rdx_sieve_cost cost_of(const form *f, const rdx_term *terms, uint32_t count, const group *g, uint32_t term) {
  const rtscan *r = f->scan;
  if (r->params.published)
    return (rdx_sieve_cost){.positive = r->params.negative == RDX_SWITCH_OFF, .layer = 1, .missed = 1, .cost = 4};
  const rdx_matrix_scene *c = &g->cubes;
  double cells[3], rays = 1, longest = 0;
  for (uint32_t k = 0; k < c->dimensions; k++)
    cells[k] = c->columns[k] == terms[term].column ? 0 : c->used[k];
  for (uint32_t t = 0; t < count; t++) {
    const uint32_t column = terms[t].column, axis = rdx_matrix_scene_axis(c, column);
    if (t == term || axis >= c->dimensions)
      continue;
    const double selectivity = rdx_encoding_selectivity(&r->encodings[column], &terms[t]);
    cells[axis] *= selectivity;
  }
  for (uint32_t k = 0; k < c->dimensions; k++) {
    rays *= cells[k] / c->width + 1;
    longest = cells[k] > longest ? cells[k] : longest;
  }
  rays *= (longest / (g->matrix.length + g->matrix.spacing) + 1) / (longest / c->width + 1);
  return (rdx_sieve_cost){.positive = r->params.negative == RDX_SWITCH_OFF,
                          .layer = (double)r->rows * c->width / c->used[rdx_matrix_scene_axis(c, terms[term].column)],
                          .missed = 1,
                          .cost = rays * RDX_SCAN_RAY_BYTES * 8 / (double)(r->rows + 1)};
}

/* The terms without an owner that a group has. */
static uint32_t unowned(const group *g, const rdx_term *terms, uint32_t count, const group *const *owners) {
  uint32_t n = 0;
  for (uint32_t t = 0; t < count; t++)
    n += !owners[t] && rdx_matrix_scene_axis(&g->cubes, terms[t].column) < g->cubes.dimensions;
  return n;
}

/* The groups that refine the terms: ever the one that has most of those that are left, and then the fewest columns. */
static void choose_owners(const form *f, const rdx_term *terms, uint32_t count, const group **owners) {
  for (uint32_t t = 0; t < count; t++)
    owners[t] = NULL;
  for (uint32_t left = count; left > 0;) {
    const group *best = NULL;
    uint32_t max = 0;
    for (uint32_t g = 0; g < f->count; g++) {
      const uint32_t n = unowned(&f->groups[g], terms, count, owners);
      if (n > max || (n > 0 && n == max && f->groups[g].cubes.dimensions < best->cubes.dimensions)) {
        best = &f->groups[g];
        max = n;
      }
    }
    if (!best) /* each column has a group */
      return;
    for (uint32_t t = 0; t < count; t++)
      if (!owners[t] && rdx_matrix_scene_axis(&best->cubes, terms[t].column) < best->cubes.dimensions)
        owners[t] = best;
    left -= max;
  }
}

static void begin_conjunction(const form *f, const rdx_term *terms, uint32_t count, rdx_sieved *sieved,
                              const group **owners) {
  const rtscan *r = f->scan;
  choose_owners(f, terms, count, owners);
  for (uint32_t t = 0; t < count; t++) {
    const rdx_sieve_cost cost = cost_of(f, terms, count, owners[t], t);
    rdx_sieve_term(&r->sieves[terms[t].column], &r->encodings[terms[t].column], &terms[t], &cost, &sieved[t]);
  }
}

/* One conjunction of all terms. */
static void begin(const form *f, const rdx_term *terms, uint32_t count, run *q) {
  q->form = f;
  q->terms = terms;
  q->count = count;
  q->part_count = 0;
  q->conjunctions = 1;
  q->ends[0] = count;
  begin_conjunction(f, terms, count, q->sieved, q->owners);
}

static void begin_call(const form *f, const rdx_scan_call *call, run *q) {
  if (!call->ends) {
    begin(f, call->terms, call->count, q);
    return;
  }
  q->form = f;
  q->terms = call->terms;
  q->count = call->count;
  q->part_count = 0;
  q->conjunctions = call->conjunctions;
  for (uint32_t k = 0, first = 0; k < call->conjunctions; first = q->ends[k++]) {
    q->ends[k] = call->ends[k];
    begin_conjunction(f, q->terms + first, q->ends[k] - first, q->sieved + first, q->owners + first);
  }
}

/* What the vectors, rays and hits of a query are expected to take, before that is compared with samples. */
static double work_of(const rtscan *r, const run *q, const rdx_regions *regions) {
  double vectors = 1;
  for (uint32_t t = 0; t < q->count; t++)
    vectors += q->sieved[t].read;
  return rdx_work_ms(&r->rates, &(rdx_work){.bytes = vectors * (double)(r->rows / 8),
                                            .rays = (double)regions->rays,
                                            .hits = regions->hits,
                                            .primitives = (double)r->rows});
}

/* The expected milliseconds of a call by a form, whose borders `q` gets, and its regions. */
static double begin_form(const form *f, const rdx_scan_call *call, run *q, rdx_regions *regions) {
  begin_call(f, call, q);
  *regions = count_regions(f->scan, q);
  return rdx_curve_ms(&f->rate, work_of(f->scan, q, regions));
}

static double work_form(const void *self, const rdx_term *terms, uint32_t count) {
  const form *f = self;
  run q;
  begin(f, terms, count, &q);
  const rdx_regions regions = count_regions(f->scan, &q);
  return work_of(f->scan, &q, &regions);
}

/* Choose borders by the form that is expected to be fastest; `q` is of it. Lines are considered where they could be. */
static rdx_regions choose_form(const rtscan *r, const rdx_scan_call *call, run *q, double *ms) {
  rdx_regions regions, others;
  *ms = begin_form(&r->forms[0], call, q, &regions);
  if (r->form_count == 1 || *ms <= r->forms[1].rate.fixed_ms)
    return regions;
  run lines;
  lines.begun = q->begun;
  const double ms_lines = begin_form(&r->forms[1], call, &lines, &others);
  if (ms_lines >= *ms)
    return regions;
  *ms = ms_lines;
  *q = lines;
  return others;
}

static double work(const void *self, const rdx_term *terms, uint32_t count) {
  const rtscan *r = self;
  const rdx_scan_call call = {.terms = terms, .count = count};
  run q;
  double ms;
  const rdx_regions regions = choose_form(r, &call, &q, &ms);
  return r->form_count > 1 ? ms : work_of(r, &q, &regions);
}

static uint32_t max_conjunctions(const void *self) {
  const rtscan *r = self;
  return r->params.published ? 1 : MAX_TERMS; /* published: conjunctions only */
}

static rdx_status make_query(const rtscan *r, run *q, uint32_t regions, rdx_error *err) {
  RDX_TRY(rdx_sieve_query_create(r->columns, q->terms, q->count, r->sieves, q->sieved,
                                 regions * (uint32_t)sizeof(struct ray_matrix_region), &q->query, err));
  for (uint32_t k = 0, t = 0; k < q->conjunctions; k++)
    for (; t < q->ends[k]; t++)
      SIEVE_TERM(q->query.words, t).end = q->ends[k];
  fill_regions(r, q, regions);
  return RDX_OK;
}

/* A query whose borders are chosen. */
static rdx_status evaluate_run(const rtscan *r, run *q, rdx_stream *stream, rdx_scan_call *call, rdx_buffer *counters,
                               rdx_scan_counts *counts, rdx_error *err) {
  RDX_TRY(make_query(r, q, q->regions, err));
  if (counts)
    counts->transform_ms += rdx_now_ms() - q->begun;
  const rdx_status status = launch(r, q, call->narrow, stream, call->out, counters, err);
  rdx_sieve_query_destroy(&q->query);
  if (counts) {
    double possible = 1, certain = 1;
    add_counts(r, q, counts);
    add_volumes(r, q, &possible, &certain);
    counts->reduced = q->conjunctions == 1 && possible > 0 ? certain / possible : 0;
    counts->group = q->form->size;
  }
  return status;
}

static rdx_status evaluate_at_once(const rtscan *r, rdx_stream *stream, rdx_scan_call *call, rdx_buffer *counters,
                                   rdx_scan_counts *counts, rdx_error *err) {
  run q;
  double ms;
  q.begun = counts ? rdx_now_ms() : 0;
  q.regions = choose_form(r, call, &q, &ms).count;
  return evaluate_run(r, &q, stream, call, counters, counts, err);
}

/* By one form, without counting: for its rate. */
static rdx_status evaluate_form(const void *self, rdx_stream *stream, rdx_scan_call *call,
                                RDX_UNUSED rdx_scan_counts *counts, rdx_error *err) {
  const form *f = self;
  run q;
  begin(f, call->terms, call->count, &q);
  q.regions = count_regions(f->scan, &q).count;
  return evaluate_run(f->scan, &q, stream, call, NULL, NULL, err);
}

/* ---- As published: vectors and groups each by itself, merged by AND ---- */

/* The terms of one group and the bitmaps of their vectors, the first of which becomes the group's result. */
typedef struct group_run {
  run run;
  rdx_buffer *bitmaps[3];
} group_run;

/* Whether two columns stand in the same group. */
static bool grouped(const rtscan *r, uint32_t a, uint32_t b) {
  return a / r->forms[0].size == b / r->forms[0].size;
}

static rdx_status sieve_group(const rtscan *r, group_run *g, rdx_stream *stream, const rdx_buffer *out,
                              rdx_error *err) {
  for (uint32_t t = 0; t < g->run.count; t++) {
    RDX_TRY(rdx_stream_scratch(stream, out->size, "a sieving bit vector", &g->bitmaps[t], err));
    RDX_TRY(sieve_alone(r, &g->run.terms[t], 1, &g->run.sieved[t], stream, g->bitmaps[t], err));
  }
  return RDX_OK;
}

/* RTScan, section 4.1 "their results are merged by CUDA cores as the final result". */
static rdx_status merge_groups(const rtscan *r, const group_run *groups, uint32_t count, bool narrow,
                               rdx_stream *stream, rdx_buffer *out, rdx_error *err) {
  if (!narrow)
    RDX_TRY(rdx_stream_copy(stream, groups[0].bitmaps[0], 0, out, 0, out->size, err));
  for (uint32_t k = narrow ? 0 : 1; k < count; k++)
    RDX_TRY(rdx_bitmap_combine(stream, BITMAP_AND, out, groups[k].bitmaps[0], r->rows, err));
  return RDX_OK;
}

static rdx_status launch_groups(const rtscan *r, group_run *groups, uint32_t count, const rdx_scan_call *call,
                                rdx_stream *stream, rdx_buffer *counters, rdx_error *err) {
  RDX_TRY(end_stage(stream, counters, err));
  for (uint32_t k = 0; k < count; k++)
    RDX_TRY(sieve_group(r, &groups[k], stream, call->out, err));
  RDX_TRY(end_stage(stream, counters, err));
  for (uint32_t k = 0; k < count; k++)
    for (uint32_t t = 1; t < groups[k].run.count; t++)
      RDX_TRY(rdx_bitmap_combine(stream, BITMAP_AND, groups[k].bitmaps[0], groups[k].bitmaps[t], r->rows, err));
  RDX_TRY(end_stage(stream, counters, err));
  for (uint32_t k = 0; k < count; k++) {
    uint64_t address = 0;
    RDX_TRY(rdx_sieve_query_send(&groups[k].run.query, stream, &address, err));
    RDX_TRY(trace_parts(&groups[k].run, address, stream, NULL, groups[k].bitmaps[0], counters, err));
  }
  RDX_TRY(end_stage(stream, counters, err));
  RDX_TRY(merge_groups(r, groups, count, call->narrow, stream, call->out, err));
  return end_stage(stream, counters, err);
}

static rdx_status evaluate_by_groups(const rtscan *r, rdx_stream *stream, rdx_scan_call *call, rdx_buffer *counters,
                                     rdx_scan_counts *counts, rdx_error *err) {
  group_run *groups = NULL;
  uint32_t count = 0;
  const double start = rdx_now_ms();
  rdx_status status = rdx_calloc(call->count, sizeof *groups, "RTScan", (void **)&groups, err);
  for (uint32_t t = 0, end; t < call->count && status == RDX_OK; t = end) { /* terms ascend by column */
    for (end = t + 1; end < call->count && grouped(r, call->terms[t].column, call->terms[end].column);)
      end++;
    run *q = &groups[count].run;
    begin(&r->forms[0], call->terms + t, end - t, q);
    status = make_query(r, q, count_regions(r, q).count, err);
    count += status == RDX_OK;
  }
  if (counts)
    counts->transform_ms += rdx_now_ms() - start;
  if (status == RDX_OK)
    status = launch_groups(r, groups, count, call, stream, counters, err);
  double possible = 1, certain = 1;
  for (uint32_t k = 0; k < count; k++) {
    rdx_sieve_query_destroy(&groups[k].run.query);
    if (!counts)
      continue;
    add_counts(r, &groups[k].run, counts);
    add_volumes(r, &groups[k].run, &possible, &certain);
    counts->reduced = possible > 0 ? certain / possible : 0;
    counts->group = r->forms[0].size;
  }
  rdx_free(groups);
  return status;
}

static rdx_status evaluate(const void *self, rdx_stream *stream, rdx_scan_call *call, rdx_scan_counts *counts,
                           rdx_error *err) {
  const rtscan *r = self;
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *counters = NULL;
  if (counts)
    RDX_TRY(rdx_counters_create(stream, &counters, err));
  RDX_TRY((r->params.published ? evaluate_by_groups : evaluate_at_once)(r, stream, call, counters, counts, err));
  if (counts) {
    RDX_TRY(rdx_counters_read(stream, counters, counts, err)); /* finishes the stream */
    counts->sieve_ms += rdx_stream_elapsed(stream, BEGUN, SIEVED);
    counts->merge_ms += rdx_stream_elapsed(stream, SIEVED, MERGED) + rdx_stream_elapsed(stream, REFINED, GROUPS_MERGED);
    counts->refine_ms += rdx_stream_elapsed(stream, MERGED, REFINED);
  }
  return RDX_OK;
}

static uint32_t borders(const void *self, uint32_t column, const uint32_t **out) {
  const rtscan *r = self;
  *out = r->sieves[column].borders + 1;
  return r->sieves[column].border_count;
}

const rdx_scan_ops rdx_rtscan_ops = {
    .name = "rtscan",
    .size = sizeof(rtscan),
    .traces_rays = true,
    .max_intervals = INTERVALS,
    .max_terms = MAX_TERMS,
    .estimate = estimate,
    .build = build,
    .evaluate = evaluate,
    .work = work,
    .max_conjunctions = max_conjunctions,
    .borders = borders,
    .destroy = destroy,
};
