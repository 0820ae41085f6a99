/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Queries that read columns of the one around them become joins: what they compare with outer columns are the keys, as
 * far as it is equality. */

#include "plan/correlated.h"

#include <string.h>

/* ---- Keys, and what else is compared ---- */

/* Outer columns become the block's own, inner ones those of the dependent leaf. */
static rdx_status lift_node(void *user, rdx_bound *node, rdx_bound **out) {
  rdx_lifting *l = user;
  rdx_planner *p = l->block->planner;
  if (node->kind == RDX_BOUND_OUTER) {
    if (node->value.i > 1)
      return rdx_block_refuse(l->block, node->place, "a subquery can read columns of the query next around it only");
    return rdx_bind_column(p, node->index, node->type, node->place, out);
  }
  if (node->kind != RDX_BOUND_COLUMN)
    return RDX_OK;
  for (uint32_t i = 0; i < l->list->count; i++)
    if (rdx_bound_equal(l->list->list[i], node))
      return rdx_bind_column(p, rdx_leaf_column(l->leaf, l->first + i), node->type, node->place, out);
  return rdx_block_refuse(l->block, node->place, "this subquery compares outer columns in a way that cannot be joined");
}

/* Whether a conjunct says that something of the outer query equals something of the inner one. */
static bool is_key(const rdx_bound *c, uint32_t *outer) {
  if (!rdx_is_call(c, RDX_OP_EQ))
    return false;
  for (*outer = 0; *outer < 2; ++*outer) {
    const rdx_bound *out = c->args[*outer], *in = c->args[1 - *outer];
    if (rdx_bound_has(out, RDX_BOUND_OUTER) && !rdx_bound_has(out, RDX_BOUND_COLUMN) &&
        !rdx_bound_has(in, RDX_BOUND_OUTER))
      return true;
  }
  return false;
}

static rdx_status add_output(rdx_block *c, rdx_bound *value) {
  RDX_TRY(rdx_planner_grow(c->planner, &c->outputs, c->output_count, &c->output_capacity, sizeof *c->outputs));
  c->outputs[c->output_count++] = (rdx_output){"", value};
  c->visible = c->output_count;
  return RDX_OK;
}

rdx_status rdx_collect_columns(rdx_planner *p, const rdx_bound *node, rdx_conjuncts *list) {
  if (node->kind == RDX_BOUND_COLUMN)
    RDX_TRY(rdx_conjuncts_add(p, list, (rdx_bound *)(uintptr_t)node));
  for (uint32_t i = 0; node->kind == RDX_BOUND_CALL && i < node->count; i++)
    RDX_TRY(rdx_collect_columns(p, node->args[i], list));
  return RDX_OK;
}

static rdx_status add_group(rdx_block *c, rdx_bound *value) {
  uint32_t capacity = c->group_count; /* of the old list, which is full */
  RDX_TRY(rdx_planner_grow(c->planner, &c->groups, c->group_count, &capacity, sizeof *c->groups));
  c->groups[c->group_count++] = value;
  return RDX_OK;
}

static bool has_inner_key(const rdx_block *c) {
  uint32_t outer = 0;
  bool has = false;
  for (uint32_t i = 0; i < c->correlations.count && !has; i++)
    has = is_key(c->correlations.list[i], &outer) &&
          rdx_bound_has(c->correlations.list[i]->args[1 - outer], RDX_BOUND_COLUMN);
  return has;
}

rdx_status rdx_find_parts(rdx_block *c, bool constants, rdx_correlated_parts *out) {
  rdx_planner *p = c->planner;
  for (uint32_t i = 0; i < c->correlations.count; i++) {
    rdx_bound *conjunct = c->correlations.list[i];
    uint32_t outer = 0;
    const bool is_gate = !rdx_bound_has(conjunct, RDX_BOUND_COLUMN);
    if (is_gate)
      RDX_TRY(rdx_conjuncts_add(p, &out->gates, conjunct));
    if (!is_key(conjunct, &outer) || (is_gate && !constants)) {
      RDX_TRY(rdx_conjuncts_add(p, &out->rest, conjunct));
      RDX_TRY(rdx_collect_columns(p, conjunct, &out->columns));
      continue;
    }
    /* Lists of pairs: added as they are, even if one side is there already. */
    RDX_TRY(rdx_planner_grow(p, &out->outer.list, out->outer.count, &out->outer.capacity, sizeof(rdx_bound *)));
    out->outer.list[out->outer.count++] = conjunct->args[outer];
    RDX_TRY(rdx_planner_grow(p, &out->inner.list, out->inner.count, &out->inner.capacity, sizeof(rdx_bound *)));
    out->inner.list[out->inner.count++] = conjunct->args[1 - outer];
  }
  return RDX_OK;
}

