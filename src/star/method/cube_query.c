/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Queries of cubes: what they can answer, ranges of scan places, accumulators, and groups as plans number them. */

#include "star/method/cube.h"

#include <math.h>
#include <string.h>

#define MIN_READ 4096u /* bytes of a result that come along, whatever its size was the last time */

/* ---- Measures and costs ---- */

static bool same_measure(const rdx_measure *a, const rdx_measure *b) {
  return a->numeric == b->numeric && a->scale == b->scale &&
         rdx_steps_equal(a->steps, a->step_count, b->steps, b->step_count);
}

uint32_t rdx_cube_measure_of(const rdx_cube_core *core, const rdx_measure *measure) {
  uint32_t i = 0;
  while (i < core->plan.measure_count && !same_measure(&core->plan.measures[i], measure))
    i++;
  return i;
}

/* As if conditions were independent and each code as frequent as any other: the ranges are the intervals of the last
 * attribute that has a term, for each tuple of those before it that qualifies (section 4.2), and no more than tuples of
 * both. */
void rdx_cube_estimate(const rdx_cube_core *core, const rdx_plan *plan, double *ranges, double *rows) {
  const rdx_tuples *t = &core->scan;
  double share = 1;
  *ranges = 1;
  for (uint32_t i = 0; i < t->attribute_count; i++) {
    const rdx_code_set *set = rdx_plan_set(plan, t->attributes[i]);
    const double all = (double)core->relation->attributes[t->attributes[i]].count + 1;
    const double before = t->prefixes[i] * share;
    double codes = 0;
    if (!set)
      continue;
    for (uint32_t k = 0; k < set->count; k++)
      codes += (double)(set->list[k].high - set->list[k].low) + 1;
    share *= codes < all ? codes / all : 1;
    const double max = t->prefixes[i + 1] * share, found = (before > 1 ? before : 1) * set->count;
    *ranges = max < 1 ? 1 : found < max ? found : max;
  }
  *rows = (double)core->rows * share;
}

rdx_work rdx_cube_searches(const rdx_cube_core *core, double ranges) {
  const double tuples = core->scan.count;
  return (rdx_work){.steps = ranges * (1 + log2(fmax(tuples / ranges, 1))), .searched_tuples = tuples};
}

/* ---- Accumulators ---- */

static uint32_t slots_of(const rdx_cube_core *core, const rdx_measure *m, const rdx_cube_measure *stored) {
  uint32_t slots = m->wanted & RDX_WANT_SUM ? STAR_SUM : 0;
  if (slots && core->rows > 0 && stored->span > UINT64_MAX / core->rows)
    slots |= STAR_HIGH;
  slots |= m->wanted & RDX_WANT_MIN ? STAR_MIN : 0;
  slots |= m->wanted & RDX_WANT_MAX ? STAR_MAX : 0;
  return m->nulls ? slots | STAR_COUNT | STAR_NULLS : slots;
}

static uint32_t group_count(const rdx_cube_core *core, const rdx_plan *plan) {
  return plan->query->group_count > 0 && core->group_bytes ? core->groups.count : 1;
}

void rdx_cube_prepare(const rdx_cube_core *core, uint32_t copies, rdx_cube_run *run) {
  const rdx_plan *plan = run->call->plan;
  star_query *q = &run->query;
  *q = (star_query){.group_count = group_count(core, plan), .slot_count = 1, .copies = copies};
  if (q->group_count > 1 && core->group_codes) {
    q->groups = RDX_ADDRESS(uint32_t, core->group_codes);
    q->group_bytes = core->group_bytes;
  }
  q->measure_count = plan->measure_count;
  for (uint32_t i = 0; i < plan->measure_count; i++) {
    const uint32_t m = rdx_cube_measure_of(core, &plan->measures[i]);
    const rdx_cube_measure *stored = &core->measures[m];
    q->measures[i] = (star_measure){.codes = RDX_ADDRESS(uint32_t, stored->codes),
                                    .null_code = stored->null_code,
                                    .bytes = stored->bytes,
                                    .slots = slots_of(core, &plan->measures[i], stored)};
    q->slot_count += (uint32_t)__builtin_popcount(q->measures[i].slots & ~STAR_NULLS);
  }
  q->simple = plan->measure_count == 0 || (plan->measure_count == 1 && q->measures[0].slots == STAR_SUM);
}

static rdx_status grow(rdx_cube_run *run, rdx_device *device, uint64_t size, bool zero, rdx_buffer **buffer,
                       rdx_error *err) {
  if (*buffer && (*buffer)->size >= size)
    return RDX_OK;
  rdx_buffer_destroy(buffer);
  RDX_TRY(rdx_buffer_create(device, size, "the accumulators of a query", buffer, err));
  return zero ? rdx_stream_fill(run->stream, *buffer, 0, size, 0, err) : RDX_OK;
}

