/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* INSERT with RETURNING or DEFAULT, UPDATE and DELETE: which rows change, what becomes of them, and what RETURNING
 * tells. */

#include "plan/internal.h"

#include <string.h>

static rdx_plan_change *change_of(const rdx_block *b) {
  return &b->planner->plan->change;
}

/* ---- DEFAULT ---- */

bool rdx_is_default(const rdx_ast *ast) {
  return ast->kind == RDX_AST_CALL && strcmp(ast->name, "default") == 0;
}

rdx_status rdx_declared_of(rdx_planner *p, const rdx_leaf *target, uint32_t column, rdx_sql_column *out) {
  const bool known = target->table && column != UINT32_MAX;
  return rdx_sql_parse_declaration(known ? target->table->columns[column].declaration : NULL, p->arena, out, p->err);
}

rdx_status rdx_default_of(rdx_planner *p, const rdx_leaf *target, uint32_t column, rdx_ast **out) {
  rdx_sql_column declared;
  RDX_TRY(rdx_declared_of(p, target, column, &declared));
  *out = declared.value;
  if (*out)
    return rdx_planner_deepen(p, declared.levels);
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof **out, out));
  **out = (rdx_ast){.kind = RDX_AST_NULL, .name = "NULL"};
  return RDX_OK;
}

/* ---- UPDATE ---- */

/* The column of the target that SET number `k` names. */
static rdx_status find_column(const rdx_block *b, const rdx_leaf *leaf, const rdx_sql_statement *s, uint32_t k,
                              uint32_t *out) {
  for (*out = 0; *out < leaf->named; ++*out)
    if (strcmp(leaf->names[*out], s->names[k]) == 0)
      return RDX_OK;
  return rdx_planner_fail(b->planner, RDX_ERROR_NOT_FOUND, s->args[k]->place, NULL,
                          "table \"%.100s\" has no column \"%.100s\"", s->name, s->names[k]);
}

static rdx_status check_assigned(rdx_planner *p, const rdx_leaf *target, uint32_t column, const rdx_ast *written) {
  rdx_sql_column declared;
  RDX_TRY(rdx_declared_of(p, target, column, &declared));
  const bool numbers = declared.identity && declared.identity->always;
  if (declared.identity && rdx_is_default(written))
    return rdx_planner_fail(p, RDX_ERROR_UNSUPPORTED, written->place, "rows get numbers where they are inserted",
                            "column \"%.100s\" is an identity column, which cannot be updated to DEFAULT",
                            target->names[column]);
  return (declared.generated || numbers) && !rdx_is_default(written)
             ? rdx_planner_fail(p, RDX_ERROR_ARGUMENT, written->place,
                                numbers ? "it is an identity column" : "it is a generated column",
                                "column \"%.100s\" can only be updated to DEFAULT", target->names[column])
             : RDX_OK;
}

rdx_status rdx_assign(rdx_block *b, uint32_t target, const rdx_sql_statement *s, uint32_t k, rdx_bound **values) {
  rdx_planner *p = b->planner;
  const rdx_sql_place place = s->args[k]->place;
  uint32_t column = 0;
  rdx_bound *value = NULL;
  rdx_ast *written = s->args[k];
  RDX_TRY(find_column(b, &b->leaves[target], s, k, &column));
  if (values[column])
    return rdx_planner_fail(p, RDX_ERROR_ARGUMENT, place, NULL, "column \"%.100s\" is assigned twice", s->names[k]);
  RDX_TRY(check_assigned(p, &b->leaves[target], column, written));
  if (rdx_is_default(written))
    RDX_TRY(rdx_default_of(p, &b->leaves[target], column, &written));
  RDX_TRY(rdx_bind(b, written, &value));
  return rdx_bind_cast(&p->binding, value, b->leaves[target].types[column], true, place, &values[column]);
}

