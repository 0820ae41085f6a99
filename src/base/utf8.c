/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "base/utf8.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the character at `text`, whose first byte is no ASCII; 0 where there is none. */
static size_t character(const unsigned char *text, size_t size) {
  const unsigned char first = text[0];
  const size_t length = first >= 0xc2 && first <= 0xdf   ? 2
                        : (first & 0xf0) == 0xe0         ? 3
                        : first >= 0xf0 && first <= 0xf4 ? 4
                                                         : 0;
  if (length == 0 || length > size)
    return 0;
  for (size_t i = 1; i < length; i++)
    if ((text[i] & 0xc0) != 0x80)
      return 0;
  const bool overlong = (first == 0xe0 && text[1] < 0xa0) || (first == 0xf0 && text[1] < 0x90);
  const bool surrogate = first == 0xed && text[1] > 0x9f;
  return overlong || surrogate || (first == 0xf4 && text[1] > 0x8f) ? 0 : length;
}

/* Where the ASCII from `at` on ends. */
static size_t skip_ascii(const char *text, size_t size, size_t at) {
  for (uint64_t words[8]; at + sizeof words <= size; at += sizeof words) {
    memcpy(words, text + at, sizeof words);
    uint64_t all = 0;
    for (size_t i = 0; i < 8; i++)
      all |= words[i];
    if (all & 0x8080808080808080u)
      break;
  }
  while (at < size && (unsigned char)text[at] < 0x80)
    at++;
  return at;
}

size_t rdx_utf8_check(const char *text, size_t size) {
  for (size_t at = 0;;) {
    at = skip_ascii(text, size, at);
    if (at == size)
      return size;
    while (at < size && (unsigned char)text[at] >= 0x80) {
      const size_t length = character((const unsigned char *)text + at, size - at);
      if (length == 0)
        return at;
      at += length;
    }
  }
}

/* What one character becomes; the bytes of the text that it has. */
static size_t escape_one(const char *text, size_t size, char out[8]) {
  const unsigned char first = (unsigned char)text[0];
  const char *const place = first ? strchr("\nn\rr\tt", first) : NULL;
  if (place && first < ' ') {
    snprintf(out, 8, "\\%c", place[1]);
    return 1;
  }
  if (first < ' ' || first == 0x7f) {
    snprintf(out, 8, "\\x%02x", first);
    return 1;
  }
  const size_t length = first < 0x80 ? 1 : character((const unsigned char *)text, size);
  if (length == 0 || (first == 0xc2 && (unsigned char)text[1] < 0xa0)) { /* the controls of Latin-1 */
    snprintf(out, 8, length == 0 ? "\\x%02x" : "\\u%04x", length == 0 ? first : (unsigned char)text[1]);
    return length == 0 ? 1 : length;
  }
  memcpy(out, text, length);
  out[length] = '\0';
  return length;
}

const char *rdx_utf8_escape(const char *text, size_t size, char *to, size_t capacity) {
  size_t used = 0;
  for (size_t at = 0; at < size;) {
    char one[8];
    at += escape_one(text + at, size - at, one);
    const size_t length = strlen(one);
    if (used + length + (at < size ? 4 : 1) > capacity) {
      memcpy(to + used, "...", 4);
      return to;
    }
    memcpy(to + used, one, length);
    used += length;
  }
  to[used] = '\0';
  return to;
}

/* Bytes of a text once it is escaped. */
static size_t escaped_size(const char *text, size_t size) {
  size_t used = 0;
  for (size_t at = 0; at < size;) {
    char one[8];
    at += escape_one(text + at, size - at, one);
    used += strlen(one);
  }
  return used;
}

void rdx_utf8_escape_message(const char *text, size_t size, char *to, size_t capacity) {
  size_t left = escaped_size(text, size);
  if (left < capacity) {
    rdx_utf8_escape(text, size, to, capacity);
    return;
  }
  rdx_utf8_escape(text, size, to, capacity / 2); /* it ends in dots */
  const size_t used = strlen(to);
  size_t at = 0;
  while (left + 4 > capacity - used) { /* as many as it leaves for dots */
    char one[8];
    at += escape_one(text + at, size - at, one);
    left -= strlen(one);
  }
  rdx_utf8_escape(text + at, size - at, to + used, capacity - used);
}
