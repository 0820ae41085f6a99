/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* A device that returns garbage, or is lost: whatever it does, calls fail or are wrong, and no memory is. */

#include "player.h"
#include "queries.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/device.h"

#define MAX_BYTES ((size_t)64 << 20) /* of an allocation: what the host knows bounds it */

static uint64_t tries = 6; /* of a job and a kind of error: RAYDEX_TEST_TRIES sets it */

/* ---- Memory ---- */

static _Atomic int64_t live;
static _Atomic size_t largest;

static void note_size(size_t size) {
  if (size > largest)
    largest = size;
}

static void *allocate(void *user, size_t size) {
  (void)user;
  note_size(size);
  void *memory = size > MAX_BYTES ? NULL : malloc(size);
  live += memory != NULL;
  return memory;
}

static void *reallocate(void *user, void *old, size_t size) {
  (void)user;
  note_size(size);
  void *memory = size > MAX_BYTES ? NULL : realloc(old, size);
  live += old == NULL && memory != NULL;
  return memory;
}

static void release(void *user, void *memory) {
  (void)user;
  live -= memory != NULL;
  free(memory);
}

static const rdx_allocator allocator = {allocate, reallocate, release, NULL};

/* The sanitizer is to see that all of it is there. */
static void look_at(const void *data, size_t size) {
  static volatile char sum;
  for (size_t i = 0; data && i < size; i++)
    sum = (char)(sum + ((const char *)data)[i]);
}

/* ---- Jobs ---- */

/* Works on a device, stops at the first error, and leaves nothing. */
typedef rdx_status (*job_fn)(rdx_device *device, const void *context, rdx_error *err);

typedef struct job {
  const char *name;
  job_fn run;
  const void *context;
} job;

static void show(const job *j, const player_faults *f) {
  printf("%s: fault %d of words of %u bytes in %llu to %llu, seed %llu, failing %lld\n", j->name, (int)f->kind,
         f->word_bytes, (unsigned long long)f->first, (unsigned long long)f->last, (unsigned long long)f->seed,
         (long long)f->failing);
  fflush(stdout);
}

/* Run it on a device with faults. Returns how many calls there were. */
static uint64_t play(const job *j, const player_faults *faults, rdx_status *status) {
  rdx_error err = {""};
  rdx_device_usage usage;
  rdx_device *device = player_open(faults);
  const int64_t before = live;
  largest = 0;
  if (getenv("RAYDEX_TEST_SHOW"))
    show(j, faults);
  *status = j->run(device, j->context, &err);
  rdx_device_get_usage(device, &usage);
  const uint64_t calls = player_close(&device);
  const bool small = largest <= MAX_BYTES && player_largest() <= MAX_BYTES;
  if (live != before || usage.memory_used != 0 || !small || (*status != RDX_OK && err.text[0] == '\0')) {
    show(j, faults);
    fail_msg("'%s' (%s): %lld blocks and %llu bytes of the device are left, the largest had %zu and %llu bytes",
             rdx_status_name(*status), err.text, (long long)(live - before), (unsigned long long)usage.memory_used,
             largest, (unsigned long long)player_largest());
  }
  return calls;
}

static void play_garbage(const job *j, uint64_t reads) {
  for (fault kind = FAULT_RANDOM; kind < FAULT_KINDS; kind++) {
    const bool all = 2 * reads < tries;
    for (uint64_t i = 0; i < (all ? 2 * reads : tries); i++) {
      const uint64_t first = all ? i % reads : test_random() % reads;
      const player_faults faults = {.kind = kind,
                                    .word_bytes = test_random() % 2 ? 4 : 8,
                                    .first = first,
                                    .last = test_random() % 4 == 0 ? UINT64_MAX : first,
                                    .seed = test_random(),
                                    .failing = UINT64_MAX};
      rdx_status status = RDX_OK;
      play(j, &faults, &status);
    }
  }
}

static void play_losses(const job *j, uint64_t calls) {
  const uint64_t max = 12 * tries;
  for (uint64_t i = 0; i < calls && i < max; i++) {
    const player_faults faults = {.failing = calls <= max ? i : test_random() % calls};
    rdx_status status = RDX_OK;
    play(j, &faults, &status);
    if (status != RDX_OK && status != RDX_ERROR_DEVICE_LOST) {
      show(j, &faults);
      fail_msg("'%s' instead of '%s'", rdx_status_name(status), rdx_status_name(RDX_ERROR_DEVICE_LOST));
    }
  }
}

