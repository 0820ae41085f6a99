/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The kernels that work on results, and their bodies on the CPU. */

#include "kernels/primitives/kernels.h"
#include "spirv/shaders.h"

RDX_KERNEL_BODY(pair, primitive_pair_args) {
  uint64_t probe = a->count > 0 ? probe_of_row(a->offsets, a->probes, a->first) : 0;
  for (uint64_t k = a->first; k < (uint64_t)a->first + a->count; k++) {
    while (k >= a->offsets[probe + 1])
      probe++;
    a->pairs[k] = probe << 32 | a->rows[k];
  }
}

RDX_KERNEL_BODY(owner, primitive_owner_args) {
  uint32_t probe = a->count > 0 ? probe_of_row(a->offsets, a->probes, a->first) : 0;
  for (uint64_t k = a->first; k < (uint64_t)a->first + a->count; k++) {
    while (k >= a->offsets[probe + 1])
      probe++;
    a->owners[k] = probe;
  }
}

RDX_EACH_ITEM(unpair, primitive_unpair_args, a->rows[i] = (uint32_t)a->pairs[i])

RDX_EACH_ITEM(gather, primitive_gather_args,
              store_key(a->keys_out, (uint32_t)i, load_key(a->keys, a->rows[i], variant[0]), variant[0]))

RDX_KERNEL_BODY(scatter, primitive_scatter_args) {
  for (uint64_t i = a->first; i < (uint64_t)a->first + a->count; i++) {
    if (variant[0] == 1)
      a->out_answers[a->places[i]] = a->answers[i];
    else
      memcpy(a->out_answers + (uint64_t)a->places[i] * variant[0], a->answers + i * variant[0], variant[0] * 4);
  }
}

RDX_EACH_ITEM(bits, primitive_bits_args, a->out_bits[i] = gathered_bits(a->bits, a->rows, (uint32_t)i, a->n))

RDX_EACH_ITEM(heads, primitive_heads_args, a->bits[i] = run_heads(a->keys, (uint32_t)i, a->n, variant[0]))

RDX_KERNEL_BODY(long_runs, primitive_long_runs_args) {
  bool any = false;
  for (uint32_t i = a->first; i < a->first + a->count && !any; i++)
    any = begins_long_run(a->keys, i, a->n, a->distance, variant[0]);
  if (any)
    __atomic_store_n(a->long_run, 1, __ATOMIC_RELAXED);
}

RDX_KERNEL_BODY(expand, primitive_expand_args) {
  for (uint64_t i = a->first; i < (uint64_t)a->first + a->count; i++) {
    const bool valid = has_bit(a->valid, (uint32_t)i);
    const uint32_t k = place_of_key(a->keys, a->n, load_key(a->probes, (uint32_t)i, variant[0]), variant[0]);
    if (a->out_counts)
      a->out_counts[i] = valid ? a->counts[k] : 0;
    if (a->out_firsts)
      a->out_firsts[i] = valid ? a->firsts[k] : NO_ROW;
    if (a->out_sums)
      a->out_sums[i] = valid ? a->sums[k] : 0;
  }
}

RDX_EACH_ITEM(iota, primitive_iota_args, a->rows[i] = (uint32_t)i)

RDX_KERNEL_BODY(wide, primitive_wide_args) {
  for (uint64_t i = a->first; i < (uint64_t)a->first + a->count; i++) {
    const uint64_t low = a->sums_of_halves[2ul * i], high = wide_high(low, a->sums_of_halves[2ul * i + 1]);
    if (!wide_fits(high, variant[0]))
      __atomic_store_n(a->overflow, (uint32_t)i + 1, __ATOMIC_RELAXED); /* any of them will do */
    a->sums[i] = high << 32 | low_half(low);
  }
}

