/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Whichever request for memory fails, whenever somebody cancels: operators fail with that, give back what they took,
 * and work the next time. */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "device/device.h"
#include "execute/operators.h"
#include "tests/unit/failing_memory.h"
#include "tests/unit/frames.h"
#include "tests/unit/random.h"

/* Fail each request of a run in turn. */
static void fail_each(bench *b, rdx_plan_node *n) {
  rdx_frame out;
  OK(rdx_execute_node(&b->x, n, &out, err)); /* what the device keeps for later is there then */
  rdx_frame_destroy(&out);
  uint32_t failures = 0;
  bool done = false;
  for (int64_t i = 0; !done; i++) {
    rdx_error err = {""};
    rdx_arena own = {0};
    const int64_t before = live;
    b->x.arena = &own;
    requests_left = i;
    const rdx_status status = rdx_execute_node(&b->x, n, &out, &err);
    done = requests_left > 0;
    requests_left = INT64_MAX;
    if (status == RDX_OK)
      rdx_frame_destroy(&out);
    else if (status != RDX_ERROR_MEMORY && status != RDX_ERROR_DEVICE_MEMORY)
      fail_msg("%s: %s", rdx_status_name(status), err.text);
    failures += status != RDX_OK;
    rdx_arena_free(&own);
    b->x.arena = &b->arena;
    assert_int_equal(live, before);
  }
  assert_true(failures > 0); /* a join lives through most of them: it comes in portions then */
}

static const wanted_column mixed[] = {{RDX_TYPE_STRING, 6, 20, true},
                                      {RDX_TYPE_I64, 0, 10, false},
                                      {RDX_TYPE_I32, 6, 10, false},
                                      {RDX_TYPE_STRING, 6, 20, false}};

static rdx_plan_node *make_pair(bench *b, rdx_plan_kind kind) {
  rdx_frame frames[2];
  random_frame(b, mixed, 4, 60, true, &frames[0]);
  random_frame(b, mixed, 4, 50, true, &frames[1]);
  rdx_plan_node *left = source(b, 0, &frames[0]), *right = source(b, 1, &frames[1]);
  return node(b, kind, left, right);
}

static void test_joins(void **state) {
  (void)state;
  bench b;
  bench_begin(&b);
  for (uint32_t kind = RDX_PLAN_INNER; kind <= RDX_PLAN_ANTI; kind++)
    for (uint32_t keys = 0; keys < 3; keys++) {
      rdx_plan_node *n = make_pair(&b, RDX_PLAN_JOIN);
      rdx_bound *of_right = column(&b, n->right, 2);
      of_right->index += 4;
      n->join = (rdx_plan_join)kind;
      n->key_count = keys;
      n->left_keys = allocate(&b, 2, sizeof(rdx_bound *));
      n->right_keys = allocate(&b, 2, sizeof(rdx_bound *));
      for (uint32_t i = 0; i < keys; i++) {
        n->left_keys[i] = column(&b, n->left, 3 * i);
        n->right_keys[i] = column(&b, n->right, 3 * i);
      }
      n->filter = kind == RDX_PLAN_SEMI ? NULL : call(&b, RDX_OP_LE, RDX_SQL_BOOL, 2, column(&b, n->left, 2), of_right);
      if (kind != RDX_PLAN_SEMI || keys > 0) /* which takes next to nothing */
        fail_each(&b, n);
      bench_clear(&b);
    }
  bench_end(&b);
}

static void test_sets(void **state) {
  (void)state;
  bench b;
  bench_begin(&b);
  for (uint32_t kind = RDX_PLAN_UNION; kind <= RDX_PLAN_EXCEPT; kind++) {
    fail_each(&b, make_pair(&b, (rdx_plan_kind)kind));
    bench_clear(&b);
  }
  bench_end(&b);
}

/* Each round leaves out 20 rows of the one before it. */
static void test_recursion(void **state) {
  (void)state;
  bench b;
  bench_begin(&b);
  for (uint32_t all = 0; all < 2; all++) {
    rdx_frame frame;
    random_frame(&b, mixed, 4, 60, true, &frame);
    rdx_plan_node *left = source(&b, 0, &frame), *working = node(&b, RDX_PLAN_WORKING, NULL, NULL);
    working->columns = left->columns;
    working->column_count = left->column_count;
    working->shared = true;
    working->id = 1;
    rdx_plan_node *right = node(&b, RDX_PLAN_LIMIT, working, NULL), *n = node(&b, RDX_PLAN_RECURSIVE, left, right);
    right->columns = n->columns = left->columns;
    right->column_count = n->column_count = left->column_count;
    right->offset = whole(&b, 20);
    n->working = working;
    n->all = all;
    fail_each(&b, n);
    rdx_frame out;
    OK(rdx_execute_node(&b.x, n, &out, err));
    assert_true(all ? out.rows == 60 + 40 + 20 : out.rows <= 60);
    rdx_frame_destroy(&out);
    bench_clear(&b);
  }
  bench_end(&b);
}

