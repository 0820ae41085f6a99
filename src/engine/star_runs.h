/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_ENGINE_STAR_RUNS_H
#define RDX_ENGINE_STAR_RUNS_H

/* Runs of a cube: rows of the same scan tuple and the same group, which follow each other. What they come to is kept on
 * the host, where it is little: then a query adds up runs instead of rows, and the device has nothing to do. */

#include "engine/star.h"

/* Sums, and numbers of values, of all rows before each run, and of all rows. */
typedef struct rdx_run_totals {
  uint64_t *sums;   /* of codes; NULL: not kept */
  uint64_t *counts; /* NULL: no value is NULL */
} rdx_run_totals;

typedef struct rdx_runs {
  uint32_t count;   /* 0: they are too many */
  uint32_t *starts; /* count + 1: the first row of each, and the number of rows */
  uint32_t *firsts; /* the first run of each scan place, and `count`; NULL: each place is a run */
  uint32_t *groups; /* NULL: there is one group */
  uint32_t *nexts;  /* for each run the next one of another group: what lies between is one difference of totals */
  rdx_run_totals totals[RDX_MOST_TUPLE];
} rdx_runs;

/* Add up the runs of a cube whose rows are stored. */
RDX_MUST_USE rdx_status rdx_runs_create(const rdx_star *star, rdx_runs *out, rdx_error *err);
void rdx_runs_destroy(rdx_runs *runs);

/* How many runs the ranges of a query take in, where adding these up answers the plan sooner than reading their `rows`
 * would; else 0. */
uint64_t rdx_runs_of(const rdx_star *star, const rdx_runs *runs, const rdx_plan *plan, const rdx_ranges *ranges,
                     uint64_t rows);

/* Answer a plan by them: run->ranges. */
RDX_MUST_USE rdx_status rdx_runs_answer(const rdx_star *star, const rdx_runs *runs, const rdx_plan *plan,
                                        rdx_star_run *run, rdx_groups *out, rdx_error *err);

#endif
