/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Aggregates of values in order, and ORDER BY in others, whose results it does not change. */

#include "plan/internal.h"

static const rdx_sql_type text_type = {.kind = RDX_SQL_TEXT}, real = {.kind = RDX_SQL_DOUBLE};

#define MAX_HYPOTHETICAL 100u /* arguments, as of PostgreSQL's functions */

static rdx_status fail(const rdx_block *b, const rdx_ast *ast, const char *format) {
  return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, ast->place, NULL, format, ast->name);
}

/* ---- What is sorted by ---- */

static bool is_same_for_all(const rdx_bound *e) {
  return rdx_bound_leaves(e) == 0 && !rdx_bound_has(e, RDX_BOUND_OUTER);
}

static rdx_status bind_text(rdx_block *b, rdx_bound **value) {
  return (*value)->type.kind == RDX_SQL_UNKNOWN
             ? rdx_bind_cast(&b->planner->binding, *value, text_type, true, (*value)->place, value)
             : RDX_OK;
}

static rdx_status bind_ordering(rdx_block *b, const rdx_sql_order *written, rdx_plan_ordering *out) {
  const bool first = written->nulls == RDX_NULLS_DEFAULT ? written->descending : written->nulls == RDX_NULLS_FIRST;
  *out = (rdx_plan_ordering){.descending = written->descending, .nulls_first = first};
  RDX_TRY(rdx_bind(b, written->value, &out->value));
  return bind_text(b, &out->value);
}

/* The same, where what is sorted by is all that matters. */
static rdx_status bind_sorted(rdx_block *b, const rdx_sql_order *written, rdx_plan_ordering *out) {
  RDX_TRY(bind_ordering(b, written, out));
  return rdx_bind_span(b->planner, &out->value);
}

static bool has_order(const rdx_plan_aggregate *a, const rdx_bound *value) {
  for (uint32_t i = 0; i < a->order_count; i++)
    if (rdx_bound_equal(a->orders[i].value, value))
      return true;
  return false;
}

rdx_status rdx_bind_orderings(rdx_block *b, const rdx_ast *ast, rdx_bound *const *args, uint32_t count,
                              rdx_plan_aggregate *out) {
  RDX_TRY(rdx_planner_alloc(b->planner, (uint64_t)ast->order_count + count, sizeof *out->orders, &out->orders));
  for (uint32_t i = 0; i < ast->order_count; i++) {
    rdx_plan_ordering order;
    bool argument = false;
    RDX_TRY(bind_sorted(b, &ast->orders[i], &order));
    for (uint32_t k = 0; k < count; k++)
      argument |= rdx_bound_equal(args[k], order.value);
    if (ast->distinct && !argument)
      return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, ast->orders[i].value->place, NULL,
                              "in an aggregate with DISTINCT, ORDER BY needs an argument of it");
    if (!is_same_for_all(order.value) && !has_order(out, order.value)) /* what is the same for all orders nothing */
      out->orders[out->order_count++] = order;
  }
  for (uint32_t k = 0; k < count && ast->distinct; k++)
    if (!is_same_for_all(args[k]) && !has_order(out, args[k]))
      out->orders[out->order_count++] = (rdx_plan_ordering){.value = args[k]};
  return RDX_OK;
}

/* ---- string_agg ---- */

static rdx_status bind_string_agg(rdx_block *b, const rdx_ast *ast, rdx_plan_aggregate *out) {
  rdx_bound *args[2];
  char types[2][32];
  if (ast->within_group)
    return fail(b, ast, "%s takes ORDER BY behind its arguments, not WITHIN GROUP");
  if (ast->count != 2 || ast->star)
    return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, ast->place, "write string_agg(text, ',')",
                            "string_agg takes a text and a delimiter");
  for (uint32_t i = 0; i < 2; i++) {
    RDX_TRY(rdx_bind(b, ast->args[i], &args[i]));
    RDX_TRY(bind_text(b, &args[i]));
  }
  if (args[0]->type.kind != RDX_SQL_TEXT || args[1]->type.kind != RDX_SQL_TEXT)
    return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, ast->place, "cast it: CAST(value AS text)",
                            "there is no string_agg(%s, %s)", rdx_sql_type_text(args[0]->type, types[0]),
                            rdx_sql_type_text(args[1]->type, types[1]));
  RDX_TRY(rdx_bind_orderings(b, ast, args, 2, out));
  out->type = text_type;
  out->value = args[0];
  out->argument = args[1];
  out->distinct = ast->distinct;
  return rdx_bind_filtered(b, ast, &out->value, 1);
}

