/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The RT cube with the rank mapping, after RTCUDB: a triangle for each row, x the measures, y the group, z the row's
 * rank in the order of scan codes; rays along z through the runs of rows that a query means. kernels/star/rt_cube.h
 * proves that each row of them counts once. Rows are stored in the order of z, as are their triangles. Groups and
 * measures come from packed columns; as published they come from the coordinates (rtcudb.c). */

#include <math.h>
#include <stdatomic.h>

#include "star/method/rt_cube.h"
#include "star/method/rt_filter.h"
#include "base/numbers.h"

#define X_BITS 21 /* 2^21 and legs of 2^22 stay below 2^23 */
#define Y_BITS 21
#define Z_BITS 24
#define CPU_Z_SHIFT 2       /* a leaf of Embree's trees has four triangles: those of one z */
#define CPU_LEG 0x1p46f     /* 2^-24 of it is more than any coordinate */
#define GPU_Z_SCALE 0x1p16f /* a power of two */
#define FLAT 31             /* a shift that makes z 0, or 1 */
#define MAX_HALF_LEG (1u << 21)
#define MAX_GRID 1024    /* rays of a grid that the model asks for */
#define GPU_PIECES 65536 /* wanted of a query of many rows */
#define GPU_MIN 8        /* rows of a piece */
#define CPU_MIN 4096

typedef struct rt_cube {
  rdx_cube_core core;
  rdx_rt_cube_params params;
  uint32_t x_shift, y_shift, z_shift;
  rdx_rt_grid grid;
  float leg_x, leg_y, z_scale;
  uint64_t x_count, y_count; /* coordinates are below */
  uint32_t *z_cuts;          /* SPLIT_SCAN: the first scan places of each code of the first attribute */
  uint32_t z_cut_count;
  rdx_buffer *owners; /* NULL: the grid is one ray */
  rdx_buffer *places; /* SPLIT_SCAN: of rows */
  rdx_scene *scene;
} rt_cube;

static void destroy(void *self) {
  rt_cube *c = self;
  rdx_scene_destroy(&c->scene);
  RDX_DESTROY_BUFFERS(&c->owners, &c->places);
  rdx_free(c->z_cuts);
  rdx_cube_destroy(&c->core);
}

static bool on_cpu(const rt_cube *c) {
  return c->core.device->info.backend == RDX_BACKEND_CPU;
}

/* ---- Options ---- */

static bool is_leg(double leg) {
  return leg == 0 || (leg >= 2 && leg <= 2.0 * MAX_HALF_LEG);
}

rdx_status rdx_rt_cube_check_params(const rdx_rt_cube_params *p, rdx_error *err) {
  if (p->operators > RDX_RT_CUBE_SEPARATE_SCAN || p->build > RDX_BUILD_LOW_MEMORY)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rt_cube: unknown operators or build preference");
  if (!is_leg(p->leg_x) || !is_leg(p->leg_y) || (p->leg_x > 2.0 * RT_MAX_HALF_LEG && p->leg_y > 2.0 * RT_MAX_HALF_LEG))
    return rdx_fail(err, RDX_ERROR_ARGUMENT,
                    "rt_cube: legs must be 2 to %u, one of them at most %u (0: by the model), not %g and %g",
                    2 * MAX_HALF_LEG, 2 * RT_MAX_HALF_LEG, p->leg_x, p->leg_y);
  if (p->sub_accumulators > STAR_COPIES)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rt_cube: sub-accumulators must be at most %u, not %u", STAR_COPIES,
                    p->sub_accumulators);
  return RDX_OK;
}

static rdx_status check_params(const rdx_rt_cube_params *p, rdx_error *err) {
  RDX_TRY(rdx_rt_cube_check_params(p, err));
  if (p->operators == RDX_RT_CUBE_SPLIT_GROUP)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "rt_cube: the rank mapping reads groups from memory in any case; split_group needs the published "
                    "mapping");
  if (p->grid > 0 || p->order > 0 || p->rows > 0 || p->unit_z != 0)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "rt_cube: grid, order, rows and unit_z are options of the published mapping");
  return RDX_OK;
}

/* ---- Coordinates ---- */

