/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_COLUMN_ENCODED_COLUMN_H
#define RDX_COLUMN_ENCODED_COLUMN_H

#include <raydex/column.h>

#include "column/dictionary.h"
#include "device/device.h"

/* A column on the device as order-preserving codes (column/keys.h). Strings are coded by their place in the dictionary
 * of the column's distinct strings, so that codes decide everything. */
typedef struct rdx_encoded_column {
  rdx_type type;
  uint8_t scale;
  uint32_t key_bits; /* 32 or 64 */
  uint64_t rows, nulls;
  uint64_t smallest, largest; /* codes of rows that are not NULL; smallest > largest: there are none */
  rdx_buffer *codes;          /* u32 or u64; those of NULLs mean nothing */
  rdx_buffer *valid;          /* a bit per row; NULL where no row is NULL */
  rdx_buffer *zones;          /* two u64 a block of 4096 rows: smallest and largest code (none: smallest > largest) */
  bool clustered;             /* a block spans less than half of the range, on average */
  rdx_dictionary *dictionary; /* strings */
} rdx_encoded_column;

/* Bring a column, which rdx_column_check() has passed, to the device. rdx_encoded_column_drop() frees it; so does it what
 * a failed call left. */
RDX_MUST_USE rdx_status rdx_encoded_column_create(rdx_device *device, const rdx_column *column, rdx_encoded_column *out,
                                                  rdx_error *err);
void rdx_encoded_column_drop(rdx_encoded_column *column);

/* A method's own copy of columns, which shares and keeps their codes and validity. */
RDX_MUST_USE rdx_status rdx_encoded_columns_retain(const rdx_encoded_column *columns, uint32_t count,
                                                   rdx_encoded_column **out, rdx_error *err);
void rdx_encoded_columns_release(rdx_encoded_column *columns, uint32_t count);

#endif
