/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Subqueries in expressions. One that reads nothing of the query around it runs before: its value is a parameter.
 * Others become joins (correlated.c). */

#include "plan/correlated.h"

#include <string.h>

static const rdx_sql_type boolean = {.kind = RDX_SQL_BOOL}, bigint = {.kind = RDX_SQL_BIGINT};

static rdx_status truth(rdx_block *b, bool value, rdx_sql_place place, rdx_bound **out) {
  return rdx_bind_constant(&b->planner->binding, boolean, (rdx_datum){.i = value}, place, out);
}

static bool is_null(const rdx_bound *e) {
  return e->kind == RDX_BOUND_CONSTANT && e->value.null;
}

static uint32_t count_nulls(rdx_bound *const *list, uint32_t count) {
  uint32_t nulls = 0;
  for (uint32_t i = 0; i < count; i++)
    nulls += is_null(list[i]);
  return nulls;
}

static bool is_constant(const rdx_bound *e) {
  return !e || e->kind == RDX_BOUND_CONSTANT;
}

static bool is_positive(const rdx_bound *e) {
  return e && !e->value.null && e->value.i > 0;
}

/* Whether a query has one row, or none as HAVING says, whatever its rows are: it aggregates without groups. */
static bool is_one_row(const rdx_bound_query *q) {
  const rdx_block *c = q->block;
  return c && c->aggregating && c->group_count == 0 && c->set_count == 0 && !c->qualify;
}

/* The one row is left out by LIMIT 0 and OFFSET 1, as by a HAVING. */
static rdx_status limit_one_row(rdx_block *b, rdx_bound_query *q) {
  rdx_block *c = q->block;
  if (!is_one_row(q) || (!q->limit && !q->offset))
    return RDX_OK;
  if (!is_constant(q->limit) || !is_constant(q->offset))
    return rdx_block_refuse(b, q->written->place,
                            "LIMIT and OFFSET of a subquery that reads outer columns and aggregates without GROUP BY "
                            "can only be constants");
  const bool none = is_positive(q->offset) || (q->limit && !q->limit->value.null && !is_positive(q->limit));
  q->limit = q->offset = NULL;
  q->ties = false;
  q->order_count = 0;
  return none ? truth(c, false, q->written->place, &c->having) : RDX_OK;
}

static rdx_status bind_inner(rdx_block *b, const rdx_ast *ast, rdx_bound_query **out) {
  RDX_TRY(rdx_bind_query(b->planner, b, b->ctes, ast->query, out));
  if ((*out)->outer_levels == 0)
    return RDX_OK;
  RDX_TRY(limit_one_row(b, *out));
  return rdx_part_groups(b, *out);
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

/* The same of one of its columns. */
static rdx_status add_part(rdx_block *b, rdx_plan_node *plan, uint32_t column, rdx_sql_place place, rdx_bound **out) {
  rdx_planner *p = b->planner;
  rdx_plan_node *one = NULL;
  plan->shared = true;
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_PROJECT, plan, NULL, &one));
  one->column_count = one->expr_count = 1;
  one->columns = &plan->columns[column];
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof *one->exprs, &one->exprs));
  RDX_TRY(rdx_bind_column(p, column, one->columns[0].type, place, &one->exprs[0]));
  return add_scalar(b, one, false, place, out);
}

/* Smallest and largest value, rows and values of a plan's first column. */
typedef struct summary {
  rdx_bound *min, *max, *rows, *values;
} summary;

