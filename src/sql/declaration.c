/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* What CREATE TABLE and ALTER TABLE say of columns: names, types, NOT NULL, DEFAULT, GENERATED. Expressions are kept as
 * their texts. */

#include <stdio.h>

#include "sql/tree.h"

typedef rdx_tree_node node;

/* ---- The text of DEFAULT ---- */

static bool is_sign(const rdx_token *k, const char *signs) {
  return k->kind == RDX_TOKEN_OTHER && strchr(signs, *k->begin);
}

/* Words that may stand behind DEFAULT's expression, but not in it outside of parentheses. */
static bool begins_constraint(const rdx_token *k) {
  static const char *const words[] = {"not",       "null",    "constraint", "check",      "unique",    "primary",
                                      "generated", "default", "collate",    "references", "initially", "deferrable"};
  for (size_t i = 0; i < RDX_COUNT(words); i++)
    if (rdx_token_is(k, words[i]))
      return true;
  return false;
}

/* The expression that begins at `text`: it ends with the column. */
static rdx_status copy_expression(const rdx_tree *t, const char *text, const char **out) {
  const rdx_token first = rdx_token_at(text);
  const char *end = first.begin;
  uint32_t open = 0;
  bool distinct = false; /* behind IS, where NOT is part of IS NOT DISTINCT FROM */
  for (rdx_token k = first; k.kind != RDX_TOKEN_END && k.begin < t->text->end; k = rdx_token_at(k.end)) {
    const bool closes = is_sign(&k, ")]");
    if (open == 0 && (closes || is_sign(&k, ",;") || (end > first.begin && !distinct && begins_constraint(&k))))
      break;
    open += is_sign(&k, "([");
    open -= closes;
    distinct = rdx_token_is(&k, "is");
    end = k.end;
  }
  char *copy = NULL;
  RDX_TRY(rdx_tree_alloc(t, (size_t)(end - first.begin) + 1, 1, (void **)&copy));
  memcpy(copy, first.begin, (size_t)(end - first.begin));
  *out = copy;
  return RDX_OK;
}

/* What stands behind SET DEFAULT, the one that `count` others are before. */
static const char *find_set_default(const rdx_tree *t, uint32_t count) {
  uint32_t open = 0;
  bool sets = false;
  for (rdx_token k = rdx_token_at(t->text->begin); k.kind != RDX_TOKEN_END; k = rdx_token_at(k.end)) {
    if (open == 0 && sets && rdx_token_is(&k, "default") && count-- == 0)
      return k.end;
    open += is_sign(&k, "([");
    open -= is_sign(&k, ")]");
    sets = rdx_token_is(&k, "set");
  }
  return t->text->end;
}

/* ---- Columns ---- */

/* Those of the table, and what says nothing that is not so. */
static rdx_status take_other(rdx_tree *t, const PgQuery__Constraint *k, rdx_sql_column *out) {
  if (k->contype == PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_NOT_DEFERRABLE ||
      k->contype == PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_IMMEDIATE)
    return RDX_OK;
  return rdx_tree_constraint(t, k, out->name, &out->constraints[out->constraint_count++]);
}

static rdx_status fail_twice(const rdx_tree *t, rdx_sql_place place, const char *what, const char *column) {
  return rdx_sql_error(t->err, RDX_ERROR_FORMAT, t->text->text, place, NULL, "%s for column \"%.100s\"", what, column);
}

static rdx_status take_constraint(rdx_tree *t, const PgQuery__Constraint *k, rdx_sql_column *out) {
  const rdx_sql_place place = rdx_tree_place(t, k->location);
  switch (k->contype) {
  case PG_QUERY__CONSTR_TYPE__CONSTR_NULL:
  case PG_QUERY__CONSTR_TYPE__CONSTR_NOTNULL:
    out->nullable |= k->contype == PG_QUERY__CONSTR_TYPE__CONSTR_NULL;
    out->not_null |= k->contype == PG_QUERY__CONSTR_TYPE__CONSTR_NOTNULL;
    return out->nullable && out->not_null ? fail_twice(t, place, "conflicting NULL/NOT NULL declarations", out->name)
                                          : RDX_OK;
  case PG_QUERY__CONSTR_TYPE__CONSTR_DEFAULT:
    if (out->value)
      return fail_twice(t, place, "multiple default values specified", out->name);
    RDX_TRY(copy_expression(t, rdx_token_at(t->text->begin + k->location).end, &out->value_text));
    return rdx_tree_expression(t, k->raw_expr, &out->value);
  case PG_QUERY__CONSTR_TYPE__CONSTR_GENERATED:
    if (out->generated)
      return fail_twice(t, place, "multiple generation clauses specified", out->name);
    RDX_TRY(rdx_tree_alloc(t, 1, sizeof *out->generated, (void **)&out->generated));
    return rdx_tree_generated(t, k, out->generated);
  case PG_QUERY__CONSTR_TYPE__CONSTR_IDENTITY:
    if (out->identity)
      return fail_twice(t, place, "multiple identity specifications", out->name);
    return rdx_tree_identity(t, k, &out->identity);
  default:
    return take_other(t, k, out);
  }
}

