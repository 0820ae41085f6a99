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

/* Sums and first rows of ranges on an index that walks along them by itself. Where many find far more entries than
 * there are, its rows are listed once in the order of keys, and counts of ranges (ops->counts_ranges) are places among
 * them. Else `*done` is false, and nothing is written. */
RDX_MUST_USE rdx_status rdx_range_rank(const rdx_index *index, rdx_stream *stream, const rdx_index_query *query,
                                       bool *done, double *ms, rdx_error *err);

/* A range query on an index that walks along ranges by itself. Where few ranges find many entries they are cut into
 * pieces of about as many each, which all threads share; counts of ranges lead to the keys (ops->counts_ranges). Else
 * `*done` is false, and nothing is written. */
RDX_MUST_USE rdx_status rdx_range_split(const rdx_index *index, rdx_stream *stream, const rdx_index_query *query,
                                        bool *done, double *ms, rdx_error *err);

/* What pieces of a query's ranges find, for who makes up the answers of these; NULL what is not asked for. */
typedef struct rdx_range_pieces {
  rdx_buffer *starts;  /* the first piece of each range, and of one more: u64 */
  rdx_buffer *offsets; /* where the rows of each go: u64 */
  rdx_buffer *found, *first, *sum;
} rdx_range_pieces;

RDX_MUST_USE rdx_status rdx_range_pieces_create(const rdx_index *index, const rdx_index_query *query, uint64_t count,
                                                rdx_range_pieces *out, rdx_error *err);
void rdx_range_pieces_destroy(rdx_range_pieces *pieces);
/* Have `query`, which is of the pieces, answer to them. */
void rdx_range_pieces_use(const rdx_range_pieces *pieces, rdx_index_query *query);
RDX_MUST_USE rdx_status rdx_range_pieces_join(const rdx_range_pieces *pieces, rdx_stream *stream,
                                              const rdx_index_query *query, rdx_error *err);

#endif
