/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Conditions from SQL text: libpg_query makes a tree of it, of which the part that is supported is taken over. Its
 * state belongs to the calling thread, so that threads may parse at the same time. */

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <pg_query.h>
#include <pg_query/pg_query.pb-c.h>

#include "predicate/terms.h"
#include "sql/condition.h"
#include "sql/text.h"
#include "table/value.h"

/* What makes a statement of a condition. */
#define PREFIX "SELECT WHERE "
#define PREFIX_LENGTH (sizeof PREFIX - 1)
#define NOT_ALONE "it must be a condition alone, as it stands after WHERE"

/* Levels that a condition's tree may have, so that nobody's recursion has to end in a crash. */
#define MAX_LEVELS 300

typedef struct parser {
  rdx_condition *condition;
  rdx_error *err;
  rdx_sql_source text; /* of the condition */
} parser;

typedef PgQuery__Node node;

static uint32_t place(int32_t location) {
  return location >= (int32_t)PREFIX_LENGTH ? (uint32_t)location - (uint32_t)PREFIX_LENGTH + 1 : 0;
}

static uint32_t place_of(const node *n) {
  switch (n->node_case) {
  case PG_QUERY__NODE__NODE_A_EXPR:
    return n->a_expr->lexpr ? place_of(n->a_expr->lexpr) : place(n->a_expr->location);
  case PG_QUERY__NODE__NODE_COLUMN_REF:
    return place(n->column_ref->location);
  case PG_QUERY__NODE__NODE_A_CONST:
    return place(n->a_const->location);
  case PG_QUERY__NODE__NODE_TYPE_CAST:
    return place(n->type_cast->location);
  case PG_QUERY__NODE__NODE_FUNC_CALL:
    return place(n->func_call->location);
  case PG_QUERY__NODE__NODE_SUB_LINK:
    return place(n->sub_link->location);
  case PG_QUERY__NODE__NODE_PARAM_REF:
    return place(n->param_ref->location);
  case PG_QUERY__NODE__NODE_COLLATE_CLAUSE:
    return n->collate_clause->arg ? place_of(n->collate_clause->arg) : place(n->collate_clause->location);
  case PG_QUERY__NODE__NODE_SQLVALUE_FUNCTION:
    return place(n->sqlvalue_function->location);
  case PG_QUERY__NODE__NODE_ROW_EXPR:
    return place(n->row_expr->location);
  case PG_QUERY__NODE__NODE_A_ARRAY_EXPR:
    return place(n->a_array_expr->location);
  case PG_QUERY__NODE__NODE_CASE_EXPR:
    return place(n->case_expr->location);
  case PG_QUERY__NODE__NODE_COALESCE_EXPR:
    return place(n->coalesce_expr->location);
  case PG_QUERY__NODE__NODE_MIN_MAX_EXPR:
    return place(n->min_max_expr->location);
  default:
    return 0;
  }
}

/* ---- The text ---- */

/* Where what is in quotes at `text` ends, behind them; NULL: nothing is. */
static const char *skip_quotes(const char *text) {
  const char quote = *text;
  if (quote != '\'' && quote != '"')
    return NULL;
  for (text++; *text && (*text != quote || text[1] == quote); text++)
    text += *text == quote;
  return text + (*text == quote);
}

/* Whether there is a date without quotes, such as 2024-01-31 or 31/1/2024, which is an expression to SQL. */
static bool has_bare_date(const char *text) {
  static const char digits[] = "0123456789";
  while (*text) {
    const char *behind = skip_quotes(text);
    const size_t first = strspn(text, digits);
    const char separator = text[first];
    text = behind ? behind : text + (first > 0 ? first : 1);
    if (behind || first == 0 || (separator != '-' && separator != '/' && separator != '.'))
      continue;
    const size_t second = strspn(text + 1, digits);
    if (second > 0 && text[1 + second] == separator && isdigit((unsigned char)text[2 + second]))
      return true;
  }
  return false;
}

