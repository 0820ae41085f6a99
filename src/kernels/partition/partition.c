/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "kernels/partition/kernels.h"

#include <string.h>

#include "kernels/lookup/lookup.h"

#ifdef __x86_64__
#include <emmintrin.h>
#endif

#define LINE_BYTES 64u

/* Item: a chunk. */
struct partition_args {
  LAUNCH_HEADER;
  const rdx_partitioned *p;
  void *out;
  const uint32_t *answers, *valid;
  uint32_t none;
};

RDX_INLINE uint64_t key_at(const rdx_partitioned *p, uint64_t i, bool key64) {
  return key64 ? ((const uint64_t *)(const void *)p->keys)[i] : p->keys[i];
}

static uint64_t begin_of(const rdx_partitioned *p, uint32_t chunk) {
  return chunk * p->chunk;
}

static uint64_t end_of(const rdx_partitioned *p, uint32_t chunk) {
  const uint64_t end = (chunk + 1ull) * p->chunk;
  return end < p->count ? end : p->count;
}

/* ---- Moving ---- */

RDX_INLINE void count_chunk(const rdx_partitioned *p, uint32_t chunk, bool key64) {
  uint32_t counts[RDX_PARTITIONS] = {0};
  const uint64_t end = end_of(p, chunk);
  for (uint64_t i = begin_of(p, chunk); i < end; i++)
    counts[rdx_partition_of(p->map, key_at(p, i, key64))]++;
  memcpy(p->starts[chunk], counts, sizeof counts);
}

RDX_KERNEL_BODY(count, partition_args) {
  for (uint32_t c = a->first; c < a->first + a->count; c++) {
    if (a->p->map->key64)
      count_chunk(a->p, c, true);
    else
      count_chunk(a->p, c, false);
  }
}

/* Counts to places: by partition, then by chunk. */
static void place(const rdx_partitioned *p, uint64_t chunks) {
  uint32_t running = 0;
  for (uint32_t k = 0; k < RDX_PARTITIONS; k++) {
    for (uint64_t c = 0; c < chunks; c++) {
      const uint32_t n = p->starts[c][k];
      p->starts[c][k] = running;
      running += n;
    }
  }
}

/* Write a line past the caches, from one aligned address to another. */
static inline void write_line(void *to, const void *from) {
#ifdef __x86_64__
  for (size_t i = 0; i < LINE_BYTES / sizeof(__m128i); i++)
    _mm_stream_si128((__m128i *)to + i, _mm_load_si128((const __m128i *)from + i));
#else
  memcpy(to, from, LINE_BYTES);
#endif
}

/* Keys of a partition gather in a line before they are written together, aligned as their places are. Of the first
 * line of each, and of the last, only a part is the chunk's. */
#define DEFINE_MOVE(suffix, type, is64)                                                                                \
  static void move_##suffix(const rdx_partitioned *p, uint32_t chunk, type *out) {                                     \
    enum { LINE = LINE_BYTES / sizeof(type) };                                                                         \
    _Alignas(LINE_BYTES) type lines[RDX_PARTITIONS][LINE];                                                             \
    const uint32_t *starts = p->starts[chunk];                                                                         \
    uint32_t next[RDX_PARTITIONS];                                                                                     \
    memcpy(next, starts, sizeof next);                                                                                 \
    const uint64_t end = end_of(p, chunk);                                                                             \
    for (uint64_t i = begin_of(p, chunk); i < end; i++) {                                                              \
      const type key = (type)key_at(p, i, is64);                                                                       \
      const uint32_t k = rdx_partition_of(p->map, key), at = next[k]++;                                                \
      lines[k][at % LINE] = key;                                                                                       \
      if (at % LINE < LINE - 1)                                                                                        \
        continue;                                                                                                      \
      const uint32_t start = at - at % LINE;                                                                           \
      if (start >= starts[k])                                                                                          \
        write_line(&out[start], lines[k]);                                                                             \
      else                                                                                                             \
        memcpy(&out[starts[k]], &lines[k][starts[k] % LINE], (LINE - starts[k] % LINE) * sizeof(type));                \
    }                                                                                                                  \
    for (uint32_t k = 0; k < RDX_PARTITIONS; k++) {                                                                    \
      const uint32_t line = next[k] - next[k] % LINE, start = line > starts[k] ? line : starts[k];                     \
      memcpy(&out[start], &lines[k][start % LINE], (next[k] - start) * sizeof(type));                                  \
    }                                                                                                                  \
  }

