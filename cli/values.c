/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Values as text that reads back as the same values. */

#include "cli/cli.h"

void cli_write_text(FILE *stream, const char *text, size_t length) {
  if (rdx_csv_needs_quotes(text, length, ',', false))
    console_write_quoted(stream, text, length);
  else
    fwrite(text, 1, length, stream);
}

void cli_write_value(FILE *stream, const rdx_column *c, uint64_t row) {
  if (c->validity && !(c->validity[row / 8] >> (row % 8) & 1))
    return;
  if (c->type == RDX_TYPE_STRING) {
    uint64_t length;
    const char *text = rdx_column_string(c, row, &length);
    cli_write_text(stream, text, length);
    return;
  }
  char text[RDX_VALUE_TEXT];
  fwrite(text, 1, rdx_column_format(c, row, text), stream);
}

void cli_write_sum(FILE *stream, rdx_type type, uint8_t scale, const int64_t *i64, const uint64_t *u64,
                   const double *f64) {
  const rdx_column sum = {.type = type,
                          .scale = scale,
                          .rows = 1,
                          .values = type == RDX_TYPE_F64   ? (const void *)f64
                                    : type == RDX_TYPE_U64 ? (const void *)u64
                                                           : (const void *)i64};
  cli_write_value(stream, &sum, 0);
}
