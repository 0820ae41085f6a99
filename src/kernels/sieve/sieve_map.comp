/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/sieve/sieve.h"

layout(constant_id = 0) const u32 KEY64 = 0;

EACH_ITEM(sieve_map_args, i) {
  const u64 code = load_key(a.sorted, i * a.step, KEY64);
  AT(a.out_codes, i) = code;
  AT(a.out_first, i) = lower_bound_key(a.sorted, 0, a.n, code, KEY64);
  AT(a.out_end, i) = upper_bound_key(a.sorted, 0, a.n, code, KEY64);
}
