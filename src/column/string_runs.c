/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Distinct strings as sorted runs, which are merged. */

#include "column/string_runs.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "column/column.h"

#define WHAT "the dictionary of an expression"
#define STAGE "evaluate"
#define MANY 4096u           /* strings: to sort fewer takes less time than to wake threads */
#define SHORT_RUN (1u << 15) /* strings that a table has in the cache */
#define LONG_RUN (1u << 22)
#define MANY_RUNS 128u /* of a worker, at most, of short ones */
#define RANGE (1u << 16)
#define MAX_RANGES 2048u
#define SAMPLES 16u /* of a range */

typedef struct run {
  uint64_t *offsets; /* of its strings, ascending */
  char *bytes;
  uint32_t count;
  uint32_t *places; /* of strings by their numbers: in the run, then among all */
  uint32_t *merged; /* of strings by their places in the run: their places among all */
} run;

typedef struct collector {
  rdx_distinct table;
  uint64_t limit; /* strings of the table */
  uint64_t added; /* strings that came since it was empty */
  run *runs;
  uint32_t count, capacity;
  rdx_status status;
  rdx_error err;
} collector;

typedef struct range {
  uint64_t first, count;      /* strings: where its first one may go at most, and the distinct ones */
  uint64_t first_byte, bytes; /* the same of bytes */
  uint64_t place;             /* of the first among all */
} range;

struct rdx_string_runs {
  uint32_t workers;
  uint64_t strings; /* that are expected of a worker */
  collector *collectors;
  rdx_pool *pool;
  run **runs; /* of all workers, */
  uint32_t run_count;
  range *ranges;
  uint32_t range_count;
  uint32_t *bounds; /* [range][run]: the run's first string of the range, and behind the last range all of them */
  uint64_t *offsets;
  char *bytes;
  _Atomic bool failed;
};

/* ---- Runs ---- */

static uint64_t first_limit(const rdx_string_runs *r) {
  const uint64_t part = r->strings / MANY_RUNS;
  return part < SHORT_RUN ? SHORT_RUN : part < LONG_RUN ? part : LONG_RUN;
}

rdx_status rdx_string_runs_create(uint32_t workers, uint64_t strings, rdx_string_runs **out, rdx_error *err) {
  RDX_SCOPED(rdx_string_runs_destroy) rdx_string_runs *r = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *r, WHAT, (void **)&r, err));
  r->workers = workers;
  r->strings = strings / workers;
  RDX_TRY(rdx_calloc(workers, sizeof *r->collectors, WHAT, (void **)&r->collectors, err));
  for (uint32_t i = 0; i < workers; i++)
    r->collectors[i].limit = first_limit(r);
  *out = RDX_KEEP(r);
  return RDX_OK;
}

static void free_run(run *u) {
  RDX_FREE_ALL(u->offsets, u->bytes, u->places, u->merged);
  *u = (run){0};
}

void rdx_string_runs_destroy(rdx_string_runs **runs) {
  rdx_string_runs *r = *runs;
  *runs = NULL;
  if (!r)
    return;
  for (uint32_t i = 0; r->collectors && i < r->workers; i++) {
    for (uint32_t k = 0; k < r->collectors[i].count; k++)
      free_run(&r->collectors[i].runs[k]);
    rdx_distinct_drop(&r->collectors[i].table);
    rdx_free(r->collectors[i].runs);
  }
  RDX_FREE_ALL(r->collectors, r->runs, r->ranges, r->bounds, r);
}

/* The strings of a table in their order. */
static rdx_status copy_sorted(const rdx_distinct *d, const uint32_t *sorted, uint64_t *offsets, char *bytes,
                              rdx_error *err) {
  const uint64_t count = d->strings.rows;
  offsets[0] = 0;
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t from = d->offsets[sorted[i]], length = d->offsets[sorted[i] + 1] - from;
    RDX_TRY(rdx_loop_goes_on(i, count, STAGE, err));
    memcpy(bytes + offsets[i], d->bytes + from, length);
    offsets[i + 1] = offsets[i] + length;
  }
  return RDX_OK;
}

