/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Statements: libpg_query makes a tree of the text, of which the part that is supported is taken over. */

#include <ctype.h>
#include <stdio.h>
#include <strings.h>

#include "base/words.h"
#include "sql/tree.h"

/* Levels in tokens that are parsed on the caller's stack, of which each takes up to 2 KiB; deeper statements get a
 * thread with a stack of their own, up to the limit. */
#define SHALLOW_LEVELS 200
#define MAX_TOKEN_LEVELS 20000

typedef rdx_tree_node node;

static rdx_status take_statement(rdx_tree *t, const node *n, rdx_sql_statement **out);

static rdx_status take_query_node(rdx_tree *t, const node *n, rdx_sql_place place, rdx_sql_query **out) {
  RDX_TRY(rdx_tree_refuse_if(t, !n || n->node_case != PG_QUERY__NODE__NODE_SELECT_STMT, place,
                             "only a query can stand here"));
  return rdx_tree_query(t, n->select_stmt, out);
}

/* ---- Options ---- */

/* What an option is set to, as a text; NULL: no text can say it. */
static const char *option_text(const node *n, char scratch[32]) {
  switch (n->node_case) {
  case PG_QUERY__NODE__NODE_STRING:
    return n->string->sval;
  case PG_QUERY__NODE__NODE_FLOAT:
    return n->float_->fval;
  case PG_QUERY__NODE__NODE_INTEGER:
    snprintf(scratch, 32, "%d", n->integer->ival);
    return scratch;
  case PG_QUERY__NODE__NODE_BOOLEAN:
    return n->boolean->boolval ? "true" : "false";
  case PG_QUERY__NODE__NODE_A_STAR:
    return "*";
  case PG_QUERY__NODE__NODE_TYPE_NAME: /* a word */
    return n->type_name->n_names == 0 ? NULL : rdx_tree_string(n->type_name->names[n->type_name->n_names - 1]);
  default:
    return NULL;
  }
}

static rdx_status take_option(const rdx_tree *t, const PgQuery__DefElem *d, rdx_sql_option *out) {
  node *const *nodes = &d->arg;
  size_t count = d->arg ? 1 : 0;
  out->place = rdx_tree_place(t, d->location);
  RDX_TRY(rdx_tree_refuse_if(t, d->defnamespace[0] != '\0', out->place, "options of a namespace are not supported"));
  RDX_TRY(rdx_tree_name(t, d->defname, &out->name));
  if (d->arg && d->arg->node_case == PG_QUERY__NODE__NODE_LIST) {
    nodes = d->arg->list->items;
    count = d->arg->list->n_items;
  }
  RDX_TRY(rdx_tree_alloc(t, count, sizeof *out->values, (void **)&out->values));
  for (size_t i = 0; i < count; i++) {
    char scratch[32];
    const char *text = option_text(nodes[i], scratch);
    RDX_TRY(rdx_tree_refuse_if(t, !text, out->place, "the value of this option is not supported"));
    RDX_TRY(rdx_sql_text_name(t->text, text, t->arena, &out->values[out->count++], t->err));
  }
  return RDX_OK;
}

static rdx_status take_options(const rdx_tree *t, size_t count, node *const *options, rdx_sql_statement *out) {
  RDX_TRY(rdx_tree_alloc(t, count, sizeof *out->options, (void **)&out->options));
  for (size_t i = 0; i < count; i++) {
    rdx_sql_option *o = &out->options[i];
    RDX_TRY(take_option(t, options[i]->def_elem, o));
    for (uint32_t before = 0; before < out->option_count; before++)
      if (rdx_words_alike(out->options[before].name, o->name))
        return rdx_sql_error(t->err, RDX_ERROR_ARGUMENT, t->text->text, o->place, NULL,
                             "option %.100s is there more than once", o->name);
    out->option_count++;
  }
  return RDX_OK;
}

static bool is_word(const char *text, const char *const *words) {
  for (; *words; words++)
    if (strcmp(text, *words) == 0)
      return true;
  return false;
}

/* ---- EXPLAIN ---- */

static rdx_status take_explain_option(const rdx_tree *t, const rdx_sql_option *o, rdx_sql_statement *out) {
  static const char *const yes[] = {"true", "on", "1", NULL}, *const no[] = {"false", "off", "0", NULL};
  const char *value = o->count > 0 ? o->values[0] : "";
  if (strcmp(o->name, "analyze") == 0 && (o->count == 0 || is_word(value, yes) || is_word(value, no))) {
    out->analyze = o->count == 0 || is_word(value, yes);
    return RDX_OK;
  }
  if (strcmp(o->name, "format") == 0 && (strcmp(value, "json") == 0 || strcmp(value, "text") == 0)) {
    out->json = strcmp(value, "json") == 0;
    return RDX_OK;
  }
  return rdx_sql_error(t->err, RDX_ERROR_UNSUPPORTED, t->text->text, o->place,
                       "there are ANALYZE and FORMAT TEXT or JSON", "EXPLAIN has no option %.40s%s%.40s", o->name,
                       *value ? " " : "", value);
}

static rdx_status take_explain(rdx_tree *t, const node *n, rdx_sql_statement *out) {
  const PgQuery__ExplainStmt *e = n->explain_stmt;
  out->kind = RDX_STATEMENT_EXPLAIN;
  for (size_t i = 0; i < e->n_options; i++) {
    rdx_sql_option option = {0};
    RDX_TRY(take_option(t, e->options[i]->def_elem, &option));
    RDX_TRY(take_explain_option(t, &option, out));
  }
  return take_statement(t, e->query, &out->inner);
}

/* ---- CREATE, DROP ---- */

/* The name of a table that is created, which may be TEMPORARY. */
static rdx_status take_created(const rdx_tree *t, const PgQuery__RangeVar *r, PgQuery__OnCommitAction on_commit,
                               rdx_sql_statement *out) {
  PgQuery__RangeVar table = *r;
  char lasting[] = "p";
  out->temporary = strcmp(r->relpersistence, "t") == 0;
  if (out->temporary)
    table.relpersistence = lasting;
  RDX_TRY(rdx_tree_refuse_if(t,
                             on_commit == PG_QUERY__ON_COMMIT_ACTION__ONCOMMIT_DELETE_ROWS ||
                                 on_commit == PG_QUERY__ON_COMMIT_ACTION__ONCOMMIT_DROP,
                             rdx_tree_place(t, r->location),
                             "ON COMMIT is not supported, except PRESERVE ROWS: each statement is a transaction"));
  return rdx_tree_table(t, &table, &out->name);
}

static rdx_status take_element(rdx_tree *t, const node *n, rdx_sql_statement *out) {
  return n->node_case == PG_QUERY__NODE__NODE_CONSTRAINT
             ? rdx_tree_constraint(t, n->constraint, NULL, &out->constraints[out->constraint_count++])
             : rdx_tree_column(t, n, &out->columns[out->column_count++]);
}

