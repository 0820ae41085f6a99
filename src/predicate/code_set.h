/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_PREDICATE_CODE_SET_H
#define RDX_PREDICATE_CODE_SET_H

#include "base/base.h"

/* Codes from `low` to `high`, both included. */
typedef struct rdx_interval {
  uint64_t low, high;
} rdx_interval;

/* Sets of codes as intervals: ascending, disjoint and not adjacent. */

typedef struct rdx_code_set {
  uint32_t count;
  rdx_interval *list;
} rdx_code_set;

/* Bring any intervals (low <= high) into order, in place: their union. Returns how many there are then. */
uint32_t rdx_code_set_union(rdx_interval *list, uint32_t count);

/* The first interval from `first` on that does not end before `code`; `count`: none does. Looks near `first` first. */
uint32_t rdx_code_set_from(const rdx_interval *list, uint32_t first, uint32_t count, uint64_t code);

bool rdx_code_set_has(const rdx_code_set *set, uint64_t code);

/* How many codes are in the set. */
double rdx_code_set_size(const rdx_code_set *set);

/* All codes from `low` to `high`, which the set lies in, that are not in the set. */
RDX_MUST_USE rdx_status rdx_code_set_complement(rdx_code_set set, uint64_t low, uint64_t high, rdx_arena *arena,
                                                rdx_code_set *out, rdx_error *err);

#endif
