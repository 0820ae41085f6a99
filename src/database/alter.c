/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* ALTER TABLE: a new version with other columns, or the file under another name. */

#include <stdio.h>
#include <string.h>

#include "base/replace.h"
#include "database/change.h"
#include "table/table.h"

#define WHAT "a table"

/* ---- Columns ---- */

/* The columns of the new version, as far as they are decided. */
typedef struct altered {
  rdx_statement *statement;
  rdx_catalog_table *table;
  rdx_new_column *columns;
  uint32_t count;
  bool changed;
  rdx_index_alterations indexes;
  rdx_arena arena; /* of values of DEFAULT */
  rdx_error *err;
} altered;

static rdx_new_column *find_column(const altered *a, const char *name) {
  for (uint32_t i = 0; i < a->count; i++)
    if (strcmp(a->columns[i].name, name) == 0)
      return &a->columns[i];
  return NULL;
}

static rdx_status no_column(const altered *a, const char *name) {
  return rdx_change_fail(a->statement, a->err, RDX_ERROR_NOT_FOUND, "table \"%.100s\" has no column \"%.100s\"",
                         a->table->name, name);
}

static rdx_status check_free(const altered *a, const char *name) {
  return find_column(a, name)
             ? rdx_change_fail(a->statement, a->err, RDX_ERROR_ARGUMENT,
                               "table \"%.100s\" has a column \"%.100s\" already", a->table->name, name)
             : RDX_OK;
}

/* Views keep the texts that name a column. */
static rdx_status check_unread(const altered *a, const rdx_new_column *c, const char *verb) {
  char doing[320];
  if (c->from == UINT32_MAX)
    return RDX_OK;
  const char *name = a->table->columns[c->from].name;
  snprintf(doing, sizeof doing, "%s column \"%.100s\" of table \"%.100s\"", verb, name, a->table->name);
  return rdx_defined_check_unread(a->statement, a->table->name, name, doing, a->err);
}

static rdx_status rename_column(altered *a, const rdx_sql_alteration *x) {
  rdx_new_column *c = find_column(a, x->name);
  if (!c)
    return no_column(a, x->name);
  RDX_TRY(check_free(a, x->to));
  RDX_TRY(check_unread(a, c, "rename"));
  c->name = x->to;
  a->changed = true;
  return rdx_indexes_rename(a->statement->database, a->table->name, x->name, x->to, &a->indexes, a->err);
}

static rdx_status add_column(altered *a, const rdx_sql_alteration *x) {
  rdx_field field = {0};
  if (x->conditional && find_column(a, x->column.name))
    return RDX_OK;
  RDX_TRY(check_free(a, x->column.name));
  RDX_TRY(rdx_change_field(a->statement, &x->column, &field, a->err));
  rdx_new_column *c = &a->columns[a->count];
  *c = (rdx_new_column){.name = x->column.name, .from = UINT32_MAX};
  RDX_TRY(rdx_declare(a->statement, &a->arena, &x->column, &field, &c->declaration, &c->value, a->err));
  a->count++;
  a->changed = true;
  return RDX_OK;
}

static rdx_status drop_column(altered *a, const rdx_sql_alteration *x) {
  rdx_new_column *c = find_column(a, x->name);
  if (!c)
    return x->conditional ? RDX_OK : no_column(a, x->name);
  RDX_TRY(check_unread(a, c, "drop"));
  RDX_TRY(rdx_indexes_drop_on(a->statement->database, a->table->name, x->name, &a->indexes, a->err));
  rdx_vector_destroy(&c->value);
  memmove(c, c + 1, (size_t)(a->columns + --a->count - c) * sizeof *c);
  a->columns[a->count] = (rdx_new_column){0};
  a->changed = true;
  return RDX_OK;
}

/* The type of a column of the new version. */
static rdx_field field_of(const altered *a, const rdx_new_column *c) {
  const rdx_catalog_column *old = c->from == UINT32_MAX ? NULL : &a->table->columns[c->from];
  const rdx_column *value = &c->value.column;
  return (rdx_field){c->name, old ? old->type : value->type, old ? old->scale : value->scale};
}

/* SET and DROP of DEFAULT and NOT NULL: rows that are there stay as they are. */
static rdx_status declare_column(altered *a, const rdx_sql_alteration *x) {
  RDX_SCOPED(rdx_vector_destroy) rdx_vector value = {0};
  rdx_new_column *c = find_column(a, x->name);
  rdx_sql_column declared;
  if (!c)
    return no_column(a, x->name);
  const rdx_field field = field_of(a, c);
  RDX_TRY(rdx_sql_parse_declaration(c->declaration, &a->arena, &declared, a->err));
  if (x->kind == RDX_ALTER_DEFAULT) {
    declared.value = x->column.value;
    declared.value_text = x->column.value_text;
  } else {
    declared.not_null = x->kind == RDX_ALTER_SET_NOT_NULL;
  }
  a->changed = true;
  return rdx_declare(a->statement, &a->arena, &declared, &field, &c->declaration, &value, a->err);
}

static rdx_status alter_column(altered *a, const rdx_sql_alteration *x) {
  switch (x->kind) {
  case RDX_ALTER_ADD:
    return add_column(a, x);
  case RDX_ALTER_DROP:
    return drop_column(a, x);
  case RDX_ALTER_RENAME_COLUMN:
    return rename_column(a, x);
  default:
    return declare_column(a, x);
  }
}

