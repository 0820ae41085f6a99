/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_TREE_TREE_H
#define RDX_KERNELS_TREE_TREE_H

/* C and GLSL: a static search tree without pointers above blocks of sorted entries (the idea of FAST, Kim et al.,
 * SIGMOD 2010: nodes of one cache line).
 *
 * Entries stand in blocks of TREE_LEAF: 32-bit keys as (key, row) pairs of words, 64 bytes; 64-bit keys as eight keys,
 * then eight rows, 96 bytes. A level holds the largest key of each node below it. TREE_FANOUT keys of a level are a
 * node, of 64 bytes; the top level is searched as a whole. The child of the first key that is not below a probe holds
 * the first entry that is not below it.
 *
 * The level above the blocks, which is as large as all others many times over, is coarse, so that caches hold more of
 * it: a node, of 64 bytes, too, is a base and TREE_COARSE_FANOUT keys of 15 bits, which tell how far a key is above the
 * base, without so many low bits as the largest of the node does not fit with. Where these are none, as mostly, the
 * search goes on as above; else keys that differ may look the same, and the entry may be in a later block of the node
 * than the one that it leads to.
 *
 * Where keys are spread evenly enough, the CPU does not go down the levels: a directory tells for each of many cells
 * of the same width, in which a probe may be, where in the level above the coarse one the cell begins. Unless it
 * is one key wide, none has more than TREE_FANOUT of that level's keys.
 *
 * Unused entries and keys are the largest key there is; an entry counts only below `n`. */

#include "kernels/lookup/lookup.h"

#define TREE_CONSTANTS 6 /* KEY64, GATHER, VALUE, DISTINCT, LANES, RANGES: whether there are upper bounds */
#define TREE_LEAF 8
#define TREE_FANOUT(key64) ((key64) != 0 ? 8u : 16u)
#define TREE_COARSE_FANOUT 28u
#define TREE_COARSE_HEAD 4u /* halves of words in front of the keys: the base, in whose low bits stands the shift */
#define TREE_COARSE_SHIFT 63u
#define TREE_COARSE_BITS 15u
#define TREE_COARSE_MAX 0x7fffu
#define TREE_NODE_WORDS 16u
#define TREE_LEVELS 12       /* at most, the top and the coarse level not counted */
#define TREE_TOP_BYTES 16384 /* of the top level, at most */
#define TREE_BLOCK_WORDS(key64) ((key64) != 0 ? 24u : 16u)

/* Levels from the top down. The directory comes after it: a u32 for each cell. */
struct tree_state {
  u64 lowest; /* key of all: where the first cell begins */
  u32 cells;  /* 0: there is no directory */
  u32 shift;  /* cells are 2^shift wide */
  u32 top_count;
  u32 levels;             /* between the top and the coarse level */
  u32 begin[TREE_LEVELS]; /* where each stands in `inner`, in keys */
  u32 count[TREE_LEVELS]; /* its keys, those that fill its last node not counted */
  u32 coarse;             /* where the coarse level stands there, in keys */
};

SHARED_STRUCT(tree_state, 8)

struct tree_args {
  LAUNCH_HEADER;
  LOOKUP_FIELDS;
  PTR(tree_state) state;
  PTR(u32) inner;  /* the top, then the levels below it, then the coarse level */
  PTR(u32) leaves; /* blocks of entries */
  u32 n;           /* entries; 0: nothing else is there */
};
ARGS_SIZE(tree_args, 128);

/* Item: an entry, the unused ones of the last block included. Copy it to its block. */
struct tree_leaves_args {
  LAUNCH_HEADER;
  PTR(u32) keys;
  PTR(u32) rows;
  PTR(u32) leaves;
  u32 n;
};
ARGS_SIZE(tree_leaves_args, 48);

/* Item: a key of a level, unused ones included. It is the largest of `span` entries. */
struct tree_level_args {
  LAUNCH_HEADER;
  PTR(u32) keys; /* of the entries, ascending */
  PTR(u32) inner;
  u64 span;
  u32 begin; /* where the level stands in `inner` */
  u32 n;
};
ARGS_SIZE(tree_level_args, 48);

/* Item: a word of the coarse level, unused keys included. */
struct tree_coarse_args {
  LAUNCH_HEADER;
  PTR(u32) keys; /* of the entries, ascending */
  PTR(u32) coarse;
  u32 n;
};
ARGS_SIZE(tree_coarse_args, 40);

FN u32 tree_blocks(u32 n) {
  return n / TREE_LEAF + TO_U32(n % TREE_LEAF != 0);
}

FN u32 tree_cell(u64 key, u64 lowest, u32 shift, u32 cells) {
  u64 cell = key > lowest ? (key - lowest) >> shift : 0ul;
  return cell < cells ? TO_U32(cell) : cells - 1u;
}

FN u64 tree_coarse_base(u64 head) {
  return head & ~TO_U64(TREE_COARSE_SHIFT);
}

/* A key in the coarse node of such a head, below which no key of it is. */
FN u32 tree_coarse_key(u64 head, u64 key) {
  u64 distance = (key - tree_coarse_base(head)) >> TO_U32(head & TREE_COARSE_SHIFT);
  return distance < TREE_COARSE_MAX ? TO_U32(distance) : TREE_COARSE_MAX;
}

#ifdef RDX_GLSL
#define TREE_BLOCK(leaves, entry, key64) u32_ptr(u64(leaves) + u64((entry) / TREE_LEAF) * (4 * TREE_BLOCK_WORDS(key64)))
#else
#define TREE_BLOCK(leaves, entry, key64) ((leaves) + (u64)((entry) / TREE_LEAF) * TREE_BLOCK_WORDS(key64))
#endif

FN u64 tree_entry_key(PTR(u32) leaves, u32 entry, u32 key64) {
  u32 slot = entry % TREE_LEAF;
  return load_key(TREE_BLOCK(leaves, entry, key64), key64 != 0 ? slot : 2 * slot, key64);
}

/* The first block whose last key is not below `key`, or `end`. */
DEFINE_BOUND(tree_block_from, (PTR(u32) leaves, u32 begin, u32 end, u64 key, u32 key64),
             tree_entry_key(leaves, middle *TREE_LEAF + TREE_LEAF - 1, key64) < key)

FN u32 tree_entry_row(PTR(u32) leaves, u32 entry, u32 key64) {
  u32 slot = entry % TREE_LEAF;
  return AT(TREE_BLOCK(leaves, entry, key64), key64 != 0 ? 16 + slot : 2 * slot + 1);
}

FN void tree_write_entry(PTR(u32) leaves, u32 entry, u32 key64, u64 key, u32 row) {
  u32 slot = entry % TREE_LEAF;
  if (key64 != 0)
    AT(AS_U64_PTR(TREE_BLOCK(leaves, entry, key64)), slot) = key;
  else
    AT(TREE_BLOCK(leaves, entry, key64), 2 * slot) = TO_U32(key);
  AT(TREE_BLOCK(leaves, entry, key64), key64 != 0 ? 16 + slot : 2 * slot + 1) = row;
}

#endif
