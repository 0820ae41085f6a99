/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* LIKE and ILIKE, and the escapes of their patterns. */

#include <string.h>

#include "expression/functions.h"

#define ESCAPE '\\'

/* A pattern that is being matched. */
typedef struct matcher {
  const char *text, *text_end;
  const char *pattern, *pattern_end;
} matcher;

static const char *next_character(const char *at, const char *end) {
  for (at++; at < end && ((unsigned char)*at & 0xc0) == 0x80;)
    at++;
  return at;
}

/* The byte that the pattern wants at `at`, and where the next begins. */
static char wanted_byte(const matcher *m, const char *at, const char **next) {
  at += *at == ESCAPE && at + 1 < m->pattern_end;
  *next = at + 1;
  return *at;
}

/* A % takes as little as it can; where the rest does not match it takes more. Only the last % must be tried again. */
static bool matches(matcher m) {
  const char *text_again = NULL, *pattern_again = NULL;
  while (m.text < m.text_end || m.pattern < m.pattern_end) {
    if (m.pattern < m.pattern_end && *m.pattern == '%') {
      pattern_again = ++m.pattern;
      text_again = m.text;
      if (m.pattern == m.pattern_end)
        return true;
      continue;
    }
    if (m.pattern < m.pattern_end && m.text < m.text_end) {
      const char *next = NULL;
      if (*m.pattern == '_') {
        m.text = next_character(m.text, m.text_end);
        m.pattern++;
        continue;
      }
      if (wanted_byte(&m, m.pattern, &next) == *m.text) {
        m.pattern = next;
        m.text++;
        continue;
      }
    }
    if (!text_again || text_again == m.text_end)
      return false;
    text_again = next_character(text_again, m.text_end);
    if (*pattern_again != '%' && *pattern_again != '_' && *pattern_again != ESCAPE) {
      text_again = memchr(text_again, *pattern_again, (size_t)(m.text_end - text_again));
      if (!text_again)
        return false;
    }
    m.text = text_again;
    m.pattern = pattern_again;
  }
  return true;
}

/* Whether the escape stands at the very end, where it has nothing to escape. */
static bool ends_in_escape(rdx_sql_text pattern) {
  uint64_t i = 0;
  while (i < pattern.length) {
    if (pattern.data[i] == ESCAPE && i + 1 == pattern.length)
      return true;
    i += pattern.data[i] == ESCAPE ? 2 : 1;
  }
  return false;
}

rdx_status rdx_like_kernel(rdx_worker *w, const rdx_node *n, const rdx_values *args, const uint8_t *active,
                           rdx_values *out) {
  const rdx_sql_text *texts = args[0].data, *patterns = args[1].data;
  const bool fold = n->bound->op == RDX_OP_ILIKE;
  rdx_sql_text last = {NULL, 0}, pattern = {NULL, 0};
  for (uint32_t i = 0; i < w->rows; i++) {
    if (!rdx_counts(active, out->nulls, i))
      continue;
    rdx_sql_text text = texts[i];
    if (!last.data || patterns[i].data != last.data || patterns[i].length != last.length) {
      last = pattern = patterns[i];
      if (ends_in_escape(pattern))
        return rdx_function_fail(w, n, "LIKE pattern must not end with escape character");
      if (fold)
        RDX_TRY(rdx_to_lower(w, pattern, &pattern));
    }
    if (fold)
      RDX_TRY(rdx_to_lower(w, text, &text));
    const matcher m = {text.data, text.data + text.length, pattern.data, pattern.data + pattern.length};
    ((int64_t *)out->data)[i] = matches(m);
  }
  return RDX_OK;
}

rdx_status rdx_check_escape(rdx_worker *w, const rdx_node *n, rdx_sql_text escape) {
  return escape.length > 0 && rdx_text_character(escape.data, escape.length) < escape.length
             ? rdx_function_fail(w, n, "invalid escape string: it must be empty or one character")
             : RDX_OK;
}

/* A pattern in which another character escapes, or none: the same with the one that always does. */
rdx_status rdx_like_escape(rdx_worker *w, const rdx_node *n, const rdx_datum *args, rdx_datum *out) {
  const rdx_sql_text from = args[0].text, escape = args[1].text;
  rdx_text_output o = {0};
  bool escaped = false;
  RDX_TRY(rdx_check_escape(w, n, escape));
  RDX_TRY(rdx_take_text(w, 2 * from.length, &o.to));
  for (uint64_t i = 0, size; i < from.length; i += size) {
    const char *at = from.data + i;
    size = rdx_text_character(at, from.length - i);
    const bool escapes = !escaped && size == escape.length && memcmp(at, escape.data, size) == 0;
    if (escapes || (!escaped && *at == ESCAPE))
      rdx_text_put(&o, "\\", 1);
    if (!escapes)
      rdx_text_put(&o, at, size);
    escaped = escapes;
  }
  out->text = (rdx_sql_text){o.to, o.used};
  return RDX_OK;
}