static rdx_status decide_columns(altered *a, const rdx_sql_statement *written) {
  for (uint32_t i = 0; i < written->alteration_count; i++)
    RDX_TRY(alter_column(a, &written->alterations[i]));
  return a->count > 0 ? RDX_OK
                      : rdx_change_fail(a->statement, a->err, RDX_ERROR_UNSUPPORTED,
                                        "a table has one column at least: DROP TABLE removes it");
}

static rdx_status write_columns(altered *a, const rdx_sql_statement *written, const rdx_table *old) {
  rdx_database *d = a->statement->database;
  rdx_table *content = NULL;
  RDX_TRY(decide_columns(a, written));
  if (!a->changed)
    return RDX_OK;
  RDX_TRY(rdx_change_columns(old, a->columns, a->count, a->table->path != NULL, &content, a->err));
  rdx_status status = rdx_declared_check(a->statement, a->table->name, content, a->err);
  if (status == RDX_OK)
    status = rdx_indexes_announce(d, &a->indexes, a->err);
  if (status != RDX_OK) {
    rdx_table_destroy(&content);
    return status;
  }
  RDX_TRY(rdx_change_replace(a->statement, a->table, &content, a->err));
  return rdx_indexes_take(d, &a->indexes, a->err);
}

static rdx_status alter_columns(rdx_statement *s, rdx_catalog_table *table, rdx_error *err) {
  const rdx_sql_statement *written = s->prepared->runs;
  const uint32_t capacity = table->column_count + written->alteration_count;
  altered a = {.statement = s, .table = table, .count = table->column_count, .err = err};
  rdx_table *old = NULL;
  RDX_TRY(rdx_calloc(capacity, sizeof *a.columns, WHAT, (void **)&a.columns, err));
  for (uint32_t i = 0; i < table->column_count; i++)
    a.columns[i] = (rdx_new_column){table->columns[i].name, table->columns[i].declaration, .from = i};
  rdx_status status = rdx_change_open(s, table, &old, err);
  if (status == RDX_OK)
    status = write_columns(&a, written, old);
  rdx_table_destroy(&old);
  for (uint32_t i = 0; i < capacity; i++)
    rdx_vector_destroy(&a.columns[i].value);
  rdx_free(a.columns);
  rdx_index_alterations_drop(&a.indexes);
  rdx_arena_free(&a.arena);
  return status;
}

/* ---- The name ---- */

/* A table in memory: its rows are copied, as others may still read the old one. */
static rdx_status rename_in_memory(rdx_statement *s, rdx_catalog_table *table, const char *to, rdx_error *err) {
  rdx_table *old = NULL, *content = NULL;
  rdx_new_column *columns = NULL;
  RDX_TRY(rdx_change_open(s, table, &old, err));
  rdx_status status = rdx_calloc(table->column_count, sizeof *columns, WHAT, (void **)&columns, err);
  for (uint32_t i = 0; i < table->column_count && status == RDX_OK; i++)
    columns[i] = (rdx_new_column){table->columns[i].name, table->columns[i].declaration, .from = i};
  if (status == RDX_OK)
    status = rdx_change_columns(old, columns, table->column_count, false, &content, err);
  if (status == RDX_OK)
    status = rdx_catalog_add(s->database->catalog, to, content, err);
  rdx_free(columns);
  rdx_table_destroy(&old);
  return status;
}

static rdx_status rename_file(rdx_statement *s, const rdx_catalog_table *table, const char *to, rdx_error *err) {
  rdx_database *d = s->database;
  RDX_SCOPED(rdx_free_local) char *own = NULL, *path = NULL;
  RDX_TRY(d->has_folder ? rdx_catalog_path(d->catalog, table->name, &own, err) : RDX_OK);
  if (!own || strcmp(own, table->path) != 0)
    return rdx_change_fail(s, err, RDX_ERROR_UNSUPPORTED,
                           "ALTER TABLE renames table files of the folder only; \"%.100s\" is %.300s", table->name,
                           table->path);
  RDX_TRY(rdx_catalog_path(d->catalog, to, &path, err));
  return rdx_move_file(own, path, err);
}

static rdx_status rename_table(rdx_statement *s, rdx_catalog_table *table, const char *to, rdx_error *err) {
  char doing[160];
  snprintf(doing, sizeof doing, "rename table \"%.100s\"", table->name);
  RDX_TRY(rdx_defined_check_new(s, to, err));
  RDX_TRY(rdx_defined_check_unread(s, table->name, NULL, doing, err));
  RDX_SCOPED(rdx_index_alterations_drop) rdx_index_alterations indexes = {0};
  RDX_TRY(rdx_indexes_rename(s->database, table->name, NULL, to, &indexes, err));
  RDX_TRY(rdx_indexes_announce(s->database, &indexes, err));
  RDX_TRY(table->path ? rename_file(s, table, to, err) : rename_in_memory(s, table, to, err));
  rdx_catalog_remove(s->database->catalog, table->name);
  return rdx_indexes_take(s->database, &indexes, err);
}

/* ---- The statement ---- */

rdx_status rdx_change_run_alter(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  const rdx_sql_statement *written = s->prepared->runs;
  const bool renames = written->alterations[0].kind == RDX_ALTER_RENAME;
  rdx_catalog_table *table = NULL;
  snprintf(answer->tag, sizeof answer->tag, "ALTER TABLE");
  RDX_TRY(rdx_change_find_if(s, written->name, written->if_exists, &table, err));
  if (!table)
    return RDX_OK;
  const rdx_status status =
      renames ? rename_table(s, table, written->alterations[0].to, err) : alter_columns(s, table, err);
  rdx_catalog_release(s->database->catalog, table);
  return status;
}
