/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* UPDATE as a query: each column is CASE WHEN the condition THEN the new value ELSE the old one. */

#include <stdio.h>
#include <string.h>

#include "database/change.h"

static rdx_status make(rdx_prepared *p, rdx_ast_kind kind, const char *name, uint32_t count, rdx_ast **out,
                       rdx_error *err) {
  RDX_TRY(rdx_arena_alloc(&p->arena, 1, sizeof **out, "a statement", (void **)out, err));
  **out = (rdx_ast){.kind = kind, .name = name, .count = count, .place = p->statement->query->place};
  return count == 0 ? RDX_OK
                    : rdx_arena_alloc(&p->arena, count, sizeof(rdx_ast *), "a statement", (void **)&(*out)->args, err);
}

/* A value as the type of a column. */
static rdx_status cast(rdx_prepared *p, const rdx_catalog_column *column, rdx_ast *value, rdx_ast **out,
                       rdx_error *err) {
  const rdx_column like = {.type = column->type, .scale = column->scale};
  const rdx_sql_type type = rdx_sql_type_of_column(&like);
  char text[32], *name = NULL;
  rdx_sql_type_text(type, text);
  text[strcspn(text, "(")] = '\0';
  RDX_TRY(rdx_arena_alloc(&p->arena, strlen(text) + 1, 1, "a statement", (void **)&name, err));
  memcpy(name, text, strlen(text) + 1);
  RDX_TRY(make(p, RDX_AST_CAST, name, 1, out, err));
  (*out)->place = value->place;
  (*out)->args[0] = value;
  if (type.kind == RDX_SQL_DECIMAL) {
    (*out)->modifiers[0] = type.precision;
    (*out)->modifiers[1] = type.scale;
    (*out)->modifier_count = 2;
  }
  return RDX_OK;
}

/* Column `i` of the new version; `*value` is the old one. */
static rdx_status change_column(rdx_prepared *p, const rdx_catalog_column *column, rdx_ast **value, rdx_error *err) {
  const rdx_sql_statement *s = p->statement;
  rdx_ast *changed = NULL, *choice = NULL;
  for (uint32_t k = 0; k < s->name_count; k++) {
    if (strcmp(s->names[k], column->name) != 0)
      continue;
    if (changed)
      return rdx_sql_error(err, RDX_ERROR_ARGUMENT, p->text, s->args[k]->place, NULL,
                           "column \"%.100s\" is assigned twice", column->name);
    RDX_TRY(cast(p, column, s->args[k], &changed, err));
  }
  if (!changed)
    return RDX_OK;
  if (s->query->where) {
    RDX_TRY(make(p, RDX_AST_CALL, "case", 3, &choice, err));
    choice->args[0] = s->query->where;
    choice->args[1] = changed;
    choice->args[2] = *value;
  }
  *value = choice ? choice : changed;
  return RDX_OK;
}

static rdx_status check_names(const rdx_prepared *p, const rdx_catalog_table *table, rdx_error *err) {
  const rdx_sql_statement *s = p->statement;
  for (uint32_t k = 0; k < s->name_count; k++) {
    uint32_t i = 0;
    while (i < table->column_count && strcmp(table->columns[i].name, s->names[k]) != 0)
      i++;
    if (i == table->column_count)
      return rdx_sql_error(err, RDX_ERROR_NOT_FOUND, p->text, s->args[k]->place, NULL,
                           "table \"%.100s\" has no column \"%.100s\"", table->name, s->names[k]);
  }
  return RDX_OK;
}

static rdx_status list_columns(rdx_prepared *p, const rdx_catalog_table *table, rdx_error *err) {
  rdx_sql_query *q = p->statement->query;
  const uint32_t count = table->column_count;
  rdx_ast *changed = NULL;
  RDX_TRY(check_names(p, table, err));
  RDX_TRY(
      rdx_arena_alloc(&p->arena, (uint64_t)count + 1, sizeof *q->targets, "a statement", (void **)&q->targets, err));
  for (uint32_t i = 0; i < count; i++) {
    char *name = NULL;
    const size_t size = strlen(table->columns[i].name) + 1;
    RDX_TRY(rdx_arena_alloc(&p->arena, size, 1, "a statement", (void **)&name, err));
    memcpy(name, table->columns[i].name, size);
    q->targets[i] = (rdx_sql_target){.alias = name};
    RDX_TRY(make(p, RDX_AST_COLUMN, name, 0, &q->targets[i].value, err));
    RDX_TRY(change_column(p, &table->columns[i], &q->targets[i].value, err));
  }
  RDX_TRY(make(p, RDX_AST_BOOL, "true", 0, &changed, err));
  q->targets[count] = (rdx_sql_target){.value = changed, .alias = "changed"};
  if (q->where) {
    RDX_TRY(make(p, RDX_AST_CALL, "is true", 1, &q->targets[count].value, err));
    q->targets[count].value->args[0] = q->where;
  }
  q->target_count = count + 1;
  q->list_of = "UPDATE";
  q->where = NULL;
  return RDX_OK;
}

rdx_status rdx_change_list(rdx_prepared *p, rdx_error *err) {
  rdx_catalog_table *table = NULL;
  char nearest[64];
  RDX_TRY(rdx_catalog_find(p->database->catalog, p->statement->name, &table, nearest, err));
  if (!table) { /* the planner says what is wrong */
    const rdx_sql_query *q = p->statement->query;
    RDX_TRY(
        rdx_arena_alloc(&p->arena, 1, sizeof *q->targets, "a statement", (void **)&p->statement->query->targets, err));
    p->statement->query->target_count = 1;
    p->statement->query->targets[0] = (rdx_sql_target){0};
    return make(p, RDX_AST_STAR, NULL, 0, &p->statement->query->targets[0].value, err);
  }
  const rdx_status status = list_columns(p, table, err);
  rdx_catalog_release(p->database->catalog, table);
  return status;
}
