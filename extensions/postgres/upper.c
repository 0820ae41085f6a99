/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * Groups, DISTINCT, ORDER BY and LIMIT. */
#include "raydex_fdw.h"

#include <catalog/pg_type.h>
#include <nodes/makefuncs.h>
#include <nodes/nodeFuncs.h>
#include <optimizer/cost.h>
#include <optimizer/optimizer.h>
#include <optimizer/pathnode.h>
#include <optimizer/planmain.h>
#include <optimizer/planner.h>
#include <optimizer/prep.h>
#include <optimizer/tlist.h>
#include <parser/parsetree.h>
#include <utils/fmgroids.h>
#include <utils/lsyscache.h>
#include <utils/typcache.h>

static RaydexQuery *copy_query(const RaydexQuery *from) {
  RaydexQuery *query = palloc(sizeof *query);
  *query = *from;
  return query;
}

static double clamp_rows(double rows) {
  return rows < 1 ? 1 : rows;
}

static void add_upper_path(PlannerInfo *root, RelOptInfo *rel, RaydexQuery *query, PathTarget *target, double rows,
                           List *keys) {
  rel->fdw_private = query;
  add_path(rel, (Path *)create_foreign_upper_path(root, rel, target, clamp_rows(rows),
                                                  RAYDEX_DISABLED raydex_startup_cost(query, true),
                                                  raydex_total_cost(query, true, rows), keys, NULL,
                                                  RAYDEX_RESTRICTIONS NIL));
}

/* ---- Groups ---- */

/* How many groups there may be, by the distinct values of the columns that their expressions read. */
static double estimate_groups(PlannerInfo *root, List *expressions, double rows) {
  double groups = 1;
  ListCell *cell;
  foreach (cell, add_to_flat_tlist(NIL, pull_var_clause((Node *)expressions, PVC_RECURSE_PLACEHOLDERS))) {
    const Var *column = (const Var *)lfirst_node(TargetEntry, cell)->expr;
    const Oid relation = planner_rt_fetch(column->varno, root)->relid;
    RaydexTable *table = raydex_table_of(relation);
    const int place = raydex_column_place(table, relation, column->varattno);
    const double distinct = raydex_range(table, place)->distinct;
    groups *= distinct > 0 ? distinct : 200;
  }
  return Min(groups, clamp_rows(rows));
}

static List *group_expressions(PlannerInfo *root) {
  return get_sortgrouplist_exprs(root->parse->groupClause, root->processed_tlist);
}

static bool is_group(PlannerInfo *root, const PathTarget *target, int i) {
  return get_pathtarget_sortgroupref(target, i) &&
         get_sortgroupref_clause_noerr(get_pathtarget_sortgroupref(target, i), root->parse->groupClause);
}

static bool add_aggregates(PlannerInfo *root, RaydexQuery *query, Node *expression) {
  ListCell *cell;
  foreach (cell, pull_var_clause(expression, PVC_INCLUDE_AGGREGATES | PVC_RECURSE_PLACEHOLDERS)) {
    Expr *e = lfirst(cell);
    if (!IsA(e, Aggref))
      continue;
    if (!raydex_shippable(root, query->relids, e) && !raydex_shippable_parts(root, query->relids, e))
      return false;
    query->tlist = add_to_flat_tlist(query->tlist, list_make1(e));
  }
  return true;
}

static bool add_group_targets(PlannerInfo *root, RaydexQuery *query, const PathTarget *target) {
  ListCell *cell;
  int i = 0;
  foreach (cell, target->exprs) {
    Expr *e = lfirst(cell);
    if (is_group(root, target, i++)) {
      if (IsA(e, Param) || IsA(e, Const) || !raydex_shippable(root, query->relids, e))
        return false;
      query->tlist = add_to_flat_tlist(query->tlist, list_make1(e));
    } else if (!add_aggregates(root, query, (Node *)e)) {
      return false;
    }
  }
  return true;
}

static bool add_having(PlannerInfo *root, RaydexQuery *query, List *having) {
  ListCell *cell;
  foreach (cell, having) {
    Expr *e = lfirst(cell);
    if (raydex_shippable(root, query->relids, e)) {
      query->having = lappend(query->having, e);
    } else {
      query->local = lappend(query->local, e);
      if (!add_aggregates(root, query, (Node *)e))
        return false;
    }
  }
  return true;
}

/* ---- Groups of the columns that local expressions read, which PostgreSQL puts together ---- */

/* What of an aggregate's parts is again a value that both sides know, or can be made a state of PostgreSQL's. */
static bool is_partial(const Aggref *a) {
  static const char *const simple[] = {"count", "min", "max", "bool_and", "bool_or", "every"};
  const char *name = get_func_name(a->aggfnoid);
  for (size_t i = 0; i < lengthof(simple); i++) {
    if (strcmp(name, simple[i]) == 0)
      return true;
  }
  return a->aggfnoid == F_SUM_INT2 || a->aggfnoid == F_SUM_INT4 || a->aggfnoid == F_SUM_INT8 ||
         a->aggfnoid == F_SUM_NUMERIC || a->aggfnoid == F_AVG_INT2 || a->aggfnoid == F_AVG_INT4;
}

