/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Subqueries in expressions. One that reads nothing of the query around it runs before: its value is a parameter.
 * Others become joins: what they compare with outer columns are the keys, as far as it is equality. */

#include "plan/internal.h"

#include <string.h>

static const rdx_sql_type boolean = {.kind = RDX_SQL_BOOL}, bigint = {.kind = RDX_SQL_BIGINT};

static rdx_status refuse(const rdx_block *b, rdx_sql_place place, const char *what) {
  return rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, place, NULL, "%s", what);
}

static rdx_status call(rdx_block *b, const char *name, rdx_bound *left, rdx_bound *right, rdx_sql_place place,
                       rdx_bound **out) {
  rdx_bound *const args[] = {left, right};
  return rdx_bind_call_of(b->planner, name, args, right ? 2 : 1, place, out);
}

static rdx_status truth(rdx_block *b, bool value, rdx_sql_place place, rdx_bound **out) {
  return rdx_bind_constant(&b->planner->binding, boolean, (rdx_datum){.i = value}, place, out);
}

static bool is_null(const rdx_bound *e) {
  return e->kind == RDX_BOUND_CONSTANT && e->value.null;
}

/* ---- Without correlation ---- */

/* The value of a plan's one row and column, or whether there is a row, as a parameter. */
static rdx_status add_scalar(rdx_block *b, rdx_plan_node *plan, bool exists, rdx_sql_place place, rdx_bound **out) {
  rdx_planner *p = b->planner;
  RDX_TRY(rdx_planner_add_scalar(p, (rdx_plan_scalar){plan, p->values, exists, place}));
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof **out, out));
  **out = (rdx_bound){.kind = RDX_BOUND_PARAMETER,
                      .type = exists ? boolean : plan->columns[0].type,
                      .place = place,
                      .index = p->values++};
  return RDX_OK;
}

/* Smallest and largest value, rows and values of a plan's first column. */
typedef struct summary {
  rdx_bound *least, *most, *rows, *values;
} summary;

static rdx_status summarize(rdx_block *b, rdx_plan_node *plan, rdx_sql_place place, summary *out) {
  static const rdx_plan_aggregate_kind kinds[] = {RDX_PLAN_MIN, RDX_PLAN_MAX, RDX_PLAN_COUNT, RDX_PLAN_COUNT};
  rdx_planner *p = b->planner;
  rdx_bound *column = NULL, **parts[] = {&out->least, &out->most, &out->rows, &out->values};
  rdx_plan_node *node = NULL;
  RDX_TRY(rdx_bind_column(p, 0, plan->columns[0].type, place, &column));
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_AGGREGATE, plan, NULL, &node));
  node->shared = true;
  node->aggregate_count = node->column_count = RDX_COUNT(kinds);
  RDX_TRY(rdx_planner_alloc(p, RDX_COUNT(kinds), sizeof *node->aggregates, &node->aggregates));
  RDX_TRY(rdx_planner_alloc(p, RDX_COUNT(kinds), sizeof *node->columns, &node->columns));
  for (uint32_t i = 0; i < RDX_COUNT(kinds); i++) {
    const rdx_sql_type type = i < 2 ? column->type : bigint;
    node->aggregates[i] = (rdx_plan_aggregate){.kind = kinds[i], .value = i == 2 ? NULL : column, .type = type};
    node->columns[i] = (rdx_plan_column){"", type};
  }
  for (uint32_t i = 0; i < RDX_COUNT(kinds); i++) {
    rdx_plan_node *one = NULL;
    RDX_TRY(rdx_planner_node(p, RDX_PLAN_PROJECT, node, NULL, &one));
    one->column_count = one->expr_count = 1;
    RDX_TRY(rdx_planner_alloc(p, 1, sizeof *one->exprs, &one->exprs));
    RDX_TRY(rdx_planner_alloc(p, 1, sizeof *one->columns, &one->columns));
    one->columns[0] = node->columns[i];
    RDX_TRY(rdx_bind_column(p, i, node->columns[i].type, place, &one->exprs[0]));
    RDX_TRY(add_scalar(b, one, false, place, parts[i]));
  }
  return RDX_OK;
}

/* CASE WHEN no rows THEN false WHEN `any` THEN true WHEN x IS NULL OR there are NULLs THEN NULL ELSE false. */
static rdx_status decide(rdx_block *b, const summary *s, rdx_bound *value, rdx_bound *any, rdx_sql_place place,
                         rdx_bound **out) {
  rdx_bound *args[7], *zero, *no_value, *nulls;
  RDX_TRY(rdx_bind_constant(&b->planner->binding, bigint, (rdx_datum){.i = 0}, place, &zero));
  RDX_TRY(call(b, "=", s->rows, zero, place, &args[0]));
  RDX_TRY(truth(b, false, place, &args[1]));
  args[2] = any;
  RDX_TRY(truth(b, true, place, &args[3]));
  RDX_TRY(call(b, "is null", value, NULL, place, &no_value));
  RDX_TRY(call(b, "<>", s->rows, s->values, place, &nulls));
  RDX_TRY(call(b, "or", no_value, nulls, place, &args[4]));
  RDX_TRY(rdx_bind_constant(&b->planner->binding, boolean, (rdx_datum){.null = true}, place, &args[5]));
  args[6] = args[1];
  return rdx_bind_call_of(b->planner, "case", args, 7, place, out);
}

/* x < ANY: below the largest. The same for each operator; <> ANY: the smallest or the largest is another. */
static rdx_status compare_any(rdx_block *b, const char *op, rdx_bound *value, const summary *s, rdx_sql_place place,
                              rdx_bound **out) {
  rdx_bound *low, *high;
  if (op[0] == '<' && op[1] != '>')
    return call(b, op, value, s->most, place, out);
  if (op[0] == '>')
    return call(b, op, value, s->least, place, out);
  RDX_TRY(call(b, op, value, s->least, place, &low));
  RDX_TRY(call(b, op, value, s->most, place, &high));
  return call(b, "or", low, high, place, out);
}

