/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_JOIN_INTERVAL_STABBING_H
#define RDX_JOIN_INTERVAL_STABBING_H

#include "index/index.h"

/* Inverse mapping of range lookups: sort the ranges lower[j] .. upper[j] and look up which of them hold each point. The
 * result is that of `kind`, RDX_LOOKUP_COUNT or RDX_LOOKUP_ROWS, with points for probes and ranges for rows; of the
 * `options` rows may go to a sink. Fills in the `stats` of an index over the ranges. RDX_ERROR_UNSUPPORTED for strings
 * that their prefixes do not tell apart. */
typedef struct rdx_stabbing {
  const rdx_column *points, *lower, *upper;
} rdx_stabbing;

RDX_MUST_USE rdx_status rdx_interval_stabbing_look_up(rdx_device *device, const rdx_stabbing *of,
                                                      rdx_lookup_result_kind kind, const rdx_lookup_options *options,
                                                      rdx_index_stats *stats, rdx_lookup_result **out, rdx_error *err);

#endif
