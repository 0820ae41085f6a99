/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The kernel of inverse lookups, and its body on the CPU. */

#include "kernels/inverse/kernels.h"
#include "spirv/inverse_comp.h"

#include "kernels/lookup/found.h"

static found_io io_of(const struct inverse_args *args) {
  return (found_io){args->values,  args->values_valid, args->out_count, args->out_first,
                    args->out_sum, args->out_sum,      args->out_rows};
}

/* thesis, Algorithm 6 "Aggregate consecutive keys". */
static findings aggregate(const struct inverse_args *args, const uint32_t *variant, uint32_t begin, uint64_t key,
                          uint32_t to) {
  const uint32_t key64 = variant[0], gather = variant[1], value = variant[2];
  findings f = FOUND_NONE;
  for (uint32_t k = begin; k < args->n && load_key(args->keys, k, key64) == key; k++) {
    const uint32_t row = args->rows[k];
    if (has_bit(args->keys_valid, row))
      f = found_add(f, io_of(args), row, to, gather, value);
  }
  return f;
}

/* thesis, Algorithm 6 "High-Level Explanation of Collaborative Scan Kernel (Inverse Mapping)". */
static void scan(const void *arguments, const uint32_t *variant, const rdx_scene *scene) {
  (void)scene;
  const struct inverse_args *args = arguments;
  const uint32_t key64 = variant[0], gather = variant[1];
  for (uint32_t i = args->first; i < args->first + args->count; i++) {
    if (args->found[i] == NO_ROW || inverse_is_repeated(args->keys, i, key64))
      continue;
    const uint64_t key = load_key(args->keys, i, key64);
    findings f = FOUND_NONE;
    if (gather != GATHER_ROWS)
      f = aggregate(args, variant, i, key, 0);
    for (uint32_t at = args->found[i]; at < args->probe_count && load_key(args->probes, at, key64) == key; at++) {
      if (!has_bit(args->probes_valid, at))
        continue;
      const uint32_t place = args->places[at];
      if (gather == GATHER_ROWS)
        f = aggregate(args, variant, i, key, (uint32_t)args->out_sum[place]);
      found_store(f, io_of(args), (uint64_t)place, gather);
    }
  }
}

const rdx_kernel rdx_kernel_inverse =
    RDX_COMPUTE_KERNEL("inverse lookup", inverse_args, INVERSE_CONSTANTS, 4096, 256, scan, spirv_inverse_comp);