/* The correlated query as a plan whose outputs are its own, its inner keys, and the columns that else are compared. */
rdx_status rdx_build_correlated(rdx_block *b, rdx_bound_query *q, const rdx_form *f, const rdx_correlated_parts *x,
                                rdx_plan_node **out) {
  rdx_block *c = q->block;
  if (c->aggregating && x->rest.count > 0)
    return rdx_block_refuse(b, q->written->place,
                            "a subquery with aggregates can be compared with outer columns by = only");
  if (c->set_count > 0)
    return rdx_block_refuse(b, q->written->place,
                            "GROUPING SETS in a subquery that reads outer columns are not supported");
  c->output_count = c->visible = f->outputs;
  c->distinct = f->distinct;
  c->no_star = c->aggregating;
  q->order_count = 0;
  for (uint32_t i = 0; i < x->inner.count; i++) {
    RDX_TRY(add_output(c, x->inner.list[i]));
    if (c->aggregating)
      RDX_TRY(add_group(c, x->inner.list[i]));
  }
  for (uint32_t i = 0; i < x->columns.count; i++)
    RDX_TRY(add_output(c, x->columns.list[i]));
  if (c->distinct && c->output_count == 0) { /* one row, if there is any */
    rdx_bound *one = NULL;
    RDX_TRY(rdx_bind_constant(&b->planner->binding, (rdx_sql_type){.kind = RDX_SQL_BOOL}, (rdx_datum){.i = true},
                              q->written->place, &one));
    RDX_TRY(add_output(c, one));
  }
  return rdx_build_query(b->planner, q, out);
}

void rdx_dependent_find_needs(rdx_dependent *d) {
  uint64_t needs = 0;
  for (uint32_t i = 0; i < d->key_count; i++)
    needs |= rdx_bound_leaves(d->outer_keys[i]);
  for (uint32_t i = 0; i < d->filter.count; i++)
    needs |= rdx_bound_leaves(d->filter.list[i]);
  needs |= d->compared ? rdx_bound_leaves(d->compared) : 0;
  needs |= rdx_aggregates_leaves(d->aggregates, d->aggregate_count);
  d->needs = needs & ~((uint64_t)1 << d->leaf);
}

/* Where rows need a match, what the filter says of them alone is a condition of the block. */
static rdx_status raise_conditions(rdx_block *b, rdx_dependent *d) {
  const rdx_conjuncts all = d->filter;
  d->filter = (rdx_conjuncts){0};
  for (uint32_t i = 0; i < all.count; i++) {
    rdx_bound *c = all.list[i];
    const bool own =
        d->join == RDX_PLAN_SEMI && !(rdx_bound_leaves(c) >> d->leaf & 1) && !rdx_bound_has(c, RDX_BOUND_OUTER);
    RDX_TRY(rdx_conjuncts_add(b->planner, own ? &b->from.conjuncts : &d->filter, c));
  }
  return RDX_OK;
}

/* ---- For which rows it is asked ---- */

/* What stands before the argument that is bound must say so for a row that evaluates it. */
static rdx_status list_guards(rdx_block *b, const rdx_guard *g, rdx_conjuncts *out) {
  const bool is_case = strcmp(g->call, "case") == 0, decides_true = is_case || strcmp(g->call, "or") == 0;
  const char *open = decides_true ? "is not true" : strcmp(g->call, "and") == 0 ? "is not false" : "is null";
  if (g->outside)
    RDX_TRY(list_guards(b, g->outside, out));
  for (uint32_t i = 0; i < g->count; i += 1 + is_case) {
    rdx_bound *condition = g->args[i];
    if (!is_case || i + 1 < g->count) /* else the argument is the value of this condition */
      RDX_TRY(rdx_bind_pair(b, open, condition, NULL, condition->place, &condition));
    RDX_TRY(rdx_conjuncts_add(b->planner, out, condition));
  }
  return RDX_OK;
}

/* Those that read no other leaves than these. */
static rdx_status choose_guards(const rdx_block *b, const rdx_conjuncts *all, uint64_t leaves, rdx_conjuncts *out) {
  for (uint32_t i = 0; i < all->count; i++)
    if (!(rdx_bound_leaves(all->list[i]) & ~leaves))
      RDX_TRY(rdx_conjuncts_add(b->planner, out, all->list[i]));
  return RDX_OK;
}

