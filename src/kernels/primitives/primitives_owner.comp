/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/primitives/primitives.h"

EACH_ITEM(primitive_owner_args, k) {
  AT(a.owners, k) = probe_of_row(a.offsets, a.probes, k);
}
