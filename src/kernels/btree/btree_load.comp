/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/btree/btree.h"

layout(constant_id = 0) const u32 KEY64 = 0;

EACH_ITEM(btree_load_args, to) {
  const u64 from = u64(to / BTREE_WIDTH) * a.per_leaf + to % BTREE_WIDTH;
  const bool used = to % BTREE_WIDTH < a.per_leaf && from < a.n;
  store_key(a.keys_out, to, used ? load_key(a.keys, u32(from), KEY64) : btree_largest_key(KEY64), KEY64);
  AT(a.rows_out, to) = used ? AT(a.rows, u32(from)) : NO_ROW;
}
