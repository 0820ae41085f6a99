/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_SORTED_ARRAY_SORTED_ARRAY_H
#define RDX_KERNELS_SORTED_ARRAY_SORTED_ARRAY_H

/* C and GLSL: lookups in sorted keys by binary search ("SA" in RTIndeX, section 4.1). */

#include "kernels/lookup/lookup.h"

#define SORTED_ARRAY_CONSTANTS 4 /* KEY64, GATHER, VALUE, LANES */

/* Keys of the top, at most: every stride'th key, which workgroups keep in shared memory. It takes the first steps off
 * each search, whose places are so far apart that each costs a cache line. */
#define SORTED_ARRAY_TOP 2048

/* Keys ascending; the rows of equal keys ascending. */
struct sorted_array_args {
  LAUNCH_HEADER;
  LOOKUP_FIELDS;
  PTR(u32) keys;
  PTR(u32) rows;
  PTR(u32) top; /* the last key of each `stride` keys, the last part's included; 0: none */
  u32 n;
  u32 stride;
};
ARGS_SIZE(sorted_array_args, 128);

#endif
