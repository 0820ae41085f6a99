/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Star methods against looking at every row. */
#include "flat_star.h"
#include "queries.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PUBLISHED .method = RDX_STAR_RT_CUBE, .rt_cube.mapping = RDX_RT_CUBE_PUBLISHED

/* Methods with other options than by default. */
static const rdx_star_params variants[] = {
    {.method = RDX_STAR_COARSE_CUBE, .coarse_cube = {.block_rows = 3, .build = RDX_BUILD_FAST_BUILD}},
    {.method = RDX_STAR_RT_CUBE, .rt_cube = {.leg_x = 262144, .leg_y = 4, .sub_accumulators = 3}},
    {.method = RDX_STAR_RT_CUBE, .rt_cube = {.operators = RDX_RT_CUBE_SPLIT_SCAN, .build = RDX_BUILD_LOW_MEMORY}},
    {.method = RDX_STAR_RT_CUBE, .rt_cube = {.operators = RDX_RT_CUBE_SEPARATE_SCAN, .sub_accumulators = 1}},
    {PUBLISHED},
    {PUBLISHED, .rt_cube.leg_x = 262144, .rt_cube.leg_y = 4, .rt_cube.unit_z = 4096, .rt_cube.sub_accumulators = 1},
    {PUBLISHED, .rt_cube.operators = RDX_RT_CUBE_SPLIT_SCAN, .rt_cube.grid = 60, .rt_cube.unit_z = 1u << 30},
    {PUBLISHED, .rt_cube.operators = RDX_RT_CUBE_SPLIT_GROUP, .rt_cube.rows = RDX_RT_CUBE_Z_ORDER, .rt_cube.leg_y = 64},
    {PUBLISHED, .rt_cube.operators = RDX_RT_CUBE_SEPARATE_SCAN, .rt_cube.order = RDX_RT_CUBE_AS_GIVEN},
};

/* What every test runs on: every method by default, by its number, then the variants: list_methods(). */
static rdx_star_params methods[RDX_STAR_METHODS + COUNT(variants)];

static void list_methods(void) {
  for (size_t m = 0; m < RDX_STAR_METHODS; m++)
    methods[m].method = (rdx_star_method)m;
  memcpy(methods + RDX_STAR_METHODS, variants, sizeof variants);
}

static void create_all(const star_data *s, rdx_star *stars[COUNT(methods)]) {
  for (size_t m = 0; m < COUNT(methods); m++) {
    rdx_star_stats stats;
    stars[m] = NULL;
    OK(rdx_star_create(test_device, &s->relation, &methods[m], &stars[m], err));
    rdx_star_get_stats(stars[m], &stats);
    assert_int_equal(stats.method, methods[m].method);
    assert_int_equal(stats.rows, s->relation.rows);
  }
}

static void destroy_all(rdx_star *stars[COUNT(methods)]) {
  for (size_t m = 0; m < COUNT(methods); m++) {
    rdx_star_destroy(&stars[m]);
    assert_null(stars[m]);
  }
}

/* Run a query by every method. One may say when it prepares for it that it can not, as it may when it runs it. */
static void check_query(rdx_star *stars[COUNT(methods)], const star_data *s, const test_query *q, const expected *e) {
  for (size_t m = 0; m < COUNT(methods); m++) {
    rdx_error why = {""};
    const rdx_status status = rdx_star_prepare(stars[m], &q->query, 1, &why);
    assert_true(status == RDX_OK || status == RDX_ERROR_UNSUPPORTED);
    query_check(stars[m], s, q, e);
  }
}

static void check_star(const star_data *s, uint32_t queries) {
  rdx_star *stars[COUNT(methods)];
  create_all(s, stars);
  for (uint32_t k = 0; k < queries; k++) {
    static test_query q;
    static expected e;
    query_make(s, &q);
    query_expect(s, &q, true, &e);
    check_query(stars, s, &q, &e);
    expected_free(&e);
    query_free(&q);
  }
  destroy_all(stars);
}

static void test_random_stars(void **state) {
  (void)state;
  static const uint64_t sizes[] = {0, 1, 63, 64, 65, 300, 1000, 1023, 1024, 1025, 3000};
  const uint32_t stars = test_is_slow() ? 12 : 120, queries = test_is_slow() ? 4 : 20;
  for (uint32_t i = 0; i < stars; i++) {
    star_data s;
    const uint64_t rows = i % 2 ? sizes[test_random() % COUNT(sizes)] : test_random() % 400;
    star_make(&s, rows, 1 + (uint32_t)(test_random() % MAX_ATTRIBUTES), (uint32_t)(test_random() % (MAX_TABLES + 1)),
              test_random() % 4 != 0);
    check_star(&s, queries);
    star_free(&s);
  }
}

/* A copy of a tree at `at` in an array, its operands at 2 at + 1 and 2 at + 2: of sums and products the other way
 * round. */
static const rdx_expression *commute(const rdx_expression *e, rdx_expression *nodes, uint32_t at) {
  nodes[at] = *e;
  if (e->kind != RDX_EXPRESSION_ATTRIBUTE && e->kind != RDX_EXPRESSION_CONSTANT) {
    const bool swap = e->kind != RDX_EXPRESSION_SUBTRACT;
    nodes[at].left = commute(swap ? e->right : e->left, nodes, 2 * at + 1);
    nodes[at].right = commute(swap ? e->left : e->right, nodes, 2 * at + 2);
  }
  return &nodes[at];
}

/* A cube of all attributes, for whose queries rows of a group are apart. */
static void add_all(rdx_star *star, const star_data *s, const test_query *q) {
  static const uint32_t all[MAX_ATTRIBUTES] = {0, 1, 2, 3, 4, 5, 6, 7};
  const rdx_expression *expressions[COUNT(q->aggregates)];
  rdx_expression nodes[COUNT(q->aggregates)][COUNT(q->expressions[0])];
  rdx_cube_spec spec = {.scan = all,
                        .scan_count = s->relation.attribute_count,
                        .group_by = all,
                        .group_count = s->relation.attribute_count,
                        .expressions = expressions};
  for (uint32_t i = 0; i < q->query.aggregate_count; i++)
    if (q->aggregates[i].expression)
      expressions[spec.expression_count++] = commute(q->aggregates[i].expression, nodes[i], 0);
  rdx_error why;
  const rdx_status status = rdx_star_add_cube(star, &spec, &why);
  assert_true(status == RDX_OK || status == RDX_ERROR_UNSUPPORTED);
}

