/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/primitives/primitives.h"

layout(constant_id = 0) const u32 KEY64 = 0;

EACH_ITEM(primitive_gather_args, i) {
  store_key(a.keys_out, i, load_key(a.keys, AT(a.rows, i), KEY64), KEY64);
}
