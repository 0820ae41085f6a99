/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/cgrx/cgrx_encode.h"

layout(constant_id = 0) const u32 KEY64 = 0;

EACH_ITEM(cgrx_rows_args, entry) {
  cgrx_write_entry(a.entries, entry, load_key(a.keys, entry, KEY64), AT(a.rows, entry), a.layout_kind, KEY64);
}