/* 0 and -0 are one group, but not one value to what reads them. */
static bool is_float(const Node *node) {
  return exprType(node) == FLOAT4OID || exprType(node) == FLOAT8OID;
}

/* The columns that an expression of GROUP BY reads become groups. */
static bool add_partial_group(PlannerInfo *root, RaydexQuery *query, Expr *e) {
  ListCell *cell;
  if (contain_volatile_functions((Node *)e))
    return false;
  List *columns =
      raydex_shippable(root, query->relids, e) ? list_make1(e) : pull_var_clause((Node *)e, PVC_INCLUDE_PLACEHOLDERS);
  foreach (cell, columns) {
    Expr *column = lfirst(cell);
    if (IsA(column, Const) || IsA(column, Param) || is_float((Node *)column) ||
        !raydex_shippable(root, query->relids, column))
      return false;
  }
  query->tlist = add_to_flat_tlist(query->tlist, columns);
  return true;
}

static bool add_partial_aggregates(PlannerInfo *root, const RaydexQuery *query, Node *expression, PathTarget *target) {
  ListCell *cell;
  foreach (cell, pull_var_clause(expression, PVC_INCLUDE_AGGREGATES | PVC_INCLUDE_PLACEHOLDERS)) {
    Aggref *a = lfirst(cell);
    if (!IsA(a, Aggref) || !is_partial(a) ||
        !(raydex_shippable(root, query->relids, (Expr *)a) || raydex_shippable_parts(root, query->relids, (Expr *)a)))
      return false;
    a = copyObject(a);
    mark_partial_aggref(a, AGGSPLIT_INITIAL_SERIAL);
    add_new_column_to_pathtarget(target, (Expr *)a);
  }
  return true;
}

/* NULL: not all of it can be put together, or no group reads a column, so that rows have nothing to be grouped by. */
static PathTarget *partial_target(PlannerInfo *root, RaydexQuery *query, const PathTarget *final, Node *having) {
  PathTarget *target = create_empty_pathtarget();
  ListCell *cell;
  int i = 0;
  foreach (cell, final->exprs) {
    Expr *e = lfirst(cell);
    const bool group = is_group(root, final, i);
    if (group)
      add_column_to_pathtarget(target, e, get_pathtarget_sortgroupref(final, i));
    if (group ? !add_partial_group(root, query, e) : !add_partial_aggregates(root, query, (Node *)e, target))
      return NULL;
    i++;
  }
  if (!query->tlist || !add_partial_aggregates(root, query, having, target))
    return NULL;
  query->groups = list_length(query->tlist);
  foreach (cell, target->exprs) {
    if (IsA(lfirst(cell), Aggref))
      query->tlist = add_to_flat_tlist(query->tlist, list_make1(lfirst(cell)));
  }
  set_pathtarget_cost_width(root, target);
  return target;
}

/* As PostgreSQL aggregates in two steps, with a scan that gives the first. */
static void partial_group_paths(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output,
                                const GroupPathExtraData *extra) {
  const List *groups = root->parse->groupClause;
  AggClauseCosts costs = {0};
  if (!groups || !(extra->flags & GROUPING_CAN_PARTIAL_AGG) || !(extra->flags & GROUPING_CAN_USE_HASH))
    return;
  RaydexQuery *query = copy_query(input->fdw_private);
  query->grouped = true;
  query->tlist = NIL;
  PathTarget *target = partial_target(root, query, output->reltarget, extra->havingQual);
  if (!target)
    return;
  List *columns = list_truncate(get_tlist_exprs(query->tlist, true), query->groups);
  const double rows = estimate_groups(root, columns, input->rows);
  if (rows > input->rows / 2)
    return;
  RelOptInfo *partial = fetch_upper_rel(root, UPPERREL_PARTIAL_GROUP_AGG, input->relids);
  if (partial->fdw_private || partial->pathlist)
    return;
  partial->fdw_private = query;
  partial->serverid = input->serverid;
  partial->userid = input->userid;
  partial->useridiscurrent = input->useridiscurrent;
  partial->fdwroutine = input->fdwroutine;
  partial->reltarget = target;
  Path *path = (Path *)create_foreign_upper_path(root, partial, target, clamp_rows(rows),
                                                 RAYDEX_DISABLED raydex_startup_cost(query, true),
                                                 raydex_total_cost(query, true, rows), NIL, NULL,
                                                 RAYDEX_RESTRICTIONS NIL);
  get_agg_clause_costs(root, AGGSPLIT_FINAL_DESERIAL, &costs);
  add_path(output, (Path *)create_agg_path(root, output, path, output->reltarget, AGG_HASHED, AGGSPLIT_FINAL_DESERIAL,
                                           (List *)groups, (List *)extra->havingQual, &costs,
                                           estimate_groups(root, group_expressions(root), rows)));
}

