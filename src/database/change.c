/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Statements that change tables. Each makes a whole new version, which takes the old one's place in one step. */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "column/dictionary.h"
#include "database/generated.h"
#include "database/identity.h"
#include "table/table.h"

rdx_status rdx_change_fail(const rdx_statement *s, rdx_error *err, rdx_status status, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return rdx_sql_error(err, status, s->prepared->text, s->prepared->runs->place, NULL, "%s", text);
}

/* ---- Tables by name ---- */

static rdx_status find(const rdx_statement *s, const char *name, rdx_catalog_table **out, rdx_error *err) {
  char nearest[64];
  RDX_TRY(rdx_catalog_find(s->database->catalog, name, out, nearest, err));
  if (*out && strcmp((*out)->name, name) != 0) /* one whose name is written otherwise */
    rdx_catalog_release(out);
  return RDX_OK;
}

static const char *verb_of(const rdx_statement *s) {
  switch (s->prepared->runs->kind) {
  case RDX_STATEMENT_INSERT:
    return "insert into";
  case RDX_STATEMENT_UPDATE:
    return "update";
  case RDX_STATEMENT_DELETE:
    return "delete from";
  case RDX_STATEMENT_MERGE:
    return "merge into";
  case RDX_STATEMENT_ALTER_TABLE:
    return "alter";
  case RDX_STATEMENT_COPY:
    return s->prepared->runs->from ? "copy to" : "copy from";
  case RDX_STATEMENT_DROP:
    return "remove by DROP TABLE the";
  default:
    return "analyze";
  }
}

static rdx_status refuse_view(const rdx_statement *s, const char *name, bool cube, rdx_error *err) {
  const rdx_sql_statement *written = s->prepared->runs;
  const bool reads = written->kind == RDX_STATEMENT_COPY && !written->from, drops = written->kind == RDX_STATEMENT_DROP;
  return rdx_sql_error(err, RDX_ERROR_UNSUPPORTED, s->prepared->text, written->place,
                       reads           ? "COPY (SELECT * FROM view) TO does"
                       : drops && cube ? "DROP MATERIALIZED VIEW removes them"
                       : drops         ? "DROP VIEW removes views"
                                       : "name the table that it reads",
                       "cannot %s %sview \"%.100s\"", verb_of(s), cube ? "materialized " : "", name);
}

rdx_status rdx_change_find(const rdx_statement *s, const char *name, rdx_catalog_table **out, rdx_error *err) {
  char nearest[64], hint[100] = "";
  *out = NULL;
  const bool cube = rdx_views_has(s->database, name);
  if (cube || rdx_defined_has(s->database, name, true))
    return refuse_view(s, name, cube, err);
  RDX_TRY(rdx_catalog_find(s->database->catalog, name, out, nearest, err));
  if (*out)
    return RDX_OK;
  if (rdx_defined_has(s->database, name, false))
    return refuse_view(s, name, false, err);
  if (*nearest)
    snprintf(hint, sizeof hint, "did you mean \"%s\"?", nearest);
  return rdx_sql_error(err, RDX_ERROR_NOT_FOUND, s->prepared->text, s->prepared->runs->place, *hint ? hint : NULL,
                       "table \"%.100s\" does not exist", name);
}

rdx_status rdx_change_check_lasts(const rdx_statement *s, const rdx_catalog_table *table, const char *what,
                                  rdx_error *err) {
  return !table->temporary
             ? RDX_OK
             : rdx_sql_error(err, RDX_ERROR_UNSUPPORTED, s->prepared->text, s->prepared->runs->place, NULL,
                             "the folder cannot keep %s of temporary table \"%.100s\"", what, table->name);
}

rdx_status rdx_change_check_lasting(const rdx_statement *s, const char *what, rdx_error *err) {
  const rdx_query_plan *plan = s->prepared->plan;
  for (uint32_t i = 0; plan && i < plan->table_count; i++)
    RDX_TRY(rdx_change_check_lasts(s, plan->tables[i], what, err));
  return RDX_OK;
}

rdx_status rdx_change_find_if(const rdx_statement *s, const char *name, bool if_exists, rdx_catalog_table **out,
                              rdx_error *err) {
  return if_exists && !rdx_defined_has(s->database, name, true) ? find(s, name, out, err)
                                                                : rdx_change_find(s, name, out, err);
}

/* ---- Writing versions ---- */

static rdx_status append(rdx_table_writer *writer, const rdx_table *table, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) rdx_column *columns = NULL;
  const uint32_t count = rdx_table_columns(table);
  RDX_TRY(rdx_alloc(count, sizeof *columns, "a table", (void **)&columns, err));
  for (uint32_t i = 0; i < count; i++)
    columns[i] = *rdx_table_column(table, i);
  return rdx_table_writer_append(writer, columns, err);
}

