/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/packed/packed.h"

EACH_ITEM(packed_joined_args, word) {
  const u32 bits = joined_bits(a.foreign_rows, a.foreign_bytes, a.none, a.rows, word);
  AT(a.bits, word) = a.start != 0 ? bits : AT(a.bits, word) & bits;
}
