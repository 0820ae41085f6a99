/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/primitives/primitives.h"

layout(constant_id = 0) const u32 KEY64 = 0;

EACH_ITEM(primitive_heads_args, word) {
  AT(a.bits, word) = run_heads(a.keys, word, a.n, KEY64);
}
