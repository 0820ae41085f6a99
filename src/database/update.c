/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* INSERT, UPDATE and DELETE: their plan finds the rows (rdx_plan_change), of which new versions of tables are made. */

#include <stdio.h>
#include <string.h>

#include "database/constraints.h"
#include "table/table.h"

#define WHAT "a table"

/* ---- What the plan found ---- */

/* NULL, of an outer join, is behind all rows. */
int64_t rdx_change_number(const rdx_table *found, uint32_t column, uint64_t row) {
  rdx_datum number;
  rdx_column_datum(rdx_table_column(found, column), row, &number);
  return number.null ? INT64_MAX : number.i;
}

/* Whether what row `a` was joined with comes before that of `b`, in the order of FROM. */
static bool comes_before(const rdx_plan_change *c, const rdx_table *found, uint64_t a, uint64_t b) {
  for (uint32_t i = 1; i < c->numbers; i++) {
    const uint32_t column = c->values + c->returned + i;
    const int64_t x = rdx_change_number(found, column, a), y = rdx_change_number(found, column, b);
    if (x != y)
      return x < y;
  }
  return false;
}

rdx_status rdx_change_choose(const rdx_plan_change *c, const rdx_table *found, uint64_t rows, uint32_t **out,
                             uint64_t *count, rdx_error *err) {
  const uint64_t all = rdx_table_rows(found);
  *count = 0;
  RDX_TRY(rdx_alloc(rows, sizeof **out, WHAT, (void **)out, err));
  memset(*out, 0xff, rows * sizeof **out);
  for (uint64_t i = 0; i < all; i++) {
    RDX_TRY(rdx_loop_goes_on(i, all, "change", err));
    uint32_t *chosen = &(*out)[rdx_change_number(found, c->values + c->returned, i)];
    *count += *chosen == RDX_NO_ROW;
    if (*chosen == RDX_NO_ROW || comes_before(c, found, i, *chosen))
      *chosen = (uint32_t)i;
  }
  return RDX_OK;
}

rdx_status rdx_change_take(const rdx_statement *s, const rdx_table *found, uint32_t first, uint32_t count,
                           const uint32_t *rows, uint64_t row_count, rdx_table **out, rdx_error *err) {
  const rdx_plan_column *columns = s->prepared->plan->root->columns + first;
  RDX_SCOPED(rdx_frame_destroy) rdx_frame frame = {0};
  RDX_TRY(rdx_frame_create(count, row_count, &frame, err));
  for (uint32_t i = 0; i < count; i++)
    frame.columns[i].input = (rdx_input){*rdx_table_column(found, first + i), rows};
  return rdx_result_table(s->database->pool, &frame, columns, out, err);
}

rdx_status rdx_change_take_rows(const rdx_statement *s, const rdx_table *from, const uint32_t *list, uint64_t count,
                                rdx_table **out, rdx_error *err) {
  const uint32_t columns = rdx_table_columns(from);
  RDX_SCOPED(rdx_frame_destroy) rdx_frame frame = {0};
  RDX_SCOPED(rdx_free_local) rdx_plan_column *names = NULL;
  RDX_SCOPED(rdx_table_destroy) rdx_table *table = NULL;
  RDX_TRY(rdx_calloc(columns, sizeof *names, WHAT, (void **)&names, err));
  RDX_TRY(rdx_frame_create(columns, count, &frame, err));
  for (uint32_t i = 0; i < columns; i++) {
    frame.columns[i].input = (rdx_input){*rdx_table_column(from, i), list};
    names[i].name = rdx_table_column_name(from, i);
  }
  RDX_TRY(rdx_result_table(s->database->pool, &frame, names, &table, err));
  for (uint32_t i = 0; i < columns; i++)
    if (rdx_table_column_declaration(from, i))
      RDX_TRY(rdx_copy_text(rdx_table_column_declaration(from, i), WHAT, &table->columns[i].declaration, err));
  *out = RDX_KEEP(table);
  return RDX_OK;
}