static rdx_status summarize(rdx_block *b, rdx_plan_node *plan, rdx_sql_place place, summary *out) {
  static const rdx_plan_aggregate_kind kinds[] = {RDX_PLAN_MIN, RDX_PLAN_MAX, RDX_PLAN_COUNT, RDX_PLAN_COUNT};
  rdx_planner *p = b->planner;
  rdx_bound *column = NULL, **parts[] = {&out->min, &out->max, &out->rows, &out->values};
  rdx_plan_node *node = NULL;
  RDX_TRY(rdx_bind_column(p, 0, plan->columns[0].type, place, &column));
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_AGGREGATE, plan, NULL, &node));
  node->aggregate_count = node->column_count = RDX_COUNT(kinds);
  RDX_TRY(rdx_planner_alloc(p, RDX_COUNT(kinds), sizeof *node->aggregates, &node->aggregates));
  RDX_TRY(rdx_planner_alloc(p, RDX_COUNT(kinds), sizeof *node->columns, &node->columns));
  for (uint32_t i = 0; i < RDX_COUNT(kinds); i++) {
    const rdx_sql_type type = i < 2 ? column->type : bigint;
    node->aggregates[i] = (rdx_plan_aggregate){.kind = kinds[i], .value = i == 2 ? NULL : column, .type = type};
    node->columns[i] = (rdx_plan_column){"", type};
  }
  for (uint32_t i = 0; i < RDX_COUNT(kinds); i++)
    RDX_TRY(add_part(b, node, i, place, parts[i]));
  return RDX_OK;
}

/* CASE WHEN no rows THEN false WHEN `any` THEN true WHEN x IS NULL OR there are NULLs THEN NULL ELSE false. */
static rdx_status decide(rdx_block *b, const summary *s, rdx_bound *value, rdx_bound *any, rdx_sql_place place,
                         rdx_bound **out) {
  rdx_bound *args[7], *zero, *no_value, *nulls;
  RDX_TRY(rdx_bind_constant(&b->planner->binding, bigint, (rdx_datum){.i = 0}, place, &zero));
  RDX_TRY(rdx_bind_pair(b, "=", s->rows, zero, place, &args[0]));
  RDX_TRY(truth(b, false, place, &args[1]));
  args[2] = any;
  RDX_TRY(truth(b, true, place, &args[3]));
  RDX_TRY(rdx_bind_pair(b, "is null", value, NULL, place, &no_value));
  RDX_TRY(rdx_bind_pair(b, "<>", s->rows, s->values, place, &nulls));
  RDX_TRY(rdx_bind_pair(b, "or", no_value, nulls, place, &args[4]));
  RDX_TRY(rdx_bind_constant(&b->planner->binding, boolean, (rdx_datum){.null = true}, place, &args[5]));
  args[6] = args[1];
  return rdx_bind_call_of(b->planner, "case", args, 7, place, out);
}

/* x < ANY: below the largest. The same for each operator; <> ANY: the smallest or the largest is another. */
static rdx_status compare_any(rdx_block *b, const char *op, rdx_bound *value, const summary *s, rdx_sql_place place,
                              rdx_bound **out) {
  rdx_bound *low, *high;
  if (op[0] == '<' && op[1] != '>')
    return rdx_bind_pair(b, op, value, s->max, place, out);
  if (op[0] == '>')
    return rdx_bind_pair(b, op, value, s->min, place, out);
  RDX_TRY(rdx_bind_pair(b, op, value, s->min, place, &low));
  RDX_TRY(rdx_bind_pair(b, op, value, s->max, place, &high));
  return rdx_bind_pair(b, "or", low, high, place, out);
}

static const char *opposite(const char *op) {
  static const char *const pairs[][2] = {{"=", "<>"}, {"<", ">="}, {">", "<="}};
  for (size_t i = 0; i < RDX_COUNT(pairs); i++)
    for (int k = 0; k < 2; k++)
      if (strcmp(pairs[i][k], op) == 0)
        return pairs[i][!k];
  return NULL;
}

/* ---- Scalars ---- */

/* A query that aggregates pairs. */
static rdx_status bind_pairs(rdx_block *b, rdx_bound_query *q, rdx_bound **out) {
  rdx_dependent d;
  rdx_bound *written = q->block->outputs[0].value;
  RDX_TRY(rdx_check_correlated(b, q));
  RDX_TRY(rdx_make_pairs(b, q, &d));
  RDX_TRY(rdx_add_dependent(b, d));
  return rdx_answer(b, &d, written, out);
}

/* Whether the rows that a query aggregates are the same for all outer rows, and so are its aggregates. */
static bool is_given(const rdx_block *c) {
  bool given = c->correlations.count == 0;
  for (uint32_t i = 0; i < c->aggregate_count && given; i++)
    given = !rdx_reads_outer(&c->aggregates[i]);
  return given;
}