/* On slow devices, where what a good one returns takes long to find out, some of the jobs. */
static void check_job(const char *name, job_fn run, const void *context) {
  if (test_is_slow() && test_random() % 16 != 0)
    return;
  const job j = {name, run, context};
  const player_faults none = {.failing = UINT64_MAX};
  rdx_error err = {""};
  rdx_status status = RDX_OK;
  player_record(test_device);
  status = run(test_device, context, &err);
  const uint64_t reads = player_stop();
  if (status != RDX_OK)
    fail_msg("%s: '%s' (%s)", name, rdx_status_name(status), err.text);
  const uint64_t calls = play(&j, &none, &status);
  if (status != RDX_OK)
    fail_msg("%s, played: '%s'", name, rdx_status_name(status));
  if (reads > 0)
    play_garbage(&j, reads);
  play_losses(&j, calls);
  player_forget();
}

/* ---- Indexes ---- */

typedef struct index_job {
  rdx_index_params params;
  const rdx_column *keys, *lower, *upper, *values, *few;
} index_job;

/* As who reads a result does: rows are such of the keys. */
static void look_at_result(const rdx_lookup_view *v, const rdx_column *keys) {
  static volatile uint64_t sum;
  uint8_t *seen = calloc(keys->rows + 1, 1);
  look_at(v->count, v->count ? v->probes * 4 : 0);
  look_at(v->sum_i64, v->sum_i64 ? v->probes * 8 : 0);
  for (uint64_t i = 0; i < v->probes; i++) {
    if (v->first && v->first[i] != RDX_NO_ROW)
      sum += seen[v->first[i]]++;
    for (uint64_t k = v->offsets ? v->offsets[i] : 0; v->offsets && k < v->offsets[i + 1]; k++)
      sum += seen[v->rows[k]]++;
  }
  free(seen);
}

static rdx_status look_up(const rdx_index *index, const index_job *j, const rdx_lookup_params *params, bool range,
                          const rdx_column *keys, rdx_error *err) {
  rdx_lookup_result *result = NULL;
  rdx_lookup_view view;
  rdx_status status = range ? rdx_index_range(index, j->lower, j->upper, params, &result, err)
                            : rdx_index_lookup(index, j->lower, params, &result, err);
  if (status == RDX_OK)
    status = rdx_lookup_result_view(result, &view, err);
  if (status == RDX_OK)
    look_at_result(&view, keys);
  rdx_lookup_result_destroy(&result);
  return status;
}

static rdx_status look_up_all(const rdx_index *index, const index_job *j, rdx_error *err) {
  rdx_index_stats stats;
  rdx_index_get_stats(index, &stats);
  const rdx_column keys = {.rows = stats.rows};
  for (rdx_lookup_result_kind kind = RDX_LOOKUP_COUNT; kind <= RDX_LOOKUP_ROWS; kind++) {
    const bool sum = kind == RDX_LOOKUP_SUM;
    for (int way = 0; way < 4; way++) {
      const rdx_lookup_params params = {
          .result = kind, .values = sum ? j->values : NULL, .stats = way < 2, .sort_probes = way >= 2};
      if ((way % 2 && !rdx_index_method_abilities(j->params.method).ranges) || (sum && j->values->rows != stats.rows))
        continue;
      const rdx_status status = look_up(index, j, &params, way % 2, &keys, err);
      if (status != RDX_OK && status != RDX_ERROR_OVERFLOW)
        return status;
    }
  }
  return RDX_OK;
}

static bool can_change(const index_job *j) {
  return (j->params.method == RDX_INDEX_BTREE || j->params.method == RDX_INDEX_CGRX_UPDATABLE) &&
         j->keys->type != RDX_TYPE_STRING;
}

