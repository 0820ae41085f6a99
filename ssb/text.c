/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Rows as text, in dbgen's form. */

#include "ssb/internal.h"

#include <string.h>

size_t ssb_text_width(ssb_table table) {
  uint32_t count = 0;
  const ssb_source *sources = ssb_sources(table, &count);
  size_t width = 0;
  for (uint32_t i = 0; i < count; i++)
    width += 1 + (sources[i].set ? WORD_BYTES : sources[i].length > 0 ? sources[i].length : 10); /* digits of a u32 */
  return width;
}

static char *write_number(uint32_t value, char *to) {
  static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                              "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                              "8081828384858687888990919293949596979899";
  char digits[10];
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
  default:
    text = rdx_column_string(column, row, &length);
    memcpy(to, text, length);
    return to + length;
  }
}

char *ssb_text_write(const ssb_batch *batch, uint32_t columns, char *to) {
  for (uint64_t row = 0; row < batch->rows; row++) {
    for (uint32_t i = 0; i < columns; i++) {
      to = write_value(&batch->columns[i], row, to);
      *to++ = i + 1 < columns ? '|' : '\n';
    }
  }
  return to;
}
