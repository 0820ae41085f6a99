/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The column engine: terms that leave few rows, dimensions of all sizes, codes of all widths. */

#include "queries.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define SELECTIVE_ROWS 70001
#define PARTNERS 3001
#define SELECTIVE_GROUPS 7

typedef struct leaf {
  uint32_t attribute;
  rdx_predicate_kind kind; /* IN or BETWEEN */
  uint32_t count, values[4];
} leaf;

static bool leaf_holds(const leaf *l, uint32_t value) {
  bool found = l->kind == RDX_PREDICATE_BETWEEN && l->values[0] <= value && value <= l->values[1];
  for (uint32_t i = 0; i < l->count && l->kind == RDX_PREDICATE_IN; i++)
    found |= l->values[i] == value;
  return found;
}

/* Run a conjunction of two leaves, grouped, and compare with looking at every row. `values`: of each attribute in each
 * row, of which the last but one is the group and the last one is summed; a row whose group is SELECTIVE_GROUPS has no
 * partner. Returns how many groups there are. */
static uint64_t check_leaves(rdx_star *star, const leaf leaves[2], uint32_t *const values[6], uint32_t count) {
  uint64_t rows[SELECTIVE_GROUPS] = {0};
  int64_t sums[SELECTIVE_GROUPS] = {0};
  uint64_t groups = 0;
  for (uint32_t i = 0; i < count; i++)
    if (values[4][i] < SELECTIVE_GROUPS && leaf_holds(&leaves[0], values[leaves[0].attribute][i]) &&
        leaf_holds(&leaves[1], values[leaves[1].attribute][i])) {
      groups += rows[values[4][i]]++ == 0;
      sums[values[4][i]] += values[5][i];
    }
  rdx_predicate parts[2];
  for (uint32_t k = 0; k < 2; k++)
    parts[k] = (rdx_predicate){.kind = leaves[k].kind,
                               .column = leaves[k].attribute,
                               .values = {.type = RDX_TYPE_U32, .rows = leaves[k].count, .values = leaves[k].values}};
  const rdx_predicate both = {.kind = RDX_PREDICATE_AND, .children = parts, .child_count = 2};
  const rdx_expression summed = {.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = 5};
  const rdx_aggregate aggregates[] = {{RDX_AGGREGATE_SUM, &summed}, {RDX_AGGREGATE_COUNT, &summed}};
  const uint32_t group = 4;
  const rdx_query q = {
      .where = &both, .group_by = &group, .group_count = 1, .aggregates = aggregates, .aggregate_count = 2};
  rdx_query_result *result = NULL;
  OK(query_run(star, &q, &result, err));
  assert_int_equal(test_view(result).rows, groups);
  const uint32_t *keys = test_view(result).columns[0].values;
  for (uint64_t i = 0; i < groups; i++) {
    assert_true(((const int64_t *)test_view(result).columns[1].values)[i] == sums[keys[i]]);
    assert_true(((const uint64_t *)test_view(result).columns[2].values)[i] == rows[keys[i]]);
  }
  rdx_query_result_destroy(&result);
  return groups;
}

/* Terms that leave few rows, after which others are looked at row by row: by spans and sets of codes of 1, 2 and 4
 * bytes, near and far apart, and by a dimension; more tiles than an emulated device has workers; each query twice. */
