/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Any bytes as CSV: reading them fails with an error text, or gives a table whose columns hold together. The first
 * byte chooses the options, the rest is the file. */

#include <raydex/raydex.h>

#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/replay.h"

static volatile uint8_t sink;

/* Touch all bytes, so that a sanitizer sees memory that is not there. */
static void read_all(const void *memory, uint64_t size) {
  uint8_t sum = 0;
  for (uint64_t i = 0; i < size; i++)
    sum ^= ((const uint8_t *)memory)[i];
  sink = sum;
}

static void check_column(const rdx_column *c, uint64_t rows, uint64_t input_size) {
  CHECK(c->type > RDX_TYPE_NONE && c->type <= RDX_TYPE_STRING);
  CHECK(c->rows == rows);
  CHECK(!c->device);
  CHECK(c->type == RDX_TYPE_DECIMAL ? c->scale <= 18 : c->scale == 0);
  if (c->validity)
    read_all(c->validity, (rows + 7) / 8);
  if (c->type != RDX_TYPE_STRING) {
    CHECK(!c->offsets);
    CHECK(c->values || rows == 0);
    read_all(c->values, rows * rdx_type_size(c->type));
    if (c->type == RDX_TYPE_BOOL)
      for (uint64_t i = 0; i < rows; i++)
        CHECK(((const uint8_t *)c->values)[i] <= 1);
    return;
  }
  CHECK(c->offsets && c->offsets[0] == 0);
  for (uint64_t i = 0; i < rows; i++) {
    CHECK(c->offsets[i] <= c->offsets[i + 1]);
    if (c->validity && !(c->validity[i / 8] >> i % 8 & 1))
      CHECK(c->offsets[i] == c->offsets[i + 1]);
  }
  CHECK(c->offsets[rows] <= 3 * input_size); /* what a byte of another encoding may become */
  read_all(c->values, c->offsets[rows]);
}

static bool is_missing(const rdx_column *c, uint64_t row) {
  return c->validity && !(c->validity[row / 8] >> row % 8 & 1);
}

/* Reading every column as text gives the same rows, and NULLs only where the types were inferred to have them. */
static void check_as_text(const char *text, size_t size, rdx_csv_params params, const rdx_table *table) {
  const uint32_t columns = rdx_table_columns(table);
  rdx_csv_type *types = calloc(columns, sizeof *types);
  CHECK(types || columns == 0);
  for (uint32_t i = 0; i < columns; i++)
    types[i] = (rdx_csv_type){rdx_table_column_name(table, i), RDX_TYPE_STRING, 0};
  params.types = types;
  params.type_count = columns;
  rdx_table *again = NULL;
  rdx_error err = {""};
  if (rdx_table_parse_csv("fuzz", text, size, &params, &again, &err) == RDX_OK) { /* names may stand twice */
    CHECK(rdx_table_rows(again) == rdx_table_rows(table) && rdx_table_columns(again) == columns);
    for (uint32_t i = 0; i < columns; i++) {
      const rdx_column *a = rdx_table_column(table, i), *b = rdx_table_column(again, i);
      check_column(b, rdx_table_rows(again), size);
      CHECK(b->type == RDX_TYPE_STRING);
      for (uint64_t row = 0; row < a->rows; row++)
        CHECK(is_missing(a, row) || !is_missing(b, row));
    }
  }
  rdx_table_destroy(&again);
  free(types);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char delimiters[] = {'\0', ';', '\t', '|'};
  const uint8_t options = size > 0 ? data[0] : 0;
  const char *text = (const char *)data + (size > 0);
  const size_t length = size - (size > 0);
  const rdx_csv_params params = {.header = options & 1 ? RDX_SWITCH_OFF : RDX_SWITCH_DEFAULT,
                                 .delimiter = delimiters[options >> 1 & 3]};
  rdx_table *table = NULL;
  rdx_error err = {""};
  const rdx_status status = rdx_table_parse_csv("fuzz", text, length, &params, &table, &err);
  if (status != RDX_OK) {
    CHECK(!table);
    CHECK(err.text[0] != '\0' && memchr(err.text, '\0', sizeof err.text));
    return 0;
  }
  CHECK(table);
  const uint32_t columns = rdx_table_columns(table);
  for (uint32_t i = 0; i < columns; i++) {
    CHECK(rdx_table_column_name(table, i) && rdx_table_column(table, i));
    check_column(rdx_table_column(table, i), rdx_table_rows(table), length);
  }
  CHECK(!rdx_table_column(table, columns) && !rdx_table_column_name(table, columns));
  check_as_text(text, length, params, table);
  rdx_table_destroy(&table);
  CHECK(!table);
  return 0;
}