static void test_wide_cubes(void **state) {
  (void)state;
  for (uint32_t i = 0; i < (test_is_slow() ? 4 : 60); i++) {
    star_data s;
    star_make(&s, 1 + test_random() % 600, 1 + (uint32_t)(test_random() % 4), (uint32_t)(test_random() % 2), true);
    for (uint32_t k = 0; k < 4; k++) {
      static test_query q;
      static expected e;
      query_make(&s, &q);
      query_expect(&s, &q, true, &e);
      for (size_t m = 0; m < COUNT(methods); m++) {
        rdx_star *star = NULL;
        rdx_star_stats stats;
        if (methods[m].method == RDX_STAR_AUTO || methods[m].method == RDX_STAR_COLUMN_ENGINE)
          continue;
        OK(rdx_star_create(test_device, &s.relation, &methods[m], &star, err));
        add_all(star, &s, &q);
        rdx_star_get_stats(star, &stats);
        if (stats.cubes > 0)
          query_check(star, &s, &q, &e);
        rdx_star_destroy(&star);
      }
      expected_free(&e);
      query_free(&q);
    }
    star_free(&s);
  }
}

static void test_large(void **state) {
  (void)state;
  for (uint32_t tables = 0; tables <= 2; tables += 2) {
    star_data s;
    star_make(&s, test_is_slow() ? 20003 : 150007, 6, tables, true);
    check_star(&s, test_is_slow() ? 4 : 16);
    star_free(&s);
  }
}

/* ---- Particular queries, over a flat table of two columns ---- */

/* Sums pass 64 bits on the way, or in the end. */
static void test_sums(void **state) {
  (void)state;
  const rdx_aggregate sum = {RDX_AGGREGATE_SUM, &number}, average = {RDX_AGGREGATE_AVG, &number};
  for (size_t m = 0; m < COUNT(methods); m++) {
    rdx_star *star = NULL;
    rdx_query_result *result = NULL;
    OK(rdx_star_create(test_device, &flat, &methods[m], &star, err));
    rdx_query q = {.aggregates = &sum, .aggregate_count = 1};
    FAILS(RDX_ERROR_OVERFLOW, query_run(star, &q, &result, err)); /* 2^63 + 2 */
    const uint64_t c[] = {0, 1};
    const rdx_predicate not_a = {.kind = RDX_PREDICATE_NE,
                                 .column = 1,
                                 .values = {.type = RDX_TYPE_STRING, .rows = 1, .values = "a", .offsets = c}};
    q.where = &not_a;
    OK(query_run(star, &q, &result, err));
    assert_int_equal(((const int64_t *)test_view(result).columns[0].values)[0], INT64_MIN + 4);
    rdx_query_result_destroy(&result);
    q = (rdx_query){.aggregates = &average, .aggregate_count = 1, .group_by = by_letter, .group_count = 1};
    OK(query_run(star, &q, &result, err));
    const double *averages = test_view(result).columns[1].values;
    assert_true(averages[0] == 9223372036854775807.0 && averages[1] == -0.5 && averages[2] < -4.6e18);
    rdx_query_result_destroy(&result);
    rdx_star_destroy(&star);
  }
}

/* More groups could be than can be numbered; then as many as just can, of which few are. */
static void test_many_groups(void **state) {
  (void)state;
  static const uint32_t group_by[8];
  test_column column = column_make(RDX_TYPE_U16, SHAPE_DENSE, NO_NULLS, 300);
  const rdx_attribute attribute = {"a", column.view, 0};
  const rdx_relation relation = {.rows = 300, .attributes = &attribute, .attribute_count = 1};
  const rdx_aggregate count = {0};
  for (size_t m = 0; m < COUNT(methods); m++) {
    rdx_star *star = NULL;
    rdx_query_result *result = NULL;
    OK(rdx_star_create(test_device, &relation, &methods[m], &star, err));
    rdx_query q = {.group_by = group_by, .group_count = 8, .aggregates = &count, .aggregate_count = 1};
    FAILS(RDX_ERROR_UNSUPPORTED, query_run(star, &q, &result, err));
    q.group_count = 7;
    OK(query_run(star, &q, &result, err));
    assert_int_equal(test_view(result).rows, 300);
    for (uint32_t i = 0; i < 300; i++)
      assert_int_equal(((const uint64_t *)test_view(result).columns[7].values)[i], 1);
    rdx_query_result_destroy(&result);
    rdx_star_destroy(&star);
  }
  column_free(&column);
}

#define SPREAD_SUMS 8
#define SPREAD_ROWS 6

/* Sums of floats of many bits take several measures each, of which those in the middle are all alike. */
static void test_spread_floats(void **state) {
  (void)state;
  static const uint32_t group_by[] = {SPREAD_SUMS};
  static const double spread[SPREAD_ROWS] = {1, 0x1p300, 1, 0x1p300, 1, 0x1p300};
  static const uint8_t groups[SPREAD_ROWS] = {0, 1, 0, 1, 0, 1};
  rdx_attribute columns[SPREAD_SUMS + 1];
  rdx_expression values[SPREAD_SUMS];
  rdx_aggregate sums[SPREAD_SUMS];
  for (uint32_t i = 0; i < SPREAD_SUMS; i++) {
    columns[i] = (rdx_attribute){"f", {.type = RDX_TYPE_F64, .rows = SPREAD_ROWS, .values = spread}, 0};
    values[i] = (rdx_expression){.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = i};
    sums[i] = (rdx_aggregate){RDX_AGGREGATE_SUM, &values[i]};
  }
  columns[SPREAD_SUMS] = (rdx_attribute){"g", {.type = RDX_TYPE_U8, .rows = SPREAD_ROWS, .values = groups}, 0};
  const rdx_relation relation = {.rows = SPREAD_ROWS, .attributes = columns, .attribute_count = SPREAD_SUMS + 1};
  const rdx_query query = {
      .group_by = group_by, .group_count = 1, .aggregates = sums, .aggregate_count = SPREAD_SUMS};
  for (size_t m = 0; m < COUNT(methods); m++) {
    rdx_star *star = NULL;
    rdx_query_result *result = NULL;
    OK(rdx_star_create(test_device, &relation, &methods[m], &star, err));
    OK(query_run(star, &query, &result, err));
    assert_int_equal(test_view(result).rows, 2);
    for (uint32_t i = 0; i < SPREAD_SUMS; i++) {
      const double *sum = test_view(result).columns[1 + i].values;
      assert_true(sum[0] == 3 && sum[1] == 3 * 0x1p300);
    }
    rdx_query_result_destroy(&result);
    rdx_star_destroy(&star);
  }
}

