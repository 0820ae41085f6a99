/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/range_gather/range_gather.h"

layout(constant_id = 0) const u32 GATHER = GATHER_COUNT;

EACH_ITEM(range_join_args, i) {
  found_store(join_pieces(a, i, GATHER), a.io, i, GATHER);
}
