/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * Groups, DISTINCT, ORDER BY and LIMIT. */
#include "raydex_fdw.h"

#include <catalog/pg_type.h>
#include <nodes/makefuncs.h>
#include <nodes/nodeFuncs.h>
#include <optimizer/optimizer.h>
#include <optimizer/pathnode.h>
#include <optimizer/planmain.h>
#include <optimizer/tlist.h>
#include <parser/parsetree.h>
#include <utils/lsyscache.h>
#include <utils/typcache.h>

#define UPPER_COST 5.0
#define UPPER_ROW_COST 0.02

static RaydexQuery *copy_query(const RaydexQuery *from) {
  RaydexQuery *query = palloc(sizeof *query);
  *query = *from;
  return query;
}

static double clamp_rows(double rows) {
  return rows < 1 ? 1 : rows;
}

/* Less than the paths of PostgreSQL, which read all that this does and more. */
static void add_upper_path(PlannerInfo *root, RelOptInfo *rel, RaydexQuery *query, PathTarget *target, double rows,
                           List *keys) {
  rel->fdw_private = query;
  const Cost startup = query->limited ? UPPER_COST / 2 : UPPER_COST;
  const Cost cost = startup + UPPER_ROW_COST * rows;
  add_path(rel, (Path *)create_foreign_upper_path(root, rel, target, clamp_rows(rows), RAYDEX_DISABLED startup, cost,
                                                  keys, NULL, RAYDEX_RESTRICTIONS NIL));
}

/* ---- Groups ---- */

/* How many groups there may be, by the distinct values of the columns. */
static double estimate_groups(PlannerInfo *root, const RaydexQuery *query, double rows) {
  double groups = 1;
  ListCell *cell;
  foreach (cell, root->parse->groupClause) {
    Node *expression = get_sortgroupclause_expr(lfirst(cell), root->processed_tlist);
    double distinct = 0;
    if (IsA(expression, Var)) {
      const Oid relation = planner_rt_fetch(((Var *)expression)->varno, root)->relid;
      RaydexTable *table = raydex_table_of(relation);
      distinct = raydex_range(table, raydex_column_place(table, relation, ((Var *)expression)->varattno))->distinct;
    }
    groups *= distinct > 0 ? distinct : 200;
  }
  return Min(groups, clamp_rows(rows));
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

static void group_paths(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output, const GroupPathExtraData *extra) {
  const Query *parse = root->parse;
  if (parse->groupingSets || (!parse->groupClause && !parse->hasAggs) ||
      extra->patype == PARTITIONWISE_AGGREGATE_PARTIAL || IS_OTHER_REL(input))
    return;
  RaydexQuery *query = copy_query(input->fdw_private);
  query->grouped = true;
  if (!add_group_targets(root, query, output->reltarget) || !add_having(root, query, (List *)extra->havingQual))
    return;
  add_upper_path(root, output, query, output->reltarget, estimate_groups(root, query, input->rows), NIL);
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
