/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Texts that grow, and SQL in them. */

#include "cli/shell/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static _Noreturn void end_without_memory(void) {
  exit(console_fail(RDX_ERROR_MEMORY, "host memory ran out"));
}

void *shell_allocate(size_t size) {
  void *memory = calloc(1, size);
  if (!memory)
    end_without_memory();
  return memory;
}

char *shell_copy(const char *text) {
  char *copy = strdup(text);
  if (!copy)
    end_without_memory();
  return copy;
}

static void reserve(shell_text *text, size_t size) {
  if (text->capacity - text->size > size)
    return;
  const size_t capacity = 2 * (text->size + size) + 64;
  char *data = realloc(text->data, capacity);
  if (!data)
    end_without_memory();
  text->data = data;
  text->capacity = capacity;
}

void shell_append(shell_text *text, const char *data, size_t size) {
  reserve(text, size);
  if (size > 0)
    memcpy(text->data + text->size, data, size);
  text->size += size;
  text->data[text->size] = '\0';
}

void shell_print(shell_text *text, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int size = vsnprintf(NULL, 0, format, arguments);
  reserve(text, (size_t)size);
  vsnprintf(text->data + text->size, (size_t)size + 1, format, again);
  text->size += (size_t)size;
  va_end(again);
  va_end(arguments);
}

static void append_quoted(shell_text *text, const char *string, char quote) {
  shell_append(text, &quote, 1);
  for (const char *p = string; *p; p++)
    shell_append(text, *p == quote ? (const char[]){quote, quote} : p, *p == quote ? 2 : 1);
  shell_append(text, &quote, 1);
}

void shell_append_name(shell_text *text, const char *name) {
  const bool plain = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name) && *name &&
                     !(*name >= '0' && *name <= '9') && !shell_is_reserved(name);
  if (plain)
    shell_append(text, name, strlen(name));
  else
    append_quoted(text, name, '"');
}

void shell_append_quoted_name(shell_text *text, const char *name) {
  append_quoted(text, name, '"');
}

/* Behind the blanks and comments at `text`. */
static const char *skip_blanks(const char *text) {
  for (;;) {
    text += strspn(text, " \t\r\n\f\v");
    if (strncmp(text, "--", 2) == 0) {
      text += strcspn(text, "\n");
    } else if (strncmp(text, "/*", 2) == 0) {
      uint32_t depth = 1;
      for (text += 2; *text && depth > 0; text++) {
        if (strncmp(text, "/*", 2) == 0 || strncmp(text, "*/", 2) == 0)
          depth += *text++ == '/' ? 1 : -1;
      }
    } else {
      return text;
    }
  }
}

const char *shell_first_word(const char *text, size_t *length) {
  const char *word = skip_blanks(text);
  *length = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
  return word;
}

bool shell_starts_with(const char *text, const char *word) {
  size_t length;
  const char *first = shell_first_word(text, &length);
  return length == strlen(word) && strncasecmp(first, word, length) == 0;
}
