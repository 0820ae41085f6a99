/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/primitives/primitives.h"

EACH_ITEM(primitive_iota_args, i) {
  AT(a.rows, i) = i;
}
