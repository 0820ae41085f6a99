/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Texts in other encodings, made UTF-8. */

#include <string.h>

#include "table/csv.h"

/* Write a character to `to`, which has room for four bytes; the end. */
static char *put(char *to, uint32_t c) {
  if (c < 0x80) {
    *to++ = (char)c;
    return to;
  }
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static const uint8_t first[] = {0, 0xc0, 0xe0, 0xf0};
  *to++ = (char)(first[more] | c >> 6 * more);
  for (int i = more - 1; i >= 0; i--)
    *to++ = (char)(0x80 | (c >> 6 * i & 0x3f));
  return to;
}

static uint64_t lines_in(const char *text, const char *end) {
  uint64_t lines = 1;
  for (const char *p = text; (p = memchr(p, '\n', (size_t)(end - p))); p++)
    lines++;
  return lines;
}

/* ---- One byte a character ---- */

/* The characters of the bytes from 0x80 to 0x9f; 0: none. */
static const uint16_t windows_1252[32] = {0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                          0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017d, 0,
                                          0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                          0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

static rdx_status decode_bytes(const char *name, const char *text, size_t size, const rdx_csv_params *params, char *out,
                               char **end, rdx_error *err) {
  const bool windows = params->encoding != RDX_ENCODING_LATIN1;
  char *to = out;
  for (size_t i = 0; i < size; i++) {
    uint32_t c = (uint8_t)text[i];
    if (c >= 0x80 && c < 0xa0)
      c = windows ? windows_1252[c - 0x80] : 0;
    if (c == 0 && text[i] != '\0')
      return rdx_fail(err, RDX_ERROR_FORMAT, "%s, line %llu: byte %llu of the file, 0x%02x, is no character of %s%s%s",
                      name, (unsigned long long)lines_in(out, to), (unsigned long long)i + 1, (uint8_t)text[i],
                      windows ? "windows-1252" : "latin1; ",
                      windows ? "" : rdx_csv_hint_text(RDX_HINT_WINDOWS, params->for_copy),
                      windows ? "" : " may be what it is in");
    to = put(to, c);
  }
  *end = to;
  return RDX_OK;
}

/* ---- UTF-16 ---- */

static uint32_t unit_at(const char *text, size_t i, bool big) {
  const uint8_t a = (uint8_t)text[i], b = (uint8_t)text[i + 1];
  return big ? (uint32_t)a << 8 | b : (uint32_t)b << 8 | a;
}

static rdx_status decode_utf16(const char *name, const char *text, size_t size, char *out, char **end, rdx_error *err) {
  const bool big = text[0] == '\xfe';
  char *to = out;
  size_t i = 2;
  while (i + 1 < size) {
    uint32_t c = unit_at(text, i, big);
    if (c >= 0xd800 && c < 0xe000) {
      const uint32_t low = i + 3 < size ? unit_at(text, i + 2, big) : 0;
      if (c >= 0xdc00 || low < 0xdc00 || low >= 0xe000)
        break;
      c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
      i += 2;
    }
    to = put(to, c);
    i += 2;
  }
  *end = to;
  if (i >= size)
    return RDX_OK;
  return rdx_fail(err, RDX_ERROR_FORMAT, "%s, line %llu: byte %llu of the file, 0x%02x, is no UTF-16", name,
                  (unsigned long long)lines_in(out, to), (unsigned long long)i + 1, (uint8_t)text[i]);
}

rdx_status rdx_csv_decode(const char *name, const char *text, size_t size, const rdx_csv_params *params, char **out,
                          size_t *out_size, rdx_error *err) {
  const bool utf16 = size >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0);
  *out = NULL;
  if (utf16 && size >= 4 && memcmp(text, "\xff\xfe\0\0", 4) == 0)
    return rdx_fail(err, RDX_ERROR_FORMAT, "%s is UTF-32: convert it (iconv -f UTF-32 -t UTF-8)", name);
  if (!utf16 && params->encoding == RDX_ENCODING_UTF8)
    return RDX_OK;
  RDX_SCOPED(rdx_free_local) char *decoded = NULL;
  char *end = NULL;
  RDX_TRY(rdx_alloc(size + 1, utf16 ? 2 : 3, "a CSV file in another encoding", (void **)&decoded, err));
  RDX_TRY(utf16 ? decode_utf16(name, text, size, decoded, &end, err)
                : decode_bytes(name, text, size, params, decoded, &end, err));
  *out_size = (size_t)(end - decoded);
  *out = RDX_KEEP(decoded);
  return RDX_OK;
}