/* ---- Bits ---- */

rdx_status rdx_bind_bits(rdx_block *b, const rdx_ast *ast, rdx_bound **value) {
  char type[32];
  const rdx_sql_kind kind = (*value)->type.kind;
  if (kind != RDX_SQL_SMALLINT && kind != RDX_SQL_INTEGER && kind != RDX_SQL_BIGINT)
    return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, ast->place, NULL, "there is no %s(%s): it takes integers",
                            ast->name, rdx_sql_type_text((*value)->type, type));
  return rdx_bind_cast(&b->planner->binding, *value, (rdx_sql_type){.kind = RDX_SQL_BIGINT}, false, ast->place, value);
}

static rdx_status bind_bits(rdx_block *b, const rdx_ast *ast, rdx_plan_aggregate *out) {
  if (ast->within_group || ast->count != 1 || ast->star)
    return fail(b, ast, "%s takes one argument, and not WITHIN GROUP");
  RDX_TRY(rdx_bind(b, ast->args[0], &out->value));
  out->type = out->value->type;
  out->distinct = ast->distinct && out->kind == RDX_PLAN_BIT_XOR;
  RDX_TRY(rdx_bind_orderings(b, ast, &out->value, 1, out));
  out->order_count = out->distinct ? out->order_count : 0;
  RDX_TRY(rdx_bind_bits(b, ast, &out->value));
  return rdx_bind_filtered(b, ast, &out->value, 1);
}

/* ---- WITHIN GROUP ---- */

/* The fraction of a percentile: one for all rows, from 0 to 1. */
static rdx_status bind_fraction(rdx_block *b, const rdx_ast *ast, rdx_bound **out) {
  RDX_TRY(rdx_bind(b, ast->args[0], out));
  RDX_TRY(rdx_bind_cast(&b->planner->binding, *out, real, false, ast->args[0]->place, out));
  if (!is_same_for_all(*out))
    return rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, ast->args[0]->place, NULL,
                            "the fraction of %s must be the same for all rows, and reads columns", ast->name);
  return RDX_OK;
}

static rdx_status bind_within_group(rdx_block *b, const rdx_ast *ast, rdx_plan_aggregate *out) {
  const bool takes_fraction = out->kind != RDX_PLAN_MODE;
  char type[32];
  rdx_plan_ordering order;
  if (!ast->within_group || ast->star || ast->count != takes_fraction || ast->order_count != 1)
    return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, ast->place, NULL, "write %s(%s) WITHIN GROUP (ORDER BY x)",
                            ast->name, takes_fraction ? "0.5" : "");
  if (takes_fraction)
    RDX_TRY(bind_fraction(b, ast, &out->argument));
  RDX_TRY(bind_ordering(b, &ast->orders[0], &order));
  order.nulls_first = false; /* they do not count */
  if (out->kind == RDX_PLAN_PERCENTILE_CONT && !rdx_is_number(order.value->type))
    return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, order.value->place,
                            "percentile_disc takes values of any type", "there is no percentile_cont of %s",
                            rdx_sql_type_text(order.value->type, type));
  if (out->kind == RDX_PLAN_PERCENTILE_CONT)
    RDX_TRY(rdx_bind_cast(&b->planner->binding, order.value, real, false, order.value->place, &order.value));
  RDX_TRY(rdx_bind_filtered(b, ast, &order.value, 1));
  RDX_TRY(rdx_planner_alloc(b->planner, 1, sizeof *out->orders, &out->orders));
  out->value = order.value;
  out->type = order.value->type;
  RDX_TRY(rdx_bind_span(b->planner, &order.value));
  out->orders[out->order_count++] = order;
  return RDX_OK;
}

/* ---- Hypothetical rows ---- */

