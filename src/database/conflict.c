/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* INSERT ... ON CONFLICT: rows whose keys are there are left out, or change the row that has the key. */

#include <string.h>

#include "database/constraints.h"
#include "table/table.h"

#define WHAT "a table"

/* What INSERT found, in the order of its rows. */
typedef struct insertion {
  rdx_statement *statement;
  rdx_catalog_table *table;
  const rdx_table *found;
  uint64_t rows;
  uint32_t *chosen;    /* the row of `found` for each */
  rdx_table *proposed; /* the rows that were to be inserted, as the table has them */
  uint32_t *kept;      /* numbers of those that are inserted or change a row */
  uint64_t kept_count;
  rdx_error *err;
} insertion;

static void drop(insertion *x) {
  RDX_FREE_ALL(x->chosen, x->kept);
  rdx_table_destroy(&x->proposed);
}

/* RETURNING of the rows that are kept, as the answer. */
static rdx_status answer_kept(insertion *x, rdx_answer *answer) {
  const rdx_plan_change *c = &x->statement->prepared->plan->change;
  rdx_table *returned = NULL;
  RDX_SCOPED(rdx_free_local) uint32_t *list = NULL;
  answer->stats.rows = x->kept_count;
  RDX_TRY(rdx_alloc(x->kept_count, sizeof *list, WHAT, (void **)&list, x->err));
  for (uint64_t i = 0; i < x->kept_count; i++)
    list[i] = x->chosen[x->kept[i]];
  if (c->returned > 0)
    RDX_TRY(rdx_change_take(x->statement, x->found, c->values, c->returned, list, x->kept_count, &returned, x->err));
  rdx_table_destroy(&answer->table);
  answer->table = returned;
  return RDX_OK;
}

/* ---- DO NOTHING ---- */

/* Take a row's key, unless another row has it. */
static bool is_free(const rdx_equal_rows *equal, uint32_t keys, bool *const *taken, uint64_t row) {
  for (uint32_t k = 0; k < keys; k++)
    if (equal[k].old[row] != RDX_NO_ROW || (equal[k].first[row] != RDX_NO_ROW && taken[k][equal[k].first[row]]))
      return false;
  for (uint32_t k = 0; k < keys; k++)
    if (equal[k].first[row] != RDX_NO_ROW)
      taken[k][equal[k].first[row]] = true;
  return true;
}

typedef struct keys {
  rdx_sql_constraint *list;
  rdx_equal_rows *equal;
  bool **taken; /* of each key whether the first row that has a value is kept, or one that is equal to it */
  uint32_t count;
} keys;

static void drop_keys(keys *k) {
  for (uint32_t i = 0; i < k->count; i++) {
    rdx_equal_rows_drop(&k->equal[i]);
    rdx_free(k->taken[i]);
  }
}

/* The keys that ON CONFLICT is about. */
static rdx_status find_keys(const insertion *x, rdx_arena *arena, keys *out) {
  const rdx_sql_conflict *conflict = x->statement->prepared->runs->conflict;
  const bool any = !conflict->constraint && conflict->column_count == 0;
  uint32_t all = 0;
  RDX_TRY(rdx_sql_parse_constraints(x->table->constraints, arena, &out->list, &all, x->err));
  for (uint32_t i = 0; i < all; i++)
    if (rdx_sql_conflict_is_of(conflict, &out->list[i]))
      out->list[out->count++] = out->list[i];
  if (out->count == 0 && !any)
    return rdx_conflict_fail(conflict, x->statement->prepared->text, x->table->name, x->err);
  const uint32_t count = out->count;
  out->count = 0;
  RDX_TRY(rdx_arena_alloc(arena, count, sizeof *out->equal, WHAT, (void **)&out->equal, x->err));
  RDX_TRY(rdx_arena_alloc(arena, count, sizeof *out->taken, WHAT, (void **)&out->taken, x->err));
  memset(out->equal, 0, count * sizeof *out->equal);
  memset(out->taken, 0, count * sizeof *out->taken);
  out->count = count;
  return RDX_OK;
}

static rdx_status keep_free(insertion *x, const rdx_table *old, keys *k) {
  const rdx_constrained_rows of = {.statement = x->statement, .table = x->table->name, .old = old, .rows = x->proposed};
  for (uint32_t i = 0; i < k->count; i++) {
    RDX_TRY(rdx_constraint_find_equal(&of, &k->list[i], &k->equal[i], x->err));
    RDX_TRY(rdx_calloc(x->rows, sizeof **k->taken, WHAT, (void **)&k->taken[i], x->err));
  }
  for (uint64_t i = 0; i < x->rows; i++) {
    RDX_TRY(rdx_loop_goes_on(i, x->rows, "insert", x->err));
    if (is_free(k->equal, k->count, k->taken, i))
      x->kept[x->kept_count++] = (uint32_t)i;
  }
  return RDX_OK;
}

