/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * What both sides mean alike. Everything that is not named here stays with PostgreSQL. */
#include "raydex_fdw.h"

#include <math.h>

#include <access/transam.h>
#include <catalog/pg_aggregate.h>
#include <catalog/pg_collation.h>
#include <catalog/pg_operator.h>
#include <catalog/pg_proc.h>
#include <catalog/pg_type.h>
#include <nodes/nodeFuncs.h>
#include <optimizer/optimizer.h>
#include <optimizer/tlist.h>
#include <parser/parsetree.h>
#include <utils/array.h>
#include <mb/pg_wchar.h>
#include <utils/builtins.h>
#include <utils/date.h>
#include <utils/fmgroids.h>
#include <utils/lsyscache.h>
#include <utils/memutils.h>
#include <utils/pg_locale.h>
#include <utils/syscache.h>
#include <utils/typcache.h>

/* 0001-01-01 and 9999-12-31, from 1970-01-01. */
#define FIRST_DAY (-719162)
#define LAST_DAY 2932896

/* Numbers of characters that functions of texts take. */
#define MAX_CHARACTERS 1000000

typedef struct Context {
  PlannerInfo *root;
  Relids relids;
  bool aggregates; /* are allowed here */
} Context;

static bool check(const Context *c, Node *node);

static bool check_list(const Context *c, List *list) {
  ListCell *cell;
  foreach (cell, list) {
    if (!check(c, lfirst(cell)))
      return false;
  }
  return true;
}

static bool is_text(Oid type) {
  return type == TEXTOID || type == VARCHAROID;
}

static bool is_integer(Oid type) {
  return type == INT2OID || type == INT4OID || type == INT8OID;
}

static bool is_float(Oid type) {
  return type == FLOAT4OID || type == FLOAT8OID;
}

static bool is_exact(Oid type) {
  return is_integer(type) || type == NUMERICOID;
}

/* Equality of texts is that of their bytes. */
static bool is_deterministic(Oid collation) {
  return !OidIsValid(collation) || get_collation_isdeterministic(collation);
}

/* In the order of the bytes of UTF-8, which is that of code points. */
static bool is_bytewise(Oid collation) {
  const int encoding = GetDatabaseEncoding();
  return (encoding == PG_UTF8 || encoding == PG_LATIN1 || encoding == PG_SQL_ASCII) && OidIsValid(collation) &&
         lc_collate_is_c(collation);
}

/* ---- How large results become, by the statistics of the columns ---- */

typedef struct Bounds {
  double min, max;
  int scale;
} Bounds;

/* Views and CSV have no statistics: what a type of up to 32 bits can hold. */
static bool bound_type(rdx_type type, Bounds *out) {
  static const Bounds types[] = {[RDX_TYPE_I8] = {INT8_MIN, INT8_MAX, 0},    [RDX_TYPE_U8] = {0, UINT8_MAX, 0},
                                 [RDX_TYPE_I16] = {INT16_MIN, INT16_MAX, 0}, [RDX_TYPE_U16] = {0, UINT16_MAX, 0},
                                 [RDX_TYPE_I32] = {INT32_MIN, INT32_MAX, 0}, [RDX_TYPE_U32] = {0, UINT32_MAX, 0}};
  if ((size_t)type >= lengthof(types) || types[type].max == 0)
    return false;
  *out = types[type];
  return true;
}

static bool bound_column(const Context *c, const Var *var, Bounds *out) {
  RangeTblEntry *entry = planner_rt_fetch(var->varno, c->root);
  RaydexTable *table = raydex_table_of(entry->relid);
  const int place = raydex_column_place(table, entry->relid, var->varattno);
  const RaydexRange *range = raydex_range(table, place);
  if (!range->known)
    return bound_type(table->types[place], out);
  *out = (Bounds){range->min, range->max, table->scales[place]};
  return true;
}

static bool bound_constant(const Const *constant, Bounds *out) {
  if (constant->constisnull)
    return false;
  if (constant->consttype == DATEOID) {
    const double day = (double)DatumGetDateADT(constant->constvalue) + POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE;
    *out = (Bounds){day, day, 0};
    return true;
  }
  Oid output;
  bool varlena;
  getTypeOutputInfo(constant->consttype, &output, &varlena);
  const char *text = OidOutputFunctionCall(output, constant->constvalue);
  const char *point = strchr(text, '.');
  const double value = strtod(text, NULL);
  *out = (Bounds){value, value, point ? (int)strlen(point + 1) : 0};
  return isfinite(value);
}

static bool bound(const Context *c, Node *node, Bounds *out);

/* What is nearly too large counts as too large: bounds are doubles. */
static bool fits(Oid type, const Bounds *b) {
  const double size = Max(fabs(b->min), fabs(b->max));
  switch (type) {
  case INT2OID:
    return size < 32767;
  case INT4OID:
    return size < 2147483647.0;
  case INT8OID:
    return size < 9.2e18;
  case DATEOID:
    return b->min >= FIRST_DAY && b->max <= LAST_DAY;
  default:
    return size < 0.9e18 / pow(10, b->scale) && b->scale <= 18;
  }
}

