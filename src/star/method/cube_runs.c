/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Building runs on the device, and adding them up on the host. */

#include "star/method/cube_runs.h"

#include "kernels/star/totals.h"

#include <string.h>

static void free_arrays(rdx_runs *runs) {
  RDX_FREE_ALL(runs->starts, runs->groups, runs->next_group_run);
  for (uint32_t i = 0; i < runs->total_count; i++)
    RDX_FREE_ALL(runs->totals[i].sums, runs->totals[i].counts);
}

void rdx_runs_destroy(rdx_runs *runs) {
  if (!runs->memory)
    free_arrays(runs);
  rdx_buffer_destroy(&runs->memory);
  RDX_FREE_ALL(runs->first_run, runs->totals);
  *runs = (rdx_runs){0};
}

uint64_t rdx_runs_bytes(const rdx_cube_core *core, const rdx_runs *runs) {
  const uint64_t first_run = runs->first_run ? core->scan.count * 4ul : 0;
  uint64_t each = runs->groups ? 12 : 4;
  if (runs->memory)
    return runs->memory->size + first_run;
  for (uint32_t i = 0; i < runs->total_count; i++)
    each += (runs->totals[i].sums ? 8 : 0) + (runs->totals[i].counts ? 8 : 0);
  return runs->count * each + first_run;
}

/* ---- Building ---- */

/* As many are as take 4 bytes for each row, and 2 MiB. */
bool rdx_runs_fit(const rdx_cube_core *core, uint64_t count) {
  uint64_t each = core->group_bytes ? 16 : 4;
  for (uint32_t m = 0; m < core->plan.measure_count; m++)
    each += core->plan.measures[m].nulls ? 16 : 8;
  return count * each <= (2ul << 20) + 4 * core->rows;
}

