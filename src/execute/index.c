/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Rows of a table found by an index: the filter's conditions on its columns become lookups. */

#include <string.h>

#include "column/column.h"
#include "execute/operators.h"
#include "execute/predicate.h"

#define WHAT "a lookup"

/* What the filter says of the column: values that it equals, or bounds, both inclusive. */
typedef struct bounds {
  rdx_column equal, lower, upper; /* type NONE: not given */
} bounds;

static bool goes_with(const rdx_column *values, const rdx_column *keys) {
  const bool integers = values->type >= RDX_TYPE_I8 && values->type <= RDX_TYPE_U64 && keys->type >= RDX_TYPE_I8 &&
                        keys->type <= RDX_TYPE_U64;
  return integers || (values->type == keys->type && values->scale == keys->scale);
}

/* One row of a column. */
static rdx_column row_of(const rdx_column *values, uint64_t row) {
  rdx_column one = *values;
  one.rows = 1;
  if (values->type == RDX_TYPE_STRING && !values->dictionary)
    one.offsets += row;
  else
    one.values =
        (const char *)values->values + row * (values->dictionary ? sizeof(uint32_t) : rdx_type_size(values->type));
  return one;
}

static void take_leaf(const rdx_predicate *p, const rdx_column *keys, bounds *out) {
  if (p->kind == RDX_PREDICATE_AND)
    for (uint32_t i = 0; i < p->child_count; i++)
      take_leaf(&p->children[i], keys, out);
  if (p->kind < RDX_PREDICATE_EQ || p->kind > RDX_PREDICATE_IN || !goes_with(&p->values, keys) || p->values.validity)
    return;
  switch (p->kind) {
  case RDX_PREDICATE_EQ:
  case RDX_PREDICATE_IN:
    out->equal = p->values;
    return;
  case RDX_PREDICATE_GT:
  case RDX_PREDICATE_GE:
    out->lower = p->values;
    return;
  case RDX_PREDICATE_LT:
  case RDX_PREDICATE_LE:
    out->upper = p->values;
    return;
  case RDX_PREDICATE_BETWEEN:
    out->lower = row_of(&p->values, 0);
    out->upper = row_of(&p->values, 1);
    return;
  default:
    return;
  }
}

/* The conditions of the filter that are on the index's column alone. */
static rdx_status find_bounds(rdx_execution *x, const rdx_translation *t, const rdx_bound *e, uint32_t column,
                              bounds *out, rdx_error *err) {
  bool found = false;
  rdx_predicate predicate;
  if (e->kind == RDX_BOUND_CALL && e->op == RDX_OP_AND) {
    for (uint32_t i = 0; i < e->count; i++)
      RDX_TRY(find_bounds(x, t, e->args[i], column, out, err));
    return RDX_OK;
  }
  RDX_TRY(rdx_predicate_of(t, e, &predicate, &found, err));
  if (found && predicate.kind >= RDX_PREDICATE_EQ && predicate.column == column)
    take_leaf(&predicate, &t->columns[column], out);
  return RDX_OK;
}

/* The largest or smallest value of a type, where only the other bound is given; strings have no largest. */
static bool fill_bound(const rdx_column *other, bool largest, int64_t *memory, rdx_column *out) {
  static const int64_t min[] = {
      [RDX_TYPE_I8] = INT8_MIN,      [RDX_TYPE_I16] = INT16_MIN,  [RDX_TYPE_I32] = INT32_MIN,
      [RDX_TYPE_I64] = INT64_MIN,    [RDX_TYPE_DATE] = INT32_MIN, [RDX_TYPE_TIMESTAMP] = INT64_MIN,
      [RDX_TYPE_DECIMAL] = INT64_MIN};
  static const uint64_t max[] = {
      [RDX_TYPE_I8] = INT8_MAX,         [RDX_TYPE_I16] = INT16_MAX,    [RDX_TYPE_I32] = INT32_MAX,
      [RDX_TYPE_I64] = INT64_MAX,       [RDX_TYPE_U8] = UINT8_MAX,     [RDX_TYPE_U16] = UINT16_MAX,
      [RDX_TYPE_U32] = UINT32_MAX,      [RDX_TYPE_U64] = UINT64_MAX,   [RDX_TYPE_DATE] = INT32_MAX,
      [RDX_TYPE_TIMESTAMP] = INT64_MAX, [RDX_TYPE_DECIMAL] = INT64_MAX};
  if (other->type == RDX_TYPE_STRING || rdx_type_is_float(other->type) || other->type == RDX_TYPE_BOOL)
    return false;
  *memory = largest ? (int64_t)max[other->type] : ((size_t)other->type < RDX_COUNT(min) ? min[other->type] : 0);
  *out = (rdx_column){.type = other->type, .scale = other->scale, .rows = 1, .values = memory};
  return true;
}

