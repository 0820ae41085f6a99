/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_BTREE_BTREE_H
#define RDX_KERNELS_BTREE_BTREE_H

/* C and GLSL: a B+-tree ("B+" in RTIndeX, section 4.1, and cgRX, section 5).
 *
 * Leaves have BTREE_WIDTH entries: keys beside each other, rows in an array of their own. Entries ascend by key, then
 * row, within a leaf and from leaf to leaf; equal keys may span leaves. What a leaf does not use holds the largest key
 * and NO_ROW. No leaf is empty.
 *
 * Inner nodes have BTREE_WIDTH separators. The children of a node lie side by side, so that it needs no pointers (Rao
 * and Ross, "Making B+-Trees Cache Conscious in Main Memory", section 4). Level 0 has the last key of each leaf in the
 * order of the leaves, level k + 1 the last separator of each node of level k. The last separator of a level, and what
 * fills its last node, is the largest key there is. So the child to follow for a key is the number of separators below
 * it, there always is such a child, and the leaf found is the first that holds a key not below it.
 *
 * Leaves lie in their order when the tree is built. Updates replace leaves by others elsewhere, and then `order` has
 * the leaf at each place. It is the links between leaves and the children of level 0 in one array. */

#include "kernels/changes/changes.h"

#define BTREE_WIDTH 16
#define BTREE_MAX_LEAVES 0x0fffffffu /* entries are numbered in u32 */
#define BTREE_CONSTANTS 5            /* KEY64, GATHER, VALUE, LEVELS, DISTINCT */

/* What lookups need less often than the keys. */
struct btree_state {
  PTR(u32) rows;
  PTR(u32) order;  /* 0: leaf i is at place i */
  PTR(u64) starts; /* the entries before each place, and of all; 0: `per_leaf` a leaf, the last may have less */
  u32 n;           /* entries */
  u32 per_leaf;
};

SHARED_STRUCT(btree_state, 8)

#ifdef RDX_GLSL
#define BIT_COUNT(x) u32(bitCount(x))
#define LOWEST_BIT(x) u32(findLSB(x))
#else
#define BIT_COUNT(x) ((u32)__builtin_popcount(x))
#define LOWEST_BIT(x) ((u32)__builtin_ctz(x))
#endif

/* Lookups. Exactly 128 bytes. */
struct btree_args {
  LAUNCH_HEADER;
  LOOKUP_FIELDS;
  PTR(u32) keys;   /* of the leaves */
  PTR(u32) levels; /* of inner nodes, the root first */
  PTR(btree_state) state;
  u32 leaves;
  u32 unused;
};
ARGS_SIZE(btree_args, 128);

/* Item: a probe. The nodes that its lookup looks into: `depth` for each search from the root. */
struct btree_visits_args {
  LAUNCH_HEADER;
  PTR(u32) lower;
  PTR(u32) upper;
  PTR(u32) valid;
  PTR(u32) out_visits;
  u32 depth;
};
ARGS_SIZE(btree_visits_args, 56);

/* Item: an entry of a leaf. Deal `n` sorted keys and rows to leaves, `per_leaf` each. */
struct btree_load_args {
  LAUNCH_HEADER;
  PTR(u32) keys;
  PTR(u32) rows;
  PTR(u32) keys_out;
  PTR(u32) rows_out;
  u32 n;
  u32 per_leaf;
};
ARGS_SIZE(btree_load_args, 56);

/* Item: a separator of a level, those that fill its last node included. Separator i is key `last` of node i of
 * `below`. */
struct btree_level_args {
  LAUNCH_HEADER;
  PTR(u32) below;
  PTR(u32) level;
  u32 size; /* separators less those that fill */
  u32 last;
};
ARGS_SIZE(btree_level_args, 40);

/* Separators of a level: one for each node below it. */
FN u32 btree_level_size(u32 leaves, u32 level) {
  return (leaves + (1u << 4 * level) - 1u) >> 4 * level;
}

/* The entries before a place. */
FN u32 btree_start(PTR(u64) starts, u32 n, u32 per_leaf, u32 place) {
  if (!IS_NULL(starts))
    return TO_U32(AT(starts, place));
  u64 start = TO_U64(place) * per_leaf;
  return start < n ? TO_U32(start) : n;
}

FN u32 btree_leaf(PTR(u32) order, u32 place) {
  return IS_NULL(order) ? place : AT(order, place);
}

FN u32 btree_visits(PTR(u32) lower, PTR(u32) upper, PTR(u32) valid, u32 depth, u32 i, u32 key64) {
  if (!has_bit(valid, i) || (!IS_NULL(upper) && load_key(lower, i, key64) > load_key(upper, i, key64)))
    return 0;
  return IS_NULL(upper) ? depth : 2 * depth;
}

FN u64 btree_largest_key(u32 key64) {
  return key64 != 0 ? 0xfffffffffffffffful : 0xfffffffful;
}

#endif
