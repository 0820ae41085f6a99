/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/btree/btree.h"

layout(constant_id = 0) const u32 KEY64 = 0;

EACH_ITEM(btree_level_args, i) {
  store_key(a.level, i,
            i + 1 < a.size ? load_key(a.below, i * BTREE_WIDTH + a.last, KEY64) : btree_largest_key(KEY64), KEY64);
}
