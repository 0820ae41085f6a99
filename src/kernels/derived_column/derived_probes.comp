/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/derived_column/derived_column.h"
#include "kernels/primitives/primitives.h"

EACH_ITEM(derived_probes_args, i) {
  AT(a.out_probes, i) = probe_of_row(a.offsets, a.probes, i);
}
