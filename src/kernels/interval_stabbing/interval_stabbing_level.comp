/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/interval_stabbing/interval_stabbing.h"

layout(constant_id = 0) const u32 KEY64 = 0;

EACH_ITEM(interval_stabbing_level_args, node) {
  store_key(a.level, node, largest_child(a.below, a.n, node, KEY64), KEY64);
}
