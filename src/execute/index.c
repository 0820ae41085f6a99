/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Rows of a table found by an index: the filter's conditions on its columns become lookups. */

#include <string.h>

#include "column/column.h"
#include "execute/operators.h"
#include "execute/predicate.h"

#define WHAT "a lookup"

/* A part of the filter. */
typedef struct condition {
  rdx_bound *part;
  rdx_predicate leaf; /* of kind EQ to IN where it compares a column of the index with values, else TRUE */
} condition;

typedef struct conditions {
  condition *list;
  uint32_t count;
} conditions;

/* What the filter says of a column: which condition lists values that it equals, which has its bounds. */
typedef struct bounds {
  const condition *equal, *lower, *upper; /* NULL: none */
} bounds;

static bool goes_with(const rdx_column *values, const rdx_column *keys) {
  const bool integers = values->type >= RDX_TYPE_I8 && values->type <= RDX_TYPE_U64 && keys->type >= RDX_TYPE_I8 &&
                        keys->type <= RDX_TYPE_U64;
  return integers || (values->type == keys->type && values->scale == keys->scale);
}

static bool is_whole(const rdx_column *c) {
  return c->type != RDX_TYPE_STRING && !rdx_type_is_float(c->type);
}

/* A whole number of a type as a column. */
static rdx_status make_bound(rdx_execution *x, const rdx_column *like, rdx_i128 value, rdx_column *out,
                             rdx_error *err) {
  int64_t *memory = NULL;
  RDX_TRY(rdx_arena_alloc(x->arena, 1, sizeof *memory, WHAT, (void **)&memory, err));
  *memory = (int64_t)(uint64_t)value; /* little endian: the low bytes are those of narrower types */
  *out = (rdx_column){.type = like->type, .scale = like->scale, .rows = 1, .values = memory};
  return RDX_OK;
}

/* Whole numbers above or below a value are those from the next one on, if there is one. */
static rdx_status close_bound(rdx_execution *x, rdx_predicate *p, rdx_error *err) {
  const bool above = p->kind == RDX_PREDICATE_GT;
  rdx_i128 min, max;
  if ((!above && p->kind != RDX_PREDICATE_LT) || !is_whole(&p->values))
    return RDX_OK;
  rdx_type_limits(p->values.type, &min, &max);
  const int64_t bits = rdx_column_integer(&p->values, 0);
  const rdx_i128 value = (p->values.type == RDX_TYPE_U64 ? (rdx_i128)(uint64_t)bits : bits) + (above ? 1 : -1);
  if (value < min || value > max)
    return RDX_OK;
  p->kind = above ? RDX_PREDICATE_GE : RDX_PREDICATE_LE;
  return make_bound(x, &p->values, value, &p->values, err);
}

static rdx_status read_conditions(const rdx_translation *t, const rdx_bound *filter, conditions *out, rdx_error *err) {
  rdx_bound **parts = NULL;
  RDX_TRY(rdx_filter_parts(t->x, filter, &parts, &out->count, err));
  RDX_TRY(rdx_arena_alloc(t->x->arena, out->count, sizeof *out->list, WHAT, (void **)&out->list, err));
  for (uint32_t i = 0; i < out->count; i++) {
    condition *c = &out->list[i];
    bool found = false;
    c->part = parts[i];
    RDX_TRY(rdx_predicate_of(t, parts[i], &c->leaf, &found, err));
    const rdx_predicate *p = &c->leaf;
    const bool leaf = found && p->kind >= RDX_PREDICATE_EQ && p->kind <= RDX_PREDICATE_IN;
    if (!leaf || p->values.validity || !goes_with(&p->values, &t->columns[p->column]))
      c->leaf = (rdx_predicate){.kind = RDX_PREDICATE_TRUE};
    RDX_TRY(close_bound(t->x, &c->leaf, err));
  }
  return RDX_OK;
}

static void take_condition(const condition *c, bounds *out) {
  switch (c->leaf.kind) {
  case RDX_PREDICATE_EQ:
  case RDX_PREDICATE_IN:
    out->equal = c;
    return;
  case RDX_PREDICATE_GT:
  case RDX_PREDICATE_GE:
    out->lower = c;
    return;
  case RDX_PREDICATE_LT:
  case RDX_PREDICATE_LE:
    out->upper = c;
    return;
  default:
    return;
  }
}

/* The conditions that are on the index's column alone. */
static bounds find_bounds(const conditions *all, uint32_t column) {
  bounds b = {NULL, NULL, NULL};
  for (uint32_t i = 0; i < all->count; i++)
    if (all->list[i].leaf.kind != RDX_PREDICATE_TRUE && all->list[i].leaf.column == column)
      take_condition(&all->list[i], &b);
  return b;
}