DEFINE_MOVE(u32, uint32_t, false)
DEFINE_MOVE(u64, uint64_t, true)

RDX_KERNEL_BODY(move, partition_args) {
  for (uint32_t c = a->first; c < a->first + a->count; c++) {
    if (a->p->map->key64)
      move_u64(a->p, c, a->out);
    else
      move_u32(a->p, c, a->out);
  }
#ifdef __x86_64__
  _mm_sfence(); /* what passed by the caches is seen by other threads */
#endif
}

/* ---- Putting back ---- */

RDX_INLINE void restore_chunk(const struct partition_args *a, uint32_t chunk, uint32_t words, bool key64) {
  const rdx_partitioned *p = a->p;
  uint32_t next[RDX_PARTITIONS];
  memcpy(next, p->starts[chunk], sizeof next);
  const uint64_t end = end_of(p, chunk);
  for (uint64_t i = begin_of(p, chunk); i < end; i++) {
    const uint64_t at = next[rdx_partition_of(p->map, key_at(p, i, key64))]++;
    memcpy((uint32_t *)a->out + i * words, a->answers + at * words, words * sizeof *a->answers);
    __builtin_prefetch(a->answers + at * words + 2 * LINE_BYTES / 4); /* hardware follows fewer streams */
  }
  for (uint64_t i = begin_of(p, chunk) * words; a->valid && i < end * words; i++)
    if (!has_bit((uint32_t *)(uintptr_t)a->valid, (uint32_t)(i / words)))
      ((uint32_t *)a->out)[i] = a->none;
}

RDX_KERNEL_BODY(restore, partition_args) {
  for (uint32_t c = a->first; c < a->first + a->count; c++) {
    if (a->p->map->key64)
      variant[0] == 1 ? restore_chunk(a, c, 1, true) : restore_chunk(a, c, variant[0], true);
    else
      variant[0] == 1 ? restore_chunk(a, c, 1, false) : restore_chunk(a, c, variant[0], false);
  }
}

/* ---- Launching ---- */

#define KERNEL(title, constants, function)                                                                             \
  { .name = title, .args_size = sizeof(struct partition_args), .variants = constants, .grain = 1, .body = function }

static const rdx_kernel count_kernel = KERNEL("partition count", 0, count);
static const rdx_kernel move_kernel = KERNEL("partition move", 0, move);
static const rdx_kernel restore_kernel = KERNEL("partition restore", 1, restore);

rdx_status rdx_partition_move(rdx_stream *stream, const rdx_partitioned *p, rdx_buffer *out, rdx_error *err) {
  const struct partition_args args = {.p = p, .out = RDX_ADDRESS(void, out)};
  const uint64_t chunks = (p->count + p->chunk - 1) / p->chunk;
  RDX_TRY(rdx_stream_launch(stream, &count_kernel, &args, NULL, chunks, NULL, err));
  place(p, chunks);
  return rdx_stream_launch(stream, &move_kernel, &args, NULL, chunks, NULL, err);
}

rdx_status rdx_partition_restore(rdx_stream *stream, const rdx_partitioned *p, const rdx_buffer *answers,
                                 uint32_t words, const uint32_t *valid, uint32_t none, void *out, rdx_error *err) {
  const struct partition_args args = {
      .p = p, .out = out, .answers = RDX_ADDRESS(uint32_t, answers), .valid = valid, .none = none};
  return rdx_stream_launch(stream, &restore_kernel, &args, &words, (p->count + p->chunk - 1) / p->chunk, NULL, err);
}
