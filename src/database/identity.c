/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* GENERATED ... AS IDENTITY, and serial: the next number is part of the table, and of its file, so that it is written
 * with the rows that have those before it. What a plan makes of rows has numbers already (plan/change.c). */

#include "database/identity.h"

#include <stdio.h>
#include <string.h>

#include "table/table.h"

#define WHAT "numbers"

/* ---- What is declared ---- */

/* Of a type that can number rows; else 0. */
static uint32_t bits_of(rdx_type type) {
  return type == RDX_TYPE_I16 ? 16 : type == RDX_TYPE_I32 ? 32 : type == RDX_TYPE_I64 ? 64 : 0;
}

static rdx_status refuse_number(const rdx_statement *s, const rdx_sql_identity *d, const char *what, rdx_i128 number,
                                const char *why, rdx_error *err) {
  char text[44];
  return rdx_sql_error(err, RDX_ERROR_RANGE, s->prepared->text, d->place, NULL, "%s (%s) %s", what,
                       rdx_sql_number_text(number, text), why);
}

static rdx_status check_within(const rdx_statement *s, const rdx_sql_identity *d, const char *what, rdx_i128 number,
                               const rdx_sql_numbers *own, rdx_error *err) {
  const bool low = number < own->min;
  char why[80], text[44];
  if (!low && number <= own->max)
    return RDX_OK;
  snprintf(why, sizeof why, "cannot be %s (%s)", low ? "less than MINVALUE" : "greater than MAXVALUE",
           rdx_sql_number_text(low ? own->min : own->max, text));
  return refuse_number(s, d, what, number, why, err);
}

rdx_status rdx_identity_check(const rdx_statement *s, const rdx_sql_identity *d, rdx_type type, rdx_error *err) {
  const uint32_t bits = bits_of(type);
  char why[80], text[44];
  if (bits == 0)
    return rdx_sql_error(err, RDX_ERROR_ARGUMENT, s->prepared->text, d->place, NULL,
                         "identity column type must be smallint, integer, or bigint");
  const rdx_sql_numbers own = rdx_sql_numbers_of(d, bits);
  const rdx_i128 limit = (rdx_i128)1 << (bits - 1), last = d->next - d->increment;
  snprintf(why, sizeof why, "is out of range for sequence data type %s",
           bits == 16   ? "smallint"
           : bits == 32 ? "integer"
                        : "bigint");
  if (own.max >= limit || own.max < -limit)
    return refuse_number(s, d, "MAXVALUE", own.max, why, err);
  if (own.min >= limit || own.min < -limit)
    return refuse_number(s, d, "MINVALUE", own.min, why, err);
  snprintf(why, sizeof why, "must be less than MAXVALUE (%s)", rdx_sql_number_text(own.max, text));
  if (own.min >= own.max)
    return refuse_number(s, d, "MINVALUE", own.min, why, err);
  RDX_TRY(check_within(s, d, "START value", d->start, &own, err));
  /* Behind the last number the next one is beyond it. */
  const bool used_up = last >= own.min && last <= own.max;
  return check_within(s, d, "RESTART value", used_up ? last : d->next, &own, err);
}

rdx_status rdx_identity_list(const rdx_table *table, rdx_arena *arena, const rdx_sql_identity ***out, rdx_error *err) {
  const uint32_t count = rdx_table_columns(table);
  RDX_TRY(rdx_arena_alloc(arena, count, sizeof **out, WHAT, (void **)out, err));
  for (uint32_t i = 0; i < count; i++) {
    rdx_sql_column declared;
    RDX_TRY(rdx_sql_parse_declaration(rdx_table_column_declaration(table, i), arena, &declared, err));
    (*out)[i] = declared.identity;
  }
  return RDX_OK;
}

/* ---- Rows ---- */

rdx_status rdx_identity_note(rdx_statement *s, uint32_t columns, uint32_t column, uint64_t rows, rdx_error *err) {
  if (!s->numbered)
    RDX_TRY(rdx_calloc(columns, sizeof *s->numbered, WHAT, (void **)&s->numbered, err));
  s->numbered[column] = rows;
  return RDX_OK;
}

