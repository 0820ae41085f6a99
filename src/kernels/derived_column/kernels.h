/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_DERIVED_COLUMN_KERNELS_H
#define RDX_KERNELS_DERIVED_COLUMN_KERNELS_H

/* Columns made of results and of other columns, recorded to a stream. Buffers must live until its finish. */

#include "device/device.h"
#include "kernels/derived_column/derived_column.h"

/* Bit i of `bits` (whole words) = whether word i of `count` is another than `absent`. */
RDX_MUST_USE rdx_status rdx_derived_present(rdx_stream *stream, const rdx_buffer *words, uint32_t absent,
                                            rdx_buffer *bits, uint64_t count, rdx_error *err);

/* Rows of a column of `n` keys, with a bit of `valid` each (NULL: all), by their numbers. */
typedef struct rdx_derived_source {
  const rdx_buffer *keys, *valid;
  uint32_t key_bits;
  uint64_t n;
  const rdx_buffer *rows, *rows_valid; /* u32; NULL: none is NULL */
} rdx_derived_source;

/* keys[i] = the key of row rows[i] and bit i of `bits` (whole words) whether it has one. The u32 `beyond`, 0 before,
 * becomes 1 where there is no such row. */
RDX_MUST_USE rdx_status rdx_derived_take(rdx_stream *stream, const rdx_derived_source *source, rdx_buffer *keys,
                                         rdx_buffer *bits, rdx_buffer *beyond, uint64_t count, rdx_error *err);

/* The codes of signed integers of 64 bits, or of floats. */
RDX_MUST_USE rdx_status rdx_derived_codes(rdx_stream *stream, const rdx_buffer *values, bool floats, rdx_buffer *codes,
                                          uint64_t count, rdx_error *err);

/* keys[i] (u64) = high[i] and low[i] (u32) as one. */
RDX_MUST_USE rdx_status rdx_derived_pair(rdx_stream *stream, const rdx_buffer *high, const rdx_buffer *low,
                                         rdx_buffer *keys, uint64_t count, rdx_error *err);

#endif
