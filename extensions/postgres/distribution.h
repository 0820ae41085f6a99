/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * Tables over several machines: what raydex.distribute() has made, and statements over it. */
#ifndef RAYDEX_DISTRIBUTION_H
#define RAYDEX_DISTRIBUTION_H

#include <postgres.h>

#include <nodes/params.h>
#include <nodes/parsenodes.h>
#include <nodes/pg_list.h>
#include <nodes/primnodes.h>

/** raydex.two_level. */
extern bool raydex_two_level;

/** Set the hooks; once, when the library is loaded. */
extern void raydex_rewrite_init(void);
extern void raydex_nodes_init(void);

/* ---- What is distributed (parts.c) ---- */

/** A table that stands for a part of a fact table, or for all of a dimension. */
typedef struct RaydexPart {
  Oid server; /**< of its foreign table; invalid: it is a partition of this server, whose dimensions are those here */
  Oid table;
  bool whole; /**< all rows of its relation are there */
} RaydexPart;

/** The parts of a relation, of RaydexPart; NIL: it is not distributed, or its copies are older than it. */
extern List *raydex_parts(Oid relation);

/* ---- Partitions of this server (partitions.c) ---- */

/** The partitions of a table, of RaydexPart, where one of them is a table file; else NIL. */
extern List *raydex_partitions(Oid relation);

/** Do the conditions of a statement leave no row of a partition, whose place in its range table that is? */
extern bool raydex_is_excluded(Oid partition, int place, Node *conditions, ParamListInfo parameters);

/** Add to the conditions of a SELECT on the keys of distributed tables what they say of the partitions. */
extern void raydex_add_key_conditions(Query *query, ParamListInfo parameters);

/* ---- Aggregates in two steps (partial.c) ---- */

/** The columns that each node selects, while the statement above them is written. */
typedef struct RaydexInner {
  List *tlist;  /**< of TargetEntry */
  List *groups; /**< of SortGroupClause over tlist */
  Index varno;  /**< of what the nodes select, in the statement above */
  Index lastref;
  bool grouped; /**< its rows are groups, of aggregates or not */
  bool failed;  /**< something cannot be taken apart */
} RaydexInner;

/** A column of what the nodes select that holds `expression`; the same one for equal expressions. */
extern Var *raydex_inner_column(RaydexInner *inner, Expr *expression);

/** The column of an expression that the nodes group by. */
extern Var *raydex_inner_group(RaydexInner *inner, Expr *expression, const SortGroupClause *clause);

/** What gives the value of an aggregate from those of the nodes; NULL: it cannot be taken apart. */
extern Expr *raydex_combine(RaydexInner *inner, const Aggref *aggregate);

#endif