static rdx_status take_create_table(rdx_tree *t, const node *n, rdx_sql_statement *out) {
  const PgQuery__CreateStmt *c = n->create_stmt;
  const rdx_sql_place place = rdx_tree_place(t, c->relation->location);
  out->kind = RDX_STATEMENT_CREATE_TABLE;
  out->if_not_exists = c->if_not_exists;
  RDX_TRY(take_created(t, c->relation, c->oncommit, out));
  RDX_TRY(rdx_tree_refuse_if(t, c->n_inh_relations > 0, place, "INHERITS is not supported"));
  RDX_TRY(rdx_tree_refuse_if(t, c->partbound || c->partspec, place, "partitions are not supported"));
  RDX_TRY(rdx_tree_refuse_if(t, c->of_typename != NULL, place, "tables of a type are not supported"));
  RDX_TRY(rdx_tree_refuse_if(t, c->n_options > 0 || c->tablespacename[0] || c->access_method[0], place,
                             "a table has columns only; other options are not supported"));
  RDX_TRY(rdx_tree_alloc(t, c->n_table_elts, sizeof *out->columns, (void **)&out->columns));
  RDX_TRY(rdx_tree_alloc(t, c->n_table_elts, sizeof *out->constraints, (void **)&out->constraints));
  for (size_t i = 0; i < c->n_table_elts; i++)
    RDX_TRY(take_element(t, c->table_elts[i], out));
  return RDX_OK;
}

/* CREATE TABLE t (x, y) AS query: SELECT * FROM (query) AS t (x, y). */
static rdx_status name_columns(rdx_tree *t, const PgQuery__IntoClause *into, rdx_sql_statement *out) {
  rdx_from *from = NULL;
  RDX_TRY(rdx_tree_alloc(t, 1, sizeof *from, (void **)&from));
  *from = (rdx_from){.kind = RDX_FROM_QUERY, .place = out->query->place, .query = out->query, .alias = out->name};
  RDX_TRY(rdx_tree_names(t, into->n_col_names, into->col_names, &from->columns, &from->column_count));
  return rdx_tree_all_of(t, from, &out->query);
}

static rdx_status take_create_as(rdx_tree *t, const node *n, rdx_sql_statement *out) {
  const PgQuery__CreateTableAsStmt *c = n->create_table_as_stmt;
  const PgQuery__IntoClause *into = c->into;
  const rdx_sql_place place = rdx_tree_place(t, into->rel->location);
  const bool view = c->objtype == PG_QUERY__OBJECT_TYPE__OBJECT_MATVIEW;
  out->kind = view ? RDX_STATEMENT_CREATE_VIEW : RDX_STATEMENT_CREATE_TABLE_AS;
  out->if_not_exists = c->if_not_exists;
  out->with_data = !into->skip_data;
  RDX_TRY(view ? rdx_tree_table(t, into->rel, &out->name) : take_created(t, into->rel, into->on_commit, out));
  RDX_TRY(rdx_tree_refuse_if(t, into->n_col_names > 0 && view, place,
                             "names of columns are not supported here; give them in the query, with AS"));
  RDX_TRY(rdx_tree_refuse_if(t, into->table_space_name[0] || (!view && (into->n_options > 0 || into->access_method[0])),
                             place, "such options of a table are not supported"));
  RDX_TRY(rdx_tree_name(t, into->access_method, &out->method));
  RDX_TRY(take_options(t, into->n_options, into->options, out));
  RDX_TRY(take_query_node(t, c->query, place, &out->query));
  return into->n_col_names > 0 ? name_columns(t, into, out) : RDX_OK;
}

static rdx_status take_view(rdx_tree *t, const node *n, rdx_sql_statement *out) {
  const PgQuery__ViewStmt *v = n->view_stmt;
  const rdx_sql_place place = rdx_tree_place(t, v->view->location);
  out->kind = RDX_STATEMENT_DEFINE_VIEW;
  out->replaces = v->replace;
  RDX_TRY(rdx_tree_table(t, v->view, &out->name));
  RDX_TRY(rdx_tree_refuse_if(t, v->n_options > 0, place, "options of a view are not supported"));
  RDX_TRY(rdx_tree_refuse_if(t, v->with_check_option > PG_QUERY__VIEW_CHECK_OPTION__NO_CHECK_OPTION, place,
                             "WITH CHECK OPTION is not supported: views are read only"));
  RDX_TRY(rdx_tree_names(t, v->n_aliases, v->aliases, &out->names, &out->name_count));
  return take_query_node(t, v->query, place, &out->query);
}

/* Whether USING is written: without it the tree has a method of PostgreSQL's. */
static bool has_using(const rdx_sql_source *text) {
  for (rdx_token k = rdx_token_at(text->begin); k.begin < text->end && *k.begin != '('; k = rdx_token_at(k.end))
    if (k.kind == RDX_TOKEN_WORD && k.end - k.begin == 5 && strncasecmp(k.begin, "using", 5) == 0)
      return true;
  return false;
}

static rdx_status take_index_column(const rdx_tree *t, const PgQuery__IndexElem *e, rdx_sql_place place,
                                    const char **out) {
  RDX_TRY(rdx_tree_refuse_if(t, e->expr || !e->name[0], place, "indexes of expressions are not supported"));
  RDX_TRY(rdx_tree_refuse_if(t, e->n_collation > 0, place, "collations are not supported"));
  RDX_TRY(rdx_tree_refuse_if(t, e->n_opclass > 0 || e->n_opclassopts > 0, place, "operator classes are not supported"));
  RDX_TRY(rdx_tree_refuse_if(t,
                             e->ordering != PG_QUERY__SORT_BY_DIR__SORTBY_DEFAULT ||
                                 e->nulls_ordering != PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_DEFAULT,
                             place, "orders of an index's columns are not supported"));
  return rdx_tree_name(t, e->name, out);
}

static rdx_status take_create_index(rdx_tree *t, const node *n, rdx_sql_statement *out) {
  const PgQuery__IndexStmt *c = n->index_stmt;
  const rdx_sql_place place = rdx_tree_place(t, c->relation->location);
  out->kind = RDX_STATEMENT_CREATE_INDEX;
  out->if_not_exists = c->if_not_exists;
  RDX_TRY(rdx_tree_refuse_if(t, c->unique, place,
                             "UNIQUE indexes are not supported: ALTER TABLE t ADD UNIQUE (a) keeps values apart"));
  RDX_TRY(rdx_tree_refuse_if(t, c->concurrent, place, "CONCURRENTLY is not supported"));
  RDX_TRY(rdx_tree_refuse_if(t, c->where_clause != NULL, place, "indexes of a part of a table are not supported"));
  RDX_TRY(rdx_tree_refuse_if(t, c->n_index_including_params > 0, place, "INCLUDE is not supported"));
  RDX_TRY(rdx_tree_refuse_if(t, c->table_space[0] || c->nulls_not_distinct, place,
                             "such options of an index are not supported"));
  RDX_TRY(rdx_tree_name(t, c->idxname, &out->name));
  RDX_TRY(rdx_tree_table(t, c->relation, &out->table));
  if (has_using(t->text))
    RDX_TRY(rdx_tree_name(t, c->access_method, &out->method));
  RDX_TRY(take_options(t, c->n_options, c->options, out));
  RDX_TRY(rdx_tree_alloc(t, c->n_index_params, sizeof *out->names, (void **)&out->names));
  for (size_t i = 0; i < c->n_index_params; i++)
    RDX_TRY(take_index_column(t, c->index_params[i]->index_elem, place, &out->names[out->name_count++]));
  return RDX_OK;
}

