/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/primitives/primitives.h"

layout(constant_id = 0) const u32 KEY64 = 0;

EACH_ITEM(primitive_long_runs_args, i) {
  if (begins_long_run(a.keys, i, a.n, a.distance, KEY64))
    AT(a.long_run, 0) = 1;
}
