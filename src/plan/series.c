/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* generate_series(from, to [, step]) in FROM, and functions whose rows are numbered by one. */

#include "plan/correlated.h"

#include <math.h>
#include <string.h>

#include "expression/calendar.h"

#define UNKNOWN_ROWS 100 /* expected of ends that are not told before it runs */

/* What a series is made of: its type, and that of its step. */
typedef struct series {
  rdx_bound *args[3]; /* from, to, step; the last one may be NULL */
  uint32_t count;
  rdx_sql_type type, step_type;
} series;

static bool is_time(const rdx_bound *e) {
  return e->type.kind == RDX_SQL_DATE || e->type.kind == RDX_SQL_TIMESTAMP;
}

static rdx_status no_series(const rdx_block *b, const rdx_from *from, const series *s, const char *hint) {
  char types[3][32];
  return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, from->place, hint, "there is no generate_series(%s, %s%s%s)",
                          rdx_sql_type_text(s->args[0]->type, types[0]), rdx_sql_type_text(s->args[1]->type, types[1]),
                          s->count > 2 ? ", " : "", s->count > 2 ? rdx_sql_type_text(s->args[2]->type, types[2]) : "");
}

/* Times with an interval, or numbers of one type. */
static rdx_status find_types(const rdx_block *b, const rdx_from *from, series *s) {
  rdx_sql_type types[3] = {0};
  for (uint32_t i = 0; i < s->count; i++)
    types[i] = s->args[i]->type;
  if (is_time(s->args[0]) || is_time(s->args[1]) || types[2].kind == RDX_SQL_INTERVAL) {
    s->type = (rdx_sql_type){.kind = RDX_SQL_TIMESTAMP};
    s->step_type = (rdx_sql_type){.kind = RDX_SQL_INTERVAL};
    for (uint32_t i = 0; i < 2; i++)
      if (!is_time(s->args[i]) && types[i].kind != RDX_SQL_UNKNOWN)
        return no_series(b, from, s, "an interval is the step of dates and timestamps");
    return s->count == 3 && (types[2].kind == RDX_SQL_INTERVAL || types[2].kind == RDX_SQL_UNKNOWN)
               ? RDX_OK
               : no_series(b, from, s, "write a step: INTERVAL '1 day'");
  }
  if (!rdx_sql_common_type(types, s->count, &s->type) || s->type.kind < RDX_SQL_SMALLINT ||
      s->type.kind > RDX_SQL_DECIMAL)
    return no_series(b, from, s,
                     types[0].kind == RDX_SQL_UNKNOWN && types[1].kind == RDX_SQL_UNKNOWN
                         ? "write their type: DATE '2024-01-31'"
                         : "series are of integers, numeric, dates and timestamps");
  if (s->type.kind == RDX_SQL_SMALLINT)
    s->type.kind = RDX_SQL_INTEGER;
  if (s->type.kind == RDX_SQL_DECIMAL)
    s->type.precision = 18;
  s->step_type = s->type;
  return RDX_OK;
}

/* What it reads of the block is outer to it. */
static rdx_status bind_argument(rdx_block *b, const rdx_ast *call, uint32_t number, rdx_bound **out) {
  rdx_block alone = {.planner = b->planner, .parent = b, .ctes = b->ctes, .clause = "FROM"};
  const rdx_ast *ast = call->args[number];
  RDX_TRY(rdx_bind(&alone, ast, out));
  if (alone.dependent_count > 0)
    return rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, ast->place, NULL,
                            "a subquery that reads columns cannot stand in %s", call->name);
  if (alone.outer_levels > 1)
    return rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, ast->place,
                            "let it stand in FROM beside what it reads: FROM t, f(t.c), with GROUP BY or DISTINCT",
                            "%s in FROM of a subquery cannot read columns of the query around it", call->name);
  return RDX_OK;
}

