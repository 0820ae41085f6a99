/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* What cubes are built from. */

#include "star/method/cube.h"

#include "kernels/primitives/kernels.h"
#include "base/numbers.h"

/* ---- Packing ---- */

star_step rdx_cube_load(const rdx_buffer *numbers, uint32_t bytes) {
  return (star_step){.codes = RDX_ADDRESS(uint32_t, numbers),
                     .null_code = UINT64_MAX,
                     .factor = 1,
                     .kind = STAR_ATTRIBUTE,
                     .bytes = bytes};
}

static rdx_status launch_pack(rdx_device *device, const star_step *steps, struct star_pack_args *args, uint64_t items,
                              rdx_error *err) {
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  uint64_t address = 0;
  RDX_TRY(rdx_stream_create_for(device, "build", &stream, err));
  RDX_TRY(rdx_stream_constants(stream, steps, args->step_count * sizeof *steps, &address, err));
  args->steps = (star_step *)(uintptr_t)address;
  RDX_TRY(rdx_stream_launch(stream, &rdx_kernel_star_pack, args, NULL, items, NULL, err));
  return rdx_stream_finish(stream, err);
}

rdx_status rdx_cube_pack(rdx_device *device, const rdx_cube_column *column, rdx_buffer **out, rdx_error *err) {
  const uint32_t each = column->bytes == 8 ? 8 : 4; /* bytes of an item */
  const uint64_t items = (column->rows * column->bytes + each - 1) / each;
  RDX_TRY(rdx_buffer_create(device, items * each, "a column of a cube", out, err));
  struct star_pack_args args = {.order = RDX_ADDRESS(uint32_t, column->order),
                                .packed_out = RDX_ADDRESS(uint32_t, *out),
                                .min = column->base,
                                .null_code = column->null_code,
                                .step_count = column->step_count,
                                .bytes = column->bytes,
                                .rows = (uint32_t)column->rows};
  const rdx_status status = launch_pack(device, column->steps, &args, items, err);
  if (status != RDX_OK)
    rdx_buffer_destroy(out);
  return status;
}

/* ---- Measures ---- */

static const uint32_t step_kinds[] = {[RDX_EXPRESSION_ATTRIBUTE] = STAR_ATTRIBUTE,
                                      [RDX_EXPRESSION_CONSTANT] = STAR_CONSTANT,
                                      [RDX_EXPRESSION_ADD] = STAR_ADD,
                                      [RDX_EXPRESSION_SUBTRACT] = STAR_SUBTRACT,
                                      [RDX_EXPRESSION_MULTIPLY] = STAR_MULTIPLY};

rdx_status rdx_star_attribute(const rdx_cube_core *core, const rdx_encoded_column *attribute, rdx_buffer *joined,
                              star_step *out, rdx_buffer **codes, rdx_error *err) {
  *out = (star_step){.codes = RDX_ADDRESS(uint32_t, attribute->codes),
                     .null_code = UINT64_MAX,
                     .factor = 1,
                     .kind = STAR_ATTRIBUTE,
                     .bytes = attribute->bytes};
  *codes = NULL;
  if (attribute->dimension == 0 && !joined)
    return RDX_OK;
  out->bytes = rdx_tuples_code_bytes(attribute);
  RDX_TRY(rdx_packed_gather(core->relation, attribute, joined, core->rows, out->bytes, codes, err));
  out->codes = RDX_ADDRESS(uint32_t, *codes);
  return RDX_OK;
}

/* The kernel's form of a measure's steps. Codes of dimensions are gathered, which the caller drops. */
static rdx_status make_steps(const rdx_cube_core *core, const rdx_measure *m, rdx_buffer *joined, star_step *steps,
                             rdx_buffer **codes, rdx_error *err) {
  for (uint32_t i = 0; i < m->step_count; i++) {
    const rdx_step *step = &m->steps[i];
    steps[i] = (star_step){.kind = step_kinds[step->kind]};
    if (step->kind == RDX_EXPRESSION_ATTRIBUTE) {
      RDX_TRY(rdx_star_attribute(core, step->attribute, joined, &steps[i], &codes[i], err));
      steps[i].null_code = step->attribute->count; /* which no value has */
      if (m->numeric)
        steps[i].values = RDX_ADDRESS(uint64_t, step->attribute->values);
    }
    steps[i].value = rdx_step_value(step);
    steps[i].factor = (uint64_t)step->factor;
  }
  return RDX_OK;
}

