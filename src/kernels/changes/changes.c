/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The kernels that make batches of changes ready, and their bodies on the CPU. */

#include "kernels/changes/kernels.h"
#include "spirv/changes_gather_comp.h"
#include "spirv/changes_pair_comp.h"

static void gather(const void *arguments, const uint32_t *variant, const rdx_scene *scene) {
  (void)scene;
  const struct changes_gather_args *a = arguments;
  for (uint32_t k = 0; k < a->count; k++) {
    const uint32_t i = a->first + k, at = a->selected ? a->selected[i] : i;
    store_key(a->keys_out, i, load_key(a->keys, at, variant[0]), variant[0]);
    if (a->rows_out)
      a->rows_out[i] = a->rows ? a->rows[at] : a->base + at;
  }
}

static void pair(const void *arguments, const uint32_t *variant, const rdx_scene *scene) {
  (void)scene;
  const struct changes_pair_args *a = arguments;
  for (uint32_t k = 0; k < a->count; k++)
    a->keep[a->first + k] = changes_keep(a->keys, a->n, a->others, a->other_n, a->first + k, variant[0]);
}

const rdx_kernel rdx_kernel_changes_gather = {.name = "changes gather",
                                              .args_size = sizeof(struct changes_gather_args),
                                              .variants = 1,
                                              .grain = 4096,
                                              .group = 256,
                                              .body = gather,
                                              .compute = RDX_SPIRV(spirv_changes_gather_comp)};

const rdx_kernel rdx_kernel_changes_pair = {.name = "changes pair",
                                            .args_size = sizeof(struct changes_pair_args),
                                            .variants = 1,
                                            .grain = 256,
                                            .group = 64,
                                            .body = pair,
                                            .compute = RDX_SPIRV(spirv_changes_pair_comp)};
