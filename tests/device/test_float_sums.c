/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Sums and averages of floats by star methods: exact, whatever the order of rows. Random ones: test_star_queries. */

#include "wide_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ROWS 70001 /* more than there are places of few values */
#define GROUPS 7

static double values[ROWS];
static float narrow[ROWS];
static uint8_t groups[ROWS];

static const rdx_expression first = {.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = 0};
static const rdx_expression second = {.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = 1};
static const uint32_t by_group[] = {2};
static const rdx_aggregate aggregates[] = {{RDX_AGGREGATE_SUM, &first},
                                           {RDX_AGGREGATE_AVG, &first},
                                           {RDX_AGGREGATE_SUM, &second},
                                           {RDX_AGGREGATE_MIN, &first}};

/* A flat table of the first rows. */
static rdx_relation relation_of(rdx_attribute attributes[3], uint64_t rows) {
  attributes[0] = (rdx_attribute){"value", {.type = RDX_TYPE_F64, .rows = rows, .values = values}, 0};
  attributes[1] = (rdx_attribute){"narrow", {.type = RDX_TYPE_F32, .rows = rows, .values = narrow}, 0};
  attributes[2] = (rdx_attribute){"group", {.type = RDX_TYPE_U8, .rows = rows, .values = groups}, 0};
  return (rdx_relation){.rows = rows, .attributes = attributes, .attribute_count = 3};
}

static rdx_status run(rdx_star_method method, uint64_t rows, const rdx_query *q, rdx_query_result **out,
                      rdx_error *why) {
  rdx_attribute attributes[3];
  const rdx_relation relation = relation_of(attributes, rows);
  rdx_star *star = NULL;
  OK(rdx_star_create(test_device, &relation, &(rdx_star_params){.method = method}, &star, err));
  rdx_status status = rdx_star_prepare(star, q, 1, why);
  if (status == RDX_OK)
    status = rdx_star_run(star, q, NULL, out, why);
  rdx_star_destroy(&star);
  return status;
}

static bool is_left_out(rdx_star_method method) {
  return !test_traces() && (method == RDX_STAR_COARSE_CUBE || method == RDX_STAR_RT_CUBE);
}

static double float_at(const rdx_query_result *result, uint32_t column, uint64_t row) {
  assert_int_equal(test_view(result).columns[column].type, RDX_TYPE_F64);
  return ((const double *)test_view(result).columns[column].values)[row];
}

/* Each value is a whole number of 2^-40, or of 2^-11, so that numbers of 128 bits add them up: more distinct values
 * than there are places, and few. */
static void check_units(uint64_t distinct) {
  i128 sums[GROUPS] = {0}, narrow_sums[GROUPS] = {0};
  uint64_t counts[GROUPS] = {0};
  for (uint64_t i = 0; i < ROWS; i++) {
    const int64_t units = (int64_t)(((i % distinct) * 2654435761u) << 21 ^ (i % distinct)) >> i % 3;
    const int64_t small = (int64_t)((i % distinct) * 40503 % (1 << 24)) - (1 << 23);
    groups[i] = (uint8_t)(test_random() % GROUPS);
    values[i] = ldexp((double)(units % (1ll << 53)), -40);
    narrow[i] = (float)ldexp((double)small, -11);
    sums[groups[i]] += units % (1ll << 53);
    narrow_sums[groups[i]] += small;
    counts[groups[i]]++;
  }
  const rdx_query q = {
      .group_by = by_group, .group_count = 1, .aggregates = aggregates, .aggregate_count = COUNT(aggregates)};
  for (rdx_star_method method = RDX_STAR_COLUMN_ENGINE; method < RDX_STAR_METHODS; method++) {
    rdx_query_result *result = NULL;
    if (is_left_out(method))
      continue;
    OK(run(method, ROWS, &q, &result, err));
    assert_int_equal(test_view(result).rows, GROUPS);
    for (uint32_t g = 0; g < GROUPS; g++) {
      __extension__ typedef __float128 f128;
      assert_true(float_at(result, 1, g) == ldexp((double)sums[g], -40));
      assert_true(float_at(result, 2, g) == ldexp((double)((f128)sums[g] / counts[g]), -40));
      assert_true(float_at(result, 3, g) == ldexp((double)narrow_sums[g], -11));
    }
    rdx_query_result_destroy(&result);
  }
}