uint32_t rdx_cube_copies(const rdx_cube_core *core, const rdx_plan *plan, uint64_t work) {
  const uint64_t groups = group_count(core, plan);
  uint64_t max = core->device->info.backend == RDX_BACKEND_CPU ? core->device->info.threads : 8;
  const uint64_t useful = core->device->info.backend == RDX_BACKEND_CPU ? 1 + work / 65536 : 4096 / groups;
  const uint64_t capacity = (256u << 20) / (groups * 64);
  max = max < useful ? max : useful;
  max = max < capacity ? max : capacity;
  return (uint32_t)(max < 1 ? 1 : max < STAR_COPIES ? max : STAR_COPIES);
}

rdx_status rdx_cube_start(const rdx_cube_core *core, uint32_t copies, rdx_cube_run *run, rdx_error *err) {
  star_query *q = &run->query;
  rdx_cube_prepare(core, copies, run);
  const uint64_t groups = q->group_count, cells = copies * star_record_stride(q);
  if (cells > UINT32_MAX)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "a query adds up %llu groups of %u numbers, more than 2^32 in all",
                    (unsigned long long)groups, q->slot_count);
  RDX_TRY(grow(run, core->device, cells * 8, true, &run->sums, err));
  RDX_TRY(grow(run, core->device, 8 + groups * (1 + q->slot_count) * 8, false, &run->found, err));
  if (core->device->info.backend == RDX_BACKEND_CPU) {
    RDX_TRY(grow(run, core->device, copies * star_list_stride(q) * 4, false, &run->touched, err));
    RDX_TRY(grow(run, core->device, (STAR_COPIES + (groups + 31) / 32 + (groups + 1023) / 1024) * 4, true, &run->marks,
                 err));
  }
  q->sums = RDX_ADDRESS(uint64_t, run->sums);
  q->touched = RDX_ADDRESS(uint32_t, run->touched);
  q->marks = RDX_ADDRESS(uint32_t, run->marks);
  if (run->counters)
    RDX_TRY(rdx_stream_fill(run->stream, run->counters, 0, 16, 0, err));
  RDX_TRY(rdx_stream_mark(run->stream, err));
  RDX_TRY(rdx_stream_fill(run->stream, run->found, 0, 8, 0, err));
  return rdx_stream_constants(run->stream, q, sizeof *q, &run->query_address, err);
}

/* ---- Results ---- */

rdx_status rdx_cube_record_capacity(rdx_cube_run *run, uint64_t words, rdx_error *err) {
  if (words <= run->record_capacity)
    return RDX_OK;
  RDX_TRY(rdx_realloc((void **)&run->records, words, 8, "the groups of a query", err));
  run->record_capacity = words;
  return RDX_OK;
}

/* What the collecting kernel found, on the host: `*records`, `first` bytes of it, came with the submission, and mostly
 * that is all; else the rest is downloaded to room of the run's own. */
static rdx_status take_records(rdx_cube_run *run, const uint64_t **records, uint64_t first, rdx_error *err) {
  const uint64_t count = (*records)[0], size = 1 + run->query.slot_count;
  RDX_TRY(rdx_returned_number(run->found->device, count, 0, run->query.group_count, "the groups of a query", err));
  run->expected = 8 + count * size * 8;
  if (run->expected > first) {
    RDX_TRY(rdx_cube_record_capacity(run, run->expected / 8, err));
    memcpy(run->records, *records, first);
    *records = run->records;
    RDX_TRY(rdx_buffer_download(run->found, first, (char *)run->records + first, run->expected - first, err));
  }
  for (uint64_t i = 0; i < count; i++)
    RDX_TRY(rdx_returned_number(run->found->device, (*records)[1 + i * size], 0, run->query.group_count - 1,
                                "the number of a group", err));
  return RDX_OK;
}

/* Where records have what a measure comes to. */
static rdx_record_words words_of(const rdx_measure *m, uint32_t slots, uint32_t *next) {
  rdx_record_words w = {.zero = (uint64_t)m->min, .top = (uint64_t)m->min - 1};
  w.count = slots & STAR_COUNT ? (*next)++ : RDX_NO_WORD;
  w.sum = slots & STAR_SUM ? (*next)++ : RDX_NO_WORD;
  w.high = slots & STAR_HIGH ? (*next)++ : RDX_NO_WORD;
  w.min = slots & STAR_MIN ? (*next)++ : RDX_NO_WORD;
  w.max = slots & STAR_MAX ? (*next)++ : RDX_NO_WORD;
  return w;
}

