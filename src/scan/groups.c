/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Groups of columns for a workload. */

#include <raydex/scan.h>

#include <string.h>

/* How many of the sets hold a group. */
static uint64_t count_holding(const uint64_t *asked, uint64_t count, uint64_t group) {
  uint64_t n = 0;
  for (uint64_t k = 0; k < count; k++)
    n += (asked[k] & group) == group;
  return n;
}

static bool is_covered(const uint64_t *groups, uint32_t count, uint64_t group) {
  bool covered = group == 0;
  for (uint32_t g = 0; g < count; g++)
    covered |= (groups[g] & group) == group;
  return covered;
}

/* The next piece of a set: up to three of its columns. */
static uint64_t cut_set(uint64_t *left) {
  uint64_t piece = 0;
  for (uint32_t n = 0; n < 3 && *left; n++) {
    piece |= *left & -*left;
    *left &= *left - 1;
  }
  return piece;
}

/* Large sets before those that they hold, and of equal sizes what is asked for most often. */
void rdx_scan_choose_groups(const uint64_t *asked, uint64_t count, uint64_t groups[RDX_SCAN_GROUPS]) {
  uint32_t chosen = 0;
  memset(groups, 0, RDX_SCAN_GROUPS * sizeof *groups);
  for (; chosen < RDX_SCAN_GROUPS; chosen++) {
    uint64_t best = 0, max = 0;
    for (uint64_t k = 0; k < count; k++) {
      for (uint64_t left = asked[k]; left;) {
        const uint64_t piece = cut_set(&left), n = count_holding(asked, count, piece);
        const int larger = __builtin_popcountll(piece) - __builtin_popcountll(best);
        if (!is_covered(groups, chosen, piece) && (larger > 0 || (larger == 0 && n > max))) {
          best = piece;
          max = n;
        }
      }
    }
    if (!best)
      return;
    groups[chosen] = best;
  }
}
