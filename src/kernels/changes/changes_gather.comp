/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/changes/changes.h"

layout(constant_id = 0) const u32 KEY64 = 0;

EACH_ITEM(changes_gather_args, i) {
  const u32 at = IS_NULL(a.selected) ? i : AT(a.selected, i);
  store_key(a.keys_out, i, load_key(a.keys, at, KEY64), KEY64);
  if (!IS_NULL(a.rows_out))
    AT(a.rows_out, i) = IS_NULL(a.rows) ? a.base + at : AT(a.rows, at);
}