/* RTCUDB, section 6.6 "We refer to this approach as splitting". */
rdx_status rdx_rt_cube_cut(const rdx_tuples *t, uint32_t attributes, uint32_t **out, uint32_t *out_count,
                           rdx_error *err) {
  const uint32_t shift = attributes > 0 ? t->shifts[attributes - 1] : 0;
  RDX_TRY(rdx_alloc((size_t)t->count + 1, sizeof **out, "the cells of a cube", (void **)out, err));
  (*out)[0] = 0;
  *out_count = 1;
  for (uint32_t i = 1; i < t->count && attributes > 0; i++)
    if (shift < 64 && t->keys[i] >> shift != t->keys[i - 1] >> shift)
      (*out)[(*out_count)++] = i;
  return RDX_OK;
}

/* Numbers that pass the bits of a coordinate keep their highest bits there. */
static rdx_status choose_coordinates(rt_cube *c, rdx_error *err) {
  const rdx_rt_cube_operators operators = c->params.operators;
  const uint32_t groups = c->core.groups.count, attributes = c->core.scan.attribute_count;
  while (groups >> c->y_shift >= 1u << Y_BITS)
    c->y_shift++;
  c->y_count = groups > 0 ? ((groups - 1) >> c->y_shift) + 1 : 1;
  c->z_shift = on_cpu(c) ? CPU_Z_SHIFT : 0;
  while (c->core.rows > 0 && (c->core.rows - 1) >> c->z_shift >= 1u << Z_BITS)
    c->z_shift++;
  if (operators == RDX_RT_CUBE_SEPARATE_SCAN)
    c->z_shift = FLAT;
  if (operators != RDX_RT_CUBE_SPLIT_SCAN)
    return RDX_OK;
  return rdx_rt_cube_cut(&c->core.scan, attributes > 0 ? 1 : 0, &c->z_cuts, &c->z_cut_count, err);
}

#define X_MEASURES 8 /* at most */

/* x: the codes of as many measures as fit, side by side; those that are all alike say nothing. Returns the number of
 * steps. A cube may have any number of measures. */
static uint32_t make_x(rt_cube *c, star_step steps[2 * X_MEASURES]) {
  uint32_t count = 0, bits = 0;
  for (uint32_t i = 0; i < c->core.plan.measure_count; i++) {
    const rdx_cube_measure *m = &c->core.measures[i];
    const uint32_t own = rdx_bit_length(m->largest);
    if (own == 0)
      continue;
    if (count + 2 > 2 * X_MEASURES || (count > 0 && bits + own > X_BITS))
      break;
    steps[count++] = (star_step){.codes = RDX_ADDRESS(uint32_t, m->codes),
                                 .null_code = UINT64_MAX,
                                 .factor = 1ull << bits,
                                 .kind = STAR_ATTRIBUTE,
                                 .bytes = m->bytes};
    if (count > 1)
      steps[count++] = (star_step){.kind = STAR_ADD};
    bits += own;
  }
  c->x_shift = bits > X_BITS ? bits - X_BITS : 0;
  c->x_count = 1ull << (bits - c->x_shift);
  if (count == 0)
    steps[count++] = (star_step){.kind = STAR_CONSTANT};
  return count;
}

/* RTCUDB, section 3.2 "Rays are launched as a two-dimensional array". */
void rdx_rt_grid_divide(const rdx_rt_cube_params *p, double rays, uint64_t x_codes, uint64_t y_codes,
                        rdx_rt_grid *out) {
  uint64_t lines = (uint64_t)ceil(sqrt(rays));
  lines = lines < y_codes ? lines : y_codes;
  uint64_t columns = (uint64_t)ceil(rays / (double)lines);
  columns = columns < x_codes ? columns : x_codes;
  out->half_x = p->leg_x > 0 ? (uint32_t)(p->leg_x / 2) : (uint32_t)((x_codes + columns - 1) / columns);
  out->half_y = p->leg_y > 0 ? (uint32_t)(p->leg_y / 2) : (uint32_t)((y_codes + lines - 1) / lines);
}

