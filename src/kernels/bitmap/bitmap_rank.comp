/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/bitmap/bitmap.h"

layout(constant_id = 0) const u32 KEY64 = 0;

EACH_ITEM(bitmap_rank_args, i) {
  AT(a.out_ranks, i) = bitmap_rank(a.bits, a.before, u32(load_key(a.keys, i, KEY64)));
}