static rdx_status refuse_statement(const rdx_tree *t);

static rdx_status take_drop(rdx_tree *t, const node *n, rdx_sql_statement *out) {
  const PgQuery__DropStmt *d = n->drop_stmt;
  out->kind = RDX_STATEMENT_DROP;
  out->if_exists = d->missing_ok;
  out->object = d->remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_TABLE     ? "table"
                : d->remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_INDEX   ? "index"
                : d->remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_VIEW    ? "view"
                : d->remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_MATVIEW ? "materialized view"
                                                                          : NULL;
  if (!out->object)
    return refuse_statement(t);
  RDX_TRY(rdx_tree_refuse_if(t, d->behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE, out->place,
                             "CASCADE is not supported"));
  RDX_TRY(rdx_tree_refuse_if(t, d->concurrent, out->place, "CONCURRENTLY is not supported"));
  RDX_TRY(rdx_tree_alloc(t, d->n_objects, sizeof *out->names, (void **)&out->names));
  for (size_t i = 0; i < d->n_objects; i++) {
    const PgQuery__List *list = d->objects[i]->list;
    const char *schema = list->n_items == 2 ? rdx_tree_string(list->items[0]) : "";
    RDX_TRY(rdx_tree_refuse_if(t, list->n_items > 2 || !rdx_tree_is_public(schema), out->place,
                               "schemas are not supported, except public, which all tables are in"));
    RDX_TRY(rdx_tree_name(t, rdx_tree_string(list->items[list->n_items - 1]), &out->names[out->name_count++]));
  }
  return RDX_OK;
}

/* ---- ALTER TABLE ---- */

#define ALTERATIONS                                                                                                    \
  "ALTER TABLE renames, adds and drops: RENAME TO, RENAME, ADD and DROP COLUMN or CONSTRAINT, ALTER COLUMN with SET "  \
  "or DROP DEFAULT or NOT NULL, DROP EXPRESSION, or IDENTITY; nothing else is supported"

static rdx_status take_alteration(rdx_tree *t, size_t count, rdx_sql_statement *out) {
  out->kind = RDX_STATEMENT_ALTER_TABLE;
  out->alteration_count = (uint32_t)count;
  return rdx_tree_alloc(t, count, sizeof *out->alterations, (void **)&out->alterations);
}

static rdx_status take_rename(rdx_tree *t, const node *n, rdx_sql_statement *out) {
  const PgQuery__RenameStmt *r = n->rename_stmt;
  const bool column = r->rename_type == PG_QUERY__OBJECT_TYPE__OBJECT_COLUMN;
  const bool table = r->rename_type == PG_QUERY__OBJECT_TYPE__OBJECT_TABLE;
  const bool constraint = r->rename_type == PG_QUERY__OBJECT_TYPE__OBJECT_TABCONSTRAINT;
  if (!table && !constraint && (!column || r->relation_type != PG_QUERY__OBJECT_TYPE__OBJECT_TABLE))
    return refuse_statement(t);
  RDX_TRY(take_alteration(t, 1, out));
  out->if_exists = r->missing_ok;
  out->alterations->kind = constraint ? RDX_ALTER_RENAME_CONSTRAINT
                           : column   ? RDX_ALTER_RENAME_COLUMN
                                      : RDX_ALTER_RENAME;
  RDX_TRY(rdx_tree_table(t, r->relation, &out->name));
  RDX_TRY(rdx_tree_name(t, r->subname, &out->alterations->name));
  return rdx_tree_name(t, r->newname, &out->alterations->to);
}

/* What a command of ALTER TABLE is; false: it is not supported. */
static bool find_alteration(const PgQuery__AlterTableCmd *c, rdx_alteration_kind *out) {
  switch (c->subtype) {
  case PG_QUERY__ALTER_TABLE_TYPE__AT_AddColumn:
    *out = RDX_ALTER_ADD;
    return true;
  case PG_QUERY__ALTER_TABLE_TYPE__AT_DropColumn:
    *out = RDX_ALTER_DROP;
    return true;
  case PG_QUERY__ALTER_TABLE_TYPE__AT_ColumnDefault:
    *out = RDX_ALTER_DEFAULT;
    return true;
  case PG_QUERY__ALTER_TABLE_TYPE__AT_SetNotNull:
    *out = RDX_ALTER_SET_NOT_NULL;
    return true;
  case PG_QUERY__ALTER_TABLE_TYPE__AT_DropNotNull:
    *out = RDX_ALTER_DROP_NOT_NULL;
    return true;
  case PG_QUERY__ALTER_TABLE_TYPE__AT_AddIdentity:
    *out = RDX_ALTER_ADD_IDENTITY;
    return true;
  case PG_QUERY__ALTER_TABLE_TYPE__AT_SetIdentity:
    *out = RDX_ALTER_SET_IDENTITY;
    return true;
  case PG_QUERY__ALTER_TABLE_TYPE__AT_DropIdentity:
    *out = RDX_ALTER_DROP_IDENTITY;
    return true;
  case PG_QUERY__ALTER_TABLE_TYPE__AT_DropExpression:
    *out = RDX_ALTER_DROP_EXPRESSION;
    return true;
  case PG_QUERY__ALTER_TABLE_TYPE__AT_AddConstraint:
    *out = RDX_ALTER_ADD_CONSTRAINT;
    return true;
  case PG_QUERY__ALTER_TABLE_TYPE__AT_DropConstraint:
    *out = RDX_ALTER_DROP_CONSTRAINT;
    return true;
  default:
    return false;
  }
}

/* RESTART, SET GENERATED and so on. */
static rdx_status take_set_identity(rdx_tree *t, const node *options, rdx_sql_place place, rdx_sql_alteration *out) {
  rdx_sql_identity *identity = NULL;
  RDX_TRY(rdx_tree_alloc(t, 1, sizeof *identity, (void **)&identity));
  *identity = (rdx_sql_identity){.place = place};
  out->column.identity = identity;
  return rdx_tree_identity_options(t, options->list->n_items, options->list->items, identity);
}