static void test_units(void **state) {
  (void)state;
  check_units(ROWS);
  check_units(1000);
}

typedef struct few {
  uint32_t count;
  double values[6], sum, average;
} few;

/* What is lost when floats are added one after another; the smallest and the largest; what is not finite. */
static void test_few(void **state) {
  (void)state;
  static const few cases[] = {
      {3, {1e16, 1, -1e16}, 1, 1 / 3.},
      {6, {1e30, 1, 1e-20, -1e30, 1e-20, -1}, 2e-20, 2e-20 / 6},
      {3, {0.1, 0.2, 0.3}, 0.6, 0.2},
      {4, {4.9406564584124654e-324, 4.9406564584124654e-324, 0, 1e-310}, 1e-310 + 9.881312916824931e-324, 2.5e-311},
      {2, {1.7976931348623157e308, -1.7976931348623157e308}, 0, 0},
      {1, {-0.0}, 0, 0},
      {2, {INFINITY, 1}, INFINITY, INFINITY},
      {2, {-INFINITY, 1e300}, -INFINITY, -INFINITY},
      {3, {INFINITY, 0, -INFINITY}, NAN, NAN},
      {2, {NAN, 5}, NAN, NAN},
      {4, {INFINITY, INFINITY, INFINITY, INFINITY}, INFINITY, INFINITY}};
  const rdx_query q = {.aggregates = aggregates, .aggregate_count = 2};
  for (size_t c = 0; c < COUNT(cases); c++) {
    memcpy(values, cases[c].values, sizeof cases[c].values);
    for (rdx_star_method method = RDX_STAR_COLUMN_ENGINE; method < RDX_STAR_METHODS; method++) {
      rdx_query_result *result = NULL;
      if (is_left_out(method))
        continue;
      OK(run(method, cases[c].count, &q, &result, err));
      const double sum = float_at(result, 0, 0), average = float_at(result, 1, 0);
      assert_true(sum == cases[c].sum || (isnan(sum) && isnan(cases[c].sum)));
      assert_true(average == cases[c].average || (isnan(average) && isnan(cases[c].average)));
      rdx_query_result_destroy(&result);
    }
  }
}

/* A sum that passes the largest float, which its average does not. */
static void test_overflow(void **state) {
  (void)state;
  values[0] = values[1] = 1.7976931348623157e308;
  const rdx_query sum = {.aggregates = aggregates, .aggregate_count = 1},
                  average = {.aggregates = aggregates + 1, .aggregate_count = 1};
  for (rdx_star_method method = RDX_STAR_COLUMN_ENGINE; method < RDX_STAR_METHODS; method++) {
    rdx_query_result *result = NULL;
    if (is_left_out(method))
      continue;
    FAILS(RDX_ERROR_OVERFLOW, run(method, 2, &sum, &result, err));
    OK(run(method, 2, &average, &result, err));
    assert_true(float_at(result, 0, 0) == values[0]);
    rdx_query_result_destroy(&result);
  }
}

/* Values as far apart as there are any: their sums are exact, too; and of those that qualify nothing is lost for those
 * that do not. */
static void test_far_apart(void **state) {
  (void)state;
  static const struct {
    uint32_t count;
    double values[6], below, sum;
  } cases[] = {
      {2, {0.1, 1e300}, 1, 0.1},
      {3, {0.1, 1e300, 0.2}, 1, 0.1 + 0.2},
      {2, {1e300, 1e-300}, INFINITY, 1e300},
      {4,
       {1.7976931348623157e308, 4.9406564584124654e-324, -1.7976931348623157e308, 1e-300},
       2,
       -1.7976931348623157e308},
      {4,
       {1.7976931348623157e308, 4.9406564584124654e-324, -1.7976931348623157e308, 0},
       INFINITY,
       4.9406564584124654e-324},
      {5, {0x1p1023, 0x1p1000, 0x1p-1000, -0x1p1000, -0x1p1023}, INFINITY, 0x1p-1000},
      {4, {1.5, INFINITY, 1e308, NAN}, 2, 1.5},
      {3, {-INFINITY, 3, 1e-200}, 4, -INFINITY},
      {3, {0x1p-1074, 0x1p-600, 0x1p-1022}, 0x1p-700, 0x1.0000000000001p-1022},
      {3, {5, 1e308, 1e308}, 6, 5},
      {2, {7, 8}, 0, NAN /* no row */},
  };
  rdx_predicate where = {.kind = RDX_PREDICATE_LT, .values = {.type = RDX_TYPE_F64, .rows = 1}};
  const rdx_query q = {.where = &where, .aggregates = aggregates, .aggregate_count = 1};
  for (size_t c = 0; c < COUNT(cases); c++) {
    memcpy(values, cases[c].values, sizeof cases[c].values);
    where.values.values = &cases[c].below;
    for (rdx_star_method method = RDX_STAR_AUTO; method < RDX_STAR_METHODS; method++) {
      rdx_query_result *result = NULL;
      if (is_left_out(method))
        continue;
      OK(run(method, cases[c].count, &q, &result, err));
      if (isnan(cases[c].sum))
        assert_false(test_view(result).columns[0].validity[0] & 1);
      else
        assert_true(float_at(result, 0, 0) == cases[c].sum);
      rdx_query_result_destroy(&result);
    }
  }
}

