/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXECUTE_FRAME_H
#define RDX_EXECUTE_FRAME_H

/* What passes between operators: columns of equal length, each a host column and the rows of it that count. */

#include "catalog/catalog.h"
#include "execute/rows.h"
#include "expression/evaluate.h"

/* Where the rows are on a device only, input.rows is NULL until rdx_frame_bring() has brought them. */
typedef struct rdx_frame_column {
  rdx_input input;          /* what evaluates reads */
  rdx_shared *values;       /* keeps input.column; NULL: a base table does, which outlives the frame */
  rdx_row_list *rows;       /* NULL: all rows of input.column, in order */
  rdx_catalog_table *table; /* whose column `number` input.column is; NULL: it is none of a table */
  uint32_t number;
} rdx_frame_column;

typedef struct rdx_frame {
  uint64_t rows;
  uint32_t count;
  rdx_frame_column *columns;
} rdx_frame;

/* All zero is a frame without columns. */
RDX_MUST_USE rdx_status rdx_frame_create(uint32_t columns, uint64_t rows, rdx_frame *out, rdx_error *err);
void rdx_frame_destroy(rdx_frame *frame);
RDX_MUST_USE rdx_status rdx_frame_copy(const rdx_frame *frame, rdx_frame *out, rdx_error *err);
/* The columns of a frame, then those of another of as many rows (none: `right` is all zero). */
RDX_MUST_USE rdx_status rdx_frame_join(const rdx_frame *left, const rdx_frame *right, rdx_frame *out, rdx_error *err);
/* An empty column becomes another one as well. */
void rdx_frame_share(const rdx_frame_column *from, rdx_frame_column *to);

/* The vector becomes column `index`; it is empty afterwards, also on failure. `source` (may be NULL) is the frame that
 * it was calculated from, and may borrow a dictionary of. */
RDX_MUST_USE rdx_status rdx_frame_take_from(rdx_frame *frame, uint32_t index, rdx_vector *vector,
                                            const rdx_frame *source, rdx_error *err);
RDX_MUST_USE rdx_status rdx_frame_take(rdx_frame *frame, uint32_t index, rdx_vector *vector, rdx_error *err);
/* The frame's rows become its rows[i]; RDX_NO_ROW is a row of NULLs. `rows` is taken over, also on
 * failure: it came from rdx_alloc(). */
RDX_MUST_USE rdx_status rdx_frame_select(rdx_pool *pool, rdx_frame *frame, uint32_t *rows, uint64_t count,
                                         rdx_error *err);
/* The same with rows that `keeper` keeps. */
RDX_MUST_USE rdx_status rdx_frame_choose(rdx_pool *pool, rdx_frame *frame, const uint32_t *rows, rdx_shared *keeper,
                                         uint64_t count, rdx_error *err);
/* The same with a list. Where that or the rows of a column are on a device only, the choice is made there. */
RDX_MUST_USE rdx_status rdx_frame_choose_list(rdx_pool *pool, rdx_frame *frame, rdx_row_list *rows, rdx_error *err);
/* Bring the rows of a column, or of all, to the host. */
RDX_MUST_USE rdx_status rdx_frame_bring_column(rdx_frame *frame, uint32_t index, rdx_error *err);
RDX_MUST_USE rdx_status rdx_frame_bring(rdx_frame *frame, rdx_error *err);
/* The inputs of all columns, in order, for rdx_evaluation; memory is the arena's. */
RDX_MUST_USE rdx_status rdx_frame_inputs(const rdx_frame *frame, rdx_arena *arena, rdx_input **out, rdx_error *err);

#endif
