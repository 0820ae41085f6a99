/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/derived_column/derived_column.h"

EACH_ITEM(derived_pair_args, i) {
  AT(a.out_keys, i) = paired_key(a.high, a.low, i);
}
