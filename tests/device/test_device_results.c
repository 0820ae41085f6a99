/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Results that stay on the device are the columns that a brute-force reference says, and the next call takes them. */

#include "predicates.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MAX_ROWS 400

static const rdx_type types[] = {RDX_TYPE_BOOL, RDX_TYPE_I8,   RDX_TYPE_I16,       RDX_TYPE_I32,    RDX_TYPE_I64,
                                 RDX_TYPE_U8,   RDX_TYPE_U16,  RDX_TYPE_U32,       RDX_TYPE_U64,    RDX_TYPE_F32,
                                 RDX_TYPE_F64,  RDX_TYPE_DATE, RDX_TYPE_TIMESTAMP, RDX_TYPE_DECIMAL};

/* A column of the host and the values that it owns. */
typedef struct host_column {
  rdx_column view;
  uint64_t values[MAX_ROWS];
  uint8_t validity[MAX_ROWS / 8 + 1];
} host_column;

static host_column *host_make(rdx_type type, uint64_t rows) {
  host_column *c = calloc(1, sizeof *c);
  assert_non_null(c);
  assert_true(rows <= MAX_ROWS);
  c->view = (rdx_column){.type = type, .rows = rows, .values = c->values, .validity = c->validity};
  return c;
}

static void host_set(host_column *c, uint64_t row, const void *value) {
  const size_t size = rdx_type_size(c->view.type);
  memcpy((char *)c->values + row * size, value, size);
  c->validity[row / 8] |= (uint8_t)(1u << row % 8);
}

static const void *value_at(const rdx_column *c, uint64_t row) {
  return (const char *)c->values + row * rdx_type_size(c->type);
}

/* That a device column has the values of a host column: an index over it finds each value in its rows and in no other,
 * and no NULL. */
static void check_column(const rdx_device_column *device, const rdx_column *host) {
  const rdx_column view = rdx_device_column_view(device);
  const test_column values = column_make(RDX_TYPE_I32, SHAPE_RANDOM, NO_NULLS, host->rows);
  rdx_index *index = NULL;
  rdx_index_stats stats;
  uint64_t keys = 0;
  for (uint64_t i = 0; i < host->rows; i++)
    keys += column_has(host, i);
  assert_int_equal(view.type, host->type);
  assert_int_equal(view.scale, host->scale);
  assert_int_equal(view.rows, host->rows);
  OK(rdx_index_create(test_device, &view, &(rdx_index_params){.method = RDX_INDEX_SORTED_ARRAY}, &index, err));
  rdx_index_get_stats(index, &stats);
  assert_int_equal(stats.keys, keys);
  check_lookups(index, host, host, NULL, &values.view);
  rdx_index_destroy(&index);
  column_free((test_column *)&values);
}

static void check_and_free(rdx_device_column **device, host_column *host) {
  check_column(*device, &host->view);
  rdx_device_column_destroy(device);
  free(host);
}

/* ---- Scans ---- */

static rdx_scan_result *run_scan(const rdx_scan *scan, const rdx_predicate *p, rdx_scan_result_kind kind) {
  rdx_scan_result *result = NULL;
  OK(rdx_scan_run(scan, p, &(rdx_scan_run_params){.result = kind}, &result, err));
  return result;
}

static bool holds(const rdx_column *column, uint64_t row, const rdx_predicate *p) {
  return predicate_holds(column, &row, p);
}

