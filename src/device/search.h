/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_DEVICE_SEARCH_H
#define RDX_DEVICE_SEARCH_H

/* C and GLSL: binary search. */

#include "device/shared.h"

/* Define a function. Its parameters, in parentheses, have u32 `begin` and `end` among them. `passed` is an expression
 * of `middle`, a place: it is true for places before some one, and false from there on. The function returns the first
 * of begin .. end - 1 for which it is false, or `end`. */
#define DEFINE_BOUND(name, parameters, passed)                                                                         \
  FN u32 name parameters {                                                                                             \
    while (begin < end) {                                                                                              \
      const u32 middle = begin + (end - begin) / 2;                                                                    \
      if (passed)                                                                                                      \
        begin = middle + 1;                                                                                            \
      else                                                                                                             \
        end = middle;                                                                                                  \
    }                                                                                                                  \
    return begin;                                                                                                      \
  }

#ifdef RDX_GLSL
#define ASCENDING PTR
#else
#define ASCENDING(T) const T *
#endif

/* Among ascending numbers, the first that is not below `value`, or the first that is above it. */
DEFINE_BOUND(lower_bound, (ASCENDING(u32) list, u32 begin, u32 end, u32 value), AT(list, middle) < value)
DEFINE_BOUND(upper_bound, (ASCENDING(u32) list, u32 begin, u32 end, u32 value), AT(list, middle) <= value)
DEFINE_BOUND(lower_bound_u64, (ASCENDING(u64) list, u32 begin, u32 end, u64 value), AT(list, middle) < value)
DEFINE_BOUND(upper_bound_u64, (ASCENDING(u64) list, u32 begin, u32 end, u64 value), AT(list, middle) <= value)

/* Among disjoint ascending intervals, as pairs of bounds (the u64 from list[first] on), the first that begins above
 * `value`. */
DEFINE_BOUND(interval_above, (ASCENDING(u32) list, u32 begin, u32 end, u32 value), AT(list, 2u * middle) <= value)
DEFINE_BOUND(interval_above_u64, (ASCENDING(u64) list, u32 first, u32 begin, u32 end, u64 value),
             AT(list, first + 2u * middle) <= value)

#endif