static rdx_status write_file(const char *path, const rdx_field *fields, uint32_t count, const rdx_table *first,
                             const rdx_table *second, rdx_error *err) {
  RDX_SCOPED(rdx_table_writer_destroy) rdx_table_writer *writer = NULL;
  RDX_TRY(rdx_table_writer_create(path, fields, count, &writer, err));
  for (uint32_t i = 0; i < count; i++)
    RDX_TRY(rdx_table_writer_declare(writer, i, rdx_table_column_declaration(first, i), err));
  RDX_TRY(rdx_table_writer_constrain(writer, rdx_table_constraints(first), err));
  RDX_TRY(append(writer, first, err));
  if (second)
    RDX_TRY(append(writer, second, err));
  return rdx_table_writer_finish(writer, err);
}

static rdx_status list_fields(const rdx_table *table, rdx_field **out, rdx_error *err) {
  const uint32_t count = rdx_table_columns(table);
  RDX_TRY(rdx_alloc(count, sizeof **out, "a table", (void **)out, err));
  for (uint32_t i = 0; i < count; i++) {
    const rdx_column *c = rdx_table_column(table, i);
    (*out)[i] = (rdx_field){rdx_table_column_name(table, i), c->type, c->scale};
  }
  return RDX_OK;
}

/* A new table: a file of the folder, or in memory where there is no folder or it is temporary. `*content` is taken
 * over. */
static rdx_status store(rdx_statement *s, const char *name, rdx_table **content, rdx_error *err) {
  rdx_database *d = s->database;
  RDX_SCOPED(rdx_table_destroy) rdx_table *table = *content;
  RDX_SCOPED(rdx_free_local) char *path = NULL;
  RDX_SCOPED(rdx_free_local) rdx_field *fields = NULL;
  *content = NULL;
  table->temporary = d->has_folder && s->prepared->runs->temporary;
  if (!d->has_folder || table->temporary)
    return rdx_catalog_add(d->catalog, name, RDX_KEEP(table), err);
  RDX_TRY(rdx_catalog_path(d->catalog, name, &path, err));
  RDX_TRY(list_fields(table, &fields, err));
  return write_file(path, fields, rdx_table_columns(table), table, NULL, err);
}

/* ---- CREATE TABLE ---- */

rdx_status rdx_change_field(const rdx_statement *s, const rdx_sql_column *c, rdx_field *out, rdx_error *err) {
  rdx_sql_type type;
  char hint[RDX_TYPE_HINT];
  if (!rdx_sql_type_from_name(c->type, NULL, 0, &type)) {
    rdx_sql_type_hint(c->type, hint);
    return rdx_sql_error(err, RDX_ERROR_NOT_FOUND, s->prepared->text, c->place, hint, "there is no type \"%.60s\"",
                         c->type);
  }
  if (!rdx_sql_type_from_name(c->type, c->modifiers, c->modifier_count, &type)) /* of digits that no numeric has */
    type.precision = 0;
  if (type.kind == RDX_SQL_INTERVAL || type.kind == RDX_SQL_UNKNOWN)
    return rdx_sql_error(err, RDX_ERROR_UNSUPPORTED, s->prepared->text, c->place, NULL,
                         "a table cannot have a column of type %.60s", c->type);
  const char *title = NULL;
  if (type.kind == RDX_SQL_TEXT && c->modifier_count > 0 && rdx_sql_column_limit(c, &title) < 1)
    return rdx_sql_error(err, RDX_ERROR_ARGUMENT, s->prepared->text, c->place, NULL,
                         title ? "length for type %.60s must be at least 1"
                               : "type modifier is not allowed for type \"%.60s\"",
                         title ? title : c->type);
  if (type.kind == RDX_SQL_DECIMAL && (type.precision == 0 || type.precision > 18))
    return rdx_sql_error(err, RDX_ERROR_UNSUPPORTED, s->prepared->text, c->place, NULL,
                         "a table's numeric has 1 to 18 digits: write numeric(DIGITS, SCALE)");
  *out = (rdx_field){c->name, rdx_column_type(type.kind), type.kind == RDX_SQL_DECIMAL ? type.scale : 0};
  return c->identity ? rdx_identity_check(s, c->identity, out->type, err) : RDX_OK;
}