/* `to` has the column's values. */
static rdx_status put_numbers(const rdx_sql_identity *identity, const rdx_column *to, const bool *wanted, bool *fits,
                              rdx_error *err) {
  const size_t size = rdx_type_size(to->type);
  const rdx_sql_numbers numbers = rdx_sql_numbers_of(identity, bits_of(to->type));
  *fits = true;
  for (uint64_t i = 0; i < to->rows && *fits; i++) {
    int64_t bits = 0;
    const bool is = rdx_sql_number(&numbers, i, &bits);
    RDX_TRY(rdx_loop_goes_on(i, to->rows, "number", err));
    if (wanted && !wanted[i])
      continue;
    *fits = is;
    memcpy((char *)(uintptr_t)to->values + i * size, &bits, size); /* little-endian: the low bytes */
    if (to->validity)
      ((uint8_t *)(uintptr_t)to->validity)[i / 8] |= (uint8_t)(1u << i % 8);
  }
  return RDX_OK;
}

rdx_status rdx_identity_fill(rdx_statement *s, const char *name, rdx_table *table, uint32_t column, const bool *wanted,
                             rdx_error *err) {
  const rdx_column *old = rdx_table_column(table, column);
  const uint64_t bytes = old->rows * rdx_type_size(old->type), bitmap = (old->rows + 7) / 8;
  RDX_SCOPED(rdx_arena_free) rdx_arena arena = {0};
  RDX_SCOPED(rdx_free_local) void *values = NULL;
  RDX_SCOPED(rdx_free_local) uint8_t *validity = NULL;
  rdx_sql_column declared;
  bool fits = true;
  char type[32];
  RDX_TRY(rdx_sql_parse_declaration(rdx_table_column_declaration(table, column), &arena, &declared, err));
  RDX_TRY(rdx_alloc(bytes + 1, 1, WHAT, &values, err));
  memcpy(values, old->values, bytes);
  if (old->validity) {
    RDX_TRY(rdx_alloc(bitmap + 1, 1, WHAT, (void **)&validity, err));
    memcpy(validity, old->validity, bitmap);
  }
  const rdx_column made = {.type = old->type, .rows = old->rows, .values = values, .validity = validity};
  RDX_TRY(put_numbers(declared.identity, &made, wanted, &fits, err));
  const rdx_sql_statement *runs = s->prepared->runs;
  if (!fits)
    return rdx_sql_no_more_numbers(
        s->prepared->text, runs->kind == RDX_STATEMENT_INSERT ? runs->query->place : runs->place,
        rdx_sql_type_text(rdx_sql_type_of_column(old), type), rdx_table_column_name(table, column), name, err);
  RDX_TRY(rdx_change_set_column(table, column, &made, err));
  return rdx_identity_note(s, rdx_table_columns(table), column, old->rows, err);
}

/* ---- The table ---- */

static rdx_status declare(rdx_table *table, uint32_t column, const rdx_sql_identity *identity, rdx_arena *arena,
                          rdx_error *err) {
  char **to = &table->columns[column].declaration, *text = NULL;
  const char *declaration = NULL;
  rdx_sql_column declared;
  RDX_TRY(rdx_sql_parse_declaration(*to, arena, &declared, err));
  declared.identity = identity;
  RDX_TRY(rdx_sql_declare(&declared, arena, &declaration, err));
  RDX_TRY(rdx_copy_text(declaration, WHAT, &text, err));
  rdx_free(*to);
  *to = text;
  return RDX_OK;
}

/* The next number behind those of so many rows: where there is none one that the column does not have. */
static rdx_i128 number_behind(const rdx_sql_identity *d, rdx_type type, uint64_t rows) {
  const rdx_sql_numbers numbers = rdx_sql_numbers_of(d, bits_of(type));
  int64_t number = 0;
  if (rdx_sql_number(&numbers, rows, &number))
    return number;
  const rdx_i128 limit = (rdx_i128)1 << (bits_of(type) - 1), next = d->next + (rdx_i128)d->increment * (rdx_i128)rows;
  return next >= limit ? limit : next < -limit ? -limit - 1 : next;
}

rdx_status rdx_identity_advance(const rdx_statement *s, rdx_table *table, rdx_error *err) {
  RDX_SCOPED(rdx_arena_free) rdx_arena arena = {0};
  const bool restarts = s->prepared->runs->restarts;
  const rdx_sql_identity **list = NULL;
  if (!restarts && !s->numbered)
    return RDX_OK;
  RDX_TRY(rdx_identity_list(table, &arena, &list, err));
  for (uint32_t i = 0; i < rdx_table_columns(table); i++) {
    if (!list[i] || (!restarts && s->numbered[i] == 0))
      continue;
    rdx_sql_identity next = *list[i];
    next.next = restarts ? next.start : number_behind(&next, rdx_table_column(table, i)->type, s->numbered[i]);
    RDX_TRY(declare(table, i, &next, &arena, err));
  }
  return RDX_OK;
}