rdx_status rdx_rt_grid_count(uint64_t x_codes, uint64_t y_codes, rdx_rt_grid *grid, rdx_error *err) {
  const uint64_t columns = (x_codes - 1) / grid->half_x + 1, lines = (y_codes - 1) / grid->half_y + 1;
  if (columns * lines > UINT32_MAX)
    return rdx_fail(err, RDX_ERROR_ARGUMENT,
                    "rt_cube: with legs of %u and %u an interval of z takes %llu times %llu rays, more than 2^32 - 1: "
                    "use longer legs",
                    2 * grid->half_x, 2 * grid->half_y, (unsigned long long)columns, (unsigned long long)lines);
  grid->columns = (uint32_t)columns;
  grid->lines = (uint32_t)lines;
  return RDX_OK;
}

/* The grid. With n rays in it a query traces n for each piece of z; rows are hit 1 to 3 times, once if n is 1. Pieces
 * may be as short as one likes, so one ray is best, except where all rows have one z. */
static void choose_steps(rt_cube *c) {
  const bool separate = c->params.operators == RDX_RT_CUBE_SEPARATE_SCAN;
  const double wanted = on_cpu(c) ? 4.0 * c->core.device->info.threads : MAX_GRID;
  const double rays = wanted < MAX_GRID ? wanted : MAX_GRID;
  rdx_rt_grid_divide(&c->params, separate ? rays : 1, c->x_count, c->y_count, &c->grid);
}

/* Where one ray does for all, the tree is to be one of z, along which all rays go: then a short ray meets what it hits
 * and little else. Embree's fast builder sorts triangles by the centres of their boxes, each axis as fine as any other;
 * legs so long that their far ends do not depend on x and y give all boxes the same centre but for z. Drivers of GPUs
 * weigh the areas of boxes, of which legs so long would hide what z adds (on one it took forever); with large units of
 * z, cuts across z save the most area. */
static void choose_legs(rt_cube *c) {
  const bool asked = c->params.leg_x > 0 || c->params.leg_y > 0;
  const bool one = !asked && c->grid.half_x >= c->x_count && c->grid.half_y >= c->y_count;
  if (!one && c->grid.half_x > RT_MAX_HALF_LEG && c->grid.half_y > RT_MAX_HALF_LEG) {
    if (c->params.leg_y > 0)
      c->grid.half_x = RT_MAX_HALF_LEG;
    else
      c->grid.half_y = RT_MAX_HALF_LEG;
  }
  const float factor = one ? 4 : 2;
  c->leg_x = one && on_cpu(c) ? CPU_LEG : factor * (float)c->grid.half_x;
  c->leg_y = one && on_cpu(c) ? CPU_LEG : factor * (float)c->grid.half_y;
  c->z_scale = one && !on_cpu(c) ? GPU_Z_SCALE : 1;
}

static rdx_status choose_grid(rt_cube *c, rdx_error *err) {
  choose_steps(c);
  choose_legs(c);
  return rdx_rt_grid_count(c->x_count, c->y_count, &c->grid, err);
}

/* ---- Building ---- */

static rdx_status launch_place(const rt_cube *c, const star_step *steps, uint32_t step_count, rdx_buffer *triangles,
                               rdx_stream *stream, rdx_error *err) {
  uint64_t step_address = 0;
  RDX_TRY(rdx_stream_constants(stream, steps, step_count * sizeof *steps, &step_address, err));
  const struct rt_place_args args = {.steps = (star_step *)(uintptr_t)step_address,
                                     .groups = RDX_ADDRESS(uint32_t, c->core.group_codes),
                                     .triangles = RDX_ADDRESS(float, triangles),
                                     .owners = RDX_ADDRESS(uint32_t, c->owners),
                                     .step_count = step_count,
                                     .group_bytes = c->core.group_bytes,
                                     .x_shift = c->x_shift,
                                     .y_shift = c->y_shift,
                                     .z_shift = c->z_shift,
                                     .half_x = c->grid.half_x,
                                     .half_y = c->grid.half_y,
                                     .columns = c->grid.columns,
                                     .leg_x = c->leg_x,
                                     .leg_y = c->leg_y,
                                     .z_scale = c->z_scale};
  RDX_TRY(rdx_stream_launch(stream, &rdx_kernel_rt_place, &args, NULL, c->core.rows, NULL, err));
  return rdx_stream_finish(stream, err);
}