static rdx_status insert_free(insertion *x, rdx_answer *answer) {
  RDX_SCOPED(rdx_table_destroy) rdx_table *old = NULL, *added = NULL;
  RDX_SCOPED(rdx_arena_free) rdx_arena arena = {0};
  RDX_SCOPED(drop_keys) keys k = {0};
  RDX_TRY(find_keys(x, &arena, &k));
  RDX_TRY(rdx_change_open(x->statement, x->table, &old, x->err));
  RDX_TRY(keep_free(x, old, &k));
  RDX_TRY(rdx_change_take_rows(x->statement, x->proposed, x->kept, x->kept_count, &added, x->err));
  RDX_TRY(answer_kept(x, answer));
  return x->kept_count > 0 ? rdx_change_append(x->statement, x->table, added, x->err) : RDX_OK;
}

/* ---- DO UPDATE ---- */

/* What becomes of the rows that are there, and which rows come. */
typedef struct upsert {
  uint32_t *changed; /* of each row of the table the one that changes it; RDX_NO_ROW: none */
  uint64_t changes;
  uint32_t *inserted;
  uint64_t insertions;
} upsert;

static void drop_upsert(upsert *u) {
  RDX_FREE_ALL(u->changed, u->inserted);
}

static rdx_status fail_second(const insertion *x) {
  return rdx_sql_error(x->err, RDX_ERROR_ARGUMENT, x->statement->prepared->text,
                       x->statement->prepared->runs->conflict->place,
                       "no two of the rows may have the same key: DISTINCT ON (key) takes one of each",
                       "ON CONFLICT DO UPDATE command cannot affect row a second time");
}

/* Rows that come have different keys. */
static rdx_status check_apart(const insertion *x, const upsert *u) {
  RDX_SCOPED(rdx_arena_free) rdx_arena arena = {0};
  const rdx_constrained_rows of = {.statement = x->statement, .table = x->table->name, .rows = x->proposed};
  rdx_sql_constraint *list = NULL;
  uint32_t count = 0, k = 0;
  RDX_TRY(rdx_sql_parse_constraints(x->table->constraints, &arena, &list, &count, x->err));
  while (k < count && !rdx_sql_conflict_is_of(x->statement->prepared->runs->conflict, &list[k]))
    k++;
  RDX_SCOPED(rdx_equal_rows_drop) rdx_equal_rows equal = {0};
  RDX_TRY(rdx_constraint_find_equal(&of, &list[k], &equal, x->err));
  for (uint64_t i = 0; i < u->insertions; i++) {
    const uint32_t row = u->inserted[i];
    if (equal.first[row] != RDX_NO_ROW && equal.first[row] != row)
      return fail_second(x);
  }
  return RDX_OK;
}

/* Part the rows into those that have a row with their key and those that have none. */
static rdx_status part(insertion *x, upsert *u) {
  const rdx_plan_change *c = &x->statement->prepared->plan->change;
  const rdx_column *acts = rdx_table_column(x->found, c->values - 1);
  RDX_TRY(rdx_alloc(x->table->rows, sizeof *u->changed, WHAT, (void **)&u->changed, x->err));
  RDX_TRY(rdx_alloc(x->rows, sizeof *u->inserted, WHAT, (void **)&u->inserted, x->err));
  memset(u->changed, 0xff, x->table->rows * sizeof *u->changed);
  for (uint64_t i = 0; i < x->rows; i++) {
    rdx_datum act;
    const int64_t old = rdx_change_number(x->found, c->values + c->returned + 1, x->chosen[i]);
    RDX_TRY(rdx_loop_goes_on(i, x->rows, "insert", x->err));
    rdx_column_datum(acts, x->chosen[i], &act);
    if (old != INT64_MAX && u->changed[old] != RDX_NO_ROW)
      return fail_second(x);
    if (act.null || !act.i)
      continue;
    x->kept[x->kept_count++] = (uint32_t)i;
    if (old == INT64_MAX) {
      u->inserted[u->insertions++] = (uint32_t)i;
    } else {
      u->changed[old] = (uint32_t)i;
      u->changes++;
    }
  }
  return check_apart(x, u);
}

/* Whether SET changes a column of a key. */
static rdx_status changes_key(const insertion *x, const bool *set, bool *out) {
  RDX_SCOPED(rdx_arena_free) rdx_arena arena = {0};
  rdx_sql_constraint *list = NULL;
  uint32_t count = 0;
  *out = false;
  RDX_TRY(rdx_sql_parse_constraints(x->table->constraints, &arena, &list, &count, x->err));
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = 0; list[i].kind != RDX_CONSTRAINT_CHECK && k < list[i].column_count; k++)
      for (uint32_t c = 0; c < x->table->column_count; c++)
        *out |= set[c] && strcmp(x->table->columns[c].name, list[i].columns[k]) == 0;
  return RDX_OK;
}