static bool ascends(const uint32_t *rows, uint64_t count) {
  uint64_t i = 1;
  while (i < count && rows[i] > rows[i - 1])
    i++;
  return i >= count;
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

static void drop_result(void *owner) {
  rdx_lookup_result *result = owner;
  rdx_lookup_result_destroy(&result);
}

/* All rows of a result, ascending, each once. Those of one key are so where the index keeps them in their order: then
 * the frame keeps the result. */
static rdx_status take_rows(rdx_execution *x, rdx_operand *in, rdx_lookup_result **result, rdx_error *err) {
  RDX_SCOPED(rdx_shared_release) rdx_shared *keeper = NULL;
  rdx_lookup_view view;
  uint64_t kept = 0;
  uint32_t *rows = NULL;
  RDX_TRY(rdx_lookup_result_view(*result, &view, err));
  const uint64_t count = view.offsets[view.probes], all = in->frame.rows;
  if (ascends(view.rows, count)) {
    RDX_TRY(rdx_shared_create(drop_result, RDX_KEEP(*result), &keeper, err));
    RDX_TRY(rdx_frame_choose(x->pool, &in->frame, view.rows, keeper, count, err));
    return rdx_operand_refresh(x, in, err);
  }
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
  bounds of[RDX_INDEX_COLUMNS]; /* the conditions that they come from */
  uint32_t count;
  bool range;
} key;

/* The bound of a condition, or the smallest or largest value; false: strings and floats have no such values here. */
static rdx_status find_bound(rdx_execution *x, const condition *c, const condition *other, bool largest,
                             rdx_column *out, bool *found, rdx_error *err) {
  rdx_i128 min, max;
  *found = c || is_whole(&other->leaf.values);
  if (c)
    *out = c->leaf.values;
  if (c || !*found)
    return RDX_OK;
  rdx_type_limits(other->leaf.values.type, &min, &max);
  return make_bound(x, &other->leaf.values, largest ? max : min, out, err);
}

/* Such as a BETWEEN 1 AND 1: looked up as a = 1, its rows come in their order. */
static bool have_one_value(const bounds *b) {
  if (!b->lower || !b->upper || b->lower->leaf.kind != RDX_PREDICATE_GE || b->upper->leaf.kind != RDX_PREDICATE_LE)
    return false;
  const rdx_column *lower = &b->lower->leaf.values, *upper = &b->upper->leaf.values;
  if (lower->type == RDX_TYPE_STRING)
    return rdx_column_compare_strings(lower, 0, upper, 0) == 0;
  return lower->type == upper->type && memcmp(lower->values, upper->values, rdx_type_size(lower->type)) == 0;
}

/* With the bounds of one more column; whether another may follow. Several values of a column are looked up alone. */
static rdx_status add_bounds(rdx_execution *x, const bounds *b, key *out, bool *more, rdx_error *err) {
  const uint32_t k = out->count;
  bool has_lower = false, has_upper = false;
  *more = b->equal ? b->equal->leaf.values.rows == 1 : have_one_value(b);
  if (*more || (b->equal && k == 0)) {
    out->lower[k] = out->upper[k] = (b->equal ? b->equal : b->lower)->leaf.values;
    out->of[out->count++] = b->equal ? (bounds){.equal = b->equal} : *b;
    return RDX_OK;
  }
  if (b->equal || (!b->lower && !b->upper))
    return RDX_OK;
  RDX_TRY(find_bound(x, b->lower, b->upper, false, &out->lower[k], &has_lower, err));
  RDX_TRY(find_bound(x, b->upper, b->lower, true, &out->upper[k], &has_upper, err));
  if (!has_lower || !has_upper)
    return RDX_OK;
  out->of[out->count++] = *b;
  out->range = true;
  return RDX_OK;
}

static rdx_status find_key(rdx_execution *x, const rdx_plan_node *node, const conditions *all, key *out,
                           rdx_error *err) {
  bool more = true;
  for (uint32_t k = 0; k < node->index_columns && more; k++) {
    const bounds b = find_bounds(all, rdx_plan_find_column(node, node->index->columns[k]));
    RDX_TRY(add_bounds(x, &b, out, &more, err));
  }
  return RDX_OK;
}

/* Whether all rows of the key meet a condition: they lie within its bounds, which are closed. Floats are looked at
 * again, for the order of an index knows more of them than comparisons do. */
static bool answers(const key *k, const condition *c) {
  if (c->leaf.kind == RDX_PREDICATE_LT || c->leaf.kind == RDX_PREDICATE_GT || rdx_type_is_float(c->leaf.values.type))
    return false;
  for (uint32_t i = 0; i < k->count; i++)
    if (k->of[i].equal == c || k->of[i].lower == c || k->of[i].upper == c)
      return true;
  return false;
}

/* Keep the rows that meet the conditions which the key does not answer. */
static rdx_status filter_rest(rdx_execution *x, const conditions *all, const key *k, rdx_operand *in, rdx_error *err) {
  rdx_bound **rest = NULL;
  uint32_t count = 0;
  RDX_TRY(rdx_arena_alloc(x->arena, all->count, sizeof(rdx_bound *), WHAT, (void **)&rest, err));
  for (uint32_t i = 0; i < all->count; i++)
    if (!answers(k, &all->list[i]))
      rest[count++] = all->list[i].part;
  return rdx_operand_filter_all(x, in, rest, count, err);
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
  conditions all = {NULL, 0};
  rdx_column *columns = NULL;
  RDX_SCOPED(rdx_lookup_result_destroy) rdx_lookup_result *result = NULL;
  *found = false;
  RDX_TRY(rdx_arena_alloc(x->arena, in->frame.count, sizeof *columns, WHAT, (void **)&columns, err));
  for (uint32_t i = 0; i < in->frame.count; i++)
    columns[i] = in->inputs[i].column;
  const rdx_translation t = {.x = x, .columns = columns};
  RDX_TRY(read_conditions(&t, node->filter, &all, err));
  RDX_TRY(find_key(x, node, &all, &wanted, err));
  if (wanted.count == 0)
    return RDX_OK;
  const rdx_status looked_up = look_up(x, node, &wanted, &result, err);
  if (looked_up == RDX_ERROR_UNSUPPORTED) /* such as ranges in a hash table */
    return RDX_OK;
  RDX_TRY(looked_up);
  RDX_TRY(take_rows(x, in, &result, err));
  *found = true;
  return filter_rest(x, &all, &wanted, in, err);
}
