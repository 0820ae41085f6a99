/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "predicates.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

__extension__ typedef __int128 i128;

/* ---- Random predicates ---- */

static bool is_integer(rdx_type type) {
  return (type >= RDX_TYPE_I8 && type <= RDX_TYPE_U64) || type == RDX_TYPE_DECIMAL;
}

static bool is_float(rdx_type type) {
  return type == RDX_TYPE_F32 || type == RDX_TYPE_F64;
}

/* Literals for a column: as a rule of its type and near its values, now and then of another type that goes with it. */
static test_column make_literals(const test_column *column, uint64_t count) {
  static const rdx_type integers[] = {RDX_TYPE_I8,  RDX_TYPE_I16, RDX_TYPE_I64,    RDX_TYPE_U8,
                                      RDX_TYPE_U32, RDX_TYPE_U64, RDX_TYPE_DECIMAL};
  static const test_shape shapes[] = {SHAPE_FEW, SHAPE_EXTREMES, SHAPE_RANDOM, SHAPE_SKEWED};
  const rdx_type type = column->view.type;
  const test_nulls nulls = test_random() % 8 == 0 ? SOME_NULLS : NO_NULLS;
  if (test_random() % 4 == 0 && (is_integer(type) || is_float(type))) {
    const rdx_type other =
        is_float(type) ? (test_random() % 2 ? RDX_TYPE_F32 : RDX_TYPE_F64) : integers[test_random() % COUNT(integers)];
    return column_make(other, shapes[test_random() % COUNT(shapes)], nulls, count);
  }
  return column_probes(column, count, nulls);
}

static void make_leaf(const rdx_column *columns, uint32_t count, tree *made, uint32_t at) {
  rdx_predicate *p = &made->nodes[at];
  p->kind = RDX_PREDICATE_EQ + (rdx_predicate_kind)(test_random() % 10);
  p->column = (uint32_t)(test_random() % count);
  if (p->kind >= RDX_PREDICATE_IS_NULL)
    return;
  uint64_t literals = p->kind == RDX_PREDICATE_BETWEEN ? 2 : 1;
  if (p->kind == RDX_PREDICATE_IN)
    literals = test_random() % (test_random() % 4 == 0 ? 100 : 6);
  made->literals[at] = make_literals(&(test_column){columns[p->column]}, literals);
  p->values = made->literals[at].view;
}

static void make_node(const rdx_column *columns, uint32_t count, tree *made, uint32_t at, uint32_t depth) {
  rdx_predicate *p = &made->nodes[at];
  *p = (rdx_predicate){0};
  const uint32_t kind = (uint32_t)(test_random() % 16);
  if (kind == 0 && test_random() % 4 == 0)
    return; /* TRUE */
  if (depth == 0 || kind < 6 || made->count + 5 > TREE_NODES) {
    make_leaf(columns, count, made, at);
    return;
  }
  p->kind = kind < 11 ? RDX_PREDICATE_AND : kind < 14 ? RDX_PREDICATE_OR : RDX_PREDICATE_NOT;
  p->child_count = p->kind == RDX_PREDICATE_NOT ? 1 : (uint32_t)(test_random() % 5);
  const uint32_t first = made->count;
  made->count += p->child_count;
  p->children = &made->nodes[first];
  for (uint32_t i = 0; i < p->child_count; i++)
    make_node(columns, count, made, first + i, depth - 1);
}

void tree_make(const rdx_column *columns, uint32_t count, tree *made) {
  memset(made, 0, sizeof *made);
  made->count = 1;
  make_node(columns, count, made, 0, (uint32_t)(test_random() % 5));
}

void tree_free(tree *made) {
  for (uint32_t i = 0; i < made->count; i++)
    column_free(&made->literals[i]);
}

/* ---- The reference ---- */

typedef enum truth { IS_FALSE, UNKNOWN, IS_TRUE } truth;

