/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/rtc1/rtc1.h"

layout(constant_id = 0) const u32 KEY64 = 0;

EACH_ITEM(rtc1_encode_args, i) {
  const u64 code = load_key(a.codes, IS_NULL(a.rows) ? i : AT(a.rows, i), KEY64);
  rtc1_write_triangle(a.triangles, i, u32((code - a.smallest) >> a.shift), a.width);
}
