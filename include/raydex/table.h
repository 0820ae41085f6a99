/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RAYDEX_TABLE_H
#define RAYDEX_TABLE_H

/** Tables in host memory, read from CSV. */

#include <raydex/column.h>
#include <raydex/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rdx_table rdx_table;

/** The type of one column, overriding what would be inferred. */
typedef struct rdx_csv_type {
  const char *column; /**< the column's name in the header (or "1", "2", ... without one) */
  rdx_type type;
  uint8_t scale; /**< RDX_TYPE_DECIMAL: digits after the point; more digits in the data are an error */
} rdx_csv_type;

/**
 * How to read a CSV file; all zero is the default: comma, a header, types inferred, all columns.
 *
 * Inference looks at every value of a column and takes the first type that all of them fit: bool (true and
 * false only), i32, i64, u64, decimal (plain digits with a point, up to 18 digits, the column's largest
 * count of fraction digits as its scale), f64 (not the words inf and nan), date (YYYY-MM-DD), timestamp (date, 'T' or
 * a space, HH:MM[:SS[.ffffff]][Z]), string. A column without any value is a string column. An empty unquoted field is
 * NULL; an empty quoted field is NULL too, except in a string column, where it is the empty string.
 */
typedef struct rdx_csv_params {
  char delimiter;            /**< 0: ',' */
  bool no_header;            /**< the first record is data; columns are named "1", "2", ... */
  const rdx_csv_type *types; /**< overrides, `type_count` of them; a name that is not in the file is an error */
  size_t type_count;
  const char *const *columns; /**< read these columns only, `column_count` of them, in this order; NULL: all */
  size_t column_count;
} rdx_csv_params;

/**
 * Read a CSV file (RFC 4180: quotes, doubled quotes, line breaks in quotes; CRLF or LF; a UTF-8 byte order
 * mark is skipped). Errors name the file, line and column. Reports progress as stage "read", in bytes.
 * Destroy the table with rdx_table_destroy().
 */
RDX_API RDX_MUST_USE rdx_status rdx_table_read_csv(const char *path, const rdx_csv_params *params, rdx_table **out,
                                                   rdx_error *err);

/** As rdx_table_read_csv(), from `size` bytes of memory; `name` stands for the path in errors. */
RDX_API RDX_MUST_USE rdx_status rdx_table_parse_csv(const char *name, const char *text, size_t size,
                                                    const rdx_csv_params *params, rdx_table **out, rdx_error *err);

RDX_API uint64_t rdx_table_rows(const rdx_table *table);
RDX_API uint32_t rdx_table_columns(const rdx_table *table);

/** The name of column `index`, from 0; NULL when there is no such column. Owned by the table. */
RDX_API const char *rdx_table_column_name(const rdx_table *table, uint32_t index);

/** Column `index`, from 0; NULL when there is no such column. Owned by the table. */
RDX_API const rdx_column *rdx_table_column(const rdx_table *table, uint32_t index);

/** The column of that name, owned by the table. RDX_ERROR_NOT_FOUND lists the names there are. */
RDX_API RDX_MUST_USE rdx_status rdx_table_find(const rdx_table *table, const char *name, const rdx_column **out,
                                               rdx_error *err);

/** Free `*table` and clear it. NULL and a cleared handle are fine. */
RDX_API void rdx_table_destroy(rdx_table **table);

#ifdef __cplusplus
}
#endif
#endif