/* The ends may differ from row to row. */
static rdx_status lift_arguments(rdx_block *b, series *s, bool *lateral) {
  rdx_lifting lifting = {.block = b, .list = &(rdx_conjuncts){0}};
  *lateral = rdx_bound_has(s->args[0], RDX_BOUND_OUTER) || rdx_bound_has(s->args[1], RDX_BOUND_OUTER);
  if (rdx_bound_has(s->args[2], RDX_BOUND_OUTER))
    return rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, s->args[2]->place, NULL,
                            "the step of generate_series must be the same for all rows, and reads columns");
  for (uint32_t i = 0; i < 2; i++)
    RDX_TRY(rdx_lift_value(&lifting, s->args[i], &s->args[i]));
  return RDX_OK;
}

static rdx_status bind_arguments(rdx_block *b, const rdx_from *from, series *s) {
  rdx_planner *p = b->planner;
  const rdx_ast *call = from->call;
  if (call->count < 2 || call->count > 3 || call->star || call->distinct || call->filter || call->over ||
      call->order_count > 0)
    return rdx_planner_fail(p, RDX_ERROR_ARGUMENT, from->place, "write generate_series(1, 10) or (1, 10, 2)",
                            "generate_series takes where to begin, where to end, and maybe a step");
  s->count = call->count;
  for (uint32_t i = 0; i < s->count; i++)
    RDX_TRY(bind_argument(b, call, i, &s->args[i]));
  RDX_TRY(find_types(b, from, s));
  if (s->count == 2) {
    const rdx_sql_type whole = {.kind = RDX_SQL_INTEGER};
    RDX_TRY(rdx_bind_constant(&p->binding, whole, (rdx_datum){.i = 1}, from->place, &s->args[2]));
  }
  for (uint32_t i = 0; i < 3; i++)
    RDX_TRY(
        rdx_bind_cast(&p->binding, s->args[i], i < 2 ? s->type : s->step_type, true, s->args[i]->place, &s->args[i]));
  return RDX_OK;
}

static double estimate(const series *s) {
  for (uint32_t i = 0; i < 3; i++)
    if (s->args[i]->kind != RDX_BOUND_CONSTANT)
      return UNKNOWN_ROWS;
    else if (s->args[i]->value.null)
      return 0;
  const rdx_datum *step = &s->args[2]->value;
  const double each =
      s->step_type.kind == RDX_SQL_INTERVAL ? (double)rdx_interval_span(step->interval) : (double)step->i;
  const double steps = ((double)s->args[1]->value.i - (double)s->args[0]->value.i) / each;
  return steps >= 0 ? fmin(floor(steps) + 1, 4e9) : 0; /* also of NaN */
}

/* The values with their numbers, from 1. */
static rdx_status add_ordinality(rdx_planner *p, rdx_plan_node **node) {
  const rdx_sql_type bigint = {.kind = RDX_SQL_BIGINT};
  rdx_plan_node *list = NULL;
  rdx_bound *args[2];
  RDX_TRY(rdx_build_numbers(p, *node, node));
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_PROJECT, *node, NULL, &list));
  RDX_TRY(rdx_planner_alloc(p, 2, sizeof *list->exprs, &list->exprs));
  list->columns = (*node)->columns;
  list->columns[1].name = "ordinality";
  list->column_count = list->expr_count = 2;
  list->expected_rows = (*node)->expected_rows;
  RDX_TRY(rdx_bind_column(p, 0, list->columns[0].type, 0, &list->exprs[0]));
  RDX_TRY(rdx_bind_column(p, 1, bigint, 0, &args[0]));
  RDX_TRY(rdx_bind_constant(&p->binding, bigint, (rdx_datum){.i = 1}, 0, &args[1]));
  RDX_TRY(rdx_bind_call_of(p, "+", args, 2, 0, &list->exprs[1]));
  *node = list;
  return RDX_OK;
}

/* ---- Parts of texts ---- */

/* string_to_table(t, d) and regexp_split_to_table(t, p): the numbers of the parts, over which the leaf's column is the
 * part. */
static const char *part_of(const rdx_from *from, bool counts) {
  if (strcmp(from->call->name, "string_to_table") == 0)
    return counts ? "text parts" : "text part";
  return counts ? "regex parts" : "regex part";
}

