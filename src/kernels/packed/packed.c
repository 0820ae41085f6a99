/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The kernels that make and read packed codes, and their bodies on the CPU. */

#include "kernels/packed/blocks.h"
#include "kernels/packed/kernels.h"
#include "spirv/shaders.h"

/* Differences and places of rows without NULLs have loops of their own; everything else is asked row by row. */
#define DEFINE_PACK(bits, key_bits)                                                                                    \
  static void pack_u##bits##_##key_bits(const struct packed_pack_args *a, uint64_t begin, uint64_t end) {              \
    const uint##key_bits##_t *keys = (const uint##key_bits##_t *)(const void *)a->keys;                                \
    uint##bits##_t *codes = (uint##bits##_t *)(void *)a->out_codes;                                                    \
    const uint##key_bits##_t base = (uint##key_bits##_t)a->base;                                                       \
    if (!a->valid && a->places && a->max == UINT64_MAX)                                                                \
      for (uint64_t i = begin; i < end; i++)                                                                           \
        codes[i] = (uint##bits##_t)a->places[(uint32_t)(keys[i] - base)];                                              \
    else if (!a->valid && !a->places && !a->table)                                                                     \
      for (uint64_t i = begin; i < end; i++)                                                                           \
        codes[i] = (uint##bits##_t)(keys[i] > a->max ? a->null_code : (uint64_t)(keys[i] - base));                     \
    else                                                                                                               \
      for (uint64_t i = begin; i < end; i++)                                                                           \
        codes[i] = (uint##bits##_t)code_of(*a, (uint32_t)i, key_bits == 64);                                           \
  }

DEFINE_PACK(8, 32)
DEFINE_PACK(16, 32)
DEFINE_PACK(32, 32)
DEFINE_PACK(64, 32)
DEFINE_PACK(8, 64)
DEFINE_PACK(16, 64)
DEFINE_PACK(32, 64)
DEFINE_PACK(64, 64)

RDX_KERNEL_BODY(pack, packed_pack_args) {
  static void (*const packs[2][4])(const struct packed_pack_args *a, uint64_t begin, uint64_t end) = {
      {pack_u8_32, pack_u16_32, pack_u32_32, pack_u64_32}, {pack_u8_64, pack_u16_64, pack_u32_64, pack_u64_64}};
  const uint64_t each = variant[1] < 4 ? 4 / variant[1] : 1;
  const uint64_t begin = a->first * each, end = begin + a->count * each;
  packs[variant[0] != 0][__builtin_ctz(variant[1])](a, begin, end < a->rows ? end : a->rows);
}

RDX_KERNEL_BODY(gather, packed_gather_args) {
  const uint64_t end = (uint64_t)a->first + a->count;
  uint32_t scratch[PACKED_BLOCK];
  uint64_t codes[PACKED_BLOCK];
  for (uint64_t i = a->first; i < end; i += PACKED_BLOCK) {
    const uint32_t n = end - i < PACKED_BLOCK ? (uint32_t)(end - i) : PACKED_BLOCK;
    const uint32_t *rows = packed_rows(a->rows, a->foreign_rows, a->foreign_bytes, i, n, scratch);
    uint64_t *out = variant[0] ? AS_U64_PTR(a->out_codes) + i : codes;
    packed_load(a->codes, a->bytes, rows, i, n, out);
    for (uint32_t k = 0; k < n && !variant[0]; k++)
      a->out_codes[i + k] = (uint32_t)codes[k];
  }
}

RDX_KERNEL_BODY(join, packed_joined_args) {
  const uint64_t end = (uint64_t)a->first + a->count;
  for (uint64_t w = a->first; w < end; w++) {
    const uint32_t bits = joined_bits(a->foreign_rows, a->foreign_bytes, a->none, a->rows, (uint32_t)w);
    a->bits[w] = a->start ? bits : a->bits[w] & bits;
  }
}

const rdx_kernel rdx_kernel_packed_pack =
    RDX_COMPUTE_KERNEL("packed pack", packed_pack_args, 2, 16384, 256, pack, spirv_packed_pack_comp);
const rdx_kernel rdx_kernel_packed_gather =
    RDX_COMPUTE_KERNEL("packed gather", packed_gather_args, 1, 16384, 256, gather, spirv_packed_gather_comp);
const rdx_kernel rdx_kernel_packed_joined =
    RDX_COMPUTE_KERNEL("packed joined", packed_joined_args, 0, 1024, 256, join, spirv_packed_joined_comp);
