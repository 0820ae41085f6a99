/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * The text of what is pushed down. Only what shippable.c lets through comes here. */
#include "raydex_fdw.h"

#include <catalog/pg_aggregate.h>
#include <catalog/pg_type.h>
#include <commands/defrem.h>
#include <foreign/foreign.h>
#include <nodes/nodeFuncs.h>
#include <optimizer/optimizer.h>
#include <optimizer/tlist.h>
#include <parser/parsetree.h>
#include <utils/array.h>
#include <utils/builtins.h>
#include <utils/fmgroids.h>
#include <utils/lsyscache.h>

typedef struct Text {
  StringInfo out;
  PlannerInfo *root;
  const RaydexQuery *query;
  List *parameters;
} Text;

static void write_expression(Text *t, Node *node);

static void write_joined(Text *t, List *list, const char *between) {
  ListCell *cell;
  const char *first = "";
  foreach (cell, list) {
    appendStringInfoString(t->out, first);
    write_expression(t, lfirst(cell));
    first = between;
  }
}

static void write_column(Text *t, int relid, AttrNumber attribute) {
  const RangeTblEntry *entry = planner_rt_fetch(relid, t->root);
  appendStringInfo(t->out, "r%d.", relid);
  raydex_quote(t->out, raydex_column_name(entry->relid, attribute));
}

static void write_parameter(Text *t, Node *node) {
  ListCell *cell;
  int number = 1;
  foreach (cell, t->parameters) {
    if (equal(lfirst(cell), node))
      break;
    number++;
  }
  if (number > list_length(t->parameters))
    t->parameters = lappend(t->parameters, node);
  appendStringInfo(t->out, "$%d", number);
}

static void write_operator(Text *t, Oid op, List *args) {
  const char *name = get_opname(op);
  appendStringInfoChar(t->out, '(');
  if (list_length(args) == 1) {
    appendStringInfo(t->out, "%s ", name);
    write_expression(t, linitial(args));
    appendStringInfoChar(t->out, ')');
    return;
  }
  write_expression(t, linitial(args));
  if (strcmp(name, "~~") == 0)
    name = "LIKE";
  else if (strcmp(name, "!~~") == 0)
    name = "NOT LIKE";
  appendStringInfo(t->out, " %s ", name);
  write_expression(t, lsecond(args));
  appendStringInfoChar(t->out, ')');
}

static void write_in(Text *t, const ScalarArrayOpExpr *op) {
  ArrayType *values = DatumGetArrayTypeP(((Const *)lsecond(op->args))->constvalue);
  const Oid type = ARR_ELEMTYPE(values);
  Datum *elements;
  bool *nulls, by_value;
  int count;
  int16 length;
  char align;
  get_typlenbyvalalign(type, &length, &by_value, &align);
  deconstruct_array(values, type, length, by_value, align, &elements, &nulls, &count);
  appendStringInfoChar(t->out, '(');
  write_expression(t, linitial(op->args));
  appendStringInfoString(t->out, op->useOr ? " IN (" : " NOT IN (");
  for (int i = 0; i < count; i++) {
    appendStringInfoString(t->out, i > 0 ? ", " : "");
    raydex_literal(t->out, type, elements[i], nulls[i]);
  }
  appendStringInfoString(t->out, "))");
}

static void write_logic(Text *t, const BoolExpr *b) {
  appendStringInfoChar(t->out, '(');
  if (b->boolop == NOT_EXPR) {
    appendStringInfoString(t->out, "NOT ");
    write_expression(t, linitial(b->args));
  } else {
    write_joined(t, b->args, b->boolop == AND_EXPR ? " AND " : " OR ");
  }
  appendStringInfoChar(t->out, ')');
}

static void write_sort(Text *t, const SortGroupClause *clause) {
  const bool less = strcmp(get_opname(clause->sortop), "<") == 0;
  appendStringInfo(t->out, " %s NULLS %s", less ? "ASC" : "DESC", clause->nulls_first ? "FIRST" : "LAST");
}

/* (ORDER BY ...) of an aggregate. */
static void write_aggregate_order(Text *t, const Aggref *a) {
  const char *between = "ORDER BY ";
  ListCell *cell;
  foreach (cell, a->aggorder) {
    appendStringInfoString(t->out, between);
    write_expression(t, (Node *)get_sortgroupclause_tle(lfirst(cell), a->args)->expr);
    write_sort(t, lfirst(cell));
    between = ", ";
  }
}

static void write_filter(Text *t, const Aggref *a) {
  if (a->aggfilter) {
    appendStringInfoString(t->out, " FILTER (WHERE ");
    write_expression(t, (Node *)a->aggfilter);
    appendStringInfoChar(t->out, ')');
  }
}