static rdx_status take_alter_table(rdx_tree *t, const node *n, rdx_sql_statement *out) {
  const PgQuery__AlterTableStmt *a = n->alter_table_stmt;
  uint32_t defaults = 0; /* that were set */
  if (a->objtype != PG_QUERY__OBJECT_TYPE__OBJECT_TABLE)
    return refuse_statement(t);
  RDX_TRY(take_alteration(t, a->n_cmds, out));
  out->if_exists = a->missing_ok;
  PgQuery__RangeVar table = *a->relation;
  table.inh = true; /* ONLY says nothing: no table inherits */
  RDX_TRY(rdx_tree_table(t, &table, &out->name));
  for (size_t i = 0; i < a->n_cmds; i++) {
    const PgQuery__AlterTableCmd *c = a->cmds[i]->alter_table_cmd;
    rdx_sql_alteration *to = &out->alterations[i];
    RDX_TRY(rdx_tree_refuse_if(t, !find_alteration(c, &to->kind), out->place, ALTERATIONS));
    RDX_TRY(rdx_tree_refuse_if(t, c->behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE, out->place,
                               "CASCADE is not supported"));
    to->conditional = c->missing_ok;
    RDX_TRY(rdx_tree_name(t, c->name, &to->name));
    if (to->kind == RDX_ALTER_ADD)
      RDX_TRY(rdx_tree_column(t, c->def, &to->column));
    if (to->kind == RDX_ALTER_ADD_CONSTRAINT)
      RDX_TRY(rdx_tree_constraint(t, c->def->constraint, NULL, &to->constraint));
    if (to->kind == RDX_ALTER_ADD_IDENTITY)
      RDX_TRY(rdx_tree_identity(t, c->def->constraint, &to->column.identity));
    if (to->kind == RDX_ALTER_SET_IDENTITY)
      RDX_TRY(take_set_identity(t, c->def, out->place, to));
    if (to->kind == RDX_ALTER_DEFAULT)
      RDX_TRY(rdx_tree_set_default(t, c->def, c->def ? defaults++ : 0, &to->column));
  }
  return RDX_OK;
}

/* ---- INSERT, UPDATE, DELETE, TRUNCATE ---- */

/* The table that changes, with its alias, and WITH before it. */
static rdx_status take_target(rdx_tree *t, PgQuery__RangeVar *table, const PgQuery__WithClause *with,
                              rdx_sql_statement *out) {
  node item = PG_QUERY__NODE__INIT;
  item.node_case = PG_QUERY__NODE__NODE_RANGE_VAR;
  item.range_var = table;
  if (with) {
    RDX_TRY(rdx_tree_alloc(t, 1, sizeof *out->with, (void **)&out->with));
    RDX_TRY(rdx_tree_with(t, with, out->with));
  }
  RDX_TRY(rdx_tree_from(t, &item, &out->target));
  out->name = out->target->name;
  return RDX_OK;
}

/* VALUES (DEFAULT): the other columns have none either. */
static rdx_status take_default_values(rdx_tree *t, rdx_sql_place place, rdx_sql_query **out) {
  RDX_TRY(rdx_tree_alloc(t, 1, sizeof **out, (void **)out));
  RDX_TRY(rdx_tree_alloc(t, 1, sizeof(rdx_ast *), (void **)&(*out)->values));
  (*out)->kind = RDX_QUERY_VALUES;
  (*out)->place = place;
  (*out)->row_count = (*out)->width = 1;
  return rdx_tree_call(t, place, "default", 0, (*out)->values);
}

/* Which rows of the target change: it is the first item of FROM, `others` come behind it. */
static rdx_status take_changed(rdx_tree *t, size_t count, node *const *others, const node *condition,
                               rdx_sql_statement *out) {
  rdx_sql_query *q = NULL;
  RDX_TRY(rdx_tree_alloc(t, 1, sizeof *q, (void **)&q));
  RDX_TRY(rdx_tree_alloc(t, count + 1, sizeof(rdx_from *), (void **)&q->from));
  q->kind = RDX_QUERY_SELECT;
  q->place = out->target->place;
  q->from[q->from_count++] = out->target;
  for (size_t i = 0; i < count; i++)
    RDX_TRY(rdx_tree_from(t, others[i], &q->from[q->from_count++]));
  out->query = q;
  return condition ? rdx_tree_expression(t, condition, &q->where) : RDX_OK;
}

/* The value of one column of (columns) = (values): that of a row, or a column of a query, which is asked by itself. */
static rdx_status take_assigned(rdx_tree *t, const PgQuery__MultiAssignRef *r, rdx_sql_place at, rdx_ast **out) {
  const uint32_t i = (uint32_t)r->colno - 1;
  const PgQuery__RowExpr *row = r->source->node_case == PG_QUERY__NODE__NODE_ROW_EXPR ? r->source->row_expr : NULL;
  if (row && row->n_args != (size_t)r->ncolumns)
    return rdx_sql_error(t->err, RDX_ERROR_ARGUMENT, t->text->text, at, NULL,
                         "number of columns does not match number of values");
  if (row && row->args[i]->node_case == PG_QUERY__NODE__NODE_SET_TO_DEFAULT)
    return rdx_tree_call(t, at, "default", 0, out);
  if (row)
    return rdx_tree_expression(t, row->args[i], out);
  RDX_TRY(rdx_tree_expression(t, r->source, out));
  rdx_sql_query *q = (*out)->kind == RDX_AST_SCALAR ? (*out)->query : NULL;
  const bool plain = q && q->kind == RDX_QUERY_SELECT && q->group_count == 0 && q->order_count == 0 && !q->distinct &&
                     q->distinct_on_count == 0;
  RDX_TRY(rdx_tree_refuse_if(t, !plain, at,
                             "(columns) = takes (values), or a query without GROUP BY, ORDER BY and DISTINCT"));
  if (q->target_count != (uint32_t)r->ncolumns)
    return rdx_sql_error(t->err, RDX_ERROR_ARGUMENT, t->text->text, at, NULL,
                         "number of columns does not match number of values");
  q->targets = &q->targets[i];
  q->target_count = 1;
  return RDX_OK;
}

/* SET column = value, ... */
static rdx_status take_assignments(rdx_tree *t, size_t count, node *const *list, rdx_sql_statement *out) {
  out->arg_count = (uint32_t)count;
  RDX_TRY(rdx_tree_alloc(t, count, sizeof *out->names, (void **)&out->names));
  RDX_TRY(rdx_tree_alloc(t, count, sizeof(rdx_ast *), (void **)&out->args));
  for (size_t i = 0; i < count; i++) {
    const PgQuery__ResTarget *set = list[i]->res_target;
    const rdx_sql_place at = rdx_tree_place(t, set->location);
    RDX_TRY(rdx_tree_refuse_if(t, set->n_indirection > 0, at, "parts of columns are not supported"));
    RDX_TRY(rdx_tree_name(t, set->name, &out->names[out->name_count++]));
    if (set->val->node_case == PG_QUERY__NODE__NODE_SET_TO_DEFAULT)
      RDX_TRY(rdx_tree_call(t, at, "default", 0, &out->args[i]));
    else if (set->val->node_case == PG_QUERY__NODE__NODE_MULTI_ASSIGN_REF)
      RDX_TRY(take_assigned(t, set->val->multi_assign_ref, at, &out->args[i]));
    else
      RDX_TRY(rdx_tree_expression(t, set->val, &out->args[i]));
  }
  return RDX_OK;
}