static void test_selective(void **state) {
  (void)state;
  static uint32_t values[6][SELECTIVE_ROWS], foreign[SELECTIVE_ROWS], keys[PARTNERS], far[PARTNERS];
  static const uint32_t spans[] = {200, 1000, 1u << 20, 100, SELECTIVE_GROUPS, 1000};
  uint32_t *columns[6];
  for (uint32_t k = 0; k < PARTNERS; k++) {
    keys[k] = k;
    far[k] = k % spans[3];
  }
  for (uint32_t i = 0; i < SELECTIVE_ROWS; i++) {
    for (uint32_t a = 0; a < 6; a++)
      values[a][i] = (uint32_t)(test_random() % spans[a]);
    foreign[i] = (uint32_t)(test_random() % PARTNERS);
    values[3][i] = far[foreign[i]];
  }
#define FACT(name, k)                                                                                                  \
  { name, {.type = RDX_TYPE_U32, .rows = SELECTIVE_ROWS, .values = values[k]}, 0 }
  const rdx_attribute all[] = {FACT("byte", 0),  FACT("short", 1),
                               FACT("word", 2),  {"far", {.type = RDX_TYPE_U32, .rows = PARTNERS, .values = far}, 1},
                               FACT("group", 4), FACT("summed", 5)};
#undef FACT
  const rdx_dimension partners = {{.type = RDX_TYPE_U32, .rows = SELECTIVE_ROWS, .values = foreign},
                                  {.type = RDX_TYPE_U32, .rows = PARTNERS, .values = keys}};
  const rdx_relation relation = {
      .rows = SELECTIVE_ROWS, .attributes = all, .attribute_count = 6, .dimensions = &partners, .dimension_count = 1};
  const rdx_predicate_kind in = RDX_PREDICATE_IN, between = RDX_PREDICATE_BETWEEN;
  const leaf some_words = {2, in, 4, {values[2][0], values[2][9], values[2][5000], values[2][SELECTIVE_ROWS - 1]}};
  const leaf cases[][2] = {{{0, in, 1, {7}}, {1, between, 2, {100, 800}}},
                           {{0, in, 3, {7, 9, 12}}, {1, between, 2, {0, 899}}},
                           {{0, in, 3, {7, 9, 190}}, {1, between, 2, {3, 499}}},
                           {{1, in, 4, {5, 7, 9, 11}}, {0, between, 2, {50, 255}}},
                           {some_words, {0, between, 2, {0, 198}}},
                           {some_words, {3, between, 2, {0, 98}}},
                           {{2, between, 2, {5000, 19000}}, {0, in, 2, {1, 90}}},
                           {{0, in, 1, {7}}, {3, in, 2, {5, 70}}},
                           {{0, in, 3, {7, 9, values[0][1]}}, {1, in, 4, {5, 200, 600, values[1][1]}}},
                           {{1, in, 3, {5, values[1][2], 20}}, {0, in, 4, {5, 70, 100, values[0][2]}}},
                           {some_words, {1, in, 2, {values[1][0], values[1][5000]}}},
                           {{0, between, 2, {0, 120}}, {3, in, 2, {5, 70}}},
                           {{1, between, 2, {10, 12}}, {3, between, 2, {0, 49}}}};
  rdx_star *star = NULL;
  for (uint32_t a = 0; a < 6; a++)
    columns[a] = values[a];
  OK(rdx_star_create(test_device, &relation, &(rdx_star_params){.method = RDX_STAR_COLUMN_ENGINE}, &star, err));
  for (size_t i = 0; i < 2 * COUNT(cases); i++)
    assert_true(check_leaves(star, cases[i / 2], columns, SELECTIVE_ROWS) > 0);
  rdx_star_destroy(&star);
}

#define SIZED_ROWS 9001
#define LARGEST_SIZE 65536

/* A dimension of `size` rows, beside one of 7: spans and sets of its rows, from all of them to one, and the same of an
 * attribute of the fact table. With `missing` some rows have no partner. */
