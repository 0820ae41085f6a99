/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The kernels of bitmaps, and their bodies on the CPU. */

#include "base/numbers.h"
#include "kernels/bitmap/kernels.h"
#include "spirv/shaders.h"

RDX_KERNEL_BODY(combine, bitmap_combine_args) {
  uint32_t *words = a->words + a->first;
  const uint32_t *other = a->other + a->first;
  const uint32_t op = variant[0], n = a->count;
  if (op == BITMAP_NOT) {
    for (uint32_t k = 0; k < n; k++)
      words[k] = bitmap_combined(0, other[k], a->first + k, a->rows, BITMAP_NOT);
  } else if (op == BITMAP_OR) {
    for (uint32_t k = 0; k < n; k++)
      words[k] |= other[k];
  } else {
    const uint32_t flip = op == BITMAP_AND_NOT ? UINT32_MAX : 0;
    for (uint32_t k = 0; k < n; k++)
      words[k] &= other[k] ^ flip;
  }
}

RDX_KERNEL_BODY(count, bitmap_count_args) {
  const uint64_t begin = (uint64_t)a->first * BITMAP_TILE, max = (uint64_t)a->count * BITMAP_TILE;
  const uint64_t n = a->n - begin < max ? a->n - begin : max;
  __atomic_fetch_add(a->total, rdx_count_bits(a->words + begin, n), __ATOMIC_RELAXED);
}

/* ---- Sets of numbers ---- */

#define DEFINE_MARK(key_bits)                                                                                          \
  static void mark_u##key_bits(const struct bitmap_mark_args *a) {                                                     \
    for (uint64_t i = a->first; i < (uint64_t)a->first + a->count; i++) {                                              \
      const uint32_t bit = marked_bit(a->keys, a->valid, a->base, a->hash_bits, (uint32_t)i, key_bits == 64);          \
      const uint32_t word = __atomic_load_n(&a->bits[bit / 32], __ATOMIC_RELAXED);                                     \
      if ((word >> bit % 32 & 1) == 0) /* mostly it is set already */                                                  \
        __atomic_fetch_or(&a->bits[bit / 32], 1u << bit % 32, __ATOMIC_RELAXED);                                       \
    }                                                                                                                  \
  }

DEFINE_MARK(32)
DEFINE_MARK(64)

RDX_KERNEL_BODY(mark, bitmap_mark_args) {
  (variant[0] ? mark_u64 : mark_u32)(a);
}

RDX_INLINE void count_words(const struct bitmap_words_args *a) {
  for (uint64_t i = a->first; i < (uint64_t)a->first + a->count; i++)
    a->out_counts[i] = BITMAP_COUNT(a->bits[i]);
}

RDX_INLINE void rank_keys(const struct bitmap_rank_args *a, bool key64) {
  for (uint64_t i = a->first; i < (uint64_t)a->first + a->count; i++)
    a->out_ranks[i] = bitmap_rank(a->bits, a->before, (uint32_t)load_key(a->keys, (uint32_t)i, key64));
}

#if defined __x86_64__

__attribute__((target("popcnt,avx2"))) static void count_words_popcnt(const struct bitmap_words_args *a) {
  count_words(a);
}

__attribute__((target("popcnt,avx2"))) static void rank_keys_popcnt(const struct bitmap_rank_args *a, bool key64) {
  if (key64)
    rank_keys(a, true);
  else
    rank_keys(a, false);
}

#else
#define count_words_popcnt count_words
#define rank_keys_popcnt rank_keys
#endif

