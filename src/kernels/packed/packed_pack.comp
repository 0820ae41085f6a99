/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/packed/packed.h"

layout(constant_id = 0) const u32 KEY64 = 0;
layout(constant_id = 1) const u32 BYTES = 1;

EACH_ITEM(packed_pack_args, item) {
  if (BYTES == 8) {
    AT(AS_U64_PTR(a.out_codes), item) = code_of(a, item, KEY64);
    return;
  }
  const u32 each = 4 / BYTES;
  u32 word = 0;
  for (u32 k = 0; k < each && item * each + k < a.rows; k++)
    word |= u32(code_of(a, item * each + k, KEY64)) << (8 * BYTES * k);
  AT(a.out_codes, item) = word;
}
