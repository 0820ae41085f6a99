/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_BTREE_BTREE_SCAN_H
#define RDX_KERNELS_BTREE_BTREE_SCAN_H

/* C and GLSL: scan a range of keys of a B+-tree to a bitmap of their rows. Walkers share the leaves between the ends of
 * the range. A walker has one lane, or BTREE_WIDTH, of which each looks at its entry of every leaf. */

#include "kernels/btree/btree_update.h"
#include "kernels/sieve/sieve.h"

/* Item: a lane of a walker. */
struct btree_scan_args {
  LAUNCH_HEADER;
  PTR(u32) keys; /* of the leaves */
  PTR(u32) levels;
  PTR(btree_state) state;
  PTR(u32) out_bits;
  u64 low;
  u64 high;
  u32 leaves;
  u32 depth;
  u32 walkers;
  u32 lanes; /* 1 or BTREE_WIDTH */
};
ARGS_SIZE(btree_scan_args, 80);

/* The first leaf of walker `i`: they share `leaves` evenly. */
FN u32 btree_walk_begin(u32 leaves, u32 walkers, u32 i) {
  return TO_U32(TO_U64(leaves) * i / walkers);
}

FN void btree_scan(btree_scan_args a, u32 i, u32 key64) {
  btree_state t = AT(a.state, 0);
  u32 walker = i / a.lanes, lane = i % a.lanes;
  u32 begin = btree_find(a.levels, a.leaves, a.depth, a.low, key64);
  u32 last = a.leaves - 1;
  if (a.high != btree_largest_key(key64))
    last = btree_find(a.levels, a.leaves, a.depth, a.high + 1, key64);
  u32 length = last + 1 - begin;
  u32 end = begin + btree_walk_begin(length, a.walkers, walker + 1);
  for (u32 place = begin + btree_walk_begin(length, a.walkers, walker); place < end; place++) {
    u32 leaf = btree_leaf(t.order, place) * BTREE_WIDTH;
    u32 entries = btree_start(t.starts, t.n, t.per_leaf, place + 1) - btree_start(t.starts, t.n, t.per_leaf, place);
    for (u32 k = lane; k < entries; k += a.lanes) {
      u64 key = load_key(a.keys, leaf + k, key64);
      if (key >= a.low && key <= a.high)
        sieve_put(a.out_bits, AT(t.rows, leaf + k), true);
    }
  }
}

#endif
