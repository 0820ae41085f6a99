/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* MERGE: its plan says for each pair of a row of USING and a row of the table what is done (rdx_plan_change). */

#include <stdio.h>
#include <string.h>

#include "database/generated.h"
#include "database/identity.h"
#include "table/table.h"

#define WHAT "a table"

typedef struct merging {
  rdx_statement *statement;
  rdx_catalog_table *table;
  const rdx_table *found;
  uint32_t *updated, *deleted; /* of each row of the table the found one that does it; RDX_NO_ROW: none */
  uint32_t *inserted;
  uint64_t updates, deletions, insertions;
  rdx_error *err;
} merging;

static void drop(merging *m) {
  RDX_FREE_ALL(m->updated, m->deleted, m->inserted);
}

/* What is done with a row that is found. */
static rdx_merge_action action_of(const merging *m, uint64_t row) {
  const rdx_sql_statement *written = m->statement->prepared->runs;
  const int64_t when = rdx_change_number(m->found, m->statement->prepared->plan->change.values - 1, row);
  return when < written->merge_count ? written->merges[when].action : RDX_MERGE_NOTHING;
}

static rdx_status do_action(merging *m, rdx_merge_action action, int64_t old, uint32_t row) {
  if (action == RDX_MERGE_NOTHING)
    return RDX_OK;
  if (action == RDX_MERGE_INSERT) {
    m->inserted[m->insertions++] = row;
    return RDX_OK;
  }
  if (m->updated[old] != RDX_NO_ROW || m->deleted[old] != RDX_NO_ROW)
    return rdx_sql_error(m->err, RDX_ERROR_ARGUMENT, m->statement->prepared->text, m->statement->prepared->runs->place,
                         "no two rows of USING may match a row of the table",
                         "MERGE command cannot affect row a second time");
  const bool updates = action == RDX_MERGE_UPDATE;
  *(updates ? &m->updated[old] : &m->deleted[old]) = row;
  *(updates ? &m->updates : &m->deletions) += 1;
  return RDX_OK;
}

static rdx_status part(merging *m) {
  const rdx_plan_change *c = &m->statement->prepared->plan->change;
  const uint64_t rows = rdx_table_rows(m->found), old = m->table->rows;
  RDX_TRY(rdx_alloc(old, sizeof *m->updated, WHAT, (void **)&m->updated, m->err));
  RDX_TRY(rdx_alloc(old, sizeof *m->deleted, WHAT, (void **)&m->deleted, m->err));
  RDX_TRY(rdx_alloc(rows, sizeof *m->inserted, WHAT, (void **)&m->inserted, m->err));
  memset(m->updated, 0xff, old * sizeof *m->updated);
  memset(m->deleted, 0xff, old * sizeof *m->deleted);
  for (uint64_t i = 0; i < rows; i++) {
    RDX_TRY(rdx_loop_goes_on(i, rows, "merge", m->err));
    RDX_TRY(do_action(m, action_of(m, i), rdx_change_number(m->found, c->values + c->returned + c->numbers - 1, i),
                      (uint32_t)i));
  }
  return RDX_OK;
}

/* The table's rows, as they are changed, without those that go. */
static rdx_status change_old(const merging *m, const rdx_table *values, rdx_table **out) {
  RDX_SCOPED(rdx_table_destroy) rdx_table *old = NULL, *updated = NULL;
  RDX_SCOPED(rdx_free_local) uint32_t *from = NULL;
  RDX_TRY(rdx_alloc(m->table->column_count, sizeof *from, WHAT, (void **)&from, m->err));
  for (uint32_t i = 0; i < m->table->column_count; i++)
    from[i] = i;
  RDX_TRY(rdx_change_open(m->statement, m->table, &old, m->err));
  const rdx_merge update = {.old = old, .added = values, .chosen = m->updated, .from = from, .rows = m->table->rows};
  RDX_TRY(rdx_change_merge(&update, &updated, m->err));
  const rdx_merge delete = {.old = updated, .chosen = m->deleted, .rows = m->table->rows - m->deletions};
  return rdx_change_merge(&delete, out, m->err);
}

/* The rows that are inserted get numbers where INSERT says none. */
static rdx_status number(merging *m, rdx_table *inserted) {
  rdx_statement *s = m->statement;
  const rdx_plan_change *c = &s->prepared->plan->change;
  RDX_SCOPED(rdx_free_local) bool *wanted = NULL;
  if (!c->numbered)
    return RDX_OK;
  RDX_TRY(rdx_alloc(m->insertions, sizeof *wanted, WHAT, (void **)&wanted, m->err));
  for (uint32_t i = 0; i < m->table->column_count; i++) {
    for (uint64_t row = 0; row < m->insertions && c->numbered[i]; row++) {
      const int64_t when = rdx_change_number(m->found, c->values - 1, m->inserted[row]);
      const rdx_sql_statement *set = s->prepared->runs->merges[when].set;
      wanted[row] = set->overriding == RDX_OVERRIDING_USER || !rdx_merge_value(set, i, m->table->columns[i].name);
    }
    if (c->numbered[i])
      RDX_TRY(rdx_identity_fill(s, m->table->name, inserted, i, wanted, m->err));
  }
  return rdx_generated_fill(s, m->table->name, inserted, NULL, m->err);
}

static rdx_status merge(merging *m) {
  RDX_SCOPED(rdx_table_destroy) rdx_table *values = NULL, *inserted = NULL, *kept = NULL, *content = NULL;
  rdx_statement *s = m->statement;
  RDX_TRY(rdx_change_take_values(s, m->table, m->found, NULL, rdx_table_rows(m->found), &values, m->err));
  RDX_TRY(rdx_change_take_rows(s, values, m->inserted, m->insertions, &inserted, m->err));
  RDX_TRY(number(m, inserted));
  RDX_TRY(rdx_declared_check(s, m->table->name, inserted, m->err));
  if (m->updates + m->deletions == 0)
    return m->insertions > 0 ? rdx_change_append(s, m->table, inserted, m->err) : RDX_OK;
  RDX_TRY(change_old(m, values, &kept));
  RDX_TRY(rdx_change_concatenate(kept, inserted, &content, m->err));
  RDX_TRY(rdx_declared_check(s, m->table->name, content, m->err));
  const rdx_constrained_rows of = {.statement = s, .table = m->table->name, .rows = content};
  RDX_TRY(rdx_constraints_check(&of, m->table->constraints, m->err));
  return rdx_change_replace(s, m->table, &content, m->err);
}

rdx_status rdx_change_run_merge(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  RDX_SCOPED(drop) merging m = {.statement = s, .table = s->prepared->plan->change.table, .err = err};
  rdx_catalog_table *table = NULL;
  RDX_TRY(rdx_change_find(s, s->prepared->runs->name, &table, err)); /* it may be a view */
  rdx_catalog_release(&table);
  RDX_TRY(rdx_prepared_run(s->prepared, s->parameters, NULL, answer, err));
  m.found = answer->table;
  RDX_TRY(part(&m));
  RDX_TRY(merge(&m));
  rdx_table_destroy(&answer->table);
  answer->stats.rows = m.updates + m.deletions + m.insertions;
  snprintf(answer->tag, sizeof answer->tag, "MERGE %llu", (unsigned long long)answer->stats.rows);
  return RDX_OK;
}