static void check_size(uint32_t size, bool missing) {
  static uint32_t values[6][SIZED_ROWS], foreign[2][SIZED_ROWS], keys[LARGEST_SIZE], own[LARGEST_SIZE],
      groups[LARGEST_SIZE];
  uint32_t *columns[6];
  for (uint32_t k = 0; k < size || k < 7; k++) {
    keys[k] = k;
    own[k] = size - 1 - k;
    groups[k] = k % SELECTIVE_GROUPS;
  }
  for (uint32_t i = 0; i < SIZED_ROWS; i++) {
    foreign[0][i] = (uint32_t)(test_random() % (size + missing));
    foreign[1][i] = (uint32_t)(test_random() % 7);
    values[0][i] = size - 1 - foreign[0][i];
    values[1][i] = i < size ? i : (uint32_t)(test_random() % size);
    values[2][i] = foreign[1][i];
    values[3][i] = i % 3;
    values[4][i] = foreign[0][i] < size ? foreign[0][i] % SELECTIVE_GROUPS : SELECTIVE_GROUPS;
    values[5][i] = i;
  }
  for (uint32_t a = 0; a < 6; a++)
    columns[a] = values[a];
#define COLUMN(n, array)                                                                                               \
  { .type = RDX_TYPE_U32, .rows = n, .values = array }
  const rdx_attribute all[] = {{"own", COLUMN(size, own), 1},      {"fact", COLUMN(SIZED_ROWS, values[1]), 0},
                               {"seven", COLUMN(7, keys), 2},      {"third", COLUMN(SIZED_ROWS, values[3]), 0},
                               {"group", COLUMN(size, groups), 1}, {"summed", COLUMN(SIZED_ROWS, values[5]), 0}};
  const rdx_dimension dimensions[] = {{COLUMN(SIZED_ROWS, foreign[0]), COLUMN(size, keys)},
                                      {COLUMN(SIZED_ROWS, foreign[1]), COLUMN(7, keys)}};
#undef COLUMN
  const rdx_relation relation = {
      .rows = SIZED_ROWS, .attributes = all, .attribute_count = 6, .dimensions = dimensions, .dimension_count = 2};
  const rdx_predicate_kind in = RDX_PREDICATE_IN, between = RDX_PREDICATE_BETWEEN;
  const uint32_t last = size - 1, middle = size / 2;
  const leaf leaves[] = {{0, between, 2, {0, last}},    {0, between, 2, {middle, last}},
                         {0, between, 2, {last, last}}, {0, between, 2, {middle, middle + size / 50}},
                         {0, in, 4, {0, 1, 3, last}},   {0, in, 4, {middle, middle + 2, middle + 63, middle + 65}},
                         {1, in, 4, {0, 1, 3, last}},   {1, in, 4, {middle, middle + 2, middle + 63, middle + 65}},
                         {2, between, 2, {2, 3}},       {2, in, 2, {1, 5}}};
  rdx_star *star = NULL;
  OK(rdx_star_create(test_device, &relation, &(rdx_star_params){.method = RDX_STAR_COLUMN_ENGINE}, &star, err));
  for (size_t i = 0; i < COUNT(leaves); i++)
    for (size_t k = 0; k <= i; k++)
      check_leaves(star, (leaf[]){leaves[i], leaves[k]}, columns, SIZED_ROWS);
  rdx_star_destroy(&star);
}

/* Sizes next to those at which codes get wider, and bits of rows are looked up in another way. */
static void test_dimension_sizes(void **state) {
  (void)state;
  static const uint32_t sizes[] = {1, 2, 64, 255, 256, 511, 512, 513, 4094, 4095, 4096, 4097, 65535, 65536};
  for (size_t i = 0; i < COUNT(sizes); i++)
    for (int missing = 0; missing < 2; missing++)
      check_size(sizes[i], missing);
}

#define WIDTHS 12

/* Count the rows of a span of an attribute, less a gap in it where that has values; also where the last attribute,
 * whose values come in runs, is 1. */
static void check_span(rdx_star *star, uint32_t (*values)[SELECTIVE_ROWS], uint32_t attribute, const uint32_t span[2],
                       const uint32_t gap[2]) {
  const uint32_t one = 1;
  uint64_t all = 0, in_runs = 0;
  for (uint32_t i = 0; i < SELECTIVE_ROWS; i++) {
    const uint32_t x = values[attribute][i];
    const bool inside = span[0] <= x && x <= span[1] && !(gap[0] <= x && x <= gap[1]);
    all += inside;
    in_runs += inside && values[WIDTHS][i] == 1;
  }
#define BETWEEN(ends)                                                                                                  \
  {                                                                                                                    \
    .kind = RDX_PREDICATE_BETWEEN, .column = attribute, .values = {.type = RDX_TYPE_U32, .rows = 2, .values = ends }   \
  }
  const rdx_predicate inner = BETWEEN(gap);
  const rdx_predicate parts[] = {
      BETWEEN(span),
      {.kind = RDX_PREDICATE_NOT, .children = &inner, .child_count = 1},
      {.kind = RDX_PREDICATE_EQ, .column = WIDTHS, .values = {.type = RDX_TYPE_U32, .rows = 1, .values = &one}}};
#undef BETWEEN
  assert_int_equal(
      query_count_rows(star, &(rdx_predicate){.kind = RDX_PREDICATE_AND, .children = parts, .child_count = 2}), all);
  assert_int_equal(
      query_count_rows(star, &(rdx_predicate){.kind = RDX_PREDICATE_AND, .children = parts, .child_count = 3}),
      in_runs);
}

/* Spans of codes that just fit a number of bits, or just do not: at both ends, in the middle, next to the highest bit;
 * each whole, but for its ends, and without one or a few values in it. */
