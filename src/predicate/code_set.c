/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Sets of codes as lists of intervals. Intersections are unions of complements. */

#include "predicate/code_set.h"

#include <stdlib.h>

#include "device/search.h"

static int compare_lows(const void *x, const void *y) {
  const uint64_t a = ((const rdx_interval *)x)->low, b = ((const rdx_interval *)y)->low;
  return (a > b) - (a < b);
}

uint32_t rdx_code_set_union(rdx_interval *list, uint32_t count) {
  if (count <= 1)
    return count;
  qsort(list, count, sizeof *list, compare_lows);
  uint32_t last = 0;
  for (uint32_t i = 1; i < count; i++) {
    if (list[last].high == UINT64_MAX || list[i].low <= list[last].high + 1)
      list[last].high = list[i].high > list[last].high ? list[i].high : list[last].high;
    else
      list[++last] = list[i];
  }
  return last + 1;
}

DEFINE_BOUND(first_from, (const rdx_interval *list, u32 begin, u32 end, u64 code), list[middle].high < code)

uint32_t rdx_code_set_from(const rdx_interval *list, uint32_t first, uint32_t count, uint64_t code) {
  uint32_t step = 1;
  while (step < count - first && list[first + step - 1].high < code) {
    first += step;
    step *= 2;
  }
  return first_from(list, first, step < count - first ? first + step : count, code);
}

bool rdx_code_set_has(const rdx_code_set *set, uint64_t code) {
  const uint32_t i = rdx_code_set_from(set->list, 0, set->count, code);
  return i < set->count && set->list[i].low <= code;
}

double rdx_code_set_size(const rdx_code_set *set) {
  double codes = 0;
  for (uint32_t i = 0; i < set->count; i++)
    codes += (double)(set->list[i].high - set->list[i].low) + 1;
  return codes;
}

rdx_status rdx_code_set_complement(rdx_code_set set, uint64_t low, uint64_t high, rdx_arena *arena, rdx_code_set *out,
                                   rdx_error *err) {
  rdx_interval *list = NULL;
  uint32_t count = 0;
  bool open = true; /* codes from `low` on are still to be given */
  RDX_TRY(rdx_arena_alloc(arena, (size_t)set.count + 1, sizeof *list, "a predicate", (void **)&list, err));
  for (uint32_t i = 0; i < set.count; i++) {
    if (set.list[i].low > low)
      list[count++] = (rdx_interval){low, set.list[i].low - 1};
    open = set.list[i].high < high;
    low = set.list[i].high + 1;
  }
  if (open)
    list[count++] = (rdx_interval){low, high};
  *out = (rdx_code_set){count, list};
  return RDX_OK;
}
