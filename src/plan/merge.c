/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* MERGE: the rows of USING, each with those of the target that match it, or none; for each of these what is done, and
 * the values of the row that is to be there. */

#include "plan/internal.h"

#include <string.h>

/* What is known of the statement while it is bound. */
typedef struct merging {
  rdx_block *block;
  const rdx_sql_statement *statement;
  uint32_t target;    /* the leaf */
  uint64_t sources;   /* leaves */
  rdx_bound *matched; /* whether there is a row of the target */
  rdx_bound **holds;  /* of each WHEN whether it is the case */
  rdx_bound **values; /* of each WHEN those of all columns; NULL: as they are */
} merging;

static rdx_leaf *target_of(const merging *m) {
  return &m->block->leaves[m->target];
}

static rdx_status join(merging *m) {
  rdx_block *b = m->block;
  rdx_planner *p = b->planner;
  rdx_group *left = NULL, *right = NULL;
  rdx_cte *ctes = b->ctes;
  rdx_bound *condition = NULL;
  rdx_conjuncts on = {0};
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof *left, &left));
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof *right, &right));
  RDX_TRY(rdx_bind_from_item(b, m->statement->query->from[0], left));
  m->sources = ((uint64_t)1 << b->leaf_count) - 1;
  m->target = b->leaf_count;
  b->ctes = NULL; /* what changes is a table */
  RDX_TRY(rdx_bind_from_item(b, m->statement->target, right));
  b->ctes = ctes;
  const uint32_t dependents = b->dependent_count;
  RDX_TRY(rdx_bind_condition(b, m->statement->query->where, "ON", &condition));
  if (b->dependent_count > dependents)
    return rdx_planner_fail(p, RDX_ERROR_UNSUPPORTED, m->statement->query->where->place, "put it in the query of USING",
                            "a subquery cannot stand in ON of MERGE");
  RDX_TRY(rdx_conjuncts_split(p, &on, condition));
  return rdx_block_left_join(b, left, right, on);
}

static rdx_status bind_matched(merging *m) {
  const rdx_sql_type type = {.kind = RDX_SQL_BIGINT};
  RDX_TRY(
      rdx_bind_column(m->block->planner, rdx_leaf_column(m->target, target_of(m)->column_count), type, 0, &m->matched));
  return rdx_bind_call_of(m->block->planner, "is not null", &m->matched, 1, 0, &m->matched);
}

const rdx_ast *rdx_merge_value(const rdx_sql_statement *set, uint32_t index, const char *name) {
  uint32_t k = set->name_count ? 0 : index;
  while (set->name_count && k < set->name_count && strcmp(set->names[k], name) != 0)
    k++;
  return k < set->arg_count && !rdx_is_default(set->args[k]) ? set->args[k] : NULL;
}

/* What INSERT gives column `i`; its number is made where there is a row (database/merge.c). */
static rdx_status bind_given(merging *m, const rdx_sql_statement *set, uint32_t i, rdx_bound **out) {
  rdx_planner *p = m->block->planner;
  const rdx_leaf *target = target_of(m);
  const rdx_ast *given = rdx_merge_value(set, i, target->names[i]);
  rdx_ast *made = NULL;
  rdx_sql_column declared;
  RDX_TRY(rdx_declared_of(p, target, i, &declared));
  if (rdx_overrides_given(set, &declared))
    given = NULL;
  if (given)
    RDX_TRY(rdx_check_value(set->overriding, target->names[i], &declared, p->text, given->place, p->err));
  else
    RDX_TRY(rdx_default_of(p, target, i, &made));
  if (!given && declared.identity)
    RDX_TRY(rdx_note_numbered(p, target, i));
  RDX_TRY(rdx_bind(m->block, given ? given : made, out));
  return rdx_bind_cast(&p->binding, *out, target_of(m)->types[i], true, given ? given->place : 0, out);
}

/* Of INSERT: its values, or what DEFAULT is. */
static rdx_status bind_inserted(merging *m, const rdx_sql_statement *set, rdx_bound **values) {
  rdx_planner *p = m->block->planner;
  const rdx_leaf *target = target_of(m);
  const uint32_t given = set->name_count ? set->name_count : set->arg_count;
  if (set->arg_count > target->named || (set->arg_count != given && set->arg_count > 0))
    return rdx_planner_fail(p, RDX_ERROR_ARGUMENT, m->statement->place, NULL, "there are %u values for %u columns",
                            set->arg_count, set->name_count ? set->name_count : target->named);
  for (uint32_t k = 0; k < set->name_count; k++) {
    uint32_t i = 0;
    while (i < target->named && strcmp(target->names[i], set->names[k]) != 0)
      i++;
    if (i == target->named)
      return rdx_planner_fail(p, RDX_ERROR_NOT_FOUND, m->statement->place, NULL,
                              "table \"%.100s\" has no column \"%.100s\"", m->statement->name, set->names[k]);
  }
  for (uint32_t i = 0; i < target->named; i++)
    RDX_TRY(bind_given(m, set, i, &values[i]));
  return RDX_OK;
}

static rdx_status bind_updated(merging *m, const rdx_sql_merge *when, rdx_bound **values) {
  rdx_sql_statement set = *when->set;
  set.name = m->statement->name;
  for (uint32_t k = 0; k < set.name_count; k++)
    RDX_TRY(rdx_assign(m->block, m->target, &set, k, values));
  return RDX_OK;
}

