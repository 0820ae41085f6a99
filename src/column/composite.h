/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_COLUMN_COMPOSITE_H
#define RDX_COLUMN_COMPOSITE_H

/* Keys of several columns packed into one number, whose order is that of the tuples: the first column in the highest
 * bits, NULL above all values. A column takes the bits of its range, or, where all do not fit into 64, of its places in
 * a dictionary; strings always have one. A row whose first column is NULL has no key. */

#include <raydex/column.h>

#include "base/base.h"

#define RDX_COMPOSITE_COLUMNS 8

typedef struct rdx_composite rdx_composite;

/* Learn the values of host columns of as many rows each. RDX_ERROR_UNSUPPORTED where they do not fit into 64 bits. */
RDX_MUST_USE rdx_status rdx_composite_create(const rdx_column *columns, uint32_t count, rdx_composite **out,
                                             rdx_error *err);
void rdx_composite_destroy(rdx_composite **composite);

uint32_t rdx_composite_count(const rdx_composite *composite);

/* A column of packed keys, u32 or u64, in memory of its own. */
typedef struct rdx_packed_keys {
  rdx_column column;
  void *values;
  uint8_t *validity;
} rdx_packed_keys;

void rdx_packed_keys_drop(rdx_packed_keys *keys);

/* The keys of the columns that it was created of. On failure nothing is left to drop. */
RDX_MUST_USE rdx_status rdx_composite_keys(const rdx_composite *composite, const rdx_column *columns,
                                           rdx_packed_keys *out, rdx_error *err);

/* What rows' keys have to be for their first `count` columns to equal those of `values`, or with `upper` to lie from
 * one to the other in the order of tuples: keys from `lower` to `upper`, NULL where nothing can match. Points of all
 * columns have `upper` without values. */
RDX_MUST_USE rdx_status rdx_composite_probes(const rdx_composite *composite, const rdx_column *values,
                                             const rdx_column *upper_values, uint32_t count, rdx_packed_keys *lower,
                                             rdx_packed_keys *upper, rdx_error *err);

#endif
