/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_SCAN_SCAN_H
#define RDX_SCAN_SCAN_H

/* What a method of scanning is to the rest of this folder: scan.c brings every predicate into the form of
 * predicate/terms.h, evaluate.c walks it and combines bitmaps, each method is one file that provides rdx_scan_ops. */

#include <raydex/scan.h>

#include "device/workspace.h"
#include "predicate/terms.h"

/* What a run counts, where the caller asked for it; else NULL is passed. A method adds to device counters of its own
 * and sums them up here after the stream has finished: see rdx_scan_ops.evaluate. */
typedef struct rdx_scan_counts {
  uint64_t rays, rays_hit, intersections, refined, bytes;
  uint32_t methods; /* chosen by RDX_SCAN_AUTO, and what it expected */
  double predicted_ms[RDX_SCAN_METHODS];
  uint32_t group;
  double reduced, transform_ms, sieve_ms, refine_ms, merge_ms; /* see rdx_scan_run_stats */
} rdx_scan_counts;

/* A conjunction to evaluate, or several of which one has to hold. */
typedef struct rdx_scan_call {
  const rdx_term *terms; /* at least one; those of a conjunction are of distinct columns, which ascend */
  uint32_t count;
  const uint32_t *ends;  /* of each conjunction: where its terms end; NULL: all terms are one */
  uint32_t conjunctions; /* 0 for one */
  bool narrow;           /* `out` already holds a bitmap and keeps only rows of it */
  rdx_buffer *out; /* the bitmap of the rows for which all terms are true: whole u32 words, bits past the last row 0 */
  /* NULL, or where a method that can count the rows on its way records their number (one u64) and sets `counted`. */
  rdx_buffer *total;
  bool counted;
} rdx_scan_call;

typedef struct rdx_scan_ops {
  const char *name;
  size_t size; /* of a scan, which is all zero before it is built */
  bool traces_rays;
  /* Intervals of a term, at most; more are evaluated in turn and united. 0: any number. */
  uint32_t max_intervals;
  /* Terms of a conjunction, at most; more are evaluated in turn. 0: any number. */
  uint32_t max_terms;
  /* Device bytes held at the peak of preparing, the columns not counted. */
  uint64_t (*estimate)(const rdx_device *device, const rdx_scan_params *params, const rdx_encoded_column *columns,
                       uint32_t count);
  /* Prepare. The method may keep references to the columns' buffers; the columns are destroyed afterwards. What a
   * failure leaves is for `destroy`. */
  rdx_status (*build)(void *self, rdx_device *device, const rdx_scan_params *params, const rdx_encoded_column *columns,
                      uint32_t count, rdx_scan_stats *stats, rdx_error *err);
  /* Record a call on `stream`. Work that needs the host goes before recording. `counts` NULL: not asked for; else
   * `stream` may be finished inside, and the counts added. */
  rdx_status (*evaluate)(const void *self, rdx_stream *stream, rdx_scan_call *call, rdx_scan_counts *counts,
                         rdx_error *err);
  /* The work of such a call in a unit of the method's own: its time is about a constant and a multiple of that. */
  double (*work)(const void *self, const rdx_term *terms, uint32_t count);
  /* Conjunctions of a call, at most; NULL: 1. Such calls are not narrow. */
  uint32_t (*max_conjunctions)(const void *self);
  /* rdx_scan_borders(); NULL: there are none. */
  uint32_t (*borders)(const void *self, uint32_t column, const uint32_t **out);
  void (*destroy)(void *self);
} rdx_scan_ops;

/* A ray costs about as much time as reading so many bytes. Reckoned, not measured by itself: from docs/measurements.md
 * 2000 on an H100, 5000 to 10,000 on a CPU. A bit set or flipped somewhere costs about a cache line. */
#define RDX_SCAN_RAY_BYTES 4000
#define RDX_SCAN_BIT_BYTES 64

struct rdx_scan {
  rdx_device *device;
  const rdx_scan_ops *ops;
  void *self;
  rdx_scan_stats stats;
  rdx_encoded_column *columns; /* without codes and zones */
  rdx_workspace *workspace;
};

/* Of a method that is not AUTO. */
const rdx_scan_ops *rdx_scan_ops_of(rdx_scan_method method);
/* RDX_ERROR_UNSUPPORTED where a method needs rays that the device does not trace. */
RDX_MUST_USE rdx_status rdx_scan_check_tracing(const rdx_scan_ops *ops, const rdx_device *device, rdx_error *err);
/* Refuse options of other methods; the method is known. */
RDX_MUST_USE rdx_status rdx_scan_check_options(const rdx_scan_params *params, rdx_error *err);
/* The rows of an RDX_SCAN_ROWS result, rdx_scan_view.count of them, for rdx_free(): the result has them no more. */
RDX_MUST_USE rdx_status rdx_scan_result_take_rows(rdx_scan_result *result, uint32_t **out, rdx_error *err);
/* Whether AUTO is to choose among several. */
bool rdx_scan_is_choice(const rdx_scan_params *params);

extern const rdx_scan_ops rdx_scan_auto_ops;

#endif