static rdx_status unsupported(const parser *p, uint32_t position, const char *what) {
  return rdx_sql_fail(p->err, RDX_ERROR_UNSUPPORTED, position, "%s", what);
}

static rdx_status alloc(parser *p, uint64_t count, size_t size, void **out) {
  RDX_TRY(rdx_arena_alloc(&p->condition->arena, count, size, "a condition", out, p->err));
  memset(*out, 0, count * size);
  return RDX_OK;
}

static rdx_status copy_text(parser *p, const char *text, const char **out) {
  char *copy = NULL;
  RDX_TRY(alloc(p, strlen(text) + 2, 1, (void **)&copy)); /* one more, for a sign */
  memcpy(copy, text, strlen(text));
  *out = copy;
  return RDX_OK;
}

/* ---- Columns ---- */

static rdx_status add_name(parser *p, const char *name, uint32_t *out) {
  rdx_condition *c = p->condition;
  for (*out = 0; *out < c->name_count; (*out)++)
    if (strcmp(c->names[*out], name) == 0)
      return RDX_OK;
  RDX_TRY(
      rdx_reserve_one((void **)&c->names, c->name_count, &c->name_capacity, sizeof *c->names, "a condition", p->err));
  const char *copy = NULL;
  RDX_TRY(copy_text(p, name, &copy));
  c->names[c->name_count++] = (char *)(uintptr_t)copy;
  return RDX_OK;
}

static rdx_status take_column(parser *p, const node *n, uint32_t *out) {
  const PgQuery__ColumnRef *ref = n->column_ref;
  if (ref->n_fields != 1 || ref->fields[0]->node_case != PG_QUERY__NODE__NODE_STRING)
    return unsupported(p, place_of(n), "a column is named by its name alone");
  const char *name = NULL;
  RDX_TRY(rdx_sql_text_name(&p->text, ref->fields[0]->string->sval, &p->condition->arena, &name, p->err));
  return add_name(p, name, out);
}

static bool is_column(const node *n) {
  return n && n->node_case == PG_QUERY__NODE__NODE_COLUMN_REF;
}

/* ---- Literals ---- */

static rdx_status take_constant(parser *p, const PgQuery__AConst *c, rdx_literal *out) {
  char digits[16];
  *out = (rdx_literal){.kind = RDX_LITERAL_NULL, .text = "NULL", .position = place(c->location)};
  if (c->isnull)
    return RDX_OK;
  switch (c->val_case) {
  case PG_QUERY__A__CONST__VAL_IVAL:
    out->kind = RDX_LITERAL_NUMBER;
    snprintf(digits, sizeof digits, "%d", c->ival->ival);
    return copy_text(p, digits, &out->text);
  case PG_QUERY__A__CONST__VAL_FVAL:
    out->kind = RDX_LITERAL_NUMBER;
    return copy_text(p, c->fval->fval, &out->text);
  case PG_QUERY__A__CONST__VAL_BOOLVAL:
    out->kind = RDX_LITERAL_BOOL;
    out->truth = c->boolval->boolval;
    out->text = out->truth ? "true" : "false";
    return RDX_OK;
  case PG_QUERY__A__CONST__VAL_SVAL:
    out->kind = RDX_LITERAL_UNTYPED;
    return copy_text(p, c->sval->sval, &out->text);
  default:
    return unsupported(p, out->position, "there are no columns of bit strings");
  }
}

static rdx_status take_literal(parser *p, const node *n, rdx_literal *out);

/* The types that a literal can be cast to. `value`: the type whose range, and rounding, a number gets. */
typedef struct cast_type {
  const char *name;
  rdx_literal_kind kind;
  rdx_type value;
} cast_type;