/* What ON CONFLICT says of the key. */
static rdx_status take_inference(rdx_tree *t, const PgQuery__InferClause *i, rdx_sql_conflict *out) {
  RDX_TRY(rdx_tree_refuse_if(t, i->where_clause != NULL, out->place, "WHERE of a key is not supported in ON CONFLICT"));
  RDX_TRY(rdx_tree_name(t, i->conname, &out->constraint));
  RDX_TRY(rdx_tree_alloc(t, i->n_index_elems, sizeof *out->columns, (void **)&out->columns));
  for (size_t k = 0; k < i->n_index_elems; k++)
    RDX_TRY(take_index_column(t, i->index_elems[k]->index_elem, out->place, &out->columns[out->column_count++]));
  return RDX_OK;
}

static rdx_status take_conflict(rdx_tree *t, const PgQuery__OnConflictClause *c, rdx_sql_statement *out) {
  rdx_sql_statement *update = NULL;
  RDX_TRY(rdx_tree_alloc(t, 1, sizeof *out->conflict, (void **)&out->conflict));
  out->conflict->place = rdx_tree_place(t, c->location);
  if (c->infer)
    RDX_TRY(take_inference(t, c->infer, out->conflict));
  if (c->action == PG_QUERY__ON_CONFLICT_ACTION__ONCONFLICT_NOTHING)
    return RDX_OK;
  if (!c->infer)
    return rdx_sql_error(t->err, RDX_ERROR_FORMAT, t->text->text, out->conflict->place,
                         "name its columns: ON CONFLICT (column)", "ON CONFLICT DO UPDATE needs a key");
  RDX_TRY(rdx_tree_alloc(t, 1, sizeof *update, (void **)&update));
  update->kind = RDX_STATEMENT_UPDATE;
  update->name = out->name;
  out->conflict->update = update;
  RDX_TRY(take_assignments(t, c->n_target_list, c->target_list, update));
  return c->where_clause ? rdx_tree_expression(t, c->where_clause, &out->conflict->where) : RDX_OK;
}

static rdx_overriding overriding_of(PgQuery__OverridingKind kind) {
  return kind == PG_QUERY__OVERRIDING_KIND__OVERRIDING_USER_VALUE     ? RDX_OVERRIDING_USER
         : kind == PG_QUERY__OVERRIDING_KIND__OVERRIDING_SYSTEM_VALUE ? RDX_OVERRIDING_SYSTEM
                                                                      : RDX_OVERRIDING_NOTHING;
}

static rdx_status take_insert(rdx_tree *t, const node *n, rdx_sql_statement *out) {
  const PgQuery__InsertStmt *s = n->insert_stmt;
  const rdx_sql_place place = rdx_tree_place(t, s->relation->location);
  out->kind = RDX_STATEMENT_INSERT;
  out->overriding = overriding_of(s->override);
  RDX_TRY(take_target(t, s->relation, s->with_clause, out));
  RDX_TRY(rdx_tree_alloc(t, s->n_cols, sizeof *out->names, (void **)&out->names));
  for (size_t i = 0; i < s->n_cols; i++) {
    const PgQuery__ResTarget *column = s->cols[i]->res_target;
    RDX_TRY(rdx_tree_refuse_if(t, column->n_indirection > 0, rdx_tree_place(t, column->location),
                               "parts of columns are not supported"));
    RDX_TRY(rdx_tree_name(t, column->name, &out->names[out->name_count++]));
  }
  t->takes_default = s->select_stmt && s->select_stmt->node_case == PG_QUERY__NODE__NODE_SELECT_STMT &&
                     s->select_stmt->select_stmt->n_values_lists > 0 && !s->select_stmt->select_stmt->with_clause;
  RDX_TRY(s->select_stmt ? take_query_node(t, s->select_stmt, place, &out->query)
                         : take_default_values(t, place, &out->query));
  if (s->on_conflict_clause)
    RDX_TRY(take_conflict(t, s->on_conflict_clause, out));
  return rdx_tree_targets(t, s->n_returning_list, s->returning_list, &out->returning, &out->returning_count);
}

static rdx_status take_update(rdx_tree *t, const node *n, rdx_sql_statement *out) {
  const PgQuery__UpdateStmt *u = n->update_stmt;
  out->kind = RDX_STATEMENT_UPDATE;
  RDX_TRY(take_target(t, u->relation, u->with_clause, out));
  RDX_TRY(take_assignments(t, u->n_target_list, u->target_list, out));
  RDX_TRY(take_changed(t, u->n_from_clause, u->from_clause, u->where_clause, out));
  return rdx_tree_targets(t, u->n_returning_list, u->returning_list, &out->returning, &out->returning_count);
}

/* ---- MERGE ---- */

static bool is_matched(const PgQuery__MergeWhenClause *c) {
#if PG_VERSION_NUM >= 170000
  return c->match_kind == PG_QUERY__MERGE_MATCH_KIND__MERGE_WHEN_MATCHED;
#else
  return c->matched;
#endif
}

/* What MERGE has from PostgreSQL 17 on. */
static rdx_status refuse_later(const rdx_tree *t, const PgQuery__MergeStmt *m, rdx_sql_place place) {
#if PG_VERSION_NUM >= 170000
  RDX_TRY(rdx_tree_refuse_if(t, m->n_returning_list > 0, place, "RETURNING is not supported in MERGE"));
  for (size_t i = 0; i < m->n_merge_when_clauses; i++)
    RDX_TRY(rdx_tree_refuse_if(t,
                               m->merge_when_clauses[i]->merge_when_clause->match_kind ==
                                   PG_QUERY__MERGE_MATCH_KIND__MERGE_WHEN_NOT_MATCHED_BY_SOURCE,
                               place, "WHEN NOT MATCHED BY SOURCE is not supported"));
#endif
  (void)t;
  (void)m;
  (void)place;
  return RDX_OK;
}

/* INSERT [(columns)] VALUES (values), or DEFAULT VALUES. */
static rdx_status take_merge_values(rdx_tree *t, const PgQuery__MergeWhenClause *c, rdx_sql_place place,
                                    rdx_sql_statement *out) {
  out->overriding = overriding_of(c->override);
  RDX_TRY(rdx_tree_alloc(t, c->n_target_list, sizeof *out->names, (void **)&out->names));
  for (size_t i = 0; i < c->n_target_list; i++)
    RDX_TRY(rdx_tree_name(t, c->target_list[i]->res_target->name, &out->names[out->name_count++]));
  RDX_TRY(rdx_tree_alloc(t, c->n_values, sizeof(rdx_ast *), (void **)&out->args));
  for (size_t i = 0; i < c->n_values; i++)
    RDX_TRY(c->values[i]->node_case == PG_QUERY__NODE__NODE_SET_TO_DEFAULT
                ? rdx_tree_call(t, place, "default", 0, &out->args[out->arg_count++])
                : rdx_tree_expression(t, c->values[i], &out->args[out->arg_count++]));
  return RDX_OK;
}