static void check_filter(const rdx_scan *scan, const rdx_column *scanned, const rdx_predicate *p, rdx_type type,
                         test_nulls nulls) {
  test_column other = column_make(type, SHAPE_RANDOM, nulls, scanned->rows);
  host_column *expected = host_make(type, scanned->rows);
  rdx_scan_result *found = run_scan(scan, p, RDX_SCAN_BITMAP);
  rdx_device_column *uploaded = NULL, *filtered = NULL;
  expected->view.scale = other.view.scale;
  for (uint64_t i = 0; i < scanned->rows; i++)
    if (column_has(&other.view, i) && holds(scanned, i, p))
      host_set(expected, i, value_at(&other.view, i));
  OK(rdx_device_column_create(test_device, &other.view, &uploaded, err));
  const rdx_column view = test_random() % 2 ? rdx_device_column_view(uploaded) : other.view;
  OK(rdx_scan_result_filter(found, &view, &filtered, err));
  rdx_scan_result_destroy(&found); /* the bitmap is used again */
  rdx_device_column_destroy(&uploaded);
  found = run_scan(scan, &(rdx_predicate){.kind = RDX_PREDICATE_TRUE}, RDX_SCAN_BITMAP);
  check_and_free(&filtered, expected);
  rdx_scan_result_destroy(&found);
  column_free(&other);
}

static void check_rows(const rdx_scan *scan, const rdx_column *scanned, const rdx_predicate *p) {
  host_column *expected = host_make(RDX_TYPE_U32, scanned->rows), *gathered = host_make(scanned->type, scanned->rows);
  rdx_scan_result *found = run_scan(scan, p, RDX_SCAN_ROWS);
  rdx_device_column *rows = NULL, *source = NULL, *taken = NULL;
  uint32_t count = 0;
  gathered->view.scale = scanned->scale;
  for (uint32_t i = 0; i < scanned->rows; i++) {
    if (!holds(scanned, i, p))
      continue;
    host_set(expected, count, &i);
    if (column_has(scanned, i))
      host_set(gathered, count, value_at(scanned, i));
    count++;
  }
  expected->view.rows = gathered->view.rows = count;
  OK(rdx_scan_result_column(found, &rows, err));
  OK(rdx_device_column_create(test_device, scanned, &source, err));
  OK(rdx_device_column_gather(source, rows, &taken, err));
  rdx_scan_result_destroy(&found);
  rdx_device_column_destroy(&source);
  check_and_free(&rows, expected);
  check_and_free(&taken, gathered);
}

static void scans_give_columns(void **state) {
  (void)state;
  static const uint64_t sizes[] = {0, 1, 31, 32, 33, 200, MAX_ROWS};
  for (uint32_t k = 0; k < (test_is_slow() ? 14 : 100); k++) {
    const rdx_type type = types[k % COUNT(types)];
    const uint64_t rows = sizes[test_random() % COUNT(sizes)];
    test_column column = column_make(type, SHAPE_FEW, test_random() % 2 ? SOME_NULLS : NO_NULLS, rows);
    rdx_scan *scan = NULL;
    tree p;
    tree_make(&column.view, 1, &p);
    OK(rdx_scan_create(test_device, &column.view, 1, NULL, &scan, err));
    check_rows(scan, &column.view, &p.nodes[0]);
    check_filter(scan, &column.view, &p.nodes[0], types[test_random() % COUNT(types)], (test_nulls)(test_random() % 3));
    rdx_scan_destroy(&scan);
    tree_free(&p);
    column_free(&column);
  }
}

/* ---- Lookups ---- */

typedef struct lookup_case {
  test_column keys, probes, values;
  rdx_index *index;
} lookup_case;

static host_column *expect_lookup(const lookup_case *c, rdx_lookup_result_kind what, rdx_type sum_type) {
  const rdx_column *keys = &c->keys.view, *probes = &c->probes.view, *values = &c->values.view;
  host_column *e = host_make(what == RDX_LOOKUP_SUM ? sum_type : RDX_TYPE_U32, probes->rows);
  for (uint64_t i = 0; i < probes->rows; i++) {
    uint32_t count = 0, first = RDX_NO_ROW;
    int64_t sum = 0;
    for (uint32_t k = 0; k < keys->rows; k++) {
      if (!column_matches(keys, k, probes, NULL, i))
        continue;
      first = first == RDX_NO_ROW ? k : first;
      count += what != RDX_LOOKUP_SUM || column_has(values, k);
      sum += what == RDX_LOOKUP_SUM && column_has(values, k) ? (int64_t)integer_at(values, k) : 0;
    }
    if (what == RDX_LOOKUP_COUNT)
      host_set(e, i, &count);
    else if (what == RDX_LOOKUP_FIRST && count > 0)
      host_set(e, i, &first);
    else if (what == RDX_LOOKUP_SUM && count > 0)
      host_set(e, i, &sum);
  }
  return e;
}

