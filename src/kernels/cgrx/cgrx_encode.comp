/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/cgrx/cgrx_encode.h"

layout(constant_id = 0) const u32 KEY64 = 0;

EACH_ITEM(cgrx_encode_args, i) {
  cgrx_write(a.keys, a.triangles, i, AT(a.slots, i), AT(a.state, 0), KEY64);
}