static rdx_status call(rdx_block *b, const char *name, rdx_bound *first, rdx_bound *second, rdx_bound **out) {
  rdx_bound *const args[] = {first, second};
  return rdx_bind_call_of(b->planner, name, args, second ? 2 : 1, first->place, out);
}

/* Whether a value comes before the argument `given`: true, or not. NULLs come first or last. */
static rdx_status bind_before(rdx_block *b, const rdx_plan_ordering *order, rdx_bound *given, rdx_bound **out) {
  rdx_bound *null = order->nulls_first ? order->value : given, *other = order->nulls_first ? given : order->value;
  rdx_bound *less = NULL;
  RDX_TRY(call(b, order->descending ? ">" : "<", order->value, given, &less));
  RDX_TRY(call(b, "is null", null, NULL, &null));
  RDX_TRY(call(b, "is not null", other, NULL, &other));
  RDX_TRY(call(b, "and", null, other, out));
  RDX_TRY(call(b, "or", less, *out, out));
  return call(b, "is true", *out, NULL, out);
}

/* The same of all expressions of ORDER BY, from left to right; of rows that are equal in all: `equal`. */
static rdx_status bind_place(rdx_block *b, const rdx_ast *ast, const rdx_plan_ordering *orders, rdx_bound *const *given,
                             bool equal, rdx_bound **out) {
  RDX_TRY(rdx_bind_constant(&b->planner->binding, (rdx_sql_type){.kind = RDX_SQL_BOOL}, (rdx_datum){.i = equal},
                            ast->place, out));
  for (uint32_t i = ast->order_count; i-- > 0;) {
    rdx_bound *before = NULL, *same = NULL;
    RDX_TRY(bind_before(b, &orders[i], given[i], &before));
    RDX_TRY(call(b, "is not distinct from", orders[i].value, given[i], &same));
    RDX_TRY(call(b, "and", same, *out, out));
    RDX_TRY(call(b, "or", before, *out, out));
  }
  return RDX_OK;
}

static rdx_status bind_hypothetical(rdx_block *b, const rdx_ast *ast, rdx_plan_aggregate *out) {
  rdx_plan_ordering *orders = NULL;
  rdx_bound **given = NULL;
  const bool whole = out->kind == RDX_PLAN_RANK || out->kind == RDX_PLAN_DENSE_RANK;
  if (ast->star || ast->count != ast->order_count || ast->count > MAX_HYPOTHETICAL)
    return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, ast->place, NULL,
                            "%s takes as many arguments as ORDER BY has expressions, and %u at most", ast->name,
                            MAX_HYPOTHETICAL);
  RDX_TRY(rdx_planner_alloc(b->planner, ast->count, sizeof(rdx_bound *), &given));
  RDX_TRY(rdx_planner_alloc(b->planner, ast->count, sizeof *orders, &orders));
  for (uint32_t i = 0; i < ast->count; i++) {
    RDX_TRY(rdx_bind(b, ast->args[i], &given[i]));
    RDX_TRY(bind_ordering(b, &ast->orders[i], &orders[i]));
    if (!is_same_for_all(given[i]))
      return rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, ast->args[i]->place, NULL,
                              "the arguments of %s must be the same for all rows, and read columns", ast->name);
  }
  RDX_TRY(bind_place(b, ast, orders, given, out->kind == RDX_PLAN_CUME_DIST, &out->value));
  RDX_TRY(rdx_bind_filtered(b, ast, &out->value, 1));
  out->type = (rdx_sql_type){.kind = whole ? RDX_SQL_BIGINT : RDX_SQL_DOUBLE};
  out->orders = orders;
  out->order_count = out->kind == RDX_PLAN_DENSE_RANK ? ast->count : 0;
  return RDX_OK;
}

rdx_status rdx_bind_ordered(rdx_block *b, const rdx_ast *ast, rdx_plan_aggregate *out) {
  return out->kind == RDX_PLAN_STRING_AGG ? bind_string_agg(b, ast, out)
         : rdx_is_of_bits(out->kind)      ? bind_bits(b, ast, out)
         : rdx_is_hypothetical(out->kind) ? bind_hypothetical(b, ast, out)
                                          : bind_within_group(b, ast, out);
}
