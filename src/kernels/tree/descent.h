/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_TREE_DESCENT_H
#define RDX_KERNELS_TREE_DESCENT_H

#include "kernels/tree/tree.h"

#define TREE_BATCH 128

/* Searches that go down together, each fetching its next node while the others look into theirs. */
struct tree_batch {
  uint32_t count;
  uint64_t key[TREE_BATCH];
  uint32_t entry[TREE_BATCH]; /* found: the first entry that is not below the key */
  uint32_t row[TREE_BATCH];   /* its row where its key is equal, else NO_ROW */
};

/* The CPU's search, with the widest instructions that this CPU has. */
void tree_search(const struct tree_args *args, uint32_t key64, struct tree_batch *batch);

#endif