static rdx_status change(rdx_index *index, const index_job *j, rdx_error *err) {
  rdx_status status = rdx_index_apply(index, &(rdx_index_changes){j->few, NULL}, err);
  if (status == RDX_OK)
    status = rdx_index_apply(index, &(rdx_index_changes){j->upper, j->few}, err);
  if (status == RDX_OK)
    status = look_up_all(index, j, err);
  if (status == RDX_OK)
    status = rdx_index_apply(index, &(rdx_index_changes){j->keys, j->keys}, err);
  if (status == RDX_OK)
    status = rdx_index_apply(index, &(rdx_index_changes){NULL, j->keys}, err);
  if (status == RDX_OK && j->params.method == RDX_INDEX_CGRX_UPDATABLE)
    status = rdx_index_rebuild(index, err);
  return status == RDX_OK ? look_up_all(index, j, err) : status;
}

static rdx_status include(rdx_index *index, const index_job *j, rdx_error *err) {
  static const rdx_lookup_params sums = {.result = RDX_LOOKUP_SUM};
  rdx_status status = rdx_index_include(index, j->values, err);
  for (int range = 0; range < 2 && status == RDX_OK; range++) {
    status = look_up(index, j, &sums, range, j->keys, err);
    status = status == RDX_ERROR_OVERFLOW ? RDX_OK : status;
  }
  return status;
}

static rdx_status run_index(rdx_device *device, const void *context, rdx_error *err) {
  const index_job *j = context;
  rdx_index *index = NULL;
  rdx_status status = rdx_index_create(device, j->keys, &j->params, &index, err);
  if (status == RDX_OK)
    status = look_up_all(index, j, err);
  const bool floats = j->values->type == RDX_TYPE_F32 || j->values->type == RDX_TYPE_F64;
  if (status == RDX_OK && rdx_index_method_abilities(j->params.method).includes && !floats &&
      j->keys->type != RDX_TYPE_STRING)
    status = include(index, j, err);
  if (status == RDX_OK && can_change(j))
    status = change(index, j, err);
  if (status == RDX_OK)
    status = rdx_index_update(index, j->keys, RDX_UPDATE_REBUILD, err);
  if (status == RDX_OK && j->params.rx.updatable)
    status = rdx_index_update(index, j->keys, RDX_UPDATE_REFIT, err);
  rdx_index_destroy(&index);
  return status;
}

/* Everything on the device already. */
static rdx_status run_device_columns(rdx_device *device, const void *context, rdx_error *err) {
  const index_job *j = context;
  const rdx_column *const host[] = {j->keys, j->lower, j->upper, j->values, j->few};
  rdx_device_column *columns[5] = {NULL};
  rdx_column views[5];
  rdx_status status = RDX_OK;
  for (int i = 0; i < 5 && status == RDX_OK; i++) {
    status = rdx_device_column_create(device, host[i], &columns[i], err);
    if (status == RDX_OK)
      views[i] = rdx_device_column_view(columns[i]);
  }
  const index_job on_device = {j->params, &views[0], &views[1], &views[2], &views[3], &views[4]};
  if (status == RDX_OK)
    status = run_index(device, &on_device, err);
  for (int i = 0; i < 5; i++)
    rdx_device_column_destroy(&columns[i]);
  return status;
}

/* An index of each method over keys of such a type. */
static void check_indexes(rdx_type type, test_shape shape, test_nulls nulls, uint64_t rows, rdx_type value_type) {
  test_column keys = column_make(type, shape, nulls, rows), lower = column_probes(&keys, 60, nulls),
              upper = column_probes(&keys, 60, NO_NULLS),
              values = column_make(value_type, SHAPE_FEW, SOME_NULLS, keys.view.rows);
  rdx_column few = lower.view;
  few.rows = 20;
  for (rdx_index_method method = RDX_INDEX_RX; method < RDX_INDEX_METHODS; method++) {
    index_job j = {{.method = method, .rx.updatable = method == RDX_INDEX_RX},
                   &keys.view,
                   &lower.view,
                   &upper.view,
                   &values.view,
                   &few};
    if (method == RDX_INDEX_CGRX_UPDATABLE)
      j.params.cgrx_updatable = (rdx_cgrx_updatable_params){.node_size = 4, .fill_percent = 100, .longest_chain = 3};
    char name[64];
    snprintf(name, sizeof name, "%s of %s", rdx_index_method_name(method), rdx_type_name(type));
    if (!test_can(method))
      continue;
    check_job(name, run_index, &j);
    if (type != RDX_TYPE_STRING || method == RDX_INDEX_TREE)
      check_job(name, run_device_columns, &j);
  }
  column_free(&keys);
  column_free(&lower);
  column_free(&upper);
  column_free(&values);
}

