/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RAYDEX_FDW_H
#define RAYDEX_FDW_H

#include <postgres.h>

#include <foreign/fdwapi.h>
#include <lib/stringinfo.h>
#include <nodes/execnodes.h>
#include <nodes/pathnodes.h>
#include <pgstat.h>

#include <raydex/raydex.h>

/* ---- Settings (raydex_fdw.c) ---- */

extern bool raydex_pushdown;
extern int raydex_threads;
extern bool raydex_count_rays;

/* ---- Servers, tables and their files (connect.c) ---- */

/** What a table file says of a column, as far as it is a number. */
typedef struct RaydexRange {
  bool asked; /**< for what is below */
  bool known; /**< least and most are */
  double min, max;
  double distinct; /**< 0: not known */
} RaydexRange;

/** A table of a folder: its columns, and its statistics where it is a table file. It lives as long as the backend. */
typedef struct RaydexTable {
  struct RaydexTable *next;
  char *folder, *name, *path;
  uint64 device, inode, size, seconds, nanoseconds;
  double rows;
  int count;
  char **names;
  rdx_type *types;
  uint8 *scales;
  RaydexRange *ranges;
} RaydexTable;

/** The device of this backend, opened at its first use. */
extern rdx_device *raydex_device(void);

/** The database of a folder, opened at its first use by this backend. */
extern rdx_database *raydex_database(const char *folder);

/** Raise what a call failed with, an interrupt first. */
extern void raydex_check(rdx_status status, const rdx_error *error, const char *sql);

/** The folder that the server of a foreign table names. */
extern const char *raydex_folder_of_server(Oid server);

/** The table that a foreign table stands for, its columns compared with their declarations. */
extern RaydexTable *raydex_table_of(Oid relation);

/** The table of that name; checks that its file is in the folder. */
extern RaydexTable *raydex_table_find(const char *folder, const char *name);

/** The name in the file of a column of a foreign table. */
extern const char *raydex_column_name(Oid relation, AttrNumber attribute);

/** May the user ask this server? */
extern bool raydex_may_use_server(Oid server);

/** The place of a column of a foreign table in its file; -1: it has none. */
extern int raydex_column_place(const RaydexTable *table, Oid relation, AttrNumber attribute);

/** Is there a table or a view of that name? */
extern bool raydex_table_exists(const char *folder, const char *name);

extern const RaydexRange *raydex_range(RaydexTable *table, int place);

/** Start and end of a call that may start threads: these must not take the signals of the server. */
extern void raydex_block_signals(sigset_t *old);
extern void raydex_unblock_signals(const sigset_t *old);

/* ---- Types (types.c) ---- */

static inline bool raydex_is_null(const rdx_column *column, uint64 row) {
  return column->validity && !(column->validity[row / 8] >> (row % 8) & 1);
}

/** The type that IMPORT FOREIGN SCHEMA declares, as SQL writes it. */
extern const char *raydex_declaration(rdx_type type, uint8 scale);

/** May a column of a file be declared so? */
extern bool raydex_type_fits(rdx_type type, uint8 scale, Oid declared, int32 typmod);

/** Do both sides know values of that type? */
extern bool raydex_type_known(Oid type);

/** A value of a result as a value of a type; palloc'd in the current context. */
extern Datum raydex_datum(const rdx_column *column, uint64 row, Oid type);

/** Write a value as Raydex reads it; false: it cannot be written. */
extern bool raydex_literal(StringInfo out, Oid type, Datum value, bool null);

/** Write a numeric that is NaN or has more than 20 digits before the point, for comparisons; false: it has not. */
extern bool raydex_literal_beyond(StringInfo out, Datum value);

/** Write a name in quotes. */
extern void raydex_quote(StringInfo out, const char *name);

/* ---- What is pushed down (plan.c, upper.c) ---- */

/** EXISTS (SELECT FROM relids WHERE conditions), or NOT EXISTS. */
typedef struct RaydexSubquery {
  bool negated;
  Relids relids;
  List *conditions;
} RaydexSubquery;

/** LEFT JOIN of a table, or FULL JOIN. */
typedef struct RaydexOuterJoin {
  int relid;
  bool full;        /**< with one table, before any other join */
  List *conditions; /**< ON */
} RaydexOuterJoin;

/** The query that a relation of the planner stands for: SELECT tlist FROM relids WHERE conditions ... */
typedef struct RaydexQuery {
  Oid server;
  Relids relids;
  List *conditions;  /**< of expressions, all pushed */
  List *subqueries;  /**< of RaydexSubquery: conditions, too */
  List *outer_joins; /**< of RaydexOuterJoin: the tables of relids that are not joined by conditions */
  List *local;       /**< of expressions that PostgreSQL checks */
  double tuples;     /**< of the largest table */
  bool joined, grouped, distinct, ordered, limited;
  List *tlist;  /**< what is selected, but of scans and joins */
  int groups;   /**< the first of tlist that GROUP BY names; 0: those of the statement */
  List *having; /**< of expressions */
  List *order;  /**< of SortGroupClause, over tlist or the columns */
  List *order_tlist;
  Node *limit, *offset;
} RaydexQuery;

