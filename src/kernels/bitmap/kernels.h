/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_BITMAP_KERNELS_H
#define RDX_KERNELS_BITMAP_KERNELS_H

#include "device/device.h"
#include "kernels/bitmap/bitmap.h"

/* words = words op other, over bitmaps of `rows` rows. */
RDX_MUST_USE rdx_status rdx_bitmap_combine(rdx_stream *stream, uint32_t op, rdx_buffer *words, const rdx_buffer *other,
                                           uint64_t rows, rdx_error *err);

/* Set the bits of all rows. */
RDX_MUST_USE rdx_status rdx_bitmap_fill(rdx_stream *stream, rdx_buffer *words, uint64_t rows, rdx_error *err);

/* The number of set bits, as one u64 at the start of `count`. */
RDX_MUST_USE rdx_status rdx_bitmap_count(rdx_stream *stream, const rdx_buffer *words, uint64_t rows, rdx_buffer *count,
                                         rdx_error *err);

/* Sets of numbers; see bitmap.h. Of a bitmap all `bits->size` bytes count. */

/* The keys of `rows` rows, less `base`. */
typedef struct rdx_marked_keys {
  const rdx_buffer *keys; /* u32 or u64, by `key_bits` */
  const rdx_buffer *valid;
  uint32_t key_bits;
  uint32_t hash_bits; /* 0: none */
  uint64_t base, rows;
} rdx_marked_keys;

/* Make `bits` the set of the keys, and of 0 where one is NULL. With `hash_bits` it has 2 to this bits, of which no more
 * are set than there are distinct keys. */
RDX_MUST_USE rdx_status rdx_bitmap_mark(rdx_stream *stream, const rdx_marked_keys *of, rdx_buffer *bits,
                                        rdx_error *err);

/* Count the bits before each word, and all: u64, one more than words. */
RDX_MUST_USE rdx_status rdx_bitmap_before(rdx_stream *stream, const rdx_buffer *bits, rdx_buffer *before,
                                          rdx_error *err);

/* ranks[i] (u32) = how many smaller numbers than keys[i] (u32 or u64 by `key_bits`) the set has. */
RDX_MUST_USE rdx_status rdx_bitmap_rank(rdx_stream *stream, const rdx_buffer *keys, uint32_t key_bits,
                                        const rdx_buffer *bits, const rdx_buffer *before, rdx_buffer *ranks,
                                        uint64_t rows, rdx_error *err);

/* Bytes of a bitmap of `rows` rows: whole words, and at least one. */
static inline uint64_t rdx_bitmap_bytes(uint64_t rows) {
  return rows == 0 ? 4 : (rows + 31) / 32 * 4;
}

#endif
