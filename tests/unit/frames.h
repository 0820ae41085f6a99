/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RAYDEX_TESTS_FRAMES_H
#define RAYDEX_TESTS_FRAMES_H

/* What tests of the executor share: frames of random columns, plans over them, and values of their cells. */

#include "base/base.h"
#include "execute/execute.h"
#include "tests/unit/tables.h"

/* How a random column is. */
typedef struct wanted_column {
  rdx_type type;
  uint32_t values;    /* distinct ones at most; 0: any of the type */
  uint32_t nulls;     /* of 100 rows */
  bool no_dictionary; /* of strings */
} wanted_column;

extern const wanted_column all_types[];
extern const uint32_t all_types_count;

/* An execution over plans of this file; begin and end it in each test. It is on the device that RAYDEX_TEST_DEVICE
 * names, else on the CPU, and operators take turns on host and device. */
typedef struct bench {
  rdx_device *device;
  rdx_pool *pool;
  rdx_arena arena;
  rdx_catalog *catalog;
  rdx_settings settings;
  rdx_query_plan plan;
  rdx_frame shared[8];
  rdx_node_actuals actuals[8];
  rdx_datum parameters[4];
  rdx_execution x;
} bench;

void bench_begin(bench *b);
void bench_end(bench *b);
/* Forget frames and plans, keep the device. */
void bench_clear(bench *b);

/* The result of a node, with its rows on the host. */
void run_node(bench *b, const rdx_plan_node *node, rdx_frame *out);

void *allocate(bench *b, uint64_t count, size_t size);

/* A frame of `rows` random rows; `chosen`: rows of other columns, some of them none. */
void random_frame(bench *b, const wanted_column *wanted, uint32_t count, uint64_t rows, bool chosen, rdx_frame *out);
/* A random flat column in the arena. */
rdx_column random_column(bench *b, wanted_column wanted, uint64_t rows);

/* A node whose result is a frame, which the bench takes over. */
rdx_plan_node *source(bench *b, uint32_t id, rdx_frame *frame);
/* A node of a kind over others. */
rdx_plan_node *node(bench *b, rdx_plan_kind kind, rdx_plan_node *left, rdx_plan_node *right);
rdx_bound *column(bench *b, const rdx_plan_node *of, uint32_t index);
rdx_bound *whole(bench *b, int64_t value);
rdx_bound *call(bench *b, rdx_op op, rdx_sql_kind kind, uint32_t count, ...);
rdx_plan_column *columns_of(bench *b, const rdx_plan_node *left, const rdx_plan_node *right);

/* The order of two cells: of numbers, NaN last, of text by its bytes; NULL equals NULL and comes last. */
int compare_cells(const rdx_frame *a, uint32_t column_a, uint64_t row_a, const rdx_frame *b, uint32_t column_b,
                  uint64_t row_b);
bool cell_is_null(const rdx_frame *frame, uint32_t column, uint64_t row);
/* The value of a cell of a number: units of decimals. */
rdx_i128 cell_units(const rdx_frame *frame, uint32_t column, uint64_t row);
double cell_double(const rdx_frame *frame, uint32_t column, uint64_t row);

#endif
