/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/tree/tree_build.h"

layout(constant_id = 0) const u32 KEY64 = 0;

EACH_ITEM(tree_leaves_args, i) {
  tree_make_leaf(a, i, KEY64);
}