static const char *opposite(const char *op) {
  static const char *const pairs[][2] = {{"=", "<>"}, {"<", ">="}, {">", "<="}};
  for (size_t i = 0; i < RDX_COUNT(pairs); i++)
    for (int k = 0; k < 2; k++)
      if (strcmp(pairs[i][k], op) == 0)
        return pairs[i][!k];
  return NULL;
}

/* ---- With correlation ---- */

typedef struct lifting {
  rdx_block *block;
  uint32_t leaf;       /* inner columns become columns of it, from `first` on; UINT32_MAX: they are an error */
  rdx_conjuncts *list; /* inner columns, in the order of the leaf's */
  uint32_t first;
} lifting;

/* Outer columns become the block's own, inner ones those of the dependent leaf. */
static rdx_status lift_node(void *user, rdx_bound *node, rdx_bound **out) {
  lifting *l = user;
  rdx_planner *p = l->block->planner;
  if (node->kind == RDX_BOUND_OUTER) {
    if (node->value.i > 1)
      return refuse(l->block, node->place, "a subquery can read columns of the query next around it only");
    return rdx_bind_column(p, node->index, node->type, node->place, out);
  }
  if (node->kind != RDX_BOUND_COLUMN)
    return RDX_OK;
  for (uint32_t i = 0; i < l->list->count; i++)
    if (rdx_bound_equal(l->list->list[i], node))
      return rdx_bind_column(p, rdx_leaf_column(l->leaf, l->first + i), node->type, node->place, out);
  return refuse(l->block, node->place, "this subquery compares outer columns in a way that cannot be joined");
}

static bool has_columns(const rdx_bound *node) {
  bool has = node->kind == RDX_BOUND_COLUMN;
  for (uint32_t i = 0; node->kind == RDX_BOUND_CALL && i < node->count && !has; i++)
    has = has_columns(node->args[i]);
  return has;
}

