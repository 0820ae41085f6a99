/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * Partitioned tables some of whose partitions are table files, as where old rows are in files and new ones in tables:
 * groups of each partition are put together as those of several servers are (rewrite.c). */
#include "distribution.h"

#include <access/stratnum.h>
#include <access/table.h>
#include <access/transam.h>
#include <catalog/pg_class.h>
#include <catalog/pg_inherits.h>
#include <catalog/pg_type.h>
#include <foreign/fdwapi.h>
#include <foreign/foreign.h>
#include <nodes/makefuncs.h>
#include <nodes/nodeFuncs.h>
#include <nodes/pathnodes.h>
#include <optimizer/optimizer.h>
#include <rewrite/rewriteManip.h>
#include <storage/lmgr.h>
#include <utils/array.h>
#include <utils/lsyscache.h>
#include <utils/partcache.h>
#include <utils/rel.h>

#include "raydex_fdw.h"

/* Each partition is planned on its own: of more than these, PostgreSQL's ways with partitions are better. */
#define MAX_PARTITIONS 64

static bool is_file(Oid table) {
  return get_rel_relkind(table) == RELKIND_FOREIGN_TABLE &&
         GetFdwRoutineByServerId(GetForeignServerIdByRelId(table))->GetForeignRelSize == raydex_rel_size;
}

/* Without locks, so that the partitions of other tables stay untouched. False: there are too many. */
static bool find_leaves(Oid relation, List **leaves, bool *files) {
  ListCell *cell;
  foreach (cell, find_inheritance_children(relation, NoLock)) {
    const Oid child = lfirst_oid(cell);
    const char kind = get_rel_relkind(child);
    if (kind == RELKIND_PARTITIONED_TABLE) {
      if (!find_leaves(child, leaves, files))
        return false;
      continue;
    }
    *files = *files || is_file(child);
    *leaves = lappend_oid(*leaves, child);
    if (list_length(*leaves) > MAX_PARTITIONS || (kind != RELKIND_RELATION && kind != RELKIND_FOREIGN_TABLE))
      return false;
  }
  return true;
}

List *raydex_partitions(Oid relation) {
  List *leaves = NIL, *parts = NIL;
  bool files = false;
  ListCell *cell;
  if (!raydex_pushdown || !find_leaves(relation, &leaves, &files) || !files)
    return NIL;
  foreach (cell, leaves) {
    RaydexPart *part = palloc0(sizeof *part);
    part->table = lfirst_oid(cell);
    parts = lappend(parts, part);
  }
  return parts;
}

/* ---- Partitions that conditions leave out ---- */

static Node *without_relabels(Node *node) {
  while (node && IsA(node, RelabelType))
    node = (Node *)((RelabelType *)node)->arg;
  return node;
}

static bool is_text(Oid type) {
  return type == TEXTOID || type == VARCHAROID;
}

static bool is_integer(Oid type) {
  return type == INT2OID || type == INT4OID || type == INT8OID;
}

static int64 integer_of(Oid type, Datum value) {
  return type == INT2OID ? DatumGetInt16(value) : type == INT4OID ? DatumGetInt32(value) : DatumGetInt64(value);
}

/* A value as one of the column that equals it; NULL: it may equal others. */
static Const *value_of(const Var *var, Oid type, Datum value) {
  if (is_integer(type) && is_integer(var->vartype)) {
    const int64 number = integer_of(type, value);
    if (var->vartype == INT2OID && number == (int16)number)
      return makeConst(INT2OID, -1, InvalidOid, sizeof(int16), Int16GetDatum((int16)number), false, true);
    if (var->vartype == INT4OID && number == (int32)number)
      return makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum((int32)number), false, true);
    return var->vartype == INT8OID
               ? makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(number), false, FLOAT8PASSBYVAL)
               : NULL;
  }
  if ((is_text(type) && is_text(var->vartype)) || (type == NUMERICOID && var->vartype == NUMERICOID))
    return makeConst(var->vartype, -1, var->varcollid, -1, value, false, false);
  return NULL;
}

/* Equal values must be equal to a hash, too. */
static bool is_equality(Oid op, Oid collation) {
  return op < FirstGenbkiObjectId && strcmp(get_opname(op), "=") == 0 &&
         (!OidIsValid(collation) || get_collation_isdeterministic(collation));
}

static bool add_value(const Var *var, const Const *value, List **values) {
  Const *known = value->constisnull ? NULL : value_of(var, value->consttype, value->constvalue);
  if (known)
    *values = lappend(*values, known);
  return known || value->constisnull;
}

static bool add_values(const Var *var, const Const *array, List **values) {
  if (array->constisnull)
    return true;
  ArrayType *given = DatumGetArrayTypeP(array->constvalue);
  Const value = {.xpr.type = T_Const, .consttype = ARR_ELEMTYPE(given)};
  Datum *elements;
  bool *nulls, by_value;
  int count;
  int16 length;
  char align;
  get_typlenbyvalalign(value.consttype, &length, &by_value, &align);
  deconstruct_array(given, value.consttype, length, by_value, align, &elements, &nulls, &count);
  for (int i = 0; i < count; i++) {
    value.constvalue = elements[i];
    value.constisnull = nulls[i];
    if (!add_value(var, &value, values))
      return false;
  }
  return true;
}

