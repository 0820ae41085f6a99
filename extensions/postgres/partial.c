/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * Aggregates in two steps: what each node computes, and what puts that together. */
#include "distribution.h"

#include <access/transam.h>
#include <catalog/pg_aggregate.h>
#include <catalog/pg_type.h>
#include <nodes/makefuncs.h>
#include <nodes/nodeFuncs.h>
#include <utils/fmgroids.h>
#include <utils/lsyscache.h>

/* ---- Columns of the nodes ---- */

static Var *add_column(RaydexInner *inner, Expr *expression, Index ref) {
  const AttrNumber place = (AttrNumber)(list_length(inner->tlist) + 1);
  TargetEntry *entry = makeTargetEntry(copyObject(expression), place, psprintf("c%d", place), false);
  entry->ressortgroupref = ref;
  inner->tlist = lappend(inner->tlist, entry);
  return makeVar((int)inner->varno, place, exprType((Node *)expression), exprTypmod((Node *)expression),
                 exprCollation((Node *)expression), 0);
}

static Var *find_column(const RaydexInner *inner, const Expr *expression, bool group) {
  ListCell *cell;
  foreach (cell, inner->tlist) {
    const TargetEntry *entry = lfirst_node(TargetEntry, cell);
    if ((!group || entry->ressortgroupref) && equal(entry->expr, expression))
      return makeVar((int)inner->varno, entry->resno, exprType((Node *)expression), exprTypmod((Node *)expression),
                     exprCollation((Node *)expression), 0);
  }
  return NULL;
}

Var *raydex_inner_column(RaydexInner *inner, Expr *expression) {
  Var *found = find_column(inner, expression, false);
  return found ? found : add_column(inner, expression, 0);
}

Var *raydex_inner_group(RaydexInner *inner, Expr *expression, const SortGroupClause *clause) {
  Var *found = find_column(inner, expression, true);
  if (found)
    return found;
  SortGroupClause *group = makeNode(SortGroupClause);
  *group = *clause;
  group->tleSortGroupRef = ++inner->lastref;
  inner->groups = lappend(inner->groups, group);
  return add_column(inner, expression, group->tleSortGroupRef);
}

/* ---- Expressions ---- */

static Aggref *make_aggregate(Oid function, Oid type, Expr *argument) {
  Aggref *a = makeNode(Aggref);
  a->aggfnoid = function;
  a->aggtype = type;
  a->aggargtypes = list_make1_oid(exprType((Node *)argument));
  a->args = list_make1(makeTargetEntry(argument, 1, NULL, false));
  a->aggkind = AGGKIND_NORMAL;
  a->aggsplit = AGGSPLIT_SIMPLE;
  a->aggno = -1;
  a->aggtransno = -1;
  a->location = -1;
  return a;
}

