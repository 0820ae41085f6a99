/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Expressions of PostgreSQL's tree. */

#include <stdio.h>
#include <strings.h>

#include "sql/tree.h"

/* Nodes that an expression may have where one of several parents counts for each of them: CASE x WHEN has its x in
 * every comparison. */
#define MAX_NODES 4000000

typedef rdx_tree_node node;

static rdx_status create(rdx_tree *t, rdx_ast_kind kind, rdx_sql_place place, const char *name, uint32_t count,
                         rdx_ast **out) {
  rdx_ast *a = NULL;
  RDX_TRY(rdx_tree_alloc(t, 1, sizeof *a, (void **)&a));
  t->near = place > 0 ? place : t->near;
  a->kind = kind;
  a->place = place;
  a->name = name;
  a->count = count;
  if (count > 0)
    RDX_TRY(rdx_tree_alloc(t, count, sizeof(rdx_ast *), (void **)&a->args));
  t->nodes++;
  *out = a;
  return rdx_tree_refuse_if(t, t->nodes > MAX_NODES, place, "the statement is too long");
}

rdx_status rdx_tree_call(rdx_tree *t, rdx_sql_place place, const char *name, uint32_t count, rdx_ast **out) {
  return create(t, RDX_AST_CALL, place, name, count, out);
}

rdx_status rdx_tree_null(rdx_tree *t, rdx_sql_place place, rdx_ast **out) {
  return create(t, RDX_AST_NULL, place, "NULL", 0, out);
}

rdx_status rdx_tree_expressions(rdx_tree *t, size_t count, node *const *nodes, rdx_ast ***out, uint32_t *out_count) {
  RDX_TRY(rdx_tree_alloc(t, count, sizeof(rdx_ast *), (void **)out));
  *out_count = (uint32_t)count;
  for (size_t i = 0; i < count; i++)
    RDX_TRY(rdx_tree_expression(t, nodes[i], &(*out)[i]));
  return RDX_OK;
}

/* A call of expressions of the tree. */
static rdx_status call(rdx_tree *t, rdx_sql_place place, const char *name, size_t count, node *const *args,
                       rdx_ast **out) {
  RDX_TRY(rdx_tree_call(t, place, name, 0, out));
  return rdx_tree_expressions(t, count, args, &(*out)->args, &(*out)->count);
}

static rdx_status call_two(rdx_tree *t, rdx_sql_place place, const char *name, node *first, node *second,
                           rdx_ast **out) {
  node *const args[] = {first, second};
  return call(t, place, name, 2, args, out);
}

/* ---- Columns, literals, parameters ---- */

static rdx_status take_column(rdx_tree *t, const node *n, rdx_ast **out) {
  const PgQuery__ColumnRef *ref = n->column_ref;
  const rdx_sql_place place = rdx_tree_place(t, ref->location);
  const bool in_public = ref->n_fields == 3 && strcmp(rdx_tree_string(ref->fields[0]), "public") == 0;
  if (ref->n_fields < 1 || (ref->n_fields > 2 && !in_public))
    return rdx_tree_refuse(t, place, "schemas are not supported: a column is column or table.column");
  const node *last = ref->fields[ref->n_fields - 1];
  const bool star = last->node_case == PG_QUERY__NODE__NODE_A_STAR;
  RDX_TRY(create(t, star ? RDX_AST_STAR : RDX_AST_COLUMN, place, NULL, 0, out));
  if (ref->n_fields > 1)
    RDX_TRY(rdx_tree_name(t, rdx_tree_string(ref->fields[ref->n_fields - 2]), &(*out)->qualifier));
  return star ? RDX_OK : rdx_tree_name(t, rdx_tree_string(last), &(*out)->name);
}

/* The smallest integers, whose type has not the same without the sign. */
static bool is_smallest(const char *digits) {
  return strcmp(digits, "-2147483648") == 0 || strcmp(digits, "-9223372036854775808") == 0;
}

/* A number with the sign that the parser has drawn into it. */
static rdx_status take_number(rdx_tree *t, rdx_sql_place place, const char *digits, rdx_ast **out) {
  if (digits[0] != '-' || is_smallest(digits)) {
    RDX_TRY(create(t, RDX_AST_NUMBER, place, NULL, 0, out));
    return rdx_tree_copy(t, digits, &(*out)->name);
  }
  RDX_TRY(rdx_tree_call(t, place, "-", 1, out));
  return take_number(t, place, digits + 1, &(*out)->args[0]);
}

