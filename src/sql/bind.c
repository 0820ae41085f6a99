/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Conditions whose columns have types, as predicates. A literal that a column cannot represent becomes another
 * comparison that is true, false and unknown for the same values: x < 2.5 is x <= 2, x < 1000 of an i8 is x <= 127. */

#include <math.h>
#include <string.h>

#include "column/column.h"
#include "sql/condition.h"
#include "table/value.h"

typedef struct binder {
  rdx_condition *condition;
  const rdx_column *columns;
  const uint32_t *numbers; /* NULL: as they are */
} binder;

static uint32_t number_of(const binder *b, uint32_t column) {
  return b->numbers ? b->numbers[column] : column;
}

/* ---- Values of a column's type ---- */

static rdx_status alloc(binder *b, uint64_t count, size_t size, void **out, rdx_error *err) {
  RDX_TRY(rdx_arena_alloc(&b->condition->bound, count, size, "a condition", out, err));
  memset(*out, 0, count * size);
  return RDX_OK;
}

static rdx_status make_values(binder *b, const rdx_column *column, uint64_t count, rdx_column *out, rdx_error *err) {
  const size_t size = rdx_type_size(column->type);
  *out = (rdx_column){.type = column->type, .scale = column->scale, .rows = count};
  void *values = NULL, *validity = NULL;
  RDX_TRY(alloc(b, count, size ? size : 1, &values, err));
  RDX_TRY(alloc(b, count / 8 + 1, 1, &validity, err));
  out->values = values;
  out->validity = validity;
  return RDX_OK;
}

/* Store value i of a column of make_values(), which was NULL until then. */
static void set_value(const rdx_column *values, uint64_t i, const void *value) {
  const size_t size = rdx_type_size(values->type);
  memcpy((char *)(uintptr_t)values->values + i * size, value, size);
  ((uint8_t *)(uintptr_t)values->validity)[i / 8] |= (uint8_t)(1u << i % 8);
}

static void set_units(const rdx_column *values, uint64_t i, rdx_i128 units) {
  const uint64_t low = (uint64_t)units; /* little endian: the low bytes */
  set_value(values, i, &low);
}

/* ---- Comparisons ---- */

/* The comparison with the floor of a literal that is above it that says the same; = and <> with the least and the most
 * of all values. */
static rdx_predicate_kind compare_floor(rdx_predicate_kind kind) {
  switch (kind) {
  case RDX_PREDICATE_LT:
  case RDX_PREDICATE_NE:
    return RDX_PREDICATE_LE;
  case RDX_PREDICATE_GE:
    return RDX_PREDICATE_GT;
  case RDX_PREDICATE_EQ:
    return RDX_PREDICATE_LT;
  default:
    return kind;
  }
}

/* The comparison with the literal's floor that says the same; beyond the type's limits, with a limit. */
static rdx_predicate_kind compare_units(rdx_predicate_kind kind, const rdx_column *column, rdx_units *units) {
  rdx_i128 min, max;
  rdx_type_limits(column->type, &min, &max);
  const bool high = units->floor > max, low = units->floor < min;
  if (high || low) {
    const bool below = kind == RDX_PREDICATE_LT || kind == RDX_PREDICATE_LE;
    const bool always = kind == RDX_PREDICATE_NE || (kind != RDX_PREDICATE_EQ && below == high);
    units->floor = always ? max : min;
    return always ? RDX_PREDICATE_LE : RDX_PREDICATE_LT;
  }
  if (units->exact)
    return kind;
  if (kind == RDX_PREDICATE_EQ || kind == RDX_PREDICATE_NE)
    units->floor = kind == RDX_PREDICATE_EQ ? min : max;
  return compare_floor(kind);
}

static rdx_status bind_string(binder *b, const rdx_literal *literals, uint64_t count, const rdx_column *column,
                              const char *name, rdx_column *out, rdx_error *err) {
  uint64_t *offsets = NULL, total = 0;
  char *bytes = NULL;
  RDX_TRY(make_values(b, column, count, out, err));
  RDX_TRY(alloc(b, count + 1, sizeof *offsets, (void **)&offsets, err));
  for (uint64_t i = 0; i < count; i++) {
    const char *text = "";
    if (literals[i].kind != RDX_LITERAL_NULL) {
      RDX_TRY(rdx_literal_string(&literals[i], column, name, &text, err));
      ((uint8_t *)(uintptr_t)out->validity)[i / 8] |= (uint8_t)(1u << i % 8);
    }
    total += strlen(text);
    offsets[i + 1] = total;
  }
  RDX_TRY(alloc(b, total, 1, (void **)&bytes, err));
  for (uint64_t i = 0; i < count; i++)
    if (literals[i].kind != RDX_LITERAL_NULL)
      memcpy(bytes + offsets[i], literals[i].text, offsets[i + 1] - offsets[i]);
  out->offsets = offsets;
  out->values = bytes;
  return RDX_OK;
}

