/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Where statements end: at a semicolon that is in no string, name or comment. */

#include "cli/shell/text.h"

#include <string.h>

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80);
}

/* The length of $tag$ at `text`; 0: there is none. */
static size_t tag_of(const char *text, size_t size) {
  size_t length = 1;
  while (length < size && is_word(text[length]) && !(length == 1 && text[1] >= '0' && text[1] <= '9'))
    length++;
  return length < size && text[length] == '$' ? length + 1 : 0;
}

/* What a quote at `at` begins. */
static shell_inside string_at(const char *text, size_t at) {
  const bool escapes = at > 0 && (text[at - 1] == 'e' || text[at - 1] == 'E') && (at == 1 || !is_word(text[at - 2]));
  return escapes ? SHELL_IN_ESCAPES : SHELL_IN_STRING;
}

/* Read one character, or two, outside of strings and comments; true: it ends the statement. */
static bool step(shell_splitter *s, const char *text, size_t size) {
  const size_t at = s->at;
  const char c = text[at], next = at + 1 < size ? text[at + 1] : '\0';
  s->at++;
  if (c == ' ' || (c >= '\t' && c <= '\r'))
    return false;
  if ((c == '-' && next == '-') || (c == '/' && next == '*')) {
    s->inside = c == '-' ? SHELL_IN_LINE : SHELL_IN_COMMENT;
    s->depth = 1;
    s->at++;
    return false;
  }
  if (!s->begun)
    s->begin = at;
  s->begun = true;
  if (c == ';')
    return true;
  if (c == '\'' || c == '"') {
    s->inside = c == '"' ? SHELL_IN_NAME : string_at(text, at);
  } else if (c == '$' && (at == 0 || !is_word(text[at - 1])) && tag_of(text + at, size - at) > 0) {
    s->inside = SHELL_IN_DOLLARS;
    s->tag_begin = at;
    s->tag_length = tag_of(text + at, size - at);
    s->at = at + s->tag_length;
  }
  return false;
}

/* Read on in a string, a name or a comment, as far as it goes. Two quotes end a string and begin one: that is as
 * well. */
static void skip(shell_splitter *s, const char *text, size_t size) {
  const char c = text[s->at], next = s->at + 1 < size ? text[s->at + 1] : '\0';
  const bool escaped = s->inside == SHELL_IN_ESCAPES && c == '\\';
  const bool opens = s->inside == SHELL_IN_COMMENT && c == '/' && next == '*';
  const bool closes = s->inside == SHELL_IN_COMMENT && c == '*' && next == '/';
  if (s->inside == SHELL_IN_DOLLARS && c == '$' && size - s->at >= s->tag_length &&
      memcmp(text + s->at, text + s->tag_begin, s->tag_length) == 0) {
    s->at += s->tag_length;
    s->inside = SHELL_IN_SQL;
    return;
  }
  s->depth += opens ? 1 : 0;
  s->depth -= closes ? 1 : 0;
  const bool ends = (closes && s->depth == 0) || (c == '\n' && s->inside == SHELL_IN_LINE) ||
                    (c == '"' && s->inside == SHELL_IN_NAME) || (c == '\'' && s->inside == SHELL_IN_STRING) ||
                    (c == '\'' && s->inside == SHELL_IN_ESCAPES && next != '\'');
  s->at += escaped || opens || closes || (c == '\'' && s->inside == SHELL_IN_ESCAPES && !ends) ? 2 : 1;
  if (s->at > size)
    s->at = size;
  if (ends)
    s->inside = SHELL_IN_SQL;
}

size_t shell_split(shell_splitter *s, const char *text, size_t size) {
  while (s->at < size) {
    if (s->inside != SHELL_IN_SQL)
      skip(s, text, size);
    else if (step(s, text, size))
      return s->at;
  }
  return 0;
}
