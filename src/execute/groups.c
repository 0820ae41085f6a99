/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Columns that groups are made of, and the fewer ones that are grouped by. */

#include "execute/groups.h"

#include "column/column.h"

#define WHAT "the groups of a query"

/* ---- Which columns are determined ---- */

static bool same_row(const rdx_frame_column *a, const rdx_frame_column *b) {
  return a->table && a->rows && a->table == b->table && a->rows == b->rows;
}

/* Whether several columns of the row of column `i`, of which this is the first, are to be numbered: a key of the table
 * is among them. */
static rdx_status is_determined(rdx_execution *x, const rdx_frame *all, uint32_t i, bool *out, rdx_error *err) {
  const rdx_frame_column *columns = all->columns;
  uint32_t count = 0;
  *out = false;
  for (uint32_t k = i; k < all->count; k++)
    count += same_row(&columns[i], &columns[k]);
  for (uint32_t k = i; k < all->count && count > 1 && !*out; k++)
    if (same_row(&columns[i], &columns[k]))
      RDX_TRY(rdx_catalog_unique(x->catalog, columns[k].table, columns[k].number, out, err));
  return RDX_OK;
}

/* ---- Numbers of rows ---- */

typedef struct numbering {
  const uint32_t *rows;
  uint32_t *numbers;
  uint8_t *valid; /* a byte for eight rows */
} numbering;

static void number(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const numbering *n = context;
  for (uint64_t first = begin; first < end; first += 8) {
    uint32_t bits = 0;
    for (uint64_t i = first; i < end && i < first + 8; i++) {
      n->numbers[i] = n->rows[i];
      bits |= (uint32_t)(n->rows[i] != RDX_NO_ROW) << (i - first);
    }
    n->valid[first / 8] = (uint8_t)bits;
  }
}

/* Column `place` of the frame becomes the numbers of the rows of a list, NULL for none. */
static rdx_status add_numbers(rdx_execution *x, rdx_row_list *list, rdx_frame *frame, uint32_t place, rdx_error *err) {
  const uint64_t count = rdx_row_list_count(list);
  RDX_SCOPED(rdx_vector_destroy) rdx_vector vector = {0};
  numbering n = {0};
  RDX_TRY(rdx_row_list_on_host(list, &n.rows, err));
  RDX_TRY(rdx_alloc(count, sizeof *n.numbers, WHAT, &vector.memory[0], err));
  RDX_TRY(rdx_alloc(count / 8 + 1, 1, WHAT, &vector.memory[1], err));
  n.numbers = vector.memory[0];
  n.valid = vector.memory[1];
  vector.column = (rdx_column){.type = RDX_TYPE_U32, .rows = count, .values = n.numbers, .validity = n.valid};
  RDX_TRY(rdx_pool_run_stage(x->pool, count, RDX_EXECUTE_GRAIN, number, &n, "execute", err));
  return rdx_frame_take(frame, place, &vector, err);
}

/* ---- Columns ---- */

/* Column `i` becomes the next one that is grouped by, or the number of its row does, for all of that row. */
static rdx_status add_column(rdx_execution *x, rdx_group_columns *g, uint32_t i, uint32_t *count, rdx_error *err) {
  const rdx_frame_column *column = &g->all.columns[i];
  RDX_TRY(is_determined(x, &g->all, i, &g->numbered[i], err));
  g->places[i] = (*count)++;
  if (!g->numbered[i]) {
    rdx_frame_share(column, &g->grouped.columns[g->places[i]]);
    return RDX_OK;
  }
  for (uint32_t k = i + 1; k < g->all.count; k++)
    if (same_row(column, &g->all.columns[k])) {
      g->places[k] = g->places[i];
      g->numbered[k] = true;
    }
  return add_numbers(x, column->rows, &g->grouped, g->places[i], err);
}

rdx_status rdx_group_columns_make(rdx_execution *x, rdx_operand *in, rdx_bound *const *exprs, uint32_t count,
                                  rdx_group_columns *out, rdx_error *err) {
  uint32_t grouped = 0;
  RDX_TRY(rdx_arena_alloc(x->arena, count, sizeof *out->places, WHAT, (void **)&out->places, err));
  RDX_TRY(rdx_arena_alloc(x->arena, count, sizeof *out->numbered, WHAT, (void **)&out->numbered, err));
  RDX_TRY(rdx_frame_create(count, in->frame.rows, &out->all, err));
  RDX_TRY(rdx_frame_create(count, in->frame.rows, &out->grouped, err));
  for (uint32_t i = 0; i < count; i++) {
    RDX_TRY(rdx_operand_column(x, in, exprs[i], &out->all, i, err));
    out->numbered[i] = false;
  }
  for (uint32_t i = 0; i < count; i++)
    if (!out->numbered[i])
      RDX_TRY(add_column(x, out, i, &grouped, err));
  out->grouped.count = grouped;
  return RDX_OK;
}

void rdx_group_columns_drop(rdx_group_columns *g) {
  rdx_frame_destroy(&g->all);
  rdx_frame_destroy(&g->grouped);
}

/* ---- Results ---- */

/* The rows of a column of numbers. */
static rdx_status list_rows(const rdx_frame_column *numbers, uint64_t count, rdx_row_list **out, rdx_error *err) {
  const rdx_column *c = &numbers->input.column;
  const uint32_t *from = numbers->input.rows;
  uint32_t *rows = NULL;
  RDX_SCOPED(rdx_shared_release) rdx_shared *keeper = NULL;
  RDX_TRY(rdx_alloc(count, sizeof *rows, WHAT, (void **)&rows, err));
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t row = from ? from[i] : i;
    rows[i] = rdx_column_has(c, row) ? ((const uint32_t *)c->values)[row] : RDX_NO_ROW;
  }
  RDX_TRY(rdx_shared_create(rdx_free, rows, &keeper, err));
  return rdx_row_list_create(rows, keeper, count, out, err);
}

rdx_status rdx_group_columns_take(const rdx_group_columns *g, const rdx_frame *groups, rdx_frame *out, rdx_error *err) {
  for (uint32_t i = 0; i < g->all.count; i++) {
    const rdx_frame_column *group = &groups->columns[g->places[i]], *source = &g->all.columns[i];
    rdx_frame_column *to = &out->columns[i];
    if (!g->numbered[i]) {
      rdx_frame_share(group, to);
      continue;
    }
    *to = (rdx_frame_column){.input.column = source->input.column, .table = source->table, .number = source->number};
    for (uint32_t k = 0; k < i && !to->rows; k++)
      if (g->numbered[k] && g->places[k] == g->places[i])
        to->rows = rdx_row_list_retain(out->columns[k].rows);
    if (!to->rows)
      RDX_TRY(list_rows(group, groups->rows, &to->rows, err));
    to->input.rows = rdx_row_list_there(to->rows);
  }
  return RDX_OK;
}