/* CASE WHEN all guards hold THEN the key END. */
static rdx_status guard_key(rdx_block *b, const rdx_conjuncts *guards, rdx_bound **key) {
  rdx_bound *args[2] = {NULL, *key};
  rdx_conjuncts own = {0};
  RDX_TRY(choose_guards(b, guards, b->scope ? rdx_bound_leaves(*key) : UINT64_MAX, &own));
  RDX_TRY(rdx_conjuncts_join(b->planner, &own, &args[0]));
  return args[0] ? rdx_bind_call_of(b->planner, "case", args, 2, (*key)->place, key) : RDX_OK;
}

/* Of rows that do not ask, keys that may fail are NULL, and what is said of pairs is not evaluated. So it is where a
 * condition of the subquery over the outer side alone, a gate, does not hold. */
static rdx_status guard_dependent(rdx_block *b, rdx_dependent *d) {
  rdx_planner *p = b->planner;
  rdx_conjuncts guards = {0}, all = {0};
  if (b->guard)
    RDX_TRY(list_guards(b, b->guard, &guards));
  if (d->filter.count > 0 || (d->compared && !d->unlike) || d->aggregate_count > 0)
    RDX_TRY(choose_guards(b, &guards, b->scope ? d->needs : UINT64_MAX, &all));
  for (uint32_t i = 0; i < d->filter.count; i++)
    RDX_TRY(rdx_conjuncts_add(p, &all, d->filter.list[i]));
  d->filter = all;
  for (uint32_t i = 0; i < d->gates.count; i++)
    RDX_TRY(rdx_conjuncts_add(p, &guards, d->gates.list[i]));
  for (uint32_t i = 0; i < d->key_count; i++)
    if (!rdx_cannot_fail(p, d->outer_keys[i]))
      RDX_TRY(guard_key(b, &guards, &d->outer_keys[i]));
  return RDX_OK;
}

rdx_status rdx_add_dependent(rdx_block *b, rdx_dependent d) {
  RDX_TRY(raise_conditions(b, &d));
  rdx_dependent_find_needs(&d);
  RDX_TRY(guard_dependent(b, &d));
  rdx_dependent_find_needs(&d);
  RDX_TRY(rdx_planner_grow(b->planner, &b->dependents, b->dependent_count, &b->dependent_capacity, sizeof d));
  b->dependents[b->dependent_count++] = d;
  return RDX_OK;
}

/* A dependent that is asked something; `*out` is the mark. */
rdx_status rdx_add_mark(rdx_block *b, rdx_dependent d, rdx_sql_place place, rdx_bound **out) {
  RDX_TRY(rdx_add_dependent(b, d));
  return rdx_bind_column(b->planner, rdx_leaf_column(d.leaf, b->leaves[d.leaf].column_count),
                         (rdx_sql_type){.kind = RDX_SQL_INTEGER}, place, out);
}

/* A dependent over a plan whose outputs are `outputs`, then inner keys and columns; room for `more` keys. */
rdx_status rdx_link_dependent(rdx_block *b, const rdx_bound_query *q, rdx_plan_node *plan, uint32_t outputs,
                              rdx_correlated_parts *x, uint32_t more, rdx_dependent *out) {
  rdx_planner *p = b->planner;
  rdx_leaf leaf;
  plan->place = q->written->place;
  RDX_TRY(rdx_leaf_of_plan(p, plan, NULL, &leaf));
  RDX_TRY(rdx_block_add_leaf(b, leaf, &out->leaf, q->written->place));
  RDX_TRY(rdx_planner_alloc(p, (uint64_t)x->outer.count + more, sizeof(rdx_bound *), &out->outer_keys));
  RDX_TRY(rdx_planner_alloc(p, (uint64_t)x->outer.count + more, sizeof(rdx_bound *), &out->inner_keys));
  rdx_lifting l = {b, out->leaf, &x->columns, outputs + x->inner.count};
  for (uint32_t i = 0; i < x->outer.count; i++) {
    RDX_TRY(rdx_bound_rewrite(p, x->outer.list[i], lift_node, &l, &out->outer_keys[i]));
    RDX_TRY(
        rdx_bind_column(p, rdx_leaf_column(out->leaf, outputs + i), x->inner.list[i]->type, 0, &out->inner_keys[i]));
    out->key_count++;
  }
  for (uint32_t i = 0; i < x->rest.count; i++) {
    rdx_bound *lifted = NULL;
    RDX_TRY(rdx_bound_rewrite(p, x->rest.list[i], lift_node, &l, &lifted));
    RDX_TRY(rdx_conjuncts_add(p, &out->filter, lifted));
  }
  for (uint32_t i = 0; i < x->gates.count; i++) {
    rdx_bound *lifted = NULL;
    RDX_TRY(rdx_bound_rewrite(p, x->gates.list[i], lift_node, &l, &lifted));
    RDX_TRY(rdx_conjuncts_add(p, &out->gates, lifted));
  }
  return RDX_OK;
}

