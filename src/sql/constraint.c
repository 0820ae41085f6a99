/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* What CREATE TABLE and ALTER TABLE say of tables: PRIMARY KEY, UNIQUE, CHECK; and GENERATED of columns. Expressions
 * are kept as their texts. */

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "sql/tree.h"

/* What stands in parentheses behind a word, CHECK or AS, with them. */
static rdx_status copy_expression(const rdx_tree *t, int32_t location, const char *word, const char **out) {
  rdx_token k = rdx_token_at(t->text->begin + location);
  while (k.kind != RDX_TOKEN_END && !rdx_token_is(&k, word))
    k = rdx_token_at(k.end);
  k = rdx_token_at(k.end);
  const char *begin = k.begin;
  char *copy = NULL;
  for (uint32_t open = 0; k.kind != RDX_TOKEN_END; k = rdx_token_at(k.end)) {
    open += *k.begin == '(' && k.kind == RDX_TOKEN_OTHER;
    open -= *k.begin == ')' && k.kind == RDX_TOKEN_OTHER;
    if (open == 0)
      break;
  }
  RDX_TRY(rdx_tree_alloc(t, (size_t)(k.end - begin) + 1, 1, (void **)&copy));
  memcpy(copy, begin, (size_t)(k.end - begin));
  *out = copy;
  return RDX_OK;
}

static rdx_status take_expression(rdx_tree *t, const PgQuery__Constraint *k, const char *word,
                                  rdx_sql_constraint *out) {
  RDX_TRY(copy_expression(t, k->location, word, &out->check_text));
  RDX_TRY(rdx_tree_expression(t, k->raw_expr, &out->check));
  out->levels = t->deepest;
  return RDX_OK;
}

rdx_status rdx_tree_generated(rdx_tree *t, const PgQuery__Constraint *k, rdx_sql_constraint *out) {
  *out = (rdx_sql_constraint){.kind = RDX_CONSTRAINT_GENERATED, .place = rdx_tree_place(t, k->location)};
  return take_expression(t, k, "as", out);
}

static rdx_status take_check(rdx_tree *t, const PgQuery__Constraint *k, rdx_sql_constraint *out) {
  out->kind = RDX_CONSTRAINT_CHECK;
  RDX_TRY(rdx_tree_refuse_if(t, k->is_no_inherit, out->place, "NO INHERIT is not supported"));
  RDX_TRY(
      rdx_tree_refuse_if(t, k->skip_validation, out->place, "NOT VALID is not supported: a constraint is of all rows"));
  return take_expression(t, k, "check", out);
}

static rdx_status take_key(rdx_tree *t, const PgQuery__Constraint *k, rdx_sql_constraint *out) {
  const bool primary = k->contype == PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY;
  out->kind = primary ? RDX_CONSTRAINT_PRIMARY_KEY : RDX_CONSTRAINT_UNIQUE;
  RDX_TRY(rdx_tree_refuse_if(t, k->nulls_not_distinct, out->place, "NULLS NOT DISTINCT is not supported"));
  RDX_TRY(rdx_tree_refuse_if(t, k->deferrable || k->initdeferred, out->place,
                             "DEFERRABLE is not supported: constraints hold after each statement"));
  RDX_TRY(rdx_tree_refuse_if(t, k->indexname[0] != '\0', out->place,
                             "USING INDEX is not supported: write the columns, as in UNIQUE (a, b)"));
  RDX_TRY(rdx_tree_refuse_if(t, k->n_including > 0 || k->n_options > 0 || k->indexspace[0], out->place,
                             "a key has columns only; other options are not supported"));
  return k->n_keys > 0 ? rdx_tree_names(t, k->n_keys, k->keys, &out->columns, &out->column_count) : RDX_OK;
}