static const cast_type *find_cast(const char *name) {
  static const cast_type types[] = {
      {"int2", RDX_LITERAL_NUMBER, RDX_TYPE_I16},          {"int4", RDX_LITERAL_NUMBER, RDX_TYPE_I32},
      {"int8", RDX_LITERAL_NUMBER, RDX_TYPE_I64},          {"numeric", RDX_LITERAL_NUMBER, RDX_TYPE_NONE},
      {"float4", RDX_LITERAL_NUMBER, RDX_TYPE_F32},        {"float8", RDX_LITERAL_NUMBER, RDX_TYPE_F64},
      {"bool", RDX_LITERAL_BOOL, RDX_TYPE_NONE},           {"date", RDX_LITERAL_DATE, RDX_TYPE_NONE},
      {"timestamp", RDX_LITERAL_TIMESTAMP, RDX_TYPE_NONE}, {"text", RDX_LITERAL_TEXT, RDX_TYPE_NONE},
      {"varchar", RDX_LITERAL_TEXT, RDX_TYPE_NONE}};
  for (size_t i = 0; i < RDX_COUNT(types); i++)
    if (strcmp(types[i].name, name) == 0)
      return &types[i];
  return NULL;
}

/* What a literal of a kind becomes as such a type; false where it cannot. */
static bool cast(rdx_literal *l, const cast_type *to) {
  const bool integer = to->value != RDX_TYPE_NONE && to->value != RDX_TYPE_F32 && to->value != RDX_TYPE_F64;
  if (integer && strspn(l->text, "+-0123456789") != strlen(l->text))
    return false;
  if (l->kind == to->kind)
    return true;
  if (l->kind != RDX_LITERAL_UNTYPED)
    return false;
  l->kind = to->kind;
  l->truth = l->kind == RDX_LITERAL_BOOL && strcmp(l->text, "true") == 0;
  return l->kind != RDX_LITERAL_BOOL || l->truth || strcmp(l->text, "false") == 0;
}

/* A number as a value of its type: within its range, and as near as a real comes. */
static rdx_status narrow(parser *p, const cast_type *to, uint32_t position, rdx_literal *l) {
  union {
    int64_t integer;
    double f64;
    float f32;
  } value;
  const char *text = l->text + (l->text[0] == '+');
  if (to->value == RDX_TYPE_NONE)
    return RDX_OK;
  const rdx_parse result = rdx_value_parse(to->value, 0, text, strlen(text), &value);
  if (result == RDX_PARSE_RANGE)
    return rdx_sql_fail(p->err, RDX_ERROR_RANGE, position, "'%.60s' is out of the range of type '%s'", l->text,
                        to->name);
  if (result != RDX_PARSE_OK || to->value != RDX_TYPE_F32)
    return RDX_OK; /* what is no number is told where it is compared */
  char digits[32];
  rdx_text_print(digits, sizeof digits, "%.17g", (double)value.f32);
  return copy_text(p, digits, &l->text);
}

static rdx_status take_cast(parser *p, const node *n, rdx_literal *out) {
  const PgQuery__TypeName *t = n->type_cast->type_name;
  RDX_TRY(take_literal(p, n->type_cast->arg, out));
  const node *last = t->n_names > 0 ? t->names[t->n_names - 1] : NULL;
  const char *type = last && last->node_case == PG_QUERY__NODE__NODE_STRING ? last->string->sval : "";
  const cast_type *to = find_cast(type);
  if (!to || t->n_typmods > 0 || t->n_array_bounds > 0 || (out->kind != RDX_LITERAL_NULL && !cast(out, to)))
    return rdx_sql_fail(p->err, RDX_ERROR_UNSUPPORTED, place(t->location),
                        "'%.60s' cannot be cast to type '%.60s' here", out->text, type);
  return out->kind == RDX_LITERAL_NUMBER ? narrow(p, to, place(t->location), out) : RDX_OK;
}

