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

/* The head of the coarse node that begins with a block. */
#define TREE_COARSE_HEAD_OF(out, block, key64)                                                                         \
  do {                                                                                                                 \
    u64 head_first = TO_U64(block) * TREE_LEAF, head_end = head_first + TREE_COARSE_FANOUT * TREE_LEAF;                \
    u64 head_base = tree_coarse_base(head_first == 0 ? 0ul : TREE_KEY_BEFORE(head_first, key64));                      \
    u64 head_distance = TREE_KEY_BEFORE(head_end, key64) - head_base;                                                  \
    u32 head_high = TO_U32(head_distance >> 32), head_low = TO_U32(head_distance);                                     \
    u32 head_bits = head_high != 0 ? HIGHEST_BIT(head_high) + 33u : head_low != 0 ? HIGHEST_BIT(head_low) + 1u : 0u;   \
    out = head_base | (head_bits > TREE_COARSE_BITS ? head_bits - TREE_COARSE_BITS : 0u);                              \
  } while (false)

/* A block's key in the coarse node of such a head. */
#define TREE_COARSE_KEY_OF(out, head, block, key64)                                                                    \
  do {                                                                                                                 \
    out = TREE_COARSE_MOST;                                                                                            \
    if ((block) < tree_blocks(a.n))                                                                                    \
      out = tree_coarse_key(head, TREE_KEY_BEFORE((TO_U64(block) + 1ul) * TREE_LEAF, key64));                          \
  } while (false)

#define TREE_MAKE_COARSE(i, key64)                                                                                     \
  do {                                                                                                                 \
    u32 coarse_i = i, coarse_word = coarse_i % TREE_NODE_WORDS, coarse_low, coarse_high;                               \
    u32 coarse_first = coarse_i / TREE_NODE_WORDS * TREE_COARSE_FANOUT;                                                \
    u32 coarse_block = coarse_first + 2 * coarse_word - TREE_COARSE_HEAD;                                              \
    u64 coarse_head;                                                                                                   \
    TREE_COARSE_HEAD_OF(coarse_head, coarse_first, key64);                                                             \
    TREE_COARSE_KEY_OF(coarse_low, coarse_head, coarse_block, key64);                                                  \
    TREE_COARSE_KEY_OF(coarse_high, coarse_head, coarse_block + 1, key64);                                             \
    if (coarse_word < TREE_COARSE_HEAD / 2)                                                                            \
      AT(a.coarse, coarse_i) = TO_U32(coarse_head >> (32 * coarse_word));                                              \
    else                                                                                                               \
      AT(a.coarse, coarse_i) = coarse_low | coarse_high << 16;                                                         \
  } while (false)

#endif
