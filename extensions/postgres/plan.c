/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * Scans and joins, and the plan of what is pushed down. */
#include "raydex_fdw.h"

#include <access/htup_details.h>
#include <access/sysattr.h>
#include <nodes/makefuncs.h>
#include <nodes/nodeFuncs.h>
#include <optimizer/cost.h>
#include <optimizer/optimizer.h>
#include <optimizer/pathnode.h>
#include <optimizer/planmain.h>
#include <optimizer/restrictinfo.h>
#include <optimizer/tlist.h>
#include <access/table.h>
#include <parser/parsetree.h>
#include <utils/rel.h>

/* What a query costs, a row that it reads, and one that it returns, in PostgreSQL's unit: a page read in order, some
 * 10 us. They are the same for all devices: a session plans before it opens one, the worker's is not its own, and plans
 * should not depend on either. */
#define QUERY_COST 10.0
#define READ_COST 0.0001
#define RETURN_COST 0.02

void raydex_rel_size(PlannerInfo *root, RelOptInfo *rel, Oid relation) {
  RaydexQuery *query = palloc0(sizeof *query);
  ListCell *cell;
  query->server = rel->serverid;
  query->relids = rel->relids;
  query->tuples = raydex_table_of(relation)->rows;
  foreach (cell, rel->baserestrictinfo) {
    RestrictInfo *info = lfirst_node(RestrictInfo, cell);
    /* Conditions without columns, too: a node above a scan checks them, but none above what replaces that scan. */
    if (raydex_pushdown && raydex_shippable(root, rel->relids, info->clause))
      query->conditions = lappend(query->conditions, info->clause);
    else
      query->local = lappend(query->local, info->clause);
  }
  rel->tuples = query->tuples;
  rel->fdw_private = query;
  set_baserel_size_estimates(root, rel);
}

/* All is read before the first row. What does more for PostgreSQL costs less than what leaves it more to do. */
Cost raydex_startup_cost(const RaydexQuery *query, bool upper) {
  return QUERY_COST / (!upper ? 1 : query->limited ? 4 : 2) + READ_COST * query->tuples;
}

Cost raydex_total_cost(const RaydexQuery *query, bool upper, double rows) {
  return raydex_startup_cost(query, upper) + RETURN_COST * rows;
}

void raydex_base_paths(PlannerInfo *root, RelOptInfo *rel, Oid relation) {
  const RaydexQuery *query = rel->fdw_private;
  (void)relation;
  add_path(rel, (Path *)create_foreignscan_path(root, rel, NULL, rel->rows,
                                                RAYDEX_DISABLED raydex_startup_cost(query, false),
                                                raydex_total_cost(query, false, rel->rows), NIL, rel->lateral_relids,
                                                NULL, RAYDEX_RESTRICTIONS NIL));
}

/* ---- Joins ---- */

static bool has_placeholders(PlannerInfo *root, Relids relids) {
  ListCell *cell;
  foreach (cell, root->placeholder_list) {
    PlaceHolderInfo *info = lfirst(cell);
    if (bms_is_subset(info->ph_eval_at, relids))
      return true;
  }
  return false;
}

static bool has_full_join(const RaydexQuery *query) {
  return query->outer_joins && ((const RaydexOuterJoin *)linitial(query->outer_joins))->full;
}

static bool is_table(const RaydexQuery *query) {
  return !query->joined && !query->conditions;
}

/* LEFT JOIN takes one table, FULL JOIN two, and no other tables may come before it. A subquery has no outer joins. */
static bool may_join_as(JoinType jointype, const RaydexQuery *outer, const RaydexQuery *inner) {
  switch (jointype) {
  case JOIN_INNER:
    return !has_full_join(outer) && !has_full_join(inner);
  case JOIN_LEFT:
    return !inner->joined && !inner->subqueries;
  case JOIN_FULL:
    return is_table(outer) && is_table(inner);
  case JOIN_SEMI:
  case JOIN_ANTI:
    return !inner->subqueries && !inner->outer_joins;
  default:
    return false;
  }
}