/* Literals that no float equals drop out of a list. */
static rdx_status bind_floats(binder *b, const rdx_literal *literals, uint64_t count, const rdx_column *column,
                              const char *name, rdx_column *out, rdx_error *err) {
  const rdx_column wide = {.type = RDX_TYPE_F64};
  uint64_t kept = 0;
  RDX_TRY(make_values(b, &wide, count, out, err));
  for (uint64_t i = 0; i < count; i++) {
    double value = 0;
    bool exact = true;
    if (literals[i].kind == RDX_LITERAL_NULL) {
      kept++;
      continue;
    }
    RDX_TRY(rdx_literal_float(&literals[i], column, name, &value, &exact, err));
    if (exact)
      set_value(out, kept++, &value);
  }
  out->rows = kept;
  return RDX_OK;
}

static rdx_status bind_float(binder *b, rdx_predicate_kind kind, const rdx_literal *literal, const rdx_column *column,
                             const char *name, rdx_predicate *out, rdx_error *err) {
  const rdx_column wide = {.type = RDX_TYPE_F64};
  RDX_TRY(make_values(b, &wide, 1, &out->values, err));
  if (literal->kind == RDX_LITERAL_NULL)
    return RDX_OK;
  double floor = 0;
  bool exact = true;
  RDX_TRY(rdx_literal_float(literal, column, name, &floor, &exact, err));
  if (!exact && (kind == RDX_PREDICATE_EQ || kind == RDX_PREDICATE_NE))
    floor = kind == RDX_PREDICATE_EQ ? -INFINITY : (double)NAN; /* the least and the most */
  out->kind = exact ? kind : compare_floor(kind);
  set_value(&out->values, 0, &floor);
  return RDX_OK;
}

static rdx_status bind_comparison(binder *b, const rdx_sql_node *node, rdx_predicate_kind kind,
                                  const rdx_literal *literal, rdx_predicate *out, rdx_error *err) {
  const rdx_column *column = &b->columns[node->column];
  const char *name = b->condition->names[node->column];
  *out = (rdx_predicate){.kind = kind, .column = number_of(b, node->column)};
  if (column->type == RDX_TYPE_STRING)
    return bind_string(b, literal, 1, column, name, &out->values, err);
  if (rdx_type_is_float(column->type))
    return bind_float(b, kind, literal, column, name, out, err);
  RDX_TRY(make_values(b, column, 1, &out->values, err));
  if (literal->kind == RDX_LITERAL_NULL)
    return RDX_OK;
  rdx_units units;
  RDX_TRY(rdx_literal_units(literal, column, name, &units, err));
  out->kind = compare_units(kind, column, &units);
  set_units(&out->values, 0, units.floor);
  return RDX_OK;
}

static rdx_status bind_between(binder *b, const rdx_sql_node *node, rdx_predicate *out, rdx_error *err) {
  rdx_predicate *sides = NULL;
  RDX_TRY(alloc(b, 2, sizeof *sides, (void **)&sides, err));
  RDX_TRY(bind_comparison(b, node, RDX_PREDICATE_GE, &node->literals[0], &sides[0], err));
  RDX_TRY(bind_comparison(b, node, RDX_PREDICATE_LE, &node->literals[1], &sides[1], err));
  *out = (rdx_predicate){.kind = RDX_PREDICATE_AND, .children = sides, .child_count = 2};
  return RDX_OK;
}

/* Literals that the column cannot equal drop out of a list; one that has no others left is like x = 2.5. */
static rdx_status bind_list(binder *b, const rdx_sql_node *node, rdx_predicate *out, rdx_error *err) {
  const rdx_column *column = &b->columns[node->column];
  const char *name = b->condition->names[node->column];
  *out = (rdx_predicate){.kind = RDX_PREDICATE_IN, .column = number_of(b, node->column)};
  if (column->type == RDX_TYPE_STRING)
    return bind_string(b, node->literals, node->count, column, name, &out->values, err);
  if (rdx_type_is_float(column->type)) {
    RDX_TRY(bind_floats(b, node->literals, node->count, column, name, &out->values, err));
    return out->values.rows > 0 ? RDX_OK : bind_comparison(b, node, RDX_PREDICATE_EQ, &node->literals[0], out, err);
  }
  rdx_i128 min, max;
  uint64_t kept = 0;
  rdx_type_limits(column->type, &min, &max);
  RDX_TRY(make_values(b, column, node->count, &out->values, err));
  for (uint32_t i = 0; i < node->count; i++) {
    rdx_units units;
    if (node->literals[i].kind == RDX_LITERAL_NULL) {
      kept++;
      continue;
    }
    RDX_TRY(rdx_literal_units(&node->literals[i], column, name, &units, err));
    if (units.exact && units.floor >= min && units.floor <= max)
      set_units(&out->values, kept++, units.floor);
  }
  out->values.rows = kept;
  return kept > 0 ? RDX_OK : bind_comparison(b, node, RDX_PREDICATE_EQ, &node->literals[0], out, err);
}

