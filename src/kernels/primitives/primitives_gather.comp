/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/primitives/primitives.h"

layout(constant_id = 0) const u32 KEY64 = 0;

EACH_ITEM(primitive_gather_args, i) {
  if (KEY64 != 0)
    AT(AS_U64_PTR(a.keys_out), i) = AT(AS_U64_PTR(a.keys), AT(a.rows, i));
  else
    AT(a.keys_out, i) = AT(a.keys, AT(a.rows, i));
}
