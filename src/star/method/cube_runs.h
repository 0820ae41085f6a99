/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_STAR_CUBE_RUNS_H
#define RDX_STAR_CUBE_RUNS_H

/* Runs of a cube: rows of the same scan tuple and the same group, which follow each other where rows are in the order
 * of scan tuples and for the same tuple of groups. What they come to is kept where it is little: then a query adds up
 * runs instead of rows, which on the host may be all that there is to do. */

#include "star/method/cube.h"

/* Arrays are on the host, or in `memory`, but for firsts and the list of totals, which always are on the host. */
typedef struct rdx_runs {
  uint32_t count;      /* 0: they are too many */
  uint32_t *starts;    /* count + 1: the first row of each, and the number of rows */
  uint32_t *first_run; /* the first run of each scan place, and `count`; NULL: each place is a run */
  uint32_t *groups;    /* NULL: there is one group */
  uint32_t
      *next_group_run; /* for each run the next one of another group: what lies between is one difference of totals */
  star_totals *totals; /* of each of the cube's measures */
  uint32_t total_count;
  rdx_buffer *memory; /* NULL: on the host */
} rdx_runs;

/* Whether so many runs are kept. */
bool rdx_runs_fit(const rdx_cube_core *core, uint64_t count);

/* Add up the runs of a cube whose rows are stored. The rows `cuts`, which ascend, begin runs in any case. */
RDX_MUST_USE rdx_status rdx_runs_create(const rdx_cube_core *core, const uint32_t *cuts, uint64_t cut_count,
                                        rdx_runs *out, rdx_error *err);
void rdx_runs_destroy(rdx_runs *runs);

/* Of memory. */
uint64_t rdx_runs_bytes(const rdx_cube_core *core, const rdx_runs *runs);

/* Whether there are some, and they tell what a plan wants of the rows. */
bool rdx_runs_serve(const rdx_cube_core *core, const rdx_runs *runs, const rdx_plan *plan);
/* How many runs the ranges of a query take in; 0 where they do not serve it. */
uint64_t rdx_runs_of(const rdx_cube_core *core, const rdx_runs *runs, const rdx_plan *plan, const rdx_ranges *ranges);

/* Make ranges of scan places to such of runs; returns how many runs they take in. */
uint64_t rdx_runs_translate(const rdx_runs *runs, rdx_ranges *ranges);

/* Move what queries read to the device: to `memory`, unless that is a CPU. If it fails they stay. */
RDX_MUST_USE rdx_status rdx_runs_move(const rdx_cube_core *core, rdx_runs *runs, rdx_error *err);

/* What a plan's query reads of them, for as long as the runs live. */
star_runs rdx_runs_view(const rdx_cube_core *core, const rdx_runs *runs, const rdx_plan *plan);

/* Answer a plan by them on the host: run->ranges, which become ranges of runs. */
RDX_MUST_USE rdx_status rdx_runs_answer(const rdx_cube_core *core, const rdx_runs *runs, rdx_cube_run *run,
                                        rdx_error *err);

#endif