rdx_status rdx_change_take_values(const rdx_statement *s, const rdx_catalog_table *table, const rdx_table *found,
                                  const uint32_t *chosen, uint64_t rows, rdx_table **out, rdx_error *err) {
  const uint32_t count = table->column_count;
  RDX_SCOPED(rdx_free_local) uint32_t *from = NULL;
  RDX_SCOPED(rdx_table_destroy) rdx_table *values = NULL;
  RDX_TRY(rdx_alloc(count, sizeof *from, WHAT, (void **)&from, err));
  for (uint32_t i = 0; i < count; i++)
    from[i] = i;
  RDX_TRY(rdx_change_take(s, found, 0, count, chosen, rows, &values, err));
  return rdx_change_convert(s, table, values, from, out, err);
}

/* RETURNING of the `count` rows that were chosen; NULL where there is none. It is made before they are written: nothing
 * can fail behind that. */
static rdx_status take_returning(const rdx_statement *s, const rdx_table *found, const uint32_t *chosen, uint64_t rows,
                                 uint64_t count, rdx_table **out, rdx_error *err) {
  const rdx_plan_change *c = &s->prepared->plan->change;
  uint64_t listed = 0;
  if (c->returned == 0)
    return RDX_OK;
  RDX_SCOPED(rdx_free_local) uint32_t *list = NULL;
  RDX_TRY(rdx_alloc(count, sizeof *list, WHAT, (void **)&list, err));
  for (uint64_t i = 0; i < rows; i++)
    if (chosen[i] != RDX_NO_ROW)
      list[listed++] = chosen[i];
  return rdx_change_take(s, found, c->values, c->returned, list, count, out, err);
}

/* The answer in place of what was found. */
static void put_answer(rdx_answer *answer, rdx_table *returned) {
  rdx_table_destroy(&answer->table);
  answer->table = returned;
}

/* ---- INSERT ---- */

/* The rows, as they are numbered, go in, and RETURNING is the answer. */
static rdx_status insert_numbered(rdx_statement *s, rdx_catalog_table *table, rdx_answer *answer, rdx_error *err) {
  const rdx_plan_change *c = &s->prepared->plan->change;
  const uint64_t rows = rdx_table_rows(answer->table);
  RDX_SCOPED(rdx_free_local) uint32_t *chosen = NULL;
  RDX_SCOPED(rdx_table_destroy) rdx_table *values = NULL, *returned = NULL;
  uint64_t count = 0;
  RDX_TRY(rdx_change_choose(c, answer->table, rows, &chosen, &count, err));
  RDX_TRY(rdx_change_take(s, answer->table, 0, c->values, chosen, rows, &values, err));
  RDX_TRY(take_returning(s, answer->table, chosen, rows, rows, &returned, err));
  RDX_TRY(rdx_change_insert(s, table, values, err));
  put_answer(answer, RDX_KEEP(returned));
  return RDX_OK;
}

rdx_status rdx_change_run_insert(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  const bool numbered = s->prepared->plan->change.numbers > 0; /* RETURNING, WITH or DEFAULT */
  RDX_SCOPED(rdx_catalog_release) rdx_catalog_table *table = NULL;
  RDX_TRY(rdx_change_find(s, s->prepared->runs->name, &table, err));
  rdx_status status = rdx_prepared_run(s->prepared, s->parameters, NULL, answer, err);
  if (status == RDX_OK)
    status = s->prepared->runs->conflict ? rdx_change_run_conflict(s, table, answer, err)
             : numbered                  ? insert_numbered(s, table, answer, err)
                                         : rdx_change_insert(s, table, answer->table, err);
  if (!numbered)
    rdx_table_destroy(&answer->table);
  snprintf(answer->tag, sizeof answer->tag, "INSERT 0 %llu", (unsigned long long)answer->stats.rows);
  return status;
}

/* ---- UPDATE, DELETE ---- */