/* The constraints that are written: of the columns, then of the table. */
static rdx_status list_constraints(const rdx_sql_statement *written, const rdx_row_columns *row, rdx_arena *arena,
                                   rdx_constraints *out, rdx_error *err) {
  uint32_t count = written->constraint_count;
  for (uint32_t i = 0; i < written->column_count; i++)
    count += written->columns[i].constraint_count;
  RDX_TRY(rdx_arena_alloc(arena, count, sizeof *out->list, "a table", (void **)&out->list, err));
  for (uint32_t i = 0; i < written->column_count; i++)
    for (uint32_t k = 0; k < written->columns[i].constraint_count; k++)
      out->list[out->count++] = written->columns[i].constraints[k];
  for (uint32_t k = 0; k < written->constraint_count; k++)
    out->list[out->count++] = written->constraints[k];
  return rdx_constraints_resolve(out, row, arena, err);
}

/* The columns, no two of which have the same name. */
static rdx_status row_of(const rdx_statement *s, rdx_arena *arena, rdx_row_columns *out, rdx_error *err) {
  const rdx_sql_statement *written = s->prepared->runs;
  RDX_SCOPED(rdx_distinct_drop) rdx_distinct names = {0};
  *out = (rdx_row_columns){.count = written->column_count};
  RDX_TRY(rdx_arena_alloc(arena, out->count, sizeof *out->names, "a table", (void **)&out->names, err));
  for (uint32_t i = 0; i < out->count; i++) {
    uint32_t first = 0;
    out->names[i] = written->columns[i].name;
    RDX_TRY(rdx_distinct_add(&names, out->names[i], strlen(out->names[i]), &first, err));
    if (first < i)
      return rdx_change_fail(s, err, RDX_ERROR_ARGUMENT, "column \"%.100s\" is there twice", out->names[i]);
  }
  return RDX_OK;
}

static rdx_status make_column(const rdx_statement *s, const rdx_constraints *constraints, const rdx_row_columns *row,
                              uint32_t i, rdx_arena *arena, rdx_table *table, rdx_error *err) {
  rdx_sql_column written = s->prepared->runs->columns[i];
  rdx_field field = {0};
  rdx_growing *column = &table->columns[i];
  RDX_SCOPED(rdx_vector_destroy) rdx_vector value = {0};
  const char *declaration = NULL;
  RDX_TRY(rdx_change_field(s, &written, &field, err));
  if (rdx_constraints_has_key_column(constraints, written.name) && written.nullable)
    return rdx_sql_error(err, RDX_ERROR_FORMAT, s->prepared->text, written.place, NULL,
                         "conflicting NULL/NOT NULL declarations for column \"%.100s\"", written.name);
  written.not_null |= rdx_constraints_has_key_column(constraints, written.name);
  if (written.generated)
    RDX_TRY(rdx_generated_resolve(&written, row, NULL, NULL, arena, err));
  RDX_TRY(rdx_declare(s, arena, &written, &field, &declaration, &value, err));
  RDX_TRY(rdx_growing_describe(column, field.name, declaration, err));
  return rdx_growing_start(column, field.type, field.scale, 1, err);
}

static rdx_status make_empty(const rdx_statement *s, rdx_arena *arena, rdx_table *table, rdx_error *err) {
  const rdx_sql_statement *written = s->prepared->runs;
  rdx_constraints constraints = {0};
  rdx_row_columns row;
  const char *text = NULL;
  RDX_TRY(row_of(s, arena, &row, err));
  RDX_TRY(list_constraints(written, &row, arena, &constraints, err));
  for (uint32_t i = 0; i < table->column_count; i++)
    RDX_TRY(make_column(s, &constraints, &row, i, arena, table, err));
  rdx_table_finish(table, 0);
  for (uint32_t i = 0; i < table->column_count; i++)
    if (written->columns[i].generated)
      RDX_TRY(rdx_generated_define(s, &written->columns[i], written->name, table, i, err));
  RDX_TRY(rdx_constraints_define(s, &constraints, written->name, table, arena, &text, err));
  return rdx_table_constrain(table, text, err);
}

/* `*exists` with IF NOT EXISTS: nothing is to be done. */
static rdx_status check_new(const rdx_statement *s, bool *exists, rdx_error *err) {
  const rdx_sql_statement *written = s->prepared->runs;
  RDX_SCOPED(rdx_catalog_release) rdx_catalog_table *table = NULL;
  RDX_TRY(find(s, written->name, &table, err));
  *exists = table != NULL;
  if (*exists && !written->if_not_exists)
    return rdx_change_fail(s, err, RDX_ERROR_ARGUMENT, "table \"%.100s\" is there already", written->name);
  return *exists ? RDX_OK : rdx_defined_check_new(s, written->name, NULL, err);
}

