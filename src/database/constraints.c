/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* PRIMARY KEY, UNIQUE and CHECK: their text is part of the table, and of its file; each statement that changes rows
 * looks at these before anything is written. */

#include "database/constraints.h"

#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "column/column.h"

#define WHAT "a constraint"

/* ---- Columns by their names ---- */

/* The column of a name: exactly as it is written, else in any case; UINT32_MAX: there is none. */
static uint32_t find_column(const rdx_row_columns *row, const char *name) {
  uint32_t alike = UINT32_MAX;
  for (uint32_t i = 0; i < row->count; i++) {
    if (strcmp(row->names[i], name) == 0)
      return i;
    if (alike == UINT32_MAX && rdx_words_alike(row->names[i], name))
      alike = i;
  }
  return alike;
}

rdx_status rdx_constraints_row(rdx_arena *arena, const char *table, const rdx_table *rows, rdx_row_columns *out,
                               rdx_error *err) {
  *out = (rdx_row_columns){.table = table, .count = rdx_table_columns(rows)};
  RDX_TRY(rdx_arena_alloc(arena, out->count, sizeof *out->names, WHAT, (void **)&out->names, err));
  RDX_TRY(rdx_arena_alloc(arena, out->count, sizeof *out->types, WHAT, (void **)&out->types, err));
  for (uint32_t i = 0; i < out->count; i++) {
    out->names[i] = rdx_table_column_name(rows, i);
    out->types[i] = rdx_sql_type_of_column(rdx_table_column(rows, i));
  }
  return RDX_OK;
}

/* ---- What is defined ---- */

static rdx_status fail_at(const rdx_statement *s, rdx_sql_place place, rdx_error *err, rdx_status status,
                          const char *what, const char *name) {
  return rdx_sql_error(err, status, s->prepared->text, place, NULL, what, name);
}

/* The column that a name of CHECK is of. */
static void note_columns(const rdx_row_columns *row, const rdx_ast *ast, bool *reads) {
  const uint32_t column = ast->kind == RDX_AST_COLUMN ? find_column(row, ast->name) : UINT32_MAX;
  if (column != UINT32_MAX)
    reads[column] = true;
  for (uint32_t i = 0; i < ast->count; i++)
    note_columns(row, ast->args[i], reads);
}

rdx_status rdx_constraint_reads(const rdx_sql_constraint *k, const rdx_row_columns *row, rdx_arena *arena, bool **out,
                                rdx_error *err) {
  RDX_TRY(rdx_arena_alloc(arena, row->count, sizeof **out, WHAT, (void **)out, err));
  memset(*out, 0, row->count * sizeof **out);
  if (k->check)
    note_columns(row, k->check, *out);
  for (uint32_t i = 0; !k->check && i < k->column_count; i++)
    (*out)[find_column(row, k->columns[i])] = true;
  return RDX_OK;
}

typedef struct renaming {
  const rdx_row_columns *row;
  const char *from, *to; /* from: a column of the row; NULL: none */
} renaming;

/* A name that is of no column is refused where it is bound. */
static const char *name_of(const void *user, const char *name) {
  const renaming *r = user;
  const uint32_t column = find_column(r->row, name);
  if (column == UINT32_MAX)
    return name;
  return r->from && strcmp(r->row->names[column], r->from) == 0 ? r->to : r->row->names[column];
}

static rdx_status rename_all(rdx_constraints *of, const renaming *r, rdx_arena *arena, rdx_error *err) {
  for (uint32_t i = 0; i < of->count; i++) {
    rdx_sql_constraint *k = &of->list[i];
    const char **columns = NULL;
    RDX_TRY(rdx_arena_alloc(arena, k->column_count, sizeof *columns, WHAT, (void **)&columns, err));
    for (uint32_t c = 0; c < k->column_count; c++)
      columns[c] = name_of(r, k->columns[c]);
    k->columns = columns;
    if (k->check)
      RDX_TRY(rdx_sql_check_rename(k, name_of, r, arena, err));
  }
  return RDX_OK;
}

rdx_status rdx_constraints_resolve(rdx_constraints *of, const rdx_row_columns *row, rdx_arena *arena, rdx_error *err) {
  return rename_all(of, &(renaming){.row = row}, arena, err);
}

