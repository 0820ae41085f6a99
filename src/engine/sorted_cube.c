/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The sorted cube: rows in the order of the scan code, of which a query reads the ranges that qualify. It is what the
 * encodings of RTCUDB (section 4) come to without rays. A query of one group need not even read rows: the sums of all
 * rows before each scan place are kept, and ranges are differences of them. */

#include "engine/star.h"

/* Sums, and numbers of values, of all rows before each place. */
typedef struct totals {
  uint64_t *sums;
  uint64_t *counts; /* NULL: no value is NULL */
} totals;

typedef struct sorted_cube {
  rdx_star star;
  totals totals[RDX_MOST_TUPLE];
} sorted_cube;

static void destroy(void *self) {
  sorted_cube *c = self;
  for (uint32_t i = 0; i < RDX_MOST_TUPLE; i++) {
    rdx_free(c->totals[i].sums);
    rdx_free(c->totals[i].counts);
  }
  rdx_star_destroy(&c->star);
  rdx_free(c);
}

/* ---- Building ---- */

/* What the runs of a device array come to before each of them. */
static rdx_status accumulate(const rdx_buffer *runs, uint32_t count, uint64_t **out, rdx_error *err) {
  RDX_TRY(rdx_alloc((size_t)count + 1, sizeof **out, "the totals of a cube", (void **)out, err));
  RDX_TRY(rdx_buffer_download(runs, 0, *out, (uint64_t)count * sizeof **out, err));
  uint64_t total = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t run = (*out)[i];
    (*out)[i] = total;
    total += run;
  }
  (*out)[count] = total;
  return RDX_OK;
}

static rdx_status launch_runs(const rdx_star *star, uint32_t m, rdx_buffer *sums, rdx_buffer *counts, rdx_error *err) {
  rdx_stream *stream = NULL;
  uint64_t starts = 0;
  RDX_TRY(rdx_stream_create(star->device, &stream, err));
  rdx_status status = rdx_stream_fill(stream, sums, 0, sums->size, 0, err);
  if (status == RDX_OK && counts)
    status = rdx_stream_fill(stream, counts, 0, counts->size, 0, err);
  if (status == RDX_OK)
    status = rdx_stream_constants(stream, star->scan.starts, (uint64_t)star->scan.count * 4, &starts, err);
  const struct star_runs_args args = {.starts = (uint32_t *)(uintptr_t)starts,
                                      .codes = RDX_ADDRESS(uint32_t, star->measures[m].codes),
                                      .sums = RDX_ADDRESS(uint64_t, sums),
                                      .counts = RDX_ADDRESS(uint64_t, counts),
                                      .null_code = star->measures[m].null_code,
                                      .runs = star->scan.count,
                                      .bytes = star->measures[m].bytes,
                                      .rows = (uint32_t)star->rows};
  if (status == RDX_OK)
    status = rdx_stream_launch(stream, &rdx_kernel_star_runs, &args, NULL, (star->rows + STAR_RUN - 1) / STAR_RUN, NULL,
                               err);
  if (status == RDX_OK)
    status = rdx_stream_finish(stream, err);
  rdx_stream_destroy(&stream);
  return status;
}

static rdx_status add_totals(sorted_cube *c, uint32_t m, rdx_error *err) {
  const rdx_star *star = &c->star;
  const uint64_t size = (uint64_t)star->scan.count * 8;
  rdx_buffer *sums = NULL, *counts = NULL;
  rdx_status status = rdx_buffer_create(star->device, size, "the totals of a cube", &sums, err);
  if (status == RDX_OK && star->plan.measures[m].nulls)
    status = rdx_buffer_create(star->device, size, "the totals of a cube", &counts, err);
  if (status == RDX_OK)
    status = launch_runs(star, m, sums, counts, err);
  if (status == RDX_OK && counts)
    status = accumulate(counts, star->scan.count, &c->totals[m].counts, err);
  if (status == RDX_OK)
    status = accumulate(sums, star->scan.count, &c->totals[m].sums, err);
  rdx_buffer_destroy(&sums);
  rdx_buffer_destroy(&counts);
  return status;
}

/* Totals take 8 bytes a place on the host: not where there are about as many places as rows, nor where a sum of codes
 * might pass 64 bits. */
static bool has_totals(const rdx_star *star, uint32_t m) {
  return star->scan.count > 0 && star->scan.count <= 65536 + star->rows / 4 &&
         star->measures[m].span <= UINT64_MAX / star->rows;
}

static rdx_status build_parts(const rdx_coded_relation *relation, const rdx_cube_spec *spec, sorted_cube *c,
                              rdx_error *err) {
  rdx_star_rows rows;
  rdx_status status = rdx_star_begin(relation, spec, &c->star, &rows, err);
  if (status == RDX_OK)
    status = rdx_star_store(&c->star, &rows, err);
  rdx_star_rows_drop(&rows);
  for (uint32_t m = 0; m < c->star.plan.measure_count && status == RDX_OK; m++)
    if (has_totals(&c->star, m))
      status = add_totals(c, m, err);
  return status;
}

static rdx_status build(const rdx_coded_relation *relation, const rdx_engine_params *params, const rdx_cube_spec *spec,
                        uint64_t *bytes, void **out, rdx_error *err) {
  (void)params;
  sorted_cube *c = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *c, "a cube", (void **)&c, err));
  const rdx_status status = build_parts(relation, spec, c, err);
  if (status != RDX_OK) {
    destroy(c);
    return status;
  }
  *bytes = rdx_star_bytes(&c->star);
  *out = c;
  return RDX_OK;
}

