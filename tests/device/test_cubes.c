/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Cubes against looking at every row. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

#define ATTRS 5
#define MOST 40000
static int32_t data[ATTRS][MOST];
static uint8_t valid[ATTRS][MOST / 8 + 1];
static int64_t big[MOST];
static uint32_t rows, widths[ATTRS];
static bool nulls[ATTRS];
static rdx_attribute attributes[ATTRS + 1];
static rdx_relation relation;

static bool has(uint32_t a, uint32_t i) { return !nulls[a] || (valid[a][i / 8] >> (i % 8) & 1); }

static void make(uint32_t n, bool with_nulls) {
  rows = n;
  for (uint32_t a = 0; a < ATTRS; a++) {
    widths[a] = 1 + (uint32_t)(test_random() % (a == 4 ? 100000 : 12));
    nulls[a] = with_nulls && test_random() % 2;
    memset(valid[a], 0, sizeof valid[a]);
    for (uint32_t i = 0; i < n; i++) {
      data[a][i] = (int32_t)(test_random() % widths[a]) - 3;
      if (test_random() % 8)
        valid[a][i / 8] |= (uint8_t)(1u << i % 8);
    }
    static const char *names[] = {"a", "b", "c", "d", "v"};
    attributes[a] = (rdx_attribute){names[a], {.type = RDX_TYPE_I32, .rows = n, .values = data[a], .validity = nulls[a] ? valid[a] : NULL}, 0};
  }
  for (uint32_t i = 0; i < n; i++)
    big[i] = (int64_t)(test_random() >> 12) - (1ll << 51);
  attributes[5] = (rdx_attribute){"big", {.type = RDX_TYPE_I64, .rows = n, .values = big}, 0};
  relation = (rdx_relation){.rows = n, .attributes = attributes, .attribute_count = 6};
}

typedef struct row { uint64_t key; int64_t count, n, sum, least, most; } row;
static row expected[MOST];

static int64_t get(const rdx_column *c, uint64_t i, bool *null) {
  *null = c->validity && !(c->validity[i / 8] >> (i % 8) & 1);
  return *null ? 0 : rdx_type_size(c->type) == 8 ? ((const int64_t *)c->values)[i] : ((const int32_t *)c->values)[i];
}

static void check(rdx_engine *e, uint32_t groups, const uint32_t *by, bool wide, uint32_t flags) {
  int32_t lit[3][2];
  rdx_predicate leaf[4], where = {.kind = RDX_PREDICATE_AND, .children = leaf};
  where.child_count = (uint32_t)(test_random() % 4);
  for (uint32_t k = 0; k < where.child_count; k++) {
    lit[k][0] = (int32_t)(test_random() % widths[k]) - 3;
    lit[k][1] = lit[k][0] + (int32_t)(test_random() % 4);
    leaf[k] = (rdx_predicate){.kind = RDX_PREDICATE_BETWEEN, .column = k, .values = {.type = RDX_TYPE_I32, .rows = 2, .values = lit[k]}};
  }
  const bool either = test_random() % 4 == 0 && where.child_count > 0;
  if (either) where.kind = RDX_PREDICATE_OR;
  const rdx_expression v = {.attribute = 4}, three = {.kind = RDX_EXPRESSION_CONSTANT, .value = 3}, b = {.attribute = 5};
  const rdx_expression prod = {.kind = RDX_EXPRESSION_MULTIPLY, .left = &v, .right = &three};
  const rdx_expression *ex = wide ? &b : &prod;
  rdx_aggregate ag[] = {{RDX_AGGREGATE_COUNT, NULL}, {RDX_AGGREGATE_SUM, ex}, {RDX_AGGREGATE_COUNT, ex}, {RDX_AGGREGATE_MIN, ex}, {RDX_AGGREGATE_MAX, ex}};
  rdx_query q = {.where = &where, .group_by = by, .group_count = groups, .aggregates = ag, .aggregate_count = flags};
  memset(expected, 0, sizeof expected);
  for (uint32_t i = 0; i < rows; i++) {
    bool ok = !either;
    for (uint32_t k = 0; k < where.child_count; k++) {
      const bool t = has(k, i) && data[k][i] >= lit[k][0] && data[k][i] <= lit[k][1];
      ok = either ? ok || t : ok && t;
    }
    if (!ok) continue;
    uint64_t key = 0;
    for (uint32_t g = 0; g < groups; g++)
      key = key * 16 + (has(by[g], i) ? (uint64_t)(data[by[g]][i] + 3) : 15);
    row *r = &expected[key];
    r->count++;
    const bool null = !wide && !has(4, i);
    const int64_t x = wide ? big[i] : (int64_t)data[4][i] * 3;
    if (!null) {
      if (r->n == 0 || x < r->least) r->least = x;
      if (r->n == 0 || x > r->most) r->most = x;
      r->n++;
      r->sum += x;
    }
  }
  rdx_query_result *result = NULL;
  const rdx_query_params params = {.stats = true};
  OK(rdx_engine_run(e, &q, &params, &result, err));
  uint64_t out = 0;
  for (uint32_t k = 0; k < 4096; k++) {
    const row *r = &expected[k];
    if (r->count == 0 && groups > 0) continue;
    if (groups == 0 && k > 0) break;
    assert_true(out < rdx_query_result_rows(result));
    bool null;
    for (uint32_t g = 0; g < groups; g++) {
      const uint64_t digit = k >> (4 * (groups - 1 - g)) & 15;
      const int64_t val = get(rdx_query_result_column(result, g), out, &null);
      assert_true(null == (digit == 15));
      if (!null) assert_int_equal(val, (int64_t)digit - 3);
    }
    assert_int_equal(get(rdx_query_result_column(result, groups), out, &null), r->count);
    if (flags > 1) {
      const int64_t s = get(rdx_query_result_column(result, groups + 1), out, &null);
      assert_true(null == (r->n == 0));
      if (!null) assert_int_equal(s, r->sum);
    }
    if (flags > 2) assert_int_equal(get(rdx_query_result_column(result, groups + 2), out, &null), r->n);
    if (flags > 3) {
      const int64_t s = get(rdx_query_result_column(result, groups + 3), out, &null);
      if (r->n) assert_int_equal(s, r->least);
      assert_int_equal(null, r->n == 0);
    }
    if (flags > 4) {
      const int64_t s = get(rdx_query_result_column(result, groups + 4), out, &null);
      if (r->n) assert_int_equal(s, r->most);
    }
    out++;
  }
  assert_int_equal(out, rdx_query_result_rows(result));
  rdx_query_result_destroy(&result);
}

