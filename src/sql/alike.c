/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Whether expressions are written alike, whatever their places. */

#include <string.h>

#include "sql/statement.h"

static bool queries_alike(const rdx_sql_query *a, const rdx_sql_query *b);

static bool texts_alike(const char *a, const char *b) {
  return !a == !b && (!a || strcmp(a, b) == 0);
}

static bool names_alike(const char *const *a, uint32_t a_count, const char *const *b, uint32_t b_count) {
  bool alike = a_count == b_count;
  for (uint32_t i = 0; i < a_count && alike; i++)
    alike = texts_alike(a[i], b[i]);
  return alike;
}

static bool lists_alike(rdx_ast *const *a, uint64_t a_count, rdx_ast *const *b, uint64_t b_count) {
  bool alike = a_count == b_count;
  for (uint64_t i = 0; i < a_count && alike; i++)
    alike = rdx_sql_is_alike(a[i], b[i]);
  return alike;
}

static bool orders_alike(const rdx_sql_order *a, uint32_t a_count, const rdx_sql_order *b, uint32_t b_count) {
  bool alike = a_count == b_count;
  for (uint32_t i = 0; i < a_count && alike; i++)
    alike = a[i].descending == b[i].descending && a[i].nulls == b[i].nulls && rdx_sql_is_alike(a[i].value, b[i].value);
  return alike;
}

static bool windows_alike(const rdx_sql_window *a, const rdx_sql_window *b) {
  if (!a || !b)
    return a == b;
  return a->unit == b->unit && a->begin == b->begin && a->end == b->end && a->exclusion == b->exclusion &&
         rdx_sql_is_alike(a->begin_offset, b->begin_offset) && rdx_sql_is_alike(a->end_offset, b->end_offset) &&
         lists_alike(a->partition, a->partition_count, b->partition, b->partition_count) &&
         orders_alike(a->orders, a->order_count, b->orders, b->order_count);
}

bool rdx_sql_is_alike(const rdx_ast *a, const rdx_ast *b) {
  if (!a || !b || a == b)
    return a == b;
  return a->kind == b->kind && texts_alike(a->name, b->name) && texts_alike(a->qualifier, b->qualifier) &&
         texts_alike(a->field, b->field) && a->number == b->number && a->modifier_count == b->modifier_count &&
         memcmp(a->modifiers, b->modifiers, sizeof a->modifiers) == 0 && a->all == b->all && a->star == b->star &&
         a->distinct == b->distinct && a->within_group == b->within_group &&
         lists_alike(a->args, a->count, b->args, b->count) && rdx_sql_is_alike(a->filter, b->filter) &&
         orders_alike(a->orders, a->order_count, b->orders, b->order_count) && windows_alike(a->over, b->over) &&
         queries_alike(a->query, b->query);
}

static bool from_alike(const rdx_from *a, const rdx_from *b) {
  if (!a || !b)
    return a == b;
  return a->kind == b->kind && texts_alike(a->name, b->name) && texts_alike(a->alias, b->alias) &&
         a->ordinality == b->ordinality && a->lateral == b->lateral && a->in_public == b->in_public &&
         a->join == b->join && a->natural == b->natural &&
         names_alike(a->columns, a->column_count, b->columns, b->column_count) &&
         names_alike(a->using_columns, a->using_count, b->using_columns, b->using_count) &&
         rdx_sql_is_alike(a->call, b->call) && rdx_sql_is_alike(a->on, b->on) && from_alike(a->left, b->left) &&
         from_alike(a->right, b->right) && queries_alike(a->query, b->query);
}

static bool groupings_alike(rdx_grouping *const *a, uint32_t a_count, rdx_grouping *const *b, uint32_t b_count) {
  bool alike = a_count == b_count;
  for (uint32_t i = 0; i < a_count && alike; i++)
    alike = a[i]->kind == b[i]->kind && lists_alike(a[i]->exprs, a[i]->expr_count, b[i]->exprs, b[i]->expr_count) &&
            groupings_alike(a[i]->children, a[i]->child_count, b[i]->children, b[i]->child_count);
  return alike;
}

static bool ctes_alike(const rdx_sql_query *a, const rdx_sql_query *b) {
  bool alike = a->cte_count == b->cte_count && a->recursive == b->recursive;
  for (uint32_t i = 0; i < a->cte_count && alike; i++) {
    const rdx_sql_cte *x = &a->ctes[i], *y = &b->ctes[i];
    alike = texts_alike(x->name, y->name) && x->materialized == y->materialized &&
            names_alike(x->columns, x->column_count, y->columns, y->column_count) && queries_alike(x->query, y->query);
  }
  return alike;
}

/* Of SELECT. */
static bool clauses_alike(const rdx_sql_query *a, const rdx_sql_query *b) {
  bool alike = a->target_count == b->target_count && a->from_count == b->from_count && a->distinct == b->distinct &&
               a->distinct_sets == b->distinct_sets;
  for (uint32_t i = 0; i < a->target_count && alike; i++)
    alike = texts_alike(a->targets[i].alias, b->targets[i].alias) &&
            rdx_sql_is_alike(a->targets[i].value, b->targets[i].value);
  for (uint32_t i = 0; i < a->from_count && alike; i++)
    alike = from_alike(a->from[i], b->from[i]);
  return alike && lists_alike(a->distinct_on, a->distinct_on_count, b->distinct_on, b->distinct_on_count) &&
         rdx_sql_is_alike(a->where, b->where) &&
         groupings_alike(a->group_by, a->group_count, b->group_by, b->group_count) &&
         rdx_sql_is_alike(a->having, b->having) && rdx_sql_is_alike(a->qualify, b->qualify);
}

static bool queries_alike(const rdx_sql_query *a, const rdx_sql_query *b) {
  if (!a || !b)
    return a == b;
  return a->kind == b->kind && a->all == b->all && a->ties == b->ties && a->width == b->width && ctes_alike(a, b) &&
         clauses_alike(a, b) &&
         lists_alike(a->values, (uint64_t)a->row_count * a->width, b->values, (uint64_t)b->row_count * b->width) &&
         queries_alike(a->left, b->left) && queries_alike(a->right, b->right) &&
         orders_alike(a->order_by, a->order_count, b->order_by, b->order_count) &&
         rdx_sql_is_alike(a->limit, b->limit) && rdx_sql_is_alike(a->offset, b->offset);
}
