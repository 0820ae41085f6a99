/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The RT cube: RTCUDB. A triangle for each row, x the measures, y the group, z the scan code; rays
 * along z through the runs of z that a query means (sections 3.2 and 4). kernels/star/star.h proves that each row of
 * them counts once. Rows are stored in the order of z, as are their triangles. Numbers that pass the bits of a
 * coordinate keep their highest bits there, and are in device memory as a whole (section 4.5), where every number is
 * read from. */

#include <math.h>
#include <stdatomic.h>

#include "engine/rt_filter.h"
#include "engine/star.h"

#define X_BITS 21 /* 2^21 and legs of 2^22 stay below 2^23 */
#define Y_BITS 21
#define Z_BITS 22
#define MOST_HALF_LEG (1u << 21)
#define MOST_GRID 1024 /* rays of a grid that the model asks for */

typedef struct rt_cube {
  rdx_star star;
  rdx_rt_cube_params params;
  uint32_t x_shift, half_x, half_y, columns, lines;
  uint64_t x_count, y_count; /* coordinates are below */
  rdx_star_cells y, z;
  rdx_buffer *owners; /* NULL: the grid is one ray */
  rdx_buffer *places; /* NULL: z is a row's place */
  rdx_scene *scene;
  rdx_scan *filter; /* SEPARATE_SCAN */
} rt_cube;

static void destroy(void *self) {
  rt_cube *c = self;
  rdx_scene_destroy(&c->scene);
  rdx_buffer_destroy(&c->owners);
  rdx_buffer_destroy(&c->places);
  rdx_scan_destroy(&c->filter);
  rdx_free(c->y.cuts);
  rdx_free(c->z.cuts);
  rdx_star_destroy(&c->star);
  rdx_free(c);
}

static bool on_cpu(const rt_cube *c) {
  return c->star.device->info.backend == RDX_BACKEND_CPU;
}

/* ---- Options ---- */

static bool is_leg(double leg) {
  return leg == 0 || (leg >= 2 && leg <= 2.0 * MOST_HALF_LEG);
}

static rdx_status check_params(const rdx_rt_cube_params *p, rdx_error *err) {
  if (p->operators > RDX_RT_CUBE_SEPARATE_SCAN || p->build > RDX_BUILD_LOW_MEMORY)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rt_cube: unknown operators or build preference");
  if (!is_leg(p->leg_x) || !is_leg(p->leg_y) ||
      (p->leg_x > 2.0 * RT_MOST_HALF_LEG && p->leg_y > 2.0 * RT_MOST_HALF_LEG))
    return rdx_fail(err, RDX_ERROR_ARGUMENT,
                    "rt_cube: legs must be 2 to %u, one of them at most %u (0: by the model), not %g and %g",
                    2 * MOST_HALF_LEG, 2 * RT_MOST_HALF_LEG, p->leg_x, p->leg_y);
  if (p->sub_accumulators > STAR_COPIES)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rt_cube: sub-accumulators must be at most %u, not %u", STAR_COPIES,
                    p->sub_accumulators);
  return RDX_OK;
}

/* ---- Coordinates ---- */

/* The first places of each value of the first attribute. */
static rdx_status cut_by_first(const rdx_tuples *t, rdx_star_cells *out, rdx_error *err) {
  RDX_TRY(rdx_alloc((size_t)t->count + 1, sizeof *out->cuts, "the cells of a cube", (void **)&out->cuts, err));
  out->cuts[out->cut_count++] = 0;
  for (uint32_t i = 1; i < t->count; i++)
    if (t->attribute_count > 0 && rdx_tuples_code(t, i, 0) != rdx_tuples_code(t, i - 1, 0))
      out->cuts[out->cut_count++] = i;
  return RDX_OK;
}

static uint64_t cell_count(const rdx_star_cells *cells, uint32_t places) {
  return cells->cuts ? cells->cut_count : places == 0 ? 1 : ((places - 1) >> cells->shift) + 1;
}

