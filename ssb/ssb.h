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

#include <raydex/raydex.h>

#define SSB_MAX_SCALE 700 /* order keys, of which one in four is used, have 32 bits */
#define SSB_MAX_COLUMNS 17

typedef enum ssb_table { SSB_DATE, SSB_SUPPLIER, SSB_CUSTOMER, SSB_PART, SSB_LINEORDER, SSB_TABLES } ssb_table;

typedef struct ssb ssb;

/* Rows of a table in host memory, strings of few values with a dictionary, which is always the same. All zero at first;
 * used again and again, then freed. */
typedef struct ssb_batch {
  uint64_t rows;
  rdx_column columns[SSB_MAX_COLUMNS]; /* in the order of the table's fields */
  void *memory;
  size_t size;
} ssb_batch;

/* Text to a scale factor; false unless all of it is one. */
bool ssb_parse_scale(const char *text, double *out);

/* RDX_ERROR_ARGUMENT unless 0 < scale <= SSB_MAX_SCALE. */
RDX_MUST_USE rdx_status ssb_open(double scale, uint64_t seed, ssb **out, rdx_error *err);
void ssb_close(ssb **s);

const char *ssb_table_name(ssb_table table);

/* The columns of a table, in their order; how many. */
uint32_t ssb_table_fields(ssb_table table, rdx_field fields[SSB_MAX_COLUMNS]);

uint64_t ssb_table_rows(const ssb *s, ssb_table table);

/* Make rows begin .. begin + count - 1, which must exist. `batch` points into `s` and its own memory, until it is
 * used again or freed. May be called from many threads, each with its own batch. */
RDX_MUST_USE rdx_status ssb_generate(const ssb *s, ssb_table table, uint64_t begin, uint64_t count, ssb_batch *batch,
                                     rdx_error *err);
void ssb_batch_free(ssb_batch *batch);

/* ---- Files (files.c) ---- */

typedef enum ssb_format {
  SSB_TABLE_FILES, /* NAME.rdx */
  SSB_TEXT,        /* NAME.tbl: fields between bars as dbgen has them, but none after the last */
} ssb_format;

/* The file of a table in `folder`; false where its path is too long. */
#define SSB_PATH 4096
bool ssb_table_path(const char *folder, ssb_table table, ssb_format format, char out[SSB_PATH]);

/* Write all tables into `folder`, made if it is missing. Each file appears when it is complete. `threads` 0: one a
 * core. Memory grows with the scale only for the distinct strings of table files. RDX_ERROR_CANCELLED after Ctrl-C. */
RDX_MUST_USE rdx_status ssb_write(const ssb *s, const char *folder, ssb_format format, uint32_t threads,
                                  rdx_error *err);

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
  double device_ms, total_ms, least_ms, most_ms; /* least, most: of the total */
  rdx_query_stats stats;
} ssb_timing;

/* An idle GPU has low clocks: the first query for it had better be repeated for so long, and others for a while. */
#define SSB_WARM_UP_MS 1000
#define SSB_WARM_MS 50

/* Answer a query `runs` times (at least one, at most 1000) after some that are not counted, which take `warm_ms`, and
 * once more to count rays and rows. `*result` is the last one's; destroy it with rdx_query_result_destroy(). */
RDX_MUST_USE rdx_status ssb_star_run(const ssb_star *star, uint32_t query, const rdx_engine *engine, double warm_ms,
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
