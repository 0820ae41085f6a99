/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/derived_column/derived_column.h"

layout(constant_id = 0) const u32 KEY64 = 0;

EACH_ITEM(derived_take_args, i) {
  store_key(a.keys_out, i, taken_key(a.keys, a.rows, a.rows_valid, a.n, i, KEY64), KEY64);
}
