/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RAYDEX_ARROW_H
#define RAYDEX_ARROW_H

/**
 * Tables from and to other programs' memory, by the Arrow C data interface.
 *
 * - Shapes: a struct array, whose children are columns; each call lists the formats that it takes.
 * - Ownership: an export shares memory with its table; an import takes the array and the schema.
 * - Errors: RDX_ERROR_UNSUPPORTED for formats that tables have not, RDX_ERROR_RANGE for values that would change.
 * - Source: https://arrow.apache.org/docs/format/CDataInterface.html.
 *
 * Example:
 *
 *     const char text[] = "name,price\nbook,12\n";
 *     rdx_table *table = NULL, *again = NULL;
 *     struct ArrowSchema schema;
 *     struct ArrowArray array;
 *     status = rdx_table_parse_csv("prices", text, sizeof text - 1, NULL, &table, &err);
 *     if (status == RDX_OK)
 *       status = rdx_table_to_arrow(table, &schema, &array, &err); // shares the memory of the table
 *     if (status == RDX_OK)
 *       status = rdx_table_from_arrow(&schema, &array, &again, &err); // takes both
 *     rdx_table_destroy(&table);
 *     rdx_table_destroy(&again);
 */

#include <raydex/status.h>
#include <raydex/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As the specification defines them, under its guard, so that they may come from elsewhere too. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char *format;
  const char *name;
  const char *metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema **children;
  struct ArrowSchema *dictionary;
  void (*release)(struct ArrowSchema *);
  void *private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  void (*release)(struct ArrowArray *);
  void *private_data;
};

#endif

/**
 * Export a table as a struct array and its schema. Memory is shared, not copied, and the table stays until the array
 * and all children that were moved out of it are released, even when rdx_table_destroy() is called before. Types:
 *
 *   integers, f32, f64, date, timestamp    c C s S i I l L, f, g, tdD, tsu:UTC: shared
 *   string                                 U, with a dictionary I and U: shared; Z instead of U where it is no UTF-8
 *   bool                                   b: copied to bits
 *   decimal                                d:19,SCALE: copied to 128 bits
 *
 * Release both by their callbacks. On failure nothing was written to them. RDX_ERROR_UNSUPPORTED where a column's name
 * is no UTF-8.
 */
RDX_API RDX_MUST_USE rdx_status rdx_table_to_arrow(rdx_table *table, struct ArrowSchema *schema,
                                                   struct ArrowArray *array, rdx_error *err);

/**
 * Make a table of a struct array (format +s) without NULLs of its own; its children become columns. On success the
 * array belongs to the table, which releases it when it is destroyed, and the schema has been released: both are marked
 * so. On failure both stay the caller's. Types:
 *
 *   c C s S i I l L, f, g, tdD, tsu:...    integers, f32, f64, date, timestamp (of any time zone: an instant): shared
 *   e                                      f32: copied
 *   tss:... tsm:... tsn:...                timestamp: copied to microseconds
 *   tdm                                    date: copied to days
 *   tts ttm ttu ttn                        string, HH:MM:SS and a fraction of 0, 3, 6 or 9 digits
 *   d:P,S,64; d:P,S with 32, 128 or 256    decimal of a scale of 0 to 18: shared; copied to 64 bits
 *   U, Z; u, z                             string: shared; bytes shared, offsets copied
 *   w:N; vu, vz                            string: bytes shared, offsets made; copied
 *   b                                      bool: copied to bytes
 *   n                                      string, all NULL
 *   a dictionary of strings                shared where it ascends and its indices have 32 bits, else sorted
 *   a dictionary of other types            as these, each row with its value
 *
 * NULL bits are shared where they start at a whole byte. A value that would not be kept exactly is RDX_ERROR_RANGE; the
 * text names column and row: a timestamp with a part of a microsecond, a date with a part of a day, a decimal beyond 64
 * bits, a time that is none of a day. Other formats (nested ones, runs, durations, intervals) are
 * RDX_ERROR_UNSUPPORTED; the text names the column and what to cast it to.
 */
RDX_API RDX_MUST_USE rdx_status rdx_table_from_arrow(struct ArrowSchema *schema, struct ArrowArray *array,
                                                     rdx_table **out, rdx_error *err);

#ifdef __cplusplus
}
#endif
#endif
