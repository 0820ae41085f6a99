/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* WITH RECURSIVE: a query of WITH whose second half reads the rows that it made last. */

#include "plan/internal.h"

#define ROUNDS 10 /* that are expected */

static rdx_status refuse(const rdx_planner *p, const rdx_sql_cte *written, const char *hint, const char *what) {
  return rdx_planner_fail(p, RDX_ERROR_UNSUPPORTED, written->place, hint, "recursive query \"%.100s\": %s",
                          written->name, what);
}

static rdx_status check_form(const rdx_planner *p, const rdx_sql_cte *written) {
  const rdx_sql_query *q = written->query;
  if (q->kind != RDX_QUERY_UNION)
    return refuse(p, written, NULL, "it must be a query that does not read it, UNION [ALL], and one that does");
  if (q->order_count > 0 || q->limit || q->offset)
    return refuse(p, written, "write them in the query that reads it", "it cannot have ORDER BY, LIMIT and OFFSET");
  if (rdx_count_reads(q->left, written->name) > 0)
    return refuse(p, written, NULL, "it cannot be read before its UNION");
  const char *misread = rdx_find_misread(q->right, written->name);
  if (misread)
    return rdx_planner_fail(p, RDX_ERROR_UNSUPPORTED, written->place, NULL,
                            "recursive query \"%.100s\": it cannot be read %s", written->name, misread);
  return rdx_count_reads(q->right, written->name) == 1 ? RDX_OK
                                                       : refuse(p, written, NULL, "it cannot be read more than once");
}

/* The types are those of the first half; decimals have all the digits that columns can have. */
static rdx_status set_columns(rdx_planner *p, const rdx_sql_cte *written, const rdx_bound_query *left,
                              rdx_bound_query *q) {
  q->column_count = left->column_count;
  RDX_TRY(rdx_planner_alloc(p, q->column_count, sizeof *q->columns, &q->columns));
  for (uint32_t i = 0; i < q->column_count; i++) {
    q->columns[i] = left->columns[i];
    if (i < written->column_count)
      q->columns[i].name = written->columns[i];
    if (q->columns[i].type.kind == RDX_SQL_DECIMAL && q->columns[i].type.precision < 18)
      q->columns[i].type.precision = 18;
  }
  return RDX_OK;
}

static rdx_status check_types(const rdx_planner *p, const rdx_sql_cte *written, const rdx_bound_query *q) {
  if (q->right->column_count != q->column_count)
    return rdx_planner_fail(p, RDX_ERROR_ARGUMENT, written->query->place, NULL, "the sides have %u and %u columns",
                            q->column_count, q->right->column_count);
  for (uint32_t i = 0; i < q->column_count; i++) {
    const rdx_sql_type types[] = {q->columns[i].type, q->right->columns[i].type};
    rdx_sql_type all = {0};
    char texts[2][32];
    const bool common = rdx_sql_common_type(types, 2, &all);
    if (common && all.kind == types[0].kind && all.scale == types[0].scale)
      continue;
    return rdx_planner_fail(p, RDX_ERROR_ARGUMENT, written->place, "cast the column of the first half",
                            "recursive query \"%.100s\": column %u is %s before its UNION and %s behind it",
                            written->name, i + 1, rdx_sql_type_text(types[0], texts[0]),
                            rdx_sql_type_text(types[1], texts[1]));
  }
  return RDX_OK;
}

rdx_status rdx_bind_recursive(rdx_planner *p, rdx_block *parent, rdx_cte *ctes, const rdx_sql_cte *written, bool once,
                              rdx_bound_query **out) {
  rdx_bound_query *q = NULL;
  rdx_cte self = {.name = written->name, .written = written};
  RDX_TRY(check_form(p, written));
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof *q, &q));
  q->written = written->query;
  q->once = once;
  RDX_TRY(rdx_bind_ctes(p, parent, written->query, &ctes));
  RDX_TRY(rdx_bind_query(p, parent, ctes, written->query->left, &q->left));
  RDX_TRY(rdx_query_settle(p, q->left, NULL));
  RDX_TRY(set_columns(p, written, q->left, q));
  if (written->column_count > q->column_count)
    return rdx_planner_fail(p, RDX_ERROR_ARGUMENT, written->place, NULL, "\"%.100s\" has %u columns, and %u names",
                            written->name, q->column_count, written->column_count);
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_WORKING, NULL, NULL, &q->working));
  q->working->shared = true;
  q->working->expected_rows = ROUNDS;
  q->working->columns = q->columns;
  q->working->column_count = q->column_count;
  self.plan = q->working;
  self.before = ctes;
  p->recursions++;
  RDX_TRY(rdx_bind_query(p, parent, &self, written->query->right, &q->right));
  p->recursions--;
  RDX_TRY(rdx_query_settle(p, q->right, q->columns));
  q->outer_levels = q->left->outer_levels > q->right->outer_levels ? q->left->outer_levels : q->right->outer_levels;
  *out = q;
  return check_types(p, written, q);
}

/* What does not read the working table runs once. Returns whether it does. */
static bool share_others(rdx_plan_node *n, const rdx_plan_node *working) {
  rdx_plan_node *sides[] = {n->left, n->right};
  bool reads[2] = {false, false};
  if (n == working)
    return true;
  for (uint32_t i = 0; i < 2; i++)
    reads[i] = sides[i] && share_others(sides[i], working);
  for (uint32_t i = 0; i < 2; i++)
    if (sides[i] && reads[1 - i] && !reads[i])
      sides[i]->shared = true;
  return reads[0] || reads[1];
}

rdx_status rdx_build_recursive(rdx_planner *p, const rdx_bound_query *q, rdx_plan_node *left, rdx_plan_node *right,
                               rdx_plan_node **out) {
  RDX_TRY(rdx_planner_node(p, RDX_PLAN_RECURSIVE, left, right, out));
  (*out)->columns = q->columns;
  (*out)->column_count = q->column_count;
  (*out)->all = q->written->all;
  (*out)->working = q->working;
  (*out)->once = q->once;
  (*out)->expected_rows = left->expected_rows * ROUNDS;
  share_others(right, q->working);
  return RDX_OK;
}

void rdx_limit_recursive(const rdx_bound_query *q, rdx_plan_node *below) {
  while (below->kind == RDX_PLAN_PROJECT && !below->shared)
    below = below->left;
  if (below->kind != RDX_PLAN_RECURSIVE || !below->once)
    return;
  below->limit = q->limit;
  below->offset = q->offset;
}