static rdx_status choose_cells(rt_cube *c, rdx_error *err) {
  const rdx_rt_cube_operators operators = c->params.operators;
  while (c->star.scan.count >> c->z.shift >= 1u << Z_BITS)
    c->z.shift++;
  while (c->star.groups.count >> c->y.shift >= 1u << Y_BITS)
    c->y.shift++;
  if (operators == RDX_RT_CUBE_SPLIT_SCAN)
    RDX_TRY(cut_by_first(&c->star.scan, &c->z, err));
  if (operators == RDX_RT_CUBE_SPLIT_GROUP)
    RDX_TRY(cut_by_first(&c->star.groups, &c->y, err));
  if (operators == RDX_RT_CUBE_SEPARATE_SCAN) { /* z is 0 */
    RDX_TRY(rdx_calloc(1, sizeof *c->z.cuts, "the cells of a cube", (void **)&c->z.cuts, err));
    c->z.cut_count = 1;
  }
  if (cell_count(&c->z, 0) > 1u << Z_BITS || cell_count(&c->y, 0) > 1u << Y_BITS)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "rt_cube: the first attribute of a split operator has more values than a coordinate holds; do not "
                    "split it");
  c->y_count = cell_count(&c->y, c->star.groups.count);
  return RDX_OK;
}

static uint32_t bits_of(uint64_t largest) {
  return largest == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(largest);
}

