/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_INTERVAL_STABBING_INTERVAL_STABBING_H
#define RDX_KERNELS_INTERVAL_STABBING_INTERVAL_STABBING_H

/* C and GLSL: which of many intervals hold a point: inverse mapping of range lookups, which the thesis (algorithm 6,
 * chapter 6) leaves open. Intervals may overlap in any way.
 *
 * They stand in the order of their lower bounds. Those that hold a point are among the first, up to the last whose
 * lower bound is not above it, and are those of them whose upper bound is not below it. A tree of maxima over the upper
 * bounds leads from each to the next (an interval tree, Cormen et al., section 14.3, with INTERVALS_FANOUT children a
 * node). To count takes two searches: the lower bounds not above the point, less the upper bounds below it. */

#include "kernels/lookup/lookup.h"

#define INTERVALS_FANOUT 16u

/* Item: 32 intervals. Mark those that can hold a point. Constants: KEY64. */
struct interval_stabbing_usable_args {
  LAUNCH_HEADER;
  PTR(u32) lower;
  PTR(u32) upper;
  PTR(u32) valid;
  PTR(u32) bits;
  u32 n;
};
ARGS_SIZE(interval_stabbing_usable_args, 56);

FN u32 usable_intervals(PTR(u32) lower, PTR(u32) upper, PTR(u32) valid, u32 word, u32 n, u32 key64) {
  u32 begin = word * 32, bits = 0;
  for (u32 k = 0; k < 32 && begin + k < n; k++)
    if (has_bit(valid, begin + k) && load_key(lower, begin + k, key64) <= load_key(upper, begin + k, key64))
      bits |= 1u << k;
  return bits;
}

/* Item: a node. The largest of its children, of the `n` on the level below. Constants: KEY64. */
struct interval_stabbing_level_args {
  LAUNCH_HEADER;
  PTR(u32) below;
  PTR(u32) level;
  u32 n;
};
ARGS_SIZE(interval_stabbing_level_args, 40);

FN u64 largest_child(PTR(u32) below, u32 n, u32 node, u32 key64) {
  u32 begin = node * INTERVALS_FANOUT;
  u64 largest = 0ul;
  for (u32 k = begin; k < n && k < begin + INTERVALS_FANOUT; k++) {
    u64 key = load_key(below, k, key64);
    largest = key > largest ? key : largest;
  }
  return largest;
}

/* Item: a point. Constants: KEY64, GATHER (GATHER_COUNT: out_count; GATHER_ROWS: out_rows). */
struct interval_stabbing_args {
  LAUNCH_HEADER;
  PTR(u32) points;
  PTR(u32) valid;
  PTR(u32) lower; /* ascending */
  PTR(u32) upper; /* of the same intervals */
  PTR(u32) rows;
  PTR(u32) tree; /* over `upper`: the nodes above the intervals, then those above these, up to one node */
  PTR(u32) ends; /* the upper bounds, ascending */
  PTR(u32) out_count;
  PTR(u64) offsets;
  PTR(u32) out_rows;
  u32 n;
};
ARGS_SIZE(interval_stabbing_args, 104);

/* The first of the intervals i .. end - 1 whose upper bound is not below `point`, or `end`; `n` in all. Where a node
 * has none, all that is below it is passed over. */
FN u32 next_interval(PTR(u32) upper, PTR(u32) tree, u32 n, u32 i, u32 end, u64 point, u32 key64) {
  while (i < end && load_key(upper, i, key64) < point) {
    u32 node = i, count = n, begin = 0, passed = 1;
    while (count > 1 && node % INTERVALS_FANOUT == 0) {
      node /= INTERVALS_FANOUT;
      if (load_key(tree, begin + node, key64) >= point)
        break;
      count = (count + INTERVALS_FANOUT - 1) / INTERVALS_FANOUT;
      begin += count;
      passed *= INTERVALS_FANOUT; /* wraps to 0 beyond 2^28 intervals a node: then all are passed */
    }
    if (passed == 0 || passed >= end - i)
      return end;
    i += passed;
  }
  return i;
}

#endif
