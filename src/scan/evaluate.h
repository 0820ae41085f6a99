/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_SCAN_EVALUATE_H
#define RDX_SCAN_EVALUATE_H

#include "scan/scan.h"

/* A predicate at work on a stream, and the bitmaps that it needs meanwhile. All zero but for the first five. */
typedef struct rdx_scan_evaluation {
  const rdx_scan *scan;
  rdx_stream *stream;
  rdx_arena *arena;
  rdx_scan_counts *counts; /* NULL: no work is counted */
  rdx_buffer *total;       /* where the rows are counted (one u64) if that costs no extra pass; NULL: nowhere */
  rdx_buffer **bitmaps;    /* all that were taken */
  uint32_t bitmap_count, bitmap_capacity;
  rdx_buffer **idle; /* those of them that are not in use */
  uint32_t idle_count;
  uint32_t calls;   /* of the method */
  bool whole;       /* the predicate is one call */
  bool counted;     /* `total` is recorded */
  double device_ms; /* of what has finished meanwhile; the stream has a mark where the rest begins */
} rdx_scan_evaluation;

/* Record the rows for which `node` is true to the bitmap `out`, on a stream with one mark. A long predicate finishes
 * the stream now and then. */
RDX_MUST_USE rdx_status rdx_scan_evaluate(rdx_scan_evaluation *evaluation, const rdx_term_node *node, rdx_buffer *out,
                                          rdx_error *err);

/* Give the bitmaps back. The stream must have finished, or be gone. */
void rdx_scan_evaluation_end(rdx_scan_evaluation *evaluation);

#endif
