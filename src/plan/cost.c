/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* What the operators of a plan are expected to take: their work in counts, of the rows that are expected. */

#include "plan/internal.h"

#include <math.h>

/* What an expression takes for a row, in sums of two numbers, as measured: texts take twice as long as numbers, and AND
 * next to nothing. */
double rdx_count_values(const rdx_bound *e) {
  if (e->kind != RDX_BOUND_CALL)
    return 0;
  double count = 1;
  if (e->op == RDX_OP_AND || e->op == RDX_OP_OR || e->op == RDX_OP_NOT)
    count = 0.2;
  else if (e->op >= RDX_OP_EQ && e->op <= RDX_OP_IN)
    count = e->args[0]->type.kind == RDX_SQL_TEXT ? 2.8 : 1.4;
  for (uint32_t i = 0; i < e->count; i++)
    count += rdx_count_values(e->args[i]);
  return count;
}

static double count_all(rdx_bound *const *list, uint32_t count) {
  double values = 0;
  for (uint32_t i = 0; i < count; i++)
    values += rdx_count_values(list[i]);
  return values;
}

/* ---- Joins ---- */

static const rdx_index_method join_methods[] = RDX_CALIBRATION_JOIN_METHODS;

static rdx_work join_work(uint32_t method, double smaller, double larger, double pairs) {
  return (rdx_work){.join_method = method, .joins = 1, .built = smaller, .probed = larger, .values = 2 * pairs};
}

#define FEW_SHARE 8 /* the smaller input has at most one row for so many of the larger */
#define FEW_FOUND 4 /* or one in so many of the larger input's rows has a match */

/* Fewer rows than go to a device are looked up as fast. */
bool rdx_join_reduces(double larger, double smaller, double found) {
  return larger >= RDX_DEVICE_ROWS && smaller <= larger &&
         (smaller <= larger / FEW_SHARE || found <= larger / FEW_FOUND);
}

static bool is_few(double rows) {
  return rows < RDX_DEVICE_ROWS;
}

static const rdx_calibration *rates_for(const rdx_planner *p, double rows) {
  return p->has_host && is_few(rows) ? &p->host : &p->rates;
}

#define CLEARLY 0.77 /* of the first method's time for few rows, below which another is taken: it varies by more */

/* The place of the fastest method, or of the one that a setting asks for; of others the first stands for them. */
static uint32_t join_place(const rdx_planner *p, const rdx_calibration *rates, double smaller, double larger) {
  const rdx_index_method wanted = p->settings->join.method;
  double min = INFINITY;
  uint32_t best = 0;
  for (uint32_t i = 0; i < RDX_CALIBRATION_JOINS; i++) {
    const rdx_work work = join_work(i, smaller, larger, 0);
    const double ms = rdx_work_ms(rates, &work);
    if (wanted == RDX_INDEX_AUTO ? ms < min : join_methods[i] == wanted) {
      best = i;
      min = i == 0 && is_few(larger) ? CLEARLY * ms : ms;
    }
  }
  return best;
}

/* That of a method; of others the first. */
static uint32_t join_place_of(rdx_index_method method) {
  uint32_t place = RDX_CALIBRATION_JOINS;
  while (place-- > 1 && join_methods[place] != method)
    continue;
  return place;
}

static rdx_join_rates join_rates(const rdx_planner *p, const rdx_calibration *rates, double rows) {
  const uint32_t method = join_place(p, rates, rows, rows);
  const rdx_work none = join_work(method, rows, 0, 0), probe = join_work(method, rows, 1, 0),
                 pair = join_work(method, rows, 0, 1);
  const double fixed = rdx_work_ms(rates, &none);
  const rdx_work test = {.values = 1};
  return (rdx_join_rates){.rows = rows,
                          .fixed = fixed,
                          .probe = rdx_work_ms(rates, &probe) - fixed,
                          .pair = rdx_work_ms(rates, &pair) - fixed,
                          .test = p->on_cpu ? rdx_work_ms(rates, &test) : 0};
}