rdx_status rdx_constraints_rename(rdx_constraints *of, const rdx_row_columns *row, const char *from, const char *to,
                                  rdx_arena *arena, rdx_error *err) {
  return rename_all(of, &(renaming){row, from, to}, arena, err);
}

static rdx_status check_key(const rdx_statement *s, const rdx_row_columns *row, const rdx_sql_constraint *k,
                            rdx_error *err) {
  for (uint32_t i = 0; i < k->column_count; i++) {
    if (find_column(row, k->columns[i]) == UINT32_MAX)
      return fail_at(s, k->place, err, RDX_ERROR_NOT_FOUND, "column \"%.100s\" named in key does not exist",
                     k->columns[i]);
    for (uint32_t b = 0; b < i; b++)
      if (strcmp(k->columns[b], k->columns[i]) == 0)
        return fail_at(s, k->place, err, RDX_ERROR_ARGUMENT,
                       k->kind == RDX_CONSTRAINT_UNIQUE ? "column \"%.100s\" appears twice in unique constraint"
                                                        : "column \"%.100s\" appears twice in primary key constraint",
                       k->columns[i]);
  }
  return RDX_OK;
}

static rdx_status bind_check(const rdx_statement *s, rdx_arena *arena, const rdx_row_columns *row,
                             const rdx_sql_constraint *k, rdx_bound **out, rdx_error *err) {
  const rdx_query_plan *plan = s->prepared->plan;
  rdx_binding binding = {.arena = arena, .text = s->prepared->text, .now = plan ? plan->now : 0, .err = err};
  return rdx_bind_row(&binding, row, k->check, "check constraints", true, out);
}

/* With a stack for all levels that there may be. */
typedef struct binding_job {
  const rdx_statement *statement;
  rdx_arena *arena;
  const rdx_row_columns *row;
  const rdx_sql_constraint *constraint;
} binding_job;

static rdx_status bind_deep(void *context, rdx_error *err) {
  const binding_job *j = context;
  rdx_bound *bound = NULL;
  return bind_check(j->statement, j->arena, j->row, j->constraint, &bound, err);
}

static rdx_status try_check(const rdx_statement *s, rdx_arena *arena, const rdx_row_columns *row,
                            const rdx_sql_constraint *k, rdx_error *err) {
  binding_job job = {s, arena, row, k};
  return k->levels > RDX_SQL_SHALLOW_LEVELS ? rdx_run_deep(bind_deep, &job, err) : bind_deep(&job, err);
}

static bool is_taken(const rdx_constraints *of, const char *name) {
  for (uint32_t i = 0; i < of->count; i++)
    if (of->list[i].name && strcmp(of->list[i].name, name) == 0)
      return true;
  return false;
}

/* The columns that a name is made of: those of a key, that of the column which CHECK stands behind, or the only one
 * that it reads. */
static rdx_status put_columns(const rdx_row_columns *row, const rdx_sql_constraint *k, rdx_arena *arena,
                              rdx_printed *to, rdx_error *err) {
  bool *reads = NULL;
  uint32_t count = 0, only = 0;
  for (uint32_t i = 0; i < k->column_count; i++)
    rdx_print(to, "_%s", k->columns[i]);
  if (k->column_count > 0)
    return RDX_OK;
  RDX_TRY(rdx_constraint_reads(k, row, arena, &reads, err));
  for (uint32_t i = 0; i < row->count; i++) {
    count += reads[i];
    only = reads[i] ? i : only;
  }
  if (count == 1)
    rdx_print(to, "_%s", row->names[only]);
  return RDX_OK;
}

/* PostgreSQL's names: t_pkey, t_a_b_key, t_a_check, and with a number behind it where that is taken. */
static rdx_status name_constraint(rdx_constraints *of, const rdx_row_columns *row, rdx_sql_constraint *k,
                                  rdx_arena *arena, rdx_error *err) {
  static const char *const ends[] = {"_pkey", "_key", "_check"};
  RDX_SCOPED(rdx_printed_free) rdx_printed base = {.err = err}, name = {.err = err};
  rdx_print(&base, "%s", row->table);
  if (k->kind != RDX_CONSTRAINT_PRIMARY_KEY)
    RDX_TRY(put_columns(row, k, arena, &base, err));
  rdx_print(&base, "%s", ends[k->kind]);
  RDX_TRY(base.status);
  rdx_print(&name, "%s", base.data);
  for (uint32_t n = 1; name.status == RDX_OK && is_taken(of, name.data); n++) {
    name.size = 0;
    rdx_print(&name, "%s%u", base.data, n);
  }
  RDX_TRY(name.status);
  return rdx_arena_text(arena, name.data, WHAT, &k->name, err);
}

