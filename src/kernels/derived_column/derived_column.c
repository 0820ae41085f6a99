/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "kernels/derived_column/kernels.h"
#include "spirv/shaders.h"

RDX_EACH_ITEM(present, derived_present_args, a->out_bits[i] = present_bits(a->words, a->absent, (uint32_t)i, a->n))

RDX_EACH_ITEM(take, derived_take_args,
              store_key(a->keys_out, (uint32_t)i,
                        taken_key(a->keys, a->rows, a->rows_valid, a->n, (uint32_t)i, variant[0]), variant[0]))

RDX_KERNEL_BODY(take_bits, derived_take_bits_args) {
  bool beyond = false;
  for (uint64_t i = a->first; i < (uint64_t)a->first + a->count; i++) {
    uint32_t bits = 0;
    for (uint64_t k = 32 * i; k < 32 * i + 32 && k < a->row_count; k++) {
      const uint32_t taken = taken_bit(a->valid, a->rows, a->rows_valid, a->n, (uint32_t)k);
      bits |= taken == TAKEN ? 1u << k % 32 : 0u;
      beyond = beyond || taken == TAKEN_BEYOND;
    }
    a->out_bits[i] = bits;
  }
  if (beyond)
    __atomic_store_n(a->beyond, 1, __ATOMIC_RELAXED);
}

RDX_EACH_ITEM(codes, derived_codes_args, a->codes[i] = derived_code(a->values[i], variant[0]))

RDX_EACH_ITEM(pair, derived_pair_args, a->out_keys[i] = paired_key(a->high, a->low, (uint32_t)i))

static const rdx_kernel present_kernel =
    RDX_COMPUTE_KERNEL("derive present", derived_present_args, 0, 4096, 256, present, spirv_derived_present_comp);
static const rdx_kernel take_kernel =
    RDX_COMPUTE_KERNEL("derive take", derived_take_args, 1, 4096, 256, take, spirv_derived_take_comp);
static const rdx_kernel take_bits_kernel = RDX_COMPUTE_KERNEL("derive take bits", derived_take_bits_args, 0, 4096, 256,
                                                              take_bits, spirv_derived_take_bits_comp);
static const rdx_kernel codes_kernel =
    RDX_COMPUTE_KERNEL("derive codes", derived_codes_args, 1, 4096, 256, codes, spirv_derived_codes_comp);
static const rdx_kernel pair_kernel =
    RDX_COMPUTE_KERNEL("derive pair", derived_pair_args, 0, 4096, 256, pair, spirv_derived_pair_comp);

rdx_status rdx_derived_present(rdx_stream *stream, const rdx_buffer *words, uint32_t absent, rdx_buffer *bits,
                               uint64_t count, rdx_error *err) {
  const struct derived_present_args args = {.words = RDX_ADDRESS(uint32_t, words),
                                            .out_bits = RDX_ADDRESS(uint32_t, bits),
                                            .absent = absent,
                                            .n = (uint32_t)count};
  return rdx_stream_launch(stream, &present_kernel, &args, NULL, (count + 31) / 32, NULL, err);
}

rdx_status rdx_derived_take(rdx_stream *stream, const rdx_derived_source *source, rdx_buffer *keys, rdx_buffer *bits,
                            rdx_buffer *beyond, uint64_t count, rdx_error *err) {
  const struct derived_take_args args = {.keys = RDX_ADDRESS(uint32_t, source->keys),
                                         .rows = RDX_ADDRESS(uint32_t, source->rows),
                                         .rows_valid = RDX_ADDRESS(uint32_t, source->rows_valid),
                                         .keys_out = RDX_ADDRESS(uint32_t, keys),
                                         .n = (uint32_t)source->n};
  const struct derived_take_bits_args bits_args = {.valid = RDX_ADDRESS(uint32_t, source->valid),
                                                   .rows = RDX_ADDRESS(uint32_t, source->rows),
                                                   .rows_valid = RDX_ADDRESS(uint32_t, source->rows_valid),
                                                   .out_bits = RDX_ADDRESS(uint32_t, bits),
                                                   .beyond = RDX_ADDRESS(uint32_t, beyond),
                                                   .n = (uint32_t)source->n,
                                                   .row_count = (uint32_t)count};
  const uint32_t key64 = source->key_bits == 64;
  RDX_TRY(rdx_stream_launch(stream, &take_kernel, &args, &key64, count, NULL, err));
  return rdx_stream_launch(stream, &take_bits_kernel, &bits_args, NULL, (count + 31) / 32, NULL, err);
}

rdx_status rdx_derived_codes(rdx_stream *stream, const rdx_buffer *values, bool floats, rdx_buffer *out, uint64_t count,
                             rdx_error *err) {
  const struct derived_codes_args args = {.values = RDX_ADDRESS(uint64_t, values), .codes = RDX_ADDRESS(uint64_t, out)};
  const uint32_t variant = floats;
  return rdx_stream_launch(stream, &codes_kernel, &args, &variant, count, NULL, err);
}

rdx_status rdx_derived_pair(rdx_stream *stream, const rdx_buffer *high, const rdx_buffer *low, rdx_buffer *out,
                            uint64_t count, rdx_error *err) {
  const struct derived_pair_args args = {
      .high = RDX_ADDRESS(uint32_t, high), .low = RDX_ADDRESS(uint32_t, low), .out_keys = RDX_ADDRESS(uint64_t, out)};
  return rdx_stream_launch(stream, &pair_kernel, &args, NULL, count, NULL, err);
}
