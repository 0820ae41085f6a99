/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_INDEX_SPANS_H
#define RDX_INDEX_SPANS_H

#include "index/index.h"

/* Answer a range query on an index over sorted entries (ops->rows): find spans, then gather over them. Adds device time
 * to `*ms`; the stream is finished. */
RDX_MUST_USE rdx_status rdx_spans_query(const rdx_index *index, rdx_stream *stream, const rdx_index_query *query,
                                        double *ms, rdx_error *err);

#endif