static rdx_status take_constant(rdx_tree *t, const node *n, rdx_ast **out) {
  const PgQuery__AConst *c = n->a_const;
  const rdx_sql_place place = rdx_tree_place(t, c->location);
  char digits[16];
  if (c->isnull)
    return rdx_tree_null(t, place, out);
  switch (c->val_case) {
  case PG_QUERY__A__CONST__VAL_IVAL:
    snprintf(digits, sizeof digits, "%d", c->ival->ival);
    return take_number(t, place, digits, out);
  case PG_QUERY__A__CONST__VAL_FVAL:
    return take_number(t, place, c->fval->fval, out);
  case PG_QUERY__A__CONST__VAL_BOOLVAL:
    return create(t, RDX_AST_BOOL, place, c->boolval->boolval ? "true" : "false", 0, out);
  case PG_QUERY__A__CONST__VAL_SVAL:
    RDX_TRY(create(t, RDX_AST_STRING, place, NULL, 0, out));
    return rdx_tree_copy(t, c->sval->sval, &(*out)->name);
  default:
    return rdx_tree_refuse(t, place, "bit strings are not supported");
  }
}

static rdx_status cast(rdx_tree *t, const PgQuery__TypeName *to, rdx_sql_place place, rdx_ast **out) {
  rdx_tree_type type;
  RDX_TRY(rdx_tree_take_type(t, to, &type));
  RDX_TRY(create(t, RDX_AST_CAST, place > 0 ? place : type.place, type.name, 1, out));
  (*out)->field = type.field;
  (*out)->modifier_count = type.modifier_count;
  memcpy((*out)->modifiers, type.modifiers, sizeof type.modifiers);
  return RDX_OK;
}

static rdx_status take_cast(rdx_tree *t, const node *n, rdx_ast **out) {
  RDX_TRY(cast(t, n->type_cast->type_name, rdx_tree_place(t, n->type_cast->location), out));
  return rdx_tree_expression(t, n->type_cast->arg, &(*out)->args[0]);
}

/* A parameter of PREPARE name (type, ...) has this type. */
static rdx_status take_parameter(rdx_tree *t, const node *n, rdx_ast **out) {
  const int32_t number = n->param_ref->number;
  const rdx_sql_place place = rdx_tree_place(t, n->param_ref->location);
  if (number < 1 || number > UINT16_MAX)
    return rdx_sql_error(t->err, RDX_ERROR_FORMAT, t->text->text, place, NULL, "there is no parameter $%d", number);
  if ((uint32_t)number > t->parameters)
    t->parameters = (uint32_t)number;
  rdx_ast **to = out;
  if ((size_t)number <= t->type_count && t->types[number - 1]->node_case == PG_QUERY__NODE__NODE_TYPE_NAME) {
    RDX_TRY(cast(t, t->types[number - 1]->type_name, place, out));
    to = &(*out)->args[0];
  }
  RDX_TRY(create(t, RDX_AST_PARAMETER, place, NULL, 0, to));
  (*to)->number = (uint32_t)number;
  return RDX_OK;
}

/* ---- Rows ---- */

static const PgQuery__RowExpr *row_of(const node *n) {
  return n && n->node_case == PG_QUERY__NODE__NODE_ROW_EXPR ? n->row_expr : NULL;
}

static rdx_status pair(rdx_tree *t, rdx_sql_place place, const char *name, rdx_ast *left, rdx_ast *right,
                       rdx_ast **out) {
  RDX_TRY(rdx_tree_call(t, place, name, 2, out));
  (*out)->args[0] = left;
  (*out)->args[1] = right;
  return RDX_OK;
}

/* (a, b) = (c, d) is a = c AND b = d; <> is a <> c OR b <> d; < is a < c OR (a = c AND b < d). */
static rdx_status compare_rows(rdx_tree *t, rdx_sql_place place, const char *name, rdx_ast *const *left,
                               rdx_ast *const *right, uint32_t count, rdx_ast **out) {
  const bool ordered = name[0] == '<' || name[0] == '>', differs = strcmp(name, "<>") == 0;
  char strict[2] = {name[0], '\0'};
  const char *first = NULL;
  rdx_ast *one = NULL, *equal = NULL, *rest = NULL;
  if (count == 1 || !ordered || differs) {
    RDX_TRY(pair(t, place, name, left[0], right[0], out));
    if (count == 1)
      return RDX_OK;
    one = *out;
    RDX_TRY(compare_rows(t, place, name, left + 1, right + 1, count - 1, &rest));
    return pair(t, place, strcmp(name, "=") == 0 || strcmp(name, "is not distinct from") == 0 ? "and" : "or", one, rest,
                out);
  }
  RDX_TRY(rdx_tree_copy(t, strict, &first));
  RDX_TRY(pair(t, place, first, left[0], right[0], &one));
  RDX_TRY(pair(t, place, "=", left[0], right[0], &equal));
  RDX_TRY(compare_rows(t, place, name, left + 1, right + 1, count - 1, &rest));
  RDX_TRY(pair(t, place, "and", equal, rest, &rest));
  return pair(t, place, "or", one, rest, out);
}

#define MAX_OF_A_ROW 100