static bool bound_operator(const Context *c, const OpExpr *op, Bounds *out) {
  Bounds l, r;
  if (list_length(op->args) == 1 && strcmp(get_opname(op->opno), "-") == 0 && bound(c, linitial(op->args), &l)) {
    *out = (Bounds){-l.max, -l.min, l.scale};
    return fits(op->opresulttype, out);
  }
  if (list_length(op->args) != 2 || !bound(c, linitial(op->args), &l) || !bound(c, lsecond(op->args), &r))
    return false;
  const char *name = get_opname(op->opno);
  const int scale = Max(l.scale, r.scale);
  if (strcmp(name, "+") == 0) {
    *out = (Bounds){l.min + r.min, l.max + r.max, scale};
  } else if (strcmp(name, "-") == 0) {
    *out = (Bounds){l.min - r.max, l.max - r.min, scale};
  } else if (strcmp(name, "/") == 0) { /* of integers, by a constant from 1 on */
    *out = (Bounds){l.min / r.min, l.max / r.min, 0};
  } else if (strcmp(name, "%") == 0) {
    *out = (Bounds){1 - r.max, r.max - 1, 0};
  } else {
    const double a = l.min * r.min, b = l.min * r.max, d = l.max * r.min, e = l.max * r.max;
    *out = (Bounds){Min(Min(a, b), Min(d, e)), Max(Max(a, b), Max(d, e)), l.scale + r.scale};
  }
  return fits(op->opresulttype, out);
}

/* Of values of which one is taken; NULL is any. Decimals must have one scale: PostgreSQL's keep their own. */
static bool bound_any(const Context *c, List *values, Bounds *out) {
  bool found = false;
  ListCell *cell;
  foreach (cell, values) {
    Bounds b;
    if (IsA(lfirst(cell), Const) && ((Const *)lfirst(cell))->constisnull)
      continue;
    if (!bound(c, lfirst(cell), &b) || (found && b.scale != out->scale))
      return false;
    *out = found ? (Bounds){Min(out->min, b.min), Max(out->max, b.max), b.scale} : b;
    found = true;
  }
  return found;
}

/* Whether an unsigned column may have what bigint has not: Raydex compares it, and takes its extremes, but calculates
 * with bigint. */
static bool is_wide(Node *node, void *context) {
  const Context *c = context;
  if (!node)
    return false;
  if (!IsA(node, Var))
    return expression_tree_walker(node, is_wide, context);
  const Var *var = (const Var *)node;
  const RangeTblEntry *entry = planner_rt_fetch(var->varno, c->root);
  RaydexTable *table = raydex_table_of(entry->relid);
  const int place = raydex_column_place(table, entry->relid, var->varattno);
  const RaydexRange *range = raydex_range(table, place);
  return table->types[place] == RDX_TYPE_U64 && !(range->known && range->max < 9.2e18);
}

/* Values of which one is taken. */
static bool is_any_wide(const Context *c, List *values) {
  return is_wide((Node *)values, (void *)c);
}

static Node *replace_test(Node *node, void *argument) {
  if (node && IsA(node, CaseTestExpr))
    return argument;
  return node ? expression_tree_mutator(node, replace_test, argument) : NULL;
}

Node *raydex_case_condition(const CaseExpr *expression, const CaseWhen *when) {
  return expression->arg ? replace_test((Node *)when->expr, expression->arg) : (Node *)when->expr;
}

static List *case_results(const CaseExpr *expression) {
  List *results = NIL;
  ListCell *cell;
  foreach (cell, expression->args)
    results = lappend(results, lfirst_node(CaseWhen, cell)->result);
  return lappend(results, expression->defresult);
}

static bool is_length(Oid function) {
  return function == F_LENGTH_TEXT || function == F_CHAR_LENGTH_TEXT || function == F_CHARACTER_LENGTH_TEXT ||
         function == F_OCTET_LENGTH_TEXT || function == F_STRPOS || function == F_POSITION_TEXT_TEXT;
}

/* What a function of times takes first; "": no such constant. */
static const char *field_of(const FuncExpr *f) {
  const Const *field = linitial(f->args);
  return IsA(field, Const) && field->consttype == TEXTOID && !field->constisnull
             ? TextDatumGetCString(field->constvalue)
             : "";
}

/* What extract() gives of the years that both sides know. */
static void bound_field(const char *field, Oid of, Bounds *out) {
  if (strcmp(field, "epoch") == 0)
    *out = (Bounds){FIRST_DAY * (double)SECS_PER_DAY, (LAST_DAY + 1.0) * SECS_PER_DAY, of == DATEOID ? 0 : 6};
  else if (strcmp(field, "microseconds") == 0)
    *out = (Bounds){0, 6e7, 0};
  else if (strcmp(field, "milliseconds") == 0)
    *out = (Bounds){0, 6e4, 3};
  else
    *out = (Bounds){0, 9999, strcmp(field, "second") == 0 ? 6 : 0};
}

