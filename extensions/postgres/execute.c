/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "raydex_fdw.h"

#include <access/htup_details.h>
#include <catalog/pg_aggregate.h>
#include <catalog/pg_type.h>
#include <commands/explain.h>
#if PG_VERSION_NUM >= 180000
#include <commands/explain_format.h>
#include <commands/explain_state.h>
#endif
#include <executor/executor.h>
#include <fmgr.h>
#include <mb/pg_wchar.h>
#include <miscadmin.h>
#include <nodes/nodeFuncs.h>
#include <utils/array.h>
#include <utils/builtins.h>
#include <utils/lsyscache.h>
#include <utils/memutils.h>
#include <utils/numeric.h>
#include <utils/syscache.h>

/* A running scan. What belongs to the library is freed when the query's memory is, too, as after an error. */
typedef struct RunningScan {
  const char *sql, *folder;
  List *targets;
  List *tlist;      /* of the slot, where it is of aggregates */
  List *parameters; /* of ExprState */
  List *parameter_types;
  RaydexResult result;
  uint64 row, runs;
  double plan_ms, execute_ms; /* of all runs */
  MemoryContext values;       /* of the current row */
  MemoryContextCallback callback;
} RunningScan;

static void drop_answer(void *argument) {
  RunningScan *scan = argument;
  raydex_result_free(&scan->result);
  scan->row = 0;
}

void raydex_begin(ForeignScanState *node, int flags) {
  const ForeignScan *plan = (ForeignScan *)node->ss.ps.plan;
  EState *estate = node->ss.ps.state;
  ListCell *cell;
  RunningScan *scan = palloc0(sizeof *scan);
  node->fdw_state = scan;
  scan->sql = strVal(list_nth(plan->fdw_private, RAYDEX_PLAN_SQL));
  scan->targets = list_nth(plan->fdw_private, RAYDEX_PLAN_TARGETS);
  scan->tlist = plan->fdw_scan_tlist;
  scan->folder = strVal(list_nth(plan->fdw_private, RAYDEX_PLAN_FOLDER));
  if (flags & EXEC_FLAG_EXPLAIN_ONLY)
    return;
  scan->parameters = ExecInitExprList(plan->fdw_exprs, &node->ss.ps);
  foreach (cell, plan->fdw_exprs)
    scan->parameter_types = lappend_oid(scan->parameter_types, exprType(lfirst(cell)));
  scan->values = AllocSetContextCreate(estate->es_query_cxt, "raydex row", ALLOCSET_DEFAULT_SIZES);
  scan->callback.func = drop_answer;
  scan->callback.arg = scan;
  MemoryContextRegisterResetCallback(estate->es_query_cxt, &scan->callback);
}

static void write_parameter(RunningScan *scan, ExprContext *context, int number, StringInfo out) {
  bool null;
  if (number < 1 || number > list_length(scan->parameters))
    elog(ERROR, "there is no parameter %d", number);
  const Datum value = ExecEvalExprSwitchContext(list_nth(scan->parameters, number - 1), context, &null);
  const Oid type = list_nth_oid(scan->parameter_types, number - 1);
  if (!raydex_literal(out, type, value, null) && (type != NUMERICOID || !raydex_literal_beyond(out, value)))
    ereport(ERROR,
            (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("the value of a parameter cannot be passed to Raydex"),
             errhint("SET raydex.pushdown = off, or SET plan_cache_mode = force_custom_plan, for this.")));
}

/* The statement with its parameters' values. Names and texts in it are in quotes, in which $ means nothing. */
static char *write_statement(RunningScan *scan, ExprContext *context) {
  StringInfoData out;
  char quote = '\0';
  initStringInfo(&out);
  for (const char *p = scan->sql; *p; p++) {
    if (quote ? *p == quote : *p == '\'' || *p == '"')
      quote = quote ? '\0' : *p;
    if (*p != '$' || quote) {
      appendStringInfoChar(&out, *p);
      continue;
    }
    char *end;
    write_parameter(scan, context, (int)strtol(p + 1, &end, 10), &out);
    p = end - 1;
  }
  return out.data;
}

static void run(ForeignScanState *node) {
  RunningScan *scan = node->fdw_state;
  MemoryContext outer = MemoryContextSwitchTo(scan->values);
  const char *sql = write_statement(scan, node->ss.ps.ps_ExprContext);
  raydex_ask(scan->folder, sql, node->ss.ps.state->es_query_cxt, &scan->result);
  scan->plan_ms += scan->result.stats.plan_ms;
  scan->execute_ms += scan->result.stats.execute_ms;
  scan->runs++;
  scan->row = 0;
  MemoryContextSwitchTo(outer);
}

static Datum as_numeric(int64 value) {
  return NumericGetDatum(int64_to_numeric(value));
}

static Datum multiply(Datum a, Datum b) {
  return DirectFunctionCall2(numeric_mul, a, b);
}