/* Rows as operands: their values are compared. */
static rdx_status take_rows(rdx_tree *t, rdx_sql_place place, const char *name, rdx_ast *const *left, uint32_t count,
                            const node *other, rdx_ast **out) {
  static const char *const names[] = {"=", "<>", "<", "<=", ">", ">=", "is distinct from", "is not distinct from",
                                      NULL};
  const PgQuery__RowExpr *row = row_of(other);
  uint32_t right_count = 0, i = 0;
  rdx_ast **right = NULL;
  while (names[i] && strcmp(names[i], name) != 0)
    i++;
  RDX_TRY(rdx_tree_refuse_if(t, !row || !names[i], place, "rows are compared with rows only"));
  RDX_TRY(rdx_tree_expressions(t, row->n_args, row->args, &right, &right_count));
  if (right_count != count || count == 0 || count > MAX_OF_A_ROW)
    return rdx_sql_error(t->err, RDX_ERROR_ARGUMENT, t->text->text, place, NULL,
                         "rows of %u and of %u values cannot be compared", count, right_count);
  return compare_rows(t, place, name, left, right, count, out);
}

/* ---- Arrays ---- */

/* Those of '{1,2}' as strings. */
static rdx_status take_texts(rdx_tree *t, const node *n, rdx_sql_place place, rdx_ast ***out, uint32_t *count) {
  const PgQuery__AConst *c = n->node_case == PG_QUERY__NODE__NODE_A_CONST ? n->a_const : NULL;
  const char *text = c && c->val_case == PG_QUERY__A__CONST__VAL_SVAL ? c->sval->sval : "";
  const size_t length = strlen(text);
  *count = 0;
  if (text[0] != '{' || strpbrk(text + 1, "{\\\"") || strchr(text, '}') != text + length - 1)
    return rdx_tree_refuse(
        t, place, "ANY and ALL take a subquery, ARRAY[...] or '{...}' without quotes; unnest takes the arrays");
  RDX_TRY(rdx_tree_alloc(t, length, sizeof(rdx_ast *), (void **)out));
  for (const char *at = text + 1; at < text + length - 1; at += *at == ',') {
    char *element = NULL;
    at += strspn(at, " ");
    const size_t size = strcspn(at, ",}");
    RDX_TRY(rdx_tree_alloc(t, size + 1, 1, (void **)&element));
    memcpy(element, at, size);
    const bool null = strcasecmp(element, "null") == 0;
    RDX_TRY(create(t, null ? RDX_AST_NULL : RDX_AST_STRING, place, element, 0, &(*out)[(*count)++]));
    at += size;
  }
  return RDX_OK;
}

rdx_status rdx_tree_elements(rdx_tree *t, const node *n, rdx_sql_place place, rdx_ast ***out, uint32_t *count) {
  const PgQuery__TypeName *type = NULL; /* of the array: int[] */
  for (; n->node_case == PG_QUERY__NODE__NODE_TYPE_CAST; n = n->type_cast->arg)
    type = type ? type : n->type_cast->type_name;
  if (n->node_case == PG_QUERY__NODE__NODE_A_ARRAY_EXPR)
    RDX_TRY(rdx_tree_expressions(t, n->a_array_expr->n_elements, n->a_array_expr->elements, out, count));
  else
    RDX_TRY(take_texts(t, n, place, out, count));
  if (!type || type->n_array_bounds == 0)
    return RDX_OK;
  PgQuery__TypeName element = *type;
  element.n_array_bounds = 0;
  for (uint32_t i = 0; i < *count; i++) {
    rdx_ast *value = (*out)[i];
    RDX_TRY(cast(t, &element, place, &(*out)[i]));
    (*out)[i]->args[0] = value;
  }
  return RDX_OK;
}

static const char *quantified(const char *name) {
  static const char *const names[][2] = {
      {"", "="}, {"~~", "like"}, {"!~~", "not like"}, {"~~*", "ilike"}, {"!~~*", "not ilike"}};
  for (size_t i = 0; i < RDX_COUNT(names); i++)
    if (strcmp(name, names[i][0]) == 0)
      return names[i][1];
  return name;
}

/* x = ANY (array) is IN, <> ALL is NOT IN; others are comparisons with each element. */
static rdx_status take_any(rdx_tree *t, const PgQuery__AExpr *e, rdx_sql_place place, rdx_ast **out) {
  const bool all = e->kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP_ALL;
  const char *name = NULL;
  rdx_ast *value = NULL, **elements = NULL;
  uint32_t count = 0;
  RDX_TRY(rdx_tree_last_name(t, e->n_name, e->name, place, &name));
  RDX_TRY(rdx_tree_expression(t, e->lexpr, &value));
  RDX_TRY(rdx_tree_elements(t, e->rexpr, place, &elements, &count));
  if (count == 0)
    return create(t, RDX_AST_BOOL, place, all ? "true" : "false", 0, out);
  if (strcmp(name, all ? "<>" : "=") == 0) {
    RDX_TRY(rdx_tree_call(t, place, all ? "not in" : "in", count + 1, out));
    (*out)->args[0] = value;
    memcpy((*out)->args + 1, elements, count * sizeof *elements);
    return RDX_OK;
  }
  RDX_TRY(rdx_tree_call(t, place, all ? "and" : "or", count, out));
  for (uint32_t i = 0; i < count; i++)
    RDX_TRY(pair(t, place, quantified(name), value, elements[i], &(*out)->args[i]));
  return RDX_OK;
}