/* What SET, and what is generated of it, makes of the columns of leaf `target`; NULL: nothing. */
static rdx_status bind_set(rdx_block *b, uint32_t target, const rdx_sql_statement *s, rdx_bound ***values) {
  rdx_plan_change *change = change_of(b);
  const uint32_t named = b->leaves[target].named;
  RDX_TRY(rdx_planner_alloc(b->planner, named, sizeof **values, values));
  RDX_TRY(rdx_planner_alloc(b->planner, named, sizeof *change->columns, &change->columns));
  b->clause = "UPDATE";
  for (uint32_t k = 0; k < s->name_count; k++)
    RDX_TRY(rdx_assign(b, target, s, k, *values));
  RDX_TRY(rdx_bind_generated(b, target, *values));
  b->clause = NULL;
  for (uint32_t i = 0; i < named; i++)
    if ((*values)[i])
      change->columns[change->column_count++] = i;
  return RDX_OK;
}

/* From then on the columns' names stand for the values of SET. */
static rdx_status bind_changed(rdx_block *b, const rdx_sql_statement *s) {
  rdx_plan_change *change = change_of(b);
  rdx_bound **values = NULL;
  RDX_TRY(rdx_bind_from(b, s->query));
  if (s->query->where)
    RDX_TRY(rdx_bind_where(b, s->query->where));
  change->table = b->leaves[0].table;
  RDX_TRY(bind_set(b, 0, s, &values));
  for (uint32_t k = 0; k < change->column_count; k++)
    RDX_TRY(rdx_block_add_output(b, b->leaves[0].names[change->columns[k]], values[change->columns[k]]));
  change->values = change->column_count;
  b->leaves[0].values = values;
  return RDX_OK;
}

/* ---- Values of INSERT ---- */

/* The column of the query that column `i` of the target gets; UINT32_MAX: none. */
static uint32_t source_of(const rdx_sql_statement *s, const char *name, uint32_t i, uint32_t given) {
  if (s->name_count == 0)
    return i < given ? i : UINT32_MAX;
  for (uint32_t k = 0; k < s->name_count && k < given; k++)
    if (strcmp(s->names[k], name) == 0)
      return k;
  return UINT32_MAX;
}

/* The column of the target that value `k` of a row is for; UINT32_MAX: there is none. */
static uint32_t target_of(const rdx_sql_statement *s, const rdx_leaf *target, uint32_t k) {
  for (uint32_t i = 0; i < target->named; i++)
    if (source_of(s, target->names[i], i, s->query->width) == k)
      return i;
  return UINT32_MAX;
}

/* A value of VALUES as the type of its column, whatever the other rows have there. */
static rdx_status with_type(rdx_planner *p, rdx_sql_type type, rdx_ast *value, rdx_ast **out) {
  char text[32];
  const char *end = rdx_sql_type_text(type, text) + strcspn(text, "(");
  char *name = NULL;
  RDX_TRY(rdx_planner_alloc(p, (uint64_t)(end - text) + 1, 1, &name));
  memcpy(name, text, (size_t)(end - text));
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof **out, out));
  **out = (rdx_ast){.kind = RDX_AST_CAST, .place = value->place, .name = name, .count = 1};
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof *(*out)->args, &(*out)->args));
  (*out)->args[0] = value;
  if (type.kind == RDX_SQL_DECIMAL) {
    (*out)->modifiers[(*out)->modifier_count++] = type.precision;
    (*out)->modifiers[(*out)->modifier_count++] = type.scale;
  }
  return RDX_OK;
}

/* The numbers that an identity column has, from its next one on. */
static rdx_sql_numbers numbers_of(rdx_sql_type type, const rdx_sql_identity *identity) {
  return rdx_sql_numbers_of(identity, type.kind == RDX_SQL_SMALLINT ? 16 : type.kind == RDX_SQL_INTEGER ? 32 : 64);
}

/* The name of a table that is changed. */
static const char *name_of(const rdx_leaf *target) {
  return target->table ? target->table->name : target->alias;
}