RDX_KERNEL_BODY(floats, primitive_floats_args) {
  for (uint64_t probe = a->first; probe < (uint64_t)a->first + a->count; probe++) {
    double sum = 0;
    uint32_t count = 0;
    for (uint64_t k = a->offsets[probe]; k < a->offsets[probe + 1]; k++) {
      const uint32_t row = a->rows[k];
      if (!has_bit(a->values_valid, row))
        continue;
      const uint64_t bits =
          variant[0] ? double_bits(AS_U64_PTR(a->values)[row]) : widened_bits(float_bits(a->values[row]));
      double value;
      memcpy(&value, &bits, sizeof value);
      sum += value;
      count++;
    }
    a->sums[probe] = sum;
    a->counts[probe] = count;
  }
}

/* No step depends on what is found, so that many values are on their way at a time. */
#define TAKE_VALUES(type, value)                                                                                       \
  for (uint32_t i = 0; i < count; i++) {                                                                               \
    const uint64_t found = 0 - (uint64_t)(rows[i] != NO_ROW);                                                          \
    const type x = ((const type *)(const void *)column)[rows[i] & found];                                              \
    sums[i] = (value)&found;                                                                                           \
  }                                                                                                                    \
  break

static void take_values(const uint32_t *rows, uint32_t count, const uint32_t *column, uint32_t kind, uint64_t *sums) {
  switch (kind) {
  case VALUE_U32:
    TAKE_VALUES(uint32_t, x);
  case VALUE_I32:
    TAKE_VALUES(uint32_t, (uint64_t)x - 0x80000000u);
  case VALUE_U64:
    TAKE_VALUES(uint64_t, x);
  case VALUE_I64:
    TAKE_VALUES(uint64_t, x ^ 1ull << 63);
  }
}

RDX_KERNEL_BODY(values, primitive_values_args) {
  for (uint64_t i = a->first; a->values_valid && i < (uint64_t)a->first + a->count; i++)
    if (a->rows[i] != NO_ROW && !has_bit(a->values_valid, a->rows[i]))
      a->rows[i] = NO_ROW;
  take_values(a->rows + a->first, a->count, a->values, variant[0], a->sums + a->first);
  for (uint64_t i = a->first; i < (uint64_t)a->first + a->count; i++)
    a->rows[i] = a->rows[i] != NO_ROW;
}

static const rdx_kernel pair_kernel =
    RDX_COMPUTE_KERNEL("primitive pair", primitive_pair_args, 0, 4096, 256, pair, spirv_primitives_pair_comp);
static const rdx_kernel owner_kernel =
    RDX_COMPUTE_KERNEL("primitive owner", primitive_owner_args, 0, 4096, 256, owner, spirv_primitives_owner_comp);
static const rdx_kernel unpair_kernel =
    RDX_COMPUTE_KERNEL("primitive unpair", primitive_unpair_args, 0, 4096, 256, unpair, spirv_primitives_unpair_comp);
static const rdx_kernel gather_kernel =
    RDX_COMPUTE_KERNEL("primitive gather", primitive_gather_args, 1, 4096, 256, gather, spirv_primitives_gather_comp);
static const rdx_kernel scatter_kernel = RDX_COMPUTE_KERNEL("primitive scatter", primitive_scatter_args, 1, 4096, 256,
                                                            scatter, spirv_primitives_scatter_comp);
static const rdx_kernel bits_kernel =
    RDX_COMPUTE_KERNEL("primitive bits", primitive_bits_args, 0, 4096, 256, bits, spirv_primitives_bits_comp);
static const rdx_kernel heads_kernel =
    RDX_COMPUTE_KERNEL("primitive heads", primitive_heads_args, 1, 4096, 256, heads, spirv_primitives_heads_comp);
static const rdx_kernel long_runs_kernel = RDX_COMPUTE_KERNEL("primitive long runs", primitive_long_runs_args, 1, 4096,
                                                              256, long_runs, spirv_primitives_long_runs_comp);
static const rdx_kernel expand_kernel =
    RDX_COMPUTE_KERNEL("primitive expand", primitive_expand_args, 1, 4096, 256, expand, spirv_primitives_expand_comp);