/* What an aggregate is of no rows. */
static rdx_datum value_of_none(rdx_plan_aggregate_kind kind) {
  switch (kind) {
  case RDX_PLAN_COUNT:
    return (rdx_datum){.i = 0};
  case RDX_PLAN_RANK:
  case RDX_PLAN_DENSE_RANK:
    return (rdx_datum){.i = 1};
  case RDX_PLAN_PERCENT_RANK:
    return (rdx_datum){.f = 0};
  case RDX_PLAN_CUME_DIST:
    return (rdx_datum){.f = 1};
  default:
    return (rdx_datum){.null = true};
  }
}

static bool has_counts(const rdx_block *c) {
  bool counts = false;
  for (uint32_t i = 0; i < c->aggregate_count; i++)
    counts |= !value_of_none(c->aggregates[i].kind).null;
  return counts;
}

/* What a query that reads outer columns cannot be. */
rdx_status rdx_check_correlated(const rdx_block *b, const rdx_bound_query *q) {
  if (q->block && q->block->window_count > 0)
    return rdx_block_refuse(b, q->written->place, "a subquery that reads outer columns cannot have window functions");
  if (!q->block)
    return rdx_block_refuse(b, q->written->place,
                            "a subquery that reads outer columns cannot be a set operation or VALUES");
  return q->block->distinct_on_count > 0
             ? rdx_block_refuse(b, q->written->place, "a subquery that reads outer columns cannot have DISTINCT ON")
             : RDX_OK;
}

/* The first rows for each outer row: LIMIT counts those with equal keys. */
static rdx_status build_first(rdx_block *b, rdx_bound_query *q, rdx_form *f, const rdx_correlated_parts *x,
                              rdx_plan_node **out) {
  rdx_top top = {.orders = q->orders, .order_count = q->order_count, .limit = q->limit, .offset = q->offset};
  if (x->rest.count > 0 || q->ties)
    return rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, q->written->place, "LATERAL in FROM compares in any way",
                            "a subquery with LIMIT can be compared with outer columns by = only");
  f->outputs = q->block->output_count; /* with what only ORDER BY reads */
  f->distinct = q->block->distinct;
  q->limit = q->offset = NULL;
  RDX_TRY(rdx_planner_alloc(b->planner, x->inner.count, sizeof *top.partition, &top.partition));
  for (uint32_t i = 0; i < x->inner.count; i++)
    top.partition[top.partition_count++] = f->outputs + i;
  RDX_TRY(rdx_build_correlated(b, q, f, x, out));
  return rdx_build_top(b->planner, &top, out);
}

/* A dependent over the query, with keys and filter of its correlations; room for `more` keys. */
rdx_status rdx_make_dependent(rdx_block *b, rdx_bound_query *q, const rdx_form *given, uint32_t more,
                              rdx_dependent *out) {
  rdx_plan_node *plan = NULL;
  rdx_correlated_parts x = {0};
  rdx_form f = *given;
  *out = (rdx_dependent){.join = f.join};
  if (q->outer_levels > 0) {
    RDX_TRY(rdx_check_correlated(b, q));
    const bool constants = f.join != RDX_PLAN_SEMI && (f.join != RDX_PLAN_ANTI || has_inner_key(q->block));
    RDX_TRY(rdx_find_parts(q->block, constants || q->block->aggregating || q->limit || q->offset, &x));
    RDX_TRY(q->limit || q->offset ? build_first(b, q, &f, &x, &plan) : rdx_build_correlated(b, q, &f, &x, &plan));
    out->correlated = q->block->aggregating ? x.inner.count : 0;
  } else {
    RDX_TRY(rdx_build_query(b->planner, q, &plan));
  }
  return rdx_link_dependent(b, q, plan, f.outputs, &x, more, out);
}

/* ---- Of no rows ---- */

