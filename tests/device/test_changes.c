/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Batches of inserts and removes, compared with a model: a column of all rows there ever were, in which rows that were
 * removed, or that never came to act, are NULL. Looking at every row of it gives the right answers. */

#include "reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Every index that changes in place, with options worth trying. */
static const rdx_index_params methods[] = {
    {.method = RDX_INDEX_BTREE},
    {.method = RDX_INDEX_BTREE, .btree.fill_percent = 100},
    {.method = RDX_INDEX_BTREE, .btree = {.fill_percent = 10, .lanes = 16}},
    {.method = RDX_INDEX_CGRX_UPDATABLE},
    {.method = RDX_INDEX_CGRX_UPDATABLE, .cgrx_updatable = {.node_size = 4, .longest_chain = 1000000}},
    {.method = RDX_INDEX_CGRX_UPDATABLE, .cgrx_updatable = {.node_size = 5, .fill_percent = 100, .longest_chain = 2}},
    {.method = RDX_INDEX_CGRX_UPDATABLE,
     .cgrx_updatable = {.node_size = 8, .fill_percent = 75}},                  /* an emulated lane each */
    {.method = RDX_INDEX_CGRX_UPDATABLE, .cgrx_updatable = {.node_size = 40}}, /* more than lanes */
    {.method = RDX_INDEX_CGRX_UPDATABLE,
     .cgrx_updatable = {.node_size = 9, .mapping = RDX_CGRX_MAPPING_PLAIN, .longest_chain = 30}},
    {.method = RDX_INDEX_CGRX_UPDATABLE,
     .cgrx_updatable = {.node_size = 6,
                        .representation = RDX_CGRX_REPRESENTATION_NAIVE,
                        .search = RDX_CGRX_SEARCH_LINEAR}},
};

/* Of every width, and each way of encoding. */
static const rdx_type types[] = {RDX_TYPE_U32, RDX_TYPE_I64, RDX_TYPE_U8,      RDX_TYPE_F32, RDX_TYPE_U64,
                                 RDX_TYPE_I16, RDX_TYPE_F64, RDX_TYPE_DECIMAL, RDX_TYPE_BOOL};

#define MAX_ROWS 8192

/* Of those from `k` on, the first that the device can build, until the next call. The first of all needs no rays. */
static const rdx_index_params *method_from(uint64_t k) {
  static rdx_index_params here;
  while (!test_can(methods[k % COUNT(methods)].method))
    k++;
  here = params_here(&methods[k % COUNT(methods)]);
  return &here;
}

/* ---- The model ---- */

typedef struct model {
  rdx_column column;
  uint8_t validity[MAX_ROWS / 8];
  uint8_t values[MAX_ROWS * 8];
} model;

static void model_clear(model *m, rdx_type type) {
  memset(m->validity, 0, sizeof m->validity);
  m->column = (rdx_column){
      .type = type, .scale = type == RDX_TYPE_DECIMAL ? 2 : 0, .values = m->values, .validity = m->validity};
}

static void set_live(model *m, uint64_t row, bool live) {
  m->validity[row / 8] = (uint8_t)((m->validity[row / 8] & ~(1u << row % 8)) | (unsigned)live << row % 8);
}

static void append(model *m, const rdx_column *c) {
  const size_t size = rdx_type_size(c->type);
  assert_true(m->column.rows + c->rows <= MAX_ROWS);
  if (c->rows > 0)
    memcpy(m->values + m->column.rows * size, c->values, c->rows * size);
  for (uint64_t i = 0; i < c->rows; i++)
    set_live(m, m->column.rows + i, column_has(c, i));
  m->column.rows += c->rows;
}

/* The first live row from `begin` to `end` with the value of a column's row; `end` where there is none. */
static uint64_t find_row(const model *m, uint64_t begin, uint64_t end, const rdx_column *c, uint64_t i) {
  while (begin < end && !(column_has(&m->column, begin) && column_compare(&m->column, begin, c, i) == 0))
    begin++;
  return begin;
}

/* A remove takes the first equal insert of its batch, and if there is none the oldest row. */
static void model_apply(model *m, const rdx_column *insert, const rdx_column *remove) {
  const uint64_t before = m->column.rows;
  if (insert)
    append(m, insert);
  for (uint64_t i = 0; remove && i < remove->rows; i++) {
    if (!column_has(remove, i))
      continue;
    uint64_t row = find_row(m, before, m->column.rows, remove, i);
    if (row == m->column.rows)
      row = find_row(m, 0, before, remove, i);
    if (row < before || (row >= before && row < m->column.rows && column_has(&m->column, row) &&
                         column_compare(&m->column, row, remove, i) == 0))
      set_live(m, row, false);
  }
}