/* WHEN number `k`: NOT MATCHED reads USING alone. */
static rdx_status bind_when(merging *m, uint32_t k) {
  rdx_block *b = m->block;
  rdx_planner *p = b->planner;
  const rdx_sql_merge *when = &m->statement->merges[k];
  rdx_bound *args[2] = {m->matched, NULL}, **values = &m->values[(uint64_t)k * target_of(m)->named];
  const rdx_guard before = {.call = "or", .args = m->holds, .count = k};
  const rdx_guard is = {.call = "case", .args = &args[0], .count = 1, .outside = &before};
  const rdx_guard holds = {.call = "case", .args = &args[1], .count = 1, .outside = &is};
  if (!when->matched)
    RDX_TRY(rdx_bind_call_of(p, "not", &args[0], 1, 0, &args[0]));
  b->scope = when->matched ? 0 : m->sources;
  b->guard = &is;
  rdx_status status = when->condition ? rdx_bind_condition(b, when->condition, "WHEN", &args[1]) : RDX_OK;
  b->guard = args[1] ? &holds : &is;
  b->clause = "MERGE";
  if (status == RDX_OK && when->action == RDX_MERGE_UPDATE)
    status = bind_updated(m, when, values);
  if (status == RDX_OK && when->action == RDX_MERGE_INSERT)
    status = bind_inserted(m, when->set, values);
  /* Where rows get numbers, generated columns are made after them (database/merge.c). */
  if (status == RDX_OK && (when->action != RDX_MERGE_INSERT || !p->plan->change.numbered))
    status = rdx_bind_generated(b, m->target, values);
  b->scope = 0;
  b->guard = NULL;
  b->clause = NULL;
  RDX_TRY(status);
  m->holds[k] = args[0];
  return args[1] ? rdx_bind_call_of(p, "and", args, 2, 0, &m->holds[k]) : RDX_OK;
}

/* CASE of all WHENs: of the first that is the case. */
static rdx_status add_case(merging *m, const char *name, rdx_bound **args) {
  rdx_bound *value = NULL;
  const uint32_t count = m->statement->merge_count;
  for (uint32_t k = 0; k < count; k++)
    args[2 * k] = m->holds[k];
  RDX_TRY(rdx_bind_call_of(m->block->planner, "case", args, 2 * count + 1, 0, &value));
  return rdx_block_add_output(m->block, name, value);
}

static rdx_status add_outputs(merging *m) {
  rdx_planner *p = m->block->planner;
  const uint32_t count = m->statement->merge_count, columns = target_of(m)->named;
  rdx_bound **args = NULL;
  RDX_TRY(rdx_planner_alloc(p, 2 * (uint64_t)count + 1, sizeof(rdx_bound *), &args));
  for (uint32_t i = 0; i < columns; i++) {
    RDX_TRY(rdx_leaf_value(m->block, m->target, i, 0, &args[2 * count]));
    for (uint32_t k = 0; k < count; k++)
      args[2 * k + 1] = m->values[(uint64_t)k * columns + i] ? m->values[(uint64_t)k * columns + i] : args[2 * count];
    RDX_TRY(add_case(m, target_of(m)->names[i], args));
  }
  for (uint32_t k = 0; k <= count; k++) {
    const rdx_datum action = {.i = k};
    rdx_bound **to = &args[k < count ? 2 * k + 1 : 2 * count];
    RDX_TRY(rdx_bind_constant(&p->binding, (rdx_sql_type){.kind = RDX_SQL_BIGINT}, action, 0, to));
  }
  return add_case(m, "action", args);
}

/* Behind a WHEN without a condition none of its kind is the case. */
static rdx_status check_reached(const merging *m) {
  bool decided[2] = {false, false};
  for (uint32_t k = 0; k < m->statement->merge_count; k++) {
    const rdx_sql_merge *when = &m->statement->merges[k];
    if (decided[when->matched])
      return rdx_planner_fail(m->block->planner, RDX_ERROR_FORMAT, m->statement->place, NULL,
                              "unreachable WHEN clause specified after unconditional WHEN clause");
    decided[when->matched] = !when->condition;
  }
  return RDX_OK;
}

rdx_status rdx_bind_merge(rdx_block *b, const rdx_sql_statement *s) {
  rdx_planner *p = b->planner;
  merging m = {.block = b, .statement = s};
  RDX_TRY(check_reached(&m));
  RDX_TRY(join(&m));
  RDX_TRY(bind_matched(&m));
  RDX_TRY(rdx_planner_alloc(p, s->merge_count, sizeof(rdx_bound *), &m.holds));
  RDX_TRY(rdx_planner_alloc(p, (uint64_t)s->merge_count * target_of(&m)->named, sizeof(rdx_bound *), &m.values));
  for (uint32_t k = 0; k < s->merge_count; k++)
    RDX_TRY(bind_when(&m, k));
  RDX_TRY(add_outputs(&m));
  p->plan->change.table = target_of(&m)->table;
  p->plan->change.values = target_of(&m)->named + 1;
  p->plan->change.merges = true;
  return RDX_OK;
}
