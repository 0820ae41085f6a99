/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/star/cube_build.h"

COMPUTE(star_heads_args, 64)

MAIN_ITEM(word) {
  AT(a.bits, word) = star_heads(a.starts, a.starts_count, a.groups, a.group_bytes, a.rows, word);
}
