/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_INDEX_SORTED_KEYS_H
#define RDX_INDEX_SORTED_KEYS_H

#include "index/index.h"

/* Keys in ascending order beside their rows; the rows of equal keys ascend, too. */
typedef struct rdx_sorted_keys {
  uint32_t key_bits;
  uint64_t count;
  rdx_buffer *keys, *rows;
} rdx_sorted_keys;

/* Sort a copy of a key set, or its own buffers where nobody else uses them. Sets sort_ms and what `stats`
 * tell of equal keys. On failure nothing is left to destroy. */
RDX_MUST_USE rdx_status rdx_sorted_keys_create(const rdx_key_set *set, rdx_sorted_keys *out, rdx_index_stats *stats,
                                               rdx_error *err);
void rdx_sorted_keys_destroy(rdx_sorted_keys *sorted);

/* The key of one entry. */
RDX_MUST_USE rdx_status rdx_sorted_keys_at(const rdx_sorted_keys *sorted, uint64_t entry, uint64_t *out,
                                           rdx_error *err);

/* The first entry of each distinct key, ascending, as u32, and their number. */
RDX_MUST_USE rdx_status rdx_sorted_keys_runs(const rdx_sorted_keys *sorted, rdx_buffer **starts, uint64_t *count,
                                             rdx_error *err);

/* Whether one of `count` ascending keys, `distinct` of which differ, stands more than LONG_RUN times. */
RDX_MUST_USE rdx_status rdx_find_long_runs(rdx_stream *stream, const rdx_buffer *keys, uint32_t key_bits,
                                           uint64_t count, uint64_t distinct, bool *out, rdx_error *err);

/* Farther than any axis of a scene reaches. */
#define RDX_ALL_THE_WAY (1u << 24)

/* How far a first ray reaches on devices that do not visit the nearest hit first, where a long ray visits all that it
 * meets: twice the mean distance of `count` keys over `range`, and no farther than `length`. Never 0. */
float rdx_first_reach(uint64_t range, uint64_t count, uint64_t length);

/* Device bytes held at the peak of the sort: its scratch, the sorted arrays, and a count. */
uint64_t rdx_sorted_keys_estimate(const rdx_device *device, uint64_t count, uint32_t key_bits);

#endif