/* Whether a conjunct says that something of the outer query equals something of the inner one. */
static bool is_key(const rdx_bound *c, uint32_t *outer) {
  if (c->kind != RDX_BOUND_CALL || c->op != RDX_OP_EQ)
    return false;
  for (*outer = 0; *outer < 2; ++*outer) {
    const rdx_bound *out = c->args[*outer], *in = c->args[1 - *outer];
    if (rdx_bound_has_outer(out) && !has_columns(out) && !rdx_bound_has_outer(in))
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

static rdx_status collect_columns(rdx_planner *p, const rdx_bound *node, rdx_conjuncts *list) {
  if (node->kind == RDX_BOUND_COLUMN)
    RDX_TRY(rdx_conjuncts_add(p, list, (rdx_bound *)(uintptr_t)node));
  for (uint32_t i = 0; node->kind == RDX_BOUND_CALL && i < node->count; i++)
    RDX_TRY(collect_columns(p, node->args[i], list));
  return RDX_OK;
}

static rdx_status add_group(rdx_block *c, rdx_bound *value) {
  uint32_t capacity = c->group_count; /* of the old list, which is full */
  RDX_TRY(rdx_planner_grow(c->planner, &c->groups, c->group_count, &capacity, sizeof *c->groups));
  c->groups[c->group_count++] = value;
  return RDX_OK;
}

/* What a correlated query is to become. */
typedef struct form {
  rdx_plan_join join;
  uint32_t outputs; /* of its own that are kept: 0 for EXISTS */
  bool distinct;
} form;

/* Lists of the parts of a correlated query: its keys, and what else it compares. */
typedef struct parts {
  rdx_conjuncts outer, inner, rest, columns;
} parts;

static rdx_status find_parts(rdx_block *c, parts *out) {
  rdx_planner *p = c->planner;
  for (uint32_t i = 0; i < c->correlations.count; i++) {
    rdx_bound *conjunct = c->correlations.list[i];
    uint32_t outer = 0;
    if (!is_key(conjunct, &outer)) {
      RDX_TRY(rdx_conjuncts_add(p, &out->rest, conjunct));
      RDX_TRY(collect_columns(p, conjunct, &out->columns));
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
static rdx_status build_correlated(rdx_block *b, rdx_bound_query *q, const form *f, const parts *x,
                                   rdx_plan_node **out) {
  rdx_block *c = q->block;
  if (c->aggregating && x->rest.count > 0)
    return refuse(b, q->written->place, "a subquery with aggregates can be compared with outer columns by = only");
  if (c->set_count > 0)
    return refuse(b, q->written->place, "GROUPING SETS in a subquery that reads outer columns are not supported");
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
  return rdx_build_query(b->planner, q, out);
}

static rdx_status add_dependent(rdx_block *b, rdx_dependent d) {
  uint64_t needs = 0;
  for (uint32_t i = 0; i < d.key_count; i++)
    needs |= rdx_bound_leaves(d.outer_keys[i]);
  for (uint32_t i = 0; i < d.filter.count; i++)
    needs |= rdx_bound_leaves(d.filter.list[i]);
  needs |= d.compared ? rdx_bound_leaves(d.compared) : 0;
  needs |= rdx_aggregates_leaves(d.aggregates, d.aggregate_count);
  d.needs = needs & ~((uint64_t)1 << d.leaf);
  RDX_TRY(rdx_planner_grow(b->planner, &b->dependents, b->dependent_count, &b->dependent_capacity, sizeof d));
  b->dependents[b->dependent_count++] = d;
  return RDX_OK;
}

/* A dependent that is asked something; `*out` is the mark. */
static rdx_status add_mark(rdx_block *b, rdx_dependent d, rdx_sql_place place, rdx_bound **out) {
  RDX_TRY(add_dependent(b, d));
  return rdx_bind_column(b->planner, rdx_leaf_column(d.leaf, b->leaves[d.leaf].column_count),
                         (rdx_sql_type){.kind = RDX_SQL_INTEGER}, place, out);
}

/* A dependent over a plan whose outputs are `outputs`, then inner keys and columns; room for `more` keys. */
static rdx_status link_dependent(rdx_block *b, const rdx_bound_query *q, rdx_plan_node *plan, uint32_t outputs,
                                 parts *x, uint32_t more, rdx_dependent *out) {
  rdx_planner *p = b->planner;
  rdx_leaf leaf;
  plan->place = q->written->place;
  RDX_TRY(rdx_leaf_of_plan(p, plan, NULL, &leaf));
  RDX_TRY(rdx_block_add_leaf(b, leaf, &out->leaf, q->written->place));
  RDX_TRY(rdx_planner_alloc(p, (uint64_t)x->outer.count + more, sizeof(rdx_bound *), &out->outer_keys));
  RDX_TRY(rdx_planner_alloc(p, (uint64_t)x->outer.count + more, sizeof(rdx_bound *), &out->inner_keys));
  lifting l = {b, out->leaf, &x->columns, outputs + x->inner.count};
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
  return RDX_OK;
}

static bool has_counts(const rdx_block *c) {
  bool counts = false;
  for (uint32_t i = 0; i < c->aggregate_count; i++)
    counts |= c->aggregates[i].kind == RDX_PLAN_COUNT;
  return counts;
}

/* What a query that reads outer columns cannot be. Aggregates without groups are found for the outer rows that have
 * partners: HAVING must not hold for the others. */
static rdx_status check_correlated(const rdx_block *b, const rdx_bound_query *q) {
  if (q->block && q->block->window_count > 0)
    return refuse(b, q->written->place, "a subquery that reads outer columns cannot have window functions");
  if (!q->block || q->limit || q->offset)
    return refuse(b, q->written->place,
                  "a subquery that reads outer columns cannot be a set operation or VALUES, nor have LIMIT");
  const rdx_block *c = q->block;
  if (c->aggregating && c->group_count == 0 && c->having &&
      (has_counts(c) || !rdx_bound_rejects(c->having, UINT64_MAX)))
    return refuse(
        b, q->written->place,
        "HAVING that may hold where no row is there, in a subquery that reads outer columns and has no GROUP BY, "
        "is not supported");
  return q->block->distinct_on_count > 0
             ? refuse(b, q->written->place, "a subquery that reads outer columns cannot have DISTINCT ON")
             : RDX_OK;
}

/* A dependent over the query, with keys and filter of its correlations; room for `more` keys. */
static rdx_status make_dependent(rdx_block *b, rdx_bound_query *q, const form *f, uint32_t more, rdx_dependent *out) {
  rdx_plan_node *plan = NULL;
  parts x = {0};
  *out = (rdx_dependent){.join = f->join};
  if (q->outer_levels > 0) {
    RDX_TRY(check_correlated(b, q));
    RDX_TRY(find_parts(q->block, &x));
    RDX_TRY(build_correlated(b, q, f, &x, &plan));
    out->correlated = q->block->aggregating ? x.inner.count : 0;
  } else {
    RDX_TRY(rdx_build_query(b->planner, q, &plan));
  }
  return link_dependent(b, q, plan, f->outputs, &x, more, out);
}

/* ---- Scalars ---- */

/* A query with aggregates, and the one around it. */
typedef struct emptying {
  rdx_block *outer;
  const rdx_block *inner;
} emptying;

static rdx_status empty_node(void *user, rdx_bound *node, rdx_bound **out) {
  const emptying *e = user;
  if (node->kind == RDX_BOUND_OUTER) {
    lifting l = {.block = e->outer};
    return lift_node(&l, node, out);
  }
  if (node->kind != RDX_BOUND_COLUMN)
    return RDX_OK;
  const uint32_t number = rdx_column_of(node->index);
  const bool counts =
      rdx_leaf_of(node->index) == RDX_AGGREGATES_LEAF && e->inner->aggregates[number].kind == RDX_PLAN_COUNT;
  return rdx_bind_constant(&e->outer->planner->binding, node->type, (rdx_datum){.null = !counts}, node->place, out);
}

/* Of a query with aggregates and no groups: its value where no row of it is there. */
static rdx_status with_empty(rdx_block *b, rdx_block *c, rdx_bound *written, const rdx_dependent *d,
                             rdx_bound **value) {
  rdx_bound *args[3];
  emptying e = {b, c};
  const bool is_null = c->having || (!has_counts(c) && rdx_bound_is_strict(written, UINT64_MAX));
  if (is_null || d->key_count == 0)
    return RDX_OK;
  RDX_TRY(call(b, "is null", d->inner_keys[0], NULL, written->place, &args[0]));
  RDX_TRY(rdx_bound_rewrite(b->planner, written, empty_node, &e, &args[1]));
  args[2] = *value;
  return rdx_bind_call_of(b->planner, "case", args, 3, written->place, value);
}

/* ---- Aggregates of pairs ---- */

/* Aggregates of an inner query as answers to a dependent. */
typedef struct answers {
  rdx_block *block;
  const rdx_dependent *dependent;
} answers;

/* Of no rows count is 0, the others are NULL. */
static rdx_status answer_node(void *user, rdx_bound *node, rdx_bound **out) {
  const answers *a = user;
  rdx_planner *p = a->block->planner;
  rdx_bound *args[2];
  if (node->kind == RDX_BOUND_OUTER) {
    lifting l = {.block = a->block};
    return lift_node(&l, node, out);
  }
  if (node->kind != RDX_BOUND_COLUMN)
    return RDX_OK;
  if (rdx_leaf_of(node->index) != RDX_AGGREGATES_LEAF)
    return rdx_planner_fail(p, RDX_ERROR_ARGUMENT, node->place, "aggregate it",
                            "a column is neither grouped by nor in an aggregate");
  const uint32_t number = rdx_column_of(node->index), leaf = a->dependent->leaf;
  RDX_TRY(rdx_bind_column(p, rdx_leaf_column(leaf, a->block->leaves[leaf].column_count + number), node->type,
                          node->place, &args[0]));
  *out = args[0];
  if (a->dependent->aggregates[number].kind != RDX_PLAN_COUNT)
    return RDX_OK;
  RDX_TRY(rdx_bind_constant(&p->binding, bigint, (rdx_datum){.i = 0}, node->place, &args[1]));
  return rdx_bind_call_of(p, "coalesce", args, 2, node->place, out);
}

/* Whether a query that aggregates all its rows compares some with outer columns by other than =, or reads outer columns
 * in its list. An aggregate of outer columns alone would be the outer query's. */
static bool compares_pairs(const rdx_block *c) {
  uint32_t outer = 0;
  bool pairs = rdx_bound_has_outer(c->outputs[0].value), foreign = false;
  for (uint32_t i = 0; i < c->correlations.count; i++)
    pairs |= !is_key(c->correlations.list[i], &outer);
  for (uint32_t i = 0; i < c->aggregate_count; i++) {
    const rdx_plan_aggregate *a = &c->aggregates[i];
    pairs |= a->value && rdx_bound_has_outer(a->value);
    pairs |= a->argument && rdx_bound_has_outer(a->argument);
    for (uint32_t k = 0; k < a->order_count; k++)
      pairs |= rdx_bound_has_outer(a->orders[k].value);
    foreign |= a->value && rdx_bound_has_outer(a->value) && !has_columns(a->value);
  }
  return pairs && !foreign;
}

/* Collects the columns of aggregates. */
typedef struct collecting {
  rdx_planner *planner;
  rdx_conjuncts *list;
} collecting;

static rdx_status collect_value(void *user, rdx_bound *value, rdx_bound **out) {
  const collecting *c = user;
  *out = value;
  return collect_columns(c->planner, value, c->list);
}

static rdx_status lift_value(void *user, rdx_bound *value, rdx_bound **out) {
  const lifting *l = user;
  return rdx_bound_rewrite(l->block->planner, value, lift_node, user, out);
}

/* Such a query: its rows are joined to the outer ones, and aggregated for each of these. */
static rdx_status bind_pairs(rdx_block *b, rdx_bound_query *q, rdx_bound **out) {
  rdx_planner *p = b->planner;
  rdx_block *c = q->block;
  rdx_dependent d = {.join = RDX_PLAN_LEFT, .aggregates = c->aggregates, .aggregate_count = c->aggregate_count};
  rdx_bound *written = c->outputs[0].value;
  rdx_plan_node *plan = NULL;
  parts x = {0};
  RDX_TRY(check_correlated(b, q));
  if (c->having || c->means.count > 0 || c->firsts.count > 0 || c->set_count > 0)
    return refuse(b, q->written->place,
                  "a subquery with HAVING, stddev or variance can be compared with outer columns by = only");
  RDX_TRY(find_parts(c, &x));
  RDX_TRY(rdx_aggregates_rewrite(p, d.aggregates, d.aggregate_count, collect_value, &(collecting){p, &x.columns}));
  c->aggregating = c->distinct = false;
  c->aggregate_count = c->output_count = c->visible = q->order_count = 0;
  for (uint32_t i = 0; i < x.inner.count; i++)
    RDX_TRY(add_output(c, x.inner.list[i]));
  for (uint32_t i = 0; i < x.columns.count; i++)
    RDX_TRY(add_output(c, x.columns.list[i]));
  RDX_TRY(rdx_build_query(p, q, &plan));
  RDX_TRY(link_dependent(b, q, plan, 0, &x, 0, &d));
  lifting l = {b, d.leaf, &x.columns, x.inner.count};
  RDX_TRY(rdx_aggregates_rewrite(p, d.aggregates, d.aggregate_count, lift_value, &l));
  RDX_TRY(add_dependent(b, d));
  answers a = {b, &d};
  return rdx_bound_rewrite(p, written, answer_node, &a, out);
}

/* What fails as a subquery of several rows does, where it is asked for: one of two rows. */
static rdx_status bind_second_row(rdx_block *b, rdx_sql_type type, rdx_sql_place place, rdx_bound **out) {
  rdx_planner *p = b->planner;
  rdx_plan_node *rows = NULL;
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_VALUES, NULL, NULL, &rows));
  rows->row_count = 2;
  rows->column_count = 1;
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof *rows->columns, &rows->columns));
  RDX_TRY(rdx_planner_alloc(p, 2, sizeof *rows->exprs, &rows->exprs));
  rows->columns[0] = (rdx_plan_column){"", type};
  for (uint32_t i = 0; i < 2; i++)
    RDX_TRY(rdx_bind_constant(&p->binding, type, (rdx_datum){.null = true}, place, &rows->exprs[i]));
  return add_scalar(b, rows, false, place, out);
}

static rdx_status add_aggregate(rdx_block *c, rdx_plan_aggregate_kind kind, rdx_bound *value, rdx_bound **out) {
  const bool counts = kind == RDX_PLAN_COUNT;
  const rdx_sql_type type = counts ? bigint : value->type;
  uint32_t capacity = c->aggregate_count; /* of the old list, which is full */
  RDX_TRY(rdx_planner_grow(c->planner, &c->aggregates, c->aggregate_count, &capacity, sizeof *c->aggregates));
  c->aggregates[c->aggregate_count] = (rdx_plan_aggregate){.kind = kind, .value = value, .type = type};
  return rdx_bind_column(c->planner, rdx_leaf_column(RDX_AGGREGATES_LEAF, c->aggregate_count++), type, 0, out);
}

/* Of distinct rows there are more than one where the smallest value is not the largest, or some are NULL; `*value` is
 * the smallest. */
static rdx_status aggregate_distinct(rdx_block *b, rdx_block *c, rdx_bound *rows, rdx_sql_place place, rdx_bound **more,
                                     rdx_bound **value) {
  rdx_bound *most, *values, *zero, *some, *nulls, *written = *value;
  RDX_TRY(add_aggregate(c, RDX_PLAN_MIN, written, value));
  RDX_TRY(add_aggregate(c, RDX_PLAN_MAX, written, &most));
  RDX_TRY(add_aggregate(c, RDX_PLAN_COUNT, written, &values));
  RDX_TRY(rdx_bind_constant(&b->planner->binding, bigint, (rdx_datum){.i = 0}, place, &zero));
  RDX_TRY(call(b, "<", *value, most, place, more));
  RDX_TRY(call(b, ">", values, zero, place, &some));
  RDX_TRY(call(b, "<", values, rows, place, &nulls));
  RDX_TRY(call(b, "and", some, nulls, place, &some));
  return call(b, "or", *more, some, place, more);
}

/* A column of the one row: the smallest value of it. */
static rdx_status single_node(void *user, rdx_bound *node, rdx_bound **out) {
  rdx_block *c = user;
  if (node->kind != RDX_BOUND_COLUMN)
    return RDX_OK;
  for (uint32_t i = 0; i < c->aggregate_count; i++)
    if (c->aggregates[i].value && rdx_bound_equal(c->aggregates[i].value, node))
      return rdx_bind_column(c->planner, rdx_leaf_column(RDX_AGGREGATES_LEAF, i), node->type, node->place, out);
  return add_aggregate(c, RDX_PLAN_MIN, node, out);
}

/* The value of the one row that a query has for an outer row, as aggregates: CASE WHEN there are more THEN it fails
 * WHEN there is none THEN NULL ELSE the value of its columns END. */
static rdx_status aggregate_single(rdx_block *b, rdx_block *c, rdx_sql_place place) {
  rdx_planner *p = b->planner;
  rdx_bound *value = c->outputs[0].value, *args[5], *rows, *one;
  const rdx_sql_type type = value->type;
  RDX_TRY(add_aggregate(c, RDX_PLAN_COUNT, NULL, &rows));
  RDX_TRY(rdx_bind_constant(&p->binding, bigint, (rdx_datum){.i = 1}, place, &one));
  RDX_TRY(call(b, ">", rows, one, place, &args[0]));
  RDX_TRY(bind_second_row(b, type, place, &args[1]));
  RDX_TRY(call(b, "<", rows, one, place, &args[2]));
  RDX_TRY(rdx_bind_constant(&p->binding, type, (rdx_datum){.null = true}, place, &args[3]));
  if (c->distinct)
    RDX_TRY(aggregate_distinct(b, c, rows, place, &args[0], &value));
  else
    RDX_TRY(rdx_bound_rewrite(p, value, single_node, c, &value));
  args[4] = value;
  return rdx_bind_call_of(p, "case", args, 5, place, &c->outputs[0].value);
}

/* Whether a join that allows one row would fail where it must not: where no row asks for the value, or where rows
 * become equal only in what DISTINCT compares. */
static bool needs_single(const rdx_block *b, const rdx_bound_query *q) {
  const rdx_block *c = q->block;
  const rdx_sql_kind kind = c ? c->outputs[0].value->type.kind : RDX_SQL_UNKNOWN;
  if (!c || c->aggregating || c->window_count > 0 || c->distinct_on_count > 0 || q->limit || q->offset)
    return false;
  return kind != RDX_SQL_UNKNOWN && (kind != RDX_SQL_INTERVAL || !c->distinct) &&
         (b->lazy || rdx_bound_has_outer(c->outputs[0].value) || (c->distinct && compares_pairs(c)));
}

static rdx_status bind_scalar(rdx_block *b, const rdx_ast *ast, rdx_bound **out) {
  rdx_bound_query *q = NULL;
  rdx_plan_node *plan = NULL;
  rdx_dependent d;
  RDX_TRY(rdx_bind_query(b->planner, b, b->ctes, ast->query, &q));
  if (q->column_count != 1)
    return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, ast->place, NULL, "a subquery as a value has one column");
  if (q->outer_levels == 0) {
    RDX_TRY(rdx_build_query(b->planner, q, &plan));
    return add_scalar(b, plan, false, ast->place, out);
  }
  const bool one_row = q->block && q->block->aggregating && q->block->group_count == 0;
  if (one_row && q->block->aggregate_count > 0 && compares_pairs(q->block))
    return bind_pairs(b, q, out);
  if (needs_single(b, q)) {
    RDX_TRY(aggregate_single(b, q->block, ast->place));
    return bind_pairs(b, q, out);
  }
  rdx_bound *written = q->block ? q->block->outputs[0].value : NULL;
  const bool distinct = q->block && q->block->distinct;
  RDX_TRY(make_dependent(b, q, &(form){one_row ? RDX_PLAN_LEFT : RDX_PLAN_SINGLE, 1, distinct}, 0, &d));
  RDX_TRY(add_dependent(b, d));
  RDX_TRY(rdx_bind_column(b->planner, rdx_leaf_column(d.leaf, 0), b->leaves[d.leaf].types[0], ast->place, out));
  return one_row ? with_empty(b, q->block, written, &d, out) : RDX_OK;
}

