/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_BITMAP_BITMAP_H
#define RDX_KERNELS_BITMAP_BITMAP_H

/* C and GLSL: the algebra of bitmaps of rows. Bits past the last row are 0 in every bitmap. */

#include "device/shared.h"

/* What bitmap_combine makes of a word of `out` and one of `other`. */
#define BITMAP_OR 0
#define BITMAP_AND 1
#define BITMAP_AND_NOT 2
#define BITMAP_NOT 3 /* of `other` alone */

/* An item is a word. */
struct bitmap_combine_args {
  LAUNCH_HEADER;
  PTR(u32) words;
  PTR(u32) other;
  u32 rows;
};
ARGS_SIZE(bitmap_combine_args, 40);

/* An item is BITMAP_TILE words, whose set bits are added to the u32 `total`. */
#define BITMAP_TILE 4096
struct bitmap_count_args {
  LAUNCH_HEADER;
  PTR(u32) words;
  PTR(u32) total;
  u32 n; /* words */
};
ARGS_SIZE(bitmap_count_args, 40);

/* The bits of word i that stand for rows. */
FN u32 bitmap_rows_mask(u32 i, u32 rows) {
  u32 begin = i * 32; /* rows are fewer than 2^32 */
  return rows - begin >= 32 ? 0xffffffffu : (1u << (rows - begin)) - 1;
}

FN u32 bitmap_combined(u32 word, u32 other, u32 i, u32 rows, u32 op) {
  return op == BITMAP_OR        ? word | other
         : op == BITMAP_AND     ? word & other
         : op == BITMAP_AND_NOT ? word & ~other
                                : ~other & bitmap_rows_mask(i, rows);
}

#endif
