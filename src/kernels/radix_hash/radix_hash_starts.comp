/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/radix_hash/radix_hash.h"

layout(constant_id = 0) const u32 KEY64 = 0;
layout(constant_id = 1) const u32 BITS = 8;

EACH_ITEM(radix_hash_starts_args, p) {
  AT(a.starts, p) = partition_start(a.keys, 0, a.n, p, KEY64, BITS);
}
