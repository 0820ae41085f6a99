/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Aggregates of intervals: of their months, days and microseconds, each by itself; and what they are sorted by. The
 * functions that this takes have names that no statement can write. */

#include "plan/internal.h"

static const rdx_sql_type bigint = {.kind = RDX_SQL_BIGINT};

static rdx_status call(rdx_planner *p, const char *name, rdx_bound *value, rdx_bound **out) {
  return rdx_bind_call_of(p, name, &value, 1, value->place, out);
}

rdx_status rdx_bind_span(rdx_planner *p, rdx_bound **value) {
  return (*value)->type.kind == RDX_SQL_INTERVAL ? call(p, "interval span", *value, value) : RDX_OK;
}

/* The sum of one part, or how many values there are. */
static rdx_status aggregate(rdx_block *b, const rdx_ast *ast, bool counts, rdx_bound *value, rdx_bound **out) {
  if (ast->over)
    return rdx_add_frame(b, ast, counts ? RDX_WINDOW_COUNT : RDX_WINDOW_SUM, (rdx_bound *[]){value, NULL}, out);
  return rdx_add_aggregate(b, counts ? RDX_PLAN_COUNT : RDX_PLAN_SUM, value, false, ast->place, out);
}

rdx_status rdx_bind_interval_sum(rdx_block *b, const rdx_ast *ast, bool average, rdx_bound *value, rdx_bound **out) {
  static const char *const parts[] = {"interval months", "interval days", "interval micros"};
  rdx_planner *p = b->planner;
  rdx_bound *sums[3] = {NULL}, *quotient[2] = {NULL}, *zero = NULL;
  if (ast->distinct)
    return rdx_planner_fail(p, RDX_ERROR_UNSUPPORTED, ast->place, NULL, "%s(DISTINCT interval) is not supported",
                            ast->name);
  for (uint32_t i = 0; i < RDX_COUNT(parts); i++) {
    RDX_TRY(call(p, parts[i], value, &sums[i]));
    RDX_TRY(aggregate(b, ast, false, sums[i], &sums[i]));
  }
  RDX_TRY(rdx_bind_call_of(p, "interval of", sums, RDX_COUNT(sums), ast->place, out));
  if (!average)
    return RDX_OK;
  quotient[0] = *out;
  RDX_TRY(aggregate(b, ast, true, value, &quotient[1]));
  RDX_TRY(rdx_bind_constant(&p->binding, bigint, (rdx_datum){.i = 0}, ast->place, &zero));
  RDX_TRY(rdx_bind_call_of(p, "nullif", (rdx_bound *[]){quotient[1], zero}, 2, ast->place, &quotient[1]));
  return rdx_bind_call_of(p, "/", quotient, 2, ast->place, out);
}

rdx_status rdx_bind_interval_extreme(rdx_block *b, bool max, rdx_bound *value, rdx_plan_aggregate *out) {
  rdx_planner *p = b->planner;
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof *out->orders, &out->orders));
  *out = (rdx_plan_aggregate){.kind = RDX_PLAN_FIRST, .value = value, .type = value->type, .orders = out->orders};
  out->orders[out->order_count++] = (rdx_plan_ordering){.descending = max};
  return call(p, "interval span", value, &out->orders[0].value);
}