/* Rows that are locked or changed are read again one by one, which needs scans. Conditions that PostgreSQL checks come
 * before joins, as in its own plans: they may fail on rows that have no partner. */
static bool may_join(PlannerInfo *root, RelOptInfo *joinrel, const RaydexQuery *outer, const RaydexQuery *inner,
                     JoinType jointype) {
  return raydex_pushdown && outer && inner && may_join_as(jointype, outer, inner) && !outer->local && !inner->local &&
         !root->rowMarks && root->parse->commandType == CMD_SELECT && bms_is_empty(joinrel->lateral_relids) &&
         !has_placeholders(root, joinrel->relids) && !IS_OTHER_REL(joinrel);
}

/* Are these columns of the tables that a query selects from? A subquery's are not to be seen. */
static bool are_columns(List *expressions, Relids relids) {
  ListCell *cell;
  foreach (cell, expressions) {
    const Var *var = lfirst(cell);
    if (!IsA(var, Var) || var->varattno <= 0 || !bms_is_member(var->varno, relids))
      return false;
  }
  return true;
}

/* The conditions of a join. */
typedef struct Conditions {
  List *pushed; /* of the join itself: WHERE, or ON of an outer join, or those of a subquery */
  List *after;  /* pushed, of the rows that an outer join gives */
  List *local;
} Conditions;

/* True where a pushed condition equates columns: joins of all rows with all stay with PostgreSQL. A subquery takes all
 * conditions of its join with it, as ON does. */
static bool split_conditions(PlannerInfo *root, RelOptInfo *joinrel, Relids relids, JoinType jointype,
                             List *restrictions, Conditions *out) {
  bool equated = false;
  ListCell *cell;
  foreach (cell, restrictions) {
    RestrictInfo *info = lfirst_node(RestrictInfo, cell);
    const bool after = jointype != JOIN_INNER && jointype != JOIN_SEMI && RINFO_IS_PUSHED_DOWN(info, joinrel->relids);
    if (info->pseudoconstant || (jointype == JOIN_ANTI && after))
      return false;
    if (raydex_shippable(root, relids, info->clause)) {
      List **list = after ? &out->after : &out->pushed;
      *list = lappend(*list, info->clause);
      equated = equated || (!after && info->can_join && info->mergeopfamilies);
    } else if (jointype == JOIN_INNER || after) {
      out->local = lappend(out->local, info->clause);
    } else {
      return false;
    }
  }
  return equated;
}

static RaydexQuery *make_join(const RaydexQuery *outer, const RaydexQuery *inner, JoinType jointype,
                              const Conditions *conditions) {
  RaydexQuery *query = palloc0(sizeof *query);
  query->server = outer->server;
  query->joined = true;
  query->tuples = Max(outer->tuples, inner->tuples);
  query->local = conditions->local;
  query->subqueries = list_concat_copy(outer->subqueries, inner->subqueries);
  query->outer_joins = list_concat_copy(outer->outer_joins, inner->outer_joins);
  query->relids = bms_union(outer->relids, inner->relids);
  if (jointype == JOIN_INNER) {
    query->conditions = list_concat(list_concat_copy(outer->conditions, inner->conditions), conditions->pushed);
    return query;
  }
  query->conditions = list_concat_copy(outer->conditions, conditions->after);
  List *inside = list_concat_copy(inner->conditions, conditions->pushed);
  if (jointype == JOIN_LEFT || jointype == JOIN_FULL) {
    RaydexOuterJoin *join = palloc(sizeof *join);
    *join = (RaydexOuterJoin){bms_singleton_member(inner->relids), jointype == JOIN_FULL, inside};
    query->outer_joins = lappend(query->outer_joins, join);
    return query;
  }
  RaydexSubquery *subquery = palloc(sizeof *subquery);
  *subquery = (RaydexSubquery){jointype == JOIN_ANTI, inner->relids, inside};
  query->relids = outer->relids;
  query->subqueries = lappend(query->subqueries, subquery);
  return query;
}