static rdx_status check_names(const rdx_statement *s, const rdx_constraints *of, const char *table, rdx_error *err) {
  uint32_t keys = 0;
  for (uint32_t i = 0; i < of->count; i++) {
    const rdx_sql_constraint *k = &of->list[i];
    keys += k->kind == RDX_CONSTRAINT_PRIMARY_KEY;
    if (keys > 1)
      return fail_at(s, k->place, err, RDX_ERROR_ARGUMENT, "multiple primary keys for table \"%.100s\" are not allowed",
                     table);
    for (uint32_t b = 0; b < i && k->name; b++)
      if (of->list[b].name && strcmp(of->list[b].name, k->name) == 0)
        return fail_at(s, k->place, err, RDX_ERROR_ARGUMENT, "constraint \"%.100s\" is there already", k->name);
  }
  return RDX_OK;
}

rdx_status rdx_constraints_define(const rdx_statement *s, rdx_constraints *of, const char *table, const rdx_table *rows,
                                  rdx_arena *arena, const char **out, rdx_error *err) {
  rdx_row_columns row;
  RDX_TRY(rdx_constraints_row(arena, table, rows, &row, err));
  RDX_TRY(check_names(s, of, table, err));
  for (uint32_t i = 0; i < of->count; i++) {
    rdx_sql_constraint *k = &of->list[i];
    if (k->place == 0)
      continue;
    RDX_TRY(k->check ? try_check(s, arena, &row, k, err) : check_key(s, &row, k, err));
    if (!k->name)
      RDX_TRY(name_constraint(of, &row, k, arena, err));
  }
  return rdx_sql_declare_constraints(of->list, of->count, arena, out, err);
}

bool rdx_constraints_has_key_column(const rdx_constraints *of, const char *column) {
  for (uint32_t i = 0; i < of->count; i++)
    for (uint32_t k = 0; of->list[i].kind == RDX_CONSTRAINT_PRIMARY_KEY && k < of->list[i].column_count; k++)
      if (strcmp(of->list[i].columns[k], column) == 0)
        return true;
  return false;
}

/* ---- Rows in messages ---- */

#define SHOWN 64 /* bytes of a text that a message shows */

static void show_value(const rdx_column *c, uint64_t row, rdx_printed *to) {
  char text[RDX_VALUE_TEXT];
  uint64_t length = 0;
  if (!rdx_column_has(c, row)) {
    rdx_print(to, "null");
  } else if (c->type == RDX_TYPE_STRING) {
    const char *string = rdx_column_string(c, row, &length);
    const bool cut = length > SHOWN;
    for (length = cut ? SHOWN : length; cut && length > 0 && ((unsigned char)string[length] & 0xc0) == 0x80;)
      length--;
    rdx_print(to, "%.*s%s", (int)length, string, cut ? "..." : "");
  } else {
    rdx_print(to, "%.*s", (int)rdx_column_format(c, row, text), text);
  }
}

/* "(a, b)=(1, x)"; without columns "(1, x)" of all of them. */
static void show_row(const rdx_table *rows, const uint32_t *columns, uint32_t count, uint64_t row, rdx_printed *to) {
  for (uint32_t i = 0; columns && i < count; i++)
    rdx_print(to, "%s%s", i == 0 ? "(" : ", ", rdx_table_column_name(rows, columns[i]));
  rdx_print(to, columns ? ")=(" : "(");
  for (uint32_t i = 0; i < count; i++) {
    rdx_print(to, "%s", i == 0 ? "" : ", ");
    show_value(rdx_table_column(rows, columns ? columns[i] : i), row, to);
  }
  rdx_print(to, ")");
}