/* DEFAULT of an identity column, of the row that is the one of this number which gets it. */
static rdx_status write_number(rdx_planner *p, const rdx_leaf *target, uint32_t column,
                               const rdx_sql_identity *identity, uint32_t row, rdx_sql_place place, rdx_ast **out) {
  const rdx_sql_type type = target->types[column];
  const rdx_sql_numbers numbers = numbers_of(type, identity);
  int64_t number = 0;
  char text[44];
  if (!rdx_sql_number(&numbers, row, &number))
    return rdx_sql_no_more_numbers(p->text, place, rdx_sql_type_text(type, text), target->names[column],
                                   name_of(target), p->err);
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof **out, out));
  **out = (rdx_ast){.kind = RDX_AST_STRING, .place = place};
  RDX_TRY(rdx_arena_text(p->arena, rdx_sql_number_text(number, text), "a number", &(*out)->name, p->err));
  return rdx_note_numbered(p, target, column);
}

/* DEFAULT stands for what a row of the table gets, which rows that are left out or put in order are not yet. */
static rdx_status refuse_default(rdx_planner *p, const rdx_sql_query *q, const rdx_ast *value) {
  if (!rdx_is_default(value) || (q->order_count == 0 && !q->limit && !q->offset))
    return RDX_OK;
  return rdx_planner_fail(p, RDX_ERROR_ARGUMENT, value->place, "write VALUES without ORDER BY, LIMIT and OFFSET",
                          "DEFAULT is not allowed in this context");
}

/* VALUES with what DEFAULT is in it, in the types of the target's columns. */
static rdx_status typed_values(rdx_planner *p, const rdx_sql_statement *s, const rdx_leaf *target,
                               rdx_sql_query **out) {
  const uint32_t width = s->query->width;
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof **out, out));
  **out = *s->query;
  RDX_TRY(rdx_planner_alloc(p, (uint64_t)width * s->query->row_count, sizeof(rdx_ast *), &(*out)->values));
  for (uint32_t k = 0; k < width; k++) {
    const uint32_t column = target_of(s, target, k);
    uint32_t numbers = 0;
    rdx_sql_column declared;
    rdx_ast *value = NULL;
    RDX_TRY(rdx_declared_of(p, target, column, &declared));
    RDX_TRY(rdx_default_of(p, target, column, &value));
    for (uint32_t row = 0; row < s->query->row_count; row++) {
      const uint64_t at = (uint64_t)row * width + k;
      rdx_ast **to = &(*out)->values[at], *written = s->query->values[at];
      RDX_TRY(refuse_default(p, s->query, written));
      *to = rdx_is_default(written) ? value : written;
      if (rdx_is_default(written) && declared.identity)
        RDX_TRY(write_number(p, target, column, declared.identity, numbers++, written->place, to));
      if (column != UINT32_MAX)
        RDX_TRY(with_type(p, target->types[column], *to, to));
    }
  }
  return RDX_OK;
}

/* The number that column `column` of the target gets in a row of leaf 0. */
static rdx_status bind_number(rdx_planner *p, const rdx_leaf *target, uint32_t column, const rdx_leaf *leaf,
                              const rdx_sql_identity *identity, rdx_sql_place place, rdx_bound **out) {
  const rdx_sql_type bigint = {.kind = RDX_SQL_BIGINT};
  const rdx_sql_numbers n = numbers_of(target->types[column], identity);
  const int64_t numbers[] = {n.next, n.step, n.count, n.again, n.period};
  char type[32];
  const char *names[] = {rdx_sql_type_text(target->types[column], type), target->names[column], name_of(target)};
  rdx_bound *args[9];
  RDX_TRY(rdx_bind_column(p, rdx_leaf_column(0, leaf->column_count), bigint, place, &args[0]));
  for (uint32_t i = 0; i < 5; i++)
    RDX_TRY(rdx_bind_constant(&p->binding, bigint, (rdx_datum){.i = numbers[i]}, place, &args[1 + i]));
  for (uint32_t i = 0; i < 3; i++) {
    rdx_ast text = {.kind = RDX_AST_STRING, .place = place};
    RDX_TRY(rdx_arena_text(p->arena, names[i], "a name", &text.name, p->err));
    RDX_TRY(rdx_bind_literal(&p->binding, &text, &args[6 + i]));
  }
  return rdx_bind_call_of(p, "identity number", args, 9, place, out);
}

