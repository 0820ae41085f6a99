/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Many threads on one device: lookups in one index and in several, and indexes that come and go. */

#include "reference.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 4
#define ROWS 400
#define PROBES 100
#define COUNT(array) (sizeof(array) / sizeof *(array))

static int rounds(void) {
  return test_is_slow() ? 3 : 12;
}

/* What the threads of a test do; they return true where all went right. */
typedef bool (*work_fn)(const void *argument, uint32_t thread);

typedef struct worker {
  work_fn work;
  const void *argument;
  uint32_t thread;
  bool right;
} worker;

static void *start(void *argument) {
  worker *w = argument;
  w->right = w->work(w->argument, w->thread);
  return NULL;
}

static void run_threads(work_fn work, const void *argument) {
  pthread_t threads[THREADS];
  worker workers[THREADS];
  for (uint32_t i = 0; i < THREADS; i++) {
    workers[i] = (worker){work, argument, i, false};
    assert_int_equal(pthread_create(&threads[i], NULL, start, &workers[i]), 0);
  }
  for (uint32_t i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  for (uint32_t i = 0; i < THREADS; i++)
    assert_true(workers[i].right);
}

/* ---- Lookups ---- */

/* Small keys, and for each i the rows from key i to key i + 9. Row r has the value r. */
typedef struct data {
  uint32_t keys[ROWS], lower[PROBES], upper[PROBES], values[ROWS];
  bool points; /* no ranges: the upper bounds are the lower ones */
  uint32_t count[PROBES], first[PROBES];
  uint64_t sum[PROBES], offsets[PROBES + 1];
  uint32_t rows[PROBES * ROWS];
} data;

static void make_data(data *d, uint64_t seed, bool points) {
  memset(d, 0, sizeof *d);
  d->points = points;
  for (uint32_t i = 0; i < ROWS; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    d->keys[i] = (uint32_t)(seed >> 40) % 200;
    d->values[i] = i;
  }
  for (uint32_t p = 0; p < PROBES; p++) {
    d->lower[p] = 2 * p;
    d->upper[p] = 2 * p + (points ? 0 : 9);
    d->first[p] = RDX_NO_ROW;
    d->offsets[p + 1] = d->offsets[p];
    for (uint32_t i = 0; i < ROWS; i++) {
      if (d->keys[i] < d->lower[p] || d->keys[i] > d->upper[p])
        continue;
      d->first[p] = d->count[p] == 0 ? i : d->first[p];
      d->count[p]++;
      d->sum[p] += i;
      d->rows[d->offsets[p + 1]++] = i;
    }
  }
}

static rdx_column column_of(const uint32_t *values, uint64_t rows) {
  return (rdx_column){.type = RDX_TYPE_U32, .rows = rows, .values = values};
}

static bool is_right(const data *d, const rdx_lookup_view *v) {
  switch (v->kind) {
  case RDX_LOOKUP_COUNT:
    return memcmp(v->count, d->count, sizeof d->count) == 0;
  case RDX_LOOKUP_FIRST:
    return memcmp(v->first, d->first, sizeof d->first) == 0;
  case RDX_LOOKUP_SUM:
    return memcmp(v->sum_u64, d->sum, sizeof d->sum) == 0 && memcmp(v->count, d->count, sizeof d->count) == 0;
  case RDX_LOOKUP_ROWS:
    return memcmp(v->offsets, d->offsets, sizeof d->offsets) == 0 &&
           memcmp(v->rows, d->rows, d->offsets[PROBES] * sizeof *d->rows) == 0;
  }
  return false;
}

static bool look_up(const rdx_index *index, const data *d, rdx_lookup_result_kind kind) {
  const rdx_column lower = column_of(d->lower, PROBES), upper = column_of(d->upper, PROBES);
  const rdx_column values = column_of(d->values, ROWS);
  const rdx_lookup_params params = {
      .result = kind, .values = kind == RDX_LOOKUP_SUM ? &values : NULL, .stats = kind % 2 == 0};
  rdx_lookup_result *result = NULL;
  rdx_lookup_view view;
  const bool right = (d->points ? rdx_index_lookup(index, &lower, &params, &result, NULL)
                                : rdx_index_range(index, &lower, &upper, &params, &result, NULL)) == RDX_OK &&
                     rdx_lookup_result_view(result, &view, NULL) == RDX_OK && view.kind == kind && is_right(d, &view);
  rdx_lookup_result_destroy(&result);
  return right;
}

/* An index for each thread, or one for them all, with its data. */
typedef struct shared {
  rdx_index *indexes[THREADS];
  const data *datas[THREADS];
} shared;

static bool look_up_all(const void *argument, uint32_t thread) {
  const shared *s = argument;
  bool right = true;
  for (int i = 0; i < rounds(); i++)
    for (rdx_lookup_result_kind kind = RDX_LOOKUP_COUNT; kind <= RDX_LOOKUP_ROWS;
         kind++) /* each thread from another on */
      right &= look_up(s->indexes[thread], s->datas[thread], (kind + thread) % 4);
  return right;
}

static void check_shared(uint32_t index_count, rdx_index_method (*kind_of)(uint32_t)) {
  data *datas = calloc(index_count, sizeof *datas);
  assert_non_null(datas);
  shared s = {{NULL}, {NULL}};
  for (uint32_t i = 0; i < THREADS; i++) {
    if (i >= index_count) {
      s.indexes[i] = s.indexes[i % index_count];
    } else {
      make_data(&datas[i], test_random(), !rdx_index_method_abilities(kind_of(i)).ranges);
      const rdx_column keys = column_of(datas[i].keys, ROWS);
      OK(rdx_index_create(test_device, &keys, &(rdx_index_params){.method = kind_of(i)}, &s.indexes[i], err));
    }
    s.datas[i] = &datas[i % index_count];
  }
  run_threads(look_up_all, &s);
  for (uint32_t i = 0; i < index_count; i++)
    rdx_index_destroy(&s.indexes[i]);
  free(datas);
}

static rdx_index_method always_rx(uint32_t i) {
  (void)i;
  return RDX_INDEX_RX;
}

static rdx_index_method always_sorted_array(uint32_t i) {
  (void)i;
  return RDX_INDEX_SORTED_ARRAY;
}

static rdx_index_method always_hash(uint32_t i) {
  (void)i;
  return RDX_INDEX_HASH;
}

static rdx_index_method alternating(uint32_t i) {
  static const rdx_index_method kinds[] = {RDX_INDEX_SORTED_ARRAY, RDX_INDEX_RX, RDX_INDEX_HASH, RDX_INDEX_RADIX_HASH};
  const rdx_index_method method = kinds[i % 4];
  return !test_can(method) ? RDX_INDEX_HASH : method;
}

static void test_one_index(void **state) {
  (void)state;
  check_shared(1, always_sorted_array);
  check_shared(1, always_hash);
  if (test_traces())
    check_shared(1, always_rx);
}

static void test_several_indexes(void **state) {
  (void)state;
  check_shared(THREADS, alternating);
  check_shared(2, alternating);
}

/* ---- Indexes that come and go ---- */

static bool live_and_die(const void *argument, uint32_t thread) {
  const data *datas = argument; /* one for each thread, and for after the update one of ranges and one of points */
  const data *before = &datas[thread], *after = &datas[THREADS + before->points];
  const rdx_index_method method = alternating(thread);
  const rdx_index_params params = {.method = method, .rx.updatable = method == RDX_INDEX_RX};
  const rdx_column keys = column_of(before->keys, ROWS), others = column_of(after->keys, ROWS);
  bool right = true;
  for (int i = 0; i < rounds() && right; i++) {
    rdx_index *index = NULL;
    const rdx_update_mode mode = i % 2 && params.method == RDX_INDEX_RX ? RDX_UPDATE_REFIT : RDX_UPDATE_REBUILD;
    right = rdx_index_create(test_device, &keys, &params, &index, NULL) == RDX_OK &&
            look_up(index, before, RDX_LOOKUP_ROWS) && rdx_index_update(index, &others, mode, NULL) == RDX_OK &&
            look_up(index, after, RDX_LOOKUP_COUNT);
    rdx_index_destroy(&index);
  }
  return right;
}

static void test_own_indexes(void **state) {
  (void)state;
  data *datas = calloc(THREADS + 2, sizeof *datas);
  assert_non_null(datas);
  for (uint32_t i = 0; i < THREADS; i++)
    make_data(&datas[i], test_random(), !rdx_index_method_abilities(alternating(i)).ranges);
  make_data(&datas[THREADS], test_random(), false);
  make_data(&datas[THREADS + 1], test_random(), true);
  run_threads(live_and_die, datas);
  free(datas);
}

/* ---- Contexts ---- */

/* Lookups of each thread belong to a context of its own; every second one is cancelled, and only its calls fail. */
static bool look_up_in_context(const void *argument, uint32_t thread) {
  const data *d = argument;
  const rdx_column keys = column_of(d->keys, ROWS);
  const bool cancelled = thread % 2 == 1;
  rdx_context *context = NULL;
  rdx_index *index = NULL;
  bool right = rdx_context_create(NULL, &context, NULL) == RDX_OK && !rdx_context_use(context);
  for (int i = 0; i < rounds() && right; i++) {
    if (cancelled)
      rdx_context_cancel(context);
    rdx_error err = {""};
    const rdx_status status =
        rdx_index_create(test_device, &keys, &(rdx_index_params){.method = alternating(i % 2)}, &index, &err);
    if (cancelled) {
      right = status == RDX_ERROR_CANCELLED && !index && strstr(err.text, "cancelled");
      rdx_context_reset(context);
      right = right && rdx_index_create(test_device, &keys, &(rdx_index_params){.method = RDX_INDEX_SORTED_ARRAY},
                                        &index, NULL) == RDX_OK;
    } else {
      right = status == RDX_OK;
    }
    right = right && look_up(index, d, RDX_LOOKUP_COUNT);
    rdx_index_destroy(&index);
  }
  right = right && rdx_context_use(NULL) == context;
  rdx_context_destroy(&context);
  return right && !context;
}

static void test_contexts(void **state) {
  (void)state;
  data *d = calloc(1, sizeof *d);
  assert_non_null(d);
  make_data(d, test_random(), true);
  run_threads(look_up_in_context, d);
  free(d);
}

/* What one thread has made before its context is cancelled. */
typedef struct made {
  rdx_column keys;
  rdx_device_column *column;
  rdx_index *tree, *btree, *updatable, *refitted;
  rdx_scan *scan;
  rdx_scan_result *rows, *bitmap;
} made;

static const rdx_predicate all = {.kind = RDX_PREDICATE_TRUE};

static void make_all(const data *d, made *m) {
  *m = (made){.keys = column_of(d->keys, ROWS)};
  const struct {
    rdx_index_method method;
    rdx_index **out;
  } indexes[] = {{RDX_INDEX_TREE, &m->tree},
                 {RDX_INDEX_BTREE, &m->btree},
                 {RDX_INDEX_CGRX_UPDATABLE, &m->updatable},
                 {RDX_INDEX_RX, &m->refitted}};
  for (size_t i = 0; i < COUNT(indexes); i++) {
    const rdx_index_params params = {.method = indexes[i].method, .rx.updatable = indexes[i].method == RDX_INDEX_RX};
    assert_int_equal(rdx_index_create(test_device, &m->keys, &params, indexes[i].out, NULL), RDX_OK);
  }
  assert_int_equal(rdx_device_column_create(test_device, &m->keys, &m->column, NULL), RDX_OK);
  assert_int_equal(rdx_scan_create(test_device, &m->keys, 1, NULL, &m->scan, NULL), RDX_OK);
  assert_int_equal(rdx_scan_run(m->scan, &all, &(rdx_scan_run_params){RDX_SCAN_ROWS, false}, &m->rows, NULL), RDX_OK);
  assert_int_equal(rdx_scan_run(m->scan, &all, &(rdx_scan_run_params){RDX_SCAN_BITMAP, false}, &m->bitmap, NULL),
                   RDX_OK);
}

static void destroy_all(made *m) {
  rdx_scan_result_destroy(&m->rows);
  rdx_scan_result_destroy(&m->bitmap);
  rdx_scan_destroy(&m->scan);
  rdx_device_column_destroy(&m->column);
  rdx_index_destroy(&m->tree);
  rdx_index_destroy(&m->btree);
  rdx_index_destroy(&m->updatable);
  rdx_index_destroy(&m->refitted);
}

/* However short they are, and though their columns are on the device already. */
static void check_cancelled(const made *m) {
  const rdx_column on_device = rdx_device_column_view(m->column);
  const rdx_index_changes insert = {.insert = &on_device}, remove = {.remove = &on_device};
  rdx_index *index = NULL;
  rdx_lookup_result *found = NULL;
  rdx_join_result *join = NULL;
  rdx_scan_result *result = NULL;
  rdx_device_column *column = NULL;
  rdx_device_rates rates;
  const rdx_status statuses[] = {
      rdx_index_create(test_device, &on_device, NULL, &index, NULL),
      rdx_index_lookup(m->tree, &on_device, NULL, &found, NULL),
      rdx_index_include(m->tree, &on_device, NULL),
      rdx_index_update(m->tree, &on_device, RDX_UPDATE_REBUILD, NULL),
      rdx_index_update(m->refitted, &on_device, RDX_UPDATE_REFIT, NULL),
      rdx_index_apply(m->btree, &insert, NULL),
      rdx_index_apply(m->updatable, &insert, NULL),
      rdx_index_apply(m->updatable, &remove, NULL),
      rdx_index_rebuild(m->updatable, NULL),
      rdx_join_equal(test_device, &on_device, &on_device, NULL, &join, NULL),
      rdx_scan_run(m->scan, &all, NULL, &result, NULL),
      rdx_scan_result_filter(m->bitmap, &on_device, &column, NULL),
      rdx_device_column_gather(m->column, m->column, &column, NULL),
      rdx_device_measure_memory(test_device, 4096, &rates, NULL),
  };
  for (size_t i = 0; i < COUNT(statuses); i++)
    assert_int_equal(statuses[i], RDX_ERROR_CANCELLED);
}

static void test_cancelled_context(void **state) {
  (void)state;
  made m;
  rdx_context *context = NULL;
  if (!test_can(RDX_INDEX_CGRX_UPDATABLE) || !test_can(RDX_INDEX_RX))
    skip();
  data *d = calloc(1, sizeof *d);
  assert_non_null(d);
  make_data(d, test_random(), false);
  make_all(d, &m);
  assert_int_equal(rdx_context_create(NULL, &context, NULL), RDX_OK);
  rdx_context_use(context);
  rdx_context_cancel(context);
  check_cancelled(&m);
  rdx_context_reset(context);
  assert_true(look_up(m.tree, d, RDX_LOOKUP_ROWS) && look_up(m.btree, d, RDX_LOOKUP_ROWS));
  assert_true(look_up(m.updatable, d, RDX_LOOKUP_ROWS) && look_up(m.refitted, d, RDX_LOOKUP_ROWS));
  rdx_context_use(NULL);
  rdx_context_destroy(&context);
  destroy_all(&m);
  free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_contexts),
      cmocka_unit_test(test_cancelled_context),
      cmocka_unit_test(test_one_index),
      cmocka_unit_test(test_several_indexes),
      cmocka_unit_test(test_own_indexes),
  };
  return TEST_MAIN(tests);
}
