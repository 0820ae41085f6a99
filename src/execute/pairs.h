/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXECUTE_PAIRS_H
#define RDX_EXECUTE_PAIRS_H

/* Pairs of rows of a join's two inputs. */

#include <raydex/join.h>

#include "execute/operators.h"

/* In the order of left rows; `right` NULL: left rows alone. */
typedef struct rdx_pairs {
  uint64_t count;
  const uint32_t *left, *right;
  rdx_shared *left_keeper, *right_keeper;
} rdx_pairs;

typedef struct rdx_joining {
  rdx_execution *x;
  const rdx_plan_node *node;
  rdx_operand left, right;
  rdx_vector left_key, right_key; /* one column for all keys */
} rdx_joining;

/* Calculate the keys of both inputs. */
RDX_MUST_USE rdx_status rdx_join_keys(rdx_joining *j, rdx_error *err);
void rdx_join_keys_drop(rdx_joining *j);

/* Pairs with equal keys; of semi and anti joins left rows. */
RDX_MUST_USE rdx_status rdx_pairs_equal(rdx_joining *j, rdx_join_kind kind, rdx_pairs *out, rdx_error *err);
/* All pairs, or those for which the node's filter is true. */
RDX_MUST_USE rdx_status rdx_pairs_cross(rdx_joining *j, rdx_pairs *out, rdx_error *err);
/* Keep those for which the node's filter is true. */
RDX_MUST_USE rdx_status rdx_pairs_filter(rdx_joining *j, rdx_pairs *pairs, rdx_error *err);
void rdx_pairs_drop(rdx_pairs *pairs);

/* Pairs of these arrays, which are taken over, also on failure; `right` may be NULL. */
RDX_MUST_USE rdx_status rdx_pairs_take(uint32_t *left, uint32_t *right, uint64_t count, rdx_pairs *out, rdx_error *err);

/* The frame of pairs: columns of the left input, then of the right one where there are right rows. */
RDX_MUST_USE rdx_status rdx_pairs_frame(const rdx_joining *j, const rdx_pairs *pairs, rdx_frame *out, rdx_error *err);

#endif
