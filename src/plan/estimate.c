/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* How many rows operators return, as far as it can be told before. */

#include "plan/internal.h"

#include <math.h>
#include <string.h>

#include "column/column.h"
#include "expression/evaluate.h"
#include "plan/zones.h"

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

/* The rows that a sample is drawn from: of a table, or of these blocks of it. */
typedef struct population {
  uint32_t *blocks; /* NULL: all */
  uint64_t block_count, rows;
} population;

/* Rows at equal distances. */
static rdx_status draw(rdx_planner *p, const population *from, uint32_t sampled, uint32_t **out) {
  RDX_TRY(rdx_planner_alloc(p, sampled, sizeof **out, out));
  for (uint32_t i = 0; i < sampled; i++) {
    const uint64_t row = i * from->rows / sampled;
    (*out)[i] = (uint32_t)(from->blocks ? from->blocks[row / RDX_CATALOG_BLOCK] * (uint64_t)RDX_CATALOG_BLOCK +
                                              row % RDX_CATALOG_BLOCK
                                        : row);
  }
  return RDX_OK;
}

static rdx_status count_sample(rdx_planner *p, const rdx_sample *s, const uint32_t *rows, uint32_t sampled,
                               uint64_t *out) {
  uint32_t *hits = NULL;
  rdx_input *inputs = NULL;
  rdx_error ignored; /* what fails here fails again where it counts */
  RDX_TRY(rdx_planner_alloc(p, s->column_count, sizeof *inputs, &inputs));
  for (uint32_t i = 0; i < s->column_count; i++)
    inputs[i] = (rdx_input){s->table->columns[s->columns[i]].column, rows};
  const rdx_evaluation e = {.inputs = inputs, .rows = sampled, .text = p->text};
  *out = sampled / 2;
  if (rdx_evaluate_filter(&e, s->filter, &hits, out, &ignored) == RDX_OK)
    rdx_free(hits);
  return RDX_OK;
}

/* The blocks that a filter has to look at, if they are few, else all rows. */
static rdx_status find_population(rdx_planner *p, rdx_catalog_table *table, const uint32_t *columns, uint32_t count,
                                  const rdx_bound *filter, population *out) {
  const rdx_zone_filter z = {.catalog = p->catalog,
                             .table = table,
                             .columns = columns,
                             .count = count,
                             .filter = filter,
                             .text = p->text,
                             .arena = p->arena};
  bool few = false;
  *out = (population){.rows = table->rows};
  RDX_TRY(rdx_zones_find(&z, &out->blocks, &out->block_count, &few, p->err));
  if (!few) {
    out->blocks = NULL;
    return rdx_catalog_open_columns(p->catalog, table, columns, count, p->err);
  }
  out->rows = rdx_zones_rows(table, out->blocks, out->block_count);
  return rdx_catalog_open_blocks(p->catalog, table, columns, count, out->blocks, out->block_count, p->err);
}

/* A filter of the same table is estimated once, however often plans are made with it. */
static rdx_sample *find_sample(const rdx_planner *p, const rdx_catalog_table *table, const uint32_t *columns,
                               uint32_t count, const rdx_bound *filter) {
  for (uint32_t i = 0; i < p->sample_count; i++) {
    rdx_sample *s = &p->samples[i];
    if (s->table == table && s->column_count == count && memcmp(s->columns, columns, count * sizeof *columns) == 0 &&
        rdx_bound_equal(s->filter, filter))
      return s;
  }
  return NULL;
}

bool rdx_estimate_reads_all(const rdx_catalog_table *table) {
  return table->rows <= SAMPLE_ROWS;
}

rdx_status rdx_estimate_filter(rdx_planner *p, rdx_catalog_table *table, const uint32_t *columns, uint32_t count,
                               const rdx_bound *filter, double *out) {
  uint64_t hits = 0;
  uint32_t *rows = NULL;
  population from;
  *out = (double)table->rows * rdx_estimate_share(filter);
  const rdx_sample *known = find_sample(p, table, columns, count, filter);
  if (known)
    *out = known->rows;
  if (known || table->rows == 0 || rdx_bound_has(filter, RDX_BOUND_PARAMETER))
    return RDX_OK;
  RDX_TRY(find_population(p, table, columns, count, filter, &from));
  const uint32_t sampled = from.rows < SAMPLE_ROWS ? (uint32_t)from.rows : SAMPLE_ROWS;
  RDX_TRY(draw(p, &from, sampled, &rows));
  rdx_sample sample = {.table = table, .columns = columns, .column_count = count, .filter = filter};
  RDX_TRY(count_sample(p, &sample, rows, sampled, &hits));
  const double unseen = sampled < from.rows ? 0.3 / fmax(sampled, 1) : 0;
  const double share = hits > 0 ? (double)hits / sampled : unseen;
  *out = (double)from.rows * share;
  RDX_TRY(rdx_planner_grow(p, &p->samples, p->sample_count, &p->sample_capacity, sizeof *p->samples));
  sample.rows = *out;
  sample.read = (double)from.rows;
  p->samples[p->sample_count++] = sample;
  return RDX_OK;
}