static void write_arguments(Text *t, const Aggref *a) {
  const char *between = a->aggdistinct ? "DISTINCT " : "";
  ListCell *cell;
  foreach (cell, a->args) {
    const TargetEntry *argument = lfirst(cell);
    if (argument->resjunk) /* of ORDER BY only */
      continue;
    appendStringInfoString(t->out, between);
    write_expression(t, (Node *)argument->expr);
    between = ", ";
  }
}

static void write_aggregate(Text *t, const Aggref *a, const char *name) {
  appendStringInfo(t->out, "%s(", name);
  if (a->aggstar) {
    appendStringInfoChar(t->out, '*');
  } else if (a->aggkind == AGGKIND_ORDERED_SET) {
    write_joined(t, a->aggdirectargs, ", ");
    appendStringInfoString(t->out, ") WITHIN GROUP (");
    write_aggregate_order(t, a);
  } else {
    write_arguments(t, a);
    appendStringInfoString(t->out, a->aggorder ? " " : "");
    write_aggregate_order(t, a);
  }
  appendStringInfoChar(t->out, ')');
  write_filter(t, a);
}

/* sum(x * x), of integers as bigint. */
static void write_squares(Text *t, const Aggref *a) {
  Node *argument = (Node *)linitial_node(TargetEntry, a->args)->expr;
  const bool cast = exprType(argument) != NUMERICOID;
  appendStringInfoString(t->out, "sum(");
  for (int i = 0; i < 2; i++) {
    appendStringInfoString(t->out, i > 0 ? " * " : "");
    appendStringInfoString(t->out, cast ? "CAST(" : "");
    write_expression(t, argument);
    appendStringInfoString(t->out, cast ? " AS bigint)" : "");
  }
  appendStringInfoChar(t->out, ')');
  write_filter(t, a);
}

static void write_test(Text *t, Expr *argument, const char *test) {
  appendStringInfoChar(t->out, '(');
  write_expression(t, (Node *)argument);
  appendStringInfo(t->out, " IS %s)", test);
}

static void write_call(Text *t, const char *name, List *args) {
  appendStringInfo(t->out, "%s(", name);
  write_joined(t, args, ", ");
  appendStringInfoChar(t->out, ')');
}

/* upper() and lower() of ASCII's letters, where the collation knows no others. */
static void write_letters(Text *t, Node *text, bool upper) {
  static const char *const letters[] = {"'abcdefghijklmnopqrstuvwxyz'", "'ABCDEFGHIJKLMNOPQRSTUVWXYZ'"};
  appendStringInfoString(t->out, "translate(");
  write_expression(t, text);
  appendStringInfo(t->out, ", %s, %s)", letters[!upper], letters[upper]);
}

static void write_function(Text *t, const FuncExpr *f) {
  const char *name = raydex_function_name(f->funcid);
  if (f->funcid == F_UPPER_TEXT || f->funcid == F_LOWER_TEXT) {
    write_letters(t, linitial(f->args), f->funcid == F_UPPER_TEXT);
    return;
  }
  if (name) {
    write_call(t, name, f->args);
    return;
  }
  if (list_length(f->args) == 2) {
    const char *field = TextDatumGetCString(((Const *)linitial(f->args))->constvalue);
    name = get_func_name(f->funcid);
    appendStringInfo(t->out, strcmp(name, "extract") == 0 ? "%s(%s FROM " : "%s('%s', ", name, field);
    write_expression(t, lsecond(f->args));
    appendStringInfoChar(t->out, ')');
    return;
  }
  appendStringInfoString(t->out, "CAST(");
  write_expression(t, linitial(f->args));
  appendStringInfo(t->out, " AS %s)",
                   f->funcresulttype == NUMERICOID     ? "numeric(18,0)"
                   : f->funcresulttype == TIMESTAMPOID ? "timestamp"
                                                       : format_type_be(f->funcresulttype));
}

static void write_distinct(Text *t, const DistinctExpr *d) {
  appendStringInfoChar(t->out, '(');
  write_expression(t, linitial(d->args));
  appendStringInfoString(t->out, " IS DISTINCT FROM ");
  write_expression(t, lsecond(d->args));
  appendStringInfoChar(t->out, ')');
}