/* The column of a table that a condition compares with constants, and these; NULL: it does not. */
static const Var *compared_values(Node *condition, int place, List **values) {
  *values = NIL;
  if (IsA(condition, OpExpr) && list_length(((OpExpr *)condition)->args) == 2) {
    const OpExpr *op = (OpExpr *)condition;
    Node *left = without_relabels(linitial(op->args)), *right = without_relabels(lsecond(op->args));
    Node *var = IsA(left, Var) ? left : right, *value = IsA(left, Var) ? right : left;
    return IsA(var, Var) && ((Var *)var)->varno == place && IsA(value, Const) &&
                   is_equality(op->opno, op->inputcollid) && add_value((Var *)var, (Const *)value, values)
               ? (Var *)var
               : NULL;
  }
  if (IsA(condition, ScalarArrayOpExpr) && ((ScalarArrayOpExpr *)condition)->useOr) {
    const ScalarArrayOpExpr *op = (ScalarArrayOpExpr *)condition;
    Node *var = without_relabels(linitial(op->args)), *array = without_relabels(lsecond(op->args));
    return IsA(var, Var) && ((Var *)var)->varno == place && IsA(array, Const) &&
                   is_equality(op->opno, op->inputcollid) && add_values((Var *)var, (Const *)array, values)
               ? (Var *)var
               : NULL;
  }
  return NULL;
}

typedef struct Replacement {
  const Var *var;
  const Const *value;
} Replacement;

static Node *put_value(Node *node, void *argument) {
  const Replacement *r = argument;
  if (node && IsA(node, Var) && ((Var *)node)->varno == r->var->varno && ((Var *)node)->varattno == r->var->varattno)
    return (Node *)copyObject(r->value);
  return node ? expression_tree_mutator(node, put_value, argument) : NULL;
}

/* Does a row with this value break one of the bounds? */
static bool is_outside(List *bounds, const Var *var, const Const *value) {
  Replacement r = {var, value};
  ListCell *cell;
  foreach (cell, bounds) {
    const Const *holds = (Const *)eval_const_expressions(NULL, put_value(lfirst(cell), &r));
    if (IsA(holds, Const) && (holds->constisnull || !DatumGetBool(holds->constvalue)))
      return true;
  }
  return false;
}

static bool is_refuted(List *bounds, int place, Node *condition) {
  List *values;
  ListCell *cell;
  const Var *var = compared_values(condition, place, &values);
  if (!var)
    return false;
  foreach (cell, values) {
    if (!is_outside(bounds, var, lfirst(cell)))
      return false;
  }
  return true;
}

/* Conditions with what is known of parameters. */
static List *known_conditions(Node *conditions, ParamListInfo parameters) {
  PlannerInfo *root = makeNode(PlannerInfo);
  root->glob = makeNode(PlannerGlobal);
  root->glob->boundParams = parameters;
  return make_ands_implicit((Expr *)eval_const_expressions(root, copyObject(conditions)));
}

bool raydex_is_excluded(Oid partition, int place, Node *conditions, ParamListInfo parameters) {
  Expr *constraint = get_partition_qual_relid(partition);
  List *known = NIL;
  ListCell *cell;
  if (!constraint || !conditions)
    return false;
  List *bounds = make_ands_implicit((Expr *)eval_const_expressions(NULL, copyObject((Node *)constraint)));
  ChangeVarNodes((Node *)bounds, 1, place, 0);
  foreach (cell, known_conditions(conditions, parameters)) {
    Relids places = pull_varnos(NULL, lfirst(cell));
    if (bms_membership(places) != BMS_SINGLETON || !bms_is_member(place, places))
      continue;
    if (is_refuted(bounds, place, lfirst(cell)))
      return true;
    known = lappend(known, lfirst(cell));
  }
  return known && predicate_refuted_by(bounds, known, false);
}

/* ---- Rows of distributed tables ---- */

/* That the key of the partitions is that of one of the values; NULL: it depends on more than the column. */
static Node *key_condition(Oid relation, const Var *var, List *values) {
  Relation opened = table_open(relation, NoLock);
  const PartitionKey key = RelationGetPartitionKey(opened);
  Node *expression = key->partnatts == 1 && key->partexprs ? copyObject(linitial(key->partexprs)) : NULL;
  const Oid type = key->partopcintype[0];
  const Oid equal_to = get_opfamily_member(key->partopfamily[0], type, type, BTEqualStrategyNumber);
  table_close(opened, NoLock);
  ScalarArrayOpExpr *any = makeNode(ScalarArrayOpExpr);
  ArrayExpr *keys = makeNode(ArrayExpr);
  ListCell *cell;
  if (!expression || !OidIsValid(equal_to) || exprType(expression) != type)
    return NULL;
  ChangeVarNodes(expression, 1, var->varno, 0);
  foreach (cell, values) {
    Replacement r = {var, lfirst(cell)};
    Node *value = eval_const_expressions(NULL, put_value(expression, &r));
    if (!IsA(value, Const))
      return NULL;
    keys->elements = lappend(keys->elements, value);
  }
  keys->array_typeid = get_array_type(type);
  keys->element_typeid = type;
  keys->location = any->location = -1;
  any->opno = equal_to;
  any->useOr = true;
  any->args = list_make2(expression, eval_const_expressions(NULL, (Node *)keys));
  return (Node *)any;
}

void raydex_add_key_conditions(Query *q, ParamListInfo parameters) {
  List *conditions = q->jointree->quals ? known_conditions(q->jointree->quals, parameters) : NIL;
  ListCell *cell, *condition;
  int place = 0;
  foreach (cell, conditions ? q->rtable : NIL) {
    const RangeTblEntry *entry = lfirst_node(RangeTblEntry, cell);
    place++;
    if (entry->rtekind != RTE_RELATION || entry->relkind != RELKIND_PARTITIONED_TABLE || !raydex_parts(entry->relid))
      continue;
    foreach (condition, conditions) {
      List *values;
      const Var *var = compared_values(lfirst(condition), place, &values);
      Node *more = var && values ? key_condition(entry->relid, var, values) : NULL;
      if (more)
        q->jointree->quals = make_and_qual(q->jointree->quals, more);
    }
  }
}
