/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_PRIMITIVES_KERNELS_H
#define RDX_KERNELS_PRIMITIVES_KERNELS_H

/* Steps around a lookup that every index shares, recorded to a stream. Buffers must live until its finish. */

#include "device/device.h"
#include "kernels/primitives/primitives.h"

/* rows[i] = i */
RDX_MUST_USE rdx_status rdx_primitive_iota(rdx_stream *stream, rdx_buffer *rows, uint64_t count, rdx_error *err);

/* bits[i] = whether key i of `count` ascending ones is the first of its value; whole words. */
RDX_MUST_USE rdx_status rdx_primitive_heads(rdx_stream *stream, const rdx_buffer *keys, uint32_t key_bits,
                                            rdx_buffer *bits, uint64_t count, rdx_error *err);

/* Set the u32 `out`, 0 before, to 1 where one of `count` ascending keys stands more than `distance` times. */
RDX_MUST_USE rdx_status rdx_primitive_long_runs(rdx_stream *stream, const rdx_buffer *keys, uint32_t key_bits,
                                                uint32_t distance, rdx_buffer *out, uint64_t count, rdx_error *err);

/* Give each of `count` probes the answers to its key. */
RDX_MUST_USE rdx_status rdx_primitive_expand(rdx_stream *stream, const primitive_expand_args *args, uint32_t key_bits,
                                             uint64_t count, rdx_error *err);

/* out[i] = keys[rows[i]] */
RDX_MUST_USE rdx_status rdx_primitive_gather(rdx_stream *stream, const uint32_t *keys, const rdx_buffer *rows,
                                             uint32_t key_bits, rdx_buffer *out, uint64_t count, rdx_error *err);

/* out[places[i]] = answers[i], answers of `words` (1, 2 or 4) words each. At most 2^30 words of them. */
RDX_MUST_USE rdx_status rdx_primitive_scatter(rdx_stream *stream, const rdx_buffer *answers, const rdx_buffer *places,
                                              uint32_t words, uint32_t *out, uint64_t count, rdx_error *err);

/* Bit i of `out` = bit rows[i] of `bits`; whole words. */
RDX_MUST_USE rdx_status rdx_primitive_bits(rdx_stream *stream, const uint32_t *bits, const rdx_buffer *rows,
                                           rdx_buffer *out, uint64_t count, rdx_error *err);

/* The probe of each of `total` rows, of which those of probe i are offsets[i] .. offsets[i+1]. */
RDX_MUST_USE rdx_status rdx_primitive_owner(rdx_stream *stream, const rdx_buffer *offsets, uint64_t probes,
                                            rdx_buffer *owners, uint64_t total, rdx_error *err);

/* Put the rows of each probe (offsets[i] .. offsets[i+1]) in ascending order; `pairs` has room for `total` u64. */
RDX_MUST_USE rdx_status rdx_primitive_order(rdx_stream *stream, const rdx_buffer *offsets, rdx_buffer *rows,
                                            uint64_t probes, uint64_t total, rdx_buffer *pairs, rdx_error *err);

/* The values (`value`: VALUE_...) of probes that match a row each, or none (NO_ROW), as their sums; NULLs count as
 * none. `rows` become the counts. On CPUs only, whose caches it suits that rows are found for all probes first. */
RDX_MUST_USE rdx_status rdx_primitive_values(rdx_stream *stream, rdx_buffer *rows, const uint32_t *values,
                                             const uint32_t *values_valid, uint32_t value, rdx_buffer *sums,
                                             uint64_t probes, rdx_error *err);

/* Join sums of halves (GATHER_SUM_WIDE) to 64 bits. The u32 `overflow`, 0 before, becomes the number of a probe whose
 * sum does not fit, plus 1. */
RDX_MUST_USE rdx_status rdx_primitive_wide(rdx_stream *stream, const rdx_buffer *sums_of_halves, bool is_signed,
                                           rdx_buffer *sums, rdx_buffer *overflow, uint64_t probes, rdx_error *err);

/* Add the float values of each probe's rows, in their order, as f64. `is_f64`: the values are doubles, else floats.
 * Needs a device with has_f64. */
RDX_MUST_USE rdx_status rdx_primitive_floats(rdx_stream *stream, const primitive_floats_args *args, bool is_f64,
                                             uint64_t probes, rdx_error *err);

#endif