/* ---- Operators ---- */

static rdx_status take_row_operator(rdx_tree *t, rdx_sql_place place, const char *name, const PgQuery__AExpr *e,
                                    rdx_ast **out) {
  const PgQuery__RowExpr *row = row_of(e->lexpr);
  rdx_ast **left = NULL;
  uint32_t count = 0;
  RDX_TRY(rdx_tree_expressions(t, row->n_args, row->args, &left, &count));
  return take_rows(t, place, name, left, count, e->rexpr, out);
}

/* (a, b) IN ((c, d), ...) is one of the comparisons, NOT IN none. */
static rdx_status take_row_list(rdx_tree *t, const PgQuery__AExpr *e, rdx_sql_place place, bool negated,
                                rdx_ast **out) {
  const PgQuery__RowExpr *row = row_of(e->lexpr);
  const PgQuery__List *list = e->rexpr->list;
  rdx_ast **left = NULL, *any = NULL;
  uint32_t count = 0;
  RDX_TRY(rdx_tree_expressions(t, row->n_args, row->args, &left, &count));
  RDX_TRY(rdx_tree_call(t, place, "or", (uint32_t)list->n_items, &any));
  for (size_t i = 0; i < list->n_items; i++)
    RDX_TRY(take_rows(t, place, "=", left, count, list->items[i], &any->args[i]));
  *out = any;
  if (!negated)
    return RDX_OK;
  RDX_TRY(rdx_tree_call(t, place, "not", 1, out));
  (*out)->args[0] = any;
  return RDX_OK;
}

static rdx_status take_operator(rdx_tree *t, const PgQuery__AExpr *e, rdx_sql_place place, rdx_ast **out) {
  const char *name = NULL;
  RDX_TRY(rdx_tree_last_name(t, e->n_name, e->name, place, &name));
  if (row_of(e->lexpr) && e->rexpr)
    return take_row_operator(t, place, name, e, out);
  if (e->lexpr && e->rexpr)
    return call_two(t, place, name, e->lexpr, e->rexpr, out);
  node *const only = e->lexpr ? e->lexpr : e->rexpr;
  return call(t, place, name, 1, &only, out);
}

static bool is_negated(const PgQuery__AExpr *e, const char *negated) {
  return e->n_name > 0 && strcmp(rdx_tree_string(e->name[e->n_name - 1]), negated) == 0;
}

/* ESCAPE is a function of the pattern: like_escape. */
static rdx_status take_like(rdx_tree *t, const PgQuery__AExpr *e, rdx_sql_place place, rdx_ast **out) {
  const bool any_case = e->kind == PG_QUERY__A__EXPR__KIND__AEXPR_ILIKE;
  const bool negated = is_negated(e, any_case ? "!~~*" : "!~~");
  const char *name = any_case ? (negated ? "not ilike" : "ilike") : (negated ? "not like" : "like");
  return call_two(t, place, name, e->lexpr, e->rexpr, out);
}

/* The value, and the list behind it. */
static rdx_status take_list(rdx_tree *t, const PgQuery__AExpr *e, rdx_sql_place place, const char *name,
                            rdx_ast **out) {
  const PgQuery__List *list = e->rexpr->node_case == PG_QUERY__NODE__NODE_LIST ? e->rexpr->list : NULL;
  if (!list)
    return rdx_tree_refuse(t, place, "arrays are not supported");
  RDX_TRY(rdx_tree_call(t, place, name, (uint32_t)list->n_items + 1, out));
  RDX_TRY(rdx_tree_expression(t, e->lexpr, &(*out)->args[0]));
  for (size_t i = 0; i < list->n_items; i++)
    RDX_TRY(rdx_tree_expression(t, list->items[i], &(*out)->args[i + 1]));
  return RDX_OK;
}

