/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RAYDEX_COLUMN_H
#define RAYDEX_COLUMN_H

/**
 * Typed columns: what indexes are built from and looked up with.
 *
 * - Shapes: the memory layout is Arrow's; a column is in host memory, or a copy on a device.
 * - Units: dates are days, timestamps microseconds since 1970; a decimal is the value times 10^scale.
 * - Ownership: an rdx_column owns nothing; an rdx_device_column owns its copy, until it is destroyed.
 * - Errors: RDX_ERROR_ARGUMENT for a column whose fields contradict each other.
 *
 * Example:
 *
 *     const int32_t values[] = {3, 1, 2};
 *     const rdx_column column = {.type = RDX_TYPE_I32, .rows = 3, .values = values};
 *     rdx_device_column *copy = NULL;
 *     status = rdx_device_column_create(device, &column, &copy, &err);
 *     if (status == RDX_OK)
 *       printf("%d rows\n", (int)rdx_device_column_view(copy).rows); // where an rdx_column is asked for
 *     rdx_device_column_destroy(&copy);
 */

#include <raydex/device.h>
#include <raydex/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Column types. Each has a total order; indexes answer ranges in it. */
typedef enum rdx_type {
  RDX_TYPE_NONE = 0,
  RDX_TYPE_BOOL, /**< uint8_t, 0 or 1, else RDX_ERROR_ARGUMENT; of a NULL anything; false < true */
  RDX_TYPE_I8,
  RDX_TYPE_I16,
  RDX_TYPE_I32,
  RDX_TYPE_I64,
  RDX_TYPE_U8,
  RDX_TYPE_U16,
  RDX_TYPE_U32,
  RDX_TYPE_U64,
  RDX_TYPE_F32,       /**< -0.0 equals 0.0; all NaNs are equal to each other and above +infinity */
  RDX_TYPE_F64,       /**< as RDX_TYPE_F32 */
  RDX_TYPE_DATE,      /**< int32_t, days since 1970-01-01 */
  RDX_TYPE_TIMESTAMP, /**< int64_t, microseconds since 1970-01-01 00:00:00 UTC */
  RDX_TYPE_DECIMAL,   /**< int64_t, the value times 10^scale */
  RDX_TYPE_STRING,    /**< bytes, ordered as memcmp orders them, a prefix before its extensions */
} rdx_type;

/** A name such as "i32" or "decimal"; never NULL. */
RDX_API const char *rdx_type_name(rdx_type type);

/** The type of that name. RDX_ERROR_NOT_FOUND lists the names in the error text. */
RDX_API RDX_MUST_USE rdx_status rdx_type_from_name(const char *name, rdx_type *out, rdx_error *err);

/** Bytes of one value; 0 for RDX_TYPE_STRING and RDX_TYPE_NONE. */
RDX_API size_t rdx_type_size(rdx_type type);

/** The number of a row of one table, index, scan or side of a join, from 0; or how many of its rows something has. It
 * has 32 bits, since none of these has more than 2^32 - 2 rows (docs/c.md says why). Totals have 64. */
typedef uint32_t rdx_row;

/** No row: such as of a probe that matches nothing. */
#define RDX_NO_ROW UINT32_MAX

typedef struct rdx_device_column rdx_device_column;

/**
 * A view of a column. It owns nothing: what it points to must stay valid and unchanged while a call uses it.
 * The values are in host memory, or, when `device` is set, in an uploaded copy (and the host pointers are
 * not read).
 */
typedef struct rdx_column {
  rdx_type type;
  uint8_t scale; /**< RDX_TYPE_DECIMAL: digits after the point, 0 to 18; else 0 */
  uint64_t rows;
  const void *values;      /**< fixed-width types: `rows` values; strings: the bytes of all values */
  const uint64_t *offsets; /**< strings: `rows` + 1 byte offsets into `values`, ascending; else NULL */
  const uint8_t *validity; /**< bit i%8 of byte i/8 is 1 where row i is not NULL; NULL: no row is NULL */
  const rdx_device_column *device;
  /**
   * Strings only, else NULL: the distinct strings of the column in ascending order, as an ordinary string column
   * without NULLs. `values` are then `rows` uint32_t places in it, and `offsets` is NULL. Those of NULLs may be
   * anything. Strings in the dictionary that no row has are fine.
   */
  const struct rdx_column *dictionary;
} rdx_column;

/**
 * The bytes of row `row` of a host column of strings, with or without a dictionary; `*length` says how many. Not ended
 * by a NUL; never NULL; of a NULL they mean nothing. `row` must be below the column's rows.
 */
RDX_API const char *rdx_column_string(const rdx_column *column, uint64_t row, uint64_t *length);

/**
 * Copy a host column to a device, so that many calls can use it without another transfer.
 * Works for every type; the copy is independent of `column`. Free it with rdx_device_column_destroy()
 * before its device is closed.
 */
RDX_API RDX_MUST_USE rdx_status rdx_device_column_create(rdx_device *device, const rdx_column *column,
                                                         rdx_device_column **out, rdx_error *err);

/** The view to pass where an rdx_column is asked for. Valid until the copy is destroyed. */
RDX_API rdx_column rdx_device_column_view(const rdx_device_column *column);

/**
 * The values of some rows, on the device: row i of `*out` is row rows[i] of `column`, and NULL where rows[i] is NULL.
 * `rows` are u32, such as rdx_scan_result_column() and rdx_lookup_result_column() give; one that `column` does not have
 * is RDX_ERROR_RANGE. RDX_ERROR_UNSUPPORTED for strings, whose text is on the host. The new column is independent of
 * both: free it with rdx_device_column_destroy(). examples/device.c uses it.
 */
RDX_API RDX_MUST_USE rdx_status rdx_device_column_gather(const rdx_device_column *column, const rdx_device_column *rows,
                                                         rdx_device_column **out, rdx_error *err);

/** Free `*column` and clear it. NULL and a cleared handle are fine. */
RDX_API void rdx_device_column_destroy(rdx_device_column **column);

#ifdef __cplusplus
}
#endif
#endif