/* What the name of column `i` of the target stands for: column `from` of the rows; UINT32_MAX: its DEFAULT. */
static rdx_status name_value(rdx_planner *p, const rdx_sql_statement *s, const rdx_leaf *target, const rdx_leaf *leaf,
                             uint32_t i, uint32_t from, rdx_bound **out) {
  const rdx_sql_place place = s->query->place;
  rdx_sql_column declared;
  RDX_TRY(rdx_declared_of(p, target, i, &declared));
  const bool made = from == UINT32_MAX || rdx_overrides_given(s, &declared);
  if (!made) {
    RDX_TRY(rdx_check_given(s, from, target->names[i], &declared, p->text, p->err));
    return rdx_bind_column(p, rdx_leaf_column(0, from), leaf->types[from], place, out);
  }
  if (declared.identity) {
    RDX_TRY(rdx_note_numbered(p, target, i));
    return bind_number(p, target, i, leaf, declared.identity, place, out);
  }
  rdx_ast *written = NULL;
  RDX_TRY(rdx_default_of(p, target, i, &written));
  return rdx_bind(&(rdx_block){.planner = p, .clause = "DEFAULT"}, written, out);
}

/* What the names of the target's columns stand for: the values of the query in their types, or what DEFAULT is. */
static rdx_status name_values(rdx_planner *p, const rdx_sql_statement *s, const rdx_leaf *target, rdx_leaf *leaf) {
  RDX_TRY(rdx_planner_alloc(p, target->named, sizeof *leaf->values, &leaf->values));
  for (uint32_t i = 0; i < target->named; i++) {
    const uint32_t k = source_of(s, target->names[i], i, leaf->column_count);
    rdx_bound **value = &leaf->values[i];
    RDX_TRY(name_value(p, s, target, leaf, i, k, value));
    RDX_TRY(rdx_bind_cast(&p->binding, *value, target->types[i], true, s->query->place, value));
  }
  leaf->names = target->names;
  leaf->named = target->named;
  rdx_leaf row = *target;
  return rdx_bind_generated(&(rdx_block){.planner = p, .leaves = &row, .leaf_count = 1}, 0, leaf->values);
}

/* ---- ON CONFLICT DO UPDATE ---- */

rdx_status rdx_conflict_fail(const rdx_sql_conflict *conflict, const char *text, const char *table, rdx_error *err) {
  return conflict->constraint ? rdx_sql_error(err, RDX_ERROR_NOT_FOUND, text, conflict->place, NULL,
                                              "table \"%.100s\" has no key \"%.100s\"", table, conflict->constraint)
                              : rdx_sql_error(err, RDX_ERROR_ARGUMENT, text, conflict->place,
                                              "ALTER TABLE t ADD UNIQUE (columns) makes one",
                                              "there is no unique constraint matching the ON CONFLICT specification");
}

/* What makes a row of the target, leaf 1, one with the key of a row of leaf 0. */
static rdx_status match_key(rdx_block *b, const rdx_sql_conflict *conflict, rdx_conjuncts *on) {
  rdx_planner *p = b->planner;
  const rdx_leaf *target = &b->leaves[1];
  rdx_sql_constraint *list = NULL;
  uint32_t count = 0, k = 0;
  RDX_TRY(rdx_sql_parse_constraints(target->table->constraints, p->arena, &list, &count, p->err));
  while (k < count && !rdx_sql_conflict_is_of(conflict, &list[k]))
    k++;
  if (k == count)
    return rdx_conflict_fail(conflict, p->text, target->table->name, p->err);
  for (uint32_t i = 0; i < target->named; i++)
    for (uint32_t c = 0; c < list[k].column_count; c++) {
      rdx_bound *sides[2], *equal = NULL;
      if (strcmp(list[k].columns[c], target->names[i]) != 0)
        continue;
      RDX_TRY(rdx_leaf_value(b, 0, i, conflict->place, &sides[0]));
      RDX_TRY(rdx_leaf_value(b, 1, i, conflict->place, &sides[1]));
      RDX_TRY(rdx_bind_call_of(p, "=", sides, 2, conflict->place, &equal));
      RDX_TRY(rdx_conjuncts_add(p, on, equal));
    }
  return RDX_OK;
}

