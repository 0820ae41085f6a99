/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * Statements over distributed tables. A SELECT that groups the rows of a distributed table, joined with dimensions of
 * which each node has a copy, becomes one over the groups of the nodes:
 *
 *   SELECT d_year, avg(price) FROM fact, date WHERE day = d_key GROUP BY d_year
 *
 *   SELECT c1, sum(c2) / sum(c3) FROM (
 *     SELECT d_year AS c1, sum(price) AS c2, count(price) AS c3 FROM fact_on_a, date_on_a WHERE day = d_key GROUP BY 1
 *     UNION ALL ...) GROUP BY c1
 *
 * postgres_fdw makes one remote statement of each of the inner ones. The same is done for the partitions of one server
 * where some are table files, over the dimensions that are there. Only the tree of the query is changed; what is not
 * recognised stays as it is, and is answered over the partitions of the table. */
#include "distribution.h"

#include <access/attmap.h>
#include <access/htup_details.h>
#include <catalog/pg_class.h>
#include <catalog/pg_collation.h>
#include <catalog/pg_inherits.h>
#include <nodes/makefuncs.h>
#include <nodes/nodeFuncs.h>
#include <optimizer/clauses.h>
#include <optimizer/optimizer.h>
#include <jit/jit.h>
#include <optimizer/paths.h>
#include <optimizer/planner.h>
#include <optimizer/tlist.h>
#include <parser/parse_relation.h>
#include <parser/parsetree.h>
#include <rewrite/rewriteManip.h>
#include <storage/lmgr.h>
#include <utils/lsyscache.h>
#include <utils/syscache.h>

bool raydex_two_level = true;
static planner_hook_type next_planner;
static set_rel_pathlist_hook_type next_scan;
static set_join_pathlist_hook_type next_join;

/* How many times dearer a row is that a node sends than postgres_fdw thinks. */
#define SENDING_COST 1e9

/* The tables of nodes in the statement that is being planned, the paths whose costs are raised, and the parameters that
 * are known. */
static List *node_tables;
static List *priced_paths;
static ParamListInfo known_parameters;

/* ---- Which SELECT ---- */

/* A SELECT and its tables. */
typedef struct Block {
  Query *query;
  int fact;         /* its place in the range table; 0: none yet */
  List *parts;      /* of the fact table */
  List *dimensions; /* places in the range table */
  Bitmapset **used; /* for each place, the columns of its table that are read */
} Block;

static bool add_table(Block *b, int place, bool *has_fact) {
  const RangeTblEntry *entry = rt_fetch(place, b->query->rtable);
  *has_fact = false;
  if (entry->rtekind != RTE_RELATION || entry->tablesample || entry->securityQuals ||
      (!entry->inh && has_subclass(entry->relid)))
    return false;
  List *parts = entry->relkind == RELKIND_PARTITIONED_TABLE ? raydex_parts(entry->relid) : NIL;
  if (!parts && entry->relkind == RELKIND_PARTITIONED_TABLE)
    parts = raydex_partitions(entry->relid);
  if (!parts || ((RaydexPart *)linitial(parts))->whole) {
    b->dimensions = lappend_int(b->dimensions, place);
    return true;
  }
  if (b->fact)
    return false;
  *has_fact = true;
  b->fact = place;
  b->parts = parts;
  return true;
}

static bool add_tables(Block *b, Node *node, bool *has_fact);

/* Rows of the fact table must not be padded: a partner that one node does not have, another may. */
static bool add_join(Block *b, const JoinExpr *join, bool *has_fact) {
  bool left, right;
  if (!add_tables(b, join->larg, &left) || !add_tables(b, join->rarg, &right))
    return false;
  *has_fact = left || right;
  switch (join->jointype) {
  case JOIN_INNER:
    return true;
  case JOIN_LEFT:
    return !right;
  case JOIN_RIGHT:
    return !left;
  case JOIN_FULL:
    return !left && !right;
  default:
    return false;
  }
}

static bool add_tables(Block *b, Node *node, bool *has_fact) {
  ListCell *cell;
  bool inside;
  *has_fact = false;
  if (IsA(node, RangeTblRef))
    return add_table(b, ((RangeTblRef *)node)->rtindex, has_fact);
  if (IsA(node, JoinExpr))
    return add_join(b, (JoinExpr *)node, has_fact);
  if (!IsA(node, FromExpr))
    return false;
  foreach (cell, ((FromExpr *)node)->fromlist) {
    if (!add_tables(b, lfirst(cell), &inside))
      return false;
    *has_fact = *has_fact || inside;
  }
  return true;
}

