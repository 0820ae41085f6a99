/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef TPCH_H
#define TPCH_H

/* TPC-H: its eight tables, made anew from a scale factor and a seed, and its 22 queries. Numbers of sections are those
 * of the TPC Benchmark H specification, revision 3. */

#include "generator/generator.h"

#define TPCH_MAX_SCALE 300 /* order keys, of which one in four is used, are integers of 32 bits */

typedef enum tpch_table {
  TPCH_REGION,
  TPCH_NATION,
  TPCH_SUPPLIER,
  TPCH_CUSTOMER,
  TPCH_PART,
  TPCH_PARTSUPP,
  TPCH_ORDERS,
  TPCH_LINEITEM,
  TPCH_TABLES
} tpch_table;

typedef struct tpch tpch;

/* RDX_ERROR_ARGUMENT unless 0 < scale <= TPCH_MAX_SCALE. */
RDX_MUST_USE rdx_status tpch_open(double scale, uint64_t seed, tpch **out, rdx_error *err);
void tpch_close(tpch **t);

/* Makes the tables, which are in the order of tpch_table. It belongs to `t`. */
const generator *tpch_generator(const tpch *t);

/* ---- Queries (queries.c) ---- */

/* Those of section 2.4 with the parameters of their validation, in their order, the 15th in the variant with WITH. */
#define TPCH_QUERIES 22
extern const char *const tpch_queries[TPCH_QUERIES];

#endif
