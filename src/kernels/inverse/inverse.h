/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_INVERSE_INVERSE_H
#define RDX_KERNELS_INVERSE_INVERSE_H

/* C and GLSL: lookups the other way round (thesis, section 4.3). The index holds the probes in ascending order, and
 * the keys, in ascending order too, have looked up the first probe that equals each. What is left is to gather the rows
 * of each key and to give them to all of its probes. */

#include "kernels/lookup/lookup.h"

#define INVERSE_CONSTANTS 3 /* KEY64, GATHER, VALUE */

/* Item: a key of `n`. The first of those that are equal works for all of them, so no two write to a probe. */
struct inverse_args {
  LAUNCH_HEADER;
  PTR(u32) keys;         /* ascending */
  PTR(u32) rows;         /* of these keys */
  PTR(u32) keys_valid;   /* a bit for each row; 0: all */
  PTR(u32) found;        /* of each key: the first probe that equals it, or NO_ROW */
  PTR(u32) probes;       /* ascending */
  PTR(u32) places;       /* of these probes among those given */
  PTR(u32) probes_valid; /* a bit for each of `probes`; 0: all */
  PTR(u32) values;
  PTR(u32) values_valid;
  PTR(u32) out_count; /* these and the next for each probe in the order given */
  PTR(u32) out_first;
  PTR(u64) out_sum; /* GATHER_ROWS: read, where the rows of each probe begin */
  PTR(u32) out_rows;
  u32 n;
  u32 probe_count;
};
ARGS_SIZE(inverse_args, 128);

/* Whether another item works for the key of this one. */
FN bool inverse_is_repeated(PTR(u32) keys, u32 i, u32 key64) {
  return i > 0 && load_key(keys, i - 1, key64) == load_key(keys, i, key64);
}

#endif
