/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Orders of joins against all orders that there are, for random relations and conditions. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cost/cost.h"
#include "plan/internal.h"

static uint64_t seed = 1;

static uint32_t draw(uint32_t below) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(seed >> 33) % below;
}

static rdx_planner planner(rdx_arena *arena, rdx_error *err) {
  static const rdx_settings settings; /* all that there is to choose is chosen by cost */
  rdx_planner p = {.arena = arena, .err = err, .settings = &settings};
  const rdx_device_info info = {.backend = RDX_BACKEND_CPU, .threads = 2};
  rdx_calibration_built_in(&info, &p.rates);
  return p;
}

/* ---- All orders ---- */

static double rows_of(const rdx_join_graph *g, uint32_t set) {
  double rows = 1;
  for (uint32_t i = 0; i < g->count; i++)
    rows *= set >> i & 1 ? g->rows[i] : 1;
  for (uint32_t i = 0; i < g->edge_count; i++)
    rows *= (g->edges[i].left | g->edges[i].right) & ~set ? 1 : g->edges[i].share;
  return rows;
}

static bool connects(const rdx_join_graph *g, uint32_t a, uint32_t b) {
  for (uint32_t i = 0; i < g->edge_count; i++) {
    const rdx_join_edge *e = &g->edges[i];
    if (e->right && ((!(e->left & ~a) && !(e->right & ~b)) || (!(e->left & ~b) && !(e->right & ~a))))
      return true;
  }
  return false;
}

static double join_ms(const rdx_planner *p, const rdx_join_graph *g, uint32_t a, uint32_t b) {
  const double x = rows_of(g, a), y = rows_of(g, b);
  const rdx_join_costs costs = rdx_join_costs_of(p, fmin(x, y));
  return rdx_join_ms(&costs, fmax(x, y), rows_of(g, a | b));
}

/* The least of all trees without cross products; infinite where there is none. */
static double min(const rdx_planner *p, const rdx_join_graph *g, uint32_t set) {
  double best = INFINITY;
  if (!(set & (set - 1)))
    return 0;
  for (uint32_t a = (set - 1) & set; a; a = (a - 1) & set)
    if (connects(g, a, set ^ a))
      best = fmin(best, min(p, g, a) + min(p, g, set ^ a) + join_ms(p, g, a, set ^ a));
  return best;
}

/* What an order takes, and whether conditions connect all that it joins. */
static double follow(const rdx_planner *p, const rdx_join_graph *g, const uint32_t *splits, uint32_t set,
                     bool *connected) {
  if (!(set & (set - 1)))
    return 0;
  const uint32_t a = splits[set], b = set ^ a;
  assert_true(a && b && !(a & ~set));
  *connected &= connects(g, a, b);
  return follow(p, g, splits, a, connected) + follow(p, g, splits, b, connected) + join_ms(p, g, a, b);
}

/* ---- Graphs ---- */

typedef struct random_graph {
  rdx_join_graph graph;
  rdx_join_edge edges[32];
} random_graph;

static void add_edge(random_graph *r, uint32_t left, uint32_t right) {
  r->edges[r->graph.edge_count++] = (rdx_join_edge){left, right, pow(10, -(double)draw(7))};
}

/* A random tree of conditions, with some more: equalities of two relations, of three, and other conditions. */
static void make_graph(random_graph *r, uint32_t count, bool connected) {
  *r = (random_graph){.graph = {.count = count, .edges = r->edges}};
  for (uint32_t i = 0; i < count; i++) {
    r->graph.rows[i] = pow(10, draw(7));
    if (i > 0 && (connected || draw(3) > 0))
      add_edge(r, 1u << draw(i), 1u << i);
  }
  for (uint32_t i = draw(3); i > 0; i--) {
    const uint32_t a = draw(count), b = draw(count);
    const bool equality = draw(3) > 0;
    if (a != b)
      add_edge(r, 1u << a | (equality ? 0 : 1u << b), equality ? 1u << b : 0);
  }
  if (count > 3 && draw(4) == 0)
    add_edge(r, 3, 4);
}

static void orders_are_the_best(void **state) {
  (void)state;
  for (uint32_t run = 0; run < 300; run++) {
    rdx_arena arena = {0};
    rdx_error err = {""};
    const rdx_planner p = planner(&arena, &err);
    rdx_planner writable = p;
    random_graph r;
    uint32_t *splits = NULL;
    bool connected = true;
    make_graph(&r, 2 + run % 5, true);
    assert_int_equal(rdx_order_joins(&writable, &r.graph, &splits), RDX_OK);
    const uint32_t all = (1u << r.graph.count) - 1;
    const double found = follow(&p, &r.graph, splits, all, &connected), best = min(&p, &r.graph, all);
    if (!connected || fabs(found - best) > 1e-9 * best)
      fail_msg("run %u: %g ms, the best is %g", run, found, best);
    rdx_arena_free(&arena);
  }
}

/* Where conditions do not connect all, every relation is joined all the same, by as few cross products as there must
 * be. */
static void cross_products_are_joined_last(void **state) {
  (void)state;
  rdx_arena arena = {0};
  rdx_error err = {""};
  rdx_planner p = planner(&arena, &err);
  rdx_join_edge edges[] = {{1, 2, 1e-6}, {4, 8, 1e-6}};
  rdx_join_graph g = {.count = 4, .rows = {1e6, 1e6, 1e6, 1e6}, .edges = edges, .edge_count = 2};
  uint32_t *splits = NULL;
  assert_int_equal(rdx_order_joins(&p, &g, &splits), RDX_OK);
  assert_true(splits[15] == 3 || splits[15] == 12);
  for (uint32_t run = 0; run < 100; run++) {
    random_graph r;
    bool ignored = true;
    make_graph(&r, 3 + run % 8, false);
    assert_int_equal(rdx_order_joins(&p, &r.graph, &splits), RDX_OK);
    follow(&p, &r.graph, splits, (1u << r.graph.count) - 1, &ignored);
  }
  rdx_arena_free(&arena);
}

/* A condition on three relations connects the third one with the two others together. */
static void an_equality_of_three_relations_waits_for_two(void **state) {
  (void)state;
  rdx_arena arena = {0};
  rdx_error err = {""};
  rdx_planner p = planner(&arena, &err);
  rdx_join_edge edges[] = {{3, 4, 1e-3}};
  rdx_join_graph g = {.count = 3, .rows = {1000, 1000, 1000}, .edges = edges, .edge_count = 1};
  uint32_t *splits = NULL;
  assert_int_equal(rdx_order_joins(&p, &g, &splits), RDX_OK);
  assert_true(splits[7] == 3 || splits[7] == 4);
  rdx_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orders_are_the_best),
      cmocka_unit_test(cross_products_are_joined_last),
      cmocka_unit_test(an_equality_of_three_relations_waits_for_two),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
