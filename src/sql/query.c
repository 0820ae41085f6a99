/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Queries of PostgreSQL's tree. */

#include <stdio.h>

#include "sql/tree.h"

typedef rdx_tree_node node;

/* ---- FROM ---- */

static rdx_status take_alias(const rdx_tree *t, const PgQuery__Alias *alias, rdx_from *out) {
  if (!alias)
    return RDX_OK;
  RDX_TRY(rdx_tree_name(t, alias->aliasname, &out->alias));
  return rdx_tree_names(t, alias->n_colnames, alias->colnames, &out->columns, &out->column_count);
}

bool rdx_tree_is_public(const char *schema) {
  return schema[0] == '\0' || strcmp(schema, "public") == 0;
}

static rdx_status take_table_name(const rdx_tree *t, const PgQuery__RangeVar *r, const char **out) {
  const rdx_sql_place place = rdx_tree_place(t, r->location);
  if (!rdx_tree_is_public(r->schemaname) || r->catalogname[0])
    return rdx_sql_error(t->err, RDX_ERROR_UNSUPPORTED, t->text->text, place,
                         strcmp(r->schemaname, "pg_catalog") == 0
                             ? "information_schema.tables and information_schema.columns list what there is"
                             : "the name of a file stands in quotes: FROM 'file.csv'",
                         "schemas are not supported, except public, which all tables are in");
  RDX_TRY(rdx_tree_refuse_if(t, !r->inh, place, "ONLY is not supported"));
  return rdx_tree_name(t, r->relname, out);
}

rdx_status rdx_tree_table(const rdx_tree *t, const PgQuery__RangeVar *r, const char **out) {
  RDX_TRY(rdx_tree_refuse_if(t, r->alias != NULL, rdx_tree_place(t, r->location), "an alias is not supported here"));
  RDX_TRY(rdx_tree_refuse_if(t, r->relpersistence[0] && strcmp(r->relpersistence, "p") != 0,
                             rdx_tree_place(t, r->location),
                             strcmp(r->relpersistence, "t") == 0 ? "only a table that is created can be TEMPORARY"
                                                                 : "UNLOGGED is not supported"));
  return take_table_name(t, r, out);
}

/* What lists tables and columns. */
static rdx_status take_listing(const rdx_tree *t, const PgQuery__RangeVar *r, rdx_from *out) {
  static const char *const names[][2] = {{"tables", "information_schema.tables"},
                                         {"columns", "information_schema.columns"},
                                         {"table_constraints", "information_schema.table_constraints"}};
  for (size_t i = 0; i < RDX_COUNT(names); i++) {
    if (strcmp(r->relname, names[i][0]) != 0)
      continue;
    out->alias = names[i][0];
    out->name = names[i][1];
    return RDX_OK;
  }
  return rdx_sql_error(t->err, RDX_ERROR_UNSUPPORTED, t->text->text, rdx_tree_place(t, r->location), NULL,
                       "of information_schema there are tables, columns and table_constraints");
}

/* As PostgreSQL 16 does. */
static rdx_status name_subquery(rdx_tree *t, rdx_from *out) {
  char name[32] = RDX_SQL_UNNAMED;
  if (t->unnamed > 0)
    snprintf(name, sizeof name, RDX_SQL_UNNAMED "_%u", (unsigned)t->unnamed);
  t->unnamed++;
  return rdx_tree_copy(t, name, &out->alias);
}

