/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/derived_column/derived_column.h"

layout(constant_id = 0) const u32 KEY64 = 0;

EACH_ITEM(derived_take_args, i) {
  const u64 key = taken_key(a.keys, a.rows, a.rows_valid, a.n, i, KEY64);
  if (KEY64 != 0)
    AT(AS_U64_PTR(a.keys_out), i) = key;
  else
    AT(a.keys_out, i) = TO_U32(key);
}
