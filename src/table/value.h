/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_TABLE_VALUE_H
#define RDX_TABLE_VALUE_H

/* Text to values, strictly: the whole text must be a value of the type. */

#include <raydex/column.h>

typedef enum rdx_parse {
  RDX_PARSE_OK,
  RDX_PARSE_FORMAT, /* not a value of this type */
  RDX_PARSE_RANGE,  /* one that does not fit it */
} rdx_parse;

/* Parse `length` bytes into `*out`, as wide as the type. Not for strings. */
rdx_parse rdx_value_parse(rdx_type type, uint8_t scale, const char *text, size_t length, void *out);

/* What the values of a column have been, to find the narrowest type for all of them. */
typedef struct rdx_inference {
  bool boolean, number, date, timestamp, text;
  bool negative;                            /* a number below 0 */
  bool above_i32, above_i64, above_u64;     /* an integer that does not fit */
  bool exponent;                            /* a number with one */
  uint32_t integer_digits, fraction_digits; /* most before and after the point */
} rdx_inference;

/* Take in one more value that is not NULL. */
void rdx_inference_add(rdx_inference *inference, const char *text, size_t length);

/* The same of a plain integer of at most 16 digits. */
void rdx_inference_add_integer(rdx_inference *inference, int64_t value);

/* Take in what `other` has seen. */
void rdx_inference_merge(rdx_inference *inference, const rdx_inference *other);

/* Whether there was no value yet. */
bool rdx_inference_is_empty(const rdx_inference *inference);

/* The type so far, as rdx_csv_params describes. */
rdx_type rdx_inference_type(const rdx_inference *inference, uint8_t *scale);

#endif
