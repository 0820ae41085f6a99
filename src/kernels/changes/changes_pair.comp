/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/changes/changes.h"

layout(constant_id = 0) const u32 KEY64 = 0;
COMPUTE(changes_pair_args, 64)

MAIN_ITEM(word) {
  AT(a.keep, word) = changes_keep(a.keys, a.n, a.others, a.other_n, word, KEY64);
}
