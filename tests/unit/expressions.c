/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "expressions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct binder {
  rdx_binding b;
  const test_inputs *inputs;
  test_expression *expression;
} binder;

static rdx_status bind(binder *t, const rdx_ast *ast, rdx_bound **out);

static rdx_status bind_column(binder *t, const rdx_ast *ast, rdx_bound **out) {
  for (uint32_t i = 0; i < t->inputs->count; i++) {
    if (strcmp(t->inputs->names[i], ast->name) != 0)
      continue;
    RDX_TRY(rdx_arena_alloc(t->b.arena, 1, sizeof **out, "a column", (void **)out, t->b.err));
    **out = (rdx_bound){.kind = RDX_BOUND_COLUMN,
                        .type = rdx_sql_type_of_column(&t->inputs->inputs[i].column),
                        .place = ast->place,
                        .index = i};
    return RDX_OK;
  }
  return rdx_fail(t->b.err, RDX_ERROR_NOT_FOUND, "there is no column %s", ast->name);
}

/* A constant as a parameter of its value. */
static rdx_status hide(binder *t, rdx_bound **value) {
  test_expression *e = t->expression;
  if (!t->inputs->unfolded || (*value)->kind != RDX_BOUND_CONSTANT || (*value)->type.kind == RDX_SQL_UNKNOWN ||
      e->parameter_count == RDX_COUNT(e->parameters))
    return RDX_OK;
  rdx_bound *hidden = NULL;
  RDX_TRY(rdx_arena_alloc(t->b.arena, 1, sizeof *hidden, "a parameter", (void **)&hidden, t->b.err));
  e->parameters[e->parameter_count] = (*value)->value;
  *hidden = (rdx_bound){
      .kind = RDX_BOUND_PARAMETER, .type = (*value)->type, .place = (*value)->place, .index = e->parameter_count++};
  *value = hidden;
  return RDX_OK;
}

static rdx_status bind_args(binder *t, const rdx_ast *ast, rdx_bound ***out) {
  RDX_TRY(rdx_arena_alloc(t->b.arena, ast->count, sizeof **out, "arguments", (void **)out, t->b.err));
  for (uint32_t i = 0; i < ast->count; i++)
    RDX_TRY(bind(t, ast->args[i], &(*out)[i]));
  return RDX_OK;
}

static rdx_status bind(binder *t, const rdx_ast *ast, rdx_bound **out) {
  rdx_bound **args = NULL;
  switch (ast->kind) {
  case RDX_AST_COLUMN:
    return bind_column(t, ast, out);
  case RDX_AST_CAST:
    RDX_TRY(bind(t, ast->args[0], out));
    RDX_TRY(rdx_bind_written_cast(&t->b, ast, *out, out));
    return hide(t, out);
  case RDX_AST_CALL:
    RDX_TRY(bind_args(t, ast, &args));
    return rdx_bind_call(&t->b, ast->name, args, ast->count, ast->place, out);
  default:
    RDX_TRY(rdx_bind_literal(&t->b, ast, out));
    return hide(t, out);
  }
}

rdx_status bind_expression(const test_inputs *inputs, const char *text, test_expression *out, rdx_error *err) {
  const size_t size = strlen(text) + 8;
  rdx_sql_statement *statement = NULL;
  const char *next = NULL;
  *out = (test_expression){.text = malloc(size)};
  if (!out->text)
    return rdx_fail(err, RDX_ERROR_MEMORY, "no memory");
  snprintf(out->text, size, "SELECT %s", text);
  RDX_TRY(rdx_sql_parse(out->text, &out->arena, &statement, &next, err));
  binder t = {.b = {.arena = &out->arena, .text = out->text, .err = err}, .inputs = inputs, .expression = out};
  return bind(&t, statement->query->targets[0].value, &out->bound);
}

void drop_expression(test_expression *expression) {
  rdx_arena_free(&expression->arena);
  free(expression->text);
  *expression = (test_expression){0};
}

rdx_status evaluate_text(const test_inputs *inputs, const char *text, rdx_vector *out, rdx_error *err) {
  test_expression expression;
  *out = (rdx_vector){0};
  rdx_status status = bind_expression(inputs, text, &expression, err);
  const rdx_evaluation e = {.pool = inputs->pool,
                            .inputs = inputs->inputs,
                            .parameters = expression.parameters,
                            .rows = inputs->rows,
                            .text = expression.text};
  if (status == RDX_OK)
    status = rdx_evaluate(&e, expression.bound, out, err);
  drop_expression(&expression);
  return status;
}

const char *text_of_row(const rdx_column *column, uint64_t row, char *to, size_t capacity) {
  if (column->validity && !(column->validity[row / 8] >> (row % 8) & 1)) {
    snprintf(to, capacity, "NULL");
  } else if (column->type == RDX_TYPE_STRING) {
    uint64_t length = 0;
    const char *text = rdx_column_string(column, row, &length);
    snprintf(to, capacity, "%.*s", (int)length, text);
  } else {
    char text[RDX_VALUE_TEXT];
    snprintf(to, capacity, "%.*s", (int)rdx_column_format(column, row, text), text);
  }
  return to;
}
