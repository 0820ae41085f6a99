/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Characters: how wide they are, and how those are shown that a terminal would obey. */

#include "cli/shell/format.h"

#include <langinfo.h>
#include <locale.h>
#include <string.h>
#include <wchar.h>

void shell_set_locale(void) {
  if (!setlocale(LC_CTYPE, "") || strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
    setlocale(LC_CTYPE, "C.UTF-8");
}

/* The character at `text` and how many bytes it takes; 0: they are no UTF-8. */
static uint32_t decode(const unsigned char *text, uint64_t length, uint32_t *code) {
  static const uint32_t min[] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned char first = text[0];
  const uint32_t size = first < 0x80   ? 1
                        : first < 0xc2 ? 0
                        : first < 0xe0 ? 2
                        : first < 0xf0 ? 3
                        : first < 0xf5 ? 4
                                       : 0;
  if (size == 0 || size > length)
    return 0;
  uint32_t value = size == 1 ? first : first & (0xffu >> (size + 1));
  for (uint32_t i = 1; i < size; i++) {
    if ((text[i] & 0xc0) != 0x80)
      return 0;
    value = value << 6 | (text[i] & 0x3f);
  }
  if (value < min[size] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
    return 0;
  *code = value;
  return size;
}

/* Characters that change the direction of the text that follows them. */
static bool turns(uint32_t code) {
  return code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

static void escape(shell_glyph *out, const char *format, uint32_t value) {
  out->width = out->size = (uint32_t)snprintf(out->escape, sizeof out->escape, format, value);
  out->bytes = out->escape;
}

static void escape_break(shell_glyph *out, char c) {
  escape(out, "\\%c", c == '\n' ? 'n' : c == '\t' ? 't' : 'r');
}

uint64_t shell_next_glyph(const char *text, uint64_t length, shell_escapes escapes, shell_glyph *out) {
  const unsigned char first = (unsigned char)text[0];
  out->bytes = text;
  out->size = out->width = 1;
  if (first >= ' ' && first < 0x7f) /* nearly always */
    return 1;
  uint32_t code = 0;
  const uint32_t size = decode((const unsigned char *)text, length, &code);
  if (size > 0)
    out->size = size;
  const int width = size > 1 ? wcwidth((wchar_t)code) : 1;
  out->width = width > 0 ? (uint32_t)width : 0;
  if (first == '\n' || first == '\t' || first == '\r') {
    if (escapes & SHELL_ESCAPE_BREAKS)
      escape_break(out, (char)first);
    else if (first == '\r' && escapes & SHELL_ESCAPE_CONTROLS)
      escape_break(out, 'r');
  } else if (escapes & SHELL_ESCAPE_CONTROLS) {
    if (size <= 1)
      escape(out, "\\x%02x", first);
    else if (code < 0xa0 || turns(code))
      escape(out, "\\u%04x", code);
  }
  return size > 0 ? size : 1;
}

uint64_t shell_width(const char *text, uint64_t length, shell_escapes escapes) {
  uint64_t width = 0;
  shell_glyph glyph;
  for (uint64_t at = 0; at < length;) {
    at += shell_next_glyph(text + at, length - at, escapes, &glyph);
    width += glyph.width;
  }
  return width;
}

void shell_write_escaped(FILE *stream, const char *text, uint64_t length, shell_escapes escapes) {
  shell_glyph glyph;
  for (uint64_t at = 0; at < length;) {
    at += shell_next_glyph(text + at, length - at, escapes, &glyph);
    fwrite(glyph.bytes, 1, glyph.size, stream);
  }
}
