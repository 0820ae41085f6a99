/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* INSERT with RETURNING or DEFAULT, UPDATE and DELETE: which rows change, what becomes of them, and what RETURNING
 * tells. */

#include "plan/internal.h"

#include <string.h>

static rdx_plan_change *change_of(const rdx_block *b) {
  return &b->planner->plan->change;
}

/* ---- DEFAULT ---- */

static bool is_default(const rdx_ast *ast) {
  return ast->kind == RDX_AST_CALL && strcmp(ast->name, "default") == 0;
}

/* What DEFAULT is for a column of the target; of none, or of a view's, which are not changed, it is NULL. */
static rdx_status default_of(rdx_planner *p, const rdx_leaf *target, uint32_t column, rdx_ast **out) {
  const bool known = target->table && column != UINT32_MAX;
  rdx_sql_column declared;
  RDX_TRY(rdx_sql_parse_declaration(known ? target->table->columns[column].declaration : NULL, p->arena, &declared,
                                    p->err));
  *out = declared.value;
  if (*out)
    return RDX_OK;
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof **out, out));
  **out = (rdx_ast){.kind = RDX_AST_NULL, .name = "NULL"};
  return RDX_OK;
}

/* ---- UPDATE ---- */

/* The column that SET number `k` names. */
static rdx_status find_column(const rdx_block *b, const rdx_sql_statement *s, uint32_t k, uint32_t *out) {
  const rdx_leaf *leaf = &b->leaves[0];
  for (*out = 0; *out < leaf->named; ++*out)
    if (strcmp(leaf->names[*out], s->names[k]) == 0)
      return RDX_OK;
  return rdx_planner_fail(b->planner, RDX_ERROR_NOT_FOUND, s->args[k]->place, NULL,
                          "table \"%.100s\" has no column \"%.100s\"", s->name, s->names[k]);
}

static rdx_status assign(rdx_block *b, const rdx_sql_statement *s, uint32_t k, rdx_bound **values) {
  rdx_planner *p = b->planner;
  const rdx_sql_place place = s->args[k]->place;
  uint32_t column = 0;
  rdx_bound *value = NULL;
  rdx_ast *written = s->args[k];
  RDX_TRY(find_column(b, s, k, &column));
  if (values[column])
    return rdx_planner_fail(p, RDX_ERROR_ARGUMENT, place, NULL, "column \"%.100s\" is assigned twice", s->names[k]);
  if (is_default(written))
    RDX_TRY(default_of(p, &b->leaves[0], column, &written));
  RDX_TRY(rdx_bind(b, written, &value));
  RDX_TRY(rdx_bind_cast(&p->binding, value, b->leaves[0].types[column], true, place, &values[column]));
  change_of(b)->columns[change_of(b)->values++] = column;
  return rdx_block_add_output(b, s->names[k], values[column]);
}

/* The values of SET. From then on the columns' names stand for these. */
static rdx_status bind_set(rdx_block *b, const rdx_sql_statement *s) {
  rdx_bound **values = NULL;
  RDX_TRY(rdx_planner_alloc(b->planner, b->leaves[0].named, sizeof *values, &values));
  RDX_TRY(rdx_planner_alloc(b->planner, s->name_count, sizeof(uint32_t), &change_of(b)->columns));
  b->clause = "UPDATE";
  for (uint32_t k = 0; k < s->name_count; k++)
    RDX_TRY(assign(b, s, k, values));
  b->clause = NULL;
  b->leaves[0].values = values;
  return RDX_OK;
}

static rdx_status bind_changed(rdx_block *b, const rdx_sql_statement *s) {
  RDX_TRY(rdx_bind_from(b, s->query));
  if (s->query->where)
    RDX_TRY(rdx_bind_where(b, s->query->where));
  change_of(b)->table = b->leaves[0].table;
  return bind_set(b, s);
}

/* ---- INSERT ---- */

/* The column of the query that column `i` of the target gets; UINT32_MAX: none. */
static uint32_t source_of(const rdx_sql_statement *s, const char *name, uint32_t i, uint32_t given) {
  if (s->name_count == 0)
    return i < given ? i : UINT32_MAX;
  for (uint32_t k = 0; k < s->name_count && k < given; k++)
    if (strcmp(s->names[k], name) == 0)
      return k;
  return UINT32_MAX;
}

/* The column of the target that value `k` of a row is for; UINT32_MAX: there is none. */
static uint32_t target_of(const rdx_sql_statement *s, const rdx_leaf *target, uint32_t k) {
  for (uint32_t i = 0; i < target->named; i++)
    if (source_of(s, target->names[i], i, s->query->width) == k)
      return i;
  return UINT32_MAX;
}

/* A value of VALUES as the type of its column, whatever the other rows have there. */
static rdx_status with_type(rdx_planner *p, rdx_sql_type type, rdx_ast *value, rdx_ast **out) {
  char text[32];
  const char *end = rdx_sql_type_text(type, text) + strcspn(text, "(");
  char *name = NULL;
  RDX_TRY(rdx_planner_alloc(p, (uint64_t)(end - text) + 1, 1, &name));
  memcpy(name, text, (size_t)(end - text));
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof **out, out));
  **out = (rdx_ast){.kind = RDX_AST_CAST, .place = value->place, .name = name, .count = 1};
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof *(*out)->args, &(*out)->args));
  (*out)->args[0] = value;
  if (type.kind == RDX_SQL_DECIMAL) {
    (*out)->modifiers[(*out)->modifier_count++] = type.precision;
    (*out)->modifiers[(*out)->modifier_count++] = type.scale;
  }
  return RDX_OK;
}