/* The values of SET in the types of their columns; from[i] becomes the place of column i among them. */
static rdx_status convert_values(const rdx_statement *s, const rdx_table *found, uint32_t *from, rdx_table **out,
                                 rdx_error *err) {
  const rdx_plan_change *c = &s->prepared->plan->change;
  RDX_SCOPED(rdx_free_local) uint32_t *all = NULL;
  RDX_SCOPED(rdx_free_local) rdx_catalog_column *columns = NULL;
  RDX_TRY(rdx_alloc(c->values, sizeof *all, WHAT, (void **)&all, err));
  RDX_TRY(rdx_alloc(c->values, sizeof *columns, WHAT, (void **)&columns, err));
  for (uint32_t i = 0; i < c->table->column_count; i++)
    from[i] = UINT32_MAX;
  for (uint32_t k = 0; k < c->values; k++) {
    from[c->columns[k]] = all[k] = k;
    columns[k] = c->table->columns[c->columns[k]];
  }
  const rdx_catalog_table assigned = {.rows = c->table->rows, .column_count = c->values, .columns = columns};
  return rdx_change_convert(s, &assigned, found, all, out, err);
}

/* What is declared of columns and tables, of the new version: `from` as rdx_merge has it. */
static rdx_status check_merged(const rdx_statement *s, const uint32_t *from, const rdx_table *rows, rdx_error *err) {
  const rdx_catalog_table *table = s->prepared->plan->change.table;
  RDX_SCOPED(rdx_free_local) bool *changed = NULL;
  RDX_TRY(rdx_declared_check(s, table->name, rows, err));
  RDX_TRY(rdx_alloc(table->column_count, sizeof *changed, WHAT, (void **)&changed, err));
  for (uint32_t i = 0; i < table->column_count; i++)
    changed[i] = from[i] != UINT32_MAX;
  const rdx_constrained_rows of = {.statement = s, .table = table->name, .rows = rows, .changed = changed};
  return rdx_constraints_check(&of, table->constraints, err);
}

/* The new version. */
static rdx_status merge(const rdx_statement *s, const rdx_table *found, const uint32_t *chosen, uint64_t count,
                        const rdx_table *old, rdx_table **out, rdx_error *err) {
  const rdx_plan_change *c = &s->prepared->plan->change;
  rdx_merge m = {.old = old, .chosen = chosen, .rows = c->table->rows, .borrows = c->table->path != NULL};
  RDX_SCOPED(rdx_table_destroy) rdx_table *values = NULL;
  RDX_SCOPED(rdx_free_local) uint32_t *from = NULL;
  if (s->prepared->runs->kind == RDX_STATEMENT_DELETE) {
    m.rows -= count;
    return rdx_change_merge(&m, out, err);
  }
  RDX_TRY(rdx_alloc(c->table->column_count, sizeof *from, WHAT, (void **)&from, err));
  RDX_TRY(convert_values(s, found, from, &values, err));
  m.added = values;
  m.from = from;
  RDX_TRY(rdx_change_merge(&m, out, err));
  return check_merged(s, from, *out, err);
}

static rdx_status change_rows(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  const rdx_plan_change *c = &s->prepared->plan->change;
  RDX_SCOPED(rdx_table_destroy) rdx_table *old = NULL, *content = NULL, *returned = NULL;
  RDX_SCOPED(rdx_free_local) uint32_t *chosen = NULL;
  RDX_TRY(rdx_change_open(s, c->table, &old, err));
  RDX_TRY(rdx_prepared_run(s->prepared, s->parameters, NULL, answer, err));
  RDX_TRY(rdx_change_choose(c, answer->table, c->table->rows, &chosen, &answer->stats.rows, err));
  RDX_TRY(take_returning(s, answer->table, chosen, c->table->rows, answer->stats.rows, &returned, err));
  if (answer->stats.rows > 0 || s->prepared->runs->restarts)
    RDX_TRY(merge(s, answer->table, chosen, answer->stats.rows, old, &content, err));
  if (content)
    RDX_TRY(rdx_change_replace(s, c->table, &content, err));
  put_answer(answer, RDX_KEEP(returned));
  return RDX_OK;
}

rdx_status rdx_change_run_update(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  const bool updates = s->prepared->runs->kind == RDX_STATEMENT_UPDATE;
  rdx_catalog_table *table = NULL;
  RDX_TRY(rdx_change_find(s, s->prepared->runs->name, &table, err)); /* it may be a view */
  rdx_catalog_release(&table);
  RDX_TRY(change_rows(s, answer, err));
  snprintf(answer->tag, sizeof answer->tag, "%s %llu", updates ? "UPDATE" : "DELETE",
           (unsigned long long)answer->stats.rows);
  return RDX_OK;
}
