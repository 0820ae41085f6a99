/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/interval_stabbing/interval_stabbing.h"

layout(constant_id = 0) const u32 KEY64 = 0;

EACH_ITEM(interval_stabbing_usable_args, word) {
  AT(a.bits, word) = usable_intervals(a.lower, a.upper, a.valid, word, a.n, KEY64);
}
