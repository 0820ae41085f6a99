/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/star/cube_build.h"

EACH_ITEM(star_pack_args, i) {
  star_pack(a, i);
}