static uint64_t live_rows(const model *m) {
  uint64_t live = 0;
  for (uint64_t i = 0; i < m->column.rows; i++)
    live += column_has(&m->column, i);
  return live;
}

static bool has_twins(const model *m) {
  for (uint64_t i = 0; i < m->column.rows; i++)
    if (column_has(&m->column, i) && find_row(m, i + 1, m->column.rows, &m->column, i) < m->column.rows)
      return true;
  return false;
}

/* ---- Checking ---- */

static void check(const rdx_index *index, const model *m, uint64_t probes) {
  const test_column keys = {m->column};
  test_column values = column_make(RDX_TYPE_I32, SHAPE_RANDOM, NO_NULLS, m->column.rows + 1);
  values.view.rows = m->column.rows;
  test_column points = column_probes(&keys, probes, NO_NULLS), upper = column_probes(&keys, probes, NO_NULLS);
  check_lookups(index, &m->column, &points.view, NULL, &values.view);
  check_lookups(index, &m->column, &points.view, &upper.view, &values.view);
  column_free(&values);
  column_free(&points);
  column_free(&upper);
  rdx_index_stats stats;
  rdx_index_get_stats(index, &stats);
  assert_int_equal(stats.rows, m->column.rows);
  assert_int_equal(stats.keys, live_rows(m));
  assert_true(!stats.distinct || !has_twins(m));
}

static void apply(rdx_index *index, model *m, const rdx_column *insert, const rdx_column *remove) {
  OK(rdx_index_apply(index, &(rdx_index_changes){insert, remove}, err));
  model_apply(m, insert, remove);
}

static rdx_index *new_index(const rdx_index_params *params, const rdx_column *keys, model *m) {
  rdx_index *index = NULL;
  OK(rdx_index_create(test_device, keys, params, &index, err));
  model_clear(m, keys->type);
  append(m, keys);
  return index;
}

/* ---- Random histories ---- */

/* Values of a batch: some of the model's, else of a shape. */
static test_column make_batch(const model *m, test_shape shape, uint64_t rows) {
  const test_nulls nulls = test_random() % 4 == 0 ? SOME_NULLS : NO_NULLS;
  if (m->column.rows == 0 || test_random() % 3 == 0)
    return column_make(m->column.type, shape, nulls, rows);
  const test_column keys = {m->column};
  return column_probes(&keys, rows, nulls);
}

/* Make some removes equal to inserts. */
static void share(test_column *remove, const test_column *insert) {
  const size_t size = rdx_type_size(insert->view.type);
  for (uint64_t i = 0; i < remove->view.rows && insert->view.rows > 0; i++)
    if (test_random() % 2)
      memcpy((char *)(uintptr_t)remove->view.values + i * size,
             (const char *)insert->view.values + test_random() % insert->view.rows * size, size);
}

static void change(rdx_index *index, model *m, test_shape shape, uint64_t max) {
  test_column insert = make_batch(m, shape, test_random() % (max + 1));
  test_column remove = make_batch(m, shape, test_random() % (max + 1));
  if (test_random() % 3 == 0)
    share(&remove, &insert);
  const uint64_t choice = test_random() % 6;
  apply(index, m, choice == 0 ? NULL : &insert.view, choice == 1 ? NULL : &remove.view);
  column_free(&insert);
  column_free(&remove);
}

static void run_history(uint64_t rows, uint64_t max, int batches, uint64_t probes) {
  static model m;
  const test_shape shape = (test_shape)(test_random() % SHAPE_COUNT);
  const rdx_type type = types[test_random() % COUNT(types)];
  test_column keys = column_make(type, shape, test_random() % 3 == 0 ? SOME_NULLS : NO_NULLS, rows);
  const rdx_index_params *method = method_from(test_random() % COUNT(methods));
  rdx_index *index = new_index(method, &keys.view, &m);
  for (int k = 0; k < batches; k++) {
    change(index, &m, shape, max);
    if (method->method == RDX_INDEX_CGRX_UPDATABLE && test_random() % 8 == 0)
      OK(rdx_index_rebuild(index, err));
    check(index, &m, probes);
  }
  rdx_index_destroy(&index);
  column_free(&keys);
}

