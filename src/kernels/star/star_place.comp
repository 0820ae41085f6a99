/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/star/cube_build.h"

EACH_ITEM(star_place_args, i) {
  AT(a.out_places, IS_NULL(a.order) ? i : AT(a.order, i)) = star_find(a.starts, a.starts_count, i);
}