/* All rows of all probes, which are few. */
static host_column *expect_rows(const lookup_case *c) {
  host_column *e = host_make(RDX_TYPE_U32, MAX_ROWS);
  uint64_t count = 0;
  for (uint64_t i = 0; i < c->probes.view.rows; i++)
    for (uint32_t k = 0; k < c->keys.view.rows && count < MAX_ROWS; k++)
      if (column_matches(&c->keys.view, k, &c->probes.view, NULL, i))
        host_set(e, count++, &k);
  e->view.rows = count;
  return e;
}

static void check_lookup(const lookup_case *c, rdx_lookup_result_kind kind, bool looked_at) {
  const rdx_lookup_params params = {.result = kind, .values = kind == RDX_LOOKUP_SUM ? &c->values.view : NULL};
  rdx_lookup_result *result = NULL;
  rdx_lookup_view view;
  rdx_device_column *column = NULL, *wrong = NULL;
  OK(rdx_index_lookup(c->index, &c->probes.view, &params, &result, err));
  if (looked_at)
    OK(rdx_lookup_result_view(result, &view, err));
  OK(rdx_lookup_result_column(result, kind, &column, err));
  FAILS(RDX_ERROR_ARGUMENT,
        rdx_lookup_result_column(result, kind == RDX_LOOKUP_ROWS ? RDX_LOOKUP_SUM : RDX_LOOKUP_ROWS, &wrong, err));
  OK(rdx_lookup_result_view(result, &view, err)); /* after a column, too */
  rdx_lookup_result_destroy(&result);
  const rdx_column made = rdx_device_column_view(column);
  check_and_free(&column, kind == RDX_LOOKUP_ROWS ? expect_rows(c) : expect_lookup(c, kind, made.type));
}

static void lookups_give_columns(void **state) {
  (void)state;
  static const rdx_type summed[] = {RDX_TYPE_I8, RDX_TYPE_I32, RDX_TYPE_U16, RDX_TYPE_DECIMAL};
  for (uint32_t k = 0; k < (test_is_slow() ? 8 : 40); k++) {
    const uint64_t probes = k % 8 == 7 ? 0 : 1 + test_random() % 60;
    lookup_case c = {.keys = column_make(RDX_TYPE_I32, SHAPE_SKEWED, SOME_NULLS, k % 7 == 0 ? 0 : 150)};
    c.probes = column_probes(&c.keys, probes, SOME_NULLS);
    c.values = column_make(summed[k % COUNT(summed)], SHAPE_DENSE, SOME_NULLS, c.keys.view.rows);
    c.values.view.scale = 0;
    OK(rdx_index_create(test_device, &c.keys.view, &(rdx_index_params){.method = RDX_INDEX_HASH}, &c.index, err));
    for (int kind = RDX_LOOKUP_COUNT; kind <= RDX_LOOKUP_SUM; kind++)
      check_lookup(&c, (rdx_lookup_result_kind)kind, k % 3 == 0);
    rdx_index_destroy(&c.index);
    column_free(&c.keys), column_free(&c.probes), column_free(&c.values);
  }
}

static void rows_of_lookups_are_columns(void **state) {
  (void)state;
  lookup_case c = {.keys = column_make(RDX_TYPE_U16, SHAPE_DENSE, SOME_NULLS, 100)};
  c.probes = column_probes(&c.keys, 50, SOME_NULLS);
  c.values = column_make(RDX_TYPE_I32, SHAPE_RANDOM, NO_NULLS, 100);
  OK(rdx_index_create(test_device, &c.keys.view, NULL, &c.index, err));
  check_lookup(&c, RDX_LOOKUP_ROWS, false);
  check_lookup(&c, RDX_LOOKUP_ROWS, true);
  rdx_index_destroy(&c.index);
  column_free(&c.keys), column_free(&c.probes), column_free(&c.values);
}

