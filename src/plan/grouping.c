/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* grouping(a, b, ...): which of them the row's grouping set has not, as bits, the last one's the lowest. */

#include "plan/internal.h"

#define MAX_ARGUMENTS 31

static const rdx_sql_type integer = {.kind = RDX_SQL_INTEGER};

static rdx_status check_place(const rdx_block *b, const rdx_ast *ast) {
  const char *where = b->clause ? b->clause : b->in_aggregate ? "aggregates" : NULL;
  if (where)
    return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, ast->place, NULL, "grouping() is not allowed in %s", where);
  if (ast->count > MAX_ARGUMENTS)
    return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, ast->place, NULL,
                            "grouping() takes no more than %d arguments", MAX_ARGUMENTS);
  return RDX_OK;
}

static bool is_same(const rdx_grouping_call *a, const rdx_grouping_call *b) {
  bool same = a->count == b->count;
  for (uint32_t i = 0; i < a->count && same; i++)
    same = rdx_bound_equal(a->args[i], b->args[i]);
  return same;
}

rdx_status rdx_bind_grouping(rdx_block *b, const rdx_ast *ast, rdx_bound **out) {
  rdx_grouping_call call = {.count = ast->count};
  uint32_t i = 0;
  RDX_TRY(check_place(b, ast));
  RDX_TRY(rdx_planner_alloc(b->planner, ast->count, sizeof *call.args, &call.args));
  for (uint32_t k = 0; k < ast->count; k++)
    RDX_TRY(rdx_bind(b, ast->args[k], &call.args[k]));
  while (i < b->grouping_count && !is_same(&b->groupings[i], &call))
    i++;
  if (i == b->grouping_count) {
    RDX_TRY(rdx_planner_grow(b->planner, &b->groupings, b->grouping_count, &b->grouping_capacity, sizeof call));
    b->groupings[b->grouping_count++] = call;
  }
  b->aggregating = true;
  return rdx_bind_column(b->planner, rdx_leaf_column(RDX_GROUPINGS_LEAF, i), integer, ast->place, out);
}

/* The number of the group that an argument is. */
static rdx_status find_group(const rdx_block *b, const rdx_bound *arg, uint32_t *out) {
  for (*out = 0; *out < b->group_count; ++*out)
    if (rdx_bound_equal(b->named_groups[*out], arg))
      return RDX_OK;
  return rdx_planner_fail(b->planner, RDX_ERROR_ARGUMENT, arg->place, NULL,
                          "the arguments of grouping() must be expressions of GROUP BY");
}

rdx_status rdx_grouping_value(rdx_block *b, uint32_t number, const bool *wanted, rdx_bound **out) {
  const rdx_grouping_call *call = &b->groupings[number];
  int64_t bits = 0;
  for (uint32_t i = 0; i < call->count; i++) {
    uint32_t group = 0;
    RDX_TRY(find_group(b, call->args[i], &group));
    bits = bits << 1 | (wanted && !wanted[group]);
  }
  return rdx_bind_constant(&b->planner->binding, integer, (rdx_datum){.i = bits}, 0, out);
}
