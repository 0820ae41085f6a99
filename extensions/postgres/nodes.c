/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * Errors while a statement runs on several nodes name the node that failed, or those that have not answered; errors
 * while it ends there, or its transaction is committed, name all that take part. */
#include "distribution.h"

#include <access/xact.h>
#include <executor/executor.h>
#include <foreign/foreign.h>
#include <nodes/execnodes.h>
#include <nodes/nodeFuncs.h>

static ExecutorStart_hook_type next_start;
static ExecutorRun_hook_type next_run;
static ExecutorEnd_hook_type next_end;

/* A scan of postgres_fdw, and the server that it asks. */
typedef struct Asked {
  const PlanState *scan;
  const AppendState *append; /* NULL: it is a child of none */
  int child;
  const char *server;
} Asked;

static void add_scan(const PlanState *scan, const AppendState *append, int child, List **asked) {
  ListCell *cell;
  const ForeignServer *server = GetForeignServer(((ForeignScan *)scan->plan)->fs_server);
  foreach (cell, *asked) {
    if (((const Asked *)lfirst(cell))->scan == scan)
      return;
  }
  if (strcmp(GetForeignDataWrapper(server->fdwid)->fdwname, "postgres_fdw") != 0)
    return;
  Asked *a = palloc(sizeof *a);
  *a = (Asked){scan, append, child, server->servername};
  *asked = lappend(*asked, a);
}

static bool add_scans(PlanState *state, void *argument) {
  if (IsA(state, ForeignScanState))
    add_scan(state, NULL, 0, argument);
  if (IsA(state, AppendState)) {
    const AppendState *append = (AppendState *)state;
    for (int i = 0; i < append->as_nplans; i++)
      if (IsA(append->appendplans[i], ForeignScanState))
        add_scan(append->appendplans[i], append, i, argument);
  }
  return planstate_tree_walker(state, add_scans, argument);
}

static const AsyncRequest *request_of(const Asked *a) {
  return a->append && a->append->as_nasyncplans > 0 && a->append->as_asyncrequests
             ? a->append->as_asyncrequests[a->child]
             : NULL;
}

static bool is_alone(const Asked *a) {
  return !a->append;
}

static bool is_awaited(const Asked *a) {
  const AsyncRequest *request = request_of(a);
  return request && request->callback_pending;
}

/* All nodes are asked in their order, and the one that is being asked is marked as awaited already. After that, an
 * answer that is being read is neither awaited nor complete. */
static bool is_served(const Asked *a) {
  const AsyncRequest *request = request_of(a);
  if (is_alone(a))
    return true;
  if (!request)
    return a->append->as_begun && a->append->as_whichplan == a->child;
  if (a->append->as_begun)
    return !request->callback_pending && !request->request_complete;
  for (int i = a->child + 1; i < a->append->as_nplans; i++) {
    const AsyncRequest *later = a->append->as_asyncrequests[i];
    if (later && later->callback_pending)
      return false;
  }
  return request->callback_pending;
}

static int name_servers(const List *asked, bool (*chosen)(const Asked *a), StringInfo out) {
  int count = 0;
  ListCell *cell;
  foreach (cell, asked) {
    const Asked *a = lfirst(cell);
    if (chosen(a))
      appendStringInfo(out, "%s\"%s\"", count++ > 0 ? ", " : "", a->server);
  }
  return count;
}

static void name_nodes(void *argument) {
  const List *asked = argument;
  StringInfoData names;
  initStringInfo(&names);
  if (name_servers(asked, is_served, &names) == 1) {
    errcontext("while node %s is asked", names.data);
    return;
  }
  resetStringInfo(&names);
  int count = name_servers(asked, is_awaited, &names);
  if (count > 0) {
    errcontext("while waiting for node%s %s", count > 1 ? "s" : "", names.data);
    return;
  }
  resetStringInfo(&names);
  count = name_servers(asked, is_alone, &names);
  if (count > 0)
    errcontext("while nodes %s are asked", names.data);
}

#if PG_VERSION_NUM >= 180000
#define RUN_PARAMETERS QueryDesc *query, ScanDirection direction, uint64 count
#define RUN_ARGUMENTS query, direction, count
#else
#define RUN_PARAMETERS QueryDesc *query, ScanDirection direction, uint64 count, bool once
#define RUN_ARGUMENTS query, direction, count, once
#endif

static void run_next(RUN_PARAMETERS) {
  if (next_run)
    next_run(RUN_ARGUMENTS);
  else
    standard_ExecutorRun(RUN_ARGUMENTS);
}

/* ---- The end of a statement and the commit, which postgres_fdw sends to one node after another ---- */

static List *taking_part; /* names of servers, in the transaction's memory */
static ErrorContextCallback committing;

static void name_all(void *what) {
  const char *separator = "";
  StringInfoData names;
  ListCell *cell;
  initStringInfo(&names);
  foreach (cell, taking_part) {
    appendStringInfo(&names, "%s\"%s\"", separator, (const char *)lfirst(cell));
    separator = ", ";
  }
  errcontext("while %s on node%s %s", (const char *)what, list_length(taking_part) > 1 ? "s" : "", names.data);
}