rdx_status rdx_tree_constraint(rdx_tree *t, const PgQuery__Constraint *k, const char *column, rdx_sql_constraint *out) {
  out->place = rdx_tree_place(t, k->location);
  RDX_TRY(rdx_tree_name(t, k->conname, &out->name));
  if (column) {
    RDX_TRY(rdx_tree_alloc(t, 1, sizeof *out->columns, (void **)&out->columns));
    out->columns[out->column_count++] = column;
  }
  switch (k->contype) {
  case PG_QUERY__CONSTR_TYPE__CONSTR_CHECK:
    return take_check(t, k, out);
  case PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY:
  case PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE:
    return take_key(t, k, out);
  case PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN:
    return rdx_sql_error(t->err, RDX_ERROR_UNSUPPORTED, t->text->text, out->place,
                         "leave it out, and ask for rows without a partner by NOT EXISTS",
                         "REFERENCES and FOREIGN KEY are not supported");
  case PG_QUERY__CONSTR_TYPE__CONSTR_EXCLUSION:
    return rdx_tree_refuse(t, out->place, "EXCLUDE is not supported");
  default:
    return rdx_tree_refuse(t, out->place, "DEFERRABLE is not supported: constraints hold after each statement");
  }
}

static bool has_column(const char *const *columns, uint32_t count, const char *name) {
  for (uint32_t i = 0; i < count; i++)
    if (strcasecmp(columns[i], name) == 0)
      return true;
  return false;
}

bool rdx_sql_conflict_is_of(const rdx_sql_conflict *c, const rdx_sql_constraint *k) {
  if (k->check)
    return false;
  if (c->constraint)
    return strcmp(c->constraint, k->name) == 0;
  bool same = true;
  for (uint32_t i = 0; i < k->column_count && c->column_count > 0; i++)
    same &= has_column(c->columns, c->column_count, k->columns[i]);
  for (uint32_t i = 0; i < c->column_count; i++)
    same &= has_column(k->columns, k->column_count, c->columns[i]);
  return same;
}

/* ---- Texts ---- */

static void put_constraint(rdx_printed *to, const rdx_sql_constraint *k) {
  rdx_print(to, "CONSTRAINT ");
  rdx_print_quoted(to, k->name, '"');
  if (k->kind == RDX_CONSTRAINT_CHECK) {
    rdx_print(to, " CHECK %s", k->check_text);
    return;
  }
  rdx_print(to, k->kind == RDX_CONSTRAINT_UNIQUE ? " UNIQUE (" : " PRIMARY KEY (");
  for (uint32_t i = 0; i < k->column_count; i++) {
    rdx_print(to, i > 0 ? ", " : "");
    rdx_print_quoted(to, k->columns[i], '"');
  }
  rdx_print(to, ")");
}

rdx_status rdx_sql_declare_constraints(const rdx_sql_constraint *list, uint32_t count, rdx_arena *arena,
                                       const char **out, rdx_error *err) {
  RDX_SCOPED(rdx_printed_free) rdx_printed text = {.err = err};
  *out = NULL;
  if (count == 0)
    return RDX_OK;
  for (uint32_t i = 0; i < count; i++) {
    rdx_print(&text, i > 0 ? ",\n  " : "");
    put_constraint(&text, &list[i]);
  }
  RDX_TRY(text.status);
  return rdx_arena_text(arena, text.data, "a constraint", out, err);
}

/* ---- Names of columns in expressions ---- */

/* The tokens of a column: U&"name" UESCAPE 'x', or a name by itself. */
static const char *skip_name(const rdx_token *name) {
  const rdx_token escape = rdx_token_at(name->end);
  return rdx_token_is(&escape, "uescape") ? rdx_token_at(escape.end).end : name->end;
}

/* The name of the column that begins at `text`, behind those of its table and schema. */
static rdx_token last_name(const char *text) {
  rdx_token k = rdx_token_at(text);
  for (;;) {
    const rdx_token point = rdx_token_at(skip_name(&k));
    if (point.kind != RDX_TOKEN_OTHER || *point.begin != '.')
      return k;
    k = rdx_token_at(point.end);
  }
}

/* A column of a text that has another name. */
typedef struct renamed {
  const char *begin, *end, *to;
} renamed;

typedef struct renaming {
  rdx_sql_constraint *check;
  rdx_arena *arena;
  rdx_name_of_column name;
  const void *user;
  const char *text;
  renamed *list; /* NULL: they are counted */
  size_t count;
} renaming;