/* True where something reads what the nodes do not have: outer queries, system columns, rows as one value. */
static bool reads_else(Node *node, void *argument) {
  Block *b = argument;
  if (!node)
    return false;
  if (IsA(node, Var)) {
    const Var *var = (Var *)node;
    if (var->varlevelsup != 0 || var->varattno <= 0)
      return true;
    b->used[var->varno] = bms_add_member(b->used[var->varno], var->varattno);
    return false;
  }
  if (IsA(node, SubLink) || IsA(node, Query) || IsA(node, GroupingFunc))
    return true;
  return expression_tree_walker(node, reads_else, argument);
}

static bool reads_tables_only(Block *b) {
  const Query *q = b->query;
  ListCell *cell;
  b->used = palloc0(sizeof *b->used * (size_t)(list_length(q->rtable) + 1));
  if (reads_else((Node *)q->targetList, b) || reads_else((Node *)q->jointree, b) || reads_else(q->havingQual, b))
    return false;
  foreach (cell, q->rtable) {
    const RangeTblEntry *entry = lfirst(cell);
    if (entry->rtekind == RTE_JOIN && reads_else((Node *)entry->joinaliasvars, b))
      return false;
  }
  return !contain_volatile_functions((Node *)q->targetList) && !contain_volatile_functions((Node *)q->jointree) &&
         !contain_volatile_functions(q->havingQual);
}

static bool may_group(const Query *q) {
#if PG_VERSION_NUM >= 180000
  if (q->hasGroupRTE)
    return false;
#endif
  if (q->commandType != CMD_SELECT || q->groupingSets || q->hasSubLinks || q->setOperations || q->rowMarks ||
      q->cteList || q->hasTargetSRFs || q->hasRowSecurity || !q->jointree->fromlist)
    return false;
  return q->hasAggs || q->groupClause || (q->distinctClause && !q->hasDistinctOn && !q->hasWindowFuncs);
}

/* ---- The statement of a node ---- */

/* The place in another table of each column, by name and type; 0: it is not there. */
static AttrMap *map_columns(Oid from, Oid to) {
  HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(from));
  if (!HeapTupleIsValid(tuple))
    elog(ERROR, "cache lookup failed for relation %u", from);
  const int count = ((Form_pg_class)GETSTRUCT(tuple))->relnatts;
  ReleaseSysCache(tuple);
  AttrMap *map = make_attrmap(count);
  for (AttrNumber i = 1; i <= count; i++) {
    const char *name = get_attname(from, i, true);
    const AttrNumber place = name ? get_attnum(to, name) : InvalidAttrNumber;
    if (place > 0 && get_atttype(from, i) == get_atttype(to, place))
      map->attnums[i - 1] = place;
  }
  return map;
}

/* Rights are those to the original, which the statement above still names. */
static void drop_rights(Query *q, RangeTblEntry *entry) {
#if PG_VERSION_NUM >= 160000
  if (entry->perminfoindex > 0) {
    RTEPermissionInfo *rights = getRTEPermissionInfo(q->rteperminfos, entry);
    rights->relid = entry->relid;
    rights->requiredPerms = 0;
    rights->selectedCols = NULL;
  }
#else
  (void)q;
  entry->requiredPerms = 0;
  entry->selectedCols = NULL;
#endif
}

/* Have the statement of a node read a table of its own. */
static bool replace_table(const Block *b, Query *node, int place, Oid table) {
  RangeTblEntry *entry = rt_fetch(place, node->rtable);
  AttrMap *map = map_columns(entry->relid, table);
  bool whole;
  int column = -1;
  while ((column = bms_next_member(b->used[place], column)) >= 0) {
    if (map->attnums[column - 1] == 0)
      return false;
  }
  LockRelationOid(table, AccessShareLock);
  const char kind = get_rel_relkind(table);
  if (kind != RELKIND_FOREIGN_TABLE && kind != RELKIND_RELATION)
    return false;
#if PG_VERSION_NUM >= 160000
  RTEPermissionInfo *rights = entry->perminfoindex > 0 ? getRTEPermissionInfo(node->rteperminfos, entry) : NULL;
  if (rights)
    rights->relid = table;
#endif
  entry->relid = table;
  entry->relkind = kind;
  entry->rellockmode = AccessShareLock;
  drop_rights(node, entry);
  node->targetList = (List *)map_variable_attnos((Node *)node->targetList, place, 0, map, InvalidOid, &whole);
  node->jointree = (FromExpr *)map_variable_attnos((Node *)node->jointree, place, 0, map, InvalidOid, &whole);
  ListCell *cell;
  foreach (cell, node->rtable) {
    RangeTblEntry *join = lfirst(cell);
    if (join->rtekind == RTE_JOIN)
      join->joinaliasvars = (List *)map_variable_attnos((Node *)join->joinaliasvars, place, 0, map, InvalidOid, &whole);
  }
  return true;
}