static i128 scaled(const rdx_column *c, uint64_t i) {
  i128 value = 0;
  switch (c->type) {
  case RDX_TYPE_I8:
    value = ((const int8_t *)c->values)[i];
    break;
  case RDX_TYPE_I16:
    value = ((const int16_t *)c->values)[i];
    break;
  case RDX_TYPE_I32:
    value = ((const int32_t *)c->values)[i];
    break;
  case RDX_TYPE_U8:
    value = ((const uint8_t *)c->values)[i];
    break;
  case RDX_TYPE_U16:
    value = ((const uint16_t *)c->values)[i];
    break;
  case RDX_TYPE_U32:
    value = ((const uint32_t *)c->values)[i];
    break;
  case RDX_TYPE_U64:
    value = ((const uint64_t *)c->values)[i];
    break;
  default:
    value = ((const int64_t *)c->values)[i];
    break;
  }
  for (uint32_t digits = c->scale; digits < 18; digits++)
    value *= 10;
  return value;
}

static int compare(const rdx_column *column, uint64_t row, const rdx_column *values, uint64_t i) {
  if (!is_integer(column->type))
    return column_compare(column, row, values, i);
  const i128 x = scaled(column, row), y = scaled(values, i);
  return (x > y) - (x < y);
}

static truth truth_of(bool value) {
  return value ? IS_TRUE : IS_FALSE;
}

static truth test_comparison(rdx_predicate_kind kind, const rdx_column *column, uint64_t row, const rdx_column *values,
                             uint64_t i) {
  if (!column_has(column, row) || !column_has(values, i))
    return UNKNOWN;
  const int order = compare(column, row, values, i);
  switch (kind) {
  case RDX_PREDICATE_EQ:
    return truth_of(order == 0);
  case RDX_PREDICATE_NE:
    return truth_of(order != 0);
  case RDX_PREDICATE_LT:
    return truth_of(order < 0);
  case RDX_PREDICATE_LE:
    return truth_of(order <= 0);
  case RDX_PREDICATE_GT:
    return truth_of(order > 0);
  default:
    return truth_of(order >= 0);
  }
}

static truth min(truth a, truth b) {
  return a < b ? a : b;
}

static truth max(truth a, truth b) {
  return a > b ? a : b;
}

static truth evaluate(const rdx_column *columns, const uint64_t *rows, const rdx_predicate *p) {
  const rdx_column *column = &columns[p->column], *values = &p->values;
  const uint64_t row = p->kind >= RDX_PREDICATE_EQ ? rows[p->column] : 0;
  truth result = p->kind == RDX_PREDICATE_AND ? IS_TRUE : IS_FALSE;
  switch (p->kind) {
  case RDX_PREDICATE_TRUE:
    return IS_TRUE;
  case RDX_PREDICATE_NOT:
    return (truth)(IS_TRUE - evaluate(columns, rows, p->children));
  case RDX_PREDICATE_AND:
    for (uint32_t i = 0; i < p->child_count; i++)
      result = min(result, evaluate(columns, rows, &p->children[i]));
    return result;
  case RDX_PREDICATE_OR:
    for (uint32_t i = 0; i < p->child_count; i++)
      result = max(result, evaluate(columns, rows, &p->children[i]));
    return result;
  case RDX_PREDICATE_IN:
    for (uint64_t i = 0; i < values->rows; i++)
      result = max(result, test_comparison(RDX_PREDICATE_EQ, column, row, values, i));
    return result;
  case RDX_PREDICATE_BETWEEN:
    return min(test_comparison(RDX_PREDICATE_GE, column, row, values, 0),
               test_comparison(RDX_PREDICATE_LE, column, row, values, 1));
  case RDX_PREDICATE_IS_NULL:
    return truth_of(!column_has(column, row));
  case RDX_PREDICATE_IS_NOT_NULL:
    return truth_of(column_has(column, row));
  default:
    return test_comparison(p->kind, column, row, values, 0);
  }
}

bool predicate_holds(const rdx_column *columns, const uint64_t *rows, const rdx_predicate *predicate) {
  return evaluate(columns, rows, predicate) == IS_TRUE;
}

void predicate_print(const rdx_predicate *p, int depth) {
  printf("%*skind %d column %u literals %llu of type %s\n", 2 * depth, "", (int)p->kind, p->column,
         (unsigned long long)p->values.rows, rdx_type_name(p->values.type));
  for (uint32_t i = 0; i < p->child_count; i++)
    predicate_print(&p->children[i], depth + 1);
}
