/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Tables that are views of others, put one after the other, or in other types. */

#include <string.h>

#include "database/change.h"
#include "table/table.h"

#define WHAT "a table"

/* Name and declare a column as one of another table. */
static rdx_status describe_like(rdx_growing *column, const rdx_table *table, uint32_t index, rdx_error *err) {
  return rdx_growing_describe(column, rdx_table_column_name(table, index), rdx_table_column_declaration(table, index),
                              err);
}

rdx_status rdx_change_view_columns(const rdx_catalog_table *table, const uint32_t *columns, uint32_t count,
                                   rdx_table **out, rdx_error *err) {
  RDX_SCOPED(rdx_table_destroy) rdx_table *view = NULL;
  RDX_TRY(rdx_table_create(count, &view, err));
  view->rows = table->rows;
  for (uint32_t i = 0; i < count; i++) {
    const rdx_catalog_column *c = &table->columns[columns ? columns[i] : i];
    view->columns[i].view = c->column;
    RDX_TRY(rdx_growing_describe(&view->columns[i], c->name, c->declaration, err));
  }
  RDX_TRY(rdx_table_constrain(view, table->constraints, err));
  *out = RDX_KEEP(view);
  return RDX_OK;
}

rdx_status rdx_change_view(const rdx_catalog_table *table, rdx_table **out, rdx_error *err) {
  return rdx_change_view_columns(table, NULL, table->column_count, out, err);
}

static bool is_valid(const rdx_column *c, uint64_t row) {
  return !c->validity || (c->validity[row / 8] >> row % 8 & 1);
}

/* Row `row` of `from` becomes row `at` of a column that has room for it. */
static rdx_status append_value(rdx_growing *to, uint64_t at, const rdx_column *from, uint64_t row, rdx_error *err) {
  const size_t size = rdx_type_size(from->type);
  uint64_t length;
  if (!is_valid(from, row))
    return rdx_growing_add_null(to, at, err);
  if (size > 0) {
    memcpy((char *)to->values + at * size, (const char *)from->values + row * size, size);
    return RDX_OK;
  }
  const char *text = rdx_column_string(from, row, &length);
  return rdx_growing_add_string(to, at, text, length, err);
}

/* Append the rows of `from` to a column that has `rows` of them. */
static rdx_status append_column(rdx_growing *to, uint64_t rows, const rdx_column *from, rdx_error *err) {
  RDX_TRY(rdx_growing_reserve(to, rows + from->rows, err));
  for (uint64_t i = 0; i < from->rows; i++) {
    RDX_TRY(rdx_loop_goes_on(i, from->rows, "copy", err));
    RDX_TRY(append_value(to, rows + i, from, i, err));
  }
  return RDX_OK;
}

static rdx_status copy_column(rdx_growing *to, const rdx_column *from, rdx_error *err) {
  RDX_TRY(rdx_growing_start(to, from->type, from->scale, from->rows, err));
  return append_column(to, 0, from, err);
}

static rdx_status concatenate(const rdx_table *first, const rdx_table *second, rdx_table *out, rdx_error *err) {
  for (uint32_t i = 0; i < out->column_count; i++) {
    const rdx_column *a = rdx_table_column(first, i), *b = rdx_table_column(second, i);
    RDX_TRY(describe_like(&out->columns[i], first, i, err));
    RDX_TRY(rdx_growing_start(&out->columns[i], a->type, a->scale, a->rows + b->rows, err));
    RDX_TRY(append_column(&out->columns[i], 0, a, err));
    RDX_TRY(append_column(&out->columns[i], a->rows, b, err));
  }
  rdx_table_finish(out, rdx_table_rows(first) + rdx_table_rows(second));
  return RDX_OK;
}

rdx_status rdx_change_concatenate(const rdx_table *first, const rdx_table *second, rdx_table **out, rdx_error *err) {
  RDX_SCOPED(rdx_table_destroy) rdx_table *made = NULL;
  RDX_TRY(rdx_table_create(rdx_table_columns(first), &made, err));
  RDX_TRY(concatenate(first, second, made, err));
  RDX_TRY(rdx_table_constrain(made, rdx_table_constraints(first), err));
  *out = RDX_KEEP(made);
  return RDX_OK;
}

rdx_status rdx_change_set_column(rdx_table *table, uint32_t index, const rdx_column *values, rdx_error *err) {
  RDX_SCOPED(rdx_table_destroy) rdx_table *one = NULL;
  rdx_growing *column = &table->columns[index];
  RDX_TRY(rdx_table_create(1, &one, err));
  RDX_TRY(copy_column(one->columns, values, err));
  rdx_table_finish(one, values->rows);
  rdx_growing before = *column, *fresh = one->columns;
  fresh->name = before.name; /* they stay where they are: others hold them */
  fresh->declaration = before.declaration;
  before.name = before.declaration = NULL;
  *column = *fresh;
  *fresh = before;
  return RDX_OK;
}

