/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXECUTE_WINDOW_H
#define RDX_EXECUTE_WINDOW_H

/* Window functions at work, and the sums of frames. */

#include "base/wide.h"
#include "execute/keys.h"
#include "execute/operators.h"

/* Marks of rows in order: where a partition, and where rows that are equal in ORDER BY, begin. */
#define RDX_WINDOW_PARTITION 1u
#define RDX_WINDOW_PEERS 2u

typedef struct rdx_windowing {
  rdx_execution *x;
  rdx_operand in;
  uint64_t rows;
  uint32_t *order; /* rows as PARTITION BY and ORDER BY sort them */
  uint8_t *marks;  /* of places in that order */
} rdx_windowing;

/* A sum that values come to and go from: exact, whole numbers in `whole`, floats in units of 2^-1074. */
typedef struct rdx_window_sum {
  uint64_t count;            /* of values, NULLs aside */
  uint64_t nans, ups, downs; /* of them NaN and infinities */
  rdx_i128 whole;
  uint64_t real[RDX_WIDE_WORDS];
  uint32_t bits[64]; /* of bit_and and so on: the values that have each bit */
} rdx_window_sum;

/* The count of pairs of values that come and go, their sums, and the sum of their products: exact, whole numbers or in
 * units of 2^-1074, products in those of 2^-2148. */
typedef struct rdx_window_moment {
  uint64_t count, specials; /* specials: pairs with NaN or an infinity */
  uint64_t sums[2][RDX_WIDE_WORDS], products[RDX_WIDE_MAX_WORDS];
} rdx_window_moment;

/* A function. */
typedef struct rdx_window_run {
  const rdx_plan_window *window;
  rdx_vector value, other;
  uint64_t begin_offset, end_offset;
  rdx_vector range_value, range_begin, range_end; /* RANGE with distances */
  uint32_t *groups;                               /* GROUPS: where each begins, by places; then `rows` */
  uint64_t group_count;
  int64_t number;
  bool no_number; /* it is NULL */
  void *values;   /* of the result */
  uint8_t *validity;
  rdx_window_sum sum;
  rdx_window_moment moment;
} rdx_window_run;

/* The columns of PARTITION BY, then those of ORDER BY. */
typedef struct rdx_window_keys {
  rdx_key_column *columns;
  rdx_vector *flat; /* that they view */
  uint32_t count;
} rdx_window_keys;

RDX_MUST_USE rdx_status rdx_window_keys_create(rdx_windowing *w, const rdx_plan_window *p, rdx_window_keys *out,
                                               rdx_error *err);
void rdx_window_keys_destroy(rdx_window_keys *keys); /* also after a failure */

/* Leave rows of `in` out that have none of the node's first numbers. */
RDX_MUST_USE rdx_status rdx_window_keep_firsts(rdx_windowing *w, const rdx_plan_node *node, rdx_error *err);

/* Memory for the order of the rows of `in`; what rdx_window_end() frees, with `in`. */
RDX_MUST_USE rdx_status rdx_window_begin(rdx_windowing *w, rdx_error *err);
void rdx_window_end(rdx_windowing *w);
/* Sort the rows as a window's PARTITION BY and ORDER BY say; equal ones stay as they are. */
RDX_MUST_USE rdx_status rdx_window_sort(rdx_windowing *w, const rdx_plan_window *p, rdx_error *err);

/* Counts, sums, averages and co-moments: the frame is empty. */
void rdx_window_sum_clear(rdx_window_run *r);
/* The value of a row is in the frame from now on, or no more. */
void rdx_window_sum_change(rdx_window_run *r, uint32_t row, bool in);
/* What the function is of the frame, as the result of a row. */
RDX_MUST_USE rdx_status rdx_window_sum_store(const rdx_windowing *w, const rdx_window_run *r, bool empty, uint32_t row,
                                             rdx_error *err);

#endif