static rdx_status take_expression(rdx_tree *t, const node *n, rdx_ast **out) {
  const PgQuery__AExpr *e = n->a_expr;
  const rdx_sql_place place = rdx_tree_place(t, e->location);
  switch (e->kind) {
  case PG_QUERY__A__EXPR__KIND__AEXPR_OP:
    return take_operator(t, e, place, out);
  case PG_QUERY__A__EXPR__KIND__AEXPR_DISTINCT:
    if (row_of(e->lexpr))
      return take_row_operator(t, place, "is distinct from", e, out);
    return call_two(t, place, "is distinct from", e->lexpr, e->rexpr, out);
  case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT:
    if (row_of(e->lexpr))
      return take_row_operator(t, place, "is not distinct from", e, out);
    return call_two(t, place, "is not distinct from", e->lexpr, e->rexpr, out);
  case PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF:
    return call_two(t, place, "nullif", e->lexpr, e->rexpr, out);
  case PG_QUERY__A__EXPR__KIND__AEXPR_IN:
    if (row_of(e->lexpr) && e->rexpr->node_case == PG_QUERY__NODE__NODE_LIST)
      return take_row_list(t, e, place, is_negated(e, "<>"), out);
    return take_list(t, e, place, is_negated(e, "<>") ? "not in" : "in", out);
  case PG_QUERY__A__EXPR__KIND__AEXPR_LIKE:
  case PG_QUERY__A__EXPR__KIND__AEXPR_ILIKE:
    return take_like(t, e, place, out);
  case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN:
    return take_list(t, e, place, "between", out);
  case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN:
    return take_list(t, e, place, "not between", out);
  case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN_SYM:
    return take_list(t, e, place, "between symmetric", out);
  case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN_SYM:
    return take_list(t, e, place, "not between symmetric", out);
  case PG_QUERY__A__EXPR__KIND__AEXPR_SIMILAR:
    return call_two(t, place, is_negated(e, "!~") ? "!~" : "~", e->lexpr, e->rexpr, out);
  default:
    return take_any(t, e, place, out);
  }
}

/* a AND (b AND c) is a AND b AND c. */
static rdx_status flatten(rdx_tree *t, rdx_ast *a) {
  uint32_t count = 0, used = 0;
  for (uint32_t i = 0; i < a->count; i++)
    count += a->args[i]->kind == RDX_AST_CALL && strcmp(a->args[i]->name, a->name) == 0 ? a->args[i]->count : 1;
  if (count == a->count)
    return RDX_OK;
  rdx_ast **args = NULL;
  RDX_TRY(rdx_tree_alloc(t, count, sizeof(rdx_ast *), (void **)&args));
  for (uint32_t i = 0; i < a->count; i++) {
    const bool same = a->args[i]->kind == RDX_AST_CALL && strcmp(a->args[i]->name, a->name) == 0;
    memcpy(args + used, same ? a->args[i]->args : &a->args[i], (same ? a->args[i]->count : 1) * sizeof *args);
    used += same ? a->args[i]->count : 1;
  }
  a->args = args;
  a->count = count;
  return RDX_OK;
}

static rdx_status take_connective(rdx_tree *t, const node *n, rdx_ast **out) {
  const PgQuery__BoolExpr *e = n->bool_expr;
  const rdx_sql_place place = rdx_tree_place(t, e->location);
  if (e->boolop == PG_QUERY__BOOL_EXPR_TYPE__NOT_EXPR)
    return call(t, place, "not", e->n_args, e->args, out);
  RDX_TRY(call(t, place, e->boolop == PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR ? "and" : "or", e->n_args, e->args, out));
  return flatten(t, *out);
}

/* (a, b) IS [NOT] NULL says that of both. */
static rdx_status take_null_test(rdx_tree *t, const node *n, rdx_ast **out) {
  const PgQuery__NullTest *e = n->null_test;
  const PgQuery__RowExpr *row = row_of(e->arg);
  const char *name = e->nulltesttype == PG_QUERY__NULL_TEST_TYPE__IS_NULL ? "is null" : "is not null";
  const rdx_sql_place place = rdx_tree_place(t, e->location);
  if (!row || row->n_args == 0)
    return call(t, place, name, 1, &e->arg, out);
  RDX_TRY(rdx_tree_call(t, place, "and", (uint32_t)row->n_args, out));
  for (size_t i = 0; i < row->n_args; i++)
    RDX_TRY(call(t, place, name, 1, &row->args[i], &(*out)->args[i]));
  return RDX_OK;
}

static rdx_status take_truth_test(rdx_tree *t, const node *n, rdx_ast **out) {
  static const char *const names[] = {[PG_QUERY__BOOL_TEST_TYPE__IS_TRUE] = "is true",
                                      [PG_QUERY__BOOL_TEST_TYPE__IS_NOT_TRUE] = "is not true",
                                      [PG_QUERY__BOOL_TEST_TYPE__IS_FALSE] = "is false",
                                      [PG_QUERY__BOOL_TEST_TYPE__IS_NOT_FALSE] = "is not false",
                                      [PG_QUERY__BOOL_TEST_TYPE__IS_UNKNOWN] = "is unknown",
                                      [PG_QUERY__BOOL_TEST_TYPE__IS_NOT_UNKNOWN] = "is not unknown"};
  const PgQuery__BooleanTest *e = n->boolean_test;
  return call(t, rdx_tree_place(t, e->location), names[e->booltesttype], 1, &e->arg, out);
}

