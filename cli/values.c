/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Values as text that reads back as the same values. */

#include "cli/cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void cli_write_text(FILE *stream, const char *text, size_t length) {
  bool quotes = length == 0; /* else it would read back as NULL */
  for (size_t i = 0; i < length && !quotes; i++)
    quotes = text[i] == ',' || text[i] == '"' || text[i] == '\n' || text[i] == '\r';
  if (!quotes) {
    fwrite(text, 1, length, stream);
    return;
  }
  fputc('"', stream);
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '"')
      fputc('"', stream);
    fputc(text[i], stream);
  }
  fputc('"', stream);
}

/* The shortest of the usual forms that reads back exactly. */
static void write_float(FILE *stream, double value, bool narrow) {
  if (value != value) {
    fputs("nan", stream);
    return;
  }
  char text[40];
  for (int digits = narrow ? 6 : 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (narrow ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value)
      break;
  }
  fputs(text, stream);
}

static void write_decimal(FILE *stream, int64_t value, uint8_t scale) {
  const uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  uint64_t power = 1;
  for (uint8_t i = 0; i < scale; i++)
    power *= 10;
  fprintf(stream, "%s%" PRIu64, value < 0 ? "-" : "", size / power);
  if (scale > 0)
    fprintf(stream, ".%0*" PRIu64, scale, size % power);
}

/* The Gregorian date of a day counted from 1970-01-01, by eras of 400 years that begin in March. */
static void write_date(FILE *stream, int64_t day) {
  const int64_t shifted = day + 719468;
  const int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  const int64_t in_era = shifted - era * 146097;
  const int64_t year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
  const int64_t in_year = in_era - (365 * year + year / 4 - year / 100);
  const int64_t month = (5 * in_year + 2) / 153;
  fprintf(stream, "%04" PRId64 "-%02" PRId64 "-%02" PRId64, year + era * 400 + (month >= 10),
          month < 10 ? month + 3 : month - 9, in_year - (153 * month + 2) / 5 + 1);
}

static void write_timestamp(FILE *stream, int64_t micros) {
  const int64_t in_day = 86400000000;
  int64_t day = micros / in_day, rest = micros % in_day;
  if (rest < 0) {
    rest += in_day;
    day--;
  }
  write_date(stream, day);
  const int64_t second = rest / 1000000;
  fprintf(stream, " %02" PRId64 ":%02" PRId64 ":%02" PRId64, second / 3600, second / 60 % 60, second % 60);
  if (rest % 1000000 != 0)
    fprintf(stream, ".%06" PRId64, rest % 1000000);
}

void cli_write_value(FILE *stream, const rdx_column *c, uint64_t row) {
  const char *text;
  uint64_t length;
  if (c->validity && !(c->validity[row / 8] >> (row % 8) & 1))
    return;
  switch (c->type) {
  case RDX_TYPE_BOOL:
    fputs(((const uint8_t *)c->values)[row] ? "true" : "false", stream);
    break;
  case RDX_TYPE_I8:
    fprintf(stream, "%d", ((const int8_t *)c->values)[row]);
    break;
  case RDX_TYPE_I16:
    fprintf(stream, "%d", ((const int16_t *)c->values)[row]);
    break;
  case RDX_TYPE_I32:
    fprintf(stream, "%" PRId32, ((const int32_t *)c->values)[row]);
    break;
  case RDX_TYPE_I64:
    fprintf(stream, "%" PRId64, ((const int64_t *)c->values)[row]);
    break;
  case RDX_TYPE_U8:
    fprintf(stream, "%u", ((const uint8_t *)c->values)[row]);
    break;
  case RDX_TYPE_U16:
    fprintf(stream, "%u", ((const uint16_t *)c->values)[row]);
    break;
  case RDX_TYPE_U32:
    fprintf(stream, "%" PRIu32, ((const uint32_t *)c->values)[row]);
    break;
  case RDX_TYPE_U64:
    fprintf(stream, "%" PRIu64, ((const uint64_t *)c->values)[row]);
    break;
  case RDX_TYPE_F32:
    write_float(stream, (double)((const float *)c->values)[row], true);
    break;
  case RDX_TYPE_F64:
    write_float(stream, ((const double *)c->values)[row], false);
    break;
  case RDX_TYPE_DATE:
    write_date(stream, ((const int32_t *)c->values)[row]);
    break;
  case RDX_TYPE_TIMESTAMP:
    write_timestamp(stream, ((const int64_t *)c->values)[row]);
    break;
  case RDX_TYPE_DECIMAL:
    write_decimal(stream, ((const int64_t *)c->values)[row], c->scale);
    break;
  case RDX_TYPE_STRING:
    text = rdx_column_string(c, row, &length);
    cli_write_text(stream, text, length);
    break;
  case RDX_TYPE_NONE:
    break;
  }
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