/* x: the codes of as many measures as fit, side by side (section 4.4). Returns the number of steps. */
static uint32_t make_x(rt_cube *c, star_step *steps) {
  uint32_t count = 0, bits = 0;
  for (uint32_t i = 0; i < c->star.plan.measure_count; i++) {
    const rdx_star_measure *m = &c->star.measures[i];
    const uint32_t own = bits_of(m->largest);
    if (count > 0 && bits + own > X_BITS)
      break;
    steps[count++] = (star_step){.codes = RDX_ADDRESS(uint32_t, m->codes),
                                 .null_code = UINT64_MAX,
                                 .factor = 1ull << (count > 0 ? bits : 0),
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

/* The legs. With n rays in the grid a query traces n for each run of z; rows are hit 1 to 3 times, once if n is 1.
 * So one ray is best where the runs give rays enough: always on a CPU, where a few do. A GPU wants RDX_STAR_RAYS of
 * them, and 1/64 of all places stands for the queries to come. */
static void choose_legs(rt_cube *c) {
  const bool separate = c->params.operators == RDX_RT_CUBE_SEPARATE_SCAN;
  const double wanted = on_cpu(c) ? (separate ? 4.0 * c->star.device->info.threads : 1) : RDX_STAR_RAYS;
  const double runs = separate || on_cpu(c) ? 1 : (double)cell_count(&c->z, c->star.scan.count) / 64;
  double grid = ceil(wanted / (runs < 1 ? 1 : runs));
  grid = grid < MOST_GRID ? grid : MOST_GRID;
  uint64_t lines = (uint64_t)ceil(sqrt(grid));
  lines = lines < c->y_count ? lines : c->y_count;
  uint64_t columns = (uint64_t)ceil(grid / (double)lines);
  columns = columns < c->x_count ? columns : c->x_count;
  c->half_x = (uint32_t)((c->x_count + columns - 1) / columns);
  c->half_y = (uint32_t)((c->y_count + lines - 1) / lines);
  if (c->params.leg_x > 0)
    c->half_x = (uint32_t)(c->params.leg_x / 2);
  if (c->params.leg_y > 0)
    c->half_y = (uint32_t)(c->params.leg_y / 2);
  if (c->half_x > RT_MOST_HALF_LEG && c->half_y > RT_MOST_HALF_LEG) {
    if (c->params.leg_y > 0)
      c->half_x = RT_MOST_HALF_LEG;
    else
      c->half_y = RT_MOST_HALF_LEG;
  }
}

static rdx_status choose_grid(rt_cube *c, rdx_error *err) {
  choose_legs(c);
  const uint64_t columns = (c->x_count - 1) / c->half_x + 1, lines = (c->y_count - 1) / c->half_y + 1;
  if (columns * lines > UINT32_MAX)
    return rdx_fail(err, RDX_ERROR_ARGUMENT,
                    "rt_cube: with legs of %u and %u a run of z takes %llu times %llu rays, more than 2^32 - 1: use "
                    "longer legs",
                    2 * c->half_x, 2 * c->half_y, (unsigned long long)columns, (unsigned long long)lines);
  c->columns = (uint32_t)columns;
  c->lines = (uint32_t)lines;
  return RDX_OK;
}

/* ---- Building ---- */

static rdx_status launch_place(const rt_cube *c, const star_step *steps, uint32_t step_count, const rdx_buffer *places,
                               rdx_buffer *triangles, rdx_stream *stream, rdx_error *err) {
  uint64_t step_address = 0, y_cuts = 0, z_cuts = 0;
  RDX_TRY(rdx_stream_constants(stream, steps, step_count * sizeof *steps, &step_address, err));
  RDX_TRY(rdx_stream_constants(stream, c->y.cuts, (uint64_t)c->y.cut_count * 4, &y_cuts, err));
  RDX_TRY(rdx_stream_constants(stream, c->z.cuts, (uint64_t)c->z.cut_count * 4, &z_cuts, err));
  const struct rt_place_args args = {.steps = (star_step *)(uintptr_t)step_address,
                                     .groups = RDX_ADDRESS(uint32_t, c->star.group_codes),
                                     .places = RDX_ADDRESS(uint32_t, places),
                                     .y_cuts = (uint32_t *)(uintptr_t)y_cuts,
                                     .z_cuts = (uint32_t *)(uintptr_t)z_cuts,
                                     .triangles = RDX_ADDRESS(float, triangles),
                                     .owners = RDX_ADDRESS(uint32_t, c->owners),
                                     .step_count = step_count,
                                     .group_bytes = c->star.group_bytes,
                                     .x_shift = c->x_shift,
                                     .y_shift = c->y.shift,
                                     .z_shift = c->z.shift,
                                     .y_cut_count = c->y.cut_count,
                                     .z_cut_count = c->z.cut_count,
                                     .half_x = c->half_x,
                                     .half_y = c->half_y,
                                     .columns = c->columns};
  RDX_TRY(rdx_stream_launch(stream, &rdx_kernel_rt_place, &args, NULL, c->star.rows, NULL, err));
  return rdx_stream_finish(stream, err);
}

static rdx_status place_triangles(rt_cube *c, const star_step *steps, uint32_t step_count, const rdx_buffer *places,
                                  rdx_buffer *triangles, rdx_error *err) {
  rdx_stream *stream = NULL;
  if (c->columns * c->lines > 1)
    RDX_TRY(rdx_buffer_create(c->star.device, c->star.rows * 4, "the rays of rows", &c->owners, err));
  RDX_TRY(rdx_stream_create(c->star.device, &stream, err));
  const rdx_status status = launch_place(c, steps, step_count, places, triangles, stream, err);
  rdx_stream_destroy(&stream);
  return status;
}

/* Whether a row's z says that its place is in a run: then the place is not needed. */
static bool is_exact(const rt_cube *c) {
  return c->params.operators == RDX_RT_CUBE_SEPARATE_SCAN || (!c->z.cuts && c->z.shift == 0);
}

/* Triangles lie in the order of z, along which all rays go: on a CPU what is built fast is traced at least as fast. */
static rdx_build_preference preference(const rt_cube *c) {
  const bool fast = c->params.build == RDX_BUILD_DEFAULT && c->star.device->info.backend == RDX_BACKEND_CPU;
  return fast ? RDX_BUILD_FAST_BUILD : c->params.build;
}

static rdx_status build_scene(rt_cube *c, rdx_error *err) {
  star_step steps[2 * RDX_MOST_TUPLE];
  rdx_buffer *places = NULL;
  rdx_scene_params scene = {.kind = RDX_SCENE_TRIANGLES,
                            .count = c->star.rows,
                            .preference = preference(c),
                            .compact = true,
                            .single_any_hit = true};
  const uint32_t step_count = make_x(c, steps);
  RDX_TRY(choose_grid(c, err));
  RDX_TRY(rdx_device_expect(c->star.device, scene.count * 40 + rdx_scene_estimate(c->star.device, &scene),
                            "the scene of an rt_cube", "use fewer rows, or a coarse_cube", err));
  rdx_status status = rdx_buffer_create(c->star.device, c->star.rows * 36, "triangles", &scene.primitives, err);
  if (status == RDX_OK)
    status = rdx_star_places(&c->star, &places, err);
  if (status == RDX_OK)
    status = place_triangles(c, steps, step_count, places, scene.primitives, err);
  if (status == RDX_OK && !is_exact(c)) {
    c->places = places;
    places = NULL;
  }
  rdx_buffer_destroy(&places);
  if (status == RDX_OK)
    status = rdx_scene_create(c->star.device, &scene, &c->scene, err);
  rdx_buffer_destroy(&scene.primitives);
  return status;
}

static rdx_status build_parts(const rdx_coded_relation *relation, const rdx_cube_spec *spec, rt_cube *c,
                              rdx_error *err) {
  rdx_star_rows rows;
  rdx_status status = rdx_star_begin(relation, spec, &c->star, &rows, err);
  if (status == RDX_OK)
    status = rdx_star_store(&c->star, &rows, err);
  if (status == RDX_OK && c->params.operators == RDX_RT_CUBE_SEPARATE_SCAN && spec->scan_count > 0 && c->star.rows > 0)
    status = rdx_rt_filter_create(&c->star, &rows, &c->filter, err);
  rdx_star_rows_drop(&rows);
  if (status == RDX_OK)
    status = choose_cells(c, err);
  return status == RDX_OK ? build_scene(c, err) : status;
}

static rdx_status build(const rdx_coded_relation *relation, const rdx_engine_params *params, const rdx_cube_spec *spec,
                        uint64_t *bytes, void **out, rdx_error *err) {
  rt_cube *c = NULL;
  RDX_TRY(check_params(&params->rt_cube, err));
  const uint64_t used = atomic_load(&relation->device->memory_used);
  RDX_TRY(rdx_calloc(1, sizeof *c, "a cube", (void **)&c, err));
  c->params = params->rt_cube;
  const rdx_status status = build_parts(relation, spec, c, err);
  if (status != RDX_OK) {
    destroy(c);
    return status;
  }
  *bytes = atomic_load(&relation->device->memory_used) - used;
  *out = c;
  return RDX_OK;
}

/* ---- Answering ---- */

/* Nanoseconds: a ray takes some 500, a hit 20 on a core. */
static rdx_status cost(const void *self, const rdx_plan *plan, double *out, rdx_error *err) {
  const rt_cube *c = self;
  double ranges = 0, rows = 0;
  (void)err;
  rdx_star_estimate(&c->star, plan, &ranges, &rows);
  *out = 500 * ranges * c->columns * c->lines + 20 * rows;
  return RDX_OK;
}

typedef struct request {
  const rdx_plan *plan;
  rdx_star_run *run;
  rdx_buffer *bits, *counters;
  rdx_query_counts *counts;
  uint64_t pieces;
  double device_ms;
} request;

static uint32_t copies_of(const rt_cube *c, const rdx_plan *plan, uint64_t rays) {
  const uint64_t threads = c->star.device->info.threads;
  if (on_cpu(c))
    return (uint32_t)(rays < threads ? rays : threads);
  return c->params.sub_accumulators ? c->params.sub_accumulators : rdx_star_copies(&c->star, plan, c->star.rows);
}

static rdx_status launch(const rt_cube *c, request *r, rdx_error *err) {
  const uint64_t rays = r->pieces * c->columns * c->lines;
  const uint32_t copies = copies_of(c, r->plan, rays);
  uint64_t pieces = 0, ranges = 0;
  if (r->counters)
    RDX_TRY(rdx_stream_fill(r->run->stream, r->counters, 0, 16, 0, err));
  RDX_TRY(rdx_star_start(&c->star, r->plan, copies, r->run, err));
  RDX_TRY(rdx_stream_constants(r->run->stream, r->run->rows, r->pieces * sizeof(star_piece), &pieces, err));
  if (c->places)
    RDX_TRY(
        rdx_stream_constants(r->run->stream, r->run->ranges.list, (uint64_t)r->run->ranges.count * 8, &ranges, err));
  const struct rt_rays_args args = {.query = (star_query *)(uintptr_t)r->run->query_address,
                                    .pieces = (star_piece *)(uintptr_t)pieces,
                                    .owners = RDX_ADDRESS(uint32_t, c->owners),
                                    .places = RDX_ADDRESS(uint32_t, c->places),
                                    .ranges = (uint32_t *)(uintptr_t)ranges,
                                    .bits = RDX_ADDRESS(uint32_t, r->bits),
                                    .counters = RDX_ADDRESS(uint64_t, r->counters),
                                    .columns = c->columns,
                                    .lines = c->lines,
                                    .half_x = c->half_x,
                                    .half_y = c->half_y,
                                    .rays = (uint32_t)rays,
                                    .partition_size = (uint32_t)c->scene->partition_size,
                                    .parts = copies};
  return rdx_stream_launch(r->run->stream, &rdx_kernel_rt_rays, &args, NULL, on_cpu(c) ? copies : rays, c->scene, err);
}

static rdx_status select_rows(const rt_cube *c, request *r, rdx_error *err) {
  rdx_scan_counts counts = {0};
  RDX_TRY(rdx_star_select(&c->star, r->plan, r->run, err));
  if (!c->filter || r->run->ranges.count == 0)
    return RDX_OK;
  RDX_TRY(rdx_rt_filter_run(c->filter, &c->star, r->plan, &r->bits, r->counts ? &counts : NULL, &r->device_ms, err));
  if (r->counts) {
    r->counts->rays += counts.rays;
    r->counts->hits += counts.intersections;
    r->counts->bytes += counts.bytes;
  }
  return RDX_OK;
}

static rdx_status answer(const rt_cube *c, request *r, rdx_groups *out, rdx_error *err) {
  double ms = 0;
  RDX_TRY(select_rows(c, r, err));
  if (r->run->ranges.count == 0)
    return rdx_star_groups(r->plan, 0, out, err);
  RDX_TRY(rdx_star_cut(&c->star, &c->z, (uint64_t)c->columns * c->lines, r->run, &r->pieces, err));
  RDX_TRY(launch(c, r, err));
  RDX_TRY(rdx_star_finish(&c->star, r->plan, r->run, out, &ms, err));
  r->device_ms += ms;
  if (!r->counters)
    return RDX_OK;
  r->counts->rays += r->pieces * c->columns * c->lines;
  return rdx_star_counts(r->run, r->counters, r->counts, err);
}

static rdx_status run(const void *self, const rdx_plan *plan, rdx_groups *out, rdx_query_counts *counts,
                      double *device_ms, rdx_error *err) {
  rt_cube *c = (rt_cube *)(uintptr_t)self; /* spares are shared under a lock */
  request r = {.plan = plan, .counts = counts};
  if (counts)
    RDX_TRY(rdx_buffer_create(c->star.device, 16, "counters", &r.counters, err));
  rdx_status status = rdx_star_take(&c->star, &r.run, err);
  if (status == RDX_OK)
    status = answer(c, &r, out, err);
  *device_ms = r.device_ms;
  rdx_star_give(&c->star, &r.run, status);
  if (c->filter)
    rdx_spares_give_bitmap(c->filter->spares, &r.bits);
  rdx_buffer_destroy(&r.counters);
  return status;
}

const rdx_engine_ops rdx_rt_cube_ops = {
    .name = "rt_cube",
    .traces_rays = true,
    .cubes = true,
    .build = build,
    .cost = cost,
    .run = run,
    .destroy = destroy,
};