static const char *current;
static void run_kind(rdx_engine_params params) {
  for (uint32_t round = 0; round < (test_is_slow() ? 6 : 30); round++) {
    static const uint32_t sizes[] = {0, 1, 2, 100, 1000, 5000, 3000};
    uint32_t n = sizes[round % 7];
    if (!test_is_slow() && round % 5 == 4) n = MOST;
    make(n, round % 2);
    rdx_engine *e = NULL;
    OK(rdx_engine_create(test_device, &relation, &params, &e, err));
    const rdx_expression v = {.attribute = 4}, three = {.kind = RDX_EXPRESSION_CONSTANT, .value = 3}, b = {.attribute = 5};
    const rdx_expression prod = {.kind = RDX_EXPRESSION_MULTIPLY, .left = &v, .right = &three};
    const rdx_expression *ex[] = {&prod, &b};
    const uint32_t scan[] = {1, 0, 2}, groups[] = {3, 1, 0};
    const rdx_cube_spec spec = {scan, 3, groups, 3, ex, 2};
    OK(rdx_engine_add_cube(e, &spec, err));
    for (uint32_t q = 0; q < 24; q++) {
      const uint32_t orders[][3] = {{3, 1, 0}, {0, 1, 3}, {1, 3, 0}};
      check(e, q % 4, orders[q % 3], q / 4 % 2, 1 + (uint32_t)(test_random() % 5));
    }
    rdx_engine_destroy(&e);
  }
}

static void test_sorted(void **state) { (void)state; run_kind((rdx_engine_params){.kind = RDX_ENGINE_SORTED_CUBE}); }

static void test_coarse(void **state) {
  (void)state;
  run_kind((rdx_engine_params){.kind = RDX_ENGINE_COARSE_CUBE});
  run_kind((rdx_engine_params){.kind = RDX_ENGINE_COARSE_CUBE, .coarse_cube.block_rows = 3});
}

static void test_rt(void **state) {
  (void)state;
  for (uint32_t o = RDX_RT_CUBE_ENCODE; o <= RDX_RT_CUBE_SEPARATE_SCAN; o++) {
    run_kind((rdx_engine_params){.kind = RDX_ENGINE_RT_CUBE, .rt_cube.operators = (rdx_rt_cube_operators)o});
    run_kind((rdx_engine_params){.kind = RDX_ENGINE_RT_CUBE, .rt_cube = {.operators = (rdx_rt_cube_operators)o, .leg_x = 200000, .leg_y = 4}});
  }
}

int main(void) {
  (void)current;
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sorted), cmocka_unit_test(test_coarse), cmocka_unit_test(test_rt)};
  return TEST_MAIN(tests);
}
