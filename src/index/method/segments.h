/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_INDEX_SEGMENTS_H
#define RDX_INDEX_SEGMENTS_H

#include "device/device.h"

/* The segments key >> shift that hold any of `count` ascending keys, ascending, as u64: see
 * kernels/rx/rx_segments.h. Where there are few segments between the smallest and the largest key, none are listed:
 * `*out` is NULL. */
RDX_MUST_USE rdx_status rdx_segments_list(const rdx_buffer *keys, uint32_t key_bits, uint64_t count, uint32_t shift,
                                          uint64_t smallest, uint64_t largest, rdx_buffer **out, uint64_t *out_count,
                                          rdx_error *err);

#endif