/* ---- EXISTS ---- */

/* Whether there are rows does not depend on what a query without aggregates lists: it is not evaluated. How many there
 * are, which OFFSET counts, depends on what is distinct. */
static rdx_status drop_list(rdx_bound_query *q) {
  rdx_block *c = q->block;
  if (!c || c->aggregating || c->window_count > 0 || (q->offset && (c->distinct || c->distinct_on_count > 0)))
    return RDX_OK;
  c->distinct = false;
  c->distinct_on_count = q->order_count = 0;
  c->output_count = c->visible = q->column_count = 1;
  c->outputs[0] = (rdx_output){.name = ""};
  q->columns[0] = (rdx_plan_column){"", boolean};
  return truth(c, true, q->written->place, &c->outputs[0].value);
}

static rdx_status bind_exists(rdx_block *b, const rdx_ast *ast, rdx_bound **out) {
  rdx_bound_query *q = NULL;
  rdx_plan_node *plan = NULL;
  rdx_dependent d;
  RDX_TRY(rdx_bind_query(b->planner, b, b->ctes, ast->query, &q));
  if (q->outer_levels == 0) {
    RDX_TRY(drop_list(q));
    RDX_TRY(rdx_build_query(b->planner, q, &plan));
    return add_scalar(b, plan, true, ast->place, out);
  }
  if (q->block && q->block->aggregating && q->block->group_count == 0 && !q->block->having)
    return truth(b, true, ast->place, out); /* it has one row, always */
  RDX_TRY(make_dependent(b, q, &(form){RDX_PLAN_LEFT, 0, true}, 0, &d));
  if (d.key_count == 0 || d.filter.count > 0) {
    rdx_bound *mark = NULL;
    RDX_TRY(truth(b, true, ast->place, &d.compared));
    RDX_TRY(add_mark(b, d, ast->place, &mark));
    return call(b, "is not null", mark, NULL, ast->place, out);
  }
  RDX_TRY(add_dependent(b, d));
  return call(b, "is not null", d.inner_keys[0], NULL, ast->place, out);
}