/* Two columns of one value are a class of equals to the planner, which then gives the value the collation of the
 * columns, and postgres_fdw keeps such values here. Those of an array stay as they are. */
static Node *value_in_array(OpExpr *op) {
  Node *left = linitial(op->args), *right = lsecond(op->args);
  const bool is_left = IsA(left, Const) || IsA(left, Param);
  Node *value = is_left ? left : right;
  const Oid type = exprType(value), array = get_array_type(type);
  const Oid equal_to = is_left ? get_commutator(op->opno) : op->opno;
  if (!OidIsValid(array) || !OidIsValid(equal_to))
    return (Node *)op;
  ArrayExpr *values = makeNode(ArrayExpr);
  values->array_typeid = array;
  values->array_collid = exprCollation(value);
  values->element_typeid = type;
  values->elements = list_make1(value);
  values->location = -1;
  ScalarArrayOpExpr *any = makeNode(ScalarArrayOpExpr);
  any->opno = equal_to;
  any->useOr = true;
  any->inputcollid = op->inputcollid;
  any->args = list_make2(is_left ? right : left, values);
  any->location = -1;
  return (Node *)any;
}

static Node *use_arrays(Node *node, void *argument) {
  OpExpr *op = (OpExpr *)node;
  if (node && IsA(node, OpExpr) && list_length(op->args) == 2 && OidIsValid(op->inputcollid) &&
      op->inputcollid != DEFAULT_COLLATION_OID && op_mergejoinable(op->opno, exprType(linitial(op->args)))) {
    Node *left = linitial(op->args), *right = lsecond(op->args);
    if ((IsA(left, Const) || IsA(left, Param)) != (IsA(right, Const) || IsA(right, Param)))
      return value_in_array(op);
  }
  return node ? expression_tree_mutator(node, use_arrays, argument) : NULL;
}

static Oid copy_on(Oid relation, Oid server) {
  ListCell *cell;
  foreach (cell, raydex_parts(relation)) {
    const RaydexPart *part = lfirst(cell);
    if (part->whole && part->server == server)
      return part->table;
  }
  return InvalidOid;
}

/* NULL: the node has no copy of a dimension. */
static Query *node_query(const Block *b, const RaydexInner *inner, const RaydexPart *part) {
  const Query *q = b->query;
  ListCell *cell;
  Query *node = makeNode(Query);
  node->commandType = CMD_SELECT;
  node->querySource = q->querySource;
  node->canSetTag = true;
  node->rtable = copyObject(q->rtable);
#if PG_VERSION_NUM >= 160000
  node->rteperminfos = copyObject(q->rteperminfos);
#endif
  node->jointree = (FromExpr *)use_arrays((Node *)copyObject(q->jointree), NULL);
  node->targetList = copyObject(inner->tlist);
  node->groupClause = copyObject(inner->groups);
  node->hasAggs = contain_agg_clause((Node *)node->targetList);
  if (!replace_table(b, node, b->fact, part->table))
    return NULL;
  if (!OidIsValid(part->server))
    return node;
  node_tables = lappend_oid(node_tables, part->table);
  foreach (cell, b->dimensions) {
    const int place = lfirst_int(cell);
    const Oid copy = copy_on(rt_fetch(place, q->rtable)->relid, part->server);
    if (!OidIsValid(copy) || !replace_table(b, node, place, copy))
      return NULL;
    node_tables = lappend_oid(node_tables, copy);
  }
  return node;
}

/* ---- The statement above ---- */

static List *column_names(const RaydexInner *inner) {
  List *names = NIL;
  ListCell *cell;
  foreach (cell, inner->tlist)
    names = lappend(names, makeString(pstrdup(lfirst_node(TargetEntry, cell)->resname)));
  return names;
}

static RangeTblEntry *subquery_entry(Query *query, const char *name, const RaydexInner *inner, bool in_from) {
  RangeTblEntry *entry = makeNode(RangeTblEntry);
  entry->rtekind = RTE_SUBQUERY;
  entry->subquery = query;
  entry->alias = makeAlias(name, NIL);
  entry->eref = makeAlias(name, column_names(inner));
  entry->inFromCl = in_from;
  return entry;
}

