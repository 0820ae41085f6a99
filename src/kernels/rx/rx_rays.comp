/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/rx/rx_count.h"

layout(constant_id = 0) const u32 KEY64 = 0;
layout(constant_id = 1) const u32 PERPENDICULAR = 0;

EACH_ITEM(rx_rays_args, i) {
  AT(a.out_rays, i) = rx_rays_of(a, i, KEY64, PERPENDICULAR);
}
