/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* ALTER TABLE: a new version with other columns, or the file under another name. */

#include <stdio.h>
#include <string.h>

#include "base/replace.h"
#include "database/generated.h"
#include "database/identity.h"
#include "table/table.h"

#define WHAT "a table"

/* ---- Columns ---- */

/* The columns of the new version, as far as they are decided. */
typedef struct altered {
  rdx_statement *statement;
  rdx_catalog_table *table;
  rdx_new_column *columns;
  uint32_t count;
  rdx_constraints constraints;
  bool changed;
  rdx_index_alterations indexes;
  rdx_arena arena; /* of values of DEFAULT */
  rdx_error *err;
} altered;

static uint32_t capacity_of(const altered *a) {
  return a->table->column_count + a->statement->prepared->runs->alteration_count;
}

static void drop(altered *a) {
  for (uint32_t i = 0; a->columns && i < capacity_of(a); i++)
    rdx_vector_destroy(&a->columns[i].value);
  rdx_free(a->columns);
  rdx_index_alterations_drop(&a->indexes);
  rdx_arena_free(&a->arena);
}

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

/* ---- Constraints of columns ---- */

static rdx_status row_of(altered *a, rdx_row_columns *out) {
  *out = (rdx_row_columns){.table = a->table->name, .count = a->count};
  RDX_TRY(rdx_arena_alloc(&a->arena, a->count, sizeof *out->names, WHAT, (void **)&out->names, a->err));
  for (uint32_t i = 0; i < a->count; i++)
    out->names[i] = a->columns[i].name;
  return RDX_OK;
}

/* Whether a constraint reads a column. */
static rdx_status reads_column(altered *a, const rdx_sql_constraint *k, const rdx_new_column *c, bool *out) {
  rdx_row_columns row;
  bool *reads = NULL;
  RDX_TRY(row_of(a, &row));
  RDX_TRY(rdx_constraint_reads(k, &row, &a->arena, &reads, a->err));
  *out = reads[c - a->columns];
  return RDX_OK;
}

static void remove_constraint(altered *a, uint32_t i) {
  rdx_constraints *all = &a->constraints;
  memmove(&all->list[i], &all->list[i + 1], (--all->count - i) * sizeof *all->list);
}

/* Those that read a column go with it. */
static rdx_status drop_constraints_on(altered *a, const rdx_new_column *c) {
  for (uint32_t i = a->constraints.count; i-- > 0;) {
    bool reads = false;
    RDX_TRY(reads_column(a, &a->constraints.list[i], c, &reads));
    if (reads)
      remove_constraint(a, i);
  }
  return RDX_OK;
}

/* ---- Generated columns ---- */

/* What is declared of a column that is generated; out->generated is NULL where it is not. */
static rdx_status take_generated(altered *a, const rdx_new_column *c, rdx_sql_column *out) {
  return rdx_sql_parse_declaration(c->declaration, &a->arena, out, a->err);
}

/* Those that read a column read it by its new name. */
static rdx_status rename_in_generated(altered *a, const rdx_row_columns *row, const char *from, const char *to) {
  for (uint32_t i = 0; i < a->count; i++) {
    rdx_sql_column declared;
    RDX_TRY(take_generated(a, &a->columns[i], &declared));
    if (!declared.generated)
      continue;
    RDX_TRY(rdx_generated_resolve(&declared, row, from, to, &a->arena, a->err));
    RDX_TRY(rdx_sql_declare(&declared, &a->arena, &a->columns[i].declaration, a->err));
  }
  return RDX_OK;
}

/* None of the others reads the column, which goes. */
static rdx_status check_not_generating(altered *a, const rdx_new_column *c) {
  for (uint32_t i = 0; i < a->count; i++) {
    rdx_sql_column declared;
    bool reads = false;
    RDX_TRY(take_generated(a, &a->columns[i], &declared));
    if (declared.generated && &a->columns[i] != c)
      RDX_TRY(reads_column(a, declared.generated, c, &reads));
    if (reads)
      return rdx_change_fail(a->statement, a->err, RDX_ERROR_ARGUMENT,
                             "cannot drop column \"%.100s\" of table \"%.100s\": generated column \"%.100s\" reads it",
                             c->name, a->table->name, a->columns[i].name);
  }
  return RDX_OK;
}

