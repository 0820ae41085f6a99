/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Aggregates whose values, or those of rows that do not qualify, pass 64 bits: what comes out is judged by nothing but
 * what comes out. (Floats: test_float_sums.c.) */

#include "queries.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool is_left_out(rdx_star_method method) {
  return !test_traces() && (method == RDX_STAR_COARSE_CUBE || method == RDX_STAR_RT_CUBE);
}

/* ---- Particular numbers ---- */

#define ROWS 4

/* A few rows: of attributes a, b and c, of u, which is u64, and of a row's class, the only one that qualifies is 1. */
typedef struct numbers {
  int64_t a[ROWS], b[ROWS], c[ROWS];
  uint64_t u[ROWS];
  uint8_t is_in[ROWS];
} numbers;

enum { A, B, C, U, IN, ATTRIBUTES };

static const rdx_expression a = {.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = A},
                            b = {.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = B},
                            c = {.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = C},
                            u = {.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = U},
                            ab = {.kind = RDX_EXPRESSION_MULTIPLY, .left = &a, .right = &b},
                            abc = {.kind = RDX_EXPRESSION_MULTIPLY, .left = &ab, .right = &c},
                            sum = {.kind = RDX_EXPRESSION_ADD, .left = &a, .right = &b},
                            difference = {.kind = RDX_EXPRESSION_SUBTRACT, .left = &a, .right = &b},
                            zeros = {.kind = RDX_EXPRESSION_SUBTRACT, .left = &abc, .right = &abc},
                            max = {.kind = RDX_EXPRESSION_CONSTANT, .value = INT64_MAX},
                            u_less = {.kind = RDX_EXPRESSION_SUBTRACT, .left = &u, .right = &max},
                            huge = {.kind = RDX_EXPRESSION_MULTIPLY, .left = &max, .right = &max},
                            tenths = {.kind = RDX_EXPRESSION_CONSTANT, .value = 1, .scale = 18},
                            scaled = {.kind = RDX_EXPRESSION_ADD, .left = &a, .right = &tenths},
                            shifted = {.kind = RDX_EXPRESSION_SUBTRACT, .left = &scaled, .right = &a};

#define BIG INT64_MAX
#define SMALL INT64_MIN

typedef struct number_case {
  numbers of;
  const rdx_expression *expression;
  rdx_aggregate_kind kind;
  bool fails; /* what qualifies does not fit */
  int64_t wanted;
} number_case;

#define ALL                                                                                                            \
  { 1, 1, 1, 1 }
#define FIRST                                                                                                          \
  { 1, 0, 0, 0 }
#define HALF                                                                                                           \
  { 1, 1, 0, 0 }