/* A column has one source of values; numbers are not NULL. */
static rdx_status check_values(const rdx_tree *t, rdx_sql_column *c) {
  if (c->value && c->generated)
    return fail_twice(t, c->generated->place, "both default and generation expression specified", c->name);
  if (!c->identity)
    return RDX_OK;
  if (c->value || c->generated)
    return fail_twice(t, c->identity->place,
                      c->value ? "both default and identity specified"
                               : "both identity and generation expression specified",
                      c->name);
  if (c->nullable)
    return fail_twice(t, c->identity->place, "conflicting NULL/NOT NULL declarations", c->name);
  c->not_null = true;
  return RDX_OK;
}

/* What a column is stored as has a name of its own from PostgreSQL 16 on. */
static bool has_storage(const PgQuery__ColumnDef *c) {
#if PG_VERSION_NUM >= 160000
  if (c->storage_name[0])
    return true;
#endif
  return c->storage[0] || c->compression[0];
}

rdx_status rdx_tree_column(rdx_tree *t, const node *n, rdx_sql_column *out) {
  if (n->node_case != PG_QUERY__NODE__NODE_COLUMN_DEF)
    return rdx_tree_refuse(t, 0, "LIKE is not supported in CREATE TABLE");
  const PgQuery__ColumnDef *c = n->column_def;
  rdx_tree_type type;
  out->place = rdx_tree_place(t, c->location);
  RDX_TRY(rdx_tree_refuse_if(t, c->coll_clause != NULL, out->place, "collations are not supported"));
  RDX_TRY(rdx_tree_refuse_if(t, has_storage(c) || c->n_fdwoptions > 0, out->place,
                             "a column has a name and a type; other options are not supported"));
  RDX_TRY(rdx_tree_take_type(t, c->type_name, &type));
  RDX_TRY(rdx_tree_name(t, c->colname, &out->name));
  RDX_TRY(rdx_tree_serial(t, &type.name, out->place, &out->identity));
  RDX_TRY(rdx_tree_refuse_if(t, type.field != NULL, type.place, "fields of intervals are not supported here"));
  const bool rounds = strncmp(type.name, "timestamp", 9) == 0 && type.modifier_count > 0 && type.modifiers[0] < 6;
  RDX_TRY(rdx_tree_refuse_if(t, rounds, type.place,
                             "a column of timestamps with fewer than six digits of seconds is not supported"));
  out->type = type.name;
  out->modifier_count = type.modifier_count;
  memcpy(out->modifiers, type.modifiers, sizeof type.modifiers);
  RDX_TRY(rdx_tree_alloc(t, c->n_constraints, sizeof *out->constraints, (void **)&out->constraints));
  for (size_t i = 0; i < c->n_constraints; i++)
    RDX_TRY(take_constraint(t, c->constraints[i]->constraint, out));
  return check_values(t, out);
}

rdx_status rdx_tree_set_default(rdx_tree *t, const node *value, uint32_t number, rdx_sql_column *out) {
  if (!value)
    return RDX_OK;
  RDX_TRY(copy_expression(t, find_set_default(t, number), &out->value_text));
  return rdx_tree_expression(t, value, &out->value);
}

/* ---- Declarations ---- */

static const struct limited {
  const char *name, *word; /* PostgreSQL's, as a declaration has it, and as messages have it */
  const char *title;
  uint32_t modifiers; /* that it may have */
  int32_t all;        /* the limit that all columns have; -1: none */
} limited[] = {{"varchar", "varchar", "character varying", 1, -1},
               {"bpchar", "char", "character", 1, -1},
               {"numeric", "numeric", "numeric", 2, 18}};

static const struct limited *find_limited(const rdx_sql_column *c) {
  for (size_t i = 0; i < RDX_COUNT(limited) && c->type && c->modifier_count > 0; i++)
    if (strcmp(c->type, limited[i].name) == 0 && c->modifier_count <= limited[i].modifiers &&
        c->modifiers[0] != limited[i].all)
      return &limited[i];
  return NULL;
}