static rdx_status take_subquery(rdx_tree *t, const PgQuery__RangeSubselect *s, rdx_from *out) {
  if (!s->subquery || s->subquery->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
    return rdx_tree_refuse(t, 0, "such a subquery is not supported");
  out->kind = RDX_FROM_QUERY;
  out->lateral = s->lateral;
  RDX_TRY(rdx_tree_query(t, s->subquery->select_stmt, &out->query));
  out->place = out->query->place;
  return s->alias ? take_alias(t, s->alias, out) : name_subquery(t, out);
}

static rdx_status take_join(rdx_tree *t, const PgQuery__JoinExpr *j, rdx_from *out) {
  out->kind = RDX_FROM_JOIN;
  out->natural = j->is_natural;
  switch (j->jointype) {
  case PG_QUERY__JOIN_TYPE__JOIN_LEFT:
    out->join = RDX_SQL_LEFT;
    break;
  case PG_QUERY__JOIN_TYPE__JOIN_RIGHT:
    out->join = RDX_SQL_RIGHT;
    break;
  case PG_QUERY__JOIN_TYPE__JOIN_FULL:
    out->join = RDX_SQL_FULL;
    break;
  default:
    out->join = RDX_SQL_INNER;
  }
  RDX_TRY(rdx_tree_from(t, j->larg, &out->left));
  RDX_TRY(rdx_tree_from(t, j->rarg, &out->right));
  out->place = out->right->place;
  RDX_TRY(rdx_tree_refuse_if(t, j->alias || j->join_using_alias, out->place, "an alias of a join is not supported"));
  RDX_TRY(rdx_tree_names(t, j->n_using_clause, j->using_clause, &out->using_columns, &out->using_count));
  return j->quals ? rdx_tree_expression(t, j->quals, &out->on) : RDX_OK;
}

/* The call in unnest(string_to_array(t, ',')); NULL: it is another one. */
static const PgQuery__FuncCall *unnested(const PgQuery__FuncCall *call) {
  const bool one = call->n_args == 1 && strcmp(rdx_tree_string(call->funcname[call->n_funcname - 1]), "unnest") == 0;
  return one && call->args[0]->node_case == PG_QUERY__NODE__NODE_FUNC_CALL ? call->args[0]->func_call : NULL;
}

/* Its name in FROM; NULL: it is not one of these. */
static const char *table_function(const char *name, bool unnests) {
  static const char *const names[][2] = {{"generate_series", ""},
                                         {"string_to_table", "string_to_array"},
                                         {"regexp_split_to_table", "regexp_split_to_array"}};
  for (size_t i = 0; i < RDX_COUNT(names); i++)
    if (strcmp(name, names[i][unnests]) == 0)
      return names[i][0];
  return NULL;
}

/* unnest(ARRAY[a, b]) is (VALUES (a), (b)). */
static rdx_status take_array(rdx_tree *t, const PgQuery__FuncCall *call, bool ordinality, rdx_from *out) {
  rdx_sql_query *q = NULL;
  rdx_ast **elements = NULL;
  uint32_t count = 0;
  RDX_TRY(rdx_tree_elements(t, call->args[0], out->place, &elements, &count));
  RDX_TRY(rdx_tree_refuse_if(t, ordinality || count == 0, out->place,
                             "WITH ORDINALITY of an array, and one without elements, are not supported"));
  RDX_TRY(rdx_tree_alloc(t, 1, sizeof *q, (void **)&q));
  RDX_TRY(rdx_tree_alloc(t, 1, sizeof *out->columns, (void **)&out->columns));
  *q = (rdx_sql_query){
      .kind = RDX_QUERY_VALUES, .place = out->place, .values = elements, .row_count = count, .width = 1};
  out->kind = RDX_FROM_QUERY;
  out->query = q;
  out->lateral = true;
  out->alias = out->columns[0] = "unnest";
  out->column_count = 1;
  return RDX_OK;
}

/* The functions that stand in FROM. */
static rdx_status take_function(rdx_tree *t, const PgQuery__RangeFunction *f, rdx_from *out) {
  const PgQuery__List *first = f->n_functions > 0 ? f->functions[0]->list : NULL;
  const bool calls = first && first->n_items > 0 && first->items[0]->node_case == PG_QUERY__NODE__NODE_FUNC_CALL;
  const PgQuery__FuncCall *call = calls ? first->items[0]->func_call : NULL, *inner = call ? unnested(call) : NULL;
  const char *name = calls ? rdx_tree_string(call->funcname[call->n_funcname - 1]) : "";
  out->kind = RDX_FROM_SERIES;
  out->place = calls ? rdx_tree_place(t, call->location) : 0;
  RDX_TRY(rdx_tree_refuse_if(t, f->is_rowsfrom, out->place, "ROWS FROM is not supported"));
  RDX_TRY(rdx_tree_refuse_if(t, f->n_coldeflist > 0, out->place, "types of columns are not supported here"));
  if (calls && !inner && strcmp(name, "unnest") == 0 && call->n_args == 1) {
    RDX_TRY(take_array(t, call, f->ordinality, out));
    const char **columns = out->columns;
    RDX_TRY(take_alias(t, f->alias, out));
    if (out->column_count > 0)
      return RDX_OK;
    out->columns = columns;
    out->columns[0] = out->alias;
    out->column_count = 1;
    return RDX_OK;
  }
  const char *known = inner ? table_function(rdx_tree_string(inner->funcname[inner->n_funcname - 1]), true)
                            : table_function(name, false);
  RDX_TRY(rdx_tree_refuse_if(t, !known, out->place,
                             "of functions in FROM there are generate_series, string_to_table, regexp_split_to_table "
                             "and unnest"));
  RDX_TRY(rdx_tree_expression(t, inner ? call->args[0] : first->items[0], &out->call));
  out->call->name = known;
  out->ordinality = f->ordinality;
  RDX_TRY(take_alias(t, f->alias, out));
  out->alias = !out->alias && inner ? "unnest" : out->alias;
  return RDX_OK;
}

rdx_status rdx_tree_all_of(rdx_tree *t, rdx_from *from, rdx_sql_query **out) {
  rdx_sql_query *q = NULL;
  RDX_TRY(rdx_tree_alloc(t, 1, sizeof *q, (void **)&q));
  RDX_TRY(rdx_tree_alloc(t, 1, sizeof(rdx_from *), (void **)&q->from));
  RDX_TRY(rdx_tree_alloc(t, 1, sizeof *q->targets, (void **)&q->targets));
  RDX_TRY(rdx_tree_alloc(t, 1, sizeof(rdx_ast), (void **)&q->targets[0].value));
  *q->targets[0].value = (rdx_ast){.kind = RDX_AST_STAR, .place = from->place};
  q->kind = RDX_QUERY_SELECT;
  q->place = from->place;
  q->target_count = q->from_count = 1;
  q->from[0] = from;
  *out = q;
  return RDX_OK;
}

/* Which rows are in a sample: random() < the percentage / 100, or the same of a seed that is written. */
static rdx_status take_chance(rdx_tree *t, const PgQuery__RangeTableSample *s, rdx_sql_place place, rdx_ast **out) {
  RDX_TRY(rdx_tree_call(t, place, "<", 2, out));
  RDX_TRY(rdx_tree_call(t, place, "random row", s->repeatable ? 1 : 0, &(*out)->args[0]));
  if (s->repeatable)
    RDX_TRY(rdx_tree_expression(t, s->repeatable, &(*out)->args[0]->args[0]));
  RDX_TRY(rdx_tree_call(t, place, "sample share", 1, &(*out)->args[1]));
  return rdx_tree_expression(t, s->args[0], &(*out)->args[1]->args[0]);
}

static rdx_status take_item(rdx_tree *t, const node *n, rdx_from *out);

/* t TABLESAMPLE BERNOULLI (p) is (SELECT * FROM t WHERE ...) AS t. SYSTEM takes single rows, too. */
static rdx_status take_sample(rdx_tree *t, const PgQuery__RangeTableSample *s, rdx_from *out) {
  const rdx_sql_place place = rdx_tree_place(t, s->location);
  const char *method = rdx_tree_string(s->method[s->n_method - 1]);
  rdx_from *table = NULL;
  if (strcmp(method, "bernoulli") != 0 && strcmp(method, "system") != 0)
    return rdx_sql_error(t->err, RDX_ERROR_NOT_FOUND, t->text->text, place, "there are BERNOULLI and SYSTEM",
                         "tablesample method %.60s does not exist", method);
  if (s->n_args != 1)
    return rdx_sql_error(t->err, RDX_ERROR_ARGUMENT, t->text->text, place, NULL,
                         "tablesample method %s requires 1 argument, not %zu", method, s->n_args);
  RDX_TRY(rdx_tree_alloc(t, 1, sizeof *table, (void **)&table));
  RDX_TRY(take_item(t, s->relation, table));
  out->kind = RDX_FROM_QUERY;
  out->place = table->place;
  out->alias = table->alias ? table->alias : table->name;
  RDX_TRY(rdx_tree_all_of(t, table, &out->query));
  return take_chance(t, s, place, &out->query->where);
}

static rdx_status take_item(rdx_tree *t, const node *n, rdx_from *out) {
  switch (n->node_case) {
  case PG_QUERY__NODE__NODE_RANGE_VAR:
    out->kind = RDX_FROM_TABLE;
    t->near = out->place = rdx_tree_place(t, n->range_var->location);
    out->in_public = n->range_var->schemaname[0] != '\0';
    if (strcmp(n->range_var->schemaname, "information_schema") == 0)
      RDX_TRY(take_listing(t, n->range_var, out));
    else
      RDX_TRY(take_table_name(t, n->range_var, &out->name));
    return take_alias(t, n->range_var->alias, out);
  case PG_QUERY__NODE__NODE_RANGE_SUBSELECT:
    return take_subquery(t, n->range_subselect, out);
  case PG_QUERY__NODE__NODE_JOIN_EXPR:
    return take_join(t, n->join_expr, out);
  case PG_QUERY__NODE__NODE_RANGE_TABLE_SAMPLE:
    return take_sample(t, n->range_table_sample, out);
  case PG_QUERY__NODE__NODE_RANGE_FUNCTION:
    return take_function(t, n->range_function, out);
  default:
    return rdx_tree_refuse(t, 0, "FROM has an item that is not supported");
  }
}

rdx_status rdx_tree_from(rdx_tree *t, const node *n, rdx_from **out) {
  RDX_TRY(rdx_tree_enter(t, 0));
  RDX_TRY(rdx_tree_alloc(t, 1, sizeof **out, (void **)out));
  RDX_TRY(take_item(t, n, *out));
  t->levels--;
  return RDX_OK;
}

/* ---- GROUP BY ---- */

static rdx_status take_grouping(rdx_tree *t, const node *n, rdx_grouping **out);

static rdx_status take_groupings(rdx_tree *t, size_t count, node *const *nodes, rdx_grouping *out) {
  out->child_count = (uint32_t)count;
  RDX_TRY(rdx_tree_alloc(t, count, sizeof(rdx_grouping *), (void **)&out->children));
  for (size_t i = 0; i < count; i++)
    RDX_TRY(take_grouping(t, nodes[i], &out->children[i]));
  return RDX_OK;
}

/* Whether the text has GROUP BY ALL where its copy has (). */
static bool is_all(const rdx_tree *t, const PgQuery__GroupingSet *s) {
  const rdx_token token = rdx_token_at(t->text->begin + rdx_sql_text_offset(t->text, (size_t)s->location));
  return rdx_token_is(&token, "all");
}

static rdx_status take_grouping_set(rdx_tree *t, const PgQuery__GroupingSet *s, rdx_grouping *out) {
  switch (s->kind) {
  case PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_EMPTY:
    out->kind = is_all(t, s) ? RDX_GROUPING_ALL : RDX_GROUPING_SIMPLE;
    return RDX_OK;
  case PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_ROLLUP:
    out->kind = RDX_GROUPING_ROLLUP;
    break;
  case PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_CUBE:
    out->kind = RDX_GROUPING_CUBE;
    break;
  case PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_SETS:
    out->kind = RDX_GROUPING_SETS;
    break;
  default:
    out->kind = RDX_GROUPING_SIMPLE;
    return rdx_tree_expressions(t, s->n_content, s->content, &out->exprs, &out->expr_count);
  }
  return take_groupings(t, s->n_content, s->content, out);
}

/* (a, b) without the word ROW is a set of two. */
static bool is_set(const node *n) {
  return n->node_case == PG_QUERY__NODE__NODE_ROW_EXPR &&
         n->row_expr->row_format == PG_QUERY__COERCION_FORM__COERCE_IMPLICIT_CAST;
}

static rdx_status take_grouping(rdx_tree *t, const node *n, rdx_grouping **out) {
  RDX_TRY(rdx_tree_enter(t, 0));
  RDX_TRY(rdx_tree_alloc(t, 1, sizeof **out, (void **)out));
  if (n->node_case == PG_QUERY__NODE__NODE_GROUPING_SET)
    RDX_TRY(take_grouping_set(t, n->grouping_set, *out));
  else if (is_set(n))
    RDX_TRY(rdx_tree_expressions(t, n->row_expr->n_args, n->row_expr->args, &(*out)->exprs, &(*out)->expr_count));
  else
    RDX_TRY(rdx_tree_expressions(t, 1, (node *const[]){(node *)(uintptr_t)n}, &(*out)->exprs, &(*out)->expr_count));
  t->levels--;
  return RDX_OK;
}

/* Outside of GROUPING SETS, (a, b) is a, b, and () is the set of no columns. */
static rdx_status take_group_by(rdx_tree *t, const PgQuery__SelectStmt *s, rdx_sql_query *out) {
  size_t count = 0;
  for (size_t i = 0; i < s->n_group_clause; i++)
    count += is_set(s->group_clause[i]) ? s->group_clause[i]->row_expr->n_args : 1;
  RDX_TRY(rdx_tree_alloc(t, count, sizeof(rdx_grouping *), (void **)&out->group_by));
  for (size_t i = 0; i < s->n_group_clause; i++) {
    node *n = s->group_clause[i];
    if (is_set(n)) {
      for (size_t k = 0; k < n->row_expr->n_args; k++)
        RDX_TRY(take_grouping(t, n->row_expr->args[k], &out->group_by[out->group_count++]));
      continue;
    }
    rdx_grouping **to = &out->group_by[out->group_count++];
    RDX_TRY(take_grouping(t, n, to));
    if ((*to)->kind == RDX_GROUPING_SIMPLE && (*to)->expr_count == 0) {
      rdx_grouping *sets = NULL;
      RDX_TRY(rdx_tree_alloc(t, 1, sizeof *sets, (void **)&sets));
      RDX_TRY(rdx_tree_alloc(t, 1, sizeof(rdx_grouping *), (void **)&sets->children));
      *sets = (rdx_grouping){.kind = RDX_GROUPING_SETS, .children = sets->children, .child_count = 1};
      sets->children[0] = *to;
      *to = sets;
    }
  }
  return RDX_OK;
}

/* ---- SELECT ---- */

static bool is_function(const node *n, const char *name) {
  return n && n->node_case == PG_QUERY__NODE__NODE_FUNC_CALL && n->func_call->n_funcname == 1 &&
         strcmp(rdx_tree_string(n->func_call->funcname[0]), name) == 0;
}

static bool is_column(const node *n, const char *first, size_t fields) {
  return n && n->node_case == PG_QUERY__NODE__NODE_COLUMN_REF && n->column_ref->n_fields == fields &&
         strcmp(rdx_tree_string(n->column_ref->fields[0]), first) == 0;
}

static rdx_status add_change(rdx_tree *t, rdx_ast *star, rdx_ast *change) {
  rdx_ast **args = NULL;
  RDX_TRY(rdx_tree_alloc(t, (size_t)star->count + 1, sizeof *args, (void **)&args));
  if (star->count > 0)
    memcpy(args, star->args, star->count * sizeof *args);
  args[star->count++] = change;
  star->args = args;
  return RDX_OK;
}

/* A column by its name, of a table or without one. */
static rdx_status take_listed(rdx_tree *t, const node *n, const char *list, rdx_ast **out) {
  RDX_TRY(rdx_tree_expression(t, n, out));
  return (*out)->kind == RDX_AST_COLUMN ? RDX_OK
                                        : rdx_sql_error(t->err, RDX_ERROR_FORMAT, t->text->text, (*out)->place, NULL,
                                                        "%s behind * takes names of columns", list);
}

#define REPLACE_TAKES "REPLACE behind * takes a list of VALUE AS COLUMN"

static bool is_plain_call(const PgQuery__FuncCall *c) {
  return c->n_args > 0 && c->n_agg_order == 0 && !c->agg_distinct && !c->agg_star && !c->func_variadic &&
         !c->agg_filter && !c->over && !c->agg_within_group;
}

/* EXCLUDE and REPLACE, which stand behind a * as if they were targets. */
static rdx_status change_star(rdx_tree *t, const node *n, rdx_ast *star, bool *is) {
  rdx_ast *change = NULL;
  const bool excludes = is_function(n, RDX_SQL_EXCLUDE), replaces = is_function(n, RDX_SQL_REPLACE);
  *is = true;
  if ((excludes || replaces) && !is_plain_call(n->func_call))
    return rdx_sql_error(t->err, RDX_ERROR_FORMAT, t->text->text, rdx_tree_place(t, n->func_call->location - 1), NULL,
                         excludes ? "EXCLUDE behind * takes names of columns" : REPLACE_TAKES);
  if (is_column(n, RDX_SQL_EXCLUDE, 2)) {
    RDX_TRY(rdx_tree_alloc(t, 1, sizeof *change, (void **)&change));
    *change = (rdx_ast){.kind = RDX_AST_COLUMN, .place = rdx_tree_place(t, n->column_ref->location)};
    RDX_TRY(rdx_tree_name(t, rdx_tree_string(n->column_ref->fields[1]), &change->name));
    return add_change(t, star, change);
  }
  for (size_t i = 0; excludes && i < n->func_call->n_args; i++) {
    RDX_TRY(take_listed(t, n->func_call->args[i], "EXCLUDE", &change));
    RDX_TRY(add_change(t, star, change));
  }
  for (size_t i = 0; replaces && i < n->func_call->n_args; i += 2) {
    rdx_ast *name = NULL;
    if (i + 1 == n->func_call->n_args)
      return rdx_sql_error(t->err, RDX_ERROR_FORMAT, t->text->text, rdx_tree_place(t, n->func_call->location - 1), NULL,
                           REPLACE_TAKES);
    RDX_TRY(take_listed(t, n->func_call->args[i + 1], "REPLACE", &name));
    RDX_TRY(rdx_tree_call(t, name->place, "replace", 1, &change));
    RDX_TRY(rdx_tree_expression(t, n->func_call->args[i], &change->args[0]));
    change->field = name->name;
    change->qualifier = name->qualifier;
    RDX_TRY(add_change(t, star, change));
  }
  *is = excludes || replaces;
  return RDX_OK;
}

rdx_status rdx_tree_targets(rdx_tree *t, size_t count, node *const *nodes, rdx_sql_target **out, uint32_t *out_count) {
  *out_count = 0;
  RDX_TRY(rdx_tree_alloc(t, count, sizeof **out, (void **)out));
  for (size_t i = 0; i < count; i++) {
    const PgQuery__ResTarget *target = nodes[i]->res_target;
    rdx_sql_target *to = &(*out)[*out_count];
    bool changes = false;
    t->near = rdx_tree_place(t, target->location);
    if (*out_count > 0 && to[-1].value->kind == RDX_AST_STAR)
      RDX_TRY(change_star(t, target->val, to[-1].value, &changes));
    if (changes)
      continue;
    RDX_TRY(rdx_tree_name(t, target->name, &to->alias));
    RDX_TRY(rdx_tree_expression(t, target->val, &to->value));
    ++*out_count;
  }
  return RDX_OK;
}

/* Whether a query lists all columns, and nothing else depends on what it lists: EXISTS then need not read them. */
static bool lists_all(const PgQuery__SelectStmt *s, const PgQuery__SelectStmt *from, const rdx_sql_query *q) {
  const rdx_ast *first = q->target_count == 1 ? q->targets[0].value : NULL;
  return first && first->kind == RDX_AST_STAR && !first->qualifier && first->count == 0 && from->n_from_clause > 0 &&
         s->n_distinct_clause == 0 && s->n_group_clause == 0 && s->n_window_clause == 0 && s->n_sort_clause == 0 &&
         !s->having_clause;
}

static rdx_status take_targets(rdx_tree *t, const PgQuery__SelectStmt *s, const PgQuery__SelectStmt *from,
                               bool in_exists, rdx_sql_query *out) {
  RDX_TRY(rdx_tree_targets(t, s->n_target_list, s->target_list, &out->targets, &out->target_count));
  if (!in_exists || (s->n_target_list > 0 && !lists_all(s, from, out)))
    return rdx_tree_refuse_if(t, s->n_target_list == 0, 0, "SELECT without columns is not supported");
  out->target_count = 1; /* any will do */
  RDX_TRY(rdx_tree_alloc(t, 1, sizeof *out->targets, (void **)&out->targets));
  return rdx_tree_null(t, t->near, &out->targets[0].value);
}

/* Whether it is what stands before SELECT in FROM t SELECT a. */
static bool reads_first(const PgQuery__SelectStmt *s) {
  return s && s->n_target_list == 1 && is_column(s->target_list[0]->res_target->val, RDX_SQL_FROM, 1);
}

/* `from`: whose FROM it reads, itself where that is not written before SELECT. */
static rdx_status take_select(rdx_tree *t, const PgQuery__SelectStmt *s, const PgQuery__SelectStmt *from,
                              bool in_exists, rdx_sql_query *out) {
  out->kind = RDX_QUERY_SELECT;
  const bool on = s->n_distinct_clause > 0 && s->distinct_clause[0]->node_case != 0;
  out->distinct = s->n_distinct_clause > 0 && !on;
  if (s->n_target_list > 0)
    out->place = rdx_tree_place(t, s->target_list[0]->res_target->location);
  if (on)
    RDX_TRY(
        rdx_tree_expressions(t, s->n_distinct_clause, s->distinct_clause, &out->distinct_on, &out->distinct_on_count));
  RDX_TRY(rdx_tree_refuse_if(t, s->into_clause != NULL, out->place, "SELECT INTO cannot stand here"));
  out->distinct_sets = s->group_distinct;
  RDX_TRY(take_targets(t, s, from, in_exists, out));
  out->from_count = (uint32_t)from->n_from_clause;
  RDX_TRY(rdx_tree_alloc(t, from->n_from_clause, sizeof(rdx_from *), (void **)&out->from));
  for (size_t i = 0; i < from->n_from_clause; i++)
    RDX_TRY(rdx_tree_from(t, from->from_clause[i], &out->from[i]));
  if (s->where_clause)
    RDX_TRY(rdx_tree_expression(t, s->where_clause, &out->where));
  RDX_TRY(take_group_by(t, s, out));
  return s->having_clause ? rdx_tree_expression(t, s->having_clause, &out->having) : RDX_OK;
}

static rdx_status take_values(rdx_tree *t, const PgQuery__SelectStmt *s, rdx_sql_query *out) {
  const size_t width = s->values_lists[0]->list->n_items;
  const bool takes_default = t->takes_default;
  t->takes_default = false;
  out->kind = RDX_QUERY_VALUES;
  out->width = (uint32_t)width;
  RDX_TRY(rdx_tree_alloc(t, s->n_values_lists * width, sizeof(rdx_ast *), (void **)&out->values));
  for (size_t r = 0; r < s->n_values_lists; r++) {
    const PgQuery__List *row = s->values_lists[r]->list;
    rdx_ast **values = out->values + r * width;
    for (size_t i = 0; i < row->n_items && i < width; i++) {
      const bool is_default = takes_default && row->items[i]->node_case == PG_QUERY__NODE__NODE_SET_TO_DEFAULT;
      RDX_TRY(is_default ? rdx_tree_call(t, rdx_tree_place(t, row->items[i]->set_to_default->location), "default", 0,
                                         &values[i])
                         : rdx_tree_expression(t, row->items[i], &values[i]));
    }
    if (row->n_items != width)
      return rdx_sql_error(t->err, RDX_ERROR_FORMAT, t->text->text, values[0]->place, NULL,
                           "VALUES has rows of %zu and of %zu columns", width, row->n_items);
  }
  out->row_count = (uint32_t)s->n_values_lists;
  out->place = out->values[0]->place;
  return RDX_OK;
}

static rdx_status take_set_operation(rdx_tree *t, const PgQuery__SelectStmt *s, rdx_sql_query *out) {
  out->kind = s->op == PG_QUERY__SET_OPERATION__SETOP_UNION       ? RDX_QUERY_UNION
              : s->op == PG_QUERY__SET_OPERATION__SETOP_INTERSECT ? RDX_QUERY_INTERSECT
                                                                  : RDX_QUERY_EXCEPT;
  out->all = s->all;
  PgQuery__SelectStmt right = PG_QUERY__SELECT_STMT__INIT;
  const bool first = s->larg->larg && reads_first(s->larg->rarg); /* a INTERSECT FROM t, INTERSECT SELECT b */
  if (first) {
    right.larg = s->larg->rarg;
    right.rarg = s->rarg;
    out->all = s->larg->all;
  }
  RDX_TRY(rdx_tree_query(t, first ? s->larg->larg : s->larg, &out->left));
  RDX_TRY(rdx_tree_query(t, first ? &right : s->rarg, &out->right));
  out->place = out->left->place;
  return RDX_OK;
}

/* ---- What all queries have ---- */

static rdx_status take_cte(rdx_tree *t, const PgQuery__CommonTableExpr *c, rdx_sql_cte *out) {
  out->place = rdx_tree_place(t, c->location);
  RDX_TRY(rdx_tree_refuse_if(t, c->search_clause || c->cycle_clause, out->place, "SEARCH and CYCLE are not supported"));
  RDX_TRY(rdx_tree_refuse_if(t, !c->ctequery || c->ctequery->node_case != PG_QUERY__NODE__NODE_SELECT_STMT, out->place,
                             "WITH takes queries only"));
  out->materialized = c->ctematerialized == PG_QUERY__CTEMATERIALIZE__CTEMaterializeAlways;
  RDX_TRY(rdx_tree_name(t, c->ctename, &out->name));
  RDX_TRY(rdx_tree_names(t, c->n_aliascolnames, c->aliascolnames, &out->columns, &out->column_count));
  return rdx_tree_query(t, c->ctequery->select_stmt, &out->query);
}

rdx_status rdx_tree_with(rdx_tree *t, const PgQuery__WithClause *w, rdx_sql_query *out) {
  out->recursive = w->recursive;
  out->cte_count = (uint32_t)w->n_ctes;
  RDX_TRY(rdx_tree_alloc(t, w->n_ctes, sizeof *out->ctes, (void **)&out->ctes));
  for (size_t i = 0; i < w->n_ctes; i++) {
    RDX_TRY(take_cte(t, w->ctes[i]->common_table_expr, &out->ctes[i]));
    RDX_TRY(rdx_tree_enter(t, out->ctes[i].place)); /* what follows may read it */
  }
  return RDX_OK;
}

/* LIMIT ALL and LIMIT NULL are none. */
static rdx_status take_bound(rdx_tree *t, const node *n, rdx_ast **out) {
  if (!n || (n->node_case == PG_QUERY__NODE__NODE_A_CONST && n->a_const->isnull))
    return RDX_OK;
  return rdx_tree_expression(t, n, out);
}

static rdx_status take_rest(rdx_tree *t, const PgQuery__SelectStmt *s, rdx_sql_query *out) {
  RDX_TRY(rdx_tree_refuse_if(t, s->n_locking_clause > 0, out->place, "FOR UPDATE and FOR SHARE are not supported"));
  RDX_TRY(rdx_tree_orders(t, s->n_sort_clause, s->sort_clause, &out->order_by, &out->order_count));
  RDX_TRY(rdx_tree_unused_windows(t, out));
  RDX_TRY(take_bound(t, s->limit_count, &out->limit));
  out->ties = s->limit_option == PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_WITH_TIES;
  return take_bound(t, s->limit_offset, &out->offset);
}

static rdx_status take_from_first(rdx_tree *t, const PgQuery__SelectStmt *s, bool in_exists, rdx_sql_query *out) {
  const PgQuery__SelectStmt *from = s->larg, *select = s->rarg;
  const bool more = from->where_clause || from->n_group_clause > 0 || from->having_clause || from->n_window_clause > 0;
  if (more || select->n_from_clause > 0 || select->n_values_lists > 0 || select->larg)
    return rdx_sql_error(t->err, RDX_ERROR_FORMAT, t->text->text, t->near, NULL,
                         "between FROM and its SELECT stand tables only, and behind it no other FROM");
  return take_select(t, select, from, in_exists, out);
}

/* QUALIFY is the last one of WINDOW. */
static const PgQuery__WindowDef *find_qualify(const PgQuery__SelectStmt *s) {
  const PgQuery__WindowDef *last = s->n_window_clause > 0 ? s->window_clause[s->n_window_clause - 1]->window_def : NULL;
  return last && strcmp(last->name, RDX_SQL_QUALIFY) == 0 ? last : NULL;
}

static rdx_status take_qualify(rdx_tree *t, const PgQuery__WindowDef *w, rdx_sql_query *out) {
  RDX_TRY(rdx_tree_expression(t, w->partition_clause[0], &out->qualify));
  return w->n_partition_clause == 1 && w->n_order_clause == 0
             ? RDX_OK
             : rdx_sql_error(t->err, RDX_ERROR_FORMAT, t->text->text, out->qualify->place, NULL,
                             "QUALIFY takes one condition");
}

rdx_status rdx_tree_query(rdx_tree *t, const PgQuery__SelectStmt *s, rdx_sql_query **out) {
  rdx_sql_query *q = NULL;
  rdx_tree_node *const *const windows = t->windows;
  bool *const window_used = t->window_used;
  const size_t window_count = t->window_count;
  const uint32_t levels = t->levels;
  const bool in_exists = t->in_exists;
  t->in_exists = false; /* the queries within are not EXISTS's */
  RDX_TRY(rdx_tree_enter(t, 0));
  RDX_TRY(rdx_tree_alloc(t, 1, sizeof *q, (void **)&q));
  *out = q;
  const PgQuery__SelectStmt *select = reads_first(s->larg) ? s->rarg : s;
  const PgQuery__WindowDef *qualify = find_qualify(select);
  RDX_TRY(rdx_tree_windows(t, select->n_window_clause - (qualify != NULL), select->window_clause));
  if (s->with_clause)
    RDX_TRY(rdx_tree_with(t, s->with_clause, q));
  if (s->n_values_lists > 0)
    RDX_TRY(take_values(t, s, q));
  else if (select != s)
    RDX_TRY(take_from_first(t, s, in_exists, q));
  else if (s->larg && s->rarg)
    RDX_TRY(take_set_operation(t, s, q));
  else
    RDX_TRY(take_select(t, s, s, in_exists, q));
  if (qualify)
    RDX_TRY(take_qualify(t, qualify, q));
  RDX_TRY(take_rest(t, s, q));
  t->windows = windows;
  t->window_used = window_used;
  t->window_count = window_count;
  t->levels = levels;
  return RDX_OK;
}