/* +literal, -literal */
static rdx_status take_signed(parser *p, const node *n, rdx_literal *out) {
  const PgQuery__AExpr *e = n->a_expr;
  const char *name =
      e->n_name == 1 && e->name[0]->node_case == PG_QUERY__NODE__NODE_STRING ? e->name[0]->string->sval : "";
  RDX_TRY(take_literal(p, e->rexpr, out));
  if (out->kind != RDX_LITERAL_NUMBER || (strcmp(name, "-") != 0 && strcmp(name, "+") != 0))
    return unsupported(p, place_of(n), "expressions are not supported, only columns and literals");
  if (name[0] == '+')
    return RDX_OK;
  if (out->text[0] == '-') {
    out->text++;
    return RDX_OK;
  }
  const char *text = out->text + (out->text[0] == '+');
  char *copy = NULL;
  RDX_TRY(alloc(p, strlen(text) + 2, 1, (void **)&copy));
  copy[0] = '-';
  memcpy(copy + 1, text, strlen(text));
  out->text = copy;
  return RDX_OK;
}

static rdx_status take_literal(parser *p, const node *n, rdx_literal *out) {
  if (n && n->node_case == PG_QUERY__NODE__NODE_A_CONST)
    return take_constant(p, n->a_const, out);
  if (n && n->node_case == PG_QUERY__NODE__NODE_TYPE_CAST)
    return take_cast(p, n, out);
  if (n && n->node_case == PG_QUERY__NODE__NODE_A_EXPR && n->a_expr->kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP &&
      !n->a_expr->lexpr)
    return take_signed(p, n, out);
  if (is_column(n))
    return unsupported(p, place_of(n), "a column can be compared with literals only; strings stand in single quotes");
  if (has_bare_date(p->text.text))
    return unsupported(p, n ? place_of(n) : 0, "dates and times stand in single quotes, such as '2024-01-31'");
  return unsupported(p, n ? place_of(n) : 0, "expressions are not supported, only columns and literals");
}

/* ---- Comparisons ---- */

static bool find_operator(const char *name, rdx_predicate_kind *out) {
  static const struct {
    const char *name;
    rdx_predicate_kind kind;
  } operators[] = {{"=", RDX_PREDICATE_EQ},  {"<>", RDX_PREDICATE_NE}, {"<", RDX_PREDICATE_LT},
                   {"<=", RDX_PREDICATE_LE}, {">", RDX_PREDICATE_GT},  {">=", RDX_PREDICATE_GE}};
  for (size_t i = 0; i < RDX_COUNT(operators); i++) {
    if (strcmp(name, operators[i].name) == 0) {
      *out = operators[i].kind;
      return true;
    }
  }
  return false;
}

static rdx_status take_literals(parser *p, const node *column, node *const *items, size_t count, rdx_sql_node *out) {
  RDX_TRY(take_column(p, column, &out->column));
  RDX_TRY(alloc(p, count, sizeof *out->literals, (void **)&out->literals));
  out->count = (uint32_t)count;
  for (size_t i = 0; i < count; i++)
    RDX_TRY(take_literal(p, items[i], &out->literals[i]));
  return RDX_OK;
}

static rdx_status take_comparison(parser *p, const node *n, rdx_sql_node *out) {
  PgQuery__AExpr *e = n->a_expr;
  const node *name = e->n_name > 0 ? e->name[e->n_name - 1] : NULL;
  if (!name || name->node_case != PG_QUERY__NODE__NODE_STRING || !find_operator(name->string->sval, &out->kind))
    return rdx_sql_fail(p->err, RDX_ERROR_UNSUPPORTED, place(e->location),
                        "there is no operator '%.40s'; there are =, <>, <, <=, > and >=",
                        name && name->node_case == PG_QUERY__NODE__NODE_STRING ? name->string->sval : "");
  if (is_column(e->lexpr))
    return take_literals(p, e->lexpr, &e->rexpr, 1, out);
  if (!is_column(e->rexpr))
    return unsupported(p, place_of(n), "a comparison needs a column by itself on one side");
  out->kind = rdx_predicate_mirrored(out->kind);
  return take_literals(p, e->rexpr, &e->lexpr, 1, out);
}

static rdx_status negate(parser *p, rdx_sql_node *turned) {
  rdx_sql_node *inner = NULL;
  RDX_TRY(alloc(p, 1, sizeof *inner, (void **)&inner));
  *inner = *turned;
  *turned = (rdx_sql_node){.kind = RDX_PREDICATE_NOT, .count = 1, .children = inner};
  return RDX_OK;
}