static rdx_status place_triangles(rt_cube *c, const star_step *steps, uint32_t step_count, rdx_buffer *triangles,
                                  rdx_error *err) {
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  if (c->grid.columns * c->grid.lines > 1)
    RDX_TRY(rdx_buffer_create(c->core.device, c->core.rows * 4, "the rays of rows", &c->owners, err));
  RDX_TRY(rdx_stream_create_for(c->core.device, "build", &stream, err));
  return launch_place(c, steps, step_count, triangles, stream, err);
}

/* Embree's fast builder cuts the axes of x, y and z alike, whatever their units: that suits rays along z. */
rdx_build_preference rdx_rt_cube_preference(const rdx_rt_cube_params *p, const rdx_device *device) {
  const bool fast = p->build == RDX_BUILD_DEFAULT && device->info.backend == RDX_BACKEND_CPU;
  return fast ? RDX_BUILD_FAST_BUILD : p->build;
}

static rdx_status build_scene(rt_cube *c, rdx_error *err) {
  star_step steps[2 * X_MEASURES];
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *triangles = NULL;
  rdx_scene_params scene = {.kind = RDX_SCENE_TRIANGLES,
                            .count = c->core.rows,
                            .preference = rdx_rt_cube_preference(&c->params, c->core.device),
                            .compact = true,
                            .single_any_hit = true};
  const uint32_t step_count = make_x(c, steps);
  RDX_TRY(choose_grid(c, err));
  RDX_TRY(rdx_device_expect(c->core.device, scene.count * 40 + rdx_scene_estimate(c->core.device, &scene),
                            "the scene of an rt_cube", "use fewer rows, or a coarse_cube", err));
  RDX_TRY(rdx_buffer_create(c->core.device, c->core.rows * 36, "triangles", &triangles, err));
  RDX_TRY(place_triangles(c, steps, step_count, triangles, err));
  scene.primitives = triangles;
  return rdx_scene_create(c->core.device, &scene, &c->scene, err);
}

static rdx_status build_parts(const rdx_packed_relation *relation, const rdx_cube_spec *spec, rt_cube *c,
                              rdx_error *err) {
  RDX_SCOPED(rdx_cube_rows_drop) rdx_cube_rows rows = {0};
  RDX_TRY(rdx_cube_begin(relation, spec, &c->core, &rows, err));
  RDX_TRY(rdx_cube_store(&c->core, &rows, err));
  if (c->params.operators == RDX_RT_CUBE_SEPARATE_SCAN && spec->scan_count > 0 && c->core.rows > 0)
    RDX_TRY(rdx_rt_filter_create(&c->core, &rows, spec->scan, spec->scan_count, err));
  rdx_cube_rows_drop(&rows);
  if (c->params.operators == RDX_RT_CUBE_SPLIT_SCAN)
    RDX_TRY(rdx_cube_places(&c->core, &c->places, err));
  RDX_TRY(choose_coordinates(c, err));
  return build_scene(c, err);
}

static rdx_status build(void *self, const rdx_packed_relation *relation, const rdx_star_params *params,
                        const rdx_cube_spec *spec, uint64_t *bytes, rdx_error *err) {
  rt_cube *c = self;
  RDX_TRY(check_params(&params->rt_cube, err));
  const uint64_t used = atomic_load(&relation->device->memory_used);
  c->params = params->rt_cube;
  RDX_TRY(build_parts(relation, spec, c, err));
  *bytes = atomic_load(&relation->device->memory_used) - used + rdx_cube_host_bytes(&c->core);
  return RDX_OK;
}

/* ---- Answering ---- */

static void work(const void *self, const rdx_plan *plan, rdx_work *out) {
  const rt_cube *c = self;
  double ranges = 0, rows = 0;
  rdx_cube_estimate(&c->core, plan, &ranges, &rows);
  *out = rdx_cube_searches(&c->core, ranges);
  out->launches = 1;
  out->rays = ranges * c->grid.columns * c->grid.lines;
  out->hits = rows;
  out->primitives = (double)c->core.rows;
}

