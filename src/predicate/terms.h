/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_PREDICATE_TERMS_H
#define RDX_PREDICATE_TERMS_H

#include <raydex/predicate.h>

#include "column/encoded_column.h"
#include "predicate/code_set.h"

/* The form of predicates that methods evaluate; see scan.h. */

/* True for rows that are not NULL and whose code lies in one of the intervals: ascending, disjoint and not adjacent, at
 * least one, inside of smallest .. largest of the column. (IS NOT NULL is the one interval of all.) */
typedef struct rdx_term {
  uint32_t column;
  uint32_t interval_count;
  const rdx_interval *intervals;
} rdx_term;

/* The share of a range of codes that a term lets through, were codes spread evenly. */
static inline double rdx_term_share(const rdx_term *term, uint64_t smallest, uint64_t largest) {
  double codes = 0;
  for (uint32_t i = 0; i < term->interval_count; i++)
    codes += (double)(term->intervals[i].high - term->intervals[i].low) + 1;
  return codes / ((double)(largest - smallest) + 1);
}

typedef enum rdx_node_kind {
  RDX_NODE_FALSE,
  RDX_NODE_TRUE,
  RDX_NODE_TERM,
  RDX_NODE_NULL, /* rows that are NULL in term.column, which has some */
  RDX_NODE_AND,
  RDX_NODE_OR,
} rdx_node_kind;

/* Children of an AND or OR: at least two, none of them FALSE, TRUE or of the same kind; first the terms, of distinct
 * columns, then NULL nodes, also of distinct columns, then the others. */
typedef struct rdx_node {
  rdx_node_kind kind;
  rdx_term term;
  uint32_t count;
  struct rdx_node *children;
} rdx_node;

/* Levels of a predicate tree that are allowed, so that recursion has a bound. */
#define RDX_PREDICATE_DEPTH 200

/* Bring a predicate over `columns` into the form. What `*out` points to is in the arena. */
RDX_MUST_USE rdx_status rdx_predicate_normalize(const rdx_encoded_column *columns, uint32_t count,
                                                const rdx_predicate *predicate, rdx_arena *arena, rdx_node *out,
                                                rdx_error *err);

#endif