#define APART_ROWS 70001

/* Groups by many values that are so far apart that the products of what may lie between pass 64 bits: the products of
 * how many occur do not. With conditions, of which one holds for no value, and NULLs. */
static void test_groups_apart(void **state) {
  (void)state;
  static double doubles[APART_ROWS];
  static int64_t times[APART_ROWS];
  static uint8_t letters_of[APART_ROWS], validity[(APART_ROWS + 7) / 8];
  static const uint32_t group_by[] = {2, 1, 0};
  int64_t sum = 0, some = 0;
  for (uint32_t i = 0; i < APART_ROWS; i++) {
    doubles[i] = (i % 66001 - 33000.0) * 1e300;
    times[i] = (int64_t)(i * 31ul % 65993) * 139000000000001; /* almost up to 2^63 */
    letters_of[i] = (uint8_t)(i % 3);
    validity[i / 8] |= (uint8_t)((i % 5 > 0) << i % 8);
    sum = (int64_t)((uint64_t)sum + (uint64_t)times[i] * (i % 66001));
    some += times[i] > times[0] && times[i] <= 139000000000001 * 1000;
  }
  const rdx_attribute columns[] = {
      {"a", {.type = RDX_TYPE_F64, .rows = APART_ROWS, .values = doubles}, 0},
      {"b", {.type = RDX_TYPE_I64, .rows = APART_ROWS, .values = times}, 0},
      {"c", {.type = RDX_TYPE_U8, .rows = APART_ROWS, .values = letters_of, .validity = validity}, 0}};
  const rdx_relation relation = {.rows = APART_ROWS, .attributes = columns, .attribute_count = 3};
  const int64_t between[] = {1, 139000000000001 * 1000}, nowhere[] = {1, 139000000000000};
  rdx_predicate where = {
      .kind = RDX_PREDICATE_BETWEEN, .column = 1, .values = {.type = RDX_TYPE_I64, .rows = 2, .values = between}};
  for (rdx_star_method method = RDX_STAR_COLUMN_ENGINE; method < RDX_STAR_METHODS; method++) {
    rdx_star *star = NULL;
    rdx_query_result *result = NULL;
    if (method != RDX_STAR_COLUMN_ENGINE && method != RDX_STAR_SORTED_CUBE && (test_is_slow() || !test_traces()))
      continue;
    OK(rdx_star_create(test_device, &relation, &(rdx_star_params){.method = method}, &star, err));
    rdx_query q = {.group_by = group_by, .group_count = 3};
    OK(query_run(star, &q, &result, err));
    assert_int_equal(test_view(result).rows, APART_ROWS);
    const rdx_column *c = &test_view(result).columns[0];
    const int64_t *b = test_view(result).columns[1].values;
    const double *a = test_view(result).columns[2].values;
    int64_t found = 0;
    for (uint64_t i = 0; i < APART_ROWS; i++) {
      const uint64_t place = (uint64_t)(a[i] / 1e300 + 33000.5);
      found = (int64_t)((uint64_t)found + (uint64_t)b[i] * place);
      if (i > 0 && column_has(c, i) == column_has(c, i - 1) && column_compare(c, i, c, i - 1) == 0)
        assert_true(b[i] > b[i - 1] || (b[i] == b[i - 1] && a[i] > a[i - 1]));
    }
    assert_int_equal(found, sum);
    rdx_query_result_destroy(&result);
    q.where = &where;
    OK(query_run(star, &q, &result, err));
    assert_int_equal(test_view(result).rows, some);
    rdx_query_result_destroy(&result);
    where.values.values = nowhere;
    OK(query_run(star, &q, &result, err));
    assert_int_equal(test_view(result).rows, 0);
    where.values.values = between;
    rdx_query_result_destroy(&result);
    rdx_star_destroy(&star);
  }
}

#define RUN_ROWS 400003
static uint32_t run_places[RUN_ROWS];
static int16_t run_values[RUN_ROWS];
static uint8_t run_groups[RUN_ROWS], run_validity[(RUN_ROWS + 7) / 8];

/* The sums of values, how many there are and the least of them, by two groups, of the places of a span. For sums no
 * rows are read where what runs come to is `kept`. */
static void check_runs(rdx_star *star, const uint32_t span[2], bool kept) {
  static const uint32_t group_by[] = {1};
  static const rdx_expression value = {.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = 2};
  const rdx_aggregate aggregates[] = {
      {RDX_AGGREGATE_SUM, &value}, {RDX_AGGREGATE_COUNT, &value}, {RDX_AGGREGATE_MIN, &value}};
  const rdx_predicate where = {
      .kind = RDX_PREDICATE_BETWEEN, .column = 0, .values = {.type = RDX_TYPE_U32, .rows = 2, .values = span}};
  int64_t sums[2] = {0}, min[2] = {INT16_MAX, INT16_MAX};
  uint64_t counts[2] = {0};
  for (uint32_t i = 0; i < RUN_ROWS; i++) {
    if (run_places[i] < span[0] || run_places[i] > span[1] || !(run_validity[i / 8] >> i % 8 & 1))
      continue;
    sums[run_groups[i]] += run_values[i];
    counts[run_groups[i]]++;
    min[run_groups[i]] = run_values[i] < min[run_groups[i]] ? run_values[i] : min[run_groups[i]];
  }
  for (uint32_t aggregate_count = 2; aggregate_count <= 3; aggregate_count++) {
    const rdx_query q = {.where = &where,
                         .group_by = group_by,
                         .group_count = 1,
                         .aggregates = aggregates,
                         .aggregate_count = aggregate_count};
    rdx_query_result *result = NULL;
    rdx_query_stats stats;
    OK(rdx_star_prepare(star, &q, 1, err));
    OK(rdx_star_run(star, &q, &(rdx_query_params){.stats = true}, &result, err));
    rdx_query_result_get_stats(result, &stats);
    if (kept)
      assert_int_equal(stats.rows > 0, aggregate_count == 3);
    assert_int_equal(test_view(result).rows, 2);
    for (uint32_t g = 0; g < 2; g++) {
      assert_int_equal(((const int64_t *)test_view(result).columns[1].values)[g], sums[g]);
      assert_int_equal(((const uint64_t *)test_view(result).columns[2].values)[g], counts[g]);
      if (aggregate_count == 3)
        assert_int_equal(((const int16_t *)test_view(result).columns[3].values)[g], min[g]);
    }
    rdx_query_result_destroy(&result);
  }
}