static bool has_popcnt(void) {
#if defined __x86_64__
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

RDX_KERNEL_BODY(words, bitmap_words_args) {
  has_popcnt() ? count_words_popcnt(a) : count_words(a);
}

RDX_KERNEL_BODY(rank, bitmap_rank_args) {
  has_popcnt() ? rank_keys_popcnt(a, variant[0]) : rank_keys(a, variant[0]);
}

static const rdx_kernel mark_kernel =
    RDX_COMPUTE_KERNEL("bitmap mark", bitmap_mark_args, 1, 16384, 256, mark, spirv_bitmap_mark_comp);
static const rdx_kernel words_kernel =
    RDX_COMPUTE_KERNEL("bitmap words", bitmap_words_args, 0, 16384, 256, words, spirv_bitmap_words_comp);
static const rdx_kernel rank_kernel =
    RDX_COMPUTE_KERNEL("bitmap rank", bitmap_rank_args, 1, 16384, 256, rank, spirv_bitmap_rank_comp);
static const rdx_kernel combine_kernel =
    RDX_COMPUTE_KERNEL("bitmap combine", bitmap_combine_args, 1, 1 << 15, 256, combine, spirv_bitmap_combine_comp);
static const rdx_kernel count_kernel =
    RDX_COMPUTE_KERNEL("bitmap count", bitmap_count_args, 0, 8, 1, count, spirv_bitmap_count_comp);

rdx_status rdx_bitmap_combine(rdx_stream *stream, uint32_t op, rdx_buffer *words, const rdx_buffer *other,
                              uint64_t rows, rdx_error *err) {
  const struct bitmap_combine_args args = {
      .words = RDX_ADDRESS(uint32_t, words), .other = RDX_ADDRESS(uint32_t, other), .rows = (uint32_t)rows};
  return rdx_stream_launch(stream, &combine_kernel, &args, &op, (rows + 31) / 32, NULL, err);
}

rdx_status rdx_bitmap_fill(rdx_stream *stream, rdx_buffer *words, uint64_t rows, rdx_error *err) {
  RDX_TRY(rdx_stream_fill(stream, words, 0, rows / 32 * 4, UINT32_MAX, err));
  if (rows % 32 == 0)
    return RDX_OK;
  return rdx_stream_fill(stream, words, rows / 32 * 4, 4, (1u << rows % 32) - 1, err);
}

rdx_status rdx_bitmap_count(rdx_stream *stream, const rdx_buffer *words, uint64_t rows, rdx_buffer *total,
                            rdx_error *err) {
  const uint64_t n = (rows + 31) / 32;
  const struct bitmap_count_args args = {
      .words = RDX_ADDRESS(uint32_t, words), .total = RDX_ADDRESS(uint32_t, total), .n = (uint32_t)n};
  RDX_TRY(rdx_stream_fill(stream, total, 0, 8, 0, err));
  return rdx_stream_launch(stream, &count_kernel, &args, NULL, (n + BITMAP_TILE - 1) / BITMAP_TILE, NULL, err);
}

rdx_status rdx_bitmap_mark(rdx_stream *stream, const rdx_marked_keys *of, rdx_buffer *bits, rdx_error *err) {
  const struct bitmap_mark_args args = {.keys = RDX_ADDRESS(uint32_t, of->keys),
                                        .valid = RDX_ADDRESS(uint32_t, of->valid),
                                        .bits = RDX_ADDRESS(uint32_t, bits),
                                        .base = of->base,
                                        .hash_bits = of->hash_bits};
  const uint32_t key64 = of->key_bits == 64;
  RDX_TRY(rdx_stream_fill(stream, bits, 0, bits->size, 0, err));
  return rdx_stream_launch(stream, &mark_kernel, &args, &key64, of->rows, NULL, err);
}

rdx_status rdx_bitmap_before(rdx_stream *stream, const rdx_buffer *bits, rdx_buffer *before, rdx_error *err) {
  const uint64_t words = bits->size / 4;
  rdx_buffer *counts = NULL;
  RDX_TRY(rdx_stream_scratch(stream, words * 4, "the bits of words", &counts, err));
  const struct bitmap_words_args args = {.bits = RDX_ADDRESS(uint32_t, bits),
                                         .out_counts = RDX_ADDRESS(uint32_t, counts)};
  RDX_TRY(rdx_stream_launch(stream, &words_kernel, &args, NULL, words, NULL, err));
  return rdx_stream_scan(stream, counts, before, words, err);
}

rdx_status rdx_bitmap_rank(rdx_stream *stream, const rdx_buffer *keys, uint32_t key_bits, const rdx_buffer *bits,
                           const rdx_buffer *before, rdx_buffer *ranks, uint64_t rows, rdx_error *err) {
  const struct bitmap_rank_args args = {.keys = RDX_ADDRESS(uint32_t, keys),
                                        .bits = RDX_ADDRESS(uint32_t, bits),
                                        .before = RDX_ADDRESS(uint64_t, before),
                                        .out_ranks = RDX_ADDRESS(uint32_t, ranks)};
  const uint32_t key64 = key_bits == 64;
  return rdx_stream_launch(stream, &rank_kernel, &args, &key64, rows, NULL, err);
}
