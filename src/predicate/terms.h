/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_PREDICATE_TERMS_H
#define RDX_PREDICATE_TERMS_H

#include <raydex/predicate.h>

#include "column/encoded_column.h"
#include "predicate/code_set.h"

/* The form of predicates that methods of scans and stars evaluate: a tree of AND and OR over terms. NOT goes down to
 * the leaves, where it turns them round (three-valued logic allows that, with a comparison with a NULL literal being
 * false both ways); what is left asks only "is it true". A leaf is a term: the key, or code, of a column lies in a set
 * of disjoint intervals. Terms of one column under one AND are intersected, under one OR united (RTScan, section 3.1:
 * one predicate a column). */

/* What terms are sets of: the keys of columns, or the packed codes, of which NULL has one, too. */
typedef enum rdx_domain { RDX_DOMAIN_KEYS, RDX_DOMAIN_CODES } rdx_domain;

/* True for rows whose key, or code, is in the set, which is not empty. Keys are those of rows that are not NULL, inside
 * of smallest .. largest of the column (IS NOT NULL is the one interval of all). */
typedef struct rdx_term {
  uint32_t column;
  rdx_code_set set;
} rdx_term;

/* The selectivity of a term: the part of a range of codes that it lets through, were codes spread evenly. */
static inline double rdx_term_selectivity(const rdx_term *term, uint64_t smallest, uint64_t largest) {
  return rdx_code_set_size(&term->set) / ((double)(largest - smallest) + 1);
}

typedef enum rdx_node_kind {
  RDX_NODE_FALSE,
  RDX_NODE_TRUE,
  RDX_NODE_TERM,
  RDX_NODE_NULL, /* keys: rows that are NULL in term.column, which has some */
  RDX_NODE_AND,
  RDX_NODE_OR,
} rdx_node_kind;

/* Children of an AND or OR: at least two, none of them FALSE, TRUE or of the same kind; first the terms, of distinct
 * columns, then NULL nodes, also of distinct columns, then the others. */
typedef struct rdx_term_node {
  rdx_node_kind kind;
  rdx_term term;
  uint32_t count;
  struct rdx_term_node *children;
} rdx_term_node;

/* Of a comparison x < y the one that says the same of y and x. */
rdx_predicate_kind rdx_predicate_mirrored(rdx_predicate_kind kind);

/* Levels of a predicate tree that are allowed, so that recursion has a bound. */
#define RDX_PREDICATE_DEPTH 200

/* Bring a predicate over `columns` into the form. What `*out` points to is in the arena. */
RDX_MUST_USE rdx_status rdx_predicate_normalize(const rdx_encoded_column *columns, uint32_t count, rdx_domain domain,
                                                const rdx_predicate *predicate, rdx_arena *arena, rdx_term_node *out,
                                                rdx_error *err);

#endif
