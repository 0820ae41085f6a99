/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef TESTS_DEVICE_QUERIES_H
#define TESTS_DEVICE_QUERIES_H

/* Random stars and queries, and what comes out by looking at every row. */

#include "predicates.h"

#define MAX_ATTRIBUTES 8
#define MAX_TABLES 3

/* A fact table and up to MAX_TABLES dimensions. */
typedef struct star_data {
  rdx_relation relation;
  rdx_attribute attributes[MAX_ATTRIBUTES];
  rdx_dimension dimensions[MAX_TABLES];
  test_column columns[MAX_ATTRIBUTES], keys[MAX_TABLES], foreign[MAX_TABLES];
  rdx_column views[MAX_ATTRIBUTES];
  uint64_t *partners[MAX_TABLES]; /* the row of each dimension; UINT64_MAX: none */
} star_data;

/* `tame`: columns that can be calculated with, and few values. */
void star_make(star_data *s, uint64_t rows, uint32_t attributes, uint32_t tables, bool tame);
void star_free(star_data *s);

typedef struct test_query {
  rdx_query query;
  tree where, having;
  uint32_t group_by[8];
  rdx_aggregate aggregates[8];
  rdx_expression expressions[8][7];
  rdx_order order_by[8];
} test_query;

/* `having` is left out until the values that it compares with are known: see query_expect(). */
void query_make(const star_data *s, test_query *q);
void query_free(test_query *q);

/* What must come out: a status, and with RDX_OK the columns. */
typedef struct expected {
  rdx_status status;
  uint64_t rows, groups;
  uint32_t count;
  test_column columns[16];
} expected;

/* With `having`, the query gets a random one now and then, over the columns that it would have without. */
void query_expect(const star_data *s, test_query *q, bool having, expected *out);
void expected_free(expected *e);

/* Run a query, which the star is prepared for. */
rdx_status query_run(rdx_star *star, const rdx_query *q, rdx_query_result **out, rdx_error *err);
/* The number of rows that it counts for a predicate. */
uint64_t query_count_rows(rdx_star *star, const rdx_predicate *where);

/* Run a query and compare. A star may refuse what has more groups than can be numbered, or takes atomics that the
 * device has not: then `e` is not looked at. */
void query_check(const rdx_star *star, const star_data *s, const test_query *q, const expected *e);

#endif
