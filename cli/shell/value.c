/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Single values as text, as fields of CSV, and in JSON. */

#include "cli/shell/format.h"

#include <string.h>
#include <strings.h>

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

/* Whether a text that begins so would be taken for the start of something else, were it the first of a file. */
static bool misleads(const char *text, uint64_t length) {
  static const char *const beginnings[] = {"\xef\xbb\xbf", "sep=", "BZh", "PK\x03"};
  for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
    if (length >= strlen(beginnings[i]) && strncasecmp(text, beginnings[i], strlen(beginnings[i])) == 0)
      return true;
  return false;
}

static bool needs_quotes(const char *text, uint64_t length, const char *separator, const char *null) {
  if (length == 0 || (strlen(null) == length && memcmp(text, null, length) == 0) || misleads(text, length))
    return true;
  const char special[] = {'"', '\n', '\r', separator[0]};
  for (size_t i = 0; i < sizeof special; i++)
    if (memchr(text, special[i], length))
      return true;
  return false;
}

void shell_write_csv_field(FILE *stream, const char *text, uint64_t length, const char *separator, const char *null) {
  if (!needs_quotes(text, length, separator, null)) {
    fwrite(text, 1, length, stream);
    return;
  }
  fputc('"', stream);
  for (uint64_t i = 0; i < length; i++) {
    if (text[i] == '"')
      fputc('"', stream);
    fputc(text[i], stream);
  }
  fputc('"', stream);
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
