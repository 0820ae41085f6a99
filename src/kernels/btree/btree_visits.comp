/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/btree/btree.h"

layout(constant_id = 0) const u32 KEY64 = 0;

EACH_ITEM(btree_visits_args, i) {
  AT(a.out_visits, i) = btree_visits(a.lower, a.upper, a.valid, a.depth, i, KEY64);
}
