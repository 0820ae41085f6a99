/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* GENERATED ALWAYS AS (value) STORED: the text is part of the table, and of its file. What a plan makes of rows has
 * these values already (plan/generated.c); here the others get them. */

#include "database/generated.h"

#define WHAT "a generated column"
#define CLAUSE "column generation expressions"

rdx_status rdx_generated_resolve(rdx_sql_column *column, const rdx_row_columns *row, const char *from, const char *to,
                                 rdx_arena *arena, rdx_error *err) {
  rdx_constraints of = {.count = 1};
  RDX_TRY(rdx_arena_alloc(arena, 1, sizeof *of.list, WHAT, (void **)&of.list, err));
  *of.list = *column->generated;
  column->generated = of.list;
  return rdx_constraints_rename(&of, row, from, to, arena, err);
}

/* ---- What is defined ---- */

typedef struct defining {
  const rdx_statement *statement;
  const rdx_sql_constraint *generated;
  const rdx_row_columns *row;
  rdx_sql_type type;
  rdx_arena *arena;
  rdx_bound *value;
} defining;

static rdx_status bind_value(defining *d, rdx_error *err) {
  rdx_binding binding = {.arena = d->arena, .text = d->statement->prepared->text, .err = err};
  const rdx_sql_place place = d->generated->place > 0 ? d->generated->check->place : 0;
  RDX_TRY(rdx_bind_row(&binding, d->row, d->generated->check, CLAUSE, false, &d->value));
  if (binding.now != 0)
    return rdx_sql_error(err, RDX_ERROR_ARGUMENT, binding.text, place, "DEFAULT may read the time",
                         "generation expression is not immutable");
  return rdx_bind_cast(&binding, d->value, d->type, true, place, &d->value);
}

static rdx_status bind_deep(void *context, rdx_error *err) {
  return bind_value(context, err);
}

static rdx_status is_generated(const char *declaration, rdx_arena *arena, bool *out, rdx_error *err) {
  rdx_sql_column declared;
  RDX_TRY(rdx_sql_parse_declaration(declaration, arena, &declared, err));
  *out = declared.generated;
  return RDX_OK;
}

/* None of the columns that are read is generated. */
static rdx_status check_reads(const defining *d, const rdx_table *table, rdx_error *err) {
  bool *reads = NULL, other = false;
  RDX_TRY(rdx_constraint_reads(d->generated, d->row, d->arena, &reads, err));
  for (uint32_t i = 0; i < d->row->count; i++) {
    RDX_TRY(reads[i] ? is_generated(rdx_table_column_declaration(table, i), d->arena, &other, err) : RDX_OK);
    if (reads[i] && other)
      return rdx_sql_error(err, RDX_ERROR_ARGUMENT, d->statement->prepared->text, d->generated->check->place,
                           "a generated column cannot reference another generated column",
                           "cannot use generated column \"%.100s\" in column generation expression", d->row->names[i]);
  }
  return RDX_OK;
}

rdx_status rdx_generated_define(const rdx_statement *s, const rdx_sql_column *column, const char *name,
                                const rdx_table *table, uint32_t index, rdx_error *err) {
  RDX_SCOPED(rdx_arena_free) rdx_arena arena = {0};
  rdx_row_columns row;
  RDX_TRY(rdx_constraints_row(&arena, name, table, &row, err));
  defining d = {.statement = s, .generated = column->generated, .row = &row, .type = row.types[index], .arena = &arena};
  RDX_TRY(check_reads(&d, table, err));
  return d.generated->levels > RDX_SQL_SHALLOW_LEVELS ? rdx_run_deep(bind_deep, &d, err) : bind_value(&d, err);
}

/* ---- Values ---- */

typedef struct filling {
  defining bound;
  rdx_table *table;
  uint32_t column;
} filling;

static rdx_status fill(void *context, rdx_error *err) {
  filling *f = context;
  const rdx_statement *s = f->bound.statement;
  const uint32_t count = f->bound.row->count;
  RDX_SCOPED(rdx_vector_destroy) rdx_vector values = {0};
  rdx_input *inputs = NULL;
  RDX_TRY(bind_value(&f->bound, err));
  RDX_TRY(rdx_arena_alloc(f->bound.arena, count, sizeof *inputs, WHAT, (void **)&inputs, err));
  for (uint32_t i = 0; i < count; i++)
    inputs[i] = (rdx_input){*rdx_table_column(f->table, i), NULL};
  const rdx_evaluation e = {
      .pool = s->database->pool, .inputs = inputs, .rows = rdx_table_rows(f->table), .text = s->prepared->text};
  RDX_TRY(rdx_evaluate(&e, f->bound.value, &values, err));
  return rdx_change_set_column(f->table, f->column, &values.column, err);
}

rdx_status rdx_generated_fill(const rdx_statement *s, const char *name, rdx_table *table, const bool *which,
                              rdx_error *err) {
  RDX_SCOPED(rdx_arena_free) rdx_arena arena = {0};
  rdx_row_columns row;
  RDX_TRY(rdx_constraints_row(&arena, name, table, &row, err));
  for (uint32_t i = 0; i < row.count; i++) {
    rdx_sql_column declared;
    if (which && !which[i])
      continue;
    RDX_TRY(rdx_sql_parse_declaration(rdx_table_column_declaration(table, i), &arena, &declared, err));
    filling f = {{s, declared.generated, &row, row.types[i], &arena, NULL}, table, i};
    if (declared.generated)
      RDX_TRY(declared.levels > RDX_SQL_SHALLOW_LEVELS ? rdx_run_deep(fill, &f, err) : fill(&f, err));
  }
  return RDX_OK;
}
