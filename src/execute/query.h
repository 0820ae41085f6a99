/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXECUTE_QUERY_H
#define RDX_EXECUTE_QUERY_H

/* Aggregates as star queries of a star. */

#include <raydex/star.h>

#include "execute/operators.h"

/* Groups and aggregates over the relation of a star, of any number of aggregates, some of distinct values. */
typedef struct rdx_grouping_query {
  rdx_execution *x;
  const rdx_plan_node *node;
  rdx_device *device; /* the star's */
  rdx_star *star;
  const rdx_predicate *where; /* NULL: all rows */
  const uint32_t *group_by;
  uint32_t group_count; /* at most RDX_QUERY_GROUPS; one fewer where an aggregate is of distinct values */
  const rdx_plan_aggregate *aggregates;
  rdx_expression *const *expressions; /* of each aggregate; NULL: of rows. Of distinct values: an attribute */
  uint32_t aggregate_count;
  bool prepares; /* cubes are built where the star asks for one */
  /* Only where there are at most eight aggregates, and none of distinct values: */
  const rdx_order *orders;
  uint32_t order_count;
  bool limited;
  uint64_t limit, offset;
} rdx_grouping_query;

#define RDX_QUERY_GROUPS 8u

/* Build the cube of a view, unless the star has it. */
RDX_MUST_USE rdx_status rdx_grouping_cube(const rdx_grouping_query *query, const char *name, const rdx_cube_spec *spec,
                                          rdx_error *err);

/* A row for each group: its attributes, then the aggregates, as the star has them, but for counts, which are i64. */
RDX_MUST_USE rdx_status rdx_grouping_run(const rdx_grouping_query *query, rdx_frame *out, rdx_error *err);

/* An expression as exact arithmetic of attributes: `numbers` has the attribute of each COLUMN. NULL: it is none. */
RDX_MUST_USE rdx_status rdx_exact_expression(rdx_execution *x, const rdx_bound *expression, const rdx_column *columns,
                                             const uint32_t *numbers, rdx_expression **out, rdx_error *err);
/* An attribute's value. */
RDX_MUST_USE rdx_status rdx_attribute_expression(rdx_execution *x, uint32_t attribute, rdx_expression **out,
                                                 rdx_error *err);

#endif