/* Runs that are few have what they come to kept, by coarse cubes, too, unless blocks cut them: of `block_rows`. 0: by
 * the model, and the other methods, too. */
static void check_many_runs(uint32_t places, bool few, uint32_t block_rows) {
  const rdx_attribute columns[] = {
      {"place", {.type = RDX_TYPE_U32, .rows = RUN_ROWS, .values = run_places}, 0},
      {"group", {.type = RDX_TYPE_U8, .rows = RUN_ROWS, .values = run_groups}, 0},
      {"value", {.type = RDX_TYPE_I16, .rows = RUN_ROWS, .values = run_values, .validity = run_validity}, 0}};
  const rdx_relation relation = {.rows = RUN_ROWS, .attributes = columns, .attribute_count = 3};
  memset(run_validity, 0, sizeof run_validity);
  for (uint32_t i = 0; i < RUN_ROWS; i++) {
    run_places[i] = i < 2 * places ? i / 2 : (uint32_t)(test_random() % places);
    run_values[i] = (int16_t)test_random();
    run_groups[i] = (uint8_t)(i % 2);
    run_validity[i / 8] |= (uint8_t)((i < 2 * places || test_random() % 3 > 0) << i % 8);
  }
  for (rdx_star_method method = block_rows ? RDX_STAR_COARSE_CUBE : RDX_STAR_COLUMN_ENGINE;
       method <= RDX_STAR_COARSE_CUBE; method++) {
    rdx_star *star = NULL;
    const rdx_star_params params = {.method = method, .coarse_cube.block_rows = block_rows};
    const bool coarse = method == RDX_STAR_COARSE_CUBE;
    if (coarse && !test_traces())
      continue;
    OK(rdx_star_create(test_device, &relation, &params, &star, err));
    check_runs(star, (const uint32_t[]){0, places}, coarse && few);
    if (method == RDX_STAR_SORTED_CUBE &&
        few) { /* codes of 3 or 5 bytes, and on the host tuples and two runs of each */
      rdx_star_stats stats;
      rdx_star_get_stats(star, &stats);
      assert_in_range(stats.bytes_cubes, RUN_ROWS * 3 + places * (12 + 2 * 28), RUN_ROWS * 5 + places * 80ul);
      assert_true(stats.bytes_peak >= stats.bytes_cubes);
    }
    for (uint32_t i = 0; i < 8; i++) {
      const uint32_t low = (uint32_t)(test_random() % (places - 100)), rest = places - 100 - low;
      check_runs(star, (const uint32_t[]){low, low + 100 + (uint32_t)(test_random() % rest)}, coarse && few);
    }
    rdx_star_destroy(&star);
  }
}

/* Runs of a dozen rows, so many that threads share them: of all places, and of spans. Then runs of two rows, and such
 * as are long, but not in blocks of one row. */
static void test_many_runs(void **state) {
  (void)state;
  check_many_runs(16384, true, 0);
  check_many_runs(100000, false, 0);
  if (!test_is_slow())
    check_many_runs(1000, false, 1);
}

#define MANY_GROUPS 3000
#define MANY_ROWS 60000
#define MANY_PLACES 1500

static uint8_t many_days[MANY_ROWS], many_validity[MANY_ROWS / 8];
static uint16_t many_places[MANY_ROWS], many_groups[MANY_ROWS];
static int32_t many_values[MANY_ROWS];

/* The groups of a few of many places, on a few days, in the order of their sums. */
static void check_few_groups(const rdx_star *star, const uint16_t places[2], const uint8_t days[2], bool counted) {
  static const uint32_t group_by[] = {2};
  static const rdx_expression value = {.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = 3};
  static const rdx_aggregate aggregates[] = {{RDX_AGGREGATE_SUM, &value}, {RDX_AGGREGATE_COUNT, NULL}};
  static const rdx_order order = {.column = 1, .descending = true, .nulls_first = true};
  int64_t sums[MANY_GROUPS] = {0};
  uint64_t counts[MANY_GROUPS] = {0}, values[MANY_GROUPS] = {0}, groups = 0;
  for (uint32_t i = 0; i < MANY_ROWS; i++) {
    if (many_places[i] < places[0] || many_places[i] > places[1] || many_days[i] < days[0] || many_days[i] > days[1])
      continue;
    const bool has = many_validity[i / 8] >> i % 8 & 1;
    groups += counts[many_groups[i]]++ == 0;
    values[many_groups[i]] += has;
    sums[many_groups[i]] += has ? many_values[i] : 0;
  }
  const rdx_predicate leaves[] = {
      {.kind = RDX_PREDICATE_BETWEEN, .column = 0, .values = {.type = RDX_TYPE_U16, .rows = 2, .values = places}},
      {.kind = RDX_PREDICATE_BETWEEN, .column = 1, .values = {.type = RDX_TYPE_U8, .rows = 2, .values = days}}};
  const rdx_predicate both = {.kind = RDX_PREDICATE_AND, .children = leaves, .child_count = 2};
  const rdx_query q = {.where = &both,
                       .group_by = group_by,
                       .group_count = 1,
                       .aggregates = aggregates,
                       .aggregate_count = counted ? 2 : 1,
                       .order_by = &order,
                       .order_count = 1};
  rdx_query_result *result = NULL;
  OK(rdx_star_run(star, &q, NULL, &result, err));
  assert_int_equal(test_view(result).rows, groups);
  const uint16_t *found = test_view(result).columns[0].values;
  const rdx_column *sum = &test_view(result).columns[1];
  for (uint64_t i = 0; i < groups; i++) {
    const uint16_t group = found[i];
    assert_true(column_has(sum, i) == (values[group] > 0));
    assert_true(!column_has(sum, i) || ((const int64_t *)sum->values)[i] == sums[group]);
    if (counted)
      assert_int_equal(((const uint64_t *)test_view(result).columns[2].values)[i], counts[group]);
    if (i == 0)
      continue;
    const bool before = values[found[i - 1]] > 0,
               same = before && values[group] > 0 && sums[group] == sums[found[i - 1]];
    assert_true(values[group] > 0 ? !before || sums[group] <= sums[found[i - 1]] : !before);
    assert_true((before != (values[group] > 0)) || (before && !same) || group > found[i - 1]);
  }
  rdx_query_result_destroy(&result);
}