/* A query with aggregates, and the one around it. */
typedef struct emptying {
  rdx_block *outer;
  const rdx_block *inner;
} emptying;

static rdx_status empty_node(void *user, rdx_bound *node, rdx_bound **out) {
  const emptying *e = user;
  if (node->kind == RDX_BOUND_OUTER) {
    rdx_lifting l = {.block = e->outer};
    return lift_node(&l, node, out);
  }
  if (node->kind != RDX_BOUND_COLUMN)
    return RDX_OK;
  const bool aggregate = rdx_leaf_of(node->index) == RDX_AGGREGATES_LEAF;
  const rdx_datum value =
      aggregate ? value_of_none(e->inner->aggregates[rdx_column_of(node->index)].kind) : (rdx_datum){.null = true};
  return rdx_bind_constant(&e->outer->planner->binding, node->type, value, node->place, out);
}

rdx_status rdx_raise_gate(rdx_block *b, rdx_bound_query *q, rdx_gate *out) {
  rdx_block *c = q->block;
  rdx_lifting l = {.block = b};
  rdx_conjuncts gates = {0}, rest = {0}, all = {0};
  *out = (rdx_gate){.inner = c};
  if (!c)
    return RDX_OK;
  out->one_row = c->aggregating && c->group_count == 0 && c->set_count == 0;
  all = c->correlations;
  for (uint32_t i = 0; i < all.count; i++)
    RDX_TRY(rdx_conjuncts_add(c->planner, rdx_bound_has(all.list[i], RDX_BOUND_COLUMN) ? &rest : &gates, all.list[i]));
  c->correlations = rest;
  if (gates.count == 0 || rdx_compares_pairs(c) || (rest.count > 0 && !out->one_row)) {
    c->correlations = all;
    return RDX_OK;
  }
  q->outer_levels = rest.count > 0 ? q->outer_levels : 0;
  RDX_TRY(rdx_conjuncts_join(c->planner, &gates, &out->condition));
  return rdx_lift_value(&l, out->condition, &out->condition);
}

rdx_status rdx_gate_value(rdx_block *b, const rdx_gate *gate, rdx_bound *written, rdx_bound **value) {
  rdx_bound *args[3] = {gate->condition, *value, NULL};
  emptying e = {b, gate->inner};
  if (!gate->condition)
    return RDX_OK;
  if (gate->one_row)
    RDX_TRY(rdx_bound_rewrite(b->planner, written, empty_node, &e, &args[2]));
  return rdx_bind_call_of(b->planner, "case", args, gate->one_row ? 3 : 2, written->place, value);
}

/* Of a query with aggregates and no groups: its value where no row of it is there. */
rdx_status rdx_with_empty(rdx_block *b, rdx_block *c, rdx_bound *written, const rdx_dependent *d, rdx_bound **value) {
  rdx_bound *args[3];
  emptying e = {b, c};
  const bool is_null = !has_counts(c) && rdx_bound_is_strict(written, UINT64_MAX);
  if (is_null || d->key_count == 0)
    return RDX_OK;
  RDX_TRY(rdx_bind_pair(b, "is null", d->inner_keys[0], NULL, written->place, &args[0]));
  RDX_TRY(rdx_bound_rewrite(b->planner, written, empty_node, &e, &args[1]));
  args[2] = *value;
  return rdx_bind_call_of(b->planner, "case", args, 3, written->place, value);
}

/* ---- Aggregates of pairs ---- */

/* Aggregates of an inner query as values, or as answers to a dependent. */
typedef struct answers {
  rdx_block *block;
  const rdx_dependent *dependent;
  rdx_bound *const *values; /* NULL: answers */
} answers;

static rdx_status answer_node(void *user, rdx_bound *node, rdx_bound **out) {
  const answers *a = user;
  rdx_planner *p = a->block->planner;
  rdx_bound *args[2];
  if (node->kind == RDX_BOUND_OUTER) {
    rdx_lifting l = {.block = a->block};
    return lift_node(&l, node, out);
  }
  if (node->kind != RDX_BOUND_COLUMN)
    return RDX_OK;
  if (rdx_leaf_of(node->index) != RDX_AGGREGATES_LEAF)
    return rdx_planner_fail(p, RDX_ERROR_ARGUMENT, node->place, "aggregate it",
                            "a column is neither grouped by nor in an aggregate");
  const uint32_t number = rdx_column_of(node->index);
  if (a->values) {
    *out = a->values[number];
    return RDX_OK;
  }
  const uint32_t leaf = a->dependent->leaf;
  RDX_TRY(rdx_bind_column(p, rdx_leaf_column(leaf, a->block->leaves[leaf].column_count + number), node->type,
                          node->place, &args[0]));
  *out = args[0];
  const rdx_datum value = value_of_none(a->dependent->aggregates[number].kind);
  if (value.null)
    return RDX_OK;
  RDX_TRY(rdx_bind_constant(&p->binding, node->type, value, node->place, &args[1]));
  return rdx_bind_call_of(p, "coalesce", args, 2, node->place, out);
}

