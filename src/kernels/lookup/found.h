/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_LOOKUP_FOUND_H
#define RDX_KERNELS_LOOKUP_FOUND_H

/* C and GLSL: what a probe has found so far, for kernels whose GATHER and VALUE are ordinary values. */

#include "kernels/lookup/lookup.h"

struct findings {
  u64 sum;
  u64 high; /* GATHER_SUM_WIDE: of the high halves */
  u32 count;
  u32 first;
};
ARGS_SIZE(findings, 24);

#ifdef RDX_GLSL
#define FOUND_NONE findings(0ul, 0ul, 0u, NO_ROW)
#else
#define FOUND_NONE                                                                                                     \
  (findings) {                                                                                                         \
    0, 0, 0, NO_ROW                                                                                                    \
  }
#endif

/* With one more match. `end` is where the next row goes for GATHER_ROWS. */
FN findings found_add(findings f, found_io io, u32 row, u32 end, u32 gather, u32 value_kind) {
  if (gather == GATHER_ROWS) {
    AT(io.out_rows, end + f.count) = row;
  } else if (gather == GATHER_COUNT || gather == GATHER_ANY) {
    if (!IS_NULL(io.out_first))
      f.first = row < f.first ? row : f.first;
  } else if (!has_bit(io.values_valid, row)) {
    return f;
  } else {
    u64 value = load_value(io.values, row, value_kind);
    f.sum += gather == GATHER_SUM ? value : low_half(value);
    f.high += high_half(value, value_kind);
  }
  f.count++;
  return f;
}

/* Whether a probe needs no further match. */
#define FOUND_ENOUGH(f, gather) ((gather) == GATHER_ANY && (f).count > 0)

/* Write what probe i found. */
FN void found_store(findings f, found_io io, u64 i, u32 gather) {
  if (gather == GATHER_ROWS)
    return;
  if (!IS_NULL(io.out_count))
    AT(io.out_count, i) = f.count;
  if (!IS_NULL(io.out_first))
    AT(io.out_first, i) = f.first;
  if (gather == GATHER_SUM)
    AT(io.out_sum, i) = f.sum;
  if (gather == GATHER_SUM_WIDE) {
    AT(io.out_sum, 2ul * i) = f.sum;
    AT(io.out_sum, 2ul * i + 1ul) = f.high;
  }
}

#endif