/* The columns that the statement adds, where they number rows or are generated. */
static rdx_status generate(altered *a, const rdx_sql_statement *written, rdx_table *content) {
  bool *added = NULL;
  RDX_TRY(rdx_arena_alloc(&a->arena, a->count, sizeof *added, WHAT, (void **)&added, a->err));
  memset(added, 0, a->count * sizeof *added);
  for (uint32_t k = 0; k < written->alteration_count; k++) {
    const rdx_sql_column *column = &written->alterations[k].column;
    const bool adds = written->alterations[k].kind == RDX_ALTER_ADD && (column->generated || column->identity);
    const rdx_new_column *c = adds ? find_column(a, column->name) : NULL;
    rdx_sql_column declared;
    if (!c || c->from != UINT32_MAX)
      continue;
    RDX_TRY(take_generated(a, c, &declared));
    if (column->identity ? !declared.identity : !declared.generated)
      continue; /* another one has its name */
    const uint32_t i = (uint32_t)(c - a->columns);
    added[i] = true;
    RDX_TRY(column->identity ? rdx_identity_fill(a->statement, a->table->name, content, i, NULL, a->err)
                             : rdx_generated_define(a->statement, column, a->table->name, content, i, a->err));
  }
  return rdx_generated_fill(a->statement, a->table->name, content, added, a->err);
}

/* ---- Changes ---- */

static rdx_status rename_column(altered *a, const rdx_sql_alteration *x) {
  rdx_new_column *c = find_column(a, x->name);
  rdx_row_columns row;
  if (!c)
    return no_column(a, x->name);
  RDX_TRY(check_free(a, x->to));
  RDX_TRY(check_unread(a, c, "rename"));
  RDX_TRY(row_of(a, &row));
  RDX_TRY(rdx_constraints_rename(&a->constraints, &row, c->name, x->to, &a->arena, a->err));
  RDX_TRY(rename_in_generated(a, &row, c->name, x->to));
  c->name = x->to;
  a->changed = true;
  return a->table->temporary
             ? RDX_OK
             : rdx_indexes_rename(a->statement->database, a->table->name, x->name, x->to, &a->indexes, a->err);
}

static rdx_status add_column(altered *a, const rdx_sql_alteration *x) {
  rdx_field field = {0};
  rdx_sql_column written = x->column;
  rdx_row_columns row;
  if (x->conditional && find_column(a, x->column.name))
    return RDX_OK;
  RDX_TRY(check_free(a, x->column.name));
  RDX_TRY(rdx_change_field(a->statement, &x->column, &field, a->err));
  rdx_new_column *c = &a->columns[a->count];
  *c = (rdx_new_column){.name = x->column.name, .from = UINT32_MAX};
  RDX_TRY(row_of(a, &row));
  if (written.generated)
    RDX_TRY(rdx_generated_resolve(&written, &row, NULL, NULL, &a->arena, a->err));
  RDX_TRY(rdx_declare(a->statement, &a->arena, &written, &field, &c->declaration, &c->value, a->err));
  for (uint32_t i = 0; i < x->column.constraint_count; i++)
    a->constraints.list[a->constraints.count++] = x->column.constraints[i];
  a->count++;
  a->changed = true;
  return RDX_OK;
}