static const number_case cases[] = {
    /* u64 that pass 63 bits, outside and inside */
    {{.u = {5, 1ull << 63, UINT64_MAX, 7}, .is_in = {1, 0, 0, 1}}, &u, RDX_AGGREGATE_SUM, false, 12},
    {{.u = {5, 1ull << 63, UINT64_MAX, 7}, .is_in = ALL}, &u, RDX_AGGREGATE_SUM, true, 0},
    {{.u = {1ull << 63, 0, 0, 0}, .is_in = FIRST}, &u, RDX_AGGREGATE_SUM, true, 0},
    {{.u = {BIG, 1ull << 63, 0, 0}, .is_in = FIRST}, &u, RDX_AGGREGATE_SUM, false, BIG},
    {{.u = {BIG - 1, 1, UINT64_MAX, 0}, .is_in = HALF}, &u, RDX_AGGREGATE_SUM, false, BIG},
    {{.u = {BIG - 1, 2, UINT64_MAX, 0}, .is_in = HALF}, &u, RDX_AGGREGATE_SUM, true, 0},
    {{.u = {UINT64_MAX, UINT64_MAX, 3, 0}, .is_in = {0}}, &u, RDX_AGGREGATE_COUNT, false, 0},
    {{.u = {UINT64_MAX, UINT64_MAX, 3, 0}, .is_in = HALF}, &u, RDX_AGGREGATE_COUNT, false, 2},
    {{.u = {1ull << 63, 9, 3, UINT64_MAX}, .is_in = HALF}, &u_less, RDX_AGGREGATE_SUM, false, 10 - BIG},
    {{.u = {UINT64_MAX, 0, 0, 0}, .is_in = FIRST}, &u_less, RDX_AGGREGATE_MAX, true, 0},
    {{.u = {UINT64_MAX - 1, UINT64_MAX, 0, 0}, .is_in = FIRST}, &u_less, RDX_AGGREGATE_MAX, false, BIG},
    /* products of which those outside pass 64 bits, or 128, or 190 */
    {{.a = {3, BIG, SMALL, 2}, .b = {4, BIG, SMALL, 5}, .is_in = {1, 0, 0, 1}}, &ab, RDX_AGGREGATE_SUM, false, 22},
    {{.a = {3, BIG, SMALL, 2}, .b = {4, BIG, BIG, 5}, .is_in = ALL}, &ab, RDX_AGGREGATE_SUM, false, 22 - BIG},
    {{.a = {3, BIG, BIG, 2}, .b = {4, BIG, -BIG, 5}, .is_in = ALL}, &ab, RDX_AGGREGATE_SUM, false, 22},
    {{.a = {3, SMALL, SMALL, -2}, .b = {4, SMALL, SMALL, 5}, .c = {-7, SMALL, BIG, 1}, .is_in = {1, 0, 0, 1}},
     &abc,
     RDX_AGGREGATE_SUM,
     false,
     -94},
    {{.a = {SMALL, SMALL, BIG, 1}, .b = {SMALL, SMALL, BIG, 1}, .c = {BIG, -BIG, BIG, BIG}, .is_in = HALF},
     &abc,
     RDX_AGGREGATE_SUM,
     false,
     0},
    {{.a = {SMALL, SMALL, BIG, 1}, .b = {SMALL, BIG, BIG, 1}, .c = {BIG, -BIG, BIG, BIG}, .is_in = ALL},
     &zeros,
     RDX_AGGREGATE_SUM,
     false,
     0},
    /* just in, just out */
    {{.a = {BIG, 0, BIG, BIG}, .b = {1, 0, 3, 4}, .is_in = FIRST}, &ab, RDX_AGGREGATE_SUM, false, BIG},
    {{.a = {BIG, 1, BIG, BIG}, .b = {1, 1, 3, 4}, .is_in = HALF}, &ab, RDX_AGGREGATE_SUM, true, 0},
    {{.a = {1ll << 32, SMALL, 1, 0}, .b = {-(1ll << 31), SMALL, 0, 0}, .is_in = FIRST},
     &ab,
     RDX_AGGREGATE_SUM,
     false,
     SMALL},
    {{.a = {1ll << 32, -1, BIG, 0}, .b = {-(1ll << 31), 1, BIG, 0}, .is_in = HALF}, &ab, RDX_AGGREGATE_SUM, true, 0},
    {{.a = {BIG, SMALL, BIG, SMALL}, .b = {BIG, SMALL, 2, -1}, .is_in = HALF}, &sum, RDX_AGGREGATE_SUM, false, -2},
    {{.a = {BIG, SMALL, BIG, SMALL}, .b = {SMALL, BIG, 2, -1}, .is_in = HALF},
     &difference,
     RDX_AGGREGATE_SUM,
     false,
     0},
    {{.a = {BIG, 0, 0, 0}, .b = {-1, 0, 0, 0}, .is_in = FIRST}, &difference, RDX_AGGREGATE_SUM, true, 0},
    /* the least and the largest */
    {{.a = {BIG, 5, SMALL, 2}, .b = {BIG, 5, 2, 5}, .is_in = HALF}, &ab, RDX_AGGREGATE_MIN, false, 25},
    {{.a = {BIG, 5, SMALL, 2}, .b = {BIG, 5, 2, 5}, .is_in = HALF}, &ab, RDX_AGGREGATE_MAX, true, 0},
    {{.a = {BIG, 5, SMALL, 2}, .b = {BIG, 5, 2, 5}, .is_in = {0, 1, 1, 1}}, &ab, RDX_AGGREGATE_MAX, false, 25},
    {{.a = {BIG, 5, SMALL, 2}, .b = {BIG, 5, 2, 5}, .is_in = {0, 1, 1, 1}}, &ab, RDX_AGGREGATE_MIN, true, 0},
    {{.a = {BIG, BIG, SMALL, 2}, .b = {BIG, 1, 2, 5}, .is_in = HALF}, &ab, RDX_AGGREGATE_MIN, false, BIG},
    {{.a = {BIG, BIG, SMALL, 2}, .b = {BIG, 2, 2, 5}, .is_in = HALF}, &ab, RDX_AGGREGATE_MIN, true, 0},
    {{.a = {SMALL, SMALL, BIG, 2}, .b = {BIG, 1, 2, 5}, .is_in = HALF}, &ab, RDX_AGGREGATE_MAX, false, SMALL},
    {{.a = {SMALL, SMALL, BIG, 2}, .b = {BIG, 2, 2, 5}, .is_in = HALF}, &ab, RDX_AGGREGATE_MAX, true, 0},
    {{.a = {SMALL, SMALL, BIG, 2}, .b = {BIG, 2, 2, 5}, .is_in = {0, 0, 1, 1}}, &ab, RDX_AGGREGATE_MIN, false, 10},
    {{.a = {SMALL, SMALL, BIG, 2}, .b = {BIG, 2, 2, 5}, .is_in = {0, 0, 1, 1}}, &ab, RDX_AGGREGATE_COUNT, false, 2},
    /* constants, and digits behind the point */
    {{.is_in = {0}}, &huge, RDX_AGGREGATE_COUNT, false, 0},
    {{.is_in = ALL}, &huge, RDX_AGGREGATE_SUM, true, 0},
    {{.is_in = FIRST}, &huge, RDX_AGGREGATE_MIN, true, 0},
    {{.a = {9, 10, BIG, SMALL}, .is_in = FIRST}, &scaled, RDX_AGGREGATE_SUM, false, 9000000000000000001},
    {{.a = {9, 10, BIG, SMALL}, .is_in = {0, 1, 0, 0}}, &scaled, RDX_AGGREGATE_SUM, true, 0},
    {{.a = {9, 10, BIG, SMALL}, .is_in = HALF}, &scaled, RDX_AGGREGATE_MIN, false, 9000000000000000001},
    {{.a = {9, 10, BIG, SMALL}, .is_in = ALL}, &shifted, RDX_AGGREGATE_SUM, false, 4},
};

