/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_TABLE_ARROW_VALUES_H
#define RDX_TABLE_ARROW_VALUES_H

/* The buffers of an Arrow array as the values of a column: shared where they are the same, else copied, exactly. */

#include <raydex/arrow.h>

#include "table/table.h"

/* A column under construction. */
typedef struct rdx_incoming {
  const char *name;
  const struct ArrowSchema *schema;
  const struct ArrowArray *array;
  uint64_t offset, rows; /* of the rows of the table in the array */
  rdx_growing *out;      /* its memory is what was copied */
} rdx_incoming;

/* Take validity, type and values of an array that has no dictionary. That offsets ascend is left to
 * rdx_column_check(). */
RDX_MUST_USE rdx_status rdx_incoming_take(rdx_incoming *in, rdx_error *err);

/* Take the validity alone, of an array of two buffers. */
RDX_MUST_USE rdx_status rdx_incoming_take_validity(rdx_incoming *in, rdx_error *err);

/* Take values of `size` bytes as they are. */
RDX_MUST_USE rdx_status rdx_incoming_take_values(rdx_incoming *in, size_t size, rdx_error *err);

/* Make a row NULL. */
RDX_MUST_USE rdx_status rdx_incoming_make_null(rdx_incoming *in, uint64_t row, rdx_error *err);

/* The errors of a format that there is no type for, and of an array that is none. */
rdx_status rdx_incoming_unsupported(const rdx_incoming *in, rdx_error *err);
rdx_status rdx_incoming_malformed(const char *name, const char *what, rdx_error *err);

/* Write a time of day, of which `unit` are a second, as HH:MM:SS and as many digits as the unit has; false: it is none
 * of a day. */
bool rdx_time_format(int64_t value, int64_t unit, int digits, char *to);

#endif