/* On the device: where runs of places begin, as bits, and these as a list. */
static rdx_status list_starts(const rdx_cube_core *core, rdx_stream *stream, rdx_buffer *starts, rdx_buffer *count,
                              uint64_t *out_count, rdx_error *err) {
  rdx_buffer *bits = NULL, *places = NULL;
  const uint64_t words = (core->rows + 31) / 32;
  RDX_TRY(rdx_stream_scratch(stream, words * 4, "the runs of a cube", &bits, err));
  RDX_TRY(rdx_stream_scratch(stream, core->scan.count * 4ul, "the runs of a cube", &places, err));
  RDX_TRY(rdx_buffer_upload(places, 0, core->scan.starts, core->scan.count * 4ul, err));
  const struct star_heads_args args = {.starts = RDX_ADDRESS(uint32_t, places),
                                       .groups = RDX_ADDRESS(uint32_t, core->group_codes),
                                       .bits = RDX_ADDRESS(uint32_t, bits),
                                       .starts_count = core->scan.count,
                                       .group_bytes = core->group_bytes,
                                       .rows = (uint32_t)core->rows};
  RDX_TRY(rdx_stream_launch(stream, &rdx_kernel_star_heads, &args, NULL, words, NULL, err));
  RDX_TRY(rdx_stream_select(stream, bits, starts, count, core->rows, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  return rdx_buffer_number(count, 0, 1, core->rows, "the runs of a cube", out_count, err);
}

/* What the runs of a device array come to before each of them. */
static rdx_status accumulate(const rdx_buffer *runs, uint32_t count, uint64_t **out, rdx_error *err) {
  RDX_TRY(rdx_alloc((size_t)count + 1, sizeof **out, "the runs of a cube", (void **)out, err));
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

static rdx_status launch_sums(const rdx_cube_core *core, uint32_t m, uint32_t runs, const rdx_buffer *starts,
                              rdx_stream *stream, rdx_buffer *sums, rdx_buffer *counts, rdx_error *err) {
  RDX_TRY(rdx_stream_fill(stream, sums, 0, sums->size, 0, err));
  if (counts)
    RDX_TRY(rdx_stream_fill(stream, counts, 0, counts->size, 0, err));
  const struct star_runs_args args = {.starts = RDX_ADDRESS(uint32_t, starts),
                                      .codes = RDX_ADDRESS(uint32_t, core->measures[m].codes),
                                      .sums = RDX_ADDRESS(uint64_t, sums),
                                      .counts = RDX_ADDRESS(uint64_t, counts),
                                      .null_code = core->measures[m].null_code,
                                      .runs = runs,
                                      .bytes = core->measures[m].bytes,
                                      .rows = (uint32_t)core->rows};
  RDX_TRY(
      rdx_stream_launch(stream, &rdx_kernel_star_runs, &args, NULL, (core->rows + STAR_RUN - 1) / STAR_RUN, NULL, err));
  return rdx_stream_finish(stream, err);
}

static rdx_status add_totals(const rdx_cube_core *core, uint32_t m, const rdx_buffer *starts, rdx_stream *stream,
                             rdx_runs *out, rdx_error *err) {
  const uint64_t size = (uint64_t)out->count * 8;
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *sums = NULL, *counts = NULL;
  RDX_TRY(rdx_buffer_create(core->device, size, "the runs of a cube", &sums, err));
  if (core->plan.measures[m].nulls)
    RDX_TRY(rdx_buffer_create(core->device, size, "the runs of a cube", &counts, err));
  RDX_TRY(launch_sums(core, m, out->count, starts, stream, sums, counts, err));
  if (counts)
    RDX_TRY(accumulate(counts, out->count, &out->totals[m].counts, err));
  return accumulate(sums, out->count, &out->totals[m].sums, err);
}

/* The group of each run, and the next run of another group. */
static rdx_status add_groups(const rdx_cube_core *core, const rdx_buffer *starts, rdx_runs *out, rdx_error *err) {
  const star_step step = rdx_cube_load(core->group_codes, core->group_bytes);
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *groups = NULL;
  RDX_TRY(rdx_alloc(out->count, 4, "the runs of a cube", (void **)&out->groups, err));
  RDX_TRY(rdx_alloc(out->count, 4, "the runs of a cube", (void **)&out->next_group_run, err));
  const rdx_cube_column column = {.steps = &step, .step_count = 1, .bytes = 4, .order = starts, .rows = out->count};
  RDX_TRY(rdx_cube_pack(core->device, &column, &groups, err));
  RDX_TRY(rdx_buffer_download(groups, 0, out->groups, out->count * 4ul, err));
  RDX_TRY(rdx_returned_u32s(core->device, out->groups, out->count, core->groups.count - 1, "the group of a run", err));
  for (uint32_t i = out->count; i-- > 0;)
    out->next_group_run[i] =
        i + 1 < out->count && out->groups[i] == out->groups[i + 1] ? out->next_group_run[i + 1] : i + 1;
  return RDX_OK;
}

/* The first run of each place. */
static rdx_status find_first_runs(const rdx_cube_core *core, rdx_runs *out, rdx_error *err) {
  RDX_TRY(rdx_alloc(core->scan.count + 1ul, 4, "the runs of a cube", (void **)&out->first_run, err));
  for (uint32_t place = 0, run = 0; place <= core->scan.count; place++) {
    while (run < out->count && out->starts[run] < core->scan.starts[place])
      run++;
    out->first_run[place] = run;
  }
  return RDX_OK;
}

/* Put `cuts` among the `count` rows that begin runs; both ascend. Returns how many there are then. */
static uint64_t merge_cuts(uint32_t *starts, uint64_t count, const uint32_t *cuts, uint64_t cut_count) {
  uint64_t both = 0;
  for (uint64_t i = 0, k = 0; k < cut_count; k++) {
    while (i < count && starts[i] < cuts[k])
      i++;
    both += i < count && starts[i] == cuts[k];
  }
  const uint64_t all = count + cut_count - both;
  for (uint64_t at = all; cut_count > 0; at--) {
    const uint32_t cut = cuts[cut_count - 1];
    const bool keep = count > 0 && starts[count - 1] >= cut;
    cut_count -= !keep || starts[count - 1] == cut;
    starts[at - 1] = keep ? starts[--count] : cut;
  }
  return all;
}

/* The first row of each run, on the host and in `starts`. */
static rdx_status find_starts(const rdx_cube_core *core, rdx_stream *stream, rdx_buffer *starts, rdx_buffer *number,
                              const uint32_t *cuts, uint64_t cut_count, rdx_runs *out, rdx_error *err) {
  uint64_t count = core->scan.count;
  if (core->group_bytes)
    RDX_TRY(list_starts(core, stream, starts, number, &count, err));
  else
    RDX_TRY(rdx_buffer_upload(starts, 0, core->scan.starts, count * 4, err));
  if (!rdx_runs_fit(core, count))
    return RDX_OK;
  RDX_TRY(rdx_alloc(count + cut_count + 1, 4, "the runs of a cube", (void **)&out->starts, err));
  RDX_TRY(rdx_buffer_download(starts, 0, out->starts, count * 4, err));
  RDX_TRY(rdx_returned_starts(core->device, out->starts, count, core->rows, "where a run begins", err));
  count = merge_cuts(out->starts, count, cuts, cut_count);
  if (!rdx_runs_fit(core, count)) {
    rdx_runs_destroy(out);
    return RDX_OK;
  }
  out->count = (uint32_t)count;
  out->starts[count] = (uint32_t)core->rows;
  return cut_count > 0 ? rdx_buffer_upload(starts, 0, out->starts, out->count * 4ul, err) : RDX_OK;
}

/* A list of totals: none, or a copy. */
static rdx_status create_totals(uint32_t count, const star_totals *from, rdx_runs *out, rdx_error *err) {
  RDX_TRY(rdx_calloc(count, sizeof *from, "the runs of a cube", (void **)&out->totals, err));
  if (from)
    memcpy(out->totals, from, count * sizeof *from);
  out->total_count = count;
  return RDX_OK;
}

static rdx_status add_parts(const rdx_cube_core *core, rdx_stream *stream, rdx_buffer *starts, rdx_runs *out,
                            rdx_error *err) {
  if (core->group_bytes)
    RDX_TRY(add_groups(core, starts, out, err));
  if (out->count > core->scan.count)
    RDX_TRY(find_first_runs(core, out, err));
  RDX_TRY(create_totals(core->plan.measure_count, NULL, out, err));
  for (uint32_t m = 0; m < core->plan.measure_count; m++)
    if (core->measures[m].span <= UINT64_MAX / core->rows) /* a sum of codes passes 64 bits nowhere */
      RDX_TRY(add_totals(core, m, starts, stream, out, err));
  return RDX_OK;
}

rdx_status rdx_runs_create(const rdx_cube_core *core, const uint32_t *cuts, uint64_t cut_count, rdx_runs *out,
                           rdx_error *err) {
  *out = (rdx_runs){0};
  if (core->rows == 0 || !rdx_runs_fit(core, core->scan.count))
    return RDX_OK;
  RDX_SCOPED(rdx_runs_destroy) rdx_runs made = {0};
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *starts = NULL, *number = NULL;
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  const uint64_t max = core->group_bytes ? core->rows : core->scan.count + cut_count;
  RDX_TRY(rdx_buffer_create(core->device, max * 4, "the runs of a cube", &starts, err));
  RDX_TRY(rdx_buffer_create(core->device, 8, "the number of runs", &number, err));
  RDX_TRY(rdx_stream_create_for(core->device, "build", &stream, err));
  RDX_TRY(find_starts(core, stream, starts, number, cuts, cut_count, &made, err));
  if (made.count > 0)
    RDX_TRY(add_parts(core, stream, starts, &made, err));
  *out = RDX_KEEP(made);
  return RDX_OK;
}

/* ---- On a device ---- */

/* Copy an array to memory->address + *place, if there is memory, and make *array that; moves *place on. */
static rdx_status move_array(void *array, uint64_t size, rdx_buffer *memory, uint64_t *place, rdx_error *err) {
  const void *from = NULL;
  memcpy(&from, array, sizeof from);
  const uint64_t at = *place, address = memory ? memory->address + at : 0;
  if (!from)
    return RDX_OK;
  *place += (size + 7) / 8 * 8;
  if (!memory)
    return RDX_OK;
  memcpy(array, &address, sizeof address);
  return rdx_buffer_upload(memory, at, from, size, err);
}

/* Move the arrays of `runs`, of which nothing is freed. memory NULL: nothing is moved. Returns the bytes they take. */
static rdx_status move_arrays(rdx_runs *runs, rdx_buffer *memory, uint64_t *bytes, rdx_error *err) {
  const uint64_t n = runs->count;
  *bytes = 0;
  RDX_TRY(move_array(&runs->starts, (n + 1) * 4, memory, bytes, err));
  RDX_TRY(move_array(&runs->groups, n * 4, memory, bytes, err));
  RDX_TRY(move_array(&runs->next_group_run, n * 4, memory, bytes, err));
  for (uint32_t i = 0; i < runs->total_count; i++) {
    RDX_TRY(move_array(&runs->totals[i].sums, (n + 1) * 8, memory, bytes, err));
    RDX_TRY(move_array(&runs->totals[i].counts, (n + 1) * 8, memory, bytes, err));
  }
  return RDX_OK;
}

rdx_status rdx_runs_move(const rdx_cube_core *core, rdx_runs *runs, rdx_error *err) {
  rdx_runs moved = *runs;
  uint64_t bytes = 0;
  if (core->device->info.backend == RDX_BACKEND_CPU || runs->count == 0)
    return RDX_OK;
  RDX_TRY(create_totals(runs->total_count, runs->totals, &moved, err));
  rdx_status status = move_arrays(&moved, NULL, &bytes, err);
  if (status == RDX_OK)
    status = rdx_buffer_create(core->device, bytes, "the runs of a cube", &moved.memory, err);
  if (status == RDX_OK)
    status = move_arrays(&moved, moved.memory, &bytes, err);
  if (status != RDX_OK) {
    rdx_buffer_destroy(&moved.memory);
    rdx_free(moved.totals);
    return status;
  }
  runs->first_run = NULL;
  rdx_runs_destroy(runs);
  *runs = moved;
  return RDX_OK;
}

/* ---- Answering ---- */

static uint32_t first_of(const rdx_runs *runs, uint32_t place) {
  return runs->first_run ? runs->first_run[place] : place;
}

bool rdx_runs_serve(const rdx_cube_core *core, const rdx_runs *runs, const rdx_plan *plan) {
  for (uint32_t i = 0; i < plan->measure_count && runs->count > 0; i++)
    if ((plan->measures[i].wanted & (RDX_WANT_MIN | RDX_WANT_MAX)) != 0 ||
        !runs->totals[rdx_cube_measure_of(core, &plan->measures[i])].sums)
      return false;
  return runs->count > 0;
}

uint64_t rdx_runs_of(const rdx_cube_core *core, const rdx_runs *runs, const rdx_plan *plan, const rdx_ranges *ranges) {
  const bool grouped = plan->query->group_count > 0;
  uint64_t count = 0;
  if (!rdx_runs_serve(core, runs, plan))
    return 0;
  for (uint32_t i = 0; i < ranges->count; i++)
    count += grouped ? first_of(runs, ranges->list[2 * i + 1]) - first_of(runs, ranges->list[2 * i]) : 1;
  return count;
}

uint64_t rdx_runs_translate(const rdx_runs *runs, rdx_ranges *ranges) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < ranges->count; i++) {
    ranges->list[2 * i] = first_of(runs, ranges->list[2 * i]);
    ranges->list[2 * i + 1] = first_of(runs, ranges->list[2 * i + 1]);
    count += ranges->list[2 * i + 1] - ranges->list[2 * i];
  }
  return count;
}

star_runs rdx_runs_view(const rdx_cube_core *core, const rdx_runs *runs, const rdx_plan *plan) {
  const bool grouped = plan->query->group_count > 0;
  star_runs r = {.starts = runs->starts,
                 .groups = grouped ? runs->groups : NULL,
                 .next_group_run = grouped ? runs->next_group_run : NULL};
  for (uint32_t i = 0; i < plan->measure_count; i++)
    r.totals[i] = runs->totals[rdx_cube_measure_of(core, &plan->measures[i])];
  return r;
}

/* Where there is one group, ranges are differences of totals: its record. */
static void add_ranges(const rdx_cube_core *core, const rdx_runs *runs, const rdx_plan *plan, const star_query *q,
                       const rdx_ranges *ranges, uint64_t *record) {
  *record++ = rdx_cube_rows_of(core, ranges);
  for (uint32_t m = 0; m < plan->measure_count; m++) {
    const star_totals *t = &runs->totals[rdx_cube_measure_of(core, &plan->measures[m])];
    uint64_t sum = 0, count = 0;
    for (uint32_t i = 0; i < ranges->count; i++) {
      const uint32_t low = first_of(runs, ranges->list[2 * i]), end = first_of(runs, ranges->list[2 * i + 1]);
      sum += t->sums[end] - t->sums[low];
      count += t->counts ? t->counts[end] - t->counts[low] : 0;
    }
    if (q->measures[m].slots & STAR_COUNT)
      *record++ = count;
    if (q->measures[m].slots & STAR_SUM)
      *record++ = sum;
  }
}

static rdx_status answer_one(const rdx_cube_core *core, const rdx_runs *runs, rdx_cube_run *run, rdx_error *err) {
  rdx_cube_prepare(core, 1, run);
  RDX_TRY(rdx_cube_record_capacity(run, 2 + run->query.slot_count, err));
  run->records[0] = 1;
  run->records[1] = 0;
  add_ranges(core, runs, run->call->plan, &run->query, &run->ranges, run->records + 2);
  return rdx_cube_read(core, run, run->records, false, err);
}

/* Where groups are many and few of them are in the ranges: records that follow each other as runs do, several of which
 * may be of one group. The number of records is the first word. Returns false where they are more than `max`. */
static bool list_records(const star_runs *r, const rdx_cube_run *run, uint64_t max, uint64_t *records) {
  const star_query *q = &run->query;
  const uint32_t *ranges = run->ranges.list;
  const uint64_t *sums = q->simple && q->measure_count == 1 ? r->totals[0].sums : NULL;
  uint64_t *record = records + 1, count = 0;
  for (uint32_t i = 0; i < run->ranges.count; i++)
    for (uint32_t k = ranges[2 * i], next; k < ranges[2 * i + 1]; k = next, record += 1 + q->slot_count) {
      if (count++ == max)
        return false;
      record[0] = r->groups ? r->groups[k] : 0;
      next = k + 1; /* mostly, and then what comes next need not wait for the next run */
      if (!r->groups || (next < ranges[2 * i + 1] && r->next_group_run && r->groups[next] == record[0]))
        next = star_end_of_group(r, k, ranges[2 * i + 1]);
      if (sums) {
        record[1] = r->starts[next] - r->starts[k];
        record[2] = sums[next] - sums[k];
      } else {
        star_take_runs(r, q, k, next, false, record + 1);
      }
    }
  records[0] = count;
  return true;
}

/* Room for a record for each group, which are 0. */
static rdx_status reserve(rdx_cube_run *run, rdx_error *err) {
  const uint64_t words = (uint64_t)run->query.group_count * run->query.slot_count;
  if (words <= run->host_words)
    return RDX_OK;
  rdx_free(run->host_sums);
  run->host_sums = NULL;
  run->host_words = 0;
  RDX_TRY(rdx_calloc(words, 8, "the groups of a query", (void **)&run->host_sums, err));
  run->host_words = words;
  return RDX_OK;
}

/* Records that the device would have brought: their number, then for each its group and its slots, which become 0. */
static void collect(const rdx_cube_run *run, const uint32_t *touched, uint32_t count, uint64_t *records) {
  const uint32_t slots = run->query.slot_count;
  *records++ = count;
  for (uint32_t i = 0; i < count; i++, records += 1 + slots) {
    uint64_t *record = run->host_sums + (uint64_t)touched[i] * slots;
    records[0] = touched[i];
    memcpy(records + 1, record, slots * 8ul);
    memset(record, 0, slots * 8ul);
  }
}

#define CACHED_WORDS 4096 /* accumulators that the nearest cache holds: then adding up is cheaper than sorting */
#define MAX_LISTED 1024

rdx_status rdx_runs_answer(const rdx_cube_core *core, const rdx_runs *runs, rdx_cube_run *run, rdx_error *err) {
  const rdx_plan *plan = run->call->plan;
  if (plan->query->group_count == 0)
    return answer_one(core, runs, run, err);
  const star_runs r = rdx_runs_view(core, runs, plan);
  const star_query *q = &run->query;
  const uint64_t all = rdx_runs_translate(runs, &run->ranges);
  const uint32_t *ranges = run->ranges.list, range_count = run->ranges.count;
  rdx_cube_prepare(core, 1, run);
  const uint64_t group_count = q->group_count, slots = q->slot_count;
  const uint64_t groups = all < group_count ? all : group_count,
                 listed = group_count * slots > CACHED_WORDS ? MAX_LISTED : 0;
  RDX_TRY(rdx_cube_record_capacity(run, 1 + (groups < listed ? listed : groups) * (1 + slots), err));
  const bool parts = list_records(&r, run, listed, run->records);
  if (!parts) {
    uint32_t touched = 0;
    RDX_TRY(reserve(run, err));
    RDX_TRY(rdx_cube_reserve(run, groups, err));
    for (uint32_t i = 0; i < range_count; i++)
      touched = star_add_runs(&r, q, ranges[2 * i], ranges[2 * i + 1], run->host_sums, run->rows, touched);
    collect(run, run->rows, touched, run->records);
  }
  return rdx_cube_read(core, run, run->records, parts, err);
}
