/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/primitives/primitives.h"

layout(constant_id = 0) const u32 SIGNED = 0;

EACH_ITEM(primitive_wide_args, i) {
  const u64 low = AT(a.sums_of_halves, 2ul * i);
  const u64 high = wide_high(low, AT(a.sums_of_halves, 2ul * i + 1ul));
  if (!wide_fits(high, SIGNED))
    AT(a.overflow, 0) = i + 1;
  AT(a.sums, i) = high << 32 | low_half(low);
}