/* The rows that are to be inserted, called excluded, each with the row of the target that has its key. */
static rdx_status join_target(rdx_block *b, rdx_leaf excluded, rdx_leaf target, const rdx_sql_conflict *conflict) {
  rdx_group *left = NULL, *right = NULL;
  rdx_conjuncts on = {0};
  RDX_TRY(rdx_planner_alloc(b->planner, 1, sizeof *left, &left));
  RDX_TRY(rdx_planner_alloc(b->planner, 1, sizeof *right, &right));
  excluded.alias = "excluded";
  RDX_TRY(rdx_block_add_relation(b, excluded, conflict->place, left));
  RDX_TRY(rdx_block_add_relation(b, target, conflict->place, right));
  RDX_TRY(match_key(b, conflict, &on));
  return rdx_block_left_join(b, left, right, on);
}

/* Whether a row has one in the target. */
static rdx_status bind_matched(rdx_block *b, rdx_bound **out) {
  const rdx_sql_type type = {.kind = RDX_SQL_BIGINT};
  RDX_TRY(rdx_bind_column(b->planner, rdx_leaf_column(1, b->leaves[1].column_count), type, 0, out));
  return rdx_bind_call_of(b->planner, "is not null", out, 1, 0, out);
}

/* The columns of the row that is to be there: of SET, else as they are, where there is a row; else what is inserted. */
static rdx_status bind_merged(rdx_block *b, rdx_bound *matched, rdx_bound **values) {
  rdx_planner *p = b->planner;
  for (uint32_t i = 0; i < b->leaves[1].named; i++) {
    rdx_bound *args[3] = {matched, values[i], NULL};
    if (!args[1])
      RDX_TRY(rdx_leaf_value(b, 1, i, 0, &args[1]));
    RDX_TRY(rdx_leaf_value(b, 0, i, 0, &args[2]));
    RDX_TRY(rdx_bind_call_of(p, "case", args, 3, 0, &values[i]));
    RDX_TRY(rdx_block_add_output(b, b->leaves[1].names[i], values[i]));
  }
  for (uint32_t i = 0; i < b->leaves[1].named; i++) {
    rdx_bound *value = NULL;
    RDX_TRY(rdx_leaf_value(b, 0, i, 0, &value));
    RDX_TRY(rdx_block_add_output(b, b->leaves[1].names[i], value));
  }
  return RDX_OK;
}

/* Whether a row changes anything: without WHERE it does. */
static rdx_status bind_acts(rdx_block *b, rdx_bound *matched, const rdx_ast *where) {
  rdx_planner *p = b->planner;
  rdx_bound *args[3] = {matched, NULL, NULL};
  RDX_TRY(rdx_bind_constant(&p->binding, (rdx_sql_type){.kind = RDX_SQL_BOOL}, (rdx_datum){.i = 1}, 0, &args[2]));
  args[1] = args[2];
  if (where)
    RDX_TRY(rdx_bind_condition(b, where, "WHERE", &args[1]));
  RDX_TRY(rdx_bind_call_of(p, "case", args, 3, 0, &args[0]));
  return rdx_block_add_output(b, "acts", args[0]);
}

