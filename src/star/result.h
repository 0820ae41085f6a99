/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_STAR_RESULT_H
#define RDX_STAR_RESULT_H

/* Results of queries, and what they are made of: groups become columns (result.c), of which HAVING, ORDER BY and LIMIT
 * choose and order the rows (order.c; RTCUDB, section 5: what follows the stage of rays). */

#include <raydex/star.h>

#include "star/groups.h"

/* The columns and their arrays are in the arena. */
struct rdx_query_result {
  rdx_device *device;
  uint64_t rows;
  uint32_t count; /* of columns */
  rdx_column *columns;
  rdx_arena arena;
  rdx_query_stats stats;
};

/* A column of all groups: codes of an attribute, where NULL is any that is no value's, or values. */
typedef struct rdx_group_column {
  const rdx_encoded_column *attribute; /* NULL: values */
  bool nulls;                          /* some may be NULL */
  const uint64_t *codes;               /* NULL: they are listed when they are asked for */
  uint64_t low, high;                  /* that codes, but for NULL's, lie between */
  rdx_column values;
} rdx_group_column;

typedef struct rdx_finishing {
  const rdx_plan *plan;
  const rdx_groups *groups;  /* of each part of the plan */
  bool is_nothing;           /* a group of no rows, which all parts share */
  rdx_arena *arena;          /* of what is needed on the way */
  uint32_t column_count;     /* the attributes of groups, then aggregates */
  rdx_group_column *columns; /* what is made so far */
  /* The groups that are left, in order: the result's rows. NULL: all groups, as they are. */
  const uint64_t *rows;
  uint64_t count;
} rdx_finishing;

/* List the codes of a column that has an attribute. */
RDX_MUST_USE rdx_status rdx_group_codes(rdx_finishing *f, uint32_t column, rdx_error *err);

/* Choose and order the rows. All aggregates are made. */
RDX_MUST_USE rdx_status rdx_groups_order(rdx_finishing *f, rdx_error *err);

#endif
