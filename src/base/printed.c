/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"

void rdx_print(rdx_printed *text, const char *format, ...) {
  va_list arguments;
  if (text->status != RDX_OK)
    return;
  va_start(arguments, format);
  const int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  if (text->size + (size_t)length + 1 > text->capacity) {
    const size_t capacity = 2 * (text->size + (size_t)length) + 64;
    text->status = rdx_realloc((void **)&text->data, capacity, 1, "a text", text->err);
    if (text->status != RDX_OK)
      return;
    text->capacity = capacity;
  }
  va_start(arguments, format);
  vsnprintf(text->data + text->size, text->capacity - text->size, format, arguments);
  va_end(arguments);
  text->size += (size_t)length;
}

void rdx_print_quoted(rdx_printed *text, const char *words, char quote) {
  rdx_print(text, "%c", quote);
  for (const char *end; (end = strchr(words, quote)); words = end + 1)
    rdx_print(text, "%.*s%c%c", (int)(end - words), words, quote, quote);
  rdx_print(text, "%s%c", words, quote);
}

void rdx_printed_free(rdx_printed *text) {
  rdx_free(text->data);
}
