/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* RTCUDB as published: attributes encoded in coordinates (sections 3.2 and 4). kernels/star/rtcudb.h proves that each
 * row of a query counts once. Rows lie in the order of the table, and so do their triangles. */

#include "base/numbers.h"
#include "star/method/rtcudb.h"

#include <stdatomic.h>

#include "star/method/rt_filter.h"
#include "star/spec.h"
#include "kernels/primitives/kernels.h"

#define GPU_RAYS 4096 /* of an interval of z */
#define EMULATED_RAYS 64

static bool on_cpu(const rdx_rtcudb *c) {
  return c->core.device->info.backend == RDX_BACKEND_CPU;
}

static void destroy(void *self) {
  rdx_rtcudb *c = self;
  rdx_scene_destroy(&c->scene);
  RDX_DESTROY_BUFFERS(&c->corners, &c->rests);
  for (uint32_t i = 0; c->scan && i < c->scan_count; i++)
    rdx_buffer_destroy(&c->scan[i].codes);
  RDX_FREE_ALL(c->scan, c->numbers, c->parts, c->cuts);
  rdx_cube_destroy(&c->core);
}

/* ---- z ---- */

static const rdx_encoded_column *coded_of(const rdx_rtcudb *c, uint32_t position) {
  return &c->core.relation->attributes[c->scan[position].number];
}

/* RTCUDB, section 4.5 "we encode as many attributes as possible in a coordinate". */
/* Of the first `max` attributes as many as z has room for. Returns the number of codes of z; `*left_out` is the first
 * attribute that it has no room for. */
static uint32_t pick_digits(rdx_rtcudb *c, uint32_t max, uint32_t *left_out) {
  uint64_t codes = 1;
  *left_out = max;
  for (uint32_t i = 0; i < max; i++) {
    const uint64_t own = rdx_encoded_column_codes(coded_of(c, i));
    if (own <= RTCUDB_CODES / codes) {
      c->scan[i].radix = (uint32_t)(own > 0 ? own : 1);
      codes *= c->scan[i].radix;
    } else if (*left_out == max) {
      *left_out = i;
    }
  }
  return (uint32_t)codes;
}

/* RTCUDB, section 4.2 "each n-tuple is uniquely mapped to a natural number". */
/* Where z has no room for any attribute it has the highest bits of one. */
static void choose_digits(rdx_rtcudb *c) {
  const rdx_rt_cube_operators operators = c->params.operators;
  uint32_t max = c->scan_count, left_out = 0;
  if (operators == RDX_RT_CUBE_SEPARATE_SCAN)
    max = 0;
  else if (operators == RDX_RT_CUBE_SPLIT_SCAN && max > 1)
    max = 1;
  c->z_codes = pick_digits(c, max, &left_out);
  if (c->z_codes == 1 && left_out < max) {
    rtcudb_attribute *a = &c->scan[left_out];
    const uint64_t last = rdx_encoded_column_codes(coded_of(c, left_out)) - 1;
    while (last >> a->shift >= RTCUDB_CODES)
      a->shift++;
    a->radix = (uint32_t)(last >> a->shift) + 1;
    c->z_codes = a->radix;
  }
  uint32_t codes = c->z_codes;
  for (uint32_t i = 0; i < c->scan_count; i++) {
    if (c->scan[i].radix == 0)
      continue;
    codes /= c->scan[i].radix;
    c->scan[i].stride = codes;
  }
}

static rdx_status shift_codes(const rdx_rtcudb *c, const star_step *step, uint32_t shift, bool narrow, rdx_buffer **out,
                              rdx_error *err) {
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(rdx_buffer_create(c->core.device, c->core.rows * (narrow ? 4 : 8), "the codes of a cube", out, err));
  const struct star_key_args args = {.keys = RDX_ADDRESS(uint64_t, *out),
                                     .codes = step->codes,
                                     .bytes = step->bytes,
                                     .first_attribute = 1,
                                     .shift = shift,
                                     .narrow = narrow};
  RDX_TRY(rdx_stream_create_for(c->core.device, "build", &stream, err));
  RDX_TRY(rdx_stream_launch(stream, &rdx_kernel_star_key, &args, NULL, c->core.rows, NULL, err));
  return rdx_stream_finish(stream, err);
}

