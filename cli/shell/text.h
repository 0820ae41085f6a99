/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

/* Texts that grow, and where statements end in them. */

#include "common/common.h"

/* Memory, all zero, or the end of the program: without it the shell has nothing left to do. */
void *shell_allocate(size_t size);

char *shell_copy(const char *text);

/* A text that grows, with a NUL at its end. All zero is the empty text; free(data). */
typedef struct shell_text {
  char *data;
  size_t size, capacity;
} shell_text;

void shell_append(shell_text *text, const char *data, size_t size);
void shell_print(shell_text *text, const char *format, ...) RDX_PRINTF(2, 3);

/* Append a name as SQL has it, in double quotes where it needs them. */
void shell_append_name(shell_text *text, const char *name);

/* The same, always in quotes. */
void shell_append_quoted_name(shell_text *text, const char *name);

/* Whether a name is a word of SQL that stands for itself only in double quotes. (words.c) */
bool shell_is_reserved(const char *name);

/* The words of SQL, in capitals, and their number. (words.c) */
extern const char *const shell_words[];
extern const size_t shell_word_count;

/* The first word of a text of SQL, behind blanks and comments, and its length. */
const char *shell_first_word(const char *text, size_t *length);

/* Whether the first word of a text is `word`, in capitals or not. */
bool shell_starts_with(const char *text, const char *word);

/* ---- Where statements end (split.c) ---- */

typedef enum shell_inside {
  SHELL_IN_SQL,
  SHELL_IN_STRING,
  SHELL_IN_ESCAPES, /* of a string E'...' */
  SHELL_IN_NAME,    /* in double quotes */
  SHELL_IN_LINE,    /* of a comment that ends with its line */
  SHELL_IN_COMMENT,
  SHELL_IN_DOLLARS, /* a string $tag$...$tag$ */
} shell_inside;

/* How far a text was read. All zero is its start. */
typedef struct shell_splitter {
  size_t at;
  shell_inside inside;
  uint32_t depth;               /* of comments */
  size_t tag_begin, tag_length; /* of dollars, in the text */
  bool begun;                   /* there is more than blanks and comments */
  size_t begin;                 /* and there it begins */
} shell_splitter;

/* Read on in a text of `size` bytes, which has grown by whole lines since the last call; the place behind the semicolon
 * that ends its first statement, 0: it does not end yet. Then the caller drops what is before the place, and begins
 * anew. */
size_t shell_split(shell_splitter *splitter, const char *text, size_t size);

#endif