/* Values of all exponents, so that there are as many digits as there can be: more numbers of a row than stars take at
 * a time, which then run in parts, with many groups and few. */
static void check_exponents(uint64_t rows, uint32_t group_count, bool grouped) {
  static wide_sum sums[GROUPS], narrow_sums[GROUPS];
  uint64_t counts[GROUPS] = {0};
  memset(sums, 0, sizeof sums);
  memset(narrow_sums, 0, sizeof narrow_sums);
  for (uint64_t i = 0; i < rows; i++) {
    const uint64_t exponent = i < 2046 ? i : test_random() % 2046, bits = test_random() >> 12 | exponent << 52;
    memcpy(&values[i], &bits, sizeof bits);
    values[i] = test_random() % 2 ? values[i] / 8 : -values[i] / 8; /* so that no sum is too large */
    narrow[i] = (float)ldexp((double)(test_random() % 1000) - 500, (int)(test_random() % 230) - 120);
    groups[i] = (uint8_t)(test_random() % group_count);
    const uint32_t g = grouped ? groups[i] : 0;
    sums[g].exponent = narrow_sums[g].exponent = -1074;
    wide_sum_add_float(&sums[g], values[i]);
    wide_sum_add_float(&narrow_sums[g], (double)narrow[i]);
    counts[g]++;
  }
  const rdx_query q = {
      .group_by = by_group, .group_count = grouped, .aggregates = aggregates, .aggregate_count = COUNT(aggregates)};
  for (rdx_star_method method = RDX_STAR_COLUMN_ENGINE; method < RDX_STAR_METHODS; method++) {
    rdx_query_result *result = NULL;
    if (is_left_out(method))
      continue;
    OK(run(method, rows, &q, &result, err));
    assert_int_equal(test_view(result).rows, grouped ? group_count : 1);
    for (uint32_t g = 0; g < (grouped ? group_count : 1); g++) {
      assert_true(float_at(result, grouped, g) == wide_sum_quotient(&sums[g], 1));
      assert_true(float_at(result, grouped + 1u, g) == wide_sum_quotient(&sums[g], counts[g]));
      assert_true(float_at(result, grouped + 2u, g) == wide_sum_quotient(&narrow_sums[g], 1));
    }
    rdx_query_result_destroy(&result);
  }
}

static void test_all_exponents(void **state) {
  (void)state;
  check_exponents(test_is_slow() ? 2500 : ROWS, GROUPS, true);
  check_exponents(2100, 1, false);
}

