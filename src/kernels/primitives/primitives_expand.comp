/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/primitives/primitives.h"

layout(constant_id = 0) const u32 KEY64 = 0;

EACH_ITEM(primitive_expand_args, i) {
  const bool usable = has_bit(a.valid, i);
  const u32 k = place_of_key(a.keys, a.n, load_key(a.probes, i, KEY64), KEY64);
  if (!IS_NULL(a.out_counts))
    AT(a.out_counts, i) = usable ? AT(a.counts, k) : 0u;
  if (!IS_NULL(a.out_firsts))
    AT(a.out_firsts, i) = usable ? AT(a.firsts, k) : NO_ROW;
  if (!IS_NULL(a.out_sums))
    AT(a.out_sums, i) = usable ? AT(a.sums, k) : 0ul;
}