static int compare_numerics(Datum a, Datum b) {
  return DatumGetInt32(DirectFunctionCall2(numeric_cmp, a, b));
}

/* At the scale of the number itself. numeric_sqrt() may give more digits: what these round to is one too many where
 * they were rounded up to a half before. */
static Datum square_root(Datum x) {
  const Datum scale = DirectFunctionCall1(numeric_scale, x);
  const char *text = psprintf("1e-%d", DatumGetInt32(scale));
  const Datum unit = DirectFunctionCall3(numeric_in, CStringGetDatum(text), ObjectIdGetDatum(0), Int32GetDatum(-1));
  const Datum root = DirectFunctionCall2(numeric_round, DirectFunctionCall1(numeric_sqrt, x), scale);
  const Datum twice = DirectFunctionCall2(numeric_sub, multiply(root, as_numeric(2)), unit);
  if (compare_numerics(multiply(twice, twice), multiply(x, as_numeric(4))) > 0)
    return DirectFunctionCall2(numeric_sub, root, unit);
  return root;
}

/* As PostgreSQL's numeric_var_samp() and others of that kind calculate it. */
static Datum get_spread(const char *name, Datum sum, Datum squares, int64 n, bool *null) {
  const bool population = strstr(name, "_pop") != NULL;
  *null = n <= (population ? 0 : 1);
  if (*null)
    return (Datum)0;
  const Datum count = as_numeric(n);
  const Datum over = DirectFunctionCall2(numeric_sub, multiply(count, squares), multiply(sum, sum));
  if (compare_numerics(over, as_numeric(0)) <= 0)
    return as_numeric(0);
  const Datum variance = DirectFunctionCall2(numeric_div, over, multiply(count, as_numeric(population ? n : n - 1)));
  return strncmp(name, "stddev", 6) == 0 ? square_root(variance) : variance;
}

