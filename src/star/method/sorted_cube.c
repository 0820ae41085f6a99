/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The sorted cube: rows in the order of the scan code, of which a query reads the ranges that qualify. It is what the
 * encodings of RTCUDB (section 4) come to without rays. Where many rows have the same scan tuple and group, a query
 * need not even read them: what each such run comes to is kept (star_runs.h). */

#include "star/method/cube_runs.h"

/* A run takes a few nanoseconds on one core, a row less than one on all that a device has, which first must be told. */
#define WORTH_RUNS 16384
#define RUN_ROWS 16

typedef struct sorted_cube {
  rdx_cube_core core;
  rdx_runs runs;
} sorted_cube;

static void destroy(void *self) {
  sorted_cube *c = self;
  rdx_runs_destroy(&c->runs);
  rdx_cube_destroy(&c->core);
}

/* ---- Building ---- */

static rdx_status build_parts(const rdx_packed_relation *relation, const rdx_cube_spec *spec, sorted_cube *c,
                              rdx_error *err) {
  RDX_SCOPED(rdx_cube_rows_drop) rdx_cube_rows rows = {0};
  RDX_TRY(rdx_cube_begin(relation, spec, &c->core, &rows, err));
  RDX_TRY(rdx_cube_store(&c->core, &rows, err));
  return rdx_runs_create(&c->core, NULL, 0, &c->runs, err);
}

static rdx_status build(void *self, const rdx_packed_relation *relation, RDX_UNUSED const rdx_star_params *params,
                        const rdx_cube_spec *spec, uint64_t *bytes, rdx_error *err) {
  sorted_cube *c = self;
  RDX_TRY(build_parts(relation, spec, c, err));
  *bytes = rdx_cube_bytes(&c->core) + rdx_runs_bytes(&c->core, &c->runs);
  return RDX_OK;
}

/* ---- Answering ---- */

static void work(const void *self, const rdx_plan *plan, rdx_work *out) {
  const sorted_cube *c = self;
  double ranges = 0, rows = 0;
  rdx_cube_estimate(&c->core, plan, &ranges, &rows);
  const double runs = (double)c->runs.count * (rows / (double)(c->core.rows + 1));
  *out = rdx_cube_searches(&c->core, ranges);
  out->cubes = 1;
  if (rdx_runs_serve(&c->core, &c->runs, plan) && runs <= WORTH_RUNS + rows / RUN_ROWS) {
    out->runs = runs;
    return;
  }
  out->launches = 1;
  out->added = rows;
}

/* The ranges as rows: for each how many lie before it, then where it begins. */
static rdx_status run_ranges(const sorted_cube *c, rdx_cube_run *run, uint64_t rows, rdx_error *err) {
  const rdx_cube_core *core = &c->core;
  const uint32_t count = run->ranges.count, parts = rdx_cube_copies(core, run->call->plan, rows);
  uint64_t address = 0;
  RDX_TRY(rdx_cube_reserve(run, 2 * (uint64_t)count, err));
  for (uint32_t i = 0, before = 0; i < count; i++) {
    const uint32_t begin = core->scan.starts[run->ranges.list[2 * i]];
    run->rows[i] = before;
    run->rows[count + i] = begin;
    before += core->scan.starts[run->ranges.list[2 * i + 1]] - begin;
  }
  RDX_TRY(rdx_cube_start(core, parts, run, err));
  RDX_TRY(rdx_stream_constants(run->stream, run->rows, (uint64_t)count * 8, &address, err));
  const struct star_ranges_args args = {.query = (star_query *)(uintptr_t)run->query_address,
                                        .ranges = (uint32_t *)(uintptr_t)address,
                                        .range_count = count,
                                        .rows = (uint32_t)rows,
                                        .parts = parts};
  const bool cpu = core->device->info.backend == RDX_BACKEND_CPU;
  const uint64_t items = cpu ? parts : (rows + STAR_WORK - 1) / STAR_WORK * STAR_GROUP;
  RDX_TRY(rdx_stream_launch(run->stream, &rdx_kernel_star_ranges, &args, NULL, items, NULL, err));
  return rdx_cube_finish(core, run, err);
}

static rdx_status answer(const void *self, rdx_cube_run *run, rdx_error *err) {
  const sorted_cube *c = self;
  rdx_query_counts *counts = run->call->counts;
  RDX_TRY(rdx_cube_select(&c->core, run, err));
  const uint64_t rows = rdx_cube_rows_of(&c->core, &run->ranges);
  if (rows == 0)
    return RDX_OK;
  const uint64_t runs = rdx_runs_of(&c->core, &c->runs, run->call->plan, &run->ranges);
  if (runs > 0 && runs <= WORTH_RUNS + rows / RUN_ROWS)
    return rdx_runs_answer(&c->core, &c->runs, run, err);
  RDX_TRY(run_ranges(c, run, rows, err));
  if (counts) {
    counts->rows += rows;
    counts->bytes += rows * rdx_cube_row_bytes(run);
  }
  return RDX_OK;
}

static rdx_status run(const void *self, rdx_star_call *call, rdx_error *err) {
  return rdx_cube_answer(self, answer, call, err);
}

const rdx_star_ops rdx_sorted_cube_ops = {
    .method = RDX_STAR_SORTED_CUBE,
    .size = sizeof(sorted_cube),
    .build = build,
    .work = work,
    .tuples = rdx_cube_tuples,
    .run = run,
    .destroy = destroy,
};