/* ---- IN ---- */

/* The values on the left: of (a, b) IN (...) several. */
static rdx_status bind_left(rdx_block *b, const rdx_ast *ast, uint32_t columns, rdx_bound ***out) {
  const rdx_ast *left = ast->args[0];
  const bool row = left->kind == RDX_AST_CALL && strcmp(left->name, "row") == 0;
  const uint32_t count = row ? left->count : 1;
  if (count != columns)
    return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, ast->place, NULL,
                            "the subquery has %u columns, and %u values are compared with them", columns, count);
  RDX_TRY(rdx_planner_alloc(b->planner, count, sizeof **out, out));
  for (uint32_t i = 0; i < count; i++)
    RDX_TRY(rdx_bind(b, row ? left->args[i] : left, &(*out)[i]));
  return RDX_OK;
}

/* left = column `i` of the leaf: keys of the join. */
static rdx_status add_keys(rdx_block *b, rdx_bound **left, uint32_t count, rdx_sql_place place, rdx_dependent *d) {
  for (uint32_t i = 0; i < count; i++) {
    rdx_bound *column = NULL, *equal = NULL;
    RDX_TRY(rdx_bind_column(b->planner, rdx_leaf_column(d->leaf, i), b->leaves[d->leaf].types[i], place, &column));
    RDX_TRY(call(b, "=", left[i], column, place, &equal));
    if (equal->kind != RDX_BOUND_CALL || equal->op != RDX_OP_EQ)
      return refuse(b, place, "these values cannot be looked for in a subquery");
    d->outer_keys[d->key_count] = equal->args[0];
    d->inner_keys[d->key_count++] = equal->args[1];
  }
  return RDX_OK;
}