static void test_indexes(void **state) {
  (void)state;
  check_indexes(RDX_TYPE_U32, SHAPE_FEW, SOME_NULLS, 300, RDX_TYPE_I64);
  check_indexes(RDX_TYPE_U64, SHAPE_RANDOM, NO_NULLS, 300, RDX_TYPE_U32);
  check_indexes(RDX_TYPE_STRING, SHAPE_RANDOM, SOME_NULLS, 200, RDX_TYPE_F64);
  check_indexes(RDX_TYPE_I32, SHAPE_SKEWED, NO_NULLS, 100, RDX_TYPE_F32);
}

/* So many keys that a tree has levels and a directory. */
static void test_large_tree(void **state) {
  (void)state;
  test_column keys = column_make(RDX_TYPE_U64, SHAPE_RANDOM, NO_NULLS, 40000),
              lower = column_probes(&keys, 60, NO_NULLS);
  const index_job j = {{.method = RDX_INDEX_TREE}, &keys.view, &lower.view, &lower.view, &keys.view, &lower.view};
  check_job("a large tree", run_index, &j);
  column_free(&keys);
  column_free(&lower);
}

/* ---- Joins ---- */

typedef struct join_job {
  rdx_join_params params;
  const rdx_column *left, *right, *upper; /* upper NULL: of equal values */
} join_job;

static rdx_status run_join(rdx_device *device, const void *context, rdx_error *err) {
  const join_job *j = context;
  rdx_join_result *join = NULL;
  rdx_join_view view;
  rdx_status status = j->upper ? rdx_join_between(device, j->left, j->right, j->upper, &j->params, &join, err)
                               : rdx_join_equal(device, j->left, j->right, &j->params, &join, err);
  if (status == RDX_OK)
    status = rdx_join_result_view(join, &view, err);
  if (status == RDX_OK) {
    look_at(view.left_rows, view.left_rows ? view.count * 4 : 0);
    look_at(view.right_rows, view.right_rows ? view.count * 4 : 0);
  }
  rdx_join_result_destroy(&join);
  return status == RDX_ERROR_UNSUPPORTED || status == RDX_ERROR_OVERFLOW ? RDX_OK : status;
}

static void check_joins(rdx_type type) {
  test_column left = column_make(type, SHAPE_SKEWED, SOME_NULLS, 90), right = column_probes(&left, 50, SOME_NULLS),
              upper = column_probes(&left, 50, NO_NULLS),
              left_values = column_make(RDX_TYPE_I32, SHAPE_FEW, NO_NULLS, 90),
              right_values = column_make(RDX_TYPE_I32, SHAPE_FEW, NO_NULLS, 50);
  for (rdx_join_kind kind = RDX_JOIN_INNER; kind <= RDX_JOIN_ANTI; kind++)
    for (rdx_join_result_kind result = RDX_JOIN_PAIRS; result <= RDX_JOIN_SUM; result++)
      for (rdx_join_mapping mapping = RDX_JOIN_MAPPING_AUTO; mapping <= RDX_JOIN_MAPPING_INVERSE; mapping++) {
        const bool sum = result == RDX_JOIN_SUM;
        if (sum && kind > RDX_JOIN_LEFT)
          continue;
        join_job j = {{.kind = kind, .result = result, .mapping = mapping}, &left.view, &right.view, NULL};
        j.params.values = sum ? &right_values.view : NULL;
        if (!sum || mapping != RDX_JOIN_MAPPING_INVERSE)
          check_job("a join of equal values", run_join, &j);
        j.params.values = sum ? &left_values.view : NULL;
        j.upper = &upper.view;
        if (!sum || mapping != RDX_JOIN_MAPPING_DIRECT)
          check_job("a band join", run_join, &j);
      }
  column_free(&left);
  column_free(&right);
  column_free(&upper);
  column_free(&left_values);
  column_free(&right_values);
}

static void test_joins(void **state) {
  (void)state;
  check_joins(RDX_TYPE_I64);
  check_joins(RDX_TYPE_STRING);
}

/* ---- Scans ---- */