static void end_named(QueryDesc *query) {
  ErrorContextCallback callback = {error_context_stack, name_all, "scans end"};
  if (taking_part)
    error_context_stack = &callback;
  if (next_end)
    next_end(query);
  else
    standard_ExecutorEnd(query);
  error_context_stack = callback.previous;
}

static void at_end(XactEvent event, void *argument) {
  if (event == XACT_EVENT_PRE_COMMIT && taking_part) {
    committing = (ErrorContextCallback){error_context_stack, name_all, "the transaction is committed"};
    error_context_stack = &committing;
  } else if (event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT || event == XACT_EVENT_PREPARE) {
    if (error_context_stack == &committing)
      error_context_stack = committing.previous;
    taking_part = NIL;
  }
}

/* What is registered last is called first: postgres_fdw has registered its own by the time that its scans run. */
static void note_nodes(const List *asked) {
  static bool registered;
  ListCell *cell, *known;
  MemoryContext outer = MemoryContextSwitchTo(TopTransactionContext);
  foreach (cell, asked) {
    const char *server = ((const Asked *)lfirst(cell))->server;
    bool found = false;
    foreach (known, taking_part)
      found |= strcmp(lfirst(known), server) == 0;
    if (!found)
      taking_part = lappend(taking_part, pstrdup(server));
  }
  MemoryContextSwitchTo(outer);
  if (taking_part && !registered) {
    RegisterXactCallback(at_end, NULL);
    registered = true;
  }
}

static void run_named(RUN_PARAMETERS) {
  List *asked = NIL;
  MemoryContext outer = MemoryContextSwitchTo(query->estate->es_query_cxt);
  add_scans(query->planstate, &asked);
  MemoryContextSwitchTo(outer);
  if (!asked) {
    run_next(RUN_ARGUMENTS);
    return;
  }
  note_nodes(asked);
  ErrorContextCallback callback = {error_context_stack, name_nodes, asked};
  error_context_stack = &callback;
  run_next(RUN_ARGUMENTS);
  error_context_stack = callback.previous;
}

/* ---- The start of a statement, which opens connections and transactions one by one ---- */

typedef struct Starting {
  const QueryDesc *query;
  List *servers; /* of names, in the order of their scans; NIL where that is not sure */
} Starting;

/* False: scans may be left out, or start in another order. */
static bool add_servers(const Plan *plan, List **servers) {
  ListCell *cell;
  if (!plan)
    return true;
  if (IsA(plan, ForeignScan)) {
    *servers = lappend(*servers, GetForeignServer(((ForeignScan *)plan)->fs_server)->servername);
    return true;
  }
  if (IsA(plan, Append)) {
    foreach (cell, ((Append *)plan)->appendplans) {
      if (!IsA(lfirst(cell), ForeignScan) || !add_servers(lfirst(cell), servers))
        return false;
    }
#if PG_VERSION_NUM >= 180000
    return ((Append *)plan)->part_prune_index < 0;
#else
    return !((Append *)plan)->part_prune_info;
#endif
  }
  if (IsA(plan, SubqueryScan))
    return add_servers(((SubqueryScan *)plan)->subplan, servers);
  return (IsA(plan, Agg) || IsA(plan, Sort) || IsA(plan, Limit) || IsA(plan, Result) || IsA(plan, Unique) ||
          IsA(plan, IncrementalSort) || IsA(plan, WindowAgg)) &&
         !plan->righttree && add_servers(plan->lefttree, servers);
}

/* Each foreign scan has a slot of heap tuples, made before its connection is asked; no other node of these plans
 * has. */
static void name_starting(void *argument) {
  const Starting *starting = argument;
  const EState *estate = starting->query->estate;
  int count = 0;
  ListCell *cell;
  foreach (cell, estate ? estate->es_tupleTable : NIL)
    count += TTS_IS_HEAPTUPLE((TupleTableSlot *)lfirst(cell));
  if (count > 0 && count <= list_length(starting->servers))
    errcontext("while node \"%s\" is asked", (const char *)list_nth(starting->servers, count - 1));
}

static void start_named(QueryDesc *query, int flags) {
  Starting starting = {query, NIL};
  if (query->plannedstmt->subplans || !add_servers(query->plannedstmt->planTree, &starting.servers))
    starting.servers = NIL;
  ErrorContextCallback callback = {error_context_stack, name_starting, &starting};
  if (starting.servers)
    error_context_stack = &callback;
  if (next_start)
    next_start(query, flags);
  else
    standard_ExecutorStart(query, flags);
  if (starting.servers)
    error_context_stack = callback.previous;
}

void raydex_nodes_init(void) {
  next_start = ExecutorStart_hook;
  ExecutorStart_hook = start_named;
  next_run = ExecutorRun_hook;
  ExecutorRun_hook = run_named;
  next_end = ExecutorEnd_hook;
  ExecutorEnd_hook = end_named;
}
