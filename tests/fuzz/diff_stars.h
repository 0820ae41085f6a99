/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef TESTS_FUZZ_DIFF_STARS_H
#define TESTS_FUZZ_DIFF_STARS_H

/* Random stars and queries (diff_queries.c), and what they come to by looking at every row (diff_answers.c). */

#include "diff.h"

#define MAX_ATTRIBUTES 9
#define MAX_DIMENSIONS 4
#define MAX_GROUPS 4
#define MAX_AGGREGATES 5
#define MAX_RESULTS (MAX_GROUPS + MAX_AGGREGATES)

typedef struct star_data {
  rdx_relation relation; /* its columns may lie on the device */
  rdx_attribute attributes[MAX_ATTRIBUTES];
  rdx_dimension dimensions[MAX_DIMENSIONS];
  rdx_column columns[MAX_ATTRIBUTES]; /* of the attributes, in host memory */
  pool pools[MAX_ATTRIBUTES];
  uint64_t count;                   /* rows of the join */
  uint64_t (*rows)[MAX_ATTRIBUTES]; /* of each, the row of each attribute's table */
} star_data;

typedef struct query {
  rdx_query query;
  uint32_t group_by[MAX_GROUPS];
  rdx_aggregate aggregates[MAX_AGGREGATES];
  rdx_order order_by[3];
  refusal prepare, run; /* what building a cube for it and running it may meet */
  uint64_t rows, groups;
  bool is_unknown;                 /* a value passes what is followed */
  rdx_column columns[MAX_RESULTS]; /* the answer */
} query;

void query_make(const star_data *s, query *q);
/* Fill in the answer, and what is random and needs to know it: HAVING. */
void query_answer(const star_data *s, query *q);
void query_note(const query *q);

uint8_t expression_scale(const star_data *s, const rdx_expression *e);
/* Its value in a row; *passes is set where a step passes so many bits that the value is not known. */
value expression_value(const star_data *s, const rdx_expression *e, const uint64_t *rows, bool *passes);
bool is_calculated(const rdx_expression *e);

#endif
