/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * Errors while a statement runs on several nodes name the node that failed, or those that have not answered. */
#include "distribution.h"

#include <executor/executor.h>
#include <foreign/foreign.h>
#include <nodes/execnodes.h>
#include <nodes/nodeFuncs.h>

static ExecutorStart_hook_type next_start;
static ExecutorRun_hook_type next_run;

/* A child of an Append, and the server that it asks. */
typedef struct Asked {
  const AppendState *append;
  int child;
  const char *server;
} Asked;

static bool add_children(PlanState *state, void *argument) {
  List **asked = argument;
  if (IsA(state, AppendState)) {
    AppendState *append = (AppendState *)state;
    for (int i = 0; i < append->as_nplans; i++) {
      const PlanState *child = append->appendplans[i];
      if (!IsA(child, ForeignScanState))
        continue;
      Asked *a = palloc(sizeof *a);
      *a = (Asked){append, i, GetForeignServer(((ForeignScan *)child->plan)->fs_server)->servername};
      *asked = lappend(*asked, a);
    }
  }
  return planstate_tree_walker(state, add_children, argument);
}

static const AsyncRequest *request_of(const Asked *a) {
  return a->append->as_nasyncplans > 0 && a->append->as_asyncrequests ? a->append->as_asyncrequests[a->child] : NULL;
}

static bool is_awaited(const Asked *a) {
  const AsyncRequest *request = request_of(a);
  return request && request->callback_pending;
}

/* All nodes are asked in their order, and the one that is being asked is marked as awaited already. After that, an
 * answer that is being read is neither awaited nor complete. */
static bool is_served(const Asked *a) {
  const AsyncRequest *request = request_of(a);
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
  const int count = name_servers(asked, is_awaited, &names);
  if (count > 0)
    errcontext("while waiting for node%s %s", count > 1 ? "s" : "", names.data);
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

static void run_named(RUN_PARAMETERS) {
  List *asked = NIL;
  MemoryContext outer = MemoryContextSwitchTo(query->estate->es_query_cxt);
  add_children(query->planstate, &asked);
  MemoryContextSwitchTo(outer);
  if (!asked) {
    run_next(RUN_ARGUMENTS);
    return;
  }
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
}