/* The strings that a worker has become a run. */
static rdx_status end_run(collector *c, rdx_error *err) {
  rdx_distinct *d = &c->table;
  if (d->strings.rows == 0)
    return RDX_OK;
  RDX_TRY(rdx_reserve_one((void **)&c->runs, c->count, &c->capacity, sizeof *c->runs, WHAT, err));
  RDX_SCOPED(free_run) run made = {.count = (uint32_t)d->strings.rows};
  RDX_TRY(rdx_distinct_sort(d, STAGE, &made.merged, &made.places, err));
  RDX_TRY(rdx_alloc((size_t)made.count + 1, sizeof *made.offsets, WHAT, (void **)&made.offsets, err));
  RDX_TRY(rdx_alloc(d->offsets[made.count], 1, WHAT, (void **)&made.bytes, err));
  RDX_TRY(copy_sorted(d, made.merged, made.offsets, made.bytes, err));
  c->runs[c->count++] = RDX_KEEP(made);
  return RDX_OK;
}

/* Whether a table that is full grows. Of d strings, equally frequent, about n * n / (2 * d) had come before when
 * the table has n: one of all of them pays where each comes twice or more. */
static bool should_grow(const rdx_string_runs *r, const collector *c) {
  const uint64_t count = c->table.strings.rows, again = c->added - count;
  return count < LONG_RUN && count * count <= again * r->strings;
}

rdx_status rdx_string_runs_open(rdx_string_runs *r, uint32_t worker, uint32_t count, uint32_t *number, rdx_error *err) {
  collector *c = &r->collectors[worker];
  while (c->table.strings.rows + count > c->limit && c->table.strings.rows > 0) {
    if (should_grow(r, c)) {
      c->limit *= 2;
      continue;
    }
    RDX_TRY(end_run(c, err));
    c->limit = first_limit(r);
    c->added = 0;
    if (c->table.capacity > 2 * c->limit)
      rdx_distinct_drop(&c->table);
    else
      rdx_distinct_clear(&c->table);
  }
  *number = c->count;
  return RDX_OK;
}

rdx_status rdx_string_runs_add(rdx_string_runs *r, uint32_t worker, rdx_arrival *arrivals, uint32_t count,
                               rdx_error *err) {
  r->collectors[worker].added += count;
  return rdx_distinct_add_each(&r->collectors[worker].table, arrivals, count, err);
}

/* ---- Tasks ---- */

/* Do a task of each of `count` items. The first failure, by worker, is told. */
static rdx_status run_each(rdx_string_runs *r, uint64_t count, rdx_task_fn task, rdx_error *err) {
  if (r->pool)
    RDX_TRY(rdx_pool_run_stage(r->pool, count, 1, task, r, STAGE, err));
  else
    for (uint64_t i = 0; i < count; i++)
      task(r, i, i + 1, 0);
  for (uint32_t i = 0; i < r->workers; i++)
    if (r->collectors[i].status != RDX_OK) {
      if (err)
        *err = r->collectors[i].err;
      return r->collectors[i].status;
    }
  return RDX_OK;
}

/* What a task of a worker came to. */
static void note(rdx_string_runs *r, uint32_t worker, rdx_status status) {
  if (status == RDX_OK)
    return;
  r->collectors[worker].status = status;
  atomic_store(&r->failed, true);
}

static void end_each(void *context, uint64_t begin, RDX_UNUSED uint64_t end, uint32_t worker) {
  rdx_string_runs *r = context;
  if (!atomic_load(&r->failed))
    note(r, worker, end_run(&r->collectors[begin], &r->collectors[worker].err));
  rdx_distinct_drop(&r->collectors[begin].table);
}