/* Such aggregates are parameters, which the list reads beside outer columns. */
static rdx_status bind_given(rdx_block *b, rdx_bound_query *q, rdx_bound **out) {
  rdx_planner *p = b->planner;
  rdx_block *c = q->block;
  rdx_plan_node *plan = NULL;
  rdx_bound *written = c->outputs[0].value, **values = NULL;
  RDX_TRY(rdx_planner_alloc(p, c->aggregate_count, sizeof *values, &values));
  c->output_count = 0;
  q->order_count = 0;
  for (uint32_t i = 0; i < c->aggregate_count; i++) {
    const rdx_sql_type type = c->aggregates[i].type;
    RDX_TRY(rdx_bind_column(p, rdx_leaf_column(RDX_AGGREGATES_LEAF, i), type, written->place, &values[i]));
    RDX_TRY(rdx_block_add_output(c, "", values[i]));
  }
  c->visible = c->output_count;
  RDX_TRY(rdx_query_list_columns(p, q));
  RDX_TRY(rdx_build_query(p, q, &plan));
  for (uint32_t i = 0; i < c->aggregate_count; i++)
    RDX_TRY(add_part(b, plan, i, written->place, &values[i]));
  return rdx_lift_aggregates(b, values, written, out);
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
  rdx_bound *max, *values, *zero, *some, *nulls, *written = *value;
  RDX_TRY(add_aggregate(c, RDX_PLAN_MIN, written, value));
  RDX_TRY(add_aggregate(c, RDX_PLAN_MAX, written, &max));
  RDX_TRY(add_aggregate(c, RDX_PLAN_COUNT, written, &values));
  RDX_TRY(rdx_bind_constant(&b->planner->binding, bigint, (rdx_datum){.i = 0}, place, &zero));
  RDX_TRY(rdx_bind_pair(b, "<", *value, max, place, more));
  RDX_TRY(rdx_bind_pair(b, ">", values, zero, place, &some));
  RDX_TRY(rdx_bind_pair(b, "<", values, rows, place, &nulls));
  RDX_TRY(rdx_bind_pair(b, "and", some, nulls, place, &some));
  return rdx_bind_pair(b, "or", *more, some, place, more);
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
  RDX_TRY(rdx_bind_pair(b, ">", rows, one, place, &args[0]));
  RDX_TRY(bind_second_row(b, type, place, &args[1]));
  RDX_TRY(rdx_bind_pair(b, "<", rows, one, place, &args[2]));
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
         (b->guard || rdx_bound_has(c->outputs[0].value, RDX_BOUND_OUTER) || (c->distinct && rdx_compares_pairs(c)));
}

static bool is_one(const rdx_bound *limit) {
  return limit && limit->kind == RDX_BOUND_CONSTANT && !limit->value.null && limit->value.i == 1;
}

/* Whether a query that reads outer columns has one row at most since it has LIMIT 1, which an aggregate can find. */
static bool has_first(const rdx_bound_query *q) {
  const rdx_block *c = q->block;
  return c && is_one(q->limit) && !q->ties && !c->aggregating && c->window_count == 0 && c->distinct_on_count == 0 &&
         !(c->distinct && q->offset);
}

/* The value of the first row in the order of the query, which then aggregates. */
static rdx_status aggregate_first(rdx_bound_query *q) {
  rdx_block *c = q->block;
  rdx_bound *value = NULL;
  rdx_plan_ordering *orders = NULL;
  RDX_TRY(rdx_planner_alloc(c->planner, q->order_count, sizeof *orders, &orders));
  for (uint32_t i = 0; i < q->order_count; i++)
    orders[i] =
        (rdx_plan_ordering){c->outputs[q->orders[i].column].value, q->orders[i].descending, q->orders[i].nulls_first};
  if (c->outputs[0].value->type.kind == RDX_SQL_UNKNOWN)
    RDX_TRY(rdx_bind_cast(&c->planner->binding, c->outputs[0].value, (rdx_sql_type){.kind = RDX_SQL_TEXT}, true,
                          q->written->place, &c->outputs[0].value));
  RDX_TRY(add_aggregate(c, RDX_PLAN_FIRST, c->outputs[0].value, &value));
  rdx_plan_aggregate *a = &c->aggregates[c->aggregate_count - 1];
  a->orders = orders;
  a->order_count = q->order_count;
  a->argument = q->offset;
  c->outputs[0].value = value;
  c->output_count = c->visible = 1;
  c->aggregating = true;
  c->distinct = false;
  q->limit = q->offset = NULL;
  q->order_count = 0;
  return RDX_OK;
}