void raydex_join_paths(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outerrel, RelOptInfo *innerrel,
                       JoinType jointype, JoinPathExtraData *extra) {
  const RaydexQuery *outer = outerrel->fdw_private, *inner = innerrel->fdw_private;
  Conditions conditions = {0};
  /* All orders of a join are the same query. */
  if (joinrel->fdw_private || !may_join(root, joinrel, outer, inner, jointype))
    return;
  Relids relids = bms_union(outer->relids, inner->relids);
  if (!split_conditions(root, joinrel, relids, jointype, extra->restrictlist, &conditions))
    return;
  RaydexQuery *query = make_join(outer, inner, jointype, &conditions);
  if (!are_columns(joinrel->reltarget->exprs, query->relids) ||
      !are_columns(pull_var_clause((Node *)query->local, PVC_RECURSE_PLACEHOLDERS), query->relids))
    return;
  joinrel->fdw_private = query;
  add_path(joinrel,
           (Path *)create_foreign_join_path(root, joinrel, NULL, joinrel->rows,
                                            RAYDEX_DISABLED raydex_startup_cost(query, false),
                                            raydex_total_cost(query, false, joinrel->rows), NIL, NULL, NULL,
                                            RAYDEX_RESTRICTIONS NIL));
}

/* ---- Plans ---- */

/* The columns of a table that are used above the scan, and by conditions that PostgreSQL checks. */
static List *used_attributes(PlannerInfo *root, RelOptInfo *rel, List *local) {
  Bitmapset *used = NULL;
  List *attributes = NIL;
  pull_varattnos((Node *)rel->reltarget->exprs, rel->relid, &used);
  pull_varattnos((Node *)local, rel->relid, &used);
  Relation relation = table_open(planner_rt_fetch(rel->relid, root)->relid, NoLock);
  const bool whole = bms_is_member(0 - FirstLowInvalidHeapAttributeNumber, used);
  for (int i = 1; i <= RelationGetNumberOfAttributes(relation); i++) {
    if (!TupleDescAttr(RelationGetDescr(relation), i - 1)->attisdropped &&
        (whole || bms_is_member(i - FirstLowInvalidHeapAttributeNumber, used)))
      attributes = lappend_int(attributes, i);
  }
  table_close(relation, NoLock);
  return attributes;
}

static List *join_tlist(RelOptInfo *rel, List *local) {
  List *tlist = add_to_flat_tlist(NIL, pull_var_clause((Node *)rel->reltarget->exprs, PVC_RECURSE_PLACEHOLDERS));
  return add_to_flat_tlist(tlist, pull_var_clause((Node *)local, PVC_RECURSE_PLACEHOLDERS));
}

/* The clauses of a scan come as PostgreSQL orders them. */
static void split_clauses(const RaydexQuery *query, List *clauses, List **pushed, List **local) {
  ListCell *cell;
  foreach (cell, clauses) {
    RestrictInfo *info = lfirst_node(RestrictInfo, cell);
    if (info->pseudoconstant)
      continue;
    if (list_member(query->conditions, info->clause))
      *pushed = lappend(*pushed, info->clause);
    else
      *local = lappend(*local, info->clause);
  }
}

ForeignScan *raydex_make_plan(PlannerInfo *root, RelOptInfo *rel, Oid relation, ForeignPath *path, List *tlist,
                              List *clauses, Plan *outer) {
  const RaydexQuery *query = rel->fdw_private;
  List *pushed = NIL, *local = NIL, *scanned = NIL, *attributes = NIL, *targets = NIL, *parameters = NIL;
  (void)relation, (void)path;
  if (IS_SIMPLE_REL(rel)) {
    split_clauses(query, clauses, &pushed, &local);
    attributes = used_attributes(root, rel, local);
  } else {
    local = query->local;
    scanned = IS_JOIN_REL(rel) ? join_tlist(rel, local) : query->tlist;
  }
  const char *sql = raydex_deparse(root, query, scanned, attributes, &targets, &parameters);
  List *private =
      list_make3(makeString(pstrdup(sql)), targets, makeString(pstrdup(raydex_folder_of_server(query->server))));
  return make_foreignscan(tlist, local, IS_SIMPLE_REL(rel) ? rel->relid : 0, parameters, private, scanned, pushed,
                          outer);
}
