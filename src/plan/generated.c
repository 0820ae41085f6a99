/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Columns that are GENERATED ALWAYS AS (value) STORED, where a statement changes what they read; and values that are
 * given for columns whose values are made. */

#include "plan/internal.h"

#include "base/words.h"

/* Whether an expression reads a column that has a new value. */
static bool reads_new(const rdx_leaf *target, const rdx_ast *ast, rdx_bound *const *values) {
  for (uint32_t i = 0; ast->kind == RDX_AST_COLUMN && i < target->named; i++)
    if (values[i] && rdx_words_alike(target->names[i], ast->name))
      return true;
  for (uint32_t i = 0; i < ast->count; i++)
    if (reads_new(target, ast->args[i], values))
      return true;
  return false;
}

/* The target's names stand for its new values, and no other names are known. */
static rdx_status bind_value(rdx_block *b, uint32_t target, const rdx_ast *value, rdx_bound **values, rdx_bound **out) {
  const uint64_t scope = b->scope;
  const char *clause = b->clause;
  rdx_bound **before = b->leaves[target].values;
  b->scope = (uint64_t)1 << target;
  b->clause = "column generation expressions";
  b->leaves[target].values = values;
  const rdx_status status = rdx_bind(b, value, out);
  b->scope = scope;
  b->clause = clause;
  b->leaves[target].values = before;
  return status;
}

rdx_status rdx_bind_generated(rdx_block *b, uint32_t target, rdx_bound **values) {
  rdx_planner *p = b->planner;
  const rdx_catalog_table *table = b->leaves[target].table;
  for (uint32_t i = 0; table && i < b->leaves[target].named; i++) {
    rdx_sql_column declared;
    RDX_TRY(rdx_declared_of(p, &b->leaves[target], i, &declared));
    if (!declared.generated)
      continue;
    RDX_TRY(rdx_planner_deepen(p, declared.levels));
    if (!values[i] && !reads_new(&b->leaves[target], declared.generated->check, values))
      continue;
    RDX_TRY(bind_value(b, target, declared.generated->check, values, &values[i]));
    RDX_TRY(rdx_bind_cast(&p->binding, values[i], b->leaves[target].types[i], true, 0, &values[i]));
  }
  return RDX_OK;
}

/* ---- Values that are given ---- */

rdx_status rdx_check_value(rdx_overriding overriding, const char *column, const rdx_sql_column *declared,
                           const char *text, rdx_sql_place place, rdx_error *err) {
  const bool numbers = declared->identity && declared->identity->always && overriding == RDX_OVERRIDING_NOTHING;
  if (!declared->generated && !numbers)
    return RDX_OK;
  return rdx_sql_error(err, RDX_ERROR_ARGUMENT, text, place,
                       numbers ? "it is an identity column: leave it out, or write OVERRIDING SYSTEM VALUE"
                               : "it is a generated column: leave it out, or write DEFAULT",
                       "cannot insert a non-DEFAULT value into column \"%.100s\"", column);
}

rdx_status rdx_check_given(const rdx_sql_statement *insert, uint32_t from, const char *column,
                           const rdx_sql_column *declared, const char *text, rdx_error *err) {
  const rdx_sql_query *q = insert->query;
  if (from == UINT32_MAX)
    return RDX_OK;
  if (q->kind != RDX_QUERY_VALUES)
    return rdx_check_value(insert->overriding, column, declared, text, insert->place, err);
  for (uint32_t row = 0; row < q->row_count && from < q->width; row++) {
    const rdx_ast *value = q->values[(uint64_t)row * q->width + from];
    if (!rdx_is_default(value))
      RDX_TRY(rdx_check_value(insert->overriding, column, declared, text, value->place, err));
  }
  return RDX_OK;
}

/* ---- Numbers ---- */

rdx_status rdx_note_numbered(rdx_planner *p, const rdx_leaf *target, uint32_t column) {
  rdx_plan_change *change = &p->plan->change;
  if (!change->numbered)
    RDX_TRY(rdx_planner_alloc(p, target->named, sizeof *change->numbered, &change->numbered));
  change->numbered[column] = true;
  return RDX_OK;
}