/* Its value where its gate is true. */
static rdx_status bind_open(rdx_block *b, const rdx_ast *ast, rdx_bound_query *q, rdx_bound **out) {
  rdx_plan_node *plan = NULL;
  rdx_dependent d;
  if (q->outer_levels == 0) {
    RDX_TRY(rdx_build_query(b->planner, q, &plan));
    return add_scalar(b, plan, false, ast->place, out);
  }
  if (has_first(q))
    RDX_TRY(aggregate_first(q));
  const bool one_row = is_one_row(q);
  if (one_row && is_given(q->block))
    return bind_given(b, q, out);
  if (one_row && rdx_compares_pairs(q->block))
    return bind_pairs(b, q, out);
  if (needs_single(b, q)) {
    RDX_TRY(aggregate_single(b, q->block, ast->place));
    return bind_pairs(b, q, out);
  }
  rdx_bound *written = q->block ? q->block->outputs[0].value : NULL;
  const bool distinct = q->block && q->block->distinct;
  RDX_TRY(rdx_make_dependent(b, q, &(rdx_form){one_row ? RDX_PLAN_LEFT : RDX_PLAN_SINGLE, 1, distinct}, 0, &d));
  RDX_TRY(rdx_add_dependent(b, d));
  RDX_TRY(rdx_bind_column(b->planner, rdx_leaf_column(d.leaf, 0), b->leaves[d.leaf].types[0], ast->place, out));
  return one_row ? rdx_with_empty(b, q->block, written, &d, out) : RDX_OK;
}

/* HAVING of one row: without it the value is NULL. */
static rdx_status list_having(rdx_block *c, rdx_sql_place place) {
  rdx_bound *args[2] = {c->having, c->outputs[0].value}, *rows = NULL;
  c->having = NULL;
  if (args[0])
    RDX_TRY(rdx_bind_call_of(c->planner, "case", args, 2, place, &c->outputs[0].value));
  return c->aggregate_count == 0 ? add_aggregate(c, RDX_PLAN_COUNT, NULL, &rows) : RDX_OK;
}

static rdx_status bind_value(rdx_block *b, const rdx_ast *ast, rdx_bound_query *q, rdx_bound **out) {
  rdx_gate gate;
  if (q->outer_levels > 0 && is_one_row(q))
    RDX_TRY(list_having(q->block, ast->place));
  rdx_bound *written = q->block ? q->block->outputs[0].value : NULL;
  if (is_one_row(q) && written->kind == RDX_BOUND_CONSTANT) {
    *out = written;
    return RDX_OK;
  }
  RDX_TRY(rdx_raise_gate(b, q, &gate));
  const rdx_guard guard = {.call = "case", .args = &gate.condition, .count = 1, .outside = b->guard};
  b->guard = gate.condition ? &guard : b->guard;
  const rdx_status status = bind_open(b, ast, q, out);
  b->guard = guard.outside;
  return status == RDX_OK ? rdx_gate_value(b, &gate, written, out) : status;
}

static rdx_status bind_scalar(rdx_block *b, const rdx_ast *ast, rdx_bound **out) {
  rdx_bound_query *q = NULL;
  RDX_TRY(bind_inner(b, ast, &q));
  if (q->column_count != 1)
    return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, ast->place, NULL, "a subquery as a value has one column");
  return bind_value(b, ast, q, out);
}

/* ---- EXISTS ---- */