static void group_paths(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output, const GroupPathExtraData *extra) {
  const Query *parse = root->parse;
  if (parse->groupingSets || (!parse->groupClause && !parse->hasAggs) ||
      extra->patype == PARTITIONWISE_AGGREGATE_PARTIAL || IS_OTHER_REL(input))
    return;
  RaydexQuery *query = copy_query(input->fdw_private);
  query->grouped = true;
  if (!add_group_targets(root, query, output->reltarget) || !add_having(root, query, (List *)extra->havingQual)) {
    partial_group_paths(root, input, output, extra);
    return;
  }
  add_upper_path(root, output, query, output->reltarget, estimate_groups(root, group_expressions(root), input->rows),
                 NIL);
}

/* ---- DISTINCT, ORDER BY, LIMIT ---- */

static void distinct_paths(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output) {
  PathTarget *target = root->upper_targets[UPPERREL_DISTINCT];
  RaydexQuery *query = copy_query(input->fdw_private);
  ListCell *cell;
  if (root->parse->hasDistinctOn || query->distinct)
    return;
  query->distinct = true;
  query->tlist = NIL;
  foreach (cell, target->exprs) {
    if (IsA(lfirst(cell), Param) || IsA(lfirst(cell), Const) || !raydex_shippable(root, query->relids, lfirst(cell)))
      return;
    query->tlist = add_to_flat_tlist(query->tlist, list_make1(lfirst(cell)));
  }
  /* GROUP BY of what DISTINCT does not select has no place to name. */
  if (query->grouped)
    return;
  add_upper_path(root, output, query, target, input->rows / 10, NIL);
}

/* What a query over scans or joins selects: the columns that its target needs. */
static bool select_columns(RaydexQuery *query, const PathTarget *target) {
  ListCell *cell;
  if (query->grouped || query->distinct || query->ordered)
    return true;
  List *columns = pull_var_clause((Node *)target->exprs, PVC_RECURSE_AGGREGATES | PVC_RECURSE_PLACEHOLDERS);
  foreach (cell, columns) {
    if (!IsA(lfirst(cell), Var) || ((Var *)lfirst(cell))->varattno <= 0)
      return false;
  }
  query->tlist = add_to_flat_tlist(NIL, columns);
  return true;
}

static bool may_order(PlannerInfo *root, const RaydexQuery *query) {
  ListCell *cell;
  foreach (cell, root->parse->sortClause) {
    const SortGroupClause *clause = lfirst(cell);
    Expr *e = (Expr *)get_sortgroupclause_expr(lfirst(cell), root->processed_tlist);
    const TypeCacheEntry *type = lookup_type_cache(exprType((Node *)e), TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);
    if (!raydex_orderable(e) || !raydex_shippable(root, query->relids, e) || IsA(e, Param) ||
        (clause->sortop != type->lt_opr && clause->sortop != type->gt_opr))
      return false;
  }
  return true;
}

static void order_paths(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output) {
  PathTarget *target = root->upper_targets[UPPERREL_ORDERED];
  RaydexQuery *query = copy_query(input->fdw_private);
  if (!select_columns(query, target) || !may_order(root, query))
    return;
  query->ordered = true;
  add_upper_path(root, output, query, target, input->rows, root->sort_pathkeys);
}

/* A count is a constant, so that a generic plan has no parameter here: NULL would be all rows. */
static bool is_count(const Node *count) {
  return !count || (IsA(count, Const) &&
                    (((const Const *)count)->constisnull || DatumGetInt64(((const Const *)count)->constvalue) >= 0));
}

static void limit_paths(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output, const FinalPathExtraData *extra) {
  const Query *parse = root->parse;
  PathTarget *target = root->upper_targets[UPPERREL_FINAL];
  RaydexQuery *query = copy_query(input->fdw_private);
  if (!extra->limit_needed || query->local || (parse->sortClause && !query->ordered) ||
      parse->limitOption == LIMIT_OPTION_WITH_TIES || !is_count(parse->limitCount) || !is_count(parse->limitOffset) ||
      !select_columns(query, target))
    return;
  query->limited = true;
  query->limit = parse->limitCount;
  query->offset = parse->limitOffset;
  double rows = input->rows;
  if (extra->limit_tuples > 0)
    rows = Min(rows, extra->limit_tuples);
  add_upper_path(root, output, query, target, rows, root->sort_pathkeys);
}

void raydex_upper_paths(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input, RelOptInfo *output,
                        void *extra) {
  const RaydexQuery *query = input->fdw_private;
  if (!raydex_pushdown || !query || output->fdw_private || root->rowMarks || root->parse->hasTargetSRFs ||
      root->parse->commandType != CMD_SELECT)
    return;
  /* Conditions that PostgreSQL checks come before groups and DISTINCT. */
  if (stage == UPPERREL_GROUP_AGG && !query->local && input->reloptkind != RELOPT_UPPER_REL)
    group_paths(root, input, output, extra);
  else if (stage == UPPERREL_DISTINCT && !query->local)
    distinct_paths(root, input, output);
  else if (stage == UPPERREL_ORDERED && !query->local)
    order_paths(root, input, output);
  else if (stage == UPPERREL_FINAL)
    limit_paths(root, input, output, extra);
}