/* ---- Merging ---- */

/* `added`: values of the rows that are chosen; NULL: they have the old ones, or go. */
static rdx_status merge_column(const rdx_merge *m, const rdx_column *old, const rdx_column *added, rdx_growing *to,
                               rdx_error *err) {
  uint64_t count = 0;
  RDX_TRY(rdx_growing_start(to, old->type, old->scale, m->rows, err));
  RDX_TRY(rdx_growing_reserve(to, m->rows, err));
  for (uint64_t i = 0; i < old->rows; i++) {
    const bool chosen = m->chosen[i] != RDX_NO_ROW;
    RDX_TRY(rdx_loop_goes_on(i, old->rows, "copy", err));
    if (chosen && !m->added)
      continue;
    RDX_TRY(chosen && added ? append_value(to, count++, added, m->chosen[i], err)
                            : append_value(to, count++, old, i, err));
  }
  return RDX_OK;
}

static const rdx_column *added_column(const rdx_merge *m, uint32_t i) {
  return m->added && m->from[i] != UINT32_MAX ? rdx_table_column(m->added, m->from[i]) : NULL;
}

static bool is_borrowed(const rdx_merge *m, uint32_t i) {
  return m->borrows && m->added && !added_column(m, i);
}

static rdx_status merge(const rdx_merge *m, rdx_table *out, rdx_error *err) {
  for (uint32_t i = 0; i < out->column_count; i++) {
    RDX_TRY(describe_like(&out->columns[i], m->old, i, err));
    if (!is_borrowed(m, i))
      RDX_TRY(merge_column(m, rdx_table_column(m->old, i), added_column(m, i), &out->columns[i], err));
  }
  rdx_table_finish(out, m->rows);
  for (uint32_t i = 0; i < out->column_count; i++)
    if (is_borrowed(m, i))
      out->columns[i].view = *rdx_table_column(m->old, i);
  return RDX_OK;
}

rdx_status rdx_change_merge(const rdx_merge *m, rdx_table **out, rdx_error *err) {
  RDX_SCOPED(rdx_table_destroy) rdx_table *made = NULL;
  RDX_TRY(rdx_table_create(rdx_table_columns(m->old), &made, err));
  RDX_TRY(merge(m, made, err));
  RDX_TRY(rdx_table_constrain(made, rdx_table_constraints(m->old), err));
  *out = RDX_KEEP(made);
  return RDX_OK;
}

/* ---- Other columns ---- */

static rdx_status fill_column(rdx_growing *to, uint64_t rows, const rdx_column *value, rdx_error *err) {
  RDX_TRY(rdx_growing_start(to, value->type, value->scale, rows, err));
  RDX_TRY(rdx_growing_reserve(to, rows, err));
  for (uint64_t i = 0; i < rows; i++) {
    RDX_TRY(rdx_loop_goes_on(i, rows, "fill", err));
    RDX_TRY(append_value(to, i, value, 0, err));
  }
  return RDX_OK;
}

static rdx_status make_columns(const rdx_table *old, const rdx_new_column *columns, bool borrows, rdx_table *out,
                               rdx_error *err) {
  const uint64_t rows = rdx_table_rows(old);
  for (uint32_t i = 0; i < out->column_count; i++) {
    const rdx_new_column *c = &columns[i];
    RDX_TRY(rdx_growing_describe(&out->columns[i], c->name, c->declaration, err));
    if (c->from == UINT32_MAX)
      RDX_TRY(fill_column(&out->columns[i], rows, &c->value.column, err));
    else if (!borrows)
      RDX_TRY(copy_column(&out->columns[i], rdx_table_column(old, c->from), err));
  }
  rdx_table_finish(out, rows);
  for (uint32_t i = 0; i < out->column_count; i++)
    if (borrows && columns[i].from != UINT32_MAX)
      out->columns[i].view = *rdx_table_column(old, columns[i].from);
  return RDX_OK;
}

rdx_status rdx_change_columns(const rdx_table *old, const rdx_new_columns *columns, bool borrows, rdx_table **out,
                              rdx_error *err) {
  RDX_SCOPED(rdx_table_destroy) rdx_table *made = NULL;
  RDX_TRY(rdx_table_create(columns->count, &made, err));
  RDX_TRY(make_columns(old, columns->list, borrows, made, err));
  RDX_TRY(rdx_table_constrain(made, columns->constraints, err));
  *out = RDX_KEEP(made);
  return RDX_OK;
}

/* ---- Conversion ---- */

/* The types of SQL have no i8 and no unsigned integers: their values are narrowed here. */
typedef struct range {
  rdx_i128 min, max;
} range;