/* from 1 to how many there are. */
static rdx_status bind_numbers(rdx_block *b, const rdx_from *from, rdx_bound *args[2], series *s) {
  rdx_planner *p = b->planner;
  const rdx_sql_type bigint = {.kind = RDX_SQL_BIGINT};
  if (from->call->count != 2)
    return rdx_planner_fail(p, RDX_ERROR_ARGUMENT, from->place, NULL, "%s takes a text and what is between its parts",
                            from->call->name);
  for (uint32_t i = 0; i < 2; i++)
    RDX_TRY(bind_argument(b, from->call, i, &args[i]));
  *s = (series){.count = 3, .type = bigint, .step_type = bigint};
  RDX_TRY(rdx_bind_constant(&p->binding, bigint, (rdx_datum){.i = 1}, from->place, &s->args[0]));
  s->args[2] = s->args[0];
  return rdx_bind_call_of(p, part_of(from, true), args, 2, from->place, &s->args[1]);
}

/* The leaf that is added next has parts, and their numbers with WITH ORDINALITY. */
static rdx_status name_parts(rdx_block *b, const rdx_from *from, rdx_bound *const args[2], rdx_leaf *leaf) {
  rdx_planner *p = b->planner;
  rdx_lifting lifting = {.block = b, .list = &(rdx_conjuncts){0}};
  rdx_bound *part[3], *number = NULL;
  const char *name = leaf->names[0];
  leaf->named = from->ordinality ? 2 : 1;
  RDX_TRY(rdx_planner_alloc(p, 2, sizeof *leaf->names, &leaf->names));
  RDX_TRY(rdx_planner_alloc(p, 2, sizeof *leaf->values, &leaf->values));
  RDX_TRY(rdx_planner_alloc(p, 2, sizeof *leaf->used, &leaf->used));
  leaf->names[0] = name;
  leaf->names[1] = "ordinality";
  RDX_TRY(rdx_bind_column(p, rdx_leaf_column(b->leaf_count, 0), leaf->types[0], from->place, &number));
  for (uint32_t i = 0; i < 2; i++)
    RDX_TRY(rdx_lift_value(&lifting, args[i], &part[i]));
  part[2] = leaf->values[1] = number;
  return rdx_bind_call_of(p, part_of(from, false), part, 3, from->place, &leaf->values[0]);
}

rdx_status rdx_bind_series(rdx_block *b, const rdx_from *from, rdx_leaf *out, bool *lateral) {
  rdx_planner *p = b->planner;
  rdx_plan_node *node = NULL;
  series s = {0};
  rdx_bound *texts[2] = {NULL, NULL};
  const bool parts = strcmp(from->call->name, "generate_series") != 0;
  RDX_TRY(parts ? bind_numbers(b, from, texts, &s) : bind_arguments(b, from, &s));
  RDX_TRY(lift_arguments(b, &s, lateral));
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_SERIES, NULL, NULL, &node));
  RDX_TRY(rdx_planner_alloc(p, 3, sizeof *node->exprs, &node->exprs));
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof *node->columns, &node->columns));
  memcpy(node->exprs, s.args, sizeof s.args);
  node->expr_count = 3;
  node->column_count = 1;
  node->columns[0] = (rdx_plan_column){from->alias ? from->alias : from->call->name, s.type};
  node->expected_rows = estimate(&s);
  if (parts) {
    RDX_TRY(rdx_leaf_of_plan(p, node, node->columns[0].name, out));
    return name_parts(b, from, texts, out);
  }
  if (from->ordinality && *lateral)
    return rdx_planner_fail(p, RDX_ERROR_UNSUPPORTED, from->place,
                            "number the rows in the list: row_number() OVER (...)",
                            "WITH ORDINALITY of a generate_series that reads columns is not supported");
  if (from->ordinality)
    RDX_TRY(add_ordinality(p, &node));
  return rdx_leaf_of_plan(p, node, node->columns[0].name, out);
}
