/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The order of joins, by dynamic programming over all sets of relations (Selinger et al., SIGMOD 1979, section 5): the
 * best plan of a set joins the best plans of two halves, which a condition connects. */

#include "plan/internal.h"

#include <math.h>

/* What is known of a set of relations. */
typedef struct subset {
  double rows, ms;      /* ms: of the joins in it */
  uint32_t split;       /* one half */
  uint32_t near;        /* relations that conditions connect with one of it */
  rdx_join_costs costs; /* of joins that look up in it */
  bool connected;       /* joined without a cross product */
} subset;

typedef struct ordering {
  const rdx_planner *planner;
  const rdx_join_graph *graph;
  subset *sets;
  bool wide; /* a side of an edge is several relations */
} ordering;

/* Whether an edge between sets of several relations connects two halves. */
static bool connects(const rdx_join_edge *e, uint32_t a, uint32_t b) {
  return e->right && ((!(e->left & ~a) && !(e->right & ~b)) || (!(e->left & ~b) && !(e->right & ~a)));
}

static bool are_connected(const ordering *o, uint32_t a, uint32_t b) {
  if (o->sets[a].near & b)
    return true;
  for (uint32_t i = 0; i < o->graph->edge_count && o->wide; i++)
    if (connects(&o->graph->edges[i], a, b))
      return true;
  return false;
}

/* A set has the rows of all its relations that satisfy all its conditions, in whatever order it is joined. */
static void begin_set(const ordering *o, uint32_t s) {
  const rdx_join_graph *g = o->graph;
  const uint32_t first = s & -s, rest = s & ~first;
  subset *set = &o->sets[s];
  set->near = o->sets[rest].near | o->sets[first].near;
  set->rows = o->sets[rest].rows * o->sets[first].rows;
  for (uint32_t i = 0; i < g->edge_count; i++) {
    const uint32_t both = g->edges[i].left | g->edges[i].right;
    if (!(both & ~s) && both & first)
      set->rows *= g->edges[i].share;
  }
  set->ms = INFINITY;
}

static double join_ms(const ordering *o, const subset *a, const subset *b, const subset *both, bool connected) {
  const bool turned = a->rows < b->rows;
  const subset *small = turned ? a : b, *large = turned ? b : a;
  const rdx_work cross = {.launches = 1, .values = a->rows * b->rows};
  return connected ? rdx_join_ms(&small->costs, large->rows, both->rows)
                   : rdx_work_ms(&o->planner->rates, &cross);
}

/* `cross_products`: cross products are needed. */
static void try_splits(const ordering *o, uint32_t s, bool cross_products) {
  const uint32_t first = s & -s, rest = s & ~first;
  subset *set = &o->sets[s];
  for (uint32_t b = rest; b; b = (b - 1) & rest) {
    const subset *x = &o->sets[s ^ b], *y = &o->sets[b];
    if ((!cross_products && !(x->connected && y->connected)) || !(x->ms + y->ms < set->ms))
      continue;
    const bool connected = are_connected(o, s ^ b, b);
    if (!connected && !cross_products)
      continue;
    const double ms = x->ms + y->ms + join_ms(o, x, y, set, connected);
    if (ms >= set->ms)
      continue;
    set->ms = ms;
    set->split = b;
    set->connected = !cross_products;
  }
}

static bool is_one(uint32_t set) {
  return set && !(set & (set - 1));
}

static void begin_relation(const ordering *o, uint32_t relation) {
  const rdx_join_graph *g = o->graph;
  const uint32_t own = 1u << relation;
  subset *set = &o->sets[own];
  *set =
      (subset){.rows = g->rows[relation], .connected = true, .costs = rdx_join_costs_of(o->planner, g->rows[relation])};
  for (uint32_t i = 0; i < g->edge_count; i++) {
    const rdx_join_edge *e = &g->edges[i];
    if (e->left == own && is_one(e->right))
      set->near |= e->right;
    else if (e->right == own && is_one(e->left))
      set->near |= e->left;
  }
}

/* The best plans of all sets that have none yet. */
static void plan_sets(const ordering *o, uint32_t all, bool cross_products) {
  for (uint32_t s = 1; s <= all; s++) {
    subset *set = &o->sets[s];
    if (is_one(s) || (cross_products && set->ms < INFINITY))
      continue;
    if (!cross_products)
      begin_set(o, s);
    try_splits(o, s, cross_products);
    if (set->ms < INFINITY)
      set->costs = rdx_join_costs_of(o->planner, set->rows);
  }
}

rdx_status rdx_order_joins(rdx_planner *p, const rdx_join_graph *graph, uint32_t **splits) {
  ordering o = {.planner = p, .graph = graph};
  const uint32_t all = (1u << graph->count) - 1;
  RDX_TRY(rdx_planner_alloc(p, (uint64_t)all + 1, sizeof *o.sets, &o.sets));
  RDX_TRY(rdx_planner_alloc(p, (uint64_t)all + 1, sizeof **splits, splits));
  for (uint32_t i = 0; i < graph->count; i++)
    begin_relation(&o, i);
  for (uint32_t i = 0; i < graph->edge_count; i++)
    o.wide |= graph->edges[i].right && !(is_one(graph->edges[i].left) && is_one(graph->edges[i].right));
  plan_sets(&o, all, false);
  if (!(o.sets[all].ms < INFINITY)) /* not all are connected */
    plan_sets(&o, all, true);
  for (uint32_t s = 1; s <= all; s++)
    (*splits)[s] = o.sets[s].split;
  return RDX_OK;
}