static rdx_status drop_column(altered *a, const rdx_sql_alteration *x) {
  rdx_new_column *c = find_column(a, x->name);
  if (!c)
    return x->conditional ? RDX_OK : no_column(a, x->name);
  RDX_TRY(check_unread(a, c, "drop"));
  RDX_TRY(check_not_generating(a, c));
  RDX_TRY(drop_constraints_on(a, c));
  if (!a->table->temporary)
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

/* Why a column cannot be declared so; NULL: it can. */
static const char *why_not(const rdx_sql_alteration *x, const rdx_sql_column *d) {
  const bool numbers = d->identity != NULL;
  switch (x->kind) {
  case RDX_ALTER_DEFAULT:
    return numbers ? "is an identity column" : d->generated ? "is a generated column" : NULL;
  case RDX_ALTER_DROP_NOT_NULL:
    return numbers ? "is an identity column" : NULL;
  case RDX_ALTER_DROP_EXPRESSION:
    return d->generated ? NULL : "is not a stored generated column";
  case RDX_ALTER_ADD_IDENTITY:
    return numbers        ? "is already an identity column"
           : d->generated ? "is a generated column"
           : d->value     ? "already has a default value"
           : d->not_null  ? NULL
                          : "must be declared NOT NULL before identity can be added";
  case RDX_ALTER_SET_IDENTITY:
  case RDX_ALTER_DROP_IDENTITY:
    return numbers ? NULL : "is not an identity column";
  default:
    return NULL;
  }
}

/* What a column is declared as from now on. */
static rdx_status redeclare(altered *a, const rdx_sql_alteration *x, rdx_type type, rdx_sql_column *d) {
  rdx_sql_identity *identity = NULL;
  switch (x->kind) {
  case RDX_ALTER_DROP_EXPRESSION:
    d->generated = NULL;
    return RDX_OK;
  case RDX_ALTER_DEFAULT:
    d->value = x->column.value;
    d->value_text = x->column.value_text;
    return RDX_OK;
  case RDX_ALTER_DROP_IDENTITY:
    d->identity = NULL;
    return RDX_OK;
  case RDX_ALTER_ADD_IDENTITY:
    d->identity = x->column.identity;
    return rdx_identity_check(a->statement, d->identity, type, a->err);
  case RDX_ALTER_SET_IDENTITY:
    RDX_TRY(rdx_arena_alloc(&a->arena, 1, sizeof *identity, WHAT, (void **)&identity, a->err));
    *identity = *d->identity;
    rdx_sql_identity_apply(x->column.identity, 8 * (uint32_t)rdx_type_size(type), identity);
    identity->place = x->column.identity->place;
    d->identity = identity;
    return rdx_identity_check(a->statement, identity, type, a->err);
  default:
    d->not_null = x->kind == RDX_ALTER_SET_NOT_NULL;
    return RDX_OK;
  }
}

/* SET and DROP of DEFAULT, NOT NULL and so on: rows that are there stay as they are. */
static rdx_status declare_column(altered *a, rdx_new_column *c, const rdx_sql_alteration *x) {
  RDX_SCOPED(rdx_vector_destroy) rdx_vector value = {0};
  rdx_sql_column declared;
  const rdx_field field = field_of(a, c);
  if (x->kind == RDX_ALTER_DROP_NOT_NULL && rdx_constraints_has_key_column(&a->constraints, c->name))
    return rdx_change_fail(a->statement, a->err, RDX_ERROR_ARGUMENT, "column \"%.100s\" is in a primary key", c->name);
  RDX_TRY(rdx_sql_parse_declaration(c->declaration, &a->arena, &declared, a->err));
  const char *why = why_not(x, &declared);
  if (why)
    return x->conditional
               ? RDX_OK
               : rdx_change_fail(a->statement, a->err, RDX_ERROR_ARGUMENT,
                                 "column \"%.100s\" of relation \"%.100s\" %s", c->name, a->table->name, why);
  if (c->from == UINT32_MAX && (x->kind == RDX_ALTER_DROP_EXPRESSION || x->kind == RDX_ALTER_DROP_IDENTITY))
    return rdx_change_fail(a->statement, a->err, RDX_ERROR_ARGUMENT,
                           "column \"%.100s\" is added by the same statement, which cannot drop what makes its values",
                           c->name);
  RDX_TRY(redeclare(a, x, field.type, &declared));
  a->changed = true;
  return rdx_declare(a->statement, &a->arena, &declared, &field, &c->declaration, &value, a->err);
}

static rdx_status alter_constraint(altered *a, const rdx_sql_alteration *x) {
  uint32_t i = 0, taken = 0;
  a->changed = true;
  if (x->kind == RDX_ALTER_ADD_CONSTRAINT) {
    a->constraints.list[a->constraints.count++] = x->constraint;
    return RDX_OK;
  }
  for (uint32_t k = 0; x->to && k < a->constraints.count; k++)
    taken += a->constraints.list[k].name && strcmp(a->constraints.list[k].name, x->to) == 0;
  if (taken > 0)
    return rdx_change_fail(a->statement, a->err, RDX_ERROR_ARGUMENT, "constraint \"%.100s\" is there already", x->to);
  while (i < a->constraints.count &&
         !(a->constraints.list[i].name && strcmp(a->constraints.list[i].name, x->name) == 0))
    i++;
  if (i == a->constraints.count)
    return x->conditional ? RDX_OK
                          : rdx_change_fail(a->statement, a->err, RDX_ERROR_NOT_FOUND,
                                            "table \"%.100s\" has no constraint \"%.100s\"", a->table->name, x->name);
  if (x->kind == RDX_ALTER_RENAME_CONSTRAINT)
    a->constraints.list[i].name = x->to;
  else
    remove_constraint(a, i);
  return RDX_OK;
}

static rdx_status alter_column(altered *a, const rdx_sql_alteration *x) {
  rdx_new_column *c = x->name ? find_column(a, x->name) : NULL;
  switch (x->kind) {
  case RDX_ALTER_ADD:
    return add_column(a, x);
  case RDX_ALTER_DROP:
    return drop_column(a, x);
  case RDX_ALTER_RENAME_COLUMN:
    return rename_column(a, x);
  case RDX_ALTER_ADD_CONSTRAINT:
  case RDX_ALTER_DROP_CONSTRAINT:
  case RDX_ALTER_RENAME_CONSTRAINT:
    return alter_constraint(a, x);
  default:
    return c ? declare_column(a, c, x) : no_column(a, x->name);
  }
}

/* Columns of the primary key are NOT NULL. */
static rdx_status declare_keys(altered *a) {
  const rdx_sql_alteration require = {.kind = RDX_ALTER_SET_NOT_NULL};
  rdx_row_columns row;
  RDX_TRY(row_of(a, &row));
  RDX_TRY(rdx_constraints_resolve(&a->constraints, &row, &a->arena, a->err));
  for (uint32_t i = 0; i < a->constraints.count; i++) {
    const rdx_sql_constraint *k = &a->constraints.list[i];
    for (uint32_t n = 0; k->kind == RDX_CONSTRAINT_PRIMARY_KEY && k->place > 0 && n < k->column_count; n++) {
      rdx_new_column *c = find_column(a, k->columns[n]);
      if (c)
        RDX_TRY(declare_column(a, c, &require));
    }
  }
  return RDX_OK;
}

static rdx_status decide_columns(altered *a, const rdx_sql_statement *written) {
  for (uint32_t i = 0; i < written->alteration_count; i++)
    RDX_TRY(alter_column(a, &written->alterations[i]));
  RDX_TRY(declare_keys(a));
  return a->count > 0 ? RDX_OK
                      : rdx_change_fail(a->statement, a->err, RDX_ERROR_UNSUPPORTED,
                                        "a table has one column at least: DROP TABLE removes it");
}

/* Constraints that are new are defined over the new columns, and hold of the rows that are there. */
static rdx_status constrain(altered *a, rdx_table *content) {
  const char *text = NULL;
  const rdx_constrained_rows rows = {.statement = a->statement, .table = a->table->name, .rows = content};
  RDX_TRY(rdx_constraints_define(a->statement, &a->constraints, a->table->name, content, &a->arena, &text, a->err));
  RDX_TRY(rdx_declared_check(a->statement, a->table->name, content, a->err));
  RDX_TRY(rdx_constraints_check_list(&rows, &a->constraints, a->err));
  return rdx_table_constrain(content, text, a->err);
}

static rdx_status write_columns(altered *a, const rdx_sql_statement *written, const rdx_table *old) {
  rdx_database *d = a->statement->database;
  RDX_SCOPED(rdx_table_destroy) rdx_table *content = NULL;
  RDX_TRY(decide_columns(a, written));
  if (!a->changed)
    return RDX_OK;
  RDX_TRY(rdx_change_columns(old, &(rdx_new_columns){.list = a->columns, .count = a->count}, a->table->path != NULL,
                             &content, a->err));
  RDX_TRY(generate(a, written, content));
  RDX_TRY(constrain(a, content));
  rdx_status status = rdx_indexes_announce(d, &a->indexes, a->err);
  if (status == RDX_OK)
    status = rdx_change_replace(a->statement, a->table, &content, a->err);
  if (status == RDX_OK)
    return rdx_indexes_take(d, &a->indexes, a->err);
  rdx_indexes_withdraw(d, &a->indexes);
  return status;
}

/* The table's constraints, with room for those that are added. */
static rdx_status take_constraints(altered *a, const rdx_sql_statement *written) {
  rdx_constraints old = {0};
  rdx_row_columns row;
  uint32_t count = written->alteration_count;
  for (uint32_t i = 0; i < written->alteration_count; i++)
    count += written->alterations[i].column.constraint_count;
  RDX_TRY(rdx_sql_parse_constraints(a->table->constraints, &a->arena, &old.list, &old.count, a->err));
  RDX_TRY(rdx_arena_alloc(&a->arena, old.count + count, sizeof *old.list, WHAT, (void **)&a->constraints.list, a->err));
  for (uint32_t i = 0; i < old.count; i++)
    a->constraints.list[a->constraints.count++] = old.list[i];
  RDX_TRY(row_of(a, &row));
  return rdx_constraints_resolve(&a->constraints, &row, &a->arena, a->err);
}

static rdx_status alter_columns(rdx_statement *s, rdx_catalog_table *table, rdx_error *err) {
  const rdx_sql_statement *written = s->prepared->runs;
  RDX_SCOPED(drop) altered a = {.statement = s, .table = table, .count = table->column_count, .err = err};
  RDX_SCOPED(rdx_table_destroy) rdx_table *old = NULL;
  RDX_TRY(rdx_calloc(capacity_of(&a), sizeof *a.columns, WHAT, (void **)&a.columns, err));
  for (uint32_t i = 0; i < table->column_count; i++)
    a.columns[i] = (rdx_new_column){table->columns[i].name, table->columns[i].declaration, .from = i};
  RDX_TRY(rdx_change_open(s, table, &old, err));
  RDX_TRY(take_constraints(&a, written));
  return write_columns(&a, written, old);
}

/* ---- The name ---- */

/* A table in memory: its rows are copied, as others may still read the old one. */
static rdx_status rename_in_memory(rdx_statement *s, rdx_catalog_table *table, const char *to, rdx_error *err) {
  RDX_SCOPED(rdx_table_destroy) rdx_table *old = NULL;
  RDX_SCOPED(rdx_free_local) rdx_new_column *columns = NULL;
  rdx_table *content = NULL;
  RDX_TRY(rdx_change_open(s, table, &old, err));
  RDX_TRY(rdx_calloc(table->column_count, sizeof *columns, WHAT, (void **)&columns, err));
  for (uint32_t i = 0; i < table->column_count; i++)
    columns[i] = (rdx_new_column){table->columns[i].name, table->columns[i].declaration, .from = i};
  RDX_TRY(rdx_change_columns(old, &(rdx_new_columns){columns, table->column_count, table->constraints}, false, &content,
                             err));
  content->temporary = table->temporary;
  return rdx_catalog_add(s->database->catalog, to, content, err);
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
  RDX_TRY(rdx_defined_check_new(s, to, table->name, err));
  RDX_TRY(rdx_defined_check_unread(s, table->name, NULL, doing, err));
  RDX_SCOPED(rdx_index_alterations_drop) rdx_index_alterations indexes = {0};
  if (!table->temporary)
    RDX_TRY(rdx_indexes_rename(s->database, table->name, NULL, to, &indexes, err));
  rdx_status status = rdx_indexes_announce(s->database, &indexes, err);
  if (status == RDX_OK)
    status = table->path ? rename_file(s, table, to, err) : rename_in_memory(s, table, to, err);
  if (status != RDX_OK) {
    rdx_indexes_withdraw(s->database, &indexes);
    return status;
  }
  rdx_catalog_remove(s->database->catalog, table->name);
  return rdx_indexes_take(s->database, &indexes, err);
}

/* ---- The statement ---- */

rdx_status rdx_change_run_alter(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  const rdx_sql_statement *written = s->prepared->runs;
  const bool renames = written->alterations[0].kind == RDX_ALTER_RENAME;
  RDX_SCOPED(rdx_catalog_release) rdx_catalog_table *table = NULL;
  snprintf(answer->tag, sizeof answer->tag, "ALTER TABLE");
  RDX_TRY(rdx_change_find_if(s, written->name, written->if_exists, &table, err));
  if (!table)
    return RDX_OK;
  return renames ? rename_table(s, table, written->alterations[0].to, err) : alter_columns(s, table, err);
}
