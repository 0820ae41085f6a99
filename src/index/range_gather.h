/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_INDEX_RANGE_GATHER_H
#define RDX_INDEX_RANGE_GATHER_H

#include "index/index.h"

/* Prefix sums over values in the order of the entries, in parts: halves of the values (high: of 64 bits only), and
 * whether they are not NULL. Parts that are not needed are NULL. See kernels/range_gather/range_gather.h. */
enum { PREFIX_LOW, PREFIX_HIGH, PREFIX_PRESENT, PREFIX_PARTS };

typedef struct rdx_prefix_sums {
  rdx_buffer *blocks[PREFIX_PARTS], *tiles[PREFIX_PARTS];
  uint64_t block_count, tile_count;
} rdx_prefix_sums;

/* A column that an index includes: what it is, without its values, and their sums. */
struct rdx_included {
  rdx_device_column column;
  rdx_prefix_sums sums;
  uint64_t bytes;
};

/* `value`: VALUE_.... For an index that has ops->rows. */
RDX_MUST_USE rdx_status rdx_included_create(const rdx_index *index, const rdx_device_column *values, uint32_t value,
                                            rdx_included **out, rdx_error *err);
void rdx_included_destroy(rdx_included **included);

/* Answer a range query on an index over sorted entries (ops->rows): find spans, then gather over them, or subtract
 * the sums of an included column. Adds device time to `*ms`; the stream is finished. */
RDX_MUST_USE rdx_status rdx_range_gather(const rdx_index *index, rdx_stream *stream, const rdx_index_query *query,
                                         double *ms, rdx_error *err);

#endif