static rdx_status run_create(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  const rdx_sql_statement *written = s->prepared->runs;
  RDX_SCOPED(rdx_table_destroy) rdx_table *table = NULL;
  RDX_SCOPED(rdx_arena_free) rdx_arena arena = {0};
  bool exists = false;
  snprintf(answer->tag, sizeof answer->tag, "CREATE TABLE");
  RDX_TRY(check_new(s, &exists, err));
  if (exists)
    return RDX_OK;
  RDX_TRY(rdx_table_create(written->column_count, &table, err));
  RDX_TRY(make_empty(s, &arena, table, err));
  return store(s, written->name, &table, err);
}

static rdx_status run_create_as(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  bool exists = false;
  RDX_TRY(check_new(s, &exists, err));
  snprintf(answer->tag, sizeof answer->tag, "CREATE TABLE AS");
  if (exists)
    return RDX_OK;
  if (!s->prepared->runs->with_data)
    return rdx_change_fail(s, err, RDX_ERROR_UNSUPPORTED, "WITH NO DATA is not supported: add LIMIT 0 to the query");
  RDX_TRY(rdx_prepared_run(s->prepared, s->parameters, NULL, answer, err));
  RDX_SCOPED(rdx_distinct_drop) rdx_distinct names = {0};
  for (uint32_t i = 0; i < rdx_table_columns(answer->table); i++) {
    const char *name = rdx_table_column_name(answer->table, i);
    uint32_t first = 0;
    RDX_TRY(rdx_distinct_add(&names, name, strlen(name), &first, err));
    if (first < i)
      return rdx_change_fail(s, err, RDX_ERROR_ARGUMENT, "column \"%.100s\" is there twice: give them names with AS",
                             name);
  }
  snprintf(answer->tag, sizeof answer->tag, "SELECT %llu", (unsigned long long)answer->stats.rows);
  return store(s, s->prepared->runs->name, &answer->table, err);
}

/* ---- Appending ---- */

rdx_status rdx_change_open(rdx_statement *s, rdx_catalog_table *table, rdx_table **out, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *all = NULL;
  if (table->path && !rdx_table_is_file(table->path))
    return rdx_change_fail(s, err, RDX_ERROR_UNSUPPORTED, "%.200s is no table file: import it first", table->path);
  RDX_TRY(rdx_calloc(table->column_count, sizeof *all, "a table", (void **)&all, err));
  for (uint32_t i = 0; i < table->column_count; i++)
    all[i] = i;
  RDX_TRY(rdx_catalog_open_columns(s->database->catalog, table, all, table->column_count, err));
  return rdx_change_view(table, out, err);
}

rdx_status rdx_change_append(rdx_statement *s, rdx_catalog_table *table, const rdx_table *added, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) rdx_field *fields = NULL;
  RDX_SCOPED(rdx_table_destroy) rdx_table *old = NULL;
  RDX_TRY(rdx_change_open(s, table, &old, err));
  const rdx_constrained_rows rows = {.statement = s, .table = table->name, .old = old, .rows = added};
  RDX_TRY(rdx_constraints_check(&rows, table->constraints, err));
  RDX_TRY(list_fields(old, &fields, err));
  RDX_TRY(rdx_identity_advance(s, old, err));
  if (table->path)
    RDX_TRY(write_file(table->path, fields, table->column_count, old, added, err));
  if (!table->path) {
    rdx_table *both = NULL;
    RDX_TRY(rdx_change_concatenate(old, added, &both, err));
    both->temporary = table->temporary;
    RDX_TRY(rdx_catalog_add(s->database->catalog, table->name, both, err));
  }
  return RDX_OK;
}

/* Columns that are generated come from no row: INSERT may say DEFAULT of them, COPY passes over them. Nor do numbers
 * where OVERRIDING says so. */
static rdx_status leave_generated(const rdx_statement *s, const rdx_catalog_table *table, uint32_t *from,
                                  rdx_error *err) {
  const rdx_sql_statement *written = s->prepared->runs;
  const bool moves = written->kind == RDX_STATEMENT_COPY && written->name_count == 0;
  RDX_SCOPED(rdx_arena_free) rdx_arena arena = {0};
  rdx_sql_column *declared = NULL;
  uint32_t given = 0;
  RDX_TRY(rdx_declared_list(table, &arena, &declared, err));
  for (uint32_t i = 0; i < table->column_count; i++) {
    if (moves)
      from[i] = declared[i].generated ? UINT32_MAX : given++;
    if (rdx_overrides_given(written, &declared[i]))
      from[i] = UINT32_MAX;
    if (written->kind == RDX_STATEMENT_INSERT)
      RDX_TRY(rdx_check_given(written, from[i], table->columns[i].name, &declared[i], s->prepared->text, err));
    if (declared[i].generated)
      from[i] = UINT32_MAX;
  }
  return RDX_OK;
}

