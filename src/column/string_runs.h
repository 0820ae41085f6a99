/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_COLUMN_STRING_RUNS_H
#define RDX_COLUMN_STRING_RUNS_H

/* Distinct strings that several threads find. Each collects them in a table that stays in the cache: when it is full,
 * its strings become a sorted run, and the next one begins. A table grows instead where many strings come again. In the
 * end runs are merged, a range of strings at a time. */

#include "column/dictionary.h"

typedef struct rdx_string_runs rdx_string_runs;

/* For about so many strings, counted as often as they come, of so many workers. */
RDX_MUST_USE rdx_status rdx_string_runs_create(uint32_t workers, uint64_t strings, rdx_string_runs **out,
                                               rdx_error *err);
void rdx_string_runs_destroy(rdx_string_runs **runs);

/* The run that a worker's next `count` strings, at most, are added to: their numbers are those of this run. */
RDX_MUST_USE rdx_status rdx_string_runs_open(rdx_string_runs *runs, uint32_t worker, uint32_t count, uint32_t *run,
                                             rdx_error *err);
RDX_MUST_USE rdx_status rdx_string_runs_add(rdx_string_runs *runs, uint32_t worker, rdx_arrival *arrivals,
                                            uint32_t count, rdx_error *err);

/* After the last string: how many there are in all runs together, and their bytes. `pool` NULL: this thread alone. */
RDX_MUST_USE rdx_status rdx_string_runs_end(rdx_string_runs *runs, rdx_pool *pool, uint64_t *strings, uint64_t *bytes,
                                            rdx_error *err);
/* Then: the distinct ones, ascending, into memory for as many strings (and the end of the last), and bytes. */
RDX_MUST_USE rdx_status rdx_string_runs_merge(rdx_string_runs *runs, uint64_t *offsets, char *bytes, uint64_t *count,
                                              rdx_error *err);
/* The places there of the strings of a run, by their numbers. */
const uint32_t *rdx_string_runs_places(const rdx_string_runs *runs, uint32_t worker, uint32_t run);

#endif