int32_t rdx_sql_column_limit(const rdx_sql_column *c, const char **title) {
  const struct limited *l = find_limited(c);
  *title = l ? l->title : NULL;
  return l ? c->modifiers[0] : 0;
}

#define IDENTITY_SIZE 320 /* of its text */

/* "AS IDENTITY" with what is not as it is by itself. */
static void write_identity(const rdx_sql_identity *d, char to[IDENTITY_SIZE]) {
  const struct {
    const char *word;
    rdx_i128 number;
    bool is;
  } options[] = {{"START WITH", d->start, d->start != rdx_sql_default_start(d)},
                 {"INCREMENT BY", d->increment, d->increment != 1},
                 {"MINVALUE", d->min, d->has_min},
                 {"MAXVALUE", d->max, d->has_max},
                 {"RESTART WITH", d->next, d->next != d->start}};
  char number[44];
  const char *before = " (";
  int end = snprintf(to, IDENTITY_SIZE, "GENERATED %s AS IDENTITY", d->always ? "ALWAYS" : "BY DEFAULT");
  for (size_t i = 0; i < RDX_COUNT(options); i++) {
    if (!options[i].is)
      continue;
    end += snprintf(to + end, (size_t)(IDENTITY_SIZE - end), "%s%s %s", before, options[i].word,
                    rdx_sql_number_text(options[i].number, number));
    before = " ";
  }
  if (d->cycles)
    end += snprintf(to + end, (size_t)(IDENTITY_SIZE - end), "%sCYCLE", before);
  if (d->cycles || strcmp(before, " ") == 0)
    snprintf(to + end, (size_t)(IDENTITY_SIZE - end), ")");
}

rdx_status rdx_sql_declare(const rdx_sql_column *c, rdx_arena *arena, const char **out, rdx_error *err) {
  const struct limited *l = find_limited(c);
  char *text = NULL, limit[32] = "", identity[IDENTITY_SIZE] = "";
  if (c->identity)
    write_identity(c->identity, identity);
  const char *value = c->value ? c->value_text : c->generated ? c->generated->check_text : identity;
  const size_t size = strlen(value) + 96;
  *out = NULL;
  if (!c->not_null && !*value && !l)
    return RDX_OK;
  if (l && l->modifiers == 2)
    snprintf(limit, sizeof limit, "%s(%d,%d) ", l->word, (int)c->modifiers[0], (int)c->modifiers[1]);
  else if (l)
    snprintf(limit, sizeof limit, "%s(%d) ", l->word, (int)c->modifiers[0]);
  RDX_TRY(rdx_arena_alloc(arena, size, 1, "a declaration", (void **)&text, err));
  snprintf(text, size, "%s%s%s%s%s", limit, c->not_null ? "NOT NULL " : "",
           c->value       ? "DEFAULT "
           : c->generated ? "GENERATED ALWAYS AS "
                          : "",
           value, c->generated ? " STORED" : "");
  if (!*value)
    text[strlen(text) - 1] = '\0';
  *out = text;
  return RDX_OK;
}

/* Whether it begins with a type, which it does where that has a limit. */
static bool has_type(const char *declaration) {
  const rdx_token first = rdx_token_at(declaration);
  bool has = false;
  for (size_t i = 0; i < RDX_COUNT(limited); i++)
    has |= rdx_token_is(&first, limited[i].word);
  return has;
}

rdx_status rdx_sql_parse_declaration(const char *declaration, rdx_arena *arena, rdx_sql_column *out, rdx_error *err) {
  static const char format[] = "CREATE TABLE t (c %s%s)", untyped[] = "int ";
  rdx_sql_statement *s = NULL;
  char *text = NULL;
  *out = (rdx_sql_column){0};
  if (!declaration)
    return RDX_OK;
  const size_t size = strlen(declaration) + sizeof format + sizeof untyped;
  RDX_TRY(rdx_arena_alloc(arena, size, 1, "a declaration", (void **)&text, err));
  snprintf(text, size, format, has_type(declaration) ? "" : untyped, declaration);
  RDX_TRY(rdx_sql_parse_placeless(text, arena, &s, err));
  if (!s || s->kind != RDX_STATEMENT_CREATE_TABLE || s->column_count != 1)
    return rdx_fail(err, RDX_ERROR_FORMAT, "a column is declared as %.200s, which is no declaration", declaration);
  *out = s->columns[0];
  out->levels = s->levels;
  if (out->generated)
    rdx_tree_drop_qualifiers(out->generated->check);
  return RDX_OK;
}
