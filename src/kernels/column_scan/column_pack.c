/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The kernels that look at codes and pack them for column scans, and their bodies on the CPU. */

#include "kernels/column_scan/kernels.h"
#include "kernels/lookup/lookup.h"
#include "spirv/shaders.h"

/* Once for each width. NULLs are rare or in runs, so a branch for them costs little. */
#define DEFINE_BOUNDS(bits)                                                                                            \
  static void bounds_u##bits(const struct column_bounds_args *a, uint32_t block) {                                     \
    const uint##bits##_t *keys = (const uint##bits##_t *)(const void *)a->keys;                                        \
    const uint64_t begin = (uint64_t)block * BLOCK_ROWS;                                                               \
    const uint64_t end = a->rows - begin < BLOCK_ROWS ? a->rows : begin + BLOCK_ROWS;                                  \
    uint##bits##_t low = UINT##bits##_MAX, high = 0;                                                                   \
    bool empty = true;                                                                                                 \
    for (uint64_t row = begin; row < end; row++) {                                                                     \
      if (a->valid && !has_bit(a->valid, (uint32_t)row))                                                               \
        continue;                                                                                                      \
      low = keys[row] < low ? keys[row] : low;                                                                         \
      high = keys[row] > high ? keys[row] : high;                                                                      \
      empty = false;                                                                                                   \
    }                                                                                                                  \
    a->zones[2 * (uint64_t)block] = empty ? UINT64_MAX : low;                                                          \
    a->zones[2 * (uint64_t)block + 1] = empty ? 0 : high;                                                              \
  }

DEFINE_BOUNDS(32)
DEFINE_BOUNDS(64)

RDX_EACH_ITEM(bounds, column_bounds_args, variant[0] ? bounds_u64(a, (uint32_t)i) : bounds_u32(a, (uint32_t)i))

static uint64_t number_of(const struct column_pack_args *a, uint64_t code) {
  return packed_number(code, a->smallest, a->shift, a->steps, a->plane_count);
}

/* Once for each width. Runs of rows are packed plane by plane, which compilers turn into vectors. */
#define RUN 512
#define DEFINE_PACK(bits)                                                                                              \
  static void pack_u##bits(const struct column_pack_args *a, uint64_t begin, uint64_t count) {                         \
    const uint##bits##_t *keys = (const uint##bits##_t *)(const void *)a->keys + begin;                                \
    for (uint32_t p = 0; p < a->plane_count; p++) {                                                                    \
      const uint32_t shift = 8 * (a->plane_count - 1 - p), up = a->shift;                                              \
      const uint##bits##_t smallest = (uint##bits##_t)a->smallest;                                                     \
      uint8_t *plane = (uint8_t *)a->planes + p * a->stride + begin;                                                   \
      for (uint64_t k = 0; k < count; k++)                                                                             \
        plane[k] = (uint8_t)((uint##bits##_t)(keys[k] - smallest) << up >> shift);                                     \
    }                                                                                                                  \
  }

DEFINE_PACK(32)
DEFINE_PACK(64)

/* Numbers with a step are made once for all planes. */
static void pack_steps(const struct column_pack_args *a, uint32_t key64, uint64_t begin, uint64_t count) {
  uint64_t numbers[RUN];
  for (uint64_t k = 0; k < count; k++)
    numbers[k] = number_of(a, load_key(a->keys, (uint32_t)(begin + k), key64));
  for (uint32_t p = 0; p < a->plane_count; p++) {
    const uint32_t shift = 8 * (a->plane_count - 1 - p);
    uint8_t *plane = (uint8_t *)a->planes + p * a->stride + begin;
    for (uint64_t k = 0; k < count; k++)
      plane[k] = (uint8_t)(numbers[k] >> shift);
  }
}

RDX_KERNEL_BODY(pack, column_pack_args) {
  const uint64_t begin = (uint64_t)a->first * 32, words_end = begin + (uint64_t)a->count * 32;
  const uint64_t end = words_end < a->rows ? words_end : a->rows;
  for (uint64_t row = begin; row < end; row += RUN) {
    const uint64_t n = end - row < RUN ? end - row : RUN;
    if (a->steps)
      pack_steps(a, variant[0], row, n);
    else if (variant[0])
      pack_u64(a, row, n);
    else
      pack_u32(a, row, n);
  }
  for (uint64_t block = begin / BLOCK_ROWS; block * BLOCK_ROWS < end; block++) {
    const uint64_t low = a->zones[2 * block], high = a->zones[2 * block + 1];
    a->packed_zones[2 * block] = low > high ? UINT64_MAX : number_of(a, low);
    a->packed_zones[2 * block + 1] = low > high ? 0 : number_of(a, high);
  }
}

const rdx_kernel rdx_kernel_column_bounds =
    RDX_COMPUTE_KERNEL("column bounds", column_bounds_args, 1, 16, 1, bounds, spirv_column_bounds_comp);
const rdx_kernel rdx_kernel_column_pack =
    RDX_COMPUTE_KERNEL("column pack", column_pack_args, 1, 16 * BLOCK_WORDS, 256, pack, spirv_column_pack_comp);