/* Few rows, ascending, each once. */
static rdx_status sort_rows(const uint32_t *from, uint64_t count, uint32_t **out, uint64_t *kept, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint64_t *wide = NULL;
  RDX_TRY(rdx_alloc(2 * count, sizeof *wide, WHAT, (void **)&wide, err));
  RDX_TRY(rdx_alloc(count, sizeof **out, WHAT, (void **)out, err));
  for (uint64_t i = 0; i < count; i++)
    wide[i] = from[i];
  const uint64_t *sorted = rdx_sort(wide, count, 1, 1, wide + count);
  for (uint64_t i = 0; i < count; i++)
    if (i == 0 || sorted[i] != sorted[i - 1])
      (*out)[(*kept)++] = (uint32_t)sorted[i];
  return RDX_OK;
}

/* The same of many among `all`: each is marked. */
static rdx_status mark_rows(const uint32_t *from, uint64_t count, uint64_t all, uint32_t **out, uint64_t *kept,
                            rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *marks = NULL;
  RDX_TRY(rdx_calloc(all / 32 + 1, sizeof *marks, WHAT, (void **)&marks, err));
  for (uint64_t i = 0; i < count; i++) {
    RDX_TRY(rdx_loop_goes_on(i, count, "execute", err));
    marks[from[i] / 32] |= 1u << from[i] % 32;
  }
  return rdx_list_marked(marks, all, true, out, kept, err);
}

#define FEW_SHARE 256u /* to sort one row of so many takes less than to look at the marks of all */

/* All rows of a result, ascending, each once. */
static rdx_status take_rows(rdx_execution *x, rdx_operand *in, rdx_lookup_result *result, rdx_error *err) {
  rdx_lookup_view view;
  uint64_t kept = 0;
  uint32_t *rows = NULL;
  RDX_TRY(rdx_lookup_result_view(result, &view, err));
  const uint64_t count = view.offsets[view.probes], all = in->frame.rows;
  RDX_TRY(count < all / FEW_SHARE ? sort_rows(view.rows, count, &rows, &kept, err)
                                  : mark_rows(view.rows, count, all, &rows, &kept, err));
  RDX_TRY(rdx_frame_select(x->pool, &in->frame, rows, kept, err));
  return rdx_operand_refresh(x, in, err);
}

static void note(rdx_node_actuals *a, const rdx_lookup_result *result) {
  rdx_lookup_stats stats;
  rdx_lookup_result_get_stats(result, &stats);
  a->device_ms += stats.device_ms;
  a->rays += stats.rays;
  a->hits += stats.hits;
  a->bytes += stats.bytes_result;
}

/* What is looked up: values of the index's first columns, or with `range` bounds of the last of these. */
typedef struct key {
  rdx_column lower[RDX_INDEX_COLUMNS], upper[RDX_INDEX_COLUMNS];
  uint32_t count;
  bool range;
  int64_t memory; /* of a bound that is not given */
} key;

