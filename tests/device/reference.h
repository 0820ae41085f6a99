/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef TESTS_DEVICE_REFERENCE_H
#define TESTS_DEVICE_REFERENCE_H

/* Random columns of every type, and lookups in them by looking at every row. */

#include "support.h"

typedef enum test_shape {
  SHAPE_RANDOM, /* the whole domain of the type, NaNs and infinities included */
  SHAPE_DENSE,  /* 0 .. rows - 1, shuffled */
  SHAPE_SORTED,
  SHAPE_REVERSED,
  SHAPE_EQUAL,
  SHAPE_FEW,      /* eight different values */
  SHAPE_SKEWED,   /* many small, few large */
  SHAPE_EXTREMES, /* the ends of the domain and what lies next to them and to 0 */
  SHAPE_EDGES,    /* powers of two and their neighbours: the edges of coordinates */
  SHAPE_ONE,      /* a single row */
  SHAPE_EMPTY,
  SHAPE_COUNT,
} test_shape;

typedef enum test_nulls { NO_NULLS, SOME_NULLS, ALL_NULLS } test_nulls;

/* A column in memory of its own. */
typedef struct test_column {
  rdx_column view;
} test_column;

test_column column_make(rdx_type type, test_shape shape, test_nulls nulls, uint64_t rows);
void column_free(test_column *column);

/* Probes for a column: some of its values, their neighbours, and other values. */
test_column column_probes(const test_column *keys, uint64_t rows, test_nulls nulls);

/* The order of two values that are not NULL: below 0, 0 or above. */
int column_compare(const rdx_column *a, uint64_t i, const rdx_column *b, uint64_t j);

/* Whether a row equals a probe (`upper` NULL), or lies between its bounds; NULLs never do. */
bool column_matches(const rdx_column *keys, uint64_t row, const rdx_column *lower, const rdx_column *upper,
                    uint64_t probe);

bool column_has(const rdx_column *column, uint64_t i);

/* The options without those that CPUs refuse, where the device is one: what Embree has not, and lanes. */
rdx_index_params params_here(const rdx_index_params *params);

/* Look up points (`upper` NULL) or ranges with every result kind and compare with what looking at every row finds. */
void check_lookups(const rdx_index *index, const rdx_column *keys, const rdx_column *lower, const rdx_column *upper,
                   const rdx_column *values);

/* The same of points by rdx_lookup_inverse(). */
void check_inverse_lookups(const rdx_index_params *params, const rdx_column *keys, const rdx_column *probes,
                           const rdx_column *values);

/* The same, where the index includes `values`: it is not given to the lookups for sums. */
void check_included_lookups(const rdx_index *index, const rdx_column *keys, const rdx_column *lower,
                            const rdx_column *upper, const rdx_column *values);

__extension__ typedef __int128 i128;

/* Row `i` of a column of integers, bools, dates, timestamps or decimals. */
i128 integer_at(const rdx_column *column, uint64_t i);

#endif
