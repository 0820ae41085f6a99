/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/primitives/primitives.h"

EACH_ITEM(primitive_bits_args, word) {
  AT(a.out_bits, word) = gathered_bits(a.bits, a.rows, word, a.n);
}
