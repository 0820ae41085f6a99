/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_TREE_TREE_BUILD_H
#define RDX_KERNELS_TREE_TREE_BUILD_H

/* C and GLSL: the build steps of the tree, with the args declared as `a` (C: a macro for them). */

#include "kernels/tree/tree.h"

#define TREE_MAKE_LEAF(entry, key64)                                                                                   \
  do {                                                                                                                 \
    u32 leaf_entry = entry;                                                                                            \
    if (leaf_entry < a.n)                                                                                              \
      tree_write_entry(a.leaves, leaf_entry, key64, load_key(a.keys, leaf_entry, key64), AT(a.rows, leaf_entry));      \
    else                                                                                                               \
      tree_write_entry(a.leaves, leaf_entry, key64, ~0ul, NO_ROW);                                                     \
  } while (false)

#define TREE_MAKE_KEY(i, key64)                                                                                        \
  do {                                                                                                                 \
    u32 level_i = i;                                                                                                   \
    u64 level_first = level_i * a.span, level_end = level_first + a.span;                                              \
    u64 level_key = ~0ul;                                                                                              \
    if (level_first < a.n)                                                                                             \
      level_key = load_key(a.keys, TO_U32(level_end < a.n ? level_end : a.n) - 1, key64);                              \
    if ((key64) != 0)                                                                                                  \
      AT(AS_U64_PTR(a.inner), a.begin + level_i) = level_key;                                                          \
    else                                                                                                               \
      AT(a.inner, a.begin + level_i) = TO_U32(level_key);                                                              \
  } while (false)

/* The largest key before entry `end` of all. */
#define TREE_KEY_BEFORE(end, key64) load_key(a.keys, TO_U32((end) < a.n ? (end) : a.n) - 1u, key64)

/* The key of a block in its coarse node. */
#define TREE_COARSE_KEY(out, block, key64)                                                                             \
  do {                                                                                                                 \
    u64 coarse_node = (block) / TREE_COARSE_FANOUT * (TREE_COARSE_FANOUT * TREE_LEAF);                                 \
    u64 coarse_low = coarse_node == 0 ? 0ul : TREE_KEY_BEFORE(coarse_node, key64);                                     \
    u64 coarse_high = TREE_KEY_BEFORE(coarse_node + TREE_COARSE_FANOUT * TREE_LEAF, key64);                            \
    u64 coarse_key = TREE_KEY_BEFORE((TO_U64(block) + 1ul) * TREE_LEAF, key64) - coarse_low;                           \
    out = (block) < tree_blocks(a.n) ? TO_U32(coarse_key >> tree_coarse_shift(coarse_high - coarse_low))               \
                                     : TREE_COARSE_MOST;                                                               \
  } while (false)

#define TREE_MAKE_COARSE(i, key64)                                                                                     \
  do {                                                                                                                 \
    u32 coarse_i = i, coarse_first, coarse_second;                                                                     \
    TREE_COARSE_KEY(coarse_first, 2 * coarse_i, key64);                                                                \
    TREE_COARSE_KEY(coarse_second, 2 * coarse_i + 1, key64);                                                           \
    AT(a.coarse, coarse_i) = coarse_first | coarse_second << 16;                                                       \
  } while (false)

#endif