bool rdx_reads_outer(const rdx_plan_aggregate *a) {
  bool reads = a->value && rdx_bound_has(a->value, RDX_BOUND_OUTER);
  reads |= a->argument && rdx_bound_has(a->argument, RDX_BOUND_OUTER);
  for (uint32_t k = 0; k < a->order_count; k++)
    reads |= rdx_bound_has(a->orders[k].value, RDX_BOUND_OUTER);
  return reads;
}

/* Whether a query that aggregates all its rows compares some with outer columns by other than =, or reads outer columns
 * in its list. */
bool rdx_compares_pairs(const rdx_block *c) {
  uint32_t outer = 0;
  bool pairs = false;
  for (uint32_t i = 0; i < c->visible; i++)
    pairs |= rdx_bound_has(c->outputs[i].value, RDX_BOUND_OUTER);
  for (uint32_t i = 0; i < c->correlations.count; i++)
    pairs |= !is_key(c->correlations.list[i], &outer);
  for (uint32_t i = 0; i < c->aggregate_count; i++)
    pairs |= rdx_reads_outer(&c->aggregates[i]);
  return pairs;
}

/* Collects the columns of aggregates. */
typedef struct collecting {
  rdx_planner *planner;
  rdx_conjuncts *list;
} collecting;

static rdx_status collect_value(void *user, rdx_bound *value, rdx_bound **out) {
  const collecting *c = user;
  *out = value;
  return rdx_collect_columns(c->planner, value, c->list);
}

rdx_status rdx_lift_value(void *user, rdx_bound *value, rdx_bound **out) {
  const rdx_lifting *l = user;
  return rdx_bound_rewrite(l->block->planner, value, lift_node, user, out);
}

rdx_status rdx_make_pairs(rdx_block *b, rdx_bound_query *q, rdx_dependent *out) {
  rdx_planner *p = b->planner;
  rdx_block *c = q->block;
  rdx_dependent d = {.join = RDX_PLAN_LEFT, .aggregates = c->aggregates, .aggregate_count = c->aggregate_count};
  rdx_plan_node *plan = NULL;
  rdx_correlated_parts x = {0};
  if (c->firsts.count > 0)
    return rdx_block_refuse(b, q->written->place,
                            "a subquery with stddev(DISTINCT ...) can be compared with outer columns by = only");
  RDX_TRY(rdx_find_parts(c, true, &x));
  RDX_TRY(rdx_aggregates_rewrite(p, d.aggregates, d.aggregate_count, collect_value, &(collecting){p, &x.columns}));
  c->aggregating = c->distinct = false;
  c->aggregate_count = c->output_count = c->visible = q->order_count = 0;
  for (uint32_t i = 0; i < x.inner.count; i++)
    RDX_TRY(add_output(c, x.inner.list[i]));
  for (uint32_t i = 0; i < x.columns.count; i++)
    RDX_TRY(add_output(c, x.columns.list[i]));
  RDX_TRY(rdx_build_query(p, q, &plan));
  RDX_TRY(rdx_link_dependent(b, q, plan, 0, &x, 0, &d));
  rdx_lifting l = {b, d.leaf, &x.columns, x.inner.count};
  RDX_TRY(rdx_aggregates_rewrite(p, d.aggregates, d.aggregate_count, rdx_lift_value, &l));
  *out = d;
  return RDX_OK;
}

rdx_status rdx_answer(rdx_block *b, const rdx_dependent *d, rdx_bound *written, rdx_bound **out) {
  answers a = {.block = b, .dependent = d};
  return rdx_bound_rewrite(b->planner, written, answer_node, &a, out);
}

rdx_status rdx_lift_aggregates(rdx_block *b, rdx_bound *const *values, rdx_bound *written, rdx_bound **out) {
  answers a = {.block = b, .values = values};
  return rdx_bound_rewrite(b->planner, written, answer_node, &a, out);
}