/* Which column of the statement's list each column of the table is; UINT32_MAX: none. */
static rdx_status match_columns(const rdx_statement *s, const rdx_catalog_table *table, uint32_t given, uint32_t *out,
                                rdx_error *err) {
  const rdx_sql_statement *written = s->prepared->runs;
  const uint32_t named = written->name_count;
  if (named ? given != named : given > table->column_count)
    return rdx_change_fail(s, err, RDX_ERROR_ARGUMENT, "there are %u values for %u columns", given,
                           named ? named : table->column_count);
  for (uint32_t i = 0; i < table->column_count; i++)
    out[i] = named || i >= given ? UINT32_MAX : i;
  for (uint32_t k = 0; k < named; k++) {
    uint32_t i = 0;
    while (i < table->column_count && strcmp(table->columns[i].name, written->names[k]) != 0)
      i++;
    if (i == table->column_count)
      return rdx_change_fail(s, err, RDX_ERROR_NOT_FOUND, "table \"%.100s\" has no column \"%.100s\"", table->name,
                             written->names[k]);
    if (out[i] != UINT32_MAX)
      return rdx_change_fail(s, err, RDX_ERROR_ARGUMENT, "column \"%.100s\" is named twice", written->names[k]);
    out[i] = k;
  }
  return leave_generated(s, table, out, err);
}

/* Rows get numbers where they have none, which is where they come from no column, or the plan made them. */
static rdx_status number(rdx_statement *s, const char *name, rdx_table *rows, const uint32_t *from, rdx_error *err) {
  RDX_SCOPED(rdx_arena_free) rdx_arena arena = {0};
  const bool *made = s->prepared->plan ? s->prepared->plan->change.numbered : NULL;
  const uint32_t count = rdx_table_columns(rows);
  const rdx_sql_identity **list = NULL;
  RDX_TRY(rdx_identity_list(rows, &arena, &list, err));
  for (uint32_t i = 0; i < count; i++) {
    if (list[i] && from[i] == UINT32_MAX)
      RDX_TRY(rdx_identity_fill(s, name, rows, i, NULL, err));
    else if (list[i] && made && made[i])
      RDX_TRY(rdx_identity_note(s, count, i, rdx_table_rows(rows), err));
  }
  return RDX_OK;
}

rdx_status rdx_change_fit(rdx_statement *s, const rdx_catalog_table *table, const rdx_table *rows, bool all,
                          rdx_table **out, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *from = NULL;
  RDX_SCOPED(rdx_table_destroy) rdx_table *fitted = NULL;
  RDX_TRY(rdx_calloc(table->column_count, sizeof *from, "a table", (void **)&from, err));
  for (uint32_t i = 0; i < table->column_count; i++)
    from[i] = i;
  if (!all)
    RDX_TRY(match_columns(s, table, rdx_table_columns(rows), from, err));
  RDX_TRY(rdx_change_convert(s, table, rows, from, &fitted, err));
  RDX_TRY(number(s, table->name, fitted, from, err));
  if (!all)
    RDX_TRY(rdx_generated_fill(s, table->name, fitted, NULL, err));
  RDX_TRY(rdx_declared_check(s, table->name, fitted, err));
  *out = RDX_KEEP(fitted);
  return RDX_OK;
}

rdx_status rdx_change_insert(rdx_statement *s, rdx_catalog_table *table, const rdx_table *rows, rdx_error *err) {
  RDX_SCOPED(rdx_table_destroy) rdx_table *added = NULL;
  RDX_TRY(rdx_change_fit(s, table, rows, false, &added, err));
  return rdx_change_append(s, table, added, err);
}

rdx_status rdx_change_replace(rdx_statement *s, const rdx_catalog_table *table, rdx_table **content, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) rdx_field *fields = NULL;
  RDX_SCOPED(rdx_table_destroy) rdx_table *rows = *content;
  *content = NULL;
  RDX_TRY(rdx_identity_advance(s, rows, err));
  rows->temporary = table->temporary;
  if (!table->path)
    return rdx_catalog_add(s->database->catalog, table->name, RDX_KEEP(rows), err);
  RDX_TRY(list_fields(rows, &fields, err));
  return write_file(table->path, fields, rdx_table_columns(rows), rows, NULL, err);
}

/* ---- COPY ---- */