/* A LIMIT of one row or more leaves some where there are some. */
static void drop_limit(rdx_bound_query *q) {
  const rdx_bound *n = q->limit;
  if (n && n->kind == RDX_BOUND_CONSTANT && !q->offset && (n->value.null || n->value.i > 0))
    q->limit = NULL;
}

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
  RDX_TRY(bind_inner(b, ast, &q));
  if (q->outer_levels == 0) {
    RDX_TRY(drop_list(q));
    RDX_TRY(rdx_build_query(b->planner, q, &plan));
    return add_scalar(b, plan, true, ast->place, out);
  }
  if (is_one_row(q) && !q->block->having)
    return truth(b, true, ast->place, out); /* it has one row, always */
  if (is_one_row(q)) {
    q->block->outputs[0].value = q->block->having;
    q->block->having = NULL;
    RDX_TRY(bind_value(b, ast, q, out));
    return rdx_bind_pair(b, "is true", *out, NULL, ast->place, out);
  }
  drop_limit(q);
  const bool limited = q->limit || q->offset;
  RDX_TRY(rdx_make_dependent(b, q, &(rdx_form){RDX_PLAN_LEFT, 0, true}, 0, &d));
  if (d.key_count == 0 || d.filter.count > 0 || limited) { /* there may be several rows */
    rdx_bound *mark = NULL;
    RDX_TRY(truth(b, true, ast->place, &d.compared));
    RDX_TRY(rdx_add_mark(b, d, ast->place, &mark));
    return rdx_bind_pair(b, "is not null", mark, NULL, ast->place, out);
  }
  RDX_TRY(rdx_add_dependent(b, d));
  return rdx_bind_pair(b, "is not null", d.inner_keys[0], NULL, ast->place, out);
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
  for (uint32_t i = 0; i < count; i++) {
    RDX_TRY(rdx_bind(b, row ? left->args[i] : left, &(*out)[i]));
    if (rdx_reads_windows((*out)[i])) /* they are computed above the joins that subqueries become */
      return rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, ast->place,
                              "compute the window function in a query in FROM",
                              "a window function cannot be looked for in a subquery");
  }
  return RDX_OK;
}

/* left = column `i` of the leaf: keys of the join. A left NULL decides nothing where NOT IN has others. */
static rdx_status add_keys(rdx_block *b, rdx_bound **left, uint32_t count, rdx_sql_place place, rdx_dependent *d) {
  for (uint32_t i = 0; i < count; i++) {
    rdx_bound *column = NULL, *equal = NULL;
    RDX_TRY(rdx_bind_column(b->planner, rdx_leaf_column(d->leaf, i), b->leaves[d->leaf].types[i], place, &column));
    RDX_TRY(rdx_bind_pair(b, "=", left[i], column, place, &equal));
    if (is_null(left[i]))
      continue;
    if (!rdx_is_call(equal, RDX_OP_EQ))
      return rdx_block_refuse(b, place, "these values cannot be looked for in a subquery");
    d->outer_keys[d->key_count] = equal->args[0];
    d->inner_keys[d->key_count++] = equal->args[1];
  }
  return RDX_OK;
}

/* Whether all values on the left compare so with those of the leaf. */
static rdx_status compare_row(rdx_block *b, const char *op, rdx_bound **left, uint32_t count, rdx_sql_place place,
                              const rdx_dependent *d, rdx_bound **out) {
  rdx_bound **parts = NULL;
  RDX_TRY(rdx_planner_alloc(b->planner, count, sizeof *parts, &parts));
  for (uint32_t i = 0; i < count; i++) {
    rdx_bound *column = NULL;
    RDX_TRY(rdx_bind_column(b->planner, rdx_leaf_column(d->leaf, i), b->leaves[d->leaf].types[i], place, &column));
    RDX_TRY(rdx_bind_pair(b, op, left[i], column, place, &parts[i]));
  }
  *out = parts[0];
  return count > 1 ? rdx_bind_call_of(b->planner, "and", parts, count, place, out) : RDX_OK;
}

/* NOT IN with correlation: no row for which x = y is true or unknown. */
static rdx_status add_not_in(rdx_block *b, rdx_bound **left, uint32_t count, rdx_sql_place place, rdx_dependent *d) {
  rdx_bound *equal = NULL;
  RDX_TRY(compare_row(b, "=", left, count, place, d, &equal));
  RDX_TRY(rdx_bind_pair(b, "is not false", equal, NULL, place, &equal));
  return rdx_conjuncts_add(b->planner, &d->filter, equal);
}