/* ---- Ranges ---- */

static rdx_column strings_of(const run *u) {
  return (rdx_column){.type = RDX_TYPE_STRING, .rows = u->count, .values = u->bytes, .offsets = u->offsets};
}

/* A string of a run. */
typedef struct sample {
  const run *of;
  uint32_t place;
} sample;

static int compare_samples(const void *a, const void *b) {
  const sample *x = a, *y = b;
  const rdx_column left = strings_of(x->of), right = strings_of(y->of);
  return rdx_column_compare_strings(&left, x->place, &right, y->place);
}

/* The first string of a run that is not below a sample. */
static uint32_t first_not_below(const run *u, sample s) {
  const rdx_column own = strings_of(u), other = strings_of(s.of);
  uint32_t begin = 0, end = u->count;
  while (begin < end) {
    const uint32_t middle = begin + (end - begin) / 2;
    if (rdx_column_compare_strings(&own, middle, &other, s.place) < 0)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

/* Part strings at some of them, evenly. */
static rdx_status find_bounds(rdx_string_runs *r, uint64_t strings, rdx_error *err) {
  const uint64_t step = strings / (SAMPLES * (uint64_t)r->range_count) + 1;
  RDX_SCOPED(rdx_free_local) sample *samples = NULL;
  uint64_t count = 0, at = step / 2;
  RDX_TRY(rdx_alloc(strings / step + 1, sizeof *samples, WHAT, (void **)&samples, err));
  for (uint32_t i = 0; i < r->run_count; i++) { /* every so many strings, one run after the other */
    for (; at < r->runs[i]->count; at += step)
      samples[count++] = (sample){r->runs[i], (uint32_t)at};
    at -= r->runs[i]->count;
  }
  qsort(samples, count, sizeof *samples, compare_samples);
  for (uint32_t t = 0; t <= r->range_count; t++) {
    RDX_TRY(rdx_progress_at_times(STAGE, 0, 0, err));
    for (uint32_t i = 0; i < r->run_count; i++) {
      const run *u = r->runs[i];
      uint32_t *bound = &r->bounds[(size_t)t * r->run_count + i];
      *bound = t == 0 ? 0 : t == r->range_count ? u->count : first_not_below(u, samples[t * count / r->range_count]);
    }
  }
  return RDX_OK;
}

/* Where ranges may write at most: as if all strings differed. */
static void place_ranges(rdx_string_runs *r) {
  for (uint32_t t = 0; t < r->range_count; t++) {
    const uint32_t *bounds = r->bounds + (size_t)t * r->run_count;
    r->ranges[t] = (range){0};
    for (uint32_t i = 0; i < r->run_count; i++) {
      r->ranges[t].first += bounds[i];
      r->ranges[t].first_byte += r->runs[i]->offsets[bounds[i]];
    }
  }
}

/* Whether there is work for more than this thread. */
static bool has_many(const rdx_string_runs *r) {
  uint64_t strings = 0;
  for (uint32_t i = 0; i < r->workers; i++)
    strings += r->collectors[i].count > 0 ? MANY : r->collectors[i].table.strings.rows;
  return strings >= MANY;
}

rdx_status rdx_string_runs_end(rdx_string_runs *r, rdx_pool *pool, uint64_t *strings, uint64_t *bytes, rdx_error *err) {
  uint32_t runs = 0;
  r->pool = has_many(r) ? pool : NULL;
  *strings = *bytes = 0;
  RDX_TRY(run_each(r, r->workers, end_each, err));
  for (uint32_t i = 0; i < r->workers; i++)
    runs += r->collectors[i].count;
  RDX_TRY(rdx_alloc(runs, sizeof(run *), WHAT, (void **)&r->runs, err));
  for (uint32_t i = 0; i < r->workers; i++)
    for (uint32_t k = 0; k < r->collectors[i].count; k++) {
      run *u = r->runs[r->run_count++] = &r->collectors[i].runs[k];
      *strings += u->count;
      *bytes += u->offsets[u->count];
    }
  r->range_count = (uint32_t)(*strings / RANGE < MAX_RANGES ? *strings / RANGE + 1 : MAX_RANGES);
  RDX_TRY(rdx_alloc(r->range_count, sizeof *r->ranges, WHAT, (void **)&r->ranges, err));
  RDX_TRY(rdx_alloc(r->range_count + 1, runs * sizeof *r->bounds, WHAT, (void **)&r->bounds, err));
  RDX_TRY(find_bounds(r, *strings, err));
  place_ranges(r);
  return RDX_OK;
}

/* ---- Merging ---- */

/* The strings of a range of all runs, one run after the other. */
static rdx_status gather(const rdx_string_runs *r, uint32_t t, rdx_distinct *out, rdx_error *err) {
  const uint32_t *first = r->bounds + (size_t)t * r->run_count, *end = first + r->run_count;
  uint64_t strings = 0, bytes = 0;
  for (uint32_t i = 0; i < r->run_count; i++) {
    strings += end[i] - first[i];
    bytes += r->runs[i]->offsets[end[i]] - r->runs[i]->offsets[first[i]];
  }
  RDX_TRY(rdx_alloc(strings + 1, sizeof *out->offsets, WHAT, (void **)&out->offsets, err));
  RDX_TRY(rdx_alloc(bytes + 8, 1, WHAT, (void **)&out->bytes, err));
  memset(out->bytes + bytes, 0, 8);
  bytes = 0;
  for (uint32_t i = 0; i < r->run_count; i++) {
    const uint64_t *offsets = r->runs[i]->offsets, from = offsets[first[i]];
    memcpy(out->bytes + bytes, r->runs[i]->bytes + from, offsets[end[i]] - from);
    for (uint32_t k = first[i]; k < end[i]; k++)
      out->offsets[out->strings.rows++] = bytes + offsets[k] - from;
    bytes += offsets[end[i]] - from;
  }
  out->offsets[strings] = bytes;
  return RDX_OK;
}

/* Write strings in their order, equal ones once; places[i] becomes that of string i in the range. */
static void write_strings(const rdx_string_runs *r, const rdx_distinct *d, const uint32_t *sorted, uint32_t *places,
                          range *to) {
  uint64_t *offsets = r->offsets + to->first;
  char *bytes = r->bytes + to->first_byte;
  const char *last = NULL;
  uint64_t last_length = 0;
  for (uint64_t i = 0; i < d->strings.rows; i++) {
    const char *from = d->bytes + d->offsets[sorted[i]];
    const uint64_t length = d->offsets[sorted[i] + 1] - d->offsets[sorted[i]];
    if (!last || length != last_length || memcmp(from, last, length) != 0) {
      memcpy(bytes + to->bytes, from, length);
      offsets[to->count++] = to->first_byte + to->bytes;
      to->bytes += length;
    }
    places[sorted[i]] = (uint32_t)to->count - 1;
    last = from;
    last_length = length;
  }
}

/* The run that has all strings of a range; NULL: several have some. */
static const run *find_only(const rdx_string_runs *r, uint32_t t, uint32_t *begin, uint32_t *end) {
  const uint32_t *first = r->bounds + (size_t)t * r->run_count, *last = first + r->run_count;
  const run *only = NULL;
  for (uint32_t i = 0; i < r->run_count; i++) {
    if (first[i] == last[i])
      continue;
    if (only)
      return NULL;
    only = r->runs[i];
    *begin = first[i];
    *end = last[i];
  }
  return only;
}

/* The strings begin .. end - 1 of a run are those of a range. */
static void copy_strings(const rdx_string_runs *r, const run *u, uint32_t begin, uint32_t end, range *to) {
  const uint64_t from = u->offsets[begin];
  to->count = end - begin;
  to->bytes = u->offsets[end] - from;
  memcpy(r->bytes + to->first_byte, u->bytes + from, to->bytes);
  for (uint32_t i = begin; i < end; i++) {
    r->offsets[to->first + i - begin] = to->first_byte + u->offsets[i] - from;
    u->merged[i] = i - begin;
  }
}

static rdx_status merge_range(rdx_string_runs *r, uint32_t t, rdx_error *err) {
  const uint32_t *first = r->bounds + (size_t)t * r->run_count, *end = first + r->run_count;
  uint32_t own_begin, own_end;
  const run *only = find_only(r, t, &own_begin, &own_end);
  if (only) {
    copy_strings(r, only, own_begin, own_end, &r->ranges[t]);
    return RDX_OK;
  }
  RDX_SCOPED(rdx_distinct_drop) rdx_distinct all = {0};
  RDX_SCOPED(rdx_free_local) uint32_t *sorted = NULL, *places = NULL;
  RDX_TRY(gather(r, t, &all, err));
  RDX_TRY(rdx_distinct_sort(&all, STAGE, &sorted, &places, err));
  write_strings(r, &all, sorted, places, &r->ranges[t]);
  for (uint64_t i = 0, k = 0; i < r->run_count; k += end[i] - first[i], i++)
    memcpy(r->runs[i]->merged + first[i], places + k, (end[i] - first[i]) * sizeof *places);
  return RDX_OK;
}

static void merge_each(void *context, uint64_t begin, RDX_UNUSED uint64_t end, uint32_t worker) {
  rdx_string_runs *r = context;
  if (!atomic_load(&r->failed))
    note(r, worker, merge_range(r, (uint32_t)begin, &r->collectors[worker].err));
}

/* Close the gaps that strings leave which are in several runs. */
static rdx_status close_gaps(rdx_string_runs *r, uint64_t *count, rdx_error *err) {
  uint64_t bytes = 0;
  *count = 0;
  for (uint32_t t = 0; t < r->range_count; t++) {
    range *a = &r->ranges[t];
    const uint64_t *from = r->offsets + a->first;
    RDX_TRY(rdx_progress_at_times(STAGE, t, r->range_count, err));
    a->place = *count;
    if (*count < a->first) {
      for (uint64_t i = 0; i < a->count; i++)
        r->offsets[*count + i] = from[i] - (a->first_byte - bytes);
      memmove(r->bytes + bytes, r->bytes + a->first_byte, a->bytes);
    }
    *count += a->count;
    bytes += a->bytes;
  }
  r->offsets[*count] = bytes;
  return RDX_OK;
}

static void place_each(void *context, uint64_t begin, RDX_UNUSED uint64_t end, RDX_UNUSED uint32_t worker) {
  const rdx_string_runs *r = context;
  const run *u = r->runs[begin];
  for (uint32_t t = 0; t < r->range_count; t++) {
    const uint32_t *bounds = r->bounds + (size_t)t * r->run_count + begin;
    for (uint32_t i = bounds[0]; i < bounds[r->run_count]; i++)
      u->merged[i] += (uint32_t)r->ranges[t].place;
  }
  for (uint32_t i = 0; i < u->count; i++)
    u->places[i] = u->merged[u->places[i]];
}

rdx_status rdx_string_runs_merge(rdx_string_runs *r, uint64_t *offsets, char *bytes, uint64_t *count, rdx_error *err) {
  r->offsets = offsets;
  r->bytes = bytes;
  RDX_TRY(run_each(r, r->range_count, merge_each, err));
  RDX_TRY(close_gaps(r, count, err));
  return run_each(r, r->run_count, place_each, err);
}

const uint32_t *rdx_string_runs_places(const rdx_string_runs *r, uint32_t worker, uint32_t number) {
  const collector *c = &r->collectors[worker];
  return number < c->count ? c->runs[number].places : NULL;
}
