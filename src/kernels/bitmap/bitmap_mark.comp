/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/bitmap/bitmap.h"

layout(constant_id = 0) const u32 KEY64 = 0;

EACH_ITEM(bitmap_mark_args, i) {
  const u32 bit = marked_bit(a.keys, a.valid, a.base, a.hash_bits, i, KEY64);
  if ((AT(a.bits, bit / 32) >> (bit % 32) & 1u) == 0) /* mostly it is set already */
    atomicOr(AT(a.bits, bit / 32), 1u << (bit % 32));
}
