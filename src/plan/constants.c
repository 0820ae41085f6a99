/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Constants in GROUPING SETS, ROLLUP and CUBE. Sets without them have NULL in their place, so a constant that is
 * grouped by is a column of its own: wherever the same expression is written, that column is meant, and no other
 * constant. */

#include "plan/internal.h"

#include <string.h>

static bool same_text(const char *a, const char *b) {
  return !a == !b && (!a || strcmp(a, b) == 0);
}

/* Whether two expressions that is_plain() are written alike. */
static bool is_written_alike(const rdx_ast *a, const rdx_ast *b) {
  bool alike = a->kind == b->kind && same_text(a->name, b->name) && same_text(a->qualifier, b->qualifier) &&
               same_text(a->field, b->field) && a->count == b->count && a->number == b->number &&
               a->modifier_count == b->modifier_count && memcmp(a->modifiers, b->modifiers, sizeof a->modifiers) == 0;
  for (uint32_t i = 0; i < a->count && alike; i++)
    alike = is_written_alike(a->args[i], b->args[i]);
  return alike;
}

static bool is_literal(const rdx_ast *ast) {
  return ast->kind == RDX_AST_NULL || ast->kind == RDX_AST_BOOL || ast->kind == RDX_AST_NUMBER ||
         ast->kind == RDX_AST_STRING;
}

/* Literals, columns, and calls and casts of them: columns may vanish, as in x + NULL. */
static bool is_plain(const rdx_ast *ast) {
  if (is_literal(ast) || ast->kind == RDX_AST_COLUMN)
    return true;
  bool plain =
      ast->kind == RDX_AST_CAST || (ast->kind == RDX_AST_CALL && !ast->over && !ast->star && !ast->filter &&
                                    ast->count > 0 && !rdx_is_aggregate(ast) && !rdx_is_window_function(ast->name));
  for (uint32_t i = 0; i < ast->count && plain; i++)
    plain = is_plain(ast->args[i]);
  return plain;
}

/* A literal is the group only where GROUP BY names its place in the list, as in PostgreSQL. */
bool rdx_find_constant_group(const rdx_block *b, const rdx_ast *ast, rdx_bound **out) {
  for (uint32_t i = 0; i < b->constant_count && !b->in_aggregate; i++) {
    const rdx_constant_group *g = &b->constants[i];
    if (g->written != ast && (is_literal(ast) || !is_written_alike(g->written, ast)))
      continue;
    *out = g->column;
    return true;
  }
  return false;
}

rdx_bound *rdx_constant_of_group(const rdx_block *b, rdx_bound *group) {
  const bool constant = group->kind == RDX_BOUND_COLUMN && rdx_leaf_of(group->index) == RDX_CONSTANTS_LEAF;
  return constant ? b->constants[rdx_column_of(group->index)].value : group;
}

static rdx_status add_constant(rdx_block *b, const rdx_ast *ast) {
  rdx_planner *p = b->planner;
  rdx_constant_group g = {.written = ast};
  rdx_bound *known = NULL;
  if (!is_plain(ast) || ast->kind == RDX_AST_COLUMN || rdx_find_constant_group(b, ast, &known))
    return RDX_OK;
  RDX_TRY(rdx_bind(b, ast, &g.value));
  if (g.value->type.kind == RDX_SQL_UNKNOWN)
    RDX_TRY(rdx_bind_cast(&p->binding, g.value, (rdx_sql_type){.kind = RDX_SQL_TEXT}, true, ast->place, &g.value));
  if (g.value->kind != RDX_BOUND_CONSTANT)
    return RDX_OK;
  RDX_TRY(rdx_planner_grow(p, &b->constants, b->constant_count, &b->constant_capacity, sizeof g));
  RDX_TRY(
      rdx_bind_column(p, rdx_leaf_column(RDX_CONSTANTS_LEAF, b->constant_count), g.value->type, ast->place, &g.column));
  b->constants[b->constant_count++] = g;
  return RDX_OK;
}

rdx_status rdx_bind_constant_groups(rdx_block *b, const rdx_sql_query *query, const rdx_grouping *g) {
  for (uint32_t i = 0; i < g->expr_count; i++) {
    const rdx_ast *ast = rdx_group_written(b, query, g->exprs[i]);
    if (ast)
      RDX_TRY(add_constant(b, ast));
  }
  for (uint32_t i = 0; i < g->child_count; i++)
    RDX_TRY(rdx_bind_constant_groups(b, query, g->children[i]));
  return RDX_OK;
}
