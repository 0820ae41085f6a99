/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_TREE_TREE_BUILD_H
#define RDX_KERNELS_TREE_TREE_BUILD_H

/* C and GLSL: the build steps of the tree. */

#include "kernels/tree/tree.h"

FN void tree_make_leaf(tree_leaves_args a, u32 entry, u32 key64) {
  if (entry < a.n)
    tree_write_entry(a.leaves, entry, key64, load_key(a.keys, entry, key64), AT(a.rows, entry));
  else
    tree_write_entry(a.leaves, entry, key64, ~0ul, NO_ROW);
}

/* The largest key before entry `end` of `n`. */
FN u64 tree_key_before(PTR(u32) keys, u32 n, u64 end, u32 key64) {
  return load_key(keys, TO_U32(end < n ? end : TO_U64(n)) - 1u, key64);
}

FN void tree_make_key(tree_level_args a, u32 i, u32 key64) {
  u64 first = i * a.span, key = first < a.n ? tree_key_before(a.keys, a.n, first + a.span, key64) : ~0ul;
  store_key(a.inner, a.begin + i, key, key64);
}

/* The head of the coarse node that begins with a block. */
FN u64 tree_coarse_head_of(tree_coarse_args a, u32 block, u32 key64) {
  u64 first = TO_U64(block) * TREE_LEAF, end = first + TREE_COARSE_FANOUT * TREE_LEAF;
  u64 base = tree_coarse_base(first == 0 ? 0ul : tree_key_before(a.keys, a.n, first, key64));
  u64 distance = tree_key_before(a.keys, a.n, end, key64) - base;
  u32 high = TO_U32(distance >> 32), low = TO_U32(distance);
  u32 bits = high != 0 ? HIGHEST_BIT(high) + 33u : low != 0 ? HIGHEST_BIT(low) + 1u : 0u;
  return base | (bits > TREE_COARSE_BITS ? bits - TREE_COARSE_BITS : 0u);
}

/* A block's key in the coarse node of such a head. */
FN u32 tree_coarse_key_of(tree_coarse_args a, u64 head, u32 block, u32 key64) {
  if (block >= tree_blocks(a.n))
    return TREE_COARSE_MAX;
  return tree_coarse_key(head, tree_key_before(a.keys, a.n, (TO_U64(block) + 1ul) * TREE_LEAF, key64));
}

FN void tree_make_coarse(tree_coarse_args a, u32 i, u32 key64) {
  u32 word = i % TREE_NODE_WORDS, first = i / TREE_NODE_WORDS * TREE_COARSE_FANOUT;
  u32 block = first + 2 * word - TREE_COARSE_HEAD;
  u64 head = tree_coarse_head_of(a, first, key64);
  if (word < TREE_COARSE_HEAD / 2)
    AT(a.coarse, i) = TO_U32(head >> (32 * word));
  else
    AT(a.coarse, i) = tree_coarse_key_of(a, head, block, key64) | tree_coarse_key_of(a, head, block + 1, key64) << 16;
}

#endif