/* Groups that each place has some of, with NULLs among the values and without; then one for each place. */
static void test_few_of_many_groups(void **state) {
  (void)state;
  const rdx_attribute columns[] = {
      {"place", {.type = RDX_TYPE_U16, .rows = MANY_ROWS, .values = many_places}, 0},
      {"day", {.type = RDX_TYPE_U8, .rows = MANY_ROWS, .values = many_days}, 0},
      {"group", {.type = RDX_TYPE_U16, .rows = MANY_ROWS, .values = many_groups}, 0},
      {"value", {.type = RDX_TYPE_I32, .rows = MANY_ROWS, .values = many_values, .validity = many_validity}, 0}};
  const rdx_relation relation = {.rows = MANY_ROWS, .attributes = columns, .attribute_count = 4};
  static const uint32_t scan[] = {0, 1}, group_by[] = {2};
  static const rdx_expression value = {.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = 3};
  static const rdx_expression *const expressions[] = {&value};
  const rdx_cube_spec spec = {.scan = scan,
                              .scan_count = 2,
                              .group_by = group_by,
                              .group_count = 1,
                              .expressions = expressions,
                              .expression_count = 1};
  for (uint32_t round = 0; round < 3; round++) {
    for (uint32_t i = 0; i < MANY_ROWS; i++) {
      many_places[i] = (uint16_t)(test_random() % MANY_PLACES);
      many_days[i] = (uint8_t)(test_random() % 7);
      many_groups[i] = (uint16_t)((round == 2 ? many_places[i] * 2ul : test_random()) % MANY_GROUPS);
      many_values[i] = (int32_t)(test_random() % 100) - 50;
      many_validity[i / 8] = round ? (uint8_t)(test_random() | test_random()) : 0xff;
    }
    for (rdx_star_method method = RDX_STAR_COLUMN_ENGINE; method < RDX_STAR_METHODS; method++) {
      rdx_star *star = NULL;
      if (!test_traces() && method >= RDX_STAR_COARSE_CUBE)
        continue;
      OK(rdx_star_create(test_device, &relation, &(rdx_star_params){.method = method}, &star, err));
      if (method != RDX_STAR_COLUMN_ENGINE)
        OK(rdx_star_add_cube(star, &spec, err));
      for (uint16_t place = 0; place < MANY_PLACES; place += 250)
        for (uint8_t more = 0; more < 3; more++)
          check_few_groups(star, (const uint16_t[]){place, place + 30 * more},
                           (const uint8_t[]){place / 250, place / 250 + more}, more % 2 == 0);
      rdx_star_destroy(&star);
    }
  }
}

#define PLACE_ROWS 5003
#define PLACES 7

/* Attributes of few values far apart, near enough for an array of their places and not, with NULLs and without. */
static void test_few_values(void **state) {
  (void)state;
  static uint32_t near[PLACE_ROWS];
  static uint64_t far[PLACE_ROWS];
  static uint8_t validity[(PLACE_ROWS + 7) / 8];
  uint64_t rows[2][PLACES] = {{0}};
  for (uint32_t i = 0; i < PLACE_ROWS; i++) {
    const uint32_t place = (uint32_t)(test_random() % PLACES);
    const bool null = i % 5 == 0;
    near[i] = 70000 + 1000 * place;
    far[i] = UINT64_MAX - 1000000007ull * (PLACES - place);
    validity[i / 8] |= (uint8_t)(!null << i % 8);
    rows[0][place]++;
    rows[1][place] += !null;
  }
  const rdx_attribute few[] = {
      {"near", {.type = RDX_TYPE_U32, .rows = PLACE_ROWS, .values = near}, 0},
      {"near_nulls", {.type = RDX_TYPE_U32, .rows = PLACE_ROWS, .values = near, .validity = validity}, 0},
      {"far", {.type = RDX_TYPE_U64, .rows = PLACE_ROWS, .values = far}, 0},
      {"far_nulls", {.type = RDX_TYPE_U64, .rows = PLACE_ROWS, .values = far, .validity = validity}, 0}};
  const rdx_relation relation = {.rows = PLACE_ROWS, .attributes = few, .attribute_count = 4};
  for (size_t m = 0; m < COUNT(methods); m++) {
    rdx_star *star = NULL;
    OK(rdx_star_create(test_device, &relation, &methods[m], &star, err));
    for (uint32_t a = 0; a < 4; a++) {
      rdx_query_result *result = NULL;
      const rdx_expression one = {.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = a};
      const rdx_aggregate count = {RDX_AGGREGATE_COUNT, &one};
      const rdx_query q = {.group_by = &a, .group_count = 1, .aggregates = &count, .aggregate_count = 1};
      OK(query_run(star, &q, &result, err));
      assert_int_equal(test_view(result).rows, PLACES + a % 2); /* NULLs are a group, the last */
      const rdx_column *keys = &test_view(result).columns[0], *counts = &test_view(result).columns[1];
      for (uint32_t k = 0; k < PLACES; k++) {
        const uint64_t key = a < 2 ? ((const uint32_t *)keys->values)[k] : ((const uint64_t *)keys->values)[k];
        assert_true(key == (a < 2 ? 70000 + 1000 * k : UINT64_MAX - 1000000007ull * (PLACES - k)));
        assert_true(((const uint64_t *)counts->values)[k] == rows[a % 2][k]);
      }
      rdx_query_result_destroy(&result);
    }
    rdx_star_destroy(&star);
  }
}