static bool bound_function(const Context *c, const FuncExpr *f, Bounds *out) {
  if (is_length(f->funcid)) {
    *out = (Bounds){0, MaxAllocSize, 0};
    return true;
  }
  if (f->funcid == F_ASCII) {
    *out = (Bounds){0, 0x10ffff, 0};
    return true;
  }
  if (f->funcid == F_EXTRACT_TEXT_DATE || f->funcid == F_EXTRACT_TEXT_TIMESTAMP) {
    bound_field(field_of(f), exprType(lsecond(f->args)), out);
    return true;
  }
  Bounds divisor;
  if (!bound(c, linitial(f->args), out))
    return false;
  switch (f->funcid) {
  case F_ABS_INT2:
  case F_ABS_INT4:
  case F_ABS_INT8:
  case F_ABS_NUMERIC:
    *out = (Bounds){0, Max(fabs(out->min), fabs(out->max)), out->scale};
    return true;
  case F_SIGN_NUMERIC:
    *out = (Bounds){-1, 1, 0};
    return true;
  case F_MOD_INT2_INT2:
  case F_MOD_INT4_INT4:
  case F_MOD_INT8_INT8:
    if (!bound_constant(lsecond(f->args), &divisor))
      return false;
    *out = (Bounds){1 - divisor.max, divisor.max - 1, 0};
    return true;
  case F_ROUND_NUMERIC_INT4:
  case F_TRUNC_NUMERIC_INT4:
    *out = (Bounds){out->min - 1, out->max + 1, DatumGetInt32(lsecond_node(Const, f->args)->constvalue)};
    return true;
  default: /* a cast, floor() or ceil() */
    if (out->scale > 0)
      *out = (Bounds){out->min - 1, out->max + 1, 0};
    return true;
  }
}

static bool bound(const Context *c, Node *node, Bounds *out) {
  switch (nodeTag(node)) {
  case T_Var:
    return bound_column(c, (Var *)node, out);
  case T_Const:
    return bound_constant((Const *)node, out);
  case T_OpExpr:
    return bound_operator(c, (OpExpr *)node, out);
  case T_FuncExpr:
    return bound_function(c, (FuncExpr *)node, out);
  case T_CaseExpr:
    return bound_any(c, case_results((CaseExpr *)node), out);
  case T_CoalesceExpr:
    return bound_any(c, ((CoalesceExpr *)node)->args, out);
  case T_NullIfExpr:
    return bound_any(c, ((NullIfExpr *)node)->args, out);
  case T_MinMaxExpr:
    return bound_any(c, ((MinMaxExpr *)node)->args, out);
  default:
    return false;
  }
}

/* ---- Expressions ---- */

static bool check_var(const Context *c, const Var *var) {
  return bms_is_member(var->varno, c->relids) && var->varlevelsup == 0 && var->varattno > 0 &&
         raydex_type_known(var->vartype) && is_deterministic(var->varcollid);
}

static bool check_const(const Const *constant) {
  StringInfoData ignored;
  if (!raydex_type_known(constant->consttype))
    return false;
  initStringInfo(&ignored);
  const bool written = raydex_literal(&ignored, constant->consttype, constant->constvalue, constant->constisnull);
  pfree(ignored.data);
  return written;
}

static bool is_one_of(const char *name, const char *const *names) {
  for (; *names; names++) {
    if (strcmp(name, *names) == 0)
      return true;
  }
  return false;
}

static const char *const equalities[] = {"=", "<>", NULL};
static const char *const comparisons[] = {"<", "<=", ">", ">=", NULL};
static const char *const arithmetic[] = {"+", "-", "*", NULL};
static const char *const divisions[] = {"/", "%", NULL};
static const char *const patterns[] = {"~~", "!~~", NULL};

/* Numbers among themselves, dates and timestamps by the immutable operators, and types with themselves. */
static bool are_comparable(Oid left, Oid right) {
  if (left == right)
    return true;
  if (is_text(left) && is_text(right))
    return true;
  const bool times = (left == DATEOID || left == TIMESTAMPOID) && (right == DATEOID || right == TIMESTAMPOID);
  return (is_integer(left) && is_integer(right)) || times || (is_float(left) && is_float(right));
}

static bool is_builtin_operator(Oid op) {
  return op < FirstGenbkiObjectId && func_volatile(get_opcode(op)) == PROVOLATILE_IMMUTABLE;
}

static bool check_comparison(Oid op, Oid left, Oid right, Oid collation) {
  const char *name = get_opname(op);
  if (!is_builtin_operator(op) || !are_comparable(left, right))
    return false;
  if (is_one_of(name, equalities))
    return is_deterministic(collation);
  return is_one_of(name, comparisons) && (!is_text(left) || is_bytewise(collation));
}

/* A pattern that ends within an escape is an error, and never one on the side of Raydex only. */
static bool check_pattern(const OpExpr *op) {
  Node *pattern = lsecond(op->args);
  if (!IsA(pattern, Const) || ((Const *)pattern)->constisnull || !is_text(exprType(linitial(op->args))) ||
      ((Const *)pattern)->consttype != TEXTOID || !is_deterministic(op->inputcollid) ||
      GetDatabaseEncoding() != PG_UTF8)
    return false;
  return strchr(TextDatumGetCString(((Const *)pattern)->constvalue), '\\') == NULL;
}

