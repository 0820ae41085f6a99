/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Extreme texts: threads find that of each piece of the rows. */

#include "execute/extremes.h"

#include "column/column.h"

#define WHAT "the smallest text"
#define PIECE 16384u /* rows */

bool rdx_is_extreme_text(const rdx_frame *frame, const rdx_plan_aggregate *aggregate) {
  if ((aggregate->kind != RDX_PLAN_MIN && aggregate->kind != RDX_PLAN_MAX) ||
      aggregate->value->kind != RDX_BOUND_COLUMN)
    return false;
  const rdx_column *c = &frame->columns[aggregate->value->index].input.column;
  return c->type == RDX_TYPE_STRING && !c->dictionary;
}

typedef struct search {
  const rdx_input *in;
  uint64_t rows;
  bool largest;
  uint32_t *found; /* the place of that of each piece; RDX_NO_ROW: all are NULL */
} search;

static uint32_t row_at(const search *s, uint32_t place) {
  return place == RDX_NO_ROW || !s->in->rows ? place : s->in->rows[place];
}

static uint32_t better(const search *s, uint32_t now, uint32_t place) {
  const rdx_column *c = &s->in->column;
  const uint32_t row = row_at(s, place);
  if (row == RDX_NO_ROW || !rdx_column_has(c, row))
    return now;
  if (now == RDX_NO_ROW)
    return place;
  const int order = rdx_column_compare_strings(c, row, c, row_at(s, now));
  return (s->largest ? order > 0 : order < 0) ? place : now;
}

static void search_pieces(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const search *s = context;
  for (uint64_t piece = begin; piece < end; piece++) {
    const uint64_t first = piece * PIECE, last = s->rows - first < PIECE ? s->rows : first + PIECE;
    s->found[piece] = RDX_NO_ROW;
    for (uint64_t i = first; i < last; i++)
      s->found[piece] = better(s, s->found[piece], (uint32_t)i);
  }
}

static rdx_status find(rdx_execution *x, const rdx_input *in, uint64_t rows, bool largest, uint32_t *out,
                       rdx_error *err) {
  const uint64_t pieces = (rows + PIECE - 1) / PIECE;
  RDX_SCOPED(rdx_free_local) uint32_t *found = NULL;
  RDX_TRY(rdx_alloc(pieces, sizeof *found, WHAT, (void **)&found, err));
  search s = {in, rows, largest, found};
  RDX_TRY(rdx_pool_run_stage(x->pool, pieces, 1, search_pieces, &s, "execute", err));
  *out = RDX_NO_ROW;
  for (uint64_t i = 0; i < pieces; i++)
    *out = better(&s, *out, found[i]);
  return RDX_OK;
}

rdx_status rdx_extreme_texts_run(rdx_execution *x, rdx_frame *frame, const rdx_plan_aggregate *aggregates,
                                 uint32_t count, rdx_frame *out, rdx_error *err) {
  RDX_TRY(rdx_frame_create(count, 1, out, err));
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t index = aggregates[i].value->index;
    RDX_SCOPED(rdx_frame_destroy) rdx_frame one = {0};
    RDX_SCOPED(rdx_free_local) uint32_t *row = NULL;
    RDX_TRY(rdx_frame_bring_column(frame, index, err));
    const rdx_input *in = &frame->columns[index].input;
    RDX_TRY(rdx_alloc(1, sizeof *row, WHAT, (void **)&row, err));
    RDX_TRY(find(x, in, frame->rows, aggregates[i].kind == RDX_PLAN_MAX, row, err));
    RDX_TRY(rdx_frame_create(1, frame->rows, &one, err));
    rdx_frame_share(&frame->columns[index], &one.columns[0]);
    RDX_TRY(rdx_frame_select(x->pool, &one, RDX_KEEP(row), 1, err));
    rdx_frame_share(&one.columns[0], &out->columns[i]);
  }
  return RDX_OK;
}