/* An aggregate without groups has one row, always: IN is = of its value. */
static rdx_status add_equal(rdx_block *b, const rdx_ast *ast, rdx_bound *left, bool negated) {
  rdx_bound *value = NULL, *equal = NULL;
  RDX_TRY(bind_scalar(b, ast, &value));
  RDX_TRY(rdx_bind_pair(b, negated ? "<>" : "=", left, value, ast->place, &equal));
  return rdx_conjuncts_add(b->planner, &b->from.conjuncts, equal);
}

/* NULL IN (...) is never true; NULL NOT IN (...) where there is no row to compare with. */
static rdx_status add_null_in(rdx_block *b, rdx_bound_query *q, bool negated, rdx_sql_place place) {
  rdx_dependent d;
  rdx_bound *never = NULL;
  if (negated) {
    RDX_TRY(rdx_make_dependent(b, q, &(rdx_form){RDX_PLAN_ANTI, 1, false}, 0, &d));
    return rdx_add_dependent(b, d);
  }
  RDX_TRY(truth(b, false, place, &never));
  return rdx_conjuncts_add(b->planner, &b->from.conjuncts, never);
}

static rdx_status bind_in_conjunct(rdx_block *b, const rdx_ast *ast, bool negated) {
  rdx_bound_query *q = NULL;
  rdx_bound **left = NULL;
  rdx_dependent d;
  RDX_TRY(bind_inner(b, ast, &q));
  RDX_TRY(bind_left(b, ast, q->column_count, &left));
  const bool one_row = is_one_row(q);
  if (q->outer_levels > 0 && one_row && q->column_count == 1) {
    if (q->block->having && negated)
      return rdx_block_refuse(b, ast->place,
                              "NOT IN of a subquery with HAVING that reads outer columns is not supported");
    return add_equal(b, ast, left[0], negated);
  }
  const uint32_t count = q->column_count;
  const bool correlated = q->outer_levels > 0;
  if (correlated && one_row)
    return rdx_block_refuse(
        b, ast->place, "IN of a subquery that reads outer columns and aggregates without GROUP BY can have one column");
  const uint32_t nulls = count_nulls(left, count);
  if (negated ? nulls == count : nulls > 0)
    return add_null_in(b, q, negated, ast->place);
  const rdx_plan_join join = !negated ? RDX_PLAN_SEMI : correlated ? RDX_PLAN_ANTI : RDX_PLAN_ANTI_NULL;
  RDX_TRY(rdx_make_dependent(b, q, &(rdx_form){join, count, false}, count, &d));
  if (negated && correlated)
    RDX_TRY(add_not_in(b, left, count, ast->place, &d));
  if (!negated || !correlated)
    RDX_TRY(add_keys(b, left, count, ast->place, &d));
  return rdx_add_dependent(b, d);
}

static rdx_status bind_exists_conjunct(rdx_block *b, const rdx_ast *ast, bool negated, bool *done) {
  rdx_bound_query *q = NULL;
  rdx_dependent d;
  RDX_TRY(bind_inner(b, ast, &q));
  *done = q->outer_levels > 0 && !is_one_row(q); /* else it is bound again as a value */
  if (!*done)
    return RDX_OK;
  drop_limit(q);
  RDX_TRY(rdx_make_dependent(b, q, &(rdx_form){negated ? RDX_PLAN_ANTI : RDX_PLAN_SEMI, 0, false}, 0, &d));
  return rdx_add_dependent(b, d);
}

/* x < ANY (...) and the like of a correlated query: rows for which there is one that compares so, or none that does
 * not. */
