/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* What tables declare of their columns beside types: lengths of texts, digits of numerics, NOT NULL and DEFAULT. The
 * text is part of the table, and of its file; DEFAULT is evaluated by each statement that needs it. */

#include "base/numbers.h"
#include "database/change.h"
#include "table/table.h"

/* `rows` rows of what a column is declared with as its DEFAULT; without one NULL. */
typedef struct default_rows {
  const rdx_statement *statement;
  rdx_arena *arena;
  const rdx_ast *value;
  rdx_sql_type type;
  uint64_t rows;
  rdx_vector *out;
} default_rows;

static rdx_status evaluate(void *context, rdx_error *err) {
  const default_rows *r = context;
  const rdx_prepared *p = r->statement->prepared;
  rdx_binding binding = {.arena = r->arena, .text = p->text, .now = p->plan ? p->plan->now : 0, .err = err};
  const rdx_evaluation e = {.pool = r->statement->database->pool, .rows = r->rows, .text = p->text};
  const rdx_sql_place place = r->value ? r->value->place : 0;
  rdx_bound *bound = NULL;
  RDX_TRY(r->value ? rdx_bind_alone(&binding, r->value, &bound)
                   : rdx_bind_constant(&binding, r->type, (rdx_datum){.null = true}, 0, &bound));
  RDX_TRY(rdx_bind_cast(&binding, bound, r->type, true, place, &bound));
  return rdx_evaluate(&e, bound, r->out, err);
}

/* On a stack that is deep enough. */
static rdx_status evaluate_default(default_rows *r, uint32_t levels, rdx_error *err) {
  return levels > RDX_SQL_SHALLOW_LEVELS ? rdx_run_deep(evaluate, r, err) : evaluate(r, err);
}

rdx_status rdx_declared_default(const rdx_statement *s, rdx_arena *arena, const char *declaration, rdx_sql_type type,
                                uint64_t rows, rdx_vector *out, rdx_error *err) {
  rdx_sql_column declared;
  RDX_TRY(rdx_sql_parse_declaration(declaration, arena, &declared, err));
  return evaluate_default(&(default_rows){s, arena, declared.value, type, rows, out}, declared.levels, err);
}

rdx_status rdx_declare(const rdx_statement *s, rdx_arena *arena, const rdx_sql_column *column, const rdx_field *field,
                       const char **out, rdx_vector *value, rdx_error *err) {
  const rdx_column like = {.type = field->type, .scale = field->scale};
  rdx_sql_column again;
  RDX_TRY(rdx_sql_declare(column, arena, out, err));
  const rdx_status status = rdx_sql_parse_declaration(*out, arena, &again, err);
  if (status == RDX_ERROR_FORMAT)
    return rdx_sql_error(err, status, s->prepared->text, column->value->place, NULL,
                         "DEFAULT needs parentheses around such an expression");
  RDX_TRY(status);
  return evaluate_default(&(default_rows){s, arena, column->value, rdx_sql_type_of_column(&like), 1, value},
                          again.levels, err);
}

rdx_status rdx_declared_list(const rdx_catalog_table *table, rdx_arena *arena, rdx_sql_column **out, rdx_error *err) {
  RDX_TRY(rdx_arena_alloc(arena, table->column_count, sizeof **out, "a declaration", (void **)out, err));
  for (uint32_t i = 0; i < table->column_count; i++)
    RDX_TRY(rdx_sql_parse_declaration(table->columns[i].declaration, arena, &(*out)[i], err));
  return RDX_OK;
}

static bool has_null(const rdx_column *c) {
  for (uint64_t i = 0; c->validity && i < c->rows; i++)
    if (!(c->validity[i / 8] >> i % 8 & 1))
      return true;
  return false;
}