static const rdx_kernel iota_kernel =
    RDX_COMPUTE_KERNEL("primitive iota", primitive_iota_args, 0, 4096, 256, iota, spirv_primitives_iota_comp);
static const rdx_kernel wide_kernel =
    RDX_COMPUTE_KERNEL("primitive wide", primitive_wide_args, 1, 4096, 256, wide, spirv_primitives_wide_comp);
static const rdx_kernel floats_kernel =
    RDX_COMPUTE_KERNEL("primitive floats", primitive_floats_args, 1, 4096, 256, floats, spirv_primitives_floats_comp);

static const rdx_kernel values_kernel = {.name = "primitive values",
                                         .args_size = sizeof(struct primitive_values_args),
                                         .variants = 1,
                                         .grain = 4096,
                                         .body = values};

rdx_status rdx_primitive_heads(rdx_stream *stream, const rdx_buffer *keys, uint32_t key_bits, rdx_buffer *bits,
                               uint64_t count, rdx_error *err) {
  const struct primitive_heads_args args = {
      .keys = RDX_ADDRESS(uint32_t, keys), .bits = RDX_ADDRESS(uint32_t, bits), .n = (uint32_t)count};
  const uint32_t key64 = key_bits == 64;
  return rdx_stream_launch(stream, &heads_kernel, &args, &key64, (count + 31) / 32, NULL, err);
}

rdx_status rdx_primitive_long_runs(rdx_stream *stream, const rdx_buffer *keys, uint32_t key_bits, uint32_t distance,
                                   rdx_buffer *out, uint64_t count, rdx_error *err) {
  const struct primitive_long_runs_args args = {.keys = RDX_ADDRESS(uint32_t, keys),
                                                .long_run = RDX_ADDRESS(uint32_t, out),
                                                .distance = distance,
                                                .n = (uint32_t)count};
  const uint32_t key64 = key_bits == 64;
  return rdx_stream_launch(stream, &long_runs_kernel, &args, &key64, count, NULL, err);
}

rdx_status rdx_primitive_expand(rdx_stream *stream, const primitive_expand_args *args, uint32_t key_bits,
                                uint64_t count, rdx_error *err) {
  const uint32_t key64 = key_bits == 64;
  return rdx_stream_launch(stream, &expand_kernel, args, &key64, count, NULL, err);
}

rdx_status rdx_primitive_iota(rdx_stream *stream, rdx_buffer *rows, uint64_t count, rdx_error *err) {
  const struct primitive_iota_args args = {.rows = RDX_ADDRESS(uint32_t, rows)};
  return rdx_stream_launch(stream, &iota_kernel, &args, NULL, count, NULL, err);
}

rdx_status rdx_primitive_gather(rdx_stream *stream, const uint32_t *keys, const rdx_buffer *rows, uint32_t key_bits,
                                rdx_buffer *out, uint64_t count, rdx_error *err) {
  const struct primitive_gather_args args = {
      .keys = (uint32_t *)(uintptr_t)keys, .rows = RDX_ADDRESS(uint32_t, rows), .keys_out = RDX_ADDRESS(uint32_t, out)};
  const uint32_t key64 = key_bits == 64;
  return rdx_stream_launch(stream, &gather_kernel, &args, &key64, count, NULL, err);
}

rdx_status rdx_primitive_scatter(rdx_stream *stream, const rdx_buffer *answers, const rdx_buffer *places,
                                 uint32_t words, uint32_t *out, uint64_t count, rdx_error *err) {
  const struct primitive_scatter_args args = {
      .answers = RDX_ADDRESS(uint32_t, answers), .places = RDX_ADDRESS(uint32_t, places), .out_answers = out};
  return rdx_stream_launch(stream, &scatter_kernel, &args, &words, count, NULL, err);
}