static void test_code_widths(void **state) {
  (void)state;
  static const uint32_t codes[WIDTHS] = {127, 128, 129, 255, 256, 257, 32767, 32768, 32769, 65535, 65536, 65537};
  static uint32_t values[WIDTHS + 1][SELECTIVE_ROWS];
  rdx_attribute columns[WIDTHS + 1];
  for (uint32_t a = 0; a <= WIDTHS; a++) {
    for (uint32_t i = 0; i < SELECTIVE_ROWS; i++)
      values[a][i] = a == WIDTHS        ? i / 1000 % 3
                     : i < codes[a]     ? i /* each next to the one before it */
                     : i < 2 * codes[a] ? 2 * codes[a] - 1 - i
                                        : (uint32_t)(test_random() % codes[a]);
    columns[a] = (rdx_attribute){"codes", {.type = RDX_TYPE_U32, .rows = SELECTIVE_ROWS, .values = values[a]}, 0};
  }
  columns[WIDTHS].name = "runs";
  const rdx_relation relation = {.rows = SELECTIVE_ROWS, .attributes = columns, .attribute_count = WIDTHS + 1};
  rdx_star *star = NULL;
  OK(rdx_star_create(test_device, &relation, &(rdx_star_params){.method = RDX_STAR_COLUMN_ENGINE}, &star, err));
  for (uint32_t a = 0; a < WIDTHS; a++) {
    const uint32_t last = codes[a] - 1, top = codes[a] > 20000 ? 1u << 15 : 1u << 7;
    const uint32_t spans[][2] = {
        {0, 0},   {0, last - 1},        {1, last},          {last, last},    {0, last},
        {0, top}, {last / 3, last / 2}, {top - 2, top + 1}, {top - 1, last}, {top / 2, top + top / 3}};
    for (size_t k = 0; k < COUNT(spans); k++) {
      const uint32_t low = spans[k][0], high = spans[k][1], third = (high - low) / 3;
      check_span(star, values, a, spans[k], (const uint32_t[]){1, 0});
      check_span(star, values, a, spans[k], (const uint32_t[]){low + 1, high - 1 + (high == 0)});
      check_span(star, values, a, spans[k], (const uint32_t[]){low + 1, low + 1});
      check_span(star, values, a, spans[k], (const uint32_t[]){low + third, high - third});
    }
  }
  rdx_star_destroy(&star);
}

/* Values that take all of 64 bits but for one code, which then has to stand for NULL. */
static void test_widest_nulls(void **state) {
  (void)state;
  static int64_t values[SELECTIVE_ROWS];
  static uint8_t validity[SELECTIVE_ROWS / 8 + 1];
  uint64_t present = 0;
  memset(validity, 0, sizeof validity);
  for (uint32_t i = 0; i < SELECTIVE_ROWS; i++) {
    values[i] = i == 1 ? INT64_MIN : i == 2 ? INT64_MAX - 1 : (int64_t)(test_random() >> 1) - INT64_MAX / 2;
    validity[i / 8] |= (uint8_t)((i % 5 != 0) << i % 8);
    present += i % 5 != 0;
  }
  const rdx_attribute attribute = {
      "wide", {.type = RDX_TYPE_I64, .rows = SELECTIVE_ROWS, .values = values, .validity = validity}, 0};
  const rdx_relation relation = {.rows = SELECTIVE_ROWS, .attributes = &attribute, .attribute_count = 1};
  const rdx_expression wide = {.kind = RDX_EXPRESSION_ATTRIBUTE};
  const rdx_aggregate aggregate = {RDX_AGGREGATE_COUNT, &wide};
  const rdx_query q = {.aggregates = &aggregate, .aggregate_count = 1};
  rdx_star *star = NULL;
  rdx_query_result *result = NULL;
  OK(rdx_star_create(test_device, &relation, &(rdx_star_params){.method = RDX_STAR_COLUMN_ENGINE}, &star, err));
  OK(query_run(star, &q, &result, err));
  assert_int_equal(((const uint64_t *)test_view(result).columns[0].values)[0], present);
  rdx_query_result_destroy(&result);
  rdx_star_destroy(&star);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_selective), cmocka_unit_test(test_dimension_sizes),
                                     cmocka_unit_test(test_code_widths), cmocka_unit_test(test_widest_nulls)};
  return TEST_MAIN(tests);
}
