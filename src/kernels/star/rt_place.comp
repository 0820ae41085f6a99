/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/star/rt_cube.h"

COMPUTE(rt_place_args, 128)

MAIN_ITEM(i) {
  rt_place(a, i);
}
