/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_STAR_KERNELS_H
#define RDX_KERNELS_STAR_KERNELS_H

#include "device/device.h"
#include "kernels/star/coarse_cube.h"
#include "kernels/star/rt_cube.h"
#include "kernels/star/rtcudb.h"

/* Over the args of the same names. */
extern const rdx_kernel rdx_kernel_star_key;
extern const rdx_kernel rdx_kernel_star_starts;
extern const rdx_kernel rdx_kernel_star_place;
extern const rdx_kernel rdx_kernel_star_pack;
extern const rdx_kernel rdx_kernel_star_heads;
extern const rdx_kernel rdx_kernel_star_runs;
extern const rdx_kernel rdx_kernel_star_ranges;
extern const rdx_kernel rdx_kernel_star_collect;
extern const rdx_kernel rdx_kernel_coarse;
extern const rdx_kernel rdx_kernel_coarse_add;
extern const rdx_kernel rdx_kernel_coarse_runs;
extern const rdx_kernel rdx_kernel_rt_place;
extern const rdx_kernel rdx_kernel_rt_rays;
extern const rdx_kernel rdx_kernel_rtcudb_place;
extern const rdx_kernel rdx_kernel_rtcudb_rays;

/* CPU: add rows begin .. end - 1 to a copy of the accumulators, or rows[begin] .. rows[end - 1]. */
void rdx_star_add(const star_query *query, uint32_t copy, const uint32_t *rows, uint32_t begin, uint32_t end);

/* Rows whose groups and measures are at hand. */
#define RDX_STAR_BATCH 256
typedef struct rdx_star_batch {
  uint32_t count;
  uint32_t groups[RDX_STAR_BATCH];
  uint64_t codes[STAR_MEASURES][RDX_STAR_BATCH]; /* of each of the query's measures */
} rdx_star_batch;

/* CPU: add a batch to a copy of the accumulators, and empty it. `shared`: other threads add to the copy, too, all with
 * atomics (RTCUDB, algorithm 1). */
void rdx_star_add_batch(const star_query *query, uint32_t copy, bool shared, rdx_star_batch *batch);
/* CPU: put a row of the query's columns into a batch that has room. */
void rdx_star_batch_row(const star_query *query, uint32_t row, rdx_star_batch *batch);

#endif