#define COLUMNS 4
#define TREES 3

typedef struct scan_job {
  rdx_scan_params params;
  const rdx_column *columns;
  const tree *trees;
} scan_job;

static rdx_status scan_once(const rdx_scan *scan, const rdx_predicate *predicate, rdx_scan_result_kind kind,
                            rdx_error *err) {
  const rdx_scan_run_params params = {.result = kind, .stats = true};
  rdx_scan_result *result = NULL;
  rdx_scan_view view;
  rdx_status status = rdx_scan_run(scan, predicate, &params, &result, err);
  if (status == RDX_OK)
    status = rdx_scan_result_view(result, &view, err);
  if (status == RDX_OK) {
    uint8_t *seen = calloc(view.rows + 1, 1);
    for (uint64_t i = 0; view.row && i < view.count; i++)
      seen[view.row[i]] = 1;
    look_at(view.bitmap, view.bitmap ? (view.rows + 31) / 32 * 4 : 0);
    look_at(seen, view.rows);
    free(seen);
  }
  rdx_scan_result_destroy(&result);
  return status;
}

static rdx_status run_scan(rdx_device *device, const void *context, rdx_error *err) {
  const scan_job *j = context;
  rdx_scan *scan = NULL;
  rdx_status status = rdx_scan_create(device, j->columns, COLUMNS, &j->params, &scan, err);
  for (uint32_t i = 0; i < TREES; i++)
    for (rdx_scan_result_kind kind = RDX_SCAN_COUNT; kind <= RDX_SCAN_BITMAP && status == RDX_OK; kind++)
      status = scan_once(scan, j->trees[i].nodes, kind, err);
  rdx_scan_destroy(&scan);
  return status;
}

static void check_scans(uint64_t rows) {
  static const rdx_scan_params methods[] = {
      {.method = RDX_SCAN_COLUMN}, {.method = RDX_SCAN_BINDEX},
      {.method = RDX_SCAN_BTREE},  {.method = RDX_SCAN_RTINDEX},
      {.method = RDX_SCAN_RTC1},   {.method = RDX_SCAN_RTC3},
      {.method = RDX_SCAN_RTSCAN}, {.method = RDX_SCAN_RTSCAN, .rtscan = {.encoding = RDX_SWITCH_OFF, .group = 2}},
  };
  static const rdx_type types[COLUMNS] = {RDX_TYPE_I32, RDX_TYPE_U64, RDX_TYPE_STRING, RDX_TYPE_F64};
  static const test_shape shapes[] = {SHAPE_FEW, SHAPE_SKEWED, SHAPE_RANDOM, SHAPE_SORTED};
  static tree trees[TREES];
  test_column made[COLUMNS];
  rdx_column columns[COLUMNS];
  for (uint32_t i = 0; i < COLUMNS; i++) {
    made[i] = column_make(types[i], shapes[test_random() % RDX_COUNT(shapes)], i % 2 ? SOME_NULLS : NO_NULLS, rows);
    columns[i] = made[i].view;
  }
  for (uint32_t i = 0; i < TREES; i++)
    tree_make(columns, COLUMNS, &trees[i]);
  for (size_t m = 0; m < RDX_COUNT(methods); m++) {
    const scan_job j = {methods[m], columns, trees};
    if (methods[m].method <= RDX_SCAN_BTREE || test_traces())
      check_job(rdx_scan_method_name(methods[m].method), run_scan, &j);
  }
  for (uint32_t i = 0; i < TREES; i++)
    tree_free(&trees[i]);
  for (uint32_t i = 0; i < COLUMNS; i++)
    column_free(&made[i]);
}

static void test_scans(void **state) {
  (void)state;
  check_scans(300);
  check_scans(5000);
}

/* ---- Star queries ---- */

#define QUERIES 3

typedef struct star_job {
  rdx_star_params params;
  const star_data *data;
  const test_query *queries;
} star_job;

static void look_at_column(const rdx_column *c) {
  if (c->type == RDX_TYPE_STRING) {
    look_at(c->offsets, (c->rows + 1) * 8);
    look_at((const char *)c->values + c->offsets[0], c->offsets[c->rows] - c->offsets[0]);
  } else {
    look_at(c->values, c->rows * (c->type == RDX_TYPE_BOOL ? 1 : 4));
  }
  look_at(c->validity, c->validity ? (c->rows + 7) / 8 : 0);
}