/* RTCUDB, section 4.2 "Bijection Encoding". */
/* z of all rows, in the relation's order; NULL: all are 0. */
static rdx_status encode_z(const rdx_rtcudb *c, rdx_buffer *joined, rdx_buffer **out, rdx_error *err) {
  star_step steps[2 * RTCUDB_BITS];
  rdx_buffer *codes[RTCUDB_BITS] = {0};
  uint32_t digits = 0, count = 0;
  rdx_status status = RDX_OK;
  for (uint32_t i = 0; i < c->scan_count && status == RDX_OK; i++) {
    if (c->scan[i].radix < 2)
      continue;
    status = rdx_star_attribute(&c->core, coded_of(c, i), joined, &steps[count], &codes[digits], err);
    if (status == RDX_OK && c->scan[i].shift > 0)
      status = shift_codes(c, &steps[count], c->scan[i].shift, true, out, err);
    steps[count++].factor = c->scan[i].stride;
    if (digits++ > 0)
      steps[count++] = (star_step){.kind = STAR_ADD};
  }
  rdx_cube_column z = rdx_cube_column_of(steps, NULL, c->core.rows, 4);
  z.step_count = count;
  if (status == RDX_OK && digits > 0 && !*out)
    status = rdx_cube_pack(c->core.device, &z, out, err);
  for (uint32_t i = 0; i < digits; i++)
    rdx_buffer_destroy(&codes[i]);
  return status;
}

/* Rows in the order of z, with z. */
static rdx_status sort_by_z(const rdx_rtcudb *c, rdx_buffer *z, rdx_cube_rows *rows, rdx_error *err) {
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(rdx_buffer_create(c->core.device, c->core.rows * 4, "the order of a cube", &rows->order, err));
  RDX_TRY(rdx_stream_create_for(c->core.device, "build", &stream, err));
  RDX_TRY(rdx_primitive_iota(stream, rows->order, c->core.rows, err));
  RDX_TRY(rdx_stream_sort(stream, z, 4, RTCUDB_BITS, rows->order, c->core.rows, err));
  return rdx_stream_finish(stream, err);
}

/* RTCUDB, section 4.5 "storing the rest attributes in the GPU device memory". */
static rdx_status store_scan(rdx_rtcudb *c, const rdx_cube_rows *rows, rdx_error *err) {
  for (uint32_t i = 0; i < c->scan_count && c->params.operators != RDX_RT_CUBE_SEPARATE_SCAN; i++) {
    rtcudb_attribute *a = &c->scan[i];
    RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *codes = NULL;
    star_step step;
    if (a->radix > 0 && a->shift == 0)
      continue;
    a->bytes = rdx_code_bytes(rdx_encoded_column_codes(coded_of(c, i)));
    RDX_TRY(rdx_star_attribute(&c->core, coded_of(c, i), rows->joined, &step, &codes, err));
    const rdx_cube_column column = rdx_cube_column_of(&step, rows->order, c->core.rows, a->bytes);
    RDX_TRY(rdx_cube_pack(c->core.device, &column, &a->codes, err));
  }
  return RDX_OK;
}

/* ---- x ---- */

/* RTCUDB, Figure 10 "Encoding for Aggregation". */
/* Bit fields of measures side by side, the first the lowest, until x is full. */
static rdx_status choose_fields(rdx_rtcudb *c, rdx_error *err) {
  uint32_t used = 0;
  uint64_t largest = 0;
  RDX_TRY(rdx_calloc(c->core.plan.measure_count, sizeof *c->parts, "the measures of a cube", (void **)&c->parts, err));
  for (uint32_t i = 0; i < c->core.plan.measure_count; i++) {
    const uint32_t wanted = rdx_bit_length(c->core.measures[i].largest), left = RTCUDB_BITS - used;
    c->parts[i] = (rtcudb_part){.shift = left > 0 ? used : 0, .bits = wanted < left ? wanted : left};
    if (left > 0)
      largest |= wanted <= left ? c->core.measures[i].largest << used : (1ull << RTCUDB_BITS) - 1;
    used += c->parts[i].bits;
  }
  c->x_codes = (uint32_t)largest + 1;
  return RDX_OK;
}

