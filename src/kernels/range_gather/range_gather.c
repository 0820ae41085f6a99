/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The kernels that gather over spans, and their bodies on the CPU. */

#include "kernels/range_gather/kernels.h"
#include "spirv/range_gather_blocks_comp.h"
#include "spirv/range_gather_comp.h"
#include "spirv/prefix_sum_comp.h"

#define a (*args)
#include "kernels/lookup/found.h"

static void gather(const void *arguments, const uint32_t *variant, const rdx_scene *scene) {
  (void)scene;
  const struct spans_args *args = arguments;
  const uint32_t kind = variant[0], value = variant[1];
  for (uint32_t k = 0; k < a.count; k++) {
    const uint32_t i = a.first + k, begin = a.begin[i];
    const uint32_t to = kind == GATHER_ROWS ? (uint32_t)a.offsets[i] : 0;
    struct found f = FOUND_NONE;
    for (uint32_t n = 0; n < a.size[i]; n++) {
      const uint32_t row = ROW_OF_ENTRY(a, begin + n);
      FOUND_ADD(f, row, to, kind, value);
    }
    FOUND_STORE(f, (uint64_t)i, kind);
  }
}

/* Up to a tile of blocks from `first` on. */
static void write_blocks(spans_sums part, uint32_t first, uint32_t count, const uint32_t *values) {
  uint64_t sum = 0;
  if (!part.blocks)
    return;
  for (uint32_t block = 0; block < count; block++, values += SPANS_BLOCK) {
    spans_block *to = &part.blocks[first + block];
    to->before = sum;
    memcpy(to->values, values, sizeof to->values);
    for (uint32_t k = 0; k < SPANS_BLOCK; k++)
      sum += values[k];
  }
  part.tiles[first / SPANS_TILE] = sum;
}

static void blocks(const void *arguments, const uint32_t *variant, const rdx_scene *scene) {
  (void)variant, (void)scene;
  const struct spans_blocks_args *args = arguments;
  uint32_t low[SPANS_TILE_ENTRIES] = {0}, high[SPANS_TILE_ENTRIES] = {0}, present[SPANS_TILE_ENTRIES] = {0};
  for (uint32_t done = 0; done < a.count; done += SPANS_TILE) {
    const uint32_t first = a.first + done, count = a.count - done < SPANS_TILE ? a.count - done : SPANS_TILE;
    const uint32_t begin = first * SPANS_BLOCK, left = a.n - begin; /* nothing counts that is behind these */
    const uint32_t entries = left < SPANS_TILE_ENTRIES ? left : SPANS_TILE_ENTRIES;
    if (!a.high.blocks && !a.present.blocks) { /* the same in fewer steps, so that more loads are on their way */
      for (uint32_t k = 0; k < entries; k++)
        low[k] = a.values[ROW_OF_ENTRY(a, begin + k)];
    } else {
      for (uint32_t k = 0; k < entries; k++)
        SPANS_VALUE(begin + k, low[k], high[k], present[k]);
    }
    write_blocks(a.low, first, count, low);
    write_blocks(a.high, first, count, high);
    write_blocks(a.present, first, count, present);
  }
}

#define BATCH 32 /* lookups whose blocks are fetched together */

static void prefix(const void *arguments, const uint32_t *variant, const rdx_scene *scene) {
  (void)scene;
  const struct spans_prefix_args *args = arguments;
  for (uint32_t done = 0; done < a.count; done += BATCH) {
    const uint32_t first = a.first + done, count = a.count - done < BATCH ? a.count - done : BATCH;
    for (uint32_t i = first; i < first + count; i++) {
      __builtin_prefetch(&a.low.blocks[a.begin[i] / SPANS_BLOCK]);
      __builtin_prefetch(&a.low.blocks[(a.begin[i] + a.size[i]) / SPANS_BLOCK]);
    }
    for (uint32_t k = 0; k < count; k++)
      SPANS_DIFFERENCE((uint64_t)first + k, variant[0], variant[1]);
  }
}

#define SPIRV(words_)                                                                                                  \
  { .words = words_, .size = sizeof words_ }

#define SPANS(group_)                                                                                                  \
  {                                                                                                                    \
    .name = "spans", .args_size = sizeof(struct spans_args), .variants = 3, .grain = 256, .group = group_,             \
    .body = gather, .compute = SPIRV(spirv_range_gather_comp)                                                          \
  }

const rdx_kernel rdx_kernel_spans_1 = SPANS(256);
const rdx_kernel rdx_kernel_spans_4 = SPANS(64);
const rdx_kernel rdx_kernel_spans_8 = SPANS(32);

/* The grain is of whole tiles. */
const rdx_kernel rdx_kernel_spans_blocks = {.name = "spans, blocks of values",
                                            .args_size = sizeof(struct spans_blocks_args),
                                            .grain = 8 * SPANS_TILE,
                                            .group = SPANS_TILE,
                                            .body = blocks,
                                            .compute = SPIRV(spirv_range_gather_blocks_comp)};

const rdx_kernel rdx_kernel_spans_prefix = {.name = "spans, prefix sums",
                                            .args_size = sizeof(struct spans_prefix_args),
                                            .variants = 2,
                                            .grain = 16384,
                                            .group = 256,
                                            .body = prefix,
                                            .compute = SPIRV(spirv_prefix_sum_comp)};