/* By a constant from 1 on, which makes nothing too large. */
static bool check_division(Oid left, const Node *divisor) {
  const Oid right = exprType(divisor);
  Bounds b;
  return is_integer(left) && is_integer(right) && IsA(divisor, Const) && bound_constant((const Const *)divisor, &b) &&
         b.min >= 1;
}

/* Days are added to dates, or are between them. */
static bool is_date_arithmetic(Oid function) {
  return function == F_DATE_PLI || function == F_DATE_MII || function == F_DATE_MI;
}

static bool check_operator(const Context *c, OpExpr *op) {
  if (!check_list(c, op->args) || !is_builtin_operator(op->opno))
    return false;
  const Oid left = exprType(linitial(op->args)), right = exprType(llast(op->args));
  const Oid function = get_opcode(op->opno);
  const char *name = get_opname(op->opno);
  Bounds bounds;
  if (list_length(op->args) == 1)
    return strcmp(name, "-") == 0 && is_exact(left) && bound_operator(c, op, &bounds);
  if (is_date_arithmetic(function))
    return bound_operator(c, op, &bounds);
  if (is_one_of(name, arithmetic))
    return is_exact(left) && is_exact(right) && is_exact(op->opresulttype) && bound_operator(c, op, &bounds);
  if (is_one_of(name, divisions))
    return check_division(left, lsecond(op->args)) && bound_operator(c, op, &bounds);
  if (is_one_of(name, patterns))
    return check_pattern(op);
  if (function == F_TEXTCAT || function == F_STARTS_WITH)
    return is_text(left) && is_text(right) && is_deterministic(op->inputcollid);
  return check_comparison(op->opno, left, right, op->inputcollid);
}

static bool check_in(const Context *c, const ScalarArrayOpExpr *op) {
  Node *array = lsecond(op->args);
  const char *name = get_opname(op->opno);
  if (strcmp(name, op->useOr ? "=" : "<>") != 0 || !check(c, linitial(op->args)) || !IsA(array, Const) ||
      ((Const *)array)->constisnull)
    return false;
  ArrayType *values = DatumGetArrayTypeP(((Const *)array)->constvalue);
  const Oid type = ARR_ELEMTYPE(values);
  Datum *elements;
  bool *nulls;
  int count;
  int16 length;
  bool by_value;
  char align;
  if (!raydex_type_known(type) || !check_comparison(op->opno, exprType(linitial(op->args)), type, op->inputcollid))
    return false;
  get_typlenbyvalalign(type, &length, &by_value, &align);
  deconstruct_array(values, type, length, by_value, align, &elements, &nulls, &count);
  StringInfoData ignored;
  initStringInfo(&ignored);
  bool written = count > 0;
  for (int i = 0; i < count && written; i++)
    written = raydex_literal(&ignored, type, elements[i], nulls[i]);
  pfree(ignored.data);
  return written;
}

/* Extremes of a date or timestamp, in days from 1970: a column, or a date that is cast to a timestamp. */
static bool bound_time(const Context *c, Node *time, Bounds *out) {
  const Oid type = exprType(time);
  if (IsA(time, FuncExpr) && list_length(((FuncExpr *)time)->args) == 1)
    time = linitial(((FuncExpr *)time)->args);
  if ((type != DATEOID && type != TIMESTAMPOID) || !IsA(time, Var) || !bound_column(c, (Var *)time, out))
    return false;
  if (exprType(time) != DATEOID) {
    out->min = floor(out->min / USECS_PER_DAY);
    out->max = floor(out->max / USECS_PER_DAY);
  }
  return true;
}

/* extract(), date_part() and date_trunc() of times whose years both sides write alike, and which no time zone moves. */
static bool check_time(const Context *c, const FuncExpr *f) {
  static const char *const of_days[] = {"year", "month",   "day",    "quarter", "week",       "dow", "isodow",
                                        "doy",  "isoyear", "decade", "century", "millennium", NULL};
  static const char *const of_times[] = {"hour", "minute", "second", NULL};
  static const char *const exact[] = {"epoch", NULL};
  static const char *const exact_of_times[] = {"milliseconds", "microseconds", NULL};
  static const char *const units[] = {"year",   "month",  "day",    "quarter", "week",       "hour",
                                      "minute", "second", "decade", "century", "millennium", NULL};
  const char *name = get_func_name(f->funcid), *field = field_of(f);
  Node *time = lsecond(f->args);
  Bounds b;
  if (!check(c, time) || !bound_time(c, time, &b) || b.min < FIRST_DAY || b.max > LAST_DAY)
    return false;
  const bool moment = exprType(time) == TIMESTAMPOID, extract = strcmp(name, "extract") == 0;
  if (strcmp(name, "date_trunc") == 0)
    return is_one_of(field, units);
  if (extract && (is_one_of(field, exact) || (moment && is_one_of(field, exact_of_times))))
    return true; /* date_part() rounds them otherwise */
  return (extract || strcmp(name, "date_part") == 0) &&
         (is_one_of(field, of_days) || (moment && is_one_of(field, of_times)));
}

typedef enum FunctionKind {
  OF_TEXT,   /* and constants */
  OF_ASCII,  /* of a text under a collation that knows no other letters */
  OF_TEXTS,  /* of any number of texts, some of which may be NULL */
  OF_NUMBER, /* that is exact, and constants */
  OF_FLOAT,
} FunctionKind;