/* A code that no value has, where values go from the smallest number of 64 bits to the largest: in a gap between the
 * values of an attribute, which is all that such a measure is (star/plan.c). */
static rdx_status find_unused(const rdx_measure *m, uint64_t *out, rdx_error *err) {
  const rdx_encoded_column *a = m->steps[0].attribute;
  RDX_SCOPED(rdx_free_local) int64_t *values = NULL;
  RDX_TRY(rdx_alloc(a->count, sizeof *values, "the values of a measure", (void **)&values, err));
  RDX_TRY(rdx_buffer_download(a->values, 0, values, a->count * sizeof *values, err));
  for (uint64_t i = 0; i < a->count; i++) {
    *out = (uint64_t)values[i] - (uint64_t)m->min + 1;
    if (i + 1 < a->count && (uint64_t)values[i + 1] - (uint64_t)m->min != *out)
      break; /* which comes, as there are fewer than 2^32 values */
  }
  return RDX_OK;
}

/* RTCUDB, section 4.4 "the calculated result Math + English is directly encoded in the coordinate". */
/* Several attributes are brought together in the order of rows, so that only results are read in the cube's. */
static rdx_status pack_measure(const rdx_cube_core *core, const rdx_measure *m, const star_step *steps,
                               const rdx_buffer *order, rdx_cube_measure *out, rdx_error *err) {
  const rdx_cube_column column = {.steps = steps,
                                  .step_count = m->step_count,
                                  .bytes = out->bytes,
                                  .order = m->step_count == 1 ? order : NULL,
                                  .rows = core->rows,
                                  .base = (uint64_t)m->min,
                                  .null_code = out->null_code};
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *values = NULL;
  if (m->step_count == 1)
    return rdx_cube_pack(core->device, &column, &out->codes, err);
  RDX_TRY(rdx_cube_pack(core->device, &column, &values, err));
  const star_step load = rdx_cube_load(values, out->bytes);
  const rdx_cube_column ordered = rdx_cube_column_of(&load, order, core->rows, out->bytes);
  return rdx_cube_pack(core->device, &ordered, &out->codes, err);
}

static rdx_status store_measure(rdx_cube_core *core, const rdx_measure *m, const rdx_cube_rows *rows,
                                rdx_cube_measure *out, rdx_error *err) {
  star_step steps[RDX_MAX_STEPS];
  rdx_buffer *codes[RDX_MAX_STEPS] = {0};
  out->span = (uint64_t)m->max - (uint64_t)m->min;
  if (m->nulls && out->span == UINT64_MAX)
    RDX_TRY(find_unused(m, &out->null_code, err));
  else if (m->nulls)
    out->null_code = out->span + 1;
  out->largest = out->null_code > out->span ? out->null_code : out->span;
  out->bytes = rdx_code_bytes(out->largest);
  rdx_status status = make_steps(core, m, rows->joined, steps, codes, err);
  if (status == RDX_OK)
    status = pack_measure(core, m, steps, rows->order, out, err);
  for (uint32_t i = 0; i < m->step_count; i++)
    rdx_buffer_destroy(&codes[i]);
  return status;
}

/* ---- The order of rows ---- */

/* What rows are sorted by: the places of their scan tuple and of their group, side by side. */
typedef struct ordering {
  rdx_cube_core *core;
  rdx_stream *stream;
  rdx_buffer *keys, *order, *starts;
  uint32_t key_bytes, place_bits, group_bits;
} ordering;