/* What holds of the new version, `content`, of which `inserted` are the rows that came. */
static rdx_status check_version(const insertion *x, const rdx_table *old, const rdx_table *inserted,
                                const rdx_table *content, const bool *set) {
  bool moves = false;
  rdx_constrained_rows all = {.statement = x->statement, .table = x->table->name, .rows = content};
  const rdx_constrained_rows came = {.statement = x->statement, .table = x->table->name, .old = old, .rows = inserted};
  RDX_TRY(rdx_declared_check(x->statement, x->table->name, content, x->err));
  RDX_TRY(changes_key(x, set, &moves));
  if (moves) /* which rows that go may leave free */
    return rdx_constraints_check(&all, x->table->constraints, x->err);
  all.changed = set;
  RDX_TRY(rdx_constraints_check(&came, x->table->constraints, x->err));
  return rdx_constraints_check(&all, x->table->constraints, x->err);
}

static rdx_status merge(const insertion *x, const upsert *u, const rdx_table *old, const rdx_table *values,
                        const rdx_table *inserted, rdx_table **out) {
  const rdx_plan_change *c = &x->statement->prepared->plan->change;
  RDX_SCOPED(rdx_free_local) bool *set = NULL;
  RDX_SCOPED(rdx_free_local) uint32_t *from = NULL;
  RDX_SCOPED(rdx_table_destroy) rdx_table *merged = NULL;
  RDX_TRY(rdx_calloc(x->table->column_count, sizeof *set, WHAT, (void **)&set, x->err));
  RDX_TRY(rdx_alloc(x->table->column_count, sizeof *from, WHAT, (void **)&from, x->err));
  for (uint32_t k = 0; k < c->column_count; k++)
    set[c->columns[k]] = true;
  for (uint32_t i = 0; i < x->table->column_count; i++)
    from[i] = set[i] ? i : UINT32_MAX;
  const rdx_merge m = {.old = old, .added = values, .chosen = u->changed, .from = from, .rows = x->table->rows};
  RDX_TRY(rdx_change_merge(&m, &merged, x->err));
  RDX_TRY(rdx_change_concatenate(merged, inserted, out, x->err));
  return check_version(x, old, inserted, *out, set);
}

static rdx_status insert_or_update(insertion *x, rdx_answer *answer) {
  RDX_SCOPED(rdx_table_destroy) rdx_table *old = NULL, *values = NULL, *inserted = NULL, *content = NULL;
  RDX_SCOPED(drop_upsert) upsert u = {0};
  RDX_TRY(part(x, &u));
  RDX_TRY(rdx_change_take_values(x->statement, x->table, x->found, x->chosen, x->rows, &values, x->err));
  RDX_TRY(rdx_change_take_rows(x->statement, values, u.inserted, u.insertions, &inserted, x->err));
  if (u.changes > 0) {
    RDX_TRY(rdx_change_open(x->statement, x->table, &old, x->err));
    RDX_TRY(merge(x, &u, old, values, inserted, &content));
  }
  RDX_TRY(answer_kept(x, answer));
  if (u.changes > 0)
    return rdx_change_replace(x->statement, x->table, &content, x->err);
  return u.insertions > 0 ? rdx_change_append(x->statement, x->table, inserted, x->err) : RDX_OK;
}

/* ---- Both ---- */

/* The rows that were to be inserted, for which what is no key must hold, whatever becomes of them. */
static rdx_status propose(insertion *x) {
  const rdx_plan_change *c = &x->statement->prepared->plan->change;
  const uint32_t columns = c->merges ? (c->values - 1) / 2 : c->values;
  uint64_t count = 0;
  RDX_SCOPED(rdx_table_destroy) rdx_table *values = NULL;
  RDX_TRY(rdx_change_choose(c, x->found, x->rows, &x->chosen, &count, x->err));
  RDX_TRY(rdx_alloc(x->rows, sizeof *x->kept, WHAT, (void **)&x->kept, x->err));
  RDX_TRY(
      rdx_change_take(x->statement, x->found, c->merges ? columns : 0, columns, x->chosen, x->rows, &values, x->err));
  RDX_TRY(rdx_change_fit(x->statement, x->table, values, c->merges, &x->proposed, x->err));
  const rdx_constrained_rows of = {
      .statement = x->statement, .table = x->table->name, .rows = x->proposed, .only_checks = true};
  return rdx_constraints_check(&of, x->table->constraints, x->err);
}

rdx_status rdx_change_run_conflict(rdx_statement *s, rdx_catalog_table *table, rdx_answer *answer, rdx_error *err) {
  RDX_SCOPED(drop)
  insertion x = {
      .statement = s, .table = table, .found = answer->table, .rows = rdx_table_rows(answer->table), .err = err};
  RDX_TRY(propose(&x));
  return s->prepared->runs->conflict->update ? insert_or_update(&x, answer) : insert_free(&x, answer);
}
