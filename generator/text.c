/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Rows as text, in dbgen's form. */

#include "generator/text.h"

#include <string.h>

/* Bytes of the longest value. */
static size_t width_of(const generator_source *source) {
  return source->set                              ? GENERATOR_WORD
         : source->length > 0                     ? source->length
         : source->field.type == RDX_TYPE_DECIMAL ? 21
                                                  : 11;
}

size_t generator_text_width(const generator_table *table) {
  size_t width = 0;
  for (uint32_t i = 0; i < table->columns; i++)
    width += 1 + width_of(&table->sources[i]);
  return width;
}

static char *write_number(uint64_t value, char *to) {
  static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                              "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                              "8081828384858687888990919293949596979899";
  char digits[20];
  char *at = digits + sizeof digits;
  for (; value >= 100; value /= 100)
    memcpy(at -= 2, pairs + value % 100 * 2, 2);
  if (value >= 10)
    memcpy(at -= 2, pairs + value * 2, 2);
  else
    *--at = (char)('0' + value);
  const size_t length = (size_t)(digits + sizeof digits - at);
  memcpy(to, at, length);
  return to + length;
}

static char *write_signed(int64_t value, char *to) {
  if (value < 0)
    *to++ = '-';
  return write_number(value < 0 ? -(uint64_t)value : (uint64_t)value, to);
}

static char *write_pair(uint32_t value, char *to) {
  *to++ = (char)('0' + value / 10);
  *to++ = (char)('0' + value % 10);
  return to;
}

/* A decimal of scale 2. */
static char *write_cents(int64_t value, char *to) {
  const uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
  if (value < 0)
    *to++ = '-';
  to = write_number(size / 100, to);
  *to++ = '.';
  return write_pair((uint32_t)(size % 100), to);
}

/* A day from 1970 on: years of calendars begin in March, so that leap days are their last. */
static char *write_date(int32_t value, char *to) {
  const uint32_t day = (uint32_t)value + 719468, era = day / 146097, in_era = day % 146097;
  const uint32_t in_eras_year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
  const uint32_t in_year = in_era - (365 * in_eras_year + in_eras_year / 4 - in_eras_year / 100);
  const uint32_t from_march = (5 * in_year + 2) / 153, month = from_march < 10 ? from_march + 3 : from_march - 9;
  to = write_number(era * 400 + in_eras_year + (month <= 2), to);
  *to++ = '-';
  to = write_pair(month, to);
  *to++ = '-';
  return write_pair(in_year - (153 * from_march + 2) / 5 + 1, to);
}

static char *write_value(const rdx_column *column, uint64_t row, char *to) {
  uint64_t length = 0;
  const char *text = NULL;
  switch (column->type) {
  case RDX_TYPE_U8:
    return write_number(((const uint8_t *)column->values)[row], to);
  case RDX_TYPE_U16:
    return write_number(((const uint16_t *)column->values)[row], to);
  case RDX_TYPE_U32:
    return write_number(((const uint32_t *)column->values)[row], to);
  case RDX_TYPE_I32:
    return write_signed(((const int32_t *)column->values)[row], to);
  case RDX_TYPE_DATE:
    return write_date(((const int32_t *)column->values)[row], to);
  case RDX_TYPE_DECIMAL:
    return write_cents(((const int64_t *)column->values)[row], to);
  default:
    text = rdx_column_string(column, row, &length);
    memcpy(to, text, length);
    return to + length;
  }
}

char *generator_text_write(const generator_batch *batch, uint32_t columns, char *to) {
  for (uint64_t row = 0; row < batch->rows; row++) {
    for (uint32_t i = 0; i < columns; i++) {
      to = write_value(&batch->columns[i], row, to);
      *to++ = i + 1 < columns ? '|' : '\n';
    }
  }
  return to;
}
