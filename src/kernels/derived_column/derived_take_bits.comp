/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/derived_column/derived_column.h"

EACH_ITEM(derived_take_bits_args, i) {
  u32 bits = 0;
  for (u32 k = 0; k < 32 && i * 32 + k < a.row_count; k++) {
    const u32 taken = taken_bit(a.valid, a.rows, a.rows_valid, a.n, i * 32 + k);
    bits |= taken == TAKEN ? 1u << k : 0u;
    if (taken == TAKEN_BEYOND)
      AT(a.beyond, 0) = 1;
  }
  AT(a.out_bits, i) = bits;
}
