/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef BENCH_SCAN_H
#define BENCH_SCAN_H

#include "bench/bench.h"

/* Scans: tables by distribution, conjunctions by selectivity, methods that answer them in turn. */

#define SCAN_COLUMNS 4

/* Distributions of RTScan, section 5.1, all within u32. */
typedef enum scan_data_kind {
  SCAN_UNIFORM,
  SCAN_ZIPF_1_1, /* over 1 .. 2^32 - 1, each column by itself */
  SCAN_ZIPF_1_3,
  SCAN_ZIPF_1_5,
  SCAN_NORMAL,  /* mean 2^31, standard deviation 1, rounded down */
  SCAN_SMALL,   /* uniform over 0 .. 2^6 - 1 */
  SCAN_BYTE,    /* uniform over 0 .. 2^8 - 1 */
  SCAN_SHORT,   /* uniform over 0 .. 2^16 - 1 */
  SCAN_TPCH_3,  /* as TPC-H has them: l_shipdate, o_orderdate (days since 1992), c_mktsegment (0 .. 4) */
  SCAN_TPCH_6,  /* l_shipdate, l_discount (percent), l_quantity */
  SCAN_TPCH_17, /* p_brand (0 .. 24), p_container (0 .. 39), l_quantity */
} scan_data_kind;

typedef struct scan_data {
  scan_data_kind kind;
  uint64_t rows;
  uint32_t columns;
  uint32_t *values[SCAN_COLUMNS];
} scan_data;

const char *scan_data_name(scan_data_kind kind);
RDX_MUST_USE rdx_status scan_data_create(scan_data_kind kind, uint64_t rows, uint32_t columns, uint64_t seed,
                                         scan_data *out, rdx_error *err);
void scan_data_destroy(scan_data *data);

/* The value x for which column < x has a selectivity nearest to this one, from a sample of the column. */
RDX_MUST_USE rdx_status scan_data_quantile(const scan_data *data, uint32_t column, double selectivity, uint64_t *out,
                                           rdx_error *err);

/* Values from `low` to below `limit`. */
typedef struct scan_range {
  uint64_t low, limit;
} scan_range;

/* The bitmap of rows for which the first `predicates` columns are in their ranges, by looking at every row, and the
 * number of them. `bitmap` has a word for every 32 rows. */
uint64_t scan_data_expect(const scan_data *data, const scan_range *ranges, uint32_t predicates, uint32_t *bitmap);

#endif
