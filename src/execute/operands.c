/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Inputs of operators: expressions over frames as columns, and columns in the layout that a type asks for. */

#include <string.h>

#include "column/column.h"
#include "execute/operators.h"
#include "expression/calendar.h"

#define WHAT "a statement"

rdx_status rdx_operand_refresh(rdx_execution *x, rdx_operand *operand, rdx_error *err) {
  return rdx_frame_inputs(&operand->frame, x->arena, &operand->inputs, err);
}

rdx_status rdx_operand_run_in_place(rdx_execution *x, const rdx_plan_node *node, rdx_operand *out, rdx_error *err) {
  RDX_TRY(rdx_execute_node(x, node, &out->frame, err));
  return rdx_operand_refresh(x, out, err);
}

rdx_status rdx_operand_run(rdx_execution *x, const rdx_plan_node *node, rdx_operand *out, rdx_error *err) {
  RDX_TRY(rdx_execute_node(x, node, &out->frame, err));
  RDX_TRY(rdx_frame_bring(&out->frame, err));
  return rdx_operand_refresh(x, out, err);
}

rdx_status rdx_operand_bring(rdx_operand *operand, const rdx_bound *e, rdx_error *err) {
  for (uint32_t i = 0; e->kind == RDX_BOUND_CALL && i < e->count; i++)
    RDX_TRY(rdx_operand_bring(operand, e->args[i], err));
  /* values that an operand is made of have inputs only */
  if (e->kind != RDX_BOUND_COLUMN || !operand->frame.columns)
    return RDX_OK;
  RDX_TRY(rdx_frame_bring_column(&operand->frame, e->index, err));
  operand->inputs[e->index].rows = operand->frame.columns[e->index].input.rows;
  return RDX_OK;
}

void rdx_operand_drop(rdx_operand *operand) {
  rdx_frame_destroy(&operand->frame);
  operand->inputs = NULL;
}

void rdx_operands_drop(rdx_operand (*both)[2]) {
  rdx_operand_drop(&(*both)[0]);
  rdx_operand_drop(&(*both)[1]);
}

rdx_evaluation rdx_operand_evaluation(const rdx_execution *x, const rdx_operand *operand) {
  return (rdx_evaluation){.pool = x->pool,
                          .inputs = operand->inputs,
                          .parameters = x->parameters,
                          .rows = operand->frame.rows,
                          .text = x->text};
}

rdx_status rdx_operand_flat(rdx_execution *x, rdx_operand *operand, const rdx_bound *expression, rdx_vector *out,
                            rdx_error *err) {
  *out = (rdx_vector){0};
  RDX_TRY(rdx_operand_bring(operand, expression, err));
  if (expression->kind != RDX_BOUND_COLUMN) {
    const rdx_evaluation e = rdx_operand_evaluation(x, operand);
    return rdx_evaluate(&e, expression, out, err);
  }
  const rdx_input *input = &operand->inputs[expression->index];
  if (input->rows)
    return rdx_gather(x->pool, input, operand->frame.rows, false, out, err);
  out->column = input->column;
  return RDX_OK;
}

rdx_status rdx_operand_column(rdx_execution *x, rdx_operand *operand, const rdx_bound *expression, rdx_frame *out,
                              uint32_t index, rdx_error *err) {
  if (expression->kind == RDX_BOUND_COLUMN) {
    rdx_frame_share(&operand->frame.columns[expression->index], &out->columns[index]);
    return RDX_OK;
  }
  RDX_TRY(rdx_operand_bring(operand, expression, err));
  const rdx_evaluation e = rdx_operand_evaluation(x, operand);
  rdx_vector vector = {0};
  RDX_TRY(rdx_evaluate(&e, expression, &vector, err));
  return rdx_frame_take_from(out, index, &vector, &operand->frame, err);
}

/* ---- Layouts ---- */

rdx_status rdx_operand_cast(rdx_execution *x, rdx_operand *operand, uint32_t index, rdx_sql_type type, rdx_vector *out,
                            rdx_error *err) {
  rdx_bound column = {.kind = RDX_BOUND_COLUMN, .index = index}, *wanted = NULL;
  rdx_binding binding = {.arena = x->arena, .text = x->text, .err = err};
  column.type = rdx_sql_type_of_column(&operand->inputs[index].column);
  if (type.kind == RDX_SQL_INTERVAL) /* whose columns are text */
    type = column.type;
  RDX_TRY(rdx_operand_bring(operand, &column, err));
  RDX_TRY(rdx_bind_cast(&binding, &column, type, true, 0, &wanted));
  const rdx_evaluation e = rdx_operand_evaluation(x, operand);
  return rdx_evaluate(&e, wanted, out, err);
}