/* On a GPU each of these many small steps takes as long as a large one. */
static int times(int on_cpu, int on_gpu, int emulated) {
  const bool cpu = rdx_device_get_info(test_device)->backend == RDX_BACKEND_CPU;
  return test_is_slow() ? emulated : cpu ? on_cpu : on_gpu;
}

static void test_small_histories(void **state) {
  (void)state;
  const int histories = times(10000, 400, 30);
  for (int k = 0; k < histories; k++)
    run_history(test_random() % 40, 1 + test_random() % 30, 1 + (int)(test_random() % 4), 3);
}

static void test_long_histories(void **state) {
  (void)state;
  const int histories = times(60, 20, 4);
  for (int k = 0; k < histories; k++)
    run_history(test_random() % 700, 1 + test_random() % 100, 12, 12);
}

/* Batches that touch few places of an index, so that it is changed rather than written anew. */
static void test_small_batches(void **state) {
  (void)state;
  const int histories = times(150, 15, 4);
  for (int k = 0; k < histories; k++)
    run_history(100 + test_random() % 400, 1 + test_random() % 8, test_is_slow() ? 10 : 40, 6);
}

/* ---- Adversaries ---- */

static rdx_column numbers(const uint64_t *values, uint64_t count) {
  return (rdx_column){.type = RDX_TYPE_U64, .rows = count, .values = values};
}

/* What the batches of an adversary hold. */
typedef enum pattern { EQUAL, ASCENDING, DESCENDING, LARGEST, SMALLEST, BETWEEN, PATTERNS } pattern;

static uint64_t number_of(pattern p, uint64_t i, uint64_t batch) {
  switch (p) {
  case EQUAL:
    return 50;
  case ASCENDING:
    return 1000000 * (batch + 1) + i;
  case DESCENDING:
    return 1000000 * (20 - batch) - i;
  case LARGEST:
    return UINT64_MAX - i % 2;
  case SMALLEST:
    return i % 2;
  default:
    return 7 * i + batch;
  }
}

static void run_adversary(const rdx_index_params *params, pattern inserts, pattern removes) {
  static model m;
  static uint64_t keys[100], in[300], out[300];
  for (uint64_t i = 0; i < COUNT(keys); i++)
    keys[i] = i;
  const rdx_column column = numbers(keys, COUNT(keys));
  rdx_index *index = new_index(params, &column, &m);
  for (uint64_t batch = 0; batch < 4; batch++) {
    for (uint64_t i = 0; i < COUNT(in); i++) {
      in[i] = number_of(inserts, i, batch);
      out[i] = number_of(removes, i, batch % 2);
    }
    const rdx_column insert = numbers(in, batch == 3 ? 0 : COUNT(in)), remove = numbers(out, batch * 100);
    apply(index, &m, &insert, &remove);
    check(index, &m, 10);
  }
  rdx_index_destroy(&index);
}

static void test_adversaries(void **state) {
  (void)state;
  for (size_t k = 0; k < COUNT(methods); k++)
    for (pattern p = EQUAL; p < PATTERNS; p++)
      for (pattern q = EQUAL; q < PATTERNS; q++)
        if (!test_is_slow() || (p + q + k) % 5 == 0)
          run_adversary(method_from(k), p, q);
}

/* Remove everything, also more often than it is there, and begin again. */
static void test_emptying(void **state) {
  (void)state;
  static model m;
  for (size_t k = 0; k < COUNT(methods); k++) {
    test_column keys = column_make(RDX_TYPE_I32, SHAPE_SKEWED, SOME_NULLS, 400);
    test_column other = column_make(RDX_TYPE_I32, SHAPE_FEW, NO_NULLS, 90);
    rdx_index *index = new_index(method_from(k), &keys.view, &m);
    for (int round = 0; round < 2; round++) {
      apply(index, &m, NULL, &keys.view);
      apply(index, &m, NULL, &other.view);
      apply(index, &m, NULL, &keys.view);
      check(index, &m, 10);
      assert_int_equal(live_rows(&m), 0);
      apply(index, &m, &other.view, NULL);
      check(index, &m, 10);
      apply(index, &m, &keys.view, &other.view);
      check(index, &m, 10);
    }
    rdx_index_destroy(&index);
    column_free(&keys);
    column_free(&other);
  }
}