/* Sums of floats: halves, which are exact in any order; one of them is -0. */
static void float_sums_are_columns(void **state) {
  (void)state;
  static const uint32_t keys[] = {1, 2, 2, 3, 4}, probes[] = {4, 3, 2, 1, 9};
  static const double values[] = {-0.5, 1.5, -4, -0.0, 2.25}, sums[] = {2.25, 0, -2.5, -0.5};
  const rdx_column key = {.type = RDX_TYPE_U32, .rows = 5, .values = keys};
  const rdx_column probe = {.type = RDX_TYPE_U32, .rows = 5, .values = probes};
  const rdx_column value = {.type = RDX_TYPE_F64, .rows = 5, .values = values};
  host_column *expected = host_make(RDX_TYPE_F64, 5);
  rdx_index *index = NULL;
  rdx_lookup_result *result = NULL;
  rdx_device_column *column = NULL;
  for (uint64_t i = 0; i < COUNT(sums); i++)
    host_set(expected, i, &sums[i]);
  OK(rdx_index_create(test_device, &key, NULL, &index, err));
  OK(rdx_index_lookup(index, &probe, &(rdx_lookup_params){.result = RDX_LOOKUP_SUM, .values = &value}, &result, err));
  OK(rdx_lookup_result_column(result, RDX_LOOKUP_SUM, &column, err));
  check_and_free(&column, expected);
  rdx_lookup_result_destroy(&result);
  rdx_index_destroy(&index);
}

/* ---- Joins ---- */

static void check_join(rdx_join_kind kind, rdx_join_mapping mapping, const rdx_column *left, const rdx_column *right) {
  const rdx_join_params params = {.kind = kind, .mapping = mapping};
  host_column *sides[2] = {host_make(RDX_TYPE_U32, MAX_ROWS), host_make(RDX_TYPE_U32, MAX_ROWS)};
  rdx_join_result *join = NULL;
  rdx_join_view view;
  uint64_t count = 0;
  OK(rdx_join_equal(test_device, left, right, &params, &join, err));
  for (uint32_t i = 0; i < left->rows; i++) {
    const uint64_t before = count;
    for (uint32_t k = 0; k < right->rows; k++) {
      if (!column_matches(right, k, left, NULL, i))
        continue;
      host_set(sides[0], count, &i);
      host_set(sides[1], count++, &k);
    }
    if (kind == RDX_JOIN_LEFT && count == before)
      host_set(sides[0], count++, &i);
  }
  sides[0]->view.rows = sides[1]->view.rows = count;
  for (int side = RDX_JOIN_SIDE_LEFT; side <= RDX_JOIN_SIDE_RIGHT; side++) {
    rdx_device_column *column = NULL;
    OK(rdx_join_result_column(join, (rdx_join_side)side, &column, err));
    check_and_free(&column, sides[side]);
  }
  OK(rdx_join_result_view(join, &view, err));
  assert_int_equal(view.count, count);
  rdx_join_result_destroy(&join);
}

