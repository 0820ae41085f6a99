/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "column/column.h"

#include <string.h>

#include "base/base.h"
#include "column/device_column.h"

#define MAX_ROWS ((uint64_t)1 << 48) /* no process can address as many bytes */

static const struct {
  const char *name;
  size_t size;
} types[] = {
    [RDX_TYPE_NONE] = {"none", 0},       [RDX_TYPE_BOOL] = {"bool", 1},
    [RDX_TYPE_I8] = {"i8", 1},           [RDX_TYPE_I16] = {"i16", 2},
    [RDX_TYPE_I32] = {"i32", 4},         [RDX_TYPE_I64] = {"i64", 8},
    [RDX_TYPE_U8] = {"u8", 1},           [RDX_TYPE_U16] = {"u16", 2},
    [RDX_TYPE_U32] = {"u32", 4},         [RDX_TYPE_U64] = {"u64", 8},
    [RDX_TYPE_F32] = {"f32", 4},         [RDX_TYPE_F64] = {"f64", 8},
    [RDX_TYPE_DATE] = {"date", 4},       [RDX_TYPE_TIMESTAMP] = {"timestamp", 8},
    [RDX_TYPE_DECIMAL] = {"decimal", 8}, [RDX_TYPE_STRING] = {"string", 0},
};

static bool is_known(rdx_type type) {
  return (size_t)type < RDX_COUNT(types);
}

const char *rdx_type_name(rdx_type type) {
  return is_known(type) ? types[type].name : "unknown";
}

rdx_status rdx_type_from_name(const char *name, rdx_type *out, rdx_error *err) {
  if (!name || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_type_from_name: name and out must not be NULL");
  for (size_t i = RDX_TYPE_NONE + 1; i < RDX_COUNT(types); i++) {
    if (strcmp(name, types[i].name) == 0) {
      *out = (rdx_type)i;
      return RDX_OK;
    }
  }
  return rdx_fail(err, RDX_ERROR_NOT_FOUND,
                  "there is no type '%.40s'; there are bool, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, date, "
                  "timestamp, decimal and string",
                  name);
}

size_t rdx_type_size(rdx_type type) {
  return is_known(type) ? types[type].size : 0;
}

const char *rdx_column_string(const rdx_column *column, uint64_t row, uint64_t *length) {
  return rdx_column_text(column, row, length);
}

int rdx_column_compare_strings(const rdx_column *a, uint64_t row_a, const rdx_column *b, uint64_t row_b) {
  uint64_t length_a, length_b;
  const char *bytes_a = rdx_column_text(a, row_a, &length_a), *bytes_b = rdx_column_text(b, row_b, &length_b);
  const int order = memcmp(bytes_a, bytes_b, length_a < length_b ? length_a : length_b);
  return order ? order : (length_a > length_b) - (length_a < length_b);
}

static rdx_status check_offsets(const rdx_column *column, const char *what, rdx_error *err) {
  if (!column->offsets)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: a string column needs offsets", what);
  for (uint64_t i = 0; i < column->rows; i++)
    if (column->offsets[i] > column->offsets[i + 1])
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: the offsets of a string column must ascend, but row %llu goes down",
                      what, (unsigned long long)i);
  if (!column->values && column->offsets[column->rows] > column->offsets[0])
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: the column has no values", what);
  return RDX_OK;
}

/* The largest of places, with NULLs': mostly it is in the dictionary, and nothing more need be asked. */
static uint32_t largest_place(const rdx_column *column) {
  const uint32_t *places = column->values;
  uint32_t largest = 0;
  for (uint64_t i = 0; i < column->rows; i++)
    largest = places[i] > largest ? places[i] : largest;
  return largest;
}