static rdx_status take_set(parser *p, const node *n, rdx_sql_node *out) {
  const PgQuery__AExpr *e = n->a_expr;
  const bool list = e->kind == PG_QUERY__A__EXPR__KIND__AEXPR_IN;
  if (!is_column(e->lexpr) || !e->rexpr || e->rexpr->node_case != PG_QUERY__NODE__NODE_LIST)
    return unsupported(p, place_of(n),
                       list ? "IN needs a column by itself before it and a list of literals after it"
                            : "BETWEEN needs a column by itself before it");
  out->kind = list ? RDX_PREDICATE_IN : RDX_PREDICATE_BETWEEN;
  RDX_TRY(take_literals(p, e->lexpr, e->rexpr->list->items, e->rexpr->list->n_items, out));
  const bool turned = list ? e->n_name == 1 && e->name[0]->node_case == PG_QUERY__NODE__NODE_STRING &&
                                 strcmp(e->name[0]->string->sval, "<>") == 0
                           : e->kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN;
  return turned ? negate(p, out) : RDX_OK;
}

static rdx_status take_expression(parser *p, const node *n, rdx_sql_node *out) {
  switch (n->a_expr->kind) {
  case PG_QUERY__A__EXPR__KIND__AEXPR_OP:
    return take_comparison(p, n, out);
  case PG_QUERY__A__EXPR__KIND__AEXPR_IN:
  case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN:
  case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN:
    return take_set(p, n, out);
  default:
    return unsupported(p, place(n->a_expr->location), "only comparisons, BETWEEN, IN and IS are supported");
  }
}

/* ---- Tests ---- */

/* column = truth, of a column of truth values */
static rdx_status take_truth(parser *p, const node *column, bool truth, rdx_sql_node *out) {
  RDX_TRY(take_column(p, column, &out->column));
  RDX_TRY(alloc(p, 1, sizeof *out->literals, (void **)&out->literals));
  out->kind = RDX_PREDICATE_EQ;
  out->count = 1;
  out->literals[0] = (rdx_literal){
      .kind = RDX_LITERAL_BOOL, .truth = truth, .text = truth ? "true" : "false", .position = place_of(column)};
  return RDX_OK;
}

static rdx_status take_null_test(parser *p, const node *n, rdx_sql_node *out) {
  const PgQuery__NullTest *t = n->null_test;
  if (!is_column(t->arg))
    return unsupported(p, place(t->location), "IS NULL needs a column by itself before it");
  out->kind = t->nulltesttype == PG_QUERY__NULL_TEST_TYPE__IS_NULL ? RDX_PREDICATE_IS_NULL : RDX_PREDICATE_IS_NOT_NULL;
  return take_column(p, t->arg, &out->column);
}