static rdx_status fail_with_row(const rdx_statement *s, const char *what, const rdx_printed *row, const char *end,
                                rdx_error *err) {
  RDX_TRY(row->status);
  return rdx_change_fail(s, err, RDX_ERROR_ARGUMENT, "%.250s%.200s%s", what, row->data, end);
}

/* ---- Checks ---- */

typedef struct checking {
  const rdx_constrained_rows *of;
  rdx_execution execution;
  rdx_arena arena;
  rdx_row_columns row;
  rdx_error *err;
} checking;

static bool alters(const checking *c) {
  return c->of->statement->prepared->runs->kind == RDX_STATEMENT_ALTER_TABLE;
}

static rdx_status evaluate_check(checking *c, const rdx_bound *fails, uint32_t **rows, uint64_t *count) {
  rdx_input *inputs = NULL;
  const rdx_table *table = c->of->rows;
  RDX_TRY(rdx_arena_alloc(&c->arena, c->row.count, sizeof *inputs, WHAT, (void **)&inputs, c->err));
  for (uint32_t i = 0; i < c->row.count; i++)
    inputs[i] = (rdx_input){*rdx_table_column(table, i), NULL};
  const rdx_evaluation e = {
      .pool = c->execution.pool, .inputs = inputs, .rows = rdx_table_rows(table), .text = c->execution.text};
  return rdx_evaluate_filter(&e, fails, rows, count, c->err);
}

static rdx_status check_condition(checking *c, const rdx_sql_constraint *k) {
  const rdx_statement *s = c->of->statement;
  RDX_SCOPED(rdx_free_local) uint32_t *rows = NULL;
  rdx_binding binding = {.arena = &c->arena, .text = c->execution.text, .err = c->err};
  RDX_SCOPED(rdx_printed_free) rdx_printed row = {.err = c->err};
  rdx_bound *holds = NULL, *fails = NULL;
  uint64_t count = 0;
  char what[400];
  RDX_TRY(bind_check(s, &c->arena, &c->row, k, &holds, c->err));
  RDX_TRY(rdx_bind_call(&binding, "not", &holds, 1, 0, &fails));
  RDX_TRY(evaluate_check(c, fails, &rows, &count));
  if (count == 0)
    return RDX_OK;
  if (alters(c))
    return rdx_change_fail(s, c->err, RDX_ERROR_ARGUMENT,
                           "check constraint \"%.100s\" of relation \"%.100s\" is violated by some row", k->name,
                           c->row.table);
  show_row(c->of->rows, NULL, c->row.count, rows[0], &row);
  snprintf(what, sizeof what, "new row for relation \"%.100s\" violates check constraint \"%.100s\": it is ",
           c->row.table, k->name);
  return fail_with_row(s, what, &row, "", c->err);
}

/* Row `at` has a key that is there already. */
static rdx_status fail_key(const checking *c, const rdx_sql_constraint *k, const uint32_t *columns, uint64_t at) {
  RDX_SCOPED(rdx_printed_free) rdx_printed row = {.err = c->err};
  char what[250];
  show_row(c->of->rows, columns, k->column_count, at, &row);
  snprintf(what, sizeof what,
           alters(c) ? "could not create unique index \"%.100s\": key "
                     : "duplicate key value violates unique constraint \"%.100s\": key ",
           k->name);
  return fail_with_row(c->of->statement, what, &row, alters(c) ? " is duplicated" : " already exists", c->err);
}

static rdx_status find_equal(checking *c, const rdx_sql_constraint *k, uint32_t **columns, rdx_equal_rows *out) {
  const rdx_column **old = NULL, **rows = NULL;
  RDX_TRY(rdx_arena_alloc(&c->arena, k->column_count, sizeof *old, WHAT, (void **)&old, c->err));
  RDX_TRY(rdx_arena_alloc(&c->arena, k->column_count, sizeof *rows, WHAT, (void **)&rows, c->err));
  RDX_TRY(rdx_arena_alloc(&c->arena, k->column_count, sizeof **columns, WHAT, (void **)columns, c->err));
  for (uint32_t i = 0; i < k->column_count; i++) {
    (*columns)[i] = find_column(&c->row, k->columns[i]);
    rows[i] = rdx_table_column(c->of->rows, (*columns)[i]);
    old[i] = rdx_table_column(c->of->old, (*columns)[i]);
  }
  return rdx_equal_rows_find(&c->execution, c->of->old ? old : NULL, rows, k->column_count, out, c->err);
}

