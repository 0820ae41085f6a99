/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The values of $1, $2, ...: kept as they were given, and fitted to the types that the plan has for them. */

#include <string.h>

#include "column/column.h"
#include "database/internal.h"
#include "expression/evaluate.h"
#include "expression/types.h"

static void free_parameter(rdx_parameter *parameter) {
  rdx_arena_free(&parameter->arena);
}

rdx_status rdx_parameters_create(rdx_statement *s, rdx_error *err) {
  const uint32_t count = s->prepared->statement->parameters;
  RDX_TRY(rdx_calloc(count, sizeof *s->given, "a statement", (void **)&s->given, err));
  RDX_TRY(rdx_calloc(count, sizeof *s->parameters, "a statement", (void **)&s->parameters, err));
  for (uint32_t i = 0; i < count; i++)
    s->parameters[i].null = true;
  return RDX_OK;
}

void rdx_parameters_free(rdx_statement *s) {
  for (uint32_t i = 0; s->given && i < s->prepared->statement->parameters; i++)
    free_parameter(&s->given[i]);
  RDX_FREE_ALL(s->given, s->parameters);
}

/* Whether an integer or a date is all that a number or a time said. */
static rdx_status keeps(rdx_binding *b, const rdx_bound *given, rdx_bound *fitted, bool *out) {
  const bool shortens = (rdx_is_integer(fitted->type) && rdx_is_number(given->type)) ||
                        (fitted->type.kind == RDX_SQL_DATE && given->type.kind == RDX_SQL_TIMESTAMP);
  rdx_bound *back = NULL;
  *out = !shortens || given->value.null;
  if (*out)
    return RDX_OK;
  RDX_TRY(rdx_bind_value(b, fitted, given->type, true, &back, out));
  if (rdx_class_of(given->type) == RDX_CLASS_F64)
    *out = *out && back->value.f == given->value.f;
  else if (rdx_class_of(given->type) == RDX_CLASS_WIDE)
    *out = *out && back->value.wide == given->value.wide;
  else
    *out = *out && back->value.i == given->value.i;
  return RDX_OK;
}

/* What the plan takes a value of this number as, where it fits. What it does not keep does not, without a cast. */
static rdx_status fit(const rdx_statement *s, uint32_t number, rdx_parameter *given, rdx_datum *out, rdx_error *err) {
  const rdx_prepared *p = s->prepared;
  rdx_binding binding = {.arena = &given->arena, .text = p->text, .err = err};
  rdx_bound *fitted = given->value;
  bool fits = true;
  given->fits = false;
  given->type = p->parameter_types[number - 1];
  given->rounds = p->parameter_rounds[number - 1];
  if (given->type.kind != RDX_SQL_UNKNOWN)
    RDX_TRY(rdx_bind_value(&binding, given->value, given->type, given->rounds, &fitted, &fits));
  if (fits && !given->rounds)
    RDX_TRY(keeps(&binding, given->value, fitted, &fits));
  given->fits = fits;
  *out = fitted->value;
  return RDX_OK;
}

static rdx_status no_fit(const rdx_statement *s, uint32_t number, rdx_error *err) {
  char name[32];
  return rdx_fail(err, RDX_ERROR_ARGUMENT,
                  "the value of $%u does not fit its type, %s: a cast in the statement may "
                  "give it another",
                  number, rdx_sql_type_text(s->prepared->parameter_types[number - 1], name));
}

/* Row 0 of a column, in an arena of its own. */
static rdx_status copy_value(const rdx_statement *s, const rdx_column *column, rdx_parameter *out, rdx_error *err) {
  rdx_binding binding = {.arena = &out->arena, .text = s->prepared->text, .err = err};
  rdx_datum datum;
  rdx_column_datum(column, 0, &datum);
  if (column->type == RDX_TYPE_STRING && !datum.null) {
    char *copy = NULL;
    RDX_TRY(rdx_arena_alloc(&out->arena, datum.text.length, 1, "a parameter", (void **)&copy, err));
    if (datum.text.length > 0)
      memcpy(copy, datum.text.data, datum.text.length);
    datum.text.data = copy;
  }
  return rdx_bind_constant(&binding, rdx_sql_type_of_column(column), datum, 0, &out->value);
}

uint32_t rdx_statement_parameters(const rdx_statement *statement) {
  return statement ? statement->prepared->statement->parameters : 0;
}

rdx_status rdx_statement_bind(rdx_statement *s, uint32_t number, const rdx_column *value, rdx_error *err) {
  if (!s || !value)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_statement_bind: statement and value must not be NULL");
  if (number < 1 || number > s->prepared->statement->parameters || value->rows < 1 || value->device)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_statement_bind: there is no parameter %u, or no value in host memory",
                    number);
  rdx_column first = *value;
  first.rows = 1;
  RDX_TRY(rdx_column_check(&first, "the value of a parameter", err));
  RDX_SCOPED(free_parameter) rdx_parameter given = {0};
  rdx_datum fitted;
  RDX_TRY(copy_value(s, &first, &given, err));
  RDX_TRY(fit(s, number, &given, &fitted, err));
  if (!given.fits) { /* it may fit tables that were replaced since */
    RDX_TRY(rdx_statement_renew(s, err));
    RDX_TRY(fit(s, number, &given, &fitted, err));
  }
  if (!given.fits)
    return no_fit(s, number, err);
  const rdx_parameter before = s->given[number - 1];
  s->given[number - 1] = given;
  s->parameters[number - 1] = fitted;
  given = before;
  return RDX_OK;
}

rdx_status rdx_parameters_fit(rdx_statement *s, rdx_error *err) {
  const rdx_prepared *p = s->prepared;
  for (uint32_t i = 0; i < p->statement->parameters; i++) {
    rdx_parameter *given = &s->given[i];
    if (!given->value)
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "parameter $%u has no value: rdx_statement_bind() gives it one", i + 1);
    if (given->fits && rdx_same_type(given->type, p->parameter_types[i]) && given->rounds == p->parameter_rounds[i])
      continue;
    RDX_TRY(fit(s, i + 1, given, &s->parameters[i], err));
    if (!given->fits)
      return no_fit(s, i + 1, err);
  }
  return RDX_OK;
}
