/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_SCAN_SAMPLES_H
#define RDX_SCAN_SAMPLES_H

/* What conjunctions take by several ways to evaluate them, measured by a few samples over the columns at hand. A way
 * tells the work of a conjunction in a unit of its own: its time is about a constant and a multiple of a power of that.
 * (Rays through a region of groups take ever longer, as it grows in three directions.) */

#include "cost/cost.h"
#include "scan/scan.h"

/* As in rdx_scan_ops; at most RDX_SCAN_METHODS are measured beside each other. */
typedef struct rdx_scan_way {
  const void *self;
  rdx_status (*evaluate)(const void *self, rdx_stream *stream, rdx_scan_call *call, rdx_scan_counts *counts,
                         rdx_error *err);
  double (*work)(const void *self, const rdx_term *terms, uint32_t count);
  rdx_curve rate; /* as measured */
} rdx_scan_way;

/* Without rows, or values, rates stay as they are. */
RDX_MUST_USE rdx_status rdx_scan_measure(rdx_device *device, rdx_scan_way *ways, uint32_t count,
                                         const rdx_encoded_column *columns, uint32_t column_count, rdx_error *err);

#endif
