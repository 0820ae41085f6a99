/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/star/cube_build.h"

layout(constant_id = 0) const u32 KEY64 = 0;

EACH_ITEM(star_starts_args, i) {
  star_start(a.keys, a.starts, a.shift, i, KEY64);
}