/* NOT IN with correlation: no row for which x = y is true or unknown. */
static rdx_status add_not_in(rdx_block *b, rdx_bound *left, rdx_sql_place place, rdx_dependent *d) {
  rdx_bound *column = NULL, *equal = NULL;
  RDX_TRY(rdx_bind_column(b->planner, rdx_leaf_column(d->leaf, 0), b->leaves[d->leaf].types[0], place, &column));
  RDX_TRY(call(b, "=", left, column, place, &equal));
  RDX_TRY(call(b, "is not false", equal, NULL, place, &equal));
  return rdx_conjuncts_add(b->planner, &d->filter, equal);
}

/* An aggregate without groups has one row, always: IN is = of its value. */
static rdx_status add_equal(rdx_block *b, const rdx_ast *ast, rdx_bound *left, bool negated) {
  rdx_bound *value = NULL, *equal = NULL;
  RDX_TRY(bind_scalar(b, ast, &value));
  RDX_TRY(call(b, negated ? "<>" : "=", left, value, ast->place, &equal));
  return rdx_conjuncts_add(b->planner, &b->from.conjuncts, equal);
}

/* NULL IN (...) is never true; NULL NOT IN (...) where there is no row to compare with. */
static rdx_status add_null_in(rdx_block *b, rdx_bound_query *q, bool negated, rdx_sql_place place) {
  rdx_dependent d;
  rdx_bound *never = NULL;
  if (negated) {
    RDX_TRY(make_dependent(b, q, &(form){RDX_PLAN_ANTI, 1, false}, 0, &d));
    return add_dependent(b, d);
  }
  RDX_TRY(truth(b, false, place, &never));
  return rdx_conjuncts_add(b->planner, &b->from.conjuncts, never);
}

