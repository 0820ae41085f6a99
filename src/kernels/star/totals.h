/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_STAR_TOTALS_H
#define RDX_KERNELS_STAR_TOTALS_H

/* Adding up runs on the CPU. */

#include "kernels/star/aggregate.h"

/* The end of the runs from `first` on that are of one group, before `end`. */
static inline uint32_t star_end_of_group(const star_runs *r, uint32_t first, uint32_t end) {
  const uint32_t next = r->next_group_run ? r->next_group_run[first] : end;
  return next < end ? next : end;
}

/* What runs of one group come to, put into a record or added to it, whose slots are as star_query has them: rows, then
 * for each measure the number of values where it has NULLs, and their sum where it is wanted. */
static inline void star_take_runs(const star_runs *r, const star_query *q, uint32_t first, uint32_t end, bool add,
                                  uint64_t *record) {
  record[0] = r->starts[end] - r->starts[first] + (add ? record[0] : 0);
  uint64_t *slot = record + 1;
  for (uint32_t m = 0; m < q->measure_count; m++) {
    const star_totals *t = &r->totals[m];
    if (q->measures[m].slots & STAR_COUNT) {
      *slot = t->counts[end] - t->counts[first] + (add ? *slot : 0);
      slot++;
    }
    if (q->measures[m].slots & STAR_SUM) {
      *slot = t->sums[end] - t->sums[first] + (add ? *slot : 0);
      slot++;
    }
  }
}

/* Add runs first .. end - 1 to records of `sums`. Returns how many groups of `touched` have some rows, of which there
 * were `count` before. */
static inline uint32_t star_add_runs(const star_runs *r, const star_query *q, uint32_t first, uint32_t end,
                                     uint64_t *sums, uint32_t *touched, uint32_t count) {
  for (uint32_t k = first, next; k < end; k = next) {
    const uint32_t group = r->groups ? r->groups[k] : 0;
    uint64_t *record = sums + (uint64_t)group * q->slot_count;
    next = star_end_of_group(r, k, end);
    if (record[0] == 0)
      touched[count++] = group;
    star_take_runs(r, q, k, next, true, record);
  }
  return count;
}

#endif