static void test_sorts(void **state) {
  (void)state;
  bench b;
  bench_begin(&b);
  for (uint32_t limited = 0; limited < 2; limited++) {
    static rdx_plan_order orders[] = {{1, true, true}, {0, false, false}, {2, false, true}};
    rdx_frame frame;
    random_frame(&b, mixed, 4, 300, true, &frame);
    rdx_plan_node *n = node(&b, RDX_PLAN_SORT, source(&b, 0, &frame), NULL);
    n->orders = orders;
    n->order_count = 3;
    n->limit = limited ? whole(&b, 3) : NULL;
    fail_each(&b, n);
    bench_clear(&b);
  }
  bench_end(&b);
}

static void test_aggregates(void **state) {
  (void)state;
  bench b;
  bench_begin(&b);
  for (uint32_t groups = 0; groups < 12; groups += 4) {
    rdx_frame frame;
    random_frame(&b, mixed, 4, 100, true, &frame);
    rdx_plan_node *n = node(&b, RDX_PLAN_AGGREGATE, source(&b, 0, &frame), NULL);
    n->expr_count = groups;
    n->aggregate_count = 10;
    n->column_count = groups + 10;
    n->exprs = allocate(&b, groups, sizeof(rdx_bound *));
    n->aggregates = allocate(&b, 10, sizeof *n->aggregates);
    n->columns = allocate(&b, n->column_count, sizeof *n->columns);
    for (uint32_t i = 0; i < groups; i++) {
      n->exprs[i] = column(&b, n->left, i % 4);
      n->columns[i].type = n->exprs[i]->type;
    }
    for (uint32_t i = 0; i < 10; i++) {
      n->aggregates[i] = (rdx_plan_aggregate){.kind = i % 2 ? RDX_PLAN_SUM : RDX_PLAN_COUNT,
                                              .value = column(&b, n->left, 2),
                                              .distinct = i == 3,
                                              .type = {.kind = RDX_SQL_BIGINT}};
      n->columns[groups + i].type = n->aggregates[i].type;
    }
    fail_each(&b, n);
    bench_clear(&b);
  }
  bench_end(&b);
}

/* Of pairs that are too many for memory, in portions: text is grouped by, sums of doubles have windows. */
static void test_portions(void **state) {
  (void)state;
  static const wanted_column columns[] = {{RDX_TYPE_STRING, 6, 20, true}, {RDX_TYPE_F64, 0, 10, false}};
  bench b;
  bench_begin(&b);
  for (uint32_t groups = 0; groups < 2; groups++) {
    rdx_frame frames[2];
    random_frame(&b, columns, 2, 60, true, &frames[0]);
    random_frame(&b, columns, 2, 200, true, &frames[1]);
    rdx_plan_node *join = node(&b, RDX_PLAN_JOIN, source(&b, 0, &frames[0]), source(&b, 1, &frames[1]));
    rdx_plan_node *n = node(&b, RDX_PLAN_AGGREGATE, join, NULL);
    join->id = 2;
    n->expr_count = groups;
    n->exprs = allocate(&b, 1, sizeof(rdx_bound *));
    n->exprs[0] = column(&b, join, 2);
    n->aggregate_count = 3;
    n->aggregates = allocate(&b, 3, sizeof *n->aggregates);
    n->column_count = groups + 3;
    n->columns = allocate(&b, n->column_count, sizeof *n->columns);
    n->columns[0].type = n->exprs[0]->type;
    for (uint32_t i = 0; i < 3; i++) {
      static const rdx_plan_aggregate_kind kinds[] = {RDX_PLAN_COUNT, RDX_PLAN_AVG, RDX_PLAN_MAX};
      rdx_bound *value = column(&b, join, i == 1 ? 3 : 0);
      const rdx_sql_type type = i == 0 ? (rdx_sql_type){.kind = RDX_SQL_BIGINT} : value->type;
      n->aggregates[i] = (rdx_plan_aggregate){.kind = kinds[i], .value = value, .type = type};
      n->columns[groups + i].type = type;
    }
    b.device->memory_limit = 80 << 10; /* 8 bytes for each of 12,000 pairs do not fit */
    fail_each(&b, n);
    assert_non_null(strstr(b.actuals[n->id].method, "portions"));
    b.device->memory_limit = 0;
    bench_clear(&b);
  }
  bench_end(&b);
}

/* Aggregates of values in order: of texts, numbers and texts again; of bits, XOR of distinct ones. */
static void add_ordered(bench *b, rdx_plan_node *n, rdx_plan_aggregate_kind kind, uint32_t value) {
  rdx_plan_aggregate *a = &n->aggregates[n->aggregate_count++];
  a->kind = kind;
  a->value = column(b, n->left, value);
  a->type = kind == RDX_PLAN_PERCENTILE_CONT ? (rdx_sql_type){.kind = RDX_SQL_DOUBLE} : a->value->type;
  n->columns[n->column_count++].type = a->type;
  a->distinct = kind == RDX_PLAN_BIT_XOR;
  if (kind == RDX_PLAN_BIT_AND || kind == RDX_PLAN_BIT_OR) /* which take any order */
    return;
  a->argument = allocate(b, 1, sizeof *a->argument);
  *a->argument = kind == RDX_PLAN_STRING_AGG
                     ? *column(b, n->left, 3)
                     : (rdx_bound){.kind = RDX_BOUND_CONSTANT, .type = {.kind = RDX_SQL_DOUBLE}, .value = {.f = 0.5}};
  if (kind == RDX_PLAN_BIT_XOR)
    a->argument = NULL;
  a->orders = allocate(b, 1, sizeof *a->orders);
  a->orders[0] = (rdx_plan_ordering){column(b, n->left, kind == RDX_PLAN_STRING_AGG ? 1 : value), true, false};
  a->order_count = 1;
}