static rdx_status take_when(rdx_tree *t, const PgQuery__MergeWhenClause *c, rdx_sql_place place, rdx_sql_merge *out) {
  rdx_sql_statement *set = NULL;
  RDX_TRY(rdx_tree_alloc(t, 1, sizeof *set, (void **)&set));
  out->set = set;
  out->matched = is_matched(c);
  if (c->condition)
    RDX_TRY(rdx_tree_expression(t, c->condition, &out->condition));
  switch (c->command_type) {
  case PG_QUERY__CMD_TYPE__CMD_UPDATE:
    out->action = RDX_MERGE_UPDATE;
    return take_assignments(t, c->n_target_list, c->target_list, set);
  case PG_QUERY__CMD_TYPE__CMD_INSERT:
    out->action = RDX_MERGE_INSERT;
    return take_merge_values(t, c, place, set);
  default:
    out->action = c->command_type == PG_QUERY__CMD_TYPE__CMD_DELETE ? RDX_MERGE_DELETE : RDX_MERGE_NOTHING;
    return RDX_OK;
  }
}

static rdx_status take_merge(rdx_tree *t, const node *n, rdx_sql_statement *out) {
  const PgQuery__MergeStmt *m = n->merge_stmt;
  rdx_sql_query *q = NULL;
  out->kind = RDX_STATEMENT_MERGE;
  RDX_TRY(take_target(t, m->relation, m->with_clause, out));
  RDX_TRY(refuse_later(t, m, out->target->place));
  RDX_TRY(rdx_tree_alloc(t, 1, sizeof *q, (void **)&q));
  RDX_TRY(rdx_tree_alloc(t, 1, sizeof(rdx_from *), (void **)&q->from));
  q->kind = RDX_QUERY_SELECT;
  q->place = out->target->place;
  q->from_count = 1;
  out->query = q;
  RDX_TRY(rdx_tree_from(t, m->source_relation, &q->from[0]));
  RDX_TRY(rdx_tree_expression(t, m->join_condition, &q->where));
  RDX_TRY(rdx_tree_alloc(t, m->n_merge_when_clauses, sizeof *out->merges, (void **)&out->merges));
  for (size_t i = 0; i < m->n_merge_when_clauses; i++)
    RDX_TRY(take_when(t, m->merge_when_clauses[i]->merge_when_clause, out->target->place,
                      &out->merges[out->merge_count++]));
  return RDX_OK;
}

static rdx_status take_delete(rdx_tree *t, const node *n, rdx_sql_statement *out) {
  const PgQuery__DeleteStmt *d = n->delete_stmt;
  out->kind = RDX_STATEMENT_DELETE;
  RDX_TRY(take_target(t, d->relation, d->with_clause, out));
  RDX_TRY(take_changed(t, d->n_using_clause, d->using_clause, d->where_clause, out));
  return rdx_tree_targets(t, d->n_returning_list, d->returning_list, &out->returning, &out->returning_count);
}

static rdx_status take_truncate(rdx_tree *t, const node *n, rdx_sql_statement *out) {
  const PgQuery__TruncateStmt *d = n->truncate_stmt;
  out->kind = RDX_STATEMENT_DELETE;
  RDX_TRY(rdx_tree_refuse_if(t, d->n_relations != 1, out->place, "TRUNCATE takes one table"));
  RDX_TRY(rdx_tree_refuse_if(t, d->behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE, out->place,
                             "CASCADE is not supported"));
  out->restarts = d->restart_seqs;
  RDX_TRY(take_target(t, d->relations[0]->range_var, NULL, out));
  return take_changed(t, 0, NULL, NULL, out);
}

/* ---- COPY ---- */

static rdx_status take_copy(rdx_tree *t, const node *n, rdx_sql_statement *out) {
  const PgQuery__CopyStmt *c = n->copy_stmt;
  out->kind = RDX_STATEMENT_COPY;
  out->from = c->is_from;
  RDX_TRY(rdx_tree_refuse_if(t, c->is_program, out->place, "COPY with a PROGRAM is not supported"));
  RDX_TRY(rdx_tree_refuse_if(t, c->where_clause != NULL, out->place, "WHERE is not supported in COPY"));
  if (c->relation)
    RDX_TRY(rdx_tree_table(t, c->relation, &out->name));
  else
    RDX_TRY(take_query_node(t, c->query, out->place, &out->query));
  RDX_TRY(rdx_tree_names(t, c->n_attlist, c->attlist, &out->names, &out->name_count));
  if (!c->filename[0] && rdx_sql_text_names_file(t->text))
    return rdx_sql_error(t->err, RDX_ERROR_ARGUMENT, t->text->text, out->place, NULL, "the name of the file is empty");
  if (c->filename[0])
    RDX_TRY(rdx_tree_copy(t, c->filename, &out->path));
  return take_options(t, c->n_options, c->options, out);
}

/* ---- PREPARE, EXECUTE, DEALLOCATE ---- */

static rdx_status take_prepare(rdx_tree *t, const node *n, rdx_sql_statement *out) {
  const PgQuery__PrepareStmt *p = n->prepare_stmt;
  out->kind = RDX_STATEMENT_PREPARE;
  t->type_count = p->n_argtypes;
  t->types = p->argtypes;
  RDX_TRY(rdx_tree_name(t, p->name, &out->name));
  RDX_TRY(take_statement(t, p->query, &out->inner));
  if (t->parameters < p->n_argtypes)
    t->parameters = (uint32_t)p->n_argtypes;
  out->inner->parameters = t->parameters;
  return RDX_OK;
}

static rdx_status take_execute(rdx_tree *t, const node *n, rdx_sql_statement *out) {
  const PgQuery__ExecuteStmt *e = n->execute_stmt;
  out->kind = RDX_STATEMENT_EXECUTE;
  RDX_TRY(rdx_tree_name(t, e->name, &out->name));
  return rdx_tree_expressions(t, e->n_params, e->params, &out->args, &out->arg_count);
}

static rdx_status take_deallocate(rdx_tree *t, const node *n, rdx_sql_statement *out) {
  out->kind = RDX_STATEMENT_DEALLOCATE;
  return rdx_tree_name(t, n->deallocate_stmt->name, &out->name);
}

/* ---- SET, SHOW, ANALYZE ---- */

static rdx_status take_value(const rdx_tree *t, const node *n, rdx_sql_statement *out) {
  char scratch[32];
  const PgQuery__AConst *c = n->node_case == PG_QUERY__NODE__NODE_A_CONST ? n->a_const : NULL;
  const char *text = NULL;
  if (c && c->val_case == PG_QUERY__A__CONST__VAL_SVAL)
    text = c->sval->sval;
  else if (c && c->val_case == PG_QUERY__A__CONST__VAL_FVAL)
    text = c->fval->fval;
  else if (c && c->val_case == PG_QUERY__A__CONST__VAL_IVAL &&
           snprintf(scratch, sizeof scratch, "%d", c->ival->ival) > 0)
    text = scratch;
  else
    return rdx_tree_refuse(t, out->place, "such a value is not supported in SET");
  return rdx_sql_text_name(t->text, text, t->arena, &out->value, t->err);
}