/* ---- Forms with words of their own ---- */

/* The comparison of CASE x WHEN v. The value is the same for all of them. */
static rdx_status compare(rdx_tree *t, rdx_ast *value, const PgQuery__CaseWhen *w, rdx_ast **out) {
  const rdx_sql_place place = rdx_tree_place(t, w->location);
  RDX_TRY(rdx_tree_call(t, place, "=", 2, out));
  (*out)->args[0] = value;
  return rdx_tree_expression(t, w->expr, &(*out)->args[1]);
}

static rdx_status take_case(rdx_tree *t, const node *n, rdx_ast **out) {
  const PgQuery__CaseExpr *e = n->case_expr;
  const uint32_t count = (uint32_t)(2 * e->n_args + (e->defresult ? 1 : 0));
  rdx_ast *value = NULL;
  RDX_TRY(rdx_tree_call(t, rdx_tree_place(t, e->location), "case", count, out));
  const uint64_t before = t->nodes;
  if (e->arg)
    RDX_TRY(rdx_tree_expression(t, e->arg, &value));
  if (e->n_args > 1)
    t->nodes += (e->n_args - 1) * (t->nodes - before);
  for (size_t i = 0; i < e->n_args; i++) {
    const PgQuery__CaseWhen *w = e->args[i]->case_when;
    rdx_ast **when = &(*out)->args[2 * i];
    RDX_TRY(value ? compare(t, value, w, when) : rdx_tree_expression(t, w->expr, when));
    RDX_TRY(rdx_tree_expression(t, w->result, when + 1));
  }
  return e->defresult ? rdx_tree_expression(t, e->defresult, &(*out)->args[count - 1]) : RDX_OK;
}

static rdx_status take_coalesce(rdx_tree *t, const node *n, rdx_ast **out) {
  const PgQuery__CoalesceExpr *e = n->coalesce_expr;
  return call(t, rdx_tree_place(t, e->location), "coalesce", e->n_args, e->args, out);
}

static rdx_status take_extreme(rdx_tree *t, const node *n, rdx_ast **out) {
  const PgQuery__MinMaxExpr *e = n->min_max_expr;
  return call(t, rdx_tree_place(t, e->location), e->op == PG_QUERY__MIN_MAX_OP__IS_GREATEST ? "greatest" : "least",
              e->n_args, e->args, out);
}

static rdx_status take_row(rdx_tree *t, const node *n, rdx_ast **out) {
  return call(t, rdx_tree_place(t, n->row_expr->location), "row", n->row_expr->n_args, n->row_expr->args, out);
}

static rdx_status take_grouping(rdx_tree *t, const node *n, rdx_ast **out) {
  const PgQuery__GroupingFunc *e = n->grouping_func;
  return call(t, rdx_tree_place(t, e->location), "grouping", e->n_args, e->args, out);
}

static rdx_status take_clock(rdx_tree *t, const node *n, rdx_ast **out) {
  const rdx_sql_place place = rdx_tree_place(t, n->sqlvalue_function->location);
  switch (n->sqlvalue_function->op) {
  case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_DATE:
    return rdx_tree_call(t, place, "current_date", 0, out);
  case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIMESTAMP:
    return rdx_tree_call(t, place, "current_timestamp", 0, out);
  case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_SCHEMA:
    return rdx_tree_call(t, place, "current_schema", 0, out);
  case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_CATALOG:
    return rdx_tree_call(t, place, "current_database", 0, out);
  case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIMESTAMP:
    return rdx_tree_call(t, place, "localtimestamp", 0, out);
  default:
    return rdx_tree_refuse(t, place, "this value is not supported; current_date and current_timestamp are");
  }
}

/* ---- Functions ---- */

/* Functions whose arguments have names; those that are left out are 0, where they may be. */
static const struct named_function {
  const char *name, *arguments[8];
  bool optional;
} named_functions[] = {{"make_interval", {"years", "months", "weeks", "days", "hours", "mins", "secs"}, true},
                       {"make_date", {"year", "month", "day"}, false},
                       {"make_timestamp", {"year", "month", "mday", "hour", "min", "sec"}, false}};

static const struct named_function *find_named(const char *name) {
  for (size_t i = 0; i < RDX_COUNT(named_functions); i++)
    if (strcmp(named_functions[i].name, name) == 0)
      return &named_functions[i];
  return NULL;
}