/* More than fits one group of anything. */
static void test_larger(void **state) {
  (void)state;
  static model m;
  for (size_t k = 0; k < COUNT(methods) && !test_is_slow(); k++) {
    test_column keys = column_make(k % 2 ? RDX_TYPE_U32 : RDX_TYPE_I64, SHAPE_SKEWED, NO_NULLS, 4000);
    rdx_index *index = new_index(method_from(k), &keys.view, &m);
    for (int batch = 0; batch < 4; batch++) {
      change(index, &m, SHAPE_SKEWED, 1000);
      check(index, &m, 30);
    }
    rdx_index_destroy(&index);
    column_free(&keys);
  }
}

/* ---- The updatable cgRX ---- */

static rdx_index_stats stats_of(const rdx_index *index) {
  rdx_index_stats stats;
  rdx_index_get_stats(index, &stats);
  return stats;
}

/* Its scene stays as it was built, until chains grow too long or buckets nearly empty. */
static void test_rebuilds(void **state) {
  (void)state;
  static model m;
  static uint64_t keys[400], more[400], same[200];
  if (!test_traces())
    return;
  for (uint64_t i = 0; i < COUNT(keys); i++) {
    keys[i] = 1000 * i;
    more[i] = 1000 * i + 7;
    same[i % COUNT(same)] = 5000;
  }
  const rdx_column column = numbers(keys, COUNT(keys)), spread = numbers(more, COUNT(more));
  const rdx_column equal = numbers(same, COUNT(same)), max = numbers(keys, 390);
  const rdx_index_params params = {.method = RDX_INDEX_CGRX_UPDATABLE, .cgrx_updatable.longest_chain = 4};
  rdx_index *index = new_index(&params, &column, &m);
  const uint64_t scene = stats_of(index).bytes_scene, built = stats_of(index).bytes_resident;
  apply(index, &m, &spread, NULL);
  apply(index, &m, NULL, &spread);
  apply(index, &m, &spread, NULL);
  check(index, &m, 30);
  assert_int_equal(stats_of(index).rebuilds, 0);
  assert_int_equal(stats_of(index).bytes_scene, scene);
  assert_true(stats_of(index).scene_ms == 0);
  apply(index, &m, &equal, NULL);
  check(index, &m, 30);
  assert_int_equal(stats_of(index).rebuilds, 1);
  assert_true(stats_of(index).bytes_scene > scene && stats_of(index).scene_ms > 0);
  apply(index, &m, NULL, &equal);
  apply(index, &m, NULL, &spread);
  assert_int_equal(stats_of(index).rebuilds, 1);
  apply(index, &m, NULL, &max);
  check(index, &m, 30);
  assert_int_equal(stats_of(index).rebuilds, 2);
  assert_true(stats_of(index).bytes_resident < built);
  rdx_index_destroy(&index);
}

/* Nodes looked into by lookups of a column. */
static uint64_t visits(const rdx_index *index, const rdx_column *probes) {
  rdx_lookup_result *result = NULL;
  rdx_lookup_stats stats;
  OK(rdx_index_lookup(index, probes, &(rdx_lookup_params){.stats = true}, &result, err));
  rdx_lookup_result_get_stats(result, &stats);
  rdx_lookup_result_destroy(&result);
  return stats.visits;
}

/* Nodes that inserts link to buckets are merged again by removes, and used again, some at a time. */
static void test_linked_nodes(void **state) {
  (void)state;
  enum { BUCKETS = 25, EACH = 16, MORE = 20 };
  static model m;
  static uint64_t keys[BUCKETS * EACH], more[BUCKETS * MORE];
  if (!test_traces())
    return;
  for (uint64_t i = 0; i < COUNT(keys); i++)
    keys[i] = 1000 * i;
  for (uint64_t i = 0; i < COUNT(more); i++) /* so many to each bucket */
    more[i] = i / MORE * EACH * 1000 + 1 + i % MORE;
  const rdx_column column = numbers(keys, COUNT(keys)), all = numbers(more, COUNT(more));
  const rdx_column few = numbers(more, 3 * MORE), others = numbers(more + 3 * MORE, COUNT(more) - 3 * MORE);
  rdx_index *index = new_index(&(rdx_index_params){.method = RDX_INDEX_CGRX_UPDATABLE}, &column, &m);
  assert_int_equal(visits(index, &column), COUNT(keys));
  uint64_t bytes = 0;
  for (int round = 0; round < 3; round++) {
    apply(index, &m, &few, NULL);
    apply(index, &m, &others, NULL);
    check(index, &m, 30);
    assert_true(visits(index, &column) > COUNT(keys));
    assert_true(round == 0 || stats_of(index).bytes_resident <= bytes);
    bytes = stats_of(index).bytes_resident;
    apply(index, &m, NULL, &all);
    check(index, &m, 30);
    assert_int_equal(visits(index, &column), COUNT(keys));
  }
  assert_int_equal(stats_of(index).rebuilds, 0);
  rdx_index_destroy(&index);
}