/* ---- Trees; the parser has bounded their depth ---- */

static rdx_status bind(binder *b, const rdx_sql_node *node, rdx_predicate *out, rdx_error *err) {
  switch (node->kind) {
  case RDX_PREDICATE_BETWEEN:
    return bind_between(b, node, out, err);
  case RDX_PREDICATE_IN:
    return bind_list(b, node, out, err);
  case RDX_PREDICATE_IS_NULL:
  case RDX_PREDICATE_IS_NOT_NULL:
    *out = (rdx_predicate){.kind = node->kind, .column = number_of(b, node->column)};
    return RDX_OK;
  case RDX_PREDICATE_TRUE:
  case RDX_PREDICATE_AND:
  case RDX_PREDICATE_OR:
  case RDX_PREDICATE_NOT:
    break;
  default:
    return bind_comparison(b, node, node->kind, &node->literals[0], out, err);
  }
  rdx_predicate *children = NULL;
  RDX_TRY(alloc(b, node->count, sizeof *children, (void **)&children, err));
  for (uint32_t i = 0; i < node->count; i++)
    RDX_TRY(bind(b, &node->children[i], &children[i], err));
  *out = (rdx_predicate){.kind = node->kind, .children = children, .child_count = node->count};
  return RDX_OK;
}

static bool has_value(const rdx_sql_node *node, uint32_t column) {
  for (uint32_t i = 0; i < node->count; i++) {
    rdx_look look;
    if (node->children && has_value(&node->children[i], column))
      return true;
    if (!node->literals || node->column != column || node->literals[i].kind != RDX_LITERAL_UNTYPED)
      continue;
    rdx_look_at(node->literals[i].text, strlen(node->literals[i].text), false, &look);
    if (!(look.traits & (1u << RDX_TRAIT_TEXT | 1u << RDX_TRAIT_BOOL)))
      return true;
  }
  return false;
}

bool rdx_condition_has_values(const rdx_condition *condition, uint32_t index) {
  return index < rdx_condition_columns(condition) && has_value(&condition->root, index);
}

rdx_status rdx_condition_bind(rdx_condition *condition, const rdx_column *columns, const uint32_t *numbers,
                              const rdx_predicate **out, rdx_error *err) {
  if (!condition || !out || (!columns && condition->name_count > 0))
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_condition_bind: condition, columns and out must not be NULL");
  for (uint32_t i = 0; i < condition->name_count; i++)
    if (columns[i].type <= RDX_TYPE_NONE || columns[i].type > RDX_TYPE_STRING)
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "column '%s' has no known type", condition->names[i]);
  rdx_arena_free(&condition->bound);
  binder b = {condition, columns, numbers};
  RDX_TRY(bind(&b, &condition->root, &condition->predicate, err));
  *out = &condition->predicate;
  return RDX_OK;
}

rdx_status rdx_condition_bind_table(rdx_condition *condition, const rdx_table *table, rdx_column *columns,
                                    const rdx_predicate **out, rdx_error *err) {
  if (!condition || !table || !columns || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT,
                    "rdx_condition_bind_table: condition, table, columns and out must not be NULL");
  if (condition->name_count == 0 && rdx_table_columns(table) > 0)
    columns[0] = *rdx_table_column(table, 0);
  for (uint32_t i = 0; i < condition->name_count; i++) {
    const rdx_column *found = NULL;
    RDX_TRY(rdx_table_find(table, condition->names[i], &found, err));
    columns[i] = *found;
  }
  return rdx_condition_bind(condition, columns, NULL, out, err);
}

rdx_status rdx_condition_bind_relation(rdx_condition *condition, const rdx_relation *relation,
                                       const rdx_predicate **out, rdx_error *err) {
  if (!condition || !relation || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT,
                    "rdx_condition_bind_relation: condition, relation and out must not be NULL");
  RDX_SCOPED(rdx_free_local) uint32_t *numbers = NULL;
  RDX_SCOPED(rdx_free_local) rdx_column *columns = NULL;
  RDX_TRY(rdx_alloc(condition->name_count, sizeof *columns, "a condition", (void **)&columns, err));
  RDX_TRY(rdx_alloc(condition->name_count, sizeof *numbers, "a condition", (void **)&numbers, err));
  for (uint32_t i = 0; i < condition->name_count; i++) {
    RDX_TRY(rdx_relation_find(relation, condition->names[i], &numbers[i], err));
    columns[i] = relation->attributes[numbers[i]].column;
  }
  return rdx_condition_bind(condition, columns, numbers, out, err);
}
