/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXECUTE_PORTIONS_H
#define RDX_EXECUTE_PORTIONS_H

/* Rows in portions: where those of a join or a series are too many for memory, and an operator above needs only some of
 * them at a time, it runs what is below it again and again, and the join or series gives other rows each time. */

#include "execute/operators.h"

typedef struct rdx_portions {
  const rdx_plan_node *top;    /* whose rows are wanted */
  bool forced;                 /* who wants them has no memory for all at once */
  const rdx_plan_node *source; /* the JOIN or SERIES, at top or below it; NULL: all rows come at once */
  uint64_t rows;               /* of the join's left input, or of the series */
  uint64_t done, step;         /* of these: those that were given, and how many the next portion takes */
  uint32_t successes;          /* since the step was halved */
  rdx_operand left, right;     /* of the join */
} rdx_portions;

/* The next rows of top, for rdx_frame_destroy(). */
RDX_MUST_USE rdx_status rdx_portions_next(rdx_execution *x, rdx_portions *portions, rdx_frame *out, rdx_error *err);
/* Whether there are others. */
static inline bool rdx_portions_go_on(const rdx_portions *p) {
  return p->source && p->done < p->rows;
}
/* Whether rows that came at once might come in portions where it is `forced`. */
bool rdx_portions_may_come(const rdx_portions *portions);
void rdx_portions_drop(rdx_portions *portions);

/* The rows of a node, or some of them, but `wanted` at least where it has them. */
RDX_MUST_USE rdx_status rdx_execute_first(rdx_execution *x, const rdx_plan_node *node, uint64_t wanted, rdx_frame *out,
                                          rdx_error *err);

/* ---- For the source ---- */

/* How many rows a portion should have at most. */
uint64_t rdx_portion_rows(const rdx_execution *x);

/* Whether a node may become the source, with a join above it only where `joins`. */
bool rdx_portions_may_begin(const rdx_execution *x, const rdx_plan_node *node, bool joins);
/* It does. */
void rdx_portions_begin(rdx_execution *x, const rdx_plan_node *node, uint64_t rows, uint64_t step);
/* The rows of the next portion: `count` from portions->done on. */
uint64_t rdx_portions_count(const rdx_portions *portions);
/* They were given, and `made` rows came of them. */
void rdx_portions_advance(rdx_execution *x, rdx_portions *portions, uint64_t count, uint64_t made);
/* They were too many; false: there is one row only. */
bool rdx_portions_halve(rdx_portions *portions);

#endif