static rdx_status bind_compare_conjunct(rdx_block *b, const rdx_ast *ast, bool negated, bool *done) {
  rdx_bound_query *q = NULL;
  rdx_bound **left = NULL, *column = NULL, *compared = NULL;
  rdx_dependent d;
  RDX_TRY(bind_inner(b, ast, &q));
  *done = q->outer_levels > 0 && q->column_count == 1 && !(q->block && q->block->aggregating);
  if (!*done)
    return RDX_OK;
  RDX_TRY(bind_left(b, ast, 1, &left));
  const bool some = ast->all == negated;
  RDX_TRY(rdx_make_dependent(b, q, &(rdx_form){some ? RDX_PLAN_SEMI : RDX_PLAN_ANTI, 1, false}, 0, &d));
  RDX_TRY(rdx_bind_column(b->planner, rdx_leaf_column(d.leaf, 0), b->leaves[d.leaf].types[0], ast->place, &column));
  RDX_TRY(rdx_bind_pair(b, ast->name, left[0], column, ast->place, &compared));
  if (ast->all || negated)
    RDX_TRY(rdx_bind_pair(b,
                          !ast->all ? "is not false"
                          : negated ? "is false"
                                    : "is not true",
                          compared, NULL, ast->place, &compared));
  RDX_TRY(rdx_conjuncts_add(b->planner, &d.filter, compared));
  return rdx_add_dependent(b, d);
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
  *done = any || none;
  return *done ? bind_in_conjunct(b, ast, negated != none) : bind_compare_conjunct(b, ast, negated, done);
}

/* A dependent over a plan without correlation: left = its columns. */
static rdx_status compare_plan(rdx_block *b, rdx_plan_node *plan, rdx_bound **left, uint32_t count, rdx_sql_place place,
                               rdx_dependent *d) {
  rdx_planner *p = b->planner;
  rdx_leaf leaf;
  RDX_TRY(rdx_leaf_of_plan(p, plan, NULL, &leaf));
  RDX_TRY(rdx_block_add_leaf(b, leaf, &d->leaf, place));
  RDX_TRY(rdx_planner_alloc(p, count, sizeof(rdx_bound *), &d->outer_keys));
  RDX_TRY(rdx_planner_alloc(p, count, sizeof(rdx_bound *), &d->inner_keys));
  return add_keys(b, left, count, place, d);
}

/* x IN (...) as a value: joined to the distinct values, with a look at NULLs. */
static rdx_status bind_in_value(rdx_block *b, rdx_plan_node *plan, rdx_bound *left, rdx_sql_place place,
                                rdx_bound **out) {
  rdx_planner *p = b->planner;
  rdx_plan_node *distinct = NULL;
  rdx_dependent d = {.join = RDX_PLAN_LEFT};
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
  RDX_TRY(compare_plan(b, distinct, &left, 1, place, &d));
  RDX_TRY(rdx_add_dependent(b, d));
  rdx_bound *found = NULL;
  RDX_TRY(rdx_bind_pair(b, "is not null", d.inner_keys[0], NULL, place, &found));
  return decide(b, &s, left, found, place, out);
}

/* (x, y) IN (...) as a value: CASE WHEN a row is equal THEN true WHEN NOT IN keeps it THEN false ELSE NULL END. */
static rdx_status bind_row_in_value(rdx_block *b, rdx_plan_node *plan, rdx_bound **left, uint32_t count,
                                    rdx_sql_place place, rdx_bound **out) {
  rdx_bound *args[5], *mark = NULL;
  plan->shared = true;
  for (uint32_t i = 0; i < 2; i++) {
    const bool unlike = i == 1;
    rdx_dependent d = {.join = RDX_PLAN_LEFT, .unlike = unlike};
    RDX_TRY(truth(b, !unlike, place, &args[2 * i + 1]));
    RDX_TRY(truth(b, false, place, &args[2 * i]));
    if (!unlike && count_nulls(left, count) > 0)
      continue;
    RDX_TRY(truth(b, true, place, &d.compared));
    RDX_TRY(compare_plan(b, plan, left, count, place, &d));
    RDX_TRY(rdx_add_mark(b, d, place, &mark));
    RDX_TRY(rdx_bind_pair(b, "is not null", mark, NULL, place, &args[2 * i]));
  }
  RDX_TRY(rdx_bind_constant(&b->planner->binding, boolean, (rdx_datum){.null = true}, place, &args[4]));
  return rdx_bind_call_of(b->planner, "case", args, 5, place, out);
}