/* These are never unknown: c IS TRUE is c IS NOT NULL AND c = TRUE. */
static rdx_status take_truth_test(parser *p, const node *n, rdx_sql_node *out) {
  const PgQuery__BooleanTest *t = n->boolean_test;
  const PgQuery__BoolTestType test = t->booltesttype;
  if (!is_column(t->arg))
    return unsupported(p, place(t->location), "IS TRUE, FALSE and UNKNOWN need a column by itself before them");
  rdx_sql_node *sides = NULL;
  RDX_TRY(alloc(p, 2, sizeof *sides, (void **)&sides));
  RDX_TRY(take_truth(p, t->arg,
                     test == PG_QUERY__BOOL_TEST_TYPE__IS_TRUE || test == PG_QUERY__BOOL_TEST_TYPE__IS_NOT_TRUE,
                     &sides[0]));
  sides[1] = (rdx_sql_node){.kind = RDX_PREDICATE_IS_NOT_NULL, .column = sides[0].column};
  if (test == PG_QUERY__BOOL_TEST_TYPE__IS_UNKNOWN || test == PG_QUERY__BOOL_TEST_TYPE__IS_NOT_UNKNOWN) {
    /* K or (x = true and K), which is K; the comparison is there to ask for a bool column. */
    rdx_sql_node *tests = NULL;
    RDX_TRY(alloc(p, 2, sizeof *tests, (void **)&tests));
    sides[1].kind = test == PG_QUERY__BOOL_TEST_TYPE__IS_UNKNOWN ? RDX_PREDICATE_IS_NULL : RDX_PREDICATE_IS_NOT_NULL;
    tests[0] = sides[1];
    tests[1] = (rdx_sql_node){.kind = RDX_PREDICATE_AND, .count = 2, .children = sides};
    *out = (rdx_sql_node){.kind = RDX_PREDICATE_OR, .count = 2, .children = tests};
    return RDX_OK;
  }
  *out = (rdx_sql_node){.kind = RDX_PREDICATE_AND, .count = 2, .children = sides};
  const bool turned = test == PG_QUERY__BOOL_TEST_TYPE__IS_NOT_TRUE || test == PG_QUERY__BOOL_TEST_TYPE__IS_NOT_FALSE;
  return turned ? negate(p, out) : RDX_OK;
}

/* ---- Trees, whose depth check_levels() has bounded ---- */

static rdx_status take(parser *p, const node *n, rdx_sql_node *out);

static rdx_status take_connective(parser *p, const node *n, rdx_sql_node *out) {
  const PgQuery__BoolExpr *e = n->bool_expr;
  out->kind = e->boolop == PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR  ? RDX_PREDICATE_AND
              : e->boolop == PG_QUERY__BOOL_EXPR_TYPE__OR_EXPR ? RDX_PREDICATE_OR
                                                               : RDX_PREDICATE_NOT;
  out->count = (uint32_t)e->n_args;
  RDX_TRY(alloc(p, e->n_args, sizeof *out->children, (void **)&out->children));
  for (size_t i = 0; i < e->n_args; i++)
    RDX_TRY(take(p, e->args[i], &out->children[i]));
  return RDX_OK;
}

static rdx_status take(parser *p, const node *n, rdx_sql_node *out) {
  switch (n->node_case) {
  case PG_QUERY__NODE__NODE_BOOL_EXPR:
    return take_connective(p, n, out);
  case PG_QUERY__NODE__NODE_A_EXPR:
    return take_expression(p, n, out);
  case PG_QUERY__NODE__NODE_NULL_TEST:
    return take_null_test(p, n, out);
  case PG_QUERY__NODE__NODE_BOOLEAN_TEST:
    return take_truth_test(p, n, out);
  case PG_QUERY__NODE__NODE_COLUMN_REF:
    return take_truth(p, n, true, out);
  case PG_QUERY__NODE__NODE_A_CONST:
    if (n->a_const->val_case == PG_QUERY__A__CONST__VAL_BOOLVAL) {
      out->kind = RDX_PREDICATE_TRUE;
      return n->a_const->boolval->boolval ? RDX_OK : negate(p, out);
    }
    return unsupported(p, place_of(n), "a literal by itself is no condition");
  default:
    return unsupported(p, place_of(n), "only comparisons of columns with literals, AND, OR and NOT are supported");
  }
}