static rdx_relation relation_of(const numbers *n, rdx_attribute attributes[ATTRIBUTES]) {
  attributes[A] = (rdx_attribute){"a", {.type = RDX_TYPE_I64, .rows = ROWS, .values = n->a}, 0};
  attributes[B] = (rdx_attribute){"b", {.type = RDX_TYPE_I64, .rows = ROWS, .values = n->b}, 0};
  attributes[C] = (rdx_attribute){"c", {.type = RDX_TYPE_I64, .rows = ROWS, .values = n->c}, 0};
  attributes[U] = (rdx_attribute){"u", {.type = RDX_TYPE_U64, .rows = ROWS, .values = n->u}, 0};
  attributes[IN] = (rdx_attribute){"is_in", {.type = RDX_TYPE_U8, .rows = ROWS, .values = n->is_in}, 0};
  return (rdx_relation){.rows = ROWS, .attributes = attributes, .attribute_count = ATTRIBUTES};
}

static const uint8_t one = 1;
static const rdx_predicate is_in = {
    .kind = RDX_PREDICATE_EQ, .column = IN, .values = {.type = RDX_TYPE_U8, .rows = 1, .values = &one}};

static void check_case(const number_case *k, rdx_star_method method) {
  rdx_attribute attributes[ATTRIBUTES];
  const rdx_relation relation = relation_of(&k->of, attributes);
  const rdx_aggregate aggregate = {k->kind, k->expression};
  const rdx_query q = {.where = &is_in, .aggregates = &aggregate, .aggregate_count = 1};
  rdx_star *star = NULL;
  rdx_query_result *result = NULL;
  rdx_error why = {""};
  OK(rdx_star_create(test_device, &relation, &(rdx_star_params){.method = method}, &star, err));
  const rdx_status status = query_run(star, &q, &result, &why);
  if (status != (k->fails ? RDX_ERROR_OVERFLOW : RDX_OK))
    fail_msg("case %d, %s: %s", (int)(k - cases), rdx_star_method_name(method), why.text);
  if (k->fails) {
    assert_null(result);
    assert_non_null(strstr(why.text, "does not fit 64 bits"));
  } else {
    const int64_t got = ((const int64_t *)test_view(result).columns[0].values)[0];
    if (got != k->wanted)
      fail_msg("case %d, %s: %lld instead of %lld", (int)(k - cases), rdx_star_method_name(method), (long long)got,
               (long long)k->wanted);
  }
  rdx_query_result_destroy(&result);
  rdx_star_destroy(&star);
}

