/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/hash/hash.h"

layout(constant_id = 0) const u32 KEY64 = 0;

EACH_ITEM(hash_mix_args, i) {
  store_key(a.mixed, i, mix_key(load_key(a.keys, i, KEY64), KEY64), KEY64);
}
