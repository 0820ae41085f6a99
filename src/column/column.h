/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_COLUMN_COLUMN_H
#define RDX_COLUMN_COLUMN_H

#include <raydex/column.h>

#include "base/base.h"

/* Whether the fields of a column view make sense: RDX_ERROR_ARGUMENT, beginning with `what`, where they do not. The
 * bytes of a host bool column, and the offsets of one of strings, its dictionary and its places there are read to the
 * end, so that later code may trust them. */
RDX_MUST_USE rdx_status rdx_column_check(const rdx_column *column, const char *what, rdx_error *err);
/* Whether rows can be numbered: RDX_ERROR_UNSUPPORTED beyond 2^32 - 2. `what` ("an index") holds them. To be asked
 * before values are read. */
RDX_MUST_USE rdx_status rdx_rows_check(const char *what, uint64_t rows, rdx_error *err);
/* Whether a view of a device column is as that gave it; a host column is. */
RDX_MUST_USE rdx_status rdx_column_check_view(const rdx_column *column, const char *what, rdx_error *err);

static inline bool rdx_type_is_float(rdx_type type) {
  return type == RDX_TYPE_F32 || type == RDX_TYPE_F64;
}

/* Integers and decimals. */
static inline bool rdx_type_is_exact(rdx_type type) {
  return (type >= RDX_TYPE_I8 && type <= RDX_TYPE_U64) || type == RDX_TYPE_DECIMAL;
}

/* What values that are no floats and no strings are stored as: the smallest number and the largest. */
static inline void rdx_type_limits(rdx_type type, rdx_i128 *min, rdx_i128 *max) {
  const uint32_t bits = 8 * (uint32_t)rdx_type_size(type);
  const bool is_unsigned = (type >= RDX_TYPE_U8 && type <= RDX_TYPE_U64) || type == RDX_TYPE_BOOL;
  *min = is_unsigned ? 0 : -((rdx_i128)1 << (bits - 1));
  *max = type == RDX_TYPE_BOOL ? 1 : ((rdx_i128)1 << (is_unsigned ? bits : bits - 1)) - 1;
}

/* Whether row i of a host column is not NULL. */
static inline bool rdx_column_has(const rdx_column *column, uint64_t i) {
  return !column->validity || (column->validity[i / 8] >> (i % 8) & 1) != 0;
}

/* A value of up to 64 bits that is no float and no string; an unsigned one of 64 bits as it is. */
static inline int64_t rdx_column_integer(const rdx_column *column, uint64_t row) {
  switch (column->type) {
  case RDX_TYPE_BOOL:
  case RDX_TYPE_U8:
    return ((const uint8_t *)column->values)[row];
  case RDX_TYPE_I8:
    return ((const int8_t *)column->values)[row];
  case RDX_TYPE_I16:
    return ((const int16_t *)column->values)[row];
  case RDX_TYPE_U16:
    return ((const uint16_t *)column->values)[row];
  case RDX_TYPE_I32:
  case RDX_TYPE_DATE:
    return ((const int32_t *)column->values)[row];
  case RDX_TYPE_U32:
    return ((const uint32_t *)column->values)[row];
  default:
    return ((const int64_t *)column->values)[row];
  }
}

/* rdx_column_string() for hot loops. A place beyond the dictionary, which only a NULL may have, is an empty string. */
static inline const char *rdx_column_text(const rdx_column *column, uint64_t row, uint64_t *length) {
  const rdx_column *strings = column->dictionary;
  if (strings)
    row = ((const uint32_t *)column->values)[row];
  else
    strings = column;
  *length = row < strings->rows ? strings->offsets[row + 1] - strings->offsets[row] : 0;
  return *length ? (const char *)strings->values + strings->offsets[row] : "";
}

/* memcmp's order of two strings, a prefix before its extensions. */
int rdx_column_compare_strings(const rdx_column *a, uint64_t row_a, const rdx_column *b, uint64_t row_b);

#endif
