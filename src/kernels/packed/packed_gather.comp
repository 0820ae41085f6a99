/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/packed/packed.h"

layout(constant_id = 0) const u32 OUT64 = 0;

EACH_ITEM(packed_gather_args, i) {
  store_key(a.out_codes, i, gathered_code(a.codes, a.bytes, a.foreign_rows, a.foreign_bytes, a.rows, i), OUT64);
}