static void joins_give_columns(void **state) {
  (void)state;
  test_column left = column_make(RDX_TYPE_I32, SHAPE_DENSE, SOME_NULLS, 60);
  test_column right = column_probes(&left, 90, SOME_NULLS), none = column_make(RDX_TYPE_I32, SHAPE_EMPTY, NO_NULLS, 0);
  rdx_join_result *join = NULL;
  rdx_device_column *column = NULL;
  for (int kind = RDX_JOIN_INNER; kind <= RDX_JOIN_LEFT; kind++)
    for (int mapping = RDX_JOIN_MAPPING_DIRECT; mapping <= RDX_JOIN_MAPPING_INVERSE; mapping++) {
      check_join((rdx_join_kind)kind, (rdx_join_mapping)mapping, &left.view, &right.view);
      check_join((rdx_join_kind)kind, (rdx_join_mapping)mapping, &none.view, &right.view);
    }
  OK(rdx_join_equal(test_device, &left.view, &right.view, &(rdx_join_params){.kind = RDX_JOIN_SEMI}, &join, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_join_result_column(join, RDX_JOIN_SIDE_RIGHT, &column, err));
  OK(rdx_join_result_column(join, RDX_JOIN_SIDE_LEFT, &column, err));
  rdx_device_column_destroy(&column);
  rdx_join_result_destroy(&join);
  OK(rdx_join_equal(test_device, &left.view, &right.view, &(rdx_join_params){.result = RDX_JOIN_COUNT}, &join, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_join_result_column(join, RDX_JOIN_SIDE_LEFT, &column, err));
  rdx_join_result_destroy(&join);
  column_free(&left), column_free(&right), column_free(&none);
}

/* ---- Chains ---- */

#define SHOPS 40
#define SALES 300

/* Sales of shops in some places, by the shop's size: scan, filter, look up, gather, group, and the groups again. */
static void calls_take_results_of_others(void **state) {
  (void)state;
  uint32_t numbers[SHOPS], places[SHOPS], sizes[SHOPS], shops[SALES];
  int64_t amounts[SALES], sums[4] = {0};
  for (uint32_t i = 0; i < SHOPS; i++)
    numbers[i] = 1000 + 7 * i, places[i] = (uint32_t)(test_random() % 5), sizes[i] = (uint32_t)(test_random() % 4);
  for (uint32_t i = 0; i < SALES; i++) {
    const uint32_t shop = (uint32_t)(test_random() % SHOPS);
    shops[i] = numbers[shop], amounts[i] = (int64_t)(test_random() % 1000) - 300;
    sums[sizes[shop]] += places[shop] >= 3 ? amounts[i] : 0;
  }
  const rdx_column number = {.type = RDX_TYPE_U32, .rows = SHOPS, .values = numbers};
  const rdx_column place = {.type = RDX_TYPE_U32, .rows = SHOPS, .values = places};
  const rdx_column size = {.type = RDX_TYPE_U32, .rows = SHOPS, .values = sizes};
  const rdx_column shop = {.type = RDX_TYPE_U32, .rows = SALES, .values = shops};
  const uint32_t three = 3;
  const rdx_predicate p = {.kind = RDX_PREDICATE_GE, .values = {.type = RDX_TYPE_U32, .rows = 1, .values = &three}};
  rdx_scan *scan = NULL;
  rdx_index *index = NULL;
  rdx_lookup_result *firsts = NULL;
  rdx_device_column *some = NULL, *rows = NULL, *all_sizes = NULL, *taken = NULL, *again = NULL;
  OK(rdx_scan_create(test_device, &place, 1, NULL, &scan, err));
  rdx_scan_result *found = run_scan(scan, &p, RDX_SCAN_BITMAP);
  OK(rdx_scan_result_filter(found, &number, &some, err));
  const rdx_column keys = rdx_device_column_view(some);
  OK(rdx_index_create(test_device, &keys, NULL, &index, err));
  OK(rdx_index_lookup(index, &shop, &(rdx_lookup_params){.result = RDX_LOOKUP_FIRST}, &firsts, err));
  OK(rdx_lookup_result_column(firsts, RDX_LOOKUP_FIRST, &rows, err));
  OK(rdx_device_column_create(test_device, &size, &all_sizes, err));
  OK(rdx_device_column_gather(all_sizes, rows, &taken, err));

  const rdx_attribute attributes[] = {{"size", rdx_device_column_view(taken), 0},
                                      {"amount", {.type = RDX_TYPE_I64, .rows = SALES, .values = amounts}, 0}};
  const rdx_relation relation = {.rows = SALES, .attributes = attributes, .attribute_count = 2};
  const rdx_expression amount = {.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = 1};
  const rdx_aggregate sum = {.kind = RDX_AGGREGATE_SUM, .expression = &amount};
  const rdx_predicate known = {.kind = RDX_PREDICATE_IS_NOT_NULL};
  const uint32_t by = 0;
  const rdx_query query = {
      .where = &known, .group_by = &by, .group_count = 1, .aggregates = &sum, .aggregate_count = 1};
  rdx_star *star = NULL;
  rdx_query_result *groups = NULL;
  OK(rdx_star_create(test_device, &relation, &(rdx_star_params){.method = RDX_STAR_COLUMN_ENGINE}, &star, err));
  OK(rdx_star_run(star, &query, NULL, &groups, err));
  const rdx_query_view view = test_view(groups);
  for (uint64_t i = 0; i < view.rows; i++)
    assert_true(((const int64_t *)view.columns[1].values)[i] == sums[((const uint32_t *)view.columns[0].values)[i]]);
  assert_true(view.rows > 0);
  OK(rdx_query_result_column(groups, 1, &again, err));
  check_column(again, &view.columns[1]);
  rdx_device_column_destroy(&again);
  FAILS(RDX_ERROR_ARGUMENT, rdx_query_result_column(groups, 2, &again, err));

  rdx_query_result_destroy(&groups), rdx_star_destroy(&star);
  rdx_lookup_result_destroy(&firsts), rdx_index_destroy(&index);
  rdx_scan_result_destroy(&found), rdx_scan_destroy(&scan);
  rdx_device_column_destroy(&some), rdx_device_column_destroy(&rows);
  rdx_device_column_destroy(&all_sizes), rdx_device_column_destroy(&taken);
}

/* ---- Refusals ---- */

static void what_is_no_column_is_refused(void **state) {
  (void)state;
  static const uint32_t numbers[] = {0, 1, 2, 3};
  static const uint64_t offsets[] = {0, 1, 2, 3, 4};
  const rdx_column four = {.type = RDX_TYPE_U32, .rows = 4, .values = numbers};
  const rdx_column three = {.type = RDX_TYPE_U32, .rows = 3, .values = numbers};
  const rdx_column text = {.type = RDX_TYPE_STRING, .rows = 4, .values = "abcd", .offsets = offsets};
  const rdx_predicate all = {.kind = RDX_PREDICATE_TRUE};
  rdx_scan *scan = NULL;
  rdx_device_column *column = NULL, *rows = NULL, *strings = NULL, *out = NULL;
  OK(rdx_scan_create(test_device, &four, 1, NULL, &scan, err));
  rdx_scan_result *bitmap = run_scan(scan, &all, RDX_SCAN_BITMAP), *count = run_scan(scan, &all, RDX_SCAN_COUNT);
  FAILS(RDX_ERROR_ARGUMENT, rdx_scan_result_column(bitmap, &out, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_scan_result_filter(count, &four, &out, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_scan_result_filter(bitmap, &three, &out, err));
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_scan_result_filter(bitmap, &text, &out, err));
  OK(rdx_device_column_create(test_device, &three, &column, err));
  OK(rdx_device_column_create(test_device, &four, &rows, err));
  OK(rdx_device_column_create(test_device, &text, &strings, err));
  FAILS(RDX_ERROR_RANGE, rdx_device_column_gather(column, rows, &out, err)); /* row 3 of 3 */
  FAILS(RDX_ERROR_ARGUMENT, rdx_device_column_gather(column, strings, &out, err));
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_device_column_gather(strings, column, &out, err));
  assert_null(out);
  rdx_device_column_destroy(&column), rdx_device_column_destroy(&rows), rdx_device_column_destroy(&strings);
  rdx_scan_result_destroy(&bitmap), rdx_scan_result_destroy(&count);
  rdx_scan_destroy(&scan);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scans_give_columns),           cmocka_unit_test(lookups_give_columns),
      cmocka_unit_test(rows_of_lookups_are_columns),  cmocka_unit_test(float_sums_are_columns),
      cmocka_unit_test(joins_give_columns),           cmocka_unit_test(calls_take_results_of_others),
      cmocka_unit_test(what_is_no_column_is_refused),
  };
  return TEST_MAIN(tests);
}
