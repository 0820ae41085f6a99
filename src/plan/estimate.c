/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* How many rows operators return, as far as it can be told before. */

#include "plan/internal.h"

#include <math.h>

#include "expression/evaluate.h"

#define SAMPLE_ROWS 2048

/* Where nothing is known (Selinger et al., SIGMOD 1979, table 1). */
#define EQUAL_SHARE 0.1
#define RANGE_SHARE (1.0 / 3)
#define OTHER_SHARE 0.25

double rdx_estimate_share(const rdx_bound *c) {
  double share = 1;
  if (c->kind == RDX_BOUND_CONSTANT)
    return c->value.null || !c->value.i ? 0 : 1;
  if (c->kind != RDX_BOUND_CALL)
    return 0.5;
  switch (c->op) {
  case RDX_OP_AND:
    for (uint32_t i = 0; i < c->count; i++)
      share *= rdx_estimate_share(c->args[i]);
    return share;
  case RDX_OP_OR:
    for (uint32_t i = 0; i < c->count; i++)
      share *= 1 - rdx_estimate_share(c->args[i]);
    return 1 - share;
  case RDX_OP_NOT:
    return 1 - rdx_estimate_share(c->args[0]);
  case RDX_OP_EQ:
    return EQUAL_SHARE;
  case RDX_OP_NE:
    return 1 - EQUAL_SHARE;
  case RDX_OP_IN:
    return fmin(EQUAL_SHARE * (c->count - 1), 0.5);
  case RDX_OP_LT:
  case RDX_OP_LE:
  case RDX_OP_GT:
  case RDX_OP_GE:
    return RANGE_SHARE;
  default:
    return OTHER_SHARE;
  }
}

static bool has_parameters(const rdx_bound *node) {
  bool has = node->kind == RDX_BOUND_PARAMETER;
  for (uint32_t i = 0; node->kind == RDX_BOUND_CALL && i < node->count && !has; i++)
    has = has_parameters(node->args[i]);
  return has;
}

/* Rows at equal distances. */
static rdx_status count_sample(rdx_planner *p, const rdx_catalog_table *table, const uint32_t *columns, uint32_t count,
                               const rdx_bound *filter, uint32_t sampled, uint64_t *out) {
  uint32_t *rows = NULL, *hits = NULL;
  rdx_input *inputs = NULL;
  rdx_error ignored; /* what fails here fails again where it counts */
  RDX_TRY(rdx_planner_alloc(p, sampled, sizeof *rows, &rows));
  RDX_TRY(rdx_planner_alloc(p, count, sizeof *inputs, &inputs));
  if (!p->pool)
    RDX_TRY(rdx_pool_create(1, &p->pool, p->err));
  for (uint32_t i = 0; i < sampled; i++)
    rows[i] = (uint32_t)(i * table->rows / sampled);
  for (uint32_t i = 0; i < count; i++)
    inputs[i] = (rdx_input){table->columns[columns[i]].column, rows};
  const rdx_evaluation e = {.pool = p->pool, .inputs = inputs, .rows = sampled, .text = p->text};
  *out = sampled / 2;
  if (rdx_evaluate_filter(&e, filter, &hits, out, &ignored) == RDX_OK)
    rdx_free(hits);
  return RDX_OK;
}

/* A filter of the same table is estimated once, however often plans are made with it. */
static rdx_sample *find_sample(const rdx_planner *p, const rdx_catalog_table *table, const rdx_bound *filter) {
  for (uint32_t i = 0; i < p->sample_count; i++)
    if (p->samples[i].table == table && rdx_bound_equal(p->samples[i].filter, filter))
      return &p->samples[i];
  return NULL;
}

rdx_status rdx_estimate_filter(rdx_planner *p, rdx_catalog_table *table, const uint32_t *columns, uint32_t count,
                               const rdx_bound *filter, double *out) {
  const uint32_t sampled = table->rows < SAMPLE_ROWS ? (uint32_t)table->rows : SAMPLE_ROWS;
  uint64_t hits = 0;
  *out = (double)table->rows * rdx_estimate_share(filter);
  const rdx_sample *known = find_sample(p, table, filter);
  if (known)
    *out = known->rows;
  if (known || sampled == 0 || has_parameters(filter))
    return RDX_OK;
  RDX_TRY(rdx_catalog_open_columns(p->catalog, table, columns, count, p->err));
  RDX_TRY(count_sample(p, table, columns, count, filter, sampled, &hits));
  const double share = hits > 0 ? (double)hits / sampled : 0.3 / sampled;
  *out = (double)table->rows * share;
  RDX_TRY(rdx_planner_grow(p, &p->samples, p->sample_count, &p->sample_capacity, sizeof *p->samples));
  p->samples[p->sample_count++] = (rdx_sample){table, filter, *out};
  return RDX_OK;
}

static const rdx_bound *column_of(const rdx_bound *value) {
  while (value->kind == RDX_BOUND_CALL && value->op == RDX_OP_CAST)
    value = value->args[0];
  return value->kind == RDX_BOUND_COLUMN && rdx_leaf_of(value->index) < RDX_MAX_LEAVES ? value : NULL;
}

double rdx_estimate_distinct(const rdx_block *b, const rdx_bound *value, double rows) {
  const rdx_bound *column = column_of(value);
  if (!column)
    return sqrt(rows) + 1;
  const rdx_leaf *leaf = &b->leaves[rdx_leaf_of(column->index)];
  if (!leaf->table)
    return fmax(leaf->plan->expected_rows, 1);
  const uint64_t distinct = leaf->table->columns[rdx_column_of(column->index)].distinct;
  return distinct > 0 ? (double)distinct : fmax((double)leaf->table->rows * 0.5, 1);
}
