/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/bitmap/bitmap.h"

EACH_ITEM(bitmap_words_args, i) {
  AT(a.out_counts, i) = BITMAP_COUNT(AT(a.bits, i));
}
