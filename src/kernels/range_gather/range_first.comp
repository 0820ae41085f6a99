/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/range_gather/range_gather.h"

EACH_ITEM(range_first_args, i) {
  find_first(a, i);
}