static void test_cases(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++)
    for (rdx_star_method method = RDX_STAR_AUTO; method < RDX_STAR_METHODS; method++)
      if (!is_left_out(method))
        check_case(&cases[i], method);
}

/* Averages, rounded once: of u64, of products that pass 64 bits, and of what has digits behind the point. */
static void test_averages(void **state) {
  (void)state;
  const numbers n = {.a = {BIG, BIG, 9, SMALL},
                     .b = {BIG, SMALL, 1, SMALL},
                     .u = {UINT64_MAX, UINT64_MAX - 1, 1, 5},
                     .is_in = {1, 1, 1, 0}};
  const rdx_aggregate aggregates[] = {{RDX_AGGREGATE_AVG, &u},
                                      {RDX_AGGREGATE_AVG, &ab},
                                      {RDX_AGGREGATE_AVG, &scaled},
                                      {RDX_AGGREGATE_MAX, &u},
                                      {RDX_AGGREGATE_MIN, &u}};
  const double wanted[] = {12297829382473034411.0, -3074457345618258599.0, 6148914691236517207.7};
  rdx_attribute attributes[ATTRIBUTES];
  const rdx_relation relation = relation_of(&n, attributes);
  const rdx_query q = {.where = &is_in, .aggregates = aggregates, .aggregate_count = COUNT(aggregates)};
  for (rdx_star_method method = RDX_STAR_AUTO; method < RDX_STAR_METHODS; method++) {
    rdx_star *star = NULL;
    rdx_query_result *result = NULL;
    if (is_left_out(method))
      continue;
    OK(rdx_star_create(test_device, &relation, &(rdx_star_params){.method = method}, &star, err));
    OK(query_run(star, &q, &result, err));
    for (uint32_t i = 0; i < 3; i++)
      assert_true(((const double *)test_view(result).columns[i].values)[0] == wanted[i]);
    assert_true(((const uint64_t *)test_view(result).columns[3].values)[0] == UINT64_MAX);
    assert_true(((const uint64_t *)test_view(result).columns[4].values)[0] == 1);
    rdx_query_result_destroy(&result);
    rdx_star_destroy(&star);
  }
}