static rdx_status check_unique(checking *c, const rdx_sql_constraint *k) {
  RDX_SCOPED(rdx_equal_rows_drop) rdx_equal_rows equal = {0};
  uint32_t *columns = NULL;
  RDX_TRY(find_equal(c, k, &columns, &equal));
  for (uint64_t i = 0; i < rdx_table_rows(c->of->rows); i++)
    if (equal.old[i] != RDX_NO_ROW || (equal.first[i] != RDX_NO_ROW && equal.first[i] != i))
      return fail_key(c, k, columns, i);
  return RDX_OK;
}

/* Whether what a constraint reads may have changed. */
static rdx_status is_touched(checking *c, const rdx_sql_constraint *k, bool *out) {
  bool *reads = NULL;
  *out = !c->of->changed;
  if (*out)
    return RDX_OK;
  RDX_TRY(rdx_constraint_reads(k, &c->row, &c->arena, &reads, c->err));
  for (uint32_t i = 0; i < c->row.count; i++)
    *out |= reads[i] && c->of->changed[i];
  return RDX_OK;
}

typedef struct check_job {
  checking *checking;
  const rdx_sql_constraint *constraint;
} check_job;

static rdx_status check_deep(void *context, rdx_error *err) {
  const check_job *j = context;
  (void)err; /* that of `checking` */
  return check_condition(j->checking, j->constraint);
}

static rdx_status check_all(checking *c, const rdx_sql_constraint *list, uint32_t count) {
  for (uint32_t keys = 0; keys < (c->of->only_checks ? 1 : 2); keys++) /* CHECK comes first */
    for (uint32_t i = 0; i < count; i++) {
      const rdx_sql_constraint *k = &list[i];
      bool touched = false;
      if ((k->kind != RDX_CONSTRAINT_CHECK) != keys || (alters(c) && k->place == 0))
        continue;
      RDX_TRY(is_touched(c, k, &touched));
      if (touched)
        RDX_TRY(keys                                 ? check_unique(c, k)
                : k->levels > RDX_SQL_SHALLOW_LEVELS ? rdx_run_deep(check_deep, &(check_job){c, k}, c->err)
                                                     : check_condition(c, k));
    }
  return RDX_OK;
}

static rdx_status start(checking *c, const rdx_constrained_rows *of, rdx_error *err) {
  const rdx_statement *s = of->statement;
  rdx_database *d = s->database;
  *c = (checking){.of = of,
                  .execution = {.catalog = d->catalog,
                                .device = d->device,
                                .pool = d->pool,
                                .settings = &s->prepared->planned,
                                .text = s->prepared->text},
                  .err = err};
  c->execution.arena = &c->arena;
  return rdx_constraints_row(&c->arena, of->table, of->rows, &c->row, err);
}

static void end(checking *c) {
  rdx_arena_free(&c->arena);
}

rdx_status rdx_constraints_check_list(const rdx_constrained_rows *of, const rdx_constraints *list, rdx_error *err) {
  RDX_SCOPED(end) checking c = {0};
  RDX_TRY(start(&c, of, err));
  return check_all(&c, list->list, list->count);
}

rdx_status rdx_constraint_find_equal(const rdx_constrained_rows *of, const rdx_sql_constraint *key, rdx_equal_rows *out,
                                     rdx_error *err) {
  RDX_SCOPED(end) checking c = {0};
  uint32_t *columns = NULL;
  RDX_TRY(start(&c, of, err));
  return find_equal(&c, key, &columns, out);
}

rdx_status rdx_constraints_check(const rdx_constrained_rows *of, const char *constraints, rdx_error *err) {
  RDX_SCOPED(rdx_arena_free) rdx_arena arena = {0};
  rdx_constraints list = {0};
  RDX_TRY(rdx_sql_parse_constraints(constraints, &arena, &list.list, &list.count, err));
  return list.count > 0 ? rdx_constraints_check_list(of, &list, err) : RDX_OK;
}