/* The columns that a statement names, or all that are not generated. */
static rdx_status list_columns(rdx_statement *s, const rdx_catalog_table *table, uint32_t **out, uint32_t *count,
                               rdx_error *err) {
  const rdx_sql_statement *written = s->prepared->runs;
  RDX_SCOPED(rdx_free_local) uint32_t *columns = NULL;
  RDX_SCOPED(rdx_arena_free) rdx_arena arena = {0};
  rdx_sql_column *declared = NULL;
  *count = written->name_count;
  RDX_TRY(rdx_declared_list(table, &arena, &declared, err));
  RDX_TRY(rdx_alloc(*count + table->column_count, sizeof *columns, "COPY", (void **)&columns, err));
  for (uint32_t i = 0; written->name_count == 0 && i < table->column_count; i++)
    if (!declared[i].generated)
      columns[(*count)++] = i;
  for (uint32_t k = 0; k < written->name_count; k++) {
    columns[k] = 0;
    while (columns[k] < table->column_count && strcmp(table->columns[columns[k]].name, written->names[k]) != 0)
      columns[k]++;
    if (columns[k] == table->column_count)
      return rdx_change_fail(s, err, RDX_ERROR_NOT_FOUND, "table \"%.100s\" has no column \"%.100s\"", table->name,
                             written->names[k]);
    if (declared[columns[k]].generated)
      return rdx_change_fail(s, err, RDX_ERROR_ARGUMENT, "column \"%.100s\" is a generated column, which COPY has not",
                             written->names[k]);
  }
  if (*count == 0)
    return rdx_change_fail(s, err, RDX_ERROR_ARGUMENT, "all columns of \"%.100s\" are generated: COPY has none",
                           table->name);
  *out = RDX_KEEP(columns);
  return RDX_OK;
}

static rdx_status view_table(rdx_statement *s, rdx_catalog_table *table, rdx_answer *answer, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *columns = NULL;
  uint32_t count = 0;
  RDX_TRY(list_columns(s, table, &columns, &count, err));
  RDX_TRY(rdx_catalog_open_columns(s->database->catalog, table, columns, count, err));
  return rdx_change_view_columns(table, columns, count, &answer->table, err);
}

static rdx_status read_table(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  RDX_SCOPED(rdx_catalog_release) rdx_catalog_table *table = NULL;
  RDX_TRY(rdx_change_find(s, s->prepared->runs->name, &table, err));
  RDX_TRY(view_table(s, table, answer, err));
  answer->stats.rows = table->rows;
  /* The view reads the table's memory: the answer holds it no longer than this statement does. */
  s->copied = RDX_KEEP(table);
  return RDX_OK;
}

