/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef TESTS_DEVICE_PREDICATES_H
#define TESTS_DEVICE_PREDICATES_H

/* Random predicates, and their truth by looking at the values themselves, in three-valued logic. */

#include "reference.h"

#define TREE_NODES 64

typedef struct tree {
  rdx_predicate nodes[TREE_NODES]; /* the children of a node lie side by side, after it; node 0 is the root */
  test_column literals[TREE_NODES];
  uint32_t count;
} tree;

void tree_make(const rdx_column *columns, uint32_t count, tree *made);
void tree_free(tree *made);

/* Whether a predicate is true, of row rows[i] of column i. */
bool predicate_holds(const rdx_column *columns, const uint64_t *rows, const rdx_predicate *predicate);

void predicate_print(const rdx_predicate *predicate, int depth);

#endif