/* RTCUDB, section 4.5 "Supporting More Attributes". */
/* Leave of the columns of measures what is not in x. */
static rdx_status drop_encoded(rdx_rtcudb *c, rdx_error *err) {
  for (uint32_t i = 0; i < c->core.plan.measure_count; i++) {
    rdx_cube_measure *m = &c->core.measures[i];
    const uint64_t largest = c->parts[i].bits == 64 ? 0 : m->largest >> c->parts[i].bits;
    if (c->parts[i].bits == 0)
      continue;
    RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *high = NULL, *whole = RDX_KEEP(m->codes);
    const star_step step = rdx_cube_load(whole, m->bytes);
    m->bytes = 0;
    if (largest == 0)
      continue;
    RDX_TRY(shift_codes(c, &step, c->parts[i].bits, false, &high, err));
    rdx_buffer_destroy(&whole);
    const star_step load = rdx_cube_load(high, 8);
    m->bytes = rdx_code_bytes(largest);
    const rdx_cube_column column = rdx_cube_column_of(&load, NULL, c->core.rows, m->bytes);
    RDX_TRY(rdx_cube_pack(c->core.device, &column, &m->codes, err));
  }
  return RDX_OK;
}

/* ---- y ---- */

/* RTCUDB, section 4.3 "serves as the Y-coordinate". */
/* The codes of all group attributes, or of as many as y has room for. */
static rdx_status choose_y(rdx_rtcudb *c, rdx_error *err) {
  const rdx_tuples *t = &c->core.groups;
  const uint32_t max =
      c->params.operators == RDX_RT_CUBE_SPLIT_GROUP && t->attribute_count > 0 ? 1 : t->attribute_count;
  uint32_t encoded = max;
  while (encoded > 0 && t->prefixes[encoded] > RTCUDB_CODES)
    encoded--;
  c->y_codes = t->count > 0 ? t->count : 1;
  if (t->count < 2 || encoded == t->attribute_count)
    return RDX_OK;
  RDX_TRY(rdx_rt_cube_cut(t, encoded, &c->cuts, &c->cut_count, err));
  c->y_codes = c->cut_count;
  return RDX_OK;
}

static uint64_t largest_rest(const rdx_rtcudb *c) {
  uint64_t largest = 0;
  for (uint32_t i = 0; i < c->cut_count; i++) {
    const uint32_t end = i + 1 < c->cut_count ? c->cuts[i + 1] : c->core.groups.count;
    largest = end - c->cuts[i] - 1 > largest ? end - c->cuts[i] - 1 : largest;
  }
  return largest;
}

/* ---- Rays ---- */

/* RTCUDB, section 3.2 "the two leg lengths of the right triangle". */
/* The paper's time is that of generating rays, which stays, and that of hits, which grows with the rows (section 6.2).
 * So a grid has the rays that keep a device busy with one interval: more take longer, and hit rows twice. */
static void choose_legs(rdx_rtcudb *c) {
  const rdx_rt_cube_params *p = &c->params;
  const rdx_device_info *info = &c->core.device->info;
  const double model = on_cpu(c) ? info->threads : info->emulated ? EMULATED_RAYS : GPU_RAYS;
  rdx_rt_grid_divide(p, p->grid > 0 ? p->grid : model, c->x_codes, c->y_codes, &c->grid);
  if (c->grid.half_x > RTCUDB_MAX_SHORT_HALF_LEG && c->grid.half_y > RTCUDB_MAX_SHORT_HALF_LEG)
    *(p->leg_y > 0 ? &c->grid.half_x : &c->grid.half_y) = RTCUDB_MAX_SHORT_HALF_LEG;
}

/* RTCUDB, section 3.2 "The rays launched should be dense enough to intersect all triangles in the region". */
static rdx_status choose_grid(rdx_rtcudb *c, rdx_error *err) {
  choose_legs(c);
  c->unit_z = c->params.unit_z > 0 ? (float)c->params.unit_z : 1;
  return rdx_rt_grid_count(c->x_codes, c->y_codes, &c->grid, err);
}

/* ---- Triangles ---- */