/* More numbers of a row than stars take at a time. */
static void test_many_sums(void **state) {
  (void)state;
  enum { SUMS = 8, MANY = 20 };
  static double columns[SUMS][MANY];
  rdx_attribute attributes[SUMS];
  rdx_expression expressions[SUMS];
  rdx_aggregate sums[SUMS];
  for (uint32_t a = 0; a < SUMS; a++) {
    for (uint32_t i = 0; i < MANY; i++)
      columns[a][i] = i == 0 ? 0x1p-120 : i == 1 ? 0x1p-200 : i + a; /* three digits */
    attributes[a] = (rdx_attribute){"x", {.type = RDX_TYPE_F64, .rows = MANY, .values = columns[a]}, 0};
    expressions[a] = (rdx_expression){.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = a};
    sums[a] = (rdx_aggregate){RDX_AGGREGATE_SUM, &expressions[a]};
  }
  const rdx_relation relation = {.rows = MANY, .attributes = attributes, .attribute_count = SUMS};
  const rdx_query q = {.aggregates = sums, .aggregate_count = SUMS};
  for (rdx_star_method method = RDX_STAR_COLUMN_ENGINE; method < RDX_STAR_METHODS; method++) {
    rdx_star *star = NULL;
    rdx_query_result *result = NULL;
    rdx_query_stats stats;
    if (is_left_out(method))
      continue;
    OK(rdx_star_create(test_device, &relation, &(rdx_star_params){.method = method}, &star, err));
    OK(rdx_star_prepare(star, &q, 1, err));
    OK(rdx_star_run(star, &q, &(rdx_query_params){.stats = true}, &result, err));
    for (uint32_t a = 0; a < SUMS; a++)
      assert_true(float_at(result, a, 0) == 189 + 18. * a); /* the others are less than half of a last bit */
    rdx_query_result_get_stats(result, &stats);
    assert_int_equal(stats.groups, 1);
    rdx_query_result_destroy(&result);
    rdx_star_destroy(&star);
  }
}

/* Many aggregates of floats that take little, as many as there may be; then of such as cubes would not have room for if
 * they were summed, which they are not. */
static void test_many_aggregates(void **state) {
  (void)state;
  enum { AGGREGATES = 8, FEW = 8 };
  static float bits[AGGREGATES][FEW];
  static double thirds[AGGREGATES][FEW];
  rdx_attribute attributes[2 * AGGREGATES];
  rdx_expression expressions[2 * AGGREGATES];
  rdx_aggregate sums[AGGREGATES], min[AGGREGATES];
  for (uint32_t a = 0; a < AGGREGATES; a++) {
    for (uint32_t i = 0; i < FEW; i++) {
      bits[a][i] = (float)((a + i) % 2);
      thirds[a][i] = 1e60 * a + 1. / 3 / (i + 1);
    }
    attributes[a] = (rdx_attribute){"bit", {.type = RDX_TYPE_F32, .rows = FEW, .values = bits[a]}, 0};
    attributes[AGGREGATES + a] = (rdx_attribute){"third", {.type = RDX_TYPE_F64, .rows = FEW, .values = thirds[a]}, 0};
    for (uint32_t k = 0; k < 2 * AGGREGATES; k += AGGREGATES)
      expressions[k + a] = (rdx_expression){.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = k + a};
    sums[a] = (rdx_aggregate){RDX_AGGREGATE_SUM, &expressions[a]};
    min[a] = (rdx_aggregate){RDX_AGGREGATE_MIN, &expressions[AGGREGATES + a]};
  }
  const rdx_relation relation = {.rows = FEW, .attributes = attributes, .attribute_count = 2 * AGGREGATES};
  const rdx_query queries[] = {{.aggregates = sums, .aggregate_count = AGGREGATES},
                               {.aggregates = min, .aggregate_count = AGGREGATES}};
  for (rdx_star_method method = RDX_STAR_COLUMN_ENGINE; method < RDX_STAR_METHODS; method++) {
    rdx_star *star = NULL;
    if (is_left_out(method))
      continue;
    OK(rdx_star_create(test_device, &relation, &(rdx_star_params){.method = method}, &star, err));
    for (int q = 0; q < 2; q++) {
      rdx_query_result *result = NULL;
      rdx_error why = {""};
      assert_int_equal(rdx_star_prepare(star, &queries[q], 1, &why), RDX_OK);
      assert_string_equal(why.text, "");
      OK(rdx_star_run(star, &queries[q], NULL, &result, err));
      for (uint32_t a = 0; a < AGGREGATES; a++)
        assert_true(float_at(result, a, 0) == (q == 0 ? FEW / 2 : thirds[a][FEW - 1]));
      rdx_query_result_destroy(&result);
    }
    /* The cube of the least values has no sums: one of another spec has, and an error says so where there is none. */
    const rdx_aggregate third_sum = {RDX_AGGREGATE_SUM, &expressions[AGGREGATES]};
    const rdx_query sum = {.aggregates = &third_sum, .aggregate_count = 1};
    rdx_query_result *result = NULL;
    const rdx_status status = rdx_star_run(star, &sum, NULL, &result, NULL);
    assert_int_equal(status, method == RDX_STAR_COLUMN_ENGINE ? RDX_OK : RDX_ERROR_UNSUPPORTED);
    rdx_query_result_destroy(&result);
    OK(rdx_star_prepare(star, &sum, 1, err));
    OK(rdx_star_run(star, &sum, NULL, &result, err));
    assert_true(fabs(float_at(result, 0, 0) - (1 + 1 / 2. + 1 / 3. + 1 / 4. + 1 / 5. + 1 / 6. + 1 / 7. + 1 / 8.) / 3) <
                1e-15);
    rdx_query_result_destroy(&result);
    rdx_star_destroy(&star);
  }
}

