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
  bool fails; /* the text is compared with an escape at the very end, which has nothing to escape */
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

#define ONES 0x0101010101010101u
#define HIGHS 0x8080808080808080u

/* Where these bytes are first; NULL: nowhere. Eight places at a time are looked at, whether the first byte and the last
 * one are there (a byte above one that is may only seem to be). */
static const char *find_bytes(const char *text, const char *end, const char *bytes, size_t length) {
  const uint64_t first = ONES * (unsigned char)bytes[0], last = ONES * (unsigned char)bytes[length - 1];
  for (; (size_t)(end - text) >= length + 7; text += 8) {
    uint64_t begins, ends;
    memcpy(&begins, text, 8);
    memcpy(&ends, text + length - 1, 8);
    const uint64_t differ = (begins ^ first) | (ends ^ last);
    for (uint64_t hits = (differ - ONES) & ~differ & HIGHS; hits; hits &= hits - 1) {
      const char *at = text + __builtin_ctzll(hits) / 8; /* little endian: the low byte is the first */
      if (memcmp(at, bytes, length) == 0)
        return at;
    }
  }
  for (; (size_t)(end - text) >= length; text++)
    if (*text == *bytes && memcmp(text, bytes, length) == 0)
      return text;
  return NULL;
}

/* How many bytes of a pattern stand for themselves. */
static size_t count_plain(const char *at, const char *end) {
  const char *from = at;
  while (at < end && *at != '%' && *at != '_' && *at != ESCAPE)
    at++;
  return (size_t)(at - from);
}

/* Where the plain bytes behind a % are first, or the text's last ones, where nothing is behind them; NULL: nowhere. */
static const char *find_plain(const matcher *m, size_t plain) {
  const size_t left = (size_t)(m->text_end - m->text);
  if (plain == 0 || left < plain)
    return plain == 0 ? m->text : NULL;
  if (m->pattern + plain < m->pattern_end)
    return find_bytes(m->text, m->text_end, m->pattern, plain);
  return memcmp(m->text_end - plain, m->pattern, plain) == 0 ? m->text_end - plain : NULL;
}

/* A % takes as little as it can; where the rest does not match it takes more. Only the last % must be tried again. */
static bool matches(matcher *all) {
  matcher m = *all;
  const char *text_again = NULL, *pattern_again = NULL;
  size_t plain = 0; /* bytes behind the last % */
  while (m.text < m.text_end || m.pattern < m.pattern_end) {
    if (m.pattern < m.pattern_end && *m.pattern == '%') {
      pattern_again = ++m.pattern;
      if (m.pattern == m.pattern_end)
        return true;
      plain = count_plain(m.pattern, m.pattern_end);
    } else {
      const char *next = NULL;
      const bool both = m.pattern < m.pattern_end && m.text < m.text_end, any = both && *m.pattern == '_';
      if (both && *m.pattern == ESCAPE && m.pattern + 1 == m.pattern_end) {
        all->fails = true;
        return false;
      }
      if (any || (both && wanted_byte(&m, m.pattern, &next) == *m.text)) {
        m.text = any ? next_character(m.text, m.text_end) : m.text + 1;
        m.pattern = any ? m.pattern + 1 : next;
        continue;
      }
      if (!text_again || text_again == m.text_end)
        return false;
      m.text = next_character(text_again, m.text_end);
      m.pattern = pattern_again;
    }
    m.text = text_again = find_plain(&m, plain);
    if (!m.text)
      return false;
    m.text += plain;
    m.pattern += plain;
  }
  return true;
}

rdx_status rdx_like_kernel(RDX_VALUES_ARGUMENTS) {
  const rdx_sql_text *texts = args[0].data, *patterns = args[1].data;
  const bool fold = n->bound->op == RDX_OP_ILIKE;
  rdx_sql_text last = {NULL, 0}, pattern = {NULL, 0};
  for (uint32_t i = 0; i < w->rows; i++) {
    if (!rdx_counts(active, out->nulls, i))
      continue;
    rdx_sql_text text = texts[i];
    if (!last.data || patterns[i].data != last.data || patterns[i].length != last.length) {
      last = pattern = patterns[i];
      if (fold)
        RDX_TRY(rdx_to_lower(w, pattern, &pattern));
    }
    if (fold)
      RDX_TRY(rdx_to_lower(w, text, &text));
    matcher m = {text.data, text.data + text.length, pattern.data, pattern.data + pattern.length, false};
    ((int64_t *)out->data)[i] = matches(&m);
    if (m.fails)
      return rdx_function_fail(w, n, "LIKE pattern must not end with escape character");
  }
  return RDX_OK;
}

rdx_status rdx_check_escape(rdx_worker *w, const rdx_node *n, rdx_sql_text escape) {
  return escape.length > 0 && rdx_text_character(escape.data, escape.length) < escape.length
             ? rdx_function_fail(w, n, "invalid escape string: it must be empty or one character")
             : RDX_OK;
}

/* A pattern in which another character escapes, or none: the same with the one that always does. */
rdx_status rdx_like_escape(RDX_ROW_ARGUMENTS) {
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
