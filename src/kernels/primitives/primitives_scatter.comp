/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/primitives/primitives.h"

layout(constant_id = 0) const u32 WORDS = 1;

EACH_ITEM(primitive_scatter_args, i) {
  const u32 place = AT(a.places, i);
  for (u32 w = 0; w < WORDS; w++)
    AT(a.out_answers, u64(place) * WORDS + w) = AT(a.answers, u64(i) * WORDS + w);
}