#define LISTED 1200
#define LISTED_ROWS 6000

/* Lists of many values, of which few are there, of two attributes, one of them with gaps between its values. */
static void test_long_lists(void **state) {
  (void)state;
  static uint32_t values[2][LISTED_ROWS], lists[2][LISTED];
  uint64_t both = 0, either = 0;
  for (uint32_t k = 0; k < LISTED; k++) {
    lists[0][k] = 6 * k;
    lists[1][k] = 75 * k;
  }
  for (uint32_t i = 0; i < LISTED_ROWS; i++) {
    values[0][i] = 4 * (uint32_t)(test_random() % 1500);
    values[1][i] = 50 * (uint32_t)(test_random() % 1300);
    const bool first = values[0][i] % 6 == 0, second = values[1][i] % 75 == 0;
    both += first && second;
    either += first || second;
  }
  const rdx_attribute columns[] = {{"a", {.type = RDX_TYPE_U32, .rows = LISTED_ROWS, .values = values[0]}, 0},
                                   {"b", {.type = RDX_TYPE_U32, .rows = LISTED_ROWS, .values = values[1]}, 0}};
  const rdx_relation relation = {.rows = LISTED_ROWS, .attributes = columns, .attribute_count = 2};
  const rdx_predicate parts[] = {
      {.kind = RDX_PREDICATE_IN, .column = 0, .values = {.type = RDX_TYPE_U32, .rows = LISTED, .values = lists[0]}},
      {.kind = RDX_PREDICATE_IN, .column = 1, .values = {.type = RDX_TYPE_U32, .rows = LISTED, .values = lists[1]}}};
  const rdx_predicate all = {.kind = RDX_PREDICATE_AND, .children = parts, .child_count = 2};
  const rdx_predicate any = {.kind = RDX_PREDICATE_OR, .children = parts, .child_count = 2};
  for (rdx_star_method method = RDX_STAR_COLUMN_ENGINE; method < RDX_STAR_METHODS; method++) {
    rdx_star *star = NULL;
    if (!test_traces() && (method == RDX_STAR_RT_CUBE || method == RDX_STAR_COARSE_CUBE))
      continue;
    OK(rdx_star_create(test_device, &relation, &(rdx_star_params){.method = method}, &star, err));
    assert_int_equal(query_count_rows(star, &all), both);
    assert_int_equal(query_count_rows(star, &any), either);
    rdx_star_destroy(&star);
  }
}

#define NAMES 3000
#define NAME_BYTES 18
#define NAMED_ROWS 9001

/* String keys whose first bytes are all the same: a dimension finds its rows without comparing each with all. */
static void test_long_string_keys(void **state) {
  (void)state;
  static char keys[NAMES * NAME_BYTES + 1], foreign[NAMED_ROWS * NAME_BYTES + 1];
  static uint64_t ends[NAMED_ROWS + 1];
  static uint8_t validity[NAMED_ROWS / 8 + 1];
  static uint32_t numbers[NAMES];
  uint64_t found = 0;
  memset(validity, 0, sizeof validity);
  for (uint32_t i = 0; i < NAMES; i++) {
    numbers[i] = NAMES - 1 - i;
    snprintf(keys + i * NAME_BYTES, NAME_BYTES + 1, "Customer#%09u", numbers[i]);
  }
  for (uint32_t i = 0; i <= NAMED_ROWS; i++)
    ends[i] = i * NAME_BYTES;
  for (uint32_t i = 0; i < NAMED_ROWS; i++) {
    const uint32_t name = (uint32_t)(test_random() % (NAMES + 100)); /* some have no partner, some are NULL */
    snprintf(foreign + i * NAME_BYTES, NAME_BYTES + 1, "Customer#%09u", name);
    validity[i / 8] |= (uint8_t)((i % 7 != 0) << i % 8);
    found += i % 7 != 0 && name < 100;
  }
  const rdx_attribute attribute = {"number", {.type = RDX_TYPE_U32, .rows = NAMES, .values = numbers}, 1};
  const rdx_dimension dimension = {
      {.type = RDX_TYPE_STRING, .rows = NAMED_ROWS, .values = foreign, .offsets = ends, .validity = validity},
      {.type = RDX_TYPE_STRING, .rows = NAMES, .values = keys, .offsets = ends}};
  const rdx_relation relation = {.rows = NAMED_ROWS,
                                 .attributes = &attribute,
                                 .attribute_count = 1,
                                 .dimensions = &dimension,
                                 .dimension_count = 1};
  const uint32_t span[2] = {0, 99};
  const rdx_predicate few = {.kind = RDX_PREDICATE_BETWEEN,
                             .values = {.type = RDX_TYPE_U32, .rows = 2, .values = span}};
  rdx_star *star = NULL;
  OK(rdx_star_create(test_device, &relation, &(rdx_star_params){.method = RDX_STAR_COLUMN_ENGINE}, &star, err));
  assert_int_equal(query_count_rows(star, &few), found);
  rdx_star_destroy(&star);
  memcpy(keys, keys + NAME_BYTES, NAME_BYTES);
  FAILS(RDX_ERROR_ARGUMENT, rdx_star_create(test_device, &relation, NULL, &star, err)); /* twice the same key */
}

/* ---- Threads ---- */

typedef struct job {
  const rdx_star *star;
  const test_query *query;
  uint64_t rows;
  bool good;
} job;

static void *run_job(void *argument) {
  job *j = argument;
  j->good = true;
  for (int i = 0; i < (test_is_slow() ? 4 : 40); i++) {
    rdx_query_result *result = NULL;
    if (rdx_star_run(j->star, &j->query->query, NULL, &result, NULL) != RDX_OK || test_view(result).rows != j->rows)
      j->good = false;
    rdx_query_result_destroy(&result);
  }
  return NULL;
}

#define EITHER_ROWS 20011

/* Conditions that are no conjunctions, over so many tuples that they are looked up, or all looked at: rows by cubes of
 * an attribute without duplicates and one of few values. */