static rdx_status take_set(rdx_tree *t, const node *n, rdx_sql_statement *out) {
  const PgQuery__VariableSetStmt *s = n->variable_set_stmt;
  out->kind = RDX_STATEMENT_SET;
  RDX_TRY(rdx_tree_refuse_if(t, s->is_local, out->place, "SET LOCAL is not supported"));
  RDX_TRY(rdx_tree_name(t, s->name, &out->name));
  switch (s->kind) {
  case PG_QUERY__VARIABLE_SET_KIND__VAR_SET_VALUE:
    RDX_TRY(rdx_tree_refuse_if(t, s->n_args != 1, out->place, "SET takes one value"));
    return take_value(t, s->args[0], out);
  case PG_QUERY__VARIABLE_SET_KIND__VAR_SET_DEFAULT:
  case PG_QUERY__VARIABLE_SET_KIND__VAR_RESET:
    return RDX_OK;
  case PG_QUERY__VARIABLE_SET_KIND__VAR_RESET_ALL:
    return rdx_tree_copy(t, "all", &out->name);
  default:
    return refuse_statement(t);
  }
}

static rdx_status take_show(rdx_tree *t, const node *n, rdx_sql_statement *out) {
  out->kind = RDX_STATEMENT_SHOW;
  return rdx_tree_name(t, n->variable_show_stmt->name, &out->name);
}

static rdx_status take_analyze(rdx_tree *t, const node *n, rdx_sql_statement *out) {
  const PgQuery__VacuumStmt *v = n->vacuum_stmt;
  if (v->is_vacuumcmd)
    return refuse_statement(t);
  out->kind = RDX_STATEMENT_ANALYZE;
  RDX_TRY(rdx_tree_refuse_if(t, v->n_options > 0, out->place, "options of ANALYZE are not supported"));
  if (v->n_rels == 0)
    return RDX_OK;
  RDX_TRY(rdx_tree_refuse_if(t, v->n_rels > 1, out->place, "ANALYZE takes one table, or none for all"));
  const PgQuery__VacuumRelation *r = v->rels[0]->vacuum_relation;
  RDX_TRY(rdx_tree_refuse_if(t, r->n_va_cols > 0, out->place, "columns are not supported in ANALYZE"));
  return rdx_tree_table(t, r->relation, &out->name);
}

/* ---- Any statement ---- */

static rdx_status take_select(rdx_tree *t, const node *n, rdx_sql_statement *out) {
  const PgQuery__IntoClause *into = n->select_stmt->into_clause;
  PgQuery__SelectStmt query = *n->select_stmt;
  out->kind = into ? RDX_STATEMENT_CREATE_TABLE_AS : RDX_STATEMENT_SELECT;
  if (into) {
    RDX_TRY(take_created(t, into->rel, into->on_commit, out));
    out->with_data = true;
    query.into_clause = NULL;
  }
  return rdx_tree_query(t, &query, &out->query);
}

/* By the word that it begins with, and the next ones where that says little. */
static rdx_status refuse_statement(const rdx_tree *t) {
  static const char *const vague[] = {"CREATE", "CREATE OR", "CREATE OR REPLACE", "ALTER", "DROP", "SET", "REFRESH",
                                      "START",  NULL};
  char words[64] = "";
  size_t used = 0;
  for (rdx_token k = rdx_token_at(t->text->begin); k.kind == RDX_TOKEN_WORD && k.begin < t->text->end;
       k = rdx_token_at(k.end)) {
    for (const char *c = k.begin; c < k.end && used + 2 < sizeof words; c++)
      words[used++] = (char)toupper((unsigned char)*c);
    words[used] = '\0';
    if (!is_word(words, vague))
      break;
    words[used++] = ' ';
  }
  return rdx_sql_error(t->err, RDX_ERROR_UNSUPPORTED, t->text->text, rdx_tree_place(t, 0), rdx_refusal_hint(words),
                       "%s is not supported", words);
}

typedef rdx_status take_fn(rdx_tree *t, const node *n, rdx_sql_statement *out);

static take_fn *find(const node *n) {
  switch (n->node_case) {
  case PG_QUERY__NODE__NODE_SELECT_STMT:
    return take_select;
  case PG_QUERY__NODE__NODE_EXPLAIN_STMT:
    return take_explain;
  case PG_QUERY__NODE__NODE_CREATE_STMT:
    return take_create_table;
  case PG_QUERY__NODE__NODE_CREATE_TABLE_AS_STMT:
    return take_create_as;
  case PG_QUERY__NODE__NODE_VIEW_STMT:
    return take_view;
  case PG_QUERY__NODE__NODE_INDEX_STMT:
    return take_create_index;
  case PG_QUERY__NODE__NODE_DROP_STMT:
    return take_drop;
  case PG_QUERY__NODE__NODE_ALTER_TABLE_STMT:
    return take_alter_table;
  case PG_QUERY__NODE__NODE_RENAME_STMT:
    return take_rename;
  case PG_QUERY__NODE__NODE_INSERT_STMT:
    return take_insert;
  case PG_QUERY__NODE__NODE_UPDATE_STMT:
    return take_update;
  case PG_QUERY__NODE__NODE_DELETE_STMT:
    return take_delete;
  case PG_QUERY__NODE__NODE_MERGE_STMT:
    return take_merge;
  case PG_QUERY__NODE__NODE_TRUNCATE_STMT:
    return take_truncate;
  case PG_QUERY__NODE__NODE_COPY_STMT:
    return take_copy;
  case PG_QUERY__NODE__NODE_PREPARE_STMT:
    return take_prepare;
  case PG_QUERY__NODE__NODE_EXECUTE_STMT:
    return take_execute;
  case PG_QUERY__NODE__NODE_DEALLOCATE_STMT:
    return take_deallocate;
  case PG_QUERY__NODE__NODE_VARIABLE_SET_STMT:
    return take_set;
  case PG_QUERY__NODE__NODE_VARIABLE_SHOW_STMT:
    return take_show;
  case PG_QUERY__NODE__NODE_VACUUM_STMT:
    return take_analyze;
  default:
    return NULL;
  }
}

static rdx_status take_statement(rdx_tree *t, const node *n, rdx_sql_statement **out) {
  take_fn *take = n ? find(n) : NULL;
  if (!take)
    return refuse_statement(t);
  RDX_TRY(rdx_tree_alloc(t, 1, sizeof **out, (void **)out));
  t->near = (*out)->place = rdx_tree_place(t, 0);
  return take(t, n, *out);
}

/* ---- The parser ---- */

/* The byte of the statement at which its character `number`, from 0, begins; the parser counts them by their first
 * bytes. */