rdx_join_costs rdx_join_costs_of(const rdx_planner *p, double rows) {
  const rdx_join_rates many = join_rates(p, &p->rates, rows);
  return (rdx_join_costs){p->has_host && is_few(rows) ? join_rates(p, &p->host, rows) : many, many};
}

double rdx_join_ms(const rdx_join_costs *costs, double larger, double pairs) {
  const rdx_join_rates *r = is_few(costs->many.rows + larger) ? &costs->few : &costs->many;
  const bool reduces = r->test > 0 && rdx_join_reduces(larger, r->rows, pairs);
  const double tests = reduces ? larger * r->test : 0, probed = reduces ? fmin(larger, pairs) : larger;
  return r->fixed + tests + probed * r->probe + pairs * r->pair;
}

/* Values that a join calculates, whatever its method. */
static double join_values(const rdx_plan_node *n) {
  return n->left->expected_rows * count_all(n->left_keys, n->key_count) +
         n->right->expected_rows * count_all(n->right_keys, n->key_count) +
         (n->filter ? n->expected_rows * rdx_count_values(n->filter) : 0);
}

static rdx_work work_of_join(const rdx_planner *p, const rdx_plan_node *n, uint32_t method) {
  const double left = n->left->expected_rows, right = n->right->expected_rows;
  const double smaller = fmin(left, right), larger = fmax(left, right);
  const bool reduces = p->on_cpu && rdx_join_reduces(larger, smaller, n->expected_rows);
  rdx_work w = join_work(method, smaller, reduces ? fmin(larger, n->expected_rows) : larger, n->expected_rows);
  w.values += reduces ? larger : 0;
  if (n->key_count > 1) /* they are made one by sorting */
    w.sorted += left + right;
  w.values += join_values(n);
  return w;
}

static double input_rows(const rdx_plan_node *join) {
  return join->left->expected_rows + join->right->expected_rows;
}

static rdx_status list_rejected(rdx_planner *p, rdx_plan_node *n, uint32_t best) {
  const rdx_calibration *rates = rates_for(p, input_rows(n));
  RDX_TRY(rdx_planner_alloc(p, RDX_CALIBRATION_JOINS, sizeof *n->rejected, &n->rejected));
  for (uint32_t i = 0; i < RDX_CALIBRATION_JOINS; i++) {
    const rdx_work work = work_of_join(p, n, i);
    if (i != best)
      n->rejected[n->rejected_count++] =
          (rdx_plan_method){.name = rdx_index_method_name(join_methods[i]), .ms = rdx_work_ms(rates, &work)};
  }
  return RDX_OK;
}

/* The method, and what the join takes by it. */
static rdx_status choose_join(rdx_planner *p, rdx_plan_node *n, rdx_work *w) {
  const double left = n->left->expected_rows, right = n->right->expected_rows;
  const rdx_index_method wanted = p->settings->join.method;
  if (n->band_key) { /* ranges are in no hash table */
    const bool ranges = wanted != RDX_INDEX_AUTO && rdx_index_method_abilities(wanted).ranges;
    n->join_method = ranges ? wanted : RDX_INDEX_TREE;
    n->method = rdx_index_method_name(n->join_method);
    *w = work_of_join(p, n, join_place_of(n->join_method));
    return RDX_OK;
  }
  if (n->key_count == 0) {
    n->method = "all pairs";
    w->values += left * right * (1 + (n->filter ? rdx_count_values(n->filter) : 0));
    return RDX_OK;
  }
  const uint32_t place = join_place(p, rates_for(p, left + right), fmin(left, right), fmax(left, right));
  n->join_method = wanted == RDX_INDEX_AUTO ? join_methods[place] : wanted;
  n->method = rdx_index_method_name(n->join_method);
  *w = work_of_join(p, n, place);
  return p->settings->explains && n->join_method == join_methods[place] ? list_rejected(p, n, place) : RDX_OK;
}