/* Functions that cannot fail. Constants that are numbers are `min` and up. */
typedef struct Function {
  Oid oid;
  const char *name;
  FunctionKind kind;
  int min;
} Function;

static const Function functions[] = {
    {F_LENGTH_TEXT, "length", OF_TEXT, 0},
    {F_CHAR_LENGTH_TEXT, "length", OF_TEXT, 0},
    {F_CHARACTER_LENGTH_TEXT, "length", OF_TEXT, 0},
    {F_OCTET_LENGTH_TEXT, "octet_length", OF_TEXT, 0},
    {F_REVERSE, "reverse", OF_TEXT, 0},
    {F_SUBSTR_TEXT_INT4, "substr", OF_TEXT, 1},
    {F_SUBSTR_TEXT_INT4_INT4, "substr", OF_TEXT, 1},
    {F_SUBSTRING_TEXT_INT4, "substr", OF_TEXT, 1},
    {F_SUBSTRING_TEXT_INT4_INT4, "substr", OF_TEXT, 1},
    {F_LEFT, "left", OF_TEXT, -MAX_CHARACTERS},
    {F_RIGHT, "right", OF_TEXT, -MAX_CHARACTERS},
    {F_BTRIM_TEXT, "btrim", OF_TEXT, 0},
    {F_LTRIM_TEXT, "ltrim", OF_TEXT, 0},
    {F_RTRIM_TEXT, "rtrim", OF_TEXT, 0},
    {F_BTRIM_TEXT_TEXT, "btrim", OF_TEXT, 0},
    {F_LTRIM_TEXT_TEXT, "ltrim", OF_TEXT, 0},
    {F_RTRIM_TEXT_TEXT, "rtrim", OF_TEXT, 0},
    {F_REPLACE, "replace", OF_TEXT, 0},
    {F_TRANSLATE, "translate", OF_TEXT, 0},
    {F_OVERLAY_TEXT_TEXT_INT4, "overlay", OF_TEXT, 1},
    {F_OVERLAY_TEXT_TEXT_INT4_INT4, "overlay", OF_TEXT, 1},
    {F_SPLIT_PART, "split_part", OF_TEXT, 1},
    {F_LPAD_TEXT_INT4, "lpad", OF_TEXT, 0},
    {F_LPAD_TEXT_INT4_TEXT, "lpad", OF_TEXT, 0},
    {F_RPAD_TEXT_INT4, "rpad", OF_TEXT, 0},
    {F_RPAD_TEXT_INT4_TEXT, "rpad", OF_TEXT, 0},
    {F_STRPOS, "strpos", OF_TEXT, 0},
    {F_POSITION_TEXT_TEXT, "strpos", OF_TEXT, 0},
    {F_STARTS_WITH, "starts_with", OF_TEXT, 0},
    {F_ASCII, "ascii", OF_TEXT, 0},
    {F_MD5_TEXT, "md5", OF_TEXT, 0},
    {F_TO_HEX_INT4, "to_hex", OF_TEXT, 0},
    {F_TO_HEX_INT8, "to_hex", OF_TEXT, 0},
    {F_UPPER_TEXT, "upper", OF_ASCII, 0},
    {F_LOWER_TEXT, "lower", OF_ASCII, 0},
    {F_CONCAT, "concat", OF_TEXTS, 0},
    {F_CONCAT_WS, "concat_ws", OF_TEXTS, 0},
    {F_ABS_INT2, "abs", OF_NUMBER, 0},
    {F_ABS_INT4, "abs", OF_NUMBER, 0},
    {F_ABS_INT8, "abs", OF_NUMBER, 0},
    {F_ABS_NUMERIC, "abs", OF_NUMBER, 0},
    {F_MOD_INT2_INT2, "mod", OF_NUMBER, 1},
    {F_MOD_INT4_INT4, "mod", OF_NUMBER, 1},
    {F_MOD_INT8_INT8, "mod", OF_NUMBER, 1},
    {F_ROUND_NUMERIC_INT4, "round", OF_NUMBER, 0},
    {F_TRUNC_NUMERIC_INT4, "trunc", OF_NUMBER, 0},
    {F_FLOOR_NUMERIC, "floor", OF_NUMBER, 0},
    {F_CEIL_NUMERIC, "ceil", OF_NUMBER, 0},
    {F_CEILING_NUMERIC, "ceil", OF_NUMBER, 0},
    {F_SIGN_NUMERIC, "sign", OF_NUMBER, 0},
    {F_ABS_FLOAT8, "abs", OF_FLOAT, 0},
    {F_FLOOR_FLOAT8, "floor", OF_FLOAT, 0},
    {F_SIGN_FLOAT8, "sign", OF_FLOAT, 0},
};

static const Function *find_function(Oid oid) {
  for (size_t i = 0; i < lengthof(functions); i++) {
    if (functions[i].oid == oid)
      return &functions[i];
  }
  return NULL;
}

const char *raydex_function_name(Oid oid) {
  const Function *f = find_function(oid);
  return f ? f->name : NULL;
}