static rdx_status append_key(ordering *o, const rdx_buffer *places, uint32_t bits, bool first, rdx_error *err) {
  const struct star_key_args args = {.keys = RDX_ADDRESS(uint64_t, o->keys),
                                     .codes = RDX_ADDRESS(uint32_t, places),
                                     .bytes = 4,
                                     .bits = bits,
                                     .first_attribute = first,
                                     .narrow = o->key_bytes == 4};
  return rdx_stream_launch(o->stream, &rdx_kernel_star_key, &args, NULL, o->core->rows, NULL, err);
}

static rdx_status make_keys(ordering *o, rdx_buffer **scan_places, const rdx_buffer *groups, rdx_error *err) {
  const uint64_t rows = o->core->rows;
  RDX_TRY(rdx_buffer_create(o->core->device, rows * o->key_bytes, "the order of a cube", &o->keys, err));
  if (*scan_places)
    RDX_TRY(append_key(o, *scan_places, o->place_bits, true, err));
  if (groups)
    RDX_TRY(append_key(o, groups, o->group_bits, !*scan_places, err));
  RDX_TRY(rdx_stream_finish(o->stream, err));
  rdx_buffer_destroy(scan_places); /* sorting takes memory */
  return RDX_OK;
}

/* Sort the rows, which stay in order where their keys are equal. */
static rdx_status sort_rows(ordering *o, rdx_error *err) {
  const uint64_t rows = o->core->rows;
  RDX_TRY(rdx_buffer_create(o->core->device, rows * 4, "the order of a cube", &o->order, err));
  RDX_TRY(rdx_primitive_iota(o->stream, o->order, rows, err));
  if (o->keys)
    RDX_TRY(rdx_stream_sort(o->stream, o->keys, o->key_bytes, o->place_bits + o->group_bits, o->order, rows, err));
  return rdx_stream_finish(o->stream, err);
}

/* Where the rows of each scan tuple begin. */
static rdx_status find_starts(ordering *o, rdx_error *err) {
  rdx_tuples *scan = &o->core->scan;
  const uint32_t key64 = o->key_bytes == 8;
  RDX_TRY(
      rdx_calloc((size_t)scan->count + 1, sizeof *scan->starts, "the tuples of a cube", (void **)&scan->starts, err));
  scan->starts[scan->count] = (uint32_t)o->core->rows;
  if (o->place_bits == 0)
    return RDX_OK;
  RDX_TRY(rdx_buffer_create(o->core->device, (uint64_t)scan->count * 4, "the tuples of a cube", &o->starts, err));
  const struct star_starts_args args = {
      .keys = RDX_ADDRESS(uint32_t, o->keys), .starts = RDX_ADDRESS(uint32_t, o->starts), .shift = o->group_bits};
  RDX_TRY(rdx_stream_launch(o->stream, &rdx_kernel_star_starts, &args, &key64, o->core->rows, NULL, err));
  RDX_TRY(rdx_stream_finish(o->stream, err));
  RDX_TRY(rdx_buffer_download(o->starts, 0, scan->starts, (uint64_t)scan->count * 4, err));
  return rdx_returned_starts(o->core->device, scan->starts, scan->count, o->core->rows, "where a tuple's rows begin",
                             err);
}

/* Rows by scan tuple, and those of one by group: they are added up faster where groups follow each other. */
static void end(ordering *o) {
  rdx_stream_destroy(&o->stream);
  RDX_DESTROY_BUFFERS(&o->keys, &o->order, &o->starts);
}

static rdx_status order_rows(rdx_cube_core *core, rdx_buffer **scan_places, rdx_cube_rows *rows, rdx_error *err) {
  RDX_SCOPED(end)
  ordering o = {
      .core = core, .place_bits = rdx_bits_below(core->scan.count), .group_bits = rdx_bits_below(core->groups.count)};
  o.key_bytes = o.place_bits + o.group_bits <= 32 ? 4 : 8;
  RDX_TRY(rdx_stream_create_for(core->device, "build", &o.stream, err));
  if (o.place_bits + o.group_bits > 0)
    RDX_TRY(make_keys(&o, scan_places, rows->group, err));
  RDX_TRY(sort_rows(&o, err));
  RDX_TRY(find_starts(&o, err));
  rows->order = RDX_KEEP(o.order);
  return RDX_OK;
}

