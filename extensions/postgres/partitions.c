/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * Partitioned tables some of whose partitions are table files, as where old rows are in files and new ones in tables:
 * groups of each partition are put together as those of several servers are (rewrite.c). */
#include "distribution.h"

#include <catalog/pg_class.h>
#include <catalog/pg_inherits.h>
#include <foreign/fdwapi.h>
#include <foreign/foreign.h>
#include <nodes/makefuncs.h>
#include <nodes/nodeFuncs.h>
#include <optimizer/optimizer.h>
#include <rewrite/rewriteManip.h>
#include <storage/lmgr.h>
#include <utils/lsyscache.h>
#include <utils/partcache.h>

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

bool raydex_is_excluded(Oid partition, int place, Node *conditions) {
  Expr *constraint = get_partition_qual_relid(partition);
  List *known = NIL;
  ListCell *cell;
  if (!constraint || !conditions)
    return false;
  Node *bounds = (Node *)make_ands_implicit((Expr *)eval_const_expressions(NULL, copyObject((Node *)constraint)));
  ChangeVarNodes(bounds, 1, place, 0);
  foreach (cell, make_ands_implicit((Expr *)eval_const_expressions(NULL, copyObject(conditions)))) {
    Relids places = pull_varnos(NULL, lfirst(cell));
    if (bms_membership(places) == BMS_SINGLETON && bms_is_member(place, places))
      known = lappend(known, lfirst(cell));
  }
  return known && predicate_refuted_by((List *)bounds, known, false);
}