static rdx_status bind_in_conjunct(rdx_block *b, const rdx_ast *ast, bool negated) {
  rdx_bound_query *q = NULL;
  rdx_bound **left = NULL;
  rdx_dependent d;
  RDX_TRY(rdx_bind_query(b->planner, b, b->ctes, ast->query, &q));
  RDX_TRY(bind_left(b, ast, q->column_count, &left));
  const bool one_row = q->block && q->block->aggregating && q->block->group_count == 0;
  if (q->outer_levels > 0 && one_row && q->column_count == 1) {
    if (q->block->having && negated)
      return refuse(b, ast->place, "NOT IN of a subquery with HAVING that reads outer columns is not supported");
    return add_equal(b, ast, left[0], negated);
  }
  const uint32_t count = q->column_count;
  const bool correlated = q->outer_levels > 0;
  if (correlated && one_row)
    return refuse(b, ast->place,
                  "IN of a subquery that reads outer columns and aggregates without GROUP BY can have one column");
  bool null = false;
  for (uint32_t i = 0; i < count; i++)
    null |= is_null(left[i]);
  if (null)
    return add_null_in(b, q, negated, ast->place);
  const rdx_plan_join join = !negated ? RDX_PLAN_SEMI : correlated ? RDX_PLAN_ANTI : RDX_PLAN_ANTI_NULL;
  RDX_TRY(make_dependent(b, q, &(form){join, count, false}, count, &d));
  if (negated && correlated)
    RDX_TRY(add_not_in(b, left[0], ast->place, &d));
  else
    RDX_TRY(add_keys(b, left, count, ast->place, &d));
  return add_dependent(b, d);
}

static rdx_status bind_exists_conjunct(rdx_block *b, const rdx_ast *ast, bool negated, bool *done) {
  rdx_bound_query *q = NULL;
  rdx_dependent d;
  RDX_TRY(rdx_bind_query(b->planner, b, b->ctes, ast->query, &q));
  *done = q->outer_levels > 0;
  if (!*done)
    return RDX_OK;
  if (q->block && q->block->aggregating && q->block->group_count == 0 && !q->block->having) {
    *done = false; /* one row, always: bound again as a value */
    return RDX_OK;
  }
  RDX_TRY(make_dependent(b, q, &(form){negated ? RDX_PLAN_ANTI : RDX_PLAN_SEMI, 0, false}, 0, &d));
  return add_dependent(b, d);
}

/* x < ANY (...) and the like of a correlated query: rows for which there is one that compares so, or none that does
 * not. */
static rdx_status bind_compare_conjunct(rdx_block *b, const rdx_ast *ast, bool negated, bool *done) {
  rdx_bound_query *q = NULL;
  rdx_bound **left = NULL, *column = NULL, *compared = NULL;
  rdx_dependent d;
  RDX_TRY(rdx_bind_query(b->planner, b, b->ctes, ast->query, &q));
  *done = q->outer_levels > 0 && q->column_count == 1 && !(q->block && q->block->aggregating);
  if (!*done)
    return RDX_OK;
  RDX_TRY(bind_left(b, ast, 1, &left));
  const bool some = ast->all == negated;
  RDX_TRY(make_dependent(b, q, &(form){some ? RDX_PLAN_SEMI : RDX_PLAN_ANTI, 1, false}, 0, &d));
  RDX_TRY(rdx_bind_column(b->planner, rdx_leaf_column(d.leaf, 0), b->leaves[d.leaf].types[0], ast->place, &column));
  RDX_TRY(call(b, ast->name, left[0], column, ast->place, &compared));
  if (ast->all || negated)
    RDX_TRY(call(b,
                 !ast->all ? "is not false"
                 : negated ? "is false"
                           : "is not true",
                 compared, NULL, ast->place, &compared));
  RDX_TRY(rdx_conjuncts_add(b->planner, &d.filter, compared));
  return add_dependent(b, d);
}

rdx_status rdx_bind_subquery_conjunct(rdx_block *b, const rdx_ast *ast, bool *done) {
  bool negated = false;
  while (ast->kind == RDX_AST_CALL && strcmp(ast->name, "not") == 0) {
    negated = !negated;
    ast = ast->args[0];
  }
  *done = false;
  if (ast->kind == RDX_AST_EXISTS)
    return bind_exists_conjunct(b, ast, negated, done);
  if (ast->kind != RDX_AST_QUANTIFY)
    return RDX_OK;
  /* <> ALL is NOT IN */
  const bool any = !ast->all && strcmp(ast->name, "=") == 0, none = ast->all && strcmp(ast->name, "<>") == 0;
  const bool row = ast->args[0]->kind == RDX_AST_CALL && strcmp(ast->args[0]->name, "row") == 0;
  if ((any || none) && negated != none && row) /* NOT IN of several columns is a value */
    return RDX_OK;
  *done = any || none;
  return *done ? bind_in_conjunct(b, ast, negated != none) : bind_compare_conjunct(b, ast, negated, done);
}

/* x IN (...) as a value: joined to the distinct values, with a look at NULLs. */
static rdx_status bind_in_value(rdx_block *b, rdx_plan_node *plan, rdx_bound *left, rdx_sql_place place,
                                rdx_bound **out) {
  rdx_planner *p = b->planner;
  rdx_plan_node *distinct = NULL;
  rdx_dependent d = {.join = RDX_PLAN_LEFT};
  rdx_leaf leaf;
  summary s;
  plan->shared = true;
  RDX_TRY(summarize(b, plan, place, &s));
  if (is_null(left)) {
    rdx_bound *never = NULL;
    RDX_TRY(truth(b, false, place, &never));
    return decide(b, &s, left, never, place, out);
  }
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_AGGREGATE, plan, NULL, &distinct));
  distinct->lenient = true;
  distinct->column_count = distinct->expr_count = 1;
  distinct->columns = plan->columns;
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof *distinct->exprs, &distinct->exprs));
  RDX_TRY(rdx_bind_column(p, 0, plan->columns[0].type, place, &distinct->exprs[0]));
  RDX_TRY(rdx_leaf_of_plan(p, distinct, NULL, &leaf));
  RDX_TRY(rdx_block_add_leaf(b, leaf, &d.leaf, place));
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof(rdx_bound *), &d.outer_keys));
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof(rdx_bound *), &d.inner_keys));
  RDX_TRY(add_keys(b, &left, 1, place, &d));
  RDX_TRY(add_dependent(b, d));
  rdx_bound *found = NULL;
  RDX_TRY(call(b, "is not null", d.inner_keys[0], NULL, place, &found));
  return decide(b, &s, left, found, place, out);
}

