/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_PLAN_ZONES_H
#define RDX_PLAN_ZONES_H

/* Which blocks of a table file a filter has to look at, as their smallest and largest values tell ("zone maps",
 * Moerkotte, VLDB 1998). */

#include "catalog/catalog.h"
#include "expression/evaluate.h"

typedef struct rdx_zone_filter {
  rdx_catalog *catalog;
  rdx_catalog_table *table;
  const uint32_t *columns; /* that the filter reads, of the table */
  uint32_t count;
  const rdx_bound *filter;
  const rdx_datum *parameters;
  rdx_pool *pool;
  const char *text; /* of the statement */
  rdx_arena *arena;
} rdx_zone_filter;

/* The blocks that may have rows for which the filter is true, ascending, in the arena. `*few` false: they are not
 * known, or so many that it is no use to leave the others out. */
RDX_MUST_USE rdx_status rdx_zones_find(const rdx_zone_filter *z, uint32_t **blocks, uint64_t *count, bool *few,
                                       rdx_error *err);
/* How many rows these blocks have. */
uint64_t rdx_zones_rows(const rdx_catalog_table *table, const uint32_t *blocks, uint64_t count);

#endif