static bool same_file(const char *a, const char *b) {
  struct stat first, second;
  return a && b && stat(a, &first) == 0 && stat(b, &second) == 0 && S_ISREG(first.st_mode) &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/* What is written replaces no table file, nor a file that it is made of. */
static rdx_status check_target(const rdx_statement *s, rdx_error *err) {
  const rdx_query_plan *plan = s->prepared->plan;
  const char *path = s->prepared->runs->path, *dot = path ? strrchr(path, '.') : NULL;
  bool reads = s->copied && same_file(path, s->copied->path);
  for (uint32_t i = 0; plan && i < plan->table_count; i++)
    reads |= same_file(path, plan->tables[i]->path);
  if (reads)
    return rdx_change_fail(s, err, RDX_ERROR_ARGUMENT, "%.200s is read by this statement: write to another file", path);
  if (path && ((dot && strcasecmp(dot, ".rdx") == 0) || rdx_table_is_file(path)))
    return rdx_change_fail(s, err, RDX_ERROR_ARGUMENT,
                           "%.200s is the name of a table file, which COPY does not write: CREATE TABLE ... AS does",
                           path);
  return RDX_OK;
}

static rdx_status run_copy_to(rdx_statement *s, const rdx_copy_options *options, rdx_answer *answer, rdx_error *err) {
  const rdx_sql_statement *written = s->prepared->runs;
  const rdx_csv_params *csv = options->csv;
  if (csv->null_count > 0 || csv->quote || csv->encoding)
    return rdx_change_fail(s, err, RDX_ERROR_UNSUPPORTED, "COPY TO writes NULL as nothing, quotes with \", and UTF-8");
  RDX_TRY(s->prepared->plan ? rdx_prepared_run(s->prepared, s->parameters, NULL, answer, err)
                            : read_table(s, answer, err));
  if (!written->path)
    fflush(stdout);
  rdx_status status = check_target(s, err);
  if (status == RDX_OK)
    status = options->parquet ? rdx_table_write_parquet(answer->table, written->path, err)
                              : rdx_table_write_csv(answer->table, written->path, csv->delimiter,
                                                    csv->header != RDX_SWITCH_OFF, err);
  rdx_table_destroy(&answer->table);
  rdx_catalog_release(&s->copied);
  snprintf(answer->tag, sizeof answer->tag, "COPY %llu", (unsigned long long)answer->stats.rows);
  return status;
}

/* The types that the table's columns have, so that none is inferred of CSV; where there are names, these say which
 * column is which. */
static rdx_status read_file(rdx_statement *s, const rdx_catalog_table *table, const rdx_copy_options *options,
                            rdx_table **out, rdx_error *err) {
  const rdx_sql_statement *written = s->prepared->runs;
  rdx_csv_params csv = *options->csv;
  RDX_SCOPED(rdx_free_local) uint32_t *columns = NULL;
  RDX_SCOPED(rdx_free_local) rdx_csv_type *types = NULL;
  RDX_SCOPED(rdx_free_local) const char **names = NULL;
  RDX_SCOPED(rdx_free_local) char(*numbers)[12] = NULL;
  uint32_t count = 0;
  RDX_TRY(list_columns(s, table, &columns, &count, err));
  RDX_TRY(rdx_calloc(count, sizeof *types, "COPY", (void **)&types, err));
  RDX_TRY(rdx_calloc(count, sizeof *numbers, "COPY", (void **)&numbers, err));
  RDX_TRY(rdx_calloc(count, sizeof *names, "COPY", (void **)&names, err));
  for (uint32_t k = 0; k < count; k++) {
    const rdx_catalog_column *c = &table->columns[columns[k]];
    snprintf(numbers[k], sizeof *numbers, "%u", k + 1);
    names[k] = csv.header == RDX_SWITCH_OFF ? numbers[k] : c->name;
    types[k] = (rdx_csv_type){names[k], c->type, c->scale};
  }
  csv.types = types;
  csv.type_count = count;
  csv.columns = names;
  csv.column_count = count;
  return options->parquet ? rdx_table_read_parquet(written->path, names, count, out, err)
                          : rdx_table_read_csv(written->path, &csv, out, err);
}

static rdx_status run_copy_from(rdx_statement *s, const rdx_copy_options *options, rdx_answer *answer, rdx_error *err) {
  RDX_SCOPED(rdx_catalog_release) rdx_catalog_table *table = NULL;
  RDX_SCOPED(rdx_table_destroy) rdx_table *rows = NULL;
  RDX_TRY(rdx_change_find(s, s->prepared->runs->name, &table, err));
  RDX_TRY(read_file(s, table, options, &rows, err));
  answer->stats.rows = rdx_table_rows(rows);
  snprintf(answer->tag, sizeof answer->tag, "COPY %llu", (unsigned long long)answer->stats.rows);
  return rdx_change_insert(s, table, rows, err);
}

static rdx_status run_copy(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  const rdx_sql_statement *written = s->prepared->runs;
  rdx_csv_params csv = {.for_copy = true};
  rdx_copy_options options = {.csv = &csv};
  if (s->database->safe && written->path)
    return rdx_change_fail(s, err, RDX_ERROR_UNSUPPORTED, "files may not be read or written by name here");
  RDX_TRY(rdx_change_copy_options(s, &options, err));
  if (options.parquet && !written->path)
    return rdx_change_fail(s, err, RDX_ERROR_UNSUPPORTED, "Parquet is in files only: name one");
  return written->from ? run_copy_from(s, &options, answer, err) : run_copy_to(s, &options, answer, err);
}

/* ---- DROP, ANALYZE ---- */

/* The file of a table of the folder, for rdx_free(); NULL: it is in memory. */
static rdx_status find_own_file(const rdx_statement *s, const rdx_catalog_table *table, char **out, rdx_error *err) {
  *out = NULL;
  if (!table->path || !s->database->has_folder)
    return RDX_OK;
  RDX_TRY(rdx_catalog_path(s->database->catalog, table->name, out, err));
  return strcmp(*out, table->path) == 0
             ? RDX_OK
             : rdx_change_fail(s, err, RDX_ERROR_UNSUPPORTED,
                               "DROP TABLE removes table files only; \"%.100s\" is %.300s", table->name, table->path);
}

static rdx_status remove_table(rdx_statement *s, const rdx_catalog_table *table, rdx_index_alterations *indexes,
                               rdx_error *err) {
  rdx_database *d = s->database;
  RDX_SCOPED(rdx_free_local) char *path = NULL;
  RDX_TRY(rdx_defined_check_droppable(s, table->name, err));
  RDX_TRY(find_own_file(s, table, &path, err));
  if (!table->temporary)
    RDX_TRY(rdx_indexes_drop_on(d, table->name, NULL, indexes, err));
  rdx_status status = rdx_indexes_announce(d, indexes, err);
  const bool full = status == RDX_ERROR_IO; /* a full disk, where a table goes to make room: its indexes go before it */
  if (full)
    status = rdx_indexes_take(d, indexes, err);
  if (status == RDX_OK && path && unlink(path) != 0)
    status = rdx_fail(err, RDX_ERROR_IO, "cannot remove %s: %s", path, strerror(errno));
  if (status != RDX_OK) {
    rdx_indexes_withdraw(d, indexes);
    return status;
  }
  if (!full)
    RDX_TRY(rdx_indexes_take(d, indexes, err));
  rdx_catalog_remove(d->catalog, table->name);
  return RDX_OK;
}

static rdx_status drop_table(rdx_statement *s, const char *name, rdx_error *err) {
  RDX_SCOPED(rdx_catalog_release) rdx_catalog_table *table = NULL;
  RDX_SCOPED(rdx_index_alterations_drop) rdx_index_alterations indexes = {0};
  RDX_TRY(rdx_change_find_if(s, name, s->prepared->runs->if_exists, &table, err));
  return table ? remove_table(s, table, &indexes, err) : RDX_OK;
}

static rdx_status run_drop(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  const rdx_sql_statement *written = s->prepared->runs;
  const bool cube = strcmp(written->object, "materialized view") == 0, index = strcmp(written->object, "index") == 0;
  const bool view = strcmp(written->object, "view") == 0;
  for (uint32_t i = 0; i < written->name_count; i++) {
    bool found = true;
    if (cube)
      RDX_TRY(rdx_views_drop(s->database, written->names[i], &found, err));
    else if (index)
      RDX_TRY(rdx_indexes_drop(s->database, written->names[i], &found, err));
    else if (view)
      RDX_TRY(rdx_defined_drop(s, written->names[i], &found, err));
    else
      RDX_TRY(drop_table(s, written->names[i], err));
    if (!found && !written->if_exists)
      return rdx_change_fail(s, err, RDX_ERROR_NOT_FOUND, "there is no %s \"%.100s\"", written->object,
                             written->names[i]);
  }
  snprintf(answer->tag, sizeof answer->tag, "DROP %s",
           cube    ? "MATERIALIZED VIEW"
           : index ? "INDEX"
           : view  ? "VIEW"
                   : "TABLE");
  return RDX_OK;
}

static rdx_status analyze_table(rdx_statement *s, const char *name, rdx_error *err) {
  RDX_SCOPED(rdx_catalog_release) rdx_catalog_table *table = NULL;
  bool unique;
  RDX_TRY(rdx_change_find(s, name, &table, err));
  for (uint32_t i = 0; i < table->column_count; i++)
    RDX_TRY(rdx_catalog_unique(s->database->catalog, table, i, &unique, err));
  return RDX_OK;
}

static rdx_status run_analyze(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  const char *name = s->prepared->runs->name;
  RDX_SCOPED(rdx_catalog_names_free) char **names = NULL;
  snprintf(answer->tag, sizeof answer->tag, "ANALYZE");
  if (name)
    return analyze_table(s, name, err);
  RDX_TRY(rdx_catalog_names(s->database->catalog, &names, err));
  for (uint32_t i = 0; names[i]; i++)
    RDX_TRY(analyze_table(s, names[i], err));
  return RDX_OK;
}

static rdx_status run_change(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  const rdx_sql_statement *written = s->prepared->runs;
  if (s->database->read_only && written->kind != RDX_STATEMENT_ANALYZE)
    return rdx_change_fail(s, err, RDX_ERROR_UNSUPPORTED, "the database was opened to be read only");
  switch (written->kind) {
  case RDX_STATEMENT_CREATE_TABLE:
    return run_create(s, answer, err);
  case RDX_STATEMENT_CREATE_TABLE_AS:
    return run_create_as(s, answer, err);
  case RDX_STATEMENT_INSERT:
    return rdx_change_run_insert(s, answer, err);
  case RDX_STATEMENT_UPDATE:
  case RDX_STATEMENT_DELETE:
    return rdx_change_run_update(s, answer, err);
  case RDX_STATEMENT_MERGE:
    return rdx_change_run_merge(s, answer, err);
  case RDX_STATEMENT_ALTER_TABLE:
    return rdx_change_run_alter(s, answer, err);
  case RDX_STATEMENT_COPY:
    return run_copy(s, answer, err);
  case RDX_STATEMENT_DROP:
    return run_drop(s, answer, err);
  case RDX_STATEMENT_ANALYZE:
    return run_analyze(s, answer, err);
  case RDX_STATEMENT_DEFINE_VIEW:
    return rdx_defined_create(s, answer, err);
  case RDX_STATEMENT_CREATE_INDEX:
    return rdx_indexes_create(s, answer, err);
  default:
    return rdx_views_create(s, answer, err);
  }
}

rdx_status rdx_run_change(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  const rdx_status status = run_change(s, answer, err);
  rdx_free(s->numbered);
  s->numbered = NULL;
  return status;
}
