/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* What a query reads, by the names in its text. */

#include <string.h>

#include "plan/internal.h"

static uint32_t of_expression(const rdx_ast *ast, const char *name);

static uint32_t of_list(rdx_ast *const *list, uint32_t count, const char *name) {
  uint32_t reads = 0;
  for (uint32_t i = 0; i < count; i++)
    reads += of_expression(list[i], name);
  return reads;
}

static uint32_t of_orders(const rdx_sql_order *orders, uint32_t count, const char *name) {
  uint32_t reads = 0;
  for (uint32_t i = 0; i < count; i++)
    reads += of_expression(orders[i].value, name);
  return reads;
}

static uint32_t of_window(const rdx_sql_window *w, const char *name) {
  return of_list(w->partition, w->partition_count, name) + of_orders(w->orders, w->order_count, name) +
         of_expression(w->begin_offset, name) + of_expression(w->end_offset, name);
}

static uint32_t of_expression(const rdx_ast *ast, const char *name) {
  if (!ast)
    return 0;
  return of_list(ast->args, ast->count, name) + of_expression(ast->filter, name) +
         of_orders(ast->orders, ast->order_count, name) + (ast->over ? of_window(ast->over, name) : 0) +
         (ast->query ? rdx_count_reads(ast->query, name) : 0);
}

static uint32_t of_from(const rdx_from *from, const char *name) {
  switch (from->kind) {
  case RDX_FROM_TABLE:
    return strcmp(from->name, name) == 0;
  case RDX_FROM_JOIN:
    return of_from(from->left, name) + of_from(from->right, name) + of_expression(from->on, name);
  case RDX_FROM_SERIES:
    return of_expression(from->call, name);
  default:
    return rdx_count_reads(from->query, name);
  }
}

static uint32_t of_grouping(const rdx_grouping *g, const char *name) {
  uint32_t reads = of_list(g->exprs, g->expr_count, name);
  for (uint32_t i = 0; i < g->child_count; i++)
    reads += of_grouping(g->children[i], name);
  return reads;
}

uint32_t rdx_count_reads(const rdx_sql_query *q, const char *name) {
  uint32_t reads = of_list(q->distinct_on, q->distinct_on_count, name) +
                   of_list(q->unused_windows, q->unused_count, name) + of_expression(q->where, name) +
                   of_expression(q->having, name) + of_expression(q->qualify, name) +
                   of_list(q->values, q->row_count * q->width, name) + of_orders(q->order_by, q->order_count, name) +
                   of_expression(q->limit, name) + of_expression(q->offset, name);
  for (uint32_t i = 0; i < q->cte_count; i++)
    reads += rdx_count_reads(q->ctes[i].query, name);
  for (uint32_t i = 0; i < q->target_count; i++)
    reads += of_expression(q->targets[i].value, name);
  for (uint32_t i = 0; i < q->from_count; i++)
    reads += of_from(q->from[i], name);
  for (uint32_t i = 0; i < q->group_count; i++)
    reads += of_grouping(q->group_by[i], name);
  reads += q->left ? rdx_count_reads(q->left, name) : 0;
  return reads + (q->right ? rdx_count_reads(q->right, name) : 0);
}

/* ---- Recursive queries ---- */

static const char *misread_from(const rdx_from *from, const char *name, bool nullable) {
  const char *misread = NULL;
  switch (from->kind) {
  case RDX_FROM_TABLE:
    return nullable && strcmp(from->name, name) == 0 ? "within an outer join" : NULL;
  case RDX_FROM_JOIN:
    misread = misread_from(from->left, name, nullable || from->join == RDX_SQL_RIGHT || from->join == RDX_SQL_FULL);
    if (!misread)
      misread = misread_from(from->right, name, nullable || from->join == RDX_SQL_LEFT || from->join == RDX_SQL_FULL);
    return misread ? misread : of_expression(from->on, name) > 0 ? "within a subquery" : NULL;
  case RDX_FROM_SERIES:
    return of_expression(from->call, name) > 0 ? "within a subquery" : NULL;
  default:
    return nullable && rdx_count_reads(from->query, name) > 0 ? "within an outer join"
                                                              : rdx_find_misread(from->query, name);
  }
}

const char *rdx_find_misread(const rdx_sql_query *q, const char *name) {
  const char *misread = NULL;
  uint32_t allowed = q->left ? rdx_count_reads(q->left, name) : 0;
  const uint32_t right = q->right ? rdx_count_reads(q->right, name) : 0;
  if (q->kind == RDX_QUERY_EXCEPT && right > 0)
    return "within EXCEPT";
  allowed += right;
  for (uint32_t i = 0; i < q->from_count && !misread; i++) {
    allowed += of_from(q->from[i], name);
    misread = misread_from(q->from[i], name, false);
  }
  if (!misread && rdx_count_reads(q, name) > allowed)
    misread = "within a subquery";
  if (!misread && q->left)
    misread = rdx_find_misread(q->left, name);
  return !misread && q->right ? rdx_find_misread(q->right, name) : misread;
}