rdx_status rdx_cube_read(const rdx_cube_core *core, const rdx_cube_run *run, const uint64_t *records, bool parts,
                         rdx_error *err) {
  const rdx_plan *plan = run->call->plan;
  const uint64_t count = records[0];
  const uint32_t size = run->query.slot_count;
  RDX_SCOPED(rdx_free_local) uint64_t *numbers = NULL;
  RDX_TRY(rdx_alloc(count, sizeof *numbers, "the groups of a query", (void **)&numbers, err));
  rdx_tuples_number(&core->groups, plan, records + 1, 1 + size, count, numbers);
  rdx_records r = {.count = count,
                   .numbers = numbers,
                   .distinct = rdx_tuples_are_constant(&core->groups, plan) &&
                               (!parts || rdx_tuples_are_constant(&core->scan, plan)),
                   .words = records + 2,
                   .stride = 1 + size,
                   .size = size};
  uint32_t next = 1;
  for (uint32_t m = 0; m < plan->measure_count; m++)
    r.measures[m] = words_of(&core->plan.measures[rdx_cube_measure_of(core, &plan->measures[m])],
                             run->query.measures[m].slots, &next);
  return rdx_groups_create(plan, r, run->call->out, err);
}

rdx_status rdx_cube_select(const rdx_cube_core *core, rdx_cube_run *run, rdx_error *err) {
  return rdx_tuples_select(&core->scan, run->call->plan, &run->ranges, err);
}

uint64_t rdx_cube_tuples(const void *self) {
  const rdx_cube_core *core = self;
  return core->scan.count;
}

uint64_t rdx_cube_rows_of(const rdx_cube_core *core, const rdx_ranges *ranges) {
  uint64_t rows = 0;
  for (uint32_t i = 0; i < ranges->count; i++)
    rows += core->scan.starts[ranges->list[2 * i + 1]] - core->scan.starts[ranges->list[2 * i]];
  return rows;
}

rdx_status rdx_cube_finish(const rdx_cube_core *core, rdx_cube_run *run, rdx_error *err) {
  const uint64_t items = core->device->info.backend == RDX_BACKEND_CPU ? 1 : run->query.group_count;
  const struct star_collect_args args = {.query = (star_query *)(uintptr_t)run->query_address,
                                         .found = RDX_ADDRESS(uint64_t, run->found)};
  const uint64_t max = 8 + (uint64_t)run->query.group_count * (1 + run->query.slot_count) * 8;
  uint64_t first = run->expected < MIN_READ ? MIN_READ : run->expected;
  first = first < RDX_STREAM_READ_MAX ? first : RDX_STREAM_READ_MAX;
  first = first < max ? first : max;
  const uint64_t *records = NULL;
  RDX_TRY(rdx_stream_launch(run->stream, &rdx_kernel_star_collect, &args, NULL, items, NULL, err));
  RDX_TRY(rdx_stream_mark(run->stream, err));
  RDX_TRY(rdx_stream_read(run->stream, run->found, 0, first, (const void **)&records, err));
  RDX_TRY(rdx_stream_finish(run->stream, err));
  run->call->device_ms += rdx_stream_elapsed(run->stream, 0, 1);
  RDX_TRY(take_records(run, &records, first, err));
  return rdx_cube_read(core, run, records, false, err);
}

/* ---- Counting ---- */

uint64_t rdx_cube_row_bytes(const rdx_cube_run *run) {
  uint64_t bytes = run->query.group_bytes;
  for (uint32_t i = 0; i < run->query.measure_count; i++)
    bytes += run->query.measures[i].bytes;
  return bytes;
}

#define NODE_CHILDREN_LOG 3
#define NODE_BYTES 256

/* RTCUDB, Figure 13 "Query memory throughput of RTCUDB and Crystal". */
/* No device tells what its traversal reads: see rdx_query_stats.scene_bytes. */
static uint64_t scene_traffic(const rdx_scene *scene, uint64_t rays, uint64_t hits) {
  uint64_t levels = 0;
  for (uint64_t nodes = scene->params.count; nodes > 1; nodes = (nodes - 1) >> NODE_CHILDREN_LOG)
    levels++;
  const double each = scene->params.count > 0 ? (double)scene->bytes / (double)scene->params.count : 0;
  return rays * levels * NODE_BYTES + (uint64_t)((double)hits * each);
}

rdx_status rdx_cube_count(const rdx_cube_run *run, const rdx_scene *scene, uint64_t rays, rdx_error *err) {
  rdx_query_counts *counts = run->call->counts;
  uint64_t values[2] = {0};
  if (!run->counters)
    return RDX_OK;
  RDX_TRY(rdx_buffer_download(run->counters, 0, values, sizeof values, err));
  counts->rays += rays;
  counts->hits += values[0];
  counts->rows += values[1];
  counts->bytes += values[1] * rdx_cube_row_bytes(run);
  counts->scene_bytes += scene_traffic(scene, rays, values[0]);
  return RDX_OK;
}