/* Bools count those that are true. */
static void test_bools(void **state) {
  (void)state;
  static const uint8_t bools[] = {1, 0, 1, 1, 0, 1}, groups[] = {0, 0, 0, 1, 1, 2}, validity[] = {0x1f};
  const rdx_attribute attributes[] = {
      {"bool", {.type = RDX_TYPE_BOOL, .rows = 6, .values = bools, .validity = validity}, 0},
      {"group", {.type = RDX_TYPE_U8, .rows = 6, .values = groups}, 0},
      {"true", {.type = RDX_TYPE_BOOL, .rows = 6, .values = (const uint8_t[]){1, 1, 1, 1, 1, 1}}, 0}};
  const rdx_relation relation = {.rows = 6, .attributes = attributes, .attribute_count = 3};
  const uint32_t by_group[] = {1};
  const rdx_expression always = {.kind = RDX_EXPRESSION_ATTRIBUTE, .attribute = 2};
  const rdx_expression twice = {.kind = RDX_EXPRESSION_ADD, .left = &a, .right = &a};
  const rdx_aggregate aggregates[] = {{RDX_AGGREGATE_SUM, &a},
                                      {RDX_AGGREGATE_AVG, &a},
                                      {RDX_AGGREGATE_MAX, &a},
                                      {RDX_AGGREGATE_COUNT, &a},
                                      {RDX_AGGREGATE_SUM, &always}},
                      sum_of_twice = {RDX_AGGREGATE_SUM, &twice};
  const rdx_query q = {.group_by = by_group, .group_count = 1, .aggregates = aggregates, .aggregate_count = 5};
  const rdx_query bad = {.aggregates = &sum_of_twice, .aggregate_count = 1};
  for (rdx_star_method method = RDX_STAR_AUTO; method < RDX_STAR_METHODS; method++) {
    rdx_star *star = NULL;
    rdx_query_result *result = NULL;
    if (is_left_out(method))
      continue;
    OK(rdx_star_create(test_device, &relation, &(rdx_star_params){.method = method}, &star, err));
    OK(query_run(star, &q, &result, err));
    const rdx_column *sums = &test_view(result).columns[1], *averages = &test_view(result).columns[2];
    assert_int_equal(sums->type, RDX_TYPE_I64);
    assert_int_equal(((const int64_t *)sums->values)[0], 2);
    assert_int_equal(((const int64_t *)sums->values)[1], 1);
    assert_false(column_has(sums, 2) || column_has(averages, 2));
    assert_true(((const double *)averages->values)[0] == 2 / 3. && ((const double *)averages->values)[1] == 0.5);
    assert_int_equal(test_view(result).columns[3].type, RDX_TYPE_BOOL);
    assert_int_equal(((const uint64_t *)test_view(result).columns[4].values)[2], 0);
    assert_int_equal(((const int64_t *)test_view(result).columns[5].values)[0], 3);
    rdx_query_result_destroy(&result);
    FAILS(RDX_ERROR_ARGUMENT, query_run(star, &bad, &result, err)); /* calculating with them is something else */
    rdx_star_destroy(&star);
  }
}

#define GROUPS 1000
#define GROUP_ROWS 5000