static bool check_further(const Function *known, const Node *argument) {
  const Const *constant = (const Const *)argument;
  Bounds b;
  if (!IsA(constant, Const) || constant->constisnull || !check_const(constant))
    return false;
  if (!is_integer(constant->consttype))
    return is_text(constant->consttype);
  return bound_constant(constant, &b) && b.min >= known->min && b.max <= MAX_CHARACTERS;
}

/* Literals keep no type where any is taken. */
static bool are_texts(const Context *c, List *args) {
  ListCell *cell;
  foreach (cell, args) {
    Node *arg = lfirst(cell);
    if (exprType(arg) == UNKNOWNOID ? !IsA(arg, Const) || ((Const *)arg)->constisnull
                                    : !is_text(exprType(arg)) || !check(c, arg))
      return false;
  }
  return true;
}

static bool check_known(const Context *c, const Function *known, const FuncExpr *f) {
  ListCell *cell;
  Bounds b;
  if (known->kind == OF_TEXTS)
    return !f->funcvariadic && are_texts(c, f->args) && GetDatabaseEncoding() == PG_UTF8;
  if (!check(c, linitial(f->args)) || (known->kind == OF_ASCII && !lc_ctype_is_c(f->inputcollid)))
    return false;
  for_each_from(cell, f->args, 1) {
    if (!check_further(known, lfirst(cell)))
      return false;
  }
  if (known->kind == OF_NUMBER)
    return bound_function(c, f, &b) && fits(f->funcresulttype, &b);
  return known->kind == OF_FLOAT || (GetDatabaseEncoding() == PG_UTF8 && is_deterministic(f->inputcollid));
}

/* Casts that lose nothing, or round as Raydex does, of what is not too large. */
static bool check_cast(const Context *c, const FuncExpr *f) {
  Node *from = linitial(f->args);
  const Oid type = exprType(from), to = f->funcresulttype;
  Bounds b;
  if (f->funcformat != COERCE_EXPLICIT_CAST && f->funcformat != COERCE_IMPLICIT_CAST)
    return false;
  if (type == TIMESTAMPOID && to == DATEOID)
    return bound_time(c, from, &b) && fits(DATEOID, &b);
  if (to == FLOAT8OID)
    return type == FLOAT4OID || (is_exact(type) && !is_wide(from, (void *)c));
  if ((type == DATEOID && to == TIMESTAMPOID) || (type == BOOLOID && to == TEXTOID))
    return true;
  if ((type == INT2OID && (to == INT4OID || to == INT8OID)) || (type == INT4OID && to == INT8OID))
    return true;
  return is_exact(type) && is_exact(to) && bound_function(c, f, &b) && fits(to, &b);
}

static bool check_function(const Context *c, const FuncExpr *f) {
  const Function *known = find_function(f->funcid);
  if (known)
    return check_known(c, known, f);
  if (f->funcid >= FirstGenbkiObjectId)
    return false;
  if (list_length(f->args) == 2)
    return check_time(c, f);
  return list_length(f->args) == 1 && check(c, linitial(f->args)) && check_cast(c, f);
}

/* None of what may be pushed fails on rows that a condition would have kept from it. */
static bool check_case(const Context *c, const CaseExpr *expression) {
  ListCell *cell;
  Bounds b;
  foreach (cell, expression->args) {
    if (!check(c, raydex_case_condition(expression, lfirst(cell))))
      return false;
  }
  List *results = case_results(expression);
  return raydex_type_known(expression->casetype) && check_list(c, results) && !is_any_wide(c, results) &&
         (expression->casetype != NUMERICOID || bound_any(c, results, &b));
}

static bool check_coalesce(const Context *c, const CoalesceExpr *expression) {
  Bounds b;
  return raydex_type_known(expression->coalescetype) && check_list(c, expression->args) &&
         !is_any_wide(c, expression->args) &&
         (expression->coalescetype != NUMERICOID || bound_any(c, expression->args, &b));
}

static bool check_null_if(const Context *c, const NullIfExpr *n) {
  const Oid left = exprType(linitial(n->args)), right = exprType(lsecond(n->args));
  Bounds b;
  return check_list(c, n->args) && !is_any_wide(c, n->args) && check_comparison(n->opno, left, right, n->inputcollid) &&
         (left != NUMERICOID || bound_any(c, n->args, &b));
}

static bool check_extreme(const Context *c, const MinMaxExpr *m) {
  Bounds b;
  return raydex_type_known(m->minmaxtype) && !is_float(m->minmaxtype) && m->minmaxtype != BOOLOID &&
         check_list(c, m->args) && !is_any_wide(c, m->args) &&
         (!is_text(m->minmaxtype) || is_bytewise(m->inputcollid)) &&
         (m->minmaxtype != NUMERICOID || bound_any(c, m->args, &b));
}

static double largest_table(const Context *c) {
  double rows = 1;
  int relid = -1;
  while ((relid = bms_next_member(c->relids, relid)) >= 0)
    rows = Max(rows, raydex_table_of(planner_rt_fetch(relid, c->root)->relid)->rows);
  return rows;
}