/* The least and largest of many values of both signs, whose codes pass 63 bits, where a query groups by less than its
 * cube. */
static void test_fewer_groups(void **state) {
  (void)state;
  for (uint32_t i = 0; i < ROWS; i++) {
    values[i] = ((double)i - ROWS / 2) * 0.37;
    narrow[i] = 0;
    groups[i] = values[i] < 0;
  }
  rdx_attribute attributes[3];
  const rdx_relation relation = relation_of(attributes, ROWS);
  const uint32_t both[] = {2, 1}, one[] = {1};
  const rdx_aggregate ends[] = {{RDX_AGGREGATE_MIN, &first}, {RDX_AGGREGATE_MAX, &first}};
  rdx_query q = {.group_by = both, .group_count = 2, .aggregates = ends, .aggregate_count = 2};
  for (rdx_star_method method = RDX_STAR_COLUMN_ENGINE; method < RDX_STAR_METHODS; method++) {
    rdx_star *star = NULL;
    rdx_query_result *result = NULL;
    if (is_left_out(method))
      continue;
    q.group_by = both;
    q.group_count = 2;
    OK(rdx_star_create(test_device, &relation, &(rdx_star_params){.method = method}, &star, err));
    OK(rdx_star_prepare(star, &q, 1, err));
    q.group_by = one;
    q.group_count = 1;
    OK(rdx_star_run(star, &q, NULL, &result, err));
    assert_int_equal(test_view(result).rows, 1);
    assert_true(float_at(result, 1, 0) == values[0] && float_at(result, 2, 0) == values[ROWS - 1]);
    rdx_query_result_destroy(&result);
    rdx_star_destroy(&star);
  }
}

/* A cube that names an attribute twice, to be summed and not, has its sums. */
static void test_named_twice(void **state) {
  (void)state;
  for (uint32_t i = 0; i < ROWS; i++) {
    values[i] = i % 8;
    narrow[i] = 0;
    groups[i] = 0;
  }
  rdx_attribute attributes[3];
  const rdx_relation relation = relation_of(attributes, ROWS);
  const rdx_expression *const both[] = {&first, &first};
  const rdx_aggregate sum = {RDX_AGGREGATE_SUM, &first};
  const rdx_query q = {.aggregates = &sum, .aggregate_count = 1};
  for (rdx_star_method method = RDX_STAR_SORTED_CUBE; method < RDX_STAR_METHODS; method++)
    for (uint32_t unsummed = 0; unsummed < 3; unsummed++) {
      const bool summed[] = {unsummed != 1, unsummed != 2};
      rdx_star *star = NULL;
      rdx_query_result *result = NULL;
      if (is_left_out(method))
        continue;
      OK(rdx_star_create(test_device, &relation, &(rdx_star_params){.method = method}, &star, err));
      OK(rdx_star_add_cube(star, &(rdx_cube_spec){.expressions = both, .expression_count = 2, .summed = summed}, err));
      OK(rdx_star_run(star, &q, NULL, &result, err));
      assert_true(float_at(result, 0, 0) == ROWS / 8 * 28. + ROWS % 8 * (ROWS % 8 - 1) / 2.);
      rdx_query_result_destroy(&result);
      rdx_star_destroy(&star);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_units),           cmocka_unit_test(test_few),           cmocka_unit_test(test_overflow),
      cmocka_unit_test(test_far_apart),       cmocka_unit_test(test_all_exponents), cmocka_unit_test(test_many_sums),
      cmocka_unit_test(test_many_aggregates), cmocka_unit_test(test_fewer_groups),  cmocka_unit_test(test_named_twice)};
  return TEST_MAIN(tests);
}