static rdx_status launch_place(const rdx_rtcudb *c, const rdx_buffer *groups, const rdx_buffer *z,
                               rdx_buffer *triangles, rdx_buffer *rests, rdx_stream *stream, rdx_error *err) {
  const uint32_t count = c->core.plan.measure_count;
  rtcudb_field fields[RTCUDB_BITS];
  uint64_t field_address = 0, cuts = 0;
  uint32_t used = 0;
  for (uint32_t i = 0; i < count; i++)
    if (c->parts[i].bits > 0)
      fields[used++] = (rtcudb_field){.rest = RDX_ADDRESS(uint32_t, c->core.measures[i].codes),
                                      .rest_bytes = c->core.measures[i].bytes,
                                      .shift = c->parts[i].shift,
                                      .bits = c->parts[i].bits};
  RDX_TRY(rdx_stream_constants(stream, fields, used * sizeof *fields, &field_address, err));
  RDX_TRY(rdx_stream_constants(stream, c->cuts, (uint64_t)c->cut_count * 4, &cuts, err));
  const struct rtcudb_place_args args = {.fields = (rtcudb_field *)(uintptr_t)field_address,
                                         .groups = RDX_ADDRESS(uint32_t, groups),
                                         .cuts = (uint32_t *)(uintptr_t)cuts,
                                         .rests = RDX_ADDRESS(uint32_t, rests),
                                         .z = RDX_ADDRESS(uint32_t, z),
                                         .triangles = RDX_ADDRESS(float, triangles),
                                         .corners = RDX_ADDRESS(float, c->corners),
                                         .field_count = used,
                                         .cut_count = c->cut_count,
                                         .centre_x = c->x_codes / 2,
                                         .centre_y = c->y_codes / 2,
                                         .centre_z = c->z_codes / 2,
                                         .leg_x = 2 * (float)c->grid.half_x,
                                         .leg_y = 2 * (float)c->grid.half_y,
                                         .unit_z = c->unit_z};
  RDX_TRY(rdx_stream_launch(stream, &rdx_kernel_rtcudb_place, &args, NULL, c->core.rows, NULL, err));
  return rdx_stream_finish(stream, err);
}

/* Also brings the parts of groups that are not in y to memory. */
static rdx_status place_triangles(rdx_rtcudb *c, const rdx_buffer *groups, const rdx_buffer *z, rdx_buffer *triangles,
                                  rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *rests = NULL;
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  if (c->cuts)
    RDX_TRY(rdx_buffer_create(c->core.device, c->core.rows * 4, "the groups of a cube", &rests, err));
  RDX_TRY(rdx_stream_create_for(c->core.device, "build", &stream, err));
  RDX_TRY(launch_place(c, groups, z, triangles, rests, stream, err));
  if (!rests)
    return RDX_OK;
  const star_step load = rdx_cube_load(rests, 4);
  c->rest_bytes = rdx_code_bytes(largest_rest(c));
  const rdx_cube_column column = rdx_cube_column_of(&load, NULL, c->core.rows, c->rest_bytes);
  return rdx_cube_pack(c->core.device, &column, &c->rests, err);
}

/* RTCUDB, section 3.2 "Mapping Data to Primitives". */
/* The hit program reads corners: of the scene's triangles where the device has the scene keep these, else apart. */
static rdx_status build_scene(rdx_rtcudb *c, const rdx_buffer *groups, const rdx_buffer *z, rdx_error *err) {
  const uint64_t rows = c->core.rows;
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *triangles = NULL;
  rdx_scene_params scene = {.kind = RDX_SCENE_TRIANGLES,
                            .count = rows,
                            .preference = rdx_rt_cube_preference(&c->params, c->core.device),
                            .compact = true};
  RDX_TRY(choose_grid(c, err));
  RDX_TRY(rdx_device_expect(c->core.device, rows * 48 + rdx_scene_estimate(c->core.device, &scene),
                            "the scene of an rt_cube", "use fewer rows, or a coarse_cube", err));
  c->corner_stride = on_cpu(c) ? 9 : 3;
  if (!on_cpu(c))
    RDX_TRY(rdx_buffer_create(c->core.device, rows * 12, "the corners of triangles", &c->corners, err));
  RDX_TRY(rdx_buffer_create(c->core.device, rows * 36, "triangles", &triangles, err));
  RDX_TRY(place_triangles(c, groups, z, triangles, err));
  RDX_TRY(drop_encoded(c, err));
  scene.primitives = triangles;
  RDX_TRY(rdx_scene_create(c->core.device, &scene, &c->scene, err));
  if (on_cpu(c))
    c->corners = RDX_KEEP(triangles);
  return RDX_OK;
}