static void list_renamed(renaming *r, const rdx_ast *ast) {
  const char *to = ast->kind == RDX_AST_COLUMN ? r->name(r->user, ast->name) : NULL;
  const bool counts = to && (strcmp(to, ast->name) != 0 || ast->qualifier);
  if (counts && r->list) {
    const char *begin = r->text + ast->place - 1; /* its table may get another name */
    const rdx_token k = last_name(begin);
    r->list[r->count] = (renamed){begin, skip_name(&k), to};
  }
  r->count += counts;
  for (uint32_t i = 0; i < ast->count; i++)
    list_renamed(r, ast->args[i]);
}

static int compare_places(const void *a, const void *b) {
  const char *left = ((const renamed *)a)->begin, *right = ((const renamed *)b)->begin;
  return (left > right) - (left < right);
}

/* A column may be in the tree twice, as that of BETWEEN SYMMETRIC is. */
static rdx_status write_renamed(const renaming *r, const char *from, rdx_arena *arena, const char **out,
                                rdx_error *err) {
  RDX_SCOPED(rdx_printed_free) rdx_printed text = {.err = err};
  for (size_t i = 0; i < r->count; i++) {
    if (r->list[i].begin < from)
      continue;
    rdx_print(&text, "%.*s", (int)(r->list[i].begin - from), from);
    rdx_print_quoted(&text, r->list[i].to, '"');
    from = r->list[i].end;
  }
  rdx_print(&text, "%s", from);
  RDX_TRY(text.status);
  return rdx_arena_text(arena, text.data, "a constraint", out, err);
}

static rdx_status rename_check(void *context, rdx_error *err) {
  renaming *r = context;
  RDX_SCOPED(rdx_printed_free) rdx_printed text = {.err = err};
  rdx_sql_constraint *k = r->check;
  rdx_sql_statement *s = NULL;
  const char *next = NULL;
  list_renamed(r, k->check);
  if (r->count == 0)
    return RDX_OK;
  rdx_print(&text, "SELECT %s", k->check_text);
  RDX_TRY(text.status);
  RDX_TRY(rdx_sql_parse(text.data, r->arena, &s, &next, err));
  r->count = 0; /* the text may name columns more exactly than what was parsed before */
  list_renamed(r, s->query->targets[0].value);
  RDX_TRY(rdx_arena_alloc(r->arena, r->count, sizeof *r->list, "a constraint", (void **)&r->list, err));
  r->text = text.data;
  r->count = 0;
  list_renamed(r, s->query->targets[0].value);
  qsort(r->list, r->count, sizeof *r->list, compare_places);
  return write_renamed(r, text.data + strlen("SELECT "), r->arena, &k->check_text, err);
}

rdx_status rdx_sql_check_rename(rdx_sql_constraint *k, rdx_name_of_column name, const void *user, rdx_arena *arena,
                                rdx_error *err) {
  renaming r = {.check = k, .arena = arena, .name = name, .user = user};
  return k->levels > RDX_SQL_SHALLOW_LEVELS ? rdx_run_deep(rename_check, &r, err) : rename_check(&r, err);
}

void rdx_tree_drop_qualifiers(rdx_ast *ast) {
  ast->qualifier = NULL;
  for (uint32_t i = 0; i < ast->count; i++)
    rdx_tree_drop_qualifiers(ast->args[i]);
}

rdx_status rdx_sql_parse_constraints(const char *text, rdx_arena *arena, rdx_sql_constraint **out, uint32_t *count,
                                     rdx_error *err) {
  static const char format[] = "CREATE TABLE t (%s)";
  rdx_sql_statement *s = NULL;
  char *written = NULL;
  *out = NULL;
  *count = 0;
  if (!text)
    return RDX_OK;
  RDX_TRY(rdx_arena_alloc(arena, strlen(text) + sizeof format, 1, "a constraint", (void **)&written, err));
  snprintf(written, strlen(text) + sizeof format, format, text);
  RDX_TRY(rdx_sql_parse_placeless(written, arena, &s, err));
  if (!s || s->kind != RDX_STATEMENT_CREATE_TABLE || s->column_count > 0)
    return rdx_fail(err, RDX_ERROR_FORMAT, "a table is declared with %.200s, which is no constraint", text);
  *out = s->constraints;
  *count = s->constraint_count;
  for (uint32_t i = 0; i < *count; i++)
    if (s->constraints[i].check)
      rdx_tree_drop_qualifiers(s->constraints[i].check);
  return RDX_OK;
}
