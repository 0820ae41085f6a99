/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_INDEX_RESULT_H
#define RDX_INDEX_RESULT_H

#include "index/index.h"

/* What one pass over probes left on the device; buffers that its kind does not have are NULL. */
typedef struct rdx_parts {
  rdx_buffer *count, *first, *sum, *offsets, *rows;
  uint64_t row_count;
} rdx_parts;

void rdx_parts_destroy(rdx_parts *parts);

/* The rows of `probes` probes, of `keyed`, in new host arrays, to be freed with rdx_free(). */
RDX_MUST_USE rdx_status rdx_parts_download_rows(const rdx_parts *parts, uint64_t probes, uint64_t keyed,
                                                uint64_t **offsets, uint32_t **rows, rdx_error *err);

/* Either `parts` hold all probes on the device, or the arrays hold the first `filled` of them on the host. */
struct rdx_lookup_result {
  rdx_device *device;
  rdx_lookup_result_kind kind;
  uint64_t probes;
  uint64_t keyed; /* rows of the index */
  rdx_type sum_type;
  uint8_t sum_scale;
  rdx_lookup_stats stats;
  bool on_device;
  rdx_parts parts;
  uint64_t filled;
  uint32_t *count, *first, *rows;
  uint64_t *sum, *offsets; /* sums as the bits of their type */
  uint64_t row_capacity;
  uint64_t host_bytes; /* of the arrays */
  bool given_away;     /* its rows went to rdx_lookup_params.each */
};

RDX_MUST_USE rdx_status rdx_lookup_result_create(rdx_device *device, rdx_lookup_result_kind kind, uint64_t probes,
                                                 uint64_t keyed, rdx_lookup_result **out, rdx_error *err);

/* Make room on the host for as many rows of RDX_LOOKUP_ROWS. */
RDX_MUST_USE rdx_status rdx_lookup_result_reserve_rows(rdx_lookup_result *result, uint64_t rows, rdx_error *err);

/* Refuse so many rows where the host has no room for them. */
RDX_MUST_USE rdx_status rdx_expect_rows(const rdx_device *device, uint64_t rows, const rdx_lookup_options *options,
                                        rdx_error *err);

/* Keep the parts of all probes, on the device. */
void rdx_lookup_result_take(rdx_lookup_result *result, rdx_parts *parts);

/* Copy the parts of the next `count` probes to the host, and destroy them. */
RDX_MUST_USE rdx_status rdx_lookup_result_append(rdx_lookup_result *result, uint64_t count, rdx_parts *parts,
                                                 rdx_error *err);

/* Add the answers for the next `count` probes, worked out on the host from their rows (and the value column, for
 * sums). */
RDX_MUST_USE rdx_status rdx_lookup_result_append_rows(rdx_lookup_result *result, const rdx_device_column *values,
                                                      uint64_t count, const uint64_t *offsets, const uint32_t *rows,
                                                      rdx_error *err);

/* Forget what a failed attempt counted. */
void rdx_lookup_result_restart(rdx_lookup_result *result);

#endif