static size_t find_character(const char *text, int number) {
  size_t at = 0;
  for (; number > 0 && text[at]; number--) {
    const unsigned char c = (unsigned char)text[at];
    const size_t length = c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf8 ? 4 : 1;
    for (size_t i = 0; i < length && text[at]; i++)
      at++;
  }
  return at;
}

/* What to write instead of what the parser did not take at `from`; NULL where nothing is known. */
static const char *find_hint(const rdx_tree *t, const char *from) {
  const rdx_token first = rdx_token_at(t->text->begin), token = rdx_token_at(from);
  if (rdx_token_is(&first, "set") && rdx_token_is(&token, "column"))
    return "column is a word of SQL: write 'column' in quotes";
  if (rdx_token_is(&first, "pivot") || rdx_token_is(&first, "unpivot"))
    return "a query begins with SELECT, FROM, WITH or VALUES";
  return NULL;
}

/* The message, with what the text has where the parser saw the copy. */
static rdx_status fail_parse(const rdx_tree *t, const PgQueryError *error) {
  static const char near[] = " at or near \"";
  const size_t at = error->cursorpos > 0 ? find_character(t->text->copy, error->cursorpos - 1) : 0;
  const rdx_sql_place place = error->cursorpos > 0 ? rdx_tree_place(t, (int32_t)at) : 0;
  const char *behind = strstr(error->message, near), *from = t->text->begin + rdx_sql_text_offset(t->text, at);
  if (strncmp(error->message, "memory exhausted", 16) == 0)
    return rdx_tree_refuse(t, place, "the statement is nested too deeply");
  if (!behind || place == 0)
    return rdx_sql_error(t->err, RDX_ERROR_FORMAT, t->text->text, place, NULL, "%s", error->message);
  const char *token = behind + strlen(near);
  const bool replaced = t->text->copy[at] != *from;
  size_t length = replaced ? (size_t)(rdx_token_at(from).end - from) : strlen(token) - (strlen(token) > 0);
  const bool cut = length > 60;
  length = cut ? 60 : length;
  while (cut && length > 0 && ((unsigned char)from[length] & 0xc0) == 0x80)
    length--;
  return rdx_sql_error(t->err, RDX_ERROR_FORMAT, t->text->text, place, find_hint(t, from), "%.*s%s%.*s%s\"",
                       (int)(behind - error->message), error->message, near, (int)length, from, cut ? "..." : "");
}

static void *unpack_alloc(void *arena, size_t size) {
  void *memory = NULL;
  return rdx_arena_alloc(arena, 1, size, "a statement", &memory, NULL) == RDX_OK ? memory : NULL;
}

static void unpack_free(RDX_UNUSED void *arena, RDX_UNUSED void *memory) {}

/* The tree is unpacked into an arena, so that nothing of it is freed by itself. */
static rdx_status take_tree(rdx_tree *t, PgQueryProtobuf packed, rdx_sql_statement **out) {
  RDX_SCOPED(rdx_arena_free) rdx_arena unpacked = {0};
  ProtobufCAllocator allocator = {unpack_alloc, unpack_free, &unpacked};
  const PgQuery__ParseResult *tree =
      pg_query__parse_result__unpack(&allocator, packed.len, (const uint8_t *)packed.data);
  if (!tree)
    return rdx_fail(t->err, RDX_ERROR_MEMORY, "host memory ran out: a statement");
  if (tree->n_stmts != 1)
    return rdx_tree_refuse(t, 0, "the text is no single statement");
  RDX_TRY(take_statement(t, tree->stmts[0]->stmt, out));
  (*out)->parameters = t->parameters;
  (*out)->levels = t->deepest;
  return RDX_OK;
}

/* Whether the parser wants a name for a subquery in FROM, which now has one. */
static bool name_subquery(const rdx_tree *t, const PgQueryError *error) {
  static const char *const wants[] = {"subquery in FROM must have an alias", "VALUES in FROM must have an alias"};
  const char *message = error && error->cursorpos > 0 ? error->message : "";
  return (strcmp(message, wants[0]) == 0 || strcmp(message, wants[1]) == 0) &&
         rdx_sql_text_name_subquery(t->text, find_character(t->text->copy, error->cursorpos - 1), t->arena);
}

static rdx_status parse(rdx_tree *t, rdx_sql_statement **out) {
  PgQueryProtobufParseResult result = pg_query_parse_protobuf(t->text->copy);
  while (name_subquery(t, result.error)) {
    pg_query_free_protobuf_parse_result(result);
    result = pg_query_parse_protobuf(t->text->copy);
  }
  const rdx_status status = result.error ? fail_parse(t, result.error) : take_tree(t, result.parse_tree, out);
  pg_query_free_protobuf_parse_result(result);
  return status;
}

typedef struct job {
  rdx_tree *tree;
  rdx_sql_statement **out;
} job;

static rdx_status parse_deep(void *context, rdx_error *err) {
  const job *j = context;
  (void)err; /* the tree has it */
  return parse(j->tree, j->out);
}

static rdx_status parse_first(rdx_tree *tree, const char *text, rdx_sql_statement **out, const char **next) {
  RDX_SCOPED(rdx_arena_free) rdx_arena scratch = {0};
  rdx_sql_source scanned;
  rdx_sql_statement *statement = NULL;
  tree->text = &scanned;
  *out = NULL;
  const rdx_status status = rdx_sql_text_scan(text, &scratch, &scanned, tree->err);
  *next = scanned.next;
  RDX_TRY(status);
  if (scanned.levels > MAX_TOKEN_LEVELS)
    return rdx_tree_refuse(tree, rdx_tree_place(tree, 0), "the statement is nested too deeply");
  if (scanned.begin < scanned.end)
    RDX_TRY(scanned.levels > SHALLOW_LEVELS ? rdx_run_deep(parse_deep, &(job){tree, &statement}, tree->err)
                                            : parse(tree, &statement));
  *out = statement;
  return RDX_OK;
}

/* RTCUDB, section 3.1 "RTCUDB parses the query". */
rdx_status rdx_sql_parse(const char *text, rdx_arena *arena, rdx_sql_statement **out, const char **next,
                         rdx_error *err) {
  return parse_first(&(rdx_tree){.arena = arena, .err = err}, text, out, next);
}

rdx_status rdx_sql_parse_placeless(const char *text, rdx_arena *arena, rdx_sql_statement **out, rdx_error *err) {
  const char *next = NULL;
  return parse_first(&(rdx_tree){.arena = arena, .err = err, .placeless = true}, text, out, &next);
}

rdx_status rdx_sql_parse_view(const char *text, rdx_arena *arena, rdx_sql_statement **out, rdx_error *err) {
  RDX_TRY(rdx_sql_parse_placeless(text, arena, out, err));
  if (!*out || (*out)->kind != RDX_STATEMENT_DEFINE_VIEW)
    return rdx_fail(err, RDX_ERROR_FORMAT, "its definition is no CREATE VIEW");
  return RDX_OK;
}
