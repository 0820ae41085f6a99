/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/range_gather/range_gather.h"

EACH_ITEM(range_minima_args, i) {
  take_minimum(a, i);
}