static rdx_status check_dictionary(const rdx_column *column, const char *what, rdx_error *err) {
  const rdx_column *d = column->dictionary;
  const uint32_t *places = column->values;
  if (d->type != RDX_TYPE_STRING || d->scale || d->validity || d->device || d->dictionary || column->offsets)
    return rdx_fail(err, RDX_ERROR_ARGUMENT,
                    "%s: a dictionary is an ordinary column of strings without NULLs, and its "
                    "user has no offsets",
                    what);
  if (d->rows > UINT32_MAX)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: a dictionary has at most 2^32 - 1 strings, not %llu", what,
                    (unsigned long long)d->rows);
  if (!places || (uintptr_t)places % sizeof *places != 0)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: the places in a dictionary must be there, aligned to 4 bytes", what);
  if (d->rows > 0)
    RDX_TRY(check_offsets(d, what, err));
  for (uint64_t i = 1; i < d->rows; i++)
    if (rdx_column_compare_strings(d, i - 1, d, i) >= 0)
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: string %llu of the dictionary is not above the one before it", what,
                      (unsigned long long)i);
  const bool suspect = largest_place(column) >= d->rows;
  for (uint64_t i = 0; i < column->rows && suspect; i++)
    if (places[i] >= d->rows && rdx_column_has(column, i))
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: row %llu has place %u in a dictionary of %llu strings", what,
                      (unsigned long long)i, places[i], (unsigned long long)d->rows);
  return RDX_OK;
}

/* The bytes of NULLs may be anything: they are looked at only where some byte is neither. */
static rdx_status check_bools(const rdx_column *column, const char *what, rdx_error *err) {
  const uint8_t *values = column->values;
  uint8_t any = 0;
  for (uint64_t i = 0; i < column->rows; i++)
    any |= values[i];
  for (uint64_t i = 0; i < column->rows && any > 1; i++)
    if (values[i] > 1 && rdx_column_has(column, i))
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: row %llu of a bool column is %u, neither 0 nor 1", what,
                      (unsigned long long)i, values[i]);
  return RDX_OK;
}

rdx_status rdx_rows_check(const char *what, uint64_t rows, rdx_error *err) {
  if (rows >= RDX_NO_ROW)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "%s holds at most 2^32 - 2 rows; the column has %llu", what,
                    (unsigned long long)rows);
  return RDX_OK;
}

rdx_status rdx_column_check_view(const rdx_column *column, const char *what, rdx_error *err) {
  const rdx_device_column *d = column->device;
  if (d && (column->type != d->type || column->scale != d->scale || column->rows != d->rows))
    return rdx_fail(err, RDX_ERROR_ARGUMENT,
                    "%s: %llu rows of type %s are not what the device column has, %llu of type %s: take its view by "
                    "rdx_device_column_view(), and change nothing",
                    what, (unsigned long long)column->rows, rdx_type_name(column->type), (unsigned long long)d->rows,
                    rdx_type_name(d->type));
  return RDX_OK;
}

rdx_status rdx_column_check(const rdx_column *column, const char *what, rdx_error *err) {
  if (!column)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: the column must not be NULL", what);
  if (column->rows > MAX_ROWS)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: no memory holds %llu rows", what, (unsigned long long)column->rows);
  if (column->type == RDX_TYPE_NONE || !is_known(column->type))
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: unknown column type %d", what, (int)column->type);
  if (column->scale > (column->type == RDX_TYPE_DECIMAL ? 18 : 0))
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: a column of type %s cannot have scale %u", what,
                    rdx_type_name(column->type), column->scale);
  if ((column->dictionary || column->offsets) && column->type != RDX_TYPE_STRING)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: a column of type %s cannot have %s", what,
                    rdx_type_name(column->type), column->dictionary ? "a dictionary" : "offsets");
  if (column->device || column->rows == 0)
    return rdx_column_check_view(column, what, err);
  if (column->dictionary)
    return check_dictionary(column, what, err);
  if (column->type == RDX_TYPE_STRING)
    return check_offsets(column, what, err);
  if (!column->values)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: the column has no values", what);
  if ((uintptr_t)column->values % rdx_type_size(column->type) != 0)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: the values of an %s column must be aligned to %zu bytes", what,
                    rdx_type_name(column->type), rdx_type_size(column->type));
  return column->type == RDX_TYPE_BOOL ? check_bools(column, what, err) : RDX_OK;
}
