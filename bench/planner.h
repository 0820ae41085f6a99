/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef BENCH_PLANNER_H
#define BENCH_PLANNER_H

#include "bench/bench.h"

/* The planner's choices: random tables, random queries over them, and each method that can answer one. */

#define PLANNER_TEXT 1024
#define PLANNER_MAX_METHODS 8
#define PLANNER_MAX_ATTRIBUTES 5

/* Random numbers of one seed, one after the other. */
typedef struct planner_random {
  uint64_t seed, next;
} planner_random;

uint64_t planner_below(planner_random *r, uint64_t limit);
/* From 0 to below 1. */
double planner_unit(planner_random *r);
/* From `low` to `high`, with every order of magnitude alike. */
double planner_spread(planner_random *r, double low, double high);

typedef enum planner_kind { PLANNER_SCAN, PLANNER_LOOKUP, PLANNER_JOIN, PLANNER_STAR, PLANNER_KINDS } planner_kind;

extern const char *const planner_kind_names[PLANNER_KINDS];

/* A fact table and two dimensions, as files of a folder. */
typedef struct planner_tables {
  uint64_t rows, dimension_rows[2];
  uint64_t distinct, groups; /* values of fact.a and fact.g */
  bool ordered;              /* fact.a ascends */
  /* What was prepared: an index over fact.a, one of scans over fact (a, b), and cubes over the attributes. */
  const char *lookup_method, *scan_method;
  const char *cubes[3];
  uint32_t cube_count;
  uint32_t attributes[PLANNER_MAX_ATTRIBUTES];
  uint32_t attribute_count;
} planner_tables;

#define PLANNER_WIDE ((uint64_t)1 << 40) /* values of fact.b */

/* Write the tables into a folder (planner_data.c). */
RDX_MUST_USE rdx_status planner_write(const char *folder, planner_tables *t, planner_random *r, uint64_t max_rows,
                                      rdx_error *err);

/* A setting that makes the planner take a method, and what EXPLAIN calls the method then. */
typedef struct planner_method {
  char name[24], set[64];
} planner_method;

/* A query, and the methods that can answer it. */
typedef struct planner_query {
  planner_kind kind;
  char text[PLANNER_TEXT];
  planner_method methods[PLANNER_MAX_METHODS];
  uint32_t method_count;
} planner_query;

/* The statements that prepare what queries may use, one after the other: false after the last one. They choose it, too.
 * `create` has room for PLANNER_TEXT bytes (planner_queries.c). */
bool planner_prepare(planner_tables *t, planner_random *r, uint32_t step, bool traces_rays, char *create);

void planner_ask(const planner_tables *t, planner_random *r, planner_kind kind, planner_query *out);

#endif