rdx_status rdx_operand_coded(rdx_execution *x, rdx_operand *operand, uint32_t index, rdx_vector *out, rdx_error *err) {
  const rdx_column *c = &operand->inputs[index].column;
  if (c->type == RDX_TYPE_STRING && !c->dictionary)
    return rdx_operand_cast(x, operand, index, rdx_sql_type_of_column(c), out, err);
  const rdx_bound column = {.kind = RDX_BOUND_COLUMN, .index = index, .type = rdx_sql_type_of_column(c)};
  return rdx_operand_flat(x, operand, &column, out, err);
}

static bool is_whole(const rdx_column *c) {
  return c->type == RDX_TYPE_DECIMAL && c->scale == 0;
}

/* Whether none of a column's integers is below 0. */
static rdx_status has_no_negative(const rdx_column *c, bool *out, rdx_error *err) {
  const int64_t *values = c->values;
  *out = true;
  for (uint64_t i = 0; i < c->rows && *out; i++) {
    RDX_TRY(rdx_loop_goes_on(i, c->rows, "compare", err));
    *out = values[i] >= 0 || !rdx_column_has(c, i);
  }
  return RDX_OK;
}

rdx_status rdx_make_unsigned(rdx_column *a, rdx_column *b, rdx_error *err) {
  rdx_column *whole = is_whole(a) ? a : b, *other = whole == a ? b : a;
  bool can = false;
  if (is_whole(whole) && other->type == RDX_TYPE_U64)
    RDX_TRY(has_no_negative(whole, &can, err));
  if (can)
    whole->type = RDX_TYPE_U64;
  return RDX_OK;
}

static bool conforms(const rdx_column *c, rdx_sql_type type) {
  const rdx_sql_type has = rdx_sql_type_of_column(c);
  if (type.kind == RDX_SQL_INTERVAL || type.kind == RDX_SQL_UNKNOWN)
    return has.kind == RDX_SQL_TEXT;
  return has.kind == type.kind && (type.kind != RDX_SQL_DECIMAL || has.scale == type.scale);
}

rdx_status rdx_frame_conform(rdx_execution *x, const rdx_plan_column *columns, rdx_frame *frame, rdx_error *err) {
  rdx_operand operand = {.frame = *frame};
  for (uint32_t i = 0; i < frame->count; i++) {
    if (conforms(&frame->columns[i].input.column, columns[i].type))
      continue;
    rdx_vector vector = {0};
    if (!operand.inputs)
      RDX_TRY(rdx_operand_refresh(x, &operand, err));
    RDX_TRY(rdx_operand_cast(x, &operand, i, columns[i].type, &vector, err));
    RDX_TRY(rdx_frame_take_from(frame, i, &vector, frame, err));
  }
  return RDX_OK;
}

rdx_status rdx_operand_filter(rdx_execution *x, rdx_operand *operand, const rdx_bound *filter, rdx_error *err) {
  return rdx_operand_filter_stretches(x, operand, filter, NULL, operand->frame.rows, err);
}

rdx_status rdx_operand_filter_stretches(rdx_execution *x, rdx_operand *operand, const rdx_bound *filter,
                                        const uint32_t *stretches, uint64_t rows, rdx_error *err) {
  RDX_TRY(rdx_operand_bring(operand, filter, err));
  rdx_evaluation e = rdx_operand_evaluation(x, operand);
  uint32_t *found = NULL;
  uint64_t count = 0;
  e.stretches = stretches;
  e.rows = rows;
  RDX_TRY(rdx_evaluate_filter(&e, filter, &found, &count, err));
  if (count == operand->frame.rows) {
    rdx_free(found);
    return RDX_OK;
  }
  RDX_TRY(rdx_frame_select(x->pool, &operand->frame, found, count, err));
  return rdx_operand_refresh(x, operand, err);
}

rdx_status rdx_operand_filter_all(rdx_execution *x, rdx_operand *operand, rdx_bound **parts, uint32_t count,
                                  rdx_error *err) {
  if (count == 0)
    return RDX_OK;
  const rdx_bound all = {.kind = RDX_BOUND_CALL,
                         .op = RDX_OP_AND,
                         .type = {.kind = RDX_SQL_BOOL},
                         .place = parts[0]->place,
                         .args = parts,
                         .count = count};
  return rdx_operand_filter(x, operand, count > 1 ? &all : parts[0], err);
}

/* ---- Parts of a filter ---- */

