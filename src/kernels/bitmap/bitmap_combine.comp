/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/bitmap/bitmap.h"

layout(constant_id = 0) const u32 OP = BITMAP_OR;

EACH_ITEM(bitmap_combine_args, i) {
  const u32 word = OP == BITMAP_NOT ? 0 : AT(a.words, i);
  AT(a.words, i) = bitmap_combined(word, AT(a.other, i), i, a.rows, OP);
}
