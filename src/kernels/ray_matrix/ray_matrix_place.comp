/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/ray_matrix/ray_matrix_place.h"

layout(constant_id = 0) const u32 KEY64 = 0;
layout(constant_id = 1) const u32 BY_VALUE = 0;

EACH_ITEM(ray_matrix_place_args, i) {
  RAY_MATRIX_PLACE(a, i, KEY64, BY_VALUE);
}