static bool is_and(const rdx_bound *e) {
  return rdx_is_call(e, RDX_OP_AND);
}

static uint32_t count_parts(const rdx_bound *e) {
  uint32_t count = is_and(e) ? 0 : 1;
  for (uint32_t i = 0; is_and(e) && i < e->count; i++)
    count += count_parts(e->args[i]);
  return count;
}

static void list_parts(const rdx_bound *e, rdx_bound **out, uint32_t *count) {
  for (uint32_t i = 0; is_and(e) && i < e->count; i++)
    list_parts(e->args[i], out, count);
  if (!is_and(e))
    out[(*count)++] = (rdx_bound *)(uintptr_t)e;
}

rdx_status rdx_filter_parts(rdx_execution *x, const rdx_bound *filter, rdx_bound ***parts, uint32_t *count,
                            rdx_error *err) {
  RDX_TRY(rdx_arena_alloc(x->arena, count_parts(filter), sizeof(rdx_bound *), WHAT, (void **)parts, err));
  *count = 0;
  list_parts(filter, *parts, count);
  return RDX_OK;
}

/* ---- Marks ---- */

/* 32 marks, of which the last may be of no row. */
static uint32_t marks_of(const uint32_t *marks, uint64_t word, uint64_t rows, bool wanted) {
  const uint32_t bits = wanted ? marks[word] : ~marks[word];
  const uint64_t left = rows - 32 * word;
  return left >= 32 ? bits : bits & ((1u << left) - 1);
}

rdx_status rdx_list_marked(const uint32_t *marks, uint64_t rows, bool wanted, uint32_t **out, uint64_t *count,
                           rdx_error *err) {
  const uint64_t words = (rows + 31) / 32;
  uint64_t n = 0;
  *count = 0;
  for (uint64_t i = 0; i < words; i++)
    *count += (uint64_t)__builtin_popcount(marks_of(marks, i, rows, wanted));
  RDX_TRY(rdx_progress_at_times("execute", 0, 0, err));
  RDX_TRY(rdx_alloc(*count, sizeof **out, WHAT, (void **)out, err));
  for (uint64_t i = 0; i < words; i++)
    for (uint32_t bits = marks_of(marks, i, rows, wanted); bits != 0; bits &= bits - 1)
      (*out)[n++] = (uint32_t)(32 * i) + (uint32_t)__builtin_ctz(bits);
  return RDX_OK;
}

/* ---- Values ---- */

static rdx_status keep_text(rdx_execution *x, rdx_datum *value, rdx_error *err) {
  char *copy = NULL;
  RDX_TRY(rdx_arena_alloc(x->arena, value->text.length, 1, WHAT, (void **)&copy, err));
  if (value->text.length > 0)
    memcpy(copy, value->text.data, value->text.length);
  value->text.data = copy;
  return RDX_OK;
}

static rdx_status read_interval(rdx_datum *value, rdx_error *err) {
  const rdx_sql_text text = value->text;
  return rdx_interval_parse(text.data, text.length, RDX_FIELD_SECOND, false, &value->interval)
             ? RDX_OK
             : rdx_fail(err, RDX_ERROR_INTERNAL, "an interval became '%.*s'", (int)text.length, text.data);
}

rdx_status rdx_frame_value(rdx_execution *x, const rdx_frame *frame, rdx_sql_type type, rdx_datum *out,
                           rdx_error *err) {
  const rdx_plan_column wanted = {.type = type};
  RDX_SCOPED(rdx_frame_destroy) rdx_frame copy = {0};
  RDX_TRY(rdx_frame_create(1, frame->rows, &copy, err));
  rdx_frame_share(&frame->columns[0], &copy.columns[0]);
  RDX_TRY(rdx_frame_bring(&copy, err));
  RDX_TRY(rdx_frame_conform(x, &wanted, &copy, err));
  const rdx_input *input = &copy.columns[0].input;
  const uint32_t row = input->rows ? input->rows[0] : 0;
  *out = (rdx_datum){.null = true};
  if (row != RDX_NO_ROW)
    rdx_column_datum(&input->column, row, out);
  if (!out->null && type.kind == RDX_SQL_DECIMAL && type.precision > 18 && input->column.type != RDX_TYPE_U64)
    out->wide = out->i;
  if (!out->null && (type.kind == RDX_SQL_TEXT || type.kind == RDX_SQL_UNKNOWN))
    RDX_TRY(keep_text(x, out, err));
  else if (!out->null && type.kind == RDX_SQL_INTERVAL)
    RDX_TRY(read_interval(out, err));
  return RDX_OK;
}