/* With the bounds of one more column; whether another may follow. Several values of a column are looked up alone. */
static bool add_bounds(bounds *b, key *out) {
  const uint32_t k = out->count;
  const bool one = b->equal.type && b->equal.rows == 1;
  if (one || (b->equal.type && k == 0)) {
    out->lower[k] = out->upper[k] = b->equal;
    out->count++;
    return one;
  }
  if (b->equal.type || (!b->lower.type && !b->upper.type))
    return false;
  if (!b->lower.type && !fill_bound(&b->upper, false, &out->memory, &b->lower))
    return false;
  if (!b->upper.type && !fill_bound(&b->lower, true, &out->memory, &b->upper))
    return false;
  out->lower[k] = b->lower;
  out->upper[k] = b->upper;
  out->count++;
  out->range = true;
  return false;
}

static rdx_status find_key(rdx_execution *x, const rdx_plan_node *node, const rdx_translation *t, key *out,
                           rdx_error *err) {
  bool more = true;
  for (uint32_t k = 0; k < node->index_columns && more; k++) {
    bounds b = {0};
    const uint32_t c = rdx_plan_find_column(node, node->index->columns[k]);
    RDX_TRY(find_bounds(x, t, node->filter, c, &b, err));
    more = add_bounds(&b, out);
  }
  return RDX_OK;
}

static rdx_status find_index(rdx_execution *x, const rdx_plan_node *node, const rdx_index **out, rdx_error *err) {
  const rdx_plan_index *index = node->index;
  uint32_t columns[RDX_INDEX_COLUMNS];
  for (uint32_t k = 0; k < index->column_count; k++) {
    columns[k] = 0;
    while (strcmp(node->table->columns[columns[k]].name, index->columns[k]) != 0)
      columns[k]++;
  }
  return rdx_catalog_index(x->catalog, node->table, columns, index->column_count, &index->lookup, out, err);
}

static rdx_status look_up(rdx_execution *x, const rdx_plan_node *node, const key *b, rdx_lookup_result **out,
                          rdx_error *err) {
  const rdx_lookup_params params = {.result = RDX_LOOKUP_ROWS, .stats = x->counts};
  const rdx_index *index = NULL;
  rdx_index_stats stats;
  RDX_TRY(find_index(x, node, &index, err));
  rdx_index_get_stats(index, &stats);
  rdx_actuals_method(rdx_actuals_of(x, node), rdx_index_method_name(stats.method));
  if (node->index->column_count > 1)
    RDX_TRY(b->range ? rdx_index_range_columns(index, b->lower, b->upper, b->count, &params, out, err)
                     : rdx_index_lookup_columns(index, b->lower, b->count, &params, out, err));
  else
    RDX_TRY(b->range ? rdx_index_range(index, b->lower, b->upper, &params, out, err)
                     : rdx_index_lookup(index, b->lower, &params, out, err));
  note(rdx_actuals_of(x, node), *out);
  return RDX_OK;
}

rdx_status rdx_index_rows(rdx_execution *x, const rdx_plan_node *node, rdx_operand *in, bool *found, rdx_error *err) {
  key wanted = {.count = 0};
  rdx_column *columns = NULL;
  rdx_lookup_result *result = NULL;
  *found = false;
  RDX_TRY(rdx_arena_alloc(x->arena, in->frame.count, sizeof *columns, WHAT, (void **)&columns, err));
  for (uint32_t i = 0; i < in->frame.count; i++)
    columns[i] = in->inputs[i].column;
  const rdx_translation t = {.x = x, .columns = columns};
  RDX_TRY(find_key(x, node, &t, &wanted, err));
  if (wanted.count == 0)
    return RDX_OK;
  const rdx_status looked_up = look_up(x, node, &wanted, &result, err);
  if (looked_up == RDX_ERROR_UNSUPPORTED) /* such as ranges in a hash table */
    return RDX_OK;
  RDX_TRY(looked_up);
  const rdx_status status = take_rows(x, in, result, err);
  rdx_lookup_result_destroy(&result);
  *found = status == RDX_OK;
  return status;
}