static Node *union_of(Node *left, int right, const RaydexInner *inner) {
  ListCell *cell;
  RangeTblRef *last = makeNode(RangeTblRef);
  last->rtindex = right;
  if (!left)
    return (Node *)last;
  SetOperationStmt *set = makeNode(SetOperationStmt);
  set->op = SETOP_UNION;
  set->all = true;
  set->larg = left;
  set->rarg = (Node *)last;
  foreach (cell, inner->tlist) {
    Node *e = (Node *)lfirst_node(TargetEntry, cell)->expr;
    set->colTypes = lappend_oid(set->colTypes, exprType(e));
    set->colTypmods = lappend_int(set->colTypmods, exprTypmod(e));
    set->colCollations = lappend_oid(set->colCollations, exprCollation(e));
  }
  return (Node *)set;
}

/* SELECT ... UNION ALL SELECT ... of all nodes; NULL: one has not all of it. */
static Query *all_nodes(const Block *b, const RaydexInner *inner) {
  ListCell *cell;
  Query *all = makeNode(Query);
  all->commandType = CMD_SELECT;
  all->querySource = b->query->querySource;
  all->canSetTag = true;
  all->jointree = makeFromExpr(NIL, NULL);
  foreach (cell, b->parts) {
    const RaydexPart *part = lfirst(cell);
    Query *node = node_query(b, inner, part);
    if (!node)
      return NULL;
    if ((all->rtable || lnext(b->parts, cell)) &&
        raydex_is_excluded(part->table, b->fact, node->jointree->quals, known_parameters))
      continue;
    all->rtable = lappend(all->rtable, subquery_entry(node, "node", inner, false));
    all->setOperations = union_of(all->setOperations, list_length(all->rtable), inner);
  }
  if (list_length(all->rtable) == 1)
    return ((RangeTblEntry *)linitial(all->rtable))->subquery;
  foreach (cell, inner->tlist) {
    const TargetEntry *entry = lfirst(cell);
    Node *e = (Node *)entry->expr;
    Var *var = makeVar(1, entry->resno, exprType(e), exprTypmod(e), exprCollation(e), 0);
    all->targetList =
        lappend(all->targetList, makeTargetEntry((Expr *)var, entry->resno, pstrdup(entry->resname), false));
  }
  return all;
}

/* The clause by which an expression of the SELECT list is a group; NULL: it is none. */
static const SortGroupClause *group_of(const Query *q, const TargetEntry *entry) {
  List *groups = q->groupClause || q->hasAggs ? q->groupClause : q->distinctClause;
  return entry->ressortgroupref ? get_sortgroupref_clause_noerr(entry->ressortgroupref, groups) : NULL;
}

typedef struct Outer {
  const Query *query;
  RaydexInner *inner;
} Outer;

static Node *to_outer(Node *node, void *argument) {
  Outer *o = argument;
  ListCell *cell;
  if (!node)
    return NULL;
  foreach (cell, IsA(node, Const) ? NIL : o->query->targetList) {
    const TargetEntry *entry = lfirst(cell);
    const SortGroupClause *group = group_of(o->query, entry);
    if (group && equal(entry->expr, node))
      return (Node *)raydex_inner_group(o->inner, entry->expr, group);
  }
  if (IsA(node, Aggref)) {
    Expr *combined = raydex_combine(o->inner, (Aggref *)node);
    o->inner->failed = o->inner->failed || !combined;
    return combined ? (Node *)combined : node;
  }
  if (IsA(node, Var)) {
    o->inner->failed = true;
    return node;
  }
  return expression_tree_mutator(node, to_outer, argument);
}

static List *outer_tlist(Outer *o) {
  List *result = NIL;
  ListCell *cell;
  foreach (cell, o->query->targetList) {
    TargetEntry *entry = flatCopyTargetEntry(lfirst(cell));
    const SortGroupClause *group = group_of(o->query, entry);
    entry->expr =
        group ? (Expr *)raydex_inner_group(o->inner, entry->expr, group) : (Expr *)to_outer((Node *)entry->expr, o);
    entry->resorigtbl = InvalidOid;
    entry->resorigcol = 0;
    result = lappend(result, entry);
  }
  return result;
}

/* The original tables stay in the range table, so that rights to them are checked and changes of them noticed. */
static List *original_tables(const Query *q) {
  List *tables = NIL;
  ListCell *cell;
  foreach (cell, q->rtable) {
    if (lfirst_node(RangeTblEntry, cell)->rtekind == RTE_RELATION)
      tables = lappend(tables, lfirst(cell));
  }
  return tables;
}