/* What a mark says: CASE mark WHEN true THEN true WHEN NULL THEN NULL ELSE false END. */
static rdx_status read_mark(rdx_block *b, rdx_bound *mark, rdx_sql_place place, rdx_bound **out) {
  rdx_bound *args[5], *value;
  const rdx_sql_type integer = {.kind = RDX_SQL_INTEGER};
  RDX_TRY(rdx_bind_constant(&b->planner->binding, integer, (rdx_datum){.i = RDX_MARK_TRUE}, place, &value));
  RDX_TRY(call(b, "=", mark, value, place, &args[0]));
  RDX_TRY(truth(b, true, place, &args[1]));
  RDX_TRY(rdx_bind_constant(&b->planner->binding, integer, (rdx_datum){.i = RDX_MARK_NULL}, place, &value));
  RDX_TRY(call(b, "=", mark, value, place, &args[2]));
  RDX_TRY(rdx_bind_constant(&b->planner->binding, boolean, (rdx_datum){.null = true}, place, &args[3]));
  RDX_TRY(truth(b, false, place, &args[4]));
  return rdx_bind_call_of(b->planner, "case", args, 5, place, out);
}

/* The rows of a query are asked about one by one: equal ones once. */
static void make_distinct(rdx_bound_query *q) {
  if (!q->block || q->limit || q->offset || q->block->distinct_on_count > 0)
    return;
  q->block->distinct = true;
  q->block->output_count = q->block->visible;
  q->order_count = 0;
}

/* x op ANY (...), or (x, y) = ANY (...), of any query, as a value. */
static rdx_status bind_marked(rdx_block *b, const rdx_ast *ast, const char *op, rdx_bound_query *q, rdx_bound **left,
                              rdx_bound **out) {
  rdx_dependent d;
  rdx_bound **equal = NULL, *mark = NULL;
  const uint32_t count = q->column_count;
  const bool correlated = q->outer_levels > 0;
  if (correlated && q->block && q->block->aggregating && q->block->group_count == 0) { /* it has one row */
    rdx_bound *value = NULL;
    if (q->block->having || count > 1)
      return refuse(b, ast->place,
                    "IN, ANY and ALL of a subquery that reads outer columns and aggregates without GROUP BY can have "
                    "no HAVING, and one column");
    RDX_TRY(bind_scalar(b, ast, &value));
    return call(b, op, left[0], value, ast->place, out);
  }
  if (!correlated)
    make_distinct(q);
  RDX_TRY(make_dependent(b, q, &(form){RDX_PLAN_LEFT, count, correlated && q->block && !q->block->aggregating}, 0, &d));
  RDX_TRY(rdx_planner_alloc(b->planner, count, sizeof *equal, &equal));
  for (uint32_t i = 0; i < count; i++) {
    rdx_bound *column = NULL;
    RDX_TRY(rdx_bind_column(b->planner, rdx_leaf_column(d.leaf, i), b->leaves[d.leaf].types[i], ast->place, &column));
    RDX_TRY(call(b, op, left[i], column, ast->place, &equal[i]));
  }
  d.compared = equal[0];
  if (count > 1)
    RDX_TRY(rdx_bind_call_of(b->planner, "and", equal, count, ast->place, &d.compared));
  RDX_TRY(add_mark(b, d, ast->place, &mark));
  return read_mark(b, mark, ast->place, out);
}

static rdx_status bind_quantified(rdx_block *b, const rdx_ast *ast, rdx_bound **out) {
  rdx_bound_query *q = NULL;
  rdx_plan_node *plan = NULL;
  rdx_bound **left = NULL, *any = NULL;
  summary s;
  const char *op = ast->all ? opposite(ast->name) : ast->name; /* x < ALL is NOT x >= ANY */
  if (!op || !opposite(op))
    return refuse(b, ast->place, "only comparisons can have ANY or ALL");
  RDX_TRY(rdx_bind_query(b->planner, b, b->ctes, ast->query, &q));
  RDX_TRY(bind_left(b, ast, q->column_count, &left));
  if (q->column_count != 1 && strcmp(op, "=") != 0)
    return refuse(b, ast->place, "ANY and ALL of several columns are supported as [NOT] IN only");
  if (q->outer_levels > 0 || q->column_count != 1) {
    RDX_TRY(bind_marked(b, ast, op, q, left, out));
    return ast->all ? call(b, "not", *out, NULL, ast->place, out) : RDX_OK;
  }
  RDX_TRY(rdx_build_query(b->planner, q, &plan));
  if (strcmp(op, "=") == 0) {
    RDX_TRY(bind_in_value(b, plan, left[0], ast->place, out));
  } else {
    RDX_TRY(summarize(b, plan, ast->place, &s));
    RDX_TRY(compare_any(b, op, left[0], &s, ast->place, &any));
    RDX_TRY(decide(b, &s, left[0], any, ast->place, out));
  }
  return ast->all ? call(b, "not", *out, NULL, ast->place, out) : RDX_OK;
}

rdx_status rdx_bind_subquery(rdx_block *b, const rdx_ast *ast, rdx_bound **out) {
  switch (ast->kind) {
  case RDX_AST_SCALAR:
    return bind_scalar(b, ast, out);
  case RDX_AST_EXISTS:
    return bind_exists(b, ast, out);
  default:
    return bind_quantified(b, ast, out);
  }
}
