/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Expressions that are told by how they are written. Where GROUP BY or DISTINCT has a subquery, what is written alike
 * is the same, and bound once. Constants in GROUPING SETS, ROLLUP and CUBE are NULL in sets without them: so one that
 * is grouped by is a column of its own, and wherever the same expression is written, that column is meant, and no other
 * constant. */

#include "plan/internal.h"

#include <string.h>

static bool is_literal(const rdx_ast *ast) {
  return ast->kind == RDX_AST_NULL || ast->kind == RDX_AST_BOOL || ast->kind == RDX_AST_NUMBER ||
         ast->kind == RDX_AST_STRING;
}

/* Literals, columns, and calls and casts of them: columns may vanish, as in x + NULL. */
static bool is_plain(const rdx_ast *ast) {
  if (is_literal(ast) || ast->kind == RDX_AST_COLUMN)
    return true;
  bool plain = ast->kind == RDX_AST_CAST ||
               (ast->kind == RDX_AST_CALL && !ast->over && !ast->star && !ast->filter && !rdx_is_aggregate(ast) &&
                !rdx_is_window_function(ast->name) && strcmp(ast->name, "random") != 0);
  for (uint32_t i = 0; i < ast->count && plain; i++)
    plain = is_plain(ast->args[i]);
  return plain;
}

bool rdx_has_subquery(const rdx_ast *ast) {
  bool has = ast->query || (ast->filter && rdx_has_subquery(ast->filter));
  for (uint32_t i = 0; i < ast->count && !has; i++)
    has = rdx_has_subquery(ast->args[i]);
  for (uint32_t i = 0; i < ast->order_count && !has; i++)
    has = rdx_has_subquery(ast->orders[i].value);
  return has;
}

/* A literal is the group only where GROUP BY names its place in the list, as in PostgreSQL. */
rdx_written *rdx_find_written(const rdx_block *b, const rdx_ast *ast) {
  for (uint32_t i = 0; i < b->written_count && !b->in_aggregate; i++) {
    rdx_written *w = &b->written[i];
    if (w->ast == ast || (!is_literal(ast) && rdx_sql_is_alike(w->ast, ast)))
      return w;
  }
  return NULL;
}

rdx_bound *rdx_constant_of_group(const rdx_block *b, rdx_bound *group) {
  const bool constant = group->kind == RDX_BOUND_COLUMN && rdx_leaf_of(group->index) == RDX_CONSTANTS_LEAF;
  return constant ? b->written[rdx_column_of(group->index)].constant : group;
}

static rdx_status add(rdx_block *b, rdx_written w) {
  RDX_TRY(rdx_planner_grow(b->planner, &b->written, b->written_count, &b->written_capacity, sizeof w));
  b->written[b->written_count++] = w;
  return RDX_OK;
}

static rdx_status add_constant(rdx_block *b, const rdx_ast *ast) {
  rdx_planner *p = b->planner;
  rdx_written w = {.ast = ast};
  if (!is_plain(ast) || ast->kind == RDX_AST_COLUMN)
    return RDX_OK;
  RDX_TRY(rdx_bind(b, ast, &w.constant));
  if (w.constant->type.kind == RDX_SQL_UNKNOWN)
    RDX_TRY(
        rdx_bind_cast(&p->binding, w.constant, (rdx_sql_type){.kind = RDX_SQL_TEXT}, true, ast->place, &w.constant));
  if (w.constant->kind != RDX_BOUND_CONSTANT)
    return RDX_OK;
  RDX_TRY(rdx_bind_column(p, rdx_leaf_column(RDX_CONSTANTS_LEAF, b->written_count), w.constant->type, ast->place,
                          &w.value));
  return add(b, w);
}

static rdx_status add_subquery(rdx_block *b, const rdx_ast *ast) {
  return rdx_has_subquery(ast) && !rdx_find_written(b, ast) ? add(b, (rdx_written){.ast = ast}) : RDX_OK;
}

static rdx_status add_groups(rdx_block *b, const rdx_sql_query *query, const rdx_grouping *g, bool constants) {
  for (uint32_t i = 0; i < g->expr_count; i++) {
    const rdx_ast *ast = rdx_group_written(b, query, g->exprs[i]);
    if (!ast)
      continue;
    RDX_TRY(add_subquery(b, ast));
    if (constants && !rdx_find_written(b, ast))
      RDX_TRY(add_constant(b, ast));
  }
  for (uint32_t i = 0; i < g->child_count; i++)
    RDX_TRY(add_groups(b, query, g->children[i], constants));
  return RDX_OK;
}

rdx_status rdx_note_written(rdx_block *b, const rdx_sql_query *query, bool sets) {
  for (uint32_t i = 0; i < query->group_count; i++)
    RDX_TRY(add_groups(b, query, query->group_by[i], sets));
  if (query->group_count > 0) /* what else is written there may be of rows, not of groups */
    return RDX_OK;
  for (uint32_t i = 0; i < query->target_count && query->distinct; i++)
    RDX_TRY(add_subquery(b, query->targets[i].value));
  for (uint32_t i = 0; i < query->distinct_on_count; i++)
    RDX_TRY(add_subquery(b, query->distinct_on[i]));
  return RDX_OK;
}
