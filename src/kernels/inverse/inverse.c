/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The kernel of inverse lookups, and its body on the CPU. */

#include "kernels/inverse/kernels.h"
#include "spirv/shaders.h"

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
RDX_KERNEL_BODY(scan, inverse_args) {
  const uint32_t key64 = variant[0], gather = variant[1];
  for (uint32_t i = a->first; i < a->first + a->count; i++) {
    if (a->found[i] == NO_ROW || inverse_is_repeated(a->keys, i, key64))
      continue;
    const uint64_t key = load_key(a->keys, i, key64);
    findings f = FOUND_NONE;
    if (gather != GATHER_ROWS)
      f = aggregate(a, variant, i, key, 0);
    for (uint32_t at = a->found[i]; at < a->probe_count && load_key(a->probes, at, key64) == key; at++) {
      if (!has_bit(a->probes_valid, at))
        continue;
      const uint32_t place = a->places[at];
      if (gather == GATHER_ROWS)
        f = aggregate(a, variant, i, key, (uint32_t)a->out_sum[place]);
      found_store(f, io_of(a), (uint64_t)place, gather);
    }
  }
}

const rdx_kernel rdx_kernel_inverse =
    RDX_COMPUTE_KERNEL("inverse lookup", inverse_args, INVERSE_CONSTANTS, 4096, 256, scan, spirv_inverse_comp);