typedef struct request {
  rdx_cube_run *run;
  uint32_t run_count, cells; /* the runs are in run->rows */
  uint64_t rays;
} request;

/* ---- Runs of rows ---- */

/* The run of rows that a ray must pass for the ranges of places `first` and on: one of them, or with operators split
 * all ranges that the same codes of the first attribute have. */
static rt_run find_run(const rt_cube *c, const rdx_ranges *ranges, uint32_t first) {
  const uint32_t *starts = c->core.scan.starts, *low = &ranges->list[2 * (size_t)first];
  if (c->z_shift == FLAT)
    return (rt_run){.end = (uint32_t)c->core.rows, .range_count = ranges->count};
  if (!c->z_cuts)
    return (rt_run){.begin = starts[low[0]], .end = starts[low[1]], .first_range = first, .range_count = 1};
  const uint32_t begin = c->z_cuts[star_find(c->z_cuts, c->z_cut_count, low[0])];
  uint32_t end = begin, count = 0;
  while (first + count < ranges->count && (count == 0 || ranges->list[2 * (first + count)] < end)) {
    const uint32_t last = star_find(c->z_cuts, c->z_cut_count, ranges->list[2 * (first + count++) + 1] - 1);
    end = last + 1 < c->z_cut_count ? c->z_cuts[last + 1] : c->core.scan.count;
  }
  return (rt_run){.begin = starts[begin], .end = starts[end], .first_range = first, .range_count = count};
}

static uint32_t cells_of(const rt_cube *c, const rt_run *run) {
  return ((run->end - 1) >> c->z_shift) - (run->begin >> c->z_shift) + 1;
}

/* z of a piece at most: a GPU is to have many rays, and what each of them begins with should pay. */
static uint32_t piece_cells(const rt_cube *c, uint64_t cells) {
  const uint64_t wanted = on_cpu(c) ? 4 * c->core.device->info.threads : GPU_PIECES;
  const uint64_t min = (on_cpu(c) ? CPU_MIN : GPU_MIN) >> c->z_shift;
  const uint64_t each = (cells * c->grid.columns * c->grid.lines + wanted - 1) / wanted;
  const uint64_t max = each > min ? each : min;
  return (uint32_t)(max < 1 ? 1 : max < RT_MAX_CELLS ? max : RT_MAX_CELLS);
}

/* More rays than these are the doing of short legs. */
#define RAYS_A_ROW 64
#define RAYS_ANYWAY (1u << 22) /* about a second of a CPU */

rdx_status rdx_rt_cube_check_rays(const rdx_rt_cube_params *p, uint64_t rays, uint64_t rows, const rdx_rt_grid *grid,
                                  rdx_error *err) {
  if (rays > UINT32_MAX)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "a query needs %llu rays, more than 2^32 - 1: use longer legs",
                    (unsigned long long)rays);
  const bool asked = p->leg_x > 0 || p->leg_y > 0 || p->grid > 0;
  if (asked && !p->insist && rays > RAYS_ANYWAY && rays / RAYS_A_ROW > rows)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "a query needs %llu rays for %llu rows, in a grid of %u times %u: use longer legs, or insist",
                    (unsigned long long)rays, (unsigned long long)rows, grid->columns, grid->lines);
  return RDX_OK;
}

/* The runs of the ranges that were selected, cut to pieces. */
static rdx_status cut_runs(const rt_cube *c, request *r, rdx_error *err) {
  const rdx_ranges *ranges = &r->run->ranges;
  uint64_t cells = 0;
  RDX_TRY(rdx_cube_reserve(r->run, (uint64_t)ranges->count * (sizeof(rt_run) / 4), err));
  rt_run *runs = (rt_run *)(void *)r->run->rows;
  r->run_count = 0;
  for (uint32_t i = 0; i < ranges->count; i += runs[r->run_count++].range_count) {
    runs[r->run_count] = find_run(c, ranges, i);
    cells += cells_of(c, &runs[r->run_count]);
  }
  r->cells = piece_cells(c, cells);
  uint64_t pieces = 0;
  for (uint32_t i = 0; i < r->run_count; i++) {
    runs[i].first_piece = (uint32_t)pieces;
    pieces += (cells_of(c, &runs[i]) + r->cells - 1) / r->cells;
  }
  r->rays = pieces * c->grid.columns * c->grid.lines;
  return rdx_rt_cube_check_rays(&c->params, r->rays, c->core.rows, &c->grid, err);
}

