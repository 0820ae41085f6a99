/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Errors with the line that they are about, and a caret. */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "sql/statement.h"

#define SHOWN 90        /* characters of a line */
#define SHOWN_BEFORE 60 /* of these before the place, where the line is longer */
#define CAPACITY_MESSAGE 360
#define CAPACITY_LINE 380
#define CAPACITY_HINT 150

static bool continues_character(char c) {
  return ((unsigned char)c & 0xc0) == 0x80;
}

/* `count` characters before `at`, or where the line begins. */
static const char *step_back(const char *line, const char *at, uint32_t count) {
  for (; at > line && count > 0; count--)
    do
      at--;
    while (at > line && continues_character(*at));
  return at;
}

static const char *step_on(const char *at, const char *end, uint32_t count) {
  for (; at < end && count > 0; count--)
    do
      at++;
    while (at < end && continues_character(*at));
  return at;
}

static uint32_t count_characters(const char *text, size_t size) {
  uint32_t count = 0;
  for (size_t i = 0; i < size; i++)
    count += !continues_character(text[i]);
  return count;
}

/* A part of a line with one character for each: blanks of any kind are blanks, what cannot be printed is "?". */
static void show(const char *from, const char *end, char out[CAPACITY_LINE]) {
  size_t size = 0;
  for (size_t length; from < end && size + 8 < CAPACITY_LINE; from += length) {
    const unsigned char first = (unsigned char)*from;
    length = 1;
    while (first >= 0xc0 && length < 4 && from + length < end && continues_character(from[length]))
      length++;
    const bool control = first < ' ' || first == 0x7f || (first == 0xc2 && (unsigned char)from[1] < 0xa0);
    if (!control && rdx_utf8_check(from, length) == length) {
      memcpy(out + size, from, length);
      size += length;
    } else {
      out[size++] = first >= '\t' && first <= '\r' ? ' ' : '?';
    }
  }
  out[size] = '\0';
}

/* LINE 2: the line, and below it the caret. */
static size_t write_line(const char *text, const char *at, char *out, size_t capacity) {
  char shown[CAPACITY_LINE], before[CAPACITY_LINE], prefix[40];
  uint32_t number = 1;
  const char *line = text + strspn(text, " \t\r\n\f\v"); /* a statement begins with its first line */
  for (const char *c = line; c < at; c++) {
    if (*c == '\n') {
      line = c + 1;
      number++;
    }
  }
  line = line <= at ? line : at;
  const char *end = at + strcspn(at, "\r\n");
  const char *from = count_characters(line, (size_t)(end - line)) <= SHOWN ? line : step_back(line, at, SHOWN_BEFORE);
  const char *to = step_on(from, end, SHOWN);
  snprintf(prefix, sizeof prefix, "LINE %u: %s", number, from > line ? "..." : "");
  show(from, to, shown);
  show(from, at, before);
  const int column = (int)(strlen(prefix) + count_characters(before, strlen(before)));
  const int written = snprintf(out, capacity, "\n%s%s%s\n%*s^", prefix, shown, to < end ? "..." : "", column, "");
  return (size_t)written < capacity ? (size_t)written : capacity - 1;
}

rdx_status rdx_sql_error(rdx_error *err, rdx_status status, const char *text, rdx_sql_place place, const char *hint,
                         const char *format, ...) {
  char message[RDX_MESSAGE];
  va_list arguments;
  if (!err)
    return status;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  rdx_utf8_escape_message(message, strlen(message), err->text, CAPACITY_MESSAGE);
  size_t used = strlen(err->text);
  if (text && place > 0)
    used += write_line(text, text + place - 1, err->text + used, sizeof err->text - used - CAPACITY_HINT);
  if (hint && hint[0]) {
    char escaped[CAPACITY_HINT - 10];
    rdx_utf8_escape(hint, strlen(hint), escaped, sizeof escaped);
    snprintf(err->text + used, sizeof err->text - used, "\nHINT: %s", escaped);
  }
  return status;
}
