/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Single values as text, and in JSON. */

#include "cli/shell/format.h"

#include <string.h>

const char *shell_value(const rdx_column *column, uint64_t row, char scratch[RDX_VALUE_TEXT], uint64_t *length) {
  if (column->validity && !(column->validity[row / 8] >> row % 8 & 1))
    return NULL;
  if (column->type == RDX_TYPE_STRING)
    return rdx_column_string(column, row, length);
  *length = rdx_column_format(column, row, scratch);
  return scratch;
}

bool shell_is_number(rdx_type type) {
  return (type >= RDX_TYPE_I8 && type <= RDX_TYPE_F64) || type == RDX_TYPE_DECIMAL;
}

static void write_json_control(FILE *stream, unsigned char c) {
  static const char names[] = "btnvfr"; /* from 8 on; v is none of JSON's */
  if (c >= 8 && c <= 13 && c != 11)
    fprintf(stream, "\\%c", names[c - 8]);
  else
    fprintf(stream, "\\u%04x", c);
}

void shell_write_json_string(FILE *stream, const char *text, uint64_t length) {
  shell_glyph glyph;
  fputc('"', stream);
  for (uint64_t at = 0; at < length;) {
    const unsigned char c = (unsigned char)text[at];
    const uint64_t size = shell_next_glyph(text + at, length - at, SHELL_ESCAPE_CONTROLS, &glyph);
    if (c < ' ' || c == 0x7f)
      write_json_control(stream, c);
    else if (c == '"' || c == '\\')
      fprintf(stream, "\\%c", c);
    else if (c >= 0x80 && size == 1)
      fputs("\xef\xbf\xbd", stream);
    else if (glyph.bytes == glyph.escape) /* \uXXXX, as JSON has it, too */
      fwrite(glyph.bytes, 1, glyph.size, stream);
    else
      fwrite(text + at, 1, size, stream);
    at += size;
  }
  fputc('"', stream);
}