/* ---- Answering ---- */

/* Nanoseconds: finding a range takes some 50, a row about 1 on a core. */
static rdx_status cost(const void *self, const rdx_plan *plan, double *out, rdx_error *err) {
  const sorted_cube *c = self;
  double ranges = 0, rows = 0;
  (void)err;
  rdx_star_estimate(&c->star, plan, &ranges, &rows);
  *out = 50 * ranges + rows;
  return RDX_OK;
}

/* Whether totals say all that the plan wants. */
static bool totals_do(const sorted_cube *c, const rdx_plan *plan) {
  for (uint32_t i = 0; i < plan->measure_count; i++)
    if ((plan->measures[i].wanted & (RDX_WANT_LEAST | RDX_WANT_MOST)) != 0 ||
        !c->totals[rdx_star_measure_of(&c->star, &plan->measures[i])].sums)
      return false;
  return plan->query->group_count == 0;
}

static void read_totals(const totals *t, const rdx_ranges *ranges, int64_t least, uint64_t rows, rdx_group_value *out) {
  uint64_t sum = 0, count = 0; /* of codes */
  for (uint32_t i = 0; i < ranges->count; i++) {
    const uint32_t low = ranges->list[2 * i], end = ranges->list[2 * i + 1];
    sum += t->sums[end] - t->sums[low];
    count += t->counts ? t->counts[end] - t->counts[low] : 0;
  }
  count = t->counts ? count : rows;
  *out = (rdx_group_value){.count = count, .sum = (rdx_i128)sum + (rdx_i128)count * least};
}

static rdx_status run_totals(const sorted_cube *c, const rdx_plan *plan, const rdx_ranges *ranges, uint64_t rows,
                             rdx_groups *out, rdx_error *err) {
  RDX_TRY(rdx_star_groups(plan, rows > 0, out, err));
  if (rows == 0)
    return RDX_OK;
  out->group[0] = 0;
  out->rows[0] = rows;
  for (uint32_t i = 0; i < plan->measure_count; i++) {
    const uint32_t m = rdx_star_measure_of(&c->star, &plan->measures[i]);
    read_totals(&c->totals[m], ranges, c->star.plan.measures[m].least, rows, &out->values[i]);
  }
  return RDX_OK;
}

/* The ranges as rows: for each how many lie before it, then where it begins. */
static rdx_status run_ranges(const sorted_cube *c, const rdx_plan *plan, rdx_star_run *run, uint64_t rows,
                             rdx_groups *out, double *device_ms, rdx_error *err) {
  const rdx_star *star = &c->star;
  const uint32_t count = run->ranges.count, parts = rdx_star_copies(star, plan, rows);
  uint64_t address = 0;
  RDX_TRY(rdx_star_room(run, 2 * (uint64_t)count, err));
  for (uint32_t i = 0, before = 0; i < count; i++) {
    const uint32_t begin = star->scan.starts[run->ranges.list[2 * i]];
    run->rows[i] = before;
    run->rows[count + i] = begin;
    before += star->scan.starts[run->ranges.list[2 * i + 1]] - begin;
  }
  RDX_TRY(rdx_star_start(star, plan, parts, run, err));
  RDX_TRY(rdx_stream_constants(run->stream, run->rows, (uint64_t)count * 8, &address, err));
  const struct star_ranges_args args = {.query = (star_query *)(uintptr_t)run->query_address,
                                        .ranges = (uint32_t *)(uintptr_t)address,
                                        .range_count = count,
                                        .rows = (uint32_t)rows,
                                        .parts = parts};
  const bool cpu = star->device->info.backend == RDX_BACKEND_CPU;
  const uint64_t items = cpu ? parts : (rows + STAR_WORK - 1) / STAR_WORK * STAR_GROUP;
  RDX_TRY(rdx_stream_launch(run->stream, &rdx_kernel_star_ranges, &args, NULL, items, NULL, err));
  return rdx_star_finish(star, plan, run, out, device_ms, err);
}

static rdx_status run_selected(const sorted_cube *c, const rdx_plan *plan, rdx_star_run *run, rdx_groups *out,
                               rdx_query_counts *counts, double *device_ms, rdx_error *err) {
  RDX_TRY(rdx_star_select(&c->star, plan, run, err));
  uint64_t rows = 0;
  for (uint32_t i = 0; i < run->ranges.count; i++)
    rows += c->star.scan.starts[run->ranges.list[2 * i + 1]] - c->star.scan.starts[run->ranges.list[2 * i]];
  if (rows == 0 || totals_do(c, plan))
    return run_totals(c, plan, &run->ranges, rows, out, err);
  RDX_TRY(run_ranges(c, plan, run, rows, out, device_ms, err));
  if (counts) {
    counts->rows = rows;
    counts->bytes = rows * rdx_star_row_bytes(run);
  }
  return RDX_OK;
}

static rdx_status run(const void *self, const rdx_plan *plan, rdx_groups *out, rdx_query_counts *counts,
                      double *device_ms, rdx_error *err) {
  sorted_cube *c = (sorted_cube *)(uintptr_t)self; /* spares are shared under a lock */
  rdx_star_run *r = NULL;
  RDX_TRY(rdx_star_take(&c->star, &r, err));
  const rdx_status status = run_selected(c, plan, r, out, counts, device_ms, err);
  rdx_star_give(&c->star, &r, status);
  return status;
}

const rdx_engine_ops rdx_sorted_cube_ops = {
    .name = "sorted_cube",
    .cubes = true,
    .build = build,
    .cost = cost,
    .run = run,
    .destroy = destroy,
};