/* Sums are exact on both sides, but have 64 bits here: they must fit as long as no join repeats the largest table. */
static bool sum_fits(const Context *c, Node *argument, bool squared) {
  const double rows = largest_table(c);
  Bounds b;
  if (!bound(c, argument, &b))
    return false;
  if (squared)
    b = (Bounds){0, Max(b.min * b.min, b.max * b.max), 2 * b.scale};
  b.min *= rows;
  b.max *= rows;
  return fits(exprType(argument) == NUMERICOID ? NUMERICOID : INT8OID, &b);
}

/* Variance and standard deviation. */
static const char *const spreads[] = {"stddev", "stddev_samp", "stddev_pop", "variance", "var_samp", "var_pop", NULL};

int raydex_aggregate_parts(const Expr *expression) {
  const Aggref *a = (const Aggref *)expression;
  if (!IsA(expression, Aggref) || (a->aggtype != NUMERICOID && a->aggtype != INT8ARRAYOID))
    return 1;
  const char *name = get_func_name(a->aggfnoid);
  return strcmp(name, "avg") == 0 ? 2 : is_one_of(name, spreads) ? 3 : 1;
}

static bool check_sort(const Context *c, const SortGroupClause *clause, Expr *expression) {
  const TypeCacheEntry *type = lookup_type_cache(exprType((Node *)expression), TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);
  return raydex_orderable(expression) && check(c, (Node *)expression) &&
         (clause->sortop == type->lt_opr || clause->sortop == type->gt_opr);
}

/* Texts that ORDER BY leaves in any order must be equal, and so it must name them. */
static bool check_texts(const Context *c, const Aggref *a) {
  Expr *argument = linitial_node(TargetEntry, a->args)->expr, *delimiter = lsecond_node(TargetEntry, a->args)->expr;
  bool named = false;
  ListCell *cell;
  if (!check(c, (Node *)argument) || !IsA(delimiter, Const) || ((Const *)delimiter)->constisnull ||
      !check_const((Const *)delimiter) || GetDatabaseEncoding() != PG_UTF8)
    return false;
  foreach (cell, a->aggorder) {
    Expr *e = get_sortgroupclause_tle(lfirst(cell), a->args)->expr;
    if (!check_sort(c, lfirst(cell), e))
      return false;
    named = named || equal(e, argument);
  }
  return named;
}

/* percentile_cont(), percentile_disc() and mode(). Floats may be equal and yet differ, as 0 and -0 do. */
static bool check_ordered_set(const Context *c, const Aggref *a) {
  Expr *argument = linitial_node(TargetEntry, a->args)->expr;
  if (list_length(a->args) != 1 || a->aggdistinct || !check_sort(c, linitial(a->aggorder), argument))
    return false;
  if (a->aggfnoid != F_PERCENTILE_CONT_FLOAT8_FLOAT8 &&
      (is_float(a->aggtype) || (a->aggfnoid != F_MODE && a->aggfnoid != F_PERCENTILE_DISC_FLOAT8_ANYELEMENT)))
    return false;
  if (a->aggfnoid == F_MODE)
    return true;
  const Const *fraction = linitial(a->aggdirectargs);
  return IsA(fraction, Const) && !fraction->constisnull && DatumGetFloat8(fraction->constvalue) >= 0 &&
         DatumGetFloat8(fraction->constvalue) <= 1;
}

/* Integers as double, whose sums PostgreSQL does not round. */
static bool is_whole(const Context *c, Node *node) {
  const FuncExpr *f = (const FuncExpr *)node;
  Bounds b;
  return IsA(f, FuncExpr) && list_length(f->args) == 1 && is_integer(exprType(linitial(f->args))) &&
         bound(c, linitial(f->args), &b) &&
         Max(fabs(b.min), fabs(b.max)) * largest_table(c) <= 9007199254740992.0; /* 2^53 */
}

/* Statistics of pairs of doubles, of which PostgreSQL rounds the sums at each row. Quotients of them are NULL where one
 * is 0, but not where it is rounded, as of a column that is 0.1 in all rows: these are pushed of integers only. */
static bool check_pairs(const Context *c, const Aggref *a) {
  static const char *const sums[] = {"regr_count", "regr_avgx", "regr_avgy",  "regr_sxx", "regr_syy",
                                     "regr_sxy",   "covar_pop", "covar_samp", NULL};
  static const char *const quotients[] = {"corr", "regr_slope", "regr_intercept", "regr_r2", NULL};
  const char *name = get_func_name(a->aggfnoid);
  Node *y = (Node *)linitial_node(TargetEntry, a->args)->expr, *x = (Node *)lsecond_node(TargetEntry, a->args)->expr;
  if (a->aggdistinct || !check(c, y) || !check(c, x))
    return false;
  return is_one_of(name, sums) || (is_one_of(name, quotients) && is_whole(c, y) && is_whole(c, x));
}

