/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The kernels that look for the intervals that hold a point, and their bodies on the CPU. */

#include "kernels/interval_stabbing/kernels.h"
#include "kernels/lookup/batch_search.h"
#include "spirv/shaders.h"

RDX_EACH_ITEM(usable, interval_stabbing_usable_args,
              a->bits[i] = usable_intervals(a->lower, a->upper, a->valid, (uint32_t)i, a->n, variant[0]))

RDX_EACH_ITEM(level, interval_stabbing_level_args,
              store_key(a->level, (uint32_t)i, largest_child(a->below, a->n, (uint32_t)i, variant[0]), variant[0]))

/* ---- Points ---- */

RDX_INLINE void look_up_batch(const struct interval_stabbing_args *args, uint32_t key64, bool count_only,
                              uint32_t first, uint32_t count) {
  uint64_t points[SEARCH_BATCH];
  uint32_t ends[SEARCH_BATCH], before[SEARCH_BATCH];
  for (uint32_t k = 0; k < count; k++)
    points[k] = load_key(args->points, first + k, key64);
  search_batch(args->lower, args->n, key64, points, count, true, ends);
  if (count_only)
    search_batch(args->ends, args->n, key64, points, count, false, before);
  for (uint32_t k = 0; k < count; k++) {
    const uint32_t i = first + k, end = has_bit(args->valid, i) ? ends[k] : 0;
    if (count_only) {
      args->out_count[i] = end > 0 ? end - before[k] : 0;
      continue;
    }
    uint32_t to = (uint32_t)args->offsets[i];
    for (uint32_t j = next_interval(args->upper, args->tree, args->n, 0, end, points[k], key64); j < end;
         j = next_interval(args->upper, args->tree, args->n, j + 1, end, points[k], key64))
      args->out_rows[to++] = args->rows[j];
  }
}

RDX_KERNEL_BODY(look_up, interval_stabbing_args) {
  const bool count_only = variant[1] == GATHER_COUNT;
  for (uint32_t done = 0; done < a->count; done += SEARCH_BATCH) {
    const uint32_t first = a->first + done, count = a->count - done < SEARCH_BATCH ? a->count - done : SEARCH_BATCH;
    variant[0] ? look_up_batch(a, 1, count_only, first, count) : look_up_batch(a, 0, count_only, first, count);
  }
}

const rdx_kernel rdx_kernel_interval_stabbing_usable = RDX_COMPUTE_KERNEL(
    "intervals usable", interval_stabbing_usable_args, 1, 4096, 256, usable, spirv_interval_stabbing_usable_comp);
const rdx_kernel rdx_kernel_interval_stabbing_level = RDX_COMPUTE_KERNEL(
    "intervals level", interval_stabbing_level_args, 1, 4096, 256, level, spirv_interval_stabbing_level_comp);
const rdx_kernel rdx_kernel_interval_stabbing =
    RDX_COMPUTE_KERNEL("intervals", interval_stabbing_args, 2, 4096, 256, look_up, spirv_interval_stabbing_comp);
