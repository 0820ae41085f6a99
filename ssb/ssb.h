/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef SSB_H
#define SSB_H

/* The Star Schema Benchmark (O'Neil, O'Neil, Chen: "The Star Schema Benchmark", revision 3, 2009): its five tables,
 * made anew from a scale factor and a seed, and its 13 queries. Distributions that the paper leaves to TPC-H are those
 * of that specification, section 4.2.
 *
 * Random numbers are a function of (seed, column, row), so that any piece of a table can be made by itself, by any
 * thread, and is always the same. */

#include "generator/generator.h"

#define SSB_MAX_SCALE 700 /* order keys, of which one in four is used, have 32 bits */

typedef enum ssb_table { SSB_DATE, SSB_SUPPLIER, SSB_CUSTOMER, SSB_PART, SSB_LINEORDER, SSB_TABLES } ssb_table;

typedef struct ssb ssb;

/* RDX_ERROR_ARGUMENT unless 0 < scale <= SSB_MAX_SCALE. */
RDX_MUST_USE rdx_status ssb_open(double scale, uint64_t seed, ssb **out, rdx_error *err);
void ssb_close(ssb **s);

const char *ssb_table_name(ssb_table table);

/* Makes the tables, which are in the order of ssb_table. It belongs to `s`. */
const generator *ssb_generator(const ssb *s);

/* The file of a table in `folder`; false where its path is too long. */
bool ssb_table_path(const char *folder, ssb_table table, generator_format format, char out[GENERATOR_PATH]);

/* ---- Queries (queries.c) ---- */

typedef struct ssb_query {
  const char *name;  /* such as "1.1" */
  const char *star;  /* SQL over the five tables */
  const char *flat;  /* SQL over one table, lineorder_flat, with all columns of all five */
  const char *where; /* the condition of both, joins left out */
  const char *groups[3];
  enum {
    SSB_DISCOUNTED,
    SSB_REVENUE,
    SSB_PROFIT
  } aggregate;          /* extendedprice * discount, revenue, revenue - supplycost */
  bool sum_first;       /* SELECT has the sum before the groups */
  bool by_year_and_sum; /* ORDER BY the year, then the largest sums; else by the groups */
  double selectivity;   /* of the predicates, in percent of lineorder, as published (RTCUDB, table 1) */
  uint32_t rows;        /* of the result, in the reference data at scale factor 1 */
} ssb_query;

#define SSB_QUERIES 13
extern const ssb_query ssb_queries[SSB_QUERIES];

/* ---- The star (star.c) ---- */

/* The five tables, opened, and the queries over them. */
typedef struct ssb_star ssb_star;

/* Open the table files in `folder`. RDX_ERROR_FORMAT where a column or a query does not go with them. */
RDX_MUST_USE rdx_status ssb_star_open(const char *folder, ssb_star **out, rdx_error *err);
void ssb_star_close(ssb_star **star);

/* Open a flat table of the star's, made by rdx_relation_flatten(), too. */
RDX_MUST_USE rdx_status ssb_star_open_flat(ssb_star *star, const char *path, rdx_error *err);

/* These belong to the star. The relations have the columns that queries use; the flat one is NULL where none is open.
 */
const rdx_relation *ssb_star_relation(const ssb_star *star);
const rdx_relation *ssb_star_flat(const ssb_star *star);
const rdx_query *ssb_star_query(const ssb_star *star, uint32_t query);

/* What runs of a query took: medians. */
typedef struct ssb_timing {
  double device_ms, total_ms, min_ms, max_ms; /* least, most: of the total */
  rdx_query_stats stats;
} ssb_timing;

/* An idle GPU has low clocks: the first query for it had better be repeated for so long, and others for a while. */
#define SSB_WARM_UP_MS 1000
#define SSB_WARM_MS 50

/* Answer a query `runs` times (at least one, at most 1000) after some that are not counted, which take `warm_ms`, and
 * once more to count rays and rows. `*result` is the last one's; destroy it with rdx_query_result_destroy(). */
RDX_MUST_USE rdx_status ssb_star_run(const ssb_star *s, uint32_t query, const rdx_star *star, double warm_ms,
                                     uint32_t runs, ssb_timing *timing, rdx_query_result **result, rdx_error *err);

/* Where a result differs first, what came and what was expected; "" where it does not. */
typedef struct ssb_difference {
  char text[400];
} ssb_difference;

/* Compare the result of a query with looking at every row (reference.c), which is done once for each query: all rows,
 * in their order. */
RDX_MUST_USE rdx_status ssb_star_check(ssb_star *star, uint32_t query, const rdx_query_result *result,
                                       ssb_difference *difference, rdx_error *err);

/* Rows of lineorder that the predicates of a query select, and rows of its result, from the same look. */
RDX_MUST_USE rdx_status ssb_star_count(ssb_star *star, uint32_t query, uint64_t *selected, uint64_t *rows,
                                       rdx_error *err);

#endif