/* Of one argument, or of parts, which PostgreSQL puts together. */
static bool check_simple(const Context *c, const Aggref *a, bool parts) {
  static const char *const orders[] = {"min", "max", NULL};
  static const char *const logics[] = {"bool_and", "bool_or", "every", NULL};
  const char *name = get_func_name(a->aggfnoid);
  Expr *argument = linitial_node(TargetEntry, a->args)->expr;
  const Oid type = exprType((Node *)argument);
  if (list_length(a->args) != 1 || a->aggorder || !check(c, (Node *)argument) ||
      (a->aggfilter && is_wide((Node *)argument, (void *)c)))
    return false;
  if (is_float(type) && !parts && (strcmp(name, "sum") == 0 || strcmp(name, "avg") == 0 || is_one_of(name, spreads)))
    return true;
  if (parts)
    return is_exact(type) && raydex_aggregate_parts((const Expr *)a) > 1 && sum_fits(c, (Node *)argument, false) &&
           (raydex_aggregate_parts((const Expr *)a) == 2 || (!a->aggdistinct && sum_fits(c, (Node *)argument, true)));
  if (strcmp(name, "sum") == 0)
    return is_exact(type) && sum_fits(c, (Node *)argument, false);
  return strcmp(name, "count") == 0 || (is_one_of(name, logics) && type == BOOLOID) ||
         (is_one_of(name, orders) && raydex_orderable(argument));
}

/* A parameter that no decimal holds may be written as a double, which is for comparisons only. */
static bool has_parameter(const Aggref *a) {
  ListCell *cell;
  foreach (cell, a->args) {
    if (IsA(lfirst_node(TargetEntry, cell)->expr, Param))
      return true;
  }
  return false;
}

static bool check_aggregate(const Context *c, const Aggref *a, bool parts) {
  Context inner = *c;
  inner.aggregates = false;
  if (!c->aggregates || a->aggfnoid >= FirstGenbkiObjectId || a->agglevelsup != 0 || a->aggsplit != AGGSPLIT_SIMPLE ||
      a->aggvariadic || has_parameter(a) || (a->aggfilter && !check(&inner, (Node *)a->aggfilter)))
    return false;
  if (a->aggstar)
    return !parts;
  if (a->aggkind == AGGKIND_ORDERED_SET)
    return !parts && check_ordered_set(&inner, a);
  if (a->aggkind != AGGKIND_NORMAL || a->args == NIL)
    return false;
  if (a->aggfnoid == F_STRING_AGG_TEXT_TEXT)
    return !parts && check_texts(&inner, a);
  if (list_length(a->args) == 2 && !a->aggorder)
    return !parts && check_pairs(&inner, a);
  return check_simple(&inner, a, parts);
}

static bool check(const Context *c, Node *node) {
  if (!node)
    return true;
  switch (nodeTag(node)) {
  case T_Var:
    return check_var(c, (Var *)node);
  case T_Const:
    return check_const((Const *)node);
  case T_Param:
    return (((Param *)node)->paramkind == PARAM_EXTERN || ((Param *)node)->paramkind == PARAM_EXEC) &&
           raydex_type_known(((Param *)node)->paramtype) && is_deterministic(((Param *)node)->paramcollid);
  case T_OpExpr:
    return check_operator(c, (OpExpr *)node);
  case T_DistinctExpr: {
    DistinctExpr *d = (DistinctExpr *)node;
    return check_list(c, d->args) &&
           check_comparison(d->opno, exprType(linitial(d->args)), exprType(lsecond(d->args)), d->inputcollid);
  }
  case T_ScalarArrayOpExpr:
    return check_in(c, (ScalarArrayOpExpr *)node);
  case T_FuncExpr:
    return check_function(c, (FuncExpr *)node);
  case T_CoerceViaIO:
    return ((CoerceViaIO *)node)->resulttype == TEXTOID && is_integer(exprType((Node *)((CoerceViaIO *)node)->arg)) &&
           check(c, (Node *)((CoerceViaIO *)node)->arg);
  case T_RelabelType:
    return is_text(((RelabelType *)node)->resulttype) && is_text(exprType((Node *)((RelabelType *)node)->arg)) &&
           check(c, (Node *)((RelabelType *)node)->arg);
  case T_BoolExpr:
    return check_list(c, ((BoolExpr *)node)->args);
  case T_NullTest:
    return !((NullTest *)node)->argisrow && check(c, (Node *)((NullTest *)node)->arg);
  case T_BooleanTest:
    return check(c, (Node *)((BooleanTest *)node)->arg);
  case T_CaseExpr:
    return check_case(c, (CaseExpr *)node);
  case T_CoalesceExpr:
    return check_coalesce(c, (CoalesceExpr *)node);
  case T_NullIfExpr:
    return check_null_if(c, (NullIfExpr *)node);
  case T_MinMaxExpr:
    return check_extreme(c, (MinMaxExpr *)node);
  case T_Aggref:
    return check_aggregate(c, (Aggref *)node, false);
  default:
    return false;
  }
}

bool raydex_shippable(PlannerInfo *root, Relids relids, Expr *expression) {
  const Context c = {root, relids, true};
  return raydex_type_known(exprType((Node *)expression)) && check(&c, (Node *)expression);
}

bool raydex_shippable_parts(PlannerInfo *root, Relids relids, Expr *expression) {
  const Context c = {root, relids, true};
  return IsA(expression, Aggref) && check_aggregate(&c, (Aggref *)expression, true);
}

bool raydex_orderable(Expr *expression) {
  const Oid type = exprType((Node *)expression);
  return raydex_type_known(type) && (!is_text(type) || is_bytewise(exprCollation((Node *)expression)));
}