static void test_rebuild_on_demand(void **state) {
  (void)state;
  static model m;
  test_column keys = column_make(RDX_TYPE_I32, SHAPE_SKEWED, SOME_NULLS, 300);
  rdx_index *index = new_index(&methods[0], &keys.view, &m);
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_rebuild(NULL, err));
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_index_rebuild(index, err));
  rdx_index_destroy(&index);
  if (test_traces()) {
    index = new_index(&(rdx_index_params){.method = RDX_INDEX_CGRX_UPDATABLE}, &keys.view, &m);
    for (int round = 0; round < 3; round++) {
      apply(index, &m, round < 2 ? &keys.view : NULL, NULL);
      apply(index, &m, NULL, &keys.view);
      const uint64_t before = stats_of(index).rebuilds;
      OK(rdx_index_rebuild(index, err));
      check(index, &m, 30);
      assert_int_equal(stats_of(index).rebuilds, before); /* they count what batches caused */
      assert_int_equal(stats_of(index).distinct, !has_twins(&m));
    }
    rdx_index_destroy(&index);
  }
  column_free(&keys);
}

/* ---- Columns of other kinds ---- */

static void test_device_columns(void **state) {
  (void)state;
  static model m;
  for (size_t k = 0; k < COUNT(methods); k++) {
    test_column keys = column_make(RDX_TYPE_DATE, SHAPE_FEW, SOME_NULLS, 70);
    test_column insert = column_make(RDX_TYPE_DATE, SHAPE_FEW, SOME_NULLS, 40);
    rdx_index *index = new_index(method_from(k), &keys.view, &m);
    rdx_device_column *on_device[2] = {NULL, NULL};
    OK(rdx_device_column_create(test_device, &insert.view, &on_device[0], err));
    OK(rdx_device_column_create(test_device, &keys.view, &on_device[1], err));
    const rdx_column views[2] = {rdx_device_column_view(on_device[0]), rdx_device_column_view(on_device[1])};
    for (int round = 0; round < 2; round++) { /* the columns are as they were */
      OK(rdx_index_apply(index, &(rdx_index_changes){&views[0], &views[1]}, err));
      model_apply(&m, &insert.view, &keys.view);
      check(index, &m, 10);
    }
    rdx_device_column_destroy(&on_device[0]);
    rdx_device_column_destroy(&on_device[1]);
    rdx_index_destroy(&index);
    column_free(&keys);
    column_free(&insert);
  }
}

static rdx_column strings(const char *bytes, const uint64_t *offsets, uint64_t rows) {
  return (rdx_column){.type = RDX_TYPE_STRING, .rows = rows, .values = bytes, .offsets = offsets};
}

static uint32_t count_of(const rdx_index *index, const rdx_column *probe) {
  rdx_lookup_result *result = NULL;
  rdx_lookup_view view;
  OK(rdx_index_lookup(index, probe, NULL, &result, err));
  OK(rdx_lookup_result_view(result, &view, err));
  const uint32_t count = view.count[0];
  rdx_lookup_result_destroy(&result);
  return count;
}

static void test_strings(void **state) {
  (void)state;
  static const uint64_t offsets[] = {0, 2, 2, 10}, long_offsets[] = {0, 9}, one[] = {0, 2};
  const rdx_column keys = strings("abexactly8", offsets, 3), ab = strings("ab", one, 1);
  const rdx_column too_long = strings("nine-long", long_offsets, 1);
  for (size_t k = 0; k < COUNT(methods); k++) {
    rdx_index *index = NULL;
    OK(rdx_index_create(test_device, &keys, method_from(k), &index, err));
    OK(rdx_index_apply(index, &(rdx_index_changes){&keys, NULL}, err));
    assert_int_equal(count_of(index, &ab), 2);
    assert_int_equal(count_of(index, &too_long), 0);
    FAILS(RDX_ERROR_UNSUPPORTED, rdx_index_apply(index, &(rdx_index_changes){&too_long, NULL}, err));
    FAILS(RDX_ERROR_UNSUPPORTED, rdx_index_apply(index, &(rdx_index_changes){NULL, &too_long}, err));
    OK(rdx_index_apply(index, &(rdx_index_changes){NULL, &ab}, err));
    assert_int_equal(count_of(index, &ab), 1);
    rdx_index_destroy(&index);
    OK(rdx_index_create(test_device, &too_long, method_from(k), &index, err));
    FAILS(RDX_ERROR_UNSUPPORTED, rdx_index_apply(index, &(rdx_index_changes){&ab, NULL}, err));
    assert_int_equal(count_of(index, &too_long), 1);
    rdx_index_destroy(&index);
  }
}