rdx_status rdx_primitive_bits(rdx_stream *stream, const uint32_t *in, const rdx_buffer *rows, rdx_buffer *out,
                              uint64_t count, rdx_error *err) {
  const struct primitive_bits_args args = {.bits = (uint32_t *)(uintptr_t)in,
                                           .rows = RDX_ADDRESS(uint32_t, rows),
                                           .out_bits = RDX_ADDRESS(uint32_t, out),
                                           .n = (uint32_t)count};
  return rdx_stream_launch(stream, &bits_kernel, &args, NULL, (count + 31) / 32, NULL, err);
}

/* The bits that probe numbers below `probes` need. */
static uint32_t bits_of(uint64_t probes) {
  uint32_t bits = 0;
  while (bits < 32 && probes > 1ull << bits)
    bits++;
  return bits;
}

rdx_status rdx_primitive_owner(rdx_stream *stream, const rdx_buffer *offsets, uint64_t probes, rdx_buffer *owners,
                               uint64_t total, rdx_error *err) {
  const struct primitive_owner_args args = {
      .offsets = RDX_ADDRESS(uint64_t, offsets), .owners = RDX_ADDRESS(uint32_t, owners), .probes = (uint32_t)probes};
  return rdx_stream_launch(stream, &owner_kernel, &args, NULL, total, NULL, err);
}

rdx_status rdx_primitive_order(rdx_stream *stream, const rdx_buffer *offsets, rdx_buffer *rows, uint64_t probes,
                               uint64_t total, rdx_buffer *pairs, rdx_error *err) {
  const struct primitive_pair_args pair_args = {.offsets = RDX_ADDRESS(uint64_t, offsets),
                                                .rows = RDX_ADDRESS(uint32_t, rows),
                                                .pairs = RDX_ADDRESS(uint64_t, pairs),
                                                .probes = (uint32_t)probes};
  const struct primitive_unpair_args unpair_args = {.pairs = RDX_ADDRESS(uint64_t, pairs),
                                                    .rows = RDX_ADDRESS(uint32_t, rows)};
  RDX_TRY(rdx_stream_launch(stream, &pair_kernel, &pair_args, NULL, total, NULL, err));
  RDX_TRY(rdx_stream_sort(stream, pairs, 8, 32 + bits_of(probes), NULL, total, err));
  return rdx_stream_launch(stream, &unpair_kernel, &unpair_args, NULL, total, NULL, err);
}

rdx_status rdx_primitive_values(rdx_stream *stream, rdx_buffer *rows, const uint32_t *column, const uint32_t *valid,
                                uint32_t value, rdx_buffer *sums, uint64_t probes, rdx_error *err) {
  const struct primitive_values_args args = {.rows = RDX_ADDRESS(uint32_t, rows),
                                             .values = (uint32_t *)(uintptr_t)column,
                                             .values_valid = (uint32_t *)(uintptr_t)valid,
                                             .sums = RDX_ADDRESS(uint64_t, sums)};
  return rdx_stream_launch(stream, &values_kernel, &args, &value, probes, NULL, err);
}

rdx_status rdx_primitive_wide(rdx_stream *stream, const rdx_buffer *sums_of_halves, bool is_signed, rdx_buffer *sums,
                              rdx_buffer *overflow, uint64_t probes, rdx_error *err) {
  const struct primitive_wide_args args = {.sums_of_halves = RDX_ADDRESS(uint64_t, sums_of_halves),
                                           .sums = RDX_ADDRESS(uint64_t, sums),
                                           .overflow = RDX_ADDRESS(uint32_t, overflow)};
  const uint32_t variant = is_signed;
  return rdx_stream_launch(stream, &wide_kernel, &args, &variant, probes, NULL, err);
}

rdx_status rdx_primitive_floats(rdx_stream *stream, const primitive_floats_args *args, bool is_f64, uint64_t probes,
                                rdx_error *err) {
  const uint32_t variant = is_f64;
  return rdx_stream_launch(stream, &floats_kernel, args, &variant, probes, NULL, err);
}
