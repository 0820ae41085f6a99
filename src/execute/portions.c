/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Rows in portions, whose sizes follow from what comes of them. */

#include "execute/portions.h"

#include "device/device.h"

#define MAX_ROWS ((uint64_t)1 << 23) /* of a portion */
#define MIN_ROWS 4096u
#define ROW_BYTES 64u /* that a row of a portion may take, with all that is calculated of it */
#define CALM 4u       /* portions in a row that were not too large: then they may grow */

uint64_t rdx_portion_rows(const rdx_execution *x) {
  const uint64_t limit = x->device->memory_limit, rows = limit / ROW_BYTES;
  return limit == 0 || rows > MAX_ROWS ? MAX_ROWS : rows < MIN_ROWS ? MIN_ROWS : rows;
}

/* Whether each row of a node comes of one row of the input at `top->left`, or at `top->right`, whatever others there
 * are. */
static bool leads_to(const rdx_plan_node *top, const rdx_plan_node *node, bool joins) {
  if (top->shared)
    return false;
  if (top == node)
    return true;
  if (top->kind == RDX_PLAN_FILTER || top->kind == RDX_PLAN_PROJECT)
    return leads_to(top->left, node, joins);
  if (top->kind != RDX_PLAN_JOIN || top->join == RDX_PLAN_FULL || !joins)
    return false;
  return leads_to(top->left, node, joins) || (top->join == RDX_PLAN_INNER && leads_to(top->right, node, joins));
}

bool rdx_portions_may_begin(const rdx_execution *x, const rdx_plan_node *node, bool joins) {
  /* values of random() go by the numbers of rows, which would begin anew */
  return x->portions && !x->portions->source && !x->plan->random && leads_to(x->portions->top, node, joins);
}

void rdx_portions_begin(rdx_execution *x, const rdx_plan_node *node, uint64_t rows, uint64_t step) {
  rdx_portions *p = x->portions;
  p->source = node;
  p->rows = rows;
  p->step = step > 0 ? step : 1;
}

uint64_t rdx_portions_count(const rdx_portions *p) {
  return p->step < p->rows - p->done ? p->step : p->rows - p->done;
}

void rdx_portions_advance(rdx_execution *x, rdx_portions *p, uint64_t count, uint64_t made) {
  p->done += count;
  if (++p->successes >= CALM && made < rdx_portion_rows(x) / 4 && p->step < p->rows)
    p->step *= 2;
}

bool rdx_portions_halve(rdx_portions *p) {
  p->successes = 0;
  if (p->step == 1)
    return false;
  p->step /= 2;
  return true;
}

rdx_status rdx_portions_next(rdx_execution *x, rdx_portions *p, rdx_frame *out, rdx_error *err) {
  rdx_portions *const outer = x->portions;
  const uint64_t done = p->done;
  rdx_status status;
  x->portions = p;
  for (;;) {
    status = rdx_execute_node(x, p->top, out, err);
    if (status != RDX_ERROR_MEMORY || !p->source || !rdx_portions_halve(p))
      break;
    p->done = done;
  }
  x->portions = outer;
  return status;
}

bool rdx_portions_may_come(const rdx_portions *p) {
  const rdx_plan_node *n = p->top;
  while (!n->shared && (n->kind == RDX_PLAN_FILTER || n->kind == RDX_PLAN_PROJECT))
    n = n->left;
  return !p->source && !n->shared && n->kind == RDX_PLAN_JOIN && n->join != RDX_PLAN_FULL;
}

void rdx_portions_drop(rdx_portions *p) {
  rdx_operand_drop(&p->left);
  rdx_operand_drop(&p->right);
}

/* ---- The first rows ---- */

/* Append the next portion to the rows, no more than so many. */
static rdx_status append_portion(rdx_execution *x, rdx_portions *p, uint64_t max, rdx_frame *rows, rdx_error *err) {
  RDX_SCOPED(rdx_operands_drop) rdx_operand in[2] = {0};
  RDX_SCOPED(rdx_frame_destroy) rdx_frame both = {0};
  uint32_t *first = NULL;
  RDX_TRY(rdx_portions_next(x, p, &in[1].frame, err));
  if (in[1].frame.rows > max) {
    RDX_TRY(rdx_number_rows(x, 0, max, &first, err));
    RDX_TRY(rdx_frame_select(x->pool, &in[1].frame, first, max, err));
  }
  RDX_TRY(rdx_frame_copy(rows, &in[0].frame, err));
  for (uint32_t i = 0; i < 2; i++)
    RDX_TRY(rdx_operand_refresh(x, &in[i], err));
  RDX_TRY(rdx_append_frames(x, p->top, in, &both, err));
  rdx_frame_destroy(rows);
  *rows = RDX_KEEP(both);
  return RDX_OK;
}

rdx_status rdx_execute_first(rdx_execution *x, const rdx_plan_node *node, uint64_t wanted, rdx_frame *out,
                             rdx_error *err) {
  RDX_SCOPED(rdx_portions_drop) rdx_portions p = {.top = node};
  if (wanted > MAX_ROWS)
    return rdx_execute_node(x, node, out, err);
  RDX_SCOPED(rdx_frame_destroy) rdx_frame rows = {0};
  RDX_TRY(rdx_portions_next(x, &p, &rows, err));
  while (rows.rows < wanted && rdx_portions_go_on(&p))
    RDX_TRY(append_portion(x, &p, wanted - rows.rows, &rows, err));
  *out = RDX_KEEP(rows);
  return RDX_OK;
}