/* What PostgreSQL's avg() of integers keeps: the count and the sum. */
static Datum average_state(int64 count, int64 sum) {
  Datum state[] = {Int64GetDatum(count), Int64GetDatum(sum)};
  return PointerGetDatum(construct_array(state, 2, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/* An aggregate of its parts: sum, count, sum of squares. */
static Datum get_aggregate(const Aggref *a, const rdx_column *parts, uint64 row, bool *null) {
  *null = raydex_is_null(&parts[0], row);
  if (*null)
    return (Datum)0;
  const Datum count = raydex_datum(&parts[1], row, INT8OID);
  if (a->aggtype == INT8ARRAYOID)
    return average_state(DatumGetInt64(count), DatumGetInt64(raydex_datum(&parts[0], row, INT8OID)));
  const Datum sum = raydex_datum(&parts[0], row, NUMERICOID);
  if (raydex_aggregate_parts((const Expr *)a) == 2)
    return DirectFunctionCall2(numeric_div, sum, as_numeric(DatumGetInt64(count)));
  return get_spread(get_func_name(a->aggfnoid), sum, raydex_datum(&parts[2], row, NUMERICOID), DatumGetInt64(count),
                    null);
}

/* Call a function of an aggregate as the executor does, in the current memory. */
static Datum call_as_aggregate(Oid function, int count, Datum last) {
  LOCAL_FCINFO(call, 2);
  FmgrInfo called;
  AggState *caller = makeNode(AggState);
  caller->curaggcontext = makeNode(ExprContext);
  caller->curaggcontext->ecxt_per_tuple_memory = CurrentMemoryContext;
  fmgr_info(function, &called);
  InitFunctionCallInfoData(*call, &called, count, InvalidOid, (Node *)caller, NULL);
  call->args[0].isnull = true;
  call->args[count - 1] = (NullableDatum){last, false};
  return FunctionCallInvoke(call);
}

/* The state of sum() after one value, which is a sum already: it is added to others. */
static Datum sum_state(const Aggref *a, Datum sum) {
  HeapTuple tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(a->aggfnoid));
  if (!HeapTupleIsValid(tuple))
    elog(ERROR, "there is no aggregate %u", a->aggfnoid);
  const Form_pg_aggregate aggregate = (Form_pg_aggregate)GETSTRUCT(tuple);
  const Oid step = aggregate->aggtransfn, serialize = aggregate->aggserialfn;
  ReleaseSysCache(tuple);
  return call_as_aggregate(serialize, 1, call_as_aggregate(step, 2, sum));
}

static Datum get_value(const RunningScan *scan, const rdx_column *values, int place, Oid type) {
  if (type != BYTEAOID)
    return raydex_datum(values, scan->row, type);
  const Aggref *a = (const Aggref *)list_nth_node(TargetEntry, scan->tlist, place)->expr;
  return sum_state(a, raydex_datum(values, scan->row, linitial_oid(a->aggargtypes)));
}

static void fill(RunningScan *scan, TupleTableSlot *slot) {
  const TupleDesc attributes = slot->tts_tupleDescriptor;
  ListCell *cell;
  uint32 column = 0;
  memset(slot->tts_isnull, true, sizeof(bool) * (size_t)attributes->natts);
  for (cell = list_head(scan->targets); cell; cell = lnext(scan->targets, cell)) {
    const int target = lfirst_int(cell);
    const int place = (target < 0 ? -target : target) - 1;
    const rdx_column *values = &scan->result.columns[column++];
    if (target < 0) {
      const Aggref *a = (const Aggref *)list_nth_node(TargetEntry, scan->tlist, place)->expr;
      slot->tts_values[place] = get_aggregate(a, values, scan->row, &slot->tts_isnull[place]);
      for (int more = raydex_aggregate_parts((const Expr *)a) - 1; more > 0; more--, column++)
        cell = lnext(scan->targets, cell);
      continue;
    }
    slot->tts_isnull[place] = raydex_is_null(values, scan->row);
    if (!slot->tts_isnull[place])
      slot->tts_values[place] = get_value(scan, values, place, TupleDescAttr(attributes, place)->atttypid);
  }
}

TupleTableSlot *raydex_iterate(ForeignScanState *node) {
  RunningScan *scan = node->fdw_state;
  TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;
  if (!scan->result.ready)
    run(node);
  ExecClearTuple(slot);
  if (scan->row >= scan->result.rows)
    return slot;
  MemoryContextReset(scan->values);
  MemoryContext outer = MemoryContextSwitchTo(scan->values);
  fill(scan, slot);
  MemoryContextSwitchTo(outer);
  scan->row++;
  return ExecStoreVirtualTuple(slot);
}

void raydex_rescan(ForeignScanState *node) {
  RunningScan *scan = node->fdw_state;
  scan->row = 0;
  if (node->ss.ps.chgParam)
    drop_answer(scan);
}

void raydex_end(ForeignScanState *node) {
  if (node->fdw_state)
    drop_answer(node->fdw_state);
}

/* ---- EXPLAIN ---- */

/* What follows a word in each line of a plan; NULL: there is none. */
static char *lines_of(const RaydexResult *plan, const char *word) {
  StringInfoData out;
  initStringInfo(&out);
  for (uint64 row = 0; row < plan->rows; row++) {
    uint64_t length;
    const char *text = rdx_column_string(&plan->columns[0], row, &length), *line = text;
    while (line < text + length && *line == ' ')
      line++;
    const uint64 size = length - (uint64)(line - text);
    if (size > strlen(word) && strncmp(line, word, strlen(word)) == 0)
      appendStringInfo(&out, "%s%.*s", out.len > 0 ? "; " : "", (int)(size - strlen(word)), line + strlen(word));
  }
  return out.len > 0 ? out.data : NULL;
}

/* Which methods Raydex expects to take how long. A plan with parameters depends on their values. */
static void explain_methods(const RunningScan *scan, const ForeignScan *plan, struct ExplainState *es) {
  RaydexResult *result = palloc0(sizeof *result);
  if (plan->fdw_exprs)
    return;
  MemoryContextCallback *callback = palloc0(sizeof *callback);
  *callback = (MemoryContextCallback){(MemoryContextCallbackFunction)raydex_result_free, result, NULL};
  MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
  raydex_ask_plan(scan->folder, scan->sql, CurrentMemoryContext, result);
  const char *methods = lines_of(result, "Method: "), *rejected = lines_of(result, "Rejected: ");
  if (methods)
    ExplainPropertyText("Raydex Planned Method", methods, es);
  if (rejected)
    ExplainPropertyText("Raydex Rejected Methods", rejected, es);
  raydex_result_free(result);
}

void raydex_explain(ForeignScanState *node, struct ExplainState *es) {
  const RunningScan *scan = node->fdw_state;
  const ForeignScan *plan = (ForeignScan *)node->ss.ps.plan;
  if (es->verbose) {
    char *sql = strVal(list_nth(plan->fdw_private, RAYDEX_PLAN_SQL));
    ExplainPropertyText("Raydex SQL", pg_any_to_server(sql, (int)strlen(sql), PG_UTF8), es);
  }
  if (es->verbose && es->costs && scan)
    explain_methods(scan, plan, es);
  if (!es->analyze || !scan || scan->runs == 0)
    return;
  if (es->verbose) {
    ExplainPropertyText("Raydex Device", scan->result.device, es);
    if (*scan->result.method)
      ExplainPropertyText("Raydex Method", scan->result.method, es);
    if (raydex_count_rays)
      ExplainPropertyUInteger("Raydex Rays", NULL, scan->result.stats.rays, es);
  }
  if (es->timing) {
    ExplainPropertyFloat("Raydex Planning Time", "ms", scan->plan_ms, 3, es);
    ExplainPropertyFloat("Raydex Execution Time", "ms", scan->execute_ms, 3, es);
  }
}