extern bool raydex_shippable(PlannerInfo *root, Relids relids, Expr *expression);

/** May an aggregate be selected as its parts, which PostgreSQL puts together? */
extern bool raydex_shippable_parts(PlannerInfo *root, Relids relids, Expr *expression);

/** The columns that an expression is selected as: 2 of an exact average or its state, sum and count; 3 of an exact
 * variance or standard deviation, the sum of squares, too; else 1. */
extern int raydex_aggregate_parts(const Expr *expression);

/** When a branch of CASE is taken, also where it compares with the value after CASE. */
extern Node *raydex_case_condition(const CaseExpr *expression, const CaseWhen *when);

/** What Raydex calls a function that may be pushed; NULL: it is none, or a cast or extract(). */
extern const char *raydex_function_name(Oid function);

/** May a value be ordered by the operators < and > of its type on both sides? */
extern bool raydex_orderable(Expr *expression);

extern void raydex_join_paths(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outerrel, RelOptInfo *innerrel,
                              JoinType jointype, JoinPathExtraData *extra);
extern void raydex_upper_paths(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input_rel,
                               RelOptInfo *output_rel, void *extra);
extern void raydex_rel_size(PlannerInfo *root, RelOptInfo *rel, Oid relation);
extern void raydex_base_paths(PlannerInfo *root, RelOptInfo *rel, Oid relation);
extern Cost raydex_startup_cost(const RaydexQuery *query, bool upper);
extern Cost raydex_total_cost(const RaydexQuery *query, bool upper, double rows);
extern ForeignScan *raydex_make_plan(PlannerInfo *root, RelOptInfo *rel, Oid relation, ForeignPath *path, List *tlist,
                                     List *clauses, Plan *outer);
extern bool raydex_recheck(ForeignScanState *node, TupleTableSlot *slot);

/** Functions that create paths got arguments over time. */
#if PG_VERSION_NUM >= 180000
#define RAYDEX_DISABLED 0,
#else
#define RAYDEX_DISABLED
#endif
#if PG_VERSION_NUM >= 170000
#define RAYDEX_RESTRICTIONS NIL,
#else
#define RAYDEX_RESTRICTIONS
#endif

/* ---- Text (deparse.c) ---- */

/** The places of what a plan keeps in fdw_private. */
enum {
  RAYDEX_PLAN_SQL,     /**< String, with parameters as $1 and so on */
  RAYDEX_PLAN_TARGETS, /**< of integers: the attribute of the slot; negative: that of an aggregate in parts */
  RAYDEX_PLAN_FOLDER,  /**< String */
};

/**
 * The text of a query that selects `tlist`. Appends to `*targets` the column of the slot that each selected value
 * fills, negative for those of an aggregate in parts, and to `*parameters` the expressions of parameters.
 */
extern char *raydex_deparse(PlannerInfo *root, const RaydexQuery *query, List *tlist, const List *attributes,
                            List **targets, List **parameters);

/* ---- Execution (execute.c), import (import.c), ANALYZE (analyze.c) ---- */

extern void raydex_begin(ForeignScanState *node, int flags);
extern TupleTableSlot *raydex_iterate(ForeignScanState *node);
extern void raydex_rescan(ForeignScanState *node);
extern void raydex_end(ForeignScanState *node);
extern void raydex_explain(ForeignScanState *node, struct ExplainState *es);
extern List *raydex_import(ImportForeignSchemaStmt *statement, Oid server);
extern bool raydex_analyze(Relation relation, AcquireSampleRowsFunc *acquire, BlockNumber *pages);

/* ---- Questions (ask.c) and the worker (worker.c) ---- */

/** The answer of a query, in the memory of the session, or mapped from the worker that gave it. */
typedef struct RaydexResult {
  bool ready;
  uint32 count;
  uint64 rows;
  rdx_column *columns;
  rdx_answer_stats stats;
  char method[160], device[64];
  rdx_statement *statement;
  rdx_answer *answer;
  void *map;
  size_t size;
} RaydexResult;

/** Ask anew: what the result had goes. Columns are allocated in `context`. On errors free the result, too. */
extern void raydex_ask(const char *folder, const char *sql, MemoryContext context, RaydexResult *result);

/** Ask for the plan of a query instead: a column of lines. The first question measures the device, in a few seconds. */
extern void raydex_ask_plan(const char *folder, const char *sql, MemoryContext context, RaydexResult *result);
extern void raydex_result_free(RaydexResult *result);

/** What the worker has prepared; false: nothing, or it does not run. */
extern bool raydex_ask_prepared(const char *folder, RaydexResult *result);

/** Where the worker listens: relative to the folder of the server's data, in which every backend is. Base backups leave
 * this folder out. */
#define RAYDEX_SOCKET PG_STAT_TMP_DIR "/raydex_fdw.socket"

extern bool raydex_worker;
extern void raydex_worker_init(void);

/** Ask the server for the worker; false: it has no place for one. */
extern bool raydex_worker_start(void);

/* ---- Counters (stats.c) ---- */

/** Add what a query took to the counters of its database. */
extern void raydex_count(const char *device, const rdx_answer_stats *stats);

#endif