/* The first row with more characters than `max`; the number of rows: there is none. */
static uint64_t find_longer(const rdx_column *c, uint64_t max) {
  uint64_t row = 0;
  for (; row < c->rows; row++) {
    uint64_t bytes = 0, characters = 0;
    if (c->validity && !(c->validity[row / 8] >> row % 8 & 1))
      continue;
    const char *text = rdx_column_string(c, row, &bytes);
    for (uint64_t i = 0; i < bytes && bytes > max; i++)
      characters += ((unsigned char)text[i] & 0xc0) != 0x80;
    if (characters > max)
      break;
  }
  return row;
}

/* The same of one with more digits. */
static uint64_t find_larger(const rdx_column *c, uint32_t digits) {
  const int64_t *values = c->values, limit = (int64_t)rdx_power_of_ten(digits);
  uint64_t row = 0;
  while (row < c->rows &&
         ((values[row] < limit && values[row] > -limit) || (c->validity && !(c->validity[row / 8] >> row % 8 & 1))))
    row++;
  return row;
}

static rdx_status check_digits(const rdx_statement *s, const rdx_sql_column *declared, const char *table,
                               const rdx_table *rows, uint32_t i, rdx_error *err) {
  const char *title = NULL;
  const int32_t digits = rdx_sql_column_limit(declared, &title);
  const rdx_column *c = rdx_table_column(rows, i);
  if (digits == 0 || c->type != RDX_TYPE_DECIMAL || find_larger(c, (uint32_t)digits) == c->rows)
    return RDX_OK;
  return rdx_change_fail(s, err, RDX_ERROR_OVERFLOW,
                         "numeric field overflow: column \"%.100s\" of relation \"%.100s\" is numeric(%d,%u)",
                         rdx_table_column_name(rows, i), table, (int)digits, (unsigned)c->scale);
}

static rdx_status check_length(const rdx_statement *s, const rdx_sql_column *declared, const char *table,
                               const rdx_table *rows, uint32_t i, rdx_error *err) {
  const char *title = NULL;
  const int32_t max = rdx_sql_column_limit(declared, &title);
  const rdx_column *c = rdx_table_column(rows, i);
  if (max == 0 || c->type != RDX_TYPE_STRING || find_longer(c, (uint64_t)max) == c->rows)
    return RDX_OK;
  return rdx_change_fail(s, err, RDX_ERROR_ARGUMENT,
                         "value too long for type %s(%d): column \"%.100s\" of relation \"%.100s\"", title, (int)max,
                         rdx_table_column_name(rows, i), table);
}

static rdx_status check_column(const rdx_statement *s, const char *table, const rdx_table *rows, uint32_t i,
                               rdx_arena *arena, rdx_error *err) {
  const char *name = rdx_table_column_name(rows, i);
  rdx_sql_column declared;
  RDX_TRY(rdx_sql_parse_declaration(rdx_table_column_declaration(rows, i), arena, &declared, err));
  RDX_TRY(check_length(s, &declared, table, rows, i, err));
  RDX_TRY(check_digits(s, &declared, table, rows, i, err));
  if (!declared.not_null || !has_null(rdx_table_column(rows, i)))
    return RDX_OK;
  return s->prepared->runs->kind == RDX_STATEMENT_ALTER_TABLE
             ? rdx_change_fail(s, err, RDX_ERROR_ARGUMENT,
                               "column \"%.100s\" of relation \"%.100s\" contains null values", name, table)
             : rdx_change_fail(s, err, RDX_ERROR_ARGUMENT,
                               "null value in column \"%.100s\" of relation \"%.100s\" violates not-null constraint",
                               name, table);
}

rdx_status rdx_declared_check(const rdx_statement *s, const char *table, const rdx_table *rows, rdx_error *err) {
  RDX_SCOPED(rdx_arena_free) rdx_arena arena = {0};
  for (uint32_t i = 0; i < rdx_table_columns(rows); i++)
    RDX_TRY(check_column(s, table, rows, i, &arena, err));
  return RDX_OK;
}
