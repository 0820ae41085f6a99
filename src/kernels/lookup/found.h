/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_LOOKUP_FOUND_H
#define RDX_KERNELS_LOOKUP_FOUND_H

/* C and GLSL: what a probe has found so far, for kernels whose GATHER and VALUE are ordinary values. Include it after
 * the args are declared as `a` (GLSL) or with `a` as a macro for them (C). */

#include "kernels/lookup/lookup.h"

struct found {
  u64 sum;
  u64 high; /* GATHER_SUM_WIDE: of the high halves */
  u32 count;
  u32 first;
};

#ifdef RDX_GLSL
#define FOUND found
#define FOUND_NONE found(0ul, 0ul, 0u, NO_ROW)
#else
#define FOUND struct found
#define FOUND_NONE                                                                                                     \
  (struct found) {                                                                                                     \
    0, 0, 0, NO_ROW                                                                                                    \
  }
#endif

/* One more match. `end` is where the next row goes for GATHER_ROWS. */
#define FOUND_ADD(f, row, end, gather, value_kind)                                                                     \
  do {                                                                                                                 \
    if ((gather) == GATHER_ROWS) {                                                                                     \
      AT(a.out_rows, (end) + (f).count) = (row);                                                                       \
    } else if ((gather) == GATHER_COUNT) {                                                                             \
      if (!IS_NULL(a.out_first))                                                                                       \
        (f).first = (row) < (f).first ? (row) : (f).first;                                                             \
    } else if (!has_bit(a.values_valid, row)) {                                                                        \
      break;                                                                                                           \
    } else {                                                                                                           \
      u64 found_value = load_value(a.values, row, value_kind);                                                         \
      (f).sum += (gather) == GATHER_SUM ? found_value : low_half(found_value);                                         \
      (f).high += high_half(found_value, value_kind);                                                                  \
    }                                                                                                                  \
    (f).count++;                                                                                                       \
  } while (false)

/* Write what probe i found. */
#define FOUND_STORE(f, i, gather)                                                                                      \
  do {                                                                                                                 \
    if ((gather) == GATHER_ROWS)                                                                                       \
      break;                                                                                                           \
    if (!IS_NULL(a.out_count))                                                                                         \
      AT(a.out_count, i) = (f).count;                                                                                  \
    if (!IS_NULL(a.out_first))                                                                                         \
      AT(a.out_first, i) = (f).first;                                                                                  \
    if ((gather) == GATHER_SUM)                                                                                        \
      AT(a.out_sum, i) = (f).sum;                                                                                      \
    if ((gather) == GATHER_SUM_WIDE) {                                                                                 \
      AT(a.out_sum, 2ul * (i)) = (f).sum;                                                                              \
      AT(a.out_sum, 2ul * (i) + 1ul) = (f).high;                                                                       \
    }                                                                                                                  \
  } while (false)

#endif