static rdx_status bind_upsert(rdx_block *b, const rdx_sql_conflict *conflict, rdx_leaf excluded, rdx_leaf target) {
  rdx_planner *p = b->planner;
  rdx_bound **values = NULL, *matched = NULL;
  if (!target.table)
    return rdx_conflict_fail(conflict, p->text, target.alias, p->err);
  RDX_TRY(join_target(b, excluded, target, conflict));
  RDX_TRY(bind_matched(b, &matched));
  const rdx_guard guard = {.call = "case", .args = &matched, .count = 1, .outside = b->guard};
  b->guard = &guard;
  RDX_TRY(bind_set(b, 1, conflict->update, &values));
  RDX_TRY(bind_merged(b, matched, values));
  RDX_TRY(bind_acts(b, matched, conflict->where));
  b->guard = guard.outside;
  b->leaves[0].alias = NULL; /* RETURNING is of the target */
  b->leaves[1].values = values;
  change_of(b)->table = target.table;
  change_of(b)->values = 2 * target.named + 1;
  change_of(b)->merges = true;
  return RDX_OK;
}

/* ---- INSERT ---- */

static rdx_status bind_inserted(rdx_block *b, const rdx_sql_statement *s) {
  rdx_planner *p = b->planner;
  rdx_bound_query *query = NULL;
  rdx_plan_node *plan = NULL;
  rdx_leaf target = {0}, leaf = {0};
  rdx_sql_query *written = s->query;
  RDX_TRY(rdx_bind_relation(&(rdx_block){.planner = p}, s->target, &target)); /* no query of WITH */
  if (written->kind == RDX_QUERY_VALUES)
    RDX_TRY(typed_values(p, s, &target, &written));
  RDX_TRY(rdx_bind_query(p, NULL, b->ctes, written, &query));
  RDX_TRY(rdx_build_query(p, query, &plan));
  RDX_TRY(rdx_leaf_of_plan(p, plan, target.alias, &leaf));
  RDX_TRY(name_values(p, s, &target, &leaf));
  if (s->conflict && s->conflict->update)
    return bind_upsert(b, s->conflict, leaf, target);
  RDX_TRY(rdx_block_add_relation(b, leaf, s->target->place, &b->from));
  for (uint32_t i = 0; i < plan->column_count; i++) {
    rdx_bound *value = NULL;
    RDX_TRY(rdx_bind_column(p, rdx_leaf_column(0, i), plan->columns[i].type, 0, &value));
    RDX_TRY(rdx_block_add_output(b, plan->columns[i].name, value));
  }
  change_of(b)->values = plan->column_count;
  return RDX_OK;
}

/* ---- All of them ---- */

static rdx_status add_numbers(rdx_block *b) {
  for (uint32_t i = 0; i < b->leaf_count; i++) {
    const uint32_t column = rdx_leaf_column(i, b->leaves[i].column_count);
    rdx_bound *number = NULL;
    if (!b->leaves[i].numbered)
      continue;
    RDX_TRY(rdx_bind_column(b->planner, column, (rdx_sql_type){.kind = RDX_SQL_BIGINT}, 0, &number));
    RDX_TRY(rdx_block_add_output(b, "row", number));
    change_of(b)->numbers++;
  }
  return RDX_OK;
}

rdx_status rdx_bind_change(rdx_planner *p, const rdx_sql_statement *s, rdx_bound_query **out) {
  rdx_block *b = NULL;
  rdx_bound_query *q = NULL;
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof *q, &q));
  RDX_TRY(rdx_planner_alloc(p, 1, sizeof *b, &b));
  *b = (rdx_block){.planner = p, .numbers = true};
  *q = (rdx_bound_query){.written = s->query, .block = b};
  if (s->with)
    RDX_TRY(rdx_bind_ctes(p, NULL, s->with, &b->ctes));
  RDX_TRY(s->kind == RDX_STATEMENT_INSERT  ? bind_inserted(b, s)
          : s->kind == RDX_STATEMENT_MERGE ? rdx_bind_merge(b, s)
                                           : bind_changed(b, s));
  const uint32_t before = b->output_count;
  RDX_TRY(rdx_bind_targets(b, s->returning, s->returning_count, "RETURNING"));
  change_of(b)->returned = b->output_count - before;
  RDX_TRY(add_numbers(b));
  b->visible = b->output_count;
  RDX_TRY(rdx_query_list_columns(p, q));
  *out = q;
  return RDX_OK;
}
