/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_INDEX_SEGMENTS_H
#define RDX_INDEX_SEGMENTS_H

#include "device/device.h"

/* Ascending keys, `count` of them, from `min` to `max`. */
typedef struct rdx_ascending_keys {
  const rdx_buffer *keys;
  uint32_t key_bits;
  uint64_t count, min, max;
} rdx_ascending_keys;

/* The segments key >> shift that hold any of the keys, ascending, as u64: see kernels/rx/rx_segments.h. Where there are
 * few segments between the smallest and the largest key, none are listed: `*out` is NULL. */
RDX_MUST_USE rdx_status rdx_segments_list(const rdx_ascending_keys *of, uint32_t shift, rdx_buffer **out,
                                          uint64_t *out_count, rdx_error *err);

#endif