double rdx_estimate_read(const rdx_planner *p, const rdx_plan_node *n) {
  const rdx_sample *s = find_sample(p, n->table, n->table_columns, n->column_count, n->filter);
  return s ? s->read : (double)n->table->rows;
}

static const rdx_bound *column_of(const rdx_bound *value) {
  while (rdx_is_call(value, RDX_OP_CAST))
    value = value->args[0];
  return value->kind == RDX_BOUND_COLUMN && rdx_leaf_of(value->index) < RDX_MAX_LEAVES ? value : NULL;
}

/* Whether a condition of a group, or in it, compares a column with values, for equality or in any way. */
static bool is_compared(const rdx_planner *p, const rdx_group *group, const rdx_bound *column, bool equal) {
  bool found = false;
  for (uint32_t i = 0; i < group->conjuncts.count; i++) {
    const rdx_bound *c = group->conjuncts.list[i];
    const bool compares = c->kind == RDX_BOUND_CALL && c->count == 2 &&
                          (equal ? c->op == RDX_OP_EQ : c->op >= RDX_OP_EQ && c->op <= RDX_OP_GE);
    for (uint32_t k = 0; compares && k < 2; k++)
      found |=
          column_of(c->args[k]) && rdx_bound_equal(column_of(c->args[k]), column) && rdx_is_known(p, c->args[1 - k]);
  }
  for (uint32_t i = 0; i < group->count && !found; i++)
    found = group->items[i].outer && (is_compared(p, group->items[i].left, column, equal) ||
                                      is_compared(p, group->items[i].right, column, equal));
  return found;
}

double rdx_estimate_distinct(const rdx_block *b, const rdx_bound *value, double rows) {
  const rdx_bound *column = column_of(value);
  if (!column)
    return sqrt(rows) + 1;
  if (is_compared(b->planner, &b->from, column, true))
    return 1;
  const rdx_leaf *leaf = &b->leaves[rdx_leaf_of(column->index)];
  if (!leaf->table)
    return fmax(leaf->plan->expected_rows, 1);
  const uint64_t distinct = leaf->table->columns[rdx_column_of(column->index)].distinct;
  const double all = distinct > 0 ? (double)distinct : fmax((double)leaf->table->rows * 0.5, 1);
  return is_compared(b->planner, &b->from, column, false) ? fmax(fmin(all, rows), 1) : all;
}

/* ---- Combinations of values ---- */

/* The bytes of a value that all distinct ones differ in; 0: strings without a dictionary, which are not looked at. */
static size_t value_size(const rdx_column *c) {
  return c->dictionary ? sizeof(uint32_t) : rdx_type_size(c->type);
}

/* How many different values there are when `seen` of `sampled` ones drawn are different. */
static double extrapolate(double seen, double sampled, double rows) {
  double low = seen, high = rows;
  for (uint32_t i = 0; i < 40 && high > low * 1.01; i++) {
    const double middle = sqrt(low * high);
    if (middle * (1 - exp(-sampled / middle)) < seen)
      low = middle;
    else
      high = middle;
  }
  return fmax(low, 1);
}

static uint64_t hash_row(const rdx_catalog_table *table, const uint32_t *columns, uint32_t count, uint64_t row) {
  uint64_t hash = 0;
  for (uint32_t i = 0; i < count; i++) {
    const rdx_column *c = &table->columns[columns[i]].column;
    const size_t size = value_size(c);
    uint64_t value = 0;
    if (rdx_column_has(c, row))
      memcpy(&value, (const char *)c->values + row * size, size);
    hash = (hash ^ value ^ value >> 32) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash;
}

rdx_status rdx_estimate_combinations(rdx_planner *p, rdx_catalog_table *table, const uint32_t *columns, uint32_t count,
                                     double *out) {
  const uint32_t sampled = table->rows < SAMPLE_ROWS ? (uint32_t)table->rows : SAMPLE_ROWS;
  uint64_t *hashes = NULL;
  uint32_t distinct = 1;
  bool all_known = true;
  *out = 1;
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t known = table->columns[columns[i]].distinct;
    all_known &= known > 0;
    *out *= known > 0 ? (double)known : fmax((double)table->rows, 1);
  }
  *out = fmin(*out, fmax((double)table->rows, 1));
  if (count == 0 || (count == 1 && all_known) || sampled == 0)
    return RDX_OK;
  RDX_TRY(rdx_catalog_open_columns(p->catalog, table, columns, count, p->err));
  for (uint32_t i = 0; i < count; i++)
    if (value_size(&table->columns[columns[i]].column) == 0)
      return RDX_OK;
  RDX_TRY(rdx_planner_alloc(p, 2 * (uint64_t)sampled, sizeof *hashes, &hashes));
  for (uint32_t i = 0; i < sampled; i++)
    hashes[i] = hash_row(table, columns, count, i * table->rows / sampled);
  const uint64_t *sorted = rdx_sort(hashes, sampled, 1, 1, hashes + sampled);
  for (uint32_t i = 1; i < sampled; i++)
    distinct += sorted[i] != sorted[i - 1];
  *out = fmin(*out, extrapolate(distinct, sampled, (double)table->rows));
  return RDX_OK;
}