/* True where it is changed. */
static bool rewrite(Query *q) {
  Block b = {.query = q};
  bool has_fact;
  if (!may_group(q) || !add_tables(&b, (Node *)q->jointree, &has_fact) || !b.fact || !reads_tables_only(&b))
    return false;
  List *tables = original_tables(q);
  RaydexInner inner = {.varno = (Index)list_length(tables) + 1};
  Outer o = {q, &inner};
  List *tlist = outer_tlist(&o);
  Node *having = to_outer(q->havingQual, &o);
  if (inner.failed || !inner.tlist)
    return false;
  Query *all = all_nodes(&b, &inner);
  if (!all)
    return false;
  RangeTblRef *from = makeNode(RangeTblRef);
  from->rtindex = (int)inner.varno;
  q->rtable = lappend(tables, subquery_entry(all, "nodes", &inner, true));
  q->jointree = makeFromExpr(list_make1(from), NULL);
  q->targetList = tlist;
  q->havingQual = having;
  return true;
}

/* ---- The plans of nodes ---- */

/* What nodes send is dear, unless it is groups. postgres_fdw takes a join on a node for one of all rows with all, and
 * would rather fetch both tables; what it pushes down it decides before, by what the node can do. */
static bool is_of_node(const RelOptInfo *rel, PlannerInfo *root) {
  int relid = -1;
  while (node_tables && (relid = bms_next_member(rel->relids, relid)) >= 0) {
    const RangeTblEntry *entry = planner_rt_fetch(relid, root);
    if (entry && list_member_oid(node_tables, entry->relid))
      return true;
  }
  return false;
}

static void price_path(Path *path) {
  if (list_member_ptr(priced_paths, path))
    return;
  path->total_cost = path->startup_cost + SENDING_COST * (path->total_cost - path->startup_cost);
  priced_paths = lappend(priced_paths, path);
}

static void price_scan(PlannerInfo *root, RelOptInfo *rel, Index place, RangeTblEntry *entry) {
  ListCell *cell;
  if (next_scan)
    next_scan(root, rel, place, entry);
  if (rel->reloptkind != RELOPT_BASEREL || !is_of_node(rel, root))
    return;
  foreach (cell, rel->pathlist)
    price_path(lfirst(cell));
}

/* Called for each order of a join, after postgres_fdw has added its path for the first of them. */
static void price_join(PlannerInfo *root, RelOptInfo *join, RelOptInfo *outer, RelOptInfo *inner, JoinType type,
                       JoinPathExtraData *extra) {
  ListCell *cell;
  if (next_join)
    next_join(root, join, outer, inner, type, extra);
  foreach (cell, is_of_node(join, root) ? join->pathlist : NIL) {
    if (IsA(lfirst(cell), ForeignPath))
      price_path(lfirst(cell));
  }
}

/* ---- The hook ---- */

/* Inner queries first. Their trees are changed in place: the planner would scribble on them, too. */
static bool visit(Node *node, void *argument) {
  if (!node)
    return false;
  if (!IsA(node, Query))
    return expression_tree_walker(node, visit, argument);
  query_tree_walker((Query *)node, visit, argument, 0);
  Query *q = (Query *)node;
  if (!rewrite(q) && q->commandType == CMD_SELECT && q->jointree)
    raydex_add_key_conditions(q, known_parameters);
  return false;
}

static PlannedStmt *plan_next(Query *parse, const char *text, int options, ParamListInfo parameters) {
  return next_planner ? next_planner(parse, text, options, parameters)
                      : standard_planner(parse, text, options, parameters);
}

/* Planning may run functions, which plan statements of their own. */
static PlannedStmt *plan_two_levels(Query *parse, const char *text, int options, ParamListInfo parameters) {
  List *outer_tables = node_tables, *outer_paths = priced_paths;
  const ParamListInfo outer_parameters = known_parameters;
  PlannedStmt *plan;
  node_tables = priced_paths = NIL;
  known_parameters = parameters;
  PG_TRY();
  {
    if (raydex_two_level)
      visit((Node *)parse, NULL);
    plan = plan_next(parse, text, options, parameters);
    /* Costs are those of the nodes. Here a few groups are added up. */
    if (node_tables)
      plan->jitFlags = PGJIT_NONE;
  }
  PG_FINALLY();
  {
    node_tables = outer_tables;
    priced_paths = outer_paths;
    known_parameters = outer_parameters;
  }
  PG_END_TRY();
  return plan;
}

void raydex_rewrite_init(void) {
  next_planner = planner_hook;
  planner_hook = plan_two_levels;
  next_scan = set_rel_pathlist_hook;
  set_rel_pathlist_hook = price_scan;
  next_join = set_join_pathlist_hook;
  set_join_pathlist_hook = price_join;
}
