/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/cgrx/cgrx_encode.h"

layout(constant_id = 0) const u32 KEY64 = 0;

EACH_ITEM(cgrx_mark_args, word) {
  AT(a.bits, word) = cgrx_wanted(a.keys, word, a.slots_in_all, AT(a.state, 0), KEY64);
}
