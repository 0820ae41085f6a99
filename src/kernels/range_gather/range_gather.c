/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The kernels that gather over spans, and their bodies on the CPU. */

#include "kernels/range_gather/kernels.h"
#include "spirv/shaders.h"

RDX_KERNEL_BODY(gather, range_gather_args) {
  const uint32_t kind = variant[0], value = variant[1];
  for (uint32_t k = 0; k < a->count; k++) {
    const uint32_t i = a->first + k, begin = a->begin[i];
    const uint32_t to = kind == GATHER_ROWS ? (uint32_t)a->io.offsets[i] : 0;
    findings f = FOUND_NONE;
    for (uint32_t n = 0; n < a->size[i]; n++) {
      const uint32_t row = ROW_OF_ENTRY((*a), begin + n);
      f = found_add(f, a->io, row, to, kind, value);
    }
    found_store(f, a->io, (uint64_t)i, kind);
  }
}

RDX_KERNEL_BODY(pieces, range_pieces_args) {
  for (uint32_t k = 0; k < a->count; k++) {
    const uint32_t i = a->first + k;
    if (variant[0] == PIECES_COUNT)
      a->counts[i] = pieces_of(a->size[i], a->piece_length);
    else if (variant[0] == PIECES_CUT)
      cut_piece(*a, i);
    else
      a->begin[i] -= a->size[i];
  }
}

RDX_KERNEL_BODY(join, range_join_args) {
  for (uint32_t k = 0; k < a->count; k++) {
    const uint64_t i = (uint64_t)a->first + k;
    found_store(join_pieces(*a, i, variant[0]), a->io, i, variant[0]);
  }
}

/* Up to a tile of blocks from `first` on. */
static void write_blocks(prefix_sums part, uint32_t first, uint32_t count, const uint32_t *values) {
  uint64_t sum = 0;
  if (!part.blocks)
    return;
  for (uint32_t block = 0; block < count; block++, values += PREFIX_BLOCK) {
    prefix_block *to = &part.blocks[first + block];
    to->before = sum;
    memcpy(to->values, values, sizeof to->values);
    for (uint32_t k = 0; k < PREFIX_BLOCK; k++)
      sum += values[k];
  }
  part.tiles[first / PREFIX_TILE] = sum;
}

RDX_KERNEL_BODY(blocks, prefix_blocks_args) {
  uint32_t low[PREFIX_TILE_ENTRIES] = {0}, high[PREFIX_TILE_ENTRIES] = {0}, present[PREFIX_TILE_ENTRIES] = {0};
  for (uint32_t done = 0; done < a->count; done += PREFIX_TILE) {
    const uint32_t first = a->first + done, count = a->count - done < PREFIX_TILE ? a->count - done : PREFIX_TILE;
    const uint32_t begin = first * PREFIX_BLOCK, left = a->n - begin; /* nothing counts that is behind these */
    const uint32_t entries = left < PREFIX_TILE_ENTRIES ? left : PREFIX_TILE_ENTRIES;
    if (!a->high.blocks && !a->present.blocks) { /* the same in fewer steps, so that more loads are on their way */
      for (uint32_t k = 0; k < entries; k++)
        low[k] = a->values[ROW_OF_ENTRY((*a), begin + k)];
    } else {
      for (uint32_t k = 0; k < entries; k++) {
        const prefix_value value = prefix_value_of(*a, begin + k);
        low[k] = value.low;
        high[k] = value.high;
        present[k] = value.present;
      }
    }
    write_blocks(a->low, first, count, low);
    write_blocks(a->high, first, count, high);
    write_blocks(a->present, first, count, present);
  }
}

#define BATCH 32 /* lookups whose blocks are fetched together */

RDX_KERNEL_BODY(prefix, prefix_sum_args) {
  for (uint32_t done = 0; done < a->count; done += BATCH) {
    const uint32_t first = a->first + done, count = a->count - done < BATCH ? a->count - done : BATCH;
    for (uint32_t i = first; i < first + count; i++) {
      __builtin_prefetch(&a->low.blocks[a->begin[i] / PREFIX_BLOCK]);
      __builtin_prefetch(&a->low.blocks[(a->begin[i] + a->size[i]) / PREFIX_BLOCK]);
    }
    for (uint32_t k = 0; k < count; k++)
      prefix_difference(*a, (uint64_t)first + k, variant[0], variant[1]);
  }
}

RDX_EACH_ITEM(minima, range_minima_args, take_minimum(*a, (uint32_t)i))

RDX_EACH_ITEM(firsts, range_first_args, find_first(*a, i))

#define RANGE_GATHER(items)                                                                                            \
  RDX_COMPUTE_KERNEL("range gather", range_gather_args, 3, 256, items, gather, spirv_range_gather_comp)

const rdx_kernel rdx_kernel_range_gather_1 = RANGE_GATHER(256);
const rdx_kernel rdx_kernel_range_gather_4 = RANGE_GATHER(64);
const rdx_kernel rdx_kernel_range_gather_8 = RANGE_GATHER(32);

/* The grain is of whole tiles. */
const rdx_kernel rdx_kernel_prefix_blocks =
    RDX_COMPUTE_KERNEL("blocks of prefix sums", prefix_blocks_args, 0, 8 * PREFIX_TILE, PREFIX_TILE, blocks,
                       spirv_range_gather_blocks_comp);
const rdx_kernel rdx_kernel_prefix_sum =
    RDX_COMPUTE_KERNEL("prefix sums", prefix_sum_args, 2, 16384, 256, prefix, spirv_prefix_sum_comp);
const rdx_kernel rdx_kernel_range_pieces =
    RDX_COMPUTE_KERNEL("pieces of ranges", range_pieces_args, 1, 4096, 256, pieces, spirv_range_pieces_comp);
const rdx_kernel rdx_kernel_range_join =
    RDX_COMPUTE_KERNEL("joining pieces of ranges", range_join_args, 1, 4096, 256, join, spirv_range_join_comp);
const rdx_kernel rdx_kernel_range_minima =
    RDX_COMPUTE_KERNEL("minima of rows", range_minima_args, 0, 4096, 256, minima, spirv_range_minima_comp);
const rdx_kernel rdx_kernel_range_first =
    RDX_COMPUTE_KERNEL("first rows of ranges", range_first_args, 0, 4096, 256, firsts, spirv_range_first_comp);