static Expr *make_call(Oid function, Oid type, List *arguments) {
  return (Expr *)makeFuncExpr(function, type, arguments, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/* The sum of a column of counts, or of sums of integers. */
static Expr *sum_of_integers(Var *column) {
  return make_call(F_INT8_NUMERIC, INT8OID, list_make1(make_aggregate(F_SUM_INT8, NUMERICOID, (Expr *)column)));
}

/* Without GROUP BY, nodes whose rows are grouped by what is counted DISTINCT may send nothing. */
static Expr *combine_count(Var *column) {
  CoalesceExpr *count = makeNode(CoalesceExpr);
  count->coalescetype = INT8OID;
  count->args = list_make2(sum_of_integers(column),
                           makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(0), false, FLOAT8PASSBYVAL));
  count->location = -1;
  return (Expr *)count;
}

static Expr *argument_of(const Aggref *a) {
  return linitial_node(TargetEntry, a->args)->expr;
}

/* An aggregate of the same rows and argument as another. */
static Aggref *like(const Aggref *a, Oid function, Oid type, Expr *argument) {
  Aggref *result = make_aggregate(function, type, copyObject(argument));
  result->inputcollid = a->inputcollid;
  result->aggfilter = copyObject(a->aggfilter);
  return result;
}

/* ---- Each aggregate ---- */

static Expr *combine_sum(RaydexInner *inner, const Aggref *a) {
  const Oid type = a->aggtype;
  Var *column = raydex_inner_column(inner, (Expr *)a);
  if (type == INT8OID)
    return sum_of_integers(column);
  const Oid function = type == NUMERICOID  ? F_SUM_NUMERIC
                       : type == FLOAT8OID ? F_SUM_FLOAT8
                       : type == FLOAT4OID ? F_SUM_FLOAT4
                                           : InvalidOid;
  return OidIsValid(function) ? (Expr *)make_aggregate(function, type, (Expr *)column) : NULL;
}

/* The sum of all by the number of all, as PostgreSQL divides them. Without rows both sums are NULL or the first is. */
static Expr *combine_average(RaydexInner *inner, const Aggref *a) {
  Expr *argument = argument_of(a);
  Oid sum, type;
  switch (exprType((Node *)argument)) {
  case INT2OID:
    sum = F_SUM_INT2, type = INT8OID;
    break;
  case INT4OID:
    sum = F_SUM_INT4, type = INT8OID;
    break;
  case INT8OID:
    sum = F_SUM_INT8, type = NUMERICOID;
    break;
  case NUMERICOID:
    sum = F_SUM_NUMERIC, type = NUMERICOID;
    break;
  case FLOAT4OID:
    argument = make_call(F_FLOAT8_FLOAT4, FLOAT8OID, list_make1(argument));
    sum = F_SUM_FLOAT8, type = FLOAT8OID;
    break;
  case FLOAT8OID:
    sum = F_SUM_FLOAT8, type = FLOAT8OID;
    break;
  default:
    return NULL;
  }
  Var *sums = raydex_inner_column(inner, (Expr *)like(a, sum, type, argument));
  Var *counts = raydex_inner_column(inner, (Expr *)like(a, F_COUNT_ANY, INT8OID, argument));
  Expr *count = (Expr *)make_aggregate(F_SUM_INT8, NUMERICOID, (Expr *)counts);
  if (type == FLOAT8OID)
    return make_call(F_FLOAT8DIV, FLOAT8OID,
                     list_make2(make_aggregate(F_SUM_FLOAT8, FLOAT8OID, (Expr *)sums),
                                make_call(F_FLOAT8_NUMERIC, FLOAT8OID, list_make1(count))));
  return make_call(
      F_NUMERIC_DIV, NUMERICOID,
      list_make2(make_aggregate(type == INT8OID ? F_SUM_INT8 : F_SUM_NUMERIC, NUMERICOID, (Expr *)sums), count));
}

/* The same function again: the least of the least is the least. */
static Expr *combine_again(RaydexInner *inner, const Aggref *a) {
  Aggref *result = make_aggregate(a->aggfnoid, a->aggtype, (Expr *)raydex_inner_column(inner, (Expr *)a));
  result->aggcollid = a->aggcollid;
  result->inputcollid = a->inputcollid;
  return (Expr *)result;
}

/* The nodes group by its argument, too; what differs between the rows of two nodes is told apart above. */
static Expr *combine_distinct(RaydexInner *inner, const Aggref *a) {
  if (a->aggfilter || list_length(a->args) != 1)
    return NULL;
  Aggref *result = (Aggref *)copyObjectImpl(a);
  linitial_node(TargetEntry, result->args)->expr =
      (Expr *)raydex_inner_group(inner, argument_of(a), linitial(a->aggdistinct));
  return (Expr *)result;
}

static bool is_one_of(const char *name, const char *const *names) {
  for (; *names; names++) {
    if (strcmp(name, *names) == 0)
      return true;
  }
  return false;
}

Expr *raydex_combine(RaydexInner *inner, const Aggref *a) {
  static const char *const again[] = {"min", "max", "bool_and", "bool_or", "every", "bit_and", "bit_or", NULL};
  static const char *const distinct[] = {"count", "sum", "avg", "min", "max", NULL};
  if (a->aggfnoid >= FirstGenbkiObjectId || a->aggkind != AGGKIND_NORMAL || a->aggorder || a->aggvariadic ||
      a->agglevelsup != 0 || (!a->aggstar && list_length(a->args) != 1))
    return NULL;
  const char *name = get_func_name(a->aggfnoid);
  if (a->aggdistinct)
    return is_one_of(name, distinct) ? combine_distinct(inner, a) : NULL;
  if (strcmp(name, "count") == 0)
    return combine_count(raydex_inner_column(inner, (Expr *)a));
  if (is_one_of(name, again))
    return combine_again(inner, a);
  if (strcmp(name, "sum") == 0)
    return combine_sum(inner, a);
  return strcmp(name, "avg") == 0 ? combine_average(inner, a) : NULL;
}