static void write_case(Text *t, const CaseExpr *expression) {
  ListCell *cell;
  appendStringInfoString(t->out, "CASE");
  foreach (cell, expression->args) {
    const CaseWhen *when = lfirst(cell);
    appendStringInfoString(t->out, " WHEN ");
    write_expression(t, raydex_case_condition(expression, when));
    appendStringInfoString(t->out, " THEN ");
    write_expression(t, (Node *)when->result);
  }
  appendStringInfoString(t->out, " ELSE ");
  write_expression(t, (Node *)expression->defresult);
  appendStringInfoString(t->out, " END");
}

static void write_expression(Text *t, Node *node) {
  static const char *const boolean_tests[] = {
      [IS_TRUE] = "TRUE",           [IS_NOT_TRUE] = "NOT TRUE", [IS_FALSE] = "FALSE",
      [IS_NOT_FALSE] = "NOT FALSE", [IS_UNKNOWN] = "UNKNOWN",   [IS_NOT_UNKNOWN] = "NOT UNKNOWN"};
  switch (nodeTag(node)) {
  case T_Var:
    write_column(t, ((Var *)node)->varno, ((Var *)node)->varattno);
    break;
  case T_Const:
    raydex_literal(t->out, ((Const *)node)->consttype, ((Const *)node)->constvalue, ((Const *)node)->constisnull);
    break;
  case T_Param:
    write_parameter(t, node);
    break;
  case T_OpExpr:
    write_operator(t, ((OpExpr *)node)->opno, ((OpExpr *)node)->args);
    break;
  case T_DistinctExpr:
    write_distinct(t, (DistinctExpr *)node);
    break;
  case T_ScalarArrayOpExpr:
    write_in(t, (ScalarArrayOpExpr *)node);
    break;
  case T_FuncExpr:
    write_function(t, (FuncExpr *)node);
    break;
  case T_CoerceViaIO:
    appendStringInfoString(t->out, "CAST(");
    write_expression(t, (Node *)((CoerceViaIO *)node)->arg);
    appendStringInfoString(t->out, " AS text)");
    break;
  case T_RelabelType:
    write_expression(t, (Node *)((RelabelType *)node)->arg);
    break;
  case T_BoolExpr:
    write_logic(t, (BoolExpr *)node);
    break;
  case T_NullTest:
    write_test(t, ((NullTest *)node)->arg, ((NullTest *)node)->nulltesttype == IS_NULL ? "NULL" : "NOT NULL");
    break;
  case T_BooleanTest:
    write_test(t, ((BooleanTest *)node)->arg, boolean_tests[((BooleanTest *)node)->booltesttype]);
    break;
  case T_CaseExpr:
    write_case(t, (CaseExpr *)node);
    break;
  case T_CoalesceExpr:
    write_call(t, "COALESCE", ((CoalesceExpr *)node)->args);
    break;
  case T_NullIfExpr:
    write_call(t, "NULLIF", ((NullIfExpr *)node)->args);
    break;
  case T_MinMaxExpr:
    write_call(t, ((MinMaxExpr *)node)->op == IS_GREATEST ? "GREATEST" : "LEAST", ((MinMaxExpr *)node)->args);
    break;
  case T_Aggref:
    write_aggregate(t, (Aggref *)node, get_func_name(((Aggref *)node)->aggfnoid));
    break;
  default:
    elog(ERROR, "cannot write node %d", (int)nodeTag(node));
  }
}

/* ---- The statement ---- */

/* An aggregate that PostgreSQL puts together of its parts is selected as its sum and count, and the sum of squares. */
static void write_target(Text *t, Expr *expression, int place, List **targets) {
  const int parts = raydex_aggregate_parts(expression);
  appendStringInfoString(t->out, *targets ? ", " : "");
  if (parts == 1) {
    write_expression(t, (Node *)expression);
    *targets = lappend_int(*targets, place);
    return;
  }
  write_aggregate(t, (Aggref *)expression, "sum");
  appendStringInfoString(t->out, ", ");
  write_aggregate(t, (Aggref *)expression, "count");
  if (parts > 2) {
    appendStringInfoString(t->out, ", ");
    write_squares(t, (Aggref *)expression);
  }
  for (int i = 0; i < parts; i++)
    *targets = lappend_int(*targets, -place);
}

static void write_targets(Text *t, List *tlist, const List *attributes, List **targets) {
  ListCell *cell;
  int place = 1;
  appendStringInfoString(t->out, t->query->distinct ? "SELECT DISTINCT " : "SELECT ");
  foreach (cell, attributes) {
    appendStringInfoString(t->out, *targets ? ", " : "");
    write_column(t, bms_singleton_member(t->query->relids), (AttrNumber)lfirst_int(cell));
    *targets = lappend_int(*targets, lfirst_int(cell));
  }
  foreach (cell, tlist)
    write_target(t, lfirst_node(TargetEntry, cell)->expr, place++, targets);
  if (!*targets)
    appendStringInfoChar(t->out, '1');
}

