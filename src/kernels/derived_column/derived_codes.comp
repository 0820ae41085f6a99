/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/derived_column/derived_column.h"

layout(constant_id = 0) const u32 FLOATS = 0;

EACH_ITEM(derived_codes_args, i) {
  AT(a.codes, i) = derived_code(AT(a.values, i), FLOATS);
}