/* One of many groups has a sum that does not fit, which the error names; without its rows all have one. */
static void test_one_of_many_groups(void **state) {
  (void)state;
  static int64_t values[GROUP_ROWS];
  static int32_t days[GROUP_ROWS];
  static uint16_t numbers_of[GROUP_ROWS];
  for (uint32_t i = 0; i < GROUP_ROWS; i++) {
    numbers_of[i] = (uint16_t)(i % GROUPS);
    days[i] = 19723 + numbers_of[i]; /* 2024-01-01 and after */
    values[i] = numbers_of[i] == 366 ? BIG / 4 : i;
  }
  const rdx_attribute attributes[] = {{"value", {.type = RDX_TYPE_I64, .rows = GROUP_ROWS, .values = values}, 0},
                                      {"day", {.type = RDX_TYPE_DATE, .rows = GROUP_ROWS, .values = days}, 0},
                                      {"number", {.type = RDX_TYPE_U16, .rows = GROUP_ROWS, .values = numbers_of}, 0}};
  const rdx_relation relation = {.rows = GROUP_ROWS, .attributes = attributes, .attribute_count = 3};
  const uint32_t group_by[] = {1, 2};
  const uint16_t bad = 366;
  const rdx_predicate others = {
      .kind = RDX_PREDICATE_NE, .column = 2, .values = {.type = RDX_TYPE_U16, .rows = 1, .values = &bad}};
  const rdx_aggregate aggregate = {RDX_AGGREGATE_SUM, &a};
  for (rdx_star_method method = RDX_STAR_AUTO; method < RDX_STAR_METHODS; method++) {
    rdx_star *star = NULL;
    rdx_query_result *result = NULL;
    rdx_error why = {""};
    rdx_query q = {.group_by = group_by, .group_count = 2, .aggregates = &aggregate, .aggregate_count = 1};
    if (is_left_out(method))
      continue;
    OK(rdx_star_create(test_device, &relation, &(rdx_star_params){.method = method}, &star, err));
    assert_int_equal(query_run(star, &q, &result, &why), RDX_ERROR_OVERFLOW);
    assert_string_equal(why.text, "the sum of value (day 2025-01-01, number 366) does not fit 64 bits: it is about "
                                  "1.15292e+19");
    q.where = &others;
    OK(query_run(star, &q, &result, err));
    assert_int_equal(test_view(result).rows, GROUPS - 1);
    assert_int_equal(((const int64_t *)test_view(result).columns[2].values)[998], 5 * 999 + 10000);
    rdx_query_result_destroy(&result);
    rdx_star_destroy(&star);
  }
}

/* ---- Random ones ---- */

/* Attributes of numbers of any size, by the class of their row, which is an attribute, too: of those of a table. */
static void make_star(star_data *s, uint64_t rows) {
  star_make(s, rows, MAX_ATTRIBUTES, (uint32_t)(test_random() % (MAX_TABLES + 1)), true);
  for (uint32_t i = 0; i < MAX_ATTRIBUTES; i++) {
    static const rdx_type types[] = {RDX_TYPE_I64, RDX_TYPE_U64, RDX_TYPE_DECIMAL, RDX_TYPE_I64, RDX_TYPE_F64};
    const rdx_type type = i == 0 ? RDX_TYPE_U8 : types[test_random() % COUNT(types)];
    const uint64_t own = s->views[i].rows;
    column_free(&s->columns[i]);
    s->columns[i] = column_make(type, SHAPE_FEW, test_random() % 2 && i > 0 ? SOME_NULLS : NO_NULLS, own);
    uint64_t *values = (uint64_t *)(uintptr_t)s->columns[i].view.values;
    for (uint64_t k = 0; k < own; k++) {
      static const uint32_t shifts[] = {60, 50, 30, 0};
      const uint32_t class = (uint32_t)(k * 2654435761u >> 13) % 4, down = shifts[class];
      const uint64_t bits = test_random() >> down;
      const double real = (class == 3 ? 1e300 : 0.01) * (double)(int64_t)bits;
      if (i == 0)
        ((uint8_t *)(uintptr_t)s->columns[i].view.values)[k] = (uint8_t) class;
      else if (type == RDX_TYPE_F64)
        memcpy(&values[k], &real, sizeof real);
      else
        values[k] = type != RDX_TYPE_U64 && test_random() % 2 ? 0 - bits : bits;
    }
    s->views[i] = s->columns[i].view;
    s->attributes[i].column = s->views[i];
  }
}