/* What a mark says: CASE mark WHEN true THEN true WHEN NULL THEN NULL ELSE false END. */
static rdx_status read_mark(rdx_block *b, rdx_bound *mark, rdx_sql_place place, rdx_bound **out) {
  rdx_bound *args[5], *value;
  const rdx_sql_type integer = {.kind = RDX_SQL_INTEGER};
  RDX_TRY(rdx_bind_constant(&b->planner->binding, integer, (rdx_datum){.i = RDX_MARK_TRUE}, place, &value));
  RDX_TRY(rdx_bind_pair(b, "=", mark, value, place, &args[0]));
  RDX_TRY(truth(b, true, place, &args[1]));
  RDX_TRY(rdx_bind_constant(&b->planner->binding, integer, (rdx_datum){.i = RDX_MARK_NULL}, place, &value));
  RDX_TRY(rdx_bind_pair(b, "=", mark, value, place, &args[2]));
  RDX_TRY(rdx_bind_constant(&b->planner->binding, boolean, (rdx_datum){.null = true}, place, &args[3]));
  RDX_TRY(truth(b, false, place, &args[4]));
  return rdx_bind_call_of(b->planner, "case", args, 5, place, out);
}

/* x op ANY (...), or (x, y) = ANY (...), of a query that reads outer columns, as a value. */
static rdx_status bind_marked(rdx_block *b, const rdx_ast *ast, const char *op, rdx_bound_query *q, rdx_bound **left,
                              rdx_bound **out) {
  rdx_dependent d;
  rdx_bound *mark = NULL;
  const uint32_t count = q->column_count;
  if (is_one_row(q)) {
    rdx_bound *value = NULL;
    if (q->block->having || count > 1)
      return rdx_block_refuse(
          b, ast->place,
          "IN, ANY and ALL of a subquery that reads outer columns and aggregates without GROUP BY can have "
          "no HAVING, and one column");
    RDX_TRY(bind_scalar(b, ast, &value));
    return rdx_bind_pair(b, op, left[0], value, ast->place, out);
  }
  RDX_TRY(rdx_make_dependent(b, q, &(rdx_form){RDX_PLAN_LEFT, count, q->block && !q->block->aggregating}, 0, &d));
  RDX_TRY(compare_row(b, op, left, count, ast->place, &d, &d.compared));
  RDX_TRY(rdx_add_mark(b, d, ast->place, &mark));
  return read_mark(b, mark, ast->place, out);
}

static rdx_status bind_quantified(rdx_block *b, const rdx_ast *ast, rdx_bound **out) {
  rdx_bound_query *q = NULL;
  rdx_plan_node *plan = NULL;
  rdx_bound **left = NULL, *any = NULL;
  summary s;
  const char *op = ast->all ? opposite(ast->name) : ast->name; /* x < ALL is NOT x >= ANY */
  if (!op || !opposite(op))
    return rdx_block_refuse(b, ast->place, "only comparisons can have ANY or ALL");
  RDX_TRY(bind_inner(b, ast, &q));
  RDX_TRY(bind_left(b, ast, q->column_count, &left));
  if (q->column_count != 1 && strcmp(op, "=") != 0)
    return rdx_block_refuse(b, ast->place, "ANY and ALL of several columns are supported as [NOT] IN only");
  if (q->outer_levels > 0) {
    RDX_TRY(bind_marked(b, ast, op, q, left, out));
    return ast->all ? rdx_bind_pair(b, "not", *out, NULL, ast->place, out) : RDX_OK;
  }
  RDX_TRY(rdx_build_query(b->planner, q, &plan));
  if (q->column_count > 1) {
    RDX_TRY(bind_row_in_value(b, plan, left, q->column_count, ast->place, out));
  } else if (strcmp(op, "=") == 0) {
    RDX_TRY(bind_in_value(b, plan, left[0], ast->place, out));
  } else {
    RDX_TRY(summarize(b, plan, ast->place, &s));
    RDX_TRY(compare_any(b, op, left[0], &s, ast->place, &any));
    RDX_TRY(decide(b, &s, left[0], any, ast->place, out));
  }
  return ast->all ? rdx_bind_pair(b, "not", *out, NULL, ast->place, out) : RDX_OK;
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
