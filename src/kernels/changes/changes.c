/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The kernels that make batches of changes ready, and their bodies on the CPU. */

#include "kernels/changes/kernels.h"
#include "spirv/shaders.h"

RDX_KERNEL_BODY(gather, changes_gather_args) {
  for (uint32_t k = 0; k < a->count; k++) {
    const uint32_t i = a->first + k, at = a->selected ? a->selected[i] : i;
    store_key(a->keys_out, i, load_key(a->keys, at, variant[0]), variant[0]);
    if (a->rows_out)
      a->rows_out[i] = a->rows ? a->rows[at] : a->base + at;
  }
}

RDX_EACH_ITEM(pair, changes_pair_args,
              a->keep[i] = changes_keep(a->keys, a->n, a->others, a->other_n, (uint32_t)i, variant[0]))

const rdx_kernel rdx_kernel_changes_gather =
    RDX_COMPUTE_KERNEL("changes gather", changes_gather_args, 1, 4096, 256, gather, spirv_changes_gather_comp);
const rdx_kernel rdx_kernel_changes_pair =
    RDX_COMPUTE_KERNEL("changes pair", changes_pair_args, 1, 256, 64, pair, spirv_changes_pair_comp);
