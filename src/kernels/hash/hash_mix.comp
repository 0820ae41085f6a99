/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/hash/hash.h"

layout(constant_id = 0) const u32 KEY64 = 0;

EACH_ITEM(hash_mix_args, i) {
  if (KEY64 != 0)
    AT(AS_U64_PTR(a.mixed), i) = mix_u64(AT(AS_U64_PTR(a.keys), i));
  else
    AT(a.mixed, i) = mix_u32(AT(a.keys, i));
}