static void test_either(void **state) {
  (void)state;
  static uint32_t a[EITHER_ROWS];
  static uint8_t b[EITHER_ROWS];
  for (uint32_t i = 0; i < EITHER_ROWS; i++) {
    a[i] = (uint32_t)((uint64_t)i * 7919 % EITHER_ROWS);
    b[i] = (uint8_t)(test_random() % 7);
  }
  const rdx_attribute columns[] = {{"a", {.type = RDX_TYPE_U32, .rows = EITHER_ROWS, .values = a}, 0},
                                   {"b", {.type = RDX_TYPE_U8, .rows = EITHER_ROWS, .values = b}, 0}};
  const rdx_relation relation = {.rows = EITHER_ROWS, .attributes = columns, .attribute_count = 2};
  const uint32_t low = (uint32_t)(test_random() % EITHER_ROWS), spans[] = {low, low + 3000, low / 2, low};
  const uint8_t one = (uint8_t)(test_random() % 7), two = (uint8_t)(test_random() % 7);
  const rdx_column first = {.type = RDX_TYPE_U32, .rows = 2, .values = spans},
                   second = {.type = RDX_TYPE_U32, .rows = 2, .values = spans + 2},
                   b_one = {.type = RDX_TYPE_U8, .rows = 1, .values = &one},
                   b_two = {.type = RDX_TYPE_U8, .rows = 1, .values = &two};
  const rdx_predicate leaves[] = {{.kind = RDX_PREDICATE_BETWEEN, .column = 0, .values = first},
                                  {.kind = RDX_PREDICATE_EQ, .column = 1, .values = b_one},
                                  {.kind = RDX_PREDICATE_BETWEEN, .column = 0, .values = second},
                                  {.kind = RDX_PREDICATE_EQ, .column = 1, .values = b_two}};
  const rdx_predicate pairs[] = {{.kind = RDX_PREDICATE_AND, .children = leaves, .child_count = 2},
                                 {.kind = RDX_PREDICATE_AND, .children = leaves + 2, .child_count = 2},
                                 {.kind = RDX_PREDICATE_OR, .children = leaves, .child_count = 2},
                                 {.kind = RDX_PREDICATE_OR, .children = leaves + 2, .child_count = 2}};
  const rdx_predicate conditions[] = {{.kind = RDX_PREDICATE_OR, .children = pairs, .child_count = 2},
                                      {.kind = RDX_PREDICATE_AND, .children = pairs + 2, .child_count = 2},
                                      {.kind = RDX_PREDICATE_NOT, .children = pairs, .child_count = 1},
                                      pairs[2]};
  uint64_t wanted[COUNT(conditions)] = {0};
  for (uint32_t i = 0; i < EITHER_ROWS; i++) {
    const bool x = a[i] >= spans[0] && a[i] <= spans[1], y = b[i] == one, z = a[i] >= spans[2] && a[i] <= spans[3],
               w = b[i] == two, all[] = {(x && y) || (z && w), (x || y) && (z || w), !(x && y), x || y};
    for (size_t k = 0; k < COUNT(all); k++)
      wanted[k] += all[k];
  }
  for (rdx_star_method method = RDX_STAR_COLUMN_ENGINE; method < RDX_STAR_METHODS; method++) {
    rdx_star *star = NULL;
    if (!test_traces() && method >= RDX_STAR_COARSE_CUBE)
      continue;
    OK(rdx_star_create(test_device, &relation, &(rdx_star_params){.method = method}, &star, err));
    for (size_t k = 0; k < COUNT(conditions); k++) {
      const rdx_aggregate count = {RDX_AGGREGATE_COUNT, NULL};
      const rdx_query q = {.where = &conditions[k], .aggregates = &count, .aggregate_count = 1};
      rdx_query_result *result = NULL;
      OK(query_run(star, &q, &result, err));
      assert_int_equal(((const uint64_t *)test_view(result).columns[0].values)[0], wanted[k]);
      rdx_query_result_destroy(&result);
    }
    rdx_star_destroy(&star);
  }
}

static bool stop_second(void *calls, const char *stage, uint64_t done, uint64_t total) {
  assert_string_equal(stage, "build");
  assert_true(done <= total);
  return ++*(uint32_t *)calls == 2;
}

/* Preparing for several queries does it all or nothing. */
static void test_failed_prepare(void **state) {
  (void)state;
  static const uint32_t no_attribute = 77, second = 1;
  const rdx_expression bad_value = {.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = no_attribute};
  const rdx_aggregate good = {RDX_AGGREGATE_SUM, &number}, bad = {RDX_AGGREGATE_SUM, &bad_value};
  const rdx_query queries[] = {{.aggregates = &good, .aggregate_count = 1},
                               {.aggregates = &good, .aggregate_count = 1, .group_by = &second, .group_count = 1},
                               {.aggregates = &bad, .aggregate_count = 1}};
  for (rdx_star_method method = RDX_STAR_SORTED_CUBE; method < RDX_STAR_METHODS; method++) {
    rdx_star *star = NULL;
    rdx_star_stats stats;
    uint32_t calls = 0;
    if (!test_traces() && method != RDX_STAR_SORTED_CUBE)
      continue;
    OK(rdx_star_create(test_device, &flat, &(rdx_star_params){.method = method}, &star, err));
    rdx_error text;
    assert_int_equal(rdx_star_prepare(star, queries, 3, &text), RDX_ERROR_ARGUMENT);
    assert_non_null(strstr(text.text, "query 3 of 3"));
    rdx_set_progress(stop_second, &calls);
    FAILS(RDX_ERROR_CANCELLED, rdx_star_prepare(star, queries, 2, err));
    rdx_set_progress(NULL, NULL);
    rdx_star_get_stats(star, &stats);
    assert_int_equal(stats.cubes, 0);
    assert_int_equal(stats.bytes_cubes, 0);
    OK(rdx_star_prepare(star, queries, 2, err));
    rdx_star_get_stats(star, &stats);
    assert_int_equal(stats.cubes, 2);
    rdx_star_destroy(&star);
  }
}