rdx_status rdx_cube_places(const rdx_cube_core *core, rdx_buffer **out, rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *made = NULL;
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  uint64_t starts = 0;
  RDX_TRY(rdx_buffer_create(core->device, core->rows * 4, "the places of rows", &made, err));
  RDX_TRY(rdx_stream_create_for(core->device, "build", &stream, err));
  RDX_TRY(rdx_stream_constants(stream, core->scan.starts, (uint64_t)core->scan.count * 4, &starts, err));
  const struct star_place_args args = {.starts = (uint32_t *)(uintptr_t)starts,
                                       .out_places = RDX_ADDRESS(uint32_t, made),
                                       .starts_count = core->scan.count};
  RDX_TRY(rdx_stream_launch(stream, &rdx_kernel_star_place, &args, NULL, core->rows, NULL, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  *out = RDX_KEEP(made);
  return RDX_OK;
}

/* ---- Building ---- */

/* What each cube has: rows that have all foreign_rows, their groups, and what is known of measures. */
static rdx_status begin(rdx_cube_core *core, const rdx_cube_spec *spec, rdx_cube_rows *rows, rdx_error *err) {
  RDX_TRY(rdx_plan_measures(core->relation, spec, &core->plan, err));
  RDX_TRY(rdx_calloc(core->plan.measure_count, sizeof *core->measures, "the measures of a cube",
                     (void **)&core->measures, err));
  RDX_TRY(rdx_packed_joined(core->relation, &rows->joined, &core->rows, err));
  RDX_TRY(rdx_tuples_create(core->relation, rows->joined, core->rows, spec->group_by, spec->group_count, &core->groups,
                            &rows->group, err));
  core->group_bytes = core->groups.count > 1 ? rdx_code_bytes(core->groups.count - 1) : 0;
  return RDX_OK;
}

/* RTCUDB, section 3.1 "the BVHs can be viewed as materialized views". */
rdx_status rdx_star_begin_unordered(const rdx_packed_relation *relation, const rdx_cube_spec *spec, rdx_cube_core *out,
                                    rdx_cube_rows *rows, rdx_error *err) {
  *out = (rdx_cube_core){.relation = relation, .device = relation->device};
  *rows = (rdx_cube_rows){0};
  pthread_mutex_init(&out->lock, NULL);
  if (!relation->device->has_atomic_u64)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "cubes need atomics of 64-bit integers, which %s lacks",
                    relation->device->info.name);
  return begin(out, spec, rows, err);
}

rdx_status rdx_cube_begin(const rdx_packed_relation *relation, const rdx_cube_spec *spec, rdx_cube_core *out,
                          rdx_cube_rows *rows, rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *scan_places = NULL;
  RDX_TRY(rdx_star_begin_unordered(relation, spec, out, rows, err));
  RDX_TRY(rdx_tuples_create(relation, rows->joined, out->rows, spec->scan, spec->scan_count, &out->scan, &scan_places,
                            err));
  return order_rows(out, &scan_places, rows, err);
}

void rdx_cube_rows_drop(rdx_cube_rows *rows) {
  RDX_DESTROY_BUFFERS(&rows->joined, &rows->order, &rows->group);
}

rdx_status rdx_star_store_measures(rdx_cube_core *core, const rdx_cube_rows *rows, rdx_error *err) {
  for (uint32_t i = 0; i < core->plan.measure_count; i++)
    RDX_TRY(store_measure(core, &core->plan.measures[i], rows, &core->measures[i], err));
  return RDX_OK;
}

rdx_status rdx_cube_store(rdx_cube_core *core, const rdx_cube_rows *rows, rdx_error *err) {
  if (core->group_bytes) {
    const star_step step = rdx_cube_load(rows->group, 4);
    const rdx_cube_column groups = rdx_cube_column_of(&step, rows->order, core->rows, core->group_bytes);
    RDX_TRY(rdx_cube_pack(core->device, &groups, &core->group_codes, err));
  }
  return rdx_star_store_measures(core, rows, err);
}

/* ---- The end ---- */

static void drop_call(const rdx_cube_core *core, rdx_cube_run *run) {
  run->call = NULL;
  rdx_buffer_destroy(&run->counters);
  if (core->filter)
    rdx_workspace_give_bitmap(core->filter->workspace, &run->bits);
}

static void destroy_run(const rdx_cube_core *core, rdx_cube_run *run) {
  drop_call(core, run);
  rdx_stream_destroy(&run->stream);
  RDX_DESTROY_BUFFERS(&run->sums, &run->touched, &run->marks, &run->found, &run->hit_list);
  RDX_FREE_ALL(run->ranges.list, run->rows, run->records, run->host_sums, run);
}

void rdx_cube_destroy(rdx_cube_core *core) {
  for (uint32_t i = 0; i < core->spare_count; i++)
    destroy_run(core, core->spares[i]);
  for (uint32_t i = 0; core->measures && i < core->plan.measure_count; i++)
    rdx_buffer_destroy(&core->measures[i].codes);
  rdx_free(core->measures);
  rdx_buffer_destroy(&core->group_codes);
  rdx_scan_destroy(&core->filter);
  rdx_tuples_destroy(&core->scan);
  rdx_tuples_destroy(&core->groups);
  rdx_plan_destroy(&core->plan);
  pthread_mutex_destroy(&core->lock);
}

uint64_t rdx_cube_host_bytes(const rdx_cube_core *core) {
  return rdx_tuples_bytes(&core->scan) + rdx_tuples_bytes(&core->groups);
}

uint64_t rdx_cube_bytes(const rdx_cube_core *core) {
  uint64_t bytes = rdx_cube_host_bytes(core) + (core->group_codes ? core->group_codes->size : 0);
  for (uint32_t i = 0; i < core->plan.measure_count; i++)
    bytes += core->measures[i].codes->size;
  return bytes;
}

/* ---- Runs ---- */

static rdx_status take_run(rdx_cube_core *core, rdx_cube_run **out, rdx_error *err) {
  pthread_mutex_lock(&core->lock);
  *out = core->spare_count > 0 ? core->spares[--core->spare_count] : NULL;
  pthread_mutex_unlock(&core->lock);
  if (*out)
    return RDX_OK;
  RDX_TRY(rdx_calloc(1, sizeof **out, "a query", (void **)out, err));
  return rdx_stream_create_for(core->device, "query", &(*out)->stream, err);
}

/* After an error the run is destroyed, for its accumulators may not be 0. */
static void give_run(rdx_cube_core *core, rdx_cube_run *run, rdx_status status) {
  drop_call(core, run);
  pthread_mutex_lock(&core->lock);
  const bool kept = status == RDX_OK && core->spare_count < RDX_CUBE_SPARES;
  if (kept)
    core->spares[core->spare_count++] = run;
  pthread_mutex_unlock(&core->lock);
  if (!kept)
    destroy_run(core, run);
}

rdx_status rdx_cube_answer(const void *cube, rdx_status (*answer)(const void *cube, rdx_cube_run *run, rdx_error *err),
                           rdx_star_call *call, rdx_error *err) {
  rdx_cube_core *core = (rdx_cube_core *)(uintptr_t)cube; /* spares are shared under a lock */
  rdx_cube_run *run = NULL;
  rdx_status status = take_run(core, &run, err);
  if (!run)
    return status;
  run->call = call;
  if (status == RDX_OK && call->counts)
    status = rdx_buffer_create(core->device, 16, "counters", &run->counters, err);
  if (status == RDX_OK)
    status = answer(cube, run, err);
  give_run(core, run, status);
  return status;
}

rdx_status rdx_cube_reserve(rdx_cube_run *run, uint64_t words, rdx_error *err) {
  if (words <= run->row_capacity)
    return RDX_OK;
  RDX_TRY(rdx_realloc((void **)&run->rows, words + words / 2, sizeof *run->rows, "the ranges of a query", err));
  run->row_capacity = words + words / 2;
  return RDX_OK;
}
