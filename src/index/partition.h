/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_INDEX_PARTITION_H
#define RDX_INDEX_PARTITION_H

#include "index/probes.h"
#include "kernels/partition/kernels.h"

/* Large batches of points in large indexes on CPUs: looked up partition by partition (kernels/partition/kernels.h). */

/* Whether a query is faster so. Then fills in the map, by a sample of the probes: partitions are about as large as each
 * other. Not where probes come in order or in clusters anyway, or many are equal: then caches hold what they need. */
bool rdx_partition_helps(const rdx_index *index, const rdx_probes *probes, const rdx_index_query *query,
                         rdx_partition_map *out);

/* Run a query so, and finish the stream; adds the time to `*ms`. RDX_ERROR_DEVICE_MEMORY and RDX_ERROR_MEMORY: there
 * is no room for moving probes, and the query may still run with them as they are. */
RDX_MUST_USE rdx_status rdx_partition_query(const rdx_index *index, rdx_stream *stream, const rdx_index_query *query,
                                            const rdx_partition_map *map, double *ms, rdx_error *err);

#endif