/* Queries of one star at the same time. */
static void test_threads(void **state) {
  (void)state;
  static test_query queries[4];
  rdx_star *stars[COUNT(methods)];
  star_data s;
  star_make(&s, 3000, 6, 2, true);
  create_all(&s, stars);
  for (size_t m = 0; m < COUNT(methods); m++) {
    pthread_t threads[COUNT(queries)];
    job jobs[COUNT(queries)];
    for (size_t i = 0; i < COUNT(queries); i++) {
      rdx_query_result *result = NULL;
      while (!result) { /* one that can be answered */
        query_free(&queries[i]);
        query_make(&s, &queries[i]);
        if (query_run(stars[m], &queries[i].query, &result, NULL) != RDX_OK)
          assert_null(result);
      }
      jobs[i] = (job){stars[m], &queries[i], test_view(result).rows, false};
      rdx_query_result_destroy(&result);
    }
    for (size_t i = 0; i < COUNT(queries); i++)
      assert_int_equal(pthread_create(&threads[i], NULL, run_job, &jobs[i]), 0);
    for (size_t i = 0; i < COUNT(queries); i++) {
      pthread_join(threads[i], NULL);
      assert_true(jobs[i].good);
    }
  }
  for (size_t i = 0; i < COUNT(queries); i++)
    query_free(&queries[i]);
  destroy_all(stars);
  star_free(&s);
}

#define AUTO_ROWS 200003
#define AUTO_COLUMNS 10 /* more than a cube has attributes to scan */

/* What answered a query, whose only value is `wanted`. */
static rdx_star_method answered_by(const rdx_star *star, const rdx_query *q, uint64_t wanted) {
  rdx_query_result *result = NULL;
  rdx_query_stats stats;
  OK(rdx_star_run(star, q, NULL, &result, err));
  assert_int_equal(((const uint64_t *)test_view(result).columns[0].values)[0], wanted);
  rdx_query_result_get_stats(result, &stats);
  rdx_query_result_destroy(&result);
  return stats.method;
}

/* By default what is prepared is answered by a cube, unless there can be none, or looking at rows is cheaper. */
static void test_auto(void **state) {
  (void)state;
  static uint32_t values[2][AUTO_ROWS];
  rdx_attribute columns[AUTO_COLUMNS];
  rdx_predicate parts[AUTO_COLUMNS];
  const uint32_t bounds[2][2] = {{3, 5}, {AUTO_ROWS / 2, AUTO_ROWS}}, max[] = {1, 97}, odd[] = {1, 3, 5, 7, 9, 11};
  uint64_t counts[3] = {0};
  for (uint32_t i = 0; i < AUTO_ROWS; i++) {
    values[0][i] = (uint32_t)(test_random() % 100);
    values[1][i] = (uint32_t)(i * 7919ull % AUTO_ROWS);
    const bool few = 3 <= values[0][i] && values[0][i] <= 5;
    counts[0] += few;
    counts[1] += few && values[1][i] >= bounds[1][0];
    counts[2] += 1 <= values[0][i] && values[0][i] <= 97;
  }
  for (uint32_t a = 0; a < AUTO_COLUMNS; a++) {
    columns[a] = (rdx_attribute){"a", {.type = RDX_TYPE_U32, .rows = AUTO_ROWS, .values = values[a == 1]}, 0};
    parts[a] = (rdx_predicate){.kind = RDX_PREDICATE_BETWEEN,
                               .column = a,
                               .values = {.type = RDX_TYPE_U32, .rows = 2, .values = bounds[a == 1]}};
  }
  const rdx_predicate all = {.kind = RDX_PREDICATE_AND, .children = parts, .child_count = AUTO_COLUMNS},
                      in = {.kind = RDX_PREDICATE_IN,
                            .column = 1,
                            .values = {.type = RDX_TYPE_U32, .rows = COUNT(odd), .values = odd}};
  const rdx_relation relation = {.rows = AUTO_ROWS, .attributes = columns, .attribute_count = AUTO_COLUMNS};
  const rdx_aggregate count = {0};
  const rdx_query few = {.where = &parts[0], .aggregates = &count, .aggregate_count = 1},
                  many = {.where = &all, .aggregates = &count, .aggregate_count = 1},
                  listed = {.where = &in, .aggregates = &count, .aggregate_count = 1};
  rdx_star *star = NULL;
  rdx_star_stats stats;
  OK(rdx_star_create(test_device, &relation, NULL, &star, err));
  assert_int_equal(answered_by(star, &few, counts[0]), RDX_STAR_COLUMN_ENGINE);
  rdx_error why = {""};
  assert_int_equal(rdx_star_prepare(star, (const rdx_query[]){few, many}, 2, &why), RDX_OK);
  assert_string_equal(why.text, "");
  rdx_star_get_stats(star, &stats);
  assert_int_equal(stats.method, RDX_STAR_AUTO);
  assert_int_equal(stats.cubes, 1);
  assert_int_equal(answered_by(star, &few, counts[0]), RDX_STAR_SORTED_CUBE);
  assert_int_equal(answered_by(star, &many, counts[1]), RDX_STAR_COLUMN_ENGINE);
  assert_int_equal(answered_by(star, &listed, COUNT(odd)), RDX_STAR_COLUMN_ENGINE); /* no cube has attribute 1 */
  /* A cube for one attribute, and one where another takes a range of rows for nearly each value of the first. */
  const uint32_t scanned[] = {1, 2};
  parts[2].values.values = max;
  const rdx_query third = {.where = &parts[2], .aggregates = &count, .aggregate_count = 1};
  OK(rdx_star_add_cube(star, &(rdx_cube_spec){.scan = scanned, .scan_count = 2}, err));
  assert_int_equal(answered_by(star, &listed, COUNT(odd)), RDX_STAR_SORTED_CUBE);
  assert_int_equal(answered_by(star, &third, counts[2]), RDX_STAR_COLUMN_ENGINE);
  rdx_star_destroy(&star);
}

int main(void) {
  list_methods();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_stars),
      cmocka_unit_test(test_wide_cubes),
      cmocka_unit_test(test_large),
      cmocka_unit_test(test_sums),
      cmocka_unit_test(test_failed_prepare),
      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_many_groups),
      cmocka_unit_test(test_few_values),
      cmocka_unit_test(test_spread_floats),
      cmocka_unit_test(test_groups_apart),
      cmocka_unit_test(test_many_runs),
      cmocka_unit_test(test_few_of_many_groups),
      cmocka_unit_test(test_long_string_keys),
      cmocka_unit_test(test_long_lists),
      cmocka_unit_test(test_either),
      cmocka_unit_test(test_auto),
  };
  return TEST_MAIN(tests);
}