static void write_table(Text *t, int relid) {
  raydex_quote(t->out, raydex_table_of(planner_rt_fetch(relid, t->root)->relid)->name);
  appendStringInfo(t->out, " AS r%d", relid);
}

/* ON may name all tables that stand before it, but not across a comma. */
static void write_tables(Text *t, Relids relids, List *outer_joins) {
  const char *between = " FROM ";
  ListCell *cell;
  int relid = -1;
  relids = bms_copy(relids);
  foreach (cell, outer_joins)
    relids = bms_del_member(relids, ((RaydexOuterJoin *)lfirst(cell))->relid);
  while ((relid = bms_next_member(relids, relid)) >= 0) {
    appendStringInfoString(t->out, between);
    write_table(t, relid);
    between = outer_joins ? " CROSS JOIN " : ", ";
  }
  foreach (cell, outer_joins) {
    const RaydexOuterJoin *join = lfirst(cell);
    appendStringInfoString(t->out, join->full ? " FULL JOIN " : " LEFT JOIN ");
    write_table(t, join->relid);
    appendStringInfoString(t->out, " ON ");
    write_joined(t, join->conditions, " AND ");
  }
}

static void write_conditions(Text *t, List *conditions, List *subqueries) {
  ListCell *cell;
  const char *between = " WHERE ";
  if (conditions) {
    appendStringInfoString(t->out, between);
    write_joined(t, conditions, " AND ");
    between = " AND ";
  }
  foreach (cell, subqueries) {
    const RaydexSubquery *s = lfirst(cell);
    appendStringInfo(t->out, "%s%sEXISTS (SELECT 1", between, s->negated ? "NOT " : "");
    write_tables(t, s->relids, NIL);
    write_conditions(t, s->conditions, NIL);
    appendStringInfoChar(t->out, ')');
    between = " AND ";
  }
}

/* The place of an expression among the selected columns; 0: it is none of them. */
static int find_target(List *tlist, Node *expression) {
  ListCell *cell;
  int place = 1;
  foreach (cell, tlist) {
    Expr *e = lfirst_node(TargetEntry, cell)->expr;
    if (equal(e, expression))
      return place;
    place += raydex_aggregate_parts(e);
  }
  return 0;
}

static void write_groups(Text *t, List *tlist) {
  const char *between = " GROUP BY ";
  ListCell *cell;
  for (int place = 1; place <= t->query->groups; place++, between = ", ")
    appendStringInfo(t->out, "%s%d", between, place);
  foreach (cell, t->query->grouped && t->query->groups == 0 ? t->root->parse->groupClause : NIL) {
    Node *expression = get_sortgroupclause_expr(lfirst(cell), t->root->processed_tlist);
    appendStringInfo(t->out, "%s%d", between, find_target(tlist, expression));
    between = ", ";
  }
  if (t->query->having) {
    appendStringInfoString(t->out, " HAVING ");
    write_joined(t, t->query->having, " AND ");
  }
}

static void write_order(Text *t, List *tlist) {
  const char *between = " ORDER BY ";
  ListCell *cell;
  foreach (cell, t->query->ordered ? t->root->parse->sortClause : NIL) {
    const SortGroupClause *clause = lfirst(cell);
    Node *expression = get_sortgroupclause_expr(lfirst(cell), t->root->processed_tlist);
    const int place = find_target(tlist, expression);
    if (IsA(expression, Const))
      continue;
    appendStringInfoString(t->out, between);
    if (place > 0)
      appendStringInfo(t->out, "%d", place);
    else
      write_expression(t, expression);
    write_sort(t, clause);
    between = ", ";
  }
}

static void write_limit(Text *t, const char *word, const Node *count) {
  if (count && !((const Const *)count)->constisnull)
    appendStringInfo(t->out, " %s " INT64_FORMAT, word, DatumGetInt64(((const Const *)count)->constvalue));
}

char *raydex_deparse(PlannerInfo *root, const RaydexQuery *query, List *tlist, const List *attributes, List **targets,
                     List **parameters) {
  StringInfoData out;
  initStringInfo(&out);
  Text t = {&out, root, query, NIL};
  write_targets(&t, tlist, attributes, targets);
  write_tables(&t, query->relids, query->outer_joins);
  write_conditions(&t, query->conditions, query->subqueries);
  write_groups(&t, tlist);
  write_order(&t, tlist);
  write_limit(&t, "LIMIT", query->limit);
  write_limit(&t, "OFFSET", query->offset);
  *parameters = t.parameters;
  return out.data;
}