static void test_random_stars(void **state) {
  (void)state;
  static test_query q;
  static expected e;
  for (uint32_t i = 0; i < (test_is_slow() ? 8 : 60); i++) {
    star_data s;
    rdx_star *stars[RDX_STAR_METHODS] = {NULL};
    make_star(&s, 1 + test_random() % 700);
    for (uint32_t k = 0; k < RDX_STAR_METHODS; k++)
      if (!is_left_out((rdx_star_method)k))
        OK(rdx_star_create(test_device, &s.relation, &(rdx_star_params){.method = (rdx_star_method)k}, &stars[k], err));
    for (uint32_t round = 0; round < (test_is_slow() ? 3 : 20); round++) {
      const uint8_t class = (uint8_t)(test_random() % 4);
      const rdx_predicate few = {.kind = RDX_PREDICATE_LE,
                                 .values = {.type = RDX_TYPE_U8, .rows = 1, .values = &class}};
      query_make(&s, &q);
      if (round % 4)
        q.query.where = &few;
      query_expect(&s, &q, true, &e);
      for (uint32_t k = 0; k < RDX_STAR_METHODS; k++) {
        rdx_error why = {""};
        if (!stars[k])
          continue;
        const rdx_status status = rdx_star_prepare(stars[k], &q.query, 1, &why);
        assert_true(status == RDX_OK || status == RDX_ERROR_UNSUPPORTED);
        query_check(stars[k], &s, &q, &e);
      }
      expected_free(&e);
      query_free(&q);
    }
    for (uint32_t k = 0; k < RDX_STAR_METHODS; k++)
      rdx_star_destroy(&stars[k]);
    star_free(&s);
  }
}

/* ---- Threads ---- */

typedef struct job {
  const rdx_star *star;
  uint32_t first;
  bool good;
} job;

/* Products with other constants each time, more than a star keeps. */
static void *run_job(void *argument) {
  job *j = argument;
  j->good = true;
  for (uint32_t i = 0; i < 24 && j->good; i++) {
    const int64_t factor = 2 + (j->first + i) % 10;
    const rdx_expression constant = {.kind = RDX_EXPRESSION_CONSTANT, .value = factor},
                         product = {.kind = RDX_EXPRESSION_MULTIPLY, .left = &ab, .right = &constant};
    const rdx_aggregate aggregates[] = {{RDX_AGGREGATE_SUM, &product}, {RDX_AGGREGATE_MAX, &product}};
    const rdx_query q = {.where = &is_in, .aggregates = aggregates, .aggregate_count = 2};
    rdx_query_result *result = NULL;
    j->good = rdx_star_run(j->star, &q, NULL, &result, NULL) == RDX_OK &&
              ((const int64_t *)test_view(result).columns[0].values)[0] == 22 * factor &&
              ((const int64_t *)test_view(result).columns[1].values)[0] == 12 * factor;
    rdx_query_result_destroy(&result);
  }
  return NULL;
}

static void test_threads(void **state) {
  (void)state;
  const numbers n = {.a = {3, BIG, SMALL, 2}, .b = {4, BIG, SMALL, 5}, .is_in = {1, 0, 0, 1}};
  rdx_attribute attributes[ATTRIBUTES];
  const rdx_relation relation = relation_of(&n, attributes);
  rdx_star *star = NULL;
  pthread_t threads[4];
  job jobs[COUNT(threads)];
  OK(rdx_star_create(test_device, &relation, NULL, &star, err));
  for (uint32_t i = 0; i < COUNT(threads); i++) {
    jobs[i] = (job){star, i, false};
    assert_int_equal(pthread_create(&threads[i], NULL, run_job, &jobs[i]), 0);
  }
  for (uint32_t i = 0; i < COUNT(threads); i++) {
    pthread_join(threads[i], NULL);
    assert_true(jobs[i].good);
  }
  rdx_star_destroy(&star);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cases),        cmocka_unit_test(test_averages),
      cmocka_unit_test(test_bools),        cmocka_unit_test(test_one_of_many_groups),
      cmocka_unit_test(test_random_stars), cmocka_unit_test(test_threads),
  };
  return TEST_MAIN(tests);
}