/* ---- Others ---- */

static void add_aggregate(const rdx_plan_node *n, rdx_work *w) {
  const double rows = n->left->expected_rows;
  double columns = n->expr_count;
  for (uint32_t i = 0; i < n->aggregate_count; i++) {
    columns += n->aggregates[i].value != NULL;
    w->values += n->aggregates[i].value ? rows * rdx_count_values(n->aggregates[i].value) : 0;
    w->sorted += rdx_is_ordered(&n->aggregates[i]) ? rows : 0;
  }
  w->launches += 2;
  w->values += rows * count_all(n->exprs, n->expr_count);
  w->packed += rows * columns;
  w->grouped += rows * (n->aggregate_count + 1);
}

static void add_own(const rdx_plan_node *n, rdx_work *w) {
  const double rows = n->left ? n->left->expected_rows : 0;
  switch (n->kind) {
  case RDX_PLAN_AGGREGATE:
    add_aggregate(n, w);
    break;
  case RDX_PLAN_FILTER:
    w->values += rows * rdx_count_values(n->filter);
    break;
  case RDX_PLAN_PROJECT:
    w->values += rows * count_all(n->exprs, n->expr_count);
    break;
  case RDX_PLAN_SORT:
    w->sorted += rows * n->order_count;
    break;
  case RDX_PLAN_INTERSECT:
  case RDX_PLAN_EXCEPT:
    w->sorted += (rows + n->right->expected_rows) * n->column_count;
    break;
  case RDX_PLAN_UNION:
  case RDX_PLAN_RECURSIVE:
    w->values += (rows + n->right->expected_rows) * n->column_count;
    break;
  case RDX_PLAN_VALUES:
    w->values += n->expr_count;
    break;
  case RDX_PLAN_WINDOW:
    w->sorted += rows * n->window_count;
    break;
  case RDX_PLAN_ROWS:
    w->values += rows;
    break;
  case RDX_PLAN_SERIES:
    w->values += n->expected_rows;
    break;
  case RDX_PLAN_JOIN: /* see choose_join() */
  case RDX_PLAN_TABLE:
  case RDX_PLAN_WORKING:
  case RDX_PLAN_STAR:
  case RDX_PLAN_LIMIT:
    break;
  }
}

/* ---- Plans ---- */

/* Of where the node is expected to run. */
static const rdx_calibration *work_rates(const rdx_planner *p, rdx_plan_node *n) {
  const bool joins = n->kind == RDX_PLAN_JOIN, groups = n->kind == RDX_PLAN_AGGREGATE;
  n->on_host = p->has_host && ((joins && is_few(input_rows(n))) || (groups && is_few(n->left->expected_rows)));
  return n->on_host ? &p->host : &p->rates;
}

static rdx_status cost_node(rdx_planner *p, rdx_plan_node *n) {
  rdx_work work = {0};
  if (n->costed)
    return RDX_OK;
  n->costed = true;
  if (n->left)
    RDX_TRY(cost_node(p, n->left));
  if (n->right)
    RDX_TRY(cost_node(p, n->right));
  if (n->kind == RDX_PLAN_JOIN)
    RDX_TRY(choose_join(p, n, &work));
  add_own(n, &work);
  if (n->kind != RDX_PLAN_STAR && !(n->kind == RDX_PLAN_TABLE && n->filter)) /* those know it already */
    n->own_ms = rdx_work_ms(work_rates(p, n), &work);
  n->expected_ms = n->own_ms + (n->left ? n->left->expected_ms : 0) + (n->right ? n->right->expected_ms : 0);
  return RDX_OK;
}

rdx_status rdx_plan_cost(rdx_planner *p) {
  for (uint32_t i = 0; i < p->plan->scalar_count; i++)
    RDX_TRY(cost_node(p, p->plan->scalars[i].plan));
  return cost_node(p, p->plan->root);
}