static range range_of(rdx_type type) {
  switch (type) {
  case RDX_TYPE_I8:
    return (range){INT8_MIN, INT8_MAX};
  case RDX_TYPE_U8:
    return (range){0, UINT8_MAX};
  case RDX_TYPE_U16:
    return (range){0, UINT16_MAX};
  case RDX_TYPE_U32:
    return (range){0, UINT32_MAX};
  default:
    return (range){0, UINT64_MAX};
  }
}

static rdx_status narrow(const rdx_column *from, rdx_type type, const char *name, rdx_growing *to, rdx_error *err) {
  const range allowed = range_of(type);
  const size_t size = rdx_type_size(type);
  for (uint64_t i = 0; i < from->rows; i++) {
    RDX_TRY(rdx_loop_goes_on(i, from->rows, "copy", err));
    rdx_datum value;
    rdx_column_datum(from, i, &value);
    if (value.null) {
      RDX_TRY(rdx_growing_add_null(to, i, err));
      continue;
    }
    const bool wide = from->type == RDX_TYPE_U64;
    const rdx_i128 number = wide ? value.wide : value.i;
    if (number < allowed.min || number > allowed.max)
      return rdx_fail(err, RDX_ERROR_RANGE, "a value for column \"%.100s\" is beyond the range of %s", name,
                      rdx_type_name(type));
    const uint64_t bits = (uint64_t)number;
    memcpy((char *)to->values + i * size, &bits, size); /* little-endian: the low bytes */
  }
  return RDX_OK;
}

/* The SQL type that is cast to on the way to a column's type. */
static rdx_sql_type cast_type(const rdx_catalog_column *c) {
  const rdx_column like = {.type = c->type, .scale = c->scale};
  if (c->type == RDX_TYPE_U64) /* of 18 digits here; larger values come as they are, from u64 */
    return (rdx_sql_type){.kind = RDX_SQL_DECIMAL, .precision = 18};
  return rdx_sql_type_of_column(&like);
}

typedef struct conversion {
  const rdx_statement *statement;
  rdx_arena *arena;
  uint64_t rows;
  rdx_error *err;
} conversion;

static rdx_status cast_column(conversion *x, const rdx_column *from, rdx_sql_type type, rdx_vector *out) {
  const char *text = x->statement->prepared->text;
  rdx_binding binding = {.arena = x->arena, .text = text, .err = x->err};
  const rdx_input input = {*from, NULL};
  rdx_bound column = {.kind = RDX_BOUND_COLUMN, .type = rdx_sql_type_of_column(from)}, *cast = NULL;
  RDX_TRY(rdx_bind_cast(&binding, &column, type, true, 0, &cast));
  const rdx_evaluation e = {.pool = x->statement->database->pool, .inputs = &input, .rows = from->rows, .text = text};
  return rdx_evaluate(&e, cast, out, x->err);
}

static rdx_status convert_column(conversion *x, const rdx_catalog_column *c, const rdx_column *from, rdx_growing *to) {
  RDX_SCOPED(rdx_vector_destroy) rdx_vector cast = {0};
  RDX_TRY(rdx_growing_start(to, c->type, c->scale, x->rows, x->err));
  if (from && from->type == c->type && from->scale == c->scale)
    return append_column(to, 0, from, x->err);
  RDX_TRY(from ? cast_column(x, from, cast_type(c), &cast)
               : rdx_declared_default(x->statement, x->arena, c->declaration, cast_type(c), x->rows, &cast, x->err));
  return cast.column.type == c->type ? append_column(to, 0, &cast.column, x->err)
                                     : narrow(&cast.column, c->type, c->name, to, x->err);
}

rdx_status rdx_change_convert(const rdx_statement *s, const rdx_catalog_table *table, const rdx_table *rows,
                              const uint32_t *from, rdx_table **out, rdx_error *err) {
  RDX_SCOPED(rdx_arena_free) rdx_arena arena = {0};
  RDX_SCOPED(rdx_table_destroy) rdx_table *made = NULL;
  conversion x = {.statement = s, .arena = &arena, .rows = rdx_table_rows(rows), .err = err};
  RDX_TRY(rdx_table_create(table->column_count, &made, err));
  for (uint32_t i = 0; i < table->column_count; i++) {
    const rdx_catalog_column *c = &table->columns[i];
    RDX_TRY(rdx_growing_describe(&made->columns[i], c->name, c->declaration, err));
    RDX_TRY(convert_column(&x, c, from[i] == UINT32_MAX ? NULL : rdx_table_column(rows, from[i]), &made->columns[i]));
  }
  rdx_table_finish(made, x.rows);
  *out = RDX_KEEP(made);
  return RDX_OK;
}
