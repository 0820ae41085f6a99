/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/derived_column/derived_column.h"

EACH_ITEM(derived_present_args, i) {
  AT(a.out_bits, i) = present_bits(a.words, a.absent, i, a.n);
}