/* What a query or a cube may say of any data. */
static bool is_refusal(rdx_status status) {
  return status == RDX_ERROR_UNSUPPORTED || status == RDX_ERROR_OVERFLOW || status == RDX_ERROR_RANGE;
}

static rdx_status run_star(rdx_device *device, const void *context, rdx_error *err) {
  const star_job *j = context;
  rdx_star *star = NULL;
  rdx_status status = rdx_star_create(device, &j->data->relation, &j->params, &star, err);
  for (uint32_t i = 0; i < 2 * QUERIES && status == RDX_OK; i++) {
    const rdx_query *q = &j->queries[i % QUERIES].query;
    const rdx_query_params params = {.stats = i % 2 == 0};
    rdx_query_result *result = NULL;
    if (i < QUERIES)
      status = rdx_star_prepare(star, q, 1, err);
    if (status == RDX_OK)
      status = rdx_star_run(star, q, &params, &result, err);
    for (uint32_t k = 0; status == RDX_OK && k < test_view(result).column_count; k++)
      look_at_column(&test_view(result).columns[k]);
    rdx_query_result_destroy(&result);
    status = is_refusal(status) ? RDX_OK : status;
  }
  rdx_star_destroy(&star);
  return status;
}

static rdx_status run_flatten(rdx_device *device, const void *context, rdx_error *err) {
  char path[] = "/tmp/raydex-garbage-XXXXXX";
  close(mkstemp(path));
  const rdx_status status = rdx_relation_flatten(device, context, path, err);
  unlink(path);
  return status;
}

static void check_star(uint64_t rows, bool tame) {
  static const struct {
    const char *name;
    rdx_star_params params;
  } methods[] = {
      {"column engine", {.method = RDX_STAR_COLUMN_ENGINE}},
      {"sorted cube", {.method = RDX_STAR_SORTED_CUBE}},
      {"coarse cube", {.method = RDX_STAR_COARSE_CUBE, .coarse_cube.block_rows = 7}},
      {"rt cube", {.method = RDX_STAR_RT_CUBE}},
      {"rt cube, split scan", {.method = RDX_STAR_RT_CUBE, .rt_cube.operators = RDX_RT_CUBE_SPLIT_SCAN}},
      {"rt cube, split groups",
       {.method = RDX_STAR_RT_CUBE,
        .rt_cube = {.mapping = RDX_RT_CUBE_PUBLISHED, .operators = RDX_RT_CUBE_SPLIT_GROUP}}},
      {"rt cube, separate scan", {.method = RDX_STAR_RT_CUBE, .rt_cube.operators = RDX_RT_CUBE_SEPARATE_SCAN}},
      {"auto star", {.method = RDX_STAR_AUTO}},
  };
  static test_query queries[QUERIES];
  star_data s;
  star_make(&s, rows, 1 + (uint32_t)(test_random() % MAX_ATTRIBUTES), (uint32_t)(test_random() % (MAX_TABLES + 1)),
            tame);
  for (uint32_t i = 0; i < QUERIES; i++)
    query_make(&s, &queries[i]);
  for (size_t m = 0; m < RDX_COUNT(methods); m++) {
    const star_job j = {methods[m].params, &s, queries};
    if (test_traces() || m < 2)
      check_job(methods[m].name, run_star, &j);
  }
  check_job("a flat table", run_flatten, &s.relation);
  for (uint32_t i = 0; i < QUERIES; i++)
    query_free(&queries[i]);
  star_free(&s);
}

static void test_stars(void **state) {
  (void)state;
  for (uint64_t i = 0; i < 3; i++) {
    check_star(200, true);
    check_star(700, i == 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_indexes), cmocka_unit_test(test_large_tree), cmocka_unit_test(test_joins),
      cmocka_unit_test(test_scans),   cmocka_unit_test(test_stars),
  };
  const char *wanted = getenv("RAYDEX_TEST_TRIES");
  tries = wanted ? strtoull(wanted, NULL, 10) : tries;
  rdx_set_allocator(&allocator);
  const int result = TEST_MAIN(tests);
  rdx_set_allocator(NULL);
  return result;
}
