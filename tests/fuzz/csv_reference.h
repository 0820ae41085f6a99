/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef TESTS_FUZZ_CSV_REFERENCE_H
#define TESTS_FUZZ_CSV_REFERENCE_H

/* CSV read by a character at a time and a rule at a time, as include/raydex/table.h and docs/csv.md have it: what the
 * library reads is compared with this. It shares no code with the library. */

#include <raydex/raydex.h>

typedef struct ref_text {
  char *bytes; /* ends with a NUL besides */
  size_t length;
} ref_text;

typedef struct ref_value {
  bool is_null;
  int64_t integer; /* bool, integers (u64: its bits), days, microseconds, decimals */
  double real;
  ref_text text; /* strings */
} ref_value;

typedef struct ref_column {
  ref_text name;
  rdx_type type;
  uint8_t scale;
  ref_value *values;
} ref_column;

typedef struct ref_table {
  bool failed;
  uint64_t line; /* of the error; 0: it has no place */
  uint32_t column_count;
  ref_column *columns;
  uint64_t rows;
} ref_table;

/* Memory for one case; a text of `length` bytes. */
void *ref_alloc(size_t size);
void ref_free_all(void);

void ref_read(const char *text, size_t size, const rdx_csv_params *params, ref_table *out);

/* ---- Values (csv_reference_values.c) ---- */

/* A text without the blanks around it. */
ref_text ref_trim(ref_text text);

/* A text as a value of a type; false where it is none. */
bool ref_parse(rdx_type type, uint8_t scale, ref_text text, ref_value *out);

/* The type of a column of values, none of them NULL, without blanks. */
rdx_type ref_infer(const ref_text *values, size_t count, uint8_t *scale);

#endif