/* ---- Refusals ---- */

static void test_refusals(void **state) {
  (void)state;
  static model m;
  static const uint64_t values[] = {3, 1, 2};
  static const int64_t other_values[] = {3};
  const rdx_column keys = numbers(values, 3), broken = {.type = RDX_TYPE_U64, .rows = 3};
  const rdx_column other = {.type = RDX_TYPE_I64, .rows = 1, .values = other_values};
  rdx_index *index = NULL;
  FAILS(RDX_ERROR_ARGUMENT, rdx_index_apply(NULL, &(rdx_index_changes){&keys, NULL}, err));
  OK(rdx_index_create(test_device, &keys, &(rdx_index_params){.method = RDX_INDEX_SORTED_ARRAY}, &index, err));
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_index_apply(index, &(rdx_index_changes){&keys, NULL}, err));
  rdx_index_destroy(&index);
  for (size_t k = 0; k < COUNT(methods); k++) {
    index = new_index(method_from(k), &keys, &m);
    FAILS(RDX_ERROR_ARGUMENT, rdx_index_apply(index, NULL, err));
    FAILS(RDX_ERROR_ARGUMENT, rdx_index_apply(index, &(rdx_index_changes){&other, NULL}, err));
    FAILS(RDX_ERROR_ARGUMENT, rdx_index_apply(index, &(rdx_index_changes){&keys, &other}, err));
    FAILS(RDX_ERROR_ARGUMENT, rdx_index_apply(index, &(rdx_index_changes){&broken, NULL}, err));
    rdx_column many = keys;
    many.rows = UINT32_MAX - 3;
    FAILS(RDX_ERROR_UNSUPPORTED, rdx_index_apply(index, &(rdx_index_changes){&many, NULL}, err));
    check(index, &m, 5);
    OK(rdx_index_apply(index, &(rdx_index_changes){NULL, NULL}, err));
    check(index, &m, 5);
    rdx_index_destroy(&index);
  }
}

/* A device with room for an index, but not for a large batch. */
static void test_without_memory(void **state) {
  (void)state;
  static model m;
  rdx_device *device = NULL;
  const rdx_device_params limits = {.memory_limit = 4 << 20};
  OK(rdx_device_open(rdx_device_get_info(test_device)->name, &limits, &device, err));
  test_column large = column_make(RDX_TYPE_U64, SHAPE_DENSE, NO_NULLS, 150000);
  for (size_t k = 0; k < COUNT(methods); k++) {
    test_column keys = column_make(RDX_TYPE_U64, SHAPE_SKEWED, NO_NULLS, 100);
    rdx_index *index = NULL;
    OK(rdx_index_create(device, &keys.view, method_from(k), &index, err));
    model_clear(&m, RDX_TYPE_U64);
    append(&m, &keys.view);
    rdx_device_usage then, now;
    rdx_device_get_usage(device, &then);
    FAILS(RDX_ERROR_DEVICE_MEMORY, rdx_index_apply(index, &(rdx_index_changes){&large.view, NULL}, err));
    rdx_device_get_usage(device, &now);
    assert_int_equal(now.memory_used, then.memory_used);
    check(index, &m, 10);
    rdx_index_destroy(&index);
    column_free(&keys);
  }
  rdx_device_close(&device);
  column_free(&large);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_small_histories),   cmocka_unit_test(test_long_histories),
      cmocka_unit_test(test_small_batches),     cmocka_unit_test(test_adversaries),
      cmocka_unit_test(test_emptying),          cmocka_unit_test(test_larger),
      cmocka_unit_test(test_linked_nodes),      cmocka_unit_test(test_rebuilds),
      cmocka_unit_test(test_rebuild_on_demand), cmocka_unit_test(test_device_columns),
      cmocka_unit_test(test_strings),           cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_without_memory),
  };
  return TEST_MAIN(tests);
}
