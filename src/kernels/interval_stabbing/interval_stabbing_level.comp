/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/interval_stabbing/interval_stabbing.h"

layout(constant_id = 0) const u32 KEY64 = 0;

EACH_ITEM(interval_stabbing_level_args, node) {
  const u64 largest = largest_child(a.below, a.n, node, KEY64);
  if (KEY64 != 0)
    AT(AS_U64_PTR(a.level), node) = largest;
  else
    AT(a.level, node) = u32(largest);
}