uint32_t rdx_rt_cube_parts(const rdx_cube_core *core, uint64_t rays) {
  const uint64_t threads = core->device->info.threads, max = threads < STAR_COPIES ? threads : STAR_COPIES;
  return (uint32_t)(rays < max ? rays : max);
}

uint32_t rdx_rt_cube_copies(const rdx_cube_core *core, const rdx_rt_cube_params *p, uint32_t parts, uint32_t model) {
  const uint32_t asked = p->sub_accumulators;
  if (core->device->info.backend == RDX_BACKEND_CPU)
    return asked > 0 && asked < parts ? asked : parts;
  return asked > 0 ? asked : model;
}

static rdx_status launch(const rt_cube *c, request *r, rdx_error *err) {
  const uint32_t parts = rdx_rt_cube_parts(&c->core, r->rays);
  const uint32_t model = rdx_cube_copies(&c->core, r->run->call->plan, c->core.rows);
  uint64_t runs = 0, ranges = 0;
  RDX_TRY(rdx_cube_start(&c->core, rdx_rt_cube_copies(&c->core, &c->params, parts, model), r->run, err));
  RDX_TRY(rdx_stream_constants(r->run->stream, r->run->rows, r->run_count * sizeof(rt_run), &runs, err));
  if (c->places)
    RDX_TRY(
        rdx_stream_constants(r->run->stream, r->run->ranges.list, (uint64_t)r->run->ranges.count * 8, &ranges, err));
  const struct rt_rays_args args = {.query = (star_query *)(uintptr_t)r->run->query_address,
                                    .runs = (rt_run *)(uintptr_t)runs,
                                    .owners = RDX_ADDRESS(uint32_t, c->owners),
                                    .places = RDX_ADDRESS(uint32_t, c->places),
                                    .ranges = (uint32_t *)(uintptr_t)ranges,
                                    .bits = RDX_ADDRESS(uint32_t, r->run->bits),
                                    .counters = RDX_ADDRESS(uint64_t, r->run->counters),
                                    .run_count = r->run_count,
                                    .cells = r->cells,
                                    .z_shift = c->z_shift,
                                    .columns = c->grid.columns,
                                    .lines = c->grid.lines,
                                    .half_x = c->grid.half_x,
                                    .half_y = c->grid.half_y,
                                    .rays = (uint32_t)r->rays,
                                    .partition_size = (uint32_t)c->scene->partition_size,
                                    .parts = parts,
                                    .z_scale = c->z_scale};
  return rdx_stream_launch(r->run->stream, &rdx_kernel_rt_rays, &args, NULL, on_cpu(c) ? parts : r->rays, c->scene,
                           err);
}

static rdx_status answer(const void *self, rdx_cube_run *run, rdx_error *err) {
  const rt_cube *c = self;
  request r = {.run = run};
  RDX_TRY(rdx_cube_select(&c->core, run, err));
  if (run->ranges.count == 0)
    return RDX_OK;
  RDX_TRY(rdx_rt_filter_run(&c->core, c->core.scan.attributes, c->core.scan.attribute_count, run, err));
  RDX_TRY(cut_runs(c, &r, err));
  RDX_TRY(launch(c, &r, err));
  RDX_TRY(rdx_cube_finish(&c->core, run, err));
  return rdx_cube_count(run, c->scene, r.rays, err);
}

static rdx_status run(const void *self, rdx_star_call *call, rdx_error *err) {
  return rdx_cube_answer(self, answer, call, err);
}

const rdx_star_ops rdx_rt_cube_ops = {
    .method = RDX_STAR_RT_CUBE,
    .traces_rays = true,
    .size = sizeof(rt_cube),
    .build = build,
    .work = work,
    .tuples = rdx_cube_tuples,
    .run = run,
    .destroy = destroy,
};