/* The place of an argument by its name, or by where it is written. */
static rdx_status place_argument(rdx_tree *t, const struct named_function *f, uint32_t number, node **argument,
                                 uint32_t *place) {
  node *const written = *argument;
  *place = number;
  if (written->node_case != PG_QUERY__NODE__NODE_NAMED_ARG_EXPR)
    return RDX_OK;
  const PgQuery__NamedArgExpr *named = written->named_arg_expr;
  *argument = named->arg;
  for (*place = 0; f->arguments[*place]; ++*place)
    if (strcmp(f->arguments[*place], named->name) == 0)
      return RDX_OK;
  return rdx_sql_error(t->err, RDX_ERROR_ARGUMENT, t->text->text, rdx_tree_place(t, named->location), NULL,
                       "%s has no argument \"%.60s\"", f->name, named->name);
}

/* The arguments of such a function in their order. */
static rdx_status take_named(rdx_tree *t, const PgQuery__FuncCall *f, const struct named_function *named,
                             rdx_ast *out) {
  rdx_ast **args = NULL;
  RDX_TRY(rdx_tree_alloc(t, RDX_COUNT(named->arguments), sizeof *args, (void **)&args));
  for (uint32_t i = 0; i < f->n_args; i++) {
    node *argument = f->args[i];
    uint32_t place = 0;
    RDX_TRY(place_argument(t, named, i, &argument, &place));
    if (args[place])
      return rdx_sql_error(t->err, RDX_ERROR_ARGUMENT, t->text->text, out->place, NULL,
                           "argument \"%s\" of %s is there twice", named->arguments[place], named->name);
    RDX_TRY(rdx_tree_expression(t, argument, &args[place]));
  }
  for (uint32_t i = 0; named->arguments[i]; i++, out->count++) {
    if (args[i])
      continue;
    if (!named->optional)
      return rdx_sql_error(t->err, RDX_ERROR_ARGUMENT, t->text->text, out->place, NULL,
                           "argument \"%s\" of %s is missing", named->arguments[i], named->name);
    RDX_TRY(rdx_tree_alloc(t, 1, sizeof *args[i], (void **)&args[i]));
    *args[i] = (rdx_ast){.kind = RDX_AST_NUMBER, .place = out->place, .name = "0"};
  }
  out->args = args;
  return RDX_OK;
}

static rdx_status take_function(rdx_tree *t, const node *n, rdx_ast **out) {
  const PgQuery__FuncCall *f = n->func_call;
  const rdx_sql_place place = rdx_tree_place(t, f->location);
  const char *name = NULL;
  RDX_TRY(rdx_tree_refuse_if(t, f->func_variadic, place, "VARIADIC is not supported"));
  RDX_TRY(rdx_tree_last_name(t, f->n_funcname, f->funcname, place, &name));
  const struct named_function *named = find_named(name);
  const bool takes = named && f->n_args <= RDX_COUNT(named->arguments) - 1 &&
                     (f->n_args == 0 || named->arguments[f->n_args - 1]);
  RDX_TRY(call(t, place, name, takes ? 0 : f->n_args, f->args, out));
  if (takes)
    RDX_TRY(take_named(t, f, named, *out));
  (*out)->star = f->agg_star;
  (*out)->distinct = f->agg_distinct;
  (*out)->within_group = f->agg_within_group;
  RDX_TRY(rdx_tree_orders(t, f->n_agg_order, f->agg_order, &(*out)->orders, &(*out)->order_count));
  if (f->agg_filter)
    RDX_TRY(rdx_tree_expression(t, f->agg_filter, &(*out)->filter));
  return f->over ? rdx_tree_window(t, f->over, &(*out)->over) : RDX_OK;
}

/* ---- Subqueries ---- */

