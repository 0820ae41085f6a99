/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/primitives/primitives.h"

EACH_ITEM(primitive_pair_args, k) {
  AT(a.pairs, k) = u64(probe_of_row(a.offsets, a.probes, k)) << 32 | AT(a.rows, k);
}
