/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_STAR_GROUPS_H
#define RDX_STAR_GROUPS_H

/* What a method found for a query, or a part of its plan: its groups, with their aggregates. */

#include "star/plan.h"

/* Of each group in one of the plan's measures: arrays of what its `wanted` asks for, else NULL. */
typedef struct rdx_group_values {
  uint64_t *counts;    /* of values that are not NULL; NULL: those of all rows */
  int64_t *sums;       /* where 64 bits are sure to hold them */
  rdx_i128 *wide_sums; /* else */
  int64_t *min;        /* numeric: values; else codes. Of no values anything */
  int64_t *max;
} rdx_group_values;

typedef struct rdx_groups {
  uint64_t count;
  bool ascending;    /* their numbers do */
  uint64_t *numbers; /* by the plan's strides, distinct */
  uint64_t *rows;    /* that qualified; NULL: no aggregate asks */
  rdx_group_values values[RDX_MAX_MEASURES];
  void *memory; /* of all arrays */
} rdx_groups;

/* Where a record has what its rows come to in a measure: which of its words; RDX_NO_WORD: nowhere. */
typedef struct rdx_record_words {
  uint32_t count; /* of values that are not NULL */
  uint32_t sum;   /* of values less `zero` */
  uint32_t high;  /* sums of high halves; then `sum` is of low ones */
  uint32_t min;   /* the largest of `top` less values */
  uint32_t max;   /* the largest of values less `zero` */
  uint64_t zero, top;
} rdx_record_words;

#define RDX_NO_WORD UINT32_MAX

/* What a device, or the host in its place, found: for each group, or part of one, a record of words. The first is the
 * number of rows, at least 1. */
typedef struct rdx_records {
  uint64_t count;
  const uint64_t *numbers; /* of their groups */
  bool distinct;           /* no two are of one group */
  const uint64_t *words;
  uint32_t stride, size; /* words from one to the next, and that it has */
  rdx_record_words measures[RDX_MAX_MEASURES];
} rdx_records;

/* `out` is empty before, and after a failure. Free its memory with rdx_groups_drop(). */
RDX_MUST_USE rdx_status rdx_groups_create(const rdx_plan *plan, rdx_records records, rdx_groups *out, rdx_error *err);
void rdx_groups_drop(rdx_groups *groups);

/* Bring the groups of several parts of a plan into the same order. RDX_ERROR_INTERNAL where they are not the same. */
RDX_MUST_USE rdx_status rdx_groups_align(rdx_groups *parts, uint32_t count, rdx_error *err);

/* HAVING, ORDER BY, LIMIT; and codes to values. `groups`: of each part of the plan; owns nothing of them. */
RDX_MUST_USE rdx_status rdx_groups_finish(const rdx_plan *plan, const rdx_groups *groups, rdx_query_result **out,
                                          rdx_error *err);

#endif
