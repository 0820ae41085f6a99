/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/packed/packed.h"

layout(constant_id = 0) const u32 OUT64 = 0;

EACH_ITEM(packed_gather_args, i) {
  const u64 code = gathered_code(a.codes, a.bytes, a.foreign_rows, a.foreign_bytes, a.rows, i);
  if (OUT64 != 0)
    AT(AS_U64_PTR(a.out_codes), i) = code;
  else
    AT(a.out_codes, i) = u32(code);
}
