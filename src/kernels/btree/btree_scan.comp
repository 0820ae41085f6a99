/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/btree/btree_scan.h"

layout(constant_id = 0) const u32 KEY64 = 0;
COMPUTE(btree_scan_args, 128)

MAIN_ITEM(i) {
  btree_scan(a, i, KEY64);
}
