/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/cgrx/cgrx_update.h"

layout(constant_id = 0) const u32 KEY64 = 0;
COMPUTE(cgrx_collect_args, 128)

MAIN_ITEM(i) {
  update_collect(a, AT(a.nodes, 0), i, KEY64);
}