/* The one condition of the statement, and nothing beside it. */
static rdx_status take_statement(parser *p, const PgQuery__ParseResult *tree) {
  const node *n = tree->n_stmts > 0 ? tree->stmts[0]->stmt : NULL;
  if (!n || n->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
    return unsupported(p, 0, "it is empty");
  const PgQuery__SelectStmt *s = n->select_stmt;
  const bool more = s->n_distinct_clause > 0 || s->into_clause || s->n_target_list > 0 || s->n_from_clause > 0 ||
                    s->n_group_clause > 0 || s->having_clause || s->n_window_clause > 0 || s->n_values_lists > 0 ||
                    s->n_sort_clause > 0 || s->limit_offset || s->limit_count || s->n_locking_clause > 0 ||
                    s->with_clause || s->larg || s->rarg || tree->n_stmts > 1;
  if (more || !s->where_clause)
    return unsupported(p, 0, NOT_ALONE);
  return take(p, s->where_clause, &p->condition->root);
}

/* ---- The parser ---- */

static rdx_status fail_parse(const parser *p, const PgQueryError *error) {
  return rdx_sql_fail(
      p->err, RDX_ERROR_FORMAT, error->cursorpos > 0 ? place(error->cursorpos - 1) : 0, "%s%s", error->message,
      has_bare_date(p->text.text) ? "; dates and times stand in single quotes, such as '2024-01-31'" : "");
}

static rdx_status parse(parser *p, const char *statement) {
  PgQueryProtobufParseResult result = pg_query_parse_protobuf(statement);
  rdx_status status = RDX_OK;
  if (result.error) {
    status = fail_parse(p, result.error);
  } else {
    PgQuery__ParseResult *tree =
        pg_query__parse_result__unpack(NULL, result.parse_tree.len, (const uint8_t *)result.parse_tree.data);
    status = tree ? take_statement(p, tree) : rdx_fail(p->err, RDX_ERROR_MEMORY, "host memory ran out: a condition");
    pg_query__parse_result__free_unpacked(tree, NULL);
  }
  pg_query_free_protobuf_parse_result(result);
  return status;
}

/* The condition behind the words that make a statement of it, with blanks for those before it. */
static rdx_status write_statement(const parser *p, rdx_arena *scratch, char **out) {
  const rdx_sql_source *t = &p->text;
  const size_t blanks = (size_t)(t->begin - t->text), length = (size_t)(t->end - t->begin);
  if (*t->next || rdx_token_at(t->text).begin != t->begin || t->insertion_count > 0)
    return rdx_sql_fail(p->err, RDX_ERROR_UNSUPPORTED, 0, NOT_ALONE);
  if (t->levels > MAX_LEVELS)
    return rdx_sql_fail(p->err, RDX_ERROR_UNSUPPORTED, 0, "it is too deep to be taken in");
  RDX_TRY(rdx_arena_alloc(scratch, PREFIX_LENGTH + blanks + length + 1, 1, "a condition", (void **)out, p->err));
  memcpy(*out, PREFIX, PREFIX_LENGTH);
  memset(*out + PREFIX_LENGTH, ' ', blanks);
  if (length > 0)
    memcpy(*out + PREFIX_LENGTH + blanks, t->copy, length);
  (*out)[PREFIX_LENGTH + blanks + length] = '\0';
  return RDX_OK;
}

rdx_status rdx_condition_parse(const char *text, rdx_condition **out, rdx_error *err) {
  if (!text || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_condition_parse: text and out must not be NULL");
  RDX_SCOPED(rdx_condition_destroy) rdx_condition *c = NULL;
  char *statement = NULL;
  RDX_SCOPED(rdx_arena_free) rdx_arena scratch = {0};
  RDX_TRY(rdx_calloc(1, sizeof *c, "a condition", (void **)&c, err));
  parser p = {.condition = c, .err = err};
  RDX_TRY(rdx_sql_text_scan(text, &scratch, &p.text, err));
  RDX_TRY(write_statement(&p, &scratch, &statement));
  RDX_TRY(parse(&p, statement));
  *out = RDX_KEEP(c);
  return RDX_OK;
}

void rdx_condition_destroy(rdx_condition **condition) {
  if (!condition || !*condition)
    return;
  rdx_arena_free(&(*condition)->arena);
  rdx_arena_free(&(*condition)->bound);
  RDX_FREE_ALL((*condition)->names, *condition);
  *condition = NULL;
}

uint32_t rdx_condition_columns(const rdx_condition *condition) {
  return condition ? condition->name_count : 0;
}

const char *rdx_condition_column_name(const rdx_condition *condition, uint32_t index) {
  return index < rdx_condition_columns(condition) ? condition->names[index] : NULL;
}
