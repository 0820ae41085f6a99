/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/range_gather/range_gather.h"

layout(constant_id = 0) const u32 GATHER = GATHER_SUM;
layout(constant_id = 1) const u32 VALUE = VALUE_U32;

EACH_ITEM(prefix_sum_args, i) {
  prefix_difference(a, i, GATHER, VALUE);
}