/* VALUES with what DEFAULT is in it, in the types of the target's columns. */
static rdx_status typed_values(rdx_planner *p, const rdx_sql_statement *s, const rdx_leaf *target,
                               rdx_sql_query **out) {
  const uint32_t width = s->query->width;
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof **out, out));
  **out = *s->query;
  RDX_TRY(rdx_planner_alloc(p, (uint64_t)width * s->query->row_count, sizeof(rdx_ast *), &(*out)->values));
  for (uint32_t k = 0; k < width; k++) {
    const uint32_t column = target_of(s, target, k);
    rdx_ast *value = NULL;
    RDX_TRY(default_of(p, target, column, &value));
    for (uint32_t row = 0; row < s->query->row_count; row++) {
      const uint64_t at = (uint64_t)row * width + k;
      rdx_ast **to = &(*out)->values[at];
      *to = is_default(s->query->values[at]) ? value : s->query->values[at];
      if (column != UINT32_MAX)
        RDX_TRY(with_type(p, target->types[column], *to, to));
    }
  }
  return RDX_OK;
}

/* What the names of the target's columns stand for: the values of the query in their types, or what DEFAULT is. */
static rdx_status name_values(rdx_planner *p, const rdx_sql_statement *s, const rdx_leaf *target, rdx_leaf *leaf) {
  RDX_TRY(rdx_planner_alloc(p, target->named, sizeof *leaf->values, &leaf->values));
  for (uint32_t i = 0; i < target->named; i++) {
    const uint32_t k = source_of(s, target->names[i], i, leaf->column_count);
    rdx_bound **value = &leaf->values[i];
    if (k == UINT32_MAX) {
      rdx_ast *written = NULL;
      RDX_TRY(default_of(p, target, i, &written));
      RDX_TRY(rdx_bind(&(rdx_block){.planner = p, .clause = "DEFAULT"}, written, value));
    } else {
      RDX_TRY(rdx_bind_column(p, rdx_leaf_column(0, k), leaf->types[k], s->query->place, value));
    }
    RDX_TRY(rdx_bind_cast(&p->binding, *value, target->types[i], true, s->query->place, value));
  }
  leaf->names = target->names;
  leaf->named = target->named;
  return RDX_OK;
}

static rdx_status bind_inserted(rdx_block *b, const rdx_sql_statement *s) {
  rdx_planner *p = b->planner;
  rdx_bound_query *query = NULL;
  rdx_plan_node *plan = NULL;
  rdx_leaf target = {0}, leaf = {0};
  rdx_sql_query *written = s->query;
  RDX_TRY(rdx_bind_relation(&(rdx_block){.planner = p}, s->target, &target)); /* no query of WITH */
  if (written->kind == RDX_QUERY_VALUES)
    RDX_TRY(typed_values(p, s, &target, &written));
  RDX_TRY(rdx_bind_query(p, NULL, b->ctes, written, &query));
  RDX_TRY(rdx_build_query(p, query, &plan));
  RDX_TRY(rdx_leaf_of_plan(p, plan, target.alias, &leaf));
  RDX_TRY(name_values(p, s, &target, &leaf));
  RDX_TRY(rdx_block_add_relation(b, leaf, s->target->place, &b->from));
  for (uint32_t i = 0; i < plan->column_count; i++) {
    rdx_bound *value = NULL;
    RDX_TRY(rdx_bind_column(p, rdx_leaf_column(0, i), plan->columns[i].type, 0, &value));
    RDX_TRY(rdx_block_add_output(b, plan->columns[i].name, value));
  }
  change_of(b)->values = plan->column_count;
  return RDX_OK;
}

/* ---- All of them ---- */

static rdx_status add_numbers(rdx_block *b) {
  for (uint32_t i = 0; i < b->leaf_count; i++) {
    const uint32_t column = rdx_leaf_column(i, b->leaves[i].column_count);
    rdx_bound *number = NULL;
    if (!b->leaves[i].numbered)
      continue;
    RDX_TRY(rdx_bind_column(b->planner, column, (rdx_sql_type){.kind = RDX_SQL_BIGINT}, 0, &number));
    RDX_TRY(rdx_block_add_output(b, "row", number));
    change_of(b)->numbers++;
  }
  return RDX_OK;
}

rdx_status rdx_bind_change(rdx_planner *p, const rdx_sql_statement *s, rdx_bound_query **out) {
  rdx_block *b = NULL;
  rdx_bound_query *q = NULL;
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof *q, &q));
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof *b, &b));
  *b = (rdx_block){.planner = p, .numbers = true};
  *q = (rdx_bound_query){.written = s->query, .block = b};
  if (s->with)
    RDX_TRY(rdx_bind_ctes(p, NULL, s->with, &b->ctes));
  RDX_TRY(s->kind == RDX_STATEMENT_INSERT ? bind_inserted(b, s) : bind_changed(b, s));
  const uint32_t before = b->output_count;
  RDX_TRY(rdx_bind_targets(b, s->returning, s->returning_count, "RETURNING"));
  change_of(b)->returned = b->output_count - before;
  RDX_TRY(add_numbers(b));
  b->visible = b->output_count;
  RDX_TRY(rdx_query_list_columns(p, q));
  *out = q;
  return RDX_OK;
}
