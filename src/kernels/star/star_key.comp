/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/packed/packed.h"
#include "kernels/star/cube_build.h"

EACH_ITEM(star_key_args, i) {
  const u64 code = gathered_code(a.codes, a.bytes, a.foreign_rows, a.foreign_bytes, a.rows, i) >> a.shift;
  u64 key = 0;
  if (a.first_attribute == 0)
    key = load_key(u32_ptr(a.keys), i, 1u - a.narrow);
  key = star_key(key, code, a.dictionary, a.dictionary_count, a.bits, a.first_attribute);
  if (a.narrow != 0)
    AT(u32_ptr(a.keys), i) = u32(key);
  else
    AT(a.keys, i) = key;
}