static void test_ordered_aggregates(void **state) {
  (void)state;
  static const wanted_column columns[] = {{RDX_TYPE_STRING, 6, 20, true},
                                          {RDX_TYPE_I64, 0, 10, false},
                                          {RDX_TYPE_F64, 6, 10, false},
                                          {RDX_TYPE_STRING, 6, 20, false}};
  bench b;
  bench_begin(&b);
  for (uint32_t groups = 0; groups < 3; groups += 2) {
    rdx_frame frame;
    random_frame(&b, columns, 4, 100, true, &frame);
    rdx_plan_node *n = node(&b, RDX_PLAN_AGGREGATE, source(&b, 0, &frame), NULL);
    n->exprs = allocate(&b, groups, sizeof(rdx_bound *));
    n->column_count = 0;
    n->aggregates = allocate(&b, 7, sizeof *n->aggregates);
    n->columns = allocate(&b, groups + 7, sizeof *n->columns);
    for (uint32_t i = 0; i < groups; i++) {
      n->exprs[n->expr_count++] = column(&b, n->left, i);
      n->columns[n->column_count++].type = n->exprs[i]->type;
    }
    add_ordered(&b, n, RDX_PLAN_STRING_AGG, 0);
    add_ordered(&b, n, RDX_PLAN_PERCENTILE_CONT, 2);
    add_ordered(&b, n, RDX_PLAN_PERCENTILE_DISC, 3);
    add_ordered(&b, n, RDX_PLAN_MODE, 1);
    for (uint32_t kind = RDX_PLAN_BIT_AND; kind <= RDX_PLAN_BIT_XOR; kind++)
      add_ordered(&b, n, (rdx_plan_aggregate_kind)kind, 1);
    fail_each(&b, n);
    bench_clear(&b);
  }
  bench_end(&b);
}

/* ---- Cancelling ---- */

static _Atomic int64_t questions_left = INT64_MAX; /* until the answer is to stop */

static bool ask(void *user, const char *stage, uint64_t done, uint64_t total) {
  (void)user;
  (void)stage;
  (void)done;
  (void)total;
  return questions_left-- <= 0;
}

/* Cancel a run at each question in turn. */
static void cancel_each(bench *b, rdx_plan_node *n) {
  bool done = false;
  for (int64_t i = 0; !done; i++) {
    rdx_error err = {""};
    rdx_frame out;
    const int64_t before = live;
    rdx_arena own = {0};
    b->x.arena = &own;
    questions_left = i;
    const rdx_status status = rdx_execute_node(&b->x, n, &out, &err);
    done = questions_left >= 0;
    questions_left = INT64_MAX;
    assert_int_equal(status, done ? RDX_OK : RDX_ERROR_CANCELLED);
    rdx_arena_free(&own);
    b->x.arena = &b->arena;
    if (done)
      rdx_frame_destroy(&out);
    else
      assert_int_equal(live, before);
  }
}

static void test_cancel(void **state) {
  (void)state;
  static rdx_plan_order orders[] = {{1, true, true}, {0, false, false}};
  bench b;
  bench_begin(&b);
  rdx_frame frames[2];
  random_frame(&b, mixed, 4, 200, true, &frames[0]);
  random_frame(&b, mixed, 4, 3000, true, &frames[1]);
  rdx_plan_node *left = source(&b, 0, &frames[0]), *right = source(&b, 1, &frames[1]);
  rdx_plan_node *join = node(&b, RDX_PLAN_JOIN, left, right), *sort = node(&b, RDX_PLAN_SORT, left, NULL);
  rdx_bound *of_right = column(&b, right, 2);
  of_right->index += 4;
  join->filter = call(&b, RDX_OP_LE, RDX_SQL_BOOL, 2, column(&b, left, 2), of_right);
  sort->orders = orders;
  sort->order_count = 2;
  rdx_set_progress(ask, NULL);
  cancel_each(&b, join);
  cancel_each(&b, sort);
  cancel_each(&b, node(&b, RDX_PLAN_EXCEPT, left, right));
  rdx_set_progress(NULL, NULL);
  bench_end(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_joins),
      cmocka_unit_test(test_sets),
      cmocka_unit_test(test_recursion),
      cmocka_unit_test(test_sorts),
      cmocka_unit_test(test_aggregates),
      cmocka_unit_test(test_portions),
      cmocka_unit_test(test_ordered_aggregates),
      cmocka_unit_test(test_cancel),
  };
  rdx_set_allocator(&failing_memory);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