static rdx_status take_subquery(rdx_tree *t, const PgQuery__SubLink *s, rdx_ast *out) {
  if (!s->subselect || s->subselect->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
    return rdx_tree_refuse(t, out->place, "such a subquery is not supported");
  RDX_TRY(rdx_tree_query(t, s->subselect->select_stmt, &out->query));
  out->query->place = out->query->place > 0 ? out->query->place : out->place;
  return RDX_OK;
}

static rdx_status take_quantified(rdx_tree *t, const PgQuery__SubLink *s, rdx_sql_place place, rdx_ast **out) {
  const char *name = "";
  if (s->n_oper_name > 0)
    RDX_TRY(rdx_tree_last_name(t, s->n_oper_name, s->oper_name, place, &name));
  RDX_TRY(create(t, RDX_AST_QUANTIFY, place, quantified(name), 1, out));
  (*out)->all = s->sub_link_type == PG_QUERY__SUB_LINK_TYPE__ALL_SUBLINK;
  RDX_TRY(rdx_tree_expression(t, s->testexpr, &(*out)->args[0]));
  return take_subquery(t, s, *out);
}

static rdx_status take_sublink(rdx_tree *t, const node *n, rdx_ast **out) {
  const PgQuery__SubLink *s = n->sub_link;
  const rdx_sql_place place = rdx_tree_place(t, s->location);
  switch (s->sub_link_type) {
  case PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK:
    RDX_TRY(create(t, RDX_AST_EXISTS, place, NULL, 0, out));
    t->in_exists = true;
    return take_subquery(t, s, *out);
  case PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK:
    RDX_TRY(create(t, RDX_AST_SCALAR, place, NULL, 0, out));
    return take_subquery(t, s, *out);
  case PG_QUERY__SUB_LINK_TYPE__ANY_SUBLINK:
  case PG_QUERY__SUB_LINK_TYPE__ALL_SUBLINK:
    return take_quantified(t, s, place, out);
  default:
    return rdx_tree_refuse(t, place, "arrays are not supported");
  }
}

/* ---- What is refused ---- */

static rdx_status refuse_expression(rdx_tree *t, const node *n) {
  switch (n->node_case) {
  case PG_QUERY__NODE__NODE_COLLATE_CLAUSE:
    return rdx_tree_refuse(t, rdx_tree_place(t, n->collate_clause->location),
                           "collations are not supported, except \"C\", which all texts have");
  case PG_QUERY__NODE__NODE_A_ARRAY_EXPR:
    return rdx_tree_refuse(t, rdx_tree_place(t, n->a_array_expr->location), "arrays are not supported");
  case PG_QUERY__NODE__NODE_A_INDIRECTION:
    return rdx_tree_refuse(t, 0, "parts of arrays and of rows are not supported");
  case PG_QUERY__NODE__NODE_NAMED_ARG_EXPR:
    return rdx_tree_refuse(t, rdx_tree_place(t, n->named_arg_expr->location), "arguments by name are not supported");
  case PG_QUERY__NODE__NODE_SET_TO_DEFAULT:
    return rdx_tree_refuse(t, rdx_tree_place(t, n->set_to_default->location), "DEFAULT is not allowed in this context");
  case PG_QUERY__NODE__NODE_XML_EXPR:
    return rdx_tree_refuse(t, rdx_tree_place(t, n->xml_expr->location), "XML is not supported");
  default:
    return rdx_tree_refuse(t, 0, "the statement has an expression that is not supported");
  }
}

typedef rdx_status take_fn(rdx_tree *t, const node *n, rdx_ast **out);

static bool is_bytewise(const PgQuery__CollateClause *c) {
  const char *name = c->n_collname > 0 ? rdx_tree_string(c->collname[c->n_collname - 1]) : "";
  return strcmp(name, "C") == 0 || strcmp(name, "POSIX") == 0 || strcmp(name, "ucs_basic") == 0;
}

/* Texts are compared by their bytes in any case. */
static rdx_status take_collated(rdx_tree *t, const node *n, rdx_ast **out) {
  return rdx_tree_expression(t, n->collate_clause->arg, out);
}

static take_fn *find(const node *n) {
  switch (n->node_case) {
  case PG_QUERY__NODE__NODE_COLUMN_REF:
    return take_column;
  case PG_QUERY__NODE__NODE_A_CONST:
    return take_constant;
  case PG_QUERY__NODE__NODE_PARAM_REF:
    return take_parameter;
  case PG_QUERY__NODE__NODE_TYPE_CAST:
    return take_cast;
  case PG_QUERY__NODE__NODE_A_EXPR:
    return take_expression;
  case PG_QUERY__NODE__NODE_BOOL_EXPR:
    return take_connective;
  case PG_QUERY__NODE__NODE_NULL_TEST:
    return take_null_test;
  case PG_QUERY__NODE__NODE_BOOLEAN_TEST:
    return take_truth_test;
  case PG_QUERY__NODE__NODE_CASE_EXPR:
    return take_case;
  case PG_QUERY__NODE__NODE_COALESCE_EXPR:
    return take_coalesce;
  case PG_QUERY__NODE__NODE_MIN_MAX_EXPR:
    return take_extreme;
  case PG_QUERY__NODE__NODE_ROW_EXPR:
    return take_row;
  case PG_QUERY__NODE__NODE_GROUPING_FUNC:
    return take_grouping;
  case PG_QUERY__NODE__NODE_SQLVALUE_FUNCTION:
    return take_clock;
  case PG_QUERY__NODE__NODE_FUNC_CALL:
    return take_function;
  case PG_QUERY__NODE__NODE_SUB_LINK:
    return take_sublink;
  case PG_QUERY__NODE__NODE_COLLATE_CLAUSE:
    return is_bytewise(n->collate_clause) ? take_collated : NULL;
  default:
    return NULL;
  }
}

rdx_status rdx_tree_expression(rdx_tree *t, const node *n, rdx_ast **out) {
  take_fn *take = find(n);
  if (!take)
    return refuse_expression(t, n);
  RDX_TRY(rdx_tree_enter(t, 0));
  RDX_TRY(take(t, n, out));
  t->levels--;
  return RDX_OK;
}