/* Groups in the order of rows. */
static rdx_status order_groups(const rdx_rtcudb *c, rdx_cube_rows *rows, rdx_error *err) {
  rdx_buffer *ordered = NULL;
  if (!rows->group || !rows->order)
    return RDX_OK;
  const star_step load = rdx_cube_load(rows->group, 4);
  const rdx_cube_column column = rdx_cube_column_of(&load, rows->order, c->core.rows, 4);
  RDX_TRY(rdx_cube_pack(c->core.device, &column, &ordered, err));
  rdx_buffer_destroy(&rows->group);
  rows->group = ordered;
  return RDX_OK;
}

/* ---- Building ---- */

/* RTCUDB, Figure 6 "The design of RTCUDB". */
static rdx_status build_from(rdx_rtcudb *c, rdx_cube_rows *rows, rdx_buffer **z, rdx_error *err) {
  const bool sorted = c->params.rows == RDX_RT_CUBE_Z_ORDER || c->core.device->keeps_build_order;
  choose_digits(c);
  RDX_TRY(encode_z(c, rows->joined, z, err));
  if (sorted && *z)
    RDX_TRY(sort_by_z(c, *z, rows, err));
  RDX_TRY(store_scan(c, rows, err));
  RDX_TRY(rdx_star_store_measures(&c->core, rows, err));
  RDX_TRY(choose_fields(c, err));
  RDX_TRY(order_groups(c, rows, err));
  RDX_TRY(choose_y(c, err));
  if (c->params.operators == RDX_RT_CUBE_SEPARATE_SCAN && c->scan_count > 0 && c->core.rows > 0)
    RDX_TRY(rdx_rt_filter_create(&c->core, rows, c->numbers, c->scan_count, err));
  return build_scene(c, rows->group, *z, err);
}

static rdx_status build_parts(const rdx_packed_relation *relation, const rdx_cube_spec *spec, rdx_rtcudb *c,
                              rdx_error *err) {
  RDX_SCOPED(rdx_cube_rows_drop) rdx_cube_rows rows = {0};
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *z = NULL;
  RDX_TRY(rdx_calloc(spec->scan_count, sizeof *c->scan, "the scan attributes of a cube", (void **)&c->scan, err));
  RDX_TRY(rdx_alloc(spec->scan_count, sizeof *c->numbers, "the scan attributes of a cube", (void **)&c->numbers, err));
  for (uint32_t i = 0; i < spec->scan_count; i++)
    c->scan[c->scan_count++].number = c->numbers[i] = spec->scan[i];
  RDX_TRY(rdx_star_begin_unordered(relation, spec, &c->core, &rows, err));
  return build_from(c, &rows, &z, err);
}

static rdx_status check_params(const rdx_rt_cube_params *p, rdx_error *err) {
  RDX_TRY(rdx_rt_cube_check_params(p, err));
  if (p->grid > 0 && (p->leg_x > 0 || p->leg_y > 0))
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rt_cube: a grid and legs say the same: give one of them");
  if ((p->unit_z & (p->unit_z - 1)) != 0 || p->unit_z > 1u << 30)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rt_cube: a unit of z must be a power of two up to 2^30 (0: 1), not %u",
                    p->unit_z);
  return RDX_OK;
}

/* Whether z has room for all scan attributes: else a query has a cube of its own rather than checks. */
static bool fits(const rdx_packed_relation *relation, const rdx_cube_spec *spec) {
  double codes = 1;
  for (uint32_t i = 0; i < spec->scan_count; i++)
    codes *= (double)rdx_encoded_column_codes(&relation->attributes[spec->scan[i]]);
  return codes <= RTCUDB_CODES;
}

static rdx_status build(void *self, const rdx_packed_relation *relation, const rdx_star_params *params,
                        const rdx_cube_spec *spec, uint64_t *bytes, rdx_error *err) {
  rdx_rtcudb *c = self;
  RDX_TRY(check_params(&params->rt_cube, err));
  const uint64_t used = atomic_load(&relation->device->memory_used);
  c->params = params->rt_cube;
  RDX_TRY(build_parts(relation, spec, c, err));
  *bytes = atomic_load(&relation->device->memory_used) - used + rdx_cube_host_bytes(&c->core);
  return RDX_OK;
}

const rdx_star_ops rdx_rtcudb_ops = {
    .method = RDX_STAR_RT_CUBE,
    .traces_rays = true,
    .size = sizeof(rdx_rtcudb),
    .max_scan = RDX_MAX_SCAN,
    .fits = fits,
    .build = build,
    .work = rdx_rtcudb_work,
    .run = rdx_rtcudb_run,
    .destroy = destroy,
};
