/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_INDEX_PROBE_ORDER_H
#define RDX_INDEX_PROBE_ORDER_H

#include "index/probes.h"

/* Looking up in an order that suits the index, and answering in the order given: sorted probes (RTIndeX, section 4.4;
 * thesis, section 3.4), and partitions of a radix-partitioned hash join. */

/* Sort probes by their keys (ranges: by lower bounds), or partition them as ops->radix_bits says. Where answers may
 * stay in the new order, `unordered`, that saves keeping track. Adds device time to `*ms`; the stream is finished. On
 * failure the probes are as they were. */
RDX_MUST_USE rdx_status rdx_probes_order(const rdx_index *index, rdx_stream *stream, rdx_probes *probes, bool unordered,
                                         double *ms, rdx_error *err);

/* Sort probes, those of NULLs and ranges without a key removed, and make one of those that are equal, or overlap. They
 * are ordinary probes then, not those given. */
RDX_MUST_USE rdx_status rdx_probes_make_disjoint(const rdx_index *index, rdx_stream *stream, rdx_probes *probes,
                                                 double *ms, rdx_error *err);

/* A query whose answers are still in the order of ordered probes. */
typedef struct rdx_probe_query {
  rdx_index_query query;
  rdx_buffer *count, *first, *sum, *offsets;
} rdx_probe_query;

/* Make a query of ordered probes that is to end up where `query` says; it has to be run before the next. */
RDX_MUST_USE rdx_status rdx_probe_query_begin(const rdx_probes *probes, rdx_stream *stream,
                                              const rdx_index_query *query, rdx_probe_query *out, double *ms,
                                              rdx_error *err);
/* Put its answers in the order given. Both add device time to `*ms` and finish the stream. */
RDX_MUST_USE rdx_status rdx_probe_query_end(const rdx_probes *probes, rdx_stream *stream, const rdx_index_query *query,
                                            const rdx_probe_query *ordered, double *ms, rdx_error *err);
void rdx_probe_query_destroy(rdx_probe_query *ordered);

#endif
