/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/primitives/primitives.h"

layout(constant_id = 0) const u32 F64 = 0; /* values are doubles, else floats */

EACH_ITEM(primitive_floats_args, probe) {
  const u32 end = u32(AT(a.offsets, probe + 1));
  precise f64 sum = 0;
  u32 count = 0;
  for (u32 k = u32(AT(a.offsets, probe)); k < end; k++) {
    const u32 row = AT(a.rows, k);
    if (!has_bit(a.values_valid, row))
      continue;
    const u64 bits =
        F64 != 0 ? double_bits(AT(AS_U64_PTR(a.values), row)) : widened_bits(float_bits(AT(a.values, row)));
    sum += packDouble2x32(unpackUint2x32(bits));
    count++;
  }
  AT(a.sums, probe) = sum;
  AT(a.counts, probe) = count;
}
