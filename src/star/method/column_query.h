/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_STAR_COLUMN_QUERY_H
#define RDX_STAR_COLUMN_QUERY_H

/* A plan as what the kernels of the column engine read. */

#include "star/plan.h"
#include "kernels/column_engine/kernels.h"

/* The table of a dimension. */
typedef struct rdx_column_table {
  uint64_t rows;
  uint32_t dimension; /* from 0 */
  uint32_t first_term, term_count, first_part, part_count;
  double selectivity; /* of its rows that qualify, as far as the terms tell */
  double cost;        /* of looking a row up, for each that it drops */
} rdx_column_table;

typedef struct rdx_column_query {
  rdx_arena arena;
  engine_query q;                 /* its pointers go into the block */
  void *block;                    /* all arrays */
  uint64_t block_size, base;      /* bytes; where the pointers take it to be */
  engine_link *links;             /* in the block */
  const engine_measure *measures; /* in the block */
  rdx_column_table *tables;       /* one for each link, in their order */
  uint32_t table_count;
  uint32_t early_terms, early_links, first_late_term; /* see engine_tile_args */
  bool wide_extremes;                                 /* a MIN or MAX is over more than 32 bits */
  uint64_t bytes;                                     /* of the columns that are read */
} rdx_column_query;

/* The tables of the links and the address of the slots are still to be filled in. */
RDX_MUST_USE rdx_status rdx_column_query_create(const rdx_plan *plan, rdx_column_query *out, rdx_error *err);
void rdx_column_query_destroy(rdx_column_query *query);

/* Let the pointers be those of a copy of the block at `address`. */
void rdx_column_query_rebase(rdx_column_query *query, uint64_t address);

#endif
