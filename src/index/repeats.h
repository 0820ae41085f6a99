/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_INDEX_REPEATS_H
#define RDX_INDEX_REPEATS_H

#include "index/probes.h"
#include "index/result.h"

/* Point probes of which many are equal: each distinct key is looked up once, so that no row is visited twice, and
 * answers for all probes that have it. */

/* The distinct keys of point probes. */
typedef struct rdx_distinct_probes {
  rdx_probes probes; /* in any order, with `places` in the ascending one where it is another; all are usable */
  rdx_buffer *keys;  /* ascending */
} rdx_distinct_probes;

/* The keys of NULLs, which mean nothing, are among them. Adds device time to `*ms`; the stream is finished. */
RDX_MUST_USE rdx_status rdx_distinct_probes_create(const rdx_index *index, rdx_stream *stream, const rdx_probes *probes,
                                                   rdx_distinct_probes *out, double *ms, rdx_error *err);
void rdx_distinct_probes_destroy(rdx_distinct_probes *distinct);

/* Turn the counts, first rows and sums (of 64 bits) of distinct keys into those of `probes`. As above. */
RDX_MUST_USE rdx_status rdx_distinct_probes_expand(const rdx_distinct_probes *distinct, const rdx_index *index,
                                                   rdx_stream *stream, const rdx_probes *probes, const rdx_parts *found,
                                                   rdx_parts *out, double *ms, rdx_error *err);

/* The number in the batch of the first of `probes` that has distinct key `key`. */
RDX_MUST_USE rdx_status rdx_distinct_probes_name(const rdx_distinct_probes *distinct, const rdx_index *index,
                                                 rdx_stream *stream, const rdx_probes *probes, uint64_t key,
                                                 uint64_t *out, rdx_error *err);

/* Some of the probes, from all over the batch, in memory of their own. */
RDX_MUST_USE rdx_status rdx_probes_sample(const rdx_index *index, rdx_stream *stream, const rdx_probes *probes,
                                          uint64_t count, rdx_probes *out, rdx_error *err);

#endif
