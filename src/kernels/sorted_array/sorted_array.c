/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The kernel of the sorted array, and its body on the CPU. */

#include "kernels/lookup/batch_search.h"
#include "kernels/sorted_array/kernels.h"
#include "spirv/shaders.h"

#include "kernels/lookup/found.h"

DEFINE_RUN_END(run_end, (uint32_t * keys, uint32_t key64, uint32_t begin, uint32_t n, uint64_t key),
               load_key(keys, (uint32_t)at, key64) == key)

static void collect(const struct sorted_array_args *args, const uint32_t *variant, uint32_t i, uint32_t begin,
                    uint32_t end) {
  const uint32_t gather = variant[1], value = variant[2];
  findings f = FOUND_NONE;
  if (args->upper) { /* a span, whatever is gathered */
    f.count = end - begin;
    f.first = begin;
  } else if (gather == GATHER_ANY || (gather == GATHER_COUNT && !args->io.out_first)) {
    f.count = end - begin;
  } else {
    const uint32_t to = gather == GATHER_ROWS ? (uint32_t)args->io.offsets[i] : 0;
    for (uint32_t k = begin; k < end; k++) {
      const uint32_t row = args->rows[k];
      f = found_add(f, args->io, row, to, gather, value);
    }
  }
  found_store(f, args->io, (uint64_t)i, gather);
}

static void lookup_batch(const struct sorted_array_args *args, const uint32_t *variant, uint32_t first,
                         uint32_t count) {
  const uint32_t key64 = variant[0];
  uint64_t lower[SEARCH_BATCH], upper[SEARCH_BATCH];
  uint32_t begin[SEARCH_BATCH], end[SEARCH_BATCH];
  for (uint32_t k = 0; k < count; k++)
    lower[k] = load_key(args->lower, first + k, key64);
  search_batch(args->keys, args->n, key64, lower, count, false, begin);
  if (args->upper) {
    for (uint32_t k = 0; k < count; k++)
      upper[k] = load_key(args->upper, first + k, key64);
    search_batch(args->keys, args->n, key64, upper, count, true, end);
  } else {
    for (uint32_t k = 0; k < count && variant[1] != GATHER_ANY; k++)
      __builtin_prefetch(&args->rows[begin[k]]);
    for (uint32_t k = 0; k < count; k++) /* one entry is enough for GATHER_ANY */
      end[k] = run_end(args->keys, key64, begin[k],
                       variant[1] == GATHER_ANY && begin[k] < args->n ? begin[k] + 1 : args->n, lower[k]);
  }
  if (args->io.values && !args->upper) { /* equal keys are few: have the first value on its way for each */
    for (uint32_t k = 0; k < count; k++)
      if (begin[k] < end[k])
        __builtin_prefetch(variant[2] >= VALUE_U64 ? (const void *)&AS_U64_PTR(args->io.values)[args->rows[begin[k]]]
                                                   : (const void *)&args->io.values[args->rows[begin[k]]]);
  }
  for (uint32_t k = 0; k < count; k++) {
    const bool match = has_bit(args->valid, first + k) && begin[k] < end[k];
    collect(args, variant, first + k, match ? begin[k] : 0, match ? end[k] : 0);
  }
}

RDX_KERNEL_BODY(lookup, sorted_array_args) {
  for (uint32_t done = 0; done < a->count; done += SEARCH_BATCH)
    lookup_batch(a, variant, a->first + done, a->count - done < SEARCH_BATCH ? a->count - done : SEARCH_BATCH);
}

#define LOOKUP(title, code)                                                                                            \
  RDX_COMPUTE_KERNEL(title, sorted_array_args, SORTED_ARRAY_CONSTANTS, 4096, 2048, lookup, code)

const rdx_kernel rdx_kernel_sorted_array_u32 = LOOKUP("sorted array, 32-bit keys", spirv_sorted_array_comp_keys_u32);
const rdx_kernel rdx_kernel_sorted_array_u64 = LOOKUP("sorted array, 64-bit keys", spirv_sorted_array_comp_keys_u64);
